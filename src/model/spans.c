/*
 * spans.c - runtime spans: matching begins with ends on a domain's stack.
 *
 * Invariants: phases[p].open is the number of frames of p on the stack, so an end without a begin needs no
 * search.  `inside` of a frame is the sum of the durations of its counted children; the children of a dropped
 * frame count as children of the frame around it.
 */
#include "model/state.h"

/* Totals of a phase that the tables lack, created on demand; NULL if memory or the budget ran out. */
static __attribute__((noinline)) struct model_phase *phase_opaque(
    struct model *m, struct domain *d, rtev_phase phase)
{
	uint32_t i = ids_find(&d->opaque_phases, phase);
	void *array = d->phases;

	if (i != IDS_NONE)
		return &d->phases[RTEV_PHASE_COUNT + i];
	if (d->pub.phase_count == d->phase_size &&
	    !model_grow(m, &array, &d->phase_size, d->phase_size + d->phase_size / 2 + 8, sizeof(*d->phases)))
		return NULL;
	d->phases = array;
	d->pub.phases = d->phases;
	i = ids_add(&d->opaque_phases, phase);
	if (i == IDS_NONE) {
		model_out_of_memory(m);
		return NULL;
	}
	d->phases[RTEV_PHASE_COUNT + i] = (struct model_phase){.phase = phase};
	d->pub.phase_count++;
	return &d->phases[RTEV_PHASE_COUNT + i];
}

/* Totals of a phase on a domain; NULL if memory or the budget ran out. */
static inline struct model_phase *phase_of(struct model *m, struct domain *d, rtev_phase phase)
{
	return phase < RTEV_PHASE_COUNT ? &d->phases[phase] : phase_opaque(m, d, phase);
}

/* Grow the stack.  False at MODEL_DEPTH_MAX, or if memory or the budget ran out. */
static __attribute__((noinline)) bool stack_grow(struct model *m, struct domain *d)
{
	void *array = d->stack;
	size_t size = d->stack_size;

	if (size >= MODEL_DEPTH_MAX ||
	    !model_grow(m, &array, &size, size == 0 ? 32 : size * 2, sizeof(*d->stack)))
		return false;
	d->stack = array;
	d->pub.stack = d->stack;
	d->stack_size = (unsigned)size;
	return true;
}

enum rtev_next span_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	struct model *m = ctx;
	struct domain *d = model_touch(m, domain, ts);
	struct model_phase *totals;
	unsigned depth;

	if (d == NULL)
		return model_next(m);
	totals = phase_of(m, d, phase);
	if (totals == NULL) {
		m->ignored++;
		return model_next(m);
	}
	depth = d->pub.depth;
	if (depth == d->stack_size && !stack_grow(m, d)) {
		d->pub.dropped++;
		OBSERVE(m, stray, domain, ts, phase, true);
		return model_next(m);
	}
	d->stack[depth] = (struct model_open_span){
	    .begin = ts, .phase = phase, .pause = depth == 0 && phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT};
	if (d->stack[depth].pause)
		pause_opened(d);
	totals->open++;
	d->pub.open++;
	d->pub.depth = depth + 1;
	TELL(m, opened, domain, phase, ts, depth);
	return RTEV_CONTINUE;
}

/* Uncount frame `i`, which leaves the stack without an end. */
static void frame_uncount(struct model *m, struct domain *d, unsigned i)
{
	const struct model_open_span *frame = &d->stack[i];
	/* the phase is known: its begin made the entry */
	struct model_phase *totals = phase_of(m, d, frame->phase);

	if (totals != NULL)
		totals->open--;
	d->pub.open--;
	if (!frame->stale)
		d->pub.dropped++;
	OBSERVE(m, dropped, d->pub.domain, frame->phase, frame->begin, i);
}

/* Drop the innermost frame. */
static void frame_drop_top(struct model *m, struct domain *d)
{
	unsigned i = d->pub.depth - 1;

	frame_uncount(m, d, i);
	if (i > 0)
		d->stack[i - 1].inside = sum_saturating(d->stack[i - 1].inside, d->stack[i].inside);
	d->pub.depth = i;
}

/* Count a span that has left the stack. */
static void span_count(struct model *m, struct domain *d, struct model_phase *totals, uint64_t duration,
    const struct model_span *span)
{
	totals->count++;
	totals->total = sum_saturating(totals->total, duration);
	totals->self = sum_saturating(totals->self, span->self);
	if (duration > totals->max)
		totals->max = duration;
	d->waited += span->waited;
	if (span->pause)
		pause_closed(m, d, span);
	else if (d->pub.depth > 0 && d->stack[0].pause)
		pause_note_inside(m, d, span);
}

