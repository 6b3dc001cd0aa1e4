/*
 * time_plot.c - rows of time slices, and time scales.
 */
#include "ui/widgets/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Draw a slice with a phase; the height is the phase's share of the slice. */
static void draw_phase(struct canvas *canvas, int row, int col, const struct plot_moment *moment)
{
	enum rtev_phase_class class = (enum rtev_phase_class)moment->class;
	int eighths = moment->eighths < 1 ? 1 : moment->eighths;
	if (!canvas_colour(canvas)) {
		/* Without colours: the family's pattern if it fills half of the slice or more, else a low
		 * mark. */
		if (eighths >= 4)
			canvas_glyph(canvas, row, col, theme_class_fill(class), theme_class_pattern(class));
		else
			canvas_char(
			    canvas, row, col, theme_class_ink(class), theme_rising(canvas_level(canvas), 1));
	} else if (eighths >= 8) {
		canvas_char(canvas, row, col, theme_class_fill(class), ' ');
	} else {
		canvas_char(
		    canvas, row, col, theme_class_ink(class), theme_rising(canvas_level(canvas), eighths));
	}
}

void plot_strip(struct canvas *canvas, int row, int col, const struct plot_moment *moments, int count)
{
	for (int i = 0; i < count; i++) {
		switch ((enum plot_moment_kind)moments[i].kind) {
		case PLOT_UNSEEN:
			canvas_char(canvas, row, col + i, STYLE_TEXT, ' ');
			break;
		case PLOT_RUNNING:
			canvas_glyph(canvas, row, col + i, STYLE_OWN, GLYPH_DOT);
			break;
		case PLOT_PHASE:
			draw_phase(canvas, row, col + i, &moments[i]);
			break;
		case PLOT_LOST:
			canvas_glyph(canvas, row, col + i, STYLE_GAP_LOST, GLYPH_LOSS);
			break;
		case PLOT_PAUSED:
			canvas_glyph(canvas, row, col + i, STYLE_GAP_PAUSED, GLYPH_PAUSE);
			break;
		}
	}
}

enum { UNIT_SECONDS = 3 }; /* index of the last decimal unit */

/* Units of a time scale with their round multiples, terminated by 0. */
static const struct {
	int64_t ns;
	const char *name;
	int16_t multiples[10];
} units[] = {
    {1, "ns", {1, 2, 5, 10, 20, 50, 100, 200, 500, 0}},
    {1000, "µs", {1, 2, 5, 10, 20, 50, 100, 200, 500, 0}},
    {1000000, "ms", {1, 2, 5, 10, 20, 50, 100, 200, 500, 0}},
    {1000000000, "s", {1, 2, 5, 10, 30, 0}},
    {60000000000, "m", {1, 2, 5, 10, 30, 0}},
    {3600000000000, "h", {1, 2, 6, 12, 24, 168, 720, 8760, 0}},
};

/* Find the smallest round step of at least `least` ns; 0 if there is none.  *unit gets its index in units. */
static int64_t round_step(double least, size_t *unit)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		for (int j = 0; units[i].multiples[j] != 0; j++) {
			int64_t step = units[i].ns * units[i].multiples[j];
			if ((double)step >= least) {
				*unit = i;
				return step;
			}
		}
	}
	return 0;
}

/* Format a tick: in the unit of the step, or in the next larger unit if the axis reaches it and two
 * decimals suffice. */
static void tick_label(char out[32], int64_t tick, int64_t step, size_t unit, double extent)
{
	int64_t above = unit < UNIT_SECONDS ? units[unit + 1].ns : 0;

	if (tick == 0)
		snprintf(out, 32, "0");
	else if (above != 0 && extent >= (double)above && step % (above / 100) == 0)
		snprintf(out, 32, "%.*f%s", step % (above / 10) == 0 ? 1 : 2, (double)tick / (double)above,
		    units[unit + 1].name);
	else
		snprintf(out, 32, "%" PRId64 "%s", tick / units[unit].ns, units[unit].name);
}

/* Draw a tick with its label at the right or, without room, at the left; return the column after both. */
static int draw_tick(
    struct canvas *canvas, int row, struct rect line, int at, int free_from, const char *label)
{
	int width = canvas_text_width(canvas, label);
	int right = line.col + line.cols;
	if (at < free_from)
		return free_from;
	canvas_glyph(canvas, row, at, STYLE_AXIS, GLYPH_TICK);
	if (at + 1 + width <= right)
		return canvas_put(canvas, row, at + 1, STYLE_AXIS, label) + 1;
	if (at - width >= free_from)
		canvas_put(canvas, row, at - width, STYLE_AXIS, label);
	return at + 1;
}

void plot_time_axis(struct canvas *canvas, int row, int col, int width, int64_t from, int64_t to)
{
	enum { LEAST_DISTANCE = 10 };
	if (width <= 0 || to <= from)
		return;
	double span = (double)to - (double)from;
	size_t unit = 0;
	int64_t step = round_step(span / width * LEAST_DISTANCE, &unit);
	if (step == 0)
		return;
	int64_t tick = from / step * step;
	if (tick < from) {
		if (tick > INT64_MAX - step)
			return;
		tick += step;
	}
	struct rect line = rect_make(row, col, 1, width);
	struct rect old = canvas_clip(canvas, line);
	int free_from = col;
	while (tick <= to) {
		char label[32];
		int at = (int)(((double)tick - (double)from) / span * width);
		tick_label(label, tick, step, unit, fmax(fabs((double)from), fabs((double)to)));
		free_from =
		    draw_tick(canvas, row, line, col + (at < width ? at : width - 1), free_from, label);
		if (tick > INT64_MAX - step)
			break;
		tick += step;
	}
	canvas_unclip(canvas, old);
}
