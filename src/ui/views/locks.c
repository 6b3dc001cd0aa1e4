/* locks.c - the third page of view c: the locks that threads wait for, the functions that wait, and the
 * holders. */
#include "ui/views/code_state.h"
#include "ui/views/tabular.h"
#include "ui/widgets/line.h"

#define DETAILS 4 /* lines about the selected lock, including a blank one */
#define DETAILS_FROM 10
#define DETAILS_COLS 34
#define LABEL_COLUMNS 12

#define LOCKS_COLUMNS(X)                                                                                     \
	X(LOCK, "lock", 20, 20, LEFT, 0, FIXED, lock_cell(row, lock_row_name, ""))                           \
	X(WAITS, "waits in", 12, 32, LEFT, 3, GROWS, side_cell(s, &t->code[item].waits))                     \
	X(LOOKS, "looks", 6, 6, RIGHT, 1, FIXED, cell_value(UNIT_SHARE, lock_share(&t->window, row)))        \
	X(WAITERS, "waiters", 8, 8, RIGHT, 4, FIXED,                                                         \
	    cell_keyed(cell_said("%.2f", lock_mean(&t->window, row)), lock_mean(&t->window, row)))           \
	X(TAKES, "of time", 8, 8, RIGHT, 0, FIXED, cell_value(UNIT_SHARE, lock_takes(&t->window, row)))      \
	X(OWNER, "holder", 17, 18, LEFT, 2, FIXED, lock_cell(row, lock_row_owner, ","))                      \
	X(LONGEST, "one holder", 10, 10, RIGHT, 6, FIXED,                                                    \
	    cell_if(row->longest > 0, cell_duration(row->longest)))                                          \
	X(HAS, "held in", 12, 32, LEFT, 5, GROWS, side_cell(s, &t->code[item].has))

TABLE_LIST(LOCKS_COLUMNS, columns, COLUMNS);

static int items(struct ui *ui, const struct subject *s)
{
	struct lock_table *t = &code_own(ui)->lock_table;
	const struct lock_table *given = &s->code->locks;

	/* Recompute the functions after new looks or samples. */
	if (t->window.ts != given->window.ts || t->window.looks != given->window.looks ||
	    code_own(ui)->locks_of != profile_generation(s->code->profile)) {
		*t = *given;
		code_own(ui)->locks_of = profile_generation(s->code->profile);
		lock_table_code(t, s->code->profile, s->code->hz);
	}
	return (int)t->window.count;
}

/* Return a cell with the most frequent function of a side. */
static struct tabular_cell side_cell(const struct subject *s, const struct profile_side *side)
{
	return side->top[0].weight == 0
		   ? cell_empty()
		   : cell_text(profile_function_of(s->code->profile, side->top[0].function)->name);
}

/* Return a cell with what a function tells of a lock, up to one of some characters. */
static struct tabular_cell lock_cell(
    const struct lock_row *row, void (*tell)(const struct lock_row *, char *), const char *until)
{
	char text[LOCK_ROW_TEXT];

	tell(row, text);
	text[strcspn(text, until)] = '\0';
	return cell_text(text);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct lock_table *t = &code_own(ui)->lock_table;
	const struct lock_row *row = &t->window.rows[item];

	TABLE_RETURN(LOCKS_COLUMNS);
}

static int64_t identity(struct ui *ui, const struct subject *s, int item)
{
	const struct lock_row *row = &code_own(ui)->lock_table.window.rows[item];

	return (int64_t)(row->lock.address + (uint64_t)row->lock.kind);
}

const struct tabular code_locks = {TABULAR_COLUMNS(columns), .sort = COLUMN_TAKES,
    .empty = "no thread waited for a lock", .items = items, .cell = cell, .identity = identity};

/* Draw the facts about the selected lock. */
static void draw_lock(
    struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area, int item)
{
	const struct lock_table *t = &code_own(ui)->lock_table;
	char name[LOCK_ROW_TEXT], waits[LOCK_ROW_TEXT], owner[LOCK_ROW_TEXT], has[LOCK_ROW_TEXT];

	const struct {
		const char *label, *text;
	} lines[] = {{"lock", name}, {"waits in", waits}, {"holder", owner}, {"held in", has}};

	rect_cut_top(&area, 1);
	lock_row_name(&t->window.rows[item], name);
	lock_row_owner(&t->window.rows[item], owner);
	lock_row_functions(s->code->profile, &t->code[item].waits, waits);
	lock_row_functions(s->code->profile, &t->code[item].has, has);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		words_draw(canvas, &area, lines[i].label, LABEL_COLUMNS, i == 0 ? STYLE_TITLE : STYLE_TEXT,
		    lines[i].text[0] != '\0' ? lines[i].text : "-");
}

void code_locks_draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	const struct lock_table *given = &s->code->locks;
	const struct line_item summary[] = {line_figure("looks", format_count(given->window.looks), 0),
	    line_figure("in", format_duration(given->window.ns), 1),
	    line_said("threads at work", 0, "%.1f", given->window.threads)};
	struct rect details = {0};
	char text[96];

	if (given->why != NULL) {
		snprintf(text, sizeof(text), "its locks are not known: %s", given->why);
		words_draw(canvas, &body, "", 0, STYLE_MUTED, text);
		return;
	}
	if (body.rows > 3)
		line_draw(canvas, rect_cut_top(&body, 1), 2, summary, 3);
	if (body.rows >= DETAILS_FROM && body.cols >= DETAILS_COLS && given->window.count > 0)
		details = rect_cut_bottom(&body, DETAILS + 1);
	tabular_draw(ui, s, &code_locks, canvas, body);
	const int item = tabular_selected(ui);
	if (details.rows > 0 && item >= 0 && item < (int)code_own(ui)->lock_table.window.count)
		draw_lock(ui, s, canvas, details, item);
}
