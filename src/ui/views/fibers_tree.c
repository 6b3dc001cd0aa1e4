/*
 * fibers_tree.c - view f as the tree of contexts: which contexts are cancelled together.
 *
 * Enter opens and closes a context, and opens a fiber.  The line of a context counts what it contains,
 * whether open or not.
 */
#include "ui/views/fibers.h"

#include "figures/figures.h"
#include "print/number.h"

#define INDENT_MOST 40

#define TREE_COLUMNS(X)                                                                                      \
	X(WHAT, "context or fiber", 24, 60, LEFT, 0, NAMES, what_cell(line))                                 \
	X(FIBERS, "fibers", 7, 7, RIGHT, 0, FIXED, cell_if(context, cell_count(line->fibers)))               \
	X(BLOCKED, "blocked", 7, 7, RIGHT, 4, FIXED, cell_if(context, cell_count(line->blocked)))            \
	X(LONGEST, "longest", 7, 8, RIGHT, 1, FIXED, cell_if(longest > 0, cell_duration(longest)))           \
	X(DOES, "in", 8, 26, LEFT, 0, NAMES, one ? fibers_cell_doing(&line->fiber) : cell_empty())           \
	X(OBJECT, "waits for", 9, 24, LEFT, 3, NAMES,                                                        \
	    one ? fibers_cell_object(&line->fiber, line->fiber.wants) : cell_empty())                        \
	X(ERROR, "error", 9, 28, LEFT, 2, NAMES, cell_if(context, cell_styled(error_cell(line), STYLE_BAD)))

TABLE_LIST(TREE_COLUMNS, columns, COLUMNS);

static int items(struct ui *ui, const struct subject *s)
{
	return (int)fibers_own(ui)->line_count;
}

static int64_t identity(struct ui *ui, const struct subject *s, int item)
{
	const struct fiber_branch *line = &fibers_own(ui)->lines[item];
	uint64_t id = line->what == FIBER_BRANCH_FIBER ? line->fiber.id : line->context.id;

	return (int64_t)((id << 2 | line->what) & INT64_MAX);
}

/* Describe the subject of a line, indented by its depth. */
static struct tabular_cell what_cell(const struct fiber_branch *line)
{
	const struct fiber_context *c = &line->context;
	const int indent = 2 * (int)line->depth < INDENT_MOST ? 2 * (int)line->depth : INDENT_MOST;

	if (line->what == FIBER_BRANCH_MORE)
		return cell_styled(
		    cell_said("%*s  and %s more", indent, "", format_count(line->fibers).s), STYLE_MUTED);
	if (line->alike > 0)
		return cell_said("%*s%s %s %s x %.*s", indent, "", line->open ? "▾" : "▸",
		    format_count(line->alike).s, fiber_kind_word(c->kind), (int)c->name.len, c->name.text);
	return cell_styled(
	    line->what == FIBER_BRANCH_FIBER ? cell_said("%*s  fiber %" PRIu64, indent, "", line->fiber.id)
	    : c->kind == FIBER_KIND_NONE     ? cell_said("%s context not known", line->open ? "▾" : "▸")
					     : cell_said("%*s%s %s %" PRIu64 " %.*s", indent, "",
						   line->open ? "▾" : "▸", fiber_kind_word(c->kind), c->id,
						   (int)c->name.len, c->name.text != NULL ? c->name.text : ""),
	    c->cancelled ? STYLE_BAD : STYLE_TEXT);
}

/* Describe the error of a context, or how many contexts in it are cancelled. */
static struct tabular_cell error_cell(const struct fiber_branch *line)
{
	return line->error.text != NULL	 ? fibers_cell_text(line->error)
	       : line->context.cancelled ? cell_text("cancelled")
	       : line->cancelled > 0	 ? cell_said("%s in it", format_count(line->cancelled).s)
					 : cell_empty();
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct fiber_branch *line = &fibers_own(ui)->lines[item];
	const bool context = line->what == FIBER_BRANCH_CONTEXT, one = line->what == FIBER_BRANCH_FIBER;
	const uint64_t longest = one ? line->fiber.since_ns : line->longest_ns;

	TABLE_RETURN(TREE_COLUMNS);
}

static const struct tabular tree = {TABULAR_COLUMNS(columns), .sort = -1, .ordered = true, .sparse = true,
    .item_name = "line", .empty = "no fiber is alive, as far as is known", .items = items, .cell = cell,
    .identity = identity};

/* Read the lines.  There are none when memory ran out. */
static void lines_read(struct ui *ui, const struct subject *s)
{
	struct fibers_place *p = fibers_own(ui);

	p->lines = fibers_tree(
	    s->fibers, figure_end(watch_model(s->watch)), p->turned, p->turned_count, &p->line_count);
}

static void lines_drop(struct ui *ui)
{
	free(fibers_own(ui)->lines);
	fibers_own(ui)->lines = NULL;
	fibers_own(ui)->line_count = 0;
}

void fibers_tree_draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	lines_read(ui, s);
	tabular_draw(ui, s, &tree, canvas, body);
	lines_drop(ui);
}

/* Open or close a context.  If too many were changed, the first change is forgotten. */
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
	const struct fiber_branch *line = item >= 0 ? &fibers_own(ui)->lines[item] : NULL;

	if (line == NULL || line->what == FIBER_BRANCH_MORE)
		return UI_NOTHING;
	if (line->what == FIBER_BRANCH_CONTEXT) {
		turn(fibers_own(ui), line->context.id);
		return UI_DIRTY;
	}
	fibers_own(ui)->level = FIBERS_ONE;
	fibers_own(ui)->fiber = line->fiber.id;
	return UI_DIRTY;
}

unsigned fibers_tree_act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	lines_read(ui, s);
	unsigned reactions = action == ACTION_OPEN ? open_line(ui, s) : tabular_act(ui, s, &tree, action);
	lines_drop(ui);
	return reactions;
}
