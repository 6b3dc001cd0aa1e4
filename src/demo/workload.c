/*
 * workload.c - rounds, and the requests that domains serve in them.
 *
 * The rate holds over time: each round aims at the events that are missing.  The length of a round follows
 * from the events of a collection, which are to be a fixed share of all events.  So collections are rare at a
 * low rate, and at a high rate no more frequent than in a busy program.
 */
#include "demo/state.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)
#define MILLISECOND UINT64_C(1000000)

/* The share of all events that collections record, unless rounds would be shorter than ROUND_MIN. */
#define GC_EVENT_SHARE 0.35
#define ROUND_MIN (5.0 * (double)MILLISECOND)
#define ROUND_EVENTS_MAX 100000.0

/* Events of a request on average, and its longest usual duration. */
#define REQUEST_EVENTS 5.5
#define REQUEST_ACTIVE_MAX (8.0 * (double)MILLISECOND)

/* The first collection comes early: it tells a reader which OCaml this is. */
#define FIRST_ROUND (20 * MILLISECOND)

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
	uint64_t r = random_word(w);
	/* The sum of three uniform numbers: a hump from 0.1 to 1.1.  One in four is doubled, one in four of
	 * these again, and so on. */
	uint64_t hump = (r & 0xff) + (r >> 8 & 0xff) + (r >> 16 & 0xff);
	uint64_t value = mean / 10 + mean * hump / 765;

	for (r >>= 24; (r & 3) == 0 && r != 0; r >>= 2)
		value *= 2;
	return value;
}

void actor_put(struct workload *w, struct actor *a, enum script_kind kind, unsigned id, int64_t value)
{
	struct script *s = &a->script;

	if (s->count == s->room) {
		size_t room = s->room * 2 + 256;
		struct script_event *events = reallocarray(s->events, room, sizeof(s->events[0]));
		if (events == NULL) {
			w->out_of_memory = true;
			return;
		}
		s->events = events;
		s->room = room;
	}
	s->events[s->count++] =
	    (struct script_event){.ts = a->clock, .value = value, .kind = (uint16_t)kind, .id = (uint16_t)id};
	if (kind != SCRIPT_ALLOC)
		w->emitted += 1;
}

/* Append a step to a request. */
static void add_step(struct actor *a, enum script_kind kind, int64_t value, uint64_t delay)
{
	a->steps[a->step_count++] = (struct step){.delay = delay, .value = value, .kind = kind};
}

/* Generate the next request: its steps and how long each takes. */
static void request_make(struct workload *w, struct actor *a)
{
	double cycle = w->pace * REQUEST_EVENTS;
	double active = cycle * 0.6 < REQUEST_ACTIVE_MAX ? cycle * 0.6 : REQUEST_ACTIVE_MAX;
	/* With the tail, a mean of 0.6 becomes about 1. */
	uint64_t work = random_long(w, (uint64_t)active), queries = random_below(w, 16);
	static const uint8_t query_counts[16] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3};
	unsigned count = query_counts[queries];

	a->step = a->step_count = 0;
	a->queue += (int64_t)random_below(w, 9) - 4;
	a->queue = a->queue < 0 ? 0 : a->queue > 250 ? 250 : a->queue;
	add_step(a, SCRIPT_REQUEST, 1, 0);
	if (random_below(w, 2) == 0)
		add_step(a, SCRIPT_QUEUE_DEPTH, a->queue, work / 50);
	for (unsigned i = 0; i < count; i++) {
		uint64_t part = work / (count + 1);
		add_step(a, SCRIPT_QUERY, 1, part / 4);
		add_step(a, SCRIPT_QUERY, 0, part / 2 + random_below(w, part / 2 + 1));
	}
	if (random_below(w, 8) == 0)
		add_step(a, SCRIPT_CACHE_EVICT, 0, work / 40);
	if (random_below(w, 6) == 0)
		add_step(a, SCRIPT_LOG_LINE, (int64_t)(random_word(w) >> 2), work / 30);
	add_step(a, SCRIPT_REQUEST, 0, work / 4);
}

/* How long a domain idles between two requests. */
static uint64_t idle_time(struct workload *w)
{
	double cycle = w->pace * REQUEST_EVENTS;
	double active = cycle * 0.6 < REQUEST_ACTIVE_MAX ? cycle * 0.6 : REQUEST_ACTIVE_MAX;
	uint64_t mean = (uint64_t)(cycle - active);

	return mean / 4 + random_below(w, mean * 3 / 2 + 1);
}

