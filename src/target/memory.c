/* memory.c - see memory.h. */
#include "target/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/array.h"
#include "core/clock.h"
#include "core/sum.h"
#include "target/elf.h"
#include "target/maps.h"
#include "target/runtime_threads.h"
#include "target/system_parse.h"

/* How often lists that changed during a walk are followed again. */
#define TRIES 4
#define HEAP_NS UINT64_C(1000000000) /* for all attempts together */

/* Maximum number of pages that are looked up: 64 GiB. */
#define PAGES_MOST (1u << 24)

/* Maximum size of the inaccessible mapping below the stack of a thread. */
#define GUARD_MOST 65536

/* A mapping. */
struct mapping {
	uint64_t start, end;
	uint64_t file;		      /* inode; 0: none */
	enum system_memory_part part; /* MEMORY_OTHER: it may contain ranges of the heap */
	bool anonymous, rights; /* whether it has any access rights; for a file, whether it is writable */
};

struct reading {
	struct variables process;
	struct memory_heap heap;
	uint64_t stack_bytes; /* size limit of a stack; 0: not known */
	struct mapping *mappings;
	size_t count, room;
	bool lacking;		      /* memory ran out */
	char program[PROC_PATH_SIZE]; /* path in maps, without the mark of deletion; "": not known */
	uint64_t file, file_at; /* inode of the last file mapped from its start, and the address of that */
	uint64_t seen;		/* number of mappings; one of them can become two in `mappings` */
	/* /proc/PID/pagemap */
	int pages;
	uint64_t page, first, held, asked; /* size of a page; pages in `words`; pages looked up */
	uint64_t words[1024];
	struct system_memory *out;
};

/* ---- mappings ---- */

/* Return where the static data of a loaded file end, from its headers in memory; 0: not known. */
static uint64_t statics_end(struct reading *r)
{
	const struct memory_reader memory = variables_memory_unchecked(&r->process);
	struct effort effort = effort_for_look();
	uint64_t first = UINT64_MAX, end = 0;
	uint8_t head[4096];
	struct source source;
	struct elf elf;

	if (memory_bytes(&memory, r->file_at, head, sizeof(head)) != 0)
		return 0;
	source_from_memory(&source, head, sizeof(head), &effort);
	if (!elf_open(&elf, &source))
		return 0;
	for (unsigned i = 0; i < elf.segment_count; i++) {
		const struct elf_segment *s = &elf.segments[i];
		uint64_t past = sum_saturating(s->address, s->mem_size);
		first = s->address < first ? s->address : first;
		end = past > end ? past : end;
	}
	first -= first % r->page;
	return end > first ? sum_saturating(r->file_at, end - first + r->page - 1) / r->page * r->page : 0;
}

/* Determine which part a mapping is, from itself and the mapping below.  The answer holds up to *end. */
static enum system_memory_part part_of(
    struct reading *r, const struct map *map, bool anonymous, uint64_t *end)
{
	const struct mapping *below = r->count > 0 ? &r->mappings[r->count - 1] : NULL;
	int64_t number;

	if (map_is_ring(map, &number))
		return MEMORY_RING;
	if (map->inode != 0 && map->perms[3] == 'p')
		return strcmp(map->path, r->program) == 0 ? MEMORY_PROGRAM : MEMORY_LIBRARIES;
	if (strcmp(map->path, "[stack]") == 0)
		return MEMORY_STACKS;
	/* Static data that are not in the file follow those that are.  The kernel merges them with what the
	 * program maps directly behind them. */
	if (below == NULL || below->end != map->start || below->anonymous || !below->rights ||
	    (below->part != MEMORY_PROGRAM && below->part != MEMORY_LIBRARIES) || below->file != r->file ||
	    !anonymous || map->path[0] != '\0')
		return MEMORY_OTHER;
	uint64_t statics = statics_end(r);
	if (statics <= map->start)
		return MEMORY_OTHER;
	*end = statics < map->end ? statics : map->end;
	return below->part;
}

/* Whether a mapping begins with the stack of a thread: there is an inaccessible guard mapping below it. */
static bool begins_with_stack(const struct reading *r, const struct mapping *m)
{
	const struct mapping *below = m > r->mappings ? m - 1 : NULL;

	return m->anonymous && m->rights && m->part == MEMORY_OTHER && below != NULL &&
	       below->end == m->start && below->anonymous && !below->rights &&
	       below->end - below->start <= GUARD_MOST;
}

