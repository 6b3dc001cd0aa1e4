/*
 * watch.c - create the parts of a watch, feed them, and keep its rates.
 */
#include "model/watch.h"

#include <math.h>
#include <stdlib.h>

/* Gauges of the major heap. */
enum { HEAP_WORDS, HEAP_POOL, HEAP_LIVE, HEAP_FRAGMENTS, HEAP_LARGE, HEAP_GAUGES };

static const rtev_counter heap_counters[HEAP_GAUGES] = {
    [HEAP_WORDS] = RTEV_C_MAJOR_HEAP_WORDS,
    [HEAP_POOL] = RTEV_C_MAJOR_HEAP_POOL_WORDS,
    [HEAP_LIVE] = RTEV_C_MAJOR_HEAP_POOL_LIVE_WORDS,
    [HEAP_FRAGMENTS] = RTEV_C_MAJOR_HEAP_POOL_FRAG_WORDS,
    [HEAP_LARGE] = RTEV_C_MAJOR_HEAP_LARGE_WORDS,
};

/* What is kept of a user slot on one domain. */
struct watch_user {
	struct series *values; /* of an int, NULL for others */
	struct series *events; /* their number, of a span its ends */
};

/* What is kept of one domain. */
struct watch_domain {
	struct series *measures[WATCH_MEASURES];
	uint64_t latest[WATCH_MEASURES]; /* stamps of their latest values, 0 before the first */
	struct watch_user *users;	 /* by slot */
	size_t user_count;
	double gauges[HEAP_GAUGES]; /* their last values; NAN until one has come */
	uint64_t events;	    /* of the model's count, those already in the series */
};

struct watch {
	struct model *model;
	struct flame *flame;
	struct history *history;
	struct stw *stw;
	struct paths *paths;
	struct mmu *mmu;
	struct watch_domain **domains; /* by slot, NULL where nothing has come */
	unsigned domain_count;
	size_t series_count;
	uint64_t now;
	uint64_t attach_ts; /* 0 for a file */
};

/* How the values of a measure combine. */
static enum series_mode measure_mode(enum watch_measure measure)
{
	return measure == WATCH_HEAP ? SERIES_LAST : SERIES_SUM;
}

/* Forget a domain's heap. */
static void heap_forget(struct watch_domain *d)
{
	for (int g = 0; g < HEAP_GAUGES; g++)
		d->gauges[g] = NAN;
	if (d->measures[WATCH_HEAP] != NULL)
		series_reset(d->measures[WATCH_HEAP]);
}

/* Make the record of a domain. */
static struct watch_domain *domain_make(void)
{
	struct watch_domain *d = calloc(1, sizeof(*d));

	if (d != NULL)
		heap_forget(d);
	return d;
}

/* Return the record of a domain, made if need be; NULL when memory ran out or the number is absurd. */
static struct watch_domain *domain_of(struct watch *w, unsigned domain)
{
	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	if (domain >= w->domain_count) {
		struct watch_domain **got = reallocarray(w->domains, domain + 1, sizeof(got[0]));
		if (got == NULL)
			return NULL;
		while (w->domain_count <= domain)
			got[w->domain_count++] = NULL;
		w->domains = got;
	}
	if (w->domains[domain] == NULL)
		w->domains[domain] = domain_make();
	return w->domains[domain];
}

/* Add a value to a measure. */
static void measure_add(
    struct watch *w, unsigned domain, enum watch_measure measure, uint64_t ts, double value)
{
	struct watch_domain *d = domain_of(w, domain);

	if (d == NULL)
		return;
	if (ts > d->latest[measure])
		d->latest[measure] = ts;
	if (d->measures[measure] == NULL)
		d->measures[measure] = series_create(measure_mode(measure), WATCH_STEP, WATCH_STEPS);
	if (d->measures[measure] != NULL)
		series_add(d->measures[measure], ts, value);
}

/* Return what is kept of a user slot, made if need be; NULL when memory ran out. */
static struct watch_user *user_of(struct watch *w, unsigned domain, unsigned slot)
{
	struct watch_domain *d = domain_of(w, domain);

	if (d == NULL)
		return NULL;
	if (slot >= d->user_count) {
		struct watch_user *got = reallocarray(d->users, slot + 1, sizeof(got[0]));
		if (got == NULL)
			return NULL;
		while (d->user_count <= slot)
			got[d->user_count++] = (struct watch_user){0};
		d->users = got;
	}
	return &d->users[slot];
}

