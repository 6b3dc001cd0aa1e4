/*
 * icicle.c - lay out and draw nested bars, and the phase bars of a domain with their gaps.
 */
#include "ui/widgets/icicle.h"

#include "core/event.h"
#include "core/sum.h"
#include "model/waiting.h"
#include "print/number.h"

/* ---- apportion ---- */

/* The part of a share not yet granted; a value of 0 gets nothing. */
static double owed(double value, double scale, int given)
{
	return value > 0 ? value * scale - given : -2;
}

void share_cells(const double *values, int count, int cells, int *out)
{
	double sum = 0;
	for (int i = 0; i < count; i++) {
		sum += values[i];
		out[i] = 0;
	}
	if (!(sum > 0) || cells <= 0)
		return;
	double scale = (double)cells / sum;
	int left = cells;
	for (int i = 0; i < count; i++) {
		double exact = values[i] * scale;
		/* The comparison guards against rounding errors in the sum. */
		out[i] = exact < left ? (int)exact : left;
		left -= out[i];
	}
	while (left > 0) {
		int best = 0;
		for (int i = 1; i < count; i++)
			if (owed(values[i], scale, out[i]) > owed(values[best], scale, out[best]))
				best = i;
		out[best]++;
		left--;
	}
}

/* ---- icicle ---- */

/* Bars narrower than this are merged if there are two or more. */
#define TINY 5.0

/* An edge that would move by at most this many cells stays. */
#define STEADY 1.0

/* Name of a merged bar in a memory. */
#define MERGED_NAME 1

/* Least width of a label; narrower bars show only the colour or pattern of their family. */
#define LABEL_LEAST 3

/* A walk over the tree that passes each bar to `emit`. */
struct walk {
	const struct icicle_span *spans;
	int count, rows;
	void (*emit)(void *ctx, const struct icicle_segment *segment);
	void *ctx;
	int around[ICICLE_ROWS_MAX + 1];     /* outer spans of the one being placed, by row */
	const struct icicle_picture *before; /* NULL: nothing is remembered */
	struct icicle_picture *now;
};

/* The children of one parent with their values. */
struct siblings {
	int index[ICICLE_SIBLINGS_MAX];
	double value[ICICLE_SIBLINGS_MAX + 2]; /* plus the merged bar and the rest */
	int cols[ICICLE_SIBLINGS_MAX + 2];
	int count;
	uint64_t sum;
};

/* Return the index after a span's subtree. */
static int subtree_end(const struct walk *w, int span)
{
	int end = span + 1;
	while (end < w->count && w->spans[end].depth > w->spans[span].depth)
		end++;
	return end;
}

/* Collect the siblings with a time above 0 between two indexes. */
static void find_siblings(const struct walk *w, int first, int end, struct siblings *out)
{
	out->count = 0;
	out->sum = 0;
	for (int i = first; i < end && out->count < ICICLE_SIBLINGS_MAX; i = subtree_end(w, i)) {
		if (w->spans[i].value == 0)
			continue;
		out->index[out->count] = i;
		out->value[out->count++] = (double)w->spans[i].value;
		out->sum = sum_saturating(out->sum, w->spans[i].value);
	}
}

/* Return the bytes of the leading whole words, underscores included, that a label shares with another; 0
 * if nothing would remain. */
static int common_words(const char *label, const char *other)
{
	int words = 0;
	for (int i = 0; label[i] != '\0'; i++) {
		bool ends = other[i] == '\0' || other[i] == '_';
		if (label[i] == '_' && ends && label[i + 1] != '\0')
			words = i + 1;
		if (label[i] != other[i])
			break;
	}
	return words;
}

/* Return the bytes to skip in a label because an outer span's label has them. */
static int label_skip(const struct walk *w, int span, const int *around, int depth)
{
	int most = 0;
	for (int i = 0; i < depth; i++) {
		int words = common_words(w->spans[span].label, w->spans[around[i]].label);
		if (words > most && strcmp(w->spans[span].label, w->spans[around[i]].label) != 0)
			most = words;
	}
	return most;
}

/* Assign cells to the siblings, the merged bar and the rest.  Returns the number of merged siblings; they
 * get 0 cells, and entry [count] is the merged bar. */
