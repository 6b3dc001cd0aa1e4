/*
 * help.c - rtevtop help: print the overview, or the page of a subcommand.
 */
#include <string.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/pages.h"

static int run(const struct options *options)
{
	const char *word = options->target;
	const struct command *command = NULL;

	if (options->run != NULL)
		return fail_usage("-- %s: this command runs no other", options->run[0]);
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
