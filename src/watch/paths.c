/*
 * paths.c - a tree of stack paths, and for each domain where in it the domain stands.
 */
#include "watch/paths_private.h"

struct paths *paths_create(void)
{
	struct paths *p = calloc(1, sizeof(*p));

	if (p != NULL) {
		p->nodes[0] = (struct path_node){
		    .phase = PATHS_ROOT, .parent = PATHS_NONE, .child = PATHS_NONE, .next = PATHS_NONE};
		p->count = 1;
	}
	return p;
}

void paths_destroy(struct paths *p)
{
	if (p == NULL)
		return;
	for (unsigned d = 0; d < MODEL_DOMAINS_MAX; d++)
		free(p->domains[d]);
	free(p);
}

struct paths *paths_copy(const struct paths *from)
{
	struct paths *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->count = from->count;
	memcpy(p->nodes, from->nodes, from->count * sizeof(from->nodes[0]));
	p->block_count = from->block_count;
	memcpy(p->blocks, from->blocks, from->block_count * sizeof(from->blocks[0]));
	memcpy(p->longest, from->longest, from->count * sizeof(from->longest[0]));
	return p;
}

/* Make where a domain stands.  NULL when memory ran out. */
static struct path_standing *standing_make(struct paths *p, unsigned domain)
{
	struct path_standing *s = p->domains[domain] = malloc(sizeof(*s));

	if (s == NULL) {
		p->short_of_memory = true;
		return NULL;
	}
	memset(s->nodes, 0xff, sizeof(s->nodes));
	memset(s->before, 0, sizeof(s->before));
	return s;
}

/* Return the node of a phase under a parent, made if need be; PATHS_NONE when the tree is full. */
static __attribute__((noinline)) uint16_t child_of(struct paths *p, uint16_t parent, rtev_phase phase)
{
	uint16_t *link = &p->nodes[parent].child;

	while (*link != PATHS_NONE && p->nodes[*link].phase < phase)
		link = &p->nodes[*link].next;
	if (*link != PATHS_NONE && p->nodes[*link].phase == phase)
		return *link;
	if (p->count == PATHS_MAX)
		return PATHS_NONE;
	uint16_t made = (uint16_t)p->count++;
	p->nodes[made] =
	    (struct path_node){.phase = phase, .parent = parent, .child = PATHS_NONE, .next = *link};
	*link = made;
	return made;
}

void paths_opened(struct paths *p, unsigned domain, rtev_phase phase, unsigned depth)
{
	struct path_standing *s = p->domains[domain];

	if (depth >= PATHS_DEPTH || (s == NULL && (s = standing_make(p, domain)) == NULL))
		return;
	uint16_t parent = depth == 0 ? 0 : s->nodes[depth - 1];
	uint16_t *guess = &p->guesses[s->before[depth]], at = *guess;
	if (p->nodes[at].phase != phase || p->nodes[at].parent != parent) {
		at = parent != PATHS_NONE ? child_of(p, parent, phase) : (uint16_t)PATHS_NONE;
		s->nodes[depth] = at;
		if (at == PATHS_NONE)
			return;
		*guess = at;
	}
	s->nodes[depth] = at;
	s->before[depth] = at;
	s->before[depth + 1] = (uint16_t)(PATHS_MAX + at);
}

/* Count a duration of a node. */
static void count_time(struct paths *p, uint16_t at, uint64_t duration)
{
	unsigned place = hist_place(duration);
	uint16_t *block = &p->nodes[at].octaves[place / HIST_OCTAVE_BUCKETS];

	if (*block == 0) {
		if (p->block_count == PATHS_BLOCKS) {
			p->nodes[at].times_missing = true;
			return;
		}
		*block = (uint16_t)++p->block_count;
	}
	p->blocks[*block - 1].counts[place % HIST_OCTAVE_BUCKETS]++;
}

struct longest_span *paths_closed(struct paths *p, unsigned domain, const struct model_span *span)
{
	const struct path_standing *s = p->domains[domain];
	uint16_t at = s != NULL && span->depth < PATHS_DEPTH ? s->nodes[span->depth] : (uint16_t)PATHS_NONE;

	/* What was opened before a reset or a drop may stand elsewhere now. */
	if (at == PATHS_NONE || p->nodes[at].phase != span->phase)
		return NULL;
	struct path_node *node = &p->nodes[at];
	uint64_t duration = span->end - span->begin;
	node->count++;
	node->total += duration;
	node->self += span->self;
	count_time(p, at, duration);
	if (duration < node->least)
		return NULL;
	struct longest_span *longest = longest_insert(&p->longest[at],
	    &(struct longest_span){
		.begin = span->begin, .end = span->end, .part = span->self, .domain = domain});
	node->least = p->longest[at].least;
	return longest;
}

