/*
 * test_fxt.c - the writer makes the same bytes as Jane Street's library does of the same calls.
 *
 * Each function below repeats the calls that made the file of its name in data/fxt; 18 dynamic slots,
 * provider "jane_tracing".
 */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "support/fxt_parser.h"
#include "support/test.h"

#define INT63_MAX ((INT64_C(1) << 62) - 1)
#define INT63_MIN (-(INT64_C(1) << 62))

typedef struct rtev_fxt_writer writer;

/* What most files begin with. */
struct names {
	rtev_fxt_string cat, name, a1, a2, v;
	rtev_fxt_thread thread;
};

/* Intern a text. */
static rtev_fxt_string intern(writer *w, const char *text)
{
	rtev_fxt_string id = 0;
	CHECK_INT(rtev_fxt_intern(w, text, strlen(text), &id), RTEV_OK);
	return id;
}

/* Put a text in a temporary slot. */
static rtev_fxt_string temp(writer *w, int slot, const char *format, int number)
{
	char text[32];
	rtev_fxt_string id = 0;
	int len = snprintf(text, sizeof(text), "%s%d", format, number);
	CHECK_INT(rtev_fxt_set_temp_slot(w, slot, text, (size_t)len, &id), RTEV_OK);
	return id;
}

/* The four-word tick initialisation for nanoseconds since 1970. */
static void epoch_ns(writer *w)
{
	struct rtev_fxt_ticks ticks = {.size = sizeof(ticks), .per_second = 1000000000};
	CHECK_INT(rtev_fxt_write_ticks(w, &ticks), RTEV_OK);
}

/* Write what most files begin with. */
static struct names standard(writer *w)
{
	struct names n = {0};
	epoch_ns(w);
	n.cat = intern(w, "cat");
	n.name = intern(w, "name");
	n.a1 = intern(w, "arg1");
	n.a2 = intern(w, "arg2");
	n.v = intern(w, "value");
	CHECK_INT(rtev_fxt_name_process(w, 100, intern(w, "proc")), RTEV_OK);
	CHECK_INT(rtev_fxt_name_thread(w, 100, 101, intern(w, "thr")), RTEV_OK);
	CHECK_INT(rtev_fxt_set_thread_slot(w, 0, 100, 101, &n.thread), RTEV_OK);
	return n;
}

/* Begin an instant that will have arguments. */
static void instant(writer *w, const struct names *n, rtev_fxt_args args, uint64_t ticks)
{
	CHECK_INT(rtev_fxt_instant(w, args, n->thread, n->cat, n->name, ticks), RTEV_OK);
}

#define OK(call) CHECK_INT((call), RTEV_OK)

/* Nothing but the header. */
static void header_only(writer *w)
{
}

/* Every kind of event. */
static void events_noargs(writer *w)
{
	struct names n = standard(w);
	rtev_fxt_thread t = n.thread;
	rtev_fxt_string c = n.cat, s = n.name;
	OK(rtev_fxt_instant(w, RTEV_FXT_NO_ARGS, t, c, s, 1000));
	OK(rtev_fxt_counter(w, RTEV_FXT_NO_ARGS, t, c, s, 1100, 7));
	OK(rtev_fxt_duration_begin(w, RTEV_FXT_NO_ARGS, t, c, s, 2000));
	OK(rtev_fxt_duration_end(w, RTEV_FXT_NO_ARGS, t, c, s, 3000));
	OK(rtev_fxt_duration_complete(w, RTEV_FXT_NO_ARGS, t, c, s, 4000, 5000));
	OK(rtev_fxt_async_begin(w, RTEV_FXT_NO_ARGS, t, c, s, 6000, 42));
	OK(rtev_fxt_async_instant(w, RTEV_FXT_NO_ARGS, t, c, s, 6500, 42));
	OK(rtev_fxt_async_end(w, RTEV_FXT_NO_ARGS, t, c, s, 7000, 42));
	OK(rtev_fxt_duration_complete(w, RTEV_FXT_NO_ARGS, t, c, s, 8000, 9000));
	OK(rtev_fxt_flow_begin(w, t, 8100, 5));
	OK(rtev_fxt_duration_complete(w, RTEV_FXT_NO_ARGS, t, c, s, 9500, 9900));
	OK(rtev_fxt_flow_step(w, t, 9600, 5));
	OK(rtev_fxt_duration_complete(w, RTEV_FXT_NO_ARGS, t, c, s, 10000, 11000));
	OK(rtev_fxt_flow_end(w, t, 10100, 5));
}

