/*
 * producer_state.h - internals of a producer: its ring files and its life (producer.c), its domains and what they
 * record (producer_domain.c).
 *
 * A file is complete before it gets its name, so a reader that finds DIR/PID.events finds a complete header.
 * The file stays mapped while it has holders: the producer while it is started, and each domain that writes
 * to it.
 *
 * ring_writer writes to one ring: it finds room for a record, and publishes what was stored there.  Its head
 * and tail are its own copies of the indexes; it loads the shared ones only at its beginning.  Records never
 * cross the ring's end, so up to length - 1 words of padding precede a record.  A ring keeps at most size - 1
 * words.  The writer gives up the oldest whole records as it needs room, one or two for each new one.  (More at
 * a time would cost more: it must read each length to find the next record.)  A record of at most half the ring
 * always fits, because with its padding it is shorter than the ring.
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
#pragma once

#include <pthread.h>
#include <stdalign.h>
#include <sys/types.h>

#include "ring/atomics.h"
#include "rtev/producer.h"

struct ring_writer {
	struct ring_header *header;
	uint64_t *words;
	uint64_t mask; /* size - 1 */
	uint64_t head, tail;
};

/* Parameters of a file. */
struct ring_shape {
	uint32_t domains;
	uint64_t ring_words;
	bool has_names;
};

struct ring_file {
	struct ring_file *next; /* in the list of all files that one producer has mapped */
	unsigned holders;
	unsigned char *base;
	size_t size;
	struct ring_shape shape;
	uint64_t names_offset; /* 0: no names */
	pid_t pid;	       /* of the process that created the file */
	bool unshared;	       /* forked children do not inherit the mapping */
	dev_t device;	       /* device and inode identify the file when its name is removed */
	ino_t inode;
	int fd;
	char *temporary; /* temporary path; NULL once published */
	char path[];	 /* absolute */
};

enum { DOMAIN_IDLE = 0, DOMAIN_ACTIVE = 1, DOMAIN_STALE = 2 };

#define ALLOC_TABLE_SIZE 101 /* the last entry counts all sizes from 100 words */

/* Tables of the chosen release.  Constant after creation. */
struct producer_tables {
	/* header words of begin records, 0 where the release lacks the phase */
	uint64_t begin[RTEV_PHASE_COUNT];
	uint64_t counter
	    [RTEV_COUNTER_COUNT]; /* header words of counter records, 0 where the release lacks the counter */
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
static inline void producer_lock(struct rtev_producer *producer)
{
	pthread_mutex_lock(&producer->lock);
}

static inline void producer_unlock(struct rtev_producer *producer)
{
	pthread_mutex_unlock(&producer->lock);
}

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

/* Update the states of all other domains after a start, stop, pause or resume.  The caller holds the
 * lock. */
void domains_notify(struct rtev_producer *producer, const struct rtev_domain *self);

/* Record a lifecycle event regardless of the state.  The domain must hold a ring. */
void domain_record_lifecycle(struct rtev_domain *domain, unsigned id, int64_t data);

/* Have the file system allocate a ring, so that writing to it can't raise SIGBUS.  RTEV_E_SPACE, RTEV_E_IO. */
int ring_file_allocate(const struct ring_file *file, uint32_t domain);

/* Store a name of at most RTEV_USER_NAME_SIZE - 1 bytes in the table.  The file must have the table. */
void ring_file_set_name(struct ring_file *file, unsigned id, const char *name, size_t len);

/* The header and the words of one ring. */
struct ring_header *ring_file_header(const struct ring_file *file, uint32_t domain);
uint64_t *ring_file_words(const struct ring_file *file, uint32_t domain);
