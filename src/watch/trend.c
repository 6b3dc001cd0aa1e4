/*
 * trend.c - count events in the steps of a trend, and the time in which they could be observed.
 *
 * A pause of the target becomes known by the resume that ends it, and begins at the latest event before it.
 * So time is settled up to the latest event of any ring before the watermark; the tail follows.  Lives are
 * counted as in model/domain.c.
 */
#include "watch/trend_private.h"

#include <assert.h>

#include "core/array.h"
#include "core/sum.h"

static_assert(sizeof(struct trend_cell) == 128, "a cell is of two cache lines");
static_assert(sizeof(struct trend) <= TREND_BYTES, "a week fits into what is promised");

/* A stamp this far ahead of the latest one is invalid. */
#define AHEAD_MAX TREND_WEEK

/* Seconds over which pauses and losses may be spread between two looks.  A domain has one pause at a time, so
 * pauses with stamps in order need far fewer. */
#define SPREADS_MAX (1u << 20)

/* A longer row of samples is ignored: we were stopped meanwhile, and it does not show when something
 * happened. */
#define ROW_MAX (60 * TREND_SECOND)

struct trend *trend_create(const struct model *m, uint64_t attach_ts)
{
	struct trend *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->model = m;
	t->live = attach_ts != 0;
	t->attach_ts = t->latest = t->heap_ts = attach_ts;
	t->heap = NAN;
	t->spreads = SPREADS_MAX;
	return t;
}

void trend_destroy(struct trend *t)
{
	free(t);
}

struct trend *trend_copy(const struct trend *from)
{
	bool ok = true;
	struct trend *t = copy_bytes(from, sizeof(*from), &ok);

	if (t != NULL)
		t->model = NULL;
	return t;
}

/* Return whether a stamp is plausible. */
static bool plausible(const struct trend *t, uint64_t ts)
{
	return !t->live || ts < t->latest || ts - t->latest < AHEAD_MAX;
}

/* ---- events ---- */

/* Add the time of a pause. */
static void gc_add(struct trend_cell *c, const struct trend_part *part, const void *what)
{
	c->gc_ns = sum_saturating(c->gc_ns, part->to - part->from);
	c->flags |= part->folded ? TREND_UNRATED : 0;
}

void trend_pauses(struct trend *t, const struct pauses *pauses)
{
	const uint64_t begin = pauses->list[0].begin, end = pauses->list[pauses->count - 1].end;
	struct trend_cell *cells[TREND_TIER_COUNT];

	if (!plausible(t, end))
		return;
	for (unsigned i = trend_cells_find(t, end, cells); i-- > 0;) {
		trend_add_32(&cells[i]->pauses, pauses->count);
		cells[i]->pause_max = pauses->most > cells[i]->pause_max ? pauses->most : cells[i]->pause_max;
	}
	if (trend_is_hot(t, end) && begin >= t->hot.from)
		t->hot.cell->gc_ns = sum_saturating(t->hot.cell->gc_ns, pauses->sum);
	else
		for (const struct pause *p = pauses->list; p < pauses->list + pauses->count; p++)
			trend_spread(t, trend_spread_from(t, p->begin, p->end), p->end, gc_add, NULL);
	trend_hists_count(t, pauses);
}

/* Set the heap's level in the steps of a period. */
static void heap_add(struct trend_cell *c, const struct trend_part *part, const void *what)
{
	trend_level_add(&c->heap, (c->flags & TREND_HAS_HEAP) != 0, what);
	c->flags |= TREND_HAS_HEAP;
}

/* Update the heap: its last value holds up to when it was reported, and the model's value from then on. */
static void heap_look(struct trend *t, uint64_t ts)
{
	uint64_t told = t->heap_told > t->heap_ts ? t->heap_told : t->heap_ts;
	float before = (float)t->heap, now = (float)model_level(t->model, HEAP_SIZE).words;

	/* In a file the rings are read one after the other: the sum of the heaps at a past time is then
	 * unknown. */
	t->heap_late |= !t->live && ts < t->heap_ts;
	if (t->heap_late || ts < t->heap_ts)
		return;
	told = told < ts ? told : ts;
	if (!isnan(before))
		trend_spread(t, t->heap_ts, told, heap_add, &(struct trend_level){before, before, before});
	if (!isnan(now))
		trend_spread(t, told, ts + 1, heap_add, &(struct trend_level){now, now, now});
	t->heap = (double)now;
	t->heap_ts = ts;
}

