/*
 * producer_domain.c - domains: attach threads to slots, write to their rings, record events of the runtime and of
 * the program itself.
 *
 * The register of user events is a table by number and a hash table by name (open addressing, at most half
 * full).  Events are never unregistered.
 *
 * This is one file, so that the writer of records is inlined into each function that records an event.
 */
#include <unistd.h>

#include "ring/producer_state.h"

/* Start writing at the indexes that the ring header holds. */
static void ring_writer_init(
    struct ring_writer *w, struct ring_header *header, uint64_t *words, uint64_t size)
{
	*w = (struct ring_writer){
	    .header = header,
	    .words = words,
	    .mask = size - 1,
	    .head = ring_load_head(header),
	    .tail = ring_load_tail(header),
	};
	/* Other processes can write to the file: make the indexes consistent. */
	if (w->tail - w->head > w->mask)
		w->head = w->tail;
}

/* Whether a record of that many words can be written. */
static inline bool ring_writer_fits(const struct ring_writer *w, uint32_t length)
{
	return length <= (w->mask + 1) / 2;
}

/* Give up the oldest records until the words below index `end` fit the ring. */
static inline void ring_writer_make_room(struct ring_writer *w, uint64_t end)
{
	uint64_t head = w->head;

	while (end - head > w->mask) {
		uint64_t length = header_length(ring_load_own(&w->words[head & w->mask]));
		/* This writer stores valid lengths, but other processes can write to the file.  Never
		 * loop on an invalid length, and never pass tail; from there the record fits. */
		if (length == 0 || length > w->tail - head)
			length = w->tail - head;
		head += length;
	}
	w->head = head;
	ring_store_head(w->header, head);
}

/* Publish the record stored after ring_writer_reserve. */
static inline void ring_writer_publish(struct ring_writer *w, uint32_t length)
{
	w->tail += length;
	ring_store_tail(w->header, w->tail);
}

/* Pad the ring to its end, so that a record of `length` words can start at offset 0. */
static void ring_writer_wrap(struct ring_writer *w, uint32_t length)
{
	uint64_t offset = w->tail & w->mask, left = w->mask + 1 - offset;

	/* Make room for the record too, so that head moves once.  `left` is below `length`, hence below
	 * 2^10. */
	if (w->tail + left + length - w->head > w->mask)
		ring_writer_make_room(w, w->tail + left + length);
	ring_store_word(&w->words[offset], header_make((uint32_t)left, RECORD_PADDING, 0));
	ring_writer_publish(w, (uint32_t)left);
}

/* Find room for a record that fits.  Returns where to store its words. */
static inline uint64_t *ring_writer_reserve(struct ring_writer *w, uint32_t length)
{
	if ((w->tail & w->mask) + length > w->mask + 1)
		ring_writer_wrap(w, length);
	if (w->tail + length - w->head > w->mask)
		ring_writer_make_room(w, w->tail + length);
	return w->words + (w->tail & w->mask);
}

int domain_settle_locked(struct rtev_domain *domain)
{
	struct rtev_producer *producer = domain->producer;
	struct ring_file *file = producer->file;
	int status = RTEV_OK;

	if (domain->file != file) {
		if (domain->file != NULL)
			producer_release_file(producer, domain->file);
		if (file != NULL)
			status = ring_file_allocate(file, domain->slot);
		if (status != RTEV_OK)
			file = NULL;
		domain->file = file;
		if (file != NULL) {
			file->holders++;
			ring_writer_init(&domain->ring, ring_file_header(file, domain->slot),
			    ring_file_words(file, domain->slot), file->shape.ring_words);
		}
	}
	domain_state_store(&domain->state, file != NULL && !producer->paused ? DOMAIN_ACTIVE : DOMAIN_IDLE);
	return status;
}

/* Settle a domain that is STALE, taking the lock.  Returns whether it is active now. */
static bool domain_settle(struct rtev_domain *domain)
{
	struct rtev_producer *producer = domain->producer;

	producer_lock(producer);
	domain_settle_locked(domain);
	bool active = domain_state_load(&domain->state) == DOMAIN_ACTIVE;
	producer_unlock(producer);
	return active;
}

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
static bool domain_write(
    struct rtev_domain *domain, uint64_t header, uint32_t length, const uint64_t *payload)
{
	if (!ring_writer_fits(&domain->ring, length))
		return false;
	uint64_t ts = domain_stamp(domain);
	uint64_t *words = ring_writer_reserve(&domain->ring, length);
	ring_store_word(&words[0], header);
	ring_store_word(&words[1], ts);
	for (uint32_t i = 2; i < length; i++)
		ring_store_word(&words[i], payload[i - 2]);
	ring_writer_publish(&domain->ring, length);
	return true;
}

