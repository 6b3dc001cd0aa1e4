/*
 * fuzz_locks.c - looks at the locks of a process with three threads of which the kernel says any text, line by line of the
 * input, with any bytes as its memory.
 *
 * The first byte chooses the release; the lines end with an empty one, and what follows is written over the memory.
 */
#include <stddef.h>

#include "target/lock_ends.h"
#include "target/locks.h"

#include "support/made_runtime.h"
#include "support/test_target_tree.h"

enum { PID = 700, THREADS = 3, AT = 0x10000 };

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_runtime m;
	static struct tree tree;
	struct locks_look look;
	const char *why;

	if (size == 0)
		return 0;
	if (tree.base[0] == '\0') {
		tree_create(&tree);
		tree_process(&tree, PID, "/bin/none");
	}
	made_runtime(&m, data[0] % MADE_RELEASES);
	m.symbols.variable[RUNTIME_THREAD_TABLE] = MADE_BASE + AT;
	data++;
	size--;
	for (unsigned i = 0; i < THREADS; i++) {
		const uint8_t *newline = memchr(data, '\n', size);
		const size_t line = newline != NULL ? (size_t)(newline - data) : size;

		put_call(&tree, i, data, line);
		data += newline != NULL ? line + 1 : line;
		size -= newline != NULL ? line + 1 : line;
	}
	memcpy((char *)m.memory + AT, data, size < sizeof m.memory - AT ? size : sizeof m.memory - AT);
	struct runtime *runtime = made_open(&m, made_releases[0].version, &why);
	struct locks *locks = runtime != NULL ? locks_create(runtime, tree.root, PID, &why) : NULL;
	for (uint64_t turn = 1; locks != NULL && turn < 4; turn++) {
		m.calls = 0;
		if (locks_look(locks, turn, &look) == 0)
			check(&look);
		if (m.calls > 2 + THREADS * (8 + 256) + LOCK_ENDS_READS + 256 * 20)
			abort();
	}
	locks_destroy(locks);
	runtime_destroy(runtime);
	return 0;
}
