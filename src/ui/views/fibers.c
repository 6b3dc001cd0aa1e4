/*
 * fibers.c - view f: which fiber runs, which one blocks the loop, which one waits, for what.
 *
 * Above, the event loop of each domain.  Below, the fibers that are alive, grouped by path, operation and object.  Enter
 * opens a group, then a fiber; what is open stays so by its identity while others come and go.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/figures.h"
#include "print/number.h"
#include "ui/measure.h"
#include "ui/views/tabular.h"
#include "ui/widgets/line.h"

#define LABEL_COLUMNS 11
#define OBJECT_TEXT (FIBERS_TEXT + 48)
#define CONTEXTS_SHOWN 16u
#define NAMED_SHOWN 8u /* fibers that a line names */

/* A group: its fibers are neighbours in the list. */
struct fiber_place_group {
	size_t first, count;
	const struct fiber_group *path; /* what has come of its path; NULL: nothing */
};

/* ---- the lists of a drawing or a key ---- */

static void lists_drop(struct ui *ui)
{
	fiber_report_fini(&ui->fibers.report);
	free(ui->fibers.rows);
	free(ui->fibers.groups);
	ui->fibers.rows = NULL;
	ui->fibers.groups = NULL;
	ui->fibers.row_count = ui->fibers.group_count = 0;
}

/* A number that stays with a group: the FNV-1a hash of what its fibers have in common. */
static int64_t group_identity(struct ui *ui, const struct subject *s, int item)
{
	const struct fiber_row *row = &ui->fibers.rows[ui->fibers.groups[item].first];
	const struct fiber_text texts[] = {row->op, row->name};
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ row->path.node;

	(void)s;
	hash = (hash * 31 + (uint64_t)row->state) * 31 + (uint64_t)row->kind;
	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i <= texts[t].len; i++)
			hash = (hash ^ (i < texts[t].len ? (uint8_t)texts[t].text[i] : 0xffu)) *
			       UINT64_C(0x100000001b3);
	return (int64_t)(hash & INT64_MAX);
}

static int by_path(const void *left, const void *right)
{
	const struct fiber_group *a = left, *b = right;

	return fiber_path_order(a->path, b->path);
}

/* What has come of a path stands once: at the largest of its groups, which are neighbours. */
static void share_out(struct fibers_place *p)
{
	for (size_t i = 1, largest = 0; i < p->group_count; i++) {
		struct fiber_place_group *a = &p->groups[largest], *b = &p->groups[i];
		bool same = a->path != NULL && a->path == b->path;
		if (same && b->count <= a->count) {
			b->path = NULL;
			continue;
		}
		if (same)
			a->path = NULL;
		largest = i;
	}
}

/* Read the lists.  They are empty when memory ran out. */
static void lists_read(struct ui *ui, const struct subject *s)
{
	struct fibers_place *p = &ui->fibers;
	const uint64_t end = figure_end(watch_model(s->watch));

	p->rows = fibers_list(s->fibers, end, &p->row_count);
	p->groups = p->rows != NULL ? malloc((p->row_count + 1) * sizeof(*p->groups)) : NULL;
	if (p->groups == NULL || !fibers_report(s->fibers, end, &p->report)) {
		lists_drop(ui);
		return;
	}
	if (p->report.group_count > 0)
		qsort(p->report.groups, p->report.group_count, sizeof(*p->report.groups), by_path);
	p->run_ns = 0;
	for (size_t i = 0; i < p->report.group_count; i++)
		p->run_ns += p->report.groups[i].run_ns;
	for (size_t i = 0; i < p->row_count; i++) {
		const struct fiber_group wanted = {.path = p->rows[i].made_path};
		if (i == 0 || !fiber_rows_alike(&p->rows[i], &p->rows[i - 1]))
			p->groups[p->group_count++] = (struct fiber_place_group){.first = i,
			    .path = p->report.group_count == 0
					? NULL
					: bsearch(&wanted, p->report.groups, p->report.group_count,
					      sizeof(wanted), by_path)};
		p->groups[p->group_count - 1].count++;
	}
	share_out(p);
	for (p->open = 0; p->open < p->group_count && group_identity(ui, s, (int)p->open) != p->group;)
		p->open++;
}

/* ---- groups ---- */

