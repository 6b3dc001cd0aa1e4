/*
 * test_model_users.c - user events: slots by name and kind, matching by name, limits.
 */
#include "support/model_feed.h"

TEST(names_are_the_key)
{
	struct feed f = feed_open(0);
	struct rtev_user_event one = user_event(1, "job"), two = user_event(2, "job"),
			       other = user_event(3, "jo");

	/* two ids of one name are one event */
	user_span(&f, 0, 10, &one, true);
	user_span(&f, 0, 30, &two, false);
	user_span(&f, 0, 40, &other, false);
	CHECK_INT(model_user_slots(f.m), 2);
	CHECK_INT(user(&f, 0, "job", MODEL_USER_SPAN)->count, 1);
	CHECK_INT(user(&f, 0, "job", MODEL_USER_SPAN)->spans.sum, 20);
	CHECK_INT(user(&f, 0, "jo", MODEL_USER_SPAN)->count, 0);
	expect_spans(&f, 1, 0);
	/* one name with two kinds is two */
	f.cb.user_unit(f.m, 0, 50, &one);
	f.cb.user_int(f.m, 0, 60, &one, 7);
	CHECK_INT(model_user_slots(f.m), 4);
	CHECK_INT(user(&f, 0, "job", MODEL_USER_UNIT)->count, 1);
	CHECK_INT(user(&f, 0, "job", MODEL_USER_INT)->last, 7);
	CHECK_INT(totals(&f).events, 5);
	CHECK(model_user(f.m, 1, 0) == NULL);
	CHECK(model_user(f.m, 0, 99) == NULL);
	CHECK(model_user_slot(f.m, 99) == NULL);
	feed_close(&f);
}

TEST(an_id_can_change_its_name)
{
	struct feed f = feed_open(0);
	struct rtev_user_event event = user_event(5, "");

	f.cb.user_unit(f.m, 0, 1, &event);
	event = user_event(5, "written later");
	event.generation = 2;
	f.cb.user_unit(f.m, 0, 2, &event);
	f.cb.user_unit(f.m, 0, 3, &event);
	CHECK_INT(user(&f, 0, "", MODEL_USER_UNIT)->count, 1);
	CHECK_INT(user(&f, 0, "written later", MODEL_USER_UNIT)->count, 2);
	/* another cursor counts its generations anew */
	model_reattach(f.m);
	event = user_event(5, "of another");
	event.generation = 2;
	f.cb.user_unit(f.m, 0, 4, &event);
	CHECK_INT(user(&f, 0, "written later", MODEL_USER_UNIT)->count, 2);
	CHECK_INT(user(&f, 0, "of another", MODEL_USER_UNIT)->count, 1);
	/* ids and lengths out of range do no harm */
	event.id = UINT16_MAX;
	event.name_len = UINT16_MAX;
	f.cb.user_unit(f.m, 0, 5, &event);
	f.cb.user_unit(f.m, 0, 6, &event);
	CHECK_INT(model_user_slot(f.m, 3)->name_len, RTEV_USER_NAME_SIZE - 1);
	CHECK_INT(model_user(f.m, 0, 3)->count, 2);
	feed_close(&f);
}

TEST(spans_of_two_names_may_overlap)
{
	struct feed f = feed_open(0);
	struct rtev_user_event a = user_event(0, "a"), b = user_event(1, "b");

	user_span(&f, 0, 10, &a, true);
	user_span(&f, 0, 20, &b, true);
	user_span(&f, 0, 30, &a, true); /* innermost a */
	user_span(&f, 0, 35, &a, false);
	user_span(&f, 0, 60, &a, false);
	CHECK_INT(user(&f, 0, "b", MODEL_USER_SPAN)->open, 1);
	expect_spans(&f, 0, 1);
	user_span(&f, 0, 100, &b, false);
	user_span(&f, 1, 100, &a, false); /* another domain's */
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->count, 2);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->spans.sum, 5 + 50);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->spans.max, 50);
	CHECK_INT(user(&f, 0, "b", MODEL_USER_SPAN)->spans.sum, 80);
	expect_spans(&f, 1, 0);
	/* runtime spans and user spans don't touch each other */
	begin(&f, 0, 200, MINOR);
	user_span(&f, 0, 210, &a, true);
	end(&f, 0, 220, MINOR);
	user_span(&f, 0, 230, &a, false);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->count, 3);
	expect_phase(&f, 0, MINOR, 1, 20, 20, 20);
	/* ends before it began */
	user_span(&f, 0, 300, &a, true);
	user_span(&f, 0, 290, &a, false);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->count, 3);
	expect_spans(&f, 2, 0);
	feed_close(&f);
}