/* End the innermost frame at ts; `totals` are those of its phase. */
static void frame_close(struct model *m, struct domain *d, struct model_phase *totals, uint64_t ts)
{
	struct model_open_span frame = d->stack[d->pub.depth - 1];
	struct model_open_span *outer = d->pub.depth > 1 ? &d->stack[d->pub.depth - 2] : NULL;
	uint64_t duration = ts - frame.begin;
	struct model_span span;

	if (ts < frame.begin) {
		/* stamps went back: how long it took can't be known */
		frame_drop_top(m, d);
		OBSERVE(m, stray, d->pub.domain, ts, frame.phase, false);
		return;
	}
	totals->open--;
	d->pub.open--;
	d->pub.depth--;
	if (outer != NULL)
		outer->inside = sum_saturating(outer->inside, duration);
	span = (struct model_span){
	    .begin = frame.begin,
	    .end = ts,
	    .self = duration > frame.inside ? duration - frame.inside : 0,
	    .depth = d->pub.depth,
	    .phase = frame.phase,
	    .pause = frame.pause,
	    .stale = frame.stale,
	};
	if (model_phase_waits(frame.phase) && (frame.pause || (d->pub.depth > 0 && d->stack[0].pause)))
		span.waited = span.self;
	if (!span.stale)
		span_count(m, d, totals, duration, &span);
	TELL(m, closed, d->pub.domain, &span);
}

enum rtev_next span_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	struct model *m = ctx;
	struct domain *d = model_touch(m, domain, ts);
	struct model_phase *totals;

	if (d == NULL)
		return model_next(m);
	totals = phase_of(m, d, phase);
	if (totals == NULL) {
		m->ignored++;
		return model_next(m);
	}
	if (totals->open == 0) {
		d->pub.dropped++;
		OBSERVE(m, stray, domain, ts, phase, false);
		return model_next(m);
	}
	while (d->stack[d->pub.depth - 1].phase != phase)
		frame_drop_top(m, d);
	frame_close(m, d, totals, ts);
	return model_next(m);
}

/* A begin, and the end that is the next event: nothing needs the stack in between. */
enum rtev_next span_begin_end(void *ctx, unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase)
{
	struct model *m = ctx;
	struct domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;

	if (d == NULL || begin > end || end >= d->attention || d->told != m->announced ||
	    phase >= RTEV_PHASE_COUNT || d->pub.depth == 0 || d->pub.depth == d->stack_size ||
	    !m->told.both_by_all) {
		enum rtev_next first = span_begin(m, domain, begin, phase),
			       second = span_end(m, domain, end, phase);
		return first != RTEV_CONTINUE ? first : second;
	}
	struct model_open_span *outer = &d->stack[d->pub.depth - 1];
	struct model_phase *totals = &d->phases[phase];
	uint64_t duration = end - begin;
	bool paused = d->stack[0].pause;
	const struct model_span span = {.begin = begin,
	    .end = end,
	    .self = duration,
	    .waited = paused && model_phase_waits(phase) ? duration : 0,
	    .depth = d->pub.depth,
	    .phase = phase};
	d->pub.events += 2;
	d->pub.last_ts = end;
	outer->inside = sum_saturating(outer->inside, duration);
	totals->count++;
	totals->total = sum_saturating(totals->total, duration);
	totals->self = sum_saturating(totals->self, duration);
	if (duration > totals->max)
		totals->max = duration;
	d->waited += span.waited;
	if (paused)
		pause_note_inside(m, d, &span);
	TELL(m, both, domain, &span);
	return model_next(m);
}

/* Drop the frames begun before a resume, at any depth. */
void spans_drop_before(struct model *m, struct domain *d, uint64_t resume)
{
	unsigned kept = 0;

	for (unsigned i = d->pub.depth; i-- > 0;)
		if (d->stack[i].begin < resume)
			frame_uncount(m, d, i);
	for (unsigned i = 0; i < d->pub.depth; i++) {
		if (d->stack[i].begin >= resume)
			d->stack[kept++] = d->stack[i];
		else if (kept > 0)
			d->stack[kept - 1].inside =
			    sum_saturating(d->stack[kept - 1].inside, d->stack[i].inside);
	}
	d->pub.depth = kept;
}

void spans_drop_all(struct model *m, struct domain *d)
{
	while (d->pub.depth > 0)
		frame_drop_top(m, d);
}
