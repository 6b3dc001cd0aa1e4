/*
 * requests.c - keys that the live view carries out itself, and their table.
 */
#include <fcntl.h>
#include <time.h>

#include "app/fail.h"
#include "app/observe.h"
#include "files/folder.h"
#include "app/top/top.h"
#include "target/processes.h"

/* Selectable delays between redraws. */
static const uint64_t delays[] = {
    50000000, 100000000, 200000000, 500000000, 1000000000, 2000000000, 5000000000, 10000000000};
enum { DELAYS = sizeof(delays) / sizeof(delays[0]) };

/* Add a note to what is being recorded. */
static void put_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct top *top = ctx;

	if (top->record.recording != NULL && !top->record.ending)
		recording_note(top->record.recording, kind, ts, data, len);
	if (top->flight != NULL)
		flight_note(top->flight, kind, ts, data, len);
}

bool top_watch_begin(struct top *top)
{
	top->attached = true;
	session_rewind(&top->session);
	top->observation = observation_create(&(struct observation_options){.session = &top->session,
	    .parts = OBSERVE_WATCH | OBSERVE_ADVICE,
	    .history_budget = watch_history_budget((size_t)top->options->history_mib << 20),
	    .put = put_note,
	    .put_ctx = top});
	if (top->observation == NULL)
		return false;
	top_flight_begin(top);
	if (top->options->code_hz != 0)
		observation_sample_code(top->observation, (unsigned)top->options->code_hz, false);
	return true;
}

/* Change the delay between redraws by one step. */
static void change_delay(struct top *top, enum ui_action action)
{
	int at = 0;

	while (at < DELAYS - 1 && delays[at] < top->delay_ns)
		at++;
	if (action == ACTION_FASTER && at > 0)
		at--;
	else if (action == ACTION_SLOWER && at < DELAYS - 1)
		at++;
	top->delay_ns = delays[at];
	facts_notice(&top->facts, "redraw every %g s", (double)top->delay_ns / 1e9);
}

/* Write a text to a new file in the working directory; `why` follows in the message. */
static void save_text(struct top *top, const char *text, const char *why)
{
	char path[64];
	struct tm tm;
	time_t now = time(NULL);

	if (text == NULL || localtime_r(&now, &tm) == NULL)
		return;
	strftime(path, sizeof(path), "rtevtop-%Y%m%d-%H%M%S.txt", &tm);
	FILE *file = new_file_open(AT_FDCWD, path);
	if (file != NULL)
		fputs(text, file);
	if (file == NULL || !new_file_close(file, AT_FDCWD, path))
		facts_notice(&top->facts, "could not save to %s: %s", path, strerror(errno));
	else
		facts_notice(&top->facts, "saved to %s%s", path, why);
}

static void save_screen(struct top *top, enum ui_action action)
{
	char *text = canvas_dump(top->canvas);

	save_text(top, text, "");
	free(text);
}

/* Put the selection on the terminal's clipboard, else into a file. */
static void copy(struct top *top, enum ui_action action)
{
	char *text = ui_copied(top->ui, top->canvas);
	size_t len = text != NULL ? strlen(text) : 0;

	switch (tty_copy(top->tty, text != NULL ? text : "", len)) {
	case TTY_COPY_SENT:
		facts_notice(&top->facts, "copied %zu bytes to the terminal's clipboard%s", len,
		    getenv("TMUX") != NULL ? ", if tmux has set-clipboard or allow-passthrough on" : "");
		break;
	case TTY_COPY_LONG:
		save_text(top, text, ": too long for the clipboard");
		break;
	case TTY_COPY_UNKNOWN:
		save_text(top, text, ": this terminal has no clipboard");
		break;
	}
	free(text);
}

static void toggle_mouse(struct top *top, enum ui_action action)
{
	bool on = top->settings.no_mouse;

	if (!tty_mouse(top->tty, on)) {
		facts_notice(&top->facts, "this type of terminal has no mouse");
		return;
	}
	top->settings.no_mouse = !on;
	facts_notice(&top->facts,
	    on ? "mouse on; with Shift the terminal selects text" : "mouse off: the terminal selects text");
}

/* Write the current settings to the settings file. */
static void write_settings(struct top *top, enum ui_action action)
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
	if (now.graph != 0 || chosen.graph != 0)
		now.graph = (unsigned)chosen.graph + 1;
	/* Sort order and filter of the sites are not those of other tables. */
	if (!top->trace_alone) {
		strlcpy(now.sort, chosen.sort != NULL ? chosen.sort : "", sizeof(now.sort));
		strlcpy(now.filter, chosen.filter != NULL ? chosen.filter : "", sizeof(now.filter));
	}
	if (settings_write(&now, path, sizeof(path)))
		facts_notice(&top->facts, "wrote %s", path);
	else
		facts_notice(&top->facts, "could not write %s: %s", path, folder_strerror(errno));
}

