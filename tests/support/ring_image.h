/*
 * ring_image.h - ring files made up in memory and written to as the runtime's producer writes: records never
 * straddle the end of their ring, padding fills what is left there, and the head moves on before anything is
 * overwritten.
 *
 * Every access is atomic, so that a thread may write while another reads through a cursor.  Times go up by 10
 * with each record unless they are given.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/layout.h"
#include "rtev/cursor.h"

#define IMAGE_CURSORS_MAX 4

struct ring_image {
	unsigned char *base; /* the whole file */
	size_t size;
	struct ring_metadata *metadata;
	unsigned domains;
	uint64_t ring_words;
	uint64_t clock; /* stamp of the last record written through image_write */
	struct rtev_cursor *cursors[IMAGE_CURSORS_MAX]; /* opened by image_open */
	unsigned cursor_count;
};

/* The layouts of a file. */
enum image_layout {
	LAYOUT_5_0, /* no table of names */
	LAYOUT_5_1, /* 5.1 and later */
	LAYOUT_PMC  /* OxCaml with performance counters: version 2 */
};

/* Make an empty image, which stands until the next one is made: then it is freed, and its cursors are closed.  Fails
 * the test when memory runs out. */
struct ring_image *image_make(enum image_layout layout, unsigned domains, uint64_t ring_words);

/* Begin the file anew as a runtime does that finds an old one: header and indexes are written, the rest stays
 * as it is. */
void image_restart(struct ring_image *image);

struct ring_header *image_header(const struct ring_image *image, unsigned domain);
uint64_t *image_words(const struct ring_image *image, unsigned domain);
uint64_t image_head(const struct ring_image *image, unsigned domain);
uint64_t image_tail(const struct ring_image *image, unsigned domain);

/* Set head and tail, with nothing between or whatever the words hold. */
void image_set(struct ring_image *image, unsigned domain, uint64_t head, uint64_t tail);

/* Put one word at a free-running index. */
void image_poke(struct ring_image *image, unsigned domain, uint64_t index, uint64_t word);

/* Append one record with `count` words of payload, making room as the runtime does. */
void image_record(struct ring_image *image, unsigned domain, uint64_t ts, enum record_type type, unsigned id,
    const uint64_t *payload, unsigned count);

/* Append one record of a kind, with the next stamp. */
void image_begin(struct ring_image *image, unsigned domain, unsigned id);
void image_end(struct ring_image *image, unsigned domain, unsigned id);
void image_counter(struct ring_image *image, unsigned domain, unsigned id, int64_t value);
void image_lifecycle(struct ring_image *image, unsigned domain, unsigned id, int64_t data);
void image_unit(struct ring_image *image, unsigned domain, unsigned id);
void image_int(struct ring_image *image, unsigned domain, unsigned id, int64_t value);
void image_span(struct ring_image *image, unsigned domain, unsigned id, bool begin);
void image_custom(struct ring_image *image, unsigned domain, unsigned id, const void *data, size_t len);

/* Append `count` begins of a phase, of 2 words each. */
void image_fill(struct ring_image *image, unsigned domain, unsigned count);

/* Append a minor collection as 5.1 and 5.2 write it, or as 5.3 does: enough to tell these releases. */
void image_minor_5_2(struct ring_image *image, unsigned domain);
void image_minor_5_3(struct ring_image *image, unsigned domain);

/* Append words as they are, sense or nonsense, without a look at the ring's end. */
void image_raw(struct ring_image *image, unsigned domain, const uint64_t *words, unsigned count);

/* Write the name of a user event, at most RTEV_USER_NAME_SIZE bytes and all of them, the rest zero. */
void image_name(struct ring_image *image, unsigned id, const char *name);

/* Open a cursor on an image, at its oldest record.  It is told that nobody writes any more, so that there is
 * no guard band and the numbers of lost words are the same on every processor. */
struct rtev_cursor *image_open(struct ring_image *image, enum rtev_release release);

/* Open a cursor on an image with options of the test's own. */
struct rtev_cursor *image_open_with(struct ring_image *image, const struct rtev_cursor_options *options);

/* Close the cursors of an image, each of which must be willing. */
void image_close(struct ring_image *image);

/* Write the image, or its first `size` bytes, to a file. */
void image_save(const struct ring_image *image, const char *path, size_t size);
