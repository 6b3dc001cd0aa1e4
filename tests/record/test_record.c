/*
 * test_record.c - recordings of made-up events: which user spans are slices, what losses and the end do to
 * open ones, and that no input makes a recording that breaks the format or the nesting.
 */
#include <stdlib.h>

#include "support/making.h"
#include "support/replayed.h"

static uint64_t slices(const struct fxt_inspection *i, const char *name)
{
	return fxt_inspection_count(i, RTEV_FXT_DURATION_COMPLETE, name);
}

static uint64_t asyncs(const struct fxt_inspection *i, const char *name)
{
	return fxt_inspection_count(i, RTEV_FXT_ASYNC_BEGIN, name);
}

/* A user span nests with phases and others, or stands beside the track. */
TEST(nesting)
{
	struct making k = making_open(false);
	const struct rtev_user_event a = user_event(1, "a"), b = user_event(2, "b"), c = user_event(3, "c"),
				     d = user_event(4, "d");

	/* a around a phase; b and c cross; d begins in a phase and outlives it */
	user_span(&k.f, 0, 10, &a, true);
	begin(&k.f, 0, 11, MINOR);
	end(&k.f, 0, 12, MINOR);
	user_span(&k.f, 0, 13, &a, false);
	user_span(&k.f, 0, 20, &b, true);
	user_span(&k.f, 0, 21, &c, true);
	user_span(&k.f, 0, 22, &b, false);
	user_span(&k.f, 0, 23, &c, false);
	begin(&k.f, 0, 30, MAJOR);
	user_span(&k.f, 0, 31, &d, true);
	end(&k.f, 0, 32, MAJOR);
	user_span(&k.f, 0, 33, &d, false);
	struct fxt_inspection *i = making_judge(&k, 40, NULL, NULL);
	CHECK_INT(slices(i, "a"), 1);
	CHECK_INT(slices(i, "minor"), 1);
	CHECK_INT(slices(i, "b"), 0);
	CHECK_INT(asyncs(i, "b"), 1);
	CHECK_INT(slices(i, "c"), 1);
	CHECK_INT(slices(i, "major"), 1);
	CHECK_INT(asyncs(i, "d"), 1);
	CHECK_INT(slices(i, NULL), 4);
	fxt_inspection_destroy(i);
}

/* Counts the arguments named open, and keeps the stretch of the slice named lost. */
struct marks {
	unsigned open;
	uint64_t lost_from, lost_to;
	int64_t words;
};

static void look_for_marks(void *ctx, const struct rtev_fxt_record *record)
{
	struct marks *marks = ctx;

	if (record->kind != RTEV_FXT_EVENT)
		return;
	for (unsigned n = 0; n < record->u.event.args.count; n++) {
		const struct rtev_fxt_arg *arg = &record->u.event.args.list[n];
		if (arg->name.len == 4 && memcmp(arg->name.data, "open", 4) == 0 && arg->value.b)
			marks->open++;
		if (arg->name.len == 5 && memcmp(arg->name.data, "words", 5) == 0) {
			marks->lost_from = record->u.event.ticks;
			marks->lost_to = record->u.event.word;
			marks->words = arg->value.i;
		}
	}
}

/* A loss drops what was open and shows from the event before it to the one after; the end closes what is open
 * and marks it. */
TEST(loss_and_end)
{
	struct making k = making_open(false);
	const struct rtev_user_event a = user_event(1, "a");
	struct marks marks = {0};

	begin(&k.f, 3, 10, MAJOR);
	user_span(&k.f, 3, 11, &a, true);
	lost(&k.f, 3, 100, 0);
	lost(&k.f, 3, 30, 10);
	lost(&k.f, 4, 90, 90);
	begin(&k.f, 4, 50, MINOR);
	end(&k.f, 4, 51, MINOR);
	begin(&k.f, 3, 50, MINOR);
	begin(&k.f, 3, 51, EPHE);
	user_span(&k.f, 3, 52, &a, true);
	struct fxt_inspection *i = making_judge(&k, 60, look_for_marks, &marks);
	CHECK_INT(slices(i, "major"), 0);
	CHECK_INT(slices(i, "lost"), 1);
	CHECK_INT(marks.lost_from, 11);
	CHECK_INT(marks.lost_to, 50);
	CHECK_INT(marks.words, 120);
	CHECK_INT(slices(i, "a") + slices(i, "minor") + slices(i, "major_ephe_mark"), 4);
	CHECK_INT(marks.open, 3);
	fxt_inspection_destroy(i);
}

