/*
 * mmu_feed.h - the utilisation of some domains, fed one event at a time.
 */
#pragma once

#include "model/model.h"
#include "support/test.h"
#include "watch/mmu.h"

#define MMU_DOMAINS 16

struct mmus {
	struct mmu of[MMU_DOMAINS];
};

static inline struct mmus *mmus_create(void)
{
	struct mmus *m = calloc(1, sizeof(*m));

	CHECK(m != NULL);
	return m;
}

static inline struct mmu *mmus_of(struct mmus *m, unsigned domain)
{
	return domain < MMU_DOMAINS ? &m->of[domain] : NULL;
}

static inline void mmus_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	if (depth == 0 && mmus_of(ctx, domain) != NULL)
		mmu_opened(mmus_of(ctx, domain), phase, ts);
}

static inline void mmus_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct pauses one = {.domain = domain};

	if (!span->pause || mmus_of(ctx, domain) == NULL)
		return;
	pauses_add(&one, span);
	mmu_pauses(mmus_of(ctx, domain), &one);
}

static inline void mmus_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	if (depth == 0 && mmus_of(ctx, domain) != NULL)
		mmu_lost(mmus_of(ctx, domain), begin);
}

static inline void mmus_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	if (gap->what == MODEL_GAP_FOUND && mmus_of(ctx, domain) != NULL)
		mmu_lost(mmus_of(ctx, domain), gap->from);
}

static inline void mmus_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	for (unsigned i = 0; turn == MODEL_RESET && i < MMU_DOMAINS; i++)
		mmu_forget(mmus_of(ctx, i));
}

static inline void mmus_observer(struct mmus *m, struct model_observer *out)
{
	*out = (struct model_observer){.ctx = m,
	    .opened = mmus_opened,
	    .closed = mmus_closed,
	    .dropped = mmus_dropped,
	    .gap = mmus_gap,
	    .turned = mmus_turned};
}
