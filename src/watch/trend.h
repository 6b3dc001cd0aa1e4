/*
 * trend.h - what became of a target over hours: the collector's share, pauses, allocation, heap, losses, in steps of time.
 *
 * Terms
 *   step      A stretch of the stamps' clock, [k * length, (k + 1) * length), whatever the trend began with.
 *   tier      All steps of one length that are kept: 1 s for the last 10 minutes, 5 s for 4 hours, 60 s for a week.  What happens is
 *             counted in each tier, so that their sums agree; it is counted by its own stamp, a pause's time in all the steps that
 *             it lies in, its number and length in the step that it ends in.
 *   low, high The least and the largest of the seconds in a longer step.
 *   seen      The time in which something could be observed: since the attach, without pauses of the target.  A step that was not
 *             seen is a gap, not nought.  *observed* is that time once for each domain, as in model.h.
 *   settled   Time up to which all events and pauses of the target are known.  After it comes the *tail*, which counts as
 *             observed as long as nothing is known to the contrary.
 *   level     A figure that stands until its next value comes: the heap.  Levels are never summed over time.
 *   mark      Something that happened at a moment, or over a stretch: enum trend_mark_kind.
 *
 * Percentiles of a step go by the definition of hist.h.  They are not known of a step that gets a pause after it was closed, which a
 * ring that is read long after the others may bring.
 *
 * All is of a fixed size, TREND_BYTES at most; nothing allocates or asks for the time after trend_create.
 */
#ifndef WATCH_TREND_H
#define WATCH_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "watch/system_past.h"

#define TREND_BYTES (2u << 20)
#define TREND_WEEK UINT64_C(604800000000000)
#define TREND_MARKS_KEPT 256u /* of each kind, the latest */

/* X(NAME, seconds of a step, steps kept): the tiers, the finest first; each length divides the next. */
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

/* X(NAME, unit, name): the figures of a step, in the order in which a screen shows them. */
#define TREND_FIGURES(X)                                                                                     \
	X(GC, SHARE, "GC")                                                                                   \
	X(P99, TIME, "pause p99")                                                                            \
	X(MAX, TIME, "pause max")                                                                            \
	X(ALLOCATED, BYTE_RATE, "allocated")                                                                 \
	X(HEAP, WORDS, "heap")                                                                               \
	X(CPU, CORES, "cpu")                                                                                 \
	X(RESIDENT, BYTES_UNIT, "resident")                                                                  \
	X(PROMOTED, BYTE_RATE, "promoted")                                                                   \
	X(PAUSES, RATE, "pauses")                                                                            \
	X(P50, TIME, "pause p50")                                                                            \
	X(EVENTS, RATE, "events")                                                                            \
	X(LOST, LOST_WORDS, "lost")                                                                          \
	X(THROTTLED, SHARE, "throttled")

enum trend_figure {
#define TREND_FIGURE_ENUM(name, unit, text) TREND_##name,
	TREND_FIGURES(TREND_FIGURE_ENUM)
#undef TREND_FIGURE_ENUM
	    TREND_FIGURE_COUNT
};

/* What a figure is measured in. */
enum trend_unit {
	TREND_SHARE,	  /* 1 is all */
	TREND_TIME,	  /* ns */
	TREND_RATE,	  /* per second */
	TREND_BYTE_RATE,  /* bytes per second */
	TREND_WORDS,	  /* of 8 bytes: a level */
	TREND_BYTES_UNIT, /* likewise */
	TREND_CORES,	  /* processors in use */
	TREND_LOST_WORDS  /* a number */
};

/* X(NAME, name): what a mark may be. */
#define TREND_MARKS(X)                                                                                       \
	X(PAUSED, "paused")   /* the target had paused its events, from..to */                               \
	X(RESTART, "restart") /* a ring began anew, or another one is read */                                \
	X(LOSS, "lost")	      /* value: words */                                                             \
	X(FLIGHT, "file")     /* a long pause, from..to, was written to a file */

enum trend_mark_kind {
#define TREND_MARK_ENUM(name, text) TREND_MARK_##name,
	TREND_MARKS(TREND_MARK_ENUM)
#undef TREND_MARK_ENUM
	    TREND_MARK_COUNT
};

/* Marks of one kind that begin within a second are one. */
struct trend_mark {
	uint64_t from, to;
	uint64_t value; /* summed over `count` */
	uint32_t count;
	uint32_t kind; /* enum trend_mark_kind */
};

/* A figure over a stretch of time; NAN where it is not known. */
struct trend_value {
	double value;	  /* of a level the last; of a percentile NAN where the stretch has several steps: */
	double low, high; /* then it lies within these */
};

