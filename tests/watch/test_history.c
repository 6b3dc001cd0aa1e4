/*
 * test_history.c - the history against lists that remember all: what goes in comes out, from any place, and what was
 * open at any moment is known.
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

static struct feed f;

/* Begin to feed a history. */
static struct history *history_fed(size_t budget)
{
	memset(&f, 0, sizeof(f));
	struct history *h = history_create(&f.paths, budget);

	feed_history(h, &f.to);
	return h;
}

/* Read the next record and check its kind and stamp. */
static struct history_record expect(struct history_cursor *c, enum history_kind kind, uint64_t ts)
{
	struct history_record r;

	CHECK(history_next(c, UINT64_MAX, &r));
	CHECK_INT(r.kind, kind);
	CHECK_INT(r.ts, ts);
	return r;
}

/* What was open on a domain that is fed. */
static struct history_standing standing(const struct history *h, unsigned domain, uint64_t ts)
{
	struct history_standing s;

	const struct history_present now = feed_present(&f, domain);

	history_at(h, domain, ts, &now, &s);
	return s;
}

TEST(test_every_kind)
{
	struct history *h = history_fed(HISTORY_BUDGET_MIN);
	struct history_cursor c;
	struct history_record r;
	rtev_phase opaque = RTEV_OPAQUE + 57;

	feed_open(&f, 2, RTEV_PHASE_MAJOR, 1000);
	feed_open(&f, 2, opaque, 1001);
	f.to.counter(h, 2, 1001, RTEV_COUNTER_MINOR_PROMOTED, -5);
	feed_close(&f, 2, 2003);
	feed_close(&f, 2, 2004);
	f.to.lifecycle(h, 2, 3000, RTEV_LIFECYCLE_RING_START, 4242);
	feed_user(&f.to, 2, 3001, 7, 0);
	feed_user_begin(&f, 2, 4000, 3);
	feed_user_begin(&f, 2, 4001, 31000);
	feed_user_begin(&f, 2, 4002, 3);
	feed_user_end(&f, 2, 4002, 4003, 3);
	feed_user_end(&f, 2, 4001, 4004, 31000);
	feed_open(&f, 2, RTEV_PHASE_MINOR, 5000);
	feed_users_drop(&f, 2, UINT64_MAX);
	feed_lost(&f.to, 2, MODEL_NOTE_LOST, 5000, 123456789);
	feed_drop(&f, 2, 0);
	f.to.gap(h, 2, &(struct model_gap){.what = MODEL_GAP_BEGAN, .kind = MODEL_NOTE_LOST, .from = 5500});
	f.to.counter(h, 2, 900000, RTEV_COUNTER_MINOR_PROMOTED, 1);

	CHECK(history_seek(h, 2, 0, &c));
	r = expect(&c, HISTORY_SPAN, 2003);
	CHECK_INT(r.id, opaque);
	CHECK_INT(r.begin, 1001);
	CHECK_INT(r.depth, 1);
	CHECK(!r.pause);
	r = expect(&c, HISTORY_SPAN, 2004);
	CHECK_INT(r.id, RTEV_PHASE_MAJOR);
	CHECK_INT(r.begin, 1000);
	CHECK_INT(r.depth, 0);
	CHECK(r.pause);
	CHECK_INT(expect(&c, HISTORY_LIFECYCLE, 3000).id, RTEV_LIFECYCLE_RING_START);
	expect(&c, HISTORY_USER, 3001);
	r = expect(&c, HISTORY_USER_SPAN, 4003);
	CHECK_INT(r.id, 3);
	CHECK_INT(r.begin, 4002);
	r = expect(&c, HISTORY_USER_SPAN, 4004);
	CHECK_INT(r.id, 31000);
	CHECK_INT(r.begin, 4001);
	r = expect(&c, HISTORY_USER_CUT, 5000);
	CHECK_INT(r.id, 3);
	CHECK_INT(r.begin, 4000);
	r = expect(&c, HISTORY_GAP, 5000);
	CHECK_INT(r.id, MODEL_NOTE_LOST);
	CHECK_INT(r.value, 123456789);
	r = expect(&c, HISTORY_DROPPED, 5000);
	CHECK(r.depth == 0 && r.begin == 5000);
	CHECK_INT(expect(&c, HISTORY_GAP, 5500).value, 0);
	expect(&c, HISTORY_SEEN, 900000);
	CHECK(!history_next(&c, UINT64_MAX, &r));
	CHECK(!c.gone);
	CHECK_INT(history_domain_to(h, 2), 900000);

	/* A reader at the end goes on when more has come. */
	feed_user(&f.to, 2, 900001, 1, 2);
	CHECK(!history_next(&c, 900001, &r));
	expect(&c, HISTORY_USER, 900001);

	/* Dropped spans are left out, dropped user spans are not. */
	struct history_standing s = standing(h, 2, 4003);
	CHECK_INT(s.depth, 0);
	CHECK_INT(s.user_count, 3);
	CHECK(s.users[0].id == 3 && s.users[0].end == HISTORY_CUT);
	CHECK(s.users[1].id == 31000 && s.users[1].end == 4004);
	CHECK(s.users[2].id == 3 && s.users[2].begin == 4002 && s.users[2].end == 4003);
	s = standing(h, 2, 1002);
	CHECK_INT(s.depth, 2);
	CHECK(s.open[0].begin == 1000 && s.open[0].end == 2004 && s.open[0].id == RTEV_PHASE_MAJOR);
	CHECK(s.open[1].begin == 1001 && s.open[1].end == 2003 && s.open[1].id == opaque);
	CHECK_INT(s.dropped, 0);
	s = standing(h, 2, 5001);
	CHECK_INT(s.depth, 0);

	CHECK(!history_seek(h, 1, 0, &c));
	CHECK(!history_seek(h, 4096, 0, &c));
	CHECK(!history_next(&c, UINT64_MAX, &r));
	history_destroy(h);
	history_destroy(NULL);
}

