/*
 * ring_image.c - make ring files in memory and write to them as the runtime does.
 */
#include "support/ring_image.h"

#include <stdatomic.h>

#include "support/test.h"

/* Store a word that a reader may load at the same time. */
static void store(uint64_t *word, uint64_t value)
{
	atomic_store_explicit((_Atomic uint64_t *)word, value, memory_order_release);
}

/* Load a word of our own. */
static uint64_t load(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_relaxed);
}

/* Write the metadata header and set all indexes to 0. */
void image_restart(struct ring_image *image)
{
	uint64_t *to = (uint64_t *)(void *)image->base;
	uint64_t headers = sizeof(struct ring_metadata);
	uint64_t data = headers + image->domains * sizeof(struct ring_header);
	uint64_t ring_bytes = image->ring_words * 8, end = data + image->domains * ring_bytes;
	bool names = image->size > end;
	uint64_t version = load(&to[0]);

	store(&to[0], version != 0 ? version : 1);
	store(&to[1], image->domains);
	store(&to[2], sizeof(struct ring_header));
	store(&to[3], ring_bytes);
	store(&to[4], image->ring_words);
	store(&to[5], headers);
	store(&to[6], data);
	if (names)
		store(&to[7], end);
	for (unsigned i = 0; i < image->domains; i++)
		image_set(image, i, 0, 0);
}

/* Close the cursors of an image. */
void image_close(struct ring_image *image)
{
	while (image->cursor_count > 0)
		CHECK_INT(rtev_cursor_close(image->cursors[--image->cursor_count]), RTEV_OK);
}

/* Make an empty image. */
struct ring_image *image_make(enum image_layout layout, unsigned domains, uint64_t ring_words)
{
	static struct ring_image image;

	image_close(&image);
	free(image.base);
	image = (struct ring_image){.domains = domains, .ring_words = ring_words, .clock = 1000};
	image.size = sizeof(struct ring_metadata) +
		     domains * (sizeof(struct ring_header) + (size_t)ring_words * 8) +
		     (layout == LAYOUT_5_0 ? 0 : NAMES_BYTES);
	image.base = calloc(1, image.size);
	if (image.base == NULL)
		TEST_FAIL("no memory for an image of %zu bytes", image.size);
	image.metadata = (void *)image.base;
	image.metadata->version = layout == LAYOUT_PMC ? 2 : 1;
	image_restart(&image);
	return &image;
}

/* Return the header of a ring. */
struct ring_header *image_header(const struct ring_image *image, unsigned domain)
{
	return (void *)(image->base + sizeof(struct ring_metadata) + domain * sizeof(struct ring_header));
}

/* Return the words of a ring. */
uint64_t *image_words(const struct ring_image *image, unsigned domain)
{
	return (void *)(image->base + sizeof(struct ring_metadata) +
			image->domains * sizeof(struct ring_header) + domain * image->ring_words * 8);
}

/* Return the index of the oldest record. */
uint64_t image_head(const struct ring_image *image, unsigned domain)
{
	return atomic_load_explicit(&image_header(image, domain)->head, memory_order_relaxed);
}

/* Return the index of the end. */
uint64_t image_tail(const struct ring_image *image, unsigned domain)
{
	return atomic_load_explicit(&image_header(image, domain)->tail, memory_order_relaxed);
}

/* Set head and tail. */
void image_set(struct ring_image *image, unsigned domain, uint64_t head, uint64_t tail)
{
	struct ring_header *header = image_header(image, domain);

	atomic_store_explicit(&header->head, head, memory_order_release);
	atomic_store_explicit(&header->tail, tail, memory_order_release);
}

/* Put one word at an index. */
void image_poke(struct ring_image *image, unsigned domain, uint64_t index, uint64_t word)
{
	store(&image_words(image, domain)[index & (image->ring_words - 1)], word);
}

/* Append one record. */
void image_record(struct ring_image *image, unsigned domain, uint64_t ts, enum record_type type, unsigned id,
    const uint64_t *payload, unsigned count)
{
	struct ring_header *header = image_header(image, domain);
	uint64_t *words = image_words(image, domain), mask = image->ring_words - 1;
	uint64_t head = image_head(image, domain), tail = image_tail(image, domain);
	uint64_t length = count + 2, left = image->ring_words - (tail & mask);
	uint64_t padding = left < length ? left : 0;

	if (length + padding >= image->ring_words)
		TEST_FAIL("a record of %u words hangs a runtime with so small a ring", (unsigned)length);
	while (tail + length + padding - head >= image->ring_words) {
		uint32_t step = header_length(load(&words[head & mask]));
		if (step == 0)
			TEST_FAIL("the image's own head is lost");
		head += step;
		atomic_store_explicit(&header->head, head, memory_order_release);
	}
	if (padding != 0) {
		store(&words[tail & mask], header_make((uint32_t)padding, RECORD_PADDING, 0));
		tail += padding;
		atomic_store_explicit(&header->tail, tail, memory_order_release);
	}
	store(&words[tail & mask], header_make((uint32_t)length, type, id));
	store(&words[(tail + 1) & mask], ts);
	for (unsigned i = 0; i < count; i++)
		store(&words[(tail + 2 + i) & mask], payload[i]);
	atomic_store_explicit(&header->tail, tail + length, memory_order_release);
}

