/*
 * fuzz_process.c - a process of a made-up /proc, with any bytes as its files, its memory among them, and as those of its thread, of
 * its control group and of the machine: it is searched for, listed, sampled, and asked for its settings.
 *
 * A file begins with a byte of MARK and one that chooses it, and ends where the next one begins.  Its program is an image with the
 * variables that are looked for.
 */
#include "support/test_target_tree.h"
#include "target/events_paused.h"
#include "target/maps.h"
#include "target/memtrace_path.h"
#include "target/ocaml_settings.h"
#include "target/roster.h"
#include "target/runtime_threads.h"
#include "target/sampler.h"
#include "target/variables.h"

#define MEM "proc/700/mem"

enum { PID = 700, TID = 701, MARK = 0xFE, DATA_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is looked for in the tree, below its base. */
static const char *const names[] = {"proc/700/maps", "proc/700/environ", "proc/700/cmdline", "proc/700/stat",
    "proc/700/status", MEM, "proc/700/cgroup", "proc/700/limits", "proc/self/mountinfo",
    "proc/700/task/700/stat", "proc/700/task/700/status", "proc/700/task/700/schedstat",
    "proc/700/task/701/stat", "proc/700/task/701/status", "proc/700/task/701/schedstat",
    "proc/700/task/701/syscall", "proc/stat", "proc/loadavg", "proc/self/schedstat", "proc/pressure/cpu",
    "proc/pressure/memory", "proc/sys/kernel/yama/ptrace_scope", "sys/devices/system/cpu/online",
    "srv/700.events", "group/cpu.max", "group/cpu.stat", "group/memory.max", "group/memory.current",
    "group/memory.events", "group/memory.high", "group/cpuset.cpus.effective", "group/cpu.pressure",
    "group/memory.pressure", "group/cgroup.events", "srv/script"};
enum { FILES = sizeof(names) / sizeof(names[0]) };

/* Make the directories and the program. */
static void begin(struct tree *tree)
{
	static const char *const dirs[] = {"proc/700/task", "proc/700/task/700", "proc/700/task/701",
	    "proc/pressure", "proc/sys", "proc/sys/kernel", "proc/sys/kernel/yama", "sys", "sys/devices",
	    "sys/devices/system", "sys/devices/system/cpu", "group"};
	static const char *const variables[] = {"caml_percent_free", "caml_custom_major_ratio",
	    "caml_custom_minor_max_bsz", "caml_max_stack_wsize", "caml_small_heap_limit", "caml_params",
	    "caml_ocamlrunparam"};
	static struct image_maker maker;

	tree_create(tree);
	image_begin(&maker);
	image_runtime(&maker);
	image_release(&maker, 5, 3, 0);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) - 1; i++) {
		image_symbol(&maker, variables[i], maker.data_size, 8, STT_OBJECT);
		image_word(&maker, 0);
	}
	image_symbol(&maker, variables[6], maker.data_size, 64, STT_OBJECT);
	maker.data_size += 64;
	image_finish(&maker, ET_EXEC, PF_R | PF_X);
	tree_write(tree->base, "srv/program", maker.file, maker.file_size);
	tree_process(tree, PID, tree_path(tree, "srv/program"));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		tree_mkdir(tree->base, dirs[i]);
}