/* Take a mapping. */
static bool see_mapping(void *ctx, const struct map *map)
{
	struct reading *r = ctx;
	bool anonymous = map->inode == 0 && map->perms[3] == 'p' &&
			 (map->path[0] != '[' || strcmp(map->path, "[heap]") == 0);

	bool rights = anonymous ? memcmp(map->perms, "---", 3) != 0 : map->perms[1] == 'w';
	uint64_t end = map->end;

	r->seen++;
	if (r->count > 0 && map->start < r->mappings[r->count - 1].end)
		return true;
	r->lacking = !array_room(&r->mappings, &r->room, r->count + 2, sizeof(r->mappings[0]));
	if (r->lacking)
		return false;
	struct mapping *m = &r->mappings[r->count];
	enum system_memory_part part = part_of(r, map, anonymous, &end);
	*m = (struct mapping){map->start, end, map->inode, part, anonymous, rights};
	r->count++;
	if (end < map->end)
		r->mappings[r->count++] = (struct mapping){end, map->end, 0, MEMORY_OTHER, anonymous, rights};
	/* The data of a small file can be at offset 0, too. */
	if (map->inode != 0 && map->offset == 0 && map->inode != r->file) {
		r->file = map->inode;
		r->file_at = map->start;
	}
	if (r->stack_bytes != 0 && begins_with_stack(r, m)) {
		uint64_t size = m->end - m->start;
		size = size < r->stack_bytes ? size : r->stack_bytes;
		r->lacking = !memory_heap_add(&r->heap, m->start, m->start + size, MEMORY_STACKS);
	}
	return !r->lacking;
}

/* ---- pages ---- */

/* Whether a page is resident.  Returns false and sets `lacking` if that can't be determined. */
static bool is_resident(struct reading *r, uint64_t number)
{
	enum { WORDS = sizeof(r->words) / sizeof(r->words[0]) };

	if (number < r->first || number - r->first >= r->held) {
		ssize_t n = r->asked >= PAGES_MOST ? 0
						   : pread(r->pages, r->words, sizeof(r->words),
							 (off_t)(number * sizeof(r->words[0])));
		r->first = number;
		r->held = n > 0 ? (uint64_t)n / sizeof(r->words[0]) : 0;
		r->asked += WORDS;
		r->lacking = r->held == 0;
		if (r->lacking)
			return false;
	}
	return r->words[number - r->first] >> 63 != 0;
}

/* Count a stretch of a part. */
static void add_stretch(struct reading *r, enum system_memory_part part, uint64_t start, uint64_t end)
{
	struct system_memory *out = r->out;

	out->reserved[part] += end - start;
	/* Reserved ranges have no pages; the pages of the rest are computed from the total. */
	if (part == MEMORY_MINOR_RESERVE || part == MEMORY_OTHER)
		return;
	for (uint64_t at = start, next; at < end && !r->lacking; at = next) {
		next = (at / r->page + 1) * r->page;
		next = next < end ? next : end;
		if (is_resident(r, at / r->page))
			out->resident[part] += next - at;
	}
}

/* ---- parts ---- */

/* Count the mappings, and the ranges in them as far as they are mapped. */
static void add_all(struct reading *r)
{
	const struct memory_range *range = r->heap.ranges; /* NULL where there are none */
	const struct memory_range *last = range != NULL ? range + r->heap.count : NULL;

	for (size_t i = 0; i < r->count; i++) {
		const struct mapping *m = &r->mappings[i];
		uint64_t at = m->start;

		while (range < last && range->end <= m->start)
			range++;
		while (m->part == MEMORY_OTHER && m->anonymous && range < last && range->start < m->end) {
			uint64_t start = range->start > m->start ? range->start : m->start;
			uint64_t end = range->end < m->end ? range->end : m->end;
			add_stretch(r, MEMORY_OTHER, at, start);
			add_stretch(r, range->part, start, end);
			at = end;
			if (range->end > m->end)
				break;
			range++;
		}
		add_stretch(r, m->part, at, m->end);
	}
}

/* Subtract the pools in use from the remaining mappings, and compute the rest.  All pages of pools have been
 * written to, so those that are not swapped out are resident. */
static void add_rest(struct reading *r, uint64_t resident, bool swapped)
{
	enum { WORD = 8 };
	struct system_memory *out = r->out;
	uint64_t bytes = r->heap.pool_words * WORD, known = 0;

	if (r->heap.pool_words > UINT64_MAX / WORD || bytes > out->reserved[MEMORY_OTHER]) {
		out->why = "its figures of the heap make no sense";
		return;
	}
	out->reserved[MEMORY_POOLS] = bytes;
	out->reserved[MEMORY_OTHER] -= bytes;
	for (unsigned i = 0; i < MEMORY_PARTS; i++)
		known += out->resident[i];
	resident -= known < resident ? known : resident;
	/* The two figures were read at different moments. */
	bytes = bytes < resident ? bytes : resident;
	out->resident[MEMORY_POOLS] = swapped ? MEMORY_UNKNOWN : bytes;
	out->resident[MEMORY_OTHER] = swapped ? MEMORY_UNKNOWN : resident - bytes;
}

