/*
 * system_strip.h - what the kernel did to the process along time: a row of columns as those of a track.
 *
 * A column is as high as the time that the process's threads waited for a processor, as a share of the time between two samples, all
 * threads together; from one on it is full.  A column with a T is one in which its control group was throttled.  A sample comes once a
 * second: narrower columns repeat what is known of theirs.
 */
#ifndef UI_WIDGETS_SYSTEM_STRIP_H
#define UI_WIDGETS_SYSTEM_STRIP_H

#include "canvas/canvas.h"
#include "watch/system_past.h"

/* Draw it into a line: line.cols slices of `width` ns from t0 on, nothing from `end` on. */
void system_strip(struct canvas *canvas, struct rect line, const struct system_past *past, uint64_t t0,
    uint64_t width, uint64_t end);

/*
 * Say what the kernel did in the samples around a stretch of time: "in that second its threads waited 430ms for a CPU, throttled 90ms".
 * False when nothing is known.
 */
bool system_strip_say(const struct system_past *past, uint64_t from, uint64_t to, char *buf, size_t size);

#endif
