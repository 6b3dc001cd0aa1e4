/*
 * actions.c - lookups in the list of actions, and the footer and the help that are made of it.
 */
#include "ui/actions.h"

#include <stdio.h>
#include <string.h>

#include "canvas/text.h"
#include "ui/widgets/line.h"

static const struct action_info infos[ACTION_COUNT] = {
#define INFO(name, handler, key1, key2, key3, views, rank, short_name, help)                                 \
	{{key1, key2, key3}, views, rank, short_name, help},
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
	       (infos[action].views >> view & 1) != 0;
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

/* ---- footer and help ---- */

/* The names of an action's keys, separated by blanks. */
struct key_list {
	char s[40];
};

/* Name all keys of an action. */
static struct key_list all_keys(enum ui_action action)
{
	struct key_list out = {""};
	for (int i = 0; i < 3; i++) {
		struct key_name name = ui_key_name(action_info(action)->keys[i]);
		size_t used = strlen(out.s);
		if (name.s[0] != '\0')
			snprintf(out.s + used, sizeof(out.s) - used, "%s%s", used > 0 ? " " : "", name.s);
	}
	return out;
}

/* Draw a note that is too wide: its begin and its end, where a file name and the reason of a failure
 * stand. */
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

void help_footer(struct canvas *canvas, struct rect line, const struct action_set *set, enum ui_view view,
    const char *note)
{
	struct line_item items[LINE_ITEMS_MAX];
	struct key_name names[LINE_ITEMS_MAX];
	int count = 0, width = note != NULL ? canvas_text_width(canvas, note) : 0;
	if (line.rows > 0 && width > line.cols) {
		draw_wide(canvas, line, note);
		return;
	}
	for (int i = 0; i < ACTION_COUNT && count < LINE_ITEMS_MAX - 1; i++) {
		const struct action_info *info = action_info((enum ui_action)i);
		if (info->rank == 0 || !action_available(set, (enum ui_action)i, view))
			continue;
		names[count] = ui_key_name(info->keys[0]);
		items[count] = (struct line_item){.label = names[count].s,
		    .value = info->short_name,
		    .label_style = STYLE_KEY,
		    .value_style = STYLE_HINT,
		    .rank = info->rank};
		count++;
	}
	if (note != NULL)
		items[count++] = (struct line_item){.label = note, .label_style = STYLE_LABEL, .right = true};
	if (line.rows > 0)
		line_draw(canvas, line.row, line.col, line.cols, 2, items, count);
}

/* Notes below the keys: for views with bars, and the marks of the trend with what stands for them. */
static const struct note {
	enum ui_view view; /* VIEW_PANES: all views with bars */
	const char *text;
	enum style style;
	char letter;
	enum glyph glyph; /* when there is no letter */
} notes[] = {
    {VIEW_PANES, "+5 12%: phases too short to stand alone, how many and their share", STYLE_TEXT, ' ', 0},
    {VIEW_PANES, "histogram of block sizes: link the program with -runtime-variant i", STYLE_TEXT, ' ', 0},
    {VIEW_PANES, "after a loss: ≥ is a lower bound, ~ is of what was seen", STYLE_TEXT, ' ', 0},
    {VIEW_TREND, "mark: the ring began anew, as at an exec", STYLE_WARN, 'R', 0},
    {VIEW_TREND, "mark: a long pause was written to a file", STYLE_RECORDING, 'F', 0},
    {VIEW_TREND, "mark: words were lost", STYLE_GAP_LOST, 0, GLYPH_LOSS},
    {VIEW_TREND, "mark: the target had paused its events", STYLE_GAP_PAUSED, 0, GLYPH_PAUSE},
};
enum { NOTES = sizeof(notes) / sizeof(notes[0]), LEGEND = RTEV_CLASS_COUNT + NOTES, SWATCH = 4 };

/* Whether the help of a view explains bars. */
static bool has_bars(enum ui_view view)
{
	return view == VIEW_PANES || view == VIEW_PHASES;
}

/* Whether a line of the legend, a family of phases or a note, belongs to the help of a view. */
static bool in_legend(enum ui_view view, int n)
{
	if (n < RTEV_CLASS_COUNT || notes[n - RTEV_CLASS_COUNT].view == VIEW_PANES)
		return has_bars(view);
	return view == notes[n - RTEV_CLASS_COUNT].view;
}

int help_lines(const struct action_set *set, enum ui_view view)
{
	int lines = 0;
	for (int i = 0; i < ACTION_COUNT; i++)
		lines += action_available(set, (enum ui_action)i, view);
	for (int n = 0; n < LEGEND; n++)
		lines += in_legend(view, n);
	return lines;
}

int help_page(struct rect screen)
{
	return screen.rows > 2 ? screen.rows - 2 : 0;
}

/* Compute the widths of keys and sentences. */
static void measure(
    const struct canvas *canvas, const struct action_set *set, enum ui_view view, int *keys, int *sentences)
{
	*keys = SWATCH;
	*sentences = 0;
	for (int i = 0; i < ACTION_COUNT; i++) {
		if (!action_available(set, (enum ui_action)i, view))
			continue;
		int key_cols = canvas_text_width(canvas, all_keys((enum ui_action)i).s);
		int sentence_cols = canvas_text_width(canvas, action_info((enum ui_action)i)->help);
		*keys = key_cols > *keys ? key_cols : *keys;
		*sentences = sentence_cols > *sentences ? sentence_cols : *sentences;
	}
	for (int n = 0; n < NOTES; n++) {
		int cols =
		    in_legend(view, RTEV_CLASS_COUNT + n) ? canvas_text_width(canvas, notes[n].text) : 0;
		*sentences = cols > *sentences ? cols : *sentences;
	}
}

/* Draw a line of the legend: colour, pattern and name of a family of phases, or a note. */
static void draw_legend(struct canvas *canvas, struct rect line, int keys, int n)
{
	int at = line.col + keys + 3, cols = line.cols - keys - 4;

	if (n >= RTEV_CLASS_COUNT) {
		const struct note *note = &notes[n - RTEV_CLASS_COUNT];
		uint32_t character = note->letter != 0 ? (unsigned char)note->letter
						       : theme_glyph(canvas_level(canvas), note->glyph);
		canvas_char(canvas, line.row, line.col + 1, note->style, character);
		canvas_put_fit(canvas, line.row, at, cols, ALIGN_LEFT, STYLE_TEXT, note->text);
		return;
	}
	enum rtev_phase_class class = (enum rtev_phase_class)n;
	for (int c = 0; c < SWATCH; c++)
		canvas_glyph(
		    canvas, line.row, line.col + 1 + c, theme_class_fill(class), theme_class_pattern(class));
	canvas_put_fit(canvas, line.row, at, cols, ALIGN_LEFT, STYLE_TEXT, theme_class_words(class));
}

/* Draw the lines of the help from `first` on. */
static void draw_lines(struct canvas *canvas, struct rect inside, const struct action_set *set,
    enum ui_view view, int keys, int first)
{
	int row = inside.row - first;

	for (int i = 0; i < ACTION_COUNT; i++) {
		if (!action_available(set, (enum ui_action)i, view))
			continue;
		if (row >= inside.row) {
			canvas_put(canvas, row, inside.col + 1, STYLE_KEY, all_keys((enum ui_action)i).s);
			canvas_put_fit(canvas, row, inside.col + keys + 3, inside.cols - keys - 4, ALIGN_LEFT,
			    STYLE_TEXT, action_info((enum ui_action)i)->help);
		}
		row++;
	}
	for (int n = 0; n < LEGEND; n++) {
		if (!in_legend(view, n))
			continue;
		if (row >= inside.row)
			draw_legend(canvas, rect_make(row, inside.col, 1, inside.cols), keys, n);
		row++;
	}
}

void help_overlay(
    struct canvas *canvas, struct rect screen, const struct action_set *set, enum ui_view view, int first)
{
	int keys, sentences, lines = help_lines(set, view);
	measure(canvas, set, view, &keys, &sentences);
	int cols = keys + sentences + 6, rows = lines + 2;
	cols = cols < screen.cols ? cols : screen.cols;
	rows = rows < screen.rows ? rows : screen.rows;
	struct rect box = rect_make(
	    screen.row + (screen.rows - rows) / 2, screen.col + (screen.cols - cols) / 2, rows, cols);
	canvas_fill(canvas, box, STYLE_TEXT, 0);
	canvas_box(canvas, box, STYLE_BORDER);
	struct line_item title[] = {
	    {.label = "keys",
		.value = view_title(view),
		.label_style = STYLE_TITLE,
		.value_style = STYLE_LABEL},
	    {.label = lines > help_page(screen) ? "arrows scroll" : NULL,
		.label_style = STYLE_LABEL,
		.right = true,
		.rank = 1},
	};
	line_draw(canvas, box.row, box.col + 2, box.cols - 4, 2, title, 2);
	struct rect inside = rect_inset(box, 1);
	struct rect old = canvas_clip(canvas, inside);
	draw_lines(canvas, inside, set, view, keys, first);
	canvas_unclip(canvas, old);
}
