/*
 * stops.h - the list of stops in view 6: the latest or the longest, with a cursor.
 *
 * The cursor stays on its stop while others come.  A line is a stop that the filter lets through.
 */
#ifndef UI_VIEWS_STOPS_H
#define UI_VIEWS_STOPS_H

#include "ui/view.h"

/* Draw heads and lines; `alone`: there are no stops but those of a single domain. */
void stops_draw(struct ui *ui, const struct subject *s, bool alone, struct canvas *canvas, struct rect area);

/* Put the cursor into the list, on its first line. */
void stops_enter(struct ui *ui, const struct subject *s);

/* Move the cursor; false: it leaves the list at the top. */
bool stops_move(struct ui *ui, const struct subject *s, enum ui_action action);

/* Go to the next line with a text; false: there is none. */
bool stops_search(struct ui *ui, const struct subject *s, const char *text);

/* Open the moment of the stop under the cursor; false: there is none. */
bool stops_open(struct ui *ui, const struct subject *s);

/* The mark of a stop. */
struct stw_stop;
void stops_mark(const struct stw_stop *stop, struct moment_mark *out);

#endif
