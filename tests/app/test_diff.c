/*
 * test_diff.c - what a comparison rests on: reading a report, and telling a change from noise.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "app/diff/diff.h"
#include "support/test.h"

/* Read the figures of a text, which is copied first. */
static int read_copy(struct diff_figures *out, const char *text, size_t len, bool per_time, json_error_t *why)
{
	char *copy = malloc(len + 1);

	CHECK(copy != NULL);
	memcpy(copy, text, len);
	int error = diff_figures_read(out, copy, len, per_time, why);
	free(copy);
	return error;
}

/* Find a figure. */
static double figure(
    const struct diff_figures *f, enum figure_group group, const char *name, const char *what)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].group == group && strcmp(f->list[i].name, name) == 0 &&
		    strcmp(f->list[i].what, what) == 0)
			return f->list[i].value;
	return NAN;
}

/* A process without events: what is not known is no figure, and no fault of the report. */
TEST(a_report_without_events)
{
	struct diff_figures f;
	json_error_t why;
	const char *text =
	    "{\"duration_s\":2,\"events\":0,\"lost_words\":0,\"domains\":[{\"domain\":0,\"gc_s\":"
	    "null,\"gc_share\":null,\"phases\":null,\"counters\":null,\"user\":null,\"wait_s\":"
	    "null}],\"pauses\":null,\"worst\":null}";

	CHECK_INT(read_copy(&f, text, strlen(text), true, &why), 0);
	CHECK_NEAR(figure(&f, FIGURE_TOTAL, "events", ""), 0, 0);
	CHECK(isnan(figure(&f, FIGURE_TOTAL, "gc, all domains", "")));
	CHECK(isnan(figure(&f, FIGURE_TOTAL, "minors, all domains", "")));
	CHECK(isnan(figure(&f, FIGURE_TOTAL, "pauses", "")));
	CHECK(figures_pauses(&f) == NULL);
	diff_figures_fini(&f);
}

/* Domains add up, but not what is no amount. */
TEST(figures_of_domains)
{
	struct diff_figures f;
	json_error_t why;
	const char *text =
	    "{\"duration_s\":2,\"events\":9,\"lost_words\":0,\"domains\":["
	    "{\"gc_s\":0.5,\"phases\":{\"minor\":{\"count\":2,\"self_s\":0.25}},\"counters\":{\"minor_"
	    "promoted\":{\"sum\":10,"
	    "\"max\":6},\"heap\":{\"sum\":null,\"max\":5}},\"user\":{\"r\":{\"kind\":\"span\",\"count\":1,"
	    "\"total_s\":1,"
	    "\"p99_s\":0.1,\"max_s\":0.2}}},"
	    "{\"gc_s\":0.25,\"phases\":{\"minor\":{\"count\":3,\"self_s\":0.5}},\"counters\":{\"heap\":{"
	    "\"sum\":null,\"max\":9}},"
	    "\"user\":{\"r\":{\"kind\":\"span\",\"count\":2,\"total_s\":1,\"p99_s\":0.3,\"max_s\":0.4}}}],"
	    "\"pauses\":{\"count\":0,\"p99_s\":null}}";

	CHECK_INT(read_copy(&f, text, strlen(text), true, &why), 0);
	CHECK_NEAR(figure(&f, FIGURE_TOTAL, "duration", ""), 2, 0);
	CHECK_NEAR(figure(&f, FIGURE_TOTAL, "gc, all domains", ""), 0.75, 0);
	CHECK_NEAR(figure(&f, FIGURE_TOTAL, "minors, all domains", ""), 5, 0);
	CHECK_NEAR(figure(&f, FIGURE_TOTAL, "promoted", ""), 10, 0);
	CHECK(isnan(figure(&f, FIGURE_TOTAL, "pause p99", "")));
	CHECK(isnan(figure(&f, FIGURE_TOTAL, "cpu time", "")));
	CHECK_NEAR(figure(&f, FIGURE_PHASE, "minor", "self"), 0.75, 0);
	CHECK_NEAR(figure(&f, FIGURE_COUNTER, "heap", "max"), 9, 0);
	CHECK(isnan(figure(&f, FIGURE_COUNTER, "heap", "sum")));
	CHECK_NEAR(figure(&f, FIGURE_USER, "r", "total"), 2, 0);
	CHECK_NEAR(figure(&f, FIGURE_USER, "r", "worst p99"), 0.3, 0);
	CHECK_NEAR(figure(&f, FIGURE_PER_TIME, "gc, all domains", "a second"), 0.375, 0);
	CHECK_NEAR(figure(&f, FIGURE_PER_TIME, "minors, all domains", "a second"), 2.5, 0);
	CHECK_NEAR(figure(&f, FIGURE_PER_TIME, "promoted", "a second"), 5, 0);
	CHECK(isnan(figure(&f, FIGURE_PER_TIME, "duration", "a second")));
	CHECK_INT(f.list[0].group, FIGURE_PER_TIME);
	diff_figures_fini(&f);
	CHECK_INT(read_copy(&f, text, strlen(text), false, &why), 0);
	CHECK_INT(f.list[0].group, FIGURE_TOTAL);
	diff_figures_fini(&f);
}

