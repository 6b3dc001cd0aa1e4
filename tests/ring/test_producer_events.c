/*
 * test_producer_events.c - what a producer records: every kind of event, every release, limits.
 */
#include <time.h>

#include "ring/atomics.h"
#include "support/producer_fixture.h"

static uint64_t seen_ts[8];
static unsigned seen;

/* Write the bytes that ctx counts. */
static size_t serialise(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	size_t len = *(const size_t *)ctx;

	memcpy(out, value, len < RTEV_CUSTOM_BYTES_MAX ? len : RTEV_CUSTOM_BYTES_MAX);
	return len;
}

TEST(test_events)
{
	struct rtev_producer *p = make(small(12));
	struct rtev_domain *d = rtev_producer_main(p);
	const struct rtev_user *unit = user(p, "a.unit", RTEV_USER_UNIT), *custom;
	struct recorder c = {.unstamped = true};
	size_t len = 3;

	/* Not started: nothing happens. */
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	OK(rtev_domain_user_unit(d, unit));
	CHECK(!rtev_domain_active(d));
	OK(rtev_producer_start(p, d));
	OK(rtev_producer_start(p, d));
	CHECK(rtev_domain_active(d));
	const struct rtev_user *number = user(p, "b.int", RTEV_USER_INT);
	const struct rtev_user *span = user(p, "c.span", RTEV_USER_SPAN);
	OK(rtev_user_register(p, "d.custom", 8, RTEV_USER_CUSTOM, serialise, &len, &custom));

	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	OK(rtev_domain_end(d, RTEV_PHASE_MINOR));
	OK(rtev_domain_counter(d, RTEV_COUNTER_MINOR_PROMOTED, -5));
	OK(rtev_domain_begin(d, RTEV_OPAQUE + 1234));
	OK(rtev_domain_counter(d, RTEV_OPAQUE + 77, INT64_MAX));
	OK(rtev_domain_lifecycle(d, RTEV_LIFECYCLE_FORK_PARENT, 99));
	OK(rtev_domain_lifecycle(d, RTEV_OPAQUE + 9, 1));
	CHECK_INT(rtev_domain_lifecycle(d, RTEV_LIFECYCLE_COUNT, 1), RTEV_E_INVALID);
	CHECK_INT(rtev_domain_begin(d, RTEV_PHASE_COUNT), RTEV_E_RELEASE);
	OK(rtev_domain_user_unit(d, unit));
	OK(rtev_domain_user_int(d, number, RTEV_USER_INT_MAX));
	OK(rtev_domain_user_int(d, number, RTEV_USER_INT_MIN));
	OK(rtev_domain_user_begin(d, span));
	OK(rtev_domain_user_end(d, span));
	OK(rtev_domain_user_custom(d, custom, "xyz"));
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n"
				    "0 begin minor\n"
				    "0 end minor\n"
				    "0 counter minor_promoted -5\n"
				    "0 begin phase_1234\n"
				    "0 counter counter_77 9223372036854775807\n"
				    "0 lifecycle fork_parent 99\n"
				    "0 lifecycle lifecycle_9 1\n"
				    "0 unit a.unit\n"
				    "0 int b.int 4611686018427387903\n"
				    "0 int b.int -4611686018427387904\n"
				    "0 span_begin c.span\n"
				    "0 span_end c.span\n"
				    "0 custom d.custom 3 78797a\n");

	CHECK_INT(rtev_domain_user_int(d, number, RTEV_USER_INT_MAX + 1), RTEV_E_USER_INT);
	CHECK_INT(rtev_domain_user_int(d, number, RTEV_USER_INT_MIN - 1), RTEV_E_USER_INT);
	CHECK_INT(rtev_domain_user_int(d, unit, 1), RTEV_E_USER_TYPE);
	CHECK_INT(rtev_domain_user_unit(d, number), RTEV_E_USER_TYPE);
	CHECK_INT(rtev_domain_user_begin(d, custom), RTEV_E_USER_TYPE);
	CHECK_INT(rtev_domain_user_custom(d, span, ""), RTEV_E_USER_TYPE);
	struct rtev_producer *other = make(small(5));
	CHECK_INT(rtev_domain_user_unit(d, user(other, "x", RTEV_USER_UNIT)), RTEV_E_INVALID);
	rtev_producer_destroy(other);
	recorder_clear(&c);
	rtev_producer_destroy(p);
}

