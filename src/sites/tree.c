/* tree.c - nodes and leaves in arrays, found by hash tables; pruning copies those that stay. */
#include "sites/tree.h"

#include "core/array.h"
#include "sites/names.h"

bool sites_tree_init(struct sites_tree *tree, size_t limit)
{
	*tree = (struct sites_tree){.limit = limit, .limit_wanted = limit};
	if (!array_room(&tree->nodes, &tree->node_capacity, 1, sizeof(*tree->nodes)))
		return false;
	tree->nodes[SITES_ROOT] = (struct sites_node){SITES_NONE, SITES_NONE, SITES_NONE};
	tree->node_count = 1;
	return true;
}

void sites_tree_fini(struct sites_tree *tree)
{
	free(tree->nodes);
	free(tree->leaves);
	sites_set_fini(&tree->by_path);
	sites_set_fini(&tree->by_code);
	*tree = (struct sites_tree){0};
}

static uint64_t hash_node(const void *nodes, uint32_t id)
{
	const struct sites_node *node = (const struct sites_node *)nodes + id;

	return (uint64_t)node->parent << 32 | node->function;
}

/* Hash a leaf.  Most leaves differ in their node. */
static uint64_t hash_leaf(const void *leaves, uint32_t id)
{
	const struct sites_leaf *leaf = (const struct sites_leaf *)leaves + id;

	return (uint64_t)leaf->code * UINT64_C(0xC2B2AE3D27D4EB4F) +
	       ((uint64_t)leaf->node << 32 | leaf->site);
}

static bool node_equals(const void *nodes, uint32_t id, const void *wanted_)
{
	const struct sites_node *node = (const struct sites_node *)nodes + id, *wanted = wanted_;

	return node->parent == wanted->parent && node->function == wanted->function;
}

/* Returns SITES_NONE when out of memory. */
static uint32_t add_node(struct sites_tree *tree, const struct sites_node *node)
{
	if (!array_room(&tree->nodes, &tree->node_capacity, tree->node_count + 1, sizeof(*tree->nodes)) ||
	    !sites_set_add(
		&tree->by_path, hash_node(node, 0), (uint32_t)tree->node_count, hash_node, tree->nodes))
		return SITES_NONE;
	tree->nodes[tree->node_count] = *node;
	return (uint32_t)tree->node_count++;
}

uint32_t sites_tree_find_child(struct sites_tree *tree, uint32_t parent, uint32_t function)
{
	const struct sites_node wanted = {.parent = parent, .function = function, .child = SITES_NONE};
	uint32_t id =
	    sites_set_find(&tree->by_path, hash_node(&wanted, 0), node_equals, tree->nodes, &wanted);

	if (id == SITES_NONE)
		id = add_node(tree, &wanted);
	if (id != SITES_NONE)
		tree->nodes[parent].child = id;
	return id;
}

static bool leaf_equals(const void *leaves, uint32_t id, const void *wanted_)
{
	const struct sites_leaf *leaf = (const struct sites_leaf *)leaves + id, *wanted = wanted_;

	return leaf->node == wanted->node && leaf->code == wanted->code && leaf->site == wanted->site;
}

uint32_t sites_tree_leaf(struct sites_tree *tree, uint32_t node, uint32_t code, uint32_t site)
{
	const struct sites_leaf wanted = {.node = node, .code = code, .site = site};
	uint32_t id =
	    sites_set_find(&tree->by_code, hash_leaf(&wanted, 0), leaf_equals, tree->leaves, &wanted);

	if (id != SITES_NONE || tree->leaf_count == SITES_LEAVES_MAX)
		return id;
	if (!array_room(&tree->leaves, &tree->leaf_capacity, tree->leaf_count + 1, sizeof(*tree->leaves)) ||
	    !sites_set_add(
		&tree->by_code, hash_leaf(&wanted, 0), (uint32_t)tree->leaf_count, hash_leaf, tree->leaves))
		return SITES_NONE;
	tree->leaves[tree->leaf_count] = wanted;
	return (uint32_t)tree->leaf_count++;
}

uint32_t sites_tree_other(struct sites_tree *tree, uint32_t domain_node, uint32_t site)
{
	uint32_t other = sites_tree_child(tree, domain_node, SITES_OTHER);

	return other == SITES_NONE ? SITES_NONE : sites_tree_child(tree, other, site);
}

void sites_counts_add(struct sites_counts *into, const struct sites_counts *counts)
{
	into->objects += counts->objects;
	into->samples += counts->samples;
	into->minor += counts->minor;
	into->promoted += counts->promoted;
	into->live += counts->live;
	into->collected += counts->collected;
	into->life += counts->life;
	into->life_squares += counts->life_squares;
	into->samples_at_mark += counts->samples_at_mark;
	into->live_at_mark += counts->live_at_mark;
	into->gone_since_mark += counts->gone_since_mark;
}

