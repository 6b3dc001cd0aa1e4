/*
 * session_system.h - samples of the process of a session, taken again and again.
 */
#ifndef SESSION_SESSION_SYSTEM_H
#define SESSION_SESSION_SYSTEM_H

#include "session/session.h"
#include "target/ocaml_settings.h"
#include "target/sampler.h"

/* Zeroed, it has sampled nobody yet. */
struct session_system {
	struct sampler *sampler; /* of the process; NULL: there is none */
	pid_t pid;
	bool other;		     /* the last sample is the first of this process */
	struct ocaml_reader *reader; /* of the program that it runs; NULL: none yet */
	pid_t reader_pid;
	unsigned execs;
	struct ocaml_settings settings; /* as last read */
	bool has_settings;
};

void session_system_fini(struct session_system *system);

/* Take a sample, if it is time for one and the target runs; else NULL.  With `last` also when it is not time yet: of an observation that
 * ends.  Valid until the next one. */
const struct system_sample *session_system_read(
    struct session_system *system, const struct session *s, uint64_t now, bool last);

/* Read the settings of the target's runtime; `minor_words` as in struct ocaml_evidence.  Of one that has ended, what was read last; of a
 * ring file, what it tells itself.  NULL: never
 * read. */
const struct ocaml_settings *session_system_settings(
    struct session_system *system, const struct session *s, uint64_t minor_words);

#endif
