/*
 * test_names.c - the tables of phases and counters against tests/data/names.txt, which lists what each
 * release prints; versions, units, and the buckets of alloc events.
 */
#include "rtev/events.h"
#include "support/test.h"

/* Return the release of a name. */
static enum rtev_release release_of(const char *name)
{
	for (int i = 0; i < RTEV_RELEASE_COUNT; i++)
		if (strcmp(rtev_release_name((enum rtev_release)i), name) == 0)
			return (enum rtev_release)i;
	TEST_FAIL("no release %s", name);
}

/* Every number of every release has the name that the release prints, there and back, and no other has
 * one. */
TEST(tables)
{
	static unsigned char known[RTEV_RELEASE_COUNT][2][64];
	char line[128], release_name[16], kind[16], name[64], buf[RTEV_NAME_SIZE];
	unsigned id, lines = 0;
	FILE *file = fopen(RTEV_TEST_DATA "/names.txt", "r");

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (line[0] == '#')
			continue;
		CHECK(sscanf(line, "%15s %15s %u %63s", release_name, kind, &id, name) == 4);
		enum rtev_release release = release_of(release_name);
		CHECK(id < 64);
		if (strcmp(kind, "phase") == 0) {
			rtev_phase phase = rtev_phase_from_id(release, id);
			CHECK(phase < RTEV_PHASE_COUNT);
			CHECK_STR(rtev_phase_name(phase, buf), name);
			CHECK_INT(rtev_phase_to_id(release, phase), id);
			known[release][0][id] = 1;
		} else {
			rtev_counter counter = rtev_counter_from_id(release, id);
			CHECK(counter < RTEV_COUNTER_COUNT);
			CHECK_STR(rtev_counter_name(counter, buf), name);
			CHECK_INT(rtev_counter_to_id(release, counter), id);
			known[release][1][id] = 1;
		}
		lines++;
	}
	fclose(file);
	CHECK_INT(lines, 40 + 11 + 40 + 17 + 44 + 17 + 48 + 26 + 50 + 26 + 50 + 28 + 50 + 24);
	for (int r = RTEV_RELEASE_5_0; r < RTEV_RELEASE_COUNT; r++) {
		for (id = 0; id < 64; id++) {
			if (!known[r][0][id])
				CHECK_INT(rtev_phase_from_id((enum rtev_release)r, id), RTEV_OPAQUE + id);
			if (!known[r][1][id])
				CHECK_INT(rtev_counter_from_id((enum rtev_release)r, id), RTEV_OPAQUE + id);
		}
	}
}

/* Without a release only what is numbered alike everywhere has a name; counters are upstream's. */
TEST(unknown_release)
{
	char buf[RTEV_NAME_SIZE];

	for (unsigned id = 0; id < 9; id++)
		for (int r = RTEV_RELEASE_5_0; r < RTEV_RELEASE_COUNT; r++)
			CHECK_INT(rtev_phase_from_id(RTEV_RELEASE_UNKNOWN, id),
			    rtev_phase_from_id((enum rtev_release)r, id));
	for (unsigned id = 9; id < RTEV_ID_LIMIT; id++)
		CHECK_INT(rtev_phase_from_id(RTEV_RELEASE_UNKNOWN, id), RTEV_OPAQUE + id);
	for (unsigned id = 0; id < RTEV_ID_LIMIT; id++)
		CHECK_INT(rtev_counter_from_id(RTEV_RELEASE_UNKNOWN, id),
		    rtev_counter_from_id(RTEV_RELEASE_5_5, id));
	for (unsigned p = 0; p < RTEV_PHASE_COUNT; p++) {
		int id = rtev_phase_to_id(RTEV_RELEASE_UNKNOWN, (rtev_phase)p);
		CHECK_INT(id, p < 9 ? (int)p : -1);
	}
	CHECK_STR(rtev_phase_name(rtev_phase_from_id(RTEV_RELEASE_UNKNOWN, 9), buf), "phase_9");
	/* What is no release is treated as an unknown one. */
	CHECK_INT(rtev_phase_from_id((enum rtev_release)1000, 57), RTEV_OPAQUE + 57);
	CHECK_INT(rtev_counter_from_id((enum rtev_release)1000, 4), RTEV_OPAQUE + 4);
	CHECK_INT(rtev_phase_to_id((enum rtev_release)1000, 0), -1);
	CHECK_INT(rtev_counter_to_id((enum rtev_release)1000, 0), -1);
	CHECK_STR(rtev_release_name((enum rtev_release)1000), "unknown");
}

