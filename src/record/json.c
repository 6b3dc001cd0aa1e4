/*
 * json.c - a recording as Chrome's JSON: an object with "traceEvents", in microseconds with three decimals.
 *
 * Times are since boot, which is what Perfetto assumes when it loads several files.  Readers store a time as
 * a double, which resolves nanoseconds up to 101 days.  So times are relative to an *origin*, some time
 * before the first event, because events of other domains may be older.
 *
 * A record is composed in `out`, which is never flushed, and then moved to the disk's buffer as a whole.  A
 * comma precedes each record, so that the tail is the same after any record.
 */
#include "print/out.h"
#include "record/sink.h"
#include "core/array.h"
#include "core/sum.h"

#define STRINGS_MAX 16384u /* labels of a kind whose strings are kept */
#define BEFORE_FIRST_NS (UINT64_C(50) * 86400 * 1000000000)

/* A label as a JSON string, once it has been used. */
struct label_string {
	char *text;
	size_t len;
};

struct json_sink {
	struct record_sink base;
	const struct model *model;
	struct disk *disk;
	uint64_t origin; /* in whole microseconds */
	bool any;	 /* a record has been written */
	char head[32];	 /* text between the phase and the track of each record */
	struct label_string *strings[RECORD_LABEL_KINDS]; /* by number of the label, at most STRINGS_MAX */
	unsigned string_counts[RECORD_LABEL_KINDS];	  /* length of each of `strings` */
	unsigned char *at;
	size_t used;
	struct out out;
};

static struct json_sink *sink_of(struct record_sink *base)
{
	return (struct json_sink *)(void *)base;
}

/* Move the contents of `out` to the disk. */
static void move_out(struct json_sink *sink)
{
	size_t len = sink->out.used;
	void *data;

	sink->out.used = 0;
	if (sink->at != NULL && RECORD_BUFFER - sink->used < len) {
		disk_take(sink->disk, sink->used);
		sink->at = NULL;
	}
	if (sink->at == NULL) {
		/* The disk keeps the error. */
		if (disk_next(sink->disk, &data) != 0)
			return;
		sink->at = data;
		sink->used = 0;
	}
	memcpy(sink->at + sink->used, sink->out.buffer, len);
	sink->used += len;
}

