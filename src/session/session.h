/*
 * session.h - one TARGET under observation: its ring, its process, its version, and the pace of reading.
 *
 * A *turn* is one scan and one poll of at most max_events events; the loops are made of turns.  The scan
 * finds evidence of the OCaml release and the times at which the target resumed its events.  The poll
 * delivers events.  Both examine a bounded number of words.  A scan may take several turns; nothing is
 * delivered before it is complete.  If a turn leaves unread records, the next turn follows at once; otherwise
 * session_pace says how long to wait.
 *
 * A session that is *off* has no cursor, because the target has no ring.  Turns search for a ring now and
 * then, and continue with it.  A session may also go off after an exec, when the new program has no ring.
 *
 * While the rings fill fast, a thread may read them ahead (reader.h).  A turn then delivers what that thread
 * has read.
 */
#pragma once

#include <poll.h>

#include "launch/child.h"
#include "session/pace.h"
#include "session/target_file.h"
#include "rtev/cursor.h"
#include "target/alive.h"
#include "target/version.h"

#define SESSION_FDS 3		 /* descriptors that session_fds returns, at most */
#define EVENT_DELAY_NS 20000000u /* longest time from an event's timestamp to its appearance in the ring */

enum session_state {
	SESSION_LIVE,	   /* the target runs */
	SESSION_ENDED,	   /* the target has ended, or is a file: nothing more is written */
	SESSION_TRUNCATED, /* the ring file was truncated while mapped: nothing more can be read */
};

/* Who receives the events of a session. */
struct session_sink {
	struct rtev_callbacks calls;
	void *ctx;
	void (*resume)(void *ctx, uint64_t ts); /* the scan found a resume; may be NULL */
	void (*reopening)(
	    void *ctx); /* the cursor is about to be closed, and user event ids become invalid; may be NULL */
	void (*reopened)(void *ctx); /* a new cursor follows; user event ids start anew; may be NULL */
};

struct reader;

struct session_options {
	const struct target_name *target; /* copied; NULL: COMMAND */
	const struct target_file *file;	  /* if the target is a file; the session takes its descriptor */
	struct child_options command;	  /* argv is NULL: TARGET */
	enum rtev_start start;		  /* for a process; a file and a COMMAND begin at the first event */
	uint64_t max_events;		  /* of one poll; 0: no limit */
	uint64_t wait_ns;  /* how long to wait for the ring; 0: not at all, UINT64_MAX: for ever */
	bool waits_open;   /* session_open returns at once, and turns wait for the ring */
	const char *dir;   /* directory of the ring; NULL: found by /proc */
	const char *ocaml; /* version given by the user; NULL: detected */
	bool reads_ahead;  /* use a thread while the rings fill fast */
	bool watched;	   /* the caller notices when the process executes another program */
	bool takes_off;	   /* accept an OCaml 5 process without a ring; turns search for its ring */
	const char *(*suggest)(
	    const char *path); /* the subcommand that a missing file may stand for; NULL: none */
	const struct reporter *report;
};

