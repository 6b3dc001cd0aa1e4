/*
 * test_fxt_writer.c - the writer beyond the bytes of good calls: options, misuse and its statuses, what
 * becomes of the trace after misuse, the memory of strings, blobs, the clock.
 */
#include <time.h>

#include "support/fxt_parser.h"
#include "support/test.h"

static unsigned char memory[1 << 20];
static size_t used;

/* Make a writer into `memory`. */
static struct rtev_fxt_writer *make(const struct rtev_fxt_writer_options *options)
{
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w = NULL;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, options), RTEV_OK);
	return w;
}

struct names {
	rtev_fxt_string cat, name;
	rtev_fxt_thread thread;
};

/* Define what events need. */
static struct names define(struct rtev_fxt_writer *w)
{
	struct names n = {0};
	CHECK_INT(rtev_fxt_intern(w, "cat", 3, &n.cat), RTEV_OK);
	CHECK_INT(rtev_fxt_intern(w, "name", 4, &n.name), RTEV_OK);
	CHECK_INT(rtev_fxt_set_thread_slot(w, 0, 10, 11, &n.thread), RTEV_OK);
	return n;
}

/* Write an instant. */
static int instant(struct rtev_fxt_writer *w, const struct names *n, rtev_fxt_args args, uint64_t ticks)
{
	return rtev_fxt_instant(w, args, n->thread, n->cat, n->name, ticks);
}

/* Close the writer and return the events of the trace, which must be good. */
static uint64_t close_and_count(struct rtev_fxt_writer *w, int expected)
{
	CHECK_INT(rtev_fxt_writer_close(w), expected);
	rtev_fxt_writer_destroy(w);
	struct fxt_inspection *inspection = fxt_inspection_create();
	struct rtev_fxt_reader_options any = {.size = sizeof(any), .allow_base = true};
	struct fxt_walk walk = fxt_walk_memory(memory, used, &any, fxt_inspect, inspection);
	if (walk.status != RTEV_OK)
		TEST_FAIL("%s at byte %" PRIu64, walk.reason, walk.offset);
	uint64_t count = 0;
	for (int type = 0; type <= RTEV_FXT_FLOW_END; type++)
		count += fxt_inspection_count(inspection, (enum rtev_fxt_event_type)type, NULL);
	fxt_inspection_destroy(inspection);
	return count;
}

/* The header with another provider, and none. */
TEST(headers)
{
	char long_name[RTEV_FXT_PROVIDER_BYTES_MAX + 2];
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, NULL), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(used, 48);
	CHECK(memcmp(memory + 16, "rtevtop\0", 8) == 0);

	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	options.provider = NULL;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(used, 0);

	memset(long_name, 'p', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	options.provider = long_name;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_E_INVALID);
	long_name[sizeof(long_name) - 2] = '\0';
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(fxt_walk_memory(memory, used, NULL, NULL, NULL).records, 4);
}

/* The older numbering, with 17 dynamic slots, is the default. */
TEST(older_slots)
{
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w;
	rtev_fxt_string id;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, NULL), RTEV_OK);
	CHECK_INT(rtev_fxt_set_dynamic_slot(w, 16, "d", 1, &id), RTEV_OK);
	CHECK_INT(id, 18);
	CHECK_INT(rtev_fxt_set_dynamic_slot(w, 17, "d", 1, &id), RTEV_E_FXT_STRING_SLOT);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 0, "t", 1, &id), RTEV_OK);
	CHECK_INT(id, 19);
	CHECK_INT(rtev_fxt_intern(w, "i", 1, &id), RTEV_OK);
	CHECK_INT(id, 119);
	rtev_fxt_writer_destroy(w);
}

/* The tick initialisation of the specification has two words. */
TEST(two_word_ticks)
{
	const unsigned char expected[] = {0x21, 0, 0, 0, 0, 0, 0, 0, 0x00, 0xca, 0x9a, 0x3b, 0, 0, 0, 0};
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, NULL), RTEV_OK);
	CHECK_INT(rtev_fxt_write_tick_rate(w, 1000000000), RTEV_OK);
	CHECK_INT(rtev_fxt_write_tick_rate(w, 0), RTEV_E_INVALID);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(used, 64);
	CHECK(memcmp(memory + 48, expected, sizeof(expected)) == 0);
}

