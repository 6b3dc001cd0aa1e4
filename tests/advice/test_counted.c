/*
 * test_counted.c - findings of a target that records no events, by the counters in its memory: only those that need no
 * durations, and each says what it rests on.
 */
#include <string.h>

#include "advice/advice.h"
#include "support/test.h"

#define S UINT64_C(1000000000)
#define ATTACH S
#define SAMPLE (S / 10)

/* What a domain does in a tenth of a second, and what is alive in its heap, and by how much that grows, in words. */
struct doing {
	uint64_t minors, majors;
	int64_t allocated, promoted;
	double live, grows;
};

/* Two domains that do so for some seconds, and what is found then. */
static const struct advice_finding *found(
    const struct doing *doing, unsigned seconds, const char *name, const char **why)
{
	static struct model *m;
	static struct stw *stw;
	static struct advice *a;
	struct model_observer observer;
	size_t count;

	advice_destroy(a);
	stw_destroy(stw);
	model_destroy(m);
	m = model_create(&(struct model_options){.attach_ts = ATTACH});
	stw = stw_create();
	stw_observer(stw, &observer);
	CHECK(model_observe(m, &observer));
	a = advice_create(&(struct advice_options){0}, m, stw, NULL, NULL);
	CHECK(a != NULL);
	model_off(m, ATTACH);
	for (unsigned i = 0; i < 10 * seconds; i++) {
		const uint64_t from = ATTACH + i * SAMPLE, to = from + SAMPLE;
		const struct model_counts grown = {.minors = doing->minors,
		    .majors = doing->majors,
		    .allocated = doing->allocated,
		    .promoted = doing->promoted};
		const double live = doing->live + i * doing->grows, all = 2 * live;
		const uint64_t size = (uint64_t)live;
		model_count_span(m, from, to);
		for (unsigned d = 0; d < 2; d++)
			model_count(m, d, from, to, &grown);
		model_look(m, to,
		    &(struct model_look){.heap = {all, all, all, 0, 0},
			.domains = {{0, size, 256 << 10, 1000}, {1, size, 256 << 10, 1000}},
			.count = 2});
		model_set_now(m, to);
		advice_advance(a, to);
	}
	const struct advice_left_out *left = advice_left_out(a, &count);
	*why = "";
	for (size_t i = 0; i < count; i++)
		if (strcmp(left[i].name, name) == 0)
			*why = left[i].why;
	const struct advice_finding *f = advice_findings(a, &count);
	for (size_t i = 0; i < count; i++) {
		CHECK(strstr(f[i].text, "; by counters in its memory alone") != NULL);
		if (strcmp(f[i].name, name) == 0)
			return &f[i];
	}
	return NULL;
}

/* A minor heap of 2 MiB that is full twenty times a second and more, half of which is promoted. */
static const struct doing promotes = {
    .minors = 5, .majors = 1, .allocated = 10 << 20, .promoted = 5 << 20, .live = 100000};

TEST(what_is_promoted_and_dies)
{
	const char *why;
	const struct advice_finding *f = found(&promotes, 30, "minor_heap_small", &why);

	CHECK(f != NULL);
	CHECK_INT(f->severity, ADVICE_HINT);
	CHECK_INT(f->confidence, ADVICE_ESTIMATED);
	CHECK(strncmp(f->setting, "s=", 2) == 0);
	CHECK(strstr(f->text, "promotes 50%") != NULL);
}

TEST(what_lives_is_no_sickness)
{
	struct doing doing = promotes;
	const char *why;

	/* Of what is promoted in the window a tenth and more is alive. */
	doing.live = 300e6;
	CHECK(found(&doing, 30, "minor_heap_small", &why) == NULL);
	doing = promotes;
	doing.promoted = doing.allocated / 20;
	CHECK(found(&doing, 30, "minor_heap_small", &why) == NULL);
	doing = promotes;
	doing.minors = 1;
	CHECK(found(&doing, 30, "minor_heap_small", &why) == NULL);
}

