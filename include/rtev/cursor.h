/*
 * cursor.h - read the runtime events of an OCaml 5 program, live or from the file that it left.
 *
 * A ring file has one ring of 64-bit words for each domain slot.  The writer never waits: when a ring is
 * full, it overwrites the oldest records.  A cursor holds a read position in each ring.  A cursor never
 * writes to the file, so the writer can't notice it.
 *
 *     struct rtev_cursor *cursor;
 *     const struct rtev_callbacks calls = {.size = sizeof(calls), .end = on_end};
 *     rtev_cursor_open_pid(&cursor, dir, pid, NULL);
 *     rtev_cursor_poll(cursor, &calls, ctx, 0, NULL);     again and again
 *     rtev_cursor_close(cursor);
 *
 * Where to find a ring: a program started with OCAML_RUNTIME_EVENTS_START=1, or one that calls
 * Runtime_events.start, writes DIR/PID.events.  DIR is its OCAML_RUNTIME_EVENTS_DIR, else the directory it was
 * started in; PID is its pid as it sees it itself, which differs in a container.  If these are not known, a
 * line of /proc/PID/maps ends in the file's path as the program sees it; prefix /proc/PID/root for a program
 * in a container.  The library has no function that searches, because only the caller knows whose files it
 * may open and whose links it may follow.
 *
 * How often to poll: often enough that no ring fills between two polls.  A ring of the default size, 65536
 * words, holds some 25,000 events: 20 polls a second suffice for 250,000 events a second of a domain, with half
 * the ring to spare.  rtev_cursor_lag tells how full a ring is; the callback `lost` reports events that were
 * overwritten.  A program started with OCAMLRUNPARAM=e=20 has rings 16 times as large.
 *
 * To read all that a program wrote until its end, first learn that it has ended, then poll until a poll
 * delivers fewer events than its bound and rtev_cursor_more is false.  A caller that scans continues until
 * this holds after a scan that began (rtev_scan.began) after the end: polls deliver nothing that was written
 * after the begin of the scan before them.
 *
 * Threads: only one caller may use a cursor at a time.  rtev_cursor_poll and rtev_cursor_scan return
 * RTEV_E_BUSY when called from a callback of the same cursor, or while another thread is in such a call.
 * Different cursors are independent.
 *
 * Faults: the file belongs to another process.  If that process truncates it, reading the lost part raises
 * SIGBUS, which the library does not catch.  To survive, a program installs a handler that maps zero pages
 * over the lost part (rtev_cursor_mapping returns the address range); the next poll then returns
 * RTEV_E_TRUNCATED.
 *
 * Formats: OCaml 5.0 to 5.5 and OxCaml, both layouts (with and without the table of custom event names).
 *
 * Source of the facts: runtime/caml/runtime_events.h, runtime/runtime_events.c and
 * otherlibs/runtime_events/runtime_events_consumer.c of OCaml; its manual, chapter "Runtime tracing with
 * runtime events".
 */
#ifndef RTEV_CURSOR_H
#define RTEV_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/events.h"
#include "rtev/rtev.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rtev_cursor;

/* A user event that the program registered.  Owned by the cursor and valid until it is closed.  The name
 * is copied from the file: untrusted bytes, NUL-terminated, empty until the program has written it. */
struct rtev_user_event {
	uint16_t id;	     /* 0 to RTEV_USER_EVENTS_MAX - 1 */
	uint16_t name_len;   /* bytes, without the NUL */
	uint32_t generation; /* incremented when the name in the file changes */
	char name[RTEV_USER_NAME_SIZE];
};

enum rtev_next { RTEV_CONTINUE = 0, RTEV_STOP = 1 };

/*
 * The callbacks of a poll; NULL members are skipped.  `ctx` is the argument given to the poll.  `domain` is
 * the slot of the ring, 0 to domains - 1 (slots are reused).  `ts` is the writer's monotonic clock in
 * nanoseconds.  A callback that returns RTEV_STOP ends the poll after its event, which is not delivered
 * again.
 */
