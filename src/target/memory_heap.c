/*
 * memory_heap.c - follow the lists of the OCaml runtime (runtime/shared_heap.c, fiber.c) to the parts of its
 * heap.
 *
 * The program keeps running.  Each call reads one element of every list, and each element is checked to be
 * one of its list: a pool without owner, a block of the domain.  A list that changes during the walk leads to
 * an element that fails the check.
 */
#include "target/memory.h"

#include "core/array.h"
#include "core/order.h"
#include "core/sum.h"

/* Sizes and offsets, which are equal in OCaml 5.0 to 5.5. */
enum {
	POOL_BYTES = 32768,
	FREELIST_FREE_AT = 40, /* in pool_freelist: behind a mutex, before the counts of pools */
	FREELIST_LARGE_AT = 624,
	HEAP_LARGE_AT = 1024, /* in caml_heap_state: behind two lists, next_to_sweep, owner and statistics */
	CACHED_STACKS = 5,    /* number of lists of stacks of ended fibers */
	STACK_HEAD_BYTES = 56,
	HANDLER_BYTES = 32,
	PAGE = 4096,
	WORD = 8,
};
#define STEP_WORK 1500u /* cost of reading an element: a system call that reads another process */
#define STACK_MOST (UINT64_C(1) << 30)
#define ADDRESS_MOST (UINT64_C(1) << 56)

/* The words of caml_heap_state that are read. */
struct heap_words {
	uint64_t unswept_last[2]; /* swept_large, unswept_large */
	uint64_t sweep, owner;
	uint64_t pool_words, pool_rest[4];
	uint64_t large_words, large_most, large_blocks;
};

/* The type of a list's elements. */
enum list_kind { FREE_POOL, LARGE_BLOCK, CACHED_STACK, STACK, HANDLER };

struct list {
	uint64_t at; /* address of the next element; 0: the end */
	enum list_kind kind;
	uint64_t owner;	      /* owner of a large block; 0: an ended domain */
	uint64_t steps, mark; /* number of elements so far; the last element whose number is a power of two */
};

/* The words of an element that are read: struct pool, struct large_alloc with a header, struct stack_info, or
 * the end of struct stack_handler. */
enum { ELEMENT_WORDS = 3 };
typedef uint64_t element[ELEMENT_WORDS];

enum { LISTS_MAX = 2 + RUNTIME_DOMAINS_MAX * (2 + CACHED_STACKS + 1) };

struct walk {
	struct memory_reader memory;
	struct memory_heap *heap;
	struct runtime_sample sample;
	struct list lists[LISTS_MAX];
	size_t count;
	element elements[LISTS_MAX];
	struct variables_place places[LISTS_MAX];
	struct effort *effort;
	uint64_t large_blocks, found_blocks; /* number in the statistics, and number found in the lists */
};

bool memory_heap_add(struct memory_heap *heap, uint64_t start, uint64_t end, enum system_memory_part part)
{
	if (heap->count == MEMORY_RANGES_MAX ||
	    !array_room(&heap->ranges, &heap->room, heap->count + 1, sizeof(heap->ranges[0])))
		return false;
	heap->ranges[heap->count++] = (struct memory_range){start, end, part};
	return true;
}

void memory_heap_sort(struct memory_heap *heap)
{
	if (heap->count == 0)
		return;
	qsort(heap->ranges, heap->count, sizeof(heap->ranges[0]), order_by_number);
	for (size_t i = 1; i < heap->count; i++)
		if (heap->ranges[i - 1].end > heap->ranges[i].start)
			heap->ranges[i - 1].end = heap->ranges[i].start;
}

/* ---- lists ---- */

static int read_places(const struct walk *w, const struct variables_place *places, size_t count)
{
	int error = w->memory.read(w->memory.ctx, places, count);

	return error == EFAULT ? EAGAIN : error;
}

static bool is_place(uint64_t at)
{
	return at != 0 && at % WORD == 0 && at < ADDRESS_MOST;
}

