/*
 * watch.h - all that the live view keeps of one target: the model, and what follows it through time.
 *
 * The parts observe the model and can be read on their own; a watch only creates them together, feeds them, and keeps the
 * rates that belong to none of them.  Time comes in through watch_advance, as for the model.
 *
 * Series have a step of WATCH_STEP and go back WATCH_STEPS of them.  Those of user slots are made when the slot's first event
 * comes, WATCH_SERIES_MAX at most.
 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/flame.h"
#include "watch/history.h"
#include "watch/longest.h"
#include "watch/mmu.h"
#include "model/model.h"
#include "watch/paths.h"
#include "watch/recent.h"
#include "watch/series.h"
#include "watch/stw.h"
#include "watch/minor_size.h"
#include "watch/trend.h"
#include "watch/system_past.h"

#define WATCH_STEPS 480
#define WATCH_SERIES_MAX 2048

/* Numbers over time of one domain, or of all together. */
enum watch_measure {
	WATCH_EVENTS,	 /* events delivered */
	WATCH_ALLOCATED, /* bytes allocated in the minor heap */
	WATCH_PROMOTED,	 /* bytes promoted from it */
	WATCH_MAJOR,	 /* words allocated in the major heap, promoted ones included (5.3 and later) */
	WATCH_MINORS,	 /* minor collections ended */
	WATCH_CYCLES,	 /* major cycles ended */
	WATCH_GC,	 /* ns in pauses, each in the steps in which it was */
	WATCH_WAIT,	 /* of WATCH_GC what was waiting (model/waiting.h), likewise */
	WATCH_LONGEST,	 /* ns of the longest pause that ended */
	WATCH_LOST,	 /* words lost after the attach */
	WATCH_HEAP,	 /* words of the major heap: a level */
	WATCH_MEASURES
};

struct watch_options {
	uint64_t attach_ts;    /* as in struct model_options */
	size_t history_budget; /* 0: HISTORY_BUDGET */
};

/* What a program with a watch takes besides its history: so much of what it may take in all. */
#define WATCH_BESIDES ((size_t)8 << 20)

/* The budget of a history for a program that may take so many bytes in all; 0 of 0. */
static inline size_t watch_history_budget(size_t bytes)
{
	if (bytes == 0)
		return 0;
	return bytes > WATCH_BESIDES + HISTORY_BUDGET_MIN ? bytes - WATCH_BESIDES : HISTORY_BUDGET_MIN;
}

struct watch;

/* NULL when memory ran out. */
struct watch *watch_create(const struct watch_options *options);
void watch_destroy(struct watch *w);

/*
 * A copy of all as it is now, for reading: it is never fed, advanced or finished, and has no flame graph.  Its history is a
 * history_copy, so that there is one copy at a time; either of the two may be destroyed first.  NULL when memory ran out.
 */
struct watch *watch_copy(struct watch *w);

struct model *watch_model(struct watch *w);
struct flame *watch_flame(struct watch *w);
struct history *watch_history(struct watch *w);
struct stw *watch_stw(struct watch *w);
struct paths *watch_paths(struct watch *w);
const struct mmu *watch_mmu(const struct watch *w);
const struct longest *watch_longest(const struct watch *w);
struct trend *watch_trend(struct watch *w);

/* Samples of the process, that who takes them adds; a ring file has none. */
struct system_past *watch_system(const struct watch *w);
const struct minor_size *watch_minor_size(const struct watch *w);

/* The pauses of the last seconds. */
const struct recent *watch_pauses(const struct watch *w);

/*
 * Say what time it is: brings everything up to date that depends on it.  `watermark`: all events stamped before it have been
 * delivered, so that stops of the world can be put together; an event takes some time from its stamp to its ring.
 */
void watch_advance(struct watch *w, uint64_t now, uint64_t watermark);

/* No more events will come. */
void watch_finish(struct watch *w);

/* The series of a measure on a domain; NULL when nothing has come yet. */
const struct series *watch_series(const struct watch *w, unsigned domain, enum watch_measure measure);

/* Whether any domain has sent a value of a measure since `from`.  A rate is 0 when none has come, though the value may be
 * one that comes now and then only, of all that went before it. */
bool watch_heard(const struct watch *w, enum watch_measure measure, uint64_t from);

/* What has come in a stretch of time, for a rate. */
struct watch_recent {
	double sum;
	uint64_t from, to; /* all that came in [from, to] is in the sum */
	uint64_t empty;	   /* of that the ns in which the domain's slot was empty, between two domains */
};

#define WATCH_ALL UINT_MAX /* all domains together */

/*
 * What has come of a measure, or of a user slot's events, in the last `window` ns on a domain or on all of them.  The left
 * edge is moved down to the begin of a step, or up to where all of it is known: where the domain began or, of one that ran
 * before, where it was first observed; of all domains, where the last of those that ran before was.  The right edge is
 * the end of a domain that has ended.  False when nothing is known.  Of WATCH_MINORS and WATCH_CYCLES, which all domains
 * take part in, all together have as many as the domain with most.
 */
bool watch_recent(const struct watch *w, unsigned domain, enum watch_measure measure, uint64_t now,
    uint64_t window, struct watch_recent *out);
bool watch_user_recent(const struct watch *w, unsigned domain, size_t slot, uint64_t now, uint64_t window,
    struct watch_recent *out);

/* The latest value of a measure that is a level, summed over the domains that run; once none runs any more it is what stood
 * before the last of them ended.  NAN when none is known. */
double watch_level(const struct watch *w, enum watch_measure measure);

/* The latest value of a gauge of the major heap that counts words, summed likewise.  Those of pools and large blocks are of
 * one instant, the end of a cycle; watch_parts_ts: when the latest of them came, 0 when none has. */
double watch_gauge(const struct watch *w, rtev_counter counter);
uint64_t watch_parts_ts(const struct watch *w);

/* The series of a user slot on a domain: values of an int (their last), ends of a span, events of others (their number).
 * NULL when nothing has come yet. */
const struct series *watch_user_series(const struct watch *w, unsigned domain, size_t slot);

/* The number of its events, of a span that of its ends, whatever the kind.  NULL when nothing has come yet. */
const struct series *watch_user_events(const struct watch *w, unsigned domain, size_t slot);

#endif
