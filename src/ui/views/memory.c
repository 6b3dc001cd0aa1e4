/*
 * memory.c - view 7: the collector's heap gauges, allocation and promotion rates, the memory of the process,
 * and the settings of its runtime.
 *
 * Each domain sends heap gauges at the end of a slice or of a major cycle.  The sums are over the running
 * domains or, after the target's end, over those that ran last.
 */
#include "canvas/text.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/widgets/plot.h"

#define INDENT 2
#define LABEL_COLS 26
#define VALUE_COLS 10
#define STRIPS_LEAST 6	/* least rows of strips over time */
#define STRIPS_COLS 20	/* least columns of strips over time */
#define SETTINGS_COL 42 /* column of the settings beside the process */
#define SETTINGS_LEAST 24
#define SETTINGS_GAP 2
#define PROCESS_ROWS 6 /* maximum rows, including a blank one */
#define PART_NAME 15   /* columns of the table of parts, after a gap */
#define PART_VALUE 9
#define PART_ROWS (1 + MEMORY_PARTS + 1)
#define PARTS_COLS (PART_NAME + 2 * PART_VALUE)
#define BODY_MOST 120 /* columns of the heap's bars with the table of parts */
#define PARTS_LEAST (PARTS_COLS + INDENT + LABEL_COLS + VALUE_COLS + 8) /* columns needed beside them */

/* Draw a title line, if there is room for a line below it. */
static void title(struct canvas *canvas, struct rect *area, const char *text)
{
	const struct rect line = rect_cut_top(area, 1);

	if (!rect_empty(*area))
		canvas_put_fit(canvas, line, ALIGN_LEFT, STYLE_TITLE, text);
}

/* Draw a name and a value, which may take columns of the name; return the rest of the line. */
static struct rect put_value(
    struct canvas *canvas, struct rect line, const char *label, struct formatted value)
{
	const int width = text_width(GLYPHS_BLOCKS, value.s),
		  value_cols = width > VALUE_COLS ? width : VALUE_COLS;
	int room = line.cols - INDENT - value_cols, most = LABEL_COLS + VALUE_COLS - value_cols,
	    names = room < most ? room : most;

	rect_cut_left(&line, INDENT);
	if (names > 0) {
		struct rect left = rect_cut_left(&line, names);
		canvas_put_fit(canvas, left, ALIGN_LEFT, STYLE_LABEL, label);
	}
	struct rect right = rect_cut_left(&line, value_cols);
	canvas_put_fit(canvas, right, ALIGN_RIGHT, STYLE_VALUE, value.s);
	rect_cut_left(&line, 1);
	return line;
}

/* Draw a line: name, value, and a bar for its share of a whole. */
static void level(
    struct canvas *canvas, struct rect *area, const char *label, struct formatted value, double share)
{
	enum { SHARE = 6, BAR_LEAST = 4 };
	struct rect line = rect_cut_top(area, 1);

	if (rect_empty(line))
		return;
	line = put_value(canvas, line, label, value);
	if (isnan(share) || line.cols < SHARE)
		return;
	struct rect percent = rect_cut_left(&line, SHARE);
	canvas_put_fit(canvas, percent, ALIGN_RIGHT, STYLE_VALUE, format_percent(share).s);
	if (line.cols > BAR_LEAST)
		plot_bar(canvas, line.row, line.col + 1, line.cols - 1, share, STYLE_BAR);
}

/* Return the rate of a measure in bytes. */
static double rate_of(const struct subject *s, enum watch_measure measure)
{
	double rate = lately_rate(subject_lately(s), WATCH_ALL, measure, RECENT_RATE_NS);

	return measure == WATCH_MAJOR ? rate * 8 : rate;
}

/*
 * The allocation rate of the major heap.  The runtime reports it at the end of a slice, so without a slice
 * in the window it is unknown; the report is incomplete, so it is a lower bound.
 */