/* The waiting inside a pause, and spans whose phase is not that of their path or that are no pauses. */
TEST(test_what_is_told)
{
	struct history *h = history_fed(0);
	struct history_cursor c;
	struct history_record r;
	uint16_t outer = path_inside(&f.paths, 0, RTEV_PHASE_MINOR);
	struct model_span span = {.begin = 10, .end = 20, .depth = 1, .phase = RTEV_PHASE_STW_API_BARRIER};

	span.path = path_inside(&f.paths, outer, span.phase);
	span.waited = 7;
	f.to.closed(h, 0, &span);
	f.to.closed(h, 0,
	    &(struct model_span){
		.begin = 5, .end = 30, .waited = 2, .phase = RTEV_PHASE_MINOR, .path = outer, .pause = true});
	/* What was dropped had waited in no pause that ended. */
	span.begin = 40;
	span.end = 50;
	f.to.closed(h, 0, &span);
	f.to.dropped(h, 0, RTEV_PHASE_MINOR, 35, 0);
	f.to.closed(h, 0,
	    &(struct model_span){
		.begin = 60, .end = 70, .phase = RTEV_PHASE_MINOR, .path = outer, .pause = true});
	/* Inside of what was dropped. */
	f.to.closed(
	    h, 0, &(struct model_span){.begin = 80, .end = 90, .phase = RTEV_PHASE_MINOR, .path = outer});
	f.to.closed(h, 0,
	    &(struct model_span){
		.begin = 81, .end = 91, .depth = 3, .phase = RTEV_PHASE_MAJOR, .path = PATH_NONE});
	CHECK(history_seek(h, 0, 0, &c));
	r = expect(&c, HISTORY_SPAN, 20);
	CHECK_INT(r.path, span.path);
	r = expect(&c, HISTORY_SPAN, 30);
	CHECK(r.pause);
	CHECK_INT(r.value, 9);
	expect(&c, HISTORY_SPAN, 50);
	expect(&c, HISTORY_DROPPED, 50);
	r = expect(&c, HISTORY_SPAN, 70);
	CHECK(r.pause);
	CHECK_INT(r.value, 0);
	r = expect(&c, HISTORY_SPAN, 90);
	CHECK(!r.pause);
	CHECK_INT(r.depth, 0);
	r = expect(&c, HISTORY_SPAN, 91);
	CHECK_INT(r.depth, 3);
	CHECK_INT(r.id, RTEV_PHASE_MAJOR);
	CHECK_INT(r.path, PATH_NONE);
	history_destroy(h);
}

