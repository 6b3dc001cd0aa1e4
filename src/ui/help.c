/* help.c - the help: the keys of a view, from the list of actions, and the legend of colours, marks and
 * words. */
#include "ui/actions.h"
#include "ui/widgets/line.h"

#define SWATCH 4 /* width of a sample of a family's colour */

/*
 * The legend after the families of phases: each word or glyph as the screen shows it, and its meaning.  A row
 * without a word shows a glyph.
 */
static const struct entry {
	const char *word;
	enum glyph glyph;
	enum style style;
	const char *text;
} entries[] = {
    {"12%", 0, STYLE_GOOD, "a figure that is in order"},
    {"12%", 0, STYLE_WARN, "a figure that deserves attention"},
    {"12%", 0, STYLE_BAD, "a figure that is bad"},
    {NULL, GLYPH_BULLET, STYLE_GOOD, "LIVE: events come"},
    {NULL, GLYPH_PAUSE, STYLE_PAUSED, "PAUSED: the target writes no events, by its own choice"},
    {NULL, GLYPH_HOLLOW, STYLE_PAUSED, "NO EVENTS: counters only, read from the target's memory"},
    {NULL, GLYPH_HOLLOW, STYLE_MUTED, "QUIET: no event for a second or more"},
    {NULL, GLYPH_FREEZE, STYLE_FROZEN, "FROZEN: the picture stands still, collecting goes on"},
    {NULL, GLYPH_POINTER, STYLE_REPLAY, "REPLAY: of a file"},
    {NULL, GLYPH_LOSS, STYLE_GAP_LOST, "events were overwritten before they could be read"},
    {NULL, GLYPH_PAUSE, STYLE_GAP_PAUSED, "the target had paused its events"},
    {"R", 0, STYLE_WARN, "the ring began anew, as at an exec"},
    {"F", 0, STYLE_RECORDING, "a long pause was written to a file"},
    {"T", 0, STYLE_WARN, "the process's group was throttled"},
    {"other", 0, STYLE_MERGED, "phases too short to stand alone, and their share"},
    {"≤", 0, STYLE_VALUE, "an upper bound: of all threads, or of a whole second"},
    {"≥ ~", 0, STYLE_VALUE, "after a loss: a lower bound; of what was seen"},
    {"-", 0, STYLE_VALUE, "not known"},
    {"GC", 0, STYLE_TITLE, "share of the time that domains spent in pauses"},
    {"pause", 0, STYLE_TITLE, "a domain in the runtime, outermost phase from begin to end"},
    {"work", 0, STYLE_TITLE, "the part of GC in which the collector worked"},
    {"waiting", 0, STYLE_TITLE, "the part of GC in which a domain waited for other domains"},
    {"stop", 0, STYLE_TITLE, "stop-the-world: all domains run a part of the collector together"},
    {"leader", 0, STYLE_TITLE, "the domain that called for a stop"},
    {"last", 0, STYLE_TITLE, "to arrive at a stop: the domain that the others waited for"},
    {"late", 0, STYLE_TITLE, "from the leader's call to the arrival of the last domain"},
    {"waits", 0, STYLE_TITLE, "for others: in a barrier, until the last domain is there, or done"},
    {"no processor", 0, STYLE_TITLE, "starved: ready to run, while others run, or a quota is used up"},
    {"blocked", 0, STYLE_TITLE, "in a call of the system, a sleep, or for another thread"},
    {"not known", 0, STYLE_TITLE, "of a split: code, blocked or no processor; sampling (C) tells"},
    {"cause", 0, STYLE_TITLE, "unknown: nothing that was seen explains it"},
    {"S 98%", 0, STYLE_TITLE, "state of the domain's thread, as ps has it, and its processor time"},
    {"queue", 0, STYLE_TITLE, "share of the time in which that thread waited for a processor"},
    {"turn", 0, STYLE_TITLE, "an iteration of an event loop: how late an event may be noticed"},
    {"minimum", 0, STYLE_TITLE, "mutator utilization: what the worst such window left to the program"},
    {"a", 0, STYLE_GROUP_1,
	"a loop's time: most of it, of a column, in runs of the path that has this letter"},
    {"+", 0, STYLE_MERGED, "a loop's time: most of it, of a column, in runs of other paths, or of several"},
    {"lag", 0, STYLE_TITLE, "words of the ring that were not read yet"},
    {"lost", 0, STYLE_TITLE, "words of the ring that were overwritten unread"},
    {"young", 0, STYLE_TITLE, "how full the minor heap is, as memory tells where no events come"},
    {"promoted", 0, STYLE_TITLE, "what outlived a minor collection, and moved to the major heap"},
    {"minor", 0, STYLE_TITLE, "collection of the young values, with all domains stopped"},
    {"major", 0, STYLE_TITLE, "collection of the old ones, in slices; its cycles take seconds"},
    {"self", 0, STYLE_TITLE, "time in a phase without the phases inside it"},
    {"code", 0, STYLE_TITLE, "it is sampled so often; what that takes of a CPU here + of the target's"},
    {"p99", 0, STYLE_TITLE, "99 of 100 were shorter, or equal"},
    {"window", 0, STYLE_TITLE, "the last seconds, which the panes are of"},
    {"histogram", 0, STYLE_TITLE, "of block sizes: link the program with -runtime-variant i"},
};
enum { ENTRIES = sizeof(entries) / sizeof(entries[0]), LEGEND = RTEV_CLASS_COUNT + ENTRIES };

