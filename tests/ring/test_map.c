/*
 * test_map.c - the metadata header: which numbers are taken, which are refused and how, and what a file's
 * size makes of them.
 */
#include "ring/cursor_state.h"
#include "support/test.h"

/* A header as 5.3 writes it by default, and the size of its file. */
static const struct ring_metadata standard = {.version = 1,
    .max_domains = 128,
    .ring_header_bytes = 80,
    .ring_bytes = 524288,
    .ring_words = 65536,
    .headers_offset = 64,
    .data_offset = 10304,
    .names_offset = 67119168};
enum { STANDARD_SIZE = 68167744, SIZE_5_0 = 67119168 };

/* Judge a header, which is all that is touched of a file. */
static int judge(struct ring_geometry *g, const struct ring_metadata *m, size_t size)
{
	return ring_geometry_read(g, (const unsigned char *)m, size);
}

/* Judge the standard header with one number changed. */
static int judge_with(size_t word, uint64_t value)
{
	union {
		struct ring_metadata m;
		uint64_t words[8];
	} u = {.m = standard};
	struct ring_geometry g;

	u.words[word] = value;
	return judge(&g, &u.m, STANDARD_SIZE);
}

/* The files of all releases as they are by default. */
TEST(default_files)
{
	struct ring_metadata m = standard;
	struct ring_geometry g;

	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_OK);
	CHECK_INT(g.version, 1);
	CHECK_INT(g.rings, 128);
	CHECK_INT(g.max_domains, 128);
	CHECK_INT(g.ring_words, 65536);
	CHECK_INT(g.header_bytes, 80);
	CHECK_INT(g.headers_offset, 64);
	CHECK_INT(g.data_offset, 10304);
	CHECK_INT(g.names_offset, 67119168);
	CHECK(!g.layout_5_0);
	/* 5.0 never writes the last word. */
	m.names_offset = 0;
	CHECK_INT(judge(&g, &m, SIZE_5_0), RTEV_OK);
	CHECK_INT(g.names_offset, 0);
	CHECK(g.layout_5_0);
	/* 5.0 over a file of 5.3, which it cuts to its own size and whose word it leaves. */
	m.names_offset = 67119168;
	CHECK_INT(judge(&g, &m, SIZE_5_0), RTEV_OK);
	CHECK_INT(g.names_offset, 0);
	CHECK(g.layout_5_0);
	/* OxCaml with performance counters. */
	m.version = 2;
	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_OK);
	CHECK_INT(g.version, 2);
}

/* Numbers that a creating process has not stored yet. */
TEST(not_ready)
{
	struct ring_geometry g;

	CHECK_INT(judge(&g, &standard, 0), RTEV_E_NOT_READY);
	for (size_t word = 0; word < 7; word++)
		CHECK_INT(judge_with(word, 0), RTEV_E_NOT_READY);
	CHECK_INT(judge_with(7, 0), RTEV_OK);
}

/* Files too small for a header. */
TEST(too_small)
{
	struct ring_geometry g;

	for (size_t size = 1; size < 64; size++)
		CHECK_INT(judge(&g, &standard, size), RTEV_E_FORMAT);
	CHECK_INT(judge(&g, &standard, 64), RTEV_E_TRUNCATED);
}

