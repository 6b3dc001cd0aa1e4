/*
 * made_fibers.h - fibers of one domain whose scheduler tells all, for the tests of fibers.
 */
#pragma once

#include "fibers/fibers.h"
#include "support/test.h"

#define MS UINT64_C(1000000)

static struct model *model;
static struct fibers *fibers;

/* Begin with none; end, and nothing may have gone wrong. */
static inline void begin(void)
{
	model = model_create(&(struct model_options){0});
	CHECK(model != NULL);
	fibers = fibers_create(model, FIBERS_TELL_ALL);
	CHECK(fibers != NULL);
}

static inline void end(void)
{
	CHECK(!fibers_failed(fibers));
	fibers_destroy(fibers);
	model_destroy(model);
}

/* An event of a scheduler.  A context that is made in no other is a root. */
static inline void take(uint64_t ts, enum fiber_op op, uint64_t id, uint64_t other, const char *text)
{
	const struct fiber_event event = {.op = op,
	    .kind = op != FIBER_CONTEXT_MADE ? FIBER_KIND_NONE
		    : other == 0	     ? FIBER_CONTEXT_ROOT
					     : FIBER_CONTEXT_SWITCH,
	    .id = id,
	    .other = other,
	    .text = text,
	    .len = text != NULL ? strlen(text) : 0};

	fibers_take(fibers, 0, ts, &event);
}
