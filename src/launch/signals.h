/*
 * signals.h - the signals of the main loops, counted in one place.
 *
 * Signals are blocked except in signals_wait and signals_stops_now.  So they interrupt no system call, and
 * none is missed between a check of the counters and the wait.
 */
#pragma once

#include <poll.h>
#include <sys/types.h>

#include "core/std.h"

void signals_install(void);

/* Wait for a descriptor, a signal or a timeout (UINT64_MAX: none). */
int signals_wait(struct pollfd *fds, nfds_t count, uint64_t timeout_ns);

/* Wait until a descriptor is writable; signals are delivered meanwhile.  Returns false when signals_stops
 * exceeds `allowed` (an unsigned *) and the descriptor still is not writable. */
bool signals_wait_write(void *allowed, int fd);

/* How many SIGINT, SIGTERM and SIGHUP were delivered. */
unsigned signals_stops(void);

/* How many SIGALRM came from timers on the CPU clock of this target (pace.h); the timer's sival_int is the
 * pid.  Two processes may share a counter. */
unsigned signals_alarms(pid_t pid);

/* Deliver pending signals, then return signals_stops: for loops that have no time to wait. */
unsigned signals_stops_now(void);

/* Pass every SIGTERM on to a process from now on; 0: to none.  The first one passed on does not count in
 * signals_stops: the caller continues until that process ends.  Call it with 0 before waiting for the
 * process, since its pid can then be reused. */
void signals_pass_term(pid_t pid);

/* Whether a SIGTERM was passed on to the latest such process, which may have ended since. */
bool signals_passed_term(void);

/* From now on SIGINT, SIGTERM and SIGHUP end the process at once: for a caller with nothing to clean up. */
void signals_let_end(void);

/* Undo all handlers and the mask in a child before it executes another program. */
void signals_restore(void);
