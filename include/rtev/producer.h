/*
 * producer.h - record runtime events as an OCaml 5 program does, from any program.
 *
 * A producer is what an OCaml program has in its runtime: a ring file DIR/PID.events that can be started,
 * paused, resumed and stopped, with one ring for each domain slot.  A thread that wants to record attaches to
 * a slot and gets a domain; only that thread may then use the domain, so that each ring has one writer and no
 * event takes a lock.  The thread that creates the producer is its main domain, slot 0.
 *
 *     struct rtev_producer *producer;
 *     rtev_producer_create(&producer, NULL);
 *     struct rtev_domain *me = rtev_producer_main(producer);
 *     rtev_producer_start(producer, me);
 *     rtev_domain_begin(me, RTEV_PHASE_MINOR);
 *     rtev_domain_end(me, RTEV_PHASE_MINOR);
 *     rtev_producer_destroy(producer);
 *
 * A ring that is full overwrites its oldest records: recording never waits for a reader.  While nothing is
 * recorded (not started, paused, stopped), the functions that record do nothing and return RTEV_OK.
 *
 * Threads: functions on a domain are for its thread alone.  Those that take a producer and a domain may be
 * called by any thread with its own domain, at any time, also while other threads record: each of these
 * notices a start or a stop at its next event, which then takes a lock, once.  rtev_producer_destroy and
 * rtev_producer_forked need the producer to themselves.
 *
 * Stamps are nanoseconds of CLOCK_MONOTONIC.  On one ring they never fall.
 *
 * Faults: the file is sparse and grows as rings fill.  On a file system that is full, recording raises SIGBUS,
 * as it does in OCaml's runtime.
 *
 * Source of the facts: the layout and the records as in OCaml's runtime/runtime_events.c, 5.0 and 5.1 to 5.5.
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
struct rtev_domain; /* a thread's hold on a domain slot */
struct rtev_user;   /* a registered user event */

/* How the file is laid out. */
enum rtev_layout {
	RTEV_LAYOUT_OF_RELEASE, /* as the release chosen does it */
	RTEV_LAYOUT_5_0,	/* without a table of names: no user events */
	RTEV_LAYOUT_5_1		/* with one */
};

#define RTEV_RING_EXPONENT_MIN 3
#define RTEV_RING_EXPONENT_MAX 30
#define RTEV_RING_EXPONENT_DEFAULT 16
#define RTEV_DOMAINS_MAX 4096
#define RTEV_DOMAINS_DEFAULT 128

/* All zero but for `size` asks for what OCaml 5.3 does by default. */
struct rtev_producer_options {
	size_t size;	   /* sizeof(struct rtev_producer_options) */
	const char *dir;   /* where the file goes; NULL: the current directory.  Resolved when created */
	unsigned exponent; /* a ring has 2^exponent words; 0: RTEV_RING_EXPONENT_DEFAULT */
	unsigned domains;  /* slots; 0: RTEV_DOMAINS_DEFAULT */
	enum rtev_layout layout;
	enum rtev_release release; /* whose numbers phases and counters get; RTEV_RELEASE_UNKNOWN: 5.3, or 5.0
				      with the layout of 5.0 */
	bool preserve;		   /* leave the file when stopping */
	bool environment;	   /* obey the three variables below, which beat `dir` and `preserve` */
};

/* What OCaml's runtime reads when it starts.  Ignored in programs that run with raised privileges. */
#define RTEV_ENV_START "OCAML_RUNTIME_EVENTS_START"	  /* set: start at once */
#define RTEV_ENV_DIR "OCAML_RUNTIME_EVENTS_DIR"		  /* where the file goes */
#define RTEV_ENV_PRESERVE "OCAML_RUNTIME_EVENTS_PRESERVE" /* set: leave the file when stopping */

/*
 * Make a producer; the calling thread is its main domain.  Nothing is recorded before rtev_producer_start,
 * unless the environment asks for it.  `options` may be NULL.  RTEV_E_INVALID for options out of range,
 * RTEV_E_NOENT, RTEV_E_ACCESS or RTEV_E_PATH for the directory, RTEV_E_NOMEM, and when started at once what
 * rtev_producer_start returns.
 */
