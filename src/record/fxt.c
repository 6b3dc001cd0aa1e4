/*
 * fxt.c - a recording in the Fuchsia trace format.
 *
 * A string is written when it is first used; `ids` stores its id by label.  When string ids have run out,
 * names use the temporary slots in turn.  If there are more tracks than thread slots, tracks share slots;
 * `holds` tells which track a slot has now.  A track's thread id is its number plus one, because Perfetto
 * takes thread 0 for the idle thread.
 */
#include "record/sink.h"
#include "rtev/fxt.h"

#define NAME_BYTES_MAX 512 /* longer untrusted names are cut */

/* Number of labels of each kind. */
static const uint32_t label_counts[RECORD_LABEL_KINDS] = {
    [RECORD_LABEL_WORD] = RECORD_WORD_COUNT,
    [RECORD_LABEL_PHASE] = RTEV_OPAQUE + RTEV_ID_LIMIT,
    [RECORD_LABEL_COUNTER] = RTEV_OPAQUE + RTEV_ID_LIMIT,
    [RECORD_LABEL_LIFECYCLE] = RTEV_OPAQUE + RTEV_ID_LIMIT,
    [RECORD_LABEL_USER] = MODEL_USER_SLOTS_MAX,
    [RECORD_LABEL_BUCKET] = RTEV_ALLOC_BUCKETS,
    [RECORD_LABEL_FIBER] = RECORD_FIBER_NAMES,
    [RECORD_LABEL_CODE] = RECORD_CODE_NAMES,
};

struct fxt_sink {
	struct record_sink base;
	const struct model *model;
	struct rtev_fxt_writer *writer;
	uint64_t pid;
	int status; /* first error */
	unsigned next_slot;
	rtev_fxt_string *ids[RECORD_LABEL_KINDS];
	rtev_fxt_string blobs[TRAIL_BLOB_COUNT];
	unsigned holds[RTEV_FXT_THREAD_SLOTS]; /* track + 1 */
};

/* More temporary slots than an event has names. */
#define TEMP_SLOTS 64

static struct fxt_sink *sink_of(struct record_sink *base)
{
	return (struct fxt_sink *)(void *)base;
}

/* Keep the first error. */
static void note(struct fxt_sink *sink, int status)
{
	if (sink->status == RTEV_OK)
		sink->status = status;
}

/* Write a string and return its id.  *keep asks for an id that stays valid, and tells whether it does; NULL:
 * it must. */
static rtev_fxt_string string_write(struct fxt_sink *sink, const char *text, size_t len, bool *keep)
{
	char clean[RECORD_TEXT_ROOM(NAME_BYTES_MAX)];
	rtev_fxt_string id = RTEV_FXT_STRING_EMPTY;

	len = record_text_clean(clean, text, len < NAME_BYTES_MAX ? len : NAME_BYTES_MAX);
	if (len == 0)
		return id;
	int status =
	    keep == NULL || *keep ? rtev_fxt_intern(sink->writer, clean, len, &id) : RTEV_E_FXT_STRING_IDS;
	if (status == RTEV_E_FXT_STRING_IDS) {
		if (keep != NULL)
			*keep = false;
		sink->next_slot = (sink->next_slot + 1) % TEMP_SLOTS;
		status = rtev_fxt_set_temp_slot(sink->writer, sink->next_slot, clean, len, &id);
	}
	note(sink, status);
	return id;
}

/* Write the string of a label.  Returns its id. */
static rtev_fxt_string label_write(struct fxt_sink *sink, struct record_label label)
{
	char buf[RTEV_NAME_SIZE];
	size_t len;
	bool kept = label.number < label_counts[label.kind];

	if (!kept && label.kind != RECORD_LABEL_FIBER)
		return RTEV_FXT_STRING_EMPTY;
	const char *text = record_label_text(sink->model, label, buf, &len);
	rtev_fxt_string id = string_write(sink, text, len, &kept);
	if (kept)
		sink->ids[label.kind][label.number] = id;
	return id;
}

/* String id of a label, written on first use. */
static inline rtev_fxt_string label_id(struct fxt_sink *sink, struct record_label label)
{
	if (label.number < label_counts[label.kind]) {
		rtev_fxt_string id = sink->ids[label.kind][label.number];
		if (id != RTEV_FXT_STRING_EMPTY)
			return id;
	}
	return label_write(sink, label);
}

/* String id of one of our own names. */
static inline rtev_fxt_string word_id(struct fxt_sink *sink, enum record_word word)
{
	return label_id(sink, (struct record_label){.kind = RECORD_LABEL_WORD, .number = word});
}

static inline rtev_fxt_thread track_thread(struct fxt_sink *sink, unsigned track)
{
	unsigned slot = track == RECORD_TRACK_TARGET ? 0 : 1 + track % (RTEV_FXT_THREAD_SLOTS - 1);

	if (sink->holds[slot] != track + 1) {
		sink->holds[slot] = track + 1;
		note(sink, rtev_fxt_set_thread_slot(sink->writer, slot, sink->pid, track + 1, NULL));
	}
	return (rtev_fxt_thread)(slot + 1);
}

