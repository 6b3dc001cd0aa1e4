/*
 * trend.h - figures of a target over hours, in steps of time: the collector's share, pauses, allocation,
 * heap, losses.
 *
 * Terms
 *   step      A period [k * length, (k + 1) * length) of the stamps' clock, independent of when the trend
 *             began.
 *   tier      All kept steps of one length: 1 s for the last 10 minutes, 5 s for 4 hours, 60 s for a week.
 *             Each tier includes every event, so that their sums agree.  An event is counted by its stamp; a
 *             pause adds its time to all steps that it overlaps, and its number and length to the step in
 *             which it ends.
 *   low, high The least and the largest value of the seconds in a longer step.
 *   seen      The time in which events could be observed: since the attach, without the pauses of the target,
 *             and without steps in which all was lost.  A step that was not seen is a gap, not zero.
 *             *observed* is that time summed over domains, without their losses, see model.h.
 *   settled   The time up to which all events and pauses of the target are known.  The *tail* follows it, and
 *             counts as observed unless known otherwise.
 *   level     A figure that is valid until its next value: the heap, from the model at each look, and the
 *             resident memory.  Levels are never summed over time.
 *   mark      Something that happened at a moment, or during a period: enum trend_mark_kind.
 *
 * Rates and shares, and their least and largest values, are not known for less than half a second of seen
 * time.
 *
 * Percentiles of a step are as defined in hist.h.  They are not known if a pause is added to the step after
 * it was closed, which happens when one ring is read long after the others.
 *
 * The size is fixed, at most TREND_BYTES.  Nothing allocates or reads a clock after trend_create.
 */
#pragma once

#include "core/std.h"
#include "print/number.h"
#include "samples/system_past.h"
#include "watch/pauses.h"

#define TREND_BYTES (2u << 20)
#define TREND_WEEK UINT64_C(604800000000000)
#define TREND_MARKS_KEPT 256u /* latest marks kept of each kind */

/* X(NAME, seconds of a step, steps kept): the tiers, finest first.  Each length divides the next. */
#define TREND_TIERS(X)                                                                                       \
	X(SECONDS, 1, 600)                                                                                   \
	X(FIVES, 5, 2880)                                                                                    \
	X(MINUTES, 60, 10080)

enum trend_tier_name {
#define TREND_TIER_ENUM(name, seconds, steps) TREND_##name,
	TREND_TIERS(TREND_TIER_ENUM)
#undef TREND_TIER_ENUM
	    TREND_TIER_COUNT
};

/* X(NAME, text, unit): the figures of a step, in the order in which they are shown. */
#define TREND_FIGURES(X)                                                                                     \
	X(TREND_GC, "GC", UNIT_SHARE)                                                                        \
	X(TREND_P99, "pause p99", UNIT_NS)                                                                   \
	X(TREND_MAX, "pause max", UNIT_NS)                                                                   \
	X(TREND_ALLOCATED, "allocated", UNIT_BYTE_RATE)                                                      \
	X(TREND_HEAP, "heap", UNIT_WORDS)                                                                    \
	X(TREND_CPU, "cpu", UNIT_CORES)                                                                      \
	X(TREND_RESIDENT, "resident", UNIT_BYTES)                                                            \
	X(TREND_PROMOTED, "promoted", UNIT_BYTE_RATE)                                                        \
	X(TREND_PAUSES, "pauses", UNIT_RATE)                                                                 \
	X(TREND_P50, "pause p50", UNIT_NS)                                                                   \
	X(TREND_EVENTS, "events", UNIT_RATE)                                                                 \
	X(TREND_LOST, "lost", UNIT_LOST_WORDS)                                                               \
	X(TREND_THROTTLED, "throttled", UNIT_SHARE)

enum trend_figure { TREND_FIGURES(LIST_NAME) TREND_FIGURE_COUNT };

