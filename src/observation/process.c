/*
 * process.c - what is read of the process of a session besides its events: samples, settings, whether it records, counters,
 * memory, and its code.
 */
#include "observation/process.h"

#include "core/clock.h"

#define NOTE_NS 1000000000u /* between two notes of samples of the code */
#define ASK_NS 50000000u    /* between two questions to the target whether it has paused its events */
#define COUNT_NS 100000000u /* between two looks at its counters */

/* Between two looks at its locks.  A look takes at most a hundredth of a core where threads wait for locks, else a five-hundredth. */
#define LOCKS_NS 100000000u
#define LOCKS_MANY_NS 1000000000u /* of one of many */
#define LOCKS_REFUSED_NS 10000000000u
enum { LOCKS_SHARE_BUSY = 100, LOCKS_SHARE_IDLE = 500 };

/* Time between two samples of one of many targets: for a quiet process they are most of the work. */
#define MANY_SAMPLE_NS 2000000000u

/* The pid of the target while it runs, else 0. */
static pid_t running(const struct session *s)
{
	return s->state == SESSION_LIVE && s->alive != NULL ? alive_pid(s->alive) : 0;
}

bool program_follow(struct program *program, const struct session *s)
{
	const struct program now = {running(s), s->execs};
	const bool another = now.pid != program->pid || now.execs != program->execs;

	*program = now;
	return another;
}

static void session_system_fini(struct session_system *system)
{
	sampler_destroy(system->sampler);
	ocaml_reader_destroy(system->reader);
	*system = (struct session_system){0};
}

/* Take a sample if one is due and the target runs.  With `last`, at the end of an observation, also if none
 * is due.  Returns NULL if there is none; the sample is valid until the next call. */
static struct system_sample *session_system_read(
    struct session_system *system, const struct session *s, uint64_t now, bool last)
{
	pid_t pid = running(s);

	if (pid == 0)
		return NULL;
	system->other = pid != system->pid;
	if (system->other) {
		sampler_destroy(system->sampler);
		system->sampler = sampler_create(&(struct sampler_options){.pid = pid});
		system->pid = pid;
	}
	if (system->sampler == NULL || (!last && !sampler_due(system->sampler, now)))
		return NULL;
	return sampler_take(system->sampler, now);
}

/* Read the settings of the target's runtime; `minor_words` is that of struct ocaml_evidence, and `sample` the latest.  Returns the
 * last ones read for a target that has ended, those in the file for a ring file, NULL if none were ever
 * read. */
static const struct ocaml_settings *session_system_settings(struct session_system *system,
    const struct session *s, uint64_t minor_words, const struct runtime_sample *sample)
{
	struct ocaml_evidence evidence = {.minor_words = minor_words};
	pid_t pid = running(s);

	if (pid != 0 && program_follow(&system->read, s)) {
		ocaml_reader_destroy(system->reader);
		system->reader = ocaml_reader_create(NULL, pid);
		system->minor_heap = 0;
	}
	if (sample->ts != 0)
		system->minor_heap = 0;
	for (unsigned i = 0; sample->ts != 0 && i < sample->domain_count; i++)
		if (sample->domains[i].minor_heap_words > system->minor_heap)
			system->minor_heap = sample->domains[i].minor_heap_words;
	evidence.minor_heap = system->minor_heap;
	if (pid != 0 && system->reader != NULL) {
		struct runtime_layout layout;

		if (runtime_layout_of(&s->version, &layout))
			evidence.params_at = layout.params_at;
		if (s->cursor != NULL) {
			evidence.ring_words = s->info.ring_words;
			evidence.max_domains = s->info.max_domains;
		} else {
			evidence.max_domains = sample->max_domains;
		}
		ocaml_settings_read(system->reader, &evidence, &system->settings);
		system->has_settings = true;
	}
	if (s->pid == 0 && s->cursor != NULL) { /* a ring file records some settings itself */
		system->has_settings = true;
		evidence.ring_words = s->info.ring_words;
		evidence.max_domains = s->info.max_domains;
		ocaml_settings_read(NULL, &evidence, &system->settings);
	}
	return system->has_settings ? &system->settings : NULL;
}

void process_ask_no_more(struct observation *o)
{
	tracing_destroy(o->asked.tracing);
	o->asked = (struct session_tracing){0};
}

