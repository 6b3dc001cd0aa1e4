/*
 * record.c - rtevtop record: write a trace file of what the target does, for Perfetto.
 *
 * A live target is recorded from now on, a file as it is, a COMMAND from its first event.  The file is
 * created before COMMAND is started, so that COMMAND does not run in vain, unless the name of the file
 * contains the pid.
 */
#include <time.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "observation/observation.h"
#include "session/live.h"
#include "files/naming.h"
#include "files/output.h"
#include "record/recording.h"
#include "launch/signals.h"
#include "target/shortage.h"
#include "core/clock.h"

#define READER_NS 20000000u /* between two attempts to open a FIFO for writing */

/* The state of one run. */
struct work {
	const struct options *options;
	char path[NAMING_PATH];
	const char *shown; /* path for messages */
	struct session session;
	struct observation *observation;
	struct output output;
	struct recording *recording;
	struct progress progress;
	struct reader_timeout timeout; /* for the reader of a stream */
};

/* Open the file; wait for a reader if it is a FIFO. */
static enum output_status open_patiently(struct output *output, const char *path, bool force)
{
	enum output_status status = output_open(output, path, force ? NULL : output_recordings);

	if (status == OUTPUT_NO_READER)
		say(NULL, "waiting for a reader of %s", path);
	while (status == OUTPUT_NO_READER && signals_stops() == 0) {
		signals_wait(NULL, 0, READER_NS);
		status = output_open(output, path, force ? NULL : output_recordings);
	}
	return status;
}

/* Create the file.  Returns an exit status. */
static int file_open(struct work *work, int64_t pid)
{
	const struct options *options = work->options;
	struct naming naming = {.where = options->output, .pid = pid, .number = 1};
	const char *path = work->path;

	if (!naming_path(&naming, (int64_t)time(NULL), work->path))
		return fail_file(options->output, errno);
	work->shown = strcmp(path, "-") == 0 ? "standard output" : path;
	switch (open_patiently(&work->output, path, options->force)) {
	case OUTPUT_OK:
		return EXIT_DONE;
	case OUTPUT_NOT_REGULAR:
		return say("Give a regular file, a new name, a FIFO, or /dev/null.",
		    "could not write %s: not a regular file", path);
	case OUTPUT_TERMINAL:
		say("Give a file, or redirect it.", "a recording does not go to a terminal");
		return EXIT_USAGE;
	case OUTPUT_NO_READER:
		return say(NULL, "could not write %s: nobody reads it", path);
	case OUTPUT_FOREIGN:
		return say("Give another file with -o, or replace it with --force.",
		    "could not write %s: it exists, and is not a recording", path);
	case OUTPUT_FAILED:
		return fail_file(work->shown, errno);
	}
	return EXIT_FAILED;
}

/* Rename the temporary file to its name. */
static int publish(void *ctx)
{
	struct work *work = ctx;

	return output_publish(&work->output);
}

/* Whether to give up on the reader of a stream. */
static bool gives_up(void *ctx, uint64_t written)
{
	struct work *work = ctx;

	return reader_timeout_ends(&work->timeout, written);
}

/* Wait until all of a stream is written. */
static void wait_for_reader(struct work *work)
{
	while (!recording_look(work->recording).done) {
		if (gives_up(work, recording_look(work->recording).written))
			recording_abandon(work->recording);
		reader_timeout_wait();
	}
}

/* Report that the rest of the file could not be written.  Returns EXIT_FAILED. */
static int fail_rest(const struct work *work, const struct recording_result *r)
{
	bool full = r->error == ENOSPC || r->error == EDQUOT || r->error == EFBIG;
	const char *remedy = work->output.stream ? (r->error == EPIPE	       ? "Its reader has ended."
						       : r->error == ECANCELED ? "Its reader stood still."
									       : NULL)
			     : r->torn		 ? "Its end could not be written either."
			     : full
				 ? "It is complete up to there.  Make room, or record to another file system."
				 : "It is complete up to there.";

	return say(remedy, "could not go on writing %s: %s", work->shown, strerror(r->error));
}

static void progress(struct work *work, uint64_t now)
{
	const struct model_totals t = model_totals(work->observation->model);

	progress_show(&work->progress, "recording %.1f s  %llu events  %.1f MB  lost %llu words",
	    (double)(now - recording_look(work->recording).begun) / 1e9, (unsigned long long)t.events,
	    (double)recording_look(work->recording).bytes / 1e6, (unsigned long long)t.lost_words);
}

/* Now and then hand events to the writer and show the progress. */
static void step(struct work *work, uint64_t now)
{
	if (recording_step(work->recording, now))
		progress(work, now);
}

static bool going_on(void *ctx)
{
	const struct work *work = ctx;

	return model_status(work->observation->model) == RTEV_OK &&
	       recording_look(work->recording).error == 0 && work->observation->code.refusal.error == 0;
}

/* Whether the writer keeps up. */
static bool room(void *ctx, uint64_t now)
{
	const struct work *work = ctx;

	return recording_look(work->recording).room;
}

static void put_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	const struct work *work = ctx;

	recording_note(work->recording, kind, ts, data, len);
}

static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct work *work = ctx;

	*more = observation_turn(work->observation, now, NULL);
	step(work, now);
	return false;
}

