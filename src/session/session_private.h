/*
 * session_private.h - the inside of a session: session.c opens and closes it, and follows its process;
 * session_read.c reads its rings; session_command.c has what concerns a COMMAND alone.
 */
#pragma once

#include "session/session.h"

/* Words that a scan or a poll of one turn examines: a few milliseconds of work, whatever they hold. */
#define TURN_WORDS (UINT64_C(1) << 19)

/* Between two turns of a session that is off, and of one whose ring is waited for: at first, while a program starts
 * that may make it at once, and later. */
#define OFF_TURN_NS 200000000u
#define WAIT_TURN_NS 5000000u
#define WAIT_LATE_TURN_NS 50000000u
#define WAIT_LATE_NS 5000000000u

/* ---- session.c ---- */

/* Open the ring of COMMAND if it has appeared. */
void session_command_attach(struct session *s);

/* Open the ring of the TARGET if it has appeared; end the session, after reporting why, if that is no longer to
 * be waited for. */
void session_wait_attach(struct session *s);

/* Open the ring of a TARGET that had none if it has appeared and it is time to look. */
void session_off_turn(struct session *s, uint64_t now);

/* After an exec: let go of a ring that the new program does not have. */
void session_exec_turn(struct session *s, const struct session_sink *sink, uint64_t now);

/* Replace the cursor after the runtime has laid out the ring file anew. */
void session_reopen(struct session *s, const struct session_sink *sink);

/* Decide anew which release wrote the ring, and tell the cursor. */
void session_version_update(struct session *s, const struct rtev_scan *scan);

/* ---- session_command.c ---- */

/* Find and report OCaml programs that COMMAND has started since the last check. */
void session_command_others(struct session *s);

/* Report once that COMMAND has its ring elsewhere, where nobody may be meant to look. */
void session_command_elsewhere(struct session *s);

/* Wait for COMMAND, as long as the caller wishes.  Signals that ask us to stop are passed on as SIGTERM; a COMMAND of ours gets
 * SIGTERM at once. */
void session_command_wait(struct session *s);

/* ---- session_read.c ---- */

/* Have the reader give the cursor back.  No effect while it does not have it. */
void session_take_back(struct session *s);
