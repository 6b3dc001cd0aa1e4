/* bars.c - lay out and draw the phase bars of a domain. */
#include "ui/widgets/bars.h"

#include "core/event.h"
#include "print/number.h"

/* Contents of row 0 other than phases, after all of them. */
enum { BOX_PROGRAM = PATH_OTHER + 1, BOX_LOST, BOX_PAUSED };

#define GAP_COLS 13	/* width of the mark of lost or paused time where boxes show time in phases */
#define SHARE_COLS 4	/* width of a box's share, "100%", which is reserved whatever it is now */
#define MEAN_NS 10e9	/* time constant of the means of shares */
#define CELL_LEAST 0.75 /* least part of a cell with which a box gets one */
#define FAR_ROWS 2	/* rows in which an edge that is far off causes a new layout early */
#define FAR_PART 8	/* part of the width beyond which an edge is far off */
#define OTHER_COLS 5	/* columns of the word */
#define WORD_FORMS 3	/* words of a phase, long to short */
#define LEGEND_LEFT 1	/* columns of the border before the names */

/* Return the observed part of the period. */
static double observed(const struct flame_view *flame)
{
	uint64_t all = flame->to - flame->from, gone = flame->paused + flame->lost;

	return all > gone ? (double)(all - gone) : 0;
}

struct figure_gc bars_gc(const struct flame_view *flame)
{
	const struct flame_sums sums = flame_sums(flame);

	return figure_gc_of((double)sums.gc, (double)sums.wait, observed(flame));
}

double bars_idle(const struct flame_view *flame)
{
	return figure_share((double)flame_sums(flame).idle, observed(flame));
}

/* ---- layout ---- */

/* Convert the period to boxes.  Returns their number. */
static int read_boxes(const struct flame_view *flame, bool wall_scale, struct bars_box boxes[BARS_MAX])
{
	const double gone = (double)flame->paused + (double)flame->lost,
		     window = (double)(flame->to - flame->from);
	double sum = 0;
	bool waits = false;
	int count = 0;

	for (size_t i = 0; i < flame->count; i++) {
		const struct flame_bar *bar = &flame->bars[i];
		/* Boxes inside a wait are left out with it. */
		if (bar->depth == 0)
			waits = !wall_scale && rtev_phase_class(bar->phase) == RTEV_CLASS_IDLE;
		if (waits || count == BARS_MAX - 3)
			continue;
		boxes[count++] =
		    (struct bars_box){.phase = bar->phase, .depth = bar->depth, .share = (double)bar->total};
		sum += bar->depth == 0 ? (double)bar->total : 0;
	}
	if (wall_scale) {
		const double parts[] = {window - gone - sum, (double)flame->lost, (double)flame->paused};
		for (int i = 0; i < 3; i++) {
			if (parts[i] <= 0)
				continue;
			boxes[count++] =
			    (struct bars_box){.phase = BOX_PROGRAM + (uint32_t)i, .share = parts[i]};
			sum += parts[i];
		}
	}
	for (int i = 0; i < count; i++)
		boxes[i].share = sum > 0 ? boxes[i].share / sum : 0;
	return count;
}

/* Compare the order of two boxes with equal outer ones, depth first. */
static int compare(const struct bars_box *a, const struct bars_box *b)
{
	if (a->depth != b->depth)
		return a->depth > b->depth ? -1 : 1;
	return (a->phase > b->phase) - (a->phase < b->phase);
}

/* Update the boxes of a memory to the present shares, which have `weight` in their means, and add new
 * boxes. */
