/*
 * options.c - parse the command line.
 */
#include "app/options.h"

#include <getopt.h>
#include <signal.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "code/sampler.h"
#include "app/fail.h"
#include "files/naming.h"
#include "rtev/producer.h"
#include "print/number.h"
#include "target/processes.h"

#define MAX_EVENTS_DEFAULT 65536
#define DEMO_DOMAINS_DEFAULT 4
#define DEMO_RATE_DEFAULT 20000

/* ---- the values of options ---- */

/* Take a number.  Returns an exit status; this and the functions below have reported any error. */
static int number_take(enum option_number number, const char *text, uint64_t *out)
{
	long long low = (long long)option_table[number].low, high = (long long)option_table[number].high;
	const char *problem;

	*out = (uint64_t)strtonum(text, low, high, &problem);
	if (problem == NULL)
		return EXIT_DONE;
	return fail_usage("--%s %s: %s (%lld to %lld)", option_name(number), text, problem, low, high);
}

/* Take a time; with `ms`, the unit is milliseconds if none is given. */
static int time_take(enum option_number number, const char *text, bool ms, uint64_t *out)
{
	uint64_t low = option_table[number].low;
	char suffixed[64];

	snprintf(suffixed, sizeof(suffixed), "%s%s", text, ms ? "ms" : "");
	bool is_time =
	    time_text_read(ms ? suffixed : text, out) || (ms && *out == 0 && time_text_read(text, out));
	bool too_long = *out > TIME_TEXT_MAX_NS;
	if (is_time && *out >= low)
		return EXIT_DONE;
	if (!is_time && !too_long)
		return fail_usage("--%s %s: not %s", option_name(number), text,
		    ms ? "a number of milliseconds" : "a span of time such as 0.5 or 250ms");
	return fail_usage("--%s %s: too %s (%llu%s to %llus)", option_name(number), text,
	    too_long ? "long" : "short", (unsigned long long)(low >= 1000000 ? low / 1000000 : low / 1000),
	    low >= 1000000 ? "ms" : "us", (unsigned long long)(TIME_TEXT_MAX_NS / 1000000000u));
}

/* Take a text that must not be empty. */
static int text_take(enum option_number number, const char *text, const char **out)
{
	*out = text;
	return text[0] != '\0' ? EXIT_DONE : fail_usage("--%s: the value is empty", option_name(number));
}

/* Take one of the option's words. */
static int choice_take(enum option_number number, const char *text, unsigned *out)
{
	char words[128] = "";

	*out = option_choice(number, text);
	if (*out != 0)
		return EXIT_DONE;
	for (const char *const *word = option_choices(number); *word != NULL; word++) {
		strlcat(words, words[0] != '\0' ? ", " : "", sizeof(words));
		strlcat(words, *word, sizeof(words));
	}
	return fail_usage("--%s %s: none of %s", option_name(number), text, words);
}

/* Take an option; `value` is NULL if it has none. */
static int option_take(struct options *o, enum option_number number, const char *value)
{
	void *into = (char *)o + option_table[number].member;

	switch (option_table[number].take) {
	case TAKE_NOTHING:
		break;
	case TAKE_SWITCH:
		*(bool *)into = true;
		break;
	case TAKE_NUMBER:
		return number_take(number, value, into);
	case TAKE_TIME:
	case TAKE_MS:
		return time_take(number, value, option_table[number].take == TAKE_MS, into);
	case TAKE_WAIT:
		*(uint64_t *)into = UINT64_MAX;
		return value != NULL ? time_take(number, value, false, into) : EXIT_DONE;
	case TAKE_CODE:
		*(uint64_t *)into = CODE_HZ;
		return value != NULL ? number_take(number, value, into) : EXIT_DONE;
	case TAKE_TEXT:
		return text_take(number, value, into);
	case TAKE_WORD:
		*(const char **)into = value;
		break;
	case TAKE_LABEL:
		if (o->label_count == OPTIONS_LABELS_MAX)
			return fail_usage("--label: at most %d of them", OPTIONS_LABELS_MAX);
		return text_take(number, value, &o->labels[o->label_count++]);
	case TAKE_OCAML:
		o->ocaml = value;
		if (rtev_release_from_version(value) == RTEV_RELEASE_UNKNOWN)
			return fail_usage("--ocaml %s: not an OCaml 5 version such as 5.3.0", value);
		break;
	case TAKE_CHOICE:
		return choice_take(number, value, into);
	}
	return EXIT_DONE;
}

