/*
 * bars.c - build bars top down, the widest first.
 *
 * A bar represents the set of tree nodes that are reached through the same functions.  To find the children
 * of a bar, take one step from each node of its set, to the children of the node or (inverted) to its parent,
 * and group the result by function.  Because the widest bar is opened first, a limit on the number of bars
 * drops narrow ones.
 */
#include "calls/bars.h"

#include "core/array.h"
#include "core/order.h"

/* A node of a bar's set, with the weight that it contributes. */
struct item {
	uint32_t function;
	uint32_t node;
	uint64_t weight;
};

struct items {
	struct item *list;
	size_t count, capacity;
};

/* A bar under construction. */
struct bud {
	uint32_t function;
	uint32_t parent;
	uint32_t first, children; /* index of the first child and their number, once it has been opened */
	uint64_t total;
	struct items items; /* before it is opened */
};

struct work {
	const struct calls_node *nodes;
	size_t node_count;
	const struct calls_bars_options *options;
	const uint64_t *own;	/* each node's own weight */
	uint64_t *whole;	/* own weight plus that of all nodes below */
	uint32_t *child, *next; /* first child, next sibling */
	struct bud *buds;
	size_t count, capacity;
	uint32_t *heap; /* buds to be opened; the heaviest is at the top */
	size_t waiting, heap_capacity;
};

/* Compute the weights of all nodes, and link each to its children. */
static bool weigh_nodes(struct work *w)
{
	size_t count = w->node_count;

	w->whole = calloc(count, sizeof(*w->whole));
	w->child = reallocarray(NULL, count, sizeof(*w->child));
	w->next = reallocarray(NULL, count, sizeof(*w->next));
	if (w->whole == NULL || w->child == NULL || w->next == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		w->child[i] = w->next[i] = CALLS_NONE;
	for (size_t i = count; i-- > 1;) {
		uint32_t parent = w->nodes[i].parent;
		w->whole[i] += w->own[i];
		w->whole[parent] += w->whole[i];
		w->next[i] = w->child[parent];
		w->child[parent] = (uint32_t)i;
	}
	return true;
}

/* Add a node to a set, unless its weight is 0. */
static bool add_item(struct work *w, struct items *items, uint32_t node, uint64_t weight)
{
	if (weight == 0)
		return true;
	if (!array_room(&items->list, &items->capacity, items->count + 1, sizeof(*items->list)))
		return false;
	items->list[items->count++] = (struct item){w->nodes[node].function, node, weight};
	return true;
}

static bool add_children(struct work *w, struct items *items, uint32_t node)
{
	for (uint32_t c = w->child[node]; c != CALLS_NONE; c = w->next[c]) {
		if (!add_item(w, items, c, w->whole[c]))
			return false;
	}
	return true;
}

static bool is_group(const struct work *w, uint32_t node)
{
	return w->nodes[node].parent == CALLS_ROOT;
}

/* Collect the set of nodes that row 0 is made from. */
static bool start_items(struct work *w, struct items *items)
{
	if (!w->options->invert) {
		for (uint32_t d = w->child[CALLS_ROOT]; d != CALLS_NONE; d = w->next[d]) {
			if (!add_children(w, items, d))
				return false;
		}
		return true;
	}
	for (size_t i = 1; i < w->node_count; i++) {
		if (!is_group(w, (uint32_t)i) && !add_item(w, items, (uint32_t)i, w->own[i]))
			return false;
	}
	return true;
}

/* Collect the set of nodes that the children of a bar are made from. */
static bool next_items(struct work *w, const struct item *from, size_t count, struct items *items)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t parent = w->nodes[from[i].node].parent;
		if (w->options->invert ? !is_group(w, parent) && !add_item(w, items, parent, from[i].weight)
				       : !add_children(w, items, from[i].node))
			return false;
	}
	return true;
}

static int compare_items(const void *a_, const void *b_)
{
	const struct item *a = a_, *b = b_;

	return ORDER_RISING(a, b, function);
}

static void sort_items(struct items *items)
{
	if (items->count > 1)
		qsort(items->list, items->count, sizeof(*items->list), compare_items);
}

