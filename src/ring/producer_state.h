/*
 * producer_state.h - internals of a producer and its domains, shared by the producer_*.c files.
 *
 * The producer's lock guards all members, except those marked as a domain's own.
 *
 * Before it records, the thread of a domain reads only the domain's `state`:
 *   IDLE    record nothing
 *   ACTIVE  record to the ring held
 *   STALE   another thread started or stopped recording; domain_settle takes the lock and updates the state
 * The state changes only under the lock.  IDLE is 0: a forked child whose domains were wiped records
 * nothing, so a ring never has two writers.
 */
#ifndef RING_PRODUCER_STATE_H
#define RING_PRODUCER_STATE_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "rtev/producer.h"
#include "ring/producer_file.h"
#include "ring/producer_writer.h"

enum { DOMAIN_IDLE = 0, DOMAIN_ACTIVE = 1, DOMAIN_STALE = 2 };

#define ALLOC_TABLE_SIZE 101 /* the last entry counts all sizes from 100 words */

/* Tables of the chosen release.  Constant after creation. */
struct producer_tables {
	/* header words of begin records, 0 where the release lacks the phase */
	uint64_t begin[RTEV_PHASE_COUNT];
	uint64_t counter[RTEV_COUNTER_COUNT]; /* header words of counter records, likewise */
	uint8_t bucket[ALLOC_TABLE_SIZE];
};

struct rtev_domain {
	/* The first cache line has what each event accesses. */
	alignas(64) _Atomic uint32_t state;
	uint32_t slot;
	struct ring_writer ring; /* own */
	uint64_t last_ts;	 /* own: stamp of the newest record */

	uint64_t stamp; /* own: 0, or the stamp set by rtev_domain_set_stamp */
	const struct producer_tables *tables;
	struct rtev_producer *producer; /* NULL: never attached, or wiped */
	struct ring_file *file;		/* held, NULL for none */
	bool attached;
	uint64_t buckets[RTEV_ALLOC_BUCKETS]; /* own */
};

struct rtev_user {
	const struct rtev_producer *producer;
	enum rtev_user_type type;
	uint16_t id;
	uint16_t name_len;
	/* header word of its records; for spans, of the begin record; for custom, without a length */
	uint64_t header;
	rtev_serialise_fn *serialise;
	void *ctx;
	char name[RTEV_USER_NAME_SIZE];
};

#define USER_HASH_SIZE (2u * RTEV_USER_EVENTS_MAX)

struct rtev_producer {
	pthread_mutex_t lock;
	char *dir; /* absolute */
	struct ring_shape shape;
	enum rtev_release release;
	bool preserve, paused;
	bool wiped_on_fork;	     /* a forked child finds all domains zero */
	struct ring_file *file;	     /* the file recorded to; NULL while not started */
	struct ring_file *files;     /* list of all mapped files */
	struct rtev_domain *domains; /* shape.domains of them */
	size_t domains_bytes;
	struct rtev_user **users;
	uint32_t user_count;
	uint16_t *user_hash; /* USER_HASH_SIZE slots: 1 + id, or 0 */
	struct producer_tables tables;
};

/* Lock and unlock.  Neither can fail on an initialised mutex. */
void producer_lock(struct rtev_producer *producer);
void producer_unlock(struct rtev_producer *producer);

/* Return the file recorded to.  NULL if there is none, or in a forked child if it is the parent's.  The
 * caller holds the lock. */
struct ring_file *producer_file(const struct rtev_producer *producer);

/* Drop one hold on a file.  Unmaps it after the last one. */
void producer_release_file(struct rtev_producer *producer, struct ring_file *file);

/* Attach the calling thread to slot 0. */
void domain_attach_main(struct rtev_producer *producer);

/* Switch the domain to the file that the producer records to now, and set its state.  The caller holds
 * the lock.  If there is no room for its ring (statuses of ring_file_allocate), it has none and is idle. */
int domain_settle_locked(struct rtev_domain *domain);

/* The same for a domain that is STALE, taking the lock.  Returns whether it is active now. */
bool domain_settle(struct rtev_domain *domain);

/* Update the states of all other domains after a start, stop, pause or resume.  The caller holds the
 * lock. */
void domains_notify(struct rtev_producer *producer, const struct rtev_domain *self);

/* Record a lifecycle event regardless of the state.  The domain must hold a ring. */
void domain_record_lifecycle(struct rtev_domain *domain, unsigned id, int64_t data);

/*
 * Attribute of the functions that record an event.  The public function only tests whether the domain is
 * idle and calls such a worker, which the compiler must not inline.  An event that is not recorded then
 * saves and restores no registers.
 */
#define RECORD_WORKER __attribute__((noinline))

static inline bool domain_idle(const struct rtev_domain *domain)
{
	return domain_state_load(&domain->state) == DOMAIN_IDLE;
}

/* Whether to record an event.  Settles a domain that is STALE. */
static inline bool domain_records(struct rtev_domain *domain)
{
	uint32_t state = domain_state_load(&domain->state);

	if (__builtin_expect(state == DOMAIN_ACTIVE, 1))
		return true;
	return state != DOMAIN_IDLE && domain_settle(domain);
}

/* Return the stamp of the next record.  Call it before any other look-up: reading the clock waits for all
 * earlier loads, while later instructions overlap with it. */
static inline uint64_t domain_stamp(struct rtev_domain *domain)
{
	uint64_t ts = domain->stamp;

	if (ts == 0) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		ts = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	if (ts < domain->last_ts)
		ts = domain->last_ts;
	domain->last_ts = ts;
	return ts;
}

/* Write a record without payload.  It fits any ring. */
static inline void domain_write2(struct rtev_domain *domain, uint64_t header, uint64_t ts)
{
	uint64_t *words = ring_writer_reserve(&domain->ring, 2);

	ring_store_word(&words[0], header);
	ring_store_word(&words[1], ts);
	ring_writer_publish(&domain->ring, 2);
}

/* Write a record with one word of payload.  It fits any ring. */
static inline void domain_write3(struct rtev_domain *domain, uint64_t header, uint64_t ts, uint64_t payload)
{
	uint64_t *words = ring_writer_reserve(&domain->ring, 3);

	ring_store_word(&words[0], header);
	ring_store_word(&words[1], ts);
	ring_store_word(&words[2], payload);
	ring_writer_publish(&domain->ring, 3);
}

/* Write a record with `length` - 2 words of payload.  Returns false if it does not fit this ring. */
bool domain_write(struct rtev_domain *domain, uint64_t header, uint32_t length, const uint64_t *payload);

#endif
