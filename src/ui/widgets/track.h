/*
 * track.h - one domain along a time axis: rows of nested phases, and a row of user events.
 *
 * A column is a slice of time.  It shows the phase that took most of it, with its share as the height.  A
 * phase that fills several columns shows its name.  Losses are marked in every column they touch, pauses
 * of the target in columns they fill mostly.
 */
#pragma once

#include "watch/timeline.h"
#include "ui/view.h"

/* The range: `columns` slices of `width` ns from t0 on; nothing is drawn before `begin` or from `end` on. */
struct track {
	unsigned domain;
	uint64_t t0, width, begin, end;
	unsigned columns;
	struct timeline_view view; /* data of the period */
};

/* Set `begin` to the first event of the domain, and move `end` to its last one if it has terminated. */
void track_limit(const struct subject *subject, struct track *track);

/* Limit the range, and read it from the history.  Returns false on failure.  The data are valid until the
 * next read. */
bool track_read(struct ui *ui, const struct subject *subject, struct track *track);

/* Draw the phases into an area, one row for each depth. */
void track_draw(struct canvas *canvas, struct rect area, const struct track *track);

/* Draw the program's own events into one line. */
void track_draw_user(
    const struct subject *subject, struct canvas *canvas, struct rect line, const struct track *track);

/* Return the collector's share of the known part of the range, to the precision of the columns; NAN: none is
 * known. */
double track_share(const struct track *track);