/* Give a slot to the calling thread.  The caller holds the lock.  Statuses of ring_file_allocate. */
static int domain_take(struct rtev_producer *producer, uint32_t slot)
{
	struct rtev_domain *domain = &producer->domains[slot];

	domain->slot = slot;
	domain->producer = producer;
	domain->tables = &producer->tables;
	domain->stamp = 0;
	memset(domain->buckets, 0, sizeof(domain->buckets));
	int status = domain_settle_locked(domain);
	domain->attached = status == RTEV_OK;
	return status;
}

void domain_attach_main(struct rtev_producer *producer)
{
	domain_take(producer, 0);
}

int rtev_producer_attach(struct rtev_producer *producer, struct rtev_domain **out)
{
	int status = RTEV_E_DOMAINS;

	*out = NULL;
	producer_lock(producer);
	/* A forked child has no slots until it calls rtev_producer_forked. */
	bool ours = producer->domains[0].attached;
	if (!ours)
		status = RTEV_E_INVALID;
	for (uint32_t slot = 0; ours && slot < producer->shape.domains; slot++) {
		struct rtev_domain *domain = &producer->domains[slot];
		if (domain->attached)
			continue;
		status = domain_take(producer, slot);
		if (domain_state_load(&domain->state) == DOMAIN_ACTIVE)
			domain_record_lifecycle(domain, RTEV_LIFECYCLE_DOMAIN_SPAWN, getpid());
		if (status == RTEV_OK)
			*out = domain;
		break;
	}
	producer_unlock(producer);
	return status;
}

void rtev_domain_detach(struct rtev_domain *domain)
{
	/* A domain wiped by fork has no producer. */
	if (domain == NULL || domain->producer == NULL || domain->slot == 0)
		return;
	struct rtev_producer *producer = domain->producer;
	producer_lock(producer);
	domain_settle_locked(domain);
	if (domain_state_load(&domain->state) == DOMAIN_ACTIVE)
		domain_record_lifecycle(domain, RTEV_LIFECYCLE_DOMAIN_TERMINATE, getpid());
	domain_state_store(&domain->state, DOMAIN_IDLE);
	domain->attached = false;
	if (domain->file != NULL)
		producer_release_file(producer, domain->file);
	domain->file = NULL;
	producer_unlock(producer);
}

unsigned rtev_domain_slot(const struct rtev_domain *domain)
{
	return domain->slot;
}

bool rtev_domain_active(struct rtev_domain *domain)
{
	return domain_records(domain);
}

void rtev_domain_set_stamp(struct rtev_domain *domain, uint64_t ts)
{
	domain->stamp = ts;
}

void domains_notify(struct rtev_producer *producer, const struct rtev_domain *self)
{
	for (uint32_t slot = 0; slot < producer->shape.domains; slot++) {
		struct rtev_domain *domain = &producer->domains[slot];
		if (domain == self || !domain->attached)
			continue;
		/* Only the thread of a domain may switch it to another file. */
		uint32_t state = DOMAIN_STALE;
		if (domain->file == producer->file)
			state = domain->file != NULL && !producer->paused ? DOMAIN_ACTIVE : DOMAIN_IDLE;
		domain_state_store(&domain->state, state);
	}
}

/* ---- events of the runtime ---- */

/* Return the header word of a begin record, 0 if the release lacks the phase. */
static inline uint64_t begin_header(const struct rtev_domain *domain, rtev_phase phase)
{
	if (phase < RTEV_PHASE_COUNT)
		return domain->tables->begin[phase];
	int id = rtev_phase_to_id(domain->producer->release, phase);
	return id >= 0 ? header_make(2, RECORD_BEGIN, (uint32_t)id) : 0;
}

