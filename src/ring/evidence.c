/*
 * evidence.c - determine the release from raw records.
 */
#include "ring/evidence.h"

#include <stddef.h>

#include "ring/layout.h"

/* Numbers in the ring.  The same number has different meanings in the two families. */
enum {
	A_MINOR = 10,
	A_COMPACT_FIRST = 40,
	A_COMPACT_LAST = 43,
	B_MINOR = 11,
	B_LOCAL_ROOTS = 12,
	B_MEMPROF_CLEAN = 14,
	B_FINALIZED = 15,
	A_STW_LEADER = 32,
	B_LEAVE_BARRIER = 32,
	B_STW_LEADER = 35,
	B_48 = 48, /* 5.4: empty_minor; OxCaml: minor_ephe_clean */
	B_49 = 49, /* 5.4: minor_ephe_clean; OxCaml: minor_dependent */
	C_ALLOCATED = 5,
	C_HEAP_WORDS = 17,
	C_ALLOCATED_WORDS = 18,
	C_SLICE_TARGET = 24,
	C_SLICE_BUDGET = 25,
	C_ALLOCATED_WORDS_5_5 = 26,
	C_PROMOTED_WORDS_5_5 = 27
};

/* Add a fact and remove those that it excludes. */
static void learn(uint32_t *facts, uint32_t fact, uint32_t excluded)
{
	*facts = (*facts & ~excluded) | fact;
}

/* Whether the previous record had this type and number. */
static bool came_after(const struct evidence_ring *ring, enum record_type type, uint32_t id)
{
	return ring->last_type == type && ring->last_id == id;
}

/* Learn the family from a stop-the-world section: its leader's phase is the first to begin after the ring
 * stopped, and the first to end after it started. */
static void see_leader(uint32_t *facts, uint32_t id)
{
	if (id == A_STW_LEADER)
		learn(facts, FACT_FAMILY_A, FACT_FAMILY_B);
	else if (id == B_STW_LEADER)
		learn(facts, FACT_FAMILY_B, FACT_FAMILY_A);
}

/* Learn from a begin record. */
static void see_begin(uint32_t *facts, struct evidence_ring *ring, uint32_t id)
{
	if (id >= A_COMPACT_FIRST && id <= A_COMPACT_LAST)
		learn(facts, FACT_COMPACTION_A, 0);
	if (came_after(ring, RECORD_LIFECYCLE, RTEV_LIFECYCLE_RING_STOP))
		see_leader(facts, id);
	switch (id) {
	case B_MINOR:
		ring->in_minor = true;
		ring->whole_48 = ring->open_48_inside = false;
		break;
	case B_48:
		ring->open_48 = true;
		ring->open_48_inside = ring->in_minor;
		ring->whole_minor = false;
		break;
	case B_49:
		if (came_after(ring, RECORD_END, B_FINALIZED))
			learn(facts, FACT_OXCAML_MINOR, FACT_EMPTY_MINOR);
		else if ((*facts & (FACT_CLEAN_INSIDE | FACT_OXCAML_MINOR)) == FACT_CLEAN_INSIDE)
			learn(facts, FACT_EMPTY_MINOR, 0);
		break;
	case B_MEMPROF_CLEAN:
		if (came_after(ring, RECORD_END, B_LOCAL_ROOTS))
			learn(facts, FACT_CLEAN_INSIDE, FACT_CLEAN_AFTER);
		else if (came_after(ring, RECORD_END, B_MINOR) ||
			 came_after(ring, RECORD_END, B_LEAVE_BARRIER))
			learn(facts, FACT_CLEAN_AFTER, FACT_CLEAN_INSIDE);
		else if (came_after(ring, RECORD_END, B_48))
			learn(facts, FACT_OXCAML_MINOR, FACT_EMPTY_MINOR);
		else if (came_after(ring, RECORD_END, B_49))
			learn(facts, FACT_EMPTY_MINOR, FACT_OXCAML_MINOR);
		break;
	default:
		break;
	}
}

