/*
 * test_memtrace_sites.c - tables of allocation sites, against figures worked out in the simplest way; and
 * their bounds.
 */
#include <malloc.h>
#include <string.h>

#include "sites/sites.h"
#include "support/test.h"
#include "support/sites_oracle.h"

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
TEST(test_table)
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
TEST(test_orders)
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

/* A small tree loses callers, but no site, code or domain. */
TEST(test_pruned)
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

	snprintf(name, sizeof(name), "f%" PRId64, code % 100);
	one = (struct rtev_memtrace_location){"made.ml", name, (int32_t)code, 0, 0};
	*out = &one;
	return 1;
}

/* A long trace with few objects alive at a time and ever new paths takes bounded memory. */
TEST(test_bounded)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_info info = {
	    .size = sizeof(info), .sample_rate = 1e-3, .word_size = 64, .pid = 1};
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
		struct rtev_memtrace_alloc alloc = {.size = sizeof(alloc),
		    .length = 2,
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
	CHECK_NEAR(totals.counts.life / (double)samples, 500, 2);
	sites_destroy(sites);
	rtev_memtrace_close(reader);
	bytes_free(&out);
}

/* Backtraces of a deep recursion, deeper than what pruning keeps, lose their callers and take nobody else's;
 * nor does each of them walk through the whole tree. */
TEST(test_deep)
{
	enum { EVENTS = 2000, DEPTH = 100000, LIMIT = 20000 };
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_info info = {
	    .size = sizeof(info), .sample_rate = 1e-3, .word_size = 64, .pid = 1};
	struct rtev_memtrace_writer_options woptions = {.size = sizeof(woptions), .locate = locate_none};
	struct rtev_memtrace_writer *writer;
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct sites_options options = {.limit = LIMIT};
	struct sites *sites;
	struct sites_totals totals;
	struct sites_row *rows;
	size_t count;
	int64_t *trace = calloc(DEPTH, sizeof(*trace));

	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, &woptions), RTEV_OK);
	for (int i = 0; i < DEPTH; i++)
		trace[i] = i < 3 ? i + 1 : 7;
	for (int i = 0; i < EVENTS; i++) {
		size_t depth = i == 0 ? 3 : DEPTH - (size_t)i;
		struct rtev_memtrace_alloc alloc = {
		    .size = sizeof(alloc), .length = 2, .samples = 1, .backtrace = trace, .depth = depth};
		CHECK_INT(rtev_memtrace_put_alloc(writer, i, &alloc, NULL), RTEV_OK);
	}
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);

	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	CHECK_INT(sites_create(&sites, rtev_memtrace_info(reader), &options), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK)
		CHECK_INT(sites_event(sites, reader, event), RTEV_OK);
	sites_totals(sites, &totals);
	CHECK_INT(totals.counts.samples, EVENTS);
	CHECK(totals.pruned);
	/* The root, the domain, the three callers of the first, and what stands for the rest: never more. */
	CHECK_INT(totals.nodes, 7);
	CHECK_INT(totals.leaves, 2);
	CHECK_INT(sites_table(sites, NULL, SITES_BY_FUNCTION, SITES_ORDER_SAMPLES, &rows, &count), RTEV_OK);
	CHECK_INT(count, 2);
	CHECK_INT(rows[0].counts.samples, EVENTS - 1);
	free(rows);
	sites_destroy(sites);
	rtev_memtrace_close(reader);
	bytes_free(&out);
	free(trace);
}

/* The rows of a table. */
struct rows {
	struct sites_row *rows;
	size_t count;
};

static struct rows rows_of(const struct sites *sites, const struct sites_filter *filter, enum sites_by by)
{
	struct rows r;

	CHECK_INT(sites_table(sites, filter, by, SITES_ORDER_SAMPLES, &r.rows, &r.count), RTEV_OK);
	return r;
}

