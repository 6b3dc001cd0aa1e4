/*
 * rule.h - what each file in findings/ defines: a name, a question, requirements, and a function that judges.
 */
#pragma once

#include "advice/evidence.h"
#include "core/utf8.h"
#include "print/number.h"

enum verdict {
	VERDICT_NO,
	VERDICT_YES,
	VERDICT_EARLY /* not enough evidence */
};

/* Requirements without which a rule is left out. */
enum {
	NEEDS_EVENTS = 1,   /* few losses; otherwise rates and shares are unreliable */
	NEEDS_SYSTEM = 2,   /* samples of the process */
	NEEDS_GAUGES = 4,   /* heap gauges, which OCaml sends from 5.1 on */
	NEEDS_FIBERS = 8,   /* events of a fiber scheduler */
	BY_COUNTERS = 16,   /* counters in memory are enough where no events come */
	NEEDS_RUNNING = 32, /* no signal or debugger stopped the process, which would make everything late */
	NEEDS_LOOKS = 64,   /* looks at its locks, which need no events */
};

struct rule {
	const char *name;     /* name in reports */
	const char *question; /* the question that the rule answers */
	unsigned needs;
	bool latency;	     /* its cost is time that someone waits, which may be serious although rare */
	const char *early;   /* clause: what there is too little of */
	const char *unmet;   /* clause: the thresholds, of which one was not met */
	uint64_t causes;     /* set of earlier rules that explain its symptom */
	uint64_t never_with; /* set of rules that are never shown together with it: one change at a time */
	/*
	 * Judge the evidence.  `held`: the finding was there before, so the weaker condition applies.  For
	 * VERDICT_YES the function fills in share to remedy, subject and severity of *out; they are preset to
	 * unknown, and to a hint.  For VERDICT_NO the text may be more specific than `unmet`.
	 */
	enum verdict (*judge)(const struct evidence *e, bool held, struct advice_finding *out);
};

/* Return the bound that applies: a finding that is there already has a fifth more tolerance. */
static inline double bound(double value, bool held)
{
	return held ? value * 0.8 : value;
}

/* Add a figure; ignored beyond ADVICE_FIGURES. */
void figure(struct advice_finding *out, const char *name, double value, enum advice_unit unit);

/* Fill in the cost, seconds and share, from nanoseconds; at most the busy time. */
void cost_time(struct advice_finding *out, const struct evidence *e, double ns);

/* Fill in the cost of waiting for a processor: the time that busy domains waited, or that all others waited
 * in stops for one without a processor. */
void cost_waiting(struct advice_finding *out, const struct evidence *e, uint64_t wait);

/* Add the figures about the use of the cores. */
void figure_cores(struct advice_finding *out, const struct evidence *e, uint64_t wait, uint64_t cores);

__attribute__((format(printf, 2, 3))) void finding_say(struct advice_finding *out, const char *format, ...);
__attribute__((format(printf, 2, 3))) void advise(struct advice_finding *out, const char *format, ...);

/* Format the path of a fiber for a sentence, truncated: "server/conn", "an unknown context". */
#define WHERE 64
const char *where(struct fiber_path path, char out[WHERE]);

/* Format what code a domain executed in a period: "on CPU in Foo.spin (3 of 3 samples)"; "" without a
 * sample. */
#define RULE_CODE 256
const char *code_between(
    const struct evidence *e, unsigned domain, uint64_t from, uint64_t to, char out[RULE_CODE]);

/* Set the setting to a number of words in the form of OCAMLRUNPARAM: "s=1M", "s=300k", "s=1000". */
void setting_words(struct advice_finding *out, char letter, uint64_t words);