/* The domain's node above a node. */
static uint32_t domain_of(const struct sites_tree *tree, uint32_t node)
{
	while (tree->nodes[node].parent != SITES_ROOT)
		node = tree->nodes[node].parent;
	return node;
}

/* Whether a leaf has already lost its callers. */
static bool is_bare(const struct sites_tree *tree, const struct sites_leaf *leaf)
{
	uint32_t parent = tree->nodes[leaf->node].parent;

	return tree->nodes[parent].function == SITES_OTHER;
}

/* Mark the nodes that are needed if leaves with at most `least` samples lose their callers.  Returns their
 * number; *leaves is the number of leaves that keep their callers. */
static size_t mark_nodes(const struct sites_tree *tree, uint64_t least, bool *needed, size_t *leaves)
{
	size_t count = 0;

	*leaves = 0;
	for (size_t i = 0; i < tree->node_count; i++)
		needed[i] = tree->nodes[i].parent == SITES_ROOT || i == SITES_ROOT;
	for (size_t i = 0; i < tree->leaf_count; i++) {
		if (tree->leaves[i].counts.samples > least) {
			needed[tree->leaves[i].node] = true;
			++*leaves;
		}
	}
	for (size_t i = tree->node_count; i-- > 0;) {
		if (!needed[i])
			continue;
		count++;
		if (i != SITES_ROOT)
			needed[tree->nodes[i].parent] = true;
	}
	return count;
}

/* Choose the number of samples up to which leaves lose their callers: the smallest power of two that makes
 * the tree small enough, or that all leaves are below. */
static uint64_t choose_least(const struct sites_tree *tree, bool *needed)
{
	uint64_t least = 1;
	size_t leaves, most = tree->limit_wanted / 2;
	size_t nodes = mark_nodes(tree, least, needed, &leaves);

	while (leaves > 0 && (nodes > most || leaves > most) && least <= UINT64_MAX / 2) {
		least *= 2;
		nodes = mark_nodes(tree, least, needed, &leaves);
	}
	return least;
}

/* Copy the needed nodes.  map[node] is the new number of a node. */
static bool copy_nodes(
    const struct sites_tree *tree, struct sites_tree *pruned, const bool *needed, uint32_t *map)
{
	map[SITES_ROOT] = SITES_ROOT;
	for (size_t i = 1; i < tree->node_count; i++) {
		map[i] = SITES_NONE;
		if (!needed[i])
			continue;
		map[i] = sites_tree_child(pruned, map[tree->nodes[i].parent], tree->nodes[i].function);
		if (map[i] == SITES_NONE)
			return false;
	}
	return true;
}

/* Copy the leaves; those with at most `least` samples lose their callers.  moved[leaf] is the new number of a
 * leaf. */
static bool copy_leaves(const struct sites_tree *tree, struct sites_tree *pruned, uint64_t least,
    const uint32_t *map, uint32_t *moved)
{
	for (size_t i = 0; i < tree->leaf_count; i++) {
		const struct sites_leaf *leaf = &tree->leaves[i];
		uint32_t node = map[leaf->node];
		if (leaf->counts.samples <= least || is_bare(tree, leaf))
			node = sites_tree_other(pruned, map[domain_of(tree, leaf->node)], leaf->site);
		if (node == SITES_NONE)
			return false;
		moved[i] = sites_tree_leaf(pruned, node, leaf->code, leaf->site);
		if (moved[i] == SITES_NONE)
			return false;
		sites_counts_add(&pruned->leaves[moved[i]].counts, &leaf->counts);
	}
	return true;
}

uint32_t *sites_tree_prune(struct sites_tree *tree)
{
	struct sites_tree pruned = {0};
	bool *needed = reallocarray(NULL, tree->node_count, sizeof(*needed));
	uint32_t *map = reallocarray(NULL, tree->node_count, sizeof(*map));
	uint32_t *moved = reallocarray(NULL, tree->leaf_count + 1, sizeof(*moved));

	if (needed != NULL && map != NULL && moved != NULL && sites_tree_init(&pruned, tree->limit_wanted)) {
		uint64_t least = choose_least(tree, needed);
		if (copy_nodes(tree, &pruned, needed, map) && copy_leaves(tree, &pruned, least, map, moved)) {
			sites_tree_fini(tree);
			*tree = pruned;
			/* If the sites alone take more than half of the limit, raise it to leave room for new
			 * nodes. */
			size_t most =
			    tree->node_count > tree->leaf_count ? tree->node_count : tree->leaf_count;
			if (tree->limit < most * 2)
				tree->limit = most * 2;
			free(map);
			free(needed);
			return moved;
		}
	}
	sites_tree_fini(&pruned);
	free(moved);
	free(map);
	free(needed);
	return NULL;
}
