/*
 * test_target_memory.c - what the memory of a process is: a made-up /proc and a made-up heap of OCaml 5.3, and this
 * very process.
 */
#include <elf.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "support/made_heap.h"
#include "support/test.h"
#include "support/test_target_tree.h"
#include "target/memory.h"

static struct made_heap made;

static void make(void)
{
	runtime_destroy(made.runtime);
	made_heap_begin(&made);
	CHECK(made.runtime != NULL);
}

/* Follow the lists of the made-up heap. */
static int walk(struct memory_heap *heap)
{
	*heap = (struct memory_heap){0};
	made.reads = 0;
	struct effort effort = effort_for_look();
	int error = memory_heap_walk(made.runtime, 1, &effort, heap);
	for (size_t i = 1; i < heap->count; i++)
		CHECK(heap->ranges[i - 1].end <= heap->ranges[i].start);
	return error;
}

static uint64_t bytes_of(const struct memory_heap *heap, enum system_memory_part part)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < heap->count; i++)
		bytes += heap->ranges[i].part == part ? heap->ranges[i].end - heap->ranges[i].start : 0;
	return bytes;
}

TEST(test_walk)
{
	struct memory_heap heap;

	make();
	CHECK_INT(walk(&heap), 0);
	CHECK_INT(heap.pool_words, MADE_POOL_WORDS);
	CHECK_INT(bytes_of(&heap, MEMORY_MINOR), 0x100000);
	CHECK_INT(bytes_of(&heap, MEMORY_MINOR_RESERVE), MADE_DOMAINS * MADE_MINOR_AREA - 0x100000);
	CHECK_INT(bytes_of(&heap, MEMORY_POOLS_FREE), 2 * 32768);
	CHECK_INT(bytes_of(&heap, MEMORY_LARGE), 2 * (MADE_LARGE_WORDS + 3) * 8);
	CHECK_INT(bytes_of(&heap, MEMORY_STACKS), 3 * MADE_STACK_BYTES);
	free(heap.ranges);
}

/* Lists that are none, of a program that changes meanwhile, or means harm. */
TEST(test_walk_hostile)
{
	static const struct {
		uint64_t address, value;
		int error;
	} cases[] = {
	    {MADE_POOL + 16, MADE_STATE, EAGAIN},	  /* a pool that somebody has taken */
	    {MADE_POOL, MADE_POOL + 8, EAGAIN},		  /* no address of a pool */
	    {MADE_POOL, 3, EAGAIN},			  /* no address */
	    {MADE_POOL, UINT64_MAX - 7, EAGAIN},	  /* no address, and the last one that there is */
	    {MADE_POOL, MADE_BASE + MADE_SIZE, EAGAIN},	  /* nothing is there */
	    {MADE_POOL + 0x8000, MADE_POOL, EAGAIN},	  /* a ring */
	    {MADE_LARGE, MADE_STATE + 8, EAGAIN},	  /* a block that was freed */
	    {MADE_LARGE + 8, MADE_LARGE, EAGAIN},	  /* a ring */
	    {MADE_LARGE + 16, UINT64_MAX, EAGAIN},	  /* of more than all words */
	    {MADE_STACK + 16, MADE_STACK + 8, EAGAIN},	  /* a stack smaller than its head */
	    {MADE_STACK + 16, UINT64_C(1) << 40, EAGAIN}, /* too large */
	    {MADE_STACK + MADE_STACK_BYTES - 8, MADE_STACK, EAGAIN}, /* fibers that return to themselves */
	    {MADE_CACHE, MADE_POOL, EAGAIN},			     /* no stack */
	    {MADE_HEAP + 1048, 0, EAGAIN},			     /* the heap of another domain */
	    {MADE_HEAP + 1112, 1000, EAGAIN},			     /* blocks that no list has */
	    {MADE_VARIABLES + 40, MADE_MINOR - 8, EAGAIN}, /* minor heaps that end before they begin */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory_heap heap;
		make();
		*made_word(&made, cases[i].address) = cases[i].value;
		int error = walk(&heap);
		free(heap.ranges);
		if (error != cases[i].error)
			fprintf(stderr, "case %zu: %s\n", i, strerror(error));
		CHECK_INT(error, cases[i].error);
	}
}

