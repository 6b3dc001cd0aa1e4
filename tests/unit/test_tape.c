/*
 * test_tape.c - a tape played to another model makes it what the first one is: from the beginning in every figure, from
 * any later block in all that is open and in what ends after that.
 */
#include <stdlib.h>

#include "model/tape.h"
#include "unit/model_feed.h"

static uint64_t state = 88172645463325252u;

/* Below n. */
static unsigned pick(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % n);
}

/* Deliver one event of any kind; spans nest in depth up to a few. */
static void any_event(struct feed *f, unsigned domain, uint64_t ts)
{
	struct rtev_user_event e = user_event(pick(40), "name");
	const uint64_t buckets[RTEV_ALLOC_BUCKETS] = {1, UINT64_MAX, 3};
	uint8_t payload[600];

	e.name[0] = (char)('a' + e.id);
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)pick(256);
	switch (pick(12)) {
	case 0:
	case 1:
		f->cb.begin(f->m, domain, ts, (rtev_phase)(pick(20) == 0 ? RTEV_OPAQUE + pick(9) : pick(5)));
		break;
	case 2:
	case 3:
		f->cb.end(f->m, domain, ts, (rtev_phase)pick(5));
		break;
	case 4:
	case 5:
		f->cb.user_span(f->m, domain, ts, &e, pick(2) == 0);
		break;
	case 6:
		f->cb.counter(f->m, domain, ts, (rtev_counter)(pick(2) ? pick(8) : RTEV_OPAQUE + pick(9)),
		    (int64_t)state);
		break;
	case 7:
		f->cb.alloc(f->m, domain, ts, buckets);
		break;
	case 8:
		f->cb.user_custom(f->m, domain, ts, &e, payload, pick(sizeof(payload)));
		break;
	case 9:
		f->cb.user_int(f->m, domain, ts, &e, (int64_t)state);
		break;
	case 10:
		f->cb.user_unit(f->m, domain, ts, &e);
		break;
	default:
		if (pick(100) == 0)
			f->cb.lifecycle(f->m, domain, ts, RTEV_LIFECYCLE_RING_RESUME, 0);
		else if (pick(100) == 0)
			f->cb.lost(f->m, domain, 1 + pick(100), pick(40));
		else if (pick(200) == 0)
			f->cb.corrupt(f->m, domain, 1 + pick(100));
		else if (pick(200) == 0)
			f->cb.restart(f->m, domain);
		else if (pick(300) == 0)
			model_reattach(f->m);
		else
			f->cb.lifecycle(f->m, domain, ts, RTEV_LIFECYCLE_DOMAIN_SPAWN, 7);
	}
}

/* The same is open on a domain in both. */
static void expect_open(const struct model *a, const struct model *b, unsigned domain)
{
	const struct model_domain *x = model_domain(a, domain), *y = model_domain(b, domain);
	struct model_open_user users[2][256];

	if (x == NULL || x->open == 0) {
		CHECK(y == NULL || y->open == 0);
		return;
	}
	CHECK(y != NULL);
	CHECK_INT(y->depth, x->depth);
	for (unsigned i = 0; i < x->depth; i++) {
		CHECK_INT(y->stack[i].phase, x->stack[i].phase);
		CHECK_INT(y->stack[i].begin, x->stack[i].begin);
	}
	size_t count = model_users_open(a, domain, users[0], 256);
	CHECK_INT(model_users_open(b, domain, users[1], 256), count);
	for (size_t i = 0; i < count; i++)
		CHECK_INT(users[1][i].begin, users[0][i].begin);
}

static void count_begin(void *ctx)
{
	++*(unsigned *)ctx;
}

/* Play all that is on a tape to a new model. */
static struct model *play(const struct tape *t, uint64_t from, uint64_t until)
{
	unsigned begun = 0;
	struct tape_player p = {.tape = t,
	    .to = model_create(NULL),
	    .from = from,
	    .until = until,
	    .begin = count_begin,
	    .ctx = &begun};

	CHECK(p.to != NULL);
	CHECK(tape_player_init(&p));
	while (tape_play(&p, tape_end(t)))
		continue;
	CHECK_INT(begun, 1);
	CHECK_INT(p.place.serial, tape_end(t).serial);
	CHECK_INT(p.place.at, tape_end(t).at);
	tape_player_fini(&p);
	CHECK_INT(model_status(p.to), RTEV_OK);
	return p.to;
}

/* The figures of all phases are the same in both. */
static void expect_phases(const struct model *a, const struct model *b)
{
	for (unsigned i = 0; i < RTEV_PHASE_COUNT; i++) {
		struct model_phase x, y;
		model_phase_total(a, (rtev_phase)i, &x);
		model_phase_total(b, (rtev_phase)i, &y);
		CHECK_INT(y.count, x.count);
		CHECK_INT(y.total, x.total);
		CHECK_INT(y.self, x.self);
		CHECK_INT(y.max, x.max);
	}
}

