/*
 * ui.c - what keys do to the screen, and drawing it: header, body, footer, help.
 */
#include "ui/ui.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/format.h"
#include "ui/help.h"
#include "ui/layout.h"
#include "ui/measure.h"
#include "ui/sites_state.h"
#include "ui/text.h"
#include "ui/view.h"

static const struct view_ops absent;

static const struct view_ops *const views[VIEW_COUNT] = {
    [VIEW_PANES] = &view_panes,
    [VIEW_DOMAINS] = &view_domains,
    [VIEW_PHASES] = &view_phases,
    [VIEW_USER] = &view_user,
    [VIEW_PAUSES] = &view_pauses,
    [VIEW_STW] = &view_stw,
    [VIEW_MEMORY] = &view_memory,
    [VIEW_LOG] = &view_log,
    [VIEW_SITES] = &view_sites,
    [VIEW_CHOOSE] = &view_choose,
};

/* The ops of a view; those of a view that is not there do nothing. */
static const struct view_ops *ops_of(enum ui_view view)
{
	return (unsigned)view < VIEW_COUNT && views[view] != NULL ? views[view] : &absent;
}

/* Whether there is something for a view to show. */
static bool view_there(const struct subject *subject, enum ui_view view)
{
	if (ops_of(view)->draw == NULL)
		return false;
	return view == VIEW_CHOOSE  ? subject->watch == NULL && subject->trace == NULL
	       : view == VIEW_SITES ? subject->trace != NULL
				    : subject->watch != NULL;
}

/* Ask the app for something. */
void ui_ask(struct ui *ui, enum ui_request request)
{
	if (ui->queued < UI_REQUESTS_MAX)
		ui->queue[ui->queued++] = request;
}

/* Hand out the next thing that the app is asked to do. */
enum ui_request ui_request(struct ui *ui)
{
	if (ui->queued == 0)
		return UI_REQUEST_NONE;
	enum ui_request first = ui->queue[0];
	ui->queued--;
	memmove(ui->queue, ui->queue + 1, (size_t)ui->queued * sizeof(ui->queue[0]));
	return first;
}

/* Return where the user is in the view that is shown. */
struct view_place *ui_place(struct ui *ui)
{
	return &ui->places[ui->view];
}

/* What the handlers are called with. */
struct press {
	struct ui *ui;
	const struct subject *subject;
};

/* Quit. */
static unsigned do_quit(void *ctx, enum ui_action action)
{
	(void)ctx, (void)action;
	return UI_QUIT;
}

/* Suspend. */
static unsigned do_suspend(void *ctx, enum ui_action action)
{
	(void)ctx, (void)action;
	return UI_SUSPEND;
}

/* Redraw all. */
static unsigned do_redraw(void *ctx, enum ui_action action)
{
	(void)ctx, (void)action;
	return UI_REDRAW;
}

/* Show or hide the help. */
static unsigned do_help(void *ctx, enum ui_action action)
{
	struct ui *ui = ((struct press *)ctx)->ui;

	(void)action;
	ui->help = !ui->help;
	ui->help_first = 0;
	return UI_DIRTY;
}

/* Freeze the picture. */
void ui_freeze(struct ui *ui, const struct subject *subject)
{
	ui->frozen = ui->frozen_new = true;
	if (subject->watch != NULL)
		moment_begin(ui, subject, ui->window);
}

/* Let the picture go on. */
void ui_thaw(struct ui *ui, const struct subject *subject)
{
	ui->frozen = false;
	if (subject->watch != NULL)
		history_unpin(watch_history(subject->watch));
}

/* Freeze the picture, or let it go on. */
static unsigned do_freeze(void *ctx, enum ui_action action)
{
	const struct press *press = ctx;
	struct ui *ui = press->ui;

	(void)action;
	if (ui->frozen)
		ui_thaw(ui, press->subject);
	else
		ui_freeze(ui, press->subject);
	return UI_DIRTY | UI_RELAYOUT;
}

/* Show another view. */
unsigned ui_go_to(struct ui *ui, enum ui_view view)
{
	ui->view = view;
	/* What was frozen was another picture: this one is kept from its first drawing on. */
	ui->frozen_new = ui->frozen;
	return UI_DIRTY | UI_RELAYOUT;
}

/* Show a view by its number. */
static unsigned do_view(void *ctx, enum ui_action action)
{
	return ui_go_to(
	    ((struct press *)ctx)->ui, (enum ui_view)(VIEW_PANES + (int)(action - ACTION_VIEW_PANES)));
}

