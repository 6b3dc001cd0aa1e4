/*
 * ring_traffic.h - advice after a loss, in one line.
 */
#ifndef UI_RING_TRAFFIC_H
#define UI_RING_TRAFFIC_H

#include "ui/view.h"

/* After a loss, draw how much was lost, the ring size that would have held it, and which events fill it;
 * false without a loss. */
bool traffic_draw(const struct subject *subject, struct canvas *canvas, struct rect line);

#endif