TEST(test_resume_drops_user_spans)
{
	struct history *h = history_fed(0);
	struct history_cursor c;
	struct history_standing s;

	feed_user_begin(&f, 0, 100, 1);
	feed_user_begin(&f, 0, 300, 2);
	f.to.turned(h, MODEL_RESUMED, 250);
	feed_users_drop(&f, 0, 250);
	feed_user(&f.to, 0, 400, 5, 0);
	CHECK(history_seek(h, 0, 0, &c));
	CHECK_INT(expect(&c, HISTORY_USER_CUT, 300).begin, 100);
	expect(&c, HISTORY_USER, 400);
	s = standing(h, 0, 600);
	CHECK_INT(s.user_count, 1);
	CHECK(s.users[0].id == 2 && s.users[0].end == HISTORY_OPEN);
	f.to.turned(h, MODEL_RESUMED, 1000);
	feed_user_begin(&f, 0, 600, 9);
	feed_user(&f.to, 0, 800, 5, 0);
	CHECK_INT(standing(h, 0, 700).user_count, 2);
	feed_users_drop(&f, 0, 1000);
	feed_user(&f.to, 0, 1000, 5, 0);
	CHECK_INT(standing(h, 0, 1001).user_count, 0);
	CHECK_INT(standing(h, 0, 700).user_count, 2);
	CHECK_INT(history_resume(h), 1000);
	history_destroy(h);
}

/* What the random tests remember: a record that must be there, in order, and all spans and user spans. */
struct note {
	uint64_t ts, begin;
	uint32_t id;
	uint8_t kind, depth;
	bool cut; /* a span that was dropped */
};

#define RANDOM_DOMAINS 5
#define RANDOM_EVENTS 400000

struct memory {
	struct note *notes[RANDOM_DOMAINS];
	size_t count[RANDOM_DOMAINS];
	uint64_t last[RANDOM_DOMAINS];
};

static void remember(struct memory *m, unsigned d, struct note note)
{
	m->notes[d][m->count[d]++] = note;
}

/* Make one random event of a domain and remember it. */
static void random_event(struct memory *m, uint64_t *seed, unsigned d, uint64_t ts)
{
	uint64_t what = feed_below(seed, 100);

	if (what < 44 && f.depth[d] < 50) {
		uint32_t id = (uint32_t)feed_below(seed, 60);
		feed_open(&f, d, (rtev_phase)(id < RTEV_PHASE_COUNT ? id : RTEV_OPAQUE + id), ts);
	} else if (what < 86 && f.depth[d] > 0) {
		unsigned depth = f.depth[d] - 1;
		const struct model_open_span *top = &f.open[d][depth];
		remember(
		    m, d, (struct note){ts, top->begin, top->phase, HISTORY_SPAN, (uint8_t)depth, false});
		feed_close(&f, d, ts);
	} else if (what < 88 && f.depth[d] > 0) {
		/* From the outermost on, as by a resume, or the innermost. */
		unsigned depth = feed_below(seed, 2) == 0 ? 0 : f.depth[d] - 1;
		remember(m, d,
		    (struct note){
			m->last[d], f.open[d][depth].begin, depth, HISTORY_DROPPED, (uint8_t)depth, true});
		feed_drop(&f, d, depth);
		return;
	} else if (what < 96) {
		f.to.counter(f.to.ctx, d, ts, RTEV_COUNTER_MINOR_PROMOTED, 1);
	} else {
		remember(m, d, (struct note){.ts = ts, .begin = ts, .kind = HISTORY_USER});
		feed_user(&f.to, d, ts, 1, 0);
	}
	m->last[d] = ts;
}

