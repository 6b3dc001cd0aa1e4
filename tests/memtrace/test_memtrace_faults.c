/*
 * test_memtrace_faults.c - each check of the reader, by traces put together field by field.
 */
#include <stdarg.h>
#include <string.h>

#include "memtrace/format.h"
#include "support/test.h"
#include "support/test_memtrace_data.h"

enum { START = 1000000, PID = 77 };

/* A trace in the making, and the header of the packet that is put together. */
struct made {
	struct bytes trace;
	struct bytes content;
	struct mt_header header;
};

static void put_8(struct made *m, unsigned v)
{
	uint8_t b = (uint8_t)v;
	bytes_add(&m->content, &b, 1);
}

static void put_16(struct made *m, unsigned v)
{
	uint8_t b[2];
	mt_store_16(b, (uint16_t)v);
	bytes_add(&m->content, b, 2);
}

static void put_32(struct made *m, uint32_t v)
{
	uint8_t b[4];
	mt_store_32(b, v);
	bytes_add(&m->content, b, 4);
}

static void put_64(struct made *m, uint64_t v)
{
	uint8_t b[8];
	mt_store_64(b, v);
	bytes_add(&m->content, b, 8);
}

static void put_text(struct made *m, const char *text)
{
	bytes_add(&m->content, text, strlen(text) + 1);
}

/* Begin an event so many microseconds after the start. */
static void put_head(struct made *m, unsigned code, int time)
{
	put_32(m, code << 25 | ((uint32_t)(START + time) & 0x1FFFFFF));
}

/* Begin a packet. */
static void begin(struct made *m, int time_begin, int time_end, int64_t id_begin, int64_t id_end)
{
	m->content.size = 0;
	m->header = (struct mt_header){.time_begin = START + time_begin,
	    .time_end = START + time_end,
	    .pid = PID,
	    .version = 3,
	    .id_begin = id_begin,
	    .id_end = id_end,
	    .verifier.bucket = MT_NO_VERIFIER};
}

/* Add the packet to the trace. */
static void end(struct made *m)
{
	uint8_t header[MT_HEADER_SIZE];

	if (m->header.bits == 0)
		m->header.bits = (int32_t)((m->content.size + sizeof(header)) * 8);
	mt_header_write(header, &m->header);
	mt_store_16(header + MT_VERSION_AT, m->header.version);
	bytes_add(&m->trace, header, sizeof(header));
	bytes_add(&m->trace, m->content.data, m->content.size);
}

/* The first packet. */
static void put_info(struct made *m)
{
	begin(m, 0, 0, 0, 0);
	put_head(m, MT_EVENT_INFO, 0);
	put_64(m, 0x3f847ae147ae147b);
	put_8(m, 64);
	put_text(m, "exe");
	put_text(m, "host");
	put_text(m, "params");
	put_64(m, PID);
	put_text(m, "");
	end(m);
}

/* A location event: code 5 is f in a.ml. */
static void put_location(struct made *m, int time, int64_t code, const char *file, const char *defname)
{
	put_head(m, MT_EVENT_LOCATION, time);
	put_64(m, (uint64_t)code);
	put_8(m, 1);
	uint64_t word = 7 | 1u << 20 | 2u << 28 | (uint64_t)31 << 38 | (uint64_t)31 << 43;
	put_32(m, (uint32_t)word);
	put_16(m, (unsigned)(word >> 32));
	put_text(m, file);
	put_text(m, defname);
}

/* An allocation of 2 words with one new code in its backtrace. */
static void put_alloc(struct made *m, int time, unsigned prefix, int64_t code)
{
	put_head(m, MT_EVENT_SHORT + 2, time);
	put_8(m, prefix);
	put_8(m, 1);
	put_16(m, 9u << 2 | 3);
	put_64(m, (uint64_t)code);
}

/* A trace with a location and two allocations, which can be read. */
static void put_good(struct made *m)
{
	put_info(m);
	begin(m, 0, 100, 0, 2);
	put_location(m, 0, 5, "a.ml", "f");
	put_alloc(m, 10, 0, 5);
	put_alloc(m, 20, 0, 5);
	end(m);
}

static struct rtev_memtrace_notice last_notice;
static int notice_count;

static void on_notice(void *ctx, const struct rtev_memtrace_notice *notice)
{
	last_notice = *notice;
	notice_count++;
}

/* Read the trace: so many events, then a status that is about the byte so many before the end or, when back
 * is negative, after the good part. */
