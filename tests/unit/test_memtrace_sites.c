/*
 * test_memtrace_sites.c - allocation sites, against figures worked out in the simplest way.
 */
#include <math.h>
#include <string.h>

#include "model/sites.h"
#include "model/sites_bars.h"
#include "model/sites_estimate.h"
#include "test.h"
#include "unit/test_memtrace_data.h"

/* What the oracle keeps of a sampled block: its path as text, outermost first, each name behind a ';'. */
struct block {
	char *path;
	size_t path_len;
	char *site;
	int64_t code, id, born, died; /* died: -1 */
	uint64_t samples;
	bool minor, promoted;
	uint16_t domain;
};

struct oracle {
	struct block *blocks;
	size_t count, capacity;
};

/* Append the names of a code. */
static const char *put_names(struct bytes *path, const struct rtev_memtrace_reader *reader, int64_t code)
{
	const struct rtev_memtrace_location *list;
	static char number[32];
	size_t count;

	CHECK_INT(rtev_memtrace_lookup(reader, code, &list, &count), RTEV_OK);
	snprintf(number, sizeof(number), "$%" PRId64, code);
	for (size_t i = 0; i < count; i++) {
		bytes_add(path, ";", 1);
		bytes_add(path, list[i].defname, strlen(list[i].defname));
	}
	if (count == 0) {
		bytes_add(path, ";", 1);
		bytes_add(path, number, strlen(number));
	}
	return count == 0 ? NULL : list[count - 1].defname;
}

/* Keep an event. */
static void oracle_event(
    struct oracle *o, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	if (event->kind != RTEV_MEMTRACE_ALLOC) {
		for (size_t i = o->count; i-- > 0;) {
			if (o->blocks[i].id != event->object)
				continue;
			if (event->kind == RTEV_MEMTRACE_PROMOTE)
				o->blocks[i].promoted = true;
			else
				o->blocks[i].died = event->time;
			break;
		}
		return;
	}
	if (o->count == o->capacity) {
		o->capacity = o->capacity * 2 + 64;
		o->blocks = realloc(o->blocks, o->capacity * sizeof(*o->blocks));
		CHECK(o->blocks != NULL);
	}
	struct block *b = &o->blocks[o->count++];
	struct bytes path = {0}, unused = {0};
	const char *site = NULL;
	for (size_t i = 0; i < event->depth; i++)
		put_names(&path, reader, event->backtrace[i]);
	for (size_t i = event->depth; i-- > 0 && site == NULL && event->depth - i <= 3;)
		site = put_names(&unused, reader, event->backtrace[i]);
	bytes_free(&unused);
	if (event->depth == 0)
		bytes_add(&path, ";(no backtrace)", 15);
	bytes_add(&path, "", 1);
	*b = (struct block){.path = (char *)path.data,
	    .path_len = path.size - 1,
	    .site = strdup(site != NULL	       ? site
			   : event->depth == 0 ? "(no backtrace)"
					       : "$"),
	    .code = event->depth > 0 ? event->backtrace[event->depth - 1] : 0,
	    .id = event->object,
	    .born = event->time,
	    .died = -1,
	    .samples = (uint64_t)event->samples,
	    .minor = event->source == RTEV_MEMTRACE_MINOR,
	    .domain = event->domain};
}

static void oracle_free(struct oracle *o)
{
	for (size_t i = 0; i < o->count; i++) {
		free(o->blocks[i].path);
		free(o->blocks[i].site);
	}
	free(o->blocks);
	*o = (struct oracle){0};
}

/* A trace taken in by both. */
struct both {
	struct bytes file;
	struct rtev_memtrace_reader *reader;
	struct sites *sites;
	struct oracle oracle;
};

/* Take the next events in, all without a bound.  Returns how many there were. */
static uint64_t both_read(struct both *b, uint64_t most)
{
	const struct rtev_memtrace_event *event;
	uint64_t events = 0;

	while (events < most && rtev_memtrace_next(b->reader, &event) == RTEV_OK) {
		CHECK_INT(sites_event(b->sites, b->reader, event), RTEV_OK);
		oracle_event(&b->oracle, b->reader, event);
		events++;
	}
	return events;
}