/* Check that reading a domain from ts on gives what was remembered, at most `limit` records of it. */
static void check_from(const struct history *h, const struct memory *m, unsigned d, uint64_t ts, size_t limit)
{
	struct history_cursor c;
	struct history_record r;
	size_t i = 0;

	while (i < m->count[d] && m->notes[d][i].ts < ts)
		i++;
	CHECK(history_seek(h, d, ts, &c));
	for (; i < m->count[d] && limit > 0; i++, limit--) {
		const struct note *n = &m->notes[d][i];

		CHECK(history_next(&c, UINT64_MAX, &r));
		CHECK_INT(r.kind, n->kind);
		CHECK_INT(r.ts, n->ts);
		CHECK_INT(r.id, n->id);
		CHECK_INT(r.depth, n->depth);
		CHECK_INT(r.begin, n->begin);
	}
	if (limit > 0)
		CHECK(!history_next(&c, UINT64_MAX, &r));
}

/* Check what was open at a moment against a look at all that was remembered and all that is open. */
static void check_at(const struct history *h, const struct memory *m, unsigned d, uint64_t ts)
{
	struct history_standing s = standing(h, d, ts);
	unsigned found = 0;

	while (found < s.depth && s.open[found].end == HISTORY_OPEN) {
		CHECK_INT(s.open[found].begin, f.open[d][found].begin);
		found++;
	}
	CHECK(found == f.depth[d] || f.open[d][found].begin >= ts);
	for (size_t i = m->count[d]; i-- > 0 && m->notes[d][i].ts >= ts;) {
		const struct note *n = &m->notes[d][i];
		if (n->kind != HISTORY_SPAN || n->begin >= ts)
			continue;
		CHECK(found < s.depth);
		CHECK_INT(s.open[found].begin, n->begin);
		CHECK_INT(s.open[found].end, n->ts);
		CHECK_INT(s.open[found].id, n->id);
		found++;
	}
	CHECK_INT(found, s.depth);
}

TEST(test_random_against_memory)
{
	struct history *h = history_fed(HISTORY_BUDGET_MIN);
	struct memory m = {0};
	uint64_t seed = 7, ts = 5 * SECOND;

	for (unsigned d = 0; d < RANDOM_DOMAINS; d++)
		m.notes[d] = calloc(RANDOM_EVENTS, sizeof(*m.notes[d]));
	for (unsigned i = 0; i < RANDOM_EVENTS; i++) {
		uint64_t pick = feed_below(&seed, 100);

		/* Domain 4 is nearly idle: its block must not keep the others from theirs. */
		ts += feed_below(&seed, 1u << feed_below(&seed, feed_below(&seed, 1000) == 0 ? 30 : 16));
		random_event(&m, &seed, pick == 0 ? 4 : (unsigned)(pick % 4), ts);
	}
	const struct history_range range = history_range(h);
	CHECK(!range.complete);
	CHECK(range.to <= ts && range.to > ts - SECOND);
	CHECK(range.from > 5 * SECOND);
	CHECK(range.from < ts);
	CHECK(range.bytes <= range.budget);
	CHECK_INT(range.untracked, 0);
	for (unsigned d = 0; d < RANDOM_DOMAINS; d++) {
		bool first;

		CHECK(history_domain_from(h, d, &first) < ts);
		CHECK(!first || d == 4);
		check_from(h, &m, d, range.from, SIZE_MAX);
		for (unsigned i = 0; i < 200; i++) {
			check_from(h, &m, d, range.from + feed_below(&seed, ts - range.from + 10), 300);
			check_at(h, &m, d, range.from + feed_below(&seed, ts - range.from + 10));
		}
		/* It begins at the very stamps of records, where several may stand, too. */
		for (unsigned i = 0; i < 200; i++) {
			const struct note *n = &m.notes[d][m.count[d] - 1 - feed_below(&seed, 500)];

			if (n->ts < range.from)
				continue;
			check_from(h, &m, d, n->ts, 100);
			check_at(h, &m, d, n->ts + feed_below(&seed, 2));
		}
		free(m.notes[d]);
	}
	history_destroy(h);
}

