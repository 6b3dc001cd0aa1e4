/*
 * fxt_parser.c - what the tests of traces share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fxt_parser.h"
#include "support/test.h"

/* ---- sink and files ---- */

/* Append to a sink. */
int fxt_sink_write(void *ctx, const void *data, size_t size)
{
	struct fxt_sink *sink = ctx;
	if (sink->fail_with != RTEV_OK && sink->writes >= sink->fail_after)
		return sink->fail_with;
	sink->writes++;
	if (size > sink->capacity - sink->size) {
		size_t capacity = (sink->size + size) * 2;
		unsigned char *grown = realloc(sink->data, capacity);
		if (grown == NULL)
			return RTEV_E_NOMEM;
		sink->data = grown;
		sink->capacity = capacity;
	}
	memcpy(sink->data + sink->size, data, size);
	sink->size += size;
	return RTEV_OK;
}

/* Empty a sink. */
void fxt_sink_fini(struct fxt_sink *sink)
{
	free(sink->data);
	*sink = (struct fxt_sink){0};
}

/* ---- walking ---- */

/* Walk to the end or the fault. */
static struct fxt_walk walk(struct rtev_fxt_reader *reader, fxt_record_fn *fn, void *ctx)
{
	struct fxt_walk result = {0};
	const struct rtev_fxt_record *record;
	while ((result.status = rtev_fxt_reader_next(reader, &record)) == RTEV_OK && record != NULL) {
		result.records++;
		if (fn != NULL)
			fn(ctx, record);
	}
	rtev_fxt_reader_fault(reader, &result.offset, &result.reason);
	rtev_fxt_reader_destroy(reader);
	return result;
}

/* Walk through a trace in memory. */
struct fxt_walk fxt_walk_memory(const void *data, size_t size, const struct rtev_fxt_reader_options *options,
    fxt_record_fn *fn, void *ctx)
{
	struct rtev_fxt_reader *reader;
	CHECK_INT(rtev_fxt_reader_open_memory(&reader, data, size, options), RTEV_OK);
	return walk(reader, fn, ctx);
}

/* Walk through a trace behind a descriptor. */
struct fxt_walk fxt_walk_fd(
    int fd, const struct rtev_fxt_reader_options *options, fxt_record_fn *fn, void *ctx)
{
	struct rtev_fxt_reader *reader;
	CHECK_INT(rtev_fxt_reader_open_fd(&reader, fd, options), RTEV_OK);
	return walk(reader, fn, ctx);
}

/* ---- inspection ---- */

/* An event that has a place in time. */
struct frozen_range {
	struct rtev_fxt_thread_ids thread;
	enum rtev_fxt_event_type type;
	uint64_t ticks;
	uint64_t word;
	uint64_t order;
	size_t name;
};

struct fxt_inspection {
	struct frozen_range *moments;
	size_t count, capacity;
	char **names;
	size_t name_count;
	struct fxt_findings findings;
};

/* An open duration or asynchronous slice. */
struct frame {
	size_t name;
	uint64_t key; /* end in ticks, or async id */
	bool complete;
};

/* Begin. */
struct fxt_inspection *fxt_inspection_create(void)
{
	struct fxt_inspection *inspection = calloc(1, sizeof(*inspection));
	CHECK(inspection != NULL);
	return inspection;
}

/* End. */
void fxt_inspection_destroy(struct fxt_inspection *inspection)
{
	if (inspection == NULL)
		return;
	for (size_t i = 0; i < inspection->name_count; i++)
		free(inspection->names[i]);
	free(inspection->names);
	free(inspection->moments);
	free(inspection);
}

/* The number of a name, made when it is new. */
static size_t name_number(struct fxt_inspection *inspection, const char *data, size_t len)
{
	for (size_t i = 0; i < inspection->name_count; i++) {
		if (strlen(inspection->names[i]) == len && memcmp(inspection->names[i], data, len) == 0)
			return i;
	}
	char **names = realloc(inspection->names, (inspection->name_count + 1) * sizeof(*names));
	char *copy = malloc(len + 1);
	CHECK(names != NULL && copy != NULL);
	memcpy(copy, data, len);
	copy[len] = '\0';
	inspection->names = names;
	names[inspection->name_count] = copy;
	return inspection->name_count++;
}

/* Say whether all arguments of a counter are numbers, and there is one. */
static bool counter_is_good(const struct rtev_fxt_args_read *args)
{
	for (unsigned i = 0; i < args->count; i++) {
		enum rtev_fxt_arg_type type = args->list[i].type;
		if (type < RTEV_FXT_TYPE_INT32 || type > RTEV_FXT_TYPE_DOUBLE)
			return false;
	}
	return args->count > 0;
}

