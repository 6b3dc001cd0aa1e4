/*
 * collector_slots.c - the slots of a collector, and what waits in its domains to be added to them; see
 * collector.c.
 */
#include "advice/collector_private.h"

#include "core/event.h"
#include "model/span_time.h"

/* Add what waits in a domain to the tallies. */
static void domain_settle(struct collector *c, struct domain *d)
{
	struct tally *t = &c->slots[d->at];
	struct domain_tally *own = &d->slots[d->at];

	if (d->to == 0)
		return;
	for (unsigned phase = 0; phase < RTEV_PHASE_COUNT; phase++) {
		struct phase_sum *sum = &d->phases[phase];
		if (sum->count == 0)
			continue;
		t->words += SPAN_WORDS * sum->count;
		own->words += SPAN_WORDS * sum->count;
		t->phase_count[phase] += sum->count;
		t->phase_self[phase] += sum->self;
		t->phase_total[phase] += sum->total;
		own->class_self[phase_class((rtev_phase)phase)] += sum->self - sum->blocked;
		*sum = (struct phase_sum){0};
	}
	for (unsigned counter = 0; counter < RTEV_COUNTER_COUNT; counter++) {
		t->counter_count[counter] += d->counters[counter].count;
		t->counter_sum[counter] += d->counters[counter].sum;
	}
	memset(d->counters, 0, sizeof(d->counters));
	t->words += d->words;
	own->words += d->words;
	d->words = 0;
	d->from = d->to = 0;
}

void collector_settle(struct collector *c)
{
	for (unsigned i = 0; i < c->domain_limit; i++)
		if (c->domains[i] != NULL)
			domain_settle(c, c->domains[i]);
}

/* Empty a slot for reuse. */
static void slot_expire(struct collector *c, unsigned slot)
{
	if (c->whole)
		tally_add(&c->slots[SLOT_OLDER], &c->slots[slot]);
	memset(&c->slots[slot], 0, sizeof(c->slots[slot]));
	for (unsigned i = 0; i < c->domain_limit; i++) {
		struct domain *d = c->domains[i];
		if (d == NULL)
			continue;
		if (c->whole) {
			domain_tally_add(&d->slots[SLOT_OLDER], &d->slots[slot]);
			if (d->slots[slot].words > d->most_words)
				d->most_words = d->slots[slot].words;
		}
		memset(&d->slots[slot], 0, sizeof(d->slots[slot]));
	}
}

/* Advance the slots up to number `number`. */
void collector_slots_reach(struct collector *c, uint64_t number)
{
	if (number <= c->newest)
		return;
	collector_settle(c);
	uint64_t from = number - c->newest >= SLOTS ? number - SLOTS + 1 : c->newest + 1;
	for (uint64_t n = from; n <= number; n++)
		slot_expire(c, (unsigned)(n % SLOTS));
	c->newest = number;
	c->at_from = c->at_to = 0;
}

/* Find the slot of a stamp that is not in the slot used last. */
unsigned collector_slot_find(struct collector *c, uint64_t ts)
{
	uint64_t number = ts / SLOT_NS;

	if (ts < c->collect_from) {
		c->at_from = 0;
		c->at_to = c->collect_from;
		return c->at = SLOT_NOWHERE;
	}
	collector_slots_reach(c, number);
	c->at_from = number * SLOT_NS > c->collect_from ? number * SLOT_NS : c->collect_from;
	c->at_to = span_time_after(number * SLOT_NS, SLOT_NS);
	if (c->newest - number < SLOTS)
		return c->at = (unsigned)(number % SLOTS);
	return c->at = c->whole ? SLOT_OLDER : SLOT_NOWHERE;
}

void collector_domain_turn(struct collector *c, struct domain *d, uint64_t ts)
{
	domain_settle(c, d);
	/* This may settle all domains. */
	d->at = slot_of(c, ts);
	d->from = c->at_from;
	d->to = c->at_to;
}

struct domain *collector_domain_make(struct collector *c, unsigned domain)
{
	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	struct domain *d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->leader = d->handler = d->interrupt = d->explicit = d->wait = NOWHERE;
	c->domains[domain] = d;
	if (domain >= c->domain_limit)
		c->domain_limit = domain + 1;
	return d;
}
