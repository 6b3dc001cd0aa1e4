/*
 * limits.c - compare figures with their limits.
 */
#include "core/std.h"
#include "figures/limits.h"

enum limit_level limit_level(enum limit limit, double value)
{
	static const struct {
		double attention, bad;
	} limits[LIMIT_COUNT] = {FIGURE_LIMITS(LIST_ROW)};

	if (isnan(value))
		return LEVEL_NONE;
	if (value <= 0 || value < limits[limit].attention)
		return LEVEL_GOOD;
	return value < limits[limit].bad ? LEVEL_ATTENTION : LEVEL_BAD;
}
