/*
 * test_fxt_strict.c - what the reader accepts and what it refuses, record by record, and what the inspection
 * of events finds.
 */
#include "support/fxt_parser.h"
#include "fxt/format.h"
#include "support/test.h"

/* A record's first word. */
#define HEADER(type, size) ((uint64_t)(type) | (uint64_t)(size) << 4)
#define AT(value, bit) ((uint64_t)(value) << (bit))
#define INLINE(len) (UINT64_C(0x8000) | (uint64_t)(len))
#define EVENT(size, type, nargs, thread, category, name)                                                     \
	(HEADER(4, size) | AT(type, 16) | AT(nargs, 20) | AT(thread, 24) | AT(category, 32) | AT(name, 48))
#define ARG(type, size, name, value) (HEADER(type, size) | AT(name, 16) | AT(value, 32))

#define MAGIC UINT64_C(0x0016547846040010)
/* String 5 is "abc", thread 3 is 7/8. */
#define TABLES HEADER(2, 2) | AT(5, 16) | AT(3, 32), 0x636261, HEADER(3, 3) | AT(3, 16), 7, 8
#define TABLES_BYTES 40

/* Records behind the magic word and the tables, and what becomes of them. */
struct row {
	const char *what;
	uint64_t words[12];
	size_t count; /* of words */
	int status;
};

