/*
 * option_table.c - the options as a table.
 */
#include "app/option_table.h"

#include <getopt.h>

#include "app/commands/commands.h"

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

void option_name(enum option_number number, char out[OPTION_NAME_SIZE])
{
	const char *name = option_table[number].name;
	size_t i = 0;

	for (; name[i] != '\0' && i < OPTION_NAME_SIZE - 1; i++)
		out[i] = name[i] == '_' ? '-' : name[i];
	out[i] = '\0';
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
