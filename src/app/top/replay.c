/*
 * replay.c - play a recording: open it, advance, go back.
 */
#include "app/top/replay.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/recorded.h"
#include "core/clock.h"
#include "core/sum.h"

#define INDEX_RECORDS 20000u /* indexed in one turn, at most */
#define FEED_EVENTS 20000u   /* delivered between two checks of the clock */
#define ELAPSED_MAX_NS 1000000000u
#define TURN_NS 30000000u	  /* longest turn, so that keys are handled */
#define REBUILD_EVENTS 2000000u	  /* delivered again when going back, at most: about half a second */
#define CATCH_UP_EVENTS 20000000u /* delivered in a jump ahead, at most: a few seconds */

/* ---- opening ---- */

/* Replace the observation by a new one.  Returns false, and keeps the old one, if memory ran out. */
static bool renew(struct replay *r)
{
	struct observation *fresh = observation_create(&(struct observation_options){.about = &r->info.about,
	    .parts = OBSERVE_WATCH | OBSERVE_ADVICE,
	    .history_budget = r->history_budget});

	if (fresh == NULL)
		return false;
	observation_destroy(r->observation);
	r->observation = fresh;
	r->renewed = true;
	r->finished = false;
	return true;
}

int replay_open(struct replay *r, const char *path, int fd, size_t history_budget)
{
	struct stat st;

	memset(r, 0, sizeof(*r));
	strlcpy(r->path, path, sizeof(r->path));
	r->fd = fd;
	r->history_budget = history_budget;
	if (fstat(r->fd, &st) != 0) {
		fail_message(NULL, "could not open %s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	r->file_bytes = (uint64_t)st.st_size;
	int status = recorded_open(&r->trail, path, r->fd);
	if (status == EXIT_DONE) {
		trail_info(r->trail, &r->info);
		if (renew(r))
			return EXIT_DONE;
		fail_message(NULL, "could not play %s: out of memory", path);
	}
	return replay_close(r, EXIT_FAILED);
}

int replay_close(struct replay *r, int status)
{
	if (r->trail != NULL) {
		trail_info(r->trail, &r->info);
		status = recorded_report(r->trail, r->path, status);
	}
	observation_destroy(r->observation);
	trail_close(r->trail);
	if (r->fd >= 0)
		close(r->fd);
	r->observation = NULL;
	r->trail = NULL;
	r->fd = -1;
	return status;
}

/* ---- going on ---- */

/* Index a part of the file; when all is indexed, begin to play. */
static void read_in(struct replay *r)
{
	bool more = trail_index(r->trail, INDEX_RECORDS);

	trail_info(r->trail, &r->info);
	if (more)
		return;
	r->indexed = true;
	r->position = r->target = r->info.start;
	trail_rewind(r->trail, 0);
	r->playing = true;
	r->last_turn = monotonic_now();
}

/* The target after playing for `elapsed`. */
static uint64_t played(const struct replay *r, uint64_t elapsed)
{
	uint64_t way = r->speed < 0 ? elapsed >> -r->speed : elapsed << r->speed;
	uint64_t to = sum_saturating(r->position, way);

	return to < r->info.end ? to : r->info.end;
}

/* Deliver events with keys up to `until`.  Returns false at the deadline. */
static bool deliver(struct replay *r, uint64_t until, uint64_t deadline)
{
	uint64_t key;

	while (trail_next(r->trail, &key) && key <= until) {
		/* Series are measured in steps.  Advance to the end of the step of the next event, however
		 * far the jump. */
		uint64_t step = sum_saturating(key, WATCH_STEP - 1 - key % WATCH_STEP);
		if (step > until)
			step = until;
		uint64_t done = trail_feed(r->trail, &r->observation->trail, step, FEED_EVENTS);
		if (model_status(r->observation->model) != RTEV_OK)
			return true;
		if (trail_next(r->trail, &key) && key <= step)
			r->position = key > r->position ? key : r->position;
		else if (step < until)
			observation_advance(r->observation, step);
		if (done == FEED_EVENTS && monotonic_now() >= deadline)
			return false;
	}
	return true;
}

/* Reset the totals where they are to begin.  Returns false at the deadline. */
static bool begin_totals(struct replay *r, uint64_t deadline)
{
	if (r->since == 0)
		return true;
	if (!deliver(r, r->since - 1, deadline))
		return false;
	observation_advance(r->observation, r->since - 1);
	model_set_now(r->observation->model, r->since);
	model_reset(r->observation->model);
	r->since = 0;
	return true;
}

static void finish(struct replay *r)
{
	if (r->info.about.live)
		model_set_now(r->observation->model, r->info.end);
	observation_advance(r->observation, r->info.end);
	observation_finish(r->observation);
	r->finished = true;
	r->playing = false;
}

bool replay_turn(struct replay *r)
{
	uint64_t now = monotonic_now(), elapsed = now - r->last_turn, deadline = now + TURN_NS;

	/* The program was suspended. */
	if (elapsed > ELAPSED_MAX_NS)
		elapsed = ELAPSED_MAX_NS;
	r->last_turn = now;
	if (!r->indexed) {
		read_in(r);
		return true;
	}
	if (r->playing && !r->seeking)
		r->target = played(r, elapsed);
	if (r->finished || (!r->seeking && r->target == r->position))
		return false;
	if (!begin_totals(r, deadline) || !deliver(r, r->target, deadline))
		return true;
	r->position = r->target;
	model_drained(r->observation->model);
	if (r->position >= r->info.end)
		finish(r);
	if (r->seeking)
		r->last_turn = monotonic_now();
	r->seeking = false;
	return false;
}

bool replay_moves(const struct replay *r)
{
	return !r->indexed || r->playing || r->seeking;
}

/* ---- keys ---- */

void replay_go(struct replay *r, uint64_t to)
{
	if (!r->indexed)
		return;
	if (to < r->info.start)
		to = r->info.start;
	if (to > r->info.end)
		to = r->info.end;
	uint64_t here = trail_events_until(r->trail, r->position), there = trail_events_until(r->trail, to);
	bool back = to < r->position || (r->finished && to < r->info.end);
	if (back || (there > here && there - here > CATCH_UP_EVENTS)) {
		if (!renew(r))
			return;
		r->since = trail_since(r->trail, to, REBUILD_EVENTS);
		trail_rewind(r->trail, r->since);
		r->position = r->since != 0 ? r->since : r->info.start;
	}
	r->target = to;
	r->seeking = !r->finished;
}

void replay_play(struct replay *r)
{
	if (!r->indexed)
		return;
	if (r->finished)
		replay_go(r, r->info.start);
	r->playing = !r->playing;
	r->last_turn = monotonic_now();
}

void replay_speed(struct replay *r, int direction)
{
	int speed = r->speed + direction;

	if (speed >= -REPLAY_SPEED_MAX && speed <= REPLAY_SPEED_MAX)
		r->speed = speed;
}

/* The origin of a relative jump: the target of the jump in progress. */
static uint64_t here(const struct replay *r)
{
	return r->seeking ? r->target : r->position;
}

void replay_step(struct replay *r, int direction, uint64_t delay_ns)
{
	uint64_t from = here(r), to, key;

	if (!r->indexed)
		return;
	r->playing = false;
	if (direction > 0) {
		to = sum_saturating(from, delay_ns);
		if (!r->seeking && trail_next(r->trail, &key) && key > to)
			to = key;
	} else {
		to = from - r->info.start > delay_ns ? from - delay_ns : r->info.start;
		if (!r->seeking && trail_last(r->trail, &key) && key <= to)
			to = key > r->info.start ? key - 1 : r->info.start;
	}
	replay_go(r, to);
}

void replay_skip(struct replay *r, int64_t nanoseconds)
{
	uint64_t from = here(r), way = (uint64_t)nanoseconds;

	if (nanoseconds >= 0)
		replay_go(r, sum_saturating(from, way));
	else
		replay_go(r, from > 0 - way ? from + way : 0);
}

void replay_start(struct replay *r)
{
	replay_go(r, r->info.start);
}

void replay_end(struct replay *r)
{
	replay_go(r, r->info.end);
}
