/*
 * sites.c - count the events of a trace.
 *
 * For each domain, the path of its last backtrace through the tree is kept.  For the next backtrace, only the
 * frames that have changed are looked up.
 */
#include "sites/sites.h"

#include "core/array.h"
#include "sites/live.h"

enum { LIMIT_DEFAULT = 1 << 18 };

/* Maximum number of objects whose allocation is yet to be read.  A packet holds some thousands; a trace with
 * more than this is invalid. */
enum { EARLY_MAX = 1 << 20 };

_Static_assert(SITES_LEAVES_MAX <= SITES_NO_LEAF, "an object can tell its leaf");

/* A step of a path: a code and the node that it leads to. */
struct step {
	uint32_t code, node;
};

/* The last backtrace of a domain as a path.  steps[i] is the step of the i-th code, counted from 1.  The node
 * of steps[0] is that of the domain, or SITES_NONE. */
struct path {
	uint16_t domain;
	struct step *steps;
	size_t capacity;
	size_t valid; /* number of codes for which the steps are valid */
};

/* The leaf where allocations of a code are counted if no callers are kept. */
struct known_leaf {
	uint32_t domain_node; /* SITES_ROOT: the leaf is not known */
	uint32_t leaf;
};

struct sites {
	struct sites_names names;
	struct sites_tree tree;
	struct sites_live live;
	size_t early;	    /* objects in `live` whose allocation is yet to be read */
	size_t uncounted;   /* objects in `live` that are early or left out */
	struct path *paths; /* of the domains, in the order of their first event */
	size_t path_count, path_capacity;
	size_t last_path;	 /* index of the path used last */
	struct id_map by_domain; /* index in `paths` plus 1 */
	struct sites_totals totals;
	int64_t from, to;
	bool no_callers;
	struct known_leaf *known; /* indexed by the number of the code */
	size_t known_count;
};

int sites_create(
    struct sites **out, const struct rtev_memtrace_info *info, const struct sites_options *options)
{
	size_t limit = options != NULL && options->limit != 0 ? options->limit : LIMIT_DEFAULT;

	*out = NULL;
	struct sites *sites = calloc(1, sizeof(*sites));
	if (sites == NULL)
		return RTEV_E_NOMEM;
	if (!sites_names_init(&sites->names) || !sites_tree_init(&sites->tree, limit)) {
		sites_destroy(sites);
		return RTEV_E_NOMEM;
	}
	sites->from = INT64_MIN;
	sites->to = INT64_MAX;
	sites->no_callers = options != NULL && options->no_callers;
	if (sites->no_callers)
		sites->tree.limit = SIZE_MAX;
	if (options != NULL && (options->from != 0 || options->to != 0)) {
		sites->from = options->from;
		sites->to = options->to;
	}
	sites->totals.word_bytes = info->word_size / 8;
	if (info->sample_rate > 0 && info->sample_rate <= 1)
		sites->totals.rate = info->sample_rate;
	*out = sites;
	return RTEV_OK;
}

void sites_destroy(struct sites *sites)
{
	if (sites == NULL)
		return;
	for (size_t i = 0; i < sites->path_count; i++)
		free(sites->paths[i].steps);
	free(sites->paths);
	free(sites->known);
	id_map_fini(&sites->by_domain);
	sites_live_fini(&sites->live);
	sites_tree_fini(&sites->tree);
	sites_names_fini(&sites->names);
	free(sites);
}

/* Find the path of a domain; NULL when it has none. */
static struct path *find_path(struct sites *sites, uint16_t domain)
{
	if (sites->path_count == 0)
		return NULL;
	if (sites->paths[sites->last_path].domain != domain) {
		uint32_t found = id_map_find(&sites->by_domain, sites_id(&sites->by_domain, domain));
		if (found == 0)
			return NULL;
		sites->last_path = found - 1;
	}
	return &sites->paths[sites->last_path];
}

/* Add the path of a domain; NULL when out of memory. */
static struct path *add_path(struct sites *sites, uint16_t domain)
{
	if (!array_room(&sites->paths, &sites->path_capacity, sites->path_count + 1, sizeof(*sites->paths)))
		return NULL;
	struct step *steps = malloc(sizeof(*steps));
	if (steps == NULL || !id_map_add(&sites->by_domain, sites_id(&sites->by_domain, domain),
				 (uint32_t)sites->path_count + 1)) {
		free(steps);
		return NULL;
	}
	*steps = (struct step){.code = SITES_NONE, .node = SITES_NONE};
	sites->paths[sites->path_count] = (struct path){.domain = domain, .steps = steps, .capacity = 1};
	return &sites->paths[sites->path_count++];
}

