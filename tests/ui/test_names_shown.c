/*
 * test_names_shown.c - names that begin alike are told apart in every view, and a name is whole where there
 * is room.
 */
#include "support/test.h"

#include "canvas/text.h"
#include "core/event.h"
#include "ui/view.h"
#include "ui/views/span_page.h"
#include "ui/views/tabular.h"
#include "ui/widgets/blame_line.h"
#include "ui/widgets/call_tree.h"
#include "ui/widgets/user_text.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define BEGIN (1000 * SECOND)

/* Names that differ at the end, and one that differs in the middle of what is too long for any column. */
static const char *const names[] = {"http.server.request.handler.users.profile.get",
    "http.server.request.handler.users.profile.put", "http.server.request.handler.users.profile.delete",
    "http.server.request.handler.users.picture.get", "データベース.接続プール.待ち時間.読み取り.主",
    "データベース.接続プール.待ち時間.読み取り.副",
    "e\xcc\x81tape.tre\xcc\x80s.longue.du.calcul.premie\xcc\x80re.partie",
    ("bell\a.\x1b[31mred.\x9b"
     "32mgreen.what.follows.is.a.name.x")};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* A name that is shortened keeps its begin and its end, and takes as many columns as it may. */
TEST(test_elide)
{
	static const enum glyph_level levels[] = {GLYPHS_BLOCKS, GLYPHS_LINES, GLYPHS_ASCII};
	char out[TEXT_NAME];

	CHECK_STR(text_elide(GLYPHS_BLOCKS, "http.request.handler", 15, out, sizeof(out)), "http.re…handler");
	CHECK_STR(text_elide(GLYPHS_BLOCKS, "http.request", 12, out, sizeof(out)), "http.request");
	CHECK_STR(text_elide(GLYPHS_BLOCKS, "http.request", 11, out, sizeof(out)), "http.…quest");
	CHECK_STR(text_elide(GLYPHS_BLOCKS, "abc", 2, out, sizeof(out)), "a…");
	CHECK_STR(text_elide(GLYPHS_BLOCKS, "abc", 1, out, sizeof(out)), "…");
	CHECK_STR(text_elide(GLYPHS_BLOCKS, "abc", 0, out, sizeof(out)), "");
	CHECK_STR(text_elide(GLYPHS_BLOCKS, "", 0, out, sizeof(out)), "");
	/* A wide character that does not fit leaves a column; marks go with what they stand on. */
	CHECK_STR(text_elide(GLYPHS_BLOCKS, "データベース", 8, out, sizeof(out)), "デー…ス");
	CHECK_STR(text_elide(GLYPHS_BLOCKS,
		      "abe\xcc\x81"
		      "cde\xcc\x81",
		      4, out, sizeof(out)),
	    "ab…e\xcc\x81");
	for (size_t level = 0; level < 3; level++)
		for (int i = 0; i < NAMES; i++)
			for (int cols = 0; cols < 60; cols++) {
				int all = text_width(levels[level], names[i]);
				int width = text_width(levels[level],
				    text_elide(levels[level], names[i], cols, out, sizeof(out)));
				CHECK(width <= cols && width >= (all < cols ? all : cols - 2));
			}
	/* The buffer's end is kept. */
	char small[8];
	CHECK_INT(strlen(text_elide(GLYPHS_BLOCKS, names[0], 40, small, sizeof(small))), 7);
}

/* What is shown: a target with spans and numbers of such names. */
struct show {
	struct watch *watch;
	struct subject subject;
	struct ui *ui;
};

