/*
 * event_name.h - what tests call an event.
 */
#pragma once

#include "core/event.h"

/* Name of a phase, counter, lifecycle event or user event (untrusted); "" for kinds without a label.  Uses
 * `buf` unless the name is stored elsewhere. */
static inline const char *event_name(const struct rtev_event *event, char buf[RTEV_NAME_SIZE])
{
	if (event->user != NULL)
		return event->user->name;
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
		return rtev_phase_name(event->id, buf);
	case EVENT_COUNTER:
		return rtev_counter_name(event->id, buf);
	case EVENT_LIFECYCLE:
		return rtev_lifecycle_name(event->id, buf);
	default:
		return "";
	}
}
