/*
 * roster.h - the OCaml processes of this machine, as they come and go.
 *
 * A refresh reads one stat of each process of the machine.  Only a process that is new, has become another program, or is one of
 * OCaml's without a ring that we read is examined as `processes.h` does.  A process that has ended stays listed until it is dropped.
 */
#ifndef TARGET_ROSTER_H
#define TARGET_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/processes.h"
#include "target/status.h"

struct roster;

struct roster_entry {
	struct process_entry process; /* as last examined */
	struct status_stat stat;      /* as of the last refresh, or of the last before it ended */
	uint64_t examined_ts;	      /* CLOCK_MONOTONIC; changes whenever `process` may have */
	uint64_t ended_ts;	      /* 0: it runs */
	void *user;		      /* the caller's, NULL at first */
};

/* 0 or an errno value. */
int roster_create(struct roster **out, const struct processes_options *options);
void roster_destroy(struct roster *roster);

/* Look at the machine.  0 or an errno value: the entries are then those of before. */
int roster_refresh(struct roster *roster, uint64_t now);

/* The entries that are listed, by pid; an entry stays where it is until it is dropped. */
size_t roster_count(const struct roster *roster);
struct roster_entry *roster_entry(const struct roster *roster, size_t i);

/* Forget a process that has ended.  Entries behind it move up. */
void roster_drop(struct roster *roster, size_t i);

/* As process_finder_short_of. */
int roster_short_of(const struct roster *roster);

#endif
