/*
 * mmu_private.h - internals of an mmu, with the plain case of its events inline.
 *
 * The pause time in a sliding window has its maximum where the right edge is the end of a pause: from any
 * other position the window can move to such a position without losing pause time, to the right if its right
 * edge is in a pause, else to the left.  One sum for each pause and window is therefore enough.
 *
 * Pauses *wait* until there are MMU_WAITING of them, another second begins, or the minima are read.  If all of
 * them together can't make a new maximum, they need no sum each.
 */
#ifndef WATCH_MMU_PRIVATE_H
#define WATCH_MMU_PRIVATE_H

#include "watch/mmu.h"

#define MMU_WAITING 64
#define MMU_ROOM (MMU_PAUSES + MMU_PAUSES / 2) /* pauses that there is memory for */

struct mmu_pause {
	uint64_t begin;
	uint64_t end;
};

/* The most pause time in a window that ended in one second. */
struct mmu_second {
	uint64_t number;
	uint64_t most[MMU_WINDOWS];
};

/* Where a window begins: at or after the begin of the pause `tail`. */
struct mmu_edge {
	uint64_t sum; /* time of the pauses from `tail` on, without those that wait */
	unsigned tail;
};

struct mmu_domain {
	bool blind;	    /* a gap: observed anew from the next event on */
	bool open;	    /* a pause goes on since `begin` */
	unsigned count;	    /* pauses, ascending */
	unsigned taken;	    /* those from here on wait: */
	unsigned limit;	    /* no longer if there are so many pauses */
	unsigned second;    /* they ended in this one, which ends at */
	uint64_t second_to; /* 0: there is none */
	uint64_t waiting;   /* their time */
	uint64_t last;	    /* the end of the latest pause, 0 without one */
	uint64_t from;
	uint64_t begin;
	struct mmu_edge edges[MMU_WINDOWS];
	uint64_t most[MMU_WINDOWS]; /* since the reset; UNKNOWN: no window was wholly observed */
	struct mmu_second seconds[MMU_SECONDS + 1];
	struct mmu_pause pauses[MMU_ROOM];
};

struct mmu {
	struct mmu_domain *domains[MODEL_DOMAINS_MAX];
};

/* A pause begins, or a span that is none and has no other around it. */
static inline void mmu_take_opened(struct mmu *m, unsigned domain, rtev_phase phase, uint64_t ts)
{
	struct mmu_domain *d = m->domains[domain];

	if (d == NULL || d->blind) {
		mmu_opened(m, domain, phase, ts, 0);
		return;
	}
	d->open = phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
	d->begin = ts;
}

/* Let a pause wait that comes after all others. */
static inline void mmu_add(struct mmu_domain *d, uint64_t begin, uint64_t end)
{
	d->pauses[d->count++] = (struct mmu_pause){begin, end};
	d->waiting += end - begin;
	d->last = end;
}

/* A pause ends. */
static inline void mmu_take_closed(struct mmu *m, unsigned domain, const struct model_span *pause)
{
	struct mmu_domain *d = m->domains[domain];

	/* A blind one has no second. */
	if (d == NULL || pause->begin < d->last || pause->end >= d->second_to || d->count >= d->limit) {
		mmu_closed(m, domain, pause);
		return;
	}
	d->open = false;
	mmu_add(d, pause->begin, pause->end);
}

#endif
