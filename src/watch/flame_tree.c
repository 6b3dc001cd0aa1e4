/*
 * flame_tree.c - the tree of stack paths of a flame graph, and its bars; see flame.h.
 */
#include "watch/flame.h"

#define FLAME_NODES_FIRST 8

bool flame_tree_init(struct flame_tree *t)
{
	*t = (struct flame_tree){0};
	t->nodes = malloc(FLAME_NODES_FIRST * sizeof(*t->nodes));
	if (t->nodes == NULL)
		return false;
	t->size = FLAME_NODES_FIRST;
	t->count = 1;
	t->nodes[FLAME_ROOT] = (struct flame_node){FLAME_OTHER, FLAME_NONE, FLAME_NONE, FLAME_NONE};
	return true;
}

void flame_tree_fini(struct flame_tree *t)
{
	free(t->nodes);
	*t = (struct flame_tree){0};
}

/* Make room for one more node. */
static bool flame_tree_grow(struct flame_tree *t)
{
	struct flame_node *nodes;

	if (t->count < t->size)
		return true;
	if (t->count >= FLAME_NODES_MAX)
		return false;
	nodes = realloc(t->nodes, (size_t)t->size * 2 * sizeof(*nodes));
	if (nodes == NULL)
		return false;
	t->nodes = nodes;
	t->size *= 2;
	return true;
}

/* Put a new node at its place among the parent's children. */
static unsigned flame_tree_insert(struct flame_tree *t, unsigned parent, rtev_phase phase)
{
	if (!flame_tree_grow(t))
		return FLAME_NONE;
	uint16_t fresh = (uint16_t)t->count++;
	uint16_t *link = &t->nodes[parent].child;
	while (*link != FLAME_NONE && t->nodes[*link].phase < phase)
		link = &t->nodes[*link].next;
	t->nodes[fresh] = (struct flame_node){phase, (uint16_t)parent, FLAME_NONE, *link};
	*link = fresh;
	return fresh;
}

/* The existing child of a parent with this phase, or FLAME_NONE. */
static unsigned flame_tree_find(const struct flame_tree *t, unsigned parent, rtev_phase phase)
{
	unsigned n = t->nodes[parent].child;

	while (n != FLAME_NONE && t->nodes[n].phase < phase)
		n = t->nodes[n].next;
	return n != FLAME_NONE && t->nodes[n].phase == phase ? n : FLAME_NONE;
}

unsigned flame_tree_child(struct flame_tree *t, unsigned parent, rtev_phase phase)
{
	if (parent == FLAME_NONE || (parent != FLAME_ROOT && t->nodes[parent].phase == FLAME_OTHER))
		return FLAME_NONE;
	unsigned n = flame_tree_find(t, parent, phase);
	if (n != FLAME_NONE)
		return n;
	if (!flame_tree_full(t))
		return flame_tree_insert(t, parent, phase);
	n = flame_tree_find(t, parent, FLAME_OTHER);
	return n != FLAME_NONE ? n : flame_tree_insert(t, parent, FLAME_OTHER);
}

void flame_tree_prune(struct flame_tree *t, bool *keep, uint16_t *map)
{
	unsigned count = t->count, kept = 0;

	keep[FLAME_ROOT] = true;
	for (unsigned n = count; n-- > 1;)
		if (keep[n])
			keep[t->nodes[n].parent] = true;
	for (unsigned n = 0; n < count; n++)
		map[n] = keep[n] ? (uint16_t)kept++ : (uint16_t)FLAME_NONE;
	/* Children are linked anew; each goes to its place, so the order is what it was. */
	t->count = 1;
	t->nodes[FLAME_ROOT].child = FLAME_NONE;
	for (unsigned n = 1; n < count; n++)
		if (keep[n])
			flame_tree_insert(t, map[t->nodes[n].parent], t->nodes[n].phase);
}

/* The node that follows n depth first, leaving out the inside of n unless told to enter it. */
static unsigned flame_tree_after(const struct flame_tree *t, unsigned n, bool enter, unsigned *depth)
{
	if (enter && t->nodes[n].child != FLAME_NONE) {
		++*depth;
		return t->nodes[n].child;
	}
	while (n != FLAME_ROOT && t->nodes[n].next == FLAME_NONE) {
		n = t->nodes[n].parent;
		--*depth;
	}
	return n == FLAME_ROOT ? FLAME_NONE : t->nodes[n].next;
}

size_t flame_tree_bars(const struct flame_tree *t, const uint64_t *self, uint64_t *sum, struct flame_bar *out)
{
	uint64_t ends[FLAME_DEPTH_MAX + 2] = {0}; /* where the next bar of a row begins */
	uint16_t owner[FLAME_DEPTH_MAX + 2];	  /* the bar that a row is inside of */
	unsigned depth = 0;
	size_t bars = 0;

	for (unsigned n = 0; n < t->count; n++)
		sum[n] = self[n];
	for (unsigned n = t->count; n-- > 1;)
		sum[t->nodes[n].parent] += sum[n];
	owner[0] = FLAME_NONE;
	for (unsigned n = t->nodes[FLAME_ROOT].child; n != FLAME_NONE;) {
		bool shown = sum[n] > 0 && depth <= FLAME_DEPTH_MAX;

		if (shown) {
			out[bars] = (struct flame_bar){
			    .phase = t->nodes[n].phase,
			    .parent = owner[depth],
			    .depth = (uint8_t)depth,
			    .x = ends[depth],
			    .total = sum[n],
			    .self = self[n],
			};
			ends[depth + 1] = ends[depth];
			owner[depth + 1] = (uint16_t)bars++;
			ends[depth] += sum[n];
		}
		n = flame_tree_after(t, n, shown, &depth);
	}
	return bars;
}
