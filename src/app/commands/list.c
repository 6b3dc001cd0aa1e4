/*
 * list.c - rtevtop list: print the processes that have a ring, or could have one.
 */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "session/guard.h"
#include "print/json.h"
#include "print/number.h"
#include "launch/signals.h"
#include "core/clock.h"
#include "target/roster.h"
#include "target/runtime.h"
#include "target/shortage.h"

/* Print the text of a member, null if it is empty. */
static void put_known(struct json *j, const char *name, const char *text)
{
	json_put_text(j, name, text[0] != '\0' ? text : NULL);
}

static void print_json(struct json *j, const struct process_entry *e)
{
	struct process_detail detail;
	const char *remedy = process_remedy(e->state);
	double began;

	process_detail_read(&detail, NULL, e->pid);
	json_begin_object(j, NULL);
	json_put_signed(j, "pid", e->pid);
	put_known(j, "name", e->name);
	put_known(j, "user", e->user);
	put_known(j, "ocaml", e->version.text);
	put_known(j, "ocaml_from", runtime_ocaml_from_now(e->pid, &e->version));
	put_known(j, "state", process_state_name(e->state));
	json_put_fixed(j, "domains", e->has_domains ? e->domains : (double)NAN, 0);
	json_put_fixed(j, "ring_words", e->has_ring ? (double)e->ring_words : (double)NAN, 0);
	put_known(j, "path", e->path);
	json_put_fixed(j, "ppid", detail.parent > 0 ? (double)detail.parent : (double)NAN, 0);
	put_known(j, "command", detail.command);
	json_put_fixed(j, "start_s", process_began(detail.start_ticks, &began) ? began : (double)NAN, 2);
	put_known(j, "remedy", remedy != NULL ? remedy : "");
	put_known(j, "events",
	    e->state == PROCESS_NO_EVENTS ? "off"
	    : e->state == PROCESS_PAUSED  ? "paused"
	    : e->state == PROCESS_LIVE	  ? "on"
					  : "");
	json_end(j);
}

static const struct table_column columns[] = {
    {"PID", 7}, {" OCAML", -17}, {"STATE", -13}, {"DOMAINS", 7}, {"WORDS", 9}, {" PROGRAM", 0}, {NULL, 0}};

static void print_text(struct out *out, const struct process_entry *e)
{
	char version[sizeof(e->version.text) + 32] = " ?";

	if (e->version.text[0] != '\0')
		snprintf(version, sizeof(version), " %s %s", e->version.text,
		    runtime_ocaml_from_now(e->pid, &e->version));
	table_cells(out, columns,
	    (const char *const[]){format_said("%ld", (long)e->pid).s, version, process_state_name(e->state),
		format_if(e->has_domains, format_said("%u", e->domains)).s,
		format_if(e->has_ring, format_said("%" PRIu64, e->ring_words)).s, ""});
	const bool closed = e->state == PROCESS_INACCESSIBLE, unread = e->state == PROCESS_UNREADABLE;
	out_line(out, " %s  %s%s%s%s", e->name,
	    closed   ? "(of user "
	    : unread ? "("
		     : "",
	    closed   ? e->user
	    : unread ? rtev_strerror(e->ring_status)
		     : "",
	    closed || unread ? ") " : "", e->path);
}

/* If no ring was found, report how many processes could not be examined. */
static void tell_hidden(const struct roster *roster)
{
	for (size_t i = 0; i < roster_count(roster); i++)
		if (roster_entry(roster, i)->process.has_ring)
			return;
	unsigned hidden = processes_hidden(NULL);
	if (hidden != 0)
		say(geteuid() == 0 ? "rtevtop needs the capability SYS_PTRACE for this"
				   : "run rtevtop as root",
		    "%u process%s of other users could not be looked into", hidden, hidden == 1 ? "" : "es");
}

static int run(const struct options *options)
{
	static struct out out;
	struct json json = {.out = &out};
	struct roster *roster = NULL;
	const struct processes_options processes_options = {.guard = guard_cursor, .once = true};

	/* A signal may end the process at once, because there is nothing to clean up. */
	signals_let_end();
	int error = shortage_now();
	if (error == 0)
		error = roster_create(&roster, &processes_options);
	if (error == 0)
		error = roster_refresh(roster, monotonic_now());
	if (error != 0) {
		roster_destroy(roster);
		return say(shortage_remedy(error, "rtevtop needs /proc."), "could not list processes: %s",
		    shortage_why(error));
	}
	fail_output_begin(&out, STDOUT_FILENO, NULL);
	if (!options->json)
		table_head(&out, columns);
	for (size_t i = 0; i < roster_count(roster); i++) {
		if (options->json)
			print_json(&json, &roster_entry(roster, i)->process);
		else
			print_text(&out, &roster_entry(roster, i)->process);
	}
	int status = fail_output(out_flush(&out), "the list");
	/* After reads that failed for lack of resources, an empty list shows nothing. */
	error = shortage_now();
	error = error != 0 ? error : roster_short_of(roster);
	if (error != 0)
		status = say(shortage_remedy(error, NULL), "the list is incomplete: %s", shortage_why(error));
	tell_hidden(roster);
	roster_destroy(roster);
	return status;
}

const struct command command_list = {
    .name = "list",
    .synopsis = "[--json]",
    .purpose = "processes that run OCaml 5, with events or without",
    .about = "A process with \"no events\" runs OCaml 5, and its runtime events are off.",
    .example = "rtevtop list",
    .effect = "prints a line for each process: PID, OCaml release, state, domains, words of a ring, path of "
	      "the program",
    .options = OPT(json),
    .run = run,
};
