/*
 * demo.h - a program that records like a busy OCaml 5.3 service, for people without one.
 */
#ifndef DEMO_DEMO_H
#define DEMO_DEMO_H

#include <signal.h>
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
	const char *dir;     /* of the ring, where OCAML_RUNTIME_EVENTS_DIR names none */
	/* Told of the ring's path as soon as it can be read; false: go no further. */
	bool (*started)(void *ctx, const char *path);
	void *ctx;
};

struct demo_result {
	int status;   /* of the library: why it did not start, or RTEV_E_NOMEM while it played */
	bool started; /* there was a ring */
	bool wanted;  /* as `started` said */
};

/*
 * Record until told to stop.  The ring is removed at the end, unless OCAML_RUNTIME_EVENTS_PRESERVE is set.  Blocks the signals of
 * demo_block_signals in the calling thread, and takes them.
 */
struct demo_result demo_run(const struct demo_options *options);

/* Block SIGTERM, SIGINT and SIGHUP, which end a demo, and return them: for a caller with things to undo before demo_run. */
void demo_block_signals(sigset_t *signals);

#endif
