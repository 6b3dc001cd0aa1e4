/*
 * commands.h - the options and the subcommands.
 *
 * Each subcommand has a file in this directory and a row here.  The file defines its name, its options and
 * its function.  The help lists subcommands and options in the order of the rows: by use, the rare ones last.
 */
#pragma once

#include "app/options.h"

/* X(long name, letter or 0, how its value is read, name of that, help, the member of struct options that it sets,
 * least and greatest value). */
#define OPTION_LIST(X)                                                                                       \
	X(duration, 0, TIME, "SEC", "stop after this time (when the target ends)", duration_ns, TIME_MIN_NS, \
	    0)                                                                                               \
	X(on_pause, 0, MS, "MS", "write a file for each pause longer than MS milliseconds", on_pause_ns,     \
	    TIME_MIN_NS, 0)                                                                                  \
	X(code, 0, CODE, "[=HZ]",                                                                            \
	    "sample the program's code: HZ times in a second of a thread's processor time (99)", code_hz, 1, \
	    CODE_HZ_MAX)                                                                                     \
	X(top, 0, NUMBER, "N", "print the N sites that allocate most", top, 1, INT64_MAX)                    \
	X(folded, 0, SWITCH, NULL, "print call paths, for flame graph tools", folded, 0, 0)                  \
	X(speedscope, 0, SWITCH, NULL, "print call paths as JSON for www.speedscope.app", speedscope, 0, 0)  \
	X(pprof, 0, SWITCH, NULL, "write the profile to the file of -o, in the format of pprof", pprof, 0,   \
	    0)                                                                                               \
	X(dump, 0, SWITCH, NULL, "print every event, one per line", dump, 0, 0)                              \
	X(output, 'o', TEXT, "FILE", "directory or file name for the key r and --on-pause", output, 0, 0)    \
	X(format, 0, CHOICE, "FORM",                                                                         \
	    "write fxt (Fuchsia trace) or json (Chrome's); by default json if FILE ends in .json, else fxt", \
	    format, 0, 0)                                                                                    \
	X(force, 0, SWITCH, NULL, "overwrite a file that is not a recording", force, 0, 0)                   \
	X(follow, 'f', SWITCH, NULL, "go on until the target ends", follow, 0, 0)                            \
	X(merge, 0, SWITCH, NULL, "sort events by time across domains", merge, 0, 0)                         \
	X(fibers, 0, SWITCH, NULL, "print suspended fibers, grouped by their stacks, in place of threads",   \
	    fibers, 0, 0)                                                                                    \
	X(memtrace, 0, TEXT, "FILE", "show this memtrace file beside the rings", memtrace, 0, 0)             \
	X(batch, 'b', SWITCH, NULL,                                                                          \
	    "print plain text reports instead of the screen; without TARGET, of all processes", batch, 0, 0) \
	X(by_domain, 0, SWITCH, NULL, "with -b: print a line for each domain", by_domain, 0, 0)              \
	X(user_events, 0, SWITCH, NULL, "include the program's own events", user_events, 0, 0)               \
	X(label, 0, LABEL, "K=V", "add a label to every sample of a process", labels, 0, 0)                  \
	X(full, 0, SWITCH, NULL, "print every phase and counter", full, 0, 0)                                \
	X(json, 0, SWITCH, NULL, "print JSON, one object per line", json, 0, 0)                              \
	X(delay, 'd', TIME, "SEC", "seconds between redraws (0.5) or reports (1); 250ms is accepted",        \
	    delay_ns, DELAY_MIN_NS, 0)                                                                       \
	X(iterations, 'n', NUMBER, "N", "stop after N redraws or reports", iterations, 1, INT64_MAX)         \
	X(sort, 's', WORD, "KEY", "initial sort column of the overview or of the table of domains", sort, 0, \
	    0)                                                                                               \
	X(filter, 'F', WORD, "TEXT", "initial filter: show only lines that contain it", filter, 0, 0)        \
	X(theme, 0, CHOICE, "GROUND",                                                                        \
	    "colours for a dark or light background, or mono (as the terminal reports)", theme, 0, 0)        \
	X(graph, 0, CHOICE, "FORM",                                                                          \
	    "draw graphs with braille, blocks or ascii (braille if the screen can show it)", graph, 0, 0)    \
	X(no_color, 'C', SWITCH, NULL, "no colours, attributes only", no_color, 0, 0)                        \
	X(ascii, 'U', SWITCH, NULL, "ASCII only", ascii, 0, 0)                                               \
	X(no_mouse, 0, SWITCH, NULL, "leave the mouse to the terminal", no_mouse, 0, 0)                      \
	X(no_sync, 0, SWITCH, NULL, "do not use synchronised output (terminal mode 2026)", no_sync, 0, 0)    \
	X(history, 0, NUMBER, "MIB", "memory of the live view, in MiB; more reaches further back (32)",      \
	    history_mib, 1, SIZE_MAX >> 20)                                                                  \
	X(wait, 0, WAIT, "[=SEC]", "wait for the ring to appear", wait_ns, TIME_MIN_NS, 0)                   \
	X(dir, 0, TEXT, "DIR", "directory of PID.events, if /proc does not show it", dir, 0, 0)              \
	X(ocaml, 0, OCAML, "VERSION", "the OCaml release that wrote the ring", ocaml, 0, 0)                  \
	X(max_events, 0, NUMBER, "N", "most events that one poll may deliver (65536)", max_events, 1,        \
	    INT64_MAX)                                                                                       \
	X(demo, 0, SWITCH, NULL, "live view of a made-up busy service", demo, 0, 0)                          \
	X(domains, 0, NUMBER, "N", "number of domains (4)", domains, 1, DEMO_DOMAINS_MAX)                    \
	X(rate, 0, NUMBER, "N", "events a second of all domains together (20000)", rate, 100, 1000000000)    \
	X(seconds, 0, TIME, "S", "stop after this time (at SIGTERM, SIGINT or SIGHUP)", seconds_ns,          \
	    TIME_MIN_NS, 0)                                                                                  \
	X(seed, 0, NUMBER, "N", "seed of the workload (1)", seed, 0, INT64_MAX)                              \
	X(pause, 0, SWITCH, NULL, "pause and resume recording now and then", pause, 0, 0)                    \
	X(help, 'h', NOTHING, NULL, "this text", command, 0, 0)                                              \
	X(version, 'V', NOTHING, NULL, "the version", command, 0, 0)

