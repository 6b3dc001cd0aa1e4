/*
 * live.c - the loops of commands that read a target without a screen.
 */
#include "session/live.h"

#include "launch/signals.h"
#include "core/clock.h"

#define ROOM_WAIT_NS 2000000u /* interval between two checks for room */

/* Take over requests to stop: the first one ends the observation now; events written before it are still
 * read.  Returns false after a second request, which waits for nothing. */
static bool heed_stops(uint64_t now, uint64_t *end)
{
	unsigned stops = signals_stops_now();

	if (stops != 0 && now < *end)
		*end = now;
	return stops < 2;
}

void live_read(struct session *s, const struct live_calls *calls)
{
	uint64_t end = calls->duration_ns != 0 ? s->attach_ts + calls->duration_ns : UINT64_MAX;

	while (calls->going_on(calls->ctx)) {
		struct pollfd fds[SESSION_FDS];
		bool more;
		uint64_t now = monotonic_now();
		if (!heed_stops(now, &end))
			break;
		if (calls->room != NULL && now < end && !calls->room(calls->ctx, now)) {
			signals_wait(NULL, 0, ROOM_WAIT_NS);
			continue;
		}
		/* Check before the turn, so that some turn begins after the target's end and reads its last
		 * events. */
		session_check(s);
		bool last = s->state != SESSION_LIVE;
		if (now >= end)
			session_settle(s);
		bool busy = calls->turn(calls->ctx, now, &more);
		/* What the rings held at the end of the duration may take several turns to read. */
		bool whole = s->cursor == NULL || s->read_ts >= end;
		if ((now >= end && whole) || (last && !more) || s->state == SESSION_TRUNCATED)
			break;
		if (more || busy)
			continue;
		session_wait(s, fds, session_fds(s, fds), now < end ? end - now : 0);
	}
}

bool live_read_present(struct session *s, const struct live_calls *calls)
{
	bool more = true;

	session_settle(s);
	while (more && calls->going_on(calls->ctx)) {
		if (signals_stops_now() != 0)
			return false;
		calls->turn(calls->ctx, monotonic_now(), &more);
	}
	return true;
}

int live_stopped(const struct session *s)
{
	return report_message(
	    s->options.report, "What had been read before is kept.", "stopped before the end of %s", s->path);
}