/* Lists are followed as long as the effort lasts, which all attempts share. */
TEST(test_walk_effort)
{
	struct effort effort = effort_for_look();
	struct memory_heap heap = {0};
	unsigned walks = 0;

	make();
	while (memory_heap_walk(made.runtime, 1, &effort, &heap) == 0)
		walks++;
	CHECK(walks > 1 && effort.over != NULL);
	CHECK_INT(memory_heap_walk(made.runtime, 1, &effort, &heap), E2BIG);
	free(heap.ranges);
}

/* The mappings of a process whose memory is the made-up one. */
static const char maps[] = "1000-2000 r-xp 00000000 08:01 77 /bin/prog\n"
			   "2000-3000 rw-p 00000000 08:01 77 /bin/prog\n"
			   "3000-5000 rw-p 00000000 00:00 0 \n"
			   "10000000-10200000 rw-p 00000000 00:00 0 \n"
			   "40000000-40100000 rw-p 00000000 00:00 0 \n"
			   "40100000-40800000 ---p 00000000 00:00 0 \n"
			   "50000000-50001000 ---p 00000000 00:00 0 \n"
			   "50001000-50a01000 rw-p 00000000 00:00 0 \n"
			   "60000000-60002000 r-xp 00000000 08:01 79 /lib/libc.so (deleted)\n"
			   "60002000-60003000 r--s 00000000 08:01 80 /var/data\n"
			   "70000000-70001000 rw-s 00000000 08:01 78 /tmp/10.events\n"
			   "7fff0000-7fff2000 rw-p 00000000 00:00 0 [stack]\n"
			   "ffffff00-ffffff80 r-xp 00000000 00:00 0 [vdso]";

/* Resident pages: all of the heap but one free pool, of the minor heap, of the program, and some of the others. */
static const struct {
	unsigned first, count;
} present[] = {
    {0x1, 4}, {0x10000, 16}, {0x10018, 0xe8}, {0x40000, 0x100}, {0x60000, 1}, {0x70000, 1}, {0x7fff1, 1}};

static void put_pages(struct tree *tree)
{
	static const uint64_t page[0x100] = {[0 ... 0xff] = UINT64_C(1) << 63}, last = 0;
	char dir[400], path[500];

	tree_text(tree, 10, "pagemap", "");
	snprintf(path, sizeof(path), "%s/pagemap", tree_dir(tree, 10, dir));
	int fd = open(path, O_WRONLY);
	for (size_t i = 0; i < sizeof(present) / sizeof(present[0]); i++)
		CHECK_INT(pwrite(fd, page, present[i].count * 8, present[i].first * 8), present[i].count * 8);
	CHECK_INT(pwrite(fd, &last, 8, 0x80000 * 8), 8);
	close(fd);
}

/* Put the headers of a file in the memory of the process, whose static data end `statics` bytes behind its begin. */
static void put_headers(struct tree *tree, uint64_t at, uint64_t statics)
{
	const struct {
		Elf64_Ehdr file;
		Elf64_Phdr segments[2];
	} head = {.file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
		      .e_type = ET_DYN,
		      .e_phoff = sizeof(Elf64_Ehdr),
		      .e_phentsize = sizeof(Elf64_Phdr),
		      .e_phnum = 2},
	    .segments = {{.p_type = PT_LOAD, .p_memsz = 0x1000},
		{.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = 0x800, .p_memsz = statics - 0x1000}}};
	char dir[400], path[500];

	snprintf(path, sizeof(path), "%s/mem", tree_dir(tree, 10, dir));
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	CHECK_INT(pwrite(fd, &head, sizeof(head), (off_t)at), sizeof(head));
	/* Memory has whole pages. */
	CHECK_INT(pwrite(fd, "", 1, (off_t)at + 4095), 1);
	close(fd);
}

