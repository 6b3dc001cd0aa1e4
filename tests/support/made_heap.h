/*
 * made_heap.h - the heap of an OCaml 5.3 runtime in a made-up memory: one domain, a free pool, two large blocks, and
 * stacks.
 */
#pragma once

#include <errno.h>
#include <string.h>

#include "target/runtime.h"

/* Addresses in it. */
enum {
	MADE_BASE = 0x10000000,
	MADE_SIZE = 1 << 18,
	MADE_VARIABLES = MADE_BASE,
	MADE_PARAMS = MADE_BASE + 0x1000,
	MADE_FREELIST = MADE_BASE + 0x2000,
	MADE_TABLE = MADE_BASE + 0x3000,
	MADE_STATE = MADE_BASE + 0x4000,
	MADE_HEAP = MADE_BASE + 0x5000,
	MADE_CACHE = MADE_BASE + 0x6000,
	MADE_POOL = MADE_BASE + 0x8000,	  /* two of them, as far as they hold words */
	MADE_LARGE = MADE_BASE + 0x20000, /* of the domain, and of an ended one */
	MADE_STACK = MADE_BASE + 0x30000, /* of a fiber, its parent, and of an ended one */
	MADE_MINOR = 0x40000000,	  /* for four domains, nothing in it */
	MADE_MINOR_AREA = 0x200000,
	MADE_DOMAINS = 4,
	MADE_LARGE_WORDS = 1000,
	MADE_STACK_BYTES = 4096,
	MADE_POOL_WORDS = 3 * 4096, /* of pools in use: two of the domain, one of ended ones */
};

struct made_heap {
	struct memory_reader reader;
	struct runtime_symbols symbols;
	struct runtime *runtime;
	uint64_t words[MADE_SIZE / 8];
	unsigned reads;
};

/* The word at an address. */
static inline uint64_t *made_word(struct made_heap *made, uint64_t address)
{
	return &made->words[(address - MADE_BASE) / 8];
}

/* Put words one after another. */
#define MADE_PUT(made, address, ...)                                                                         \
	do {                                                                                                 \
		const uint64_t values[] = {__VA_ARGS__};                                                     \
		memcpy(made_word(made, address), values, sizeof(values));                                    \
	} while (0)

static inline int made_read(void *ctx, const struct variables_place *places, size_t count)
{
	struct made_heap *made = ctx;

	made->reads++;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = places[i].address - MADE_BASE;
		if (at > MADE_SIZE || places[i].size > MADE_SIZE - at)
			return EFAULT;
		memcpy(places[i].to, (const char *)made->words + at, places[i].size);
	}
	return 0;
}

/* Put the state of the domain, and what it points to. */
static inline void made_domain(struct made_heap *made, const struct runtime_layout *layout)
{
	const uint16_t *field = layout->field;

	*made_word(made, MADE_TABLE + layout->state_at) = MADE_STATE;
	*made_word(made, MADE_TABLE + layout->running_at) = 1;
	MADE_PUT(made, MADE_TABLE + layout->area_at, MADE_MINOR, MADE_MINOR + MADE_MINOR_AREA);
	*made_word(made, MADE_STATE + field[RUNTIME_YOUNG_START]) = MADE_MINOR;
	*made_word(made, MADE_STATE + field[RUNTIME_YOUNG_PTR]) = MADE_MINOR + 0x1000;
	*made_word(made, MADE_STATE + field[RUNTIME_YOUNG_END]) = MADE_MINOR + 0x100000;
	*made_word(made, MADE_STATE + field[RUNTIME_MINOR_HEAP_WSZ]) = 0x100000 / 8;
	*made_word(made, MADE_STATE + field[RUNTIME_SHARED_HEAP]) = MADE_HEAP;
	*made_word(made, MADE_STATE + field[RUNTIME_CURRENT_STACK]) = MADE_STACK;
	*made_word(made, MADE_STATE + field[RUNTIME_C_STACK] + 8) = MADE_CACHE;
	MADE_PUT(made, MADE_HEAP + 1024, MADE_LARGE, 0, 0, MADE_STATE, MADE_POOL_WORDS / 3 * 2,
	    MADE_POOL_WORDS, 0, 0, 0, MADE_LARGE_WORDS + 3, MADE_LARGE_WORDS + 3, 1);
	MADE_PUT(made, MADE_LARGE, MADE_STATE, 0, (uint64_t)MADE_LARGE_WORDS << 10);
	/* The running fiber's stack returns to the other. */
	for (unsigned i = 0; i < 3; i++) {
		uint64_t stack = MADE_STACK + i * 2 * MADE_STACK_BYTES,
			 handler = stack + MADE_STACK_BYTES - 32;
		MADE_PUT(made, stack, handler - 64, 0, handler);
		*made_word(made, handler + 24) = i == 0 ? stack + 2 * MADE_STACK_BYTES : 0;
	}
	*made_word(made, MADE_CACHE + 8) = MADE_STACK + 4 * MADE_STACK_BYTES;
}

/* Make it.  `runtime` is NULL when that fails. */
static inline void made_heap_begin(struct made_heap *made)
{
	static const enum runtime_variable variables[] = {RUNTIME_ALL_DOMAINS, RUNTIME_PARAMS,
	    RUNTIME_DOMAINS_RUNNING, RUNTIME_MAJOR_CYCLES, RUNTIME_MINOR_HEAPS_START,
	    RUNTIME_MINOR_HEAPS_END};
	struct version version = {.text = "5.3.0", .low = 3, .high = 3, .release = RTEV_RELEASE_5_3};
	struct runtime_layout layout;
	const char *why;

	memset(made, 0, sizeof(*made));
	made->reader = (struct memory_reader){made_read, made};
	for (unsigned i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		made->symbols.variable[variables[i]] = MADE_VARIABLES + 8 * i;
	made->symbols.variable[RUNTIME_POOL_FREELIST] = MADE_FREELIST;
	made->symbols.variable[RUNTIME_ORPHANED_ALLOC_STATS] = MADE_VARIABLES + 0x100;
	for (unsigned i = 0; i < RUNTIME_FIELD_COUNT; i++)
		made->symbols.field[i] = RUNTIME_NO_FIELD;
	MADE_PUT(made, MADE_VARIABLES, MADE_TABLE, MADE_PARAMS, 1, 7, MADE_MINOR,
	    MADE_MINOR + MADE_DOMAINS * MADE_MINOR_AREA);
	*made_word(made, MADE_PARAMS + RUNTIME_PARAMS_MAX_DOMAINS_AT) = MADE_DOMAINS;
	/* Two free pools, the statistics of ended domains, and a block of theirs. */
	MADE_PUT(
	    made, MADE_FREELIST + 40, MADE_POOL, MADE_POOL_WORDS / 3, 0, 0, 0, 0, MADE_LARGE_WORDS + 3, 0, 1);
	*made_word(made, MADE_FREELIST + 624) = MADE_LARGE + 0x8000;
	MADE_PUT(made, MADE_POOL, MADE_POOL + 0x8000, 0, 0);
	MADE_PUT(made, MADE_LARGE + 0x8000, 0x123450, 0, (uint64_t)MADE_LARGE_WORDS << 10);
	if (!runtime_layout_of(&version, &layout))
		return;
	made_domain(made, &layout);
	made->runtime = runtime_create_over(&made->reader, &made->symbols, &version, &why);
}
