/*
 * hist.c - buckets in octaves that are allocated when their first value comes.
 *
 * Octave 0 holds the values 0 to 63, a bucket each.  Octave o >= 1 holds [2^(o+5), 2^(o+6)) in buckets of
 * width 2^(o-1).  `octaves` is the shortest run of octaves that holds all that have come so far; empty ones
 * in between are NULL.
 */
#include "model/hist.h"

#include "core/array.h"

/* The smallest value of the bucket at a place. */
static uint64_t bucket_low(unsigned place)
{
	unsigned octave = place / HIST_OCTAVE_BUCKETS, bucket = place % HIST_OCTAVE_BUCKETS;

	return octave == 0 ? bucket : (uint64_t)(HIST_OCTAVE_BUCKETS + bucket) << (octave - 1);
}

/* The largest one. */
static uint64_t bucket_high(unsigned place)
{
	unsigned octave = place / HIST_OCTAVE_BUCKETS;

	return bucket_low(place) + (octave == 0 ? 0 : ((uint64_t)1 << (octave - 1)) - 1);
}

void hist_fini(struct hist *h)
{
	for (unsigned i = 0; h->pool == NULL && i < h->present; i++)
		free(h->octaves[i]);
	if (h->pool == NULL)
		free(h->octaves);
	*h = (struct hist){0};
}

void hist_clear(struct hist *h)
{
	if (h->count == 0)
		return;
	for (unsigned i = 0; i < h->present; i++)
		if (h->octaves[i] != NULL)
			*h->octaves[i] = (struct hist_octave){0};
	h->count = h->sum = h->min = h->max = 0;
}

size_t hist_growth(const struct hist *h, uint64_t value)
{
	unsigned octave = hist_place(value) / HIST_OCTAVE_BUCKETS, i = octave - h->first;

	if (h->held >> octave & 1)
		return 0;
	unsigned run = h->present == 0	   ? 1
		       : octave < h->first ? h->first - octave
		       : i >= h->present   ? i + 1 - h->present
					   : 0;
	/* A pool takes back no array that a larger one replaces. */
	if (run > 0 && h->pool != NULL)
		run += h->present;
	return sizeof(struct hist_octave) + run * sizeof(struct hist_octave *);
}

bool hist_copy(struct hist *to, const struct hist *from)
{
	bool ok = true;

	*to = *from;
	to->pool = NULL;
	if (from->present == 0)
		return true;
	to->octaves = calloc(from->present, sizeof(struct hist_octave *));
	if (to->octaves == NULL)
		to->present = 0;
	for (unsigned i = 0; i < to->present; i++)
		to->octaves[i] = copy_bytes(from->octaves[i], sizeof(struct hist_octave), &ok);
	if (to->present == 0 || !ok) {
		hist_fini(to);
		return false;
	}
	return true;
}

/* Zeroed memory for a histogram; NULL when memory ran out. */
static void *hist_alloc(const struct hist *h, size_t bytes)
{
	return h->pool != NULL ? pool_take(h->pool, bytes) : calloc(1, bytes);
}

/* Extend the run of octaves to include another. */
static bool hist_extend(struct hist *h, unsigned octave)
{
	unsigned first = h->present == 0 || octave < h->first ? octave : h->first;
	unsigned last = h->present == 0 ? octave : h->first + h->present - 1;
	struct hist_octave **run;

	if (octave > last)
		last = octave;
	run = hist_alloc(h, (last - first + 1) * sizeof(*run));
	if (run == NULL)
		return false;
	if (h->present > 0)
		memcpy(run + (h->first - first), h->octaves, h->present * sizeof(*run));
	if (h->pool == NULL)
		free(h->octaves);
	h->octaves = run;
	h->first = first;
	h->present = last - first + 1;
	return true;
}

/* The counts of an octave, made if need be; NULL when memory ran out. */
static struct hist_octave *hist_octave(struct hist *h, unsigned octave)
{
	unsigned i = octave - h->first;

	if (i >= h->present) {
		if (!hist_extend(h, octave))
			return NULL;
		i = octave - h->first;
	}
	if (h->octaves[i] == NULL)
		h->octaves[i] = hist_alloc(h, sizeof(*h->octaves[i]));
	if (h->octaves[i] != NULL)
		h->held |= UINT64_C(1) << octave;
	return h->octaves[i];
}

bool hist_reserve(struct hist *h, uint64_t value)
{
	return hist_octave(h, hist_place(value) / HIST_OCTAVE_BUCKETS) != NULL;
}

bool hist_add_new(struct hist *h, uint64_t value)
{
	return hist_reserve(h, value) && hist_add(h, value);
}

bool hist_add(struct hist *h, uint64_t value)
{
	return hist_add_at(h, value, hist_place(value));
}