/* Show the view after this one, or before it. */
static unsigned do_next_view(void *ctx, enum ui_action action)
{
	const struct press *press = ctx;
	struct ui *ui = press->ui;
	int view = (int)ui->view, step = action == ACTION_NEXT_VIEW ? 1 : VIEW_CHOOSE - 1;

	do
		view = (view + step) % VIEW_CHOOSE;
	while (!view_there(press->subject, (enum ui_view)view));
	return ui_go_to(ui, (enum ui_view)view);
}

/* What only the app can do, and what it is asked then. */
static const struct {
	enum ui_action action;
	enum ui_request request;
} asks[] = {
    {ACTION_FASTER, UI_REQUEST_FASTER},
    {ACTION_SLOWER, UI_REQUEST_SLOWER},
    {ACTION_RESET, UI_REQUEST_RESET},
    {ACTION_SAVE, UI_REQUEST_SAVE},
    {ACTION_WRITE, UI_REQUEST_WRITE},
    {ACTION_RECORD, UI_REQUEST_RECORD},
    {ACTION_PLAY, UI_REQUEST_PLAY},
    {ACTION_STEP, UI_REQUEST_STEP},
    {ACTION_STEP_BACK, UI_REQUEST_STEP_BACK},
    {ACTION_SPEED_DOWN, UI_REQUEST_SPEED_DOWN},
    {ACTION_SPEED_UP, UI_REQUEST_SPEED_UP},
    {ACTION_SKIP_BACK, UI_REQUEST_SKIP_BACK},
    {ACTION_SKIP, UI_REQUEST_SKIP},
    {ACTION_JUMP_START, UI_REQUEST_JUMP_START},
    {ACTION_JUMP_END, UI_REQUEST_JUMP_END},
};

/* Ask the app to do what the action stands for. */
static unsigned do_ask(void *ctx, enum ui_action action)
{
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		if (asks[i].action == action)
			ui_ask(((struct press *)ctx)->ui, asks[i].request);
	return UI_DIRTY;
}

/* Make the window longer or shorter. */
static unsigned do_window(void *ctx, enum ui_action action)
{
	const struct press *press = ctx;
	struct ui *ui = press->ui;

	if (ui->frozen) {
		unsigned reactions = moment_act(ui, press->subject, action);
		ui->frozen_new = ui->frozen_new || reactions != UI_NOTHING;
		return reactions;
	}
	uint64_t window = flame_window_next(ui->window, action == ACTION_LONGER ? 1 : -1);
	if (window == ui->window)
		return UI_NOTHING;
	ui->window = window;
	return UI_DIRTY;
}

/* Move, or let the view itself carry an action out. */
static unsigned do_view_action(void *ctx, enum ui_action action)
{
	struct press *press = ctx;
	const struct view_ops *ops = ops_of(press->ui->view);
	unsigned reactions = ops->act != NULL ? ops->act(press->ui, press->subject, action) : UI_NOTHING;

	/* A picture that is frozen must still follow the keys.  The history that the panes view then shows
	 * stays as it was; the lists of the other views move, search and sort in what the model knows by
	 * now. */
	if (reactions != UI_NOTHING)
		press->ui->frozen_new = press->ui->frozen;
	return reactions;
}

/* Begin to type what to search for, or what to filter by. */
static unsigned do_input(void *ctx, enum ui_action action)
{
	struct ui *ui = ((struct press *)ctx)->ui;

	if (!ops_of(ui->view)->searchable)
		return UI_NOTHING;
	ui->input = action == ACTION_SEARCH ? '/' : '\\';
	strlcpy(ui->text, action == ACTION_SEARCH ? "" : ui_place(ui)->filter, sizeof(ui->text));
	return UI_DIRTY;
}

/* Begin to type where to jump to. */
static unsigned do_jump(void *ctx, enum ui_action action)
{
	struct ui *ui = ((struct press *)ctx)->ui;

	(void)action;
	ui->input = 'T';
	ui->text[0] = '\0';
	return UI_DIRTY;
}

