/*
 * cursor.c - open and close a cursor, its name tables, and its query functions.
 */
#include "ring/cursor_state.h"

#include "core/sized.h"
#include "core/sum.h"
#include "ring/atomics.h"

/* Bounds on the part of a full ring that a rewind skips because the writer is about to overwrite it, as
 * divisors of the size. */
#define REWIND_LEAST 16
#define REWIND_MOST 2

/* Reading everything may take this many times as long as the time from opening to the rewind. */
#define REWIND_TIMES 4

/* Make a table that maps each number of a ring to an opaque one. */
static void table_init(uint16_t *table)
{
	for (unsigned id = 0; id < RTEV_ID_LIMIT; id++)
		table[id] = (uint16_t)(RTEV_OPAQUE + id);
}

/* Map the numbers that a release has to the enumerations, or back to opaque ones.  They are few; the rest of
 * a table stays as it is. */
static void tables_map(struct rtev_cursor *cursor, enum rtev_release release, bool opaque)
{
	for (unsigned i = 0; i < RTEV_PHASE_COUNT; i++) {
		int id = rtev_phase_to_id(release, (rtev_phase)i);
		if (id >= 0)
			cursor->phases[id] = (uint16_t)(opaque ? RTEV_OPAQUE + (unsigned)id : i);
	}
	for (unsigned i = 0; i < RTEV_COUNTER_COUNT; i++) {
		int id = rtev_counter_to_id(release, (rtev_counter)i);
		if (id >= 0)
			cursor->counters[id] = (uint16_t)(opaque ? RTEV_OPAQUE + (unsigned)id : i);
	}
}

static void tables_switch(struct rtev_cursor *cursor, enum rtev_release release)
{
	tables_map(cursor, cursor->release, true);
	tables_map(cursor, release, false);
	cursor->release = release;
}

enum rtev_release cursor_conclude(const struct rtev_cursor *cursor, const char **version, bool *from_layout)
{
	return evidence_conclude(cursor->facts | cursor_layout_facts(cursor), version, from_layout);
}

void cursor_weigh_evidence(struct rtev_cursor *cursor)
{
	const char *version;
	bool from_layout;
	enum rtev_release release = cursor_conclude(cursor, &version, &from_layout);

	if (!cursor->chosen && release != cursor->release)
		tables_switch(cursor, release);
}

/* Return the stamp of the record at index 0, or 0 if that record is missing or overwritten. */
static uint64_t first_stamp(const struct ring_source *source, const struct ring_window *window)
{
	struct ring_window after;

	if (window->oldest != 0 || window->tail < 2 || source->size < 2)
		return 0;
	uint64_t ts = ring_load_word(&source->words[1]);
	return ring_window(source, &after) && after.oldest == 0 ? ts : 0;
}

/* Move the read position of a ring to the start of a record, and reset the state that depends on it. */
static void ring_go_to(struct cursor_ring *ring, uint64_t position)
{
	ring->position = position;
	ring->walked = 0;
	ring->skipped = ring->gone = ring->gone_history = ring->last_ts = ring->scan_ts = 0;
	ring->fall_count = ring->torn_count = 0;
	ring->last_fall = 0;
	ring->after_gap = false;
	ring->scan_doubt = false;
	ring->footing = FOOTING_FIRM;
	ring->evidence = (struct evidence_ring){0};
}

/* Reset the state of a ring that was restarted.  Unread words of the old ring are lost. */
static void begin_anew(struct rtev_cursor *cursor, struct cursor_ring *ring)
{
	uint64_t from = ring->position - ring->skipped, to = ring->tail_seen;
	uint64_t gone = ring->gone, history = ring->gone_history;

	if (to > from) {
		gone = words_sum(gone, to - from);
		history = words_sum(history, ring_history(ring, from, to - from));
	}
	ring_go_to(ring, 0);
	ring->gone = gone;
	ring->gone_history = history;
	ring->history_to = ring->frontier = ring->scan_at = ring->scan_end = 0;
	ring->restarted = true;
	/* The names are another program's: force a comparison with the file. */
	cursor->polls += NAME_POLLS;
	/* The other program may use another release. */
	cursor->facts = 0;
}

