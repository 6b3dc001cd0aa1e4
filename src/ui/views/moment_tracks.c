/*
 * moment_tracks.c - the tracks of the moment: what each domain did in the range shown, in columns of time or as bars merged by
 * phase; where events are no longer kept, the collector's share of each HISTORY_SLOT.
 */
#include "ui/views/moment_scene.h"

#include "print/number.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/track.h"

#define BAR_ROWS_LEAST 3
#define BAR_ROWS 6
#define TRACK_ROWS 5 /* of a track, its user events and a blank line with it */
#define BAR_ROWS_ALONE 16
#define NOTE_LEAST 24 /* least width of a remark in a track */

/* The collector's share of a column: the mean of the slots it overlaps, weighted by overlap. */
static double slots_share(
    const struct history_column *slots, size_t count, uint64_t first, uint64_t from, uint64_t to, bool *lost)
{
	double gc = 0, known = 0;

	*lost = false;
	for (uint64_t n = (from - first) / HISTORY_SLOT; n < count && first + n * HISTORY_SLOT < to; n++) {
		uint64_t begin = first + n * HISTORY_SLOT, end = begin + HISTORY_SLOT;
		double part =
		    (double)((end < to ? end : to) - (begin > from ? begin : from)) / (double)HISTORY_SLOT;
		if (!slots[n].known)
			continue;
		known += part;
		gc += part * (double)slots[n].gc / (double)HISTORY_SLOT;
		*lost = *lost || slots[n].lost > 0;
	}
	return known > 0 ? gc / known : NAN;
}

/* Draw the collector's share where events are no longer kept. */
static void draw_coarse(
    const struct scene *scene, const struct track *track, struct canvas *canvas, struct rect area)
{
	uint64_t first = scene->t0 / HISTORY_SLOT * HISTORY_SLOT;
	size_t count = (size_t)((scene_end(scene) - first) / HISTORY_SLOT) + 1;
	struct history_column *slots = calloc(count, sizeof(slots[0]));
	int run = 0;

	if (slots == NULL)
		return;
	history_slots(watch_history(scene->s->watch), track->domain, first, HISTORY_SLOT, count, slots);
	for (int c = 0; c <= scene->cols; c++) {
		bool coarse =
		    c < scene->cols && track->view.columns[c].times[TIMELINE_UNKNOWN] > scene->width / 2;
		if (!coarse) {
			if (run >= NOTE_LEAST && area.rows > 1)
				canvas_put(canvas, area.row + 1, area.col + c - run + 1, STYLE_MUTED,
				    "only the GC share is kept");
			run = 0;
			continue;
		}
		run++;
		bool lost;
		uint64_t from = scene->t0 + (uint64_t)c * scene->width;
		double share = slots_share(slots, count, first, from, from + scene->width, &lost);
		if (lost)
			canvas_glyph(canvas, area.row, area.col + c, STYLE_GAP_LOST, GLYPH_LOSS);
		else if (!isnan(share))
			canvas_char(canvas, area.row, area.col + c, STYLE_MUTED,
			    theme_shade(canvas_level(canvas), 1 + (int)(share * 7 + 0.5)));
	}
	free(slots);
}

/* Draw the label at the left of a track. */
static void draw_gutter(
    const struct scene *scene, unsigned domain, double share, struct canvas *canvas, struct rect area)
{
	bool selected = domain == scene->m->domain;

	if (selected)
		canvas_glyph(canvas, area.row, area.col, STYLE_FOCUS, GLYPH_POINTER);
	canvas_put(canvas, area.row, area.col + (scene->gutter == GUTTER_WIDE),
	    selected ? STYLE_FOCUS : STYLE_TITLE, format_said("D%u", domain).s);
	if (scene->gutter == GUTTER_WIDE)
		canvas_put_fit(canvas, rect_make(area.row, area.col + 5, 1, scene->gutter - 6), ALIGN_RIGHT,
		    STYLE_VALUE, format_percent(share).s);
}

bool scene_flame(
    const struct scene *scene, unsigned domain, uint64_t from, uint64_t to, struct flame_view *out)
{
	const struct flame_query query = {.history = watch_history(scene->s->watch),
	    .paths = model_paths(watch_model(scene->s->watch)),
	    .domain = domain,
	    .from = from,
	    .to = to,
	    .now = scene->m->end,
	    .present = history_present(watch_model(scene->s->watch), domain)};

	return from < to && flame_read(scene->ui->flame, &query, out);
}

