/*
 * model_feed.h - short hands for the tests of the model: events in, figures out.
 */
#pragma once

#include "model/model.h"
#include "support/test.h"

/* A model and the callbacks that feed it. */
struct feed {
	struct model *m;
	struct rtev_callbacks cb;
};

/* Phases by short names. */
enum {
	MINOR = RTEV_PHASE_MINOR,
	MAJOR = RTEV_PHASE_MAJOR,
	SLICE = RTEV_PHASE_MAJOR_SLICE,
	EPHE = RTEV_PHASE_MAJOR_EPHE_MARK,
	LEADER = RTEV_PHASE_STW_LEADER,
	HANDLER = RTEV_PHASE_STW_HANDLER,
	REMOTE = RTEV_PHASE_INTERRUPT_REMOTE,
	WAIT = RTEV_PHASE_DOMAIN_CONDITION_WAIT,
	ODD = RTEV_OPAQUE + 57
};

/* A model of a file, or of a target attached to at a stamp other than 0. */
static inline struct feed feed_open(uint64_t attach_ts)
{
	struct model_options options = {.attach_ts = attach_ts};
	struct feed f = {.m = model_create(attach_ts > 0 ? &options : NULL)};

	CHECK(f.m != NULL);
	model_callbacks(&f.cb);
	CHECK_INT(f.cb.size, sizeof(f.cb));
	return f;
}

/* Done with it; nothing may have gone wrong inside. */
static inline void feed_close(struct feed *f)
{
	CHECK_INT(model_status(f->m), RTEV_OK);
	model_destroy(f->m);
}

static inline void begin(struct feed *f, unsigned domain, uint64_t ts, rtev_phase phase)
{
	CHECK_INT(f->cb.begin(f->m, domain, ts, phase), RTEV_CONTINUE);
}

static inline void end(struct feed *f, unsigned domain, uint64_t ts, rtev_phase phase)
{
	CHECK_INT(f->cb.end(f->m, domain, ts, phase), RTEV_CONTINUE);
}

/* A span in which nothing else happens. */
static inline void span(struct feed *f, unsigned domain, uint64_t from, uint64_t to, rtev_phase phase)
{
	begin(f, domain, from, phase);
	end(f, domain, to, phase);
}

static inline void life(struct feed *f, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	CHECK_INT(f->cb.lifecycle(f->m, domain, ts, event, data), RTEV_CONTINUE);
}

static inline void lost(struct feed *f, unsigned domain, uint64_t words, uint64_t history)
{
	CHECK_INT(f->cb.lost(f->m, domain, words, history), RTEV_CONTINUE);
}

/* A user event of this id and name, as a cursor would hand it out. */
static inline struct rtev_user_event user_event(unsigned id, const char *name)
{
	struct rtev_user_event event = {
	    .id = (uint16_t)id, .name_len = (uint16_t)strlen(name), .generation = 1};

	CHECK(event.name_len < sizeof(event.name));
	memcpy(event.name, name, event.name_len);
	return event;
}

static inline void user_span(
    struct feed *f, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool is_begin)
{
	CHECK_INT(f->cb.user_span(f->m, domain, ts, event, is_begin), RTEV_CONTINUE);
}

static inline struct model_totals totals(const struct feed *f)
{
	const struct model_totals t = model_totals(f->m);

	return t;
}

/* What is known of a phase on a domain. */
static inline const struct model_phase *phase(const struct feed *f, unsigned domain, rtev_phase number)
{
	const struct model_domain *d = model_domain(f->m, domain);

	CHECK(d != NULL);
	for (size_t i = 0; i < d->phase_count; i++)
		if (d->phases[i].phase == number)
			return &d->phases[i];
	TEST_FAIL("domain %u has no phase %u", domain, number);
}

/* The figures of a phase are these. */
static inline void expect_phase(const struct feed *f, unsigned domain, rtev_phase number, uint64_t count,
    uint64_t total, uint64_t self, uint64_t max)
{
	const struct model_phase *p = phase(f, domain, number);

	CHECK_INT(p->count, count);
	CHECK_INT(p->total, total);
	CHECK_INT(p->self, self);
	CHECK_INT(p->max, max);
}

/* So many spans were dropped and are open, over all domains. */
static inline void expect_spans(const struct feed *f, uint64_t dropped, uint64_t open)
{
	struct model_totals t = totals(f);

	CHECK_INT(t.dropped, dropped);
	CHECK_INT(t.open, open);
}

/* So many pauses, of this total. */
static inline void expect_pauses(const struct feed *f, uint64_t count, uint64_t sum)
{
	CHECK_INT(model_pauses(f->m)->count, count);
	CHECK_INT(model_pauses(f->m)->sum, sum);
}

/* The slot of a name and a kind. */
static inline size_t user_slot(const struct feed *f, const char *name, enum model_user_kind kind)
{
	for (size_t i = 0; i < model_user_slots(f->m); i++) {
		const struct model_user_slot *slot = model_user_slot(f->m, i);

		if (slot->kind == kind && slot->name_len == strlen(name) && strcmp(slot->name, name) == 0)
			return i;
	}
	TEST_FAIL("no user event %s", name);
}

/* What a domain knows of a name and a kind. */
static inline const struct model_user *user(
    const struct feed *f, unsigned domain, const char *name, enum model_user_kind kind)
{
	const struct model_user *u = model_user(f->m, domain, user_slot(f, name, kind));

	CHECK(u != NULL);
	return u;
}
