/*
 * print.h - a comparison as text, 80 columns wide, or as JSON.
 */
#ifndef APP_DIFF_PRINT_H
#define APP_DIFF_PRINT_H

#include "app/diff/reports.h"
#include "app/diff/rows.h"
#include "record/out.h"

/* One side, for people. */
struct compared {
	const char *const *words; /* file, or COMMAND with its arguments */
	size_t word_count;
	const struct report *reports;
	size_t runs;
};

/* `judged`: runs were compared, so that there are verdicts. */
void diff_print_text(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged);
void diff_print_json(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged);

#endif
