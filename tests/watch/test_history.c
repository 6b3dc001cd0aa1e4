/*
 * test_history.c - the history of events: what goes in comes out, from any place.
 */
#include "support/feed.h"

#include "core/varint.h"
#include "watch/history.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

TEST(test_varint)
{
	static const uint64_t values[] = {0, 1, 0x1f, 0x20, 0x1fff, 0x2000, 0x1fffff, 0x200000, UINT32_MAX,
	    UINT64_MAX >> 11, (UINT64_MAX >> 11) + 1, UINT64_MAX >> 1, UINT64_MAX};
	static const int64_t signeds[] = {0, -1, 1, -64, 63, 64, INT32_MIN, INT64_MIN, INT64_MAX};
	uint8_t bytes[VARINT_SLACK];

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const uint8_t *end = varint_put(bytes, values[i]), *p = bytes;

		CHECK(varint_get(&p) == values[i]);
		CHECK(p == end);
		CHECK(end - bytes <= VARINT_MAX);
	}
	CHECK_INT(varint_put(bytes, 0x1f) - bytes, 1);
	CHECK_INT(varint_put(bytes, 0x20) - bytes, 2);
	CHECK_INT(varint_put(bytes, 0x1fff) - bytes, 2);
	CHECK_INT(varint_put(bytes, 0x1fffff) - bytes, 3);
	CHECK_INT(varint_put(bytes, (UINT64_C(1) << 53) - 1) - bytes, 7);
	CHECK_INT(varint_put(bytes, UINT64_C(1) << 53) - bytes, VARINT_MAX);
	CHECK_INT(varint_put(bytes, UINT64_MAX) - bytes, VARINT_MAX);
	for (size_t i = 0; i < sizeof(signeds) / sizeof(signeds[0]); i++)
		CHECK(unfold(fold(signeds[i])) == signeds[i]);
	CHECK_INT(fold(-1), 1);
	CHECK_INT(fold(-64), 127);
}

/* Read the next event and check its kind and stamp. */
static struct history_event expect(struct history_cursor *c, enum history_kind kind, uint64_t ts)
{
	struct history_event e;

	CHECK(history_next(c, UINT64_MAX, &e));
	CHECK_INT(e.kind, kind);
	CHECK_INT(e.ts, ts);
	return e;
}

