/*
 * header_figures.h - the header's figures of the whole target in two windows: the last seconds (`now`), and
 * since the attach or the last reset (`since`).
 *
 * The figures are for the subject's time, or for an earlier time if the moment of a frozen screen shows one.
 * An unknown figure is NAN, UINT64_MAX or NULL and is shown as "-".
 */
#pragma once

#include "watch/rewind.h"
#include "ui/subject.h"

#define FIGURES_NOW_NS RECENT_WINDOW

struct ui;

/* The figures of one window. */
struct figures_window {
	double gc;   /* time in pauses, as a share of the time observed */
	double wait; /* the part of it spent waiting */
	double minors, cycles, allocated, promoted, events; /* per second */
	uint64_t lost_words;
	const struct hist *pauses;
};

struct figures {
	uint64_t at; /* the time of these figures */
	bool past;   /* the time is before the subject's */
	struct figures_window now, since;
	uint64_t since_ts; /* begin of `since` */
	double heap;	   /* size in words */
	uint64_t heap_age; /* ns; 0: not known */
	double growth;	   /* growth of the heap in bytes per minute */
	uint64_t domains;
	double cpu, cores; /* of the process: cores used in the last seconds, and available */
	double queued;	   /* waiting for a core as a share of the time that its threads wanted to run */
	double throttled;  /* throttled share of the scheduler's periods in the last seconds */
	double swap;	   /* swapped share of its memory */
	uint64_t swap_bytes;
};

/* Cache of an earlier time's figures between drawings; zero-initialise it. */
struct figures_memory {
	struct rewind then; /* totals */
	struct hist recent; /* pauses of the last seconds before `at` */
	uint64_t at;	    /* the earlier time of `recent`; 0: none */
	bool known;
};

/* Compute the figures.  They are valid until the next call. */
void figures_read(struct ui *ui, const struct subject *subject, struct figures *out);

/* Drop the cache: the subject has changed. */
void figures_forget(struct figures_memory *memory);
