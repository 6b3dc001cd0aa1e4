/*
 * test_at_once.c - a begin and its end told at once come to the same as one after the other, and what the
 * watch takes in by itself to the same as what the parts take in as observers.
 *
 * Three models are fed with the same random events: the `plain` watch with begins and ends, the `joined` one
 * with both at once where an end follows its begin, and a model with the parts of a watch as its observers.
 */
#include "advice/collector_private.h"
#include "support/feed.h"
#include "support/mmu_feed.h"
#include "support/test.h"
#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define DOMAINS 3
#define ROUNDS 40
#define ACTIONS 600

struct side {
	struct watch *watch; /* NULL: the parts below are observers themselves */
	struct model *model;
	struct history *history;
	struct stw *stw;
	struct mmus *mmu;
	struct collector *collector;
};

struct stage {
	struct side plain, joined, parts;
	struct rtev_callbacks calls;
	uint64_t seed, now, ts[DOMAINS];
};

static const struct rtev_user_event request = {.id = 1, .generation = 1, .name_len = 7, .name = "request"};

static void side_watch(struct side *s)
{
	s->watch = watch_create(&(struct watch_options){.attach_ts = MS, .history_budget = 2u << 20});
	CHECK(s->watch != NULL);
	s->model = watch_model(s->watch);
	s->history = watch_history(s->watch);
	s->stw = watch_stw(s->watch);
	s->collector = collector_create(false, s->model, s->stw);
	CHECK(s->collector != NULL);
}

static void side_parts(struct side *s)
{
	struct model_observer observers[3];

	s->model = model_create(&(struct model_options){.attach_ts = MS});
	s->history = history_create(model_paths(s->model), 2u << 20);
	s->stw = stw_create();
	s->mmu = mmus_create();
	feed_history(s->history, &observers[0]);
	stw_observer(s->stw, &observers[1]);
	stw_look_into(s->stw, s->model);
	mmus_observer(s->mmu, &observers[2]);
	for (unsigned i = 0; i < 3; i++)
		CHECK(model_observe(s->model, &observers[i]));
}

/* ---- feeding ---- */

/* Call one of the callbacks for all sides. */
#define ALL(s, call, ...)                                                                                    \
	do {                                                                                                 \
		(s)->calls.call((s)->plain.model, __VA_ARGS__);                                              \
		(s)->calls.call((s)->joined.model, __VA_ARGS__);                                             \
		(s)->calls.call((s)->parts.model, __VA_ARGS__);                                              \
	} while (0)

/* The next stamp of a domain: mostly soon, now and then in another slice or second, rarely earlier. */
static uint64_t stamp(struct stage *s, unsigned domain)
{
	static const uint64_t steps[] = {50, 300, 2000, 20000, 3 * MS, 30 * MS, 400 * MS};
	uint64_t kind = feed_below(&s->seed, 1000), *ts = &s->ts[domain];

	if (kind == 0 && *ts > 100 * MS)
		*ts -= feed_below(&s->seed, 90 * MS);
	else
		*ts += feed_below(&s->seed, steps[kind < 400   ? 0
						  : kind < 700 ? 1
						  : kind < 900 ? 2
						  : kind < 970 ? 3
						  : kind < 990 ? 4
						  : kind < 998 ? 5
							       : 6]);
	if (*ts > s->now)
		s->now = *ts;
	return *ts;
}

static rtev_phase any_phase(struct stage *s)
{
	static const rtev_phase often[] = {RTEV_PHASE_STW_LEADER, RTEV_PHASE_STW_HANDLER,
	    RTEV_PHASE_STW_API_BARRIER, RTEV_PHASE_MINOR, RTEV_PHASE_MINOR_LOCAL_ROOTS,
	    RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS, RTEV_PHASE_INTERRUPT_REMOTE, RTEV_PHASE_MINOR_LEAVE_BARRIER,
	    RTEV_PHASE_DOMAIN_CONDITION_WAIT, RTEV_PHASE_EXPLICIT_GC_MINOR, RTEV_PHASE_COMPACT_EVACUATE};
	uint64_t kind = feed_below(&s->seed, 40);

	if (kind == 0)
		return (rtev_phase)(RTEV_OPAQUE + feed_below(&s->seed, 4));
	return kind < 30 ? often[feed_below(&s->seed, sizeof(often) / sizeof(often[0]))]
			 : (rtev_phase)feed_below(&s->seed, RTEV_PHASE_COUNT);
}

