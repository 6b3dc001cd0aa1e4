/*
 * option_table.h - the options as a table: names, letters, help texts.
 */
#ifndef APP_OPTION_TABLE_H
#define APP_OPTION_TABLE_H

#include <stdbool.h>

#include "app/option_list.h"

#define OPTION_NAME_SIZE 32

struct option_row {
	const char *name;  /* a C identifier, with "_" for "-" */
	char letter;	   /* 0: none */
	int argument;	   /* no_argument, required_argument or optional_argument of getopt.h */
	const char *value; /* name of the argument in the help; NULL: none */
	const char *help;
};

extern const struct option_row option_table[OPTION_COUNT];

/* The values of --format, then NULL. */
enum { FORMAT_FXT, FORMAT_JSON };
extern const char *const option_formats[];

struct command;

/* The help of an option on the page of a subcommand. */
const char *option_help(const struct command *command, enum option_number number);

/* The name as typed, without "--". */
void option_name(enum option_number number, char out[OPTION_NAME_SIZE]);

/* Whether a subcommand takes an option in general, and whether it takes it with --demo. */
bool option_taken(const struct command *command, enum option_number number);
bool option_taken_for_demo(const struct command *command, enum option_number number);

#endif