#define GROUP_COLUMNS(X)                                                                                     \
	X(PATH, "path", 12, 36, LEFT, 0, NAMES)                                                              \
	X(FIBERS, "fibers", 6, 7, RIGHT, 0, FIXED)                                                           \
	X(DOES, "in", 8, 20, LEFT, 0, NAMES)                                                                 \
	X(OBJECT, "waits for", 9, 24, LEFT, 2, NAMES)                                                        \
	X(LONGEST, "longest", 7, 8, RIGHT, 0, FIXED)                                                         \
	X(RUNS, "runs", 6, 8, RIGHT, 5, FIXED)                                                               \
	X(SHARE, "of runs", 7, 7, RIGHT, 3, FIXED)                                                           \
	X(RUN, "run max", 7, 8, RIGHT, 1, FIXED)                                                             \
	X(SPAN, "span of it", 10, 16, LEFT, 6, NAMES)                                                        \
	X(GC, "GC in it", 8, 8, RIGHT, 4, FIXED)

enum { GROUP_COLUMNS(TABLE_ENUM) COLUMNS };
static const struct table_column columns[COLUMNS] = {GROUP_COLUMNS(TABLE_ROW)};

static void put_text(struct tabular_cell *out, struct fiber_text text)
{
	if (text.text != NULL)
		tabular_say(out, "%.*s", (int)text.len, text.text);
}

/* What a fiber does: the operation that it waits in, "runs", "ready". */
static void put_doing(struct tabular_cell *out, const struct fiber_row *row)
{
	if (row->state != FIBER_BLOCKED)
		tabular_say(out, "%s", row->state == FIBER_RUNNING ? "runs" : "ready");
	else
		put_text(out, row->op);
	out->style = row->state == FIBER_RUNNING ? STYLE_GOOD : STYLE_TEXT;
}

static int group_items(struct ui *ui, const struct subject *s)
{
	(void)s;
	return (int)ui->fibers.group_count;
}

/* Fill in the cells that tell of the runs of a path, since the attach or the last reset. */
static void put_runs(
    const struct ui *ui, const struct fiber_group *path, int column, struct tabular_cell *out)
{
	out->key = -INFINITY;
	if (path == NULL || path->runs == 0)
		return;
	switch (column) {
	case COLUMN_RUNS:
		tabular_put(out, format_count(path->runs), (double)path->runs);
		break;
	case COLUMN_SHARE:
		tabular_put(out, format_share(path->run_ns, ui->fibers.run_ns), (double)path->run_ns);
		break;
	case COLUMN_RUN:
		tabular_put(out, format_duration(path->run_max_ns), (double)path->run_max_ns);
		out->style = path->run_max_ns >= FIBERS_LATE_NS ? STYLE_WARN : STYLE_TEXT;
		break;
	case COLUMN_SPAN:
		out->key = NAN;
		put_text(out, path->run_max_span);
		break;
	default:
		tabular_put(out, format_duration(path->run_max_gc_ns), (double)path->run_max_gc_ns);
		break;
	}
}

static void put_path(struct tabular_cell *out, struct fiber_path path)
{
	char text[FIBER_PATH_SIZE];

	tabular_say(out, "%s", fiber_path_text(path, text, sizeof(text)));
}

static void group_cell(struct ui *ui, const struct subject *s, int item, int column, struct tabular_cell *out)
{
	const struct fiber_place_group *group = &ui->fibers.groups[item];
	const struct fiber_row *rows = &ui->fibers.rows[group->first];

	(void)s;
	switch (column) {
	case COLUMN_PATH:
		put_path(out, rows->path);
		break;
	case COLUMN_FIBERS:
		tabular_put(out, format_count(group->count), (double)group->count);
		break;
	case COLUMN_DOES:
		put_doing(out, rows);
		break;
	case COLUMN_OBJECT: {
		bool one = rows->wants;
		for (size_t i = 1; i < group->count; i++)
			one = one && rows[i].wants && rows[i].object == rows->object;
		if (rows->kind != FIBER_KIND_NONE)
			fiber_object_text(
			    rows->kind, one, rows->object, rows->name, out->text, sizeof(out->text));
		break;
	}
	case COLUMN_LONGEST:
		out->key = -INFINITY;
		if (rows->since_ns > 0)
			tabular_put(out, format_duration(rows->since_ns), (double)rows->since_ns);
		break;
	default:
		put_runs(ui, group->path, column, out);
		break;
	}
}