static struct formatted major_rate(const struct subject *s)
{
	uint64_t from = s->now > RECENT_RATE_NS ? s->now - RECENT_RATE_NS : 0;
	double major = rate_of(s, WATCH_MAJOR), promoted = rate_of(s, WATCH_PROMOTED);

	if (!watch_heard(s->watch, WATCH_MAJOR, from / WATCH_STEP * WATCH_STEP))
		return format_unknown();
	return format_marked("≥", format_byte_rate(fmax(major, promoted)));
}

/* Draw a line: name, rate and sparkline. */
static void rate(const struct subject *s, struct canvas *canvas, struct rect *area, const char *label,
    enum watch_measure measure, struct formatted text)
{
	enum { SPARK_LEAST = 4 };
	const struct recent_chart chart = {.of = measure, .domain = WATCH_ALL};
	struct rect line = rect_cut_top(area, 1);

	if (rect_empty(line))
		return;
	line = put_value(canvas, line, label, text);
	rect_cut_left(&line, 1);
	recent_spark(s, &chart, 0, SPARK_LEAST, canvas, line, STYLE_SPARK);
}

/* Draw the last minutes of heap, allocation and promotion, each from 0 to its largest value, above a time
 * scale. */
static void draw_strips(const struct subject *s, struct canvas *canvas, struct rect area)
{
	/* The trend's heap includes what ended domains left. */
	static const struct recent_chart strips[] = {
	    {"heap, max", UNIT_WORDS, RECENT_TREND, TREND_HEAP, WATCH_ALL},
	    {"minor heap, max", UNIT_BYTE_RATE, RECENT_MEASURE, WATCH_ALLOCATED, WATCH_ALL},
	    {"promoted, max", UNIT_BYTE_RATE, RECENT_MEASURE, WATCH_PROMOTED, WATCH_ALL}};
	enum { LABEL = LABEL_COLS + VALUE_COLS + 2 };

	if (area.cols - INDENT - LABEL < STRIPS_COLS)
		return;
	title(canvas, &area, "The last minutes");
	rect_cut_left(&area, INDENT);
	recent_strips(s, strips, sizeof(strips) / sizeof(strips[0]), LABEL, canvas, area);
}

/* Draw the major heap as reported by slices, and its parts as reported at the end of a cycle, with their
 * own sum. */
static void draw_heap(const struct subject *s, struct canvas *canvas, struct rect *area)
{
	const struct model *m = watch_model(s->watch);
	const struct model_level parts = model_level(m, HEAP_POOL), size = model_level(m, HEAP_SIZE);
	double pool = parts.words, live = model_level(m, HEAP_LIVE).words;
	double fragments = model_level(m, HEAP_FRAGMENTS).words, large = model_level(m, HEAP_LARGE).words;
	double all = pool + large;
	char when[64];

	title(canvas, area, "Major heap");
	const struct formatted ago =
	    format_ago(!isnan(size.words) && s->now > size.ts ? s->now - size.ts : 0, MODEL_LEVEL_OLD_NS);
	snprintf(when, sizeof(when), "all,%s",
	    ago.s[0] != '\0' ? ago.s
	    : size.looked    ? " as memory has it"
			     : " at the last slice");
	level(canvas, area, when, format_figure(UNIT_WORDS, size.words), NAN);
	const struct formatted growth = format_growth(figure_heap_growth(m));
	if (growth.s[0] != '\0')
		level(canvas, area, "heap growth", growth, NAN);
	if (isnan(pool)) {
		title(canvas, area, "Its parts");
		struct rect line = rect_cut_top(area, 1);
		canvas_put_fit(canvas, rect_margins(line, INDENT, 0), ALIGN_LEFT, STYLE_MUTED,
		    "sent at a cycle's end, from OCaml 5.1 on");
		return;
	}
	uint64_t ts = parts.ts;
	snprintf(when, sizeof(when), "%s, %s ago",
	    parts.looked ? "As memory has it" : "At the last cycle's end",
	    format_duration(s->now > ts ? s->now - ts : 0).s);
	title(canvas, area, when);
	level(canvas, area, "all", format_figure(UNIT_WORDS, all), NAN);
	level(canvas, area, "pools", format_figure(UNIT_WORDS, pool), pool / all);
	/* The runtime counts a dead block as live until it is swept. */
	level(canvas, area, "  live or not yet swept", format_figure(UNIT_WORDS, live), live / pool);
	level(canvas, area, "  free", format_figure(UNIT_WORDS, pool - live - fragments),
	    (pool - live - fragments) / pool);
	level(canvas, area, "  lost to fragments", format_figure(UNIT_WORDS, fragments), fragments / pool);
	level(canvas, area, "large blocks", format_figure(UNIT_WORDS, large), large / all);
}

