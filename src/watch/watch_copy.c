/*
 * watch_copy.c - snapshot of a watch, shown while the watch goes on.
 */
#include "watch/watch_private.h"

#include <stdlib.h>

#include "model/copy.h"

/* Copy a series; NULL of NULL. */
static struct series *series_copied(const struct series *from, bool *ok)
{
	struct series *s = from != NULL ? series_copy(from) : NULL;

	if (from != NULL && s == NULL)
		*ok = false;
	return s;
}

/* Copy what is kept of some user slots; NULL of NULL. */
static struct watch_user *chunk_copy(const struct watch_user *from, bool *ok)
{
	struct watch_user *chunk = copy_bytes(from, WATCH_CHUNK * sizeof(*from), ok);

	for (size_t u = 0; chunk != NULL && u < WATCH_CHUNK; u++) {
		chunk[u].values = series_copied(from[u].values, ok);
		chunk[u].events = series_copied(from[u].events, ok);
	}
	return chunk;
}

/* Copy what is kept of a domain.  NULL when memory ran out. */
static struct watch_domain *domain_copy(const struct watch_domain *from, bool *ok)
{
	struct watch_domain *d = copy_bytes(from, sizeof(*from), ok);

	if (d == NULL)
		return NULL;
	for (int m = 0; m < WATCH_MEASURES; m++)
		d->measures[m] = series_copied(from->measures[m], ok);
	d->empty = series_copied(from->empty, ok);
	d->unread = series_copied(from->unread, ok);
	d->users = copy_bytes(from->users, WATCH_CHUNKS * sizeof(struct watch_user *), ok);
	for (size_t i = 0; d->users != NULL && i < WATCH_CHUNKS; i++)
		d->users[i] = chunk_copy(from->users[i], ok);
	if (*ok)
		watch_step_settle(d);
	return d;
}

/* Copy the observers and the model.  False when memory ran out. */
static bool parts_copy(struct watch *w, struct watch *from)
{
	w->model = model_copy(from->model);
	w->flame = flame_copy(from->flame);
	w->stw = stw_copy(from->stw);
	w->paths = paths_copy(from->paths);
	w->mmu = mmu_copy(from->mmu);
	w->longest = longest_copy(from->longest);
	w->system = system_past_copy(from->system);
	w->recent = recent_copy(from->recent);
	w->history = history_copy(from->history);
	w->trend = trend_copy(from->trend);
	return w->model != NULL && w->flame != NULL && w->stw != NULL && w->paths != NULL && w->mmu != NULL &&
	       w->longest != NULL && w->history != NULL && w->trend != NULL && w->system != NULL &&
	       w->recent != NULL;
}

struct watch *watch_copy(struct watch *from)
{
	struct watch *w = calloc(1, sizeof(*w));
	bool ok = true;

	if (w == NULL)
		return NULL;
	w->now = from->now;
	w->attach_ts = from->attach_ts;
	w->minor_size = from->minor_size;
	w->series_count = from->series_count;
	w->domains = calloc(from->domain_count + 1, sizeof(struct watch_domain *));
	if (w->domains == NULL || !parts_copy(w, from))
		goto fail;
	for (; w->domain_count < from->domain_count && ok; w->domain_count++)
		if (from->domains[w->domain_count] != NULL)
			w->domains[w->domain_count] = domain_copy(from->domains[w->domain_count], &ok);
	if (ok)
		return w;
fail:
	watch_destroy(w);
	return NULL;
}
