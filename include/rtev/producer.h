/*
 * producer.h - record runtime events as an OCaml 5 program does, from any program.
 *
 * A producer does what the runtime of an OCaml program does: it records to a ring file DIR/PID.events, with
 * one ring for each domain slot, and can be started, paused, resumed and stopped.  A thread that records
 * first attaches to a slot and gets a domain.  Only that thread may use the domain, so each ring has one
 * writer and recording takes no lock.  The thread that creates the producer is its main domain, slot 0.
 *
 *     struct rtev_producer *producer;
 *     rtev_producer_create(&producer, NULL);
 *     struct rtev_domain *me = rtev_producer_main(producer);
 *     rtev_producer_start(producer, me);
 *     rtev_domain_begin(me, RTEV_PHASE_MINOR);
 *     rtev_domain_end(me, RTEV_PHASE_MINOR);
 *     rtev_producer_destroy(producer);
 *
 * When a ring is full, the producer overwrites its oldest records; it never waits for a reader.  While a
 * producer does not record (not started, paused, or stopped), the functions that record do nothing and
 * return RTEV_OK.
 *
 * Threads: only the thread of a domain may call functions on it.  Any thread may call functions that take a
 * producer and a domain, with its own domain, at any time.  Other threads may record meanwhile; each of them
 * notices a start or a stop at its next event, which then takes a lock once.  During rtev_producer_destroy
 * and rtev_producer_forked no other thread may use the producer.
 *
 * Stamps are nanoseconds of CLOCK_MONOTONIC.  Within a ring they never decrease.
 *
 * Space: the file is sparse.  Its head is allocated by a start, a ring when a domain first records to it, so
 * that a full file system is a status and no SIGBUS (unless the file system can't allocate ahead).  A domain
 * that was attached before a start and for whose ring there is no room then records nothing.
 *
 * Source of the facts: layout and records as in OCaml's runtime/runtime_events.c, 5.0 and 5.1 to 5.5.
 */
#ifndef RTEV_PRODUCER_H
#define RTEV_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/cursor.h"
#include "rtev/events.h"
#include "rtev/rtev.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rtev_producer;
struct rtev_domain; /* a domain slot attached to a thread */
struct rtev_user;   /* a registered user event */

/* The layout of the file. */
enum rtev_layout {
	RTEV_LAYOUT_OF_RELEASE, /* the layout of the chosen release */
	RTEV_LAYOUT_5_0,	/* without a table of names: no user events */
	RTEV_LAYOUT_5_1		/* with a table of names */
};

#define RTEV_RING_EXPONENT_MIN 3
#define RTEV_RING_EXPONENT_MAX 30
#define RTEV_RING_EXPONENT_DEFAULT 16
#define RTEV_DOMAINS_MAX 4096
#define RTEV_DOMAINS_DEFAULT 128

/* With all members zero except `size`, a producer does what OCaml 5.3 does by default. */
struct rtev_producer_options {
	size_t size;	   /* sizeof(struct rtev_producer_options) */
	const char *dir;   /* directory of the file; NULL: the current directory.  Resolved at creation */
	unsigned exponent; /* a ring has 2^exponent words; 0: RTEV_RING_EXPONENT_DEFAULT */
	unsigned domains;  /* number of slots; 0: RTEV_DOMAINS_DEFAULT */
	enum rtev_layout layout;
	enum rtev_release release; /* whose numbers phases and counters get; RTEV_RELEASE_UNKNOWN: 5.3, or 5.0
				      with the layout of 5.0 */
	bool preserve;		   /* keep the file after a stop */
	bool environment;	   /* apply the three variables below, which override `dir` and `preserve` */
};

/* The environment variables that OCaml's runtime reads when it starts.  Ignored in programs that run with
 * raised privileges. */
#define RTEV_ENV_START "OCAML_RUNTIME_EVENTS_START"	  /* set: start at once */
#define RTEV_ENV_DIR "OCAML_RUNTIME_EVENTS_DIR"		  /* directory of the file */
#define RTEV_ENV_PRESERVE "OCAML_RUNTIME_EVENTS_PRESERVE" /* set: keep the file after a stop */

/*
 * Create a producer; the calling thread becomes its main domain.  It records nothing before
 * rtev_producer_start, unless the environment requests a start.  `options` may be NULL.  RTEV_E_INVALID if an
 * option is out of range; RTEV_E_NOENT, RTEV_E_ACCESS, RTEV_E_PATH, RTEV_E_LOOP, RTEV_E_FILES or RTEV_E_IO
 * for the directory; RTEV_E_NOMEM; if started at once, the statuses of rtev_producer_start.
 */
