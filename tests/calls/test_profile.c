/*
 * test_profile.c - counts of samples against a plain recount, samples by time, and bounds.
 */
#include <math.h>

#include "calls/profile.h"
#include "support/test.h"

static struct profile *p;

static uint32_t fn(const char *name)
{
	/* "g" is of the collector. */
	return profile_function(
	    p, name[0] == 'g' ? "caml_poll_gc_work" : name, "a.ml", 3, name[0] == 'c' || name[0] == 'g');
}

/* The stack of functions named by single letters, outermost first. */
static uint32_t stack_of(int domain, const char *letters, unsigned marks)
{
	struct profile_frame frames[64];
	size_t count = strlen(letters);

	for (size_t i = 0; i < count; i++)
		frames[count - 1 - i] =
		    (struct profile_frame){fn((const char[]){letters[i], '\0'}), (uint32_t)i};
	return profile_stack(p, domain, frames, count, marks);
}

static void sample(uint64_t ts, int domain, const char *letters, unsigned marks)
{
	profile_add(p, &(struct profile_sample){.ts = ts,
			   .tid = domain + 100,
			   .domain = domain,
			   .stack = stack_of(domain, letters, marks),
			   .marks = (uint8_t)marks});
}

static struct profile_row row_of(int domain, const char *name)
{
	struct profile_row *rows, found = {0};
	size_t count;

	CHECK(profile_rows(p, domain, &rows, &count));
	for (size_t i = 0; i < count; i++)
		if (strcmp(profile_function_of(p, rows[i].function)->name, name) == 0)
			found = rows[i];
	free(rows);
	return found;
}

static uint32_t unknown(void)
{
	return profile_function(p, "[caller not known]", NULL, 0, true);
}

/* The collector works in the second half of each hundred. */
static int inside(void *ctx, int domain, uint64_t ts)
{
	return domain == 3 ? -1 : ts % 100 >= 50;
}

TEST(a_function_counts_once_a_stack)
{
	p = profile_create();
	sample(10, 0, "abab", 0);
	sample(20, 0, "ab", 0);
	sample(30, 1, "a", 0);
	sample(60, 1, "ac", PROFILE_INCOMPLETE);
	sample(70, 3, "c", 0);
	sample(80, 1, "acb", PROFILE_OFF);
	profile_settle(p, 70, inside, NULL);
	CHECK_INT(row_of(PROFILE_ALL, "a").total.on, 4);
	profile_settle(p, UINT64_MAX, inside, NULL);

	struct profile_row a = row_of(PROFILE_ALL, "a"), b = row_of(PROFILE_ALL, "b"),
			   c = row_of(PROFILE_ALL, "c");
	CHECK(a.total.on == 4 && a.self.on == 1 && a.total.off == 1 && a.self.off == 0);
	CHECK(b.total.on == 2 && b.self.on == 2 && b.total.off == 1 && b.self.off == 1);
	CHECK(c.total.on == 2 && c.self.on == 2 && c.total.gc == 0 && c.total.known == 1 &&
	      c.total.incomplete == 1);
	CHECK(row_of(0, "a").total.on == 2 && row_of(1, "a").total.on == 2 && row_of(2, "a").total.on == 0);
	struct profile_totals t;
	profile_totals(p, PROFILE_ALL, &t);
	CHECK(t.counts.on == 5 && t.counts.off == 1 && t.counts.incomplete == 1 && t.counts.known == 4 &&
	      t.counts.gc == 0 && t.other == 0);

	/* A copy stands by itself; a reset forgets the samples alone. */
	struct profile *copy = profile_copy(p), *live = p;
	profile_reset(p);
	CHECK_INT(row_of(PROFILE_ALL, "a").total.on, 0);
	sample(100, 0, "a", 0);
	profile_settle(p, UINT64_MAX, NULL, NULL);
	CHECK(row_of(PROFILE_ALL, "a").total.on == 1 && row_of(PROFILE_ALL, "a").total.known == 1);
	profile_destroy(live);
	p = copy;
	CHECK_INT(row_of(PROFILE_ALL, "a").total.on, 4);
	profile_destroy(p);
}

