/*
 * metrics_member.h - what is counted of one target since its attach, for a scraper.
 */
#pragma once

#include "core/std.h"
#include "fleet/fleet.h"

/* The families that time in pauses is split into: name, text.  Their sum is the time in pauses. */
#define METRICS_FAMILIES(X)                                                                                  \
	X(METRICS_MINOR, "minor")                                                                            \
	X(METRICS_MARK, "mark")                                                                              \
	X(METRICS_SWEEP, "sweep")                                                                            \
	X(METRICS_COMPACT, "compact")                                                                        \
	X(METRICS_EXPLICIT, "explicit")                                                                      \
	X(METRICS_WAIT, "wait") /* waiting for other domains (model/waiting.h) */                            \
	X(METRICS_OTHER, "other")

enum metrics_family { METRICS_FAMILIES(LIST_NAME) METRICS_FAMILY_COUNT };

/* Upper bounds of the buckets of pauses, in seconds.  One more bucket holds longer pauses. */
#define METRICS_BOUNDS                                                                                       \
	{                                                                                                    \
		1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25,   \
		    0.5, 1, 2.5, 5, 10                                                                       \
	}
enum { METRICS_BUCKETS = 19 };

/* The printed counts of one domain, which never fall; then the counts that they are computed from. */
struct metrics_domain {
	uint64_t
	    families[METRICS_FAMILY_COUNT]; /* ns; all families together at most the observed time of these
					     * steps */
	uint64_t allocated, promoted;	    /* bytes */
	uint64_t lost_words;
	uint64_t loop_busy_ns;
	uint64_t closed[METRICS_FAMILY_COUNT]; /* ns in pauses that have ended */
	uint64_t inside[METRICS_FAMILY_COUNT]; /* ns in spans that have ended inside the outermost open one */
	uint64_t before[METRICS_FAMILY_COUNT]; /* ns in all pauses, at the last update */
	uint64_t buckets[METRICS_BUCKETS + 1]; /* pauses that ended since then */
	uint64_t pause_ns;		       /* ns of these pauses */
};

struct metrics_member {
	struct fleet_member *member;
	bool printed;	     /* in the current version of the file */
	uint64_t updated_ts; /* stamp of the last step added; 0: none */
	/* Sums over all domains; they never fall. */
	uint64_t observed_ns;
	uint64_t buckets[METRICS_BUCKETS + 1];
	uint64_t pause_ns;
	struct lock_sums locks; /* at the last update with a look at locks */
	double mutex_waiters,
	    master_waiters; /* means over the time of the last such update; NAN: not known */
	unsigned domain_count;
	struct metrics_domain *domains;
	bool short_of; /* memory ran out, so domains or user events are missing */
};

/* Functions for the face of a member (struct fleet_options). */
bool metrics_member_begin(struct fleet_member *m);
void metrics_member_end(struct fleet_member *m);

/* Add what the last step of the fleet has added. */
void metrics_member_update(struct metrics_member *m);
