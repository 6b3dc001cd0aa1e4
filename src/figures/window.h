/*
 * window.h - what a target did in a stretch of time, as differences of what its model counts.
 *
 * A *sum* counts what has come from one domain since the attach.  A *mark* holds the sums of all domains at
 * one time.  The *growth* is what a stretch of time added to the sums.  An impossible growth is not known:
 * more time than has passed since the attach, more GC than observed time, more words than a processor writes.
 * All domains take part in minor collections and major cycles, so their number is that of the domain that
 * counted most.
 *
 * Rates leave out the time in which the target had paused its events, unless its memory told (figures.h).  A
 * window that is all pause has no rates.  Where a domain lost words, its bytes and collections are not known;
 * another domain may still tell the number of collections.  A value that is not known is NAN.
 */
#pragma once

#include "fibers/fibers.h"
#include "model/model.h"

/* What a stretch of time added to the sums of a domain. */
struct window_growth {
	double gc_ns, observed_ns; /* known together; no more GC than observed time */
	double minors, majors, events;
	double lost_words;
	double allocated, promoted; /* exact: NAN where a loss hides events */
};

/* Figures of one domain, or of all. */
struct window_rates {
	double gc_share;
	double minors, majors;			/* per second seen (figures.h) */
	double allocated, promoted;		/* bytes per second */
	double events;				/* per second */
	double lost_words;			/* in the window */
	double pause_p50, pause_p99, pause_max; /* ns; NAN: no pause */
	double heap_bytes;			/* latest */
	double loop_p99;			/* ns; NAN: no turn of an event loop */
};

struct window_domain {
	bool seen;
	struct window_rates rates;
	struct window_growth step; /* of the last step */
};

struct window_figures {
	bool known; /* a step has passed since the attach */
	uint64_t from, to;
	struct window_rates all;
	double step_gc_share; /* of the last step */
	double cpu;	      /* cores */
	double resident_bytes;
	double heap_growth; /* bytes a minute (figure_heap_growth) */
	double heap_age;    /* ns since the heap's size was told */
	double running;	    /* domains (figure_domains) */
	double lost_words;  /* since the attach */
	double fibers;	    /* alive; NAN: no scheduler tells */
	unsigned domain_count;
	struct window_domain *domains; /* by their number */
};

struct window_sum {
	uint64_t gc_ns, observed_ns, paused_ns, minors, majors, events, lost_words;
	int64_t allocated, promoted;
};

/* The processor time that a process has used. */
struct window_cpu {
	bool known;
	uint64_t ts, ns;
};

/* Histograms of durations, of all domains together and of each. */
struct window_lengths {
	struct hist all;
	struct hist *domains;
	unsigned domain_count;
};

struct window_mark {
	uint64_t ts;
	struct window_cpu cpu;
	unsigned domains;
	struct window_sum *sums;
	struct window_lengths pauses, turns; /* pauses and turns of event loops, in the step that begins
					      * here */
};

/* Set a mark to the sums of a model at `now`, without pauses and turns.  False when memory ran out. */
bool window_mark_take(struct window_mark *mark, const struct model *m, uint64_t now, struct window_cpu cpu);
void window_mark_fini(struct window_mark *mark);

/* Add a duration to the pauses or turns of the step that begins with a mark; with `by_domain` also to its
 * domain's.  False when memory ran out. */
bool window_lengths_add(struct window_lengths *lengths, unsigned domain, uint64_t ns, bool by_domain);

/*
 * Compute the figures from marks[0] to now, with the pauses and turns of all marks; `fibers` NULL: no scheduler tells.
 * False when memory ran out.
 */
bool window_figures_make(struct window_figures *out, struct window_mark *const *marks, unsigned count,
    const struct model *m, const struct fibers *fibers, uint64_t now, struct window_cpu cpu);
void window_figures_fini(struct window_figures *f);

/* Return the figures, or figures that are all unknown if `f` is NULL or no step has passed. */
const struct window_figures *window_figures_told(const struct window_figures *f);
