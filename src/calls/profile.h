/*
 * profile.h - samples of the code that a program executes: counted in a tree of calls, and the latest of them
 * by time.
 *
 * A sample is of a thread that was on a processor, or that waited.  The C functions that OCaml had called
 * usually tell whether the collector was at work; where some of them are not known, events tell.  So a sample
 * is *settled* once all events up to its time have come, and is counted only then.  A function counts once in
 * each stack.  Where a stack was not read to its root, the function "[caller not known]" stands for the
 * missing callers.  Memory is bounded: when there are too many different stacks, further ones are counted as
 * "(other code)", and the oldest samples by time are dropped.
 */
#pragma once

#include "calls/bars.h"

#define PROFILE_NO_DOMAIN (-1) /* a thread that runs no domain */
#define PROFILE_ALL (-2)       /* all domains and threads */

struct profile;

struct profile_function {
	const char *name;
	const char *file; /* NULL: not known */
	uint32_t line;	  /* the first line seen in it; 0: not known */
	bool c;		  /* not OCaml */
	bool collector;	  /* a function of the runtime's collector */
	bool library;	  /* in OCaml's standard library or its threads library */
};

/* A call in a stack: the function, and the current line in it; 0: not known. */
struct profile_frame {
	uint32_t function;
	uint32_t line;
};

enum profile_mark {
	PROFILE_OFF = 1,	/* not on a processor: it waited */
	PROFILE_INCOMPLETE = 2, /* the stack was not read to its root */
	PROFILE_GC = 4,		/* in the collector, or during a pause of its domain */
	PROFILE_GC_KNOWN = 8,	/* PROFILE_GC is known to be right */
	PROFILE_UNSEEN = 16,	/* on a processor but not sampled: its code is not known */
};

struct profile_sample {
	uint64_t ts;
	int32_t tid;
	int32_t domain;
	uint32_t stack; /* from profile_stack */
	uint8_t marks;	/* enum profile_mark */
	/* Number of the lock that the thread waited for, and of a lock that it held while others waited; 0:
	 * none. */
	uint8_t waits, has;
};

/* NULL when memory ran out. */
struct profile *profile_create(void);
void profile_destroy(struct profile *p);

/* A copy for reading.  NULL when memory ran out. */
struct profile *profile_copy(const struct profile *from);

/* Forget all samples; functions and stacks keep their numbers. */
void profile_reset(struct profile *p);

/* Find or add a function; `line` (0: none) is one of its lines.  A function whose file is not known is the
 * one of the same name.  The strings are copied. */
uint32_t profile_function(struct profile *p, const char *name, const char *file, unsigned line, bool c);

/* Mark a function as one of OCaml's standard library. */
void profile_library(struct profile *p, uint32_t function);

/* Add a line of a function; the first one added is kept. */
void profile_line(struct profile *p, uint32_t function, unsigned line);
const struct profile_function *profile_function_of(const struct profile *p, uint32_t function);

/* Find or add a stack of a domain, its frames innermost first.  `marks`: those of its samples; only
 * PROFILE_INCOMPLETE matters. */
uint32_t profile_stack(
    struct profile *p, int domain, const struct profile_frame *frames, size_t count, unsigned marks);

/* Get the frames of a stack, innermost first.  At most `size` are filled in; returns how many there are. */
size_t profile_frames(const struct profile *p, uint32_t stack, struct profile_frame *frames, size_t size);

/* Add a sample.  The samples of each thread must come in their order. */
void profile_add(struct profile *p, const struct profile_sample *sample);

/* Settle the samples before `until`.  If a stack does not tell whether the collector was at work, `inside` is
 * asked about a domain at a time: it returns 1 (at work), 0 (not) or -1 (not known).  NULL: never known. */
void profile_settle(
    struct profile *p, uint64_t until, int (*inside)(void *ctx, int domain, uint64_t ts), void *ctx);

/* Copy the settled samples still held, from number *next on, and set *next to the first that is not settled.
 * Returns their number, 0 when memory ran out.  The caller frees *list. */
size_t profile_settled(const struct profile *p, uint64_t *next, struct profile_sample **list);

/* ---- counts ---- */

