/*
 * mmu.h - minimum mutator utilisation: the least share of any stretch of 1, 10 and 100 ms that was left to the
 * program, by domain.
 *
 * Pauses are those of the model.  Only stretches that were wholly observed count: a loss on the ring begins
 * anew.  The minimum is exact as long as no more than MMU_PAUSES pauses lie within 100 ms; more are counted as
 * if the oldest of them had not been.
 */
#ifndef WATCH_MMU_H
#define WATCH_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

#define MMU_WINDOWS 3
#define MMU_PAUSES 2048
#define MMU_SECONDS 60

extern const uint64_t mmu_windows[MMU_WINDOWS]; /* ns */

struct mmu;

/* NULL when memory ran out. */
struct mmu *mmu_create(void);
void mmu_destroy(struct mmu *m);

/* A copy, to be destroyed; NULL when memory ran out. */
struct mmu *mmu_copy(const struct mmu *from);

/* Fill in the observer that feeds it. */
void mmu_observer(struct mmu *m, struct model_observer *out);

/*
 * The minimum for each window, 0 to 1, since the begin or the model's reset (`span` 0), or in the last `span`
 * ns, at most MMU_SECONDS, moved down to a whole second.  A pause that goes on at `now` counts.  A domain that
 * has been observed for less than the window has NAN.  False for a domain without events.
 */
bool mmu_read(const struct mmu *m, unsigned domain, uint64_t now, uint64_t span, double out[MMU_WINDOWS]);

#endif
