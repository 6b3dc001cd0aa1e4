/*
 * fuzz_json.c - any bytes as a report of stats, and its figures beside themselves.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/diff/figures.h"
#include "app/diff/json.h"
#include "app/diff/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A report compared with itself has not changed. */
static void compare(const struct diff_figures *f)
{
	const struct diff_figures *sides[] = {f, f, f};
	struct rows rows;

	if (rows_make(&rows, sides, 3, sides, 3) != 0)
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
	const struct json *root;
	struct json_tree *tree;
	struct diff_figures figures;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	if (json_read(&tree, &root, text, size) == 0) {
		if (diff_figures_read(&figures, root, true) == 0) {
			compare(&figures);
			diff_figures_fini(&figures);
		}
		json_destroy(tree);
	}
	free(text);
	return 0;
}
