/*
 * model.h - the state of a process derived from its runtime events: spans, pauses, totals.
 *
 * The callbacks of a cursor feed the model; the live view, stats and record read it, so their figures agree.
 * The model does no input or output and has no clock: it takes the time from event timestamps and from
 * model_set_now.  All times are in nanoseconds.
 *
 * Terms
 *   span          A begin event and the matching end event on one domain.  An end closes the innermost open
 *                 span of its phase.  The model drops spans still open inside a closed one, an end without a
 *                 begin, a span that ends before it begins, and all open spans of a ring that loses words, is
 *                 corrupt or restarts.
 *   resume        The target paused its events and resumed them at time R.  On every ring the model drops the
 *                 spans begun before R that had not ended by R (an end at R counts).  Only timestamps decide,
 *                 not the order in which rings are read: call model_resume_at before the poll that delivers
 *                 later events.  A resume announced too late is applied to the spans that are still open.
 *   wait          A domain_condition_wait of a thread.  Several threads of a domain may wait at once, so waits
 *                 nest neither with each other nor with spans: they are counted, but are no spans.
 *   idle          A domain is idle from the begin of a wait to the next event that shows a running thread.  Any
 *                 event does, except an outermost stw_handler and events inside it: the domain's backup thread
 *                 writes these.  That thread polls afterwards, so an outermost major or stw_leader after a
 *                 handler shows no running thread either, unless the ring has shown a second thread before.  The
 *                 idle stretch is a span of the phase domain_condition_wait.  A wait that began before the
 *                 attach, a loss or a resume is not known, and makes no domain idle.
 *   pause         A runtime span opened with no other runtime span open on its domain, unless it is idle.
 *                 Its phase, stamp and duration are those of that outermost span.
 *   self          A span's duration minus the durations of the counted spans inside it.
 *   target pause  An interval in which the process recorded nothing because it had paused its events.  It
 *                 begins at the ring_pause event if there is one, else at the last event of any ring before
 *                 the ring_resume; its length is then an upper bound.  Without a ring_resume it ends at the
 *                 ring_stop.
 *   lost time     From the last event of a domain before words were lost (later if the ring is known to have
 *                 been read up to a later time) to its next event.  Only words lost after the attach count.
 *   observed      The time for which a domain's events are available, without target pauses and lost time.  In
 *                 a file: from the first to the last timestamp of its ring, or to the end of its domain, in
 *                 several parts if timestamps go back.  Live: from its first event if that precedes the attach
 *                 or is a domain_spawn or ring_start, else from the attach, even if the domain is silent; until
 *                 now, or until the last event of a terminated domain.  The time between two domains in one slot
 *                 does not count.
 *   user slot     One (name, kind) pair of user events, numbered from 0 in order of appearance.
 *
 * All values are current, except those marked "as of the last model_set_now or model_finish".
 */
#pragma once

#include "model/hist.h"
#include "model/path_tree.h"
#include "rtev/cursor.h"

#define MODEL_DOMAINS_MAX 4096 /* events of higher slots are only counted, as ignored */
#define MODEL_DEPTH_MAX                                                                                      \
	65536 /* open spans kept of a domain, runtime and user each, as far as the budget allows; further ones
	       * are dropped */
#define MODEL_USER_SLOTS_MAX 32768   /* further (name, kind) pairs are not kept */
#define MODEL_CUSTOM_KEPT 256	     /* bytes kept of the last payload of a custom event */
#define MODEL_WORST_MAX 10	     /* longest pauses kept */
#define MODEL_INSIDE_MAX 64	     /* phases kept inside a long pause */
#define MODEL_TARGET_PAUSES_MAX 4096 /* latest pauses of the target kept */
#define MODEL_LOSSES_MAX 1024	     /* latest stretches of lost time kept of a domain */
#define MODEL_NOTES_MAX 1024	     /* latest lines of the log kept */
#define MODEL_OBSERVERS_MAX 12

struct model;
struct model_counts;

struct model_options {
	uint64_t attach_ts; /* CLOCK_MONOTONIC at the attach to a live target; 0: a file that is complete */
	size_t max_bytes;   /* limit of the budget; 0: BUDGET_MODEL */
};

