/*
 * log.c - view 8: the state of target and rings, a log of lifecycle events, losses and files of long
 * pauses, and a COMMAND's output.
 *
 * Files and notes are merged by time: `files` of its own state holds the item number of each file.  Without a filter
 * the view follows the newest line until the user moves away.
 */
#include "ui/state.h"
#include "ui/views/tabular.h"
#include "print/number.h"
#include "figures/figures.h"

bool traffic_draw(const struct subject *subject, struct canvas *canvas, struct rect line)
{
	char ring[80];
	const struct model_totals totals = model_totals(watch_model(subject->watch));

	if (totals.lost_words == 0)
		return false;
	const struct traffic t = traffic_read(watch_model(subject->watch), subject->ring_words);

	traffic_remedy(&t, ring, sizeof(ring));
	const struct line_item items[] = {
	    line_styled(line_said("", 0, "lost %s words", format_count(totals.lost_words).s), STYLE_LOST),
	    line_value(ring, STYLE_VALUE, 1),
	    line_labelled("most is", t.name[0] != '\0' ? t.name : "not known", 2),
	    line_figure("", format_share(t.words, t.all), 3)};
	line_draw(canvas, line, 2, items, 4);
	return true;
}

/* ---- the log ---- */

/* Least height that shows state and traffic above the log. */
#define SUMMARY_FROM 10

#define DETAIL_COLS 110 /* on a narrower screen, details that are cut are shown below the table */
#define DETAIL_ROWS 2	/* lines of the details below the table */
#define DETAIL_LEAST 8	/* least rows of the view for details below the table */
#define DETAIL_INDENT 3
#define DETAIL_FROM 52 /* columns before the details */

#define LOG_COLUMNS(X)                                                                                       \
	X(TIME, "before now", 10, 10, RIGHT, 1, FIXED,                                                       \
	    cell_styled(cell_text(ts != 0 ? cell_since(s, ts).text : ""), STYLE_MUTED))                      \
	X(CLOCK, "at", 8, 8, LEFT, 4, FIXED,                                                                 \
	    cell_styled(cell_text(ts != 0 && subject_clock(s, ts, 0, clock) ? clock : ""), STYLE_MUTED))     \
	X(DOMAIN, "domain", 6, 6, LEFT, 2, FIXED, cell_domain(file != NULL ? file->domain : note->domain))   \
	X(WHAT, "what", 10, 18, LEFT, 0, NAMES, file != NULL ? saved_cell(file) : what_cell(s, note))        \
	X(DETAIL, "", 10, 40, LEFT, 3, GROWS, file != NULL ? file_cell(file) : detail_cell(ui, s, note))

TABLE_LIST(LOG_COLUMNS, columns, COLUMNS);

#define FILES_MAX 4096 /* latest files of long pauses that are shown */

/* The items that are files, valid during a drawing. */
struct own {
	uint16_t files[FILES_MAX];
	size_t count, first;
};

/* Count the items and compute the item number of each file, which precedes the first later note. */
static int items(struct ui *ui, const struct subject *s)
{
	const struct model *m = watch_model(s->watch);
	struct own *own = ui->own[VIEW_LOG];
	size_t notes = model_notes(m), placed = 0;
	size_t files = s->file_count < FILES_MAX ? s->file_count : FILES_MAX;

	own->count = files;
	own->first = s->file_count - files;
	for (size_t i = 0; i <= notes; i++)
		while (placed < files &&
		       (i == notes || s->files[own->first + placed].ts < model_note(m, i)->ts)) {
			own->files[placed] = (uint16_t)(i + placed);
			placed++;
		}
	return (int)(notes + files);
}

/* An item: a file or a note. */
struct log_item {
	const struct subject_file *file;
	const struct model_note *note;
};

/* Return the file or the note of an item. */
static struct log_item item_at(const struct ui *ui, const struct subject *s, size_t item)
{
	const struct own *own = ui->own[VIEW_LOG];
	size_t low = 0, high = own->count;

	/* Count the files before an item. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (own->files[middle] < item)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < own->count && own->files[low] == item)
		return (struct log_item){.file = &s->files[own->first + low]};
	return (struct log_item){.note = model_note(watch_model(s->watch), item - low)};
}

/* Describe a file and its state. */
static struct tabular_cell file_cell(const struct subject_file *file)
{
	char name[RTEV_NAME_SIZE];

	return cell_said("%s %s: %s%s%s%s%s", format_duration(file->duration).s,
	    rtev_phase_name(file->phase, name), file->path, file->why != NULL ? "; " : "",
	    file->why != NULL ? file->why : "",
	    file->problem == NULL ? ""
	    : file->made	  ? "; cut short: "
				  : ": ",
	    file->problem != NULL ? file->problem : "");
}

/* Return whether the app can switch to a child process. */
static bool can_attach(const struct ui *ui)
{
	return ui->offers[ACTION_OPEN];
}

/* Describe a note. */
static struct tabular_cell what_cell(const struct subject *s, const struct model_note *note)
{
	char name[RTEV_NAME_SIZE];

