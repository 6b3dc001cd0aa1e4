/*
 * bars.h - the phase bars of one domain: an icicle of a stretch of time, merged by stack path.
 *
 * The full width is the time in phases or, by the wall clock, the whole stretch, the rest being the program's
 * own time.  What of the stretch was paused by the target or lost stands apart at the right, as wide as its
 * share by the wall clock, else as a narrow mark: it is neither.
 */
#ifndef UI_WIDGETS_BARS_H
#define UI_WIDGETS_BARS_H

#include "watch/flame.h"
#include "canvas/canvas.h"
#include "ui/widgets/icicle.h"

/* `memory` of the bars drawn before keeps them steady; NULL is allowed. */
void bars_draw(struct canvas *canvas, struct rect area, const struct flame_view *flame, bool wall_scale,
    struct icicle_memory *memory);

/* The collector's time, waits left out, as a share of what could be seen of the stretch; NAN when that is
 * nothing. */
double bars_share(const struct flame_view *flame);

/* The part of that share that was waiting for other domains (model/waiting.h). */
double bars_waiting(const struct flame_view *flame);

#endif
