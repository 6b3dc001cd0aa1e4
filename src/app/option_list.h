/*
 * option_list.h - the options, in the order of the help.  The file of each subcommand says which of them it
 * takes.
 */
#ifndef APP_OPTION_LIST_H
#define APP_OPTION_LIST_H

/* X(long name, letter or 0, argument, its name, help). */
#define OPTION_LIST(X)                                                                                       \
	X(delay, 'd', required_argument, "SEC",                                                              \
	    "seconds between redraws (0.5) or reports (1); 250ms is accepted")                               \
	X(batch, 'b', no_argument, NULL,                                                                     \
	    "plain text reports instead of the screen: of all processes without TARGET")                     \
	X(by_domain, 0, no_argument, NULL, "a line for each domain (-b)")                                    \
	X(user_events, 0, no_argument, NULL, "the program's own events, too")                                \
	X(label, 0, required_argument, "K=V", "a label of every sample of a process")                        \
	X(iterations, 'n', required_argument, "N", "stop after N redraws or reports")                        \
	X(json, 0, no_argument, NULL, "machine output, one object a line")                                   \
	X(full, 0, no_argument, NULL, "every phase and counter")                                             \
	X(follow, 'f', no_argument, NULL, "go on until the target ends")                                     \
	X(merge, 0, no_argument, NULL, "in order of time across domains")                                    \
	X(duration, 0, required_argument, "SEC", "how long; until the target ends")                          \
	X(output, 'o', required_argument, "FILE",                                                            \
	    "directory, or name of the files, for the key r and --on-pause")                                 \
	X(force, 0, no_argument, NULL, "record over a file that is no recording")                            \
	X(on_pause, 0, required_argument, "MS", "write a file for each pause longer than MS milliseconds")   \
	X(format, 0, required_argument, "FORM",                                                              \
	    "form: fxt (Fuchsia trace) or json (Chrome's); else by the ending of FILE, json for .json")      \
	X(max_events, 0, required_argument, "N", "most events that one poll may deliver (65536)")            \
	X(history, 0, required_argument, "MIB",                                                              \
	    "memory of the live view with a few domains, mostly events to scroll back through (32)")         \
	X(dir, 0, required_argument, "DIR", "where PID.events is, if /proc does not tell")                   \
	X(ocaml, 0, required_argument, "VERSION", "the OCaml release that wrote the ring")                   \
	X(wait, 0, optional_argument, "[=SEC]", "wait for the ring to appear")                               \
	X(demo, 0, no_argument, NULL, "live view of the built-in producer")                                  \
	X(no_color, 'C', no_argument, NULL, "no colours, attributes only")                                   \
	X(ascii, 'U', no_argument, NULL, "ASCII only")                                                       \
	X(sort, 's', required_argument, "KEY",                                                               \
	    "column that the overview, or the table of domains, is sorted by at first")                      \
	X(filter, 'F', required_argument, "TEXT", "show only lines that contain it, at first")               \
	X(memtrace, 0, required_argument, "FILE", "show this memtrace file beside the rings")                \
	X(top, 0, required_argument, "N", "the N sites that allocate most")                                  \
	X(folded, 0, no_argument, NULL, "call paths, for flame graph tools")                                 \
	X(dump, 0, no_argument, NULL, "every event, a line each")                                            \
	X(domains, 0, required_argument, "N", "domains (4)")                                                 \
	X(rate, 0, required_argument, "N", "events a second of all domains together (20000)")                \
	X(seconds, 0, required_argument, "S", "how long to run; until it is told to stop")                   \
	X(seed, 0, required_argument, "N", "seed of the workload (1)")                                       \
	X(pause, 0, no_argument, NULL, "pause and resume recording now and then")                            \
	X(help, 'h', no_argument, NULL, "this text")                                                         \
	X(version, 'V', no_argument, NULL, "the version")

enum option_number {
#define OPTION_NUMBER(name, letter, argument, value, help) OPTION_##name,
	OPTION_LIST(OPTION_NUMBER)
#undef OPTION_NUMBER
	    OPTION_COUNT
};

#endif