/* Figures of one phase, on a domain or inside one pause. */
struct model_phase {
	uint64_t count; /* spans ended */
	uint64_t total; /* sum of their durations, nested ones in full */
	uint64_t self;
	uint64_t outside; /* the part of `self` outside of pauses: in a domain_condition_wait */
	uint64_t max;
	uint32_t open; /* spans open now */
	rtev_phase phase;
};

struct model_counter {
	uint64_t count;
	int64_t sum; /* modulo 2^64; meaningless for a gauge */
	int64_t last, min, max;
	uint64_t last_ts;
	rtev_counter counter;
};

/* A runtime span that has begun. */
struct model_open_span {
	uint64_t begin;
	uint64_t inside; /* duration of the counted spans inside it so far */
	rtev_phase phase;
	uint16_t path; /* number in model_paths */
	bool pause;
	bool stale; /* begun before model_reset: closed but not counted */
};

/* A runtime span that has ended. */
struct model_span {
	uint64_t begin;
	uint64_t end;
	uint64_t self;
	uint64_t waited; /* `self` if the phase counts as waiting (waiting.h), else 0 */
	unsigned depth;	 /* 0: outermost */
	rtev_phase phase;
	uint16_t path; /* number in model_paths */
	bool pause;
	bool stale; /* begun before model_reset: in no total */
	bool shown; /* the span is an idle stretch that ended by an event other than the end of a wait */
	bool whole; /* it is inside another one, and its end was the domain's next event after its begin */
};

enum model_domain_state {
	MODEL_DOMAIN_RUNNING,	 /* has recorded events */
	MODEL_DOMAIN_TERMINATED, /* domain_terminate or ring_stop was its last lifecycle event */
};

/*
 * The gauges of a domain's major heap: its size, and its parts.
 *
 * OCaml 5.3 and later send the size by itself.  All releases since 5.1 send the parts at the end of a cycle,
 * one after the other.  They are valid together only, so none is used before the last of them has come.
 */
enum heap_gauge { HEAP_SIZE, HEAP_POOL, HEAP_LIVE, HEAP_FRAGMENTS, HEAP_LARGE, HEAP_GAUGES };

/* Values in words; NAN until one has come. */
struct heap {
	double
	    values[HEAP_GAUGES]; /* the parts are those of one cycle's end; they make up the size if it is not
				  * sent */
	double parts[HEAP_GAUGES]; /* parts that have come of a cycle's end, until all have */
	unsigned come;		   /* which parts have come, a bit each */
	uint64_t parts_ts;	   /* stamp of the parts in `values`; 0: none have come */
	uint64_t size_ts;	   /* stamp of the size; 0: that of the parts */
	uint64_t looked_ts;	   /* when a look at memory last told the size (model_look); 0: never */
	bool size_sent;		   /* the size is sent by itself */
	bool size_set;		   /* the latest counter set the size */
};

/* What was counted of a domain. */
struct model_counts {
	uint64_t minors, majors;     /* minor collections and major cycles, in which all domains take part */
	int64_t allocated, promoted; /* bytes, in and from the minor heap */
	int64_t major_words;	     /* allocated in the major heap, promoted ones included */
};

struct model_domain {
	unsigned domain;
	enum model_domain_state state;
	bool seen;    /* first_ts and last_ts are valid: false while only losses are known */
	bool stopped; /* a ring_stop was seen */
	uint64_t events;
	uint64_t first_ts;   /* stamp of the first event in ring order, since stamps last went back */
	uint64_t last_ts;    /* stamp of the latest event in ring order */
	uint64_t latest_ts;  /* the latest before stamps went back for the last time, 0 if they never did */
	uint64_t known_from; /* begin of what is observed of the slot's first domain */
	bool born;	     /* known_from is its birth, so nothing was missed before */
	uint32_t spawns;     /* number of domain_spawn events; more than one, or one after other events, shows
			  * that the slot was reused */
	uint32_t terminations;
	uint32_t restarts; /* how often the ring was made anew in its file */
	int64_t pid;	   /* from ring_start, domain_spawn; 0: not known */

