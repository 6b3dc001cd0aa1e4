/*
 * recording.h - one recording on its way to its file: what `rtevtop record`, the live view and the flight recorder
 * have in common.
 *
 * A recording *runs* while events go into it, *ends* while the last of them are written by the disk's thread, and
 * is *done* after that.  Nothing but recording_close waits for the disk, as long as no events are fed to the model
 * while recording_room says that there is none.
 */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "record/disk.h"
#include "model/model.h"

struct recording;

/* The target that is recorded, as it is now. */
struct recording_target {
	int64_t pid;			/* 0: a file */
	const char *name;		/* of the program or file, untrusted bytes */
	const char *ocaml, *ocaml_from; /* its version, NULL: unknown, and how it is known */
	bool live;			/* more events may come */
};

/* How a recording asks for it; the texts stay as long as what is asked. */
struct recording_source {
	void (*target)(void *ctx, struct recording_target *out);
	void *ctx;
};

/*
 * A table that goes with a recording (trail/trail.h), for what a replay is to have at once, such as the trend.  It is asked for when the
 * recording begins, at its end, and in between whenever the file has grown by RECORDING_TABLE_SHARE times the table since
 * the last time, but at most every RECORDING_TABLE_NS.  So a recording that was cut short has one, and tables are a small part of the file.
 */
struct recording_table {
	uint32_t kind; /* enum trail_note */
	size_t room;   /* bytes it may take, at most TRAIL_TABLE_MAX */
	/* Fill in at most `room` bytes and when they were true; returns how many, 0 for none. */
	size_t (*fill)(void *ctx, void *to, size_t room, uint64_t *ts);
	void *ctx;
};

#define RECORDING_TABLES_MAX 4
#define RECORDING_TABLE_SHARE 16
#define RECORDING_TABLE_NS 60000000000u

struct recording_options {
	struct disk_file
	    file;  /* its descriptor becomes the recording's, or is closed; the tail is that of its form */
	bool json; /* Chrome's JSON, else the Fuchsia format */
	unsigned buffers; /* of 64 KiB each, between us and the disk's thread; 0: enough for a flood */
	struct recording_source source;
	struct model *model; /* outlives the recording, as the source does */
	/* at most RECORDING_TABLES_MAX, copied; what they have as ctx outlives the recording */
	const struct recording_table *tables;
	unsigned table_count;
};

/* How a recording went. */
struct recording_result {
	int error; /* errno of a failed write: a regular file is complete up to there, unless `torn`; else 0 */
	bool torn;
	int status; /* RTEV_OK, or RTEV_E_NOMEM when something could not be kept */
	uint64_t bytes;
};

/* Begin.  0, or an errno. */
int recording_create(struct recording **out, const struct recording_options *options);

/* Now and then, at least once in a turn of the loop: pass on what has come so far.  True when it was time to. */
bool recording_step(struct recording *r, uint64_t now);

/* Add a note (trail/trail.h) of at most TRAIL_NOTE_MAX bytes, stamped by CLOCK_MONOTONIC.  It is left out before the first
 * event, after the end, and where the file is JSON. */
void recording_note(struct recording *r, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* Whether the disk keeps up, so that a turn's events have room. */
bool recording_room(const struct recording *r);

/* Bytes so far, when it began, and the errno of a failed write or 0. */
uint64_t recording_bytes(const struct recording *r);
uint64_t recording_begun(const struct recording *r);
int recording_error(const struct recording *r);

/* End at a stamp: nothing of the model is recorded or needed any more.  The model's time should have been set just
 * before. */
void recording_end(struct recording *r, uint64_t stamp);

/* Whether recording_close would not have to wait. */
bool recording_done(const struct recording *r);

/* Bytes that the file has got, and writing no more of them, as disk.h has it. */
uint64_t recording_written(const struct recording *r);
void recording_abandon(struct recording *r);

/* Wait until it is done, and free; it has been ended.  NULL is allowed. */
struct recording_result recording_close(struct recording *r);

#endif
