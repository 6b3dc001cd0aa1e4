/*
 * test_memtrace_bars.c - the tree of calls as bars, marks and windows of time, against figures worked out in
 * the simplest way.
 */
#include <math.h>
#include <string.h>

#include "sites/sites.h"
#include "sites/bars.h"
#include "sites/estimate.h"
#include "support/test.h"
#include "support/sites_oracle.h"

/* Collects paths as bars hand them out. */
struct paths {
	const struct oracle *oracle;
	uint64_t sum;
	size_t count;
	const char *domain_text;
	bool invert;
};

/* The number of samples whose path is just this one. */
static bool check_path(void *ctx, const char *text, size_t len, uint64_t samples)
{
	struct paths *p = ctx;
	uint64_t expected = 0;

	for (size_t i = 0; i < p->oracle->count; i++) {
		const struct block *b = &p->oracle->blocks[i];
		if (b->path_len == len + 1 && memcmp(b->path + 1, text, len) == 0)
			expected += b->samples;
	}
	CHECK_INT(samples, expected);
	p->sum += samples;
	p->count++;
	return true;
}

/* The geometry of bars: children inside their parents, side by side, the widest first. */
static void check_geometry(const struct calls_bars *bars)
{
	uint64_t row_0 = 0;

	for (size_t i = 0; i < bars->count; i++) {
		const struct calls_bar *bar = &bars->bars[i];
		uint64_t inside = 0, last = UINT64_MAX;
		CHECK(bar->total > 0 && bar->self <= bar->total);
		for (size_t j = i + 1; j < bars->count && bars->bars[j].depth > bar->depth; j++) {
			if (bars->bars[j].parent != i)
				continue;
			CHECK_INT(bars->bars[j].depth, bar->depth + 1);
			CHECK_INT(bars->bars[j].x, bar->x + inside);
			CHECK(bars->bars[j].total <= last);
			last = bars->bars[j].total;
			inside += last;
		}
		CHECK_INT(inside + bar->self, bar->total);
		if (bar->parent == SITES_NONE) {
			CHECK_INT(bar->depth, 0);
			CHECK_INT(bar->x, row_0);
			row_0 += bar->total;
		}
	}
	CHECK(row_0 <= bars->total);
}

/* Bars of whole traces: their own weights are the paths' samples. */
TEST(test_bars)
{
	static const char *const files[] = {"json-small.ctf", "viewer-test_trace.ctf"};

	for (size_t f = 0; f < 2; f++) {
		struct both b;
		struct calls_bars bars;
		struct sites_bars_options options = {0};
		both_open(&b, files[f], NULL);
		both_read(&b, UINT64_MAX);
		struct paths paths = {.oracle = &b.oracle};
		uint64_t all = 0;
		for (size_t i = 0; i < b.oracle.count; i++)
			all += b.oracle.blocks[i].samples;
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		check_geometry(&bars);
		CHECK_INT(bars.total, all);
		CHECK_INT(sites_bars_paths(b.sites, &bars, check_path, &paths), RTEV_OK);
		CHECK_INT(paths.sum, all);
		size_t full = bars.count;
		calls_bars_fini(&bars);
		/* Just as many as there may be are all opened, and of fewer the wider ones. */
		options.shape.most = 1;
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		size_t least = bars.count;
		calls_bars_fini(&bars);
		options.shape.most = least;
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		CHECK_INT(bars.count, least);
		calls_bars_fini(&bars);
		options.shape.most = 10;
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		check_geometry(&bars);
		CHECK(bars.count >= 10 && bars.count < full);
		calls_bars_fini(&bars);
		options.shape.most = 0;
		options.shape.least = all / 10;
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		check_geometry(&bars);
		CHECK(bars.count > 0 && bars.count < full);
		for (size_t i = 0; i < bars.count; i++)
			CHECK(bars.bars[i].total >= options.shape.least);
		calls_bars_fini(&bars);
		both_close(&b);
	}
}

