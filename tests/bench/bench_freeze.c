/*
 * bench_freeze.c - what freezing the screen costs: a copy of the watch, in time and memory, by the number of
 * domains.
 *
 * The history is full, every domain has sixteen kinds of user events, and the longest series are there: a
 * target that has run for two minutes.  An op is one copy, with giving it back.  "look back" is what the
 * header costs when one scrolls back to the earliest event that is kept: one walk through the history.
 */
#include <malloc.h>

#include "bench/bench.h"
#include "watch/rewind.h"
#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define ROUNDS 15
#define USERS 16

/* Two minutes of spans, counters and user events. */
static struct watch *make(unsigned domains)
{
	struct watch *w = watch_create(&(struct watch_options){.attach_ts = 1});
	struct rtev_callbacks calls;
	uint64_t ts = 1000 * MS, end = 121000 * MS, step = 120000 * MS / 10000000 * domains;

	if (w == NULL)
		bench_fail("making a watch");
	struct model *m = watch_model(w);
	model_callbacks(&calls);
	for (uint64_t n = 0, next = ts; ts < end; ts += step, n++) {
		for (unsigned d = 0; d < domains; d++) {
			struct rtev_user_event user = {
			    .id = (uint16_t)(n % USERS), .generation = 1, .name_len = 2};
			user.name[0] = 'e';
			user.name[1] = (char)('a' + n % USERS);
			calls.begin(m, d, ts, RTEV_PHASE_MINOR);
			calls.begin(m, d, ts + step / 9, (rtev_phase)(n % 20));
			calls.end(m, d, ts + step / 5, (rtev_phase)(n % 20));
			calls.end(m, d, ts + step / 4, RTEV_PHASE_MINOR);
			calls.counter(m, d, ts + step / 3, RTEV_COUNTER_MINOR_ALLOCATED, 4096);
			calls.user_int(m, d, ts + step / 2, &user, (int64_t)n);
		}
		if (ts >= next) {
			watch_advance(w, ts, ts);
			next += 250 * MS;
		}
	}
	return w;
}

/* Bytes handed out by malloc. */
static size_t in_use(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

int main(void)
{
	static const unsigned counts[] = {1, 8, 128};
	double baseline = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct watch *w = make(counts[i]);
		struct history_range range;
		double ns[ROUNDS];
		size_t bytes = 0;
		char variant[32];

		for (unsigned r = 0; r < ROUNDS; r++) {
			size_t before = in_use();
			uint64_t begin = bench_now();
			struct watch *copy = watch_copy(w);
			ns[r] = (double)(bench_now() - begin);
			if (copy == NULL)
				bench_fail("copying");
			bytes = in_use() - before;
			watch_destroy(copy);
		}
		snprintf(variant, sizeof(variant), "%u domains", counts[i]);
		double median = bench_median(ns, ROUNDS);
		baseline = i == 0 ? median : baseline;
		bench_line("freeze", variant, median, baseline);
		history_range(watch_history(w), &range);
		printf("    %.2f MiB beside a history of %.1f MiB\n", (double)bytes / 1048576,
		    (double)range.bytes / 1048576);
		/* The header of the earliest moment that one can scroll back to. */
		static struct rewind past;
		uint64_t begin = bench_now();
		bool known = rewind_to(&past, watch_model(w), watch_history(w), range.from);
		double far = (double)(bench_now() - begin);
		begin = bench_now();
		known = known && rewind_to(&past, watch_model(w), watch_history(w),
				     range.from + (range.to - range.from) / 50);
		if (!known)
			bench_fail("looking back");
		bench_line("look back", variant, far, far);
		bench_line("and on by a 50th", variant, (double)(bench_now() - begin), far);
		rewind_fini(&past);
		watch_destroy(w);
	}
	return 0;
}
