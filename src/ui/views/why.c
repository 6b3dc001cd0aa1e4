/* why.c - see why.h. */
#include "ui/views/why.h"

#include "canvas/text.h"
#include "print/number.h"
#include "ui/views/tabular.h"
#include "ui/widgets/icicle.h"
#include "ui/widgets/line.h"

/* The look of a part: its fill and, without colours, its pattern. */
static const struct look {
	enum style style;
	enum glyph pattern;
} looks[SPLIT_PARTS] = {
    [SPLIT_CODE] = {STYLE_FRAME, GLYPH_FILL_FRAME},
    [SPLIT_GC] = {STYLE_PHASE_MINOR, GLYPH_FILL_MINOR},
    [SPLIT_OTHERS] = {STYLE_PHASE_STW, GLYPH_FILL_STW},
    [SPLIT_STARVED] = {STYLE_LOST, GLYPH_LOSS},
    [SPLIT_LOCK] = {STYLE_GROUP_2, GLYPH_FILL_MARK},
    [SPLIT_LOOP] = {STYLE_PHASE_IDLE, GLYPH_FILL_IDLE},
    [SPLIT_BLOCKED] = {STYLE_PHASE_IDLE, GLYPH_FILL_IDLE},
    [SPLIT_OPEN] = {STYLE_MERGED, GLYPH_NO_SAMPLE},
    [SPLIT_UNSEEN] = {STYLE_MUTED, GLYPH_FILL_UNKNOWN},
};

struct why why_read(struct ui *ui, const struct subject *s, unsigned domain, uint64_t from, uint64_t to,
    const struct blame *blame, uint32_t hit)
{
	const struct split_query query = {.watch = s->watch,
	    .flame = ui->flame,
	    .locks = s->locks,
	    .profile = s->code != NULL ? s->code->profile : NULL,
	    .hz = s->code != NULL ? s->code->hz : 0,
	    .domain = domain,
	    .from = from,
	    .to = to,
	    .now = s->now,
	    .blame = blame,
	    .hit = hit,
	    .over = s->replay != NULL || subject_over(s)};
	struct why why = {.there = true};

	why.kept = split_read(&query, &why.split);
	why.known = split_likely(&query, &why.split, why.likely, sizeof(why.likely));
	return why;
}

struct why why_read_pause(
    struct ui *ui, const struct subject *s, unsigned domain, uint64_t from, uint64_t to, uint32_t hit)
{
	struct blame blame;
	const bool blamed = blame_pause(watch_stw(s->watch), domain, from, to, &blame);

	return why_read(ui, s, domain, from, to, blamed ? &blame : NULL, hit);
}

bool why_divided(const struct why *why)
{
	for (int i = 0; i < SPLIT_PARTS; i++)
		if (why->split.of - why->split.ns[i] < why->split.of / 100)
			return false;
	return why->kept;
}

void why_bar(const struct why *why, struct canvas *canvas, struct rect line, bool shares)
{
	double values[SPLIT_PARTS];
	int cols[SPLIT_PARTS];
	struct rect rest = line;

	for (int i = 0; i < SPLIT_PARTS; i++)
		values[i] = (double)why->split.ns[i];
	share_cells(values, SPLIT_PARTS, line.cols, cols);
	for (int i = 0; i < SPLIT_PARTS; i++) {
		struct rect box = rect_cut_left(&rest, cols[i]);
		const char *name = split_name(&why->split, (enum split_part)i);
		char text[64];
		if (rect_empty(box))
			continue;
		canvas_fill(canvas, box, looks[i].style,
		    canvas_colour(canvas) ? 0 : theme_glyph(canvas_level(canvas), looks[i].pattern));
		if (box.col > line.col && box.cols > 1)
			canvas_glyph(
			    canvas, box.row, rect_cut_left(&box, 1).col, looks[i].style, GLYPH_DIVIDER);
		snprintf(text, sizeof(text), "%s %s", name, format_share(why->split.ns[i], why->split.of).s);
		if (!shares || canvas_text_width(canvas, text) > box.cols)
			strlcpy(text, name, sizeof(text));
		if (canvas_text_width(canvas, text) <= box.cols)
			canvas_put(canvas, box.row, box.col, looks[i].style, text);
	}
}

/* Draw the figures of the parts; the smaller ones are dropped first. */
static void draw_figures(const struct why *why, struct canvas *canvas, struct rect line)
{
	struct line_item items[SPLIT_PARTS];
	int count = 0;

	for (int i = 0; i < SPLIT_PARTS; i++) {
		int rank = 0;
		/* A rounding error is not a part. */
		if (why->split.ns[i] <= why->split.of / 1000000)
			continue;
		for (int k = 0; k < SPLIT_PARTS; k++)
			rank += why->split.ns[k] > why->split.ns[i] ||
				(why->split.ns[k] == why->split.ns[i] && k < i);
		items[count++] = line_said(split_name(&why->split, (enum split_part)i), rank, "%s %s",
		    format_duration(why->split.ns[i]).s, format_share(why->split.ns[i], why->split.of).s);
	}
	line_draw(canvas, line, 3, items, count);
}

/* Return the label of the sentence. */
static const char *why_label(const struct why *why)
{
	return why->known ? "likely:" : "not known:";
}

int why_rows(const struct why *why, int cols)
{
	const int room = cols - (int)strlen(why_label(why)) - 1;
	const int width = text_width(GLYPHS_BLOCKS, why->likely);

	return !why->there ? 0 : why->kept + why_divided(why) + (room > 0 && width > room ? 2 : 1);
}

void why_draw(void *page, struct canvas *canvas, struct rect area)
{
	const struct why *why = page;
	const char *label = why_label(why);

	if (area.rows > 1 && why_divided(why))
		why_bar(why, canvas, rect_cut_top(&area, 1), false);
	if (area.rows > 1 && why->kept)
		draw_figures(why, canvas, rect_cut_top(&area, 1));
	words_draw(
	    canvas, &area, label, (int)strlen(label) + 1, why->known ? STYLE_TITLE : STYLE_TEXT, why->likely);
}

void page_table_draw(void *page, struct canvas *canvas, struct rect area)
{
	const struct page *p = page;

	if (p->table->no_cursor)
		tabular_preview(p->ui, p->s, p->table, canvas, area);
	else
		tabular_draw(p->ui, p->s, p->table, canvas, area);
}
