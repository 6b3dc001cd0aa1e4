/*
 * blame_line.h - whom a pause waited for (watch/blame.h), in so many columns.
 *
 *      D0 waited 463 ms of 466 for D1, which was in marshal.big; D0 in http.request
 *      D0 waited 463 ms of 466 for D1, which was in mars…big; D0 in http…est
 *      D0 waited 463 ms of 466 for D1, which was in mars…big; in http…est
 *      D0 waited 463 ms of 466 for D1 in mars…big; in http…est
 *      waited 463 ms of 466 for D1 in mars…big
 *      waited 463 ms of 466 for D1
 *
 * Names are shortened first, then words, then names are left out; times never are.
 */
#pragma once

#include "canvas/canvas.h"
#include "watch/blame.h"

/* Format the longest form that takes at most `cols` columns, or the shortest one.  Returns whether there is
 * any. */
bool blame_line(const struct blame_words *words, enum glyph_level level, int cols, char *buf, size_t size);
