/*
 * fuzz_trend.c - any bytes at all as a trend of a recording: what is taken for one is read and gone on with,
 * and saved it is the same.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "watch/trend_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read all of it: no figure is negative. */
static void read_all(struct trend *t)
{
	struct trend_span span;
	uint64_t from, to;

	trend_range(t, &from, &to);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		trend_read_tier(t, tier, 0, UINT64_MAX, &span);
		for (int f = 0; f < TREND_FIGURE_COUNT; f++)
			if (span.figures[f].value < 0 && f != TREND_HEAP)
				abort();
	}
	trend_read(t, from, to, &span);
	for (int k = 0; k < TREND_MARK_COUNT; k++)
		for (size_t i = 0; i < trend_marks(t, (enum trend_mark_kind)k); i++)
			if (trend_mark_at(t, (enum trend_mark_kind)k, i) == NULL)
				abort();
}

/* Go on with it: with something of each kind, at a stamp of its own and at a later one. */
static void go_on(struct trend *t)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = 1000});
	uint64_t from, to;

	if (m == NULL)
		abort();
	trend_range(t, &from, &to);
	for (int i = 0; i < 2; i++, to = to < UINT64_MAX / 2 ? to + 20 * TREND_SECOND : to) {
		trend_pause(t, to > 100 ? to - 100 : 0, to);
		trend_allocated(t, to, 4096);
		trend_heap(t, 1, to, 1000);
		trend_events(t, to, to, 10);
		trend_lost(t, to, 7);
		trend_advance(t, m, to, to);
	}
	trend_finish(t, m);
	model_destroy(m);
}

/* Take the bytes for a trend, in both ways. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t saved[2 * TREND_SAVED], again[2 * TREND_SAVED];
	struct trend *t = trend_create(1000), *other = trend_create(1000);

	if (t == NULL || other == NULL)
		abort();
	if (trend_load(t, data, size)) {
		size_t wrote = trend_save(t, saved, sizeof(saved));
		if (wrote == 0 || !trend_load(other, saved, wrote) ||
		    trend_save(other, again, sizeof(again)) != wrote || memcmp(saved, again, wrote) != 0)
			abort();
		read_all(t);
		go_on(t);
		read_all(t);
	}
	if (trend_fill(other, data, size, 600 * TREND_SECOND)) {
		trend_begin_at(other, 600 * TREND_SECOND);
		read_all(other);
		go_on(other);
	}
	trend_destroy(t);
	trend_destroy(other);
	return 0;
}