/* The integers of the file "args"; OCaml's native integers have 63 bits. */
static const int64_t int32_values[] = {0, 1, -1, 0x7fffffff, -0x80000000LL, 0x80000000LL, 0x100000001LL};
static const int64_t int64_values[] = {0, 1, -1, INT63_MAX, INT63_MIN, 0, 1, -1, INT64_MAX, INT64_MIN};
static const uint64_t pointer_values[] = {0, 0xdeadbeef, UINT64_MAX, UINT64_C(1) << 63};

/* The doubles of the file "args". */
static double double_value(size_t i)
{
	uint64_t ocaml_nan = UINT64_C(0x7ff8000000000001);
	const double values[] = {0, -0.0, 1.5, -1e300, INFINITY, -INFINITY, 0, 4.9e-324};
	double value = values[i];
	if (i == 6)
		memcpy(&value, &ocaml_nan, sizeof(value));
	return value;
}

/* Arguments on events with a word of their own, which stands behind them. */
static void args_before_words(writer *w, const struct names *n, uint64_t tick)
{
	OK(rtev_fxt_counter(w, RTEV_FXT_INT64 + RTEV_FXT_DOUBLE + RTEV_FXT_INT32, n->thread, n->cat, n->name,
	    tick + 1000, 3));
	OK(rtev_fxt_arg_int64(w, n->a1, 10));
	OK(rtev_fxt_arg_double(w, n->a2, 0.5));
	OK(rtev_fxt_arg_int32(w, n->v, 3));
	OK(rtev_fxt_duration_complete(
	    w, RTEV_FXT_STRING + RTEV_FXT_INT32, n->thread, n->cat, n->name, 100000, 101000));
	OK(rtev_fxt_arg_string(w, n->a1, n->v));
	OK(rtev_fxt_arg_int32(w, n->a2, 1));
	OK(rtev_fxt_async_begin(w, RTEV_FXT_INT32, n->thread, n->cat, n->name, tick + 2000, INT63_MAX));
	OK(rtev_fxt_arg_int32(w, n->a1, 1));
	OK(rtev_fxt_async_end(w, RTEV_FXT_INT32, n->thread, n->cat, n->name, tick + 3000, INT63_MAX));
	OK(rtev_fxt_arg_int32(w, n->a1, 2));
}

/* Many arguments in one event. */
static uint64_t many_args(writer *w, const struct names *n, uint64_t tick)
{
	instant(w, n, 2 * RTEV_FXT_INT64 + 2 * RTEV_FXT_INT32 + RTEV_FXT_DOUBLE + 2 * RTEV_FXT_STRING,
	    tick += 1000);
	OK(rtev_fxt_arg_int32(w, n->a1, 5));
	OK(rtev_fxt_arg_string(w, n->a2, n->v));
	OK(rtev_fxt_arg_int64(w, n->v, 6));
	OK(rtev_fxt_arg_double(w, n->a1, 2.5));
	OK(rtev_fxt_arg_pointer(w, n->a2, 7));
	OK(rtev_fxt_arg_string(w, n->a1, n->v));
	OK(rtev_fxt_arg_int32(w, n->a2, -9));
	instant(w, n, 15 * RTEV_FXT_INT32, tick += 1000);
	for (int k = 1; k <= 15; k++)
		OK(rtev_fxt_arg_int32(w, n->a1, k));
	instant(w, n, 15 * RTEV_FXT_INT64, tick += 1000);
	for (int k = 1; k <= 15; k++)
		OK(rtev_fxt_arg_int64(w, n->a1, k));
	return tick;
}

