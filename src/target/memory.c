/*
 * memory.c - see memory.h.
 */
#include "target/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sum.h"
#include "target/maps.h"
#include "target/memory_private.h"
#include "target/system_parse.h"

/* How often lists that changed are followed again. */
#define TRIES 4

/* Pages that the kernel is asked for one by one, at most: a second part of the memory of many processes. */
#define PAGES_MOST (1u << 22)

/* Bytes of the mapping without rights before the stack of a thread, at most. */
#define GUARD_MOST 65536

/* A mapping. */
struct mapping {
	uint64_t start, end, resident;
	enum system_memory_part part; /* MEMORY_OTHER: it may hold ranges of the heap */
};

struct reading {
	struct proc proc;
	struct memory_heap heap;
	uint64_t stack_bytes; /* limit of a stack; 0: not known */
	struct mapping *mappings;
	size_t count, room;
	bool lacking;		      /* memory ran out */
	uint64_t swapped;	      /* bytes of mappings that may hold ranges */
	char program[PROC_PATH_SIZE]; /* as in maps, without the mark of deletion; "": not known */
	struct map maps[2];	      /* the current mapping and the one below it, in turns */
	bool current;		      /* its figures follow */
	/* pagemap */
	int pages;
	uint64_t page, first, held, asked; /* size of a page; those in `words`, and how many were asked for */
	uint64_t words[1024];
	struct system_memory *out;
};

/* ---- mappings ---- */

static const struct map *map_of(const struct reading *r)
{
	return &r->maps[r->count % 2];
}

static const struct map *below(const struct reading *r)
{
	return &r->maps[(r->count + 1) % 2];
}

/* Whether a mapping is anonymous memory. */
static bool is_anonymous(const struct map *map)
{
	return map->inode == 0 && map->perms[3] == 'p' &&
	       (map->path[0] != '[' || strcmp(map->path, "[heap]") == 0);
}

/* Whether it can't be read, written or run. */
static bool has_no_rights(const struct map *map)
{
	return memcmp(map->perms, "---", 3) == 0;
}

/* The part that the current mapping is, as far as itself and the one below tell. */
static enum system_memory_part part_of(const struct reading *r)
{
	const struct map *map = map_of(r), *before = below(r);
	size_t i = r->count;
	int64_t number;

	if (map_is_ring(map, &number))
		return MEMORY_RING;
	if (map->inode != 0 && map->perms[3] == 'p')
		return strcmp(map->path, r->program) == 0 ? MEMORY_PROGRAM : MEMORY_LIBRARIES;
	if (strcmp(map->path, "[stack]") == 0)
		return MEMORY_STACKS;
	if (!is_anonymous(map))
		return MEMORY_OTHER;
	/* Static data that the file does not have follow those that it has. */
	if (i > 0 && before->end == map->start && before->inode != 0 && before->perms[1] == 'w' &&
	    map->path[0] == '\0' &&
	    (r->mappings[i - 1].part == MEMORY_PROGRAM || r->mappings[i - 1].part == MEMORY_LIBRARIES))
		return r->mappings[i - 1].part;
	return MEMORY_OTHER;
}

/* Whether the current mapping begins with the stack of a thread: below is the page that it must not grow into. */
static bool begins_with_stack(const struct reading *r)
{
	const struct map *map = map_of(r), *before = below(r);

	return is_anonymous(map) && map->perms[1] == 'w' && before->end == map->start &&
	       is_anonymous(before) && has_no_rights(before) && before->end - before->start <= GUARD_MOST;
}

/* Take the current mapping. */
static void see_mapping(struct reading *r)
{
	const struct map *map = map_of(r);
	enum system_memory_part part = part_of(r);
	bool stack = part == MEMORY_OTHER && r->stack_bytes != 0 && begins_with_stack(r);

	if (r->count == r->room) {
		size_t room = r->room == 0 ? 256 : r->room * 2;
		struct mapping *mappings = reallocarray(r->mappings, room, sizeof(mappings[0]));
		if (mappings == NULL) {
			r->lacking = true;
			return;
		}
		r->mappings = mappings;
		r->room = room;
	}
	r->mappings[r->count++] = (struct mapping){map->start, map->end, 0, part};
	if (stack) {
		uint64_t size = map->end - map->start;
		size = size < r->stack_bytes ? size : r->stack_bytes;
		r->lacking |= !memory_heap_add(&r->heap, map->start, map->start + size, MEMORY_STACKS);
	}
}

