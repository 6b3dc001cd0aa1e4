/*
 * split.h - how a domain spent a period, as far as that is proved, and what likely made it so long.
 *
 * Events prove the time of the collector, the part of it in which the domain waited for others, and where it
 * asked the system for events.  For the rest the counters of its thread, read about once a second, give
 * bounds: how long it ran, waited for a processor, or did neither in the samples around the period.  Time
 * that must have been in the period, however the activities are arranged, is proved; samples of code prove
 * that the thread ran.  What remains may be any of several parts.
 */
#pragma once

#include "calls/profile.h"
#include "samples/lock_past.h"
#include "watch/blame.h"
#include "watch/flame.h"
#include "watch/watch.h"

/* X(PART, name) */
#define SPLIT_PARTS_OF(X)                                                                                    \
	X(CODE, "code")                                                                                      \
	X(GC, "GC")                                                                                          \
	X(OTHERS, "waits for others")                                                                        \
	X(STARVED, "no processor")                                                                           \
	X(LOCK, "waits for a lock")                                                                          \
	X(LOOP, "waits for events") /* the event loop, in the system */                                      \
	X(BLOCKED, "blocked")	    /* in the system or for another thread, not known in what */             \
	X(OPEN, "not known")	    /* may be any of `may` */                                                \
	X(UNSEEN, "not seen")	    /* events were lost or paused */

enum split_part {
#define SPLIT_ENUM(name, text) SPLIT_##name,
	SPLIT_PARTS_OF(SPLIT_ENUM)
#undef SPLIT_ENUM
	    SPLIT_PARTS
};

struct split_query {
	struct watch *watch;
	struct flame *flame;
	const struct lock_past *locks; /* NULL: none */
	const struct profile *profile; /* NULL: no code is sampled */
	unsigned hz;		       /* rate of the samples */
	unsigned domain;
	uint64_t from, to;
	uint64_t now;		   /* open spans count up to this */
	const struct blame *blame; /* the domain that it waited for; NULL: none is known */
	uint32_t hit;		   /* the user slot of a span that contains it, or MODEL_NO_USER */
	bool over;		   /* the target has ended or is a recording: no code can be sampled now */
};

struct split {
	uint64_t of;		    /* ns */
	uint64_t ns[SPLIT_PARTS];   /* their sum is `of` */
	unsigned may;		    /* a bit for each part that SPLIT_OPEN may be */
	unsigned looks, lock_looks; /* looks at its thread, and looks at which it waited for a lock */
	bool known;		    /* `around` is known */
	struct system_around around;
	bool asked;	  /* the program requested most of SPLIT_GC */
	rtev_phase phase; /* phase that took most of SPLIT_GC, and its time */
	uint64_t phase_ns;
};

/* Split a period.  Returns false if not all of its events are kept. */
bool split_read(const struct split_query *query, struct split *out);

/* Return the name of a part; for the open part, what it may be. */
const char *split_name(const struct split *split, enum split_part part);

/* Say what likely made the period long: "the collector: major_mark 15.6ms".  Returns false, with what is
 * missing, if the evidence explains less than half of it. */
bool split_likely(const struct split_query *query, const struct split *split, char *buf, size_t size);
