/*
 * run.c - the live view: set it up, run the loop, clean up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "session/guard.h"
#include "app/top/top.h"
#include "target/processes.h"
#include "tty/characters.h"
#include "tty/sink.h"

#define DELAY_DEFAULT_NS 500000000u

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

	fail_message(remedy, "could not show the %s: %s", top->replay != NULL ? "replay" : "live view",
	    tty_strerror(status));
}

static struct tty_options terminal_options(const struct top *top)
{
	const char *no_color = getenv("NO_COLOR");

	return (struct tty_options){
	    .in = STDIN_FILENO,
	    .out = STDOUT_FILENO,
	    .term = getenv("TERM"),
	    .utf8 = characters_utf8(),
	    .ascii = top->settings.ascii,
	    .no_color = top->settings.no_color || (no_color != NULL && no_color[0] != '\0'),
	};
}

/* Check that the terminal can be opened, before a COMMAND is started.  Returns false after reporting why
 * not. */
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

	/* The SIGBUS handler of the terminal leaves the screen: ours must be called first. */
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
	top->delay_ns = s->delay_ns != 0 ? s->delay_ns : DELAY_DEFAULT_NS;
	/* Sort order and filter of the file are for tables of a target. */
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
	const char *table = view == VIEW_SITES	  ? "sites"
			    : view == VIEW_CHOOSE ? "overview's"
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

/* Print a line after the live view has ended, without blocking on a stuck terminal. */
static void say_at_end(const char *line, size_t len)
{
	struct sink_out out = sink_out_open(STDERR_FILENO);

	sink_write(out, line, len, false);
	sink_out_close(out, STDERR_FILENO);
}

int top_run(const struct options *options)
{
	static struct top top;
	struct options own;

	top.options = demo_options(options, &own);
	top.trace_alone = options->command->memtrace;
	bool choose = top.options->target_count != 1 && top.options->run == NULL;
	enum ui_view view = top.trace_alone ? VIEW_SITES : choose ? VIEW_CHOOSE : VIEW_PANES;
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
	const char *sort = top.trace_alone ? options->sort : top.settings.sort;
	const char *filter = top.trace_alone ? options->filter : top.settings.filter;
	bool offers[ACTION_COUNT];
	top_offers(&top, offers);
	const struct ui_options ui_options = {
	    .view = view,
	    .window_ns = top.settings.window_ns,
	    .timeline = top.settings.timeline,
	    .wall_scale = top.settings.wall_scale,
	    .log_scale = top.settings.log_scale,
	    .sort = sort != NULL && sort[0] != '\0' ? sort : NULL,
	    .filter = filter != NULL && filter[0] != '\0' ? filter : NULL,
	    .offers = offers,
	    .named = options->target_count != 0,
	    .hidden = choose && geteuid() != 0 ? processes_hidden(NULL) : 0,
	};
	top.status = EXIT_FAILED;
	top.ui = ui_create(&ui_options);
	top.canvas = canvas_create(0, 0);
	if (top.ui == NULL || top.canvas == NULL ||
	    (!choose && !top.trace_alone && top.replay == NULL && !top_watch_begin(&top)))
		fail_message(NULL, "could not show the live view: out of memory");
	else if (terminal_open(&top))
		top.status = EXIT_DONE;
	bool shown = top.status == EXIT_DONE;
	/* What was overwritten while the terminal was opened is history as well. */
	if (shown && top.attached)
		session_rewind(&top.session);
	if (shown)
		top_loop(&top);
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
