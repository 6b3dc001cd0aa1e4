/*
 * trend_story.h - random stories of a target that are told to a watch, with a list of what happened beside
 * it: pauses, counters, losses, domains that come and go, pauses of the target, silences of any length.
 */
#pragma once

#include "support/test.h"

#include <math.h>
#include <stdbool.h>

#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define ATTACH (1000 * SECOND + 123456789)
#define DOMAINS 4
#define FACTS_MAX 60000

enum fact_kind { PAUSE, ALLOCATED, PROMOTED, LOST, UNREAD, LIFE, HEAP };

/* Something that happened, from..to where it lasts. */
struct fact {
	enum fact_kind kind;
	uint64_t from, to;
	double value;
};

struct story {
	struct watch *w;
	struct rtev_callbacks calls;
	uint64_t seed;
	uint64_t now, last; /* now, and the stamp of the latest event */
	bool alive[DOMAINS];
	uint64_t since[DOMAINS];
	uint64_t domain_last[DOMAINS];
	double heaps[DOMAINS]; /* NAN: none */
	double level;
	struct fact facts[FACTS_MAX];
	unsigned count;
	struct fact silences[FACTS_MAX / 10]; /* pauses of the target */
	unsigned silence_count;
};

static inline uint64_t below(struct story *s, uint64_t limit)
{
	s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return limit == 0 ? 0 : (s->seed >> 20) % limit;
}

static inline void note(struct story *s, enum fact_kind kind, uint64_t from, uint64_t to, double value)
{
	CHECK(s->count < FACTS_MAX);
	s->facts[s->count++] = (struct fact){.kind = kind, .from = from, .to = to, .value = value};
}

/* Look at what has come, all of it. */
static inline void look(struct story *s)
{
	watch_advance(s->w, s->now, s->now);
}

/* Time goes on; of a long silence the first seconds are looked at as a screen would. */
static inline void pass(struct story *s, uint64_t time)
{
	for (int i = 0; i < 5 && time > 600 * MS; i++) {
		s->now += 500 * MS;
		time -= 500 * MS;
		look(s);
	}
	s->now += time;
}

/* The domains that have a heap now, or did before the last of them ended. */
static inline void relevel(struct story *s)
{
	double sum = NAN;
	bool any = false;

	for (unsigned d = 0; d < DOMAINS; d++) {
		any |= s->alive[d];
		if (s->alive[d] && !isnan(s->heaps[d]))
			sum = isnan(sum) ? s->heaps[d] : sum + s->heaps[d];
	}
	if (any && (isnan(sum) != isnan(s->level) || (!isnan(sum) && sum != s->level)))
		note(s, HEAP, s->now, s->now, sum);
	if (any)
		s->level = sum;
	/* The heap is told as it was at each look. */
	look(s);
}

static inline void event_at(struct story *s, unsigned domain)
{
	s->last = s->domain_last[domain] = s->now;
}

static inline void life(struct story *s, unsigned domain, rtev_lifecycle event)
{
	bool birth = event == RTEV_LIFECYCLE_RING_START || event == RTEV_LIFECYCLE_DOMAIN_SPAWN;

	CHECK_INT(s->calls.lifecycle(watch_model(s->w), domain, s->now, event, 42), RTEV_CONTINUE);
	event_at(s, domain);
	if (event == RTEV_LIFECYCLE_RING_RESUME)
		return;
	if (!birth)
		note(s, LIFE, s->since[domain], s->now, 0);
	s->alive[domain] = birth;
	s->since[domain] = s->now;
	s->heaps[domain] = birth ? NAN : s->heaps[domain];
	relevel(s);
}

static inline void story_begin(struct story *s, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	s->seed = seed;
	s->now = ATTACH;
	s->level = NAN;
	s->w = watch_create(&(struct watch_options){.attach_ts = ATTACH, .history_budget = 1 << 20});
	CHECK(s->w != NULL);
	model_callbacks(&s->calls);
	for (unsigned d = 0; d < DOMAINS; d++)
		s->heaps[d] = NAN;
	s->now += 5 * MS;
	life(s, 0, RTEV_LIFECYCLE_RING_START);
}

