/*
 * trend.h - where its user is in the trend.
 */
#ifndef UI_VIEWS_TREND_H
#define UI_VIEWS_TREND_H

#include <stdint.h>

/* The rest is private to trend.c; all zeros at the begin. */
struct trend_place {
	unsigned span;	 /* which of the spans of time */
	uint64_t cursor; /* a stamp in the column that is looked at, 0: the latest */
	int first;	 /* figure at the top */
	int figures;	 /* that there were in the last drawing; those it had room for; its columns */
	int shown;
	int cols;
	char why[80]; /* why the last key could not open a column */
};

#endif
