/*
 * slowest.c - the contents of free space beside panes: the slowest requests, which are user spans, and the
 * longest pauses, each with an explanation of its time (why.h).
 *
 * Data about a span other than its events arrive up to SETTLE_NS after its end: until then its split is read
 * again once in READ_NS, and then kept.  A span under the cursor stays selected while others come and go.
 */
#include "ui/views/pane.h"

#include "ui/recent.h"
#include "ui/views/tabular.h"
#include "ui/views/why.h"
#include "ui/widgets/user_text.h"

#define LISTS 2
#define SPANS 10 /* maximum spans of a list */
#define SPANS_WISHED 5
#define READ_NS 1000000000u
#define SETTLE_NS 3000000000u
#define SAME_PART 10 /* an inner span that is shorter by less than this part of the outer one is left out */
#define ROWS_LEAST 7
#define SPAN_ROWS 2 /* most rows of a span: its description, and the split of its time if there is one */
#define SPAN_NAME (RTEV_USER_NAME_SIZE + 16)
#define DURATION_COLS 7
#define PLACE_COLS 13 /* columns of domain and age in a wide line, and the blanks around */
#define WIDE_FROM 80  /* least width of a line whose explanation stands beside its name, not at the end */

struct slow {
	uint64_t begin, end;
	unsigned domain;
	uint32_t slot; /* slot of the span; MODEL_NO_USER: it is a pause */
	rtev_phase phase;
};

struct slow_list {
	struct slow spans[SPANS];
	int count;
};

struct slow_memory {
	/* Splits that were read, by span: when, and the last drawing with each. */
	unsigned drawing;
	struct slow_split {
		struct slow of;
		struct why why;
		uint64_t read;
		unsigned drawn;
	} splits[LISTS * SPANS];

	/* The spans of the last drawing, and the one under the cursor, if it is here. */
	struct slow_list shown[LISTS];
	int lists;
	bool on;
	int list, at;
	struct slow picked;
};

static uint64_t length_of(const struct slow *s)
{
	return s->end - s->begin;
}

static bool same(const struct slow *a, const struct slow *b)
{
	return a->begin == b->begin && a->end == b->end && a->domain == b->domain;
}

/* Whether a span is inside another one and nearly as long. */
static bool covers(const struct slow *outer, const struct slow *inner)
{
	return outer->domain == inner->domain && outer->begin <= inner->begin && outer->end >= inner->end &&
	       length_of(outer) - length_of(inner) <= length_of(outer) / SAME_PART;
}

/* Insert a span into a list sorted by descending duration.  Of two that are nearly the same the outer one stays. */
static void take(struct slow_list *list, struct slow span)
{
	int kept = 0;

	for (int i = 0; i < list->count; i++)
		if (covers(&list->spans[i], &span))
			return;
	for (int i = 0; i < list->count; i++)
		if (!covers(&span, &list->spans[i]))
			list->spans[kept++] = list->spans[i];
	list->count = kept;
	int at = list->count;
	while (at > 0 && length_of(&list->spans[at - 1]) < length_of(&span))
		at--;
	if (at == SPANS)
		return;
	list->count += list->count < SPANS;
	memmove(
	    &list->spans[at + 1], &list->spans[at], (size_t)(list->count - 1 - at) * sizeof(list->spans[0]));
	list->spans[at] = span;
}

/* Take the spans that had ended at the shown time. */
static void take_all(
    struct slow_list *list, const struct subject *s, const struct longest_list *longest, uint32_t slot)
{
	for (unsigned i = 0; longest != NULL && i < longest->count; i++) {
		const struct longest_span *span = &longest->spans[i];
		if (span->end <= s->now)
			take(list,
			    (struct slow){span->begin, span->end, span->domain, slot, span->pause_phase});
	}
}

