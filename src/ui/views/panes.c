/*
 * panes.c - view 1: a grid of panes, one for each domain; while frozen, also the moment.
 *
 * Bars show the window merged by stack path as an icicle or, in timeline form, from left to right.
 */
#include "ui/views/pane.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/system_strip.h"
#include "ui/widgets/user_text.h"
#include "watch/timeline.h"

/* ---- pane search ---- */

/* Parse a domain's name.  Returns false if the text is not one. */
static bool domain_named(const char *text, unsigned *domain)
{
	static const char *const before[] = {"domain ", "domain", "D", ""};
	const char *problem;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		size_t len = strlen(before[i]);
		if (strncasecmp(text, before[i], len) != 0 || text[len] < '0' || text[len] > '9')
			continue;
		*domain = (unsigned)strtonum(text + len, 0, MODEL_DOMAINS_MAX - 1, &problem);
		return problem == NULL;
	}
	return false;
}

/* Return whether a domain has been in a phase whose name contains the text. */
static bool has_phase(const struct model_domain *d, const char *text)
{
	char name[RTEV_NAME_SIZE];

	for (size_t i = 0; i < d->phase_count; i++)
		if ((d->phases[i].count != 0 || d->phases[i].open != 0) &&
		    strcasestr(rtev_phase_name(d->phases[i].phase, name), text) != NULL)
			return true;
	return false;
}

/* Return whether a domain has written a user event whose name contains the text. */
static bool has_user(const struct model *m, unsigned domain, const char *text)
{
	for (size_t slot = 0; slot < model_user_slots(m); slot++) {
		char name[RTEV_USER_NAME_SIZE + 16];
		if (model_user(m, domain, slot) == NULL)
			continue;
		user_text_name(model_user_slot(m, slot), name, sizeof(name));
		if (strcasestr(name, text) != NULL)
			return true;
	}
	return false;
}

/* Return the index in `domains` of the next or previous domain from `from`, wrapping around, that matches a
 * text; -1: none does.  A domain's name takes precedence and must match as a whole. */
static int pane_search(
    const struct subject *subject, const unsigned *domains, int count, int from, int step, const char *text)
{
	const struct model *m = watch_model(subject->watch);
	unsigned named;

	for (int i = 0; domain_named(text, &named) && i < count; i++)
		if (domains[i] == named)
			return i;
	for (int i = 1; text[0] != '\0' && i <= count; i++) {
		int at = (from + (step > 0 ? i : count - i)) % count;
		const struct model_domain *d = model_domain(m, domains[at]);
		if (d != NULL && (has_phase(d, text) || has_user(m, domains[at], text)))
			return at;
	}
	return -1;
}

/* ---- panes ---- */

/* Body heights from which on one row shows advice, and two rows below timelines show the kernel's effect. */
#define ADVICE_FROM 14
#define KERNEL_FROM 20
#define KERNEL_ROWS 2

#define SCALE_STANDS_NS 10000000000u

/* Return whether a domain has a pane: it runs or was active in the window; or none runs, or the target has
 * ended; or it is shown alone. */
static bool domain_shown(
    const struct ui *ui, const struct subject *s, const struct model_domain *d, unsigned running)
{
	uint64_t from = s->now > ui->window ? s->now - ui->window : 0;

	if (d == NULL || !d->seen)
		return false;
	if (d->state == MODEL_DOMAIN_RUNNING || running == 0 || s->state != SUBJECT_LIVE)
		return true;
	return d->last_ts > from || (ui->zoomed && ui->chosen_domain == (int)d->domain);
}

/* Collect the domains that have a pane.  Returns their number. */
static int collect(const struct ui *ui, const struct subject *s, unsigned domains[MODEL_DOMAINS_MAX])
{
	int count = 0;
	const struct model_totals t = model_totals(watch_model(s->watch));

	for (unsigned i = 0; i < t.domains && count < MODEL_DOMAINS_MAX; i++)
		if (domain_shown(ui, s, model_domain(watch_model(s->watch), i), t.running))
			domains[count++] = i;
	return count;
}

/* Return the index of the selected domain's pane: indexes change as panes come and go. */
static int selected_of(const struct ui *ui, const unsigned *domains, int count)
{
	for (int i = 0; i < count; i++)
		if (ui->chosen_domain == (int)domains[i])
			return i;
	return panes_own(ui)->selected < count ? panes_own(ui)->selected : count > 0 ? count - 1 : 0;
}

unsigned view_panes_domain(const struct ui *ui, const struct subject *subject)
{
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = collect(ui, subject, domains);

	return count > 0 ? domains[selected_of(ui, domains, count)] : 0;
}

