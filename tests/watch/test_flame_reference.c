/*
 * test_flame_reference.c - flame graphs of random events, of the last seconds and of the past, against a slow
 * reference.
 */
#include "support/feed.h"

#include "watch/flame.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

/* A span that the reference knows. */
struct known {
	uint64_t begin;
	uint64_t end;  /* UINT64_MAX: open */
	size_t parent; /* SIZE_MAX: none */
	rtev_phase phase;
	bool cut;
	uint64_t covered; /* of the window, by it or by what ended inside it when it was cut */
	uint64_t inside;
};

#define REFERENCE_SPANS 60000
#define PATH_MAX_PHASES 16

struct reference {
	struct known *spans;
	size_t count;
	size_t open[FEED_DEPTH];
};

/* A path with its own time in the window. */
struct path {
	rtev_phase phases[PATH_MAX_PHASES];
	unsigned depth;
	uint64_t self;
};

/* The path of a span. */
static struct path known_path(const struct reference *r, size_t i)
{
	struct path p = {0};
	rtev_phase up[PATH_MAX_PHASES];

	for (; i != SIZE_MAX; i = r->spans[i].parent)
		up[p.depth++] = r->spans[i].phase;
	for (unsigned k = 0; k < p.depth; k++)
		p.phases[k] = up[p.depth - 1 - k];
	return p;
}

static struct path *path_find(struct path *paths, size_t *count, const struct path *p)
{
	for (size_t i = 0; i < *count; i++)
		if (paths[i].depth == p->depth &&
		    memcmp(paths[i].phases, p->phases, p->depth * sizeof(p->phases[0])) == 0)
			return &paths[i];
	paths[*count] = *p;
	return &paths[(*count)++];
}

/* Own times by path in [from, to), open spans until `now`. */
static size_t reference_paths(
    struct reference *r, uint64_t from, uint64_t to, uint64_t now, struct path *paths)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		r->spans[i].covered = r->spans[i].inside = 0;
	for (size_t i = r->count; i-- > 0;) {
		struct known *k = &r->spans[i];
		uint64_t begin = k->begin > from ? k->begin : from, end = k->end == UINT64_MAX ? now : k->end;

		end = end < to ? end : to;
		k->covered = k->cut ? k->inside : begin < end ? end - begin : 0;
		if (k->parent != SIZE_MAX)
			r->spans[k->parent].inside += k->covered;
		if (k->covered > k->inside) {
			struct path p = known_path(r, i);

			path_find(paths, &count, &p)->self += k->covered - k->inside;
		}
	}
	return count;
}

/* Check that a graph says what the reference does. */
static void check_graph(
    const struct flame_view *v, struct reference *r, uint64_t from, uint64_t to, uint64_t now)
{
	static struct path paths[4096];
	size_t count = reference_paths(r, from, to, now, paths), seen = 0;
	uint64_t sum = 0;

	memset(&paths[count], 0, sizeof(paths) - count * sizeof(paths[0]));
	for (size_t i = 0; i < count; i++)
		sum += paths[i].self;
	CHECK_INT(v->in_phases, sum);
	for (size_t i = 0; i < v->count; i++) {
		const struct flame_bar *b = &v->bars[i];
		struct path p = {.depth = b->depth + 1u};
		uint64_t inside = 0;

		for (size_t k = i, d = b->depth + 1u; d-- > 0; k = v->bars[k].parent)
			p.phases[d] = v->bars[k].phase;
		if (b->self > 0) {
			CHECK_INT(path_find(paths, &count, &p)->self, b->self);
			seen++;
		}
		/* Siblings stand side by side in the order of phases, inside their parent. */
		for (size_t k = i + 1; k < v->count && v->bars[k].depth > b->depth; k++)
			if (v->bars[k].parent == i) {
				CHECK_INT(v->bars[k].x, b->x + inside);
				inside += v->bars[k].total;
			}
		CHECK_INT(b->total, b->self + inside);
		for (size_t k = i + 1; k < v->count && v->bars[k].depth >= b->depth; k++)
			if (v->bars[k].depth == b->depth)
				CHECK(v->bars[k].phase > b->phase);
	}
	CHECK_INT(seen, count);
	memset(paths, 0, sizeof(paths));
}