/* Make room for a backtrace in a path, and set its first step to the node of the domain. */
static bool prepare_path(struct sites *sites, struct path *path, size_t depth)
{
	if (!array_room(&path->steps, &path->capacity, depth + 1, sizeof(*path->steps)))
		return false;
	if (path->steps[0].node == SITES_NONE)
		path->steps[0].node = sites_tree_child(&sites->tree, SITES_ROOT, SITES_DOMAIN | path->domain);
	return path->steps[0].node != SITES_NONE;
}

/* Descend from a node by the functions of a code; SITES_NONE when out of memory. */
static uint32_t descend(struct sites *sites, uint32_t node, const struct sites_code_slot *code)
{
	uint32_t count;

	if (code->function != SITES_NONE)
		return sites_tree_child(&sites->tree, node, code->function);
	const uint32_t *frames = sites_names_frames(&sites->names, code->id, &count);
	for (uint32_t i = 0; i < count && node != SITES_NONE; i++)
		node = sites_tree_child(&sites->tree, node, frames[i]);
	return node;
}

/* Find the function that an allocation is attributed to: the innermost of its code or, if the code has no
 * debug information, of one of its next two callers.  SITES_NONE when out of memory. */
static uint32_t find_site(struct sites *sites, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, const struct path *path)
{
	size_t top = event->depth - 1;

	for (size_t i = top;; i--) {
		uint32_t code = i < path->valid
				    ? path->steps[i + 1].code
				    : sites_names_code(&sites->names, reader, event->backtrace[i]);
		if (code == SITES_NONE)
			return SITES_NONE;
		uint32_t count;
		const uint32_t *frames = sites_names_frames(&sites->names, code, &count);
		if (sites->names.codes[code].count > 0 || i == 0 || top - i == 2)
			return frames[count - 1];
	}
}

/* Count an allocation without its callers; the steps of the path are valid for `valid` codes.  Returns the
 * node; SITES_NONE when out of memory. */
static uint32_t leave_callers(struct sites *sites, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, struct path *path, size_t valid)
{
	path->valid = valid;
	uint32_t site = find_site(sites, reader, event, path);
	sites->totals.pruned = true;
	return site == SITES_NONE ? SITES_NONE : sites_tree_other(&sites->tree, path->steps[0].node, site);
}

/* Follow a backtrace through the tree.  Returns its last node; SITES_NONE when out of memory. */
static uint32_t walk(struct sites *sites, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, struct path *path)
{
	size_t i = path->valid < event->unchanged ? path->valid : event->unchanged;

	/* Pruning leaves at most half of the tree: so deep a path, of a recursion, would push out all others
	 * and then be dropped itself, at each allocation anew. */
	if (event->depth > sites->tree.limit_wanted / 2)
		return leave_callers(sites, reader, event, path, i);
	for (; i < event->depth; i++) {
		if (sites_tree_full(&sites->tree))
			return leave_callers(sites, reader, event, path, i);
		const struct sites_code_slot *slot =
		    sites_names_slot(&sites->names, reader, event->backtrace[i]);
		uint32_t node = slot == NULL ? SITES_NONE : descend(sites, path->steps[i].node, slot);
		if (node == SITES_NONE) {
			path->valid = i;
			return SITES_NONE;
		}
		path->steps[i + 1] = (struct step){.code = slot->id, .node = node};
	}
	path->valid = event->depth;
	return path->steps[i].node;
}

/* Make room for the known leaf of a code. */
static bool reserve_known(struct sites *sites, uint32_t code)
{
	if (code < sites->known_count)
		return true;
	size_t before = sites->known_count;
	if (!array_room(&sites->known, &sites->known_count, (size_t)code + 1, sizeof(*sites->known)))
		return false;
	for (size_t i = before; i < sites->known_count; i++)
		sites->known[i].domain_node = SITES_ROOT;
	return true;
}

/* Find the leaf of an allocation whose callers are not kept; SITES_NONE when out of memory. */
static uint32_t find_bare_leaf(struct sites *sites, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, const struct path *path)
{
	uint32_t code = sites_names_code(&sites->names, reader, event->backtrace[event->depth - 1]);
	uint32_t domain_node = path->steps[0].node;

	if (code == SITES_NONE || !reserve_known(sites, code))
		return SITES_NONE;
	if (sites->known[code].domain_node == domain_node)
		return sites->known[code].leaf;
	uint32_t site = find_site(sites, reader, event, path);
	uint32_t node = site == SITES_NONE ? SITES_NONE : sites_tree_other(&sites->tree, domain_node, site);
	uint32_t leaf = node == SITES_NONE ? SITES_NONE : sites_tree_leaf(&sites->tree, node, code, site);
	/* Without debug information, the site depends on the callers. */
	if (leaf != SITES_NONE && sites->names.codes[code].count > 0)
		sites->known[code] = (struct known_leaf){domain_node, leaf};
	return leaf;
}