TEST(test_every_kind)
{
	struct history *h = history_create(HISTORY_BUDGET_MIN);
	struct feed f = {0};
	struct history_cursor c;
	struct history_event e;
	uint64_t buckets[RTEV_ALLOC_BUCKETS];
	rtev_phase opaque = RTEV_OPAQUE + 57;

	history_observer(h, &f.to);
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		buckets[i] = i == 3 ? UINT64_MAX : i * 100;
	feed_open(&f, 2, RTEV_PHASE_MAJOR, 1000);
	feed_open(&f, 2, opaque, 1001);
	f.to.counter(h, 2, 1001, RTEV_COUNTER_MINOR_PROMOTED, -5);
	f.to.counter(h, 2, 2000, RTEV_OPAQUE + 99, INT64_MIN);
	feed_close(&f, 2, 2003);
	f.to.alloc(h, 2, 2500, buckets);
	f.to.lifecycle(h, 2, 3000, RTEV_LIFECYCLE_RING_START, 4242);
	f.to.user(h, 2, 3001, 7, 0);
	f.to.user(h, 2, 3002, 30000, -77);
	f.to.user_opened(h, 2, 4000, 3);
	f.to.user_opened(h, 2, 4001, 31000);
	f.to.user_opened(h, 2, 4002, 3);
	f.to.user_closed(h, 2, 4002, 4003, 3);
	f.to.user_closed(h, 2, 4001, 4004, 31000);
	feed_open(&f, 2, RTEV_PHASE_MINOR, 5000);
	f.to.gap(h, 2, MODEL_NOTE_LOST, 5000, 123456789, 0);
	feed_drop(&f, 2, 1);
	feed_drop(&f, 2, 0);
	f.to.user(h, 2, 900000, 1, 1);

	CHECK(history_seek(h, 2, 0, &c));
	CHECK_INT(c.depth, 0);
	e = expect(&c, HISTORY_OPENED, 1000);
	CHECK_INT(e.id, RTEV_PHASE_MAJOR);
	CHECK_INT(e.depth, 0);
	e = expect(&c, HISTORY_OPENED, 1001);
	CHECK_INT(e.id, opaque);
	CHECK_INT(e.depth, 1);
	CHECK_INT(c.depth, 2);
	e = expect(&c, HISTORY_COUNTER, 1001);
	CHECK_INT(e.id, RTEV_COUNTER_MINOR_PROMOTED);
	CHECK_INT(e.value, -5);
	e = expect(&c, HISTORY_COUNTER, 2000);
	CHECK_INT(e.id, RTEV_OPAQUE + 99);
	CHECK(e.value == INT64_MIN);
	e = expect(&c, HISTORY_CLOSED, 2003);
	CHECK_INT(e.id, opaque);
	CHECK_INT(e.begin, 1001);
	CHECK_INT(e.depth, 1);
	e = expect(&c, HISTORY_ALLOC, 2500);
	CHECK(memcmp(e.buckets, buckets, sizeof(buckets)) == 0);
	e = expect(&c, HISTORY_LIFECYCLE, 3000);
	CHECK_INT(e.id, RTEV_LIFECYCLE_RING_START);
	CHECK_INT(e.value, 4242);
	e = expect(&c, HISTORY_USER, 3001);
	CHECK_INT(e.id, 7);
	CHECK_INT(e.value, 0);
	e = expect(&c, HISTORY_USER, 3002);
	CHECK_INT(e.id, 30000);
	CHECK_INT(e.value, -77);
	CHECK_INT(expect(&c, HISTORY_USER_OPENED, 4000).id, 3);
	CHECK_INT(expect(&c, HISTORY_USER_OPENED, 4001).id, 31000);
	expect(&c, HISTORY_USER_OPENED, 4002);
	CHECK_INT(c.user_count, 3);
	e = expect(&c, HISTORY_USER_CLOSED, 4003);
	CHECK_INT(e.id, 3);
	CHECK_INT(e.begin, 4002);
	e = expect(&c, HISTORY_USER_CLOSED, 4004);
	CHECK_INT(e.id, 31000);
	CHECK_INT(e.begin, 4001);
	expect(&c, HISTORY_OPENED, 5000);
	e = expect(&c, HISTORY_GAP, 5000);
	CHECK_INT(e.id, MODEL_NOTE_LOST);
	CHECK_INT(e.value, 123456789);
	CHECK_INT(c.user_count, 0);
	e = expect(&c, HISTORY_DROPPED, 5000);
	CHECK_INT(e.id, RTEV_PHASE_MINOR);
	CHECK_INT(e.begin, 5000);
	CHECK_INT(e.depth, 1);
	CHECK_INT(expect(&c, HISTORY_DROPPED, 5000).begin, 1000);
	CHECK_INT(c.depth, 0);
	expect(&c, HISTORY_USER, 900000);
	CHECK(!history_next(&c, UINT64_MAX, &e));
	CHECK(!c.gone);

	/* A reader at the end goes on when more has come. */
	f.to.user(h, 2, 900001, 1, 2);
	CHECK(!history_next(&c, 900001, &e));
	CHECK_INT(expect(&c, HISTORY_USER, 900001).value, 2);

	/* In the middle the open spans are there. */
	CHECK(history_seek(h, 2, 2000, &c));
	CHECK_INT(c.depth, 2);
	CHECK_INT(c.open[0].begin, 1000);
	CHECK_INT(c.open[1].id, opaque);
	expect(&c, HISTORY_COUNTER, 2000);
	CHECK(!history_seek(h, 1, 0, &c));
	CHECK(!history_seek(h, 4096, 0, &c));
	CHECK(!history_next(&c, UINT64_MAX, &e));
	history_destroy(h);
	history_destroy(NULL);
}