/* From the beginning: spans, counters, user events with their payloads, losses. */
static void from_the_beginning(void)
{
	struct feed f = feed_open(0);
	struct tape *t = tape_create(f.m);
	uint64_t ts = 1000;

	CHECK(t != NULL);
	for (unsigned n = 0; n < 200000; n++)
		any_event(&f, pick(6), ts += pick(300));
	CHECK(tape_end(t).serial > 10);
	struct model *copy = play(t, 0, UINT64_MAX);
	struct model_totals x, y;
	model_totals(f.m, &x);
	model_totals(copy, &y);
	CHECK_INT(y.lost_words, x.lost_words);
	CHECK_INT(y.history_lost_words, x.history_lost_words);
	CHECK_INT(y.corrupt_words, x.corrupt_words);
	CHECK_INT(y.restarts, x.restarts);
	CHECK_INT(y.gc_ns, x.gc_ns);
	CHECK_INT(y.alloc_events, x.alloc_events);
	CHECK_INT(y.last_ts, x.last_ts);
	CHECK_INT(model_pauses(copy)->count, model_pauses(f.m)->count);
	CHECK_INT(model_notes(copy), model_notes(f.m));
	expect_phases(f.m, copy);
	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		struct model_counter u, v;
		model_counter_total(f.m, (rtev_counter)c, &u);
		model_counter_total(copy, (rtev_counter)c, &v);
		CHECK_INT(v.count, u.count);
		CHECK_INT(v.sum, u.sum);
	}
	struct feed g = {.m = copy};
	for (size_t s = 0; s < model_user_slots(f.m); s++) {
		const struct model_user_slot *slot = model_user_slot(f.m, s);
		for (unsigned d = 0; d < 6; d++) {
			const struct model_user *u = model_user(f.m, d, s);
			if (u == NULL || (u->count == 0 && u->open == 0))
				continue;
			const struct model_user *v = user(&g, d, slot->name, slot->kind);
			CHECK_INT(v->count, u->count);
			CHECK_INT(v->last, u->last);
			CHECK_INT(v->spans.sum, u->spans.sum);
			CHECK_INT(v->len, u->len);
			CHECK_INT(v->kept, u->kept);
			CHECK(u->kept == 0 || memcmp(u->data, v->data, u->kept) == 0);
		}
	}
	for (unsigned d = 0; d < 6; d++)
		expect_open(f.m, copy, d);
	model_destroy(copy);
	tape_destroy(t);
	feed_close(&f);
}

/* From where older blocks were given up, resets and all: what is open is the same, with its begins. */
static void from_any_block(void)
{
	struct feed f = feed_open(1);
	struct tape *t = tape_create(f.m);
	uint64_t ts = 1000;

	for (unsigned round = 0; round < 60; round++) {
		for (unsigned n = 0; n < 8000; n++) {
			any_event(&f, pick(6), ts += pick(300));
			if (pick(3000) == 0)
				model_reset(f.m);
		}
		tape_trim(t, 0, 5 * (size_t)TAPE_BLOCK, UINT64_MAX);
		CHECK(tape_bytes(t) <= 6 * (size_t)TAPE_BLOCK + 65536);
		struct model *copy = play(t, 0, UINT64_MAX);
		model_finish(f.m);
		model_finish(copy);
		for (unsigned d = 0; d < 6; d++)
			expect_open(f.m, copy, d);
		model_destroy(copy);
	}
	CHECK(tape_whole(t));
	tape_destroy(t);
	feed_close(&f);
}

/* What is kept, what is not, and what is left out at the end. */
static void bounds(void)
{
	struct feed f = feed_open(1);
	struct tape *t = tape_create(f.m);
	uint64_t ts = 1000;

	begin(&f, 3, 1000, MAJOR);
	for (unsigned n = 0; n < 400000; n++)
		f.cb.counter(f.m, 3, ts += 1000, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)n);
	uint64_t last = tape_end(t).serial;
	CHECK(last > 20);
	tape_trim(t, 0, SIZE_MAX, UINT64_MAX);
	struct model *copy = play(t, ts - 5000000, ts - 1000000);
	/* it has the open span from before, at least 5 ms, and not the last one */
	const struct model_domain *d = model_domain(copy, 3);
	CHECK_INT(d->depth, 1);
	CHECK_INT(d->stack[0].begin, 1000);
	CHECK_INT(d->last_ts, ts - 1000000);
	CHECK(d->counters[RTEV_COUNTER_MINOR_PROMOTED].count >= 4001);
	CHECK(d->counters[RTEV_COUNTER_MINOR_PROMOTED].count < 60000);
	model_destroy(copy);
	/* a block that is being read stays, and so does what is not old */
	tape_trim(t, 0, 0, 5);
	CHECK(tape_bytes(t) > (last - 5) * TAPE_BLOCK);
	tape_trim(t, ts - 200000000, SIZE_MAX, UINT64_MAX);
	copy = play(t, ts - 200000000, UINT64_MAX);
	CHECK(model_domain(copy, 3)->counters[RTEV_COUNTER_MINOR_PROMOTED].count >= 200000);
	model_destroy(copy);
	tape_trim(t, UINT64_MAX, 0, UINT64_MAX);
	CHECK(tape_bytes(t) < 2 * TAPE_BLOCK);
	tape_destroy(t);
	tape_destroy(NULL);
	feed_close(&f);
}

int main(void)
{
	RUN(from_the_beginning);
	RUN(from_any_block);
	RUN(bounds);
	return 0;
}