static void merge(struct bars_memory *m, const struct bars_box *now, int count, double weight)
{
	struct bars_box out[BARS_MAX];
	int ends[PATH_DEPTH_MAX + 2] = {0}, used = 0;

	for (int i = 0, j = 0; (i < m->count || j < count) && used < BARS_MAX; used++) {
		const int order = i == m->count ? 1 : j == count ? -1 : compare(&m->boxes[i], &now[j]);
		struct bars_box *box = &out[used];
		*box = order <= 0 ? m->boxes[i++] : now[j];
		box->share = order >= 0 ? now[j++].share : 0;
		if (order > 0)
			box->col = ends[box->depth];
		box->mean += (box->share - box->mean) * weight;
		ends[box->depth] = box->col + box->cols;
		ends[box->depth + 1] = box->col;
	}
	memcpy(m->boxes, out, (size_t)used * sizeof(out[0]));
	m->count = used;
}

/* Return the index after a box and its contents. */
static int after(const struct bars_box *boxes, int box, int end)
{
	int next = box + 1;

	while (next < end && boxes[next].depth > boxes[box].depth)
		next++;
	return next;
}

/* Place the boxes between two indexes inside one with these columns and this weight. */
static void place(struct bars_box *boxes, int first, int end, bool mean, double all, int col, int cols,
    int *other_col, int *other_cols)
{
	const double scale = all > 0 ? cols / all : 0;
	double at = 0, small = 0;
	int left = col, right;

	for (int i = first, next; i < end; i = next) {
		struct bars_box *box = &boxes[i];
		const double weight = mean ? box->mean : box->share;
		next = after(boxes, i, end);
		right = left;
		if (weight * scale >= CELL_LEAST) {
			at += weight;
			right = col + (int)(at * scale + 0.5);
			right = right > left ? right : left + 1;
		} else {
			small += weight;
		}
		box->col = left;
		box->cols = (right < col + cols ? right : col + cols) - left;
		place(boxes, i + 1, next, mean, weight, left, box->cols, &box->other_col, &box->other_cols);
		left += box->cols;
	}
	right = col + (int)((at + small) * scale + 0.5);
	*other_col = left;
	*other_cols = (right < col + cols ? right : col + cols) - left;
}

/* Lay out all boxes of a memory again, by their present shares or by their means. */
static void lay_out(struct bars_memory *m, bool mean)
{
	double all = 0;

	for (int i = 0; i < m->count; i++)
		all += m->boxes[i].depth > 0 ? 0 : mean ? m->boxes[i].mean : m->boxes[i].share;
	place(m->boxes, 0, m->count, mean, all, 0, m->cols, &m->other_col, &m->other_cols);
}

/* Return by how many cells any edge is off from the present shares, or from the means. */
static int off_by(const struct bars_memory *m, bool mean)
{
	struct bars_memory wanted;
	int most = 0;

	memcpy(&wanted, m, offsetof(struct bars_memory, boxes) + (size_t)m->count * sizeof(m->boxes[0]));
	lay_out(&wanted, mean);
	for (int i = 0; i < m->count; i++) {
		const struct bars_box *a = &m->boxes[i], *b = &wanted.boxes[i];
		if (!mean && a->depth >= FAR_ROWS)
			continue;
		int off = abs(a->col + a->cols - b->col - b->cols);
		most = off > most ? off : most;
	}
	return most;
}

/* Lay out the boxes again, and forget those that are gone and get no cells by their mean. */
static void settle(struct bars_memory *m, const struct flame_view *flame, bool mean)
{
	int kept = 0;

	lay_out(m, mean);
	m->laid = flame->to;
	m->far = 0;
	m->rows = 0;
	m->dim = !m->wall_scale && bars_gc(flame).gc < BARS_DIM;
	for (int i = 0; i < m->count; i++) {
		struct bars_box *box = &m->boxes[i];
		const int rows = (int)box->depth + (box->cols > 0) + (box->other_cols > 0);
		m->rows = rows > m->rows ? rows : m->rows;
		if (!mean)
			box->mean = box->share;
		if (box->share > 0 || box->cols > 0)
			m->boxes[kept++] = *box;
	}
	m->count = kept;
}