/* Custom payloads of every length, and the words that OCaml's padding rule makes of them. */
TEST(test_custom_payload)
{
	static unsigned char bytes[RTEV_CUSTOM_BYTES_MAX + 1];
	struct rtev_producer *p = make_started(small(16));
	struct rtev_domain *d = rtev_producer_main(p);
	const struct rtev_user *custom;
	struct recorder c = {.unstamped = true};
	char path[4096], want[2 * RTEV_CUSTOM_BYTES_MAX + 64];
	size_t len;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + 1);
	OK(rtev_user_register(p, "custom", 6, RTEV_USER_CUSTOM, serialise, &len, &custom));
	for (len = 0; len <= RTEV_CUSTOM_BYTES_MAX; len += len < 40 ? 1 : 123) {
		struct rtev_cursor *cursor;
		OK(rtev_cursor_open_producer(&cursor, p, NULL));
		OK(rtev_cursor_skip(cursor));
		OK(rtev_domain_user_custom(d, custom, bytes));
		size_t used = (size_t)snprintf(want, sizeof(want), "0 custom custom %zu ", len);
		for (size_t i = 0; i < len; i++)
			used += (size_t)snprintf(want + used, sizeof(want) - used, "%02x", bytes[i]);
		snprintf(want + used, sizeof(want) - used, "\n");
		CHECK_STR(recorder_text(&c, cursor), want);
		OK(rtev_cursor_close(cursor));
	}
	len = RTEV_CUSTOM_BYTES_MAX + 1;
	CHECK_INT(rtev_domain_user_custom(d, custom, bytes), RTEV_E_USER_PAYLOAD);

	/* Length word, count of pad bytes at the very end, zeros between. */
	OK(rtev_producer_stop(p, d));
	OK(rtev_producer_start(p, d));
	len = 8;
	OK(rtev_domain_user_custom(d, custom, bytes));
	OK(rtev_producer_path(p, path, sizeof(path)));
	uint64_t words[(64 + 80 * 4) / 8 + 3 + 4];
	load(path, words, sizeof(words) / sizeof(words[0]));
	const uint64_t *record = words + (64 + 80 * 4) / 8 + 3;
	CHECK_INT(record[0] >> 54, 4);
	CHECK_INT(record[0] >> 49 & 31, 16 + 4);
	CHECK_INT(memcmp(&record[2], bytes, 8), 0);
	CHECK_INT(memcmp(&record[3], "\0\0\0\0\0\0\0\7", 8), 0);
	recorder_clear(&c);
	rtev_producer_destroy(p);
}

TEST(test_user_register)
{
	struct rtev_producer *p = make(small(8));
	struct rtev_domain *d = rtev_producer_main(p);
	const struct rtev_user *u, *v;
	struct recorder c = {.unstamped = true};
	char name[RTEV_USER_NAME_SIZE + 1];
	size_t len = 0;

	memset(name, 'n', sizeof(name));
	CHECK_INT(rtev_user_register(p, "", 0, RTEV_USER_UNIT, NULL, NULL, &u), RTEV_E_USER_NAME_EMPTY);
	CHECK_INT(rtev_user_register(p, name, 128, RTEV_USER_UNIT, NULL, NULL, &u), RTEV_E_USER_NAME_LONG);
	CHECK_INT(rtev_user_register(p, "a\0b", 3, RTEV_USER_UNIT, NULL, NULL, &u), RTEV_E_USER_NAME_NUL);
	CHECK_INT(rtev_user_register(p, "a", 1, RTEV_USER_CUSTOM, NULL, NULL, &u), RTEV_E_INVALID);
	CHECK_INT(rtev_user_register(p, "a", 1, RTEV_USER_UNIT, serialise, &len, &u), RTEV_E_INVALID);
	CHECK_INT(rtev_user_resolve(p, "a", 1, &u), RTEV_E_USER_UNKNOWN);
	OK(rtev_user_register(p, name, 127, RTEV_USER_UNIT, NULL, NULL, &u));
	CHECK_INT(rtev_user_id(u), 0);
	CHECK_INT(strlen(rtev_user_name(u)), 127);
	CHECK_INT(rtev_user_type(u), RTEV_USER_UNIT);
	OK(rtev_user_register(p, name, 127, RTEV_USER_UNIT, NULL, NULL, &v));
	CHECK(u == v);
	CHECK_INT(rtev_user_register(p, name, 127, RTEV_USER_INT, NULL, NULL, &v), RTEV_E_USER_TYPE);

	/* All there may be, half of them after the start; the last one works. */
	for (int i = 1; i < RTEV_USER_EVENTS_MAX; i++) {
		if (i == RTEV_USER_EVENTS_MAX / 2)
			OK(rtev_producer_start(p, d));
		snprintf(name, sizeof(name), "event.%d", i);
		v = user(p, name, RTEV_USER_UNIT);
		CHECK_INT(rtev_user_id(v), i);
	}
	CHECK_INT(rtev_user_register(p, "more", 4, RTEV_USER_UNIT, NULL, NULL, &u), RTEV_E_USER_COUNT);
	OK(rtev_user_resolve(p, "event.8191", 10, &u));
	CHECK(u == v);
	OK(rtev_domain_user_unit(d, u));
	OK(rtev_user_resolve(p, "event.17", 8, &u));
	OK(rtev_domain_user_unit(d, u));
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n0 unit event.8191\n0 unit event.17\n");
	recorder_clear(&c);
	rtev_producer_destroy(p);
}

