/*
 * live.c - the loop of all that reads a live target without a screen.
 */
#include "app/live.h"

#include "app/signals.h"

#define ROOM_WAIT_NS 2000000u /* until the next look for room */

/* Read until the end. */
void live_read(struct session *s, const struct session_sink *sink, const struct live_calls *calls)
{
	uint64_t end = s->options->duration_ns != 0 ? s->attach_ts + s->options->duration_ns : UINT64_MAX;

	while (signals_stops() == 0 && calls->going_on(calls->ctx)) {
		struct pollfd fds[SESSION_FDS];
		bool more;
		uint64_t now = signals_now();
		if (calls->room != NULL && now < end && !calls->room(calls->ctx, now)) {
			signals_wait(NULL, 0, ROOM_WAIT_NS);
			continue;
		}
		/* What it wrote before it ended is read in this turn or a later one. */
		session_check(s);
		bool last = s->state != SESSION_LIVE;
		session_turn(s, sink, &more, NULL);
		bool busy = calls->turned(calls->ctx, now, more);
		if (now >= end || (last && !more) || s->state == SESSION_TRUNCATED)
			break;
		if (more || busy)
			continue;
		uint64_t pace = session_pace(s);
		signals_wait(fds, session_fds(s, fds), end - now < pace ? end - now : pace);
	}
}
