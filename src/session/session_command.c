/* session_command.c - follow a COMMAND besides its ring: other programs that it starts, and its end. */
#include "session/session_private.h"

#include <signal.h>
#include <unistd.h>

#include "core/clock.h"
#include "launch/signals.h"

/* messages about further programs of COMMAND, at most */
#define OTHERS_TOLD 8

#define LOOK_NS 200000000u /* between two checks for its end without a pidfd */

/* Report an OCaml program that COMMAND started and that is not followed. */
static void tell_other(struct session *s, bool runs)
{
	char remedy[64];

	if (s->others > OTHERS_TOLD)
		return;
	snprintf(remedy, sizeof(remedy), "`rtevtop %lld` watches it.", (long long)s->other_pid);
	report_message(s->options.report, runs ? remedy : NULL,
	    "%s also started OCaml program %lld (%s), which is not followed", s->child.name,
	    (long long)s->other_pid, s->other_name);
}

void session_command_others(struct session *s)
{
	struct child_ring ring;
	int fd;

	while ((fd = child_find_ring(&s->child, &ring)) >= 0) {
		struct alive *alive = NULL;

		close(fd);
		child_took_ring(&s->child, &ring);
		/* The demo forks now and then to show lifecycle events. */
		if (s->options.command.ours_variable != NULL)
			continue;
		bool runs = alive_create(&alive, NULL, (pid_t)ring.pid, 0) == 0;
		s->others++;
		s->other_pid = ring.pid;
		strlcpy(s->other_name, runs ? alive_names(alive)->name : "ended", sizeof(s->other_name));
		alive_destroy(alive);
		tell_other(s, runs);
	}
}

void session_command_elsewhere(struct session *s)
{
	char dir[1024];

	if (s->elsewhere || !child_other_dir(&s->child, dir, sizeof(dir)))
		return;
	s->elsewhere = true;
	report_message(s->options.report,
	    "Set it for rtevtop instead: OCAML_RUNTIME_EVENTS_DIR=DIR rtevtop -- COMMAND.",
	    "%s set OCAML_RUNTIME_EVENTS_DIR to %s itself, so its ring is not found", s->child.name, dir);
}

void session_command_wait(struct session *s)
{
	unsigned seen = signals_stops();
	char dropped[65536];

	if (s->options.command.ours_variable != NULL)
		kill(s->child.pid, SIGTERM);
	while (!child_poll(&s->child) && (s->command_until == 0 || monotonic_now() < s->command_until)) {
		struct pollfd fds[2] = {
		    {.fd = s->child.pidfd, .events = POLLIN}, {.fd = s->child.output, .events = POLLIN}};
		signals_wait(fds, 2, LOOK_NS);
		/* Read and discard its output: COMMAND must not block on a full pipe. */
		child_take_output(&s->child, dropped, sizeof(dropped));
		if (signals_stops() != seen) {
			seen = signals_stops();
			kill(s->child.pid, SIGTERM);
		}
	}
}