/* Add a value to a series of a user slot, made if need be and there are not too many. */
static void user_add(
    struct watch *w, struct series **series, enum series_mode mode, uint64_t ts, double value)
{
	if (*series == NULL && w->series_count < WATCH_SERIES_MAX) {
		*series = series_create(mode, WATCH_STEP, WATCH_STEPS);
		w->series_count++;
	}
	if (*series != NULL)
		series_add(*series, ts, value);
}

/* A phase ended. */
static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	const struct watch *w = ctx;

	if (span->stale)
		return; /* begun before a reset */
	paths_closed(w->paths, domain, span);
	if (span->phase == RTEV_PHASE_MINOR)
		measure_add(ctx, domain, WATCH_MINORS, span->end, 1);
	else if (span->phase == RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS)
		measure_add(ctx, domain, WATCH_CYCLES, span->end, 1);
	if (span->pause)
		measure_add(ctx, domain, WATCH_GC, span->end, (double)(span->end - span->begin));
}

/* A phase began. */
static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	const struct watch *w = ctx;

	(void)ts;
	paths_opened(w->paths, domain, phase, depth);
}

/* The totals begin anew. */
static void on_reset(void *ctx, uint64_t now)
{
	const struct watch *w = ctx;

	(void)now;
	paths_reset(w->paths);
	stw_reset(w->stw);
}

/* The place of a counter among the gauges of the heap; HEAP_GAUGES: it is none of them. */
static int heap_gauge_of(rtev_counter counter)
{
	int g = 0;

	while (g < HEAP_GAUGES && heap_counters[g] != counter)
		g++;
	return g;
}

/* Keep a gauge of a domain's heap, and put the level of its heap together. */
static void heap_gauge(struct watch *w, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	int gauge = heap_gauge_of(counter);
	struct watch_domain *d = gauge != HEAP_GAUGES ? domain_of(w, domain) : NULL;

	if (d == NULL)
		return;
	d->gauges[gauge] = value > 0 ? (double)value : 0;
	/* Those inside the pools say nothing of the whole, and neither do pools once the whole has come. */
	if (gauge == HEAP_WORDS)
		measure_add(w, domain, WATCH_HEAP, ts, d->gauges[HEAP_WORDS]);
	else if ((gauge == HEAP_POOL || gauge == HEAP_LARGE) && isnan(d->gauges[HEAP_WORDS]))
		measure_add(w, domain, WATCH_HEAP, ts,
		    (isnan(d->gauges[HEAP_POOL]) ? 0 : d->gauges[HEAP_POOL]) +
			(isnan(d->gauges[HEAP_LARGE]) ? 0 : d->gauges[HEAP_LARGE]));
}

/* A slot has a new domain, whose heap is not that of the one before. */
static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	(void)ts, (void)data;
	if (event != RTEV_LIFECYCLE_DOMAIN_SPAWN && event != RTEV_LIFECYCLE_RING_START)
		return;
	struct watch_domain *d = domain_of(ctx, domain);
	if (d != NULL)
		heap_forget(d);
}

/* A counter came. */
static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	switch (counter) {
	case RTEV_C_MINOR_ALLOCATED:
		measure_add(ctx, domain, WATCH_ALLOCATED, ts, (double)value);
		break;
	case RTEV_C_MINOR_PROMOTED:
		measure_add(ctx, domain, WATCH_PROMOTED, ts, (double)value);
		break;
	case RTEV_C_MAJOR_ALLOCATED_WORDS:
		measure_add(ctx, domain, WATCH_MAJOR, ts, (double)value);
		break;
	default:
		heap_gauge(ctx, domain, ts, counter, value);
		break;
	}
}

/* A user event came. */
static void on_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	struct watch *w = ctx;
	struct watch_user *u = user_of(w, domain, slot);

	if (u == NULL)
		return;
	if (model_user_slot(w->model, slot)->kind == MODEL_USER_INT)
		user_add(w, &u->values, SERIES_LAST, ts, (double)value);
	user_add(w, &u->events, SERIES_SUM, ts, 1);
}

/* A user span ended. */
static void on_user_closed(void *ctx, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	struct watch_user *u = user_of(ctx, domain, slot);

	(void)begin;
	if (u != NULL)
		user_add(ctx, &u->events, SERIES_SUM, end, 1);
}

/* Words were lost. */
static void on_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	if (kind == MODEL_NOTE_LOST && after_ts != 0 && words > history)
		measure_add(ctx, domain, WATCH_LOST, after_ts, (double)(words - history));
}

/* Create a watch. */
struct watch *watch_create(const struct watch_options *options)
{
	struct watch *w = calloc(1, sizeof(*w));
	struct model_observer observers[5] = {0};