#define GOOD(what, ...)                                                                                      \
	{                                                                                                    \
		what, {__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8, RTEV_OK                          \
	}
#define BAD(what, status, ...)                                                                               \
	{                                                                                                    \
		what, {__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8, RTEV_E_FXT_##status              \
	}

static const struct row rows[] = {
    /* metadata */
    GOOD("magic again", MAGIC),
    BAD("other trace info", MALFORMED, HEADER(0, 1) | AT(4, 16) | AT(1, 20)),
    BAD("magic with a payload", MALFORMED, MAGIC + 0x10, 0),
    BAD("other magic", MALFORMED, MAGIC ^ AT(1, 40)),
    GOOD("provider info", HEADER(0, 2) | AT(1, 16) | AT(9, 20) | AT(3, 52), 0x616161),
    GOOD("provider without a name", HEADER(0, 1) | AT(1, 16) | AT(9, 20)),
    BAD("provider info, reserved bit", MALFORMED, HEADER(0, 1) | AT(1, 16) | AT(1, 60)),
    BAD("provider info, padding", MALFORMED, HEADER(0, 2) | AT(1, 16) | AT(3, 52), 0x61616161),
    BAD("provider info, name missing", MALFORMED, HEADER(0, 1) | AT(1, 16) | AT(3, 52)),
    BAD("provider info, too long", MALFORMED, HEADER(0, 3) | AT(1, 16) | AT(3, 52), 0x616161, 0),
    BAD("provider info, no UTF-8", MALFORMED, HEADER(0, 2) | AT(1, 16) | AT(1, 52), 0xff),
    GOOD("provider section", HEADER(0, 1) | AT(2, 16) | AT(9, 20)),
    BAD("provider section, reserved bit", MALFORMED, HEADER(0, 1) | AT(2, 16) | AT(1, 52)),
    BAD("provider section, too long", MALFORMED, HEADER(0, 2) | AT(2, 16), 0),
    GOOD("provider event", HEADER(0, 1) | AT(3, 16) | AT(9, 20)),
    BAD("provider event 1", MALFORMED, HEADER(0, 1) | AT(3, 16) | AT(1, 52)),
    BAD("provider event, reserved bit", MALFORMED, HEADER(0, 1) | AT(3, 16) | AT(1, 63)),
    BAD("metadata 0", MALFORMED, HEADER(0, 1)),
    BAD("metadata 5", MALFORMED, HEADER(0, 1) | AT(5, 16)),
    /* initialisation */
    GOOD("tick rate", HEADER(1, 2), 1000),
    BAD("tick rate of 0", MALFORMED, HEADER(1, 2), 0),
    BAD("tick rate, reserved bit", MALFORMED, HEADER(1, 2) | AT(1, 16), 1000),
    BAD("tick rate missing", MALFORMED, HEADER(1, 1)),
    BAD("tick rate and base", MALFORMED, HEADER(1, 4), 1000, 0, 0),
    /* strings */
    GOOD("empty string", HEADER(2, 1) | AT(9, 16)),
    GOOD("string 0 is ignored", HEADER(2, 2) | AT(1, 32), 'a', EVENT(2, 0, 0, 3, 0, 0), 1),
    GOOD("string 32767", HEADER(2, 2) | AT(32767, 16) | AT(8, 32), UINT64_C(0x6161616161616161)),
    BAD("string, bit 31", MALFORMED, HEADER(2, 1) | AT(32769, 16)),
    BAD("string, bit 47", MALFORMED, HEADER(2, 1) | AT(1, 16) | AT(1, 47)),
    BAD("string, bit 48", MALFORMED, HEADER(2, 1) | AT(1, 16) | AT(1, 48)),
    BAD("string longer than the record", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(9, 32), 0),
    BAD("string shorter than the record", MALFORMED, HEADER(2, 3) | AT(1, 16) | AT(8, 32), 0, 0),
    BAD("string, padding", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(7, 32), AT(1, 56)),
    BAD("string of 32001 bytes", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(32001, 32), 0),
    GOOD("UTF-8", HEADER(2, 2) | AT(1, 16) | AT(8, 32), UINT64_C(0x80809ff080a0e07f)),
    BAD("UTF-8, overlong", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(2, 32), 0x80c0),
    BAD("UTF-8, overlong in three", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(3, 32), 0x8080e0),
    BAD("UTF-8, overlong in four", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(4, 32), 0x808080f0),
    BAD("UTF-8, surrogate", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(3, 32), 0x80a0ed),
    BAD("UTF-8, too high", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(4, 32), 0x808090f4),
    BAD("UTF-8, no lead", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(1, 32), 0x80),
    BAD("UTF-8, cut", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(2, 32), 0x80e0),
    BAD("UTF-8, five bytes", MALFORMED, HEADER(2, 2) | AT(1, 16) | AT(5, 32), 0x80808080f8),
    /* threads */
    GOOD("thread", HEADER(3, 3) | AT(255, 16), 1, 2),
    GOOD("thread 0 is ignored", HEADER(3, 3), 1, 2),
    BAD("thread, reserved bit", MALFORMED, HEADER(3, 3) | AT(1, 24), 1, 2),
    BAD("thread, too short", MALFORMED, HEADER(3, 2) | AT(1, 16), 1),
    BAD("thread, too long", MALFORMED, HEADER(3, 4) | AT(1, 16), 1, 2, 3),
    /* events */
    GOOD("instant", EVENT(2, 0, 0, 3, 5, 5), 1),
    GOOD("instant, inline thread", EVENT(4, 0, 0, 0, 5, 5), 1, 2, 3),
    GOOD("instant, all inline", EVENT(6, 0, 0, 0, INLINE(1), INLINE(2)), 1, 2, 3, 'a', 0x6161),
    BAD("event 11", MALFORMED, EVENT(3, 11, 0, 3, 5, 5), 1, 2),
    BAD("instant, no time", MALFORMED, EVENT(1, 0, 0, 3, 5, 5)),
    BAD("instant, too long", MALFORMED, EVENT(3, 0, 0, 3, 5, 5), 1, 2),
    BAD("instant, inline thread cut", MALFORMED, EVENT(3, 0, 0, 0, 5, 5), 1, 2),
    BAD("instant, inline name missing", MALFORMED, EVENT(2, 0, 0, 3, 5, INLINE(1)), 1),
    BAD("instant, inline name of 32001", MALFORMED, EVENT(2, 0, 0, 3, 5, INLINE(32001)), 1),
    BAD("instant, other thread", UNDEFINED, EVENT(2, 0, 0, 4, 5, 5), 1),
    BAD("instant, other category", UNDEFINED, EVENT(2, 0, 0, 3, 6, 5), 1),
    BAD("instant, other name", UNDEFINED, EVENT(2, 0, 0, 3, 5, 32767), 1),
    GOOD("counter", EVENT(3, 1, 0, 3, 5, 5), 1, 2),
    BAD("counter, no id", MALFORMED, EVENT(2, 1, 0, 3, 5, 5), 1),
    GOOD("complete", EVENT(3, 4, 0, 3, 5, 5), 1, 2),
    BAD("flow, too long", MALFORMED, EVENT(4, 10, 0, 3, 5, 5), 1, 2, 3),
    /* arguments */
    GOOD("null", EVENT(3, 0, 1, 3, 5, 5), 1, ARG(0, 1, 5, 0)),
    BAD("null, value", MALFORMED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(0, 1, 5, 1)),
    GOOD("int32", EVENT(3, 0, 1, 3, 5, 5), 1, ARG(1, 1, 5, UINT32_MAX)),
    GOOD("uint32", EVENT(3, 0, 1, 3, 5, 5), 1, ARG(2, 1, 5, UINT32_MAX)),
    GOOD("int64", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(3, 2, 5, 0), 9),
    BAD("int64, value missing", MALFORMED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(3, 1, 5, 0)),
    BAD("int64, reserved bit", MALFORMED, EVENT(4, 0, 1, 3, 5, 5), 1, ARG(3, 2, 5, 1), 9),
    BAD("int64, too long", MALFORMED, EVENT(5, 0, 1, 3, 5, 5), 1, ARG(3, 3, 5, 0), 9, 9),
    GOOD("uint64", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(4, 2, 5, 0), UINT64_MAX),
    GOOD("double", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(5, 2, 5, 0), UINT64_MAX),
    GOOD("string", EVENT(3, 0, 1, 3, 5, 5), 1, ARG(6, 1, 5, 5)),
    BAD("string, undefined", UNDEFINED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(6, 1, 5, 6)),
    BAD("string, reserved bit", MALFORMED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(6, 1, 5, AT(1, 16) | 5)),
    GOOD("string, inline", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(6, 2, 5, INLINE(1)), 'a'),
    BAD("string, not in the argument", MALFORMED, EVENT(4, 0, 1, 3, 5, 5), 1, ARG(6, 1, 5, INLINE(1)), 'a'),
    BAD("string, no UTF-8", MALFORMED, EVENT(4, 0, 1, 3, 5, 5), 1, ARG(6, 2, 5, INLINE(1)), 0xff),
    GOOD("pointer", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(7, 2, 5, 0), UINT64_MAX),
    GOOD("koid", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(8, 2, 5, 0), UINT64_MAX),
    GOOD("bool", EVENT(3, 0, 1, 3, 5, 5), 1, ARG(9, 1, 5, 1)),
    BAD("bool of 2", MALFORMED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(9, 1, 5, 2)),
    GOOD("blob argument", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(10, 2, 5, 2), 0xffff),
    BAD("blob argument, padding", MALFORMED, EVENT(4, 0, 1, 3, 5, 5), 1, ARG(10, 2, 5, 2), 0xffffff),
    BAD("blob argument of 4 GiB", MALFORMED, EVENT(4, 0, 1, 3, 5, 5), 1, ARG(10, 2, 5, UINT32_MAX), 0),
    BAD("argument 11", MALFORMED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(11, 1, 5, 0)),
    GOOD("inline argument name", EVENT(4, 0, 1, 3, 5, 5), 1, ARG(1, 2, INLINE(3), 7), 0x616161),
    BAD("inline argument name, padding", MALFORMED, EVENT(4, 0, 1, 3, 5, 5), 1, ARG(1, 2, INLINE(3), 7),
	0x61616161),
    BAD("argument name, undefined", UNDEFINED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(1, 1, 6, 0)),
    BAD("argument missing", MALFORMED, EVENT(2, 0, 1, 3, 5, 5), 1),
    BAD("second argument missing", MALFORMED, EVENT(3, 0, 2, 3, 5, 5), 1, ARG(1, 1, 5, 0)),
    BAD("one argument too many", MALFORMED, EVENT(4, 0, 1, 3, 5, 5), 1, ARG(1, 1, 5, 0), ARG(1, 1, 5, 0)),
    BAD("argument of size 0", MALFORMED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(1, 0, 5, 0)),
    BAD("argument beyond the record", MALFORMED, EVENT(3, 0, 1, 3, 5, 5), 1, ARG(3, 2, 5, 0)),
    BAD("argument in place of the id", MALFORMED, EVENT(3, 1, 1, 3, 5, 5), 1, ARG(1, 1, 5, 0)),
    /* blobs */
    GOOD("blob", HEADER(5, 2) | AT(5, 16) | AT(1, 32) | AT(1, 48), 0xff),
    GOOD("blob without content", HEADER(5, 1) | AT(5, 16) | AT(3, 48)),
    BAD("blob 0", MALFORMED, HEADER(5, 1) | AT(5, 16)),
    BAD("blob 4", MALFORMED, HEADER(5, 1) | AT(5, 16) | AT(4, 48)),
    BAD("blob, bit 47", MALFORMED, HEADER(5, 1) | AT(5, 16) | AT(1, 47) | AT(1, 48)),
    BAD("blob, bit 56", MALFORMED, HEADER(5, 1) | AT(5, 16) | AT(257, 48)),
    BAD("blob, too short", MALFORMED, HEADER(5, 1) | AT(5, 16) | AT(1, 32) | AT(1, 48)),
    /* objects */
    GOOD("user object", HEADER(6, 2) | AT(3, 16) | AT(5, 24), 77),
    GOOD("user object, inline process", HEADER(6, 4) | AT(5, 24) | AT(1, 40), 77, 7, ARG(1, 1, 5, 0)),
    BAD("user object, other thread", UNDEFINED, HEADER(6, 2) | AT(4, 16), 77),
    BAD("user object, reserved bit", MALFORMED, HEADER(6, 2) | AT(3, 16) | AT(1, 44), 77),
    GOOD("kernel object", HEADER(7, 2) | AT(1, 16) | AT(5, 24), 77),
    GOOD("kernel object, any bytes", HEADER(7, 3) | AT(1, 16) | AT(INLINE(1), 24), 77, 0xff),
    GOOD("thread's name", HEADER(7, 5) | AT(2, 16) | AT(5, 24) | AT(1, 40), 8, ARG(8, 3, INLINE(7), 0),
	UINT64_C(0x737365636f7270), 7),
    BAD("kernel object, reserved bit", MALFORMED, HEADER(7, 2) | AT(5, 24) | AT(1, 63), 77),
    BAD("kernel object, no id", MALFORMED, HEADER(7, 1) | AT(5, 24)),
    BAD("kernel object, argument missing", MALFORMED, HEADER(7, 2) | AT(5, 24) | AT(1, 40), 77),
    /* scheduling */
    GOOD("legacy switch", HEADER(8, 2) | AT(2, 24) | AT(3, 28) | AT(3, 36), 1),
    GOOD("legacy switch, inline threads", HEADER(8, 6) | AT(3, 24), 1, 2, 3, 4, 5),
    BAD("legacy switch, running", MALFORMED, HEADER(8, 6) | AT(1, 24), 1, 2, 3, 4, 5),
    BAD("legacy switch, state 6", MALFORMED, HEADER(8, 6) | AT(6, 24), 1, 2, 3, 4, 5),
    GOOD(
	"switch", HEADER(8, 5) | AT(1, 16) | AT(65535, 20) | AT(5, 36) | AT(1, 60), 1, 2, 3, ARG(1, 1, 5, 0)),
    BAD("switch, reserved bit", MALFORMED, HEADER(8, 4) | AT(1, 40) | AT(1, 60), 1, 2, 3),
    BAD("switch, state 6", MALFORMED, HEADER(8, 4) | AT(6, 36) | AT(1, 60), 1, 2, 3),
    GOOD("wakeup", HEADER(8, 3) | AT(2, 60), 1, 2),
    BAD("wakeup, reserved bit", MALFORMED, HEADER(8, 3) | AT(1, 36) | AT(2, 60), 1, 2),
    BAD("scheduling 3", MALFORMED, HEADER(8, 3) | AT(3, 60), 1, 2),
    /* logs */
    GOOD("log", HEADER(9, 3) | AT(3, 16) | AT(3, 32), 1, 0x616161),
    GOOD("log, inline thread", HEADER(9, 4), 1, 2, 3),
    BAD("log, bit 31", MALFORMED, HEADER(9, 2) | AT(1, 31) | AT(3, 32), 1),
    BAD("log, bit 40", MALFORMED, HEADER(9, 2) | AT(3, 32) | AT(1, 40), 1),
    BAD("log, no UTF-8", MALFORMED, HEADER(9, 3) | AT(1, 16) | AT(3, 32), 1, 0xff),
    /* large blobs */
    GOOD("large blob", HEADER(15, 6), 5 | AT(5, 16) | AT(1, 32) | AT(3, 36), 1, ARG(1, 1, 5, 0), 3, 0xffffff),
    GOOD("large blob, bare", HEADER(15, 3) | AT(1, 40), INLINE(0), 0),
    BAD("large blob, format 2", MALFORMED, HEADER(15, 3) | AT(2, 40), 0, 0),
    BAD("large record 1", MALFORMED, HEADER(15, 3) | AT(1, 36), 0, 0),
    BAD("large blob, bit 44", MALFORMED, HEADER(15, 3) | AT(1, 40) | AT(1, 44), 0, 0),
    BAD("large blob, bare, bit 32", MALFORMED, HEADER(15, 3) | AT(1, 40), AT(1, 32), 0),
    BAD("large blob, size", MALFORMED, HEADER(15, 3) | AT(1, 40), 0, UINT64_MAX),
    /* framing */
    BAD("record of size 0", MALFORMED, HEADER(4, 0)),
    BAD("large record of size 0", MALFORMED, HEADER(15, 0)),
    BAD("record type 10", MALFORMED, HEADER(10, 1)),
    BAD("record type 14", MALFORMED, HEADER(14, 1)),
    BAD("record cut", TRUNCATED, EVENT(3, 1, 0, 3, 5, 5), 1),
    BAD("large record cut", TRUNCATED, HEADER(15, UINT32_MAX)),
};

/* Lay a row out behind the tables, at an odd address. */
static size_t lay_out(unsigned char *bytes, const struct row *row)
{
	const uint64_t start[] = {MAGIC, TABLES};
	size_t at = 0;
	for (size_t i = 0; i < sizeof(start) / 8; i++, at += 8)
		fxt_store(bytes + at, start[i]);
	for (size_t i = 0; i < row->count; i++, at += 8)
		fxt_store(bytes + at, row->words[i]);
	return at;
}

/* Each row is accepted or refused as it says. */
TEST(each_row)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned char *bytes = malloc(8 + TABLES_BYTES + rows[i].count * 8 + 1);
		CHECK(bytes != NULL);
		size_t size = lay_out(bytes + 1, &rows[i]);
		struct fxt_walk walk = fxt_walk_memory(bytes + 1, size, NULL, NULL, NULL);
		uint64_t expected = rows[i].status == RTEV_OK ? size : 8 + TABLES_BYTES;
		if (walk.status != rows[i].status || walk.offset != expected)
			TEST_FAIL("%s: status %d (%s) at %" PRIu64 ", expected %d at %" PRIu64, rows[i].what,
			    walk.status, walk.reason ? walk.reason : "good", walk.offset, rows[i].status,
			    expected);
		/* Cut anywhere, a good record is a truncated one. */
		if (rows[i].status == RTEV_OK && rows[i].count > 0) {
			walk = fxt_walk_memory(bytes + 1, size - 1, NULL, NULL, NULL);
			CHECK_INT(walk.status, RTEV_E_FXT_TRUNCATED);
		}
		free(bytes);
	}
}

