/*
 * options.c - parse the command line.
 */
#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command_names.h"
#include "app/commands/commands.h"
#include "demo/demo.h"
#include "app/fail.h"
#include "app/option_table.h"
#include "app/pages.h"
#include "app/suggest.h"
#include "record/naming.h"
#include "rtev/rtev.h"
#include "ui/widgets/time_text.h"

#define MAX_EVENTS_DEFAULT 65536
#define DEMO_DOMAINS_DEFAULT 4
#define DEMO_RATE_DEFAULT 20000
#define DELAY_MIN_NS 10000000
#define TIME_MIN_NS 1000 /* shortest time that can be written without a fraction */

/* Parse a number in a range.  Returns false after reporting an error, with the exit status in *status; so do
 * the functions below. */
static bool option_number_value(
    enum option_number number, const char *text, long long min, long long max, uint64_t *out, int *status)
{
	const char *problem;
	char name[OPTION_NAME_SIZE];
	long long value = strtonum(text, min, max, &problem);

	if (problem == NULL) {
		*out = (uint64_t)value;
		return true;
	}
	option_name(number, name);
	*status = fail_usage("--%s %s: %s (%lld to %lld)", name, text, problem, min, max);
	return false;
}

/* Check a parsed time: that it is one, and in range.  `what` names the expected form for the message. */
static bool option_time_judge(enum option_number number, const char *text, uint64_t ns, bool is_time,
    uint64_t min_ns, const char *what, int *status)
{
	bool too_long = ns > TIME_TEXT_MAX_NS;
	char name[OPTION_NAME_SIZE];

	if (is_time && ns >= min_ns)
		return true;
	option_name(number, name);
	if (!is_time && !too_long)
		*status = fail_usage("--%s %s: not %s", name, text, what);
	else
		*status = fail_usage("--%s %s: too %s (%llu%s to %llus)", name, text,
		    too_long ? "long" : "short",
		    (unsigned long long)(min_ns >= 1000000 ? min_ns / 1000000 : min_ns / 1000),
		    min_ns >= 1000000 ? "ms" : "us", (unsigned long long)(TIME_TEXT_MAX_NS / 1000000000u));
	return false;
}

/* Parse a time. */
static bool option_time_value(
    enum option_number number, const char *text, uint64_t min_ns, uint64_t *out, int *status)
{
	bool is_time = time_text_read(text, out);

	return option_time_judge(
	    number, text, *out, is_time, min_ns, "a span of time such as 0.5 or 250ms", status);
}

/* Parse a time in milliseconds; a suffix is allowed. */
static bool option_ms_value(enum option_number number, const char *text, uint64_t *out, int *status)
{
	char ms[64];

	snprintf(ms, sizeof(ms), "%sms", text);
	bool is_time = time_text_read(ms, out) || (*out == 0 && time_text_read(text, out));
	return option_time_judge(
	    number, text, *out, is_time, TIME_MIN_NS, "a number of milliseconds", status);
}

/* Take a text that must not be empty. */
static bool option_text_value(enum option_number number, const char *text, const char **out, int *status)
{
	char name[OPTION_NAME_SIZE];

	*out = text;
	if (text[0] != '\0')
		return true;
	option_name(number, name);
	*status = fail_usage("--%s: the value is empty", name);
	return false;
}

/* Take an option without an argument. */
static void switch_take(struct options *o, enum option_number number)
{
	switch (number) {
	case OPTION_folded:
		o->folded = true;
		break;
	case OPTION_dump:
		o->dump = true;
		break;
	case OPTION_batch:
		o->batch = true;
		break;
	case OPTION_by_domain:
		o->by_domain = true;
		break;
	case OPTION_user_events:
		o->user_events = true;
		break;
	case OPTION_json:
		o->json = true;
		break;
	case OPTION_full:
		o->full = true;
		break;
	case OPTION_follow:
		o->follow = true;
		break;
	case OPTION_merge:
		o->merge = true;
		break;
	case OPTION_demo:
		o->demo = true;
		break;
	case OPTION_force:
		o->force = true;
		break;
	case OPTION_no_color:
		o->no_color = true;
		break;
	case OPTION_ascii:
		o->ascii = true;
		break;
	case OPTION_pause:
		o->pause = true;
		break;
	default:
		break;
	}
}

