/*
 * system_strip.h - a row of columns over time that shows how the kernel delayed the process.
 *
 * The height of a column is the time that all threads of the process together waited for a processor, divided
 * by the time between two samples; 1 and more fill the column.  A T marks a column in which the control group
 * was throttled.  Samples are a second apart, so narrower columns repeat the value of their sample.
 */
#pragma once

#include "canvas/canvas.h"
#include "samples/system_past.h"

/* Draw the row: line.cols columns of `width` ns, the first at t0.  Columns from `end` on stay empty. */
void system_strip(struct canvas *canvas, struct rect line, const struct system_past *past, uint64_t t0,
    uint64_t width, uint64_t end);

/* Describe the samples around a period: "in that second its threads waited 430ms for a CPU, throttled 90ms".
 * Returns false if nothing is known. */
bool system_strip_say(const struct system_past *past, uint64_t from, uint64_t to, char *buf, size_t size);