RTEV_API int rtev_producer_create(struct rtev_producer **out, const struct rtev_producer_options *options);

/* Stop on the main domain if started, and free the producer with its domains and user events.  In a
 * forked child that has not called rtev_producer_forked, the parent's file is left unchanged.  NULL is
 * allowed. */
RTEV_API void rtev_producer_destroy(struct rtev_producer *producer);

/* Return the main domain, slot 0: that of the thread that created the producer, or called
 * rtev_producer_forked.  Owned by the producer. */
RTEV_API struct rtev_domain *rtev_producer_main(struct rtev_producer *producer);

/*
 * Create the file and start recording.  The file appears under its name complete, with mode 0600, and
 * replaces any file of that name (a symbolic link is replaced, never followed).  Its first event is
 * RING_START.  `self` is the domain of the calling thread.  If already started, does nothing and returns
 * RTEV_OK.  RTEV_E_SPACE if the file system is full, or the file larger than a limit; RTEV_E_NOENT, RTEV_E_ACCESS, RTEV_E_IO, RTEV_E_PATH, RTEV_E_LOOP, RTEV_E_FILES, RTEV_E_MAP,
 * RTEV_E_NOMEM; RTEV_E_INVALID in a forked child that has not called rtev_producer_forked.
 */
RTEV_API int rtev_producer_start(struct rtev_producer *producer, struct rtev_domain *self);

/* Record RING_STOP, unmap the file, and unlink it unless the producer preserves it.  Does nothing if not
 * started.  (The memory is released when the last domain that recorded has noticed the stop or is
 * detached.) */
RTEV_API int rtev_producer_stop(struct rtev_producer *producer, struct rtev_domain *self);

/* Record RING_PAUSE and stop recording until rtev_producer_resume, which records RING_RESUME before any
 * event of another thread.  No effect if not started, already paused, or (resume) not paused.  RTEV_OK. */
RTEV_API int rtev_producer_pause(struct rtev_producer *producer, struct rtev_domain *self);
RTEV_API int rtev_producer_resume(struct rtev_producer *producer, struct rtev_domain *self);

/*
 * Give up the parent's ring in a child after fork; the child calls this before it records.  The parent's
 * ring is not modified.  If the parent's producer was started, the child starts a ring of its own
 * (RING_START, then FORK_CHILD).  The calling thread becomes the main domain.  Domains obtained before the
 * fork are invalid; user events remain valid.
 *
 * Until this call, events that the child records are discarded, and starting or attaching returns
 * RTEV_E_INVALID.  On systems without MADV_WIPEONFORK the child must not try any of these.
 *
 * Statuses of rtev_producer_start.  The parent may record RTEV_LIFECYCLE_FORK_PARENT with the child's pid.
 */
RTEV_API int rtev_producer_forked(struct rtev_producer *producer);

/* Copy the absolute path of the file to buf, of `size` bytes.  RTEV_E_NO_CURRENT_RING if not started;
 * RTEV_E_PATH if buf is too small. */
RTEV_API int rtev_producer_path(struct rtev_producer *producer, char *buf, size_t size);

/* Open a cursor on the calling process's own ring; the caller closes it.  If `options` is NULL, it uses
 * the producer's release.  RTEV_E_NO_CURRENT_RING if not started, else the statuses of
 * rtev_cursor_open_path. */
RTEV_API int rtev_cursor_open_producer(
    struct rtev_cursor **out, struct rtev_producer *producer, const struct rtev_cursor_options *options);

/* Attach the calling thread to the lowest free slot and record DOMAIN_SPAWN there.  *out is owned by the
 * producer.  RTEV_E_DOMAINS if all slots are taken; RTEV_E_SPACE or RTEV_E_IO if there is no room for its ring;
 * RTEV_E_INVALID in a forked child that has not called
 * rtev_producer_forked. */
RTEV_API int rtev_producer_attach(struct rtev_producer *producer, struct rtev_domain **out);

/* Record DOMAIN_TERMINATE and free the slot.  `domain` is invalid afterwards.  Does nothing for NULL and
 * for the main domain, which lasts as long as its producer. */
RTEV_API void rtev_domain_detach(struct rtev_domain *domain);

/* Return the slot of a domain, 0 to the number of slots - 1: the number that readers see. */
RTEV_API unsigned rtev_domain_slot(const struct rtev_domain *domain);

/* Whether an event recorded now would be written. */
RTEV_API bool rtev_domain_active(struct rtev_domain *domain);

/* Set the stamp of the next events of this domain, in place of the clock, for programs that replay or
 * simulate; 0 returns to the clock.  A stamp below that of the newest record of the ring is raised to it. */
