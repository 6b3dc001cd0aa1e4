/*
 * scan.c - look ahead through the unread records, for the release that wrote them and for resumes of the
 * target.
 *
 * Either the caller scans, or polls scan until the release is proved.  Once the caller has scanned, polls no
 * longer do.  Scans by polls start with everything that was in the file when it was opened, read or not.
 *
 * One scan may take several calls if it has more words than one call may read.  It goes from ring to ring,
 * in each from the frontier to the tail seen when the scan began.  It moves the frontiers only when it is
 * complete, so that no poll delivers an event which a resume not found yet applies to.
 *
 * A scan walks a ring from record to record.  Once nothing more can be learnt of the release
 * (evidence_final), it walks quietly: it only measures records and compares their stamps.  Once walks have
 * found nothing new for long, scans only search most words of a live target for the header of a resume, which
 * costs a fraction of a walk.  They walk a ring after all if a word in it matches such a header.
 */
#include "core/sized.h"
#include "ring/atomics.h"
#include "ring/cursor_state.h"

/* Words that scans walk without news of the release before they walk quietly: after final facts, and after
 * facts that might still name the release more precisely.  Scans by polls walk more words, because they end
 * once the release is proved. */
#define SURE_WORDS 256u
#define POLL_WORDS 1024u
#define LONG_WORDS (UINT64_C(5) << 10)

/* Words that scans walk before they only search, and words they search before they walk again. */
#define WALK_WORDS (UINT64_C(1) << 15)
#define SEARCH_WORDS (WALK_WORDS * 64)

/* A scan walks a ring with more words than this: it may have holes, which a search would fill. */
#define SEARCH_MAX (UINT64_C(1) << 18)

/* State of one call of a scan. */
struct looking {
	struct rtev_cursor *cursor;
	rtev_resume_fn *resume;
	void *ctx;
	uint64_t words; /* words that the call may still read */
};

/* Record that the last record scanned is torn. */
static void note_torn(struct cursor_ring *ring)
{
	if (ring->torn_count < TORN_MAX && ring->scan_record >= ring->position)
		ring->torn[ring->torn_count++] = ring->scan_record;
	ring->scan_doubt = false;
	/* The stamp of a torn record is not valid. */
	ring->scan_ts = ring->scan_before;
}

/* Handle invalid words at a position.  If the last record ends there it is in doubt, and it is torn if
 * one of its words is itself a sound header. */
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

/* Record a fall: the stamp at a position is lower than the one before.  The records on both sides are not
 * adjacent. */
static void note_fall(struct rtev_cursor *cursor, struct cursor_ring *ring, uint64_t position, uint64_t ts)
{
	cursor->facts |= FACT_CUT;
	ring->evidence = (struct evidence_ring){0};
	ring->last_fall = position;
	if (ring->fall_count < FALLS_MAX && position >= ring->position)
		ring->falls[ring->fall_count++] = (struct fall){position, ts};
}

/* Decide whether the record before invalid words is torn: its stamp is out of order with the record
 * before it or with the first after those words. */
static void judge_doubtful(struct cursor_ring *ring, const struct ring_batch *batch)
{
	const uint64_t *record = batch->words;

	if (!ring->scan_doubt || batch->count < 2 || header_type(record[0]) == RECORD_PADDING)
		return;
	if (ring->scan_ts < ring->scan_before || ring->scan_ts > record[1])
		note_torn(ring);
	ring->scan_doubt = false;
}

/* Report a lifecycle event to the caller if it is a resume. */
static void scan_lifecycle(
    const struct looking *look, const struct cursor_ring *ring, uint32_t id, uint64_t ts)
{
	if (id == RTEV_LIFECYCLE_RING_RESUME && look->resume != NULL)
		look->resume(look->ctx, (unsigned)(ring - look->cursor->rings), ts);
}

/* Pass the last idle record to the evidence, if there is one. */
static inline void scan_skipped(struct cursor_ring *ring, const uint64_t *skipped)
{
	if (skipped != NULL)
		evidence_skipped(&ring->evidence, header_type(*skipped), header_id(*skipped));
}

