/*
 * test_target_runtime.c - the counters of a runtime in memory that is laid out here, by release.
 */
#include <fcntl.h>
#include <unistd.h>

#include "support/made_runtime.h"
#include "support/test.h"

static struct made_runtime made;
static struct runtime_sample sample;
static struct runtime *runtime;

/* Lay a release out anew, and open it. */
static void open_release(unsigned release)
{
	const char *why = "";

	runtime_destroy(runtime);
	made_runtime(&made, release);
	runtime = made_open(&made, made_releases[release].version, &why);
	CHECK_STR(why, "");
	CHECK(runtime != NULL);
}

/* Take a sample; returns the calls that it cost. */
static unsigned calls_of_sample(int error)
{
	unsigned before = made.calls;

	CHECK_INT(runtime_sample(runtime, 3, &sample), error);
	return made.calls - before;
}

/* What all of it sums up to. */
static void check_sums(void)
{
	CHECK_INT(sample.ts, 3);
	CHECK_INT(sample.running, 2);
	CHECK_INT(sample.domain_count, 2);
	CHECK_INT(sample.max_domains, made.release->pointer ? 100 : 128);
	CHECK_INT(sample.minor_collections, made.release->counts ? 5 + 11 + 50 : 77);
	CHECK_INT(sample.major_cycles, 9);
	CHECK_INT(sample.minor_words, 16000 + 100000);
	CHECK_INT(sample.promoted_words, 16002 + 200000);
	CHECK_INT(sample.major_words, 16004 + 300000);
	CHECK_INT(sample.forced_major_collections, 16 + 60);
	CHECK_INT(sample.heap_words, 16 * 1100 + 6000000);
	CHECK_INT(sample.live_words, 16 * 1050 + 5400000);
	CHECK_INT(sample.free_words, 16 * 40 + 500000);
	CHECK_INT(sample.fragment_words, 16 * 10 + 100000);
	CHECK_INT(sample.top_heap_words, 16 * 3200 + 8000000);
}

TEST(test_releases)
{
	for (unsigned i = 0; i < MADE_RELEASES; i++) {
		open_release(i);
		calls_of_sample(0);
		check_sums();
		CHECK_INT(sample.compactions, 4);
		const struct runtime_domain *d = &sample.domains[1];
		CHECK_INT(d->slot, 2);
		CHECK_INT(d->unique, 11);
		CHECK_INT(d->tid, 4002);
		CHECK_INT(d->element, MADE_BASE + made_element(&made, 2));
		CHECK_INT(d->state, MADE_BASE + made_state(2));
		CHECK_INT(d->minor_heap_words, 0x1000);
		CHECK_INT(d->young_used_words, 11);
		CHECK_INT(d->minor_words, 11000);
		CHECK_INT(d->promoted_words, 11001);
		CHECK_INT(d->major_words, 11002);
		CHECK_INT(d->allocated_words, 33);
		CHECK_INT(d->heap_words, 12100);
		CHECK_INT(d->live_words, 11550);
		CHECK_INT(d->area_end - d->area_start, 0x10000);
		CHECK_INT(d->young_end - d->young_start, 0x8000);
	}
}

/* One call a sample; what is new costs two more. */
TEST(test_calls)
{
	for (unsigned i = 0; i < MADE_RELEASES; i++) {
		open_release(i);
		CHECK(calls_of_sample(0) <= 5);
		CHECK_INT(calls_of_sample(0), 1);
		made_domain(&made, MADE_ENDED, 13, true);
		*made_word(&made, 8 * RUNTIME_DOMAINS_RUNNING) = 3;
		CHECK(calls_of_sample(0) <= 3);
		CHECK_INT(sample.domain_count, 3);
		CHECK_INT(sample.minor_words, 29000 + 100000);
		CHECK_INT(calls_of_sample(0), 1);
		/* One in a slot that was never used. */
		made_domain(&made, 3, 17, true);
		*made_word(&made, 8 * RUNTIME_DOMAINS_RUNNING) = 4;
		CHECK(calls_of_sample(0) <= 4);
		CHECK_INT(sample.domain_count, 4);
		CHECK_INT(calls_of_sample(0), 1);
		made_domain(&made, 3, 17, false);
		*made_word(&made, 8 * RUNTIME_DOMAINS_RUNNING) = 3;
		calls_of_sample(0);
		CHECK_INT(sample.running, 3);
	}
}

