/*
 * test_record_clocks.c - the times of recordings: what they count from in either form, what Perfetto is told
 * of the clocks, and the time that the machine has slept.
 */
#include "record/tracks_private.h"
#include "support/making.h"

/* Times of the other form have nanoseconds as doubles, however long the machine has been up, and older events
 * too. */
TEST(json_origin)
{
	const uint64_t day = UINT64_C(86400000000000), now = 400 * day + 1234;
	struct making k = making_open(true);
	char *p, *after;
	size_t size;

	begin(&k.f, 0, now, MINOR);
	end(&k.f, 0, now + 777, MINOR);
	begin(&k.f, 1, now - 60 * day, MAJOR);
	end(&k.f, 1, now - 60 * day + 1, MAJOR);
	char *text = (char *)making_close(&k, now + 1000, &size);
	text[size - 1] = '\0';
	CHECK((p = strstr(text, "\"origin_monotonic_ns\":\"")) != NULL);
	unsigned long long origin = strtoull(p + 23, &after, 10);
	CHECK(*after == '"' && origin % 1000 == 0);
	CHECK((p = strstr(text, "\"name\":\"minor\",\"ts\":")) != NULL);
	double us = strtod(p + 20, &after);
	CHECK(us >= 0 && us < 0x1p43 && origin + (unsigned long long)(us * 1000 + 0.5) == now);
	CHECK(strncmp(after, ",\"dur\":0.777", 12) == 0);
	CHECK((p = strstr(text, "\"name\":\"major\",\"ts\":-")) != NULL);
	us = strtod(p + 20, &after);
	CHECK(origin - (unsigned long long)(-us * 1000 + 0.5) == now - 60 * day);
	free(text);
}

/* What Perfetto is told of the clocks: a packet of its own. */
struct clocks_seen {
	unsigned count;
	bool right;
	uint64_t begins[4], ends[4]; /* of slices */
	unsigned slices;
	struct rtev_fxt_ticks rate;
};

static void see_clocks(void *ctx, const struct rtev_fxt_record *record)
{
	/* clock ids 6, 3 and 1, the first two at 5, all in a snapshot whose own clock is 6 */
	static const unsigned char awake[] = {0x0a, 32, 0x50, 1, 0x32, 28, 0x0a, 4, 8, 6, 0x10, 5, 0x0a, 4, 8,
	    3, 0x10, 5, 0x0a, 12, 8, 1, 0x10, 0x80, 0x80, 0xa8, 0xb1, 0xe3, 0x9f, 0xe7, 0xcb, 0x17, 0x10, 6};
	/* clock 6 at 5 and an hour */
	static const unsigned char slept_for[] = {0x0a, 37, 0x50, 1, 0x32, 33, 0x0a, 9, 8, 6, 0x10, 0x85,
	    0xc0, 0xe2, 0x85, 0xe3, 0x68, 0x0a, 4, 8, 3, 0x10, 5, 0x0a, 12, 8, 1, 0x10, 0x80, 0x80, 0xa8,
	    0xb1, 0xe3, 0x9f, 0xe7, 0xcb, 0x17, 0x10, 6};
	const unsigned char *expected = making_slept != 0 ? slept_for : awake;
	size_t size = making_slept != 0 ? sizeof(slept_for) : sizeof(awake);
	struct clocks_seen *seen = ctx;

	if (record->kind == RTEV_FXT_TICKS)
		seen->rate = record->u.ticks.rate;
	if (record->kind == RTEV_FXT_EVENT && seen->slices < 4) {
		seen->begins[seen->slices] = record->u.event.ticks;
		seen->ends[seen->slices++] = record->u.event.word;
	}
	if (record->kind != RTEV_FXT_BLOB || record->u.blob.type != RTEV_FXT_BLOB_PERFETTO)
		return;
	seen->count++;
	seen->right = record->u.blob.size == size && memcmp(record->u.blob.data, expected, size) == 0;
}

/* The clocks come once. */
TEST(clocks)
{
	struct making k = making_open(false);
	struct clocks_seen seen = {0};

	begin(&k.f, 0, 10, MINOR);
	fxt_inspection_destroy(making_judge(&k, 20, see_clocks, &seen));
	CHECK_INT(seen.count, 1);
	CHECK(seen.right);
}

