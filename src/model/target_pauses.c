/*
 * target_pauses.c - target pauses, computed from the resumes: the begin of each, and their total.
 *
 * A pause begins at the ring_pause before its resume or, without one, at the last event of any ring before
 * the resume.  A ring that has passed the resume stored the timestamp of that event in it; for other rings it
 * is the latest event so far.  A pause without a resume is known from its ring_pause, or from
 * model_set_silent.
 */
#include "model/state.h"

#include "core/array.h"
#include "core/order.h"

/* Return the stamps of each ring's latest event, ascending; the caller frees them.  NULL if there are none or
 * memory ran out. */
static uint64_t *last_stamps(struct model *m, size_t *count)
{
	uint64_t *stamps = reallocarray(NULL, m->domain_limit + 1, sizeof(*stamps));

	*count = 0;
	if (stamps == NULL) {
		model_out_of_memory(m);
		return NULL;
	}
	DOMAIN_FOREACH (d, m)
		if (d->pub.seen && (d->pub.events != 0 || !d->pub.looked_at))
			stamps[(*count)++] = d->pub.last_ts;
	qsort(stamps, *count, sizeof(*stamps), order_by_number);
	return stamps;
}

/* Append the part of a target pause after `after`, unless it is empty. */
static void target_pause_add(struct model *m, uint64_t after, const struct model_target_pause *pause)
{
	size_t n = m->target_pause_count;
	struct model_target_pause *p = &m->target_pauses[n];

	*p = *pause;
	if (p->from < after)
		p->from = after;
	if (p->from >= p->to)
		return;
	m->target_sums[n] = n == 0 ? 0 : m->target_sums[n - 1] + p[-1].to - p[-1].from;
	m->target_pause_count++;
}

/* Make room for one target pause for each resume and an open one.  False when memory ran out. */
static bool target_pauses_grow(struct model *m)
{
	size_t need = m->resume_count + 1, pauses = m->target_pause_size, sums = pauses;

	if (!array_room(&m->target_pauses, &pauses, need, sizeof(*m->target_pauses)) ||
	    !array_room(&m->target_sums, &sums, need, sizeof(*m->target_sums))) {
		model_out_of_memory(m);
		return false;
	}
	m->target_pause_size = sums;
	return true;
}

/* Rebuild the list of target pauses. */
void target_pauses_make(struct model *m)
{
	uint64_t *stamps, after = m->folded_to;
	size_t count, s = 0;
	bool open = m->paused || m->silent;

	m->target_pause_count = 0;
	if ((m->resume_count == 0 && !open) || !target_pauses_grow(m))
		return;
	stamps = last_stamps(m, &count);
	if (stamps == NULL)
		return;
	for (size_t i = 0; i < m->resume_count; i++) {
		const struct resume *r = &m->resumes[i];
		struct model_target_pause pause = {.from = r->before, .to = r->at, .rule = MODEL_RULE_GAP};
		bool known = r->has_before;

		/* for rings without an event so late, their last one counts */
		while (s < count && stamps[s] < r->at)
			s++;
		if (s > 0 && (!known || stamps[s - 1] > pause.from)) {
			pause.from = stamps[s - 1];
			known = true;
		}
		if (r->has_pause) {
			pause.from = r->pause;
			pause.rule = MODEL_RULE_EVENT;
		}
		if (known || r->has_pause)
			target_pause_add(m, after, &pause);
		if (r->at > after)
			after = r->at;
	}
	if (open && (m->paused || count > 0)) {
		struct model_target_pause pause = {.to = UINT64_MAX, .rule = MODEL_RULE_GAP};

		if (m->paused) {
			pause.from = m->paused_at;
			pause.rule = MODEL_RULE_EVENT;
		}
		/* events recorded after the ring_pause were not in the pause */
		if (count > 0 && stamps[count - 1] > pause.from)
			pause.from = stamps[count - 1];
		target_pause_add(m, after, &pause);
	}
	free(stamps);
}

/* Return the total of the target pauses until ts, which is not before m->folded_to, as of the last
 * target_pauses_make. */
uint64_t target_paused_before(const struct model *m, uint64_t ts)
{
	size_t count = order_below(m->target_pauses, m->target_pause_count, sizeof(*m->target_pauses), ts);

	if (count == 0)
		return m->folded_sum;
	const struct model_target_pause *p = &m->target_pauses[count - 1];
	return m->folded_sum + m->target_sums[count - 1] + (ts < p->to ? ts : p->to) - p->from;
}

const struct model_target_pause *model_target_pauses(const struct model *m, size_t *count)
{
	size_t skip = m->target_pause_count > MODEL_TARGET_PAUSES_MAX
			  ? m->target_pause_count - MODEL_TARGET_PAUSES_MAX
			  : 0;

	*count = m->target_pause_count - skip;
	return m->target_pauses == NULL ? NULL : m->target_pauses + skip;
}