/* Take an option with an argument. */
static bool value_take(struct options *o, enum option_number number, const char *value, int *status)
{
	uint64_t n;

	switch (number) {
	case OPTION_delay:
		return option_time_value(number, value, DELAY_MIN_NS, &o->delay_ns, status);
	case OPTION_iterations:
		return option_number_value(number, value, 1, INT64_MAX, &o->iterations, status);
	case OPTION_duration:
		return option_time_value(number, value, TIME_MIN_NS, &o->duration_ns, status);
	case OPTION_seconds:
		return option_time_value(number, value, TIME_MIN_NS, &o->seconds_ns, status);
	case OPTION_max_events:
		return option_number_value(number, value, 1, INT64_MAX, &o->max_events, status);
	case OPTION_history:
		if (!option_number_value(number, value, 1, SIZE_MAX >> 20, &n, status))
			return false;
		o->history_bytes = (size_t)n << 20;
		return true;
	case OPTION_rate:
		return option_number_value(number, value, 100, 1000000000, &o->rate, status);
	case OPTION_seed:
		return option_number_value(number, value, 0, INT64_MAX, &o->seed, status);
	case OPTION_domains:
		if (!option_number_value(number, value, 1, DEMO_DOMAINS_MAX, &n, status))
			return false;
		o->domains = (unsigned)n;
		return true;
	case OPTION_wait:
		o->wait_ns = UINT64_MAX;
		return value == NULL || option_time_value(number, value, TIME_MIN_NS, &o->wait_ns, status);
	case OPTION_ocaml:
		o->ocaml = value;
		o->release = rtev_release_from_version(value);
		if (o->release == RTEV_RELEASE_UNKNOWN)
			*status = fail_usage("--ocaml %s: not an OCaml 5 version such as 5.3.0", value);
		return o->release != RTEV_RELEASE_UNKNOWN;
	case OPTION_dir:
		return option_text_value(number, value, &o->dir, status);
	case OPTION_output:
		return option_text_value(number, value, &o->output, status);
	case OPTION_on_pause:
		return option_ms_value(number, value, &o->on_pause_ns, status);
	case OPTION_label:
		if (o->label_count == OPTIONS_LABELS_MAX) {
			*status = fail_usage("--label: at most %d of them", OPTIONS_LABELS_MAX);
			return false;
		}
		return option_text_value(number, value, &o->labels[o->label_count++], status);
	case OPTION_memtrace:
		return option_text_value(number, value, &o->memtrace, status);
	case OPTION_format:
		o->format_json = strcmp(value, option_formats[FORMAT_JSON]) == 0;
		if (!o->format_json && strcmp(value, option_formats[FORMAT_FXT]) != 0) {
			*status = fail_usage("--format %s: neither %s nor %s", value,
			    option_formats[FORMAT_FXT], option_formats[FORMAT_JSON]);
			return false;
		}
		return true;
	case OPTION_sort:
		o->sort = value;
		return true;
	case OPTION_filter:
		o->filter = value;
		return true;
	case OPTION_top:
		return option_number_value(number, value, 1, INT64_MAX, &o->top, status);
	default:
		return true;
	}
}

/* Fill in the long and short options of getopt. */
static void getopt_tables(struct option longs[OPTION_COUNT + 1], char shorts[3 * OPTION_COUNT + 2],
    char names[OPTION_COUNT][OPTION_NAME_SIZE])
{
	char *at = shorts;

	*at++ = ':';
	for (int i = 0; i < OPTION_COUNT; i++) {
		option_name((enum option_number)i, names[i]);
		longs[i] = (struct option){names[i], option_table[i].argument, NULL, 256 + i};
		if (option_table[i].letter != 0) {
			*at++ = option_table[i].letter;
			if (option_table[i].argument == required_argument)
				*at++ = ':';
		}
	}
	*at = '\0';
	longs[OPTION_COUNT] = (struct option){0};
}

/* The option that a return value of getopt_long stands for. */
static enum option_number option_of(int answer)
{
	if (answer >= 256)
		return (enum option_number)(answer - 256);
	for (int i = 0; i < OPTION_COUNT; i++)
		if (option_table[i].letter == answer)
			return (enum option_number)i;
	return OPTION_COUNT;
}

/* Report an option that a subcommand does not have.  Name those that the word begins, else the most similar one.
 * Returns an exit status. */
