/*
 * test_stw.c - who holds up stop-the-world: by hand, against made-up stops, and on the events of real
 * programs.
 */
#include "support/feed.h"

#include "watch/stw.h"

#ifndef RTEV_TEST_DATA
#error "RTEV_TEST_DATA is where the test data are"
#endif

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

/* A domain's span of a stop: the leader's or a handler, with a barrier (none when arrive is 0) and a minor
 * collection from the barrier's end on. */
static void play(struct feed *f, unsigned domain, rtev_phase phase, uint64_t begin, uint64_t arrive,
    uint64_t release, uint64_t end)
{
	feed_open(f, domain, phase, begin);
	if (arrive != 0) {
		feed_open(f, domain, RTEV_PHASE_STW_API_BARRIER, arrive);
		feed_close(f, domain, release);
	}
	feed_open(f, domain, RTEV_PHASE_MINOR, release);
	feed_close(f, domain, end - 1);
	feed_close(f, domain, end);
}

TEST(test_by_hand)
{
	static struct feed f;
	struct stw *s = stw_create();
	const struct stw_arrival *a;
	const struct stw_stop *stop;
	const struct stw_domain *d;
	size_t count;

	stw_observer(s, &f.to);
	/* Domain 1 leads at 1000; arrivals at 1010 (1), 1200 (0), 1700 (2). */
	play(&f, 2, RTEV_PHASE_STW_HANDLER, 1690, 1700, 1710, 2500);
	play(&f, 0, RTEV_PHASE_STW_HANDLER, 1190, 1200, 1720, 2200);
	play(&f, 1, RTEV_PHASE_STW_LEADER, 1000, 1010, 1730, 2100);
	stw_advance(s, 2100);
	CHECK_INT(stw_recent_count(s), 0);
	stw_advance(s, 2101);
	CHECK_INT(stw_recent_count(s), 1);
	stop = stw_recent(s, 0);
	CHECK_INT(stop->begin, 1000);
	CHECK_INT(stop->duration, 1500);
	CHECK_INT(stop->leader, 1);
	CHECK_INT(stop->last, 2);
	CHECK_INT(stop->lateness, 700);
	CHECK_INT(stop->wait, 690 + 500);
	CHECK_INT(stop->count, 3);
	CHECK_INT(stop->kind, STW_SYNC);
	CHECK_INT(stop->work, STW_MINOR);
	CHECK_INT(stop->phase, RTEV_PHASE_MINOR);
	CHECK(!stop->partial);
	a = stw_arrivals(s, stop, &count);
	CHECK_INT(count, 3);
	CHECK_INT(a[0].domain, 1);
	CHECK_INT(a[0].after, 10);
	CHECK_INT(a[0].wait, 690);
	CHECK_INT(a[0].released, 730);
	CHECK_INT(a[1].domain, 0);
	CHECK_INT(a[1].after, 200);
	CHECK_INT(a[1].wait, 500);
	CHECK_INT(a[2].domain, 2);
	CHECK_INT(a[2].wait, 0);
	CHECK_INT(a[2].released, 710);
	d = stw_domain(s, 2);
	CHECK_INT(d->last, 1);
	CHECK_INT(d->joined, 1);
	CHECK_INT(d->led, 0);
	CHECK_INT(d->caused, 1190);
	CHECK_INT(d->waited, 0);
	CHECK_INT(d->lateness.max, 700);
	CHECK_INT(stw_domain(s, 1)->led, 1);
	CHECK_INT(stw_domain(s, 1)->waited, 690);
	CHECK(stw_domain(s, 3) == NULL);
	CHECK_INT(stw_totals(s)->stops, 1);
	CHECK_INT(stw_totals(s)->kinds[STW_SYNC], 1);
	CHECK_INT(stw_totals(s)->wait, 1190);
	stw_reset(s);
	CHECK_INT(stw_totals(s)->stops, 0);
	CHECK_INT(stw_recent_count(s), 0);
	CHECK_INT(stw_domain(s, 2)->last, 0);
	stw_destroy(s);
	stw_destroy(NULL);
}