/* Write a file; memory begins where the program does. */
static void put_file(const struct tree *tree, const char *name, const uint8_t *text, size_t size)
{
	const off_t at = strcmp(name, MEM) == 0 ? IMAGE_BASE : 0;
	const int fd = open(tree_path(tree, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || pwrite(fd, text, size, at) != (ssize_t)size || close(fd) != 0)
		abort();
}

/* Write the files of an input; those that it has not are gone. */
static void put(const struct tree *tree, const uint8_t *data, size_t size)
{
	const uint8_t *at = memchr(data, MARK, size), *end = data + size;

	for (unsigned i = 0; i < FILES; i++)
		unlink(tree_path(tree, names[i]));
	while (at != NULL && end - at > 1) {
		const uint8_t *next = memchr(at + 2, MARK, (size_t)(end - at) - 2);

		put_file(
		    tree, names[at[1] % FILES], at + 2, (size_t)((next != NULL ? next : end) - (at + 2)));
		at = next;
	}
}

static bool see_map(void *ctx, const struct map *map)
{
	if (map->start > map->end)
		abort();
	return true;
}

static bool see_stack(void *ctx, uint64_t start, uint64_t end)
{
	if (start >= end)
		abort();
	return true;
}

/* Look for it, and list it. */
static void try_search(const struct tree *tree)
{
	const struct locate_options options = {.proc_root = tree->root, .pid = PID};
	const struct processes_options all = {.proc_root = tree->root};
	struct process_detail detail;
	struct roster *roster;
	struct located located;
	char text[2][1024];

	if ((locate(&options, &located) == LOCATE_OK) != (located.fd >= 0))
		abort();
	locate_explain(&located, text[0], sizeof(text[0]), text[1], sizeof(text[1]));
	if (located.fd >= 0)
		close(located.fd);
	if (roster_create(&roster, &all) == 0) {
		for (uint64_t now = 1; now < 3; now++)
			(void)roster_refresh(roster, now * UINT64_C(10000000000));
		roster_destroy(roster);
	}
	(void)processes_hidden(tree->root);
	(void)inner_pid(tree->root, PID, 1);
	process_detail_read(&detail, tree->root, PID);
}

/* Read the parts that have a handle of their own. */
static void try_parts(const struct tree *tree)
{
	struct ocaml_reader *reader = ocaml_reader_create(tree->root, PID);
	struct tracing *tracing = tracing_create(tree->root, PID);
	struct runtime_threads *threads = runtime_threads_create(tree->root, PID);
	const struct ocaml_evidence evidence = {.ring_words = 65536};
	struct effort effort = effort_for_look();
	struct ocaml_settings settings;
	struct variables variables;
	struct traced traced;
	struct map map;
	struct stat st;
	uint64_t top;
	int fd;

	ocaml_settings_read(reader, &evidence, &settings);
	ocaml_reader_destroy(reader);
	if (tracing != NULL)
		(void)tracing_read(tracing);
	tracing_destroy(tracing);
	if (variables_open(&variables, tree->root, PID) == 0) {
		const struct memory_reader memory = variables_memory(&variables);
		struct version version;

		(void)maps_walk(&variables.proc, &effort, see_map, NULL);
		(void)maps_find(&variables.proc, &effort, 0x1000, &map);
		(void)maps_lack_ocaml(&variables.proc);
		(void)version_of_process(&variables.proc, &(struct version_options){.ring = true}, &version);
		(void)bytecode_trailer(&variables.proc);
		thread_stacks(&variables.proc, &memory, see_stack, NULL);
		(void)runtime_threads_of_stack(threads, &memory, 0x1000, &top);
	}
	variables_close(&variables);
	runtime_threads_destroy(threads);
	if (traced_by_process(&traced, tree->root, PID) == 0 && traced_open(&traced, &st, &fd) == 0)
		close(fd);
	traced_close(&traced);
}

/* Take two samples. */
static void try_sampler(const struct tree *tree)
{
	const struct sampler_options options = {.proc_root = tree->root, .sys_root = tree->base, .pid = PID};
	struct sampler *sampler = sampler_create(&options);

	for (uint64_t now = 1; sampler != NULL && now < 3; now++)
		(void)sampler_take(sampler, now * UINT64_C(1000000000));
	sampler_destroy(sampler);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tree tree;

	if (tree.base[0] == '\0')
		begin(&tree);
	put(&tree, data, size < DATA_MAX ? size : DATA_MAX);
	try_search(&tree);
	try_parts(&tree);
	try_sampler(&tree);
	return 0;
}