static int give_cells(struct siblings *s, uint64_t total, int cols, uint64_t *merged_value)
{
	int merged = 0;
	double merged_sum = 0, scale = (double)cols / (double)total;
	for (int i = 0; i < s->count; i++)
		merged += s->value[i] * scale < TINY;
	if (merged < 2)
		merged = 0;
	for (int i = 0; merged > 0 && i < s->count; i++) {
		if (s->value[i] * scale < TINY) {
			merged_sum += s->value[i];
			s->value[i] = 0;
		}
	}
	s->value[s->count] = merged_sum;
	s->value[s->count + 1] = (double)(total - s->sum);
	share_cells(s->value, s->count + 2, cols, s->cols);
	/* At most one bar has no cell: it takes one from the widest. */
	int widest = 0, lacking = -1;
	for (int i = 0; i < s->count + 2; i++) {
		if (s->cols[i] > s->cols[widest])
			widest = i;
		if (i <= s->count && s->value[i] > 0 && s->cols[i] == 0)
			lacking = i;
	}
	if (lacking >= 0 && s->cols[widest] > 1) {
		s->cols[widest]--;
		s->cols[lacking] = 1;
	}
	*merged_value = whole_saturating(merged_sum);
	return merged;
}

/* Hash a label. */
static uint64_t name_of(const char *label)
{
	uint64_t hash = 14695981039346656037u;

	for (; *label != '\0'; label++)
		hash = (hash ^ (unsigned char)*label) * 1099511628211u;
	return hash;
}

/* Find the siblings in the previous picture below `parent` (-1: the outermost).  False unless they are the
 * same bars as now. held[] gets their indexes. */
static bool find_held(const struct walk *w, const struct siblings *s, int row, int parent, int *held)
{
	int at = parent + 1;

	if (w->before == NULL)
		return false;
	for (int i = 0; i <= s->count; i++) {
		held[i] = -1;
		if (s->cols[i] == 0)
			continue;
		while (at < w->before->count && w->before->places[at].row > row)
			at++;
		uint64_t name = i < s->count ? name_of(w->spans[s->index[i]].label) : MERGED_NAME;
		if (at >= w->before->count || w->before->places[at].row < row ||
		    w->before->places[at].name != name)
			return false;
		held[i] = at++;
	}
	while (at < w->before->count && w->before->places[at].row > row)
		at++;
	return at >= w->before->count || w->before->places[at].row < row;
}

/* Keep the previous edges of the siblings where they are nearly right. */
static void keep_steady(const struct walk *w, struct siblings *s, uint64_t total, int cols, const int *held)
{
	double exact = 0;
	int given = 0, at = 0, steady[ICICLE_SIBLINGS_MAX + 2] = {0}, last = -1;

	for (int i = 0; i <= s->count; i++) {
		exact += s->value[i] / (double)total * cols;
		given += s->cols[i];
		if (held[i] < 0)
			continue;
		int before = w->before->places[held[i]].end;
		int end = fabs(exact - before) <= STEADY ? before : given;
		if (end <= at || end > cols)
			return;
		steady[i] = end - at;
		at = end;
		last = i;
	}
	/* The rest is the parent's self time, which may be 0. */
	if (last >= 0 && s->value[s->count + 1] == 0)
		steady[last] += cols - at;
	else
		steady[s->count + 1] = cols - at;
	memcpy(s->cols, steady, ((size_t)s->count + 2) * sizeof(steady[0]));
}

/* Emit a bar and remember its end. */
static void emit_bar(
    const struct walk *w, const struct icicle_segment *segment, uint64_t name, const struct rect *parent)
{
	struct icicle_picture *now = w->now;

	w->emit(w->ctx, segment);
	if (now != NULL && now->count < ICICLE_PLACES_MAX)
		now->places[now->count++] = (struct icicle_place){.name = name,
		    .row = segment->row,
		    .cols = segment->cols,
		    .end = segment->col + segment->cols - parent->col};
}

/* Place the spans between two indexes, which have one parent, and their subtrees.  `held` is the parent's
 * index in the previous picture; -1: the outermost, -2: it was absent or had another width. */
