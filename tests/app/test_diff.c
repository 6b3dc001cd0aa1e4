/*
 * test_diff.c - what a comparison rests on: reading a report, and telling a change from noise.
 */
#include <errno.h>
#include <math.h>

#include "app/diff/figures.h"
#include "app/diff/json.h"
#include "app/diff/judge.h"
#include "app/diff/rows.h"
#include "support/test.h"

/* Read a text; it has to be JSON. */
static const struct json *read_json(const char *text, struct json_tree **tree, char copy[4096])
{
	const struct json *root = NULL;

	snprintf(copy, 4096, "%s", text);
	CHECK_INT(json_read(tree, &root, copy, strlen(copy)), 0);
	return root;
}

/* Each kind of value, escapes, order of members. */
static void json_values(void)
{
	char copy[4096];
	struct json_tree *tree;
	const struct json *root =
	    read_json(" {\"a\":[1,-2.5e3,0],\"b\":\"x\\u00e9\\n\\\"\\ud83d\\ude00\\ud800y\",\"c\":{},\"d\":"
		      "null,\"e\":true,\"f\":false, "
		      "\"a\":7 } ",
		&tree, copy);
	const struct json *a = json_member(root, "a"), *b = json_member(root, "b");

	CHECK_INT(a->kind, JSON_ARRAY);
	CHECK_NEAR(a->first->number, 1, 0);
	CHECK_NEAR(a->first->next->number, -2500, 0);
	CHECK(a->first->next->next->next == NULL);
	CHECK_INT(b->text_len, strlen("x\u00e9\n\"\U0001f600\ufffdy"));
	CHECK(memcmp(b->text, "x\u00e9\n\"\U0001f600\ufffdy", b->text_len) == 0);
	CHECK(json_member(root, "c")->first == NULL);
	CHECK_INT(json_member(root, "d")->kind, JSON_NULL);
	CHECK_INT(json_member(root, "e")->kind, JSON_TRUE);
	CHECK_INT(json_member(root, "f")->kind, JSON_FALSE);
	CHECK(json_member(root, "g") == NULL && isnan(json_number(json_member(root, "d"))));
	json_destroy(tree);
}

/* What is none. */
static void json_nonsense(void)
{
	static const char *const bad[] = {"", " ", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "01", "1.", "-",
	    "+1", "nul", "\"a", "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "[1]x", "{a:1}", "1e999", "[1 2]", "'a'"};
	char text[4096];
	const struct json *root;
	struct json_tree *tree;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "%s", bad[i]);
		if (json_read(&tree, &root, text, strlen(text)) != EINVAL)
			TEST_FAIL("taken for JSON: %s", bad[i]);
		CHECK(tree == NULL && root == NULL);
	}
	for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		CHECK_INT(json_read(&tree, &root, text, 2 * depth), depth == JSON_DEPTH_MAX ? 0 : EINVAL);
		json_destroy(tree);
	}
}

/* Find a figure. */
static double figure(
    const struct diff_figures *f, enum figure_group group, const char *name, const char *what)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].group == group && f->list[i].name_len == strlen(name) &&
		    memcmp(f->list[i].name, name, strlen(name)) == 0 && strcmp(f->list[i].what, what) == 0)
			return f->list[i].value;
	return NAN;
}

/* Domains add up, but not what is no amount. */
static void figures_of_domains(void)
{
	char copy[4096];
	struct json_tree *tree;
	struct diff_figures f;
	const struct json *root = read_json(
	    "{\"duration_s\":2,\"events\":9,\"lost_words\":0,\"domains\":["
	    "{\"gc_s\":0.5,\"phases\":{\"minor\":{\"count\":2,\"self_s\":0.25}},\"counters\":{\"minor_"
	    "promoted\":{\"sum\":10,"
	    "\"max\":6},\"heap\":{\"sum\":null,\"max\":5}},\"user\":{\"r\":{\"kind\":\"span\",\"count\":1,"
	    "\"total_s\":1,"
	    "\"p99_s\":0.1,\"max_s\":0.2}}},"
	    "{\"gc_s\":0.25,\"phases\":{\"minor\":{\"count\":3,\"self_s\":0.5}},\"counters\":{\"heap\":{"
	    "\"sum\":null,\"max\":9}},"
	    "\"user\":{\"r\":{\"kind\":\"span\",\"count\":2,\"total_s\":1,\"p99_s\":0.3,\"max_s\":0.4}}}],"
	    "\"pauses\":{\"count\":0,\"p99_s\":0}}",
	    &tree, copy);

	CHECK_INT(diff_figures_read(&f, root, true), 0);
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
	CHECK_INT(diff_figures_read(&f, root, false), 0);
	CHECK_INT(f.list[0].group, FIGURE_TOTAL);
	diff_figures_fini(&f);
	json_destroy(tree);
	root = read_json("{\"duration_s\":2}", &tree, copy);
	CHECK_INT(diff_figures_read(&f, root, true), EINVAL);
	json_destroy(tree);
}

/* Sets that are apart are dealt out as far apart in 2 of 252 ways, and in all where they are equal. */
static void permutation(void)
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
static void holm(void)
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
static void verdicts(void)
{
	struct figure of[2][5][3];
	struct diff_figures runs[2][5];
	const struct diff_figures *sides[2][5];
	struct rows rows;

	for (int s = 0; s < 2; s++)
		for (int r = 0; r < 5; r++) {
			of[s][r][0] = (struct figure){FIGURE_TOTAL, FIGURE_SECONDS, "duration", 8, "", false,
			    100 + r + (s == 1 ? 50 : 0)};
			of[s][r][1] =
			    (struct figure){FIGURE_TOTAL, FIGURE_COUNT, "exact", 5, "", false, 100 + s};
			of[s][r][2] = (struct figure){
			    FIGURE_PHASE, FIGURE_COUNT, s == 0 ? "old" : "new", 3, "count", true, 5};
			runs[s][r] = (struct diff_figures){.list = of[s][r], .count = 3};
			sides[s][r] = &runs[s][r];
		}
	CHECK_INT(rows_make(&rows, sides[0], 5, sides[1], 5), 0);
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
	CHECK_INT(rows_make(&rows, sides[0], 3, sides[1], 3), 0);
	CHECK_INT(rows_judge(&rows), 0);
	CHECK_INT(rows.judged, 0);
	CHECK_INT(rows.unjudged, 4);
	CHECK_INT(rows.list[0].verdict, VERDICT_NONE);
	rows_fini(&rows);
}

int main(void)
{
	RUN(json_values);
	RUN(json_nonsense);
	RUN(figures_of_domains);
	RUN(permutation);
	RUN(holm);
	RUN(verdicts);
	return 0;
}
