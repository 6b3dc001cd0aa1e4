/*
 * scan.c - look ahead through what is unread: which release wrote it, and when the target resumed its events.
 *
 * The caller scans, or polls do while they seek the release: until it is found, or for good once the caller does.
 * Polls begin with what was already there when the file was opened, read or not.
 *
 * A scan takes one call, or several when there are more words than one call may look at.  It goes from ring to
 * ring, each from its frontier to the tail seen when the scan began, and moves the frontiers once it is complete:
 * until then no poll meets an event that a resume yet to be found concerns.
 */
#include <stddef.h>

#include "core/sized.h"
#include "ring/atomics.h"
#include "ring/cursor_state.h"

/* What one scan carries along. */
struct looking {
	struct rtev_cursor *cursor;
	rtev_resume_fn *resume;
	void *ctx;
	uint64_t words; /* that may still be looked at */
};

/* Note that the last record is torn. */
static void note_torn(struct cursor_ring *ring)
{
	if (ring->torn_count < TORN_MAX && ring->scan_record >= ring->position)
		ring->torn[ring->torn_count++] = ring->scan_record;
	ring->scan_doubt = false;
	/* Its stamp tells nothing. */
	ring->scan_ts = ring->scan_before;
}

/* Nonsense begins behind the last record, if that reaches so far: it is torn when one of its words is a header itself. */
static void note_nonsense(struct cursor_ring *ring, uint64_t position)
{
	const struct ring_source *source = &ring->source;
	uint64_t mask = source->size - 1;

	if (ring->scan_ts == 0 ||
	    ring->scan_record + header_length(ring_load_word(&source->words[ring->scan_record & mask])) !=
		position)
		return;
	ring->scan_doubt = true;
	for (uint64_t at = ring->scan_record + 1; at < position; at++) {
		if (header_sound(source, ring_load_word(&source->words[at & mask]))) {
			note_torn(ring);
			return;
		}
	}
}

/* Note that the stamp at a position lies below the one before it.  What stands on both sides are no neighbours. */
static void note_fall(struct rtev_cursor *cursor, struct cursor_ring *ring, uint64_t position, uint64_t ts)
{
	cursor->facts |= FACT_CUT;
	ring->evidence = (struct evidence_ring){0};
	ring->last_fall = position;
	if (ring->fall_count < FALLS_MAX && position >= ring->position)
		ring->falls[ring->fall_count++] = (struct fall){position, ts};
}

/* Judge the last record before nonsense by the first behind it: one whose stamp fits neither there nor to the record before is
 * torn. */
static void judge_doubtful(struct cursor_ring *ring, const struct ring_batch *batch)
{
	const uint64_t *record = batch->words;

	if (!ring->scan_doubt || batch->count < 2 || header_type(record[0]) == RECORD_PADDING)
		return;
	if (ring->scan_ts < ring->scan_before || ring->scan_ts > record[1])
		note_torn(ring);
	ring->scan_doubt = false;
}

/* Look at the records of a batch; returns the words used, *broken as in a poll. */
static uint32_t scan_batch(const struct looking *look, struct cursor_ring *ring, unsigned domain,
    const struct ring_batch *batch, bool *broken)
{
	uint32_t at = 0, last = UINT32_MAX;
	uint64_t last_ts, before;

	*broken = false;
	judge_doubtful(ring, batch);
	last_ts = before = ring->scan_ts;
	while (at < batch->count) {
		const uint64_t *record = batch->words + at;
		uint32_t length = header_length(record[0]), type = header_type(record[0]);
		if (header_broken(&ring->source, record[0]) || length > batch->count - at) {
			*broken = batch->at_edge || header_broken(&ring->source, record[0]);
			break;
		}
		uint32_t id = header_id(record[0]);
		if (type != RECORD_PADDING) {
			uint64_t ts = record[1];
			if (ts < last_ts)
				note_fall(look->cursor, ring, batch->start + at, ts);
			before = last_ts;
			last_ts = ts;
			last = at;
			evidence_record(&look->cursor->facts, &ring->evidence, type, id);
			if (type == RECORD_LIFECYCLE && id == RTEV_LIFECYCLE_RING_RESUME &&
			    look->resume != NULL)
				look->resume(look->ctx, domain, ts);
		}
		at += length;
	}
	if (last != UINT32_MAX) {
		ring->scan_before = before;
		ring->scan_ts = last_ts;
		ring->scan_record = batch->start + last;
	}
	return at;
}

/* Skip words of a batch from offset `at` on up to the next place that can be trusted, and over a hole of the file
 * behind it.  `broken`: the record there is known to be bad. */
static void scan_seek(struct cursor_ring *ring, const struct ring_batch *batch, uint32_t at, bool broken)
{
	bool found;

	ring->scan_at += broken ? ring_resync(&ring->source, batch, at, 1, 0, &found)
				: ring_resync_lost(&ring->source, batch, ring->scan_end, 0, &found);
	if (!found && ring->scan_at == batch->start + batch->count)
		found = ring_pass_hole(&ring->source, &ring->scan_at, ring->scan_end);
	ring->scan_seeks = !found;
	ring->evidence = (struct evidence_ring){0};
}

