/*
 * state.h - within the room: the structs behind struct model, and the way an event enters.
 *
 * Each part has one file: spans.c the runtime spans, user_events.c and user_events_read.c the user events,
 * pauses.c finished pauses, resumes.c and target_pauses.c the pauses of the target, counters.c counters and
 * alloc events, domain.c a domain's life, losses.c lost time, notes.c the log, callbacks.c the sinks, model.c
 * the rest.
 *
 * Attention: a timestamp per domain.  An event below it needs only its own handling.  An event at or above it
 * calls domain_attend first, which creates the domain if needed and applies the resumes before that event.
 * Announcing a resume sets attention to 0.
 */
#pragma once

#include <sys/queue.h>
#include <sys/tree.h>

#include "core/id_map.h"
#include "model/model.h"
#include "model/waiting.h"
#include "core/sum.h"

#define USER_CHUNK 16
#define USER_CHUNKS (MODEL_USER_SLOTS_MAX / USER_CHUNK)
#define INSIDE_LOG 128
#define RESUMES_MAX 262144 /* resumes kept */
#define ANNOUNCED_KEPT 64  /* announcements of resumes kept */

/*
 * The limit on the memory that the content of a ring can make the program allocate.
 *
 * A ring of a few megabytes can name thousands of user events on each of thousands of domains, and a live
 * ring never ends.  Every allocation whose size the ring decides takes its bytes from a budget first.  If the
 * budget is used up, the model counts the event as ignored (a span that cannot be kept open as dropped).  Allocations
 * bounded by the number of domains are not counted:
 *
 *     model    BUDGET_MODEL, and up to 57 KiB for each domain
 *     watch    the budget of its history, up to 125 KiB for each domain, and 60 MB in all
 */
#define BUDGET_MODEL ((size_t)256 << 20)

/* All zeros but `most`. */
struct budget {
	size_t used, most;
};

/* Take bytes; false if fewer are left. */
static inline bool budget_take(struct budget *b, size_t bytes)
{
	if (bytes > b->most - b->used)
		return false;
	b->used += bytes;
	return true;
}

/* Return bytes to the budget. */
static inline void budget_give(struct budget *b, size_t bytes)
{
	b->used -= bytes;
}

/* A span that ended inside the current pause. */
struct inside_span {
	uint64_t duration;
	uint64_t self;
	rtev_phase phase;
};

/* Spans inside a domain's current pause: the latest in order of arrival, and sums by phase of earlier ones. */
struct inside {
	struct inside_span log[INSIDE_LOG];
	struct model_phase sums[MODEL_INSIDE_MAX];
	unsigned summed;
};

struct user_frame {
	uint64_t begin;
	uint64_t gc_begin : 63; /* domain_gc_until(begin), for 292 years */
	uint64_t stale : 1;	/* begun before model_reset */
};

/*
 * One user slot on one domain.  With thousands of names, most events touch a slot that is in no near cache.
 * So a begin touches only one of its lines, and most ends the same line.  The durations of spans wait there;
 * the one after USER_NEAR moves them all to the slot's rest.  Once USER_WAITING wait they go to the
 * histogram, which has room for them already.  user_settle updates `pub`.
 */
enum { USER_LINE = 64, USER_NEAR = 3, USER_BATCH = USER_NEAR + 1, USER_WAITING = 56 };

struct user {
	_Alignas(USER_LINE) struct user_rest *rest; /* NULL: the domain knows nothing of the slot */
	struct user_frame first;		    /* the outermost frame; see user_frame */
	uint64_t last_ts;			    /* of its latest event */
	uint64_t held;				    /* copy of spans.held */
	uint32_t open;
	uint32_t near[USER_NEAR]; /* the last waiting_count % USER_BATCH of the waiting durations */
	uint16_t open_next;	  /* link in user_events_open while open > 0: a slot number plus one; 0 at the
			     * ends */
	uint16_t open_before;
	uint16_t slot;
	uint16_t waiting_count;
};
_Static_assert(sizeof(struct user) == USER_LINE, "a begin touches one line");
_Static_assert(MODEL_USER_SLOTS_MAX < UINT16_MAX && MODEL_DEPTH_MAX <= UINT32_MAX &&
		   USER_WAITING <= HIST_AT_ONCE && USER_WAITING % USER_BATCH == 0,
    "struct user");