bool cursor_look(struct rtev_cursor *cursor, struct cursor_ring *ring, struct ring_window *out)
{
	if (!ring_window(&ring->source, out))
		return false;
	uint64_t ts = first_stamp(&ring->source, out);
	bool first_changed = ts != 0 && ring->first_ts != 0 && ts != ring->first_ts;
	if (out->tail < ring->tail_seen || out->head < ring->head_seen || first_changed) {
		/* The writer resets head before tail.  In between, they are further apart than a ring can
		 * hold. */
		if (out->tail >= ring->tail_seen && out->tail - out->head >= ring->source.size)
			return false;
		begin_anew(cursor, ring);
		ring->first_ts = 0;
	}
	if (ts != 0)
		ring->first_ts = ts;
	ring->head_seen = out->head;
	ring->tail_seen = out->tail;
	return true;
}

/* Return where the words of a ring are. */
static struct ring_source source_of(const struct rtev_cursor *cursor, uint32_t domain)
{
	const struct ring_geometry *g = &cursor->map.geometry;
	const unsigned char *base = cursor->map.base;
	uint64_t offset = g->data_offset + domain * g->ring_words * sizeof(uint64_t);

	return (struct ring_source){
	    .header = (const void *)(base + g->headers_offset + domain * g->header_bytes),
	    .words = (const void *)(base + offset),
	    .size = g->ring_words,
	    .guard = cursor->guard,
	    .still = cursor->finished,
	    .blank = (UINT64_C(1) << (g->version < 2 ? HEADER_ID_SHIFT : HEADER_SAMPLES_SHIFT)) - 1,
	    .fd = cursor->map.fd,
	    .offset = offset,
	};
}

void cursor_find_used(struct rtev_cursor *cursor)
{
	const struct ring_geometry *g = &cursor->map.geometry;
	const unsigned char *headers = cursor->map.base + g->headers_offset;
	uint32_t at = 0;

	for (uint32_t i = 0; i < g->rings; i++) {
		if (at < cursor->used_count && cursor->used[at] == i) {
			at++;
			continue;
		}
		const struct ring_header *header = (const void *)(headers + i * g->header_bytes);
		if (ring_load_tail(header) == 0 && ring_load_head(header) == 0)
			continue;
		memmove(&cursor->used[at + 1], &cursor->used[at],
		    (cursor->used_count - at) * sizeof(cursor->used[0]));
		cursor->used[at++] = (uint16_t)i;
		cursor->used_count++;
		cursor->rings[i].source = source_of(cursor, i);
	}
}

/* Set the read position of each ring. */
static void rings_init(struct rtev_cursor *cursor, const struct rtev_cursor_options *options)
{
	cursor->finished = options->finished;
	cursor->guard = options->finished ? 0 : RING_GUARD_WORDS;
	cursor->max_words = options->max_words != 0 ? options->max_words : UINT64_MAX;
	cursor_find_used(cursor);
	for (uint32_t i = 0; i < cursor->used_count; i++) {
		struct cursor_ring *ring = cursor_used(cursor, i);
		struct ring_window window;
		if (!cursor_look(cursor, ring, &window))
			continue;
		ring->history_to = window.oldest;
		if (options->start == RTEV_START_NEWEST)
			ring->position = window.tail;
	}
}

/* Create a cursor on a map.  Takes ownership of the map, also on failure. */
static int cursor_create(
    struct rtev_cursor **out, struct ring_map *map, const struct rtev_cursor_options *given)
{
	struct rtev_cursor_options options = {.size = sizeof(options)};
	int status = RTEV_E_INVALID;
	struct rtev_cursor *cursor = NULL;

	if (!sized_take(&options, sizeof(options), given) || (unsigned)options.release >= RTEV_RELEASE_COUNT)
		goto fail;
	status = RTEV_E_NOMEM;
	uint32_t rings = map->geometry.rings;
	cursor = calloc(1, sizeof(*cursor) + rings * (sizeof(cursor->rings[0]) + sizeof(cursor->used[0])));
	if (cursor == NULL)
		goto fail;
	cursor->used = (uint16_t *)&cursor->rings[rings];
	/* calloc, because pages of so large a block then cost nothing until they are touched. */
	cursor->users = calloc(RTEV_USER_EVENTS_MAX, sizeof(cursor->users[0]));
	if (cursor->users == NULL)
		goto fail;
	cursor->map = *map;
	table_init(cursor->phases);
	table_init(cursor->counters);
	tables_switch(cursor, options.release);
	cursor->chosen = options.release != RTEV_RELEASE_UNKNOWN;
	rings_init(cursor, &options);
	*out = cursor;
	return RTEV_OK;
fail:
	free(cursor);
	ring_map_fini(map);
	return status;
}

