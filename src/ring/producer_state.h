/*
 * producer_state.h - internals of a producer and its domains, shared by the producer_*.c files.
 *
 * The producer's lock guards everything, except what is marked as a domain's own.
 *
 * A domain's `state` is all that its thread reads before it records:
 *   IDLE    nothing is recorded
 *   ACTIVE  record to the ring held
 *   STALE   another thread started or stopped recording; domain_settle, which takes the lock, updates the state
 * It is changed under the lock only.  0 is IDLE: a forked child that finds the domains wiped records nothing, so a ring never has two writers.
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

#define ALLOC_TABLE_SIZE 101 /* sizes from the last one up are counted alike */

/* What the chosen release makes of phases, counters and sizes; never changed after creation. */
struct producer_tables {
	uint64_t
	    begin[RTEV_PHASE_COUNT]; /* header words of begin records, 0 where the release lacks the phase */
	uint64_t counter[RTEV_COUNTER_COUNT]; /* header words of counter records, likewise */
	uint8_t bucket[ALLOC_TABLE_SIZE];
};

struct rtev_domain {
	/* The first line is what each event touches. */
	alignas(64) _Atomic uint32_t state;
	uint32_t slot;
	struct ring_writer ring; /* own */
	uint64_t last_ts;	 /* own: stamp of the newest record */

	uint64_t stamp; /* own: 0, or what rtev_domain_set_stamp said */
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
	uint64_t
	    header; /* header word of its records; for spans, of the begin record; for custom, without a length */
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
	struct ring_file *file;	     /* recorded to; NULL while not started */
	struct ring_file *files;     /* all that are mapped */
	struct rtev_domain *domains; /* shape.domains of them */
	size_t domains_bytes;
	struct rtev_user **users;
	uint32_t user_count;
	uint16_t *user_hash; /* USER_HASH_SIZE slots: 1 + id, or 0 */
	struct producer_tables tables;
};

/* Lock and unlock; these can't fail on a mutex that was initialised. */
void producer_lock(struct rtev_producer *producer);
void producer_unlock(struct rtev_producer *producer);

/* The file that is recorded to; NULL for none, or when it is the parent's of a forked child.  Locked. */
struct ring_file *producer_file(const struct rtev_producer *producer);

/* Stop holding a file; nobody holding it any more, it is unmapped. */
void producer_release_file(struct rtev_producer *producer, struct ring_file *file);

/* Attach the main domain. */
void domain_attach_main(struct rtev_producer *producer);

/* Hold the file that the producer records to now, and set the state accordingly.  Locked. */
void domain_settle_locked(struct rtev_domain *domain);

/* The same for a domain that found itself STALE; whether it is active now. */
bool domain_settle(struct rtev_domain *domain);

/* Set the states of all other domains after a start, stop, pause or resume.  Locked. */
void domains_notify(struct rtev_producer *producer, const struct rtev_domain *self);

/* Record a lifecycle event, whatever the state is.  The domain must hold a ring. */
void domain_record_lifecycle(struct rtev_domain *domain, unsigned id, int64_t data);

/*
 * How an event is recorded: the public function looks only whether the domain is idle, and leaves all else to
 * a worker of its own that the compiler may not merge into it.  So nothing is saved and restored for an event
 * that is not recorded.
 */
#define RECORD_WORKER __attribute__((noinline))

static inline bool domain_idle(const struct rtev_domain *domain)
{
	return domain_state_load(&domain->state) == DOMAIN_IDLE;
}

/* Whether an event is to be recorded, once everything is up to date. */
static inline bool domain_records(struct rtev_domain *domain)
{
	uint32_t state = domain_state_load(&domain->state);

	if (__builtin_expect(state == DOMAIN_ACTIVE, 1))
		return true;
	return state != DOMAIN_IDLE && domain_settle(domain);
}

/* The stamp of the next record.  To be taken before anything else is looked up: reading the clock waits for
 * all loads before it, and what comes after runs while the clock is read. */
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

/* Write a record whose payload is `length` - 2 words; false if it does not fit this ring. */
bool domain_write(struct rtev_domain *domain, uint64_t header, uint32_t length, const uint64_t *payload);

#endif