/* Compare tables of two models, row by row. */
static void check_same(
    const struct sites *a, const struct sites *b, const struct sites_filter *filter, enum sites_by by)
{
	struct rows ra = rows_of(a, filter, by), rb = rows_of(b, filter, by);
	const struct sites_names *na = sites_names(a), *nb = sites_names(b);

	CHECK_INT(ra.count, rb.count);
	for (size_t i = 0; i < ra.count; i++) {
		const struct sites_function *fa = &na->functions[ra.rows[i].site];
		const struct sites_function *fb = &nb->functions[rb.rows[i].site];
		CHECK(fa->name == fb->name && fa->code == fb->code);
		CHECK((ra.rows[i].code == SITES_NONE) == (rb.rows[i].code == SITES_NONE));
		CHECK(ra.rows[i].code == SITES_NONE ||
		      na->codes[ra.rows[i].code].code == nb->codes[rb.rows[i].code].code);
		check_counts(&ra.rows[i].counts, &rb.rows[i].counts);
	}
	free(ra.rows);
	free(rb.rows);
}

/* Without callers all that is known of sites, codes and domains is the same, in memory that they alone
 * bound. */
TEST(test_no_callers)
{
	for (size_t i = 0; i < memtrace_sample_count; i++) {
		struct bytes file = sample_file(&memtrace_samples[i]);
		struct rtev_memtrace_reader *reader;
		const struct rtev_memtrace_event *event;
		const struct sites_options options = {.no_callers = true, .limit = 1};
		struct sites *sites, *bare;
		struct sites_totals totals, same;

		CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
		CHECK_INT(sites_create(&sites, rtev_memtrace_info(reader), NULL), RTEV_OK);
		CHECK_INT(sites_create(&bare, rtev_memtrace_info(reader), &options), RTEV_OK);
		while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
			CHECK_INT(sites_event(sites, reader, event), RTEV_OK);
			CHECK_INT(sites_event(bare, reader, event), RTEV_OK);
		}
		sites_totals(sites, &totals);
		sites_totals(bare, &same);
		check_counts(&totals.counts, &same.counts);
		CHECK_INT(totals.live_objects, same.live_objects);
		CHECK(!same.pruned);
		struct sites_filter domain = {.one_domain = true, .domain = 1};
		check_same(sites, bare, NULL, SITES_BY_FUNCTION);
		check_same(sites, bare, NULL, SITES_BY_CODE);
		check_same(sites, bare, &domain, SITES_BY_CODE);
		/* A node for each site of a domain, and a leaf for each of its codes. */
		struct rows codes = rows_of(bare, NULL, SITES_BY_CODE);
		CHECK(same.leaves <= codes.count * 3 && same.nodes <= (codes.count + 3) * 3);
		free(codes.rows);
		sites_destroy(sites);
		sites_destroy(bare);
		rtev_memtrace_close(reader);
		bytes_free(&file);
	}
}

/* Which of a trace's objects are promoted, and which collected, by another domain than their own; all of it
 * may be read before their allocation. */
struct stranger {
	int64_t id, born, died; /* died: -1 */
	bool promoted;
};

enum { STRANGERS = 2000, LATER = 600 };

/* Write a trace of two domains, whose packets come in the wrong order: what becomes of an object of domain 1
 * is in a packet of domain 0 that is written first. */
static void put_strangers(struct bytes *out, struct stranger objects[STRANGERS])
{
	struct rtev_memtrace_sink sink = bytes_sink(out);
	struct rtev_memtrace_info info = {
	    .size = sizeof(info), .sample_rate = 1e-3, .word_size = 64, .pid = 1};
	struct rtev_memtrace_writer_options options = {
	    .size = sizeof(options), .locate = locate_none, .ids_per_chunk = 100000};
	struct rtev_memtrace_writer *own, *other;
	uint64_t random = 5;
	int64_t trace[1] = {7};
	static bool late[STRANGERS];

	/* The domain that tells of promotions needs the greater ids. */
	CHECK_INT(rtev_memtrace_writer_create(&own, &sink, &info, &options), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_for_domain(&other, own, 1), RTEV_OK);
	for (size_t i = 0; i < STRANGERS; i++) {
		struct rtev_memtrace_alloc alloc = {
		    .size = sizeof(alloc), .length = 1, .samples = 1, .backtrace = trace, .depth = 1};
		objects[i] = (struct stranger){.born = (int64_t)i, .died = -1};
		CHECK_INT(rtev_memtrace_put_alloc(own, (int64_t)i, &alloc, &objects[i].id), RTEV_OK);
		uint64_t fate = next_random(&random) % 4;
		objects[i].promoted = fate != 0;
		if (objects[i].promoted)
			CHECK_INT(rtev_memtrace_put_promote(other, (int64_t)i + 10, objects[i].id), RTEV_OK);
		/* Some die at once, some later. */
		late[i] = fate == 3;
		size_t dead = fate == 2 ? i : i >= LATER && late[i - LATER] ? i - LATER : SIZE_MAX;
		if (dead != SIZE_MAX) {
			objects[dead].died = (int64_t)i + 10;
			CHECK_INT(
			    rtev_memtrace_put_collect(other, objects[dead].died, objects[dead].id), RTEV_OK);
		}
		if (i % 7 == 0)
			CHECK_INT(rtev_memtrace_writer_flush(other), RTEV_OK);
		if (i % 500 == 499)
			CHECK_INT(rtev_memtrace_writer_flush(own), RTEV_OK);
	}
	CHECK_INT(rtev_memtrace_writer_flush(other), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(own), RTEV_OK);
	rtev_memtrace_writer_destroy(other);
	rtev_memtrace_writer_destroy(own);
}

