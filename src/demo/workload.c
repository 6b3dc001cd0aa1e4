/*
 * workload.c - rounds, and the requests that domains serve in them.
 *
 * The rate holds over time: each round aims at the events that are missing.  The length of a round follows
 * from the events of a collection, which are to be a fixed share of all events.  So collections are rare at a
 * low rate, and at a high rate no more frequent than in a busy program.
 */
#include "core/array.h"
#include "demo/state.h"

#define SECOND UINT64_C(1000000000)
#define MILLISECOND UINT64_C(1000000)

/* The share of all events that collections record, unless rounds would be shorter than ROUND_MIN. */
#define GC_EVENT_SHARE 0.35
#define ROUND_MIN (5.0 * (double)MILLISECOND)
#define ROUND_EVENTS_MAX 100000.0

/* Events of a request on average, and its longest usual duration. */
#define REQUEST_EVENTS 16.5
#define REQUEST_ACTIVE_MAX (8.0 * (double)MILLISECOND)

/* The first collection comes early: it tells a reader which OCaml this is. */
#define FIRST_ROUND (20.0 * (double)MILLISECOND)

/* Events that a requested collection records on each domain, and the share of all events that they may be. */
#define EXPLICIT_EVENTS 260.0
#define EXPLICIT_SHARE 0.05

/* The milliseconds until a timer is due at first and again. */
static const struct {
	uint16_t first, low, high;
} timers[TIMERS] = {
    [TIMER_EXPLICIT] = {2500, 8000, 16000},
    [TIMER_PAUSE] = {2000, 3000, 7000},
    [TIMER_FORK] = {4000, 15000, 40000},
    [TIMER_WAIT] = {5000, 4000, 10000},
    [TIMER_END] = {7000, 4000, 12000},
    [TIMER_STALL] = {5000, 9000, 9000},
};

/* Fibers and contexts share one space of ids, whose begin is reserved for contexts. */
#define FIBER_FIRST 65535

/* How long a fiber that stalls its loop runs without a switch, and how many do so one after another at first: as many as
 * make a finding. */
#define STALL (80 * MILLISECOND)
#define STALLS 3

