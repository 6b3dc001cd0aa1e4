/*
 * log_fibers.h - the events of schedulers of fibers in words.
 */
#pragma once

#include "core/event.h"
#include "print/out.h"

/* The fiber that runs on each domain, as events told. */
struct log_fibers {
	struct log_fiber {
		uint64_t id;
		bool known;
		bool suspended; /* unless it comes back at once, the scheduler runs */
	} * running;
	unsigned domains;
};

/* Print what an event says, if it is one of a scheduler; false: it is not.  All events of a domain are to come here, in
 * ring order: a loss ends what is known of it. */
bool log_fibers_print(struct log_fibers *f, struct out *out, const struct rtev_event *e);
void log_fibers_fini(struct log_fibers *f);
