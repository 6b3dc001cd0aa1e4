/*
 * explain.c - describe why no ring was found.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/locate.h"
#include "target/shortage.h"

/* Output buffers. */
struct words_out {
	char *message;
	size_t message_size;
	char *remedy;
	size_t remedy_size;
};

/* Format "4242 (name)", or only the pid. */
static void describe(const struct located *located, char *buf, size_t size)
{
	if (located->name[0] == '\0')
		snprintf(buf, size, "%ld", (long)located->pid);
	else
		snprintf(buf, size, "%ld (%s)", (long)located->pid, located->name);
}

/* A file or process of another user. */
static void explain_denied(const struct located *located, const char *who, const struct words_out *to)
{
	char user[PROC_USER_SIZE];
	bool ring = located->status == LOCATE_RING_DENIED;

	proc_user(located->uid, user);
	if (located->has_uid && located->uid != geteuid()) {
		if (ring)
			snprintf(to->message, to->message_size,
			    "cannot open %s: it belongs to user %s, who alone may read it", located->path,
			    user);
		else
			snprintf(to->message, to->message_size,
			    "cannot look into process %s: it belongs to user %s", who, user);
		if (located->uid == 0)
			snprintf(to->remedy, to->remedy_size, "run rtevtop as root");
		else
			snprintf(to->remedy, to->remedy_size, "run rtevtop as %s or as root", user);
	} else {
		if (ring)
			snprintf(to->message, to->message_size, "cannot open %s: permission denied",
			    located->path);
		else
			snprintf(to->message, to->message_size,
			    "cannot look into process %s: it is protected from other processes", who);
		if (geteuid() == 0)
			snprintf(
			    to->remedy, to->remedy_size, "rtevtop needs the capability SYS_PTRACE for this");
		else
			snprintf(to->remedy, to->remedy_size, "run rtevtop as root");
	}
}

/* A ring that root could read, but not the user of the process that names it. */
static void explain_withheld(const struct located *located, const char *who, const struct words_out *to)
{
	snprintf(to->message, to->message_size,
	    "cannot open %s: process %s names it as its ring, and that process's user may not read it",
	    located->path, who);
	snprintf(to->remedy, to->remedy_size, "if it is the ring that is meant, give the file: rtevtop %s",
	    located->path);
}

/* A process without a ring. */
static void explain_no_ring(const struct located *located, const char *who, const struct words_out *to)
{
	const char *text = located->version.text;

	snprintf(to->message, to->message_size, "cannot attach to %s: this OCaml %s process has no ring", who,
	    text[0] == '\0' ? "5" : text);
	snprintf(to->remedy, to->remedy_size,
	    "start it with OCAML_RUNTIME_EVENTS_START=1, or have it call Runtime_events.start ()");
}

void locate_explain(
    const struct located *located, char *message, size_t message_size, char *remedy, size_t remedy_size)
{
	const struct words_out to = {message, message_size, remedy, remedy_size};
	char who[STATUS_PROGRAM_SIZE + 32];

	describe(located, who, sizeof who);
	message[0] = remedy[0] = '\0';
	switch (located->status) {
	case LOCATE_OK:
		snprintf(message, message_size, "found %s", located->path);
		break;
	case LOCATE_NO_PROCESS:
		snprintf(message, message_size, "cannot attach to %s: no such process", who);
		snprintf(remedy, remedy_size, "`rtevtop list` shows the processes that have a ring");
		break;
	case LOCATE_ENDED:
		snprintf(message, message_size, "cannot attach to %s: it has just ended", who);
		break;
	case LOCATE_NOT_OCAML:
		snprintf(message, message_size,
		    "cannot attach to %s: not an OCaml 5 process (it maps no ring and its program has no "
		    "such "
		    "runtime)",
		    who);
		snprintf(remedy, remedy_size, "`rtevtop list` shows the OCaml 5 processes");
		break;
	case LOCATE_NO_RING:
		explain_no_ring(located, who, &to);
		break;
	case LOCATE_RING_WITHHELD:
		explain_withheld(located, who, &to);
		break;
	case LOCATE_RING_DENIED:
	case LOCATE_PROCESS_DENIED:
		explain_denied(located, who, &to);
		break;
	case LOCATE_STALE:
		snprintf(message, message_size, "cannot attach to %s: no such process, but it left %s", who,
		    located->path);
		snprintf(remedy, remedy_size, "see what is in the file with: rtevtop %s", located->path);
		break;
	case LOCATE_NOT_REGULAR:
		snprintf(message, message_size, "cannot open %s: not a regular file", located->path);
		break;
	case LOCATE_ELSEWHERE:
		snprintf(message, message_size,
		    "cannot attach to %s: its ring is %s, not in the directory given", who, located->shown);
		snprintf(remedy, remedy_size, "`rtevtop %ld` finds it", (long)located->pid);
		break;
	case LOCATE_DELETED:
		snprintf(message, message_size, "cannot attach to %s: its ring %s was deleted", who,
		    located->shown);
		snprintf(remedy, remedy_size,
		    "run rtevtop as root: it can open the ring through the process's memory map");
		break;
	case LOCATE_FAILED:
		snprintf(message, message_size, "cannot open %s: %s",
		    located->path[0] == '\0' ? who : located->path, shortage_why(located->error));
		snprintf(remedy, remedy_size, "%s", shortage_remedy(located->error, ""));
		break;
	}
}
