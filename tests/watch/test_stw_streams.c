/*
 * test_stw_streams.c - random streams of stops give the stops recorded in tests/data/stw/streams.txt.
 *
 * A stream is what a model is told of some domains: stops of all kinds, with what the domains were in before,
 * and faults: events that are missing, losses, stamps that are equal or go back, domains read late.  A line
 * of the file is a stream: how many stops of each kind it has, and a digest of all that can be read of them.
 * With UPDATE_GOLDEN=1 in the environment the file is written anew: only for a change that is meant to be
 * seen.
 */
#include "support/feed.h"
#include "watch/stw.h"

#define STREAMS 48
#define STOPS 1500
#define DOMAINS_MOST 40
#define EVENTS_MOST 4096 /* of a domain that wait to be read */
#define USERS 3
#define SECOND UINT64_C(1000000000)

enum what { BEGIN, END, USER_BEGIN, USER_END, LOST, CORRUPT, RESUME };

struct event {
	uint64_t ts;
	enum what what;
	unsigned number; /* phase, or which user span */
};

/* The events of a domain that wait to be read. */
struct lane {
	struct event events[EVENTS_MOST];
	unsigned first, count;
	uint64_t now;
};

struct stream {
	uint64_t seed;
	unsigned domains;
	unsigned faults; /* of ten thousand events */
	struct lane lanes[DOMAINS_MOST];
	struct model *model;
	struct rtev_callbacks calls;
	struct stw *stw;
	uint64_t digest;
	uint64_t told; /* stops that are in the digest */
};

static bool one_in(struct stream *t, uint64_t n)
{
	return feed_below(&t->seed, n) == 0;
}

/* ---- the digest ---- */

static void digest(struct stream *t, uint64_t value)
{
	t->digest = (t->digest ^ value) * 0x9e3779b97f4a7c15u;
	t->digest ^= t->digest >> 29;
}

static void digest_hist(struct stream *t, const struct hist *h)
{
	digest(t, h->count);
	digest(t, h->sum);
	digest(t, h->min);
	digest(t, h->max);
	for (unsigned p = 5; p < 100; p += 10)
		digest(t, hist_percentile(h, p, 100));
}

static void digest_stop(struct stream *t, const struct stw *s, const struct stw_stop *stop)
{
	size_t count;
	const struct stw_arrival *a = stw_arrivals(s, stop, &count);

	digest(t, stop->begin);
	digest(t, stop->duration);
	digest(t, stop->lateness);
	digest(t, stop->wait);
	digest(t, stop->leader);
	digest(t, stop->last);
	digest(t, stop->count);
	digest(t, stop->kind);
	digest(t, stop->work);
	digest(t, stop->phase);
	digest(t, stop->partial);
	digest(t, stop->doing.user);
	digest(t, stop->doing.phase);
	digest(t, count);
	for (size_t i = 0; i < count; i++) {
		digest(t, a[i].after);
		digest(t, a[i].wait);
		digest(t, a[i].released);
		digest(t, a[i].domain);
	}
}

/* The stops that were put together since the last time, the earliest first. */
static void digest_new(struct stream *t)
{
	uint64_t stops = stw_totals(t->stw)->stops;
	size_t kept = stw_recent_count(t->stw);

	digest(t, stops);
	digest(t, stw_waiting(t->stw));
	for (uint64_t i = stops > t->told ? stops - t->told : 0; i-- > 0;)
		if (i < kept)
			digest_stop(t, t->stw, stw_recent(t->stw, i));
	t->told = stops;
}

static void digest_totals(struct stream *t, const struct stw *s)
{
	const struct stw_totals *all = stw_totals(s);

	digest(t, all->stops);
	digest(t, all->partial);
	digest(t, all->dropped);
	digest(t, all->stray);
	digest(t, all->wait);
	for (unsigned k = 0; k < 3; k++)
		digest(t, all->kinds[k]);
	digest_hist(t, &all->lateness);
	digest_hist(t, &all->durations);
	for (unsigned i = 0; i < stw_domain_limit(s); i++) {
		const struct stw_domain *d = stw_domain(s, i);

		digest(t, d != NULL);
		if (d == NULL)
			continue;
		digest(t, d->led);
		digest(t, d->joined);
		digest(t, d->last);
		digest(t, d->waited);
		digest(t, d->caused);
		digest_hist(t, &d->lateness);
	}
	for (size_t i = 0; i < stw_longest_count(s); i++)
		digest_stop(t, s, stw_longest(s, i));
	for (size_t i = 0; i < stw_recent_count(s); i++)
		digest_stop(t, s, stw_recent(s, i));
}

