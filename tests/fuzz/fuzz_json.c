/*
 * fuzz_json.c - any bytes as a report of stats, and its figures beside themselves.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/diff/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A report compared with itself has not changed. */
static void compare(const struct diff_figures *f)
{
	struct diff_figures runs[] = {*f, *f, *f};
	const struct compared sides[SIDES] = {{.reports = runs, .runs = 3}, {.reports = runs, .runs = 3}};
	struct rows rows;

	if (rows_make(&rows, sides) != 0)
		return;
	if (rows_judge(&rows) == 0)
		for (size_t i = 0; i < rows.count; i++)
			if (rows.list[i].verdict == VERDICT_CHANGED || rows.list[i].change != 0)
				abort();
	rows_fini(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct diff_figures figures;
	json_error_t why;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	int error = diff_figures_read(&figures, text, size, true, &why);
	free(text);
	if (error == 0) {
		compare(&figures);
		diff_figures_fini(&figures);
	}
	return 0;
}
