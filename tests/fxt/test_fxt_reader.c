/*
 * test_fxt_reader.c - the reader against files of Jane Street's library and the texts that its own parser
 * made of them, and against damage.  What it must accept and refuse record by record is in test_fxt_strict.c.
 */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "support/fxt_parser.h"
#include "fxt/format.h"
#include "support/test.h"

#define INT63_MAX ((INT64_C(1) << 62) - 1)
#define INT63_MIN (-(INT64_C(1) << 62))

static const struct rtev_fxt_reader_options lenient = {
    .size = sizeof(lenient), .allow_base = true, .allow_bytes = true};

/* ---- a trace as the text that Jane Street's parser prints ---- */

struct named {
	uint64_t pid, tid;
	char name[64];
};

struct dump {
	struct fxt_sink out;
	struct named named[16]; /* the latest names of processes (tid 0) and threads */
	size_t named_count;
};

/* Append formatted text. */
__attribute__((format(printf, 2, 3))) static void print(struct dump *dump, const char *format, ...)
{
	char text[256];
	va_list args;
	va_start(args, format);
	int len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	CHECK(len >= 0 && (size_t)len < sizeof(text));
	CHECK_INT(fxt_sink_write(&dump->out, text, (size_t)len), RTEV_OK);
}

/* Append a text in quotes, with escapes as OCaml writes them. */
static void print_quoted(struct dump *dump, const char *data, size_t len)
{
	print(dump, "\"");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];
		print(dump, c < 0x20 || c > 0x7e ? "\\%03u" : "%c", c);
	}
	print(dump, "\"");
}

/* Append a string reference. */
static void print_text(struct dump *dump, const struct rtev_fxt_text *text, bool is_inline)
{
	if (is_inline)
		print(dump, "inline");
	else
		print(dump, "#%u", text->id);
	print_quoted(dump, text->data, text->len);
}

/* Say whether a text stands in the record itself; an empty one may stand at its very end. */
static bool stands_in(const struct rtev_fxt_record *record, const char *text)
{
	uintptr_t first = (uintptr_t)record->bytes;
	return (uintptr_t)text >= first && (uintptr_t)text <= first + record->size;
}

/* Append a double as glibc's %a does; other C libraries show a subnormal in another way. */
static void print_double(struct dump *dump, double value)
{
	uint64_t bits;

	if (fpclassify(value) != FP_SUBNORMAL) {
		print(dump, "%a", value);
		return;
	}
	memcpy(&bits, &value, sizeof(bits));
	bits &= (UINT64_C(1) << 52) - 1;
	int digits = 13;
	for (; (bits & 15) == 0; bits >>= 4)
		digits--;
	print(dump, "%s0x0.%0*" PRIx64 "p-1022", value < 0 ? "-" : "", digits, bits);
}

/* Append an argument. */
static void print_arg(struct dump *dump, const struct rtev_fxt_record *record, const struct rtev_fxt_arg *arg)
{
	print_text(dump, &arg->name, false);
	switch (arg->type) {
	case RTEV_FXT_TYPE_INT32:
	case RTEV_FXT_TYPE_INT64:
		print(dump, "=%s:%" PRId64,
		    arg->value.i > INT63_MAX || arg->value.i < INT63_MIN ? "int64" : "int", arg->value.i);
		break;
	case RTEV_FXT_TYPE_DOUBLE:
		print(dump, "=float:");
		if (arg->value.d - arg->value.d == 0 || arg->value.d != arg->value.d)
			print_double(dump, arg->value.d);
		else
			print(dump, "%s", arg->value.d > 0 ? "infinity" : "-infinity");
		break;
	case RTEV_FXT_TYPE_POINTER:
		print(dump, "=ptr:0x%" PRIx64, arg->value.u);
		break;
	case RTEV_FXT_TYPE_BOOL:
		print(dump, "=bool:%s", arg->value.b ? "true" : "false");
		break;
	case RTEV_FXT_TYPE_STRING:
		print(dump, "=str:");
		print_text(dump, &arg->value.text, stands_in(record, arg->value.text.data));
		break;
	default:
		TEST_FAIL("argument of type %d", arg->type);
	}
}

