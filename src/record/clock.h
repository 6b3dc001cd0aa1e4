/*
 * clock.h - the time that a recording is in: since boot, the time that the machine has slept included.
 *
 * Stamps of events are of CLOCK_MONOTONIC, which stands still while the machine sleeps.  Perfetto takes the times of a recording for
 * CLOCK_BOOTTIME, in which system traces are, too.  A *step* tells by how much the latter is ahead from a stamp on.
 */
#ifndef RECORD_CLOCK_H
#define RECORD_CLOCK_H

#include <stdint.h>

#include "record/sink.h"

#define RECORD_CLOCK_STEPS 16

struct record_clock {
	unsigned count;
	struct {
		uint64_t from, ahead;
	} steps[RECORD_CLOCK_STEPS];
};

/* From a stamp on, later than those given before, time since boot is so far ahead, by RECORD_SLEEP_MIN_NS more than before or nothing
 * changes.  Of more steps than there is room for the oldest goes. */
void record_clock_step(struct record_clock *clock, uint64_t from, uint64_t ahead);

/* The time of a stamp; at most UINT64_MAX. */
uint64_t record_clock_time(const struct record_clock *clock, uint64_t stamp);

/* Give a sink an event whose times are stamps. */
void record_clock_event(
    const struct record_clock *clock, struct record_sink *sink, const struct record_event *event);

#endif