static int option_unknown(const struct command *command, const char *word)
{
	char names[OPTION_COUNT][OPTION_NAME_SIZE], typed[OPTION_NAME_SIZE], meant[256] = "";
	const char *taken[OPTION_COUNT];
	size_t count = 0, used = 0;

	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (int i = 0; i < OPTION_COUNT; i++) {
		enum option_number number = (enum option_number)i;
		option_name(number, names[i]);
		if (option_taken(command, number) || option_taken_for_demo(command, number))
			taken[count++] = names[i];
	}
	for (size_t i = 0; i < count && typed[0] != '\0' && used < sizeof(meant); i++)
		if (strncmp(typed, taken[i], strlen(typed)) == 0)
			used += (size_t)snprintf(
			    meant + used, sizeof(meant) - used, "%s--%s", used > 0 ? " or " : "", taken[i]);
	const char *similar = used == 0 ? suggest(typed, taken, count) : NULL;
	if (similar != NULL)
		used = (size_t)snprintf(meant, sizeof(meant), "--%s", similar);
	return fail_usage(
	    "unknown option %s%s%s%s", word, used > 0 ? ": did you mean " : "", meant, used > 0 ? "?" : "");
}

/* Whether getopt took a word for a long option that it only abbreviates.  Scripts with such a word would fail once
 * another option began alike. */
static bool is_abbreviation(int answer, const char *word)
{
	int number = answer >= 256 ? answer : answer == '?' || answer == ':' ? optopt : 0;
	char name[OPTION_NAME_SIZE];

	if (number < 256)
		return false;
	option_name((enum option_number)(number - 256), name);
	return strncmp(word, "--", 2) == 0 && strcspn(word + 2, "=") < strlen(name);
}

/* Report an error of getopt; `word` is the last word that it processed.  Returns an exit status. */
static int option_fault(const struct command *command, int answer, const char *word)
{
	/* getopt has not finished with a word of several letters. */
	const char letter[] = {'-', (char)optopt, '\0'};
	bool is_letter = optopt != 0 && optopt < 256; /* a byte beyond ASCII is negative */

	if (is_letter)
		word = letter;
	if (answer == ':')
		return fail_usage("%s needs a value", word);
	if (optopt >= 256)
		return fail_usage("%s: this option takes no value", word);
	return is_letter ? fail_usage("unknown option %s", word) : option_unknown(command, word);
}

/* The subcommand that the words most likely name, for messages about the options. */
static const struct command *command_meant(char **words)
{
	for (const struct command *command; *words != NULL; words++)
		if ((command = command_find(*words)) != NULL)
			return command;
	return command_at(0);
}

/* Whether a word is a TARGET, or may be a misspelt one.  A plain word is only if a file has that name. */
static bool could_be_target(const char *word)
{
	struct stat st;

	return word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")] != '\0' || lstat(word, &st) == 0;
}

/* Take the first word if it is a subcommand.  Returns false after reporting a misspelt one.  `alone`: the
 * word may also be a TARGET. */
static bool command_take(struct options *o, int count, char **words, bool alone, int *status)
{
	if (count == 0)
		return true;
	const struct command *command = command_find(words[0]);
	if (command != NULL)
		o->command = command;
	if (command != NULL || alone || words[0][0] == '\0' || could_be_target(words[0]))
		return true;
	*status = command_unknown(words[0]);
	return false;
}

