/*
 * loop.c - the loop of the live view: it waits in one place for keys, signals, the end of the target, and the
 * next turn.
 */
#include <signal.h>
#include <unistd.h>

#include "session/signals.h"
#include "app/top/top.h"
#include "core/clock.h"

#define REPLAY_PACE_NS 20000000u /* between two turns of a replay that plays */
#define TERM_WAIT_NS 2000000000u /* that COMMAND has to end after a SIGTERM passed on to it */
#define FOLLOW_EVENTS 131072u	 /* of a timeline, in a turn */

/* Show that only COMMAND's end is awaited. */
static void say_waiting(struct top *top)
{
	facts_notice(&top->facts, "waiting for %s to end; q again sends it SIGTERM", top->session.child.name);
}

/* Quit.  While COMMAND runs, the first request only stops waiting for keys; COMMAND gets SIGTERM at the
 * second.  A demo of ours ends with us. */
static void leave(struct top *top)
{
	struct session *s = &top->session;

	if (!top->attached || !s->has_child || top->options->demo || child_poll(&s->child)) {
		top->quit = true;
	} else if (!top->leaving) {
		top->leaving = true;
		say_waiting(top);
	} else {
		kill(s->child.pid, SIGTERM);
		facts_notice(&top->facts, "sent SIGTERM to %s", s->child.name);
	}
	top->dirty = true;
}

/* COMMAND was passed our SIGTERM: wait for its end, but not for long. */
static void heed_term(struct top *top, uint64_t now)
{
	struct session *s = &top->session;

	if (s->command_until == 0) {
		s->command_until = now + TERM_WAIT_NS;
		facts_notice(&top->facts, "sent SIGTERM to %s", s->child.name);
		top->dirty = true;
	}
	if (child_poll(&s->child) || now >= s->command_until)
		top->quit = true;
}

/* Update the subject. */
static void gather(struct top *top, uint64_t now)
{
	struct observation *o = top->observation;

	facts_gather(&top->facts, top->attached ? &top->session : NULL, o);
	if (top->replay != NULL) {
		replay_gather(top->replay, &top->facts.subject);
	} else if (o != NULL && !top->seen_end) {
		session_check(&top->session);
		observation_advance(o, now);
	}
}

/* Handle all pending keys. */
static void take_keys(struct top *top)
{
	bool fresh = false;
	ui_key key;

	while (!top->quit && (key = tty_key(top->tty)) != UI_KEY_NONE) {
		if (key == UI_KEY_RESIZE) {
			top->dirty = true;
			continue;
		}
		/* A freeze needs all values of one moment. */
		if (!fresh)
			gather(top, monotonic_now());
		fresh = true;
		unsigned reactions = ui_press(top->ui, &top->facts.subject, key);
		if (reactions & (UI_DIRTY | UI_RELAYOUT))
			top->dirty = true;
		if (reactions & UI_REDRAW) {
			tty_redraw(top->tty);
			top->dirty = true;
		}
		if (reactions & UI_SUSPEND)
			tty_suspend(top->tty);
		if (reactions & UI_QUIT)
			leave(top);
		enum ui_action action;
		while ((action = ui_asked(top->ui)) != ACTION_NONE) {
			top_carry_out(top, action);
			fresh = false;
		}
	}
}

/* Check the state of the target, and show a further program of COMMAND. */
static void check(struct top *top)
{
	struct session *s = &top->session;

	session_check(s);
	if (s->others == top->others)
		return;
	top->others = s->others;
	facts_notice(&top->facts, "%s also started OCaml program %lld (%s): rtevtop %lld watches it",
	    s->child.name, (long long)s->other_pid, s->other_name, (long long)s->other_pid);
	top->dirty = true;
}

/* Take a turn.  Returns true if there is more to read now. */
static bool turn(struct top *top)
{
	struct session *s = &top->session;
	bool more = false;

	if (top->replay != NULL)
		return top_replay_turn(top);
	if (!top->attached)
		return false;
	check(top);
	if (top->seen_end || !top_record_room(top) || !top_flight_room(top))
		return false;
	bool last = s->state != SESSION_LIVE;
	uint64_t before = monotonic_now(), events;
	more = observation_turn(top->observation, before, &events);
	/* Its ring was waited for in vain. */
	if (s->state == SESSION_ENDED && s->cursor == NULL && !s->has_child)
		top->quit = true;
	/* The first picture of the domains comes at once: from then on their timelines follow what comes. */
	if (events != 0 && !top->seen_event)
		top->seen_event = top->dirty = true;
	ui_follow(top->ui, before, FOLLOW_EVENTS);
	if (s->has_child)
		facts_take_output(&top->facts, &s->child);
	if (last && !more) {
		top->seen_end = top->dirty = true;
		observation_finish(top->observation);
		top_record_stop(top);
		top_flight_stop(top);
	}
	return more;
}