/* Ask now.  Returns TRACING_UNKNOWN for a target that has ended. */
static enum tracing_state tracing_now(struct observation *o)
{
	struct session_tracing *t = &o->asked;

	if (program_follow(&t->program, o->session)) {
		tracing_destroy(t->tracing);
		t->tracing = t->program.pid != 0 ? tracing_create(NULL, t->program.pid) : NULL;
	}
	return t->tracing != NULL ? tracing_read(t->tracing) : TRACING_UNKNOWN;
}

static void counters_fini(struct observation_counters *counters)
{
	locks_destroy(counters->locks);
	runtime_destroy(counters->runtime);
	runtime_threads_destroy(counters->threads);
	counters->locks = NULL;
	counters->runtime = NULL;
	counters->threads = NULL;
}

/* Find the runtime of the program that the process runs now, if it is another than before. */
static void counters_find(struct observation_counters *counters, const struct session *s)
{
	if (!program_follow(&counters->program, s) && strcmp(s->version.text, counters->version) == 0)
		return;
	const pid_t pid = counters->program.pid;
	counters_fini(counters);
	strlcpy(counters->version, s->version.text, sizeof counters->version);
	counters->runtime = runtime_create(NULL, pid, &s->version, &counters->why);
	counters->told = counters->runtime != NULL ? runtime_layout(counters->runtime)->told : NULL;
	counters->threads = counters->runtime != NULL ? runtime_threads_create(NULL, pid) : NULL;
	counters->locks_ts = 0;
	counters->refused = false;
}

const char *observation_ocaml_from(const struct observation *o, const struct session *session)
{
	return o != NULL && o->counters.told != NULL ? o->counters.told
						     : version_origin_name(session->version.origin);
}

void observation_count(struct observation *o, uint64_t now)
{
	struct observation_counters *counters = &o->counters;
	pid_t pid = o->session != NULL ? running(o->session) : 0;

	if (pid == 0) {
		counters->sample.ts = 0;
		counters->why = "";
		return;
	}
	if (counters->looked_ts != 0 && now - counters->looked_ts < COUNT_NS)
		return;
	counters->looked_ts = now;
	counters->sample.ts = 0;
	counters_find(counters, o->session);
	if (counters->runtime == NULL || counters->threads == NULL)
		return;
	int error = runtime_sample(counters->runtime, now, &counters->sample);
	/* A process without memory has ended, or is about to run another program. */
	counters->why = error == ESRCH ? "" : variables_why(error);
	counters->refused = error == EPERM || error == EACCES;
	struct memory_reader memory = runtime_memory(counters->runtime);
	if (error == 0)
		runtime_threads_check(counters->threads, &memory, &counters->sample);
}

void process_look_at_locks(struct observation *o, uint64_t now)
{
	struct observation_counters *counters = &o->counters;
	const pid_t pid = o->locks != NULL ? running(o->session) : 0;
	struct lock_place places[LOCK_ROWS];
	struct locks_look look;

	if (pid != 0 && pid == counters->program.pid && now < counters->locks_ts)
		return;
	if (o->session != NULL)
		o->session->due_ts = 0;
	if (pid == 0)
		return;
	counters_find(counters, o->session);
	if (counters->locks == NULL) {
		/* The process runs another program, or its locks could not be read: try again, but rarely. */
		lock_past_break(o->locks);
		if (counters->runtime != NULL)
			counters->locks = locks_create(counters->runtime, NULL, pid, &counters->locks_why);
		else
			counters->locks_why = counters->why;
	}
	uint64_t pause = LOCKS_REFUSED_NS;
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const int error = counters->locks != NULL ? locks_look(counters->locks, now, &look) : 0;
	if (counters->locks != NULL)
		counters->locks_why = error == ENOSYS ? LOCKS_MUSL : variables_why(error);
	if (counters->locks != NULL && error == 0) {
		const bool waits =
		    lock_past_add(o->locks, &look, o->past != NULL ? system_past_latest(o->past) : NULL);
		const uint64_t least = lock_look_pause(now, o->options.many ? LOCKS_MANY_NS : LOCKS_NS);

		pause = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began - look.ends_ns) *
			(waits ? LOCKS_SHARE_BUSY : LOCKS_SHARE_IDLE);
		pause = pause < least ? least : pause;
		/* A process at rest is looked at as often as there is something to do for it: that is half of the cost. */
		o->session->due_ts = waits ? now + pause : 0;
		counters->locks_why = NULL;
		if (o->code.watch != NULL)
			code_watch_locks(o->code.watch, places, lock_past_places(o->locks, places));
	}
	counters->locks_ts = now + pause;
	process_name_locks(o, now, false);
}

