/*
 * moment_draw.c - draw the moment of a frozen screen: its page, with ruler, scale, and what happened at the centre.
 *
 * From the top: a line with the time shown and how far back every event is kept; for a mark, its explanation;
 * a ruler with the mark and a pointer to the centre; the tracks; the time scale; what the selected domain did
 * at the centre.  Times are wall-clock times and, with a minus, relative to the freeze; those of the scale
 * start where it says.  On a low screen the tracks are dropped last.
 */

#include "ui/views/moment_scene.h"

#include "core/event.h"
#include "core/sum.h"
#include "ui/widgets/bars.h"
#include "ui/layout.h"
#include "ui/widgets/blame_line.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/system_strip.h"
#include "canvas/text.h"
#include "ui/widgets/user_text.h"

#define GUTTER_NARROW 4
#define GUTTER_WIDE_FROM 56 /* columns of the screen */
#define FAR 50		    /* distance from 0, in ranges, beyond which the scale counts from the centre */
#define NAME_LEAST 8	    /* columns of a shortened name */
#define INNER_MAX 5	    /* nested phases named below the tracks */
#define PARTS_MOST 12	    /* longest pauses of the selected domain */

/* Compute the columns: equal lengths, the first at a multiple of the length. */
static struct scene scene_make(struct ui *ui, const struct subject *s, int cols)
{
	struct scene scene = {.ui = ui,
	    .s = s,
	    .m = &ui->frozen_range,
	    .detail = moment_detail(ui, s),
	    .eventless = subject_eventless(s)};

	scene.gutter = cols >= GUTTER_WIDE_FROM ? GUTTER_WIDE : GUTTER_NARROW;
	scene.cols = cols - scene.gutter;
	if (scene.cols > TIMELINE_COLUMNS_MAX)
		scene.cols = TIMELINE_COLUMNS_MAX;
	if (scene.cols < 1)
		scene.cols = 1;
	uint64_t span = scene.m->span, columns = (uint64_t)scene.cols;
	/* One further column is needed, since the first one is aligned to a multiple. */
	uint64_t needed = columns > 1 ? columns - 1 : 1;
	scene.width = (span + needed - 1) / needed;
	scene.t0 = moment_from(scene.m) / scene.width * scene.width;
	/* A file's stamps may be anything. */
	if (scene.t0 > UINT64_MAX - columns * scene.width)
		scene.t0 = UINT64_MAX - columns * scene.width;
	return scene;
}

/* Return the column of a stamp, which may be outside the screen. */
static int column_of(const struct scene *scene, uint64_t ts)
{
	if (ts < scene->t0)
		return -1;
	uint64_t column = (ts - scene->t0) / scene->width;
	return column > (uint64_t)scene->cols ? scene->cols : (int)column;
}

/* Decimals of a second that a range needs. */
static int clock_digits(uint64_t span)
{
	return span >= 20000000000 ? 0 : span >= 20000000 ? 3 : span >= 20000 ? 6 : 9;
}

/* Draw the time shown and how far back every event is kept. */
static void draw_info(void *page, struct canvas *canvas, struct rect line)
{
	const struct scene *scene = page;
	const struct frozen_range *m = scene->m;
	char clock[SUBJECT_CLOCK], centre[SUBJECT_CLOCK];
	bool any = scene->detail != UINT64_MAX;
	const char *older = NULL;
	const struct history_range kept_range = history_range(watch_history(scene->s->watch));

	if (!scene->eventless && scene->t0 + scene->width < scene->detail &&
	    m->earliest + scene->width < scene->detail)
		older = kept_range.complete ? "older: parts were overwritten" : "older: GC share only";
	bool wall = subject_clock(scene->s, m->centre, clock_digits(m->span), centre);
	bool known = subject_clock(scene->s, moment_shown(scene->ui), clock_digits(m->span), clock);
	struct line_item items[] = {line_said("middle", 1, wall ? "%s (-%s)" : "%s-%s", centre,
					format_duration(m->end - m->centre).s),
	    line_figure("range", format_duration(m->span), 0), line_if(known, line_labelled("to", clock, 4)),
	    line_if(!scene->eventless,
		any ? line_said("every event", 2, "back to -%s", format_duration(m->end - scene->detail).s)
		    : line_styled(line_labelled("every event", "no longer kept", 2), STYLE_WARN)),
	    line_label(older, STYLE_LABEL, 3), line_right(line_label("Esc back", STYLE_LABEL, 5))};
	struct rect esc = {0};
	items[5].drawn = &esc;
	line_draw(canvas, line, 3, items, 6);
	ui_spot(scene->ui, (struct spot){.kind = SPOT_KEY, .area = esc, .value = UI_KEY_ESCAPE});
}

