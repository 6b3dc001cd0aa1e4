/*
 * test_minor_size.c - the size of the minor heap by what leaders had allocated.
 */
#include "support/test.h"
#include "watch/minor_size.h"

static struct model_open_span stack[4];
static struct model_domain domain = {.stack = stack};

/* A collection in these phases. */
static void collect(struct minor_size *m, int64_t bytes, unsigned times, rtev_phase outer, rtev_phase inner)
{
	stack[0].phase = outer;
	stack[1].phase = inner;
	domain.depth = 2;
	for (unsigned i = 0; i < times; i++)
		minor_size_see(m, &domain, bytes);
}

TEST(test_full_heaps)
{
	struct minor_size m = {0};

	CHECK_INT(minor_size_words(&m), 0);
	collect(&m, 262128, 7, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 0); /* too few agree */
	collect(&m, 262000, 1, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 32768);
	/* Collections that were not begun by a full heap change nothing. */
	collect(&m, 5000, 100, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
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
	minor_size_see(&m, NULL, 5);
	CHECK_INT(m.largest, 0);
	/* Further below whole pages than a block is large: the heap was not full. */
	collect(&m, 262144 - 2100, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), 0);
	collect(&m, INT64_MAX, 99, RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR);
	CHECK_INT(minor_size_words(&m), (UINT64_C(1) << 63) / 8);
}
