/*
 * fleet.h - many targets at once: those that were named, or every OCaml process of the machine as they come and go.
 *
 * A *member* is one target with a session and a model: no history, no flame graph.  A *turn* reads every member whose turn is due, each
 * up to the same budget, so that a busy one never keeps the others waiting.  How long a member is left alone follows how fast its
 * fullest ring was found to fill.
 *
 * A *step* is the time between two calls of fleet_step; figures are of the *window*, the last `window` steps, or of as many as there
 * have been since the member was attached.
 */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/figures.h"
#include "model/model.h"
#include "session/session.h"
#include "target/processes.h"

#define FLEET_WINDOW_MAX 8 /* steps */

#define FLEET_HISTORY 32 /* steps */

/* X(NAME, text): what a member is doing. */
#define FLEET_STATES(X)                                                                                      \
	X(LIVE, "live")                                                                                      \
	X(PAUSED, "paused")		/* says itself that it has paused its events */                      \
	X(STOPPED, "stopped")		/* by a signal, or by who traces it */                               \
	X(WAITING, "waiting")		/* a COMMAND whose ring has not appeared */                          \
	X(NOT_STARTED, "no-ring")	/* an OCaml 5 process without a ring */                              \
	X(INACCESSIBLE, "inaccessible") /* we may not read its ring, or not look at it */                    \
	X(UNREADABLE, "unreadable")	/* its ring makes no sense, or was cut short */                      \
	X(ENDED, "ended")                                                                                    \
	X(FILE, "file") /* a ring file */

enum fleet_state {
#define X(name, text) FLEET_##name,
	FLEET_STATES(X)
#undef X
	    FLEET_STATE_COUNT
};

/* Its text.  Static storage. */
const char *fleet_state_name(enum fleet_state state);

struct fleet_member;

/* What a face of the fleet keeps of each member, in fleet_member.face.  NULL members are skipped. */
struct fleet_calls {
	void *ctx;
	bool (*attached)(void *ctx, struct fleet_member *m); /* it has a model; false when memory ran out */
	void (*turned)(void *ctx, struct fleet_member *m, uint64_t now, bool more); /* as live_calls.turned */
	void (*finished)(
	    void *ctx, struct fleet_member *m); /* nothing more will come; the model is finished */
	void (*dropping)(void *ctx, struct fleet_member *m); /* it is about to be forgotten */
};

struct fleet_options {
	size_t max_members;		/* further processes are counted as left out; 0: 4096 */
	unsigned window;		/* steps, 1 to FLEET_WINDOW_MAX */
	bool by_domain;			/* figures of each domain, too */
	bool machine;			/* every OCaml process of the machine */
	const char *proc_root;		/* of the machine; NULL: /proc */
	struct session_options session; /* for members of the machine; `target` is not looked at */
	size_t model_bytes;		/* of each model; 0: as model_options has it */
	struct fleet_calls calls;
};

/* A target.  Texts are untrusted bytes. */
struct fleet_member {
	int64_t pid; /* 0: a file */
	int64_t parent;
	enum fleet_state state;
	const char *name;
	const char *user;		 /* whom it belongs to, "" when not known */
	const char *ocaml;		 /* version; NULL: not known */
	const char *ocaml_from;		 /* NULL likewise */
	const char *remedy;		 /* how its events can be had; NULL: there is nothing to be done */
	uint64_t start_ticks;		 /* when the process began, since the machine did; 0: not known */
	void *face;			 /* of fleet_calls */
	uint64_t attach_ts;		 /* 0: never attached */
	uint64_t ended_ts;		 /* 0: it runs */
	bool over;			 /* it has ended, and a step before the last has told of that */
	struct model *model;		 /* NULL: never attached */
	const struct session *session;	 /* likewise */
	struct fleet_figures figures;	 /* as of the last fleet_step */
	float gc_history[FLEET_HISTORY]; /* the share of each of the last steps, the newest last */
	unsigned gc_count;
};

struct fleet;

/* 0 or an errno value. */
int fleet_create(struct fleet **out, const struct fleet_options *options);
void fleet_destroy(struct fleet *fleet);

/* Add a target that was named: of it all is read from now on, of a COMMAND and a file from their first event on.  An exit status (session/reporter.h); what
 * failed has been reported. */
int fleet_add(struct fleet *fleet, const struct session_options *options);

/* Look for processes that have come or gone, if that was asked for.  0 or an errno value. */
int fleet_look(struct fleet *fleet, uint64_t now);

/* Read the members that are due.  *more: there is more to read at once.  Returns how many are still to be read, now or later. */
size_t fleet_turn(struct fleet *fleet, uint64_t now, bool *more);

/* Nanoseconds until the next member is due; UINT64_MAX for none. */
uint64_t fleet_pace(const struct fleet *fleet, uint64_t now);

/* End a step: bring the figures of all members up to date, and begin the next one.  0 or ENOMEM. */
int fleet_step(struct fleet *fleet, uint64_t now);

/* The members by pid, in the order in which they were named where they were.  They stay where they are until fleet_look, or
 * fleet_forget. */
size_t fleet_count(const struct fleet *fleet);
const struct fleet_member *fleet_member(const struct fleet *fleet, size_t i);

/* Forget the members that ended before `ts`. */
void fleet_forget(struct fleet *fleet, uint64_t ts);

/* Processes that had no place, or could not be attached for want of memory. */
unsigned fleet_left_out(const struct fleet *fleet);

/* Close all sessions.  The exit status: of the COMMAND if there is one, else `status`. */
int fleet_close(struct fleet *fleet, int status);

#endif