/* X(NAME, name): the kinds of marks. */
#define TREND_MARKS(X)                                                                                       \
	X(TREND_MARK_PAUSED, "paused")	 /* the target had paused its events, from..to */                    \
	X(TREND_MARK_RESTART, "restart") /* a ring was restarted, or another one is read */                  \
	X(TREND_MARK_LOSS, "lost")	 /* value: words */                                                  \
	X(TREND_MARK_FLIGHT, "file")	 /* a long pause, from..to, was written to a file */

enum trend_mark_kind { TREND_MARKS(LIST_NAME) TREND_MARK_COUNT };

/* Marks of one kind that begin within a second are merged. */
struct trend_mark {
	uint64_t from, to;
	uint64_t value; /* summed over `count` */
	uint32_t count;
	uint32_t kind; /* enum trend_mark_kind */
};

/* A figure over a stretch of time.  Values that are not known are NAN. */
struct trend_value {
	double value;	  /* for a level, the last one; NAN for a percentile of several steps */
	double low, high; /* bounds of that percentile; otherwise the least and the largest of the seconds */
};

/* The figures of a stretch of time. */
struct trend_span {
	uint64_t from, to; /* range of the steps that were summed */
	unsigned steps;
	uint64_t seen_ns; /* 0: a gap */
	uint64_t observed_ns, gc_ns;
	uint64_t pauses, pause_max;
	uint64_t allocated, promoted, events, lost_words;
	/* events were lost: sums, percentiles and maxima are lower bounds; shares refer to what was
	 * observed */
	bool lossy;
	/* time covered by the kernel's figures: cpu, resident, throttled; known also in a gap */
	uint64_t sampled_ns;
	struct trend_value figures[TREND_FIGURE_COUNT];
};

struct trend;

/* Follow a model, which must outlive the trend; `attach_ts` as in struct model_options.  Returns NULL when
 * memory ran out. */
struct trend *trend_create(const struct model *m, uint64_t attach_ts);
void trend_destroy(struct trend *t);

/* Return a copy for reading; NULL when memory ran out. */
struct trend *trend_copy(const struct trend *from);

/* Fill in the observer of the model that counts events, except pauses and counters: the observer of all
 * events passes these on with the functions below. */
void trend_observer(struct trend *t, struct model_observer *out);

/* Add pauses. */
void trend_pauses(struct trend *t, const struct pauses *pauses);
void trend_counter(struct trend *t, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value);

/*
 * Settle all time that can be settled.  The model's time must have been set to `now`, and all events stamped
 * before `watermark` must have been delivered.  trend_finish: no more events will come.
 */
void trend_advance(struct trend *t, uint64_t now, uint64_t watermark);
void trend_finish(struct trend *t);

/* Add the new samples of the process. */
void trend_system(struct trend *t, const struct system_past *past);

/* Set a mark. */
void trend_mark(struct trend *t, enum trend_mark_kind kind, uint64_t from, uint64_t to, uint64_t value);

/* ---- reading ---- */

/* Get the time from the first to the last observation.  Returns false if there is none. */
bool trend_range(const struct trend *t, uint64_t *from, uint64_t *to);

/*
 * Get the figures of [from, to): the sum of all steps that begin in it, or the one step that contains it.
 * The steps are the longest that have both ends as multiples, else those of the finest tier that goes back
 * far enough.  Returns false, with an empty span, if nothing of it was seen.
 */
bool trend_read(const struct trend *t, uint64_t from, uint64_t to, struct trend_span *out);

/* Get the figures of [from, to) as trend_read does, but from the steps of one tier. */
bool trend_read_tier(
    const struct trend *t, unsigned tier, uint64_t from, uint64_t to, struct trend_span *out);

/* The marks of a kind, oldest first, with indexes 0 to trend_marks - 1. */
size_t trend_marks(const struct trend *t, enum trend_mark_kind kind);
const struct trend_mark *trend_mark_at(const struct trend *t, enum trend_mark_kind kind, size_t index);

/* Names and units.  Static storage. */
const char *trend_figure_name(enum trend_figure figure);
enum unit trend_figure_unit(enum trend_figure figure);
const char *trend_mark_name(enum trend_mark_kind kind);
