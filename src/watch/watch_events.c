/*
 * watch_events.c - pass events to the parts and series of a watch.
 *
 * The common case of stops and paths is inline (*_take_* in their private headers).
 */
#include "core/array.h"
#include "fibers/schedulers.h"
#include "core/sum.h"
#include "model/waiting.h"
#include "watch/paths_private.h"
#include "watch/stw_private.h"
#include "watch/watch_private.h"

/* How the values of a measure combine. */
static inline enum series_mode measure_mode(enum watch_measure measure)
{
	return measure == WATCH_HEAP ? SERIES_LAST : measure == WATCH_LONGEST ? SERIES_MAX : SERIES_SUM;
}

struct watch_domain *watch_domain_make(struct watch *w, unsigned domain)
{
	if (domain >= MODEL_DOMAINS_MAX ||
	    !array_reach(&w->domains, &w->domain_count, domain, sizeof(struct watch_domain *)))
		return NULL;
	struct watch_domain *d = w->domains[domain] = calloc(1, sizeof(*d));
	if (d != NULL) {
		series_init(&d->empty, SERIES_SUM, WATCH_STEP, WATCH_STEPS);
		series_init(&d->unread, SERIES_SUM, WATCH_STEP, WATCH_STEPS);
	}
	return d;
}

void watch_series_begin(const struct watch *w, unsigned domain, struct series *s, enum series_mode mode)
{
	if (s->steps != 0)
		return;
	const struct model_domain *m = model_domain(w->model, domain);
	series_init(s, mode, WATCH_STEP, WATCH_STEPS);
	if (mode != SERIES_LAST && m != NULL && m->seen)
		series_advance(s, m->known_from);
}

/* Return the series of a measure for a value at ts, created if needed; NULL when memory ran out. */
static struct series *measure_series(
    struct watch *w, unsigned domain, enum watch_measure measure, uint64_t ts)
{
	struct watch_domain *d = watch_domain_of(w, domain);

	if (d == NULL)
		return NULL;
	if (ts > d->latest[measure])
		d->latest[measure] = ts;
	watch_series_begin(w, domain, &d->measures[measure], measure_mode(measure));
	return &d->measures[measure];
}

/* Add a value to a series (NULL: memory ran out), and to the trend if that keeps it, too. */
static void add_now(struct watch *w, struct series *s, unsigned measure, uint64_t ts, double value)
{
	if (s != NULL)
		series_add(s, ts, value);
	if (measure == WATCH_ALLOCATED || measure == WATCH_PROMOTED)
		trend_counter(w->trend, 0, ts,
		    measure == WATCH_ALLOCATED ? RTEV_COUNTER_MINOR_ALLOCATED : RTEV_COUNTER_MINOR_PROMOTED,
		    value < 0x1p63 ? (int64_t)value : INT64_MAX);
}

void watch_step_settle(struct watch *w, struct watch_domain *d)
{
	for (unsigned left = d->now.known; left != 0; left &= left - 1) {
		unsigned measure = (unsigned)__builtin_ctz(left);
		add_now(w, &d->measures[measure], measure, d->now.from, d->now.values[measure]);
		series_advance(&d->measures[measure], d->latest[measure]);
		d->now.values[measure] = 0;
	}
	d->now.known = 0;
}

/* Make the step of a stamp a domain's current one.  Once a minute those of all domains are settled that end before it: the
 * trend keeps seconds for some minutes. */
static void step_turn(struct watch *w, unsigned domain, struct watch_domain *d, uint64_t ts)
{
	const struct model_domain *m = model_domain(w->model, domain);

	watch_step_settle(w, d);
	for (unsigned i = 0; ts > w->settled_to && i < w->domain_count; i++)
		if (w->domains[i] != NULL && w->domains[i]->now.to <= ts)
			watch_step_settle(w, w->domains[i]);
	if (ts > w->settled_to)
		w->settled_to = sum_saturating(ts, UINT64_C(60000000000));
	d->now.from = ts - ts % WATCH_STEP;
	d->now.to = d->now.from + WATCH_STEP;
	if (m == NULL || !m->seen || ts < m->known_from || d->now.to < ts)
		d->now.to = 0;
	else if (d->now.from < m->known_from)
		d->now.from = m->known_from;
	d->now.ready = 0;
	for (unsigned i = 0; i < WATCH_MEASURES; i++)
		if (d->measures[i].steps != 0 && measure_mode((enum watch_measure)i) != SERIES_LAST)
			d->now.ready |= 1u << i;
}