/* Draw a line of the table of parts. */
static void part_line(struct canvas *canvas, struct rect *area, enum style style, const char *name,
    const char *reserved, const char *resident)
{
	struct rect line = rect_cut_top(area, 1);

	if (rect_empty(line))
		return;
	canvas_put_fit(canvas, rect_make(line.row, line.col, 1, PART_NAME), ALIGN_LEFT, style, name);
	canvas_put_fit(canvas, rect_make(line.row, line.col + PART_NAME, 1, PART_VALUE), ALIGN_RIGHT,
	    style == STYLE_LABEL ? STYLE_VALUE : style, reserved);
	canvas_put_fit(canvas, rect_make(line.row, line.col + PART_NAME + PART_VALUE, 1, PART_VALUE),
	    ALIGN_RIGHT, style == STYLE_LABEL ? STYLE_VALUE : style, resident);
}

/* Draw the parts of the process's memory, in PART_ROWS rows. */
static void draw_parts(const struct subject *s, struct canvas *canvas, struct rect area)
{
	const struct system_memory *m = system_past_memory(watch_system(s->watch));
	char head[32] = "Memory";

	if (m != NULL && s->now > m->ts)
		snprintf(head, sizeof(head), "%s ago", format_duration(s->now - m->ts).s);
	part_line(canvas, &area, STYLE_TITLE, head, "mapped", "resident");
	if (m == NULL) {
		words_draw(canvas, &area, "", 0, STYLE_MUTED,
		    s->state == SUBJECT_LIVE	 ? "it is being read"
		    : s->state == SUBJECT_REPLAY ? "- (files do not keep its parts)"
						 : "- (it ended before it was read)");
		return;
	}
	for (unsigned i = 0; i < MEMORY_PARTS; i++)
		part_line(canvas, &area, STYLE_LABEL, system_memory_name(i, true),
		    format_told(UNIT_BYTES, m->reserved[i]).s, format_told(UNIT_BYTES, m->resident[i]).s);
	part_line(canvas, &area, STYLE_LABEL, "mappings, most", format_count(m->mappings).s,
	    m->mappings_limit != 0 ? format_count(m->mappings_limit).s : format_unknown().s);
	if (m->why[0] != '\0')
		words_draw(canvas, &area, "", 0, STYLE_MUTED, m->why);
}