/* Of stops whose arrivals later ones took the place of none is told. */
TEST(test_arrivals_kept)
{
	enum { STOPS = STW_RECENT - 1, DOMAINS = 6 };
	static struct feed f;
	struct stw *s = stw_create();
	size_t kept = 0;

	stw_observer(s, &f.to);
	for (uint64_t i = 0, t = 1000; i < STOPS; i++, t += 1000) {
		play(&f, 0, RTEV_PHASE_STW_LEADER, t, t + 10, t + 100, t + 200);
		for (unsigned d = 1; d < DOMAINS; d++)
			play(&f, d, RTEV_PHASE_STW_HANDLER, t + d, t + 10 + d, t + 100, t + 200);
		stw_advance(s, t + 500);
	}
	stw_advance(s, UINT64_MAX);
	CHECK_INT(stw_recent_count(s), STOPS);
	for (size_t i = 0; i < STOPS; i++) {
		size_t count;
		const struct stw_arrival *a = stw_arrivals(s, stw_recent(s, i), &count);

		CHECK((a != NULL) == (count != 0));
		CHECK(kept == i || count == 0);
		kept += count == DOMAINS;
		for (unsigned d = 0; d < count; d++)
			CHECK_INT(a[d].domain, d);
	}
	CHECK(kept <= STW_ARRIVALS / DOMAINS && kept >= STW_ARRIVALS / DOMAINS - 1);
	stw_destroy(s);
}

/* After each forgetting the kept stops begin anew; the totals are those of a stw that never forgets. */
TEST(test_forgotten)
{
	static struct feed feeds[2];
	struct stw *s = stw_create(), *never = stw_create();
	size_t count;

	stw_observer(s, &feeds[0].to);
	stw_observer(never, &feeds[1].to);
	stw_forget(s);
	for (uint64_t i = 0, t = 1000; i < 300; i++, t += 1000) {
		for (int k = 0; k < 2; k++) {
			play(&feeds[k], 0, RTEV_PHASE_STW_LEADER, t, t + 10, t + 100, t + 200);
			play(&feeds[k], 1, RTEV_PHASE_STW_HANDLER, t + 1, t + 11 + i % 7, t + 100, t + 200);
			stw_advance(k == 0 ? s : never, t + 500);
		}
		CHECK_INT(stw_recent_count(s), i % 3 + 1);
		CHECK_INT(stw_recent(s, 0)->begin, t);
		CHECK(stw_arrivals(s, stw_recent(s, 0), &count) != NULL && count == 2);
		CHECK_INT(stw_longest_count(s), 0);
		if (i % 3 == 2)
			stw_forget(s);
	}
	CHECK_INT(stw_recent_count(s), 0);
	CHECK_INT(stw_totals(s)->stops, 300);
	CHECK_INT(stw_totals(s)->wait, stw_totals(never)->wait);
	CHECK_INT(stw_domain(s, 0)->waited, stw_domain(never, 0)->waited);
	CHECK_INT(stw_domain(s, 1)->last, stw_domain(never, 1)->last);
	stw_destroy(s);
	stw_destroy(never);
}

TEST(test_kinds)
{
	static struct feed f;
	struct stw *s = stw_create();
	const struct stw_stop *stop;

	stw_observer(s, &f.to);
	/* As before 5.2: the leader has no barrier, so it arrives when it begins. */
	play(&f, 0, RTEV_PHASE_STW_LEADER, 1000, 0, 1400, 2000);
	play(&f, 1, RTEV_PHASE_STW_HANDLER, 1100, 1110, 1420, 2050);
	play(&f, 2, RTEV_PHASE_STW_HANDLER, 1300, 1310, 1410, 1900);
	/* No barrier at all; the second handler begins when the leader has long finished. */
	play(&f, 1, RTEV_PHASE_STW_LEADER, 3000, 0, 3001, 3100);
	play(&f, 0, RTEV_PHASE_STW_HANDLER, 3050, 0, 3051, 3060);
	play(&f, 2, RTEV_PHASE_STW_HANDLER, 5000, 0, 5001, 5010);
	/* Alone, and what was done is a major cycle. */
	feed_open(&f, 2, RTEV_PHASE_STW_LEADER, 6000);
	feed_open(&f, 2, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS, 6001);
	feed_open(&f, 2, RTEV_PHASE_MINOR, 6002);
	feed_close(&f, 2, 6003);
	feed_close(&f, 2, 6004);
	feed_close(&f, 2, 6010);
	stw_advance(s, 6011);
	CHECK_INT(stw_recent_count(s), 2);
	/* Whether somebody will handle the last one isn't known before some time has passed. */
	stw_advance(s, 6010 + 100 * MS + 1);
	CHECK_INT(stw_recent_count(s), 3);
	stop = stw_recent(s, 2);
	CHECK_INT(stop->kind, STW_SYNC);
	CHECK_INT(stop->last, 2);
	CHECK_INT(stop->lateness, 310);
	CHECK_INT(stop->wait, 310 + 200);
	CHECK_INT(stop->duration, 1050);
	stop = stw_recent(s, 1);
	CHECK_INT(stop->kind, STW_ASYNC);
	CHECK_INT(stop->count, 3);
	CHECK_INT(stop->lateness, 0);
	CHECK_INT(stop->wait, 0);
	CHECK_INT(stop->duration, 2010);
	CHECK(stw_arrivals(s, stop, NULL) == NULL);
	stop = stw_recent(s, 0);
	CHECK_INT(stop->kind, STW_SOLO);
	CHECK_INT(stop->work, STW_MAJOR);
	CHECK_INT(stop->phase, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS);
	CHECK_INT(stw_totals(s)->kinds[STW_SYNC], 1);
	CHECK_INT(stw_totals(s)->kinds[STW_ASYNC], 1);
	CHECK_INT(stw_totals(s)->kinds[STW_SOLO], 1);
	CHECK_STR(stw_work_name(stop->work), "major");
	stw_destroy(s);
}

