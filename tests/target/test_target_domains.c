/*
 * test_target_domains.c - which thread runs which domain, by the owner of its lock and by the stack that it left.
 *
 * The process of the tree is number 5 there and 105 in its own pid namespace, as are its threads.  Its memory is stacks
 * with control blocks of glibc, and the start of the first thread's stack.
 */
#include "support/test_target_tree.h"
#include "target/runtime_threads.h"

enum { STACKS = 0x100000, STACK = 0x20000, COUNT = 4, FIRST_STACK = 0x7f000000 };

static uint64_t memory[COUNT * STACK / sizeof(uint64_t)];
static unsigned reads;

static int read_memory(void *ctx, const struct variables_place *places, size_t count)
{
	reads++;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = places[i].address - STACKS;

		if (places[i].address < STACKS || at >= sizeof memory || places[i].size > sizeof memory - at)
			return EFAULT;
		memcpy(places[i].to, (const char *)memory + at, places[i].size);
	}
	return 0;
}
static const struct memory_reader reader = {read_memory, NULL};

static struct tree tree;
static struct runtime_threads *threads;
static struct runtime_sample sample;
static struct system_sample kernel;

/* A place in the stack of a thread, 1 to COUNT, so far below its control block. */
static uint64_t below(unsigned thread, uint64_t bytes)
{
	return STACKS + thread * STACK - 0x1000 - bytes;
}

/* Make the stacks, and threads 5 to 9 in the tree, the first of which has its stack from the kernel. */
static void begin(void)
{
	char dir[400], text[400];

	memset(memory, 0, sizeof memory);
	for (unsigned i = 1; i <= COUNT; i++) {
		uint64_t tcb = below(i, 0), *words = &memory[(tcb - STACKS) / sizeof(uint64_t)];

		words[0] = words[2] = tcb;
		words[0x2d0 / sizeof(uint64_t)] = 105 + i;
	}
	tree_create(&tree);
	tree_process(&tree, 5, "/x");
	tree_stat(&tree, 5, "x", 'S', 100, FIRST_STACK);
	tree_status(&tree, 5, 5, 0, "5\t105");
	tree_dir(&tree, 5, dir);
	tree_mkdir(dir, "task");
	kernel.thread_count = COUNT + 1;
	for (unsigned i = 0; i <= COUNT; i++) {
		char name[40];

		kernel.threads[i].tid = 5 + (int32_t)i;
		snprintf(name, sizeof name, "task/%u", 5 + i);
		tree_mkdir(dir, name);
		snprintf(name, sizeof name, "task/%u/status", 5 + i);
		snprintf(text, sizeof text, "NSpid:\t%u\t%u\n", 5 + i, 105 + i);
		tree_write(dir, name, text, strlen(text));
	}
	runtime_threads_destroy(threads);
	threads = runtime_threads_create(tree.root, 5);
	CHECK(threads != NULL);
	sample = (struct runtime_sample){.ts = 1};
}

/* Look at domain 0, whose unique number is one more; returns its thread. */
static int32_t look(uint64_t unique, int32_t owner, uint64_t c_stack)
{
	sample.domain_count = 1;
	sample.domains[0] = (struct runtime_domain){.unique = unique, .tid = owner, .c_stack = c_stack};
	reads = 0;
	runtime_threads_check(threads, &reader, &sample);
	return sample.domains[0].tid;
}

TEST(test_rules)
{
	begin();
	CHECK_INT(look(0, 105, FIRST_STACK - 0x3000), 105);
	CHECK_INT(reads, 0);
	CHECK_INT(look(1, 107, below(2, 0x1230)), 107);
	CHECK_INT(look(2, 0, below(3, 0xe008)), 108); /* it blocks */
	CHECK_INT(look(3, 109, 0), 0);		      /* it has not left the stack yet */
	CHECK_INT(look(4, 109, 0xdead000), 0);
	CHECK_INT(look(5, 109, UINT64_MAX), 0);
	CHECK_INT(look(6, 109, UINT64_MAX - 7), 0);
	CHECK_INT(look(7, 106, below(1, 24)), 106);
	/* Control blocks of another C library. */
	memset(memory, 0, sizeof memory);
	CHECK_INT(look(8, 107, below(2, 0x1230)), 0);
}

/* One that was found is not looked for again, until something differs. */
TEST(test_differs)
{
	begin();
	CHECK_INT(look(1, 106, below(1, 512)), 106);
	CHECK_INT(look(1, 106, below(1, 8192)), 106);
	CHECK_INT(reads, 0);
	CHECK_INT(look(1, 0, below(1, 512)), 106);
	CHECK_INT(reads, 0);
	/* The backup thread has the lock for a collection. */
	CHECK_INT(look(1, 109, below(1, 512)), 106);
	CHECK_INT(look(1, 106, below(1, 512)), 106);
	CHECK_INT(look(1, 109, below(1, 512)), 106);
	CHECK_INT(look(1, 109, below(1, 512)), 0);
	CHECK_INT(look(1, 109, below(1, 512)), 0);
	CHECK_INT(look(1, 0, below(1, 512)), 106);
	/* Another thread of the same domain goes on. */
	CHECK_INT(look(1, 107, below(2, 512)), 107);
	/* Another domain begins in the slot: what was known counts no more. */
	CHECK_INT(look(2, 106, below(2, 512)), 0);
}

/* The kernel's threads have other numbers here. */
TEST(test_names)
{
	begin();
	sample.domain_count = 2;
	sample.domains[0] = (struct runtime_domain){.unique = 1, .tid = 105, .c_stack = FIRST_STACK - 64};
	sample.domains[1] =
	    (struct runtime_domain){.slot = 3, .unique = 2, .tid = 107, .c_stack = below(2, 64)};
	runtime_threads_check(threads, &reader, &sample);
	runtime_threads_name(threads, &kernel);
	CHECK_INT(kernel.threads[0].runs, 1);
	CHECK_INT(kernel.threads[1].runs, 0);
	CHECK_INT(kernel.threads[2].runs, 4);
	CHECK_INT(kernel.threads[3].runs, 0);
	/* A domain has ended. */
	sample.domain_count = 1;
	sample.domains[0].tid = 105;
	runtime_threads_check(threads, &reader, &sample);
	runtime_threads_name(threads, &kernel);
	CHECK_INT(kernel.threads[0].runs, 1);
	CHECK_INT(kernel.threads[2].runs, 0);
}
