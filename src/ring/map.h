/*
 * map.h - map a ring file read-only; its header is read once and checked against the size of the file.
 */
#ifndef RING_MAP_H
#define RING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/layout.h"

/* The layout of a file.  Every ring below `rings` is entirely inside the file, header and words. */
struct ring_geometry {
	uint64_t version;
	uint32_t max_domains; /* according to the header */
	uint32_t rings;	      /* rings that the file contains */
	uint64_t ring_words;  /* a power of two */
	uint64_t header_bytes;
	uint64_t headers_offset;
	uint64_t data_offset;
	uint64_t names_offset; /* 0: no table of names */
	uint64_t names_word;   /* the word at the place where 5.1 and later store that offset */
	bool layout_5_0; /* the file ends where only the layout of 5.0 does, or the word was never written */
};

struct ring_map {
	const unsigned char *base;
	size_t size;
	bool mapped; /* mapped by ring_map_fd; ring_map_fini unmaps it */
	int fd;	     /* a duplicate descriptor, for queries about holes; -1: none */
	struct ring_geometry geometry;
};

/* Read and check the metadata header of `size` bytes at `base`.  Returns RTEV_E_NOT_READY until the
 * creating process has filled it in, RTEV_E_FORMAT, or RTEV_E_TRUNCATED. */
int ring_geometry_read(struct ring_geometry *out, const unsigned char *base, size_t size);

/* Whether two headers describe the same layout, apart from the table of names. */
bool ring_geometry_equal(const struct ring_geometry *a, const struct ring_geometry *b);

/* Map a file by path or by descriptor (the caller keeps it open), or use memory in place (the caller owns
 * it).  Statuses of rtev_cursor_open_path. */
int ring_map_path(struct ring_map *map, const char *path);
int ring_map_fd(struct ring_map *map, int fd);
int ring_map_memory(struct ring_map *map, const void *data, size_t size);

/* Unmap, if the map was made from a file. */
void ring_map_fini(struct ring_map *map);

#endif