/* Let the domain do something at ts; `calm`: nothing is dropped or lost. */
static void reference_step(struct reference *r, struct feed *f, uint64_t *seed, uint64_t ts, bool calm)
{
	unsigned depth = f->depth[0];
	uint64_t what = feed_below(seed, calm ? 960 : 1000);

	if (what < 470 && depth < 5 && r->count < REFERENCE_SPANS) {
		rtev_phase phase = (rtev_phase)(RTEV_PHASE_MAJOR + feed_below(seed, 3));
		size_t parent = depth == 0 ? SIZE_MAX : r->open[depth - 1];

		r->spans[r->count] = (struct known){ts, UINT64_MAX, parent, phase, false, 0, 0};
		r->open[depth] = r->count++;
		feed_open(f, 0, phase, ts);
	} else if (what < 960 && depth > 0) {
		r->spans[r->open[depth - 1]].end = ts;
		feed_close(f, 0, ts);
	} else if (what < 985 && depth > 0) {
		r->spans[r->open[depth - 1]].cut = true;
		feed_drop(f, 0, depth - 1);
	} else if (what < 987) {
		for (unsigned i = 0; i < depth; i++)
			r->spans[r->open[i]].cut = true;
		feed_gap(f, 0, ts, 5);
	} else
		f->to.counter(f->to.ctx, 0, ts, RTEV_COUNTER_MINOR_PROMOTED, 5);
}

/* The graphs of random events, with pauses between them up to 2^`scale` ns, must say what the reference says. */
static void random_events(uint64_t seed, unsigned scale, unsigned rounds, bool calm)
{
	static const uint64_t windows[] = {1, 2, 5, 10, 30, 60};
	static const uint64_t slices[] = {20, 100, 100, 500, 500, 500};
	static struct feed f;
	struct flame *flame = flame_create();
	struct history *h = history_create(&f.paths, 0);
	struct reference r = {.spans = calloc(REFERENCE_SPANS, sizeof(*r.spans))};
	uint64_t ts = 3 * SECOND + 12345, begin = ts;

	f.depth[0] = 0;
	feed_history(h, &f.to);
	f.to.counter(h, 0, ts, RTEV_COUNTER_MINOR_PROMOTED, 0);
	for (unsigned round = 0; round < rounds; round++) {
		struct flame_query q = {.history = h, .paths = &f.paths};
		struct flame_view v;
		size_t w = feed_below(&seed, 6);
		uint64_t left;

		for (unsigned i = (unsigned)feed_below(&seed, 200); i > 0; i--)
			reference_step(
			    &r, &f, &seed, ts += feed_below(&seed, 1u << feed_below(&seed, scale)), calm);
		q.now = ts + feed_below(&seed, 30 * MS);
		left = q.now < windows[w] * SECOND ? 0 : q.now - windows[w] * SECOND;
		left -= left % (slices[w] * MS);
		q.present.stack = f.open[0];
		q.present.depth = f.depth[0];
		if (flame_read_last(flame, &q, windows[w] * SECOND, 0, &v))
			check_graph(&v, &r, left, q.now, q.now);
		else
			CHECK_INT(r.count, 0);
		q.from = begin + feed_below(&seed, ts - begin + 1);
		q.to = q.from + 1 + feed_below(&seed, q.now - q.from + 1);
		if (flame_read(flame, &q, &v))
			check_graph(&v, &r, q.from, q.to, q.now);
		ts = q.now;
	}
	free(r.spans);
	history_destroy(h);
	flame_destroy(flame);
}

TEST(test_random_against_reference)
{
	random_events(1, 12, 200, false);
	random_events(2, 22, 200, false);
	random_events(3, 28, 200, false);
	random_events(4, 31, 100, false);
}

/* Whole blocks are told by their sums. */
TEST(test_sums_of_blocks)
{
	random_events(5, 12, 500, true);
	random_events(6, 20, 500, true);
	random_events(7, 26, 500, true);
}
