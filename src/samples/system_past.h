/*
 * system_past.h - samples of the target's process (samples/system.h) over time, and the settings of its
 * runtime.
 *
 * A *row* is the difference between two successive samples: the growth of a counter, or the value of a gauge
 * in the later sample.  Samples are about a second apart.  A row does not show when between its two samples
 * something happened.
 */
#pragma once

#include "samples/system.h"

#define SYSTEM_PAST_ROWS 1024 /* about a quarter of an hour */

/* A thread's activity between two samples. */
struct system_busy {
	int32_t tid; /* 0: no thread is known to have been active */
	uint64_t run, wait;
};

/* Rows keep the times of the threads of so many domains, the first ones. */
#define SYSTEM_ROW_DOMAINS 16

struct system_row {
	uint64_t from, to; /* CLOCK_MONOTONIC of the two samples */
	uint64_t known;	   /* a bit for each value */
	uint64_t values[SYSTEM_VALUE_COUNT];
	/* only some threads were read each time: RUN, WAIT and the switches cover a longer time */
	bool in_turns;
	bool stopped; /* the second sample found the process stopped by a signal or a debugger */
	struct system_busy ran_most; /* among the threads read in both samples */
	struct system_busy waited_most;
	uint16_t domains; /* a bit for each domain whose thread is known, and was read in both samples */
	struct {
		uint32_t run_us, wait_us;
	} of_domain[SYSTEM_ROW_DOMAINS];
};

struct system_past;

/* NULL when memory ran out. */
struct system_past *system_past_create(void);
void system_past_destroy(struct system_past *past);
/* Keep no more rows than this, at least 1, from now on; before the first sample.  The totals don't depend on
 * it. */
void system_past_limit(struct system_past *past, size_t rows);
/* Free the rows but keep the totals and settings; no sample may be added after that.  Returns the past, which
 * may have moved. */
struct system_past *system_past_close(struct system_past *past);
struct system_past *system_past_copy(const struct system_past *from);

/* Add a sample, unless it is not later than the latest one. */
void system_past_add(struct system_past *past, const struct system_sample *sample);

/* Set and get the settings of the runtime, as last read; NULL when they were never read. */
void system_past_set_settings(struct system_past *past, const struct ocaml_settings *settings);
const struct ocaml_settings *system_past_settings(const struct system_past *past);

/* Set and get what the memory of the process is, as last read; NULL when it was never read. */
void system_past_set_memory(struct system_past *past, const struct system_memory *memory);
const struct system_memory *system_past_memory(const struct system_past *past);

/* The words of a ring, as the settings tell; 0 when they do not. */
uint64_t system_past_ring_words(const struct system_past *past);

/* The process has been replaced by another: the next sample is not compared with earlier ones. */
void system_past_break(struct system_past *past);

/* Return the latest sample; NULL when there is none. */
const struct system_sample *system_past_latest(const struct system_past *past);

/* Get the growth of a counter since the first sample, or the value of a gauge.  False when it is not
 * known. */
bool system_past_total(const struct system_past *past, enum system_value_id id, uint64_t *value);

/* Return the time that the totals cover. */
uint64_t system_past_time(const struct system_past *past);

/* Restart the totals. */
void system_past_reset(struct system_past *past);

/* The rows, oldest first. */
size_t system_past_count(const struct system_past *past);
const struct system_row *system_past_row(const struct system_past *past, size_t i);

/* Return the row of a time: from < ts <= to.  NULL when there is none. */
const struct system_row *system_past_at(const struct system_past *past, uint64_t ts);

/* Get a value of a row.  False when it is not known. */
static inline bool system_row_get(const struct system_row *row, enum system_value_id id, uint64_t *value)
{
	*value = row->values[id];
	return (row->known >> id & 1) != 0;
}

/* Get how long the thread of a domain ran, and waited for a processor, in ns.  False when it is not known. */
static inline bool system_row_domain(
    const struct system_row *row, unsigned domain, uint64_t *run, uint64_t *wait)
{
	if (domain >= SYSTEM_ROW_DOMAINS || (row->domains >> domain & 1) == 0)
		return false;
	*run = row->of_domain[domain].run_us * UINT64_C(1000);
	*wait = row->of_domain[domain].wait_us * UINT64_C(1000);
	return true;
}

/* Get the most that a thread can have waited for a processor in a stretch of time: what all threads did in the samples
 * that overlap it, and no more than it was long.  False unless samples that tell it cover the stretch. */
bool system_past_waited(const struct system_past *past, uint64_t from, uint64_t to, uint64_t *most);

/* What the thread of a domain did in the samples that cover a stretch of time; where it is not known which one that is, all
 * threads together. */
struct system_around {
	uint64_t time, ran, waited; /* ns; `time`: of the samples, at least that of the stretch */
	bool all;
	/* Times of the threads whose domain is not known, including those that share the domain with its thread. */
	uint64_t others_ran, others_waited;
};
bool system_past_around(
    const struct system_past *past, unsigned domain, uint64_t from, uint64_t to, struct system_around *out);

/* A reason outside of the program for which a stretch of time may have lasted as long as it did, by the samples that cover
 * it. */
enum system_excuse {
	SYSTEM_NO_EXCUSE, /* nothing that is known */
	SYSTEM_STOPPED,	  /* a signal or a debugger had stopped the process, as a sample found it */
	SYSTEM_WAITED,	  /* one of its threads waited for a processor for half of that time or more */
	SYSTEM_DID_NOT_RUN /* it had a processor for less than half of it: it slept, or was stopped between two samples */
};

/* Find the excuse of a stretch.  *most: for how long at most a thread waited, or all threads ran. */
enum system_excuse system_past_excuse(
    const struct system_past *past, uint64_t from, uint64_t to, uint64_t *most);

/* Get the growth of a counter in the rows that end in (from, to], and the time that these rows cover.  False
 * when the value is not known in any of them. */
bool system_past_sum(const struct system_past *past, enum system_value_id id, uint64_t from, uint64_t to,
    uint64_t *grown, uint64_t *time);

/* A thread's activity between the last two samples that read it. */
struct system_use {
	int32_t tid;
	uint32_t runs;		     /* of struct system_thread */
	char comm[SYSTEM_COMM_SIZE]; /* untrusted bytes */
	char state;
	double cpu, wait; /* shares of that time: running, and waiting for a processor; NAN: not known */
};

/* Get the threads, those that ran longest first.  Returns their number, at most `most`. */
size_t system_past_threads(const struct system_past *past, struct system_use *out, size_t most);

/* Get the thread that runs a domain.  False when it is not known. */
bool system_past_domain(const struct system_past *past, unsigned domain, struct system_use *out);
