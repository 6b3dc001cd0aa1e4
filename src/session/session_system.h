/*
 * session_system.h - periodic samples of the target's process.
 */
#ifndef SESSION_SESSION_SYSTEM_H
#define SESSION_SESSION_SYSTEM_H

#include "session/session.h"
#include "target/events_paused.h"
#include "target/ocaml_settings.h"
#include "target/sampler.h"

/* All zero: nothing sampled yet. */
struct session_system {
	struct sampler *sampler; /* NULL: none */
	pid_t pid;
	bool other;		     /* the last sample is the first of this process */
	struct ocaml_reader *reader; /* of the current program; NULL: none yet */
	pid_t reader_pid;
	unsigned execs;
	struct ocaml_settings settings; /* as last read */
	bool has_settings;
};

void session_system_fini(struct session_system *system);

/* Take a sample if one is due and the target runs.  With `last`, at the end of an observation, also if none
 * is due.  Returns NULL if there is none; the sample is valid until the next call. */
const struct system_sample *session_system_read(
    struct session_system *system, const struct session *s, uint64_t now, bool last);

/* Read the settings of the target's runtime; `minor_words` is that of struct ocaml_evidence.  Returns the
 * last ones read for a target that has ended, those in the file for a ring file, NULL if none were ever
 * read. */
const struct ocaml_settings *session_system_settings(
    struct session_system *system, const struct session *s, uint64_t minor_words);

/* ---- session tracing ---- */

/* All zero: not asked yet. */
struct session_tracing {
	struct tracing *tracing; /* of the program that the process runs; NULL: can't be asked */
	pid_t pid;
	unsigned execs;
};

void session_tracing_fini(struct session_tracing *t);

/* Ask now.  Returns TRACING_UNKNOWN for a target that has ended. */
enum tracing_state session_tracing_read(struct session_tracing *t, const struct session *s);

#endif
