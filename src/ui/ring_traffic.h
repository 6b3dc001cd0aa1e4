/*
 * ring_traffic.h - what fills the rings after a loss, in one line.
 */
#ifndef UI_RING_TRAFFIC_H
#define UI_RING_TRAFFIC_H

#include "ui/view.h"

/* After a loss, say in one line how much was lost, which ring would have held it, and what fills it; false
 * without one. */
bool traffic_draw(const struct subject *subject, struct canvas *canvas, struct rect line);

#endif
