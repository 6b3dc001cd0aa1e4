/*
 * replay_show.c - times of a replay as text, jumps to a time as text, and the subject of the live view.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/recorded.h"
#include "app/top/replay.h"

#define SECOND 1000000000u
#define DAY 86400
#define SECONDS_MAX 1000000000000u /* largest number of seconds in a text; no recording is longer */

/* ---- the wall clock ---- */

/* The offset of the wall clock to timestamps; 0: unknown. */
static int64_t wall_offset(const struct trail_about *about)
{
	if (about->base_ts == 0 || about->base_ts > INT64_MAX / 2 || about->base_wall <= 0 ||
	    about->base_wall > INT64_MAX / 2)
		return 0;
	return about->base_wall - (int64_t)about->base_ts;
}

/* The local time of a timestamp.  Returns false if it is unknown. */
static bool local_time(const struct replay *r, uint64_t ts, struct tm *tm, time_t *seconds)
{
	int64_t offset = wall_offset(&r->info.about);

	if (offset == 0 || ts > INT64_MAX / 2 || (int64_t)ts + offset < 0)
		return false;
	/* A jump adds a time of day and another day. */
	if ((int64_t)ts + offset > INT64_MAX - 3 * (int64_t)DAY * SECOND)
		return false;
	*seconds = (time_t)(((int64_t)ts + offset) / SECOND);
	return localtime_r(seconds, tm) != NULL;
}

/* ---- where to jump to ---- */

/* Parse seconds such as "12", "12.5" or ".5".  Returns the rest of the text, NULL if there are none. */
static const char *take_seconds(const char *text, uint64_t *out)
{
	uint64_t whole = 0, part = 0, scale = SECOND;
	bool digits = false;

	for (; *text >= '0' && *text <= '9'; text++, digits = true) {
		whole = whole * 10 + (uint64_t)(*text - '0');
		if (whole > SECONDS_MAX)
			return NULL;
	}
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, digits = true) {
			scale /= 10;
			part += scale * (uint64_t)(*text - '0');
		}
	if (whole > UINT64_MAX / SECOND - 1)
		whole = UINT64_MAX / SECOND - 1;
	*out = whole * SECOND + part;
	return digits ? text : NULL;
}

/* Jump to a time of day. */
static const char *jump_clock(struct replay *r, const char *text)
{
	uint64_t parts[3] = {0};
	struct tm tm;
	time_t begin;
	int count = 0;

	for (const char *p = text; count < 3; p++) {
		p = take_seconds(p, &parts[count++]);
		if (p == NULL || (*p != ':' && *p != '\0'))
			return "a time of day is H:M or H:M:S";
		if (*p == '\0')
			break;
		if (count == 3)
			return "a time of day is H:M or H:M:S";
	}
	if (parts[0] >= 24 * (uint64_t)SECOND || parts[0] % SECOND != 0 ||
	    parts[1] >= 60 * (uint64_t)SECOND || (parts[1] % SECOND != 0) ||
	    parts[2] >= 61 * (uint64_t)SECOND)
		return "there is no such time of day";
	if (!local_time(r, r->info.start, &tm, &begin))
		return "the recording does not know the wall clock: give seconds";
	int64_t midnight = (int64_t)begin - tm.tm_hour * 3600 - tm.tm_min * 60 - tm.tm_sec;
	uint64_t of_day = parts[0] * 3600 + parts[1] * 60 + parts[2];
	int64_t wall = midnight * (int64_t)SECOND + (int64_t)of_day;
	/* A recording may extend beyond midnight: an earlier time of day is on the next day. */
	int64_t ts = wall - wall_offset(&r->info.about);
	if (ts < (int64_t)r->info.start && ts + (int64_t)DAY * SECOND <= (int64_t)r->info.end)
		ts += (int64_t)DAY * SECOND;
	replay_go(r, ts > 0 ? (uint64_t)ts : 0);
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
	const char *rest = take_seconds(text + (on || back), &way);
	if (rest == NULL || *rest != '\0')
		return "give +S or -S, S from the start, or H:M:S";
	if (way > INT64_MAX)
		way = INT64_MAX;
	if (on || back)
		replay_skip(r, back ? -(int64_t)way : (int64_t)way);
	else
		replay_go(r, r->info.start + way);
	return NULL;
}

/* ---- what is shown ---- */

/* Fill in struct subject_replay. */
static void gather_shown(struct replay *r)
{
	/* The default start of a model's totals is the attach. */
	uint64_t natural = r->info.about.live ? r->info.about.attach_ts : 0;
	struct model_totals t;

	model_totals(r->observation->model, &t);
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

void replay_gather(struct replay *r, struct subject *to)
{
	const struct trail_about *about = &r->info.about;
	struct tm tm;
	time_t seconds;

	if (r->indexed && !r->finished && r->since == 0)
		observation_advance(r->observation, r->position);
	gather_shown(r);
	to->watch = r->observation->watch;
	to->advice = r->observation->advice;
	to->state = SUBJECT_REPLAY;
	to->replay = &r->shown;
	to->pid = about->pid;
	to->name = recorded_name(about, r->path);
	to->ocaml = recorded_version(about);
	to->ocaml_from = about->ocaml_from;
	to->path = r->path;
	to->now = r->position;
	to->wall_offset = wall_offset(about);
	r->clock[0] = '\0';
	if (r->indexed && local_time(r, r->position, &tm, &seconds)) {
		to->zone_s = (int32_t)tm.tm_gmtoff;
		strftime(r->clock, sizeof(r->clock), "%H:%M:%S", &tm);
		if (strftime(r->date, sizeof(r->date), "%Y-%m-%d", &tm) != 0)
			r->shown.date = r->date;
	}
	to->clock = r->clock;
}