/* Whether a box has time now; `cells`: one that has cells. */
static bool has_time(const struct bars_memory *m, bool cells)
{
	for (int i = 0; i < m->count; i++)
		if (m->boxes[i].share > 0 && (!cells || m->boxes[i].cols > 0))
			return true;
	return false;
}

/* Update a memory with a period. */
static void follow(struct bars_memory *m, const struct flame_view *flame, bool wall_scale, int cols)
{
	struct bars_box now[BARS_MAX];
	const int count = read_boxes(flame, wall_scale, now);
	const bool anew = m->laid == 0 || m->cols != cols || m->wall_scale != wall_scale ||
			  flame->to < m->at || (double)(flame->to - m->at) >= MEAN_NS;

	if (anew)
		m->count = 0;
	const double passed = anew ? MEAN_NS : (double)(flame->to - m->at);
	merge(m, now, count, passed < MEAN_NS ? passed / MEAN_NS : 1);
	m->cols = cols;
	m->wall_scale = wall_scale;
	m->at = flame->to;
	const bool time = has_time(m, false), faint = m->dim && bars_gc(flame).gc < BARS_DIM;
	if (!anew && faint && time && !has_time(m, true))
		settle(m, flame, true);
	if (anew || (time && !has_time(m, true))) {
		settle(m, flame, false);
	} else if (time && !faint && off_by(m, false) > cols / FAR_PART) {
		if (m->far == 0)
			m->far = flame->to;
		else if (flame->to - m->far >= BARS_FAR_NS && flame->to - m->laid >= BARS_STAND_NS)
			settle(m, flame, false);
	} else {
		m->far = 0;
		const uint64_t stand = faint ? 2 * (uint64_t)BARS_STAND_NS : BARS_STAND_NS;
		if (time && flame->to - m->laid >= stand && off_by(m, true) > 1)
			settle(m, flame, true);
	}
}

/* ---- words ---- */

/* Return the length of the whole words at the begin of a name that another name shares; 0 if nothing would
 * remain. */
static size_t common_words(const char *name, const char *other)
{
	size_t words = 0;

	for (size_t i = 0; name[i] != '\0'; i++) {
		bool ends = other[i] == '\0' || other[i] == '_';
		if (name[i] == '_' && ends && name[i + 1] != '\0')
			words = i + 1;
		if (name[i] != other[i])
			break;
	}
	return words;
}

/* Write a name with blanks between its words; "stop: leader" for stw_leader. */
static void put_words(const char *name, char out[RTEV_NAME_SIZE])
{
	const bool stop = strncmp(name, "stw_", 4) == 0;

	snprintf(out, RTEV_NAME_SIZE, "%s%s", stop ? "stop: " : "", name + (stop ? 4 : 0));
	for (char *at = out; *at != '\0'; at++)
		if (*at == '_')
			*at = ' ';
}

/* Write the words of a phase, long to short: its name without the words of enclosing boxes, without its
 * family's, and the short one. */
static void phase_words(const uint32_t *around, unsigned depth, char out[WORD_FORMS][RTEV_NAME_SIZE])
{
	static const char *const families[] = {
	    "minor_", "major_", "stw_", "explicit_", "compaction_", "domain_"};
	char buf[RTEV_NAME_SIZE], outer[RTEV_NAME_SIZE];
	const rtev_phase phase = (rtev_phase)around[depth];
	const char *name = phase == PATH_OTHER ? "others" : rtev_phase_name(phase, buf), *own = name;
	const char *brief = phase == PATH_OTHER ? NULL : phase_brief(phase);
	size_t skipped = 0;

	for (unsigned i = 0; i < depth; i++) {
		size_t words = common_words(name, rtev_phase_name((rtev_phase)around[i], outer));
		skipped = words > skipped ? words : skipped;
	}
	put_words(name + skipped, out[0]);
	for (size_t i = 0; skipped == 0 && i < sizeof(families) / sizeof(families[0]); i++)
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			own = name + strlen(families[i]);
	put_words(own + skipped, out[1]);
	strlcpy(out[2], brief != NULL ? brief : out[1], RTEV_NAME_SIZE);
}

