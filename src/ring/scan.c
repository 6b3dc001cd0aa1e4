/*
 * scan.c - look ahead through what is unread: which release wrote it, and when the target resumed its events.
 *
 * The caller scans, or polls do while they seek the release: until it is found, or for good once the caller does.
 * Polls begin with what was already there when the file was opened, read or not.
 *
 * A scan takes one call, or several when there are more words than one call may look at.  It goes from ring to
 * ring, each from its frontier to the tail seen when the scan began, and moves the frontiers once it is complete:
 * until then no poll meets an event that a resume yet to be found concerns.
 *
 * To look at a ring is to walk it from record to record.  Once the release is proven and walks have long told nothing new, most of
 * what a live target writes is only searched for the header word of a resume, which costs a fraction of that; a ring that has one,
 * or whose words look like one, is walked.
 */
#include <stddef.h>

#include "core/sized.h"
#include "ring/atomics.h"
#include "ring/cursor_state.h"

/* How many words are walked without news before others are only searched, and how many of those come before the next walk. */
#define WALK_WORDS (UINT64_C(1) << 16)
#define SEARCH_WORDS (WALK_WORDS * 16)

/* A ring with more to look at is walked: it may have holes, which a search would fill. */
#define SEARCH_MAX (UINT64_C(1) << 18)

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

/* Tell of a resume. */
static void scan_lifecycle(
    const struct looking *look, const struct cursor_ring *ring, uint32_t id, uint64_t ts)
{
	if (id == RTEV_LIFECYCLE_RING_RESUME && look->resume != NULL)
		look->resume(look->ctx, (unsigned)(ring - look->cursor->rings), ts);
}

/* Have the evidence know the last record, unless it was told of it. */
static inline void scan_skipped(struct cursor_ring *ring, const uint64_t *skipped)
{
	if (skipped != NULL)
		evidence_skipped(&ring->evidence, header_type(*skipped), header_id(*skipped));
}

/* Look at the records of a batch; returns the words used, *broken as in a poll.  Most records need not be looked at closely; a
 * length known from the branch taken lets the processor begin the next record before it has loaded this one's header. */
