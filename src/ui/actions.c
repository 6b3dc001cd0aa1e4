/* actions.c - lookups in the list of actions; draws the tabs and the footer. */
#include "ui/actions.h"

#include "canvas/text.h"
#include "ui/view.h"
#include "ui/widgets/line.h"

static const struct action_info infos[ACTION_COUNT] = {
#define INFO(name, handler, key1, key2, key3, ...) {{key1, key2, key3}, __VA_ARGS__},
    UI_ACTIONS(INFO)
#undef INFO
};

const struct action_info *action_info(enum ui_action action)
{
	return (unsigned)action < ACTION_COUNT ? &infos[action] : NULL;
}

bool action_is_replay(enum ui_action action)
{
	return action >= ACTION_PLAY && action <= ACTION_JUMP_END;
}

const char *view_title(enum ui_view view)
{
	static const char *const titles[VIEW_COUNT] = {
#define TITLE(name, ops, title) title,
	    UI_VIEWS(TITLE)
#undef TITLE
	};
	return (unsigned)view < VIEW_COUNT ? titles[view] : "";
}

bool action_available(const struct action_set *set, enum ui_action action, enum ui_view view)
{
	return (unsigned)action < ACTION_COUNT && (unsigned)view < VIEW_COUNT && set->there[action] &&
	       (infos[action].views >> view & 1) != 0 && (infos[action].modes >> set->mode & 1) != 0;
}

enum ui_action action_of_key(const struct action_set *set, ui_key key, enum ui_view view)
{
	if (key == UI_KEY_NONE)
		return ACTION_NONE;
	for (int i = 0; i < ACTION_COUNT; i++)
		for (int j = 0; j < 3; j++)
			if (infos[i].keys[j] == key && action_available(set, (enum ui_action)i, view))
				return (enum ui_action)i;
	return ACTION_NONE;
}

/* ---- tabs ---- */

/* The forms of the tabs, the widest first. */
static const struct tab_form {
	bool title; /* the view's title, else its short name */
	bool alone; /* only the tab of the current view has a name */
	bool close; /* no blank between the key and the name */
	int gap;    /* columns between two tabs */
} tab_forms[] = {
    {.title = true, .gap = 2}, {.gap = 2}, {.gap = 1}, {.close = true, .gap = 1}, {.alone = true, .gap = 1}};

/* Place the tabs in a form.  Returns the columns that they take. */
static int place_tabs(const struct tab_form *form, enum ui_view shown, struct tab *tabs, int count)
{
	int col = 1;

	for (int i = 0; i < count; i++) {
		struct tab *tab = &tabs[i];
		const struct action_info *info =
		    action_info((enum ui_action)(ACTION_VIEW_PANES + tab->view - VIEW_PANES));
		const char *name = form->title ? view_title(tab->view) : info->short_name;
		bool named = !form->alone || tab->view == shown;
		snprintf(tab->text, sizeof(tab->text), "%s%s%s", ui_key_name(info->keys[0]).s,
		    named && !form->close ? " " : "", named ? name : "");
		tab->col = col;
		tab->cols = (int)strlen(tab->text);
		col += tab->cols + form->gap;
	}
	return count > 0 ? col - form->gap + 1 : 0;
}

int tabs_lay_out(const struct action_set *set, enum ui_view view, int width, struct tab out[VIEW_COUNT])
{
	int count = 0;

	for (int v = VIEW_PANES; v < VIEW_OVERVIEW; v++)
		if (action_available(set, (enum ui_action)(ACTION_VIEW_PANES + v - VIEW_PANES), view))
			out[count++].view = (enum ui_view)v;
	for (size_t f = 0; f < sizeof(tab_forms) / sizeof(tab_forms[0]); f++)
		if (place_tabs(&tab_forms[f], view, out, count) <= width)
			return count;
	/* If not even the keys fit, only the tab of the current view is shown. */
	for (int i = 0; i < count; i++)
		if (out[i].view == view)
			out[0].view = view;
	return count > 0 && place_tabs(&tab_forms[1], view, out, 1) <= width ? 1 : 0;
}

