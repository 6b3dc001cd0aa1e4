/* press.c - the effects of keys on a ui. */

#include "ui/views/tabular.h"
#include "canvas/text.h"

void ui_ask(struct ui *ui, enum ui_action action)
{
	if (ui->queued < UI_ASKED_MAX)
		ui->queue[ui->queued++] = action;
}

enum ui_action ui_asked(struct ui *ui)
{
	if (ui->queued == 0)
		return ACTION_NONE;
	enum ui_action first = ui->queue[0];
	ui->queued--;
	memmove(ui->queue, ui->queue + 1, (size_t)ui->queued * sizeof(ui->queue[0]));
	return first;
}

/* Quit or suspend the program, or send the whole screen. */
static unsigned do_leave(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	return action == ACTION_QUIT ? UI_QUIT : action == ACTION_SUSPEND ? UI_SUSPEND : UI_REDRAW;
}

/* Show the help, then its legend, then neither. */
static unsigned do_help(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	ui->help = ui->help == HELP_OFF ? HELP_KEYS : ui->help == HELP_KEYS ? HELP_LEGEND : HELP_OFF;
	ui->help_first = 0;
	return UI_DIRTY;
}

/* Forget the cached timelines, which belong to another history. */
static void forget_timelines(struct ui *ui)
{
	for (int i = 0; i < VIEW_TIMELINES; i++)
		if (ui->timelines[i] != NULL)
			timeline_forget(ui->timelines[i]);
}

bool ui_freeze(struct ui *ui, const struct subject *subject)
{
	ui->snapshot = snapshot_create(subject);
	ui->no_snapshot = ui->snapshot == NULL;
	if (ui->no_snapshot)
		return false;
	ui->frozen = ui->changed = true;
	forget_timelines(ui);
	const struct subject shown = snapshot_subject(ui->snapshot, subject);
	ui->frozen_range = (struct frozen_range){.end = shown.now};
	if (shown.watch != NULL)
		moment_begin(ui, &shown, ui->window);
	return true;
}

void ui_thaw(struct ui *ui)
{
	ui->frozen = ui->frozen_range.opened = false;
	figures_forget(&ui->figures);
	snapshot_destroy(ui->snapshot);
	ui->snapshot = NULL;
	forget_timelines(ui);
}

/* Freeze or unfreeze the picture. */
static unsigned do_freeze(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	if (ui->frozen)
		ui_thaw(ui);
	else
		ui_freeze(ui, subject);
	return UI_DIRTY | UI_RELAYOUT;
}

unsigned ui_go_to(struct ui *ui, enum ui_view view)
{
	ui->view = view;
	ui->changed = ui->arrived = true;
	ui->mark.on = ui->menu.on = false;
	/* The spots that were drawn belong to another view. */
	ui->spot_count = 0;
	return UI_DIRTY | UI_RELAYOUT;
}

unsigned ui_toggle(bool *choice)
{
	*choice = !*choice;
	return UI_DIRTY;
}

static unsigned do_view(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	return ui_go_to(ui, (enum ui_view)(VIEW_PANES + (int)(action - ACTION_VIEW_PANES)));
}

/* Show the next or the previous view. */
static unsigned do_next_view(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	int view = (int)ui->view, step = action == ACTION_NEXT_VIEW ? 1 : VIEW_OVERVIEW - 1;

	do
		view = (view + step) % VIEW_OVERVIEW;
	while (!view_there(subject, (enum ui_view)view));
	return ui_go_to(ui, (enum ui_view)view);
}

static unsigned do_log_scale(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	return ui_toggle(&ui->log_scale);
}

/* Change the form of graphs. */
static unsigned do_graph(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	if (!ui->braille) {
		ui->why = "this terminal does not show braille";
		return UI_NOTHING;
	}
	ui->graph = ui->graph == GRAPH_BRAILLE ? GRAPH_BLOCKS : GRAPH_BRAILLE;
	return UI_DIRTY;
}

/* Pass the action to the app. */
static unsigned do_ask(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	ui_ask(ui, action);
	return UI_DIRTY;
}

/* Make the window longer or shorter. */
static unsigned do_window(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	uint64_t window = flame_window_next(ui->window, action == ACTION_LONGER ? 1 : -1);
	if (window == ui->window)
		return UI_NOTHING;
	ui->window = window;
	return UI_DIRTY;
}

