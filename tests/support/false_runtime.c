/*
 * false_runtime.c - a program that has the symbols and strings of an OCaml 5.3 runtime, and whose structures lie.
 * Usage: false_runtime MODE; prints its pid when all is in place, and waits.
 *
 *   plain       ten fibers that wait, with one frame each
 *   own_parent  C that OCaml called from a fiber that has no frame and is its own parent
 *   spin        runs what is taken for OCaml code, on the stack of such a fiber
 *   table       a frame table of sixteen million descriptors, which are one memory mapped again and again
 *   list        a list of frame tables that leads back to its begin
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS(bytes) ((bytes) / 8)

/* What a version is concluded from. */
extern const char *const strings[];
const char *const strings[] = {"OCAML_RUNTIME_EVENTS_DIR", "Couldn't open ring buffer loc",
    "maximum length for event name exceeded", "OCAMLRUNPARAM: max_domains(d) must be at least 1"};
extern struct version {
	uint64_t release_header, major, minor, patch, extra, text_header;
	char text[8];
} version;
struct version version = {0x1300, 11, 7, 1, 1, 1 << 10 | 0x3fc, {'5', '.', '3', '.', '0', 0, 0, 2}};

/* The variables of the runtime. */
extern uint64_t caml_major_cycles_completed, all_domains, caml_params, caml_minor_collections_count,
    caml_compactions_count, caml_num_domains_running, caml_minor_heaps_start, caml_minor_heaps_end,
    thread_table, caml_frametable[4], caml_global_heap_state[3], pool_freelist[128], orphaned_alloc_stats[8];
uint64_t caml_major_cycles_completed, all_domains, caml_params, caml_minor_collections_count,
    caml_compactions_count, caml_num_domains_running = 1, caml_minor_heaps_start, caml_minor_heaps_end,
			    thread_table, caml_frametable[4], caml_global_heap_state[3] = {0, 0x100, 0x200},
			    pool_freelist[128], orphaned_alloc_stats[8];
extern struct descriptors {
	int32_t count, mask;
	uint64_t table, list;
} current_frame_descrs;
struct descriptors current_frame_descrs;

/* Functions of the runtime and of OCaml; each has a place that a call returns to. */
extern char at_call[], at_start[], at_runstack[], at_work[], work[];
#define FUNCTION(symbol, label)                                                                              \
	".globl " symbol "\n.type " symbol ", @function\n" symbol ":\n nop\n nop\n" label                    \
	": nop\n jmp " symbol "\n.size " symbol ", .-" symbol "\n"
#define EDGE(symbol) ".globl " symbol "\n.type " symbol ", @function\n" symbol ":\n nop\n"
__asm__(".text\n" EDGE("caml_system__code_begin") FUNCTION("caml_c_call", "at_call") FUNCTION(
    "caml_start_program", "at_start") FUNCTION("caml_runstack", "at_runstack") EDGE("caml_system__code_end")
	EDGE("camlFalse.code_begin") "work:\n" FUNCTION("camlFalse.work_1", "at_work")
	    EDGE("camlFalse.code_end"));

static uint64_t *state, *heap, *pool;
static unsigned fibers; /* in the pool */

