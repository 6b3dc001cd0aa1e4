/*
 * watch_private.h - the inside of a watch: watch.c creates, copies and advances it, watch_events.c takes its
 * events in, watch_read.c reads it.
 *
 * A series of counts begins when its domain was first observed, not with its first value.  Steps without a
 * value are then 0, and a rate covers all observed time.
 */
#pragma once

#include "watch/watch.h"

/* User slots in a chunk, and chunks. */
#define WATCH_CHUNK 64
#define WATCH_CHUNKS (MODEL_USER_SLOTS_MAX / WATCH_CHUNK)

/* Series of a user slot on one domain. */
struct watch_user {
	struct series *values; /* of an int, NULL for others */
	struct series *events; /* their number, of a span its ends */
};

/*
 * Values of the step that most events of a domain are of, on their way into its series.  They are added when
 * an event is of another step, and before anything is read: watch_advance.  Stamps in [from, to) are of the
 * step and not before the begin of a series of counts.
 */
struct watch_step {
	uint64_t from, to;	       /* `to` is 0 when there is none */
	unsigned ready;		       /* a bit for each measure with a series whose values can wait here */
	unsigned known;		       /* a bit for each measure with a value */
	double values[WATCH_MEASURES]; /* 0 before the first; no maximum is below that */
};

/* What is kept of one domain. */
struct watch_domain {
	struct watch_step now;
	struct series *measures[WATCH_MEASURES];
	uint64_t latest[WATCH_MEASURES]; /* stamps of their latest values, 0 before the first */
	struct watch_user **users;	 /* WATCH_CHUNKS chunks of WATCH_CHUNK, NULL if unused */
	uint64_t events;		 /* the model's count that is already in the series */
	uint64_t died_ts;		 /* of its end, 0 while it runs */
	struct series *empty;		 /* ns between two domains in the slot; NULL before the second one */
	struct series *unread;		 /* ns of which the events were lost; NULL before the first loss */
};

struct watch {
	struct model *model;
	struct history *history;
	struct stw *stw;
	struct paths *paths;
	struct mmu *mmu;
	struct longest *longest;
	struct trend *trend;
	struct system_past *system;
	struct minor_size minor_size;
	struct recent *recent;
	struct watch_domain **domains; /* by slot, NULL before the first event */
	unsigned domain_count;
	size_t series_count;
	uint64_t now;	    /* 0 before the first watch_advance */
	uint64_t attach_ts; /* 0 for a file */
};

/* ---- watch_events.c ---- */

/* Fill in the observer that feeds the watch. */
void watch_observer(struct watch *w, struct model_observer *out);

/* Return the record of a domain, made if need be; NULL when memory ran out or the number is absurd. */
struct watch_domain *watch_domain_of(struct watch *w, unsigned domain);

/* Add the values of a domain's current step to its series. */
void watch_step_settle(struct watch_domain *d);

/* Create a series for a domain.  Counts are known to be 0 from the time at which the domain was first
 * observed. */
struct series *watch_series_for(const struct watch *w, unsigned domain, enum series_mode mode);

/* Add a value to each step of [from, to), by the share of that time that lies in the step. */
void watch_series_spread(struct series *s, uint64_t from, uint64_t to, double value);