/* Draw the bracket of the mark with its name inside or beside it. */
static void draw_mark(const struct scene *scene, struct canvas *canvas, struct rect line)
{
	const struct moment_mark *mark = &scene->m->mark;
	int first = column_of(scene, mark->from), last = column_of(scene, mark->to);
	int width = canvas_text_width(canvas, mark->text);
	int from = first < 0 ? 0 : first, to = last >= scene->cols ? scene->cols - 1 : last;

	if (last < 0 || first >= scene->cols) {
		canvas_printf(canvas, line.row, line.col + scene->gutter, STYLE_MUTED, "%s is %s", mark->text,
		    last < 0 ? "further left" : "further right");
		return;
	}
	int at = line.col + scene->gutter;
	canvas_hline(canvas, line.row, at + from, to - from + 1, STYLE_FOCUS);
	if (first >= 0)
		canvas_glyph(
		    canvas, line.row, at + first, STYLE_FOCUS, first == last ? GLYPH_DOWN : GLYPH_TEE_LEFT);
	if (last < scene->cols && last > first)
		canvas_glyph(canvas, line.row, at + last, STYLE_FOCUS, GLYPH_TEE_RIGHT);
	if (to - from - 3 >= width)
		canvas_printf(canvas, line.row, at + from + (to - from - 1 - width) / 2, STYLE_FOCUS, " %s ",
		    mark->text);
	else if (to + 2 + width < scene->cols)
		canvas_put(canvas, line.row, at + to + 2, STYLE_FOCUS, mark->text);
	else if (from - 1 - width >= 0)
		canvas_put(canvas, line.row, at + from - 1 - width, STYLE_FOCUS, mark->text);
}

/* Draw the ruler: the mark, or the centre. */
static void draw_ruler(void *page, struct canvas *canvas, struct rect line)
{
	const struct scene *scene = page;
	const struct frozen_range *m = scene->m;
	const char *gone = "no longer kept in full detail: GC share only";
	struct rect old = canvas_clip(canvas, line);

	canvas_glyph(
	    canvas, line.row, line.col + scene->gutter + column_of(scene, m->centre), STYLE_AXIS, GLYPH_DOWN);
	if (m->mark.on && m->mark.from < scene->detail && !scene->eventless)
		canvas_printf(canvas, line.row, line.col, STYLE_WARN, "%s: %s", m->mark.text, gone);
	else if (m->mark.on)
		draw_mark(scene, canvas, line);
	else if (scene_end(scene) <= scene->detail && !scene->eventless)
		canvas_put(canvas, line.row, line.col + scene->gutter, STYLE_WARN, gone);
	canvas_unclip(canvas, old);
}

/* Draw the time scale: from the mark's begin, from the end or, if these are far away, from the centre. */
static void draw_scale(void *page, struct canvas *canvas, struct rect line)
{
	const struct scene *scene = page;
	const struct frozen_range *m = scene->m;
	uint64_t zero = m->mark.on ? m->mark.from : m->end;
	uint64_t distance = zero > m->centre ? zero - m->centre : m->centre - zero;
	const char *name = m->mark.on ? "0 = begin" : "0 = end";

	if (distance / FAR > m->span) {
		zero = m->centre;
		name = "0 = middle";
	}
	if (scene->gutter == GUTTER_WIDE)
		canvas_put(canvas, line.row, line.col, STYLE_AXIS, name);
	plot_time_axis(canvas, line.row, line.col + scene->gutter, scene->cols, (int64_t)(scene->t0 - zero),
	    (int64_t)(scene_end(scene) - zero));
}

/* What was open on a domain at a moment.  False when nothing is kept of it. */
static bool moment_at(const struct scene *scene, unsigned domain, uint64_t ts, struct history_standing *then)
{
	const struct history *h = watch_history(scene->s->watch);
	const struct history_present now = history_present(watch_model(scene->s->watch), domain);

	history_at(h, domain, ts, &now, then);
	return history_domain_from(h, domain, NULL) != UINT64_MAX;
}

