/*
 * code_watch.c - see code_watch.h.
 */
#include "observation/code_watch.h"

#include "core/thread.h"

#define PAUSES 4096 /* kept of a domain, the latest */

/* The latest pauses of a domain, in the order of their ends. */
struct pauses {
	struct {
		uint64_t begin, end;
	} list[PAUSES];
	uint64_t count; /* that there have been */
	uint64_t gap;	/* stamp of the latest loss: what came before it may be unknown */
};

struct code_watch {
	struct model *model;
	struct profile *profile;
	struct profiler *profiler; /* NULL: off */
	pthread_t thread;
	bool starting; /* the thread runs, or has ended: what follows is its own */
	struct profiler_options options;
	struct version version;
	struct profiler *started;
	struct code_refusal refusal;
	struct profiler_state before; /* sums over the stopped profilers; `now` is how long they sampled */
	uint64_t noted;		      /* number of the first sample that is in no note */
	struct pauses *pauses[MODEL_DOMAINS_MAX];
};

/* ---- pauses ---- */

static struct pauses *pauses_of(struct code_watch *w, unsigned domain)
{
	if (domain < MODEL_DOMAINS_MAX && w->pauses[domain] == NULL)
		w->pauses[domain] = calloc(1, sizeof(struct pauses));
	return domain < MODEL_DOMAINS_MAX ? w->pauses[domain] : NULL;
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct code_watch *w = ctx;
	struct pauses *p = span->pause && w->profiler != NULL ? pauses_of(w, domain) : NULL;

	if (p == NULL)
		return;
	p->list[p->count % PAUSES].begin = span->begin;
	p->list[p->count++ % PAUSES].end = span->end;
}

/* Events of a domain were lost: what was open or closed in between is not known. */
static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct code_watch *w = ctx;
	const bool over = gap->what == MODEL_GAP_OVER && w->profiler != NULL;
	struct pauses *p = over ? pauses_of(w, domain) : NULL;

	if (p != NULL)
		p->gap = gap->to;
}

/* Whether a domain was in a pause at a time before all of whose events have come; -1: not known. */
static int inside(void *ctx, int domain, uint64_t ts)
{
	struct code_watch *w = ctx;
	const struct model_domain *d = model_domain(w->model, (unsigned)domain);
	const struct pauses *p = domain < MODEL_DOMAINS_MAX ? w->pauses[domain] : NULL;
	const struct model_open_span *open = d != NULL ? model_open_pause(d) : NULL;
	size_t count;
	const struct model_target_pause *off = model_target_pauses(w->model, &count);

	if (d == NULL || (count > 0 && off[count - 1].from <= ts && ts < off[count - 1].to))
		return -1;
	if (open != NULL && open->begin <= ts)
		return 1;
	if (p == NULL)
		return 0;
	if (ts < p->gap || (p->count > PAUSES && ts < p->list[p->count % PAUSES].end))
		return -1;
	for (uint64_t i = p->count, left = PAUSES; i-- > 0 && left-- > 0 && p->list[i % PAUSES].end >= ts;)
		if (p->list[i % PAUSES].begin <= ts)
			return 1;
	return 0;
}

static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	if (turn == MODEL_RESET)
		profile_reset(((struct code_watch *)ctx)->profile);
}

/* ---- creating ---- */

struct code_watch *code_watch_create(struct model *model)
{
	struct code_watch *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->model = model;
	w->profile = profile_create();
	if (w->profile != NULL &&
	    model_observe(model,
		&(struct model_observer){.ctx = w, .closed = on_closed, .gap = on_gap, .turned = on_turned}))
		return w;
	code_watch_destroy(w);
	return NULL;
}

void code_watch_destroy(struct code_watch *w)
{
	if (w == NULL)
		return;
	model_unobserve(w->model, w);
	code_watch_stop(w);
	profile_destroy(w->profile);
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		free(w->pauses[i]);
	free(w);
}

static void *start(void *ctx)
{
	struct code_watch *w = ctx;

	w->started = profiler_create(&w->options, &w->refusal);
	return NULL;
}

bool code_watch_start(struct code_watch *w, const struct profiler_options *options)
{
	code_watch_stop(w);
	w->options = *options;
	w->version = *options->version;
	w->options.version = &w->version;
	w->starting = thread_start(&w->thread, start, w) == 0;
	return w->starting;
}

bool code_watch_begun(struct code_watch *w, bool wait, struct code_refusal *refusal)
{
	struct profiler_state state;

	if (w->starting &&
	    (wait ? pthread_join(w->thread, NULL) : pthread_tryjoin_np(w->thread, NULL)) == 0) {
		w->starting = false;
		w->profiler = w->started;
		*refusal = w->refusal;
		return true;
	}
	if (w->profiler == NULL)
		return false;
	profiler_state(w->profiler, &state);
	code_refusal_now(refusal, &state.sampler);
	return false;
}

/* Sums of all that was sampled since the begin. */
static struct profiler_state so_far(const struct code_watch *w)
{
	struct profiler_state all = w->before, state;

	if (w->profiler == NULL)
		return all;
	profiler_state(w->profiler, &state);
	state.sampler.lost += all.sampler.lost + state.dropped;
	state.sampler.late += all.sampler.late;
	state.sampler.real_time += all.sampler.real_time;
	state.sampler.samples += all.sampler.samples;
	state.cpu_ns += all.cpu_ns;
	state.target_ns += all.target_ns;
	state.now += all.now - state.started;
	return state;
}

void code_watch_stop(struct code_watch *w)
{
	if (w->starting) {
		thread_end(w->thread);
		profiler_destroy(w->started);
	}
	w->starting = false;
	if (w->profiler == NULL)
		return;
	profiler_take(w->profiler, w->profile);
	w->before = so_far(w);
	profiler_destroy(w->profiler);
	w->profiler = NULL;
}

void code_watch_turn(struct code_watch *w, uint64_t watermark)
{
	if (w->profiler != NULL)
		profiler_take(w->profiler, w->profile);
	profile_settle(w->profile, watermark, inside, w);
}

void code_watch_locks(struct code_watch *w, const struct lock_place *places, size_t count)
{
	if (w->profiler != NULL)
		profiler_locks(w->profiler, places, count);
}

struct profile *code_watch_profile(struct code_watch *w)
{
	return w->profile;
}

void code_watch_note(struct code_watch *w, system_note_put *put, void *ctx)
{
	struct code_watch_state state;

	code_watch_state(w, &state);
	code_note_write(w->profile, state.hz, &w->noted, put, ctx);
}

void code_watch_take(struct code_watch *w, uint64_t ts, const void *data, size_t len)
{
	unsigned hz = code_note_take(w->profile, ts, data, len);

	if (hz != 0)
		w->before.sampler.hz = hz;
}

void code_watch_state(struct code_watch *w, struct code_watch_state *out)
{
	const struct profiler_state all = so_far(w);
	const double elapsed = all.now > 0 ? (double)all.now : (double)NAN;
	const bool known = all.target_ns != 0 || all.sampler.samples == 0;

	*out = (struct code_watch_state){
	    .on = w->profiler != NULL,
	    .hz = all.sampler.hz,
	    .lost = all.sampler.lost,
	    .late = all.sampler.late,
	    .real_time = all.sampler.real_time,
	    .names = all.names,
	    .slow = all.sampler.slow,
	    .left_out = all.sampler.left_out,
	    .own = (double)all.cpu_ns / elapsed,
	    .target = known ? (double)all.target_ns / elapsed : (double)NAN,
	};
}