/* A fault is final. */
TEST(final_faults)
{
	unsigned char bytes[64] = {0};
	struct rtev_fxt_reader *reader;
	const struct rtev_fxt_record *record;
	uint64_t offset;
	const char *reason;
	fxt_store(bytes, MAGIC);
	fxt_store(bytes + 8, HEADER(12, 1));
	fxt_store(bytes + 16, MAGIC);
	CHECK_INT(rtev_fxt_reader_open_memory(&reader, bytes, 24, NULL), RTEV_OK);
	CHECK_INT(rtev_fxt_reader_next(reader, &record), RTEV_OK);
	CHECK(record != NULL && record->kind == RTEV_FXT_MAGIC);
	rtev_fxt_reader_fault(reader, &offset, &reason);
	CHECK(offset == 8 && reason == NULL);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(rtev_fxt_reader_next(reader, &record), RTEV_E_FXT_MALFORMED);
		CHECK(record == NULL);
		rtev_fxt_reader_fault(reader, &offset, &reason);
		CHECK_INT(offset, 8);
		CHECK_STR(reason, "record type that is not defined");
	}
	rtev_fxt_reader_destroy(reader);

	/* At the end, the end comes again and again. */
	CHECK_INT(rtev_fxt_reader_open_memory(&reader, bytes, 8, NULL), RTEV_OK);
	CHECK_INT(rtev_fxt_reader_next(reader, &record), RTEV_OK);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(rtev_fxt_reader_next(reader, &record), RTEV_OK);
		CHECK(record == NULL);
	}
	rtev_fxt_reader_destroy(reader);

	CHECK_INT(fxt_walk_memory(bytes + 8, 16, NULL, NULL, NULL).status, RTEV_E_FXT_MAGIC);
	CHECK_INT(fxt_walk_memory("{}", 2, NULL, NULL, NULL).status, RTEV_E_FXT_MAGIC);
	CHECK_INT(fxt_walk_memory(NULL, 0, NULL, NULL, NULL).status, RTEV_E_FXT_MAGIC);
}