TEST(test_resume_drops_user_spans)
{
	struct history *h = history_create(0);
	struct feed f = {0};
	struct history_cursor c;
	struct history_event e;

	history_observer(h, &f.to);
	f.to.user_opened(h, 0, 100, 1);
	f.to.user_opened(h, 0, 300, 2);
	f.to.resumed(h, 250);
	f.to.user(h, 0, 400, 5, 0);
	f.to.user_closed(h, 0, 100, 500, 1);
	CHECK(history_seek(h, 0, 0, &c));
	expect(&c, HISTORY_USER_OPENED, 100);
	expect(&c, HISTORY_USER_OPENED, 300);
	CHECK_INT(expect(&c, HISTORY_RESUMED, 300).begin, 250);
	CHECK_INT(c.user_count, 1);
	expect(&c, HISTORY_USER, 400);
	/* Its begin was dropped, so it has none. */
	e = expect(&c, HISTORY_USER_CLOSED, 500);
	CHECK_INT(e.begin, 0);
	/* A resume in the future waits for the domain to come to it. */
	f.to.resumed(h, 1000);
	f.to.user_opened(h, 0, 600, 9);
	f.to.user(h, 0, 1000, 5, 0);
	expect(&c, HISTORY_USER_OPENED, 600);
	CHECK_INT(expect(&c, HISTORY_RESUMED, 1000).begin, 1000);
	CHECK_INT(c.user_count, 0);
	history_destroy(h);
}

/* Nor do the user spans that a resume drops stand at the beginning of a later block. */
TEST(test_resume_drops_user_spans_for_later_blocks)
{
	struct history *h = history_create(0);
	struct feed f = {0};
	struct history_cursor c;
	uint64_t ts = 400;

	history_observer(h, &f.to);
	f.to.user_opened(h, 0, 100, 1);
	f.to.user_opened(h, 0, 300, 2);
	f.to.resumed(h, 250);
	/* At least a byte each, so that a block begins after them. */
	for (unsigned i = 0; i < HISTORY_BLOCK; i++)
		f.to.user(h, 0, ts += 10, 5, 0);
	CHECK(history_seek(h, 0, ts, &c));
	CHECK(c.ts > 300);
	CHECK_INT(c.user_count, 1);
	CHECK_INT(c.users[0].id, 2);
	CHECK_INT(c.users[0].begin, 300);
	history_destroy(h);
}

/* What the random test remembers of an event. */
struct note {
	uint64_t ts;
	uint64_t begin;
	int64_t value;
	uint32_t id;
	uint8_t kind;
	uint8_t depth;	/* open spans before it */
	uint64_t stack; /* a hash of the open spans before it */
};

#define RANDOM_DOMAINS 5
#define RANDOM_EVENTS 400000

struct memory {
	struct note *notes[RANDOM_DOMAINS];
	size_t count[RANDOM_DOMAINS];
};

static uint64_t stack_hash(unsigned depth, uint64_t hash, uint64_t begin, uint32_t id)
{
	return (hash ^ begin ^ (uint64_t)id << 40 ^ depth) * 0x9e3779b97f4a7c15u;
}

static void remember(struct memory *m, const struct feed *f, unsigned d, struct note note)
{
	note.depth = (uint8_t)f->depth[d];
	note.stack = 0;
	for (unsigned i = 0; i < f->depth[d]; i++)
		note.stack = stack_hash(i, note.stack, f->open[d][i].begin, f->open[d][i].phase);
	m->notes[d][m->count[d]++] = note;
}

/* Make one random event of a domain and remember it. */
static void random_event(struct feed *f, struct memory *m, uint64_t *seed, unsigned d, uint64_t ts)
{
	uint64_t what = feed_below(seed, 100);
	struct note n = {.ts = ts};

	if (what < 40 && f->depth[d] < 50) {
		n.kind = HISTORY_OPENED;
		n.id = (uint32_t)feed_below(seed, 60);
		n.id = n.id < RTEV_PHASE_COUNT ? n.id : RTEV_OPAQUE + n.id;
		n.begin = ts;
		remember(m, f, d, n);
		feed_open(f, d, (rtev_phase)n.id, ts);
	} else if (what < 80 && f->depth[d] > 0) {
		const struct model_open_span *top = &f->open[d][f->depth[d] - 1];

		n.kind = HISTORY_CLOSED;
		n.id = top->phase;
		n.begin = top->begin;
		remember(m, f, d, n);
		feed_close(f, d, ts);
	} else if (what < 82 && f->depth[d] > 0) {
		unsigned depth = (unsigned)feed_below(seed, f->depth[d]);

		n.kind = HISTORY_DROPPED;
		n.ts = m->notes[d][m->count[d] - 1].ts;
		n.id = f->open[d][depth].phase;
		n.begin = f->open[d][depth].begin;
		n.value = depth;
		remember(m, f, d, n);
		feed_drop(f, d, depth);
	} else if (what < 92) {
		n.kind = HISTORY_COUNTER;
		n.id = (uint32_t)feed_below(seed, RTEV_COUNTER_COUNT);
		n.value = (int64_t)feed_random(seed) >> feed_below(seed, 64);
		remember(m, f, d, n);
		f->to.counter(f->to.ctx, d, ts, (rtev_counter)n.id, n.value);
	} else {
		n.kind = HISTORY_USER;
		n.id = (uint32_t)feed_below(seed, 40);
		n.value = (int64_t)feed_below(seed, 3) - 1;
		remember(m, f, d, n);
		f->to.user(f->to.ctx, d, ts, n.id, n.value);
	}
}