static void show_make(struct show *s)
{
	struct rtev_callbacks calls;
	uint64_t ts = BEGIN;

	*s = (struct show){.watch = watch_create(&(struct watch_options){.attach_ts = BEGIN}),
	    .ui = ui_create(&(struct ui_options){.view = VIEW_PANES})};
	CHECK(s->watch != NULL && s->ui != NULL);
	struct model *m = watch_model(s->watch);
	model_callbacks(&calls);
	calls.lifecycle(m, 0, ts, RTEV_LIFECYCLE_RING_START, 0);
	for (int round = 0; round < 20; round++) {
		for (unsigned i = 0; i < NAMES; i++) {
			struct rtev_user_event user = {.id = (uint16_t)i, .generation = 1};
			user.name_len = (uint16_t)strlen(names[i]);
			memcpy(user.name, names[i], user.name_len);
			calls.user_span(m, 0, ts, &user, true);
			calls.begin(m, 0, ts + MS, RTEV_PHASE_MINOR);
			calls.end(m, 0, ts + 2 * MS + i * MS / 10, RTEV_PHASE_MINOR);
			calls.user_span(m, 0, ts + 20 * MS, &user, false);
			ts += 25 * MS;
		}
		watch_advance(s->watch, ts, ts);
	}
	s->subject = (struct subject){.watch = s->watch,
	    .now = ts,
	    .clock = "18:31:04",
	    .state = SUBJECT_LIVE,
	    .pid = 4242,
	    .name = "server",
	    .exit_status = -1};
}

static void show_fini(struct show *s)
{
	ui_destroy(s->ui);
	watch_destroy(s->watch);
}

/* The name in a row as it is drawn: from the first column of `from` to the first two blanks, "" when there is
 * none. */
static void name_at(const struct canvas *canvas, int row, int from, char out[512])
{
	const struct canvas_cell *cells = canvas_row(canvas, row);
	size_t used = 0;
	int blanks = 0;

	for (int c = from; c < canvas_cols(canvas) && blanks < 2; c++) {
		if (cells[c].columns == 0)
			continue;
		blanks = cells[c].text[0] == ' ' ? blanks + 1 : 0;
		for (int i = 0; i < CANVAS_CODE_POINTS && cells[c].text[i] != 0; i++)
			used += text_encode(cells[c].text[i], out + used);
	}
	out[used - (used > 0 ? (size_t)blanks : 0)] = '\0';
}

/* The first row from `row` on that has a text, -1: there is none. */
static int row_with(const struct canvas *canvas, const char *text)
{
	char *screen = canvas_dump(canvas), *at = strstr(screen, text);
	int row = 0;

	for (char *c = screen; at != NULL && c < at; c++)
		row += *c == '\n';
	free(screen);
	return at != NULL ? row : -1;
}

/* As many lines below `row` as there are names differ. */
static void check_apart(const struct canvas *canvas, int row, int from)
{
	char shown[NAMES][512];

	CHECK(row >= 0);
	for (int i = 0; i < NAMES; i++) {
		name_at(canvas, row + 1 + i, from, shown[i]);
		if (shown[i][0] == '\0')
			TEST_FAIL("%d names:\n%s", i, canvas_dump(canvas));
		for (int k = 0; k < i; k++)
			if (strcmp(shown[i], shown[k]) == 0)
				TEST_FAIL("%s twice:\n%s", shown[i], canvas_dump(canvas));
	}
}

static bool has(const struct canvas *canvas, const char *text)
{
	return row_with(canvas, text) >= 0;
}

static const int sizes[][2] = {{24, 80}, {40, 120}, {60, 200}, {100, 300}};

/* The table of user events. */
TEST(test_user_view)
{
	struct show s;

	show_make(&s);
	for (int i = 0; i < 4; i++) {
		struct canvas *canvas = canvas_create(sizes[i][0], sizes[i][1]);
		ui_press(s.ui, &s.subject, '4');
		ui_draw(s.ui, &s.subject, canvas);
		check_apart(canvas, row_with(canvas, "event  "), 0);
		for (int n = 0; n < 6 && i > 0; n++)
			if (!has(canvas, names[n]))
				TEST_FAIL("no %s:\n%s", names[n], canvas_dump(canvas));
		canvas_destroy(canvas);
	}
	show_fini(&s);
}

/* The user events of a pane, and the longest pauses beside them. */
TEST(test_panes)
{
	struct show s;

	show_make(&s);
	for (int i = 0; i < 4; i++) {
		struct canvas *canvas = canvas_create(sizes[i][0], sizes[i][1]);
		ui_press(s.ui, &s.subject, '1');
		for (int n = 0; n < 4; n++)
			ui_draw(s.ui, &s.subject, canvas);
		check_apart(canvas, row_with(canvas, "│promoted"), 1);
		canvas_destroy(canvas);
	}
	show_fini(&s);
}