static void expect(struct made *m, int events, int status, int64_t at)
{
	struct rtev_memtrace_options options = {.size = sizeof(options), .notice = on_notice};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	const struct rtev_memtrace_location *list;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	size_t count;

	/* In memory of just that size, so that a byte read beyond it is noticed. */
	uint8_t *data = malloc(m->trace.size);
	CHECK(data != NULL);
	memcpy(data, m->trace.data, m->trace.size);
	notice_count = 0;
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, m->trace.size, &options), RTEV_OK);
	for (int i = 0; i < events; i++)
		CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
	CHECK_INT(rtev_memtrace_next(reader, &event), status);
	rtev_memtrace_fault(reader, &fault);
	if (status != RTEV_E_MEMTRACE_END) {
		CHECK_INT(fault.status, status);
		CHECK_INT(fault.offset, at);
		CHECK(strlen(fault.what) > 5);
		/* It stays so, and what came before stays known. */
		CHECK_INT(rtev_memtrace_next(reader, &event), status);
	}
	if (events >= 2) {
		CHECK_INT(rtev_memtrace_lookup(reader, 5, &list, &count), RTEV_OK);
		CHECK_STR(list[0].defname, "f");
	}
	rtev_memtrace_close(reader);
	free(data);
	bytes_free(&m->trace);
	bytes_free(&m->content);
}

/* The good trace with one more packet; what is wrong is told by its byte in that packet. */
#define AFTER_GOOD(setup, events, status, offset)                                                            \
	do {                                                                                                 \
		struct made m = {0};                                                                         \
		put_good(&m);                                                                                \
		size_t good = m.trace.size;                                                                  \
		begin(&m, 100, 200, 2, 2);                                                                   \
		setup;                                                                                       \
		end(&m);                                                                                     \
		expect(&m, 2 + (events), status, (int64_t)good + (offset));                                  \
	} while (0)

/* The header's checks, each told by the field it is about. */
TEST(test_header)
{
	AFTER_GOOD((void)0, 0, RTEV_E_MEMTRACE_END, 0);
	AFTER_GOOD(m.header.version = 4, 0, RTEV_E_MEMTRACE_VERSION, 28);
	CHECK_INT(notice_count, 1);
	CHECK_INT(last_notice.kind, RTEV_MEMTRACE_UNKNOWN);
	CHECK_INT(last_notice.version, 4);
	AFTER_GOOD(m.header.bits = -8, 0, RTEV_E_MEMTRACE_PACKET_SIZE, 4);
	AFTER_GOOD(m.header.bits = 67 * 8, 0, RTEV_E_MEMTRACE_PACKET_SIZE, 4);
	AFTER_GOOD(m.header.id_end = 1, 0, RTEV_E_MEMTRACE_PACKET_IDS, 60);
	/* Of two faults the first in the reference's order is told. */
	AFTER_GOOD(m.header.version = 9; m.header.bits = -8, 0, RTEV_E_MEMTRACE_VERSION, 28);

	struct made m = {0};
	put_good(&m);
	size_t good = m.trace.size;
	begin(&m, 100, 200, 2, 2);
	end(&m);
	m.trace.data[good] ^= 1;
	expect(&m, 2, RTEV_E_MEMTRACE_MAGIC, (int64_t)good);
}

/* A trace that names ever more domains is refused before it has taken all memory. */
TEST(test_many_domains)
{
/* AddressSanitizer touches all that is allocated. */
#ifndef __SANITIZE_ADDRESS__
	struct made m = {0};
	size_t last = 0;

	put_good(&m);
	for (unsigned d = 0; d < MT_DECODERS_MAX; d++) {
		last = m.trace.size;
		begin(&m, 100, 200, 2, 2);
		m.header.domain = (uint16_t)(10000 + d);
		end(&m);
	}
	expect(&m, 2, RTEV_E_MEMTRACE_DOMAINS, (int64_t)last);
#endif
}

