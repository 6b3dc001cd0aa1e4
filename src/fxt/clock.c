/*
 * clock.c - convert ticks to time.
 */
#include <time.h>

#include "core/clock.h"
#include "core/sized.h"
#include "rtev/fxt_reader.h"

#define SECOND UINT64_C(1000000000)
#define DEFAULT_SPAN (SECOND / 50)
#define LONGEST_SPAN (10 * SECOND)
#define LONGEST_SLEEP (18 * SECOND) /* ticks of a longer sleep times 10^9 might not fit 64 bits */

/* One moment on the tick counter and on the monotonic clock. */
struct moment {
	uint64_t ticks;
	uint64_t ns;
};

uint64_t rtev_fxt_ticks_now(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	return __builtin_ia32_rdtsc();
#else
	return monotonic_now();
#endif
}

/* Read both clocks as one moment.  Of several tries the one with the shortest time between the readings
 * counts, so that an interruption between them does no harm. */
static struct moment read_moment(uint64_t (*ticks)(void *ctx), void *ctx)
{
	struct moment best = {0};
	uint64_t best_width = UINT64_MAX;
	for (int i = 0; i < 8; i++) {
		uint64_t before = monotonic_now();
		uint64_t count = ticks != NULL ? ticks(ctx) : rtev_fxt_ticks_now();
		uint64_t width = monotonic_now() - before;
		if (width < best_width) {
			best = (struct moment){.ticks = count, .ns = before + width / 2};
			best_width = width;
		}
	}
	return best;
}

/* The wall clock in place of a tick counter. */
static uint64_t wall_clock(void *ctx)
{
	return clock_ns(CLOCK_REALTIME);
}

/* Sleep until a time of the monotonic clock. */
static void sleep_until(uint64_t ns)
{
	struct timespec until = {.tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND)};
	while (monotonic_now() < ns)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int rtev_fxt_calibrate(
    struct rtev_fxt_ticks *out, uint64_t (*clock)(void *ctx), void *clock_ctx, uint64_t span_ns)
{
	if (!sized_open(out) || span_ns > LONGEST_SPAN)
		return RTEV_E_INVALID;
	struct moment first = read_moment(clock, clock_ctx);
	sleep_until(first.ns + (span_ns == 0 ? DEFAULT_SPAN : span_ns));
	struct moment last = read_moment(clock, clock_ctx);
	struct moment wall = read_moment(wall_clock, NULL);

	uint64_t ticks = last.ticks - first.ticks, ns = last.ns - first.ns;
	if (last.ticks <= first.ticks || ns == 0 || ns > LONGEST_SLEEP)
		return RTEV_E_INVALID;
	uint64_t whole = ticks / ns, rest = ticks % ns;
	if (whole > UINT64_MAX / SECOND - 1)
		return RTEV_E_INVALID;
	uint64_t rate = whole * SECOND + (rest * SECOND + ns / 2) / ns;
	if (rate == 0)
		return RTEV_E_INVALID;
	const struct rtev_fxt_ticks found = {.per_second = rate,
	    .base_ticks = last.ticks,
	    .base_time = (int64_t)(wall.ticks - (wall.ns - last.ns))};
	sized_give(out, &found, sizeof(found));
	return RTEV_OK;
}

uint64_t rtev_fxt_ticks_to_ns(uint64_t per_second, uint64_t ticks)
{
	if (per_second == 0 || per_second == SECOND)
		return ticks;
	uint64_t seconds = ticks / per_second, rest = ticks % per_second, ns;
	if (per_second <= UINT64_MAX / SECOND)
		ns = rest * SECOND / per_second;
	else /* above 18 GHz an error in the last digit does not matter */
		ns = (uint64_t)((long double)rest * SECOND / (long double)per_second);
	if (seconds > (UINT64_MAX - ns) / SECOND)
		return UINT64_MAX;
	return seconds * SECOND + ns;
}
