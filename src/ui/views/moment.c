/* moment.c - the period that is shown on a frozen screen, and its keys. */
#include "ui/views/moment.h"

#include "core/sum.h"
#include "print/number.h"
#include "canvas/text.h"

#include "ui/view.h"
#include "ui/views/trend_columns.h"

/* A step to the left or right is 1/STEP_PART of the range. */
#define STEP_PART 8

#define MARK_NAME 72 /* of a name in a mark's text, and its columns */
#define MARK_NAME_COLS 48

#define SECOND UINT64_C(1000000000)

uint64_t moment_span_next(uint64_t span, int direction)
{
	static const uint64_t digits[] = {1, 2, 5};
	static const uint64_t minutes[] = {1, 2, 5, 10};
	uint64_t steps[32], below = MOMENT_SPAN_LEAST, above = MOMENT_SPAN_MOST;
	int count = 0;

	for (uint64_t decade = MOMENT_SPAN_LEAST; decade <= 10 * SECOND; decade *= 10)
		for (int i = 0; i < 3 && decade * digits[i] < 50 * SECOND; i++)
			steps[count++] = decade * digits[i];
	for (int i = 0; i < 4; i++)
		steps[count++] = minutes[i] * 60 * SECOND;
	for (int i = 0; i < count && steps[i] < span; i++)
		below = steps[i];
	for (int i = count - 1; i >= 0 && steps[i] > span; i--)
		above = steps[i];
	return direction < 0 ? below : above;
}

uint64_t moment_from(const struct frozen_range *moment)
{
	return moment->centre > moment->span / 2 ? moment->centre - moment->span / 2 : 0;
}

uint64_t moment_shown(const struct ui *ui)
{
	const struct frozen_range *m = &ui->frozen_range;
	uint64_t end = sum_saturating(m->centre, m->span - m->span / 2);

	return ui->view == VIEW_PANES && m->opened && end < m->end ? end : m->end;
}

uint64_t moment_detail(const struct ui *ui, const struct subject *subject)
{
	const struct history_range range = history_range(watch_history(subject->watch));

	uint64_t from = range.from;
	if (from < ui->frozen_range.kept)
		from = ui->frozen_range.kept;
	return from > ui->frozen_range.end ? UINT64_MAX : from;
}

/* A domain has a track if it had an event in the kept range. */
int moment_domains(const struct ui *ui, const struct subject *subject, unsigned *out)
{
	int count = 0;
	const struct model_totals t = model_totals(watch_model(subject->watch));

	for (unsigned i = 0; i < t.domains && count < MODEL_DOMAINS_MAX; i++) {
		const struct model_domain *d = model_domain(watch_model(subject->watch), i);
		if (d != NULL && d->seen && d->last_ts >= ui->frozen_range.earliest &&
		    d->first_ts <= ui->frozen_range.end)
			out[count++] = i;
	}
	return count;
}

/* Limit the range to the history, unless it is longer.  Around a mark, one side may be empty. */
static void hold(struct frozen_range *moment)
{
	uint64_t half = moment->span / 2;
	uint64_t last = moment->mark.on ? moment->end : moment->end > half ? moment->end - half : 0;
	uint64_t first = moment->mark.on ? moment->earliest : moment->earliest + half;

	if (moment->centre < first)
		moment->centre = first;
	if (moment->centre > last)
		moment->centre = last;
}

/* Return the stamp from which on no event is missing; events overwritten before the attach count as
 * missing. */
static uint64_t kept_from(const struct subject *subject, uint64_t from)
{
	MODEL_FOREACH (d, watch_model(subject->watch))
		if (d->seen && d->history_lost_words != 0 && d->first_ts > from)
			from = d->first_ts;
	return from;
}

void moment_begin(struct ui *ui, const struct subject *subject, uint64_t span)
{
	unsigned domain = view_panes_domain(ui, subject);
	const struct history_range range = history_range(watch_history(subject->watch));

	const struct model_totals t = model_totals(watch_model(subject->watch));
	uint64_t earliest = range.slots_from > t.first_ts ? range.slots_from : t.first_ts;
	if (earliest > subject->now)
		earliest = subject->now;
	/* Show a short history as a whole. */
	if (span > subject->now - earliest)
		span = moment_span_next(subject->now - earliest, 1);
	ui->frozen_range = (struct frozen_range){.earliest = earliest,
	    .end = subject->now,
	    .kept = kept_from(subject, range.from),
	    .centre = subject->now > span / 2 ? subject->now - span / 2 : 0,
	    .span = span,
	    .domain = domain,
	    .back = VIEW_PANES};
}

void moment_open(
    struct ui *ui, const struct subject *subject, const struct moment_mark *mark, enum ui_view back)
{
	bool was_frozen = ui->frozen, inside = ui->frozen_range.opened && ui->view == VIEW_PANES;

