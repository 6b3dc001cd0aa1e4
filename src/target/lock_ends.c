/*
 * lock_ends.c - see lock_ends.h.
 *
 * The record of a systhread leads to its descriptor, and that to a mutex, a state and the condition.  The first thread of a
 * domain keeps two words in allocated memory, to which a frame beneath its outermost one of OCaml points: its function, which is unit once
 * that runs, and the record {state; mutex; condition} of Domain.join.  Up to 5.1 they are the closure that has the
 * condition, and the mutex.
 */
#include "target/lock_ends.h"

#include <time.h>

#include "core/clock.h"

enum {
	ENDS = 1024,
	THREADS = 256, /* that are read */
	BASE = 1024,   /* words of a stack that are looked at, from its top down */
	FIELDS = 12,   /* of a closure */
	CUSTOM = 255,
	CLOSURE = 247,
	TAG = 255,
	LOWEST = 65536, /* address that is mapped */
	UNIT = 1,	/* also the state of a domain that runs */
	CHUNK_WORDS = 4,
	STATUS_RUNS_AT = 40, /* an int, 0 */
	STATUS_CONDITION_AT = 48
};

#define REST_NS 1000000000u
#define TIMES 1000 /* it may take a thousandth of a core */

/* struct caml_thread_struct, in words. */
enum { THREAD_DESCRIPTOR, THREAD_NEXT, THREAD_C_STACK = 5, THREAD_WORDS };

int lock_ends_open(struct lock_ends *ends, const char *proc_root, pid_t pid)
{
	ends->threads = runtime_threads_create(proc_root, pid);
	ends->of = calloc(ENDS, sizeof(*ends->of));
	return ends->threads != NULL && ends->of != NULL ? 0 : ENOMEM;
}

void lock_ends_close(struct lock_ends *ends)
{
	runtime_threads_destroy(ends->threads);
	free(ends->of);
}

static bool read_words(struct lock_ends *ends, uint64_t at, uint64_t *out, size_t count)
{
	if (ends->reads == LOCK_ENDS_READS || at == 0 || at % sizeof(*out) != 0)
		return false;
	ends->reads++;
	return memory_bytes(&ends->memory, at, out, count * sizeof(*out)) == 0;
}

/* Read the fields of a block of OCaml, up to FIELDS.  Returns how many it has, 0 if it is none; *tag: what it is. */
static size_t read_block(struct lock_ends *ends, uint64_t block, uint64_t out[FIELDS], unsigned *tag)
{
	uint64_t header;

	if (!read_words(ends, block - sizeof(header), &header, 1))
		return 0;
	*tag = header & TAG;
	const size_t size = header >> 10;
	return size < FIELDS && read_words(ends, block, out, size) ? size : 0;
}

/* Return the address that a custom block holds; 0: it is no custom block. */
static uint64_t custom(struct lock_ends *ends, uint64_t block)
{
	uint64_t fields[FIELDS];
	unsigned tag;

	return read_block(ends, block, fields, &tag) >= 2 && tag == CUSTOM ? fields[1] : 0;
}

static void add(struct lock_ends *ends, uint64_t condition, int32_t tid)
{
	if (condition != 0 && ends->count < ENDS)
		ends->of[ends->count++] = (struct lock_end){.condition = condition, .tid = tid};
}

/* Find the condition of a systhread's end, by the descriptor of the thread. */
static void see_thread(struct lock_ends *ends, uint64_t descriptor, int32_t tid)
{
	uint64_t fields[FIELDS];
	int32_t state;
	unsigned tag;

	if (read_block(ends, descriptor, fields, &tag) < 3)
		return;
	const uint64_t status = custom(ends, fields[2]);
	if (status != 0 && memory_bytes(&ends->memory, status + STATUS_RUNS_AT, &state, sizeof(state)) == 0 &&
	    state == 0)
		add(ends, status + STATUS_CONDITION_AT, tid);
}

/* Take two words as the pair that a domain keeps for its join, and add its condition.  Returns whether they are that. */
static bool see_words(struct lock_ends *ends, const uint64_t words[2], int32_t tid)
{
	const uint64_t mutex = custom(ends, words[1]);
	const size_t before = ends->count;
	uint64_t fields[FIELDS];
	unsigned tag = 0;
	const size_t size = read_block(ends, mutex != 0 ? words[0] : words[1], fields, &tag);

	if (mutex == 0 && words[0] == UNIT && size == 3 && tag == 0 && fields[0] == UNIT &&
	    custom(ends, fields[1]) != 0)
		add(ends, custom(ends, fields[2]), tid);
	for (size_t i = 2; mutex != 0 && tag == CLOSURE && i < size; i++)
		if (fields[i] != words[1])
			add(ends, custom(ends, fields[i]), tid);
	return ends->count > before;
}

