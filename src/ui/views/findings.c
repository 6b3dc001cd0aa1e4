/*
 * findings.c - view a: what is wrong with the target, what it costs, and what to try.
 *
 * The upper part lists the findings by descending cost.  The lower part shows the selected one in full, the
 * rules left out, and, where there is room, the other findings and the figures of the last minutes.
 */
#include "advice/advice.h"
#include "core/sum.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/widgets/user_text.h"
#include "ui/widgets/line.h"
#include "ui/views/tabular.h"

#define FINDING_COLUMNS(X)                                                                                   \
	X(NAME, "finding", 12, 24, LEFT, 0, NAMES, cell_text(f->name))                                       \
	X(SEVERITY, "", 7, 7, LEFT, 2, FIXED,                                                                \
	    cell_styled(cell_text(advice_severity_name(f->severity)),                                        \
		f->severity == ADVICE_SERIOUS ? STYLE_LOST : STYLE_TEXT))                                    \
	X(COST, "cost", 7, 8, RIGHT, 0, FIXED,                                                               \
	    cell_said("%s%s", f->confidence == ADVICE_ESTIMATED ? "~" : "", cost_text(f).s))                 \
	X(GAIN, "gain", 7, 8, RIGHT, 3, FIXED, cell_text(format_percent(f->gain).s))                         \
	X(ABOUT, "about", 7, 24, LEFT, 5, NAMES, about_cell(f))                                              \
	X(SETTING, "setting", 8, 10, LEFT, 1, FIXED, cell_text(f->setting))                                  \
	X(SINCE, "for", 6, 8, RIGHT, 4, FIXED,                                                               \
	    cell_text(format_age(s->now >= f->since ? (s->now - f->since) / 1000000000 : 0).s))

TABLE_LIST(FINDING_COLUMNS, columns, COLUMNS);

#define LABEL_COLUMNS 10
#define OTHER_LEAST 8 /* rows for each further finding in full */
#define CHART_ROWS 4  /* wished for each chart, below a blank row, a title and above a time scale */
#define CHARTS_LEAST 7
#define CHART_LABEL 22

/* Return the finding of an item; NULL: it no longer exists. */
static const struct advice_finding *finding_of(const struct subject *s, int item)
{
	size_t count;
	const struct advice_finding *findings = advice_findings(s->advice, &count);

	return item >= 0 && (size_t)item < count ? &findings[item] : NULL;
}

static int items(struct ui *ui, const struct subject *s)
{
	size_t count;

	advice_findings(s->advice, &count);
	return (int)count;
}

/* Return the address of a rule's name, which identifies its finding. */
static int64_t identity_of(const char *name)
{
	return (int64_t)(intptr_t)name;
}

static int64_t identity(struct ui *ui, const struct subject *s, int item)
{
	const struct advice_finding *f = finding_of(s, item);

	return identity_of(f != NULL ? f->name : NULL);
}

/* Describe the subject of a finding. */
static struct tabular_cell about_cell(const struct advice_finding *f)
{
	const struct model_user_slot user = {f->user, (uint16_t)strlen(f->user), MODEL_USER_SPAN};
	struct tabular_cell cell = cell_empty();
	char name[RTEV_NAME_SIZE];

	if (f->subject == ADVICE_OF_USER)
		user_text_name(&user, cell.text, sizeof(cell.text));
	return f->subject == ADVICE_OF_DOMAIN  ? cell_said("D%u", f->domain)
	       : f->subject == ADVICE_OF_PHASE ? cell_text(rtev_phase_name(f->phase, name))
					       : cell;
}

/* Format the cost for a narrow column: the share of time if there is one, else bytes. */
static struct formatted cost_text(const struct advice_finding *f)
{
	if (!isnan(f->share))
		return format_percent(f->share);
	return isnan(f->bytes) ? format_unknown() : format_bytes(whole_saturating(f->bytes));
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct advice_finding *f = finding_of(s, item);

	if (f == NULL)
		return cell_empty();
	TABLE_RETURN(FINDING_COLUMNS);
}

/* Copy a finding as its sentence and its remedy. */
static void copy(struct ui *ui, const struct subject *s, int item, char *out, size_t size)
{
	const struct advice_finding *f = finding_of(s, item);

	if (f != NULL)
		snprintf(out, size, "%s: %s Try: %s", f->name, f->text, f->remedy);
}

static const struct tabular table = {TABULAR_COLUMNS(columns), .sort = -1, .follows = true,
    .item_name = "finding", .items = items, .cell = cell, .identity = identity, .copy = copy};

/* Draw a line of the finding in full. */
static void put_words(
    struct canvas *canvas, struct rect *area, const char *label, enum style style, const char *text)
{
	words_draw(canvas, area, label, LABEL_COLUMNS, style, text);
}

