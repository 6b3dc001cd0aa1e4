/*
 * advice.h - findings: what slows a target down, each with its evidence, its cost and a remedy.
 *
 * Terms
 *   finding    The result of a rule: what is wrong, the figures that show it, what it costs, and what to try.
 *   rule       A file in findings/ and its row in findings/findings.h: a condition, and how it is reported.
 *   evidence   What was collected from the events within a window of time (evidence.h).
 *   window     The last ADVICE_WINDOW_NS, or all time since the beginning (struct advice_options).
 *   left out   A rule without a finding: it could not be judged, its condition does not hold, or its finding is
 *              explained by another one.
 *
 * The cost of a finding is a share of the *busy* time, in which the program ran or wanted to run: of a server
 * that sleeps most of the time, too, it tells what a remedy would save of the processor time.  A finding is
 * serious only if its cost is also ADVICE_SERIOUS_WALL of the window, by the clock: where there is little to
 * do, most of it may be collection, and nobody waits for it.  (Findings about latency are exempt: a rare wait
 * can be serious.)
 *
 * A finding appears when its condition holds on enough evidence.  It stays while a weaker form of the
 * condition holds, and is removed after that has failed ADVICE_LEAVE times in a row.  The rules are in
 * causal order: a rule whose symptom is explained by an earlier rule is left out, and the reason is
 * recorded.
 *
 * Advice observes a model and reads a struct stw.  It does no input or output and reads no clock.
 */
#pragma once

#include "advice/sentence.h"
#include "calls/profile.h"
#include "fibers/schedulers.h"
#include "model/model.h"
#include "samples/lock_past.h"
#include "watch/stw.h"
#include "samples/system_past.h"

#define ADVICE_WINDOW_NS 60000000000u
#define ADVICE_EVERY_NS 1000000000u /* time between two judgements */
#define ADVICE_LEAVE 3
#define ADVICE_MILDER_NS 10000000000u /* a finding that was serious stays so for this long */
#define ADVICE_SERIOUS_WALL 0.05
#define ADVICE_LEAST_CORE 0.005 /* of a core: a finding that costs less is not shown */
#define ADVICE_MUCH_GC 0.25	/* share of the busy time in GC that findings should account for */
#define ADVICE_ACCOUNTS 0.25	/* findings account for it if one costs this share of that time */
#define ADVICE_COSTLY 0.1	/* share of the busy time from which on a hint is the headline */
#define ADVICE_FIGURES 8	/* maximum number of figures of a finding */

enum advice_severity { ADVICE_HINT, ADVICE_SERIOUS };
enum advice_confidence { ADVICE_MEASURED, ADVICE_ESTIMATED };
enum advice_subject { ADVICE_OF_PROCESS, ADVICE_OF_DOMAIN, ADVICE_OF_USER, ADVICE_OF_PHASE };

/* The unit of a figure: name, text, and that in which it is shown; CORES and MEAN are shown with a digit after the
 * point. */
#define ADVICE_UNITS(X)                                                                                      \
	X(ADVICE_UNIT_SHARE, "share", UNIT_SHARE)                                                            \
	X(ADVICE_UNIT_RATE, "per_s", UNIT_RATE)                                                              \
	X(ADVICE_UNIT_SECONDS, "s", UNIT_SECONDS)                                                            \
	X(ADVICE_UNIT_BYTES, "bytes", UNIT_BYTES)                                                            \
	X(ADVICE_UNIT_WORDS, "words", UNIT_LOST_WORDS)                                                       \
	X(ADVICE_UNIT_COUNT, "count", UNIT_COUNT)                                                            \
	X(ADVICE_UNIT_CORES, "cores", UNIT_CORES)                                                            \
	X(ADVICE_UNIT_BYTE_RATE, "bytes_per_s", UNIT_BYTE_RATE)                                              \
	X(ADVICE_UNIT_MEAN, "mean", UNIT_COUNT) /* average of counts */

enum advice_unit { ADVICE_UNITS(LIST_NAME) };

struct advice_figure {
	const char *name; /* static */
	double value;
	enum advice_unit unit;
};

/* A finding.  Numbers that are not known are NAN. */
struct advice_finding {
	const char *name;     /* name of the rule; static storage */
	const char *question; /* the question that the rule answers */
	enum advice_severity severity;
	enum advice_confidence confidence; /* how the cost was determined */
	enum advice_subject subject;
	unsigned domain;		    /* with ADVICE_OF_DOMAIN */
	rtev_phase phase;		    /* with ADVICE_OF_PHASE */
	char user[RTEV_USER_NAME_SIZE + 1]; /* with ADVICE_OF_USER: untrusted bytes */
	uint64_t since;			    /* stamp at which the finding appeared */
	uint64_t window_ns;		    /* length of the window it was judged on */
	double share;			    /* cost, as a share of the program's busy time, 0 to 1 */
	double seconds;			    /* cost in the window, summed over domains */
	double bytes;			    /* cost in bytes */
	double gain;			    /* share of the busy time that the remedy is expected to save */
	struct advice_figure figures[ADVICE_FIGURES];
	unsigned figure_count;
	bool grows; /* its memory grows: not well, even if that may be a start */
	bool
	    lasting; /* it takes memory for longer than a start does: worth attention without a share of the time */
	bool proven; /* its evidence excludes the causes that earlier rules tell */
	bool
	    foremost; /* it comes before all that has a cost: what else is found follows from it, or hardly matters */
	char setting[24]; /* for OCAMLRUNPARAM; "" when the remedy is not a setting */
	union {
		struct sentence said; /* what is wrong */
		char text[SENTENCE_TEXT];
	};
	char remedy[640]; /* what to try */
};

