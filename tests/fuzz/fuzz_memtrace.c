/*
 * fuzz_memtrace.c - any bytes as a trace: reading ends, stays inside them, and a trace that comes in pieces
 * gives the same events as one that is there at once.
 *
 * The first four bytes choose where the pieces end; the rest is the trace.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sites/sites.h"
#include "sites/bars.h"
#include "sites/hot.h"
#include "rtev/memtrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a reading came to. */
struct result {
	uint64_t hash; /* of all events */
	uint64_t events;
	uint64_t notices;
	int status;
	uint64_t offset;
};

static void mix(struct result *r, uint64_t value)
{
	r->hash = (r->hash ^ value) * 0x9E3779B97F4A7C15u;
	r->hash ^= r->hash >> 29;
}

static void on_notice(void *ctx, const struct rtev_memtrace_notice *notice)
{
	struct result *r = ctx;

	r->notices += 1 + (uint64_t)notice->kind;
}

/* Take an event in, with all that it points to. */
static void take_event(
    struct result *r, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	const struct rtev_memtrace_location *list;
	char line[200];
	size_t length, count;

	r->events++;
	mix(r, (uint64_t)event->kind << 32 | event->domain);
	mix(r, (uint64_t)event->time);
	mix(r, (uint64_t)event->object);
	if (event->kind != RTEV_MEMTRACE_ALLOC)
		return;
	if (event->unchanged > event->depth)
		abort();
	mix(r, (uint64_t)event->length);
	mix(r, (uint64_t)event->samples);
	mix(r, (uint64_t)event->source);
	mix(r, (uint64_t)event->common_prefix);
	mix(r, event->depth);
	/* All that is new, and of the rest what is nearest to it. */
	size_t first = event->unchanged > 64 ? event->unchanged - 64 : 0;
	for (size_t i = first; i < event->depth; i++) {
		mix(r, (uint64_t)event->backtrace[i]);
		if (rtev_memtrace_lookup(reader, event->backtrace[i], &list, &count) != RTEV_OK)
			continue;
		for (size_t j = 0; j < count; j++)
			mix(r, strlen(list[j].filename) + strlen(list[j].defname) + (uint64_t)list[j].line);
	}
	if (r->events < 100 && event->depth < 1000)
		rtev_memtrace_format_event(reader, event, true, line, sizeof(line), &length);
}

/* Read the trace at once. */
static struct result read_whole(const uint8_t *data, size_t size, bool skip)
{
	struct result r = {0};
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	struct rtev_memtrace_options options = {.size = sizeof(options),
	    .ctx = &r,
	    .notice = on_notice,
	    .fault = &fault,
	    .skip_backtraces = skip};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;

	r.status = rtev_memtrace_open_memory(&reader, data, size, &options);
	if (r.status == RTEV_OK) {
		while ((r.status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
			take_event(&r, reader, event);
		rtev_memtrace_fault(reader, &fault);
	}
	r.offset = fault.offset;
	if (r.offset > size)
		abort();
	rtev_memtrace_close(reader);
	return r;
}

/* Read the trace in pieces, each time at another place in memory of just its size. */
static struct result read_pieces(const uint8_t *data, size_t size, uint32_t seed)
{
	struct result r = {0};
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	struct rtev_memtrace_options options = {
	    .size = sizeof(options), .ctx = &r, .notice = on_notice, .fault = &fault, .follow = true};
	struct rtev_memtrace_reader *reader = NULL;
	const struct rtev_memtrace_event *event;
	uint8_t *last = NULL;
	size_t at = 0, step = size / 24 + 1;

	r.status = RTEV_E_MEMTRACE_END;
	while (r.status == RTEV_E_MEMTRACE_END) {
		uint8_t *piece = malloc(at + 1);
		if (piece == NULL)
			abort();
		memcpy(piece, data, at);
		bool all = at == size;
		if (reader == NULL) {
			options.follow = !all;
			r.status = rtev_memtrace_open_memory(&reader, piece, at, &options);
		} else {
			rtev_memtrace_set_follow(reader, !all);
			if (rtev_memtrace_grow(reader, piece, at) != RTEV_OK)
				abort();
			r.status = RTEV_OK;
		}
		while (reader != NULL && r.status == RTEV_OK) {
			r.status = rtev_memtrace_next(reader, &event);
			if (r.status == RTEV_OK)
				take_event(&r, reader, event);
		}
		free(last);
		last = piece;
		if (all)
			break;
		seed = seed * 1664525u + 1013904223u;
		at += 1 + (seed >> 8) % (step * 2);
		if (at > size)
			at = size;
	}
	if (reader != NULL)
		rtev_memtrace_fault(reader, &fault);
	r.offset = fault.offset;
	rtev_memtrace_close(reader);
	free(last);
	return r;
}

/* Take the trace into small models, and look at them. */
static void read_sites(const uint8_t *data, size_t size)
{
	struct sites_options limits = {.limit = 200};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct sites_hot_report report;
	struct sites_bars_options shape = {.shape = {.most = 50}};
	struct sites_filter filter = {.function = "a"};
	struct calls_bars bars;
	struct sites_row *rows;
	struct sites *sites;
	size_t count;

	if (rtev_memtrace_open_memory(&reader, data, size, NULL) != RTEV_OK)
		return;
	struct sites_hot *hot = sites_hot_create();
	if (hot == NULL || sites_create(&sites, rtev_memtrace_info(reader), &limits) != RTEV_OK)
		abort();
	for (int i = 0; i < 2000 && rtev_memtrace_next(reader, &event) == RTEV_OK; i++) {
		/* Depth is bounded by the reader, but to walk it for each event takes its time. */
		if (event->kind == RTEV_MEMTRACE_ALLOC && event->depth > 20000)
			break;
		if (sites_event(sites, reader, event) != RTEV_OK ||
		    sites_hot_event(hot, reader, event) != RTEV_OK)
			abort();
		if (i == 100)
			sites_mark(sites);
	}
	for (int i = 0; i < 4; i++) {
		shape.shape.invert = i & 1;
		shape.filter = i & 2 ? &filter : NULL;
		shape.weight = (enum sites_weight)i;
		if (sites_bars(sites, &shape, &bars) != RTEV_OK)
			abort();
		calls_bars_fini(&bars);
	}
	if (sites_table(sites, &filter, SITES_BY_CODE, SITES_ORDER_LIFETIME, &rows, &count) != RTEV_OK)
		abort();
	free(rows);
	if (sites_hot_report(hot, 10, &report) != RTEV_OK)
		abort();
	sites_hot_report_fini(&report);
	sites_hot_destroy(hot);
	sites_destroy(sites);
	rtev_memtrace_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t seed;

	if (size < sizeof(seed) || size > 1 << 20)
		return 0;
	memcpy(&seed, data, sizeof(seed));
	data += sizeof(seed);
	size -= sizeof(seed);
	/* Memory of just this size, so that a byte read beyond it is noticed. */
	uint8_t *copy = malloc(size + (size == 0));
	if (copy == NULL)
		abort();
	memcpy(copy, data, size);
	struct result whole = read_whole(copy, size, false), pieces = read_pieces(copy, size, seed);
	if (whole.hash != pieces.hash || whole.events != pieces.events || whole.status != pieces.status ||
	    whole.offset != pieces.offset || whole.notices != pieces.notices)
		abort();
	struct result fast = read_whole(copy, size, true);
	if (fast.status == RTEV_OK)
		abort();
	read_sites(copy, size);
	free(copy);
	return 0;
}
