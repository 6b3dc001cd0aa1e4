/*
 * feed.h - plays the part of a model towards an observer: spans that nest, ends of the innermost one, drops.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "support/test.h"
#include "watch/history.h"

#define FEED_DEPTH 256
#define FEED_DOMAINS 16

struct feed {
	struct model_observer to;
	struct path_tree paths;
	unsigned depth[FEED_DOMAINS];
	struct model_open_span open[FEED_DOMAINS][FEED_DEPTH];
	unsigned user_count[FEED_DOMAINS];
	struct model_open_user users[FEED_DOMAINS][HISTORY_DEPTH];
};

/* What is open on a domain. */
static inline struct history_present feed_present(const struct feed *f, unsigned domain)
{
	struct history_present now = {
	    .stack = f->open[domain], .depth = f->depth[domain], .user_count = f->user_count[domain]};

	memcpy(now.users, f->users[domain], sizeof(now.users));
	return now;
}

/* Fill in an observer that tells a history of all events. */
static inline void feed_history_opened(
    void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	history_touch(ctx, domain, ts);
}

static inline void feed_history_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	history_closed(ctx, domain, span);
}

static inline void feed_history_counter(
    void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	history_touch(ctx, domain, ts);
}

static inline void feed_history(struct history *h, struct model_observer *out)
{
	history_observer(h, out);
	out->opened = feed_history_opened;
	out->closed = feed_history_closed;
	out->counter = feed_history_counter;
}

/* The path of a span at a depth. */
static inline uint16_t feed_path(struct feed *f, unsigned domain, unsigned depth, rtev_phase phase)
{
	return path_inside(&f->paths, depth > 0 ? f->open[domain][depth - 1].path : 0, phase);
}

/* A span begins. */
static inline void feed_open(struct feed *f, unsigned domain, rtev_phase phase, uint64_t ts)
{
	unsigned depth = f->depth[domain]++;

	f->open[domain][depth] =
	    (struct model_open_span){.begin = ts, .phase = phase, .path = feed_path(f, domain, depth, phase)};
	f->to.opened(f->to.ctx, domain, phase, ts, depth);
}

/* The innermost span ends. */
static inline void feed_close(struct feed *f, unsigned domain, uint64_t ts)
{
	unsigned depth = --f->depth[domain];
	const struct model_open_span *frame = &f->open[domain][depth];
	uint64_t time = ts > frame->begin ? ts - frame->begin : 0;
	struct model_span span = {
	    .begin = frame->begin,
	    .end = ts,
	    .self = time > frame->inside ? time - frame->inside : 0,
	    .depth = depth,
	    .phase = frame->phase,
	    .path = frame->path,
	    .pause = depth == 0 && frame->phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT,
	};

	if (depth > 0)
		f->open[domain][depth - 1].inside += time;
	f->to.closed(f->to.ctx, domain, &span);
}

/* A user event comes: a unit, an int or a custom one; or a span begins or ends. */
static inline void feed_user(
    const struct model_observer *to, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	to->user(to->ctx, domain,
	    &(struct model_user_event){.what = MODEL_USER_CAME, .slot = slot, .ts = ts, .value = value});
}

static inline void feed_user_opened(
    const struct model_observer *to, unsigned domain, uint64_t ts, unsigned slot)
{
	to->user(
	    to->ctx, domain, &(struct model_user_event){.what = MODEL_USER_OPENED, .slot = slot, .ts = ts});
}

static inline void feed_user_closed(
    const struct model_observer *to, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	to->user(to->ctx, domain,
	    &(struct model_user_event){.what = MODEL_USER_CLOSED, .slot = slot, .begin = begin, .ts = end});
}

/* The open span at a depth is dropped. */
static inline void feed_drop(struct feed *f, unsigned domain, unsigned depth)
{
	struct model_open_span frame = f->open[domain][depth];

	f->depth[domain]--;
	if (depth > 0)
		f->open[domain][depth - 1].inside += frame.inside;
	for (unsigned i = depth; i < f->depth[domain]; i++) {
		f->open[domain][i] = f->open[domain][i + 1];
		f->open[domain][i].path = feed_path(f, domain, i, f->open[domain][i].phase);
	}
	f->to.dropped(f->to.ctx, domain, frame.phase, frame.begin, depth);
}

/* Words are lost, or can't be read, after `after`. */
static inline void feed_lost(const struct model_observer *to, unsigned domain, enum model_note_kind kind,
    uint64_t after, uint64_t words)
{
	to->gap(to->ctx, domain, &(struct model_gap){.kind = kind, .from = after, .words = words});
}

/* Words are lost after `after`, and with them what was open. */
static inline void feed_gap(struct feed *f, unsigned domain, uint64_t after, uint64_t words)
{
	feed_lost(&f->to, domain, MODEL_NOTE_LOST, after, words);
	while (f->depth[domain] > 0)
		feed_drop(f, domain, f->depth[domain] - 1);
}

/* A user span begins, and is open until it ends or is dropped. */
static inline void feed_user_begin(struct feed *f, unsigned domain, uint64_t ts, unsigned slot)
{
	CHECK(f->user_count[domain] < HISTORY_DEPTH);
	f->users[domain][f->user_count[domain]++] = (struct model_open_user){.begin = ts, .slot = slot};
	feed_user_opened(&f->to, domain, ts, slot);
}

/* The user spans end that have this begin, or are dropped that began before `before`. */
static inline void feed_user_end(struct feed *f, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < f->user_count[domain]; i++)
		if (f->users[domain][i].begin != begin || f->users[domain][i].slot != slot)
			f->users[domain][kept++] = f->users[domain][i];
	CHECK(kept < f->user_count[domain]);
	f->user_count[domain] = kept;
	feed_user_closed(&f->to, domain, begin, end, slot);
}

static inline void feed_users_drop(struct feed *f, unsigned domain, uint64_t before)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < f->user_count[domain]; i++) {
		const struct model_open_user user = f->users[domain][i];
		if (user.begin >= before)
			f->users[domain][kept++] = user;
		else
			f->to.user(f->to.ctx, domain,
			    &(struct model_user_event){
				.what = MODEL_USER_DROPPED, .slot = user.slot, .begin = user.begin});
	}
	f->user_count[domain] = kept;
}

/* A generator of numbers that is the same everywhere. */
static inline uint64_t feed_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* One below `limit`. */
static inline uint64_t feed_below(uint64_t *state, uint64_t limit)
{
	return feed_random(state) % limit;
}
