/* replay.c - play a recording: open it, go on or back, jump to a time, and show the position. */
#include "app/top/replay.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/observe.h"
#include "core/clock.h"
#include "print/number.h"

#define INDEX_RECORDS 20000u /* most records indexed in one turn */
#define FEED_EVENTS 20000u   /* delivered between two checks of the clock */
#define ELAPSED_MAX_NS 1000000000u
#define TURN_NS 30000000u	  /* longest turn, so that keys are handled */
#define REBUILD_EVENTS 2000000u	  /* most events delivered again to go back: about half a second */
#define CATCH_UP_EVENTS 20000000u /* most events delivered in a jump ahead: a few seconds */

#define SECOND 1000000000u
#define DAY 86400

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
	if (fstat(r->fd, &st) != 0)
		return say(NULL, "could not open %s: %s", path, strerror(errno));
	r->file_bytes = (uint64_t)st.st_size;
	int status = recorded_open(&r->trail, path, r->fd);
	if (status == EXIT_DONE) {
		trail_info(r->trail, &r->info);
		if (renew(r))
			return EXIT_DONE;
		say(NULL, "could not play %s: out of memory", path);
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
	observation_destroy(r->whole);
	trail_close(r->trail);
	if (r->fd >= 0)
		close(r->fd);
	r->observation = r->whole = NULL;
	r->trail = NULL;
	r->fd = -1;
	return status;
}

/* ---- going on ---- */

/* Return the target after playing for `elapsed`. */
static uint64_t played(const struct replay *r, uint64_t elapsed)
{
	uint64_t way = r->speed < 0 ? elapsed >> -r->speed : elapsed << r->speed;
	uint64_t to = sum_saturating(r->position, way);

	return to < r->info.end ? to : r->info.end;
}

/* Deliver events with keys up to `until` to an observation.  Returns false at the deadline. */
static bool deliver(struct replay *r, struct observation *to, uint64_t until, uint64_t deadline)
{
	uint64_t key;

	while (trail_next(r->trail, &key) && key <= until) {
		/* Series are measured in steps.  Advance to the end of the step of the next event, however
		 * far the jump. */
		uint64_t step = sum_saturating(key, WATCH_STEP - 1 - key % WATCH_STEP);
		if (step > until)
			step = until;
		uint64_t done = trail_feed(r->trail, &to->trail, step, FEED_EVENTS);
		if (model_status(to->model) != RTEV_OK)
			return true;
		if (trail_next(r->trail, &key) && key <= step)
			r->position = key > r->position ? key : r->position;
		else if (step < until)
			observation_advance(to, step);
		if (done == FEED_EVENTS && monotonic_now() >= deadline)
			return false;
	}
	return true;
}

/* Judge a part of the file, up to the deadline; at the end, set the sentence about the whole file. */
static void judge(struct replay *r, uint64_t deadline)
{
	struct observation *o = r->whole;

	if (!deliver(r, o, r->info.end, deadline))
		return;
	model_drained(o->model);
	if (r->info.about.live)
		model_set_now(o->model, r->info.end);
	observation_advance(o, r->info.end);
	observation_finish(o);
	r->said = *observation_headline(o, r->info.end);
	observation_destroy(o);
	r->whole = NULL;
}

/* Index a part of the file, or judge a part of it; when both are done, begin to play. */
static void read_in(struct replay *r, uint64_t deadline)
{
	if (r->whole != NULL) {
		judge(r, deadline);
	} else if (!r->read) {
		r->read = !trail_index(r->trail, INDEX_RECORDS);
		trail_info(r->trail, &r->info);
		if (!r->read || trail_events_until(r->trail, r->info.end) > CATCH_UP_EVENTS)
			return;
		trail_rewind(r->trail, 0);
		r->whole = observation_create(&(struct observation_options){
		    .about = &r->info.about, .parts = OBSERVE_ADVICE | OBSERVE_FIBERS, .whole = true});
	}
	if (!r->read || r->whole != NULL)
		return;
	r->indexed = true;
	r->position = r->target = r->info.start;
	trail_rewind(r->trail, 0);
	r->playing = true;
	r->last_turn = monotonic_now();
}

/* Reset the totals where they are to begin.  Returns false at the deadline. */
static bool begin_totals(struct replay *r, uint64_t deadline)
{
	if (r->since == 0)
		return true;
	if (!deliver(r, r->observation, r->since - 1, deadline))
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

	/* After a longer time the program was suspended. */
	if (elapsed > ELAPSED_MAX_NS)
		elapsed = ELAPSED_MAX_NS;
	r->last_turn = now;
	if (!r->indexed) {
		read_in(r, deadline);
		return true;
	}
	if (r->playing && !r->seeking)
		r->target = played(r, elapsed);
	if (r->finished || (!r->seeking && r->target == r->position))
		return false;
	if (!begin_totals(r, deadline) || !deliver(r, r->observation, r->target, deadline))
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

/* Jump to a timestamp, or the nearest one in the recording. */
static void go(struct replay *r, uint64_t to)
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
		go(r, r->info.start);
	r->playing = !r->playing;
	r->last_turn = monotonic_now();
}

void replay_speed(struct replay *r, int direction)
{
	int speed = r->speed + direction;

	if (speed >= -REPLAY_SPEED_MAX && speed <= REPLAY_SPEED_MAX)
		r->speed = speed;
}

/* Return the origin of a relative jump, which is the target of a jump in progress. */
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
	go(r, to);
}

void replay_skip(struct replay *r, int64_t nanoseconds)
{
	uint64_t from = here(r), way = (uint64_t)nanoseconds;

	if (nanoseconds >= 0)
		go(r, sum_saturating(from, way));
	else
		go(r, from > 0 - way ? from + way : 0);
}

