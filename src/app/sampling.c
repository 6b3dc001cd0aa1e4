/*
 * sampling.c - see sampling.h.
 */
#include "app/sampling.h"

bool sampling_begin(struct sampling *s, struct model *model, struct system_past *past)
{
	s->past = past;
	return minor_size_observe(&s->minor_size, model);
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
