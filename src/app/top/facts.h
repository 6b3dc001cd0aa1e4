/*
 * facts.h - gather what the live view shows of a target besides its events, into a struct subject before
 * each redraw.
 */
#pragma once

#include "session/session.h"
#include "observation/observation.h"
#include "ui/subject.h"

#define FACTS_OUTPUT 65536 /* bytes kept of the output of a COMMAND */

struct facts {
	struct subject subject;
	char clock[16];
	char notice[512];
	uint64_t notice_until;
	uint64_t *unread;
	unsigned unread_count;

	/* events at the last check, and the processor time then: later time was used without events */
	uint64_t events;
	uint64_t cpu_ns;
	bool has_cpu;

	char output[FACTS_OUTPUT];
	size_t output_len;

	struct subject_code code;
	bool code_refused; /* the refusal was shown */
	bool code_asked;   /* sampling was requested, and its start is not shown yet */

	struct subject_process *processes; /* of the overview */
	size_t process_room;
};

void facts_init(struct facts *f);
void facts_fini(struct facts *f);

/* Reset, for another target. */
void facts_reset(struct facts *f);

/* Update the subject.  `session` is NULL while no target is open, `o` while nothing is observed. */
void facts_gather(struct facts *f, struct session *session, const struct observation *o);

/* Read the output of the COMMAND, at most FACTS_OUTPUT bytes at a time: endless output must not delay keys
 * and rings. */
void facts_take_output(struct facts *f, struct child *child);

/* Return whether a notice is shown. */
bool facts_has_notice(const struct facts *f, uint64_t now);

/* Show a notice for a few seconds. */
__attribute__((format(printf, 2, 3))) void facts_notice(struct facts *f, const char *format, ...);
