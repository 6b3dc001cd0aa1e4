/*
 * stw_report.c - counts stops and reads them out; see stw.h.
 */
#include <string.h>

#include "model/span_time.h"
#include "watch/stw_private.h"

void stw_reset(struct stw *s)
{
	for (unsigned i = 0; i < s->domain_limit; i++) {
		if (s->domains[i] == NULL)
			continue;
		hist_fini(&s->domains[i]->pub.lateness);
		s->domains[i]->pub = (struct stw_domain){0};
	}
	hist_fini(&s->totals.lateness);
	hist_fini(&s->totals.durations);
	s->totals = (struct stw_totals){0};
	s->recent_count = 0;
	s->longest_count = 0;
}

void stw_forget(struct stw *s)
{
	s->forgets = true;
	s->recent_count = s->arrival_count = 0;
	s->longest_count = 0;
}

/* Whether events of any domain may be missing in [from, to]. */
static bool stw_blind(const struct stw *s, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; s->has_blinds && i < s->domain_limit; i++) {
		const struct stw_slot *d = s->domains[i];

		if (d == NULL)
			continue;
		if (d->blind_open && d->blind_from <= to)
			return true;
		for (unsigned k = 0; k < d->blind_count; k++)
			if (d->blinds[k].from <= to && d->blinds[k].to >= from)
				return true;
	}
	return false;
}

/* When a domain arrived. */
static uint64_t part_arrival(const struct part *part)
{
	return part->arrive != 0 ? part->arrive : part->begin;
}

/* Store the arrivals of a synchronous stop; a stop with too many stores none. */
static void stw_keep_arrivals(struct stw *s, struct stw_stop *stop, uint64_t last)
{
	unsigned room = STW_ARRIVALS - (unsigned)(s->arrival_count % STW_ARRIVALS);

	if (stop->count > STW_ARRIVALS)
		return;
	if (room < stop->count)
		s->arrival_count += room;
	stop->arrivals = s->arrival_count;
	for (unsigned i = 0; i < stop->count; i++) {
		const struct part *part = s->taking[i].part;
		uint64_t arrival = part_arrival(part);

		s->arrivals[s->arrival_count++ % STW_ARRIVALS] = (struct stw_arrival){
		    .after = arrival - stop->begin,
		    .wait = last - arrival,
		    .released = part->release > stop->begin ? part->release - stop->begin : 0,
		    .domain = s->taking[i].domain,
		};
	}
}

/* Return the id of `before` or else `around`, whichever covers nine tenths of [from, to]; `none` if neither
 * does.  `around` is still open at `to`.  Not all of the interval, because a domain may enter a span just
 * after the stop began, or leave it just before it arrives. */
static uint32_t covering(
    const struct stw_span *before, const struct stw_span *around, uint64_t from, uint64_t to, uint32_t none)
{
	uint64_t least = (to - from) / 10 * 9;

	if (before->id != none && span_time(before->begin, before->end, from, to) >= least)
		return before->id;
	if (around->id != none && span_time(around->begin, to, from, to) >= least)
		return around->id;
	return none;
}

/* What a domain was in while the others waited for it, from the stop's begin to its arrival. */
static struct stw_doing part_doing(const struct part *part, uint64_t from)
{
	uint64_t to = part_arrival(part);

	return (struct stw_doing){
	    .user = covering(&part->user_before, &part->user_around, from, to, MODEL_NO_USER),
	    .phase = (rtev_phase)covering(&part->phase_before, &part->phase_around, from, to, STW_NO_PHASE),
	};
}

/* Find the last arrival of a synchronous stop, and how long the others waited. */
static void stop_blame(struct stw *s, struct stw_stop *stop)
{
	const struct part *late = NULL;
	uint64_t last = 0;

	for (unsigned i = 0; i < stop->count; i++) {
		uint64_t arrival = part_arrival(s->taking[i].part);

		if (arrival > last) {
			last = arrival;
			stop->last = s->taking[i].domain;
			late = s->taking[i].part;
		}
	}
	if (late != NULL && !late->leader)
		stop->doing = part_doing(late, stop->begin);
	stop->lateness = last - stop->begin;
	for (unsigned i = 0; i < stop->count; i++)
		stop->wait += last - part_arrival(s->taking[i].part);
	stw_keep_arrivals(s, stop, last);
}

/* The arrivals at one of the latest stops; none when they are no longer kept. */
static const struct stw_arrival *arrivals_of(
    const struct stw *s, const struct stw_stop *stop, unsigned *count)
{
	bool kept = stop->kind == STW_SYNC && stop->count <= STW_ARRIVALS &&
		    s->arrival_count - stop->arrivals <= STW_ARRIVALS;

	*count = kept ? stop->count : 0;
	return &s->arrivals[stop->arrivals % STW_ARRIVALS];
}

/* Count a time, unless the distributions are not kept. */
static void stw_measure(const struct stw *s, struct hist *h, uint64_t ns)
{
	if (!s->forgets)
		hist_add(h, ns);
}

