/*
 * longest.h - the ten longest user spans of each name, with the collector's part of them, and the ten longest
 * pauses of each domain.
 *
 * A list is sorted by descending duration; of equal spans the earlier one comes first.  The part of a span
 * that pauses took is the model's own value, so that the parts of all spans of a name add up to
 * model_user.gc_ns.
 *
 * The longest pause inside a span is found among the *peaks* of its domain: the pauses that no later pause
 * exceeds, latest last.  There are few of them.  Beyond LONGEST_PEAKS the oldest is forgotten; a span whose
 * longest pause may have been the forgotten one has no known pause.
 *
 * Memory is bounded: LONGEST_NAMES lists are allocated with the struct.
 */
#pragma once

#include "watch/pauses.h"

#define LONGEST_MAX 10
#define LONGEST_NAMES 1024 /* names with a list: the first whose spans ended */
#define LONGEST_PEAKS 64
#define LONGEST_USERS 32 /* open user spans that are examined at a time */

enum longest_pause { LONGEST_PAUSE_UNKNOWN, LONGEST_PAUSE_NONE, LONGEST_PAUSE_KNOWN };

struct longest_span {
	uint64_t begin, end;
	/* of a user span: nanoseconds that pauses took out of it; of a phase or a pause: its self time */
	uint64_t part;
	/* Of a user span: its longest pause, as far as it lies inside the span.  Of a pause: its phase. */
	enum longest_pause pause;
	rtev_phase pause_phase;
	uint64_t pause_ns;
	unsigned domain;
	/* Of a phase or a pause: the number of user spans open on its domain when it ended, LONGEST_USERS if
	 * there may be more; if there are not more, the slot of the one that began last. */
	uint32_t user_count, user_slot;
};

struct longest_list {
	uint64_t least; /* a shorter span does not enter the list */
	unsigned count;
	struct longest_span spans[LONGEST_MAX];
};

/* Insert a span into a list.  Returns its entry; NULL when ten spans are longer. */
struct longest_span *longest_insert(struct longest_list *list, const struct longest_span *span);

/* Return whether a span may enter a list.  Most spans as long as the shortest in the list came later than
 * it. */
static inline bool longest_enters(const struct longest_list *list, uint64_t begin, uint64_t duration)
{
	return duration > list->least ||
	       (duration == list->least && (duration == 0 || begin <= list->spans[LONGEST_MAX - 1].begin));
}

/* Return the longest duration in a list, 0 if it is empty. */
static inline uint64_t longest_most(const struct longest_list *list)
{
	return list->count > 0 ? list->spans[0].end - list->spans[0].begin : 0;
}

/* The longest pauses of a domain, and its peaks.  Zeroed at first, and copied as a whole. */
struct longest_peaks {
	struct longest_list pauses;

	/* private */
	uint64_t known_from; /* a pause inside a span that began earlier may have been forgotten */
	unsigned count;
	struct pause
	    peaks[LONGEST_PEAKS]; /* those that no later one exceeds, in descending order of duration */
};

struct longest;

/* NULL when memory ran out. */
struct longest *longest_create(void);
void longest_destroy(struct longest *l);

/* Return a copy for reading; NULL when memory ran out. */
struct longest *longest_copy(const struct longest *from);

/* Handle a pause that ended, which may be among the longest of its domain.  Returns its entry for the caller to complete, or
 * NULL.  A pause from `begin` on that is shorter than longest_least is not among them. */
struct longest_span *longest_pause(struct longest_peaks *p, unsigned domain, const struct model_span *pause);
uint64_t longest_least(const struct longest_peaks *p, uint64_t begin);

/* Look for peaks among all pauses of a domain that ended: before a user span ends on it, and before a gap. */
void longest_add(struct longest_peaks *p, const struct pauses *pauses);

/* Events were lost: stamps may go back, and open spans have been dropped. */
void longest_gap(struct longest_peaks *p);

/* A user span ended.  `p`: of its domain. */
void longest_user(struct longest *l, const struct longest_peaks *p, const struct model *m, unsigned domain,
    const struct model_user_event *span);

/* Empty the lists of spans, or a list. */
void longest_reset(struct longest *l);
void longest_clear(struct longest_list *list);

/* Return the list of a user slot; NULL when none of its spans has ended, or it is not among the first
 * LONGEST_NAMES. */
const struct longest_list *longest_of(const struct longest *l, size_t slot);