void trend_counter(struct trend *t, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct trend_cell *cells[TREND_TIER_COUNT];
	bool allocated = counter == RTEV_COUNTER_MINOR_ALLOCATED;

	if (!plausible(t, ts))
		return;
	if (!allocated && counter != RTEV_COUNTER_MINOR_PROMOTED) {
		/* The heap of a live target is updated at looks: its rings are read one after the other, and
		 * the model's values after all of them belong to one time. */
		if (model_domain(t->model, domain)->heap.size_set) {
			t->heap_told = ts > t->heap_told ? ts : t->heap_told;
			if (!t->live)
				heap_look(t, ts);
		}
		return;
	}
	if (value < 0)
		return;
	*(allocated ? &t->has_allocated : &t->has_promoted) = true;
	for (unsigned i = trend_cells_find(t, ts, cells); i-- > 0;) {
		uint64_t *sum = allocated ? &cells[i]->allocated : &cells[i]->promoted;
		*sum = sum_saturating(*sum, (uint64_t)value);
	}
}

void trend_mark(struct trend *t, enum trend_mark_kind kind, uint64_t from, uint64_t to, uint64_t value)
{
	struct trend_ring *ring = &t->marks[kind];
	struct trend_mark *last = ring->count > 0 ? &ring->marks[(ring->count - 1) % TREND_MARKS_KEPT] : NULL;

	if (!plausible(t, from))
		return;
	if (last != NULL && last->from / TREND_SECOND == from / TREND_SECOND) {
		last->to = to > last->to ? to : last->to;
		last->value = sum_saturating(last->value, value);
		trend_add_32(&last->count, 1);
		return;
	}
	ring->marks[ring->count++ % TREND_MARKS_KEPT] =
	    (struct trend_mark){.from = from, .to = to, .value = value, .count = 1, .kind = kind};
}

/* ---- the time that was seen and observed ---- */

/* The kind of time that is added. */
enum gain { GAIN_SEEN, GAIN_OBSERVED, GAIN_LOST };

/* Add time. */
static void time_add(struct trend_cell *c, const struct trend_part *part, const void *what)
{
	const enum gain *gain = what;
	uint64_t time = part->to - part->from;

	if (*gain == GAIN_OBSERVED)
		c->observed_ns += time;
	else if (*gain == GAIN_LOST)
		c->observed_ns -= time < c->observed_ns ? time : c->observed_ns;
	else
		c->seen_ns += time;
	/* Without events, a second that is no longer kept was idle, or it would have been folded.  But times
	 * before the attach are not known second by second. */
	if (*gain == GAIN_SEEN && part->folded && time >= TREND_SECOND &&
	    ((c->flags & TREND_RATED) != 0 || (c->pauses | c->allocated | c->promoted | c->gc_ns) == 0))
		trend_rate_add(c, (float[TREND_RATES]){0});
}

/* Add a period, without the pauses of the target in it. */
static void gain(struct trend *t, enum gain what, uint64_t from, uint64_t to)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(t->model, &count);
	size_t i = count;

	while (i > 0 && pauses[i - 1].to > from)
		i--;
	for (; i < count && from < to && pauses[i].from < to; i++) {
		trend_spread(t, from, pauses[i].from, time_add, &what);
		from = pauses[i].to > from ? pauses[i].to : from;
	}
	trend_spread(t, from, to, time_add, &what);
}

/* Count the lives that have ended. */
static void ended_count(struct trend *t)
{
	for (unsigned i = 0; i < t->ended_count; i++)
		gain(t, GAIN_OBSERVED, t->ended[i].from, t->ended[i].to);
	t->ended_count = 0;
}

/* A domain's life has ended, or is interrupted by a loss. */
static void ended_add(struct trend *t, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	if (t->ended_count == TREND_ENDED)
		ended_count(t);
	t->ended[t->ended_count++] = (struct trend_life){.from = from, .to = to};
}

/* Register a domain; the seen time may begin with it. */
static void notice(struct trend *t, const struct model_domain *m)
{
	struct trend_domain *d = &t->domains[m->domain];

	if (m->domain >= t->domain_limit)
		t->domain_limit = m->domain + 1;
	d->noticed = d->alive = true;
	t->alive++;
	d->since = m->known_from;
	if (!t->seen) {
		t->seen = true;
		t->seen_from = t->settled = t->tail_to = d->since;
	} else if (d->since < t->seen_from) {
		gain(t, GAIN_SEEN, d->since, t->seen_from);
		t->seen_from = d->since;
	}
}

