/*
 * fleet.h - observe several targets at once: those named, or every OCaml process of the machine as they come
 * and go.
 *
 * A *member* is one target with a session and an observation that keeps little.  A *turn* reads
 * every member that is due.  Each is read up to the same budget, so that a busy member does not delay the
 * others.  The faster the fullest ring of a member fills, the sooner the member is due again.
 *
 * A *step* is the time between two calls of fleet_step.  Figures cover the *window*: the last `window`
 * steps, or all steps since the member was attached if there are fewer.
 */
#pragma once

#include "core/std.h"
#include "figures/window.h"
#include "observation/observation.h"
#include "session/session.h"
#include "target/processes.h"

#define FLEET_WINDOW_MAX 8 /* steps */

#define FLEET_HISTORY 32 /* steps */

/* X(NAME, text): the states of a member. */
#define FLEET_STATES(X)                                                                                      \
	X(FLEET_LIVE, "live")                                                                                \
	X(FLEET_PAUSED, "paused")	      /* by its own report, it has paused its events */              \
	X(FLEET_STOPPED, "stopped")	      /* by a signal or a tracer */                                  \
	X(FLEET_WAITING, "waiting")	      /* a COMMAND without a ring yet */                             \
	X(FLEET_NO_EVENTS, "no events")	      /* an OCaml 5 process without a ring */                        \
	X(FLEET_NOT_STARTED, "not started")   /* its ring exists and is empty */                             \
	X(FLEET_INACCESSIBLE, "inaccessible") /* no permission to read its ring, or to examine it */         \
	X(FLEET_UNREADABLE, "unreadable")     /* its ring is invalid or truncated */                         \
	X(FLEET_ENDED, "ended")                                                                              \
	X(FLEET_FILE, "file") /* a ring file */

enum fleet_state { FLEET_STATES(LIST_NAME) FLEET_STATE_COUNT };

/* Return the text of a state.  Static storage. */
const char *fleet_state_name(enum fleet_state state);

struct fleet_member;

struct fleet_options {
	unsigned window;		/* in steps, 1 to FLEET_WINDOW_MAX */
	bool by_domain;			/* also compute the figures of each domain */
	bool machine;			/* observe every OCaml process of the machine */
	struct session_options session; /* for processes of the machine; `target` and `start` are ignored */
	unsigned parts;			/* enum observation_part of each observation, but OBSERVE_WATCH */
	size_t model_bytes;		/* memory limit of each model; 0: the default of model_options */
	/* Set and free `face` of a member whose observation begins or ends, for a user that counts more.
	 * Both or none; the first returns false when memory ran out. */
	bool (*face_begin)(struct fleet_member *m);
	void (*face_end)(struct fleet_member *m);
};

/* A target.  All texts are untrusted bytes. */
struct fleet_member {
	int64_t pid; /* 0: a file */
	int64_t parent;
	enum fleet_state state;
	const char *name;
	const char *user;		 /* owner of the process, "" when not known */
	const char *command;		 /* its command line, as far as it is kept; "" when not known */
	const char *ocaml;		 /* version; NULL: not known */
	const char *ocaml_from;		 /* source of the version; NULL: not known */
	const char *remedy;		 /* how to enable its events; NULL: there is no way */
	uint64_t start_ticks;		 /* start of the process, in clock ticks since boot; 0: not known */
	void *face;			 /* belongs to the user of the fleet (fleet_options) */
	uint64_t attach_ts;		 /* 0: never attached */
	uint64_t ended_ts;		 /* 0: it is running */
	bool over;			 /* it has ended, and a step before the last one has shown that */
	struct observation *observation; /* NULL: never attached, or ended and `face` is NULL */
	struct window_figures figures;	 /* as of the last fleet_step */
	float gc_history[FLEET_HISTORY]; /* GC share of each of the last steps, oldest first */
	unsigned gc_count;
};

struct fleet;

/* Returns 0 or an errno value.  Raises this process's limit on open descriptors (launch/limits.h). */
int fleet_create(struct fleet **out, const struct fleet_options *options);
void fleet_destroy(struct fleet *fleet);

/* Add a target that was named.  A process is read from now on, a COMMAND or a file from its first event.
 * Returns an exit status (launch/reporter.h); a failure has been reported. */
int fleet_add(struct fleet *fleet, const struct session_options *options);

/* With options.machine, look for processes that have started or ended.  Returns 0 or an errno value. */
int fleet_look(struct fleet *fleet, uint64_t now);

/* Read the members that are due.  *more: some have more to read at once.  Returns how many members still need
 * reading, now or later. */
size_t fleet_turn(struct fleet *fleet, uint64_t now, bool *more);

/* Return the nanoseconds until the next member is due; UINT64_MAX when there is none. */
uint64_t fleet_pace(const struct fleet *fleet, uint64_t now);

/* End a step: update the figures of all members, and begin the next step.  Returns 0 or ENOMEM. */
int fleet_step(struct fleet *fleet, uint64_t now);

/* The members by pid; targets that were named, in the order of naming.  Pointers and indexes are valid until
 * fleet_look or fleet_forget. */
size_t fleet_count(const struct fleet *fleet);
const struct fleet_member *fleet_member(const struct fleet *fleet, size_t i);

/* Forget the members that ended before `ts`. */
void fleet_forget(struct fleet *fleet, uint64_t ts);

/* Return how many processes were left out because there are too many, or because memory ran out. */
unsigned fleet_left_out(const struct fleet *fleet);

/* Close all sessions.  Returns the exit status of the COMMAND if there is one, else `status`, or EXIT_FAILED if the
 * ring of a named target was cut short. */
int fleet_close(struct fleet *fleet, int status);
