/*
 * member.h - within the room: a member of a fleet, with its session, its observation, and the marks for its
 * figures.
 */
#pragma once

#include "fleet/fleet.h"
#include "target/roster.h"

struct member {
	struct fleet_member shown;
	const struct fleet_options *options;
	int proc;				    /* descriptor of /proc */
	struct roster_entry *entry;		    /* NULL: the target was named */
	char user[PROC_USER_SIZE];		    /* owner of that target */
	char *command;				    /* NULL: not read yet */
	unsigned execs;				    /* the session's count of execs when the command was
						     * read */
	uint64_t examined_ts;			    /* of the entry, at the last attempt to attach */
	struct session *session;		    /* NULL: not attached; closed if `closed` is set */
	struct status_stat stat;		    /* pid 0: not known */
	uint64_t stat_ts;			    /* when it was read */
	struct window_mark marks[FLEET_WINDOW_MAX]; /* a ring buffer */
	unsigned mark_count, newest;		    /* marks in the window; index of the latest */
	uint64_t turn_ts, due_ts, pace_ns;
	bool finished; /* no more events will come */
	bool told;     /* a step has shown the end */
	bool closed;
	bool short_of; /* memory ran out, so figures are unknown */
};

/* Create a member; `entry` is NULL for a named target.  The options outlive it.  NULL when memory ran out. */
struct member *member_create(const struct fleet_options *options, int proc, struct roster_entry *entry);
void member_destroy(struct member *m);

/* Start to observe the target.  Returns an exit status; a failure has been reported. */
int member_attach(struct member *m, const struct session_options *options);

/* Close the session if there is one.  Returns the exit status. */
int member_close(struct member *m, int status);

/* Update a member from its entry of the roster; attach it once it has a ring. */
void member_look(struct member *m, uint64_t now);

/* Whether the member has something to read, now or later. */
bool member_reads(const struct member *m);

/* Whether the member is due, and how long until it is. */
bool member_due(const struct member *m, uint64_t now);
uint64_t member_wait(const struct member *m, uint64_t now);

/* Read the member's rings.  Returns whether there is more to read at once. */
bool member_turn(struct member *m, uint64_t now);

/* End a step.  False when memory ran out. */
bool member_step(struct member *m, uint64_t now);
