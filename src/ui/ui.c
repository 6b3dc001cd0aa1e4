/* ui.c - create, destroy and draw a ui: header, body, footer, help. */
#include "ui/ui.h"

#include "print/number.h"
#include "ui/layout.h"
#include "ui/recent.h"
#include "ui/views/sites_state.h"
#include "ui/views/tabular.h"

#define TIMES_FROM 14 /* body height from which on a line shows the times of its figures */

const struct view_ops *view_ops_of(enum ui_view view)
{
	static const struct view_ops *const views[VIEW_COUNT] = {
#define OPS(name, ops, title) &view_##ops,
	    UI_VIEWS(OPS)
#undef OPS
	};
	return views[view];
}

/* Whether a view has something to show. */
bool view_there(const struct subject *subject, enum ui_view view)
{
	switch (view) {
	case VIEW_OVERVIEW:
		return subject->processes != NULL || (subject->watch == NULL && subject->trace == NULL);
	case VIEW_SITES:
		return subject->trace != NULL;
	case VIEW_FIBERS:
		return subject->watch != NULL && subject->fibers != NULL;
	case VIEW_CODE:
		return subject->watch != NULL && subject->code != NULL;
	case VIEW_FINDINGS:
		return subject->watch != NULL && subject->advice != NULL;
	default:
		return subject->watch != NULL;
	}
}

struct view_place *ui_place(struct ui *ui)
{
	return &ui->places[ui->view];
}

struct subject ui_adopt(struct ui *ui, const struct subject *subject)
{
	/* Without a target there is only the trace or the process list. */
	if (!view_there(subject, ui->view))
		ui_show(ui, subject->watch != NULL   ? VIEW_PANES
			    : subject->trace != NULL ? VIEW_SITES
						     : VIEW_OVERVIEW);
	struct subject shown = ui->frozen ? snapshot_subject(ui->snapshot, subject) : *subject;
	press_adapt(ui, &shown);
	shown.now = subject_time(&shown);
	return shown;
}

/* Return the table that an option sorts while a view is shown: the view's own for the overview or a trace,
 * else that of the domains. */
static const struct tabular *sorted_of(enum ui_view view)
{
	return view_ops_of(view == VIEW_SITES || view == VIEW_OVERVIEW ? view : VIEW_DOMAINS)->table;
}

/* Sort the sites, or the domains and the overview, by a column if they have it. */
static void sort_first(struct ui *ui, const struct ui_options *options)
{
	struct view_place *overview = &ui->places[VIEW_OVERVIEW];
	const struct tabular *processes = sorted_of(VIEW_OVERVIEW);

	if (options->view == VIEW_SITES) {
		ui->places[VIEW_SITES].sort = tabular_named(sorted_of(VIEW_SITES), options->sort);
		return;
	}
	ui->places[VIEW_DOMAINS].sort = tabular_named(sorted_of(VIEW_DOMAINS), options->sort);
	overview->sort = tabular_named(processes, options->sort);
	if (overview->sort >= 0)
		overview->ascending = tabular_upwards(processes, overview->sort);
}

/* Make what each view owns; false when memory ran out. */
static bool own_all(struct ui *ui)
{
	for (int v = 0; v < VIEW_COUNT; v++) {
		const struct view_ops *ops = view_ops_of((enum ui_view)v);
		ui->own[v] = ops->size > 0 ? calloc(1, ops->size) : NULL;
		if (ui->own[v] == NULL && ops->size > 0)
			return false;
		if (ops->init != NULL)
			ops->init(ui->own[v]);
	}
	return true;
}

struct ui *ui_create(const struct ui_options *options)
{
	struct ui *ui = calloc(1, sizeof(*ui));

