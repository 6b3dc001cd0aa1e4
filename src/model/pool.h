/*
 * pool.h - memory for many small objects that live as long as their owner.
 *
 * The memory comes from blocks, the first of them small.  From POOL_HUGE on a block is one huge page if the
 * system has them: thousands of user events then cause neither thousands of page faults nor misses of the
 * TLB.
 */
#pragma once

#include "core/std.h"

#define POOL_FIRST ((size_t)64 << 10) /* size of the first block */
#define POOL_HUGE ((size_t)2 << 20)   /* largest block */

struct pool_block;

/* A zeroed struct is an empty pool. */
struct pool {
	struct pool_block *blocks;
	char *next;
	size_t left; /* in the block that `next` points into */
	size_t size; /* size of that block */
};

/* Take zeroed memory, less than a quarter of POOL_FIRST, aligned to a line of the cache if it is that large.
 * NULL when memory ran out. */
void *pool_take(struct pool *p, size_t bytes);

/* Return all memory to the system. */
void pool_fini(struct pool *p);