/* Perfetto takes ticks for times since boot, with the time that the machine has slept; events have none of
 * that. */
TEST(clocks_after_sleep)
{
	const uint64_t hour = UINT64_C(3600000000000);
	struct clocks_seen seen = {0};

	making_slept = hour;
	struct making k = making_open(false);
	begin(&k.f, 0, 10, MINOR);
	end(&k.f, 0, 20, MINOR);
	/* It has slept again, between two looks at the clocks: twice as long. */
	tracks_sleep(k.record, 30, hour + 999);
	begin(&k.f, 0, 35, MAJOR);
	end(&k.f, 0, 40, MAJOR);
	begin(&k.f, 0, 45, MINOR);
	tracks_sleep(k.record, 50, 3 * hour);
	end(&k.f, 0, 60, MINOR);
	begin(&k.f, 1, 20, MINOR);
	end(&k.f, 1, UINT64_MAX - 1, MINOR);
	fxt_inspection_destroy(making_judge(&k, 20, see_clocks, &seen));
	making_slept = 0;
	CHECK_INT(seen.count, 1);
	CHECK(seen.right);
	CHECK_INT(seen.rate.base_ticks, hour + 5);
	CHECK_INT(seen.rate.base_time, 1700000000000000000);
	CHECK_INT(seen.slices, 4);
	CHECK_INT(seen.begins[0], hour + 10);
	CHECK_INT(seen.ends[0], hour + 20);
	CHECK_INT(seen.begins[1], hour + 35); /* less than a millisecond is no sleep */
	CHECK_INT(seen.ends[1], hour + 40);
	CHECK_INT(seen.begins[2], hour + 45);
	CHECK_INT(seen.ends[2], 3 * hour + 60);
	CHECK_INT(seen.begins[3], hour + 20);
	CHECK(seen.ends[3] == UINT64_MAX);
}

/* A step counts from its stamp on; of more than are kept, the oldest goes. */
TEST(steps)
{
	struct record_clock clock = {.count = 0};

	record_clock_step(&clock, 100, 2 * RECORD_SLEEP_MIN_NS);
	CHECK_INT(record_clock_time(&clock, 99), 99);
	CHECK_INT(record_clock_time(&clock, 100), 100 + 2 * RECORD_SLEEP_MIN_NS);
	record_clock_step(&clock, 200, 3 * RECORD_SLEEP_MIN_NS - 1); /* too little, */
	record_clock_step(&clock, 200, RECORD_SLEEP_MIN_NS);	     /* and back */
	CHECK_INT(record_clock_time(&clock, 200), 200 + 2 * RECORD_SLEEP_MIN_NS);
	for (uint64_t i = 3; i < 3 + RECORD_CLOCK_STEPS; i++)
		record_clock_step(&clock, 100 * i, i * RECORD_SLEEP_MIN_NS);
	CHECK_INT(record_clock_time(&clock, 100), 100);
	CHECK_INT(record_clock_time(&clock, 300), 300 + 3 * RECORD_SLEEP_MIN_NS);
	CHECK(record_clock_time(&clock, UINT64_MAX - 1) == UINT64_MAX);
}

/* JSON goes on in its own time after a sleep; what its times count from is told by the clock of the events. */
TEST(json_after_sleep)
{
	const uint64_t hour = UINT64_C(3600000000000);
	size_t size;

	making_slept = hour;
	struct making k = making_open(true);
	begin(&k.f, 0, 1000, MINOR);
	end(&k.f, 0, 2000, MINOR);
	char *text = (char *)making_close(&k, 3000, &size);
	making_slept = 0;
	text[size - 1] = '\0';
	CHECK(strstr(text, "\"origin_monotonic_ns\":\"-3600000000000\"") != NULL);
	CHECK(strstr(text, "\"base_monotonic_ns\":\"5\"") != NULL);
	CHECK(strstr(text, "\"base_boottime_ns\":\"3600000000005\"") != NULL);
	CHECK(strstr(text, "\"name\":\"minor\",\"ts\":3600000001.000,\"dur\":1.000") != NULL);
	/* Every thread that it names a record for has a name. */
	CHECK(strstr(text, "\"tid\":4097,\"name\":\"thread_name\",\"args\":{\"name\":\"target\"}") != NULL);
	free(text);
}
