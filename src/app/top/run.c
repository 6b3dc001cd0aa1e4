/*
 * run.c - the live view: set it up, run its loop, clean up.
 */
#include <signal.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "app/top/top.h"
#include "core/clock.h"
#include "session/guard.h"
#include "launch/signals.h"
#include "target/processes.h"
#include "tty/characters.h"
#include "tty/sink.h"

#define DELAY_DEFAULT_NS 500000000u
#define REPLAY_PACE_NS 20000000u /* time between two turns of a replay */
#define TERM_WAIT_NS 2000000000u /* time that COMMAND has to end after a SIGTERM passed on to it */
#define FOLLOW_EVENTS 131072u	 /* events of a timeline in a turn */

/* ---- the terminal and the target ---- */

/* Report why the terminal can't be used. */
static void terminal_report(const struct top *top, enum tty_status status)
{
	const char *remedy =
	    status == TTY_UNKNOWN ? "Most terminals understand xterm: try `TERM=xterm rtevtop ...`."
	    : top->trace_alone	  ? "`rtevtop memtrace --top 10 FILE` needs no terminal."
	    : top->replay != NULL
		? "`rtevtop stats FILE.fxt` needs no terminal; Perfetto (https://ui.perfetto.dev) opens a "
		  "recording as well."
		: "`rtevtop -b`, `rtevtop stats` and `rtevtop log` need no terminal.";

	say(remedy, "could not show the %s: %s", top->replay != NULL ? "replay" : "live view",
	    tty_strerror(status));
}

static struct tty_options terminal_options(const struct top *top)
{
#define THEME_OF_WORD(theme, word) theme,
	static const enum theme_id themes[] = {THEME_256, THEME_WORDS(THEME_OF_WORD)};
#undef THEME_OF_WORD
	const char *no_color = getenv("NO_COLOR"), *tmux = getenv("TMUX");

	return (struct tty_options){
	    .in = STDIN_FILENO,
	    .out = STDOUT_FILENO,
	    .term = getenv("TERM"),
	    .utf8 = characters_utf8(),
	    .ascii = top->settings.ascii,
	    .mouse = !top->settings.no_mouse,
	    .no_sync = top->settings.no_sync,
	    .theme = themes[top->settings.theme],
	    .tmux = tmux != NULL && tmux[0] != '\0',
	    .no_color = top->settings.no_color || (no_color != NULL && no_color[0] != '\0'),
	};
}

/* Check that the terminal can be opened, before a COMMAND is started.  Returns false after reporting why not. */
static bool terminal_check(const struct top *top)
{
	const struct tty_options options = terminal_options(top);
	enum tty_status status = tty_check(&options);

	if (status != TTY_OK)
		terminal_report(top, status);
	return status == TTY_OK;
}

/* Open the terminal.  Returns false after reporting why not. */
static bool terminal_open(struct top *top)
{
	const struct tty_options options = terminal_options(top);

	/* The terminal's SIGBUS handler leaves the screen, so ours must be called before it. */
	guard_remove();
	enum tty_status status = tty_open(&top->tty, &options);
	guard_install();
	if (status != TTY_OK)
		terminal_report(top, status);
	return status == TTY_OK;
}

/* Fill in the COMMAND of --demo: this program with the demo's options. */
static const struct options *demo_options(const struct options *options, struct options *own)
{
	static char program[4096], demo[] = "demo", pause[] = "--pause";
	static char domains[32], rate[40], seed[40];
	static char *run[] = {program, demo, domains, rate, seed, NULL, NULL};

	if (!options->demo)
		return options;
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	strlcpy(program + (length > 0 ? length : 0), length > 0 ? "" : "rtevtop", 8);
	snprintf(domains, sizeof(domains), "--domains=%" PRIu64, options->domains);
	snprintf(rate, sizeof(rate), "--rate=%" PRIu64, options->rate);
	snprintf(seed, sizeof(seed), "--seed=%" PRIu64, options->seed);
	run[5] = options->pause ? pause : NULL;
	*own = *options;
	own->run = run;
	return own;
}