/* Scan the records of a batch.  Returns the number of words used; *broken: the record after them is invalid.
 * Most records are idle and only measured.  The branch for length 2 lets the processor start on the next
 * record before it has loaded this header. */
static __attribute__((noinline)) uint32_t scan_batch(
    const struct looking *look, struct cursor_ring *ring, const struct ring_batch *batch, bool *broken)
{
	const uint64_t *record = batch->words, *end = record + batch->count;
	const uint64_t *last = NULL, *skipped = NULL;
	const uint64_t blank = ring->source.blank;
	const struct evidence_idle *idle = evidence_begin(look->cursor->facts, &ring->evidence);
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
			/* The skipped record is not adjacent to this one. */
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

/* Types of records that a quiet walk passes, as bits. */
#define QUIET_TYPES                                                                                          \
	(1u << RECORD_LIFECYCLE | 1u << RECORD_BEGIN | 1u << RECORD_END | 1u << RECORD_COUNTER |             \
	    1u << RECORD_ALLOC | 1u << RECORD_USER_UNIT | 1u << RECORD_USER_INT |                            \
	    1u << RECORD_USER_SPAN_BEGIN | 1u << RECORD_USER_SPAN_END | 1u << RECORD_USER_CUSTOM)

/* The begin or the end of an awaited phase (evidence_awaited) or of the three after it. */
#define AWAITED_SHAPE(first) (header_make(0, RECORD_BEGIN, (first)))
#define AWAITED_MASK (header_make(0, 30, RTEV_ID_LIMIT - 4))

/* The quiet walk of a ring. */
struct quiet_walk {
	const struct looking *look;
	struct cursor_ring *ring;
	uint64_t at;	     /* words walked */
	uint64_t ts, before; /* stamps of the last record and of the one before it */
	uint64_t last;	     /* offset of the last record; UINT64_MAX: none */
	uint32_t awaited;    /* as in evidence_awaited */
};

/* Walk frequent records while they are in order: begins and ends of phases and user spans, counters, and int
 * events. */
static inline __attribute__((always_inline)) void walk_frequent(
    struct quiet_walk *walk, const uint64_t *words, uint64_t count, bool awaits)
{
	const uint64_t *record = words + walk->at, *last = NULL;
	/* A counter that begins before this is whole. */
	const uint64_t *const stop = count - walk->at >= 3 ? words + count - 2 : record;
	const uint64_t awaited = AWAITED_SHAPE(walk->awaited);
	uint64_t ts = walk->ts, before = walk->before;

	while (record < stop) {
		uint64_t header = ring_load_still(record), stamp = ring_load_still(record + 1);
		const uint64_t *next = record + 2;
		if (stamp < ts || (awaits && ((header ^ awaited) & AWAITED_MASK) == 0))
			break;
		if ((header & SHAPE_MASK & ~HEADER_USER_BIT) != SHAPE_PHASE) {
			if ((header & ~HEADER_ID_MASK) != SHAPE_COUNTER &&
			    (header & ~HEADER_ID_MASK) != SHAPE_INT)
				break;
			next = record + 3;
		}
		last = record;
		before = ts;
		ts = stamp;
		record = next;
	}
	walk->at = (uint64_t)(record - words);
	if (last != NULL)
		walk->last = (uint64_t)(last - words);
	walk->ts = ts;
	walk->before = before;
}

/* Walk one record of any kind.  Returns false if the walk ends before it. */
static bool walk_other(struct quiet_walk *walk, const uint64_t *words, uint64_t count)
{
	const uint64_t *w = words + walk->at;
	uint64_t header = ring_load_still(w);
	uint32_t length = header_length(header), type = header_type(header);

	if ((header & walk->ring->source.blank) != 0 || length > count - walk->at ||
	    record_short(type, length))
		return false;
	if (type != RECORD_PADDING) {
		uint64_t stamp = ring_load_still(w + 1);
		if (stamp < walk->ts || (QUIET_TYPES >> type & 1) == 0 ||
		    (walk->awaited != 0 && ((header ^ AWAITED_SHAPE(walk->awaited)) & AWAITED_MASK) == 0))
			return false;
		if (type == RECORD_LIFECYCLE) {
			if (header_id(header) == RTEV_LIFECYCLE_RING_RESUME &&
			    (walk->look->cursor->facts & FACT_CUT) == 0)
				return false;
			scan_lifecycle(walk->look, walk->ring, header_id(header), stamp);
		}
		walk->before = walk->ts;
		walk->ts = stamp;
		walk->last = walk->at;
	}
	walk->at += length;
	return true;
}

/*
 * Walk records that tell nothing but the order of their stamps.  Stops before the first record that is
 * invalid, out of order, of another kind, or not whole; returns the number of words walked.  Loads each word
 * once, so that the words may be those of a ring.
 */
static __attribute__((noinline)) uint64_t walk_quietly(const struct looking *look, struct cursor_ring *ring,
    const uint64_t *words, uint64_t count, uint32_t awaited)
{
	struct quiet_walk walk = {.look = look,
	    .ring = ring,
	    .ts = ring->scan_ts,
	    .before = ring->scan_before,
	    .last = UINT64_MAX,
	    .awaited = awaited};

	do {
		if (awaited != 0)
			walk_frequent(&walk, words, count, true);
		else
			walk_frequent(&walk, words, count, false);
	} while (walk.at < count && walk_other(&walk, words, count));
	if (walk.last != UINT64_MAX) {
		ring->scan_before = walk.before;
		ring->scan_ts = walk.ts;
		ring->scan_record = ring->scan_at + walk.last;
		ring->evidence = (struct evidence_ring){0};
	}
	return walk.at;
}

/* Skip words of a batch, from offset `at`, up to the next trusted place, and over a hole of the file
 * after it.  `broken`: the record at that offset is known to be invalid. */
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

/* Whether a search suffices for a ring that a scan is about to start on. */
static bool may_search(const struct rtev_cursor *cursor, const struct cursor_ring *ring)
{
	return !cursor->finished && cursor->words_walked >= WALK_WORDS && !ring->scan_seeks &&
	       ring->scan_at == ring->frontier && ring->scan_at >= ring->head_seen &&
	       ring->scan_end - ring->scan_at <= SEARCH_MAX && evidence_settled(cursor->facts);
}

/* Whether a word, in the bits of `told`, equals those of a resume header.  Unrolled, because a search does
 * little with each word. */
static inline bool has_resume(const uint64_t *words, uint64_t count, uint64_t told)
{
	const uint64_t resume = header_make(0, RECORD_LIFECYCLE, RTEV_LIFECYCLE_RING_RESUME);
	const uint64_t *word = words, *end = words + count, *last = end - count % 8;

	for (; word < last; word += 8)
		if ((ring_load_word(word) & told) == resume || (ring_load_word(word + 1) & told) == resume ||
		    (ring_load_word(word + 2) & told) == resume ||
		    (ring_load_word(word + 3) & told) == resume ||
		    (ring_load_word(word + 4) & told) == resume ||
		    (ring_load_word(word + 5) & told) == resume ||
		    (ring_load_word(word + 6) & told) == resume ||
		    (ring_load_word(word + 7) & told) == resume)
			return true;
	for (; word < end; word++)
		if ((ring_load_word(word) & told) == resume)
			return true;
	return false;
}

/* Search the words of a ring for a possible resume header.  Returns true if there is none.  Words
 * overwritten meanwhile are lost in any case. */
static bool search(const struct cursor_ring *ring)
{
	const struct ring_source *source = &ring->source;
	/* Compare all fields except the length. */
	const uint64_t told =
	    source->blank | (header_make(1, RECORD_PADDING, 0) - (UINT64_C(1) << HEADER_ID_SHIFT));
	uint64_t at = ring->scan_at;

	while (at < ring->scan_end) {
		uint64_t slot = at & (source->size - 1), count = source->size - slot;
		if (count > ring->scan_end - at)
			count = ring->scan_end - at;
		if (has_resume(source->words + slot, count, told))
			return false;
		at += count;
	}
	return true;
}

/* Search a ring to its end if that suffices.  Returns false if it has to be walked. */
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

/* Return how many words without news are enough after final facts. */
static uint32_t sure_words(const struct rtev_cursor *cursor)
{
	return cursor->scanned ? SURE_WORDS : POLL_WORDS;
}

/* Whether a walk can be quiet now.  `facts` include those of the layout. */
static bool may_be_quiet(const struct rtev_cursor *cursor, uint32_t facts)
{
	return (cursor->words_walked >= sure_words(cursor) && evidence_final(facts)) ||
	       (cursor->words_walked >= LONG_WORDS && evidence_settled(facts));
}

/* Whether new facts are news: those before were not final, or led to another conclusion. */
static bool news(const struct rtev_cursor *cursor, uint32_t before)
{
	uint32_t layout = cursor_layout_facts(cursor);
	const char *version, *version_before;
	bool from_layout;

	return !evidence_final(before | layout) ||
	       evidence_conclude(before | layout, &version_before, &from_layout) !=
		   evidence_conclude(cursor->facts | layout, &version, &from_layout) ||
	       strcmp(version, version_before) != 0;
}

/* Walk words of a ring without a writer quietly, in place.  The words may be those of a lap. */
static void scan_in_place(struct looking *look, struct cursor_ring *ring)
{
	const struct ring_source *source = &ring->source;
	uint64_t slot = ring->scan_at & (source->size - 1), count = source->size - slot;
	uint32_t facts = look->cursor->facts | cursor_layout_facts(look->cursor);
	struct ring_window window;

	if (!source->still || ring->scan_seeks || ring->scan_doubt || !may_be_quiet(look->cursor, facts))
		return;
	if (!ring_window(source, &window) || window.tail < ring->scan_end || window.oldest > ring->scan_at)
		return;
	if (count > ring->scan_end - ring->scan_at)
		count = ring->scan_end - ring->scan_at;
	if (count > look->words)
		count = look->words;
	uint64_t used = walk_quietly(look, ring, source->words + slot, count, evidence_awaited(facts));
	look->words -= used;
	look->cursor->words_walked += used;
	ring->scan_at += used;
}

/* Return how many words to walk carefully at a time.  They are few in a ring without a writer if a quiet walk
 * may follow. */
static uint32_t careful_words(const struct rtev_cursor *cursor, const struct cursor_ring *ring)
{
	bool few = !cursor->scanned || cursor->words_walked < LONG_WORDS ||
		   may_be_quiet(cursor, cursor->facts | cursor_layout_facts(cursor));

	return few && ring->source.still && !ring->scan_seeks && !ring->scan_long ? sure_words(cursor)
										  : BATCH_WORDS;
}

/* Continue the scan of one ring.  Returns false if the words were used up before its end. */
static bool scan_ring(struct looking *look, struct cursor_ring *ring)
{
	if (search_ring(look, ring))
		return true;
	while (ring->scan_at < ring->scan_end) {
		scan_in_place(look, ring);
		if (ring->scan_at == ring->scan_end)
			break;
		if (look->words == 0)
			return false;
		struct ring_batch batch;
		ring_fetch(&ring->source, ring->scan_at, ring->scan_end, careful_words(look->cursor, ring),
		    look->cursor->storage, &batch);
		look->words -= batch.count < look->words ? batch.count + 1 : look->words;
		uint32_t facts = look->cursor->facts;
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
		ring->scan_long = !ring->scan_seeks && !broken && used == 0;
		ring->scan_at += used;
		look->cursor->words_walked += used;
		if (broken)
			note_nonsense(ring, ring->scan_at);
		if (ring->scan_seeks || broken)
			scan_seek(ring, &batch, used, broken);
		if (look->cursor->facts != facts && news(look->cursor, facts))
			look->cursor->words_walked = 0;
	}
	ring->walked = ring->scan_at > ring->scan_end ? ring->scan_at : ring->scan_end;
	return true;
}

/* Update the window of each ring, and return whether polls have used up all that the last scan saw.
 * Rings that can't be read now are ignored. */
static bool used_up(struct rtev_cursor *cursor)
{
	bool all = true;

	cursor_find_used(cursor);
	for (uint32_t i = 0; i < cursor->used_count; i++) {
		struct cursor_ring *ring = cursor_used(cursor, i);
		struct ring_window window;
		if (cursor_look(cursor, ring, &window))
			all = all && ring->position >= ring->frontier;
	}
	return all;
}

/* Begin a scan that ends at the tails last seen. */
static void scan_begin(struct rtev_cursor *cursor)
{
	for (uint32_t i = 0; i < cursor->used_count; i++) {
		struct cursor_ring *ring = cursor_used(cursor, i);
		ring->scan_at = ring->frontier;
		ring->scan_end = ring->tail_seen;
		ring->scan_seeks = false;
	}
	cursor->scanning = true;
	cursor->scan_ring = 0;
}

/* Begin the first scan of the caller.  It starts at what is unread, wherever the scans of polls ended. */
static void scan_begin_first(struct rtev_cursor *cursor)
{
	used_up(cursor);
	for (uint32_t i = 0; i < cursor->used_count; i++) {
		struct cursor_ring *ring = cursor_used(cursor, i);
		ring->frontier = ring->position;
		ring->scan_ts = ring->last_ts;
		ring->scan_doubt = false;
		ring->fall_count = ring->torn_count = 0;
		ring->last_fall = 0;
		ring->evidence = (struct evidence_ring){0};
	}
	scan_begin(cursor);
	for (uint32_t i = 0; i < cursor->used_count; i++)
		cursor_used(cursor, i)->scan_seeks = cursor_used(cursor, i)->footing != FOOTING_FIRM;
	cursor->scanned = true;
}

/* Continue a scan, and move the frontiers once it is complete. */
static void scan_go_on(struct looking *look)
{
	struct rtev_cursor *cursor = look->cursor;

	while (cursor->scan_ring < cursor->used_count) {
		if (!scan_ring(look, cursor_used(cursor, cursor->scan_ring)))
			return;
		cursor->scan_ring++;
	}
	for (uint32_t i = 0; i < cursor->used_count; i++) {
		struct cursor_ring *ring = cursor_used(cursor, i);
		ring->frontier = ring->scan_at > ring->scan_end ? ring->scan_at : ring->scan_end;
	}
	cursor->scanning = false;
	if (cursor->words_searched >= SEARCH_WORDS)
		cursor->words_walked = cursor->words_searched = 0;
}

bool cursor_find_release(struct rtev_cursor *cursor, uint64_t *words, bool *began)
{
	struct looking look = {.cursor = cursor, .words = *words};

	*began = false;
	if (cursor->scanned || !cursor_seeks(cursor))
		return true;
	if (!cursor->scanning && used_up(cursor)) {
		scan_begin(cursor);
		*began = true;
	}
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
	/* An error in the layout is left to the next poll to return. */
	bool sound = cursor_check_layout(cursor) == RTEV_OK, first = !cursor->scanned;
	bool began = sound && (first || (!cursor->scanning && used_up(cursor)));
	if (began && first)
		scan_begin_first(cursor);
	else if (began)
		scan_begin(cursor);
	if (sound && cursor->scanning)
		scan_go_on(&look);
	cursor->more = sound && cursor->scanning;

	struct rtev_scan found = {.began = began};
	for (uint32_t i = 0; i < cursor->used_count; i++) {
		const struct cursor_ring *ring = cursor_used(cursor, i);
		uint64_t end = cursor->scanning ? ring->scan_end : ring->frontier;
		uint64_t unread = end > ring->position ? end - ring->position : 0;
		/* The words before the last ring size have been overwritten. */
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
