/*
 * split.h - what a domain's time in a stretch went into, as far as that is proved; and what likely made it so long.
 *
 * Events prove what the collector took, what of that the domain waited for others, and where it asked the system for
 * events.  Of the rest the counters of its thread tell bounds, as they are read about once a second: in the samples
 * around the stretch it ran, waited for a processor and did neither for so long.  What must have been in the stretch,
 * wherever the others lie, is proved; samples of code prove that it ran.  What is left may be any of several parts.
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
	X(BLOCKED, "blocked")	    /* in the system or for another thread, in what is not known */          \
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
	unsigned hz;		       /* of its samples */
	unsigned domain;
	uint64_t from, to;
	uint64_t now; /* open spans count up to this */
	const struct model_target_pause *pauses;
	size_t pause_count;
	const struct blame *blame; /* whom the domain waited for; NULL: nobody that is known */
	uint32_t hit;		   /* the user slot of a span that contains it, or MODEL_NO_USER */
	bool over;		   /* of a recording or an ended target: no code can be sampled now */
};

struct split {
	uint64_t of;		    /* ns */
	uint64_t ns[SPLIT_PARTS];   /* their sum is `of` */
	unsigned may;		    /* of SPLIT_OPEN: a bit for each part that it may be */
	unsigned looks, lock_looks; /* at its thread, and those at which it waited for a lock */
	bool known;		    /* whether `around` is */
	struct system_around around;
	bool asked;	  /* the program asked for most of SPLIT_GC */
	rtev_phase phase; /* that took most of SPLIT_GC, and how much */
	uint64_t phase_ns;
};

/* Split it; false: not all of its events are kept. */
bool split_read(const struct split_query *query, struct split *out);

/* The name of a part: of what is open, what it may be. */
const char *split_name(const struct split *split, enum split_part part);

/* Say what likely made it last: "the collector: major_mark 15.6ms".  False, and what is missing: the evidence explains no half of it. */
bool split_likely(const struct split_query *query, const struct split *split, char *buf, size_t size);
