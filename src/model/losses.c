/*
 * losses.c - lost time: stretches in which a domain's events were lost.  It is neither in pauses nor
 * observed.
 *
 * It begins with the last event before the loss or, if later, at the time until which all events are known to
 * have been delivered.  It ends with the next event.
 */
#include "model/state.h"

#include "model/span_time.h"

/* Note that words of a live target were lost. */
void loss_begin(struct model *m, struct domain *d)
{
	if (!m->live || !d->pub.seen || d->losing)
		return;
	d->losing = true;
	d->lost_from = d->pub.last_ts > m->read_to ? d->pub.last_ts : m->read_to;
	/* After its end a domain has no lost time. */
	d->observed_until = d->pub.state == MODEL_DOMAIN_TERMINATED ? d->died_ts : d->lost_from;
	d->attention = 0;
}

/* Keep a stretch of lost time; when there is no room, the oldest is dropped. */
static void loss_keep(struct model *m, struct domain *d, uint64_t from, uint64_t to)
{
	void *array = d->losses;
	size_t size = d->loss_size;

	if (d->loss_count == d->loss_size && size < MODEL_LOSSES_MAX &&
	    model_grow(m, &array, &size, size == 0 ? 16 : size * 2, sizeof(*d->losses))) {
		d->losses = array;
		d->loss_size = size;
	}
	if (d->loss_count == d->loss_size) {
		d->losses_gone_to = d->loss_count > 0 ? d->losses[0].to : to;
		if (d->loss_count == 0)
			return;
		memmove(d->losses, d->losses + 1, --d->loss_count * sizeof(*d->losses));
	}
	d->losses[d->loss_count++] = (struct lost_time){.from = from, .to = to};
}

void loss_tell(struct model *m, const struct domain *d, enum model_gap_what what, uint64_t from, uint64_t to)
{
	const struct model_gap gap = {.what = what, .kind = MODEL_NOTE_LOST, .from = from, .to = to};

	OBSERVE(m, gap, d->pub.domain, &gap);
}

/* End the lost time at the first event after a loss. */
void loss_end(struct model *m, struct domain *d, uint64_t ts)
{
	uint64_t from = d->lost_from;

	if (ts > from)
		domain_observed_anew(m, d, ts);
	d->losing = false;
	if (ts <= from)
		return;
	loss_keep(m, d, from, ts);
	loss_tell(m, d, MODEL_GAP_OVER, from, ts);
}

void model_read_to(struct model *m, uint64_t ts)
{
	if (ts > m->read_to)
		m->read_to = ts;
}

void model_lost_from(struct model *m, unsigned domain, uint64_t ts)
{
	struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;

	if (d == NULL || !d->losing || ts <= d->lost_from)
		return;
	if (d->observed_until == d->lost_from)
		d->observed_until = ts;
	d->lost_from = ts;
	loss_tell(m, d, MODEL_GAP_BEGAN, ts, 0);
}

/* How much of a stretch of lost time lies in [from, to), without target pauses. */
static uint64_t lost_in(const struct model *m, const struct lost_time *stretch, uint64_t from, uint64_t to)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(m, &count);

	from = stretch->from > from ? stretch->from : from;
	to = stretch->to < to ? stretch->to : to;
	return from < to ? to - from - span_time_paused(pauses, count, from, to) : 0;
}

bool model_lost_time(const struct model *m, unsigned domain, uint64_t from, uint64_t to, uint64_t *lost)
{
	const struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;

	*lost = 0;
	if (d == NULL)
		return true;
	if (d->losing)
		*lost = lost_in(m, &(struct lost_time){.from = d->lost_from, .to = UINT64_MAX}, from, to);
	for (size_t i = d->loss_count; i-- > 0 && d->losses[i].to > from;)
		*lost += lost_in(m, &d->losses[i], from, to);
	return from >= d->losses_gone_to;
}