static void record_begin(struct json_sink *sink, const char *phase, unsigned track)
{
	struct out *out = &sink->out;

	out_text(out, sink->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	sink->any = true;
	out_text(out, phase);
	out_text(out, sink->head);
	out_unsigned(out, track + 1);
}

/* Write a time in nanoseconds as microseconds. */
static void put_time(struct json_sink *sink, const char *key, int64_t signed_ns)
{
	uint64_t ns = signed_ns < 0 ? -(uint64_t)signed_ns : (uint64_t)signed_ns, rest = ns % 1000;
	char digits[25], *point = digits + sizeof(digits) - 4, *at = out_digits(point, ns / 1000);

	point[0] = '.';
	point[1] = (char)('0' + rest / 100);
	point[2] = (char)('0' + rest / 10 % 10);
	point[3] = (char)('0' + rest % 10);
	if (signed_ns < 0)
		*--at = '-';
	out_text(&sink->out, key);
	out_put(&sink->out, at, (size_t)(point + 4 - at));
}

/* Make room to keep the string of a label.  Returns false if out of memory, or if there are too many. */
static bool strings_grow(struct json_sink *sink, struct record_label label)
{
	unsigned *known = &sink->string_counts[label.kind];

	return label.number < *known ||
	       (label.number < STRINGS_MAX &&
		   array_reach(&sink->strings[label.kind], known, label.number + label.number / 2 + 32,
		       sizeof(struct label_string)));
}

/* Write the text of a label as a string, and keep that. */
static void put_new_label(struct json_sink *sink, struct record_label label)
{
	char buf[RTEV_NAME_SIZE];
	size_t len, begin = sink->out.used;

	const char *text = record_label_text(sink->model, label, buf, &len);
	out_json_string(&sink->out, text, len);
	if (sink->out.used <= begin || !strings_grow(sink, label))
		return;
	struct label_string *string = &sink->strings[label.kind][label.number];
	string->len = sink->out.used - begin;
	string->text = malloc(string->len);
	if (string->text != NULL)
		memcpy(string->text, sink->out.buffer + begin, string->len);
}

static inline void put_label(struct json_sink *sink, struct record_label label)
{
	if (label.number < sink->string_counts[label.kind]) {
		const struct label_string *string = &sink->strings[label.kind][label.number];
		if (string->text != NULL) {
			out_put(&sink->out, string->text, string->len);
			return;
		}
	}
	put_new_label(sink, label);
}

/* Write the arguments and close the record. */
static void put_args(struct json_sink *sink, const struct record_arg *args, unsigned count)
{
	struct out *out = &sink->out;

	for (unsigned i = 0; i < count; i++) {
		out_text(out, i == 0 ? ",\"args\":{" : ",");
		put_label(sink, args[i].name);
		out_char(out, ':');
		if (args[i].type == RECORD_ARG_INT)
			out_signed(out, args[i].value);
		else if (args[i].type == RECORD_ARG_BOOL)
			out_text(out, args[i].value != 0 ? "true" : "false");
		else
			out_json_string(out, args[i].text, args[i].len);
	}
	out_text(out, count > 0 ? "}}" : "}");
}

/* Write a metadata record: the name of the process or of a track. */
static void put_name(struct json_sink *sink, const char *what, unsigned track, const char *name)
{
	record_begin(sink, "M", track);
	out_text(&sink->out, ",\"name\":\"");
	out_text(&sink->out, what);
	out_text(&sink->out, "\",\"args\":{\"name\":");
	out_json_string(&sink->out, name, strlen(name));
	out_text(&sink->out, "}}");
	move_out(sink);
}

/* Write the start of the file. */
static void json_start(struct record_sink *base, const struct record_subject *subject)
{
	struct json_sink *sink = sink_of(base);
	struct out *out = &sink->out;
	const struct model_totals totals = model_totals(sink->model);

	uint64_t slept = record_subject_slept(subject), last = sum_saturating(totals.last_ts, slept);
	if (last > BEFORE_FIRST_NS)
		sink->origin = (last - BEFORE_FIRST_NS) / 1000 * 1000;
	snprintf(sink->head, sizeof(sink->head), "\",\"pid\":%lld,\"tid\":", (long long)subject->pid);
	/* Stamps are strings, because JSON numbers may lose precision. */
	out_text(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"recorder\":\"rtevtop\"");
	out_text(out, ",\"origin_monotonic_ns\":\"");
	out_signed(out, (int64_t)(sink->origin - slept));
	out_char(out, '"');
	if (subject->base_ts != 0) {
		out_text(out, ",\"base_boottime_ns\":\"");
		out_unsigned(out, subject->base_ts + slept);
		out_char(out, '"');
		out_text(out, ",\"base_monotonic_ns\":\"");
		out_unsigned(out, subject->base_ts);
		out_text(out, "\",\"base_unix_ns\":\"");
		out_signed(out, subject->base_wall);
		out_char(out, '"');
	}
	out_text(out, "},\"traceEvents\":[");
	put_name(sink, "process_name", RECORD_TRACK_TARGET, subject->name);
}

static void json_track(struct record_sink *base, unsigned track, const char *name)
{
	put_name(sink_of(base), "thread_name", track, name);
}

static void put_event(struct json_sink *sink, const char *phase, const struct record_event *event,
    uint64_t ts, const struct record_arg *args, unsigned count)
{
	struct out *out = &sink->out;

	record_begin(sink, phase, event->track);
	out_text(out, ",\"cat\":");
	put_label(sink, (struct record_label){.kind = RECORD_LABEL_WORD, .number = event->category});
	out_text(out, ",\"name\":");
	put_label(sink, event->name);
	put_time(sink, ",\"ts\":", (int64_t)(ts - sink->origin));
	if (event->kind == RECORD_SLICE)
		put_time(sink, ",\"dur\":", (int64_t)(event->end - event->begin));
	if (event->kind == RECORD_INSTANT)
		out_text(out, ",\"s\":\"t\"");
	if (event->kind == RECORD_ASYNC) {
		/* "local": unique within the process */
		out_text(out, ",\"id2\":{\"local\":\"");
		out_unsigned(out, event->id);
		out_text(out, "\"}");
	}
	if (event->kind == RECORD_FLOW)
		out_text(out, ",\"bp\":\"e\"");
	if (event->kind == RECORD_COUNTER || event->kind == RECORD_FLOW) {
		out_text(out, ",\"id\":\"");
		out_unsigned(out, event->kind == RECORD_FLOW ? event->id : event->track);
		out_char(out, '"');
	}
	put_args(sink, args, count);
	move_out(sink);
}

static void json_event(struct record_sink *base, const struct record_event *event)
{
	static const char *const phases[] = {[RECORD_SLICE] = "X",
	    [RECORD_ASYNC] = "b",
	    [RECORD_INSTANT] = "i",
	    [RECORD_COUNTER] = "C",
	    [RECORD_FLOW] = "s"};
	struct json_sink *sink = sink_of(base);
	struct record_event to = *event;

	put_event(sink, phases[event->kind], event, event->begin, event->args, event->arg_count);
	if (event->kind == RECORD_ASYNC)
		put_event(sink, "e", event, event->end, NULL, 0);
	to.track = event->to_track;
	if (event->kind == RECORD_FLOW)
		put_event(sink, "f", &to, event->end, NULL, 0);
}

static void json_pass_on(struct record_sink *base)
{
	struct json_sink *sink = sink_of(base);

	if (sink->at != NULL)
		disk_take(sink->disk, sink->used);
	sink->at = NULL;
}

static int json_finish(struct record_sink *base)
{
	struct json_sink *sink = sink_of(base);

	json_pass_on(base);
	for (int kind = 0; kind < RECORD_LABEL_KINDS; kind++) {
		for (uint32_t i = 0; i < sink->string_counts[kind]; i++)
			free(sink->strings[kind][i].text);
		free(sink->strings[kind]);
	}
	free(sink);
	return RTEV_OK;
}

struct record_sink *record_json_create(struct disk *disk, const struct model *m)
{
	struct json_sink *sink = calloc(1, sizeof(*sink));

	if (sink == NULL)
		return NULL;
	sink->base =
	    (struct record_sink){json_start, json_track, json_event, json_pass_on, json_finish, NULL};
	sink->model = m;
	sink->disk = disk;
	out_init(&sink->out, -1);
	return &sink->base;
}
