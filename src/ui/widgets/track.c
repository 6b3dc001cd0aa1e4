/* track.c - read and draw one domain along a time axis. */
#include "ui/widgets/track.h"

#include "canvas/text.h"
#include "core/event.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/user_text.h"

#define GAP_NAME_LEAST 12
#define USER_NAME_LEAST 9 /* columns of a shortened name */

bool track_read(struct ui *ui, const struct subject *subject, struct track *track)
{
	track_limit(subject, track);
	struct timeline **slot = &ui->timelines[track->domain % VIEW_TIMELINES];
	const struct timeline_query query = {.history = watch_history(subject->watch),
	    .domain = track->domain,
	    .t0 = track->t0,
	    .width = track->width,
	    .columns = track->columns > TIMELINE_COLUMNS_MAX ? TIMELINE_COLUMNS_MAX : track->columns,
	    .now = track->end,
	    .present = history_present(watch_model(subject->watch), track->domain)};

	if (*slot == NULL)
		*slot = timeline_create();
	ui->timelines_drawn |= UINT64_C(1) << track->domain % VIEW_TIMELINES;
	return *slot != NULL && timeline_read(*slot, &query, &track->view);
}

/* Limit a period to the lifetime of its domain. */
void track_limit(const struct subject *subject, struct track *track)
{
	const struct model_domain *d = model_domain(watch_model(subject->watch), track->domain);

	track->begin = d != NULL ? d->first_ts : 0;
	if (d != NULL && d->state == MODEL_DOMAIN_TERMINATED && d->last_ts < track->end)
		track->end = d->last_ts;
}

/* Return the number of columns up to the end of the range. */
static unsigned columns_shown(const struct track *track)
{
	uint64_t count =
	    track->end > track->t0 ? (track->end - track->t0 + track->width - 1) / track->width : 0;

	return count < track->view.column_count ? (unsigned)count : track->view.column_count;
}

/* Return the length of a column; the last one may be shorter. */
static uint64_t column_length(const struct track *track, unsigned column)
{
	uint64_t from = track->t0 + column * track->width;
	uint64_t left = track->end > from ? track->end - from : 0;

	return left < track->width ? left : track->width;
}

/* Find the phase that a cell shows.  Returns false if there is none. */
static bool cell_phase(const struct track *track, unsigned column, unsigned row, rtev_phase *out)
{
	const struct timeline_column *c = &track->view.columns[column];
	const struct timeline_cell *cell = &track->view.cells[column * TIMELINE_ROWS_MAX + row];
	uint64_t half = column_length(track, column) / 2;

	if (cell->time == 0 || c->times[TIMELINE_LOST] > half || c->times[TIMELINE_PAUSED] > half ||
	    c->times[TIMELINE_UNKNOWN] > half || (row == 0 && c->times[TIMELINE_LOST] > 0))
		return false;
	*out = cell->phase;
	return true;
}

/* Return the contents of a cell. */
static struct plot_moment moment_of(const struct track *track, unsigned column, unsigned row)
{
	const struct timeline_column *c = &track->view.columns[column];
	const struct timeline_cell *cell = &track->view.cells[column * TIMELINE_ROWS_MAX + row];
	uint64_t length = column_length(track, column);
	rtev_phase phase;

	if (track->begin >= track->t0 + (column + 1) * track->width)
		return (struct plot_moment){.kind = PLOT_UNSEEN};
	/* A loss is shown however short.  Gaps are drawn in the first row only. */
	if (row == 0 && c->times[TIMELINE_LOST] > 0)
		return (struct plot_moment){.kind = PLOT_LOST};
	if (row == 0 && c->times[TIMELINE_PAUSED] > length / 2)
		return (struct plot_moment){.kind = PLOT_PAUSED};
	if (c->times[TIMELINE_UNKNOWN] > length / 2)
		return (struct plot_moment){.kind = PLOT_UNSEEN};
	if (!cell_phase(track, column, row, &phase))
		return (struct plot_moment){.kind = row == 0 ? PLOT_RUNNING : PLOT_UNSEEN};
	uint64_t eighths = length == 0 ? 8 : (cell->covered * 8 + length - 1) / length;
	return (struct plot_moment){.kind = PLOT_PHASE,
	    .class = (uint8_t)rtev_phase_class(phase),
	    .eighths = (uint8_t)(eighths > 8   ? 8
				 : eighths < 1 ? 1
					       : eighths)};
}

/* Return whether a phase fills a column. */
static bool cell_full(const struct track *track, unsigned column, unsigned row, rtev_phase phase)
{
	rtev_phase here;

	return cell_phase(track, column, row, &here) && here == phase &&
	       track->view.cells[column * TIMELINE_ROWS_MAX + row].time >= column_length(track, column);
}

/* Draw the names of phases into the columns they fill, the short ones where there is less room. */
static void draw_names(
    struct canvas *canvas, struct rect line, const struct track *track, unsigned row, unsigned shown)
{
	char buf[RTEV_NAME_SIZE];