/* Read the slowest requests, and the longest pauses.  Returns the number of lists that are not empty. */
static int read_lists(const struct subject *s, struct slow_list lists[LISTS])
{
	const struct model *m = watch_model(s->watch);
	int count = 0;

	memset(lists, 0, LISTS * sizeof(lists[0]));
	for (size_t slot = 0; slot < model_user_slots(m); slot++)
		if (blame_hit(m, (uint32_t)slot) != NULL)
			take_all(lists, s, longest_of(watch_longest(s->watch), slot), (uint32_t)slot);
	count += lists[0].count > 0;
	for (unsigned d = 0; d < model_domains(m); d++)
		take_all(&lists[count], s, watch_longest_pauses(s->watch, d), MODEL_NO_USER);
	return count + (lists[count].count > 0);
}

/* Return the explanation of a span's time, which is valid during the drawing. */
static const struct why *why_of(struct ui *ui, const struct subject *s, const struct slow *span)
{
	struct slow_memory *m = panes_own(ui)->slow;
	struct slow_split *split = NULL, *oldest = m->splits;

	for (int i = 0; i < LISTS * SPANS && split == NULL; i++) {
		struct slow_split *at = &m->splits[i];
		if (same(&at->of, span))
			split = at;
		oldest = at->drawn < oldest->drawn ? at : oldest;
	}
	if (split == NULL) {
		split = oldest;
		*split = (struct slow_split){.of = *span};
	}
	split->drawn = m->drawing;
	if (split->read == 0 || (split->read < span->end + SETTLE_NS && s->now >= split->read + READ_NS)) {
		split->read = s->now;
		split->why = why_read_pause(ui, s, span->domain, span->begin, span->end, MODEL_NO_USER);
	}
	return &split->why;
}

/* Return the name of a span, which may be stored in `buf`. */
static const char *name_of(const struct subject *s, const struct slow *span, char buf[SPAN_NAME])
{
	if (span->slot == MODEL_NO_USER)
		return rtev_phase_name(span->phase, buf);
	user_text_name(model_user_slot(watch_model(s->watch), span->slot), buf, SPAN_NAME);
	return buf;
}

/* Return the rows that a span takes. */
static int rows_of(struct ui *ui, const struct subject *s, const struct slow *span)
{
	const struct why *why = why_of(ui, s, span);

	return why->kept && !why_divided(why) ? 1 : SPAN_ROWS;
}

/* Return where the clause before the one that ends at `end` ends; at most 0: there is none. */
static int clause_before(const char *text, int end)
{
	do
		end--;
	while (end > 0 && (strchr(":;,", text[end]) == NULL || text[end + 1] != ' '));
	return end;
}

/* Return as many clauses of a span's explanation as fit into `room` columns; else the part that is most of it. */
static struct line_item likely_item(const struct why *why, const struct canvas *canvas, int room)
{
	struct line_item item;
	enum split_part most = 0;
	int words = (int)strlen(why->likely);

	do
		item = line_said("likely:", 2, "%.*s", words, why->likely);
	while (line_width(canvas, &item) > room && (words = clause_before(why->likely, words)) > 0);
	for (int i = 0; i < SPLIT_PARTS; i++)
		most = why->split.ns[i] > why->split.ns[most] ? (enum split_part)i : most;
	return line_brief(item, most == SPLIT_OPEN ? "" : split_name(&why->split, most), 4);
}