struct user_rest {
	struct model_user pub;
	uint8_t *payload;
	struct user_frame *stack; /* frames of the other open spans */
	unsigned stack_size;
	_Alignas(USER_LINE)
	    uint32_t waiting[]; /* the other waiting durations: room for USER_WAITING if the slot is a span */
};

/* Return the frame of one of the open spans of a slot; 0 is the outermost. */
static inline struct user_frame *user_frame(struct user *u, uint32_t i)
{
	return i == 0 ? &u->first : &u->rest->stack[i - 1];
}

struct user_chunk {
	struct user users[USER_CHUNK];
};

/* Cache of a domain for the events of a ring id and kind, valid while the id's name has this generation. */
struct user_at {
	struct user *user; /* NULL: not known */
	uint32_t generation;
	enum model_user_kind kind;
};

/* Observed intervals of a file before timestamps went back or the slot got another domain: the first
 * OBSERVED_PARTS; of later ones only the length is kept. */
enum { OBSERVED_PARTS = 4096 };

struct observed_part {
	uint64_t from, to;
};

/* A stretch of a domain's lost time. */
struct lost_time {
	uint64_t from, to;
};

/* In place of a depth. */
#define NOT_IDLE UINT_MAX

struct domain {
	struct model_domain pub;
	uint64_t attention;
	uint64_t told; /* how many of model->announced the domain knows */
	LIST_ENTRY(domain) told_link;

	struct model_open_span *stack; /* pub.stack */
	unsigned stack_size;
	unsigned idle;	     /* depth inside the idle stretch (spans.c), or NOT_IDLE */
	bool to_wait;	     /* the open pause leaves open who runs after it */
	uint64_t handled_ts; /* end of what was last handled inside the idle stretch */
	uint64_t *waits;     /* pub.waits */
	size_t wait_size;
	unsigned joined_depths;	    /* spans at depths 1 to this, below stack_size, may be delivered joined */
	struct model_phase *phases; /* pub.phases */
	size_t phase_size;
	struct id_map opaque_phases;
	struct inside *inside;
	struct inside_span *log_next, *log_end; /* room in inside->log, NULL before the first span */
	uint64_t waited;			/* time waited in the current pause so far */

	struct model_counter *counters; /* pub.counters */
	size_t counter_size;
	struct id_map opaque_counters;

	uint64_t applied_below; /* resumes before this timestamp have been applied */
	uint64_t late;		/* the latest resume that came late and is not applied yet, else 0 */

	bool cut; /* the next event may be older than the previous one */
	struct observed_part *parts;
	size_t part_count, part_size;

	bool replaced;	     /* another program has begun, so its next event is of another domain */
	uint64_t life_from;  /* start of what is observed of the current life */
	uint64_t earlier_ns; /* observed in earlier lives */
	uint64_t earlier_paused_ns;
	uint64_t paused_from;	  /* target_paused_before(life_from), where that is before model.folded_to */
	uint64_t paused_to;	  /* target_paused_before of the end of what is observed, in the same case */
	bool losing;		  /* words were lost, and no event has come since */
	uint64_t lost_from;	  /* while losing: begin of the lost time */
	uint64_t observed_until;  /* while losing: end of what was observed before the loss */
	struct lost_time *losses; /* ascending, without overlap */
	size_t loss_count, loss_size;
	uint64_t losses_gone_to; /* stretches that ended by then are not all kept */

	uint64_t
	    died_ts; /* stamp of the domain_terminate or ring_stop that ended it; UINT64_MAX after stamps went
		      * back */

	struct user_chunk **users;	/* USER_CHUNKS of them, or NULL before the first user event */
	struct user_at *user_events_at; /* by ring id, RTEV_USER_EVENTS_MAX of them, or NULL */
	uint16_t user_events_open; /* head of the list of users with open spans: a slot number plus one; 0:
			       * empty */
	unsigned user_depth;	   /* open user spans of all slots */
};

LIST_HEAD(domain_list, domain);

struct user_slot {
	struct model_user_slot pub;
	unsigned number;
	RB_ENTRY(user_slot) link;
	char name[RTEV_USER_NAME_SIZE];
};
RB_HEAD(user_tree, user_slot);

