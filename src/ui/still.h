/*
 * still.h - a snapshot of the subject, which all views and the header draw while the screen is frozen.
 *
 * A still owns copies of the watch and of every fact and text, so later events do not change it, and the
 * original may be freed.  Three things stay live: the notice line, whether a recording runs (without its
 * figures), and the memtrace file, which the app does not read meanwhile.
 */
#ifndef UI_STILL_H
#define UI_STILL_H

#include "ui/subject.h"

struct still;

/* NULL when memory ran out. */
struct still *still_create(const struct subject *subject);
void still_destroy(struct still *still);

/* Return the subject to draw, from a still and the current subject.  Valid as long as both are. */
struct subject still_subject(const struct still *still, const struct subject *now);

#endif
