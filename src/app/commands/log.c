/*
 * log.c - rtevtop log: print every event, one a line.
 *
 * Without -f it prints what the rings hold now, ring by ring.  With -f, or for a COMMAND, it continues until the
 * target ends.
 */
#include <errno.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "session/live.h"
#include "app/commands/log_lines.h"
#include "session/session.h"
#include "session/signals.h"

/* Longest time from an event's timestamp to its appearance in the ring: -f --merge prints events this much
 * later. */
#define MERGE_DELAY_NS 100000000u

/* Events that -f --merge holds back, at most. */
#define MERGE_MOST ((size_t)1 << 20)

/* Context of the calls of live_read. */
struct following {
	bool merge;
	struct log *log;
	struct out *out;
	bool failed; /* out of memory */
};

static bool going_on(void *ctx)
{
	const struct following *f = ctx;

	return f->out->error == 0 && !f->failed;
}

/* Print events that are old enough to be in order. */
static bool turned(void *ctx, uint64_t now, bool more)
{
	struct following *f = ctx;

	f->failed = f->merge && !log_release(f->log, now - MERGE_DELAY_NS);
	if (!more)
		out_flush(f->out);
	return false;
}

/* Print until the target ends or a signal asks us to stop. */
static void follow(
    struct session *s, const struct session_sink *sink, struct log *log, struct out *out, bool merge)
{
	struct following f = {.merge = merge, .log = log, .out = out};

	live_read(s, sink, &(struct live_calls){.ctx = &f, .going_on = going_on, .turned = turned});
}

/* Print what the rings hold now.  Returns false if a signal asked us to stop. */
static bool print_once(struct session *s, const struct session_sink *sink, struct out *out)
{
	struct following f = {.out = out};

	return live_read_present(s, sink, &(struct live_calls){.ctx = &f, .going_on = going_on});
}

/* Print all held events: they refer to user events of the cursor, which is about to be closed.  The next
 * log_release reports if memory ran out. */
static void on_reopening(void *ctx)
{
	const struct event_sink *sink = ctx;

	log_release(sink->ctx, UINT64_MAX);
}

static int run(const struct options *options)
{
	static struct out out;
	struct session s;
	struct log_options log_options = {.json = options->json, .merge = options->merge};
	/* Without -f each ring is read to its end: no limit on the events of a poll. */
	struct options unbounded = *options;
	bool following = options->follow || options->run != NULL;
	/* The first signal ends reading; what was read is still printed. */
	unsigned stops = following ? 1 : 0;

	if (!following)
		unbounded.max_events = 0;
	int status = observe(&s, following ? options : &unbounded, RTEV_START_OLDEST);
	if (status != EXIT_DONE)
		return status;
	out_init(&out, STDOUT_FILENO);
	out_set_wait(&out, signals_wait_write, &stops);
	/* If nothing more is written, all events can be sorted. */
	log_options.most = following && s.state == SESSION_LIVE ? MERGE_MOST : 0;
	struct log *log = log_create(&out, &log_options);
	if (log == NULL) {
		fail_message(NULL, "could not print the log: out of memory");
		return session_close(&s, EXIT_FAILED);
	}
	const struct session_sink sink = {
	    .calls = event_sink_calls, .ctx = log_sink(log), .reopening = on_reopening};
	bool whole = true;
	/* A file that is still being written to is read once. */
	if (following && s.state == SESSION_LIVE)
		follow(&s, &sink, log, &out, options->merge);
	else
		whole = print_once(&s, &sink, &out);
	if (!log_release(log, UINT64_MAX)) {
		fail_message("Print without --merge.", "could not sort the log: out of memory");
		status = EXIT_FAILED;
	}
	int error = out_flush(&out);
	if (fail_output(whole ? error : ECANCELED, "the log") != EXIT_DONE)
		status = EXIT_FAILED;
	if (fail_corrupt(s.path, log_corrupt_words(log), log_falls(log),
		"The lines of type \"corrupt\" say where; what stands between them is sound.") != EXIT_DONE)
		status = EXIT_FAILED;
	status = session_close(&s, status);
	log_destroy(log);
	return status;
}

const struct command command_log = {
    .name = "log",
    .synopsis = "[--json] [-f] [--merge] TARGET",
    .purpose = "every event, one a line",
    .about = "Without -f it prints what the rings hold now; a COMMAND is followed until it ends.",
    .example = "rtevtop log --merge 4711",
    .effect = "what the rings of process 4711 hold, in order of time",
    .options = OPTS_TARGET | OPT(json) | OPT(follow) | OPT(merge),
    .word = "TARGET",
    .target = true,
    .run = run,
};
