/*
 * trend_keeper.c - see trend_keeper.h.
 */
#include "record/trend_keeper.h"

#include <stdlib.h>

#include "trail/trail.h"
#include "watch/trend.h"

#define ADVANCE_NS 250000000u

struct kept_domain {
	bool counting;
	uint64_t events; /* counted so far */
};

struct trend_keeper {
	struct model *model;
	struct trend *trend;
	struct system_past *past;
	uint64_t attach_ts, now, watermark;
	struct kept_domain domains[MODEL_DOMAINS_MAX];
};

static void on_loss(void *ctx, unsigned domain, uint64_t from, uint64_t to)
{
	struct trend_keeper *k = ctx;

	trend_unread(k->trend, k->model, domain, from, to);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct trend_keeper *k = ctx;

	(void)domain;
	if (span->pause)
		trend_pause(k->trend, span->begin, span->end);
}

static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct trend_keeper *k = ctx;
	const struct heap *heap = &model_domain(k->model, domain)->heap;

	if (counter == RTEV_COUNTER_MINOR_ALLOCATED)
		trend_allocated(k->trend, ts, value);
	else if (counter == RTEV_COUNTER_MINOR_PROMOTED)
		trend_promoted(k->trend, ts, value);
	else if (heap->size_set)
		trend_heap(k->trend, domain, ts, heap->values[HEAP_SIZE]);
}

static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct trend_keeper *k = ctx;

	(void)data;
	if (domain >= MODEL_DOMAINS_MAX)
		return;
	trend_life(k->trend, k->model, domain, ts, event);
	if (event == RTEV_LIFECYCLE_DOMAIN_SPAWN || event == RTEV_LIFECYCLE_RING_START)
		trend_heap_forget(k->trend, domain);
}

static void on_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	struct trend_keeper *k = ctx;

	if (domain >= MODEL_DOMAINS_MAX)
		return;
	if (kind == MODEL_NOTE_RESTART && after_ts != 0)
		trend_restart(k->trend, after_ts);
	if (kind != MODEL_NOTE_LOST || after_ts == 0 || words <= history)
		return;
	trend_lost(k->trend, after_ts, words - history);
}

static void on_reattached(void *ctx)
{
	const struct trend_keeper *k = ctx;
	struct model_totals t;

	model_totals(k->model, &t);
	if (t.seen)
		trend_restart(k->trend, t.last_ts);
}

struct trend_keeper *trend_keeper_create(struct model *m, uint64_t attach_ts)
{
	struct trend_keeper *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return NULL;
	k->model = m;
	k->attach_ts = attach_ts;
	k->trend = trend_create(attach_ts);
	k->past = system_past_create();
	const struct model_observer observer = {.ctx = k,
	    .closed = on_closed,
	    .counter = on_counter,
	    .lifecycle = on_lifecycle,
	    .gap = on_gap,
	    .loss = on_loss,
	    .reattached = on_reattached};
	if (k->trend != NULL && k->past != NULL && model_observe(m, &observer))
		return k;
	trend_keeper_destroy(k);
	return NULL;
}

void trend_keeper_destroy(struct trend_keeper *k)
{
	if (k == NULL)
		return;
	trend_destroy(k->trend);
	system_past_destroy(k->past);
	free(k);
}

struct system_past *trend_keeper_system(struct trend_keeper *k)
{
	return k->past;
}

/* Count the events of a domain since the previous look. */
static void events_count(struct trend_keeper *k, const struct model_domain *m, uint64_t before)
{
	struct kept_domain *d = &k->domains[m->domain];
	uint64_t from = before > m->known_from ? before : m->known_from;

	/* What the ring still held from before the attach came at once, so it says nothing of a rate. */
	if (!d->counting && m->first_ts < k->attach_ts)
		d->events = m->events;
	d->counting = true;
	trend_events(k->trend, from > k->attach_ts ? from : k->attach_ts, k->now,
	    m->events > d->events ? m->events - d->events : 0);
	d->events = m->events;
}

/* Bring it up to date, now. */
static void advance(struct trend_keeper *k, uint64_t now, uint64_t watermark)
{
	uint64_t before = k->now;
	unsigned domains;

	k->now = now > k->now ? now : k->now;
	k->watermark = watermark > k->watermark ? watermark : k->watermark;
	model_set_now(k->model, k->now);
	domains = model_domains(k->model);
	for (unsigned i = 0; i < domains && i < MODEL_DOMAINS_MAX; i++) {
		const struct model_domain *m = model_domain(k->model, i);
		if (m != NULL && m->seen)
			events_count(k, m, before);
	}
	trend_advance(k->trend, k->model, k->now, k->watermark);
	trend_system(k->trend, k->past);
}

void trend_keeper_advance(struct trend_keeper *k, uint64_t now, uint64_t watermark)
{
	if (now >= k->now + ADVANCE_NS)
		advance(k, now, watermark);
}

void trend_keeper_file(struct trend_keeper *k, uint64_t from, uint64_t to)
{
	trend_mark(k->trend, TREND_MARK_FLIGHT, from, to, to - from);
}

/* Write the trend as it is now. */
static size_t fill(void *ctx, void *to, size_t room, uint64_t *ts)
{
	struct trend_keeper *k = ctx;
	struct model_totals t;

	model_totals(k->model, &t);
	if (t.seen)
		advance(k, t.now > t.last_ts ? t.now : t.last_ts, k->watermark);
	*ts = t.seen ? k->now : t.since_ts;
	return trend_save(k->trend, to, room);
}

struct recording_table trend_keeper_table(struct trend_keeper *k)
{
	return (struct recording_table){
	    .kind = TRAIL_NOTE_TREND, .room = TREND_SAVED, .fill = fill, .ctx = k};
}
