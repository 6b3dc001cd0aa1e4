/*
 * flame_past.h - flame graph of any interval, computed from the history, for frozen pictures.
 *
 * Same as the graph of flame.h, but the window is exact at both edges.  Spans dropped in or after the window
 * count nothing.
 */
#ifndef WATCH_FLAME_PAST_H
#define WATCH_FLAME_PAST_H

#include "watch/flame.h"
#include "watch/history.h"

struct flame_past;

struct flame_past_query {
	const struct history *history;
	unsigned domain;
	uint64_t from; /* the window; starts later if the history does */
	uint64_t to;
	uint64_t now; /* open spans count up to this */
	/* pauses of the target, ascending */
	const struct model_target_pause *pauses;
	size_t pause_count;
};

/* NULL when memory ran out. */
struct flame_past *flame_past_create(void);
void flame_past_destroy(struct flame_past *p);

/*
 * Read the graph; `p` owns the view, which is valid until the next read.  False, with an empty view, if the
 * history has nothing of the domain in the window.  Decodes every event of the window.
 */
bool flame_past_read(struct flame_past *p, const struct flame_past_query *query, struct flame_view *out);

#endif
