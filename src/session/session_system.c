/*
 * session_system.c - sample the process of a session.
 */
#include "session/session_system.h"

/* The pid of the target while it runs, else 0. */
static pid_t running(const struct session *s)
{
	return s->state == SESSION_LIVE && s->alive != NULL ? alive_pid(s->alive) : 0;
}

void session_system_fini(struct session_system *system)
{
	sampler_destroy(system->sampler);
	ocaml_reader_destroy(system->reader);
	*system = (struct session_system){0};
}

const struct system_sample *session_system_read(
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

const struct ocaml_settings *session_system_settings(
    struct session_system *system, const struct session *s, uint64_t minor_words)
{
	struct ocaml_evidence evidence = {.minor_words = minor_words};
	pid_t pid = running(s);

	if (pid != 0 && (pid != system->reader_pid || s->execs != system->execs)) {
		ocaml_reader_destroy(system->reader);
		system->reader = ocaml_reader_create(NULL, pid);
		system->reader_pid = pid;
		system->execs = s->execs;
	}
	if (pid != 0 && system->reader != NULL) {
		if (s->cursor != NULL) {
			evidence.ring_words = s->info.ring_words;
			evidence.max_domains = s->info.max_domains;
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

/* ---- session tracing ---- */

void session_tracing_fini(struct session_tracing *t)
{
	tracing_destroy(t->tracing);
	*t = (struct session_tracing){0};
}

enum tracing_state session_tracing_read(struct session_tracing *t, const struct session *s)
{
	pid_t pid = s->state == SESSION_LIVE && s->alive != NULL ? alive_pid(s->alive) : 0;

	if (pid != t->pid || s->execs != t->execs) {
		session_tracing_fini(t);
		*t = (struct session_tracing){
		    .tracing = pid != 0 ? tracing_create(NULL, pid) : NULL, .pid = pid, .execs = s->execs};
	}
	return t->tracing != NULL ? tracing_read(t->tracing) : TRACING_UNKNOWN;
}
