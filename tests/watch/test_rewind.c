/*
 * test_rewind.c - the totals of an earlier stamp are those of a model that has been told of nothing later,
 * for random events of domains that come, end and come again, with losses and spans that are dropped.
 */
#include "support/test.h"

#include "watch/rewind.h"
#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define ATTACH (1000 * MS)
#define DOMAINS 6
#define EVENTS 1500
#define LOST_MOST 14 /* words at one time */
#define LENGTH (2000 * MS)

enum kind { OPEN, CLOSE, BIRTH, DEATH, LOST, INT };

struct event {
	enum kind kind;
	unsigned domain, id;
	uint64_t ts, known; /* known: the stamp that it counts from; of a loss that of the event before it */
};

struct play {
	struct event events[EVENTS];
	uint64_t seed;
};

static uint64_t below(struct play *p, uint64_t limit)
{
	p->seed = p->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (p->seed >> 33) % limit;
}

/* Make events up, in the order of time. */
static void play_make(struct play *p, uint64_t seed)
{
	uint64_t last[DOMAINS] = {0};
	bool alive[DOMAINS] = {false};

	p->seed = seed;
	for (unsigned i = 0; i < EVENTS; i++) {
		struct event *e = &p->events[i];
		unsigned what = (unsigned)below(p, 40), d = (unsigned)below(p, DOMAINS);
		/* Domain 0 runs before the attach and to the end. */
		uint64_t ts = ATTACH - 100 * MS + i * ((LENGTH + 100 * MS) / EVENTS) + below(p, MS);
		*e = (struct event){.domain = d, .ts = ts, .known = ts, .id = (unsigned)below(p, 5)};
		if (d > 0 && !alive[d])
			e->kind = BIRTH;
		else if (d > 0 && what == 0)
			e->kind = DEATH;
		else if (what == 1 && last[d] != 0)
			e->kind = LOST;
		else
			e->kind = what < 20 ? OPEN : what < 36 ? CLOSE : INT;
		if (e->kind == BIRTH || e->kind == DEATH)
			alive[d] = e->kind == BIRTH;
		if (e->kind == LOST)
			e->known = last[d];
		else
			last[d] = ts;
	}
}

/* A watch that has been told of what counts until a stamp. */
static struct watch *watch_of(const struct play *p, uint64_t until)
{
	static const rtev_phase phases[5] = {RTEV_PHASE_MINOR, RTEV_PHASE_MAJOR, RTEV_PHASE_MAJOR_SLICE,
	    RTEV_PHASE_DOMAIN_CONDITION_WAIT, RTEV_PHASE_STW_LEADER};
	struct watch *w = watch_create(&(struct watch_options){.attach_ts = ATTACH});
	struct rtev_user_event user = {.generation = 1, .name_len = 1, .name = "u"};
	struct rtev_callbacks calls;