/* Splitmix64. */
static uint64_t random_word(struct workload *w)
{
	uint64_t x = w->random += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t random_below(struct workload *w, uint64_t n)
{
	return n != 0 ? random_word(w) % n : 0;
}

uint64_t random_between(struct workload *w, uint64_t low, uint64_t high)
{
	return low + random_below(w, high - low + 1);
}

uint64_t random_long(struct workload *w, uint64_t mean)
{
	uint64_t value = mean / 10 + (random_below(w, mean + 1) + random_below(w, mean + 1)) / 2;

	/* One in four values is doubled, one in four of these again, and so on. */
	for (uint64_t r = random_word(w); (r & 3) == 0 && r != 0; r >>= 2)
		value *= 2;
	return value;
}

void actor_put(struct workload *w, struct actor *a, enum script_kind kind, unsigned id, int64_t value)
{
	struct script *s = &a->script;

	if (!array_room(&s->events, &s->room, s->count + 1, sizeof(s->events[0]))) {
		w->out_of_memory = true;
		return;
	}
	s->events[s->count++] =
	    (struct script_event){.ts = a->clock, .value = value, .kind = (uint16_t)kind, .id = (uint16_t)id};
	if (kind != SCRIPT_ALLOC)
		w->emitted += 1;
}

/* Let time pass for a domain. */
static void wait_until(struct actor *a, uint64_t until)
{
	a->clock = until > a->clock ? until : a->clock;
}

/* The least time between two requested collections: they record many events, so they must be rare at a low
 * rate. */
static uint64_t rarely(const struct workload *w)
{
	double seconds = EXPLICIT_EVENTS * w->options.domains / (EXPLICIT_SHARE * (double)w->options.rate);

	return (uint64_t)(seconds * (double)SECOND);
}

/* Return whether a timer is due, and if so choose its next time. */
static bool timer_due(struct workload *w, enum timer timer)
{
	if (w->now < w->next[timer])
		return false;
	w->next[timer] = w->now + random_between(w, timers[timer].low, timers[timer].high) * MILLISECOND +
			 (timer == TIMER_EXPLICIT ? rarely(w) : 0);
	return true;
}

/* The steps of a request.  `chance` is in sixteenths; a step that is left out takes the `with` next steps
 * along.  `percent`: the part of the request's duration before the step. */
static const struct {
	enum script_kind kind;
	uint8_t value, chance, with, percent;
} request_steps[] = {
    {SCRIPT_REQUEST, .value = 1, .chance = 16},
    {SCRIPT_QUEUE_DEPTH, .chance = 8, .percent = 2},
    {SCRIPT_QUERY, .value = 1, .chance = 12, .with = 5, .percent = 10},
    {SCRIPT_QUERY, .chance = 16, .percent = 35},
    {SCRIPT_QUERY, .value = 1, .chance = 8, .with = 3, .percent = 10},
    {SCRIPT_QUERY, .chance = 16, .percent = 20},
    {SCRIPT_QUERY, .value = 1, .chance = 5, .with = 1, .percent = 5},
    {SCRIPT_QUERY, .chance = 16, .percent = 15},
    {SCRIPT_CACHE_EVICT, .chance = 2, .percent = 3},
    {SCRIPT_LOG_LINE, .chance = 3, .percent = 3},
    {SCRIPT_REQUEST, .chance = 16, .percent = 25},
};

#define REQUEST_STEPS (sizeof(request_steps) / sizeof(request_steps[0]))

/* End the loop's idle time by running a fiber: a new one with each request, the same one after a query. */
static void fiber_runs(struct workload *w, struct actor *a, bool new)
{
	if (a->context == 0) {
		/* Context ids wrap at 65535: domains end so seldom that the first ones are long forgotten. */
		a->context = (unsigned)(w->contexts++ % FIBER_FIRST) + 1;
		actor_put(w, a, SCRIPT_CONTEXT, 0, a->context);
		actor_put(w, a, SCRIPT_NAME, 0, a->context);
	} else {
		actor_put(w, a, SCRIPT_IDLE, 0, 0);
	}
	if (new) {
		a->fiber = FIBER_FIRST + 1 + w->fibers++;
		actor_put(w, a, SCRIPT_FIBER_MADE, a->context, a->fiber);
	}
	actor_put(w, a, SCRIPT_FIBER_RUNS, 0, a->fiber);
}

static void fiber_leaves(struct workload *w, struct actor *a, bool ends)
{
	/* Some fibers yield, as with Eio's poll(2) backend, where they yield before they read. */
	actor_put(w, a, ends ? SCRIPT_FIBER_ENDS : SCRIPT_SUSPEND, a->fiber % 8 == 0, a->fiber);
	actor_put(w, a, SCRIPT_IDLE, 0, 1);
}

/* Make a step of a request, and say when the next is due. */
static void take_step(struct workload *w, struct actor *a)
{
	const enum script_kind kind = request_steps[a->step].kind;
	double cycle = w->pace * REQUEST_EVENTS, active = cycle * 0.6;
	int64_t value = request_steps[a->step].value;

	active = active < REQUEST_ACTIVE_MAX ? active : REQUEST_ACTIVE_MAX;
	if (a->step == 0)
		a->work = random_long(w, (uint64_t)active);
	if (a->step == 0 || (kind == SCRIPT_QUERY && value == 0))
		fiber_runs(w, a, a->step == 0);
	if (kind == SCRIPT_LOG_LINE)
		value = (int64_t)(random_word(w) >> 2);
	if (kind == SCRIPT_QUEUE_DEPTH) {
		a->queue += (int64_t)random_below(w, 9) - 4;
		value = a->queue = a->queue < 0 ? 0 : a->queue > 250 ? 250 : a->queue;
	}
	actor_put(w, a, kind, 0, value);
	if ((kind == SCRIPT_REQUEST && value == 0) || (kind == SCRIPT_QUERY && value != 0))
		fiber_leaves(w, a, kind == SCRIPT_REQUEST);
	if (a->step == 0 && ((w->stalls > 0 && w->stalls < STALLS) || timer_due(w, TIMER_STALL))) {
		w->stalls++;
		actor_put(w, a, SCRIPT_SPAN, 0, 0);
		a->step = REQUEST_STEPS - 1;
		a->due = a->clock + STALL;
		return;
	}
	a->step++;
	while (a->step < REQUEST_STEPS && random_below(w, 16) >= request_steps[a->step].chance)
		a->step += 1 + request_steps[a->step].with;
	uint64_t delay;
	if (a->step < REQUEST_STEPS) {
		delay = a->work * request_steps[a->step].percent / 100;
	} else {
		a->step = 0;
		delay = (uint64_t)(cycle - active);
	}
	a->due = a->clock + delay / 4 + random_below(w, delay * 3 / 2 + 1);
}

void actor_serve(struct workload *w, struct actor *a, uint64_t until)
{
	if (until <= a->clock)
		return;
	while (a->due <= until && a->wait_rounds == 0) {
		wait_until(a, a->due);
		take_step(w, a);
	}
	wait_until(a, until);
	/* A quarter to all of the minor heap fills while other domains fill theirs. */
	uint64_t filled = random_between(w, MINOR_HEAP_BYTES / 4, MINOR_HEAP_BYTES) & ~UINT64_C(7);
	if (a->wait_rounds == 0 && filled > a->minor_bytes)
		a->minor_bytes = filled;
}

struct actor *live_from(struct workload *w, unsigned *i)
{
	for (; *i < w->options.domains; (*i)++)
		if (w->actors[*i].live)
			return &w->actors[*i];
	return NULL;
}

struct workload *workload_create(const struct workload_options *options)
{
	struct workload *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->options = *options;
	w->random = options->seed;
	for (unsigned i = 0; i < options->domains; i++) {
		struct actor *a = &w->actors[i];
		a->pool = random_between(w, 400000, 1200000);
		a->large = random_between(w, 20000, 200000);
		a->queue = (int64_t)random_between(w, 5, 60);
		/* Two domains spawn in each of the first rounds. */
		a->revive = (i + 1) / 2;
	}
	w->actors[0].live = true;
	w->gc_events = 40;
	w->cycle = SWEEPING;
	w->cycle_rounds = 6;
	for (unsigned i = 0; i < TIMERS; i++)
		w->next[i] = timers[i].first * MILLISECOND;
	w->next[TIMER_EXPLICIT] += rarely(w);
	if (!options->pause)
		w->next[TIMER_PAUSE] = UINT64_MAX;
	if (!options->fork)
		w->next[TIMER_FORK] = UINT64_MAX;
	return w;
}

void workload_destroy(struct workload *w)
{
	if (w == NULL)
		return;
	for (unsigned i = 0; i < w->options.domains; i++)
		free(w->actors[i].script.events);
	free(w);
}

/* Choose which domains terminate, spawn and block.  The lowest free slots are used first, as in the producer.  A
 * domain between two requests terminates now and then; the main domain blocks, like one that joins another. */
static void plan_domains(struct workload *w)
{
	struct actor *a = &w->actors[random_between(w, 1, w->options.domains) % w->options.domains];

	if (a != &w->actors[0] && a->live && a->step == 0 && timer_due(w, TIMER_END)) {
		a->live = false;
		a->revive = w->round + random_between(w, 10, 60);
	}
	for (unsigned i = 1; i < w->options.domains; i++) {
		a = &w->actors[i];
		if (!a->live && a->revive > w->round)
			break;
		if (a->live)
			continue;
		a->live = true;
		a->clock = a->due = w->now + random_between(w, 5, 9) * MILLISECOND;
		a->minor_bytes = 0;
		a->context = 0;
	}

	a = &w->actors[0];
	if (a->wait_rounds > 0 && --a->wait_rounds == 0)
		actor_put(w, a, SCRIPT_END, RTEV_PHASE_DOMAIN_CONDITION_WAIT, 0);
	else if (a->wait_rounds == 0 && a->step == 0 && timer_due(w, TIMER_WAIT)) {
		a->wait_rounds = (unsigned)random_between(w, 1, 4);
		actor_put(w, a, SCRIPT_BEGIN, RTEV_PHASE_DOMAIN_CONDITION_WAIT, 0);
	}
}

/* Choose the length of the round and the density of its events.  Returns the time at which its collection
 * begins. */
static uint64_t plan_pace(struct workload *w)
{
	double rate = (double)w->options.rate, live = 0;
	double length = w->gc_events / (GC_EVENT_SHARE * rate) * (double)SECOND;
	double shortest = ROUND_EVENTS_MAX / rate * (double)SECOND;
	struct actor *a;

	shortest = shortest < ROUND_MIN ? shortest : ROUND_MIN;
	length = length > shortest ? length : shortest;
	if (w->round == 0 && length > FIRST_ROUND)
		length = FIRST_ROUND;
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		live += a->wait_rounds == 0;

	/* A deficit or a surplus is corrected over several rounds. */
	double own = length * rate / (double)SECOND - w->gc_events, missing = w->due - w->emitted;
	own += missing > own / 2 ? own / 2 : missing < -own / 2 ? -own / 2 : missing;
	double gc = length * 0.08;
	w->pace = (length - gc) * (live > 0 ? live : 1) / (own > 1 ? own : 1);
	double scale = length * 0.04;
	w->gc_scale = (uint64_t)(scale < 20000 ? 20000 : scale > 1500000 ? 1500000 : scale);
	return w->now + (uint64_t)(length * 0.6);
}

bool workload_round(struct workload *w, struct workload_round *out)
{
	struct actor *a;

	for (unsigned i = 0; i < w->options.domains; i++) {
		w->actors[i].script.count = 0;
		wait_until(&w->actors[i], w->now);
	}
	if (timer_due(w, TIMER_PAUSE)) {
		w->paused = !w->paused;
		if (w->paused)
			w->next[TIMER_PAUSE] = w->now + random_between(w, 800, 1800) * MILLISECOND;
	}
	*out =
	    (struct workload_round){.start = w->now, .paused = w->paused, .fork = timer_due(w, TIMER_FORK)};
	plan_domains(w);

	uint64_t at = plan_pace(w), end = at;
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		actor_serve(w, a, at);
	collect(w, at, timer_due(w, TIMER_EXPLICIT));

	/* From the end of the last domain's collection, the rest of the round is proportional to its first
	 * part. */
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		end = a->clock > end ? a->clock : end;
	end += (at - w->now) * 2 / 3;
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		actor_serve(w, a, end);
	out->end = end;
	w->due += (double)(end - w->now) * (double)w->options.rate / (double)SECOND;
	w->now = end;
	w->round++;
	return !w->out_of_memory;
}

const struct script *workload_script(const struct workload *w, unsigned slot)
{
	return w->actors[slot].live ? &w->actors[slot].script : NULL;
}

void workload_set_rate(struct workload *w, uint64_t rate)
{
	w->options.rate = rate;
	w->emitted = w->due = 0;
}