	if (ui == NULL)
		return NULL;
	ui->view = options->view;
	ui->window = options->window_ns != 0 ? options->window_ns : FLAME_WINDOW_DEFAULT;
	ui->timeline = options->timeline;
	ui->wall_scale = options->wall_scale;
	ui->log_scale = options->log_scale;
	ui->graph = options->graph;
	if (options->offers != NULL)
		memcpy(ui->offers, options->offers, sizeof(ui->offers));
	ui->hidden = options->hidden;
	ui->named = options->named;
	ui->chosen_domain = -1;
	ui->picture = canvas_create(0, 0);
	ui->flame = flame_create();
	if (ui->picture == NULL || ui->flame == NULL || !own_all(ui)) {
		ui_destroy(ui);
		return NULL;
	}
	for (int v = 0; v < VIEW_COUNT; v++) {
		ui->places[v].sort = ui->places[v].item = -1;
		/* The site filter has its own syntax. */
		if (options->filter == NULL || (v == VIEW_SITES) != (options->view == VIEW_SITES))
			continue;
		strlcpy(ui->places[v].filter, options->filter, sizeof(ui->places[v].filter));
		if (v != VIEW_SITES && v != VIEW_OVERVIEW)
			ui->places[v].initial = FILTER_UNTRIED;
	}
	if (options->filter != NULL)
		strlcpy(ui->filter, options->filter, sizeof(ui->filter));
	if (options->sort != NULL)
		sort_first(ui, options);
	press_register(ui);
	return ui;
}

void ui_destroy(struct ui *ui)
{
	if (ui == NULL)
		return;
	for (int i = 0; i < VIEW_TIMELINES; i++)
		timeline_destroy(ui->timelines[i]);
	flame_destroy(ui->flame);
	for (int v = 0; v < VIEW_COUNT; v++) {
		const struct view_ops *ops = view_ops_of((enum ui_view)v);
		if (ui->own[v] != NULL && ops->fini != NULL)
			ops->fini(ui->own[v]);
		free(ui->own[v]);
	}
	figures_forget(&ui->figures);
	snapshot_destroy(ui->snapshot);
	canvas_destroy(ui->picture);
	free(ui);
}

bool ui_sort_known(enum ui_view view, const char *name)
{
	return tabular_named(sorted_of(view), name) >= 0 ||
	       (view == VIEW_OVERVIEW && tabular_named(sorted_of(VIEW_DOMAINS), name) >= 0);
}

const char *ui_sort_name(enum ui_view view, int column)
{
	const struct tabular *table = sorted_of(view);

	return column >= 0 && column < table->column_count ? table->columns[column].title : NULL;
}

void ui_show(struct ui *ui, enum ui_view view)
{
	ui_thaw(ui);
	ui_go_to(ui, view);
}

enum ui_view ui_shows(const struct ui *ui)
{
	return ui->view;
}

void ui_renew(struct ui *ui)
{
	ui_show(ui, ui->view);
}

char *ui_copied(const struct ui *ui, const struct canvas *canvas)
{
	return ui->copied[0] != '\0' ? strdup(ui->copied) : canvas_dump_area(canvas, ui->copied_area);
}

bool ui_frozen(const struct ui *ui)
{
	return ui->frozen;
}

const char *ui_typed(const struct ui *ui)
{
	return ui->text;
}

int64_t ui_chosen(const struct ui *ui)
{
	return ui->chosen;
}

bool ui_cursor(const struct ui *ui, int *row, int *col)
{
	*row = ui->cursor_row;
	*col = ui->cursor_col;
	return ui->input != 0;
}

void ui_settings(const struct ui *ui, struct ui_options *out)
{
	const struct view_place *domains = &ui->places[VIEW_DOMAINS];

	*out = (struct ui_options){.view = ui->view,
	    .window_ns = ui->window,
	    .timeline = ui->timeline,
	    .wall_scale = ui->wall_scale,
	    .log_scale = ui->log_scale,
	    .graph = ui->graph,
	    .sort = ui_sort_name(VIEW_DOMAINS, domains->sort),
	    .filter = domains->initial == FILTER_DROPPED ? ui->filter : domains->filter,
	    .offers = ui->offers};
}

