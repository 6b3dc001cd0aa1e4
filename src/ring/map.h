/*
 * map.h - a ring file in memory: opened, mapped read-only, its header read once and checked against the
 * file's size.
 */
#ifndef RING_MAP_H
#define RING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/layout.h"

/* Where things are in the file.  Every ring below `rings` lies wholly inside it, header and words. */
struct ring_geometry {
	uint64_t version;
	uint32_t max_domains; /* what the header claims */
	uint32_t rings;	      /* how many of them the file holds */
	uint64_t ring_words;  /* a power of two */
	uint64_t header_bytes;
	uint64_t headers_offset;
	uint64_t data_offset;
	uint64_t names_offset; /* 0: no table of names */
	uint64_t names_word;   /* what stands where 5.1 and later write that offset */
	bool layout_5_0;       /* the file ends where only that of 5.0 does, or the word was never written */
};

struct ring_map {
	const unsigned char *base;
	size_t size;
	bool mapped; /* by us, so ours to unmap */
	int fd;	     /* a duplicate, to ask where the file holds data; -1: none */
	struct ring_geometry geometry;
};

/* Read and check the metadata header of `size` bytes at `base`.  RTEV_E_NOT_READY while the creating process
 * has not filled it, RTEV_E_FORMAT, RTEV_E_TRUNCATED. */
int ring_geometry_read(struct ring_geometry *out, const unsigned char *base, size_t size);

/* Whether two headers describe the same layout, the table of names left aside. */
bool ring_geometry_equal(const struct ring_geometry *a, const struct ring_geometry *b);

/* Map by path or descriptor (which stays open), or take memory as it is.  Status codes of
 * rtev_cursor_open_path. */
int ring_map_path(struct ring_map *map, const char *path);
int ring_map_fd(struct ring_map *map, int fd);
int ring_map_memory(struct ring_map *map, const void *data, size_t size);

/* Give the mapping back. */
void ring_map_fini(struct ring_map *map);

#endif