/* Record the begin of a phase; `add` is added to its header (HEADER_END_BIT for its end). */
static RECORD_WORKER int record_phase(struct rtev_domain *domain, rtev_phase phase, uint64_t add)
{
	if (!domain_records(domain))
		return RTEV_OK;
	uint64_t ts = domain_stamp(domain);
	uint64_t header = begin_header(domain, phase);
	if (header == 0)
		return RTEV_E_RELEASE;
	domain_write2(domain, header + add, ts);
	return RTEV_OK;
}

int rtev_domain_begin(struct rtev_domain *domain, rtev_phase phase)
{
	return domain_idle(domain) ? RTEV_OK : record_phase(domain, phase, 0);
}

int rtev_domain_end(struct rtev_domain *domain, rtev_phase phase)
{
	return domain_idle(domain) ? RTEV_OK : record_phase(domain, phase, HEADER_END_BIT);
}

/* Record a counter's value on a domain that is not idle. */
static RECORD_WORKER int record_counter(struct rtev_domain *domain, rtev_counter counter, int64_t value)
{
	if (!domain_records(domain))
		return RTEV_OK;
	uint64_t ts = domain_stamp(domain), header = 0;
	if (counter < RTEV_COUNTER_COUNT) {
		header = domain->tables->counter[counter];
	} else {
		int id = rtev_counter_to_id(domain->producer->release, counter);
		if (id >= 0)
			header = header_make(3, RECORD_COUNTER, (uint32_t)id);
	}
	if (header == 0)
		return RTEV_E_RELEASE;
	domain_write3(domain, header, ts, (uint64_t)value);
	return RTEV_OK;
}

int rtev_domain_counter(struct rtev_domain *domain, rtev_counter counter, int64_t value)
{
	return domain_idle(domain) ? RTEV_OK : record_counter(domain, counter, value);
}

void domain_record_lifecycle(struct rtev_domain *domain, unsigned id, int64_t data)
{
	uint64_t ts = domain_stamp(domain);

	if (id == RTEV_LIFECYCLE_RING_STOP)
		domain_write2(domain, header_make(2, RECORD_LIFECYCLE, id), ts);
	else
		domain_write3(domain, header_make(3, RECORD_LIFECYCLE, id), ts, (uint64_t)data);
}

int rtev_domain_lifecycle(struct rtev_domain *domain, rtev_lifecycle event, int64_t data)
{
	unsigned id = event >= RTEV_OPAQUE ? event - RTEV_OPAQUE : event;

	if (id >= RTEV_ID_LIMIT || (event < RTEV_OPAQUE && event >= RTEV_LIFECYCLE_COUNT))
		return RTEV_E_INVALID;
	if (domain_records(domain))
		domain_record_lifecycle(domain, id, data);
	return RTEV_OK;
}

void rtev_domain_alloc(struct rtev_domain *domain, uint64_t words, uint64_t count)
{
	if (!domain_idle(domain) && domain_records(domain))
		domain->buckets[domain->tables
				    ->bucket[words < ALLOC_TABLE_SIZE ? words : ALLOC_TABLE_SIZE - 1]] +=
		    count;
}

int rtev_domain_alloc_flush(struct rtev_domain *domain)
{
	enum { LENGTH = 2 + RTEV_ALLOC_BUCKETS };

	if (!domain_records(domain))
		return RTEV_OK;
	if (!domain_write(domain, header_make(LENGTH, RECORD_ALLOC, 0), LENGTH, domain->buckets))
		return RTEV_E_TOO_LARGE;
	memset(domain->buckets, 0, sizeof(domain->buckets));
	return RTEV_OK;
}

/* ---- user events ---- */

#define CUSTOM_WORDS_MAX ((RTEV_CUSTOM_BYTES_MAX + sizeof(uint64_t)) / sizeof(uint64_t))

/* Return the hash slot of a name, or the free slot where it belongs. */
static uint32_t hash_slot(const struct rtev_producer *producer, const char *name, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	for (uint32_t slot = hash % USER_HASH_SIZE;; slot = (slot + 1) % USER_HASH_SIZE) {
		if (producer->user_hash[slot] == 0)
			return slot;
		const struct rtev_user *user = producer->users[producer->user_hash[slot] - 1];
		if (user->name_len == len && memcmp(user->name, name, len) == 0)
			return slot;
	}
}

