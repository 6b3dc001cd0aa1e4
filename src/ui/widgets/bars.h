/*
 * bars.h - the phase bars of one domain: an icicle of a stretch of time, merged by stack path.
 *
 * The full width is the time in phases or, on the wall clock scale, the whole stretch, the rest being the
 * program's own time.  Paused and lost time is neither; it stands apart at the right, by its share on the
 * wall clock scale, else as a narrow mark.
 */
#ifndef UI_WIDGETS_BARS_H
#define UI_WIDGETS_BARS_H

#include "watch/flame.h"
#include "canvas/canvas.h"
#include "ui/widgets/icicle.h"

/* `memory` keeps the bars steady between drawings; it may be NULL. */
void bars_draw(struct canvas *canvas, struct rect area, const struct flame_view *flame, bool wall_scale,
    struct icicle_memory *memory);

/* The collector's time without waits, as a share of the observed part of the stretch; NAN: nothing was
 * observed. */
double bars_share(const struct flame_view *flame);

/* The part of that share that was waiting for other domains (model/waiting.h). */
double bars_waiting(const struct flame_view *flame);

#endif