/* The samples of blocks whose innermost names are these, from the inside out. */
static uint64_t count_suffix(const struct oracle *o, const char *suffix, const char *with)
{
	uint64_t sum = 0;
	size_t len = strlen(suffix);

	for (size_t i = 0; i < o->count; i++) {
		const struct block *b = &o->blocks[i];
		if (b->path_len >= len && strcmp(b->path + b->path_len - len, suffix) == 0 &&
		    path_has(b, with))
			sum += b->samples;
	}
	return sum;
}

/* Inverted: each bar weighs what ends in its path. */
TEST(test_inverted)
{
	struct both b;
	struct calls_bars bars;
	struct sites_filter filter = {.function = "parse"};
	struct sites_bars_options options = {.shape = {.invert = true}, .filter = &filter};

	both_open(&b, "json-small.ctf", NULL);
	both_read(&b, UINT64_MAX);
	const struct sites_names *names = sites_names(b.sites);
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	check_geometry(&bars);
	CHECK_INT(bars.total, count_suffix(&b.oracle, "", "parse"));
	CHECK(bars.count > 100);
	for (size_t i = 0; i < bars.count; i++) {
		struct bytes suffix = {0};
		for (uint32_t at = (uint32_t)i; at != SITES_NONE; at = bars.bars[at].parent) {
			char buf[SITES_NAME_SIZE];
			const char *name =
			    sites_function_name(&names->functions[bars.bars[at].function], buf);
			bytes_add(&suffix, ";", 1);
			bytes_add(&suffix, name, strlen(name));
		}
		bytes_add(&suffix, "", 1);
		CHECK_INT(bars.bars[i].total, count_suffix(&b.oracle, (char *)suffix.data, "parse"));
		bytes_free(&suffix);
	}
	calls_bars_fini(&bars);
	both_close(&b);
}

/* Going down: what lies below a bar is as if it were all. */
TEST(test_drill_down)
{
	struct both b;
	struct calls_bars bars, below;

	both_open(&b, "json-small.ctf", NULL);
	both_read(&b, UINT64_MAX);
	for (int invert = 0; invert < 2; invert++) {
		struct sites_bars_options options = {.shape = {.invert = invert}};
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		/* The widest bar of row 2. */
		size_t at = 0;
		while (bars.bars[at].depth != 2)
			at++;
		uint32_t path[3];
		for (size_t i = at, row = 3; row-- > 0; i = bars.bars[i].parent)
			path[row] = bars.bars[i].function;
		options.shape.path = path;
		options.shape.path_depth = 3;
		CHECK_INT(sites_bars(b.sites, &options, &below), RTEV_OK);
		check_geometry(&below);
		CHECK_INT(below.total, bars.bars[at].total);
		for (size_t i = 0; i < below.count; i++) {
			CHECK_INT(below.bars[i].function, bars.bars[at + 1 + i].function);
			CHECK_INT(below.bars[i].total, bars.bars[at + 1 + i].total);
			CHECK_INT(below.bars[i].depth + 3, bars.bars[at + 1 + i].depth);
			CHECK_INT(below.bars[i].x + bars.bars[at].x, bars.bars[at + 1 + i].x);
		}
		size_t end = at + 1 + below.count;
		CHECK(end == bars.count || bars.bars[end].depth <= 2);
		calls_bars_fini(&below);
		path[2] = SITES_OTHER;
		CHECK_INT(sites_bars(b.sites, &options, &below), RTEV_OK);
		CHECK(below.count == 0 && below.total == 0);
		calls_bars_fini(&below);
		calls_bars_fini(&bars);
	}
	both_close(&b);
}

