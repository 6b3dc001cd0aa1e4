/*
 * header.c - the first lines of the screen: which target, in which state, how much it collects, what was lost.
 */
#include "ui/header.h"

#include <string.h>

#include "ui/widgets/line.h"
#include "ui/views/sites_state.h"

/* Put the items of a line into words and draw them. */
static void draw_line(
    const struct header_facts *facts, enum header_line which, struct canvas *canvas, struct rect line)
{
	struct header_text texts[LINE_ITEMS_MAX];
	struct line_item items[LINE_ITEMS_MAX];
	int count = 0;

	for (size_t i = 0; i < header_item_count && count < LINE_ITEMS_MAX; i++) {
		const struct header_item *item = &header_items[i];
		struct header_text *text = &texts[count];
		if (item->line != which)
			continue;
		text->label = item->label;
		text->full[0] = text->brief[0] = '\0';
		text->style = item->style;
		text->urgent = false;
		if (!item->text(facts, text))
			continue;
		items[count++] = (struct line_item){.label = text->label,
		    .value = text->full,
		    .brief = text->brief,
		    .label_style = item->label_style,
		    .value_style = text->style,
		    .rank = text->urgent ? item->urgent_rank : item->rank,
		    .brief_rank = item->brief_rank,
		    .right = item->right};
	}
	line_draw(canvas, line.row, line.col, line.cols, HEADER_GAP, items, count);
}

/* Draw the line of a screen without a target. */
static void draw_choose(const struct subject *subject, struct canvas *canvas, struct rect area)
{
	const struct line_item items[] = {{.label = "rtevtop",
					      .value = "choose a process",
					      .label_style = STYLE_MUTED,
					      .value_style = STYLE_TITLE},
	    {.value = subject->clock, .value_style = STYLE_MUTED, .rank = 1, .right = true}};

	line_draw(canvas, area.row, area.col, area.cols, HEADER_GAP, items, 2);
}

void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct model_totals totals;
	struct figures figures;

	if (subject->watch == NULL && subject->trace != NULL && ui->view == VIEW_SITES) {
		sites_header_draw(ui, subject, canvas, area);
		return;
	}
	if (subject->watch == NULL) {
		draw_choose(subject, canvas, area);
		return;
	}
	model_totals(watch_model(subject->watch), &totals);
	figures_read(ui, subject, &figures);
	const struct header_facts facts = {.ui = ui,
	    .subject = subject,
	    .totals = &totals,
	    .figures = &figures,
	    .level = canvas_level(canvas),
	    .rows = canvas_rows(canvas),
	    .cols = area.cols};
	for (int line = 0; line < HEADER_LINES && area.rows > 0; line++)
		draw_line(&facts, line, canvas, rect_cut_top(&area, 1));
}