/* Of 8 samples "a" calls "b" in 4 and "d" in 2; of 2 it is known only that they are in "b". */
TEST(callers_that_are_not_known_are_no_root)
{
	const struct calls_bars_options shape = {0};
	struct profile_totals t;
	struct calls_bars bars;

	p = profile_create();
	for (unsigned i = 0; i < 8; i++)
		sample(i, 0, i < 4 ? "ab" : i < 6 ? "ad" : "b", i < 6 ? 0 : PROFILE_INCOMPLETE);
	profile_settle(p, UINT64_MAX, NULL, NULL);
	profile_totals(p, PROFILE_ALL, &t);
	const struct profile_row a = row_of(PROFILE_ALL, "a"), b = row_of(PROFILE_ALL, "b");
	struct profile_share share = profile_total(&a, &t.counts);
	CHECK(share.part == 6 && share.all == 6);
	CHECK(b.self.on == 6 && t.counts.on == 8);
	/* Of the known ones it is in 4 of 6: less than it is executed. */
	share = profile_total(&b, &t.counts);
	CHECK(share.part == 6 && share.all == 8);
	CHECK_INT(row_of(PROFILE_ALL, "[caller not known]").total.on, 0);
	CHECK(profile_bars(p, PROFILE_ALL, PROFILE_W_ON, &shape, &bars));
	unsigned roots = 0;
	for (unsigned i = 0; i < bars.count; i++) {
		CHECK(bars.bars[i].depth > 0 || bars.bars[i].function != fn("b"));
		roots += bars.bars[i].function == unknown();
	}
	CHECK_INT(roots, 1);
	calls_bars_fini(&bars);
	/* Of no sample are the callers known. */
	const struct profile_counts none = {.on = 2, .incomplete = 2};
	share = profile_total(&(struct profile_row){.self.on = 2, .total = none}, &none);
	CHECK_INT(share.all, 0);
	/* Of a tenth of many samples they are not: that has a remedy. */
	CHECK(profile_more(&none, true) == NULL);
	CHECK(profile_more(&(struct profile_counts){.on = 100, .incomplete = 9}, true) == NULL);
	CHECK(strstr(profile_more(&(struct profile_counts){.on = 100, .incomplete = 10}, true),
		  "CAP_SYS_NICE") != NULL);
	CHECK(strstr(profile_more(&(struct profile_counts){.on = 100, .incomplete = 10}, false), "CAP") ==
	      NULL);
	profile_destroy(p);
}

/* Whether the collector was at work: -1 if that is not known. */
static int collector_at(uint64_t ts, int domain, const char *letters, unsigned marks)
{
	struct profile_totals t;

	p = profile_create();
	sample(ts, domain, letters, marks);
	profile_settle(p, UINT64_MAX, inside, NULL);
	profile_totals(p, PROFILE_ALL, &t);
	profile_destroy(p);
	CHECK(t.counts.on == 1 && t.counts.gc <= t.counts.known);
	return t.counts.known != 0 ? (int)t.counts.gc : -1;
}

TEST(the_collector_is_seen_in_the_stack)
{
	/* Whatever events say: what OCaml calls is the collector, or is not. */
	for (uint64_t ts = 10; ts < 100; ts += 50)
		for (int domain = 1; domain < 4; domain++) {
			CHECK_INT(collector_at(ts, domain, "abgcc", 0), 1);
			CHECK_INT(collector_at(ts, domain, "abgc", PROFILE_INCOMPLETE), 1);
			CHECK_INT(collector_at(ts, domain, "abcc", 0), 0);
			CHECK_INT(collector_at(ts, domain, "ab", 0), 0);
			/* A finaliser. */
			CHECK_INT(collector_at(ts, domain, "agcbc", 0), 0);
			CHECK_INT(collector_at(ts, domain, "gc", 0), 1);
		}
	/* Where C has no caller that is known, events tell. */
	CHECK_INT(collector_at(10, 1, "cc", 0), 0);
	CHECK_INT(collector_at(60, 1, "cc", PROFILE_INCOMPLETE), 1);
	CHECK_INT(collector_at(60, 3, "cc", 0), -1);
	CHECK_INT(collector_at(60, 1, "", PROFILE_INCOMPLETE), 1);
}

TEST(a_function_is_one_whether_its_file_is_known_or_not)
{
	p = profile_create();
	uint32_t leaf = profile_function(p, "List.length_aux", NULL, 0, false);
	CHECK_INT(profile_function(p, "List.length_aux", "list.ml", 23, false), leaf);
	CHECK_INT(profile_function(p, "List.length_aux", NULL, 0, false), leaf);
	CHECK_STR(profile_function_of(p, leaf)->file, "list.ml");
	CHECK_INT(profile_function_of(p, leaf)->line, 23);
	CHECK(profile_function(p, "List.length_aux", "other.ml", 23, false) != leaf);
	CHECK(profile_function(p, "List.length_aux", NULL, 0, true) != leaf);
	profile_destroy(p);
}