/* Walk through words and copy the last record, whose pointers stay good while the words do. */
static struct rtev_fxt_record last_of(
    struct rtev_fxt_reader **reader, unsigned char *bytes, const uint64_t *words, size_t count)
{
	const struct rtev_fxt_record *record;
	struct rtev_fxt_record last = {0};
	for (size_t i = 0; i < count; i++)
		fxt_store(bytes + i * 8, words[i]);
	CHECK_INT(rtev_fxt_reader_open_memory(reader, bytes, count * 8, NULL), RTEV_OK);
	while (last.offset + last.size < count * 8) {
		int status = rtev_fxt_reader_next(*reader, &record);
		CHECK_INT(status, RTEV_OK);
		last = *record;
	}
	return last;
}

#define LAST(reader, bytes, ...)                                                                             \
	last_of(reader, bytes, (uint64_t[]){MAGIC, TABLES, __VA_ARGS__},                                     \
	    sizeof((uint64_t[]){MAGIC, TABLES, __VA_ARGS__}) / 8)

/* Say whether a text is this one. */
static bool is(const struct rtev_fxt_text *text, const char *expected)
{
	return text->len == strlen(expected) && memcmp(text->data, expected, text->len) == 0;
}

/* What events and arguments are read as. */
TEST(values)
{
	unsigned char bytes[512];
	struct rtev_fxt_reader *reader;
	struct rtev_fxt_record r = LAST(&reader, bytes, EVENT(15, 1, 5, 0, INLINE(1), 5), 99, 70, 80, 'q',
	    ARG(1, 1, 5, UINT32_MAX), ARG(3, 3, INLINE(1), 0), 'n', UINT64_MAX, ARG(2, 1, 5, UINT32_MAX),
	    ARG(6, 2, 5, INLINE(2)), 0x6a69, ARG(10, 2, 5, 3), 0x030201, 1234);
	CHECK_INT(r.kind, RTEV_FXT_EVENT);
	CHECK_INT(r.offset, 8 + TABLES_BYTES);
	CHECK_INT(r.size, 15 * 8);
	CHECK(r.bytes == bytes + 8 + TABLES_BYTES);
	CHECK_INT(r.u.event.type, RTEV_FXT_COUNTER);
	CHECK_INT(r.u.event.thread_index, 0);
	CHECK(r.u.event.thread.pid == 70 && r.u.event.thread.tid == 80);
	CHECK(is(&r.u.event.category, "q") && r.u.event.category.id == 0);
	CHECK(is(&r.u.event.name, "abc") && r.u.event.name.id == 5);
	CHECK(r.u.event.ticks == 99 && r.u.event.word == 1234);
	CHECK_INT(r.u.event.args.count, 5);
	const struct rtev_fxt_arg *args = r.u.event.args.list;
	CHECK(args[0].type == RTEV_FXT_TYPE_INT32 && args[0].value.i == -1 && is(&args[0].name, "abc"));
	CHECK(args[1].type == RTEV_FXT_TYPE_INT64 && args[1].value.i == -1 && is(&args[1].name, "n"));
	CHECK(args[2].type == RTEV_FXT_TYPE_UINT32 && args[2].value.u == UINT32_MAX);
	CHECK(args[3].type == RTEV_FXT_TYPE_STRING && is(&args[3].value.text, "ij"));
	CHECK(args[4].type == RTEV_FXT_TYPE_BLOB && is(&args[4].value.text, "\1\2\3"));
	rtev_fxt_reader_destroy(reader);

	r = LAST(&reader, bytes, EVENT(2, 0, 0, 3, 0, 0), 5);
	CHECK(r.u.event.thread.pid == 7 && r.u.event.thread.tid == 8 && r.u.event.thread_index == 3);
	CHECK(is(&r.u.event.name, "") && is(&r.u.event.category, ""));
	rtev_fxt_reader_destroy(reader);
}