/* Check that reading a domain from ts on gives what was remembered, at most `limit` events of it. */
static void check_from(const struct history *h, const struct memory *m, unsigned d, uint64_t ts, size_t limit)
{
	struct history_cursor c;
	struct history_event e;
	uint64_t hash = 0;
	size_t i = 0;

	while (i < m->count[d] && (m->notes[d][i].ts < ts))
		i++;
	CHECK(history_seek(h, d, ts, &c));
	if (i < m->count[d]) {
		CHECK_INT(c.depth, m->notes[d][i].depth);
		for (unsigned k = 0; k < c.depth; k++)
			hash = stack_hash(k, hash, c.open[k].begin, c.open[k].id);
		CHECK(hash == m->notes[d][i].stack);
	}
	for (; i < m->count[d] && limit > 0; i++, limit--) {
		const struct note *n = &m->notes[d][i];

		CHECK(history_next(&c, UINT64_MAX, &e));
		CHECK_INT(e.kind, n->kind);
		CHECK_INT(e.ts, n->ts);
		CHECK_INT(e.id, n->id);
		if (e.kind == HISTORY_CLOSED || e.kind == HISTORY_DROPPED)
			CHECK_INT(e.begin, n->begin);
		if (e.kind == HISTORY_DROPPED)
			CHECK_INT(e.depth, n->value);
		if (e.kind == HISTORY_COUNTER || e.kind == HISTORY_USER)
			CHECK(e.value == n->value);
	}
	if (limit > 0)
		CHECK(!history_next(&c, UINT64_MAX, &e));
}

/* Distances and values at the edges of what each length holds, of records that are guessed and of others. */
TEST(test_edges)
{
	static const int64_t values[] = {0, 1, -1, INT64_MAX, INT64_MIN, 5, INT64_MIN + 1, INT64_MAX};
	struct history *h = history_create(0);
	uint64_t ts = 1000;
	struct feed f = {0};
	struct history_cursor c;
	unsigned n = 0;

	history_observer(h, &f.to);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned bits = 0; bits < 60; bits++) {
			for (unsigned k = 0; k < 4; k++) {
				ts += (UINT64_C(1) << bits) - (k == 1);
				f.to.counter(h, 0, ts, k == 3 ? RTEV_OPAQUE + 70 : 3, values[n++ % 8]);
			}
		}
	}
	CHECK(history_seek(h, 0, 0, &c));
	ts = 1000;
	n = 0;
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned bits = 0; bits < 60; bits++) {
			for (unsigned k = 0; k < 4; k++) {
				ts += (UINT64_C(1) << bits) - (k == 1);
				struct history_event e = expect(&c, HISTORY_COUNTER, ts);
				CHECK_INT(e.id, k == 3 ? RTEV_OPAQUE + 70 : 3);
				CHECK_INT(e.value, values[n++ % 8]);
			}
		}
	}
	history_destroy(h);
}

TEST(test_random_against_memory)
{
	static struct feed f;
	struct history *h = history_create(HISTORY_BUDGET_MIN);
	struct memory m = {0};
	uint64_t seed = 7, ts = 5 * SECOND;

	history_observer(h, &f.to);
	for (unsigned d = 0; d < RANDOM_DOMAINS; d++)
		m.notes[d] = calloc(RANDOM_EVENTS, sizeof(*m.notes[d]));
	for (unsigned i = 0; i < RANDOM_EVENTS; i++) {
		uint64_t pick = feed_below(&seed, 100);

		/* Domain 4 is nearly idle: its block must not keep the others from theirs. */
		ts += feed_below(&seed, 1u << feed_below(&seed, 16));
		random_event(&f, &m, &seed, pick == 0 ? 4 : (unsigned)(pick % 4), ts);
	}
	const struct history_range range = history_range(h);
	CHECK(!range.complete);
	CHECK_INT(range.to, ts);
	CHECK(range.from > 5 * SECOND);
	CHECK(range.from < ts);
	CHECK(range.bytes <= range.budget);
	CHECK_INT(range.untracked, 0);
	for (unsigned d = 0; d < RANDOM_DOMAINS; d++) {
		bool first;

		CHECK(history_domain_from(h, d, &first) < ts);
		CHECK(!first || d == 4);
		check_from(h, &m, d, range.from, SIZE_MAX);
		for (unsigned i = 0; i < 200; i++)
			check_from(h, &m, d, range.from + feed_below(&seed, ts - range.from + 10), 300);
		/* It begins at the very stamps of events, where several may stand, too. */
		for (unsigned i = 0; i < 200; i++) {
			const struct note *n = &m.notes[d][m.count[d] - 1 - feed_below(&seed, 500)];

			if (n->ts >= range.from)
				check_from(h, &m, d, n->ts, 100);
		}
		free(m.notes[d]);
	}
	history_destroy(h);
}