/* ---- the clocks ---- */

/* Write a varint of protobuf: seven bits per byte, least significant first. */
static unsigned char *proto_number(unsigned char *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (unsigned char)(value | 0x80);
	*p++ = (unsigned char)value;
	return p;
}

/* Write an integer field. */
static unsigned char *proto_field(unsigned char *p, unsigned field, uint64_t value)
{
	return proto_number(proto_number(p, (uint64_t)field << 3), value);
}

/* Write a field that contains a message. */
static unsigned char *proto_message(
    unsigned char *p, unsigned field, const unsigned char *message, const unsigned char *end)
{
	size_t len = (size_t)(end - message);

	p = proto_number(proto_number(p, (uint64_t)field << 3 | 2), len);
	memcpy(p, message, len);
	return p + len;
}

/* Relate the trace's clock to the others for Perfetto, which takes only the rate from the ticks record.
 * Fields and clock ids are those of trace_packet.proto and clock_snapshot.proto. */
static void clocks_write(struct fxt_sink *sink, const struct record_subject *subject)
{
	enum { CLOCK = 1, PRIMARY = 2, CLOCK_ID = 1, TIMESTAMP = 2, SNAPSHOT = 6, SEQUENCE = 10, PACKET = 1 };
	enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 };
	const struct {
		unsigned id;
		uint64_t now;
	} clocks[] = {{BOOTTIME, subject->base_ts + record_subject_slept(subject)},
	    {MONOTONIC, subject->base_ts}, {REALTIME, (uint64_t)subject->base_wall}};
	unsigned char clock[24], snapshot[96], packet[128], trace[160];
	unsigned char *s = snapshot;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		s = proto_message(s, CLOCK, clock,
		    proto_field(proto_field(clock, CLOCK_ID, clocks[i].id), TIMESTAMP, clocks[i].now));
	s = proto_field(s, PRIMARY, BOOTTIME);
	unsigned char *end = proto_message(proto_field(packet, SEQUENCE, 1), SNAPSHOT, snapshot, s);
	end = proto_message(trace, PACKET, packet, end);
	rtev_fxt_string name = string_write(sink, "perfetto", strlen("perfetto"), NULL);
	note(sink,
	    rtev_fxt_write_blob(sink->writer, RTEV_FXT_BLOB_PERFETTO, name, trace, (size_t)(end - trace)));
}

/* Write ticks, clocks and the process name. */
static void fxt_start(struct record_sink *base, const struct record_subject *subject)
{
	struct fxt_sink *sink = sink_of(base);
	const struct rtev_fxt_ticks ticks = {.size = sizeof(ticks),
	    .per_second = 1000000000u,
	    .base_ticks = subject->base_ts + record_subject_slept(subject),
	    .base_time = subject->base_wall};

	sink->pid = (uint64_t)subject->pid;
	note(sink, rtev_fxt_write_ticks(sink->writer, &ticks));
	if (subject->base_ts != 0 && subject->base_wall > 0)
		clocks_write(sink, subject);
	rtev_fxt_string name = string_write(sink, subject->name, strlen(subject->name), NULL);
	note(sink, rtev_fxt_name_process(sink->writer, sink->pid, name));
}

static void fxt_track(struct record_sink *base, unsigned track, const char *name)
{
	struct fxt_sink *sink = sink_of(base);
	rtev_fxt_string id = string_write(sink, name, strlen(name), NULL);

	note(sink, rtev_fxt_name_thread(sink->writer, sink->pid, track + 1, id));
}