void hist_add_reserved(struct hist *h, const uint32_t *values, unsigned count)
{
	uint64_t *buckets[HIST_AT_ONCE], sum = 0;
	uint32_t min = UINT32_MAX, max = 0;

	/* All lines are on their way into the cache before the first is needed. */
	for (unsigned i = 0; i < count; i++) {
		unsigned place = hist_place(values[i]);
		buckets[i] =
		    &h->octaves[place / HIST_OCTAVE_BUCKETS - h->first]->counts[place % HIST_OCTAVE_BUCKETS];
		__builtin_prefetch(buckets[i], 1);
		sum += values[i];
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	for (unsigned i = 0; i < count; i++)
		++*buckets[i];
	if (count > 0 && (h->count == 0 || min < h->min))
		h->min = min;
	if (max > h->max)
		h->max = max;
	h->count += count;
	h->sum = sum_saturating(h->sum, sum);
}

bool hist_take(struct hist *h, uint64_t value)
{
	unsigned place = hist_place(value), i = place / HIST_OCTAVE_BUCKETS - h->first;
	struct hist_octave *counts = i < h->present ? h->octaves[i] : NULL;

	if (counts == NULL || counts->counts[place % HIST_OCTAVE_BUCKETS] == 0)
		return false;
	counts->counts[place % HIST_OCTAVE_BUCKETS]--;
	if (value == h->min)
		h->min = hist_place_middle(place);
	if (value == h->max)
		h->max = hist_place_middle(place);
	h->count--;
	if (h->sum != UINT64_MAX)
		h->sum -= value;
	return true;
}

void hist_trim(struct hist *h)
{
	struct hist_bucket bucket = {.high = h->max};
	unsigned position = 0;
	bool first = true;

	if (h->count == 0) {
		hist_fini(h);
		return;
	}
	while (hist_next(h, &position, &bucket)) {
		if (first && h->min < bucket.low)
			h->min = bucket.low + (bucket.high - bucket.low) / 2;
		first = false;
	}
	if (h->max > bucket.high)
		h->max = bucket.low + (bucket.high - bucket.low) / 2;
}

bool hist_merge(struct hist *into, const struct hist *from)
{
	if (from->count == 0)
		return true;
	for (unsigned i = 0; i < from->present; i++) {
		if (from->octaves[i] == NULL)
			continue;
		struct hist_octave *counts = hist_octave(into, from->first + i);
		if (counts == NULL)
			return false;
		for (unsigned b = 0; b < HIST_OCTAVE_BUCKETS; b++)
			counts->counts[b] += from->octaves[i]->counts[b];
	}
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum = sum_saturating(into->sum, from->sum);
	return true;
}

uint64_t hist_place_middle(unsigned place)
{
	uint64_t low = bucket_low(place);

	return low + (bucket_high(place) - low) / 2;
}

uint64_t hist_rank(uint64_t count, unsigned num, unsigned den)
{
	/* ceil(count * num / den) without overflow */
	return count / den * num + (count % den * num + den - 1) / den;
}

uint64_t hist_percentile(const struct hist *h, unsigned num, unsigned den)
{
	struct hist_bucket bucket;
	unsigned position = 0;

	if (h->count == 0 || den == 0)
		return 0;
	uint64_t rank = num < den ? hist_rank(h->count, num, den) : h->count, seen = 0;
	if (rank <= 1 && num < den)
		return h->min;
	while (rank < h->count && hist_next(h, &position, &bucket)) {
		seen += bucket.count;
		if (seen < rank)
			continue;
		uint64_t middle = bucket.low + (bucket.high - bucket.low) / 2;
		return middle < h->min ? h->min : middle > h->max ? h->max : middle;
	}
	return h->max;
}

double hist_figure(const struct hist *h, unsigned num, unsigned den)
{
	return h->count != 0 ? (double)hist_percentile(h, num, den) : (double)NAN;
}

bool hist_next(const struct hist *h, unsigned *position, struct hist_bucket *out)
{
	for (unsigned p = *position; p < h->present * HIST_OCTAVE_BUCKETS; p++) {
		const struct hist_octave *counts = h->octaves[p / HIST_OCTAVE_BUCKETS];
		unsigned place = h->first * HIST_OCTAVE_BUCKETS + p;

		if (counts == NULL || counts->counts[p % HIST_OCTAVE_BUCKETS] == 0)
			continue;
		out->low = bucket_low(place);
		out->high = bucket_high(place);
		out->count = counts->counts[p % HIST_OCTAVE_BUCKETS];
		*position = p + 1;
		return true;
	}
	*position = h->present * HIST_OCTAVE_BUCKETS;
	return false;
}
