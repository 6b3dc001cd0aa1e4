/*
 * cmd_top.c - the live view: one loop that waits in one place for keys, signals, the target's end, and the next turn.
 *
 * A turn reads the rings; a redraw, at its own pace, shows what has been read.  The two share nothing but the watch.
 */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/facts.h"
#include "app/fail.h"
#include "app/guard.h"
#include "app/session.h"
#include "app/settings.h"
#include "app/signals.h"
#include "tty/tty.h"
#include "ui/ui.h"

#define DELAY_DEFAULT_NS 500000000u
#define EVENT_DELAY_NS 20000000u /* an event may take so long from its stamp to its ring */
#define LIST_NS 2000000000u	 /* between two looks at the list of processes */

struct top {
	const struct options *options;
	struct settings settings; /* as begun with: file, then options */
	struct options chosen;	  /* the options with the target that was chosen from the list */
	char chosen_target[32];
	struct session session;
	bool attached; /* there is a session */
	bool seen_end; /* the target has ended and everything of it has been read */
	bool leaving;  /* only COMMAND's end is waited for */
	struct watch *watch;
	struct session_sink sink;
	struct facts facts;
	struct ui *ui;
	struct tty *tty;
	struct canvas *canvas;
	uint64_t delay_ns;
	uint64_t watermark; /* all events stamped before it have been read */
	uint64_t next_draw;
	uint64_t next_list;
	uint64_t redraws;
	unsigned stops; /* signals seen */
	bool dirty, quit;
	int status;
};

/* The steps of the delay between redraws. */
static const uint64_t delays[] = {
    50000000, 100000000, 200000000, 500000000, 1000000000, 2000000000, 5000000000, 10000000000};
enum { DELAYS = sizeof(delays) / sizeof(delays[0]) };

/* A resume was found ahead of its event. */
static void on_resume(void *ctx, uint64_t ts)
{
	model_resume_at(ctx, ts);
}

/* Another cursor follows. */
static void on_reopened(void *ctx)
{
	model_reattach(ctx);
}

/* Make the watch of a session that has just been opened. */
static bool watch_begin(struct top *top)
{
	const struct watch_options options = {
	    .attach_ts = top->session.pid != 0 ? top->session.attach_ts : 0};

	top->attached = true;
	top->watch = watch_create(&options);
	if (top->watch == NULL)
		return false;
	top->sink = (struct session_sink){
	    .ctx = watch_model(top->watch), .resume = on_resume, .reopened = on_reopened};
	model_callbacks(&top->sink.calls);
	return true;
}

/* Open the terminal.  False after the reason was reported. */
static bool terminal_open(struct top *top)
{
	const char *no_color = getenv("NO_COLOR");
	const struct tty_options options = {
	    .in = STDIN_FILENO,
	    .out = STDOUT_FILENO,
	    .term = getenv("TERM"),
	    .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	    .ascii = top->settings.ascii,
	    .no_color = top->settings.no_color || (no_color != NULL && no_color[0] != '\0'),
	};

	/* The terminal's handler for SIGBUS gives up the screen, so ours must stand in front of it. */
	guard_remove();
	enum tty_status status = tty_open(&top->tty, &options);
	guard_install();
	if (status == TTY_OK)
		return true;
	fail_message("`rtevtop stats` and `rtevtop log` need no terminal.",
	    "could not show the live view: %s", tty_strerror(status));
	return false;
}

/* Change the delay between redraws by one step. */
static void delay_step(struct top *top, int direction)
{
	int at = 0;

	while (at < DELAYS - 1 && delays[at] < top->delay_ns)
		at++;
	if (direction < 0 && at > 0)
		at--;
	else if (direction > 0 && at < DELAYS - 1)
		at++;
	top->delay_ns = delays[at];
	facts_notice(&top->facts, "redraw every %g s", (double)top->delay_ns / 1e9);
}

/* Write the screen to a new file in the working directory. */
static void save_screen(struct top *top)
{
	char path[64];
	struct tm tm;
	time_t now = time(NULL);
	char *text = canvas_dump(top->canvas);

	if (text == NULL || localtime_r(&now, &tm) == NULL) {
		free(text);
		return;
	}
	strftime(path, sizeof(path), "rtevtop-%Y%m%d-%H%M%S.txt", &tm);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
		facts_notice(&top->facts, "could not save to %s: %s", path, strerror(errno));
	else
		facts_notice(&top->facts, "saved to %s", path);
	free(text);
}

/* Write what the user has chosen to the settings file. */
static void write_settings(struct top *top)
{
	struct settings now = top->settings;
	struct ui_options chosen;
	char path[4096] = "the settings file";

	ui_settings(top->ui, &chosen);
	now.delay_ns = top->delay_ns;
	now.window_ns = chosen.window_ns;
	now.timeline = chosen.timeline;
	now.wall_scale = chosen.wall_scale;
	now.log_scale = chosen.log_scale;
	strlcpy(now.sort, chosen.sort != NULL ? chosen.sort : "", sizeof(now.sort));
	strlcpy(now.filter, chosen.filter != NULL ? chosen.filter : "", sizeof(now.filter));
	if (settings_write(&now, path, sizeof(path)))
		facts_notice(&top->facts, "wrote %s", path);
	else
		facts_notice(&top->facts, "could not write %s: %s", path, strerror(errno));
}

