/*
 * reader_timeout.h - how long output is waited for whose reader is slow, once we were asked to stop.
 */
#pragma once

#include "core/std.h"

struct reader_timeout {
	unsigned stops;		 /* requests to stop that still let the rest be written */
	uint64_t written, moved; /* what was written, and when that last grew or we were not asked yet */
};

void reader_timeout_init(struct reader_timeout *p, unsigned stops);

/* Whether to give up on a reader: after more requests to stop than that, or after one and two seconds without
 * progress.  Lets signals in. */
bool reader_timeout_ends(struct reader_timeout *p, uint64_t written);

/* Let a moment pass between two calls. */
void reader_timeout_wait(void);