	if (!was_frozen && !ui_freeze(ui, subject))
		return;
	struct frozen_range *m = &ui->frozen_range;
	uint64_t length = mark->to - mark->from;
	m->span = length > MOMENT_SPAN_MOST / 2 ? MOMENT_SPAN_MOST
		  : length < MOMENT_SPAN_LEAST	? 2 * MOMENT_SPAN_LEAST
						: 2 * length;
	m->centre = mark->from + length / 2;
	m->domain = mark->domain;
	m->mark = *mark;
	m->mark.on = m->opened = true;
	m->alone = false;
	/* From a moment opened in a moment, Esc returns to where the first one was opened. */
	if (!inside) {
		m->back = back;
		m->thaw = !was_frozen;
	}
	hold(m);
	ui_go_to(ui, VIEW_PANES);
}

unsigned moment_open_as(struct ui *ui, const struct subject *subject, struct moment_mark mark,
    enum ui_view back, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	utf8_print(mark.text, sizeof(mark.text), format, args);
	va_end(args);
	moment_open(ui, subject, &mark, back);
	return UI_DIRTY | UI_RELAYOUT;
}

unsigned moment_open_span(struct ui *ui, const struct subject *s, unsigned domain, uint64_t from, uint64_t to,
    enum ui_view back, const char *name)
{
	char shown[MARK_NAME];

	return moment_open_as(ui, s, (struct moment_mark){.domain = domain, .from = from, .to = to}, back,
	    "D%u %s %s", domain, text_elide(GLYPHS_BLOCKS, name, MARK_NAME_COLS, shown, sizeof(shown)),
	    format_duration(to - from).s);
}

unsigned moment_open_kept(
    struct ui *ui, const struct subject *s, const struct moment_mark *mark, enum ui_view back)
{
	char clock[SUBJECT_CLOCK];
	const struct history_range range = history_range(watch_history(s->watch));

	const struct model_totals t = model_totals(watch_model(s->watch));
	uint64_t kept = range.slots_from > t.first_ts ? range.slots_from : t.first_ts;
	struct moment_mark opened = *mark;
	opened.from = mark->from > kept ? mark->from : kept;
	opened.to = mark->to < s->now ? mark->to : s->now;
	if (opened.to > kept && t.seen) {
		moment_open(ui, s, &opened, back);
		return UI_DIRTY | UI_RELAYOUT;
	}
	if (subject_clock(s, kept, 0, clock))
		snprintf(ui->said, sizeof(ui->said), "no longer kept: the events kept begin at %s", clock);
	else
		snprintf(ui->said, sizeof(ui->said), "no longer kept: only the last %s are",
		    format_age((s->now > kept ? s->now - kept : 0) / SECOND).s);
	ui->why = ui->said;
	return UI_DIRTY;
}

void moment_hold_at(struct frozen_range *m, uint64_t stamp, uint64_t before)
{
	if (!m->opened || m->span == before || before == 0)
		return;
	double off = (double)(int64_t)(m->centre - stamp) * (double)m->span / (double)before;
	m->centre = off < 0 && (uint64_t)-off > stamp ? 0 : stamp + (uint64_t)(int64_t)off;
	hold(m);
}

/* ---- to a time ---- */

/* Read a time before `end`: "-30s", "30", "-5m", "2h". */
static bool read_ago(const char *text, uint64_t end, uint64_t *out)
{
	uint64_t ns;

	if (!time_text_read(text + (text[0] == '-'), &ns))
		return false;
	*out = end - (ns < end ? ns : end);
	return true;
}

/* Read a time of day as the latest one before `end`: "22:28", "22:28:30". */
static bool read_clock(const struct subject *s, const char *text, uint64_t end, uint64_t *out)
{
	const int64_t day = 86400 * (int64_t)SECOND, offset = s->wall_offset + s->zone_s * (int64_t)SECOND;
	uint64_t of_day;

	if (!clock_text_read(text, &of_day) || s->wall_offset == 0 || end > INT64_MAX / 2 ||
	    (int64_t)end + offset < day)
		return false;
	const int64_t now = (int64_t)end + offset;
	int64_t then = now - now % day + (int64_t)of_day;
	then -= then > now ? day : 0;
	*out = then > offset ? (uint64_t)(then - offset) : 0;
	return true;
}

unsigned moment_go_to(struct ui *ui, const struct subject *subject, const char *text)
{
	const enum ui_view back = ui->view;
	const bool was_frozen = ui->frozen;
	uint64_t at;

	if (!was_frozen && !ui_freeze(ui, subject))
		return UI_DIRTY;
	const struct subject s = snapshot_subject(ui->snapshot, subject);
	struct frozen_range *m = &ui->frozen_range;
	if (!read_ago(text, m->end, &at) && !read_clock(&s, text, m->end, &at)) {
		if (!was_frozen)
			ui_thaw(ui);
		ui->why = s.wall_offset == 0 && strchr(text, ':') != NULL
			      ? "the wall clock of this file is not known: 30s, 5m"
			      : "no such time: 30s, 5m, 22:28 or 22:28:30";
		return UI_DIRTY;
	}
	if (back == VIEW_TREND) {
		trend_point_at(trend_own(ui), &s, at);
		return UI_DIRTY;
	}
	if (at < m->earliest) {
		snprintf(ui->said, sizeof(ui->said), "only the last %s are kept: this is the oldest",
		    format_age((m->end - m->earliest) / SECOND).s);
		ui->why = ui->said;
	}
	m->centre = at;
	if (!m->opened) {
		m->opened = true;
		m->alone = m->bars = false;
		m->domain = view_panes_domain(ui, &s);
		m->back = back;
		m->thaw = !was_frozen;
	}
	at = at < m->earliest ? m->earliest : at > m->end ? m->end : at;
	m->mark = (struct moment_mark){.on = true, .domain = m->domain, .from = at, .to = at};
	snprintf(m->mark.text, sizeof(m->mark.text), "%.40s", text);
	hold(m);
	return ui_go_to(ui, VIEW_PANES) | UI_RELAYOUT;
}

