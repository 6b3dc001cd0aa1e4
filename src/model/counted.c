/*
 * counted.c - what a target's memory tells while it records no events: the counters that events would tell.
 *
 * A stretch in which memory told lies within a target pause: it begins after the pause, and is cut where the
 * pause ends.
 */
#include "model/state.h"

#include "model/span_time.h"

void model_off(struct model *m, uint64_t ts)
{
	resumes_pause(m, ts);
	m->off = true;
	DOMAIN_FOREACH (d, m)
		d->attention = 0;
}

bool model_silent(const struct model *m)
{
	return m->off || m->silent || m->paused;
}

void counted_cut(struct model *m, uint64_t ts)
{
	while (m->counted_count > 0 && m->counted[m->counted_count - 1].from >= ts)
		m->counted_count--;
	if (m->counted_count > 0 && m->counted[m->counted_count - 1].to > ts)
		m->counted[m->counted_count - 1].to = ts;
}

/* Add a stretch that memory told of, which begins where the last one ends or later. */
static void counted_add(struct model *m, uint64_t from, uint64_t to)
{
	struct model_target_pause *last = m->counted_count > 0 ? &m->counted[m->counted_count - 1] : NULL;

	if (last != NULL && last->to == from) {
		last->to = to;
		return;
	}
	if (m->counted_count == MODEL_TARGET_PAUSES_MAX) {
		if (m->counted_ns == 0)
			m->counted_gone.from = m->counted[0].from;
		m->counted_ns = sum_saturating(m->counted_ns, m->counted[0].to - m->counted[0].from);
		m->counted_gone.to = m->counted[0].to;
		memmove(m->counted, m->counted + 1, --m->counted_count * sizeof(m->counted[0]));
	}
	m->counted[m->counted_count++] = (struct model_target_pause){.from = from, .to = to};
}

void model_count_span(struct model *m, uint64_t from, uint64_t to)
{
	size_t n;

	resumes_refresh(m);
	/* A look tells of all pauses since the last one, short ones too. */
	for (n = m->target_pause_count; n > 0 && m->target_pauses[n - 1].to > from; n--)
		;
	for (; n < m->target_pause_count; n++) {
		const struct model_target_pause *pause = &m->target_pauses[n];
		const uint64_t begin = pause->from > from ? pause->from : from,
			       end = pause->to < to ? pause->to : to;
		if (end > begin)
			counted_add(m, begin, end);
	}
}

uint64_t model_counted_time(const struct model *m, uint64_t from, uint64_t to)
{
	const uint64_t gone = span_time(m->counted_gone.from, m->counted_gone.to, from, to);

	/* The part that the forgotten stretches have in the interval is not known, so this is an upper bound. */
	return span_time_paused(m->counted, m->counted_count, from, to) +
	       (gone < m->counted_ns ? gone : m->counted_ns);
}

/* Begin a domain that memory tells of first: one that ran at the attach, or a later one. */
static void begin(struct model *m, struct domain *d, uint64_t ts)
{
	if (!d->pub.seen) {
		d->pub.seen = d->pub.looked_at = true;
		d->pub.first_ts = d->pub.last_ts = d->pub.known_from = d->life_from = ts;
		d->pub.born = ts > m->since_ts;
		d->paused_from = d->paused_to = m->folded_sum;
	} else if (ts > d->life_from) {
		domain_observed_anew(m, d, ts);
	}
	d->replaced = false;
	d->pub.state = MODEL_DOMAIN_RUNNING;
	heap_forget(&d->pub.heap);
}

void model_count(
    struct model *m, unsigned domain, uint64_t from, uint64_t to, const struct model_counts *grown)
{
	struct domain *d = domain_make(m, domain);

	if (d == NULL)
		return;
	if (!d->pub.seen || d->replaced || d->pub.state == MODEL_DOMAIN_TERMINATED)
		begin(m, d, from);
	struct model_counts *sum = &d->pub.counted;
	sum->minors += grown->minors;
	sum->majors += grown->majors;
	sum->allocated += grown->allocated;
	sum->promoted += grown->promoted;
	sum->major_words += grown->major_words;
	const struct model_memory told = {.from = from, .to = to, .grown = grown};
	OBSERVE(m, memory, domain, &told);
}

void model_count_end(struct model *m, unsigned domain, uint64_t ts)
{
	struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;

	if (d == NULL || !d->pub.seen || d->pub.state == MODEL_DOMAIN_TERMINATED)
		return;
	d->pub.state = MODEL_DOMAIN_TERMINATED;
	d->died_ts = ts;
	m->looked_rest |= ts > m->looked_ts;
	if (ts > d->pub.last_ts)
		d->pub.last_ts = ts;
}