/* The checks of events. */
TEST(test_events)
{
	AFTER_GOOD(put_head(&m, MT_EVENT_COLLECT, 201); put_8(&m, 0), 0, RTEV_E_MEMTRACE_EVENT_TIME, 68);
	AFTER_GOOD(put_head(&m, 57, 150), 0, RTEV_E_MEMTRACE_EVENT_CODE, 68);
	AFTER_GOOD(put_head(&m, 5, 150), 0, RTEV_E_MEMTRACE_EVENT_CODE, 68);
	AFTER_GOOD(put_head(&m, 100, 150), 0, RTEV_E_MEMTRACE_EVENT_CODE, 68);
	AFTER_GOOD(put_head(&m, 117, 150), 0, RTEV_E_MEMTRACE_EVENT_CODE, 68);
	AFTER_GOOD(put_head(&m, MT_EVENT_INFO, 150), 0, RTEV_E_MEMTRACE_EVENT_CODE, 68);
	AFTER_GOOD(put_location(&m, 150, 5, "a.ml", "g"), 0, RTEV_E_MEMTRACE_LOCATION, 68);
	AFTER_GOOD(put_location(&m, 150, 5, "a.ml", "f"), 0, RTEV_E_MEMTRACE_END, 68);
	AFTER_GOOD(put_head(&m, MT_EVENT_ALLOC, 150); put_8(&m, 3); put_8(&m, 1); put_8(&m, 3); put_8(&m, 0);
		   put_16(&m, 0), 0, RTEV_E_MEMTRACE_SOURCE, 68 + 6);
	AFTER_GOOD(put_head(&m, MT_EVENT_PROMOTE, 150); put_8(&m, 254);
		   put_32(&m, (uint32_t)-1), 0, RTEV_E_MEMTRACE_PROMOTE_ID, 68);
	AFTER_GOOD(put_alloc(&m, 150, 0, 5), 1, RTEV_E_MEMTRACE_ALLOC_ID, 68 + 16);
	AFTER_GOOD(m.header.id_end = 3, 0, RTEV_E_MEMTRACE_ALLOC_ID, 68);
	/* A collect may be about an object yet to come. */
	AFTER_GOOD(put_head(&m, MT_EVENT_COLLECT, 150); put_8(&m, 254);
		   put_32(&m, (uint32_t)-1), 1, RTEV_E_MEMTRACE_END, 0);
	/* A common prefix can't be negative. */
	AFTER_GOOD(put_head(&m, 102, 150); put_8(&m, 254); put_32(&m, (uint32_t)-2);
		   put_8(&m, 0), 0, RTEV_E_MEMTRACE_TABLE, 68);
}

/* A packet of collects at these times. */
static void put_collects(struct made *m, int from, int to, const int *times, unsigned count)
{
	begin(m, from, to, 2, 2);
	for (unsigned i = 0; i < count; i++) {
		put_head(m, MT_EVENT_COLLECT, times[i]);
		put_8(m, i & 1);
	}
	end(m);
}

/* Read the trace to its end: after the good part the events have these times, and each packet in which the clock stepped
 * back is told of once. */
static void expect_times(struct made *m, const int *times, unsigned count, int notices)
{
	struct rtev_memtrace_options options = {.size = sizeof(options), .notice = on_notice};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;

	notice_count = 0;
	CHECK_INT(rtev_memtrace_open_memory(&reader, m->trace.data, m->trace.size, &options), RTEV_OK);
	for (unsigned i = 0; i < 2 + count; i++) {
		CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
		CHECK_INT(event->time, i < 2 ? 10 * ((int)i + 1) : times[i - 2]);
	}
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_E_MEMTRACE_END);
	CHECK_INT(notice_count, notices);
	if (notices > 0)
		CHECK_INT(last_notice.kind, RTEV_MEMTRACE_CLOCK_BACK);
	rtev_memtrace_close(reader);
	bytes_free(&m->trace);
	bytes_free(&m->content);
}

/* The clock steps back: the time stands still to the end of the packet, or until the clock has caught up, and goes on in
 * the next packet. */
TEST(test_clock_back)
{
	struct made m = {0};

	/* Within the time of the packet, and before it began. */
	put_good(&m);
	put_collects(&m, 100, 200, (const int[]){150, 149, 160, 99, -5000, 161}, 6);
	expect_times(&m, (const int[]){150, 150, 160, 160, 160, 161}, 6, 1);

	/* For longer than the packet lasted, which ends before it began; the next ones are of the new clock. */
	put_good(&m);
	size_t good = m.trace.size;
	put_collects(&m, 100, -5000, (const int[]){150, -5010, -5000}, 3);
	put_collects(&m, -5000, -4000, (const int[]){-4990, -4000}, 2);
	put_collects(&m, -4000, -3000, (const int[]){-3500}, 1);
	expect_times(&m, (const int[]){150, 150, 150, 160, 1150, 1650}, 6, 2);
	CHECK(last_notice.offset > good);

	/* Between two packets, by a little, which the second one makes up for, and by a minute. */
	put_good(&m);
	put_collects(&m, 0, 200, (const int[]){19, 21}, 2);
	expect_times(&m, (const int[]){20, 21}, 2, 1);
	put_good(&m);
	put_collects(&m, -70000000, -60000000, (const int[]){-65000000}, 1);
	expect_times(&m, (const int[]){5000020}, 1, 1);

	/* A packet without events says nothing of time. */
	put_good(&m);
	put_collects(&m, -70000000, -60000000, NULL, 0);
	put_collects(&m, 100, 200, (const int[]){150}, 1);
	expect_times(&m, (const int[]){150}, 1, 0);
}

