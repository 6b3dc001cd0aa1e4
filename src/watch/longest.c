/* longest.c - lists of the longest spans, and the peaks of each domain's pauses. */
#include "watch/longest.h"

#include "core/array.h"
#include "core/copy.h"

struct longest_peaks {
	struct longest_list pauses;
	uint64_t known_from; /* a pause inside a span that began earlier may have been forgotten */
	unsigned count;
	struct pause
	    peaks[LONGEST_PEAKS]; /* those that no later one exceeds, in descending order of duration */
};

struct longest {
	uint16_t rows[MODEL_USER_SLOTS_MAX]; /* index + 1 of the list of each slot; 0: none */
	unsigned count;
	struct longest_list *lists; /* LONGEST_NAMES of them; in a copy `count` */
	struct longest_peaks **domains;
	unsigned domain_count;
};

struct longest *longest_create(void)
{
	struct longest *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->lists = calloc(LONGEST_NAMES, sizeof(*l->lists));
	if (l->lists == NULL) {
		free(l);
		return NULL;
	}
	return l;
}

void longest_destroy(struct longest *l)
{
	if (l == NULL)
		return;
	for (unsigned d = 0; d < l->domain_count; d++)
		free(l->domains[d]);
	free(l->domains);
	free(l->lists);
	free(l);
}

struct longest *longest_copy(const struct longest *from)
{
	bool ok = true;
	struct longest *l = copy_bytes(from, sizeof(*from), &ok);

	if (l == NULL)
		return NULL;
	l->lists = copy_bytes(from->lists, from->count * sizeof(*from->lists), &ok);
	l->domains = calloc(from->domain_count + 1, sizeof(l->domains[0]));
	l->domain_count = l->domains != NULL ? from->domain_count : 0;
	for (unsigned d = 0; d < l->domain_count && ok; d++)
		l->domains[d] = copy_bytes(from->domains[d], sizeof(*from->domains[d]), &ok);
	if (ok && l->domains != NULL)
		return l;
	longest_destroy(l);
	return NULL;
}

/* Return whether a span comes before another one in a list. */
static bool longer(const struct longest_span *a, const struct longest_span *b)
{
	uint64_t mine = a->end - a->begin, other = b->end - b->begin;

	if (mine != other)
		return mine > other;
	if (a->begin != b->begin)
		return a->begin < b->begin;
	return a->domain < b->domain;
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

/* Return the peaks of a domain; NULL before its first pause. */
static struct longest_peaks *peaks_of(const struct longest *l, unsigned domain)
{
	return domain < l->domain_count ? l->domains[domain] : NULL;
}

/* Return the peaks of a domain, allocated on first use; NULL when memory ran out. */
static struct longest_peaks *peaks_make(struct longest *l, unsigned domain)
{
	if (domain >= MODEL_DOMAINS_MAX ||
	    !array_reach(&l->domains, &l->domain_count, domain, sizeof(struct longest_peaks *)))
		return NULL;
	if (l->domains[domain] == NULL)
		l->domains[domain] = calloc(1, sizeof(*l->domains[domain]));
	return l->domains[domain];
}

struct longest_span *longest_pause(struct longest *l, unsigned domain, const struct model_span *pause)
{
	struct longest_peaks *p = peaks_of(l, domain);
	uint64_t duration = pause->end - pause->begin;

	if (p == NULL && (p = peaks_make(l, domain)) == NULL)
		return NULL;
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

void longest_peaks(struct longest *l, const struct pauses *pauses)
{
	struct longest_peaks *p = peaks_make(l, pauses->domain);
	const struct pause *peaks[PAUSES_AT_ONCE], *last = pauses->list + pauses->count;
	unsigned count = 0;

	if (p == NULL)
		return;
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

uint64_t longest_least(const struct longest *l, unsigned domain, uint64_t begin)
{
	const struct longest_peaks *p = peaks_of(l, domain);

	/* Of two that take as long, the earlier one is in the list. */
	return p == NULL ? 0 : p->pauses.least + !longest_enters(&p->pauses, begin, p->pauses.least);
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
static void find_pause(const struct longest *l, const struct model_domain *d, struct longest_span *span)
{
	const struct longest_peaks *p = peaks_of(l, span->domain);
	const struct model_open_span *outer = d != NULL && d->depth > 0 ? &d->stack[0] : NULL;

	span->pause = p != NULL && span->begin < p->known_from ? LONGEST_PAUSE_UNKNOWN : LONGEST_PAUSE_NONE;
	if (span->pause == LONGEST_PAUSE_UNKNOWN)
		return;
	for (unsigned i = p != NULL ? p->count : 0; i-- > 0 && p->peaks[i].end > span->begin;)
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

void longest_user(
    struct longest *l, const struct model *m, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	struct longest_list *list = list_of(l, slot);

	if (list == NULL || end - begin < list->least)
		return;
	struct longest_span *span = longest_insert(list,
	    &(struct longest_span){.begin = begin, .end = end, .domain = domain, .part = model_user_gc(m)});
	if (span != NULL)
		find_pause(l, model_domain(m, domain), span);
}

/* After a gap stamps may go back, and open spans have been dropped. */
void longest_gap(struct longest *l, unsigned domain)
{
	struct longest_peaks *p = peaks_of(l, domain);

	if (p != NULL) {
		p->count = 0;
		p->known_from = 0;
	}
}

void longest_reset(struct longest *l)
{
	for (unsigned i = 0; i < l->count; i++)
		l->lists[i].least = l->lists[i].count = 0;
	for (unsigned d = 0; d < l->domain_count; d++)
		if (l->domains[d] != NULL)
			l->domains[d]->pauses.least = l->domains[d]->pauses.count = 0;
}

const struct longest_list *longest_pauses(const struct longest *l, unsigned domain)
{
	const struct longest_peaks *p = peaks_of(l, domain);

	return p != NULL && p->pauses.count > 0 ? &p->pauses : NULL;
}

const struct longest_list *longest_of(const struct longest *l, size_t slot)
{
	if (slot >= MODEL_USER_SLOTS_MAX || l->rows[slot] == 0)
		return NULL;
	const struct longest_list *list = &l->lists[l->rows[slot] - 1];
	return list->count > 0 ? list : NULL;
}
