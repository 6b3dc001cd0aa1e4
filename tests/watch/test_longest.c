/*
 * test_longest.c - the longest spans of a name and of a phase, held against a list of all of them.
 */
#include "support/test.h"

#include <string.h>

#include "watch/paths.h"
#include "watch/watch.h"

#define SPANS 4000
#define DOMAINS 3

/* A span that has ended, as the test works it out. */
struct known {
	uint64_t begin, end, gc, pause;
	unsigned domain;
};

struct stage {
	struct watch *w;
	struct rtev_callbacks calls;
	struct known requests[SPANS], pauses[SPANS * 8];
	size_t request_count, pause_count;
	uint64_t random;
};

static struct stage stage;

static void stage_open(void)
{
	watch_destroy(stage.w);
	stage.w = watch_create(&(struct watch_options){.attach_ts = 1});
	CHECK(stage.w != NULL);
	model_callbacks(&stage.calls);
	stage.request_count = stage.pause_count = 0;
	stage.random = 42;
}

static uint64_t random_below(uint64_t limit)
{
	stage.random = stage.random * 6364136223846793005u + 1442695040888963407u;
	return (stage.random >> 33) % limit;
}

static struct rtev_user_event event_of(unsigned id)
{
	struct rtev_user_event event = {.id = (uint16_t)id, .generation = 1};

	event.name_len = (uint16_t)snprintf(event.name, sizeof(event.name), "span.%u", id);
	return event;
}

static void user(unsigned domain, uint64_t ts, unsigned id, bool begin)
{
	const struct rtev_user_event event = event_of(id);

	stage.calls.user_span(watch_model(stage.w), domain, ts, &event, begin);
}

static void pause(unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase)
{
	stage.calls.begin(watch_model(stage.w), domain, begin, phase);
	stage.calls.end(watch_model(stage.w), domain, end, phase);
	stage.pauses[stage.pause_count++] = (struct known){.begin = begin, .end = end, .domain = domain};
}

/* A request with up to seven pauses in it; returns the time after it. */
static uint64_t request(unsigned domain, uint64_t ts)
{
	struct known k = {.begin = ts, .domain = domain};

	user(domain, ts, 0, true);
	for (uint64_t i = random_below(8); i > 0; i--) {
		uint64_t begin = ts + random_below(1000), end = begin + random_below(5000);
		pause(domain, begin, end, random_below(2) == 0 ? RTEV_PHASE_MINOR : RTEV_PHASE_MAJOR_SLICE);
		k.gc += end - begin;
		k.pause = end - begin > k.pause ? end - begin : k.pause;
		ts = end;
	}
	k.end = ts + random_below(2000);
	user(domain, k.end, 0, false);
	stage.requests[stage.request_count++] = k;
	return k.end + random_below(100);
}

static int by_duration(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	uint64_t mine = x->end - x->begin, other = y->end - y->begin;

	if (mine != other)
		return mine < other ? 1 : -1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->domain > y->domain) - (x->domain < y->domain);
}

/* The slot of span.ID. */
static size_t slot_of(unsigned id)
{
	const struct rtev_user_event event = event_of(id);
	const struct model *m = watch_model(stage.w);
	size_t slot = 0;

	while (slot < model_user_slots(m) &&
	       (model_user_slot(m, slot)->name_len != event.name_len ||
		   memcmp(model_user_slot(m, slot)->name, event.name, event.name_len) != 0))
		slot++;
	return slot;
}

/* A list holds the ten that the test knows. */
static void expect(const struct longest_list *list, struct known *known, size_t count, bool requests)
{
	size_t most = count < LONGEST_MAX ? count : LONGEST_MAX;

	qsort(known, count, sizeof(*known), by_duration);
	CHECK(list != NULL);
	CHECK_INT(list->count, most);
	for (size_t i = 0; i < most; i++) {
		CHECK_INT(list->spans[i].begin, known[i].begin);
		CHECK_INT(list->spans[i].end, known[i].end);
		CHECK_INT(list->spans[i].domain, known[i].domain);
		if (!requests) {
			CHECK_INT(list->spans[i].part, known[i].end - known[i].begin);
			continue;
		}
		CHECK_INT(list->spans[i].part, known[i].gc);
		CHECK_INT(
		    list->spans[i].pause, known[i].pause > 0 ? LONGEST_PAUSE_KNOWN : LONGEST_PAUSE_NONE);
		CHECK_INT(list->spans[i].pause_ns, known[i].pause);
	}
}

/* Three domains, read one after the other as a poll does. */
static void tell_requests(void)
{
	uint64_t at[DOMAINS] = {1000, 1000, 1000};

	for (unsigned k = 0; k < SPANS / 40; k++)
		for (unsigned d = 0; d < DOMAINS; d++)
			for (unsigned i = 0; i < 13; i++)
				at[d] = request(d, at[d]);
}

/* The ten longest of thousands, with what the collector took out of them; the model says the same of the
 * longest. */
