/*
 * table.c - make a filtered, sorted table of allocation sites.
 */
#include "sites/sites.h"

#include "core/order.h"

/* Whether a function matches a filter.  Case is ignored. */
static bool fits(const struct sites_function *function, const struct sites_filter *filter)
{
	char name[SITES_NAME_SIZE];

	return (filter->function == NULL ||
		   strcasestr(sites_function_name(function, name), filter->function) != NULL) &&
	       (filter->file == NULL || strcasestr(function->file, filter->file) != NULL);
}

/* Compute for each function whether it matches.  This is done once, because there are many more nodes than
 * functions. */
static bool *fitting(const struct sites_names *names, const struct sites_filter *filter)
{
	bool *fit = reallocarray(NULL, names->function_count, sizeof(*fit));
	bool any = filter == NULL || (filter->function == NULL && filter->file == NULL);

	for (size_t i = 0; fit != NULL && i < names->function_count; i++)
		fit[i] = any || fits(&names->functions[i], filter);
	return fit;
}

/* If a node passes the filter, its children pass too. */
bool *sites_filter_nodes(const struct sites *sites, const struct sites_filter *filter)
{
	const struct sites_tree *tree = sites_tree(sites);
	/* WRONG: in a domain that is not wanted.  OPEN: no function of the path matches yet.  PASSED: one
	 * matches. */
	enum { WRONG, OPEN, PASSED };
	unsigned char *state = reallocarray(NULL, tree->node_count, sizeof(*state));
	bool *passes = reallocarray(NULL, tree->node_count, sizeof(*passes));
	bool *fit = fitting(sites_names(sites), filter);

	if (state == NULL || passes == NULL || fit == NULL) {
		free(state);
		free(passes);
		free(fit);
		return NULL;
	}
	state[SITES_ROOT] = OPEN;
	for (size_t i = 1; i < tree->node_count; i++) {
		uint32_t function = tree->nodes[i].function;
		state[i] = state[tree->nodes[i].parent];
		if ((function & SITES_DOMAIN) != 0) {
			bool right = filter == NULL || !filter->one_domain ||
				     function == (SITES_DOMAIN | filter->domain);
			state[i] = right ? OPEN : WRONG;
		} else if (state[i] == OPEN && fit[function]) {
			state[i] = PASSED;
		}
	}
	passes[SITES_ROOT] = false;
	for (size_t i = 1; i < tree->node_count; i++)
		passes[i] = state[i] == PASSED;
	free(state);
	free(fit);
	return passes;
}

/* A share; -1 when `whole` is 0. */
static double share(double part, uint64_t whole)
{
	return whole == 0 ? -1 : part / (double)whole;
}

/* The sort key of a row. */
static double key_of(const struct sites_counts *counts, enum sites_order order)
{
	switch (order) {
	case SITES_ORDER_LIVE:
		return (double)counts->live;
	case SITES_ORDER_PROMOTED:
		return share((double)counts->promoted, counts->minor);
	case SITES_ORDER_LIFETIME:
		return share(counts->life, counts->collected);
	case SITES_ORDER_GROWTH:
		return (double)counts->live - (double)counts->live_at_mark;
	case SITES_ORDER_SAMPLES:
		break;
	}
	return (double)counts->samples;
}

struct keyed_row {
	struct sites_row row;
	double key;
	size_t place;
};

/* Order rows by descending key, then by place. */
static int compare_rows(const void *a_, const void *b_)
{
	const struct keyed_row *a = a_, *b = b_;

	return ORDER_BY(ORDER_FALLING(a, b, key), ORDER_RISING(a, b, place));
}

static int sort_rows(struct sites_row *rows, size_t count, enum sites_order order)
{
	struct keyed_row *keyed = reallocarray(NULL, count + 1, sizeof(*keyed));

	if (keyed == NULL)
		return RTEV_E_NOMEM;
	for (size_t i = 0; i < count; i++)
		keyed[i] = (struct keyed_row){rows[i], key_of(&rows[i].counts, order), i};
	qsort(keyed, count, sizeof(*keyed), compare_rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = keyed[i].row;
	free(keyed);
	return RTEV_OK;
}

/* Group the leaves that pass into rows. */
static int gather(const struct sites_tree *tree, const bool *passes, enum sites_by by, struct sites_row *rows,
    size_t *count)
{
	struct id_map places = {0};
	bool done = true;

	*count = 0;
	for (size_t i = 0; i < tree->leaf_count && done; i++) {
		const struct sites_leaf *leaf = &tree->leaves[i];
		uint32_t code = by == SITES_BY_CODE ? leaf->code : SITES_NONE;
		if (!passes[leaf->node])
			continue;
		uint64_t id = sites_id(&places, (uint64_t)leaf->site << 32 | code);
		uint32_t place = id_map_find(&places, id);
		if (place == 0) {
			rows[*count] = (struct sites_row){.site = leaf->site, .code = code};
			place = (uint32_t)++ * count;
			done = id_map_add(&places, id, place);
		}
		sites_counts_add(&rows[place - 1].counts, &leaf->counts);
	}
	id_map_fini(&places);
	return done ? RTEV_OK : RTEV_E_NOMEM;
}

int sites_table(const struct sites *sites, const struct sites_filter *filter, enum sites_by by,
    enum sites_order order, struct sites_row **out, size_t *count)
{
	const struct sites_tree *tree = sites_tree(sites);
	bool *passes = sites_filter_nodes(sites, filter);
	struct sites_row *rows = reallocarray(NULL, tree->leaf_count + 1, sizeof(*rows));
	int status = RTEV_E_NOMEM;

	*out = NULL;
	*count = 0;
	if (passes != NULL && rows != NULL)
		status = gather(tree, passes, by, rows, count);
	if (status == RTEV_OK)
		status = sort_rows(rows, *count, order);
	free(passes);
	if (status != RTEV_OK) {
		free(rows);
		*count = 0;
		return status;
	}
	*out = rows;
	return RTEV_OK;
}
