/* tree.c - list the tree of contexts as lines: open contexts, with the fibers in them. */
#include "fibers/private.h"

/* A context while the tree is listed.  The first node stands for the unknown context. */
struct node {
	fiber_index child, next; /* the first context in it; the next one in its parent */
	fiber_index fiber;	 /* the first fiber in it */
	uint32_t fibers, blocked, cancelled;
	uint32_t alike; /* number of contexts in its parent with its name, itself included */
	uint64_t longest_ns;
};

struct tree {
	struct fibers *f;
	uint64_t end;
	const uint64_t *turned;
	size_t turned_count;
	struct node *nodes; /* one for each context, then one for each group of contexts with one name */
	fiber_index roots;
	fiber_index *next; /* for each fiber the next one in its context */
	struct fiber_branch *lines;
	size_t count;
};

/* The id of the line of a group, which no context has. */
#define ALIKE_ID(c) (UINT64_C(1) << 60 | (uint64_t)(c)->parent << 32 | (c)->name)

/* The best of many, in order. */
struct picked {
	fiber_index at[FIBERS_BRANCHES];
	size_t count, all;
};

/* Insert one, if it is among the best. */
static void pick(const struct tree *t, struct picked *picked, fiber_index at,
    bool before(const struct tree *t, fiber_index a, fiber_index b))
{
	picked->all++;
	if (picked->count == FIBERS_BRANCHES && !before(t, at, picked->at[FIBERS_BRANCHES - 1]))
		return;
	size_t i = picked->count < FIBERS_BRANCHES ? picked->count++ : FIBERS_BRANCHES - 1;
	for (; i > 0 && before(t, at, picked->at[i - 1]); i--)
		picked->at[i] = picked->at[i - 1];
	picked->at[i] = at;
}

/* A group is the node of all contexts of one name inside one context; its number is derived from the first of
 * them. */
static bool is_group(const struct tree *t, fiber_index at)
{
	return at >= t->f->context_count;
}

/* Return a context; for a group, one of its contexts. */
static const struct context *context_at(const struct tree *t, fiber_index at)
{
	return &t->f->contexts[is_group(t, at) ? at - t->f->context_count : at];
}

static bool context_before(const struct tree *t, fiber_index a, fiber_index b)
{
	const struct context *x = context_at(t, a), *y = context_at(t, b);

	const bool x_cancelled = is_group(t, a) ? t->nodes[a].cancelled > 0 : x->cancelled,
		   y_cancelled = is_group(t, b) ? t->nodes[b].cancelled > 0 : y->cancelled;

	if (x_cancelled != y_cancelled)
		return x_cancelled;
	if (t->nodes[a].fibers != t->nodes[b].fibers)
		return t->nodes[a].fibers > t->nodes[b].fibers;
	return x->id < y->id;
}

static bool fiber_before(const struct tree *t, fiber_index a, fiber_index b)
{
	const struct fiber *x = &t->f->fibers[a], *y = &t->f->fibers[b];
	const bool x_blocked = x->state == FIBER_BLOCKED, y_blocked = y->state == FIBER_BLOCKED;

	if (x_blocked != y_blocked)
		return y_blocked;
	if (x_blocked && x->since != y->since)
		return x->since < y->since;
	return x->id < y->id;
}

/* Add up the contents of a context. */
static void sum(struct tree *t, fiber_index at)
{
	struct node *n = &t->nodes[at];

	n->cancelled = !is_group(t, at) && t->f->contexts[at].cancelled;
	for (fiber_index c = n->child; c != 0; c = t->nodes[c].next) {
		sum(t, c);
		n->fibers += t->nodes[c].fibers;
		n->blocked += t->nodes[c].blocked;
		n->cancelled += t->nodes[c].cancelled;
		if (t->nodes[c].longest_ns > n->longest_ns)
			n->longest_ns = t->nodes[c].longest_ns;
	}
}

/* Insert a context into its parent, at first in that order, or into the group of its name there. */
static void add_context(struct tree *t, fiber_index at, const struct id_map *first)
{
	const struct context *c = &t->f->contexts[at];
	const fiber_index like = c->name != 0 ? id_map_find(first, (uint64_t)c->parent << 32 | c->name) : 0;
	fiber_index *in = c->parent != 0 ? &t->nodes[c->parent].child : &t->roots;

	if (like != 0 && t->nodes[like].alike > 1) {
		struct node *group = &t->nodes[t->f->context_count + like];
		if (group->child == 0) {
			group->next = *in;
			*in = t->f->context_count + like;
		}
		in = &group->child;
	}
	t->nodes[at].next = *in;
	*in = at;
}

