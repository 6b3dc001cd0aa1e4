/*
 * bench_names.c - what it costs to take in user spans by the number of their names: scan, poll and model
 * together, as `stats` does it, and with callbacks that only count.  The ratio is against ten names.
 *
 * Two domains write spans in turns, a name after the other.  A turn reads 4096 events of each, some
 * milliseconds at 600 thousand events a second; writing them is not timed.  "cold": between turns something
 * else has used the caches of the core, as it does while a reader sleeps.
 */
#include "bench/bench.h"
#include "model/model.h"
#include "support/ring_image.h"

#define DOMAINS 2
#define RING_WORDS 65536u
#define SPANS 2048u /* of each domain in a turn */
#define TURNS 600
#define CACHES ((size_t)4 << 20)
#define FIRST 100 /* turns that meet the names for the first times */

static enum rtev_next count_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	(void)domain;
	*(uint64_t *)ctx += ts ^ event->generation ^ begin;
	return RTEV_CONTINUE;
}

/* Write what a turn reads. */
static void write_turn(struct ring_image *image, unsigned names, unsigned next[DOMAINS])
{
	for (unsigned d = 0; d < DOMAINS; d++) {
		for (unsigned i = 0; i < SPANS; i++) {
			image_span(image, d, next[d], true);
			image->clock += 50 + i % 64 * 10;
			image_span(image, d, next[d], false);
			next[d] = next[d] + 1 < names ? next[d] + 1 : 0;
		}
	}
}

/* Fill the caches with something else. */
static void use_caches(void)
{
	static uint64_t other[CACHES / sizeof(uint64_t)];

	for (size_t i = 0; i < CACHES / sizeof(uint64_t); i += 8)
		other[i]++;
}

/* The median cost of an event. */
static double measure(unsigned names, const struct rtev_callbacks *calls, void *ctx, bool cold)
{
	static double turns[TURNS];
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .release = RTEV_RELEASE_5_3, .start = RTEV_START_NEWEST};
	struct rtev_scan found = {.size = sizeof(found)};
	unsigned next[DOMAINS] = {0, names / 2};
	struct rtev_cursor *cursor;
	struct ring_image image;
	char name[32];

	image_init(&image, LAYOUT_5_1, DOMAINS, RING_WORDS);
	for (unsigned i = 0; i < names; i++) {
		snprintf(name, sizeof(name), "app.request.%u", i);
		image_name(&image, i, name);
	}
	if (rtev_cursor_open_memory(&cursor, image.base, image.size, &options) != RTEV_OK)
		bench_fail("open");
	for (unsigned i = 0; i < FIRST + TURNS; i++) {
		uint64_t consumed;
		write_turn(&image, names, next);
		if (cold)
			use_caches();
		uint64_t start = bench_now();
		rtev_cursor_scan(cursor, NULL, NULL, &found);
		rtev_cursor_poll(cursor, calls, ctx, 0, &consumed);
		if (i >= FIRST)
			turns[i - FIRST] = (double)(bench_now() - start) / (double)consumed;
		if (consumed != 2 * DOMAINS * SPANS)
			bench_fail("events");
	}
	rtev_cursor_close(cursor);
	image_fini(&image);
	return bench_median(turns, TURNS);
}

int main(void)
{
	static const unsigned counts[] = {10, 1000, 8000};
	static const char *const variants[] = {"count", "model", "model, cold"};
	struct rtev_callbacks counting = {.size = sizeof(counting), .user_span = count_span}, sinks;
	double few[3] = {0};
	char name[32];
	uint64_t sum = 0;

	model_callbacks(&sinks);
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(name, sizeof(name), "%u names", counts[i]);
		for (unsigned k = 0; k < 3; k++) {
			struct model *m = model_create(NULL);
			if (m == NULL)
				bench_fail("model_create");
			double figure = k == 0 ? measure(counts[i], &counting, &sum, false)
					       : measure(counts[i], &sinks, m, k == 2);
			few[k] = i == 0 ? figure : few[k];
			bench_line(name, variants[k], figure, few[k]);
			model_destroy(m);
		}
	}
	return sum == 42;
}