static void place(struct walk *w, int first, int end, uint64_t total, struct rect in, int held)
{
	struct siblings s;
	int before[ICICLE_SIBLINGS_MAX + 1], row = in.row;

	if (row >= w->rows || in.cols <= 0)
		return;
	find_siblings(w, first, end, &s);
	if (total < s.sum)
		total = s.sum;
	if (total == 0)
		return;
	uint64_t merged_value;
	int merged = give_cells(&s, total, in.cols, &merged_value);
	bool known = held >= -1 && find_held(w, &s, row, held, before);
	if (known)
		keep_steady(w, &s, total, in.cols, before);
	int at = in.col, first_merged = -1;
	for (int i = 0; i < s.count; i++) {
		int span = s.index[i], width = 0;
		if (s.value[i] == 0 && first_merged < 0)
			first_merged = span;
		if (s.cols[i] == 0)
			continue;
		emit_bar(w,
		    &(struct icicle_segment){.row = row,
			.col = at,
			.cols = s.cols[i],
			.span = span,
			.value = w->spans[span].value,
			.skip = label_skip(w, span, w->around, row)},
		    name_of(w->spans[span].label), &in);
		w->around[row] = span;
		if (known)
			width = w->before->places[before[i]].cols;
		place(w, span + 1, subtree_end(w, span), w->spans[span].value,
		    rect_make(row + 1, at, 1, s.cols[i]), width == s.cols[i] ? before[i] : -2);
		at += s.cols[i];
	}
	if (s.cols[s.count] > 0) {
		emit_bar(w,
		    &(struct icicle_segment){.row = row,
			.col = at,
			.cols = s.cols[s.count],
			.span = first_merged,
			.merged = merged,
			.value = merged_value},
		    MERGED_NAME, &in);
		at += s.cols[s.count];
	}
	if (row == 0 && s.cols[s.count + 1] > 0)
		w->emit(w->ctx, &(struct icicle_segment){.row = 0,
				    .col = at,
				    .cols = s.cols[s.count + 1],
				    .span = -1,
				    .value = total - s.sum});
}

/* Pass every bar of a tree to a function. */
static void walk_tree(const struct icicle_span *spans, int count, uint64_t total,
    struct icicle_memory *memory, int rows, int cols,
    void (*emit)(void *ctx, const struct icicle_segment *segment), void *ctx)
{
	struct walk w = {
	    .spans = spans, .count = count, .rows = rows < ICICLE_ROWS_MAX ? rows : ICICLE_ROWS_MAX};

	w.emit = emit;
	w.ctx = ctx;
	if (memory != NULL) {
		w.before = &memory->pictures[memory->last];
		w.now = &memory->pictures[memory->last ^ 1];
		w.now->count = 0;
		w.now->cols = cols;
		memory->last ^= 1;
	}
	place(&w, 0, count, total, rect_make(0, 0, 1, cols),
	    w.before != NULL && w.before->cols == cols ? -1 : -2);
}

int icicle_rows(const struct icicle_memory *memory)
{
	const struct icicle_picture *p = &memory->pictures[memory->last];
	int rows = 0;

	for (int i = 0; i < p->count; i++)
		rows = p->places[i].row >= rows ? p->places[i].row + 1 : rows;
	return rows;
}

/* Output of icicle_layout. */
struct store {
	struct icicle_segment *segments;
	int used, capacity;
};

static void store_segment(void *ctx, const struct icicle_segment *segment)
{
	struct store *store = ctx;
	if (store->used < store->capacity)
		store->segments[store->used++] = *segment;
}

int icicle_layout(const struct icicle_span *spans, int count, uint64_t total, struct icicle_memory *memory,
    int rows, int cols, struct icicle_segment *segments, int capacity)
{
	struct store store = {segments, 0, capacity};
	walk_tree(spans, count, total, memory, rows, cols, store_segment, &store);
	return store.used;
}

/* Draw a bar's text into `cols` columns: label and share, or the label, or `brief`, or without that as much of the
 * label as fits, or nothing.  Returns the column after it. */
static int draw_label(struct canvas *canvas, int row, int col, int cols, enum style style, const char *label,
    const char *brief, struct formatted share)
{
	if (brief != NULL && canvas_text_width(canvas, label) > cols)
		label = brief;
	int label_cols = canvas_text_width(canvas, label);
	int share_cols = canvas_text_width(canvas, share.s);
	struct rect old = canvas_clip(canvas, rect_make(row, col, 1, cols));
	int end = col;
	if ((cols >= LABEL_LEAST && brief == NULL) || label_cols <= cols) {
		end = canvas_put(canvas, row, col, style, label);
		if (label_cols + 1 + share_cols <= cols)
			end = canvas_put(canvas, row, end + 1, style, share.s);
	}
	canvas_unclip(canvas, old);
	return end;
}

/* Draw the label of a merged bar: "+5 12%", "+5", or an ellipsis. */
static void draw_merged(struct canvas *canvas, int row, int col, int cols, int merged, struct formatted share)
{
	char label[16];

	snprintf(label, sizeof(label), "+%d", merged);
	if (canvas_text_width(canvas, label) <= cols)
		draw_label(canvas, row, col, cols, STYLE_MERGED, label, NULL, share);
	else
		canvas_glyph(canvas, row, col + (cols - 1) / 2, STYLE_MERGED, GLYPH_ELLIPSIS);
}

