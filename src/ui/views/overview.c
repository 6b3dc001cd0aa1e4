/*
 * overview.c - the overview: the OCaml processes of the machine, as in top.  Enter opens one.
 *
 * The items are the processes in the order of the subject, or as a tree, each process below its nearest
 * listed ancestor.
 */
#include "canvas/text.h"
#include "ui/views/tabular.h"
#include "print/number.h"
#include "ui/widgets/line.h"
#include "ui/widgets/plot.h"

#define INDENT 2
#define DEPTH_MAX 8
#define COMMANDS_FROM 100 /* width from which on command lines are preferred to names */

#define PROCESS_COLUMNS(X)                                                                                   \
	X(PID, "pid", 7, 7, RIGHT, 0, FIXED, cell_figure(format_signed(p->pid, 12), (double)p->pid))         \
	X(NAME, "program", 10, 24, LEFT, 0, GROWS, cell_said("%*s%s", depth *INDENT, "", name_of(p)))        \
	X(OCAML, "OCaml", 5, 7, LEFT, 11, FIXED,                                                             \
	    p->ocaml != NULL ? cell_text(p->ocaml) : cell_keyed(cell_text("?"), NAN))                        \
	X(STATE, "state", 8, 14, LEFT, 0, FIXED, state_cell(s, p))                                           \
	X(DOMAINS, "dom", 3, 4, RIGHT, 10, FIXED, cell_value(UNIT_COUNT, f->running))                        \
	X(CPU, "CPU", 4, 5, RIGHT, 1, FIXED, cpu_cell(f->cpu))                                               \
	X(GC, "GC", 5, 5, RIGHT, 0, FIXED, cell_value(UNIT_SHARE, f->all.gc_share))                          \
	X(HISTORY, "", 8, 16, LEFT, 8, FIXED,                                                                \
	    cell_text(p->gc_count > 0 ? " " : "") /* covered by the plot */)                                 \
	X(FINDING, "finding", 18, 22, LEFT, 2, NAMES, finding_cell(p))                                       \
	X(MINORS, "minor", 7, 8, RIGHT, 12, FIXED, cell_value(UNIT_RATE, f->all.minors))                     \
	X(MAJORS, "major", 7, 8, RIGHT, 13, FIXED, cell_value(UNIT_RATE, f->all.majors))                     \
	X(P99, "p99", 6, 7, RIGHT, 4, FIXED, cell_value(UNIT_NS, f->all.pause_p99))                          \
	X(MAX, "max", 6, 7, RIGHT, 7, FIXED, cell_value(UNIT_NS, f->all.pause_max))                          \
	X(ALLOC, "alloc", 8, 9, RIGHT, 9, FIXED, cell_value(UNIT_BYTE_RATE, f->all.allocated))               \
	X(PROMOTED, "promoted", 8, 9, RIGHT, 14, FIXED, cell_value(UNIT_BYTE_RATE, f->all.promoted))         \
	X(HEAP, "heap", 6, 7, RIGHT, 3, FIXED, cell_value(UNIT_BYTES, f->all.heap_bytes))                    \
	X(GROWTH, "growth", 8, 11, RIGHT, 4, FIXED, growth_cell(f))                                          \
	X(RESIDENT, "resident", 8, 8, RIGHT, 5, FIXED, cell_value(UNIT_BYTES, f->resident_bytes))            \
	X(LOST, "lost", 4, 6, RIGHT, 6, FIXED,                                                               \
	    cell_styled(cell_value(UNIT_COUNT, f->lost_words), f->lost_words > 0 ? STYLE_LOST : STYLE_TEXT)) \
	X(FIBERS, "fibers", 6, 7, RIGHT, 16, FIXED, cell_value(UNIT_COUNT, f->fibers))                       \
	X(LOOP, "loop", 6, 7, RIGHT, 17, FIXED, cell_value(UNIT_NS, f->all.loop_p99))                        \
	X(USER, "user", 6, 10, LEFT, 15, FIXED, cell_text(p->user))

#define AT_REST 0.03 /* cores below which processes are not ordered */

TABLE_LIST(PROCESS_COLUMNS, columns, COLUMNS);

/* `families`: children stand below their parent; order and depth of the lines are valid during a drawing or a key. */
struct families {
	bool families;
	uint16_t order[VIEW_FAMILIES];
	uint8_t depths[VIEW_FAMILIES];
};