/* Each misuse of the file error-messages.txt that concerns strings, slots and ids. */
TEST(misuse_of_slots)
{
	static char text[32000];
	memset(text, 'a', sizeof(text));
	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	options.dynamic_slots = 18;
	struct rtev_fxt_writer *w = make(&options);
	rtev_fxt_string id = 77;
	rtev_fxt_thread thread = 77;
	CHECK_INT(rtev_fxt_intern(w, text, 32000, &id), RTEV_E_FXT_STRING_LENGTH);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 100, "x", 1, &id), RTEV_E_FXT_STRING_SLOT);
	CHECK_INT(rtev_fxt_set_temp_slot(w, -1, "x", 1, &id), RTEV_E_FXT_STRING_SLOT);
	CHECK_INT(rtev_fxt_set_dynamic_slot(w, 18, "x", 1, &id), RTEV_E_FXT_STRING_SLOT);
	CHECK_INT(rtev_fxt_set_dynamic_slot(w, -1, "x", 1, &id), RTEV_E_FXT_STRING_SLOT);
	CHECK_INT(rtev_fxt_set_thread_slot(w, 255, 1, 1, &thread), RTEV_E_FXT_THREAD_SLOT);
	CHECK_INT(rtev_fxt_set_thread_slot(w, -1, 1, 1, &thread), RTEV_E_FXT_THREAD_SLOT);
	CHECK_INT(rtev_fxt_set_string(w, 0, "x", 1, &id), RTEV_E_FXT_STRING_SLOT);
	CHECK_INT(rtev_fxt_set_string(w, 32768, "x", 1, &id), RTEV_E_FXT_STRING_SLOT);
	CHECK_INT(rtev_fxt_set_string(w, 1, "x", 1, &id), RTEV_E_FXT_PROCESS_SLOT);
	CHECK_INT(id, 77);
	CHECK_INT(thread, 77);
	CHECK_INT(rtev_fxt_set_string(w, 1, "process", 7, &id), RTEV_OK);
	CHECK_INT(id, RTEV_FXT_STRING_PROCESS);
	CHECK_INT(rtev_fxt_name_process(w, 1, 32768), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_name_thread(w, 1, 1, 32768), RTEV_E_INVALID);
	CHECK_INT(close_and_count(w, RTEV_OK), 0);
	CHECK_INT(used, 48); /* nothing but the header */
}

/* Running out of ids, and how many slots may be asked for. */
TEST(ids_run_out)
{
	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	options.dynamic_slots = 18;
	struct rtev_fxt_writer *w = make(&options);
	rtev_fxt_string id = 0;
	for (int i = 120; i <= 32767; i++) {
		CHECK_INT(rtev_fxt_intern(w, "x", 1, &id), RTEV_OK);
		CHECK_INT(id, i);
	}
	CHECK_INT(rtev_fxt_intern(w, "x", 1, &id), RTEV_E_FXT_STRING_IDS);
	CHECK_INT(close_and_count(w, RTEV_OK), 0);

	options.temp_slots = 32748;
	w = make(&options);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 32747, "x", 1, &id), RTEV_OK);
	CHECK_INT(id, 32767);
	/* The last of all ids names what any other does. */
	rtev_fxt_thread thread;
	CHECK_INT(rtev_fxt_set_thread_slot(w, 0, 1, 2, &thread), RTEV_OK);
	CHECK_INT(rtev_fxt_instant(w, RTEV_FXT_INT32, thread, id, id, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int32(w, id, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_intern(w, "y", 1, &id), RTEV_E_FXT_STRING_IDS);
	CHECK_INT(close_and_count(w, RTEV_OK), 1);

	struct rtev_fxt_destination *destination;
	options.temp_slots = 32749;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_E_FXT_SLOT_COUNT);
	options.dynamic_slots = UINT32_MAX;
	options.temp_slots = UINT32_MAX;
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_E_FXT_SLOT_COUNT);
	CHECK_INT(rtev_fxt_writer_create(&w, NULL, NULL), RTEV_E_INVALID);
	options.size = 0;
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_destination_close(destination), RTEV_OK);
	CHECK_INT(rtev_fxt_destination_close(NULL), RTEV_OK);
}