/* Choose the words of a box: the longest that fits with a share, else the longest that fits.  Returns its
 * form; -1: none fits. */
static int choose_words(
    const struct canvas *canvas, char forms[WORD_FORMS][RTEV_NAME_SIZE], int cols, bool *with_share)
{
	for (int i = 0; i < 2 * WORD_FORMS; i++) {
		*with_share = i < WORD_FORMS;
		int width = canvas_text_width(canvas, forms[i % WORD_FORMS]);
		if (width + (*with_share ? 1 + SHARE_COLS : 0) <= cols)
			return i % WORD_FORMS;
	}
	return -1;
}

/* ---- drawing ---- */

/* Return the part of the width that was observed, which is the base of the shares in words. */
static double observed_part(const struct bars_memory *m)
{
	double part = 1;

	for (int i = 0; i < m->count; i++)
		part -= m->boxes[i].phase > BOX_PROGRAM ? m->boxes[i].share : 0;
	return part;
}

/* Return the style of a phase's boxes, or of its swatch; phases inside a minor collection, and barriers, are
 * tints of their classes. */
static enum style phase_style(uint32_t phase, bool swatch)
{
	const enum rtev_phase_class class = rtev_phase_class((rtev_phase)phase);

	if (class == RTEV_CLASS_MINOR && phase != RTEV_PHASE_MINOR)
		return swatch ? STYLE_GRAPH_INNER : STYLE_PHASE_INNER;
	if (phase == RTEV_PHASE_STW_API_BARRIER || phase == RTEV_PHASE_MINOR_LEAVE_BARRIER)
		return swatch ? STYLE_GRAPH_BARRIER : STYLE_PHASE_BARRIER;
	return swatch ? theme_class(class)->graph : theme_class(class)->fill;
}

/* The area of the bars, and the phases around the box being drawn. */
struct drawing {
	struct canvas *canvas;
	struct rect area;
	const struct bars_memory *memory;
	double observed; /* base of the shares */
	uint32_t around[PATH_DEPTH_MAX + 1];
};

/* Mark lost or paused time and name it. */
static void draw_gap(struct canvas *canvas, struct rect line, bool lost, double share)
{
	const enum style style = lost ? STYLE_GAP_LOST : STYLE_GAP_PAUSED;
	char label[40];

	for (int c = 0; c < line.cols; c++)
		canvas_glyph(canvas, line.row, line.col + c, style, lost ? GLYPH_LOSS : GLYPH_PAUSE);
	snprintf(label, sizeof(label), " %s %s ", lost ? "lost" : "paused", format_percent(share).s);
	if (canvas_text_width(canvas, label) > line.cols)
		snprintf(label, sizeof(label), "%s", lost ? "lost" : "paused");
	int width = canvas_text_width(canvas, label);
	if (width <= line.cols)
		canvas_put(canvas, line.row, line.col + (line.cols - width) / 2, style, label);
}

/* Fill a box, with a divider from its left neighbour, if it has one.  Returns the room for words. */
static struct rect fill_box(struct canvas *canvas, struct rect line, enum style style, bool divided)
{
	const bool divider = divided && (line.cols > 1 || canvas_colour(canvas));

	canvas_fill(canvas, line, style, 0);
	if (divider)
		canvas_glyph(canvas, line.row, line.col, style, GLYPH_DIVIDER);
	if (divider || line.cols > 1)
		rect_cut_left(&line, 1);
	return line;
}

/* Draw what is left of a box that is gone: its cells stay, and where they begin, until all are laid out anew. */
static void draw_gone(struct canvas *canvas, struct rect line, bool divided)
{
	if (divided)
		canvas_glyph(canvas, line.row, line.col, STYLE_BAR_REST, GLYPH_DIVIDER);
}