/* What is known of a stretch of time. */
struct trend_span {
	uint64_t from, to; /* that of the steps it is made of */
	unsigned steps;
	uint64_t seen_ns; /* 0: a gap */
	uint64_t observed_ns, gc_ns;
	uint64_t pauses, pause_max;
	uint64_t allocated, promoted, events, lost_words;
	uint64_t
	    sampled_ns; /* of which the kernel's figures are: cpu, resident, throttled; known also in a gap */
	struct trend_value figures[TREND_FIGURE_COUNT];
};

struct trend;

/* `attach_ts` as in struct model_options.  NULL when memory ran out. */
struct trend *trend_create(uint64_t attach_ts);
void trend_destroy(struct trend *t);

/* A copy, to be read and destroyed; NULL when memory ran out. */
struct trend *trend_copy(const struct trend *from);

/* ---- what happens: for a watch ---- */

/* A pause of the program ended. */
void trend_pause(struct trend *t, uint64_t begin, uint64_t end);

/* Bytes were allocated in the minor heap, or promoted from it. */
void trend_allocated(struct trend *t, uint64_t ts, int64_t bytes);
void trend_promoted(struct trend *t, uint64_t ts, int64_t bytes);

/* A domain's heap has so many words; or it has none, or another one, from now on. */
void trend_heap(struct trend *t, unsigned domain, uint64_t ts, double words);
void trend_heap_forget(struct trend *t, unsigned domain);

/* So many events came between two stamps. */
void trend_events(struct trend *t, uint64_t from, uint64_t to, uint64_t count);

/* Words were lost after an event of this stamp. */
void trend_lost(struct trend *t, uint64_t ts, uint64_t words);

/* A domain was born or died; `m` has taken that in. */
void trend_life(struct trend *t, const struct model *m, unsigned domain, uint64_t ts, rtev_lifecycle event);

/* The process has been sampled: take in what is new. */
void trend_system(struct trend *t, const struct system_past *past);

/* A ring began anew, or another one is read. */
void trend_restart(struct trend *t, uint64_t ts);

/* Set a mark. */
void trend_mark(struct trend *t, enum trend_mark_kind kind, uint64_t from, uint64_t to, uint64_t value);

/*
 * The model's time has been set to now, and all events stamped before `watermark` have been delivered: settle what can be.
 * trend_finish: no more events will come.
 */
void trend_advance(struct trend *t, const struct model *m, uint64_t now, uint64_t watermark);
void trend_finish(struct trend *t, const struct model *m);

/* ---- as bytes ---- */

/* Write all of it into `room` bytes, of which TREND_SAVED are enough for all but the most varied weeks; else the oldest minutes are left out.
 * Returns how many bytes; 0: it can't be done. */
size_t trend_save(const struct trend *t, void *to, size_t room);
#define TREND_SAVED (3u << 19)

/* Become what was saved, and go on from there.  The bytes may be anybody's: false, and nothing is changed, when they are no
 * trend of a target of this kind (live, or a file). */
bool trend_load(struct trend *t, const void *data, size_t size);

/* Take over the steps of what was saved that were over by a stamp; after that trend_begin_at.  False likewise. */
bool trend_fill(struct trend *t, const void *data, size_t size, uint64_t until);

/* Count only what happens from a stamp on.  What is known of the domains is forgotten. */
void trend_begin_at(struct trend *t, uint64_t ts);

/* ---- what is known ---- */

/* From when until when something has been observed; false when nothing has. */
bool trend_range(const struct trend *t, uint64_t *from, uint64_t *to);

/* The finest tier whose steps go back to a stamp, TREND_TIER_COUNT for none; and the length of its steps. */
unsigned trend_tier_of(const struct trend *t, uint64_t ts);
uint64_t trend_step(unsigned tier);

/*
 * What is known of [from, to): the sum of all steps that begin in it, or of the one step that it lies in.  They are those of the
 * longest that the stretch is a multiple of at both ends, else of the finest tier that goes back so far.  False, and an empty span,
 * when nothing was seen of it.
 */
bool trend_read(const struct trend *t, uint64_t from, uint64_t to, struct trend_span *out);

/* The same of the steps of one tier. */
bool trend_read_tier(
    const struct trend *t, unsigned tier, uint64_t from, uint64_t to, struct trend_span *out);

/* The marks of a kind, oldest first; index 0 to trend_marks - 1. */
size_t trend_marks(const struct trend *t, enum trend_mark_kind kind);
const struct trend_mark *trend_mark_at(const struct trend *t, enum trend_mark_kind kind, size_t index);

/* Names and units.  Static storage. */
const char *trend_figure_name(enum trend_figure figure);
enum trend_unit trend_figure_unit(enum trend_figure figure);
const char *trend_mark_name(enum trend_mark_kind kind);

#endif
