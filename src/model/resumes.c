/*
 * resumes.c - ring_resume events: the spans that they drop on each ring, and the target pauses that they end.
 *
 * All rings share one ascending list of resumes.  A ring passes a resume at its first event at or after it;
 * only then is it known which of its spans ended in time.  Resumes below a ring's `applied_below` have been
 * applied to it.  A resume announced below that point is `late`, and is applied to the spans that are still
 * open.
 *
 * Rings announce resumes one ring after the other, thousands at a time.  A resume that is not the latest goes
 * to new_resumes, which is merged into the list when the list is needed.
 *
 * The list must stay bounded when a live target pauses again and again: once all rings have been drained past
 * a resume, resumes_fold removes it and keeps only the sum of its target pause.
 *
 * Invariant: a domain's attention is at most the timestamp of the next resume that applies to it, and 0
 * before its first event.
 */
#include "model/state.h"

#include "core/array.h"
#include "core/order.h"

/* Index of the first resume at or after a stamp. */
static size_t resume_at_or_after(const struct model *m, uint64_t ts)
{
	return order_below(m->resumes, m->resume_count, sizeof(*m->resumes), ts);
}

/* Set a ring's attention to the first resume at or after `applied_below`. */
static void resume_set_attention(const struct model *m, struct domain *d)
{
	size_t i = resume_at_or_after(m, d->applied_below);

	/* These first events have effects of their own: the first event of a domain of which only losses are
	 * known, the first after a loss, and the first of a target that recorded none. */
	if (d->late > 0 || !d->pub.seen || d->losing || d->replaced || m->off)
		d->attention = 0;
	else if (i == m->resume_count)
		d->attention = UINT64_MAX;
	else
		d->attention = m->resumes[i].at;
}

/* Apply the late resume and the resumes below a timestamp to a ring. */
static void resume_apply(struct model *m, struct domain *d, uint64_t below)
{
	uint64_t resume = d->late;

	if (below > d->applied_below) {
		size_t i = resume_at_or_after(m, below);

		/* the latest one drops everything that those before it would */
		if (i > 0 && m->resumes[i - 1].at >= d->applied_below && m->resumes[i - 1].at > resume)
			resume = m->resumes[i - 1].at;
		d->applied_below = below;
	}
	d->late = 0;
	if (resume > 0) {
		spans_drop_before(m, d, resume);
		user_events_drop_before(m, d, resume);
	}
	resume_set_attention(m, d);
}

/* Note that a ring has no event between its latest one and `to`, so its latest may be the last one before the
 * resumes in between. */
static void resume_note_before(struct model *m, const struct domain *d, uint64_t to)
{
	uint64_t last = d->pub.last_ts;
	size_t i;

	if (!d->pub.seen || last >= to)
		return;
	for (i = resume_at_or_after(m, last + 1); i < m->resume_count && m->resumes[i].at <= to; i++) {
		struct resume *r = &m->resumes[i];

		if (!r->has_before || r->before < last)
			r->before = last;
		r->has_before = true;
	}
}

/* Apply to a ring the resumes announced since its last event.  If there were many, the latest resume behind
 * the ring stands for all late ones, because applying it again has no effect. */
static void resumes_hear(struct model *m, struct domain *d)
{
	uint64_t late = d->late;

	if (d->told == m->announced)
		return;
	if (m->announced - d->told <= ANNOUNCED_KEPT) {
		for (; d->told != m->announced; d->told++) {
			uint64_t at = m->latest_announced[d->told % ANNOUNCED_KEPT];
			if (at < d->applied_below && at > late)
				late = at;
		}
	} else {
		size_t i = resume_at_or_after(m, d->applied_below);
		uint64_t at = i > 0 ? m->resumes[i - 1].at : m->folded_to;
		if (at < d->applied_below && at > late)
			late = at;
	}
	d->told = m->announced;
	LIST_INSERT_HEAD(&m->heard, d, told_link);
	d->late = late;
}

/* Remove the `gone` oldest resumes and keep the sums of their target pauses.  Rings that have not reached
 * them yet get the latest of them as late. */
static void resumes_fold(struct model *m, size_t gone)
{
	uint64_t to = m->resumes[gone - 1].at;

	target_pauses_make(m);
	DOMAIN_FOREACH (d, m) {
		domain_save_paused(m, d, to);
		if (d->applied_below <= to && to > d->late) {
			d->late = to;
			d->attention = 0;
		}
	}
	m->folded_sum = target_paused_before(m, to);
	m->resume_count -= gone;
	memmove(m->resumes, m->resumes + gone, m->resume_count * sizeof(*m->resumes));
	m->folded_to = to;
	target_pauses_make(m);
}

/* Make room for `more` resumes, at most half of RESUMES_MAX.  False when memory ran out. */
static bool resumes_grow(struct model *m, size_t more)
{
	if (m->resume_count + more > RESUMES_MAX)
		resumes_fold(m, m->resume_count / 2 + more / 2);
	if (array_room(&m->resumes, &m->resume_size, m->resume_count + more, sizeof(*m->resumes)))
		return true;
	model_out_of_memory(m);
	return false;
}

/* Find the ring_pause that a new resume at index i ends. */
static void resume_claim_pause(struct model *m, size_t i)
{
	struct resume *r = &m->resumes[i];
	struct resume *next = i + 1 < m->resume_count ? &m->resumes[i + 1] : NULL;

	if (next != NULL && next->has_pause && next->pause <= r->at) {
		r->has_pause = true;
		r->pause = next->pause;
		next->has_pause = false;
	} else if (m->paused && m->paused_at <= r->at) {
		r->has_pause = true;
		r->pause = m->paused_at;
		m->paused = false;
	}
}