/* Between two requests: block, stay idle, or begin the next one. */
static bool next_request(struct workload *w, struct actor *a, uint64_t until)
{
	if (a->wants_wait) {
		a->wants_wait = false;
		a->waiting = true;
		actor_put(w, a, SCRIPT_BEGIN, RTEV_PHASE_DOMAIN_CONDITION_WAIT, 0);
	}
	if (a->waiting || a->ending) {
		a->clock = until;
		return false;
	}
	request_make(w, a);
	return true;
}

void actor_serve(struct workload *w, struct actor *a, uint64_t until)
{
	uint64_t from = a->clock;

	if (until <= from)
		return;
	while (a->clock < until) {
		if (a->step == a->step_count) {
			if (a->due > until) {
				a->clock = until;
				break;
			}
			a->clock = a->due > a->clock ? a->due : a->clock;
			if (!next_request(w, a, until))
				break;
			a->due = a->clock;
		}
		const struct step *step = &a->steps[a->step];
		if (a->due > until) {
			a->clock = until;
			break;
		}
		a->clock = a->due > a->clock ? a->due : a->clock;
		actor_put(w, a, step->kind, 0, step->value);
		a->step++;
		a->due = a->clock + (a->step < a->step_count ? a->steps[a->step].delay : idle_time(w));
	}
	/* A quarter to all of the minor heap fills while other domains fill theirs. */
	uint64_t filled = random_between(w, MINOR_HEAP_BYTES / 4, MINOR_HEAP_BYTES) & ~UINT64_C(7);
	if (!a->waiting && filled > a->minor_bytes)
		a->minor_bytes = filled;
}

struct workload *workload_create(const struct workload_options *options)
{
	struct workload *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->options = *options;
	w->actors = calloc(options->domains, sizeof(w->actors[0]));
	if (w->actors == NULL) {
		free(w);
		return NULL;
	}
	w->random = options->seed;
	for (unsigned i = 0; i < options->domains; i++) {
		struct actor *a = &w->actors[i];
		a->pool = random_between(w, 400000, 1200000);
		a->large = random_between(w, 20000, 200000);
		a->queue = (int64_t)random_between(w, 5, 60);
		/* The first domains spawn in pairs. */
		a->revive = (i + 1) / 2;
	}
	w->actors[0].live = true;
	w->gc_events = 40;
	w->cycle_rounds = 6;
	w->sweep_rounds = 6;
	w->next_full = gc_explicit_after(w, 0, 2 * SECOND, 4 * SECOND);
	w->next_compact = gc_explicit_after(w, 0, 5 * SECOND, 7 * SECOND);
	w->next_pause = options->pause ? 2 * SECOND : UINT64_MAX;
	w->next_fork = options->fork ? 4 * SECOND : UINT64_MAX;
	w->next_wait = 5 * SECOND;
	w->next_end = 7 * SECOND;
	return w;
}

void workload_destroy(struct workload *w)
{
	if (w == NULL)
		return;
	for (unsigned i = 0; i < w->options.domains; i++)
		free(w->actors[i].script.events);
	free(w->actors);
	free(w);
}

/* Append an action to a round. */
static void add_action(struct workload_round *round, enum workload_action_kind kind, unsigned slot)
{
	round->actions[round->action_count++] = (struct workload_action){kind, slot};
}

/* Choose which domains spawn and terminate: at most one terminates, and the lowest free slots are used first,
 * as in the producer. */
static void plan_domains(struct workload *w, struct workload_round *round)
{
	unsigned spawns = 0;

	for (unsigned i = 1; i < w->options.domains; i++) {
		struct actor *a = &w->actors[i];
		if (!a->live || !a->ending || a->step != a->step_count || a->waiting)
			continue;
		a->live = a->ending = false;
		a->revive = w->round + random_between(w, 10, 60);
		add_action(round, ACTION_TERMINATE, i);
		break;
	}
	for (unsigned i = 1; i < w->options.domains && spawns < ROUND_SPAWNS_MAX; i++) {
		struct actor *a = &w->actors[i];
		if (a->live)
			continue;
		if (a->revive > w->round)
			break;
		a->live = true;
		a->clock = a->due = w->now + random_between(w, 5, 9) * MILLISECOND;
		a->minor_bytes = 0;
		add_action(round, ACTION_SPAWN, i);
		spawns++;
	}
	if (w->now >= w->next_end && w->options.domains > 1) {
		struct actor *a = &w->actors[random_between(w, 1, w->options.domains - 1)];
		a->ending = a->live && !a->wants_wait && !a->waiting;
		w->next_end = w->now + random_between(w, 4, 12) * SECOND;
	}
}