/* Find the end of the run of equal functions that begins at `from`.  *weight is the weight of the run. */
static size_t run_end(const struct items *items, size_t from, uint64_t *weight)
{
	size_t i = from;

	for (*weight = 0; i < items->count && items->list[i].function == items->list[from].function; i++)
		*weight += items->list[i].weight;
	return i;
}

static uint64_t weight_of(const struct items *items)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < items->count; i++)
		sum += items->list[i].weight;
	return sum;
}

/* Make a bud from a run of items with the same function. */
static bool add_bud(struct work *w, uint32_t parent, const struct item *list, size_t count, uint64_t total)
{
	struct items copy = {.count = count, .capacity = count};
	if (!array_room(&w->buds, &w->capacity, w->count + 1, sizeof(*w->buds)))
		return false;
	copy.list = reallocarray(NULL, count, sizeof(*copy.list));
	if (copy.list == NULL)
		return false;
	memcpy(copy.list, list, count * sizeof(*list));
	w->buds[w->count++] =
	    (struct bud){.function = list->function, .parent = parent, .total = total, .items = copy};
	return true;
}

/* Order buds by descending weight, then by function number. */
static int compare_buds(const void *a_, const void *b_)
{
	const struct bud *a = a_, *b = b_;

	return ORDER_BY(ORDER_FALLING(a, b, total), ORDER_RISING(a, b, function));
}

/* Insert a bud into the heap. */
static bool push(struct work *w, uint32_t bud)
{
	size_t at = w->waiting;

	if (!array_room(&w->heap, &w->heap_capacity, w->waiting + 1, sizeof(*w->heap)))
		return false;
	w->waiting++;
	for (; at > 0 && w->buds[w->heap[(at - 1) / 2]].total < w->buds[bud].total; at = (at - 1) / 2)
		w->heap[at] = w->heap[(at - 1) / 2];
	w->heap[at] = bud;
	return true;
}

/* Remove the heaviest bud from the heap and return it. */
static uint32_t pop(struct work *w)
{
	uint32_t top = w->heap[0], last = w->heap[--w->waiting];
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;
		if (child >= w->waiting)
			break;
		if (child + 1 < w->waiting &&
		    w->buds[w->heap[child]].total < w->buds[w->heap[child + 1]].total)
			child++;
		if (w->buds[last].total >= w->buds[w->heap[child]].total)
			break;
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = last;
	return top;
}

/* Make a bud for each function of a set whose weight is at least the minimum. */
static bool add_buds(struct work *w, uint32_t parent, struct items *items)
{
	size_t first = w->count;
	uint64_t least = w->options->least > 0 ? w->options->least : 1, weight;

	sort_items(items);
	for (size_t i = 0; i < items->count;) {
		size_t end = run_end(items, i, &weight);
		if (weight >= least && !add_bud(w, parent, items->list + i, end - i, weight))
			return false;
		i = end;
	}
	if (w->count > first)
		qsort(w->buds + first, w->count - first, sizeof(*w->buds), compare_buds);
	if (parent != CALLS_NONE) {
		w->buds[parent].first = (uint32_t)first;
		w->buds[parent].children = (uint32_t)(w->count - first);
	}
	for (size_t i = first; i < w->count; i++) {
		if (!push(w, (uint32_t)i))
			return false;
	}
	return true;
}

/* Open buds until the limit is reached or none is left. */
static bool open_buds(struct work *w)
{
	while (w->waiting > 0 && (w->options->most == 0 || w->count < w->options->most)) {
		struct items items = {0};
		uint32_t bud = pop(w);
		struct items from = w->buds[bud].items;
		w->buds[bud].items = (struct items){0};
		bool done = next_items(w, from.list, from.count, &items) && add_buds(w, bud, &items);
		free(from.list);
		free(items.list);
		if (!done)
			return false;
	}
	return true;
}

/* Descend from row 0 along the requested path.  On return, the set holds the nodes of the row below the path. */
static bool follow_path(struct work *w, struct items *items, uint64_t *total)
{
	*total = weight_of(items);
	for (size_t i = 0; i < w->options->path_depth; i++) {
		struct items below = {0};
		uint64_t weight;
		size_t at = 0, end = 0;
		sort_items(items);
		while (at < items->count && items->list[at].function != w->options->path[i])
			at = run_end(items, at, &weight);
		*total = 0;
		if (at < items->count)
			end = run_end(items, at, total);
		bool done = end <= at || next_items(w, items->list + at, end - at, &below);
		free(items->list);
		*items = below;
		if (!done)
			return false;
	}
	return true;
}

