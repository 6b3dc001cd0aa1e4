/*
 * clock.c - convert stamps to times since boot.
 */
#include "record/clock.h"

#include <string.h>

#include "core/sum.h"

void record_clock_step(struct record_clock *clock, uint64_t from, uint64_t ahead)
{
	uint64_t before = clock->count > 0 ? clock->steps[clock->count - 1].ahead : 0;

	if (ahead < before || ahead - before < RECORD_SLEEP_MIN_NS)
		return;
	if (clock->count == RECORD_CLOCK_STEPS) {
		memmove(clock->steps, clock->steps + 1, sizeof(clock->steps) - sizeof(clock->steps[0]));
		clock->count--;
	}
	clock->steps[clock->count].from = from;
	clock->steps[clock->count++].ahead = ahead;
}

uint64_t record_clock_time(const struct record_clock *clock, uint64_t stamp)
{
	for (unsigned i = clock->count; i > 0; i--)
		if (stamp >= clock->steps[i - 1].from)
			return sum_saturating(stamp, clock->steps[i - 1].ahead);
	return stamp;
}

void record_clock_event(
    const struct record_clock *clock, struct record_sink *sink, const struct record_event *event)
{
	if (clock->count == 0) {
		sink->event(sink, event);
		return;
	}
	struct record_event timed = *event;
	timed.begin = record_clock_time(clock, event->begin);
	timed.end = record_clock_time(clock, event->end);
	sink->event(sink, &timed);
}
