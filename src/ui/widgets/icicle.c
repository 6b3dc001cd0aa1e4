/* icicle.c - lay out nested bars. */
#include "ui/widgets/icicle.h"

#include "core/sum.h"

/* ---- apportion ---- */

/* Return the part of a share that was not yet granted; a value of 0 gets nothing. */
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

/* A walk over the tree that passes each bar to `emit`. */
struct walk {
	const struct icicle_span *spans;
	int count, rows;
	void (*emit)(void *ctx, const struct icicle_segment *segment);
	void *ctx;
	const struct icicle_picture *before; /* NULL: there is no memory */
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
	/* At most one bar has no cell; it takes one from the widest. */
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

/* Find the siblings in the previous picture below `parent` (-1: the outermost), and store their indexes in
 * held[].  Returns false unless the bars are the same as now. */
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

/* Keep the previous edges of the siblings if they are nearly right. */
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

/* Emit a bar and remember its place. */
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
			.value = w->spans[span].value},
		    name_of(w->spans[span].label), &in);
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