/* Symbols go before the table. */
TEST(test_symbols)
{
	static const struct {
		enum runtime_field field;
		uint16_t offset;
	} moved[] = {{RUNTIME_YOUNG_PTR, 8}, {RUNTIME_YOUNG_START, 16}, {RUNTIME_YOUNG_END, 24},
	    {RUNTIME_MINOR_HEAP_WSZ, 272}, {RUNTIME_SHARED_HEAP, 280}, {RUNTIME_ID, 288},
	    {RUNTIME_STAT_MINOR_WORDS, 800}, {RUNTIME_STAT_PROMOTED_WORDS, 392},
	    {RUNTIME_STAT_MAJOR_WORDS, 400}, {RUNTIME_STAT_FORCED_MAJOR, 408},
	    {RUNTIME_ALLOCATED_WORDS, 128}};
	const char *why;

	made_runtime(&made, 3);
	for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++)
		made.symbols.field[moved[i].field] = moved[i].offset;
	runtime_destroy(runtime);
	runtime = made_open(&made, "5.3.0", &why);
	CHECK(runtime != NULL);
	*made_word(&made, made_state(0) + 800) = 123;
	calls_of_sample(0);
	CHECK_INT(sample.minor_words, 123 + 100000);
	/* One that is needed is missing. */
	made.symbols.field[RUNTIME_SHARED_HEAP] = RUNTIME_NO_FIELD;
	CHECK(made_open(&made, "5.3.0", &why) == NULL);
	CHECK_STR(why, "the symbols in its program are not those of its OCaml release");
}

TEST(test_unknown_releases)
{
	const char *why;

	made_runtime(&made, 3);
	CHECK(made_open(&made, "OxCaml", &why) == NULL);
	CHECK_STR(why, "how its OCaml release uses memory is not known");
	CHECK(made_open(&made, "5.1-5.2", &why) == NULL);
	CHECK_STR(why, "how its OCaml release uses memory is not known");
	CHECK(made_open(&made, "", &why) == NULL);
	CHECK_STR(why, "its OCaml release is not known");
	/* The table of domains is not one of this release. */
	CHECK(made_open(&made, "5.2.0", &why) == NULL);
	CHECK_STR(why, "the symbols in its program are not those of its OCaml release");
}

