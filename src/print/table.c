/* table.c - pad and wrap text, counting its UTF-8 characters. */
#include "print/table.h"

void table_blanks(struct out *out, int count)
{
	while (count-- > 0)
		out_char(out, ' ');
}

static int characters(const char *text, size_t len)
{
	int count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void table_cell(struct out *out, int width, const char *text)
{
	size_t len = strlen(text);
	int rest = abs(width) - characters(text, len);

	table_blanks(out, width > 0 ? rest : 0);
	out_foreign(out, text, len);
	table_blanks(out, width < 0 ? rest : 0);
}

void table_cells(struct out *out, const struct table_column *columns, const char *const *cells)
{
	for (size_t i = 0; columns[i].title != NULL; i++) {
		table_blanks(out, i > 0);
		table_cell(out, columns[i].width, cells[i]);
	}
}

void table_head(struct out *out, const struct table_column *columns)
{
	for (size_t i = 0; columns[i].title != NULL; i++) {
		table_blanks(out, i > 0);
		table_cell(out, columns[i].width, columns[i].title);
	}
	out_char(out, '\n');
}

void table_wrap(struct out *out, const char *text, int at, int indent)
{
	for (bool first = true; *text != '\0'; first = false) {
		size_t len = strcspn(text, " ");
		const int cols = characters(text, len);
		if (!first && at + 1 + cols > TABLE_COLUMNS) {
			out_char(out, '\n');
			table_blanks(out, indent);
			at = indent;
		} else if (!first) {
			out_char(out, ' ');
			at++;
		}
		out_foreign(out, text, len);
		at += cols;
		text += len;
		text += strspn(text, " ");
	}
	out_char(out, '\n');
}
