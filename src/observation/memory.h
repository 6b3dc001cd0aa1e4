/*
 * memory.h - read the parts of a target's memory in a thread of its own, since a ring may not wait for so long.
 */
#pragma once

#include "session/session.h"
#include "samples/system.h"

#define MEMORY_EVERY_NS 10000000000u

struct memory_reading;

/* NULL when memory ran out. */
struct memory_reading *memory_reading_create(void);

/* Destroy it; a reading that is under way ends without a result. */
void memory_reading_destroy(struct memory_reading *m);

/* Begin to read the memory of a session's process unless one has begun in the last MEMORY_EVERY_NS.  With `wait`, read
 * it now.  True if there is a new result. */
bool memory_reading_turn(
    struct memory_reading *m, const struct session *s, uint64_t now, bool wait, struct system_memory *out);
