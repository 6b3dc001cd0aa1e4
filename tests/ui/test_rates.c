/*
 * test_rates.c - rates of a target that is young, of domains that come late, end and come again, and of
 * targets that pause: each is what came, over the time in which it could come, and absent until there is a
 * step of such time.
 *
 * Stories are made up at random.  What a rate has to be is worked out from the list of their events alone.
 */
#include "support/test.h"

#include <math.h>

#include "print/number.h"
#include "ui/recent.h"
#include "ui/ui.h"
#include "ui/view.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define ATTACH (1000 * SECOND + 123456789)
#define STEP (250 * MS)
#define DOMAINS 12
#define EVENTS_MAX 40000

enum kind { SPAWN, END, ALLOC, MINOR, USER, PAUSE, RESUME };

struct event {
	enum kind kind;
	unsigned domain;
	uint64_t ts;
	int64_t value;
};

struct play {
	struct event events[EVENTS_MAX];
	size_t count, fed;
	struct rtev_callbacks calls;
	struct subject subject;
	struct ui *ui;
	uint64_t seed;
};

/* A number below another. */
static uint64_t below(struct play *p, uint64_t limit)
{
	p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
	return (p->seed >> 33) % limit;
}

static void put(struct play *p, enum kind kind, unsigned domain, uint64_t ts, int64_t value)
{
	CHECK(p->count < EVENTS_MAX);
	p->events[p->count++] = (struct event){kind, domain, ts, value};
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

/* What one domain does in [from, to): some are busy, some write once. */
static void live(struct play *p, unsigned domain, uint64_t from, uint64_t to)
{
	uint64_t gap = below(p, 4) == 0 ? 3 * SECOND : (1 + below(p, 50)) * MS;

	for (uint64_t ts = from + 1 + below(p, gap); ts + 1 < to; ts += 1 + below(p, 2 * gap))
		put(p, (enum kind)(ALLOC + below(p, 3)), domain, ts, (int64_t)below(p, 100000));
}

/* Make a story up: domains that ran before, that come later, end, and come again; the target may pause. */
static void play_make(struct play *p, uint64_t seed)
{
	uint64_t end = ATTACH + 8 * SECOND, pause = 0, resume = 0;

	*p = (struct play){.seed = seed};
	for (unsigned d = 0; d < DOMAINS; d++) {
		bool early = d == 0 || below(p, 2) == 0;
		uint64_t at = early ? ATTACH - below(p, 3 * SECOND) : ATTACH + below(p, 5 * SECOND);
		bool born = !early || below(p, 2) == 0;
		while (at < end) {
			uint64_t to = below(p, 2) == 0 ? end : at + 10 * MS + below(p, 2 * SECOND);
			if (born)
				put(p, SPAWN, d, at, 0);
			live(p, d, at, to < end ? to : end);
			if (to >= end)
				break;
			put(p, END, d, to, 0);
			at = to + below(p, 2) * below(p, 3 * SECOND) + 1;
			born = true;
		}
	}
	if (below(p, 2) == 0) {
		pause = ATTACH + below(p, 5 * SECOND);
		resume = pause + below(p, 3 * SECOND);
	}
	size_t kept = 0;
	for (size_t i = 0; i < p->count; i++)
		if (p->events[i].ts < pause || p->events[i].ts > resume)
			p->events[kept++] = p->events[i];
	p->count = kept;
	if (resume > pause) {
		put(p, PAUSE, 0, pause, 0);
		put(p, RESUME, 0, resume, 0);
	}
	qsort(p->events, p->count, sizeof(p->events[0]), by_time);
	p->subject = (struct subject){.watch = watch_create(&(struct watch_options){.attach_ts = ATTACH}),
	    .state = SUBJECT_LIVE,
	    .exit_status = -1};
	p->ui = ui_create(&(struct ui_options){.view = VIEW_PANES});
	CHECK(p->subject.watch != NULL && p->ui != NULL);
	model_callbacks(&p->calls);
}

static void play_fini(struct play *p)
{
	watch_destroy(p->subject.watch);
	ui_destroy(p->ui);
}

static void feed(struct play *p, const struct event *e)
{
	struct rtev_user_event user = {.id = 1, .generation = 1, .name_len = 1, .name = "u"};
	struct model *m = watch_model(p->subject.watch);

	switch (e->kind) {
	case SPAWN:
		p->calls.lifecycle(m, e->domain, e->ts, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
		break;
	case END:
		p->calls.lifecycle(m, e->domain, e->ts, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 1);
		break;
	case ALLOC:
		p->calls.counter(m, e->domain, e->ts, RTEV_COUNTER_MINOR_ALLOCATED, e->value);
		break;
	case MINOR:
		p->calls.begin(m, e->domain, e->ts, RTEV_PHASE_MINOR);
		p->calls.end(m, e->domain, e->ts, RTEV_PHASE_MINOR);
		break;
	case USER:
		p->calls.user_unit(m, e->domain, e->ts, &user);
		break;
	case PAUSE:
		p->calls.lifecycle(m, e->domain, e->ts, RTEV_LIFECYCLE_RING_PAUSE, 0);
		break;
	case RESUME:
		p->calls.lifecycle(m, e->domain, e->ts, RTEV_LIFECYCLE_RING_RESUME, 0);
		break;
	}
}

/* Let it be `now`. */
static void go_to(struct play *p, uint64_t now)
{
	while (p->fed < p->count && p->events[p->fed].ts <= now)
		feed(p, &p->events[p->fed++]);
	p->subject.now = now;
	watch_advance(p->subject.watch, now, now);
}

/* ---- what the rates have to be ---- */

struct life {
	bool seen, born, dead;
	uint64_t known, died;
	uint64_t empty; /* of the window asked for */
};

static uint64_t overlap(uint64_t begin, uint64_t end, uint64_t from, uint64_t to)
{
	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	return end > begin ? end - begin : 0;
}

/* What is known of a domain's life; `empty` of [from, to). */
static struct life life_of(const struct play *p, unsigned domain, uint64_t from, uint64_t to)
{
	struct life l = {0};

	for (size_t i = 0; i < p->fed; i++) {
		const struct event *e = &p->events[i];
		if (e->domain != domain)
			continue;
		if (!l.seen) {
			l.born = e->kind == SPAWN;
			l.known = l.born || e->ts < ATTACH ? e->ts : ATTACH;
		}
		l.seen = true;
		if (e->kind == SPAWN && l.dead)
			l.empty += overlap(l.died, e->ts, from, to);
		l.dead = false; /* the begin of what comes after an end may have fallen into a pause */
		if (e->kind == END) {
			l.dead = true;
			l.died = e->ts;
		}
	}
	return l;
}

/* What came in the steps from `from` on, and whether anything ever did; `count` the events alone. */
static double came(
    const struct play *p, unsigned domain, enum kind kind, bool count, uint64_t from, bool *any)
{
	double sum = 0;

	for (size_t i = 0; i < p->fed; i++) {
		const struct event *e = &p->events[i];
		if (e->kind != kind || e->domain != domain)
			continue;
		*any = true;
		if (e->ts / STEP >= from / STEP)
			sum += count ? 1 : (double)e->value;
	}
	return sum;
}

/* Time paused in a stretch. */
static uint64_t paused(const struct play *p, uint64_t from, uint64_t to)
{
	uint64_t since = UINT64_MAX, sum = 0;

	for (size_t i = 0; i < p->fed; i++) {
		const struct event *e = &p->events[i];
		if (e->kind == PAUSE)
			since = e->ts;
		if (e->kind == RESUME) {
			sum += overlap(since, e->ts, from, to);
			since = UINT64_MAX;
		}
	}
	return sum + (since < to ? overlap(since, to, from, to) : 0);
}

/* Whether the target is paused: then there is no rate. */
static bool pausing(const struct play *p)
{
	return paused(p, p->subject.now - 1, p->subject.now) > 0;
}

static double over(double sum, uint64_t from, uint64_t to, uint64_t gone)
{
	return to < from || to - from < gone + STEP ? (double)NAN : sum * 1e9 / (double)(to - from - gone);
}

/* The rate on one domain. */
static double expected(const struct play *p, unsigned domain, enum kind kind, bool count)
{
	uint64_t now = p->subject.now, from = (now - RECENT_RATE_NS) / STEP * STEP, to = now;
	struct life l = life_of(p, domain, 0, 0);
	bool any = false;

	from = l.known > from ? l.known : from;
	to = l.dead ? l.died : to;
	l = life_of(p, domain, from, to);
	double sum = came(p, domain, kind, count, from, &any);
	uint64_t silent = to > from ? paused(p, from, to) : 0;
	return !any || pausing(p) || (silent > 0 && l.empty > 0) ? (double)NAN
								 : over(sum, from, to, silent + l.empty);
}

/* The rate on all together; of minor collections the most. */
static double expected_all(const struct play *p, enum kind kind, bool count)
{
	uint64_t now = p->subject.now, from = (now - RECENT_RATE_NS) / STEP * STEP, first = UINT64_MAX,
		 whole = 0;
	double sum = 0;
	bool any = false;

	for (unsigned d = 0; d < DOMAINS; d++) {
		struct life l = life_of(p, d, 0, 0);
		if (!l.seen)
			continue;
		first = l.known < first ? l.known : first;
		whole = !l.born && l.known > whole ? l.known : whole;
	}
	whole = whole > first ? (whole + STEP - 1) / STEP * STEP : first;
	from = whole > from ? whole : from;
	for (unsigned d = 0; d < DOMAINS; d++) {
		double one = came(p, d, kind, count, from, &any);
		sum = kind == MINOR ? fmax(sum, one) : sum + one;
	}
	return any && !pausing(p) && from < now ? over(sum, from, now, paused(p, from, now)) : (double)NAN;
}

static void expect(const struct play *p, const char *what, unsigned domain, double got, double right)
{
	if (isnan(got) != isnan(right) || fabs(got - right) > 1e-6 * fabs(right) + 1e-9)
		TEST_FAIL("%s of %d, %.3f s after the attach: %g, not %g", what, (int)domain,
		    (double)(p->subject.now - ATTACH) / 1e9, got, right);
}

/* Each rate of every domain, and of all. */
static void check(struct play *p)
{
	for (unsigned d = 0; d < DOMAINS; d++) {
		expect(p, "bytes", d,
		    lately_rate(subject_lately(&p->subject), d, WATCH_ALLOCATED, RECENT_RATE_NS),
		    expected(p, d, ALLOC, false));
		expect(p, "minors", d,
		    lately_rate(subject_lately(&p->subject), d, WATCH_MINORS, RECENT_RATE_NS),
		    expected(p, d, MINOR, true));
		expect(p, "user", d, lately_user_rate(subject_lately(&p->subject), d, 0, RECENT_RATE_NS),
		    expected(p, d, USER, true));
	}
	expect(p, "bytes", WATCH_ALL,
	    lately_rate(subject_lately(&p->subject), WATCH_ALL, WATCH_ALLOCATED, RECENT_RATE_NS),
	    expected_all(p, ALLOC, false));
	expect(p, "minors", WATCH_ALL,
	    lately_rate(subject_lately(&p->subject), WATCH_ALL, WATCH_MINORS, RECENT_RATE_NS),
	    expected_all(p, MINOR, true));
	expect(p, "user", WATCH_ALL,
	    lately_user_rate(subject_lately(&p->subject), WATCH_ALL, 0, RECENT_RATE_NS),
	    expected_all(p, USER, true));
}

TEST(test_rates_of_stories)
{
	static struct play p;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		play_make(&p, seed);
		for (uint64_t now = ATTACH + 1; now < ATTACH + 8 * SECOND; now += 1 + below(&p, 200 * MS)) {
			go_to(&p, now);
			check(&p);
		}
		play_fini(&p);
	}
}

/* A domain that is a step old has rates, one that is a nanosecond younger has none. */
TEST(test_first_rate)
{
	static struct play p;
	const uint64_t born = (ATTACH / STEP + 4) * STEP;

	for (uint64_t age = STEP - 1; age <= STEP; age++) {
		play_make(&p, 1);
		p.count = 0;
		put(&p, SPAWN, 0, born, 0);
		put(&p, ALLOC, 0, born + 1, 1000);
		go_to(&p, born + age);
		double rate = lately_rate(subject_lately(&p.subject), 0, WATCH_ALLOCATED, RECENT_RATE_NS);
		CHECK_INT(isnan(rate), age < STEP);
		if (age == STEP)
			CHECK_NEAR(rate, 1000.0 * SECOND / STEP, 1e-6);
		play_fini(&p);
	}
}

/* ---- the screens ---- */

/* Read a rate, "12.3k/s" or "1.20MB/s", of events or bytes. */
static bool rate_read(const char *word, double *out, bool *bytes)
{
	static const char prefixes[] = " kMGTPE";
	char *end;
	double value = strtod(word, &end), unit = 1;

	if (end == word)
		return false;
	for (int i = 1; i < 7; i++)
		if (*end == prefixes[i])
			unit = pow(1000, i);
	end += unit > 1;
	*bytes = *end == 'B';
	end += *bytes;
	*out = value * unit;
	return strncmp(end, "/s", 2) == 0;
}

/* No rate of a screen is more than all that ever came, within a step. */
static void check_screen(const char *screen, double events, double bytes)
{
	char *copy = strdup(screen);
	int found = 0;

	for (char *w = strtok(copy, " \n│"); w != NULL; w = strtok(NULL, " \n│")) {
		double value;
		bool of_bytes;
		if (!rate_read(w, &value, &of_bytes))
			continue;
		found++;
		if (value > (of_bytes ? bytes : events) / 0.25 * 1.006)
			TEST_FAIL(
			    "%s is more than %g events and %g bytes allow:\n%s", w, events, bytes, screen);
	}
	CHECK(found >= 0);
	free(copy);
}

/* Every view, at every age from the attach on. */
TEST(test_no_rate_explodes)
{
	static struct play p;
	struct canvas *canvas = canvas_create(70, 220);

	for (uint64_t seed = 100; seed < 106; seed++) {
		play_make(&p, seed);
		for (uint64_t now = ATTACH + 1; now < ATTACH + 6 * SECOND; now += 1 + below(&p, 300 * MS)) {
			double events = 0, bytes = 0;
			go_to(&p, now);
			for (size_t i = 0; i < p.fed; i++) {
				events += p.events[i].kind == MINOR ? 2 : 1;
				bytes += p.events[i].kind == ALLOC ? (double)p.events[i].value : 0;
			}
			for (ui_key key = '1'; key <= '8'; key++) {
				ui_press(p.ui, &p.subject, key);
				ui_draw(p.ui, &p.subject, canvas);
				char *screen = canvas_dump(canvas);
				check_screen(screen, events, bytes);
				free(screen);
			}
		}
		play_fini(&p);
	}
	canvas_destroy(canvas);
}

/* The rate of events. */
static void events_rate(struct play *p, char out[32])
{
	struct canvas *canvas = canvas_create(24, 160);
	struct figures figures;

	ui_draw(p->ui, &p->subject, canvas);
	figures_read(p->ui, &p->subject, &figures);
	snprintf(out, 32, "%s", format_rate(figures.now.events).s);
	canvas_destroy(canvas);
}

/* 64 domains that begin one after the other, a microsecond before they are looked at, write 19.2 thousand
 * events a second, however seldom one looks; and a domain's first event says nothing of a rate. */
TEST(test_many_young_domains)
{
	static const uint64_t delays[] = {100 * MS, 500 * MS, 5 * SECOND};
	static struct play p;
	char text[32];

	for (int i = 0; i < 3; i++) {
		play_make(&p, 7);
		p.count = 0;
		uint64_t now = ATTACH, next = ATTACH + delays[i], looks = 0;
		for (uint64_t n = 0; n < 12 * 300 * 64; n++) {
			unsigned domain = (unsigned)(n % 64);
			now = ATTACH + 1000 + n * SECOND / (300 * 64);
			for (; now >= next; next += delays[i]) {
				go_to(&p, next);
				events_rate(&p, text);
				if (next < ATTACH + STEP)
					CHECK_STR(text, "-");
				else if (strncmp(text, "19.", 3) != 0)
					TEST_FAIL("%s after %g s", text, (double)(next - ATTACH) / 1e9);
				looks++;
			}
			/* Late by a hair. */
			if (n < 64)
				feed(&p, &(struct event){SPAWN, domain, now, 0});
			else
				feed(&p, &(struct event){USER, domain, now, 0});
		}
		CHECK(looks >= 2);
		play_fini(&p);
	}
}

/* An event that is written once is one in the time that was observed: none of a second, later one in five. */
TEST(test_one_event)
{
	static struct play p;
	uint64_t at = ATTACH + 5 * SECOND;

	play_make(&p, 9);
	p.count = 0;
	put(&p, SPAWN, 0, ATTACH - SECOND, 0);
	put(&p, USER, 0, at, 0);
	go_to(&p, ATTACH);
	go_to(&p, at + 7 * MS);
	CHECK_NEAR(lately_user_rate(subject_lately(&p.subject), WATCH_ALL, 0, RECENT_RATE_NS), 0.2, 0.01);
	CHECK_NEAR(lately_user_rate(subject_lately(&p.subject), 0, 0, RECENT_RATE_NS), 0.2, 0.01);
	go_to(&p, at + 6 * SECOND);
	CHECK_NEAR(lately_user_rate(subject_lately(&p.subject), 0, 0, RECENT_RATE_NS), 0, 0);
	play_fini(&p);
	/* In a domain that has begun with it, nothing is known at first. */
	play_make(&p, 9);
	p.count = 0;
	put(&p, SPAWN, 0, ATTACH - SECOND, 0);
	put(&p, SPAWN, 1, at, 0);
	put(&p, USER, 1, at, 0);
	go_to(&p, ATTACH);
	go_to(&p, at + 200 * MS);
	CHECK(isnan(lately_user_rate(subject_lately(&p.subject), 1, 0, RECENT_RATE_NS)));
	CHECK_NEAR(lately_user_rate(subject_lately(&p.subject), WATCH_ALL, 0, RECENT_RATE_NS), 0.2, 0.01);
	go_to(&p, at + 500 * MS);
	CHECK_NEAR(lately_user_rate(subject_lately(&p.subject), 1, 0, RECENT_RATE_NS), 2, 1e-9);
	play_fini(&p);
}
