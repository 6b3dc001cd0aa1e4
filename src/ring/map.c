/*
 * map.c - open, map and check a ring file.
 *
 * Another process owns the header and may change it at any time.  Each field is loaded once and checked with
 * arithmetic that can't overflow; later code uses only the checked copy in ring_geometry.  Only regular files
 * are opened, and no open may block.
 */
#include "ring/cursor_state.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files.h"
#include "ring/atomics.h"

/* The newest known format version: 1 is OCaml 5.0 to 5.5, 2 is OxCaml with performance counters. */
#define VERSION_MAX 2

/* Upper bound on the size of a ring.  The limit of OCAMLRUNPARAM's e is far below. */
#define RING_WORDS_MAX (UINT64_C(1) << 40)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

/* Files larger than this are mapped without readahead, which would fill memory with the zeros of their
 * holes. */
#define READAHEAD_MAX ((size_t)256 << 20)

/* Copy the metadata header from shared memory, loading each word once. */
static void metadata_load(struct ring_metadata *out, const unsigned char *base)
{
	const uint64_t *from = (const uint64_t *)(const void *)base;
	uint64_t words[sizeof(*out) / sizeof(uint64_t)];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = shared_load_word(&from[i]);
	memcpy(out, words, sizeof(*out));
}

/* Return how many items of `each` bytes fit between `offset` and the end of the file, at most `limit`. */
static uint64_t fitting(uint64_t size, uint64_t offset, uint64_t each, uint64_t limit)
{
	if (offset >= size)
		return 0;
	uint64_t count = (size - offset) / each;
	return count < limit ? count : limit;
}

/* Find the table of names.  5.0 has none, and in a reused file leaves the old word there.  The offset is
 * therefore checked against the layout before it is used. */
static void names_find(struct ring_geometry *g, const struct ring_metadata *m, uint64_t size)
{
	uint64_t words_end = g->data_offset + g->rings * m->ring_bytes;

	/* If the ring headers start this early, the word belongs to the first of them. */
	g->names_word = g->headers_offset < sizeof(*m) ? 0 : m->names_offset;
	if (g->rings != g->max_domains)
		return;
	if (g->names_word >= words_end && g->names_word % 8 == 0 && size >= NAMES_BYTES &&
	    g->names_word <= size - NAMES_BYTES)
		g->names_offset = g->names_word;
	g->layout_5_0 = g->names_word == 0 || (g->names_offset == 0 && size == words_end);
}

/* Check a copy of the metadata header. */
static int metadata_check(struct ring_geometry *out, const struct ring_metadata *m, uint64_t size)
{
	if (m->version == 0 || m->max_domains == 0 || m->ring_words == 0 || m->ring_bytes == 0 ||
	    m->headers_offset == 0 || m->data_offset == 0 || m->ring_header_bytes == 0)
		return RTEV_E_NOT_READY;
	if (m->version > VERSION_MAX || m->max_domains > DOMAINS_MAX)
		return RTEV_E_FORMAT;
	if (m->ring_words > RING_WORDS_MAX || (m->ring_words & (m->ring_words - 1)) != 0 ||
	    m->ring_bytes != m->ring_words * 8)
		return RTEV_E_FORMAT;
	if (m->ring_header_bytes < 2 * sizeof(uint64_t) || m->ring_header_bytes > 4096 ||
	    m->ring_header_bytes % 8 != 0)
		return RTEV_E_FORMAT;
	if (m->headers_offset < METADATA_BYTES_MIN || m->headers_offset > size || m->headers_offset % 8 != 0)
		return RTEV_E_FORMAT;
	/* headers_offset is at most the size of the file and the product at most 2^24: this sum does not
	 * overflow. */
	if (m->data_offset < m->headers_offset + m->max_domains * m->ring_header_bytes ||
	    m->data_offset % 8 != 0)
		return RTEV_E_FORMAT;

	uint64_t rings = fitting(size, m->data_offset, m->ring_bytes, m->max_domains);
	if (rings == 0)
		return RTEV_E_TRUNCATED;
	*out = (struct ring_geometry){
	    .version = m->version,
	    .max_domains = (uint32_t)m->max_domains,
	    .rings = (uint32_t)rings,
	    .ring_words = m->ring_words,
	    .header_bytes = m->ring_header_bytes,
	    .headers_offset = m->headers_offset,
	    .data_offset = m->data_offset,
	};
	names_find(out, m, size);
	return RTEV_OK;
}