/* ---- the model is told of events ---- */

static void user_tell(struct stream *t, unsigned domain, const struct event *e)
{
	struct rtev_user_event user = {.id = (uint16_t)e->number, .name_len = 1, .generation = 1};

	user.name[0] = (char)('a' + e->number);
	t->calls.user_span(t->model, domain, e->ts, &user, e->what == USER_BEGIN);
}

/* Tell the model of the first events of a domain that wait; returns how many. */
static unsigned lane_tell(struct stream *t, unsigned domain, const struct lane *lane)
{
	const struct event *e = &lane->events[lane->first];
	rtev_phase phase = (rtev_phase)e->number;

	switch (e->what) {
	case BEGIN:
		if (lane->count > 1 && e[1].what == END && e[1].number == phase && !one_in(t, 4)) {
			t->calls.begin_end(t->model, domain, e->ts, e[1].ts, phase);
			return 2;
		}
		t->calls.begin(t->model, domain, e->ts, phase);
		break;
	case END:
		t->calls.end(t->model, domain, e->ts, phase);
		break;
	case LOST:
		t->calls.lost(t->model, domain, 10, 0);
		break;
	case CORRUPT:
		t->calls.corrupt(t->model, domain, 3);
		break;
	case RESUME: /* drops what began before on all domains, also on those read further */
		t->calls.lifecycle(t->model, domain, e->ts, RTEV_LIFECYCLE_RING_RESUME, 0);
		break;
	default:
		user_tell(t, domain, e);
		break;
	}
	return 1;
}

static void lane_read(struct stream *t, unsigned domain, unsigned most)
{
	struct lane *lane = &t->lanes[domain];

	while (lane->count > 0 && most-- > 0) {
		unsigned told = lane_tell(t, domain, lane);
		lane->first += told;
		lane->count -= told;
	}
	memmove(lane->events, lane->events + lane->first, lane->count * sizeof(lane->events[0]));
	lane->first = 0;
}

/* ---- the events are made up ---- */

/* Add an event to a domain, or a fault in its place. */
static void put(struct stream *t, unsigned domain, uint64_t ts, enum what what, unsigned number)
{
	struct lane *lane = &t->lanes[domain];

	if (ts < lane->now)
		ts = lane->now;
	if (feed_below(&t->seed, 10000) < t->faults) {
		switch (feed_below(&t->seed, 9)) {
		case 0:
		case 1:
		case 2:
			return;
		case 3:
			what = LOST;
			break;
		case 4:
			what = CORRUPT;
			break;
		case 5:
			ts -= feed_below(&t->seed, 500);
			break;
		case 6:
			ts -= feed_below(&t->seed, 8) == 0 ? 11 * SECOND : 0;
			break;
		case 7:
			what = RESUME;
			break;
		default:
			number = RTEV_PHASE_STW_LEADER;
			break;
		}
	}
	lane->now = ts;
	CHECK(lane->count < EVENTS_MOST);
	lane->events[lane->count++] = (struct event){ts, what, number};
}