/* The slots of a ring id, as slot number plus one, valid while its name has this generation. */
struct user_id {
	uint32_t generation;
	uint32_t slots[MODEL_USER_KINDS];
};

/* A ring_resume, and the events that bound the pause before it. */
struct resume {
	uint64_t at;
	uint64_t before; /* stamp of the last event of any ring before it, as far as rings have passed it */
	uint64_t pause;	 /* the ring_pause before it */
	bool has_before;
	bool has_pause;
};

/* The observers of most events, by member; a NULL ends each list. */
struct told {
	const struct model_observer *opened[MODEL_OBSERVERS_MAX + 1], *closed[MODEL_OBSERVERS_MAX + 1],
	    *counter[MODEL_OBSERVERS_MAX + 1];
};

struct model {
	struct domain *domains[MODEL_DOMAINS_MAX];
	unsigned domain_limit; /* domains from here up are NULL */
	unsigned observer_count;
	uint64_t announced;	  /* announcements of resumes, repeated ones included */
	struct domain_list heard; /* the domains that know all of these */
	struct model_span span;	  /* the span that ended last */
	struct told told;
	struct path_tree paths;
	struct model_observer observers[MODEL_OBSERVERS_MAX];

	int status;
	enum rtev_next next;  /* what a sink returns: RTEV_STOP unless status is RTEV_OK */
	struct pool users;    /* the slots, and each domain's data of them */
	struct budget budget; /* limits user events, unknown phases and counters, and open spans */
	bool live;
	bool was_reset;
	uint64_t since_ts; /* attach or reset */
	uint64_t now;
	uint64_t ignored;

	bool ended; /* model_ended was called */
	bool stopped;
	uint64_t stop_ts;
	int64_t pid;
	uint32_t reattached; /* cursors that followed the first, since the attach or reset */
	bool restarting;     /* rings were made anew, and no ring_start has followed */
	uint64_t restart_ts; /* the ring_start after the latest restart */

	struct hist pauses;
	struct model_worst worst[MODEL_WORST_MAX]; /* longest first */
	unsigned worst_count;

	struct resume *resumes; /* ascending */
	size_t resume_count;
	size_t resume_size;
	uint64_t latest_announced[ANNOUNCED_KEPT]; /* a ring of the latest */
	uint64_t *new_resumes; /* announced out of order and not yet in `resumes`, in no order */
	size_t new_resume_count;
	size_t new_resume_size;
	uint64_t folded_sum; /* total of the target pauses until folded_to */
	uint64_t folded_to;  /* the latest resume no longer kept, else 0 */
	uint64_t drained_to; /* the latest resume that was known at the last model_drained, else 0 */
	uint64_t read_to;    /* as given to model_read_to */
	bool paused;	     /* a ring_pause has not been followed by a resume */
	uint64_t paused_at;
	bool silent; /* as given to model_set_silent */
	bool off;    /* model_off was called, and no event has come since */
	struct model_target_pause
	    counted[MODEL_TARGET_PAUSES_MAX]; /* stretches in which memory told; ascending */
	unsigned counted_count;
	struct model_target_pause counted_gone;	  /* from the first to the latest of the stretches not kept */
	uint64_t counted_ns;			  /* total of those not kept */
	struct model_target_pause *target_pauses; /* ascending, without overlap */
	uint64_t *target_sums;			  /* duration of all target pauses before each */
	size_t target_pause_count;
	size_t target_pause_size;

	struct user_slot **user_slots;
	size_t user_slot_count;
	size_t user_slot_size;
	struct user_tree user_tree;
	const void *payload; /* payload of the current custom event, with its length; NULL: none */
	size_t payload_len;
	uint64_t user_gc;	  /* time that pauses took out of the user span that ended last */
	struct user_id *user_ids; /* RTEV_USER_EVENTS_MAX of them, NULL before the first user event */

	uint64_t looked_ts;	    /* of the latest look at memory; 0: none */
	double looked[HEAP_GAUGES]; /* gauges of the whole heap at that look */
	bool looked_rest;	    /* the heap includes more than the running domains have */
	struct model_level sizes[MODEL_SIZES_KEPT];
	size_t size_count;

