/*
 * maps.h - the mappings of a process: lines of /proc/PID/maps.
 *
 * Rings are recognised here: files named NUMBER.events that their writer maps shared and writable.  The
 * kernel writes a newline in a path as \012 and appends " (deleted)" to the path of a deleted file.  It does
 * not escape a backslash, so a path can have two interpretations.
 */
#pragma once

#include <sys/stat.h>

#include "target/effort.h"
#include "target/proc.h"

struct map {
	uint64_t start, end;
	uint64_t offset; /* offset in the file */
	uint64_t inode;	 /* 0: no file */
	uint32_t dev_major, dev_minor;
	char perms[5]; /* such as "rw-s" */
	bool deleted;
	char path[PROC_PATH_SIZE]; /* as printed, without the mark of a deleted file; "": none */
};

/* How map_open opened the file. */
enum map_way {
	MAP_BY_PATH,
	MAP_BY_ROOT, /* the path, through the root of the process */
	MAP_BY_FILES /* /proc/PID/map_files */
};

/* Parse a line of maps, without its newline.  Returns false if it is
 * invalid. */
bool map_parse(const char *line, size_t len, struct map *out);

/* Decode \ooo in a path.  Returns false if there is none, or if the result does not fit. */
bool map_unescape(const char *path, char *out, size_t size);

/* Whether the mapping is a ring of its writer; sets the number in its name. */
bool map_is_ring(const struct map *map, int64_t *number);

/* Whether the mapping is a shared OCaml runtime library. */
bool map_is_shared_runtime(const struct map *map);

/* Whether it is the library of systhreads that a bytecode program loads. */
bool map_is_threads_library(const struct map *map);

/* Called for each mapping.  Returns false to end the walk. */
typedef bool maps_visit(void *ctx, const struct map *map);

/*
 * Whether a process is known to map neither a file that could be a ring nor a shared runtime library.  Linux
 * 6.11 and later answer that without printing all mappings.  Returns false if the kernel can't or may not be
 * asked.
 */
bool maps_lack_ocaml(const struct proc *proc);

/* Whether the process of an open file "maps" is known to map neither a file that could be a ring nor a shared runtime library. */
bool maps_file_lacks_ocaml(int fd);

/* Call `visit` for each mapping whose line is up to 32 KiB long.  Returns 0, ESRCH, EACCES, E2BIG if the effort is over, or
 * another errno value. */
int maps_walk(const struct proc *proc, struct effort *effort, maps_visit *visit, void *ctx);

/* Find the mapping of an address; `path` is not filled in.  Returns as maps_walk does, and ENOENT if there is
 * none. */
int maps_find(const struct proc *proc, struct effort *effort, uint64_t address, struct map *out);

/*
 * Open a mapped file for reading: by its path if that still is the same file, else through map_files, which
 * needs privileges.  `path` (PROC_PATH_SIZE) gets a path to it.  Returns 0, ENOENT if the file was deleted
 * and can't be opened otherwise, PROC_NOT_REGULAR, or another errno value.
 */
int map_open(
    const struct proc *proc, const struct map *map, struct stat *st, int *fd, enum map_way *way, char *path);