/* measure_add for a value whose step is not the current one, or whose measure has no series. */
static __attribute__((noinline)) void measure_add_rare(
    struct watch *w, unsigned domain, enum watch_measure measure, uint64_t ts, double value)
{
	struct series *s = measure_series(w, domain, measure, ts);

	watch_pauses_settle(w);
	if (s != NULL && measure_mode(measure) != SERIES_LAST)
		step_turn(w, domain, w->domains[domain], ts);
	add_now(w, s, measure, ts, value);
}

/* Add a value to a measure. */
static inline void measure_add(
    struct watch *w, unsigned domain, enum watch_measure measure, uint64_t ts, double value)
{
	struct watch_domain *d = domain < w->domain_count ? w->domains[domain] : NULL;

	if (d == NULL || ts < d->now.from || ts >= d->now.to || (d->now.ready & 1u << measure) == 0) {
		measure_add_rare(w, domain, measure, ts, value);
		return;
	}
	if (ts > d->latest[measure])
		d->latest[measure] = ts;
	double *now = &d->now.values[measure];
	if (measure_mode(measure) == SERIES_SUM)
		*now += value;
	else
		*now = value > *now ? value : *now;
	d->now.known |= 1u << measure;
}

void watch_series_spread(struct series *s, uint64_t from, uint64_t to, double value)
{
	double all = (double)(to - from);
	uint64_t begin, until, kept = (uint64_t)(WATCH_STEPS - 1) * WATCH_STEP;

	if (!series_span(s, &begin, &until) || until < to)
		until = to;
	/* A value older than all kept steps would restart the series. */
	until -= until % WATCH_STEP;
	if (until > kept && from < until - kept)
		from = until - kept;
	for (uint64_t at = from, end; at < to; at = end) {
		uint64_t rest = WATCH_STEP - at % WATCH_STEP;
		end = rest < to - at ? at + rest : to;
		series_add(s, at, value * ((double)(end - at) / all));
	}
}

/* measure_spread for a stretch that is not inside the current step. */
static void measure_spread_rare(
    struct watch *w, unsigned domain, enum watch_measure measure, uint64_t from, uint64_t to, double value)
{
	struct series *s = measure_series(w, domain, measure, to);

	if (s != NULL && from / WATCH_STEP == to / WATCH_STEP)
		series_add(s, from, value);
	else if (s != NULL)
		watch_series_spread(s, from, to, value);
}

/* Add a value that is distributed over [from, to) to a measure. */
static inline void measure_spread(
    struct watch *w, unsigned domain, enum watch_measure measure, uint64_t from, uint64_t to, double value)
{
	const struct watch_domain *d = domain < w->domain_count ? w->domains[domain] : NULL;

	if (d != NULL && from >= d->now.from && to < d->now.to)
		measure_add(w, domain, measure, to, value);
	else
		measure_spread_rare(w, domain, measure, from, to, value);
}

/* Return the series of a user slot, created on demand; NULL if there are too many or memory ran out. */
static struct watch_user *user_of(struct watch *w, unsigned domain, unsigned slot)
{
	const uint64_t id = watch_user_id(domain, slot);
	uint32_t place = id_map_find(&w->user_places, id);

	if (place != 0)
		return &w->users[place - 1];
	/* An entry is created only for a new series, so there are no more entries than series. */
	if (watch_domain_of(w, domain) == NULL || slot >= MODEL_USER_SLOTS_MAX ||
	    w->series_count >= WATCH_SERIES_MAX ||
	    !array_room(&w->users, &w->user_room, w->user_count + 1, sizeof(w->users[0])) ||
	    !id_map_add(&w->user_places, id, (uint32_t)w->user_count + 1))
		return NULL;
	w->users[w->user_count] = (struct watch_user){0};
	return &w->users[w->user_count++];
}

