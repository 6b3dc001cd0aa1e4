/*
 * view_panes.c - view 1: one pane for each domain in a grid, or, while the picture is frozen, the moment.
 *
 * Bars are an icicle of the window merged by stack path, or, as a timeline, the window itself from left to
 * right.
 */
#include "ui/layout.h"
#include "ui/pane.h"
#include "ui/traffic.h"
#include "ui/view.h"

/* From so many rows of the body on, one is spent on advice: the layout of a screen lower by one row has
 * the same header then. */
#define ADVICE_FROM 14

/* Whether a domain has a pane: those that run, and all once none does or the target has ended. */
static bool domain_shown(const struct subject *s, const struct model_domain *d, unsigned running)
{
	if (d == NULL || !d->seen)
		return false;
	return d->state == MODEL_DOMAIN_RUNNING || running == 0 || s->state != SUBJECT_LIVE;
}

/* Collect the domains that have a pane; returns how many. */
static int collect(const struct subject *s, unsigned domains[MODEL_DOMAINS_MAX])
{
	struct model_totals t;
	int count = 0;

	model_totals(watch_model(s->watch), &t);
	for (unsigned i = 0; i < t.domains && count < MODEL_DOMAINS_MAX; i++)
		if (domain_shown(s, model_domain(watch_model(s->watch), i), t.running))
			domains[count++] = i;
	return count;
}

/* Return the number of a domain's pane. */
int view_panes_index(const struct subject *subject, unsigned domain)
{
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = collect(subject, domains);

	for (int i = 0; i < count; i++)
		if (domains[i] == domain)
			return i;
	return -1;
}

/* Return the domain of the selected pane. */
unsigned view_panes_domain(const struct ui *ui, const struct subject *subject)
{
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = collect(subject, domains);

	return ui->selected < count ? domains[ui->selected] : 0;
}

/* Say why there is no pane. */
static void draw_nothing(const struct subject *s, struct canvas *canvas, struct rect body)
{
	const char *why = s->state == SUBJECT_WAITING ? "waiting for the program to start its runtime events"
						      : "no event yet";

	canvas_put_fit(canvas, body.row + body.rows / 2, body.col, body.cols, ALIGN_CENTRE, STYLE_MUTED, why);
}

/* Draw the view. */
static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	unsigned domains[MODEL_DOMAINS_MAX];
	struct layout_wish wishes[MODEL_DOMAINS_MAX];
	struct layout layout;
	int count = collect(s, domains);

	if (ui->frozen) {
		moment_draw(ui, s, canvas, body);
		return;
	}
	if (count == 0) {
		draw_nothing(s, canvas, body);
		return;
	}
	/* The grid is solved for a screen without the line of advice, which then takes the row above the
	 * footer. */
	bool advice = body.rows >= ADVICE_FROM && traffic_draw(s, canvas, rect_cut_bottom(&body, 1));
	if (ui->selected >= count)
		ui->selected = count - 1;
	for (int i = 0; i < count; i++)
		wishes[i] = pane_wish(ui, s, model_domain(watch_model(s->watch), domains[i]));
	const struct layout_request request = {.rows = canvas_rows(canvas) - advice,
	    .cols = canvas_cols(canvas),
	    .panes = count,
	    .wishes = wishes,
	    .first = ui->first,
	    .keep = ui->selected,
	    .zoomed = ui->zoomed ? ui->selected : -1};
	layout_solve(&request, &layout);
	ui->grid_cols = layout.grid_cols;
	ui->grid_page = layout.seen;
	ui->first = layout.seen > 0 ? layout.pane[0].pane : 0;
	for (int i = 0; i < layout.seen; i++) {
		int pane = layout.pane[i].pane;
		pane_draw(ui, s, model_domain(watch_model(s->watch), domains[pane]), canvas, &layout.pane[i],
		    pane == ui->selected && count > 1);
	}
}

/* Select a pane, the nearest one if it does not exist. */
static void select_pane(struct ui *ui, int count, int pane)
{
	ui->selected = pane < 0 || count == 0 ? 0 : pane >= count ? count - 1 : pane;
}

/* Take an action. */
static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = s->watch != NULL ? collect(s, domains) : 0;
	int before = ui->selected;

	if (ui->frozen)
		return moment_act(ui, s, action);
	int row = ui->zoomed || ui->grid_cols < 1 ? 1 : ui->grid_cols;
	int page = ui->grid_page > row ? ui->grid_page : row;
	switch (action) {
	case ACTION_LEFT:
		select_pane(ui, count, before - 1);
		break;
	case ACTION_RIGHT:
		select_pane(ui, count, before + 1);
		break;
	case ACTION_UP:
		if (before >= row)
			select_pane(ui, count, before - row);
		break;
	case ACTION_DOWN:
		if (before / row < (count - 1) / row)
			select_pane(ui, count, before + row);
		break;
	case ACTION_PAGE_UP:
		select_pane(ui, count, before - page);
		break;
	case ACTION_PAGE_DOWN:
		select_pane(ui, count, before + page);
		break;
	case ACTION_HOME:
		ui->selected = 0;
		break;
	case ACTION_END:
		ui->selected = count > 0 ? count - 1 : 0;
		break;
	case ACTION_OPEN:
	case ACTION_BACK:
		if (ui->zoomed == (action == ACTION_OPEN))
			return UI_NOTHING;
		ui->zoomed = !ui->zoomed;
		return UI_RELAYOUT;
	case ACTION_ZOOM:
		ui->zoomed = !ui->zoomed;
		return UI_RELAYOUT;
	case ACTION_TIMELINE:
		ui->timeline = !ui->timeline;
		return UI_DIRTY;
	case ACTION_SCALE:
		ui->wall_scale = !ui->wall_scale;
		return UI_DIRTY;
	case ACTION_LOG_SCALE:
		ui->log_scale = !ui->log_scale;
		return UI_DIRTY;
	default:
		return UI_NOTHING;
	}
	return ui->selected != before ? UI_DIRTY : UI_NOTHING;
}

const struct view_ops view_panes = {.draw = draw, .act = act};