/* A release that nobody has seen is read by the nearest row, once its process has proved that this is right. */
TEST(test_guessed_releases)
{
	static const struct {
		const char *version;
		unsigned memory; /* of made_releases */
		bool proven;
		const char *told;
	} cases[] = {{"5.3.0+dev0-2023-12-22", 3, true, NULL}, {"5.4.0", 4, true, NULL},
	    {"5.4", 4, true, NULL}, {"5.5.0", 5, true, NULL}, {"5.6.0", 5, true, "as 5.5, checked"},
	    {"5.17.3", 5, true, "as 5.5, checked"}, {"5.4.0", 3, false, NULL}, {"5.4.0", 5, false, NULL},
	    {"5.5.1", 4, false, NULL}, {"5.6.0", 4, false, NULL}, {"5.4.0+dev0-2024-08-25", 3, false, NULL}};
	static const char refused[] = "how this build of its OCaml release uses memory is not known";
	const char *why;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		made_runtime(&made, cases[i].memory);
		runtime_destroy(runtime);
		runtime = made_open(&made, cases[i].version, &why);
		CHECK_STR(why, cases[i].proven ? "" : refused);
		CHECK((runtime != NULL) == cases[i].proven);
		if (runtime == NULL)
			continue;
		CHECK((runtime_layout(runtime)->told != NULL) == (cases[i].told != NULL));
		if (cases[i].told != NULL)
			CHECK_STR(runtime_layout(runtime)->told, cases[i].told);
		calls_of_sample(0);
		check_sums();
	}
	/* A domain promotes what others have allocated. */
	made_runtime(&made, 5);
	*made_word(&made, made_state(0) + made.release->stats + 8) = 10000;
	runtime_destroy(runtime);
	runtime = made_open(&made, "5.6.0", &why);
	CHECK_STR(why, "");
	/* What disproves it: a slot without its number, more promoted than allocated, a field at another place, no table. */
	for (unsigned i = 0; i < 4; i++) {
		struct runtime_layout layout;
		struct version version;

		made_runtime(&made, 5);
		CHECK(version_from_text("5.6.0", VERSION_FROM_OPTION, &version) &&
		      runtime_layout_of(&version, &layout));
		memcpy(made.symbols.field, layout.field, sizeof layout.field);
		if (i == 0)
			made_int(&made, made_element(&made, 77), 76);
		else if (i == 1)
			*made_word(&made, made_state(0) + made.release->stats + 8) = 1000000;
		else if (i == 2)
			made.symbols.field[RUNTIME_LOCAL_ROOTS] += 8;
		else
			made.symbols.variable[RUNTIME_ALL_DOMAINS] = 0;
		CHECK(made_open(&made, "5.6.0", &why) == NULL);
		CHECK_STR(why, refused);
	}
}

/* A program that has just been executed has no domain that proves what its code tells of variables: until it has one, nothing is
 * said of what they hold, and what they are not is given up. */
TEST(test_before_the_first_domain)
{
	const char *why;

	for (unsigned i = 3; i < MADE_RELEASES; i++) {
		made_runtime(&made, i);
		made.symbols.by_code = 1U << RUNTIME_ALL_DOMAINS | 1U << RUNTIME_POOL_FREELIST;
		*made_word(&made, 8 * RUNTIME_ALL_DOMAINS) = *made_word(&made, 8 * RUNTIME_PARAMS) = 0;
		runtime_destroy(runtime);
		runtime = made_open(&made, made.release->version, &why);
		CHECK(runtime != NULL);
		CHECK_INT(runtime_sample(runtime, 3, &sample), EAGAIN);
		*made_word(&made, 8 * RUNTIME_PARAMS) = MADE_BASE + MADE_PARAMS;
		calls_of_sample(0);
		CHECK(sample.domain_count == 0 && sample.heap_words == RUNTIME_UNKNOWN);
		CHECK(runtime_variable(runtime, RUNTIME_POOL_FREELIST) == 0);
		*made_word(&made, 8 * RUNTIME_ALL_DOMAINS) = MADE_BASE + MADE_TABLE;
		if (i == 4)
			made_int(&made, made_element(&made, 77), 76);
		calls_of_sample(0);
		CHECK((runtime_variable(runtime, RUNTIME_POOL_FREELIST) != 0) == (i != 4));
		if (i != 4)
			check_sums();
		else
			CHECK(sample.domain_count == 0 && sample.heap_words == RUNTIME_UNKNOWN &&
			      sample.major_cycles == 9);
	}
}

/* Free blocks without headers are a matter of 5.5, and of the header of a free block alone. */
TEST(test_free_behind)
{
	static const char *const releases[] = {"5.0.0", "5.3.0", "5.4.1", "5.5.2"};

	for (unsigned i = 0; i < 4; i++) {
		struct runtime_layout layout;
		struct version version;

		CHECK(version_from_text(releases[i], VERSION_FROM_OPTION, &version) &&
		      runtime_layout_of(&version, &layout));
		CHECK_INT(runtime_free_behind(&layout, 7 << 10 | 0x3fb), i == 3 ? 7 : 0);
		CHECK_INT(runtime_free_behind(&layout, 0), 0);
		CHECK_INT(runtime_free_behind(&layout, 7 << 10 | 0x0fb), 0);
		CHECK_INT(runtime_free_behind(&layout, 7 << 10 | 0x3f5), 0);
	}
}