/* Signatures: the count, the words, and what an event refuses. */
TEST(signatures)
{
	struct rtev_fxt_writer *w = make(NULL);
	struct names n = define(w);
	CHECK_INT(rtev_fxt_args_check(15 * RTEV_FXT_INT64), RTEV_OK);
	CHECK_INT(rtev_fxt_args_check(16 * RTEV_FXT_INT32), RTEV_E_FXT_ARG_COUNT);
	CHECK_INT(rtev_fxt_args_check(255 * RTEV_FXT_INT64), RTEV_E_FXT_ARG_COUNT);
	CHECK_INT(rtev_fxt_args_check(rtev_fxt_inline(31999)), RTEV_OK);
	CHECK_INT(rtev_fxt_args_check(rtev_fxt_inline(32000)), RTEV_E_FXT_RECORD_SIZE);
	CHECK_INT(rtev_fxt_args_check(rtev_fxt_inline(SIZE_MAX)), RTEV_E_FXT_RECORD_SIZE);
	CHECK_INT(rtev_fxt_args_check(2 * rtev_fxt_inline(31999)), RTEV_E_FXT_RECORD_SIZE);
	CHECK_INT(rtev_fxt_args_check(15 * rtev_fxt_inline(SIZE_MAX)), RTEV_E_FXT_RECORD_SIZE);
	CHECK_INT(instant(w, &n, 16 * RTEV_FXT_INT32, 1), RTEV_E_FXT_ARG_COUNT);
	CHECK_INT(instant(w, &n, 2 * rtev_fxt_inline(31999), 1), RTEV_E_FXT_RECORD_SIZE);
	CHECK_INT(instant(w, &n, 3, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_instant(w, 0, 0, n.cat, n.name, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_instant(w, 0, n.thread, 32768, n.name, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_instant(w, 0, n.thread, n.cat, 32768, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_event(w, (enum rtev_fxt_event_type)11, 0, n.thread, n.cat, n.name, 1, 0),
	    RTEV_E_INVALID);
	CHECK_INT(
	    rtev_fxt_duration_complete(w, 0, n.thread, n.cat, n.name, 2, 1), RTEV_E_FXT_END_BEFORE_START);
	CHECK_INT(rtev_fxt_duration_complete(w, 0, n.thread, n.cat, n.name, 2, 2), RTEV_OK);
	CHECK_INT(close_and_count(w, RTEV_OK), 1);
}

/* Too few arguments: noticed by whatever comes next, which drops the event and does nothing else. */
TEST(too_few_arguments)
{
	struct rtev_fxt_writer *w = make(NULL);
	struct names n = define(w);
	rtev_fxt_string id = 0;
	CHECK_INT(instant(w, &n, RTEV_FXT_INT32, 1), RTEV_OK);
	CHECK_INT(instant(w, &n, RTEV_FXT_NO_ARGS, 2), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(instant(w, &n, RTEV_FXT_NO_ARGS, 3), RTEV_OK);

	CHECK_INT(rtev_fxt_counter(w, 2 * RTEV_FXT_INT64, n.thread, n.cat, n.name, 4, 9), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int64(w, n.name, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 0, "x", 1, &id), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 0, "x", 1, &id), RTEV_OK);

	CHECK_INT(instant(w, &n, RTEV_FXT_BOOL, 8), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_flush(w), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(instant(w, &n, RTEV_FXT_BOOL, 9), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_switch_buffer(w), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(instant(w, &n, RTEV_FXT_BOOL, 10), RTEV_OK);
	CHECK_INT(rtev_fxt_write_raw(w, "12345678", 8), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(instant(w, &n, RTEV_FXT_BOOL, 11), RTEV_OK);
	CHECK_INT(close_and_count(w, RTEV_E_FXT_ARGS_MISSING), 1);
}

/* An argument that was not declared is refused and changes nothing. */
TEST(too_many_arguments)
{
	struct rtev_fxt_writer *w = make(NULL);
	struct names n = define(w);
	CHECK_INT(rtev_fxt_arg_int32(w, n.name, 1), RTEV_E_FXT_ARGS_EXTRA);
	CHECK_INT(instant(w, &n, RTEV_FXT_NO_ARGS, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int32(w, n.name, 1), RTEV_E_FXT_ARGS_EXTRA);
	CHECK_INT(instant(w, &n, RTEV_FXT_INT32 + RTEV_FXT_INT64, 2), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int64(w, n.name, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int64(w, n.name, 2), RTEV_E_FXT_ARGS_EXTRA); /* one word is left */
	CHECK_INT(rtev_fxt_arg_inline(w, n.name, "x", 1), RTEV_E_FXT_ARGS_EXTRA);
	CHECK_INT(rtev_fxt_arg_int32(w, n.name, 3), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_bool(w, n.name, true), RTEV_E_FXT_ARGS_EXTRA);

	/* Types of one size stand in for each other. */
	CHECK_INT(instant(w, &n, RTEV_FXT_INT32 + RTEV_FXT_DOUBLE, 3), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_string(w, n.name, n.name), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_pointer(w, n.name, 1), RTEV_OK);

	/* Right in words, wrong in number: two short ones for a long one, one long one for two short ones. */
	CHECK_INT(instant(w, &n, RTEV_FXT_INT64, 4), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int32(w, n.name, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int32(w, n.name, 2), RTEV_E_FXT_ARGS_EXTRA);
	CHECK_INT(instant(w, &n, 2 * RTEV_FXT_INT32, 5), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(instant(w, &n, 2 * RTEV_FXT_INT32, 5), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int64(w, n.name, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_arg_int32(w, n.name, 2), RTEV_E_FXT_ARGS_EXTRA);
	CHECK_INT(close_and_count(w, RTEV_E_FXT_ARGS_MISSING), 3);
}

/* Names, values and lengths that are none; interning in between. */
TEST(arguments_in_between)
{
	static char text[32768];
	struct rtev_fxt_writer *w = make(NULL);
	struct names n = define(w);
	rtev_fxt_string id = 0;
	memset(text, 'a', sizeof(text));
	CHECK_INT(instant(w, &n, RTEV_FXT_STRING + rtev_fxt_inline(31999), 1), RTEV_OK);
	CHECK_INT(rtev_fxt_intern(w, "x", 1, &id), RTEV_E_FXT_ARGS_PENDING);
	CHECK_INT(rtev_fxt_arg_string(w, 32768, n.name), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_arg_string(w, n.name, 32768), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_arg_inline(w, n.name, text, 32000), RTEV_E_FXT_STRING_LENGTH);
	CHECK_INT(rtev_fxt_arg_inline(w, n.name, text, 31999), RTEV_OK);
	CHECK_INT(rtev_fxt_intern(w, "x", 1, &id), RTEV_E_FXT_ARGS_PENDING);
	CHECK_INT(rtev_fxt_arg_string(w, n.name, n.cat), RTEV_OK);
	CHECK_INT(rtev_fxt_intern(w, "x", 1, &id), RTEV_OK);
	CHECK_INT(close_and_count(w, RTEV_OK), 1);
}

/* After closing everything is refused. */
TEST(closed)
{
	struct rtev_fxt_writer *w = make(NULL);
	struct names n = define(w);
	struct rtev_fxt_destination *destination, *old;
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	size_t before = used;
	CHECK_INT(rtev_fxt_intern(w, "y", 1, NULL), RTEV_E_FXT_STOPPED);
	CHECK_INT(instant(w, &n, RTEV_FXT_NO_ARGS, 1), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_arg_int32(w, n.name, 1), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_writer_flush(w), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_writer_switch_buffer(w), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_write_raw(w, "12345678", 8), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_discard_create(&destination, 0), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_set_destination(w, destination, &old), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_destination_close(destination), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_failure(w), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	rtev_fxt_writer_destroy(NULL);
	CHECK_INT(used, before);
}

/* The memory of texts. */
TEST(remembered_strings)
{
	struct rtev_fxt_writer *w = make(NULL);
	const char *text = NULL;
	size_t len = 0;
	rtev_fxt_string first, second, third;
	CHECK_INT(rtev_fxt_intern(w, "one", 3, &first), RTEV_OK);
	CHECK_INT(rtev_fxt_string_text(w, first, &text, &len), RTEV_E_FXT_UNDEFINED);
	rtev_fxt_keep_strings(w, true);
	CHECK_INT(rtev_fxt_intern(w, "t\0wo", 4, &second), RTEV_OK);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 3, "a", 1, &third), RTEV_OK);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 3, "", 0, &third), RTEV_OK);
	CHECK_INT(rtev_fxt_set_string(w, 32767, "last", 4, NULL), RTEV_OK);
	rtev_fxt_keep_strings(w, false);
	CHECK_INT(rtev_fxt_set_temp_slot(w, 3, "forgotten", 9, &third), RTEV_OK);
	CHECK_INT(rtev_fxt_string_text(w, first, &text, &len), RTEV_E_FXT_UNDEFINED);
	CHECK_INT(rtev_fxt_string_text(w, second, &text, &len), RTEV_OK);
	CHECK(len == 4 && memcmp(text, "t\0wo", 5) == 0);
	CHECK_INT(rtev_fxt_string_text(w, third, &text, &len), RTEV_OK);
	CHECK_INT(len, 0);
	CHECK_STR(text, "");
	CHECK_INT(rtev_fxt_string_text(w, 32767, &text, &len), RTEV_OK);
	CHECK_STR(text, "last");
	CHECK_INT(close_and_count(w, RTEV_OK), 0);

	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	options.keep_strings = true;
	w = make(&options);
	CHECK_INT(rtev_fxt_string_text(w, RTEV_FXT_STRING_PROCESS, &text, &len), RTEV_OK);
	CHECK_STR(text, "process");
	rtev_fxt_writer_destroy(w);
}

/* A clock that stands still. */
static uint64_t still_clock(void *ctx)
{
	return *(uint64_t *)ctx;
}

/* A tick counter of 250 MHz made of the monotonic clock. */
static uint64_t quarter_clock(void *ctx)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) / 4;
}

/* Calibration finds a known rate, and the wall clock. */
TEST(calibration)
{
	struct rtev_fxt_ticks ticks = {.size = sizeof(ticks)};
	struct timespec wall;
	uint64_t standing = 5;
	CHECK_INT(rtev_fxt_calibrate(&ticks, quarter_clock, NULL, 0), RTEV_OK);
	CHECK_NEAR(ticks.per_second, 250000000, 250000000 / 1000);
	clock_gettime(CLOCK_REALTIME, &wall);
	int64_t passed = (int64_t)(quarter_clock(NULL) - ticks.base_ticks) * 4;
	int64_t error = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec - (ticks.base_time + passed);
	CHECK_NEAR(error, 0, 5e7);
	CHECK_INT(rtev_fxt_calibrate(&ticks, NULL, NULL, 1000000), RTEV_OK);
	CHECK(ticks.per_second >= 1000000);
	CHECK_INT(rtev_fxt_calibrate(&ticks, still_clock, &standing, 1000), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_calibrate(&ticks, NULL, NULL, UINT64_C(10000000001)), RTEV_E_INVALID);
}

/* What the walk found of the blobs. */
struct blobs {
	unsigned count;
	uint64_t bytes;
	bool sound;
};

/* Check a blob against what was written. */
static void see_blob(void *ctx, const struct rtev_fxt_record *record)
{
	struct blobs *blobs = ctx;

	if (record->kind != RTEV_FXT_BLOB)
		return;
	const unsigned char *data = record->u.blob.data;
	blobs->sound = blobs->sound && record->u.blob.type == 1 && record->u.blob.name.len == 4 &&
		       memcmp(record->u.blob.name.data, "blob", 4) == 0;
	for (uint64_t i = 0; i < record->u.blob.size; i++)
		blobs->sound = blobs->sound && data[i] == (unsigned char)(i * 7);
	blobs->bytes += record->u.blob.size;
	blobs->count++;
}

/* Blobs of every length around a word, and the longest, are read back as they are. */
TEST(blobs)
{
	static unsigned char data[RTEV_FXT_BLOB_BYTES_MAX + 1];
	struct blobs seen = {.sound = true};
	rtev_fxt_string name = 0;
	uint64_t bytes = 0;
	struct rtev_fxt_writer *w = make(NULL);

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 7);
	CHECK_INT(rtev_fxt_intern(w, "blob", 4, &name), RTEV_OK);
	for (size_t len = 0; len <= 17; len++, bytes += len - 1)
		CHECK_INT(rtev_fxt_write_blob(w, RTEV_FXT_BLOB_DATA, name, data, len), RTEV_OK);
	CHECK_INT(rtev_fxt_write_blob(w, RTEV_FXT_BLOB_DATA, name, data, RTEV_FXT_BLOB_BYTES_MAX), RTEV_OK);
	CHECK_INT(rtev_fxt_write_blob(w, RTEV_FXT_BLOB_DATA, name, data, RTEV_FXT_BLOB_BYTES_MAX + 1),
	    RTEV_E_FXT_RECORD_SIZE);
	CHECK_INT(rtev_fxt_write_blob(w, RTEV_FXT_BLOB_DATA, 0x8001, data, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_write_blob(w, (enum rtev_fxt_blob_type)0, name, data, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_write_blob(w, (enum rtev_fxt_blob_type)4, name, data, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	struct fxt_walk walk = fxt_walk_memory(memory, used, NULL, see_blob, &seen);
	CHECK_INT(walk.status, RTEV_OK);
	CHECK(seen.sound);
	CHECK_INT(seen.count, 19);
	CHECK_INT(seen.bytes, bytes + RTEV_FXT_BLOB_BYTES_MAX);
}