/* Draw the resident memory of the process and its limit. */
static void draw_process(const struct subject *s, struct canvas *canvas, struct rect area)
{
	const struct system_past *past = watch_system(s->watch);
	uint64_t limit, current, swap, resident;
	bool known = system_past_total(past, SYSTEM_RESIDENT, &resident);

	title(canvas, &area, "Process");
	level(
	    canvas, &area, "resident, with the ring", known ? format_bytes(resident) : format_unknown(), NAN);
	if (system_past_latest(past) == NULL)
		return;
	bool limited = system_past_total(past, SYSTEM_MEMORY_LIMIT, &limit), used;
	if (limited && limit == SYSTEM_NO_LIMIT) {
		level(canvas, &area, "limit", (struct formatted){.s = "none"}, NAN);
	} else {
		level(canvas, &area, "limit of its group", limited ? format_bytes(limit) : format_unknown(),
		    NAN);
		used = system_past_total(past, SYSTEM_MEMORY_CURRENT, &current);
		level(canvas, &area, "  in use by the group", used ? format_bytes(current) : format_unknown(),
		    NAN);
	}
	if (!system_past_total(past, SYSTEM_SWAP, &swap) || swap == 0 || rect_empty(area))
		return;
	double share = system_past_total(past, SYSTEM_RESIDENT, &resident)
			   ? figure_share((double)swap, (double)swap + (double)resident)
			   : (double)NAN;
	struct rect value = area;
	level(canvas, &area, "swapped out", format_bytes(swap), share);
	rect_cut_left(&value, INDENT + LABEL_COLS);
	canvas_restyle(canvas,
	    rect_make(value.row, value.col, 1, value.cols < VALUE_COLS ? value.cols : VALUE_COLS),
	    recent_style(limit_level(LIMIT_SWAP, share)));
}

/* The settings in the order in which they are shown: name and description. */
static const struct {
	const char *name, *text;
} settings_shown[OCAML_SETTING_COUNT] = {
#define X(id, name, least, most, text) [id] = {name, text},
    OCAML_SETTINGS(X)
#undef X
};

/* Names of the origins of settings. */
static const char *const origins[] = {[OCAML_UNKNOWN] = "",
    [OCAML_FROM_ENV] = "env",
    [OCAML_FROM_EMBEDDED] = "embedded",
    [OCAML_FROM_MEMORY] = "memory",
    [OCAML_FROM_EVENTS] = "events",
    [OCAML_FROM_PROGRAM] = "program"};

/* The texts of a setting: "s=256k", "memory", "minor heap, words a domain". */
static void setting_value(const struct ocaml_settings *settings, unsigned id, char *buf, size_t size)
{
	snprintf(buf, size, "%s=%s", settings_shown[id].name,
	    settings->of[id].from != OCAML_UNKNOWN ? format_setting(settings->of[id].value).s
						   : format_unknown().s);
}

/* Whether a setting is shown: those for custom blocks and stacks only if they are known, tweaks only if they
 * were set. */
static bool setting_shown(const struct ocaml_settings *settings, unsigned id)
{
	const enum ocaml_origin from = settings->of[id].from;

	return id <= OCAML_E ||
	       (from != OCAML_UNKNOWN && (id < OCAML_SMALL_HEAP || from != OCAML_FROM_MEMORY));
}

/* Draw one setting; `columns` are the widths of its value and of its origin.  If the description does not
 * fit, the unit after its comma is left out. */
static void draw_setting(struct canvas *canvas, struct rect line, unsigned id,
    const struct ocaml_settings *settings, const int columns[2])
{
	char text[64];

	setting_value(settings, id, text, sizeof(text));
	rect_cut_left(&line, INDENT);
	struct rect value = rect_cut_left(&line, columns[0]), origin = rect_cut_left(&line, columns[1]);
	canvas_put_fit(canvas, value, ALIGN_LEFT, STYLE_VALUE, text);
	canvas_put_fit(canvas, origin, ALIGN_LEFT, STYLE_MUTED, origins[settings->of[id].from]);
	snprintf(text, sizeof(text), "%s", settings_shown[id].text);
	if (canvas_text_width(canvas, text) > line.cols)
		text[strcspn(text, ",")] = '\0';
	if (line.cols > 0)
		canvas_put_name(canvas, line, STYLE_LABEL, text);
}

/* Return the rows of all settings with their title, and of the reason if some can't be read. */
static int settings_rows(const struct subject *s)
{
	enum { WHY_ROWS = 2 };
	const struct ocaml_settings *settings = system_past_settings(watch_system(s->watch));
	int rows = 1;

	for (unsigned i = 0; settings != NULL && i < OCAML_SETTING_COUNT; i++)
		rows += setting_shown(settings, i);
	return rows + (settings != NULL && settings->memory_why[0] != '\0' ? WHY_ROWS : 0);
}