/* Every type of argument, with edge values. */
static void args(writer *w)
{
	struct names n = standard(w);
	uint64_t tick = 0;
	for (size_t i = 0; i < 7; i++) {
		instant(w, &n, RTEV_FXT_INT32, tick += 1000);
		OK(rtev_fxt_arg_int32(w, n.a1, (int32_t)(uint32_t)int32_values[i]));
	}
	for (size_t i = 0; i < 10; i++) {
		instant(w, &n, RTEV_FXT_INT64, tick += 1000);
		OK(rtev_fxt_arg_int64(w, n.a1, int64_values[i]));
	}
	for (size_t i = 0; i < 4; i++) {
		instant(w, &n, RTEV_FXT_POINTER, tick += 1000);
		OK(rtev_fxt_arg_pointer(w, n.a1, pointer_values[i]));
	}
	for (size_t i = 0; i < 8; i++) {
		instant(w, &n, RTEV_FXT_DOUBLE, tick += 1000);
		OK(rtev_fxt_arg_double(w, n.a1, double_value(i)));
	}
	for (int i = 0; i < 2; i++) {
		instant(w, &n, RTEV_FXT_BOOL, tick += 1000);
		OK(rtev_fxt_arg_bool(w, n.a1, i == 0));
	}
	const rtev_fxt_string texts[] = {n.v, RTEV_FXT_STRING_EMPTY, RTEV_FXT_STRING_PROCESS};
	for (size_t i = 0; i < 3; i++) {
		instant(w, &n, RTEV_FXT_STRING, tick += 1000);
		OK(rtev_fxt_arg_string(w, n.a1, texts[i]));
	}
	tick = many_args(w, &n, tick);
	args_before_words(w, &n, tick);
}

/* The texts of the file "inline-strings". */
static size_t inline_text(size_t i, char text[128])
{
	static const struct {
		const char *text;
		size_t len;
	} texts[] = {{"", 0}, {"a", 1}, {"1234567", 7}, {"12345678", 8}, {"123456789", 9}, {"", 100},
	    {"h\xc3\xa9llo", 6}, {"a\0b", 3}};
	if (i == 5)
		memset(text, 'x', 100);
	else
		memcpy(text, texts[i].text, texts[i].len);
	return texts[i].len;
}

/* Inline strings, declared with their lengths. */
static void inline_strings(writer *w)
{
	struct names n = standard(w);
	for (size_t i = 0; i < 8; i++) {
		char text[128];
		size_t len = inline_text(i, text);
		instant(w, &n, rtev_fxt_inline(len), 1000 * (i + 1));
		OK(rtev_fxt_arg_inline(w, n.a1, text, len));
	}
}

/* Write an instant with a string. */
static void one_string(writer *w, const struct names *n, rtev_fxt_string id, uint64_t ticks)
{
	instant(w, n, RTEV_FXT_STRING, ticks);
	OK(rtev_fxt_arg_string(w, n->a1, id));
}

