/*
 * sites.c - view 9: allocation sites of a memtrace file, as a table or as a call tree.
 *
 * All figures are estimates from samples and are shown with their standard error.
 */
#include "print/number.h"
#include "ui/views/sites_state.h"
#include "ui/views/tabular.h"

/* Least height that shows the selected site in full below the table. */
#define DETAILS_FROM 12

/* A table with fewer columns is narrow. */
#define NARROW_BELOW 60

/* Maximum places of a site shown. */
#define PLACES_MAX 4

#define SITE_COLUMNS(X)                                                                                      \
	X(FUNCTION, "function", 24, 40, LEFT, 0, GROWS, cell_text(sites_function_name(function, name)))      \
	X(FILE, "file", 10, 16, LEFT, 7, FIXED, cell_styled(cell_text(function->file), STYLE_MUTED))         \
	X(LIVE, "live", 12, 12, RIGHT, 0, FIXED,                                                             \
	    words_cell(state, sites_words(counts->live, state->totals.rate)))                                \
	X(SHARE, "share", 5, 5, RIGHT, 6, FIXED, cell_share(counts->live, state->counts.live))               \
	X(ALLOCATED, "allocated", 12, 12, RIGHT, 1, FIXED,                                                   \
	    words_cell(state, sites_words(counts->samples, state->totals.rate)))                             \
	X(PROMOTED, "promoted", 11, 11, RIGHT, 2, FIXED,                                                     \
	    estimate_cell(promoted, sites_text_share(promoted)))                                             \
	X(LIFETIME, "lifetime", 12, 12, RIGHT, 3, FIXED, estimate_cell(lifetime, sites_text_time(lifetime))) \
	X(GROWTH, "growth", 13, 13, RIGHT, 8, FIXED, growth_cell(state, counts))                             \
	X(SAMPLES, "samples", 8, 8, RIGHT, 4, FIXED, cell_count(counts->samples))

TABLE_LIST(SITE_COLUMNS, columns, COLUMNS);

static int items(struct ui *ui, const struct subject *s)
{
	sites_state_rows(ui, s);
	return sites_own(ui)->row_count < TABULAR_ITEMS_MAX ? (int)sites_own(ui)->row_count
							    : TABULAR_ITEMS_MAX;
}

/* Format an estimate in words, muted where there is nothing. */
static struct tabular_cell words_cell(const struct sites_state *state, struct sites_estimate words)
{
	return cell_styled(
	    cell_keyed(cell_text(sites_text_words(state, words).s), words.known ? words.value : NAN),
	    words.value == 0 ? STYLE_MUTED : STYLE_TEXT);
}

/* Format growth; insignificant growth is muted. */
static struct tabular_cell growth_cell(const struct sites_state *state, const struct sites_counts *counts)
{
	if (!state->totals.marked)
		return cell_styled(cell_unknown(), STYLE_MUTED);
	const struct sites_estimate growth = sites_growth(counts, state->totals.rate);
	return cell_styled(words_cell(state, growth), growth.low <= 0 && growth.high >= 0 ? STYLE_MUTED
						      : growth.value > 0		  ? STYLE_WARN
											  : STYLE_GOOD);
}

/* Format a share or a lifetime. */
static struct tabular_cell estimate_cell(struct sites_estimate estimate, struct sites_text text)
{
	return cell_styled(cell_keyed(cell_text(text.s), estimate.known ? estimate.value : NAN),
	    !estimate.known || estimate.value == 0 ? STYLE_MUTED : STYLE_TEXT);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct sites_state *state = sites_own(ui);

	if (item < 0 || (size_t)item >= state->row_count)
		return cell_empty();
	const struct sites_row *row = &state->rows[item];
	const struct sites_counts *counts = &row->counts;
	const struct sites_function *function = &sites_names(s->trace->sites)->functions[row->site];
	const struct sites_estimate promoted = sites_share(counts->promoted, counts->minor),
				    lifetime = sites_lifetime(counts);
	char name[SITES_NAME_SIZE];
	TABLE_RETURN(SITE_COLUMNS);
}

static const struct tabular sites = {TABULAR_COLUMNS(columns), .sort = COLUMN_LIVE, .filtered = true,
    .empty = "no sample yet", .items = items, .cell = cell};