/* Find the condition of a domain's end on the stack of its first thread: of the words above where OCaml code began, the first that leads to
 * allocated memory of 16 bytes with the two words in it.  Further up are registers of who began the thread. */
static void see_stack(struct lock_ends *ends, uint64_t from, uint64_t top, int32_t tid)
{
	uint64_t words[BASE], chunk[CHUNK_WORDS - 1];
	size_t count = top > from ? (top - from) / sizeof(words[0]) : 0;

	count = count < BASE ? count : BASE;
	if (!read_words(ends, top - count * sizeof(words[0]), words, count))
		return;
	for (size_t i = 0; i < count; i++)
		/* The allocator's own word has the size, and three bits beside it.  Small numbers are no addresses. */
		if (words[i] >= LOWEST && words[i] % 16 == 0 && words[i] - from > top - from &&
		    read_words(ends, words[i] - sizeof(chunk[0]), chunk, CHUNK_WORDS - 1) &&
		    chunk[0] / 8 == CHUNK_WORDS && see_words(ends, chunk + 1, tid))
			return;
}

/* See a thread of OCaml, which left its stack at an address for OCaml code. */
static void see(struct lock_ends *ends, uint64_t c_stack, uint64_t descriptor)
{
	uint64_t top;
	const int32_t tid = runtime_threads_of_stack(ends->threads, &ends->memory, c_stack, &top);

	if (tid == 0)
		return;
	if (descriptor != 0)
		see_thread(ends, descriptor, tid);
	see_stack(ends, c_stack, top, tid);
}

void lock_ends_read(struct lock_ends *ends, struct lock_memory *m, uint64_t now)
{
	const struct runtime_layout *layout = m->layout;
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	unsigned left = THREADS;

	ends->memory = m->reader;
	ends->count = 0;
	ends->reads = 0;
	ends->ts = now;
	lock_memory_tables(m);
	for (unsigned slot = 0; slot < LOCK_DOMAINS && m->domains != 0 && left > 0; slot++) {
		uint64_t state, c_stack, first = 0, thread[THREAD_WORDS];

		if (!read_words(
			ends, m->domains + slot * (uint64_t)layout->element + layout->state_at, &state, 1))
			break;
		/* Slots are used from the first one on. */
		if (state == 0)
			break;
		if (!read_words(ends, state + layout->field[RUNTIME_C_STACK], &c_stack, 1))
			continue;
		if (m->masters != 0)
			(void)read_words(
			    ends, m->masters + slot * (uint64_t)layout->thread_element, &first, 1);
		if (first == 0 && c_stack != 0 && left-- > 0)
			see(ends, c_stack, 0);
		for (uint64_t at = first; at != 0 && left > 0; left--) {
			if (!read_words(ends, at, thread, THREAD_WORDS))
				break;
			see(ends, thread[THREAD_C_STACK], thread[THREAD_DESCRIPTOR]);
			at = thread[THREAD_NEXT] == first ? 0 : thread[THREAD_NEXT];
		}
	}
	/* A thread that was not read may have one of these conditions, too. */
	if (ends->reads == LOCK_ENDS_READS || left == 0)
		ends->count = 0;
	ends->took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	ends->rest = ends->took * TIMES;
	ends->rest = ends->rest > REST_NS ? ends->rest : REST_NS;
}

int32_t lock_ends_of(const struct lock_ends *ends, uint64_t condition)
{
	/* From the begin of a condition of glibc to where threads sleep. */
	enum { SINCE_2_41 = 32, BEFORE = 40 };
	int32_t found = 0;

	for (size_t i = 0; i < ends->count; i++) {
		const uint64_t at = condition - ends->of[i].condition;

		if ((at != SINCE_2_41 && at != BEFORE) || ends->of[i].tid == found)
			continue;
		/* If two threads seem to have the condition, one of them shows what an earlier thread has left on its stack. */
		if (found != 0)
			return 0;
		found = ends->of[i].tid;
	}
	return found;
}