static bool add_list(struct walk *w, uint64_t at, enum list_kind kind, uint64_t owner)
{
	if (at == 0)
		return true;
	if (!is_place(at) || w->count == LISTS_MAX)
		return false;
	w->lists[w->count++] = (struct list){.at = at, .kind = kind, .owner = owner};
	return true;
}

/* Add the range of an element and continue with the next.  Returns false if it is not an element of the
 * list. */
static bool take_element(struct walk *w, struct list *list, const element words)
{
	uint64_t at = list->at, end = at;

	switch (list->kind) {
	case FREE_POOL:
		if (at % PAGE != 0 || words[2] != 0)
			return false;
		list->at = words[0];
		return memory_heap_add(w->heap, at, at + POOL_BYTES, MEMORY_POOLS_FREE);
	case LARGE_BLOCK:
		/* The header contains the size in words.  The owner of the block must be the owner of the
		 * list. */
		end += WORD * (ELEMENT_WORDS + (words[2] >> 10));
		if ((list->owner != 0 && words[0] != list->owner) || end >= ADDRESS_MOST)
			return false;
		w->found_blocks++;
		list->at = words[1];
		return memory_heap_add(w->heap, at, end, MEMORY_LARGE);
	case CACHED_STACK:
	case STACK:
		end = words[2];
		if (!is_place(end) || end < at + STACK_HEAD_BYTES || end - at > STACK_MOST)
			return false;
		/* The last word of the handler is the stack to which this one returns. */
		list->at = list->kind == STACK ? end + HANDLER_BYTES - sizeof(element) : words[1];
		if (list->kind == STACK)
			list->kind = HANDLER;
		return memory_heap_add(w->heap, at, end + HANDLER_BYTES, MEMORY_STACKS);
	case HANDLER:
		list->kind = STACK;
		list->at = words[2];
		return true;
	}
	return false;
}

/* Whether a list has reached an element for the second time, and so never ends. */
static bool is_ring(struct list *list)
{
	if (list->at == list->mark)
		return true;
	list->steps++;
	if ((list->steps & (list->steps - 1)) == 0)
		list->mark = list->at;
	return false;
}

/* Follow all lists to their ends. */
static int follow(struct walk *w)
{
	while (w->count > 0) {
		size_t kept = 0;

		for (size_t i = 0; i < w->count; i++)
			w->places[i] =
			    (struct variables_place){w->lists[i].at, sizeof(w->elements[i]), w->elements[i]};
		if (!effort_spend(w->effort, STEP_WORK * w->count))
			return E2BIG;
		int error = read_places(w, w->places, w->count);
		if (error != 0)
			return error;
		for (size_t i = 0; i < w->count; i++) {
			struct list list = w->lists[i];
			if (!take_element(w, &list, w->elements[i]))
				return w->heap->count >= MEMORY_RANGES_MAX ? E2BIG : EAGAIN;
			if (list.at == 0)
				continue;
			if (!is_place(list.at) || is_ring(&list))
				return EAGAIN;
			w->lists[kept++] = list;
		}
		w->count = kept;
	}
	return 0;
}

/* ---- where they begin ---- */

/* Find the lists that one domain has. */
static int find_domain(struct walk *w, const struct runtime_layout *layout, uint64_t state)
{
	uint64_t shared, stack, cache, cached[CACHED_STACKS];
	struct heap_words words;
	/* The cache of stacks follows c_stack in all releases. */
	const struct variables_place fields[] = {
	    {state + layout->field[RUNTIME_SHARED_HEAP], sizeof(shared), &shared},
	    {state + layout->field[RUNTIME_CURRENT_STACK], sizeof(stack), &stack},
	    {state + layout->field[RUNTIME_C_STACK] + WORD, sizeof(cache), &cache}};
	int error = read_places(w, fields, sizeof(fields) / sizeof(fields[0]));

	if (error != 0)
		return error;
	if (!is_place(shared) || !is_place(cache))
		return EAGAIN;
	const struct variables_place heads[] = {
	    {shared + HEAP_LARGE_AT, sizeof(words), &words}, {cache, sizeof(cached), cached}};
	error = read_places(w, heads, sizeof(heads) / sizeof(heads[0]));
	if (error != 0)
		return error;
	w->heap->pool_words = sum_saturating(w->heap->pool_words, words.pool_words);
	w->large_blocks = sum_saturating(w->large_blocks, words.large_blocks);
	bool good = add_list(w, stack, STACK, 0) && words.owner == state;
	for (unsigned i = 0; i < 2; i++)
		good = good && add_list(w, words.unswept_last[i], LARGE_BLOCK, state);
	for (unsigned i = 0; i < CACHED_STACKS; i++)
		good = good && add_list(w, cached[i], CACHED_STACK, 0);
	return good ? 0 : EAGAIN;
}