static void *map(size_t size)
{
	void *at =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Memory of which one mebibyte is there, and mapped again and again.  *first is where it is written. */
static char *map_again(size_t size, char **first)
{
	enum { PIECE = 1 << 20 };
	char *at = map(size);
	int fd = memfd_create("again", 0);

	if (fd < 0 || ftruncate(fd, PIECE) != 0)
		exit(1);
	for (size_t done = 0; done < size; done += PIECE)
		if (mmap(at + done, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			exit(1);
	close(fd);
	*first = at;
	return at;
}

/* A frame table with the four places. */
static void make_table(void)
{
	const struct {
		const char *place;
		uint16_t size;
	} rows[] = {{at_work, 16}, {at_start, 0xffff}, {at_runstack, 0xffff}, {at_call, 0xffff}};
	char *table = map(4096);

	*(uint64_t *)(void *)table = sizeof(rows) / sizeof(rows[0]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t place = address(rows[i].place);
		memcpy(table + 8 + 16 * i, &place, 8);
		memcpy(table + 16 + 16 * i, &rows[i].size, 2);
	}
	caml_frametable[0] = address(table);
	current_frame_descrs.count = 4;
}

/* One domain, its heap and a pool for continuations. */
static void make_domain(void)
{
	uint64_t *params = map(65536), *element = map(264 * 128);
	char *minor = map(1 << 20), *pools = map(1 << 17);

	params[20] = 128;
	caml_params = address(params);
	all_domains = address(element);
	state = map(65536);
	heap = map(65536);
	pool = (uint64_t *)(void *)(pools + (-address(pools) & 32767));
	element[1] = address(state);
	element[14] = element[15] = element[20] = 1;
	element[21] = (uint64_t)syscall(SYS_gettid);
	element[31] = caml_minor_heaps_start = state[2] = address(minor);
	element[32] = caml_minor_heaps_end = state[1] = state[3] = address(minor) + (1 << 20);
	state[9] = address(map(4096));
	state[34] = WORDS(1 << 20);
	state[35] = address(heap);
	heap[2] = address(pool);
	heap[131] = pool[2] = address(state);
	pool[3] = 2;
}

/* Hold a stack by a continuation in the pool. */
static void hold(const uint64_t *stack)
{
	uint64_t *block = pool + 4 + 3 * fibers++;

	block[0] = 2 << 10 | 245;
	block[1] = address(stack) + 1;
	block[2] = 1;
}

/* A fiber of `depth` frames whose stack begins at `s`; `parent` 0: it waits for its continuation. */
static uint64_t *make_fiber(uint64_t *s, size_t depth, uint64_t parent)
{
	uint64_t *at = s + 16;

	s[0] = address(at);
	for (size_t i = 0; i < depth; i++, at += 2)
		*at = address(at_work);
	*at++ = address(at_runstack); /* its base follows, and behind that where its parent is */
	s[2] = address(at + 4);
	at[7] = parent;
	return s;
}

/* Say that C was entered from a fiber. */
static void enter_c(uint64_t *link, const uint64_t *fiber)
{
	link[3] = address(at_call);
	link[4] = state[5] = address(fiber);
	link[5] = fiber[0];
	state[8] = address(link + 4);
}

static void ready(void)
{
	printf("%d\n", getpid());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	volatile uint64_t link[16] = {0};
	char *first;

	(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	make_domain();
	make_table();
	if (strcmp(mode, "plain") == 0)
		for (int i = 0; i < 10; i++)
			hold(make_fiber(map(4096), 1, 0));
	if (strcmp(mode, "own_parent") == 0) {
		uint64_t *s = map(4096);
		enter_c((uint64_t *)(uintptr_t)link, make_fiber(s, 0, address(s)));
	}
	if (strcmp(mode, "table") == 0) {
		char *table = map_again((size_t)257 << 20, &first);
		for (size_t at = 0; at < 1 << 20; at += 16)
			memcpy(first + at, &(const uint64_t[]){0x1000 + at, 0xffff}, 16);
		*(uint64_t *)(void *)(table + (1 << 20) - 8) = 1 << 24;
		caml_frametable[1] = address(table + (1 << 20) - 8);
	}
	if (strcmp(mode, "list") == 0) {
		uint64_t *node = map(4096);
		node[0] = caml_frametable[0];
		node[1] = current_frame_descrs.list = address(node);
	}
	if (strcmp(mode, "spin") == 0) {
		uint64_t *s = map(65536);
		(void)make_fiber(s, 0, address(s));
		state[5] = address(s);
		state[8] = address((const void *)(uintptr_t)link);
		ready();
		__asm__ volatile("mov %0, %%r14\n mov %1, %%rsp\n jmp work" ::"r"(state), "r"(s[0])
				 : "memory");
	}
	ready();
	for (;;)
		sleep(1000);
}