/* Register what there is. */
static void register_actions(struct ui *ui, unsigned requests)
{
	action_handler *h = ui->actions.handlers;
	static const enum ui_action by_view[] = {ACTION_SEARCH_NEXT, ACTION_SORT_LEFT, ACTION_SORT_RIGHT,
	    ACTION_REVERSE, ACTION_UP, ACTION_DOWN, ACTION_LEFT, ACTION_RIGHT, ACTION_PAGE_UP,
	    ACTION_PAGE_DOWN, ACTION_HOME, ACTION_END, ACTION_OPEN, ACTION_BACK, ACTION_TIMELINE,
	    ACTION_SCALE, ACTION_LOG_SCALE, ACTION_ZOOM, ACTION_TREE, ACTION_UNIT};

	h[ACTION_HELP] = do_help;
	h[ACTION_QUIT] = do_quit;
	h[ACTION_SUSPEND] = do_suspend;
	h[ACTION_REDRAW] = do_redraw;
	h[ACTION_FREEZE] = do_freeze;
	h[ACTION_SHORTER] = h[ACTION_LONGER] = do_window;
	h[ACTION_SEARCH] = h[ACTION_FILTER] = h[ACTION_FILTER_SITES] = do_input;
	for (size_t i = 0; i < sizeof(by_view) / sizeof(by_view[0]); i++)
		h[by_view[i]] = do_view_action;
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		if (requests & 1u << asks[i].request)
			h[asks[i].action] = do_ask;
	if (requests & 1u << UI_REQUEST_JUMP)
		h[ACTION_JUMP] = do_jump;
	if (requests & 1u << UI_REQUEST_MARK)
		h[ACTION_MARK] = do_view_action;
}

/* Register what depends on the subject: the views that it has something for, and what they have a use for. */
static void register_by_subject(struct ui *ui, const struct subject *subject)
{
	action_handler *h = ui->actions.handlers;
	bool rings = subject->watch != NULL;
	int shown = 0;

	for (int v = VIEW_PANES; v < VIEW_CHOOSE; v++)
		shown += view_there(subject, (enum ui_view)v);
	for (int v = VIEW_PANES; v < VIEW_CHOOSE; v++) {
		bool there = shown > 1 && view_there(subject, (enum ui_view)v);
		h[ACTION_VIEW_PANES + (v - VIEW_PANES)] = there ? do_view : NULL;
	}
	h[ACTION_NEXT_VIEW] = h[ACTION_PREVIOUS_VIEW] = shown > 1 ? do_next_view : NULL;
	bool tree = ui->view == VIEW_SITES && ui->sites->tree;
	h[ACTION_SORT_LEFT] = h[ACTION_SORT_RIGHT] = h[ACTION_REVERSE] = tree ? NULL : do_view_action;
	h[ACTION_LEFT] = h[ACTION_RIGHT] = ui->view == VIEW_SITES && !tree ? NULL : do_view_action;
	h[ACTION_INVERT] = h[ACTION_FLAME] = h[ACTION_WEIGHT] = tree ? do_view_action : NULL;
	h[ACTION_RECORD] = rings && (ui->requests & 1u << UI_REQUEST_RECORD) ? do_ask : NULL;
	/* What the frozen panes have no use for. */
	ui->moment_actions = ui->actions;
	ui->moment_actions.handlers[ACTION_SCALE] = ui->moment_actions.handlers[ACTION_LOG_SCALE] = NULL;
}

/* The actions there are now. */
static const struct action_set *actions_of(const struct ui *ui)
{
	return ui->frozen && ui->view == VIEW_PANES ? &ui->moment_actions : &ui->actions;
}

/* The subject as pictures of it are made, and the view that it allows. */
static struct subject adopt(struct ui *ui, const struct subject *subject)
{
	struct subject shown = *subject;

	/* Without a target there is only the trace, or the list of processes. */
	if (!view_there(subject, ui->view) && (ui->view != VIEW_CHOOSE || subject->watch == NULL))
		ui_show(ui, subject->watch != NULL   ? VIEW_PANES
			    : subject->trace != NULL ? VIEW_SITES
						     : VIEW_CHOOSE);
	register_by_subject(ui, subject);
	shown.now = subject_time(subject);
	measure_refresh(ui, &shown);
	return shown;
}

/* Create a ui. */
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
	ui->requests = options->requests;
	ui->picture = canvas_create(0, 0);
	ui->sites = sites_state_create();
	if (ui->picture == NULL || ui->sites == NULL) {
		ui_destroy(ui);
		return NULL;
	}
	for (int v = 0; v < VIEW_COUNT; v++) {
		ui->places[v].sort = ui->places[v].item = -1;
		/* A filter of sites is written in another way. */
		if (options->filter != NULL && (v == VIEW_SITES) == (options->view == VIEW_SITES))
			strlcpy(ui->places[v].filter, options->filter, sizeof(ui->places[v].filter));
	}
	if (options->sort != NULL && options->view == VIEW_SITES)
		ui->places[VIEW_SITES].sort = view_sites_column(options->sort);
	else if (options->sort != NULL)
		ui->places[VIEW_DOMAINS].sort = view_domains_column(options->sort);
	register_actions(ui, options->requests);
	return ui;
}

