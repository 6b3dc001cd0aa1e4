/*
 * test_pool.c - memory that comes from blocks: zeroed, aligned, nothing twice, over all sizes of blocks.
 */
#include "model/pool.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/test.h"

enum { THINGS = 12000 };

/* Bytes of thing i, from those of one word to those near the limit. */
static size_t size_of(unsigned i)
{
	return i % 100 == 0 ? POOL_FIRST / 4 - 1 : 1 + i % 700;
}

TEST(what_is_taken_is_its_own)
{
	static unsigned char *things[THINGS];
	struct pool p = {0};

	for (unsigned i = 0; i < THINGS; i++) {
		things[i] = pool_take(&p, size_of(i));
		CHECK(things[i] != NULL);
		CHECK_INT((uintptr_t)things[i] % (size_of(i) < 64 ? 16 : 64), 0);
		for (size_t b = 0; b < size_of(i); b++)
			CHECK_INT(things[i][b], 0);
		memset(things[i], (int)(i % 255) + 1, size_of(i));
	}
	CHECK_INT(p.size, POOL_HUGE);
	for (unsigned i = 0; i < THINGS; i++)
		for (size_t b = 0; b < size_of(i); b++)
			CHECK_INT(things[i][b], i % 255 + 1);
	pool_fini(&p);
	CHECK(p.blocks == NULL);
	pool_fini(&p);
}

/* Lines of things that follow each other are not all in a few sets of the cache. */
TEST(things_of_one_size_share_the_cache)
{
	struct pool p = {0};
	unsigned used = 0;
	bool sets[64] = {0};

	for (unsigned i = 0; i < 256; i++)
		sets[(uintptr_t)pool_take(&p, 512) / 64 % 64] = true;
	for (unsigned i = 0; i < 64; i++)
		used += sets[i] ? 1 : 0;
	CHECK_INT(used, 64);
	pool_fini(&p);
}