VIEW_OWN(families, families, OVERVIEW)

/* Return the listed parent of a process. */
static int parent_of(const struct subject *s, int process)
{
	for (int i = 0; i < (int)s->process_count && i < VIEW_FAMILIES; i++)
		if (s->processes[i].pid == s->processes[process].parent && i != process &&
		    !s->processes[i].ended)
			return i;
	return -1;
}

/* State while the tree is built. */
struct arranging {
	int16_t parents[VIEW_FAMILIES];
	int count; /* number of processes */
	int done;
};

/* Place the processes below `parent`, each followed by its descendants. */
static void arrange_below(struct families *own, struct arranging *a, int parent, int depth)
{
	for (int i = 0; i < a->count; i++) {
		if (a->parents[i] != parent)
			continue;
		a->parents[i] = VIEW_FAMILIES; /* it has been placed */
		own->depths[a->done] = (uint8_t)depth;
		own->order[a->done++] = (uint16_t)i;
		if (depth < DEPTH_MAX)
			arrange_below(own, a, i, depth + 1);
	}
}

/* Arrange the processes as a tree.  Processes beyond VIEW_FAMILIES follow in their given order, and so does a
 * process that seems to be its own ancestor because a pid was reused. */
static void arrange(struct ui *ui, const struct subject *s)
{
	struct families *own = families_own(ui);
	struct arranging a = {
	    .count = s->process_count < VIEW_FAMILIES ? (int)s->process_count : VIEW_FAMILIES};

	for (int i = 0; i < a.count; i++)
		a.parents[i] = (int16_t)parent_of(s, i);
	arrange_below(own, &a, -1, 0);
	for (int i = 0; i < a.count; i++)
		if (a.parents[i] != VIEW_FAMILIES) {
			own->depths[a.done] = 0;
			own->order[a.done++] = (uint16_t)i;
		}
}

/* Return the process of an item. */
static int process_of(const struct ui *ui, int item)
{
	return families_own(ui)->families && item < VIEW_FAMILIES ? families_own(ui)->order[item] : item;
}

static int items(struct ui *ui, const struct subject *s)
{
	return (int)s->process_count;
}

/* Identify a process by its pid, so that the selection follows it. */
static int64_t identity(struct ui *ui, const struct subject *s, int item)
{
	return s->processes[process_of(ui, item)].pid;
}

/* Return the displayed name of a process: its command line if others have its name. */
static const char *name_of(const struct subject_process *p)
{
	bool command = p->alike && p->command != NULL && p->command[0] != '\0';

	return command ? p->command : p->name != NULL ? p->name : "";
}

/* Values that look equal keep their order, and processes at rest, which take turns of a few ms. */
static struct tabular_cell cpu_cell(double cores)
{
	return cell_keyed(cell_value(UNIT_CORES, cores), cores < AT_REST ? 0 : round(100 * cores));
}

/* Growth since an old report is not known: the age of the report is shown instead. */
static struct tabular_cell growth_cell(const struct window_figures *f)
{
	return isnan(f->heap_growth) && f->heap_age > (double)MODEL_LEVEL_OLD_NS
		   ? cell_figure(format_ago((uint64_t)f->heap_age, 0), NAN)
		   : cell_value(UNIT_GROWTH, f->heap_growth);
}

static struct tabular_cell state_cell(const struct subject *s, const struct subject_process *p)
{
	char clock[SUBJECT_CLOCK];

	return p->ended && p->ended_ts != 0 && subject_clock(s, p->ended_ts, 0, clock)
		   ? cell_said("%s %s", p->state, clock)
		   : cell_text(p->state);
}

static struct tabular_cell finding_cell(const struct subject_process *p)
{
	return p->finding == NULL ? cell_empty()
				  : cell_styled(cell_said("%c %s", p->serious ? '!' : '-', p->finding),
					p->serious ? STYLE_LOST : STYLE_WARN);
}

static struct tabular_cell cell_of(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct subject_process *p = &s->processes[process_of(ui, item)];
	const struct window_figures *f = &p->figures;
	int depth = families_own(ui)->families && item < VIEW_FAMILIES ? families_own(ui)->depths[item] : 0;

	TABLE_RETURN(PROCESS_COLUMNS);
}