/* Lengths, padding, every kind of slot, the longest string, bytes that are no UTF-8. */
static void strings(writer *w)
{
	struct names n = standard(w);
	static char longest[RTEV_FXT_STRING_BYTES_MAX];
	rtev_fxt_string id = 0;
	for (size_t i = 0; i <= 17; i++) {
		OK(rtev_fxt_intern(w, "abcdefghijklmnopq", i, &id));
		one_string(w, &n, id, 1000 * i + 1);
	}
	memset(longest, 'z', sizeof(longest));
	OK(rtev_fxt_intern(w, longest, sizeof(longest), &id));
	one_string(w, &n, id, 50000);
	for (int k = 0; k <= 5; k++)
		one_string(w, &n, temp(w, k % 3, "temp ", k), 60000 + (uint64_t)k);
	OK(rtev_fxt_set_temp_slot(w, 99, "last temp", 9, &id));
	one_string(w, &n, id, 70000);
	for (int k = 0; k <= 17; k++) {
		char text[16];
		int len = snprintf(text, sizeof(text), "dyn%d", k);
		OK(rtev_fxt_set_dynamic_slot(w, k, text, (size_t)len, &id));
		one_string(w, &n, id, 80000 + (uint64_t)k);
	}
	OK(rtev_fxt_set_string(w, 32767, "max id", 6, &id));
	one_string(w, &n, id, 90000);
	one_string(w, &n, intern(w, "caf\xc3\xa9 \xff\xfe bad utf8"), 91000);
}

/* All thread slots, then some again. */
static void threads(writer *w)
{
	epoch_ns(w);
	rtev_fxt_string cat = intern(w, "c"), name = intern(w, "n");
	rtev_fxt_thread thread = 0;
	for (int i = 0; i <= 299; i++) {
		int pid = 1000 + i % 3, tid = 5000 + i;
		uint64_t start = (uint64_t)i * 100;
		OK(rtev_fxt_name_process(w, (uint64_t)pid, temp(w, 0, "p", pid)));
		OK(rtev_fxt_name_thread(w, (uint64_t)pid, (uint64_t)tid, temp(w, 0, "t", tid)));
		OK(rtev_fxt_set_thread_slot(w, i % 254, (uint64_t)pid, (uint64_t)tid, &thread));
		OK(rtev_fxt_duration_complete(w, RTEV_FXT_NO_ARGS, thread, cat, name, start, start + 50));
	}
	OK(rtev_fxt_set_thread_slot(w, 254, 1, 1, &thread));
	OK(rtev_fxt_instant(w, RTEV_FXT_NO_ARGS, thread, cat, name, 99999));
}

/* Another rate and a base. */
static void ticks(writer *w)
{
	struct rtev_fxt_ticks rate = {sizeof(rate), 2496000000, 1000000000000, 1700000000000000000};
	OK(rtev_fxt_write_ticks(w, &rate));
	rtev_fxt_string cat = intern(w, "cat"), name = intern(w, "n");
	rtev_fxt_thread thread;
	OK(rtev_fxt_set_thread_slot(w, 0, 1, 2, &thread));
	const uint64_t after[] = {
	    0, 1, 2496, 2496000000, UINT64_C(2496000000) * 3600, UINT64_C(2496000000) * 86400 * 30};
	for (size_t i = 0; i < 6; i++)
		OK(rtev_fxt_instant(w, RTEV_FXT_NO_ARGS, thread, cat, name, rate.base_ticks + after[i]));
}

/* More than a buffer. */
static void bufswitch(writer *w)
{
	struct names n = standard(w);
	for (int i = 0; i <= 4999; i++) {
		uint64_t start = (uint64_t)i * 1000;
		OK(rtev_fxt_duration_complete(w, RTEV_FXT_INT32 + RTEV_FXT_STRING + RTEV_FXT_DOUBLE, n.thread,
		    n.cat, n.name, start, start + 900));
		OK(rtev_fxt_arg_int32(w, n.a1, i));
		OK(rtev_fxt_arg_string(w, n.a2, n.v));
		OK(rtev_fxt_arg_double(w, n.v, i / 3.0));
	}
}

/* A thousand temporary slots, each twice. */
static void temps_1000(writer *w)
{
	struct names n = standard(w);
	for (int i = 0; i <= 1999; i++)
		one_string(w, &n, temp(w, i % 1000, "v", i), (uint64_t)i * 10);
}

