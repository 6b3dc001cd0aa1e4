/*
 * top_flight.c - the live view with --on-pause: files for long pauses while one looks on.
 */
#include <stdio.h>
#include <string.h>

#include "app/fail.h"
#include "app/folder.h"
#include "app/signals.h"
#include "app/top.h"
#include "ui/format.h"

/* Tell of a file: in a notice, or once the screen is gone on standard error, where what failed is told at the end. */
static void on_file(void *ctx, const struct flight_file *file)
{
	struct top *top = ctx;
	const struct flight_pause *p = &file->pause;
	bool failed = file->error != 0 || file->status != RTEV_OK;
	char text[NAMING_PATH + 256], name[RTEV_NAME_SIZE];

	flight_failures_note(&top->flight_failures, file);
	if (failed)
		top->status = EXIT_FAILED;
	if (!file->made)
		snprintf(
		    text, sizeof(text), "could not write %s: %s", file->path, folder_strerror(file->error));
	else
		snprintf(text, sizeof(text), "%s: %s on D%u for %s%s%s", file->path,
		    rtev_phase_name(p->phase, name), p->domain, format_duration(p->duration).s,
		    file->error != 0 ? "; cut short: " : "",
		    file->error != 0 ? folder_strerror(file->error) : "");
	if (!top->quit)
		facts_notice(&top->facts, "%s", text);
	else if (!failed)
		fail_message(NULL, "%s", text);
	top->dirty = true;
}

/* Begin to watch for pauses. */
void top_flight_begin(struct top *top)
{
	const struct flight_options options = {.model = watch_model(top->watch),
	    .session = &top->session,
	    .pause_ns = top->options->on_pause_ns,
	    .where = top->options->output,
	    .json = top->options->format_json,
	    .report = on_file,
	    .ctx = top};

	if (options.pause_ns == 0)
		return;
	if (top->session.state != SESSION_LIVE)
		facts_notice(&top->facts, "--on-pause needs a target that runs");
	else if ((top->flight = flight_create(&options)) == NULL)
		facts_notice(&top->facts, "could not watch for pauses: out of memory");
}

/* Say whether what a turn reads can be kept. */
bool top_flight_room(struct top *top)
{
	return top->flight == NULL || flight_room(top->flight);
}

/* A piece of what there is to do. */
bool top_flight_step(struct top *top, uint64_t now)
{
	struct subject *subject = &top->facts.subject;
	struct flight_totals totals;

	subject->pause_ns = 0;
	if (top->flight == NULL)
		return false;
	bool more = flight_step(top->flight, now, top->seen_end ? UINT64_MAX : top->watermark);
	flight_totals(top->flight, &totals);
	subject->pause_ns = top->options->on_pause_ns;
	subject->pause_files = totals.files;
	return more;
}

/* Nothing more comes from this target. */
void top_flight_stop(struct top *top)
{
	struct model_totals t;

	if (top->flight == NULL)
		return;
	model_totals(watch_model(top->watch), &t);
	flight_end(top->flight, top->session.state == SESSION_LIVE ? signals_now() : t.last_ts);
}

/* Finish the files. */
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

/* Tell which files failed. */
void top_flight_report(struct top *top)
{
	flight_failures_tell(&top->flight_failures);
}
