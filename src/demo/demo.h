/*
 * demo.h - a program that records like a busy OCaml 5.3 service, for users without one.
 */
#pragma once

#include <signal.h>

#include "core/std.h"

#define DEMO_DOMAINS_MAX 128

/* Environment variable: the pid of the live view that shows this demo. */
#define DEMO_OF_VARIABLE "RTEVTOP_DEMO_OF"

struct demo_options {
	unsigned domains;    /* 1 to DEMO_DOMAINS_MAX */
	uint64_t rate;	     /* events a second of all domains together */
	uint64_t seed;	     /* the same seed makes the same events */
	uint64_t seconds_ns; /* duration; 0: until SIGTERM, SIGINT or SIGHUP */
	bool pause;	     /* pause and resume now and then */
	const char *dir;     /* of the ring, unless OCAML_RUNTIME_EVENTS_DIR is set */
	/* Called with the path of the ring once it can be read.  Returns false to end the demo. */
	bool (*started)(void *ctx, const char *path);
	void *ctx;
};

struct demo_result {
	int status;  /* of the library: why the demo did not start, or ended before its time */
	bool wanted; /* what `started` returned */
};

/*
 * Record until a signal asks us to stop.  Removes the ring at the end, unless OCAML_RUNTIME_EVENTS_PRESERVE
 * is set.  Blocks and consumes the signals of demo_block_signals in the calling thread.
 */
struct demo_result demo_run(const struct demo_options *options);

/* Block SIGTERM, SIGINT and SIGHUP, which end a demo, and return them: for a caller that must clean up after
 * demo_run. */
void demo_block_signals(sigset_t *signals);