/* Append one record with the next stamp. */
static void append(struct ring_image *image, unsigned domain, enum record_type type, unsigned id,
    const uint64_t *payload, unsigned count)
{
	image_record(image, domain, image->clock += 10, type, id, payload, count);
}

/* Append the begin of a phase. */
void image_begin(struct ring_image *image, unsigned domain, unsigned id)
{
	append(image, domain, RECORD_BEGIN, id, NULL, 0);
}

/* Append `count` begins of a phase. */
void image_fill(struct ring_image *image, unsigned domain, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		image_begin(image, domain, 0);
}

/* Append the end of a phase. */
void image_end(struct ring_image *image, unsigned domain, unsigned id)
{
	append(image, domain, RECORD_END, id, NULL, 0);
}

/* Append a counter. */
void image_counter(struct ring_image *image, unsigned domain, unsigned id, int64_t value)
{
	append(image, domain, RECORD_COUNTER, id, &(uint64_t){(uint64_t)value}, 1);
}

/* Append a lifecycle event. */
void image_lifecycle(struct ring_image *image, unsigned domain, unsigned id, int64_t data)
{
	append(image, domain, RECORD_LIFECYCLE, id, &(uint64_t){(uint64_t)data}, 1);
}

/* Append a user event without a value. */
void image_unit(struct ring_image *image, unsigned domain, unsigned id)
{
	append(image, domain, RECORD_USER_UNIT, id, NULL, 0);
}

/* Append a user event with a number. */
void image_int(struct ring_image *image, unsigned domain, unsigned id, int64_t value)
{
	append(image, domain, RECORD_USER_INT, id, &(uint64_t){(uint64_t)value}, 1);
}

/* Append the begin or the end of a user span. */
void image_span(struct ring_image *image, unsigned domain, unsigned id, bool begin)
{
	append(image, domain, begin ? RECORD_USER_SPAN_BEGIN : RECORD_USER_SPAN_END, id, NULL, 0);
}

/* Append a custom user event.  What pads its last word is stale in a real ring, so it is here. */
void image_custom(struct ring_image *image, unsigned domain, unsigned id, const void *data, size_t len)
{
	union {
		uint64_t words[RTEV_RECORD_WORDS_MAX];
		unsigned char bytes[RTEV_RECORD_WORDS_MAX * 8];
	} payload;
	unsigned count = (unsigned)(len / 8 + 1);

	memset(payload.words + count - 1, 0xA5, 8);
	memcpy(payload.bytes, data, len);
	payload.bytes[count * 8 - 1] = (unsigned char)(count * 8 - 1 - len);
	append(image, domain, RECORD_USER_CUSTOM, id, payload.words, count);
}

/* Append a minor collection as 5.1 and 5.2 write it. */
void image_minor_5_2(struct ring_image *image, unsigned domain)
{
	image_begin(image, domain, 10);
	image_begin(image, domain, 11);
	image_end(image, domain, 11);
	image_counter(image, domain, 4, 8);
	image_counter(image, domain, 5, 16);
	image_end(image, domain, 10);
}

/* Append a minor collection as 5.3 writes it. */
void image_minor_5_3(struct ring_image *image, unsigned domain)
{
	image_begin(image, domain, 11);
	image_begin(image, domain, 12);
	image_end(image, domain, 12);
	image_begin(image, domain, 14);
	image_end(image, domain, 14);
	image_counter(image, domain, 4, 8);
	image_counter(image, domain, 5, 16);
	image_end(image, domain, 11);
}

/* Append words as they are. */
void image_raw(struct ring_image *image, unsigned domain, const uint64_t *words, unsigned count)
{
	uint64_t tail = image_tail(image, domain);

	for (unsigned i = 0; i < count; i++)
		image_poke(image, domain, tail + i, words[i]);
	atomic_store_explicit(&image_header(image, domain)->tail, tail + count, memory_order_release);
}

/* Write the name of a user event. */
void image_name(struct ring_image *image, unsigned id, const char *name)
{
	uint64_t words[RTEV_USER_NAME_SIZE / 8] = {0};
	uint64_t *to = (void *)(image->base + image->size - NAMES_BYTES + id * RTEV_USER_NAME_SIZE);

	memcpy(words, name, strnlen(name, sizeof(words)));
	for (size_t i = 0; i < sizeof(words) / 8; i++)
		store(&to[i], words[i]);
}

/* Open a cursor on an image with options of the test's own. */
struct rtev_cursor *image_open_with(struct ring_image *image, const struct rtev_cursor_options *options)
{
	CHECK(image->cursor_count < IMAGE_CURSORS_MAX);
	struct rtev_cursor **cursor = &image->cursors[image->cursor_count++];
	CHECK_INT(rtev_cursor_open_memory(cursor, image->base, image->size, options), RTEV_OK);
	return *cursor;
}

/* Open a cursor on an image. */
struct rtev_cursor *image_open(struct ring_image *image, enum rtev_release release)
{
	return image_open_with(
	    image, &(struct rtev_cursor_options){
		       .size = sizeof(struct rtev_cursor_options), .release = release, .finished = true});
}

/* Write the image to a file. */
void image_save(const struct ring_image *image, const char *path, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (file == NULL || fwrite(image->base, 1, size, file) != size || fclose(file) != 0)
		TEST_FAIL("could not write %s", path);
}
