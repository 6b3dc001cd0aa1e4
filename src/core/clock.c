/*
 * clock.c - read the system's clocks.
 */
#include "core/clock.h"

uint64_t clock_ns(clockid_t id)
{
	struct timespec now = {0};

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t monotonic_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}