/* A begin, with the end that follows. */
static void leaf(struct stage *s, unsigned domain)
{
	uint64_t begin = stamp(s, domain), end = stamp(s, domain);
	rtev_phase phase = any_phase(s);

	s->calls.begin(s->plain.model, domain, begin, phase);
	s->calls.end(s->plain.model, domain, end, phase);
	s->calls.begin_end(s->joined.model, domain, begin, end, phase);
	s->calls.begin(s->parts.model, domain, begin, phase);
	s->calls.end(s->parts.model, domain, end, phase);
}

/* What comes seldom. */
static void rare(struct stage *s, unsigned domain)
{
	uint64_t ts = stamp(s, domain);
	rtev_phase phase = any_phase(s);
	bool begins = feed_below(&s->seed, 2) == 0;

	switch (feed_below(&s->seed, 12)) {
	case 0:
		ALL(s, lost, domain, 100, 0);
		break;
	case 1:
		ALL(s, corrupt, domain, 10);
		break;
	case 2:
		ALL(s, lifecycle, domain, ts, RTEV_LIFECYCLE_RING_RESUME, 0);
		break;
	case 3:
		ALL(s, lifecycle, domain, ts, RTEV_LIFECYCLE_DOMAIN_SPAWN, 7);
		break;
	case 4:
		if (feed_below(&s->seed, 8) == 0) {
			model_reset(s->plain.model);
			model_reset(s->joined.model);
			model_reset(s->parts.model);
		}
		break;
	case 5:
	case 6:
		ALL(s, end, domain, ts, phase);
		break;
	default:
		ALL(s, user_span, domain, ts, &request, begins);
		break;
	}
}

/* End the innermost span, if there is one. */
static void end_innermost(struct stage *s, unsigned domain)
{
	const struct model_domain *d = model_domain(s->plain.model, domain);

	if (d == NULL || d->depth == 0)
		return;
	rtev_phase phase = d->stack[d->depth - 1].phase;
	uint64_t ts = stamp(s, domain);
	ALL(s, end, domain, ts, phase);
}

static void act(struct stage *s)
{
	unsigned domain = (unsigned)feed_below(&s->seed, DOMAINS);
	uint64_t kind = feed_below(&s->seed, 100), ts;

	if (kind < 30) {
		leaf(s, domain);
	} else if (kind < 50) {
		rtev_phase phase = any_phase(s);
		ts = stamp(s, domain);
		ALL(s, begin, domain, ts, phase);
	} else if (kind < 85) {
		end_innermost(s, domain);
	} else if (kind < 95) {
		int64_t value = (int64_t)feed_below(&s->seed, 100000);
		ts = stamp(s, domain);
		ALL(s, counter, domain, ts,
		    kind < 90 ? RTEV_COUNTER_MINOR_ALLOCATED : RTEV_COUNTER_MINOR_PROMOTED, value);
	} else {
		rare(s, domain);
	}
}

/* ---- comparing ---- */