/* Numbers without a name keep it in the name, and in every release. */
TEST(opaque_values)
{
	char buf[RTEV_NAME_SIZE];

	for (int r = 0; r < RTEV_RELEASE_COUNT; r++) {
		CHECK_INT(rtev_phase_to_id((enum rtev_release)r, RTEV_OPAQUE + 57), 57);
		CHECK_INT(rtev_counter_to_id((enum rtev_release)r, RTEV_OPAQUE + 8191), 8191);
		CHECK_INT(rtev_phase_to_id((enum rtev_release)r, RTEV_PHASE_COUNT), -1);
		CHECK_INT(rtev_counter_to_id((enum rtev_release)r, UINT16_MAX), -1);
	}
	CHECK_STR(rtev_phase_name(RTEV_OPAQUE + 57, buf), "phase_57");
	CHECK_STR(rtev_counter_name(RTEV_OPAQUE + 31, buf), "counter_31");
	CHECK_STR(rtev_lifecycle_name(RTEV_OPAQUE + 9, buf), "lifecycle_9");
	CHECK_STR(rtev_phase_name(RTEV_OPAQUE + 8191, buf), "phase_8191");
	/* No value is without a name. */
	for (unsigned i = 0; i <= UINT16_MAX; i++) {
		CHECK(rtev_phase_name((rtev_phase)i, buf)[0] != '\0');
		CHECK(rtev_counter_name((rtev_counter)i, buf)[0] != '\0');
		CHECK(rtev_lifecycle_name((rtev_lifecycle)i, buf)[0] != '\0');
	}
}

/* Lifecycle events are numbered alike in every release. */
TEST(lifecycles)
{
	static const char *const names[] = {"ring_start", "ring_stop", "ring_pause", "ring_resume",
	    "fork_parent", "fork_child", "domain_spawn", "domain_terminate"};
	char buf[RTEV_NAME_SIZE];

	CHECK_INT(RTEV_LIFECYCLE_COUNT, 8);
	for (unsigned i = 0; i < 8; i++)
		CHECK_STR(rtev_lifecycle_name((rtev_lifecycle)i, buf), names[i]);
}

/* Every phase has a class, a name of its own, and some release that has it; and so has every counter. */
TEST(rows)
{
	char a[RTEV_NAME_SIZE], b[RTEV_NAME_SIZE];

	for (unsigned i = 0; i < RTEV_PHASE_COUNT; i++) {
		bool somewhere = false;
		for (int r = RTEV_RELEASE_5_0; r < RTEV_RELEASE_COUNT; r++)
			somewhere |= rtev_phase_to_id((enum rtev_release)r, (rtev_phase)i) >= 0;
		CHECK(somewhere);
		CHECK(rtev_phase_class((rtev_phase)i) < RTEV_CLASS_UNKNOWN);
		for (unsigned k = 0; k < i; k++)
			CHECK(strcmp(rtev_phase_name((rtev_phase)i, a), rtev_phase_name((rtev_phase)k, b)) !=
			      0);
	}
	for (unsigned i = 0; i < RTEV_COUNTER_COUNT; i++) {
		CHECK(rtev_counter_unit((rtev_counter)i) != RTEV_UNIT_NONE);
		CHECK(rtev_counter_kind((rtev_counter)i) != RTEV_KIND_NONE);
		for (unsigned k = 0; k < i; k++)
			CHECK(strcmp(rtev_counter_name((rtev_counter)i, a),
				  rtev_counter_name((rtev_counter)k, b)) != 0);
	}
	CHECK_INT(rtev_phase_class(RTEV_OPAQUE + 57), RTEV_CLASS_UNKNOWN);
	CHECK_INT(rtev_counter_unit(RTEV_OPAQUE + 57), RTEV_UNIT_NONE);
	CHECK_INT(rtev_counter_kind(RTEV_OPAQUE + 57), RTEV_KIND_NONE);
}

