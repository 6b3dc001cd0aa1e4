/*
 * session_system.c - see session_system.h.
 */
#include "session/session_system.h"

void session_system_fini(struct session_system *system)
{
	sampler_destroy(system->sampler);
	*system = (struct session_system){0};
}

const struct system_sample *session_system_read(
    struct session_system *system, const struct session *s, uint64_t now, bool last)
{
	pid_t pid = s->state == SESSION_LIVE && s->alive != NULL ? alive_pid(s->alive) : 0;

	if (pid == 0)
		return NULL;
	if (pid != system->pid) {
		session_system_fini(system);
		system->pid = pid;
		system->sampler = sampler_create(&(struct sampler_options){.pid = pid});
		system->other = true;
	} else {
		system->other = false;
	}
	if (system->sampler == NULL || (!last && !sampler_due(system->sampler, now)))
		return NULL;
	return sampler_take(system->sampler, now);
}