/* Objects whose end is read before their beginning, with and without a time window, and with a mark among
 * them. */
TEST(test_fate_before_allocation)
{
	enum { MARK = 2000 };
	static struct stranger objects[STRANGERS];
	static int at_mark[STRANGERS]; /* 1: allocated, 2: collected */
	struct bytes out = {0};

	put_strangers(&out, objects);
	for (int round = 0; round < 3; round++) {
		struct sites_options options = {.from = 0, .to = round == 1 ? 1000 : 0};
		struct rtev_memtrace_reader *reader;
		const struct rtev_memtrace_event *event;
		struct sites_counts expected = {0};
		struct sites_totals totals;
		struct sites *sites;
		uint64_t events = 0;

		CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
		CHECK_INT(sites_create(&sites, rtev_memtrace_info(reader), &options), RTEV_OK);
		while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
			CHECK_INT(sites_event(sites, reader, event), RTEV_OK);
			if (round != 2 || ++events > MARK)
				continue;
			if (event->kind == RTEV_MEMTRACE_ALLOC)
				at_mark[event->object - objects[0].id] |= 1;
			if (event->kind == RTEV_MEMTRACE_COLLECT)
				at_mark[event->object - objects[0].id] |= 2;
			if (events == MARK)
				sites_mark(sites);
		}
		for (int i = 0; i < STRANGERS; i++) {
			struct block block = {.born = objects[i].born,
			    .died = objects[i].died,
			    .samples = 1,
			    .minor = true,
			    .promoted = objects[i].promoted};
			if (round != 1 || block.born <= 1000)
				add_block(&expected, &block);
		}
		sites_totals(sites, &totals);
		check_counts(&totals.counts, &expected);
		CHECK_INT(totals.live_objects, expected.live);
		if (round == 2) {
			uint64_t alive = 0, gone = 0;
			for (int i = 0; i < STRANGERS; i++) {
				alive += at_mark[i] == 1;
				gone += at_mark[i] == 1 && objects[i].died >= 0;
			}
			CHECK(alive > 0 && gone > 0);
			CHECK_INT(totals.counts.live_at_mark, alive);
			CHECK_INT(totals.counts.gone_since_mark, gone);
		}
		sites_destroy(sites);
		rtev_memtrace_close(reader);
	}
	bytes_free(&out);
}

/* A trace may tell of ever more objects that it never allocates: that does not cost ever more memory. */
TEST(test_fate_of_none)
{
	struct sites *sites;
	struct sites_totals totals;
	const struct rtev_memtrace_info info = {.size = sizeof(info), .sample_rate = 1e-3, .word_size = 64};
	struct rtev_memtrace_event event = {.size = sizeof(event), .kind = RTEV_MEMTRACE_COLLECT};
	struct mallinfo2 before = mallinfo2();

	CHECK_INT(sites_create(&sites, &info, NULL), RTEV_OK);
	for (event.object = 0; event.object < 5000000; event.object++)
		CHECK_INT(sites_event(sites, NULL, &event), RTEV_OK);
	sites_totals(sites, &totals);
	CHECK_INT(totals.live_objects, 0);
	struct mallinfo2 after = mallinfo2();
	CHECK(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd < (size_t)80 << 20);
	sites_destroy(sites);
}
