/*
 * headline.h - how the target does, in one sentence.
 *
 * The sentence is that of the first rule that has something to say; the rules, in the order of severity, are the
 * table at the end of headline.c.  It is made of findings and figures alone: the same facts give the same sentence.
 * "Healthy" is said only of a target that runs, whose findings have had their evidence and found nothing, and all of
 * whose figures are good.
 *
 * Everybody who shows a target asks headline_read.  Its sentences have no age in them, which would change with the
 * clock alone; headline_hold keeps what is shown for a while.
 */
#pragma once

#include "advice/advice.h"
#include "figures/limits.h"

#define HEADLINE_TEXT SENTENCE_TEXT
#define HEADLINE_CORES 0.005		 /* what costs less of a processor is nothing to tell first */
#define HEADLINE_HELD_NS 5000000000u	 /* a sentence stays for this long unless it gets worse, */
#define HEADLINE_FIGURES_NS 20000000000u /* as long as this beside one with other figures alone */

#define HEADLINE_SILENT_NS 1000000000u /* without an event for this long, a target is silent */

#define HEADLINE_TRUNCATED "its ring file was truncated: no more events come"

/* A target as its observer knows it.  NULL: there is none of it. */
struct headline_target {
	const struct advice *advice;
	const struct model *model;
	const struct system_past *past;
	struct fibers *fibers;
	const struct profile *code;
	int64_t pid;
	uint64_t now;
	bool live;	       /* its events come as it writes them */
	bool stopped;	       /* by a signal or a debugger; asked of one that is silent */
	bool not_paused;       /* the process says that it records events */
	bool off;	       /* it has no ring */
	const char *off_why;   /* why its memory does not tell what it counts */
	const char *off_cure;  /* what would help that */
	const char *over;      /* "ended", or "file": nothing is of now */
	const char *waits_for; /* what is waited for, and leaves nothing else to tell */
	const char *broken;    /* why no events can come any more */
};

struct headline_facts {
	const struct advice *advice; /* NULL: nothing is judged */
	/* What the state of the target says that leaves no other judgement, and what it says besides ("was paused
	 * 4.00s").  NULL: nothing. */
	const char *state, *note;
	enum limit_level state_level;
	const char
	    *past; /* an earlier time, which the figures are of and findings are not; NULL: they are of now */
	const char *over;	/* "ended", or "file": nothing is of now; NULL: the target runs */
	bool silent;		/* no events come */
	const char *held;	/* of a stop of the world that does not come about; NULL: there is none */
	bool not_paused;	/* the process says that it records events */
	double cpu;		/* cores in use */
	const char *longest;	/* pause in words; NULL: there was none */
	double of[LIMIT_COUNT]; /* figures; NAN: not known */
	const char *off;	/* of a target that records no events; NULL: it records */
	const char *late;	/* of an event loop that was late; NULL: none was */
};

struct headline {
	enum limit_level level; /* LEVEL_NONE: it is no judgement */
	bool well;		/* it is one all the same: nothing is wrong */
	bool state;		/* it tells the state, which is news at once */
	unsigned rule;		/* its number, in the order of severity */
	const char *name; /* in a word or two: of the finding; NULL: nothing is wrong.  Static storage */
	char key;	  /* of the view that shows what it tells; 0: none */
	union {
		struct sentence said;
		char text[SENTENCE_TEXT];
	};
};

void headline_of(const struct headline_facts *facts, struct headline *out);

/* Say how a target does. */
void headline_read(const struct headline_target *target, struct headline *out);

/* 0: healthy, 1: worth attention, 2: bad; -1: there is no judgement. */
int headline_verdict(const struct headline *h);

/* The judgement as a word, "healthy", "attention" or "bad"; NULL: there is none. */
const char *headline_verdict_name(const struct headline *h);

/* What is shown, and since when; all zero: nothing yet. */
struct headline_shown {
	struct headline headline;
	int64_t pid;
	uint64_t since;
};

/* Show a sentence at `now`, unless the one before still stands: for HEADLINE_HELD_NS, if the new one is not worse and is no
 * news.  Where only its numbers differ, it stands for HEADLINE_FIGURES_NS, and they keep the room that they have had, so that
 * the words do not move. */
const struct headline *headline_hold(
    struct headline_shown *shown, const struct headline *fresh, int64_t pid, uint64_t now);