TEST(test_requests)
{
	struct model_user total;

	stage_open();
	tell_requests();
	expect(longest_of(watch_longest(stage.w), 0), stage.requests, stage.request_count, true);
	CHECK(model_user_total(watch_model(stage.w), 0, &total));
	CHECK_INT(total.spans.max, longest_most(longest_of(watch_longest(stage.w), 0)));
	hist_fini(&total.spans);
	/* A copy says the same, whatever comes. */
	struct watch *copy = watch_copy(stage.w);
	CHECK(copy != NULL);
	user(0, 100000000, 0, true);
	user(0, 200000000, 0, false);
	CHECK_INT(longest_most(longest_of(watch_longest(stage.w), 0)), 100000000);
	expect(longest_of(watch_longest(copy), 0), stage.requests, stage.request_count, true);
	watch_destroy(copy);
}

/* The parts of few spans add up to what the model has of all of them, and a reset begins anew. */
TEST(test_parts)
{
	uint64_t ts = 1000, parts = 0;
	struct model_user total;

	stage_open();
	for (int i = 0; i < 7; i++)
		ts = request(1, ts);
	const struct longest_list *list = longest_of(watch_longest(stage.w), 0);
	for (unsigned i = 0; i < list->count; i++)
		parts += list->spans[i].part;
	CHECK(model_user_total(watch_model(stage.w), 0, &total));
	CHECK_INT(total.gc_ns, parts);
	hist_fini(&total.spans);
	user(1, ts, 0, true);
	watch_advance(stage.w, ts + 1, ts + 1);
	model_reset(watch_model(stage.w));
	user(1, ts + 500000, 0, false); /* begun before it: does not count */
	CHECK(longest_of(watch_longest(stage.w), 0) == NULL);
	stage.request_count = 0;
	for (int i = 0; i < 3; i++)
		ts = request(1, ts + 600000);
	expect(longest_of(watch_longest(stage.w), 0), stage.requests, stage.request_count, true);
}

/* Pauses that fall in length are all remembered up to a bound; beyond it nothing is said of the longest. */
TEST(test_peaks)
{
	uint64_t ts = 1000;

	stage_open();
	user(0, ts, 0, true);
	for (unsigned i = 0; i < LONGEST_PEAKS; i++, ts += 10000)
		pause(0, ts, ts + 5000 - i, RTEV_PHASE_MINOR);
	user(0, ts, 1, true);
	pause(0, ts, ts + 10, RTEV_PHASE_MINOR);
	user(0, ts + 20, 0, false);
	user(0, ts + 20, 1, false);
	const struct longest_span *all = &longest_of(watch_longest(stage.w), slot_of(0))->spans[0];
	const struct longest_span *last = &longest_of(watch_longest(stage.w), slot_of(1))->spans[0];
	CHECK_INT(all->pause, LONGEST_PAUSE_UNKNOWN);
	CHECK_INT(all->part, 5000 * LONGEST_PEAKS - LONGEST_PEAKS * (LONGEST_PEAKS - 1) / 2 + 10);
	CHECK_INT(last->pause, LONGEST_PAUSE_KNOWN);
	CHECK_INT(last->pause_ns, 10);
}

/* A span that ends within a pause has the part of it that lies inside. */
TEST(test_within)
{
	stage_open();
	pause(0, 1000, 9000, RTEV_PHASE_MAJOR_SLICE);
	stage.calls.begin(watch_model(stage.w), 0, 10000, RTEV_PHASE_MINOR);
	user(0, 10100, 0, true);
	user(0, 10400, 0, false);
	stage.calls.end(watch_model(stage.w), 0, 11000, RTEV_PHASE_MINOR);
	user(0, 10900, 1, true);
	const struct longest_span *span = &longest_of(watch_longest(stage.w), slot_of(0))->spans[0];
	CHECK_INT(span->part, 300);
	CHECK_INT(span->pause_ns, 300);
	CHECK_INT(span->pause_phase, RTEV_PHASE_MINOR);
}

/* More names than have a list: the others are not said to have none. */
TEST(test_names)
{
	stage_open();
	for (unsigned i = 0; i < LONGEST_NAMES + 5; i++) {
		user(0, 1000 + 10 * i, i, true);
		user(0, 1005 + 10 * i, i, false);
	}
	CHECK(longest_of(watch_longest(stage.w), slot_of(LONGEST_NAMES - 1)) != NULL);
	CHECK(longest_of(watch_longest(stage.w), slot_of(LONGEST_NAMES)) == NULL);
	CHECK(longest_of(watch_longest(stage.w), MODEL_USER_SLOTS_MAX) == NULL);
}

