/*
 * causes.h - why the collector ran: the counters with which the runtime marks what made it collect.
 *
 * Counts are those since the attach or the last reset; rates are over the time since then, without pauses of the target.
 */
#ifndef UI_WIDGETS_CAUSES_H
#define UI_WIDGETS_CAUSES_H

#include "canvas/canvas.h"
#include "ui/subject.h"

/* Lines that the table has, its header among them; 0 when no cause has come. */
int causes_rows(const struct subject *subject);

/* Draw the table, the most frequent cause first. */
void causes_draw(const struct subject *subject, struct canvas *canvas, struct rect area);

#endif