/* It unmarshals 160 MB a second: that no cycle ends is known without events; what asked for work is not. */
TEST(a_heap_that_grows_without_a_cycle)
{
	struct doing doing = {.live = 1e6, .grows = 1e6};
	const char *why;
	const struct advice_finding *f = found(&doing, 13, "heap_no_cycle", &why);

	CHECK(f != NULL && f->lasting);
	CHECK_STR(f->text, "The heap grew by 1.92GB in 12s and no major cycle ended (Marshal asks for none "
			   "for what it reads)"
			   "; by counters in its memory alone");
	CHECK_NEAR(f->bytes, 1.92e9, 1e7);
	/* Slices may be at work, unseen: up to what o allows is no sign of trouble. */
	doing.live = 60e6;
	CHECK(found(&doing, 13, "heap_no_cycle", &why) == NULL);
	CHECK(strstr(why, "what o allows") != NULL);
	doing = (struct doing){.majors = 1, .live = 1e6, .grows = 1e6};
	CHECK(found(&doing, 13, "heap_no_cycle", &why) == NULL);
	doing = (struct doing){.live = 1e6};
	CHECK(found(&doing, 13, "heap_no_cycle", &why) == NULL);
}

/* It records for three seconds and pauses for twenty: what a report says of GC is of the three. */
TEST(what_was_recorded_is_told)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	struct stw *stw = stw_create();
	struct advice *a = advice_create(&(struct advice_options){.whole = true}, m, stw, NULL, NULL);
	struct rtev_callbacks calls;

	CHECK(m != NULL && stw != NULL && a != NULL);
	model_callbacks(&calls);
	for (unsigned i = 0; i < 30; i++) {
		calls.begin(m, 0, ATTACH + i * SAMPLE, RTEV_PHASE_MINOR);
		calls.end(m, 0, ATTACH + i * SAMPLE + SAMPLE / 10, RTEV_PHASE_MINOR);
	}
	model_off(m, ATTACH + 3 * S);
	for (unsigned i = 3; i < 23; i++) {
		model_count_span(m, ATTACH + i * S, ATTACH + (i + 1) * S);
		model_set_now(m, ATTACH + (i + 1) * S);
	}
	advice_finish(a, ATTACH + 23 * S);
	CHECK_NEAR(advice_seen(a)->gc, 0.1, 0.01);
	CHECK_INT(advice_seen(a)->longest, SAMPLE / 10);
	advice_destroy(a);
	stw_destroy(stw);
	model_destroy(m);
}

/* It records for twelve seconds and pauses for thirty: while these are in the window, it is judged by events. */
TEST(events_that_are_enough_are_heeded)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	struct stw *stw = stw_create();
	struct model_observer observer;
	struct advice *a;
	struct rtev_callbacks calls;
	size_t count;

	CHECK(m != NULL && stw != NULL);
	stw_observer(stw, &observer);
	CHECK(model_observe(m, &observer));
	a = advice_create(&(struct advice_options){0}, m, stw, NULL, NULL);
	CHECK(a != NULL);
	model_callbacks(&calls);
	for (unsigned i = 0; i < 120; i++) {
		calls.begin(m, 0, ATTACH + i * SAMPLE, RTEV_PHASE_MINOR);
		calls.end(m, 0, ATTACH + i * SAMPLE + SAMPLE / 10, RTEV_PHASE_MINOR);
		advice_advance(a, ATTACH + i * SAMPLE + SAMPLE / 5);
	}
	model_off(m, ATTACH + 12 * S);
	for (unsigned i = 12; i < 42; i++) {
		model_count_span(m, ATTACH + i * S, ATTACH + (i + 1) * S);
		model_set_now(m, ATTACH + (i + 1) * S);
		advice_advance(a, ATTACH + (i + 1) * S);
	}
	CHECK_NEAR(advice_seen(a)->gc, 0.1, 0.01);
	const struct advice_finding *f = advice_findings(a, &count);
	bool paused = false;
	for (size_t i = 0; i < count; i++)
		paused = paused || strcmp(f[i].name, "tracing_paused") == 0;
	CHECK(paused);
	advice_destroy(a);
	stw_destroy(stw);
	model_destroy(m);
}

