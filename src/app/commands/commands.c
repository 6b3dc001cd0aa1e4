/* commands.c - the tables of options and of subcommands, and the correction of misspelt words. */
#include "app/commands/commands.h"

#include <getopt.h>

#include "app/fail.h"
#include "canvas/theme.h"
#include "code/sampler.h"
#include "demo/demo.h"

#define DELAY_MIN_NS 10000000
#define TIME_MIN_NS 1000 /* shortest time that can be written without a fraction */
#define LETTERS_MAX 15	 /* longer words are not corrected */
#define FAR 3		 /* least distance that is too large */
#define ABBREVIATION 3	 /* least letters of an abbreviation */

_Static_assert(OPTION_COUNT <= 64, "a set of options is a uint64_t");

/* ---- options ---- */

const struct option_row option_table[OPTION_COUNT] = {
#define ROW(name, letter, take, value, help, member, low, high)                                              \
	{#name, letter, TAKE_##take, value, help, offsetof(struct options, member), low, high},
    OPTION_LIST(ROW)
#undef ROW
};

int option_argument(enum option_number number)
{
	const enum option_take take = option_table[number].take;

	return take <= TAKE_SWITCH ? no_argument : take <= TAKE_CODE ? optional_argument : required_argument;
}

const char *const *option_choices(enum option_number number)
{
#define WORD(name, text) text,
	static const char *const formats[] = {[FORMAT_FXT] = "fxt", [FORMAT_JSON] = "json", NULL},
				 *const graphs[] = {THEME_GRAPHS(WORD) NULL},
				 *const themes[] = {THEME_WORDS(WORD) NULL};
#undef WORD

	return number == OPTION_format	? formats
	       : number == OPTION_graph ? graphs
	       : number == OPTION_theme ? themes
					: NULL;
}

unsigned option_choice(enum option_number number, const char *word)
{
	const char *const *choices = option_choices(number);

	for (unsigned i = 0; choices[i] != NULL; i++)
		if (strcmp(choices[i], word) == 0)
			return i + 1;
	return 0;
}

const char *option_help(const struct command *command, enum option_number number)
{
	return command->help[number] != NULL ? command->help[number] : option_table[number].help;
}

const char *option_name(enum option_number number)
{
	static char names[OPTION_COUNT][OPTION_NAME_SIZE];
	char *name = names[number];

	strlcpy(name, option_table[number].name, OPTION_NAME_SIZE);
	for (char *at = name; (at = strchr(at, '_')) != NULL;)
		*at = '-';
	return name;
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

/* ---- the most similar name ---- */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned low = a < b ? a : b;

	return low < c ? low : c;
}

/* Edit distance; a swap of neighbouring letters counts once. */
static unsigned distance(const char *a, const char *b)
{
	unsigned d[LETTERS_MAX + 1][LETTERS_MAX + 1];
	size_t rows = strlen(a), columns = strlen(b);

	if (rows > LETTERS_MAX || columns > LETTERS_MAX)
		return FAR;
	for (size_t i = 0; i <= rows; i++)
		for (size_t k = 0; k <= columns; k++) {
			if (i == 0 || k == 0) {
				d[i][k] = (unsigned)(i + k);
				continue;
			}
			d[i][k] =
			    least(d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
			    d[i - 2][k - 2] + 1 < d[i][k])
				d[i][k] = d[i - 2][k - 2] + 1;
		}
	return d[rows][columns];
}

/* Distance of a name from a word; 0 if the word abbreviates the name. */
static unsigned far_from(const char *word, const char *name)
{
	size_t len = strlen(word);

	if (len >= ABBREVIATION && strncmp(word, name, len) == 0)
		return 0;
	unsigned differ = distance(word, name);
	return 2 * differ < strlen(name) ? differ : FAR;
}

const char *suggest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	unsigned nearest = FAR;

	for (size_t i = 0; i < count; i++) {
		if (names[i] == NULL)
			continue;
		unsigned far = far_from(word, names[i]);
		if (far == nearest)
			best = NULL;
		if (far < nearest) {
			nearest = far;
			best = names[i];
		}
	}
	return best;
}

/* ---- subcommands ---- */

static const struct command *const commands[] = {
#define ROW(name) &command_##name,
    COMMAND_LIST(ROW)
#undef ROW
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

const struct command *command_at(size_t i)
{
	return i < COMMAND_COUNT ? commands[i] : NULL;
}

const struct command *command_find(const char *name)
{
	for (size_t c = 0; c < COMMAND_COUNT; c++)
		if (commands[c]->name != NULL && strcmp(name, commands[c]->name) == 0)
			return commands[c];
	return NULL;
}

const char *command_suggest(const char *word)
{
	const char *names[COMMAND_COUNT];

	for (size_t c = 0; c < COMMAND_COUNT; c++)
		names[c] = commands[c]->name;
	return suggest(word, names, COMMAND_COUNT);
}

int command_unknown(const char *word)
{
	const char *meant = command_suggest(word);

	fail_help(NULL);
	return fail_usage("unknown subcommand %s%s%s%s", word, meant != NULL ? ": did you mean " : "",
	    meant != NULL ? meant : "", meant != NULL ? "?" : "");
}
