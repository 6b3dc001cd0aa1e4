/*
 * header.c - the first lines of the screen: which target, in which state, how much it collects, what was
 * lost.
 */
#include "ui/header.h"

#include <ctype.h>

#include "advice/headline.h"
#include "canvas/text.h"
#include "figures/figures.h"
#include "print/number.h"
#include "ui/measure.h"
#include "ui/widgets/plot.h"
#include "figures/traffic.h"
#include "ui/views/sites_state.h"

#define UNKNOWN_LATER 20 /* beyond the ranks of all items */

/* The texts of a line: one for each row of the table on that line, empty if it has nothing to show. */
struct words {
	struct header_text texts[LINE_ITEMS_MAX];
	struct line_item items[LINE_ITEMS_MAX];
	struct rect drawn[LINE_ITEMS_MAX];
	char keys[LINE_ITEMS_MAX];
	int count;
};

/* Put an item into words. */
static void item_text(
    const struct header_facts *facts, const struct header_item *item, struct header_text *out)
{
	out->label = item->label;
	out->full[0] = out->brief[0] = '\0';
	out->style = item->style;
	out->urgent = false;
	if (!header_item_text(facts, item, out)) {
		out->label = NULL;
		out->full[0] = out->brief[0] = '\0';
	}
}

/* Put both windows of an item into one text; one 0 stands for two, and one that is not known. */
static void item_beside(
    const struct header_facts *facts, const struct header_item *item, struct header_text *out)
{
	struct header_facts other = *facts;
	struct header_text now, since;

	other.window = &facts->figures->since;
	item_text(facts, item, &now);
	item_text(&other, item, &since);
	item_text(facts, item, out);
	out->urgent |= since.urgent;
	if (item->beside != NULL)
		item->beside(facts, &now, &since, out);
	else if (now.full[0] != '\0' &&
		 (strcmp(now.full, since.full) != 0 || strspn(now.full, "-0") != strlen(now.full)))
		snprintf(out->full, sizeof(out->full), "%.70s|%.70s", now.full, since.full);
}

/* Return whether an item stands on a line; HEADER_SINCE has the items of HEADER_NOW. */
static bool stands_on(const struct header_item *item, enum header_line line, enum header_form form)
{
	if (form == HEADER_ONE)
		return item->line == HEADER_TARGET || item->one_rank != 0;
	return item->line == (line == HEADER_SINCE ? HEADER_NOW : line);
}

/* Put a line into words. */
static void line_words(const struct header_facts *facts, enum header_line line, struct words *out)
{
	out->count = 0;
	for (size_t i = 0; i < header_item_count && out->count < LINE_ITEMS_MAX; i++) {
		const struct header_item *item = &header_items[i];
		struct header_text *text = &out->texts[out->count];
		if (!stands_on(item, line, facts->form))
			continue;
		if (facts->form == HEADER_BESIDE && item->windows)
			item_beside(facts, item, text);
		else
			item_text(facts, item, text);
		int rank = text->urgent ? item->urgent_rank : item->rank;
		/* Without events most is not known: it leaves its place to what is. */
		if (facts->subject->off && strcmp(text->full, format_unknown().s) == 0)
			rank += UNKNOWN_LATER;
		if (facts->form == HEADER_ONE && item->line != line && !text->urgent)
			rank = item->one_rank;
		out->keys[out->count] = item->key;
		out->drawn[out->count] = (struct rect){0};
		out->items[out->count] = (struct line_item){.label = text->label,
		    .value = text->full,
		    .brief = text->brief,
		    .label_style = item->label_style,
		    .value_style = text->style,
		    .rank = rank,
		    .brief_rank = item->brief_rank,
		    .right = item->right,
		    .drawn = &out->drawn[out->count]};
		out->count++;
	}
}

/* Return the width of a text beside a label. */
static int label_width(const struct canvas *canvas, const char *label, const char *text)
{
	int width = text[0] != '\0' ? canvas_text_width(canvas, text) : 0;

	if (label == NULL)
		return width;
	return width + canvas_text_width(canvas, label) + (width > 0);
}

/* Pad a text to a width beside its label. */
static void pad(const struct canvas *canvas, const char *label, char *text, int cols)
{
	size_t used = strlen(text);

	for (int width = label_width(canvas, label, text); width < cols && used + 1 < HEADER_TEXT; width++)
		text[used++] = ' ';
	text[used] = '\0';
}

