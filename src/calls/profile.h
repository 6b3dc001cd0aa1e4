/*
 * profile.h - samples of what code a program executes: counted in a tree of calls, and the latest of them by time.
 *
 * A sample is of a thread that was on a processor, or that waited.  Whether the collector was at work in it is told by
 * the functions of C that OCaml had called, or, where not all of these are known, by events: samples are *settled* once
 * all events of their time have come; until then they are in no count.  A function counts once a stack.  Where the stack of a
 * sample was not read to its root, the function "[caller not known]" stands for the
 * rest of its callers.  Memory is bounded: if there are too many different stacks, further ones are counted as
 * "(other code)", and of the samples by time the oldest go.
 */
#pragma once

#include "calls/bars.h"

#define PROFILE_NO_DOMAIN (-1) /* a thread that runs no domain */
#define PROFILE_ALL (-2)       /* domains and threads, all */

struct profile;

struct profile_function {
	const char *name;
	const char *file; /* NULL: not known */
	uint32_t line;	  /* the first one seen in it; 0: not known */
	bool c;		  /* not OCaml */
	bool collector;	  /* a function of the runtime's collector */
	bool library;	  /* of OCaml's standard library, or of its threads */
};

/* A call in a stack: the function, and the line that it executes, 0: not known. */
struct profile_frame {
	uint32_t function;
	uint32_t line;
};

enum profile_mark {
	PROFILE_OFF = 1,	/* not on a processor: it waited */
	PROFILE_INCOMPLETE = 2, /* the stack was not read to its root */
	PROFILE_GC = 4,		/* in the collector, or inside a pause of its domain */
	PROFILE_GC_KNOWN = 8,	/* whether it was is known */
	PROFILE_UNSEEN = 16,	/* it was on a processor and could not be sampled: no code is known of it */
};

struct profile_sample {
	uint64_t ts;
	int32_t tid;
	int32_t domain;
	uint32_t stack; /* of profile_stack */
	uint8_t marks;	/* enum profile_mark */
	/* Numbers of the lock that the thread waited for, and of one that others waited for and it had; 0: of none. */
	uint8_t waits, has;
};

/* NULL when memory ran out. */
struct profile *profile_create(void);
void profile_destroy(struct profile *p);

/* A copy for reading.  NULL when memory ran out. */
struct profile *profile_copy(const struct profile *from);

/* Forget all samples; functions and stacks keep their numbers. */
void profile_reset(struct profile *p);

/* The number of a function; `line` (0: none) is one of its lines.  A file that is not known is that of a function of the
 * same name.  The strings are copied. */
uint32_t profile_function(struct profile *p, const char *name, const char *file, unsigned line, bool c);

/* Tell that a function is of OCaml's standard library. */
void profile_library(struct profile *p, uint32_t function);

/* Tell a line of a function, which may be the first one known. */
void profile_line(struct profile *p, uint32_t function, unsigned line);
const struct profile_function *profile_function_of(const struct profile *p, uint32_t function);

/* The number of a stack of a domain, its frames innermost first.  `marks`: those of its samples, PROFILE_INCOMPLETE at least. */
uint32_t profile_stack(
    struct profile *p, int domain, const struct profile_frame *frames, size_t count, unsigned marks);

/* The frames of a stack, innermost first; returns how many there are, of which at most `size` are filled in. */
size_t profile_frames(const struct profile *p, uint32_t stack, struct profile_frame *frames, size_t size);

/* Add a sample.  Those of one thread come in their order. */
void profile_add(struct profile *p, const struct profile_sample *sample);

/* Settle the samples before `until`: of one whose stack does not tell, `inside` tells of a domain and a time whether the
 * collector was at work (1), was not (0), or that this is not known (-1).  NULL: of none is it known. */
void profile_settle(
    struct profile *p, uint64_t until, int (*inside)(void *ctx, int domain, uint64_t ts), void *ctx);

/* Copy the samples from number *next on that are settled and still held, and set it to the number of the first that is
 * not settled.  Returns how many they are, 0 when memory ran out; the caller frees *list. */
size_t profile_settled(const struct profile *p, uint64_t *next, struct profile_sample **list);

/* ---- counts ---- */

