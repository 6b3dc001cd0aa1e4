/*
 * test_store.c - a trail in memory played to another model makes it what the first one is: from the beginning
 * in every figure, from any later chunk in all that is open and in what ends after that.
 *
 * Streams are played in the order of their keys.  So what comes here without a stamp, or with an earlier one,
 * comes on the domain of the event before, where it has that event's key.
 */
#include <stdlib.h>

#include "record/trail.h"
#include "support/model_feed.h"
#include "support/same_model.h"
#include "trail/store.h"

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
static void any_event(struct feed *f, unsigned domain, unsigned before, uint64_t ts)
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
			f->cb.lost(f->m, before, 1 + pick(100), pick(40));
		else if (pick(200) == 0)
			f->cb.corrupt(f->m, before, 1 + pick(100));
		else if (pick(200) == 0)
			f->cb.restart(f->m, before);
		else if (pick(300) == 0) {
			model_reattach(f->m);
			f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MINOR_PROMOTED, 1);
		} else
			f->cb.lifecycle(f->m, domain, ts, RTEV_LIFECYCLE_DOMAIN_SPAWN, 7);
	}
}

/* A model's trail in a store. */
struct kept {
	struct trail_store *store;
	struct record_trail *trail;
};

static void on_blob(void *ctx, enum trail_blob blob, const void *data, size_t len)
{
	trail_store_put(ctx, blob, data, len);
}

/* With `start`, the trail starts at the first event, else at once. */
static struct kept kept_open_from(struct model *m, void (*start)(void *ctx))
{
	struct kept k = {.store = trail_store_create()};

	CHECK(k.store != NULL);
	k.trail = record_trail_create(
	    m, &(struct record_trail_calls){.ctx = k.store, .start = start, .blob = on_blob});
	CHECK(k.trail != NULL);
	return k;
}

static struct kept kept_open(struct model *m)
{
	return kept_open_from(m, NULL);
}

static void kept_close(struct kept *k)
{
	CHECK(record_trail_sound(k->trail) && trail_store_sound(k->store));
	record_trail_destroy(k->trail);
	trail_store_destroy(k->store);
}

/* Read a store from a stamp on. */
static struct trail *reading(const struct kept *k, uint64_t from)
{
	record_trail_flush(k->trail);
	struct trail *t = trail_store_open(k->store, from);
	CHECK(t != NULL);
	return t;
}

/* Play all that is in a store to a new model. */
static struct model *play(const struct kept *k, uint64_t from, uint64_t until)
{
	const struct trail_sink sink = record_trail_sink(model_create(NULL));
	struct trail *t = reading(k, from);
	struct trail_info info;

	trail_feed(t, &sink, until, UINT64_MAX);
	trail_info(t, &info);
	CHECK_INT(info.damaged, 0);
	if (until == UINT64_MAX)
		CHECK(trail_store_needed(t) == UINT64_MAX);
	trail_close(t);
	CHECK_INT(model_status(sink.ctx), RTEV_OK);
	return sink.ctx;
}

/* Deliver many events of all kinds; with `backward` the stamp of one in ten is earlier than the one
 * before. */
static uint64_t many_events(struct feed *f, unsigned count, bool backward, uint64_t ts)
{
	unsigned last = 0;

	for (unsigned n = 0; n < count; n++) {
		unsigned domain = pick(6);
		if (backward && pick(10) == 0) {
			f->cb.begin(f->m, last, ts - pick(3000), (rtev_phase)pick(5));
			f->cb.end(f->m, last, ts - pick(3000), (rtev_phase)pick(5));
			f->cb.counter(f->m, last, ts - pick(3000), RTEV_COUNTER_MINOR_PROMOTED, (int64_t)n);
		}
		ts += 1 + pick(300);
		any_event(f, domain, last, ts);
		if (model_domain(f->m, domain) != NULL && model_domain(f->m, domain)->last_ts == ts)
			last = domain;
	}
	return ts;
}

/* From the beginning it is the same in every figure. */
TEST(from_the_beginning)
{
	for (unsigned backward = 0; backward < 2; backward++) {
		struct feed f = feed_open(0);
		struct kept k = kept_open(f.m);

		many_events(&f, 200000, backward != 0, 1000000);
		CHECK(trail_store_bytes(k.store) > (size_t)10 * TRAIL_CHUNK);
		struct model *copy = play(&k, 0, UINT64_MAX);
		model_finish(f.m);
		model_finish(copy);
		expect_same(f.m, copy);
		model_destroy(copy);
		kept_close(&k);
		feed_close(&f);
	}
}