	struct model_note *notes; /* a ring of MODEL_NOTES_MAX, NULL before the first */
	uint64_t note_count;	  /* notes ever written */
};

/* Return the known domain after `d`, NULL after the last one; for NULL, the first one. */
static inline struct domain *domain_next(const struct model *m, const struct domain *d)
{
	for (unsigned i = d != NULL ? d->pub.domain + 1 : 0; i < m->domain_limit; i++)
		if (m->domains[i] != NULL)
			return m->domains[i];
	return NULL;
}

#define DOMAIN_FOREACH(d, m) for (struct domain *d = domain_next(m, NULL); d != NULL; d = domain_next(m, d))

/* Call a member of every observer that has it. */
#define OBSERVE(m, member, ...)                                                                              \
	do {                                                                                                 \
		for (unsigned obs_ = 0; obs_ < (m)->observer_count; obs_++)                                  \
			if ((m)->observers[obs_].member != NULL)                                             \
				(m)->observers[obs_].member((m)->observers[obs_].ctx, __VA_ARGS__);          \
	} while (0)

/* Call a member of every observer in its list of struct told. */
#define TELL(m, member, ...)                                                                                 \
	do {                                                                                                 \
		for (const struct model_observer *const *tell_ = (m)->told.member; *tell_ != NULL; tell_++)  \
			(*tell_)->member((*tell_)->ctx, __VA_ARGS__);                                        \
	} while (0)

/* Fill in struct told. */
void model_list_told(struct model *m);

/* Record that memory ran out. */
void model_out_of_memory(struct model *m);

/* Grow an array within the budget; updates *array and *size.  False if memory or the budget ran out. */
bool model_grow(struct model *m, void **array, size_t *size, size_t to, size_t each);

/* Return the place of a phase or counter that the tables lack in an array of `count` totals, appended on first use; 0 if memory
 * or the budget ran out. */
size_t model_opaque(struct model *m, struct id_map *places, uint32_t number, void **array, size_t *size,
    size_t *count, size_t each);

/* Return what a sink has to return. */
static inline enum rtev_next model_next(const struct model *m)
{
	return m->next;
}

/* domain.c */
struct domain *domain_make(struct model *m, unsigned domain); /* NULL: beyond the limit, or out of memory */
void domain_free(struct domain *d);
bool domain_attend(struct model *m, unsigned domain, uint64_t ts); /* false: there is no such domain */
void domain_cut(struct domain *d); /* the next event may be earlier than the one before */
void domain_life(struct model *m, struct domain *d, uint64_t ts, rtev_lifecycle event, int64_t data);
void domain_observed(struct model *m, struct domain *d);
void domain_observed_anew(struct model *m, struct domain *d, uint64_t ts);
uint64_t domain_observed_to(const struct model *m, const struct domain *d);
void domain_save_paused(const struct model *m, struct domain *d, uint64_t to);
void domain_replaced(
    struct model *m, struct domain *d); /* another program has begun, so what ran in the slot has ended */
void domain_reset(struct model *m, struct domain *d);
void domain_attach(const struct model *m, struct domain *d);
void domain_drop_open(struct model *m, struct domain *d); /* all spans, runtime and user */

/* heap.c */
void heap_forget(struct heap *h); /* another heap begins */
void heap_gap(struct heap *h);	  /* after a loss, the rest of the parts that came together is missing */
void heap_take(struct heap *h, uint64_t ts, rtev_counter counter, int64_t value); /* any counter */
void heap_note(struct model *m, uint64_t ts);		    /* keep the present size at ts, if it is due */
void heap_join(struct heap *h, const struct heap *earlier); /* fill in what is not known now from an earlier
							     * heap */

/* losses.c */
void loss_begin(struct model *m, struct domain *d);
void loss_tell(struct model *m, const struct domain *d, enum model_gap_what what, uint64_t from, uint64_t to);
void loss_end(struct model *m, struct domain *d, uint64_t ts);

/* spans.c */
enum rtev_next span_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase);
enum rtev_next span_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase);
enum rtev_next span_begin_end(void *ctx, unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase);
void spans_drop_before(struct model *m, struct domain *d, uint64_t resume);
void spans_drop_all(struct model *m, struct domain *d);
void span_idle_ends(struct model *m, struct domain *d, uint64_t ts);

