/*
 * causes.h - why the collector ran: the runtime's counters of collection triggers.
 *
 * Counts are since the attach or the last reset; rates are over that time without pauses of the target.
 */
#ifndef UI_WIDGETS_CAUSES_H
#define UI_WIDGETS_CAUSES_H

#include "canvas/canvas.h"
#include "ui/subject.h"

/* Lines of the table including its header; 0: no cause was counted. */
int causes_rows(const struct subject *subject);

/* Draw the table, the most frequent cause first. */
void causes_draw(const struct subject *subject, struct canvas *canvas, struct rect area);

#endif
