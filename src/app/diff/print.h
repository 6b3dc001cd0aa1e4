/*
 * print.h - print a comparison as text of 80 columns, or as JSON.
 */
#ifndef APP_DIFF_PRINT_H
#define APP_DIFF_PRINT_H

#include "app/diff/reports.h"
#include "app/diff/rows.h"
#include "print/out.h"

/* One side of a comparison. */
struct compared {
	const char *const *words; /* file, or COMMAND with its arguments */
	size_t word_count;
	const struct report *reports;
	size_t runs;
};

/* Print as text.  `judged`: runs were compared, so rows have verdicts. */
void diff_print_text(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged);
void diff_print_json(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged);

#endif
