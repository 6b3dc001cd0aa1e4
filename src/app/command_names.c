/*
 * command_names.c - the subcommands by number and by name.
 */
#include "app/command_names.h"

#include <string.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/suggest.h"

static const struct command *const commands[] = {
#define ROW(name) &command_##name,
    COMMAND_LIST(ROW)
#undef ROW
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

const struct command *command_at(size_t i)
{
	return i < COMMAND_COUNT ? commands[i] : NULL;
}

const struct command *command_find(const char *name)
{
	for (size_t c = 0; c < COMMAND_COUNT; c++)
		if (commands[c]->name != NULL && strcmp(name, commands[c]->name) == 0)
			return commands[c];
	return NULL;
}

const char *command_suggest(const char *word)
{
	const char *names[COMMAND_COUNT];

	for (size_t c = 0; c < COMMAND_COUNT; c++)
		names[c] = commands[c]->name;
	return suggest(word, names, COMMAND_COUNT);
}

int command_unknown(const char *word)
{
	const char *meant = command_suggest(word);

	fail_help(NULL);
	return fail_usage("unknown subcommand %s%s%s%s", word, meant != NULL ? ": did you mean " : "",
	    meant != NULL ? meant : "", meant != NULL ? "?" : "");
}