TEST(test_layout_5_0)
{
	struct rtev_producer_options options = small(8);
	options.release = RTEV_RELEASE_5_0;
	struct rtev_producer *p = make_started(options);
	struct rtev_domain *d = rtev_producer_main(p);
	const struct rtev_user *u;
	struct recorder c = {.unstamped = true};

	CHECK_INT(rtev_user_register(p, "u", 1, RTEV_USER_UNIT, NULL, NULL, &u), RTEV_E_NO_USER_EVENTS);
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	CHECK_INT(rtev_domain_begin(d, RTEV_PHASE_COMPACT), RTEV_E_RELEASE);
	CHECK_INT(rtev_domain_counter(d, RTEV_COUNTER_MAJOR_HEAP_WORDS, 1), RTEV_E_RELEASE);
	OK(rtev_domain_counter(d, RTEV_COUNTER_MINOR_ALLOCATED, 8));
	OK(rtev_domain_end(d, RTEV_PHASE_MINOR));
	CHECK_STR(read_ring(&c, p), "0 lifecycle ring_start PID\n"
				    "0 begin minor\n0 counter minor_allocated 8\n0 end minor\n");
	recorder_clear(&c);
	rtev_producer_destroy(p);
}

/* Every phase and counter, in the numbers of every release. */
TEST(test_releases)
{
	for (unsigned release = RTEV_RELEASE_5_0; release < RTEV_RELEASE_COUNT; release++) {
		struct rtev_producer_options options = small(12);
		options.release = (enum rtev_release)release;
		struct rtev_producer *p = make_started(options);
		struct rtev_domain *d = rtev_producer_main(p);
		struct rtev_cursor *cursor;
		struct recorder c = {.unstamped = true};
		char name[RTEV_NAME_SIZE], want[16384] = "";
		size_t used = 0;

		OK(rtev_cursor_open_producer(&cursor, p, NULL));
		OK(rtev_cursor_skip(cursor));
		for (unsigned i = 0; i < RTEV_PHASE_COUNT; i++) {
			bool has = rtev_phase_to_id(options.release, (rtev_phase)i) >= 0;
			CHECK_INT(rtev_domain_begin(d, (rtev_phase)i), has ? RTEV_OK : RTEV_E_RELEASE);
			CHECK_INT(rtev_domain_end(d, (rtev_phase)i), has ? RTEV_OK : RTEV_E_RELEASE);
			if (has)
				used += (size_t)sprintf(want + used, "0 begin %s\n0 end %s\n",
				    rtev_phase_name((rtev_phase)i, name),
				    rtev_phase_name((rtev_phase)i, name));
		}
		for (unsigned i = 0; i < RTEV_COUNTER_COUNT; i++) {
			bool has = rtev_counter_to_id(options.release, (rtev_counter)i) >= 0;
			CHECK_INT(rtev_domain_counter(d, (rtev_counter)i, i), has ? RTEV_OK : RTEV_E_RELEASE);
			if (has)
				used += (size_t)sprintf(want + used, "0 counter %s %u\n",
				    rtev_counter_name((rtev_counter)i, name), i);
		}
		CHECK_STR(recorder_text(&c, cursor), want);
		CHECK(used < sizeof(want));
		OK(rtev_cursor_close(cursor));
		recorder_clear(&c);
		rtev_producer_destroy(p);
	}
}

