/*
 * fibers_tree.c - view f as the tree of contexts: who is cancelled with whom.
 *
 * Enter opens and closes a context, and opens a fiber.  A line of a context counts what is in it, open or not.
 */
#include "ui/views/fibers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "figures/figures.h"
#include "print/number.h"

#define INDENT_MOST 40

#define TREE_COLUMNS(X)                                                                                      \
	X(WHAT, "context or fiber", 24, 60, LEFT, 0, NAMES)                                                  \
	X(FIBERS, "fibers", 6, 7, RIGHT, 0, FIXED)                                                           \
	X(BLOCKED, "blocked", 7, 7, RIGHT, 4, FIXED)                                                         \
	X(LONGEST, "longest", 7, 8, RIGHT, 1, FIXED)                                                         \
	X(DOES, "in", 8, 20, LEFT, 0, NAMES)                                                                 \
	X(OBJECT, "waits for", 9, 24, LEFT, 3, NAMES)                                                        \
	X(ERROR, "error", 9, 28, LEFT, 2, NAMES)

enum { TREE_COLUMNS(TABLE_ENUM) COLUMNS };
static const struct table_column columns[COLUMNS] = {TREE_COLUMNS(TABLE_ROW)};

static int items(struct ui *ui, const struct subject *s)
{
	(void)s;
	return (int)ui->fibers.line_count;
}

static int64_t identity(struct ui *ui, const struct subject *s, int item)
{
	const struct fiber_branch *line = &ui->fibers.lines[item];
	uint64_t id = line->what == FIBER_BRANCH_FIBER ? line->fiber.id : line->context.id;

	(void)s;
	return (int64_t)((id << 2 | line->what) & INT64_MAX);
}

/* Say what a line is of, behind what it is in. */
static void put_what(const struct fiber_branch *line, struct tabular_cell *out)
{
	const struct fiber_context *c = &line->context;
	const int indent = 2 * (int)line->depth < INDENT_MOST ? 2 * (int)line->depth : INDENT_MOST;

	if (line->what == FIBER_BRANCH_MORE)
		tabular_say(out, "%*s  and %s more", indent, "", format_count(line->fibers).s);
	else if (line->what == FIBER_BRANCH_FIBER)
		tabular_say(out, "%*s  fiber %" PRIu64, indent, "", line->fiber.id);
	else if (c->kind == FIBER_KIND_NONE)
		tabular_say(out, "%s context not known", line->open ? "▾" : "▸");
	else
		tabular_say(out, "%*s%s %s %" PRIu64 " %.*s", indent, "", line->open ? "▾" : "▸",
		    fibers_context_word(c->kind), c->id, (int)c->name.len,
		    c->name.text != NULL ? c->name.text : "");
	out->style = line->what == FIBER_BRANCH_MORE ? STYLE_MUTED : c->cancelled ? STYLE_BAD : STYLE_TEXT;
}

/* Say what went wrong with a context, or how many of those in it are cancelled. */
static void put_error(const struct fiber_branch *line, struct tabular_cell *out)
{
	out->style = STYLE_BAD;
	if (line->error.text != NULL)
		fibers_put_text(out, line->error);
	else if (line->context.cancelled)
		tabular_say(out, "cancelled");
	else if (line->cancelled > 0)
		tabular_say(out, "%s in it", format_count(line->cancelled).s);
}

static void cell(struct ui *ui, const struct subject *s, int item, int column, struct tabular_cell *out)
{
	const struct fiber_branch *line = &ui->fibers.lines[item];
	const struct fiber_row *fiber = &line->fiber;
	const bool context = line->what == FIBER_BRANCH_CONTEXT, one = line->what == FIBER_BRANCH_FIBER;
	const uint64_t longest = one ? fiber->since_ns : line->longest_ns;

	(void)s;
	if (column == COLUMN_WHAT)
		put_what(line, out);
	else if (column == COLUMN_FIBERS && context)
		tabular_put(out, format_count(line->fibers), (double)line->fibers);
	else if (column == COLUMN_BLOCKED && context)
		tabular_put(out, format_count(line->blocked), (double)line->blocked);
	else if (column == COLUMN_LONGEST && longest > 0)
		tabular_put(out, format_duration(longest), (double)longest);
	else if (column == COLUMN_DOES && one)
		fibers_put_doing(out, fiber);
	else if (column == COLUMN_OBJECT && one && fiber->kind != FIBER_KIND_NONE)
		fiber_object_text(
		    fiber->kind, fiber->wants, fiber->object, fiber->name, out->text, sizeof(out->text));
	else if (column == COLUMN_ERROR && context)
		put_error(line, out);
}

static const struct tabular tree = {.columns = columns,
    .column_count = COLUMNS,
    .sort = -1,
    .ordered = true,
    .item_name = "line",
    .empty = "no fiber is alive, as far as is known",
    .items = items,
    .cell = cell,
    .identity = identity};

/* Read the lines.  There are none when memory ran out. */
static void lines_read(struct ui *ui, const struct subject *s)
{
	struct fibers_place *p = &ui->fibers;

	p->lines = fibers_tree(
	    s->fibers, figure_end(watch_model(s->watch)), p->turned, p->turned_count, &p->line_count);
}

static void lines_drop(struct ui *ui)
{
	free(ui->fibers.lines);
	ui->fibers.lines = NULL;
	ui->fibers.line_count = 0;
}

void fibers_tree_draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	lines_read(ui, s);
	tabular_draw(ui, s, &tree, canvas, body);
	lines_drop(ui);
}

/* Open a context that is closed, and close one that is open.  Of too many that were turned the first one is as it was. */
static void turn(struct fibers_place *p, uint64_t id)
{
	size_t at = 0;

	while (at < p->turned_count && p->turned[at] != id)
		at++;
	const bool was = at < p->turned_count;
	if (!was && p->turned_count < FIBERS_TURNED) {
		p->turned[p->turned_count++] = id;
		return;
	}
	at = was ? at : 0;
	p->turned_count--;
	memmove(p->turned + at, p->turned + at + 1, (p->turned_count - at) * sizeof(p->turned[0]));
	if (!was)
		p->turned[p->turned_count++] = id;
}

static unsigned open_line(struct ui *ui, const struct subject *s)
{
	const int item = tabular_item(ui, s, &tree);
	const struct fiber_branch *line = item >= 0 ? &ui->fibers.lines[item] : NULL;

	if (line == NULL || line->what == FIBER_BRANCH_MORE)
		return UI_NOTHING;
	if (line->what == FIBER_BRANCH_CONTEXT) {
		turn(&ui->fibers, line->context.id);
		return UI_DIRTY;
	}
	ui->fibers.level = FIBERS_ONE;
	ui->fibers.fiber = line->fiber.id;
	return UI_DIRTY;
}

unsigned fibers_tree_act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	lines_read(ui, s);
	unsigned reactions = action == ACTION_OPEN ? open_line(ui, s) : tabular_act(ui, s, &tree, action);
	lines_drop(ui);
	return reactions;
}