/* Read the settings file; options override it. */
static void settings_begin(struct top *top)
{
	const struct options *o = top->options;
	struct settings *s = &top->settings;

	settings_read(s);
	if (o->delay_ns != 0)
		s->delay_ns = o->delay_ns;
	s->ascii |= o->ascii;
	s->no_color |= o->no_color;
	s->no_mouse |= o->no_mouse;
	s->no_sync |= o->no_sync;
	s->theme = o->theme != 0 ? o->theme : s->theme;
	s->graph = o->graph != 0 ? o->graph : s->graph;
	top->delay_ns = s->delay_ns != 0 ? s->delay_ns : DELAY_DEFAULT_NS;
	/* Sort order and filter of the settings are for tables of a target. */
	if (top->trace_alone)
		return;
	if (o->sort != NULL)
		strlcpy(s->sort, o->sort, sizeof(s->sort));
	if (o->filter != NULL)
		strlcpy(s->filter, o->filter, sizeof(s->filter));
}

/* Open a memtrace file alone.  Returns 0, or an exit status after reporting why. */
static int trace_open(struct top *top)
{
	follow_turn(&top->follow, 0, 0);
	if (!top->follow.subject.exists) {
		const struct rtev_memtrace_fault fault = {.size = sizeof(fault), .status = RTEV_E_NOENT};
		return fail_memtrace(top->options->target, &fault);
	}
	/* A file without a readable beginning is reported now: it may be of another kind. */
	return top->follow.reader == NULL ? follow_report(&top->follow, EXIT_DONE) : EXIT_DONE;
}

/* Open a memtrace file, a recording, or a session.  Returns 0, or an exit status after reporting why. */
static int target_open(struct top *top)
{
	static struct replay replay;
	const struct options *o = top->options;

	if (top->trace_alone)
		return trace_open(top);
	if (o->file.kind != TARGET_FILE_FXT) {
		struct session_options asked = observe_options(o);
		asked.command.output = CHILD_OUTPUT_CAPTURE;
		asked.reads_ahead = true;
		asked.waits_open = true;
		return session_open(&top->session, &asked);
	}
	if (o->ocaml != NULL)
		return fail_usage("--ocaml: a recording knows its events by their names");
	int status = replay_open(
	    &replay, o->file.path, o->file.fd, watch_history_budget((size_t)o->history_mib << 20));
	if (status == EXIT_DONE)
		top->replay = &replay;
	return status;
}

/* Report an unknown column and list the columns of the table.  Returns EXIT_USAGE. */
static int sort_unknown(enum ui_view view, const char *sort)
{
	const char *table = view == VIEW_SITES	    ? "sites"
			    : view == VIEW_OVERVIEW ? "overview's"
						    : "domain",
		   *name;
	char names[512] = "";

	for (int c = 0; (name = ui_sort_name(view, c)) != NULL; c++) {
		if (name[0] == '\0')
			continue;
		strlcat(names, c == 0 ? "" : ", ", sizeof(names));
		strlcat(names, name, sizeof(names));
	}
	return fail_usage("--sort %s: no column of the %s table: %s", sort, table, names);
}

/* ---- the loop ---- */

/* Show that only COMMAND's end is awaited. */
static void say_waiting(struct top *top)
{
	facts_notice(&top->facts, "waiting for %s to end; q again sends it SIGTERM", top->session.child.name);
}

/* Quit.  While COMMAND runs, the first request only stops waiting for keys; COMMAND gets SIGTERM at the
 * second.  The demo ends with us. */
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