/* A domain exists again. */
static void revive(struct trend *t, struct trend_domain *d, uint64_t since)
{
	t->alive += !d->alive;
	d->since = d->alive ? d->since : since;
	d->alive = true;
}

/* A domain has ended. */
static void end_life(struct trend *t, struct trend_domain *d, uint64_t ts)
{
	d->alive = false;
	t->alive--;
	ended_add(t, d->since, ts);
	d->since = ts > d->since ? ts : d->since;
}

/* A domain was started or ended. */
static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct trend *t = ctx;
	const struct model_domain *known = model_domain(t->model, domain);

	if (domain >= MODEL_DOMAINS_MAX || known == NULL || !t->live || !plausible(t, ts))
		return;
	struct trend_domain *d = &t->domains[domain];
	if (!d->noticed)
		notice(t, known);
	t->heap_told = ts > t->heap_told ? ts : t->heap_told;
	switch (event) {
	case RTEV_LIFECYCLE_RING_START:
		t->stopped = false;
		revive(t, d, ts);
		break;
	case RTEV_LIFECYCLE_DOMAIN_SPAWN:
		revive(t, d, ts);
		break;
	case RTEV_LIFECYCLE_RING_STOP:
		t->stopped = true;
		t->stop_ts = ts;
		/* fallthrough */
	case RTEV_LIFECYCLE_DOMAIN_TERMINATE:
		if (d->alive)
			end_life(t, d, ts);
		break;
	default:
		break;
	}
}

/* Events of the steps in a period were lost. */
static void loss_add(struct trend_cell *c, const struct trend_part *part, const void *what)
{
	c->flags |= part->whole ? TREND_LOSSY | TREND_UNREAD : TREND_LOSSY;
}

/* The events of a domain in [from, to) were lost: that time was not observed. */
static void lost(struct trend *t, unsigned domain, uint64_t from, uint64_t to)
{
	if (to <= from || !plausible(t, from) || !plausible(t, to))
		return;
	struct trend_domain *d = &t->domains[domain];
	if (t->live && domain < t->domain_limit && d->noticed) {
		if (!d->alive) {
			/* Another domain took the slot meanwhile. */
			revive(t, d, to > d->since ? to : d->since);
		} else {
			ended_add(t, d->since, from);
			gain(t, GAIN_LOST, from, to < d->since ? to : d->since);
			d->since = to > d->since ? to : d->since;
		}
	}
	trend_spread(t, trend_spread_from(t, from, to), to + 1, loss_add, NULL);
}

/* Words were lost after the event with a stamp, or a ring was restarted. */
static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct trend *t = ctx;
	struct trend_cell *cells[TREND_TIER_COUNT];

	if (gap->what == MODEL_GAP_OVER)
		lost(t, domain, gap->from, gap->to);
	if (gap->what != MODEL_GAP_FOUND || gap->from == 0 || !plausible(t, gap->from))
		return;
	if (gap->kind == MODEL_NOTE_RESTART)
		trend_mark(t, TREND_MARK_RESTART, gap->from, gap->from, 0);
	if (gap->kind != MODEL_NOTE_LOST || gap->words <= gap->history)
		return;
	for (unsigned i = trend_cells_find(t, gap->from, cells); i-- > 0;)
		trend_add_32(&cells[i]->lost_words, gap->words - gap->history);
	trend_mark(t, TREND_MARK_LOSS, gap->from, gap->from, gap->words - gap->history);
}

/* Another ring was attached. */
static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct trend *t = ctx;
	const struct model_totals totals = model_totals(t->model);

	if (turn == MODEL_REATTACHED && totals.seen)
		trend_mark(t, TREND_MARK_RESTART, totals.last_ts, totals.last_ts, 0);
}

/* A domain's counts were read from memory while no events came: that time was seen, but not observed. */
static void counted(struct trend *t, unsigned domain, const struct model_memory *told)
{
	const uint64_t from = told->from, to = told->to;

	t->latest = to > t->latest ? to : t->latest;
	if (to <= from || !plausible(t, from))
		return;
	trend_counter(t, domain, to, RTEV_COUNTER_MINOR_ALLOCATED, told->grown->allocated);
	trend_counter(t, domain, to, RTEV_COUNTER_MINOR_PROMOTED, told->grown->promoted);
	/* These are added once for all domains. */
	if (!t->seen || to <= t->settled)
		return;
	trend_spread(t, from > t->settled ? from : t->settled, to, time_add, &(enum gain){GAIN_SEEN});
	t->settled = to;
}

