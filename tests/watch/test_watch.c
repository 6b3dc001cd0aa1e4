/*
 * test_watch.c - the levels that a watch tells: the heap of the domains that run, and after their end what
 * stood before it.
 */
#include "support/test.h"

#include <math.h>
#include <sys/resource.h>

#include "watch/flame.h"
#include "watch/paths.h"
#include "watch/stw.h"
#include "watch/timeline.h"
#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

/* A watch of a target attached to at 1 ms, and the callbacks that feed it. */
struct stage {
	struct watch *w;
	struct rtev_callbacks calls;
};

static struct stage stage_open(void)
{
	struct stage s = {.w = watch_create(&(struct watch_options){.attach_ts = MS})};

	CHECK(s.w != NULL);
	model_callbacks(&s.calls);
	return s;
}

static void life(struct stage *s, unsigned domain, uint64_t ts, rtev_lifecycle event)
{
	CHECK_INT(s->calls.lifecycle(watch_model(s->w), domain, ts, event, 42), RTEV_CONTINUE);
}

/* All gauges of a domain's heap: pools hold nine tenths of it. */
static void gauges(struct stage *s, unsigned domain, uint64_t ts, int64_t words)
{
	struct model *m = watch_model(s->w);

	s->calls.counter(m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_WORDS, words);
	s->calls.counter(m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, words / 10 * 9);
	s->calls.counter(m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, words / 10 * 6);
	s->calls.counter(m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, words / 10);
	s->calls.counter(m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, words / 10);
}

/* The heap and its parts are those of domains with so many words together. */
static void expect(const struct stage *s, double words)
{
	CHECK_NEAR(model_heap(watch_model(s->w), HEAP_SIZE), words, 0);
	CHECK_NEAR(model_heap(watch_model(s->w), HEAP_SIZE), words, 0);
	CHECK_NEAR(model_heap(watch_model(s->w), HEAP_POOL), words / 10 * 9, 0);
	CHECK_NEAR(model_heap(watch_model(s->w), HEAP_LIVE), words / 10 * 6, 0);
	CHECK_NEAR(model_heap(watch_model(s->w), HEAP_FRAGMENTS), words / 10, 0);
	CHECK_NEAR(model_heap(watch_model(s->w), HEAP_LARGE), words / 10, 0);
}