/* A pause of the target drops what was open before it, user spans too, and is a slice of its own. */
TEST(target_pause)
{
	struct making k = making_open(false);
	const struct rtev_user_event a = user_event(1, "a"), b = user_event(2, "b");

	user_span(&k.f, 0, 10, &a, true);
	begin(&k.f, 0, 11, MINOR);
	life(&k.f, 0, 30, RTEV_LIFECYCLE_RING_RESUME, 0);
	/* b would not nest if a were still open */
	user_span(&k.f, 0, 31, &b, true);
	user_span(&k.f, 0, 32, &a, true);
	user_span(&k.f, 0, 33, &a, false);
	user_span(&k.f, 0, 34, &b, false);
	user_span(&k.f, 0, 35, &a, false);
	struct fxt_inspection *i = making_judge(&k, 60, NULL, NULL);
	CHECK_INT(slices(i, "tracing paused"), 1);
	CHECK_INT(slices(i, "minor"), 0);
	CHECK_INT(slices(i, "a"), 1);
	CHECK_INT(slices(i, "b"), 1);
	CHECK_INT(asyncs(i, NULL), 0);
	fxt_inspection_destroy(i);
}

/* A recording that begins amid the stream takes no loss of its own for one from before the attach. */
TEST(loss_amid)
{
	struct feed f = feed_open(5);
	size_t size;

	lost(&f, 0, 5000, 5000);
	begin(&f, 0, 10, MAJOR);
	struct making k = making_join(f, false);
	lost(&k.f, 0, 70, 0);
	begin(&k.f, 0, 20, MINOR);
	unsigned char *data = making_close(&k, 40, &size);
	struct model *m = replayed(data, size);
	const struct model_totals t = model_totals(m);
	CHECK_INT(t.lost_words, 70);
	CHECK_INT(t.history_lost_words, 0);
	model_destroy(m);
	free(data);
}

/* Keeps the times of the slice named minor. */
static void look_for_minor(void *ctx, const struct rtev_fxt_record *record)
{
	struct marks *marks = ctx;

	look_for_marks(ctx, record);
	if (record->kind == RTEV_FXT_EVENT && record->u.event.name.len == 5 &&
	    memcmp(record->u.event.name.data, "minor", 5) == 0) {
		marks->lost_from = record->u.event.ticks;
		marks->lost_to = record->u.event.word;
	}
}

/* A recording amid the stream has what is open with its true begin, and leaves the model to go on. */
TEST(amid)
{
	struct feed f = feed_open(5);
	const struct rtev_user_event a = user_event(1, "a"), b = user_event(2, "b");
	struct marks marks = {0};
	size_t size;

	begin(&f, 0, 8, LEADER);
	end(&f, 0, 9, LEADER);
	user_span(&f, 0, 10, &a, true);
	begin(&f, 0, 11, MAJOR);
	begin(&f, 0, 12, MINOR);
	begin(&f, 1, 12, EPHE);
	user_span(&f, 1, 13, &b, true);
	struct making k = making_join(f, false);
	begin(&f, 0, 20, SLICE);
	end(&f, 0, 21, SLICE);
	end(&f, 0, 22, MINOR);
	end(&f, 0, 23, MAJOR);
	user_span(&f, 0, 24, &a, false);
	begin(&f, 0, 25, SLICE);
	model_set_now(f.m, 40);
	unsigned char *data = making_leave(&k, 40, &size);
	struct fxt_inspection *i = making_inspect(data, size, look_for_minor, &marks);
	CHECK_INT(slices(i, "stw_leader"), 0);
	CHECK_INT(slices(i, "a"), 1);
	CHECK_INT(slices(i, "major"), 1);
	CHECK_INT(slices(i, "minor"), 1);
	CHECK_INT(slices(i, "major_slice"), 2);
	CHECK_INT(slices(i, "b") + slices(i, "major_ephe_mark"), 2);
	CHECK_INT(asyncs(i, NULL), 0);
	CHECK_INT(marks.open, 3);
	CHECK_INT(marks.lost_from, 12);
	CHECK_INT(marks.lost_to, 22);
	fxt_inspection_destroy(i);
	/* and again: the rest of it */
	k = making_join(f, false);
	end(&f, 0, 50, SLICE);
	user_span(&f, 1, 51, &b, false);
	marks = (struct marks){0};
	i = making_judge(&k, 60, look_for_minor, &marks);
	CHECK_INT(slices(i, "major_slice"), 1);
	CHECK_INT(slices(i, "b") + asyncs(i, "b"), 1);
	CHECK_INT(marks.open, 1);
	fxt_inspection_destroy(i);
}

/* Totals that begin anew are none of a recording's business: what was open then is there when it ends, and is
 * not when it is dropped. */
