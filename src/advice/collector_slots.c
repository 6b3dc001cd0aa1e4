/* collector_slots.c - the slots of a collector; see collector.c. */
#include "advice/collector_private.h"

#include "core/event.h"
#include "core/sum.h"

void collector_forget_slots(struct collector *c)
{
	c->at_from = c->at_to = 0;
	for (unsigned i = 0; i < c->domain_limit; i++)
		if (c->domains[i] != NULL)
			c->domains[i]->from = c->domains[i]->to = 0;
}

/* Empty a slot for reuse. */
static void slot_expire(struct collector *c, unsigned slot)
{
	if (c->whole) {
		slot_add(&c->slots[SLOT_OLDER], &c->slots[slot]);
		if (c->longest[slot] > c->longest[SLOT_OLDER])
			c->longest[SLOT_OLDER] = c->longest[slot];
	}
	memset(&c->slots[slot], 0, sizeof(c->slots[slot]));
	c->longest[slot] = 0;
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
	collector_settle_all(c);
	uint64_t from = number - c->newest >= SLOTS ? number - SLOTS + 1 : c->newest + 1;
	for (uint64_t n = from; n <= number; n++)
		slot_expire(c, (unsigned)(n % SLOTS));
	c->newest = number;
	collector_forget_slots(c);
}

/* Return the slot of a stamp that is not in the slot used last. */
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
	c->at_to = sum_saturating(number * SLOT_NS, SLOT_NS);
	if (c->newest - number < SLOTS)
		return c->at = (unsigned)(number % SLOTS);
	return c->at = c->whole ? SLOT_OLDER : SLOT_NOWHERE;
}

void collector_settle(struct collector *c, struct domain *d)
{
	const struct model_domain *m = model_domain(c->model, d->number);
	struct tally *t = &c->slots[d->at];
	struct domain_tally *own = &d->slots[d->at];
	const bool counts = d->explicit == NOWHERE;
	/* A stop while the domain was blocked is not counted as work. */
	const bool works = counts && (d->handler == NOWHERE || !d->handler_blocked);

	for (unsigned p = 0; m != NULL && p < RTEV_PHASE_COUNT; p++) {
		struct phase_seen *seen = &d->seen[p];
		const struct phase_seen now = {m->phases[p].count, m->phases[p].total, m->phases[p].self};
		const uint64_t spans = now.count - seen->count, self = now.self - seen->self;

		if (spans == 0)
			continue;
		t->words += SPAN_WORDS * spans;
		own->words += SPAN_WORDS * spans;
		if (counts) {
			t->phase_count[p] += spans;
			t->phase_self[p] += self;
			t->phase_total[p] += now.total - seen->total;
		}
		if (works)
			own->class_self[phase_class((rtev_phase)p)] += self;
		if (p == RTEV_PHASE_DOMAIN_CONDITION_WAIT)
			own->waited_ns += now.total - seen->total;
		*seen = now;
	}
}

void collector_settle_all(struct collector *c)
{
	for (unsigned i = 0; i < c->domain_limit; i++)
		if (c->domains[i] != NULL)
			collector_settle(c, c->domains[i]);
}

void collector_domain_turn(struct collector *c, struct domain *d, uint64_t ts)
{
	collector_settle(c, d);
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
	d->number = domain;
	d->leader = d->handler = d->interrupt = d->explicit = d->wait = NOWHERE;
	c->domains[domain] = d;
	if (domain >= c->domain_limit)
		c->domain_limit = domain + 1;
	return d;
}