static void both_open(struct both *b, const char *name, const struct sites_options *options)
{
	*b = (struct both){.file = data_file(name)};
	CHECK_INT(rtev_memtrace_open_memory(&b->reader, b->file.data, b->file.size, NULL), RTEV_OK);
	CHECK_INT(sites_create(&b->sites, rtev_memtrace_info(b->reader), options), RTEV_OK);
}

static void both_close(struct both *b)
{
	sites_destroy(b->sites);
	rtev_memtrace_close(b->reader);
	oracle_free(&b->oracle);
	bytes_free(&b->file);
}

/* Add a block up. */
static void add_block(struct sites_counts *c, const struct block *b)
{
	double life = (double)(b->died - b->born) * 1e-6;

	c->objects++;
	c->samples += b->samples;
	c->minor += b->minor ? b->samples : 0;
	c->promoted += b->promoted ? b->samples : 0;
	if (b->died < 0) {
		c->live += b->samples;
	} else {
		c->collected += b->samples;
		c->life += life * (double)b->samples;
		c->life_squares += life * life * (double)b->samples;
	}
}

static void check_counts(const struct sites_counts *a, const struct sites_counts *e)
{
	CHECK_INT(a->objects, e->objects);
	CHECK_INT(a->samples, e->samples);
	CHECK_INT(a->minor, e->minor);
	CHECK_INT(a->promoted, e->promoted);
	CHECK_INT(a->live, e->live);
	CHECK_INT(a->collected, e->collected);
	CHECK_NEAR(a->life, e->life, 1e-6 * e->life + 1e-9);
	CHECK_NEAR(a->life_squares, e->life_squares, 1e-6 * e->life_squares + 1e-9);
}

/* Whether a path has a function whose name has the text, in capitals or not. */
static bool path_has(const struct block *b, const char *text)
{
	return text == NULL || strcasestr(b->path, text) != NULL;
}

/* Compare the table by function with sums over the blocks. */
static void check_table(const struct both *b, const struct sites_filter *filter)
{
	const struct sites_names *names = sites_names(b->sites);
	struct sites_row *rows;
	size_t count;
	uint64_t all = 0, sum = 0;

	CHECK_INT(
	    sites_table(b->sites, filter, SITES_BY_FUNCTION, SITES_ORDER_SAMPLES, &rows, &count), RTEV_OK);
	for (size_t i = 0; i < count; i++) {
		struct sites_counts expected = {0}, same = {0};
		char buf[SITES_NAME_SIZE];
		const char *name = sites_function_name(&names->functions[rows[i].site], buf);
		/* Functions of one name in several files are several rows. */
		for (size_t j = 0; j < count; j++) {
			char other[SITES_NAME_SIZE];
			if (strcmp(sites_function_name(&names->functions[rows[j].site], other), name) == 0)
				sites_counts_add(&same, &rows[j].counts);
		}
		for (size_t j = 0; j < b->oracle.count; j++) {
			const struct block *block = &b->oracle.blocks[j];
			if (strcmp(block->site, name) != 0 ||
			    (filter != NULL && (!path_has(block, filter->function) ||
						   (filter->one_domain && filter->domain != block->domain))))
				continue;
			add_block(&expected, block);
		}
		if (name[0] != '$')
			check_counts(&same, &expected);
		CHECK(i == 0 || rows[i].counts.samples <= rows[i - 1].counts.samples);
		sum += rows[i].counts.samples;
	}
	for (size_t j = 0; j < b->oracle.count; j++) {
		const struct block *block = &b->oracle.blocks[j];
		if (filter == NULL || (path_has(block, filter->function) &&
					  (!filter->one_domain || filter->domain == block->domain)))
			all += block->samples;
	}
	CHECK_INT(sum, all);
	CHECK(count > 0 || all == 0);
	free(rows);
}

