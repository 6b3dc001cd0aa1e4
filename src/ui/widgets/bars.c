/*
 * bars.c - draw an icicle and the gaps of its stretch of time.
 */
#include "ui/widgets/bars.h"

#include "model/waiting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "print/number.h"

/* Maximum width of a gap when bars show time in phases. */
#define GAP_COLS_LEAST 10
#define GAP_PART 6

double bars_share(const struct flame_view *flame)
{
	uint64_t all = flame->to - flame->from, gone = flame->paused + flame->lost;

	uint64_t gc = flame->in_phases;
	/* A wait is not the collector's time. */
	for (size_t i = 0; i < flame->count; i++)
		if (flame->bars[i].depth == 0 && rtev_phase_class(flame->bars[i].phase) == RTEV_CLASS_IDLE)
			gc -= flame->bars[i].total;
	return all > gone ? (double)gc / (double)(all - gone) : NAN;
}

double bars_waiting(const struct flame_view *flame)
{
	uint64_t all = flame->to - flame->from, gone = flame->paused + flame->lost, waiting = 0;
	bool pause = false;

	for (size_t i = 0; i < flame->count; i++) {
		const struct flame_bar *bar = &flame->bars[i];
		/* Bars come depth first. */
		if (bar->depth == 0)
			pause = rtev_phase_class(bar->phase) != RTEV_CLASS_IDLE;
		if (pause && model_phase_waits(bar->phase))
			waiting += bar->self;
	}
	return all > gone ? (double)waiting / (double)(all - gone) : NAN;
}

/* Return the width of a gap. */
static int gap_cols(const struct flame_view *flame, uint64_t gap, int cols, bool wall_scale)
{
	uint64_t all = flame->to - flame->from;
	int most = cols / GAP_PART > GAP_COLS_LEAST ? cols / GAP_PART : GAP_COLS_LEAST;

	if (gap == 0 || all == 0)
		return 0;
	int wide = (int)((double)gap / (double)all * cols + 0.5);
	if (!wall_scale && flame->count > 0 && wide > most)
		wide = most;
	return wide < 1 ? 1 : wide > cols ? cols : wide;
}

/* Cut a gap off the right of an area and mark it. */
static void draw_gap(struct canvas *canvas, struct rect *area, int cols, enum glyph glyph, enum style style,
    const char *name, struct formatted share)
{
	char label[40];

	cols = cols > area->cols ? area->cols : cols;
	area->cols -= cols;
	for (int c = 0; c < cols; c++)
		canvas_glyph(canvas, area->row, area->col + area->cols + c, style, glyph);
	snprintf(label, sizeof(label), " %s %s ", name, share.s);
	int width = canvas_text_width(canvas, label);
	if (width > cols) {
		snprintf(label, sizeof(label), "%s", name);
		width = canvas_text_width(canvas, label);
	}
	if (width <= cols)
		canvas_put(canvas, area->row, area->col + area->cols + (cols - width) / 2, style, label);
}

static void draw_spans(struct canvas *canvas, struct rect area, const struct flame_view *flame,
    uint64_t total, bool wall_scale, struct icicle_memory *memory)
{
	static const char other[] = "others";
	struct icicle_span *spans = calloc(flame->count + 1, sizeof(spans[0]));
	char(*names)[RTEV_NAME_SIZE] = calloc(flame->count + 1, sizeof(names[0]));

	if (spans != NULL && names != NULL) {
		for (size_t i = 0; i < flame->count; i++) {
			const struct flame_bar *bar = &flame->bars[i];
			spans[i] = (struct icicle_span){
			    .label =
				bar->phase == FLAME_OTHER ? other : rtev_phase_name(bar->phase, names[i]),
			    .value = bar->total,
			    .class = rtev_phase_class(bar->phase),
			    .depth = bar->depth,
			};
		}
		icicle_draw(
		    canvas, area, spans, (int)flame->count, total, wall_scale ? "the program" : NULL, memory);
	}
	free(spans);
	free(names);
}

void bars_draw(struct canvas *canvas, struct rect area, const struct flame_view *flame, bool wall_scale,
    struct icicle_memory *memory)
{
	uint64_t all = flame->to - flame->from, gone = flame->paused + flame->lost;

	if (flame->lost > 0)
		draw_gap(canvas, &area, gap_cols(flame, flame->lost, area.cols, wall_scale), GLYPH_LOSS,
		    STYLE_GAP_LOST, "lost", format_share(flame->lost, all));
	if (flame->paused > 0)
		draw_gap(canvas, &area, gap_cols(flame, flame->paused, area.cols, wall_scale), GLYPH_PAUSE,
		    STYLE_GAP_PAUSED, "paused", format_share(flame->paused, all));
	if (flame->count == 0 && !wall_scale)
		canvas_put_fit(canvas, area.row, area.col, area.cols, ALIGN_LEFT, STYLE_MUTED,
		    area.cols >= 18 ? "no time in phases" : "");
	else
		draw_spans(
		    canvas, area, flame, wall_scale && all > gone ? all - gone : 0, wall_scale, memory);
}