/* Draw a track as bars merged by phase. */
static double draw_bars(const struct scene *scene, unsigned domain, struct canvas *canvas, struct rect area)
{
	struct flame_view flame;
	uint64_t end = scene_end(scene);
	/* The share is that of the domain's life. */
	struct track life = {.domain = domain, .end = end < scene->m->end ? end : scene->m->end};
	track_limit(scene->s, &life);
	uint64_t from = life.begin > scene->t0 ? life.begin : scene->t0;

	if (!scene_flame(scene, domain, from, life.end, &flame)) {
		canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_MUTED,
		    from < life.end ? "nothing is kept" : "not running then");
		return NAN;
	}
	bars_draw(canvas, area, &flame, scene->ui->wall_scale, NULL);
	return bars_gc(&flame).gc;
}

/* Draw the track of a domain. */
static void draw_track(const struct scene *scene, unsigned domain, struct canvas *canvas, struct rect area)
{
	struct rect all = area, time = area;
	int users = 0, rows = area.rows;
	double share = NAN;

	rect_cut_left(&time, scene->gutter);
	time.cols = scene->cols;
	for (size_t slot = 0; slot < model_user_slots(watch_model(scene->s->watch)) && users == 0; slot++)
		users = model_user(watch_model(scene->s->watch), domain, slot) != NULL;
	if (rows < 3)
		users = 0;
	/* A blank line separates tracks. */
	if (rows >= 4 && !scene->m->alone)
		rows--;
	rows = rows - users > scene->bar_rows ? scene->bar_rows : rows - users;
	struct track track = {.domain = domain,
	    .t0 = scene->t0,
	    .width = scene->width,
	    .end = scene->m->end,
	    .columns = (unsigned)scene->cols};
	struct rect phases = rect_cut_top(&time, rows);
	if (scene->m->bars) {
		share = draw_bars(scene, domain, canvas, phases);
	} else {
		if (track_read(scene->ui, scene->s, &track)) {
			track_draw(canvas, phases, &track);
			draw_coarse(scene, &track, canvas, phases);
			if (users > 0)
				track_draw_user(scene->s, canvas, rect_cut_top(&time, 1), &track);
			share = track_share(&track);
		}
	}
	draw_gutter(scene, domain, share, canvas, all);
	ui_spot(scene->ui, (struct spot){.kind = SPOT_TRACK, .area = all, .value = (int)domain});
}

/* Rows of phases per track: the deepest nesting seen so far. */
static int bar_rows(const struct ui *ui, const unsigned *domains, int count)
{
	int deepest = BAR_ROWS_LEAST;

	for (int i = 0; i < count; i++)
		if (ui->deepest[domains[i]] > deepest)
			deepest = ui->deepest[domains[i]];
	return deepest < BAR_ROWS ? deepest : BAR_ROWS;
}

int scene_tracks_rows(const struct scene *scene, int *most)
{
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = moment_domains(scene->ui, scene->s, domains);

	*most = scene->m->alone ? BAR_ROWS_ALONE + 1 : count * (bar_rows(scene->ui, domains, count) + 2);
	return scene->m->alone ? scene->ui->deepest[scene->m->domain] + 2 : count * TRACK_ROWS;
}

void scene_tracks_draw(void *page, struct canvas *canvas, struct rect area)
{
	struct scene *scene = page;
	struct frozen_range *m = &scene->ui->frozen_range;
	unsigned domains[MODEL_DOMAINS_MAX];
	int count = moment_domains(scene->ui, scene->s, domains), selected = 0;

	if (scene->eventless) {
		view_draw_eventless(canvas, area);
		return;
	}
	if (count == 0)
		canvas_put_fit(canvas, area, ALIGN_CENTRE, STYLE_MUTED, "no event yet");
	if (count == 0 || area.rows == 0)
		return;
	ui_spot(scene->ui, (struct spot){.kind = SPOT_TIME,
			       .area = rect_make(area.row, area.col + scene->gutter, area.rows, scene->cols),
			       .t0 = scene->t0,
			       .width = scene->width});
	while (selected + 1 < count && domains[selected] < m->domain)
		selected++;
	m->domain = domains[selected];
	scene->bar_rows = m->alone ? BAR_ROWS_ALONE : bar_rows(scene->ui, domains, count);
	if (m->alone) {
		draw_track(scene, m->domain, canvas, area);
		return;
	}
	int rows = area.rows / count, most = scene->bar_rows + 2;
	rows = rows < 1 ? 1 : rows > most ? most : rows;
	struct list list = {.first = m->first, .selected = selected};
	list_update(&list, count, area.rows / rows);
	m->first = list.first;
	m->page = list.page;
	for (int i = list.first; i < count && area.rows > 0; i++)
		draw_track(scene, domains[i], canvas, rect_cut_top(&area, rows));
}
