/*
 * fleet_private.h - a fleet and its members from inside.
 */
#ifndef FLEET_FLEET_PRIVATE_H
#define FLEET_FLEET_PRIVATE_H

#include "fleet/fleet.h"
#include "session/session_tracing.h"
#include "target/roster.h"

struct member {
	struct fleet_member shown;
	struct fleet *fleet;
	struct roster_entry *entry; /* NULL: it was named */
	uint64_t examined_ts;	    /* of the entry, when it was last tried to attach */
	struct session *session;    /* NULL: not attached; closed once `closed` */
	struct session_sink sink;
	struct session_tracing tracing;
	struct status_stat stat;		   /* pid 0: not known */
	uint64_t stat_ts;			   /* when it was read */
	struct fleet_mark marks[FLEET_WINDOW_MAX]; /* a ring */
	unsigned mark_count, newest;		   /* marks that the window has; the latest of them */
	uint64_t step_events;			   /* delivered up to the last step */
	uint64_t turn_ts, due_ts, pace_ns;
	bool finished; /* nothing more will come */
	bool told;     /* and a step has told of that */
	bool closed;
	bool short_of; /* memory ran out: its figures are not known */
};

struct fleet {
	struct fleet_options options;
	struct roster *roster; /* NULL: not of the machine */
	int proc;	       /* /proc */
	struct member **members;
	size_t count, room;
	unsigned left_out;
};

/* NULL when memory ran out.  `entry` NULL: a target that is named. */
struct member *member_create(struct fleet *fleet, struct roster_entry *entry);
void member_destroy(struct member *m);

/* Begin to observe it.  An exit status after the reason was reported. */
int member_attach(struct member *m, const struct session_options *options);

/* Bring it up to date with its entry of the roster: attach it once it has a ring. */
void member_look(struct member *m, uint64_t now);

/* Whether there is, or may come, something to read. */
bool member_reads(const struct member *m);

/* Read its rings; whether there is more to read at once. */
bool member_turn(struct member *m, uint64_t now);

/* End a step.  False when memory ran out. */
bool member_step(struct member *m, uint64_t now);

/* Close its session, if it has one; the exit status. */
int member_close(struct member *m, int status);

#endif