/* Take a line of smaps: the head of a mapping, or one of its figures. */
static bool see_line(void *ctx, const char *line, size_t len)
{
	struct reading *r = ctx;
	struct map *map = &r->maps[r->count % 2];
	uint64_t more;

	/* Heads begin with a hexadecimal address in lower case, figures with a capital letter. */
	if (len > 0 && line[0] >= 'A' && line[0] <= 'Z') {
		if (!r->current)
			return true;
		struct mapping *last = &r->mappings[r->count - 1];
		if (system_parse_keyed(line, len, "Rss", &more))
			last->resident = system_kilobytes(more);
		else if (last->part == MEMORY_OTHER && system_parse_keyed(line, len, "Swap", &more))
			r->swapped = sum_saturating(r->swapped, system_kilobytes(more));
		return true;
	}
	r->current =
	    map_parse(line, len, map) && (r->count == 0 || map->start >= r->mappings[r->count - 1].end);
	if (r->current)
		see_mapping(r);
	return !r->lacking;
}

/* ---- pages ---- */

/* Whether a page is resident.  False, with `lacking`, when it can't be told. */
static bool is_resident(struct reading *r, uint64_t number)
{
	if (number < r->first || number - r->first >= r->held) {
		const uint64_t most = sizeof(r->words) / sizeof(r->words[0]);
		ssize_t n = r->asked >= PAGES_MOST ? 0
						   : pread(r->pages, r->words, sizeof(r->words),
							 (off_t)(number * sizeof(r->words[0])));
		r->first = number;
		r->held = n > 0 ? (uint64_t)n / sizeof(r->words[0]) : 0;
		r->asked += most;
		if (r->held == 0) {
			r->lacking = true;
			return false;
		}
	}
	return r->words[number - r->first] >> 63 != 0;
}

/* How many bytes of a stretch of a mapping are resident. */
static uint64_t resident_of(struct reading *r, const struct mapping *mapping, uint64_t start, uint64_t end)
{
	uint64_t bytes = 0;

	if (mapping->resident == 0 || mapping->resident >= mapping->end - mapping->start)
		return mapping->resident == 0 ? 0 : end - start;
	for (uint64_t at = start, next; at < end && !r->lacking; at = next) {
		next = (at / r->page + 1) * r->page;
		next = next < end ? next : end;
		if (is_resident(r, at / r->page))
			bytes += next - at;
	}
	return bytes;
}

/* ---- parts ---- */

/* Count a stretch of a part that lies in a mapping; `left`: what is resident of it and not yet counted. */
static void add_stretch(
    struct reading *r, const struct mapping *m, const struct memory_range *range, uint64_t *left)
{
	struct system_memory *out = r->out;
	uint64_t start = range->start > m->start ? range->start : m->start;
	uint64_t end = range->end < m->end ? range->end : m->end;

	if (start >= end || m->part != MEMORY_OTHER)
		return;
	uint64_t resident = resident_of(r, m, start, end);
	/* The figures are of different moments. */
	resident = resident < *left ? resident : *left;
	*left -= resident;
	out->reserved[range->part] += end - start;
	out->resident[range->part] += resident;
	out->reserved[MEMORY_OTHER] -= end - start;
	out->resident[MEMORY_OTHER] -= resident;
}

/* Count the mappings, and the ranges in them as far as they are mapped. */
static void add_all(struct reading *r)
{
	const struct memory_range *range = r->heap.ranges, *last = range + r->heap.count;

	for (size_t i = 0; i < r->count; i++) {
		const struct mapping *m = &r->mappings[i];
		uint64_t left = m->resident;

		r->out->reserved[m->part] += m->end - m->start;
		r->out->resident[m->part] = sum_saturating(r->out->resident[m->part], m->resident);
		while (range < last && range->end <= m->start)
			range++;
		while (range < last && range->start < m->end) {
			add_stretch(r, m, range, &left);
			if (range->end > m->end)
				break;
			range++;
		}
	}
}

/* Take the pools in use from what else is in anonymous memory.  All of their pages have been written to, so what is
 * not swapped out is resident. */
