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

/* The lines of the header, top to bottom. */
enum header_line { HEADER_TARGET, HEADER_COLLECTOR, HEADER_LINES };

#define HEADER_TEXT 160 /* room for the text of an item */
#define HEADER_GAP 2	/* columns between two items */

/* What the texts are made from. */
struct header_facts {
	const struct ui *ui;
	const struct subject *subject;
	const struct model_totals *totals;
	const struct figures *figures;
	enum glyph_level level; /* of glyphs */
	int rows, cols;		/* of the screen */
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
	bool right;	 /* at the right edge of its line */
	int rank;	 /* of two items of a line the one with the higher rank goes first; 0: stays */
	int brief_rank;	 /* likewise, when `brief` takes the place of `full` */
	int urgent_rank; /* in place of `rank` where header_text.urgent is set */
	const char *label;
	enum style label_style, style;
	/* Puts the item into words.  False: there is nothing to say, and the item takes no room. */
	bool (*text)(const struct header_facts *facts, struct header_text *out);
};

/* The table, in the order in which the items stand from left to right. */
extern const struct header_item header_items[];
extern const size_t header_item_count;

#endif
