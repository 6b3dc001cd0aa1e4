/*
 * diff.c - rtevtop diff: compare two observations, or run two COMMANDs alternately and judge the difference.
 *
 * Two files are a single run each, so they are shown side by side without a verdict.
 */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/diff/diff.h"
#include "app/fail.h"
#include "launch/signals.h"

#define RUNS_DEFAULT 5
#define RUNS_MAX 1000

/* Print the comparison of the reports. */
static int print(const struct compared sides[SIDES], const struct options *options, bool judged)
{
	static struct out out;
	struct rows rows;
	unsigned stops = signals_stops();

	int error = rows_make(&rows, sides);
	if (error == 0 && judged)
		error = rows_judge(&rows);
	if (error != 0) {
		rows_fini(&rows);
		return say(NULL, "could not compare: out of memory");
	}
	fail_output_begin(&out, STDOUT_FILENO, &stops);
	if (options->json)
		diff_print_json(&out, &rows, sides, judged);
	else
		diff_print_text(&out, &rows, sides, judged);
	rows_fini(&rows);
	return fail_output(out_flush(&out), "the comparison");
}

/* Allocate room for the reports of `runs` runs of each side.  False after reporting that memory ran out. */
static bool reports_make(struct compared sides[SIDES], size_t runs)
{
	for (int s = 0; s < SIDES; s++)
		sides[s].reports = calloc(runs, sizeof(*sides[s].reports));
	if (sides[SIDE_A].reports != NULL && sides[SIDE_B].reports != NULL)
		return true;
	say(NULL, "could not compare: out of memory");
	return false;
}

/* Run both COMMANDs alternately: A B, B A, A B...  Returns an exit status. */
static int run_all(
    struct compared sides[SIDES], char **const commands[SIDES], size_t runs, const struct options *options)
{
	for (size_t i = 0; i < 2 * runs; i++) {
		enum side s = (i + i / 2) % 2 == 0 ? SIDE_A : SIDE_B;
		int status = report_of_command(&sides[s].reports[sides[s].runs], commands[s], options);
		if (status == EXIT_DONE)
			sides[s].runs++;
		if (signals_stops_now() != 0)
			return say(NULL, "interrupted: nothing is judged");
		if (status != EXIT_DONE)
			return status;
	}
	return EXIT_DONE;
}

/* Split the words after the first "--" at the word "---".  False when there are not two COMMANDs. */
static bool split(char **words, char **commands[SIDES], size_t counts[SIDES])
{
	size_t at = 0;

	while (words[at] != NULL && strcmp(words[at], "---") != 0)
		at++;
	if (at == 0 || words[at] == NULL || words[at + 1] == NULL)
		return false;
	words[at] = NULL;
	commands[SIDE_A] = words;
	commands[SIDE_B] = words + at + 1;
	counts[SIDE_A] = at;
	for (counts[SIDE_B] = 0; commands[SIDE_B][counts[SIDE_B]] != NULL;)
		counts[SIDE_B]++;
	return true;
}

/* Compare runs of two COMMANDs. */
static int diff_commands(struct compared sides[SIDES], const struct options *options)
{
	size_t counts[SIDES], runs = options->iterations != 0 ? options->iterations : RUNS_DEFAULT;
	char **commands[SIDES];

	if (!split(options->run, commands, counts))
		return fail_usage("diff: give two commands: -- COMMAND1 --- COMMAND2");
	if (runs > RUNS_MAX)
		return fail_usage("-n: at most %d runs of each", RUNS_MAX);
	if (!reports_make(sides, runs))
		return EXIT_FAILED;
	for (int s = 0; s < SIDES; s++) {
		sides[s].words = (const char *const *)commands[s];
		sides[s].word_count = counts[s];
	}
	int status = run_all(sides, commands, runs, options);
	return status == EXIT_DONE ? print(sides, options, true) : status;
}

/* Compare two files. */
static int diff_files(struct compared sides[SIDES], const struct options *options)
{
	bool incomplete = false;

	if (options->target_count != SIDES)
		return fail_usage("diff: give two reports or recordings: A B");
	if (options->iterations != 0)
		return fail_usage("-n: only commands are run more than once");
	if (!reports_make(sides, 1))
		return EXIT_FAILED;
	for (int s = 0; s < SIDES; s++) {
		sides[s].words = (const char *const *)&options->targets[s];
		sides[s].word_count = 1;
		int status = report_of_file(&sides[s].reports[0], options->targets[s], options, &incomplete);
		if (status != EXIT_DONE)
			return status;
		sides[s].runs = 1;
	}
	int status = print(sides, options, false);
	return incomplete ? EXIT_FAILED : status;
}

static int run(const struct options *options)
{
	struct compared sides[SIDES] = {0};

	int status = options->run != NULL ? diff_commands(sides, options) : diff_files(sides, options);
	for (int s = 0; s < SIDES; s++) {
		for (size_t i = 0; i < sides[s].runs; i++)
			diff_figures_fini(&sides[s].reports[i]);
		free(sides[s].reports);
	}
	return status;
}

const struct command command_diff = {
    .name = "diff",
    .synopsis = "[--json] A B  |  [--json] [-n N] -- COMMAND1 --- COMMAND2",
    .purpose = "two reports or recordings side by side, or two commands compared",
    .about = "A and B are reports of `rtevtop stats --json`, ring files or recordings.  COMMANDs are run in "
	     "turns, -n times each.",
    .example = "rtevtop diff before.json after.json",
    .effect = "prints each figure of both reports, and by how much it changed",
    .statuses =
	"1 also for a file that is compared only as far as it could be read, and for a COMMAND that recorded "
	"nothing; with COMMANDs 125 to 127 when one could not be run",
    .options = OPT(json) | OPT(iterations) | OPT(ocaml) | OPT(max_events),
    .help =
	{[OPTION_iterations] = "number of runs of each command (5)", [OPTION_json] = "print one JSON object"},
    .word = "A B",
    .words = 2,
    .run = run,
};
