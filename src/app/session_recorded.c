/*
 * session_recorded.c - a session as the source of a recording.
 */
#include "app/session_recorded.h"

/* Describe the target as it is now. */
static void target(void *ctx, struct recording_target *out)
{
	const struct session *s = ctx;

	*out = (struct recording_target){.pid = s->pid,
	    .name = s->name,
	    .ocaml = session_version(s),
	    .ocaml_from = version_origin_name(s->version.origin),
	    .live = s->state == SESSION_LIVE};
}

struct recording_source session_recorded(struct session *s)
{
	return (struct recording_source){.target = target, .ctx = s};
}