/* While a domain of OCaml 5.5 gets a minor heap of another size, it has none. */
TEST(test_resized)
{
	open_release(5);
	for (unsigned offset = 8; offset <= 24; offset += 8)
		*made_word(&made, made_state(0) + offset) = 0;
	*made_word(&made, made_state(0) + made.release->wsz) = 0;
	calls_of_sample(0);
	check_sums();
	CHECK_INT(sample.domains[0].young_used_words, 0);
}

/* A stripped program has no table of domains. */
TEST(test_stripped)
{
	const char *why;

	made_runtime(&made, 1);
	made.symbols.variable[RUNTIME_ALL_DOMAINS] = 0;
	made.symbols.variable[RUNTIME_ORPHANED_ALLOC_STATS] = 0;
	made.symbols.variable[RUNTIME_POOL_FREELIST] = 0;
	runtime_destroy(runtime);
	runtime = made_open(&made, "5.1.0", &why);
	CHECK(runtime != NULL);
	calls_of_sample(0);
	CHECK_INT(sample.minor_collections, 77);
	CHECK_INT(sample.major_cycles, 9);
	CHECK_INT(sample.domain_count, 0);
	CHECK(sample.minor_words == RUNTIME_UNKNOWN);
	CHECK(sample.promoted_words == RUNTIME_UNKNOWN);
	CHECK(sample.heap_words == RUNTIME_UNKNOWN);
}

TEST(test_refused)
{
	open_release(3);
	made.error = EPERM;
	CHECK_INT(calls_of_sample(EPERM), 1);
	CHECK_INT(sample.ts, 0);
	made.error = 0;
	calls_of_sample(0);
	check_sums();
}

/* Words that contradict each other, or that no process could reach, give no figures. */
TEST(test_absurd)
{
	for (unsigned i = 0; i < MADE_RELEASES; i++) {
		open_release(i);
		const struct made_release *r = made.release;
		const struct {
			unsigned offset;
			uint64_t value;
		} wrong[] = {
		    {made_state(0) + 8, 1},
		    {made_state(0) + 24, UINT64_MAX},
		    {made_state(0) + r->wsz, 0x1001},
		    {made_state(0) + r->id, 1},
		    {made_state(0) + r->stats, UINT64_MAX},
		    {made_state(2) + r->stats + 8, UINT64_C(1) << 60},
		    {made_heap(0) + 1056 + 16, 501},
		    {made_heap(0) + 1056 + 32, UINT64_MAX},
		    {made_element(&made, 2), 7},
		    {made_element(&made, 2) + r->area, UINT64_MAX},
		    {MADE_ORPHANS, UINT64_MAX - 3},
		    {MADE_FREELIST + 48 + 40, UINT64_MAX},
		    {8 * RUNTIME_MAJOR_CYCLES, UINT64_MAX},
		};

		calls_of_sample(0);
		for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
			uint64_t *word = made_word(&made, wrong[k].offset), was = *word;

			*word = wrong[k].value;
			calls_of_sample(EAGAIN);
			CHECK_INT(sample.ts, 0);
			CHECK_INT(sample.domain_count, 0);
			*word = was;
			calls_of_sample(0);
			check_sums();
		}
	}
}

