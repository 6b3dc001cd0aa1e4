/*
 * dump.c - convert a canvas to text, for files and tests.
 */
#include "canvas/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "canvas/text.h"

/* A growing text; `failed` is set when out of memory. */
struct growing {
	char *text;
	size_t len, room;
	bool failed;
};

/* Append bytes and keep the text NUL-terminated. */
static void append(struct growing *out, const char *bytes, size_t len)
{
	if (out->failed)
		return;
	if (out->room - out->len <= len) {
		size_t room = (out->len + len) * 2 + 64;
		char *text = realloc(out->text, room);
		if (text == NULL) {
			out->failed = true;
			return;
		}
		out->text = text;
		out->room = room;
	}
	memcpy(out->text + out->len, bytes, len);
	out->len += len;
	out->text[out->len] = '\0';
}

/* Return the text, or free it and return NULL if appending has failed. */
static char *finish(struct growing *out)
{
	append(out, "", 0);
	if (!out->failed)
		return out->text;
	free(out->text);
	return NULL;
}

/* Number of columns of a row without trailing blanks. */
static int used_columns(const struct canvas_cell *cells, int cols)
{
	while (cols > 0 && cells[cols - 1].text[0] == ' ' && cells[cols - 1].text[1] == 0)
		cols--;
	return cols;
}

char *canvas_dump(const struct canvas *canvas)
{
	struct growing out = {0};
	for (int row = 0; row < canvas_rows(canvas); row++) {
		const struct canvas_cell *cells = canvas_row(canvas, row);
		int used = cells == NULL ? 0 : used_columns(cells, canvas_cols(canvas));
		for (int col = 0; col < used; col++) {
			for (int i = 0; i < CANVAS_CODE_POINTS && cells[col].text[i] != 0; i++) {
				char bytes[4];
				append(&out, bytes, text_encode(cells[col].text[i], bytes));
			}
		}
		append(&out, "\n", 1);
	}
	return finish(&out);
}