static void same_models(const struct model *a, const struct model *b)
{
	struct model_totals ta, tb;

	ta = model_totals(a);
	tb = model_totals(b);
	CHECK(memcmp(&ta, &tb, sizeof(ta)) == 0);
	for (unsigned i = 0; i < DOMAINS; i++) {
		const struct model_domain *da = model_domain(a, i), *db = model_domain(b, i);
		if (da == NULL)
			continue;
		CHECK_INT(da->depth, db->depth);
		CHECK_INT(da->phase_count, db->phase_count);
		CHECK_INT(da->pauses.sum, db->pauses.sum);
		CHECK_INT(da->events, db->events);
		for (size_t p = 0; p < da->phase_count; p++) {
			CHECK_INT(da->phases[p].count, db->phases[p].count);
			CHECK_INT(da->phases[p].total, db->phases[p].total);
			CHECK_INT(da->phases[p].self, db->phases[p].self);
			CHECK_INT(da->phases[p].max, db->phases[p].max);
			CHECK_INT(da->phases[p].open, db->phases[p].open);
		}
	}
	size_t na, nb;
	const struct model_worst *wa = model_worst(a, &na), *wb = model_worst(b, &nb);
	CHECK_INT(na, nb);
	for (size_t i = 0; i < na; i++) {
		CHECK_INT(wa[i].duration, wb[i].duration);
		CHECK_INT(wa[i].inside_count, wb[i].inside_count);
		for (size_t k = 0; k < wa[i].inside_count; k++)
			CHECK_INT(wa[i].inside[k].self, wb[i].inside[k].self);
	}
}

static void same_histories(const struct history *a, const struct history *b)
{
	static struct history_cursor ca, cb;
	struct history_record ea, eb;

	for (unsigned i = 0; i < DOMAINS; i++) {
		bool there = history_seek(a, i, 0, &ca);
		CHECK(there == history_seek(b, i, 0, &cb));
		while (there && history_next(&ca, UINT64_MAX, &ea)) {
			CHECK(history_next(&cb, UINT64_MAX, &eb));
			CHECK_INT(ea.kind, eb.kind);
			CHECK_INT(ea.id, eb.id);
			CHECK_INT(ea.ts, eb.ts);
			CHECK_INT(ea.begin, eb.begin);
			CHECK_INT(ea.value, eb.value);
			CHECK_INT(ea.depth, eb.depth);
		}
		CHECK(!there || !history_next(&cb, UINT64_MAX, &eb));
	}
}

static void same_stops(const struct stw *a, const struct stw *b)
{
	CHECK_INT(stw_totals(a)->stops, stw_totals(b)->stops);
	CHECK_INT(stw_totals(a)->wait, stw_totals(b)->wait);
	CHECK_INT(stw_totals(a)->partial, stw_totals(b)->partial);
	CHECK_INT(stw_totals(a)->stray, stw_totals(b)->stray);
	CHECK_INT(stw_totals(a)->dropped, stw_totals(b)->dropped);
	CHECK_INT(stw_recent_count(a), stw_recent_count(b));
	for (size_t i = 0; i < stw_recent_count(a); i++) {
		const struct stw_stop *sa = stw_recent(a, i), *sb = stw_recent(b, i);
		CHECK_INT(sa->begin, sb->begin);
		CHECK_INT(sa->duration, sb->duration);
		CHECK_INT(sa->work, sb->work);
		CHECK_INT(sa->phase, sb->phase);
		CHECK_INT(sa->doing.phase, sb->doing.phase);
	}
}

static void same_mmu(const struct mmu *a, const struct mmu *b, uint64_t now)
{
	double fa[MMU_WINDOWS] = {0}, fb[MMU_WINDOWS] = {0};

	CHECK(mmu_read(a, now, 0, fa) == mmu_read(b, now, 0, fb));
	CHECK(memcmp(fa, fb, sizeof(fa)) == 0);
}

