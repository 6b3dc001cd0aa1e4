/*
 * apportion.c - the method of the largest remainder.
 */
#include "ui/widgets/apportion.h"

/* The part of a share not yet granted; a value of 0 gets nothing. */
static double owed(double value, double scale, int given)
{
	return value > 0 ? value * scale - given : -2;
}

void share_cells(const double *values, int count, int cells, int *out)
{
	double sum = 0;
	for (int i = 0; i < count; i++) {
		sum += values[i];
		out[i] = 0;
	}
	if (!(sum > 0) || cells <= 0)
		return;
	double scale = (double)cells / sum;
	int left = cells;
	for (int i = 0; i < count; i++) {
		double exact = values[i] * scale;
		/* The comparison guards against rounding errors in the sum. */
		out[i] = exact < left ? (int)exact : left;
		left -= out[i];
	}
	while (left > 0) {
		int best = 0;
		for (int i = 1; i < count; i++)
			if (owed(values[i], scale, out[i]) > owed(values[best], scale, out[best]))
				best = i;
		out[best]++;
		left--;
	}
}
