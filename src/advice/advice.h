/*
 * advice.h - why it is slow: findings about a target, each with its evidence, its cost and a remedy.
 *
 * Terms
 *   finding    What one rule says of the target: what is wrong, the figures that this rests on, what it costs, what to try.
 *   rule       A file of findings/ and a row of findings/findings.h: a condition, and how to put it into words.
 *   evidence   What was collected from the events within a window of time (evidence.h).
 *   window     The last ADVICE_WINDOW_NS, or all since the begin (struct advice_options).
 *   left out   A rule that could not be judged, or whose finding another one explains.
 *
 * A finding comes when its condition holds on enough evidence.  It stays while a weaker form of the condition holds, and goes
 * when that has failed ADVICE_LEAVE times in a row.  The rules stand in the order of causes: a rule whose symptom an earlier
 * rule explains is left out, and says so.
 *
 * Advice observes a model and reads a struct stw; it does no input or output and has no clock.
 */
#ifndef ADVICE_ADVICE_H
#define ADVICE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "watch/stw.h"
#include "watch/system_past.h"

#define ADVICE_WINDOW_NS 60000000000u
#define ADVICE_EVERY_NS 1000000000u /* between two judgements */
#define ADVICE_LEAVE 3
#define ADVICE_FIGURES 8 /* figures that a finding rests on */

enum advice_severity { ADVICE_HINT, ADVICE_SERIOUS };
enum advice_confidence { ADVICE_MEASURED, ADVICE_ESTIMATED };
enum advice_subject { ADVICE_OF_PROCESS, ADVICE_OF_DOMAIN, ADVICE_OF_USER, ADVICE_OF_PHASE };

/* The unit of a figure: name, text. */
#define ADVICE_UNITS(X)                                                                                      \
	X(SHARE, "share")                                                                                    \
	X(RATE, "per_s")                                                                                     \
	X(SECONDS, "s")                                                                                      \
	X(BYTES, "bytes")                                                                                    \
	X(WORDS, "words")                                                                                    \
	X(COUNT, "count")                                                                                    \
	X(CORES, "cores")                                                                                    \
	X(BYTE_RATE, "bytes_per_s")

enum advice_unit {
#define ADVICE_UNIT_ENUM(name, text) ADVICE_UNIT_##name,
	ADVICE_UNITS(ADVICE_UNIT_ENUM)
#undef ADVICE_UNIT_ENUM
};

struct advice_figure {
	const char *name; /* static */
	double value;
	enum advice_unit unit;
};

/* A number that is not known is NAN. */
struct advice_finding {
	const char *name;     /* of the rule; static, as is */
	const char *question; /* that the rule answers */
	enum advice_severity severity;
	enum advice_confidence confidence; /* of the cost */
	enum advice_subject subject;
	unsigned domain;		    /* ADVICE_OF_DOMAIN */
	rtev_phase phase;		    /* ADVICE_OF_PHASE */
	char user[RTEV_USER_NAME_SIZE + 1]; /* ADVICE_OF_USER: untrusted bytes */
	uint64_t since;			    /* stamp at which it came */
	uint64_t window_ns;		    /* what it was judged on */
	double share;			    /* cost, as a share of the busy time of the program, 0 to 1 */
	double seconds;			    /* likewise, in the window; summed over domains */
	double bytes;			    /* likewise */
	double gain; /* share of the busy time that the remedy is expected to give back */
	struct advice_figure figures[ADVICE_FIGURES];
	unsigned figure_count;
	char setting[24]; /* for OCAMLRUNPARAM, "" when the remedy is none */
	char text[200];	  /* what is wrong; one line, untrusted bytes where subject is a user event */
	char remedy[400]; /* what to try */
};

/* A rule that says nothing, and why. */
struct advice_left_out {
	const char *name; /* static */
	char why[120];
};

struct advice_options {
	bool whole; /* the window is all since the begin, else ADVICE_WINDOW_NS */
};

struct advice;

/* Follow a model, what puts its stops together, and the samples of its process (NULL: there are none, and what needs them is left
 * out); all outlive the advice, or its last use but advice_destroy.  NULL when memory ran out. */
struct advice *advice_create(const struct advice_options *options, struct model *model, const struct stw *stw,
    const struct system_past *system);
void advice_destroy(struct advice *a);

/* The findings as they are now, to be destroyed; it is never advanced.  NULL when memory ran out. */
struct advice *advice_copy(const struct advice *from);

/* What is known of the target besides its events.  Words of a ring: 0: not known. */
void advice_about(struct advice *a, enum rtev_release release, uint64_t ring_words);

/* Say what time it is, and judge when ADVICE_EVERY_NS has passed.  The stw has been advanced. */
void advice_advance(struct advice *a, uint64_t now);

/* No more events will come: judge what there is. */
void advice_finish(struct advice *a, uint64_t now);

/* The findings, by falling share, those without one last; and the rules left out, in their order.  Valid until a is advanced. */
const struct advice_finding *advice_findings(const struct advice *a, size_t *count);
const struct advice_left_out *advice_left_out(const struct advice *a, size_t *count);

/* How many findings are serious. */
size_t advice_serious(const struct advice *a);

/* "share", "per_s" and so on; "serious", "advice"; "measured", "estimated".  Static storage. */
const char *advice_unit_name(enum advice_unit unit);
const char *advice_severity_name(enum advice_severity severity);
const char *advice_confidence_name(enum advice_confidence confidence);

#endif