/* A process without events is muted, except for its findings. */
static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct subject_process *p = &s->processes[process_of(ui, item)];
	const struct tabular_cell cell = cell_of(ui, s, item, column);

	return (!p->live || p->ended) && cell.style == STYLE_TEXT ? cell_styled(cell, STYLE_MUTED) : cell;
}

/* Shorten a command line in its middle, after its directory if arguments follow, since both ends distinguish
 * processes.  The state of an ended process is shortened to the time. */
static void fit(struct ui *ui, const struct subject *s, int item, int column, enum glyph_level level,
    int cols, struct tabular_cell *out)
{
	const struct subject_process *p = &s->processes[process_of(ui, item)];
	char whole[TABULAR_TEXT];

	if (column == COLUMN_STATE && p->ended) {
		subject_clock(s, p->ended_ts, 0, out->text);
	} else if (column == COLUMN_NAME && p->alike) {
		memcpy(whole, out->text, sizeof(whole));
		char *from = whole + strspn(whole, " "), *first_end = from + strcspn(from, " "), *slash;
		char ended = *first_end;
		*first_end = '\0';
		slash = strrchr(from, '/');
		*first_end = ended;
		if (ended != '\0' && slash != NULL)
			memmove(from, slash + 1, strlen(slash));
		text_elide(level, whole, cols, out->text, sizeof(out->text));
	}
}

/* Return the scale of the plots: the largest GC share of any process in the last steps, at least a
 * hundredth. */
static double scale_of(const struct subject *s)
{
	float largest = 0.01f;

	for (size_t i = 0; i < s->process_count; i++)
		for (unsigned k = 0; k < s->processes[i].gc_count; k++)
			if (s->processes[i].gc_history[k] > largest)
				largest = s->processes[i].gc_history[k];
	return (double)largest;
}

/* Draw the GC shares of the last steps. */
static void plot(struct ui *ui, const struct subject *s, int item, struct canvas *canvas, struct rect place)
{
	const struct subject_process *p = &s->processes[process_of(ui, item)];
	enum { MOST = 64 };
	double values[MOST];
	unsigned count = p->gc_count < MOST ? p->gc_count : MOST;

	if (place.cols <= 0)
		return;
	for (unsigned i = 0; i < count; i++)
		values[i] = (double)p->gc_history[p->gc_count - count + i];
	plot_spark(canvas, place.row, place.col, place.cols, values, (int)count, 0, scale_of(s), STYLE_SPARK);
}

static const struct tabular table = {TABULAR_COLUMNS(columns), .sort = COLUMN_CPU, .settled = true,
    .empty = "no OCaml 5 process is running", .items = items, .cell = cell, .fit = fit, .identity = identity,
    .plot = plot, .plot_column = COLUMN_HISTORY};

/* Return the table in use.  The tree is not sorted: sorting ends it. */
static struct tabular table_of(const struct ui *ui)
{
	struct tabular t = table;

	if (families_own(ui)->families)
		t.sort = -1;
	return t;
}

/* Add a value if it is known. */
static void sum(double *all, double value)
{
	if (!isnan(value))
		*all = isnan(*all) ? value : *all + value;
}

void view_overview_total(const struct subject *s, struct canvas *canvas, struct rect line)
{
	double cpu = NAN, allocated = NAN, resident = NAN, lost = NAN;
	int live = 0, ended = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		const struct subject_process *p = &s->processes[i];
		ended += p->ended;
		if (p->ended)
			continue;
		live += p->live;
		sum(&cpu, p->figures.cpu);
		sum(&allocated, p->figures.all.allocated);
		sum(&resident, p->figures.resident_bytes);
		sum(&lost, p->figures.lost_words);
	}
	struct line_item items[] = {line_said("processes", 0, "%d", (int)s->process_count - ended),
	    line_said("observed", 2, "%d", live), line_figure("CPU", format_figure(UNIT_CORES, cpu), 1),
	    line_figure("alloc", format_figure(UNIT_BYTE_RATE, allocated), 3),
	    line_figure("lost", format_figure(UNIT_COUNT, lost), 1),
	    line_figure("resident", format_figure(UNIT_BYTES, resident), 4)};

	for (int i = 0; i < 6; i++) {
		items[i].label_style = STYLE_MUTED;
		items[i].value_style = i == 4 && lost > 0 ? STYLE_LOST : STYLE_TEXT;
	}
	line_draw(canvas, line, 2, items, 6);
}