/* Draw a span in two rows: its description and the split of its time; in one row, without the split. */
static void draw_span(struct ui *ui, const struct subject *s, const struct slow *span, int names,
    struct canvas *canvas, struct rect area)
{
	const struct why *why = why_of(ui, s, span);
	const bool pause = span->slot == MODEL_NO_USER, wide = area.cols >= WIDE_FROM;
	struct rect line = rect_cut_top(&area, 1);
	char buf[SPAN_NAME];
	const char *name = name_of(s, span, buf);
	struct line_item items[4] = {
	    line_value(name, pause ? theme_class(rtev_phase_class(span->phase))->ink : STYLE_USER_SPAN, 0),
	    line_styled(line_said("", 1, "D%u", span->domain), STYLE_LABEL),
	    line_styled(
		line_said("", 3, "-%s", format_age((s->now - span->end) / 1000000000).s), STYLE_LABEL)};
	canvas_put_fit(canvas, rect_cut_left(&line, DURATION_COLS), ALIGN_RIGHT,
	    pause ? recent_style(limit_level(LIMIT_PAUSE, (double)length_of(span))) : STYLE_VALUE,
	    format_duration(length_of(span)).s);
	rect_cut_left(&line, 1);
	if (wide)
		line_draw(canvas, rect_cut_left(&line, names + PLACE_COLS), 1, items, 3);
	int room = line.cols;
	for (int i = 0; i < 3 && !wide; i++)
		room -= line_width(canvas, &items[i]) + 1;
	const struct line_item likely = likely_item(why, canvas, room);
	items[3] = line_if(why->known, wide ? likely : line_right(likely));
	line_draw(canvas, line, 1, items + 3 * wide, 4 - 3 * wide);
	if (rect_empty(area))
		return;
	if (why->kept)
		why_bar(why, canvas, area, true);
	else
		canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_MUTED, "its events are no longer kept");
}

/* Put the cursor on a span that is shown, or as near as there is one. */
static void pick(struct slow_memory *m, int list, int at)
{
	const int last = m->shown[list].count - 1;

	m->on = true;
	m->list = list;
	m->at = at < last ? at : last;
	m->picked = m->shown[list].spans[m->at];
}

/* Draw one of the shown lists in a frame, with the key of the view that has all spans. */
static void draw_list(
    struct ui *ui, const struct subject *s, int number, struct canvas *canvas, struct rect frame)
{
	struct slow_memory *m = panes_own(ui)->slow;
	struct slow_list *list = &m->shown[number];
	const bool pauses = list->spans[0].slot == MODEL_NO_USER, on = m->on && m->list == number;
	const char *more = pauses ? " [5] all " : " [4] all ";
	const int width = canvas_text_width(canvas, more);
	const struct rect inside = rect_make(frame.row + 1, frame.col + 2, frame.rows - 2, frame.cols - 4);
	const struct rect key =
	    rect_make(frame.row + frame.rows - 1, frame.col + frame.cols - 2 - width, 1, width);
	const struct line_item title =
	    line_styles(line_figure(pauses ? "longest pauses" : "slowest requests", recent_since_words(s), 0),
		on ? STYLE_FOCUS : STYLE_TITLE, STYLE_LABEL);
	int ends[SPANS], room = 0, names = 0;

	for (int i = 0, used = 0; i < list->count && used < inside.rows; i++) {
		char buf[SPAN_NAME];
		const int cols = canvas_text_width(canvas, name_of(s, &list->spans[i], buf));
		names = cols < inside.cols / 3 ? (cols > names ? cols : names) : inside.cols / 3;
		ends[room++] = used += rows_of(ui, s, &list->spans[i]);
	}
	list->count = room;
	canvas_box(canvas, frame, on ? STYLE_FOCUS : STYLE_BORDER);
	line_draw(canvas, rect_make(frame.row, inside.col, 1, inside.cols), 1, &title, 1);
	canvas_put_fit(canvas, key, ALIGN_LEFT, STYLE_LABEL, more);
	canvas_restyle(canvas, rect_make(key.row, key.col + 1, 1, 3), STYLE_KEY);
	ui_spot(ui, (struct spot){.kind = SPOT_KEY, .area = key, .value = pauses ? '5' : '4'});
	int at = m->at;
	for (int i = 0; on && i < list->count; i++)
		at = same(&list->spans[i], &m->picked) ? i : at;
	/* The marked span stays picked when slower ones arrive. */
	if (on)
		pick(m, number, at);
	for (int i = 0; i < list->count; i++) {
		const int from = i > 0 ? ends[i - 1] : 0;
		const struct rect area = rect_intersect(
		    inside, rect_make(inside.row + from, inside.col, ends[i] - from, inside.cols));
		draw_span(ui, s, &list->spans[i], names, canvas, area);
		ui_spot(ui, (struct spot){.kind = SPOT_SLOW, .area = area, .value = number * SPANS + i});
		if (on && i == m->at)
			canvas_restyle(canvas, rect_make(area.row, area.col, 1, area.cols), STYLE_SELECTED);
	}
}