void tabs_draw(struct canvas *canvas, struct rect line, const struct action_set *set, enum ui_view view)
{
	struct tab tabs[VIEW_COUNT];
	int count = rect_empty(line) ? 0 : tabs_lay_out(set, view, line.cols, tabs);

	for (int i = 0; i < count; i++) {
		int col = line.col + tabs[i].col, end = col + tabs[i].cols;
		bool shown = tabs[i].view == view;
		canvas_put(canvas, line.row, col, shown ? STYLE_TITLE : STYLE_HINT, tabs[i].text);
		canvas_restyle(canvas, rect_make(line.row, col, 1, 1), STYLE_KEY);
		if (shown) {
			canvas_put(canvas, line.row, col - 1, STYLE_FOCUS, "[");
			canvas_put(canvas, line.row, end, STYLE_FOCUS, "]");
		}
	}
}

/* ---- footer ---- */

/* Draw the begin and the end of a note that is too wide, since they contain a file name and the reason of a
 * failure. */
static void draw_wide(struct canvas *canvas, struct rect line, const char *note)
{
	struct rect right = line, left = rect_cut_left(&right, line.cols / 2);
	const char *end = note;
	uint32_t c;

	struct rect old = canvas_clip(canvas, left);
	canvas_put(canvas, line.row, line.col, STYLE_LABEL, note);
	canvas_unclip(canvas, old);
	while (canvas_text_width(canvas, end) >= right.cols)
		end += text_decode(end, strlen(end), &c);
	end += text_number_rest(note, end);
	old = canvas_clip(canvas, right);
	canvas_fill(canvas, right, STYLE_LABEL, 0);
	canvas_put(
	    canvas, line.row, right.col + right.cols - canvas_text_width(canvas, end), STYLE_LABEL, end);
	canvas_glyph(canvas, line.row, right.col, STYLE_LABEL, GLYPH_ELLIPSIS);
	canvas_unclip(canvas, old);
}

/* The keys of an item of the footer. */
struct key_list {
	char s[32];
};

/* Add a key to those of an item; arrow keys are shown by their signs. */
static void put_key(struct key_list *list, ui_key key)
{
	bool arrow = key == UI_KEY_LEFT || key == UI_KEY_RIGHT;

	if (list->s[0] != '\0' && !arrow)
		strlcat(list->s, " ", sizeof(list->s));
	strlcat(list->s,
	    key == UI_KEY_LEFT	  ? "\u2190"
	    : key == UI_KEY_RIGHT ? "\u2192"
				  : ui_key_name(key).s,
	    sizeof(list->s));
}

void help_footer(struct ui *ui, struct canvas *canvas, struct rect line, const struct action_set *set,
    enum ui_view view, const char *note)
{
	struct rect drawn[LINE_ITEMS_MAX] = {0};
	ui_key firsts[LINE_ITEMS_MAX];
	struct line_item items[LINE_ITEMS_MAX];
	struct key_list names[LINE_ITEMS_MAX];
	int count = 0, width = note != NULL ? canvas_text_width(canvas, note) : 0;
	if (line.rows > 0 && width > line.cols) {
		draw_wide(canvas, line, note);
		return;
	}
	for (int i = 0; i < ACTION_COUNT && count < LINE_ITEMS_MAX - 1; i++) {
		const struct action_info *info = action_info((enum ui_action)i);
		if (info->rank == 0 || !action_available(set, (enum ui_action)i, view))
			continue;
		bool pair = count > 0 && strcmp(items[count - 1].value, info->short_name) == 0;
		struct key_list *keys = &names[pair ? count - 1 : count];
		keys->s[0] = pair ? keys->s[0] : '\0';
		put_key(keys, info->keys[0]);
		if (pair)
			continue;
		firsts[count] = info->keys[0];
		items[count] =
		    line_styles(line_labelled(keys->s, info->short_name, info->rank), STYLE_KEY, STYLE_HINT);
		items[count].drawn = &drawn[count];
		count++;
	}
	const int keys = count;
	if (note != NULL)
		items[count++] = line_right(line_label(note, STYLE_LABEL, 0));
	line_draw(canvas, line, 2, items, count);
	for (int i = 0; i < keys && ui != NULL; i++)
		ui_spot(ui, (struct spot){.kind = SPOT_KEY, .area = drawn[i], .value = (int)firsts[i]});
}
