/*
 * spans.c - runtime spans: matching begins with ends on a domain's stack.
 *
 * Invariants: phases[p].open is the number of frames of p on the stack, so an end without a begin needs no
 * search.  `inside` of a frame is the sum of the durations of its counted children; the children of a dropped
 * frame count as children of the frame around it.
 *
 * Waits of threads are not on the stack: several threads of a domain wait at once, and write their begins and
 * ends in any order.  The stack has the *idle stretch* of the domain instead: one frame of
 * domain_condition_wait, from the begin of a wait to the next event that shows a running thread, and again from
 * the end of a pause that leaves open who runs then.  domain->idle is the depth inside that frame, so the
 * innermost frame is the idle stretch if `idle` equals the depth.
 */
#include "model/state.h"

/* What a thread does next begins within this time, unless it loses its processor: 20 to 450 ns were seen.  No
 * other thread takes its domain over as fast, because it has to be woken for that: 2.8 us at least. */
#define AT_ONCE_NS 1000

/* Return the totals of a phase that the tables lack, created on first use; NULL if memory or the budget ran
 * out. */
static __attribute__((noinline)) struct model_phase *phase_opaque(
    struct model *m, struct domain *d, rtev_phase phase)
{
	void *array = d->phases;
	size_t i = model_opaque(
	    m, &d->opaque_phases, phase, &array, &d->phase_size, &d->pub.phase_count, sizeof(*d->phases));

	d->pub.phases = d->phases = array;
	if (i == 0)
		return NULL;
	d->phases[i].phase = phase;
	return &d->phases[i];
}

/* Return the totals of a phase on a domain; NULL if memory or the budget ran out. */
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
	d->joined_depths = d->stack_size - 1;
	return true;
}

/* Push a frame of a phase.  There must be room for it. */
static inline __attribute__((always_inline)) void frame_open(
    struct model *m, struct domain *d, struct model_phase *totals, uint64_t ts, rtev_phase phase)
{
	const unsigned depth = d->pub.depth;
	struct model_open_span *frame = &d->stack[depth];
	const uint16_t around = depth > 0 ? frame[-1].path : 0;
	uint16_t path = phase < RTEV_PHASE_COUNT ? path_known(&m->paths, around, phase) : 0;

	if (path == 0)
		path = path_inside(&m->paths, around, phase);
	*frame = (struct model_open_span){
	    .begin = ts, .inside = 0, .phase = phase, .path = path, .pause = false, .stale = false};
	if (phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT) {
		d->idle = depth + 1;
	} else if (depth == 0) {
		frame->pause = true;
		pause_opened(d);
	}
	totals->open++;
	d->pub.open++;
	d->pub.depth = depth + 1;
	TELL(m, opened, d->pub.domain, phase, ts, depth);
}

/* Handle the begin of an opaque phase, or one for which the stack may have no room. */
static __attribute__((noinline)) enum rtev_next begin_rare(
    struct model *m, struct domain *d, uint64_t ts, rtev_phase phase)
{
	struct model_phase *totals = phase_of(m, d, phase);

	if (totals == NULL) {
		m->ignored++;
	} else if (d->pub.depth == d->stack_size && !stack_grow(m, d)) {
		d->pub.dropped++;
		OBSERVE(m, stray, d->pub.domain, MODEL_STRAY_BEGIN, phase, 0, ts);
	} else {
		frame_open(m, d, totals, ts, phase);
	}
	return model_next(m);
}

/* Uncount frame `i`, which leaves the stack without an end. */
static void frame_uncount(struct model *m, struct domain *d, unsigned i)
{
	const struct model_open_span *frame = &d->stack[i];
	/* never NULL: its begin made the entry */
	struct model_phase *totals = phase_of(m, d, frame->phase);

	if (totals != NULL)
		totals->open--;
	d->pub.open--;
	d->to_wait = false;
	if (i + 1 == d->idle)
		d->idle = NOT_IDLE;
	else if (i < d->idle && d->idle != NOT_IDLE)
		d->idle--;
	if (!frame->stale)
		d->pub.dropped++;
	OBSERVE(m, dropped, d->pub.domain, frame->phase, frame->begin, i);
}