/* Draw the places in a function that allocate, largest first. */
static void places_text(const struct ui *ui, const struct subject *s, uint32_t site, char *out, size_t size)
{
	const struct sites_names *names = sites_names(s->trace->sites);
	int told = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sites_own(ui)->code_count && told < PLACES_MAX; i++) {
		const struct sites_row *row = &sites_own(ui)->codes[i];
		const struct sites_code *code = row->code != SITES_NONE ? &names->codes[row->code] : NULL;
		if (row->site != site || code == NULL || code->count == 0)
			continue;
		const struct rtev_memtrace_location *at = &code->locations[code->count - 1];
		size_t used = strlen(out);
		snprintf(out + used, size - used, "%s%d:%d-%d", told > 0 ? ", " : "", at->line,
		    at->start_char, at->end_char);
		told++;
	}
}

/* Return an item with the interval of an estimate. */
static struct line_item interval_item(
    const struct sites_state *state, const char *label, uint64_t samples, int rank)
{
	const struct sites_estimate words = sites_words(samples, state->totals.rate);

	return line_said(label, rank, "%s to %s", sites_words_alone(state, words.low).s,
	    sites_words_alone(state, words.high).s);
}

/* Draw the selected site in full. */
static void draw_details(
    const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	const struct sites_state *state = sites_own(ui);
	int item = tabular_selected(ui);
	char name[SITES_NAME_SIZE], places[160];

	if (item < 0 || (size_t)item >= state->row_count)
		return;
	const struct sites_row *row = &state->rows[item];
	const struct sites_function *function = &sites_names(s->trace->sites)->functions[row->site];
	struct rect line = rect_cut_top(&area, 1);
	canvas_hline(canvas, line.row, line.col, line.cols, STYLE_BORDER);
	const struct line_item title = line_value(sites_function_name(function, name), STYLE_TITLE, 0);
	line_draw(canvas, rect_margins(line, 2, 2), 2, &title, 1);
	places_text(ui, s, row->site, places, sizeof(places));
	const char *file = function->file[0] != '\0' ? function->file : "no debug information";
	const struct line_item where[] = {
	    line_styles(line_labelled(file, places, 0), STYLE_VALUE, STYLE_VALUE),
	    line_figure("blocks sampled", format_count(row->counts.objects), 1)};

	line_draw(canvas, rect_cut_top(&area, 1), 2, where, 2);
	const struct line_item bounds[] = {interval_item(state, "95% sure: live", row->counts.live, 0),
	    interval_item(state, "allocated", row->counts.samples, 1)};
	if (state->totals.rate > 0)
		line_draw(canvas, rect_cut_top(&area, 1), 2, bounds, 2);
}

static void draw_table(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	struct rect details = rect_cut_bottom(&area, area.rows >= DETAILS_FROM ? 3 : 0);
	struct table_column fitted[COLUMNS];
	struct tabular shown = sites;

	memcpy(fitted, columns, sizeof(fitted));
	shown.columns = fitted;
	if (area.cols < NARROW_BELOW) {
		/* A function's name is cut before figures are dropped. */
		fitted[COLUMN_FUNCTION].least = 6;
	} else if (sites_own(ui)->totals.marked) {
		/* With a mark, growth ranks before the other figures of samples. */
		for (int c = 0; c < COLUMNS; c++)
			fitted[c].rank += c == COLUMN_ALLOCATED || c == COLUMN_PROMOTED ||
					  c == COLUMN_LIFETIME || c == COLUMN_SAMPLES;
		fitted[COLUMN_GROWTH].rank = 1;
	}
	tabular_draw(ui, s, &shown, canvas, area);
	if (details.rows > 0)
		draw_details(ui, s, canvas, details);
}

/* Draw faults of the file or left-out packets.  Returns false if there are none. */
static bool draw_trouble(
    const struct ui *ui, const struct subject_trace *t, struct canvas *canvas, struct rect line)
{
	char text[512];
	enum style style = STYLE_BAD;

	if (t->fault != NULL)
		snprintf(text, sizeof(text), "%s", t->fault);
	else if (sites_own(ui)->lacking)
		snprintf(text, sizeof(text), "out of memory: this can't be shown");
	else if (t->sites != NULL && sites_own(ui)->totals.rate == 0)
		snprintf(text, sizeof(text), "the trace tells no sample rate: words can't be estimated");
	else if (t->removed) {
		style = STYLE_WARN;
		snprintf(text, sizeof(text),
		    "the file was removed: what was read stays, what is written still comes");
	} else if (t->left_out > 0) {
		style = STYLE_WARN;
		snprintf(text, sizeof(text), "left out %s packets: of other processes, or not all there",
		    format_count(t->left_out).s);
	} else {
		return false;
	}
	canvas_put_fit(canvas, line, ALIGN_LEFT, style, text);
	return true;
}