/* What the other records are read as. */
TEST(other_records)
{
	unsigned char bytes[512];
	struct rtev_fxt_reader *reader;
	struct rtev_fxt_record r = LAST(&reader, bytes, HEADER(7, 5) | AT(2, 16) | AT(5, 24) | AT(1, 40), 8,
	    ARG(8, 3, INLINE(7), 0), UINT64_C(0x737365636f7270), 7);
	CHECK(r.kind == RTEV_FXT_KERNEL_OBJECT && r.u.object.type == RTEV_FXT_OBJECT_THREAD);
	CHECK(r.u.object.id == 8 && r.u.object.pid == 7 && is(&r.u.object.name, "abc"));
	rtev_fxt_reader_destroy(reader);

	/* A process belongs to none. */
	r = LAST(&reader, bytes, HEADER(7, 5) | AT(1, 16) | AT(5, 24) | AT(1, 40), 8, ARG(8, 3, INLINE(7), 0),
	    UINT64_C(0x737365636f7270), 7);
	CHECK(r.u.object.type == RTEV_FXT_OBJECT_PROCESS && r.u.object.id == 8 && r.u.object.pid == 0);
	rtev_fxt_reader_destroy(reader);

	r = LAST(&reader, bytes, HEADER(6, 2) | AT(3, 16) | AT(5, 24), 77);
	CHECK(r.kind == RTEV_FXT_USER_OBJECT && r.u.object.id == 77 && r.u.object.pid == 7);
	rtev_fxt_reader_destroy(reader);

	r = LAST(&reader, bytes, HEADER(5, 2) | AT(5, 16) | AT(3, 32) | AT(2, 48), 0x636261);
	CHECK(r.kind == RTEV_FXT_BLOB && r.u.blob.type == 2 && r.u.blob.size == 3);
	CHECK(is(&r.u.blob.name, "abc") && memcmp(r.u.blob.data, "abc", 3) == 0);
	rtev_fxt_reader_destroy(reader);

	r = LAST(&reader, bytes, HEADER(8, 4) | AT(2, 24) | AT(3, 28) | AT(9, 16) | AT(17, 44) | AT(18, 52),
	    1, 20, 21);
	CHECK(r.kind == RTEV_FXT_SCHEDULING && r.u.scheduling.cpu == 9 && r.u.scheduling.outgoing_state == 2);
	CHECK(r.u.scheduling.outgoing_priority == 17 && r.u.scheduling.incoming_priority == 18);
	CHECK(r.u.scheduling.outgoing.tid == 8 && r.u.scheduling.incoming.pid == 20 &&
	      r.u.scheduling.incoming.tid == 21);
	rtev_fxt_reader_destroy(reader);

	r = LAST(&reader, bytes, HEADER(9, 3) | AT(2, 16) | AT(3, 32), 55, 0x6a69);
	CHECK(r.kind == RTEV_FXT_LOG && r.u.log.ticks == 55 && r.u.log.thread.tid == 8);
	CHECK(is(&r.u.log.message, "ij"));
	rtev_fxt_reader_destroy(reader);

	r = LAST(&reader, bytes, HEADER(15, 5), 5 | AT(5, 16) | AT(3, 36), 66, 2, 0x6a69);
	CHECK(r.kind == RTEV_FXT_LARGE_BLOB && r.u.blob.ticks == 66 && r.u.blob.thread.pid == 7);
	CHECK(r.u.blob.size == 2 && memcmp(r.u.blob.data, "ij", 2) == 0 && is(&r.u.blob.category, "abc"));
	rtev_fxt_reader_destroy(reader);
}