int rtev_cursor_open_pid(
    struct rtev_cursor **out, const char *dir, int64_t pid, const struct rtev_cursor_options *options)
{
	char path[4096];

	*out = NULL;
	int length = snprintf(path, sizeof(path), "%s/%lld.events", dir != NULL ? dir : ".", (long long)pid);
	if (length < 0 || (size_t)length >= sizeof(path))
		return RTEV_E_PATH;
	return rtev_cursor_open_path(out, path, options);
}

int rtev_cursor_open_path(
    struct rtev_cursor **out, const char *path, const struct rtev_cursor_options *options)
{
	struct ring_map map;

	*out = NULL;
	int status = ring_map_path(&map, path);
	return status == RTEV_OK ? cursor_create(out, &map, options) : status;
}

int rtev_cursor_open_fd(struct rtev_cursor **out, int fd, const struct rtev_cursor_options *options)
{
	struct ring_map map;

	*out = NULL;
	int status = ring_map_fd(&map, fd);
	return status == RTEV_OK ? cursor_create(out, &map, options) : status;
}

int rtev_cursor_open_memory(
    struct rtev_cursor **out, const void *data, size_t size, const struct rtev_cursor_options *options)
{
	struct ring_map map;

	*out = NULL;
	int status = ring_map_memory(&map, data, size);
	return status == RTEV_OK ? cursor_create(out, &map, options) : status;
}

int rtev_cursor_close(struct rtev_cursor *cursor)
{
	if (cursor == NULL)
		return RTEV_OK;
	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	ring_map_fini(&cursor->map);
	free(cursor->users);
	free(cursor);
	return RTEV_OK;
}

int rtev_cursor_set_release(struct rtev_cursor *cursor, enum rtev_release release)
{
	if ((unsigned)release >= RTEV_RELEASE_COUNT)
		return RTEV_E_INVALID;
	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	cursor->chosen = release != RTEV_RELEASE_UNKNOWN;
	if (!cursor->chosen)
		cursor_weigh_evidence(cursor);
	else if (release != cursor->release)
		tables_switch(cursor, release);
	busy_release(&cursor->busy);
	return RTEV_OK;
}

enum rtev_release rtev_cursor_release(const struct rtev_cursor *cursor)
{
	return cursor->release;
}

int rtev_cursor_info(const struct rtev_cursor *cursor, struct rtev_ring_info *out)
{
	const struct ring_geometry *g = &cursor->map.geometry;

	const struct rtev_ring_info info = {
	    .version = g->version,
	    .domains = g->rings,
	    .max_domains = g->max_domains,
	    .ring_words = g->ring_words,
	    .file_bytes = cursor->map.size,
	    .has_names = g->names_offset != 0,
	};

	if (!sized_open(out))
		return RTEV_E_INVALID;
	sized_give(out, &info, sizeof(info));
	return RTEV_OK;
}

int rtev_cursor_lag(
    const struct rtev_cursor *cursor, unsigned domain, uint64_t *unread, uint64_t *head, uint64_t *tail)
{
	if (domain >= cursor->map.geometry.rings)
		return RTEV_E_INVALID;
	const struct cursor_ring *ring = &cursor->rings[domain];
	struct ring_source source = source_of(cursor, domain);
	struct ring_window window;
	if (!ring_window(&source, &window))
		window.oldest = window.head;
	uint64_t from = ring->position > window.oldest ? ring->position : window.oldest;
	if (unread != NULL)
		*unread = window.tail > from ? window.tail - from : 0;
	if (head != NULL)
		*head = window.oldest;
	if (tail != NULL)
		*tail = window.tail;
	return RTEV_OK;
}

int rtev_cursor_skip(struct rtev_cursor *cursor)
{
	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	cursor_find_used(cursor);
	for (uint32_t i = 0; i < cursor->used_count; i++) {
		struct cursor_ring *ring = cursor_used(cursor, i);
		struct ring_window window;
		if (!cursor_look(cursor, ring, &window))
			continue;
		ring_go_to(ring, window.tail);
		if (cursor->scanned)
			ring->frontier = window.tail;
	}
	cursor->scanning = cursor->more = false;
	busy_release(&cursor->busy);
	return RTEV_OK;
}

/* Estimate how many words of a full ring its writer will overwrite before they are read, from what it has
 * written since the last look at the ring. */