/* ---- the words of the command line ---- */

/* Fill in the long and short options of getopt. */
static void getopt_tables(struct option longs[OPTION_COUNT + 1], char shorts[3 * OPTION_COUNT + 2])
{
	char *at = shorts;

	*at++ = ':';
	for (int i = 0; i < OPTION_COUNT; i++) {
		const int argument = option_argument((enum option_number)i);
		longs[i] = (struct option){option_name((enum option_number)i), argument, NULL, 256 + i};
		if (option_table[i].letter != 0)
			*at++ = option_table[i].letter;
		if (option_table[i].letter != 0 && argument == required_argument)
			*at++ = ':';
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

/* Report an option that a subcommand does not have, and name those that begin with the word, else the most
 * similar one.  Returns an exit status. */
static int option_unknown(const struct command *command, const char *word)
{
	char typed[OPTION_NAME_SIZE], meant[256] = "";
	const char *taken[OPTION_COUNT];
	size_t count = 0, used = 0;

	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (int i = 0; i < OPTION_COUNT; i++) {
		enum option_number number = (enum option_number)i;
		if (option_taken(command, number) || option_taken_for_demo(command, number))
			taken[count++] = option_name(number);
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

/* Whether getopt accepted an abbreviation as a long option.  Scripts that use one would fail once another
 * option began alike. */
static bool is_abbreviation(int answer, const char *word)
{
	int number = answer >= 256 ? answer : answer == '?' || answer == ':' ? optopt : 0;

	return number >= 256 && strncmp(word, "--", 2) == 0 &&
	       strcspn(word + 2, "=") < strlen(option_name((enum option_number)(number - 256)));
}

/* Report an error of getopt; `word` is the last word that it processed.  Returns an exit status. */
static int option_fault(const struct command *command, int answer, const char *word)
{
	/* getopt may be in the middle of a word of several letters. */
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

/* Return the subcommand that the words most likely name, for messages about options. */
static const struct command *command_meant(char **words)
{
	for (const struct command *command; *words != NULL; words++)
		if ((command = command_find(*words)) != NULL)
			return command;
	return command_at(0);
}

/* Whether a word is a TARGET, or may be a misspelt one.  A plain word is a TARGET only if a file or a process
 * has that name. */
static bool could_be_target(const char *word)
{
	struct stat st;

	return word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")] != '\0' || lstat(word, &st) == 0 ||
	       process_called(word);
}

/* Take the first word if it is a subcommand.  Returns an exit status after reporting a misspelt one.  `alone`: the
 * word may also be a TARGET. */
static int command_take(struct options *o, int count, char **words, bool alone)
{
	const struct command *command = count > 0 ? command_find(words[0]) : NULL;

	if (command != NULL)
		o->command = command;
	if (count == 0 || command != NULL || alone || words[0][0] == '\0' || could_be_target(words[0]))
		return EXIT_DONE;
	return command_unknown(words[0]);
}

/* Whether a word is the pid of a process that runs. */
static bool is_process(const char *word)
{
	char *end;
	long pid = strtol(word, &end, 10);

	return *end == '\0' && pid > 0 && pid <= INT32_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

/* Take the words that are no options: the subcommand and its words.  `after_wait`: the word behind --wait if
 * it is a time, or NULL. */
static int words_take(struct options *o, int count, char **words, const char *after_wait)
{
	int status = command_take(o, count, words, count == 1);
	const struct command *command = o->command;
	int at = command->name != NULL;

	if (status != EXIT_DONE)
		return status;
	o->targets = words + at;
	if (after_wait != NULL && count - at + (o->run != NULL) > 1 &&
	    !(command->words > 1 && is_process(after_wait)))
		return fail_usage("--wait %s: did you mean --wait=%s?", after_wait, after_wait);
	for (int most = command->words != 0 ? command->words : 1;
	     at < count && command->word != NULL && o->target_count < most; at++, o->target_count++)
		if (words[at][0] == '\0')
			return fail_usage("%s is empty", command->word);
	if (o->target_count > 0)
		o->target = o->targets[0];
	if (at < count)
		return command->name != NULL
			   ? fail_usage("%s: one word too many: %s", command->name, words[at])
			   : fail_usage("one word too many: %s", words[at]);
	if (o->run != NULL && (o->target != NULL || command->word == NULL || command->no_command))
		return fail_usage("-- %s: %s", o->run[0],
		    o->target != NULL ? "there is a TARGET already" : "this command takes no COMMAND");
	return EXIT_DONE;
}

/* ---- which options go together ---- */

/* Whether the name of the output file asks for Chrome's JSON. */
static bool names_json(const char *name)
{
	struct stat st;
	size_t len = name != NULL ? strlen(name) : 0;

	return len > 5 && strcasecmp(name + len - 5, ".json") == 0 &&
	       !(stat(name, &st) == 0 && S_ISDIR(st.st_mode));
}

static int output_check(const struct options *o)
{
	char unknown[2] = "";
	struct stat st;

	if (o->command->own_output)
		return EXIT_DONE;
	bool one = o->command->records && o->on_pause_ns == 0;
	if (one && o->output == NULL)
		return fail_usage("%s: give a file to record to: -o FILE", o->command->name);
	if (!one && o->output != NULL && strcmp(o->output, "-") == 0) {
		say("Give a file or a directory; ./- is a file of that name.",
		    "-o -: this command writes no recording to standard output");
		return EXIT_USAGE;
	}
	if (!one && o->force)
		return fail_usage("--force: the files of --on-pause are new ones, none is ever replaced");
	if (o->output == NULL || (!one && stat(o->output, &st) == 0 && S_ISDIR(st.st_mode)))
		return EXIT_DONE;
	if (!naming_valid(o->output, unknown))
		return fail_usage(
		    "-o %s: %%%s is none of %%p (pid), %%t (time), %%n (number), %%%%", o->output, unknown);
	if (o->on_pause_ns != 0 && !naming_varies(o->output))
		return fail_usage(
		    "-o %s: neither a directory nor a name with %%t (time) or %%n (number) in it", o->output);
	return EXIT_DONE;
}

/* Return the first of the given options that is in a set, from `from` on; OPTION_COUNT: none. */
static enum option_number first_of(uint64_t seen, uint64_t set, int from)
{
	while (from < OPTION_COUNT && (seen & set & UINT64_C(1) << from) == 0)
		from++;
	return (enum option_number)from;
}

/* Check options that only the screen or only plain reports take.  Without a terminal on standard output the
 * live view prints reports, unless an option asks for the screen. */
static int batch_check(struct options *o, uint64_t seen)
{
	uint64_t too = o->command->batch_options;
	bool named = o->target != NULL || o->run != NULL;

	o->batch_asked = o->batch;
	o->batch |= named && !isatty(STDOUT_FILENO) && (seen & ~(too | OPT(no_color) | OPT(ascii))) == 0;
	enum option_number wrong = !o->batch	    ? first_of(seen, too & ~OPTS_BATCH_TOO, 0)
				   : o->batch_asked ? first_of(seen, ~(too | OPTS_BATCH_TOO), 0)
						    : OPTION_COUNT;
	if (wrong == OPTION_COUNT)
		return EXIT_DONE;
	return o->batch ? fail_usage("--%s is no option of plain reports (-b)", option_name(wrong))
			: fail_usage("--%s is an option of -b", option_name(wrong));
}

/* Check the options of a live view that has neither a TARGET nor a terminal: it prints the list, which takes
 * none of them, except those that only concern the look of text. */
static int list_check(struct options *o, uint64_t seen)
{
	enum option_number wrong = first_of(seen, ~(OPT(no_color) | OPT(ascii)), 0);

	o->list = o->command->name == NULL && !o->batch && !o->demo && o->target == NULL && o->run == NULL &&
		  !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
	return !o->list || wrong == OPTION_COUNT
		   ? EXIT_DONE
		   : fail_usage(
			 "--%s: without a TARGET and a terminal there is only the list", option_name(wrong));
}

/* Check that the subcommand takes the given options, and at most one from each set of exclusive ones. */
static int taken_check(const struct options *o, uint64_t seen)
{
	const struct command *c = o->command;
	uint64_t taken = c->options | OPT(help) | OPT(version) | (o->demo ? c->demo_options : 0);
	enum option_number wrong = first_of(seen, ~taken, 0);

	if (wrong < OPTION_COUNT && option_taken_for_demo(c, wrong))
		return fail_usage("--%s is an option of --demo and of demo", option_name(wrong));
	if (wrong < OPTION_COUNT)
		return c->name != NULL ? fail_usage("%s: unknown option --%s", c->name, option_name(wrong))
				       : fail_usage("the live view has no option --%s", option_name(wrong));
	enum option_number first = first_of(seen, c->one_of, 0);
	enum option_number second = first_of(seen, c->one_of, (int)first + 1);
	if (second < OPTION_COUNT)
		return fail_usage(
		    "--%s and --%s exclude each other", option_name(first), option_name(second));
	enum option_number shown = first_of(seen, OPTS_VIEW, 0);
	return first == OPTION_COUNT || shown == OPTION_COUNT
		   ? EXIT_DONE
		   : fail_usage("--%s is for the live view, which --%s takes the place of",
			 option_name(shown), option_name(first));
}

/* Check the combination of options and words. */
static int options_check(struct options *o, uint64_t seen)
{
	const struct command *c = o->command;
	int status = taken_check(o, seen);

	if (status == EXIT_DONE && o->demo && (o->target != NULL || o->run != NULL))
		status = fail_usage("--demo brings its own target");
	if (status == EXIT_DONE && c->batch_options != 0)
		status = batch_check(o, seen);
	if (status == EXIT_DONE)
		status = list_check(o, seen);
	if (status == EXIT_DONE && c->name != NULL && c->word != NULL && !c->word_optional &&
	    o->target == NULL && o->run == NULL)
		status = fail_usage("%s: no %s given", c->name, c->word);
	o->format_json = o->format != 0 ? o->format == FORMAT_JSON + 1 : names_json(o->output);
	return status == EXIT_DONE ? output_check(o) : status;
}

/* ---- all of it ---- */

/* Take the options before word number `words`.  `after_wait` is set to a time that follows --wait as a word
 * of its own. */
static int options_take(struct options *o, int words, char **argv, uint64_t *seen, const char **after_wait)
{
	struct option longs[OPTION_COUNT + 1];
	char shorts[3 * OPTION_COUNT + 2];
	int answer, status = EXIT_DONE;
	uint64_t ns;

	getopt_tables(longs, shorts);
	opterr = 0;
	optind = 1;
	const struct command *meant = command_meant(argv + 1);
	fail_help(meant->name != NULL ? meant->name : COMMAND_NAME_TOP);
	while (status == EXIT_DONE && (answer = getopt_long(words, argv, shorts, longs, NULL)) != -1) {
		const char *word = argv[optind - 1 - (optarg != NULL && optarg == argv[optind - 1])];
		if (is_abbreviation(answer, word))
			return option_unknown(meant, word);
		if (answer == '?' || answer == ':')
			return option_fault(meant, answer, word);
		enum option_number number = option_of(answer);
		*seen |= UINT64_C(1) << number;
		if (number == OPTION_wait && optarg == NULL && optind < words &&
		    time_text_read(argv[optind], &ns))
			*after_wait = argv[optind];
		status = option_take(o, number, optarg);
	}
	return status;
}

bool options_parse(struct options *out, int argc, char **argv, int *status)
{
	const char *after_wait = NULL;
	uint64_t seen = 0;
	int words = argc;

	*out = (struct options){.command = command_at(0),
	    .suggest = command_suggest,
	    .max_events = MAX_EVENTS_DEFAULT,
	    .domains = DEMO_DOMAINS_DEFAULT,
	    .rate = DEMO_RATE_DEFAULT,
	    .seed = 1};
	/* Options after "--" belong to COMMAND. */
	for (int i = 1; i < argc && out->run == NULL; i++)
		if (strcmp(argv[i], "--") == 0) {
			words = i;
			out->run = argv + i + 1;
		}
	if (out->run != NULL && out->run[0] == NULL) {
		*status = fail_usage("no COMMAND after --");
		return false;
	}
	char *kept = argv[words];
	argv[words] = NULL;
	*status = options_take(out, words, argv, &seen, &after_wait);
	argv[words] = kept;
	if (*status != EXIT_DONE)
		return false;
	if ((seen & (OPT(help) | OPT(version))) != 0) {
		*status = command_take(out, words - optind, argv + optind, false);
		if (*status != EXIT_DONE)
			return false;
		if ((seen & OPT(help)) != 0)
			*status = pages_print(out->command->name != NULL ? out->command : NULL);
		else
			printf("rtevtop %s\n", rtev_version());
		return false;
	}
	*status = words_take(out, words - optind, argv + optind, after_wait);
	if (*status == EXIT_DONE)
		*status = options_check(out, seen);
	return *status == EXIT_DONE;
}