/* Leave the target, if there is one. */
static void detach(struct top *top)
{
	if (!top->attached)
		return;
	top->status = session_close(&top->session, top->status);
	watch_destroy(top->watch);
	top->watch = NULL;
	top->attached = top->seen_end = false;
	facts_reset(&top->facts);
}

/* Attach to the process that was chosen from the list. */
static void attach_chosen(struct top *top)
{
	/* Leaving a COMMAND means waiting for its end, and its status is ours to pass on. */
	if (top->attached && top->session.has_child && !child_poll(&top->session.child)) {
		facts_notice(&top->facts, "%s still runs: watch its child with rtevtop %lld elsewhere",
		    top->session.options->run[0], (long long)ui_chosen(top->ui));
		return;
	}
	detach(top);
	top->chosen = *top->options;
	snprintf(top->chosen_target, sizeof(top->chosen_target), "%lld", (long long)ui_chosen(top->ui));
	top->chosen.target = top->chosen_target;
	top->status = EXIT_DONE;
	int status = session_open(&top->session, &top->chosen, RTEV_START_OLDEST, CHILD_OUTPUT_CAPTURE);
	if (status != EXIT_DONE || !watch_begin(top)) {
		facts_notice(&top->facts, "could not attach to %s", top->chosen_target);
		return;
	}
	ui_show(top->ui, VIEW_PANES);
}

/* Carry out what a key asked for. */
static void carry_out(struct top *top, enum ui_request request)
{
	switch (request) {
	case UI_REQUEST_FASTER:
		delay_step(top, -1);
		break;
	case UI_REQUEST_SLOWER:
		delay_step(top, 1);
		break;
	case UI_REQUEST_RESET:
		if (top->watch != NULL)
			model_reset(watch_model(top->watch));
		break;
	case UI_REQUEST_SAVE:
		save_screen(top);
		break;
	case UI_REQUEST_ATTACH:
		attach_chosen(top);
		break;
	case UI_REQUEST_REFRESH:
		top->next_list = 0;
		break;
	case UI_REQUEST_WRITE:
		write_settings(top);
		break;
	case UI_REQUEST_RECORD:
	case UI_REQUEST_NONE:
		break;
	}
	top->dirty = true;
}

/* End, or begin to: a COMMAND runs on until its end, and a second wish to end goes to it as SIGTERM. */
static void leave(struct top *top)
{
	struct session *s = &top->session;

	if (!top->attached || !s->has_child || child_poll(&s->child)) {
		top->quit = true;
	} else if (!top->leaving) {
		top->leaving = true;
		facts_notice(
		    &top->facts, "waiting for %s to end; q again sends it SIGTERM", s->options->run[0]);
	} else {
		kill(s->child.pid, SIGTERM);
		facts_notice(&top->facts, "sent SIGTERM to %s", s->options->run[0]);
	}
	top->dirty = true;
}

/* Take all keys that have come. */
static void take_keys(struct top *top)
{
	ui_key key;

	while (!top->quit && (key = tty_key(top->tty)) != UI_KEY_NONE) {
		if (key == UI_KEY_RESIZE) {
			top->dirty = true;
			continue;
		}
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
		enum ui_request request;
		while ((request = ui_request(top->ui)) != UI_REQUEST_NONE)
			carry_out(top, request);
	}
}

/* Read the rings once; true when there is more to read now. */
static bool turn(struct top *top)
{
	struct session *s = &top->session;
	bool more = false;

	if (!top->attached || top->seen_end)
		return false;
	session_check(s);
	bool last = s->state != SESSION_LIVE;
	uint64_t before = signals_now();
	session_turn(s, &top->sink, &more, NULL);
	if (!more) {
		model_drained(watch_model(top->watch));
		top->watermark = before - EVENT_DELAY_NS;
	}
	if (s->has_child)
		facts_take_output(&top->facts, s->child.output);
	if (last && !more) {
		top->seen_end = true;
		top->dirty = true;
		watch_finish(top->watch);
	}
	return more;
}

/* Show what has been read. */
static void redraw(struct top *top, uint64_t now)
{
	int row, col;

	if (!top->attached && now >= top->next_list) {
		facts_list(&top->facts, top->options->dir);
		top->next_list = now + LIST_NS;
	}
	facts_gather(&top->facts, top->attached ? &top->session : NULL, top->watch, top->delay_ns);
	if (top->watch != NULL && !top->seen_end)
		watch_advance(top->watch, now, top->watermark);
	if (!tty_fit(top->tty, top->canvas))
		return;
	ui_draw(top->ui, &top->facts.subject, top->canvas);
	if (ui_cursor(top->ui, &row, &col))
		tty_cursor(top->tty, row, col);
	else
		tty_cursor(top->tty, -1, 0);
	tty_flush(top->tty, top->canvas);
	top->dirty = false;
	top->redraws++;
	top->next_draw = now + top->delay_ns;
}