/* Names of a pane that there is no row for take no width from those that are drawn. */
TEST(test_names_below)
{
	struct rtev_callbacks calls;
	struct canvas *canvas = canvas_create(24, 80);
	struct show s;

	s = (struct show){.watch = watch_create(&(struct watch_options){.attach_ts = BEGIN}),
	    .ui = ui_create(&(struct ui_options){.view = VIEW_PANES})};
	CHECK(s.watch != NULL && s.ui != NULL && canvas != NULL);
	model_callbacks(&calls);
	for (unsigned i = 0; i < 60; i++) {
		struct rtev_user_event user = {.id = (uint16_t)i, .generation = 1};
		user.name_len = (uint16_t)snprintf(
		    user.name, sizeof(user.name), "n.%02u%s", i, i < 40 ? "" : ".and.what.makes.it.long");
		calls.user_span(watch_model(s.watch), 0, BEGIN + i * MS, &user, true);
		calls.user_span(watch_model(s.watch), 0, BEGIN + i * MS + 1000, &user, false);
	}
	watch_advance(s.watch, BEGIN + SECOND, BEGIN + SECOND);
	s.subject = (struct subject){
	    .watch = s.watch, .now = BEGIN + SECOND, .state = SUBJECT_LIVE, .exit_status = -1};
	ui_draw(s.ui, &s.subject, canvas);
	CHECK(has(canvas, "more") && !has(canvas, "long"));
	if (!has(canvas, "n.00     span "))
		TEST_FAIL("not beside it:\n%s", canvas_dump(canvas));
	canvas_destroy(canvas);
	show_fini(&s);
}

/* The worst pauses, in which program's span each was. */
TEST(test_pauses)
{
	struct show s;

	show_make(&s);
	for (int i = 0; i < 4; i++) {
		struct canvas *canvas = canvas_create(sizes[i][0], sizes[i][1]);
		ui_press(s.ui, &s.subject, '5');
		ui_draw(s.ui, &s.subject, canvas);
		/* The longest are those of the last name, which has what can't be shown in it. */
		CHECK(has(canvas, "bell?.?[31mred.?"));
		if (!has(canvas, ".follows.is.a.name.x"))
			TEST_FAIL("not whole:\n%s", canvas_dump(canvas));
		canvas_destroy(canvas);
	}
	show_fini(&s);
}

/* ---- a table whose names are longer than their columns are wide at least ---- */

#define WAIT_COLUMNS(X)                                                                                      \
	X(PATH, "path", 12, 36, LEFT, 0, NAMES)                                                              \
	X(DOES, "in", 8, 20, LEFT, 0, NAMES)                                                                 \
	X(EMPTY, "empty", 12, 30, LEFT, 2, NAMES)                                                            \
	X(SINCE, "for", 8, 12, RIGHT, 0, FIXED)

enum { WAIT_COLUMNS(TABLE_ENUM) WAIT_COLUMN_COUNT };
static const struct table_column wait_columns[WAIT_COLUMN_COUNT] = {WAIT_COLUMNS(TABLE_ROW)};
static const char *const waits[] = {"Condition.await", "Semaphore.acquire", "Stream.take (empty)"};

static int wait_items(struct ui *ui, const struct subject *s)
{
	return 3;
}

static struct tabular_cell wait_cell(struct ui *ui, const struct subject *s, int item, int column)
{
	return column == COLUMN_PATH	? cell_said("server/%0*d", item == 2 ? 200 : 4, item)
	       : column == COLUMN_DOES	? cell_text(waits[item])
	       : column == COLUMN_SINCE ? cell_duration(SECOND)
					: cell_empty();
}

