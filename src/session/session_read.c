/*
 * session_read.c - read the rings of a session: by turns, or ahead of them by a thread (reader.h) while they
 * fill fast.
 */
#include "session/session_private.h"

#include <sched.h>

#include "session/guard.h"
#include "session/reader.h"
#include "launch/signals.h"
#include "core/clock.h"

/* After TRIM_TAKES takes of the spool, which last some seconds, up to TRIM_CHUNKS chunks give their memory
 * back; few, because the reader waits meanwhile. */
#define TRIM_TAKES 256
#define TRIM_CHUNKS 4

/* Turns that session_catch_up takes, at most. */
#define CATCH_UP_TURNS 16
#define DUE_LEAST_NS 1000000u /* least wait, for a turn that is overdue */

void session_take_back(struct session *s)
{
	if (s->lent)
		reader_take_back(s->reader, &s->pace, &s->began);
	s->lent = s->scans_last = false;
}

/* Lend the cursor to the thread if the rings fill fast.  Returns whether the thread has it. */
static bool cursor_lend(struct session *s)
{
	if (!s->options.reads_ahead || s->state != SESSION_LIVE || s->pace.ns >= READER_LEND_NS ||
	    s->pace.target == PACE_ASLEEP)
		return false;
	if (s->reader == NULL)
		s->reader = reader_create();
	if (s->reader == NULL)
		return false;
	const struct reader_loan loan = {.cursor = s->cursor,
	    .ring_words = s->ring_words,
	    .pace = s->pace,
	    .known = s->scan,
	    .began = s->began};
	reader_lend(s->reader, &loan);
	s->lent = s->spooled = true;
	return true;
}

/* Pass a resume that the scan found on to the sink. */
static void on_resume(void *ctx, unsigned domain, uint64_t ts)
{
	const struct session_sink *sink = ctx;

	if (sink->resume != NULL)
		sink->resume(sink->ctx, ts);
}

/* Give back the spool's memory that was unused for a while, and all of it once nothing is spooled. */
static void spool_spare(struct session *s)
{
	struct spool *sp = reader_spool(s->reader);

	if (!s->spooled) {
		spool_trim(sp, 0);
		spool_trim(sp, UINT_MAX);
	} else if (++s->takes % TRIM_TAKES == 0) {
		spool_trim(sp, TRIM_CHUNKS);
	}
}

/* Deliver what was read ahead, and take the cursor back if the reader wishes.  Returns true if the rings are
 * to be read by a turn. */
static bool take_ahead(struct session *s, const struct session_sink *sink, bool *more, uint64_t *events)
{
	const struct spool_sink to = {.calls = &sink->calls, .ctx = sink->ctx, .resume = sink->resume};
	struct spool_taken taken;
	const void *address;
	size_t size;

	rtev_cursor_mapping(s->cursor, &address, &size);
	if (s->lent && (s->state != SESSION_LIVE || reader_wishes(s->reader) || guard_truncated(address)))
		session_take_back(s);
	if (!s->spooled)
		return true;
	spool_take(reader_spool(s->reader), &to, s->options.max_events, !s->lent, &taken);
	*events = taken.events;
	if (taken.whole_ts > s->read_ts) {
		s->read_ts = taken.whole_ts;
		if (s->lent)
			s->began = 0;
	}
	/* There is more until the reader has reached the end of what it found. */
	*more = !s->lent || taken.stopped || s->began != 0 || (taken.events != 0 && !taken.whole);
	s->spooled = s->lent || !taken.empty;
	spool_spare(s);
	if (s->began != 0 && taken.events == 0)
		sched_yield();
	return false;
}

/* Scan and poll the rings.  Returns the status of the poll. */
static int read_rings(struct session *s, const struct session_sink *sink, bool *more, uint64_t *events)
{
	struct session_sink own = *sink;
	int status = RTEV_OK;

	if (s->began == 0)
		s->began = monotonic_now();
	s->scan = (struct rtev_scan){.size = sizeof(s->scan)};
	if (rtev_cursor_scan(s->cursor, on_resume, &own, &s->scan) != RTEV_OK)
		return RTEV_OK;
	if (s->scan.began)
		s->scans_last = s->state != SESSION_LIVE;
	session_version_update(s, &s->scan);
	s->fullest_words = s->scan.fullest_words;
	pace_learn(&s->pace, monotonic_now(), s->ring_words, s->fullest_words);
	*more = rtev_cursor_more(s->cursor);
	/* In a full ring, records are overwritten while the sink evaluates earlier ones, so the thread reads
	 * them ahead. */
	if (!*more && s->fullest_words > s->ring_words / 2 && cursor_lend(s)) {
		*more = true;
		return RTEV_OK;
	}
	if (!*more)
		status = rtev_cursor_poll(s->cursor, &sink->calls, sink->ctx, s->options.max_events, events);
	*more = rtev_cursor_more(s->cursor) || (*events != 0 && *events == s->options.max_events);
	if (!*more) {
		s->read_ts = s->began;
		s->began = 0;
		/* A scan that began before the target's end may have missed its last events. */
		*more = s->state != SESSION_LIVE && !s->scans_last;
	}
	return status;
}

