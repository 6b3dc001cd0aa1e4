/*
 * still.h - the subject as it was at a moment: what all views and the header draw while the screen is frozen.
 *
 * It has a copy of the watch and of every fact and text, so nothing that comes later changes it, and the subject it was made of may go.
 * Three things go on beside it: the line for the user, whether a recording runs (without its figures), and the memtrace file,
 * which whoever follows it leaves unread meanwhile.
 */
#ifndef UI_STILL_H
#define UI_STILL_H

#include "ui/subject.h"

struct still;

/* NULL when memory ran out. */
struct still *still_create(const struct subject *subject);
void still_destroy(struct still *still);

/* What to draw, of a still and of the subject as it is now.  Valid as long as both. */
struct subject still_subject(const struct still *still, const struct subject *now);

#endif
