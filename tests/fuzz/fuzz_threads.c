/*
 * fuzz_threads.c - looks at the threads of a process of which the kernel says any text, line by line of the input, with memory
 * that was made up and then changed.
 *
 * For each of three threads: its syscall, schedstat, status and comm.  What follows these lines are ten bytes each: a place, and
 * a word for it.
 */
#include <stddef.h>

#include "code/sampler.h"
#include "code/threads.h"

#include "support/made_stacks.h"
#include "support/test_target_tree.h"

enum { PID = 700, THREADS = 3, ELEMENT = 0xc000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
};

/* Change words, and have a table of the threads of each domain. */
static void change(struct made_stacks *m, const void *ctx)
{
	struct input in = *(const struct input *)ctx;

	*made_at(m, MADE_THREADS) = MADE_BASE + MADE_THREADS + 8;
	for (; in.size >= 10; in.data += 10, in.size -= 10) {
		uint16_t place;

		memcpy(&place, in.data, sizeof(place));
		memcpy(made_at(m, place & ~7U), in.data + 2, sizeof(uint64_t));
	}
}

/* Write a line of the input as a file of a thread. */
static void put_line(const char *dir, const char *name, struct input *in)
{
	const uint8_t *newline = in->size > 0 ? memchr(in->data, '\n', in->size) : NULL;
	const size_t line = newline != NULL ? (size_t)(newline - in->data) : in->size,
		     used = newline != NULL ? line + 1 : line;

	tree_write(dir, name, in->data, line);
	in->data += used;
	in->size -= used;
}

static void put_threads(const struct tree *tree, struct input *in)
{
	static const char *const names[] = {"syscall", "schedstat", "status", "comm"};
	char dir[400], name[64];

	for (unsigned i = 0; i < THREADS; i++) {
		snprintf(name, sizeof(name), "task/%u", PID + i);
		tree_mkdir(tree_dir(tree, PID, dir), "task");
		tree_mkdir(dir, name);
		strcat(dir, "/");
		strcat(dir, name);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			put_line(dir, names[k], in);
	}
}

/* What is told of a thread must be possible. */
static void check(void *ctx, const struct code_thread *thread, const struct code_stack *stack)
{
	int32_t *last = ctx;

	if (thread->tid <= *last || thread->tid >= PID + THREADS || thread->kind > CODE_THREAD_C ||
	    thread->domain < -1 || thread->domain >= RUNTIME_DOMAINS_MAX || thread->sampled ||
	    thread->seen == CODE_SEEN_GONE || stack->count > CODE_FRAMES_MAX ||
	    (thread->seen != CODE_SEEN_ASLEEP && stack->count > 0) ||
	    memchr(thread->name, '\0', sizeof(thread->name)) == NULL)
		abort();
	*last = thread->tid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_stacks made;
	static struct code_stack stack;
	static struct tree tree;
	struct input in = {data, size};
	struct code_refusal refusal;
	int32_t last = 0;

	if (tree.base[0] == '\0') {
		tree_create(&tree);
		tree_process(&tree, PID, "/bin/none");
	}
	put_threads(&tree, &in);
	made_stacks_init(&made, change, &in);
	made.code->contexts[0].tid = PID;
	made.code->contexts[0].element = MADE_BASE + ELEMENT;
	if (proc_open(&made.code->proc, tree.root, PID) != 0 ||
	    code_threads(made.code, 0, check, &last, &refusal) != 0 || refusal.error != 0)
		abort();
	for (int32_t tid = PID; tid <= PID + THREADS; tid++) {
		uint64_t runs = 0;
		const enum code_seen first = code_look(made.code, tid, &runs, &stack);
		const bool again = first == CODE_SEEN_ASLEEP && runs != 0;
		if ((tid == PID + THREADS) != (first == CODE_SEEN_GONE) ||
		    (first != CODE_SEEN_ASLEEP && runs != 0) ||
		    (again && code_look(made.code, tid, &runs, &stack) != CODE_SEEN_STILL))
			abort();
		(void)code_tid_inside(made.code, tid);
	}
	made_stacks_fini(&made);
	return 0;
}
