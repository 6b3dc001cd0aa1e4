/*
 * menu.c - the menu of the columns by which a table can be sorted.
 *
 * The table fills it in (tabular.c) and sorts by the choice, since only the table knows its columns.
 */

#include "ui/views/tabular.h"

unsigned menu_choose(struct ui *ui, const struct subject *subject, int column)
{
	ui->menu.on = false;
	ui->menu.picked = column + 1;
	unsigned reactions = press_key(ui, subject, UI_KEY_F6);
	ui->menu.picked = 0;
	return reactions | UI_DIRTY;
}

unsigned menu_press(struct ui *ui, const struct subject *subject, ui_key key)
{
	struct sort_menu *menu = &ui->menu;
	/* The log accepts all keys that move, and Enter. */
	enum ui_action action = action_of_key(&ui->actions, key, VIEW_LOG);

	if (action == ACTION_OPEN && menu->list.selected < menu->count)
		return menu_choose(ui, subject, menu->columns[menu->list.selected]);
	menu->on = tabular_moves(&menu->list, action) >= 0;
	return UI_DIRTY;
}

void menu_draw(struct ui *ui, struct canvas *canvas, struct rect body)
{
	struct sort_menu *menu = &ui->menu;
	int widest = canvas_text_width(canvas, " sort by ");

	for (int i = 0; i < menu->count; i++) {
		int width = canvas_text_width(canvas, menu->titles[i]) + 2;
		widest = width > widest ? width : widest;
	}
	bool boxed = body.rows > 2;
	struct rect box = rect_cut_left(&body, widest + 2);
	box = rect_cut_top(&box, menu->count + (boxed ? 2 : 0));
	canvas_fill(canvas, box, STYLE_TEXT, 0);
	if (boxed) {
		canvas_box(canvas, box, STYLE_FOCUS);
		canvas_put_fit(canvas, rect_margins(box, 1, 1), ALIGN_LEFT, STYLE_TITLE, " sort by ");
		box = rect_inset(box, 1);
	}
	list_update(&menu->list, menu->count, box.rows);
	for (int i = menu->list.first; i < menu->count && box.rows > 0; i++) {
		struct rect line = rect_cut_top(&box, 1);
		canvas_put_fit(canvas, rect_margins(line, 1, 1), ALIGN_LEFT, STYLE_TEXT, menu->titles[i]);
		if (i == menu->list.selected)
			canvas_restyle(canvas, line, STYLE_SELECTED);
		ui_spot(ui, (struct spot){.kind = SPOT_CHOICE, .area = line, .value = menu->columns[i]});
	}
}
