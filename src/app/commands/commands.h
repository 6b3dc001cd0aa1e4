/*
 * commands.h - the subcommands.  Each is a file of this folder and a row here: the file says how it is called, what it takes and what
 * it does; the order of the rows is that of the help text.
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
#define OPTS_BATCH_TOO (OPTS_TARGET | OPT(delay) | OPT(iterations)) /* of the screen and of plain reports */
#define OPTS_VIEW                                                                                            \
	(OPT(delay) | OPT(iterations) | OPT(no_color) | OPT(ascii) | OPT(sort) | OPT(filter) | OPT(history))

struct command {
	const char *name; /* NULL: the live view, which comes first */
	const char *synopsis;
	const char *purpose; /* one line of the overview, up to 66 columns */
	const char *about;   /* a paragraph of the command's page; NULL: none */
	const char *example; /* a command line; and what comes of it */
	const char *effect;
	const char *statuses;	/* exit statuses of its own; NULL: the usual ones */
	uint64_t options;	/* that it takes, besides --help and --version */
	uint64_t demo_options;	/* and those that it takes with --demo */
	uint64_t batch_options; /* of the live view: those that plain reports take; 0: it makes none */
	const char
	    *word; /* what its one word names, as people are told; NULL: it takes none, and no COMMAND */
	bool word_optional; /* it may be left out */
	int words;	    /* how many such words it takes at most; 0: one */
	bool target;	    /* the word is a TARGET, */
	bool memtrace;	    /* or a memtrace file */
	bool records;	    /* to the one file of -o, unless --on-pause asks for many */
	bool own_signals;   /* it takes signals and faults of memory itself */
	int (*run)(const struct options *options); /* an exit status */
};

/* X(name): `command_name` in NAME.c. */
#define COMMAND_LIST(X)                                                                                      \
	X(top)                                                                                               \
	X(list)                                                                                              \
	X(log)                                                                                               \
	X(stats)                                                                                             \
	X(record)                                                                                            \
	X(memtrace)                                                                                          \
	X(demo)                                                                                              \
	X(diff)                                                                                              \
	X(help)

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

#endif
