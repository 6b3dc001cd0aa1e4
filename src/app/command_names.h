/*
 * command_names.h - the subcommands by number and by name.
 */
#ifndef APP_COMMAND_NAMES_H
#define APP_COMMAND_NAMES_H

#include <stddef.h>

struct command;

/* The live view is known to `rtevtop help` by this name. */
#define COMMAND_NAME_TOP "top"

/* The i-th in the order of the help text; 0 is the live view.  NULL beyond the last. */
const struct command *command_at(size_t i);

/* The subcommand of this name, NULL when there is none.  The live view has none. */
const struct command *command_find(const char *name);

/* The name of the subcommand that a word was meant to be, NULL when it is near to none. */
const char *command_suggest(const char *word);

/* Report that a word names none, and which it was meant to be.  Returns EXIT_USAGE. */
int command_unknown(const char *word);

#endif