/* What has been read may go, and what has not stays whatever the budget, while more comes. */
TEST(trimmed_meanwhile)
{
	struct feed f = feed_open(0);
	struct kept k = kept_open(f.m);
	const struct trail_sink sink = record_trail_sink(model_create(NULL));
	uint64_t ts = many_events(&f, 200000, false, 1000000);

	struct trail *t = reading(&k, 0);
	struct model *same = play(&k, 0, UINT64_MAX);
	size_t bytes = trail_store_bytes(k.store);
	while (trail_feed(t, &sink, UINT64_MAX, 1 + pick(3000)) > 0) {
		ts = many_events(&f, pick(100), false, ts);
		trail_store_trim(k.store, UINT64_MAX, 0, trail_store_needed(t));
	}
	CHECK(trail_store_needed(t) == UINT64_MAX);
	CHECK(trail_store_bytes(k.store) < bytes / 4);
	trail_close(t);
	model_finish(same);
	model_finish(sink.ctx);
	expect_same(same, sink.ctx);
	model_destroy(same);
	model_destroy(sink.ctx);
	kept_close(&k);
	feed_close(&f);
}

/* What is left of spans that lost their other half counts as dropped in both. */
TEST(strays)
{
	struct feed f = feed_open(0);
	struct kept k = kept_open(f.m);
	const struct rtev_user_event e = user_event(3, "a");

	end(&f, 0, 10, MINOR);
	user_span(&f, 0, 20, &e, false);
	begin(&f, 0, 30, MAJOR);
	lost(&f, 0, 5, 0);
	end(&f, 0, 40, MAJOR);
	user_span(&f, 1, 45, &e, true);
	life(&f, 0, 50, RTEV_LIFECYCLE_RING_RESUME, 0);
	user_span(&f, 1, 60, &e, false);
	span(&f, 2, 70, 65, MAJOR);
	struct model *copy = play(&k, 0, UINT64_MAX);
	model_finish(f.m);
	model_finish(copy);
	const struct model_totals totals = model_totals(copy);
	CHECK_INT(totals.events, 9);
	CHECK_INT(totals.dropped, 7);
	expect_same(f.m, copy);
	model_destroy(copy);
	kept_close(&k);
	feed_close(&f);
}

/* From where older chunks were given up, resets and all: what is open is the same, with its begins. */
TEST(from_any_chunk)
{
	const size_t budget = 256 << 10;
	struct feed f = feed_open(1);
	struct kept k = kept_open(f.m);
	uint64_t ts = 1000;

	for (unsigned round = 0; round < 60; round++) {
		for (unsigned n = 0; n < 8; n++) {
			ts = many_events(&f, 1000, false, ts);
			if (pick(3) == 0)
				model_reset(f.m);
		}
		trail_store_trim(k.store, 0, budget, UINT64_MAX);
		CHECK(trail_store_bytes(k.store) <= budget);
		struct model *copy = play(&k, 0, UINT64_MAX);
		model_finish(f.m);
		model_finish(copy);
		for (unsigned d = 0; d < 6; d++)
			expect_open(f.m, copy, d);
		model_destroy(copy);
	}
	kept_close(&k);
	feed_close(&f);
}

/* What was open when a store was made, and on a domain that says nothing any more, is open in what is
 * played. */
TEST(open_and_silent)
{
	struct feed f = feed_open(1);
	const struct rtev_user_event e = user_event(3, "a");
	uint64_t ts = 5000;

	begin(&f, 2, 1000, MAJOR);
	user_span(&f, 2, 1500, &e, true);
	begin(&f, 2, 2000, MINOR);
	struct kept k = kept_open(f.m);
	begin(&f, 4, 3000, MAJOR);
	for (unsigned n = 0; n < 100000; n++)
		f.cb.counter(f.m, 3, ts += 1000, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)n);
	for (unsigned round = 0; round < 2; round++) {
		struct model *copy = play(&k, ts - 1000000, UINT64_MAX);
		for (unsigned d = 2; d < 5; d++)
			expect_open(f.m, copy, d);
		CHECK_INT(model_domain(copy, 2)->depth, 2);
		model_destroy(copy);
		trail_store_trim(k.store, UINT64_MAX, 0, UINT64_MAX);
		CHECK(trail_store_bytes(k.store) < 1000); /* the labels */
	}
	kept_close(&k);
	feed_close(&f);
}

