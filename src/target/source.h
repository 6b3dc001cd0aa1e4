/*
 * source.h - read a file, or memory, by offset.
 *
 * A descriptor is read, not mapped: if the file is truncated, a read fails and there is no fault.  A source
 * has a budget of bytes, so that searching a foreign file ends soon whatever its headers claim.
 */
#ifndef TARGET_SOURCE_H
#define TARGET_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a window, at most, with the overlap. */
#define SOURCE_WINDOW 65536

struct source {
	int fd;		     /* -1: memory */
	const uint8_t *data; /* if memory */
	uint64_t size;	     /* of the file when opened */
	uint64_t budget;     /* bytes left to read */
	bool exhausted;	     /* the budget has prevented a read */
};

/* Read from a descriptor, which still belongs to the caller.  Returns false if it can't be examined. */
bool source_from_fd(struct source *source, int fd, uint64_t budget);

/* Read from memory, which must stay valid. */
void source_from_memory(struct source *source, const void *data, size_t size, uint64_t budget);

/* Read exactly n bytes.  Returns false if there are fewer. */
bool source_read(struct source *source, uint64_t offset, void *buf, size_t n);

/* Called with a window: `offset` in the file, `len` bytes.  Returns false to end the scan. */
typedef bool source_visit(void *ctx, uint64_t offset, const uint8_t *data, size_t len);

/*
 * Call `visit` for each window of a range.  A window begins with the last `overlap` bytes of the one before
 * (less than half a window), so that anything up to one byte longer is complete in some window.  The range
 * ends at the end of the file.  Returns false if a part could not be read, true otherwise, also if `visit`
 * ended the scan.
 */
bool source_scan(
    struct source *source, uint64_t offset, uint64_t size, size_t overlap, source_visit *visit, void *ctx);

#endif
