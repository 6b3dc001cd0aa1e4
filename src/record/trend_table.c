/*
 * trend_table.c - write the trend of a watch into a recording, and take it out again.
 */
#include "record/trend_table.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

/* When what is known of a model was true. */
static uint64_t time_of(struct watch *w)
{
	struct model_totals t;

	model_totals(watch_model(w), &t);
	if (!t.seen && t.since_ts != 0)
		return t.since_ts;
	return t.now > t.last_ts ? t.now : t.last_ts;
}

/* Write the trend as it is now. */
static size_t fill(void *ctx, void *to, size_t room, uint64_t *ts)
{
	*ts = time_of(ctx);
	return trend_save(watch_trend(ctx), to, room);
}

struct recording_table record_trend_table(struct watch *w)
{
	return (struct recording_table){
	    .kind = TRAIL_NOTE_TREND, .room = TREND_SAVED, .fill = fill, .ctx = w};
}

/* Take over from a table what had ended by a stamp, or by the end of its second if the table is later: a
 * second is not taken in parts.  Returns where to go on, 0 if the table is not valid. */
static uint64_t table_take(struct trend *trend, const struct trail_table *table, uint64_t begin)
{
	uint64_t end = begin + (SECOND - begin % SECOND) % SECOND, until = end <= table->ts ? end : begin;

	return trend_fill(trend, table->data, table->size, until) ? until : 0;
}

void record_trend_restore(const struct trail *t, uint64_t since, struct watch *w)
{
	struct trail_table first, latest = {.data = NULL};
	struct trail_info info;
	struct trend *trend = watch_trend(w);

	trail_info(t, &info);
	uint64_t begin = since != 0 ? since : info.start;
	if (trail_table_first(t, TRAIL_NOTE_TREND, &first) != TRAIL_OK || first.data == NULL)
		return;
	/* Where the events that it had not seen yet begin, it is gone on with. */
	if (since == 0 && info.about.live && first.ts == info.about.attach_ts) {
		trend_load(trend, first.data, first.size);
		free(first.data);
		return;
	}
	uint64_t until = table_take(trend, &first, begin), later = 0;
	free(first.data);
	if (trail_table(t, TRAIL_NOTE_TREND, &latest) == TRAIL_OK && latest.data != NULL)
		later = table_take(trend, &latest, begin);
	free(latest.data);
	until = later > until ? later : until;
	if (until != 0)
		trend_begin_at(trend, until);
}
