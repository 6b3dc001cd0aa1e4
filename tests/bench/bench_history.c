/*
 * bench_history.c - what keeping the past costs: ns an event going in, ns a record coming out.  The baseline is a
 * record of 24 bytes (stamp, number, value) written to a ring of 64 MiB.  What an event costs the whole of a watch is
 * measured by bench_watch, what a picture costs by bench_redraw.
 */
#include "bench/bench.h"
#include "support/feed.h"

#include "watch/history.h"

#define SECOND UINT64_C(1000000000)
#define ROUNDS 7
#define DOMAINS 8
#define RATE 100000u /* events a second, all domains */
#define SECONDS 60

static double baseline;

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
		to->counter(to->ctx, domain, ts += 200, RTEV_COUNTER_MINOR_PROMOTED, 40000 + (int64_t)r);
		to->counter(to->ctx, domain, ts += 100, RTEV_COUNTER_MINOR_ALLOCATED, 2097080);
		for (unsigned i = 0; i < 2; i++)
			feed_close(f, domain, ts += step / 4 + feed_below(seed, step));
		for (unsigned i = 0; i < 4; i++)
			feed_user_opened(to, domain, begun[i] = ts += step / 2 + feed_below(seed, step), i);
		for (unsigned i = 4; i-- > 0;)
			feed_user_closed(to, domain, begun[i], ts += step / 2 + feed_below(seed, step), i);
		feed_user(to, domain, ts += step, 5, 1000 + (int64_t)r);
		feed_user(to, domain, ts += step, 6, 0);
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
		double begin = bench_cpu();

		for (uint64_t i = 0; i < 2 * COUNT; i++) {
			volatile struct record *to = &ring[i % COUNT];

			to->ts = i;
			to->id = r;
			to->value = (int64_t)i;
		}
		ns[r] = bench_cpu() - begin;
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

static void none_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	*(volatile uint64_t *)ctx = event->begin + event->ts + domain + event->slot + (uint64_t)event->value;
}

/* Nanoseconds that writing some seconds takes, median, and how many events that is. */
static double time_writing(struct feed *f, const struct model_observer *to, unsigned span, uint64_t *events)
{
	double ns[ROUNDS];

	memset(f, 0, sizeof(*f));
	f->to = *to;
	write_all(f, 1, span);
	for (unsigned r = 0; r < ROUNDS; r++) {
		double begin = bench_cpu();

		*events = write_all(f, 1 + (r + 1) * (uint64_t)span, span);
		ns[r] = bench_cpu() - begin;
	}
	return bench_median(ns, ROUNDS);
}

static void bench_going_in(void)
{
	static struct feed f;
	uint64_t sink = 0, events;
	struct model_observer none = {
	    .ctx = &sink,
	    .opened = none_opened,
	    .closed = none_closed,
	    .counter = none_counter,
	    .user = none_user,
	};
	struct model_observer to;
	struct history *h = history_create(&f.paths, 0);
	double empty = time_writing(&f, &none, 10, &events), took;

	feed_history(h, &to);
	took = time_writing(&f, &to, 10, &events) - empty;
	report("history", "append event", &took, 1, (double)events);
	history_destroy(h);
}

static void bench_coming_out(void)
{
	static struct feed f;
	struct history *h = history_create(&f.paths, 0);
	struct history_record e;
	double ns[ROUNDS];
	uint64_t count = 0;

	feed_history(h, &f.to);
	write_all(&f, 1, SECONDS);
	for (unsigned r = 0; r < ROUNDS; r++) {
		double begin = bench_cpu();

		count = 0;
		for (unsigned d = 0; d < DOMAINS; d++) {
			struct history_cursor c;

			CHECK(history_seek(h, d, 0, &c));
			while (history_next(&c, UINT64_MAX, &e))
				count++;
		}
		ns[r] = bench_cpu() - begin;
	}
	report("history", "read record", ns, ROUNDS, (double)count);
	history_destroy(h);
}

int main(void)
{
	bench_baseline();
	bench_going_in();
	bench_coming_out();
	return 0;
}
