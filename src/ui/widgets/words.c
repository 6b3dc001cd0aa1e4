/*
 * words.c - see words.h.
 */
#include "ui/widgets/words.h"

#include <stdio.h>
#include <string.h>

void words_draw(struct canvas *canvas, struct rect *area, const char *label, int label_cols, enum style style,
    const char *text)
{
	struct rect line = rect_cut_top(area, 1);
	int col = label_cols;

	canvas_put_fit(canvas, line.row, line.col, label_cols, ALIGN_LEFT, STYLE_LABEL, label);
	while (*text != '\0' && line.rows > 0) {
		char word[256];
		size_t length = strcspn(text, " ");
		snprintf(word, sizeof(word), "%.*s", (int)(length < sizeof(word) ? length : sizeof(word) - 1),
		    text);
		int width = canvas_text_width(canvas, word);
		if (col + width > line.cols && col > label_cols) {
			line = rect_cut_top(area, 1);
			col = label_cols;
			continue;
		}
		if (width > line.cols - col)
			canvas_put_name(canvas, line.row, line.col + col, line.cols - col, style, word);
		else
			canvas_put(canvas, line.row, line.col + col, style, word);
		col += width + 1;
		text += length;
		text += strspn(text, " ");
	}
}