/* Counters, asynchronous slices and flows of the file "demo-low". */
static void demo_low_tail(writer *w, rtev_fxt_thread t, rtev_fxt_string c, rtev_fxt_string s)
{
	OK(rtev_fxt_async_instant(w, RTEV_FXT_INT32, t, c, s, 25000000, 2));
	OK(rtev_fxt_arg_int32(w, c, 1));
	OK(rtev_fxt_async_instant(w, RTEV_FXT_INT32, t, c, s, 26000000, 1));
	OK(rtev_fxt_arg_int32(w, c, 2));
	OK(rtev_fxt_flow_end(w, t, 20000000, 1));
	OK(rtev_fxt_counter(w, RTEV_FXT_INT32, t, c, s, 7000000, 1));
	OK(rtev_fxt_arg_int32(w, c, 1));
	OK(rtev_fxt_async_end(w, RTEV_FXT_INT32, t, c, s, 29000000, 1));
	OK(rtev_fxt_arg_int32(w, c, 2));
	OK(rtev_fxt_async_end(w, RTEV_FXT_INT32, t, c, s, 31000000, 2));
	OK(rtev_fxt_arg_int32(w, c, 1));
	OK(rtev_fxt_counter(w, RTEV_FXT_DOUBLE, t, c, s, 20000000, 1));
	OK(rtev_fxt_arg_double(w, c, 2.5));
	OK(rtev_fxt_counter(w, RTEV_FXT_INT64, t, c, s, 20000000, 1));
	OK(rtev_fxt_arg_int64(w, c, INT64_MAX));
	OK(rtev_fxt_counter(w, RTEV_FXT_POINTER, t, c, s, 20000000, 1));
	OK(rtev_fxt_arg_pointer(w, c, INT64_MAX));
}

/* The demonstration of Jane Street's library. */
static void demo_low(writer *w)
{
	struct rtev_fxt_ticks rate = {.size = sizeof(rate), .per_second = 1000000000, .base_time = 1};
	rtev_fxt_thread t;
	rtev_fxt_string wow, cool;
	OK(rtev_fxt_write_ticks(w, &rate));
	rtev_fxt_string process = intern(w, "myproc");
	OK(rtev_fxt_name_process(w, 1, process));
	OK(rtev_fxt_name_thread(w, 1, 2, intern(w, "mythread")));
	OK(rtev_fxt_set_thread_slot(w, 0, 1, 2, &t));
	rtev_fxt_string c = intern(w, "stuff"), s = intern(w, "my_funct");
	OK(rtev_fxt_duration_complete(w, RTEV_FXT_STRING, t, c, s, 10000, 5000000));
	OK(rtev_fxt_arg_string(w, s, c));
	OK(rtev_fxt_set_temp_slot(w, 1, "wow", 3, &wow));
	OK(rtev_fxt_set_temp_slot(w, 2, "cool", 4, &cool));
	OK(rtev_fxt_duration_complete(w, 2 * RTEV_FXT_STRING, t, c, s, 7000000, 15000000));
	OK(rtev_fxt_arg_string(w, s, wow));
	OK(rtev_fxt_arg_string(w, c, cool));
	OK(rtev_fxt_async_begin(w, RTEV_FXT_INT32, t, c, s, 23000000, 1));
	OK(rtev_fxt_arg_int32(w, c, 2));
	OK(rtev_fxt_flow_begin(w, t, 2000000, 1));
	OK(rtev_fxt_instant(w, RTEV_FXT_NO_ARGS, t, c, s, 17000000));
	OK(rtev_fxt_async_begin(w, RTEV_FXT_INT32, t, c, s, 24000000, 2));
	OK(rtev_fxt_arg_int32(w, c, 1));
	OK(rtev_fxt_duration_begin(w, RTEV_FXT_NO_ARGS, t, c, s, 20000000));
	OK(rtev_fxt_flow_step(w, t, 15000000, 1));
	OK(rtev_fxt_duration_end(w, RTEV_FXT_INT64 + RTEV_FXT_INT32 + RTEV_FXT_DOUBLE, t, c, s, 40000000));
	OK(rtev_fxt_arg_int64(w, s, INT63_MIN));
	OK(rtev_fxt_arg_int32(w, c, -1));
	OK(rtev_fxt_arg_double(w, process, -1.0));
	demo_low_tail(w, t, c, s);
}