static const struct tabular groups = {.columns = columns,
    .column_count = COLUMNS,
    .sort = COLUMN_FIBERS,
    .item_name = "group",
    .empty = "no fiber is alive, as far as is known",
    .items = group_items,
    .cell = group_cell,
    .identity = group_identity};

/* ---- the fibers of a group ---- */

#define FIBER_COLUMNS(X)                                                                                     \
	X(ID, "fiber", 8, 10, RIGHT, 0, FIXED)                                                               \
	X(ON, "on", 4, 4, LEFT, 3, FIXED)                                                                    \
	X(DOING, "in", 8, 20, LEFT, 0, NAMES)                                                                \
	X(SINCE, "for", 7, 8, RIGHT, 0, FIXED)                                                               \
	X(WHAT, "waits for", 9, 28, LEFT, 1, NAMES)                                                          \
	X(HOLDER, "held by", 8, 10, RIGHT, 2, FIXED)                                                         \
	X(INSIDE, "span", 8, 20, LEFT, 4, NAMES)

enum { FIBER_COLUMNS(TABLE_ENUM) FIBER_COLUMN_COUNT };
static const struct table_column fiber_columns[FIBER_COLUMN_COUNT] = {FIBER_COLUMNS(TABLE_ROW)};

static int fiber_items(struct ui *ui, const struct subject *s)
{
	const struct fibers_place *p = &ui->fibers;
	size_t count = p->open < p->group_count ? p->groups[p->open].count : 0;

	(void)s;
	return (int)(count < TABULAR_ITEMS_MAX ? count : TABULAR_ITEMS_MAX);
}

static const struct fiber_row *fiber_of(const struct ui *ui, int item)
{
	return &ui->fibers.rows[ui->fibers.groups[ui->fibers.open].first + (size_t)item];
}

static int64_t fiber_identity(struct ui *ui, const struct subject *s, int item)
{
	(void)s;
	return (int64_t)(fiber_of(ui, item)->id & INT64_MAX);
}

static void fiber_cell(struct ui *ui, const struct subject *s, int item, int column, struct tabular_cell *out)
{
	const struct fiber_row *row = fiber_of(ui, item);

	(void)s;
	switch (column) {
	case COLUMN_ID:
		tabular_say(out, "%" PRIu64, row->id);
		out->key = (double)row->id;
		break;
	case COLUMN_ON:
		tabular_say(out, "D%u", row->domain);
		break;
	case COLUMN_DOING:
		put_doing(out, row);
		break;
	case COLUMN_SINCE:
		out->key = -INFINITY;
		if (row->since_ns > 0)
			tabular_put(out, format_duration(row->since_ns), (double)row->since_ns);
		break;
	case COLUMN_WHAT:
		if (row->kind != FIBER_KIND_NONE)
			fiber_object_text(
			    row->kind, row->wants, row->object, row->name, out->text, sizeof(out->text));
		break;
	case COLUMN_HOLDER:
		out->key = row->held ? (double)row->holder : (double)-INFINITY;
		if (row->held)
			tabular_say(out, "%" PRIu64, row->holder);
		break;
	default:
		put_text(out, row->span);
		break;
	}
}

static const struct tabular fibers_of_group = {.columns = fiber_columns,
    .column_count = FIBER_COLUMN_COUNT,
    .sort = -1,
    .item_name = "fiber",
    .empty = "none of them is left",
    .items = fiber_items,
    .cell = fiber_cell,
    .identity = fiber_identity};

/* ---- a fiber ---- */

static const struct fiber_row *row_of(const struct ui *ui, uint64_t id)
{
	for (size_t i = 0; i < ui->fibers.row_count; i++)
		if (ui->fibers.rows[i].id == id)
			return &ui->fibers.rows[i];
	return NULL;
}

/* Say where a fiber is: "fiber 12 on D0: blocked in sleep for 3.2s". */
static void where_text(const struct fiber_row *row, char *out, size_t size)
{
	struct tabular_cell doing = {.text = ""};

	put_doing(&doing, row);
	snprintf(out, size, "fiber %" PRIu64 " on D%u: %s%s%s%s", row->id, row->domain,
	    row->state == FIBER_BLOCKED ? "blocked in " : "", doing.text, row->since_ns > 0 ? " for " : "",
	    row->since_ns > 0 ? format_duration(row->since_ns).s : "");
}

