/*
 * pauses.c - view 5: pauses: histogram, percentiles, the longest pauses and the phases inside them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/widgets/distribution.h"
#include "ui/widgets/format.h"
#include "ui/widgets/line.h"
#include "ui/measure.h"
#include "ui/views/tabular.h"
#include "watch/blame.h"

#define HISTOGRAM_ROWS 20

enum { COLUMN_DURATION, COLUMN_DOMAIN, COLUMN_PHASE, COLUMN_WHEN, COLUMN_WHY, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    [COLUMN_DURATION] = {"duration", 8, 9, ALIGN_RIGHT, 0, false},
    [COLUMN_DOMAIN] = {"domain", 6, 6, ALIGN_LEFT, 0, false},
    [COLUMN_PHASE] = {"phase", 12, 22, ALIGN_LEFT, 0, false},
    [COLUMN_WHEN] = {"before now", 10, 10, ALIGN_RIGHT, 2, false},
    [COLUMN_WHY] = {"why", 44, 60, ALIGN_LEFT, 1, true},
};

static int items(struct ui *ui, const struct subject *s)
{
	size_t count;

	(void)ui;
	model_worst(watch_model(s->watch), &count);
	return (int)count;
}

/* Say whom a pause waited for and which of the program's spans it was in, then the phases that took most of it. */
static void put_why(const struct subject *s, const struct model_worst *worst, struct tabular_cell *out)
{
	const struct model *m = watch_model(s->watch);
	bool named[MODEL_INSIDE_MAX] = {false};
	char sentence[BLAME_TEXT];
	struct blame blame;
	size_t at = 0;

	bool blamed =
	    blame_pause(watch_stw(s->watch), worst->domain, worst->ts, worst->ts + worst->duration, &blame);
	out->style = blamed ? STYLE_TEXT : STYLE_MUTED;
	if (blame_text(blamed ? &blame : NULL, blame_hit(m, worst->user), m, sentence, sizeof(sentence)))
		at = strlcpy(out->text, sentence, sizeof(out->text));
	if (at >= sizeof(out->text))
		return;
	char name[RTEV_NAME_SIZE];

	for (int n = 0; n < 3; n++) {
		size_t best = worst->inside_count;
		for (size_t i = 0; i < worst->inside_count && i < MODEL_INSIDE_MAX; i++)
			if (!named[i] &&
			    (best == worst->inside_count || worst->inside[i].self > worst->inside[best].self))
				best = i;
		if (best == worst->inside_count || worst->inside[best].self == 0)
			break;
		named[best] = true;
		int wrote = snprintf(out->text + at, sizeof(out->text) - at, "%s%s %s",
		    n > 0    ? ", "
		    : at > 0 ? "; "
			     : "",
		    rtev_phase_name(worst->inside[best].phase, name),
		    format_duration(worst->inside[best].self).s);
		if (wrote < 0 || (size_t)wrote >= sizeof(out->text) - at)
			break;
		at += (size_t)wrote;
	}
}

static void cell(struct ui *ui, const struct subject *s, int item, int column, struct tabular_cell *out)
{
	size_t count;
	const struct model_worst *worst = model_worst(watch_model(s->watch), &count);
	char name[RTEV_NAME_SIZE];

	(void)ui;
	if ((size_t)item >= count)
		return;
	worst += item;
	switch (column) {
	case COLUMN_DURATION:
		snprintf(out->text, sizeof(out->text), "%s", format_duration(worst->duration).s);
		break;
	case COLUMN_DOMAIN:
		snprintf(out->text, sizeof(out->text), "D%u", worst->domain);
		break;
	case COLUMN_PHASE:
		snprintf(out->text, sizeof(out->text), "%s", rtev_phase_name(worst->phase, name));
		out->style = theme_class_ink(rtev_phase_class(worst->phase));
		break;
	case COLUMN_WHEN:
		/* After a jump back in a recording, it may lie in the future. */
		if (s->now >= worst->ts)
			snprintf(out->text, sizeof(out->text), "%s", format_duration(s->now - worst->ts).s);
		break;
	default:
		put_why(s, worst, out);
		break;
	}
	out->key = item;
}