/* Let the main domain block on a condition now and then, like one that joins another. */
static void plan_wait(struct workload *w)
{
	struct actor *a = &w->actors[0];

	if (a->waiting && --a->wait_rounds == 0) {
		a->waiting = false;
		actor_put(w, a, SCRIPT_END, RTEV_PHASE_DOMAIN_CONDITION_WAIT, 0);
		a->due = a->clock;
	} else if (w->now >= w->next_wait && !a->waiting && !a->wants_wait) {
		a->wants_wait = true;
		a->wait_rounds = (unsigned)random_between(w, 1, 4);
		w->next_wait = w->now + random_between(w, 4, 10) * SECOND;
	}
}

/* Choose actions of the producer as a whole. */
static void plan_actions(struct workload *w, struct workload_round *round)
{
	if (w->now >= w->next_pause) {
		w->paused = !w->paused;
		add_action(round, w->paused ? ACTION_PAUSE : ACTION_RESUME, 0);
		w->next_pause = w->now + (w->paused ? random_between(w, 800, 1800) * MILLISECOND
						    : random_between(w, 3, 7) * SECOND);
	}
	if (w->now >= w->next_fork) {
		add_action(round, ACTION_FORK, 0);
		w->next_fork = w->now + random_between(w, 15, 40) * SECOND;
	}
}

/* Choose the length of the round and the density of its events.  Returns the time at which its collection
 * begins. */
static uint64_t plan_pace(struct workload *w)
{
	double rate = (double)w->options.rate, live = 0;
	double length = w->gc_events / (GC_EVENT_SHARE * rate) * (double)SECOND;
	double shortest = ROUND_EVENTS_MAX / rate * (double)SECOND;

	shortest = shortest < ROUND_MIN ? shortest : ROUND_MIN;
	length = length > shortest ? length : shortest;
	if (w->round == 0 && length > (double)FIRST_ROUND)
		length = (double)FIRST_ROUND;
	for (unsigned i = 0; i < w->options.domains; i++)
		live += w->actors[i].live && !w->actors[i].waiting && !w->actors[i].ending;

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
	*out = (struct workload_round){.start = w->now};
	for (unsigned i = 0; i < w->options.domains; i++) {
		struct actor *a = &w->actors[i];
		a->script.count = 0;
		if (a->clock < w->now)
			a->clock = w->now;
	}
	plan_actions(w, out);
	plan_domains(w, out);
	plan_wait(w);
	uint64_t collect = plan_pace(w), end = collect;
	for (unsigned i = 0; i < w->options.domains; i++)
		if (w->actors[i].live)
			actor_serve(w, &w->actors[i], collect);
	double served = w->emitted;
	bool ordinary = gc_collect(w, collect);
	/* Requested collections are rare and long: no estimate for the next. */
	if (ordinary)
		w->gc_events = w->gc_events * 0.7 + (w->emitted - served) * 0.3;

	/* From the end of the last domain's collection, the rest of the round is proportional to its first
	 * part. */
	for (unsigned i = 0; i < w->options.domains; i++)
		if (w->actors[i].live && w->actors[i].clock > end)
			end = w->actors[i].clock;
	end += (collect - w->now) * 2 / 3;
	for (unsigned i = 0; i < w->options.domains; i++)
		if (w->actors[i].live)
			actor_serve(w, &w->actors[i], end);
	out->end = end;
	w->due += (double)(end - w->now) * (double)w->options.rate / (double)SECOND;
	w->now = end;
	w->round++;
	return !w->out_of_memory;
}

const struct script *workload_script(const struct workload *w, unsigned slot)
{
	return &w->actors[slot].script;
}

void workload_set_rate(struct workload *w, uint64_t rate)
{
	w->options.rate = rate;
	w->emitted = w->due = 0;
}
