/*
 * locate.h - find the ring of a process.
 *
 * The ring is DIR/N.events.  N is the pid that the process itself sees.  DIR is OCAML_RUNTIME_EVENTS_DIR, or
 * the directory in which the process was started.  The mapping in /proc/PID/maps is the most reliable source.
 * The environment, the working directory and the user's directory follow in this order, unless only the
 * user's directory is allowed.  A file that the process does not map is accepted only if its maps can't be
 * read or its program is not one of OCaml: it may be left over from an earlier process with this pid.
 */
#pragma once

#include <sys/types.h>

#include "target/status.h"
#include "target/version.h"

enum locate_status {
	LOCATE_OK,
	LOCATE_NO_PROCESS,     /* no such process */
	LOCATE_ENDED,	       /* it ended during the search */
	LOCATE_NOT_OCAML,      /* neither an OCaml 5 runtime nor a ring */
	LOCATE_NO_RING,	       /* an OCaml 5 process without a ring, or not yet with one */
	LOCATE_RING_DENIED,    /* the ring may not be read: it belongs to another user */
	LOCATE_RING_WITHHELD,  /* we are root; the process names the ring, but its user may not read it */
	LOCATE_PROCESS_DENIED, /* the process may not be read: of another user, or protected */
	LOCATE_STALE,	       /* no such process, but it left a ring file */
	LOCATE_NOT_REGULAR,    /* the file of that name is not a regular file */
	LOCATE_ELSEWHERE,      /* its ring is not in the user's directory: `path` says where */
	LOCATE_DELETED,	       /* the ring file was deleted and can't be reached otherwise */
	LOCATE_FAILED	       /* a system call failed with `error` */
};

enum locate_way { LOCATE_BY_MAPS, LOCATE_BY_MAP_FILES, LOCATE_BY_ENVIRONMENT, LOCATE_BY_CWD, LOCATE_BY_DIR };

/* Whether the process is known to write to the file. */
enum locate_mapped {
	LOCATE_MAPPED,
	LOCATE_MAPS_UNKNOWN, /* the process's maps can't be read */
	LOCATE_UNMAPPED	     /* the process does not map the file, which may be the ring of another one */
};

struct locate_options {
	const char *proc_root; /* NULL: /proc */
	pid_t pid;
	const char *dir;       /* the user's directory; NULL: none */
	bool dir_alone;	       /* no other directory is allowed */
	bool skip_program;     /* return LOCATE_NO_RING without examining the program, for polling */
	struct effort *effort; /* NULL: use effort_for_look */
};

struct located {
	enum locate_status status;
	pid_t pid;    /* the process, even if a thread was given */
	pid_t ns_pid; /* the pid in the process's own namespace */
	uid_t uid;    /* owner of what was denied, else of the process */
	bool has_uid;
	uint64_t start_ticks;		/* start time of the process; 0: unknown */
	int error;			/* errno value of LOCATE_FAILED */
	char name[STATUS_PROGRAM_SIZE]; /* name of the program, unsanitised; "": unknown */

	/* The following members are set with LOCATE_OK only. */
	int fd; /* open for reading, owned by the caller; -1 otherwise */
	enum locate_way way;
	enum locate_mapped mapped;
	bool own_name; /* the mapped ring is named after the process, not shared with another */

	/* The process's maps were read, and it maps no runtime as a shared library. */
	bool no_shared_runtime;

	/* A path that opens the file, and the path as the process sees it.  They are also set if the file
	 * could not be opened. */
	char path[PROC_PATH_SIZE];
	char shown[PROC_PATH_SIZE];

	/* Set with LOCATE_NOT_OCAML and LOCATE_NO_RING, unless the program was skipped. */
	struct version version;
};

/* Find and open the ring.  Returns out->status. */
enum locate_status locate(const struct locate_options *options, struct located *out);

/*
 * Describe the result: what failed and why, and a remedy ("": none), without newlines.  Names and paths in
 * the text are unsanitised.
 */
void locate_explain(
    const struct located *located, char *message, size_t message_size, char *remedy, size_t remedy_size);
