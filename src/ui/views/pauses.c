/* pauses.c - view 5: pauses: histogram, percentiles, the longest pauses and the phases inside them. */
#include "ui/widgets/blame_line.h"
#include "ui/widgets/plot.h"
#include "print/number.h"
#include "canvas/text.h"
#include "ui/recent.h"
#include "ui/layout.h"
#include "ui/views/tabular.h"
#include "ui/views/why.h"

#define HISTOGRAM_LEAST 5 /* including a blank line below */
#define INSIDE_SHOWN 3	  /* phases named for a pause */

#define PAUSE_COLUMNS(X)                                                                                     \
	X(DURATION, "duration", 8, 9, RIGHT, 0, FIXED, cell_duration(worst->duration))                       \
	X(DOMAIN, "domain", 6, 6, LEFT, 0, FIXED, cell_domain(worst->domain))                                \
	X(PHASE, "phase", 12, 12, LEFT, 0, PHASES, cell_phase(worst->phase))                                 \
	X(WHEN, "before now", 10, 10, RIGHT, 2, FIXED, cell_since(s, worst->ts))                             \
	X(WHY, "why", 44, 60, LEFT, 1, GROWS, why_cell(s, worst))

TABLE_LIST(PAUSE_COLUMNS, columns, COLUMNS);

static int items(struct ui *ui, const struct subject *s)
{
	size_t count;

	model_worst(watch_model(s->watch), &count);
	return (int)count;
}

/* Append the phases that took most of a pause, each with its own time, as far as there is room. */
static void put_inside(
    const struct model_worst *worst, enum glyph_level level, int cols, char *text, size_t size)
{
	struct model_phase parts[MODEL_INSIDE_MAX + 1];
	const size_t count =
	    model_pause_parts(worst->phase, worst->self, worst->inside, worst->inside_count, parts);
	char name[RTEV_NAME_SIZE], one[RTEV_NAME_SIZE + 32];

	for (size_t n = 0; n < INSIDE_SHOWN && n < count; n++) {
		const struct model_phase *best = &parts[n];
		if (best->self == 0)
			break;
		snprintf(one, sizeof(one), "%s%s %s",
		    text[0] == '\0' ? ""
		    : n > 0	    ? ", "
				    : "; ",
		    rtev_phase_name(best->phase, name), format_duration(best->self).s);
		if (text_width(level, text) + text_width(level, one) > cols ||
		    strlen(text) + strlen(one) >= size)
			break;
		strlcat(text, one, size);
	}
}

/* Describe a pause in at most `cols` columns: the domain that it waited for, the user span that contains it,
 * then the phases that took most of its time. */
static bool put_why(const struct subject *s, const struct model_worst *worst, enum glyph_level level,
    int cols, char *text, size_t size)
{
	const struct model *m = watch_model(s->watch);
	struct blame_words words;
	struct blame blame;
	char code[BLAME_TEXT];
	uint64_t most;

	bool blamed =
	    blame_pause(watch_stw(s->watch), worst->domain, worst->ts, worst->ts + worst->duration, &blame);
	blame_words(blamed ? &blame : NULL, blame_hit(m, worst->user), m, &words);
	blame_line(&words, level, cols, text, size);
	if (blamed && blame_code(&blame, s->code != NULL ? s->code->profile : NULL, code, sizeof(code)) &&
	    text_width(level, text) + 2 + text_width(level, code) <= cols &&
	    strlen(text) + 2 + strlen(code) < size) {
		strlcat(text, ": ", size);
		strlcat(text, code, size);
	}
	/* Times of phases only show that these were open, not that they ran. */
	if (blame_unserved(watch_system(s->watch), worst->ts, worst->ts + worst->duration, &most)) {
		snprintf(code, sizeof(code), "%sat most %s of it without a processor",
		    text[0] != '\0' ? "; " : "", format_duration(most).s);
		if (text_width(level, text) + text_width(level, code) <= cols &&
		    strlen(text) + strlen(code) < size)
			strlcat(text, code, size);
	}
	put_inside(worst, level, cols, text, size);
	return blamed;
}

static struct tabular_cell why_cell(const struct subject *s, const struct model_worst *worst)
{
	struct tabular_cell why = cell_empty();

	if (!put_why(s, worst, GLYPHS_BLOCKS, INT_MAX, why.text, sizeof(why.text)))
		why.style = STYLE_MUTED;
	return why;
}