/* Distances and durations at the edges of what each length holds. */
TEST(test_edges)
{
	struct history *h = history_fed(0);
	struct history_cursor c;

	for (unsigned turn = 0; turn < 2; turn++) {
		uint64_t ts = 1000;
		CHECK(turn == 0 || history_seek(h, 0, 0, &c));
		for (unsigned bits = 0; bits < 62; bits++)
			for (unsigned k = 0; k < 3; k++) {
				uint64_t begin = ts;
				ts += (UINT64_C(1) << bits) - (k == 1);
				if (turn == 1) {
					CHECK_INT(expect(&c, HISTORY_SPAN, ts).begin, begin);
					continue;
				}
				feed_open(&f, 0, k == 2 ? RTEV_OPAQUE + 70 : RTEV_PHASE_MINOR, begin);
				feed_close(&f, 0, ts);
			}
	}
	history_destroy(h);
}

/* What is open over many blocks is found, and those in which only deeper spans come and go are passed over. */
TEST(test_long_spans)
{
	struct history *h = history_fed(HISTORY_BUDGET_MIN);
	struct history_standing s;
	uint64_t ts = 1000;

	feed_open(&f, 0, RTEV_PHASE_EXPLICIT_GC_COMPACT, 100);
	feed_user_begin(&f, 0, 150, 9);
	feed_open(&f, 0, RTEV_PHASE_MAJOR, 200);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SLICE, 300);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_MARK, 400);
	feed_close(&f, 0, 500);
	for (unsigned i = 0; i < 20000; i++) {
		feed_open(&f, 0, RTEV_PHASE_MAJOR_SWEEP, ts += 10);
		feed_close(&f, 0, ts += 10);
	}
	s = standing(h, 0, 450);
	CHECK_INT(s.depth, 4);
	CHECK(s.open[0].end == HISTORY_OPEN && s.open[2].end == HISTORY_OPEN && s.open[3].end == 500);
	feed_drop(&f, 0, 2);
	feed_close(&f, 0, ts += 7);
	feed_user_end(&f, 0, 150, ts + 1, 9);
	s = standing(h, 0, 450);
	CHECK_INT(s.depth, 3);
	CHECK(s.open[0].end == HISTORY_OPEN && s.open[1].end == ts && s.open[2].end == 500);
	CHECK(s.user_count == 1 && s.users[0].end == ts + 1);
	feed_close(&f, 0, ts += 7);
	s = standing(h, 0, 450);
	CHECK(s.depth == 3 && s.open[0].end == ts && s.open[0].begin == 100);
	history_destroy(h);
}