/* A line of the help: its left part and its meaning. */
struct help_line {
	char left[40];
	const struct entry *entry;    /* NULL: keys, or a family of phases */
	enum rtev_phase_class family; /* RTEV_CLASS_COUNT: none */
	const char *text;
};

/* Name all keys of an action. */
static void all_keys(enum ui_action action, char *out, size_t size)
{
	out[0] = '\0';
	for (int i = 0; i < 3; i++) {
		struct key_name name = ui_key_name(action_info(action)->keys[i]);
		strlcat(out, out[0] != '\0' && name.s[0] != '\0' ? " " : "", size);
		strlcat(out, name.s, size);
	}
}

/* Get the next line of a page; *at counts its rows from 0.  Returns false at the end. */
static bool next_line(
    const struct action_set *set, enum ui_view view, enum help_page page, int *at, struct help_line *out)
{
	*out = (struct help_line){.family = RTEV_CLASS_COUNT};
	if (page == HELP_LEGEND) {
		int n = (*at)++;
		if (n < RTEV_CLASS_COUNT) {
			out->family = (enum rtev_phase_class)n;
			out->text = theme_class(out->family)->words;
		} else if (n < LEGEND) {
			out->entry = &entries[n - RTEV_CLASS_COUNT];
			out->text = out->entry->text;
			strlcpy(
			    out->left, out->entry->word != NULL ? out->entry->word : "", sizeof(out->left));
		}
		return n < LEGEND;
	}
	while (*at < ACTION_COUNT && !action_available(set, (enum ui_action) * at, view))
		(*at)++;
	if (*at >= ACTION_COUNT)
		return false;
	out->text = action_info((enum ui_action) * at)->help;
	all_keys((enum ui_action)(*at)++, out->left, sizeof(out->left));
	return true;
}

/* Compute the widths of both columns.  Returns the number of lines. */
static int measure(const struct action_set *set, enum ui_view view, enum help_page page,
    const struct canvas *canvas, int *left, int *right)
{
	struct help_line line;
	int at = 0, lines = 0;

	*left = SWATCH;
	*right = 0;
	for (; next_line(set, view, page, &at, &line); lines++) {
		int cols = canvas == NULL ? 0 : canvas_text_width(canvas, line.left);
		*left = cols > *left ? cols : *left;
		cols = canvas == NULL ? 0 : canvas_text_width(canvas, line.text);
		*right = cols > *right ? cols : *right;
	}
	return lines;
}

int help_lines(const struct action_set *set, enum ui_view view, enum help_page page)
{
	int left, right;

	return measure(set, view, page, NULL, &left, &right);
}

int help_rows(struct rect screen)
{
	return screen.rows > 2 ? screen.rows - 2 : 0;
}

/* Draw a line. */
static void draw_line(struct canvas *canvas, struct rect row, int left, const struct help_line *line)
{
	if (line->family < RTEV_CLASS_COUNT)
		for (int c = 0; c < SWATCH; c++)
			canvas_glyph(canvas, row.row, row.col + 1 + c, theme_class(line->family)->fill,
			    theme_class(line->family)->pattern);
	else if (line->entry != NULL && line->entry->word == NULL)
		canvas_glyph(canvas, row.row, row.col + 1, line->entry->style, line->entry->glyph);
	else
		canvas_put(canvas, row.row, row.col + 1, line->entry != NULL ? line->entry->style : STYLE_KEY,
		    line->left);
	canvas_put_fit(canvas, rect_margins(row, left + 3, 1), ALIGN_LEFT, STYLE_TEXT, line->text);
}

void help_overlay(struct canvas *canvas, struct rect screen, const struct action_set *set, enum ui_view view,
    enum help_page page, int first)
{
	int left, right, at = 0, lines = measure(set, view, page, canvas, &left, &right);
	int cols = left + right + 6, rows = lines + 2;
	cols = cols < screen.cols ? cols : screen.cols;
	rows = rows < screen.rows ? rows : screen.rows;
	struct rect box = rect_make(
	    screen.row + (screen.rows - rows) / 2, screen.col + (screen.cols - cols) / 2, rows, cols);
	canvas_fill(canvas, box, STYLE_TEXT, 0);
	canvas_box(canvas, box, STYLE_BORDER);
	bool legend = page == HELP_LEGEND;
	const struct line_item what = legend ? line_labelled("legend", "of colours, marks and words", 0)
					     : line_labelled("keys", view_title(view), 0);
	const struct line_item title[] = {line_styles(what, STYLE_TITLE, STYLE_LABEL),
	    line_right(line_label(legend ? "? closes" : "? legend", STYLE_LABEL, 2)),
	    line_if(lines > help_rows(screen), line_right(line_label("arrows scroll", STYLE_LABEL, 1)))};
	line_draw(canvas, rect_margins(box, 2, 2), 2, title, 3);
	struct rect inside = rect_inset(box, 1), old = canvas_clip(canvas, inside);
	struct help_line line;
	for (int n = 0; next_line(set, view, page, &at, &line); n++)
		if (n >= first)
			draw_line(canvas, rect_make(inside.row + n - first, inside.col, 1, inside.cols), left,
			    &line);
	canvas_unclip(canvas, old);
}
