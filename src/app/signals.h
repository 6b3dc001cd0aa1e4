/*
 * signals.h - the signals that the loops listen to, as flags, taken in one place.
 *
 * They are blocked all the time but in signals_wait, so nothing is ever interrupted half-way and no signal is missed
 * between a look at the flags and the wait.
 */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Install the handlers and block the signals. */
void signals_install(void);

/* Wait for a descriptor, a signal or the time (UINT64_MAX: no limit), whichever comes first. */
int signals_wait(struct pollfd *fds, nfds_t count, uint64_t timeout_ns);

/* How often SIGINT, SIGTERM or SIGHUP have come. */
unsigned signals_stops(void);

/* Undo it in a child before it runs another program. */
void signals_restore(void);

/* CLOCK_MONOTONIC, which OCaml stamps its events with, in nanoseconds. */
uint64_t signals_now(void);

#endif
