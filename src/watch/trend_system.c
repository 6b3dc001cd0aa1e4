/*
 * trend_system.c - add the kernel's figures of the process to the steps of a trend.
 *
 * A sample comes about once a second.  The growth between two samples is spread over the steps they lie in.
 */
#include "watch/trend_private.h"

/* A longer row, after we were stopped, is ignored: it does not show when something happened. */
#define ROW_MAX (60 * TREND_SECOND)

/* Add to a 32-bit counter, which saturates. */
static void add(uint32_t *to, double more)
{
	double sum = (double)*to + more + 0.5;

	*to = sum >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/* Add the part of a row that lies in a step. */
static void cell_take(struct trend_cell *cell, const struct system_row *row, uint64_t part)
{
	uint64_t user, system, throttled, resident;
	double share = (double)part / (double)(row->to - row->from);

	if (system_row_get(row, SYSTEM_CPU_USER, &user) && system_row_get(row, SYSTEM_CPU_SYSTEM, &system)) {
		add(&cell->cpu, ((double)user + (double)system) * share / TREND_CPU_NS);
		add(&cell->sampled_us, (double)part / 1000);
	}
	if (system_row_get(row, SYSTEM_THROTTLED, &throttled)) {
		add(&cell->throttled_us, (double)throttled * share / 1000);
		cell->flags |= TREND_HAS_THROTTLED;
	}
	if (system_row_get(row, SYSTEM_RESIDENT, &resident)) {
		trend_level_take(&cell->resident, (cell->flags & TREND_HAS_RESIDENT) != 0, (float)resident);
		cell->flags |= TREND_HAS_RESIDENT;
	}
}

/* Add a row. */
static void row_take(struct trend *t, const struct system_row *row)
{
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		uint64_t length = trend_tier_rows[tier].length;
		for (uint64_t k = row->from / length; k <= (row->to - 1) / length; k++) {
			struct trend_cell *cell = trend_cell_make(t, tier, k);
			uint64_t begin = k * length > row->from ? k * length : row->from;
			uint64_t end = (k + 1) * length < row->to ? (k + 1) * length : row->to;
			if (cell != NULL)
				cell_take(cell, row, end - begin);
		}
	}
}

void trend_system(struct trend *t, const struct system_past *past)
{
	size_t count = system_past_count(past), i = count;

	while (i > 0 && system_past_row(past, i - 1)->to > t->sampled_to)
		i--;
	for (; i < count; i++) {
		const struct system_row *row = system_past_row(past, i);
		t->sampled_to = row->to;
		if (row->from < row->to && row->to - row->from <= ROW_MAX && trend_plausible(t, row->from) &&
		    trend_plausible(t, row->to))
			row_take(t, row);
	}
}
