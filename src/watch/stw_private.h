/* stw_private.h - shared by stw.c, which queues spans, and stw_stops.c, which assembles stops from them. */
#pragma once

#include "core/event.h"
#include "watch/stw.h"

#define STW_PARTS_MAX 262144u /* in all queues */
#define STW_BLIND 8
#define STW_USERS_LAST 4

/* A span that is still open this long after the next leader's begin has lost its end. */
#define STW_STUCK_AFTER 10000000000u

/* A span with its begin, and its end unless it is still open.  `id`: a phase, STW_NO_PHASE for none; or a
 * user slot, MODEL_NO_USER for none. */
struct stw_span {
	uint64_t begin, end;
	uint32_t id;
};

/* A span stw_leader or stw_handler, and the spans inside it. */
struct part {
	uint64_t begin;
	uint64_t arrive;  /* begin of its barrier, 0: none */
	uint64_t release; /* end of its barrier, 0: none */
	uint64_t end;	  /* 0: dropped */
	enum stw_work work;
	rtev_phase phase;
	bool leader;
};

/* What a domain was in when its handler began, or had just left. */
struct around {
	struct stw_span phase_around; /* innermost open phase that does not belong to a stop */
	struct stw_span phase_before; /* outermost phase that ended last */
	struct stw_span user_around;  /* innermost open user span */
	struct stw_span user_before;  /* of those that ended last, the one that may have delayed it */
};

/* Spans in order of time, in a circular buffer of `size` (a power of two). */
struct queue {
	struct part *parts;
	struct around *around; /* `size` of them; NULL for leaders, which need none */
	unsigned first;
	unsigned count;
	unsigned size;
};

/* Events may be missing in [from, to]. */
struct blind {
	uint64_t from;
	uint64_t to;
};

struct stw_slot {
	/* during assembly: begins of the first two stops that it leads; UINT64_MAX: none */
	uint64_t lead_first, lead_second;
	struct stw_domain pub;
	bool took_part;
	struct queue leads;
	struct queue joins;
	uint64_t latest; /* latest begin of a span; later begins are not below it */
	bool open;	 /* `now` is a span that has not ended */
	bool has_users;	 /* users_last is not empty */
	bool abandoned;
	unsigned depth;
	unsigned deep; /* only STW_TELLING matter below this depth; UINT_MAX: a blind period */
	struct part now;
	struct around around;			    /* surroundings of `now`, unless that is a leader's */
	struct stw_span phase_last;		    /* the outermost phase that ended last */
	struct stw_span users_last[STW_USERS_LAST]; /* user spans that ended last, a circular buffer */
	unsigned user_last;			    /* index of the next one to be replaced */
	struct blind blinds[STW_BLIND];		    /* the latest ones, ascending */
	unsigned blind_count;
	bool blind_open;
	uint64_t blind_from;
};

/* A domain's part in the stop that is being assembled. */
struct taking {
	struct stw_slot *slot;
	const struct part *part;
	const struct around *around; /* not set for the leader */
	unsigned domain;
	bool open;
};

struct stw {
	struct stw_slot *domains[MODEL_DOMAINS_MAX];
	unsigned domain_limit; /* domains from here up are NULL */
	size_t parts;	       /* in all queues */
	size_t handlers;       /* parts in the queues `joins`, and open ones */
	bool has_blinds;       /* a domain has or had a blind period */
	size_t room;	       /* for parts in all queues beyond the initial size */
	struct stw_totals totals;
	struct stw_stop recent[STW_RECENT];
	uint64_t recent_count; /* since the reset */
	struct stw_arrival arrivals[STW_ARRIVALS];
	uint64_t arrival_count;		      /* in all; a stop's arrivals are adjacent */
	struct stw_stop longest[STW_LONGEST]; /* longest first */
	unsigned longest_count;
	bool forgets;			    /* the longest stops are not kept */
	unsigned longest_rows[STW_LONGEST]; /* row of longest_arrivals for each of them */
	struct stw_arrival longest_arrivals[STW_LONGEST][STW_LONGEST_ARRIVALS];
	const struct model *model; /* NULL: no model */
	struct taking taking[MODEL_DOMAINS_MAX];
};

/* Return the i-th part of a queue. */
static inline struct part *queue_at(const struct queue *q, unsigned i)
{
	return &q->parts[(q->first + i) & (q->size - 1)];
}

/* Remove the first leader or handler of a domain. */
static inline void queue_pop(struct stw *s, struct queue *q)
{
	q->first = (q->first + 1) & (q->size - 1);
	q->count--;
	s->parts--;
}

static inline void joins_pop(struct stw *s, struct stw_slot *d)
{
	queue_pop(s, &d->joins);
	s->handlers--;
}

/* Return a domain, created on demand; NULL if it is beyond the limit or memory ran out. */
struct stw_slot *stw_slot_get(struct stw *s, unsigned domain);

/* Process a span that begins or ends and may concern a stop.  For a span that ended, stw_take_closed has
 * stored what handlers need. */
void stw_open(
    struct stw *s, struct stw_slot *d, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth);