int ring_geometry_read(struct ring_geometry *out, const unsigned char *base, size_t size)
{
	struct ring_metadata metadata;

	if (size == 0)
		return RTEV_E_NOT_READY;
	if (size < sizeof(metadata))
		return RTEV_E_FORMAT;
	metadata_load(&metadata, base);
	return metadata_check(out, &metadata, size);
}

bool ring_geometry_equal(const struct ring_geometry *a, const struct ring_geometry *b)
{
	return a->version == b->version && a->max_domains == b->max_domains && a->rings == b->rings &&
	       a->ring_words == b->ring_words && a->header_bytes == b->header_bytes &&
	       a->headers_offset == b->headers_offset && a->data_offset == b->data_offset;
}

/* Read the metadata header and check it.  It is not read from the mapping: where the file system is full, as
 * when the writer died of that, reading a hole of a mapped tmpfs file raises SIGBUS. */
static int geometry_read_fd(struct ring_geometry *out, int fd, size_t size)
{
	struct ring_metadata metadata;
	ssize_t got;

	do
		got = pread(fd, &metadata, sizeof(metadata), 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return status_of_errno(errno);
	return (size_t)got == sizeof(metadata) ? metadata_check(out, &metadata, size) : RTEV_E_FORMAT;
}

/* Whether the headers can be read in the mapping.  Reading a hole of a tmpfs file raises SIGBUS when the file
 * system is full; populating it fails instead.  Older kernels can't tell. */
static bool headers_readable(void *base, const struct ring_geometry *g)
{
	return madvise(base, g->data_offset, MADV_POPULATE_READ) == 0 || errno != EFAULT;
}

int ring_map_fd(struct ring_map *map, int fd)
{
	struct ring_geometry geometry;
	struct stat st;

	*map = (struct ring_map){.fd = -1};
	if (fstat(fd, &st) != 0)
		return status_of_errno(errno);
	if (!S_ISREG(st.st_mode))
		return RTEV_E_NOT_REGULAR;
	if (st.st_size <= 0)
		return RTEV_E_NOT_READY;
	if ((uintmax_t)st.st_size > SIZE_MAX)
		return RTEV_E_MAP;
	if ((size_t)st.st_size < sizeof(struct ring_metadata))
		return RTEV_E_FORMAT;
	int status = geometry_read_fd(&geometry, fd, (size_t)st.st_size);
	if (status != RTEV_OK)
		return status;
	void *base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return RTEV_E_MAP;
	if (!headers_readable(base, &geometry)) {
		munmap(base, (size_t)st.st_size);
		return RTEV_E_MAP;
	}
	map->base = base;
	map->size = (size_t)st.st_size;
	map->mapped = true;
	if (map->size > READAHEAD_MAX)
		madvise(base, map->size, MADV_RANDOM);
	/* If this fails, holes are not skipped: the file is read as if it were all data. */
	map->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	map->geometry = geometry;
	return RTEV_OK;
}

int ring_map_path(struct ring_map *map, const char *path)
{
	struct stat st;

	*map = (struct ring_map){.fd = -1};
	/* Opening a device can have side effects, so check the type first.  ring_map_fd checks the
	 * descriptor again. */
	if (stat(path, &st) != 0)
		return status_of_errno(errno);
	if (!S_ISREG(st.st_mode))
		return RTEV_E_NOT_REGULAR;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return status_of_errno(errno);
	int status = ring_map_fd(map, fd);
	close(fd);
	return status;
}

int ring_map_memory(struct ring_map *map, const void *data, size_t size)
{
	*map = (struct ring_map){.fd = -1};
	if (data == NULL || (uintptr_t)data % sizeof(uint64_t) != 0)
		return RTEV_E_INVALID;
	map->base = data;
	map->size = size;
	return ring_geometry_read(&map->geometry, map->base, map->size);
}

void ring_map_fini(struct ring_map *map)
{
	if (map->mapped) {
		/* munmap takes a non-const address; nothing is written through it. */
		union {
			const unsigned char *in;
			void *out;
		} base = {.in = map->base};
		munmap(base.out, map->size);
		if (map->fd >= 0)
			close(map->fd);
	}
	*map = (struct ring_map){.fd = -1};
}
