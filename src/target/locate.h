/*
 * locate.h - from a process to its ring.
 *
 * The ring is DIR/N.events: N is the pid that the process itself sees, DIR is OCAML_RUNTIME_EVENTS_DIR or
 * else the directory it was started in.  The mapping in /proc/PID/maps is the surest way there; the
 * environment, the working directory and a directory that the user gives follow in that order, unless the ring has to be in that
 * directory.  A file that
 * the process does not map is taken only when its maps can't be read or its program is none of OCaml's: it may
 * have been left by an earlier process of the same number.
 */
#ifndef TARGET_LOCATE_H
#define TARGET_LOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/proc.h"
#include "target/version.h"

enum locate_status {
	LOCATE_OK,
	LOCATE_NO_PROCESS,     /* no such process */
	LOCATE_ENDED,	       /* it ended while being looked at */
	LOCATE_NOT_OCAML,      /* neither an OCaml 5 runtime nor a ring */
	LOCATE_NO_RING,	       /* an OCaml 5 process that has no ring, or not yet */
	LOCATE_RING_DENIED,    /* the ring may not be read: another user's */
	LOCATE_RING_WITHHELD,  /* we are root; the process names the ring, and its own user may not read it */
	LOCATE_PROCESS_DENIED, /* the process may not be looked at: another user's, or it protects itself */
	LOCATE_STALE,	       /* no such process, but it left a ring file */
	LOCATE_NOT_REGULAR,    /* what has the ring's name is no regular file */
	LOCATE_ELSEWHERE,      /* its ring is not in the directory given: `path` is its own */
	LOCATE_DELETED,	       /* the ring's file has no name any more, and we may not reach it otherwise */
	LOCATE_FAILED	       /* the system refused something: `error` */
};

enum locate_way { LOCATE_BY_MAPS, LOCATE_BY_MAP_FILES, LOCATE_BY_ENVIRONMENT, LOCATE_BY_CWD, LOCATE_BY_DIR };

/* Whether the file is known to be the ring that the process writes to. */
enum locate_mapped {
	LOCATE_MAPPED,
	LOCATE_MAPS_UNKNOWN, /* its maps can't be read */
	LOCATE_UNMAPPED	     /* it does not map it: perhaps of another process */
};

struct locate_options {
	const char *proc_root; /* NULL: /proc */
	pid_t pid;
	const char *dir;   /* where PID.events may be; NULL: not given */
	bool dir_alone;	   /* it is there and nowhere else */
	bool skip_program; /* a process without a ring is LOCATE_NO_RING, whatever its program: for polling */
};

struct located {
	enum locate_status status;
	pid_t pid;    /* of the process, also when that of a thread was given */
	pid_t ns_pid; /* as the process itself sees it */
	uid_t uid;    /* the owner of what was denied, or of the process */
	bool has_uid;
	uint64_t start_ticks; /* when the process began, to know it again; 0 when not known */
	int error;	      /* errno value of LOCATE_FAILED */
	char name[68];	      /* of the program, untrusted; "" when not known */

	/* With LOCATE_OK: */
	int fd; /* open for reading; the caller closes it.  Otherwise -1 */
	enum locate_way way;
	enum locate_mapped mapped;
	bool own_name; /* the mapped ring is named after the process: not one that it shares with another */

	/* A path that opens the file, and the path as the process sees it; also of what could not be opened. */
	char path[PROC_PATH_SIZE];
	char shown[PROC_PATH_SIZE];

	/* With LOCATE_NOT_OCAML and LOCATE_NO_RING, unless the program was skipped. */
	struct version version;
};

/* Find and open the ring.  Returns out->status. */
enum locate_status locate(const struct locate_options *options, struct located *out);

/*
 * Put the outcome into words: what failed and why, and what can be done about it ("" when nothing can).
 * Neither ends with a newline; names and paths in them are as the target has them, untrusted bytes.
 */
void locate_explain(
    const struct located *located, char *message, size_t message_size, char *remedy, size_t remedy_size);

#endif