/* What a domain was in before it took part in a stop at `ts`; returns whether a phase is still open. */
static bool put_before(struct stream *t, unsigned domain, uint64_t ts)
{
	static const unsigned phases[] = {
	    RTEV_PHASE_MAJOR_SLICE, RTEV_PHASE_MINOR, RTEV_PHASE_DOMAIN_CONDITION_WAIT};
	uint64_t from = ts - 1 - feed_below(&t->seed, 2000), room = ts - from;
	unsigned phase = phases[feed_below(&t->seed, 3)], user = (unsigned)feed_below(&t->seed, USERS);

	switch (feed_below(&t->seed, 8)) {
	case 0: /* a phase that ended before */
		put(t, domain, from, BEGIN, phase);
		put(t, domain, ts - feed_below(&t->seed, room / 8 + 1), END, phase);
		return false;
	case 1: /* one around */
		put(t, domain, from, BEGIN, RTEV_PHASE_MAJOR_SLICE);
		return true;
	case 2:
		put(t, domain, from, USER_BEGIN, user);
		put(t, domain, ts - feed_below(&t->seed, room / 8 + 1), USER_END, user);
		return false;
	case 3: /* user spans that last over stops */
		put(t, domain, from, one_in(t, 2) ? USER_BEGIN : USER_END, user);
		return false;
	default:
		return false;
	}
}

/* What is done in a stop, at most until `to`. */
static void put_work(struct stream *t, unsigned domain, uint64_t from, uint64_t to)
{
	static const unsigned works[] = {RTEV_PHASE_MINOR, RTEV_PHASE_MINOR, RTEV_PHASE_MINOR,
	    RTEV_PHASE_MAJOR_GC_STW, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS,
	    RTEV_PHASE_DOMAIN_RESIZE_HEAP_RESERVATION, RTEV_PHASE_COMPACT};
	unsigned work = works[feed_below(&t->seed, 7)];

	if (one_in(t, 10))
		return;
	put(t, domain, from, BEGIN, work);
	for (unsigned i = (unsigned)feed_below(&t->seed, 3); i-- > 0;) {
		put(t, domain, from + (to - from) / 2, BEGIN,
		    work == RTEV_PHASE_COMPACT ? RTEV_PHASE_COMPACT_EVACUATE : RTEV_PHASE_MAJOR_SLICE);
		put(t, domain, from + (to - from) / 2 + i, END,
		    work == RTEV_PHASE_COMPACT ? RTEV_PHASE_COMPACT_EVACUATE : RTEV_PHASE_MAJOR_SLICE);
	}
	put(t, domain, to, END, work);
}

/* A domain's part in a stop, from `begin` on. */
static void put_part(
    struct stream *t, unsigned domain, bool leader, bool barrier, uint64_t begin, uint64_t release)
{
	unsigned phase = leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER;
	uint64_t end = release + feed_below(&t->seed, one_in(t, 20) ? 20000 : 300);
	bool around = put_before(t, domain, begin);

	put(t, domain, begin, BEGIN, phase);
	if (barrier) {
		put(t, domain, begin + feed_below(&t->seed, 40), BEGIN, RTEV_PHASE_STW_API_BARRIER);
		put(t, domain, release, END, RTEV_PHASE_STW_API_BARRIER);
	}
	put_work(t, domain, release, end);
	put(t, domain, end + 1, END, phase);
	if (around)
		put(t, domain, end + 2, END, RTEV_PHASE_MAJOR_SLICE);
}

/* A stop led at `ts`; returns when the next may begin. */
static uint64_t put_stop(struct stream *t, unsigned leader, unsigned kind, uint64_t ts)
{
	uint64_t release = ts + 100 + feed_below(&t->seed, 3000);
	bool barrier = kind == STW_SYNC;

	put_part(t, leader, true, barrier && !one_in(t, 3), ts, release);
	for (unsigned d = 0; kind != STW_SOLO && d < t->domains; d++) {
		uint64_t begin = ts + 1 + feed_below(&t->seed, release - ts - 1);
		uint64_t over = barrier ? 0 : feed_below(&t->seed, 400);
		if (d != leader && !one_in(t, 30))
			put_part(t, d, false, barrier, begin, release + over);
	}
	if (one_in(t, 40))
		return ts; /* as if two led at once */
	return release + (one_in(t, 4) ? 0 : feed_below(&t->seed, one_in(t, 200) ? SECOND : 2000));
}

/* ---- streams ---- */

/* Before which all events have been read, if no domain is still to be read further back. */
static uint64_t read_to(const struct stream *t, uint64_t now)
{
	for (unsigned d = 0; d < t->domains; d++)
		if (t->lanes[d].count > 0 && t->lanes[d].events[0].ts < now)
			now = t->lanes[d].events[0].ts;
	return now;
}