/* It pauses for eight tenths of each second, of which memory tells: that is found all the same. */
TEST(pauses_are_told)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	struct stw *stw = stw_create();
	struct advice *a = advice_create(&(struct advice_options){0}, m, stw, NULL, NULL);
	struct rtev_callbacks calls;
	size_t count;

	CHECK(m != NULL && stw != NULL && a != NULL);
	model_callbacks(&calls);
	for (unsigned i = 0; i < 30; i++) {
		const uint64_t at = ATTACH + i * S;
		calls.begin(m, 0, at, RTEV_PHASE_MINOR);
		calls.end(m, 0, at + 2 * SAMPLE, RTEV_PHASE_MINOR);
		model_off(m, at + 2 * SAMPLE);
		model_count_span(m, at + 2 * SAMPLE, at + S);
		model_set_now(m, at + S);
		advice_advance(a, at + S);
	}
	const struct advice_finding *f = advice_findings(a, &count);
	CHECK_INT(count, 1);
	CHECK_STR(f->text, "The program paused its events for 80% of the time: all figures are of the rest");
	advice_destroy(a);
	stw_destroy(stw);
	model_destroy(m);
}

/* Seen for four tenths of each second, and collecting for half of that: the share of GC is of what was seen. */
TEST(the_share_of_gc_is_of_what_was_seen)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	struct stw *stw = stw_create();
	struct advice *a = advice_create(&(struct advice_options){0}, m, stw, NULL, NULL);
	struct model_observer observer;
	struct rtev_callbacks calls;
	bool unexplained;

	CHECK(m != NULL && stw != NULL && a != NULL);
	stw_observer(stw, &observer);
	CHECK(model_observe(m, &observer));
	model_callbacks(&calls);
	for (unsigned i = 0; i < 9; i++) {
		const uint64_t at = ATTACH + i * S;
		calls.begin(m, 0, at, RTEV_PHASE_MAJOR);
		calls.end(m, 0, at + 2 * SAMPLE, RTEV_PHASE_MAJOR);
		calls.counter(m, 0, at + 2 * SAMPLE, RTEV_COUNTER_MINOR_ALLOCATED, 1000);
		model_off(m, at + 4 * SAMPLE);
		model_count_span(m, at, at + S);
		model_count(m, 0, at, at + S, &(struct model_counts){.minors = 20, .allocated = 1000});
		model_set_now(m, at + S);
		advice_advance(a, at + S);
	}
	CHECK_STR(advice_summary(a, &unexplained),
	    "50% of the busy time in GC, most of it major; 10s of evidence are needed to say why");
	advice_destroy(a);
	stw_destroy(stw);
	model_destroy(m);
}

/* What is known from the parts of the memory alone is found without events, too: empty pools are not called memory
 * outside the heap. */
TEST(parts_of_memory_are_judged)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	struct stw *stw = stw_create();
	struct system_past *past = system_past_create();
	struct advice *a = advice_create(&(struct advice_options){0}, m, stw, past, NULL);
	static struct system_sample sample;
	size_t count;

	CHECK(m != NULL && stw != NULL && past != NULL && a != NULL);
	model_off(m, ATTACH);
	sample.values[SYSTEM_RESIDENT] = (struct system_value){.known = SYSTEM_KNOWN, .value = 463000000};
	sample.values[SYSTEM_ANON] = (struct system_value){.known = SYSTEM_KNOWN, .value = 400000000};
	for (unsigned i = 0; i < 12; i++) {
		const uint64_t from = ATTACH + i * S, to = from + S;
		model_count_span(m, from, to);
		model_count(m, 0, from, to, &(struct model_counts){.minors = 1, .allocated = 1000});
		model_look(m, to,
		    &(struct model_look){.heap = {12000000, 9000000, 9000000, 0, 3000000},
			.domains = {{0, 9000000, 256 << 10, 1000}},
			.count = 1});
		model_set_now(m, to);
		sample.ts = to;
		system_past_add(past, &sample);
		system_past_set_memory(past, &(struct system_memory){.ts = to,
						 .why = "",
						 .resident = {[MEMORY_POOLS_FREE] = 201000000},
						 .mappings = 60000,
						 .mappings_limit = 65530});
		advice_advance(a, to);
	}
	const struct advice_finding *f = advice_findings(a, &count);
	CHECK_INT(count, 2);
	CHECK_STR(f[0].name, "mappings_near_limit");
	CHECK_STR(f[1].name, "free_pools");
	advice_destroy(a);
	system_past_destroy(past);
	stw_destroy(stw);
	model_destroy(m);
}

TEST(what_needs_events_is_left_out)
{
	const char *why;

	CHECK(found(&promotes, 30, "late_domain", &why) == NULL);
	CHECK_STR(why, "no events come, and counters in memory do not tell");
	CHECK(found(&promotes, 30, "tracing_paused", &why) == NULL);
	CHECK_STR(why, "it records no events");
}
