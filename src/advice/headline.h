/*
 * headline.h - how the target does, in one sentence.
 *
 * The sentence is that of the first rule that has something to say; the rules, in the order of severity, are the
 * table at the end of headline.c.  It is made of findings and figures alone: the same facts give the same sentence.
 * "Healthy" is said only of a target that runs, whose findings have had their evidence and found nothing, and all of
 * whose figures are good.
 */
#pragma once

#include "advice/advice.h"
#include "figures/limits.h"

#define HEADLINE_TEXT 320
#define HEADLINE_COSTLY 0.1 /* share of the busy time from which on a finding that is not serious is told */

struct headline_facts {
	const struct advice *advice; /* NULL: nothing is judged */
	/* What the state of the target says that leaves no other judgement ("PAUSED 3.0s since 18:31:03"), and what it
	 * says besides ("was paused 4.00s").  NULL: nothing. */
	const char *state, *note;
	enum limit_level state_level;
	const char
	    *past; /* an earlier time, which the figures are of and findings are not; NULL: they are of now */
	const char *over;	/* "ended", or "file": nothing is of now; NULL: the target runs */
	uint64_t silent_ns;	/* since the last event; 0: events come */
	const char *held;	/* of a stop of the world that does not come about; NULL: there is none */
	bool not_paused;	/* the process says that it records events */
	double cpu;		/* cores in use */
	uint64_t window_ns;	/* the time that the figures are of */
	const char *longest;	/* pause in words; NULL: there was none */
	double of[LIMIT_COUNT]; /* figures; NAN: not known */
	const char *off;	/* of a target that records no events; NULL: it records */
	const char *late;	/* of an event loop that was late; NULL: none was */
};

struct headline {
	enum limit_level level; /* LEVEL_NONE: it is no judgement */
	bool findings;		/* findings say more */
	char text[HEADLINE_TEXT];
};

void headline_of(const struct headline_facts *facts, struct headline *out);
