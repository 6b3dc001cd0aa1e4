/*
 * test_path_tree.c - numbers of paths, by themselves and as a model gives them to spans.
 */
#include "model/path_tree.h"

#include "support/model_feed.h"

static struct path_tree tree;

/* A number below `limit`, by xorshift. */
static unsigned below(unsigned limit)
{
	static uint64_t seed = 7;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % limit);
}

/* The phases of a path, outermost first; returns how many. */
static unsigned spell(const struct path_tree *t, uint16_t path, rtev_phase out[PATH_DEPTH_MAX])
{
	unsigned depth = t->nodes[path].depth;

	for (unsigned i = depth; i > 0; i--, path = t->nodes[path].parent) {
		CHECK(t->nodes[path].parent < path);
		out[i - 1] = t->nodes[path].phase;
	}
	CHECK_INT(path, 0);
	return depth;
}

/* Each path has one number, which stays; those inside one path are in the order of phases. */
TEST(numbers)
{
	static const rtev_phase phases[] = {MINOR, MAJOR, ODD, RTEV_OPAQUE};
	static rtev_phase met[PATHS_MAX][4];
	rtev_phase want[4], now[PATH_DEPTH_MAX];

	memset(&tree, 0, sizeof(tree));
	for (unsigned i = 0; i < 20000; i++) {
		uint16_t path = 0;
		unsigned depth = 1 + below(4);
		for (unsigned k = 0; k < depth; k++)
			path = path_inside(&tree, path, want[k] = phases[below(4)]);
		CHECK(path > 0 && path <= tree.count);
		CHECK_INT(spell(&tree, path, now), depth);
		CHECK(memcmp(now, want, depth * sizeof(now[0])) == 0);
		CHECK(met[path][0] == 0 || memcmp(met[path], want, depth * sizeof(now[0])) == 0);
		memcpy(met[path], want, depth * sizeof(now[0]));
	}
	CHECK_INT(tree.count, 4 + 16 + 64 + 256);
	for (unsigned path = 0; path <= tree.count; path++)
		for (unsigned n = tree.nodes[path].child, next; n != 0; n = next) {
			next = tree.nodes[n].next;
			CHECK_INT(tree.nodes[n].parent, path);
			CHECK(next == 0 || tree.nodes[next].phase > tree.nodes[n].phase);
		}
}

/* What is too much shares a path, and after that has none. */
TEST(limits)
{
	uint16_t deep = 0, named = 0, other;

	memset(&tree, 0, sizeof(tree));
	for (unsigned i = 0; i < PATH_DEPTH_MAX; i++)
		CHECK((deep = path_inside(&tree, deep, MINOR)) != PATH_NONE);
	for (int again = 0; again < 2; again++) {
		CHECK_INT(path_inside(&tree, deep, MINOR), PATH_NONE);
		CHECK_INT(path_inside(&tree, PATH_NONE, MINOR), PATH_NONE);
		CHECK_INT(path_inside(&tree, PATH_NONE, ODD), PATH_NONE);
	}
	for (unsigned i = 0; tree.count < PATHS_NAMED - 1; i++)
		named = path_inside(&tree, 0, (rtev_phase)(RTEV_OPAQUE + i));
	CHECK_INT(named, PATHS_NAMED - 1);
	other = path_inside(&tree, 0, RTEV_OPAQUE + 5000);
	CHECK_INT(tree.nodes[other].phase, PATH_OTHER);
	CHECK_INT(path_inside(&tree, 0, RTEV_OPAQUE + 5001), other);
	CHECK_INT(path_inside(&tree, 0, MAJOR), other);
	CHECK_INT(path_inside(&tree, other, MAJOR), PATH_NONE);
	CHECK_INT(path_inside(&tree, 0, tree.nodes[named].phase), named);
	CHECK_INT(path_inside(&tree, path_inside(&tree, 0, MINOR), MINOR), path_inside(&tree, 1, MINOR));
	for (unsigned i = 1; i < PATHS_NAMED; i++) {
		uint16_t path = path_inside(&tree, (uint16_t)i, MAJOR);
		CHECK(path == PATH_NONE || tree.nodes[path].phase == PATH_OTHER);
	}
	CHECK_INT(tree.count, PATHS_MAX - 1);
}

static struct model *observed;
static unsigned ends;

/* A span that ended is inside those that are open. */
static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	const struct model_domain *d = model_domain(observed, domain);
	rtev_phase phases[PATH_DEPTH_MAX];

	CHECK_INT(spell(model_paths(observed), span->path, phases), span->depth + 1);
	for (unsigned i = 0; i < span->depth; i++) {
		CHECK_INT(phases[i], d->stack[i].phase);
		CHECK_INT(spell(model_paths(observed), d->stack[i].path, phases), i + 1);
	}
	CHECK_INT(spell(model_paths(observed), span->path, phases), span->depth + 1);
	CHECK_INT(phases[span->depth], span->phase);
	ends++;
}

/* Whatever comes, drops and resumes in the middle of a stack too, a span has the path of the stack it stands on. */
TEST(paths_of_spans)
{
	static const rtev_phase phases[] = {MINOR, MAJOR, SLICE, ODD, WAIT};
	struct feed f = feed_open(0);
	uint64_t ts[2] = {1000, 1000};

	observed = f.m;
	CHECK(model_observe(f.m, &(struct model_observer){.closed = on_closed}));
	for (unsigned i = 0; i < 200000; i++) {
		unsigned domain = below(2), what = below(1000);
		const struct model_domain *d = model_domain(f.m, domain);
		rtev_phase phase = phases[below(5)];
		uint64_t at = ts[domain] += below(20);

		if (what < 450 && (d == NULL || d->depth < 3))
			begin(&f, domain, at, phase);
		else if (what < 600)
			f.cb.begin_end(f.m, domain, at, ts[domain] += below(9), phase);
		else if (what < 980)
			end(&f, domain, at,
			    d != NULL && d->depth > 0 ? d->stack[below(d->depth)].phase : phase);
		else if (what < 985)
			f.cb.lost(f.m, domain, 5, 0);
		else
			model_resume_at(f.m, at - below(50));
	}
	CHECK(ends > 50000);
	feed_close(&f);
}