	uint64_t lost_words;	     /* overwritten after the attach */
	uint64_t history_lost_words; /* overwritten before the attach */
	uint64_t lost_most;	     /* most words lost at once */
	uint64_t corrupt_words;
	uint64_t falls;	      /* how often stamps went back: corrupt stretches without words */
	uint64_t gaps;	      /* losses after the attach, corrupt stretches and restarts */
	uint64_t last_gap_ts; /* stamp of the last event before the latest gap */

	uint64_t dropped; /* spans, runtime and user */
	uint64_t open;	  /* spans, runtime and user */
	uint64_t gc_ns;	  /* sum of the durations of its pauses */
	uint64_t wait_ns; /* the part of gc_ns spent waiting (waiting.h); read it by model_waited */
	bool alone;	  /* the target has had no other domain, for which this one would have waited */
	struct hist pauses;
	uint64_t gc_open_ns;  /* so far in its open pause; as of the last model_set_now or model_finish */
	uint64_t observed_ns; /* as of the last model_set_now or model_finish */
	uint64_t target_paused_ns; /* left out of observed_ns */

	/* The open spans, outermost first. */
	const struct model_open_span *stack;
	unsigned depth;

	/* The begins of the open waits, earliest first. */
	const uint64_t *waits;
	size_t wait_count;

	/* The known phases by their number, whether seen or not (count and open are 0 then), then the opaque
	 * ones in order of appearance.  Counters are ordered by number, too. */
	const struct model_phase *phases;
	size_t phase_count;
	const struct model_counter *counters;
	size_t counter_count;

	uint64_t alloc[RTEV_ALLOC_BUCKETS];
	uint64_t alloc_events;	       /* 0: the runtime is not the instrumented one */
	struct heap heap;	       /* heap of the slot's latest domain; a reset keeps it */
	bool looked_at;		       /* memory told of the domain before its first event did */
	struct model_counts counted;   /* counted by memory while no events told; adds to what events count */
	double minor_heap, minor_used; /* in words, as memory last told; NAN: not told */
	unsigned users;		       /* number of user slots with data */
};

enum model_user_kind {
	MODEL_USER_UNIT,
	MODEL_USER_INT,
	MODEL_USER_SPAN,
	MODEL_USER_CUSTOM,
	MODEL_USER_KINDS
};

struct model_user_slot {
	const char *name; /* untrusted bytes */
	uint16_t name_len;
	enum model_user_kind kind;
};

/* Figures of a user slot, on one domain or over all. */
struct model_user {
	uint64_t count;	  /* events; for spans: spans ended */
	uint64_t last_ts; /* stamp of the latest event */
	/* int */
	int64_t last, min, max;
	/* span */
	uint64_t open;
	uint64_t gc_ns;	   /* time that the domain's pauses took out of these spans */
	struct hist spans; /* durations; its sum is the total */
	/* custom: the begin of the latest payload */
	const uint8_t *data; /* its first `kept` bytes */
	size_t kept;
	size_t len;
};

struct model_worst {
	uint64_t ts; /* begin of the pause */
	uint64_t duration;
	uint64_t self; /* the part of it in no span inside */
	unsigned domain;
	rtev_phase phase;
	uint32_t user; /* slot of the user span around it, see model_user_around */
	size_t inside_count;
	struct model_phase inside[MODEL_INSIDE_MAX]; /* the spans inside it, without the pause itself */
};

enum model_rule {
	MODEL_RULE_EVENT, /* from a ring_pause event */
	MODEL_RULE_GAP	  /* from the last event of any ring before the resume: an upper bound */
};

struct model_target_pause {
	uint64_t from;
	uint64_t to; /* UINT64_MAX: not yet resumed */
	enum model_rule rule;
};

enum model_note_kind {
	MODEL_NOTE_LIFECYCLE,
	MODEL_NOTE_LOST,
	MODEL_NOTE_CORRUPT,
	MODEL_NOTE_RESTART,
	MODEL_NOTE_ENDED /* the process ended without a ring_stop */
};

#define MODEL_NO_PHASE (-1)

/* A line of the log of lifecycle events and gaps. */
struct model_note {
	enum model_note_kind kind;
	unsigned domain;
	uint64_t ts; /* stamp; for a gap, of the last event before it, 0 if there was none */
	rtev_lifecycle event;
	int64_t data; /* value of a lifecycle event; for an end, the innermost open phase or MODEL_NO_PHASE */
	uint64_t words; /* lost or corrupt words (0: stamps went back); of the lost ones, `history` before the
			 * attach */
	uint64_t history;
};