/* Draw the line in which a text is entered. */
static void draw_input(struct ui *ui, struct canvas *canvas, struct rect line)
{
	const char *label = ui->input == '/'   ? "/"
			    : ui->input == 'J' ? "jump to +S, -S, S or H:M:S: "
			    : ui->input == 'g' ? "go to 30s ago, 5m ago, or H:M:S: "
					       : "\\";

	canvas_fill(canvas, line, STYLE_TEXT, 0);
	int col = canvas_put(canvas, line.row, line.col, STYLE_KEY, label);
	ui->cursor_row = line.row;
	ui->cursor_col = canvas_put(canvas, line.row, col, STYLE_INPUT, ui->text);
	const char *hint = ui->no_use && ui->input == '/'		 ? "nothing to search in this view"
			   : ui->no_use					 ? "nothing to filter in this view"
			   : ui->view == VIEW_PANES && ui->input == '/'	 ? "domain, phase, user event"
			   : ui->view == VIEW_SITES && ui->input == '\\' ? UI_FILTER_SITES
									 : "";
	int at = line.col + line.cols - canvas_text_width(canvas, hint);
	if (at > ui->cursor_col + 2)
		canvas_put(canvas, line.row, at, STYLE_HINT, hint);
}

/* Say above a table to what time its figures refer, since the header's refer to another. */
static struct rect draw_times(
    const struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	char text[96];

	if (((1u << ui->view) & UI_SINCE) == 0 || subject->watch == NULL || body.rows < TIMES_FROM)
		return body;
	snprintf(text, sizeof(text), "%s%s%s", recent_since_words(subject).s,
	    ((1u << ui->view) & UI_RATES) != 0 ? "; rates of the last " : "",
	    ((1u << ui->view) & UI_RATES) != 0 ? format_age(RECENT_RATE_NS / 1000000000).s : "");
	struct rect line = rect_cut_top(&body, 1);
	canvas_put_fit(canvas, line, ALIGN_LEFT, STYLE_MUTED, text);
	return body;
}

/* Say at the right of the tabs, if there is room, what the views are about. */
static void draw_off(
    struct canvas *canvas, struct rect line, const struct action_set *actions, enum ui_view view)
{
	static const char text[] = "no events: counters only";
	struct tab tabs[VIEW_COUNT];
	int count = rect_empty(line) ? 0 : tabs_lay_out(actions, view, line.cols, tabs);
	int at = line.cols - (int)sizeof(text) + 1;

	if (count > 0 && tabs[count - 1].col + tabs[count - 1].cols + 2 < at)
		canvas_put(canvas, line.row, line.col + at, STYLE_PAUSED, text);
}

void view_draw_eventless(struct canvas *canvas, struct rect body)
{
	canvas_put_fit(canvas, rect_make(body.row + body.rows / 2, body.col, 1, body.cols), ALIGN_CENTRE,
	    STYLE_MUTED,
	    body.cols < 90
		? "needs events: OCAML_RUNTIME_EVENTS_START=1, or Runtime_events.start ()"
		: "this needs events: start the program with OCAML_RUNTIME_EVENTS_START=1, or have "
		  "it call Runtime_events.start ()");
}

/* Draw the body; while frozen, reuse the last picture if nothing can have changed. */
static void draw_body(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	const struct view_ops *ops = view_ops_of(ui->view);
	/* A trace may still be loading another part. */
	bool kept = ui->frozen && !ui->changed && ui->view != VIEW_SITES &&
		    canvas_rows(ui->picture) == canvas_rows(canvas) &&
		    canvas_cols(ui->picture) == canvas_cols(canvas);

	if (kept) {
		canvas_copy(canvas, ui->picture);
		ui->spot_count = ui->body_spots;
		return;
	}
	ui->spot_count = 0;
	ui->body = body;
	struct rect old = canvas_clip(canvas, body);
	if (((1u << ui->view) & UI_EVENTS) != 0 && subject_eventless(subject))
		view_draw_eventless(canvas, body);
	else
		ops->draw(ui, subject, canvas, draw_times(ui, subject, canvas, body));
	ui->arrived = false;
	canvas_unclip(canvas, old);
	ui->body_spots = ui->spot_count;
	if (ui->frozen && canvas_copy(ui->picture, canvas))
		ui->changed = false;
}

/* Return the note at the right of the footer, in order of precedence: why the last key shows nothing, a
 * notice, a failed search, the filter.  The sites view shows its filter above the table. */
