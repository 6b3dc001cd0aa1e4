/*
 * trend_table.c - write the trend of a watch into a recording, and take it out again.
 */
#include "record/trend_table.h"

#include <stdlib.h>

/* When what is known of a model was true. */
static uint64_t time_of(struct watch *w)
{
	struct model_totals t;

	model_totals(watch_model(w), &t);
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
	bool known = trend_fill(trend, first.data, first.size, begin);
	free(first.data);
	if (trail_table(t, TRAIL_NOTE_TREND, &latest) == TRAIL_OK && latest.data != NULL)
		known |= trend_fill(trend, latest.data, latest.size, begin);
	free(latest.data);
	if (known)
		trend_begin_at(trend, begin);
}
