/*
 * cursor_state.h - the inside of a cursor, shared by cursor.c (life), poll.c (delivery) and scan.c (looking
 * ahead).
 *
 * position: index of the next word to read; all words below it were delivered, lost or skipped.
 * frontier: what is below it has been looked at by a scan that is complete.  Polls stop there if the caller scans,
 *   or while the release is sought (cursor_seeks), for which they scan themselves.
 * A fall is a place where stamps go back.  A live ring has none; a copy made while it was written to has words of
 * another lap there.  Polls report a fall, and the place before it from which on stamps are later than behind it, if a scan
 * has told.  Such a copy may also be torn in the middle of a record, which then has words of another behind its own.
 * A ring is begun anew when another program starts in the same process: its indexes begin at 0 again.  That
 * shows when its head or tail is lower than before, or when another record stands at index 0.
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

/* What is known of the place where a ring is read. */
enum footing {
	FOOTING_FIRM,	 /* a record begins there */
	FOOTING_CORRUPT, /* a record made no sense: the next place that can be trusted is sought */
	FOOTING_LOST	 /* words were overwritten up to somewhere in a record: likewise */
};

/* Falls and torn records of one ring that a scan remembers for the polls after it. */
enum { FALLS_MAX = 8, TORN_MAX = 8 };

struct fall {
	uint64_t position; /* of the record with */
	uint64_t ts;	   /* a stamp below that of the one before */
};

struct cursor_ring {
	struct ring_source source;
	uint64_t position;
	uint64_t frontier;
	uint64_t walked; /* up to which scans have looked at every record, if position is below it */
	uint64_t head_seen, tail_seen; /* when last looked at */
	uint64_t first_ts;	       /* stamp of the record at index 0, 0 while unknown */
	uint64_t head_at_open;	       /* words below it that are lost are history */
	uint64_t last_ts;	       /* of the last record delivered */
	bool after_gap;		       /* there has been a gap since */
	uint64_t scan_ts;	       /* of the last record scanned, 0 at first */
	uint64_t scan_before;	       /* of the one before it */
	uint64_t scan_record;	       /* index of it */
	bool scan_doubt;	       /* nonsense follows it */
	uint64_t ceiling;	       /* the least stamp at the falls ahead, UINT64_MAX without any */
	struct fall falls[FALLS_MAX];  /* ahead, in their order */
	unsigned fall_count;
	uint64_t last_fall; /* position of the last that a scan saw, 0 without any */
	unsigned torn_count;
	uint64_t torn[TORN_MAX]; /* indexes of torn records ahead, in their order */
	enum footing footing;
	uint64_t skipped;	     /* words passed over since the footing was firm, not yet reported */
	bool restarted;		     /* begun anew, not yet reported; what was unread then: */
	uint64_t gone, gone_history; /* words, and how many of them from before the cursor was opened */
	struct evidence_ring evidence;
	/* of the scan that is under way: */
	uint64_t scan_at, scan_end; /* how far it has come, and where it ends */
	bool scan_seeks;	    /* no record need begin at scan_at */
};

/* A name in the file, and the polls in which it is compared with the file: a program writes it once, before the event's first use,
 * so one that has stood for NAME_POLLS of them is looked at again as many polls later. */
enum { NAME_POLLS = 64 };

struct user_slot {
	uint64_t good_until; /* the poll up to which it need not be looked at */
	uint64_t checks;     /* since it last changed */
	struct rtev_user_event event;
};

struct rtev_cursor {
	struct ring_map map;
	atomic_bool busy;
	uint32_t next; /* ring that the next poll begins with */
	uint64_t polls;
	enum rtev_release release;
	bool chosen;	    /* the caller chose it */
	bool scanned;	    /* the caller scans */
	bool scanning;	    /* one is under way: */
	uint32_t scan_ring; /* the ring it has come to */
	uint64_t max_words; /* that one scan or poll looks at; UINT64_MAX: no bound */
	bool more;	    /* the last of them ended at that bound */
	bool finished;	    /* nobody writes any more */
	uint32_t facts;
	uint32_t facts_before; /* of the scan that is under way */
	uint64_t
	    words_walked; /* by scans since the facts last changed, or since scans last searched enough */
	uint64_t words_searched; /* for resumes alone since then */
	struct user_slot *users; /* RTEV_USER_EVENTS_MAX of them */
	uint16_t phases[RTEV_ID_LIMIT];
	uint16_t counters[RTEV_ID_LIMIT];
	uint64_t storage[BATCH_WORDS];
	struct cursor_ring rings[]; /* map.geometry.rings of them */
};

/* Bring a user event up to date with the file. */
void cursor_user_refresh(struct rtev_cursor *cursor, uint32_t id);

/* The event of a user record, its name compared with the file at most once in each poll. */
static inline const struct rtev_user_event *cursor_user_event(struct rtev_cursor *cursor, uint32_t id)
{
	struct user_slot *slot = &cursor->users[id];

	if (slot->good_until < cursor->polls)
		cursor_user_refresh(cursor, id);
	return &slot->event;
}

/* Whether the release is still to be found out. */
static inline bool cursor_seeks(const struct rtev_cursor *cursor)
{
	return !cursor->chosen && !evidence_settled(cursor->facts);
}

/* What the records and the file's layout prove; see evidence_conclude. */
enum rtev_release cursor_conclude(const struct rtev_cursor *cursor, const char **version, bool *from_layout);

/* Go by what the evidence so far proves, unless the caller chose the release. */
void cursor_weigh_evidence(struct rtev_cursor *cursor);

/* Look ahead for the release if it is sought and the caller does not scan, at up to *words words, which are taken
 * from them.  False when they were too few: then nothing can be delivered yet. */
bool cursor_find_release(struct rtev_cursor *cursor, uint64_t *words);

/* Look where a ring stands now, and note when it was begun anew.  False when nothing can be read there now;
 * only head and tail are filled in then. */
bool cursor_look(struct rtev_cursor *cursor, struct cursor_ring *ring, struct ring_window *out);

/* Whether the file still has the layout it was opened with: RTEV_OK, RTEV_E_TRUNCATED or RTEV_E_CHANGED.
 * Takes over a table of names whose place the writer stored after the file was opened. */
int cursor_check_layout(struct rtev_cursor *cursor);

#endif