/* What a cursor opened anew has to tell is not taken for what was open before. */
TEST(reattached)
{
	struct feed f = feed_open(1);
	struct kept k = kept_open(f.m);

	begin(&f, 1, 1000, MAJOR);
	record_trail_flush(k.trail);
	begin(&f, 2, 2000, MAJOR);
	model_reattach(f.m);
	/* domain 1's chunk was begun before, and its first event comes behind */
	begin(&f, 1, 3000, MINOR);
	begin(&f, 2, 4000, MINOR);
	for (uint64_t from = 0; from < 5000; from += 500) {
		struct model *copy = play(&k, from, UINT64_MAX);
		for (unsigned d = 1; d < 3; d++)
			expect_open(f.m, copy, d);
		CHECK_INT(model_domain(copy, 1)->stack[0].begin, 3000);
		model_destroy(copy);
	}
	kept_close(&k);
	feed_close(&f);
}

/* What came out of early_notes. */
struct early {
	uint64_t notes, last, late;
};

static void on_start(void *ctx)
{
}

static void on_early(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct early *e = ctx;

	CHECK_INT(kind, TRAIL_NOTE_SYSTEM);
	CHECK_INT(len, 1000);
	CHECK_INT(((const uint8_t *)data)[0], (uint8_t)ts);
	CHECK_INT(((const uint8_t *)data)[999], (uint8_t)ts);
	e->late += ts > 5000;
	e->last = ts > 5000 ? e->last : ts;
	e->notes++;
}

/* Of a target that is silent for long, the first notes are kept, and no more than there is room for. */
TEST(early_notes)
{
	struct feed f = feed_open(1);
	struct kept k = kept_open_from(f.m, on_start);
	struct trail_sink sink = record_trail_sink(model_create(NULL));
	struct early e = {0};
	uint8_t bytes[1000];

	for (uint64_t ts = 1; ts <= 5000; ts++) {
		memset(bytes, (int)ts, sizeof(bytes));
		record_trail_note(k.trail, TRAIL_NOTE_SYSTEM, ts, bytes, sizeof(bytes));
	}
	begin(&f, 0, 6000, MINOR);
	memset(bytes, (uint8_t)7000, sizeof(bytes));
	record_trail_note(k.trail, TRAIL_NOTE_SYSTEM, 7000, bytes, sizeof(bytes));
	sink.note = on_early;
	sink.note_ctx = &e;
	struct trail *t = reading(&k, 0);
	trail_feed(t, &sink, UINT64_MAX, UINT64_MAX);
	trail_close(t);
	CHECK(e.last >= 900 && e.last <= 1048);
	CHECK_INT(e.notes, e.last + 1);
	CHECK_INT(e.late, 1);
	model_destroy(sink.ctx);
	kept_close(&k);
	feed_close(&f);
}

/* What is kept, what is not, and what is left out at the end. */
TEST(bounds)
{
	struct feed f = feed_open(1);
	struct kept k = kept_open(f.m);
	uint64_t ts = 1000;

	begin(&f, 3, 1000, MAJOR);
	for (unsigned n = 0; n < 400000; n++)
		f.cb.counter(f.m, 3, ts += 1000, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)n);
	size_t bytes = trail_store_bytes(k.store);
	CHECK(bytes > (size_t)100 * TRAIL_CHUNK);
	trail_store_trim(k.store, 0, SIZE_MAX, UINT64_MAX);
	CHECK_INT(trail_store_bytes(k.store), bytes);
	struct model *copy = play(&k, ts - 5000000, ts - 1000000);
	/* it has the open span from before, at least 5 ms, and not the last one */
	const struct model_domain *d = model_domain(copy, 3);
	CHECK_INT(d->depth, 1);
	CHECK_INT(d->stack[0].begin, 1000);
	CHECK_INT(d->last_ts, ts - 1000000);
	CHECK(d->counters[RTEV_COUNTER_MINOR_PROMOTED].count >= 4001);
	CHECK(d->counters[RTEV_COUNTER_MINOR_PROMOTED].count < 60000);
	model_destroy(copy);
	/* a chunk that is being read stays, and so does what is not old */
	trail_store_trim(k.store, 0, 0, 5);
	CHECK(trail_store_bytes(k.store) > bytes - (size_t)6 * TRAIL_CHUNK);
	trail_store_trim(k.store, ts - 200000000, SIZE_MAX, UINT64_MAX);
	copy = play(&k, ts - 200000000, UINT64_MAX);
	CHECK(model_domain(copy, 3)->counters[RTEV_COUNTER_MINOR_PROMOTED].count >= 200000);
	CHECK(model_domain(copy, 3)->counters[RTEV_COUNTER_MINOR_PROMOTED].count < 210000);
	model_destroy(copy);
	trail_store_trim(k.store, UINT64_MAX, 0, UINT64_MAX);
	CHECK(trail_store_bytes(k.store) < TRAIL_CHUNK);
	trail_store_destroy(NULL);
	kept_close(&k);
	feed_close(&f);
}