static void add_pools(struct reading *r)
{
	enum { WORD = 8 };
	struct system_memory *out = r->out;
	uint64_t bytes = r->heap.pool_words * WORD;

	if (r->heap.pool_words > UINT64_MAX / WORD || bytes > out->reserved[MEMORY_OTHER] || r->lacking) {
		out->why = r->lacking ? "the kernel does not say which pages are resident"
				      : "its figures of the heap make no sense";
		return;
	}
	out->reserved[MEMORY_POOLS] = bytes;
	out->reserved[MEMORY_OTHER] -= bytes;
	if (r->swapped > 0) {
		out->resident[MEMORY_POOLS] = out->resident[MEMORY_OTHER] = MEMORY_UNKNOWN;
		return;
	}
	bytes = bytes < out->resident[MEMORY_OTHER] ? bytes : out->resident[MEMORY_OTHER];
	out->resident[MEMORY_POOLS] = bytes;
	out->resident[MEMORY_OTHER] -= bytes;
}

/* Say that the parts of the heap are not known, nor what is left without them. */
static void forget_heap(struct system_memory *out)
{
	static const enum system_memory_part parts[] = {MEMORY_MINOR, MEMORY_MINOR_RESERVE, MEMORY_POOLS,
	    MEMORY_POOLS_FREE, MEMORY_LARGE, MEMORY_STACKS, MEMORY_OTHER};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		out->reserved[parts[i]] = out->resident[parts[i]] = MEMORY_UNKNOWN;
}

/* ---- reading ---- */

/* Find the heap.  Returns why it is not known; "": it is. */
static const char *find_heap(struct reading *r, struct runtime *runtime, uint64_t now)
{
	int error = EAGAIN;

	for (int i = 0; i < TRIES && error == EAGAIN; i++)
		error = memory_heap_walk(runtime, now, &r->heap);
	switch (error) {
	case 0:
		return "";
	case EAGAIN:
		return "its heap changes too fast to be read";
	case E2BIG:
		return "its heap has too many parts";
	case ENOENT:
		return "its program has no symbols for them";
	default:
		return variables_why(error);
	}
}

/* Read how many mappings a process may have; 0: not known. */
static uint64_t mappings_limit(const char *proc_root)
{
	char path[PROC_PATH_SIZE], text[32];
	uint64_t limit = 0;
	size_t len;

	snprintf(path, sizeof(path), "%s/sys/vm/max_map_count", proc_root != NULL ? proc_root : "/proc");
	if (read_once(AT_FDCWD, path, text, sizeof(text), &len) != SYSTEM_KNOWN ||
	    !system_parse_limit(text, len, &limit))
		return 0;
	return limit;
}

/* Read how large the stack of a thread is; 0: not known. */
static uint64_t stack_limit(const struct proc *proc)
{
	enum { UNLIMITED = 2 << 20 }; /* what glibc then makes */
	char text[4096];
	uint64_t limit;
	size_t len;

	if (proc_read(proc, "limits", text, sizeof(text), &len) != 0 ||
	    !system_parse_rlimit(text, len, "Max stack size", &limit))
		return 0;
	return limit == SYSTEM_NO_LIMIT ? UNLIMITED : limit;
}

/* Read what the kernel says of the process. */
static int read_mappings(struct reading *r)
{
	int error;

	(void)proc_program(&r->proc, r->program);
	r->stack_bytes = stack_limit(&r->proc);
	r->page = (uint64_t)sysconf(_SC_PAGESIZE);
	r->pages = openat(r->proc.dir, "pagemap", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	error = maps_lines(&r->proc, "smaps", see_line, r);
	if (error == 0 && r->count == 0)
		error = proc_hidden(&r->proc) ? EACCES : ESRCH;
	return error == 0 && r->lacking ? ENOMEM : error;
}

int memory_read(const char *proc_root, pid_t pid, struct runtime *runtime, const char *why, uint64_t now,
    struct system_memory *out)
{
	struct reading *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return ENOMEM;
	r->pages = -1;
	r->out = out;
	*out = (struct system_memory){.ts = now, .mappings_limit = mappings_limit(proc_root)};
	out->why = runtime != NULL ? find_heap(r, runtime, now) : why;
	int error = proc_open(&r->proc, proc_root, pid);
	if (error == 0)
		error = read_mappings(r);
	if (error == 0) {
		out->mappings = r->count;
		memory_heap_sort(&r->heap);
		add_all(r);
		if (out->why[0] == '\0')
			add_pools(r);
		if (out->why[0] != '\0')
			forget_heap(out);
	}
	if (r->pages >= 0)
		close(r->pages);
	proc_close(&r->proc);
	free(r->mappings);
	free(r->heap.ranges);
	free(r);
	return error;
}
