/*
 * demo.h - a program that records like a busy OCaml 5.3 service, for people without one.
 */
#ifndef APP_DEMO_H
#define APP_DEMO_H

#include <stdbool.h>
#include <stdint.h>

#define DEMO_DOMAINS_MAX 128

/* The pid of the live view that a demo is shown by. */
#define DEMO_OF_VARIABLE "RTEVTOP_DEMO_OF"

struct demo_options {
	unsigned domains;    /* 1 to DEMO_DOMAINS_MAX */
	uint64_t rate;	     /* events a second, of all domains together */
	uint64_t seed;	     /* the same seed makes the same events */
	uint64_t seconds_ns; /* how long; 0: until SIGTERM, SIGINT or SIGHUP */
	bool pause;	     /* pause and resume now and then */
};

/*
 * Record until told to stop.  Prints "PID PATH", one line, as soon as the ring can be read.  The ring goes to
 * OCAML_RUNTIME_EVENTS_DIR, else to a directory of its own under TMPDIR or /tmp, and is removed at the end
 * with that directory, unless OCAML_RUNTIME_EVENTS_PRESERVE is set.  Where DEMO_OF_VARIABLE names the process that started it, it
 * ends with that one, and removes what it leaves.  Returns an exit status, its message
 * printed.  Blocks SIGTERM, SIGINT and SIGHUP in the calling thread: it takes them itself.
 */
int demo_run(const struct demo_options *options);

#endif
