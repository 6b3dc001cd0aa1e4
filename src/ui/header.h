/*
 * header.h - the table of the header's items: what each says, on which line it stands, and the order in which items go when a line is
 * too short.
 *
 * To add an item, add a row to header_items (header_items.c) and the function that puts it into words.
 */
#ifndef UI_HEADER_H
#define UI_HEADER_H

#include "ui/figures.h"
#include "ui/view.h"

/* The lines of the header, top to bottom.  HEADER_SINCE has no items of its own: it shows those of HEADER_NOW in the other window. */
enum header_line { HEADER_TARGET, HEADER_NOW, HEADER_SINCE };

/*
 * How the two windows of the figures are shown.
 *      rows    columns   form
 *      30..    any       HEADER_BELOW: a line each
 *      16..29  110..     HEADER_BESIDE: in one line, "GC 12% now 33% since 02:41", "p99 1.90ms|2.51ms"
 *      16..29  ..109     HEADER_ALONE: the last seconds
 *      ..15    any       HEADER_ONE: there is one line, which has the items with a `one_rank`
 */
enum header_form { HEADER_ONE, HEADER_ALONE, HEADER_BESIDE, HEADER_BELOW };

#define HEADER_BESIDE_FROM 110

#define HEADER_TEXT 160 /* room for the text of an item */
#define HEADER_GAP 2	/* columns between two items */

/* What the texts are made from. */
struct header_facts {
	const struct ui *ui;
	const struct subject *subject;
	const struct model_totals *totals;
	const struct figures *figures;
	const struct figures_window *window; /* the one to tell of, in `figures` */
	enum header_form form;
	enum glyph_level level; /* of glyphs */
	int cols;		/* of the screen */
};

/* An item in words.  All members are preset from the item's row; the function sets what differs. */
struct header_text {
	const char *label;
	char full[HEADER_TEXT];
	char brief[HEADER_TEXT]; /* shown instead of `full` where that has no room; empty: there is none */
	enum style style;	 /* of the text; the label has that of its row */
	bool urgent;		 /* the item goes by its urgent rank */
};

struct header_item {
	const char *name; /* as tests know it */
	enum header_line line;
	bool windows;	 /* it tells of a window: each has a text of its own */
	bool right;	 /* at the right edge of its line */
	int rank;	 /* of two items of a line the one with the higher rank goes first; 0: stays */
	int brief_rank;	 /* likewise, when `brief` takes the place of `full` */
	int urgent_rank; /* in place of `rank` where header_text.urgent is set */
	int one_rank;	 /* of an item of another line in HEADER_ONE; 0: it is not there */
	const char *label;
	enum style label_style, style;
	/* Puts the item into words.  False: there is nothing to say, and the item takes no room. */
	bool (*text)(const struct header_facts *facts, struct header_text *out);
	/* Puts both windows into one text; NULL: with a stroke between the two. */
	void (*beside)(const struct header_facts *facts, const struct header_text *now,
	    const struct header_text *since, struct header_text *out);
};

/* The form for so much room. */
enum header_form header_form(struct rect area);

/* The table, in the order in which the items stand from left to right. */
extern const struct header_item header_items[];
extern const size_t header_item_count;

#endif