/* Find the leaf where an allocation is counted; SITES_NONE when out of memory. */
static uint32_t find_leaf(struct sites *sites, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, struct path *path)
{
	if (!prepare_path(sites, path, sites->no_callers ? 0 : event->depth))
		return SITES_NONE;
	if (event->depth == 0) {
		path->valid = 0;
		uint32_t node = sites_tree_child(&sites->tree, path->steps[0].node, SITES_UNKNOWN);
		return node == SITES_NONE ? SITES_NONE
					  : sites_tree_leaf(&sites->tree, node, SITES_NONE, SITES_UNKNOWN);
	}
	if (sites->no_callers)
		return find_bare_leaf(sites, reader, event, path);
	uint32_t node = walk(sites, reader, event, path);
	uint32_t site = node == SITES_NONE ? SITES_NONE : find_site(sites, reader, event, path);
	if (site == SITES_NONE)
		return SITES_NONE;
	uint32_t code = path->valid == event->depth
			    ? path->steps[event->depth].code
			    : sites_names_code(&sites->names, reader, event->backtrace[event->depth - 1]);
	return sites_tree_leaf(&sites->tree, node, code, site);
}

/* Prune the tree, and update what refers to its nodes and leaves. */
static void prune(struct sites *sites)
{
	uint32_t *moved = sites_tree_prune(&sites->tree);

	if (moved == NULL) {
		/* Out of memory for pruning: let the tree grow as long as allocations succeed. */
		sites->tree.limit *= 2;
		return;
	}
	for (size_t i = 0; i < sites->live.size; i++) {
		if (sites->live.slots[i].samples != 0 && sites->live.slots[i].leaf != SITES_NO_LEAF)
			sites->live.slots[i].leaf = moved[sites->live.slots[i].leaf] & SITES_NO_LEAF;
	}
	for (size_t i = 0; i < sites->path_count; i++) {
		sites->paths[i].valid = 0;
		sites->paths[i].steps[0].node = SITES_NONE;
	}
	sites->totals.pruned = true;
	free(moved);
}

/* The counts that one change applies to: those of a leaf and the total. */
struct change {
	struct sites_counts *of[2];
};

static struct change change_at(struct sites *sites, uint32_t leaf)
{
	return (struct change){{&sites->tree.leaves[leaf].counts, &sites->totals.counts}};
}

static void count_promoted(struct sites *sites, const struct sites_object *object)
{
	struct change change = change_at(sites, object->leaf);

	for (unsigned i = 0; i < 2; i++)
		change.of[i]->promoted += object->samples;
}

static void count_collected(struct sites *sites, const struct sites_object *object, int64_t time)
{
	/* The clocks of two domains may differ. */
	double life = time > object->time ? (double)time - (double)object->time : 0;
	struct change change = change_at(sites, object->leaf);

	for (unsigned i = 0; i < 2; i++) {
		change.of[i]->live -= object->samples;
		change.of[i]->collected += object->samples;
		change.of[i]->gone_since_mark += object->marked ? object->samples : 0;
		change.of[i]->life += life * object->samples;
		change.of[i]->life_squares += life * life * object->samples;
	}
}

/* Remove an object from `live`. */
static void forget(struct sites *sites, struct sites_object *object)
{
	sites->early -= object->early;
	sites->uncounted -= object->leaf == SITES_NO_LEAF;
	sites_live_remove(&sites->live, object);
}

/* Find an object, or add it as early: its allocation is yet to be read.  Returns NULL when it could not be
 * added. */
static struct sites_object *find_or_note(struct sites *sites, int64_t id)
{
	const struct sites_object early = {.id = id, .leaf = SITES_NO_LEAF, .samples = 1, .early = true};
	struct sites_object *object = sites_live_slot(&sites->live, id);

	if (object == NULL || object->samples != 0)
		return object;
	if (sites->early == EARLY_MAX)
		return NULL;
	sites_live_put(&sites->live, object, &early);
	sites->early++;
	sites->uncounted++;
	return object;
}

/* Leave an allocation out, but keep the object until it is collected.  `slot` is the slot of the object, or
 * the free slot for it. */
static void leave_out(struct sites *sites, const struct rtev_memtrace_event *event, struct sites_object *slot)
{
	const struct sites_object object = {.id = event->object, .leaf = SITES_NO_LEAF, .samples = 1};

	if (slot->samples == 0) {
		sites_live_put(&sites->live, slot, &object);
		sites->uncounted++;
	} else if (slot->early) {
		slot->early = false;
		sites->early--;
		if (slot->collected)
			forget(sites, slot);
	}
}

/* Put an object into its slot; an early one is replaced.  Removes the object and returns true if its
 * collection has already been read. */
