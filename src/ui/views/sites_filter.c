/*
 * sites_filter.c - see sites_filter.h.
 */
#include "ui/views/sites_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/widgets/time_text.h"

/* Maximum bytes of a word in a problem text. */
enum { WORD_SHOWN = 24 };

/* Parse one end of a time range, in microseconds. */
static bool read_end(const char *text, int64_t *out)
{
	uint64_t ns;

	if (!time_text_read(text, &ns))
		return false;
	*out = (int64_t)(ns / 1000);
	return true;
}

/* Read "FROM-TO". */
static const char *take_time(struct trace_filter *out, const char *value)
{
	char from[TRACE_FILTER_TEXT];
	const char *hyphen = strchr(value, '-');
	/* A range from 0 includes slightly earlier stamps: the domains' clocks may differ. */
	int64_t begin = INT64_MIN, end = INT64_MAX;

	if (hyphen == NULL)
		return "as in time:1s-2s, time:1s- or time:-2s";
	snprintf(from, sizeof(from), "%.*s", (int)(hyphen - value), value);
	if ((from[0] != '\0' && !read_end(from, &begin)) ||
	    (hyphen[1] != '\0' && !read_end(hyphen + 1, &end)))
		return "times are such as 10s, 250ms or 3m";
	if (begin > end)
		return "ends before it begins";
	out->from = begin == 0 ? INT64_MIN : begin;
	out->to = end;
	/* A range over the whole trace is no restriction and needs no new reading. */
	if (out->from == INT64_MIN && out->to == INT64_MAX)
		out->from = out->to = 0;
	return NULL;
}

/* Read a domain. */
static const char *take_domain(struct trace_filter *out, const char *value)
{
	const char *problem;
	long long domain = strtonum(value, 0, UINT16_MAX, &problem);

	if (problem != NULL || value[strspn(value, "0123456789")] != '\0')
		return "a domain is a number";
	out->sites.one_domain = true;
	out->sites.domain = (uint16_t)domain;
	return NULL;
}

/* Take a part of a file's name. */
static const char *take_file(struct trace_filter *out, const char *value)
{
	strlcpy(out->file, value, sizeof(out->file));
	out->sites.file = value[0] != '\0' ? out->file : NULL;
	return NULL;
}

/* Words with a key; each parser returns an error text or NULL. */
static const struct {
	const char *key;
	const char *(*take)(struct trace_filter *out, const char *value);
} keys[] = {{"file:", take_file}, {"domain:", take_domain}, {"time:", take_time}};

/* Format a problem; a long word is cut, so that the reason fits. */
static void tell_problem(struct trace_filter *out, const char *word, const char *problem)
{
	int len = (int)strlen(word), shown = len;

	if (len > WORD_SHOWN)
		for (shown = WORD_SHOWN; shown > 0 && ((unsigned char)word[shown] & 0xc0) == 0x80;)
			shown--;
	snprintf(
	    out->problem, sizeof(out->problem), "%.*s%s: %s", shown, word, shown < len ? ".." : "", problem);
}

static void take_word(struct trace_filter *out, const char *word)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t len = strlen(keys[i].key);
		if (strncmp(word, keys[i].key, len) != 0)
			continue;
		const char *problem = keys[i].take(out, word + len);
		if (problem != NULL)
			tell_problem(out, word, problem);
		return;
	}
	if (out->function[0] != '\0')
		strlcat(out->function, " ", sizeof(out->function));
	strlcat(out->function, word, sizeof(out->function));
	out->sites.function = out->function;
}

void trace_filter_read(struct trace_filter *out, const char *text)
{
	char words[TRACE_FILTER_TEXT], *rest = words, *word;

	*out = (struct trace_filter){0};
	strlcpy(words, text, sizeof(words));
	while ((word = strsep(&rest, " ")) != NULL)
		if (word[0] != '\0')
			take_word(out, word);
}
