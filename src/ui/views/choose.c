/*
 * choose.c - the list of processes, when no TARGET was given.
 */
#include <math.h>
#include <stdio.h>

#include "ui/widgets/format.h"
#include "ui/views/tabular.h"

enum {
	COLUMN_PID,
	COLUMN_NAME,
	COLUMN_OCAML,
	COLUMN_STATE,
	COLUMN_DOMAINS,
	COLUMN_WORDS,
	COLUMN_PATH,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [COLUMN_PID] = {"pid", 7, 7, ALIGN_RIGHT, 0, false},
    [COLUMN_NAME] = {"program", 10, 20, ALIGN_LEFT, 0, false},
    [COLUMN_OCAML] = {"OCaml", 7, 10, ALIGN_LEFT, 2, false},
    [COLUMN_STATE] = {"events", 8, 13, ALIGN_LEFT, 1, false},
    [COLUMN_DOMAINS] = {"domains", 7, 7, ALIGN_RIGHT, 3, false},
    [COLUMN_WORDS] = {"ring", 6, 7, ALIGN_RIGHT, 4, false},
    [COLUMN_PATH] = {"file", 10, 40, ALIGN_LEFT, 5, true},
};

/* Count the items. */
static int items(struct ui *ui, const struct subject *s)
{
	(void)ui;
	return (int)s->process_count;
}

/* Fill in a cell. */
static void cell(struct ui *ui, const struct subject *s, int item, int column, struct tabular_cell *out)
{
	const struct subject_process *p = &s->processes[item];
	const char *text = NULL;
	double key = NAN;
	struct formatted number = format_unknown();

	(void)ui;
	switch (column) {
	case COLUMN_PID:
		number = format_signed(p->pid, 12);
		key = (double)p->pid;
		break;
	case COLUMN_NAME:
		text = p->name;
		break;
	case COLUMN_OCAML:
		text = p->ocaml != NULL ? p->ocaml : "?";
		break;
	case COLUMN_STATE:
		text = p->state;
		break;
	case COLUMN_DOMAINS:
		key = p->has_ring ? (double)p->domains : -1;
		if (p->has_ring)
			number = format_count(p->domains);
		break;
	case COLUMN_WORDS:
		key = p->has_ring ? (double)p->ring_words : -1;
		if (p->has_ring)
			number = format_words(p->ring_words);
		break;
	default:
		text = p->path;
		break;
	}
	snprintf(out->text, sizeof(out->text), "%s", text != NULL ? text : number.s);
	out->key = key;
	if (!p->has_ring)
		out->style = STYLE_MUTED;
}

static const struct tabular processes = {.columns = columns,
    .column_count = COLUMNS,
    .sort = COLUMN_PID,
    .ascending = true,
    .empty = "no OCaml 5 process; start one with OCAML_RUNTIME_EVENTS_START=1",
    .items = items,
    .cell = cell};

/* Draw the view. */
static void draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	tabular_draw(ui, subject, &processes, canvas, body);
	/* Below the words for an empty table, which may be empty only to us. */
	struct rect line = rect_cut_top(&body, 3);
	if (subject->process_count != 0 || ui->hidden == 0 || line.rows < 3)
		return;
	char text[128];
	snprintf(text, sizeof(text),
	    "%u process%s of other users could not be looked into: run rtevtop as root", ui->hidden,
	    ui->hidden == 1 ? "" : "es");
	canvas_put_fit(canvas, line.row + 2, line.col, line.cols, ALIGN_LEFT, STYLE_WARN, text);
}

/* Take an action; Enter attaches. */
static unsigned act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	int item = tabular_selected(ui);

	if (action != ACTION_OPEN)
		return tabular_act(ui, subject, &processes, action);
	if (item < 0 || (size_t)item >= subject->process_count)
		return UI_NOTHING;
	ui->chosen = subject->processes[item].pid;
	ui_ask(ui, ACTION_OPEN);
	return UI_DIRTY;
}

const struct view_ops view_choose = {.draw = draw, .act = act};
