/*
 * system_past.h - samples of the target's process (target/system.h) through time, and the settings of its runtime.
 *
 * A *row* is what changed from one sample to the next: of a counter what it grew by, of a gauge what it was at the later one.  A sample comes
 * about once a second, so a row tells nothing finer: what stands in it happened somewhere between its two times.
 */
#ifndef WATCH_SYSTEM_PAST_H
#define WATCH_SYSTEM_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/system.h"

#define SYSTEM_PAST_ROWS 1024 /* about a quarter of an hour */

/* What one thread did between two samples. */
struct system_busy {
	int32_t tid; /* 0: no thread is known to have */
	uint64_t run, wait;
};

struct system_row {
	uint64_t from, to; /* CLOCK_MONOTONIC of the two samples */
	uint64_t known;	   /* a bit for each value */
	uint64_t values[SYSTEM_VALUE_COUNT];
	bool
	    in_turns; /* of its threads only some were read: RUN, WAIT and the switches are of a longer time */
	struct system_busy ran_most; /* of the threads that both samples read */
	struct system_busy waited_most;
};

struct system_past;

/* NULL when memory ran out. */
struct system_past *system_past_create(void);
void system_past_destroy(struct system_past *past);
struct system_past *system_past_copy(const struct system_past *from);

/* Take in a sample; one that is not later than the last is left out. */
void system_past_add(struct system_past *past, const struct system_sample *sample);

/* The settings of its runtime, as last read; NULL: never. */
void system_past_set_settings(struct system_past *past, const struct ocaml_settings *settings);
const struct ocaml_settings *system_past_settings(const struct system_past *past);

/* The process is another one: nothing is compared with what was before. */
void system_past_break(struct system_past *past);

/* The latest sample, and what has come since the first: NULL when none has come. */
const struct system_sample *system_past_latest(const struct system_past *past);

/* What a counter has grown by since the first sample; a gauge as it is.  False when that is not known. */
bool system_past_total(const struct system_past *past, enum system_value_id id, uint64_t *value);

/* The time that those have grown in. */
uint64_t system_past_time(const struct system_past *past);

/* Have the totals count from now on. */
void system_past_reset(struct system_past *past);

/* The rows, the oldest first. */
size_t system_past_count(const struct system_past *past);
const struct system_row *system_past_row(const struct system_past *past, size_t i);

/* The row of a time: from < ts <= to.  NULL when there is none. */
const struct system_row *system_past_at(const struct system_past *past, uint64_t ts);

/* A value of a row.  False when it is not known. */
static inline bool system_row_get(const struct system_row *row, enum system_value_id id, uint64_t *value)
{
	*value = row->values[id];
	return (row->known >> id & 1) != 0;
}

/* What a counter has grown by in the rows that end in (from, to], and the time that they cover.  False when none of them knows it. */
bool system_past_sum(const struct system_past *past, enum system_value_id id, uint64_t from, uint64_t to,
    uint64_t *grown, uint64_t *time);

/* What a thread did between the last two samples that read it. */
struct system_use {
	int32_t tid;
	char comm[SYSTEM_COMM_SIZE]; /* untrusted bytes */
	char state;
	double cpu, wait; /* share of that time on a processor, and waiting for one; NAN: not known */
};

/* The threads, those that ran most first; returns how many, at most `most`. */
size_t system_past_threads(const struct system_past *past, struct system_use *out, size_t most);

/* Cores that the process used in a row, user and system time together; NAN when that is not known. */
double system_row_cpu(const struct system_row *row);

#endif
