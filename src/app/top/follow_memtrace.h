/*
 * follow_memtrace.h - follow a memtrace file while a program writes it, for the live view.
 *
 * The file is the one that the user gave, or else the one that MEMTRACE of the target's environment names.  One that is not there
 * is waited for, and so is the rest of a packet that is torn at its end.  A file that is replaced or begun anew is read from its
 * beginning, and so is one of which another time window is wanted; a mark then comes back where it was set.
 *
 * A turn reads no longer than FOLLOW_TURN_NS, so that keys and rings are served meanwhile.
 */
#ifndef APP_TOP_FOLLOW_MEMTRACE_H
#define APP_TOP_FOLLOW_MEMTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"
#include "rtev/memtrace.h"
#include "target/memtrace_path.h"
#include "ui/subject.h"

#define FOLLOW_TURN_NS 5000000u	  /* the most that a turn takes */
#define FOLLOW_PACE_NS 100000000u /* between two looks at the file */

struct follow {
	bool on;	   /* there is a file to follow */
	bool given;	   /* by the user */
	int64_t asked_pid; /* whose environment was looked at last */
	struct traced traced;
	int fd;
	struct stat st; /* of the file that is read, or that could not be */
	struct rtev_memtrace_reader *reader;
	struct sites *sites;
	struct rtev_memtrace_fault fault; /* status RTEV_OK: none */
	int64_t from, to;		  /* time window that is read */
	bool again;			  /* and that has been read with another one before */
	bool marked;
	uint64_t mark_events; /* taken in when the mark was set */
	uint64_t next_look;
	char text[160]; /* of the fault */
	struct subject_trace subject;
	bool held;		   /* as follow_hold says: */
	struct subject_trace then; /* when that began */
};

/* Begin; `path` is what the user gave, or NULL. */
void follow_begin(struct follow *f, const char *path);
void follow_end(struct follow *f);

/* Go by the target of a session: look what MEMTRACE of its environment says, or that of ours when it is a COMMAND that has
 * ended already, unless the user gave a file. */
void follow_target(struct follow *f, const struct session *session);

/* Forget the file of a target that is left. */
void follow_forget(struct follow *f);

/* One turn, with the time window that is wanted.  True when there is more to read now. */
bool follow_turn(struct follow *f, int64_t from, int64_t to);

/* Leave the file as far as it has been read, and what is shown of it as it is, or go on with it.  The file keeps what is written
 * meanwhile, and while it is held another time window of the same part of it can be read. */
void follow_hold(struct follow *f, bool hold);

/* Remember how the sites stand. */
void follow_mark(struct follow *f);

/* What to show; NULL when there is no file to follow. */
const struct subject_trace *follow_subject(struct follow *f);

/* Report what is wrong with the file.  The exit status: failed when the user gave it and something is, else `status`. */
int follow_report(struct follow *f, int status);

#endif
