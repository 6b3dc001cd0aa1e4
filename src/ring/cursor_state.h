/*
 * cursor_state.h - internals of a cursor, shared by cursor.c (open, close), poll.c (delivery) and scan.c
 * (looking ahead).
 *
 * position: index of the next word to read.  All words below it were delivered, lost or skipped.
 * frontier: end of what a complete scan has looked at.  Polls stop there if the caller scans, or while the release is being
 *   determined (cursor_seeks), for which polls scan themselves.
 * fall: a place where stamps go back.  A live ring has none; in a copy made while the ring was written to, records of another lap
 *   follow there.  If a scan has found a fall, polls report it, and also the earlier place from which on stamps are later than those
 *   behind the fall.  Such a copy may also be torn inside a record, which is then followed by words of another.
 * restart: another program was started in the process, and the ring's indexes start at 0 again.  It is detected by a head or tail lower
 *   than before, or another record at index 0.
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

/* What is known of the position of a ring. */
enum footing {
	FOOTING_FIRM,	 /* a record starts there */
	FOOTING_CORRUPT, /* after an invalid record: the next trustworthy place is being sought */
	FOOTING_LOST	 /* words were overwritten up to the middle of a record: likewise */
};

/* Falls and torn records of a ring that a scan keeps for later polls. */
enum { FALLS_MAX = 8, TORN_MAX = 8 };

struct fall {
	uint64_t position; /* of the record */
	uint64_t ts;	   /* with this stamp, which is lower than the one before */
};

struct cursor_ring {
	struct ring_source source;
	uint64_t position;
	uint64_t frontier;
	uint64_t walked; /* scans have looked at every record up to here, if position is below it */
	uint64_t head_seen, tail_seen; /* at the last look */
	uint64_t first_ts;	       /* stamp of the record at index 0; 0: unknown */
	uint64_t head_at_open;	       /* lost words below it are history */
	uint64_t last_ts;	       /* of the last record delivered */
	bool after_gap;		       /* followed by a gap */
	uint64_t scan_ts;	       /* of the last record scanned; 0: none */
	uint64_t scan_before;	       /* of the record before it */
	uint64_t scan_record;	       /* its index */
	bool scan_doubt;	       /* it is followed by invalid words */
	uint64_t ceiling;	       /* lowest stamp behind the falls ahead; UINT64_MAX: none */
	struct fall falls[FALLS_MAX];  /* ahead, in order */
	unsigned fall_count;
	uint64_t last_fall; /* position of the last fall found by a scan; 0: none */
	unsigned torn_count;
	uint64_t torn[TORN_MAX]; /* indexes of torn records ahead, in order */
	enum footing footing;
	uint64_t skipped; /* words skipped since the footing was firm and not reported yet */
	bool restarted;	  /* restarted, not reported yet; unread then were */
	uint64_t gone,
	    gone_history; /* so many words, and so many of them from before the cursor was opened */
	struct evidence_ring evidence;
	/* of the current scan: */
	uint64_t scan_at, scan_end; /* how far it has come, and its end */
	bool scan_seeks;	    /* scan_at need not be the start of a record */
};

/* The name of a user event, and when to compare it with the file again.  A program writes a name once, before
 * the first use, so a name that was the same in NAME_POLLS polls is compared again only that many polls later. */
enum { NAME_POLLS = 64 };

struct user_slot {
	uint64_t good_until; /* poll up to which it need not be compared */
	uint64_t checks;     /* since it last changed */
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
	bool scanning;	    /* one is under way: */
	uint32_t scan_ring; /* the ring it has come to */
	uint64_t max_words; /* bound of one scan or poll; UINT64_MAX: none */
	bool more;	    /* the last of them stopped at that bound */
	bool finished;	    /* nobody writes any more */
	uint32_t facts;
	uint32_t facts_before;	 /* at the start of the current scan */
	uint64_t words_walked;	 /* by scans, since the facts changed or since scans last searched enough */
	uint64_t words_searched; /* since then, for resumes only */
	struct user_slot *users; /* RTEV_USER_EVENTS_MAX of them */
	uint16_t phases[RTEV_ID_LIMIT];
	uint16_t counters[RTEV_ID_LIMIT];
	uint64_t storage[BATCH_WORDS];
	struct cursor_ring rings[]; /* map.geometry.rings of them */
};

/* Compare a user event with the file. */
void cursor_user_refresh(struct rtev_cursor *cursor, uint32_t id);

/* The event of a user record.  Its name is compared with the file at most once in each poll. */
static inline const struct rtev_user_event *cursor_user_event(struct rtev_cursor *cursor, uint32_t id)
{
	struct user_slot *slot = &cursor->users[id];

	if (slot->good_until < cursor->polls)
		cursor_user_refresh(cursor, id);
	return &slot->event;
}

/* Whether the release has yet to be determined. */
static inline bool cursor_seeks(const struct rtev_cursor *cursor)
{
	return !cursor->chosen && !evidence_settled(cursor->facts);
}

/* What the records and the file's layout prove; see evidence_conclude. */
enum rtev_release cursor_conclude(const struct rtev_cursor *cursor, const char **version, bool *from_layout);

/* Use the release that the evidence proves, unless the caller set one. */
void cursor_weigh_evidence(struct rtev_cursor *cursor);

/* If the caller does not scan, look ahead for the release, at up to *words words, which are subtracted.
 * Returns false if they were not enough: nothing can be delivered yet. */
bool cursor_find_release(struct rtev_cursor *cursor, uint64_t *words);

/* Read a ring's head and tail, and detect a restart.  Returns false if nothing can be read at present; then
 * only head and tail are filled in. */
bool cursor_look(struct rtev_cursor *cursor, struct cursor_ring *ring, struct ring_window *out);

/* Check that the file has the layout it was opened with.  Returns RTEV_OK, RTEV_E_TRUNCATED or RTEV_E_CHANGED.
 * Accepts a table of names whose offset the writer stored after the file was opened. */
int cursor_check_layout(struct rtev_cursor *cursor);

#endif