/* Add a value to a series of a user slot, created on demand unless there are too many. */
static void user_add(struct watch *w, unsigned domain, struct series **series, enum series_mode mode,
    uint64_t ts, double value)
{
	if (*series == NULL && w->series_count < WATCH_SERIES_MAX) {
		*series = calloc(1, sizeof(**series));
		w->series_count++;
	}
	if (*series == NULL)
		return;
	watch_series_begin(w, domain, *series, mode);
	series_add(*series, ts, value);
}

/* Events in a period were lost. */
static void lost(struct watch *w, unsigned domain, uint64_t from, uint64_t to)
{
	struct watch_domain *d = watch_domain_of(w, domain);
	uint64_t lost;

	if (d == NULL)
		return;
	(void)model_lost_time(w->model, domain, from, to, &lost);
	watch_series_spread(&d->unread, from, to, (double)lost);
}

/* Record the user spans that were open when one of the longest phases ended. */
static void note_users(const struct watch *w, struct longest_span *span)
{
	struct model_open_user open[LONGEST_USERS];
	size_t count = model_users_open(w->model, span->domain, open, LONGEST_USERS);

	span->user_count = span->user_slot = 0;
	for (size_t i = 0; i < count; i++)
		if (!schedulers_know(model_user_slot(w->model, open[i].slot), NULL)) {
			span->user_count++;
			span->user_slot = open[i].slot;
		}
}

/* Count a phase that ended.  `longest`: its place among the longest of its path; NULL: none. */
static inline void count_phase(
    struct watch *w, unsigned domain, const struct model_span *span, struct longest_span *longest)
{
	if (longest != NULL)
		note_users(w, longest);
	if (span->phase == RTEV_PHASE_MINOR)
		measure_add(w, domain, WATCH_MINORS, span->end, 1);
	else if (span->phase == RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS)
		measure_add(w, domain, WATCH_CYCLES, span->end, 1);
	if (span->waited != 0 && !span->pause)
		measure_spread(w, domain, WATCH_WAIT, span->begin, span->end, (double)span->waited);
}

void watch_pauses_settle(const struct watch *read)
{
	struct watch *w = (struct watch *)(uintptr_t)read;
	struct pauses *p = &w->pauses.all;
	struct watch_domain *d = p->count != 0 ? w->domains[p->domain] : NULL;

	if (d == NULL)
		return;
	w->pauses.to = 0;
	const uint64_t begin = p->list[0].begin, end = p->list[p->count - 1].end;
	pauses_sum(p);
	history_pauses(w->history, p);
	mmu_pauses(&d->mmu, p);
	trend_pauses(w->trend, p);
	if (!p->stale) {
		recent_add(w->recent, p);
		longest_add(&d->longest, p);
	}
	p->count = 0;
	if (p->stale)
		return;
	if (p->waited != 0)
		measure_spread(w, p->domain, WATCH_WAIT, begin, end, (double)p->waited);
	measure_spread(w, p->domain, WATCH_GC, begin, end, (double)p->sum);
	measure_add(w, p->domain, WATCH_LONGEST, end, (double)p->most);
}

/* A pause ended that may be one of the longest, or can't join those that wait. */
static __attribute__((noinline)) void pause_first(
    struct watch *w, unsigned domain, const struct model_span *span)
{
	struct watch_domain *d = watch_domain_of(w, domain);

	watch_pauses_settle(w);
	if (d == NULL)
		return;
	struct longest_span *longest = span->stale ? NULL : longest_pause(&d->longest, domain, span);
	const uint64_t step = span->end / WATCH_STEP, to = (step + 1) * WATCH_STEP;
	struct watch_pauses *p = &w->pauses;

	if (longest != NULL)
		note_users(w, longest);
	p->to = span->stale || span->begin / WATCH_STEP != step || to < span->end ? 0 : to;
	p->least = longest_least(&d->longest, span->begin);
	p->from = span->end;
	p->model = model_domain(w->model, domain);
	p->all.domain = domain;
	p->all.waited = 0;
	p->all.stale = span->stale;
	pauses_add(&p->all, span);
}

/* A pause ended. */
static inline void pause_ended(struct watch *w, unsigned domain, const struct model_span *span)
{
	struct watch_pauses *p = &w->pauses;

	if (domain == p->all.domain && span->begin >= p->from && span->end < p->to && !span->stale &&
	    span->end - span->begin < p->least && p->all.count < PAUSES_AT_ONCE) {
		pauses_add(&p->all, span);
		p->from = span->end;
	} else
		pause_first(w, domain, span);
	minor_size_pause(&w->minor_size, p->model);
}

