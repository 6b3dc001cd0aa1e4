/*
 * bench_model.c - what the model costs for each event, beside callbacks that only count.
 *
 * Each variant is a made-up stream handed to the callbacks in a loop: "nested" is what a minor collection
 * looks like, ten spans with two counters; "flat" is pauses with nothing inside; "user" spans and integers.
 * Four domains take turns, as a poll visits rings.
 */
#include "bench/bench.h"
#include "model/model.h"

#define DOMAINS 4
#define BATCH 4096
#define ROUNDS 60

enum kind { BEGIN, END, COUNTER, USER_BEGIN, USER_END, USER_INT };

struct event {
	uint64_t ts;
	enum kind kind;
	uint16_t number;
};

struct stream {
	const char *name;
	struct event events[BATCH];
	size_t count;
};

/* A sink that only counts. */
static enum rtev_next count_span(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	uint64_t *count = ctx;

	(void)domain, (void)ts, (void)phase;
	++*count;
	return RTEV_CONTINUE;
}

/* A sink that only counts. */
static enum rtev_next count_counter(
    void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	uint64_t *count = ctx;

	(void)domain, (void)ts, (void)counter, (void)value;
	++*count;
	return RTEV_CONTINUE;
}

/* A sink that only counts. */
static enum rtev_next count_user_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	uint64_t *count = ctx;

	(void)domain, (void)ts, (void)event, (void)begin;
	++*count;
	return RTEV_CONTINUE;
}

/* A sink that only counts. */
static enum rtev_next count_user_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	uint64_t *count = ctx;

	(void)domain, (void)ts, (void)event, (void)value;
	++*count;
	return RTEV_CONTINUE;
}

/* Add an event some time after the one before it. */
static void put(struct stream *s, enum kind kind, unsigned number)
{
	uint64_t last = s->count == 0 ? 0 : s->events[s->count - 1].ts;

	if (s->count == BATCH)
		bench_fail("making a stream");
	s->events[s->count] = (struct event){
	    .ts = last + 40 + s->count * 7919 % 3001, .kind = kind, .number = (uint16_t)number};
	s->count++;
}

/* Minor collections, as 5.3 records them. */
static void make_nested(struct stream *s)
{
	static const uint16_t inside[] = {RTEV_PHASE_MINOR_GLOBAL_ROOTS, RTEV_PHASE_MINOR_REMEMBERED_SET,
	    RTEV_PHASE_MINOR_FINALIZERS_OLDIFY, RTEV_PHASE_MINOR_LOCAL_ROOTS, RTEV_PHASE_MINOR_CLEAR};

	s->name = "nested";
	while (s->count + 24 <= BATCH) {
		put(s, BEGIN, RTEV_PHASE_STW_LEADER);
		put(s, BEGIN, RTEV_PHASE_MINOR);
		for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
			put(s, BEGIN, inside[i]);
			put(s, END, inside[i]);
		}
		put(s, COUNTER, RTEV_COUNTER_MINOR_PROMOTED);
		put(s, COUNTER, RTEV_COUNTER_MINOR_ALLOCATED);
		put(s, END, RTEV_PHASE_MINOR);
		put(s, BEGIN, RTEV_PHASE_MINOR_LEAVE_BARRIER);
		put(s, END, RTEV_PHASE_MINOR_LEAVE_BARRIER);
		put(s, END, RTEV_PHASE_STW_LEADER);
	}
}

/* Pauses without anything inside. */
static void make_flat(struct stream *s)
{
	s->name = "flat";
	while (s->count + 2 <= BATCH) {
		put(s, BEGIN, RTEV_PHASE_MAJOR_SLICE);
		put(s, END, RTEV_PHASE_MAJOR_SLICE);
	}
}

/* User spans and integers of sixteen names. */
static void make_user(struct stream *s)
{
	s->name = "user";
	for (unsigned i = 0; s->count + 3 <= BATCH; i = (i + 1) % 16) {
		put(s, USER_BEGIN, i);
		put(s, USER_INT, 16 + i);
		put(s, USER_END, i);
	}
}

/* Hand a stream to callbacks. */
static void feed(const struct stream *s, const struct rtev_callbacks *cb, void *ctx,
    const struct rtev_user_event *users, uint64_t base)
{
	for (unsigned d = 0; d < DOMAINS; d++) {
		for (size_t i = 0; i < s->count; i++) {
			const struct event *e = &s->events[i];
			uint64_t ts = base + e->ts;

			switch (e->kind) {
			case BEGIN:
				cb->begin(ctx, d, ts, e->number);
				break;
			case END:
				cb->end(ctx, d, ts, e->number);
				break;
			case COUNTER:
				cb->counter(ctx, d, ts, e->number, 4096);
				break;
			case USER_BEGIN:
				cb->user_span(ctx, d, ts, &users[e->number], true);
				break;
			case USER_END:
				cb->user_span(ctx, d, ts, &users[e->number], false);
				break;
			case USER_INT:
				cb->user_int(ctx, d, ts, &users[e->number], (int64_t)i);
				break;
			}
		}
	}
}

/* The median cost of an event of a stream. */
static double measure(
    const struct stream *s, const struct rtev_callbacks *cb, void *ctx, const struct rtev_user_event *users)
{
	double rounds[ROUNDS];
	uint64_t base = 1000000;

	for (size_t r = 0; r < ROUNDS; r++) {
		uint64_t start = bench_now();

		for (unsigned k = 0; k < 10; k++) {
			feed(s, cb, ctx, users, base);
			base += s->events[s->count - 1].ts + 1000;
		}
		rounds[r] = (double)(bench_now() - start) / (10.0 * DOMAINS * (double)s->count);
	}
	return bench_median(rounds, ROUNDS);
}

/* Measure one stream with the counting sinks and with a model. */
static void run(const struct stream *s, const struct rtev_user_event *users)
{
	struct rtev_callbacks counting = {.size = sizeof(counting),
	    .begin = count_span,
	    .end = count_span,
	    .counter = count_counter,
	    .user_span = count_user_span,
	    .user_int = count_user_int};
	struct rtev_callbacks sinks;
	struct model *m = model_create(NULL);
	struct model_totals totals;
	uint64_t count = 0;
	double baseline;

	if (m == NULL)
		bench_fail("model_create");
	model_callbacks(&sinks);
	baseline = measure(s, &counting, &count, users);
	bench_line("count", s->name, baseline, baseline);
	bench_line("model", s->name, measure(s, &sinks, m, users), baseline);
	model_totals(m, &totals);
	if (totals.events != count || totals.dropped != 0)
		bench_fail("counting");
	model_destroy(m);
}

int main(void)
{
	static struct stream nested, flat, user;
	static struct rtev_user_event users[32];

	for (unsigned i = 0; i < 32; i++) {
		users[i].id = (uint16_t)i;
		users[i].generation = 1;
		users[i].name_len = (uint16_t)snprintf(users[i].name, sizeof(users[i].name), "event.%u", i);
	}
	make_nested(&nested);
	make_flat(&flat);
	make_user(&user);
	run(&nested, users);
	run(&flat, users);
	run(&user, users);
	return 0;
}