/* Append a resume that is later than all in the list. */
static void resume_append(struct model *m, uint64_t ts)
{
	if (!resumes_grow(m, 1))
		return;
	m->resumes[m->resume_count++] = (struct resume){.at = ts};
	resume_claim_pause(m, m->resume_count - 1);
}

/* Sort the waiting resumes, and keep each one once that is not in the list. */
static void new_resumes_sort(struct model *m)
{
	size_t kept = 0;

	qsort(m->new_resumes, m->new_resume_count, sizeof(*m->new_resumes), order_by_number);
	for (size_t n = 0; n < m->new_resume_count; n++) {
		uint64_t ts = m->new_resumes[n];
		size_t i = resume_at_or_after(m, ts);

		if ((i < m->resume_count && m->resumes[i].at == ts) ||
		    (kept > 0 && m->new_resumes[kept - 1] == ts))
			continue;
		m->new_resumes[kept++] = ts;
	}
	m->new_resume_count = kept;
}

/* Merge the waiting resumes into the list. */
static void resumes_settle(struct model *m)
{
	if (m->new_resume_count == 0)
		return;
	new_resumes_sort(m);
	size_t new = m->new_resume_count;
	m->new_resume_count = 0;
	if (new == 0 || !resumes_grow(m, new))
		return;
	size_t old = m->resume_count;
	m->resume_count += new;
	/* from the end, so that nothing is overwritten and a pause goes to the earliest resume after it */
	for (size_t i = m->resume_count; new > 0; i--) {
		if (old > 0 && m->resumes[old - 1].at > m->new_resumes[new - 1]) {
			m->resumes[i - 1] = m->resumes[--old];
		} else {
			m->resumes[i - 1] = (struct resume){.at = m->new_resumes[--new]};
			resume_claim_pause(m, i - 1);
		}
	}
}

/* Queue a resume that is not the latest for the next merge. */
static void resume_wait(struct model *m, uint64_t ts)
{
	if (m->new_resume_count == RESUMES_MAX / 4)
		resumes_settle(m);
	if (!array_room(
		&m->new_resumes, &m->new_resume_size, m->new_resume_count + 1, sizeof(*m->new_resumes))) {
		model_out_of_memory(m);
		return;
	}
	m->new_resumes[m->new_resume_count++] = ts;
}

/* Take a ring past the resumes before its next event, which has stamp ts. */
void resumes_pass(struct model *m, struct domain *d, uint64_t ts)
{
	resumes_settle(m);
	resumes_hear(m, d);
	resume_note_before(m, d, ts);
	resume_apply(m, d, ts);
}

void model_resume_at(struct model *m, uint64_t ts)
{
	size_t i = resume_at_or_after(m, ts);
	struct domain *d;

	if (i < m->resume_count && m->resumes[i].at == ts)
		return;
	/* The target was seen without a ring only after this event. */
	if (m->off && m->paused_at > ts)
		m->paused_at = ts;
	/* What the process reported about itself is older than the event. */
	m->silent = m->off = false;
	counted_cut(m, ts);
	if (m->folded_to == 0 || ts > m->folded_to) {
		if (i == m->resume_count)
			resume_append(m, ts);
		else
			resume_wait(m, ts);
	}
	m->latest_announced[m->announced++ % ANNOUNCED_KEPT] = ts;
	LIST_FOREACH (d, &m->heard, told_link)
		d->attention = 0;
	LIST_INIT(&m->heard);
	OBSERVE(m, turned, MODEL_RESUMED, ts);
}

void model_drained(struct model *m)
{
	resumes_settle(m);
	DOMAIN_FOREACH (d, m) {
		resumes_hear(m, d);
		if (d->late == 0 && d->applied_below > m->drained_to)
			continue;
		resume_note_before(m, d, m->drained_to);
		resume_apply(m, d, m->drained_to == UINT64_MAX ? UINT64_MAX : m->drained_to + 1);
	}
	size_t passed = m->drained_to == 0 ? 0 : resume_at_or_after(m, m->drained_to);
	if (passed > MODEL_TARGET_PAUSES_MAX * 2)
		resumes_fold(m, passed - MODEL_TARGET_PAUSES_MAX);
	if (m->resume_count > 0)
		m->drained_to = m->resumes[m->resume_count - 1].at;
}

/* Apply to every ring the resumes that it has not reached. */
void resumes_finish(struct model *m)
{
	resumes_settle(m);
	uint64_t latest = m->resume_count == 0 ? 0 : m->resumes[m->resume_count - 1].at;
	DOMAIN_FOREACH (d, m) {
		resumes_hear(m, d);
		if (latest >= d->applied_below && latest > d->late)
			d->late = latest;
		resume_apply(m, d, 0);
	}
}

/* Handle a ring_pause: the target is paused until the next resume. */
void resumes_pause(struct model *m, uint64_t ts)
{
	resumes_settle(m);
	size_t i = resume_at_or_after(m, ts);
	if (i < m->resume_count) {
		struct resume *r = &m->resumes[i];

		if (!r->has_pause || r->pause < ts)
			r->pause = ts;
		r->has_pause = true;
	} else if (!m->paused || m->paused_at < ts) {
		m->paused = true;
		m->paused_at = ts;
	}
}

/* After lost words, which may have held a resume, or the target's end, it is not known whether the target is
 * paused. */
void resumes_forget_pause(struct model *m)
{
	m->paused = false;
}

/* Update the list of target pauses. */
void resumes_refresh(struct model *m)
{
	resumes_settle(m);
	target_pauses_make(m);
}