TEST(test_ends)
{
	static struct feed f;
	struct history *h = history_create(HISTORY_BUDGET_MIN);
	struct history_cursor c;
	uint64_t ends[4], ts = 1000;

	history_observer(h, &f.to);
	feed_open(&f, 0, RTEV_PHASE_EXPLICIT_GC_COMPACT, 100);
	feed_open(&f, 0, RTEV_PHASE_MAJOR, 200);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SLICE, 300);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_MARK, 400);
	feed_close(&f, 0, 500);
	/* Many blocks in which only deeper spans come and go: they are passed over. */
	for (unsigned i = 0; i < 20000; i++) {
		feed_open(&f, 0, RTEV_PHASE_MAJOR_SWEEP, ts += 10);
		feed_close(&f, 0, ts += 10);
	}
	CHECK(history_seek(h, 0, 450, &c));
	CHECK_INT(c.depth, 4);
	history_ends(&c, 4, ends);
	CHECK(ends[0] == HISTORY_OPEN && ends[1] == HISTORY_OPEN && ends[2] == HISTORY_OPEN);
	CHECK_INT(ends[3], 500);
	feed_drop(&f, 0, 2);
	feed_close(&f, 0, ts += 7);
	history_ends(&c, 4, ends);
	CHECK(ends[0] == HISTORY_OPEN);
	CHECK_INT(ends[1], ts);
	CHECK(ends[2] == HISTORY_CUT);
	CHECK_INT(ends[3], 500);
	CHECK_INT(c.depth, 4);
	feed_gap(&f, 0, ts, 1);
	history_ends(&c, 1, ends);
	CHECK(ends[0] == HISTORY_CUT);
	history_destroy(h);
}

TEST(test_slots)
{
	static struct feed f;
	struct history *h = history_create(0);
	struct history_column columns[4];
	uint64_t t = 10 * SECOND;

	history_observer(h, &f.to);
	/* 100 ms in the slot before 10.25 s, 30 ms behind; one of 5 ms that is no pause; then a loss. */
	feed_open(&f, 0, RTEV_PHASE_MAJOR, t + 150 * MS);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SLICE, t + 160 * MS);
	feed_close(&f, 0, t + 170 * MS);
	feed_close(&f, 0, t + 280 * MS);
	feed_open(&f, 0, RTEV_PHASE_DOMAIN_CONDITION_WAIT, t + 290 * MS);
	feed_close(&f, 0, t + 295 * MS);
	f.to.gap(h, 0, MODEL_NOTE_LOST, t + 295 * MS, 4467, 0);
	f.to.user(h, 0, t + 800 * MS, 0, 0);
	history_slots(h, 0, t, HISTORY_SLOT, 4, columns);
	CHECK_INT(columns[0].gc, 100 * MS);
	CHECK_INT(columns[0].events, 3);
	CHECK_INT(columns[0].pause_max, 0);
	CHECK_INT(columns[1].gc, 30 * MS);
	CHECK_INT(columns[1].pause_max, 130 * MS);
	CHECK_INT(columns[1].events, 3);
	CHECK_INT(columns[1].lost, 4467);
	CHECK(columns[2].known);
	CHECK_INT(columns[2].events, 0);
	CHECK_INT(columns[3].events, 1);
	/* Columns of two slots; the first two lie before the domain's begin. */
	history_slots(h, 0, t - SECOND, 2 * HISTORY_SLOT, 4, columns);
	CHECK(!columns[0].known && !columns[1].known);
	CHECK_INT(columns[2].gc, 130 * MS);
	CHECK_INT(columns[2].events, 6);
	CHECK_INT(columns[3].events, 1);
	/* They outlast the detail. */
	f.to.user(h, 0, t + 700 * SECOND, 0, 0);
	const struct history_range range = history_range(h);
	CHECK(range.slots_from > t + 99 * SECOND);
	history_slots(h, 0, t, HISTORY_SLOT, 4, columns);
	CHECK(!columns[0].known);
	history_slots(h, 0, t + 700 * SECOND, HISTORY_SLOT, 4, columns);
	CHECK_INT(columns[0].events, 1);
	CHECK(!columns[1].known);
	history_destroy(h);
}

