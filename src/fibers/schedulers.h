/*
 * schedulers.h - the schedulers whose events a model sees: an observer that finds their events among the user events.
 */
#pragma once

#include "fibers/fibers.h"

struct schedulers;

/* Observe a model, which outlives this.  NULL when memory ran out. */
struct schedulers *schedulers_create(struct model *m);
void schedulers_destroy(struct schedulers *s);

/* Have an observer told of the fibers of any scheduler (fibers_watch). */
void schedulers_watch(struct schedulers *s, const struct fibers_observer *observer);

/* The fibers of the scheduler with the most events since the last reset, or without any of one of which some live, and its
 * name; NULL: there is none. */
struct fibers *schedulers_first(const struct schedulers *s, const char **name);

/* The fibers of each scheduler that has written at any time, one after another: `at` is 0 at first.  NULL: there are no more. */
struct fibers *schedulers_next(const struct schedulers *s, unsigned *at, const char **name);

/* Learn what another process of rtevtop knew of a scheduler's fibers, as fibers_tell tells it: before the first event, and for no
 * figure. */
void schedulers_learn(
    struct schedulers *s, const char *name, unsigned domain, uint64_t ts, const struct fiber_event *event);

/* A user event as it is in the ring; `end`: the end of a span. */
struct scheduler_user {
	const char *name;
	size_t name_len;
	enum model_user_kind kind;
	bool end;
	int64_t value;
	const void *data; /* of a custom event */
	size_t len;
};

/* Decode a user event; false: it is not one of a scheduler. */
bool scheduler_event(const struct scheduler_user *user, struct fiber_event *out);

/* Whether a user event is one of a scheduler, by its name, kind and latest payload; `user` NULL: by the first two. */
bool schedulers_know(const struct model_user_slot *slot, const struct model_user *user);
