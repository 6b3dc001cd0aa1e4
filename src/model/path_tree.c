/* path_tree.c - paths in lists of siblings, ordered by phase, with a table of the lookups made so far. */
#include "model/path_tree.h"

/* Return the link to the first path inside another one whose phase is not below this one. */
static uint16_t *link_at(struct path_tree *t, uint16_t path, rtev_phase phase)
{
	uint16_t *link = &t->nodes[path].child;

	while (*link != 0 && t->nodes[*link].phase < phase)
		link = &t->nodes[*link].next;
	return link;
}

/* Return the number of a path, which is added if numbers up to `most` are left; 0: none is left. */
static uint16_t number(struct path_tree *t, uint16_t path, rtev_phase phase, unsigned most)
{
	uint16_t *link = link_at(t, path, phase);

	if (*link != 0 && t->nodes[*link].phase == phase)
		return *link;
	if (t->count + 1 >= most)
		return 0;
	uint16_t made = (uint16_t)++t->count;
	t->nodes[made] = (struct path_tree_node){
	    .phase = phase, .parent = path, .next = *link, .depth = (uint16_t)(t->nodes[path].depth + 1)};
	*link = made;
	return made;
}

uint16_t path_inside(struct path_tree *t, uint16_t path, rtev_phase phase)
{
	uint16_t inside = phase < RTEV_PHASE_COUNT ? path_known(t, path, phase) : 0;

	if (inside != 0)
		return inside;
	if (path < PATHS_NAMED && t->nodes[path].depth < PATH_DEPTH_MAX) {
		inside = number(t, path, phase, PATHS_NAMED);
		if (inside == 0)
			inside = number(t, path, PATH_OTHER, PATHS_MAX);
	}
	if (inside == 0)
		inside = PATH_NONE;
	/* A full tree stays full, so the answer never changes. */
	if (phase < RTEV_PHASE_COUNT)
		t->known[path][phase] = inside;
	return inside;
}
