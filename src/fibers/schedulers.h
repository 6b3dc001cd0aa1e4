/* schedulers.h - an observer of a model that finds the events of known schedulers among the user events. */
#pragma once

#include "fibers/fibers.h"

struct schedulers;

/* Observe a model, which must outlive the result.  NULL when memory ran out. */
struct schedulers *schedulers_create(struct model *m);
void schedulers_destroy(struct schedulers *s);

/* Set the observer of all schedulers' fibers (fibers_watch). */
void schedulers_watch(struct schedulers *s, const struct fibers_observer *observer);

/* Return the fibers of the scheduler with the most events since the last reset or, if none has events, of one
 * with living fibers; and its name.  NULL if there is none. */
struct fibers *schedulers_first(const struct schedulers *s, const char **name);

/* Return the fibers of each scheduler that has ever written, one after another.  `at` begins as 0.  NULL at
 * the end. */
struct fibers *schedulers_next(const struct schedulers *s, unsigned *at, const char **name);

/* Learn what another process of rtevtop knew of a scheduler's fibers, as fibers_tell tells it.  To be called
 * before the first event; it adds to no figure. */
void schedulers_learn(
    struct schedulers *s, const char *name, unsigned domain, uint64_t ts, const struct fiber_event *event);

/* A user event as in the ring; `end`: the end of a span. */
struct scheduler_user {
	const char *name;
	size_t name_len;
	enum model_user_kind kind;
	bool end;
	int64_t value;
	const void *data; /* of a custom event */
	size_t len;
};

/* Decode a user event.  False if it is not a scheduler's. */
bool scheduler_event(const struct scheduler_user *user, struct fiber_event *out);

/* Whether a user event is a scheduler's, by its name, kind and latest payload; `user` NULL: by name and kind. */
bool schedulers_know(const struct model_user_slot *slot, const struct model_user *user);