/* COMMAND was passed our SIGTERM: wait a short time for its end. */
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
		if (ui_shows(top->ui) == VIEW_MEMORY && !ui_frozen(top->ui))
			observation_memory(o, now, false);
		observation_advance(o, now);
	}
	if (top->replay == NULL && o != NULL)
		top->facts.subject.headline = *observation_headline(o, now);
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
		/* A freeze needs all values to be of one moment. */
		if (!fresh)
			gather(top, monotonic_now());
		fresh = true;
		unsigned reactions = key == UI_KEY_MOUSE
					 ? ui_point(top->ui, &top->facts.subject, tty_pointer(top->tty))
					 : ui_press(top->ui, &top->facts.subject, key);
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
	/* The wait for its ring was in vain. */
	if (s->state == SESSION_ENDED && s->cursor == NULL && !s->has_child && !s->off)
		top->quit = true;
	/* Draw at once when the first events come: from then on the timelines follow them. */
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
	/* A terminal that has gone away may send no signal. */
	for (nfds_t i = 0; i < terminal; i++)
		if (fds[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			top->quit = true;
	return ready != 0;
}

/* Wait in one place for keys, signals, the end of the target, and the next turn, until the user quits or the
 * view ends. */
static void loop(struct top *top)
{
	bool woken = true;

	while (!top->quit) {
		bool more = turn(top);
		more = turn_trace(top) || more;
		more = top_overview_turn(top, monotonic_now()) || more;
		/* Checking the terminal costs more than a turn that finds nothing. */
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

/* ---- all of it ---- */

/* Print a line after the live view has ended, without blocking on a stuck terminal. */
static void say_at_end(const char *line, size_t len)
{
	struct sink_out out = sink_out_open(STDERR_FILENO);

	sink_write(out, line, len, false);
	sink_out_close(out, STDERR_FILENO);
}

/* Create the view with the settings that were read.  NULL when memory ran out. */
static struct ui *make_ui(const struct top *top, const struct options *options, enum ui_view view)
{
	const char *sort = top->trace_alone ? options->sort : top->settings.sort;
	const char *filter = top->trace_alone ? options->filter : top->settings.filter;
	bool offers[ACTION_COUNT];

	top_offers(top, offers);
	return ui_create(&(const struct ui_options){
	    .view = view,
	    .window_ns = top->settings.window_ns,
	    .timeline = top->settings.timeline,
	    .wall_scale = top->settings.wall_scale,
	    .log_scale = top->settings.log_scale,
	    .graph = (enum theme_graph)(top->settings.graph != 0 ? top->settings.graph - 1 : 0),
	    .sort = sort != NULL && sort[0] != '\0' ? sort : NULL,
	    .filter = filter != NULL && filter[0] != '\0' ? filter : NULL,
	    .offers = offers,
	    .named = options->target_count != 0,
	    .hidden = view == VIEW_OVERVIEW && geteuid() != 0 ? processes_hidden(NULL) : 0,
	});
}

int top_run(const struct options *options)
{
	static struct top top;
	struct options own;

	top.options = demo_options(options, &own);
	top.trace_alone = options->command->memtrace;
	bool choose = top.options->target_count != 1 && top.options->run == NULL;
	enum ui_view view = top.trace_alone ? VIEW_SITES : choose ? VIEW_OVERVIEW : VIEW_PANES;
	if (options->sort != NULL && !ui_sort_known(view, options->sort))
		return sort_unknown(view, options->sort);
	if (options->list)
		return command_list.run(options);
	facts_init(&top.facts);
	settings_begin(&top);
	if (top.options->run != NULL && !terminal_check(&top))
		return EXIT_FAILED;
	follow_begin(&top.follow, top.trace_alone ? options->target : options->memtrace);
	int status = choose ? top_overview_open(&top) : target_open(&top);
	if (status != EXIT_DONE)
		return status;
	top.status = EXIT_FAILED;
	top.ui = make_ui(&top, options, view);
	top.canvas = canvas_create(0, 0);
	if (top.ui == NULL || top.canvas == NULL ||
	    (!choose && !top.trace_alone && top.replay == NULL && !top_watch_begin(&top)))
		say(NULL, "could not show the live view: out of memory");
	else if (terminal_open(&top))
		top.status = EXIT_DONE;
	bool shown = top.status == EXIT_DONE;
	/* What was overwritten while the terminal was opened is history as well. */
	if (shown && top.attached)
		session_rewind(&top.session);
	if (shown)
		loop(&top);
	bool broken = shown && tty_broken(top.tty);
	tty_close(top.tty);
	fail_divert(say_at_end);
	if (broken) {
		terminal_report(&top, TTY_NO_MEMORY);
		top.status = EXIT_FAILED;
	}
	if (shown)
		top.status = follow_report(&top.follow, top.status);
	top_detach(&top);
	top_flight_report(&top);
	top_record_close(&top);
	top.status = top_overview_close(&top, top.status);
	if (top.replay != NULL)
		top.status = replay_close(top.replay, top.status);
	follow_end(&top.follow);
	facts_fini(&top.facts);
	ui_destroy(top.ui);
	canvas_destroy(top.canvas);
	return top.status;
}