/* Explain why there is no pane. */
static void draw_nothing(const struct subject *s, struct canvas *canvas, struct rect body)
{
	const char *why = s->state == SUBJECT_WAITING ? "waiting for the program to start its runtime events"
						      : "no event yet";

	canvas_put_fit(canvas, rect_make(body.row + body.rows / 2, body.col, 1, body.cols), ALIGN_CENTRE,
	    STYLE_MUTED, why);
}

/* Return whether header and tabs have the same size on a screen with `rows` rows less.  Lines above the
 * footer take these rows, and the grid is solved for the smaller screen. */
static bool can_spare(const struct ui *ui, const struct canvas *canvas, int rows)
{
	return layout_top_rows(canvas_rows(canvas) - rows, canvas_cols(canvas), ui->tabs) ==
	       layout_top_rows(canvas_rows(canvas), canvas_cols(canvas), ui->tabs);
}

/* Draw the kernel's effect on the process below the timelines, in the columns of each. */
static void draw_kernel(const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area,
    const struct layout *layout)
{
	struct rect label = rect_cut_top(&area, 1);

	canvas_put_fit(canvas, label, ALIGN_LEFT, STYLE_LABEL,
	    "the process's threads waiting for a CPU, second by second; T: its group was throttled");
	for (int i = 0; i < layout->seen && i < layout->grid_cols; i++) {
		const struct rect *bars = &layout->pane[i].bars;
		struct rect line = rect_make(area.row, bars->col, 1, bars->cols);
		uint64_t t0, width;

		if (rect_empty(line))
			continue;
		timeline_align(s->now, ui->window, (unsigned)line.cols, &t0, &width);
		system_strip(canvas, line, watch_system(s->watch), t0, width, s->now);
	}
}

/* Draw the number of panes without room into the border of the last pane.  Returns the columns used. */
static int draw_more(const struct layout *layout, int count, struct canvas *canvas)
{
	const struct layout_pane *last = &layout->pane[layout->seen - 1];
	char text[64];

	if (!last->boxed || layout->seen >= count)
		return 0;
	int above = layout->pane[0].pane, below = count - above - layout->seen;
	const char *panes = (above > 0 ? above : below) == 1 ? "pane" : "panes";
	if (above > 0 && below > 0)
		snprintf(text, sizeof(text), " %d %s above, %d below ", above, panes, below);
	else
		snprintf(
		    text, sizeof(text), " %d %s %s ", above + below, panes, above > 0 ? "above" : "below");
	int width = canvas_text_width(canvas, text), room = last->frame.cols - 4;
	if (width > room)
		return 0;
	canvas_put(canvas, last->frame.row + last->frame.rows - 1,
	    last->frame.col + last->frame.cols - 2 - width, STYLE_LABEL, text);
	return width + 1;
}

/* Return the top of the scale of levels: it rises at once, and falls after SCALE_STANDS_NS without need. */
static double scale_top(struct ui *ui, uint64_t now, double highest)
{
	static const double steps[] = {0.05, 0.1, 0.25, 0.5};
	struct panes_own *own = panes_own(ui);
	double top = 1;

	for (size_t i = sizeof(steps) / sizeof(steps[0]); i-- > 0 && highest <= steps[i];)
		top = steps[i];
	if (top >= own->level_top || now < own->level_at || now - own->level_needed >= SCALE_STANDS_NS) {
		own->level_top = top;
		own->level_needed = now;
	}
	own->level_at = now;
	return own->level_top;
}

