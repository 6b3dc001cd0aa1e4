/*
 * clock.h - the clock that event stamps are in.
 */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC, which OCaml stamps its events with, in nanoseconds. */
uint64_t monotonic_now(void);

#endif