/* Domains that have ended are left out while others run, and the last one's heap is told after its end. */
TEST(test_ended)
{
	struct stage s = stage_open();

	CHECK(isnan(model_heap(watch_model(s.w), HEAP_SIZE)));
	CHECK(isnan(model_heap(watch_model(s.w), HEAP_POOL)));
	life(&s, 0, 2 * MS, RTEV_LIFECYCLE_RING_START);
	life(&s, 1, 3 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	life(&s, 2, 4 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	gauges(&s, 0, 5 * MS, 1000);
	gauges(&s, 1, 6 * MS, 20000);
	gauges(&s, 2, 7 * MS, 300000);
	expect(&s, 321000);
	life(&s, 1, 8 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	expect(&s, 301000);
	life(&s, 2, 9 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	expect(&s, 1000);
	life(&s, 0, 10 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	watch_advance(s.w, 60000 * MS, 60000 * MS);
	expect(&s, 1000);
	watch_finish(s.w);
	expect(&s, 1000);
	watch_destroy(s.w);
}

/* Rings are read one after the other, so the first one's end may come before those that were earlier. */
TEST(test_ended_late)
{
	struct stage s = stage_open();

	life(&s, 0, 2 * MS, RTEV_LIFECYCLE_RING_START);
	life(&s, 1, 3 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	gauges(&s, 0, 5 * MS, 1000);
	gauges(&s, 1, 6 * MS, 20000);
	life(&s, 0, 10 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	life(&s, 1, 8 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	expect(&s, 1000);
	watch_destroy(s.w);
}

/* A process that ends stops its rings, in one of them: its domains ran until then. */
TEST(test_stopped)
{
	struct stage s = stage_open();

	life(&s, 0, 2 * MS, RTEV_LIFECYCLE_RING_START);
	life(&s, 1, 3 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	life(&s, 2, 4 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	gauges(&s, 0, 5 * MS, 1000);
	gauges(&s, 1, 6 * MS, 20000);
	gauges(&s, 2, 7 * MS, 300000);
	life(&s, 2, 8 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	life(&s, 0, 9 * MS, RTEV_LIFECYCLE_RING_STOP);
	expect(&s, 21000);
	life(&s, 1, 8 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	expect(&s, 1000);
	watch_destroy(s.w);
}

/* The most memory that this process has had, in MB. */
static uint64_t most_memory(void)
{
	struct rusage usage;

	CHECK_INT(getrusage(RUSAGE_SELF, &usage), 0);
	return (uint64_t)usage.ru_maxrss / 1024;
}

/* As many domains as there can be, each with an event of the last of as many names as there can be: what is
 * kept goes by the number of events, not by that of domains times names. */
TEST(test_many_names_on_many_domains)
{
	struct stage s = stage_open();
	struct rtev_user_event event = {.id = 0};
	struct watch_recent recent;

	for (unsigned i = 0; i < MODEL_USER_SLOTS_MAX; i++) {
		event.generation++;
		event.name_len = (uint16_t)snprintf(event.name, sizeof(event.name), "n%u", i);
		s.calls.user_int(watch_model(s.w), 0, 2 * MS, &event, 1);
	}
	for (unsigned d = 1; d < MODEL_DOMAINS_MAX; d++)
		s.calls.user_int(watch_model(s.w), d, 3 * MS, &event, 1);
	CHECK_INT(model_user_slots(watch_model(s.w)), MODEL_USER_SLOTS_MAX);
	watch_advance(s.w, 600 * MS, 600 * MS);
	CHECK(watch_user_recent(s.w, 0, 0, 600 * MS, 600 * MS, &recent));
	CHECK_NEAR(recent.sum, 1, 0);
	/* A rate that can't be known is not told. */
	CHECK(!watch_user_recent(s.w, WATCH_ALL, MODEL_USER_SLOTS_MAX - 1, 600 * MS, 600 * MS, &recent));
	CHECK(most_memory() < 1000);
	watch_destroy(s.w);
}

/* What a program may take in all leaves the rest for the history, and never less than it needs. */
TEST(test_history_budget)
{
	const size_t mib = (size_t)1 << 20;

	CHECK_INT(watch_history_budget(0), 0);
	CHECK_INT(watch_history_budget(mib), HISTORY_BUDGET_MIN);
	CHECK_INT(watch_history_budget(WATCH_BESIDES + HISTORY_BUDGET_MIN), HISTORY_BUDGET_MIN);
	CHECK_INT(watch_history_budget(32 * mib), HISTORY_BUDGET);
	CHECK_INT(watch_history_budget(100 * mib), 92 * mib);
	struct watch *w =
	    watch_create(&(struct watch_options){.history_budget = watch_history_budget(100 * mib)});
	CHECK(w != NULL);
	const struct history_range range = history_range(watch_history(w));
	CHECK_INT(range.budget, 92 * mib);
	watch_destroy(w);
}

/* Stops that are assembled between two watch_advance are the same, and few spans wait for that. */
TEST(test_settle)
{
	struct stage often = stage_open(), once = stage_open();
	struct stage *both[] = {&often, &once};
	uint64_t ts = 2 * MS;

	for (unsigned i = 0; i < 50000; i++, ts += 1000) {
		for (unsigned k = 0; k < 2; k++) {
			struct model *m = watch_model(both[k]->w);
			both[k]->calls.begin(m, i % 3, ts, RTEV_PHASE_STW_LEADER);
			both[k]->calls.end(m, i % 3, ts + 100 + i % 7, RTEV_PHASE_STW_LEADER);
		}
		watch_settle(often.w, ts);
		CHECK(stw_waiting(watch_stw(often.w)) <= 256);
	}
	CHECK_INT(stw_waiting(watch_stw(once.w)), 50000);
	for (unsigned k = 0; k < 2; k++) {
		watch_advance(both[k]->w, ts + 200 * MS, ts + 200 * MS);
		CHECK_INT(stw_waiting(watch_stw(both[k]->w)), 0);
		CHECK_INT(stw_totals(watch_stw(both[k]->w))->stops, 50000);
	}
	CHECK_INT(stw_recent(watch_stw(often.w), 4000)->begin, stw_recent(watch_stw(once.w), 4000)->begin);
	watch_destroy(often.w);
	watch_destroy(once.w);
}

/* A domain that takes the place of another has sent nothing yet. */
TEST(test_slot_again)
{
	struct stage s = stage_open();

	life(&s, 0, 2 * MS, RTEV_LIFECYCLE_RING_START);
	life(&s, 1, 3 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	gauges(&s, 0, 5 * MS, 1000);
	gauges(&s, 1, 6 * MS, 20000);
	life(&s, 1, 8 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE);
	life(&s, 1, 9 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	watch_advance(s.w, 1000 * MS, 1000 * MS);
	expect(&s, 1000);
	gauges(&s, 1, 1001 * MS, 500);
	expect(&s, 1500);
	watch_destroy(s.w);
}

/* The parts of a heap are shown together, as they were at the end of one cycle. */
TEST(test_parts_together)
{
	struct stage s = stage_open();
	struct model *m = watch_model(s.w);

	life(&s, 0, 2 * MS, RTEV_LIFECYCLE_RING_START);
	CHECK_INT(model_level(watch_model(s.w), HEAP_POOL).ts, 0);
	gauges(&s, 0, 5 * MS, 1000);
	CHECK_INT(model_level(watch_model(s.w), HEAP_POOL).ts, 5 * MS);
	/* Half of the next cycle's have come, and then the whole of the one after it, its begin lost. */
	s.calls.counter(m, 0, 9 * MS, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, 7);
	s.calls.counter(m, 0, 9 * MS, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, 6);
	expect(&s, 1000);
	s.calls.lost(m, 0, 20, 0);
	s.calls.counter(m, 0, 12 * MS, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, 600);
	s.calls.counter(m, 0, 12 * MS, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, 100);
	s.calls.counter(m, 0, 12 * MS, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, 100);
	expect(&s, 1000);
	CHECK_INT(model_level(watch_model(s.w), HEAP_POOL).ts, 5 * MS);
	gauges(&s, 0, 15 * MS, 2000);
	expect(&s, 2000);
	CHECK_INT(model_level(watch_model(s.w), HEAP_POOL).ts, 15 * MS);
	watch_destroy(s.w);
}

/* Count one span of a phase that has nothing in it and stands on the bottom. */
static void path(struct paths *p, struct path_tree *tree, rtev_phase phase)
{
	paths_closed(p, 0,
	    &(struct model_span){
		.begin = 1, .end = 3, .self = 2, .phase = phase, .path = path_inside(tree, 0, phase)});
}

/* Paths beyond the most that there can be are left out, the others stand in the order of their phases,
 * whatever came first. */
TEST(test_paths_bounded)
{
	static struct path_tree tree;
	struct paths *p = paths_create(&tree);
	const struct path *list;
	size_t count;

	CHECK(p != NULL);
	for (unsigned i = 2 * PATHS_NAMED; i > 0; i--)
		path(p, &tree, (rtev_phase)(RTEV_OPAQUE + i));
	for (unsigned i = 2 * PATHS_NAMED; i > 0; i--)
		path(p, &tree, (rtev_phase)(RTEV_OPAQUE + i));
	list = paths_list(p, &count);
	/* The empty path is one of them. */
	CHECK_INT(count, PATHS_NAMED - 1);
	for (size_t i = 0; i < count; i++) {
		CHECK_INT(list[i].phase, RTEV_OPAQUE + 2 * PATHS_NAMED - (count - 1) + i);
		CHECK_INT(list[i].count, 2);
	}
	paths_destroy(p);
}

/* Minor collections of full minor heaps, led by domain 0. */
static void collect(struct stage *s, uint64_t ts, int64_t bytes, unsigned times)
{
	struct model *m = watch_model(s->w);

	for (unsigned i = 0; i < times; i++, ts += MS) {
		s->calls.begin(m, 0, ts, RTEV_PHASE_STW_LEADER);
		s->calls.counter(m, 0, ts + 1, RTEV_COUNTER_MINOR_ALLOCATED, bytes);
		s->calls.begin(m, 0, ts + 2, RTEV_PHASE_MINOR_FINALIZED);
		s->calls.end(m, 0, ts + 3, RTEV_PHASE_MINOR_FINALIZED);
		s->calls.end(m, 0, ts + 4, RTEV_PHASE_STW_LEADER);
	}
}

/* After an exec the minor heap is that of the new program. */
TEST(test_minor_heap_of_another)
{
	for (int whole_file = 0; whole_file < 2; whole_file++) {
		struct stage s = stage_open();

		collect(&s, 2 * MS, 262144 * 8, 10);
		CHECK_INT(minor_size_words(watch_minor_size(s.w)), 262144);
		if (whole_file)
			model_reattach(watch_model(s.w));
		else
			CHECK_INT(s.calls.restart(watch_model(s.w), 0), RTEV_CONTINUE);
		CHECK_INT(minor_size_words(watch_minor_size(s.w)), 0);
		collect(&s, 20 * MS, 32768 * 8, 10);
		CHECK_INT(minor_size_words(watch_minor_size(s.w)), 32768);
		watch_destroy(s.w);
	}
}

/* The bars, the history, the rates and the totals begin a loss where the ring had been read to. */
TEST(test_loss_begins_at_the_reading)
{
	struct stage s = stage_open();
	struct model *m = watch_model(s.w);
	struct flame *flame = flame_create();
	struct flame_view view;
	uint64_t lost;

	life(&s, 0, 2 * MS, RTEV_LIFECYCLE_RING_START);
	s.calls.begin(m, 0, 3 * MS, RTEV_PHASE_MINOR);
	s.calls.end(m, 0, 4 * MS, RTEV_PHASE_MINOR);
	model_read_to(m, 50 * MS);
	s.calls.lost(m, 0, 100, 0);
	s.calls.begin(m, 0, 80 * MS, RTEV_PHASE_MINOR);
	s.calls.end(m, 0, 81 * MS, RTEV_PHASE_MINOR);
	watch_advance(s.w, 100 * MS, 100 * MS);
	CHECK(model_lost_time(m, 0, 0, 100 * MS, &lost) && lost == 30 * MS);
	const struct flame_query query = {.history = watch_history(s.w),
	    .paths = model_paths(m),
	    .from = 2 * MS,
	    .to = 100 * MS,
	    .now = 100 * MS};
	CHECK(flame_read_last(flame, &query, 5000 * MS, MS, &view));
	CHECK_INT(view.lost, 30 * MS);
	CHECK(flame_read(flame, &query, &view));
	CHECK_INT(view.lost, 30 * MS);
	struct timeline *timeline = timeline_create();
	struct timeline_view columns;
	CHECK(timeline_read(timeline,
	    &(struct timeline_query){
		.history = watch_history(s.w), .width = 10 * MS, .columns = 10, .now = 100 * MS},
	    &columns));
	uint64_t sum = 0;
	for (unsigned i = 0; i < 10; i++)
		sum += columns.columns[i].times[TIMELINE_LOST];
	CHECK_INT(sum, 30 * MS);
	timeline_destroy(timeline);
	flame_destroy(flame);
	watch_destroy(s.w);
}

/* The rate of all domains is the sum of theirs, each over the time in which its events were seen. */
TEST(test_rate_after_a_loss)
{
	struct stage s = stage_open();
	struct model *m = watch_model(s.w);
	struct watch_recent recent;
	const uint64_t step = 10 * MS, end = 5 * SECOND;

	for (unsigned d = 0; d < 2; d++)
		life(&s, d, 2 * MS, RTEV_LIFECYCLE_RING_START);
	for (uint64_t ts = step; ts <= end; ts += step)
		for (unsigned d = 0; d < 2; d++) {
			/* Of one domain the second half is lost. */
			if (d == 1 && ts > end / 2 && ts < end)
				continue;
			if (d == 1 && ts == end)
				s.calls.lost(m, 1, 100, 0);
			s.calls.counter(m, d, ts, RTEV_COUNTER_MINOR_ALLOCATED, 1000);
			watch_advance(s.w, ts, ts);
		}
	CHECK(watch_recent(s.w, 1, WATCH_ALLOCATED, end, 4 * SECOND, &recent));
	CHECK(recent.lost > 2 * SECOND);
	CHECK(watch_recent(s.w, WATCH_ALL, WATCH_ALLOCATED, end, 4 * SECOND, &recent));
	CHECK_INT(recent.lost, 0);
	CHECK_NEAR(recent.sum / ((double)(recent.to - recent.from) / 1e9), 200000, 4000);
	CHECK(watch_recent(s.w, WATCH_ALL, WATCH_LOST, end, 4 * SECOND, &recent));
	CHECK_NEAR(recent.sum, 100, 0);
	watch_destroy(s.w);
}