static int name_check(const char *name, size_t len)
{
	if (len == 0)
		return RTEV_E_USER_NAME_EMPTY;
	if (len >= RTEV_USER_NAME_SIZE)
		return RTEV_E_USER_NAME_LONG;
	return memchr(name, '\0', len) != NULL ? RTEV_E_USER_NAME_NUL : RTEV_OK;
}

/* Allocate the register on first use; most producers never need it.  The caller holds the lock. */
static int register_allocate(struct rtev_producer *producer)
{
	if (producer->users == NULL)
		producer->users = calloc(RTEV_USER_EVENTS_MAX, sizeof(producer->users[0]));
	if (producer->user_hash == NULL)
		producer->user_hash = calloc(USER_HASH_SIZE, sizeof(producer->user_hash[0]));
	return producer->users != NULL && producer->user_hash != NULL ? RTEV_OK : RTEV_E_NOMEM;
}

/* Return the header word of an event's records. */
static uint64_t user_header(enum rtev_user_type type, unsigned id)
{
	switch (type) {
	case RTEV_USER_UNIT:
		return header_make(2, RECORD_USER_UNIT, id);
	case RTEV_USER_INT:
		return header_make(3, RECORD_USER_INT, id);
	case RTEV_USER_SPAN:
		return header_make(2, RECORD_USER_SPAN_BEGIN, id);
	case RTEV_USER_CUSTOM:
		break;
	}
	return header_make(0, RECORD_USER_CUSTOM, id);
}

/* Add a new event at a hash slot.  The caller holds the lock. */
static int register_add(struct rtev_producer *producer, uint32_t slot, const struct rtev_user *draft,
    const struct rtev_user **out)
{
	if (producer->user_count >= RTEV_USER_EVENTS_MAX)
		return RTEV_E_USER_COUNT;
	struct rtev_user *user = malloc(sizeof(*user));
	if (user == NULL)
		return RTEV_E_NOMEM;
	*user = *draft;
	user->id = (uint16_t)producer->user_count++;
	user->header = user_header(user->type, user->id);
	producer->users[user->id] = user;
	producer->user_hash[slot] = (uint16_t)(user->id + 1);
	if (producer_file(producer) != NULL)
		ring_file_set_name(producer->file, user->id, user->name, user->name_len);
	*out = user;
	return RTEV_OK;
}

int rtev_user_register(struct rtev_producer *producer, const char *name, size_t name_len,
    enum rtev_user_type type, rtev_serialise_fn *serialise, void *ctx, const struct rtev_user **out)
{
	struct rtev_user draft = {.producer = producer, .type = type, .serialise = serialise, .ctx = ctx};

	*out = NULL;
	if (!producer->shape.has_names)
		return RTEV_E_NO_USER_EVENTS;
	if ((unsigned)type > RTEV_USER_CUSTOM || (type == RTEV_USER_CUSTOM) != (serialise != NULL))
		return RTEV_E_INVALID;
	int status = name_check(name, name_len);
	if (status != RTEV_OK)
		return status;
	draft.name_len = (uint16_t)name_len;
	memcpy(draft.name, name, name_len);

	producer_lock(producer);
	status = register_allocate(producer);
	if (status == RTEV_OK) {
		uint32_t slot = hash_slot(producer, name, name_len);
		if (producer->user_hash[slot] == 0) {
			status = register_add(producer, slot, &draft, out);
		} else {
			const struct rtev_user *known = producer->users[producer->user_hash[slot] - 1];
			/* Readers identify an event by its name alone, so one name has one type. */
			if (known->type != type)
				status = RTEV_E_USER_TYPE;
			else
				*out = known;
		}
	}
	producer_unlock(producer);
	return status;
}

int rtev_user_resolve(
    struct rtev_producer *producer, const char *name, size_t name_len, const struct rtev_user **out)
{
	*out = NULL;
	producer_lock(producer);
	if (producer->user_hash != NULL && producer->users != NULL) {
		uint32_t slot = hash_slot(producer, name, name_len);
		if (producer->user_hash[slot] != 0)
			*out = producer->users[producer->user_hash[slot] - 1];
	}
	producer_unlock(producer);
	return *out != NULL ? RTEV_OK : RTEV_E_USER_UNKNOWN;
}

