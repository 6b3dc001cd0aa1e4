/*
 * test_memtrace_hot.c - what the report of hot spots counts in pieces, against its definition taken word for
 * word: at each allocation all callers are gone through, and the summary of Misra and Gries loses a hit of
 * each pair at a miss.
 */
#include <stdio.h>
#include <string.h>

#include "sites/hot_private.h"
#include "sites/sites.h"
#include "support/test.h"
#include "support/test_memtrace_data.h"

enum { DEPTH = 40, CODES = 900, NAMED = 280, BARE_FROM = 860, FUNCTIONS = NAMED + CODES, DOMAINS = 3 };

/* The usual functions make exactly as many pairs as are held; after FULL events others come up, too. */
enum { USUAL = 100, FULL = 40000, EVENTS = 55000 };
_Static_assert(USUAL *USUAL == SITES_PAIRS_MAX, "all pairs are held");

/* A pair by the definition. */
struct plain {
	uint64_t hits, misses, order;
	bool held;
};

static struct plain plain[FUNCTIONS][FUNCTIONS];
static struct definition {
	int function[CODES]; /* what a code stands for, less one; 0: not met yet */
	int number[FUNCTIONS], functions;
	uint64_t samples[FUNCTIONS]; /* as a caller, by number */
	size_t held;
	uint64_t added, misses;
} def;

/* Tell where a code is: several share a function, some have no debug information. */
static size_t locate(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	static char name[16];
	static struct rtev_memtrace_location location = {.filename = "a.ml", .defname = name};

	snprintf(name, sizeof(name), "f%d", (int)(code % NAMED));
	location.line = (int32_t)code;
	*out = &location;
	return code < BARE_FROM;
}

/* The number of what a code of a backtrace stands for. */
static int number_of(const struct rtev_memtrace_event *event, size_t at)
{
	int *function = &def.function[event->backtrace[at]];

	if (*function == 0) {
		size_t i = at;
		while (event->backtrace[i] >= BARE_FROM && i > 0 && at - i < 2)
			i--;
		int64_t code = event->backtrace[i];
		*function = 1 + (int)(code < BARE_FROM ? code % NAMED : NAMED + code);
		if (def.number[*function - 1] == 0)
			def.number[*function - 1] = ++def.functions;
	}
	return def.number[*function - 1] - 1;
}

/* Count a pair. */
static void count(struct plain *pair)
{
	if (pair->held) {
		pair->hits++;
	} else if (def.held < SITES_PAIRS_MAX) {
		*pair = (struct plain){.hits = 1, .order = ++def.added, .held = true};
		def.held++;
	} else {
		def.misses++;
		for (int a = 0; a < def.functions; a++) {
			for (int b = 0; b < def.functions; b++) {
				struct plain *other = &plain[a][b];
				if (other->held && other->hits <= ++other->misses) {
					other->held = false;
					def.held--;
				}
			}
		}
	}
}

/* Take an allocation in. */
static void define(const struct rtev_memtrace_event *event)
{
	bool seen[FUNCTIONS] = {false};
	int site = number_of(event, event->depth - 1);

	for (size_t i = event->depth - 1; i-- > 0;) {
		int caller = number_of(event, i);
		if (seen[caller])
			continue;
		seen[caller] = true;
		def.samples[caller] += (uint64_t)event->samples;
		count(&plain[caller][site]);
	}
}

/* Compare. */
static void check(struct sites_hot *hot)
{
	size_t held = 0;

	sites_hot_settle(hot);
	CHECK_INT(hot->function_count, def.functions);
	for (int i = 0; i < def.functions; i++)
		CHECK_INT(hot->functions[i].samples, def.samples[i]);
	CHECK_INT(hot->pairs.count, def.held);
	for (size_t i = 0; i < hot->pairs.used; i++) {
		const struct sites_pair *pair = &hot->pairs.list[i];
		if (pair->order == 0)
			continue;
		const struct plain *expected = &plain[pair->a][pair->b];
		CHECK(expected->held);
		CHECK_INT(pair->hits, expected->hits);
		CHECK_INT(pair->order, expected->order);
		held++;
	}
	CHECK_INT(held, def.held);
	CHECK_INT(hot->pairs.misses, def.misses);
}

