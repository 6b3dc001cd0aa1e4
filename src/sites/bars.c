/* bars.c - convert the tree of sites to the nodes and weights of calls/bars.h. */
#include "sites/bars.h"

uint64_t sites_weigh(const struct sites_counts *counts, enum sites_weight weight)
{
	switch (weight) {
	case SITES_WEIGHT_LIVE:
		return counts->live;
	case SITES_WEIGHT_PROMOTED:
		return counts->promoted;
	case SITES_WEIGHT_NEW:
		return counts->samples - counts->samples_at_mark;
	case SITES_WEIGHT_GROWTH:
		return counts->live > counts->live_at_mark ? counts->live - counts->live_at_mark : 0;
	case SITES_WEIGHT_SAMPLES:
		break;
	}
	return counts->samples;
}

int sites_bars(const struct sites *sites, const struct sites_bars_options *options, struct calls_bars *out)
{
	const struct sites_tree *tree = sites_tree(sites);
	struct calls_node *nodes = reallocarray(NULL, tree->node_count, sizeof(*nodes));
	uint64_t *own = calloc(tree->node_count, sizeof(*own));
	bool *passes = sites_filter_nodes(sites, options->filter);
	bool done = nodes != NULL && own != NULL && passes != NULL;

	*out = (struct calls_bars){0};
	for (size_t i = 0; done && i < tree->node_count; i++)
		nodes[i] =
		    (struct calls_node){.parent = tree->nodes[i].parent, .function = tree->nodes[i].function};
	for (size_t i = 0; done && i < tree->leaf_count; i++) {
		const struct sites_leaf *leaf = &tree->leaves[i];
		if (passes[leaf->node])
			own[leaf->node] += sites_weigh(&leaf->counts, options->weight);
	}
	done = done && calls_bars(nodes, tree->node_count, own, &options->shape, out);
	free(passes);
	free(own);
	free(nodes);
	return done ? RTEV_OK : RTEV_E_NOMEM;
}

/* The receiver of the paths, and the names for them. */
struct paths {
	const struct sites_names *names;
	bool (*path)(void *ctx, const char *text, size_t len, uint64_t samples);
	void *ctx;
	char name[SITES_NAME_SIZE];
};

static const char *name_of(void *ctx, uint32_t function)
{
	struct paths *paths = ctx;

	return sites_function_name(&paths->names->functions[function], paths->name);
}

static bool put_path(void *ctx, const char *text, size_t len, uint64_t samples)
{
	struct paths *paths = ctx;

	return paths->path(paths->ctx, text, len, samples);
}

int sites_bars_paths(const struct sites *sites, const struct calls_bars *bars,
    bool (*path)(void *ctx, const char *text, size_t len, uint64_t samples), void *ctx)
{
	struct paths paths = {.names = sites_names(sites), .path = path, .ctx = ctx};
	const struct calls_paths to = {.ctx = &paths, .name = name_of, .path = put_path};

	return calls_bars_paths(bars, &to) ? RTEV_OK : RTEV_E_NOMEM;
}