static uint64_t rewind_margin(const struct rtev_cursor *cursor, const struct cursor_ring *ring)
{
	const struct ring_source *source = &ring->source;
	uint64_t least = source->size / REWIND_LEAST, most = source->size / REWIND_MOST;
	uint64_t tail = ring_load_tail(source->header);
	uint64_t written = tail > ring->tail_seen ? tail - ring->tail_seen : 0;

	if (cursor->finished)
		return 0;
	if (written > most / REWIND_TIMES)
		return most;
	return written * REWIND_TIMES > least ? written * REWIND_TIMES : least;
}

int rtev_cursor_rewind(struct rtev_cursor *cursor)
{
	if (!busy_acquire(&cursor->busy))
		return RTEV_E_BUSY;
	cursor_find_used(cursor);
	for (uint32_t i = 0; i < cursor->used_count && cursor->polls == 0; i++) {
		struct cursor_ring *ring = cursor_used(cursor, i);
		struct ring_window window;
		uint64_t margin = rewind_margin(cursor, ring);
		if (!cursor_look(cursor, ring, &window))
			continue;
		ring_go_to(ring, 0);
		if (window.oldest > 0 && window.tail - window.oldest > ring_keep(&ring->source) - margin) {
			/* The margin may end inside a record. */
			ring->position = ring->skipped = window.oldest + margin;
			ring->footing = FOOTING_LOST;
		}
		/* The writer may pass the margin of a ring while those before it are read. */
		ring->history_to = window.tail;
		ring->frontier = 0;
	}
	int status = cursor->polls == 0 ? RTEV_OK : RTEV_E_INVALID;
	if (status == RTEV_OK)
		cursor->scanned = cursor->scanning = cursor->more = false;
	busy_release(&cursor->busy);
	return status;
}

bool rtev_cursor_more(const struct rtev_cursor *cursor)
{
	return cursor->more;
}

void rtev_cursor_mapping(const struct rtev_cursor *cursor, const void **address, size_t *size)
{
	*address = cursor->map.base;
	*size = cursor->map.mapped ? cursor->map.size : 0;
}

/* Update a name from the file.  Returns true if it changed. */
static bool name_refresh(struct rtev_cursor *cursor, struct rtev_user_event *event)
{
	union {
		uint64_t words[RTEV_USER_NAME_SIZE / sizeof(uint64_t)];
		char text[RTEV_USER_NAME_SIZE];
	} name;
	const uint64_t *from = (const void *)(cursor->map.base + cursor->map.geometry.names_offset +
					      (uint64_t)event->id * RTEV_USER_NAME_SIZE);

	for (size_t i = 0; i < sizeof(name.words) / sizeof(name.words[0]); i++)
		name.words[i] = shared_load_word(&from[i]);
	size_t length = strnlen(name.text, sizeof(name.text) - 1);
	/* Ignore the bytes after the NUL: they may be left from a longer name. */
	memset(name.text + length, 0, sizeof(name.text) - length);
	if (memcmp(name.text, event->name, sizeof(name.text)) == 0)
		return false;
	memcpy(event->name, name.text, sizeof(name.text));
	event->name_len = (uint16_t)length;
	event->generation++;
	return true;
}

void cursor_user_refresh(struct rtev_cursor *cursor, uint32_t id)
{
	struct user_slot *slot = &cursor->users[id];

	slot->event.id = (uint16_t)id;
	slot->checks++;
	if (cursor->map.geometry.names_offset != 0 && name_refresh(cursor, &slot->event))
		slot->checks = 0;
	/* If the name is empty, the program has not written it yet. */
	uint64_t polls = slot->event.name_len != 0 ? slot->checks / 2 * slot->checks : 0;
	slot->good_until = cursor->polls + (polls < NAME_POLLS ? polls : NAME_POLLS);
}

int cursor_check_layout(struct rtev_cursor *cursor)
{
	struct ring_geometry *then = &cursor->map.geometry, now;
	int status = ring_geometry_read(&now, cursor->map.base, cursor->map.size);

	if (status == RTEV_E_NOT_READY)
		return RTEV_E_TRUNCATED;
	if (status != RTEV_OK || !ring_geometry_equal(&now, then))
		return RTEV_E_CHANGED;
	if (now.names_word != then->names_word) {
		/* A creating process stores this word last, so it may change from 0 to an offset.  Any
		 * other change is a new layout. */
		if (then->names_word != 0 || now.names_offset == 0)
			return RTEV_E_CHANGED;
		*then = now;
		cursor_weigh_evidence(cursor);
	}
	return RTEV_OK;
}