/* Context of draw_segment. */
struct picture {
	struct canvas *canvas;
	struct rect area;
	const struct icicle_span *spans;
	uint64_t total;
	const struct icicle_look *look;
	int largest; /* span of row 0; -1: none */
};

/* Draw a bar, with a divider at its left edge. */
static void draw_segment(void *ctx, const struct icicle_segment *segment)
{
	const struct picture *p = ctx;
	struct canvas *canvas = p->canvas;
	int row = p->area.row + segment->row, col = p->area.col + segment->col, cols = segment->cols;
	if (segment->row >= p->area.rows)
		return;
	bool is_rest = segment->span<0, is_merged = segment->merged> 0;
	if (is_rest && p->look->rest == NULL)
		return;
	const struct icicle_span *span = is_rest ? NULL : &p->spans[segment->span];
	enum style style = is_rest	  ? STYLE_OWN
			   : is_merged	  ? STYLE_MERGED
			   : p->look->dim ? theme_class_ink(span->class)
					  : theme_class_fill(span->class);
	canvas_fill(canvas, rect_make(row, col, 1, cols), style, 0);
	if (segment->col > 0 && cols > 1) {
		canvas_glyph(canvas, row, col, style, GLYPH_DIVIDER);
		col++;
		cols--;
	}
	struct formatted share = format_share(segment->value, p->total);
	if (is_merged) {
		draw_merged(canvas, row, col, cols, segment->merged, share);
		return;
	}
	if (is_rest) {
		draw_label(canvas, row, col, cols, style, p->look->rest, NULL, share);
		return;
	}
	int end = draw_label(canvas, row, col, cols, style, span->label + segment->skip, span->brief, share);
	if (segment->span == p->largest && end > col && p->look->base != NULL &&
	    end + 1 + canvas_text_width(canvas, p->look->base) <= col + cols)
		end = canvas_put(canvas, row, end + 1, style, p->look->base);
	for (int at = end + (end > col); p->look->dim && at < col + cols; at++)
		canvas_glyph(canvas, row, at, STYLE_BAR_REST, GLYPH_BAR_REST);
	if (p->look->dim)
		return;
	/* Without colours the pattern shows the family. */
	if (!canvas_colour(canvas) || span->class == RTEV_CLASS_IDLE)
		for (int at = end + (end > col); at < col + cols; at++)
			canvas_glyph(canvas, row, at, style, theme_class_pattern(span->class));
}

void icicle_draw(struct canvas *canvas, struct rect area, const struct icicle_span *spans, int count,
    uint64_t total, const struct icicle_look *look, struct icicle_memory *memory)
{
	uint64_t sum = 0;
	int largest = -1;
	for (int i = 0; i < count; i++)
		if (spans[i].depth == 0) {
			sum = sum_saturating(sum, spans[i].value);
			largest = largest < 0 || spans[i].value > spans[largest].value ? i : largest;
		}
	struct picture picture = {canvas, area, spans, total > sum ? total : sum, look, largest};
	struct rect old = canvas_clip(canvas, area);
	/* Walk the rows below the area too: the memory counts them. */
	walk_tree(spans, count, picture.total, memory, memory != NULL ? ICICLE_ROWS_MAX : area.rows,
	    area.cols, draw_segment, &picture);
	canvas_unclip(canvas, old);
}

/* ---- phase bars ---- */

/* Maximum width of a gap when bars show time in phases. */
#define GAP_COLS_LEAST 10
#define GAP_PART 6

struct figure_gc bars_gc(const struct flame_view *flame)
{
	uint64_t all = flame->to - flame->from, gone = flame->paused + flame->lost, gc = 0, waiting = 0;
	bool pause = false;

	for (size_t i = 0; i < flame->count; i++) {
		const struct flame_bar *bar = &flame->bars[i];
		/* Bars come depth first.  A wait is not the collector's time. */
		if (bar->depth == 0)
			pause = rtev_phase_class(bar->phase) != RTEV_CLASS_IDLE;
		if (pause && bar->depth == 0)
			gc += bar->total;
		if (pause && model_phase_waits(bar->phase))
			waiting += bar->self;
	}
	return figure_gc_of((double)gc, (double)waiting, all > gone ? (double)(all - gone) : 0);
}

