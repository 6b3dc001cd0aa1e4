/*
 * header.h - the table of header items: the text of each, its line, and the order in which items are
 * dropped when a line is too short.
 *
 * To add an item, add a row to header_items (header_items.c) and a function that formats it.
 */
#pragma once

#include "ui/view.h"

/* The lines of the header, top to bottom; from 20 rows on a headline (advice/headline.h) stands below HEADER_TARGET.  HEADER_SINCE has no items of its own: it shows those of
 * HEADER_NOW for the other window. */
enum header_line { HEADER_TARGET, HEADER_NOW, HEADER_SINCE };

/*
 * How the two windows are shown:
 *      rows    columns   form
 *      30..    any       HEADER_BELOW: a line each
 *      16..29  120..     HEADER_BESIDE: in one line, "GC 12% now 33% since 02:41", "p99 1.90ms|2.51ms"
 *      16..29  ..119     HEADER_ALONE: the last seconds
 *      ..15    any       HEADER_ONE: there is one line, which has the items with a `one_rank`
 */
enum header_form { HEADER_ONE, HEADER_ALONE, HEADER_BESIDE, HEADER_BELOW };

#define HEADER_BESIDE_FROM 120

#define HEADER_TEXT 160 /* size of an item's text */
#define HEADER_GAP 2	/* columns between two items */

/* Input of the item functions. */
struct header_facts {
	const struct ui *ui;
	const struct subject *subject;
	const struct model_totals *totals;
	const struct figures *figures;
	const struct figures_window *window; /* the window to format, in `figures` */
	enum header_form form;
	enum glyph_level level; /* of glyphs */
	bool headline;		/* the header has a line that says how the target does */
	int cols;		/* of the screen */
};

/* The text of an item.  All members are preset from the item's row; the function overrides what differs. */
struct header_text {
	const char *label;
	char full[HEADER_TEXT];
	char brief[HEADER_TEXT]; /* used where `full` does not fit; empty: none */
	enum style style;	 /* style of the text; the label has the style of its row */
	bool urgent;		 /* use the item's urgent rank */
};

struct header_item {
	const char *name; /* for tests */
	enum header_line line;
	bool windows; /* has a text for each window */
	bool right;   /* at the right edge of its line */
	int rank;     /* the item with the highest rank is dropped first; 0: never dropped */
	int brief_rank; /* of the items that still have it, the highest has its `full` replaced by `brief` first */
	int urgent_rank; /* replaces `rank` when header_text.urgent is set */
	char key;	 /* of the view that shows more */
	int one_rank;	 /* rank of an item of another line in HEADER_ONE; 0: not shown there */
	const char *label;
	enum style label_style, style;
	/* Of a plain figure: which percentile of the pauses it is; or a member of a window, a double, and its format. */
	unsigned num, den;
	struct formatted (*format)(double value);
	size_t member;
	/* Else format the item.  False: there is nothing to show, and the item takes no room. */
	bool (*text)(const struct header_facts *facts, struct header_text *out);
	/* Format both windows as one text; NULL: the two texts with a bar between. */
	void (*beside)(const struct header_facts *facts, const struct header_text *now,
	    const struct header_text *since, struct header_text *out);
};

/* The share of the traffic that the words lost since the totals began are. */
double header_lost_share(const struct header_facts *facts);

/* Format an item for the window of the facts; false as above. */
bool header_item_text(const struct header_facts *f, const struct header_item *item, struct header_text *out);

/* The table, in the order in which the items stand from left to right. */
extern const struct header_item header_items[];
extern const size_t header_item_count;
