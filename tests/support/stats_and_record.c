/*
 * stats_and_record.c - `rtevtop stats --json PID` and `rtevtop record -o FILE.fxt PID` in one process, by one
 * model: what stats of the recording has to say is known exactly.  It observes until the target ends or the
 * seconds are over.
 *
 *   stats_and_record PID FILE.fxt [SECONDS]
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/commands/stats_observed.h"
#include "app/fail.h"
#include "app/model_sink.h"
#include "app/noting.h"
#include "app/session_recorded.h"
#include "core/clock.h"
#include "record/recording.h"
#include "session/live.h"
#include "session/signals.h"
#include "support/test.h"

struct both {
	struct session session;
	struct observed observed;
	struct noting noting;
	struct recording *recording;
	uint64_t turned_at;
};

static void put_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	const struct both *b = ctx;

	recording_note(b->recording, kind, ts, data, len);
}

static bool going_on(void *ctx)
{
	const struct both *b = ctx;

	return model_status(b->observed.model) == RTEV_OK && recording_error(b->recording) == 0;
}

static bool room(void *ctx, uint64_t now)
{
	const struct both *b = ctx;

	(void)now;
	return recording_room(b->recording);
}

static void about(struct both *b)
{
	observed_about(&b->observed, b->session.version.text, b->session.ring_words);
}

static bool turned(void *ctx, uint64_t now, bool more)
{
	struct both *b = ctx;

	recording_step(b->recording, now);
	noting_take(&b->noting, now, false);
	b->turned_at = now;
	if (!more) {
		model_drained(b->observed.model);
		stw_advance(b->observed.stw, now - EVENT_DELAY_NS);
	}
	about(b);
	model_set_now(b->observed.model, now);
	advice_advance(b->observed.advice, now);
	return false;
}

/* Begin to record what is observed. */
static void record(struct both *b, const char *path)
{
	const struct recording_options options = {
	    .file.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
	    .source = session_recorded(&b->session),
	    .model = b->observed.model};

	CHECK(options.file.fd >= 0);
	CHECK_INT(recording_create(&b->recording, &options), 0);
	CHECK(noting_begin(&b->noting, &b->session, b->observed.model, b->observed.past, put_note, b));
}

/* End both, and print the report. */
static void finish(struct both *b)
{
	const struct options options = {.json = true};
	struct session *s = &b->session;
	struct model_totals t;

	bool running = s->state == SESSION_LIVE;
	noting_take(&b->noting, monotonic_now(), true);
	uint64_t now = monotonic_now();
	model_set_now(b->observed.model, running ? now : b->turned_at);
	about(b);
	observed_finish(&b->observed);
	model_totals(b->observed.model, &t);
	recording_end(b->recording, running ? now : t.last_ts);
	const struct recording_result result = recording_close(b->recording);
	CHECK_INT(result.error, 0);
	CHECK_INT(result.status, RTEV_OK);
	struct stats_subject subject = {.pid = s->pid,
	    .name = s->name,
	    .ocaml = session_version(s),
	    .ocaml_from = version_origin_name(s->version.origin)};
	CHECK_INT(observed_print(&b->observed, &subject, s->attach_ts, &options), 0);
}

int main(int argc, char **argv)
{
	static struct both b;
	struct target_name name;

	CHECK(argc == 3 || argc == 4);
	CHECK(target_name_parse(&name, argv[1]) && name.kind != TARGET_FILE);
	signals_install();
	CHECK_INT(session_open(&b.session, &(struct session_options){.target = &name,
					       .start = RTEV_START_NEWEST,
					       .max_events = 65536,
					       .report = &fail_report}),
	    0);
	CHECK(observed_begin(&b.observed, b.session.attach_ts));
	record(&b, argv[2]);
	noting_take(&b.noting, monotonic_now(), false);
	const struct session_sink sink = model_sink_of_session(b.observed.model);
	live_read(&b.session, &sink,
	    &(struct live_calls){.ctx = &b,
		.duration_ns = argc == 4 ? (uint64_t)(strtod(argv[3], NULL) * 1e9) : 0,
		.going_on = going_on,
		.room = room,
		.turned = turned});
	finish(&b);
	noting_end(&b.noting);
	CHECK_INT(session_close(&b.session, 0), 0);
	observed_end(&b.observed);
	return 0;
}
