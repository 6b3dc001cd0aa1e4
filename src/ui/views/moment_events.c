/* moment_events.c - from one event of a frozen screen to the next or the previous: pauses of MOMENT_PAUSE or
 * more, marks of the trend, and the begins of findings.  The trend moves its cursor there; other views open
 * the moment. */

#include "core/sum.h"
#include "print/number.h"
#include "ui/views/trend_columns.h"

/* The nearest event so far on one side of a stamp. */
struct search {
	uint64_t earliest, end; /* range of the search */
	uint64_t at;
	int direction;
	struct moment_mark found; /* `on` if an event was found */
};

/* Take an event if it is in the direction of the search and nearer than the last one found. */
static bool take(struct search *s, unsigned domain, uint64_t from, uint64_t to)
{
	bool on_the_way = s->direction > 0 ? from > s->at : from < s->at;
	bool nearer = !s->found.on || (s->direction > 0 ? from < s->found.from : from > s->found.from);

	if (!on_the_way || !nearer || from < s->earliest || from > s->end)
		return false;
	s->found = (struct moment_mark){.on = true, .domain = domain, .from = from, .to = to};
	return true;
}

/* Take the long pauses of a domain that ended in a slot.  If the slot's events are no longer kept, the slot
 * represents its longest pause. */
static bool take_slot(
    struct search *s, const struct history *h, unsigned domain, uint64_t slot, uint64_t longest)
{
	struct history_cursor c;
	struct history_record r;
	char name[RTEV_NAME_SIZE];
	bool seen = false, taken = false;

	if (!history_seek(h, domain, slot, &c))
		return false;
	while (history_next(&c, slot + HISTORY_SLOT, &r)) {
		if (r.kind != HISTORY_SPAN || !r.pause || r.ts - r.begin < MOMENT_PAUSE)
			continue;
		seen = true;
		if (!take(s, domain, r.begin, r.ts))
			continue;
		taken = true;
		snprintf(s->found.text, sizeof(s->found.text), "D%u %s %s", domain,
		    rtev_phase_name((rtev_phase)r.id, name), format_duration(r.ts - r.begin).s);
	}
	if (seen || !take(s, domain, slot, slot + HISTORY_SLOT))
		return taken;
	snprintf(
	    s->found.text, sizeof(s->found.text), "D%u a pause of %s", domain, format_duration(longest).s);
	return true;
}

/* The coarse slots that are in both the history and the moment. */
struct slots {
	uint64_t first; /* number of the first */
	int64_t count;	/* at most HISTORY_SLOTS + 1, however far apart the target's stamps are */
	struct history_column *columns;
};

static struct slots slots_create(const struct frozen_range *m, const struct history *h)
{
	const struct history_range range = history_range(h);

	uint64_t from = m->earliest > range.slots_from ? m->earliest : range.slots_from;
	uint64_t to = m->end < range.to ? m->end : range.to;
	struct slots slots = {.first = from / HISTORY_SLOT};
	if (to >= from)
		slots.count = (int64_t)(to / HISTORY_SLOT - slots.first) + 1;
	slots.columns = calloc((size_t)slots.count + 1, sizeof(slots.columns[0]));
	if (slots.columns == NULL)
		slots.count = 0;
	return slots;
}

/* Take the nearest long pause of a domain. */
static void take_pauses(struct search *s, const struct history *h, unsigned domain, struct slots *slots)
{
	int64_t n = 0;

	if (slots->count == 0)
		return;
	if (s->at / HISTORY_SLOT > slots->first)
		n = s->at / HISTORY_SLOT - slots->first < (uint64_t)slots->count
			? (int64_t)(s->at / HISTORY_SLOT - slots->first)
			: slots->count - 1;
	history_slots(
	    h, domain, slots->first * HISTORY_SLOT, HISTORY_SLOT, (size_t)slots->count, slots->columns);
	/* An earlier pause ends in the first slot with a long one from here on. */
	for (int64_t end = n; s->direction < 0 && end < slots->count; end++)
		if (slots->columns[end].pause_max >= MOMENT_PAUSE) {
			n = end;
			break;
		}
	for (; n >= 0 && n < slots->count; n += s->direction)
		if (slots->columns[n].pause_max >= MOMENT_PAUSE &&
		    take_slot(s, h, domain, (slots->first + (uint64_t)n) * HISTORY_SLOT,
			slots->columns[n].pause_max))
			return;
}