	if (w == NULL)
		return NULL;
	w->attach_ts = options->attach_ts;
	w->model = model_create(
	    &(struct model_options){.size = sizeof(struct model_options), .attach_ts = options->attach_ts});
	w->flame = flame_create();
	w->history = history_create(options->history_budget);
	w->stw = stw_create();
	w->paths = paths_create();
	w->mmu = mmu_create();
	if (w->model == NULL || w->flame == NULL || w->history == NULL || w->stw == NULL ||
	    w->paths == NULL || w->mmu == NULL)
		goto fail;
	flame_observer(w->flame, &observers[0]);
	history_observer(w->history, &observers[1]);
	stw_observer(w->stw, &observers[2]);
	mmu_observer(w->mmu, &observers[3]);
	observers[4] = (struct model_observer){.ctx = w,
	    .opened = on_opened,
	    .closed = on_closed,
	    .counter = on_counter,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .user_closed = on_user_closed,
	    .gap = on_gap,
	    .reset = on_reset};
	for (int i = 0; i < 5; i++)
		if (!model_observe(w->model, &observers[i]))
			goto fail;
	return w;
fail:
	watch_destroy(w);
	return NULL;
}

/* Free a watch. */
void watch_destroy(struct watch *w)
{
	if (w == NULL)
		return;
	model_destroy(w->model);
	flame_destroy(w->flame);
	history_destroy(w->history);
	stw_destroy(w->stw);
	paths_destroy(w->paths);
	mmu_destroy(w->mmu);
	for (unsigned i = 0; i < w->domain_count; i++) {
		struct watch_domain *d = w->domains[i];
		if (d == NULL)
			continue;
		for (int m = 0; m < WATCH_MEASURES; m++)
			series_destroy(d->measures[m]);
		for (size_t u = 0; u < d->user_count; u++) {
			series_destroy(d->users[u].values);
			series_destroy(d->users[u].events);
		}
		free(d->users);
		free(d);
	}
	free(w->domains);
	free(w);
}

/* Return the parts. */
struct model *watch_model(struct watch *w)
{
	return w->model;
}

struct flame *watch_flame(struct watch *w)
{
	return w->flame;
}

struct history *watch_history(struct watch *w)
{
	return w->history;
}

struct stw *watch_stw(struct watch *w)
{
	return w->stw;
}

/* Bring the series of one domain up to date. */
static void domain_advance(struct watch *w, unsigned domain, const struct model_domain *m)
{
	struct watch_domain *d = domain_of(w, domain);

	if (d == NULL)
		return;
	/* Counting events one by one would cost more than the model does: the model's own count has them all. */
	uint64_t before = m->events < d->events ? 0 : d->events;
	/* What the ring still held from before the attach came at once, so it says nothing of a rate. */
	if (d->measures[WATCH_EVENTS] == NULL && m->seen && m->first_ts < w->attach_ts)
		before = m->events;
	measure_add(w, domain, WATCH_EVENTS, w->now, (double)(m->events - before));
	d->events = m->events;
	for (int k = 0; k < WATCH_MEASURES; k++)
		if (d->measures[k] != NULL)
			series_advance(d->measures[k], w->now);
	for (size_t u = 0; u < d->user_count; u++) {
		if (d->users[u].values != NULL)
			series_advance(d->users[u].values, w->now);
		if (d->users[u].events != NULL)
			series_advance(d->users[u].events, w->now);
	}
}

struct paths *watch_paths(struct watch *w)
{
	return w->paths;
}

const struct mmu *watch_mmu(const struct watch *w)
{
	return w->mmu;
}

/* Bring the series of all domains up to date. */
static void domains_advance(struct watch *w, const struct model_totals *t)
{
	for (unsigned i = 0; i < t->domains; i++) {
		const struct model_domain *m = model_domain(w->model, i);
		if (m != NULL)
			domain_advance(w, i, m);
	}
}

/* Say what time it is. */
void watch_advance(struct watch *w, uint64_t now, uint64_t watermark)
{
	struct model_totals t;

	w->now = now;
	model_set_now(w->model, now);
	stw_advance(w->stw, watermark);
	model_totals(w->model, &t);
	domains_advance(w, &t);
}

/* No more events will come. */
void watch_finish(struct watch *w)
{
	struct model_totals t;

	model_finish(w->model);
	stw_advance(w->stw, UINT64_MAX);
	model_totals(w->model, &t);
	/* A file has no other time than that of its events. */
	if (t.last_ts > w->now)
		w->now = t.last_ts;
	domains_advance(w, &t);
}