/* Start anew; what is open keeps its place. */
void paths_reset(struct paths *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		struct path_node *node = &p->nodes[i];
		*node = (struct path_node){
		    .phase = node->phase, .parent = node->parent, .child = node->child, .next = node->next};
		p->longest[i].count = 0;
		p->longest[i].least = 0;
	}
	memset(p->blocks, 0, p->block_count * sizeof(p->blocks[0]));
	p->block_count = 0;
}

/* Whether a node or one below it has a count. */
static bool node_used(const struct paths *p, uint16_t at)
{
	if (p->nodes[at].count != 0)
		return true;
	for (uint16_t child = p->nodes[at].child; child != PATHS_NONE; child = p->nodes[child].next)
		if (node_used(p, child))
			return true;
	return false;
}

/* Return the total of a node, or of what is inside it where that is more, as in a span that has not ended. */
static uint64_t node_cost(const struct paths *p, uint16_t at)
{
	uint64_t inside = 0;

	for (uint16_t child = p->nodes[at].child; child != PATHS_NONE; child = p->nodes[child].next)
		inside += node_cost(p, child);
	return inside > p->nodes[at].total ? inside : p->nodes[at].total;
}

/* Whether a node stands before one that comes later in the phase table. */
static bool stands_before(const struct paths *p, uint16_t a, uint16_t b)
{
	bool a_waits = p->nodes[a].parent == 0 && p->nodes[a].phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT,
	     b_waits = p->nodes[b].parent == 0 && p->nodes[b].phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT;

	return a_waits != b_waits ? b_waits : node_cost(p, a) >= node_cost(p, b);
}

/* Append a node's children, and theirs; a path is no deeper than PATHS_DEPTH. */
static size_t list_children(struct paths *p, uint16_t at, unsigned depth, size_t count)
{
	uint16_t sorted[PATHS_MAX];
	size_t children = 0, place;

	for (uint16_t child = p->nodes[at].child; child != PATHS_NONE; child = p->nodes[child].next) {
		if (!node_used(p, child))
			continue;
		for (place = children++; place > 0 && !stands_before(p, sorted[place - 1], child); place--)
			sorted[place] = sorted[place - 1];
		sorted[place] = child;
	}
	for (place = 0; place < children; place++) {
		uint16_t child = sorted[place];
		const struct path_node *node = &p->nodes[child];
		p->list[count++] = (struct path){.phase = node->phase,
		    .depth = (uint16_t)depth,
		    .count = node->count,
		    .total = node->total,
		    .self = node->self,
		    .max = longest_most(&p->longest[child]),
		    .node = child,
		    .longest = &p->longest[child]};
		count = list_children(p, child, depth + 1, count);
	}
	return count;
}

bool paths_whole(const struct paths *p)
{
	return !p->short_of_memory;
}

bool paths_times(struct paths *p, const struct path *path, struct path_times *out)
{
	const struct path_node *node = &p->nodes[path->node];

	for (unsigned o = 0; o < HIST_OCTAVES; o++) {
		unsigned block = node->octaves[o];
		out->octaves[o] = block != 0 ? &p->blocks[block - 1] : NULL;
	}
	out->hist = (struct hist){.count = node->count,
	    .sum = node->total,
	    .max = path->max,
	    .octaves = out->octaves,
	    .present = HIST_OCTAVES};
	struct hist_bucket first;
	unsigned position = 0;
	if (hist_next(&out->hist, &position, &first))
		out->hist.min = first.low + (first.high - first.low) / 2;
	if (out->hist.min > path->max || node->count == 1)
		out->hist.min = path->max;
	return !node->times_missing;
}

const struct path *paths_list(struct paths *p, size_t *count)
{
	bool pause = false;
	uint64_t whole = 0;

	*count = list_children(p, 0, 0, 0);
	for (size_t i = 0; i < *count; i++) {
		struct path *path = &p->list[i];
		if (path->depth == 0)
			pause = path->phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
		whole += pause ? path->self : 0;
		path->of_gc = pause ? (double)path->total : NAN;
	}
	for (size_t i = 0; i < *count; i++) {
		double *share = &p->list[i].of_gc;
		*share = whole != 0 ? *share / (double)whole : NAN;
		/* spans beyond PATHS_MAX are part of those around them alone */
		*share = *share > 1 ? 1 : *share;
		p->list[i].small = isnan(*share) ? p->list[i].depth > 0
						 : (double)node_cost(p, (uint16_t)p->list[i].node) <
						       PATHS_SMALL * (double)whole;
	}
	return p->list;
}