/* Growth since a mark, with what went and what came kept apart. */
TEST(test_mark)
{
	struct both b;
	struct sites_totals totals;
	struct calls_bars bars;
	uint64_t then = 0, gone = 0, came = 0, fresh = 0, grown = 0;

	both_open(&b, "multidomain.ctf", NULL);
	both_read(&b, 6000);
	size_t before = b.oracle.count;
	for (size_t i = 0; i < before; i++) {
		then += b.oracle.blocks[i].died < 0 ? b.oracle.blocks[i].samples : 0;
		/* So that those are told from the ones that die later. */
		if (b.oracle.blocks[i].died >= 0)
			b.oracle.blocks[i].id = -1;
	}
	sites_mark(b.sites);
	sites_totals(b.sites, &totals);
	CHECK(totals.marked);
	CHECK_INT(totals.mark_time, totals.last_time);
	CHECK_INT(totals.counts.live_at_mark, then);
	both_read(&b, UINT64_MAX);
	for (size_t i = 0; i < b.oracle.count; i++) {
		const struct block *block = &b.oracle.blocks[i];
		if (i < before)
			gone += block->id != -1 && block->died >= 0 ? block->samples : 0;
		else
			came += block->died < 0 ? block->samples : 0;
		fresh += i < before ? 0 : block->samples;
	}
	sites_totals(b.sites, &totals);
	CHECK_INT(totals.counts.live_at_mark, then);
	CHECK_INT(totals.counts.gone_since_mark, gone);
	CHECK_INT(totals.counts.live, then - gone + came);
	CHECK_INT(totals.counts.samples - totals.counts.samples_at_mark, fresh);
	CHECK(gone > 0 && came > 0);
	struct sites_estimate growth = sites_growth(&totals.counts, totals.rate);
	CHECK_NEAR(growth.value, ((double)came - (double)gone) / totals.rate, 1e-3);
	CHECK_NEAR(growth.error, sqrt((double)(came + gone) * (1 - totals.rate)) / totals.rate, 1e-3);
	CHECK(growth.low < growth.value && growth.value < growth.high);

	struct sites_bars_options options = {.weight = SITES_WEIGHT_NEW};
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	check_geometry(&bars);
	CHECK_INT(bars.total, fresh);
	calls_bars_fini(&bars);
	options.weight = SITES_WEIGHT_GROWTH;
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	const struct sites_tree *tree = sites_tree(b.sites);
	for (size_t i = 0; i < tree->leaf_count; i++) {
		const struct sites_counts *c = &tree->leaves[i].counts;
		grown += c->live > c->live_at_mark ? c->live - c->live_at_mark : 0;
	}
	CHECK_INT(bars.total, grown);
	calls_bars_fini(&bars);
	options.weight = SITES_WEIGHT_LIVE;
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	CHECK_INT(bars.total, totals.counts.live);
	calls_bars_fini(&bars);
	options.weight = SITES_WEIGHT_PROMOTED;
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	CHECK_INT(bars.total, totals.counts.promoted);
	calls_bars_fini(&bars);
	/* A mark takes the place of the one before. */
	sites_mark(b.sites);
	sites_totals(b.sites, &totals);
	CHECK_INT(totals.counts.live_at_mark, totals.counts.live);
	CHECK_INT(totals.counts.samples_at_mark, totals.counts.samples);
	CHECK_INT(totals.counts.gone_since_mark, 0);
	growth = sites_growth(&totals.counts, totals.rate);
	CHECK_NEAR(growth.value, 0, 0);
	CHECK_NEAR(growth.error, 0, 0);
	both_close(&b);
}

/* A window of time: allocations outside are as if they had not been. */
TEST(test_window)
{
	struct sites_options options = {.from = 5000, .to = 60000};
	struct both b;
	struct sites_totals totals;
	struct sites_counts expected = {0};
	struct paths paths;
	struct calls_bars bars;
	struct sites_bars_options all = {0};

	both_open(&b, "json-small.ctf", &options);
	both_read(&b, UINT64_MAX);
	size_t kept = 0;
	for (size_t i = 0; i < b.oracle.count; i++) {
		struct block *block = &b.oracle.blocks[i];
		if (block->born < options.from || block->born > options.to) {
			free(block->path);
			free(block->site);
			continue;
		}
		b.oracle.blocks[kept++] = *block;
		add_block(&expected, block);
	}
	CHECK(kept > 0 && kept < b.oracle.count);
	b.oracle.count = kept;
	sites_totals(b.sites, &totals);
	check_counts(&totals.counts, &expected);
	/* Backtraces are told by their difference to the one before, also to one that was left out. */
	paths = (struct paths){.oracle = &b.oracle};
	CHECK_INT(sites_bars(b.sites, &all, &bars), RTEV_OK);
	CHECK_INT(sites_bars_paths(b.sites, &bars, check_path, &paths), RTEV_OK);
	CHECK_INT(paths.sum, expected.samples);
	calls_bars_fini(&bars);
	both_close(&b);
}