/* Free a ui. */
void ui_destroy(struct ui *ui)
{
	if (ui == NULL)
		return;
	for (int i = 0; i < VIEW_TIMELINES; i++)
		timeline_destroy(ui->timelines[i]);
	flame_past_destroy(ui->past);
	for (int i = 0; i < MODEL_DOMAINS_MAX; i++)
		free(ui->bars[i]);
	free(ui->own_pauses);
	sites_state_destroy(ui->sites);
	canvas_destroy(ui->picture);
	free(ui);
}

/* Tell whether a column has this name. */
bool ui_sort_known(enum ui_view view, const char *name)
{
	return (view == VIEW_SITES ? view_sites_column(name) : view_domains_column(name)) >= 0;
}

/* Show another view. */
void ui_show(struct ui *ui, enum ui_view view)
{
	/* Pictures of another target's history must not be gone on with. */
	for (int i = 0; i < VIEW_TIMELINES; i++)
		if (ui->timelines[i] != NULL)
			timeline_forget(ui->timelines[i]);
	ui->frozen = false;
	ui_go_to(ui, view);
}

/* Begin anew with another watch. */
void ui_renew(struct ui *ui)
{
	ui_show(ui, ui->view);
}

/* Return what was typed. */
const char *ui_typed(const struct ui *ui)
{
	return ui->text;
}

/* Return the pid chosen. */
int64_t ui_chosen(const struct ui *ui)
{
	return ui->chosen;
}

/* Tell whether the picture is frozen. */
bool ui_frozen(const struct ui *ui)
{
	return ui->frozen;
}

/* Tell where the cursor stands in a line of input. */
bool ui_cursor(const struct ui *ui, int *row, int *col)
{
	*row = ui->cursor_row;
	*col = ui->cursor_col;
	return ui->input != 0;
}

/* Give back what the user has chosen. */
void ui_settings(const struct ui *ui, struct ui_options *out)
{
	*out = (struct ui_options){.view = ui->view,
	    .window_ns = ui->window,
	    .timeline = ui->timeline,
	    .wall_scale = ui->wall_scale,
	    .log_scale = ui->log_scale,
	    .sort = view_domains_name(ui->places[VIEW_DOMAINS].sort),
	    .filter = ui->places[VIEW_DOMAINS].filter,
	    .requests = ui->requests};
}

/* Take a key while the help is shown. */
static unsigned press_help(struct ui *ui, ui_key key)
{
	switch (key) {
	case UI_KEY_DOWN:
	case 'j':
		ui->help_first++;
		break;
	case UI_KEY_UP:
	case 'k':
		ui->help_first -= ui->help_first > 0;
		break;
	case UI_KEY_PAGE_DOWN:
		ui->help_first += 10;
		break;
	case UI_KEY_PAGE_UP:
		ui->help_first = ui->help_first > 10 ? ui->help_first - 10 : 0;
		break;
	case UI_CTRL('L'):
		return UI_REDRAW;
	case UI_CTRL('Z'):
		return UI_SUSPEND;
	default:
		ui->help = false;
		break;
	}
	return UI_DIRTY;
}

/* Remove the last character of a text. */
static void text_chop(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	if (len > 0)
		len--;
	text[len] = '\0';
}

/* Take a key while a text is typed: what it has become holds at once. */
static unsigned press_input(struct ui *ui, const struct subject *subject, ui_key key)
{
	struct view_place *place = ui_place(ui);
	struct press press = {ui, subject};
	bool search = ui->input == '/', jump = ui->input == 'T';
	size_t len = strlen(ui->text);
	char bytes[4];

	if (key == UI_KEY_ENTER || key == UI_KEY_ESCAPE) {
		if (key == UI_KEY_ESCAPE)
			ui->text[0] = '\0';
		ui->input = 0;
	} else if (key == UI_KEY_BACKSPACE || key == UI_KEY_DELETE) {
		text_chop(ui->text);
	} else if (key >= 0x20 && key < 0x110000) {
		size_t n = text_encode(key, bytes);
		if (len + n < sizeof(ui->text)) {
			memcpy(ui->text + len, bytes, n);
			ui->text[len + n] = '\0';
		}
	} else {
		return UI_NOTHING;
	}
	if (jump) {
		if (key == UI_KEY_ENTER && ui->text[0] != '\0')
			ui_ask(ui, UI_REQUEST_JUMP);
		return UI_DIRTY;
	}
	memcpy(search ? place->search : place->filter, ui->text, sizeof(ui->text));
	if (search && ui->input == 0)
		do_view_action(&press, ACTION_SEARCH_NEXT);
	ui->frozen_new = ui->frozen;
	return UI_DIRTY;
}

