/*
 * pauses.h - pauses of a domain that have ended, for the parts that count several at once.
 *
 * Either there is one, or all lie in one step of WATCH_STEP, each after the end of the one before.
 */
#pragma once

#include "model/model.h"

#define WATCH_STEP 250000000u
#define PAUSES_AT_ONCE 64

struct pauses {
	unsigned domain, count;
	bool stale;	 /* the only one began before model_reset */
	uint64_t waited; /* of all together: their own time that was waiting */
	struct pause {
		uint64_t begin, end;
		rtev_phase phase;
	} list[PAUSES_AT_ONCE];

	/* set by pauses_sum, from the durations */
	uint64_t sum, least, most;
	uint64_t octaves; /* octaves of a histogram (struct hist) that they are in, a bit each */
	uint16_t places[PAUSES_AT_ONCE]; /* hist_place of each */
};

static inline uint64_t pause_time(const struct pause *p)
{
	return p->end - p->begin;
}

/* Add a pause to a list with room. */
static inline void pauses_add(struct pauses *p, const struct model_span *span)
{
	p->list[p->count++] = (struct pause){.begin = span->begin, .end = span->end, .phase = span->phase};
	p->waited += span->waited;
}

/* Compute the figures of the durations. */
static inline void pauses_sum(struct pauses *p)
{
	uint64_t sum = 0, least = UINT64_MAX, most = 0, octaves = 0;

	for (unsigned i = 0; i < p->count; i++) {
		uint64_t time = pause_time(&p->list[i]);
		unsigned place = hist_place(time);
		sum += time;
		least = time < least ? time : least;
		most = time > most ? time : most;
		octaves |= UINT64_C(1) << place / HIST_OCTAVE_BUCKETS;
		p->places[i] = (uint16_t)place;
	}
	p->sum = sum;
	p->least = least;
	p->most = most;
	p->octaves = octaves;
}
