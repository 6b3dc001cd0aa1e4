/*
 * command_names.h - the subcommands by number and by name.
 */
#ifndef APP_COMMAND_NAMES_H
#define APP_COMMAND_NAMES_H

#include <stddef.h>

struct command;

/* The name of the live view for `rtevtop help`. */
#define COMMAND_NAME_TOP "top"

/* The i-th subcommand in the order of the help; 0 is the live view.  NULL beyond the last. */
const struct command *command_at(size_t i);

/* Find a subcommand by name.  Returns NULL if there is none; the live view has no name. */
const struct command *command_find(const char *name);

/* The subcommand that a misspelt word may stand for, NULL if none is similar. */
const char *command_suggest(const char *word);

/* Report an unknown subcommand, with a suggestion.  Returns EXIT_USAGE. */
int command_unknown(const char *word);

#endif