/* Draw a word, and its share if there is room.  Returns the column after them. */
static int put_word(struct canvas *canvas, struct rect line, enum style style, const char *word,
    bool with_share, double share)
{
	const struct formatted text = format_percent(share);
	int end = canvas_put(canvas, line.row, line.col, style, word);

	if (with_share && end + 1 + canvas_text_width(canvas, text.s) <= line.col + line.cols)
		end = canvas_put(canvas, line.row, end + 1, style, text.s);
	return end;
}

/* Draw the boxes between two indexes with less than a cell each as one; nothing if none of them exists
 * now. */
static void draw_other(const struct drawing *d, int first, int end, unsigned depth, int col, int cols)
{
	const struct bars_box *boxes = d->memory->boxes;
	double share = 0;

	for (int i = first; i < end; i = after(boxes, i, end))
		share += boxes[i].cols == 0 ? boxes[i].share : 0;
	if (cols <= 0 || (int)depth >= d->area.rows)
		return;
	struct rect line = rect_make(d->area.row + (int)depth, d->area.col + col, 1, cols);
	if (share <= 0) {
		draw_gone(d->canvas, line, col > 0);
		return;
	}
	const bool dim = d->memory->dim;
	const enum style style = dim ? STYLE_MUTED : STYLE_MERGED;
	line = fill_box(d->canvas, line, style, col > 0);
	int at = line.col;
	if (line.cols >= OTHER_COLS)
		at = 1 + put_word(d->canvas, line, style, "other", line.cols > OTHER_COLS + SHARE_COLS,
			     share / d->observed);
	for (; (dim || !canvas_colour(d->canvas)) && at < line.col + line.cols; at++)
		canvas_glyph(
		    d->canvas, line.row, at, dim ? STYLE_BAR_REST : style, dim ? GLYPH_BAR_REST : GLYPH_DOT);
}

/* Draw one box and its word, if any. */
static void draw_box(struct drawing *d, const struct bars_box *box)
{
	struct canvas *canvas = d->canvas;
	const enum rtev_phase_class class = rtev_phase_class((rtev_phase)box->phase);
	struct rect line = rect_make(d->area.row + (int)box->depth, d->area.col + box->col, 1, box->cols);
	const bool program = box->phase == BOX_PROGRAM, dim = d->memory->dim;
	const enum style style = program ? STYLE_OWN
				 : dim	 ? theme_class(class)->ink
					 : phase_style(box->phase, false);
	char forms[WORD_FORMS][RTEV_NAME_SIZE] = {"the program", "program", "own"};
	bool with_share;

	if (box->cols <= 0 || (int)box->depth >= d->area.rows)
		return;
	if (box->share <= 0) {
		draw_gone(canvas, line, box->col > 0);
		return;
	}
	if (box->phase > BOX_PROGRAM) {
		draw_gap(canvas, line, box->phase == BOX_LOST, box->share);
		return;
	}
	line = fill_box(canvas, line, style, box->col > 0);
	if (!program)
		phase_words(d->around, box->depth, forms);
	int form = choose_words(canvas, forms, line.cols, &with_share), end = line.col;
	if (form >= 0)
		end = put_word(canvas, line, style, forms[form], with_share, box->share / d->observed);
	end += end > line.col;
	/* Without colours the pattern shows the family. */
	for (; !program && end < line.col + line.cols &&
	       (dim || !canvas_colour(canvas) || class == RTEV_CLASS_IDLE);
	     end++)
		canvas_glyph(canvas, line.row, end, dim ? STYLE_BAR_REST : style,
		    dim ? GLYPH_BAR_REST : theme_class(class)->pattern);
}

