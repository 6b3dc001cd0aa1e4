/*
 * test_table.c - columns are as wide as they say, and text is wrapped at 80 columns.
 */
#include "print/printed.h"
#include "print/out.h"
#include "support/test.h"

static struct out out;

TEST(cells)
{
	static const struct table_column columns[] = {{"name", -6}, {"n", 3}, {"last", -5}, {NULL, 0}},
					 two[] = {{"name", -6}, {"n", 3}, {NULL, 0}};

	table_head(&out, columns);
	CHECK_STR(printed(&out), "name     n last \n");
	table_cells(&out, columns, (const char *const[]){"a", "12345", "b\x1b"});
	CHECK_STR(printed(&out), "a      12345 b\\x1b   ");
	table_cells(&out, two, (const char *const[]){"longer name", ""});
	CHECK_STR(printed(&out), "longer name    ");
	table_cell(&out, 0, "x");
	CHECK_STR(printed(&out), "x");
}

/* A word goes on the next line if it would end beyond column 80; one that is longer stands alone. */
TEST(wrapping)
{
	char text[256] = "ends at ", line[512];

	memset(text + 8, 'x', 72);
	table_wrap(&out, text, 0, 2);
	snprintf(line, sizeof(line), "%s\n", text);
	CHECK_STR(printed(&out), line);
	table_wrap(&out, text, 1, 2);
	snprintf(line, sizeof(line), "ends at\n  %s\n", text + 8);
	CHECK_STR(printed(&out), line);
	memset(text, 'y', 90);
	strcpy(text + 90, "  z");
	table_wrap(&out, text, 4, 4);
	snprintf(line, sizeof(line), "%.90s\n    z\n", text);
	CHECK_STR(printed(&out), line);
	/* The indent counts. */
	memset(text, 'x', 76);
	memset(text + 77, 'y', 76);
	text[76] = ' ';
	strcpy(text + 153, " z");
	table_wrap(&out, text, 0, 4);
	snprintf(line, sizeof(line), "%.76s\n    %.76s\n    z\n", text, text + 77);
	CHECK_STR(printed(&out), line);
	table_wrap(&out, "", 4, 4);
	CHECK_STR(printed(&out), "\n");
}

/* A micro sign is one column; where the locale has none it is a u, as other signs of numbers have their stand-ins. */
TEST(signs)
{
	table_cell(&out, 7, "588µs");
	CHECK_STR(printed(&out), "  588µs");
	table_cell(&out, -6, "µµ");
	CHECK_STR(printed(&out), "µµ    ");
	out.ascii = true;
	table_cell(&out, 7, "≥58µs");
	CHECK_STR(printed(&out), "  >58us");
	out_format(&out, "≤1 ±8%% \u00e9");
	CHECK_STR(printed(&out), "<1 ~8% \\xc3\\xa9");
	out.ascii = false;
}

int main(void)
{
	out_init(&out, -1);
	test_run();
	return 0;
}
