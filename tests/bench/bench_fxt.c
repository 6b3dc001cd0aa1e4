/*
 * bench_fxt.c - what an event costs to write, beside a loop that only stores its two words.
 *
 * The cases take turns in each round, so that a slow moment of the machine meets them alike; each figure is
 * the median of the rounds.
 */
#include "bench/bench.h"
#include "rtev/fxt.h"

#define ROUNDS 15
#define EVENTS (1u << 21)
#define BUFFER_BYTES ((size_t)RTEV_FXT_BUFFER_BYTES)

static uint64_t buffer[BUFFER_BYTES / 8];

/* Store two words, again and again through one buffer. */
static void store_words(void)
{
	volatile uint64_t *at = buffer, *end = buffer + BUFFER_BYTES / 8;

	for (uint64_t i = 0; i < EVENTS; i++) {
		at[0] = i << 32;
		at[1] = i;
		at += 2;
		if (at == end)
			at = buffer;
	}
}

/* Write begins and ends in turn, to nowhere. */
static void put_events(void)
{
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w;
	rtev_fxt_thread thread;
	rtev_fxt_string category, name;

	bench_must(rtev_fxt_discard_create(&destination, 0));
	bench_must(rtev_fxt_writer_create(&w, destination, NULL));
	bench_must(rtev_fxt_intern(w, "gc", 2, &category));
	bench_must(rtev_fxt_intern(w, "minor", 5, &name));
	bench_must(rtev_fxt_set_thread_slot(w, 0, 1, 2, &thread));
	for (uint64_t i = 0; i < EVENTS; i += 2) {
		bench_must(rtev_fxt_duration_begin(w, RTEV_FXT_NO_ARGS, 1, category, name, i));
		bench_must(rtev_fxt_duration_end(w, RTEV_FXT_NO_ARGS, 1, category, name, i + 1));
	}
	bench_must(rtev_fxt_writer_close(w));
	rtev_fxt_writer_destroy(w);
}

int main(void)
{
	static double store[ROUNDS], put[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		double begin = bench_cpu();
		store_words();
		double between = bench_cpu();
		put_events();
		store[round] = (between - begin) / EVENTS;
		put[round] = (bench_cpu() - between) / EVENTS;
	}
	double words = bench_median(store, ROUNDS), events = bench_median(put, ROUNDS);
	printf(
	    "store two words %8.2f %8.2f\nput begin/end %8.2f %8.2f\n", words, 1.0, events, events / words);
	return 0;
}
