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

struct mmu;

/* NULL when memory ran out. */
struct mmu *mmu_create(void);
void mmu_destroy(struct mmu *m);

/* Return a copy; NULL when memory ran out. */
struct mmu *mmu_copy(const struct mmu *from);

/* Fill in the observer that feeds an mmu. */
void mmu_observer(struct mmu *m, struct model_observer *out);

/* Frequent events, for an observer that passes these on itself: an outermost span began, and pauses ended. */
void mmu_opened(void *mmu, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth);
void mmu_pauses(struct mmu *m, const struct pauses *pauses);

/*
 * Read the minimum for each window, 0 to 1: since the begin or the model's reset (`span` 0), or in the last
 * `span` ns, at most MMU_SECONDS, rounded down to whole seconds.  A pause still open at `now` counts.  NAN if
 * the domain was observed for less than the window.  False if the domain has no events.
 */
bool mmu_read(struct mmu *m, unsigned domain, uint64_t now, uint64_t span, double out[MMU_WINDOWS]);