struct model_totals {
	uint64_t events;
	uint64_t lost_words;
	uint64_t history_lost_words;
	uint64_t corrupt_words;
	uint64_t falls; /* stamps that went back, over all domains */
	/* how often the rings were made anew, because the process executed another program */
	uint64_t restarts;
	uint64_t restart_ts; /* when the first ring of the latest of these programs began; 0: not known */
	uint64_t dropped;
	uint64_t open;
	uint64_t ignored;  /* events beyond the limits above or the budget (state.h) */
	bool seen;	   /* first_ts and last_ts are valid */
	uint64_t first_ts; /* of all rings */
	uint64_t last_ts;  /* never before first_ts */
	uint64_t since_ts; /* the begin of the totals: attach or reset; 0 for a file */
	bool was_reset;	   /* since_ts is that of a reset */
	uint64_t now;	   /* as given to model_set_now */
	uint64_t gc_ns;	   /* over all domains */
	uint64_t wait_ns;  /* over all domains */
	uint64_t alloc[RTEV_ALLOC_BUCKETS];
	uint64_t alloc_events;
	unsigned domains; /* only slots below this may have been seen */
	unsigned running; /* domains that are not terminated */
	int64_t pid;	  /* from the latest ring_start; 0: not known */
	bool stopped;	  /* of ring_start and ring_stop, the latest was ring_stop */
	bool over;	  /* `stopped`, or the process has ended, or this is a file */
};

/* What a user event was for the model. */
enum model_user_what {
	MODEL_USER_CAME,   /* a unit, an int (its value), or a custom event (value: the payload's length) */
	MODEL_USER_OPENED, /* a span began */
	MODEL_USER_CLOSED, /* a span ended, which began at `begin` */
	MODEL_USER_CLOSED_STALE, /* one that began before model_reset: it is in no total */
	MODEL_USER_DROPPED,	 /* an open span was dropped, which began at `begin`; `ts` is not set */
	MODEL_USER_STRAY_BEGIN,	 /* a begin or an end that neither opened nor closed a span */
	MODEL_USER_STRAY_END,
	MODEL_USER_PAST /* see model_past_callbacks.  The model keeps nothing of it, so that it has no `slot`:
			 * what that would be is `past`.  A span's `value` is 1 for its end. */
};

struct model_user_event {
	enum model_user_what what;
	unsigned slot;
	uint64_t begin, ts;
	int64_t value;
	const struct model_user_slot *past;
	const void *data; /* payload of a custom event of the past, of `len` bytes */
	size_t len;
};

/* What an observer is told of missing events. */
enum model_gap_what {
	MODEL_GAP_FOUND, /* words were lost or are corrupt, or the ring restarted, after the event at `from` (0: none) */
	MODEL_GAP_BEGAN, /* the loss that was found last began at `from`, later than the last event */
	MODEL_GAP_OVER	 /* the time [from, to) was lost; told before the event at `to` is handled */
};

struct model_gap {
	enum model_gap_what what;
	enum model_note_kind kind;
	uint64_t from, to;
	uint64_t words, history; /* of a gap that was found; `history` of them maybe before the attach */
};

/* What an observer is told of begins and ends that are no span's. */
enum model_stray {
	MODEL_STRAY_BEGIN, /* it opened no span: it was dropped, or belongs to a wait */
	MODEL_STRAY_END,   /* it closed none */
	MODEL_WAITED	   /* a wait ended; which of the open ones is not known, so the latest is assumed */
};

/* What an observer is told of all rings at once. */
enum model_turn {
	MODEL_RESUMED, /* a resume at `ts` became known; each ring reports the spans that it drops when it reaches it */
	MODEL_RESET,	 /* the totals begin anew at `ts` */
	MODEL_REATTACHED /* another cursor follows; open spans have been dropped */
};

/* What memory told of a domain: what it counted in [from, to) (model_count), or its size at `to` (model_look). */
struct model_memory {
	uint64_t from, to;
	const struct model_counts *grown; /* NULL: only the size was told */
	double size;			  /* of its heap, in words */
};