/* Return the series of a measure. */
const struct series *watch_series(const struct watch *w, unsigned domain, enum watch_measure measure)
{
	if (domain >= w->domain_count || w->domains[domain] == NULL || (unsigned)measure >= WATCH_MEASURES)
		return NULL;
	return w->domains[domain]->measures[measure];
}

/* Tell whether a value has come. */
bool watch_heard(const struct watch *w, enum watch_measure measure, uint64_t from)
{
	for (unsigned i = 0; i < w->domain_count; i++)
		if (watch_series(w, i, measure) != NULL && w->domains[i]->latest[measure] >= from)
			return true;
	return false;
}

/* What is known of a user slot on a domain; NULL: nothing. */
static const struct watch_user *user_known(const struct watch *w, unsigned domain, size_t slot)
{
	if (domain >= w->domain_count || w->domains[domain] == NULL || slot >= w->domains[domain]->user_count)
		return NULL;
	return &w->domains[domain]->users[slot];
}

/* Return the series of a user slot. */
const struct series *watch_user_series(const struct watch *w, unsigned domain, size_t slot)
{
	const struct watch_user *u = user_known(w, domain, slot);

	if (u == NULL)
		return NULL;
	return model_user_slot(w->model, slot)->kind == MODEL_USER_INT ? u->values : u->events;
}

/* Return the number of a user slot's events. */
const struct series *watch_user_events(const struct watch *w, unsigned domain, size_t slot)
{
	const struct watch_user *u = user_known(w, domain, slot);

	return u != NULL ? u->events : NULL;
}

/* Return the rate of a measure. */
double watch_rate(const struct watch *w, enum watch_measure measure, uint64_t now, uint64_t window)
{
	bool shared = measure == WATCH_MINORS || measure == WATCH_CYCLES;
	double result = NAN;

	for (unsigned i = 0; i < w->domain_count; i++) {
		const struct series *s = watch_series(w, i, measure);
		double rate = s != NULL ? series_rate(s, now, window) : NAN;
		if (isnan(rate))
			continue;
		if (isnan(result))
			result = rate;
		else if (!shared)
			result += rate;
		else if (rate > result)
			result = rate;
	}
	return result;
}

/* Whether a domain has its heap still: a ring that stopped says nothing of the end of its domain. */
static bool domain_stands(const struct model_domain *d, const struct model_totals *t)
{
	return d->state == MODEL_DOMAIN_RUNNING || (d->stopped && t->stopped);
}

/* Which domains a level counts. */
struct level_rule {
	struct model_totals totals;
	bool standing; /* those that have their heap still; else: */
	unsigned last; /* the one that ended last, which was the whole before its end */
};

/* Find out which domains a level counts. */
static struct level_rule level_rule(const struct watch *w)
{
	struct level_rule rule = {0};
	uint64_t last_ts = 0;

	model_totals(w->model, &rule.totals);
	for (unsigned i = 0; i < rule.totals.domains; i++) {
		const struct model_domain *d = model_domain(w->model, i);
		if (d == NULL)
			continue;
		rule.standing |= domain_stands(d, &rule.totals);
		if (d->last_ts >= last_ts) {
			last_ts = d->last_ts;
			rule.last = i;
		}
	}
	return rule;
}

/* Whether a level counts a domain. */
static bool level_counts(const struct watch *w, const struct level_rule *rule, unsigned domain)
{
	const struct model_domain *d = model_domain(w->model, domain);

	if (d == NULL)
		return false;
	return rule->standing ? domain_stands(d, &rule->totals) : domain == rule->last;
}

/* Return the sum of a level. */
double watch_level(const struct watch *w, enum watch_measure measure)
{
	const struct level_rule rule = level_rule(w);
	double sum = NAN;

	for (unsigned i = 0; i < w->domain_count; i++) {
		const struct series *s = watch_series(w, i, measure);
		double value = s != NULL && level_counts(w, &rule, i) ? series_latest(s) : NAN;
		if (!isnan(value))
			sum = isnan(sum) ? value : sum + value;
	}
	return sum;
}

/* Return the sum of a gauge of the heap. */
double watch_gauge(const struct watch *w, rtev_counter counter)
{
	const struct level_rule rule = level_rule(w);
	int gauge = heap_gauge_of(counter);
	double sum = NAN;

	for (unsigned i = 0; i < w->domain_count && gauge != HEAP_GAUGES; i++) {
		const struct watch_domain *d = w->domains[i];
		double value = d != NULL && level_counts(w, &rule, i) ? d->gauges[gauge] : NAN;
		if (!isnan(value))
			sum = isnan(sum) ? value : sum + value;
	}
	return sum;
}
