/*
 * flight.h - the flight recorder: keeps the last seconds of a target, and writes a file for each long pause.
 *
 * A *long* pause is longer than what was asked for.  Its file has what happened from FLIGHT_BEFORE_NS before it began
 * (as far as FLIGHT_BYTES hold it; the pause itself is there in full) to FLIGHT_AFTER_NS after it ended.
 *
 * A long pause that ends within the file of another belongs to that file and gets none of its own.  If it is longer, the
 * file is about this one from then on and goes on until FLIGHT_AFTER_NS after it, but never past FLIGHT_RATE_NS after
 * the first; unless it began more than FLIGHT_AFTER_NS before the other one, so that the file lacks what led up to it.
 * Otherwise a pause gets a file when FLIGHT_RATE_NS have passed since the end of the last one that did, or
 * when it is longer than that; those that get none are counted.  A pause that still lasts at the end counts as one.
 *
 * The recorder follows the model, keeps its trail in a store (trail/store.h), and plays the part that a file is made of to a model of the
 * file's own, a piece in each turn, while the trail goes on.  The file is then a recording like any other.
 */
#ifndef RECORD_FLIGHT_H
#define RECORD_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/naming.h"
#include "record/recording.h"
#include "model/model.h"
#include "watch/stw.h"

#define FLIGHT_BEFORE_NS 5000000000u
#define FLIGHT_AFTER_NS 1000000000u
#define FLIGHT_RATE_NS 10000000000u
#define FLIGHT_BYTES ((size_t)48 << 20) /* of the store, */
#define FLIGHT_MOST ((size_t)64 << 20)	/* and with what is still to be written */

/* What a file is about. */
struct flight_pause {
	unsigned domain;
	uint64_t begin, duration;
	bool open; /* it has not ended: `duration` is so far */
	rtev_phase phase;
	size_t inside_count;
	struct model_phase inside[MODEL_INSIDE_MAX]; /* the spans inside, but for the pause itself */
};

/* A file that has been written, or could not be. */
struct flight_file {
	char path[NAMING_PATH];
	int error;    /* errno: not made, or complete only up to where writing failed; else 0 */
	bool torn;    /* not even that */
	bool made;    /* there is a file */
	int status;   /* RTEV_OK, or RTEV_E_NOMEM: something is missing */
	int64_t wall; /* when the pause began, ns since 1970 UTC */
	struct flight_pause pause;
	uint64_t others;  /* long pauses in it besides */
	uint64_t skipped; /* long pauses since the file before that got none */
	bool stopped;	  /* it was (or had in it) a stop of the world: the longest of them */
	struct stw_stop stop;
};

struct flight_options {
	struct model *model; /* outlives it, as does the source */
	struct recording_source source;
	uint64_t pause_ns; /* a pause longer than this is a long one */
	const char *where; /* directory or pattern of the files, see naming.h; NULL: the working directory */
	bool json;	   /* Chrome's JSON, else the Fuchsia format */
	/* of each file, as recording.h has it; they outlive the recorder */
	const struct recording_table *tables;
	unsigned table_count;
	/* told of each file once it is done */
	void (*report)(void *ctx, const struct flight_file *file);
	void *ctx;
};

struct flight_totals {
	uint64_t files;	  /* whole ones */
	uint64_t failed;  /* not made, or not whole */
	uint64_t skipped; /* long pauses without a file */
	size_t bytes;	  /* of the store */
};

struct flight;

/* NULL when memory ran out. */
struct flight *flight_create(const struct flight_options *options);
void flight_destroy(struct flight *f); /* files that are not finished are cut short; NULL is allowed */

/* Whether the store has room for another turn's events; if not, flight_step has to be called first. */
bool flight_room(const struct flight *f);

/* Add a note, as recording_note does: files have those of their time. */
void flight_note(struct flight *f, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* In each turn: a piece of what there is to do.  `watermark`: all events stamped before it have been delivered.  True
 * when there is more to do at once. */
bool flight_step(struct flight *f, uint64_t now, uint64_t watermark);

/* No more events will come, and `end` is the end of all files.  What is left is done by flight_step, or by
 * flight_finish, which waits for the disk. */
void flight_end(struct flight *f, uint64_t end);
void flight_finish(struct flight *f);

/* RTEV_OK, or RTEV_E_NOMEM: nothing is kept any more. */
int flight_status(const struct flight *f);

void flight_totals(const struct flight *f, struct flight_totals *out);

/* What a file is about, in one line: wall time, domain, duration, phase, the phases with their own shares of it, the stop
 * of the world, how many other long pauses are in the file; separated by tabs, "-" for what there is none of. */
void flight_line(const struct flight_file *file, char *out, size_t size);

#endif
