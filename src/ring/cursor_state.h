/*
 * cursor_state.h - internals of a cursor: the file (map.c), batches of words (fetch.c), and what cursor.c (open,
 * close), poll.c (delivery) and scan.c (looking ahead) share.
 *
 * position: index of the next word to read.  All words below it were delivered, lost or skipped.
 * frontier: index up to which complete scans have looked.  Polls stop there if the caller scans, and while
 *   the cursor determines the release (cursor_seeks); in the latter case polls scan themselves.
 * fall: a place where stamps go back.  A live ring has none.  A copy made while the ring was written to has
 *   one where records of another lap follow.  Polls report each fall that a scan has found, and also the
 *   earlier place from which stamps are later than those after the fall.  Such a copy may also be torn inside
 *   a record, which words of another record then follow.
 * used: a ring whose head or tail was ever seen above 0.  Only these have state: most rings of a file are never
 *   used, and looking at the two words in shared memory costs far less than the state of a ring.
 * restart: the process started another program, and the ring's indexes begin at 0 again.  The cursor detects
 *   it by a head or tail lower than before, or by another record at index 0.
 *
 * A batch is a run of consecutive words of one lap; it never crosses the ring's end.  The writer had
 * published all of them when the reader loaded tail, and had not reused any when the reader loaded head
 * again.  The reader interprets only such words, so it counts a record overwritten during the copy as lost,
 * never as corrupt.
 *
 * A file may declare words that it holds no data for (a hole).  They read as zeros, but reading them
 * allocates memory, permanently in a file system in memory.  Zeros are not records.  A reader that seeks the
 * next trusted place and finds none in a batch therefore asks the file where data continues, and skips the
 * hole.
 */
#pragma once

#include <stdatomic.h>

#include "ring/evidence.h"
#include "rtev/cursor.h"

/* ---- the file ---- */

/* The layout of a file.  Every ring below `rings` is entirely inside the file, header and words. */
struct ring_geometry {
	uint64_t version;
	uint32_t max_domains; /* according to the header */
	uint32_t rings;	      /* rings that the file contains */
	uint64_t ring_words;  /* a power of two */
	uint64_t header_bytes;
	uint64_t headers_offset;
	uint64_t data_offset;
	uint64_t names_offset; /* 0: no table of names */
	uint64_t names_word;   /* the word at the place where 5.1 and later store that offset */
	bool layout_5_0; /* the file ends where only the layout of 5.0 does, or the word was never written */
};

struct ring_map {
	const unsigned char *base;
	size_t size;
	bool mapped; /* mapped by ring_map_fd; ring_map_fini unmaps it */
	int fd;	     /* a duplicate descriptor, for queries about holes; -1: none */
	struct ring_geometry geometry;
};

/* Read and check the metadata header of `size` bytes at `base`.  Returns RTEV_E_NOT_READY until the
 * creating process has filled it in, RTEV_E_FORMAT, or RTEV_E_TRUNCATED. */
int ring_geometry_read(struct ring_geometry *out, const unsigned char *base, size_t size);

/* Whether two headers describe the same layout, apart from the table of names. */
bool ring_geometry_equal(const struct ring_geometry *a, const struct ring_geometry *b);

/* Map a file by path or by descriptor (the caller keeps it open), or use memory in place (the caller owns
 * it).  Statuses of rtev_cursor_open_path. */
int ring_map_path(struct ring_map *map, const char *path);
int ring_map_fd(struct ring_map *map, int fd);
int ring_map_memory(struct ring_map *map, const void *data, size_t size);

/* Unmap, if the map was made from a file. */
void ring_map_fini(struct ring_map *map);

/* ---- batches of words ---- */

/* Words copied at a time.  A batch and what the callbacks touch should stay in the first-level cache.
 * Holds at least one record. */
#define BATCH_WORDS 2048u
static_assert(BATCH_WORDS > RTEV_RECORD_WORDS_MAX, "a batch holds any record whole");

/* What a reader needs to know of one ring. */
struct ring_source {
	const struct ring_header *header;
	const uint64_t *words;
	uint64_t size;	 /* words, a power of two */
	uint64_t guard;	 /* RING_GUARD_WORDS, or 0 if the ring is still */
	bool still;	 /* the ring has no writer any more */
	uint64_t blank;	 /* bits that are zero in every header word */
	int fd;		 /* descriptor of the file, -1: none */
	uint64_t offset; /* offset of its words in the file */
};

/* The readable part of a ring. */
struct ring_window {
	uint64_t head;	 /* as stored in the ring */
	uint64_t tail;	 /* the end of what is published */
	uint64_t oldest; /* the first index that can be read; at most tail */
	bool aligned;	 /* a record begins at oldest */
};

struct ring_batch {
	uint64_t start; /* index of words[0] */
	uint32_t count; /* valid words */
	bool at_edge;	/* ends where a record is known to end: at the limit or at the ring's end */
	bool aligned;	/* nothing was lost, or a record begins at start */
	uint64_t lost;	/* words between the position asked for and start */
	const uint64_t *words;
};