/* Tables of the samples, whole and filtered. */
static void test_table(void)
{
	static const char *const files[] = {"json-small.ctf", "multidomain.ctf", "viewer-test_trace.ctf"};
	static const char *const functions[] = {"Buffer", "parse", "list", "no such function"};

	for (size_t f = 0; f < 3; f++) {
		struct both b;
		struct sites_totals totals;
		struct sites_counts expected = {0};
		both_open(&b, files[f], NULL);
		both_read(&b, UINT64_MAX);
		for (size_t i = 0; i < b.oracle.count; i++)
			add_block(&expected, &b.oracle.blocks[i]);
		sites_totals(b.sites, &totals);
		check_counts(&totals.counts, &expected);
		CHECK(totals.live_objects > 0 && totals.leaves > 2 && !totals.pruned && !totals.marked);
		CHECK_INT(totals.word_bytes, 8);
		check_table(&b, NULL);
		for (size_t i = 0; i < 4; i++) {
			struct sites_filter filter = {.function = functions[i]};
			check_table(&b, &filter);
			filter.one_domain = true;
			for (filter.domain = 0; filter.domain < 4; filter.domain++)
				check_table(&b, &filter);
		}
		both_close(&b);
	}
}

/* By file, by code, and in each order. */
static void test_orders(void)
{
	struct both b;
	struct sites_row *rows, *codes;
	size_t count, code_count;
	uint64_t sum = 0;

	both_open(&b, "json-small.ctf", NULL);
	both_read(&b, UINT64_MAX);
	struct sites_filter filter = {.file = "buffer.ml"};
	CHECK_INT(sites_table(b.sites, &filter, SITES_BY_FUNCTION, SITES_ORDER_LIVE, &rows, &count), RTEV_OK);
	CHECK(count > 0);
	for (size_t i = 1; i < count; i++)
		CHECK(rows[i].counts.live <= rows[i - 1].counts.live);
	for (size_t i = 0; i < count; i++)
		sum += rows[i].counts.samples;
	free(rows);
	for (size_t i = 0; i < b.oracle.count; i++)
		sum -= path_has(&b.oracle.blocks[i], ";Stdlib__Buffer.") ? b.oracle.blocks[i].samples : 0;
	CHECK_INT(sum, 0);

	CHECK_INT(
	    sites_table(b.sites, NULL, SITES_BY_FUNCTION, SITES_ORDER_PROMOTED, &rows, &count), RTEV_OK);
	for (size_t i = 1; i < count; i++)
		CHECK(rows[i].counts.minor == 0 || rows[i].counts.promoted * rows[i - 1].counts.minor <=
						       rows[i - 1].counts.promoted * rows[i].counts.minor);
	free(rows);
	CHECK_INT(
	    sites_table(b.sites, NULL, SITES_BY_FUNCTION, SITES_ORDER_LIFETIME, &rows, &count), RTEV_OK);
	for (size_t i = 1; i < count; i++)
		CHECK(rows[i].counts.collected == 0 ||
		      rows[i].counts.life / (double)rows[i].counts.collected <=
			  rows[i - 1].counts.life / (double)rows[i - 1].counts.collected);
	CHECK_INT(
	    sites_table(b.sites, NULL, SITES_BY_CODE, SITES_ORDER_SAMPLES, &codes, &code_count), RTEV_OK);
	CHECK(code_count > count);
	for (size_t i = 0; i < count; i++) {
		sum = rows[i].counts.samples;
		for (size_t j = 0; j < code_count; j++)
			sum -= codes[j].site == rows[i].site ? codes[j].counts.samples : 0;
		CHECK_INT(sum, 0);
	}
	free(codes);
	free(rows);
	both_close(&b);
}

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
static void check_geometry(const struct sites_bars *bars)
{
	uint64_t row_0 = 0;

	for (size_t i = 0; i < bars->count; i++) {
		const struct sites_bar *bar = &bars->bars[i];
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
static void test_bars(void)
{
	static const char *const files[] = {"json-small.ctf", "viewer-test_trace.ctf"};

	for (size_t f = 0; f < 2; f++) {
		struct both b;
		struct sites_bars bars;
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
		sites_bars_fini(&bars);
		/* Fewer and wider ones. */
		options.most = 10;
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		check_geometry(&bars);
		CHECK(bars.count >= 10 && bars.count < full);
		sites_bars_fini(&bars);
		options.most = 0;
		options.least = all / 10;
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		check_geometry(&bars);
		CHECK(bars.count > 0 && bars.count < full);
		for (size_t i = 0; i < bars.count; i++)
			CHECK(bars.bars[i].total >= options.least);
		sites_bars_fini(&bars);
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
static void test_inverted(void)
{
	struct both b;
	struct sites_bars bars;
	struct sites_filter filter = {.function = "parse"};
	struct sites_bars_options options = {.invert = true, .filter = &filter};

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
	sites_bars_fini(&bars);
	both_close(&b);
}

/* Going down: what lies below a bar is as if it were all. */
static void test_drill_down(void)
{
	struct both b;
	struct sites_bars bars, below;

	both_open(&b, "json-small.ctf", NULL);
	both_read(&b, UINT64_MAX);
	for (int invert = 0; invert < 2; invert++) {
		struct sites_bars_options options = {.invert = invert};
		CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
		/* The widest bar of row 2. */
		size_t at = 0;
		while (bars.bars[at].depth != 2)
			at++;
		uint32_t path[3];
		for (size_t i = at, row = 3; row-- > 0; i = bars.bars[i].parent)
			path[row] = bars.bars[i].function;
		options.path = path;
		options.path_depth = 3;
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
		sites_bars_fini(&below);
		path[2] = SITES_OTHER;
		CHECK_INT(sites_bars(b.sites, &options, &below), RTEV_OK);
		CHECK(below.count == 0 && below.total == 0);
		sites_bars_fini(&below);
		sites_bars_fini(&bars);
	}
	both_close(&b);
}

/* Growth since a mark, with what went and what came kept apart. */
static void test_mark(void)
{
	struct both b;
	struct sites_totals totals;
	struct sites_bars bars;
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
	sites_bars_fini(&bars);
	options.weight = SITES_WEIGHT_GROWTH;
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	const struct sites_tree *tree = sites_tree(b.sites);
	for (size_t i = 0; i < tree->leaf_count; i++) {
		const struct sites_counts *c = &tree->leaves[i].counts;
		grown += c->live > c->live_at_mark ? c->live - c->live_at_mark : 0;
	}
	CHECK_INT(bars.total, grown);
	sites_bars_fini(&bars);
	options.weight = SITES_WEIGHT_LIVE;
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	CHECK_INT(bars.total, totals.counts.live);
	sites_bars_fini(&bars);
	options.weight = SITES_WEIGHT_PROMOTED;
	CHECK_INT(sites_bars(b.sites, &options, &bars), RTEV_OK);
	CHECK_INT(bars.total, totals.counts.promoted);
	sites_bars_fini(&bars);
	both_close(&b);
}

/* A window of time: allocations outside are as if they had not been. */
static void test_window(void)
{
	struct sites_options options = {.from = 5000, .to = 60000};
	struct both b;
	struct sites_totals totals;
	struct sites_counts expected = {0};
	struct paths paths;
	struct sites_bars bars;
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
	sites_bars_fini(&bars);
	both_close(&b);
}

/* A small tree loses callers, but no site, code or domain. */
static void test_pruned(void)
{
	struct sites_options options = {.limit = 600};
	struct both small, large;
	struct sites_totals totals;
	struct sites_row *a, *b;
	size_t a_count, b_count;

	both_open(&small, "multidomain.ctf", &options);
	both_open(&large, "multidomain.ctf", NULL);
	both_read(&small, UINT64_MAX);
	both_read(&large, UINT64_MAX);
	sites_totals(small.sites, &totals);
	CHECK(totals.pruned && totals.nodes <= 700 && totals.leaves <= 700);
	check_table(&small, NULL);
	for (int by = 0; by < 2; by++) {
		for (uint16_t domain = 0; domain < 3; domain++) {
			struct sites_filter filter = {.one_domain = true, .domain = domain};
			CHECK_INT(sites_table(small.sites, &filter, (enum sites_by)by, SITES_ORDER_SAMPLES,
				      &a, &a_count),
			    RTEV_OK);
			CHECK_INT(sites_table(large.sites, &filter, (enum sites_by)by, SITES_ORDER_SAMPLES,
				      &b, &b_count),
			    RTEV_OK);
			CHECK_INT(a_count, b_count);
			for (size_t i = 0; i < a_count; i++) {
				size_t j = 0;
				while (j < b_count && (a[i].site != b[j].site || a[i].code != b[j].code))
					j++;
				CHECK(j < b_count);
				check_counts(&a[i].counts, &b[j].counts);
			}
			free(a);
			free(b);
		}
	}
	both_close(&small);
	both_close(&large);
}

/* Made-up traces. */
static size_t locate_none(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	static struct rtev_memtrace_location one;
	static char name[32];

	(void)ctx;
	(void)index;
	snprintf(name, sizeof(name), "f%" PRId64, code % 100);
	one = (struct rtev_memtrace_location){"made.ml", name, (int32_t)code, 0, 0};
	*out = &one;
	return 1;
}

/* A long trace with few objects alive at a time and ever new paths takes bounded memory. */
static void test_bounded(void)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_info info = {.sample_rate = 1e-3, .word_size = 64, .pid = 1};
	struct rtev_memtrace_writer_options woptions = {.size = sizeof(woptions), .locate = locate_none};
	struct rtev_memtrace_writer *writer;
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct sites_options options = {.limit = 20000};
	struct sites *sites;
	struct sites_totals totals;
	uint64_t random = 11, samples = 0, peak = 0;
	int64_t trace[40], ids[500] = {0};
	enum { EVENTS = 200000 };

	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, &woptions), RTEV_OK);
	for (int i = 0; i < EVENTS; i++) {
		for (int j = 0; j < 40; j++)
			trace[j] = (int64_t)(next_random(&random) % 400);
		struct rtev_memtrace_alloc alloc = {.length = 2,
		    .samples = 1 + (int64_t)(next_random(&random) % 3),
		    .backtrace = trace,
		    .depth = 40};
		samples += (uint64_t)alloc.samples;
		if (i >= 500)
			CHECK_INT(rtev_memtrace_put_collect(writer, i, ids[i % 500]), RTEV_OK);
		CHECK_INT(rtev_memtrace_put_alloc(writer, i, &alloc, &ids[i % 500]), RTEV_OK);
	}
	for (int i = 0; i < 500; i++)
		CHECK_INT(rtev_memtrace_put_collect(writer, EVENTS, ids[i]), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);

	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	CHECK_INT(sites_create(&sites, rtev_memtrace_info(reader), &options), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
		CHECK_INT(sites_event(sites, reader, event), RTEV_OK);
		sites_totals(sites, &totals);
		peak = totals.nodes > peak ? totals.nodes : peak;
		CHECK(totals.live_objects <= 500);
	}
	CHECK(totals.pruned && peak <= 20041);
	CHECK_INT(totals.counts.samples, samples);
	CHECK_INT(totals.counts.live, 0);
	CHECK_INT(totals.counts.collected, samples);
	CHECK_INT(totals.live_objects, 0);
	CHECK_NEAR(totals.counts.life / (double)samples, 500e-6, 2e-6);
	sites_destroy(sites);
	rtev_memtrace_close(reader);
	bytes_free(&out);
}

int main(void)
{
	RUN(test_table);
	RUN(test_orders);
	RUN(test_bars);
	RUN(test_inverted);
	RUN(test_drill_down);
	RUN(test_mark);
	RUN(test_window);
	RUN(test_pruned);
	RUN(test_bounded);
	return 0;
}
