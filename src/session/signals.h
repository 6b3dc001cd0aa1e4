/*
 * signals.h - the signals that the loops listen to, as flags, taken in one place.
 *
 * They are blocked all the time but in signals_wait and signals_stops_now, so nothing is ever interrupted half-way and no signal is missed
 * between a look at the flags and the wait.
 */
#ifndef SESSION_SIGNALS_H
#define SESSION_SIGNALS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Install the handlers and block the signals. */
void signals_install(void);

/* Wait for a descriptor, a signal or the time (UINT64_MAX: no limit), whichever comes first. */
int signals_wait(struct pollfd *fds, nfds_t count, uint64_t timeout_ns);

/* Wait until a descriptor takes a write, letting signals in.  False once we were asked to end more often than `allowed`
 * (unsigned *) says. */
bool signals_wait_write(void *allowed, int fd);

/* How often SIGINT, SIGTERM or SIGHUP have been let in. */
unsigned signals_stops(void);

/* How often SIGALRM has been let in, which is sent by timers on targets' CPU clocks (pace.h). */
unsigned signals_alarms(void);

/* The same as signals_stops, having let in what has come meanwhile: for loops that have no time to wait. */
unsigned signals_stops_now(void);

/* From now on pass every SIGTERM on to a process; 0: to none.  The first that is passed on does not count in signals_stops: the caller
 * goes on until that process ends.  Call it with 0 before the process is collected, or its pid may be another's. */
void signals_pass_term(pid_t pid);

/* From now on SIGINT, SIGTERM and SIGHUP end the process at once: for what has nothing to clean up. */
void signals_let_end(void);

/* Undo it in a child before it runs another program. */
void signals_restore(void);

#endif