TEST(test_what_is_missing)
{
	static struct feed f;
	struct stw *s = stw_create();

	stw_observer(s, &f.to);
	/* The ring of domain 2 begins at 5000, so who came last before is not known. */
	feed_lost(&f.to, 2, MODEL_NOTE_LOST, 0, 99);
	play(&f, 0, RTEV_PHASE_STW_LEADER, 1000, 1001, 1100, 1500);
	play(&f, 1, RTEV_PHASE_STW_HANDLER, 1050, 1060, 1101, 1400);
	play(&f, 2, RTEV_PHASE_MINOR, 5000, 0, 5001, 5010);
	play(&f, 0, RTEV_PHASE_STW_LEADER, 6000, 6001, 6100, 6500);
	play(&f, 1, RTEV_PHASE_STW_HANDLER, 6050, 6060, 6101, 6400);
	play(&f, 2, RTEV_PHASE_STW_HANDLER, 6060, 6070, 6071, 6400);
	stw_advance(s, 7000);
	CHECK_INT(stw_recent_count(s), 2);
	CHECK(stw_recent(s, 1)->partial);
	CHECK(!stw_recent(s, 0)->partial);
	CHECK_INT(stw_totals(s)->partial, 1);
	CHECK_INT(stw_totals(s)->kinds[STW_SYNC], 1);
	CHECK_INT(stw_domain(s, 1)->last, 0);
	CHECK_INT(stw_domain(s, 2)->last, 1);
	CHECK_INT(stw_domain(s, 0)->led, 2);
	/* A leader's span that is dropped: its stop is no stop. */
	feed_open(&f, 1, RTEV_PHASE_STW_LEADER, 8000);
	play(&f, 0, RTEV_PHASE_STW_HANDLER, 8010, 8020, 8030, 8040);
	stw_advance(s, 8500);
	CHECK_INT(stw_recent_count(s), 2);
	feed_drop(&f, 1, 0);
	stw_advance(s, 8501);
	CHECK_INT(stw_totals(s)->dropped, 1);
	/* A handler's: its arrival is known, only not when it left. */
	play(&f, 0, RTEV_PHASE_STW_LEADER, 9000, 9001, 9100, 9500);
	feed_open(&f, 1, RTEV_PHASE_STW_HANDLER, 9040);
	feed_open(&f, 1, RTEV_PHASE_STW_API_BARRIER, 9050);
	play(&f, 2, RTEV_PHASE_STW_HANDLER, 9020, 9030, 9101, 9400);
	stw_advance(s, 9600);
	CHECK_INT(stw_recent_count(s), 2);
	feed_drop(&f, 1, 1);
	feed_drop(&f, 1, 0);
	stw_advance(s, 9601);
	CHECK_INT(stw_recent_count(s), 3);
	CHECK_INT(stw_recent(s, 0)->last, 1);
	CHECK_INT(stw_recent(s, 0)->lateness, 50);
	CHECK_INT(stw_recent(s, 0)->duration, 500);
	/* A handler without a leader, and one that comes when its stop is over. */
	CHECK_INT(stw_totals(s)->stray, 1);
	play(&f, 2, RTEV_PHASE_STW_HANDLER, 9300, 9301, 9302, 9400);
	stw_advance(s, 9700);
	CHECK_INT(stw_totals(s)->stray, 2);
	CHECK_INT(stw_totals(s)->stops, 3);
	/* A span that never ends doesn't hold up the others for ever. */
	feed_open(&f, 1, RTEV_PHASE_STW_LEADER, 10000);
	play(&f, 0, RTEV_PHASE_STW_LEADER, 20000, 20001, 20100, 20500);
	play(&f, 2, RTEV_PHASE_STW_HANDLER, 20010, 20020, 20101, 20400);
	stw_advance(s, 20 * MS);
	CHECK_INT(stw_totals(s)->stops, 3);
	stw_advance(s, 11 * SECOND);
	CHECK_INT(stw_totals(s)->stops, 4);
	CHECK_INT(stw_totals(s)->dropped, 2);
	stw_destroy(s);
}

