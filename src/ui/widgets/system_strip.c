/* system_strip.c - see system_strip.h. */
#include "ui/widgets/system_strip.h"

#include "print/number.h"

#define LITTLE 0.005 /* less of a second counts as 0 */

/* Draw one column of a row of samples. */
static void draw_column(struct canvas *canvas, int row, int col, const struct system_row *sample)
{
	uint64_t wait, throttled, time = sample->to - sample->from;

	if (system_row_get(sample, SYSTEM_THROTTLED, &throttled) && throttled > 0) {
		canvas_char(canvas, row, col, STYLE_WARN, 'T');
		return;
	}
	/* If threads are read in turns, the sum does not belong to this time. */
	if (sample->in_turns || !system_row_get(sample, SYSTEM_WAIT, &wait))
		return;
	double share = (double)wait / (double)time;
	if (share < LITTLE)
		canvas_glyph(canvas, row, col, STYLE_OWN, GLYPH_DOT);
	else
		canvas_char(canvas, row, col, STYLE_SPARK,
		    theme_shade(canvas_level(canvas), share >= 1 ? 8 : 1 + (int)(share * 7)));
}

void system_strip(struct canvas *canvas, struct rect line, const struct system_past *past, uint64_t t0,
    uint64_t width, uint64_t end)
{
	for (int c = 0; c < line.cols; c++) {
		uint64_t from = t0 + (uint64_t)c * width, middle = from + width / 2;

		if (from >= end)
			break;
		const struct system_row *sample = system_past_at(past, middle < end ? middle : end);
		if (sample != NULL)
			draw_column(canvas, line.row, line.col + c, sample);
	}
}

bool system_strip_say(const struct system_past *past, uint64_t from, uint64_t to, char *buf, size_t size)
{
	uint64_t wait = 0, throttled = 0, time = 0, value;
	bool waits = false, throttles = false;
	const char *sep = "";

	for (size_t i = system_past_count(past); i-- > 0;) {
		const struct system_row *row = system_past_row(past, i);

		if (row->to < from)
			break;
		if (row->from >= to && row->to > to)
			continue;
		time += row->to - row->from;
		if (!row->in_turns && system_row_get(row, SYSTEM_WAIT, &value)) {
			wait += value;
			waits = true;
		}
		if (system_row_get(row, SYSTEM_THROTTLED, &value)) {
			throttled += value;
			throttles = true;
		}
	}
	if (!waits && !throttles)
		return false;
	snprintf(buf, size, "in the %s around it ", format_duration(time).s);
	if (waits) {
		snprintf(buf + strlen(buf), size - strlen(buf), "its threads waited %s for a CPU",
		    format_duration(wait).s);
		sep = ", ";
	}
	if (throttles && (throttled > 0 || !waits))
		snprintf(buf + strlen(buf), size - strlen(buf), "%sits group was throttled for %s", sep,
		    format_duration(throttled).s);
	return true;
}
