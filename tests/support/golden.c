/*
 * golden.c - read, compare and rewrite goldens.
 */
#include "support/golden.h"

#include "support/test.h"

/* Print the first line in which two screens differ. */
static void show_difference(const char *actual, const char *expected)
{
	int line = 1;
	while (*actual != '\0' || *expected != '\0') {
		size_t a = strcspn(actual, "\n"), e = strcspn(expected, "\n");
		if (a != e || strncmp(actual, expected, a) != 0) {
			fprintf(stderr, "line %d\n  is       |%.*s|\n  expected |%.*s|\n", line, (int)a,
			    actual, (int)e, expected);
			return;
		}
		actual += a + (actual[a] != '\0');
		expected += e + (expected[e] != '\0');
		line++;
	}
}

/* Compare a text with a golden or rewrite it. */
static void check_text(const char *text, const char *name)
{
	char path[512];
	const char *update = getenv("UPDATE_GOLDEN");
	snprintf(path, sizeof(path), "%s/screens/%s.screen", RTEV_TEST_DATA, name);
	if (update != NULL && strcmp(update, "1") == 0) {
		FILE *file = fopen(path, "wb");
		if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
			TEST_FAIL("cannot write %s", path);
		printf("wrote %s\n", path);
		return;
	}
	size_t size;
	char *expected = bytes_of_file(path, &size);
	if (expected == NULL || strcmp(text, expected) != 0) {
		show_difference(text, expected != NULL ? expected : "");
		TEST_FAIL("differs from %s; the whole screen:\n%s", path, text);
	}
	free(expected);
}

void golden_check(const struct canvas *canvas, const char *name)
{
	char *text = canvas_dump(canvas);
	if (text == NULL)
		TEST_FAIL("out of memory");
	check_text(text, name);
	free(text);
}

/* The styles as text: for each row that has any but STYLE_TEXT, "ROW: FIRST-LAST name, ...".  To be freed. */
static char *dump_styles(const struct canvas *canvas)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		TEST_FAIL("out of memory");
	for (int row = 0; row < canvas_rows(canvas); row++) {
		const struct canvas_cell *cells = canvas_row(canvas, row);
		bool any = false;

		for (int col = 0, next; col < canvas_cols(canvas); col = next) {
			next = col + 1;
			while (next < canvas_cols(canvas) && cells[next].style == cells[col].style)
				next++;
			if (cells[col].style == STYLE_TEXT)
				continue;
			if (any)
				fprintf(out, ", ");
			else
				fprintf(out, "%3d: ", row);
			fprintf(
			    out, "%d-%d %s", col, next - 1, theme_style_name((enum style)cells[col].style));
			any = true;
		}
		if (any)
			fprintf(out, "\n");
	}
	fclose(out);
	return text;
}

void golden_check_styles(const struct canvas *canvas, const char *name)
{
	char *screen = canvas_dump(canvas), *styles = dump_styles(canvas);
	size_t room = screen == NULL || styles == NULL ? 0 : strlen(screen) + strlen(styles) + 16;
	char *text = room == 0 ? NULL : malloc(room);
	if (text == NULL)
		TEST_FAIL("out of memory");
	snprintf(text, room, "%s-- styles\n%s", screen, styles);
	check_text(text, name);
	free(text);
	free(styles);
	free(screen);
}