void session_turn(struct session *s, const struct session_sink *sink, bool *more, uint64_t *events)
{
	const void *address;
	uint64_t count = 0;
	size_t size;

	*more = false;
	if (events == NULL)
		events = &count;
	*events = 0;
	bool ended = s->state == SESSION_ENDED;
	if (s->cursor == NULL && s->has_child && s->state != SESSION_TRUNCATED)
		session_command_attach(s);
	else if (s->wait_until != 0)
		session_wait_attach(s);
	if (s->off)
		session_off_turn(s, monotonic_now());
	if (s->exec_ts != 0)
		session_exec_turn(s, sink, monotonic_now());
	if (s->cursor == NULL || !take_ahead(s, sink, more, events))
		return;
	int status = read_rings(s, sink, more, events);
	rtev_cursor_mapping(s->cursor, &address, &size);
	if (guard_truncated(address) || status == RTEV_E_TRUNCATED)
		s->state = SESSION_TRUNCATED;
	else if (status == RTEV_E_CHANGED)
		session_reopen(s, sink);
	else if (*events != 0)
		(void)cursor_lend(s);
	/* The caller believed that the target had ended. */
	bool lives_on = ended && s->state == SESSION_LIVE;
	*more = (*more || lives_on) && s->state != SESSION_TRUNCATED;
}

void session_settle(struct session *s)
{
	s->options.reads_ahead = false;
	session_take_back(s);
}

void session_catch_up(struct session *s, const struct session_sink *sink)
{
	const bool ahead = s->options.reads_ahead;
	uint64_t until = monotonic_now();
	bool more;

	session_settle(s);
	for (int i = 0;
	     i < CATCH_UP_TURNS && s->state == SESSION_LIVE && s->cursor != NULL && s->read_ts < until; i++)
		session_turn(s, sink, &more, NULL);
	s->options.reads_ahead = ahead;
}

uint64_t session_read_to(const struct session *s, uint64_t delay_ns)
{
	return s->read_ts > delay_ns ? s->read_ts - delay_ns : 0;
}

void session_unread(struct session *s, uint64_t *unread, unsigned count)
{
	if (s->lent)
		reader_unread(s->reader, unread, count);
	else
		for (unsigned d = 0; d < count; d++)
			rtev_cursor_lag(s->cursor, d, &unread[d], NULL, NULL);
}

bool session_ring_overrun(const struct session *s)
{
	uint64_t head, tail;

	/* The thread only reads rings that fill fast. */
	if (s->lent || s->cursor == NULL)
		return false;
	for (unsigned d = 0; rtev_cursor_lag(s->cursor, d, NULL, &head, &tail) == RTEV_OK; d++)
		if (head > tail)
			return true;
	return false;
}

/* How long to wait before the next turn when no ring sets the pace; 0: a ring does. */
static uint64_t fixed_wait(const struct session *s)
{
	if (s->cursor != NULL)
		return s->lent ? READER_TAKE_NS : 0;
	if (s->off)
		return OFF_TURN_NS;
	return monotonic_now() - s->attach_ts < WAIT_LATE_NS ? WAIT_TURN_NS : WAIT_LATE_TURN_NS;
}

uint64_t session_pace(const struct session *s)
{
	const uint64_t wait = fixed_wait(s);

	return wait != 0 ? wait : pace_wait(&s->pace);
}

/* Words unread in the fullest ring. */
static uint64_t fullest_words(const struct rtev_cursor *cursor)
{
	uint64_t unread, most = 0;

	for (unsigned d = 0; rtev_cursor_lag(cursor, d, &unread, NULL, NULL) == RTEV_OK; d++)
		most = unread > most ? unread : most;
	return most;
}

int session_wait(struct session *s, struct pollfd *fds, nfds_t count, uint64_t timeout_ns)
{
	uint64_t look, turn = pace_wait_looking(&s->pace, &look);
	const uint64_t wait_ns = fixed_wait(s);
	uint64_t now = monotonic_now();
	const uint64_t due = s->due_ts > now ? s->due_ts - now : s->due_ts != 0 ? DUE_LEAST_NS : UINT64_MAX;

	timeout_ns = due < timeout_ns ? due : timeout_ns;
	if (wait_ns != 0)
		return signals_wait(fds, count, timeout_ns < wait_ns ? timeout_ns : wait_ns);
	const uint64_t until = now + (turn < timeout_ns ? turn : timeout_ns);
	for (;;) {
		unsigned stops = signals_stops();
		uint64_t wait = pace_woken(&s->pace) ? 0 : until - now;
		int ready = signals_wait(fds, count, look < wait ? look : wait);
		now = monotonic_now();
		if (ready < 0 && signals_stops() == stops && pace_woken(&s->pace))
			ready = 0;
		if (ready != 0 || now >= until || s->cursor == NULL ||
		    pace_look(&s->pace, now, s->ring_words, fullest_words(s->cursor)))
			return ready;
		pace_wait_looking(&s->pace, &look);
	}
}