/* Append an event. */
static void print_event(struct dump *dump, const struct rtev_fxt_record *record)
{
	static const char *const names[] = {"instant", "counter", "duration_begin", "duration_end",
	    "duration_complete", "async_begin", "async_instant", "async_end", "flow_begin", "flow_step",
	    "flow_end"};
	enum rtev_fxt_event_type type = record->u.event.type;
	print(
	    dump, "event t=%" PRIu64 " thread=%u cat=", record->u.event.ticks, record->u.event.thread_index);
	print_text(dump, &record->u.event.category, false);
	print(dump, " name=");
	print_text(dump, &record->u.event.name, false);
	print(dump, " %s", names[type]);
	if (type == RTEV_FXT_DURATION_COMPLETE)
		print(dump, " end=%" PRIu64, record->u.event.word);
	else if (rtev_fxt_event_has_word(type))
		print(dump, " id=%" PRIu64, record->u.event.word);
	print(dump, " [");
	for (unsigned i = 0; i < record->u.event.args.count; i++) {
		print(dump, "%s", i > 0 ? "; " : "");
		print_arg(dump, record, &record->u.event.args.list[i]);
	}
	print(dump, "]\n");
}

/* Remember a name. */
static void remember(struct dump *dump, uint64_t pid, uint64_t tid, const struct rtev_fxt_text *name)
{
	CHECK(dump->named_count < sizeof(dump->named) / sizeof(dump->named[0]));
	struct named *named = &dump->named[dump->named_count++];
	CHECK(name->len < sizeof(named->name));
	*named = (struct named){.pid = pid, .tid = tid};
	memcpy(named->name, name->data, name->len);
}

/* Append a name remembered. */
static void print_name(struct dump *dump, const char *what, uint64_t pid, uint64_t tid)
{
	for (size_t i = dump->named_count; i > 0; i--) {
		const struct named *named = &dump->named[i - 1];
		if (named->pid == pid && named->tid == tid) {
			print(dump, " %s=", what);
			print_quoted(dump, named->name, strlen(named->name));
			return;
		}
	}
	print(dump, " %s=-", what);
}

/* Append a kernel object. */
static void print_object(struct dump *dump, const struct rtev_fxt_record *record)
{
	uint64_t id = record->u.object.id, pid = record->u.object.pid;
	if (record->u.object.type == RTEV_FXT_OBJECT_PROCESS) {
		print(dump, "process_name pid=%" PRIu64 " name=#%u\n", id, record->u.object.name.id);
		remember(dump, id, 0, &record->u.object.name);
	} else {
		CHECK_INT(record->u.object.type, RTEV_FXT_OBJECT_THREAD);
		print(dump, "thread_name pid=%" PRIu64 " tid=%" PRIu64 " name=#%u\n", pid, id,
		    record->u.object.name.id);
		remember(dump, pid, id, &record->u.object.name);
	}
}

/* Append a record; those that Jane Street's parser passes over are left out. */
static void print_record(void *ctx, const struct rtev_fxt_record *record)
{
	struct dump *dump = ctx;
	switch (record->kind) {
	case RTEV_FXT_STRING_RECORD:
		print(dump, "string %u ", record->u.string.id);
		print_quoted(dump, record->u.string.data, record->u.string.len);
		print(dump, "\n");
		break;
	case RTEV_FXT_TICKS:
		CHECK(record->u.ticks.has_base);
		print(dump, "tick_init tps=%" PRIu64 " base_time=%" PRId64 "\n",
		    record->u.ticks.rate.per_second, record->u.ticks.rate.base_time);
		break;
	case RTEV_FXT_THREAD_RECORD:
		print(dump, "thread %u pid=%" PRIu64 " tid=%" PRIu64, record->u.thread.index,
		    record->u.thread.ids.pid, record->u.thread.ids.tid);
		print_name(dump, "process_name", record->u.thread.ids.pid, 0);
		print_name(dump, "thread_name", record->u.thread.ids.pid, record->u.thread.ids.tid);
		print(dump, "\n");
		break;
	case RTEV_FXT_KERNEL_OBJECT:
		print_object(dump, record);
		break;
	case RTEV_FXT_EVENT:
		print_event(dump, record);
		break;
	default:
		CHECK(record->kind <= RTEV_FXT_PROVIDER_SECTION);
	}
}