/* Each provider has its own strings and threads, and finds them again. */
TEST(providers)
{
	unsigned char bytes[512];
	struct rtev_fxt_reader *reader;
	struct rtev_fxt_record r;
	/* Provider 9 does not see what provider 0 defined .. */
	const struct row stranger =
	    BAD("", UNDEFINED, HEADER(0, 1) | AT(2, 16) | AT(9, 20), EVENT(2, 0, 0, 3, 0, 0), 1);
	const struct row string =
	    BAD("", UNDEFINED, HEADER(0, 1) | AT(2, 16) | AT(9, 20), EVENT(4, 0, 0, 0, 0, 5), 1, 2, 3);
	CHECK_INT(
	    fxt_walk_memory(bytes, lay_out(bytes, &stranger), NULL, NULL, NULL).status, RTEV_E_FXT_UNDEFINED);
	CHECK_INT(
	    fxt_walk_memory(bytes, lay_out(bytes, &string), NULL, NULL, NULL).status, RTEV_E_FXT_UNDEFINED);
	/* .. and defines its own, after which provider 0's are the old ones. */
	r = LAST(&reader, bytes, HEADER(0, 2) | AT(1, 16) | AT(9, 20) | AT(2, 52), 0x3970,
	    HEADER(2, 2) | AT(5, 16) | AT(2, 32), 0x6f6e, EVENT(4, 0, 0, 0, 0, 5), 1, 2, 3);
	CHECK(is(&r.u.event.name, "no"));
	rtev_fxt_reader_destroy(reader);
	r = LAST(&reader, bytes, HEADER(0, 1) | AT(2, 16) | AT(9, 20), HEADER(2, 2) | AT(5, 16) | AT(2, 32),
	    0x6f6e, HEADER(0, 1) | AT(2, 16), EVENT(2, 0, 0, 3, 0, 5), 1);
	CHECK(is(&r.u.event.name, "abc") && r.u.event.thread.tid == 8);
	rtev_fxt_reader_destroy(reader);
	/* A section repeats the name; defining a string anew holds from then on. */
	r = LAST(&reader, bytes, HEADER(0, 2) | AT(1, 16) | AT(9, 20) | AT(2, 52), 0x3970,
	    HEADER(0, 1) | AT(2, 16), HEADER(0, 1) | AT(2, 16) | AT(9, 20));
	CHECK(r.kind == RTEV_FXT_PROVIDER_SECTION && r.u.provider.id == 9 && is(&r.u.provider.name, "p9"));
	rtev_fxt_reader_destroy(reader);
	r = LAST(&reader, bytes, HEADER(2, 2) | AT(5, 16) | AT(1, 32), 'z', EVENT(2, 0, 0, 3, 0, 5), 1);
	CHECK(is(&r.u.event.name, "z"));
	rtev_fxt_reader_destroy(reader);
}

