/*
 * bench_history.c - what the time-dependent half of the model costs: ns an event going in, ns an event or a
 * picture coming out.  The baseline is a record of 24 bytes (stamp, number, value) written to a ring of 64
 * MiB.
 */
#include "bench/bench.h"
#include "support/feed.h"

#include "watch/flame.h"
#include "watch/history.h"
#include "watch/stw.h"
#include "watch/timeline.h"

#define SECOND UINT64_C(1000000000)
#define ROUNDS 7
#define DOMAINS 8
#define RATE 100000u /* events a second, all domains */
#define SECONDS 60

static double baseline;

/* Nanoseconds that this thread has had the processor for: the machine may have other things to do. */
static uint64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

/* Print the median of some rounds, given in ns, as ns for each of `count` things; the first line is the
 * baseline. */
static void report(const char *name, const char *variant, double *ns, size_t rounds, double count)
{
	double each = bench_median(ns, rounds) / count;

	if (baseline == 0)
		baseline = each;
	bench_line(name, variant, each, baseline);
}

/* What `domain` does in [from, from + SECOND): minor collections of ten events with counters, user spans and
 * ints.  Returns the events written. */
static unsigned write_second(struct feed *f, unsigned domain, uint64_t from, uint64_t *seed)
{
	static const rtev_phase phases[] = {RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR,
	    RTEV_PHASE_MINOR_REMEMBERED_SET, RTEV_PHASE_MINOR_LOCAL_ROOTS};
	const struct model_observer *to = &f->to;
	uint64_t step = SECOND * DOMAINS / RATE, ts = from;
	unsigned rounds = RATE / DOMAINS / 20;

	for (unsigned r = 0; r < rounds; r++) {
		uint64_t begun[4];

		for (unsigned i = 0; i < 4; i++)
			feed_open(f, domain, phases[i], ts += step / 4 + feed_below(seed, step));
		for (unsigned i = 0; i < 2; i++)
			feed_close(f, domain, ts += step / 4 + feed_below(seed, step));
		if (to->counter != NULL) {
			to->counter(
			    to->ctx, domain, ts += 200, RTEV_COUNTER_MINOR_PROMOTED, 40000 + (int64_t)r);
			to->counter(to->ctx, domain, ts += 100, RTEV_COUNTER_MINOR_ALLOCATED, 2097080);
		}
		for (unsigned i = 0; i < 2; i++)
			feed_close(f, domain, ts += step / 4 + feed_below(seed, step));
		if (to->user == NULL || to->user_closed == NULL)
			continue;
		for (unsigned i = 0; i < 4; i++)
			to->user_opened(
			    to->ctx, domain, begun[i] = ts += step / 2 + feed_below(seed, step), i);
		for (unsigned i = 4; i-- > 0;)
			to->user_closed(
			    to->ctx, domain, begun[i], ts += step / 2 + feed_below(seed, step), i);
		to->user(to->ctx, domain, ts += step, 5, 1000 + (int64_t)r);
		to->user(to->ctx, domain, ts += step, 6, 0);
	}
	return rounds * 20;
}

/* Write `seconds` from `first` on for all domains; returns the events. */
static uint64_t write_all(struct feed *f, uint64_t first, unsigned seconds)
{
	uint64_t events = 0, seed = 3;

	for (unsigned s = 0; s < seconds; s++)
		for (unsigned d = 0; d < DOMAINS; d++)
			events += write_second(f, d, (first + s) * SECOND, &seed);
	return events;
}

struct record {
	uint64_t ts;
	uint64_t id;
	int64_t value;
};

static void bench_baseline(void)
{
	enum { COUNT = 2796202 };
	struct record *ring = calloc(COUNT, sizeof(*ring));
	double ns[ROUNDS];

	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t begin = cpu_now();

		for (uint64_t i = 0; i < 2 * COUNT; i++) {
			volatile struct record *to = &ring[i % COUNT];

			to->ts = i;
			to->id = r;
			to->value = (int64_t)i;
		}
		ns[r] = (double)(cpu_now() - begin);
	}
	report("plain record", "baseline", ns, ROUNDS, 2 * COUNT);
	free(ring);
}

