/*
 * session.h - one TARGET being observed: its ring, its process, its version, and the pace at which it is read.
 *
 * A *turn* is one scan and one poll of at most --max-events: the frame of the loops.  The scan tells which release wrote what
 * comes next and when the target resumed; the poll delivers.  Each looks at a bounded number of words, sense or not; a scan
 * that takes several turns is completed before anything is delivered.  When a turn leaves something unread the next follows at once;
 * else session_pace tells how long the rings can be left alone, from how full they were found.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "session/child.h"
#include "session/pace.h"
#include "session/reporter.h"
#include "session/target_file.h"
#include "session/target_name.h"
#include "rtev/cursor.h"
#include "target/alive.h"
#include "target/version.h"

#define SESSION_FDS 3		 /* most descriptors that session_fds gives */
#define EVENT_DELAY_NS 20000000u /* an event may take so long from its stamp to its ring */

enum session_state {
	SESSION_LIVE,	   /* the target runs, or is a command that runs */
	SESSION_ENDED,	   /* it has ended, or is a file: what the rings hold is all there will be */
	SESSION_TRUNCATED, /* the ring file was cut short under us: nothing more can be read */
};

/* Where the sink of a session's events stands. */
struct session_sink {
	struct rtev_callbacks calls;
	void *ctx;
	void (*resume)(void *ctx, uint64_t ts); /* of the scan; may be NULL */
	void (*reopening)(
	    void *ctx); /* the cursor is about to be closed, and its user events void; may be NULL */
	void (*reopened)(void *ctx); /* another cursor follows: user event ids start anew; may be NULL */
};

/* What to observe, and how. */
struct session_options {
	const struct target_name *target; /* not kept; NULL: COMMAND */
	const struct target_file *file;	  /* of a TARGET that is a file; its descriptor is taken */
	struct child_options command;	  /* argv NULL: TARGET */
	enum rtev_start start; /* of a process; a file and a COMMAND begin with their first event */
	uint64_t max_events;   /* of one poll; 0: no bound */
	uint64_t wait_ns;      /* how long to wait for the ring: 0 not at all, UINT64_MAX for ever */
	const char *dir;       /* where the ring of a process may be; NULL: found by /proc */
	const char *ocaml;     /* version given, NULL: detected */
	const char *(*suggest)(
	    const char *path); /* the subcommand that a file that is not there was meant to be; NULL: none */
	const struct reporter *report;
};

struct session {
	struct session_options options;
	struct target_name target; /* options.target, unless there is a child */
	enum session_state state;
	int64_t pid;	 /* 0: a file */
	char name[256];	 /* of the program or file, untrusted bytes */
	char path[4096]; /* of the ring, for people */
	struct rtev_cursor *cursor;
	struct alive *alive;	/* NULL: a file, or a command whose ring has not appeared */
	struct version program; /* by its executable */
	struct version version; /* all weighed */
	bool conflict_reported;
	bool has_child;
	struct child child;
	uint64_t attach_ts;
	uint64_t ended_ts;   /* when it was found to have ended, 0 before */
	uint64_t checked_ts; /* when its program was last looked at */
	unsigned execs;	     /* how often it became another program */
	unsigned others;     /* OCaml programs that COMMAND started besides the one that is followed */
	int64_t other_pid;   /* the newest of them */
	char other_name[ALIVE_NAME_SIZE];
	struct pace pace;
	uint64_t ring_words;
	uint64_t fullest_words; /* unread in the fullest ring when last scanned */
};

/*
 * Open the TARGET or start the COMMAND.  0, or an exit status after the reason was reported.  A command's ring may appear
 * later: cursor is NULL until a turn finds it.  What the strings of the options point to outlives the session.
 */
int session_open(struct session *s, const struct session_options *options);

/* Begin now with all that the rings still hold, when time has passed since session_open and before the first turn: what was
 * overwritten meanwhile counts as history.  A file, and a COMMAND, are begun with as they are. */
void session_rewind(struct session *s);

/* One turn.  *more: something is left to read now.  *events (may be NULL) counts what was delivered. */
void session_turn(struct session *s, const struct session_sink *sink, bool *more, uint64_t *events);

/* Descriptors that wake the loop when the target's state changes; returns how many were filled in. */
nfds_t session_fds(const struct session *s, struct pollfd fds[SESSION_FDS]);

/* Look whether the target has ended, and whether COMMAND has started further programs.  Call it before the turn that is to read
 * the target's last events. */
void session_check(struct session *s);

/* How long to wait before the next turn. */
uint64_t session_pace(const struct session *s);

/* Report what went wrong on the way, wait for a COMMAND that still runs, clean up, and return the exit status: `status` for a
 * plain target, the COMMAND's own otherwise. */
int session_close(struct session *s, int status);

/* Version and its origin as a person reads them; NULL when nothing is known. */
const char *session_version(const struct session *s);

#endif