/*
 * An observer of the model's span matching.  NULL members are skipped.  The model calls it while it handles
 * an event, after it has updated itself; an observer must not change the model.  `depth` is 0 for the
 * outermost span.  Spans dropped together are reported innermost first.
 */
struct model_observer {
	void *ctx;
	void (*opened)(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth);
	/* of a span that is `whole`, opened was not told */
	void (*closed)(void *ctx, unsigned domain, const struct model_span *span);
	/* an open span was dropped; spans that remain above `depth` move down by one */
	void (*dropped)(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth);
	void (*counter)(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value);
	void (*memory)(void *ctx, unsigned domain, const struct model_memory *told);
	void (*alloc)(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets);
	void (*lifecycle)(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data);
	void (*user)(void *ctx, unsigned domain, const struct model_user_event *event);
	void (*gap)(void *ctx, unsigned domain, const struct model_gap *gap);
	/* `begin`: of a wait */
	void (*stray)(
	    void *ctx, unsigned domain, enum model_stray what, rtev_phase phase, uint64_t begin, uint64_t ts);
	void (*turned)(void *ctx, enum model_turn turn, uint64_t ts);
};

/* NULL when memory ran out.  `options` NULL: a file. */
struct model *model_create(const struct model_options *options);
void model_destroy(struct model *m);

/* A copy for reading, without observers.  NULL when memory ran out. */
struct model *model_copy(const struct model *from);

/* RTEV_OK, or RTEV_E_NOMEM after memory ran out: totals are then incomplete and the callbacks stop the poll. */
int model_status(const struct model *m);

/* Fill in the callbacks that feed a model; the poll's context is the struct model. */
void model_callbacks(struct rtev_callbacks *out);

/* Fill in the callbacks for what the rings of a live target hold from before the attach.  From these events
 * the model learns which domains there are, their heaps, and whether the target has paused.  User events
 * other than spans, and gaps, are told to the observers added so far.  model_attach, to be called before
 * other observers are added, forgets the rest: events from `ts` on count. */
void model_past_callbacks(struct rtev_callbacks *out);
void model_attach(struct model *m, uint64_t ts);

/* Take over a domain of a recorded live target, as model_attach had left it: it ran then, and had this heap.
 * For a replay.  No effect on a domain that has had an event since, or on the model of a file. */
void model_attached(struct model *m, unsigned domain, const struct heap *heap);

/* Announce a ring_resume at ts on any ring.  It may be announced twice, and delivered later. */
void model_resume_at(struct model *m, uint64_t ts);

/* Set the current time and update the values that depend on it.  Time never goes back. */
void model_set_now(struct model *m, uint64_t ts);

/* Note that all events before ts have been delivered, so words lost from now on were written later.  Stamps
 * may lag behind the clock by as much as an event takes to reach its ring. */
void model_read_to(struct model *m, uint64_t ts);

/* Note that the next event of this domain ends a loss that began at ts.  For a replay. */
void model_lost_from(struct model *m, unsigned domain, uint64_t ts);

/* Compute how much of [from, to) was lost of a domain, without target pauses.  False if that is no longer
 * known. */
bool model_lost_time(const struct model *m, unsigned domain, uint64_t from, uint64_t to, uint64_t *lost);

/* Set whether the process reports that its events are paused.  Without a ring_pause event the pause then
 * lasts from the latest event to the next resume.  Takes effect at the next model_set_now or model_finish. */
void model_set_silent(struct model *m, bool silent);

/*
 * Call when a poll of a live target ended because the rings were empty.  The model applies the resumes known
 * at the previous call to rings that have been silent since; otherwise their spans would stay open until
 * their next event.  It also frees resumes that no ring needs any more, so memory stays bounded if the target
 * pauses again and again.
 */
void model_drained(struct model *m);

/*
 * Record, after model_finish, that the process ended at ts.  Without a ring_stop it was killed, crashed or
 * called _exit: the model then adds a note to each domain that was in a phase or, if none was, to the domain
 * with the latest event.
 */
void model_ended(struct model *m, uint64_t ts);

/*
 * Note that the target has no ring and records no events from ts on.  This is a target pause, which the next
 * event ends.
 */
void model_off(struct model *m, uint64_t ts);