/* Observers that do nothing, to subtract what making the events costs. */
static void none_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	*(volatile uint64_t *)ctx = ts + domain + phase + depth;
}

static void none_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	*(volatile uint64_t *)ctx = span->end + domain;
}

static void none_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	*(volatile uint64_t *)ctx = ts + domain + counter + (uint64_t)value;
}

static void none_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	*(volatile uint64_t *)ctx = ts + domain + slot + (uint64_t)value;
}

static void none_user_opened(void *ctx, unsigned domain, uint64_t ts, unsigned slot)
{
	*(volatile uint64_t *)ctx = ts + domain + slot;
}

static void none_user_closed(void *ctx, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	*(volatile uint64_t *)ctx = begin + end + domain + slot;
}

/* Nanoseconds that writing some seconds takes, median, and how many events that is. */
static double time_writing(struct feed *f, const struct model_observer *to, unsigned span, uint64_t *events)
{
	double ns[ROUNDS];

	memset(f, 0, sizeof(*f));
	f->to = *to;
	write_all(f, 1, span);
	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t begin = cpu_now();

		*events = write_all(f, 1 + (r + 1) * (uint64_t)span, span);
		ns[r] = (double)(cpu_now() - begin);
	}
	return bench_median(ns, ROUNDS);
}

static void bench_going_in(void)
{
	static struct feed f;
	uint64_t sink = 0, events, spans;
	struct model_observer none = {
	    .ctx = &sink,
	    .opened = none_opened,
	    .closed = none_closed,
	    .counter = none_counter,
	    .user = none_user,
	    .user_opened = none_user_opened,
	    .user_closed = none_user_closed,
	};
	struct model_observer to;
	struct history *h = history_create(0);
	struct flame *flame = flame_create();
	struct stw *s = stw_create();
	double empty = time_writing(&f, &none, 10, &events), empty_spans, took;

	history_observer(h, &to);
	took = time_writing(&f, &to, 10, &events) - empty;
	report("history", "append event", &took, 1, (double)events);
	none.counter = NULL;
	none.user = NULL;
	empty_spans = time_writing(&f, &none, 10, &events);
	spans = events / 20 * 4;
	flame_observer(flame, &to);
	to.counter = NULL;
	to.user = NULL;
	took = time_writing(&f, &to, 10, &events) - empty_spans;
	report("flame", "open+close span", &took, 1, (double)spans);
	stw_observer(s, &to);
	took = time_writing(&f, &to, 10, &events) - empty_spans;
	report("stw", "open+close span", &took, 1, (double)spans);
	stw_destroy(s);
	flame_destroy(flame);
	history_destroy(h);
}

/* Eight timelines of 120 columns, the last `span` ns until `now`. */
static uint64_t draw(struct timeline **t, const struct history *h, uint64_t now, uint64_t span, bool anew)
{
	uint64_t decoded = 0;

	for (unsigned d = 0; d < DOMAINS; d++) {
		struct timeline_query q = {.history = h, .domain = d, .columns = 120, .now = now};
		struct timeline_view v;

		if (anew)
			timeline_forget(t[d]);
		timeline_align(now, span, q.columns, &q.t0, &q.width);
		CHECK(timeline_read(t[d], &q, &v));
		decoded += v.decoded;
	}
	return decoded;
}

/* Time drawing `span` anew each time. */
static void bench_drawing(
    const char *name, struct timeline **t, const struct history *h, uint64_t now, uint64_t span)
{
	double ns[ROUNDS];
	uint64_t decoded = 0;

	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t begin = cpu_now();

		decoded = draw(t, h, now, span, true);
		ns[r] = (double)(cpu_now() - begin);
	}
	report("timeline 8x120", name, ns, ROUNDS, 1);
	printf("    %" PRIu64 " events, %.1f ns each\n", decoded, ns[ROUNDS / 2] / (double)decoded);
}