/* Read a data file. */
static unsigned char *data_file(const char *name, const char *suffix, size_t *size)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/fxt/%s%s", RTEV_TEST_DATA, name, suffix);
	unsigned char *data = bytes_of_file(path, size);
	if (data == NULL)
		TEST_FAIL("%s can't be read", path);
	return data;
}

/* What this reader reads is what Jane Street's parser reads. */
TEST(same_reading)
{
	static const char *const names[] = {
	    "header-only", "events-noargs", "args", "strings", "demo-low", "inline-strings"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size, expected_size;
		unsigned char *trace = data_file(names[i], ".fxt", &size);
		unsigned char *expected = data_file(names[i], ".txt", &expected_size);
		struct dump dump = {0};
		struct fxt_walk walk = fxt_walk_memory(trace, size, &lenient, print_record, &dump);
		CHECK_INT(walk.status, RTEV_OK);
		CHECK_INT(walk.offset, size);
		print(&dump, "end: leftover=0\nwarnings: unparsed_records=0 unparsed_args=0\n");
		size_t same = 0;
		while (same < dump.out.size && same < expected_size && dump.out.data[same] == expected[same])
			same++;
		if (same < expected_size || dump.out.size != expected_size)
			TEST_FAIL("%s: read as %.60s.. where %.60s.. is expected", names[i],
			    (const char *)dump.out.data + same, (const char *)expected + same);
		fxt_sink_fini(&dump.out);
		free(trace);
		free(expected);
	}
}

/* The larger files, of which only the events are counted. */
TEST(larger_files)
{
	static const struct {
		const char *name;
		enum rtev_fxt_event_type type;
		uint64_t count;
	} files[] = {{"bufswitch", RTEV_FXT_DURATION_COMPLETE, 5000},
	    {"threads", RTEV_FXT_DURATION_COMPLETE, 300}, {"temps-1000", RTEV_FXT_INSTANT, 2000},
	    {"ticks", RTEV_FXT_INSTANT, 6}};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t size;
		unsigned char *trace = data_file(files[i].name, ".fxt", &size);
		struct fxt_inspection *inspection = fxt_inspection_create();
		CHECK_INT(fxt_walk_memory(trace, size, &lenient, fxt_inspect, inspection).status, RTEV_OK);
		CHECK_INT(fxt_inspection_count(inspection, files[i].type, NULL), files[i].count);
		CHECK_INT(fxt_inspection_finish(inspection).events[files[i].type], files[i].count);
		fxt_inspection_destroy(inspection);
		free(trace);
	}
}

/* Add a record to a hash. */
static void hash_record(void *ctx, const struct rtev_fxt_record *record)
{
	uint64_t *hash = ctx;
	const unsigned char *bytes = record->bytes;
	for (size_t i = 0; i < record->size; i++)
		*hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	*hash = (*hash ^ record->offset ^ (uint64_t)record->kind) * UINT64_C(0x100000001b3);
	if (record->kind == RTEV_FXT_EVENT) {
		for (unsigned i = 0; i < record->u.event.args.count; i++)
			*hash += record->u.event.args.list[i].name.len;
		*hash += record->u.event.name.len + record->u.event.thread.tid;
	}
}

struct feed {
	const unsigned char *data;
	size_t size;
	int fd;
};

/* Write to a pipe in pieces of odd sizes. */
static void *feed_pipe(void *ctx)
{
	const struct feed *feed = ctx;
	uint64_t seed = 1;
	for (size_t at = 0; at < feed->size;) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t piece = 1 + (size_t)(seed >> 33) % 7001;
		if (piece > feed->size - at)
			piece = feed->size - at;
		ssize_t n = write(feed->fd, feed->data + at, piece);
		if (n <= 0) /* the reader has seen enough */
			break;
		at += (size_t)n;
	}
	CHECK(close(feed->fd) == 0);
	return NULL;
}