enum option_number {
#define OPTION_NUMBER(name, ...) OPTION_##name,
	OPTION_LIST(OPTION_NUMBER)
#undef OPTION_NUMBER
	    OPTION_COUNT
};

/* Sets of options. */
#define OPT(name) (UINT64_C(1) << OPTION_##name)
#define OPTS_TARGET (OPT(max_events) | OPT(dir) | OPT(ocaml) | OPT(wait))
#define OPTS_BATCH_TOO (OPTS_TARGET | OPT(delay) | OPT(iterations)) /* options of the screen and of reports */
#define OPTS_VIEW                                                                                            \
	(OPT(delay) | OPT(iterations) | OPT(no_color) | OPT(ascii) | OPT(no_mouse) | OPT(no_sync) |          \
	    OPT(theme) | OPT(graph) | OPT(sort) | OPT(filter) | OPT(history))

struct command {
	const char *name; /* NULL: the live view, which is the first row */
	const char *synopsis;
	const char *purpose; /* its line in the overview, up to 66 columns */
	const char *about;   /* a paragraph of its page; NULL: none */
	const char *example; /* a command line, and its effect */
	const char *effect;
	const char *statuses;	/* additional exit statuses; NULL: none */
	uint64_t options;	/* options that it takes, besides --help and --version */
	uint64_t demo_options;	/* further options with --demo */
	uint64_t batch_options; /* options of plain reports (live view only); 0: it prints none */
	/* what an option does here, if it differs from the table; else NULL */
	const char *help[OPTION_COUNT];
	uint64_t one_of;    /* options that exclude each other */
	const char *word;   /* what its word names, for messages; NULL: it takes neither a word nor a
			     * COMMAND */
	bool word_optional; /* the word may be omitted */
	int words;	    /* most words that it takes; 0: one */
	bool target;	    /* the word may be a TARGET */
	bool memtrace;	    /* the word may be a memtrace file */
	bool records;	    /* it writes a recording to the file of -o, unless --on-pause is given */
	bool own_output;    /* it checks -o itself */
	bool no_command;    /* it takes no COMMAND */
	bool takes_off;	    /* a process that records no events is accepted as a target */
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
	X(stacks)                                                                                            \
	X(diff)                                                                                              \
	X(help)

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* `rtevtop record --on-pause`: write a file for each long pause, until the target ends or a signal asks us to stop. */
int record_on_pause(const struct options *options);

/* The name of the live view for `rtevtop help`. */
#define COMMAND_NAME_TOP "top"

/* The i-th subcommand in the order of the help; 0 is the live view.  NULL beyond the last. */
const struct command *command_at(size_t i);

/* Find a subcommand by name.  NULL if there is none: the live view has no name. */
const struct command *command_find(const char *name);

/* Return the name that the word abbreviates, else the most similar one: at most two edits, and fewer than
 * half of its letters.  NULLs in `names` are skipped.  Returns NULL if there is none, or if several are
 * equally similar. */
const char *suggest(const char *word, const char *const *names, size_t count);

/* The subcommand that a misspelt word may stand for, NULL if none is similar. */
const char *command_suggest(const char *word);

/* Report an unknown subcommand, with a suggestion.  Returns EXIT_USAGE. */
int command_unknown(const char *word);

#define OPTION_NAME_SIZE 32

/* How the value of an option is read: there is none, it may be left out, it is needed. */
enum option_take {
	TAKE_NOTHING,
	TAKE_SWITCH,
	TAKE_WAIT, /* a time, or for ever */
	TAKE_CODE, /* a rate, or the default */
	TAKE_NUMBER,
	TAKE_TIME,
	TAKE_MS,   /* a time, in milliseconds without a unit */
	TAKE_TEXT, /* not empty */
	TAKE_WORD, /* any text */
	TAKE_LABEL,
	TAKE_OCAML,
	TAKE_CHOICE,
};

/* A row of the table of options. */
struct option_row {
	const char *name; /* a C identifier, with "_" for "-" */
	char letter;	  /* 0: none */
	enum option_take take;
	const char *value; /* name of the argument in the help; NULL: it has no argument */
	const char *help;
	size_t member;	    /* of struct options, that it sets */
	uint64_t low, high; /* bounds of a number; of a time, the lower bound */
};

extern const struct option_row option_table[OPTION_COUNT];

/* no_argument, required_argument or optional_argument of getopt.h. */
int option_argument(enum option_number number);

/* The words that an option takes, then NULL; NULL for an option whose values are not words. */
enum { FORMAT_FXT, FORMAT_JSON };
const char *const *option_choices(enum option_number number);

/* The index of a word among an option's words, from 1; 0: none of them. */
unsigned option_choice(enum option_number number, const char *word);

/* The help of an option on the page of a subcommand. */
const char *option_help(const struct command *command, enum option_number number);

/* The name as typed, without "--".  Static storage. */
const char *option_name(enum option_number number);

/* Whether a subcommand takes an option, and whether it takes it with --demo. */
bool option_taken(const struct command *command, enum option_number number);
bool option_taken_for_demo(const struct command *command, enum option_number number);

/* Print the help of a subcommand, at most 80 columns wide; NULL: the overview, at most 24 lines.  Returns an
 * exit status. */
int pages_print(const struct command *command);