/* Convert the buds to bars, in depth-first order. */
static bool lay_out(struct work *w, size_t row_0, struct calls_bars *out)
{
	uint32_t *stack = reallocarray(NULL, w->count + 1, sizeof(*stack));
	uint32_t *place = reallocarray(NULL, w->count + 1, sizeof(*place));
	uint64_t *edge = reallocarray(NULL, w->count + 1, sizeof(*edge)), row_edge = 0;
	size_t height = 0;

	out->bars = reallocarray(NULL, w->count + 1, sizeof(*out->bars));
	if (stack != NULL && place != NULL && edge != NULL && out->bars != NULL) {
		for (size_t i = row_0; i-- > 0;)
			stack[height++] = (uint32_t)i;
		while (height > 0) {
			const struct bud *bud = &w->buds[stack[--height]];
			uint32_t at = (uint32_t)out->count++;
			bool outer = bud->parent == CALLS_NONE;
			uint32_t parent = outer ? CALLS_NONE : place[bud->parent];
			uint64_t *left = outer ? &row_edge : &edge[parent];
			place[bud - w->buds] = at;
			edge[at] = *left;
			out->bars[at] = (struct calls_bar){.function = bud->function,
			    .parent = parent,
			    .depth = outer ? 0 : out->bars[parent].depth + 1,
			    .x = *left,
			    .total = bud->total,
			    .self = bud->total};
			*left += bud->total;
			if (!outer)
				out->bars[parent].self -= bud->total;
			for (uint32_t i = bud->children; i-- > 0;)
				stack[height++] = bud->first + i;
		}
	}
	bool done = edge != NULL && place != NULL && stack != NULL && out->bars != NULL;
	free(stack);
	free(place);
	free(edge);
	return done;
}

static void work_fini(struct work *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->buds[i].items.list);
	free(w->buds);
	free(w->heap);
	free(w->whole);
	free(w->child);
	free(w->next);
}

bool calls_bars(const struct calls_node *nodes, size_t count, const uint64_t *own,
    const struct calls_bars_options *options, struct calls_bars *out)
{
	struct work w = {.nodes = nodes, .node_count = count, .own = own, .options = options};
	struct items items = {0};

	*out = (struct calls_bars){0};
	bool done = weigh_nodes(&w) && start_items(&w, &items) && follow_path(&w, &items, &out->total) &&
		    add_buds(&w, CALLS_NONE, &items);
	free(items.list);
	size_t row_0 = w.count;
	done = done && open_buds(&w) && lay_out(&w, row_0, out);
	work_fini(&w);
	if (!done)
		calls_bars_fini(out);
	return done;
}

void calls_bars_fini(struct calls_bars *bars)
{
	free(bars->bars);
	*bars = (struct calls_bars){0};
}

/* The path of a bar as text; ends[row] is the offset where the name of that row ends. */
struct path_text {
	char *text;
	size_t *ends;
	size_t size, rows;
};

/* Truncate the path to the rows before `row` and append the name of that row. */
static bool put_row(struct path_text *path, size_t row, const char *name)
{
	size_t at = row == 0 ? 0 : path->ends[row - 1], len = strlen(name);

	if (!array_room(&path->ends, &path->rows, row + 1, sizeof(*path->ends)) ||
	    !array_room(&path->text, &path->size, at + len + 2, 1))
		return false;
	if (row > 0)
		path->text[at++] = ';';
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];
		path->text[at++] = (char)(c == ';' ? ':' : c < 0x20 || c == 0x7F ? '?' : c);
	}
	path->text[at] = '\0';
	path->ends[row] = at;
	return true;
}

bool calls_bars_paths(const struct calls_bars *bars, const struct calls_paths *to)
{
	struct path_text text = {0};
	bool done = true;

	for (size_t i = 0; i < bars->count && done; i++) {
		const struct calls_bar *bar = &bars->bars[i];
		done = put_row(&text, bar->depth, to->name(to->ctx, bar->function));
		if (done && bar->self > 0 && !to->path(to->ctx, text.text, text.ends[bar->depth], bar->self))
			break;
	}
	free(text.text);
	free(text.ends);
	return done;
}