TEST(a_gap_drops_open_user_spans)
{
	struct feed f = feed_open(1);
	struct rtev_user_event a = user_event(0, "a"), b = user_event(1, "b");

	user_span(&f, 0, 10, &a, true);
	user_span(&f, 0, 11, &a, true);
	user_span(&f, 0, 12, &b, true);
	user_span(&f, 1, 13, &b, true);
	lost(&f, 0, 5, 0);
	expect_spans(&f, 3, 1);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->open, 0);
	user_span(&f, 0, 20, &a, false);
	expect_spans(&f, 4, 1);
	model_reattach(f.m);
	expect_spans(&f, 5, 0);
	feed_close(&f);
}

TEST(gc_inside_user_spans)
{
	struct feed f = feed_open(0);
	struct rtev_user_event a = user_event(0, "a");

	span(&f, 0, 0, 100, MINOR);
	user_span(&f, 0, 110, &a, true);
	begin(&f, 0, 120, MINOR);
	span(&f, 0, 121, 125, SLICE);
	end(&f, 0, 130, MINOR);
	span(&f, 0, 140, 150, WAIT);
	user_span(&f, 0, 160, &a, false);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->gc_ns, 10);
	/* begun inside a pause, ended inside another */
	begin(&f, 0, 200, MINOR);
	user_span(&f, 0, 205, &a, true);
	end(&f, 0, 210, MINOR);
	begin(&f, 0, 220, MINOR);
	user_span(&f, 0, 223, &a, false);
	end(&f, 0, 230, MINOR);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->gc_ns, 10 + 5 + 3);
	/* begun inside a pause that is dropped then */
	begin(&f, 0, 300, MINOR);
	user_span(&f, 0, 310, &a, true);
	model_resume_at(f.m, 305);
	user_span(&f, 0, 320, &a, false);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->gc_ns, 18);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->count, 3);
	feed_close(&f);
}

/* Durations wait for their histogram in the model: whoever reads finds them all, a copy too, and a reset
 * forgets them. */
TEST(durations_that_wait)
{
	for (unsigned spans = 1; spans <= 120; spans++) {
		struct feed f = feed_open(0);
		struct rtev_user_event event = user_event(1, "job");
		uint64_t ts = 0, sum = 0;

		for (unsigned i = 1; i <= spans; i++) {
			user_span(&f, 0, ts += 5, &event, true);
			user_span(&f, 0, ts += i, &event, false);
			sum += i;
		}
		struct model *copy = model_copy(f.m);
		CHECK(copy != NULL);
		const struct model *both[] = {copy, f.m};
		for (unsigned i = 0; i < 2; i++) {
			const struct hist *h = &model_user(both[i], 0, 0)->spans;
			CHECK_INT(h->count, spans);
			CHECK_INT(h->sum, sum);
			CHECK_INT(h->min, 1);
			CHECK_INT(h->max, spans);
			CHECK_INT(hist_percentile(h, 1, 2), (spans + 1) / 2);
		}
		model_destroy(copy);
		user_span(&f, 0, ts += 5, &event, true);
		user_span(&f, 0, ts += 9, &event, false);
		model_reset(f.m);
		CHECK_INT(model_user(f.m, 0, 0)->spans.count, 0);
		user_span(&f, 0, ts += 5, &event, true);
		user_span(&f, 0, ts += 7, &event, false);
		CHECK_INT(model_user(f.m, 0, 0)->spans.count, 1);
		CHECK_INT(model_user(f.m, 0, 0)->spans.sum, 7);
		feed_close(&f);
	}
}

