/* reader_timeout.h - how long to wait for a slow reader of the output after a request to stop. */
#pragma once

#include "core/std.h"

struct reader_timeout {
	unsigned stops;		 /* requests to stop that still let the rest be written */
	uint64_t written, moved; /* bytes written; when they last grew, or when no request had come yet */
};

void reader_timeout_init(struct reader_timeout *p, unsigned stops);

/* Whether to give up on a reader: after more requests than `stops`, or after one request and two seconds
 * without progress.  Signals are delivered meanwhile. */
bool reader_timeout_ends(struct reader_timeout *p, uint64_t written);

/* Wait a moment between two calls. */
void reader_timeout_wait(void);
