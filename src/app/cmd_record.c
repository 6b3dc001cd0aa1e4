/*
 * cmd_record.c - rtevtop record: a trace file of what the target does, for Perfetto.
 *
 * A live target is recorded from now on, a file as it is, a COMMAND from its first event.  The file is opened
 * first, so that no COMMAND runs for nothing, and emptied once the target is there.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/fail.h"
#include "app/record.h"
#include "app/session.h"
#include "app/signals.h"

#define BUFFERS 128	       /* of RECORD_BUFFER bytes */
#define ROOM_LEAST 48	       /* free buffers below which the rings have to wait */
#define ROOM_WAIT_NS 2000000u  /* until the next look at them */
#define STEP_NS 500000000u     /* between two progress lines; buffers are passed on as often */
#define SETTLED_NS 1000000000u /* after so long no event from before is on its way */

/* A recording being made. */
struct recording {
	struct session session;
	struct model *model;
	struct record *record;
	struct disk *disk;
	bool live, terminal;
	uint64_t begun, next_step;
	char name[320];
};

/* Report that the file can't be written, and why. */
static void fail_file(const char *path, int error)
{
	if (error == 0)
		fail_message("Give the name of a regular file, or of one to be made.",
		    "could not write %s: not a regular file", path);
	else
		fail_message(error == ENOSPC || error == EDQUOT
				 ? "Make room, or record to another file system."
				 : "Give a file in a directory that you can write to.",
		    "could not write %s: %s", path, strerror(error));
}

/* The number that a ring file's name begins with; 1 when there is none. */
static int64_t pid_of_name(const char *name)
{
	char digits[16];
	size_t len = strspn(name, "0123456789");
	const char *problem = "";
	long long pid = 1;

	if (len > 0 && len < sizeof(digits)) {
		strlcpy(digits, name, len + 1);
		pid = strtonum(digits, 1, INT32_MAX, &problem);
	}
	return problem == NULL ? pid : 1;
}

/* Tell the recording whose it is. */
static void subject(void *ctx, struct record_subject *out)
{
	struct recording *rec = ctx;
	const struct session *s = &rec->session;
	const char *version = session_version(s);
	struct timespec wall;

	out->pid = s->pid > 0 ? s->pid : pid_of_name(s->name);
	snprintf(rec->name, sizeof(rec->name), "%s%s%s", s->name, version != NULL ? " OCaml " : "",
	    version != NULL ? version : "");
	out->name = rec->name;
	if (!rec->live)
		return;
	out->base_ts = signals_now();
	clock_gettime(CLOCK_REALTIME, &wall);
	out->base_wall = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec;
}

/* Write one line of progress over the one before. */
static void progress(const struct recording *rec, uint64_t now, bool last)
{
	struct model_totals t;

	if (!rec->terminal)
		return;
	model_totals(rec->model, &t);
	fprintf(stderr, "\rrecording %.1f s  %llu events  %.1f MB  lost %llu words \033[K%s",
	    (double)(now - rec->begun) / 1e9, (unsigned long long)t.events,
	    (double)disk_bytes(rec->disk) / 1e6, (unsigned long long)t.lost_words, last ? "\n" : "");
	fflush(stderr);
}

/* Now and then: say how far we are, and let the file catch up. */
static void step(struct recording *rec, uint64_t now)
{
	if (now < rec->next_step)
		return;
	rec->next_step = now + STEP_NS;
	if (rec->live)
		model_set_now(rec->model, now);
	record_pass_on(rec->record, rec->live && now > SETTLED_NS ? now - SETTLED_NS : 0);
	progress(rec, now, false);
}

/* Whether nothing stands in the way of more. */
static bool going_on(const struct recording *rec)
{
	return model_status(rec->model) == RTEV_OK && signals_stops() == 0 && disk_error(rec->disk) == 0;
}

/* Record until the target ends, the time is over, or we are asked to stop. */
static void record_live(struct recording *rec, const struct session_sink *sink)
{
	struct session *s = &rec->session;
	uint64_t end = s->options->duration_ns != 0 ? s->attach_ts + s->options->duration_ns : UINT64_MAX;

	while (going_on(rec)) {
		struct pollfd fds[SESSION_FDS];
		bool more, ended = s->state != SESSION_LIVE;
		uint64_t now = signals_now();
		if (disk_room(rec->disk) < ROOM_LEAST && now < end) {
			/* Better that the rings overflow than that nobody can stop us. */
			signals_wait(NULL, 0, ROOM_WAIT_NS);
			continue;
		}
		if (!ended) {
			session_check(s);
			ended = s->state != SESSION_LIVE;
		}
		session_turn(s, sink, &more, NULL);
		step(rec, now);
		if (now >= end || (ended && !more) || s->state == SESSION_TRUNCATED)
			break;
		if (more)
			continue;
		model_drained(rec->model);
		uint64_t pace = session_pace(s);
		signals_wait(fds, session_fds(s, fds), end - now < pace ? end - now : pace);
	}
}

/* Record what a file holds. */
static void record_file(struct recording *rec, const struct session_sink *sink)
{
	bool more = true;

	while (more && going_on(rec)) {
		session_turn(&rec->session, sink, &more, NULL);
		step(rec, signals_now());
	}
}