/* The longest of a phase, and the user span that they were in. */
TEST(test_phases)
{
	size_t count;

	stage_open();
	tell_requests();
	const struct path *paths = paths_list(watch_paths(stage.w), &count);
	CHECK_INT(count, 2);
	size_t minors = 0;
	CHECK(paths[0].longest->count == LONGEST_MAX && paths[1].longest->count == LONGEST_MAX);
	for (size_t i = 0; i < 2; i++) {
		struct path_times times;
		struct hist_bucket b;
		uint64_t sum = 0;
		CHECK(paths_times(watch_paths(stage.w), &paths[i], &times));
		for (unsigned position = 0; hist_next(&times.hist, &position, &b);)
			sum += b.count;
		CHECK_INT(sum, paths[i].count);
		CHECK_INT(times.hist.count, paths[i].count);
		CHECK_INT(paths[i].max, longest_most(paths[i].longest));
		CHECK_INT(paths[i].longest->spans[0].user_count, 1);
		CHECK_INT(paths[i].longest->spans[0].user_slot, 0);
		minors += paths[i].count;
	}
	CHECK_INT(minors, stage.pause_count);
	/* Of one phase alone all are known. */
	stage_open();
	for (unsigned i = 0; i < 500; i++)
		pause(i % 4, 1000 + 100 * i, 1000 + 100 * i + random_below(90), RTEV_PHASE_MINOR);
	paths = paths_list(watch_paths(stage.w), &count);
	CHECK_INT(count, 1);
	expect(paths[0].longest, stage.pauses, stage.pause_count, false);
	CHECK_INT(paths[0].longest->spans[0].user_count, 0);
	model_reset(watch_model(stage.w));
	paths_list(watch_paths(stage.w), &count);
	CHECK_INT(count, 0);
}

/* Of equal ones the earlier go first, also when their ring is read later. */
TEST(test_equal)
{
	size_t count;

	for (uint64_t length = 0; length < 40; length += 20) {
		stage_open();
		for (unsigned d = DOMAINS; d-- > 0;)
			for (unsigned i = 0; i < 3 * LONGEST_MAX; i++)
				pause(d, 1000 + 100 * i, 1000 + 100 * i + length, RTEV_PHASE_MINOR);
		expect(paths_list(watch_paths(stage.w), &count)[0].longest, stage.pauses, stage.pause_count,
		    false);
	}
}

static int by_length(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Percentiles of a phase are within 1 % of those of all its spans, in a copy too. */
TEST(test_phase_percentiles)
{
	enum { TIMES = 5000 };
	static const unsigned ranks[] = {1, 50, 90, 99, 100};
	static uint64_t lengths[TIMES];
	size_t count;
	uint64_t ts = 1000;

	stage_open();
	for (int i = 0; i < TIMES; i++) {
		lengths[i] = random_below(UINT64_C(1) << (1 + random_below(34)));
		stage.calls.begin(watch_model(stage.w), 0, ts, RTEV_PHASE_MINOR);
		stage.calls.end(watch_model(stage.w), 0, ts + lengths[i], RTEV_PHASE_MINOR);
		ts += lengths[i] + 1000;
	}
	qsort(lengths, TIMES, sizeof(lengths[0]), by_length);
	struct watch *copy = watch_copy(stage.w);
	CHECK(copy != NULL);
	for (int c = 0; c < 2; c++) {
		struct paths *p = watch_paths(c == 0 ? stage.w : copy);
		const struct path *paths = paths_list(p, &count);
		struct path_times times;
		CHECK_INT(count, 1);
		CHECK(paths_times(p, &paths[0], &times));
		for (size_t r = 0; r < sizeof(ranks) / sizeof(ranks[0]); r++) {
			uint64_t right = lengths[(TIMES * ranks[r] + 99) / 100 - 1];
			CHECK_NEAR((double)hist_percentile(&times.hist, ranks[r], 100), (double)right,
			    (double)right * 0.01);
		}
		CHECK_INT(times.hist.max, lengths[TIMES - 1]);
	}
	watch_destroy(copy);
}

/* Where there is no room for all times of all paths, those of some are not known, and that is said. */
TEST(test_many_times)
{
	enum { PHASES = 100, OCTAVES = 59 };
	static struct path_tree tree;
	struct paths *p = paths_create(&tree);
	struct path_times times;
	size_t count, known = 0;

	CHECK(p != NULL);
	for (int round = 0; round < 2; round++) {
		for (unsigned e = 0; e < OCTAVES; e++)
			for (unsigned phase = 0; phase < PHASES; phase++) {
				struct model_span span = {.path = path_inside(&tree, 0, (rtev_phase)phase),
				    .begin = 1,
				    .end = 1 + (UINT64_C(32) << e)};
				paths_closed(p, 0, &span);
			}
		const struct path *paths = paths_list(p, &count);
		CHECK_INT(count, PHASES);
		known = 0;
		for (size_t i = 0; i < count; i++) {
			bool all = paths_times(p, &paths[i], &times);
			uint64_t sum = 0;
			struct hist_bucket b;
			for (unsigned position = 0; hist_next(&times.hist, &position, &b);)
				sum += b.count;
			CHECK_INT(sum == paths[i].count, all);
			known += all;
		}
		CHECK(known < PHASES);
		paths_reset(p);
	}
	/* After a reset there is room again. */
	struct model_span span = {.path = path_inside(&tree, 0, 1), .begin = 1, .end = 100};
	paths_closed(p, 0, &span);
	const struct path *paths = paths_list(p, &count);
	CHECK_INT(count, 1);
	CHECK(paths_times(p, &paths[0], &times));
	CHECK_NEAR((double)hist_percentile(&times.hist, 50, 100), 99, 1);
	paths_destroy(p);
}
