/*
 * pages.c - print the help.
 */
#include "app/pages.h"

#include <stdio.h>
#include <string.h>

#include "app/command_names.h"
#include "app/commands/commands.h"
#include "app/option_table.h"
#include "record/flight.h"
#include "rtev/rtev.h"

#define COLUMNS 80
#define OPTION_COLUMN 27 /* where the text of an option begins */
#define NAME_COLUMN 14	 /* where the text of a subcommand begins in the overview */

#define NS_PER_S 1000000000u

static const char target_text[] = "TARGET is a PID, DIR:PID, a ring file (FILE.events), a recording "
				  "(FILE.fxt: live view and stats), or -- COMMAND "
				  "[ARG]...";
static const char status_text[] = "0 done, 1 failed, 2 wrong usage";

/* Print text from column `at` on, wrapped; further lines begin at column `indent`. */
static void put_words(const char *text, int at, int indent)
{
	bool first = true;

	while (*text != '\0') {
		int len = (int)strcspn(text, " ");
		if (!first && at + 1 + len > COLUMNS) {
			printf("\n%*s", indent, "");
			at = indent;
			first = true;
		}
		at += printf("%s%.*s", first ? "" : " ", len, text);
		first = false;
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* Print a paragraph and an empty line. */
static void put_paragraph(const char *text)
{
	put_words(text, 0, 0);
	putchar('\n');
}

void pages_overview(void)
{
	const struct command *command;

	printf("rtevtop %s - what the collector of an OCaml 5 process is doing, live\n\n", rtev_version());
	printf("Usage:\n  rtevtop %s\n      %s\n  rtevtop COMMAND ...\n", command_at(0)->synopsis,
	    command_at(0)->purpose);
	for (size_t c = 1; (command = command_at(c)) != NULL; c++)
		printf("    %-*s%s\n", NAME_COLUMN - 4, command->name, command->purpose);
	putchar('\n');
	put_paragraph(target_text);
	put_words("`rtevtop help COMMAND` or `rtevtop COMMAND --help` tells of its options, `rtevtop "
		  "help " COMMAND_NAME_TOP
		  "` of those of the live view.  `rtevtop --demo` shows it without OCaml.",
	    0, 0);
	printf("Exit status: %s; with -- COMMAND, COMMAND's own.\n", status_text);
}

/* Print the help of an option. */
static void put_option(const struct command *command, enum option_number number)
{
	const struct option_row *row = &option_table[number];
	char name[OPTION_NAME_SIZE], left[64], help[256];

	option_name(number, name);
	if (row->letter != 0)
		snprintf(left, sizeof(left), "  -%c, --%s%s%s", row->letter, name,
		    row->value != NULL ? " " : "", row->value != NULL ? row->value : "");
	else
		snprintf(left, sizeof(left), "      --%s%s%s", name,
		    row->value != NULL && row->value[0] != '[' ? " " : "",
		    row->value != NULL ? row->value : "");
	int at = printf("%-*s", OPTION_COLUMN - 1, left);
	snprintf(help, sizeof(help), "%s%s", option_help(command, number),
	    option_taken(command, number) ? "" : " (with --demo)");
	at += printf(" ");
	put_words(help, at, OPTION_COLUMN);
}

/* Print how -o names files, for a subcommand that takes it. */
static void put_files(const struct command *command)
{
	char text[512];

	if (!option_taken(command, OPTION_output) || command->own_output)
		return;
	put_paragraph("The FILE of -o may have %p (pid), %t (time), %n (number) or %% in its name.");
	snprintf(text, sizeof(text),
	    "Files %sfor --on-pause are new ones, in the working directory or in that of -o.  Those for "
	    "--on-pause begin "
	    "%u s before the pause and end %u s after it; within %u s of the last one only a longer pause "
	    "gets one, "
	    "others are counted.",
	    command->records ? "" : "for the key r and ", (unsigned)(FLIGHT_BEFORE_NS / NS_PER_S),
	    (unsigned)(FLIGHT_AFTER_NS / NS_PER_S), (unsigned)(FLIGHT_RATE_NS / NS_PER_S));
	put_paragraph(text);
}

void pages_command(const struct command *command)
{
	char usage[256], title[256];
	const char *name = command->name != NULL ? command->name : "";
	const char *between = command->name != NULL ? " " : "";

	snprintf(title, sizeof(title), "rtevtop%s%s - %s", between, name, command->purpose);
	put_paragraph(title);
	int at = printf("Usage: ");
	snprintf(usage, sizeof(usage), "rtevtop%s%s %s", between, name, command->synopsis);
	put_words(usage, at, at + 2);
	putchar('\n');
	if (command->about != NULL)
		put_paragraph(command->about);
	printf("Options:\n");
	for (int o = 0; o < OPTION_COUNT; o++) {
		enum option_number number = (enum option_number)o;
		if (option_taken(command, number) || option_taken_for_demo(command, number))
			put_option(command, number);
	}
	putchar('\n');
	if (command->target && command->no_command)
		put_paragraph("TARGET is a PID or DIR:PID.");
	else if (command->target)
		put_paragraph(target_text);
	put_files(command);
	printf("Example:\n  %s\n      ", command->example);
	put_words(command->effect, 6, 6);
	putchar('\n');
	at = printf("Exit status: ");
	snprintf(usage, sizeof(usage), "%s%s%s", status_text,
	    command->target && !command->no_command
		? "; with -- COMMAND, COMMAND's own, or 125 when it could not be started, 126 when it "
		  "can't be run, 127 when it is not found"
	    : command->statuses != NULL ? "; "
					: "",
	    command->statuses != NULL ? command->statuses : "");
	put_words(usage, at, at);
}
