/*
 * log.c - rtevtop log: print every event, one per line.
 *
 * Without -f it prints what the rings hold now, ring by ring.  With -f, or for a COMMAND, it continues until
 * the target ends.  A thread prints (log_thread.h); this one reads the rings.
 */
#include <poll.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "session/live.h"
#include "app/commands/log_thread.h"
#include "target/shortage.h"
#include "core/clock.h"

/* Longest time from an event's timestamp to its appearance in the ring: -f --merge prints events this much
 * later. */
#define MERGE_DELAY_NS 100000000u

/* Time between two checks for a reader of the output. */
#define CHECK_NS 200000000u

/* Most events that -f --merge holds back. */
#define MERGE_MOST ((size_t)1 << 20)

/* The state of one run; context of the calls of live_read. */
struct work {
	const struct options *options;
	struct session session;
	struct session_sink sink;
	struct log_thread *thread;
	struct reader_timeout timeout; /* for the reader of the output */
	uint64_t checked;	       /* time of the last check for a reader */
	bool following;
};

/* Whether the output is a pipe or socket without a reader any more.  Without this check, a silent target
 * would keep us from noticing. */
static bool reader_gone(struct work *w, uint64_t now)
{
	struct pollfd fd = {.fd = STDOUT_FILENO};

	if (now - w->checked < CHECK_NS)
		return false;
	w->checked = now;
	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLNVAL)) != 0;
}

static bool going_on(void *ctx)
{
	struct work *w = ctx;

	return disk_look(log_thread_disk(w->thread)).error == 0 && !reader_gone(w, monotonic_now());
}

static bool room(void *ctx, uint64_t now)
{
	struct work *w = ctx;

	return disk_look(log_thread_disk(w->thread)).room >= LOG_ROOM_LEAST;
}

/* Read, and pass on the events that are old enough to be in order. */
static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct work *w = ctx;

	session_turn(&w->session, &w->sink, more, NULL);
	log_thread_turned(w->thread, w->following ? session_read_to(&w->session, MERGE_DELAY_NS) : 0);
	return false;
}

/* Whether to give up on the reader. */
static bool gives_up(void *ctx, uint64_t written)
{
	struct work *w = ctx;

	return reader_timeout_ends(&w->timeout, written);
}

/* Wait until everything is printed.  Returns an exit status. */
static int finish(struct work *w, bool whole)
{
	struct disk *disk = log_thread_disk(w->thread);
	int status = EXIT_DONE;

	if (!whole)
		disk_abandon(disk);
	log_thread_end(w->thread);
	for (struct disk_state at; !(at = disk_look(disk)).ended; reader_timeout_wait())
		if (gives_up(w, at.written))
			disk_abandon(disk);
	const struct log_result r = log_thread_close(w->thread);
	if (r.faults.unsorted) {
		status = say("Print without --merge.", "could not sort the log: out of memory");
	} else if (fail_output(whole ? r.error : ECANCELED, "the log") != EXIT_DONE) {
		status = EXIT_FAILED;
	}
	if (fail_corrupt(w->session.path, r.faults.corrupt_words, r.faults.falls,
		"Lines of type \"corrupt\" mark the places; everything between them is sound.") != EXIT_DONE)
		status = EXIT_FAILED;
	return status;
}

/* Print the open session.  Returns an exit status. */
static int print(struct work *w)
{
	const struct live_calls calls = {.ctx = w, .going_on = going_on, .room = room, .turn = turn};
	const struct log_thread_options options = {/* When nothing more is written, all events can be
						    * sorted. */
	    .log = {.json = w->options->json,
		.merge = w->options->merge,
		.most = w->following ? MERGE_MOST : 0},
	    .fd = STDOUT_FILENO,
	    .waiting = gives_up,
	    .ctx = w};
	bool whole = true;

	/* After a signal while following, what was read is still printed. */
	reader_timeout_init(&w->timeout, w->following ? 1 : 0);
	int error = log_thread_create(&w->thread, &options);
	if (error != 0)
		return say(shortage_remedy(error, NULL), "could not print the log: %s", shortage_why(error));
	log_thread_sink(w->thread, &w->sink);
	if (w->following)
		live_read(&w->session, &calls);
	else
		whole = live_read_present(&w->session, &calls);
	return finish(w, whole);
}

static int run(const struct options *options)
{
	struct work w = {.options = options};
	/* Without -f each ring is read to its end, so a poll has no limit on events. */
	struct options unbounded = *options;
	bool follow = options->follow || options->run != NULL;

	if (!follow)
		unbounded.max_events = 0;
	int status = observe(&w.session, follow ? options : &unbounded, RTEV_START_OLDEST);
	if (status != EXIT_DONE)
		return status;
	/* A file that is still being written is read once. */
	w.following = follow && w.session.state == SESSION_LIVE;
	status = print(&w);
	return session_close(&w.session, status);
}

const struct command command_log = {
    .name = "log",
    .synopsis = "[--json] [-f] [--merge] TARGET",
    .purpose = "every event, one per line",
    .about = "Without -f it prints what the rings hold now; a COMMAND is followed until it ends.",
    .example = "rtevtop log --merge 4711",
    .effect = "prints what the rings of process 4711 hold, in order of time",
    .options = OPTS_TARGET | OPT(json) | OPT(follow) | OPT(merge),
    .word = "TARGET",
    .target = true,
    .run = run,
};