/* Return how many words of a ring can be read: all but the guard, and at least half of them. */
static inline uint64_t ring_keep(const struct ring_source *ring)
{
	return ring->size - (ring->guard < ring->size / 2 ? ring->guard : ring->size / 2);
}

/* Load a window.  Returns false if head and tail contradict each other; *out then holds only these two. */
bool ring_window(const struct ring_source *ring, struct ring_window *out);

/*
 * Copy up to `want` words (at least a record, at most BATCH_WORDS) from `position`, up to `limit`, a
 * published tail.  *out is always filled; its count is 0 if nothing can be read there.
 */
void ring_fetch(const struct ring_source *ring, uint64_t position, uint64_t limit, uint32_t want,
    uint64_t storage[BATCH_WORDS], struct ring_batch *out);

/* Minimum length of a record in words minus 2, by type; of unused types a value that no record reaches. */
extern const int8_t record_words_more[RECORD_TYPE_COUNT];

/* Whether a record is shorter than its type permits. */
static inline bool record_short(uint32_t type, uint32_t length)
{
	return (int32_t)length < 2 + record_words_more[type];
}

/* Whether a word can't begin a record of `ring`, whatever follows it. */
static inline bool header_broken(const struct ring_source *ring, uint64_t header)
{
	return (header & ring->blank) != 0 || record_short(header_type(header), header_length(header));
}

/* Whether a word can be the header of a record that a runtime writes. */
static inline bool header_sound(const struct ring_source *ring, uint64_t header)
{
	uint32_t type = header_type(header);

	return !header_broken(ring, header) &&
	       (type <= RECORD_ALLOC || (type >= RECORD_USER_UNIT && type <= RECORD_USER_CUSTOM));
}

/*
 * Return how many words to skip from offset `at` of a batch to the next trusted place: the start of a run of
 * sound records, or an edge.  *found is false if the batch ends before that can be decided; the next batch
 * must then start after the skipped words and be of full length.  `from` is the first offset to try,
 * relative to `at`; `least` is the lowest stamp to accept.
 */
uint32_t ring_resync(const struct ring_source *ring, const struct ring_batch *batch, uint32_t at,
    uint32_t from, uint64_t least, bool *found);

/*
 * As ring_resync, at the start of a batch after a loss.  Padding may still contain records of the lap before,
 * and the last stamp may be too old to reject them.  `limit` is a published tail, not below the end of the
 * batch; the words to skip may extend past that end.
 */
uint32_t ring_resync_lost(const struct ring_source *ring, const struct ring_batch *batch, uint64_t limit,
    uint64_t last_ts, bool *found);

/* Advance *position over zeros that may belong to a hole of the file, and over the hole, up to `limit`
 * (above *position) or the end of the lap.  Returns true if it got all the way; a record begins there.
 * At most one system call. */
bool ring_pass_hole(const struct ring_source *ring, uint64_t *position, uint64_t limit);

/* ---- the cursor ---- */

/* What is known about the position in a ring. */
enum footing {
	FOOTING_FIRM,	 /* a record starts there */
	FOOTING_CORRUPT, /* after an invalid record: the reader seeks the next trusted place */
	FOOTING_LOST /* words were overwritten up to the middle of a record: the reader seeks the next trusted place */
};

/* Limits on the falls and torn records that a scan keeps per ring for later polls. */
enum { FALLS_MAX = 8, TORN_MAX = 8 };

struct fall {
	uint64_t position; /* of the record */
	uint64_t ts;	   /* its stamp, lower than the one before */
};

struct cursor_ring {
	struct ring_source source;
	uint64_t position;
	uint64_t frontier;
	uint64_t walked; /* end of the records scans have walked without a break; valid if above position */
	uint64_t head_seen, tail_seen; /* values of the last cursor_look */
	uint64_t first_ts;	       /* stamp of the record at index 0; 0: unknown */
	uint64_t history_to;	       /* lost words below it are history until a record is delivered */
	uint64_t last_ts;	       /* of the last record delivered; 0: none */
	bool after_gap;		       /* a gap followed that record */
	uint64_t scan_ts;	       /* of the last record scanned; 0: none */
	uint64_t scan_before;	       /* of the record before it */
	uint64_t scan_record;	       /* its index */
	bool scan_doubt;	       /* invalid words follow it */
	uint64_t ceiling;	       /* lowest stamp after the falls ahead; UINT64_MAX: none */
	struct fall falls[FALLS_MAX];  /* ahead, in order */
	unsigned fall_count;
	uint64_t last_fall; /* position of the last fall found by a scan; 0: none */
	unsigned torn_count;
	uint64_t torn[TORN_MAX]; /* indexes of torn records ahead, in order */
	enum footing footing;
	uint64_t skipped;      /* words skipped since the footing was last firm, not reported yet */
	bool restarted;	       /* a restart is not reported yet */
	uint64_t gone;	       /* words that were unread at that restart */
	uint64_t gone_history; /* of these, the words from before the cursor was opened */
	struct evidence_ring evidence;
	uint64_t scan_at, scan_end; /* position and end of the current scan */
	bool scan_seeks;	    /* no record need start at scan_at */
	bool scan_long;		    /* the record there was longer than the words fetched */
};

