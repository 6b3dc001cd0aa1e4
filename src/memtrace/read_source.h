/*
 * read_source.h - the source of a trace's bytes: a descriptor or memory.
 *
 * Offsets count from the start of the trace.  A source provides a window of contiguous bytes that begins at
 * the reader's position.  Each byte is read from the descriptor only once.
 */
#ifndef MEMTRACE_READ_SOURCE_H
#define MEMTRACE_READ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mt_source {
	const uint8_t *data; /* the buffered bytes, or the memory */
	size_t size;	     /* number of bytes in `data` */
	size_t at;	     /* the reader's position in `data` */
	uint64_t base;	     /* offset of data[0] in the trace */
	int fd;		     /* -1: memory */
	bool owned;	     /* mt_source_fini closes the descriptor */
	bool seeks;	     /* the descriptor is read with pread, and its position does not change */
	uint64_t start;	     /* position in the file where the trace begins */
	uint8_t *buffer;     /* for a descriptor: `data` points to it */
};

/* Set up a source from a path, a descriptor or memory.  Errors: RTEV_E_NOENT, RTEV_E_ACCESS,
 * RTEV_E_NOT_REGULAR, RTEV_E_IO, RTEV_E_NOMEM.  The caller may pass *source to mt_source_fini even after a
 * failure. */
int mt_source_path(struct mt_source *source, const char *path);
int mt_source_fd(struct mt_source *source, int fd);
void mt_source_memory(struct mt_source *source, const void *data, size_t size);
void mt_source_fini(struct mt_source *source);

/*
 * Fill the window until it has at least `want` bytes (at most MT_SOURCE_WINDOW) or the data ends.  *got is
 * the number of bytes in the window.  Errors: RTEV_E_IO; RTEV_E_MEMTRACE_CHANGED when the file is now shorter
 * than the part already read.
 */
enum { MT_SOURCE_WINDOW = 1 << 16 };
int mt_source_need(struct mt_source *source, size_t want, size_t *got);

/* Get the current size.  Returns false when the source has none. */
bool mt_source_size(const struct mt_source *source, uint64_t *bytes);

#endif