void process_name_locks(struct observation *o, uint64_t now, bool wait)
{
	if (o->locks == NULL || o->options.many || o->advice == NULL)
		return;
	if (o->lock_names == NULL)
		o->lock_names = lock_names_create();
	if (o->lock_names != NULL)
		lock_names_turn(o->lock_names, o->session, now, wait, o->code.hz != 0, o->locks);
}

const char *observation_locks_why(const struct observation *o)
{
	if (o->locks == NULL)
		return "a file does not record them";
	if (lock_past_sums(o->locks).looks > 0)
		return NULL;
	return o->counters.locks_why != NULL ? o->counters.locks_why : "the process has just begun";
}

void observation_locks(const struct observation *o, struct lock_table *out)
{
	*out = (struct lock_table){.why = observation_locks_why(o)};
	if (out->why == NULL)
		lock_past_read(o->locks, 0, &out->window);
}

void process_ask(struct observation *o, uint64_t now, bool last)
{
	struct session *s = o->session;

	if (s->state != SESSION_LIVE || (!last && now - o->asked_ts < ASK_NS))
		return;
	enum tracing_state tracing = tracing_now(o);
	/* Check last: an answer counts only if the target still runs after it. */
	session_check(s);
	if (s->state != SESSION_LIVE)
		return;
	o->asked_ts = now;
	o->tracing = tracing;
	/* The program records, so its ring exists. */
	if (s->off && (tracing == TRACING_RUNNING || tracing == TRACING_PAUSED))
		s->looked_ts = 0;
	model_set_silent(o->model, observation_paused(o));
}

const char *observation_tracing_why(const struct observation *o)
{
	bool told = o->tracing == TRACING_RUNNING || o->tracing == TRACING_PAUSED;

	return told || o->asked.tracing == NULL ? NULL : tracing_reason(o->asked.tracing);
}

/* Read the settings of the runtime; NULL: they are not known. */
static const struct ocaml_settings *settings_read(struct observation *o)
{
	const struct minor_size *size = o->watch != NULL ? watch_minor_size(o->watch) : &o->minor_size;
	const struct ocaml_settings *settings =
	    session_system_settings(&o->system, o->session, minor_size_words(size), &o->counters.sample);

	if (settings != NULL)
		system_past_set_settings(o->past, settings);
	return settings;
}

bool process_sample(struct observation *o, uint64_t now, bool last)
{
	if (!last && o->options.many && now - o->sampled_ts < MANY_SAMPLE_NS)
		return false;
	struct system_sample *taken = session_system_read(&o->system, o->session, now, last);
	if (taken == NULL && !last)
		return false;
	if (taken != NULL) {
		o->sampled_ts = now;
		observation_count(o, now);
		if (o->counters.threads != NULL)
			runtime_threads_name(o->counters.threads, taken);
		if (o->system.other)
			system_past_break(o->past);
		system_past_add(o->past, taken);
	}
	const struct ocaml_settings *settings = settings_read(o);
	if (o->options.put != NULL && taken != NULL)
		system_note_write(taken, settings, o->options.put, o->options.put_ctx);
	/* A ring file has no process, but tells some settings itself, as of its last event. */
	if (o->options.put != NULL && last && o->session->pid == 0 && settings != NULL) {
		const struct model_totals t = model_totals(o->model);
		system_note_settings(settings, t.last_ts, o->options.put, o->options.put_ctx);
	}
	return taken != NULL;
}

void process_inquire(struct observation *o, uint64_t now, bool last)
{
	if (o->past == NULL)
		return;
	process_ask(o, now, last);
	bool sampled = process_sample(o, now, last);
	bool paused = observation_paused(o);
	/* A replay may begin anywhere: it is told again with each sample. */
	if (o->options.put != NULL && (paused != o->noted_paused || (paused && (sampled || last))))
		system_note_tracing(paused, now, o->options.put, o->options.put_ctx);
	o->noted_paused = paused;
}