TEST(test_alloc)
{
	struct rtev_producer *p = make_started(small(8));
	struct rtev_domain *d = rtev_producer_main(p), *other;
	struct rtev_cursor *cursor;
	struct recorder c = {.unstamped = true};

	OK(rtev_producer_attach(p, &other));
	OK(rtev_cursor_open_producer(&cursor, p, NULL));
	OK(rtev_cursor_skip(cursor));
	static const uint64_t sizes[] = {0, 1, 9, 10, 19, 20, 99, 100, 101, 1000000, UINT64_MAX};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		rtev_domain_alloc(d, sizes[i], 1);
	rtev_domain_alloc(d, 3, 1000);
	rtev_domain_alloc(other, 2, 7);
	OK(rtev_domain_alloc_flush(d));
	OK(rtev_domain_alloc_flush(d));
	OK(rtev_domain_alloc_flush(other));
	CHECK_STR(recorder_text(&c, cursor), "0 alloc 1,1,0,1000,0,0,0,0,0,1,2,1,0,0,0,0,0,0,1,4\n"
					     "0 alloc 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
					     "1 alloc 0,0,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
	OK(rtev_cursor_close(cursor));
	recorder_clear(&c);
	rtev_producer_destroy(p);
}

/* Note the stamp of a begin. */
static enum rtev_next note_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	CHECK(seen < 8);
	seen_ts[seen++] = ts;
	return RTEV_CONTINUE;
}

TEST(test_stamps)
{
	static const struct rtev_callbacks calls = {.size = sizeof(calls), .begin = note_begin};
	struct rtev_producer *p = make_started(small(8));
	struct rtev_domain *d = rtev_producer_main(p);
	struct rtev_cursor *cursor;
	struct timespec now;

	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t t = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	rtev_domain_set_stamp(d, t + 500);
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	rtev_domain_set_stamp(d, t + 499); /* below the last: raised */
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	rtev_domain_set_stamp(d, t + UINT64_C(1000000000000));
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	rtev_domain_set_stamp(d, 0); /* the clock, which is behind now */
	OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
	OK(rtev_cursor_open_producer(&cursor, p, NULL));
	OK(rtev_cursor_poll(cursor, &calls, NULL, 0, NULL));
	CHECK_INT(seen, 5);
	CHECK(seen_ts[0] <= t && seen_ts[0] > t - 1000000000u);
	CHECK_INT(seen_ts[1], t + 500);
	CHECK_INT(seen_ts[2], t + 500);
	CHECK_INT(seen_ts[3], t + UINT64_C(1000000000000));
	CHECK_INT(seen_ts[4], seen_ts[3]);
	OK(rtev_cursor_close(cursor));
	rtev_producer_destroy(p);
}

/* Rings so small that hardly anything fits. */
TEST(test_tiny)
{
	static unsigned char bytes[RTEV_CUSTOM_BYTES_MAX];

	for (unsigned exponent = RTEV_RING_EXPONENT_MIN; exponent <= 9; exponent++) {
		struct rtev_producer *p = make_started(small(exponent));
		struct rtev_domain *d = rtev_producer_main(p);
		const struct rtev_user *custom;
		struct recorder c = {.unstamped = true};
		uint64_t half = UINT64_C(1) << (exponent - 1), head, tail;
		size_t len;

		OK(rtev_user_register(p, "c", 1, RTEV_USER_CUSTOM, serialise, &len, &custom));
		/* Whether an event is taken depends on its length only, not on where the ring stands. */
		for (unsigned i = 0; i < 3000; i++) {
			len = i % (RTEV_CUSTOM_BYTES_MAX + 1);
			CHECK_INT(rtev_domain_user_custom(d, custom, bytes),
			    2 + len / 8 + 1 <= half ? RTEV_OK : RTEV_E_TOO_LARGE);
			CHECK_INT(rtev_domain_alloc_flush(d), half >= 22 ? RTEV_OK : RTEV_E_TOO_LARGE);
			OK(rtev_domain_begin(d, RTEV_PHASE_MINOR));
			OK(rtev_domain_counter(d, RTEV_COUNTER_MINOR_PROMOTED, 1));
		}
		struct rtev_cursor *cursor;
		OK(rtev_cursor_open_producer(&cursor, p, NULL));
		OK(rtev_cursor_lag(cursor, 0, NULL, &head, &tail));
		CHECK(tail - head < 2 * half);
		recorder_text(&c, cursor);
		/* A guard begins anywhere, and what it leaves of a record is lost with it. */
		CHECK(c.lost + c.history >= head &&
		      c.lost + c.history <= head + (RING_GUARD_WORDS != 0 ? half : 0));
		CHECK_INT(c.corrupt, 0);
		/* What stands before the very end of so small a ring might be padding. */
		CHECK(c.events > 0 || (RING_GUARD_WORDS != 0 && tail % (2 * half) == 0));
		OK(rtev_cursor_close(cursor));
		recorder_clear(&c);
		rtev_producer_destroy(p);
	}
}

int main(void)
{
	fixture_begin();
	test_run();
	fixture_end();
	return 0;
}
