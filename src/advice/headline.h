/*
 * headline.h - one sentence about the state of the target.
 *
 * The rules are in a table of headline.c, in the order of severity; the first one that applies
 * gives the sentence.  It depends on findings and figures only: equal facts give equal sentences.  "Healthy"
 * is said only of a running target if its findings had enough evidence and found nothing, and all of its
 * figures are good.
 *
 * All faces call headline_read.  Its sentences contain no ages, which would change with the clock alone;
 * headline_hold keeps a sentence on the screen for a while.
 */
#pragma once

#include "advice/advice.h"
#include "figures/figures.h"

#define HEADLINE_TEXT SENTENCE_TEXT
#define HEADLINE_CORES 0.005		 /* a finding that costs less of a processor is not mentioned */
#define HEADLINE_HELD_NS 5000000000u	 /* a sentence stays for this long unless it gets worse */
#define HEADLINE_FIGURES_NS 20000000000u /* a sentence stays for this long if only its numbers change */

#define HEADLINE_SILENT_NS 1000000000u /* without an event for this long, a target is silent */

#define HEADLINE_TRUNCATED "its ring file was truncated: no more events come"

/* A target as its observer knows it.  NULL: not available. */
struct headline_target {
	const struct advice *advice;
	const struct model *model;
	const struct system_past *past;
	struct fibers *fibers;
	const struct lock_past *locks;
	const struct profile *code;
	int64_t pid;
	uint64_t now;
	bool live;	       /* events arrive as they are written */
	bool stopped;	       /* stopped by a signal or a debugger; set for a silent target only */
	bool not_paused;       /* the process's memory says that events are not paused */
	bool off;	       /* the target has no ring */
	const char *off_why;   /* why its counters can't be read */
	const char *off_cure;  /* what would make them readable */
	const char *over;      /* "ended" or "file": the target does not run */
	const char *waits_for; /* what the session waits for; then nothing else is shown */
	const char *broken;    /* why no more events can come */
};

struct headline_facts {
	const struct advice *advice; /* NULL: nothing was judged */
	/* The state that excludes any other sentence, and an addition to other sentences ("was paused
	 * 4.00s").  NULL: none. */
	const char *state, *note;
	enum limit_level state_level;
	const char *past;	/* an earlier time, to which the figures belong; NULL: now */
	const char *over;	/* "ended" or "file"; NULL: the target runs */
	bool silent;		/* no events arrive */
	const char *held;	/* about a stop of the world that is held up; NULL: there is none */
	bool not_paused;	/* the process's memory says that events are not paused */
	double cpu;		/* cores in use */
	double ran;		/* share of the time it wanted to run in which it ran; NAN: not known */
	const char *longest;	/* longest pause as text; NULL: there was none */
	double of[LIMIT_COUNT]; /* figures; NAN: not known */
	const char *off;	/* about a target without events; NULL: it records events */
	bool counts;		/* it runs, and its counters can be read: maybe its code, too */
	const char *late;	/* about an event loop that was late; NULL: none was */
};

struct headline {
	enum limit_level level; /* LEVEL_NONE: no judgement */
	bool well;		/* with LEVEL_NONE: nothing is wrong all the same */
	bool state;		/* the sentence is about the state, and shown at once */
	unsigned rule;		/* number of the rule, in the order of severity */
	const char *name;	/* a name of one or two words; NULL: nothing is wrong.  Static storage */
	char key;		/* key of the view with more about it; 0: none */
	union {
		struct sentence said;
		char text[SENTENCE_TEXT];
	};
};

void headline_of(const struct headline_facts *facts, struct headline *out);

/* Put a word for the state before the sentence, in each of its lengths: "ended: ...". */
void headline_of_what(struct headline *h, const char *what);

/* Determine the headline of a target. */
void headline_read(const struct headline_target *target, struct headline *out);

/* Return 0: healthy, 1: worth attention, 2: bad; -1: no judgement. */
int headline_verdict(const struct headline *h);

/* Return the judgement as a word: "healthy", "attention" or "bad"; NULL: none. */
const char *headline_verdict_name(const struct headline *h);

/* The headline on the screen, and since when; all zero: none yet. */
struct headline_shown {
	struct headline headline;
	int64_t pid;
	uint64_t since;
};

/* Show a headline at `now`, and return the one on the screen.  The old one stays for HEADLINE_HELD_NS if the
 * new one is neither worse nor about the state.  If only numbers differ it stays for HEADLINE_FIGURES_NS, even if they are better
 * by a level, and new numbers keep the width of the old ones, so that the words do not move. */
const struct headline *headline_hold(
    struct headline_shown *shown, const struct headline *fresh, int64_t pid, uint64_t now);