/* In all 3 MB are resident. */
static void tree_make(struct tree *tree)
{
	tree_create(tree);
	tree_process(tree, 10, "/bin/prog");
	tree_text(tree, 10, "limits",
	    "Limit                     Soft Limit\nMax stack size            8388608              unlimited  "
	    "          bytes     \n");
	tree_mkdir(tree->root, "sys");
	tree_mkdir(tree->root, "sys/vm");
	tree_write(tree->root, "sys/vm/max_map_count", "65530\n", 6);
	tree_text(tree, 10, "maps", maps);
	tree_text(tree, 10, "status", "Name:\tprog\nVmRSS:\t    3072 kB\nVmSwap:\t       0 kB\n");
	put_pages(tree);
	put_headers(tree, 0x1000, 0x3800);
}

static void check_part(
    const struct system_memory *m, enum system_memory_part part, uint64_t reserved, uint64_t resident)
{
	if (m->reserved[part] != reserved || m->resident[part] != resident)
		fprintf(stderr, "%s: %" PRIu64 " %" PRIu64 ", not %" PRIu64 " %" PRIu64 "\n",
		    system_memory_name(part, false), m->reserved[part], m->resident[part], reserved,
		    resident);
	CHECK(m->reserved[part] == reserved && m->resident[part] == resident);
}

TEST(test_parts)
{
	const uint64_t kb = 1024, large = 2 * (MADE_LARGE_WORDS + 3) * 8, pools = MADE_POOL_WORDS * 8;
	struct system_memory m;
	struct tree tree;

	make();
	tree_make(&tree);
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	CHECK_STR(m.why, "");
	CHECK_INT(m.mappings, 13);
	CHECK_INT(m.mappings_limit, 65530);
	check_part(&m, MEMORY_MINOR, 1024 * kb, 1024 * kb);
	check_part(&m, MEMORY_MINOR_RESERVE, 7168 * kb, 0);
	check_part(&m, MEMORY_POOLS, pools, pools);
	check_part(&m, MEMORY_POOLS_FREE, 64 * kb, 32 * kb);
	check_part(&m, MEMORY_LARGE, large, large);
	/* Stacks of fibers, of the first thread, and of another one. */
	check_part(&m, MEMORY_STACKS, 12 * kb + 8 * kb + 8192 * kb, 12 * kb + 4 * kb);
	check_part(&m, MEMORY_RING, 4 * kb, 4 * kb);
	check_part(&m, MEMORY_PROGRAM, 16 * kb, 16 * kb);
	check_part(&m, MEMORY_LIBRARIES, 8 * kb, 4 * kb);
	uint64_t known = 1024 * kb + pools + 32 * kb + large + 16 * kb + 24 * kb;
	check_part(&m, MEMORY_OTHER,
	    2048 * kb - pools - 64 * kb - large - 12 * kb + 4 * kb + 2048 * kb + 4 * kb + 128,
	    3072 * kb - known);
}

/* A library that was loaded later ends where the heap begins: the kernel makes one mapping of its static data, here a page,
 * and of the minor heaps and pools behind them. */
TEST(test_parts_behind_library)
{
	const char *at = strstr(maps, "40000000-40100000");
	struct system_memory m;
	struct tree tree;
	char text[2000];

	make();
	tree_make(&tree);
	snprintf(text, sizeof(text),
	    "%.*s3fffd000-3fffe000 r-xp 00000000 08:01 81 /lib/ring.cmxs\n"
	    "3fffe000-3ffff000 rw-p 00001000 08:01 81 /lib/ring.cmxs\n"
	    "3ffff000-40100000%s",
	    (int)(at - maps), maps, at + strlen("40000000-40100000"));
	/* The pools are in it, too. */
	char *pools = strstr(text, "10000000-10200000");
	memcpy(pools, "10000000-10040000", 17);
	tree_text(&tree, 10, "maps", text);
	put_headers(&tree, 0x3fffd000, 0x2800);
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	CHECK_STR(m.why, "");
	CHECK_INT(m.mappings, 15);
	check_part(&m, MEMORY_MINOR, 0x100000, 0x100000);
	CHECK_INT(m.reserved[MEMORY_LIBRARIES], 0x2000 + 0x3000);
	/* Headers that do not tell: nothing is taken for the library's. */
	put_headers(&tree, 0x3fffd000, 0x1001);
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	check_part(&m, MEMORY_MINOR, 0x100000, 0x100000);
	CHECK_INT(m.reserved[MEMORY_LIBRARIES], 0x2000 + 0x2000);
}

