/*
 * test_minor_size.c - the size of the minor heap by what leaders had allocated.
 */
#include "support/test.h"
#include "watch/minor_size.h"

static struct model_open_span stack[4];
static struct model_phase phases[RTEV_PHASE_MINOR_FINALIZED + 1];
static struct model_domain domain = {
    .stack = stack, .phases = phases, .phase_count = RTEV_PHASE_MINOR_FINALIZED + 1};

/* Collections in these phases, each of which frees what custom blocks had for so long. */
static void free_in(
    struct minor_size *m, int64_t bytes, unsigned times, rtev_phase outer, rtev_phase inner, uint64_t freeing)
{
	stack[0].phase = outer;
	stack[1].phase = inner;
	for (unsigned i = 0; i < times; i++) {
		domain.depth = 2;
		minor_size_count(m, &domain, RTEV_COUNTER_MINOR_ALLOCATED, bytes);
		domain.depth = 0;
		phases[RTEV_PHASE_MINOR_FINALIZED].total += freeing;
		phases[RTEV_PHASE_MINOR_FINALIZED].count++;
		minor_size_pause(m, &domain);
	}
}

static void collect(struct minor_size *m, int64_t bytes, unsigned times, rtev_phase outer, rtev_phase inner)
{
	free_in(m, bytes, times, outer, inner, 40);
}

TEST(test_full_heaps)
{
	struct minor_size m = {0};

	/* What is around the first collection may be missing. */
	collect(&m, 300000, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(m.largest, 0);
	collect(&m, 262128, 7, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 0); /* too few agree */
	collect(&m, 262000, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 32768);
	/* Smaller amounts change nothing. */
	collect(&m, 5000, 100, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 32768);
	/* Nor do a few for which it had to wait for a processor. */
	free_in(&m, 262128, 3, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR, 4000000);
	CHECK_INT(minor_size_words(&m), 32768);
	/* A larger heap is believed once several agree. */
	collect(&m, 524288, 7, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 0);
	collect(&m, 524280, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 65536);
}

TEST(test_others_say_nothing)
{
	struct minor_size m = {0};

	collect(&m, 262128, 99, RTEV_PHASE_STW_HANDLER, RTEV_PHASE_MINOR);
	collect(&m, 262128, 99, RTEV_PHASE_EXPLICIT_GC_MINOR, RTEV_PHASE_STW_LEADER);
	collect(&m, 0, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	collect(&m, INT64_MIN, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	minor_size_count(&m, NULL, RTEV_COUNTER_MINOR_ALLOCATED, 5);
	minor_size_pause(&m, NULL);
	CHECK_INT(m.largest, 0);
	domain.domain = MINOR_SIZE_DOMAINS;
	collect(&m, 262128, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(m.largest, 0);
	domain.domain = 0;
	/* Further below whole pages than a block is large: the heap was not full. */
	collect(&m, 262144 - 2100, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 0);
	collect(&m, INT64_MAX, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), (UINT64_C(1) << 63) / 8);
}

/* Collections that something else than a full heap asks for agree as well, on whole pages if their number is a power of 2. */
TEST(test_requested_collections)
{
	struct minor_size m = {0};

	/* By custom blocks, whose memory is freed. */
	free_in(&m, 1302528, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR, 14000);
	CHECK_INT(m.largest, 0);
	/* One that was of all the major heap has freed them before. */
	for (int i = 0; i < 30; i++) {
		collect(&m, 1302528, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
		free_in(&m, 1302528, 3, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR, 14000);
		CHECK_INT(minor_size_words(&m), 0);
	}
	/* At the end of a cycle, by the slice in which it ends. */
	m = (struct minor_size){0};
	collect(&m, 4096, 99, RTEV_PHASE_MAJOR, RTEV_PHASE_STW_LEADER);
	CHECK_INT(m.largest, 0);
	/* By a table that had to grow. */
	for (int i = 0; i < 99; i++) {
		minor_size_count(&m, &domain, RTEV_COUNTER_REQUEST_MINOR_REALLOC_REF_TABLE, 1);
		collect(&m, 552960, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	}
	CHECK_INT(m.largest, 0);
	/* Up to 5.2 there is no such phase. */
	for (int i = 0; i < 99; i++) {
		phases[RTEV_PHASE_MINOR_FINALIZED].count = (uint64_t)-1;
		collect(&m, 262128, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	}
	CHECK_INT(m.largest, 0);
	CHECK(minor_size_heeds(RTEV_COUNTER_REQUEST_MAJOR_ADJUST_GC_SPEED));
	CHECK(minor_size_heeds(RTEV_COUNTER_REQUEST_MINOR_REALLOC_CUSTOM_TABLE));
	/* In a cycle whose begin was lost. */
	for (int i = 0; i < 99; i++) {
		domain.gaps++;
		collect(&m, 552960, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	}
	CHECK_INT(m.largest, 0);
	domain.gaps = 0;
	collect(&m, 0, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	/* A reset begins the times anew. */
	phases[RTEV_PHASE_MINOR_FINALIZED].total = 0;
	free_in(&m, 552960, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR, 14000);
	CHECK_INT(m.largest, 0);
}
