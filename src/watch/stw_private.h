/*
 * stw_private.h - shared by stw.c, which assembles stops, and stw_report.c, which counts and reads them.
 */
#ifndef WATCH_STW_PRIVATE_H
#define WATCH_STW_PRIVATE_H

#include "watch/stw.h"

#define STW_BLIND 8
#define STW_USERS_LAST 4

/* A span with its begin, and its end unless it is still open.  `id`: a phase, STW_NO_PHASE for none; or a
 * user slot, MODEL_NO_USER for none. */
struct stw_span {
	uint64_t begin, end;
	uint32_t id;
};

/* A span stw_leader or stw_handler, with what is inside it. */
struct part {
	uint64_t begin;
	uint64_t arrive;  /* begin of its barrier, 0: none */
	uint64_t release; /* end of its barrier, 0: none */
	uint64_t end;	  /* 0: dropped */
	enum stw_work work;
	rtev_phase phase;
	bool leader;
	/* What the domain was in as it began, or had just left. */
	struct stw_span phase_around; /* innermost open phase that is none of a stop */
	struct stw_span phase_before; /* outermost phase that ended last */
	struct stw_span user_around;  /* innermost open user span */
	struct stw_span user_before;  /* of those that ended last, the one that may have kept it */
};

/* Spans in order of time; a ring of `size` (a power of two). */
struct queue {
	struct part *parts;
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
	uint64_t lead_first,
	    lead_second; /* while stops are put together: when the first two begin that it leads */
	struct stw_domain pub;
	bool took_part;
	struct queue leads;
	struct queue joins;
	uint64_t latest; /* latest begin of a span; later begins are not below it */
	bool open;	 /* `now` is a span that has not ended */
	bool has_users;	 /* users_last has some */
	bool abandoned;
	unsigned depth;
	struct part now;
	struct stw_span phase_last;		    /* the outermost phase that ended last */
	struct stw_span users_last[STW_USERS_LAST]; /* user spans that ended last, a ring */
	unsigned user_last;			    /* which of them is the next to be replaced */
	struct blind blinds[STW_BLIND];		    /* the latest, ascending */
	unsigned blind_count;
	bool blind_open;
	uint64_t blind_from;
};

/* A domain's part in the stop that is being put together. */
struct taking {
	unsigned domain;
	const struct part *part;
	bool open;
};

struct stw {
	struct stw_slot *domains[MODEL_DOMAINS_MAX];
	unsigned domain_limit; /* domains from here up are NULL */
	size_t parts;	       /* in all queues */
	size_t handlers;       /* of these in the queues `joins`, and open ones */
	bool has_blinds;       /* a domain has or had a stretch without its events */
	size_t room;	       /* for parts, in all queues of more than the first size */
	struct stw_totals totals;
	struct stw_stop recent[STW_RECENT];
	uint64_t recent_count; /* ever, since the reset */
	struct stw_arrival arrivals[STW_ARRIVALS];
	uint64_t arrival_count;		      /* ever; a stop's arrivals stand together */
	struct stw_stop longest[STW_LONGEST]; /* longest first */
	unsigned longest_count;
	bool forgets;			    /* the longest are not kept */
	unsigned longest_rows[STW_LONGEST]; /* which row of longest_arrivals belongs to each of them */
	struct stw_arrival longest_arrivals[STW_LONGEST][STW_LONGEST_ARRIVALS];
	const struct model *model; /* NULL: none to look into */
	struct taking taking[MODEL_DOMAINS_MAX];
};

/* Count a stop whose parts are taking[0 .. count - 1], the leader's first. */
void stw_count(struct stw *s, enum stw_kind kind, unsigned count);

/* Return a domain, created on demand; NULL if it is beyond the limit or memory ran out. */
struct stw_slot *stw_slot_get(struct stw *s, unsigned domain);

/* Take in a span that begins or ends and may have to do with a stop. */
void stw_open(
    struct stw *s, struct stw_slot *d, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth);
void stw_close(struct stw *s, struct stw_slot *d, const struct model_span *span);

/* ---- the events, inline for the watch ---- */

/* Return whether a phase may begin a stop, or says something of one however deep it is inside. */
static inline bool stw_tells(rtev_phase phase)
{
	static const uint64_t phases =
	    UINT64_C(1) << RTEV_PHASE_STW_LEADER | UINT64_C(1) << RTEV_PHASE_STW_HANDLER |
	    UINT64_C(1) << RTEV_PHASE_STW_API_BARRIER | UINT64_C(1) << RTEV_PHASE_COMPACT |
	    UINT64_C(1) << RTEV_PHASE_COMPACT_EVACUATE | UINT64_C(1) << RTEV_PHASE_COMPACT_FORWARD |
	    UINT64_C(1) << RTEV_PHASE_COMPACT_RELEASE;

	_Static_assert(RTEV_PHASE_COUNT <= 64, "a bit for each phase");
	return phase < 64 && (phases >> phase & 1) != 0;
}

/* A span begins. */
static inline void stw_take_opened(
    struct stw *s, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct stw_slot *d = s->domains[domain];

	if (d == NULL && (d = stw_slot_get(s, domain)) == NULL)
		return;
	if (d->blind_open || (d->open && depth == d->depth + 1) || stw_tells(phase))
		stw_open(s, d, domain, phase, ts, depth);
}

/* A span ends. */
static inline void stw_take_closed(struct stw *s, unsigned domain, const struct model_span *span)
{
	struct stw_slot *d = s->domains[domain];

	if (d != NULL && (span->depth == 0 || (d->open && (span->depth == d->depth ||
							      span->phase == RTEV_PHASE_STW_API_BARRIER))))
		stw_close(s, d, span);
}

/* A span begins and ends, inside another one.  False if it may have to do with a stop: stw_take_both. */
static inline bool stw_try_both(const struct stw *s, unsigned domain, const struct model_span *span)
{
	const struct stw_slot *d = s->domains[domain];

	return d != NULL && !d->blind_open && (!d->open || span->depth > d->depth + 1) &&
	       !stw_tells(span->phase);
}

/* The same of any span. */
static inline void stw_take_both(struct stw *s, unsigned domain, const struct model_span *span)
{
	if (stw_try_both(s, domain, span))
		return;
	stw_take_opened(s, domain, span->phase, span->begin, span->depth);
	stw_take_closed(s, domain, span);
}

#endif
