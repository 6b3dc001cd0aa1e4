/*
 * runs.c - the loops of domains: turns, the runs of fibers in them, and what a loss or the end of a domain cuts.
 */
#include "fibers/private.h"

struct loop *fibers_loop_of(struct fibers *f, unsigned domain)
{
	struct loop *l = f->loops[domain];

	if (l != NULL)
		return l;
	l = calloc(1, sizeof(*l));
	if (l != NULL && (l->pieces = calloc(FIBERS_PIECES, sizeof(*l->pieces))) == NULL) {
		free(l);
		l = NULL;
	}
	f->failed |= l == NULL;
	return f->loops[domain] = l;
}

void fibers_loop_count(struct loop *l, uint64_t ts)
{
	if (l->state <= LOOP_UNKNOWN || ts <= l->mark)
		return;
	l->seen_ns += ts - l->mark;
	l->busy_ns += l->state == LOOP_BUSY ? ts - l->mark : 0;
	l->mark = ts;
}

/* Tell the observer of a run; NULL: the run is not known. */
static void run_tell(struct fibers *f, unsigned domain, const struct run *run)
{
	struct fiber_run told;

	if (f->observer.ran == NULL)
		return;
	if (run != NULL)
		told = fibers_run_of(f, run);
	f->observer.ran(f->observer.ctx, domain, run != NULL ? &told : NULL);
}

void fibers_run_cut(struct fibers *f, struct loop *l)
{
	if (l->running == 0)
		return;
	run_tell(f, f->fibers[l->running].domain, NULL);
	if (f->fibers[l->running].state == FIBER_ENDED)
		fibers_free_one(f, l->running);
	else
		f->fibers[l->running].state = FIBER_READY;
	fibers_context_drop(f, l->run_context);
	l->running = l->run_context = 0;
	l->end_ts = 0;
}

/* Whether a run comes before another in the list: it is longer, or as long and earlier. */
static bool run_before(const struct run *a, const struct run *b)
{
	return a->duration != b->duration ? a->duration > b->duration : a->ts < b->ts;
}

/* Keep a finished run if it is one of the longest. */
static void keep_run(struct fibers *f, const struct run *run)
{
	size_t at = f->longest_count;

	if (at == FIBERS_LATEST && !run_before(run, &f->longest[at - 1]))
		return;
	if (at == FIBERS_LATEST)
		fibers_context_drop(f, f->longest[--at].context);
	else
		f->longest_count++;
	for (; at > 0 && run_before(run, &f->longest[at - 1]); at--)
		f->longest[at] = f->longest[at - 1];
	f->longest[at] = *run;
	fibers_context_take(f, run->context);
}

/* The part of a domain's open pause in [from, to). */
static uint64_t open_pause(const struct fibers *f, unsigned domain, uint64_t from, uint64_t to)
{
	const struct model_domain *d = model_domain(f->model, domain);
	const struct model_open_span *span = d != NULL ? model_open_pause(d) : NULL;
	uint64_t begin = span == NULL ? to : span->begin > from ? span->begin : from;

	return begin < to ? to - begin : 0;
}

/* Put a run in the place of another one. */
static void run_replace(struct fibers *f, struct run *kept, struct run run)
{
	fibers_context_take(f, run.context);
	fibers_context_drop(f, kept->context);
	*kept = run;
}

/* Keep a run or turn that was late. */
static void keep_late(
    struct fibers *f, unsigned domain, uint64_t end, uint64_t duration, uint64_t ns, struct run run)
{
	struct late *late = &f->late[f->late_count++ % FIBERS_LATE_COUNT];

	f->late_ns += ns;
	late->end = end;
	late->duration = duration;
	late->ns = ns;
	late->domain = domain;
	run_replace(f, &late->run, run);
}

/* ---- spans of a run ---- */