/* Show the headline of the selected process, or how to get its events. */
static void draw_remedy(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect line)
{
	int item = tabular_selected(ui);
	char text[HEADLINE_TEXT + 32];

	if (item < 0 || (size_t)item >= s->process_count)
		return;
	const struct subject_process *p = &s->processes[process_of(ui, item)];
	const char *say = p->remedy != NULL && p->finding == NULL ? p->remedy : p->headline;
	if (say == NULL || p->ended)
		return;
	snprintf(text, sizeof(text), "%lld: %s", (long long)p->pid, say);
	canvas_put_fit(canvas, line, ALIGN_LEFT,
	    p->remedy != NULL || p->finding != NULL ? p->serious ? STYLE_BAD : STYLE_WARN : STYLE_TEXT, text);
}

/* Draw what to do where no process is running, below the text of an empty table. */
static void draw_advice(const struct ui *ui, struct canvas *canvas, struct rect area)
{
	static const struct {
		const char *command, *does;
	} ways[] = {
	    {"OCAML_RUNTIME_EVENTS_START=1 ./program",
		"start an OCaml 5 program with its events on: it appears here"},
	    {"rtevtop -- ./program ARG...", "start one and follow it"},
	    {"rtevtop --demo", "a made-up program, to look around"},
	};
	enum { COMMAND_COLS = 42 };
	char text[160];

	rect_cut_top(&area, 3);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		bool beside = area.cols >= COMMAND_COLS + (int)strlen(ways[i].does);
		struct rect line = rect_cut_top(&area, beside ? 1 : 2);
		if (line.rows < (beside ? 1 : 2))
			return;
		canvas_put_fit(canvas, line, ALIGN_LEFT, STYLE_TEXT, ways[i].command);
		struct rect does = beside ? rect_margins(line, COMMAND_COLS, 0)
					  : rect_make(line.row + 1, line.col + 2, 1, line.cols - 2);
		canvas_put_fit(canvas, does, ALIGN_LEFT, STYLE_MUTED, ways[i].does);
	}
	rect_cut_top(&area, 1);
	if (ui->hidden == 0 || area.rows < 1)
		return;
	snprintf(text, sizeof(text),
	    "%u process%s of other users could not be looked into: run rtevtop as root", ui->hidden,
	    ui->hidden == 1 ? "" : "es");
	canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_WARN, text);
}

static void draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	struct tabular shown = table_of(ui);
	struct table_column titled[COLUMNS];
	bool any = subject->process_count != 0;
	struct rect remedy = rect_cut_bottom(&body, any && body.rows > 3 ? 1 : 0);
	char scale[32];

	/* All plots have one scale, which their title shows. */
	memcpy(titled, columns, sizeof(titled));
	snprintf(scale, sizeof(scale), "max %s", format_percent(scale_of(subject)).s);
	titled[COLUMN_HISTORY].title = scale;
	for (size_t i = 0; i < subject->process_count; i++)
		if (subject->processes[i].alike && body.cols >= COMMANDS_FROM)
			titled[COLUMN_NAME].least = titled[COLUMN_NAME].wish;
	shown.columns = titled;
	arrange(ui, subject);
	tabular_draw(ui, subject, &shown, canvas, body);
	if (remedy.rows > 0)
		draw_remedy(ui, subject, canvas, remedy);
	if (!any)
		draw_advice(ui, canvas, body);
}

/* Open the selected process on Enter. */
static unsigned act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	if (action == ACTION_FAMILIES) {
		families_own(ui)->families = !families_own(ui)->families;
		ui_place(ui)->sort = -1;
		return UI_DIRTY;
	}
	arrange(ui, subject);
	if ((action >= ACTION_SORT_LEFT && action <= ACTION_SORT_TIME) || ui->menu.picked > 0)
		families_own(ui)->families = false;
	const struct tabular shown = table_of(ui);
	if (action != ACTION_OPEN)
		return tabular_act(ui, subject, &shown, action);
	int item = tabular_item(ui, subject, &shown);
	if (item < 0)
		return UI_NOTHING;
	ui->chosen = subject->processes[process_of(ui, item)].pid;
	ui_ask(ui, ACTION_OPEN);
	return UI_DIRTY;
}

const struct view_ops view_overview = {
    .table = &table, .size = sizeof(struct families), .draw = draw, .act = act};