/* More providers than anyone has are refused, not kept. */
TEST(many_providers)
{
	size_t count = 1000;
	unsigned char *bytes = malloc(8 + count * 24);
	CHECK(bytes != NULL);
	fxt_store(bytes, MAGIC);
	for (size_t i = 0; i < count; i++) {
		fxt_store(bytes + 8 + i * 24, HEADER(0, 1) | AT(2, 16) | AT(i, 20));
		fxt_store(bytes + 16 + i * 24, HEADER(2, 2) | AT(32767, 16) | AT(1, 32));
		fxt_store(bytes + 24 + i * 24, 'x');
	}
	struct fxt_walk walk = fxt_walk_memory(bytes, 8 + count * 24, NULL, NULL, NULL);
	CHECK_INT(walk.status, RTEV_E_NOMEM);
	CHECK_INT(walk.offset, 8 + 128 * 24);
	free(bytes);
}

/* ---- the inspection ---- */

struct event {
	enum rtev_fxt_event_type type;
	unsigned thread;
	char name;
	uint64_t ticks, word;
	unsigned args; /* 0 none, 1 an int32, 2 a bool */
};

/* Inspect events. */
static struct fxt_findings inspect(const struct event *events, size_t count)
{
	struct fxt_sink sink = {0};
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w;
	struct fxt_inspection *inspection = fxt_inspection_create();
	CHECK_INT(rtev_fxt_callback_create(&destination, 0, fxt_sink_write, &sink), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, NULL), RTEV_OK);
	for (unsigned i = 0; i < 3; i++)
		CHECK_INT(rtev_fxt_set_thread_slot(w, i, 10 + i / 2, 20 + i, NULL), RTEV_OK);
	for (size_t i = 0; i < count; i++) {
		rtev_fxt_string name;
		CHECK_INT(rtev_fxt_set_temp_slot(w, 0, &events[i].name, 1, &name), RTEV_OK);
		CHECK_INT(
		    rtev_fxt_event(w, events[i].type, events[i].args == 0 ? RTEV_FXT_NO_ARGS : RTEV_FXT_INT32,
			(rtev_fxt_thread)(events[i].thread + 1), 0, name, events[i].ticks, events[i].word),
		    RTEV_OK);
		if (events[i].args == 1)
			CHECK_INT(rtev_fxt_arg_int32(w, name, 1), RTEV_OK);
		if (events[i].args == 2)
			CHECK_INT(rtev_fxt_arg_bool(w, name, true), RTEV_OK);
	}
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(fxt_walk_memory(sink.data, sink.size, NULL, fxt_inspect, inspection).status, RTEV_OK);
	struct fxt_findings findings = fxt_inspection_finish(inspection);
	fxt_inspection_destroy(inspection);
	fxt_sink_fini(&sink);
	return findings;
}