/* End the recording and complete the file.  Returns an exit status. */
static int finish(struct work *work)
{
	struct model *model = work->observation->model;
	int result = EXIT_DONE;

	observation_finish(work->observation);
	bool running = work->observation->live && work->session.state == SESSION_LIVE;
	const struct model_totals t = model_totals(model);
	recording_end(work->recording, running ? t.now : t.last_ts);
	progress(work, monotonic_now());
	progress_end(&work->progress);
	if (work->output.stream)
		wait_for_reader(work);
	const struct recording_result r = recording_close(work->recording);
	if (r.error != 0 && !work->output.published) {
		result = fail_file(work->shown, r.error);
	} else if (r.error != 0) {
		result = fail_rest(work, &r);
	} else if (r.status != RTEV_OK || model_status(model) != RTEV_OK) {
		result = say("Record for a shorter time.", "%s is incomplete: %s", work->shown,
		    rtev_strerror(r.status != RTEV_OK ? r.status : model_status(model)));
	}
	if (fail_corrupt(work->session.path, t.corrupt_words, t.falls,
		"Slices named \"corrupt\" mark the places; everything between them is sound.") != EXIT_DONE)
		result = EXIT_FAILED;
	if (t.ignored != 0)
		say(NULL, "%llu events were left out: there are too many different ones",
		    (unsigned long long)t.ignored);
	fail_lost(model, work->session.ring_words, "Slices named \"lost\" mark the places.");
	return result;
}

/* Create the observation and the recording, which takes the file.  Returns 0 or an errno value. */
static int work_create(struct work *work)
{
	struct output *output = &work->output;
	struct observation *o = observation_create(&(struct observation_options){.session = &work->session,
	    .parts = OBSERVE_SYSTEM | OBSERVE_FIBERS,
	    .newest = work->options->run == NULL,
	    .put = put_note,
	    .put_ctx = work});

	work->observation = o;
	if (o == NULL)
		return ENOMEM;
	const struct recording_options options = {.file = {.fd = output->fd,
						      .stream = output->stream,
						      .publish = output->stream ? NULL : publish,
						      .waiting = gives_up,
						      .ctx = work},
	    .json = work->options->format_json,
	    .source = observation_source(o),
	    .model = o->model};
	output->fd = -1;
	return recording_create(&work->recording, &options);
}

/* Record the open session.  Returns an exit status. */
static int work_run(struct work *work)
{
	progress_init(&work->progress);
	reader_timeout_init(&work->timeout, 1);
	int error = work_create(work);
	if (error != 0)
		return say(shortage_remedy(error, NULL), "could not record to %s: %s", work->shown,
		    shortage_why(error));
	struct observation *o = work->observation;
	if (work->options->code_hz != 0)
		observation_sample_code(o, (unsigned)work->options->code_hz, true);
	const struct live_calls calls = {.ctx = work,
	    .duration_ns = work->options->duration_ns,
	    .going_on = going_on,
	    .room = room,
	    .turn = turn};
	bool stopped = false;
	if (work->observation->live)
		live_read(&work->session, &calls);
	else
		stopped = !live_read_present(&work->session, &calls);
	int status = finish(work);
	if (observation_names_left_out(o) != NULL)
		say(NULL, "%s: %s", work->session.name, observation_names_left_out(o));
	if (fail_code(&o->code.refusal, work->session.name) != EXIT_DONE)
		status = EXIT_FAILED;
	return stopped ? live_stopped(&work->session) : status;
}

/* Check that the file can be created in its directory, unless the name contains a placeholder.  Returns an
 * exit status. */
static int folder_check(const char *pattern)
{
	char dir[PATH_MAX];
	int error = folder_usable(pattern, dir);

	return error == 0 || strchr(dir, '%') != NULL ? EXIT_DONE : fail_file(dir, error);
}

static int run(const struct options *options)
{
	static struct work work;

	if (options->code_hz != 0 &&
	    (options->on_pause_ns != 0 || (options->name.kind == TARGET_FILE && options->run == NULL)))
		return fail_usage(options->on_pause_ns != 0 ? "--code: not with --on-pause"
							    : "--code: no code runs in a ring file");
	if (options->on_pause_ns != 0)
		return record_on_pause(options);
	work.options = options;
	bool late = naming_has(options->output, 'p');
	int status = late ? folder_check(options->output) : file_open(&work, 0);
	if (status != EXIT_DONE)
		return status;
	/* The observation of a process begins with what is written from now on. */
	status = observe(&work.session, options, RTEV_START_OLDEST);
	if (status == EXIT_DONE) {
		if (late)
			status = file_open(&work, work.session.pid);
		if (status != EXIT_DONE) {
			/* file_open has reported it. */
		} else if (options->run == NULL && output_replaces(&work.output, work.session.path)) {
			status =
			    say("Give another file with -o.", "%s is the ring to be recorded", work.shown);
		} else {
			status = work_run(&work);
		}
		status = session_close(&work.session, status);
	}
	output_close(&work.output);
	observation_destroy(work.observation);
	return status;
}

const struct command command_record = {
    .name = "record",
    .synopsis =
	"-o FILE|- [--force] [--format fxt|json] [--duration SEC] [--on-pause MS | --code[=HZ]] TARGET",
    .purpose = "a trace file for Perfetto, or one for each long pause",
    .about =
	"A process is recorded from now until it ends, a COMMAND from its first event, and a file as it is.  "
	"SIGINT ends the recording; SIGTERM is passed on to COMMAND.  `rtevtop FILE.fxt` plays a recording, "
	"and https://ui.perfetto.dev opens it.  If rtevtop is killed while it writes, a .fxt can be read up "
	"to "
	"that point; JSON may be incomplete.",
    .example = "rtevtop record -o run.fxt -- ./server --port 8080",
    .effect = "runs the server and records all that it does to run.fxt",
    .options =
	OPTS_TARGET | OPT(duration) | OPT(output) | OPT(force) | OPT(on_pause) | OPT(format) | OPT(code),
    .help = {[OPTION_output] = "file to write, in place of an older recording; - is standard output"},
    .word = "TARGET",
    .target = true,
    .records = true,
    .run = run,
};