/* Add to what a span covered of a run. */
static void cover(struct covered *all, unsigned *count, uint32_t span, unsigned depth, uint64_t ns)
{
	unsigned at = 0, least = 0;

	for (; at < *count && (all[at].span != span || all[at].depth != depth); at++)
		least = all[at].ns < all[least].ns ? at : least;
	if (at == FIBERS_SPANS && all[least].ns >= ns)
		return;
	if (at == *count) {
		*count += at < FIBERS_SPANS;
		at = at < FIBERS_SPANS ? at : least;
		all[at] = (struct covered){span, depth, 0};
	}
	all[at].ns += ns;
}

/* End the coverage of a span whose run may have ended before. */
static void cover_until(const struct loop *l, const struct fiber *fiber, unsigned depth, uint64_t end,
    struct covered *all, unsigned *count)
{
	end = l->end_ts != 0 && l->end_ts < end ? l->end_ts : end;
	cover(all, count, fiber->spans[depth], depth, end > l->span_ts[depth] ? end - l->span_ts[depth] : 0);
}

/* Return the span of the running fiber's run up to `end`, which is not before its begin. */
static uint32_t run_span(const struct loop *l, const struct fiber *fiber, uint64_t end)
{
	struct covered all[FIBERS_SPANS];
	const struct covered *most = NULL;
	unsigned count = l->covered_count;

	memcpy(all, l->covered, sizeof(all));
	for (unsigned i = 0; i < fiber->depth && i < FIBERS_SPANS; i++)
		cover_until(l, fiber, i, end, all, &count);
	for (unsigned i = 0; i < count; i++) {
		const bool half = 2 * all[i].ns >= end - l->run_ts,
			   half_before = most != NULL && 2 * most->ns >= end - l->run_ts;
		if (most == NULL || (half && (!half_before || all[i].depth > most->depth)) ||
		    (!half && !half_before && all[i].ns > most->ns))
			most = &all[i];
	}
	return most != NULL ? most->span : 0;
}

void fibers_span_begins(struct fibers *f, struct loop *l, uint64_t ts, uint32_t span)
{
	struct fiber *fiber = &f->fibers[l->running];

	if (fiber->depth < FIBERS_SPANS) {
		fiber->spans[fiber->depth] = (uint16_t)span;
		l->span_ts[fiber->depth] = ts;
	}
	fiber->depth = (uint16_t)(fiber->depth + (fiber->depth < UINT16_MAX));
}

void fibers_span_ends(struct fibers *f, struct loop *l, uint64_t ts)
{
	struct fiber *fiber = &f->fibers[l->running];

	if (fiber->depth > 0 && --fiber->depth < FIBERS_SPANS)
		cover_until(l, fiber, fiber->depth, ts, l->covered, &l->covered_count);
}

/* ---- runs ---- */

struct run fibers_run_until(const struct fibers *f, unsigned domain, const struct fiber *fiber, uint64_t end)
{
	const struct loop *l = f->loops[domain];

	end = end > l->run_ts ? end : l->run_ts;
	return (struct run){.fiber = fiber->id,
	    .ts = l->run_ts,
	    .duration = end - l->run_ts,
	    .gc_ns = l->gc_ns + open_pause(f, domain, l->run_ts, end),
	    .domain = domain,
	    .context = l->run_context,
	    .span = run_span(l, fiber, end)};
}

static void run_count(struct fibers *f, unsigned domain, struct fiber *fiber, uint64_t end)
{
	struct loop *l = f->loops[domain];
	struct tally *tally = fibers_tally_of(f, l->run_context);
	struct run run = fibers_run_until(f, domain, fiber, end);

	run.gc_ns = run.gc_ns < run.duration ? run.gc_ns : run.duration;
	tally_add(tally, &(struct tally){.runs = 1,
			     .run_ns = run.duration,
			     .run_max_ns = run.duration,
			     .run_max_gc_ns = run.gc_ns,
			     .run_max_span = run.span});
	keep_run(f, &run);
	run_tell(f, domain, &run);
	fibers_strip_run(f, &run);
	l->runs_ns += run.duration;
	if (run.duration > l->worst.duration)
		run_replace(f, &l->worst, run);
	if (run.duration < FIBERS_LATE_NS)
		return;
	l->late_ns += run.duration;
	keep_late(f, domain, run.ts + run.duration, run.duration, run.duration, run);
}