/* Whoever reads a part of it meanwhile changes nothing, however many durations wait; the volume is known without
 * them. */
TEST(reads_between)
{
	for (unsigned every = 1; every <= 60; every++) {
		struct feed f = feed_open(0);
		struct rtev_user_event event = user_event(1, "job");
		struct model_user_volume volume;
		uint64_t ts = 0, sum = 0;

		for (unsigned i = 1; i <= 130; i++) {
			uint64_t duration = i % 50 == 0 ? UINT64_C(1) << (i / 50 * 16) : i;
			user_span(&f, 0, ts += 5, &event, true);
			CHECK(model_user_volume(f.m, 0, 0, &volume));
			CHECK_INT(volume.count, i - 1);
			CHECK_INT(volume.open, 1);
			user_span(&f, 0, ts += duration, &event, false);
			sum += duration;
			if (i % every != 0)
				continue;
			CHECK_INT(model_user(f.m, 0, 0)->count, i);
			CHECK_INT(model_user(f.m, 0, 0)->spans.sum, sum);
		}
		CHECK(model_user_volume(f.m, 0, 0, &volume));
		CHECK_INT(volume.count, 130);
		CHECK_INT(volume.open, 0);
		CHECK_INT(model_user(f.m, 0, 0)->spans.count, 130);
		CHECK_INT(model_user(f.m, 0, 0)->spans.sum, sum);
		CHECK(!model_user_volume(f.m, 0, 1, &volume));
		CHECK(!model_user_volume(f.m, 1, 0, &volume));
		feed_close(&f);
	}
}

/* The open spans of a model, by their slots, the latest begin first. */
static uint64_t open_slots(const struct model *m)
{
	struct model_open_user open[8];
	size_t count = model_users_open(m, 0, open, 8);
	uint64_t slots = 0;

	while (count > 0)
		slots = slots * 10 + open[--count].slot;
	return slots;
}

/* Slots leave the list of those with open spans from its begin, its end and between, and come back; a copy has
 * the same list. */
TEST(names_end_in_any_order)
{
	struct feed f = feed_open(0);
	struct rtev_user_event events[] = {user_event(0, "none"), user_event(1, "a"), user_event(2, "b"),
	    user_event(3, "c"), user_event(4, "d")};
	static const struct {
		unsigned slot;
		bool begin;
		uint64_t open;
	} steps[] = {{1, true, 1}, {2, true, 21}, {3, true, 321}, {4, true, 4321}, {2, false, 431},
	    {4, false, 31}, {2, true, 231}, {2, false, 31}, {2, true, 231}, {1, false, 23}, {1, true, 123},
	    {1, true, 1123}, {1, false, 123}, {3, false, 12}, {2, false, 1}, {1, false, 0}, {3, true, 3},
	    {4, true, 43}};
	uint64_t ts = 0;

	f.cb.user_span(f.m, 0, ++ts, &events[0], false);
	for (unsigned slot = 1; slot < 5; slot++)
		model_user_expect(f.m, MODEL_USER_SPAN, &events[slot]);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		user_span(&f, 0, ++ts, &events[steps[i].slot], steps[i].begin);
		CHECK_INT(open_slots(f.m), steps[i].open);
		struct model *copy = model_copy(f.m);
		CHECK(copy != NULL);
		CHECK_INT(open_slots(copy), steps[i].open);
		CHECK_INT(model_user_around(copy, 0, ts), model_user_around(f.m, 0, ts));
		model_destroy(copy);
	}
	lost(&f, 0, 1, 0);
	CHECK_INT(open_slots(f.m), 0);
	CHECK_INT(totals(&f).dropped, 3);
	feed_close(&f);
}