void stw_close(struct stw *s, struct stw_slot *d, const struct model_span *span);

/* ---- the events, inline for the watch ---- */

/* Phases that may begin a stop, or contribute to one however deep they are nested, as bits. */
#define STW_TELLING                                                                                          \
	(UINT64_C(1) << RTEV_PHASE_STW_LEADER | UINT64_C(1) << RTEV_PHASE_STW_HANDLER |                      \
	    UINT64_C(1) << RTEV_PHASE_STW_API_BARRIER | UINT64_C(1) << RTEV_PHASE_COMPACT |                  \
	    UINT64_C(1) << RTEV_PHASE_COMPACT_EVACUATE | UINT64_C(1) << RTEV_PHASE_COMPACT_FORWARD |         \
	    UINT64_C(1) << RTEV_PHASE_COMPACT_RELEASE)

/* Return whether a phase is in STW_TELLING. */
static inline bool stw_tells(rtev_phase phase)
{
	_Static_assert(RTEV_PHASE_COUNT <= 64, "a bit for each phase");
	return phase < 64 && (STW_TELLING >> phase & 1) != 0;
}

/* Update the depth from which on spans do not concern a stop. */
static inline void slot_note_deep(struct stw_slot *d)
{
	d->deep = d->blind_open ? UINT_MAX : d->open ? d->depth + 2 : 0;
}

/* Begin a span of a stop, at the latest stamp or later. */
static inline void slot_begin(struct stw_slot *d, bool leader, uint64_t ts, unsigned depth)
{
	d->latest = ts;
	d->open = true;
	d->abandoned = false;
	d->depth = depth;
	d->deep = depth + 2;
	d->now.begin = ts;
	d->now.arrive = d->now.release = 0;
	d->now.work = STW_NOTHING;
	d->now.phase = RTEV_PHASE_STW_LEADER;
	d->now.leader = leader;
}

/* The barrier of the open span begins. */
static inline void slot_arrive(struct stw_slot *d, uint64_t ts)
{
	if (d->now.arrive == 0)
		d->now.arrive = ts > d->now.begin ? ts : d->now.begin;
}

/* The barrier of the open span ends. */
static inline void slot_release(struct stw_slot *d, uint64_t ts)
{
	if (d->now.release == 0)
		d->now.release = ts;
}

/* Append the open span, which ended at `ts`, to a queue that has room. */
static inline void queue_append(struct stw *s, struct stw_slot *d, struct queue *q, uint64_t ts)
{
	struct part *part = &q->parts[(q->first + q->count) & (q->size - 1)];

	*part = d->now;
	part->end = ts;
	q->count++;
	s->parts++;
}

/* A span begins. */
static inline void stw_take_opened(
    struct stw *s, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct stw_slot *d = s->domains[domain];

	if (d == NULL && (d = stw_slot_get(s, domain)) == NULL)
		return;
	if (depth >= d->deep && !stw_tells(phase))
		return;
	if (phase == RTEV_PHASE_STW_LEADER && d->deep == 0 && ts >= d->latest)
		slot_begin(d, true, ts, depth);
	else if (phase == RTEV_PHASE_MINOR && depth + 1 == d->deep) {
		if (d->now.work < STW_MINOR) {
			d->now.work = STW_MINOR;
			d->now.phase = phase;
		}
	} else
		stw_open(s, d, domain, phase, ts, depth);
}

/* Return whether a span inside others that ends does not concern a stop, unless it is a barrier. */
static inline bool stw_skips(const struct stw *s, unsigned domain, unsigned depth)
{
	const struct stw_slot *d = s->domains[domain];

	return d != NULL && depth > 0 && depth >= d->deep;
}

/* A span ends. */
static inline void stw_take_closed(struct stw *s, unsigned domain, const struct model_span *span)
{
	const bool barrier = span->phase == RTEV_PHASE_STW_API_BARRIER;

	if (span->whole && stw_tells(span->phase))
		stw_take_opened(s, domain, span->phase, span->begin, span->depth);
	struct stw_slot *d = s->domains[domain];

	if (d == NULL || (stw_skips(s, domain, span->depth) && !barrier))
		return;
	/* The open stop that a domain without blind periods leads, if there is room: most are. */
	if (span->phase == RTEV_PHASE_STW_LEADER && d->deep == span->depth + 2 && d->now.leader &&
	    !d->abandoned && d->leads.count < d->leads.size && s->parts < STW_PARTS_MAX) {
		d->open = false;
		d->deep = 0;
		queue_append(s, d, &d->leads, span->end > d->now.begin ? span->end : d->now.begin);
		return;
	}
	if (span->depth == 0 && phase_class(span->phase) != RTEV_CLASS_STW)
		d->phase_last = (struct stw_span){span->begin, span->end, span->phase};
	/* The purpose that the begin of a span has told is known. */
	const bool known = span->depth == d->depth + 1 && span->phase == d->now.phase;
	if (d->open && (span->depth <= d->depth + 1 || barrier) && !known)
		stw_close(s, d, span);
}
