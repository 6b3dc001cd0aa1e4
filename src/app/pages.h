/*
 * pages.h - the help: an overview, and a page for each subcommand, printed from the tables of subcommands
 * and of options (commands/commands.h).
 */
#ifndef APP_PAGES_H
#define APP_PAGES_H

struct command;

/* Print the page of a subcommand, at most 80 columns wide; NULL: the overview, at most 24 lines.  Returns an exit
 * status. */
int pages_print(const struct command *command);

#endif