/* A report of one domain: a number as its duration and the name of a user event. */
#define REPORT(number, name)                                                                                 \
	" {\"duration_s\":" number ",\"domains\":[{\"phases\":{},\"counters\":{},\"user\":{\"" name          \
	"\":{\"count\":1}}}],\"pauses\":null}\n"

/* Any number of JSON is the nearest double, and a name is what its escapes stand for, but for NUL. */
TEST(numbers_and_names)
{
	static const struct {
		const char *text;
		double number;
	} numbers[] = {
	    {REPORT("0", "x"), 0},
	    {REPORT("-2.5e3", "x"), -2500},
	    {REPORT("9007199254740993", "x"), 9007199254740992.0},
	    {REPORT("9223372036854775808", "x"), 9223372036854775808.0},
	    {REPORT("18446744073709551615", "x"), 18446744073709551615.0},
	    {REPORT("1000000000000000000000000000000", "x"), 1e30},
	    {REPORT("0.1", "x"), 0.1},
	    {REPORT("1e-400", "x"), 0},
	};
	const char *text = REPORT("1", "\\u00e9\\n\\\"\\ud83d\\ude00\\u0000\\\\u0000");
	struct diff_figures f;
	json_error_t why;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		CHECK_INT(read_copy(&f, numbers[i].text, strlen(numbers[i].text), false, &why), 0);
		CHECK_NEAR(figure(&f, FIGURE_TOTAL, "duration", ""), numbers[i].number, 0);
		diff_figures_fini(&f);
	}
	CHECK_INT(read_copy(&f, text, strlen(text), false, &why), 0);
	CHECK_NEAR(figure(&f, FIGURE_USER, "\u00e9\n\"\U0001f600\ufffd\\u0000", "count"), 1, 0);
	diff_figures_fini(&f);
}

/* Check that a text is refused at a place, for a reason that begins with `what`. */
static void refused(const char *text, size_t len, int line, int column, const char *what)
{
	struct diff_figures f;
	json_error_t why;

	CHECK_INT(read_copy(&f, text, len, true, &why), EINVAL);
	CHECK(f.report == NULL && f.list == NULL);
	if (strncmp(why.text, what, strlen(what)) != 0)
		TEST_FAIL("%.60s: refused as: %s", text, why.text);
	CHECK_INT(why.line, line);
	CHECK_INT(why.column, column);
}