TEST(bars_join_domains_and_lines)
{
	struct calls_bars bars;
	const struct calls_bars_options shape = {0};

	p = profile_create();
	sample(1, 0, "abc", 0);
	sample(2, 1, "abc", 0);
	sample(3, 1, "ab", 0);
	sample(4, 1, "bb", PROFILE_OFF);
	profile_settle(p, UINT64_MAX, NULL, NULL);
	CHECK(profile_bars(p, PROFILE_ALL, PROFILE_W_ON, &shape, &bars));
	CHECK(bars.total == 3 && bars.count == 3 && bars.bars[0].function == fn("a") &&
	      bars.bars[0].total == 3 && bars.bars[1].self == 1 && bars.bars[2].self == 2);
	calls_bars_fini(&bars);
	CHECK(profile_bars(p, 1, PROFILE_W_OFF, &shape, &bars));
	CHECK(bars.total == 1 && bars.count == 2 && bars.bars[0].function == fn("b"));
	calls_bars_fini(&bars);
	profile_destroy(p);
}

TEST(what_a_domain_did_is_told_by_its_samples)
{
	struct profile_answer answer;
	char text[256];

	p = profile_create();
	for (unsigned i = 0; i < 10; i++)
		sample(1000 + i, 2, i < 3 ? "abc" : "ab", 0);
	sample(1020, 1, "a", 0);
	sample(1030, 2, "cb", PROFILE_OFF);
	CHECK(profile_between(p, 2, 1000, 1004, &answer));
	profile_answer_text(&answer, text, sizeof(text));
	CHECK_STR(text, "on CPU in c (C), called from b a.ml:1 (3 of 5 samples)");
	CHECK(profile_between(p, 2, 1002, 1002, &answer));
	profile_answer_text(&answer, text, sizeof(text));
	CHECK_STR(text, "on CPU in c (C), called from b a.ml:1 (seen once)");
	CHECK(profile_between(p, 2, 1001, 1003, &answer));
	profile_answer_text(&answer, text, sizeof(text));
	CHECK_STR(text, "on CPU in c (C), called from b a.ml:1 (more than once: 2 of 3 samples)");
	CHECK(profile_between(p, 2, 1010, 1040, &answer) && answer.off);
	profile_answer_text(&answer, text, sizeof(text));
	CHECK_STR(text, "off the CPU in b a.ml:1 (seen once)");
	CHECK(!profile_between(p, 2, 1010, 1029, &answer));
	/* Where it ran mostly, and what is not known, nothing is claimed. */
	sample(1032, 2, "", PROFILE_UNSEEN);
	sample(1033, 2, "", PROFILE_UNSEEN);
	CHECK(!profile_between(p, 2, 1010, 1040, &answer));
	profile_settle(p, UINT64_MAX, NULL, NULL);
	struct profile_totals t;
	profile_totals(p, 2, &t);
	CHECK(t.counts.on == 10 && t.counts.off == 1 && t.counts.unseen == 2);
	/* Of a thread that waits in the system, what OCaml code has called. */
	const struct profile_frame waits[] = {{profile_function(p, "[libc.so.6]", NULL, 0, true), 0},
	    {profile_function(p, "caml_ml_mutex_lock", NULL, 0, true), 0},
	    {profile_function(p, "caml_c_call", NULL, 0, true), 0},
	    {profile_function(p, "Db.with_conn", "src/db.ml", 40, false), 40}, {fn("a"), 3}};
	for (unsigned i = 0; i < 3; i++)
		profile_add(p, &(struct profile_sample){.ts = 2000 + i,
				   .domain = 2,
				   .stack = profile_stack(p, 2, waits, 5, 0),
				   .marks = PROFILE_OFF});
	CHECK(profile_between(p, 2, 2000, 2010, &answer));
	profile_answer_text(&answer, text, sizeof(text));
	CHECK_STR(text, "off the CPU, waiting for a lock in Db.with_conn db.ml:40 (3 of 3 samples)");
	CHECK(!profile_between(p, 7, 0, UINT64_MAX, &answer));
	profile_destroy(p);
}

