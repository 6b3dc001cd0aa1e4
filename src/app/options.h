/*
 * options.h - the parsed command line.
 *
 * Options may appear anywhere before "--".  The first word that is no option names the subcommand; if it
 * names none, it is the TARGET of the live view.  Everything after the first "--" is COMMAND.
 */
#pragma once

#include "session/session.h"

struct command;

#define OPTIONS_LABELS_MAX 16

/* The parsed command line.  Strings point into argv. */
struct options {
	const struct command *command; /* commands/commands.h */
	const char *(*suggest)(
	    const char *word); /* the subcommand that a misspelt word may stand for; NULL: none */
	const char *target;    /* the first word after the subcommand; NULL: none */
	char **targets;	       /* all of these words */
	int target_count;
	/* `target` parsed, and its file if it is one; set by observe_target for subcommands that take a
	 * TARGET. */
	struct target_name name;
	struct target_file file;
	char **run; /* COMMAND with its arguments, NULL-terminated; NULL: none */

	uint64_t delay_ns;	   /* 0: the default */
	uint64_t iterations;	   /* 0: no limit */
	uint64_t duration_ns;	   /* 0: until the target ends */
	uint64_t max_events;	   /* most events of one poll */
	uint64_t history_mib;	   /* history of the live view; 0: the default */
	uint64_t wait_ns;	   /* how long to wait for the ring; 0: not at all, UINT64_MAX: for ever */
	const char *sort, *filter; /* NULL: none */
	const char *dir;	   /* NULL: found by /proc */
	const char
	    *output; /* file to record to; with on_pause_ns, and in the live view, a directory or a pattern */
	uint64_t on_pause_ns;  /* write a file for each pause longer than this; 0: none */
	const char *memtrace;  /* memtrace file to show beside the target */
	const char *ocaml;     /* version given by the user; NULL: detect it */
	bool batch, by_domain; /* plain reports, because of -b or without a terminal */
	bool batch_asked;      /* -b was given */
	bool list;	       /* print the list, because there is neither a TARGET nor a terminal */
	bool user_events;
	const char *labels[OPTIONS_LABELS_MAX]; /* metrics */
	int label_count;
	bool json, follow, merge, demo, no_color, ascii, no_mouse, no_sync;
	bool fibers; /* stacks: list suspended fibers */
	bool full;   /* stats: every phase and counter */
	bool force;  /* overwrite a file that is no recording */
	/* record Chrome's JSON instead of FXT: by --format, else by the ending of `output` */
	bool format_json;
	unsigned format, graph, theme; /* index among option_choices, from 1; 0: not given */

	uint64_t code_hz;  /* rate of samples of the program's code; 0: none */
	bool pprof;	   /* stats: write a profile for pprof */
	bool speedscope;   /* stats: print a profile for speedscope */
	bool dump, folded; /* memtrace; `folded` also for stats */
	uint64_t top;	   /* memtrace: number of sites; 0: not given */

	uint64_t domains, rate, seed; /* demo */
	bool pause;
	uint64_t seconds_ns; /* 0: until a signal */
};

/*
 * Parse the command line.  Returns true if there is something to do.  Returns false after help, version or
 * wrong usage, with the exit status in *status.
 */
bool options_parse(struct options *out, int argc, char **argv, int *status);
