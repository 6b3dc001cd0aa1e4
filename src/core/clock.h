/*
 * clock.h - the clock of event stamps.
 */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds, the clock that OCaml stamps events with. */
uint64_t monotonic_now(void);

#endif