double bars_idle(const struct flame_view *flame)
{
	uint64_t all = flame->to - flame->from, gone = flame->paused + flame->lost, idle = 0;

	for (size_t i = 0; i < flame->count; i++)
		if (flame->bars[i].depth == 0 && rtev_phase_class(flame->bars[i].phase) == RTEV_CLASS_IDLE)
			idle += flame->bars[i].total;
	return figure_share((double)idle, all > gone ? (double)(all - gone) : 0);
}

/* Return the width of a gap. */
static int gap_cols(const struct flame_view *flame, uint64_t gap, int cols, bool wall_scale)
{
	uint64_t all = flame->to - flame->from;
	int most = cols / GAP_PART > GAP_COLS_LEAST ? cols / GAP_PART : GAP_COLS_LEAST;

	if (gap == 0 || all == 0)
		return 0;
	int wide = (int)((double)gap / (double)all * cols + 0.5);
	if (!wall_scale && flame->count > 0 && wide > most)
		wide = most;
	return wide < 1 ? 1 : wide > cols ? cols : wide;
}

/* Cut a gap off the right of an area and mark it. */
static void draw_gap(struct canvas *canvas, struct rect *area, int cols, enum glyph glyph, enum style style,
    const char *name, struct formatted share)
{
	char label[40];

	cols = cols > area->cols ? area->cols : cols;
	area->cols -= cols;
	for (int c = 0; c < cols; c++)
		canvas_glyph(canvas, area->row, area->col + area->cols + c, style, glyph);
	snprintf(label, sizeof(label), " %s %s ", name, share.s);
	int width = canvas_text_width(canvas, label);
	if (width > cols) {
		snprintf(label, sizeof(label), "%s", name);
		width = canvas_text_width(canvas, label);
	}
	if (width <= cols)
		canvas_put(canvas, area->row, area->col + area->cols + (cols - width) / 2, style, label);
}

static void draw_spans(struct canvas *canvas, struct rect area, const struct flame_view *flame,
    uint64_t total, bool wall_scale, struct icicle_memory *memory)
{
	static const char other[] = "others";
	struct icicle_span *spans = calloc(flame->count + 1, sizeof(spans[0]));
	char(*names)[RTEV_NAME_SIZE] = calloc(flame->count + 1, sizeof(names[0]));

	if (spans != NULL && names != NULL) {
		const struct icicle_look look = {.rest = wall_scale ? "the program" : NULL,
		    .base = wall_scale ? "of the time" : "of GC time",
		    .dim = !wall_scale && bars_gc(flame).gc < BARS_DIM};
		int count = 0;
		bool waits = false;
		for (size_t i = 0; i < flame->count; i++) {
			const struct flame_bar *bar = &flame->bars[i];
			/* Bars come depth first: what is inside a wait goes with it. */
			if (bar->depth == 0)
				waits = !wall_scale && rtev_phase_class(bar->phase) == RTEV_CLASS_IDLE;
			if (waits)
				continue;
			spans[count++] = (struct icicle_span){
			    .label = bar->phase == PATH_OTHER ? other : rtev_phase_name(bar->phase, names[i]),
			    .value = bar->total,
			    .class = rtev_phase_class(bar->phase),
			    .depth = bar->depth,
			    .brief = bar->phase == PATH_OTHER ? NULL : phase_brief(bar->phase),
			};
		}
		if (count == 0 && !wall_scale)
			canvas_put_fit(canvas, area, ALIGN_LEFT, STYLE_MUTED,
			    flame->count > 0  ? "idle"
			    : area.cols >= 18 ? "no time in phases"
					      : "");
		else
			icicle_draw(canvas, area, spans, count, total, &look, memory);
	}
	free(spans);
	free(names);
}

void bars_draw(struct canvas *canvas, struct rect area, const struct flame_view *flame, bool wall_scale,
    struct icicle_memory *memory)
{
	uint64_t all = flame->to - flame->from, gone = flame->paused + flame->lost;

	if (flame->lost > 0)
		draw_gap(canvas, &area, gap_cols(flame, flame->lost, area.cols, wall_scale), GLYPH_LOSS,
		    STYLE_GAP_LOST, "lost", format_share(flame->lost, all));
	if (flame->paused > 0)
		draw_gap(canvas, &area, gap_cols(flame, flame->paused, area.cols, wall_scale), GLYPH_PAUSE,
		    STYLE_GAP_PAUSED, "paused", format_share(flame->paused, all));
	draw_spans(canvas, area, flame, wall_scale && all > gone ? all - gone : 0, wall_scale, memory);
}