/* Take the marks of the trend, and the begins of findings. */
static void take_points(struct search *s, const struct ui *ui, const struct subject *subject)
{
	static const char *const marks[TREND_MARK_COUNT] = {
	    [TREND_MARK_PAUSED] = "events paused",
	    [TREND_MARK_RESTART] = "the ring began anew",
	    [TREND_MARK_LOSS] = "words were lost",
	    [TREND_MARK_FLIGHT] = "a long pause was written to a file",
	};
	const struct trend *trend = watch_trend(subject->watch);
	size_t count = 0;

	for (int k = 0; k < TREND_MARK_COUNT; k++)
		for (size_t i = 0; i < trend_marks(trend, (enum trend_mark_kind)k); i++) {
			const struct trend_mark *mark = trend_mark_at(trend, (enum trend_mark_kind)k, i);
			if (take(s, ui->frozen_range.domain, mark->from, mark->to))
				snprintf(s->found.text, sizeof(s->found.text), "%s", marks[k]);
		}
	const struct advice_finding *f =
	    subject->advice != NULL ? advice_findings(subject->advice, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (take(s, f[i].subject == ADVICE_OF_DOMAIN ? f[i].domain : ui->frozen_range.domain,
			f[i].since, f[i].since))
			snprintf(s->found.text, sizeof(s->found.text), "found: %s", f[i].name);
}

/* Return the stamp from which to continue: the trend's cursor; in a moment the begin of the mark while that
 * is in the middle. */
static uint64_t position(const struct ui *ui)
{
	const struct frozen_range *m = &ui->frozen_range;

	if (ui->view == VIEW_TREND && trend_own(ui)->cursor != 0)
		return trend_own(ui)->cursor;
	if (ui->view == VIEW_TREND || !m->opened)
		return sum_saturating(m->end, 1);
	return m->mark.on && m->centre == m->mark.from + (m->mark.to - m->mark.from) / 2 ? m->mark.from
											 : m->centre;
}

/* Show what was found: in the trend by its cursor and in words, elsewhere as a moment. */
static void show(struct ui *ui, const struct subject *subject, const struct moment_mark *found)
{
	struct frozen_range *m = &ui->frozen_range;
	bool thaw = m->opened && m->thaw;

	if (ui->view == VIEW_TREND) {
		trend_point_at(trend_own(ui), subject, found->from);
		snprintf(ui->said, sizeof(ui->said), "%.72s: Enter opens it", found->text);
		ui->told = true;
		return;
	}
	moment_open(ui, subject, found, m->opened ? m->back : ui->view);
	m->thaw = thaw;
	/* A moment without a length is shown with the width of the panes. */
	if (found->to - found->from < MOMENT_SPAN_LEAST)
		m->span = ui->window;
}

unsigned moment_event(struct ui *ui, const struct subject *subject, int direction)
{
	const struct frozen_range *m = &ui->frozen_range;
	struct search s = {
	    .earliest = m->earliest, .end = m->end, .at = position(ui), .direction = direction};
	struct slots slots = slots_create(m, watch_history(subject->watch));
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = moment_domains(ui, subject, domains);

	for (int i = 0; i < count; i++)
		take_pauses(&s, watch_history(subject->watch), domains[i], &slots);
	free(slots.columns);
	/* The trend reaches further back than the history. */
	if (ui->view == VIEW_TREND)
		s.earliest = 0;
	take_points(&s, ui, subject);
	if (!s.found.on)
		ui->why = direction > 0 ? "nothing after this: no pause of 10ms, loss, finding or mark"
					: "nothing before this: no pause of 10ms, loss, finding or mark";
	else
		show(ui, subject, &s.found);
	return UI_DIRTY | UI_RELAYOUT;
}
