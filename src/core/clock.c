/*
 * clock.c - read the clock of event stamps.
 */
#include "core/clock.h"

#include <time.h>

uint64_t monotonic_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