static const struct tabular worst = {.columns = columns,
    .column_count = COLUMNS,
    .sort = -1,
    .ascending = true,
    .empty = "no pause yet",
    .items = items,
    .cell = cell};

/* Draw the minimum mutator utilisation, and the domain with it. */
static void draw_utilisation(
    const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect line)
{
	static const char *const labels[MMU_WINDOWS] = {"1ms", "10ms", "100ms"};
	char texts[MMU_WINDOWS][40];
	struct line_item items_[MMU_WINDOWS + 1];
	struct model_totals t;
	uint64_t until = measure_until(ui, s);

	model_totals(watch_model(s->watch), &t);
	items_[0] =
	    (struct line_item){.label = "left to the program, at the least", .label_style = STYLE_LABEL};
	for (int w = 0; w < MMU_WINDOWS; w++) {
		double least = NAN;
		unsigned domain = 0;
		for (unsigned i = 0; i < t.domains; i++) {
			double shares[MMU_WINDOWS];
			if (!mmu_read(watch_mmu(s->watch), i, until, 0, shares) || isnan(shares[w]) ||
			    (!isnan(least) && shares[w] >= least))
				continue;
			least = shares[w];
			domain = i;
		}
		if (isnan(least))
			snprintf(texts[w], sizeof(texts[w]), "-");
		else
			snprintf(texts[w], sizeof(texts[w]), "%s (D%u)", format_percent(least).s, domain);
		items_[w + 1] = (struct line_item){.label = labels[w],
		    .value = texts[w],
		    .label_style = STYLE_LABEL,
		    .value_style = STYLE_VALUE,
		    .rank = w == 1 ? 2 : 1};
	}
	line_draw(canvas, line.row, line.col, line.cols, 3, items_, MMU_WINDOWS + 1);
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	const struct hist *h = model_pauses(watch_model(s->watch));
	struct model_totals t;

	model_totals(watch_model(s->watch), &t);
	distribution_line(h, "pauses", t.lost_words != 0, canvas, rect_cut_top(&body, 1));
	if (body.rows > MODEL_WORST_MAX + 2)
		draw_utilisation(ui, s, canvas, rect_cut_top(&body, 1));
	if (body.rows > MODEL_WORST_MAX + 6) {
		struct distribution d;
		int rows = body.rows - MODEL_WORST_MAX - 2;
		struct rect area = rect_cut_top(&body, rows < HISTOGRAM_ROWS ? rows : HISTOGRAM_ROWS);
		distribution_of_hist(h, area.cols, &d);
		distribution_draw(&d, canvas, area, ui->log_scale);
		rect_cut_top(&body, 1);
	}
	tabular_draw(ui, s, &worst, canvas, body);
}

/* Open the moment of the selected pause, across all domains. */
static unsigned open_worst(struct ui *ui, const struct subject *s)
{
	size_t count;
	const struct model_worst *w = model_worst(watch_model(s->watch), &count);
	struct moment_mark mark;
	char name[RTEV_NAME_SIZE];
	int item = tabular_selected(ui);

	if (item < 0 || (size_t)item >= count)
		return UI_NOTHING;
	w += item;
	mark = (struct moment_mark){.domain = w->domain, .from = w->ts, .to = w->ts + w->duration};
	snprintf(mark.text, sizeof(mark.text), "D%u %s %s", w->domain, rtev_phase_name(w->phase, name),
	    format_duration(w->duration).s);
	moment_open(ui, s, &mark, VIEW_PAUSES);
	return UI_DIRTY | UI_RELAYOUT;
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	if (action == ACTION_LOG_SCALE) {
		ui->log_scale = !ui->log_scale;
		return UI_DIRTY;
	}
	if (action == ACTION_OPEN)
		return open_worst(ui, s);
	return tabular_act(ui, s, &worst, action);
}

const struct view_ops view_pauses = {.draw = draw, .act = act};