	CHECK(w != NULL);
	model_callbacks(&calls);
	struct model *m = watch_model(w);
	for (unsigned i = 0; i < EVENTS; i++) {
		const struct event *e = &p->events[i];
		if (e->known > until)
			continue;
		switch (e->kind) {
		case OPEN:
			calls.begin(m, e->domain, e->ts, phases[e->id]);
			break;
		case CLOSE:
			calls.end(m, e->domain, e->ts, phases[e->id]);
			break;
		case BIRTH:
			calls.lifecycle(m, e->domain, e->ts, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
			break;
		case DEATH:
			calls.lifecycle(m, e->domain, e->ts, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 1);
			break;
		case LOST:
			calls.lost(m, e->domain, 10 + e->id, 0);
			break;
		case INT:
			calls.user_int(m, e->domain, e->ts, &user, 1);
			break;
		}
	}
	watch_advance(w, until, until);
	return w;
}

/* Compare with a model that has been told of nothing later. */
static void check_at(const struct play *p, const struct rewind *r, uint64_t at)
{
	struct watch *w = watch_of(p, at);
	const struct hist *pauses = model_pauses(watch_model(w));
	uint64_t observed = 0;
	unsigned seen = 0;
	const struct model_totals t = model_totals(watch_model(w));

	for (unsigned i = 0; i < DOMAINS; i++) {
		const struct model_domain *d = model_domain(watch_model(w), i);
		observed += d != NULL ? d->observed_ns : 0;
		seen += d != NULL && d->seen;
	}
	CHECK_INT(r->at, at);
	CHECK_INT(r->gc_ns, t.gc_ns);
	CHECK(r->wait_known);
	CHECK_INT(r->wait_ns, t.wait_ns);
	CHECK_INT(r->pauses.count, pauses->count);
	CHECK_INT(r->pauses.sum, pauses->sum);
	/* A loss counts from the latest event before it that the history keeps, which no end without a begin
	 * is. */
	CHECK(r->lost_words >= t.lost_words && r->lost_words <= t.lost_words + DOMAINS * LOST_MOST);
	CHECK_INT(r->seen, seen);
	CHECK_INT(r->running, t.running);
	CHECK_INT(r->observed_ns, observed);
	for (unsigned q = 0; q <= 100; q += 5)
		CHECK_NEAR((double)hist_percentile(&r->pauses, q, 100),
		    (double)hist_percentile(pauses, q, 100), 0.01 * (double)hist_percentile(pauses, q, 100));
	watch_destroy(w);
}

TEST(test_random_stamps)
{
	static struct play p;
	static struct rewind r;
	unsigned known = 0, asked = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		play_make(&p, seed);
		struct watch *w = watch_of(&p, ATTACH + LENGTH + 10 * MS);
		for (unsigned i = 0; i < 60; i++) {
			uint64_t at = ATTACH + below(&p, LENGTH);
			asked++;
			if (!rewind_to(&r, watch_model(w), watch_history(w), at))
				continue;
			known++;
			check_at(&p, &r, at);
		}
		CHECK(!rewind_to(&r, watch_model(w), watch_history(w), ATTACH - 1));
		rewind_fini(&r);
		watch_destroy(w);
	}
	printf("known %u times of %u\n", known, asked);
	CHECK(known > asked / 2);
}

/* Once events have given way nothing is known of the time before. */
TEST(test_given_way)
{
	static struct rewind r;
	struct watch *w =
	    watch_create(&(struct watch_options){.attach_ts = 1, .history_budget = HISTORY_BUDGET_MIN});
	struct rtev_callbacks calls;
	uint64_t ts = MS;

	CHECK(w != NULL);
	model_callbacks(&calls);
	for (unsigned i = 0; i < 400000; i++) {
		calls.begin(watch_model(w), 0, ts += 1000, RTEV_PHASE_MINOR);
		calls.end(watch_model(w), 0, ts += 1000, RTEV_PHASE_MINOR);
	}
	watch_advance(w, ts, ts);
	const struct history_range range = history_range(watch_history(w));
	CHECK(!range.complete);
	CHECK(!rewind_to(&r, watch_model(w), watch_history(w), range.from - 1));
	CHECK(rewind_to(&r, watch_model(w), watch_history(w), range.from));
	CHECK_INT(r.gc_ns, (range.from - MS) / 2000 * 1000);
	CHECK_NEAR((double)r.observed_ns, (double)range.from, (double)MS);
	rewind_fini(&r);
	watch_destroy(w);
}

/* What is observed of a file ends with an event, also if that is the begin of a span that was dropped later. */
TEST(test_begin_of_a_dropped_span)
{
	struct watch *w = watch_create(&(struct watch_options){0});
	struct rtev_callbacks calls;
	struct rewind r = {0};

	CHECK(w != NULL);
	model_callbacks(&calls);
	struct model *m = watch_model(w);
	calls.lifecycle(m, 0, 1 * MS, RTEV_LIFECYCLE_RING_START, 1);
	calls.begin(m, 0, 2 * MS, RTEV_PHASE_MINOR);
	calls.end(m, 0, 3 * MS, RTEV_PHASE_MINOR);
	calls.begin(m, 0, 10 * MS, RTEV_PHASE_MAJOR);
	calls.lost(m, 0, 5, 0);
	calls.begin(m, 0, 20 * MS, RTEV_PHASE_MINOR);
	calls.end(m, 0, 21 * MS, RTEV_PHASE_MINOR);
	watch_finish(w);
	CHECK(rewind_to(&r, m, watch_history(w), 12 * MS));
	CHECK_INT(r.observed_ns, 9 * MS);
	CHECK_INT(r.gc_ns, 1 * MS);
	rewind_fini(&r);
	watch_destroy(w);
}