TEST(reset)
{
	struct making k = making_open(false);
	const struct rtev_user_event a = user_event(1, "a"), b = user_event(2, "b");

	user_span(&k.f, 0, 10, &a, true);
	begin(&k.f, 0, 11, MINOR);
	user_span(&k.f, 1, 11, &b, true);
	begin(&k.f, 1, 12, MAJOR);
	model_reset(k.f.m);
	end(&k.f, 0, 13, MINOR);
	user_span(&k.f, 0, 14, &a, false);
	life(&k.f, 1, 30, RTEV_LIFECYCLE_RING_RESUME, 0);
	struct fxt_inspection *i = making_judge(&k, 60, NULL, NULL);
	CHECK_INT(slices(i, "a"), 1);
	CHECK_INT(slices(i, "minor"), 1);
	CHECK_INT(slices(i, "b") + asyncs(i, "b"), 0);
	CHECK_INT(slices(i, "major"), 0);
	fxt_inspection_destroy(i);
}

/* A resume that a silent ring has not come to cuts what is open there when the recording ends. */
TEST(resume_at_the_end)
{
	struct feed f = feed_open(5);
	const struct rtev_user_event a = user_event(1, "a");
	size_t size;

	struct making k = making_join(f, false);
	begin(&f, 0, 10, MINOR);
	user_span(&f, 0, 11, &a, true);
	begin(&f, 1, 12, MAJOR);
	life(&f, 1, 30, RTEV_LIFECYCLE_RING_RESUME, 0);
	begin(&f, 1, 31, SLICE);
	model_set_now(f.m, 40);
	unsigned char *data = making_leave(&k, 40, &size);
	feed_close(&f);
	struct fxt_inspection *i = making_inspect(data, size, NULL, NULL);
	CHECK_INT(slices(i, "minor") + slices(i, "a") + asyncs(i, "a") + slices(i, "major"), 0);
	CHECK_INT(slices(i, "major_slice"), 1);
	CHECK_INT(slices(i, "tracing paused"), 1);
	fxt_inspection_destroy(i);
}

static uint64_t state = 88172645463325252u;

/* Below n. */
static unsigned pick(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % n);
}

/* Deliver one event that may be anything, at a stamp that may be any other's. */
static void any_event(struct feed *f, unsigned domain, uint64_t ts)
{
	struct rtev_user_event e = user_event(pick(40), "name");
	uint8_t payload[300];
	const uint64_t buckets[RTEV_ALLOC_BUCKETS] = {1, UINT64_MAX, 3};

	e.name[0] = (char)(e.id * 7); /* invalid UTF-8 and controls among them */
	if (e.name[0] == 0)
		e.name_len = 0;
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)pick(256);
	switch (pick(14)) {
	case 0:
	case 1:
	case 2:
		f->cb.begin(f->m, domain, ts, (rtev_phase)pick(5));
		break;
	case 3:
	case 4:
	case 5:
		f->cb.end(f->m, domain, ts, (rtev_phase)pick(5));
		break;
	case 6:
	case 7:
	case 8:
		f->cb.user_span(f->m, domain, ts, &e, pick(2) == 0);
		break;
	case 9:
		f->cb.counter(
		    f->m, domain, ts, (rtev_counter)(pick(2) ? 3 : RTEV_OPAQUE + pick(8192)), (int64_t)state);
		break;
	case 10:
		f->cb.alloc(f->m, domain, ts, buckets);
		break;
	case 11:
		f->cb.user_custom(f->m, domain, ts, &e, payload, pick(sizeof(payload)));
		break;
	case 12:
		if (pick(10) == 0)
			f->cb.lost(f->m, domain, state, pick(100));
		else if (pick(8) == 0)
			f->cb.corrupt(f->m, domain, pick(2));
		else if (pick(10) == 0)
			f->cb.restart(f->m, domain);
		else
			f->cb.user_int(f->m, domain, ts, &e, (int64_t)state);
		break;
	default:
		if (pick(20) == 0)
			f->cb.lifecycle(f->m, domain, ts, RTEV_LIFECYCLE_RING_RESUME, 0);
		else
			f->cb.user_unit(f->m, domain, ts, &e);
	}
}

/* Many rounds of anything, on more domains than there are thread slots. */
TEST(anything)
{
	for (unsigned round = 0; round < 16; round++) {
		struct making k = making_open(false);
		unsigned domains = round % 4 == 0 ? 600 : 3;
		uint64_t ts = 1000;
		for (unsigned n = 0; n < 8000; n++) {
			ts += pick(3);
			uint64_t stamp = round % 3 == 0 && pick(10) == 0 ? ts - pick(900) : ts;
			any_event(&k.f, pick(domains), stamp);
			if (pick(1000) == 0)
				tracks_pass_on(k.record, ts);
		}
		fxt_inspection_destroy(making_judge(&k, ts, NULL, NULL));
	}
}

