/*
 * packed.h - events as bytes in a buffer, for a thread other than the one that polls.
 *
 * A packed event is a head of 16 bytes, then its value or its data if it has any, padded to 8 bytes: about
 * what it takes in the ring.  It refers to nothing outside: a user event's name is packed once, before the
 * first event of its id and again when it changes, and an unpacker keeps the names.  Order is that of
 * packing.
 *
 * A packer may also put *marks* between events, which mean what its user wants.
 */
#ifndef RECORD_PACKED_H
#define RECORD_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"

#define PACKED_HEAD 16u
/* Longest event or mark with the name before it; events with longer data are cut, which none from a ring
 * is. */
#define PACKED_DATA_MAX 8192u
#define PACKED_MAX (2 * PACKED_HEAD + RTEV_USER_NAME_SIZE + PACKED_DATA_MAX)

struct packer {
	uint64_t named[RTEV_USER_EVENTS_MAX]; /* generation + 1 of the name that was packed; 0: none */
};

/* Pack an event at `at`, where there is room for PACKED_MAX bytes.  Returns the end. */
unsigned char *packed_put(struct packer *p, unsigned char *at, const struct rtev_event *event);

/* Pack a mark. */
unsigned char *packed_put_mark(unsigned char *at, unsigned mark, uint64_t value);

/* Forget the names: the ids of another cursor follow. */
void packed_forget(struct packer *p);

struct unpacker {
	struct rtev_user_event users[RTEV_USER_EVENTS_MAX];
};

struct unpacked {
	bool is_mark;
	struct rtev_event event; /* `user` points into the unpacker, `data` into the bytes */
	unsigned mark;
	uint64_t mark_value;
};

/* Take the event or mark at *at, before `end`.  The bytes are those of a packer.  Returns false at the
 * end. */
bool packed_next(
    struct unpacker *u, const unsigned char **at, const unsigned char *end, struct unpacked *out);

#endif