struct golden {
	const char *file;
	void (*calls)(writer *w);
	uint32_t temp_slots;
};

static const struct golden goldens[] = {
    {"header-only", header_only, 100},
    {"events-noargs", events_noargs, 100},
    {"args", args, 100},
    {"inline-strings", inline_strings, 100},
    {"strings", strings, 100},
    {"threads", threads, 100},
    {"ticks", ticks, 100},
    {"bufswitch", bufswitch, 100},
    {"temps-1000", temps_1000, 1000},
    {"demo-low", demo_low, 100},
};

/* Make the calls of a golden file into a destination. */
static void make(const struct golden *golden, struct rtev_fxt_destination *destination)
{
	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	struct rtev_fxt_writer *w;
	options.provider = "jane_tracing";
	options.dynamic_slots = 18;
	options.temp_slots = golden->temp_slots;
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_OK);
	golden->calls(w);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
}

/* Compare bytes with a golden file. */
static void compare(const struct golden *golden, const char *where, const void *data, size_t size)
{
	char path[1024];
	size_t expected_size = 0;
	snprintf(path, sizeof(path), "%s/fxt/%s.fxt", RTEV_TEST_DATA, golden->file);
	unsigned char *expected = bytes_of_file(path, &expected_size);
	if (expected == NULL)
		TEST_FAIL("%s can't be read", path);
	size_t n = size < expected_size ? size : expected_size, same = 0;
	while (same < n && ((const unsigned char *)data)[same] == expected[same])
		same++;
	if (same < n || size != expected_size)
		TEST_FAIL("%s into %s: %zu bytes, expected %zu, alike up to %zu", golden->file, where, size,
		    expected_size, same);
	free(expected);
}

/* Every file through memory and through callbacks with buffers of many sizes. */
TEST(same_bytes_in_memory)
{
	/* The longest string of "strings" needs 32008 bytes. */
	static const size_t sizes[] = {280, 288, 1000, 4096, 32008, 65536, 0};
	static unsigned char memory[1 << 20];
	for (size_t g = 0; g < sizeof(goldens) / sizeof(goldens[0]); g++) {
		struct rtev_fxt_destination *destination;
		size_t used = 0;
		CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
		make(&goldens[g], destination);
		compare(&goldens[g], "memory", memory, used);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct fxt_sink sink = {0};
			if (strcmp(goldens[g].file, "strings") == 0 && sizes[i] != 0 && sizes[i] < 32008)
				continue;
			CHECK_INT(
			    rtev_fxt_callback_create(&destination, sizes[i], fxt_sink_write, &sink), RTEV_OK);
			make(&goldens[g], destination);
			compare(&goldens[g], "callback", sink.data, sink.size);
			fxt_sink_fini(&sink);
		}
	}
}

/* Every file through the file system. */
TEST(same_bytes_in_files)
{
	const char *path = "test_fxt.tmp";
	for (size_t g = 0; g < sizeof(goldens) / sizeof(goldens[0]); g++) {
		struct rtev_fxt_destination *destination;
		size_t size = 0;
		CHECK_INT(rtev_fxt_file_create(
			      &destination, path, strcmp(goldens[g].file, "bufswitch") == 0 ? 4096 : 0),
		    RTEV_OK);
		make(&goldens[g], destination);
		unsigned char *data = bytes_of_file(path, &size);
		CHECK(data != NULL);
		compare(&goldens[g], "file", data, size);
		free(data);
	}
	CHECK(unlink(path) == 0);
}
