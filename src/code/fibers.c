/*
 * fibers.c - see fibers.h.
 *
 * The heap is described by runtime/shared_heap.c and equal in OCaml 5.0 to 5.5: a domain has pools of 32 KiB
 * for each block size, in four lists; the pools of ended domains are in two lists of the runtime.
 */
#include "code/fibers.h"

#include <time.h>

#include "code/private.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/id_map.h"
#include "core/order.h"

enum {
	POOL_BYTES = 32768,
	POOL_BLOCKS = 32, /* offset of the first block */
	POOL_CLASS = 24,
	LISTS = 4, /* of a domain: with and without free blocks, swept and not */
	CLASSES = 32,
	CONTINUATION_TAG = 245,
	COLOURS = 0x300, /* mask in a header */
	TAG = 0xff,
	TRIES = 16, /* attempts to read a pool and the meaning of its colours together */
	FIBERS_MAX = 1 << 20
};

#define SLICE_NS UINT64_C(10000000) /* followed by a pause as long: half a core */
#define SEARCH_NS UINT64_C(1500000000)
#define SEARCH_BYTES (UINT64_C(2) << 30)

struct search {
	struct code *code;
	struct code_fibers *out;
	struct id_map seen;   /* stacks that were seen */
	struct id_map groups; /* index plus 1, by hash; groups of equal hash use the next numbers */
	struct effort memory; /* memory for groups */
	uint64_t slice, end;  /* when the slice began, and when the search must end */
	bool stopped;	      /* a limit was reached, or memory ran out */
	uint64_t garbage;     /* colour of dead blocks */
	unsigned char bytes[POOL_BYTES];
	struct code_stack stack;
};

/* ---- pace ---- */

/* Whether the search may continue; it pauses after each slice. */
static bool go_on(struct search *s)
{
	const struct timespec pause = {.tv_nsec = SLICE_NS};
	uint64_t now = monotonic_now();

	s->out->read_bytes += s->code->pages.bytes_read;
	s->code->pages.bytes_read = 0;
	if (s->stopped || now >= s->end || s->out->read_bytes >= SEARCH_BYTES) {
		s->stopped = true;
		return false;
	}
	if (now - s->slice >= SLICE_NS) {
		nanosleep(&pause, NULL);
		s->slice = monotonic_now();
	}
	return true;
}

static bool read_at(struct search *s, uint64_t address, void *to, size_t size)
{
	const struct memory_reader memory = runtime_memory(s->code->runtime);

	s->out->read_bytes += size;
	return address % sizeof(uint64_t) == 0 && memory_bytes(&memory, address, to, size) == 0;
}

/* ---- fibers ---- */

/* Remember a stack.  Returns false if it was seen before, or there are too many. */
static bool is_new(struct search *s, uint64_t stack)
{
	/* The addresses of stacks are multiples of 8. */
	if (id_map_find(&s->seen, stack / 8) != 0)
		return false;
	s->stopped |= s->seen.count == FIBERS_MAX || !id_map_add(&s->seen, stack / 8, 1);
	return !s->stopped;
}

/* Count the stack that was just walked. */
static void count_stack(struct search *s)
{
	const struct code_stack *stack = &s->stack;
	uint64_t hash = code_stack_hash(stack), id = hash;
	struct code_fibers *out = s->out;
	struct code_fiber_group *group;
	const bool deep = stack->end == CODE_DEEP;
	uint32_t at;

	out->deep += deep;
	for (; (at = id_map_find(&s->groups, id)) != 0; id++) {
		group = &out->groups[at - 1];
		if (group->hash == hash && group->deep == deep &&
		    code_stack_has(stack, group->frames, group->frame_count)) {
			group->count++;
			out->count++;
			return;
		}
	}
	const size_t size = stack->count * sizeof(*group->frames);
	struct code_frame *frames = NULL;
	/* Growing arrays have room for twice their contents. */
	if (effort_keep(&s->memory, size + 2 * (sizeof(*group) + 2 * sizeof(struct id_slot))) &&
	    array_room(&out->groups, &out->group_room, out->group_count + 1, sizeof(*out->groups)) &&
	    id_map_add(&s->groups, id, (uint32_t)out->group_count + 1))
		frames = malloc(size);
	if (frames == NULL) {
		s->stopped = true;
		return;
	}
	group = &out->groups[out->group_count];
	*group = (struct code_fiber_group){
	    .hash = hash, .count = 1, .frame_count = stack->count, .frames = frames, .deep = deep};
	memcpy(group->frames, stack->frames, stack->count * sizeof(*group->frames));
	out->group_count++;
	out->count++;
}

/* Examine a block that may be a continuation: `block` points to its fields. */
static void see_block(struct search *s, uint64_t header, uint64_t block, uint64_t field)
{
	uint64_t again;

	if ((header & TAG) != CONTINUATION_TAG || header >> 10 != s->code->layout->continuation_words ||
	    (header & COLOURS) == s->garbage || field % 8 != 1 || field == 1 || !is_new(s, field - 1) ||
	    !go_on(s))
		return;
	code_walk_suspended(s->code, field - 1, &s->stack);
	/* Check again, since a freed stack may already belong to another fiber. */
	if ((s->stack.end == CODE_WHOLE || s->stack.end == CODE_DEEP) && s->stack.count > 0 &&
	    read_at(s, block, &again, sizeof(again)) && again == field)
		count_stack(s);
}

/* ---- the heap ---- */

static uint64_t word_of(const struct search *s, size_t offset)
{
	uint64_t word;

	memcpy(&word, s->bytes + offset, sizeof(word));
	return word;
}