static void on_memory(void *ctx, unsigned domain, const struct model_memory *told)
{
	struct trend *t = ctx;

	if (told->grown != NULL)
		counted(t, domain, told);
	else if (told->to > t->heap_told && plausible(t, told->to))
		t->heap_told = told->to;
}

void trend_observer(struct trend *t, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = t, .memory = on_memory, .lifecycle = on_lifecycle, .gap = on_gap, .turned = on_turned};
}

/* ---- looks ---- */

/* Events in a period, assumed to be evenly distributed. */
struct news {
	uint64_t from, to, count;
};

static void events_add(struct trend_cell *c, const struct trend_part *part, const void *what)
{
	const struct news *news = what;
	double each = (double)news->count / (double)(news->to - news->from);
	uint64_t before = (uint64_t)((double)(part->from - news->from) * each + 0.5),
		 until = (uint64_t)((double)(part->to - news->from) * each + 0.5);

	trend_add_32(&c->events, until - before);
}

/* Count the events of a domain since the previous look: the model counts them, not one by one here. */
static void events_count(struct trend *t, const struct model_domain *m, uint64_t before, uint64_t now)
{
	struct trend_domain *d = &t->domains[m->domain];
	uint64_t counted = m->events < d->events ? 0 : d->events;

	if (before == 0 && !t->live)
		return; /* a file that was read at once shows no rate */
	/* Events from before the attach arrived at once, so they show no rate. */
	if (!d->counting && m->first_ts < t->attach_ts)
		counted = m->events;
	d->counting = true;
	d->events = m->events;
	uint64_t from = before > m->known_from ? before : m->known_from;
	from = from > t->attach_ts ? from : t->attach_ts;
	if (now == 0 || !plausible(t, now))
		return;
	from = from < now ? from : now - 1;
	t->counted_from = !t->counts_events || from < t->counted_from ? from : t->counted_from;
	t->counts_events = true;
	if (m->events > counted)
		trend_spread(t, from, now, events_add,
		    &(struct news){.from = from, .to = now, .count = m->events - counted});
}

/* Look at all domains: register those that no lifecycle event has reported, those that are found running
 * after a loss, and those that ended because another program runs; count their events, and list the open
 * pauses. */
static void look_at_domains(struct trend *t, uint64_t before, uint64_t now)
{
	unsigned domains = model_domains(t->model);

	t->open_count = 0;
	for (unsigned i = 0; i < domains; i++) {
		const struct model_domain *m = model_domain(t->model, i);
		struct trend_domain *d = &t->domains[i];
		if (m == NULL || !m->seen)
			continue;
		if (!d->noticed)
			notice(t, m);
		else if (!d->alive && m->state == MODEL_DOMAIN_RUNNING)
			revive(t, d, d->since);
		else if (t->live && d->alive && m->state == MODEL_DOMAIN_TERMINATED)
			end_life(t, d, m->last_ts);
		events_count(t, m, before, now);
		const struct model_open_span *pause = model_open_pause(m);
		if (pause != NULL && plausible(t, pause->begin) && t->open_count < MODEL_DOMAINS_MAX)
			t->open[t->open_count++] = pause->begin;
	}
}

/* Return the end of a domain's observed time at a look. */
static uint64_t observed_to(const struct trend *t, const struct model_domain *m, uint64_t to)
{
	uint64_t end = to;

	if (!t->live)
		end = m->last_ts;
	else if (t->stopped)
		end = t->stop_ts > m->last_ts ? t->stop_ts : m->last_ts;
	return end < to ? end : to;
}