struct rtev_callbacks {
	size_t size; /* sizeof(struct rtev_callbacks), for later growth */
	enum rtev_next (*begin)(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase);
	enum rtev_next (*end)(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase);
	enum rtev_next (*counter)(
	    void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value);
	/* buckets: RTEV_ALLOC_BUCKETS counts of major heap allocations since the previous event of this
	 * kind */
	enum rtev_next (*alloc)(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets);
	/* data: a pid for ring_start, fork_parent, domain_spawn, domain_terminate; 0 if the record has no
	 * data */
	enum rtev_next (*lifecycle)(
	    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data);
	enum rtev_next (*user_unit)(
	    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event);
	enum rtev_next (*user_int)(
	    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value);
	enum rtev_next (*user_span)(
	    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin);
	/* data: exactly len bytes, valid during the call; a producer writes at most
	 * RTEV_CUSTOM_BYTES_MAX, a file may hold up to 8167 */
	enum rtev_next (*user_custom)(void *ctx, unsigned domain, uint64_t ts,
	    const struct rtev_user_event *event, const void *data, size_t len);
	/* words were overwritten before they were read; `history` of them before the cursor was opened, or
	 * as rtev_cursor_rewind says */
	enum rtev_next (*lost)(void *ctx, unsigned domain, uint64_t words, uint64_t history);
	/* words were skipped because a record was invalid.  0: none were skipped, but stamps go back, as
	 * in a copy made while the ring was written to; events before and after this call are not
	 * adjacent. */
	enum rtev_next (*corrupt)(void *ctx, unsigned domain, uint64_t words);
	/* the ring was started again: the process now runs another OCaml program.  Events that the program
	 * before wrote after the last look at the ring are neither delivered nor counted as lost. */
	enum rtev_next (*restart)(void *ctx, unsigned domain);
	/* a phase that began, and ended with the next record of its domain: in place of `begin` and `end`.
	 * It counts as two events.  A poll may still call those, as it does where a batch of records ends. */
	enum rtev_next (*begin_end)(
	    void *ctx, unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase);
};

enum rtev_start {
	RTEV_START_OLDEST, /* at the oldest record; what was overwritten earlier is history */
	RTEV_START_NEWEST  /* at the end: only what is written from then on */
};

struct rtev_cursor_options {
	size_t size; /* sizeof(struct rtev_cursor_options) */
	enum rtev_start start;
	enum rtev_release release; /* whose numbers the ring uses; RTEV_RELEASE_UNKNOWN: polls determine it */
	/* The file has no writer any more: read up to the last word on weakly ordered processors too. */
	bool finished;
	/* Approximate bound on the words that one scan or poll reads, see rtev_cursor_more; 0: none. */
	uint64_t max_words;
};

/* Properties of a ring file, checked against its size when the cursor was opened. */
struct rtev_ring_info {
	size_t size;	      /* sizeof(struct rtev_ring_info) */
	uint64_t version;     /* of the format, 1 for OCaml 5.0 to 5.5 */
	uint32_t domains;     /* rings that the file contains: slots 0 to domains - 1 */
	uint32_t max_domains; /* rings according to the header */
	uint64_t ring_words;  /* size of each ring, a power of two */
	uint64_t file_bytes;
	bool has_names; /* the file has a table of custom event names (5.1 and later) */
};

/*
 * Open DIR/PID.events; a NULL dir is the current directory.  `options` may be NULL.  Never blocks.  Returns
 * RTEV_E_NOENT, RTEV_E_ACCESS, RTEV_E_NOT_REGULAR, RTEV_E_NOT_READY (still being created: try again),
 * RTEV_E_FORMAT, RTEV_E_TRUNCATED, RTEV_E_MAP, RTEV_E_PATH, RTEV_E_LOOP, RTEV_E_FILES, RTEV_E_NOMEM or
 * RTEV_E_INVALID (for the options) on error.  The caller closes *out.
 */
RTEV_API int rtev_cursor_open_pid(
    struct rtev_cursor **out, const char *dir, int64_t pid, const struct rtev_cursor_options *options);

/* Open a ring file by its path.  Errors as rtev_cursor_open_pid. */
RTEV_API int rtev_cursor_open_path(
    struct rtev_cursor **out, const char *path, const struct rtev_cursor_options *options);

/* Open a ring file by a descriptor, which the caller continues to own.  The cursor keeps a duplicate and
 * moves the file offset that both share.  Errors as rtev_cursor_open_pid. */
RTEV_API int rtev_cursor_open_fd(struct rtev_cursor **out, int fd, const struct rtev_cursor_options *options);

/* Open a ring file in memory, `size` bytes aligned to 8 bytes.  The caller owns the memory and keeps it until
 * the cursor is closed.  Another thread may write to it as a producer does.  Errors: RTEV_E_INVALID, also for
 * NULL or memory that is not aligned; RTEV_E_NOT_READY, RTEV_E_FORMAT, RTEV_E_TRUNCATED, RTEV_E_NOMEM. */
RTEV_API int rtev_cursor_open_memory(
    struct rtev_cursor **out, const void *data, size_t size, const struct rtev_cursor_options *options);

/* Close and free a cursor; NULL is allowed.  Called from a callback of the cursor, it does nothing and
 * returns RTEV_E_BUSY. */
RTEV_API int rtev_cursor_close(struct rtev_cursor *cursor);

/*
 * Deliver at most max_events events (0: no bound), visiting the rings round-robin.  A visit reads up to the
 * tail seen when it began; the next poll begins after the ring where this one stopped.  *consumed (may be
 * NULL) is set to the number of events delivered, also on error; lost, corrupt and restart calls and padding
 * do not count.
 *
 * With a bound on words (rtev_cursor_options) and max_events 0, rings are read one after another, each to
 * its end, however many polls that takes.
 *
 * A poll allocates nothing.  It makes a system call only where thousands of consecutive words are not
 * records: it then asks the file where its data continues, and reads no word that the file does not hold.
 *
 * Unless the caller set the release, polls determine it.  They look ahead through all that the rings hold
 * and through what follows until the release is proved, and again after a ring was restarted.  They deliver
 * only what they have looked at.  The end of a minor collection is proof.  Until then, phases and counters
 * whose numbers differ between the possible releases stay opaque.
 *
 * Returns RTEV_E_INVALID if the size of `callbacks` is invalid; RTEV_E_BUSY; or RTEV_E_TRUNCATED or
 * RTEV_E_CHANGED if the layout of the file changed: close the cursor and open another.
 */