/* What can't be known is not guessed. */
TEST(test_parts_unknown)
{
	struct system_memory m;
	struct tree tree;

	make();
	tree_make(&tree);
	/* No runtime: what the kernel says alone. */
	CHECK_INT(memory_read(tree.root, 10, NULL, "of this", 5, &m), 0);
	CHECK_STR(m.why, "of this");
	check_part(&m, MEMORY_RING, 4096, 4096);
	check_part(&m, MEMORY_OTHER, MEMORY_UNKNOWN, MEMORY_UNKNOWN);
	check_part(&m, MEMORY_POOLS, MEMORY_UNKNOWN, MEMORY_UNKNOWN);
	/* Which pages are swapped out is not known, but how large the parts are. */
	tree_text(&tree, 10, "status", "VmRSS: 3072 kB\nVmSwap: 4 kB\n");
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	check_part(&m, MEMORY_POOLS, MADE_POOL_WORDS * 8, MEMORY_UNKNOWN);
	CHECK(m.resident[MEMORY_OTHER] == MEMORY_UNKNOWN && m.resident[MEMORY_POOLS_FREE] == 32768);
	/* Less is resident than the parts are: figures of different moments. */
	tree_text(&tree, 10, "status", "VmRSS: 4 kB\nVmSwap: 0 kB\n");
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	CHECK(m.resident[MEMORY_OTHER] == 0 && m.resident[MEMORY_POOLS] == 0);
	/* A heap that is larger than all there is, or changes all the time. */
	*made_word(&made, MADE_HEAP + 1056) = UINT64_C(1) << 40;
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	CHECK_STR(m.why, "its figures of the heap make no sense");
	check_part(&m, MEMORY_POOLS, MEMORY_UNKNOWN, MEMORY_UNKNOWN);
	*made_word(&made, MADE_POOL + 16) = MADE_STATE;
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	CHECK_STR(m.why, "its heap changes too fast to be read");
	/* The kernel does not tell which pages there are. */
	make();
	tree_text(&tree, 10, "pagemap", "");
	CHECK_INT(memory_read(tree.root, 10, made.runtime, "", 5, &m), 0);
	CHECK_STR(m.why, "the kernel does not say which pages are resident");
	CHECK_INT(memory_read(tree.root, 11, NULL, "", 5, &m), ESRCH);
	tree_text(&tree, 10, "status", "x");
	CHECK(memory_read(tree.root, 10, NULL, "", 5, &m) != 0);
}

/* Of this very process, with a ring mapped that has eight pages in use. */
TEST(test_memory_real)
{
	struct system_memory before, after;
	struct tree tree;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *ring;
	int fd;

	tree_create(&tree);
	fd = open(tree_path(&tree, "7.events"), O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0 && ftruncate(fd, (off_t)(64 * page)) == 0);
	CHECK_INT(memory_read(NULL, getpid(), NULL, "", 5, &before), 0);
	CHECK_INT(before.resident[MEMORY_RING], 0);
	CHECK(before.resident[MEMORY_PROGRAM] > 0 && before.mappings > 5);
	ring = mmap(NULL, 64 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(ring != MAP_FAILED);
	for (int i = 0; i < 8; i++)
		((volatile char *)ring)[(uint64_t)i * page] = 1;
	CHECK_INT(memory_read(NULL, getpid(), NULL, "", 5, &after), 0);
	CHECK(after.resident[MEMORY_RING] >= 8 * page && after.resident[MEMORY_RING] <= 64 * page);
	CHECK_INT(after.reserved[MEMORY_RING], 64 * page);
	munmap(ring, 64 * page);
	close(fd);
}