/* Go on looking through one ring.  False when the words were used up before its end. */
static bool scan_ring(struct looking *look, struct cursor_ring *ring, unsigned domain)
{
	while (ring->scan_at < ring->scan_end) {
		if (look->words == 0)
			return false;
		struct ring_batch batch;
		ring_fetch(
		    &ring->source, ring->scan_at, ring->scan_end, BATCH_WORDS, look->cursor->storage, &batch);
		look->words -= batch.count < look->words ? batch.count + 1 : look->words;
		ring->scan_at = batch.start;
		if (batch.lost != 0) {
			ring->evidence = (struct evidence_ring){0};
			ring->scan_seeks = !batch.aligned;
		}
		if (batch.count == 0) {
			if (batch.lost == 0)
				break;
			continue;
		}
		uint32_t used = 0;
		bool broken = false;
		if (!ring->scan_seeks)
			used = scan_batch(look, ring, domain, &batch, &broken);
		ring->scan_at += used;
		if (broken)
			note_nonsense(ring, ring->scan_at);
		if (ring->scan_seeks || broken)
			scan_seek(ring, &batch, used, broken);
	}
	return true;
}

/* Look where each ring stands, and tell whether all that the last scan saw has been polled.  A ring that can't
 * be read now is not waited for. */
static bool used_up(struct rtev_cursor *cursor)
{
	bool all = true;

	for (uint32_t i = 0; i < cursor->map.geometry.rings; i++) {
		struct cursor_ring *ring = &cursor->rings[i];
		struct ring_window window;
		if (cursor_look(cursor, ring, &window))
			all = all && ring->position >= ring->frontier;
	}
	return all;
}

/* Begin a scan, which ends at the tails last seen. */
static void scan_begin(struct rtev_cursor *cursor)
{
	for (uint32_t i = 0; i < cursor->map.geometry.rings; i++) {
		struct cursor_ring *ring = &cursor->rings[i];
		ring->scan_at = ring->frontier;
		ring->scan_end = ring->tail_seen;
		ring->scan_seeks = false;
	}
	cursor->scanning = true;
	cursor->scan_ring = 0;
}

/* Begin the first scan of the caller, at what is unread, whatever polls have looked at. */
static void scan_begin_first(struct rtev_cursor *cursor)
{
	used_up(cursor);
	for (uint32_t i = 0; i < cursor->map.geometry.rings; i++) {
		struct cursor_ring *ring = &cursor->rings[i];
		ring->frontier = ring->position;
		ring->scan_ts = ring->last_ts;
		ring->scan_doubt = false;
		ring->fall_count = ring->torn_count = 0;
		ring->last_fall = 0;
		ring->evidence = (struct evidence_ring){0};
	}
	scan_begin(cursor);
	for (uint32_t i = 0; i < cursor->map.geometry.rings; i++)
		cursor->rings[i].scan_seeks = cursor->rings[i].footing != FOOTING_FIRM;
	cursor->scanned = true;
}

/* Go on with a scan, and move the frontiers when it is complete. */
static void scan_go_on(struct looking *look)
{
	struct rtev_cursor *cursor = look->cursor;
	uint32_t rings = cursor->map.geometry.rings;

	while (cursor->scan_ring < rings) {
		if (!scan_ring(look, &cursor->rings[cursor->scan_ring], cursor->scan_ring))
			return;
		cursor->scan_ring++;
	}
	for (uint32_t i = 0; i < rings; i++) {
		struct cursor_ring *ring = &cursor->rings[i];
		ring->frontier = ring->scan_at > ring->scan_end ? ring->scan_at : ring->scan_end;
	}
	cursor->scanning = false;
}

/* Look ahead through everything unread, to find the release. */
bool cursor_find_release(struct rtev_cursor *cursor, uint64_t *words)
{
	struct looking look = {.cursor = cursor, .words = *words};

	if (cursor->scanned || !cursor_seeks(cursor))
		return true;
	if (!cursor->scanning && used_up(cursor))
		scan_begin(cursor);
	if (cursor->scanning)
		scan_go_on(&look);
	*words = look.words;
	if (cursor->scanning)
		return false;
	cursor_weigh_evidence(cursor);
	return true;
}

int rtev_cursor_scan(struct rtev_cursor *cursor, rtev_resume_fn *resume, void *ctx, struct rtev_scan *out)
{
	struct looking look = {.cursor = cursor, .resume = resume, .ctx = ctx, .words = cursor->max_words};

	if (!sized_open(out))
		return RTEV_E_INVALID;
	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	/* The poll that follows tells what is wrong with the layout. */
	bool sound = cursor_check_layout(cursor) == RTEV_OK;
	if (sound && !cursor->scanned)
		scan_begin_first(cursor);
	else if (sound && !cursor->scanning && used_up(cursor))
		scan_begin(cursor);
	if (sound && cursor->scanning)
		scan_go_on(&look);
	cursor->more = sound && cursor->scanning;

	struct rtev_scan found = {0};
	for (uint32_t i = 0; i < cursor->map.geometry.rings; i++) {
		const struct cursor_ring *ring = &cursor->rings[i];
		uint64_t end = cursor->scanning ? ring->scan_end : ring->frontier;
		uint64_t unread = end > ring->position ? end - ring->position : 0;
		/* What is further back has been overwritten. */
		if (unread > ring->source.size)
			unread = ring->source.size;
		found.unread_words += unread;
		if (unread > found.fullest_words)
			found.fullest_words = unread;
	}
	found.release = cursor_conclude(cursor, &found.version, &found.from_layout);
	if (!cursor->scanning)
		cursor_weigh_evidence(cursor);
	busy_release(&cursor->busy);
	sized_give(out, &found, sizeof(found));
	return RTEV_OK;
}