/* Make two texts as wide as each other. */
static void align(
    const struct canvas *canvas, const char *label, char *text, const char *other_label, char *other)
{
	int width = label_width(canvas, label, text), other_width = label_width(canvas, other_label, other);

	pad(canvas, label, text, other_width);
	pad(canvas, other_label, other, width);
}

/* Pad the items of two lines to equal widths, so that they line up and the same ones are dropped. */
static void line_align(
    const struct canvas *canvas, const struct header_facts *facts, struct words *now, struct words *since)
{
	for (int i = 0, n = 0; n < now->count; i++) {
		if (!stands_on(&header_items[i], HEADER_NOW, facts->form))
			continue;
		struct header_text *a = &now->texts[n], *b = &since->texts[n];
		int rank =
		    now->items[n].rank < since->items[n].rank ? now->items[n].rank : since->items[n].rank;
		now->items[n].rank = since->items[n].rank = rank;
		if (!header_items[i].windows) {
			since->items[n].label = b->label = NULL;
			b->full[0] = b->brief[0] = '\0';
		}
		if (a->brief[0] != '\0' || b->brief[0] != '\0') {
			strlcpy(a->brief, a->brief[0] != '\0' ? a->brief : a->full, sizeof(a->brief));
			strlcpy(b->brief, b->brief[0] != '\0' ? b->brief : b->full, sizeof(b->brief));
			align(canvas, a->label, a->brief, b->label, b->brief);
		}
		align(canvas, a->label, a->full, b->label, b->full);
		n++;
	}
}

/* Draw the items, those that a view shows more of as spots. */
static void draw_words(struct ui *ui, struct canvas *canvas, struct rect line, struct words *words)
{
	line_draw(canvas, line, HEADER_GAP, words->items, words->count);
	for (int i = 0; i < words->count; i++)
		if (words->keys[i] != 0)
			ui_spot(ui, (struct spot){
					.kind = SPOT_KEY, .area = words->drawn[i], .value = words->keys[i]});
}

/* Draw the lines of the figures. */
static void draw_figures(
    const struct header_facts *facts, struct ui *ui, struct canvas *canvas, struct rect area)
{
	struct header_facts other = *facts;
	struct words now, since;

	line_words(facts, HEADER_NOW, &now);
	if (facts->form == HEADER_BELOW) {
		other.window = &facts->figures->since;
		line_words(&other, HEADER_SINCE, &since);
		line_align(canvas, facts, &now, &since);
	}
	draw_words(ui, canvas, rect_cut_top(&area, 1), &now);
	if (facts->form == HEADER_BELOW)
		draw_words(ui, canvas, rect_cut_top(&area, 1), &since);
}

double header_lost_share(const struct header_facts *f)
{
	double lost = (double)f->figures->since.lost_words;

	if (lost == 0)
		return 0;
	const struct traffic traffic = traffic_read(watch_model(f->subject->watch), f->subject->ring_words);
	return figure_share(lost, lost + (double)traffic.all);
}

/* ---- headline ---- */

/* Return how many bytes of a sentence can stand alone in so many columns: all, or up to the end of a clause; 0: none. */
static size_t clause_fit(const struct canvas *canvas, const char *text, int cols)
{
	static const char *const ends[] = {
	    ": ", "; ", " (", ", and ", ", which ", ", of which ", ", called ", ", at most "};
	char part[HEADLINE_TEXT];
	size_t fit = 0;
	int open = 0;

	for (size_t at = 0; at < sizeof(part); at++) {
		bool end = text[at] == '\0';
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !end && open == 0; i++)
			end = strncmp(text + at, ends[i], strlen(ends[i])) == 0;
		part[at] = '\0';
		if (end && canvas_text_width(canvas, part) <= cols)
			fit = at;
		if (text[at] == '\0')
			break;
		open += (text[at] == '(') - (text[at] == ')' && open > 0);
		part[at] = text[at];
	}
	return fit;
}

/* Draw a sentence, and at the right edge the key of what shows more; one that is too long ends with a clause or, where
 * not even the first fits, with a whole word. */
static void put_headline(
    struct ui *ui, struct canvas *canvas, struct rect line, enum style style, char *text, char key)
{
	char more[32] = "";
	size_t at = strlen(text);
	bool cut = false;