struct profile_counts {
	uint64_t on;	     /* samples on a processor */
	uint64_t incomplete; /* of `on` */
	uint64_t known;	     /* of `on`: it is known whether the collector was at work */
	uint64_t gc;	     /* of `known`: it was */
	uint64_t off;	     /* samples of threads that waited */
	uint64_t unseen;     /* looks at threads that were on a processor and could not be sampled */
};

struct profile_totals {
	struct profile_counts counts;
	uint64_t other; /* samples counted as other code */
};
void profile_totals(const struct profile *p, int domain, struct profile_totals *out);

/* Whether a domain, or PROFILE_NO_DOMAIN, has a sample. */
bool profile_has(const struct profile *p, int domain);

/* Grows with each sample settled. */
uint64_t profile_generation(const struct profile *p);

struct profile_row {
	uint32_t function;
	struct profile_counts self, total;
};

/* The functions of a domain or of PROFILE_ALL, by descending self, then total, then name; the caller frees *rows.
 * False when memory ran out. */
bool profile_rows(const struct profile *p, int domain, struct profile_row **rows, size_t *count);

/* In how many samples on a processor a function was in the stack, and of how many it is known: of those whose callers are.  It
 * is executed in some, of all samples, and so no less is told of it. */
struct profile_share {
	uint64_t part, all;
};
struct profile_share profile_total(const struct profile_row *row, const struct profile_counts *all);

/* Half the width of the interval that holds a share in 95 of 100 cases (Wilson's, at the share found); NAN: no
 * samples. */
double profile_error(uint64_t part, uint64_t all);

enum profile_weight { PROFILE_W_ON, PROFILE_W_OFF, PROFILE_W_GC, PROFILE_W_OUTSIDE };
uint64_t profile_weigh(const struct profile_counts *counts, enum profile_weight weight);
bool profile_bars(const struct profile *p, int domain, enum profile_weight weight,
    const struct calls_bars_options *shape, struct calls_bars *out);

/* Call `visit` for each stack with samples of its own, until it returns false. */
typedef bool profile_stack_visit(void *ctx, uint32_t stack, int domain, const struct profile_counts *counts);
void profile_stacks(const struct profile *p, profile_stack_visit *visit, void *ctx);
size_t profile_function_count(const struct profile *p);

/* ---- who waits for a lock, and who has it? ---- */

/* The program's own functions at the inner end of stacks: of OCaml, outside of its standard library. */
struct profile_side {
	uint64_t weight; /* of all samples, those of no such function too */
	struct {
		uint32_t function;
		uint64_t weight;
	} top[3]; /* descending; 0: there are fewer */
};

struct profile_lock {
	uint8_t number;
	uint64_t since; /* samples from then on are of it */
	struct profile_side waits, has;
};

/* Sum the samples about locks of which all but the sides is set: those held that are settled.  `hz`: samples in a second on a
 * processor, for each PROFILE_LOOKS_HZ of one that waits; what is summed is time. */
#define PROFILE_LOOKS_HZ 10u
void profile_locks(const struct profile *p, unsigned hz, struct profile_lock *locks, size_t count);

/* ---- what was a domain doing? ---- */

struct profile_answer {
	uint64_t samples;		       /* of the domain in that time, on a processor or not */
	uint64_t of;			       /* those of them that are like this one */
	bool off;			       /* it waited */
	const struct profile_function *at;     /* the innermost function */
	const struct profile_function *caller; /* NULL, or the innermost other OCaml function below it */
	uint32_t line;			       /* that `caller`, or else `at`, executes; 0: not known */
};

/* The samples of a domain from `from` to `to` that were on a processor, outside of the collector. */
uint64_t profile_code_between(const struct profile *p, int domain, uint64_t from, uint64_t to);

/* What most samples of a domain from `from` to `to` have in common.  False: there is none, or they are no longer
 * held. */
bool profile_between(
    const struct profile *p, int domain, uint64_t from, uint64_t to, struct profile_answer *out);

/* Print an answer as a clause: "on CPU in slow_inner (C), called from Foo.bar foo.ml:6 (3 of 3 samples)".  Of fewer than three samples
 * it is said that they are few: "seen once", "more than once: 2 of 2 samples". */
void profile_answer_text(const struct profile_answer *answer, char *buf, size_t size);

/* Both at once.  False, and the text is empty, if there is no answer; a profile of NULL has none. */
bool profile_between_text(
    const struct profile *p, int domain, uint64_t from, uint64_t to, char *buf, size_t size);
