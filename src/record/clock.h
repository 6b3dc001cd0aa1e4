/*
 * clock.h - the times in a recording: since boot, including the time that the machine was asleep.
 *
 * Stamps are CLOCK_MONOTONIC, which stops while the machine sleeps.  Perfetto takes the times of a recording
 * for CLOCK_BOOTTIME, which system traces use.  A *step* is the offset between the two clocks from a stamp
 * on.
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

/* From a stamp on, later than that of earlier steps, time since boot is ahead by this much.  Ignored if it is
 * less than RECORD_SLEEP_MIN_NS more than before.  When there is no room for a step, the oldest is
 * dropped. */
void record_clock_step(struct record_clock *clock, uint64_t from, uint64_t ahead);

/* Time since boot of a stamp, at most UINT64_MAX. */
uint64_t record_clock_time(const struct record_clock *clock, uint64_t stamp);

/* Pass an event, whose times are stamps, to a sink. */
void record_clock_event(
    const struct record_clock *clock, struct record_sink *sink, const struct record_event *event);

#endif