/* The name of a user event, and when to compare it with the file again.  A program writes a name once, before its
 * first use.  A name that stays the same is compared again after more and more polls, at most NAME_POLLS. */
enum { NAME_POLLS = 64 };

struct user_slot {
	uint64_t good_until; /* last poll that may use it without a comparison */
	uint64_t checks;     /* comparisons since it last changed */
	struct rtev_user_event event;
};

struct rtev_cursor {
	struct ring_map map;
	atomic_bool busy;
	uint32_t next; /* ring that the next poll starts with */
	uint64_t polls;
	enum rtev_release release;
	bool chosen;	    /* the caller set the release */
	bool scanned;	    /* the caller scans */
	bool scanning;	    /* a scan is in progress */
	uint32_t scan_ring; /* index in `used` of the ring that the scan has reached */
	uint64_t max_words; /* bound of one scan or poll; UINT64_MAX: none */
	bool more;	    /* the last scan or poll stopped at that bound */
	bool finished;	    /* the ring has no writer any more */
	uint64_t guard;	    /* ring_source.guard of rings found used from now on */
	uint32_t facts;
	/* words that scans walked since news of the release, or since scans last searched SEARCH_WORDS */
	uint64_t words_walked;
	uint64_t words_searched; /* words that were only searched for resumes since then */
	struct user_slot *users; /* RTEV_USER_EVENTS_MAX of them */
	uint16_t phases[RTEV_ID_LIMIT];
	uint16_t counters[RTEV_ID_LIMIT];
	uint64_t storage[BATCH_WORDS];
	uint16_t *used; /* numbers of the used rings, in order */
	uint32_t used_count;
	struct cursor_ring rings[]; /* map.geometry.rings of them; all zero unless used */
};

/* Return how many of the lost words from `from` on are history. */
static inline uint64_t ring_history(const struct cursor_ring *ring, uint64_t from, uint64_t words)
{
	if (ring->last_ts != 0 || ring->history_to <= from)
		return 0;
	return ring->history_to - from < words ? ring->history_to - from : words;
}

/* Return the used ring at an index of `used`. */
static inline struct cursor_ring *cursor_used(struct rtev_cursor *cursor, uint32_t i)
{
	return &cursor->rings[cursor->used[i]];
}

/* Look for rings that are used by now. */
void cursor_find_used(struct rtev_cursor *cursor);

/* Update a user event from the file. */
void cursor_user_refresh(struct rtev_cursor *cursor, uint32_t id);

/* Return the event of a user record.  Its name is compared with the file at most once per poll. */
static inline const struct rtev_user_event *cursor_user_event(struct rtev_cursor *cursor, uint32_t id)
{
	struct user_slot *slot = &cursor->users[id];

	if (slot->good_until < cursor->polls)
		cursor_user_refresh(cursor, id);
	return &slot->event;
}

/* Whether polls still have to determine the release. */
static inline bool cursor_seeks(const struct rtev_cursor *cursor)
{
	return !cursor->chosen && !evidence_settled(cursor->facts);
}

/* Return the facts that the file's layout proves. */
static inline uint32_t cursor_layout_facts(const struct rtev_cursor *cursor)
{
	return evidence_of_layout(cursor->map.geometry.max_domains, cursor->map.geometry.layout_5_0);
}

/* Return the release that the records and the file layout prove; see evidence_conclude. */
enum rtev_release cursor_conclude(const struct rtev_cursor *cursor, const char **version, bool *from_layout);

/* Switch to the release that the evidence proves, unless the caller set one. */
void cursor_weigh_evidence(struct rtev_cursor *cursor);

/* Unless the caller scans, look ahead for the release, at up to *words words, and subtract those used.
 * *began: a scan began, at the tails of now.  Returns false if the scan needs more words; no event can be
 * delivered then. */
bool cursor_find_release(struct rtev_cursor *cursor, uint64_t *words, bool *began);

/* Read a ring's head and tail and detect a restart.  Returns false if the ring can't be read at present;
 * *out then holds only head and tail. */
bool cursor_look(struct rtev_cursor *cursor, struct cursor_ring *ring, struct ring_window *out);

/* Check that the file has the layout it was opened with.  Returns RTEV_OK, RTEV_E_TRUNCATED or
 * RTEV_E_CHANGED.  Accepts a table of names whose offset the writer stored after the file was opened. */
int cursor_check_layout(struct rtev_cursor *cursor);