/* Process any phase that ended. */
static __attribute__((noinline)) void closed_any(
    struct watch *w, unsigned domain, const struct model_span *span)
{
	history_closed(w->history, domain, span);
	stw_take_closed(w->stw, domain, span);
	/* A span that began before a reset is not counted. */
	if (!span->stale)
		count_phase(w, domain, span,
		    paths_count(w->paths, span) ? NULL : paths_closed(w->paths, domain, span));
	if (span->pause)
		pause_ended(w, domain, span);
}

/* Phases that are counted, wait, or tell of a stop, as bits. */
#define NOTED_PHASES                                                                                         \
	(UINT64_C(1) << RTEV_PHASE_MINOR | UINT64_C(1) << RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS |                \
	    MODEL_WAITING_BITS | STW_TELLING)

/* A phase ended.  Most are inside another one, and so no pause, and need only the inline code of all parts; then no
 * register has to be saved. */
static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct watch *w = ctx;

	if (!span->stale && span->phase < 64 && (NOTED_PHASES >> span->phase & 1) == 0 &&
	    stw_skips(w->stw, domain, span->depth) && paths_count(w->paths, span))
		history_inside(w->history, domain, span);
	else
		closed_any(w, domain, span);
}

/* A phase began. */
static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct watch *w = ctx;

	history_touch(w->history, domain, ts);
	stw_take_opened(w->stw, domain, phase, ts, depth);
	struct watch_domain *d = depth == 0 ? watch_domain_of(w, domain) : NULL;
	if (d != NULL)
		mmu_opened(&d->mmu, phase, ts);
}

/* Record how long a slot was empty until `ts`. */
static void slot_filled(struct watch_domain *d, uint64_t ts)
{
	uint64_t died = d->died_ts;

	d->died_ts = 0;
	if (died == 0 || died >= ts)
		return;
	watch_series_spread(&d->empty, died, ts, (double)(ts - died));
}

/* A slot gets a new domain, which has another heap, or loses its domain. */
static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct watch *w = ctx;
	struct watch_domain *d = watch_domain_of(w, domain);

	watch_pauses_settle(w);
	if (d == NULL)
		return;
	switch (event) {
	case RTEV_LIFECYCLE_DOMAIN_SPAWN:
	case RTEV_LIFECYCLE_RING_START:
		/* Another heap begins; earlier values are kept. */
		series_break(&d->measures[WATCH_HEAP], ts);
		slot_filled(d, ts);
		break;
	case RTEV_LIFECYCLE_DOMAIN_TERMINATE:
	case RTEV_LIFECYCLE_RING_STOP:
		d->died_ts = ts;
		break;
	default:
		break;
	}
}

/* A counter arrived.  No runtime writes that less than nothing was allocated or promoted. */
static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct watch *w = ctx;

	history_touch(w->history, domain, ts);
	switch (counter) {
	case RTEV_COUNTER_MINOR_ALLOCATED:
		minor_size_count(&w->minor_size, model_domain(w->model, domain), counter, value);
		if (value >= 0)
			measure_add(ctx, domain, WATCH_ALLOCATED, ts, (double)value);
		break;
	case RTEV_COUNTER_MINOR_PROMOTED:
		if (value >= 0)
			measure_add(ctx, domain, WATCH_PROMOTED, ts, (double)value);
		break;
	case RTEV_COUNTER_MAJOR_ALLOCATED_WORDS:
		if (value >= 0)
			measure_add(ctx, domain, WATCH_MAJOR, ts, (double)value);
		break;
	default:
		if (minor_size_heeds(counter))
			minor_size_count(&w->minor_size, model_domain(w->model, domain), counter, value);
		if (ts >= w->pauses.to)
			watch_pauses_settle(w);
		trend_counter(w->trend, domain, ts, counter, value);
		if (model_domain(w->model, domain)->heap.size_set)
			measure_add(ctx, domain, WATCH_HEAP, ts,
			    model_domain(w->model, domain)->heap.values[HEAP_SIZE]);
		break;
	}
}