struct profile_counts {
	uint64_t on;	     /* samples on a processor */
	uint64_t incomplete; /* of `on` */
	uint64_t known;	     /* of `on`: known whether the collector was at work */
	uint64_t gc;	     /* of `known`: the collector was at work */
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

/* Grows with each settled sample. */
uint64_t profile_generation(const struct profile *p);

struct profile_row {
	uint32_t function;
	struct profile_counts self, total;
	double spread; /* width of its shares' intervals, of that for independent samples; at least 1 */
};

/* Return the functions of a domain or of PROFILE_ALL, by descending self, then total, then name.  The caller
 * frees *rows.  False when memory ran out. */
bool profile_rows(const struct profile *p, int domain, struct profile_row **rows, size_t *count);

/* The samples on a processor whose stack contains a function, and those whose callers are all known.  A
 * function that is itself executed counts over all samples, so its share is never below its own time. */
struct profile_share {
	uint64_t part, all;
};
struct profile_share profile_total(const struct profile_row *row, const struct profile_counts *all);

/* Half the width of a share's 95 % confidence interval (Wilson's), if the samples are independent; NAN without samples. */
double profile_error(uint64_t part, uint64_t all);

/* How more callers would be known, a sentence; NULL: enough are.  `slow`: rtevtop may not raise its priority. */
const char *profile_more(const struct profile_counts *c, bool slow);

enum profile_weight { PROFILE_W_ON, PROFILE_W_OFF, PROFILE_W_GC, PROFILE_W_OUTSIDE };
uint64_t profile_weigh(const struct profile_counts *counts, enum profile_weight weight);
bool profile_bars(const struct profile *p, int domain, enum profile_weight weight,
    const struct calls_bars_options *shape, struct calls_bars *out);

/* Call `visit` for each stack with samples of its own, until it returns false. */
typedef bool profile_stack_visit(void *ctx, uint32_t stack, int domain, const struct profile_counts *counts);
void profile_stacks(const struct profile *p, profile_stack_visit *visit, void *ctx);
size_t profile_function_count(const struct profile *p);

/* ---- who waits for a lock, and who holds it? ---- */

/* The functions at the inner end of stacks that are the program's own: OCaml, but not its standard library. */
struct profile_side {
	uint64_t weight; /* of all samples, also those without such a function */
	struct {
		uint32_t function;
		uint64_t weight;
	} top[3]; /* descending; weight 0: there are no more */
};

struct profile_lock {
	uint8_t number;
	uint64_t since; /* only samples from then on count */
	struct profile_side waits, has;
};

/* Sum the samples about locks.  The caller sets everything but the sides; only settled samples still held count.
 * `hz`: samples per second on a processor, against PROFILE_LOOKS_HZ of a waiting thread; the sums are times. */
#define PROFILE_LOOKS_HZ 10u
void profile_locks(const struct profile *p, unsigned hz, struct profile_lock *locks, size_t count);

/* ---- what was a domain doing? ---- */

struct profile_answer {
	uint64_t samples;		       /* of the domain in that time, on a processor or not */
	uint64_t of;			       /* samples that agree, which give the answer */
	bool off;			       /* it waited, instead of being on a processor */
	const struct profile_function *at;     /* the innermost function */
	const struct profile_function *caller; /* NULL, or the innermost other OCaml function below it */
	uint32_t line;			       /* current line in `caller`, or else in `at`; 0: not known */
};

/* Count the samples of a domain from `from` to `to` that were on a processor, outside of the collector. */
uint64_t profile_code_between(const struct profile *p, int domain, uint64_t from, uint64_t to);

/* Find what most samples of a domain from `from` to `to` have in common.  False if there are none, or they
 * are no longer held. */
bool profile_between(
    const struct profile *p, int domain, uint64_t from, uint64_t to, struct profile_answer *out);

/* Print an answer as a clause: "on CPU in slow_inner (C), called from Foo.bar foo.ml:6 (3 of 3 samples)".
 * With fewer than three samples the text says so: "seen once", "more than once: 2 of 2 samples". */
void profile_answer_text(const struct profile_answer *answer, char *buf, size_t size);

/* Find an answer and print it.  False, with an empty text, if there is no answer; a NULL profile has none. */
bool profile_between_text(
    const struct profile *p, int domain, uint64_t from, uint64_t to, char *buf, size_t size);
