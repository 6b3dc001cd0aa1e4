/*
 * producer_writer.c - the rare operations of a ring writer.
 */
#include "ring/producer_writer.h"

void ring_writer_init(struct ring_writer *w, struct ring_header *header, uint64_t *words, uint64_t size)
{
	*w = (struct ring_writer){
	    .header = header,
	    .words = words,
	    .mask = size - 1,
	    .head = ring_load_head(header),
	    .tail = ring_load_tail(header),
	};
	/* Other processes can write to the file: make the indexes consistent. */
	if (w->tail - w->head > w->mask)
		w->head = w->tail;
}

void ring_writer_wrap(struct ring_writer *w, uint32_t length)
{
	uint64_t offset = w->tail & w->mask, left = w->mask + 1 - offset;

	/* Make room for the record too, so that head moves once.  `left` is below `length`, hence below
	 * 2^10. */
	if (w->tail + left + length - w->head > w->mask)
		ring_writer_make_room(w, w->tail + left + length);
	ring_store_word(&w->words[offset], header_make((uint32_t)left, RECORD_PADDING, 0));
	ring_writer_publish(w, (uint32_t)left);
}