	switch (note->kind) {
	case MODEL_NOTE_LIFECYCLE:
		return cell_text(rtev_lifecycle_name(note->event, name));
	case MODEL_NOTE_LOST:
		return note->words == note->history
			   ? cell_styled(cell_text("before we attached"), STYLE_MUTED)
			   : cell_styled(cell_text("lost"), STYLE_LOST);
	case MODEL_NOTE_CORRUPT:
		return cell_styled(cell_text("corrupt"), STYLE_BAD);
	case MODEL_NOTE_RESTART:
		return cell_styled(cell_text("ring begun anew"), STYLE_WARN);
	case MODEL_NOTE_ENDED:
		return cell_styled(cell_text(doing_ended(s)), STYLE_BAD);
	}
	return cell_empty();
}

/* Format how long the target had paused before a resume or its end. */
static struct tabular_cell pause_cell(const struct subject *s, const struct model_note *note)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(watch_model(s->watch), &count);

	for (const struct model_target_pause *p = pauses + count; p-- > pauses;) {
		if (p->to == note->ts)
			return cell_said(p->rule == MODEL_RULE_EVENT
					     ? "paused %s, since its ring_pause"
					     : "paused at most %s: since the last event",
			    format_duration(p->to - p->from).s);
	}
	return cell_empty();
}

/* Format the details of a lifecycle event. */
static struct tabular_cell lifecycle_cell(
    const struct ui *ui, const struct subject *s, const struct model_note *note)
{
	switch (note->event) {
	case RTEV_LIFECYCLE_FORK_PARENT:
		return cell_said(
		    "child %lld%s", (long long)note->data, can_attach(ui) ? ": Enter watches it" : "");
	case RTEV_LIFECYCLE_RING_START:
		return cell_said("pid %lld", (long long)note->data);
	case RTEV_LIFECYCLE_RING_PAUSE:
		return cell_text("it has paused its events");
	case RTEV_LIFECYCLE_RING_RESUME:
	case RTEV_LIFECYCLE_RING_STOP: /* written while the target pauses */
		return pause_cell(s, note);
	default:
		return cell_empty();
	}
}

/* Format the details of a note. */
static struct tabular_cell detail_cell(
    const struct ui *ui, const struct subject *s, const struct model_note *note)
{
	const uint64_t lost = note->words - note->history;
	struct tabular_cell end = cell_empty();

	switch (note->kind) {
	case MODEL_NOTE_LOST:
		return lost > 0 && note->history > 0
			   ? cell_said("%s words overwritten; %s before we attached", format_count(lost).s,
				 format_count(note->history).s)
			   : cell_said("%s words overwritten", format_count(note->words).s);
	case MODEL_NOTE_CORRUPT:
		return note->words == 0 ? cell_text("stamps go back")
					: cell_said("%s words skipped", format_count(note->words).s);
	case MODEL_NOTE_RESTART:
		return cell_text("the process runs another program, or began anew");
	case MODEL_NOTE_ENDED:
		doing_end_detail(s, note->data, end.text, sizeof(end.text));
		break;
	case MODEL_NOTE_LIFECYCLE:
		return lifecycle_cell(ui, s, note);
	}
	return end;
}

static struct tabular_cell saved_cell(const struct subject_file *file)
{
	return cell_styled(cell_text(file->made ? "pause saved" : "pause not saved"),
	    file->problem != NULL ? STYLE_BAD : STYLE_TEXT);
}

static struct tabular_cell cell_of(struct ui *ui, const struct subject *s, struct log_item what, int column)
{
	const struct model_note *note = what.note;
	const struct subject_file *file = what.file;
	const uint64_t ts = file != NULL ? file->ts : note->ts;
	char clock[SUBJECT_CLOCK];

	TABLE_RETURN(LOG_COLUMNS);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct log_item what = item_at(ui, s, (size_t)item);

	return what.note == NULL && what.file == NULL ? cell_empty()
						      : cell_keyed(cell_of(ui, s, what, column), item);
}

static const struct tabular notes = {TABULAR_COLUMNS(columns), .sort = -1, .ascending = true,
    .empty = "nothing has happened yet", .items = items, .cell = cell};