struct session {
	struct session_options options;
	struct target_name target; /* if there is no child */
	enum session_state state;
	int64_t pid;	 /* 0: a file */
	char name[256];	 /* of the program or file, unsanitised */
	char path[4096]; /* of the ring, for messages */
	struct rtev_cursor *cursor;
	struct alive *alive;	/* NULL: a file, or there is no ring yet */
	struct version program; /* evidence from the executable */
	struct version version; /* result of all evidence */
	bool conflict_reported;
	uint64_t wait_until; /* until when turns wait for the ring of the TARGET; 0: no wait */
	bool off;	     /* the TARGET has no ring, so it records no events */
	uint64_t looked_ts;  /* while `off`: time of the last search for a ring; 0: search at once */
	uint64_t exec_ts;    /* an exec after which the ring may be gone; 0: none */
	bool has_child;
	struct child child;
	uint64_t command_until; /* session_close waits for COMMAND until then; 0: until it ends */
	uint64_t attach_ts;
	uint64_t ended_ts;   /* when the end was noticed; 0: it still runs */
	uint64_t checked_ts; /* time of the last periodic check */
	uint64_t due_ts;     /* when the user of the session wants the next turn at the latest; 0: the rings
			      * decide */
	unsigned execs;	     /* number of execs seen */
	bool elsewhere;	     /* it was reported that COMMAND has its ring in another directory */
	unsigned others;     /* OCaml programs started by COMMAND that are not followed */
	int64_t other_pid;   /* the newest of these */
	char other_name[STATUS_PROGRAM_SIZE];
	struct pace pace;
	uint64_t ring_words;
	uint64_t fullest_words;	    /* unread words in the fullest ring at the last scan */
	struct rtev_ring_info info; /* of the current or latest cursor */
	struct rtev_scan scan;	    /* result of the last scan */
	uint64_t began;		    /* when the scan began whose words are not all delivered yet; 0: none */
	bool scans_last;	    /* that scan began after the target's end */
	uint64_t read_ts;	    /* all that the rings held then was delivered; 0: not known yet */
	struct reader *reader;	    /* NULL: not needed so far */
	bool lent;		    /* the reader has the cursor */
	unsigned takes;		    /* number of takes from the reader's spool */
	bool spooled;		    /* the spool has events that are not delivered yet */
};

/*
 * Open the TARGET or start the COMMAND.  Returns 0, or an exit status after reporting why.  The ring of a
 * COMMAND, and with waits_open that of a TARGET, may appear later: cursor is NULL until a turn finds it.  Strings in the options must outlive the
 * session.
 */
int session_open(struct session *s, const struct session_options *options);

/* Start over with all that the rings hold now.  For a caller that lets time pass between session_open and the
 * first turn: what was overwritten in between counts as history, not as lost.  No effect on a file or a
 * COMMAND. */
void session_rewind(struct session *s);

/*
 * Start at what is written from now on, as RTEV_START_NEWEST does.  Older contents of the rings are evidence
 * of the version, and are delivered to `past` (NULL: to nobody), within a bounded number of turns.  The
 * session must have a cursor and have taken no turn.
 */
void session_skip(struct session *s, const struct rtev_callbacks *past, void *ctx);

/* Take one turn.  Sets *more if there is more to read now, and *events (may be NULL) to the number of events
 * delivered. */
void session_turn(struct session *s, const struct session_sink *sink, bool *more, uint64_t *events);

/* Stop reading ahead: from now on only turns read the rings.  What was read ahead is delivered first. */
void session_settle(struct session *s);

/* Deliver what a running target has written until now, within a bounded number of turns, for a caller that
 * will take no more events. */
void session_catch_up(struct session *s, const struct session_sink *sink);

/* A time before which all events were delivered, if they appear in the rings at most `delay_ns` late. */
uint64_t session_read_to(const struct session *s, uint64_t delay_ns);

/* Get the unread words of the first `count` rings. */
void session_unread(struct session *s, uint64_t *unread, unsigned count);

/* Whether the writer of a ring has dropped more than it has written, because an event never fits. */
bool session_ring_overrun(const struct session *s);

/* Fill in the descriptors that become readable when the state of the target changes.  Returns their number. */
nfds_t session_fds(const struct session *s, struct pollfd fds[SESSION_FDS]);

/* Check whether the target has ended and whether COMMAND has started further programs.  Call it before a
 * turn, so that this turn reads the target's last events. */
void session_check(struct session *s);

/* How long to wait before the next turn, for a caller that watches several sessions.  session_wait loses
 * fewer events. */
uint64_t session_pace(const struct session *s);

/* Wait for descriptors, for a time, or until the next turn is due.  While the target runs, looks at the tails
 * of the rings in between.  Returns what poll would: 0 if only time has passed. */
int session_wait(struct session *s, struct pollfd *fds, nfds_t count, uint64_t timeout_ns);

/* Report problems, wait for COMMAND, clean up.  Returns the exit status: `status` for a TARGET, COMMAND's own
 * for a COMMAND. */
int session_close(struct session *s, int status);

/* The version with its origin, for people; NULL if unknown. */
const char *session_version(const struct session *s);
