/*
 * fuzz_locks.c - looks at the locks of a process with four threads of which the kernel says any text, with any words in its memory
 * and any files in its list of mappings.
 *
 * The first byte chooses the release, the second where tables and lists begin and how far looks are apart.  Up to a zero byte follow
 * a line for each thread and the lines of the mappings.  The rest is words of the memory, from a number of one (two bytes) and a
 * count (one byte) on.
 */
#include <stddef.h>

#include "target/lock_ends.h"
#include "target/locks.h"

#include "support/made_runtime.h"
#include "support/test_target_tree.h"

enum { PID = 700, THREADS = 4, AT = 0x11000, CHANNELS = 0x19000, STOP = 0x1a800 };

/* Tables, the locks of threads and the list of channels; ends, and the control blocks of their stacks; the library. */
enum { CALLS_MOST = 16 + THREADS * (16 + 256) + LOCK_ENDS_READS + 256 * 20 + 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a look tells must be possible. */
static void check(const struct locks_look *look)
{
	for (size_t i = 0; i < look->count; i++) {
		const struct lock_thread *t = &look->threads[i];

		if (t->next >= (int)look->count || (t->next == (int)i && t->lock.kind != LOCK_JOIN) ||
		    t->cycle > look->cycles ||
		    (t->doing != LOCK_WAITS &&
			(t->lock.kind != LOCK_NONE || t->owner != 0 || t->cycle != 0)) ||
		    (t->doing == LOCK_WAITS && t->lock.kind == LOCK_NONE) || t->since > look->ts)
			abort();
		if (t->next >= 0 && look->threads[t->next].tid != t->owner)
			abort();
	}
}

/* Write what the kernel says of a thread. */
static void put_call(const struct tree *tree, unsigned thread, const uint8_t *text, size_t size)
{
	char dir[400], name[64];

	snprintf(name, sizeof name, "task/%u", PID + thread);
	tree_mkdir(tree_dir(tree, PID, dir), "task");
	tree_mkdir(dir, name);
	strcat(name, "/syscall");
	tree_write(dir, name, text, size);
}

/* Write words of the memory. */
static void put_words(struct made_runtime *m, const uint8_t *data, size_t size)
{
	while (size > 3) {
		const size_t at = (data[0] | (size_t)data[1] << 8) % MADE_WORDS, most = (MADE_WORDS - at) * 8,
			     left = size - 3, count = data[2] * sizeof(uint64_t);
		const size_t len = count < left ? count : left;

		memcpy(&m->memory[at], data + 3, len < most ? len : most);
		data += 3 + len;
		size = left - len;
	}
}

/* Write the lines of the input, and return where they end. */
static const uint8_t *put_lines(const struct tree *tree, const uint8_t *data, const uint8_t *end)
{
	const uint8_t *zero = memchr(data, 0, (size_t)(end - data)), *stop = zero != NULL ? zero : end;
	char dir[400];

	for (unsigned i = 0; i < THREADS; i++) {
		const uint8_t *newline = memchr(data, '\n', (size_t)(stop - data));
		const uint8_t *line = newline != NULL ? newline : stop;

		put_call(tree, i, data, (size_t)(line - data));
		data = newline != NULL ? line + 1 : line;
	}
	tree_write(tree_dir(tree, PID, dir), "maps", data, (size_t)(stop - data));
	return zero != NULL ? zero + 1 : end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_runtime m;
	static struct tree tree;
	struct locks_look look;
	const char *why;

	if (size < 2)
		return 0;
	if (tree.base[0] == '\0') {
		tree_create(&tree);
		tree_process(&tree, PID, "/bin/none");
	}
	const uint8_t flags = data[1], *end = data + size;
	made_runtime(&m, data[0] % MADE_RELEASES);
	if (m.release->pointer && (flags & 1) != 0)
		*made_word(&m, 8 * RUNTIME_THREAD_TABLE) = MADE_BASE + AT;
	else
		m.symbols.variable[RUNTIME_THREAD_TABLE] = MADE_BASE + AT;
	if ((flags & 2) != 0)
		*made_word(&m, 8 * RUNTIME_CHANNELS) = MADE_BASE + CHANNELS;
	if ((flags & 4) != 0)
		m.symbols.variable[RUNTIME_STW_REQUEST] = MADE_BASE + STOP;
	data = put_lines(&tree, data + 2, end);
	put_words(&m, data, (size_t)(end - data));
	struct runtime *runtime = made_open(&m, m.release->version, &why);
	struct locks *locks = runtime != NULL ? locks_create(runtime, tree.root, PID, &why) : NULL;
	for (uint64_t turn = 1; locks != NULL && turn < 4; turn++) {
		m.calls = 0;
		if (locks_look(locks, turn * ((flags & 8) != 0 ? UINT64_C(2000000000) : 1), &look) == 0)
			check(&look);
		if (m.calls > CALLS_MOST)
			abort();
	}
	locks_destroy(locks);
	runtime_destroy(runtime);
	return 0;
}