TEST(test_stamps_that_go_back)
{
	static struct feed f;
	struct history *h = history_create(0);
	struct history_cursor c;
	struct history_event e;
	uint64_t t = 1000 * SECOND;

	history_observer(h, &f.to);
	f.to.user(h, 0, t, 1, 0);
	f.to.user(h, 0, t - 5, 2, 0);
	f.to.user(h, 0, t + 5, 3, 0);
	CHECK(history_seek(h, 0, 0, &c));
	expect(&c, HISTORY_USER, t);
	CHECK_INT(expect(&c, HISTORY_USER, t).id, 2);
	expect(&c, HISTORY_USER, t + 5);
	/* A stamp from nowhere is forgotten when the next ones are what they were. */
	f.to.user(h, 0, UINT64_MAX, 4, 0);
	f.to.user(h, 0, UINT64_MAX - 1, 4, 0);
	f.to.user(h, 0, t + 10, 5, 0);
	CHECK(!history_next(&c, UINT64_MAX, &e));
	CHECK(c.gone);
	CHECK(history_seek(h, 0, 0, &c));
	CHECK_INT(expect(&c, HISTORY_USER, t + 10).id, 5);
	CHECK(!history_next(&c, UINT64_MAX, &e));
	const struct history_range range = history_range(h);
	CHECK_INT(range.to, t + 10);
	history_destroy(h);
}

TEST(test_floods)
{
	struct history *h = history_create(HISTORY_BUDGET_MIN), *copy = NULL;
	struct model_observer to;
	struct history_cursor c;
	struct history_event e;
	struct model_span span = {.begin = 5, .end = 3, .depth = 9, .pause = true};
	uint64_t ts = 1000;

	history_observer(h, &to);
	/* Calls that make no sense. */
	to.opened(h, 4096, 0, ts, 0);
	to.opened(h, UINT32_MAX, 0, ts, 0);
	to.closed(h, 4095, &span);
	to.dropped(h, 77, 0, ts, 5);
	to.opened(h, 1, 0x3fff, ts, 12);
	to.gap(h, 3, MODEL_NOTE_CORRUPT, ts, UINT64_MAX, 0);
	/* Deeper than what is kept. */
	for (unsigned i = 0; i < 200; i++)
		to.opened(h, 2, RTEV_PHASE_MINOR, ++ts, i);
	for (unsigned i = 200; i-- > 0;) {
		span = (struct model_span){.begin = 1, .end = ++ts, .depth = i, .phase = RTEV_PHASE_MINOR};
		to.closed(h, 2, &span);
	}
	for (unsigned i = 0; i < 200; i++)
		to.user_opened(h, 2, ++ts, i);
	CHECK(history_seek(h, 2, 0, &c));
	while (history_next(&c, UINT64_MAX, &e))
		CHECK(c.depth <= HISTORY_DEPTH && c.user_count <= HISTORY_DEPTH);
	/* Each domain there can be, over and over, in a budget of some sixty blocks. */
	for (unsigned round = 0; round < 3; round++)
		for (unsigned d = 0; d < 4096; d++) {
			ts++;
			to.user(h, d, ts, 3, (int64_t)ts);
			if (d % 64 == 0) {
				history_destroy(copy);
				copy = history_copy(h);
				CHECK(copy != NULL);
			}
		}
	const struct history_range range = history_range(h);
	CHECK(range.to == ts);
	CHECK(range.untracked > 0);
	CHECK(history_seek(h, 4095, 0, &c));
	for (unsigned n = 0; history_next(&c, UINT64_MAX, &e); n++)
		CHECK(n < 10);
	history_destroy(copy);
	history_destroy(h);
}
