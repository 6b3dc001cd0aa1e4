/* user_events_read.c - read the data of user slots, on a domain and over all. */
#include "core/order.h"
#include "model/state.h"

const void *model_user_payload(const struct model *m, size_t *len)
{
	*len = m->payload != NULL ? m->payload_len : 0;
	return m->payload;
}

uint64_t model_user_gc(const struct model *m)
{
	return m->user_gc;
}

size_t model_user_slots(const struct model *m)
{
	return m->user_slot_count;
}

const struct model_user_slot *model_user_slot(const struct model *m, size_t slot)
{
	return slot < m->user_slot_count ? &m->user_slots[slot]->pub : NULL;
}

/* Return a domain's data of a slot; NULL: none. */
static struct user *user_of(const struct model *m, unsigned domain, size_t slot)
{
	if (domain >= m->domain_limit || m->domains[domain] == NULL || slot >= m->user_slot_count)
		return NULL;
	return user_find(m->domains[domain], slot);
}

const struct model_user *model_user(const struct model *m, unsigned domain, size_t slot)
{
	struct user *u = user_of(m, domain, slot);

	if (u == NULL)
		return NULL;
	user_settle(u);
	return &u->rest->pub;
}

bool model_user_volume(const struct model *m, unsigned domain, size_t slot, struct model_user_volume *out)
{
	const struct user *u = user_of(m, domain, slot);

	if (u == NULL)
		return false;
	*out = (struct model_user_volume){
	    .count = u->rest->pub.count + u->waiting_count,
	    .open = u->open,
	    .len = u->rest->pub.len,
	};
	return true;
}

size_t model_user_next(const struct model *m, unsigned domain, size_t slot)
{
	const struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;

	if (d == NULL || d->users == NULL)
		return m->user_slot_count;
	while (slot < m->user_slot_count && user_find(d, slot) == NULL)
		slot = d->users[slot / USER_CHUNK] == NULL ? (slot / USER_CHUNK + 1) * USER_CHUNK : slot + 1;
	return slot < m->user_slot_count ? slot : m->user_slot_count;
}

/* Add one domain's data of a slot to a total. */
static bool user_sum(struct model_user *out, const struct model_user *u)
{
	if (out->count == 0 || (u->count > 0 && u->min < out->min))
		out->min = u->min;
	if (out->count == 0 || (u->count > 0 && u->max > out->max))
		out->max = u->max;
	if (u->last_ts >= out->last_ts) {
		out->last_ts = u->last_ts;
		out->last = u->last;
		out->data = u->data;
		out->kept = u->kept;
		out->len = u->len;
	}
	out->count += u->count;
	out->open += u->open;
	out->gc_ns = sum_saturating(out->gc_ns, u->gc_ns);
	return hist_merge(&out->spans, &u->spans);
}

bool model_user_total(const struct model *m, size_t slot, struct model_user *out)
{
	*out = (struct model_user){0};
	for (unsigned i = 0; i < m->domain_limit; i++) {
		const struct model_user *u = model_user(m, i, slot);

		if (u != NULL && !user_sum(out, u)) {
			hist_fini(&out->spans);
			return false;
		}
	}
	return true;
}

size_t model_users_open(const struct model *m, unsigned domain, struct model_open_user *out, size_t size)
{
	const struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;
	size_t count = 0;

	if (d == NULL)
		return 0;
	for (struct user *u = user_open_at(d, d->user_events_open); u != NULL;
	     u = user_open_at(d, u->open_next))
		for (uint32_t i = 0; i < u->open && count < size; i++)
			out[count++] =
			    (struct model_open_user){.begin = user_frame(u, i)->begin, .slot = u->slot};
	qsort(out, count, sizeof(*out), order_by_number);
	return count;
}

uint32_t model_user_around(const struct model *m, unsigned domain, uint64_t ts)
{
	const struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;
	uint32_t slot = MODEL_NO_USER;
	uint64_t latest = 0;

	if (d == NULL)
		return slot;
	for (struct user *u = user_open_at(d, d->user_events_open); u != NULL;
	     u = user_open_at(d, u->open_next)) {
		uint32_t i = u->open;
		while (i > 0 && user_frame(u, i - 1)->begin > ts)
			i--;
		if (i > 0 && (slot == MODEL_NO_USER || user_frame(u, i - 1)->begin >= latest)) {
			latest = user_frame(u, i - 1)->begin;
			slot = u->slot;
		}
	}
	return slot;
}