/* One domain's part in a made-up stop. */
struct made_part {
	uint64_t begin, arrive, release, end;
	bool leader;
	bool takes_part;
};

#define MADE_DOMAINS 6
#define MADE_STOPS 3000

struct made_stop {
	enum stw_kind kind;
	unsigned leader;
	unsigned last;
	unsigned count;
	uint64_t begin, lateness, wait, duration;
	struct made_part parts[MADE_DOMAINS];
};

/* Make up a stop that begins after *ts, and move *ts to where the next one may begin: all handlers have begun
 * then, but need not have ended. */
static void make_stop(struct made_stop *m, uint64_t *seed, uint64_t *ts, const uint64_t *free_at)
{
	uint64_t last = 0, begin = 0, end = 0;
	bool old = feed_below(seed, 2) == 0; /* no barrier of the leader */

	memset(m, 0, sizeof(*m));
	m->leader = (unsigned)feed_below(seed, MADE_DOMAINS);
	m->kind = (enum stw_kind)(feed_below(seed, 10) < 8 ? STW_SYNC : feed_below(seed, 2) + STW_ASYNC);
	m->begin = *ts > free_at[m->leader] ? *ts : free_at[m->leader];
	for (unsigned d = 0; d < MADE_DOMAINS; d++) {
		struct made_part *p = &m->parts[d];

		p->leader = d == m->leader;
		p->takes_part = p->leader || m->kind != STW_SOLO;
		p->begin = p->leader ? m->begin : m->begin + 1 + feed_below(seed, 1000);
		if (!p->leader && p->begin < free_at[d])
			p->begin = free_at[d];
		if (m->kind == STW_SYNC && !(p->leader && old))
			p->arrive = p->begin + 1 + feed_below(seed, 50);
		if (!p->takes_part)
			continue;
		m->count++;
		begin = p->begin > begin ? p->begin : begin;
		if ((p->arrive != 0 ? p->arrive : p->begin) > last) {
			last = p->arrive != 0 ? p->arrive : p->begin;
			m->last = d;
		}
	}
	for (unsigned d = 0; d < MADE_DOMAINS; d++) {
		struct made_part *p = &m->parts[d];

		p->release = (m->kind == STW_SYNC ? last : p->begin) + 1 + feed_below(seed, 100);
		p->end = p->release + 2 + feed_below(seed, feed_below(seed, 10) == 0 ? 5000 : 500);
		if (!p->takes_part)
			continue;
		end = p->end > end ? p->end : end;
		if (m->kind == STW_SYNC) {
			m->wait += last - (p->arrive != 0 ? p->arrive : p->begin);
			m->lateness = last - m->begin;
		}
	}
	m->duration = end - m->begin;
	*ts = (m->kind == STW_SYNC ? last : begin) + 200 + feed_below(seed, 2000);
}

/* Send one domain's parts of the stops [from, to). */
static void send_parts(struct feed *f, const struct made_stop *made, unsigned d, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct made_part *p = &made[i].parts[d];

		if (p->takes_part)
			play(f, d, p->leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER, p->begin,
			    p->arrive, p->release, p->end);
	}
}

