/*
 * subject.c - times of a subject.
 */
#include "ui/subject.h"

#include <stdio.h>
#include <time.h>

#define SECOND 1000000000
#define DAY 86400

bool subject_clock(const struct subject *subject, uint64_t ts, int digits, char out[SUBJECT_CLOCK])
{
	out[0] = '\0';
	/* The stamp and the wall clock of a recording may be anything: check their sum. */
	if (subject->wall_offset == 0 || subject->wall_offset > INT64_MAX / 2 || ts > INT64_MAX / 2)
		return false;
	int64_t real = (int64_t)ts + subject->wall_offset;
	if (real < 0)
		return false;
	int64_t second = (real / SECOND + subject->zone_s) % DAY;
	if (second < 0)
		second += DAY;
	int64_t rest = real % SECOND;
	unsigned scale = digits <= 0 ? SECOND : digits <= 3 ? 1000000 : digits <= 6 ? 1000 : 1;
	int at = snprintf(out, SUBJECT_CLOCK, "%02u:%02u:%02u", (unsigned)(second / 3600) % 24,
	    (unsigned)(second / 60 % 60), (unsigned)(second % 60));
	if (scale != SECOND)
		snprintf(out + at, SUBJECT_CLOCK - (size_t)at, ".%0*u",
		    scale == 1	    ? 9
		    : scale == 1000 ? 6
				    : 3,
		    (unsigned)rest / scale);
	return true;
}

bool subject_since(const struct subject *subject, uint64_t ts, char *buf, size_t size)
{
	char clock[SUBJECT_CLOCK];
	struct tm tm;

	if (!subject_clock(subject, ts, 0, clock))
		return false;
	uint64_t age = subject->now > ts ? (subject->now - ts) / SECOND : 0;
	time_t local = (time_t)(((int64_t)ts + subject->wall_offset) / SECOND + subject->zone_s);
	if (gmtime_r(&local, &tm) == NULL)
		return false;
	if (age < DAY)
		return strftime(buf, size, "%H:%M", &tm) != 0;
	if (age < 7 * DAY)
		return strftime(buf, size, "%a %H:%M", &tm) != 0;
	return strftime(buf, size, "%d %b", &tm) != 0;
}

bool subject_over(const struct subject *subject)
{
	return subject->state == SUBJECT_EXITED || subject->state == SUBJECT_TRUNCATED;
}

uint64_t subject_time(const struct subject *subject)
{
	struct model_totals t;

	if (subject->watch == NULL || !subject_over(subject))
		return subject->now;
	model_totals(watch_model(subject->watch), &t);
	uint64_t last = t.now > t.last_ts ? t.now : t.last_ts;
	return last != 0 && last < subject->now ? last : subject->now;
}
