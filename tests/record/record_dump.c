/*
 * record_dump.c - print a recording's events as lines of JSON, after the strict reader and the inspection
 * found no fault.
 *
 * Foreign text is printed in hexadecimal.  Status 1 and a message when the trace is not one that Perfetto
 * takes whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/fxt_parser.h"
#include "support/test.h"

/* The names of the kinds of events that a recording has. */
static const char *const kinds[RTEV_FXT_FLOW_END + 1] = {
    [RTEV_FXT_INSTANT] = "instant",
    [RTEV_FXT_COUNTER] = "counter",
    [RTEV_FXT_DURATION_COMPLETE] = "slice",
    [RTEV_FXT_ASYNC_BEGIN] = "async_begin",
    [RTEV_FXT_ASYNC_END] = "async_end",
    [RTEV_FXT_FLOW_BEGIN] = "flow_begin",
    [RTEV_FXT_FLOW_END] = "flow_end",
};

/* Print a text in hexadecimal. */
static void print_text(const struct rtev_fxt_text *text)
{
	putchar('"');
	for (uint32_t i = 0; i < text->len; i++)
		printf("%02x", (unsigned char)text->data[i]);
	putchar('"');
}

/* Print an argument's value. */
static void print_value(const struct rtev_fxt_arg *arg)
{
	if (arg->type == RTEV_FXT_TYPE_BOOL)
		printf("%s", arg->value.b ? "true" : "false");
	else if (arg->type == RTEV_FXT_TYPE_STRING)
		print_text(&arg->value.text);
	else
		printf("%" PRId64, arg->value.i);
}

/* Print a record that is an event or a name. */
static void print_record(void *ctx, const struct rtev_fxt_record *record)
{
	fxt_inspect(ctx, record);
	if (record->kind == RTEV_FXT_KERNEL_OBJECT) {
		printf("{\"kind\":\"name\",\"type\":%d,\"id\":%" PRIu64 ",\"pid\":%" PRIu64 ",\"name\":",
		    record->u.object.type, record->u.object.id, record->u.object.pid);
		print_text(&record->u.object.name);
		puts("}");
	}
	if (record->kind == RTEV_FXT_TICKS)
		printf("{\"kind\":\"ticks\",\"rate\":%" PRIu64 ",\"ticks\":%" PRIu64 ",\"time\":%" PRId64
		       "}\n",
		    record->u.ticks.rate.per_second, record->u.ticks.rate.base_ticks,
		    record->u.ticks.rate.base_time);
	if (record->kind != RTEV_FXT_EVENT)
		return;
	const char *kind = kinds[record->u.event.type];
	printf("{\"kind\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"ts\":%" PRIu64 ",\"word\":%" PRIu64
	       ",\"cat\":",
	    kind != NULL ? kind : "unexpected", record->u.event.thread.pid, record->u.event.thread.tid,
	    record->u.event.ticks, record->u.event.word);
	print_text(&record->u.event.category);
	printf(",\"name\":");
	print_text(&record->u.event.name);
	printf(",\"args\":{");
	for (unsigned i = 0; i < record->u.event.args.count; i++) {
		printf("%s", i > 0 ? "," : "");
		print_text(&record->u.event.args.list[i].name);
		putchar(':');
		print_value(&record->u.event.args.list[i]);
	}
	puts("}}");
}

int main(int argc, char **argv)
{
	const struct rtev_fxt_reader_options options = {.size = sizeof(options), .allow_base = true};
	size_t size;

	if (argc != 2)
		return 2;
	unsigned char *data = bytes_of_file(argv[1], &size);
	struct fxt_inspection *inspection = fxt_inspection_create();
	if (data == NULL || inspection == NULL) {
		fprintf(stderr, "%s: could not be read\n", argv[1]);
		return 1;
	}
	struct fxt_walk walk = fxt_walk_memory(data, size, &options, print_record, inspection);
	struct fxt_findings found = fxt_inspection_finish(inspection);
	uint64_t faults = found.open_begins + found.stray_ends + found.misnamed_ends + found.overlaps +
			  found.backward + found.open_asyncs + found.stray_asyncs + found.crossed_asyncs +
			  found.bad_counters + found.stray_flows;
	if (walk.status != RTEV_OK)
		fprintf(stderr, "byte %" PRIu64 ": %s\n", walk.offset, walk.reason);
	if (faults != 0)
		fprintf(stderr,
		    "overlaps %" PRIu64 ", backward %" PRIu64 ", open asyncs %" PRIu64
		    ", stray asyncs %" PRIu64 ", bad counters %" PRIu64 "\n",
		    found.overlaps, found.backward, found.open_asyncs, found.stray_asyncs,
		    found.bad_counters);
	fxt_inspection_destroy(inspection);
	free(data);
	return walk.status != RTEV_OK || faults != 0;
}
