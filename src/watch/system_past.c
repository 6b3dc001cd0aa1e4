/*
 * system_past.c - see system_past.h.
 */
#include "watch/system_past.h"

#include <math.h>
#include <stdlib.h>

#include "model/copy.h"

_Static_assert(SYSTEM_VALUE_COUNT <= 64, "a bit for each value");

static const enum system_unit units[] = {
#define X(name, text, unit) [name] = unit,
    SYSTEM_VALUES(X)
#undef X
};

struct system_past {
	struct system_sample latest;
	bool any; /* there is a latest one */
	struct ocaml_settings settings;
	bool has_settings;
	bool broken; /* the next one is not compared with it */
	size_t first, count;
	uint64_t time;	/* that the totals are of */
	uint64_t known; /* totals: a bit for each value */
	uint64_t totals[SYSTEM_VALUE_COUNT];
	struct system_row rows[SYSTEM_PAST_ROWS];
};

struct system_past *system_past_create(void)
{
	struct system_past *past = calloc(1, sizeof(*past));

	return past;
}

void system_past_destroy(struct system_past *past)
{
	free(past);
}

struct system_past *system_past_copy(const struct system_past *from)
{
	bool ok = true;

	return copy_bytes(from, sizeof(*from), &ok);
}

static bool is_counter(enum system_value_id id)
{
	return units[id] == SYSTEM_COUNTER || units[id] == SYSTEM_COUNTER_NS;
}

/* What a value of a thread grew by; false when that is not known. */
static bool thread_grown(const struct system_value *older, const struct system_value *newer, uint64_t *grown)
{
	*grown = newer->value > older->value ? newer->value - older->value : 0;
	return older->known == SYSTEM_KNOWN && newer->known == SYSTEM_KNOWN;
}

/* Find who ran longest and who waited longest.  Both lists rise by tid. */
static void find_busy(
    const struct system_sample *older, const struct system_sample *newer, struct system_row *row)
{
	unsigned a = 0;

	for (unsigned b = 0; b < newer->thread_count; b++) {
		const struct system_thread *now = &newer->threads[b];
		struct system_busy busy = {.tid = now->tid};

		while (a < older->thread_count && older->threads[a].tid < now->tid)
			a++;
		/* A thread that was not read in both says nothing of this time. */
		if (a == older->thread_count || older->threads[a].tid != now->tid ||
		    older->threads[a].ts != older->ts || now->ts != newer->ts ||
		    !thread_grown(&older->threads[a].run, &now->run, &busy.run) ||
		    !thread_grown(&older->threads[a].wait, &now->wait, &busy.wait))
			continue;
		if (busy.run > row->ran_most.run)
			row->ran_most = busy;
		if (busy.wait > row->waited_most.wait)
			row->waited_most = busy;
	}
}

/* Compare two samples. */
static void compare(
    const struct system_sample *older, const struct system_sample *newer, struct system_row *row)
{
	*row = (struct system_row){
	    .from = older->ts, .to = newer->ts, .in_turns = older->in_turns || newer->in_turns};
	for (unsigned i = 0; i < SYSTEM_VALUE_COUNT; i++) {
		bool known = is_counter(i) ? system_grown(older, newer, i, &row->values[i])
					   : system_gauge(newer, i, &row->values[i]);

		if (known)
			row->known |= UINT64_C(1) << i;
	}
	find_busy(older, newer, row);
}

/* Add a row to the totals. */
static void sum_up(struct system_past *past, const struct system_row *row)
{
	past->time += row->to - row->from;
	for (unsigned i = 0; i < SYSTEM_VALUE_COUNT; i++) {
		uint64_t value, bit = UINT64_C(1) << i;

		if (!is_counter(i) || !system_row_get(row, i, &value))
			continue;
		past->known |= bit;
		past->totals[i] +=
		    value > UINT64_MAX - past->totals[i] ? UINT64_MAX - past->totals[i] : value;
	}
}

void system_past_add(struct system_past *past, const struct system_sample *sample)
{
	if (past->any && sample->ts <= past->latest.ts)
		return;
	if (past->any && !past->broken) {
		struct system_row *row = &past->rows[(past->first + past->count) % SYSTEM_PAST_ROWS];

		if (past->count == SYSTEM_PAST_ROWS)
			past->first = (past->first + 1) % SYSTEM_PAST_ROWS;
		else
			past->count++;
		compare(&past->latest, sample, row);
		sum_up(past, row);
	}
	past->latest = *sample;
	past->any = true;
	past->broken = false;
}

void system_past_set_settings(struct system_past *past, const struct ocaml_settings *settings)
{
	past->settings = *settings;
	past->has_settings = true;
}

const struct ocaml_settings *system_past_settings(const struct system_past *past)
{
	return past->has_settings ? &past->settings : NULL;
}

void system_past_break(struct system_past *past)
{
	past->broken = true;
}

const struct system_sample *system_past_latest(const struct system_past *past)
{
	return past->any ? &past->latest : NULL;
}

bool system_past_total(const struct system_past *past, enum system_value_id id, uint64_t *value)
{
	*value = 0;
	if (!past->any)
		return false;
	if (!is_counter(id))
		return system_gauge(&past->latest, id, value);
	*value = past->totals[id];
	return (past->known >> id & 1) != 0;
}

uint64_t system_past_time(const struct system_past *past)
{
	return past->time;
}

size_t system_past_count(const struct system_past *past)
{
	return past->count;
}

const struct system_row *system_past_row(const struct system_past *past, size_t i)
{
	return i < past->count ? &past->rows[(past->first + i) % SYSTEM_PAST_ROWS] : NULL;
}

const struct system_row *system_past_at(const struct system_past *past, uint64_t ts)
{
	size_t low = 0, high = past->count;

	/* The first row that ends at ts or later. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (system_past_row(past, middle)->to < ts)
			low = middle + 1;
		else
			high = middle;
	}
	const struct system_row *row = system_past_row(past, low);
	return row != NULL && row->from < ts ? row : NULL;
}

double system_row_cpu(const struct system_row *row)
{
	uint64_t user, system;

	if (!system_row_get(row, SYSTEM_CPU_USER, &user) || !system_row_get(row, SYSTEM_CPU_SYSTEM, &system))
		return NAN;
	return ((double)user + (double)system) / (double)(row->to - row->from);
}
