/*
 * follow_memtrace.h - follow a memtrace file while a program writes it.
 *
 * The file is the one given by the user, or the one that MEMTRACE in the target's environment names.  A file
 * that does not exist yet is awaited, and so is the rest of an incomplete packet.  A file that is replaced or
 * truncated is read from its beginning.  So is a file of which another time window is requested; a mark is
 * then set again where it was.
 *
 * A turn lasts at most FOLLOW_TURN_NS, so that keys and rings are served.
 */
#pragma once

#include "session/session.h"
#include "rtev/memtrace.h"
#include "target/memtrace_path.h"
#include "ui/subject.h"

#define FOLLOW_TURN_NS 5000000u	  /* longest duration of a turn */
#define FOLLOW_PACE_NS 100000000u /* between two checks of the file */

struct follow {
	bool on;	   /* a file is being followed */
	bool given;	   /* given by the user */
	int64_t asked_pid; /* the process whose environment was read last */
	struct traced traced;
	int fd;
	struct stat st; /* of the file that is read, or could not be */
	struct rtev_memtrace_reader *reader;
	struct sites *sites;
	struct rtev_memtrace_fault fault; /* status RTEV_OK: none */
	int64_t from, to;		  /* the time window being read */
	bool again;			  /* read before, with another time window */
	bool marked;
	uint64_t mark_events; /* events read when the mark was set */
	uint64_t next_look;
	char text[160]; /* of the fault */
	struct subject_trace subject;
	bool held;		   /* see follow_hold */
	struct subject_trace then; /* while held: the subject when the hold began */
};

/* `path` is the file given by the user, or NULL. */
void follow_begin(struct follow *f, const char *path);
void follow_end(struct follow *f);

/* Take the file from the target's environment, unless the user gave one.  A COMMAND that has ended had our
 * environment. */
void follow_target(struct follow *f, const struct session *session);

/* Stop following the file of a target, when the target is left. */
void follow_forget(struct follow *f);

/* Take one turn with a time window.  Returns true if there is more to read now. */
bool follow_turn(struct follow *f, int64_t from, int64_t to);

/* Hold the file at what has been read, and the subject as it is, or release it.  Meanwhile the file may grow,
 * and other time windows of the held part can be read. */
void follow_hold(struct follow *f, bool hold);

/* Set the mark: growth of sites counts from now on. */
void follow_mark(struct follow *f);

/* What to show; NULL if no file is followed. */
const struct subject_trace *follow_subject(struct follow *f);

/* Report a fault of the file.  Returns EXIT_FAILED if the user gave the file and it has a fault, else
 * `status`. */
int follow_report(struct follow *f, int status);
