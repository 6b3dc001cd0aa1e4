/*
 * tape.h - made-up recordings for tests: a trail in a trace, in memory.
 */
#pragma once

#include "rtev/fxt.h"
#include "trail/writer.h"

struct tape {
	unsigned char *data; /* once it is finished: the trace, of */
	size_t used;	     /* bytes */
	size_t room;
	struct rtev_fxt_writer *fxt;
	struct trail_writer *writer;
	rtev_fxt_string names[TRAIL_BLOB_COUNT];
	bool silent; /* blobs are left out: a trace without a trail */
};

/* Begin a recording of at most `room` bytes. */
void tape_init(struct tape *tape, size_t room, const struct trail_about *about);
void tape_fini(struct tape *tape);

/* Add an event; user slots are named "user.SLOT". */
void tape_add(
    struct tape *tape, enum trail_kind kind, unsigned stream, uint64_t ts, uint32_t id, int64_t value);

/* Write a blob as it stands. */
void tape_blob(struct tape *tape, enum trail_blob blob, const void *data, size_t len);

/* End it. */
void tape_finish(struct tape *tape, uint64_t end);

/* Write the first `size` bytes to a file of a new name, which is put into `path`. */
void tape_save(const struct tape *tape, size_t size, char path[64]);
