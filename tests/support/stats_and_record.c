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

#include "app/commands/stats_report.h"
#include "app/fail.h"
#include "core/clock.h"
#include "observation/observation.h"
#include "record/recording.h"
#include "session/live.h"
#include "launch/signals.h"
#include "support/test.h"

struct both {
	struct session session;
	struct observation *observation;
	struct recording *recording;
};

static void put_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	const struct both *b = ctx;

	recording_note(b->recording, kind, ts, data, len);
}

static bool going_on(void *ctx)
{
	const struct both *b = ctx;

	return model_status(b->observation->model) == RTEV_OK && recording_look(b->recording).error == 0;
}

static bool room(void *ctx, uint64_t now)
{
	const struct both *b = ctx;

	return recording_look(b->recording).room;
}

static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct both *b = ctx;

	*more = observation_turn(b->observation, now, NULL);
	recording_step(b->recording, now);
	return false;
}

/* Begin to record what is observed. */
static void record(struct both *b, const char *path)
{
	const struct recording_options options = {
	    .file.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
	    .source = observation_source(b->observation),
	    .model = b->observation->model};

	CHECK(options.file.fd >= 0);
	CHECK_INT(recording_create(&b->recording, &options), 0);
}

/* End both, and print the report. */
static void finish(struct both *b)
{
	const struct options options = {.json = true};
	struct session *s = &b->session;

	observation_finish(b->observation);
	bool running = s->state == SESSION_LIVE;
	const struct model_totals t = model_totals(b->observation->model);
	recording_end(b->recording, running ? t.now : t.last_ts);
	const struct recording_result result = recording_close(b->recording);
	CHECK_INT(result.error, 0);
	CHECK_INT(result.status, RTEV_OK);
	struct stats_subject subject = {.pid = s->pid,
	    .name = s->name,
	    .ocaml = session_version(s),
	    .ocaml_from = version_origin_name(s->version.origin)};
	CHECK_INT(stats_print(b->observation, &subject, s->attach_ts, &options, STDOUT_FILENO), 0);
}

int main(int argc, char **argv)
{
	static struct both b;
	struct target_name name;

	CHECK(argc == 3 || argc == 4);
	CHECK(target_name_parse(&name, argv[1]) && name.kind != TARGET_FILE);
	signals_install();
	CHECK_INT(session_open(&b.session, &(struct session_options){.target = &name,
					       .start = RTEV_START_OLDEST,
					       .max_events = 65536,
					       .report = &fail_report}),
	    0);
	b.observation = observation_create(&(struct observation_options){.session = &b.session,
	    .parts = OBSERVE_ADVICE | OBSERVE_PATHS | OBSERVE_FIBERS,
	    .whole = true,
	    .newest = true,
	    .put = put_note,
	    .put_ctx = &b});
	CHECK(b.observation != NULL);
	record(&b, argv[2]);
	live_read(&b.session, &(struct live_calls){.ctx = &b,
				  .duration_ns = argc == 4 ? (uint64_t)(strtod(argv[3], NULL) * 1e9) : 0,
				  .going_on = going_on,
				  .room = room,
				  .turn = turn});
	finish(&b);
	CHECK_INT(session_close(&b.session, 0), 0);
	observation_destroy(b.observation);
	return 0;
}