/* Draw the boxes at their places. */
static void draw_boxes(struct canvas *canvas, struct rect area, const struct bars_memory *m)
{
	struct drawing d = {canvas, area, m, observed_part(m), {0}};
	struct rect old = canvas_clip(canvas, area);

	draw_other(&d, 0, m->count, 0, m->other_col, m->other_cols);
	for (int i = 0; i < m->count; i++) {
		const struct bars_box *box = &m->boxes[i];
		d.around[box->depth] = box->phase;
		draw_box(&d, box);
		draw_other(
		    &d, i + 1, after(m->boxes, i, m->count), box->depth + 1, box->other_col, box->other_cols);
	}
	canvas_unclip(canvas, old);
}

void bars_draw(struct canvas *canvas, struct rect area, const struct flame_view *flame, bool wall_scale,
    struct bars_memory *memory)
{
	const uint64_t gaps[] = {flame->lost, flame->paused}, all = flame->to - flame->from;
	struct bars_memory alone;

	if (memory == NULL)
		memory = memset(&alone, 0, offsetof(struct bars_memory, boxes));
	for (int i = 0; i < 2 && !wall_scale; i++) {
		int cols = gaps[i] == 0 ? 0 : GAP_COLS < area.cols / 4 ? GAP_COLS : (area.cols + 3) / 4;
		area.cols -= cols;
		if (cols > 0)
			draw_gap(canvas, rect_make(area.row, area.col + area.cols, 1, cols), i == 0,
			    figure_share((double)gaps[i], (double)all));
	}
	follow(memory, flame, wall_scale, area.cols);
	if (has_time(memory, false)) {
		draw_boxes(canvas, area, memory);
		return;
	}
	canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_MUTED,
	    flame->count > 0  ? "idle"
	    : area.cols >= 18 ? "no time in phases"
			      : "");
}

void bars_legend(struct canvas *canvas, struct rect line, const struct bars_memory *m, int rows)
{
	char forms[WORD_FORMS][RTEV_NAME_SIZE];
	uint32_t around[PATH_DEPTH_MAX + 1];
	double shares[RTEV_PHASE_COUNT] = {0};
	uint8_t named[RTEV_PHASE_COUNT] = {0}; /* 1: its box has no word, 2: another box has one */
	const char *base = m->wall_scale ? " of the time " : " of GC time ";
	const double observed = observed_part(m);
	int at = line.col + LEGEND_LEFT, end = line.col + line.cols;
	bool with_share;

	for (int i = 0; i < m->count; i++) {
		const struct bars_box *box = &m->boxes[i];
		around[box->depth] = box->phase;
		if (box->phase >= RTEV_PHASE_COUNT)
			continue;
		shares[box->phase] += observed > 0 ? box->share / observed : 0;
		if (box->cols == 0 || (int)box->depth >= rows)
			continue;
		phase_words(around, box->depth, forms);
		named[box->phase] |=
		    choose_words(canvas, forms, box->cols - (box->cols > 1), &with_share) < 0 ? 1 : 2;
	}
	for (uint32_t p = 0; p < RTEV_PHASE_COUNT && m->rows > 0; p++) {
		const enum rtev_phase_class class = rtev_phase_class((rtev_phase)p);
		phase_words(&p, 0, forms);
		const int width = canvas_text_width(canvas, forms[2]) + SHARE_COLS + 5;
		if (named[p] != 1 || shares[p] <= 0 || at + width > end)
			continue;
		canvas_fill(canvas, rect_make(line.row, at, 1, width), STYLE_AXIS, 0);
		canvas_glyph(canvas, line.row, at + 1, phase_style(p, true),
		    canvas_colour(canvas) ? GLYPH_SWATCH : theme_class(class)->pattern);
		const int word = canvas_put(canvas, line.row, at + 3, STYLE_AXIS, forms[2]);
		canvas_put(canvas, line.row, word + 1, STYLE_AXIS, format_percent(shares[p]).s);
		at += width;
	}
	if (m->rows > 0 && at + canvas_text_width(canvas, base) < end)
		canvas_put(canvas, line.row, end - canvas_text_width(canvas, base), STYLE_AXIS, base);
}
