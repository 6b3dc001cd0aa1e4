/* recent.c - see recent.h. */
#include "watch/recent.h"

#define RECENT_STEPS (RECENT_WINDOW / WATCH_STEP + 1)

struct recent {
	uint64_t numbers[RECENT_STEPS]; /* of each histogram's step: its begin divided by WATCH_STEP */
	struct hist steps[RECENT_STEPS];
};

struct recent *recent_create(void)
{
	return calloc(1, sizeof(struct recent));
}

void recent_destroy(struct recent *r)
{
	if (r == NULL)
		return;
	for (unsigned i = 0; i < RECENT_STEPS; i++)
		hist_fini(&r->steps[i]);
	free(r);
}

struct recent *recent_copy(const struct recent *from)
{
	struct recent *r = recent_create();
	bool ok = true;

	if (r == NULL)
		return NULL;
	for (unsigned i = 0; i < RECENT_STEPS && ok; i++) {
		r->numbers[i] = from->numbers[i];
		ok = hist_copy(&r->steps[i], &from->steps[i]);
	}
	if (ok)
		return r;
	recent_destroy(r);
	return NULL;
}

void recent_add(struct recent *r, const struct pauses *pauses)
{
	uint64_t number = pauses->list[0].end / WATCH_STEP;
	unsigned step = (unsigned)(number % RECENT_STEPS);

	if (number < r->numbers[step])
		return;
	if (number > r->numbers[step])
		hist_clear(&r->steps[step]);
	r->numbers[step] = number;
	for (unsigned i = 0; i < pauses->count; i++)
		(void)hist_add_at(&r->steps[step], pause_time(&pauses->list[i]), pauses->places[i]);
}

uint64_t recent_from(uint64_t now)
{
	return now > RECENT_WINDOW ? (now - RECENT_WINDOW) / WATCH_STEP * WATCH_STEP : 0;
}

bool recent_read(const struct recent *r, uint64_t now, struct hist *out)
{
	uint64_t first = recent_from(now) / WATCH_STEP, last = now / WATCH_STEP;

	hist_clear(out);
	for (unsigned i = 0; i < RECENT_STEPS; i++)
		if (r->numbers[i] >= first && r->numbers[i] <= last && !hist_merge(out, &r->steps[i]))
			return false;
	return true;
}

/* Add the pauses of one domain.  Returns false if they are not all known. */
static bool domain_past(
    const struct history *h, unsigned domain, uint64_t from, uint64_t to, uint64_t since, struct hist *out)
{
	struct history_cursor c;
	struct history_record r;
	bool known = true;

	if (!history_seek(h, domain, from, &c))
		return history_domain_to(h, domain) < from;
	while (known && history_next(&c, to, &r))
		if (r.kind == HISTORY_SPAN && r.pause && r.begin >= since)
			known = hist_add(out, r.ts - r.begin);
	return known;
}

bool recent_past(
    const struct history *h, unsigned domains, uint64_t from, uint64_t to, uint64_t since, struct hist *out)
{
	hist_clear(out);
	const struct history_range range = history_range(h);
	if (range.untracked != 0 || (!range.complete && from < range.from))
		return false;
	for (unsigned i = 0; i < domains; i++)
		if (!domain_past(h, i, from, to, since, out))
			return false;
	return true;
}