static void bench_coming_out(void)
{
	static struct feed f;
	struct history *h = history_create(0);
	struct timeline *t[DOMAINS];
	struct flame_past *past = flame_past_create();
	struct history_range range;
	struct history_event e;
	double ns[ROUNDS];
	uint64_t events, now, count = 0;

	history_observer(h, &f.to);
	for (unsigned d = 0; d < DOMAINS; d++)
		t[d] = timeline_create();
	events = write_all(&f, 1, SECONDS);
	history_range(h, &range);
	now = range.to;
	printf("    %" PRIu64 " events kept in %.1f MiB, %.2f bytes each\n", events,
	    (double)range.bytes / 1048576, (double)range.bytes / (double)events);
	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t begin = cpu_now();

		count = 0;
		for (unsigned d = 0; d < DOMAINS; d++) {
			struct history_cursor c;

			CHECK(history_seek(h, d, 0, &c));
			while (history_next(&c, UINT64_MAX, &e))
				count++;
		}
		ns[r] = (double)(cpu_now() - begin);
	}
	report("history", "read event", ns, ROUNDS, (double)count);
	for (unsigned r = 0; r < ROUNDS; r++) {
		struct history_cursor c;
		uint64_t begin = cpu_now();

		for (unsigned i = 0; i < 1000; i++)
			CHECK(history_seek(h, i % DOMAINS, SECOND + (uint64_t)i * 59 * SECOND / 1000, &c));
		ns[r] = (double)(cpu_now() - begin);
	}
	report("history", "seek", ns, ROUNDS, 1000);
	bench_drawing("5 s anew", t, h, now, 5 * SECOND);
	bench_drawing("60 s anew", t, h, now, 60 * SECOND);
	bench_drawing("1 ms anew", t, h, now - 5 * SECOND - SECOND / 4, SECOND / 1000);
	/* As on the screen: half a second later. */
	draw(t, h, now, 5 * SECOND, true);
	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t begin;

		events = write_all(&f, SECONDS + 1 + r, 1);
		begin = cpu_now();
		count = draw(t, h, now + (r + 1) * SECOND, 5 * SECOND, false);
		ns[r] = (double)(cpu_now() - begin) / 2;
	}
	report("timeline 8x120", "5 s, 0.5 s on", ns, ROUNDS, 1);
	printf("    %" PRIu64 " events\n", count / 2);
	for (unsigned r = 0; r < ROUNDS; r++) {
		struct flame_past_query q = {.history = h, .from = now - 5 * SECOND, .to = now, .now = now};
		struct flame_view v;
		uint64_t begin = cpu_now();

		for (q.domain = 0; q.domain < DOMAINS; q.domain++)
			CHECK(flame_past_read(past, &q, &v));
		ns[r] = (double)(cpu_now() - begin);
	}
	report("flame of the past", "8 domains, 5 s", ns, ROUNDS, 1);
	flame_past_destroy(past);
	for (unsigned d = 0; d < DOMAINS; d++)
		timeline_destroy(t[d]);
	history_destroy(h);
}

static void bench_flame_read(void)
{
	static struct feed f;
	struct flame *flame = flame_create();
	double ns[ROUNDS];

	flame_observer(flame, &f.to);
	f.to.counter = NULL;
	f.to.user = NULL;
	write_all(&f, 1, 5);
	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t begin = cpu_now();

		for (unsigned i = 0; i < 1000; i++) {
			struct flame_query q = {
			    .domain = i % DOMAINS, .now = 6 * SECOND, .window = FLAME_WINDOW_DEFAULT};
			struct flame_view v;

			CHECK(flame_read(flame, &q, &v));
		}
		ns[r] = (double)(cpu_now() - begin);
	}
	report("flame", "read graph, 5 s", ns, ROUNDS, 1000);
	flame_destroy(flame);
}

int main(void)
{
	bench_baseline();
	bench_going_in();
	bench_flame_read();
	bench_coming_out();
	return 0;
}
