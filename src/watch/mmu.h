/*
 * mmu.h - minimum mutator utilisation: the smallest share of any interval of 1, 10 and 100 ms that the
 * program had, by domain.
 *
 * Pauses are those of the model.  Only fully observed intervals count; after a loss the measurement restarts.
 * The minimum is exact if at most MMU_PAUSES pauses lie within 100 ms; otherwise the oldest of them are
 * ignored.
 */
#pragma once

#include "watch/pauses.h"

#define MMU_WINDOWS 3
#define MMU_PAUSES 2048
#define MMU_SECONDS 60

extern const uint64_t mmu_windows[MMU_WINDOWS]; /* ns */

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
	uint64_t sum; /* time of the pauses from `tail` on */
	unsigned tail;
};

/* One domain.  Its members are private; zeroed at first, and copied as a whole. */
struct mmu {
	bool seen;    /* it had events */
	bool sighted; /* false at first, and after a gap: observation restarts at the next event */
	unsigned
	    open; /* pauses that began and were not added by mmu_pauses yet; at most one of them still lasts */
	unsigned count;	    /* pauses, ascending */
	unsigned second;    /* the second in which the latest pause ended */
	uint64_t second_to; /* end of that second; 0: there is none */
	uint64_t last;	    /* end of the latest pause; 0: none */
	uint64_t from;
	uint64_t begin; /* of the latest outermost span */
	struct mmu_edge edges[MMU_WINDOWS];
	uint64_t most[MMU_WINDOWS]; /* since the reset; UINT64_MAX: no window was wholly observed */
	struct mmu_second seconds[MMU_SECONDS + 1];
	struct mmu_pause pauses[MMU_PAUSES + MMU_PAUSES / 2];
};

/* An outermost span began. */
void mmu_opened(struct mmu *m, rtev_phase phase, uint64_t ts);

/* Pauses ended. */
void mmu_pauses(struct mmu *m, const struct pauses *pauses);

/* Events after `ts` were lost, or the end of an outermost span that began then: the open pause is forgotten. */
void mmu_lost(struct mmu *m, uint64_t ts);

/* Mark all minima as unknown, as at the beginning. */
void mmu_forget(struct mmu *m);

/*
 * Read the minimum for each window, 0 to 1: since the begin or mmu_forget (`span` 0), or in the last
 * `span` ns, at most MMU_SECONDS, rounded down to whole seconds.  A pause still open at `now` counts.  NAN if
 * the domain was observed for less than the window.  False if the domain (NULL: none) has no events.
 */
bool mmu_read(const struct mmu *m, uint64_t now, uint64_t span, double out[MMU_WINDOWS]);