/*
 * While the target records no events, its memory may tell what a domain counts: `grown` in [from, to).  A
 * domain that is not known, or had ended, begins with the first call.  model_count_span must be called before
 * those for the domains, and says that memory told of [from, to).
 */
bool model_silent(const struct model *m); /* it is known that the target records no events */
void model_count_span(struct model *m, uint64_t from, uint64_t to);
void model_count(
    struct model *m, unsigned domain, uint64_t from, uint64_t to, const struct model_counts *grown);

/*
 * A look at the target's memory, whether it records events or not: the whole heap at `ts`, including what
 * ended domains left, and for each running domain the sizes of its heap and minor heap.  All are in words.
 * Domains that do not run in the model are left out.
 */
#define MODEL_LOOK_DOMAINS 128
struct model_look {
	double heap[HEAP_GAUGES]; /* NAN: not known */
	struct model_look_domain {
		unsigned domain;
		uint64_t size, minor_heap, minor_used;
	} domains[MODEL_LOOK_DOMAINS];
	unsigned count;
};
void model_look(struct model *m, uint64_t ts, const struct model_look *look);

/* Note that a domain that memory told of had ended by ts. */
void model_count_end(struct model *m, unsigned domain, uint64_t ts);

/* Return how much of the target pauses in [from, to) memory told of. */
uint64_t model_counted_time(const struct model *m, uint64_t from, uint64_t to);

/* Note that no more events will come: apply the pending resumes and update all values. */
void model_finish(struct model *m);

/* Reset all totals at the latest known time.  Open spans stay open so that their ends match, but spans begun
 * before the reset are neither counted nor counted as dropped. */
void model_reset(struct model *m);

/* Note that another cursor feeds the model from now on: forget the ids of user events and drop open spans. */
void model_reattach(struct model *m);

/* Add an observer; its struct is copied.  False when there are MODEL_OBSERVERS_MAX already. */
bool model_observe(struct model *m, const struct model_observer *observer);

/* Remove the observers with this ctx.  An observer must not call it. */
void model_unobserve(struct model *m, const void *ctx);

/* The totals of all domains. */
struct model_totals model_totals(const struct model *m);

/* Parts of model_totals that need no walk over the domains: the upper bound of seen slots, and whether
 * ring_stop was the latest lifecycle event. */
unsigned model_domains(const struct model *m);

/* Return a time that a domain spent in phases of waiting.h, as far as it waited for other domains: a barrier of the
 * only domain is a part of its collection. */
static inline uint64_t model_waited(const struct model_domain *d, uint64_t ns)
{
	return d != NULL && d->alone ? 0 : ns;
}
bool model_stopped(const struct model *m);

/* A domain with events or losses, else NULL.  Valid until the model changes. */
const struct model_domain *model_domain(const struct model *m, unsigned domain);

/* The paths of all spans so far, of all domains. */
const struct path_tree *model_paths(const struct model *m);

/* Return the known domain after `d`, NULL after the last one; for NULL, the first one. */
const struct model_domain *model_domain_next(const struct model *m, const struct model_domain *d);

#define MODEL_FOREACH(d, m)                                                                                  \
	for (const struct model_domain *d = model_domain_next(m, NULL); d != NULL;                           \
	     d = model_domain_next(m, d))

/* Return the pause that a domain is in; NULL: none.  A domain that has ended is in none: OCaml begins a
 * stw_leader after ring_stop and never ends it. */
const struct model_open_span *model_open_pause(const struct model_domain *d);

/* Return whether a domain is in a pause: no event comes while one of seconds lasts. */
bool model_in_pause(const struct model *m);

/* One phase over all domains. */
void model_phase_total(const struct model *m, rtev_phase phase, struct model_phase *out);

/* One counter over all domains: counts and sums added up, and the latest value as `last`; among equal stamps
 * that of the highest domain. */
void model_counter_total(const struct model *m, rtev_counter counter, struct model_counter *out);

/*
 * A level of the heap in words, with its source and its time.  Memory is the source if it was looked at and
 * events told nothing later.  The sizes of the domains' heaps, which both sources tell, are added up, unless
 * ended domains left something, which only memory tells.  The parts all have one source.  NAN: not known.
 */
struct model_level {
	double words;
	uint64_t ts;
	bool looked; /* memory told it, not events */
};
struct model_level model_level(const struct model *m, enum heap_gauge gauge);