/* Learn from an end record. */
static void see_end(uint32_t *facts, struct evidence_ring *ring, uint32_t id)
{
	bool after_allocated = came_after(ring, RECORD_COUNTER, C_ALLOCATED);

	if (came_after(ring, RECORD_LIFECYCLE, RTEV_LIFECYCLE_RING_START))
		see_leader(facts, id);
	switch (id) {
	case A_MINOR:
		if (after_allocated)
			learn(facts, FACT_FAMILY_A, FACT_FAMILY_B);
		break;
	case B_MINOR:
		if (after_allocated)
			learn(facts, FACT_FAMILY_B | FACT_NO_COUNTERS_5_5, FACT_FAMILY_A);
		if (ring->in_minor && ring->whole_48)
			learn(facts, FACT_OXCAML_MINOR, FACT_EMPTY_MINOR);
		ring->whole_minor = ring->in_minor;
		ring->in_minor = false;
		break;
	case B_48:
		if (ring->open_48_inside)
			ring->whole_48 = true;
		else if (ring->open_48 && ring->whole_minor)
			learn(facts, FACT_EMPTY_MINOR, FACT_OXCAML_MINOR);
		ring->open_48 = ring->open_48_inside = false;
		break;
	default:
		break;
	}
}

/* Learn from a counter record. */
static void see_counter(uint32_t *facts, struct evidence_ring *ring, uint32_t id)
{
	if (id >= C_HEAP_WORDS)
		learn(facts, FACT_COUNTERS_5_3, 0);
	if (id == C_ALLOCATED_WORDS && ring->last_type != RECORD_PADDING) {
		if (came_after(ring, RECORD_COUNTER, C_HEAP_WORDS))
			learn(facts, FACT_UPSTREAM_COUNTER, FACT_OXCAML_COUNTER);
		else
			learn(facts, FACT_OXCAML_COUNTER, 0);
	}
	if (id == C_SLICE_TARGET || id == C_SLICE_BUDGET)
		learn(facts, FACT_UPSTREAM_COUNTER, FACT_OXCAML_COUNTER);
	if (id == C_ALLOCATED_WORDS_5_5 || id == C_PROMOTED_WORDS_5_5)
		learn(facts, FACT_COUNTERS_5_5 | FACT_FAMILY_B, FACT_FAMILY_A);
}

/* Nesting is left after this many phases without a new fact. */
#define FOLLOWED_MAX 4096

/* Whether nesting can add nothing to the facts. */
static bool nesting_settled(uint32_t facts)
{
	return (facts & (FACT_CUT | FACT_FAMILY_A)) != 0 ||
	       ((facts & FACT_FAMILY_B) != 0 && (facts & (FACT_EMPTY_MINOR | FACT_OXCAML_MINOR |
							     FACT_CLEAN_AFTER | FACT_BARE_MINOR)) != 0);
}

/* Whether nesting is left at present. */
static bool nesting_left(uint32_t facts, const struct evidence_ring *ring)
{
	return nesting_settled(facts) || (ring->followed >= FOLLOWED_MAX && facts == ring->facts);
}

/* Take nesting up, at a place that is unknown if records were not followed until now. */
static void nesting_take_up(uint32_t facts, struct evidence_ring *ring)
{
	if (ring->followed >= FOLLOWED_MAX)
		ring->nesting = (struct nesting){0};
	ring->facts = facts;
	ring->followed = 0;
	ring->batches = 0;
}

/* Learn from the nesting of phases. */
static void see_nesting(uint32_t *facts, struct evidence_ring *ring, uint32_t type, uint32_t id)
{
	unsigned excluded = 0;

	if (*facts != ring->facts)
		nesting_take_up(*facts, ring);
	if (type == RECORD_BEGIN || type == RECORD_END)
		ring->followed++;
	if (type == RECORD_BEGIN)
		excluded = nesting_begin(&ring->nesting, id);
	else if (type == RECORD_END)
		excluded = nesting_end(&ring->nesting, id);
	else if (type == RECORD_LIFECYCLE)
		nesting_lifecycle(&ring->nesting, id == RTEV_LIFECYCLE_RING_START);
	else if (type >= RECORD_USER_UNIT)
		nesting_user(&ring->nesting);
	*facts |= (excluded & NESTING_NOT_A ? FACT_NOT_A : 0) | (excluded & NESTING_NOT_B ? FACT_NOT_B : 0) |
		  (excluded & NESTING_BARE_MINOR ? FACT_BARE_MINOR : 0);
	if (excluded & NESTING_EMPTY_MINOR)
		learn(facts, FACT_EMPTY_MINOR, FACT_OXCAML_MINOR);
	if (excluded & NESTING_EPHE_CLEAN)
		learn(facts, FACT_OXCAML_MINOR, FACT_EMPTY_MINOR);
}

