/*
 * record_on_pause.c - rtevtop record --on-pause: observe a live target, and write a file for each long pause.
 *
 * A line on standard output tells each file; at the end, standard error tells how many pauses have no file.
 */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "observation/observation.h"
#include "files/folder.h"
#include "record/flight.h"
#include "app/flight_failures.h"
#include "session/live.h"
#include "print/out.h"
#include "core/clock.h"

#define PROGRESS_NS 500000000u
#define ROOM_STEPS 16 /* steps of the recorder without room between two checks for signals */

/* The state of one run. */
struct watching {
	const struct options *options;
	struct session session;
	struct observation *observation;
	struct flight *flight;
	struct out out;
	struct progress progress;
	struct flight_failures failures;
	uint64_t next_progress;
	int status;
};

/* Print a line for a file. */
static void on_file(void *ctx, const struct flight_file *file)
{
	struct watching *w = ctx;
	char line[4096];

	/* Standard error and standard output may be the same terminal. */
	progress_clear(&w->progress);
	if (file->made) {
		flight_line(file, line, sizeof(line));
		out_foreign(&w->out, file->path, strlen(file->path));
		out_char(&w->out, '\t');
		out_text(&w->out, line);
		out_char(&w->out, '\n');
		out_flush(&w->out);
	}
	if (file->error != 0 || file->status != RTEV_OK)
		w->status = EXIT_FAILED;
	if (flight_failures_note(&w->failures, file))
		flight_failures_tell(&w->failures);
}

/* Show the progress, now and then. */
static void progress(struct watching *w, uint64_t now, bool last)
{
	struct flight_totals f;

	if (now < w->next_progress && !last)
		return;
	w->next_progress = now + PROGRESS_NS;
	const struct model_totals t = model_totals(w->observation->model);
	flight_totals(w->flight, &f);
	progress_show(&w->progress, "watching %.1f s  %llu events  %.1f MB kept  %llu files  lost %llu words",
	    (double)(now - w->session.attach_ts) / 1e9, (unsigned long long)t.events, (double)f.bytes / 1e6,
	    (unsigned long long)f.files, (unsigned long long)t.lost_words);
}

static bool going_on(void *ctx)
{
	const struct watching *w = ctx;

	return model_status(w->observation->model) == RTEV_OK && flight_status(w->flight) == RTEV_OK &&
	       w->out.error == 0;
}

/* Whether the store has room; if not, let the recorder work first. */
static bool room(void *ctx, uint64_t now)
{
	struct watching *w = ctx;

	for (int i = 0; i < ROOM_STEPS && !flight_room(w->flight); i++)
		if (!flight_step(w->flight, now, w->observation->watermark))
			return false;
	return flight_room(w->flight);
}

/* Give the recorder a note. */
static void put_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	const struct watching *w = ctx;

	flight_note(w->flight, kind, ts, data, len);
}

static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct watching *w = ctx;

	*more = observation_turn(w->observation, now, NULL);
	bool busy = flight_step(w->flight, monotonic_now(), w->observation->watermark);
	progress(w, now, false);
	return busy;
}

/* Write the last files and report. */
static void finish(struct watching *w)
{
	struct flight_totals f;
	bool running = w->session.state == SESSION_LIVE;

	observation_finish(w->observation);
	const struct model_totals t = model_totals(w->observation->model);
	flight_end(w->flight, running ? t.now : t.last_ts);
	progress(w, monotonic_now(), true);
	progress_end(&w->progress);
	flight_finish(w->flight);
	flight_totals(w->flight, &f);
	flight_failures_tell(&w->failures);
	if (fail_output(w->out.error, "to standard output") != EXIT_DONE)
		w->status = EXIT_FAILED;
	if (flight_status(w->flight) != RTEV_OK || model_status(w->observation->model) != RTEV_OK)
		w->status = say(NULL, "could not go on: %s", rtev_strerror(RTEV_E_NOMEM));
	flight_skipped_tell(f.skipped, w->options->on_pause_ns);
	fail_lost(w->observation->model, w->session.ring_words, "");
}

/* Whether files can be created in the directory.  Reports it if not. */
static bool directory_usable(const char *where)
{
	char dir[PATH_MAX];
	int error = folder_usable(where != NULL ? where : ".", dir);

	if (error != 0)
		say(error == ELOOP ? "Give the path that the link leads to, if that is meant."
				   : "Give a directory that you can write to.",
		    "could not write to %s: %s", dir, folder_strerror(error));
	return error == 0;
}

/* Observe the open session. */
static void watch(struct watching *w)
{
	const struct options *options = w->options;

	if (w->session.state != SESSION_LIVE) {
		w->status = say("`rtevtop record -o FILE.fxt` records all that it holds.",
		    "--on-pause needs a target that runs: %s has ended", w->session.path);
		return;
	}
	struct observation *o = observation_create(&(struct observation_options){
	    .session = &w->session, .parts = OBSERVE_SYSTEM | OBSERVE_FIBERS, .put = put_note, .put_ctx = w});
	w->observation = o;
	if (o != NULL)
		w->flight = flight_create(&(struct flight_options){.model = o->model,
		    .source = observation_source(o),
		    .pause_ns = options->on_pause_ns,
		    .where = options->output,
		    .json = options->format_json,
		    .report = on_file,
		    .ctx = w});
	if (w->flight == NULL) {
		w->status = say(NULL, "could not watch for pauses: out of memory");
		return;
	}
	live_read(&w->session, &(struct live_calls){.ctx = w,
				   .duration_ns = options->duration_ns,
				   .going_on = going_on,
				   .room = room,
				   .turn = turn});
	finish(w);
}

int record_on_pause(const struct options *options)
{
	static struct watching w;

	w.options = options;
	if (!directory_usable(options->output))
		return EXIT_FAILED;
	enum rtev_start start = options->run != NULL ? RTEV_START_OLDEST : RTEV_START_NEWEST;
	int status = observe(&w.session, options, start);
	if (status != EXIT_DONE)
		return status;
	fail_output_begin(&w.out, STDOUT_FILENO, NULL);
	progress_init(&w.progress);
	w.status = EXIT_DONE;
	watch(&w);
	status = session_close(&w.session, w.status);
	flight_destroy(w.flight);
	observation_destroy(w.observation);
	return status;
}
