/*
 * main.c - rtevtop: top for the OCaml 5 runtime.
 */
#include <locale.h>
#include <stdio.h>

#include "app/commands.h"
#include "app/fail.h"
#include "app/foreign_file.h"
#include "app/guard.h"
#include "app/signals.h"

/* What runs for each subcommand. */
static int (*const run[COMMAND_COUNT])(const struct options *options) = {
    [COMMAND_TOP] = command_top,
    [COMMAND_LIST] = command_list,
    [COMMAND_LOG] = command_log,
    [COMMAND_STATS] = command_stats,
    [COMMAND_RECORD] = command_record,
    [COMMAND_MEMTRACE] = command_memtrace,
    [COMMAND_DEMO] = command_demo,
};

/* Read the command line and do what it says. */
int main(int argc, char **argv)
{
	struct options options;
	int status;

	setlocale(LC_CTYPE, "");
	if (!options_parse(&options, argc, argv, &status))
		return fflush(stdout) == 0 ? status : EXIT_FAILED;
	if (foreign_file_refuse(&options))
		return EXIT_FAILED;
	/* demo is a target: it has its own signals. */
	if (options.command != COMMAND_DEMO) {
		guard_install();
		signals_install();
	}
	return run[options.command](&options);
}
