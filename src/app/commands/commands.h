/*
 * commands.h - the subcommands.  Each has a file in this directory and a row here.  The file defines its
 * name, the options that it takes and what it does; the order of the rows is that of the help.
 */
#ifndef APP_COMMANDS_COMMANDS_H
#define APP_COMMANDS_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/option_list.h"
#include "app/options.h"

/* Sets of options. */
#define OPT(name) (UINT64_C(1) << OPTION_##name)
#define OPTS_TARGET (OPT(max_events) | OPT(dir) | OPT(ocaml) | OPT(wait))
#define OPTS_BATCH_TOO (OPTS_TARGET | OPT(delay) | OPT(iterations)) /* of screen and reports */
#define OPTS_VIEW                                                                                            \
	(OPT(delay) | OPT(iterations) | OPT(no_color) | OPT(ascii) | OPT(sort) | OPT(filter) | OPT(history))

struct command {
	const char *name; /* NULL: the live view, which is the first row */
	const char *synopsis;
	const char *purpose; /* a line of the overview, up to 66 columns */
	const char *about;   /* a paragraph of its page; NULL: none */
	const char *example; /* a command line, and its effect */
	const char *effect;
	const char *statuses;	/* additional exit statuses; NULL: none */
	uint64_t options;	/* taken, besides --help and --version */
	uint64_t demo_options;	/* taken as well with --demo */
	uint64_t batch_options; /* of the live view: taken by plain reports; 0: it prints none */
	/* what an option does where the table tells of another command; else NULL */
	const char *help[OPTION_COUNT];
	uint64_t one_of;    /* options that exclude each other */
	const char *word;   /* what its word names, for messages; NULL: it takes no word and no COMMAND */
	bool word_optional; /* the word may be omitted */
	int words;	    /* words that it takes, at most; 0: one */
	bool target;	    /* the word may be a TARGET */
	bool memtrace;	    /* the word may be a memtrace file */
	bool records;	    /* it writes a recording to the file of -o, unless --on-pause is given */
	bool own_output;    /* it checks -o itself */
	bool no_command;    /* it takes no COMMAND */
	bool own_signals;   /* it handles signals and SIGBUS itself */
	int (*run)(const struct options *options); /* returns an exit status */
};

/* X(name): `command_name`, defined in NAME.c. */
#define COMMAND_LIST(X)                                                                                      \
	X(top)                                                                                               \
	X(list)                                                                                              \
	X(log)                                                                                               \
	X(stats)                                                                                             \
	X(record)                                                                                            \
	X(memtrace)                                                                                          \
	X(demo)                                                                                              \
	X(metrics)                                                                                           \
	X(diff)                                                                                              \
	X(help)

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

#endif
