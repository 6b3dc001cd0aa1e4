/*
 * facts.h - gather what the live view shows of a target besides its events: the struct subject, filled in before each redraw.
 */
#ifndef APP_TOP_FACTS_H
#define APP_TOP_FACTS_H

#include "session/session.h"
#include "fleet/fleet.h"
#include "target/memory.h"
#include "session/session_tracing.h"
#include "ui/subject.h"

#define FACTS_OUTPUT 65536 /* bytes kept of what a COMMAND prints */

struct facts {
	struct subject subject;
	char clock[16];
	char notice[512];
	uint64_t notice_until;
	uint64_t *unread;
	unsigned unread_count;

	struct session_tracing tracing;

	uint64_t
	    events; /* when last looked, and the processor time then: what was used since is that of the quiet */
	uint64_t cpu_ns;
	bool has_cpu;

	struct memory memory;
	bool has_memory;
	uint64_t memory_ts;
	uint64_t memory_seen
	    [3]; /* what the latest sample told then: resident bytes, and page faults of both kinds */

	char output[FACTS_OUTPUT];
	size_t output_len;

	struct subject_process *processes; /* of the overview */
	size_t process_room;
};

void facts_init(struct facts *f);
void facts_fini(struct facts *f);

/* Begin anew with another target. */
void facts_reset(struct facts *f);

/* Bring the subject up to date.  `session` is NULL while choosing. */
void facts_gather(struct facts *f, struct session *session, struct watch *watch);

/* Take what the COMMAND has printed meanwhile, FACTS_OUTPUT bytes at most: keys and rings must not wait for one that never stops. */
void facts_take_output(struct facts *f, struct child *child);

/* Show the processes of a fleet, which they belong to. */
void facts_overview(struct facts *f, const struct fleet *fleet);

/* Whether such a line is shown. */
bool facts_has_notice(const struct facts *f, uint64_t now);

/* Show a line for a few seconds. */
__attribute__((format(printf, 2, 3))) void facts_notice(struct facts *f, const char *format, ...);

#endif