#define INSPECT(...)                                                                                         \
	inspect((struct event[]){__VA_ARGS__}, sizeof((struct event[]){__VA_ARGS__}) / sizeof(struct event))
#define B RTEV_FXT_DURATION_BEGIN
#define E RTEV_FXT_DURATION_END
#define X RTEV_FXT_DURATION_COMPLETE

/* Good events, out of order in the file, are found good. */
TEST(good_events)
{
	struct fxt_findings f = INSPECT({B, 0, 'a', 1, 0, 0}, {E, 0, 'a', 9, 0, 0}, {B, 0, 'b', 2, 0, 0},
	    {E, 0, 'b', 5, 0, 0}, {B, 1, 'b', 3, 0, 0}, {E, 1, 'b', 10, 0, 0}, {X, 2, 'x', 10, 20, 0},
	    {X, 2, 'y', 10, 15, 0}, {X, 2, 'z', 15, 20, 0}, {X, 2, 'w', 20, 20, 0},
	    {RTEV_FXT_FLOW_BEGIN, 2, 'f', 12, 1, 0}, {RTEV_FXT_FLOW_END, 0, 'f', 4, 1, 0},
	    {RTEV_FXT_COUNTER, 0, 'c', 3, 1, 1}, {RTEV_FXT_ASYNC_BEGIN, 0, 'p', 1, 7, 0},
	    {RTEV_FXT_ASYNC_BEGIN, 0, 'p', 2, 8, 0}, {RTEV_FXT_ASYNC_INSTANT, 1, 'p', 2, 7, 0},
	    {RTEV_FXT_ASYNC_END, 1, 'p', 3, 7, 0}, {RTEV_FXT_ASYNC_END, 2, 'p', 4, 8, 0});
	CHECK_INT(f.open_begins + f.stray_ends + f.misnamed_ends + f.overlaps + f.backward, 0);
	CHECK_INT(f.open_asyncs + f.stray_asyncs + f.bad_counters + f.stray_flows, 0);
	CHECK_INT(f.events[B], 3);
	CHECK_INT(f.events[X], 4);
}

/* Each fault is found, and only it. */
TEST(bad_events)
{
	CHECK_INT(INSPECT({B, 0, 'a', 1, 0, 0}, {E, 1, 'a', 2, 0, 0}).open_begins, 1);
	CHECK_INT(INSPECT({B, 0, 'a', 1, 0, 0}, {E, 1, 'a', 2, 0, 0}).stray_ends, 1);
	CHECK_INT(INSPECT({B, 0, 'a', 1, 0, 0}, {E, 0, 'b', 2, 0, 0}).misnamed_ends, 1);
	CHECK_INT(INSPECT({X, 0, 'a', 1, 5, 0}, {X, 0, 'b', 3, 6, 0}).overlaps, 1);
	CHECK_INT(INSPECT({RTEV_FXT_ASYNC_BEGIN, 0, 'a', 1, 5, 0}).open_asyncs, 1);
	CHECK_INT(INSPECT({RTEV_FXT_ASYNC_BEGIN, 0, 'a', 1, 5, 0}, {RTEV_FXT_ASYNC_END, 0, 'b', 2, 5, 0})
		      .stray_asyncs,
	    1);
	CHECK_INT(INSPECT({RTEV_FXT_COUNTER, 0, 'c', 1, 5, 0}).bad_counters, 1);
	CHECK_INT(INSPECT({RTEV_FXT_COUNTER, 0, 'c', 1, 5, 2}).bad_counters, 1);
	CHECK_INT(INSPECT({RTEV_FXT_FLOW_STEP, 0, 'c', 1, 5, 0}).stray_flows, 1);
	CHECK_INT(INSPECT({X, 0, 'a', 1, 5, 0}, {RTEV_FXT_FLOW_STEP, 1, 'c', 3, 5, 0}).stray_flows, 1);
}