/* Pass an action to the view. */
static unsigned do_by_view(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	const struct view_ops *ops = view_ops_of(ui->view);
	unsigned reactions = ops->act != NULL	  ? ops->act(ui, subject, action)
			     : ops->table != NULL ? tabular_act(ui, subject, ops->table, action)
						  : UI_NOTHING;

	/* If the view has nothing to go back from, leave the frozen screen, then the target. */
	if (action != ACTION_BACK || reactions != UI_NOTHING)
		return reactions;
	if (ui->frozen)
		ui_thaw(ui);
	else if (ui->view == VIEW_OVERVIEW || subject->processes == NULL)
		return UI_NOTHING;
	else
		ui_show(ui, VIEW_OVERVIEW);
	return UI_DIRTY | UI_RELAYOUT;
}

/* Go to the next match during a search, else to the next event of a frozen screen; or back. */
static unsigned do_event(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	bool next = action == ACTION_EVENT_NEXT;

	if (ui_place(ui)->search[0] != '\0')
		return do_by_view(ui, subject, next ? ACTION_SEARCH_NEXT : ACTION_SEARCH_BACK);
	return moment_event(ui, subject, next ? 1 : -1);
}

/* Whether an action of the view that is shown does something now. */
static bool is_there(const struct ui *ui, const struct subject *subject, enum ui_action action)
{
	const struct view_ops *ops = view_ops_of(ui->view);

	return ops->there == NULL || ops->there(ui, subject, action);
}

/* Store what to copy, and queue the action for the app: what the view has selected, or the visible page. */
static unsigned do_copy(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	ui->copied[0] = '\0';
	ui->copied_area = ui->body;
	if (is_there(ui, subject, action))
		do_by_view(ui, subject, action);
	ui_ask(ui, ACTION_COPY);
	return UI_DIRTY;
}

/* Begin to enter a text to search for, to filter by, or to jump to. */
static unsigned do_input(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	ui->input = action == ACTION_SEARCH  ? '/'
		    : action == ACTION_JUMP  ? 'J'
		    : action == ACTION_GO_TO ? 'g'
					     : '\\';
	ui->no_use = false;
	strlcpy(ui->text, ui->input == '\\' ? ui_place(ui)->filter : "", sizeof(ui->text));
	return UI_DIRTY;
}

/* The handlers of actions; they return enum ui_reaction bits. */
static unsigned (*const handlers[ACTION_COUNT])(
    struct ui *ui, const struct subject *subject, enum ui_action action) = {
#define HANDLER(name, handler, ...) do_##handler,
    UI_ACTIONS(HANDLER)
#undef HANDLER
};

/* Actions of the app are available only if the app offers them. */
void press_register(struct ui *ui)
{
	for (int a = 0; a < ACTION_COUNT; a++) {
		bool apps = handlers[a] == do_ask || a == ACTION_COPY || a == ACTION_JUMP;
		ui->actions.there[a] = !apps || ui->offers[a];
	}
}

/* Make the views and actions available that the subject has data for. */
void press_adapt(struct ui *ui, const struct subject *subject)
{
	bool *there = ui->actions.there;
	int shown = 0;

	ui->actions.mode = ui->frozen ? MODE_FROZEN : subject->replay != NULL ? MODE_REPLAY : MODE_LIVE;
	for (int v = VIEW_PANES; v < VIEW_OVERVIEW; v++)
		shown += view_there(subject, (enum ui_view)v);
	for (int v = VIEW_PANES; v < VIEW_OVERVIEW; v++)
		there[ACTION_VIEW_PANES + (v - VIEW_PANES)] =
		    shown > 1 && view_there(subject, (enum ui_view)v);
	ui->tabs = shown > 1 && ui->view != VIEW_OVERVIEW;
	there[ACTION_EVENT_NEXT] = there[ACTION_EVENT_BACK] =
	    subject->watch != NULL || ui_place(ui)->search[0] != '\0';
	there[ACTION_GO_TO] = subject->watch != NULL;
	there[ACTION_NEXT_VIEW] = there[ACTION_PREVIOUS_VIEW] = shown > 1;
	for (int a = 0; a < ACTION_COUNT; a++)
		if (handlers[a] == do_by_view || handlers[a] == do_log_scale)
			there[a] = is_there(ui, subject, (enum ui_action)a);
	const struct tabular *table = view_ops_of(ui->view)->table;
	for (int a = ACTION_SORT_CPU; a <= ACTION_SORT_TIME; a++)
		there[a] = there[a] && table != NULL &&
			   tabular_column_of(table, ui_place(ui), (enum ui_action)a) >= 0;
	there[ACTION_RECORD] = subject->watch != NULL && ui->offers[ACTION_RECORD];
	there[ACTION_CODE] = subject->watch != NULL && ui->offers[ACTION_CODE];
}

