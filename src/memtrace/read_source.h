/*
 * read_source.h - where a trace's bytes come from: a descriptor or memory.
 *
 * Offsets count from the start of the trace.  A source shows a window: bytes in a row that begin at the
 * reader's position.  What was shown is read from the descriptor once only.
 */
#ifndef MEMTRACE_READ_SOURCE_H
#define MEMTRACE_READ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mt_source {
	const uint8_t *data; /* the bytes at hand */
	size_t size;	     /* of them */
	size_t at;	     /* the reader's place in them */
	uint64_t base;	     /* the offset of data[0] */
	int fd;		     /* -1: memory */
	bool owned;	     /* the descriptor is to be closed */
	bool seeks;	     /* the descriptor is read at places, and left where it stood */
	uint64_t start;	     /* where the trace begins in the file */
	uint8_t *buffer;     /* what data points to, for a descriptor */
};

/* Open by path or descriptor, or take memory.  RTEV_E_NOENT, RTEV_E_ACCESS, RTEV_E_NOT_REGULAR, RTEV_E_IO,
 * RTEV_E_NOMEM; *source can be given to mt_source_fini in any case. */
int mt_source_path(struct mt_source *source, const char *path);
int mt_source_fd(struct mt_source *source, int fd);
void mt_source_memory(struct mt_source *source, const void *data, size_t size);
void mt_source_fini(struct mt_source *source);

/*
 * Have at least `want` bytes (at most MT_SOURCE_WINDOW) in the window if there are as many, else all there
 * are; *got is how many.  RTEV_E_IO, RTEV_E_MEMTRACE_CHANGED when the file has become shorter than what was
 * read.
 */
enum { MT_SOURCE_WINDOW = 1 << 16 };
int mt_source_need(struct mt_source *source, size_t want, size_t *got);

/* The size of the trace now; false for what has none. */
bool mt_source_size(const struct mt_source *source, uint64_t *bytes);

#endif
