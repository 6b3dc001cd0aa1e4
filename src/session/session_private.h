/*
 * session_private.h - within the room: session.c opens and closes a session and follows its process;
 * session_read.c reads its rings; session_command.c follows a COMMAND.
 */
#pragma once

#include "session/session.h"

/* Words that a scan or a poll examines in one turn: a few milliseconds of work, whatever they hold. */
#define TURN_WORDS (UINT64_C(1) << 19)

/* Time between two turns of a session that is off, and of one that waits for a ring: shorter at first, while
 * the program starts. */
#define OFF_TURN_NS 200000000u
#define WAIT_TURN_NS 5000000u
#define WAIT_LATE_TURN_NS 50000000u
#define WAIT_LATE_NS 5000000000u

/* ---- session.c ---- */

/* Open the ring of COMMAND if it has appeared. */
void session_command_attach(struct session *s);

/* Open the ring of the TARGET if it has appeared.  When the wait is over, report why and end the session. */
void session_wait_attach(struct session *s);

/* When it is time, search for the ring of a TARGET that had none, and open it. */
void session_off_turn(struct session *s, uint64_t now);

/* After an exec, close the ring if the new program does not have it. */
void session_exec_turn(struct session *s, const struct session_sink *sink, uint64_t now);

/* Replace the cursor after the runtime has laid out the ring file anew. */
void session_reopen(struct session *s, const struct session_sink *sink);

/* Decide again which release wrote the ring, and tell the cursor. */
void session_version_update(struct session *s, const struct rtev_scan *scan);

/* ---- session_command.c ---- */

/* Find and report OCaml programs that COMMAND has started since the last check. */
void session_command_others(struct session *s);

/* Report once that COMMAND has its ring in another directory. */
void session_command_elsewhere(struct session *s);

/* Wait for COMMAND, as long as the caller wishes.  Signals that ask us to stop are passed on as SIGTERM; the
 * demo gets SIGTERM at once. */
void session_command_wait(struct session *s);

/* ---- session_read.c ---- */

/* Take the cursor back from the reader, if the reader has it. */
void session_take_back(struct session *s);