/* End the recording and its file; an exit status. */
static int recording_finish(struct recording *rec, const char *path)
{
	struct model_totals t;
	const char *tail;
	int result = EXIT_DONE;

	uint64_t now = signals_now();
	if (rec->live && rec->session.state == SESSION_LIVE)
		model_set_now(rec->model, now);
	model_finish(rec->model);
	model_totals(rec->model, &t);
	bool running = rec->live && rec->session.state == SESSION_LIVE;
	int status = record_finish(rec->record, running ? now : t.last_ts, &tail);
	rec->record = NULL;
	progress(rec, now, true);
	int error = disk_close(rec->disk, tail, strlen(tail));
	rec->disk = NULL;
	if (error != 0) {
		fail_message(error == ENOSPC || error == EDQUOT || error == EFBIG
				 ? "It is complete up to there.  Make room, or record to another file system."
				 : "It is complete up to there.",
		    "could not go on writing %s: %s", path, strerror(error));
		result = EXIT_FAILED;
	} else if (status != RTEV_OK || model_status(rec->model) != RTEV_OK) {
		fail_message("Record for a shorter time.", "%s is incomplete: %s", path,
		    rtev_strerror(status != RTEV_OK ? status : model_status(rec->model)));
		result = EXIT_FAILED;
	}
	if (t.corrupt_words != 0) {
		fail_message("The slices named \"corrupt\" say where; what stands between them is sound.",
		    "the ring %s has records that make no sense: %llu words skipped", rec->session.path,
		    (unsigned long long)t.corrupt_words);
		result = EXIT_FAILED;
	}
	if (t.lost_words != 0)
		fail_message(
		    "The slices named \"lost\" say where; a larger ring (OCAMLRUNPARAM=e=18) holds more.",
		    "%llu words were overwritten before they were read", (unsigned long long)t.lost_words);
	return result;
}

/* The adapters between the session's sink and the model. */
static void on_resume(void *ctx, uint64_t ts)
{
	model_resume_at(ctx, ts);
}

static void on_reopened(void *ctx)
{
	model_reattach(ctx);
}

/* Emptying a large file takes long enough for a ring to overflow: a running process is recorded from after it. */
static void begin_now(struct session *s)
{
	if (s->state != SESSION_LIVE || s->options->run != NULL || s->cursor == NULL)
		return;
	rtev_cursor_skip(s->cursor);
	s->attach_ts = s->last_turn_ts = signals_now();
}

/* Make the model, the disk and the recording.  The descriptor is the disk's on success.  0, or an errno. */
static int recording_create(struct recording *rec, int fd)
{
	const struct options *options = rec->session.options;

	int error = disk_create(&rec->disk, fd, RECORD_BUFFER, BUFFERS);
	if (error != 0)
		return error;
	begin_now(&rec->session);
	rec->model = model_create(&(struct model_options){
	    .size = sizeof(struct model_options), .attach_ts = rec->live ? rec->session.attach_ts : 0});
	if (rec->model == NULL)
		return ENOMEM;
	struct record_sink *sink = options->format_json ? record_json_create(rec->disk, rec->model)
							: record_fxt_create(rec->disk, rec->model);
	if (sink != NULL)
		rec->record = record_create(sink, rec->model, subject, rec);
	if (rec->record == NULL) {
		const char *tail;
		if (sink != NULL)
			sink->finish(sink, &tail);
		return ENOMEM;
	}
	return 0;
}

/* Record the open session to an open file; an exit status. */
static int recording_run(struct recording *rec, int fd)
{
	const char *path = rec->session.options->output;
	struct session_sink sink = {.resume = on_resume, .reopened = on_reopened};

	rec->live = rec->session.state == SESSION_LIVE;
	rec->terminal = isatty(STDERR_FILENO);
	rec->begun = signals_now();
	/* Only now, so that no COMMAND inherits it: a file that may not grow is to fail like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	int error = recording_create(rec, fd);
	if (error != 0) {
		fail_message(NULL, "could not record to %s: %s", path, strerror(error));
		if (rec->disk == NULL)
			close(fd);
		disk_close(rec->disk, "", 0);
		return EXIT_FAILED;
	}
	model_callbacks(&sink.calls);
	sink.ctx = rec->model;
	if (rec->live)
		record_live(rec, &sink);
	else
		record_file(rec, &sink);
	return recording_finish(rec, path);
}

/* Run the subcommand. */
int command_record(const struct options *options)
{
	static struct recording rec;
	bool made;

	int fd = disk_open(options->output, &made);
	if (fd < 0) {
		fail_file(options->output, errno);
		return EXIT_FAILED;
	}
	enum rtev_start start = options->run != NULL ? RTEV_START_OLDEST : RTEV_START_NEWEST;
	/* A COMMAND's first events must not wait for it. */
	if (options->run != NULL && ftruncate(fd, 0) != 0) {
		fail_file(options->output, errno);
		close(fd);
		return EXIT_FAILED;
	}
	int status = session_open(&rec.session, options, start, CHILD_OUTPUT_STDERR);
	if (status != EXIT_DONE) {
		close(fd);
		if (made)
			unlink(options->output);
		return status;
	}
	if (options->run == NULL && disk_same(fd, rec.session.path)) {
		fail_message(
		    "Give another file with -o.", "%s is the ring that is to be recorded", options->output);
		close(fd);
		status = EXIT_FAILED;
	} else {
		status = recording_run(&rec, fd);
	}
	status = session_close(&rec.session, status);
	model_destroy(rec.model);
	return status;
}