/* Show one domain's pane alone. */
void ui_open_pane(struct ui *ui, const struct subject *subject, unsigned domain)
{
	int pane = view_panes_index(subject, domain);

	if (ui->frozen) {
		ui->moment.domain = domain;
		ui->moment.alone = true;
	} else if (pane < 0) {
		return;
	} else {
		ui->selected = pane;
		ui->zoomed = true;
	}
	ui_go_to(ui, VIEW_PANES);
}

/* Draw the line in which a text is typed. */
static void draw_input(struct ui *ui, struct canvas *canvas, struct rect line)
{
	const char *label = ui->input == '/' ? "/" : ui->input == 'T' ? "jump to +S, -S, S or H:M:S: " : "\\";

	canvas_fill(canvas, line, STYLE_TEXT, 0);
	int col = canvas_put(canvas, line.row, line.col, STYLE_KEY, label);
	ui->cursor_row = line.row;
	ui->cursor_col = canvas_put(canvas, line.row, col, STYLE_INPUT, ui->text);
	int hint = line.col + line.cols - canvas_text_width(canvas, UI_FILTER_SITES);
	if (ui->view == VIEW_SITES && ui->input == '\\' && hint > ui->cursor_col + 2)
		canvas_put(canvas, line.row, hint, STYLE_HINT, UI_FILTER_SITES);
}

/* Take a key. */
unsigned ui_press(struct ui *ui, const struct subject *subject, ui_key key)
{
	const struct subject shown = adopt(ui, subject);
	struct press press = {ui, &shown};

	if (ui->help)
		return press_help(ui, key);
	if (ui->input != 0)
		return press_input(ui, &shown, key);
	return action_press(actions_of(ui), key, ui->view, &press);
}

/* Draw the body, or the picture of it that was frozen. */
static void draw_body(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	const struct view_ops *ops = ops_of(ui->view);
	bool kept = canvas_rows(ui->picture) == canvas_rows(canvas) &&
		    canvas_cols(ui->picture) == canvas_cols(canvas);

	if (ui->frozen && !ui->frozen_new && kept) {
		canvas_copy(canvas, ui->picture);
		return;
	}
	struct rect old = canvas_clip(canvas, body);
	if (ops->draw != NULL)
		ops->draw(ui, subject, canvas, body);
	canvas_unclip(canvas, old);
	if (ui->frozen && canvas_copy(ui->picture, canvas))
		ui->frozen_new = false;
}

/* What stands at the right of the footer: a notice, else the filter, lest lines that it hides be missed.  The sites say
 * theirs above the table. */
static const char *footer_note(struct ui *ui, const struct subject *subject, char *buf, size_t size)
{
	if (subject->notice != NULL || !ops_of(ui->view)->searchable || ui->view == VIEW_SITES ||
	    ui_place(ui)->filter[0] == '\0')
		return subject->notice;
	snprintf(buf, size, "filter %s", ui_place(ui)->filter);
	return buf;
}

/* Draw everything. */
void ui_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas)
{
	/* The frame is that of the panes view, whatever the view, so that nothing moves between views. */
	static const struct layout_request frame = {.keep = -1, .zoomed = -1};
	struct layout_request request = frame;
	struct layout layout;
	char note[VIEW_TEXT_MAX + 8];
	const struct subject shown = adopt(ui, subject);
	const struct action_set *actions = actions_of(ui);

	canvas_clear(canvas);
	request.rows = canvas_rows(canvas);
	request.cols = canvas_cols(canvas);
	layout_solve(&request, &layout);
	if (layout.too_small) {
		canvas_put(canvas, 0, 0, STYLE_TEXT, "rtevtop: too small");
		return;
	}
	draw_body(ui, &shown, canvas, layout.body);
	canvas_fill(canvas, layout.header, STYLE_TEXT, 0);
	canvas_fill(canvas, layout.footer, STYLE_TEXT, 0);
	header_draw(ui, &shown, canvas, layout.header);
	if (ui->input != 0)
		draw_input(ui, canvas, layout.footer);
	else
		help_footer(
		    canvas, layout.footer, actions, ui->view, footer_note(ui, subject, note, sizeof(note)));
	if (ui->help) {
		int last = help_lines(actions, ui->view) - help_page(canvas_bounds(canvas));
		if (ui->help_first > last)
			ui->help_first = last > 0 ? last : 0;
		help_overlay(canvas, canvas_bounds(canvas), actions, ui->view, ui->help_first);
	}
}