/* Add the minor heaps, in the order of the domains' numbers and of the addresses, and what lies between them. */
static bool add_minor_heaps(struct walk *w, uint64_t start, uint64_t end)
{
	struct memory_heap *heap = w->heap;
	bool good = start <= end;

	for (unsigned i = 0; i < w->sample.domain_count && good; i++) {
		const struct runtime_domain *d = &w->sample.domains[i];
		/* A domain has no minor heap while its size is being changed. */
		if (d->young_start < start || d->young_end < d->young_start || d->young_end > end)
			continue;
		good = memory_heap_add(heap, start, d->young_start, MEMORY_MINOR_RESERVE) &&
		       memory_heap_add(heap, d->young_start, d->young_end, MEMORY_MINOR);
		start = d->young_end;
	}
	return good && memory_heap_add(heap, start, end, MEMORY_MINOR_RESERVE);
}

/* Find all lists, and the parts that need none. */
static int find_lists(struct walk *w, struct runtime *runtime)
{
	uint64_t freelist = runtime_variable(runtime, RUNTIME_POOL_FREELIST), free_pools, large, start, end;
	uint64_t orphans[RUNTIME_HEAP_STATS_WORDS];
	const struct variables_place places[] = {
	    {runtime_variable(runtime, RUNTIME_MINOR_HEAPS_START), WORD, &start},
	    {runtime_variable(runtime, RUNTIME_MINOR_HEAPS_END), WORD, &end},
	    {freelist + FREELIST_FREE_AT, WORD, &free_pools},
	    {freelist + RUNTIME_ORPHAN_STATS_AT, sizeof(orphans), orphans},
	    {freelist + FREELIST_LARGE_AT, WORD, &large}};

	if (freelist == 0 || places[0].address == 0 || places[1].address == 0)
		return ENOENT;
	int error = read_places(w, places, sizeof(places) / sizeof(places[0]));
	if (error != 0)
		return error;
	if (!add_list(w, free_pools, FREE_POOL, 0) || !add_list(w, large, LARGE_BLOCK, 0) ||
	    !add_minor_heaps(w, start, end))
		return EAGAIN;
	w->heap->pool_words = orphans[0];
	w->large_blocks = orphans[RUNTIME_HEAP_STATS_WORDS - 1];
	for (unsigned i = 0; i < w->sample.domain_count && error == 0; i++)
		error = find_domain(w, runtime_layout(runtime), w->sample.domains[i].state);
	return error;
}

int memory_heap_walk(struct runtime *runtime, uint64_t now, struct effort *effort, struct memory_heap *heap)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return ENOMEM;
	w->memory = runtime_memory_unchecked(runtime);
	w->heap = heap;
	w->effort = effort;
	heap->count = 0;
	int error = runtime_sample(runtime, now, &w->sample);
	if (error == 0 && w->sample.heap_words == RUNTIME_UNKNOWN)
		error = ENOENT;
	if (error == 0 && w->sample.running > w->sample.domain_count)
		error = E2BIG;
	if (error == 0)
		error = find_lists(w, runtime);
	if (error == 0)
		error = follow(w);
	memory_heap_sort(heap);
	/* A sweep moves blocks between lists: some are then seen twice, or not at all. */
	uint64_t off = w->found_blocks > w->large_blocks ? w->found_blocks - w->large_blocks
							 : w->large_blocks - w->found_blocks;
	if (error == 0 && off > 16 + w->large_blocks / 16)
		error = EAGAIN;
	free(w);
	return error;
}