TEST(test_slots)
{
	struct history *h = history_fed(0);
	struct history_column columns[4];
	uint64_t t = 10 * SECOND;
	struct pauses pause = {.count = 1, .list = {{.begin = t + 150 * MS, .end = t + 280 * MS}}};

	/* 100 ms in the slot before 10.25 s, 30 ms behind; one of 5 ms that is no pause; then a loss. */
	feed_open(&f, 0, RTEV_PHASE_MAJOR, t + 150 * MS);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SLICE, t + 160 * MS);
	feed_close(&f, 0, t + 170 * MS);
	feed_close(&f, 0, t + 280 * MS);
	pauses_sum(&pause);
	history_pauses(h, &pause);
	feed_open(&f, 0, RTEV_PHASE_DOMAIN_CONDITION_WAIT, t + 290 * MS);
	feed_close(&f, 0, t + 295 * MS);
	feed_lost(&f.to, 0, MODEL_NOTE_LOST, t + 295 * MS, 4467);
	feed_user(&f.to, 0, t + 800 * MS, 0, 0);
	history_slots(h, 0, t, HISTORY_SLOT, 4, columns);
	CHECK_INT(columns[0].gc, 100 * MS);
	CHECK_INT(columns[0].pause_max, 0);
	CHECK_INT(columns[1].gc, 30 * MS);
	CHECK_INT(columns[1].pause_max, 130 * MS);
	CHECK_INT(columns[1].lost, 4467);
	CHECK(columns[2].known && columns[3].known);
	/* Columns of two slots; the first two lie before the domain's begin. */
	history_slots(h, 0, t - SECOND, 2 * HISTORY_SLOT, 4, columns);
	CHECK(!columns[0].known && !columns[1].known);
	CHECK_INT(columns[2].gc, 130 * MS);
	CHECK(columns[3].known);
	/* They outlast the detail. */
	feed_user(&f.to, 0, t + 700 * SECOND, 0, 0);
	const struct history_range range = history_range(h);
	CHECK(range.slots_from > t + 99 * SECOND);
	history_slots(h, 0, t, HISTORY_SLOT, 4, columns);
	CHECK(!columns[0].known);
	history_slots(h, 0, t + 700 * SECOND, HISTORY_SLOT, 4, columns);
	CHECK(columns[0].known && !columns[1].known);
	history_destroy(h);
}

TEST(test_stamps_that_go_back)
{
	struct history *h = history_fed(0);
	struct history_cursor c;
	struct history_record r;
	uint64_t t = 1000 * SECOND;

	feed_user(&f.to, 0, t, 1, 0);
	feed_user(&f.to, 0, t - 5, 2, 0);
	feed_user(&f.to, 0, t + 5, 3, 0);
	CHECK(history_seek(h, 0, 0, &c));
	expect(&c, HISTORY_USER, t);
	expect(&c, HISTORY_USER, t);
	expect(&c, HISTORY_USER, t + 5);
	/* What began before the stamps went back counts from there. */
	feed_open(&f, 0, RTEV_PHASE_MINOR, t - 10);
	feed_close(&f, 0, t + 8);
	CHECK_INT(expect(&c, HISTORY_SPAN, t + 8).begin, t + 5);
	feed_open(&f, 0, RTEV_PHASE_MINOR, t - 10);
	feed_close(&f, 0, t - 8);
	CHECK_INT(expect(&c, HISTORY_SPAN, t + 8).begin, t + 8);
	/* A stamp from nowhere is forgotten when the next ones are what they were. */
	feed_user(&f.to, 0, UINT64_MAX, 4, 0);
	feed_user(&f.to, 0, UINT64_MAX - 1, 4, 0);
	feed_user(&f.to, 0, t + 10, 5, 0);
	CHECK(!history_next(&c, UINT64_MAX, &r));
	CHECK(c.gone);
	CHECK(history_seek(h, 0, 0, &c));
	expect(&c, HISTORY_USER, t + 10);
	CHECK(!history_next(&c, UINT64_MAX, &r));
	const struct history_range range = history_range(h);
	CHECK_INT(range.to, t + 10);
	history_destroy(h);
}

