/*
 * watch.h - the live view's state of one target: the model, and the observers that follow it through time.
 *
 * The observers can be read on their own; a watch creates and feeds them, and keeps the rates that belong to
 * none of them.  watch_advance sets the time, as model_set_now does for the model.
 *
 * Series have WATCH_STEPS steps of WATCH_STEP ns.  The series of a user slot is created with the slot's first
 * event, up to WATCH_SERIES_MAX.
 */
#pragma once

#include "watch/history.h"
#include "watch/mmu.h"
#include "model/model.h"
#include "watch/paths.h"
#include "watch/recent.h"
#include "watch/series.h"
#include "watch/stw.h"
#include "watch/minor_size.h"
#include "watch/trend.h"

#define WATCH_STEPS 480
#define WATCH_SERIES_MAX 2048

/* Numbers over time, for one domain or for all together. */
enum watch_measure {
	WATCH_EVENTS,	 /* events delivered */
	WATCH_ALLOCATED, /* bytes allocated in the minor heap */
	WATCH_PROMOTED,	 /* bytes promoted from it */
	WATCH_MAJOR,	 /* words allocated in the major heap, promoted ones included (5.3 and later) */
	WATCH_MINORS,	 /* minor collections ended */
	WATCH_CYCLES,	 /* major cycles ended */
	WATCH_GC,	 /* ns in pauses, each in the steps that it overlaps */
	WATCH_WAIT,	 /* ns of WATCH_GC that were waiting (model/waiting.h) */
	WATCH_LONGEST,	 /* ns of the longest pause that ended */
	WATCH_LOST,	 /* words lost after the attach */
	WATCH_HEAP,	 /* words of the major heap: a level */
	WATCH_MEASURES
};

struct watch_options {
	uint64_t attach_ts;    /* as in struct model_options */
	size_t history_budget; /* 0: HISTORY_BUDGET */
};

/* Memory of a program with a watch of up to four domains, besides the history.  Each further domain takes
 * about half a MiB, and the pages of its ring. */
#define WATCH_BESIDES ((size_t)8 << 20)

/* Return the budget of a history for a program that may use `bytes` in all; 0 for 0. */
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
 * Take a snapshot for reading.  Never feed, advance or finish it.  It contains a history_copy.  Either of the two may be destroyed first.  NULL when memory ran out.
 */
struct watch *watch_copy(struct watch *w);

struct model *watch_model(struct watch *w);
struct history *watch_history(struct watch *w);
struct stw *watch_stw(struct watch *w);
struct paths *watch_paths(struct watch *w);
const struct longest *watch_longest(const struct watch *w);

/* Of a domain; NULL: it has no events, or no pause has ended. */
const struct mmu *watch_mmu(const struct watch *w, unsigned domain);
const struct longest_list *watch_longest_pauses(const struct watch *w, unsigned domain);
struct trend *watch_trend(struct watch *w);

/* Samples of the process, added by the sampler; a ring file has none. */
struct system_past *watch_system(const struct watch *w);
const struct minor_size *watch_minor_size(const struct watch *w);

/* Return the pauses of the last seconds. */
const struct recent *watch_pauses(const struct watch *w);

/*
 * Set the current time and update everything that depends on it.  All events before `watermark` must have
 * been delivered; stops of the world up to it are assembled.  It lags behind `now`, as an event reaches its
 * ring some time after its timestamp.
 */
void watch_advance(struct watch *w, uint64_t now, uint64_t watermark);

/* Assemble the stops up to `watermark` if many spans wait for that.  Between two calls of watch_advance this
 * makes the second one faster, and saves the memory for waiting spans. */
void watch_settle(struct watch *w, uint64_t watermark);

/* No more events will come. */
void watch_finish(struct watch *w);

/* Return the series of a measure on a domain; NULL: it has no value yet. */
const struct series *watch_series(const struct watch *w, unsigned domain, enum watch_measure measure);

/* Return the ns of each step in which a domain's events were lost; NULL: there was no loss yet. */
const struct series *watch_unread(const struct watch *w, unsigned domain);

/* Return whether any domain has sent a value of a measure since `from`.  If none has, the rate reads as 0
 * although the runtime may only not have reported the measure yet. */
bool watch_heard(const struct watch *w, enum watch_measure measure, uint64_t from);

/* The values of an interval, for a rate. */
struct watch_recent {
	double sum;
	uint64_t from, to; /* the interval of the sum */
	uint64_t empty;	   /* ns of it in which the slot was empty, between two domains */
	/* ns of it in which events were lost, without pauses of the target.  For all domains: the least loss,
	 * while the sums of those that lost more (except WATCH_LOST) are scaled to the time that is left */
	uint64_t lost;
};

#define WATCH_ALL UINT_MAX /* all domains together */

/*
 * Sum a measure, or the events of a user slot, over the last `window` ns, on one domain or WATCH_ALL.  The
 * left edge is rounded down to a step; it is later if the domain began or was first observed later
 * (WATCH_ALL: the last of the domains that ran before the attach).  The right edge is earlier if the domain
 * has ended.  Returns false if nothing is known.  All domains take part in WATCH_MINORS and WATCH_CYCLES, so
 * for WATCH_ALL these are the largest sum of a domain.
 */
bool watch_recent(const struct watch *w, unsigned domain, enum watch_measure measure, uint64_t now,
    uint64_t window, struct watch_recent *out);
bool watch_user_recent(const struct watch *w, unsigned domain, size_t slot, uint64_t now, uint64_t window,
    struct watch_recent *out);

/* Return the series of a user slot on a domain: the last value of an int event, the number of ended spans, or
 * the number of other events.  NULL if no event has come. */
const struct series *watch_user_series(const struct watch *w, unsigned domain, size_t slot);

/* Return the number of a user slot's events of any kind, for spans of their ends; NULL: there was none
 * yet. */
const struct series *watch_user_events(const struct watch *w, unsigned domain, size_t slot);