/* Mark all resident sizes as unknown. */
static void forget_pages(struct system_memory *out)
{
	for (unsigned i = 0; i < MEMORY_PARTS; i++)
		out->resident[i] = MEMORY_UNKNOWN;
	out->why = "the kernel does not say which pages are resident";
}

/* Mark the parts of the heap as unknown, and the rest, which depends on them. */
static void forget_heap(struct system_memory *out)
{
	static const enum system_memory_part parts[] = {MEMORY_MINOR, MEMORY_MINOR_RESERVE, MEMORY_POOLS,
	    MEMORY_POOLS_FREE, MEMORY_LARGE, MEMORY_STACKS, MEMORY_OTHER};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		out->reserved[parts[i]] = out->resident[parts[i]] = MEMORY_UNKNOWN;
}

/* ---- reading ---- */

/* Find the heap.  Returns why it is not known; "" if it is. */
static const char *find_heap(struct reading *r, struct runtime *runtime, uint64_t now)
{
	struct effort effort = effort_for_code();
	int error = EAGAIN;

	effort.end = monotonic_now() + HEAP_NS;
	effort.cpu_end = 0;
	for (int i = 0; i < TRIES && error == EAGAIN; i++)
		error = memory_heap_walk(runtime, now, &effort, &r->heap);
	switch (error) {
	case 0:
		return "";
	case EAGAIN:
		return "its heap changes too fast to be read";
	case E2BIG:
		return "its heap has too many parts to be read in time";
	case ENOENT:
		return "its program has no symbols for them";
	default:
		return variables_why(error);
	}
}

/* Read how large the stack of a thread is; 0: not known. */
static uint64_t stack_limit(const struct proc *proc)
{
	enum { UNLIMITED = 2 << 20 }; /* what glibc uses without a limit */
	char text[4096];
	uint64_t limit;
	size_t len;

	if (proc_read(proc, "limits", text, sizeof(text), &len) != 0 ||
	    !system_parse_rlimit(text, len, "Max stack size", &limit))
		return 0;
	return limit == SYSTEM_NO_LIMIT ? UNLIMITED : limit;
}

/* Record the stack of a thread, since newer kernels guard it without a mapping. */
static bool see_stack(void *ctx, uint64_t start, uint64_t end)
{
	struct reading *r = ctx;

	return memory_heap_add(&r->heap, start, end, MEMORY_STACKS);
}

/* Read what the kernel reports of the process: its mappings, and the resident and swapped totals. */
static int read_mappings(struct reading *r, uint64_t *resident, uint64_t *swapped)
{
	struct effort effort = effort_for_code();
	char text[KEPT_TEXT];
	size_t len;

	(void)proc_program(&r->process.proc, r->program);
	r->stack_bytes = stack_limit(&r->process.proc);
	r->page = (uint64_t)sysconf(_SC_PAGESIZE);
	r->pages = proc_descriptor(&r->process.proc, "pagemap");
	int error = maps_walk(&r->process.proc, &effort, see_mapping, r);
	if (error == 0)
		error = proc_read(&r->process.proc, "status", text, sizeof(text), &len);
	if (error == 0 && (r->count == 0 || !system_parse_keyed(text, len, "VmRSS", resident) ||
			      !system_parse_keyed(text, len, "VmSwap", swapped)))
		error = proc_hidden(&r->process.proc) ? EACCES : ESRCH;
	return error == 0 && r->lacking ? ENOMEM : error;
}

int memory_read(const char *proc_root, pid_t pid, struct runtime *runtime, const char *why, uint64_t now,
    struct system_memory *out)
{
	struct reading *r = calloc(1, sizeof(*r));
	uint64_t resident, swapped;

	if (r == NULL)
		return ENOMEM;
	r->pages = -1;
	r->out = out;
	long limit = proc_setting(proc_root, "vm/max_map_count", 0);
	*out = (struct system_memory){.ts = now, .mappings_limit = limit > 0 ? (uint64_t)limit : 0};
	out->why = runtime != NULL ? find_heap(r, runtime, now) : why;
	int error = variables_open(&r->process, proc_root, pid);
	if (error == 0)
		error = read_mappings(r, &resident, &swapped);
	if (error == 0) {
		out->mappings = r->seen;
		if (runtime != NULL && out->why[0] == '\0') {
			const struct memory_reader memory = runtime_memory_unchecked(runtime);
			thread_stacks(&r->process.proc, &memory, see_stack, r);
		}
		memory_heap_sort(&r->heap);
		add_all(r);
		if (r->lacking)
			forget_pages(out);
		if (out->why[0] == '\0')
			add_rest(r, system_kilobytes(resident), swapped > 0);
		if (out->why[0] != '\0')
			forget_heap(out);
	}
	if (r->pages >= 0)
		close(r->pages);
	variables_close(&r->process);
	free(r->mappings);
	free(r->heap.ranges);
	free(r);
	return error;
}
