/*
 * figures.h - what the header tells of the target as a whole, in two windows: the last seconds (`now`), and since the totals count
 * (`since`: the attach, or `R`).
 *
 * They are of the subject's time or, where the panes show an earlier time of a frozen screen, of that time.  What is not known is NAN,
 * UINT64_MAX or NULL, and said to be "-".
 */
#ifndef UI_FIGURES_H
#define UI_FIGURES_H

#include "watch/rewind.h"
#include "ui/subject.h"

#define FIGURES_NOW_NS RECENT_WINDOW

struct ui;

/* The figures of one window. */
struct figures_window {
	double gc;   /* time in pauses, as a share of the time observed */
	double wait; /* the part of it that was waiting */
	double minors, cycles, allocated, promoted, events; /* a second */
	uint64_t lost_words;
	const struct hist *pauses;
};

struct figures {
	uint64_t at; /* the time that they are of */
	bool past;   /* before the subject's */
	struct figures_window now, since;
	uint64_t since_ts; /* the begin of `since` */
	double heap;	   /* words */
	uint64_t domains;
	double cpu, cores; /* of the process: used in the last seconds, and how many it can use */
};

/* What the figures of an earlier time are kept in from one drawing to the next; zeroed before the first. */
struct figures_memory {
	struct rewind then; /* totals */
	struct hist recent; /* pauses of the last seconds, */
	uint64_t at;	    /* if of an earlier time: which; else 0 */
	bool known;
};

/* Work them out.  Valid until the next call. */
void figures_read(struct ui *ui, const struct subject *subject, struct figures *out);

/* Forget an earlier time, for the subject is another one. */
void figures_forget(struct figures_memory *memory);

#endif