struct layout_extra slowest_wish(const struct subject *s)
{
	struct slow_list lists[LISTS];
	const int wish = 2 + 2 * SPANS_WISHED;

	return (struct layout_extra){read_lists(s, lists) > 0 ? ROWS_LEAST : 0, wish, wish};
}

void slowest_draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	const int room = area.cols / LAYOUT_PANE_COLS_COMFORTABLE;

	if (panes_own(ui)->slow == NULL)
		panes_own(ui)->slow = calloc(1, sizeof(*panes_own(ui)->slow));
	struct slow_memory *m = panes_own(ui)->slow;
	if (m == NULL)
		return;
	m->lists = 0;
	if (area.rows >= 4 && area.cols >= LAYOUT_PANE_COLS_LEAST) {
		const int count = read_lists(s, m->shown);
		m->lists = count < room ? count : room > 0 ? room : 1;
	}
	m->lists = m->lists > 0 && m->shown[0].count == 0 ? 0 : m->lists;
	/* The cursor stays in its list, wherever that is now. */
	bool there = false;
	for (int i = 0; i < m->lists && m->on && !there; i++) {
		there = (m->shown[i].spans[0].slot == MODEL_NO_USER) == (m->picked.slot == MODEL_NO_USER);
		m->list = there ? i : m->list;
	}
	m->on = there;
	m->drawing++;
	for (int i = 0; i < m->lists; i++)
		draw_list(ui, s, i, canvas, rect_cut_left(&area, area.cols / (m->lists - i)));
}

int slowest_place(const struct ui *ui)
{
	const struct slow_memory *m = panes_own(ui)->slow;

	return m != NULL && m->on ? m->list * SPANS + m->at : -1;
}

bool slowest_pick(struct ui *ui, int place)
{
	struct slow_memory *m = panes_own(ui)->slow;
	const struct slow before = m->picked;
	const bool on = m->on;

	pick(m, place / SPANS, place % SPANS);
	return on && same(&before, &m->picked);
}

void slowest_leave(struct ui *ui)
{
	if (panes_own(ui)->slow != NULL)
		panes_own(ui)->slow->on = false;
}

bool slowest_act(
    struct ui *ui, const struct subject *s, enum ui_action action, bool leads_out, unsigned *reactions)
{
	struct slow_memory *m = panes_own(ui)->slow;
	char name[SPAN_NAME];

	if (m == NULL || m->lists == 0 || (!m->on && !leads_out))
		return false;
	*reactions = UI_DIRTY;
	if (!m->on) {
		pick(m, 0, 0);
		return true;
	}
	const struct slow *span = &m->picked;
	if (action == ACTION_OPEN) {
		/* The ring may have begun anew since the drawing. */
		if (span->slot != MODEL_NO_USER && span->slot >= model_user_slots(watch_model(s->watch)))
			return true;
		*reactions = moment_open_span(
		    ui, s, span->domain, span->begin, span->end, VIEW_PANES, name_of(s, span, name));
		return true;
	}
	const int count = m->shown[m->list].count;
	struct list list = {.count = count, .page = count, .selected = m->at};
	const int to = m->list + (action == ACTION_PANE_RIGHT) - (action == ACTION_PANE_LEFT),
		  moved = tabular_moves(&list, action);
	const bool sideways = to != m->list, up = action == ACTION_UP;
	m->on = sideways ? to >= 0 : moved > (up ? 0 : -1);
	if (m->on)
		pick(m, to < m->lists ? to : m->list, list.selected);
	return m->on || sideways || up || action == ACTION_BACK;
}