/* Whether a word is the pid of a process that runs. */
static bool is_process(const char *word)
{
	char *end;
	long pid = strtol(word, &end, 10);

	return *end == '\0' && pid > 0 && pid <= INT32_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

/* Take the words that are no options: the subcommand and its words.  `after_wait`: the time that stands behind
 * --wait, as a word of its own, or NULL. */
static bool words_take(struct options *o, int count, char **words, const char *after_wait, int *status)
{
	if (!command_take(o, count, words, count == 1, status))
		return false;
	const char *name = o->command->name;
	int at = name != NULL;
	o->targets = words + at;
	if (after_wait != NULL && count - at + (o->run != NULL) > 1 &&
	    !(o->command->words > 1 && is_process(after_wait))) {
		*status = fail_usage("--wait %s: did you mean --wait=%s?", after_wait, after_wait);
		return false;
	}
	for (int most = o->command->words != 0 ? o->command->words : 1;
	     at < count && o->command->word != NULL && o->target_count < most; at++, o->target_count++)
		if (words[at][0] == '\0') {
			*status = fail_usage("%s is empty", o->command->word);
			return false;
		}
	if (o->target_count > 0)
		o->target = o->targets[0];
	if (at < count) {
		*status = name != NULL ? fail_usage("%s: one word too many: %s", name, words[at])
				       : fail_usage("one word too many: %s", words[at]);
		return false;
	}
	if (o->run != NULL && (o->target != NULL || o->command->word == NULL || o->command->no_command)) {
		*status = fail_usage("-- %s: %s", o->run[0],
		    o->target != NULL ? "there is a TARGET already" : "this command runs no other");
		return false;
	}
	return true;
}

/* Whether the name of the output file asks for Chrome's JSON. */
static bool names_json(const char *name)
{
	struct stat st;
	size_t len = name != NULL ? strlen(name) : 0;

	return len > 5 && strcasecmp(name + len - 5, ".json") == 0 &&
	       !(stat(name, &st) == 0 && S_ISDIR(st.st_mode));
}

/* Check the output of a recording. */
static bool output_check(const struct options *o, int *status)
{
	char unknown[2] = "";
	struct stat st;

	if (o->command->own_output)
		return true;
	bool one = o->command->records && o->on_pause_ns == 0;
	if (one && o->output == NULL) {
		*status = fail_usage("%s: no file given to record to: -o FILE", o->command->name);
		return false;
	}
	if (!one && o->output != NULL && strcmp(o->output, "-") == 0) {
		fail_message("Give a file or a directory; ./- is a file of that name.",
		    "-o -: only a single recording goes to standard output, and not from the live view");
		*status = EXIT_USAGE;
		return false;
	}
	if (!one && o->force) {
		*status = fail_usage("--force: the files of --on-pause are new ones, none is ever replaced");
		return false;
	}
	if (o->output == NULL || (!one && stat(o->output, &st) == 0 && S_ISDIR(st.st_mode)))
		return true;
	if (!naming_valid(o->output, unknown)) {
		*status = fail_usage(
		    "-o %s: %%%s is none of %%p (pid), %%t (time), %%n (number), %%%%", o->output, unknown);
		return false;
	}
	if (o->on_pause_ns != 0 && !naming_varies(o->output)) {
		*status = fail_usage(
		    "-o %s: neither a directory nor a name with %%t (time) or %%n (number) in it", o->output);
		return false;
	}
	return true;
}

/* Whether all given options are in a set. */
static bool only(const bool seen[OPTION_COUNT], uint64_t options)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (seen[i] && (options & UINT64_C(1) << i) == 0)
			return false;
	return true;
}

/* Check options that only the screen or only plain reports take.  Without a terminal on standard output the
 * live view prints reports, unless an option asks for the screen. */
static bool batch_check(struct options *o, const bool seen[OPTION_COUNT], int *status)
{
	uint64_t too = o->command->batch_options, both = OPTS_BATCH_TOO;
	bool named = o->target != NULL || o->run != NULL;

	o->batch_asked = o->batch;
	o->batch |= named && !isatty(STDOUT_FILENO) && only(seen, too | OPT(no_color) | OPT(ascii));
	for (int i = 0; i < OPTION_COUNT; i++) {
		char name[OPTION_NAME_SIZE];
		uint64_t option = UINT64_C(1) << i;
		if (!seen[i] || (option & both) != 0 || ((option & too) != 0) == o->batch ||
		    (o->batch && !o->batch_asked))
			continue;
		option_name((enum option_number)i, name);
		*status = o->batch ? fail_usage("--%s is no option of plain reports (-b)", name)
				   : fail_usage("--%s is an option of -b", name);
		return false;
	}
	return true;
}

/* Check the options of a live view that has neither a TARGET nor a terminal: it prints the list, which takes
 * none of them.  Those that only say how text looks may stand. */
static bool list_check(struct options *o, const bool seen[OPTION_COUNT], int *status)
{
	o->list = o->command->name == NULL && !o->batch && !o->demo && o->target == NULL && o->run == NULL &&
		  !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
	for (int i = 0; o->list && i < OPTION_COUNT; i++) {
		char name[OPTION_NAME_SIZE];
		if (!seen[i] || ((OPT(no_color) | OPT(ascii)) & UINT64_C(1) << i) != 0)
			continue;
		option_name((enum option_number)i, name);
		*status = fail_usage("--%s: without a TARGET and a terminal there is only the list", name);
		return false;
	}
	return true;
}