TEST(integers_and_payloads)
{
	struct feed f = feed_open(0);
	struct rtev_user_event i = user_event(0, "i"), c = user_event(1, "c");
	uint8_t payload[600];
	const struct model_user *u;

	for (size_t k = 0; k < sizeof(payload); k++)
		payload[k] = (uint8_t)(k * 7);
	f.cb.user_int(f.m, 0, 10, &i, 5);
	f.cb.user_int(f.m, 0, 11, &i, INT64_MIN);
	f.cb.user_int(f.m, 0, 12, &i, INT64_MAX);
	f.cb.user_int(f.m, 0, 13, &i, -3);
	u = user(&f, 0, "i", MODEL_USER_INT);
	CHECK(
	    u->count == 4 && u->last == -3 && u->min == INT64_MIN && u->max == INT64_MAX && u->last_ts == 13);
	f.cb.user_int(f.m, 1, 9, &i, 100);
	f.cb.user_custom(f.m, 0, 20, &c, payload, sizeof(payload));
	u = user(&f, 0, "c", MODEL_USER_CUSTOM);
	CHECK(u->len == sizeof(payload) && u->kept == MODEL_CUSTOM_KEPT);
	CHECK(memcmp(u->data, payload, u->kept) == 0);
	f.cb.user_custom(f.m, 0, 21, &c, payload + 9, 3);
	CHECK(u->len == 3 && u->kept == 3 && memcmp(u->data, payload + 9, 3) == 0 && u->count == 2);
	f.cb.user_custom(f.m, 0, 22, &c, NULL, 0);
	CHECK(u->len == 0 && u->kept == 0 && u->count == 3);

	struct model_user all;
	CHECK(model_user_total(f.m, user_slot(&f, "i", MODEL_USER_INT), &all));
	CHECK(all.count == 5 && all.last == -3 && all.min == INT64_MIN && all.max == INT64_MAX);
	hist_fini(&all.spans);
	feed_close(&f);
}

TEST(totals_over_domains)
{
	struct feed f = feed_open(0);
	struct rtev_user_event a = user_event(0, "a"), i = user_event(1, "i");
	struct model_user all;

	for (unsigned d = 0; d < 5; d++) {
		for (unsigned k = 1; k <= 10; k++) {
			user_span(&f, d, 1000 * k, &a, true);
			user_span(&f, d, 1000 * k + 100 * d + k, &a, false);
		}
		user_span(&f, d, 20000, &a, true);
		f.cb.user_int(f.m, d, 30000 + d, &i, 50 - (int64_t)d);
	}
	CHECK(model_user_total(f.m, user_slot(&f, "a", MODEL_USER_SPAN), &all));
	CHECK_INT(all.count, 50);
	CHECK_INT(all.open, 5);
	CHECK_INT(all.spans.max, 410);
	CHECK_INT(all.spans.min, 1);
	CHECK_INT(all.spans.sum, 10 * (100 + 200 + 300 + 400) + 5 * 55);
	CHECK_NEAR(hist_percentile(&all.spans, 50, 100), 205, 2.05);
	hist_fini(&all.spans);
	CHECK(model_user_total(f.m, user_slot(&f, "i", MODEL_USER_INT), &all));
	CHECK(all.min == 46 && all.max == 50 && all.last == 46 && all.last_ts == 30004);
	hist_fini(&all.spans);
	CHECK(model_user_total(f.m, 99, &all));
	CHECK_INT(all.count, 0);
	feed_close(&f);
}

TEST(slots_are_bounded)
{
	struct feed f = feed_open(0);
	char name[32];

	for (unsigned i = 0; i < MODEL_USER_SLOTS_MAX + 100; i++) {
		snprintf(name, sizeof(name), "event %u", i);
		struct rtev_user_event event = user_event(i % RTEV_USER_EVENTS_MAX, name);

		event.generation = i / RTEV_USER_EVENTS_MAX + 1;
		f.cb.user_unit(f.m, 0, i, &event);
	}
	CHECK_INT(model_user_slots(f.m), MODEL_USER_SLOTS_MAX);
	CHECK_INT(totals(&f).ignored, 100);
	CHECK_INT(totals(&f).events, MODEL_USER_SLOTS_MAX + 100);
	CHECK_INT(user(&f, 0, "event 32767", MODEL_USER_UNIT)->count, 1);
	feed_close(&f);
}