/* Name the phases open at the centre from frame `first` on, the outermost first, with their durations. */
static void middle_phases(
    const struct scene *scene, const struct history_standing *then, unsigned first, char *text, size_t size)
{
	char name[RTEV_NAME_SIZE], part[48];

	text[0] = '\0';
	for (unsigned i = first; i < then->depth; i++) {
		const struct history_frame *f = &then->open[i];
		strlcat(text, text[0] != '\0' || first > 0 ? " ▸ " : "", size);
		strlcat(text, rtev_phase_name((rtev_phase)f->id, name), size);
		uint64_t end = f->end == HISTORY_OPEN ? scene->m->end : f->end;
		snprintf(part, sizeof(part), " %s%s", format_duration(end > f->begin ? end - f->begin : 0).s,
		    f->end == HISTORY_OPEN ? " and open" : "");
		strlcat(text, part, size);
	}
}

/* Describe what the selected domain did at the centre.  If there is no room for all phases, outer ones are
 * dropped: a list of shortened names would be ambiguous. */
static void draw_middle(void *page, struct canvas *canvas, struct rect line)
{
	const struct scene *scene = page;
	const struct model *m = watch_model(scene->s->watch);
	struct history_standing then;
	char text[400], label[48], user[RTEV_USER_NAME_SIZE + 16] = "", shown[TEXT_NAME];
	uint64_t at = scene->m->centre;

	if (scene->detail > at || !moment_at(scene, scene->m->domain, at, &then))
		return;
	snprintf(label, sizeof(label), "D%u in the middle ", scene->m->domain);
	if (then.user_count > 0 && then.users[then.user_count - 1].id < model_user_slots(m))
		user_text_name(model_user_slot(m, then.users[then.user_count - 1].id), user, sizeof(user));
	int whole = canvas_text_width(canvas, user), room = line.cols - canvas_text_width(canvas, label);
	int least = user[0] == '\0' ? 0 : (whole < NAME_LEAST ? whole : NAME_LEAST) + (int)strlen("   in ");
	unsigned first = then.depth > INNER_MAX ? then.depth - INNER_MAX : 0;
	middle_phases(scene, &then, first, text, sizeof(text));
	while (first + 1 < then.depth && canvas_text_width(canvas, text) + least > room)
		middle_phases(scene, &then, ++first, text, sizeof(text));
	if (text[0] == '\0')
		strlcat(text,
		    figure_seen(watch_model(scene->s->watch), at, at + 1) == 0 ? "events paused" : "no phase",
		    sizeof(text));
	if (user[0] != '\0') {
		room -= canvas_text_width(canvas, text) + (int)strlen("   in ");
		text_elide(
		    canvas_level(canvas), user, room > NAME_LEAST ? room : NAME_LEAST, shown, sizeof(shown));
		strlcat(text, "   in ", sizeof(text));
		strlcat(text, shown, sizeof(text));
	}
	label[strlen(label) - 1] = '\0';
	const struct line_item item = line_labelled(label, text, 0);
	line_draw(canvas, line, 1, &item, 1);
}

/* Draw the kernel's effect on the process. */
static void draw_system(void *page, struct canvas *canvas, struct rect line)
{
	const struct scene *scene = page;
	canvas_put_fit(canvas, rect_make(line.row, line.col, 1, scene->gutter - 1), ALIGN_LEFT, STYLE_LABEL,
	    scene->gutter == GUTTER_WIDE ? " waits CPU" : "cpu");
	rect_cut_left(&line, scene->gutter);
	line.cols = scene->cols;
	system_strip(canvas, line, watch_system(scene->s->watch), scene->t0, scene->width, scene->m->end);
}

/* Describe the kernel's effect around the mark. */
static void draw_around(void *page, struct canvas *canvas, struct rect line)
{
	const struct scene *scene = page;
	const struct moment_mark *mark = &scene->m->mark;
	char text[160];

	if (system_strip_say(watch_system(scene->s->watch), mark->from, mark->to, text, sizeof(text)))
		canvas_put_fit(canvas, line, ALIGN_LEFT, STYLE_VALUE, text);
}

/* Return the slot of the innermost user span that was open on a domain before the mark and throughout it;
 * MODEL_NO_USER: none. */
static uint32_t hit_by(const struct scene *scene, unsigned domain)
{
	const struct moment_mark *mark = &scene->m->mark;
	struct history_standing begin, end;

	if (scene->detail > mark->from || !moment_at(scene, domain, mark->from, &begin) ||
	    !moment_at(scene, domain, mark->to > mark->from ? mark->to - 1 : mark->to, &end))
		return MODEL_NO_USER;
	for (unsigned i = begin.user_count; i-- > 0;)
		for (unsigned k = 0; k < end.user_count && begin.users[i].begin < mark->from; k++)
			if (end.users[k].id == begin.users[i].id &&
			    end.users[k].begin == begin.users[i].begin)
				return begin.users[i].id;
	return MODEL_NO_USER;
}