/* A pointer to nowhere: all is found anew, or nothing is said. */
TEST(test_pointers)
{
	for (unsigned i = 0; i < MADE_RELEASES; i++) {
		open_release(i);
		calls_of_sample(0);
		uint64_t *pointers[] = {made_word(&made, made_element(&made, 0) + made.release->state),
		    made_word(&made, made_state(2) + made.release->heap), made_word(&made, 0)};
		for (unsigned k = 0; k < (made.release->pointer ? 3 : 2); k++) {
			uint64_t was = *pointers[k];

			*pointers[k] = 0xdead0000;
			calls_of_sample(EFAULT);
			CHECK_INT(sample.ts, 0);
			*pointers[k] = 12345; /* of no word */
			CHECK(runtime_sample(runtime, 3, &sample) != 0 || sample.domain_count < 2);
			*pointers[k] = was;
			calls_of_sample(0);
			check_sums();
		}
	}
}

/* The domain in slot 2 ends when so many places of a call have been read, moves its words to those of ended domains, and
 * another begins in its place. */
static size_t ends_at;
static bool another;

static void end_domain(struct made_runtime *m, size_t at)
{
	if (at != ends_at)
		return;
	ends_at = SIZE_MAX;
	made_domain(m, 2, 11, false);
	*made_word(m, 8 * RUNTIME_DOMAINS_RUNNING) = 1;
	for (unsigned i = 0; i < 3; i++)
		*made_word(m, MADE_ORPHANS + 8 * i) += 11000 + i;
	if (m->release->counts)
		*made_word(m, MADE_ORPHANS + 24) += 11;
	*made_word(m, MADE_ORPHANS + (m->release->counts ? 32 : 24)) += 11;
	const uint64_t heap[8] = {1100, 2200, 550, 7, 110, 11000, 33000, 2};
	for (unsigned i = 0; i < 8; i++)
		*made_word(m, MADE_FREELIST + 48 + 8 * i) += heap[i];
	if (!another)
		return;
	made_domain(m, 2, 19, true);
	*made_word(m, 8 * RUNTIME_DOMAINS_RUNNING) = 2;
}

TEST(test_ends_meanwhile)
{
	for (unsigned i = 0; i < MADE_RELEASES * 2; i++)
		for (size_t at = 0; at < 24; at++) {
			open_release(i / 2);
			calls_of_sample(0);
			another = i % 2 != 0;
			ends_at = at;
			made.before = end_domain;
			calls_of_sample(0);
			/* Either from before or from after, and never from both. */
			if (ends_at != SIZE_MAX)
				continue;
			bool before = sample.domain_count == 2 && sample.domains[1].unique == 11;
			uint64_t now = 5000 + (another && !before ? 19000 : 0) + 11000 + 100000;
			CHECK_INT(sample.minor_words, now);
			CHECK_INT(
			    sample.heap_words, 16 * 1100 + 6000000 + (another && !before ? 19 * 1100 : 0));
		}
}

/* A process that begins: nothing is there yet. */
TEST(test_beginning)
{
	open_release(3);
	*made_word(&made, 8 * RUNTIME_ALL_DOMAINS) = 0;
	*made_word(&made, MADE_PARAMS + 160) = 0;
	calls_of_sample(0);
	CHECK_INT(sample.domain_count, 0);
	CHECK(sample.minor_words == RUNTIME_UNKNOWN);
	*made_word(&made, 8 * RUNTIME_ALL_DOMAINS) = MADE_BASE + MADE_TABLE;
	calls_of_sample(0);
	CHECK_INT(sample.domain_count, 0);
	*made_word(&made, MADE_PARAMS + 160) = 100;
	calls_of_sample(0);
	check_sums();
}

/* The end of a runtime that is read by a made-up reader closes no descriptor that is not its own. */
TEST(the_end_leaves_standard_input_open)
{
	const int before = fcntl(0, F_GETFD);
	const int null = before < 0 ? open("/dev/null", O_RDONLY) : -1;

	open_release(0);
	runtime_destroy(runtime);
	runtime = NULL;
	CHECK(fcntl(0, F_GETFD) >= 0);
	if (null >= 0)
		close(null);
}
