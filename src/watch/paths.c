/* paths.c - counts and times of each path. */
#include "watch/paths_private.h"

struct paths *paths_create(const struct path_tree *tree)
{
	struct paths *p = calloc(1, sizeof(*p));

	if (p != NULL)
		p->tree = tree;
	return p;
}

void paths_destroy(struct paths *p)
{
	free(p);
}

struct paths *paths_copy(const struct paths *from, const struct path_tree *tree)
{
	struct paths *p = paths_create(tree);

	if (p == NULL)
		return NULL;
	memcpy(p->totals, from->totals, (tree->count + 1) * sizeof(from->totals[0]));
	p->block_count = from->block_count;
	memcpy(p->blocks, from->blocks, from->block_count * sizeof(from->blocks[0]));
	memcpy(p->longest, from->longest, (tree->count + 1) * sizeof(from->longest[0]));
	return p;
}

/* Count a duration of a path. */
static void count_time(struct paths *p, uint16_t at, uint64_t duration)
{
	unsigned place = hist_place(duration);
	uint16_t *block = &p->totals[at].octaves[place / HIST_OCTAVE_BUCKETS];

	if (*block == 0) {
		if (p->block_count == PATHS_BLOCKS) {
			p->totals[at].times_missing = true;
			return;
		}
		*block = (uint16_t)++p->block_count;
	}
	p->blocks[*block - 1].counts[place % HIST_OCTAVE_BUCKETS]++;
}

struct longest_span *paths_closed(struct paths *p, unsigned domain, const struct model_span *span)
{
	uint16_t at = span->path;

	if (at >= PATHS_NAMED)
		return NULL;
	struct path_total *total = &p->totals[at];
	uint64_t duration = span->end - span->begin;
	total->count++;
	total->total += duration;
	total->self += span->self;
	count_time(p, at, duration);
	if (duration < total->least)
		return NULL;
	struct longest_span *longest = longest_insert(&p->longest[at],
	    &(struct longest_span){
		.begin = span->begin, .end = span->end, .part = span->self, .domain = domain});
	total->least = p->longest[at].least;
	return longest;
}

void paths_reset(struct paths *p)
{
	for (unsigned i = 0; i <= p->tree->count; i++) {
		p->totals[i] = (struct path_total){0};
		longest_clear(&p->longest[i]);
	}
	memset(p->blocks, 0, p->block_count * sizeof(p->blocks[0]));
	p->block_count = 0;
}

/* Whether a path is a wait that is not a pause. */
static bool path_waits(const struct paths *p, uint16_t at)
{
	return p->tree->nodes[at].parent == 0 && p->tree->nodes[at].phase == RTEV_PHASE_DOMAIN_CONDITION_WAIT;
}

/* Whether a path is listed before one that comes later in the phase table. */
static bool stands_before(const struct paths *p, uint16_t a, uint16_t b)
{
	return path_waits(p, a) != path_waits(p, b) ? path_waits(p, b) : p->costs[a] >= p->costs[b];
}

/* Append the paths inside one, recursively; depth is limited by PATH_DEPTH_MAX. */
static size_t list_inside(struct paths *p, uint16_t at, size_t count)
{
	const struct path_tree_node *nodes = p->tree->nodes;
	uint16_t sorted[PATHS_MAX];
	size_t children = 0, place;

	for (uint16_t child = nodes[at].child; child != 0; child = nodes[child].next) {
		if (!p->used[child])
			continue;
		for (place = children++; place > 0 && !stands_before(p, sorted[place - 1], child); place--)
			sorted[place] = sorted[place - 1];
		sorted[place] = child;
	}
	for (place = 0; place < children; place++) {
		uint16_t child = sorted[place];
		const struct path_total *total = &p->totals[child];
		p->list[count++] = (struct path){.phase = nodes[child].phase,
		    .depth = nodes[at].depth,
		    .count = total->count,
		    .total = total->total,
		    .self = total->self,
		    .max = longest_most(&p->longest[child]),
		    .node = child,
		    .longest = &p->longest[child]};
		count = list_inside(p, child, count);
	}
	return count;
}

bool paths_times(struct paths *p, const struct path *path, struct path_times *out)
{
	const struct path_total *total = &p->totals[path->node];

	for (unsigned o = 0; o < HIST_OCTAVES; o++) {
		unsigned block = total->octaves[o];
		out->octaves[o] = block != 0 ? &p->blocks[block - 1] : NULL;
	}
	out->hist = (struct hist){.count = total->count,
	    .sum = total->total,
	    .max = path->max,
	    .octaves = out->octaves,
	    .present = HIST_OCTAVES};
	struct hist_bucket first;
	unsigned position = 0;
	if (hist_next(&out->hist, &position, &first))
		out->hist.min = first.low + (first.high - first.low) / 2;
	if (out->hist.min > path->max || total->count == 1)
		out->hist.min = path->max;
	return !total->times_missing;
}

const struct path *paths_list(struct paths *p, size_t *count)
{
	bool pause = false;
	uint64_t whole = 0;

	/* Paths inside another one have larger numbers. */
	memset(p->costs, 0, sizeof(p->costs));
	memset(p->used, 0, sizeof(p->used));
	for (unsigned n = p->tree->count; n > 0; n--) {
		const unsigned parent = p->tree->nodes[n].parent;
		p->costs[n] = p->costs[n] > p->totals[n].total ? p->costs[n] : p->totals[n].total;
		p->costs[parent] += p->costs[n];
		p->used[n] |= p->totals[n].count != 0;
		p->used[parent] |= p->used[n];
	}
	*count = list_inside(p, 0, 0);
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
		/* spans without a path of their own are only part of the enclosing ones */
		*share = *share > 1 ? 1 : *share;
		p->list[i].small = isnan(*share)
				       ? p->list[i].depth > 0
				       : (double)p->costs[p->list[i].node] < PATHS_SMALL * (double)whole;
	}
	return p->list;
}