/* Rings read one after another, some of them further than others, must give the stops that there were. */
static void check_made(uint64_t seed, size_t batch)
{
	static struct made_stop made[MADE_STOPS];
	static struct feed f;
	struct stw *s = stw_create();
	uint64_t ts = SECOND, free_at[MADE_DOMAINS] = {0}, wait = 0, seen = 0;
	size_t sent[MADE_DOMAINS] = {0};

	stw_observer(s, &f.to);
	for (size_t i = 0; i < MADE_STOPS; i++) {
		make_stop(&made[i], &seed, &ts, free_at);
		for (unsigned d = 0; d < MADE_DOMAINS; d++)
			if (made[i].parts[d].takes_part)
				free_at[d] = made[i].parts[d].end + 1;
		wait += made[i].wait;
	}
	for (size_t done = 0; done < MADE_STOPS;) {
		size_t to = done + 1 + feed_below(&seed, batch);
		uint64_t watermark = UINT64_MAX;

		to = to > MADE_STOPS ? MADE_STOPS : to;
		for (unsigned k = 0; k < MADE_DOMAINS; k++) {
			unsigned d = MADE_DOMAINS - 1 - k;
			size_t ahead = to + feed_below(&seed, 4);

			ahead = ahead > MADE_STOPS ? MADE_STOPS : ahead;
			if (ahead > sent[d]) {
				send_parts(&f, made, d, sent[d], ahead);
				sent[d] = ahead;
			}
		}
		/* All parts of the stops before `to` have come, so everything before the next one's begin. */
		for (size_t i = to; i < MADE_STOPS && watermark == UINT64_MAX; i++)
			watermark = made[i].begin;
		stw_advance(s, watermark);
		done = to;
		for (; seen < stw_totals(s)->stops; seen++) {
			const struct made_stop *m = &made[seen];
			const struct stw_stop *stop = stw_recent(s, stw_totals(s)->stops - 1 - seen);

			CHECK_INT(stop->begin, m->begin);
			CHECK_INT(stop->kind, m->kind);
			CHECK_INT(stop->leader, m->leader);
			CHECK_INT(stop->count, m->count);
			CHECK_INT(stop->duration, m->duration);
			CHECK_INT(stop->lateness, m->lateness);
			CHECK_INT(stop->wait, m->wait);
			if (m->kind == STW_SYNC)
				CHECK_INT(stop->last, m->last);
		}
	}
	CHECK_INT(stw_totals(s)->stops, MADE_STOPS);
	CHECK_INT(stw_totals(s)->stray, 0);
	CHECK_INT(stw_totals(s)->partial, 0);
	CHECK_INT(stw_totals(s)->wait, wait);
	stw_destroy(s);
}

TEST(test_rings_read_one_after_another)
{
	check_made(1, 1);
	check_made(2, 5);
	check_made(3, 200);
	check_made(4, MADE_STOPS);
}

/* An end closes the innermost span of its phase; those inside it are dropped, and so is an end without
 * one. */
static void feed_end(struct feed *f, unsigned domain, rtev_phase phase, uint64_t ts)
{
	unsigned open = f->depth[domain];

	while (open > 0 && f->open[domain][open - 1].phase != phase)
		open--;
	while (open > 0 && f->depth[domain] > open)
		feed_drop(f, domain, f->depth[domain] - 1);
	if (open > 0)
		feed_close(f, domain, ts);
}

/* Feed an excerpt of a real program's events. */
static void feed_file(struct feed *f, const char *name)
{
	static const struct {
		char letter;
		rtev_phase phase;
	} letters[] = {
	    {'L', RTEV_PHASE_STW_LEADER},
	    {'H', RTEV_PHASE_STW_HANDLER},
	    {'B', RTEV_PHASE_STW_API_BARRIER},
	    {'m', RTEV_PHASE_MINOR},
	    {'c', RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS},
	    {'p', RTEV_PHASE_MAJOR_GC_PHASE_CHANGE},
	};
	char path[512], line[256], sign, letter;
	bool begun[FEED_DOMAINS] = {false};
	unsigned domain;
	uint64_t ts, resumes[4];
	unsigned resume_count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/stw/%s", RTEV_TEST_DATA, name);
	file = fopen(path, "r");
	if (file == NULL)
		TEST_FAIL("can't read %s", path);
	while (fgets(line, sizeof(line), file) != NULL) {
		size_t i = 0;

		if (line[0] == '#')
			continue;
		CHECK_INT(sscanf(line, "%u %c%c %" SCNu64, &domain, &sign, &letter, &ts), 4);
		CHECK(domain < FEED_DOMAINS);
		if (sign == '!') {
			CHECK(resume_count < 4);
			resumes[resume_count++] = ts;
			continue;
		}
		while (i < sizeof(letters) / sizeof(letters[0]) && letters[i].letter != letter)
			i++;
		CHECK(i < sizeof(letters) / sizeof(letters[0]));
		if (!begun[domain]) {
			begun[domain] = true;
			feed_lost(&f->to, domain, MODEL_NOTE_LOST, 0, 1);
		}
		/* On a ring, what begins before a resume comes before what begins behind it. */
		for (unsigned k = 0; k < resume_count; k++)
			while (
			    ts > resumes[k] && f->depth[domain] > 0 && f->open[domain][0].begin < resumes[k])
				feed_drop(f, domain, f->depth[domain] - 1);
		if (sign == '+')
			feed_open(f, domain, letters[i].phase, ts);
		else
			feed_end(f, domain, letters[i].phase, ts);
	}
	fclose(file);
}