/* Check that of options that exclude each other one is given at most. */
static bool one_check(const struct options *o, const bool seen[OPTION_COUNT], int *status)
{
	char name[OPTION_NAME_SIZE], first[OPTION_NAME_SIZE] = "";

	for (int i = 0; i < OPTION_COUNT; i++) {
		if (!seen[i] || (o->command->one_of & UINT64_C(1) << i) == 0)
			continue;
		option_name((enum option_number)i, name);
		if (first[0] != '\0') {
			*status = fail_usage("--%s and --%s exclude each other", first, name);
			return false;
		}
		memcpy(first, name, sizeof(first));
	}
	return true;
}

/* Check the combination of options and words. */
static bool options_check(struct options *o, const bool seen[OPTION_COUNT], int *status)
{
	const char *command = o->command->name;

	for (int i = 0; i < OPTION_COUNT; i++) {
		char name[OPTION_NAME_SIZE];
		enum option_number number = (enum option_number)i;
		bool for_demo = option_taken_for_demo(o->command, number);
		if (!seen[i] || option_taken(o->command, number) || (o->demo && for_demo))
			continue;
		option_name(number, name);
		*status = for_demo	    ? fail_usage("--%s is an option of --demo and of demo", name)
			  : command != NULL ? fail_usage("%s: unknown option --%s", command, name)
					    : fail_usage("the live view has no option --%s", name);
		return false;
	}
	if (!one_check(o, seen, status))
		return false;
	if (o->demo && (o->target != NULL || o->run != NULL)) {
		*status = fail_usage("--demo brings its own target");
		return false;
	}
	if (o->command->batch_options != 0 && !batch_check(o, seen, status))
		return false;
	if (!list_check(o, seen, status))
		return false;
	if (command != NULL && o->command->word != NULL && !o->command->word_optional && o->target == NULL &&
	    o->run == NULL) {
		*status = fail_usage("%s: no %s given", command, o->command->word);
		return false;
	}
	if (!seen[OPTION_format])
		o->format_json = names_json(o->output);
	return output_check(o, status);
}

bool options_parse(struct options *out, int argc, char **argv, int *status)
{
	struct option longs[OPTION_COUNT + 1];
	char shorts[3 * OPTION_COUNT + 2], names[OPTION_COUNT][OPTION_NAME_SIZE];
	bool seen[OPTION_COUNT] = {false};
	const char *after_wait = NULL;
	int words = argc, answer;
	uint64_t ns;

	*out = (struct options){.command = command_at(0),
	    .suggest = command_suggest,
	    .max_events = MAX_EVENTS_DEFAULT,
	    .domains = DEMO_DOMAINS_DEFAULT,
	    .rate = DEMO_RATE_DEFAULT,
	    .seed = 1};
	*status = EXIT_DONE;
	/* Options after "--" belong to COMMAND. */
	for (int i = 1; i < argc && out->run == NULL && words == argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			words = i;
			out->run = argv + i + 1;
		}
	if (out->run != NULL && out->run[0] == NULL) {
		*status = fail_usage("no COMMAND after --");
		return false;
	}
	getopt_tables(longs, shorts, names);
	opterr = 0;
	optind = 1;
	char *kept = argv[words];
	argv[words] = NULL;
	const struct command *meant = command_meant(argv + 1);
	fail_help(meant->name != NULL ? meant->name : COMMAND_NAME_TOP);
	while ((answer = getopt_long(words, argv, shorts, longs, NULL)) != -1) {
		const char *word = argv[optind - 1 - (optarg != NULL && optarg == argv[optind - 1])];
		if (answer == '?' || answer == ':' || is_abbreviation(answer, word)) {
			*status = is_abbreviation(answer, word) ? option_unknown(meant, word)
								: option_fault(meant, answer, word);
			return false;
		}
		enum option_number number = option_of(answer);
		seen[number] = true;
		if (number == OPTION_wait && optarg == NULL && optind < words &&
		    time_text_read(argv[optind], &ns))
			after_wait = argv[optind];
		if (option_table[number].argument == no_argument)
			switch_take(out, number);
		else if (!value_take(out, number, optarg, status))
			return false;
	}
	argv[words] = kept;
	bool asked = seen[OPTION_help] || seen[OPTION_version];
	if (asked && !command_take(out, words - optind, argv + optind, false, status))
		return false;
	if (seen[OPTION_help]) {
		*status = pages_print(out->command->name != NULL ? out->command : NULL);
		return false;
	}
	if (seen[OPTION_version]) {
		printf("rtevtop %s\n", rtev_version());
		return false;
	}
	return words_take(out, words - optind, argv + optind, after_wait, status) &&
	       options_check(out, seen, status);
}