static void frame_drop_top(struct model *m, struct domain *d)
{
	unsigned i = d->pub.depth - 1;

	frame_uncount(m, d, i);
	if (i > 0)
		d->stack[i - 1].inside = sum_saturating(d->stack[i - 1].inside, d->stack[i].inside);
	d->pub.depth = i;
}

/* Count a span that ended in the totals of its phase. */
static inline void phase_count(struct model_phase *totals, uint64_t duration, uint64_t self)
{
	totals->count++;
	totals->total = sum_saturating(totals->total, duration);
	totals->self = sum_saturating(totals->self, self);
	if (duration > totals->max)
		totals->max = duration;
}

/* Handle stamps that went back: the duration of the innermost span is not known. */
static __attribute__((noinline)) void frame_backward(struct model *m, struct domain *d, uint64_t ts)
{
	rtev_phase phase = d->stack[d->pub.depth - 1].phase;

	frame_drop_top(m, d);
	OBSERVE(m, stray, d->pub.domain, MODEL_STRAY_END, phase, 0, ts);
}

/* End the innermost frame at ts.  `shown`: by an event that is not its own end. */
static inline __attribute__((always_inline)) void frame_close(
    struct model *m, struct domain *d, struct model_phase *totals, uint64_t ts, bool shown)
{
	const unsigned depth = d->pub.depth - 1;
	struct model_open_span *frame = &d->stack[depth];
	const uint64_t duration = ts - frame->begin;
	const uint64_t self = duration > frame->inside ? duration - frame->inside : 0;
	const bool in_pause = d->stack[0].pause; /* the frame is in a pause, or is one */
	struct model_span *span = &m->span;

	if (ts < frame->begin) {
		frame_backward(m, d, ts);
		return;
	}
	totals->open--;
	d->pub.open--;
	d->pub.depth = depth;
	if (d->idle > depth)
		d->idle = NOT_IDLE;
	if (depth > 0)
		frame[-1].inside = sum_saturating(frame[-1].inside, duration);
	*span = (struct model_span){.begin = frame->begin,
	    .end = ts,
	    .self = self,
	    .waited = in_pause && model_phase_waits(frame->phase) ? self : 0,
	    .depth = depth,
	    .phase = frame->phase,
	    .path = frame->path,
	    .pause = frame->pause,
	    .stale = frame->stale,
	    .shown = shown,
	    .whole = false};
	if (!frame->stale) {
		phase_count(totals, duration, self);
		d->waited += span->waited;
		if (in_pause && depth == 0)
			pause_closed(m, d, span);
		else if (in_pause)
			pause_note_inside(m, d, span);
		else
			totals->outside = sum_saturating(totals->outside, self);
	}
	TELL(m, closed, d->pub.domain, span);
	if (depth == d->idle)
		d->handled_ts = ts;
	if (depth == 0 && d->to_wait) {
		d->to_wait = false;
		frame_open(
		    m, d, &d->phases[RTEV_PHASE_DOMAIN_CONDITION_WAIT], ts, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
	}
}

/* Handle the end of an opaque phase, or of a span that is not the innermost: drop the spans inside it. */
static __attribute__((noinline)) enum rtev_next end_rare(
    struct model *m, struct domain *d, uint64_t ts, rtev_phase phase)
{
	struct model_phase *totals = phase_of(m, d, phase);