/* Draw a finding in full. */
static void draw_finding(const struct advice_finding *f, struct canvas *canvas, struct rect *area)
{
	char text[ADVICE_FIGURES * 96], busy[96];
	size_t used;

	advice_busy_text(f, busy, sizeof(busy));
	put_words(canvas, area, "", STYLE_VALUE, f->text);
	advice_evidence_text(f, text, sizeof(text));
	used = strlen(text);
	snprintf(text + used, sizeof(text) - used, " (%s in %s)", advice_confidence_name(f->confidence),
	    format_duration(f->window_ns).s);
	put_words(canvas, area, "evidence", STYLE_TEXT, text);
	if (isnan(f->share))
		snprintf(text, sizeof(text), "%s", cost_text(f).s);
	else
		snprintf(text, sizeof(text), "%s of %s", cost_text(f).s, busy);
	put_words(canvas, area, "cost", STYLE_TEXT, text);
	if (!isnan(f->gain)) {
		snprintf(
		    text, sizeof(text), "%s of the busy time is expected back", format_percent(f->gain).s);
		put_words(canvas, area, "gain", STYLE_TEXT, text);
	}
	put_words(canvas, area, "try", STYLE_VALUE, f->remedy);
}

/* Draw which rules were left out. */
static void draw_left_out(const struct subject *s, struct canvas *canvas, struct rect *area)
{
	char text[1024];
	size_t count;

	advice_left_out(s->advice, &count);
	for (size_t i = 0; i < count && area->rows > 0; i++)
		if (advice_left_out_text(s->advice, i, text, sizeof(text)))
			put_words(canvas, area, "", STYLE_MUTED, text);
}

/* Draw charts of the last minutes: the figures of memory first if the finding's cost is memory, else those of time. */
static void draw_charts(
    const struct subject *s, const struct advice_finding *f, struct canvas *canvas, struct rect area)
{
	static const struct recent_chart charts[] = {
	    {"GC max", UNIT_SHARE, RECENT_TREND, TREND_GC, WATCH_ALL},
	    {"pause max", UNIT_NS, RECENT_TREND, TREND_MAX, WATCH_ALL},
	    {"CPU max", UNIT_CORES, RECENT_TREND, TREND_CPU, WATCH_ALL},
	    {"heap max", UNIT_WORDS, RECENT_TREND, TREND_HEAP, WATCH_ALL},
	    {"resident max", UNIT_BYTES, RECENT_TREND, TREND_RESIDENT, WATCH_ALL},
	    {"alloc max", UNIT_BYTE_RATE, RECENT_TREND, TREND_ALLOCATED, WATCH_ALL}};
	enum { CHARTS = sizeof(charts) / sizeof(charts[0]) };
	const bool memory = f != NULL && isnan(f->share) && !isnan(f->bytes);
	const uint64_t from = s->now > ADVICE_WINDOW_NS ? s->now - ADVICE_WINDOW_NS : 0;
	struct recent_chart chosen[CHARTS];
	struct trend_span span;
	int count = 0;

	trend_read(watch_trend(s->watch), from, s->now, &span);
	rect_cut_top(&area, 1);
	const struct rect title = rect_cut_top(&area, 1);
	for (int i = 0; i < CHARTS && (count + 1) * CHART_ROWS < area.rows; i++) {
		const struct recent_chart *chart = &charts[(i + (memory ? CHARTS / 2 : 0)) % CHARTS];
		if (!isnan(span.figures[chart->of].value))
			chosen[count++] = *chart;
	}
	if (count == 0)
		return;
	canvas_put_fit(canvas, title, ALIGN_LEFT, STYLE_TITLE, "The last minutes");
	recent_strips(s, chosen, count, CHART_LABEL, canvas, area);
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	int count = items(ui, s), rows = count < 1 ? 2 : count + 1;
	struct tabular shown = table;
	bool unexplained;

	/* The header's sentence may be of another finding than the first. */
	if (ui->arrived && s->headline.key == 'a' && s->headline.name != NULL) {
		ui->places[VIEW_FINDINGS].identity = identity_of(s->headline.name);
		ui->places[VIEW_FINDINGS].identified = true;
	}
	if (rows > body.rows / 2 && body.rows > 8)
		rows = body.rows / 2;
	shown.empty = advice_summary(s->advice, &unexplained);
	if (unexplained) {
		/* The text may take several lines. */
		put_words(canvas, &body, "", STYLE_WARN, shown.empty);
		shown.empty = "none";
	}
	tabular_draw(ui, s, &shown, canvas, rect_cut_top(&body, rows));
	rect_cut_top(&body, 1);
	const struct advice_finding *f = finding_of(s, count > 0 ? tabular_selected(ui) : -1);
	if (f != NULL && body.rows > 0) {
		draw_finding(f, canvas, &body);
		rect_cut_top(&body, 1);
	}
	draw_left_out(s, canvas, &body);
	/* If there is room, draw the other findings, too. */
	for (int i = 0; i < count && body.rows > OTHER_LEAST; i++) {
		const struct advice_finding *other = finding_of(s, i);
		if (other == f || other == NULL)
			continue;
		rect_cut_top(&body, 1);
		put_words(canvas, &body, "also", STYLE_TITLE, other->name);
		draw_finding(other, canvas, &body);
	}
	if (body.rows >= CHARTS_LEAST && s->watch != NULL)
		draw_charts(s, f, canvas, body);
}

const struct view_ops view_findings = {.table = &table, .draw = draw};
