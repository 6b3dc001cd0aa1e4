/*
 * test_trace_filter.c - the filter of the memtrace views, and spans of time, as they are typed.
 */
#include "support/test.h"

#include <string.h>

#include "print/number.h"
#include "ui/views/sites_state.h"
#include "support/test_memtrace_data.h"

TEST(test_times)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"0", 0}, {"0.5", 500000000}, {"2s", 2000000000}, {"250ms", 250000000}, {"40us", 40000},
	    {"3m", 180000000000}, {"1h", 3600000000000}, {".5", 500000000},
	    {"1000000000", 1000000000000000000}};
	static const char *const bad[] = {"", "s", "-1", "+1", " 1", "1 ", "1d", "0x10", "inf", "nan", "1e3",
	    "1.2.3", "1000000001", "99999999h", "1ss", "."};
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		CHECK(time_text_read(good[i].text, &ns));
		CHECK_INT(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (time_text_read(bad[i], &ns))
			TEST_FAIL("\"%s\" was read as %llu", bad[i], (unsigned long long)ns);
}

TEST(test_words)
{
	struct trace_filter f;

	trace_filter_read(&f, "");
	CHECK(f.sites.function == NULL && f.sites.file == NULL && !f.sites.one_domain);
	CHECK(f.from == 0 && f.to == 0 && f.problem[0] == '\0');
	trace_filter_read(&f, "  Set.add   file:set.ml domain:12  time:10s-250000ms ");
	CHECK_STR(f.sites.function, "Set.add");
	CHECK_STR(f.sites.file, "set.ml");
	CHECK(f.sites.one_domain && f.sites.domain == 12);
	CHECK_INT(f.from, 10000000);
	CHECK_INT(f.to, 250000000);
	CHECK_STR(f.problem, "");
	/* Words that have no key are one part of a name. */
	trace_filter_read(&f, "fun: domain:0 b");
	CHECK_STR(f.sites.function, "fun: b");
	CHECK(f.sites.one_domain && f.sites.domain == 0);
	/* Open ends. */
	trace_filter_read(&f, "time:2m-");
	CHECK(f.from == 120000000 && f.to == INT64_MAX && f.sites.function == NULL);
	trace_filter_read(&f, "time:-1.5");
	CHECK(f.from == INT64_MIN && f.to == 1500000);
	trace_filter_read(&f, "time:0-0");
	CHECK(f.from == INT64_MIN && f.to == 0);
	/* What is not finished yet holds nothing back. */
	trace_filter_read(&f, "file:");
	CHECK(f.sites.file == NULL && f.sites.function == NULL && f.problem[0] == '\0');
}

TEST(test_problems)
{
	static const char *const bad[] = {"time:", "time:10s", "time:x-y", "time:20s-10s", "time:1--2",
	    "domain:", "domain:x", "domain:-1", "domain:65536", "domain:1x"};
	struct trace_filter f;
	char text[TRACE_FILTER_TEXT];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "name %s file:a", bad[i]);
		trace_filter_read(&f, text);
		if (strncmp(f.problem, bad[i], strlen(bad[i])) != 0)
			TEST_FAIL("%s: the problem is \"%s\"", bad[i], f.problem);
		CHECK(!f.sites.one_domain && f.from == 0 && f.to == 0);
		CHECK_STR(f.sites.function, "name");
		CHECK_STR(f.sites.file, "a");
	}
}

/* Any text can be read; what comes out makes sense. */
TEST(test_any)
{
	static const char *const pieces[] = {"file:", "domain:", "time:", "10s", "-", " ", "7", "x", ":", ".",
	    "ms", "\xc3\xa9", "\x1b", "99999999999999999999"};
	uint64_t random = 1;

	for (int round = 0; round < 200000; round++) {
		struct trace_filter f;
		char text[200] = "";
		for (uint64_t n = next_random(&random) % 12; n > 0; n--)
			strlcat(text, pieces[next_random(&random) % (sizeof(pieces) / sizeof(pieces[0]))],
			    sizeof(text));
		trace_filter_read(&f, text);
		CHECK(f.from <= f.to);
		CHECK(f.sites.function == NULL || (f.sites.function == f.function && f.function[0] != '\0'));
		CHECK(f.sites.file == NULL || (f.sites.file == f.file && f.file[0] != '\0'));
		CHECK(strlen(f.function) < sizeof(f.function) && strlen(f.problem) < sizeof(f.problem));
	}
}

/* A problem is short enough for a screen of 80 columns, and cuts no character. */
TEST(test_problem_length)
{
	struct trace_filter f;

	trace_filter_read(&f, "time:aaaaaaaaaaaaaaaaaa\u20ac\u20acaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	CHECK_STR(f.problem, "time:aaaaaaaaaaaaaaaaaa..: as in time:1s-2s, time:1s- or time:-2s");
	trace_filter_read(&f, "domain:aaaaaaaaaaaaaaaaa");
	CHECK_STR(f.problem, "domain:aaaaaaaaaaaaaaaaa: a domain is a number");
}
