/*
 * producer_events.c - record runtime events: phases, counters, lifecycle events, allocations.
 */
#include "ring/producer_state.h"

#include <string.h>

/* Difference between the headers of an end record and of the begin record of the same phase. */
#define END_LESS_BEGIN ((uint64_t)(RECORD_END - RECORD_BEGIN) << HEADER_TYPE_SHIFT)

/* Return the header word of a begin record, 0 if the release lacks the phase. */
static inline uint64_t begin_header(const struct rtev_domain *domain, rtev_phase phase)
{
	if (phase < RTEV_PHASE_COUNT)
		return domain->tables->begin[phase];
	int id = rtev_phase_to_id(domain->producer->release, phase);
	return id >= 0 ? header_make(2, RECORD_BEGIN, (uint32_t)id) : 0;
}

/* Record the begin of a phase; `add` is added to its header (END_LESS_BEGIN for its end). */
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
	return domain_idle(domain) ? RTEV_OK : record_phase(domain, phase, END_LESS_BEGIN);
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

bool domain_write(struct rtev_domain *domain, uint64_t header, uint32_t length, const uint64_t *payload)
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
