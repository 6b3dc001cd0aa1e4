/*
 * screen_words.h - words and numbers read off a screen that was taken as text, for tests.
 */
#pragma once

#include "support/test.h"

/* Read a number with its unit, "2.51ms", as nanoseconds; a mark of a lower bound is passed over. */
static inline double duration_of(const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;

	if (strncmp(text, "≥", strlen("≥")) == 0)
		text += strlen("≥");
	text += text[0] == '~';
	double value = strtod(text, &end);
	for (size_t i = 0; i < 4; i++)
		if (strcmp(end, units[i].unit) == 0)
			return value * units[i].ns;
	TEST_FAIL("%s is no duration", text);
}

/* Find the word after a label, from a place in the screen on. */
static inline void word_after(const char *screen, const char *label, char out[64])
{
	const char *at = strstr(screen, label);

	if (at == NULL)
		TEST_FAIL("no \"%s\" in:\n%s", label, screen);
	CHECK_INT(sscanf(at + strlen(label), " %63s", out), 1);
}

/* The word after a label is a duration within a hundredth (and the three digits shown). */
static inline void expect_duration(const char *screen, const char *label, uint64_t ns, bool bound)
{
	char word[64];

	word_after(screen, label, word);
	CHECK_NEAR(duration_of(word), (double)ns, (double)ns * 0.015);
	CHECK_INT(strncmp(word, "≥", strlen("≥")) == 0 || word[0] == '~', bound);
}

/* The word after a label is this. */
static inline void expect_word(const char *screen, const char *label, const char *expected)
{
	char word[64];

	word_after(screen, label, word);
	if (strcmp(word, expected) != 0)
		TEST_FAIL("%s %s, expected %s in:\n%s", label, word, expected, screen);
}

/* The line of the screen that begins with a word. */
static inline char *line_of(const char *screen, const char *word)
{
	static char line[1024];
	const char *at = screen;
	char first[64];

	for (; at != NULL && *at != '\0'; at = strchr(at, '\n') != NULL ? strchr(at, '\n') + 1 : NULL) {
		if (sscanf(at, " %63s", first) != 1 || strcmp(first, word) != 0)
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
		return line;
	}
	TEST_FAIL("no line %s in:\n%s", word, screen);
}

/* Cut a line into its words; returns how many. */
static inline int words_of(char *line, char *words[32])
{
	int count = 0;

	for (char *w = strtok(line, " "); w != NULL && count < 32; w = strtok(NULL, " "))
		words[count++] = w;
	return count;
}