void replay_start(struct replay *r)
{
	go(r, r->info.start);
}

void replay_end(struct replay *r)
{
	go(r, r->info.end);
}

/* ---- the wall clock ---- */

/* The local time of a timestamp.  Returns false if it is unknown. */
static bool local_time(const struct replay *r, uint64_t ts, struct tm *tm, time_t *seconds)
{
	int64_t offset = recorded_wall_offset(&r->info.about);

	if (offset == 0 || ts > INT64_MAX / 2 || (int64_t)ts + offset < 0)
		return false;
	/* Leave room for a time of day and a day, which a jump may add. */
	if ((int64_t)ts + offset > INT64_MAX - 3 * (int64_t)DAY * SECOND)
		return false;
	*seconds = (time_t)(((int64_t)ts + offset) / SECOND);
	return localtime_r(seconds, tm) != NULL;
}

/* ---- where to jump to ---- */

/* Jump to a time of day. */
static const char *jump_clock(struct replay *r, const char *text)
{
	uint64_t of_day;
	struct tm tm;
	time_t begin;

	if (!clock_text_read(text, &of_day))
		return "there is no such time of day: H:M or H:M:S";
	if (!local_time(r, r->info.start, &tm, &begin))
		return "the recording does not know the wall clock: give seconds";
	int64_t midnight = (int64_t)begin - tm.tm_hour * 3600 - tm.tm_min * 60 - tm.tm_sec;
	int64_t wall = midnight * (int64_t)SECOND + (int64_t)of_day;
	/* A recording may extend beyond midnight: an earlier time of day is on the next day. */
	int64_t ts = wall - recorded_wall_offset(&r->info.about);
	if (ts < (int64_t)r->info.start && ts + (int64_t)DAY * SECOND <= (int64_t)r->info.end)
		ts += (int64_t)DAY * SECOND;
	go(r, ts > 0 ? (uint64_t)ts : 0);
	return NULL;
}

const char *replay_jump(struct replay *r, const char *text)
{
	bool on = text[0] == '+', back = text[0] == '-';
	uint64_t way;

	if (!r->indexed)
		return "the file is still being read";
	if (r->info.start > INT64_MAX / 2)
		return "the stamps are too large";
	if (strchr(text, ':') != NULL)
		return jump_clock(r, text);
	/* Any time too long to be read leads to an end. */
	if (!time_text_read(text + (on || back), &way) && way == 0)
		return "give +S or -S, S from the start, or H:M:S";
	way = way < TIME_TEXT_MAX_NS ? way : TIME_TEXT_MAX_NS;
	if (on || back)
		replay_skip(r, back ? -(int64_t)way : (int64_t)way);
	else
		go(r, r->info.start + way);
	return NULL;
}

/* ---- what is shown ---- */

/* Fill in struct subject_replay. */
static void gather_shown(struct replay *r)
{
	/* The default start of a model's totals is the attach. */
	uint64_t natural = r->info.about.live ? r->info.about.attach_ts : 0;
	const struct model_totals t = model_totals(r->observation->model);

	/* The file may have grown since. */
	double share = r->file_bytes != 0 ? (double)r->info.bytes / (double)r->file_bytes : 0;
	r->shown = (struct subject_replay){
	    .reading = !r->indexed,
	    .share = share < 1 ? share : 1,
	    .playing = r->playing,
	    .seeking = r->seeking,
	    .at_end = r->finished,
	    .cut = r->info.fault != NULL ? r->info.truncated : r->info.indexed && !r->info.ended,
	    .damaged = r->info.fault != NULL && !r->info.truncated,
	    .speed = r->speed,
	    .start = r->info.start,
	    .end = r->info.end,
	    .counts_from = t.since_ts > natural && t.since_ts > r->info.start ? t.since_ts : 0,
	};
}

/* Set the sentence up to the position.  If too little was played for one, use that of the whole file. */
static void gather_headline(const struct replay *r, struct headline *out)
{
	struct observation *o = r->observation;

	if (!r->indexed) {
		*out = (struct headline){.state = true, .text = "reading the file"};
		return;
	}
	*out = *observation_headline(o, r->position);
	if (r->said.text[0] == '\0' || r->finished || !advice_looking(o->advice) ||
	    out->level != LEVEL_NONE || out->state)
		return;
	*out = r->said;
	headline_of_what(out, "whole file");
}

void replay_gather(struct replay *r, struct subject *to)
{
	const struct trail_about *about = &r->info.about;
	struct tm tm;
	time_t seconds;

	if (r->indexed && !r->finished && r->since == 0)
		observation_advance(r->observation, r->position);
	gather_shown(r);
	gather_headline(r, &to->headline);
	to->watch = r->observation->watch;
	to->advice = r->observation->advice;
	to->fibers = schedulers_first(r->observation->schedulers, &to->scheduler);
	to->state = SUBJECT_REPLAY;
	to->replay = &r->shown;
	to->pid = about->pid;
	to->name = recorded_name(about, r->path);
	to->ocaml = recorded_version(about);
	to->ocaml_from = about->ocaml_from;
	to->path = r->path;
	to->now = r->position;
	to->wall_offset = recorded_wall_offset(about);
	r->clock[0] = '\0';
	if (r->indexed && local_time(r, r->position, &tm, &seconds)) {
		to->zone_s = (int32_t)tm.tm_gmtoff;
		strftime(r->clock, sizeof(r->clock), "%H:%M:%S", &tm);
		if (strftime(r->date, sizeof(r->date), "%Y-%m-%d", &tm) != 0)
			r->shown.date = r->date;
	}
	to->clock = r->clock;
}