/* A name is whole as long as other columns are empty or wider than what is in them, though another name takes all that there is. */
TEST(test_empty_columns)
{
	static const struct tabular table = {.columns = wait_columns,
	    .column_count = WAIT_COLUMN_COUNT,
	    .sort = -1,
	    .empty = "",
	    .items = wait_items,
	    .cell = wait_cell};
	struct show s;

	show_make(&s);
	for (int cols = 68; cols <= 120; cols++) {
		struct canvas *canvas = canvas_create(8, cols);
		tabular_draw(s.ui, &s.subject, &table, canvas, rect_make(0, 0, 8, cols));
		for (int i = 0; i < 3; i++)
			if (!has(canvas, waits[i]))
				TEST_FAIL("%d columns, no %s:\n%s", cols, waits[i], canvas_dump(canvas));
		CHECK(has(canvas, "server/0000 ") && has(canvas, "1.00s"));
		canvas_destroy(canvas);
	}
	show_fini(&s);
}

/* The title of a span's page. */
TEST(test_page)
{
	struct show s;

	show_make(&s);
	for (int i = 0; i < 4; i++) {
		struct canvas *canvas = canvas_create(sizes[i][0], sizes[i][1]);
		ui_press(s.ui, &s.subject, '4');
		ui_press(s.ui, &s.subject, UI_KEY_HOME);
		ui_draw(s.ui, &s.subject, canvas);
		ui_press(s.ui, &s.subject, UI_KEY_ENTER);
		ui_draw(s.ui, &s.subject, canvas);
		CHECK(span_page_of(s.ui)->on);
		CHECK(has(canvas,
		    i == 0 ? "file.get   total" : "http.server.request.handler.users.profile.get   total"));
		ui_press(s.ui, &s.subject, UI_KEY_ESCAPE);
		canvas_destroy(canvas);
	}
	show_fini(&s);
}

/* The sentence about a wait: its times are never cut, its names are as long as there is room. */
TEST(test_blame_line)
{
	const struct blame_words words = {.waited = "D0 waited 463 of 1466ms for D1",
	    .late = "marshal.big.object.graph",
	    .hit = "http.server.request.handler",
	    .domain = 0};
	static const struct {
		int cols;
		const char *text;
	} cases[] = {
	    {200, "D0 waited 463 of 1466ms for D1, which was in marshal.big.object.graph; D0 in "
		  "http.server.request.handler"},
	    {100, "D0 waited 463 of 1466ms for D1, which was in marshal.big…bject.graph; D0 in "
		  "http.server…est.handler"},
	    {80, "D0 waited 463 of 1466ms for D1, which was in marshal…t.graph; in http.se…handler"},
	    {44, "waited 463 of 1466ms for D1 in marsha….graph"},
	    {30, "D0 waited 463 of 1466ms for D1"},
	    {10, "waited 463 of 1466ms for D1"},
	};
	char text[512];

	for (int cols = 30; cols < 200; cols++) {
		CHECK(blame_line(&words, GLYPHS_BLOCKS, cols, text, sizeof(text)));
		CHECK(strstr(text, "waited 463 of 1466ms for D1") != NULL);
		CHECK(text_width(GLYPHS_BLOCKS, text) <= cols);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		blame_line(&words, GLYPHS_BLOCKS, cases[i].cols, text, sizeof(text));
		CHECK_STR(text, cases[i].text);
	}
	const struct blame_words hit = {.hit = "http.request"}, none = {0};
	CHECK(blame_line(&hit, GLYPHS_BLOCKS, 80, text, sizeof(text)));
	CHECK_STR(text, "in http.request");
	CHECK(!blame_line(&none, GLYPHS_BLOCKS, 80, text, sizeof(text)));
}

/* A name with blanks at its ends stands in quotes. */
TEST(test_blanks)
{
	static const struct {
		const char *name, *shown;
	} pairs[] = {{"", "\"\""}, {" ", "\" \""}, {" a", "\" a\""}, {"a ", "\"a \""},
	    {"a\xc2\xa0", "\"a\xc2\xa0\""}, {"a b", "a b"}, {"\xa0", "\xa0"}};
	char text[RTEV_USER_NAME_SIZE + 16];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct model_user_slot slot = {
		    .name = pairs[i].name, .name_len = (uint16_t)strlen(pairs[i].name)};
		user_text_name(&slot, text, sizeof(text));
		CHECK_STR(text, pairs[i].shown);
	}
}

