/*
 * stats_report.h - print a model as one JSON object, or as text for people.
 */
#pragma once

#include "advice/advice.h"
#include "advice/lock_rows.h"
#include "fibers/schedulers.h"
#include "app/options.h"
#include "observation/observation.h"
#include "print/json.h"
#include "print/number.h"
#include "model/model.h"
#include "watch/paths.h"
#include "samples/system_past.h"

/* Whether reports contain a setting of the runtime: they contain those with a letter, and the tweaks of 5.5. */
static inline bool stats_has_setting(enum ocaml_setting_id id)
{
	return id <= OCAML_E || id >= OCAML_SMALL_HEAP;
}

/* The subject of a report besides the model. */
struct stats_subject {
	int64_t pid;	   /* 0: a file */
	const char *name;  /* name of the program or the file */
	const char *ocaml; /* version, NULL: not known */
	const char *ocaml_from;
	int64_t wall_offset; /* of the wall clock to time stamps; 0: not known */
	int64_t begin_wall;  /* when the observation of a process began, ns since 1970 UTC; 0: not known */
	uint64_t duration_ns;
	const struct system_past *system; /* NULL: none */
	const struct child *command;	  /* a COMMAND that has ended, for its processor time; NULL: none */
	const struct advice *advice;	  /* NULL: none */
	const struct headline *headline;
	const struct schedulers *schedulers;  /* NULL: none */
	const struct runtime_sample *runtime; /* what memory told at the end; NULL: nothing */
	bool eventless;			      /* the target recorded no events, so figures that need them are
					     * not known */
	const char *runtime_why;	      /* why memory told nothing, as a clause; NULL or "": it was not
					     * asked */
	const struct stw *stw;		      /* stops in these events, for the text only */
	struct profile *code;		      /* NULL: not sampled */
	struct code_watch_state code_state;   /* of `code` */
	const struct code_refusal *code_refusal; /* why a part of the code was not seen */
	struct lock_table locks;
	const struct lock_past *looks; /* looks at locks; NULL: none */
	struct paths *paths;	       /* text: the tree of phases; NULL: none */
	bool full;		       /* text: print every phase and counter */
};

/* Observe or read the target of the options, and print the report to a descriptor.  Returns an exit status; a
 * failure has been reported. */
int stats_report(const struct options *options, int fd);

/* Print the report of a finished observation, in the form that the options ask for.  The caller sets pid, name,
 * ocaml, ocaml_from and wall_offset of `subject`; `attach_ts` is that of a process.  Returns an exit status. */
int stats_print(struct observation *o, struct stats_subject *subject, uint64_t attach_ts,
    const struct options *options, int fd);

/* Get the processor time of the process by samples or, for a COMMAND too short for two samples, by its end.
 * False: not known. */
bool stats_cpu(const struct stats_subject *subject, uint64_t *user, uint64_t *system, uint64_t *time);

/* Get an upper bound of the time in pauses without a processor, from how long all threads waited for one.
 * False: not known. */
bool stats_unserved(const struct model *m, const struct stats_subject *subject, uint64_t *most);

/* Print the member "fibers".  False when memory ran out: it is then null. */
bool json_fibers(struct json *j, const struct stats_subject *subject, const struct model *m);

/* Print the member "runtime", null without a sample; or the text about the runtime and the memory of the
 * process. */
void json_runtime(struct json *j, const struct stats_subject *subject);
void text_runtime(struct out *out, const struct stats_subject *subject);

/* Print the member "locks", or the part of the text. */
void json_locks(struct json *j, const struct stats_subject *subject);
void text_locks(struct out *out, const struct stats_subject *subject);

/* Print the member "code". */
bool json_code(struct json *j, const struct stats_subject *subject);

/* Print the text about the program's code. */
bool text_code(struct out *out, const struct stats_subject *subject);

/* Print the samples on a processor as call paths, a line each, or as JSON of speedscope; or write them as a
 * profile of pprof to a file, compressed if its name ends in .gz, or to standard output for `-`.  Returns an
 * exit status; a failure has been reported. */
int stats_code_folded(struct out *out, const struct profile *p);
int stats_code_speedscope(struct out *out, const struct stats_subject *subject);
int stats_code_pprof(const char *path, const struct stats_subject *subject);

/* Print the report as JSON, until a write fails.  False, with nothing printed, when memory ran out. */
bool stats_print_json(struct out *out, const struct model *m, const struct stats_subject *subject);

/* Print the report as text, until a write fails.  False when something is missing because memory ran out. */
bool stats_print_text(struct out *out, const struct model *m, const struct stats_subject *subject);

/* ---- parts of the text ---- */

/* Format a percentile of a distribution of times; "-" when it is empty. */
struct formatted text_percentile(const struct hist *times, unsigned num, unsigned den);

/* Print every phase and counter of each domain. */
void text_full(struct out *out, const struct model *m);

/* Print the tree of phases with their shares of the collector's time; `all`: small ones, too. */
void text_tree(struct out *out, struct paths *paths, bool all);

/* Print user events, summed over all domains; `all`: not only the most frequent ones.  False when memory ran
 * out for some. */
bool text_users(struct out *out, const struct model *m, bool all);

/* Print what the fibers of the program's scheduler do; nothing if there are no fibers.  False when memory ran
 * out. */
bool text_fibers(struct out *out, const struct stats_subject *subject, const struct model *m);

/* Print the findings and the names of the rules left out.  Times count from the stamp `begin`. */
void text_findings(struct out *out, const struct advice *advice, uint64_t begin);