/* Read the colours: those of live and dead blocks change with each cycle. */
static bool read_colours(struct search *s)
{
	uint64_t states[3];

	if (!read_at(
		s, runtime_variable(s->code->runtime, RUNTIME_GLOBAL_HEAP_STATE), states, sizeof(states)))
		return false;
	s->garbage = states[2];
	return true;
}

/* Read a pool between two cycles of the collector, since otherwise the meaning of its colours is
 * ambiguous. */
static bool read_pool(struct search *s, uint64_t pool)
{
	for (unsigned i = 0; i < TRIES && read_colours(s); i++) {
		const uint64_t garbage = s->garbage;

		if (!read_at(s, pool, s->bytes, POOL_BYTES) || !read_colours(s))
			return false;
		if (s->garbage == garbage)
			return true;
	}
	return false;
}

/* Search the pools of a list, whose blocks have `words` words. */
static bool search_list(struct search *s, uint64_t list, size_t words)
{
	uint64_t pool, mark = 0;

	if (!read_at(s, list, &pool, sizeof(pool)))
		return false;
	/* A list that leads back to one of its own pools reaches the latest mark again. */
	for (uint64_t i = 0; pool != 0; i++, pool = word_of(s, 0)) {
		if (pool == mark)
			return false;
		if ((i & (i - 1)) == 0)
			mark = pool;
		/* This is an int, or in newer releases a byte and something else. */
		if (!go_on(s) || !read_pool(s, pool) || (uint8_t)word_of(s, POOL_CLASS) != words - 1)
			return false;
		for (size_t at = POOL_BLOCKS; at + 8 * words <= POOL_BYTES && !s->stopped; at += 8 * words) {
			const uint64_t header = word_of(s, at),
				       more = runtime_free_behind(s->code->layout, header);

			see_block(s, header, pool + at + 8, word_of(s, at + 8));
			at += 8 * words * (more < POOL_BYTES ? more : POOL_BYTES);
		}
	}
	return true;
}

/* Search what a domain has allocated since its last minor collection. */
static bool search_minor(struct search *s, uint64_t state)
{
	const uint16_t *field = s->code->layout->field;
	uint64_t at, end, start = 0;

	if (!read_at(s, state + field[RUNTIME_YOUNG_PTR], &at, sizeof(at)) ||
	    !read_at(s, state + field[RUNTIME_YOUNG_END], &end, sizeof(end)))
		return false;
	/* Colours mean nothing in a minor heap. */
	s->garbage = UINT64_MAX;
	for (size_t have = 0; at % 8 == 0 && at < end && go_on(s);) {
		if (at < start || at - start + 16 > have) {
			have = end - at < POOL_BYTES ? (size_t)(end - at) : POOL_BYTES;
			start = at;
			if (have < 16 || !read_at(s, at, s->bytes, have))
				return have < 16;
		}
		uint64_t header = word_of(s, at - start);
		uint64_t words = (header >> 10) + 1;
		/* The block is being promoted by a collection, or is not initialised yet. */
		if (header == 0 || words > (end - at) / 8)
			return false;
		see_block(s, header, at + 8, word_of(s, at - start + 8));
		at += 8 * words;
	}
	return !s->stopped;
}

static bool search_heaps(struct search *s)
{
	const size_t words = s->code->layout->continuation_words + 1u;
	const uint64_t orphans = runtime_variable(s->code->runtime, RUNTIME_POOL_FREELIST);
	bool whole = true;

	for (size_t i = 0; i < s->code->domain_count && !s->stopped; i++) {
		const uint64_t state = s->code->contexts[i].state;
		uint64_t heap;

		if (!read_at(s, state + s->code->layout->field[RUNTIME_SHARED_HEAP], &heap, sizeof(heap)))
			return false;
		for (unsigned list = 0; list < LISTS && heap != 0; list++)
			whole = search_list(s, heap + 8 * (CLASSES * list + words - 1), words) && whole;
		whole = search_minor(s, state) && whole;
	}
	if (orphans == 0)
		return whole;
	whole = search_list(s, orphans + RUNTIME_ORPHAN_AVAIL_AT + 8 * (words - 1), words) && whole;
	return search_list(s, orphans + RUNTIME_ORPHAN_FULL_AT + 8 * (words - 1), words) && whole;
}

static int by_count(const void *a, const void *b)
{
	const struct code_fiber_group *x = a, *y = b;

	return ORDER_BY(ORDER_FALLING(x, y, count), ORDER_RISING(x, y, hash));
}

int code_fibers_find(struct code *code, struct code_fibers *out)
{
	struct search *s = calloc(1, sizeof(*s));
	int error = s != NULL ? code_refresh(code) : ENOMEM;

	*out = (struct code_fibers){.count = 0};
	if (error == 0 && (runtime_variable(code->runtime, RUNTIME_ALL_DOMAINS) == 0 ||
			      runtime_variable(code->runtime, RUNTIME_GLOBAL_HEAP_STATE) == 0))
		error = ENOTSUP;
	if (error == 0 && code->domain_count == 0)
		error = EAGAIN;
	if (error == 0) {
		s->code = code;
		s->out = out;
		s->memory = effort_for_code();
		s->slice = monotonic_now();
		s->end = s->slice + SEARCH_NS;
		code->pages.bytes_read = 0;
		out->searched = search_heaps(s) && !s->stopped;
		if (out->group_count > 1)
			qsort(out->groups, out->group_count, sizeof(*out->groups), by_count);
		id_map_fini(&s->seen);
		id_map_fini(&s->groups);
	}
	free(s);
	return error;
}

void code_fibers_fini(struct code_fibers *fibers)
{
	for (size_t i = 0; i < fibers->group_count; i++)
		free(fibers->groups[i].frames);
	free(fibers->groups);
}
