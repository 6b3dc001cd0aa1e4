/*
 * list.c - rtevtop list: print the processes that have a ring, or could have one.
 */
#include <string.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "session/guard.h"
#include "print/out.h"
#include "session/signals.h"
#include "target/process_detail.h"
#include "target/processes.h"
#include "target/shortage.h"

/* Print a member whose value is a text, null if it is empty. */
static void json_text(struct out *out, const char *member, const char *text)
{
	out_format(out, ",\"%s\":", member);
	if (text[0] != '\0')
		out_json_string(out, text, strlen(text));
	else
		out_text(out, "null");
}

/* Print a member whose value is a number, null if it is unknown. */
static void json_number(struct out *out, const char *member, bool known, uint64_t value)
{
	out_format(out, ",\"%s\":", member);
	if (known)
		out_unsigned(out, value);
	else
		out_text(out, "null");
}

/* Print what is told of a process besides its ring. */
static void json_detail(struct out *out, const struct process_entry *e)
{
	struct process_detail detail;
	const char *remedy = process_remedy(e->state);
	double began;

	process_detail_read(&detail, NULL, e->pid);
	json_number(out, "ppid", detail.parent > 0, (uint64_t)detail.parent);
	json_text(out, "command", detail.command);
	if (process_began(detail.start_ticks, &began))
		out_format(out, ",\"start_s\":%.2f", began);
	else
		out_text(out, ",\"start_s\":null");
	json_text(out, "remedy", remedy != NULL ? remedy : "");
}

static void print_json(struct out *out, const struct process_entry *e)
{
	out_text(out, "{\"pid\":");
	out_signed(out, e->pid);
	json_text(out, "name", e->name);
	json_text(out, "user", e->user);
	json_text(out, "ocaml", e->version.text);
	json_text(out, "ocaml_from", version_origin_name(e->version.origin));
	json_text(out, "state", process_state_name(e->state));
	json_number(out, "domains", e->has_ring, e->domains);
	json_number(out, "ring_words", e->has_ring, e->ring_words);
	json_text(out, "path", e->path);
	json_detail(out, e);
	out_text(out, "}\n");
}

static void print_text(struct out *out, const struct process_entry *e)
{
	char version[64];

	strlcpy(version, e->version.text[0] != '\0' ? e->version.text : "?", sizeof(version));
	if (e->version.text[0] != '\0') {
		strlcat(version, " ", sizeof(version));
		strlcat(version, version_origin_name(e->version.origin), sizeof(version));
	}
	out_format(out, "%7ld  %-16s %-13s ", (long)e->pid, version, process_state_name(e->state));
	if (e->has_ring)
		out_format(out, "%7u %9llu  ", e->domains, (unsigned long long)e->ring_words);
	else
		out_format(out, "%7s %9s  ", "-", "-");
	out_foreign(out, e->name, strlen(e->name));
	out_text(out, "  ");
	if (e->state == PROCESS_INACCESSIBLE) {
		out_text(out, "(of user ");
		out_foreign(out, e->user, strlen(e->user));
		out_text(out, ") ");
	}
	if (e->state == PROCESS_UNREADABLE)
		out_format(out, "(%s) ", rtev_strerror(e->ring_status));
	out_foreign(out, e->path, strlen(e->path));
	out_char(out, '\n');
}

/* If no ring was found, report how many processes could not be examined. */
static void tell_hidden(const struct processes *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].has_ring)
			return;
	if (list->hidden != 0)
		fail_message(geteuid() == 0 ? "rtevtop needs the capability SYS_PTRACE for this"
					    : "run rtevtop as root",
		    "%u process%s of other users could not be looked into", list->hidden,
		    list->hidden == 1 ? "" : "es");
}

static int run(const struct options *options)
{
	static struct out out;
	struct processes *list;
	const struct processes_options processes_options = {.guard = guard_cursor};

	/* There is nothing to clean up. */
	signals_let_end();
	int error = processes_create(&list, &processes_options);
	if (error != 0) {
		fail_message(shortage_remedy(error, "rtevtop needs /proc."), "could not list processes: %s",
		    shortage_why(error));
		return EXIT_FAILED;
	}
	fail_output_begin(&out, STDOUT_FILENO, NULL);
	if (!options->json)
		out_format(&out, "%7s  %-16s %-13s %7s %9s  %s\n", "PID", "OCAML", "STATE", "DOMAINS",
		    "WORDS", "PROGRAM");
	for (size_t i = 0; i < list->count; i++) {
		if (options->json)
			print_json(&out, &list->entries[i]);
		else
			print_text(&out, &list->entries[i]);
	}
	int status = fail_output(out_flush(&out), "the list");
	if (list->short_of != 0) {
		fail_message(shortage_remedy(list->short_of, NULL), "the list is incomplete: %s",
		    shortage_why(list->short_of));
		status = EXIT_FAILED;
	}
	tell_hidden(list);
	processes_destroy(list);
	return status;
}

const struct command command_list = {
    .name = "list",
    .synopsis = "[--json]",
    .purpose = "processes that have a ring, or could have one",
    .about = "A process that is \"not started\" is one of OCaml 5 that runs without "
	     "OCAML_RUNTIME_EVENTS_START=1.",
    .example = "rtevtop list",
    .effect =
	"a line for each process: PID, OCaml release, state, domains, words of a ring, path of the program",
    .options = OPT(json),
    .run = run,
};
