/*
 * mouse.c - mouse actions.
 *
 * Drawing records the places that the mouse can point at as *spots*, so that a click refers to what was
 * drawn.  A click selects; on a selected item it acts as Enter.  A drag over a time axis marks a period,
 * stored as two stamps, so that it does not move with the picture.
 */
#include "ui/views/pane.h"
#include "ui/views/stw.h"
#include "ui/views/trend_columns.h"

#include "print/number.h"

#define WHEEL_LINES 3

void ui_spot(struct ui *ui, struct spot spot)
{
	if (!rect_empty(spot.area) && ui->spot_count < UI_SPOTS_MAX)
		ui->spots[ui->spot_count++] = spot;
}

/* Return the spot of some kinds at a cell, the last drawn; NULL: none. */
static const struct spot *spot_at(const struct ui *ui, int row, int col, unsigned kinds)
{
	for (int i = ui->spot_count; i-- > 0;) {
		const struct spot *s = &ui->spots[i];
		if ((kinds >> s->kind & 1) != 0 &&
		    !rect_empty(rect_intersect(s->area, rect_make(row, col, 1, 1))))
			return s;
	}
	return NULL;
}

const struct spot *ui_spot_of(const struct ui *ui, enum spot_kind kind, int value)
{
	for (int i = 0; i < ui->spot_count; i++)
		if (ui->spots[i].kind == kind && ui->spots[i].value == value)
			return &ui->spots[i];
	return NULL;
}

/* Select the line of a table under the pointer.  Returns whether it was selected before. */
static bool select_row(struct ui *ui, const struct spot *spot, int row)
{
	struct view_place *place = spot->place;
	int line = spot->value + row - spot->area.row;
	bool was = place->list.selected == line, in_list = place == &stops_own(ui)->place;

	if (ui->view == VIEW_STW) {
		was = was && stops_own(ui)->on == in_list;
		stops_own(ui)->on = in_list;
	}
	list_select(&place->list, line);
	/* Select the item that was drawn there, wherever it is now. */
	place->identified = spot->identified;
	place->identity = ui->row_identities[row];
	return was;
}

/* Return the stamp at the begin of a column of a time axis; of the nearest one if the axis lacks the
 * column. */
static uint64_t stamp_at(const struct spot *axis, int col)
{
	int column = col - axis->area.col;

	column = column < 0 ? 0 : column >= axis->area.cols ? axis->area.cols - 1 : column;
	return axis->t0 + (uint64_t)column * axis->width;
}

/* Select the column of the trend under the pointer.  Returns whether it was selected before.  The last column
 * moves with time. */
static bool select_column(struct ui *ui, const struct spot *axis, int col)
{
	uint64_t cursor = stamp_at(axis, col) + axis->width / 2, before = trend_own(ui)->cursor;

	trend_own(ui)->cursor = col == axis->area.col + axis->area.cols - 1 ? 0 : cursor;
	return trend_own(ui)->cursor == before ||
	       (before != 0 && before / axis->width == cursor / axis->width);
}

/* Press the left button.  *was: the item was selected before, so that Enter would open it. */
static unsigned press(
    struct ui *ui, const struct subject *s, const struct spot *spot, struct ui_pointer at, bool *was)
{
	switch (spot->kind) {
	case SPOT_TAB:
		return ui_go_to(ui, (enum ui_view)spot->value);
	case SPOT_KEY:
		return press_key(ui, s, (ui_key)spot->value);
	case SPOT_CHOICE:
		return menu_choose(ui, s, spot->value);
	case SPOT_HEAD:
		return spot->sorted ? press_key(ui, s, 'I') : menu_choose(ui, s, spot->value);
	case SPOT_ROWS:
		*was = select_row(ui, spot, at.row);
		break;
	case SPOT_PANE:
		*was = (int)view_panes_domain(ui, s) == spot->value && slowest_place(ui) < 0;
		slowest_leave(ui);
		ui->chosen_domain = spot->value;
		break;
	case SPOT_SLOW:
		*was = slowest_pick(ui, spot->value);
		break;
	case SPOT_TRACK:
		*was = (int)ui->frozen_range.domain == spot->value;
		ui->frozen_range.domain = (unsigned)spot->value;
		break;
	case SPOT_TIME:
		*was = ui->view == VIEW_TREND && select_column(ui, spot, at.col);
		break;
	}
	return UI_DIRTY;
}

/* The button was pressed.  On a time axis a drag may follow, so Enter waits for the release. */
static unsigned take_press(struct ui *ui, const struct subject *s, struct ui_pointer at)
{
	const struct spot *spot = spot_at(ui, at.row, at.col, ~(1u << SPOT_TIME)),
			  *axis = spot_at(ui, at.row, at.col, 1u << SPOT_TIME);
	struct time_mark *mark = &ui->mark;
	bool was = false;

	*mark = (struct time_mark){.row = at.row, .col = at.col, .pressed = axis != NULL};
	if (axis != NULL)
		mark->anchor = stamp_at(axis, at.col);
	if (spot == NULL)
		spot = axis;
	unsigned reactions = spot != NULL ? press(ui, s, spot, at, &was) : UI_DIRTY;
	mark->again = was && axis != NULL;
	return was && axis == NULL ? press_key(ui, s, UI_KEY_ENTER) | UI_DIRTY : reactions;
}

