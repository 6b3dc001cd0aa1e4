/*
 * events_paused.h - whether the target has paused its events.
 *
 * OCaml writes no event when it pauses.  Its variables `runtime_events_enabled` and `runtime_events_paused`
 * tell, if we may read its memory.  They are found in the symbol table or, without one, by the code of the
 * functions that pause and resume (statics.h).  They are never written to.  If they can't be read, the answer is
 * TRACING_UNKNOWN with a reason; then only the CPU time of a quiet process is a hint (alive_activity).
 */
#pragma once

#include <sys/types.h>

#include "core/std.h"

enum tracing_state {
	TRACING_UNKNOWN,
	TRACING_NOT_ENABLED, /* there is no ring */
	TRACING_RUNNING,
	TRACING_PAUSED
};

struct tracing;

/*
 * Find the variables of a process.  Returns NULL only if memory ran out; if the variables can't be found or
 * read, the handle answers TRACING_UNKNOWN.  After an exec create a new handle, and another one later if it
 * answers unknown: the new program may not have been loaded yet.
 */
struct tracing *tracing_create(const char *proc_root, pid_t pid);
void tracing_destroy(struct tracing *tracing);

/* Read the variables. */
enum tracing_state tracing_read(struct tracing *tracing);

/* Whether a process has paused its events now, without a handle. */
bool tracing_paused(const char *proc_root, pid_t pid);

/* Return why the last answer was TRACING_UNKNOWN, as a clause ("its program has no symbol table"); "" for
 * other answers.  Static storage. */
const char *tracing_reason(const struct tracing *tracing);