/* pauses.c */
bool pause_make_room(struct model *m, struct domain *d); /* makes room in the log; false: out of memory */
void pause_closed(struct model *m, struct domain *d, const struct model_span *span);

/* resumes.c */
void resumes_pass(struct model *m, struct domain *d, uint64_t ts);
void resumes_finish(struct model *m);
void resumes_pause(struct model *m, uint64_t ts); /* a ring_pause event */
void resumes_forget_pause(struct model *m);
void resumes_refresh(struct model *m);

/* target_pauses.c */
void target_pauses_make(struct model *m);
uint64_t target_paused_before(const struct model *m, uint64_t ts); /* total of target pauses until ts */

/* counters.c */
enum rtev_next counter_take(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value);
enum rtev_next alloc_take(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets);

/* traced.c */
bool user_take_traced(struct model *m, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len); /* false: it is a custom event */

/* counted.c */
void counted_cut(struct model *m, uint64_t ts); /* events told from ts on */

/* user_events.c */
enum rtev_next user_take_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event);
enum rtev_next user_take_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value);
enum rtev_next user_take_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin);
enum rtev_next user_take_custom(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len);
enum rtev_next user_count_custom(struct model *m, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, const void *data, size_t len); /* whatever its name */
bool user_slot_made(struct model *m, const struct rtev_user_event *event, enum model_user_kind kind);
struct user *user_find(
    const struct domain *d, size_t number); /* NULL: the domain knows nothing of the slot */
void user_settle(struct user *u);	    /* add to `pub` what it lacks */
void user_events_drop_before(struct model *m, struct domain *d, uint64_t before); /* UINT64_MAX: all */
void user_events_reset(struct model *m, struct domain *d);
void user_events_forget_ids(struct domain *d);
void user_events_free(struct domain *d);
void user_slots_free(struct model *m);
size_t user_rest_bytes(enum model_user_kind kind); /* of a struct user_rest */

/* Return the user that a link of user_events_open stands for; NULL at the ends. */
static inline struct user *user_open_at(const struct domain *d, uint16_t link)
{
	return link != 0 ? user_find(d, link - 1u) : NULL;
}

/* notes.c */
struct model_note *note_add(
    struct model *m, enum model_note_kind kind, unsigned domain, uint64_t ts, bool before_attach);

/* Account for the stamp of an event; every sink calls it first.  NULL if the domain is beyond the limit. */
static inline struct domain *model_reach(struct model *m, unsigned domain, uint64_t ts)
{
	struct domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;

	if (d == NULL || ts >= d->attention) {
		if (!domain_attend(m, domain, ts))
			return NULL;
		d = m->domains[domain];
	}
	d->pub.events++;
	d->pub.last_ts = ts;
	return d;
}

/* Account for an event other than the begin or end of a phase: it shows a running thread. */
static inline struct domain *model_touch(struct model *m, unsigned domain, uint64_t ts)
{
	struct domain *d = model_reach(m, domain, ts);

	if (d != NULL && d->pub.depth == d->idle)
		span_idle_ends(m, d, ts);
	return d;
}

/* Start the log of a pause. */
static inline void pause_opened(struct domain *d)
{
	d->waited = 0;
	if (d->inside != NULL) {
		d->log_next = d->inside->log;
		d->inside->summed = 0;
	}
}

/* Log a span that ended inside the current pause. */
static inline void pause_note_inside(struct model *m, struct domain *d, const struct model_span *span)
{
	if (d->log_next == d->log_end && !pause_make_room(m, d))
		return;
	*d->log_next++ = (struct inside_span){
	    .duration = span->end - span->begin, .self = span->self, .phase = span->phase};
}

/* Time in pauses until ts; an open pause counts up to ts. */
static inline uint64_t domain_gc_until(const struct domain *d, uint64_t ts)
{
	uint64_t gc = d->pub.gc_ns;

	if (d->pub.depth > 0 && d->stack[0].pause && !d->stack[0].stale && ts > d->stack[0].begin)
		gc += ts - d->stack[0].begin;
	return gc;
}
