/*
 * rule.h - what each file in findings/ defines: a name, a question, requirements, and a function that
 * judges.
 */
#pragma once

#include "advice/evidence.h"
#include "core/utf8.h"
#include "print/number.h"

enum verdict {
	VERDICT_NO,
	VERDICT_YES,
	VERDICT_EARLY /* too little evidence to tell */
};

/* Requirements without which a rule is left out. */
enum {
	NEEDS_EVENTS = 1,   /* few losses; otherwise rates and shares are unreliable */
	NEEDS_SYSTEM = 2,   /* samples of the process */
	NEEDS_GAUGES = 4,   /* heap gauges, which OCaml sends from 5.1 on */
	NEEDS_FIBERS = 8,   /* events of a scheduler of fibers */
	BY_COUNTERS = 16,   /* where no events come, counters in memory will do */
	NEEDS_RUNNING = 32, /* that no signal or debugger stopped the process: all of it is late then */
	NEEDS_LOOKS = 64,   /* looks at its locks, which need no events */
};

struct rule {
	const char *name;     /* as reported */
	const char *question; /* the question that the rule answers */
	unsigned needs;
	bool latency;	     /* what it costs is the time that someone waits: it may be serious and rare */
	const char *early;   /* clause that names what there is too little of */
	const char *unmet;   /* clause that names the thresholds, one of which was not met */
	uint64_t causes;     /* FINDINGs of earlier rules that explain its symptom */
	uint64_t never_with; /* those that are never shown together with it: one change at a time */
	/*
	 * Judge the evidence.  `held`: the finding was there before, so the weaker condition applies.  On
	 * VERDICT_YES the function fills in the members share to remedy, subject and severity of *out; they
	 * are preset to unknown, and to a hint.  On VERDICT_NO the text may say more than `unmet`.
	 */
	enum verdict (*judge)(const struct evidence *e, bool held, struct advice_finding *out);
};

/* Return the bound that applies: for a finding that is there already it is weaker by a fifth. */
static inline double bound(double value, bool held)
{
	return held ? value * 0.8 : value;
}

/* Add a figure; ignored beyond ADVICE_FIGURES. */
void figure(struct advice_finding *out, const char *name, double value, enum advice_unit unit);

/* Fill in the cost, seconds and share, from nanoseconds; at most the busy time. */
void cost_time(struct advice_finding *out, const struct evidence *e, double ns);

/* Fill in the cost of waiting for a processor: what busy domains waited, or all others waited in stops for one that did. */
void cost_waiting(struct advice_finding *out, const struct evidence *e, uint64_t wait);

/* Add the figures of who has the cores. */
void figure_cores(struct advice_finding *out, const struct evidence *e, uint64_t wait, uint64_t cores);

__attribute__((format(printf, 2, 3))) void finding_say(struct advice_finding *out, const char *format, ...);
__attribute__((format(printf, 2, 3))) void advise(struct advice_finding *out, const char *format, ...);

/* Print the path of a fiber as it stands in a sentence, cut to fit: "server/conn", "an unknown context". */
#define WHERE 64
const char *where(struct fiber_path path, char out[WHERE]);

/* Print what code a domain executed in a stretch of time, "on CPU in Foo.spin (3 of 3 samples)"; "" without a sample. */
#define RULE_CODE 256
const char *code_between(
    const struct evidence *e, unsigned domain, uint64_t from, uint64_t to, char out[RULE_CODE]);

/* Set a number of words as OCAMLRUNPARAM takes it: "s=1M", "s=300k", "s=1000". */
void setting_words(struct advice_finding *out, char letter, uint64_t words);
