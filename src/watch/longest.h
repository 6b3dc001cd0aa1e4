/*
 * longest.h - the ten longest spans of each name of the program's own, and what the collector did in them; the ten longest pauses
 * of each domain.
 *
 * A list is sorted: longest first, of equals the earlier first.  The part that pauses took out of a span is the
 * model's own figure, so the parts of all spans of a name add up to model_user.gc_ns.
 *
 * The longest pause inside a span is found among the *peaks* of its domain: the pauses that no later pause
 * exceeds, latest last.  There are few of them; of more than LONGEST_PEAKS the oldest is forgotten, and what it
 * may have been the longest of has no known pause.
 *
 * Memory is fixed: LONGEST_NAMES lists are made with the struct, and the peaks of a domain with its first pause.
 */
#ifndef WATCH_LONGEST_H
#define WATCH_LONGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

#define LONGEST_MAX 10
#define LONGEST_NAMES 1024 /* names that have a list, in the order of their first ends */
#define LONGEST_PEAKS 64
#define LONGEST_USERS 32 /* user spans open at one time that are looked at */

enum longest_pause { LONGEST_PAUSE_UNKNOWN, LONGEST_PAUSE_NONE, LONGEST_PAUSE_KNOWN };

struct longest_span {
	uint64_t begin, end;
	uint64_t
	    part; /* of a user span: ns that pauses took out of it; of a phase or a pause: its self time */
	/* Of a user span, its longest pause: the part of it that lies inside.  Of a pause, its phase. */
	enum longest_pause pause;
	rtev_phase pause_phase;
	uint64_t pause_ns;
	unsigned domain;
	/* Of a phase or a pause, user spans open on its domain when it ended: how many, LONGEST_USERS if there may be more, and else the slot
	 * of the latest begun. */
	uint32_t user_count, user_slot;
};

struct longest_list {
	uint64_t least; /* a shorter span is not among the longest */
	unsigned count;
	struct longest_span spans[LONGEST_MAX];
};

/* Put a span into a list; where it stands now, NULL when ten are longer. */
struct longest_span *longest_insert(struct longest_list *list, const struct longest_span *span);

/* The longest duration of a list, 0 of an empty one. */
static inline uint64_t longest_most(const struct longest_list *list)
{
	return list->count > 0 ? list->spans[0].end - list->spans[0].begin : 0;
}

struct longest;

/* NULL when memory ran out. */
struct longest *longest_create(void);
void longest_destroy(struct longest *l);

/* A copy to be read; NULL when memory ran out. */
struct longest *longest_copy(const struct longest *from);

/* Take in what a model's observer is told: a pause that ended (its place among the longest of its domain, for the caller to say
 * more of it, NULL when it is none of them), a user span that ended, a gap or a restart. */
struct longest_span *longest_pause(struct longest *l, unsigned domain, const struct model_span *pause);
void longest_user(
    struct longest *l, const struct model *m, unsigned domain, uint64_t begin, uint64_t end, unsigned slot);
void longest_gap(struct longest *l, unsigned domain);
void longest_reset(struct longest *l);

/* The list of a user slot; NULL: none of its spans has ended, or it is not among the first LONGEST_NAMES. */
const struct longest_list *longest_of(const struct longest *l, size_t slot);

/* The longest pauses of a domain; NULL: none has ended. */
const struct longest_list *longest_pauses(const struct longest *l, unsigned domain);

#endif