/* Return the stop that is marked; NULL: the mark is something else. */
static const struct stw_stop *marked_stop(const struct stw *stw, const struct moment_mark *mark)
{
	for (size_t i = 0; i < stw_recent_count(stw); i++)
		if (stw_recent(stw, i)->begin == mark->from && stw_recent(stw, i)->last == mark->domain)
			return stw_recent(stw, i);
	for (size_t i = 0; i < stw_longest_count(stw); i++)
		if (stw_longest(stw, i)->begin == mark->from && stw_longest(stw, i)->last == mark->domain)
			return stw_longest(stw, i);
	return NULL;
}

/* Find the domain whose wait a mark shows, if any. */
static bool blame_of(const struct scene *scene, struct blame *blame)
{
	const struct moment_mark *mark = &scene->m->mark;
	const struct stw *stw = watch_stw(scene->s->watch);
	const struct stw_stop *stop = marked_stop(stw, mark);

	return stop != NULL ? blame_stop(stw, stop, blame)
			    : blame_pause(stw, mark->domain, mark->from, mark->to, blame);
}

/* Whether a period is marked, not a point. */
static bool marked(const struct scene *scene)
{
	return scene->m->mark.on && scene->m->mark.to > scene->m->mark.from;
}

/* Explain the time of the mark, or that of the domain that waited for another. */
static struct why marked_why(const struct scene *scene)
{
	const struct moment_mark *mark = &scene->m->mark;
	struct blame blame;

	if (!marked(scene))
		return (struct why){0};
	const bool blamed = blame_of(scene, &blame);
	const unsigned domain = blamed ? blame.domain : mark->domain;
	return why_read(
	    scene->ui, scene->s, domain, mark->from, mark->to, blamed ? &blame : NULL, hit_by(scene, domain));
}

/* ---- what explains the selected domain ---- */

/* Get the period that is explained: the mark, or else the shown range. */
static void explained(const struct scene *scene, uint64_t *from, uint64_t *to)
{
	const struct frozen_range *m = scene->m;

	*from = marked(scene) ? m->mark.from : scene->t0;
	*to = marked(scene) ? m->mark.to : scene_end(scene);
	*from = *from < m->earliest ? m->earliest : *from;
	*to = *to > m->end ? m->end : *to;
}

/* Draw the phases of the selected domain in that period. */
static void draw_phases(void *page, struct canvas *canvas, struct rect area)
{
	const struct scene *scene = page;
	struct flame_view flame;
	uint64_t from, to;

	explained(scene, &from, &to);
	if (!scene_flame(scene, scene->m->domain, from, to, &flame))
		return;
	rect_cut_top(&area, area.rows > 2 ? 1 : 0);
	struct rect label = rect_cut_left(&area, scene->gutter);
	if (scene->gutter == GUTTER_WIDE && area.rows > 0) {
		canvas_printf(canvas, label.row, label.col + 1, STYLE_LABEL, "D%u", scene->m->domain);
		if (area.rows > 1)
			canvas_put(canvas, label.row + 1, label.col + 1, STYLE_LABEL, "by phase");
	}
	bars_draw(canvas, area, &flame, scene->ui->wall_scale, NULL);
}

/* Return the rows of the phases, including a blank one above; 0: there were none. */
static int phases_rows(const struct scene *scene)
{
	struct flame_view flame;
	uint64_t from, to;
	int depth = 0;

	explained(scene, &from, &to);
	if (scene->m->bars || !scene_flame(scene, scene->m->domain, from, to, &flame))
		return 0;
	for (size_t i = 0; i < flame.count; i++)
		depth = flame.bars[i].depth >= depth ? flame.bars[i].depth + 1 : depth;
	return depth > 0 ? 1 + depth : 0;
}

/* The longest pauses of the selected domain, longest first. */
struct parts {
	struct history_record longest[PARTS_MOST];
	int count;
};