static uint32_t scan_batch(
    const struct looking *look, struct cursor_ring *ring, const struct ring_batch *batch, bool *broken)
{
	const uint64_t *record = batch->words, *end = record + batch->count;
	const uint64_t *last = NULL, *skipped = NULL;
	const uint64_t blank = ring->source.blank;
	const struct evidence_idle *idle = evidence_idle(look->cursor->facts, &ring->evidence);
	uint64_t last_ts, before;

	*broken = false;
	judge_doubtful(ring, batch);
	last_ts = before = ring->scan_ts;
	while (record < end) {
		uint64_t header = record[0];
		uint32_t length = header_length(header);
		if ((header & blank) != 0 || length > (size_t)(end - record)) {
			*broken = batch->at_edge || header_broken(&ring->source, header);
			break;
		}
		uint32_t type = header_type(header);
		bool close = header_top(header) >= HEADER_TOPS || !evidence_idle_has(idle, header);
		if (close) {
			*broken = header_broken(&ring->source, header);
			if (*broken)
				break;
			if (type == RECORD_PADDING) {
				record += length;
				continue;
			}
		}
		uint64_t ts = record[1];
		if (ts < last_ts) {
			note_fall(look->cursor, ring, batch->start + (uint64_t)(record - batch->words), ts);
			/* What came before is no neighbour. */
			skipped = NULL;
			close = true;
		}
		if (close) {
			scan_skipped(ring, skipped);
			skipped = NULL;
			idle =
			    evidence_record(&look->cursor->facts, &ring->evidence, type, header_id(header));
			if (type == RECORD_LIFECYCLE)
				scan_lifecycle(look, ring, header_id(header), ts);
		} else {
			skipped = record;
		}
		before = last_ts;
		last_ts = ts;
		last = record;
		if (length == 2)
			record += 2;
		else
			record += length;
	}
	if (last != NULL) {
		scan_skipped(ring, skipped);
		ring->scan_before = before;
		ring->scan_ts = last_ts;
		ring->scan_record = batch->start + (uint64_t)(last - batch->words);
	}
	return (uint32_t)(record - batch->words);
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

/* Whether a ring, which a scan begins to look at, need only be searched. */
static bool may_search(const struct rtev_cursor *cursor, const struct cursor_ring *ring)
{
	return !cursor->finished && cursor->words_walked >= WALK_WORDS && !ring->scan_seeks &&
	       ring->scan_at == ring->frontier && ring->scan_at >= ring->head_seen &&
	       ring->scan_end - ring->scan_at <= SEARCH_MAX && evidence_settled(cursor->facts);
}

/* Search the words of a ring for what may be a resume; true if there is none.  What is overwritten meanwhile is lost anyhow. */
static bool search(const struct cursor_ring *ring)
{
	const struct ring_source *source = &ring->source;
	const uint64_t resume = header_make(0, RECORD_LIFECYCLE, RTEV_LIFECYCLE_RING_RESUME);
	/* The length may be any. */
	const uint64_t told =
	    source->blank | (header_make(1, RECORD_PADDING, 0) - (UINT64_C(1) << HEADER_ID_SHIFT));
	uint64_t at = ring->scan_at;

	while (at < ring->scan_end) {
		uint64_t slot = at & (source->size - 1), count = source->size - slot;
		if (count > ring->scan_end - at)
			count = ring->scan_end - at;
		for (uint64_t i = 0; i < count; i++)
			if ((ring_load_word(&source->words[slot + i]) & told) == resume)
				return false;
		at += count;
	}
	return true;
}

/* Search a ring to its end if that will do; false: it has to be walked. */
static bool search_ring(struct looking *look, struct cursor_ring *ring)
{
	struct rtev_cursor *cursor = look->cursor;
	uint64_t words = ring->scan_end - ring->scan_at;

	if (words == 0 || words > look->words || !may_search(cursor, ring) || !search(ring))
		return false;
	look->words -= words;
	cursor->words_searched += words;
	ring->scan_at = ring->scan_end;
	ring->scan_doubt = false;
	ring->evidence = (struct evidence_ring){0};
	return true;
}

/* Go on looking through one ring.  False when the words were used up before its end. */
static bool scan_ring(struct looking *look, struct cursor_ring *ring)
{
	if (search_ring(look, ring))
		return true;
	while (ring->scan_at < ring->scan_end) {
		if (look->words == 0)
			return false;
		struct ring_batch batch;
		ring_fetch(
		    &ring->source, ring->scan_at, ring->scan_end, BATCH_WORDS, look->cursor->storage, &batch);
		look->words -= batch.count < look->words ? batch.count + 1 : look->words;
		look->cursor->words_walked += batch.count;
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
			used = scan_batch(look, ring, &batch, &broken);
		ring->scan_at += used;
		if (broken)
			note_nonsense(ring, ring->scan_at);
		if (ring->scan_seeks || broken)
			scan_seek(ring, &batch, used, broken);
	}
	ring->walked = ring->scan_at > ring->scan_end ? ring->scan_at : ring->scan_end;
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
	cursor->facts_before = cursor->facts;
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
		if (!scan_ring(look, &cursor->rings[cursor->scan_ring]))
			return;
		cursor->scan_ring++;
	}
	for (uint32_t i = 0; i < rings; i++) {
		struct cursor_ring *ring = &cursor->rings[i];
		ring->frontier = ring->scan_at > ring->scan_end ? ring->scan_at : ring->scan_end;
	}
	cursor->scanning = false;
	if (cursor->facts != cursor->facts_before || cursor->words_searched >= SEARCH_WORDS)
		cursor->words_walked = cursor->words_searched = 0;
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
