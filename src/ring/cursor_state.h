/*
 * cursor_state.h - internals of a cursor, shared by cursor.c (open, close), poll.c (delivery) and scan.c
 * (looking ahead).
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
 */
#ifndef RING_CURSOR_STATE_H
#define RING_CURSOR_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rtev/cursor.h"
#include "ring/evidence.h"
#include "ring/fetch.h"
#include "ring/map.h"

/* What is known about the position in a ring. */
enum footing {
	FOOTING_FIRM,	 /* a record starts there */
	FOOTING_CORRUPT, /* after an invalid record: the reader seeks the next trusted place */
	FOOTING_LOST	 /* words were overwritten up to the middle of a record: likewise */
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
	uint64_t skipped; /* words skipped since the footing was last firm, not reported yet */
	bool restarted;	  /* a restart is not reported yet; these words were unread then: */
	uint64_t gone,
	    gone_history; /* their number, and how many of them predate the opening of the cursor */
	struct evidence_ring evidence;
	/* state of the current scan: */
	uint64_t scan_at, scan_end; /* its position and its end */
	bool scan_seeks;	    /* no record need start at scan_at */
	bool scan_long;		    /* the record there was longer than the words fetched */
};

/* The name of a user event, and when to compare it with the file again.  A program writes a name once,
 * before its first use.  A name that stays the same is compared again after more and more polls, at most
 * NAME_POLLS. */
enum { NAME_POLLS = 64 };

struct user_slot {
	/* An event touches one line of the cache, up to event.generation. */
	_Alignas(64) uint64_t good_until; /* last poll that may use it without a comparison */
	uint64_t checks;		  /* comparisons since it last changed */
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
	bool scanning;	    /* a scan is in progress: */
	uint32_t scan_ring; /* index in `used` of the ring it has reached */
	uint64_t max_words; /* bound of one scan or poll; UINT64_MAX: none */
	bool more;	    /* the last scan or poll stopped at that bound */
	bool finished;	    /* the ring has no writer any more */
	uint64_t guard;	    /* ring_source.guard of rings found used from now on */
	uint32_t facts;
	/* by scans, since news of the release or since scans last searched SEARCH_WORDS */
	uint64_t words_walked;
	uint64_t words_searched; /* since then, searched only for resumes */
	void *users_memory;
	struct user_slot *users; /* RTEV_USER_EVENTS_MAX of them, in users_memory */
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

#endif