	if (totals == NULL) {
		m->ignored++;
	} else if (totals->open == 0) {
		d->pub.dropped++;
		OBSERVE(m, stray, d->pub.domain, MODEL_STRAY_END, phase, 0, ts);
	} else {
		while (d->stack[d->pub.depth - 1].phase != phase)
			frame_drop_top(m, d);
		frame_close(m, d, totals, ts, false);
	}
	return model_next(m);
}

/* Whether the backup thread of an idle domain may have begun a phase at ts: it handles stops, and at once does
 * what they requested.  The idle stretch must be the innermost frame. */
static bool backup_begins(const struct domain *d, rtev_phase phase, uint64_t ts)
{
	const bool polls = phase == RTEV_PHASE_MAJOR || phase == RTEV_PHASE_STW_LEADER;

	return phase == RTEV_PHASE_STW_HANDLER ||
	       (polls && d->stack[d->pub.depth - 1].inside > 0 && ts - d->handled_ts < AT_ONCE_NS);
}

/* Whether a pause leaves open who runs after it: the thread that begins to wait handles what is pending before it
 * gives the domain up, and a backup thread may have lost its processor between a stop and what that requested.  A
 * thread that allocates soon shows more: it leads a stop. */
static bool says_little(rtev_phase phase, uint64_t idle_ns)
{
	return phase == RTEV_PHASE_INTERRUPT_REMOTE || phase == RTEV_PHASE_MAJOR || idle_ns < AT_ONCE_NS;
}

/* Handle an event at ts that shows a running thread, on a domain whose innermost frame is its idle stretch. */
void span_idle_ends(struct model *m, struct domain *d, uint64_t ts)
{
	if (ts < d->stack[d->pub.depth - 1].begin)
		frame_drop_top(m, d);
	else
		frame_close(m, d, &d->phases[RTEV_PHASE_DOMAIN_CONDITION_WAIT], ts, true);
	d->to_wait = false;
}

/* Begin a thread's wait.  False: the domain is idle already. */
static __attribute__((noinline)) bool wait_begins(struct model *m, struct domain *d, uint64_t ts)
{
	void *array = d->waits;
	size_t size = d->wait_size;

	if (d->pub.wait_count == size && size < MODEL_DEPTH_MAX &&
	    model_grow(m, &array, &size, size == 0 ? 8 : size * 2, sizeof(*d->waits))) {
		d->pub.waits = d->waits = array;
		d->wait_size = size;
	}
	if (d->pub.wait_count < d->wait_size)
		d->waits[d->pub.wait_count++] = ts;
	if (d->idle == NOT_IDLE)
		return true;
	OBSERVE(m, stray, d->pub.domain, MODEL_STRAY_BEGIN, RTEV_PHASE_DOMAIN_CONDITION_WAIT, 0, ts);
	return false;
}

/* End a wait: the open one that began last, because threads are not told apart. */
static __attribute__((noinline)) enum rtev_next wait_ends(struct model *m, struct domain *d, uint64_t ts)
{
	const rtev_phase wait = RTEV_PHASE_DOMAIN_CONDITION_WAIT;

	d->to_wait = false;
	if (d->idle != NOT_IDLE) {
		end_rare(m, d, ts, wait);
	} else {
		d->pub.dropped += d->pub.wait_count == 0;
		OBSERVE(m, stray, d->pub.domain, MODEL_STRAY_END, wait, 0, ts);
	}
	if (d->pub.wait_count > 0 && ts >= d->waits[--d->pub.wait_count])
		OBSERVE(m, stray, d->pub.domain, MODEL_WAITED, wait, d->waits[d->pub.wait_count], ts);
	return model_next(m);
}

enum rtev_next span_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	struct model *m = ctx;
	struct domain *d = model_reach(m, domain, ts);

	if (d == NULL)
		return model_next(m);
	if (phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT) {
		if (!wait_begins(m, d, ts))
			return model_next(m);
	} else if (d->pub.depth == d->idle && !backup_begins(d, phase, ts)) {
		const bool to_wait = d->pub.depth == 1 && says_little(phase, ts - d->stack[0].begin);
		span_idle_ends(m, d, ts);
		d->to_wait = to_wait;
	}
	if (phase >= RTEV_PHASE_COUNT || d->pub.depth == d->stack_size)
		return begin_rare(m, d, ts, phase);
	frame_open(m, d, &d->phases[phase], ts, phase);
	return model_next(m);
}

