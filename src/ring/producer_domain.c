/*
 * producer_domain.c - attach threads to domain slots, and keep the state of each domain current.
 */
#include <string.h>
#include <unistd.h>

#include "ring/producer_state.h"

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

bool domain_settle(struct rtev_domain *domain)
{
	struct rtev_producer *producer = domain->producer;

	producer_lock(producer);
	domain_settle_locked(domain);
	bool active = domain_state_load(&domain->state) == DOMAIN_ACTIVE;
	producer_unlock(producer);
	return active;
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
