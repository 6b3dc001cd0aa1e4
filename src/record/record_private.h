/*
 * record_private.h - internals of a recording.  record.c begins and ends it and writes pauses of the target;
 * record_events.c writes events.
 *
 * The model tells which runtime spans it drops, but not which user spans.  `dropped` is the model's count
 * when a domain's list was last compared with the model, so that lists are compared only after something was
 * dropped.
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
	bool shown;	   /* an event has been written; spans.last is valid */
	bool falls;	   /* the next stamp may be earlier */
	bool gap;	   /* a gap lasts until the next event */
	uint64_t gap_from; /* what was lost was written from here on, or after the last event */
	bool gaps[RECORD_GAP_KINDS];
	uint64_t words[RECORD_GAP_KINDS];
};

struct record {
	struct record_sink *sink;
	struct model *model;
	struct record_trail *trail; /* NULL: the sink has no place for it */
	void (*subject)(void *ctx, struct record_subject *out);
	void *ctx;
	struct record_clock clock;
	bool started, clock_known, out_of_memory;
	uint64_t since;	    /* latest stamp before it began */
	uint64_t resumed;   /* latest resume known */
	uint64_t paused_to; /* end of the last target pause written */
	struct record_domain *domains[MODEL_DOMAINS_MAX];
};

/* Label of one of our own names. */
static inline struct record_label record_own(enum record_word number)
{
	return (struct record_label){RECORD_LABEL_WORD, number};
}

/* Write the start of the file, once. */
void record_start(struct record *r);

/* Create the state of a domain, and its track; NULL if out of memory. */
struct record_domain *record_domain_new(struct record *r, unsigned domain);

/* The state of a domain; NULL if out of memory. */
static inline struct record_domain *record_domain_of(struct record *r, unsigned domain)
{
	if (domain < MODEL_DOMAINS_MAX && r->domains[domain] != NULL)
		return r->domains[domain];
	return record_domain_new(r, domain);
}

/* Close the open spans of a domain. */
void record_domain_finish(struct record *r, struct record_domain *d, uint64_t end);

/* Fill in the observer that writes events. */
void record_observer(struct record *r, struct model_observer *out);

#endif