/* Read the domains, most of them whole, and have stops put together. */
static void stream_read(struct stream *t, uint64_t now)
{
	for (unsigned i = 0, d = (unsigned)feed_below(&t->seed, t->domains); i < t->domains; i++)
		lane_read(
		    t, (d + i) % t->domains, one_in(t, 3) ? (unsigned)feed_below(&t->seed, 40) : EVENTS_MOST);
	uint64_t watermark = read_to(t, now);
	if (one_in(t, 20)) /* too late, or long ago */
		watermark += one_in(t, 2) ? 5000 : UINT64_C(0) - 5000;
	stw_advance(t->stw, one_in(t, 60) ? UINT64_MAX : watermark); /* also of spans that are still open */
	digest_new(t);
	if (one_in(t, 400)) {
		stw_reset(t->stw);
		t->told = 0;
	}
}

static void stream_init(struct stream *t, unsigned number)
{
	static const unsigned domains[] = {1, 2, 3, 4, 8, DOMAINS_MOST};
	static const unsigned faults[] = {0, 3, 30, 400};
	struct model_observer observer;

	*t = (struct stream){.seed = number,
	    .domains = domains[number % 6],
	    .faults = faults[number / 6 % 4],
	    .model = model_create(NULL),
	    .stw = stw_create()};
	model_callbacks(&t->calls);
	stw_observer(t->stw, &observer);
	CHECK(model_observe(t->model, &observer));
	if (number % 5 != 0)
		stw_look_into(t->stw, t->model);
	if (number % 7 == 6)
		stw_forget(t->stw);
}

/* Run a stream and write its line. */
static int stream_line(unsigned number, char *line, size_t size)
{
	static struct stream t;
	uint64_t ts = 100 * SECOND;
	unsigned leader = 0, kind = STW_SYNC;

	stream_init(&t, number);
	for (unsigned i = 0; i < STOPS; i++) {
		if (one_in(&t, 5))
			kind = (unsigned)feed_below(&t.seed, 3);
		if (one_in(&t, 3))
			leader = (unsigned)feed_below(&t.seed, t.domains);
		ts = put_stop(&t, leader, kind, ts);
		if (one_in(&t, number % 3 == 0 ? 2 : 20))
			stream_read(&t, ts);
	}
	for (unsigned d = 0; d < t.domains; d++)
		lane_read(&t, d, EVENTS_MOST);
	model_finish(t.model);
	stw_advance(t.stw, UINT64_MAX);
	digest_new(&t);
	digest_totals(&t, t.stw);
	struct stw *copy = stw_copy(t.stw);
	CHECK(copy != NULL);
	digest_totals(&t, copy);
	stw_destroy(copy);
	const struct stw_totals *all = stw_totals(t.stw);
	int length = snprintf(line, size,
	    "stream %u: sync %" PRIu64 " async %" PRIu64 " solo %" PRIu64 " partial %" PRIu64
	    " dropped %" PRIu64 " stray %" PRIu64 " digest %016" PRIx64 "\n",
	    number, all->kinds[STW_SYNC], all->kinds[STW_ASYNC], all->kinds[STW_SOLO], all->partial,
	    all->dropped, all->stray, t.digest);
	stw_destroy(t.stw);
	model_destroy(t.model);
	return length;
}

TEST(test_streams)
{
	static const char path[] = RTEV_TEST_DATA "/stw/streams.txt";
	const char *update = getenv("UPDATE_GOLDEN");
	bool anew = update != NULL && strcmp(update, "1") == 0;
	FILE *file = fopen(path, anew ? "w" : "r");
	char line[256], expected[256];

	CHECK(file != NULL);
	for (unsigned i = 0; i < STREAMS; i++) {
		int length = stream_line(i, line, sizeof(line));
		CHECK(length > 0 && (size_t)length < sizeof(line));
		if (anew) {
			CHECK(fputs(line, file) >= 0);
			continue;
		}
		CHECK(fgets(expected, sizeof(expected), file) != NULL);
		CHECK_STR(line, expected);
	}
	CHECK(anew || fgets(expected, sizeof(expected), file) == NULL);
	CHECK(fclose(file) == 0);
}