/* Name the fibers that wait for the object of `row`, or (`holder`) for one that it has; "": there are none. */
static void queue_text(const struct ui *ui, const struct fiber_row *row, bool holder, char *out, size_t size)
{
	size_t count = 0, at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < ui->fibers.row_count; i++) {
		const struct fiber_row *other = &ui->fibers.rows[i];
		bool queued = holder ? other->held && other->holder == row->id
				     : row->wants && other->wants && other->object == row->object;
		if (other->state != FIBER_BLOCKED || other == row || !queued)
			continue;
		if (count++ < NAMED_SHOWN && at < size)
			at += (size_t)snprintf(
			    out + at, size - at, "%s%" PRIu64, at > 0 ? ", " : "", other->id);
	}
	if (count > NAMED_SHOWN && at < size)
		snprintf(out + at, size - at, " and %zu more", count - NAMED_SHOWN);
}

/* List the contexts of a fiber, the innermost first. */
static void contexts_text(const struct subject *s, uint64_t id, char *out, size_t size)
{
	static const char *const words[] = {[FIBER_CONTEXT_SWITCH] = "switch",
	    [FIBER_CONTEXT_PROTECT] = "protect",
	    [FIBER_CONTEXT_SUB] = "sub",
	    [FIBER_CONTEXT_ROOT] = "root",
	    [FIBER_CONTEXT_ANY] = "any"};
	struct fiber_context contexts[CONTEXTS_SHOWN];
	size_t count = fibers_contexts(s->fibers, id, contexts, CONTEXTS_SHOWN), at = 0;

	snprintf(out, size, "not known");
	for (size_t i = 0; i < count && at < size; i++) {
		const struct fiber_context *c = &contexts[i];
		at += (size_t)snprintf(out + at, size - at, "%s%s %" PRIu64 "%s%.*s%s", i > 0 ? " in " : "",
		    words[c->kind], c->id, c->name.text != NULL ? " " : "", (int)c->name.len,
		    c->name.text != NULL ? c->name.text : "", c->cancelled ? " (cancelled)" : "");
	}
	if (count == CONTEXTS_SHOWN && contexts[count - 1].kind != FIBER_CONTEXT_ROOT && at < size)
		snprintf(out + at, size - at, " in more");
}

/* Draw those of the longest runs that were a fiber's. */
static void draw_runs(
    const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect *body, uint64_t id)
{
	for (size_t i = 0; i < ui->fibers.report.longest_count; i++) {
		const struct fiber_run *run = &ui->fibers.report.longest[i];
		char text[FIBERS_TEXT + 128], clock[SUBJECT_CLOCK];
		if (run->fiber != id)
			continue;
		bool known = subject_clock(s, run->ts, 3, clock);
		snprintf(text, sizeof(text), "%s%s%s, %s of it GC%s%.*s", format_duration(run->duration).s,
		    known ? " at " : "", clock, format_duration(run->gc_ns).s,
		    run->span.text != NULL ? ", span " : "", (int)run->span.len,
		    run->span.text != NULL ? run->span.text : "");
		words_draw(canvas, body, "long run", LABEL_COLUMNS, STYLE_TEXT, text);
	}
}