/* Each number's range, and a little beyond on both sides. */
TEST(ranges)
{
	static const struct {
		size_t word;
		uint64_t value;
		int status;
	} cases[] = {{0, 3, RTEV_E_FORMAT}, {0, 99, RTEV_E_FORMAT}, {0, UINT64_MAX, RTEV_E_FORMAT},
	    {1, 1, RTEV_OK}, {1, 127, RTEV_OK}, {1, 129, RTEV_E_FORMAT}, {1, 4096, RTEV_E_FORMAT},
	    {1, 4097, RTEV_E_FORMAT}, {1, UINT64_MAX, RTEV_E_FORMAT}, {1, UINT64_C(1) << 32, RTEV_E_FORMAT},
	    {2, 8, RTEV_E_FORMAT}, {2, 16, RTEV_OK}, {2, 24, RTEV_OK}, {2, 79, RTEV_E_FORMAT},
	    {2, 84, RTEV_E_FORMAT}, {2, 88, RTEV_E_FORMAT}, {2, 4104, RTEV_E_FORMAT},
	    {2, UINT64_MAX - 7, RTEV_E_FORMAT}, {3, 524280, RTEV_E_FORMAT}, {3, 8, RTEV_E_FORMAT},
	    {3, UINT64_MAX, RTEV_E_FORMAT}, {4, 65535, RTEV_E_FORMAT}, {4, 1, RTEV_E_FORMAT},
	    {4, UINT64_C(1) << 61, RTEV_E_FORMAT}, {4, UINT64_C(1) << 63, RTEV_E_FORMAT},
	    {4, UINT64_MAX, RTEV_E_FORMAT}, {5, 8, RTEV_E_FORMAT}, {5, 55, RTEV_E_FORMAT}, {5, 56, RTEV_OK},
	    {5, 60, RTEV_E_FORMAT}, {5, 72, RTEV_E_FORMAT}, {5, STANDARD_SIZE, RTEV_E_FORMAT},
	    {5, STANDARD_SIZE + 8, RTEV_E_FORMAT}, {5, UINT64_MAX - 7, RTEV_E_FORMAT},
	    {5, UINT64_MAX, RTEV_E_FORMAT}, {6, 10296, RTEV_E_FORMAT}, {6, 10300, RTEV_E_FORMAT},
	    {6, 10312, RTEV_OK}, {6, 1 << 20, RTEV_OK}, {6, STANDARD_SIZE - 8, RTEV_E_TRUNCATED},
	    {6, STANDARD_SIZE, RTEV_E_TRUNCATED}, {6, UINT64_MAX - 7, RTEV_E_TRUNCATED},
	    {6, UINT64_MAX, RTEV_E_FORMAT}, {7, 1, RTEV_OK}, {7, UINT64_MAX, RTEV_OK},
	    {7, UINT64_MAX - 7, RTEV_OK}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int status = judge_with(cases[i].word, cases[i].value);
		if (status != cases[i].status)
			TEST_FAIL("word %zu as %" PRIu64 ": %d, expected %d", cases[i].word, cases[i].value,
			    status, cases[i].status);
	}
}

/* Every size of ring that is a power of two. */
TEST(ring_sizes)
{
	for (unsigned log2 = 0; log2 < 61; log2++) {
		struct ring_metadata m = standard;
		struct ring_geometry g;
		m.ring_words = UINT64_C(1) << log2;
		m.ring_bytes = m.ring_words * 8;
		m.max_domains = 1;
		m.data_offset = 144;
		int status = judge(&g, &m, SIZE_MAX / 2);
		CHECK_INT(status, log2 <= 40 ? RTEV_OK : RTEV_E_FORMAT);
		if (status == RTEV_OK)
			CHECK_INT(g.ring_words, m.ring_words);
		if (log2 > 0) {
			m.ring_words--;
			m.ring_bytes = m.ring_words * 8;
			status = judge(&g, &m, SIZE_MAX / 2);
			CHECK_INT(status, log2 == 1 ? RTEV_OK : RTEV_E_FORMAT);
		}
	}
}

/* Sums and products that would wrap in 64 bits. */
TEST(overflow)
{
	struct ring_metadata m = standard;
	struct ring_geometry g;

	m.ring_words = UINT64_C(1) << 61;
	m.ring_bytes = 0;
	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_E_NOT_READY);
	m.ring_words = (UINT64_C(1) << 61) + 1;
	m.ring_bytes = 8;
	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_E_FORMAT);
	m = standard;
	m.max_domains = 4096;
	m.ring_header_bytes = 4096;
	m.headers_offset = UINT64_MAX - (UINT64_C(1) << 24) + 1;
	m.data_offset = 8;
	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_E_FORMAT);
	m = standard;
	m.names_offset = UINT64_MAX - NAMES_BYTES + 1;
	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_OK);
	CHECK_INT(g.names_offset, 0);
	m.ring_words = UINT64_C(1) << 40;
	m.ring_bytes = UINT64_C(1) << 43;
	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_E_TRUNCATED);
}