/* Show the moment in place of the panes. */
static unsigned open_here(struct ui *ui, const struct subject *subject)
{
	struct frozen_range *m = &ui->frozen_range;

	m->domain = view_panes_domain(ui, subject);
	m->opened = true;
	m->alone = m->bars = m->mark.on = m->thaw = false;
	m->back = VIEW_PANES;
	return UI_DIRTY | UI_RELAYOUT;
}

/* Go back to all domains, then to the view it was opened from. */
static unsigned go_back(struct ui *ui)
{
	struct frozen_range *m = &ui->frozen_range;

	if (m->alone) {
		m->alone = false;
		return UI_DIRTY | UI_RELAYOUT;
	}
	m->opened = false;
	if (m->thaw)
		ui_thaw(ui);
	return ui_go_to(ui, m->back);
}

/* Select another domain. */
static unsigned select_domain(struct ui *ui, const struct subject *subject, int by)
{
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = moment_domains(ui, subject, domains), at = 0;

	if (count == 0)
		return UI_NOTHING;
	while (at + 1 < count && domains[at] < ui->frozen_range.domain)
		at++;
	at += by;
	at = at < 0 ? 0 : at >= count ? count - 1 : at;
	if (domains[at] == ui->frozen_range.domain)
		return UI_NOTHING;
	ui->frozen_range.domain = domains[at];
	return UI_DIRTY;
}

/* Move in time or change the span.  Returns true if anything changed. */
static bool move(struct frozen_range *m, enum ui_action action)
{
	uint64_t centre = m->centre, span = m->span;
	const uint64_t step = action == ACTION_TIME_BACK_5S || action == ACTION_TIME_ON_5S ? 5 * SECOND
			      : action == ACTION_TIME_BACK || action == ACTION_TIME_ON	   ? span / STEP_PART
											   : span;

	switch (action) {
	case ACTION_TIME_BACK:
	case ACTION_TIME_BACK_5S:
	case ACTION_TIME_BACK_ALL:
		m->centre -= step < m->centre ? step : m->centre;
		break;
	case ACTION_TIME_ON:
	case ACTION_TIME_ON_5S:
	case ACTION_TIME_ON_ALL:
		m->centre = sum_saturating(m->centre, step);
		break;
	case ACTION_HOME:
		m->centre = m->earliest + m->span / 2;
		break;
	case ACTION_END:
		m->centre = m->end > m->span / 2 ? m->end - m->span / 2 : 0;
		break;
	default:
		m->span = moment_span_next(m->span, action == ACTION_ZOOM_IN ? -1 : 1);
		break;
	}
	hold(m);
	return m->centre != centre || m->span != span;
}

/* Return whether an action moves in time. */
static bool moves(enum ui_action action)
{
	return (action >= ACTION_TIME_BACK_5S && action <= ACTION_TIME_ON_ALL) ||
	       action == ACTION_TIME_BACK || action == ACTION_TIME_ON || action == ACTION_HOME ||
	       action == ACTION_END || action == ACTION_ZOOM_IN || action == ACTION_ZOOM_OUT;
}

bool moment_takes(const struct ui *ui, enum ui_action action)
{
	return ui->frozen_range.opened || (ui->frozen && (moves(action) || action == ACTION_TIMELINE));
}

unsigned moment_act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	struct frozen_range *m = &ui->frozen_range;

	if (!m->opened) {
		unsigned reactions = open_here(ui, subject);
		return reactions | (moves(action) ? moment_act(ui, subject, action) : UI_NOTHING);
	}
	if (moves(action))
		return move(m, action) ? UI_DIRTY : UI_NOTHING;
	switch (action) {
	case ACTION_UP:
		return select_domain(ui, subject, -1);
	case ACTION_DOWN:
		return select_domain(ui, subject, 1);
	case ACTION_PAGE_UP:
		return select_domain(ui, subject, m->page > 1 ? -m->page : -1);
	case ACTION_PAGE_DOWN:
		return select_domain(ui, subject, m->page > 1 ? m->page : 1);
	case ACTION_OPEN:
	case ACTION_ZOOM:
		if (action == ACTION_OPEN && m->alone)
			return UI_NOTHING;
		m->alone = !m->alone;
		return UI_DIRTY | UI_RELAYOUT;
	case ACTION_TIMELINE:
		return ui_toggle(&m->bars);
	case ACTION_BACK:
		return go_back(ui);
	default:
		return UI_NOTHING;
	}
}