static void put_part(struct parts *parts, const struct history_record *e)
{
	int at = parts->count;

	while (at > 0 && e->ts - e->begin > parts->longest[at - 1].ts - parts->longest[at - 1].begin)
		at--;
	if (at == PARTS_MOST)
		return;
	parts->count += parts->count < PARTS_MOST;
	for (int i = parts->count - 1; i > at; i--)
		parts->longest[i] = parts->longest[i - 1];
	parts->longest[at] = *e;
}

static struct parts read_parts(const struct scene *scene)
{
	struct parts parts = {.count = 0};
	struct history_cursor c;
	struct history_record e;
	uint64_t from, to;

	explained(scene, &from, &to);
	if (!history_seek(watch_history(scene->s->watch), scene->m->domain, from, &c))
		return parts;
	/* A pause that ends with the mark is included. */
	while (history_next(&c, sum_saturating(to, 1), &e))
		if (e.kind == HISTORY_SPAN && e.pause && e.ts > e.begin)
			put_part(&parts, &e);
	return parts;
}

/* Draw the pauses, each with the domain that it waited for. */
static void draw_parts(void *page, struct canvas *canvas, struct rect area)
{
	const struct scene *scene = page;
	const struct parts parts = read_parts(scene);
	const struct stw *stw = watch_stw(scene->s->watch);
	struct rect line = rect_cut_top(&area, 1);

	canvas_printf(canvas, line.row, line.col + 1, STYLE_HEADER, "D%u, its longest pauses%s",
	    scene->m->domain, marked(scene) ? " in it" : " in this time");
	for (int i = 0; i < parts.count && area.rows > 0; i++) {
		const struct history_record *e = &parts.longest[i];
		const uint64_t zero = scene->m->mark.on ? scene->m->mark.from : scene->m->end;
		const enum rtev_phase_class class = rtev_phase_class((rtev_phase)e->id);
		char name[RTEV_NAME_SIZE], at[48], why[BLAME_TEXT] = "";
		struct blame_words words;
		struct blame blame;
		if (blame_pause(stw, scene->m->domain, e->begin, e->ts, &blame)) {
			blame_words(&blame, NULL, watch_model(scene->s->watch), &words);
			blame_line(&words, canvas_level(canvas), area.cols - 40, why, sizeof(why));
		}
		snprintf(at, sizeof(at), "%c%s", e->begin < zero ? '-' : '+',
		    format_duration(e->begin < zero ? zero - e->begin : e->begin - zero).s);
		const struct line_item items[] = {
		    line_styled(line_said("", 0, "%9s", format_duration(e->ts - e->begin).s), STYLE_VALUE),
		    line_styled(line_said("", 1, "%9s", at), STYLE_LABEL),
		    line_value(rtev_phase_name((rtev_phase)e->id, name), theme_class(class)->ink, 0),
		    line_if(why[0] != '\0', line_value(why, STYLE_TEXT, 2))};
		line_draw(canvas, rect_cut_top(&area, 1), 2, items, 4);
	}
}

void moment_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	if (rect_empty(body))
		return;
	struct scene scene = scene_make(ui, subject, body.cols);
	scene.why = marked_why(&scene);
	const bool mark = marked(&scene), tracks = !ui->frozen_range.bars,
		   sampled = system_past_count(watch_system(subject->watch)) > 0;
	int rows, wish = scene_tracks_rows(&scene, &rows), parts = read_parts(&scene).count + 1,
		  phases = phases_rows(&scene);
	const struct layout_section sections[] = {
	    {.tier = 2, .least = 1, .wish = 1, .most = 1, .draw = draw_info},
	    WHY_SECTION(2, scene.why, body.cols),
	    {.tier = 3, .least = tracks, .wish = 1, .most = 1, .draw = draw_ruler},
	    {.tier = 1, .grows = 3, .least = 4, .wish = wish, .most = rows, .draw = scene_tracks_draw},
	    {.tier = 3, .least = sampled && tracks, .wish = 1, .most = 1, .draw = draw_system},
	    {.tier = 2, .least = tracks, .wish = 1, .most = 1, .draw = draw_scale},
	    {.tier = 3, .least = sampled && mark, .wish = 1, .most = 1, .draw = draw_around},
	    {.tier = 3, .least = 1, .wish = 1, .most = 1, .draw = draw_middle},
	    {4, 0, phases > 2 ? 2 : phases, phases, phases, draw_phases},
	    {.tier = 4, .least = parts > 1 ? 2 : 0, .wish = parts, .most = parts, .draw = draw_parts},
	};

	layout_page(&scene, sections, sizeof(sections) / sizeof(sections[0]), canvas, body);
}