enum rtev_next span_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	struct model *m = ctx;
	struct domain *d = model_reach(m, domain, ts);

	if (d == NULL)
		return model_next(m);
	if (phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT)
		return wait_ends(m, d, ts);
	if (d->pub.depth == d->idle && phase != RTEV_PHASE_STW_HANDLER)
		span_idle_ends(m, d, ts);
	if (phase >= RTEV_PHASE_COUNT || d->pub.depth == 0 || d->stack[d->pub.depth - 1].phase != phase)
		return end_rare(m, d, ts, phase);
	frame_close(m, d, &d->phases[phase], ts, false);
	return model_next(m);
}

/* Deliver a span as its begin and its end. */
static __attribute__((noinline)) enum rtev_next span_apart(
    struct model *m, unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase)
{
	enum rtev_next first = span_begin(m, domain, begin, phase), second = span_end(m, domain, end, phase);

	return first != RTEV_CONTINUE ? first : second;
}

/* Handle a begin whose end is the next event, so nothing needs the stack in between. */
enum rtev_next span_begin_end(void *ctx, unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase)
{
	struct model *m = ctx;
	struct domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;

	if (d == NULL || begin > end || end >= d->attention || phase >= RTEV_PHASE_COUNT ||
	    d->pub.depth - 1 >= d->joined_depths || d->pub.depth == d->idle ||
	    phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT)
		return span_apart(m, domain, begin, end, phase);
	struct model_open_span *outer = &d->stack[d->pub.depth - 1];
	const uint16_t path = path_known(&m->paths, outer->path, phase);
	struct model_phase *totals = &d->phases[phase];
	uint64_t duration = end - begin;
	struct model_span *span = &m->span;

	if (path == 0)
		return span_apart(m, domain, begin, end, phase);
	*span = (struct model_span){.begin = begin,
	    .end = end,
	    .self = duration,
	    .waited = 0,
	    .depth = d->pub.depth,
	    .phase = phase,
	    .path = path,
	    .pause = false,
	    .stale = false,
	    .shown = false,
	    .whole = true};
	d->pub.events += 2;
	d->pub.last_ts = end;
	outer->inside = sum_saturating(outer->inside, duration);
	phase_count(totals, duration, duration);
	if (d->stack[0].pause) {
		span->waited = model_phase_waits(phase) ? duration : 0;
		d->waited += span->waited;
		pause_note_inside(m, d, span);
	} else {
		totals->outside = sum_saturating(totals->outside, duration);
	}
	TELL(m, closed, domain, span);
	return model_next(m);
}

/* Drop the frames begun before a resume, at any depth.  Frames inside them get the path that they now have. */
void spans_drop_before(struct model *m, struct domain *d, uint64_t resume)
{
	unsigned kept = 0, waits = 0;

	for (unsigned i = d->pub.depth; i-- > 0;)
		if (d->stack[i].begin < resume)
			frame_uncount(m, d, i);
	for (unsigned i = 0; i < d->pub.depth; i++) {
		const struct model_open_span frame = d->stack[i];
		if (frame.begin >= resume) {
			d->stack[kept] = frame;
			d->stack[kept].path =
			    path_inside(&m->paths, kept > 0 ? d->stack[kept - 1].path : 0, frame.phase);
			kept++;
		} else if (kept > 0) {
			d->stack[kept - 1].inside = sum_saturating(d->stack[kept - 1].inside, frame.inside);
		}
	}
	d->pub.depth = kept;
	for (size_t i = 0; i < d->pub.wait_count; i++)
		if (d->waits[i] >= resume)
			d->waits[waits++] = d->waits[i];
	d->pub.wait_count = waits;
}

void spans_drop_all(struct model *m, struct domain *d)
{
	while (d->pub.depth > 0)
		frame_drop_top(m, d);
	d->pub.wait_count = 0;
}