void observation_sample(struct observation *o, uint64_t now)
{
	process_inquire(o, now, true);
}

void observation_memory(struct observation *o, uint64_t now, bool wait)
{
	struct system_memory memory;

	if (o->memory == NULL)
		o->memory = memory_reading_create();
	if (o->memory != NULL && o->past != NULL && o->session != NULL &&
	    memory_reading_turn(o->memory, o->session, now, wait, &memory))
		system_past_set_memory(o->past, &memory);
}

/* Sample the program that the process runs now, if it is another than before. */
static void code_follow(struct observation *o)
{
	struct observation_code *code = &o->code;
	const struct session *s = o->session;

	/* Its first turn tells a session which release it is, where it was not opened by a wait. */
	if (code->hz == 0 || (s->version.text[0] == '\0' && s->cursor != NULL && s->read_ts == 0) ||
	    !program_follow(&code->program, s))
		return;
	code_watch_stop(code->watch);
	if (code->program.pid == 0)
		return;
	code->refusal = (struct code_refusal){.error = 0};
	if (!code_watch_start(code->watch,
		&(struct profiler_options){.pid = code->program.pid, .version = &s->version, .hz = code->hz}))
		code->refusal = (struct code_refusal){.error = ENOMEM, .why = "out of memory"};
}

/* Take up the result of starting to sample.  If that failed for the first program, it is not tried again. */
static void code_begin(struct observation *o, bool wait)
{
	struct observation_code *code = &o->code;
	const bool begun = code_watch_begun(code->watch, wait, &code->refusal);

	if (code->asked && code->refusal.error != 0)
		code->hz = 0;
	code->asked = code->asked && !begun && code->hz != 0;
}

bool observation_sample_code(struct observation *o, unsigned hz, bool wait)
{
	struct observation_code *code = &o->code;

	if (code->watch != NULL)
		code_watch_stop(code->watch);
	code->refusal = (struct code_refusal){.error = 0};
	code->program = (struct program){0};
	code->hz = 0;
	if (hz == 0)
		return true;
	if (code->watch == NULL)
		code->watch = code_watch_create(o->model);
	if (code->watch == NULL) {
		code->refusal = (struct code_refusal){.error = ENOMEM, .why = "out of memory"};
		return false;
	}
	code->hz = hz;
	code_follow(o);
	code->asked = code->program.pid != 0;
	code_begin(o, wait);
	return code->refusal.error == 0;
}

/* Write the samples to the recording, if there is one and that is due. */
static void code_note(struct observation *o, uint64_t now, bool last)
{
	if (o->options.put == NULL || (!last && now - o->code.noted_ts < NOTE_NS))
		return;
	o->code.noted_ts = now;
	code_watch_note(o->code.watch, o->options.put, o->options.put_ctx);
}

void process_code_turn(struct observation *o, uint64_t now)
{
	if (o->code.watch == NULL)
		return;
	code_follow(o);
	/* Without events there are no pauses to wait for. */
	code_watch_turn(o->code.watch, o->session->cursor != NULL ? o->watermark : UINT64_MAX);
	code_begin(o, false);
	code_note(o, now, false);
}

void process_code_finish(struct observation *o)
{
	if (o->code.watch == NULL)
		return;
	code_watch_stop(o->code.watch);
	code_watch_turn(o->code.watch, UINT64_MAX);
	code_note(o, 0, true);
}

struct profile *observation_profile(const struct observation *o)
{
	return o->code.watch != NULL ? code_watch_profile(o->code.watch) : NULL;
}

const char *observation_names_left_out(const struct observation *o)
{
	struct code_watch_state state = {.names = NULL};

	if (o->code.watch != NULL)
		code_watch_state(o->code.watch, &state);
	return state.names;
}

/* ---- the end ---- */

void process_close(struct observation *o)
{
	session_system_fini(&o->system);
	counters_fini(&o->counters);
	o->counters.program = (struct program){0};
}

void process_fini(struct observation *o)
{
	process_close(o);
	process_ask_no_more(o);
	memory_reading_destroy(o->memory);
	lock_names_destroy(o->lock_names);
	code_watch_destroy(o->code.watch);
}