/* Draw mark and filter.  Returns false if there are none. */
static bool draw_chosen(const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect line)
{
	const struct sites_state *state = sites_own(ui);
	const char *filter = ui->places[VIEW_SITES].filter;
	const struct sites_totals *totals = &state->totals;
	const bool marked = s->trace->sites != NULL && totals->marked;

	if (!marked && filter[0] == '\0')
		return false;
	/* A filter problem names the word, so it takes precedence over the filter's text. */
	const struct line_item what = line_labelled("filter", filter, state->filter.problem[0] != '\0');
	const struct line_item items_[] = {line_if(filter[0] != '\0', line_styled(what, STYLE_MATCH)),
	    line_value(state->filter.problem, STYLE_WARN, 0),
	    line_if(marked, line_said("growth since", 2, "%s, %s ago", sites_time(totals->mark_time).s,
				sites_time(totals->last_time - totals->mark_time).s))};
	line_draw(canvas, line, 2, items_, 3);
	return true;
}

/* Explain why there is no event yet.  Returns false if there is one. */
static bool draw_waiting(const struct subject *s, struct canvas *canvas, struct rect line)
{
	const struct subject_trace *t = s->trace;
	const bool over = t->ended || (s->watch != NULL && s->state == SUBJECT_EXITED);

	if (t->sites != NULL && t->events != 0)
		return false;
	const char *why = t->sites == NULL && t->exists ? "nothing has been written yet to"
			  : t->sites == NULL		? "waiting for the file"
			  : over			? "the program has ended without an event"
				 : "waiting: the program writes a packet when its buffer is full";
	const struct line_item waiting = line_labelled(why, t->sites == NULL ? t->path : NULL, 0),
			       shown = line_styles(waiting, STYLE_MUTED, STYLE_VALUE);
	if (t->fault == NULL)
		line_draw(canvas, line, 2, &shown, 1);
	return true;
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	const struct subject_trace *t = s->trace;

	if (t->sites != NULL)
		sites_state_begin(ui, s);
	/* With a ring the header describes the target. */
	if (s->watch != NULL && t->sites != NULL && body.rows > 4)
		sites_summary_draw(ui, s, canvas, rect_cut_top(&body, 1));
	if (body.rows > 3 && draw_trouble(ui, t, canvas, rect_make(body.row, body.col, 1, body.cols)))
		rect_cut_top(&body, 1);
	if (body.rows > 4 && draw_chosen(ui, s, canvas, rect_make(body.row, body.col, 1, body.cols)))
		rect_cut_top(&body, 1);
	if (draw_waiting(s, canvas, rect_make(body.row, body.col, body.rows > 0, body.cols)))
		return;
	if (sites_own(ui)->tree)
		sites_tree_draw(ui, s, canvas, body);
	else
		draw_table(ui, s, canvas, body);
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct sites_state *state = sites_own(ui);

	if (s->trace->sites == NULL)
		return action == ACTION_BACK ? tabular_act(ui, s, &sites, action) : UI_NOTHING;
	if (action == ACTION_MARK) {
		ui_ask(ui, ACTION_MARK);
		return UI_DIRTY;
	}
	if (action == ACTION_UNIT)
		return ui_toggle(&state->words);
	if (action == ACTION_TREE)
		return ui_toggle(&state->tree);
	if (state->tree)
		return sites_tree_act(ui, s, action);
	if (action != ACTION_OPEN)
		return tabular_act(ui, s, &sites, action);
	int item = tabular_selected(ui);
	if (item < 0 || (size_t)item >= state->row_count)
		return UI_NOTHING;
	call_tree_open(&state->calls, state->rows[item].site);
	state->tree = true;
	return UI_DIRTY;
}

static bool there(const struct ui *ui, const struct subject *s, enum ui_action action)
{
	return call_tree_offers(sites_own(ui)->tree, action) &&
	       (action != ACTION_MARK || ui->offers[ACTION_MARK]);
}

static void init(void *own)
{
	((struct sites_state *)own)->weight = SITES_WEIGHT_LIVE;
}

const struct view_ops view_sites = {.table = &sites,
    .size = sizeof(struct sites_state),
    .init = init,
    .fini = sites_state_fini,
    .there = there,
    .draw = draw,
    .act = act};
