/*
 * scan.c - look ahead through what is unread: which release wrote it, and when the target resumed its events.
 */
#include <stddef.h>

#include "ring/atomics.h"
#include "ring/cursor_state.h"

/* What one scan carries along. */
struct looking {
	struct rtev_cursor *cursor;
	rtev_resume_fn *resume;
	void *ctx;
};

/* Look at the records of a batch; returns the words used, *broken as in a poll. */
static uint32_t scan_batch(const struct looking *look, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, bool *broken)
{
	uint32_t at = 0;

	*broken = false;
	while (at < batch->count) {
		const uint64_t *record = batch->words + at;
		uint32_t length = header_length(record[0]), type = header_type(record[0]);
		if (header_broken(&ring->source, record[0]) || length > batch->count - at) {
			*broken = batch->at_edge || header_broken(&ring->source, record[0]);
			break;
		}
		uint32_t id = header_id(record[0]);
		evidence_record(&look->cursor->facts, &ring->evidence, type, id);
		if (type == RECORD_LIFECYCLE && id == RTEV_LIFECYCLE_RING_RESUME && look->resume != NULL)
			look->resume(look->ctx, domain, record[1]);
		at += length;
	}
	return at;
}

/* Look through one ring from its frontier to the tail last seen, and set the frontier there. */
static void scan_ring(const struct looking *look, struct cursor_ring *ring, unsigned domain)
{
	struct rtev_cursor *cursor = look->cursor;
	uint64_t tail = ring->tail_seen;
	uint64_t position = ring->frontier == UINT64_MAX ? ring->position : ring->frontier;
	bool seeking = ring->frontier == UINT64_MAX && ring->footing != FOOTING_FIRM;

	while (position < tail) {
		struct ring_batch batch;
		ring_fetch(&ring->source, position, tail, BATCH_WORDS, cursor->storage, &batch);
		position = batch.start;
		if (batch.lost != 0) {
			ring->evidence = (struct evidence_ring){0};
			seeking = !batch.aligned;
		}
		if (batch.count == 0) {
			if (batch.lost == 0)
				break;
			continue;
		}
		uint32_t used = 0;
		bool broken = false;
		if (!seeking)
			used = scan_batch(look, ring, domain, &batch, &broken);
		position += used;
		if (seeking || broken) {
			bool found;
			position += broken ? ring_resync(&ring->source, &batch, used, 1, 0, &found)
					   : ring_resync_lost(&ring->source, &batch, tail, 0, &found);
			seeking = !found;
			ring->evidence = (struct evidence_ring){0};
		}
	}
	ring->frontier = position > tail ? position : tail;
}

/* Look where each ring stands, and tell whether all that the last scan saw has been polled.  A ring that can't
 * be read now is not waited for. */
static bool used_up(struct rtev_cursor *cursor)
{
	bool all = true;

	for (uint32_t i = 0; i < cursor->map.geometry.rings; i++) {
		struct cursor_ring *ring = &cursor->rings[i];
		struct ring_window window;
		if (cursor_look(cursor, ring, &window) && cursor->scanned)
			all = all && ring->position >= ring->frontier;
	}
	return all;
}

/* Look ahead through everything unread. */
int rtev_cursor_scan(struct rtev_cursor *cursor, rtev_resume_fn *resume, void *ctx, struct rtev_scan *out)
{
	const struct looking look = {.cursor = cursor, .resume = resume, .ctx = ctx};

	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	/* The poll that follows tells what is wrong with the layout. */
	bool ahead = cursor_check_layout(cursor) == RTEV_OK && used_up(cursor);

	*out = (struct rtev_scan){0};
	for (uint32_t i = 0; i < cursor->map.geometry.rings; i++) {
		struct cursor_ring *ring = &cursor->rings[i];
		if (ahead)
			scan_ring(&look, ring, i);
		uint64_t unread = ring->frontier > ring->position && ring->frontier != UINT64_MAX
				      ? ring->frontier - ring->position
				      : 0;
		/* What is further back has been overwritten. */
		if (unread > ring->source.size)
			unread = ring->source.size;
		out->unread_words += unread;
		if (unread > out->fullest_words)
			out->fullest_words = unread;
	}
	cursor->scanned = cursor->scanned || ahead;
	out->release = evidence_conclude(
	    cursor->facts, cursor->map.geometry.layout_5_0, &out->version, &out->from_layout);
	busy_release(&cursor->busy);
	return RTEV_OK;
}