RTEV_API int rtev_producer_create(struct rtev_producer **out, const struct rtev_producer_options *options);

/* Stop if started, by the main domain, and free everything, domains and user events included.  In a forked
 * child that has not called rtev_producer_forked the parent's file stays untouched.  NULL is allowed. */
RTEV_API void rtev_producer_destroy(struct rtev_producer *producer);

/* The domain of the thread that made the producer (after rtev_producer_forked: of the thread that called it).
 * Slot 0.  Owned by the producer. */
RTEV_API struct rtev_domain *rtev_producer_main(struct rtev_producer *producer);

/*
 * Make the file and begin to record.  It appears under its name complete, mode 0600, in place of whatever had
 * that name (a symbolic link is replaced, never followed), and its first event is RING_START.  `self` is the
 * calling thread's domain.  Already started: RTEV_OK, nothing done.  RTEV_E_NOENT, RTEV_E_ACCESS, RTEV_E_IO,
 * RTEV_E_PATH, RTEV_E_MAP, RTEV_E_NOMEM.
 */
RTEV_API int rtev_producer_start(struct rtev_producer *producer, struct rtev_domain *self);

/* Record RING_STOP, unmap the file, and unlink it unless it is to be preserved.  Not started: nothing is
 * done.  (The memory is given back when the last domain that recorded has noticed or is detached.) */
RTEV_API int rtev_producer_stop(struct rtev_producer *producer, struct rtev_domain *self);

/* Record RING_PAUSE, then stop recording until rtev_producer_resume, which records RING_RESUME before any
 * other thread's event.  No effect where not started, already paused, or not paused. */
RTEV_API int rtev_producer_pause(struct rtev_producer *producer, struct rtev_domain *self);
RTEV_API int rtev_producer_resume(struct rtev_producer *producer, struct rtev_domain *self);

/*
 * To be called in a child after fork, before it records: it gives up the parent's ring without touching it
 * and, if the parent's was started, starts one of its own (RING_START, then FORK_CHILD).  The calling thread
 * becomes the main domain; domains that were handed out before are void, user events stay.  Until this call
 * nothing that the child records goes anywhere, and it can't start or attach: RTEV_E_INVALID (on systems
 * without MADV_WIPEONFORK it must not try).  Statuses of rtev_producer_start.  The parent may record
 * RTEV_LIFECYCLE_FORK_PARENT with the child's pid.
 */
RTEV_API int rtev_producer_forked(struct rtev_producer *producer);

/* Copy the absolute path of the file to buf.  RTEV_E_NO_CURRENT_RING while not started; RTEV_E_PATH when it
 * does not fit. */
RTEV_API int rtev_producer_path(struct rtev_producer *producer, char *buf, size_t size);

/* Open a cursor on the calling process's own ring.  Without options it uses the producer's release.
 * RTEV_E_NO_CURRENT_RING while not started, else the statuses of rtev_cursor_open_path. */
RTEV_API int rtev_cursor_open_producer(
    struct rtev_cursor **out, struct rtev_producer *producer, const struct rtev_cursor_options *options);

/* Attach the calling thread to the lowest free slot and record DOMAIN_SPAWN there.  RTEV_E_DOMAINS when all
 * are taken. */
RTEV_API int rtev_producer_attach(struct rtev_producer *producer, struct rtev_domain **out);

/* Record DOMAIN_TERMINATE and free the slot.  `domain` is void afterwards.  Nothing is done for the main
 * domain, which lasts as long as its producer, and for NULL. */
RTEV_API void rtev_domain_detach(struct rtev_domain *domain);

/* 0 to the number of slots - 1: the number that readers see. */
RTEV_API unsigned rtev_domain_slot(const struct rtev_domain *domain);

/* Whether an event recorded now would be written. */
RTEV_API bool rtev_domain_active(struct rtev_domain *domain);

