/*
 * events_paused.h - has the target paused its events.
 *
 * OCaml writes no event when it pauses.  Its two variables `runtime_events_enabled` and
 * `runtime_events_paused` tell, where the program kept its symbol table and we may read its memory; they are
 * never written to.  Where they can't be read the answer is "unknown" and says why; what is left then is to
 * compare the processor time of a quiet process (alive_activity).
 */
#ifndef TARGET_EVENTS_PAUSED_H
#define TARGET_EVENTS_PAUSED_H

#include <stdbool.h>
#include <sys/types.h>

enum tracing_state {
	TRACING_UNKNOWN,
	TRACING_NOT_ENABLED, /* no ring is open */
	TRACING_RUNNING,
	TRACING_PAUSED
};

struct tracing;

/*
 * Find the variables of a process.  Always gives a handle, except when out of memory (NULL): where they can't
 * be found or read, it answers TRACING_UNKNOWN.  After an exec, make another, and once more a little later if that
 * answers unknown: the new program may not have been in place yet.
 */
struct tracing *tracing_create(const char *proc_root, pid_t pid);
void tracing_destroy(struct tracing *tracing);

/* Read them now: one system call. */
enum tracing_state tracing_read(struct tracing *tracing);

/* Look once whether a process says that it has paused. */
bool tracing_paused(const char *proc_root, pid_t pid);

/* Why the last answer was TRACING_UNKNOWN, as a clause ("its program has no symbol table"); else "".  Static
 * storage. */
const char *tracing_reason(const struct tracing *tracing);

#endif