/* Payloads that are no text are shown in digits, all that were kept and fit. */
TEST(test_payloads)
{
	uint8_t data[MODEL_CUSTOM_KEPT];
	struct model_user user = {.data = data, .kept = sizeof(data), .len = sizeof(data)};
	char text[2 * MODEL_CUSTOM_KEPT + 1];

	memset(data, 0xA5, sizeof(data));
	user_text_payload(&user, text, sizeof(text));
	CHECK_INT(strlen(text), 2 * MODEL_CUSTOM_KEPT);
	CHECK_INT(strspn(text, "a5"), 2 * MODEL_CUSTOM_KEPT);
	user_text_payload(&user, text, 8);
	CHECK_STR(text, "a5a5a5");
	data[0] = 'x';
	user.kept = 1;
	user_text_payload(&user, text, sizeof(text));
	CHECK_STR(text, "x");
}

/* A name that is empty is seen to be. */
TEST(test_empty_name)
{
	char text[16];

	user_text_name(&(struct model_user_slot){.name = "", .name_len = 0}, text, sizeof(text));
	CHECK_STR(text, "\"\"");
	user_text_name(&(struct model_user_slot){.name = "evict", .name_len = 5}, text, sizeof(text));
	CHECK_STR(text, "evict");
}

/* A line of a log is text, its end left out; other control characters are none. */
TEST(test_payload_lines)
{
	static const struct {
		const char *data, *shown;
	} lines[] = {{"GET /index.html 200\n", "GET /index.html 200"}, {"a\tb\r\n", "a b"}, {"\ta\t", " a "},
	    {"\xc3\xa9\n", "\xc3\xa9"}, {"a\nb", "610a62"}, {"a\x1b\n", "611b0a"}, {"a\xff\n", "61ff0a"},
	    {"\n", "0a"}, {"", ""}};
	char text[2 * MODEL_CUSTOM_KEPT + 1];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t len = strlen(lines[i].data);
		struct model_user user = {.data = (const uint8_t *)lines[i].data, .kept = len, .len = len};
		user_text_payload(&user, text, sizeof(text));
		CHECK_STR(text, lines[i].shown);
	}
}

/* Each phase has a short name: whole words, none like another, and short enough for any column of phases. */
TEST(test_short_phases)
{
	char name[RTEV_NAME_SIZE], text[64];

	for (rtev_phase a = 0; a < RTEV_PHASE_COUNT; a++) {
		const char *brief = phase_brief(a);
		CHECK(brief != NULL && brief[0] != '\0' && strchr(brief, '_') == NULL);
		CHECK(strlen(brief) <= 12 && strlen(brief) <= strlen(rtev_phase_name(a, name)));
		for (rtev_phase b = 0; b < a; b++)
			CHECK(strcmp(brief, phase_brief(b)) != 0);
	}
	CHECK(phase_brief(RTEV_PHASE_COUNT) == NULL && phase_brief(RTEV_OPAQUE + 57) == NULL);
	CHECK_STR(
	    phase_brief_words("  minor_finalizers_oldify in minor 3ms, minor_clear2", text, sizeof(text)),
	    "  finalisers in minor 3ms, minor_clear2");
	CHECK_STR(phase_brief_words("domain_condition_wait", text, 5), "cond");
	CHECK_STR(phase_brief_words("", text, sizeof(text)), "");
}