/* Insert contexts and fibers into their contexts. */
static void build(struct tree *t)
{
	struct fibers *f = t->f;
	struct id_map first = {0};

	for (fiber_index at = 1; at < f->context_count; at++) {
		const struct context *c = &f->contexts[at];
		const uint64_t key = (uint64_t)c->parent << 32 | c->name;
		const fiber_index like = c->refs > 0 && c->name != 0 ? id_map_find(&first, key) : 0;
		if (c->refs > 0 && c->name != 0 && like == 0)
			(void)id_map_add(&first, key, at);
		t->nodes[like != 0 ? like : at].alike++;
	}
	for (fiber_index at = f->context_count; at-- > 1;)
		if (f->contexts[at].refs > 0)
			add_context(t, at, &first);
	id_map_fini(&first);
	for (fiber_index at = f->fiber_count; at-- > 1;) {
		const struct fiber *fiber = &f->fibers[at];
		struct node *n = &t->nodes[fiber->context];
		if (!fibers_listed(f, fiber))
			continue;
		t->next[at] = n->fiber;
		n->fiber = at;
		n->fibers++;
		if (fiber->state != FIBER_BLOCKED)
			continue;
		n->blocked++;
		uint64_t waited = t->end > fiber->since ? t->end - fiber->since : 0;
		n->longest_ns = waited > n->longest_ns ? waited : n->longest_ns;
	}
	sum(t, 0);
	for (fiber_index at = t->roots; at != 0; at = t->nodes[at].next)
		sum(t, at);
}

/* Return the next line; NULL: there are too many. */
static struct fiber_branch *line_add(struct tree *t, unsigned depth)
{
	if (t->count == FIBERS_TREE_LINES)
		return NULL;
	t->lines[t->count] = (struct fiber_branch){.depth = depth};
	return &t->lines[t->count++];
}

static void more_add(struct tree *t, unsigned depth, size_t all, size_t listed)
{
	struct fiber_branch *line = all > listed ? line_add(t, depth) : NULL;

	if (line == NULL)
		return;
	line->what = FIBER_BRANCH_MORE;
	line->fibers = all - listed;
}

/* Whether a line is open: roots and lone contexts are at first, and the user may have turned it. */
static bool is_open(const struct tree *t, uint64_t id, bool open)
{
	for (size_t i = 0; i < t->turned_count; i++)
		open ^= t->turned[i] == id;
	return open;
}

static void list_context(struct tree *t, fiber_index at, unsigned depth, bool open);

/* List sibling contexts from `first` on, except those without fibers.  `alone`: there are no fibers beside
 * them. */
static void list_children(struct tree *t, fiber_index first, unsigned depth, bool alone)
{
	struct picked contexts = {.count = 0};

	for (fiber_index c = first; c != 0; c = t->nodes[c].next)
		if (t->nodes[c].fibers > 0)
			pick(t, &contexts, c, context_before);
	for (size_t i = 0; i < contexts.count; i++)
		list_context(t, contexts.at[i], depth, depth == 0 || (alone && contexts.all == 1));
	more_add(t, depth, contexts.all, contexts.count);
}

static void list_context(struct tree *t, fiber_index at, unsigned depth, bool open)
{
	struct fibers *f = t->f;
	const struct context *c = context_at(t, at);
	const bool group = is_group(t, at);
	const struct node *n = &t->nodes[at];
	struct fiber_branch *line = line_add(t, depth);
	struct picked fibers = {.count = 0};

	if (line == NULL)
		return;
	/* The line of a group stays open or closed even if contexts of it go. */
	line->open = is_open(t, group ? ALIKE_ID(c) : c->id, open && !group);
	for (fiber_index one = group ? n->child : 0; one != 0; one = t->nodes[one].next)
		line->alike += t->nodes[one].fibers > 0;
	line->context = (struct fiber_context){group ? ALIKE_ID(c) : c->id, (enum fiber_kind)c->kind,
	    fibers_text_of(f, c->name), !group && c->cancelled};
	line->fibers = n->fibers;
	line->blocked = n->blocked;
	line->cancelled = n->cancelled;
	line->longest_ns = n->longest_ns;
	for (size_t i = 0; i < f->failure_count && !group && line->error.text == NULL; i++)
		if (f->failures[i].context == at && at != 0)
			line->error = (struct fiber_text){f->failures[i].text, f->failures[i].len};
	if (!line->open)
		return;
	list_children(t, n->child, depth + 1, n->fiber == 0);
	for (fiber_index i = n->fiber; i != 0; i = t->next[i])
		pick(t, &fibers, i, fiber_before);
	for (size_t i = 0; i < fibers.count && (line = line_add(t, depth + 1)) != NULL; i++) {
		line->what = FIBER_BRANCH_FIBER;
		line->fiber = fibers_row_of(f, &f->fibers[fibers.at[i]], t->end);
	}
	more_add(t, depth + 1, fibers.all, fibers.count);
}

struct fiber_branch *fibers_tree(
    struct fibers *f, uint64_t end, const uint64_t *turned, size_t turned_count, size_t *count)
{
	struct tree t = {.f = f, .end = end, .turned = turned, .turned_count = turned_count};

	t.nodes = calloc(2 * (size_t)f->context_count, sizeof(*t.nodes));
	t.next = calloc(f->fiber_count, sizeof(*t.next));
	t.lines = malloc(FIBERS_TREE_LINES * sizeof(*t.lines));
	if (t.nodes != NULL && t.next != NULL && t.lines != NULL) {
		build(&t);
		/* Contexts with an unknown parent are listed beside the roots. */
		list_children(&t, t.roots, 0, false);
		if (t.nodes[0].fibers > 0)
			list_context(&t, 0, 0, true);
	} else {
		free(t.lines);
		t.lines = NULL;
	}
	*count = t.count;
	free(t.nodes);
	free(t.next);
	return t.lines;
}