static bool put_object(struct sites *sites, struct sites_object *slot, const struct sites_object *object)
{
	bool collected = slot->samples != 0 && slot->collected;

	if (slot->samples == 0) {
		sites_live_put(&sites->live, slot, object);
	} else if (collected) {
		forget(sites, slot);
	} else {
		*slot = *object;
		sites->early--;
		sites->uncounted--;
	}
	return collected;
}

/* Count an allocation at its leaf and put the object into its slot.  A promotion or collection that was read
 * earlier is counted too. */
static void count_alloc(struct sites *sites, struct sites_object *slot, struct sites_object *object)
{
	const struct sites_object fate = slot->samples != 0 ? *slot : (struct sites_object){0};
	struct change change = change_at(sites, object->leaf);
	bool promoted = object->minor && fate.promoted;

	for (unsigned i = 0; i < 2; i++) {
		change.of[i]->objects++;
		change.of[i]->samples += object->samples;
		change.of[i]->live += object->samples;
		change.of[i]->minor += object->minor ? object->samples : 0;
	}
	if (promoted)
		count_promoted(sites, object);
	object->minor = object->minor && !promoted;
	if (put_object(sites, slot, object))
		count_collected(sites, object, fate.time);
}

static int on_alloc(
    struct sites *sites, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	struct path *path = find_path(sites, event->domain);
	struct sites_object *slot = sites_live_slot(&sites->live, event->object);

	if (slot == NULL || event->samples <= 0 || event->time < sites->from || event->time > sites->to ||
	    (slot->samples != 0 && !slot->early)) {
		/* The next backtrace is encoded as its difference from this one. */
		if (path != NULL && path->valid > event->unchanged)
			path->valid = event->unchanged;
		if (slot != NULL)
			leave_out(sites, event, slot);
		return slot == NULL ? RTEV_E_NOMEM : RTEV_OK;
	}
	if (path == NULL)
		path = add_path(sites, event->domain);
	uint32_t leaf = path == NULL ? SITES_NONE : find_leaf(sites, reader, event, path);
	if (leaf == SITES_NONE)
		return RTEV_E_NOMEM;
	struct sites_object object = {.id = event->object,
	    .time = event->time,
	    .leaf = leaf & SITES_NO_LEAF,
	    .samples = sites_samples(event),
	    .minor = event->source == RTEV_MEMTRACE_MINOR};
	count_alloc(sites, slot, &object);
	if (sites_tree_full(&sites->tree))
		prune(sites);
	return RTEV_OK;
}

static void on_promote(struct sites *sites, const struct rtev_memtrace_event *event)
{
	struct sites_object *object = find_or_note(sites, event->object);

	if (object == NULL)
		return;
	if (object->early) {
		object->promoted = true;
	} else if (object->minor) {
		object->minor = false;
		count_promoted(sites, object);
	}
}

static void on_collect(struct sites *sites, const struct rtev_memtrace_event *event)
{
	struct sites_object *object = find_or_note(sites, event->object);

	if (object == NULL)
		return;
	if (object->early) {
		if (!object->collected)
			object->time = event->time;
		object->collected = true;
		return;
	}
	if (object->leaf != SITES_NO_LEAF)
		count_collected(sites, object, event->time);
	forget(sites, object);
}

int sites_event(
    struct sites *sites, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	if (event->time > sites->totals.last_time)
		sites->totals.last_time = event->time;
	if (event->kind == RTEV_MEMTRACE_ALLOC)
		return on_alloc(sites, reader, event);
	if (event->kind == RTEV_MEMTRACE_PROMOTE)
		on_promote(sites, event);
	else
		on_collect(sites, event);
	return RTEV_OK;
}

static void mark_counts(struct sites_counts *counts)
{
	counts->samples_at_mark = counts->samples;
	counts->live_at_mark = counts->live;
	counts->gone_since_mark = 0;
}

void sites_mark(struct sites *sites)
{
	for (size_t i = 0; i < sites->tree.leaf_count; i++)
		mark_counts(&sites->tree.leaves[i].counts);
	for (size_t i = 0; i < sites->live.size; i++)
		sites->live.slots[i].marked = true;
	mark_counts(&sites->totals.counts);
	sites->totals.marked = true;
	sites->totals.mark_time = sites->totals.last_time;
}

void sites_totals(const struct sites *sites, struct sites_totals *out)
{
	*out = sites->totals;
	out->live_objects = sites->live.count - sites->uncounted;
	out->nodes = sites->tree.node_count;
	out->leaves = sites->tree.leaf_count;
}

const struct sites_names *sites_names(const struct sites *sites)
{
	return &sites->names;
}

const struct sites_tree *sites_tree(const struct sites *sites)
{
	return &sites->tree;
}

const char *sites_function_name(const struct sites_function *function, char buf[SITES_NAME_SIZE])
{
	if (function->name != NULL)
		return function->name;
	snprintf(buf, SITES_NAME_SIZE, "$%" PRId64, function->code);
	return buf;
}
