/*
 * on_pause.c - the live view with --on-pause: write a file for each long pause.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/fail.h"
#include "record/folder.h"
#include "app/top/top.h"
#include "core/clock.h"
#include "print/number.h"

#define FILES_MAX 65536 /* files remembered, at most: a week of them */

/* Grow the list of files.  Returns false if it can't. */
static bool files_grow(struct top *top)
{
	if (top->file_count < top->file_room)
		return true;
	size_t room = top->file_room == 0 ? 16 : 2 * top->file_room;
	struct subject_file *grown =
	    room <= FILES_MAX ? reallocarray(top->files, room, sizeof(*grown)) : NULL;
	if (grown == NULL)
		return false;
	top->files = grown;
	top->file_room = room;
	return true;
}

/* Remember the file of a pause, or why there is none. */
static void remember(struct top *top, const struct flight_file *file, const char *problem)
{
	const struct flight_pause *p = &file->pause;
	char *path = strdup(file->path), *fault = problem != NULL ? strdup(problem) : NULL;
	char *why = file->why[0] != '\0' ? strdup(file->why) : NULL;

	if (path == NULL || (problem != NULL && fault == NULL) || !files_grow(top)) {
		free(path);
		free(fault);
		free(why);
		top->files_left++;
		return;
	}
	top->files[top->file_count++] = (struct subject_file){.ts = p->begin + p->duration,
	    .duration = p->duration,
	    .domain = p->domain,
	    .phase = p->phase,
	    .made = file->made,
	    .path = path,
	    .why = why,
	    .problem = fault};
	if (file->made && top->observation != NULL)
		trend_mark(watch_trend(top->observation->watch), TREND_MARK_FLIGHT, p->begin,
		    p->begin + p->duration, p->duration);
}

/* Describe a file. */
static void file_text(const struct subject_file *file, char *text, size_t size)
{
	char name[RTEV_NAME_SIZE];

	if (!file->made)
		snprintf(text, size, "could not write %s: %s", file->path, file->problem);
	else
		snprintf(text, size, "%s: %s on D%u for %s%s%s%s%s", file->path,
		    rtev_phase_name(file->phase, name), file->domain, format_duration(file->duration).s,
		    file->why != NULL ? "; " : "", file->why != NULL ? file->why : "",
		    file->problem != NULL ? "; cut short: " : "", file->problem != NULL ? file->problem : "");
}

/* Take note of a file: shown as a notice now, in view 8 from now on, and on standard error at the end. */
static void on_file(void *ctx, const struct flight_file *file)
{
	struct top *top = ctx;
	size_t before = top->file_count;
	char text[NAMING_PATH + BLAME_TEXT + 256];
	const char *problem = file->error != 0		? folder_strerror(file->error)
			      : file->status != RTEV_OK ? rtev_strerror(file->status)
							: NULL;

	flight_failures_note(&top->flight_failures, file);
	if (problem != NULL)
		top->status = EXIT_FAILED;
	remember(top, file, problem);
	if (top->file_count > before) {
		file_text(&top->files[before], text, sizeof(text));
		facts_notice(&top->facts, "%s", text);
	}
	top->dirty = true;
}

void top_flight_begin(struct top *top)
{
	const struct flight_options options = {.model = top->observation->model,
	    .source = observation_source(top->observation),
	    .pause_ns = top->options->on_pause_ns,
	    .where = top->options->output,
	    .json = top->options->format_json,
	    .report = on_file,
	    .ctx = top};

	top->files_before = top->file_count;
	if (options.pause_ns == 0)
		return;
	if (top->session.state != SESSION_LIVE)
		facts_notice(&top->facts, "--on-pause needs a target that runs");
	else if ((top->flight = flight_create(&options)) == NULL)
		facts_notice(&top->facts, "could not watch for pauses: out of memory");
}

bool top_flight_room(struct top *top)
{
	return top->flight == NULL || flight_room(top->flight);
}

bool top_flight_step(struct top *top, uint64_t now)
{
	struct subject *subject = &top->facts.subject;
	struct flight_totals totals;

	subject->pause_ns = 0;
	if (top->flight == NULL)
		return false;
	bool more = flight_step(top->flight, now, top->seen_end ? UINT64_MAX : top->observation->watermark);
	flight_totals(top->flight, &totals);
	subject->pause_ns = top->options->on_pause_ns;
	subject->pause_files = totals.files;
	subject->files = top->files != NULL ? top->files + top->files_before : NULL;
	subject->file_count = top->file_count - top->files_before;
	return more;
}

void top_flight_stop(struct top *top)
{
	struct model_totals t;

	if (top->flight == NULL)
		return;
	if (top->session.state == SESSION_LIVE && flight_room(top->flight))
		session_catch_up(&top->session, &top->observation->sink);
	model_totals(top->observation->model, &t);
	flight_end(top->flight, top->session.state == SESSION_LIVE ? monotonic_now() : t.last_ts);
}

void top_flight_close(struct top *top)
{
	struct flight_totals totals;

	if (top->flight == NULL)
		return;
	top_flight_stop(top);
	flight_finish(top->flight);
	flight_totals(top->flight, &totals);
	if (top->quit)
		flight_skipped_tell(totals.skipped, top->options->on_pause_ns);
	flight_destroy(top->flight);
	top->flight = NULL;
}

void top_flight_report(struct top *top)
{
	char text[NAMING_PATH + BLAME_TEXT + 256];

	for (size_t i = 0; i < top->file_count; i++) {
		struct subject_file *file = &top->files[i];
		file_text(file, text, sizeof(text));
		/* Failures are reported by their errors. */
		if (file->problem == NULL)
			fail_message(NULL, "%s", text);
		free((void *)(uintptr_t)file->path);
		free((void *)(uintptr_t)file->problem);
		free((void *)(uintptr_t)file->why);
	}
	if (top->files_left != 0)
		fail_message(NULL, "%llu more files of long pauses were written or failed",
		    (unsigned long long)top->files_left);
	free(top->files);
	top->files = NULL;
	top->file_count = 0;
	flight_failures_tell(&top->flight_failures);
}
