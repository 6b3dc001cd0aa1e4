/*
 * why.h - the conclusion of a page: what a domain's time in a stretch went into (watch/split.h), as a bar of names and as
 * figures, and what likely made it so long.
 *
 *      code        ▏GC    ▏no processor
 *      code 96.0ms 11 %   GC 52.0ms 6 %   no processor 688ms 79 %
 *      likely: no processor: its thread waited 688ms of 1.00s around it for one
 */
#pragma once

#include "ui/view.h"
#include "watch/split.h"

struct why {
	bool there; /* false: there is nothing to explain */
	struct split split;
	bool kept, known;
	char likely[2 * BLAME_TEXT];
};

/* Explain a period; `blame`: the domain that was waited for, or NULL; `hit`: the user slot of a span that
 * contains it, or MODEL_NO_USER. */
struct why why_read(struct ui *ui, const struct subject *subject, unsigned domain, uint64_t from, uint64_t to,
    const struct blame *blame, uint32_t hit);

/* Explain a period of a domain, after looking up the domain that it waited for. */
struct why why_read_pause(
    struct ui *ui, const struct subject *subject, unsigned domain, uint64_t from, uint64_t to, uint32_t hit);

/* Return the rows of an explanation in some columns; a section of a page with it. */
#define WHY_SECTION(tier_, why, cols)                                                                        \
	{                                                                                                    \
		.tier = (tier_), .least = (why).there, .wish = why_rows(&(why), (cols)),                     \
		.most = why_rows(&(why), (cols)), .draw = why_draw                                           \
	}
int why_rows(const struct why *why, int cols);

/* Whether there is something to divide: a bar of one part shows nothing. */
bool why_divided(const struct why *why);

/* Draw the bar of the recorded time: a part has its name, with `shares` also its share, or only its
 * colour. */
void why_bar(const struct why *why, struct canvas *canvas, struct rect line, bool shares);

/* Draw the explanation with which the data of a page begin. */
void why_draw(void *page, struct canvas *canvas, struct rect area);

/* Data of one drawing of a page: the explanation of the selected item, a table, and further data of its sections. */
struct page {
	struct why why;
	struct ui *ui;
	const struct subject *s;
	const struct tabular *table;
	const void *of;
};

/* Draw the table of a page. */
void page_table_draw(void *page, struct canvas *canvas, struct rect area);