/* What the counters measure. */
TEST(units)
{
	CHECK_INT(rtev_counter_unit(RTEV_COUNTER_MINOR_PROMOTED), RTEV_UNIT_BYTES);
	CHECK_INT(rtev_counter_unit(RTEV_COUNTER_MINOR_ALLOCATED), RTEV_UNIT_BYTES);
	CHECK_INT(rtev_counter_kind(RTEV_COUNTER_MINOR_ALLOCATED), RTEV_KIND_DELTA);
	CHECK_INT(rtev_counter_kind(RTEV_COUNTER_MINOR_ALLOCATED_WORDS), RTEV_KIND_DUPLICATE);
	CHECK_INT(rtev_counter_kind(RTEV_COUNTER_MINOR_PROMOTED_WORDS), RTEV_KIND_DUPLICATE);
	CHECK_INT(rtev_counter_kind(RTEV_COUNTER_FORCE_MINOR_MEMPROF), RTEV_KIND_MARKER);
	CHECK_INT(rtev_counter_kind(RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS), RTEV_KIND_GAUGE);
	CHECK_INT(rtev_counter_unit(RTEV_COUNTER_MAJOR_HEAP_LARGE_BLOCKS), RTEV_UNIT_BLOCKS);
	CHECK_INT(rtev_counter_kind(RTEV_COUNTER_MAJOR_WORK_COUNTER), RTEV_KIND_CUMULATIVE);
	CHECK_INT(rtev_counter_kind(RTEV_COUNTER_MAJOR_SLICE_TARGET), RTEV_KIND_TARGET);
	CHECK_INT(rtev_phase_class(RTEV_PHASE_DOMAIN_CONDITION_WAIT), RTEV_CLASS_IDLE);
	CHECK_INT(rtev_phase_class(RTEV_PHASE_MINOR), RTEV_CLASS_MINOR);
}

/* Versions as OCaml prints them. */
TEST(versions)
{
	static const struct {
		const char *version;
		enum rtev_release release;
	} cases[] = {{"5.0.0", RTEV_RELEASE_5_0}, {"5.1.0", RTEV_RELEASE_5_1}, {"5.1.1", RTEV_RELEASE_5_1},
	    {"5.2.0", RTEV_RELEASE_5_2}, {"5.2.1+flambda", RTEV_RELEASE_5_2}, {"5.3.0", RTEV_RELEASE_5_3},
	    {"5.3", RTEV_RELEASE_5_3}, {"5.4.0~beta1", RTEV_RELEASE_5_4},
	    {"5.4.0+dev1-2025-01-01", RTEV_RELEASE_5_4}, {"5.5.0", RTEV_RELEASE_5_5},
	    {"5.6.0+trunk", RTEV_RELEASE_5_5}, {"5.10.2", RTEV_RELEASE_5_5},
	    {"5.99999999999999999999.0", RTEV_RELEASE_5_5}, {"5.2.0+ox", RTEV_RELEASE_OXCAML},
	    {"5.2.0+ox-1", RTEV_RELEASE_OXCAML}, {"4.14.2", RTEV_RELEASE_UNKNOWN},
	    {"6.0.0", RTEV_RELEASE_UNKNOWN}, {"", RTEV_RELEASE_UNKNOWN}, {"5", RTEV_RELEASE_UNKNOWN},
	    {"5.", RTEV_RELEASE_UNKNOWN}, {"5.x", RTEV_RELEASE_UNKNOWN}, {"5.-1", RTEV_RELEASE_UNKNOWN},
	    {"5. 3", RTEV_RELEASE_UNKNOWN}, {"5.3x", RTEV_RELEASE_UNKNOWN}, {"53.0", RTEV_RELEASE_UNKNOWN},
	    {"OCaml 5.3.0", RTEV_RELEASE_UNKNOWN}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(rtev_release_name(rtev_release_from_version(cases[i].version)),
		    rtev_release_name(cases[i].release));
}

/* Buckets are those of the runtime, and their ranges cover every size once. */
TEST(alloc_buckets)
{
	uint64_t first, last, next = 0;

	for (unsigned b = 0; b < RTEV_ALLOC_BUCKETS; b++) {
		rtev_alloc_bucket_range(b, &first, &last);
		CHECK_INT(first, next);
		CHECK(last >= first);
		CHECK_INT(rtev_alloc_bucket(first), b);
		CHECK_INT(rtev_alloc_bucket(last), b);
		next = last + 1;
	}
	CHECK_INT(next, 0);
	CHECK_INT(rtev_alloc_bucket(9), 9);
	CHECK_INT(rtev_alloc_bucket(10), 10);
	CHECK_INT(rtev_alloc_bucket(19), 10);
	CHECK_INT(rtev_alloc_bucket(20), 11);
	CHECK_INT(rtev_alloc_bucket(99), 18);
	CHECK_INT(rtev_alloc_bucket(100), 19);
}
