/*
 * flame_past.h - the flame graph of any stretch of time, from the history: for frozen pictures.
 *
 * It is the same graph as that of flame.h, but its window is exact at both edges.  Spans that were dropped,
 * also behind the window, have no time in it.
 */
#ifndef WATCH_FLAME_PAST_H
#define WATCH_FLAME_PAST_H

#include "watch/flame.h"
#include "watch/history.h"

struct flame_past;

struct flame_past_query {
	const struct history *history;
	unsigned domain;
	uint64_t from; /* the window; what is not kept of it is left out at its left */
	uint64_t to;
	uint64_t now; /* spans that are still open count up to this */
	/* pauses of the target, ascending */
	const struct model_target_pause *pauses;
	size_t pause_count;
};

/* NULL when memory ran out. */
struct flame_past *flame_past_create(void);
void flame_past_destroy(struct flame_past *p);

/*
 * Read the graph; the view is owned by `p` and valid until its next reading.  False, and an empty view, when
 * nothing is kept of the domain in the window.  Decodes every event of the window.
 */
bool flame_past_read(struct flame_past *p, const struct flame_past_query *query, struct flame_view *out);

#endif