/* Time stamps: domains have clocks of their own, and the 25 bits wrap. */
TEST(test_times)
{
	struct made m = {0};

	/* Another domain has a clock of its own. */
	put_good(&m);
	begin(&m, 0, 200, 2, 2);
	m.header.domain = 1;
	put_head(&m, MT_EVENT_COLLECT, 19);
	put_8(&m, 0);
	end(&m);
	expect(&m, 3, RTEV_E_MEMTRACE_END, 0);

	/* From one end of what 25 bits can tell to the other. */
	put_good(&m);
	begin(&m, 33554431 - START + 1, 67108863 - START, 2, 2);
	put_head(&m, MT_EVENT_COLLECT, 33554431 - START + 1);
	put_8(&m, 0);
	put_head(&m, MT_EVENT_COLLECT, 67108863 - START);
	put_8(&m, 1);
	end(&m);
	expect(&m, 4, RTEV_E_MEMTRACE_END, 0);
}

/* Object ids are OCaml's integers: the one after the greatest is the least. */
TEST(test_ids)
{
	enum { ALLOCS = 64 };
	const int64_t greatest = INT64_MAX >> 1, least = INT64_MIN >> 1;
	struct made m = {0};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;

	put_info(&m);
	begin(&m, 0, 200, greatest - 1, greatest);
	for (int i = 0; i < ALLOCS; i++) {
		put_head(&m, 102, i);
		put_8(&m, 0);
		put_8(&m, 0);
		/* The one before the last but one, which at first is on the other side. */
		put_head(&m, MT_EVENT_COLLECT, i);
		put_8(&m, 2);
	}
	end(&m);
	CHECK_INT(rtev_memtrace_open_memory(&reader, m.trace.data, m.trace.size, NULL), RTEV_OK);
	for (int i = 0; i < ALLOCS; i++) {
		CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
		CHECK_INT(event->object, i < 2 ? greatest - 1 + i : least + i - 2);
		CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
		CHECK_INT(event->object, i < 4 ? greatest - 3 + i : least + i - 4);
	}
	/* Which no packet can say of itself that it does. */
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_E_MEMTRACE_ALLOC_ID);
	rtev_memtrace_close(reader);
	bytes_free(&m.trace);
	bytes_free(&m.content);
}

/* A copy of an event whose codes its writer could predict and ours can't: they take more words than the short
 * form can count. */
TEST(test_copy_longer)
{
	enum { DEPTH = 300, FIRST_RUN = 256 };
	struct made m = {0};
	struct bytes copy = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&copy);
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;

	put_info(&m);
	begin(&m, 0, 0, 0, 2);
	put_head(&m, MT_EVENT_ALLOC, 0);
	put_8(&m, 7);
	put_8(&m, 1);
	put_8(&m, 0);
	put_8(&m, 0);
	put_16(&m, DEPTH);
	for (int i = 0; i < DEPTH; i++) {
		put_16(&m, (unsigned)(i + 1) << 2 | 3);
		/* They differ in bits that our cache does not tell apart. */
		put_64(&m, 12345 + ((uint64_t)i << 35));
	}
	put_head(&m, 101, 0);
	put_8(&m, 0);
	put_8(&m, 2);
	put_16(&m, 1 << 2 | 2);
	put_8(&m, FIRST_RUN - 1);
	put_16(&m, (FIRST_RUN + 1) << 2 | 2);
	put_8(&m, DEPTH - FIRST_RUN - 1);
	end(&m);
	CHECK_INT(rtev_memtrace_open_memory(&reader, m.trace.data, m.trace.size, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_copy(reader, &sink), RTEV_OK);
	rtev_memtrace_close(reader);

	CHECK_INT(rtev_memtrace_open_memory(&reader, copy.data, copy.size, NULL), RTEV_OK);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
		CHECK_INT(event->length, i == 0 ? 7 : 1);
		CHECK_INT(event->samples, 1);
		CHECK_INT(event->depth, DEPTH);
		for (int k = 0; k < DEPTH; k++)
			CHECK_INT(event->backtrace[k], 12345 + ((int64_t)k << 35));
	}
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_E_MEMTRACE_END);
	rtev_memtrace_close(reader);
	bytes_free(&copy);
	bytes_free(&m.trace);
	bytes_free(&m.content);
}