/* End the run of a domain. */
static void run_end(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];
	struct fiber *fiber = &f->fibers[l->running];

	if (l->running == 0)
		return;
	if (l->run_whole && !fiber->own)
		run_count(f, domain, fiber, l->end_ts != 0 ? l->end_ts : ts);
	else
		run_tell(f, domain, NULL);
	if (fiber->state == FIBER_ENDED) {
		fibers_free_one(f, l->running);
	} else if (l->end_ts != 0 && l->suspended) {
		fiber->state = FIBER_BLOCKED;
		fiber->since = l->end_ts;
		fiber->op = (uint16_t)l->op;
		fibers_enlist(f, l->running);
	} else {
		fiber->state = FIBER_READY;
	}
	fibers_context_drop(f, l->run_context);
	l->running = l->run_context = 0;
	l->end_ts = 0;
}

void fibers_unblock(struct fibers *f, fiber_index at, uint64_t ts)
{
	struct fiber *fiber = &f->fibers[at];

	if (fiber->state != FIBER_BLOCKED)
		return;
	/* After a loss it is not known whether the fiber waited all the time. */
	if (fibers_holds(f, fiber) && !fiber->own) {
		fibers_tally_of(f, fiber->context)->blocked_ns += fibers_waited(f, fiber, ts);
		if (f->observer.waited != NULL) {
			const struct fiber_row row = fibers_row_of(f, fiber, ts);
			f->observer.waited(f->observer.ctx, ts, &row);
		}
	}
	fibers_unlist(f, at);
	fiber->state = FIBER_READY;
}

static void without_turns(struct loop *l)
{
	l->no_turns = true;
	hist_clear(&l->turns);
}

void fibers_on_uring(struct loop *l)
{
	l->uring = true;
	without_turns(l);
}

/* At the begin of another run, judge whether the loop goes on without asking the system, unless its contexts
 * have told. */
static void runs_follow(struct fibers *f, struct loop *l, uint64_t ts)
{
	if (l->runs_ts == 0) {
		l->runs_ts = ts;
		l->runs_ns = 0;
		run_replace(f, &l->worst, (struct run){0});
	}
	l->asks |= f->contexts[l->run_context].known;
	if (!l->no_turns && !f->contexts[l->run_context].known &&
	    l->runs_ns - l->worst.duration >= FIBERS_UNASKED_NS)
		without_turns(l);
	/* A loop without turns may never ask for work, so its first run shows that it is busy. */
	if (l->no_turns && l->state == LOOP_NONE) {
		l->state = LOOP_BUSY;
		l->mark = l->runs_ts;
	}
}

void fibers_run_begin(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id)
{
	struct loop *l = f->loops[domain];
	fiber_index at = id_map_find(&f->fiber_map, id);

	/* One of many fibers is in no cache: fetch it while the run before it ends. */
	__builtin_prefetch(&f->fibers[at], 1);
	__builtin_prefetch(&f->links[f->links[at].before], 1);
	__builtin_prefetch(&f->links[f->links[at].after], 1);
	run_end(f, domain, ts);
	at = fibers_one(f, id, domain);
	if (at == 0)
		return;
	struct fiber *fiber = &f->fibers[at];
	fibers_unblock(f, at, ts);
	fiber->state = FIBER_RUNNING;
	fiber->wants = false;
	l->running = at;
	l->run_ts = ts;
	l->run_whole = true;
	l->run_context = fibers_context_take(f, fiber->context);
	l->covered_count = 0;
	for (unsigned i = 0; i < fiber->depth && i < FIBERS_SPANS; i++)
		l->span_ts[i] = ts;
	l->gc_ns = l->gc_after = 0;
	runs_follow(f, l, ts);
}