/* Draw the settings of the runtime, each with its origin. */
static void draw_settings(const struct subject *s, struct canvas *canvas, struct rect area)
{
	const struct ocaml_settings *settings = system_past_settings(watch_system(s->watch));
	int columns[2] = {0, 0};

	if (settings == NULL || area.cols < SETTINGS_LEAST)
		return;
	title(canvas, &area, "Settings of the runtime");
	for (unsigned i = 0; i < OCAML_SETTING_COUNT; i++) {
		char text[64];
		setting_value(settings, i, text, sizeof(text));
		if (!setting_shown(settings, i))
			continue;
		int value = canvas_text_width(canvas, text) + SETTINGS_GAP,
		    origin = canvas_text_width(canvas, origins[settings->of[i].from]) + SETTINGS_GAP;
		columns[0] = value > columns[0] ? value : columns[0];
		columns[1] = origin > columns[1] ? origin : columns[1];
	}
	for (unsigned i = 0; i < OCAML_SETTING_COUNT && area.rows > 0; i++)
		if (setting_shown(settings, i))
			draw_setting(canvas, rect_cut_top(&area, 1), i, settings, columns);
	if (settings->memory_why[0] != '\0' && s->pid != 0 && area.rows > 0) {
		rect_cut_left(&area, INDENT);
		words_draw(canvas, &area, "", 0, STYLE_MUTED, settings->memory_why);
	}
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct rect area = body, parts = {0};

	/* With wider bars the table of parts beside them would stand too far from the figures at the left. */
	area.cols = area.cols < BODY_MOST ? area.cols : BODY_MOST;
	if (s->state != SUBJECT_WAITING && body.cols >= PARTS_LEAST) {
		area.cols -= PARTS_COLS + 1;
		parts = rect_make(area.row, area.col + area.cols + 1, area.rows, PARTS_COLS);
		draw_parts(s, canvas, parts);
	}
	draw_heap(s, canvas, &area);
	rect_cut_top(&area, 1);
	title(canvas, &area, "Allocation");
	double allocated = rate_of(s, WATCH_ALLOCATED), promoted = rate_of(s, WATCH_PROMOTED);
	rate(s, canvas, &area, "minor heap", WATCH_ALLOCATED, format_byte_rate(allocated));
	rate(s, canvas, &area, "promoted", WATCH_PROMOTED, format_byte_rate(promoted));
	rate(s, canvas, &area, "major heap, promoted too", WATCH_MAJOR, major_rate(s));
	level(canvas, &area, "share promoted", format_percent(figure_share(promoted, allocated)), NAN);
	area.cols = body.cols;
	if (!rect_empty(parts) && area.row < parts.row + PART_ROWS)
		rect_cut_top(&area, parts.row + PART_ROWS - area.row);
	rect_cut_top(&area, 1);
	struct rect settings = area;
	if (area.cols >= SETTINGS_COL + SETTINGS_LEAST) {
		area.cols = SETTINGS_COL - 2;
		rect_cut_left(&settings, SETTINGS_COL);
	} else {
		rect_cut_top(&settings, PROCESS_ROWS);
	}
	/* The rows below are for strips over time. */
	struct rect strips = body;
	int process = area.row + PROCESS_ROWS, below = settings.row + settings_rows(s) + 1;
	rect_cut_top(&strips, (process > below ? process : below) - body.row);
	if (strips.rows >= STRIPS_LEAST) {
		area.rows = strips.row - area.row;
		settings.rows = strips.row - settings.row;
		draw_strips(s, canvas, strips);
	}
	draw_process(s, canvas, area);
	draw_settings(s, canvas, settings);
}

const struct view_ops view_memory = {.draw = draw};