/* Give the events of this domain that follow this stamp instead of the clock's, until 0 is given.  For
 * programs that replay or simulate.  A stamp below that of the ring's newest record is raised to it. */
RTEV_API void rtev_domain_set_stamp(struct rtev_domain *domain, uint64_t ts);

/*
 * Record one event.  RTEV_E_RELEASE when the chosen release has no such phase or counter (opaque ones,
 * RTEV_OPAQUE + number, are written as they are).
 */
RTEV_API int rtev_domain_begin(struct rtev_domain *domain, rtev_phase phase);
RTEV_API int rtev_domain_end(struct rtev_domain *domain, rtev_phase phase);
RTEV_API int rtev_domain_counter(struct rtev_domain *domain, rtev_counter counter, int64_t value);

/* `data` is ignored for RTEV_LIFECYCLE_RING_STOP, which has none. */
RTEV_API int rtev_domain_lifecycle(struct rtev_domain *domain, rtev_lifecycle event, int64_t data);

/* Count `count` allocations of blocks of `words` words, header excluded, in the bucket that
 * rtev_alloc_bucket names.  Each domain has its own buckets. */
RTEV_API void rtev_domain_alloc(struct rtev_domain *domain, uint64_t words, uint64_t count);

/* Record the buckets in one event and reset them all.  RTEV_E_TOO_LARGE for a ring of less than 64 words. */
RTEV_API int rtev_domain_alloc_flush(struct rtev_domain *domain);

enum rtev_user_type { RTEV_USER_UNIT, RTEV_USER_INT, RTEV_USER_SPAN, RTEV_USER_CUSTOM };

/*
 * Writes `value` to `out` as a custom event's payload and returns the number of bytes, at most
 * RTEV_CUSTOM_BYTES_MAX (more refuses the event).  It may record other events.
 */
typedef size_t rtev_serialise_fn(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX]);

/*
 * Register a user event, before or after the start.  The name is `name_len` bytes, 1 to 127, without NUL.
 * `serialise` and `ctx` are for RTEV_USER_CUSTOM only, NULL for the others.  A name that is registered
 * already with the same type gives the same event again.  *out belongs to the producer.
 * RTEV_E_USER_COUNT beyond RTEV_USER_EVENTS_MAX, RTEV_E_USER_NAME_EMPTY, RTEV_E_USER_NAME_LONG,
 * RTEV_E_USER_NAME_NUL, RTEV_E_USER_TYPE for a name that has another type, RTEV_E_NO_USER_EVENTS with the
 * layout of 5.0, RTEV_E_INVALID, RTEV_E_NOMEM.
 */
RTEV_API int rtev_user_register(struct rtev_producer *producer, const char *name, size_t name_len,
    enum rtev_user_type type, rtev_serialise_fn *serialise, void *ctx, const struct rtev_user **out);

/* Find a registered user event by its name.  RTEV_E_USER_UNKNOWN. */
RTEV_API int rtev_user_resolve(
    struct rtev_producer *producer, const char *name, size_t name_len, const struct rtev_user **out);

/* The number in the ring, the name and the type of a user event. */
RTEV_API unsigned rtev_user_id(const struct rtev_user *user);
RTEV_API const char *rtev_user_name(const struct rtev_user *user);
RTEV_API enum rtev_user_type rtev_user_type(const struct rtev_user *user);

/* OCaml's integers have 63 bits. */
#define RTEV_USER_INT_MAX INT64_C(0x3fffffffffffffff)
#define RTEV_USER_INT_MIN (-RTEV_USER_INT_MAX - 1)

/*
 * Record a user event.  RTEV_E_USER_TYPE when it is of another type, RTEV_E_INVALID when it is another
 * producer's.
 * int: RTEV_E_USER_INT when the value has more than 63 bits.
 * custom: RTEV_E_USER_PAYLOAD when the serialiser's result is too long, RTEV_E_TOO_LARGE when the record is
 * longer than half the ring.
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