/* Events that end in the middle of a field. */
TEST(test_underflow)
{
	static const uint8_t long_alloc[] = {253, 1, 0, 255, 1, 2, 3, 4, 5, 6, 7, 8, 1, 254, 0, 0, 0, 0, 2, 0,
	    9 << 2 | 2, 0, 0, 9 << 2 | 3, 0, 1, 2, 3, 4, 5, 6, 7, 8};

	for (size_t size = 0; size < sizeof(long_alloc); size++)
		AFTER_GOOD(put_head(&m, MT_EVENT_ALLOC, 150);
			   bytes_add(&m.content, long_alloc, size), 0, RTEV_E_MEMTRACE_UNDERFLOW, 68);
	AFTER_GOOD(put_head(&m, MT_EVENT_ALLOC, 150); bytes_add(&m.content, long_alloc, sizeof(long_alloc));
		   m.header.id_end = 3, 1, RTEV_E_MEMTRACE_END, 0);
	AFTER_GOOD(put_16(&m, 1), 0, RTEV_E_MEMTRACE_UNDERFLOW, 68);
	AFTER_GOOD(put_head(&m, MT_EVENT_COLLECT, 150), 0, RTEV_E_MEMTRACE_UNDERFLOW, 68);
	AFTER_GOOD(put_head(&m, MT_EVENT_COLLECT, 150); put_8(&m, 253);
		   put_8(&m, 0), 0, RTEV_E_MEMTRACE_UNDERFLOW, 68);
	AFTER_GOOD(put_head(&m, MT_EVENT_LOCATION, 150); put_64(&m, 6), 0, RTEV_E_MEMTRACE_UNDERFLOW, 68);
	AFTER_GOOD(put_location(&m, 150, 6, "b.ml", "g");
		   m.content.size -= 1, 0, RTEV_E_MEMTRACE_UNDERFLOW, 68);
}

/* The tables of names and the cache of codes. */
TEST(test_tables)
{
	/* The file table of the good trace has one entry. */
	for (unsigned place = 0; place < 31; place++)
		AFTER_GOOD(
		    put_head(&m, MT_EVENT_LOCATION, 150); put_64(&m, 6); put_8(&m, 1); put_32(&m, 0);
		    put_16(&m, place << 6), 0, place == 0 ? RTEV_E_MEMTRACE_END : RTEV_E_MEMTRACE_TABLE, 68);
	for (unsigned place = 0; place < 31; place++)
		AFTER_GOOD(
		    put_head(&m, MT_EVENT_LOCATION, 150); put_64(&m, 6); put_8(&m, 1); put_32(&m, 0);
		    put_16(&m, place << 11), 0, place == 0 ? RTEV_E_MEMTRACE_END : RTEV_E_MEMTRACE_TABLE, 68);
	/* Bucket 9 holds 5 and followed the start, which is bucket 0. */
	AFTER_GOOD((m.header.verifier = (struct mt_verifier){9, 0, 5}), 0, RTEV_E_MEMTRACE_END, 0);
	AFTER_GOOD((m.header.verifier = (struct mt_verifier){0, 9, 0}), 0, RTEV_E_MEMTRACE_END, 0);
	AFTER_GOOD((m.header.verifier = (struct mt_verifier){9, 0, 6}), 0, RTEV_E_MEMTRACE_CACHE, 0);
	AFTER_GOOD((m.header.verifier = (struct mt_verifier){9, 1, 5}), 0, RTEV_E_MEMTRACE_CACHE, 0);
	AFTER_GOOD((m.header.verifier = (struct mt_verifier){16384, 0, 0}), 0, RTEV_E_MEMTRACE_CACHE, 0);
}

