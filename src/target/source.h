/*
 * source.h - the bytes of a file by offset: of a descriptor, or of memory.
 *
 * A descriptor is read, not mapped: the file may be truncated at any time, which then is a failed read and
 * no fault.  A source has a budget of bytes, so that looking through somebody's file ends in good time
 * whatever its headers claim.
 */
#ifndef TARGET_SOURCE_H
#define TARGET_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one window of a scan holds at most, its overlap included. */
#define SOURCE_WINDOW 65536

struct source {
	int fd;		     /* -1: memory */
	const uint8_t *data; /* when it is memory */
	uint64_t size;	     /* of the file when it was opened */
	uint64_t budget;     /* bytes that may still be read */
	bool exhausted;	     /* a read was refused because of the budget */
};

/* A source of a descriptor, which stays the caller's.  False when it can't be examined. */
bool source_from_fd(struct source *source, int fd, uint64_t budget);

/* A source of memory, which stays in place. */
void source_from_memory(struct source *source, const void *data, size_t size, uint64_t budget);

/* Read exactly n bytes.  False when they are not all there. */
bool source_read(struct source *source, uint64_t offset, void *buf, size_t n);

/* A window of a scan: `offset` in the file, `len` bytes.  False ends the scan. */
typedef bool source_visit(void *ctx, uint64_t offset, const uint8_t *data, size_t len);

/*
 * Hand out a range of the file window by window.  Each begins with the last `overlap` (below half a window)
 * bytes of the one before, so that what is at most that long plus one byte is seen whole at least once.  The
 * range is cut at the end of the file.  False when not all of it could be read; also when the visit ended the
 * scan, true.
 */
bool source_scan(
    struct source *source, uint64_t offset, uint64_t size, size_t overlap, source_visit *visit, void *ctx);

#endif