static inline void one_pause(struct story *s, unsigned domain)
{
	struct model *m = watch_model(s->w);
	uint64_t begin = s->now, length = 1000 + below(s, below(s, 40) == 0 ? 20 * SECOND : 5 * MS);

	if (below(s, 300) == 0)
		length += below(s, 3 * MINUTE);
	s->calls.begin(m, domain, s->now, RTEV_PHASE_MINOR);
	event_at(s, domain);
	pass(s, length);
	s->calls.end(m, domain, s->now, RTEV_PHASE_MINOR);
	event_at(s, domain);
	note(s, PAUSE, begin, s->now, 0);
}

static inline void one_target_pause(struct story *s, uint64_t length)
{
	struct model *m = watch_model(s->w);
	uint64_t from = s->last;
	bool known = below(s, 2) == 0;

	if (known) {
		model_set_silent(m, true);
		look(s);
	}
	pass(s, length);
	if (known)
		look(s);
	model_set_silent(m, false);
	model_resume_at(m, s->now);
	CHECK(s->silence_count < sizeof(s->silences) / sizeof(s->silences[0]));
	s->silences[s->silence_count++] = (struct fact){.from = from, .to = s->now};
	life(s, 0, RTEV_LIFECYCLE_RING_RESUME);
}

static inline void one_counter(struct story *s, unsigned domain)
{
	struct model *m = watch_model(s->w);
	int64_t value = (int64_t)below(s, 1 << 22);

	switch (below(s, 3)) {
	case 0:
		s->calls.counter(m, domain, s->now, RTEV_COUNTER_MINOR_ALLOCATED, value);
		note(s, ALLOCATED, s->now, s->now, (double)value);
		break;
	case 1:
		s->calls.counter(m, domain, s->now, RTEV_COUNTER_MINOR_PROMOTED, value);
		note(s, PROMOTED, s->now, s->now, (double)value);
		break;
	default:
		s->calls.counter(m, domain, s->now, RTEV_COUNTER_MAJOR_HEAP_WORDS, value);
		s->heaps[domain] = (double)value;
		relevel(s);
		break;
	}
	event_at(s, domain);
}

/* The reader is held up: what a domain sends after an event is overwritten before it is read.  Others may
 * send something meanwhile, which is read. */
static inline void one_loss(struct story *s, unsigned domain)
{
	uint64_t words = 1 + below(s, 5000), from, to;
	unsigned other = (unsigned)below(s, DOMAINS), more = (unsigned)below(s, 3);

	one_counter(s, domain);
	from = s->now;
	to = from + 1 + below(s, below(s, 3) == 0 ? 90 * SECOND : 3 * SECOND);
	while (more-- > 0 && other != domain && s->alive[other]) {
		s->now += 1 + below(s, to - s->now);
		one_counter(s, other);
	}
	s->now = to;
	s->calls.lost(watch_model(s->w), domain, words, 0);
	note(s, LOST, from, from, (double)words);
	s->now += 1 + below(s, MS);
	note(s, UNREAD, from, s->now, 0);
	one_counter(s, domain);
}

/* Something happens. */
static inline void act(struct story *s, uint64_t scale)
{
	unsigned domain = (unsigned)below(s, DOMAINS), what = (unsigned)below(s, 100);
	bool rare = below(s, 60) == 0;

	pass(s, 1 + below(s, rare ? scale : 200 * MS));
	if (below(s, 4) == 0)
		look(s);
	if (what < 3 && domain > 0) {
		life(s, domain,
		    s->alive[domain] ? RTEV_LIFECYCLE_DOMAIN_TERMINATE : RTEV_LIFECYCLE_DOMAIN_SPAWN);
	} else if (!s->alive[domain]) {
		return;
	} else if (what < 4) {
		one_target_pause(s, below(s, below(s, 4) == 0 ? scale : SECOND));
	} else if (what < 5) {
		one_loss(s, domain);
	} else if (what < 40) {
		one_pause(s, domain);
	} else {
		one_counter(s, domain);
	}
}

static inline void story_end(struct story *s)
{
	s->now += below(s, 3 * SECOND);
	look(s);
	for (unsigned d = 0; d < DOMAINS; d++)
		if (s->alive[d])
			note(s, LIFE, s->since[d], s->now, 0);
}