unsigned rtev_user_id(const struct rtev_user *user)
{
	return user->id;
}

const char *rtev_user_name(const struct rtev_user *user)
{
	return user->name;
}

enum rtev_user_type rtev_user_type(const struct rtev_user *user)
{
	return user->type;
}

/* Check that an event has a type and belongs to the domain's producer. */
static inline int user_check(
    const struct rtev_domain *domain, const struct rtev_user *user, enum rtev_user_type type)
{
	if (user->type != type)
		return RTEV_E_USER_TYPE;
	return user->producer == domain->producer ? RTEV_OK : RTEV_E_INVALID;
}

/* Record a user event without a value on a domain that is not idle; `add` is added to its header. */
static RECORD_WORKER int record_user2(
    struct rtev_domain *domain, const struct rtev_user *user, enum rtev_user_type type, uint64_t add)
{
	if (!domain_records(domain))
		return RTEV_OK;
	uint64_t ts = domain_stamp(domain);
	int status = user_check(domain, user, type);
	if (status == RTEV_OK)
		domain_write2(domain, user->header + add, ts);
	return status;
}

int rtev_domain_user_unit(struct rtev_domain *domain, const struct rtev_user *user)
{
	return domain_idle(domain) ? RTEV_OK : record_user2(domain, user, RTEV_USER_UNIT, 0);
}

int rtev_domain_user_begin(struct rtev_domain *domain, const struct rtev_user *user)
{
	return domain_idle(domain) ? RTEV_OK : record_user2(domain, user, RTEV_USER_SPAN, 0);
}

int rtev_domain_user_end(struct rtev_domain *domain, const struct rtev_user *user)
{
	return domain_idle(domain) ? RTEV_OK : record_user2(domain, user, RTEV_USER_SPAN, HEADER_END_BIT);
}

/* Record an int event on a domain that is not idle. */
static RECORD_WORKER int record_int(struct rtev_domain *domain, const struct rtev_user *user, int64_t value)
{
	if (!domain_records(domain))
		return RTEV_OK;
	uint64_t ts = domain_stamp(domain);
	int status = user_check(domain, user, RTEV_USER_INT);
	if (status != RTEV_OK)
		return status;
	if (value < RTEV_USER_INT_MIN || value > RTEV_USER_INT_MAX)
		return RTEV_E_USER_INT;
	domain_write3(domain, user->header, ts, (uint64_t)value);
	return RTEV_OK;
}

int rtev_domain_user_int(struct rtev_domain *domain, const struct rtev_user *user, int64_t value)
{
	return domain_idle(domain) ? RTEV_OK : record_int(domain, user, value);
}

/* Record a custom event on a domain that is not idle. */
static RECORD_WORKER int record_custom(
    struct rtev_domain *domain, const struct rtev_user *user, const void *value)
{
	union {
		uint64_t words[CUSTOM_WORDS_MAX];
		unsigned char bytes[CUSTOM_WORDS_MAX * sizeof(uint64_t)];
	} payload;

	if (!domain_records(domain))
		return RTEV_OK;
	int status = user_check(domain, user, RTEV_USER_CUSTOM);
	if (status != RTEV_OK)
		return status;
	size_t len = user->serialise(user->ctx, value, payload.bytes);
	if (len > RTEV_CUSTOM_BYTES_MAX)
		return RTEV_E_USER_PAYLOAD;
	/* The last byte is the number of padding bytes before it.  It is always present. */
	size_t words = len / sizeof(uint64_t) + 1, last = words * sizeof(uint64_t) - 1;
	memset(payload.bytes + len, 0, last - len);
	payload.bytes[last] = (unsigned char)(last - len);
	uint32_t length = (uint32_t)(2 + words);
	/* The serialiser may have recorded events, and the domain may have noticed a stop then. */
	if (!domain_records(domain))
		return RTEV_OK;
	uint64_t header = user->header | (uint64_t)length << HEADER_LENGTH_SHIFT;
	return domain_write(domain, header, length, payload.words) ? RTEV_OK : RTEV_E_TOO_LARGE;
}

int rtev_domain_user_custom(struct rtev_domain *domain, const struct rtev_user *user, const void *value)
{
	return domain_idle(domain) ? RTEV_OK : record_custom(domain, user, value);
}