void top_detach(struct top *top)
{
	if (!top->attached)
		return;
	top_record_stop(top);
	top_flight_close(top);
	top->status = session_close(&top->session, top->status);
	observation_destroy(top->observation);
	top->observation = NULL;
	top->attached = top->seen_event = top->seen_end = false;
	top->others = 0;
	follow_forget(&top->follow);
	facts_reset(&top->facts);
}

/* The pid of the chosen process in our pid namespace.  A forked child of the target may be known by its pid
 * in the target's namespace.  Returns 0 if that child has ended. */
static int64_t chosen_pid(const struct top *top)
{
	int64_t chosen = ui_chosen(top->ui);

	if (!top->attached || top->session.alive == NULL || top->session.state == SESSION_ENDED)
		return chosen;
	return inner_pid(NULL, (pid_t)top->session.pid, (pid_t)chosen);
}

/* Attach to the chosen process.  The present target is left once the new one is open. */
static void attach_chosen(struct top *top, enum ui_action action)
{
	static struct session other;
	const struct target_name name = {.kind = TARGET_PID, .pid = chosen_pid(top)};

	/* The process is open already, with all its history. */
	if (top->attached && top->session.pid == name.pid && top->session.state == SESSION_LIVE) {
		ui_show(top->ui, VIEW_PANES);
		return;
	}
	/* Leaving a COMMAND would mean to wait for its end: its exit status is ours. */
	if (top->attached && top->session.has_child && !child_poll(&top->session.child)) {
		facts_notice(&top->facts, "%s still runs: watch its child with rtevtop %lld elsewhere",
		    top->session.child.name, (long long)ui_chosen(top->ui));
		return;
	}
	if (name.pid == 0) {
		facts_notice(&top->facts, "child %lld has ended", (long long)ui_chosen(top->ui));
		return;
	}
	struct session_options asked = observe_options(top->options);
	asked.target = &name;
	asked.command.argv = NULL;
	asked.wait_ns = 0;
	asked.reads_ahead = true;
	if (session_open(&other, &asked) != EXIT_DONE) {
		facts_notice(&top->facts, "%s", fail_last());
		return;
	}
	top_detach(top);
	top->status = EXIT_DONE;
	top->session = other;
	if (!top_watch_begin(top)) {
		facts_notice(&top->facts, "could not attach to %lld: out of memory", (long long)name.pid);
		return;
	}
	ui_show(top->ui, VIEW_PANES);
}

static void reset(struct top *top, enum ui_action action)
{
	top_record_count(top);
	if (top->observation != NULL)
		model_reset(top->observation->model);
	facts_notice(&top->facts, "counts begin anew now%s",
	    ui_frozen(top->ui) ? "; the frozen picture is older" : "");
}

static void mark(struct top *top, enum ui_action action)
{
	follow_mark(&top->follow);
}

/* Start or stop to sample the program's code. */
static void sample_code(struct top *top, enum ui_action action)
{
	struct observation *o = top->observation;

	if (o == NULL)
		return;
	if (o->code.hz != 0) {
		observation_sample_code(o, 0, false);
		facts_notice(&top->facts, "sampling of the code has stopped; c shows what was seen");
		return;
	}
	if (top->session.state != SESSION_LIVE) {
		facts_notice(&top->facts, "the target has ended: there is no code to sample");
		return;
	}
	top->facts.code_refused = false;
	top->facts.code_asked = observation_sample_code(
	    o, top->options->code_hz != 0 ? (unsigned)top->options->code_hz : CODE_HZ, false);
	if (top->facts.code_asked)
		facts_notice(&top->facts, "sampling the program's code begins");
}

typedef void (*top_request)(struct top *top, enum ui_action action);

/* The actions for every kind of target, and those for processes only. */
static const struct {
	enum ui_action action;
	bool live;
	top_request carry_out;
} requests[] = {
    {ACTION_FASTER, false, change_delay},
    {ACTION_SLOWER, false, change_delay},
    {ACTION_RESET, false, reset},
    {ACTION_SAVE, false, save_screen},
    {ACTION_COPY, false, copy},
    {ACTION_MOUSE, false, toggle_mouse},
    {ACTION_WRITE, false, write_settings},
    {ACTION_MARK, false, mark},
    {ACTION_OPEN, true, attach_chosen},
    {ACTION_RECORD, true, top_record_toggle},
    {ACTION_CODE, true, sample_code},
};

/* Return the function for an action; NULL: there is none. */
static top_request request_of(const struct top *top, enum ui_action action)
{
	if (action_is_replay(action))
		return top->replay != NULL ? top_replay_key : NULL;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (requests[i].action == action && !(requests[i].live && top->replay != NULL))
			return requests[i].carry_out;
	return NULL;
}

void top_offers(const struct top *top, bool offers[ACTION_COUNT])
{
	for (int a = 0; a < ACTION_COUNT; a++)
		offers[a] = request_of(top, (enum ui_action)a) != NULL;
}

void top_carry_out(struct top *top, enum ui_action action)
{
	const top_request request = request_of(top, action);

	if (request == NULL)
		return;
	top->dirty = true;
	request(top, action);
}
