/*
 * clock.h - the system's clocks in nanoseconds.
 */
#pragma once

#include <time.h>

#include "core/std.h"

/* The time of a clock.  Wall clocks count from 1970 UTC. */
uint64_t clock_ns(clockid_t id);

/* CLOCK_MONOTONIC, the clock that OCaml stamps events with. */
uint64_t monotonic_now(void);
