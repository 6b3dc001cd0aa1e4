/*
 * figures.h - what the header tells of the target as a whole: as it is at the subject's time or, where the panes show an earlier time of
 * a frozen screen, as it was then.
 *
 * What is not known of an earlier time is NAN, UINT64_MAX or empty, and said to be "-".
 */
#ifndef UI_FIGURES_H
#define UI_FIGURES_H

#include "watch/rewind.h"
#include "ui/subject.h"

struct ui;

struct figures {
	uint64_t at; /* the time that they are of */
	bool past;   /* before the subject's */
	double gc_share;
	double minors, cycles, allocated, promoted, events; /* a second */
	double heap;					    /* words */
	uint64_t lost_words;
	uint64_t domains;
	const struct hist *pauses; /* NULL: not known */
};

/* Work them out.  Valid until the next call. */
void figures_read(struct ui *ui, const struct subject *subject, struct figures *out);

#endif