static void draw_fiber(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	const struct fiber_row *row = row_of(ui, ui->fibers.fiber), *holder;
	char text[UI_COPY_MAX], path[FIBER_PATH_SIZE];

	if (row == NULL) {
		snprintf(text, sizeof(text), "fiber %" PRIu64 " has ended, or is not known any more",
		    ui->fibers.fiber);
		words_draw(canvas, &body, "", LABEL_COLUMNS, STYLE_TEXT, text);
		return;
	}
	where_text(row, text, sizeof(text));
	words_draw(canvas, &body, "", 0, STYLE_TITLE, text);
	if (row->wants) {
		fiber_object_text(row->kind, true, row->object, row->name, text, sizeof(text));
		words_draw(canvas, &body, "waits for", LABEL_COLUMNS, STYLE_TEXT, text);
	}
	holder = row->held ? row_of(ui, row->holder) : NULL;
	if (row->held && holder == NULL)
		snprintf(
		    text, sizeof(text), "fiber %" PRIu64 ", which has ended or is not known", row->holder);
	else if (holder != NULL)
		where_text(holder, text, sizeof(text));
	if (row->held)
		words_draw(canvas, &body, "held by", LABEL_COLUMNS, STYLE_WARN, text);
	queue_text(ui, row, false, text, sizeof(text));
	if (text[0] != '\0')
		words_draw(canvas, &body, "as do", LABEL_COLUMNS, STYLE_TEXT, text);
	queue_text(ui, row, true, text, sizeof(text));
	if (text[0] != '\0')
		words_draw(canvas, &body, "holds up", LABEL_COLUMNS, STYLE_WARN, text);
	words_draw(
	    canvas, &body, "path", LABEL_COLUMNS, STYLE_TEXT, fiber_path_text(row->path, path, sizeof(path)));
	contexts_text(s, row->id, text, sizeof(text));
	words_draw(canvas, &body, "contexts", LABEL_COLUMNS, STYLE_TEXT, text);
	snprintf(
	    text, sizeof(text), "%.*s", (int)row->span.len, row->span.text != NULL ? row->span.text : "");
	if (text[0] != '\0')
		words_draw(canvas, &body, "span", LABEL_COLUMNS, STYLE_TEXT, text);
	draw_runs(ui, s, canvas, &body, row->id);
}

/* ---- loops ---- */

/* Draw the line of a domain's loop. */
static void draw_loop(const struct ui *ui, unsigned domain, const struct fiber_loop *loop,
    struct canvas *canvas, struct rect line)
{
	const uint64_t seen_ns = loop->seen_ns + loop->lap_ns;
	const bool turned = loop->lengths->count > 0, laps = loop->lap_ns > 0,
		   rated = loop->counted && seen_ns >= 1000000000;
	uint64_t alive = 0, blocked = 0;
	char name[16];

	for (size_t i = 0; i < ui->fibers.row_count; i++)
		if (ui->fibers.rows[i].domain == domain) {
			alive++;
			blocked += ui->fibers.rows[i].state == FIBER_BLOCKED;
		}
	snprintf(name, sizeof(name), "D%u", domain);
	const struct formatted unknown = format_unknown();
	const struct formatted busy =
	    format_percent(figure_share((double)loop->busy_ns, (double)loop->seen_ns));
	const struct formatted rate =
	    rated ? format_rate(figure_rate((double)loop->turns, seen_ns)) : unknown;
	const struct formatted p50 = turned ? format_duration(loop->turn_p50) : unknown,
			       p99 = turned ? format_duration(loop->turn_p99) : unknown,
			       max = turned ? format_duration(loop->turn_max) : unknown;
	const struct formatted count = format_count(alive), waiting = format_count(blocked),
			       ready = format_count(alive - blocked);
	struct line_item items[] = {line_value(name, STYLE_TITLE, 0), line_labelled("loop busy", busy.s, 0),
	    line_labelled("turns", rate.s, 5), line_labelled("turn p50", p50.s, 4),
	    line_labelled("p99", p99.s, 1), line_labelled("max", max.s, 0),
	    line_labelled("fibers", count.s, 2), line_labelled("ready", ready.s, 6),
	    line_labelled("blocked", waiting.s, 3)};

	if (laps) {
		char paused[24], jobs[24];
		snprintf(paused, sizeof(paused), "%" PRId64, loop->paused);
		snprintf(jobs, sizeof(jobs), "%" PRId64, loop->jobs);
		const struct line_item lap_items[] = {items[0], line_labelled("laps", rate.s, 0),
		    line_labelled("paused", paused, 1), line_labelled("jobs", jobs, 1)};
		line_draw(canvas, line.row, line.col, line.cols, 2, lap_items, 4);
		return;
	}
	if (loop->turn_p99 >= FIBERS_LATE_NS)
		items[4].value_style = STYLE_WARN;
	if (loop->turn_max >= FIBERS_LATE_NS)
		items[5].value_style = STYLE_WARN;
	line_draw(canvas, line.row, line.col, line.cols, 2, items, sizeof(items) / sizeof(items[0]));
}

/* Draw the loops, on a third of the body at most. */
static void draw_loops(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect *body)
{
	const struct model *m = watch_model(s->watch);
	const int room = body->rows / 3;
	int drawn = 0;
	struct fiber_loop loop;

	for (unsigned i = 0; i < model_domains(m) && drawn < room; i++)
		if (figure_loop(s->fibers, m, i, &loop) && loop.seen_ns + loop.lap_ns > 0) {
			draw_loop(ui, i, &loop, canvas, rect_cut_top(body, 1));
			drawn++;
		}
	if (drawn > 0)
		rect_cut_top(body, 1);
}