	if (key != 0) {
		const struct action_info *shows =
		    action_info(action_of_key(&ui->actions, (ui_key)key, ui->view));
		snprintf(more, sizeof(more), "[%c] %s", key, shows != NULL ? shows->short_name : "");
		if (canvas_text_width(canvas, text) + canvas_text_width(canvas, more) + HEADER_GAP >
		    line.cols)
			more[3] = '\0';
	}
	const int width = canvas_text_width(canvas, more), room = line.cols - (width > 0 ? width + 1 : 0);
	const size_t fit = clause_fit(canvas, text, room);
	if (fit > 0)
		text[fit] = '\0';
	while (fit == 0 && at > 0 && canvas_text_width(canvas, text) + cut > room) {
		do
			at--;
		while (at > 0 && (text[at] != ' ' || isdigit((unsigned char)text[at - 1]) ||
				     strchr(",:;", text[at - 1]) != NULL));
		text[at] = '\0';
		cut = true;
	}
	int col = canvas_put(canvas, line.row, line.col, style, text);
	if (cut)
		canvas_glyph(canvas, line.row, col, style, GLYPH_ELLIPSIS);
	canvas_put(canvas, line.row, line.col + line.cols - width, STYLE_KEY, more);
	if (key != 0)
		ui_spot(ui, (struct spot){.kind = SPOT_KEY, .area = line, .value = key});
}

/* Say how the target did at the earlier time that is shown. */
static struct headline headline_of_past(const struct header_facts *f)
{
	const struct figures_window *w = &f->figures->now;
	const bool any = w->pauses != NULL && w->pauses->max != 0;
	const struct formatted longest =
	    distribution_percentile(any ? w->pauses : &(struct hist){0}, 1, 1, w->lost_words != 0);
	struct headline out;
	char clock[SUBJECT_CLOCK];

	headline_of(
	    &(struct headline_facts){
		.past = subject_clock(f->subject, f->figures->at, 0, clock) ? clock : "this moment",
		.longest = any ? longest.s : NULL,
		.of = {[LIMIT_GC] = w->gc}},
	    &out);
	return out;
}

/* Draw the line that says how the target does. */
static void draw_headline(
    const struct header_facts *f, struct ui *ui, struct canvas *canvas, struct rect line)
{
	struct headline shown = f->figures->past ? headline_of_past(f) : f->subject->headline;

	put_headline(ui, canvas, line, shown.level == LEVEL_NONE ? STYLE_TEXT : measure_style(shown.level),
	    shown.text, shown.key);
}

/* Draw the lines of a screen without a target. */
static void draw_choose(
    const struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	const struct state_word state = ui->frozen ? state_of(ui, subject, true) : (struct state_word){0};
	const char *which = ui->named ? "targets of the command line" : "all OCaml processes";
	const struct line_item items[] = {
	    line_styles(line_labelled("rtevtop", which, 0), STYLE_MUTED, STYLE_TITLE),
	    line_if(ui->frozen, state_item(&state, canvas_level(canvas))),
	    line_right(line_value(subject->clock, STYLE_MUTED, 1))};

	line_draw(canvas, area, HEADER_GAP, items, 3);
	if (area.rows > 1 && subject->process_count != 0)
		view_choose_total(subject, canvas, rect_make(area.row + 1, area.col, 1, area.cols));
}

/* The form for a screen of this size. */
static enum header_form form_of(struct rect area)
{
	if (area.rows < 2)
		return HEADER_ONE;
	return area.rows > 3 ? HEADER_BELOW : area.cols >= HEADER_BESIDE_FROM ? HEADER_BESIDE : HEADER_ALONE;
}

void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct figures figures;
	struct words target;

	if (subject->watch == NULL && subject->trace != NULL && ui->view == VIEW_SITES) {
		sites_header_draw(ui, subject, canvas, area);
		return;
	}
	if (subject->watch == NULL || ui->view == VIEW_CHOOSE) {
		draw_choose(ui, subject, canvas, area);
		return;
	}
	const struct model_totals totals = model_totals(watch_model(subject->watch));
	figures_read(ui, subject, &figures);
	const enum header_form form = form_of(area);
	/* One line has no room to say of which seconds before the end its figures are. */
	const bool all = form == HEADER_ONE && subject_over(subject) && !figures.past;
	const struct header_facts facts = {.ui = ui,
	    .subject = subject,
	    .totals = &totals,
	    .figures = &figures,
	    .window = all ? &figures.since : &figures.now,
	    .form = form,
	    .headline = area.rows > 2,
	    .level = canvas_level(canvas),
	    .cols = area.cols};
	line_words(&facts, HEADER_TARGET, &target);
	draw_words(ui, canvas, rect_cut_top(&area, 1), &target);
	if (facts.headline)
		draw_headline(&facts, ui, canvas, rect_cut_top(&area, 1));
	if (area.rows > 0)
		draw_figures(&facts, ui, canvas, area);
}