/* Take a record in. */
void fxt_inspect(void *ctx, const struct rtev_fxt_record *record)
{
	struct fxt_inspection *inspection = ctx;
	if (record->kind != RTEV_FXT_EVENT)
		return;
	enum rtev_fxt_event_type type = record->u.event.type;
	inspection->findings.events[type]++;
	if (type == RTEV_FXT_COUNTER && !counter_is_good(&record->u.event.args))
		inspection->findings.bad_counters++;
	if (inspection->count == inspection->capacity) {
		inspection->capacity = inspection->capacity == 0 ? 1024 : inspection->capacity * 2;
		inspection->moments =
		    realloc(inspection->moments, inspection->capacity * sizeof(*inspection->moments));
		CHECK(inspection->moments != NULL);
	}
	inspection->moments[inspection->count] = (struct frozen_range){.thread = record->u.event.thread,
	    .type = type,
	    .ticks = record->u.event.ticks,
	    .word = record->u.event.word,
	    .order = inspection->count,
	    .name = name_number(inspection, record->u.event.name.data, record->u.event.name.len)};
	inspection->count++;
}

/* Compare two numbers. */
static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* The order in time. */
static int by_time(const void *a, const void *b)
{
	const struct frozen_range *x = a, *y = b;
	int order = compare(x->ticks, y->ticks);
	return order != 0 ? order : compare(x->order, y->order);
}

/* The order by thread, then in time. */
static int by_thread(const void *a, const void *b)
{
	const struct frozen_range *x = a, *y = b;
	int order = compare(x->thread.pid, y->thread.pid);
	if (order == 0)
		order = compare(x->thread.tid, y->thread.tid);
	return order != 0 ? order : by_time(a, b);
}

/* Match the durations and flows of one thread, n moments in order. */
static void inspect_thread(struct fxt_findings *findings, const struct frozen_range *moments, size_t n)
{
	struct frame *stack = calloc(n + 1, sizeof(*stack));
	size_t depth = 0;
	CHECK(stack != NULL);
	for (size_t i = 0; i < n; i++) {
		const struct frozen_range *m = &moments[i];
		while (depth > 0 && stack[depth - 1].complete && stack[depth - 1].key <= m->ticks &&
		       m->type < RTEV_FXT_FLOW_BEGIN)
			depth--;
		if (m->type == RTEV_FXT_DURATION_BEGIN) {
			stack[depth++] = (struct frame){.name = m->name};
		} else if (m->type == RTEV_FXT_DURATION_END) {
			if (depth == 0 || stack[depth - 1].complete)
				findings->stray_ends++;
			else if (stack[--depth].name != m->name)
				findings->misnamed_ends++;
		} else if (m->type == RTEV_FXT_DURATION_COMPLETE) {
			if (m->word < m->ticks)
				findings->backward++;
			else if (depth > 0 && stack[depth - 1].complete && stack[depth - 1].key < m->word)
				findings->overlaps++;
			else
				stack[depth++] =
				    (struct frame){.name = m->name, .key = m->word, .complete = true};
		} else if (m->type >= RTEV_FXT_FLOW_BEGIN && depth == 0) {
			findings->stray_flows++;
		}
	}
	for (size_t i = 0; i < depth; i++)
		findings->open_begins += !stack[i].complete;
	free(stack);
}

/* Match the asynchronous slices of all processes, n moments in order. */
static void inspect_asyncs(struct fxt_findings *findings, const struct frozen_range *moments, size_t n)
{
	struct frame *open = calloc(n + 1, sizeof(*open));
	size_t count = 0;
	CHECK(open != NULL);
	for (size_t i = 0; i < n; i++) {
		const struct frozen_range *m = &moments[i];
		if (m->type != RTEV_FXT_ASYNC_BEGIN && m->type != RTEV_FXT_ASYNC_END &&
		    m->type != RTEV_FXT_ASYNC_INSTANT)
			continue;
		size_t at = count;
		while (at > 0 && (open[at - 1].name != m->name || open[at - 1].key != m->word))
			at--;
		if (m->type == RTEV_FXT_ASYNC_BEGIN) {
			findings->crossed_asyncs += at > 0;
			open[count++] = (struct frame){.name = m->name, .key = m->word};
			continue;
		}
		if (at == 0)
			findings->stray_asyncs++;
		else if (m->type == RTEV_FXT_ASYNC_END)
			memmove(&open[at - 1], &open[at], (count-- - at) * sizeof(*open));
	}
	findings->open_asyncs = count;
	free(open);
}

/* Judge what was passed. */
struct fxt_findings fxt_inspection_finish(struct fxt_inspection *inspection)
{
	struct frozen_range *moments = inspection->moments;
	size_t n = inspection->count;
	if (n == 0)
		return inspection->findings;
	qsort(moments, n, sizeof(*moments), by_time);
	inspect_asyncs(&inspection->findings, moments, n);
	qsort(moments, n, sizeof(*moments), by_thread);
	for (size_t first = 0, i = 1; i <= n; i++) {
		if (i < n && moments[i].thread.pid == moments[first].thread.pid &&
		    moments[i].thread.tid == moments[first].thread.tid)
			continue;
		inspect_thread(&inspection->findings, moments + first, i - first);
		first = i;
	}
	return inspection->findings;
}

/* Count events. */
uint64_t fxt_inspection_count(
    const struct fxt_inspection *inspection, enum rtev_fxt_event_type type, const char *name)
{
	uint64_t count = 0;
	for (size_t i = 0; i < inspection->count; i++) {
		const struct frozen_range *m = &inspection->moments[i];
		count += m->type == type && (name == NULL || strcmp(inspection->names[m->name], name) == 0);
	}
	return count;
}