static void draw_totals(const struct subject *s, struct canvas *canvas, struct rect line)
{
	struct fiber_totals t;

	fibers_totals(s->fibers, &t);
	const struct formatted alive = t.alive_known ? format_count(t.alive) : format_unknown(),
			       forgotten = format_count(t.forgotten);
	const bool told = (t.tells & FIBERS_TELL_FIBERS) != 0,
		   failures = (t.tells & FIBERS_TELL_CONTEXTS) != 0;
	const struct formatted created = told ? format_count(t.created) : format_unknown(),
			       ended = told ? format_count(t.finished) : format_unknown(),
			       errors = failures ? format_count(t.errors) : format_unknown();
	const struct line_item items[] = {line_labelled("fibers of", s->scheduler, 0),
	    line_labelled("alive", alive.s, 0), line_labelled("created", created.s, 2),
	    line_labelled("ended", ended.s, 3),
	    {.label = "errors",
		.value = errors.s,
		.label_style = STYLE_LABEL,
		.value_style = t.errors > 0 ? STYLE_BAD : STYLE_VALUE,
		.rank = 1},
	    line_labelled(
		t.forgotten > 0 ? "blocked too long to be kept" : "", t.forgotten > 0 ? forgotten.s : "", 4)};

	line_draw(canvas, line.row, line.col, line.cols, 3, items, t.forgotten > 0 ? 6 : 5);
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	lists_read(ui, s);
	draw_totals(s, canvas, rect_cut_top(&body, 1));
	switch (ui->fibers.level) {
	case FIBERS_GROUPS:
		draw_loops(ui, s, canvas, &body);
		tabular_draw(ui, s, &groups, canvas, body);
		break;
	case FIBERS_OF_GROUP:
		tabular_draw(ui, s, &fibers_of_group, canvas, body);
		break;
	case FIBERS_ONE:
		draw_fiber(ui, s, canvas, body);
		break;
	}
	lists_drop(ui);
}

/* ---- keys ---- */

/* Open the selected group. */
static unsigned open_selected_group(struct ui *ui, const struct subject *s)
{
	int item = tabular_item(ui, s, &groups);

	if (item < 0)
		return UI_NOTHING;
	ui->fibers.level = FIBERS_OF_GROUP;
	ui->fibers.group = group_identity(ui, s, item);
	ui->fibers.outer = *ui_place(ui);
	*ui_place(ui) = (struct view_place){.item = -1, .sort = -1};
	return UI_DIRTY;
}

static unsigned open_selected_fiber(struct ui *ui, const struct subject *s)
{
	int item = tabular_item(ui, s, &fibers_of_group);

	if (item < 0)
		return UI_NOTHING;
	ui->fibers.level = FIBERS_ONE;
	ui->fibers.fiber = fiber_of(ui, item)->id;
	return UI_DIRTY;
}

static unsigned act_on_lists(struct ui *ui, const struct subject *s, enum ui_action action)
{
	unsigned reactions;

	switch (ui->fibers.level) {
	case FIBERS_GROUPS:
		return action == ACTION_OPEN ? open_selected_group(ui, s)
					     : tabular_act(ui, s, &groups, action);
	case FIBERS_OF_GROUP:
		if (action == ACTION_OPEN)
			return open_selected_fiber(ui, s);
		reactions = tabular_act(ui, s, &fibers_of_group, action);
		if (action != ACTION_BACK || reactions != UI_NOTHING)
			return reactions;
		ui->fibers.level = FIBERS_GROUPS;
		*ui_place(ui) = ui->fibers.outer;
		return UI_DIRTY;
	case FIBERS_ONE:
		if (action != ACTION_BACK)
			return UI_NOTHING;
		ui->fibers.level = FIBERS_OF_GROUP;
		return UI_DIRTY;
	}
	return UI_NOTHING;
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	lists_read(ui, s);
	unsigned reactions = act_on_lists(ui, s, action);
	lists_drop(ui);
	return reactions;
}

const struct view_ops view_fibers = {.table = &groups, .draw = draw, .act = act};