/* How many rings a cut file still holds; without all of them no names are looked for. */
TEST(cut_files)
{
	struct ring_geometry g;

	for (uint64_t rings = 0; rings <= 128; rings++) {
		size_t size = 10304 + (size_t)rings * 524288;
		CHECK_INT(judge(&g, &standard, size), rings == 0 ? RTEV_E_TRUNCATED : RTEV_OK);
		if (rings != 0) {
			CHECK_INT(g.rings, rings);
			CHECK_INT(g.max_domains, 128);
			CHECK_INT(g.names_offset, 0);
			CHECK_INT(g.layout_5_0, rings == 128);
		}
		if (rings < 128)
			CHECK_INT(
			    judge(&g, &standard, size + 524287), rings == 0 ? RTEV_E_TRUNCATED : RTEV_OK);
		if (rings != 0 && rings < 128)
			CHECK_INT(g.rings, rings);
	}
	CHECK_INT(judge(&g, &standard, STANDARD_SIZE - 1), RTEV_OK);
	CHECK_INT(g.names_offset, 0);
	CHECK(!g.layout_5_0);
	CHECK_INT(judge(&g, &standard, STANDARD_SIZE + 1), RTEV_OK);
	CHECK_INT(g.names_offset, 67119168);
}

/* Where the names may be: behind the rings, aligned, and wholly inside. */
TEST(names_places)
{
	static const struct {
		uint64_t offset;
		bool taken;
	} cases[] = {{67119160, false}, {67119164, false}, {67119168, true}, {67119169, false},
	    {67119172, false}, {67119176, true}, {67119168 + 4096, true}, {67119168 + 4104, false},
	    {64, false}, {8, false}};
	struct ring_metadata m = standard;
	struct ring_geometry g;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		m.names_offset = cases[i].offset;
		CHECK_INT(judge(&g, &m, STANDARD_SIZE + 4096), RTEV_OK);
		CHECK_INT(g.names_offset, cases[i].taken ? cases[i].offset : 0);
	}
	/* Where a ring header begins at that word, it holds no offset. */
	m = standard;
	m.headers_offset = 56;
	CHECK_INT(judge(&g, &m, STANDARD_SIZE), RTEV_OK);
	CHECK_INT(g.names_offset, 0);
	CHECK_INT(g.names_word, 0);
}

/* Two layouts are equal if all numbers are, that of the names aside. */
TEST(equality)
{
	struct ring_geometry a, b;
	struct ring_metadata m = standard;

	CHECK_INT(judge(&a, &m, STANDARD_SIZE), RTEV_OK);
	m.names_offset = 0;
	CHECK_INT(judge(&b, &m, STANDARD_SIZE), RTEV_OK);
	CHECK(ring_geometry_equal(&a, &b));
	m.version = 2;
	CHECK_INT(judge(&b, &m, STANDARD_SIZE), RTEV_OK);
	CHECK(!ring_geometry_equal(&a, &b));
	m = standard;
	m.max_domains = 127;
	CHECK_INT(judge(&b, &m, STANDARD_SIZE), RTEV_OK);
	CHECK(!ring_geometry_equal(&a, &b));
	m = standard;
	m.data_offset += 8;
	CHECK_INT(judge(&b, &m, STANDARD_SIZE + 4096), RTEV_OK);
	CHECK(!ring_geometry_equal(&a, &b));
	CHECK_INT(judge(&b, &standard, 10304 + 524288), RTEV_OK);
	CHECK(!ring_geometry_equal(&a, &b));
}