/* Bit masks: of one number, and of all numbers from one to another. */
#define BIT(number) (UINT64_C(1) << (number))
#define BITS(from, to) ((BIT(to) - 1 + BIT(to)) & ~(BIT(from) - 1))

/* Idle numbers: all below 63 that see_begin, see_end and see_counter do not test for. */
#define IDLE_BEGIN                                                                                           \
	(BITS(0, 62) & ~(BIT(B_MINOR) | BIT(B_MEMPROF_CLEAN) | BITS(A_COMPACT_FIRST, A_COMPACT_LAST) |       \
			   BIT(B_48) | BIT(B_49)))
#define IDLE_END (BITS(0, 62) & ~(BIT(A_MINOR) | BIT(B_MINOR) | BIT(B_48)))
#define IDLE_COUNTER BITS(0, C_HEAP_WORDS - 1)

#define IDLE_USERS                                                                                           \
	[USUAL_USER_UNIT] = UINT64_MAX, [USUAL_USER_INT] = UINT64_MAX, [USUAL_SPAN_BEGIN] = UINT64_MAX,      \
	[USUAL_SPAN_END] = UINT64_MAX

/* Return the idle records of a ring. */
static const struct evidence_idle *idle_records(uint32_t facts, const struct evidence_ring *ring)
{
	static const struct evidence_idle settled = {
	    {[USUAL_BEGIN] = IDLE_BEGIN, [USUAL_END] = IDLE_END, [USUAL_COUNTER] = IDLE_COUNTER, IDLE_USERS}};
	static const struct evidence_idle in_phase = {{[USUAL_COUNTER] = IDLE_COUNTER, IDLE_USERS}};
	static const struct evidence_idle outside = {{[USUAL_COUNTER] = IDLE_COUNTER}};

	/* After a lifecycle event, the family may come to light. */
	if (nesting_left(facts, ring) && ring->last_type != RECORD_LIFECYCLE)
		return &settled;
	return ring->nesting.depth > 0 || ring->nesting.program ? &in_phase : &outside;
}

const struct evidence_idle *evidence_begin(uint32_t facts, struct evidence_ring *ring)
{
	if (++ring->batches == 0)
		nesting_take_up(facts, ring);
	return idle_records(facts, ring);
}

const struct evidence_idle *evidence_record(
    uint32_t *facts, struct evidence_ring *ring, uint32_t type, uint32_t id)
{
	if (type == RECORD_PADDING)
		return idle_records(*facts, ring);
	if (!nesting_left(*facts, ring))
		see_nesting(facts, ring, type, id);
	if (type == RECORD_LIFECYCLE && id == RTEV_LIFECYCLE_RING_RESUME) {
		/* Records before and after a pause are not adjacent.  The rings of other domains do not
		 * show the pause. */
		*ring = (struct evidence_ring){.nesting = ring->nesting, .facts = ring->facts};
		*facts |= FACT_CUT;
		return idle_records(*facts, ring);
	}
	if (type == RECORD_BEGIN)
		see_begin(facts, ring, id);
	else if (type == RECORD_END)
		see_end(facts, ring, id);
	else if (type == RECORD_COUNTER)
		see_counter(facts, ring, id);
	evidence_skipped(ring, type, id);
	return idle_records(*facts, ring);
}

/* Determine the release within family B. */
static enum rtev_release conclude_b(uint32_t facts, const char **version)
{
	bool ox_counter = (facts & FACT_OXCAML_COUNTER) != 0 && (facts & FACT_UPSTREAM_COUNTER) == 0;