/* What is no JSON, or exceeds a bound, is refused at its line and column. */
TEST(refusals)
{
	static const struct {
		const char *text;
		int line, column;
		const char *what;
	} bad[] = {
	    {"", 1, 0, "'[' or '{' expected"},
	    {"{", 1, 1, "string or '}' expected"},
	    {"7", 1, 1, "'[' or '{' expected"},
	    {"[1,]", 1, 4, "unexpected token"},
	    {"[01]", 1, 2, "invalid token"},
	    {"[1e999]", 1, 6, "real number overflow"},
	    {"[\"a\nb\"]", 1, 3, "unexpected newline"},
	    {"[\"\\ud800\"]", 1, 9, "invalid Unicode"},
	    {"[\"\xff\"]", 1, 2, "unable to decode byte 0xff"},
	    {"{\"\303\251\":1,\n \"a\":2,\"a\":3}", 2, 10, "duplicate object key"},
	    {"{\"a\":{\"b\":1,\"c\":2,\"b\":1}}", 1, 21, "duplicate object key"},
	    {"{}\n{}", 2, 1, "end of file expected"},
	    {"[1]x", 1, 4, "end of file expected"},
	};
	struct diff_figures f;
	json_error_t why;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i].text, strlen(bad[i].text), bad[i].line, bad[i].column, bad[i].what);
	refused("{}\0", 3, 1, 3, "end of file expected");
	CHECK_INT(read_copy(&f, "{\"duration_s\":2}", 16, true, &why), EINVAL);
	CHECK_STR(why.text, "");
}

/* The deepest text that is read, and one that is deeper.  A bracket in a string opens nothing. */
TEST(depth)
{
	char text[4096] = "[\"\303\251\\\"[[\",\n";
	size_t start = strlen(text);

	for (size_t more = 63; more <= 64; more++) {
		memset(text + start, '[', more);
		memset(text + start + more, ']', more + 1);
		struct diff_figures f;
		json_error_t why;
		if (more == 64) {
			refused(text, start + 2 * more + 1, 2, 64, "nested deeper than 64");
			break;
		}
		CHECK_INT(read_copy(&f, text, start + 2 * more + 1, true, &why), EINVAL);
		CHECK_STR(why.text, "");
	}
	/* Siblings are no deeper than one of them, and what closes too much makes no room. */
	memset(text, '[', 3000);
	refused(text, 3000, 1, 65, "nested deeper than 64");
	for (size_t i = 0; i < 2000; i++)
		memcpy(text + 2 * i, "[]", 2);
	refused(text, 4000, 1, 3, "end of file expected");
	memset(text, ']', 100);
	memset(text + 100, '[', 65);
	refused(text, 165, 1, 165, "nested deeper than 64");
}

/* A text as long as a report may be, one that is longer, and one with more values than a report has. */
TEST(size)
{
	size_t len = DIFF_REPORT_BYTES_MAX + 1;
	char *text = malloc(len);
	struct diff_figures f;
	json_error_t why;

	CHECK(text != NULL);
	memset(text, ' ', len);
	memcpy(text, "{}\n", 3);
	CHECK_INT(read_copy(&f, text, len - 1, true, &why), EINVAL);
	CHECK_STR(why.text, "");
	refused(text, len, 2, (int)len - 3, "longer than 32 MiB");
	text[0] = '[';
	for (size_t i = 1; i < len; i++)
		text[i] = "[],"[(i - 1) % 3];
	refused(text, len - 1, 1, 786433, "too many values");
	free(text);
}

