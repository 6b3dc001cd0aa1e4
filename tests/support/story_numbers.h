/*
 * story_numbers.h - the figures that a screen of the story must have, counted from the story itself.
 */
#pragma once

#include "support/test.h"

#include <math.h>

#include "watch/watch.h"
#include "print/number.h"
#include "support/screen_words.h"
#include "support/ui_story.h"

#define MOST 4096

/* All domains together. */
#define EVERY ~0u

/* Whether a span is a pause. */
static bool is_pause(const struct story_span *span)
{
	return !span->user && span->depth == 0 && span->id != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
}

/* The time that the target had paused its events, of [from, to). */
static uint64_t paused_in(const struct story *s, uint64_t from, uint64_t to)
{
	const uint64_t pauses[2][2] = {
	    {story_last_before(s, STORY_RESUMED), STORY_RESUMED}, {STORY_PAUSED, STORY_RESUMED_AGAIN}};
	uint64_t sum = 0;

	for (int i = 0; i < 2; i++) {
		uint64_t begin = pauses[i][0] > from ? pauses[i][0] : from;
		uint64_t end = pauses[i][1] < to ? pauses[i][1] : to;
		sum += end > begin ? end - begin : 0;
	}
	return sum;
}

/* How long a domain was observed from a time on. */
static uint64_t observed(const struct story *s, unsigned domain, uint64_t from)
{
	uint64_t first = 0, last = 0, lost = 0;
	bool ended = false, losing = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct story_event *e = &s->events[i];
		losing |= e->domain == domain && e->kind == STORY_LOST;
		if (e->domain != domain || e->kind == STORY_LOST || e->kind == STORY_LOST_EARLY)
			continue;
		if (losing && e->ts > from)
			lost += e->ts - (last > from ? last : from);
		losing = false;
		first = first == 0 ? e->ts : first;
		last = e->ts;
		ended = e->kind == STORY_LIFE && e->id == RTEV_LIFECYCLE_DOMAIN_TERMINATE;
	}
	uint64_t to = ended ? last : STORY_END;
	first = first > from ? first : from;
	return to > first ? to - first - paused_in(s, first, to) - lost : 0;
}

/* How much of [from, to) lies from a time on. */
static uint64_t clipped(const struct story_span *span, uint64_t from)
{
	uint64_t begin = span->begin > from ? span->begin : from;

	return span->end > begin ? span->end - begin : 0;
}

/* Time of a domain's pauses from a time on, the one that is still open included if `open`. */
static uint64_t gc_time(const struct story *s, unsigned domain, uint64_t from, bool open)
{
	uint64_t sum = open && domain == 1 ? 10 * STORY_MS : 0;

	for (size_t i = 0; i < s->span_count; i++)
		if (s->spans[i].domain == domain && is_pause(&s->spans[i]))
			sum += clipped(&s->spans[i], from);
	return sum;
}

/* Whether the own time of a span is a wait for other domains: its phase, and whether a pause is around it. */
static bool waits(const struct story *s, const struct story_span *span)
{
	static const unsigned phases[] = {RTEV_PHASE_STW_LEADER, RTEV_PHASE_STW_HANDLER,
	    RTEV_PHASE_STW_API_BARRIER, RTEV_PHASE_MINOR_LEAVE_BARRIER};
	bool listed = false;

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		listed |= !span->user && span->id == phases[i];
	for (size_t i = 0; listed && i < s->span_count; i++) {
		const struct story_span *outer = &s->spans[i];
		if (outer->domain == span->domain && is_pause(outer) && outer->begin <= span->begin &&
		    outer->end >= span->end)
			return true;
	}
	return false;
}

/* The own time of a domain's waits from a time on, by which none of them is cut. */
static uint64_t wait_time(const struct story *s, unsigned domain, uint64_t from)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->span_count; i++) {
		const struct story_span *span = &s->spans[i];
		if (span->domain != domain || span->end <= from || !waits(s, span))
			continue;
		CHECK(span->begin >= from);
		sum += span->end - span->begin - span->inside;
	}
	return sum;
}

/* A share and its parts as they are shown: "3.2% = 2.9 work + 0.3 waiting". */
static void split_text(double gc, double wait, char *out, size_t size)
{
	int digits = gc < 0.0995;
	double unit = digits ? 1000 : 100, all = round(gc * unit), waiting = round(wait * unit);

	unit /= 100;
	snprintf(out, size, "GC %.*f%% = %.*f work + %.*f waiting ", digits, all / unit, digits,
	    (all - waiting) / unit, digits, waiting / unit);
}

/* Order numbers. */
static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Collect durations of pauses, or of user spans, that ended from a time on, ascending; returns how many. */
static size_t durations_from(
    const struct story *s, unsigned domain, bool user, uint64_t from, uint64_t out[MOST])
{
	size_t count = 0;

	for (size_t i = 0; i < s->span_count; i++) {
		const struct story_span *span = &s->spans[i];
		if ((domain == EVERY || span->domain == domain) && span->end >= from &&
		    (user ? span->user : is_pause(span))) {
			CHECK(count < MOST);
			out[count++] = span->end - span->begin;
		}
	}
	qsort(out, count, sizeof(out[0]), by_value);
	return count;
}

static size_t durations(const struct story *s, unsigned domain, bool user, uint64_t out[MOST])
{
	return durations_from(s, domain, user, 0, out);
}

/* A percentile by nearest rank. */
static uint64_t percentile(const uint64_t *sorted, size_t count, double p)
{
	return sorted[(size_t)ceil(p * (double)count) - 1];
}

/* Sum the numbers. */
static uint64_t sum_of(const uint64_t *values, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

/* The value of a counter's events: their sum from `from` on. */
static int64_t counted(const struct story *s, unsigned domain, unsigned id, uint64_t from)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->events[i].kind == STORY_COUNTER && s->events[i].id == id && s->events[i].ts >= from &&
		    (domain == EVERY || s->events[i].domain == domain))
			sum += s->events[i].value;
	return sum;
}

/* The share of the collector of all domains, from a time on. */
static void expect_split(const char *screen, const struct story *s, uint64_t from, bool open)
{
	double gc = 0, wait = 0, seen = 0;
	char text[64];

	for (unsigned d = 0; d < 3; d++) {
		gc += (double)gc_time(s, d, from, open);
		wait += (double)wait_time(s, d, from);
		seen += (double)observed(s, d, from);
	}
	split_text(gc / seen, wait / seen, text, sizeof(text));
	char share[64], work[64], waiting[64];
	const int parts = sscanf(text, "GC %63s = %63s work + %63s waiting", share, work, waiting);
	expect_word(screen, "\n GC", share);
	if (parts != 3)
		return;
	expect_word(screen, " work", work);
	expect_word(screen, " wait", waiting);
}