/* Boxes of another target, program or window keep no places. */
static void keep_places(const struct ui *ui, const struct subject *s, struct panes_own *own)
{
	const struct model_totals t = model_totals(watch_model(s->watch));
	const bool same = own->bars_first == t.first_ts && own->bars_restarts == t.restarts &&
			  own->bars_window == ui->window;

	for (int i = 0; i < MODEL_DOMAINS_MAX && !same; i++)
		if (own->bars[i] != NULL)
			own->bars[i]->laid = 0;
	own->bars_first = t.first_ts;
	own->bars_restarts = t.restarts;
	own->bars_window = ui->window;
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	double levels[LAYOUT_PANES_MAX][PANE_LEVELS];
	unsigned domains[MODEL_DOMAINS_MAX];
	struct layout_wish wishes[MODEL_DOMAINS_MAX];
	struct layout layout;
	struct panes_own *own = panes_own(ui);
	int count = collect(ui, s, domains);

	if (ui->frozen_range.opened) {
		moment_draw(ui, s, canvas, body);
		return;
	}
	if (count == 0) {
		slowest_leave(ui);
		draw_nothing(s, canvas, body);
		return;
	}
	keep_places(ui, s, own);
	/* The lines about the kernel and the advice are above the footer; the grid gets the remaining
	 * rows. */
	bool sampled = ui->timeline && body.rows >= KERNEL_FROM && can_spare(ui, canvas, KERNEL_ROWS) &&
		       system_past_count(watch_system(s->watch)) > 0;
	int spared = sampled ? KERNEL_ROWS : 0;
	struct rect rest = body;
	if (body.rows >= ADVICE_FROM && can_spare(ui, canvas, spared + 1) &&
	    traffic_draw(s, canvas, rect_cut_bottom(&rest, 1)))
		spared++;
	else
		rest = body;
	own->selected = selected_of(ui, domains, count);
	for (int i = 0; i < count; i++)
		wishes[i] = pane_wish(ui, s, model_domain(watch_model(s->watch), domains[i]));
	const struct layout_request request = {.rows = canvas_rows(canvas) - spared,
	    .cols = canvas_cols(canvas),
	    .tabs = ui->tabs,
	    .panes = count,
	    .wishes = wishes,
	    .first = own->first,
	    .keep = own->selected,
	    .zoomed = ui->zoomed ? own->selected : -1,
	    .rest = slowest_wish(s)};
	layout_solve(&request, &layout);
	if (rect_empty(layout.rest))
		slowest_leave(ui);
	/* Keep the grid's size while zoomed: a key may come before the grid is drawn again. */
	if (!ui->zoomed) {
		own->grid_cols = layout.grid_cols;
		own->grid_page = layout.seen;
	}
	own->first = layout.seen > 0 ? layout.pane[0].pane : 0;
	int bar_rows = 1;
	for (int i = 0; i < layout.seen; i++) {
		const int rows = pane_bar_rows(ui, domains[layout.pane[i].pane]);
		bar_rows = rows > bar_rows ? rows : bar_rows;
	}
	double highest = 0;
	for (int i = 0; i < layout.seen; i++) {
		int pane = layout.pane[i].pane;
		pane_draw(ui, s, model_domain(watch_model(s->watch), domains[pane]), canvas, &layout.pane[i],
		    bar_rows, pane == own->selected && count > 1 && slowest_place(ui) < 0, levels[i]);
		for (int l = 0; l < PANE_LEVELS; l++)
			highest = fmax(highest, levels[i][l]);
	}
	const double top = scale_top(ui, s->now, highest);
	for (int i = 0; i < layout.seen; i++) {
		int pane = layout.pane[i].pane;
		pane_levels_draw(ui, s, domains[pane], canvas, layout.pane[i].levels, levels[i], top);
		const int more = i + 1 == layout.seen && !ui->zoomed ? draw_more(&layout, count, canvas) : 0;
		if (!pane_counts(s, model_domain(watch_model(s->watch), domains[pane])))
			pane_legend_draw(ui, domains[pane], canvas, &layout.pane[i], more);
		ui_spot(
		    ui, (struct spot){
			    .kind = SPOT_PANE, .area = layout.pane[i].frame, .value = (int)domains[pane]});
	}
	slowest_draw(ui, s, canvas, layout.rest);
	if (sampled)
		draw_kernel(ui, s, canvas, rect_cut_bottom(&rest, KERNEL_ROWS), &layout);
}

/* Return the pane to which a move leads, limited to existing panes.  While frozen, left and right move in
 * time, so up and down lead to every pane. */
static int pane_after(const struct ui *ui, enum ui_action move, int from, int count)
{
	const struct panes_own *own = panes_own(ui);
	int row = ui->zoomed || ui->frozen || own->grid_cols < 1 ? 1 : own->grid_cols;
	int page = !ui->zoomed && own->grid_page > row ? own->grid_page : row;
	int to = from;

	switch (move) {
	case ACTION_PANE_LEFT:
		to = from - 1;
		break;
	case ACTION_PANE_RIGHT:
		to = from + 1;
		break;
	case ACTION_UP:
		to = from >= row ? from - row : from;
		break;
	case ACTION_DOWN:
		to = from / row < (count - 1) / row ? from + row : from;
		break;
	case ACTION_PAGE_UP:
		to = from - page;
		break;
	case ACTION_PAGE_DOWN:
		to = from + page;
		break;
	case ACTION_HOME:
		to = 0;
		break;
	case ACTION_END:
		to = count - 1;
		break;
	default:
		break;
	}
	return to < 0 || count == 0 ? 0 : to >= count ? count - 1 : to;
}