RTEV_API int rtev_cursor_poll(struct rtev_cursor *cursor, const struct rtev_callbacks *callbacks, void *ctx,
    uint64_t max_events, uint64_t *consumed);

/* The result of a scan: what the unread records prove. */
struct rtev_scan {
	size_t size;		   /* sizeof(struct rtev_scan) */
	enum rtev_release release; /* best table for the stream; RTEV_RELEASE_UNKNOWN without evidence */
	const char *version;	   /* what is proved, as text: "5.1-5.2", "5.3"; NULL without evidence */
	bool from_layout;	   /* the only evidence is the file's layout */
	uint64_t unread_words;	   /* in all rings */
	uint64_t fullest_words;	   /* in the ring with the most */
	bool began; /* this call is the first of a scan, which is of all that is written by now */
};

/* Called for each ring_resume event that a scan finds, in no order across rings. */
typedef void rtev_resume_fn(void *ctx, unsigned domain, uint64_t ts);

/*
 * Look ahead through all unread records without delivering them.  The polls that follow stop where this scan
 * ended.  A caller that scans before each poll therefore knows what the unread records prove, and knows of
 * every ring_resume before a poll delivers an event after it.  From the first scan on, polls no longer look
 * ahead themselves.
 *
 * Evidence accumulates over the life of the cursor.  If the target still writes, and records have proved
 * nothing new for long, scans only search most records for resumes.  A scan looks at new records only when
 * polls have used up those of the last one; until then it returns the same evidence.  With a bound on words
 * a scan may take several calls; polls deliver nothing new until rtev_cursor_more is false after one.
 *
 * Allocates nothing.  `resume` may be NULL; it must not use the cursor.  Returns RTEV_E_INVALID if the size
 * of *out is invalid, RTEV_E_BUSY as a poll does.
 */
RTEV_API int rtev_cursor_scan(
    struct rtev_cursor *cursor, rtev_resume_fn *resume, void *ctx, struct rtev_scan *out);

/* Whether the last scan or poll stopped at the bound on words.  If so, call the same function again. */
RTEV_API bool rtev_cursor_more(const struct rtev_cursor *cursor);

/* Set the release whose numbers the ring uses.  With RTEV_RELEASE_UNKNOWN, polls and scans determine it
 * again.  RTEV_E_INVALID if there is no such release; RTEV_E_BUSY in a poll. */
RTEV_API int rtev_cursor_set_release(struct rtev_cursor *cursor, enum rtev_release release);

/* Return the release in use: the one set, or the best found so far.  That is RTEV_RELEASE_UNKNOWN before the
 * first poll, and as long as what polls have seen proves nothing. */
RTEV_API enum rtev_release rtev_cursor_release(const struct rtev_cursor *cursor);

/* Fill in *out, whose size the caller has set, with the properties of the file.  RTEV_E_INVALID if that
 * size is invalid. */
RTEV_API int rtev_cursor_info(const struct rtev_cursor *cursor, struct rtev_ring_info *out);

/* Get the number of words of a ring that are written and not yet read, and the head and tail of the ring
 * (word indexes).  A head beyond the tail contradicts it: then nothing can be read.  Each pointer may be NULL.
 * RTEV_E_INVALID if there is no such domain. */
RTEV_API int rtev_cursor_lag(
    const struct rtev_cursor *cursor, unsigned domain, uint64_t *unread, uint64_t *head, uint64_t *tail);

/* Move the position of every ring to its end, as RTEV_START_NEWEST does.  RTEV_E_BUSY in a poll. */
RTEV_API int rtev_cursor_skip(struct rtev_cursor *cursor);

/*
 * Start over as RTEV_START_OLDEST does, for a reader that polls some time after opening.  What was
 * overwritten by now is history.  So is the first part of a full ring that is still written to, because the
 * writer would probably overwrite it before it is read: four times as many words as were written since the
 * opening or the last rewind, at least a sixteenth and at most half of the ring.  So is what the writer
 * overwrites beyond that before polls deliver a record of the ring, as far as it was written by now.
 * RTEV_E_BUSY in a poll; RTEV_E_INVALID after one.
 */
RTEV_API int rtev_cursor_rewind(struct rtev_cursor *cursor);

/* Get the address range of the mapped file, for a SIGBUS handler.  *size is 0 for a cursor on memory. */
RTEV_API void rtev_cursor_mapping(const struct rtev_cursor *cursor, const void **address, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
