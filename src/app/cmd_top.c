/*
 * cmd_top.c - the live view: what it begins with and what it gives back.
 */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/fail.h"
#include "app/fxt_file.h"
#include "app/guard.h"
#include "app/top.h"

#define DELAY_DEFAULT_NS 500000000u

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

/* Open what is to be shown: a recording, or a target of a session.  0, or an exit status after the reason was reported. */
static int open_target(struct top *top)
{
	static struct replay replay;
	const struct options *o = top->options;
	struct target_name name;

	if (o->run != NULL || !target_name_parse(&name, o->target) || name.kind != TARGET_FILE ||
	    !fxt_file_is(name.path))
		return session_open(&top->session, o, RTEV_START_OLDEST, CHILD_OUTPUT_CAPTURE);
	if (o->ocaml != NULL)
		return fail_usage("--ocaml: a recording knows its events by their names");
	int status = replay_open(&replay, name.path);
	if (status == EXIT_DONE)
		top->replay = &replay;
	return status;
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
	if (options->sort != NULL && !ui_sort_known(VIEW_DOMAINS, options->sort))
		return fail_usage("--sort %s: no column of the domain table", options->sort);
	if (!choose) {
		int status = open_target(&top);
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
	    .requests = top_requests(&top),
	};
	top.status = EXIT_FAILED;
	top.ui = ui_create(&ui_options);
	top.canvas = canvas_create(0, 0);
	if (top.ui == NULL || top.canvas == NULL || (!choose && top.replay == NULL && !top_watch_begin(&top)))
		fail_message(NULL, "could not show the live view: out of memory");
	else if (terminal_open(&top))
		top.status = EXIT_DONE;
	if (top.status == EXIT_DONE)
		top_loop(&top);
	tty_close(top.tty);
	top_detach(&top);
	top_record_close(&top);
	if (top.replay != NULL)
		top.status = replay_close(top.replay, top.status);
	facts_fini(&top.facts);
	ui_destroy(top.ui);
	canvas_destroy(top.canvas);
	return top.status;
}