/* An older level is shown with its age. */
#define MODEL_LEVEL_OLD_NS UINT64_C(5000000000)

/* Return past sizes of a live target's heap, earliest first: at most one a second, the latest
 * MODEL_SIZES_KEPT. */
#define MODEL_SIZES_KEPT 64
const struct model_level *model_sizes(const struct model *m, size_t *count);

/* Return the latest value of a heap gauge in words as events told it, summed over the domains that still have
 * their heap.  After all have ended, the gauge of the domain that ended last.  NAN: none is known. */
double model_heap(const struct model *m, enum heap_gauge gauge);

/* Whether a domain still has its heap: a ring_stop does not mean that the domain has ended. */
bool model_heap_stands(const struct model *m, const struct model_domain *d);

/* The durations of all pauses. */
const struct hist *model_pauses(const struct model *m);

/* The longest pauses, longest first (of equals the earlier first), at most MODEL_WORST_MAX. */
const struct model_worst *model_worst(const struct model *m, size_t *count);

/* Write the phases of a pause, its own and those inside, the one with most self time first; returns how many.
 * The other figures of its own phase are those of the spans inside. */
size_t model_pause_parts(rtev_phase phase, uint64_t self, const struct model_phase *inside, size_t count,
    struct model_phase parts[MODEL_INSIDE_MAX + 1]);

/* Phases inside a domain's latest pause, without the pause itself, in the order of phases.  Only valid in an
 * observer's `closed` call for that pause. */
const struct model_phase *model_inside(struct model *m, unsigned domain, size_t *count);

/* User slots are 0 to model_user_slots - 1. */
size_t model_user_slots(const struct model *m);

/* Create the slot of a name and a kind before its first event, so that slots get the order of these calls.
 * Ignored if there are too many. */
void model_user_expect(struct model *m, enum model_user_kind kind, const struct rtev_user_event *event);
const struct model_user_slot *model_user_slot(const struct model *m, size_t slot);

/* The first slot >= `slot` with data on a domain; model_user_slots if there is none. */
size_t model_user_next(const struct model *m, unsigned domain, size_t slot);

/* Return a slot's data on one domain; NULL: none. */
const struct model_user *model_user(const struct model *m, unsigned domain, size_t slot);

/* The members of a slot's data that tell how much was written, for readers of thousands of slots.  False: no
 * data. */
struct model_user_volume {
	uint64_t count;
	uint64_t open;
	size_t len;
};
bool model_user_volume(const struct model *m, unsigned domain, size_t slot, struct model_user_volume *out);

/* A user span that has begun. */
struct model_open_user {
	uint64_t begin;
	unsigned slot;
};

/* Fill in at most `size` of the user spans open on a domain, in the order of their begins; returns how many. */
size_t model_users_open(const struct model *m, unsigned domain, struct model_open_user *out, size_t size);

/* Return the payload of a custom event, all of it.  Valid only in an observer's call for that event, else NULL. */
const void *model_user_payload(const struct model *m, size_t *len);

/* Return the time that pauses of the same domain took out of a user span, as added to model_user.gc_ns.
 * Valid only in an observer's call for the end of that span. */
uint64_t model_user_gc(const struct model *m);

/* Return the slot of the open user span of a domain that began last at or before a stamp; MODEL_NO_USER if
 * there is none. */
#define MODEL_NO_USER UINT32_MAX
uint32_t model_user_around(const struct model *m, unsigned domain, uint64_t ts);

/* Sum a slot over all domains.  The caller frees out->spans with hist_fini.  False when memory ran out. */
bool model_user_total(const struct model *m, size_t slot, struct model_user *out);

/* Return the pauses of the target, earliest first, at most the latest MODEL_TARGET_PAUSES_MAX, as of the last
 * model_set_now or model_finish.  The last one is open (to is UINT64_MAX) after a ring_pause without a
 * resume, or when model_set_silent says so. */
const struct model_target_pause *model_target_pauses(const struct model *m, size_t *count);

/* The log in order of timestamps, oldest first: index 0 to model_notes - 1.  A note without a timestamp keeps
 * its place of arrival. */
size_t model_notes(const struct model *m);
const struct model_note *model_note(const struct model *m, size_t index);
