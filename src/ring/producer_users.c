/*
 * producer_users.c - register and record user events, which the program itself defines.
 *
 * The register is a table by number and a hash table by name (open addressing, at most half full).  Events
 * are never unregistered.
 */
#include <stdlib.h>
#include <string.h>

#include "ring/producer_state.h"

/* Difference between the headers of a span's end and of its begin. */
#define END_LESS_BEGIN ((uint64_t)(RECORD_USER_SPAN_END - RECORD_USER_SPAN_BEGIN) << HEADER_TYPE_SHIFT)

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
	return domain_idle(domain) ? RTEV_OK : record_user2(domain, user, RTEV_USER_SPAN, END_LESS_BEGIN);
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
