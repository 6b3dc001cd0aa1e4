/*
 * help.c - rtevtop help, and --help: the overview, and a page for each subcommand, printed from the tables of
 * subcommands and of options.
 */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "record/flight.h"
#include "rtev/rtev.h"

#define OPTION_COLUMN 27 /* where the text of an option begins */
#define NAME_COLUMN 14	 /* where the text of a subcommand begins in the overview */

#define NS_PER_S 1000000000u

static const char target_text[] =
    "TARGET is a PID, the NAME of an OCaml process, DIR:PID, a ring file (FILE.events), a recording "
    "(FILE.fxt: live view and stats), or -- COMMAND [ARG]...";
static const char status_text[] = "0 done, 1 failed, 2 wrong usage";

/* Print a paragraph and an empty line. */
static void put_paragraph(struct out *out, const char *text)
{
	table_wrap(out, text, 0, 0);
	out_char(out, '\n');
}

static void put_overview(struct out *out)
{
	const struct command *command;

	out_format(out, "rtevtop %s - top for the OCaml 5 runtime\n\n", rtev_version());
	out_format(out, "Usage:\n  rtevtop %s\n      %s\n  rtevtop COMMAND ...\n", command_at(0)->synopsis,
	    command_at(0)->purpose);
	for (size_t c = 1; (command = command_at(c)) != NULL; c++)
		out_format(out, "    %-*s%s\n", NAME_COLUMN - 4, command->name, command->purpose);
	out_char(out, '\n');
	put_paragraph(out, target_text);
	table_wrap(out,
	    "`rtevtop help COMMAND` lists its options, `rtevtop help " COMMAND_NAME_TOP
	    "` those of the live view.  `rtevtop --demo` shows a made-up service.",
	    0, 0);
	out_format(out, "Exit status: %s; with -- COMMAND, COMMAND's own.\n", status_text);
}

static void put_option(struct out *out, const struct command *command, enum option_number number)
{
	const struct option_row *row = &option_table[number];
	const char *name = option_name(number);
	char left[64], help[256];

	if (row->letter != 0)
		snprintf(left, sizeof(left), "  -%c, --%s%s%s", row->letter, name,
		    row->value != NULL ? " " : "", row->value != NULL ? row->value : "");
	else
		snprintf(left, sizeof(left), "      --%s%s%s", name,
		    row->value != NULL && row->value[0] != '[' ? " " : "",
		    row->value != NULL ? row->value : "");
	snprintf(help, sizeof(help), "%s%s", option_help(command, number),
	    option_taken(command, number) ? "" : " (with --demo)");
	table_cell(out, -(OPTION_COLUMN - 1), left);
	out_char(out, ' ');
	table_wrap(
	    out, help, (int)(strlen(left) < OPTION_COLUMN ? OPTION_COLUMN : strlen(left) + 1), OPTION_COLUMN);
}

/* Print how -o names files, for a subcommand that takes it. */
static void put_files(struct out *out, const struct command *command)
{
	char text[512];

	if (!option_taken(command, OPTION_output) || command->own_output)
		return;
	put_paragraph(out, "The FILE of -o may contain %p (pid), %t (time), %n (number) or %%.");
	snprintf(text, sizeof(text),
	    "Files %sfor --on-pause are new, in the working directory or in that of -o.  A file for "
	    "--on-pause "
	    "begins %u s before the pause and ends %u s after it; within %u s only a longer pause gets "
	    "another one, and others are counted.",
	    command->records ? "" : "for the key r and ", (unsigned)(FLIGHT_BEFORE_NS / NS_PER_S),
	    (unsigned)(FLIGHT_AFTER_NS / NS_PER_S), (unsigned)(FLIGHT_RATE_NS / NS_PER_S));
	put_paragraph(out, text);
}

static void put_command(struct out *out, const struct command *command)
{
	char usage[256], title[256];
	const char *name = command->name != NULL ? command->name : "";
	const char *between = command->name != NULL ? " " : "";

	snprintf(title, sizeof(title), "rtevtop%s%s - %s", between, name, command->purpose);
	put_paragraph(out, title);
	snprintf(usage, sizeof(usage), "rtevtop%s%s %s", between, name, command->synopsis);
	out_text(out, "Usage: ");
	table_wrap(out, usage, 7, 9);
	out_char(out, '\n');
	if (command->about != NULL)
		put_paragraph(out, command->about);
	out_format(out, "Options:\n");
	for (int o = 0; o < OPTION_COUNT; o++) {
		enum option_number number = (enum option_number)o;
		if (option_taken(command, number) || option_taken_for_demo(command, number))
			put_option(out, command, number);
	}
	out_char(out, '\n');
	if (command->target && command->no_command)
		put_paragraph(out, "TARGET is a PID, the NAME of an OCaml process, or DIR:PID.");
	else if (command->target)
		put_paragraph(out, target_text);
	put_files(out, command);
	out_format(out, "Example:\n  %s\n      ", command->example);
	table_wrap(out, command->effect, 6, 6);
	out_char(out, '\n');
	snprintf(usage, sizeof(usage), "%s%s%s", status_text,
	    command->target && !command->no_command
		? "; with -- COMMAND, COMMAND's own, or 125 when it could not be started, 126 when it "
		  "can't be run, 127 when it is not found"
	    : command->statuses != NULL ? "; "
					: "",
	    command->statuses != NULL ? command->statuses : "");
	out_text(out, "Exit status: ");
	table_wrap(out, usage, 13, 13);
}

int pages_print(const struct command *command)
{
	static struct out out;

	fail_output_begin(&out, STDOUT_FILENO, NULL);
	if (command != NULL)
		put_command(&out, command);
	else
		put_overview(&out);
	return fail_output(out_flush(&out), "to standard output");
}

/* ---- help ---- */

static int run(const struct options *options)
{
	const char *word = options->target;
	const struct command *command = NULL;

	if (options->run != NULL)
		return fail_usage("-- %s: this command takes no COMMAND", options->run[0]);
	if (word != NULL) {
		command = strcmp(word, COMMAND_NAME_TOP) == 0 ? command_at(0) : command_find(word);
		if (command == NULL)
			return command_unknown(word);
	}
	return pages_print(command);
}

const struct command command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .purpose = "the options of a command, with an example",
    .word = "COMMAND",
    .word_optional = true,
    .example = "rtevtop help record",
    .effect = "prints what `rtevtop record --help` prints",
    .run = run,
};
