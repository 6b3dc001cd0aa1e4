/*
 * sampling.c - see sampling.h.
 */
#include "app/sampling.h"

/* A counter came. */
static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct sampling *s = ctx;

	(void)ts;
	if (counter == RTEV_COUNTER_MINOR_ALLOCATED)
		minor_size_see(&s->minor_size, model_domain(s->model, domain), value);
}

/* Another program runs in the process: its minor heap may have another size. */
static void on_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	struct sampling *s = ctx;

	(void)domain, (void)after_ts, (void)words, (void)history;
	if (kind == MODEL_NOTE_RESTART)
		s->minor_size = (struct minor_size){0};
}

static void on_reattached(void *ctx)
{
	struct sampling *s = ctx;

	s->minor_size = (struct minor_size){0};
}

bool sampling_begin(struct sampling *s, struct model *model, struct system_past *past)
{
	s->model = model;
	s->past = past;
	return model_observe(
	    model, &(struct model_observer){
		       .ctx = s, .counter = on_counter, .gap = on_gap, .reattached = on_reattached});
}

void sampling_end(struct sampling *s)
{
	session_system_fini(&s->system);
}

bool sampling_take(struct sampling *s, const struct session *session, uint64_t now, bool last)
{
	const struct system_sample *sample = session_system_read(&s->system, session, now, last);

	if (sample != NULL && s->past != NULL && s->system.other)
		system_past_break(s->past);
	if (sample != NULL && s->past != NULL)
		system_past_add(s->past, sample);
	if (sample == NULL && !last)
		return false;
	s->settings = session_system_settings(&s->system, session, minor_size_words(&s->minor_size));
	if (s->settings != NULL && s->past != NULL)
		system_past_set_settings(s->past, s->settings);
	s->sample = sample;
	return sample != NULL;
}