TEST(open_spans_are_bounded)
{
	struct feed f = feed_open(0);
	struct rtev_user_event a = user_event(0, "a"), b = user_event(1, "b");

	for (unsigned i = 0; i < MODEL_DEPTH_MAX + 10; i++)
		user_span(&f, 0, i, i % 2 == 0 ? &a : &b, true);
	expect_spans(&f, 10, MODEL_DEPTH_MAX);
	for (unsigned i = 0; i < MODEL_DEPTH_MAX; i++)
		user_span(&f, 0, 100000 + i, i % 2 == 0 ? &a : &b, false);
	expect_spans(&f, 10, 0);
	/* many names open, and gaps without end: only what is open may be looked at */
	for (unsigned i = 0; i < 4000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u", i);
		struct rtev_user_event event = user_event(100 + i, name);
		user_span(&f, 1, i, &event, true);
	}
	for (unsigned i = 0; i < 1000000; i++)
		lost(&f, 1, 1, 0);
	expect_spans(&f, 4010, 0);
	feed_close(&f);
}

/* Feed many user events of all kinds on many domains; returns how many. */
static uint64_t feed_many(struct feed *f)
{
	uint64_t fed = 0;

	for (unsigned domain = 0; domain < 64; domain++) {
		for (unsigned i = 0; i < 100; i++) {
			char name[32];
			snprintf(name, sizeof(name), "n%u", i);
			struct rtev_user_event event = user_event(i, name);
			uint64_t ts = 1000 + i;
			CHECK_INT(f->cb.user_unit(f->m, domain, ts, &event), RTEV_CONTINUE);
			CHECK_INT(f->cb.user_int(f->m, domain, ts, &event, 7), RTEV_CONTINUE);
			CHECK_INT(f->cb.user_custom(f->m, domain, ts, &event, name, 3), RTEV_CONTINUE);
			user_span(f, domain, ts, &event, true);
			user_span(f, domain, ts + (UINT64_C(1) << i % 50), &event, false);
			fed += 5;
		}
	}
	return fed;
}

/* All user events that were counted, spans by both their ends. */
static uint64_t counted(const struct feed *f)
{
	uint64_t count = 0;

	for (size_t slot = 0; slot < model_user_slots(f->m); slot++)
		for (unsigned domain = 0; domain < 64; domain++) {
			const struct model_user *u = model_user(f->m, domain, slot);
			bool span = model_user_slot(f->m, slot)->kind == MODEL_USER_SPAN;
			if (u != NULL)
				count += u->count * (span ? 2 : 1);
			CHECK(u == NULL || !span || u->spans.count == u->count);
		}
	return count;
}

/* What takes more memory than there may be is ignored, and counted as that; the rest is whole.  A reset makes
 * room. */
TEST(memory_is_bounded)
{
	struct model_options options = {.max_bytes = 1 << 20};
	struct feed f = {.m = model_create(&options)};

	CHECK(f.m != NULL);
	model_callbacks(&f.cb);
	begin(&f, 0, 10, MINOR);
	/* both domains have room for open spans */
	span(&f, 70, 10, 10, MINOR);
	uint64_t fed = feed_many(&f);
	uint64_t ignored = totals(&f).ignored;
	CHECK(ignored > fed / 2 && ignored < fed);
	CHECK_INT(totals(&f).events, fed + 3);
	CHECK_INT(totals(&f).dropped, 0);
	CHECK_INT(totals(&f).open, 1);
	/* Of a span whose duration had no room its begin is not told apart. */
	CHECK(counted(&f) + ignored <= fed && counted(&f) + 2 * ignored >= fed);
	/* Phases of the runtime find their place; unknown ones don't. */
	end(&f, 0, 2000, MINOR);
	CHECK_INT(model_domain(f.m, 0)->phases[MINOR].count, 1);
	for (unsigned i = 0; i < 8000; i++) {
		span(&f, 70, 3000, 3000, (rtev_phase)(RTEV_OPAQUE + i));
		CHECK_INT(f.cb.counter(f.m, 70, 3000, (rtev_counter)(RTEV_OPAQUE + i), 1), RTEV_CONTINUE);
	}
	CHECK(totals(&f).ignored > ignored + 10000);
	CHECK_INT(totals(&f).dropped, 0);
	/* The distributions of spans are given back. */
	uint64_t before = counted(&f);
	model_reset(f.m);
	CHECK_INT(totals(&f).ignored, 0);
	feed_many(&f);
	CHECK(counted(&f) > before / 2 && counted(&f) < fed);
	feed_close(&f);
}