	if ((facts & FACT_OXCAML_MINOR) != 0 || ox_counter) {
		*version = "OxCaml";
		return RTEV_RELEASE_OXCAML;
	}
	if (facts & FACT_COUNTERS_5_5) {
		*version = "5.5";
		return RTEV_RELEASE_5_5;
	}
	if (facts & FACT_CLEAN_INSIDE && !(facts & FACT_EMPTY_MINOR)) {
		bool bare = facts & FACT_BARE_MINOR && !(facts & FACT_CUT);
		*version = bare ? "5.3" : "5.3-5.4";
		/* The table of 5.4 has all that 5.3 has. */
		return bare ? RTEV_RELEASE_5_3 : RTEV_RELEASE_5_4;
	}
	if (facts & (FACT_EMPTY_MINOR | FACT_CLEAN_AFTER)) {
		*version = facts & FACT_NO_COUNTERS_5_5 ? "5.4" : "5.4-5.5";
		return facts & FACT_NO_COUNTERS_5_5 ? RTEV_RELEASE_5_4 : RTEV_RELEASE_5_5;
	}
	*version = "5.3-5.5";
	return RTEV_RELEASE_5_5;
}

uint32_t evidence_of_layout(uint64_t domains, bool layout_5_0)
{
	enum { DOMAINS_64 = 128, DOMAINS_32 = 16 }; /* number of domains before 5.3 */

	if (domains != DOMAINS_64 && domains != DOMAINS_32)
		return FACT_LAYOUT_5_3;
	return layout_5_0 ? FACT_LAYOUT_5_0 : 0;
}

enum rtev_release evidence_conclude(uint32_t facts, const char **version, bool *from_layout)
{
	uint32_t family = facts & (FACT_FAMILY_A | FACT_FAMILY_B);
	uint32_t layout = facts & (FACT_LAYOUT_5_0 | FACT_LAYOUT_5_3);
	uint32_t not = facts & FACT_CUT ? 0 : facts & (FACT_NOT_A | FACT_NOT_B);

	if (family == 0 && facts & FACT_COUNTERS_5_3)
		family = FACT_FAMILY_B;
	if (family == 0 && not == FACT_NOT_B)
		family = FACT_FAMILY_A;
	if (family == 0 && not == FACT_NOT_A)
		family = FACT_FAMILY_B;
	*from_layout = family == 0 && layout != 0;
	if (*from_layout)
		family = layout == FACT_LAYOUT_5_3 ? FACT_FAMILY_B : FACT_FAMILY_A;
	if (family == FACT_FAMILY_B)
		return conclude_b(facts, version);
	if (family == FACT_FAMILY_A && layout == FACT_LAYOUT_5_0) {
		*version = "5.0";
		return RTEV_RELEASE_5_0;
	}
	if (family == FACT_FAMILY_A) {
		*version = facts & FACT_COMPACTION_A ? "5.2" : "5.1-5.2";
		return RTEV_RELEASE_5_2;
	}
	*version = NULL;
	return RTEV_RELEASE_UNKNOWN;
}

bool evidence_settled(uint32_t facts)
{
	if (facts & (FACT_FAMILY_B | FACT_COUNTERS_5_3))
		return (facts & (FACT_OXCAML_MINOR | FACT_COUNTERS_5_5 | FACT_CLEAN_INSIDE |
				    FACT_EMPTY_MINOR)) != 0;
	return (facts & FACT_FAMILY_A) != 0;
}

uint32_t evidence_awaited(uint32_t facts)
{
	if ((facts & FACT_FAMILY_A) != 0)
		return (facts & (FACT_COMPACTION_A | FACT_LAYOUT_5_0)) == 0 ? A_COMPACT_FIRST : 0;
	if ((facts & (FACT_CLEAN_INSIDE | FACT_EMPTY_MINOR | FACT_OXCAML_MINOR | FACT_COUNTERS_5_5)) !=
	    FACT_CLEAN_INSIDE)
		return 0;
	return (facts & FACT_BARE_MINOR) == 0 || (facts & FACT_CUT) != 0 ? B_48 : 0;
}

bool evidence_final(uint32_t facts)
{
	if (!evidence_settled(facts))
		return false;
	if ((facts & FACT_FAMILY_A) != 0 || (facts & (FACT_OXCAML_MINOR | FACT_COUNTERS_5_5)) != 0)
		return true;
	if ((facts & FACT_EMPTY_MINOR) != 0)
		return (facts & FACT_NO_COUNTERS_5_5) != 0;
	return (facts & (FACT_BARE_MINOR | FACT_CUT)) != 0;
}
