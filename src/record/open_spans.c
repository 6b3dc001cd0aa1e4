/*
 * open_spans.c - the open spans of one domain.
 */
#include "record/open_spans.h"

#include "core/array.h"

void record_spans_fini(struct record_spans *spans)
{
	free(spans->list);
	*spans = (struct record_spans){0};
}

uint64_t record_spans_show(struct record_spans *spans, uint64_t ts)
{
	if (!spans->shown)
		spans->first = ts;
	spans->shown = true;
	if (ts > spans->last)
		spans->last = ts;
	return spans->last;
}

void record_spans_resume(struct record_spans *spans, uint64_t ts)
{
	unsigned n = spans->stretch_count;

	if (!spans->shown || ts >= spans->last)
		return;
	if (n < RECORD_STRETCHES) {
		spans->stretch_count++;
	} else {
		n--;
		spans->first =
		    spans->first < spans->stretches[n].first ? spans->first : spans->stretches[n].first;
		spans->last = spans->last > spans->stretches[n].last ? spans->last : spans->stretches[n].last;
	}
	spans->stretches[n].first = spans->first;
	spans->stretches[n].last = spans->last;
	spans->first = spans->last = ts;
}

bool record_spans_crosses(const struct record_spans *spans, uint64_t begin, uint64_t end)
{
	for (unsigned i = 0; i < spans->stretch_count; i++)
		if (begin <= spans->stretches[i].last && end >= spans->stretches[i].first)
			return true;
	return false;
}

uint64_t record_spans_lane(struct record_spans *spans, uint64_t begin, uint64_t end)
{
	uint64_t lane = 0;

	/* A slice that ends when another begins must not share its lane: a viewer that sorts by time could
	 * cross them. */
	while (lane < spans->lanes && lane < RECORD_LANES && spans->lane_ends[lane] >= begin)
		lane++;
	if (lane >= RECORD_LANES)
		return spans->lanes++;
	if (lane == spans->lanes)
		spans->lanes++;
	spans->lane_ends[lane] = end;
	return lane;
}

static void span_remove(struct record_spans *spans, size_t i)
{
	spans->users -= spans->list[i].user;
	spans->count--;
	memmove(spans->list + i, spans->list + i + 1, (spans->count - i) * sizeof(*spans->list));
}

bool record_spans_open(struct record_spans *spans, uint32_t id, bool user, uint64_t ts)
{
	uint64_t begin = record_spans_show(spans, ts);

	if (user && spans->users == RECORD_USERS_MAX)
		return true;
	if (!array_room(&spans->list, &spans->room, spans->count + 1, sizeof(spans->list[0])))
		return false;
	size_t outer = spans->count;
	while (outer > 0 && spans->list[outer - 1].aside)
		outer--;
	if (outer > 0 && begin <= spans->list[outer - 1].begin)
		begin = record_spans_show(spans, spans->list[outer - 1].begin + 1);
	spans->list[spans->count++] =
	    (struct record_span){.stamp = ts, .begin = begin, .id = id, .user = user};
	spans->users += user;
	return true;
}

bool record_spans_close(struct record_spans *spans, struct record_span *out)
{
	for (size_t i = spans->count; i-- > 0;) {
		if (spans->list[i].user) {
			spans->list[i].aside = true;
			continue;
		}
		*out = spans->list[i];
		span_remove(spans, i);
		return true;
	}
	return false;
}

bool record_spans_close_user(struct record_spans *spans, uint32_t id, uint64_t stamp, struct record_span *out)
{
	bool nests = true;

	for (size_t i = spans->count; i-- > 0;) {
		const struct record_span *span = &spans->list[i];
		if (span->user && span->id == id && span->stamp == stamp) {
			*out = *span;
			out->aside = span->aside || !nests;
			span_remove(spans, i);
			return true;
		}
		nests = nests && span->aside;
	}
	return false;
}

void record_spans_drop(struct record_spans *spans, unsigned depth)
{
	size_t at = spans->count - spans->users; /* depth of the runtime spans still to pass */

	for (size_t i = spans->count; i-- > 0;)
		if (!spans->list[i].user && --at == depth) {
			span_remove(spans, i);
			return;
		}
}

void record_spans_clear(struct record_spans *spans)
{
	spans->count = 0;
	spans->users = 0;
}
