/*
 * option_table.h - the options as a table: their names, their letters, and what the help says of them.
 */
#ifndef APP_OPTION_TABLE_H
#define APP_OPTION_TABLE_H

#include <stdbool.h>

#include "app/option_list.h"

#define OPTION_NAME_SIZE 32

struct option_row {
	const char *name;  /* a C identifier: "_" stands for "-" */
	char letter;	   /* 0: none */
	int argument;	   /* no_argument, required_argument or optional_argument of getopt.h */
	const char *value; /* what the help calls the argument */
	const char *help;
};

extern const struct option_row option_table[OPTION_COUNT];

/* The name as it is typed, without "--". */
void option_name(enum option_number number, char out[OPTION_NAME_SIZE]);

struct command;

/* Whether a subcommand takes an option, with or without --demo; and whether it does with --demo. */
bool option_taken(const struct command *command, enum option_number number);
bool option_taken_for_demo(const struct command *command, enum option_number number);

#endif