/* What a real program's stops must come to; counted from the same events by other means. */
struct real {
	const char *name;
	uint64_t stops, partial, sync, async, stray, lateness, median, max, wait, longest;
	uint64_t led[3], last[3], caused[3];
};

static void check_real(const struct real *real)
{
	static struct feed f;
	struct stw *s = stw_create();
	const struct stw_totals *t = stw_totals(s);

	memset(&f, 0, sizeof(f));
	stw_observer(s, &f.to);
	feed_file(&f, real->name);
	stw_advance(s, UINT64_MAX);
	CHECK_INT(t->stops, real->stops);
	CHECK_INT(t->partial, real->partial);
	CHECK_INT(t->kinds[STW_SYNC], real->sync);
	CHECK_INT(t->kinds[STW_ASYNC], real->async);
	CHECK_INT(t->stray, real->stray);
	CHECK_INT(t->lateness.sum, real->lateness);
	CHECK_INT(t->lateness.max, real->max);
	CHECK_INT(t->wait, real->wait);
	CHECK_INT(t->durations.max, real->longest);
	CHECK_NEAR(hist_percentile(&t->lateness, 1, 2), real->median, (double)real->median / 100);
	for (unsigned d = 0; d < 3; d++) {
		CHECK_INT(stw_domain(s, d)->led, real->led[d]);
		CHECK_INT(stw_domain(s, d)->last, real->last[d]);
		CHECK_INT(stw_domain(s, d)->caused, real->caused[d]);
	}
	stw_destroy(s);
}

TEST(test_real_programs)
{
	static const struct real reals[] = {
	    {"ocaml-5.1.1.txt", 35, 6, 29, 0, 56, 8818948, 21820, 8000456, 17223875, 11999964, {6, 19, 10},
		{18, 9, 2}, {668861, 299064, 16255950}},
	    {"ocaml-5.3.0.txt", 40, 4, 34, 2, 64, 12428350, 23307, 3996785, 24208163, 15998125, {23, 13, 4},
		{3, 14, 17}, {689940, 5116466, 18401757}},
	};

	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
		check_real(&reals[i]);
}

TEST(test_floods)
{
	struct stw *s = stw_create();
	struct model_observer to;
	uint64_t seed = 5, ts = 1000;

	stw_observer(s, &to);
	to.opened(s, 4096, RTEV_PHASE_STW_LEADER, ts, 0);
	to.dropped(s, 4095, RTEV_PHASE_STW_LEADER, ts, 0);
	to.closed(s, 9999, &(struct model_span){.phase = RTEV_PHASE_STW_LEADER});
	feed_lost(&to, UINT32_MAX, MODEL_NOTE_LOST, ts, 1);
	/* Leaders and handlers at random stamps, never put together for long. */
	for (unsigned i = 0; i < 600000; i++) {
		unsigned domain = (unsigned)feed_below(&seed, 50);
		uint64_t begin = feed_random(&seed) >> feed_below(&seed, 40);

		to.opened(s, domain, feed_below(&seed, 2) ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER,
		    begin, 0);
		to.opened(s, domain, RTEV_PHASE_STW_API_BARRIER, begin + 1, 1);
		to.closed(s, domain,
		    &(struct model_span){.begin = begin,
			.end = begin + 5,
			.phase = feed_below(&seed, 2) ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER});
		if (i % 100000 == 99999)
			stw_advance(s, feed_random(&seed) >> 20);
	}
	stw_advance(s, UINT64_MAX);
	CHECK(stw_totals(s)->stray > 0);
	stw_destroy(s);
}
