/*
 * maps.h - the mappings of a process: the lines of /proc/PID/maps and /proc/PID/smaps.
 *
 * A ring is recognised here: a file named after a number with the ending .events, mapped shared and writable
 * by the process that writes it.  The kernel writes a newline in a path as \012 and marks a file without a
 * name with " (deleted)"; a backslash of the path itself is not marked, so a path can be read in two ways.
 */
#ifndef TARGET_MAPS_H
#define TARGET_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "target/proc.h"

struct map {
	uint64_t start, end;
	uint64_t offset; /* of the start in the file */
	uint64_t inode;	 /* 0: no file */
	uint32_t dev_major, dev_minor;
	char perms[5]; /* "rw-s" */
	bool deleted;
	char path[PROC_PATH_SIZE]; /* as written, without the mark of deletion; "" for none */
};

/* How map_open got at the file. */
enum map_way {
	MAP_BY_PATH,
	MAP_BY_ROOT, /* the path, through the process's root */
	MAP_BY_FILES /* /proc/PID/map_files */
};

/* Parse a line (without its newline) of maps, or a line that heads an entry of smaps.  False when it is none.
 */
bool map_parse(const char *line, size_t len, struct map *out);

/* Write the path with its \ooo read as bytes.  False when there were none, or the result would not fit. */
bool map_unescape(const char *path, char *out, size_t size);

/* Whether the mapping is a writer's ring, and the number in its name. */
bool map_is_ring(const struct map *map, int64_t *number);

/* Whether the mapping is of a shared OCaml runtime library. */
bool map_is_shared_runtime(const struct map *map);

/* A line of the file: false ends the walk. */
typedef bool maps_line(void *ctx, const char *line, size_t len);

/* A mapping: false ends the walk. */
typedef bool maps_visit(void *ctx, const struct map *map);

/* Call for each line of "maps" or "smaps", as long as it fits 32 KiB.  0, ESRCH, EACCES or another errno
 * value. */
int maps_lines(const struct proc *proc, const char *name, maps_line *line, void *ctx);

/* Call for each mapping.  Returns as maps_lines. */
int maps_walk(const struct proc *proc, maps_visit *visit, void *ctx);

/*
 * Open the file behind a mapping, for reading: by its path if that still leads to the same file, else through
 * map_files, which needs privileges.  `path` (PROC_PATH_SIZE) gets a path that leads there.  0, ENOENT when the file
 * has no name any more and may not be opened otherwise, PROC_NOT_REGULAR, or another errno value.
 */
int map_open(
    const struct proc *proc, const struct map *map, struct stat *st, int *fd, enum map_way *way, char *path);

#endif
