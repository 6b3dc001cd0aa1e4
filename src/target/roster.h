/*
 * roster.h - the OCaml processes of this machine over time.
 *
 * A refresh reads one stat of each process.  Only a process that is new, has executed another program, or is
 * an OCaml process without a readable ring is examined as in processes.h.  An ended process stays listed
 * until it is dropped.
 */
#pragma once

#include "target/processes.h"

struct roster;

struct roster_entry {
	struct process_entry process; /* result of the last examination */
	struct status_stat stat;      /* from the last refresh before the process ended */
	uint64_t examined_ts;	      /* CLOCK_MONOTONIC; changes whenever `process` may have */
	uint64_t ended_ts;	      /* 0: it is running */
	void *user;		      /* for the caller; initially NULL */
};

/* Returns 0 or an errno value. */
int roster_create(struct roster **out, const struct processes_options *options);
void roster_destroy(struct roster *roster);

/* Update the list.  Returns 0 or an errno value.  A process that could not be examined for lack of
 * descriptors or memory stays as it was, and is examined again at the next refresh. */
int roster_refresh(struct roster *roster, uint64_t now);

/* The listed entries, sorted by pid.  An entry keeps its address until it is dropped. */
size_t roster_count(const struct roster *roster);
struct roster_entry *roster_entry(const struct roster *roster, size_t i);

/* Drop an ended process.  The entries after it move up. */
void roster_drop(struct roster *roster, size_t i);

/* See process_finder_short_of. */
int roster_short_of(const struct roster *roster);