static void same_watches(struct watch *a, struct watch *b, uint64_t now)
{
	size_t na, nb;
	const struct path *pa = paths_list(watch_paths(a), &na), *pb = paths_list(watch_paths(b), &nb);

	CHECK_INT(na, nb);
	for (size_t i = 0; i < na; i++) {
		CHECK_INT(pa[i].phase, pb[i].phase);
		CHECK_INT(pa[i].depth, pb[i].depth);
		CHECK_INT(pa[i].count, pb[i].count);
		CHECK_INT(pa[i].total, pb[i].total);
		CHECK_INT(pa[i].self, pb[i].self);
		CHECK_INT(pa[i].max, pb[i].max);
		CHECK_INT(pa[i].longest->count, pb[i].longest->count);
	}
	for (unsigned i = 0; i < DOMAINS; i++) {
		for (int m = 0; m < WATCH_MEASURES; m++) {
			struct watch_recent ra = {0}, rb = {0};
			bool known = watch_recent(a, i, (enum watch_measure)m, now, 60000 * MS, &ra);
			CHECK(known == watch_recent(b, i, (enum watch_measure)m, now, 60000 * MS, &rb));
			CHECK_NEAR(ra.sum, rb.sum, 1);
			CHECK_INT(ra.from, rb.from);
		}
		same_mmu(watch_mmu(a, i), watch_mmu(b, i), now);
	}
}

static void same_collected(const struct domain *a, const struct domain *b)
{
	CHECK(memcmp(a->slots, b->slots, sizeof(a->slots)) == 0);
	CHECK_INT(a->full_bytes, b->full_bytes);
	CHECK_INT(a->leader, b->leader);
	CHECK_INT(a->handler, b->handler);
	CHECK_INT(a->interrupt, b->interrupt);
	CHECK_INT(a->explicit, b->explicit);
	CHECK_INT(a->handler_alone, b->handler_alone);
	CHECK_INT(a->lead_end, b->lead_end);
	CHECK_INT(a->lead_ns, b->lead_ns);
}

static void compare(struct stage *s)
{
	uint64_t mark = s->now > 500 * MS ? s->now - 500 * MS : 0;

	watch_advance(s->plain.watch, s->now, mark);
	watch_advance(s->joined.watch, s->now, mark);
	model_set_now(s->parts.model, s->now);
	stw_advance(s->parts.stw, mark);
	same_models(s->plain.model, s->joined.model);
	same_models(s->plain.model, s->parts.model);
	same_histories(s->plain.history, s->joined.history);
	same_histories(s->plain.history, s->parts.history);
	same_stops(s->plain.stw, s->joined.stw);
	same_stops(s->plain.stw, s->parts.stw);
	for (unsigned i = 0; i < DOMAINS; i++)
		same_mmu(watch_mmu(s->plain.watch, i), mmus_of(s->parts.mmu, i), s->now);
	same_watches(s->plain.watch, s->joined.watch, s->now);
	collector_settle_all(s->plain.collector);
	CHECK(memcmp(s->plain.collector->slots, s->joined.collector->slots,
		  sizeof(s->plain.collector->slots)) == 0);
	for (unsigned i = 0; i < DOMAINS; i++)
		if (s->plain.collector->domains[i] != NULL)
			same_collected(s->plain.collector->domains[i], s->joined.collector->domains[i]);
}

static void run(uint64_t seed)
{
	static struct stage s;

	s = (struct stage){.seed = seed, .now = MS};
	for (unsigned i = 0; i < DOMAINS; i++)
		s.ts[i] = 2 * MS;
	model_callbacks(&s.calls);
	side_watch(&s.plain);
	side_watch(&s.joined);
	side_parts(&s.parts);
	for (unsigned r = 0; r < ROUNDS; r++) {
		for (unsigned i = 0; i < ACTIONS; i++) {
			act(&s);
			/* What a collector takes in later is what it would have taken in at once. */
			collector_settle_all(s.joined.collector);
		}
		compare(&s);
	}
	collector_destroy(s.plain.collector);
	collector_destroy(s.joined.collector);
	watch_destroy(s.plain.watch);
	watch_destroy(s.joined.watch);
	model_destroy(s.parts.model);
	history_destroy(s.parts.history);
	stw_destroy(s.parts.stw);
	free(s.parts.mmu);
}

TEST(test_random)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		run(seed);
}