/* Draw the last lines of a COMMAND's output, from the bottom up. */
static void draw_output(const struct subject *s, struct canvas *canvas, struct rect area)
{
	const char *end = s->output + s->output_len;

	if (end > s->output && end[-1] == '\n')
		end--;
	for (int row = area.row + area.rows - 1; row >= area.row && end > s->output; row--) {
		const char *begin = end;
		while (begin > s->output && begin[-1] != '\n')
			begin--;
		canvas_put_bytes(canvas, row, area.col, STYLE_TEXT, begin, (size_t)(end - begin));
		end = begin > s->output ? begin - 1 : begin;
	}
}

/* Draw the state, its source, and further facts about the process. */
static void draw_state(const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect line)
{
	static const char *const recording[] = {
	    [SUBJECT_TRACING_UNKNOWN] = "on or off can't be read from the process",
	    [SUBJECT_TRACING_ON] = "on, read from the process",
	    [SUBJECT_TRACING_PAUSED] = "paused, read from the process",
	};

	const struct state_word state = state_of_target(s, true);
	const bool live = s->state == SUBJECT_LIVE;
	const struct line_item execs =
	    line_said("", 2, "became another program %u time%s", s->execs, s->execs == 1 ? "" : "s");
	const struct line_item items[] = {line_value(state.text, state.style, 0),
	    line_if(live, line_labelled("events", recording[s->tracing], 1)),
	    line_if(
		live && s->tracing == SUBJECT_TRACING_UNKNOWN, line_value(s->tracing_why, STYLE_MUTED, 3)),
	    line_if(s->execs > 0, line_styled(execs, STYLE_WARN))};
	line_draw(canvas, line, 2, items, 4);
}

/* Draw what fills the rings. */
static void draw_traffic(const struct subject *s, struct canvas *canvas, struct rect line)
{
	const struct traffic t = traffic_read(watch_model(s->watch), s->ring_words);

	const struct formatted ring = format_if(s->ring_words != 0, format_words(s->ring_words));
	const struct line_item items[] = {line_figure("ring of each domain", ring, 0),
	    line_if(t.all > 0, line_said("largest part of what was read", 1, "%s %s", t.name,
				   format_share(t.words, t.all).s))};
	line_draw(canvas, line, 2, items, 2);
}

/* Draw the details of the selected line that did not fit, in full. */
static void draw_whole(
    struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area, int table_cols)
{
	int item = tabular_selected(ui);

	if (item < 0)
		return;
	const struct tabular_cell detail = cell(ui, s, item, COLUMN_DETAIL);
	if (canvas_text_width(canvas, detail.text) > table_cols - DETAIL_FROM)
		words_draw(canvas, &area, "", DETAIL_INDENT, STYLE_TEXT, detail.text);
}

static void draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	struct view_place *place = ui_place(ui);
	struct rect whole = {0};

	/* Follow the newest line, which is the last. */
	if (place->list.count > 0 && place->list.selected == place->list.count - 1)
		place->list.selected = TABULAR_ITEMS_MAX;
	if (place->list.count == 0)
		place->list.selected = TABULAR_ITEMS_MAX;
	if (body.rows >= SUMMARY_FROM) {
		draw_state(ui, subject, canvas, rect_cut_top(&body, 1));
		draw_traffic(subject, canvas, rect_cut_top(&body, 1));
		if (traffic_draw(subject, canvas, rect_make(body.row, body.col, 1, body.cols)))
			rect_cut_top(&body, 1);
		rect_cut_top(&body, 1);
	}
	if (subject->output_len > 0 && body.rows >= 6) {
		struct rect output = rect_cut_bottom(&body, body.rows / 2);
		canvas_hline(canvas, output.row, output.col, output.cols, STYLE_BORDER);
		canvas_put(canvas, output.row, output.col + 2, STYLE_TITLE, " output of the command ");
		rect_cut_top(&output, 1);
		draw_output(subject, canvas, output);
	}
	if (body.cols < DETAIL_COLS && body.rows >= DETAIL_LEAST)
		whole = rect_cut_bottom(&body, DETAIL_ROWS);
	tabular_draw(ui, subject, &notes, canvas, body);
	if (!rect_empty(whole))
		draw_whole(ui, subject, canvas, whole, body.cols);
}

/* Enter on a fork switches to the child. */
static unsigned act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	if (action == ACTION_OPEN) {
		int item = tabular_selected(ui);
		const struct model_note *note = item >= 0 ? item_at(ui, subject, (size_t)item).note : NULL;
		if (!can_attach(ui) || note == NULL || note->kind != MODEL_NOTE_LIFECYCLE ||
		    note->event != RTEV_LIFECYCLE_FORK_PARENT)
			return UI_NOTHING;
		ui->chosen = note->data;
		ui_ask(ui, ACTION_OPEN);
		return UI_DIRTY;
	}
	return tabular_act(ui, subject, &notes, action);
}

const struct view_ops view_log = {.table = &notes, .size = sizeof(struct own), .draw = draw, .act = act};
