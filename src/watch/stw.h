/*
 * stw.h - stop-the-world sections: reconstructs each stop from the events of all domains, and finds who was
 * late.
 *
 * Terms
 *   stop        One domain, the *leader*, makes all domains run a part of the collector together.  The
 *               leader's span is stw_leader, that of each other domain stw_handler.  The runtime runs one
 *               stop at a time: a handler belongs to the latest leader that began before it.
 *   arrival     In a synchronous stop the work begins when all domains have arrived.  A domain arrives when
 *               its stw_api_barrier begins inside that span (for a leader without one, as before 5.3, when
 *               its stw_leader begins).
 *   lateness    Of a stop: from the leader's begin to the last arrival.
 *   wait        Of a domain in a stop: from its arrival to the last one.  The domain that came last caused
 *               the sum of all waits.
 *   solo        A stop of the leader alone.  async: a stop without a barrier; no domain waits.
 *   partial     A stop that overlaps a loss on any ring, or that has a barrier but no domain besides the
 *               leader: events are missing, so its kind is a guess and no domain is blamed.
 *
 * Events arrive domain by domain, not in order of time.  Spans are queued until stw_advance passes a
 * watermark: all earlier events have arrived, so stops before it can be assembled in order.  Events after
 * their watermark are counted and ignored.
 */
#pragma once

#include "model/model.h"

#define STW_RECENT 4096		 /* latest stops kept */
#define STW_ARRIVALS 16384	 /* latest arrivals kept for these stops */
#define STW_LONGEST 64		 /* longest stops kept besides the latest */
#define STW_LONGEST_ARRIVALS 128 /* arrivals kept for each of these; a stop with more keeps none */

enum stw_kind { STW_SYNC, STW_ASYNC, STW_SOLO };

/* Purpose of a stop; if there are several, the last in this list. */
enum stw_work { STW_NOTHING, STW_MINOR, STW_RESIZE, STW_MAJOR, STW_COMPACTION };

#define STW_NO_PHASE UINT16_MAX

/* What a domain was in for at least nine tenths of the time from the begin of a stop until it arrived. */
struct stw_doing {
	uint32_t user; /* slot of the innermost user span; MODEL_NO_USER: none is known */
	rtev_phase
	    phase; /* a phase around its part in the stop, or ended just before; STW_NO_PHASE: none is known */
};

struct stw_stop {
	uint64_t begin;	   /* stamp: the leader's begin */
	uint64_t duration; /* until the last known end of a part */
	uint64_t lateness; /* 0 unless kind is STW_SYNC; so are wait and last */
	uint64_t wait;	   /* sum over all domains */
	uint64_t arrivals; /* private */
	unsigned leader;
	unsigned last;	/* domain that arrived last */
	unsigned count; /* domains that took part, including the leader */
	enum stw_kind kind;
	enum stw_work work;
	rtev_phase phase; /* the phase that `work` comes from; RTEV_PHASE_STW_LEADER for STW_NOTHING */
	bool partial;
	struct stw_doing doing; /* of the domain that arrived last, unless that is the leader */
};

struct stw_arrival {
	uint64_t after;	   /* from the stop's begin to this domain's arrival */
	uint64_t wait;	   /* from then to the last arrival */
	uint64_t released; /* from the stop's begin to the end of its barrier; 0: not known */
	unsigned domain;
};

/* One domain, since the begin or stw_reset.  Stops that are partial or not synchronous count in `led`
 * only. */
struct stw_domain {
	uint64_t led;
	uint64_t joined;      /* synchronous stops that it took part in, led or not */
	uint64_t last;	      /* of them, those in which it came last */
	uint64_t waited;      /* ns, by this domain */
	uint64_t caused;      /* ns, by others for this one */
	struct hist lateness; /* in the stops in which it came last */
};

struct stw_totals {
	uint64_t stops;
	uint64_t kinds[3]; /* stops that are not partial, by enum stw_kind; synchronous ones are blamed */
	uint64_t partial;
	uint64_t dropped;      /* stops whose leader's span was dropped */
	uint64_t stray;	       /* handlers that belong to no known stop, or came after the watermark */
	uint64_t wait;	       /* ns, all domains */
	struct hist lateness;  /* lateness of the synchronous stops */
	struct hist durations; /* durations of all stops that are not partial */
};

struct stw;

/* NULL when memory ran out. */
struct stw *stw_create(void);
void stw_destroy(struct stw *s);

/* Return a copy of the figures and the kept stops; NULL when memory ran out. */
struct stw *stw_copy(const struct stw *from);

/* Fill in the observer that feeds an stw. */
void stw_observer(struct stw *s, struct model_observer *out);

/* Set the model in which open spans are looked up; without it they are unknown. */
void stw_look_into(struct stw *s, const struct model *m);

/* Assemble the complete stops: all events before `watermark` have arrived (UINT64_MAX: no more will come). */
void stw_advance(struct stw *s, uint64_t watermark);

/* Return the number of spans that wait for stw_advance, without those that are still open. */
size_t stw_waiting(const struct stw *s);

/* Reset all totals and discard the kept stops. */
void stw_reset(struct stw *s);

/* Discard the kept stops, but not the totals; from now on neither the longest stops nor distributions (struct
 * hist) are kept.  For a caller that has processed the latest stops, and observes so many targets that their
 * memory matters. */
void stw_forget(struct stw *s);

/* Owned by the stw, valid until it changes. */
const struct stw_totals *stw_totals(const struct stw *s);

/* Returns NULL if the domain never took part. */
const struct stw_domain *stw_domain(const struct stw *s, unsigned domain);

/* Domains from this number on never took part. */
unsigned stw_domain_limit(const struct stw *s);

/* The kept stops, latest first: index 0 to stw_recent_count - 1. */
size_t stw_recent_count(const struct stw *s);
const struct stw_stop *stw_recent(const struct stw *s, size_t index);

/* The longest stops that are not partial, from all the time, longest first: index 0 to stw_longest_count -
 * 1. */
size_t stw_longest_count(const struct stw *s);
const struct stw_stop *stw_longest(const struct stw *s, size_t index);

/* Return the arrivals at a stop from stw_recent or stw_longest, the leader's first, then by domain.  NULL and
 * 0 if the stop is not synchronous or they are no longer kept. */
const struct stw_arrival *stw_arrivals(const struct stw *s, const struct stw_stop *stop, size_t *count);

/* "minor", "major", "compaction", "resize", "none".  Static storage. */
const char *stw_work_name(enum stw_work work);