TEST(test_floods)
{
	struct history *h = history_fed(HISTORY_BUDGET_MIN), *copy = NULL;
	const struct model_observer to = f.to;
	struct history_cursor c;
	struct history_record r;
	struct history_standing s;
	struct model_span span = {.begin = 5, .end = 3, .depth = 9, .pause = true};
	uint64_t ts = 1000;

	/* Calls that make no sense. */
	to.opened(h, 4096, 0, ts, 0);
	to.opened(h, UINT32_MAX, 0, ts, 0);
	to.closed(h, 4095, &span);
	to.dropped(h, 77, 0, ts, 5);
	to.opened(h, 1, 0x3fff, ts, 12);
	feed_lost(&to, 3, MODEL_NOTE_CORRUPT, ts, UINT64_MAX);
	/* Deeper than what is kept. */
	for (unsigned i = 0; i < 200; i++)
		to.opened(h, 2, RTEV_PHASE_MINOR, ++ts, i);
	for (unsigned i = 200; i-- > 0;) {
		span = (struct model_span){
		    .begin = 1, .end = ++ts, .depth = i, .phase = RTEV_PHASE_MINOR, .path = PATH_NONE};
		to.closed(h, 2, &span);
	}
	CHECK_INT(history_range(h).untracked, 200 - HISTORY_DEPTH + 2);
	for (unsigned i = 0; i < 200; i++)
		feed_user_opened(&to, 2, ++ts, i);
	CHECK(history_seek(h, 2, 0, &c));
	while (history_next(&c, UINT64_MAX, &r))
		CHECK(r.depth < HISTORY_DEPTH);
	struct history_present now = {.user_count = HISTORY_DEPTH};
	for (unsigned i = 0; i < HISTORY_DEPTH; i++)
		now.users[i].begin = ts - HISTORY_DEPTH + 1 + i;
	history_at(h, 2, ts, &now, &s);
	CHECK_INT(s.user_count, HISTORY_DEPTH - 1);
	now.user_count = 0;
	history_at(h, 2, 100, &now, &s);
	CHECK_INT(s.depth, HISTORY_DEPTH);
	/* Each domain there can be, over and over, in a budget of some hundred blocks. */
	for (unsigned round = 0; round < 3; round++)
		for (unsigned d = 0; d < 4096; d++) {
			ts++;
			feed_user(&to, d, ts, 3, (int64_t)ts);
			if (d % 64 == 0) {
				history_destroy(copy);
				copy = history_copy(h, &f.paths);
				CHECK(copy != NULL);
			}
		}
	const struct history_range range = history_range(h);
	CHECK(range.to == ts);
	CHECK(history_seek(h, 4095, 0, &c));
	for (unsigned n = 0; history_next(&c, UINT64_MAX, &r); n++)
		CHECK(n < 10);
	history_destroy(copy);
	history_destroy(h);
}

/* A program with many paths, as one with a scheduler has them: its blocks have sums nevertheless. */
TEST(test_sums_of_many_paths)
{
	enum { PATHS = 100, SPANS = 20000 };
	static uint64_t sums[PATHS_MAX + 1], spans[PATHS_MAX + 1], inside[HISTORY_DEPTH + 1];
	struct history *h = history_fed(0);
	struct history_cursor c;
	struct history_record r;
	unsigned blocks = 0;

	for (uint64_t i = 0; i < SPANS; i++) {
		feed_open(&f, 0, RTEV_PHASE_MINOR, i * 1000);
		feed_open(&f, 0, (rtev_phase)(1000 + i % PATHS), i * 1000 + 100);
		feed_close(&f, 0, i * 1000 + 200);
		feed_close(&f, 0, i * 1000 + 300);
		feed_user(&f.to, 0, i * 1000 + 400, 0, 0);
	}
	CHECK(history_seek(h, 0, 0, &c));
	while (history_sums(&c, 0, UINT64_MAX, sums, inside))
		blocks++;
	CHECK(blocks > 10);
	CHECK(!history_next(&c, UINT64_MAX, &r));
	CHECK(history_seek(h, 0, 0, &c));
	while (history_next(&c, UINT64_MAX, &r))
		spans[r.path] += r.kind != HISTORY_SPAN ? 0 : r.depth == 0 ? 200 : 100;
	CHECK(memcmp(sums, spans, sizeof(sums)) == 0);
	history_destroy(h);
}