/* Write a trace: stacks of a few domains that go up and down. */
static void put_trace(struct bytes *out, int events, uint64_t *random)
{
	struct rtev_memtrace_sink sink = bytes_sink(out);
	struct rtev_memtrace_info info = {
	    .size = sizeof(info), .sample_rate = 1e-3, .word_size = 64, .pid = 1};
	struct rtev_memtrace_writer_options options = {.size = sizeof(options), .locate = locate};
	struct rtev_memtrace_mux *mux;
	static int64_t stacks[DOMAINS][DEPTH];
	size_t depth[DOMAINS] = {0};
	uint16_t domain = 0;

	CHECK_INT(rtev_memtrace_mux_create(&mux, &sink, &info, &options), RTEV_OK);
	for (int i = 0; i < events; i++) {
		struct rtev_memtrace_event event = {
		    .size = sizeof(event), .kind = RTEV_MEMTRACE_ALLOC, .length = 1};
		if (next_random(random) % 50 == 0)
			domain = (uint16_t)(next_random(random) % DOMAINS);
		int64_t *stack = stacks[domain];
		size_t keep = next_random(random) % 8, d = depth[domain];
		d = d > keep ? d - keep : 0;
		for (size_t n = 1 + next_random(random) % 8; n > 0 && d < DEPTH; n--) {
			bool usual = i < FULL || next_random(random) % 64 > 0;
			stack[d++] = 1 + (int64_t)(next_random(random) % (usual ? USUAL : CODES - 1));
		}
		depth[domain] = d;
		event.domain = domain;
		event.backtrace = stack;
		event.depth = d;
		event.samples = 1 + (int64_t)(next_random(random) % 3);
		CHECK_INT(rtev_memtrace_mux_next_id(mux, domain, &event.object), RTEV_OK);
		CHECK_INT(rtev_memtrace_mux_put_event(mux, i, &event), RTEV_OK);
	}
	CHECK_INT(rtev_memtrace_mux_flush(mux), RTEV_OK);
	rtev_memtrace_mux_destroy(mux);
}

/* A trace whose pairs fit for a while, and then no longer do. */
TEST(test_definition)
{
	struct sites_hot *hot = sites_hot_create();
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct bytes trace = {0};
	uint64_t random = 3;
	int events = 0;

	put_trace(&trace, EVENTS, &random);
	CHECK_INT(rtev_memtrace_open_memory(&reader, trace.data, trace.size, NULL), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
		define(event);
		CHECK_INT(sites_hot_event(hot, reader, event), RTEV_OK);
		if (++events % 500 == 0)
			check(hot);
	}
	CHECK_INT(events, EVENTS);
	check(hot);
	CHECK(def.misses > 60 && def.added > SITES_PAIRS_MAX * 3 / 2);
	sites_hot_destroy(hot);
	rtev_memtrace_close(reader);
	bytes_free(&trace);
}

/* Numbers of samples that no tracer writes: both reports count them alike, and no sum overflows. */
TEST(test_samples)
{
	static const int64_t samples[] = {-5, 0, 1, INT64_C(1) << 40, INT64_MAX >> 1, INT64_MAX >> 1,
	    INT64_MAX >> 1, INT64_MAX >> 1, INT64_MAX >> 1};
	static const int64_t stack[] = {1, 2};
	struct rtev_memtrace_info info = {
	    .size = sizeof(info), .sample_rate = 1e-3, .word_size = 64, .pid = 1};
	struct rtev_memtrace_writer_options options = {.size = sizeof(options), .locate = locate};
	struct sites_hot *hot = sites_hot_create();
	struct rtev_memtrace_writer *writer;
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct sites_hot_report report;
	struct sites_totals totals;
	struct sites *sites;
	struct bytes trace = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&trace);

	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, &options), RTEV_OK);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct rtev_memtrace_alloc alloc = {.size = sizeof(alloc),
		    .length = 1,
		    .samples = samples[i],
		    .backtrace = stack,
		    .depth = 2};
		CHECK_INT(rtev_memtrace_put_alloc(writer, (int64_t)i, &alloc, NULL), RTEV_OK);
	}
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);
	CHECK_INT(rtev_memtrace_open_memory(&reader, trace.data, trace.size, NULL), RTEV_OK);
	CHECK_INT(sites_create(&sites, rtev_memtrace_info(reader), NULL), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
		CHECK_INT(sites_hot_event(hot, reader, event), RTEV_OK);
		CHECK_INT(sites_event(sites, reader, event), RTEV_OK);
	}
	CHECK_INT(sites_hot_report(hot, 10, &report), RTEV_OK);
	sites_totals(sites, &totals);
	CHECK_INT(report.samples, 1 + 6 * (int64_t)UINT32_MAX);
	CHECK_INT(totals.counts.samples, report.samples);
	CHECK_INT(report.count, 1);
	CHECK_INT(report.sites[0].samples, report.samples);
	sites_hot_report_fini(&report);
	sites_hot_destroy(hot);
	sites_destroy(sites);
	rtev_memtrace_close(reader);
	bytes_free(&trace);
}