/* Add a blamed stop to the totals of its domains. */
static void stop_add(struct stw *s, const struct stw_stop *stop)
{
	const struct stw_arrival *arrivals = stw_arrivals(s, stop, NULL);

	s->totals.wait += stop->wait;
	stw_measure(s, &s->totals.lateness, stop->lateness);
	for (unsigned i = 0; i < stop->count; i++) {
		struct stw_domain *d = &s->domains[s->taking[i].domain]->pub;

		d->joined++;
		d->waited += arrivals == NULL ? 0 : arrivals[i].wait;
		if (s->taking[i].domain == stop->last) {
			d->last++;
			d->caused += stop->wait;
			stw_measure(s, &d->lateness, stop->lateness);
		}
	}
}

/* Put a stop among the longest, if it is one. */
static void stop_rank(struct stw *s, const struct stw_stop *stop)
{
	bool full = s->longest_count == STW_LONGEST;
	unsigned i = full ? STW_LONGEST - 1 : s->longest_count, row = full ? s->longest_rows[i] : i, count;

	if (s->forgets || (full && stop->duration <= s->longest[i].duration))
		return;
	s->longest_count += !full;
	for (; i > 0 && stop->duration > s->longest[i - 1].duration; i--) {
		s->longest[i] = s->longest[i - 1];
		s->longest_rows[i] = s->longest_rows[i - 1];
	}
	s->longest[i] = *stop;
	s->longest_rows[i] = row;
	const struct stw_arrival *arrivals = arrivals_of(s, stop, &count);
	if (count > 0 && count <= STW_LONGEST_ARRIVALS)
		memcpy(s->longest_arrivals[row], arrivals, count * sizeof(*arrivals));
}

void stw_count(struct stw *s, enum stw_kind kind, unsigned count)
{
	struct stw_stop *stop = &s->recent[s->recent_count++ % STW_RECENT];
	const struct part *lead = s->taking[0].part;
	uint64_t end = lead->end;

	*stop = (struct stw_stop){
	    .begin = lead->begin,
	    .leader = s->taking[0].domain,
	    .last = s->taking[0].domain,
	    .count = count,
	    .kind = kind,
	    .phase = RTEV_PHASE_STW_LEADER,
	    .doing = {.user = MODEL_NO_USER, .phase = STW_NO_PHASE},
	    .partial = (kind == STW_SYNC && count == 1) || stw_blind(s, lead->begin, lead->end),
	};
	for (unsigned i = 0; i < count; i++) {
		const struct part *part = s->taking[i].part;

		s->domains[s->taking[i].domain]->took_part = true;
		end = part->end > end ? part->end : end;
		if (part->work > stop->work) {
			stop->work = part->work;
			stop->phase = part->phase;
		}
	}
	stop->duration = end - stop->begin;
	s->totals.stops++;
	if (stop->partial)
		s->totals.partial++;
	else {
		s->totals.kinds[kind]++;
		stw_measure(s, &s->totals.durations, stop->duration);
	}
	s->domains[stop->leader]->pub.led++;
	if (kind == STW_SYNC)
		stop_blame(s, stop);
	if (stop->partial)
		return;
	if (kind == STW_SYNC)
		stop_add(s, stop);
	stop_rank(s, stop);
}

const struct stw_totals *stw_totals(const struct stw *s)
{
	return &s->totals;
}

const struct stw_domain *stw_domain(const struct stw *s, unsigned domain)
{
	const struct stw_slot *d = domain < s->domain_limit ? s->domains[domain] : NULL;

	return d != NULL && d->took_part ? &d->pub : NULL;
}

unsigned stw_domain_limit(const struct stw *s)
{
	return s->domain_limit;
}

size_t stw_recent_count(const struct stw *s)
{
	return s->recent_count < STW_RECENT ? (size_t)s->recent_count : STW_RECENT;
}

const struct stw_stop *stw_recent(const struct stw *s, size_t index)
{
	if (index >= stw_recent_count(s))
		return NULL;
	return &s->recent[(s->recent_count - 1 - index) % STW_RECENT];
}

size_t stw_longest_count(const struct stw *s)
{
	return s->longest_count;
}

const struct stw_stop *stw_longest(const struct stw *s, size_t index)
{
	return index < s->longest_count ? &s->longest[index] : NULL;
}

const struct stw_arrival *stw_arrivals(const struct stw *s, const struct stw_stop *stop, size_t *count)
{
	const struct stw_arrival *arrivals;
	unsigned found;

	if (stop >= s->longest && stop < s->longest + s->longest_count) {
		found = stop->kind == STW_SYNC && stop->count <= STW_LONGEST_ARRIVALS ? stop->count : 0;
		arrivals = s->longest_arrivals[s->longest_rows[stop - s->longest]];
	} else {
		arrivals = arrivals_of(s, stop, &found);
	}
	if (count != NULL)
		*count = found;
	return found > 0 ? arrivals : NULL;
}

const char *stw_work_name(enum stw_work work)
{
	static const char *const names[] = {
	    [STW_NOTHING] = "none",
	    [STW_MINOR] = "minor",
	    [STW_RESIZE] = "resize",
	    [STW_MAJOR] = "major",
	    [STW_COMPACTION] = "compaction",
	};

	return (unsigned)work <= STW_COMPACTION ? names[work] : names[STW_NOTHING];
}