/* The slots that a domain knows are found one after another, and counted. */
TEST(slots_of_a_domain)
{
	static const unsigned known[] = {3, 64, 65, 700, 8000};
	struct feed f = feed_open(0);
	size_t at = 0;

	for (unsigned i = 0; i < 8100; i++) {
		char name[32];
		snprintf(name, sizeof(name), "n%u", i);
		struct rtev_user_event event = user_event(i, name);
		f.cb.user_unit(f.m, 1, 5, &event);
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (known[k] == i)
				f.cb.user_unit(f.m, 0, 6, &event);
	}
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++, at++) {
		at = model_user_next(f.m, 0, at);
		CHECK_INT(at, known[k]);
		CHECK(model_user(f.m, 0, at) != NULL);
	}
	CHECK_INT(model_user_next(f.m, 0, at), 8100);
	CHECK_INT(model_user_next(f.m, 0, 9000), 8100);
	CHECK_INT(model_user_next(f.m, 2, 0), 8100);
	CHECK_INT(model_domain(f.m, 0)->users, 5);
	CHECK_INT(model_domain(f.m, 1)->users, 8100);
	CHECK_INT(model_domains(f.m), 2);
	feed_close(&f);
}

/* Durations that wait, and some that are too long to wait. */
TEST(long_durations)
{
	struct feed f = feed_open(0);
	struct rtev_user_event event = user_event(1, "job");
	const uint64_t took = UINT64_C(5000000000);
	uint64_t ts = 0;

	for (unsigned i = 1; i <= 200; i++) {
		user_span(&f, 0, ts += 5, &event, true);
		user_span(&f, 0, ts += i % 50 == 0 ? took : 8, &event, false);
	}
	const struct model_user *u = model_user(f.m, 0, 0);
	CHECK_INT(u->count, 200);
	CHECK_INT(u->last_ts, ts);
	CHECK_INT(u->spans.count, 200);
	CHECK_INT(u->spans.sum, 196 * 8 + 4 * took);
	CHECK_INT(u->spans.min, 8);
	CHECK(u->spans.max == took);
	feed_close(&f);
}

/* A reset in the middle of a deep stack: what was open before is not counted, what began later is. */
TEST(a_reset_inside_a_stack)
{
	struct feed f = feed_open(0);
	struct rtev_user_event a = user_event(3, "a");
	struct model_open_user open[16];

	for (unsigned i = 0; i < 6; i++)
		user_span(&f, 0, 10 + i, &a, true);
	model_reset(f.m);
	for (unsigned i = 0; i < 4; i++)
		user_span(&f, 0, 20 + i, &a, true);
	CHECK_INT(model_users_open(f.m, 0, open, 16), 10);
	for (unsigned i = 0; i < 10; i++)
		CHECK_INT(open[i].begin, i < 6 ? 10 + i : 14 + i);
	for (unsigned i = 0; i < 9; i++)
		user_span(&f, 0, 30, &a, false);
	CHECK_INT(model_user(f.m, 0, 0)->count, 4);
	CHECK_INT(model_user(f.m, 0, 0)->open, 1);
	CHECK_INT(model_user(f.m, 0, 0)->spans.sum, 10 + 9 + 8 + 7);
	user_span(&f, 0, 30, &a, false);
	user_span(&f, 0, 31, &a, false);
	CHECK_INT(model_user(f.m, 0, 0)->count, 4);
	CHECK_INT(totals(&f).dropped, 1);
	feed_close(&f);
}