/* A rule without a finding, and the reason. */
struct advice_left_out {
	const char *name; /* static */
	bool unmet;	  /* it was judged, and its condition does not hold */
	bool explained;	  /* it was found, and another finding may be its cause */
	char why[120];
};

struct advice_options {
	bool whole; /* the window is all time since the beginning, else ADVICE_WINDOW_NS */
};

struct advice;

/* Create advice that follows a model, the struct stw of the same events, the samples of the process and the
 * schedulers of the model.  `system` and `schedulers` may be NULL; rules that need samples, or fibers, are then
 * left out.  All must outlive the advice; after their end only advice_destroy may be called.  Returns NULL when memory ran out. */
struct advice *advice_create(const struct advice_options *options, struct model *model, const struct stw *stw,
    const struct system_past *system, const struct schedulers *schedulers);
void advice_destroy(struct advice *a);

/* Return a copy of the current findings.  It must be destroyed and never advanced.  NULL when memory ran
 * out. */
struct advice *advice_copy(const struct advice *from);

/* Set what is known of the target besides its events.  `ring_words` is the size of a ring, 0 when it is not
 * known; `overrun`: the writer of a ring has dropped more than it has written. */
void advice_about(struct advice *a, enum rtev_release release, uint64_t ring_words, bool overrun);

/* Tell that the program has ended, although no event told so, because a signal ended it. */
void advice_ended(struct advice *a);

/* Set the samples of the program's code, from which findings name functions; NULL: none. */
void advice_code(struct advice *a, const struct profile *code);

/* Set the looks at the program's locks; NULL: none.  `why` (may be NULL): why there are none, as a clause in
 * static storage. */
void advice_locks(struct advice *a, const struct lock_past *locks, const char *why);

/* Set the time, and judge if ADVICE_EVERY_NS has passed.  The struct stw must have been advanced before. */
void advice_advance(struct advice *a, uint64_t now);

/* Judge the remaining evidence: no more events will come.  No condition is weakened by an earlier finding, so
 * the result depends on the evidence alone, not on when it was judged before. */
void advice_finish(struct advice *a, uint64_t now);

/* Return the findings by descending share, those without a share last; and the rules left out, in rule
 * order.  Both are valid until `a` is advanced. */
const struct advice_finding *advice_findings(const struct advice *a, size_t *count);
const struct advice_left_out *advice_left_out(const struct advice *a, size_t *count);

/* Return the finding of a rule, valid as long; NULL: there is none, or `a` is NULL. */
const struct advice_finding *advice_found(const struct advice *a, const char *name);

/* Format what the cost of a finding is a share of: "the busy time, 1.3s of 23.6s", which are the cost in the
 * window, and the time, summed over domains, in which the program could have made progress (evidence.h). */
void advice_busy_text(const struct advice_finding *f, char *buf, size_t size);

/* Format the i-th rule left out, together with all others left out for that reason: "not judged (why): name
 * name", "found, not shown (why): name" if another finding comes first, or "not found (why): name" if the
 * condition does not hold.  The latter is only shown when the
 * collector's time is unexplained (advice_summary).  Returns false if the text was part of an earlier one, or
 * is not to be shown. */
bool advice_left_out_text(const struct advice *a, size_t i, char *buf, size_t size);

/* Figures of the window that was judged last, for the whole target.  NAN: not known. */
struct advice_seen {
	uint64_t window_ns;
	bool start;	  /* nothing was seen but the start of a program, which is not judged */
	double gc;	  /* time in pauses, as a share of the time observed */
	uint64_t longest; /* longest pause in ns; 0: none */
	double lost;	  /* lost words, as a share of the words written */
	double throttled; /* throttled periods, as a share of the scheduler's periods */
	double swap;	  /* memory swapped out, as a share of its memory */
};
const struct advice_seen *advice_seen(const struct advice *a);

/* Return a line on what the findings leave open: that there are none, that it is too early, or that the
 * collector takes much of the time and no finding accounts for it; then *unexplained is true.  "": nothing is
 * left open.  Valid until `a` is advanced. */
const char *advice_summary(const struct advice *a, bool *unexplained);

/* Return whether there is less evidence than rules need. */
bool advice_looking(const struct advice *a);

/* Return "share", "per_s" and so on; "serious" or "advice"; "measured" or "estimated".  Static storage. */
const char *advice_unit_name(enum advice_unit unit);
const char *advice_severity_name(enum advice_severity severity);
const char *advice_confidence_name(enum advice_confidence confidence);

/* List the figures of a finding, each with its value in its unit: "calls 3, time 54.4ms". */
void advice_evidence_text(const struct advice_finding *f, char *buf, size_t size);