/* The phases of a pane at every width: a name in a bar or in a column is the whole one or the short one. */
TEST(test_short_in_pane)
{
	static const rtev_phase inside[] = {
	    RTEV_PHASE_MINOR_FINALIZERS_OLDIFY, RTEV_PHASE_MINOR_REMEMBERED_SET, RTEV_PHASE_STW_API_BARRIER};
	struct show s;
	struct rtev_callbacks calls;

	show_make(&s);
	model_callbacks(&calls);
	for (unsigned i = 0; i < 3; i++) {
		calls.begin(watch_model(s.watch), 0, s.subject.now + i * 900 * MS, RTEV_PHASE_MINOR);
		calls.begin(watch_model(s.watch), 0, s.subject.now + i * 900 * MS, inside[i]);
		calls.end(watch_model(s.watch), 0, s.subject.now + (i + 1) * 900 * MS, inside[i]);
		calls.end(watch_model(s.watch), 0, s.subject.now + (i + 1) * 900 * MS, RTEV_PHASE_MINOR);
	}
	s.subject.now += 2700 * MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	int wide = 0, narrow = 0;
	for (int cols = 24; cols < 200; cols += 3) {
		struct canvas *canvas = canvas_create(40, cols);
		ui_draw(s.ui, &s.subject, canvas);
		char *screen = canvas_dump(canvas);
		static const char *const cut[] = {"finaliz…", "finaliser ", "finalizers_o ", "remembere ",
		    "remembered s ", "api_ ", "barrie ", "min…"};
		for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++)
			if (strstr(screen, cut[i]) != NULL)
				TEST_FAIL("%s at %d columns:\n%s", cut[i], cols, screen);
		wide += strstr(screen, "▏remembered set") != NULL;
		narrow += strstr(screen, "▏remembered set") == NULL && strstr(screen, "▏remembered") != NULL;
		free(screen);
		canvas_destroy(canvas);
	}
	CHECK(wide > 0 && narrow > 0);
	show_fini(&s);
}

static const char *call_name(const void *ctx, uint32_t function, char buf[CALL_NAME_SIZE])
{
	return ctx;
}

static const char *call_label(const void *ctx, uint32_t function)
{
	return ctx;
}

static enum call_family c_family(const void *ctx, uint32_t function)
{
	return CALL_UNKNOWN;
}

static enum call_family ocaml_family(const void *ctx, uint32_t function)
{
	return call_family_of_name(ctx);
}

/* A cell of a tree of calls has the name of its function, however narrow it is: what a compiler put behind that goes first,
 * then the modules before it. */
TEST(test_call_cells)
{
	static const struct {
		const char *name, *function;
		bool c;
	} cells[] = {{"write_to_ring.constprop.0", "write_to_ring", true},
	    {"mark.part.0.isra.2", "mark", true}, {"aesni__encrypt", "aesni__encrypt", true},
	    {"ZSTD_fast.cold", "ZSTD_fast", true}, {"[libc.so.6] +0x1234", "+0x1234", true},
	    {"[libc.so.6]", "[libc.so.6]", true}, {".text", ".text", true},
	    {"[caller not known]", "[caller not known]", true}, {"Stdlib__List.map", "map", false},
	    {"Foo.Bar.visit.(fun)", "visit.(fun)", false}, {"Foo.my__fun", "my__fun", false},
	    {"List.part", "part", false}};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		for (int cols = 3; cols < 40; cols++) {
			struct calls_bar bar = {.parent = CALLS_NONE, .total = 10, .self = 10};
			struct call_tree tree = {.bars = {.bars = &bar, .count = 1, .total = 10}};
			const struct call_names call_names = {.ctx = cells[i].name,
			    .name = call_name,
			    .label = call_label,
			    .family = cells[i].c ? c_family : ocaml_family};
			struct canvas *canvas = canvas_create(1, cols);
			const struct call_page page = {"time", "functions", "", "", "time"};
			char begin[64];

			call_tree_draw(&tree, &call_names, &page, "", canvas, rect_make(0, 0, 1, cols));
			char *drawn = canvas_dump(canvas);
			snprintf(begin, sizeof(begin), "%.*s",
			    (int)strlen(cells[i].function) <= cols ? 63 : cols - 1, cells[i].function);
			/* A number is never cut. */
			bool number = cells[i].function[0] == '+' && (int)strlen(cells[i].function) > cols;
			if (strstr(drawn, number ? "…" : begin) == NULL)
				TEST_FAIL("%s in %d columns: %s", cells[i].name, cols, drawn);
			free(drawn);
			canvas_destroy(canvas);
		}
}