/* Move the selection; ACTION_NONE pins the pane selected now. */
static unsigned select_pane(struct ui *ui, const struct subject *s, enum ui_action move)
{
	struct panes_own *own = panes_own(ui);
	unsigned domains[MODEL_DOMAINS_MAX], reactions;
	int count = s->watch != NULL ? collect(ui, s, domains) : 0;
	int before = selected_of(ui, domains, count);

	own->selected = pane_after(ui, move, before, count);
	const bool leads_out =
	    count > 0 && own->selected == before && (move == ACTION_DOWN || move == ACTION_PANE_RIGHT);
	if (move != ACTION_NONE && slowest_act(ui, s, move, leads_out, &reactions)) {
		own->selected = before;
		return reactions;
	}
	if (count > 0)
		ui->chosen_domain = (int)domains[own->selected];
	return own->selected != before ? UI_DIRTY : UI_NOTHING;
}

/* Toggle between the selected pane and the grid. */
static unsigned zoom(struct ui *ui, const struct subject *s)
{
	/* Store the domain, since panes may come and go. */
	select_pane(ui, s, ACTION_NONE);
	ui->zoomed = !ui->zoomed;
	return UI_RELAYOUT;
}

/* Select the next or previous pane that matches the search; in the moment, the next track. */
static unsigned search_next(struct ui *ui, const struct subject *s, int step)
{
	const char *text = ui_place(ui)->search;
	unsigned domains[MODEL_DOMAINS_MAX];
	bool tracks = ui->frozen_range.opened;
	int count = tracks ? moment_domains(ui, s, domains) : collect(ui, s, domains), at = 0;

	if (!tracks)
		at = selected_of(ui, domains, count);
	while (tracks && at + 1 < count && domains[at] < ui->frozen_range.domain)
		at++;
	if (text[0] == '\0')
		return UI_NOTHING;
	int found = pane_search(s, domains, count, at, step, text);
	ui->missed = found < 0;
	if (ui->missed)
		return UI_DIRTY;
	if (tracks) {
		ui->frozen_range.domain = domains[found];
	} else {
		slowest_leave(ui);
		panes_own(ui)->selected = found;
		ui->chosen_domain = (int)domains[found];
	}
	return UI_DIRTY | UI_RELAYOUT;
}

/* Have the selected pane copied, or what the cursor is on beside the panes. */
static unsigned copy(struct ui *ui, const struct subject *s)
{
	const int slow = slowest_place(ui);
	const struct spot *shown = slow >= 0 ? ui_spot_of(ui, SPOT_SLOW, slow)
					     : ui_spot_of(ui, SPOT_PANE, (int)view_panes_domain(ui, s));

	if (shown != NULL)
		ui->copied_area = shown->area;
	return UI_NOTHING;
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	if (action == ACTION_COPY)
		return copy(ui, s);
	if (action == ACTION_SEARCH_NEXT || action == ACTION_SEARCH_BACK)
		return search_next(ui, s, action == ACTION_SEARCH_NEXT ? 1 : -1);
	if (moment_takes(ui, action))
		return moment_act(ui, s, action);
	switch (action) {
	case ACTION_BACK:
		if (slowest_place(ui) >= 0)
			return select_pane(ui, s, action);
		if (!ui->zoomed && ui_place(ui)->search[0] != '\0') {
			ui_place(ui)->search[0] = '\0';
			return UI_DIRTY;
		}
		return !ui->zoomed ? UI_NOTHING : zoom(ui, s);
	case ACTION_OPEN:
		return slowest_place(ui) >= 0 ? select_pane(ui, s, action)
		       : ui->zoomed	      ? UI_NOTHING
					      : zoom(ui, s);
	case ACTION_ZOOM:
		return zoom(ui, s);
	case ACTION_TIMELINE:
		return ui_toggle(&ui->timeline);
	case ACTION_SCALE:
		return ui_toggle(&ui->wall_scale);
	default:
		return select_pane(ui, s, action);
	}
}

static bool there(const struct ui *ui, const struct subject *s, enum ui_action action)
{
	return !ui->frozen_range.opened || (action != ACTION_SCALE && action != ACTION_LOG_SCALE);
}

static void fini(void *own)
{
	struct panes_own *panes = own;

	for (int i = 0; i < MODEL_DOMAINS_MAX; i++)
		free(panes->bars[i]);
	free(panes->slow);
}

const struct view_ops view_panes = {
    .size = sizeof(struct panes_own), .fini = fini, .there = there, .draw = draw, .act = act};
