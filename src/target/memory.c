/*
 * memory.c - read the memory use of a process.
 */
#include "target/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/maps.h"
#include "target/proc.h"

/* The state of a walk through smaps. */
struct walk {
	bool in_ring; /* the current mapping is a ring */
	uint64_t kilobytes;
	struct map map;
};

/* Parse the kilobytes in a line such as "Rss: 512 kB". */
static uint64_t line_kilobytes(const char *line, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		if (line[i] >= '0' && line[i] <= '9' && value < UINT64_MAX / 1024 / 16)
			value = value * 10 + (uint64_t)(line[i] - '0');
	return value;
}

/* Take a line: the head of a mapping, or one of its figures. */
static bool see_line(void *ctx, const char *line, size_t len)
{
	struct walk *walk = ctx;
	int64_t number;

	/* Heads begin with a hexadecimal address in lower case, figures with a capital letter. */
	if (len > 0 && line[0] >= 'A' && line[0] <= 'Z') {
		if (walk->in_ring && len > 4 && memcmp(line, "Rss:", 4) == 0) {
			uint64_t more = line_kilobytes(line + 4, len - 4);

			walk->kilobytes = more > UINT64_MAX / 1024 - walk->kilobytes ? walk->kilobytes
										     : walk->kilobytes + more;
		}
	} else if (map_parse(line, len, &walk->map)) {
		walk->in_ring = map_is_ring(&walk->map, &number);
	}
	return true;
}

int memory_read(const char *proc_root, pid_t pid, struct memory *out)
{
	struct walk walk = {.in_ring = false};
	struct proc proc = {.dir = -1};
	char buf[256];
	uint64_t pages = 0, page;
	long page_size = sysconf(_SC_PAGESIZE);
	size_t len;
	int error = proc_open(&proc, proc_root, pid);

	memset(out, 0, sizeof *out);
	page = page_size > 0 ? (uint64_t)page_size : 4096;
	if (error == 0)
		error = proc_read(&proc, "statm", buf, sizeof buf, &len);
	if (error == 0 && (sscanf(buf, "%*[0-9] %19" SCNu64, &pages) != 1 || pages > UINT64_MAX / page))
		error = EIO;
	if (error == 0)
		error = maps_lines(&proc, "smaps", see_line, &walk);
	proc_close(&proc);
	if (error != 0)
		return error;
	out->ring = walk.kilobytes * 1024;
	out->resident = pages * page;
	/* The two values are of different moments. */
	out->resident -= out->ring < out->resident ? out->ring : out->resident;
	return 0;
}
