/*
 * recording.h - a recording and the file it goes to, as used by `rtevtop record`, the live view and the
 * flight recorder.
 *
 * A recording *runs* while events go into it, *ends* while the disk's thread writes the rest, and is then
 * *done*.  Only recording_close waits for the disk, provided that no events are fed to the model while
 * there is no room in it (recording_look).
 */
#pragma once

#include "files/disk.h"
#include "model/model.h"

struct recording;

/* The recorded target at present. */
struct recording_target {
	int64_t pid;			/* 0: a file */
	const char *name;		/* of the program or file, untrusted */
	const char *ocaml, *ocaml_from; /* version, and its source; NULL: unknown */
	bool live;			/* more events may come */
};

/* Returns the target.  Its texts must stay valid as long as `ctx`. */
struct schedulers;
struct recording_source {
	void (*target)(void *ctx, struct recording_target *out);
	void *ctx;
	struct schedulers *schedulers; /* schedulers of the recorded model; NULL: fibers have no tracks */
};

struct recording_options {
	struct disk_file file; /* the descriptor is taken over in any case, and the tail is filled in */
	bool json;	       /* Chrome's JSON; else the Fuchsia format */
	unsigned buffers;      /* number of 64 KiB buffers for the disk; 0: enough for a flood of events */
	struct recording_source source;
	struct model *model; /* must outlive the recording, as must the source */
};

/* The result. */
struct recording_result {
	int error; /* errno of a failed write, or 0; a regular file is complete up to there unless `torn` */
	bool torn;
	int status; /* RTEV_OK, or RTEV_E_NOMEM: something is missing */
	uint64_t bytes;
};

/* Start a recording.  Returns 0 or an errno. */
int recording_create(struct recording **out, const struct recording_options *options);

/* Pass on what has come so far if it is due.  Call it at least once in a turn of the loop.  Returns true if
 * it was due. */
bool recording_step(struct recording *r, uint64_t now);

/* Add a note of at most TRAIL_NOTE_MAX bytes, with a stamp of CLOCK_MONOTONIC.  Ignored after the end; in
 * JSON only samples of the code are shown. */
void recording_note(struct recording *r, uint32_t kind, uint64_t ts, const void *data, size_t len);

/* How far the recording is. */
struct recording_state {
	bool room;	  /* the disk keeps up: there is room for the events of a turn */
	bool done;	  /* recording_close would return without waiting */
	int error;	  /* errno of a failed write, or 0 */
	uint64_t bytes;	  /* recorded so far */
	uint64_t written; /* of these, written to the file; see disk.h */
	uint64_t begun;	  /* when it began */
};
struct recording_state recording_look(const struct recording *r);

/* End at a stamp.  The model is not needed afterwards; its time should have been set just before. */
void recording_end(struct recording *r, uint64_t stamp);

/* Give up writing.  See disk.h. */
void recording_abandon(struct recording *r);

/* Wait until a recording that was ended is done, and free it.  NULL is allowed. */
struct recording_result recording_close(struct recording *r);
