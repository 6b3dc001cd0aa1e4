/*
 * options.h - the command line: what it asks for, as the tables of options and of subcommands have it.
 *
 * Options may stand anywhere before "--".  The first word that is no option names the subcommand, or else is the TARGET of the
 * live view.  All after the first "--" is COMMAND.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rtev/events.h"
#include "session/target_file.h"
#include "session/target_name.h"

struct command;

/* What the command line asks for.  Strings are those of argv. */
struct options {
	const struct command *command; /* commands/commands.h */
	const char *(*suggest)(
	    const char *word); /* the subcommand that a word was meant to be, NULL: near to none */
	const char *target;    /* the first word, NULL: none given */
	char **targets;	       /* the words that name what is looked at, the first among them */
	int target_count;
	/* What `target` names, and the file if it is one, open; of a command that takes a TARGET.  Filled in by observe_target. */
	struct target_name name;
	struct target_file file;
	char **run; /* COMMAND with its arguments, NULL-terminated; NULL: none given */

	uint64_t delay_ns;	   /* 0: the default */
	uint64_t iterations;	   /* 0: no bound */
	uint64_t duration_ns;	   /* 0: until the target ends */
	uint64_t max_events;	   /* of one poll */
	size_t history_bytes;	   /* of the live view; 0: the default */
	uint64_t wait_ns;	   /* how long to wait for the ring: 0 not at all, UINT64_MAX for ever */
	const char *sort, *filter; /* NULL: none */
	const char *dir;	   /* NULL: found by /proc */
	const char
	    *output; /* file to record to; with on_pause_ns, and in the live view: directory or pattern */
	uint64_t on_pause_ns;	   /* write a file for each pause longer than this; 0: not asked for */
	const char *memtrace;	   /* memtrace file to show beside the rings */
	const char *ocaml;	   /* version given, NULL: detected */
	enum rtev_release release; /* of that version */
	bool batch, by_domain;	   /* plain reports, because of -b or because there is no terminal */
	bool batch_asked;	   /* because of -b */
	bool json, follow, merge, demo, no_color, ascii;
	bool force; /* record over a file that is no recording */
	bool
	    format_json; /* record Chrome's JSON, else the Fuchsia format: by --format, or else by the ending of `output` */

	bool dump, folded; /* memtrace */
	uint64_t top;	   /* memtrace: how many sites; 0: not asked for */

	unsigned domains; /* demo */
	uint64_t rate, seed;
	bool pause;
	uint64_t seconds_ns; /* 0: until told to stop */
};

/*
 * Read the command line.  Returns true when there is something to do; false when that was all (help, version, or wrong usage,
 * which has been reported), with the exit status in *status.
 */
bool options_parse(struct options *out, int argc, char **argv, int *status);

#endif