static struct tabular_cell cell_of(const struct subject *s, const struct model_worst *worst, int column)
{
	TABLE_RETURN(PAUSE_COLUMNS);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	size_t count;
	const struct model_worst *worst = model_worst(watch_model(s->watch), &count);

	return (size_t)item < count ? cell_keyed(cell_of(s, worst + item, column), item) : cell_empty();
}

/* Format the reason for the available columns. */
static void fit(struct ui *ui, const struct subject *s, int item, int column, enum glyph_level level,
    int cols, struct tabular_cell *out)
{
	size_t count;
	const struct model_worst *worst = model_worst(watch_model(s->watch), &count);

	if (column == COLUMN_WHY && (size_t)item < count)
		put_why(s, &worst[item], level, cols, out->text, sizeof(out->text));
}

static const struct tabular worst = {TABULAR_COLUMNS(columns), .sort = -1, .ascending = true,
    .empty = "no pause yet", .items = items, .cell = cell, .fit = fit};

static void draw_figures(void *page, struct canvas *canvas, struct rect line)
{
	const struct page *p = page;
	const struct model_totals t = model_totals(watch_model(p->s->watch));

	distribution_line(p->of, "pauses", recent_since_words(p->s).s, t.lost_words != 0, canvas, line);
}

/* Draw the minimum mutator utilisation, and the domain with it. */
static void draw_utilisation(void *page, struct canvas *canvas, struct rect line)
{
	const struct page *p = page;
	const struct subject *s = p->s;
	struct line_item items_[MMU_WINDOWS];
	uint64_t until = lately_until(subject_lately(s));
	const struct model_totals t = model_totals(watch_model(s->watch));

	for (int w = 0; w < MMU_WINDOWS; w++) {
		double least = NAN;
		unsigned domain = 0;
		for (unsigned i = 0; i < t.domains; i++) {
			double shares[MMU_WINDOWS];
			if (!mmu_read(watch_mmu(s->watch, i), until, 0, shares) || isnan(shares[w]) ||
			    (!isnan(least) && shares[w] >= least))
				continue;
			least = shares[w];
			domain = i;
		}
		items_[w] = recent_left(w, least, (int)domain);
	}
	line_draw(canvas, line, 3, items_, MMU_WINDOWS);
}

static void draw_histogram(void *page, struct canvas *canvas, struct rect area)
{
	const struct page *p = page;

	distribution_draw(p->of, canvas, rect_cut_top(&area, area.rows - 1), p->ui->log_scale);
}

/* Return the selected pause; NULL: there is none. */
static const struct model_worst *selected(struct ui *ui, const struct subject *s)
{
	size_t count;
	const struct model_worst *w = model_worst(watch_model(s->watch), &count);
	const int item = tabular_item(ui, s, &worst);

	return item >= 0 && (size_t)item < count ? w + item : NULL;
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct page p = {.ui = ui, .s = s, .table = &worst, .of = model_pauses(watch_model(s->watch))};
	const struct model_worst *w = selected(ui, s);
	const int listed = items(ui, s), table = 1 + (listed > 0 ? listed : 1);
	if (w != NULL)
		p.why = why_read_pause(ui, s, w->domain, w->ts, w->ts + w->duration, w->user);
	const struct layout_section sections[] = {
	    {.tier = 1, .least = 1, .wish = 1, .most = 1, .draw = draw_figures},
	    {.tier = 3, .least = 1, .wish = 1, .most = 1, .draw = draw_utilisation},
	    {3, 0, HISTOGRAM_LEAST, HISTOGRAM_LEAST, LAYOUT_MOST, draw_histogram},
	    {.tier = 1, .grows = 3, .least = 2, .wish = table, .most = table, .draw = page_table_draw},
	    WHY_SECTION(2, p.why, body.cols),
	};

	layout_page(&p, sections, sizeof(sections) / sizeof(sections[0]), canvas, body);
}

/* Enter opens the moment of the selected pause, across all domains. */
static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	const struct model_worst *w = action == ACTION_OPEN ? selected(ui, s) : NULL;
	char name[RTEV_NAME_SIZE];

	if (action != ACTION_OPEN)
		return tabular_act(ui, s, &worst, action);
	return w == NULL ? UI_NOTHING
			 : moment_open_span(ui, s, w->domain, w->ts, w->ts + w->duration, VIEW_PAUSES,
			       rtev_phase_name(w->phase, name));
}

const struct view_ops view_pauses = {.table = &worst, .draw = draw, .act = act};
