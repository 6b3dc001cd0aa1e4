/*
 * record_private.h - shared by the two files of a recording: record.c begins and ends it and writes the pauses
 * of the target, record_events.c writes what the model tells.
 *
 * The model reports spans of the runtime that it drops one by one, but not user spans; `dropped` remembers
 * its count as of when a domain's list was last compared with the model's, so that this is done only after
 * something was dropped.
 */
#ifndef RECORD_RECORD_PRIVATE_H
#define RECORD_RECORD_PRIVATE_H

#include "record/clock.h"
#include "record/open_spans.h"
#include "record/record.h"
#include "record/trail.h"

#define RECORD_GAP_KINDS 3

struct record_domain {
	unsigned domain;
	struct record_spans spans;
	uint64_t dropped;
	bool shown; /* an event of it has been written: spans.last holds something */
	bool falls; /* stamps may go back at the next event */
	bool gap;   /* one lasts until the next event: */
	bool gaps[RECORD_GAP_KINDS];
	uint64_t words[RECORD_GAP_KINDS];
};

struct record {
	struct record_sink *sink;
	struct model *model;
	struct record_trail *trail; /* NULL: the sink has no place for one */
	void (*subject)(void *ctx, struct record_subject *out);
	void *ctx;
	struct record_clock clock;
	bool started, clock_known, out_of_memory;
	uint64_t since;	    /* the latest stamp before it began */
	uint64_t resumed;   /* the latest resume that became known since */
	uint64_t paused_to; /* end of the last pause of the target that was written */
	struct record_domain *domains[MODEL_DOMAINS_MAX];
};

/* A label of our own. */
static inline struct record_label record_own(enum record_word number)
{
	return (struct record_label){RECORD_LABEL_WORD, number};
}

/* Write what comes before all else, once. */
void record_start(struct record *r);

/* What is known of a domain, its track named; NULL when memory ran out. */
struct record_domain *record_domain_of(struct record *r, unsigned domain);

/* Close what is open on a domain. */
void record_domain_finish(struct record *r, struct record_domain *d, uint64_t end);

/* Fill in the observer that writes what the model tells. */
void record_observer(struct record *r, struct model_observer *out);

#endif