/* Whether a value fits an int32 argument. */
static bool is_short(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* An argument's part of the signature. */
static rtev_fxt_args arg_signature(const struct record_arg *arg)
{
	if (arg->type == RECORD_ARG_BOOL)
		return RTEV_FXT_BOOL;
	if (arg->type == RECORD_ARG_TEXT)
		return rtev_fxt_inline(arg->len);
	return is_short(arg->value) ? RTEV_FXT_INT32 : RTEV_FXT_INT64;
}

static int arg_write(struct fxt_sink *sink, const struct record_arg *arg, rtev_fxt_string name)
{
	if (arg->type == RECORD_ARG_BOOL)
		return rtev_fxt_arg_bool(sink->writer, name, arg->value != 0);
	if (arg->type == RECORD_ARG_TEXT)
		return rtev_fxt_arg_inline(sink->writer, name, arg->text, arg->len);
	return is_short(arg->value) ? rtev_fxt_arg_int32(sink->writer, name, (int32_t)arg->value)
				    : rtev_fxt_arg_int64(sink->writer, name, arg->value);
}

/* Write one record of an event, with at most RTEV_FXT_EVENT_ARGS_MAX arguments. */
static void record_write(struct fxt_sink *sink, enum rtev_fxt_event_type type, uint64_t ticks, uint64_t word,
    const struct record_event *event, const struct record_arg *args, unsigned count)
{
	rtev_fxt_string names[RTEV_FXT_EVENT_ARGS_MAX];
	rtev_fxt_args signature = RTEV_FXT_NO_ARGS;

	/* Strings have to be written before the event that uses them. */
	for (unsigned i = 0; i < count; i++) {
		names[i] = label_id(sink, args[i].name);
		signature += arg_signature(&args[i]);
	}
	rtev_fxt_string category = word_id(sink, event->category);
	rtev_fxt_string name = label_id(sink, event->name);
	rtev_fxt_thread thread = track_thread(sink, event->track);
	int status = rtev_fxt_event(sink->writer, type, signature, thread, category, name, ticks, word);
	for (unsigned i = 0; i < count && status == RTEV_OK; i++)
		status = arg_write(sink, &args[i], names[i]);
	if (status != RTEV_OK)
		note(sink, status);
}

static void fxt_event(struct record_sink *base, const struct record_event *event)
{
	struct fxt_sink *sink = sink_of(base);
	const struct record_arg *args = event->args;
	unsigned count = event->arg_count;
	struct record_event to = *event;

	if (sink->status != RTEV_OK)
		return;
	switch (event->kind) {
	case RECORD_SLICE:
		record_write(sink, RTEV_FXT_DURATION_COMPLETE, event->begin, event->end, event, args, count);
		break;
	case RECORD_ASYNC:
		record_write(sink, RTEV_FXT_ASYNC_BEGIN, event->begin, event->id, event, args, count);
		record_write(sink, RTEV_FXT_ASYNC_END, event->end, event->id, event, NULL, 0);
		break;
	case RECORD_INSTANT:
		record_write(sink, RTEV_FXT_INSTANT, event->begin, 0, event, args, count);
		break;
	case RECORD_FLOW:
		to.track = event->to_track;
		record_write(sink, RTEV_FXT_FLOW_BEGIN, event->begin, event->id, event, NULL, 0);
		record_write(sink, RTEV_FXT_FLOW_END, event->end, event->id, &to, NULL, 0);
		break;
	case RECORD_COUNTER:
		for (unsigned i = 0; i < count;) {
			unsigned part = count - i > RTEV_FXT_EVENT_ARGS_MAX ? (count - i + 1) / 2 : count - i;
			record_write(
			    sink, RTEV_FXT_COUNTER, event->begin, event->track, event, args + i, part);
			i += part;
		}
		break;
	}
}

static void fxt_blob(struct record_sink *base, enum trail_blob blob, const void *data, size_t len)
{
	struct fxt_sink *sink = sink_of(base);
	rtev_fxt_string *name = &sink->blobs[blob];
	bool kept = true;

	if (sink->status != RTEV_OK)
		return;
	rtev_fxt_string id = *name;
	if (id == RTEV_FXT_STRING_EMPTY)
		id = string_write(sink, trail_blob_name(blob), strlen(trail_blob_name(blob)), &kept);
	if (kept)
		*name = id;
	note(sink, rtev_fxt_write_blob(sink->writer, RTEV_FXT_BLOB_DATA, id, data, len));
}

static void fxt_pass_on(struct record_sink *base)
{
	struct fxt_sink *sink = sink_of(base);

	if (sink->status == RTEV_OK)
		note(sink, rtev_fxt_writer_switch_buffer(sink->writer));
}

/* Close the writer and free the sink. */
static void sink_free(struct fxt_sink *sink)
{
	rtev_fxt_writer_destroy(sink->writer);
	for (int kind = 0; kind < RECORD_LABEL_KINDS; kind++)
		free(sink->ids[kind]);
	free(sink);
}

static int fxt_finish(struct record_sink *base)
{
	struct fxt_sink *sink = sink_of(base);

	note(sink, rtev_fxt_writer_close(sink->writer));
	int status = sink->status;
	sink_free(sink);
	return status;
}

struct record_sink *record_fxt_create(struct disk *disk, const struct model *m)
{
	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	struct rtev_fxt_destination *destination;

	struct fxt_sink *sink = calloc(1, sizeof(*sink));
	if (sink == NULL)
		return NULL;
	sink->base = (struct record_sink){fxt_start, fxt_track, fxt_event, fxt_pass_on, fxt_finish, fxt_blob};
	sink->model = m;
	for (int kind = 0; kind < RECORD_LABEL_KINDS; kind++) {
		sink->ids[kind] = calloc(label_counts[kind], sizeof(rtev_fxt_string));
		if (sink->ids[kind] == NULL)
			goto fail;
	}
	if (disk_destination(&destination, disk) != RTEV_OK)
		goto fail;
	options.dynamic_slots = 0;
	options.temp_slots = TEMP_SLOTS;
	if (rtev_fxt_writer_create(&sink->writer, destination, &options) != RTEV_OK) {
		rtev_fxt_destination_close(destination);
		goto fail;
	}
	return &sink->base;
fail:
	sink_free(sink);
	return NULL;
}