RTEV_API void rtev_domain_set_stamp(struct rtev_domain *domain, uint64_t ts);

/*
 * Record one event.  RTEV_E_RELEASE if the chosen release has no such phase or counter.  Opaque values
 * (RTEV_OPAQUE + number) are written as their number.
 */
RTEV_API int rtev_domain_begin(struct rtev_domain *domain, rtev_phase phase);
RTEV_API int rtev_domain_end(struct rtev_domain *domain, rtev_phase phase);
RTEV_API int rtev_domain_counter(struct rtev_domain *domain, rtev_counter counter, int64_t value);

/* Record a lifecycle event.  `data` is ignored for RTEV_LIFECYCLE_RING_STOP, which has none.
 * RTEV_E_INVALID if there is no such event. */
RTEV_API int rtev_domain_lifecycle(struct rtev_domain *domain, rtev_lifecycle event, int64_t data);

/* Add `count` allocations of blocks of `words` words, header excluded, to the bucket given by
 * rtev_alloc_bucket.  Each domain has its own buckets. */
RTEV_API void rtev_domain_alloc(struct rtev_domain *domain, uint64_t words, uint64_t count);

/* Record the buckets in one event and reset them.  RTEV_E_TOO_LARGE if the ring has less than 64 words. */
RTEV_API int rtev_domain_alloc_flush(struct rtev_domain *domain);

enum rtev_user_type { RTEV_USER_UNIT, RTEV_USER_INT, RTEV_USER_SPAN, RTEV_USER_CUSTOM };

/*
 * Write `value` to `out` as the payload of a custom event, and return its length in bytes, at most
 * RTEV_CUSTOM_BYTES_MAX.  With a greater length the event is refused.  The function may record other events.
 */
typedef size_t rtev_serialise_fn(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX]);

/*
 * Register a user event, before or after the start.  The name has `name_len` bytes, 1 to 127, without NUL; it
 * is copied.  `serialise` is required for RTEV_USER_CUSTOM, with its argument `ctx`, and NULL for other
 * types.  Registering a name again with the same type returns the same event.  *out is owned by the producer.
 * RTEV_E_USER_COUNT beyond RTEV_USER_EVENTS_MAX, RTEV_E_USER_NAME_EMPTY, RTEV_E_USER_NAME_LONG,
 * RTEV_E_USER_NAME_NUL, RTEV_E_USER_TYPE if the name has another type, RTEV_E_NO_USER_EVENTS with the layout
 * of 5.0, RTEV_E_INVALID, RTEV_E_NOMEM.
 */
RTEV_API int rtev_user_register(struct rtev_producer *producer, const char *name, size_t name_len,
    enum rtev_user_type type, rtev_serialise_fn *serialise, void *ctx, const struct rtev_user **out);

/* Find a registered user event by its name.  RTEV_E_USER_UNKNOWN if there is none. */
RTEV_API int rtev_user_resolve(
    struct rtev_producer *producer, const char *name, size_t name_len, const struct rtev_user **out);

/* Return the number in the ring, the name (owned by the event) and the type of a user event. */
RTEV_API unsigned rtev_user_id(const struct rtev_user *user);
RTEV_API const char *rtev_user_name(const struct rtev_user *user);
RTEV_API enum rtev_user_type rtev_user_type(const struct rtev_user *user);

/* OCaml's integers have 63 bits. */
#define RTEV_USER_INT_MAX INT64_C(0x3fffffffffffffff)
#define RTEV_USER_INT_MIN (-RTEV_USER_INT_MAX - 1)

/*
 * Record a user event.  RTEV_E_USER_TYPE if it has another type, RTEV_E_INVALID if it belongs to another
 * producer.
 *
 * int: RTEV_E_USER_INT if the value needs more than 63 bits.
 * custom: RTEV_E_USER_PAYLOAD if the payload is too long, RTEV_E_TOO_LARGE if the record is longer than half
 * the ring.
 */
RTEV_API int rtev_domain_user_unit(struct rtev_domain *domain, const struct rtev_user *user);
RTEV_API int rtev_domain_user_int(struct rtev_domain *domain, const struct rtev_user *user, int64_t value);
RTEV_API int rtev_domain_user_begin(struct rtev_domain *domain, const struct rtev_user *user);
RTEV_API int rtev_domain_user_end(struct rtev_domain *domain, const struct rtev_user *user);
RTEV_API int rtev_domain_user_custom(
    struct rtev_domain *domain, const struct rtev_user *user, const void *value);

#ifdef __cplusplus
}
#endif

#endif
