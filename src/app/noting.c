/*
 * noting.c - see noting.h.
 */
#include "app/noting.h"

bool noting_begin(struct noting *n, struct session *session, struct model *model, struct system_past *past,
    system_note_put *put, void *ctx)
{
	*n = (struct noting){.session = session, .model = model, .put = put, .ctx = ctx};
	return sampling_begin(&n->sampling, model, past);
}

void noting_end(struct noting *n)
{
	sampling_end(&n->sampling);
	asking_end(&n->asking);
}

/* Note the settings that a ring file tells, as of its last event. */
static void note_settings(struct noting *n)
{
	struct model_totals t;

	model_totals(n->model, &t);
	if (n->session->pid == 0 && n->sampling.settings != NULL)
		system_note_settings(n->sampling.settings, t.last_ts, n->put, n->ctx);
}

void noting_take(struct noting *n, uint64_t now, bool last)
{
	(void)asking_take(&n->asking, n->session, n->model, now, last);
	bool sampled = sampling_take(&n->sampling, n->session, now, last);

	if (sampled)
		system_note_write(n->sampling.sample, n->sampling.settings, n->put, n->ctx);
	/* A replay may begin anywhere: it is told again with each sample. */
	if (n->asking.paused != n->paused || (n->paused && (sampled || last)))
		system_note_tracing(n->asking.paused, now, n->put, n->ctx);
	n->paused = n->asking.paused;
	if (last)
		note_settings(n);
}
