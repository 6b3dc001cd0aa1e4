/*
 * watch_private.h - the parts of a watch: watch_events.c processes its events, watch.c does the rest.
 *
 * A series of counts begins when its domain was first observed, not with its first value.  Steps without a
 * value are then 0, and a rate covers all observed time.
 */
#pragma once

#include "core/id_map.h"
#include "watch/watch.h"

/* Series of a user slot on one domain. */
struct watch_user {
	struct series *values; /* values of int events; NULL for others */
	struct series *events; /* number of events, for spans of their ends */
};

/*
 * Values of the step that contains most present events of a domain, before they go into its series.  They are
 * added when an event belongs to another step, and before anything is read (watch_advance).  Stamps in [from,
 * to) are in the step and not before the begin of a series of counts.
 */
struct watch_step {
	uint64_t from, to;	       /* `to` is 0 when there is none */
	unsigned ready;		       /* a bit for each measure whose values can be collected here */
	unsigned known;		       /* a bit for each measure with a value */
	double values[WATCH_MEASURES]; /* 0 before the first; no maximum is less */
};

/* Pauses that have ended and are not counted yet.  watch_pauses_settle adds them to all figures of pauses: before a pause that
 * can't join them, before a counter of another step or a rare event, and before anything is read. */
struct watch_pauses {
	uint64_t from;	/* end of the latest */
	uint64_t to;	/* end of their step; 0 if no other pause can join them */
	uint64_t least; /* a later pause that is shorter is not among the longest of the domain */
	const struct model_domain *model;
	struct pauses all;
};

/* The data of one domain. */
struct watch_domain {
	struct watch_step now;
	struct mmu mmu;
	struct longest_peaks longest;
	struct series measures[WATCH_MEASURES];
	uint64_t latest[WATCH_MEASURES]; /* stamps of the latest values; 0: none yet */
	uint64_t events;		 /* events already added to the series */
	uint64_t died_ts;		 /* stamp of its end; 0: it runs */
	struct series empty;		 /* ns between two domains in the slot */
	struct series unread;		 /* ns in which its events were lost */
};

struct watch {
	struct model *model;
	struct history *history;
	struct stw *stw;
	struct paths *paths;
	struct longest *longest;
	struct trend *trend;
	struct system_past *system;
	struct minor_size minor_size;
	struct recent *recent;
	struct watch_pauses pauses;
	struct watch_domain **domains; /* by slot, NULL before the first event */
	unsigned domain_count;
	struct id_map user_places; /* where in `users` a domain's user slot is, plus one; see watch_user_id */
	struct watch_user *users;  /* each has a series, so there are at most WATCH_SERIES_MAX */
	size_t user_count, user_room;
	size_t series_count;
	uint64_t now;	     /* 0: watch_advance has not been called */
	uint64_t settled_to; /* when a later stamp comes, steps of other domains may be over */
	uint64_t attach_ts;  /* 0: a file */
};

/* The id of a domain's user slot. */
static inline uint64_t watch_user_id(unsigned domain, size_t slot)
{
	return (uint64_t)domain * MODEL_USER_SLOTS_MAX + slot;
}

/* ---- watch_events.c ---- */

/* Fill in the observer that feeds the watch. */
void watch_observer(struct watch *w, struct model_observer *out);

/* Count the pauses that wait to be counted.  Functions that read a watch call this first, so that they include them. */
void watch_pauses_settle(const struct watch *w);

/* Return the record of a domain, created if needed; NULL: memory ran out or the number is too high. */
struct watch_domain *watch_domain_make(struct watch *w, unsigned domain);
static inline struct watch_domain *watch_domain_of(struct watch *w, unsigned domain)
{
	struct watch_domain *d = domain < w->domain_count ? w->domains[domain] : NULL;

	return d != NULL ? d : watch_domain_make(w, domain);
}

/* Add the values of a domain's current step to its series. */
void watch_step_settle(struct watch *w, struct watch_domain *d);

/* Begin a series of a domain, unless it is there.  Counts are known to be 0 from the time at which the domain was first
 * observed. */
void watch_series_begin(const struct watch *w, unsigned domain, struct series *s, enum series_mode mode);

/* Add a value to the steps of [from, to), in proportion to their overlap. */
void watch_series_spread(struct series *s, uint64_t from, uint64_t to, double value);