/* The pointer moved while the button is pressed. */
static unsigned take_drag(struct ui *ui, const struct subject *s, struct ui_pointer at)
{
	struct time_mark *mark = &ui->mark;
	const struct spot *axis = mark->pressed ? spot_at(ui, mark->row, mark->col, 1u << SPOT_TIME) : NULL;

	if (axis == NULL || (at.col == mark->col && !mark->on))
		return UI_NOTHING;
	uint64_t stamp = stamp_at(axis, at.col);
	mark->from = stamp < mark->anchor ? stamp : mark->anchor;
	mark->to = (stamp < mark->anchor ? mark->anchor : stamp) + axis->width;
	if (mark->to > s->now)
		mark->to = s->now;
	mark->on = mark->from < mark->to;
	return UI_DIRTY;
}

/* The wheel zooms at the pointer on a time axis that does not move; elsewhere it moves by lines. */
static unsigned take_wheel(struct ui *ui, const struct subject *s, struct ui_pointer at)
{
	const struct spot *axis = spot_at(ui, at.row, at.col, 1u << SPOT_TIME);
	bool up = at.kind == UI_POINTER_WHEEL_UP;
	unsigned reactions = UI_NOTHING;

	if (axis != NULL && (ui->frozen || ui->view == VIEW_TREND)) {
		uint64_t stamp = stamp_at(axis, at.col) + axis->width / 2, before = ui->frozen_range.span;
		reactions = press_key(ui, s, up ? '[' : ']');
		if (ui->view == VIEW_PANES)
			moment_hold_at(&ui->frozen_range, stamp, before);
		return reactions;
	}
	/* Scroll the list under the pointer. */
	const struct spot *rows = spot_at(ui, at.row, at.col, 1u << SPOT_ROWS);
	if (rows != NULL && ui->view == VIEW_STW)
		stops_own(ui)->on = rows->place == &stops_own(ui)->place;
	for (int i = 0; i < WHEEL_LINES; i++)
		reactions |= press_key(ui, s, up ? UI_KEY_UP : UI_KEY_DOWN);
	return reactions;
}

unsigned ui_point(struct ui *ui, const struct subject *subject, struct ui_pointer at)
{
	const struct subject shown = ui_adopt(ui, subject);

	ui->changed = true;
	if (ui->input != 0 && at.kind < UI_POINTER_WHEEL_UP)
		return UI_NOTHING;
	if (ui->menu.on && at.kind == UI_POINTER_PRESS &&
	    spot_at(ui, at.row, at.col, 1u << SPOT_CHOICE) == NULL)
		return press_key(ui, &shown, UI_KEY_ESCAPE);
	switch (at.kind) {
	case UI_POINTER_PRESS:
		return ui->help != HELP_OFF ? press_key(ui, &shown, UI_KEY_ESCAPE)
					    : take_press(ui, &shown, at);
	case UI_POINTER_DRAG:
		return take_drag(ui, &shown, at);
	case UI_POINTER_RELEASE: {
		bool opens = ui->mark.again && !ui->mark.on;
		ui->mark.pressed = ui->mark.again = false;
		return opens ? press_key(ui, &shown, UI_KEY_ENTER) : UI_NOTHING;
	}
	default:
		return ui->input != 0 ? UI_NOTHING : take_wheel(ui, &shown, at);
	}
}

void ui_mark_draw(const struct ui *ui, struct canvas *canvas)
{
	for (int i = 0; i < ui->spot_count && ui->mark.on; i++) {
		const struct spot *axis = &ui->spots[i];
		struct rect area = axis->area;
		if (axis->kind != SPOT_TIME || ui->mark.to <= axis->t0 ||
		    ui->mark.from >= axis->t0 + (uint64_t)area.cols * axis->width)
			continue;
		uint64_t from = ui->mark.from > axis->t0 ? (ui->mark.from - axis->t0) / axis->width : 0,
			 last = (ui->mark.to - 1 - axis->t0) / axis->width;
		int first = (int)from,
		    cols = last < (uint64_t)area.cols ? (int)last - first + 1 : area.cols - first;
		canvas_restyle(canvas, rect_make(area.row, area.col + first, 1, cols), STYLE_SELECTED);
		canvas_restyle(canvas, rect_make(area.row, area.col + first, area.rows, 1), STYLE_SELECTED);
		canvas_restyle(
		    canvas, rect_make(area.row, area.col + first + cols - 1, area.rows, 1), STYLE_SELECTED);
	}
}

unsigned ui_mark_open(struct ui *ui, const struct subject *s)
{
	const struct time_mark mark = ui->mark;
	struct moment_mark opened = {.domain = ui->view == VIEW_PANES && ui->frozen_range.opened
						   ? ui->frozen_range.domain
						   : view_panes_domain(ui, s),
	    .from = mark.from,
	    .to = mark.to};

	ui->mark.on = false;
	snprintf(opened.text, sizeof(opened.text), "%s marked", format_duration(mark.to - mark.from).s);
	return moment_open_kept(ui, s, &opened, ui->view);
}