/* Handle a key while the help is shown.  The key of a view shows it, with its help. */
static unsigned press_help(struct ui *ui, const struct subject *subject, ui_key key)
{
	enum ui_action action = action_of_key(&ui->actions, key, ui->view);

	if (action >= ACTION_VIEW_PANES && action <= ACTION_PREVIOUS_VIEW) {
		ui->help_first = 0;
		return handlers[action](ui, subject, action);
	}
	/* The log accepts all keys that move. */
	action = action_of_key(&ui->actions, key, VIEW_LOG);
	switch (action) {
	case ACTION_DOWN:
		ui->help_first++;
		break;
	case ACTION_UP:
		ui->help_first -= ui->help_first > 0;
		break;
	case ACTION_PAGE_DOWN:
		ui->help_first += 10;
		break;
	case ACTION_PAGE_UP:
		ui->help_first = ui->help_first > 10 ? ui->help_first - 10 : 0;
		break;
	case ACTION_HOME:
		ui->help_first = 0;
		break;
	case ACTION_END:
		ui->help_first = help_lines(&ui->actions, ui->view, ui->help);
		break;
	case ACTION_HELP:
	case ACTION_REDRAW:
	case ACTION_SUSPEND:
		return handlers[action](ui, subject, action);
	default:
		ui->help = key >= '0' && key <= '9' ? ui->help : HELP_OFF;
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

/* Remove the last word of a text and the blanks behind it, as terminals do. */
static void text_chop_word(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] == ' ')
		len--;
	while (len > 0 && text[len - 1] != ' ')
		len--;
	text[len] = '\0';
}

/* Handle a key while a text is entered.  The text takes effect with each key. */
static unsigned press_input(struct ui *ui, const struct subject *subject, ui_key key)
{
	struct view_place *place = ui_place(ui);
	const ui_key begun = ui->input;
	bool search = begun == '/', jump = begun == 'J';
	size_t len = strlen(ui->text);
	char bytes[4];

	if (key == UI_KEY_ENTER || key == UI_KEY_ESCAPE) {
		if (key == UI_KEY_ESCAPE)
			ui->text[0] = '\0';
		ui->input = 0;
	} else if (key == UI_KEY_BACKSPACE || key == UI_KEY_DELETE) {
		text_chop(ui->text);
	} else if (key == UI_CTRL('U')) {
		ui->text[0] = '\0';
	} else if (key == UI_CTRL('W')) {
		text_chop_word(ui->text);
	} else if (key >= 0x20 && key < 0x110000) {
		size_t n = text_encode(key, bytes);
		if (len + n < sizeof(ui->text)) {
			memcpy(ui->text + len, bytes, n);
			ui->text[len + n] = '\0';
		}
	} else {
		return UI_NOTHING;
	}
	if (ui->no_use)
		return UI_DIRTY;
	if (jump || begun == 'g') {
		if (key != UI_KEY_ENTER || ui->text[0] == '\0')
			return UI_DIRTY;
		if (!jump)
			return moment_go_to(ui, subject, ui->text);
		ui_ask(ui, ACTION_JUMP);
		return UI_DIRTY;
	}
	memcpy(search ? place->search : place->filter, ui->text, sizeof(ui->text));
	if (!search)
		place->initial = FILTER_OWN;
	if (search && ui->input == 0)
		do_by_view(ui, subject, ACTION_SEARCH_NEXT);
	return UI_DIRTY;
}

/* Return why the key of a view does not show it. */
static const char *why_no_view(const struct ui *ui, const struct subject *subject, enum ui_action action)
{
	if (VIEW_PANES + (int)(action - ACTION_VIEW_PANES) == (int)ui->view)
		return "this view is shown already";
	return ui->view == VIEW_OVERVIEW      ? "choose a process first"
	       : action == ACTION_VIEW_FIBERS ? "no scheduler of fibers has written events: Eio's does"
	       : action == ACTION_VIEW_CODE   ? subject->code_refused != NULL
						    ? subject->code_refused
						    : "the program's code is not sampled: C begins"
	       : action == ACTION_VIEW_SITES  ? "no memtrace file: --memtrace FILE shows one here"
	       : subject->watch != NULL	      ? "nothing is judged here"
					      : "a memtrace file alone has this view only";
}

/* Return why an action that the view generally has is unavailable. */
static const char *why_not_there(const struct ui *ui, enum ui_action action)
{
	unsigned modes = action_info(action)->modes;

	if (action_is_replay(action) && !ui->offers[action])
		return "no replay: this key leads through a recording";
	if ((modes >> ui->actions.mode & 1) == 0)
		return ui->frozen ? "not while frozen: Space lets it go on"
				  : "only while frozen: p freezes the picture";
	return action_info(action)->absent;
}