/* Recordings that begin and end anywhere in anything, with resets and other cursors in between. */
TEST(anything_amid)
{
	struct feed f = feed_open(1);
	uint64_t ts = 1000;

	for (unsigned round = 0; round < 24; round++) {
		size_t size;
		for (unsigned n = pick(300); n > 0; n--)
			any_event(&f, pick(4), ts += pick(3));
		struct making k = making_join(f, round % 8 == 0);
		for (unsigned n = pick(4000); n > 0; n--) {
			any_event(&f, pick(4), ts += pick(3));
			if (pick(500) == 0)
				model_reset(f.m);
			if (pick(900) == 0)
				model_reattach(f.m);
			if (pick(500) == 0)
				tracks_pass_on(k.record, ts);
		}
		model_set_now(f.m, ts);
		unsigned char *data = making_leave(&k, ts, &size);
		if (round % 8 == 0)
			free(data);
		else
			fxt_inspection_destroy(making_inspect(data, size, NULL, NULL));
	}
	feed_close(&f);
}

/* More names than the trace has string ids for. */
TEST(many_names)
{
	struct making k = making_open(false);

	for (unsigned n = 0; n < 8192; n++) {
		k.f.cb.begin(k.f.m, 0, 2 * n, (rtev_phase)(RTEV_OPAQUE + n));
		k.f.cb.end(k.f.m, 0, 2 * n + 1, (rtev_phase)(RTEV_OPAQUE + n));
		k.f.cb.counter(k.f.m, 0, 2 * n + 1, (rtev_counter)(RTEV_OPAQUE + n), 1);
		k.f.cb.lifecycle(k.f.m, 0, 2 * n + 1, (rtev_lifecycle)(RTEV_OPAQUE + n), 1);
	}
	for (unsigned n = 0; n < 20000; n++) {
		char name[16];
		snprintf(name, sizeof(name), "u%u", n);
		struct rtev_user_event e = user_event(n % 8192, name);
		e.generation = 1 + n / 8192;
		k.f.cb.user_unit(k.f.m, 0, 20000 + n, &e);
	}
	struct fxt_inspection *i = making_judge(&k, 50000, NULL, NULL);
	CHECK_INT(slices(i, "phase_8191"), 1);
	CHECK_INT(fxt_inspection_count(i, RTEV_FXT_COUNTER, "counter_8191"), 1);
	CHECK_INT(fxt_inspection_count(i, RTEV_FXT_INSTANT, "u0"), 1);
	CHECK_INT(fxt_inspection_count(i, RTEV_FXT_INSTANT, "u19999"), 1);
	fxt_inspection_destroy(i);
}

/* The other form is closed properly, also when nothing happened. */
TEST(json_ends)
{
	for (unsigned n = 0; n < 2; n++) {
		struct making k = making_open(true);
		size_t size;
		for (unsigned e = 0; e < 5000 * n; e++)
			any_event(&k.f, 0, e);
		unsigned char *data = making_close(&k, 5000, &size);
		CHECK(size > 4 && memcmp(data + size - 4, "\n]}\n", 4) == 0 && data[0] == '{');
		free(data);
	}
}

/* The largest lane of the slices beside the tracks, by domain. */
static void look_for_lanes(void *ctx, const struct rtev_fxt_record *record)
{
	uint64_t *most = ctx;

	if (record->kind != RTEV_FXT_EVENT || record->u.event.type != RTEV_FXT_ASYNC_BEGIN)
		return;
	uint64_t domain = record->u.event.word >> 32, lane = record->u.event.word & UINT32_MAX;
	CHECK(domain < 2);
	if (lane > most[domain])
		most[domain] = lane;
}

/* Slices beside the tracks share lanes as far as they can; more than there are lanes for have one of their
 * own each. */
TEST(lanes)
{
	const struct rtev_user_event a = user_event(1, "a"), b = user_event(2, "b");
	struct making k = making_open(false);
	uint64_t most[2] = {0}, ts = 10;

	for (unsigned i = 0; i < 1000; i++, ts += 10) {
		user_span(&k.f, 0, ts, &a, true);
		user_span(&k.f, 0, ts + 1, &b, true);
		user_span(&k.f, 0, ts + 2, &a, false);
		user_span(&k.f, 0, ts + 3, &b, false);
	}
	for (unsigned i = 0; i < 100; i++)
		user_span(&k.f, 1, ts++, &a, true);
	for (unsigned i = 0; i < 100; i++)
		user_span(&k.f, 1, ts++, i % 2 != 0 ? &a : &b, i % 2 == 0);
	struct fxt_inspection *i = making_judge(&k, ts + 10, look_for_lanes, most);
	CHECK(asyncs(i, "a") + asyncs(i, "b") >= 1000);
	CHECK_INT(most[0], 0);
	CHECK(most[1] >= 30);
	fxt_inspection_destroy(i);
}