/* Walk through a trace that comes through a pipe. */
static struct fxt_walk walk_pipe(
    const unsigned char *data, size_t size, bool blocking, fxt_record_fn *fn, void *ctx)
{
	pthread_t thread;
	int ends[2];
	CHECK(pipe(ends) == 0);
	CHECK(blocking || fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
	struct feed feed = {.data = data, .size = size, .fd = ends[1]};
	CHECK(pthread_create(&thread, NULL, feed_pipe, &feed) == 0);
	struct fxt_walk walk = fxt_walk_fd(ends[0], &lenient, fn, ctx);
	CHECK(close(ends[0]) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return walk;
}

/* A pipe gives the same as memory, whatever pieces it comes in. */
TEST(through_pipes)
{
	static const char *const names[] = {"bufswitch", "strings", "threads", "header-only"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size;
		uint64_t here = 1, there = 1;
		unsigned char *trace = data_file(names[i], ".fxt", &size);
		struct fxt_walk memory = fxt_walk_memory(trace, size, &lenient, hash_record, &here);
		struct fxt_walk pipe = walk_pipe(trace, size, i % 2 == 0, hash_record, &there);
		CHECK_INT(memory.status, RTEV_OK);
		CHECK_INT(pipe.status, RTEV_OK);
		CHECK_INT(pipe.records, memory.records);
		CHECK_INT(pipe.offset, size);
		CHECK(here == there);
		pipe = walk_pipe(trace, size - 3, true, NULL, NULL);
		CHECK_INT(pipe.status, RTEV_E_FXT_TRUNCATED);
		CHECK_INT(pipe.records, memory.records - 1);
		free(trace);
	}
}

/* A large blob, larger than the reader's buffer. */
TEST(large_blobs)
{
	size_t payload = (size_t)1 << 20, size = 8 + 24 + payload;
	unsigned char *trace = calloc(1, size);
	CHECK(trace != NULL);
	fxt_store(trace, UINT64_C(0x0016547846040010));
	fxt_store(trace + 8, 15 | (uint64_t)(3 + payload / 8) << 4 | UINT64_C(1) << 40);
	fxt_store(trace + 24, payload - 5);
	CHECK_INT(fxt_walk_memory(trace, size, NULL, NULL, NULL).status, RTEV_OK);
	struct fxt_walk walk = walk_pipe(trace, size, true, NULL, NULL);
	CHECK_INT(walk.status, RTEV_OK);
	CHECK_INT(walk.records, 2);

	/* What a record claims is not believed beyond the limit, nor allocated before it is there. */
	fxt_store(trace + 8, 15 | (uint64_t)(RTEV_FXT_READER_BYTES_MAX / 8) << 4 | UINT64_C(1) << 40);
	walk = walk_pipe(trace, size, true, NULL, NULL);
	CHECK_INT(walk.status, RTEV_E_FXT_TRUNCATED);
	CHECK_INT(walk.offset, 8);
	fxt_store(trace + 8, 15 | (uint64_t)(RTEV_FXT_READER_BYTES_MAX / 8 + 1) << 4 | UINT64_C(1) << 40);
	walk = walk_pipe(trace, size, true, NULL, NULL);
	CHECK_INT(walk.status, RTEV_E_FXT_RECORD_SIZE);
	CHECK_INT(walk.offset, 8);
	CHECK_INT(fxt_walk_memory(trace, size, NULL, NULL, NULL).status, RTEV_E_FXT_TRUNCATED);

	struct rtev_fxt_reader *reader;
	CHECK_INT(rtev_fxt_reader_open_fd(&reader, -1, NULL), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_reader_open_memory(&reader, NULL, 8, NULL), RTEV_E_INVALID);
	struct rtev_fxt_reader_options unsized = {.allow_base = true};
	CHECK_INT(rtev_fxt_reader_open_memory(&reader, trace, 8, &unsized), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_reader_open_fd(&reader, 0, &unsized), RTEV_E_INVALID);
	rtev_fxt_reader_destroy(NULL);
	int fd = open(".", O_RDONLY);
	CHECK(fd >= 0);
	walk = fxt_walk_fd(fd, NULL, NULL, NULL);
	CHECK_INT(walk.status, RTEV_E_IO);
	CHECK(close(fd) == 0);
	free(trace);
}

/* Every length: good at the end of a record and nowhere else. */
TEST(every_length)
{
	size_t size;
	unsigned char *trace = data_file("inline-strings", ".fxt", &size);
	uint64_t whole = 0;
	for (size_t n = 0; n <= size; n++) {
		unsigned char *copy = malloc(n + 1);
		CHECK(copy != NULL);
		memcpy(copy, trace, n);
		struct fxt_walk walk = fxt_walk_memory(copy, n, &lenient, NULL, NULL);
		if (n < 8)
			CHECK_INT(walk.status, RTEV_E_FXT_MAGIC);
		else if (walk.status == RTEV_OK)
			whole++;
		else
			CHECK_INT(walk.status, RTEV_E_FXT_TRUNCATED);
		CHECK(walk.offset <= n);
		free(copy);
	}
	CHECK_INT(whole, fxt_walk_memory(trace, size, &lenient, NULL, NULL).records);
	free(trace);
}

/* Every bit turned over: the reader stays inside and its faults lie inside. */
TEST(every_bit)
{
	static const char *const names[] = {"args", "events-noargs", "inline-strings", "demo-low"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size;
		uint64_t refused = 0;
		unsigned char *trace = data_file(names[i], ".fxt", &size);
		for (size_t bit = 0; bit < size * 8; bit++) {
			trace[bit / 8] ^= (unsigned char)(1u << bit % 8);
			struct fxt_walk walk = fxt_walk_memory(trace, size, NULL, NULL, NULL);
			CHECK(walk.offset <= size);
			CHECK((walk.status == RTEV_OK) == (walk.reason == NULL));
			if (walk.status != RTEV_OK)
				refused++;
			trace[bit / 8] ^= (unsigned char)(1u << bit % 8);
		}
		CHECK(refused > size);
		free(trace);
	}
}

/* Ticks in nanoseconds, exactly. */
TEST(tick_conversion)
{
	CHECK_INT(rtev_fxt_ticks_to_ns(0, 77), 77);
	CHECK_INT(rtev_fxt_ticks_to_ns(1000000000, INT64_MAX), INT64_MAX);
	CHECK_INT(rtev_fxt_ticks_to_ns(2496000000, 1), 0);
	CHECK_INT(rtev_fxt_ticks_to_ns(2496000000, 2496), 1000);
	CHECK_INT(rtev_fxt_ticks_to_ns(2496000000, UINT64_C(2496000000) * 3600), INT64_C(3600000000000));
	CHECK_INT(
	    rtev_fxt_ticks_to_ns(2496000000, UINT64_C(2496000000) * 86400 * 30), INT64_C(2592000000000000));
	CHECK_INT(rtev_fxt_ticks_to_ns(1, 5), 5000000000);
	CHECK(rtev_fxt_ticks_to_ns(1, UINT64_MAX) == UINT64_MAX);
	CHECK(rtev_fxt_ticks_to_ns(999999999, UINT64_MAX) == UINT64_MAX);
	CHECK_INT(rtev_fxt_ticks_to_ns(UINT64_MAX, UINT64_MAX), 1000000000);
	CHECK_NEAR(rtev_fxt_ticks_to_ns(UINT64_MAX, UINT64_MAX / 2), 500000000, 1);
	CHECK_NEAR(rtev_fxt_ticks_to_ns(UINT64_C(1) << 40, (UINT64_C(1) << 40) - 1), 1000000000, 1);
}

int main(void)
{
	CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	test_run();
	return 0;
}