static const char *footer_note(struct ui *ui, const struct subject *subject, char *buf, size_t size)
{
	if (ui->why != NULL || ui->told)
		return ui->why != NULL ? ui->why : ui->said;
	if (ui->mark.on) {
		snprintf(buf, size, "%s marked: Enter opens it, Esc drops it",
		    format_duration(ui->mark.to - ui->mark.from).s);
		return buf;
	}
	if (subject->notice == NULL && ui->no_snapshot)
		return "not frozen: there is no memory for a copy of what is known";
	if (subject->notice == NULL && ui->missed) {
		snprintf(buf, size, "no match for %s", ui_place(ui)->search);
		return buf;
	}
	if (subject->notice != NULL || (action_info(ACTION_FILTER)->views >> ui->view & 1) == 0 ||
	    ui_place(ui)->filter[0] == '\0')
		return subject->notice;
	snprintf(buf, size, "filter %s", ui_place(ui)->filter);
	return buf;
}

/* Record the places of the tabs. */
static void note_tabs(struct ui *ui, struct rect line)
{
	struct tab tabs[VIEW_COUNT];
	int count = rect_empty(line) ? 0 : tabs_lay_out(&ui->actions, ui->view, line.cols, tabs);

	for (int i = 0; i < count; i++)
		ui_spot(ui, (struct spot){.kind = SPOT_TAB,
				.area = rect_make(line.row, line.col + tabs[i].col, 1, tabs[i].cols),
				.value = (int)tabs[i].view});
}

void ui_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas)
{
	/* All views use the frame of the panes view, so that header and footer do not move. */
	static const struct layout_request frame = {.keep = -1, .zoomed = -1};
	struct layout_request request = frame;
	struct layout layout;
	char note[VIEW_TEXT_MAX + 16];
	const struct subject shown = ui_adopt(ui, subject);
	const struct action_set *actions = &ui->actions;

	ui->timelines_drawn = 0;
	canvas_set_graph(canvas, ui->graph);
	ui->braille = canvas_level(canvas) == GLYPHS_BLOCKS;
	canvas_clear(canvas);
	request.rows = canvas_rows(canvas);
	request.cols = canvas_cols(canvas);
	request.tabs = ui->tabs;
	layout_solve(&request, &layout);
	if (layout.too_small) {
		ui->spot_count = 0;
		canvas_put(canvas, 0, 0, STYLE_TEXT, "rtevtop: too small");
		return;
	}
	draw_body(ui, &shown, canvas, layout.body);
	/* Only columns that were drawn can be sorted by. */
	press_adapt(ui, &shown);
	ui_mark_draw(ui, canvas);
	if (ui->menu.on)
		menu_draw(ui, canvas, layout.body);
	canvas_fill(canvas, layout.header, STYLE_TEXT, 0);
	canvas_fill(canvas, layout.footer, STYLE_TEXT, 0);
	canvas_fill(canvas, layout.tabs, STYLE_TEXT, 0);
	header_draw(ui, &shown, canvas, layout.header);
	note_tabs(ui, layout.tabs);
	tabs_draw(canvas, layout.tabs, actions, ui->view);
	if (shown.off)
		draw_off(canvas, layout.tabs, actions, ui->view);
	if (ui->input != 0)
		draw_input(ui, canvas, layout.footer);
	else
		help_footer(ui, canvas, layout.footer, actions, ui->view,
		    footer_note(ui, subject, note, sizeof(note)));
	if (ui->help != HELP_OFF) {
		int last = help_lines(actions, ui->view, ui->help) - help_rows(canvas_bounds(canvas));
		if (ui->help_first > last)
			ui->help_first = last > 0 ? last : 0;
		help_overlay(canvas, canvas_bounds(canvas), actions, ui->view, ui->help, ui->help_first);
	}
}

void ui_follow(struct ui *ui, uint64_t now, uint64_t max_events)
{
	if (ui->frozen)
		return;
	for (unsigned i = 0; i < VIEW_TIMELINES; i++)
		if ((ui->timelines_drawn >> i & 1) != 0 && ui->timelines[i] != NULL)
			timeline_follow(ui->timelines[i], now, max_events);
}
