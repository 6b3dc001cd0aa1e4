/*
 * cmd_record.c - rtevtop record: a trace file of what the target does, for Perfetto.
 *
 * A live target is recorded from now on, a file as it is, a COMMAND from its first event.  The file is made first, so that no
 * COMMAND runs for nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/fail.h"
#include "app/live.h"
#include "app/model_sink.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/recording.h"
#include "app/session.h"
#include "app/signals.h"

/* What is done for one command line. */
struct work {
	struct session session;
	struct model *model;
	struct output output;
	struct recording *recording;
	struct progress progress;
	bool live;
};

/* Report that nothing could be written to the file, and why.  EXIT_FAILED. */
static int fail_error(const char *path, int error)
{
	const char *remedy = error == ENOSPC || error == EDQUOT
				 ? "Make room, or record to another file system."
			     : error == ELOOP  ? "Give the path that the link leads to, if that is meant."
			     : error == EEXIST ? "Another file has taken its name meanwhile."
			     : error == EFBIG  ? "`ulimit -f` limits how large files may be."
					       : "Give a file in a directory that you can write to.";

	fail_message(remedy, "could not write %s: %s", path, folder_strerror(error));
	return EXIT_FAILED;
}

/* Make the file; an exit status. */
static int file_open(struct work *work, const struct options *options)
{
	const char *path = options->output;

	switch (output_open(&work->output, path, options->force)) {
	case OUTPUT_OK:
		return EXIT_DONE;
	case OUTPUT_NOT_REGULAR:
		fail_message("Give the name of a regular file, or of one to be made.",
		    "could not write %s: not a regular file", path);
		break;
	case OUTPUT_FOREIGN:
		fail_message("Give another file with -o, or replace it with --force.",
		    "could not write %s: there is a file of that name that is no recording", path);
		break;
	case OUTPUT_FAILED:
		return fail_error(path, errno);
	}
	return EXIT_FAILED;
}

/* Give the file its name. */
static int publish(void *ctx)
{
	return output_publish(ctx);
}

/* Say how far we are. */
static void progress(struct work *work, uint64_t now)
{
	struct model_totals t;

	model_totals(work->model, &t);
	progress_show(&work->progress, "recording %.1f s  %llu events  %.1f MB  lost %llu words",
	    (double)(now - recording_begun(work->recording)) / 1e9, (unsigned long long)t.events,
	    (double)recording_bytes(work->recording) / 1e6, (unsigned long long)t.lost_words);
}

/* Now and then: let the file catch up, and say how far we are. */
static void step(struct work *work, uint64_t now)
{
	if (recording_step(work->recording, now))
		progress(work, now);
}

/* Whether nothing stands in the way of more. */
static bool going_on(void *ctx)
{
	const struct work *work = ctx;

	return model_status(work->model) == RTEV_OK && recording_error(work->recording) == 0;
}

/* Whether the disk keeps up. */
static bool room(void *ctx, uint64_t now)
{
	const struct work *work = ctx;

	(void)now;
	return recording_room(work->recording);
}

/* Record what a turn has read. */
static bool turned(void *ctx, uint64_t now, bool more)
{
	struct work *work = ctx;

	step(work, now);
	if (!more)
		model_drained(work->model);
	return false;
}

/* Record what a turn has read of a file. */
static bool turned_file(void *ctx, uint64_t now, bool more)
{
	(void)more;
	step(ctx, now);
	return false;
}

/* End the recording and its file; an exit status. */
static int finish(struct work *work, const char *path)
{
	struct model_totals t;
	bool running = work->live && work->session.state == SESSION_LIVE;
	int result = EXIT_DONE;

	uint64_t now = signals_now();
	if (running)
		model_set_now(work->model, now);
	model_finish(work->model);
	model_totals(work->model, &t);
	recording_end(work->recording, running ? now : t.last_ts);
	progress(work, now);
	progress_end(&work->progress);
	const struct recording_result r = recording_close(work->recording);
	if (r.error != 0 && !work->output.published) {
		result = fail_error(path, r.error);
	} else if (r.error != 0) {
		fail_message(r.error == ENOSPC || r.error == EDQUOT || r.error == EFBIG
				 ? "It is complete up to there.  Make room, or record to another file system."
				 : "It is complete up to there.",
		    "could not go on writing %s: %s", path, strerror(r.error));
		result = EXIT_FAILED;
	} else if (r.status != RTEV_OK || model_status(work->model) != RTEV_OK) {
		fail_message("Record for a shorter time.", "%s is incomplete: %s", path,
		    rtev_strerror(r.status != RTEV_OK ? r.status : model_status(work->model)));
		result = EXIT_FAILED;
	}
	if (t.corrupt_words != 0) {
		fail_message("The slices named \"corrupt\" say where; what stands between them is sound.",
		    "the ring %s has records that make no sense: %llu words skipped", work->session.path,
		    (unsigned long long)t.corrupt_words);
		result = EXIT_FAILED;
	}
	if (t.lost_words != 0)
		fail_message(
		    "The slices named \"lost\" say where; a larger ring (OCAMLRUNPARAM=e=18) holds more.",
		    "%llu words were overwritten before they were read", (unsigned long long)t.lost_words);
	return result;
}

/* Make the model and the recording, which takes the file.  0, or an errno. */
static int work_create(struct work *work)
{
	struct output *output = &work->output;

	work->model = model_create(&(struct model_options){
	    .size = sizeof(struct model_options), .attach_ts = work->live ? work->session.attach_ts : 0});
	if (work->model == NULL)
		return ENOMEM;
	const struct recording_options options = {
	    .file = {.fd = output->fd, .publish = publish, .ctx = output},
	    .json = work->session.options->format_json,
	    .session = &work->session,
	    .model = work->model};
	output->fd = -1;
	return recording_create(&work->recording, &options);
}

/* Record the open session; an exit status. */
static int work_run(struct work *work)
{
	const char *path = work->session.options->output;

	work->live = work->session.state == SESSION_LIVE;
	progress_init(&work->progress);
	int error = work_create(work);
	if (error != 0) {
		fail_message(NULL, "could not record to %s: %s", path, strerror(error));
		return EXIT_FAILED;
	}
	const struct session_sink sink = model_sink_of_session(work->model);
	bool stopped = false;
	if (work->live)
		live_read(&work->session, &sink,
		    &(struct live_calls){.ctx = work, .going_on = going_on, .room = room, .turned = turned});
	else
		stopped = !live_read_present(&work->session, &sink,
		    &(struct live_calls){.ctx = work, .going_on = going_on, .turned = turned_file});
	int status = finish(work, path);
	return stopped ? live_stopped(&work->session) : status;
}

/* Run the subcommand. */
int command_record(const struct options *options)
{
	static struct work work;

	if (options->on_pause_ns != 0)
		return command_flight(options);
	int status = file_open(&work, options);
	if (status != EXIT_DONE)
		return status;
	enum rtev_start start = options->run != NULL ? RTEV_START_OLDEST : RTEV_START_NEWEST;
	status = session_open(&work.session, options, start, CHILD_OUTPUT_STDERR);
	if (status == EXIT_DONE) {
		if (options->run == NULL && output_replaces(&work.output, work.session.path)) {
			fail_message("Give another file with -o.", "%s is the ring that is to be recorded",
			    options->output);
			status = EXIT_FAILED;
		} else {
			status = work_run(&work);
		}
		status = session_close(&work.session, status);
	}
	output_close(&work.output);
	model_destroy(work.model);
	return status;
}
