/* longest.c - lists of the longest spans, and the peaks of each domain's pauses. */
#include "watch/longest.h"

#include "core/array.h"
#include "core/order.h"

struct longest {
	uint16_t rows[MODEL_USER_SLOTS_MAX]; /* index + 1 of the list of each slot; 0: none */
	unsigned count;
	struct longest_list lists[LONGEST_NAMES]; /* in a copy `count` */
};

struct longest *longest_create(void)
{
	return calloc(1, sizeof(struct longest));
}

void longest_destroy(struct longest *l)
{
	free(l);
}

struct longest *longest_copy(const struct longest *from)
{
	bool ok = true;

	return copy_bytes(from, offsetof(struct longest, lists) + from->count * sizeof(from->lists[0]), &ok);
}

/* Return whether a span comes before another one in a list. */
static bool longer(const struct longest_span *a, const struct longest_span *b)
{
	uint64_t mine = a->end - a->begin, other = b->end - b->begin;

	return mine != other ? mine > other
			     : ORDER_BY(ORDER_RISING(a, b, begin), ORDER_RISING(a, b, domain)) < 0;
}

struct longest_span *longest_insert(struct longest_list *list, const struct longest_span *span)
{
	bool full = list->count == LONGEST_MAX;
	unsigned at = full ? LONGEST_MAX - 1 : list->count;

	if (full && !longer(span, &list->spans[at]))
		return NULL;
	list->count += !full;
	for (; at > 0 && longer(span, &list->spans[at - 1]); at--)
		list->spans[at] = list->spans[at - 1];
	list->spans[at] = *span;
	if (list->count == LONGEST_MAX)
		list->least = list->spans[LONGEST_MAX - 1].end - list->spans[LONGEST_MAX - 1].begin;
	return &list->spans[at];
}

struct longest_span *longest_pause(struct longest_peaks *p, unsigned domain, const struct model_span *pause)
{
	uint64_t duration = pause->end - pause->begin;

	if (duration < p->pauses.least)
		return NULL;
	return longest_insert(&p->pauses, &(struct longest_span){.begin = pause->begin,
					      .end = pause->end,
					      .part = pause->self,
					      .pause = LONGEST_PAUSE_KNOWN,
					      .pause_phase = pause->phase,
					      .pause_ns = duration,
					      .domain = domain});
}

void longest_add(struct longest_peaks *p, const struct pauses *pauses)
{
	const struct pause *peaks[PAUSES_AT_ONCE], *last = pauses->list + pauses->count;
	unsigned count = 0;

	while (p->count > 0 && pause_time(&p->peaks[p->count - 1]) <= pauses->most)
		p->count--;
	/* The latest first. */
	for (uint64_t most = 0; last-- > pauses->list && (count == 0 || most < pauses->most);) {
		if (count > 0 && pause_time(last) <= most)
			continue;
		most = pause_time(last);
		peaks[count++] = last;
	}
	while (count-- > 0) {
		if (p->count == LONGEST_PEAKS) {
			p->known_from = p->peaks[0].end;
			p->count--;
			memmove(&p->peaks[0], &p->peaks[1], p->count * sizeof(p->peaks[0]));
		}
		p->peaks[p->count++] = *peaks[count];
	}
}

uint64_t longest_least(const struct longest_peaks *p, uint64_t begin)
{
	/* Of two that take as long, the earlier one is in the list. */
	return p->pauses.least + !longest_enters(&p->pauses, begin, p->pauses.least);
}

/* Record a pause as the longest inside a span if it is. */
static void take_pause(struct longest_span *span, uint64_t begin, uint64_t end, rtev_phase phase)
{
	uint64_t from = begin > span->begin ? begin : span->begin, to = end < span->end ? end : span->end;

	if (to <= from || to - from <= span->pause_ns)
		return;
	span->pause = LONGEST_PAUSE_KNOWN;
	span->pause_ns = to - from;
	span->pause_phase = phase;
}

/* Find the longest pause inside a span that has just ended. */
static void find_pause(const struct longest_peaks *p, const struct model_domain *d, struct longest_span *span)
{
	const struct model_open_span *outer = d != NULL && d->depth > 0 ? &d->stack[0] : NULL;

	span->pause = span->begin < p->known_from ? LONGEST_PAUSE_UNKNOWN : LONGEST_PAUSE_NONE;
	if (span->pause == LONGEST_PAUSE_UNKNOWN)
		return;
	for (unsigned i = p->count; i-- > 0 && p->peaks[i].end > span->begin;)
		take_pause(span, p->peaks[i].begin, p->peaks[i].end, p->peaks[i].phase);
	if (outer != NULL && outer->pause && !outer->stale)
		take_pause(span, outer->begin, span->end, outer->phase);
}

/* Return the list of a slot, created on first use; NULL when there are too many. */
static struct longest_list *list_of(struct longest *l, unsigned slot)
{
	if (slot >= MODEL_USER_SLOTS_MAX)
		return NULL;
	if (l->rows[slot] == 0) {
		if (l->count == LONGEST_NAMES)
			return NULL;
		l->rows[slot] = (uint16_t)++l->count;
	}
	return &l->lists[l->rows[slot] - 1];
}

void longest_user(struct longest *l, const struct longest_peaks *p, const struct model *m, unsigned domain,
    const struct model_user_event *event)
{
	struct longest_list *list = list_of(l, event->slot);

	if (list == NULL || event->ts - event->begin < list->least)
		return;
	struct longest_span *span = longest_insert(
	    list, &(struct longest_span){
		      .begin = event->begin, .end = event->ts, .domain = domain, .part = model_user_gc(m)});
	if (span != NULL)
		find_pause(p, model_domain(m, domain), span);
}

void longest_gap(struct longest_peaks *p)
{
	p->count = 0;
	p->known_from = 0;
}

void longest_clear(struct longest_list *list)
{
	list->least = list->count = 0;
}

void longest_reset(struct longest *l)
{
	for (unsigned i = 0; i < l->count; i++)
		longest_clear(&l->lists[i]);
}

const struct longest_list *longest_of(const struct longest *l, size_t slot)
{
	if (slot >= MODEL_USER_SLOTS_MAX || l->rows[slot] == 0)
		return NULL;
	const struct longest_list *list = &l->lists[l->rows[slot] - 1];
	return list->count > 0 ? list : NULL;
}