TEST(more_code_than_fits_is_other_code)
{
	char name[32];
	struct profile_frame frames[40];
	struct profile_totals t;
	const uint64_t samples = 100000;

	p = profile_create();
	for (unsigned i = 0; i < samples; i++) {
		snprintf(name, sizeof(name), "f%u", i % 30000);
		for (unsigned k = 0; k < 40; k++)
			frames[k] = (struct profile_frame){fn(name), i};
		profile_add(p, &(struct profile_sample){.ts = i,
				   .domain = (int)(i % 5000),
				   .stack = profile_stack(p, (int)(i % 5000), frames, 40, 0)});
	}
	profile_settle(p, UINT64_MAX, NULL, NULL);
	profile_totals(p, PROFILE_ALL, &t);
	CHECK_INT(t.counts.on, samples);
	CHECK(t.other > 0 && t.other < samples);
	profile_destroy(p);
}

TEST(the_error_is_that_of_a_share)
{
	CHECK(isnan(profile_error(0, 0)));
	CHECK_NEAR(profile_error(50, 100), 0.0962, 0.0005);
	CHECK_NEAR(profile_error(0, 100), 0.0185, 0.0005);
}

/* The truth of a program that takes turns, 45 % and 55 % of each, is in the interval also where samples are nearly in step with
 * it; where they are not, the interval is that of independent samples. */
TEST(the_interval_is_wider_for_samples_in_step)
{
	/* How far the phase goes on from one sample to the next one: it is nearly the same after three of them, or never. */
	static const double steps[] = {0.3340, 0.3345, 0.381966};
	unsigned out = 0, in_step = 0;

	for (unsigned i = 0; i < 3; i++)
		for (unsigned begin = 0; begin < 20; begin++) {
			double phase = begin / 20.0;

			p = profile_create();
			for (unsigned ts = 1; ts <= 400; ts++, phase += steps[i])
				sample(ts, 0, phase - floor(phase) < 0.45 ? "ma" : "mb", 0);
			profile_settle(p, UINT64_MAX, NULL, NULL);
			const struct profile_row row = row_of(PROFILE_ALL, "a");
			const double error = profile_error(row.self.on, 400) * row.spread,
				     off = fabs((double)row.self.on / 400 - 0.45);
			CHECK(row.spread >= 1 && (i < 2 || row.spread < 1.2));
			CHECK(row_of(PROFILE_ALL, "m").spread < 1.01);
			out += off > error;
			in_step += off > profile_error(row.self.on, 400);
			profile_destroy(p);
		}
	CHECK(out == 0 && in_step >= 3);
}

/* Who waits for a lock and who has it are known by the program's own functions: not by those of C and of the library.  What a sample
 * weighs is time. */
TEST(locks)
{
	struct profile_lock lock[] = {{.number = 7, .since = 100}, {.number = 0}};
	const unsigned hz = 20;

	p = profile_create();
	profile_library(p, fn("s"));
	for (uint64_t i = 0; i < 6; i++)
		profile_add(p, &(struct profile_sample){.ts = 100 + i,
				   .tid = 3,
				   .stack = stack_of(0, i < 4 ? "absc" : "bdss", PROFILE_OFF),
				   .marks = PROFILE_OFF,
				   .waits = 7});
	for (uint64_t i = 0; i < 10; i++)
		profile_add(
		    p, &(struct profile_sample){
			   .ts = 200 + i, .tid = 4, .stack = stack_of(0, i < 8 ? "ax" : "sc", 0), .has = 7});
	/* Of another lock, or of the one that had the number before. */
	profile_add(p, &(struct profile_sample){.ts = 99, .stack = stack_of(0, "a", 0), .has = 7});
	profile_add(p, &(struct profile_sample){.ts = 300, .stack = stack_of(0, "a", 0), .has = 6});
	profile_settle(p, UINT64_MAX, NULL, NULL);
	profile_locks(p, hz, lock, 2);
	CHECK_INT(lock[0].waits.weight, 6 * hz);
	CHECK_INT(lock[0].waits.top[0].function, fn("b"));
	CHECK_INT(lock[0].waits.top[0].weight, 4 * hz);
	CHECK_INT(lock[0].waits.top[1].function, fn("d"));
	CHECK_INT(lock[0].waits.top[1].weight, 2 * hz);
	CHECK_INT(lock[0].waits.top[2].weight, 0);
	CHECK_INT(lock[0].has.weight, 10 * PROFILE_LOOKS_HZ);
	CHECK_INT(lock[0].has.top[0].function, fn("x"));
	CHECK_INT(lock[0].has.top[0].weight, 8 * PROFILE_LOOKS_HZ);
	CHECK_INT(lock[0].has.top[1].weight, 0);
	CHECK(lock[1].waits.weight == 0 && lock[1].has.weight == 0);
	profile_destroy(p);
}
