/*
 * rule.h - what a finding's file gives: a name, a question, what it needs, and a function that judges.
 */
#ifndef ADVICE_RULE_H
#define ADVICE_RULE_H

#include "advice/evidence.h"

enum verdict {
	VERDICT_NO,
	VERDICT_YES,
	VERDICT_EARLY /* too little evidence to tell */
};

/* What a rule needs to be judged at all. */
enum {
	NEEDS_EVENTS = 1, /* few losses: else rates and shares are wrong */
	NEEDS_SYSTEM = 2, /* samples of the process */
	NEEDS_GAUGES = 4, /* the levels of the heap, which OCaml tells from 5.1 on */
};

struct rule {
	const char *name;     /* as in reports */
	const char *question; /* that it answers */
	unsigned needs;
	const char *early; /* what is too little, as a clause */
	const char
	    *causes; /* names of earlier rules, blanks around each, that explain its symptom; NULL: none */
	const char
	    *never_with; /* likewise those that it never stands beside: one change at a time; NULL: none */
	/*
	 * Judge the evidence.  `held`: the finding was there before, so that the weaker condition counts.  On VERDICT_YES the
	 * members share to remedy, subject and severity of *out are filled in; they begin as unknown, and a hint.
	 */
	enum verdict (*judge)(const struct evidence *e, bool held, struct advice_finding *out);
};

/* A bound as it counts: the weaker one, by a fifth, for a finding that is there. */
static inline double bound(double value, bool held)
{
	return held ? value * 0.8 : value;
}

/* Add a figure; forgotten beyond ADVICE_FIGURES. */
void figure(struct advice_finding *out, const char *name, double value, enum advice_unit unit);

/* Fill in the cost: seconds and share from nanoseconds. */
void cost_time(struct advice_finding *out, const struct evidence *e, double ns);

__attribute__((format(printf, 2, 3))) void say(struct advice_finding *out, const char *format, ...);
__attribute__((format(printf, 2, 3))) void advise(struct advice_finding *out, const char *format, ...);

/* Words as OCAMLRUNPARAM takes them: "s=1M", "s=300k", "s=1000". */
void setting_words(struct advice_finding *out, char letter, uint64_t words);

#endif
