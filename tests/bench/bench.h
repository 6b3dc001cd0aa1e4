/*
 * bench.h - what the benchmarks share: a clock, medians, and the one form of their lines.
 *
 * A line is "name variant ns/op ratio", the ratio being against the baseline of the same run.  Nothing is
 * judged here.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rtev/rtev.h"

/* Nanoseconds of the monotonic clock. */
static inline uint64_t bench_now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Nanoseconds that this thread has had a processor for: the machine may have other things to do. */
static inline double bench_cpu(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Order doubles. */
static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The median of n values, which are sorted in place. */
static inline double bench_median(double *values, size_t n)
{
	qsort(values, n, sizeof(values[0]), bench_compare);
	return values[n / 2];
}

/* Print one result. */
static inline void bench_line(const char *name, const char *variant, double ns, double baseline)
{
	printf("%-20s %-16s %9.2f ns/op %8.2fx\n", name, variant, ns, ns / baseline);
}

/* Give up: the benchmark itself went wrong. */
static inline void bench_fail(const char *what)
{
	fprintf(stderr, "bench: %s failed\n", what);
	exit(1);
}

/* Give up unless a call of the library went well. */
static inline void bench_must(int status)
{
	if (status != RTEV_OK)
		bench_fail(rtev_strerror(status));
}
