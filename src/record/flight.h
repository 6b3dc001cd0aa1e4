/*
 * flight.h - the flight recorder: keep the last seconds of a target in memory and write a file for each long
 * pause.
 *
 * A *long* pause is one longer than pause_ns.  Its file covers the time from FLIGHT_BEFORE_NS before its
 * begin (or what FLIGHT_BYTES hold; always the whole pause) to FLIGHT_AFTER_NS after its end.
 *
 * A long pause that ends within the file of another gets no file of its own.  If it is longer than the other,
 * the file is about this one from then on and extends to FLIGHT_AFTER_NS after it, at most to FLIGHT_RATE_NS
 * after the first; unless it began more than FLIGHT_AFTER_NS before the other, because then the file lacks
 * what led up to it.  Any other long pause gets a file if FLIGHT_RATE_NS have passed since the end of the
 * last pause with a file, or if it is longer than that pause.  The rest are counted.  A pause still going on
 * at the end is treated like one that ended.
 *
 * The recorder writes the model's trail into a store (trail/store.h).  To make a file it plays part of the
 * store, when all of that is there, into a model of the file's own, a piece in each turn, while the trail goes
 * on.  The file is a recording like any other.
 */
#pragma once

#include "files/naming.h"
#include "record/recording.h"
#include "model/model.h"
#include "watch/blame.h"

#define FLIGHT_BEFORE_NS 5000000000u
#define FLIGHT_AFTER_NS 1000000000u
#define FLIGHT_RATE_NS 10000000000u
#define FLIGHT_BYTES ((size_t)48 << 20) /* limit of the store */
#define FLIGHT_MOST ((size_t)64 << 20)	/* limit of the store including what has yet to be played */

/* The pause that a file is about. */
struct flight_pause {
	unsigned domain;
	uint64_t begin, duration;
	uint64_t self; /* the part of it in no span inside that has ended */
	bool open;     /* the pause still goes on; `duration` is its length so far */
	rtev_phase phase;
	/* slot of the user span around the pause, in the recorded model; MODEL_NO_USER */
	uint32_t user;
	size_t inside_count;
	struct model_phase inside[MODEL_INSIDE_MAX]; /* spans inside the pause, without the pause itself */
};

/* A file, complete or failed. */
struct flight_file {
	char path[NAMING_PATH];
	int error;    /* errno: not created, or complete up to a failed write; else 0 */
	bool torn;    /* incomplete even before the failed write */
	bool made;    /* the file exists */
	int status;   /* RTEV_OK, or RTEV_E_NOMEM: something is missing */
	int64_t wall; /* begin of the pause, ns since 1970 UTC */
	struct flight_pause pause;
	uint64_t others;  /* further long pauses in the file */
	uint64_t skipped; /* long pauses without a file since the last file */
	bool stopped;	  /* the pause was or contained a stop of the world; `stop` is the longest */
	struct stw_stop stop;
	char why[BLAME_TEXT]; /* whom the pause waited for (blame.h); empty: not known */
};

struct flight_options {
	struct model *model; /* must outlive the recorder, as must the source */
	struct recording_source source;
	uint64_t pause_ns; /* a pause longer than this is long */
	const char *where; /* directory or pattern of names, see naming.h; NULL: the working directory */
	bool json;	   /* Chrome's JSON; else the Fuchsia format */
	/* called for each file when it is complete or has failed */
	void (*report)(void *ctx, const struct flight_file *file);
	void *ctx;
};

struct flight_totals {
	uint64_t files;	  /* complete */
	uint64_t failed;  /* not created or incomplete */
	uint64_t skipped; /* long pauses without a file */
	size_t bytes;	  /* of the store */
};

struct flight;

/* NULL if out of memory. */
struct flight *flight_create(const struct flight_options *options);
void flight_destroy(struct flight *f); /* unfinished files are cut short; NULL is allowed */

/* Whether the store has room for the events of another turn.  If not, call flight_step first. */
bool flight_room(const struct flight *f);

/* Add a note, as recording_note does.  The files contain the notes of their time. */
void flight_note(struct flight *f, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* Do a piece of the work, in each turn.  All events stamped before `watermark` have been delivered.  Returns
 * true if there is more to do at once. */
bool flight_step(struct flight *f, uint64_t now, uint64_t watermark);

/* No more events will come; files end at `end`.  flight_step does the remaining work, or flight_finish, which
 * waits for the disk. */
void flight_end(struct flight *f, uint64_t end);
void flight_finish(struct flight *f);

/* RTEV_OK, or RTEV_E_NOMEM: nothing is recorded any more. */
int flight_status(const struct flight *f);

void flight_totals(const struct flight *f, struct flight_totals *out);

/* Describe a file in one line of fields separated by tabs: wall time, domain, duration, phase, the phases
 * with their own share of it, the stop of the world, number of other long pauses in the file, whom the pause
 * waited for (blame.h).  "-" stands for none. */
void flight_line(const struct flight_file *file, char *out, size_t size);