/* Take a turn of the memtrace file.  Returns true if there is more to read now. */
static bool turn_trace(struct top *top)
{
	bool more = false;
	int64_t from, to;

	top->facts.subject.trace = NULL;
	if (!top->attached && !top->trace_alone && top->replay == NULL)
		return false;
	follow_hold(&top->follow, ui_frozen(top->ui));
	if (top->attached)
		follow_target(&top->follow, &top->session);
	ui_trace_window(top->ui, &from, &to);
	more = follow_turn(&top->follow, from, to);
	/* Keys need the current subject before the next redraw. */
	top->facts.subject.trace = follow_subject(&top->follow);
	return more;
}

/* Send what the terminal accepts of the last picture.  Returns true if that is all and it accepts more. */
static bool terminal_ready(struct top *top)
{
	top->clogged = !tty_ready(top->tty);
	return !top->clogged;
}

/* Draw and send a picture.  Returns false if the terminal has not taken the last one yet. */
static bool show(struct top *top)
{
	int row, col;

	if (!terminal_ready(top) || !tty_fit(top->tty, top->canvas))
		return false;
	ui_draw(top->ui, &top->facts.subject, top->canvas);
	if (ui_cursor(top->ui, &row, &col))
		tty_cursor(top->tty, row, col);
	else
		tty_cursor(top->tty, -1, 0);
	tty_flush(top->tty, top->canvas);
	terminal_ready(top);
	return true;
}

/* Redraw.  A picture that the terminal does not accept is skipped; the next one is newer. */
static void redraw(struct top *top, uint64_t now)
{
	/* The notice must stay: the next q sends SIGTERM. */
	if (top->leaving && !facts_has_notice(&top->facts, now))
		say_waiting(top);
	gather(top, now);
	top->dirty = !show(top);
	top->redraws++;
	top->next_draw = now + top->delay_ns;
}

/* Wait for the next event.  Returns false if nothing but time has passed. */
static bool wait_for_more(struct top *top)
{
	struct pollfd fds[SESSION_FDS + 3];
	nfds_t count = 0, terminal;
	uint64_t now = monotonic_now();
	uint64_t timeout = top->next_draw > now ? top->next_draw - now : 0;

	fds[count++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
	if (top->clogged)
		fds[count++] = (struct pollfd){.fd = tty_output(top->tty), .events = POLLOUT};
	terminal = count;
	bool reads = top->attached && !top->seen_end;
	if (reads) {
		count += session_fds(&top->session, fds + count);
		if (top->session.has_child && top->session.child.output >= 0)
			fds[count++] = (struct pollfd){.fd = top->session.child.output, .events = POLLIN};
	}
	if (top->replay != NULL && replay_moves(top->replay) && timeout > REPLAY_PACE_NS)
		timeout = REPLAY_PACE_NS;
	if (top->follow.on && timeout > FOLLOW_PACE_NS)
		timeout = FOLLOW_PACE_NS;
	uint64_t overview = top_overview_pace(top, now);
	timeout = overview < timeout ? overview : timeout;
	uint64_t until = top->session.command_until;
	if (until != 0 && timeout > (until > now ? until - now : 0))
		timeout = until > now ? until - now : 0;
	int ready =
	    reads ? session_wait(&top->session, fds, count, timeout) : signals_wait(fds, count, timeout);
	/* A terminal that is gone may send no signal. */
	for (nfds_t i = 0; i < terminal; i++)
		if (fds[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			top->quit = true;
	return ready != 0;
}

void top_loop(struct top *top)
{
	bool woken = true;

	while (!top->quit) {
		bool more = turn(top);
		more = turn_trace(top) || more;
		more = top_overview_turn(top, monotonic_now()) || more;
		/* Asking the terminal costs more than a turn that finds nothing. */
		if (woken || monotonic_now() >= top->next_draw)
			take_keys(top);
		unsigned stops = signals_stops_now();
		if (stops != top->stops) {
			top->stops = stops;
			leave(top);
		}
		uint64_t now = monotonic_now();
		if (signals_passed_term() || (top->attached && top->session.command_until != 0))
			heed_term(top, now);
		if (top->leaving && child_poll(&top->session.child))
			top->quit = true;
		top_record_step(top, now);
		more |= top_flight_step(top, now);
		if (top->clogged)
			terminal_ready(top);
		if (now >= top->next_draw || (top->dirty && !top->clogged))
			redraw(top, now);
		/* Only once: a second request would send SIGTERM to COMMAND. */
		if (!top->leaving && top->options->iterations != 0 &&
		    top->redraws >= top->options->iterations)
			leave(top);
		top->quit |= tty_broken(top->tty);
		woken = more || top->quit || wait_for_more(top);
	}
}