/* Packets that are left out: of another process, and larger than a reader takes. */
TEST(test_left_out)
{
	AFTER_GOOD(m.header.pid = 78; put_32(&m, 0xFFFFFFFF), 0, RTEV_E_MEMTRACE_END, 0);
	CHECK_INT(notice_count, 1);
	CHECK_INT(last_notice.kind, RTEV_MEMTRACE_WRONG_PID);
	CHECK_INT(last_notice.pid, 78);

	/* What follows the first 32768 bytes of content is taken for the next packet. */
	struct made m = {0};
	put_good(&m);
	begin(&m, 100, 200, 2, 2);
	for (unsigned i = 0; i < 8192; i++)
		put_32(&m, 0);
	m.header.bits = 8 * (68 + 32768 + 100);
	end(&m);
	begin(&m, 100, 200, 2, 2);
	put_head(&m, MT_EVENT_COLLECT, 150);
	put_8(&m, 0);
	end(&m);
	expect(&m, 3, RTEV_E_MEMTRACE_END, 0);
	CHECK_INT(notice_count, 1);
	CHECK_INT(last_notice.kind, RTEV_MEMTRACE_TRUNCATED);
	CHECK_INT(last_notice.missing, 100);
}

/* Backtraces that grow without end are refused before memory is used up. */
TEST(test_depth)
{
	struct made m = {0};

	put_good(&m);
	size_t good = m.trace.size;
	int64_t id = 2;
	for (int packet = 0; packet < 8; packet++, id += 2) {
		begin(&m, 100, 200, id, id + 2);
		for (int i = 0; i < 2; i++) {
			put_head(&m, MT_EVENT_ALLOC, 150);
			put_8(&m, 1);
			put_8(&m, 1);
			put_8(&m, 0);
			/* Each backtrace is the previous one and 5400 words that predict 255 codes each. */
			put_8(&m, 254);
			put_32(&m, (uint32_t)(1 + (packet * 2 + i) * 5400 * 256));
			put_16(&m, 5400);
			for (int word = 0; word < 5400; word++) {
				put_16(&m, 9 << 2 | 2);
				put_8(&m, 255);
			}
		}
		end(&m);
	}
	/* 2^24 codes, of which each event takes 1,382,400: the array doubles. */
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	int status;
	size_t depth = 0;
	CHECK_INT(rtev_memtrace_open_memory(&reader, m.trace.data, m.trace.size, NULL), RTEV_OK);
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
		depth = event->depth;
	CHECK_INT(status, RTEV_E_NOMEM);
	CHECK(depth > 1 << 23 && depth < 1 << 24);
	rtev_memtrace_fault(reader, &fault);
	CHECK(fault.offset > good);
	rtev_memtrace_close(reader);
	bytes_free(&m.trace);
	bytes_free(&m.content);
}

/* First packets that are none. */
TEST(test_first)
{
	struct rtev_memtrace_reader *reader;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	struct rtev_memtrace_options options = {.size = sizeof(options), .fault = &fault};
	struct made m = {0};

	put_info(&m);
	size_t size = m.trace.size;
	uint8_t *data = m.trace.data;
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, size, NULL), RTEV_OK);
	rtev_memtrace_close(reader);
	data[71] ^= 2; /* the event's code */
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, size, &options), RTEV_E_MEMTRACE_INFO);
	CHECK_INT(fault.offset, 68);
	data[71] ^= 2;
	data[68] ^= 1; /* its time */
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, size, &options), RTEV_E_MEMTRACE_INFO);
	data[68] ^= 1;
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, size - 1, &options), RTEV_E_MEMTRACE_INFO);
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, 67, &options), RTEV_E_MEMTRACE_UNDERFLOW);
	/* A byte more than the event takes. */
	mt_store_32(data + 4, (uint32_t)(size + 1) * 8);
	bytes_add(&m.trace, "", 1);
	CHECK_INT(rtev_memtrace_open_memory(&reader, m.trace.data, size + 1, &options), RTEV_E_MEMTRACE_INFO);
	CHECK_INT(fault.offset, size);
	/* A string without end. */
	mt_store_32(m.trace.data + 4, 84 * 8);
	CHECK_INT(
	    rtev_memtrace_open_memory(&reader, m.trace.data, size, &options), RTEV_E_MEMTRACE_UNDERFLOW);
	/* Options that are not told how large, or are larger than is known here. */
	options.size = 0;
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, size, &options), RTEV_E_INVALID);
	options.size = sizeof(options) + 1;
	CHECK_INT(rtev_memtrace_open_memory(&reader, data, size, &options), RTEV_E_INVALID);
	bytes_free(&m.trace);
	bytes_free(&m.content);
}
