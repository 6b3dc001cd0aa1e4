/*
 * commands.c - the tables of options and of subcommands.
 */
#include "app/commands/commands.h"

#include <getopt.h>
#include <string.h>

#include "app/fail.h"
#include "app/suggest.h"

_Static_assert(OPTION_COUNT <= 64, "a set of options is a uint64_t");

const struct option_row option_table[OPTION_COUNT] = {
#define ROW(name, letter, argument, value, help) {#name, letter, argument, value, help},
    OPTION_LIST(ROW)
#undef ROW
};

const char *const option_formats[] = {[FORMAT_FXT] = "fxt", [FORMAT_JSON] = "json", NULL};

const char *option_help(const struct command *command, enum option_number number)
{
	return command->help[number] != NULL ? command->help[number] : option_table[number].help;
}

const char *option_name(enum option_number number)
{
	static char names[OPTION_COUNT][OPTION_NAME_SIZE];
	char *name = names[number];

	strlcpy(name, option_table[number].name, OPTION_NAME_SIZE);
	for (char *at = name; (at = strchr(at, '_')) != NULL;)
		*at = '-';
	return name;
}

bool option_taken(const struct command *command, enum option_number number)
{
	return number == OPTION_help || number == OPTION_version ||
	       (command->options & UINT64_C(1) << number) != 0;
}

bool option_taken_for_demo(const struct command *command, enum option_number number)
{
	return (command->demo_options & UINT64_C(1) << number) != 0;
}

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