/* A domain's counts, or the size of its heap, were read from memory.  The trend observes it by itself. */
static void on_memory(void *ctx, unsigned domain, const struct model_memory *told)
{
	const struct model_counts *grown = told->grown;

	watch_pauses_settle(ctx);
	if (grown == NULL) {
		measure_add(ctx, domain, WATCH_HEAP, told->to, told->size);
		return;
	}
	const struct {
		enum watch_measure measure;
		double value;
	} values[] = {{WATCH_ALLOCATED, (double)grown->allocated}, {WATCH_PROMOTED, (double)grown->promoted},
	    {WATCH_MAJOR, (double)grown->major_words}, {WATCH_MINORS, (double)grown->minors},
	    {WATCH_CYCLES, (double)grown->majors}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && told->to > told->from; i++)
		measure_spread_rare(ctx, domain, values[i].measure, told->from, told->to, values[i].value);
}

/* A user event arrived, or a user span ended. */
static void on_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	const bool ends = event->what == MODEL_USER_CLOSED;
	struct watch *w = ctx;

	if (!ends && event->what != MODEL_USER_CAME)
		return;
	struct watch_user *u = user_of(w, domain, event->slot);
	if (ends)
		watch_pauses_settle(w);
	struct watch_domain *d = ends ? watch_domain_of(w, domain) : NULL;
	if (d != NULL)
		longest_user(w->longest, &d->longest, w->model, domain, event);
	if (u == NULL)
		return;
	if (!ends && model_user_slot(w->model, event->slot)->kind == MODEL_USER_INT)
		user_add(w, domain, &u->values, SERIES_LAST, event->ts, (double)event->value);
	user_add(w, domain, &u->events, SERIES_SUM, event->ts, 1);
}

/* The begin of a dropped pause is a gap for the utilisation. */
static void on_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct watch_domain *d = watch_domain_of(ctx, domain);

	watch_pauses_settle(ctx);
	if (depth == 0 && d != NULL)
		mmu_lost(&d->mmu, begin);
}

/* Another program runs: its minor heap may have another size, and the old program's domains have ended. */
static void program_began(struct watch *w)
{
	w->minor_size = (struct minor_size){0};
	for (unsigned i = 0; i < w->domain_count; i++) {
		const struct model_domain *m = model_domain(w->model, i);
		if (w->domains[i] != NULL && m != NULL && m->state == MODEL_DOMAIN_TERMINATED &&
		    w->domains[i]->died_ts == 0)
			w->domains[i]->died_ts = m->last_ts;
	}
}

/* Words were lost. */
static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct watch *w = ctx;
	struct watch_domain *d = watch_domain_of(w, domain);

	watch_pauses_settle(w);
	if (gap->what == MODEL_GAP_OVER)
		lost(w, domain, gap->from, gap->to);
	if (gap->what != MODEL_GAP_FOUND || d == NULL)
		return;
	if (gap->kind == MODEL_NOTE_RESTART)
		program_began(w);
	mmu_lost(&d->mmu, gap->from);
	longest_gap(&d->longest);
	if (gap->kind == MODEL_NOTE_LOST && gap->from != 0 && gap->words > gap->history)
		measure_add(ctx, domain, WATCH_LOST, gap->from, (double)(gap->words - gap->history));
}

/* The totals were reset, or another ring was attached. */
static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct watch *w = ctx;

	watch_pauses_settle(w);
	if (turn == MODEL_REATTACHED)
		program_began(w);
	if (turn != MODEL_RESET)
		return;
	for (unsigned i = 0; i < w->domain_count; i++)
		if (w->domains[i] != NULL) {
			mmu_forget(&w->domains[i]->mmu);
			longest_clear(&w->domains[i]->longest.pauses);
		}
	paths_reset(w->paths);
	longest_reset(w->longest);
	stw_reset(w->stw);
	system_past_reset(w->system);
}

void watch_observer(struct watch *w, struct model_observer *out)
{
	*out = (struct model_observer){.ctx = w,
	    .opened = on_opened,
	    .closed = on_closed,
	    .dropped = on_dropped,
	    .counter = on_counter,
	    .memory = on_memory,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .gap = on_gap,
	    .turned = on_turned};
}