	for (unsigned c = 0; c < shown;) {
		rtev_phase phase, before;
		unsigned end = c;
		if (!cell_phase(track, c, row, &phase)) {
			c++;
			continue;
		}
		while (end < shown && cell_full(track, end, row, phase))
			end++;
		const char *name = rtev_phase_name(phase, buf);
		enum style style = theme_class(rtev_phase_class(phase))->fill;
		int at = line.col + (int)c, room = (int)(end - c);
		/* Separate neighbours of the same family. */
		if (room > 1 && c > 0 && cell_phase(track, c - 1, row, &before) &&
		    rtev_phase_class(before) == rtev_phase_class(phase)) {
			canvas_glyph(canvas, line.row, at, style, GLYPH_DIVIDER);
			at++;
			room--;
		}
		if (canvas_text_width(canvas, name) > room && phase_brief(phase) != NULL)
			name = phase_brief(phase);
		if (canvas_text_width(canvas, name) <= room)
			canvas_put(canvas, line.row, at, style, name);
		c = end > c ? end : c + 1;
	}
}

/* Label gaps where there is room. */
static void draw_gap_names(
    struct canvas *canvas, struct rect line, const struct plot_moment *moments, int count)
{
	for (int c = 0; c < count;) {
		int end = c;
		while (end < count && moments[end].kind == moments[c].kind)
			end++;
		bool lost = moments[c].kind == PLOT_LOST;
		if ((lost || moments[c].kind == PLOT_PAUSED) && end - c >= GAP_NAME_LEAST)
			canvas_put(canvas, line.row, line.col + c + 2,
			    lost ? STYLE_GAP_LOST : STYLE_GAP_PAUSED, lost ? " lost " : " paused ");
		c = end;
	}
}

void track_draw(struct canvas *canvas, struct rect area, const struct track *track)
{
	struct plot_moment moments[TIMELINE_COLUMNS_MAX];
	unsigned shown = columns_shown(track);
	struct rect old = canvas_clip(canvas, area);

	for (unsigned r = 0; r < TIMELINE_ROWS_MAX && (int)r < area.rows; r++) {
		for (unsigned c = 0; c < shown; c++)
			moments[c] = moment_of(track, c, r);
		plot_strip(canvas, area.row + (int)r, area.col, moments, (int)shown);
		if (r == 0)
			draw_gap_names(canvas, area, moments, (int)shown);
		draw_names(canvas, rect_make(area.row + (int)r, area.col, 1, area.cols), track, r, shown);
	}
	canvas_unclip(canvas, old);
}

/* Draw the name of a user span into the columns it fills. */
static void draw_user_name(
    const struct subject *subject, struct canvas *canvas, struct rect line, uint32_t slot, int col, int room)
{
	const struct model *m = watch_model(subject->watch);
	char name[RTEV_USER_NAME_SIZE + 16], shown[TEXT_NAME], text[TEXT_NAME + 2];

	if (slot >= model_user_slots(m))
		return;
	user_text_name(model_user_slot(m, slot), name, sizeof(name));
	if (room - 3 < USER_NAME_LEAST && canvas_text_width(canvas, name) > room - 3)
		return;
	text_elide(canvas_level(canvas), name, room - 3, shown, sizeof(shown));
	snprintf(text, sizeof(text), " %s ", shown);
	canvas_put(canvas, line.row, line.col + col + 1, STYLE_USER_SPAN, text);
}

void track_draw_user(
    const struct subject *subject, struct canvas *canvas, struct rect line, const struct track *track)
{
	unsigned shown = columns_shown(track), begin = 0;
	struct rect old = canvas_clip(canvas, line);

	for (unsigned c = 0; c < shown; c++) {
		const struct timeline_column *column = &track->view.columns[c];
		uint64_t length = column_length(track, c);
		bool full = column->user_time > 0 && column->user_time >= length;
		int at = line.col + (int)c;
		if (full)
			canvas_glyph(canvas, line.row, at, STYLE_USER_SPAN, GLYPH_HLINE);
		else if (column->user_time > 0)
			canvas_char(canvas, line.row, at, STYLE_USER_SPAN,
			    theme_shade(canvas_level(canvas),
				length == 0 ? 1 : 1 + (int)(column->user_time * 6 / length)));
		else if (column->marks > 0)
			canvas_glyph(canvas, line.row, at, STYLE_WARN, GLYPH_POINTER);
		else if (column->points > 0)
			canvas_glyph(canvas, line.row, at, STYLE_USER_UNIT, GLYPH_DOT);
		if (!full)
			begin = c + 1;
		else if (c > begin && track->view.columns[c - 1].user_slot != column->user_slot)
			begin = c;
		bool last = c + 1 == shown ||
			    track->view.columns[c + 1].user_time < column_length(track, c + 1) ||
			    track->view.columns[c + 1].user_slot != column->user_slot;
		if (full && last)
			draw_user_name(
			    subject, canvas, line, column->user_slot, (int)begin, (int)(c + 1 - begin));
	}
	canvas_unclip(canvas, old);
}

double track_share(const struct track *track)
{
	unsigned shown = columns_shown(track);
	double known = 0, busy = 0;

	for (unsigned c = 0; c < shown; c++) {
		const struct timeline_column *column = &track->view.columns[c];
		uint64_t gone = column->times[TIMELINE_LOST] + column->times[TIMELINE_PAUSED] +
				column->times[TIMELINE_UNKNOWN];
		uint64_t length = column_length(track, c);
		if (track->begin >= track->t0 + (c + 1) * track->width)
			continue;
		uint64_t seen = gone < length ? length - gone : 0;
		const struct timeline_cell *cell = &track->view.cells[c * TIMELINE_ROWS_MAX];
		uint64_t gc = cell->covered - cell->idle;
		known += (double)seen;
		busy += (double)(gc < seen ? gc : seen);
	}
	return known > 0 ? busy / known : NAN;
}