/* Settle the time up to a stamp; the tail after it ends at another one, or where the target paused. */
static void settle(struct trend *t, uint64_t to, uint64_t tail_to)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(t->model, &count);

	ended_count(t);
	for (unsigned i = 0; i < t->domain_limit; i++) {
		struct trend_domain *d = &t->domains[i];
		const struct model_domain *m = model_domain(t->model, i);
		uint64_t end = m != NULL ? observed_to(t, m, to) : to;
		/* A domain that was reported before a recording began may be silent. */
		if (!d->alive || (m == NULL && !t->live) || end <= d->since)
			continue;
		gain(t, GAIN_OBSERVED, d->since, end);
		d->since = end;
	}
	if (to > t->settled) {
		gain(t, GAIN_SEEN, t->settled, to);
		t->settled = to;
	}
	t->tail_to = tail_to > t->settled ? tail_to : t->settled;
	size_t i = count;
	for (; i > 0 && pauses[i - 1].to > t->settled; i--)
		if (pauses[i - 1].from < t->tail_to)
			t->tail_to = pauses[i - 1].from > t->settled ? pauses[i - 1].from : t->settled;
	/* Pauses that are over have a mark. */
	for (i = count; i > 0 && pauses[i - 1].to > t->marked_to;)
		i--;
	for (; i < count && pauses[i].to <= to; i++) {
		trend_mark(t, TREND_MARK_PAUSED, pauses[i].from, pauses[i].to, pauses[i].to - pauses[i].from);
		t->marked_to = pauses[i].to;
	}
	if (t->tail_to > 0)
		trend_reach(t, (t->tail_to - 1) / TREND_SECOND);
}

void trend_advance(struct trend *t, uint64_t now, uint64_t watermark)
{
	uint64_t before = t->now;
	const struct model_totals totals = model_totals(t->model);

	t->latest = now > t->latest ? now : t->latest;
	t->now = now;
	t->spreads = SPREADS_MAX;
	look_at_domains(t, before, now);
	if (!t->seen)
		return;
	uint64_t to = totals.last_ts < watermark ? totals.last_ts : watermark;
	if (t->live && to > now)
		to = now;
	to = to > t->settled ? to : t->settled;
	settle(t, to, t->live && !t->stopped ? now : to);
	t->read_to = watermark < now ? watermark : now;
	if (t->live)
		heap_look(
		    t, totals.last_ts > t->tail_to && totals.last_ts <= now ? totals.last_ts : t->tail_to);
}

void trend_finish(struct trend *t)
{
	uint64_t before = t->now;
	const struct model_totals totals = model_totals(t->model);

	t->spreads = SPREADS_MAX;
	t->now = totals.last_ts > t->now ? totals.last_ts : t->now;
	look_at_domains(t, before, t->now);
	if (!t->seen)
		return;
	uint64_t to = totals.last_ts;
	if (t->live && !t->stopped && totals.now > to)
		to = totals.now;
	else if (t->live && t->stopped && t->stop_ts > to)
		to = t->stop_ts;
	if (!plausible(t, to))
		to = t->settled;
	/* An open pause of the target ends the seen time. */
	settle(t, to, t->settled);
	t->read_to = t->settled;
	heap_look(t, t->settled > t->heap_ts ? t->settled : t->heap_ts);
}

/* ---- samples of the process ---- */

/* Add the part of a row that lies in a step. */
static void row_add(struct trend_cell *c, const struct trend_part *part, const void *what)
{
	const struct system_row *row = what;
	uint64_t user, system, throttled, resident, time = part->to - part->from;
	double share = (double)time / (double)(row->to - row->from);

	if (system_row_get(row, SYSTEM_CPU_USER, &user) && system_row_get(row, SYSTEM_CPU_SYSTEM, &system)) {
		c->cpu_ns += (float)(((double)user + (double)system) * share);
		c->sampled_ms += (uint16_t)((time + 500000) / 1000000);
	}
	if (system_row_get(row, SYSTEM_THROTTLED, &throttled)) {
		c->throttled_ns += (float)((double)throttled * share);
		c->flags |= TREND_HAS_THROTTLED;
	}
	if (system_row_get(row, SYSTEM_RESIDENT, &resident)) {
		float level = (float)resident;
		trend_level_add(&c->resident, (c->flags & TREND_HAS_RESIDENT) != 0,
		    &(struct trend_level){level, level, level});
		c->flags |= TREND_HAS_RESIDENT;
	}
}

void trend_system(struct trend *t, const struct system_past *past)
{
	size_t count = system_past_count(past), i = count;

	while (i > 0 && system_past_row(past, i - 1)->to > t->sampled_to)
		i--;
	for (; i < count; i++) {
		const struct system_row *row = system_past_row(past, i);
		t->sampled_to = row->to;
		if (row->from < row->to && row->to - row->from <= ROW_MAX && plausible(t, row->from) &&
		    plausible(t, row->to))
			trend_spread(t, row->from, row->to, row_add, row);
	}
}
