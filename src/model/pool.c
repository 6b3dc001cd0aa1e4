/* pool.c - hand out parts of blocks that double in size up to a huge page. */
#include "model/pool.h"

#include <sys/mman.h>

enum { LINE = 64 };

/* Header of each block. */
struct pool_block {
	struct pool_block *before;
	size_t size;
};

/* Map a block, a huge one at a multiple of its size.  NULL when memory ran out. */
static void *block_map(size_t size)
{
	size_t more = size == POOL_HUGE ? size : 0;
	char *base = mmap(NULL, size + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	if (more == 0)
		return base;
	size_t skip = (size_t)(-(uintptr_t)base & (POOL_HUGE - 1));
	if (skip > 0)
		munmap(base, skip);
	if (more - skip > 0)
		munmap(base + skip + size, more - skip);
	/* best effort: without huge pages it is only slower */
	(void)madvise(base + skip, size, MADV_HUGEPAGE);
	return base + skip;
}

/* Begin another block.  False when memory ran out. */
static bool pool_grow(struct pool *p)
{
	size_t size = p->size == 0 ? POOL_FIRST : p->size < POOL_HUGE / 8 ? p->size * 8 : POOL_HUGE;
	struct pool_block *block = block_map(size);

	if (block == NULL)
		return false;
	*block = (struct pool_block){.before = p->blocks, .size = size};
	p->blocks = block;
	p->next = (char *)block + LINE;
	p->left = size - LINE;
	p->size = size;
	return true;
}

void *pool_take(struct pool *p, size_t bytes)
{
	size_t align = bytes >= LINE ? LINE : _Alignof(max_align_t);

	/* an odd number of lines: equal sizes then spread over all sets of a cache */
	if (bytes >= LINE)
		bytes = ((bytes + LINE - 1) / LINE | 1) * LINE;

	for (;;) {
		size_t skip = (size_t)(-(uintptr_t)p->next & (align - 1));
		if (p->left >= skip + bytes) {
			char *taken = p->next + skip;
			p->next = taken + bytes;
			p->left -= skip + bytes;
			return taken;
		}
		if (!pool_grow(p))
			return NULL;
	}
}

void pool_fini(struct pool *p)
{
	struct pool_block *before;

	for (struct pool_block *block = p->blocks; block != NULL; block = before) {
		before = block->before;
		munmap(block, block->size);
	}
	*p = (struct pool){0};
}
