/*
 * fleet_loop.h - observe the targets of the command line, or every OCaml process of the machine, and report
 * at a fixed pace.
 *
 * Reports are due at fixed times, so they do not drift; a late report does not delay the following ones.
 */
#pragma once

#include "app/options.h"
#include "fleet/fleet.h"

struct fleet_loop {
	const struct options *options;
	struct fleet_options observed; /* `machine` and `session` are set by fleet_loop_open */
	const char *failure;	       /* what failed, for a message that there is no fleet */
	bool waits_open;	       /* turns wait for the ring of a target */
	uint64_t delay_ns, first_ns;   /* time between two reports; time until the first */
	uint64_t kept_ns;	       /* how long a process is reported after its end */
	/* Return whether a TARGET can't be reported on, after saying so.  NULL: none is refused. */
	bool (*refuses)(const struct options *one);
	/* Report on what a step of the fleet has found.  Figures are missing unless it is `whole`.  Returns false
	 * to make it the last report. */
	bool (*report)(struct fleet_loop *r, bool whole);
	void *ctx; /* of the caller */

	struct fleet *fleet; /* set by fleet_loop_open */
	int status;	     /* exit status of the failures so far */
	/* Private. */
	uint64_t next_report, next_look;
	unsigned left_out; /* processes, as last reported */
};

/* Create the fleet and open the named targets.  One target that opens is enough.  Returns an exit status; a
 * failure has been reported. */
int fleet_loop_open(struct fleet_loop *r);

/* Read and report until the end. */
void fleet_loop_run(struct fleet_loop *r);

/* Close all targets.  Returns the exit status: `status`, or that of a failure or of a COMMAND. */
int fleet_loop_close(struct fleet_loop *r, int status);