/* Sets that are apart are dealt out as far apart in 2 of 252 ways, and in all where they are equal. */
TEST(permutation)
{
	const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10}, same[] = {3, 3, 3, 3, 3};
	const double mixed[] = {1, 3, 5, 7}, other[] = {2, 4, 6, 8};
	double many[2][20];

	CHECK_NEAR(judge_permutation(low, 5, high, 5), 2.0 / 252, 1e-12);
	CHECK_NEAR(judge_permutation(high, 5, low, 5), 2.0 / 252, 1e-12);
	CHECK_NEAR(judge_permutation(same, 5, same, 5), 1, 0);
	/* Of the 70 ways, those in which the sums differ by at least 4: counted by hand. */
	CHECK_NEAR(judge_permutation(mixed, 4, other, 4), 48.0 / 70, 1e-12);
	CHECK(isnan(judge_permutation(low, 0, high, 5)));
	/* As many values as all assignments are counted for, and one more. */
	double eight[] = {1, 2, 3, 4, 5, 6, 7, 8}, others[] = {11, 12, 13, 14, 15, 16, 17, 18, 19};
	CHECK_NEAR(
	    judge_permutation(eight, JUDGE_EXACT_MAX / 2, others, JUDGE_EXACT_MAX / 2), 2.0 / 12870, 1e-12);
	CHECK(judge_permutation(eight, 8, others, 9) * (JUDGE_DRAWN + 1) < 20);
	for (int i = 0; i < 20; i++) {
		many[0][i] = i % 7;
		many[1][i] = i % 7 + 3;
	}
	CHECK(judge_permutation(many[0], 20, many[1], 20) < 0.001);
	CHECK(judge_permutation(many[0], 20, many[0], 20) > 0.9);
	CHECK_INT(judge_figures_max(5), 6);
	CHECK_INT(judge_figures_max(3), 0);
	CHECK_INT(judge_figures_max(4), 1);
	CHECK_INT(judge_figures_max(0), 0);
}

/* Holm's own example of steps: each is corrected by those not yet rejected, and none below the one before. */
TEST(holm)
{
	double p[] = {0.04, 0.01, 0.03, 0.005};
	double *of[] = {&p[0], &p[1], &p[2], &p[3]};

	judge_holm(of, 4);
	CHECK_NEAR(p[3], 0.02, 1e-12);
	CHECK_NEAR(p[1], 0.03, 1e-12);
	CHECK_NEAR(p[2], 0.06, 1e-12);
	CHECK_NEAR(p[0], 0.06, 1e-12);
}

/* Figures of two sides of five runs each: one that changes, one that changes by too little, one that only one
 * side has. */
TEST(verdicts)
{
	struct figure of[2][5][3];
	struct diff_figures runs[2][5];
	struct compared sides[SIDES];
	struct rows rows;

	for (int s = 0; s < 2; s++)
		for (int r = 0; r < 5; r++) {
			of[s][r][0] = (struct figure){
			    FIGURE_TOTAL, UNIT_SECONDS, "duration", "", false, 100 + r + (s == 1 ? 50 : 0)};
			of[s][r][1] = (struct figure){FIGURE_TOTAL, UNIT_COUNT, "exact", "", false, 100 + s};
			of[s][r][2] = (struct figure){
			    FIGURE_PHASE, UNIT_COUNT, s == 0 ? "old" : "new", "count", true, 5};
			runs[s][r] = (struct diff_figures){.list = of[s][r], .count = 3};
			sides[s] = (struct compared){.reports = runs[s], .runs = 5};
		}
	CHECK_INT(rows_make(&rows, sides), 0);
	CHECK_INT(rows_judge(&rows), 0);
	CHECK_INT(rows.count, 4);
	CHECK_STR(rows.list[0].figure.name, "duration");
	CHECK_NEAR(rows.list[0].change, 50.0 / 102, 1e-9);
	CHECK_INT(rows.list[0].verdict, VERDICT_CHANGED);
	CHECK_INT(rows.list[1].verdict, VERDICT_NOISE);
	CHECK(rows.list[1].p_holm <= JUDGE_LEVEL);
	CHECK_STR(rows.list[2].figure.name, "new");
	CHECK(isinf(rows.list[2].change));
	CHECK_INT(rows.list[2].verdict, VERDICT_CHANGED);
	CHECK_NEAR(rows.list[3].change, -1, 0);
	CHECK_INT(rows.judged, 4);
	rows_fini(&rows);
	/* Three runs of each can judge nothing. */
	sides[SIDE_A].runs = sides[SIDE_B].runs = 3;
	CHECK_INT(rows_make(&rows, sides), 0);
	CHECK_INT(rows_judge(&rows), 0);
	CHECK_INT(rows.judged, 0);
	CHECK_INT(rows.unjudged, 4);
	CHECK_INT(rows.list[0].verdict, VERDICT_NONE);
	rows_fini(&rows);
}