/* Name the views that have an action. */
static const char *where_it_is(struct ui *ui, enum ui_action action, ui_key key)
{
	const char *sep = " is only of: ";

	strlcpy(ui->said, ui_key_name(key).s, sizeof(ui->said));
	for (int v = 0; v < VIEW_COUNT; v++) {
		if ((action_info(action)->views >> v & 1) == 0)
			continue;
		strlcat(ui->said, sep, sizeof(ui->said));
		strlcat(ui->said, view_title((enum ui_view)v), sizeof(ui->said));
		sep = ", ";
	}
	return ui->said;
}

/* Say why a key has no action here. */
static const char *why_absent(struct ui *ui, const struct subject *subject, ui_key key)
{
	enum ui_action other = ACTION_NONE;

	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_info *info = action_info((enum ui_action)a);
		if (key != info->keys[0] && key != info->keys[1] && key != info->keys[2])
			continue;
		if (a >= ACTION_VIEW_PANES && a < ACTION_NEXT_VIEW)
			return why_no_view(ui, subject, (enum ui_action)a);
		if ((info->views >> ui->view & 1) != 0)
			return why_not_there(ui, (enum ui_action)a);
		if (other == ACTION_NONE || (action_info(other)->modes >> ui->actions.mode & 1) == 0)
			other = (enum ui_action)a;
	}
	if (other == ACTION_NONE)
		return NULL;
	if (ui->view != VIEW_OVERVIEW && other >= ACTION_UP && other <= ACTION_END)
		return "nothing to move here";
	if (other == ACTION_OPEN || (other >= ACTION_SORT_LEFT && other <= ACTION_REVERSE))
		return action_info(other)->absent;
	return ui->view == VIEW_OVERVIEW ? "choose a process first" : where_it_is(ui, other, key);
}

/* Handle a key without an action here, and say why.  A key that begins a text still takes the text, so that
 * its characters are not run as keys. */
static unsigned press_unoffered(struct ui *ui, const struct subject *subject, ui_key key)
{
	if (key == '/' || key == '\\') {
		ui->input = key;
		ui->no_use = true;
		ui->text[0] = '\0';
		return UI_DIRTY;
	}
	ui->why = why_absent(ui, subject, key);
	if (ui->why == NULL)
		ui->why = "this key has no use here: ? lists those that have";
	return UI_DIRTY;
}

void ui_open_pane(struct ui *ui, unsigned domain)
{
	ui->chosen_domain = (int)domain;
	ui->zoomed = true;
	ui->frozen_range.opened = false;
	ui_go_to(ui, VIEW_PANES);
}

unsigned press_key(struct ui *ui, const struct subject *shown, ui_key key)
{
	if (ui->help != HELP_OFF)
		return press_help(ui, shown, key);
	if (ui->menu.on)
		return menu_press(ui, shown, key);
	enum ui_action action = action_of_key(&ui->actions, key, ui->view);
	if (action == ACTION_NONE)
		return UI_NOTHING;
	if (ui->mark.on && action == ACTION_OPEN)
		return ui_mark_open(ui, shown);
	if (ui->mark.on && action == ACTION_BACK) {
		ui->mark.on = false;
		return UI_DIRTY;
	}
	return handlers[action](ui, shown, action);
}

unsigned ui_press(struct ui *ui, const struct subject *subject, ui_key key)
{
	const struct subject shown = ui_adopt(ui, subject);
	/* The message about the last key ends with this one. */
	unsigned reactions =
	    ui->missed || ui->no_snapshot || ui->told || ui->why != NULL ? UI_DIRTY : UI_NOTHING;

	ui->missed = ui->no_snapshot = ui->told = false;
	ui->why = NULL;
	ui->changed = true;
	if (ui->input != 0)
		return reactions | press_input(ui, &shown, key);
	enum ui_action action = action_of_key(&ui->actions, key, ui->view);
	bool above = ui->help != HELP_OFF || ui->menu.on; /* they take all keys */
	if (action == ACTION_NONE && !above)
		return reactions | press_unoffered(ui, &shown, key);
	unsigned did = press_key(ui, &shown, key);
	if (above)
		return reactions | did;
	if (did == UI_NOTHING && ui->why == NULL)
		ui->why = action_info(action)->nothing;
	return reactions | did | (ui->why != NULL ? UI_DIRTY : UI_NOTHING);
}
