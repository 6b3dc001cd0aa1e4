/*
 * ring_traffic.c - say what fills the rings.
 */
#include "ui/ring_traffic.h"

#include <stdio.h>

#include "print/number.h"
#include "ui/widgets/line.h"
#include "watch/traffic.h"

bool traffic_draw(const struct subject *subject, struct canvas *canvas, struct rect line)
{
	struct model_totals totals;
	struct traffic t;
	char lost[64], ring[80] = "";

	model_totals(watch_model(subject->watch), &totals);
	if (totals.lost_words == 0)
		return false;
	traffic_read(watch_model(subject->watch), subject->ring_words, &t);
	snprintf(lost, sizeof(lost), "lost %s words", format_count(totals.lost_words).s);
	if (t.exponent > TRAFFIC_EXPONENT_MAX)
		snprintf(ring, sizeof(ring), "no ring that OCaml makes would have held them");
	else if (t.exponent > 0)
		snprintf(ring, sizeof(ring), "OCAMLRUNPARAM=e=%u would have held them", t.exponent);
	const struct formatted share = format_share(t.words, t.all);
	const struct line_item items[] = {{.value = lost, .value_style = STYLE_LOST},
	    {.value = ring, .value_style = STYLE_VALUE, .rank = 1},
	    {.label = "most is",
		.value = t.name[0] != '\0' ? t.name : "not known",
		.label_style = STYLE_LABEL,
		.value_style = STYLE_VALUE,
		.rank = 2},
	    {.value = share.s, .value_style = STYLE_VALUE, .rank = 3}};
	line_draw(canvas, line.row, line.col, line.cols, 2, items, 4);
	return true;
}