void fibers_run_on(struct loop *l)
{
	if (l->end_ts == 0 || !l->suspended)
		return;
	l->end_ts = 0;
	l->gc_ns += l->gc_after;
	l->gc_after = 0;
}

void fibers_idle_begins(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];

	/* A loop on io_uring does not ask while a fiber that has yielded can run. */
	l->asks |=
	    l->running != 0 && l->end_ts != 0 && l->suspended && l->op != 0 && f->texts[l->op].len == 0;
	run_end(f, domain, ts);
	fibers_loop_count(l, ts);
	fibers_strip_turn(f, domain, ts);
	if (l->turn_ts != 0 && ts >= l->turn_ts && fibers_has_turns(l)) {
		const uint64_t turn = ts - l->turn_ts;
		f->failed |= !hist_add(&l->turns, turn);
		if (turn >= FIBERS_LATE_NS && turn > 2 * l->worst.duration)
			keep_late(f, domain, ts, turn, turn - l->late_ns, l->worst);
		if (f->observer.turned != NULL)
			f->observer.turned(f->observer.ctx, domain, turn);
	}
	l->turn_ts = l->runs_ts = 0;
	l->state = LOOP_IDLE;
	l->mark = ts > l->mark ? ts : l->mark;
}

void fibers_idle_ends(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];

	run_end(f, domain, ts);
	fibers_loop_count(l, ts);
	l->turn_ts = ts;
	l->runs_ts = l->late_ns = 0;
	run_replace(f, &l->worst, (struct run){0});
	l->state = LOOP_BUSY;
	l->mark = ts > l->mark ? ts : l->mark;
}

void fibers_run_ends(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];
	fiber_index at = l->running;
	uint64_t suspended = l->end_ts;

	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	if (suspended != 0) {
		l->end_ts = ts;
		l->gc_ns += l->gc_after;
	}
	run_end(f, domain, ts);
	if (f->fibers[at].state == FIBER_BLOCKED)
		f->fibers[at].since = suspended;
}

void fibers_paused(struct fibers *f, unsigned domain, uint64_t begin, uint64_t end)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL || l->running == 0)
		return;
	begin = begin > l->run_ts ? begin : l->run_ts;
	if (l->end_ts != 0 && begin < l->end_ts && end > begin)
		l->gc_ns += (end < l->end_ts ? end : l->end_ts) - begin;
	else if (end > begin && l->end_ts == 0)
		l->gc_ns += end - begin;
	if (l->end_ts != 0 && end > l->end_ts)
		l->gc_after += end - (begin > l->end_ts ? begin : l->end_ts);
}

void fibers_missed(struct fibers *f, unsigned domain, uint64_t after, bool lost)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? fibers_loop_of(f, domain) : NULL;

	f->lost |= lost;
	if (l == NULL)
		return;
	fibers_run_cut(f, l);
	if (f->observer.missed != NULL)
		f->observer.missed(f->observer.ctx, domain);
	fibers_loop_count(l, after);
	l->losses++;
	f->losses++;
	l->turn_ts = l->runs_ts = 0;
	l->missing = true;
	f->counted = UINT64_MAX;
}

void fibers_domain_ended(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL)
		return;
	if (l->missing)
		fibers_skip(f, domain, 0, ts);
	if (l->end_ts != 0)
		run_end(f, domain, ts);
	fibers_run_cut(f, l);
	fibers_loop_count(l, ts);
	l->state = LOOP_NONE;
	l->turn_ts = l->runs_ts = 0;
}

void fibers_skip(struct fibers *f, unsigned domain, uint64_t from, uint64_t to)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL)
		return;
	fibers_loop_count(l, from);
	l->mark = to > l->mark ? to : l->mark;
	l->state = l->state == LOOP_NONE ? LOOP_NONE : LOOP_UNKNOWN;
	l->missing = false;
}

uint64_t fibers_last(const struct fibers *f, unsigned domain)
{
	return domain < MODEL_DOMAINS_MAX && f->loops[domain] != NULL ? f->loops[domain]->last_ts : 0;
}