/* Wait until there is something to do. */
static void wait_for_more(struct top *top)
{
	struct pollfd fds[SESSION_FDS + 2];
	nfds_t count = 0;
	uint64_t now = signals_now();
	uint64_t timeout = top->next_draw > now ? top->next_draw - now : 0;

	fds[count++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
	if (top->attached && !top->seen_end) {
		if (session_pace(&top->session) < timeout)
			timeout = session_pace(&top->session);
		count += session_fds(&top->session, fds + count);
		if (top->session.has_child && top->session.child.output >= 0)
			fds[count++] = (struct pollfd){.fd = top->session.child.output, .events = POLLIN};
	}
	signals_wait(fds, count, timeout);
	/* A terminal that is gone is a wish to end that no signal may have told. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		top->quit = true;
}

/* Turn, take keys and signals, redraw, until it is over. */
static void loop(struct top *top)
{
	while (!top->quit) {
		bool more = turn(top);
		take_keys(top);
		if (signals_stops() != top->stops) {
			top->stops = signals_stops();
			leave(top);
		}
		if (top->leaving && child_poll(&top->session.child))
			top->quit = true;
		uint64_t now = signals_now();
		if (top->dirty || now >= top->next_draw)
			redraw(top, now);
		if (top->options->iterations != 0 && top->redraws >= top->options->iterations)
			leave(top);
		if (!more && !top->quit)
			wait_for_more(top);
	}
}

/* Say what a demo is: this very program, by its own name. */
static const struct options *demo_options(const struct options *options, struct options *own)
{
	static char program[4096], demo[] = "demo", pause[] = "--pause";
	static char *run[] = {program, demo, pause, NULL};

	if (!options->demo)
		return options;
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	strlcpy(program + (length > 0 ? length : 0), length > 0 ? "" : "rtevtop", 8);
	*own = *options;
	own->run = run;
	return own;
}

/* Begin with the settings file, and let the options win. */
static void settings_begin(struct top *top)
{
	const struct options *o = top->options;
	struct settings *s = &top->settings;

	settings_read(s);
	if (o->delay_ns != 0)
		s->delay_ns = o->delay_ns;
	s->ascii |= o->ascii;
	s->no_color |= o->no_color;
	if (o->sort != NULL)
		strlcpy(s->sort, o->sort, sizeof(s->sort));
	if (o->filter != NULL)
		strlcpy(s->filter, o->filter, sizeof(s->filter));
	top->delay_ns = s->delay_ns != 0 ? s->delay_ns : DELAY_DEFAULT_NS;
}

/* Run the live view. */
int command_top(const struct options *options)
{
	static struct top top;
	struct options own;

	top.options = demo_options(options, &own);
	bool choose = top.options->target == NULL && top.options->run == NULL;
	if (choose && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return command_list(options);
	facts_init(&top.facts);
	settings_begin(&top);
	if (options->sort != NULL && !ui_sort_known(options->sort))
		return fail_usage("--sort %s: no column of the domain table", options->sort);
	if (!choose) {
		int status = session_open(&top.session, top.options, RTEV_START_OLDEST, CHILD_OUTPUT_CAPTURE);
		if (status != EXIT_DONE)
			return status;
	}
	const struct ui_options ui_options = {
	    .view = choose ? VIEW_CHOOSE : VIEW_PANES,
	    .window_ns = top.settings.window_ns,
	    .timeline = top.settings.timeline,
	    .wall_scale = top.settings.wall_scale,
	    .log_scale = top.settings.log_scale,
	    .sort = top.settings.sort[0] != '\0' ? top.settings.sort : NULL,
	    .filter = top.settings.filter[0] != '\0' ? top.settings.filter : NULL,
	    .requests = 1u << UI_REQUEST_FASTER | 1u << UI_REQUEST_SLOWER | 1u << UI_REQUEST_RESET |
			1u << UI_REQUEST_SAVE | 1u << UI_REQUEST_WRITE | 1u << UI_REQUEST_ATTACH |
			1u << UI_REQUEST_REFRESH,
	};
	top.status = EXIT_FAILED;
	top.ui = ui_create(&ui_options);
	top.canvas = canvas_create(0, 0);
	if (top.ui == NULL || top.canvas == NULL || (!choose && !watch_begin(&top)))
		fail_message(NULL, "could not show the live view: out of memory");
	else if (terminal_open(&top))
		top.status = EXIT_DONE;
	if (top.status == EXIT_DONE)
		loop(&top);
	tty_close(top.tty);
	detach(&top);
	facts_fini(&top.facts);
	ui_destroy(top.ui);
	canvas_destroy(top.canvas);
	return top.status;
}
