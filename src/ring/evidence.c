/*
 * evidence.c - determine the release from raw records, and from the nesting of phases.
 */
#include "ring/evidence.h"

/* The number of each phase in family A (A_, of 5.2) and in family B (B_, of 5.3). */
enum {
#define ROW(name, text, class, brief, c51, c52, c53, c55, cox) A_##name = (c52), B_##name = (c53),
	RTEV_PHASES(ROW)
#undef ROW
};

/* Further numbers of phases, and those of counters.  The same number has different meanings in the two
 * families. */
enum {
	A_COMPACT_FIRST = 40,
	A_COMPACT_LAST = 43,
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
		if (came_after(ring, RECORD_END, B_MINOR_FINALIZED))
			learn(facts, FACT_OXCAML_MINOR, FACT_EMPTY_MINOR);
		else if ((*facts & (FACT_CLEAN_INSIDE | FACT_OXCAML_MINOR)) == FACT_CLEAN_INSIDE)
			learn(facts, FACT_EMPTY_MINOR, 0);
		break;
	case B_MINOR_MEMPROF_CLEAN:
		if (came_after(ring, RECORD_END, B_MINOR_LOCAL_ROOTS))
			learn(facts, FACT_CLEAN_INSIDE, FACT_CLEAN_AFTER);
		else if (came_after(ring, RECORD_END, B_MINOR) ||
			 came_after(ring, RECORD_END, B_MINOR_LEAVE_BARRIER))
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

/* ---- nesting ---- */

/* Numbers below this have a meaning in some release. */
#define NUMBERS 50

/* Places as bits: one for each phase number, and three more. */
#define IN(number) (UINT64_C(1) << (number))
#define IN_PROGRAM (UINT64_C(1) << 62)
#define IN_START (UINT64_C(1) << 63)
#define NOWHERE (UINT64_C(1) << 61)

/* Stop-the-world sections, of their leader and of other domains, and the places of their minor collections. */
#define IN_STOP(F) (IN(F##_STW_LEADER) | IN(F##_STW_HANDLER) | IN_START)
#define IN_MINORS(F)                                                                                         \
	(IN_STOP(F) | IN(F##_MAJOR_GC_CYCLE_DOMAINS) | IN(F##_MAJOR_FINISH_CYCLE) |                          \
	    IN(F##_DOMAIN_RESIZE_HEAP_RESERVATION))

/* The places where phases of both families can begin.  A phase that is not listed can begin anywhere. */
#define PLACES(F)                                                                                            \
	[F##_MAJOR_SWEEP] = IN(F##_MAJOR_SLICE), [F##_MAJOR_MARK] = IN(F##_MAJOR_SLICE),                     \
	[F##_MAJOR_MARK_ROOTS] = IN(F##_MAJOR_GC_STW) | IN_MINORS(F),                                        \
	[F##_MAJOR_GC_STW] = IN(F##_MAJOR_GC_CYCLE_DOMAINS),                                                 \
	[F##_MAJOR_GC_CYCLE_DOMAINS] = IN_STOP(F) | IN(F##_MAJOR_FINISH_CYCLE),                              \
	[F##_MAJOR_GC_PHASE_CHANGE] = IN_STOP(F) | IN(F##_MAJOR_SLICE) | IN(F##_MAJOR_FINISH_CYCLE),         \
	[F##_MINOR_LOCAL_ROOTS] = IN(F##_MINOR), [F##_MINOR_GLOBAL_ROOTS] = IN(F##_MINOR),                   \
	[F##_MINOR_REMEMBERED_SET] = IN(F##_MINOR),                                                          \
	[F##_MINOR_REMEMBERED_SET_PROMOTE] = IN(F##_MINOR_REMEMBERED_SET),                                   \
	[F##_MINOR_LOCAL_ROOTS_PROMOTE] = IN(F##_MINOR_LOCAL_ROOTS),                                         \
	[F##_MINOR_FINALIZERS_OLDIFY] = IN(F##_MINOR_REMEMBERED_SET), [F##_MINOR_FINALIZED] = IN_MINORS(F),  \
	[F##_MINOR_CLEAR] = IN_MINORS(F), [F##_MINOR_FINALIZERS_ADMIN] = IN_MINORS(F) | IN(F##_MINOR),       \
	[F##_MINOR_LEAVE_BARRIER] = IN_MINORS(F), [F##_STW_API_BARRIER] = IN_STOP(F),                        \
	[F##_COMPACT] = IN(F##_MAJOR_GC_STW), [F##_COMPACT_EVACUATE] = IN(F##_COMPACT),                      \
	[F##_COMPACT_FORWARD] = IN(F##_COMPACT), [F##_COMPACT_RELEASE] = IN(F##_COMPACT)

static const uint64_t places_a[NUMBERS] = {PLACES(A), [44] = NOWHERE, [45] = NOWHERE, [46] = NOWHERE,
    [47] = NOWHERE, [48] = NOWHERE, [49] = NOWHERE};

static const uint64_t places_b[NUMBERS] = {
    PLACES(B), [B_MAJOR_MEMPROF_ROOTS] = IN(B_MAJOR_GC_STW) | IN_MINORS(B),
    [B_MAJOR_MEMPROF_CLEAN] = IN_STOP(B) | IN(B_MAJOR_FINISH_CYCLE),
    [B_MINOR_MEMPROF_ROOTS] = IN(B_MINOR_REMEMBERED_SET),
    [B_MINOR_MEMPROF_CLEAN] = IN_MINORS(B) | IN(B_MINOR)};

/* Besides minor, only these phases begin in a leader's phase that serves a minor collection alone. */
#define IN_BARE_MINOR                                                                                        \
	(IN(B_MINOR_FINALIZED) | IN(B_MINOR_FINALIZERS_ADMIN) | IN(B_MINOR_CLEAR) |                          \
	    IN(B_MINOR_LEAVE_BARRIER) | IN(B_STW_API_BARRIER))

/* In 5.4, phase 48 encloses such a collection; in OxCaml it is in its middle and contains nothing. */
#define AROUND_EPHE_CLEAN (IN_MINORS(B) | IN(B_MINOR))

/* In these places such a leader's phase proves nothing: phase 48 of 5.4, and Gc.set, which may stop the
 * world for another reason. */
#define NOT_AROUND_BARE_MINOR (IN(B_48) | IN(B_EXPLICIT_GC_SET))

/* Return the innermost open phase as a bit; 0: unknown.  In 5.0 and 5.1 major_ephe_mark has no end, so
 * the place after it is unknown. */
static uint64_t place(const struct nesting *n)
{
	if (n->depth == 0)
		return n->program ? IN_PROGRAM : n->starting ? IN_START : 0;
	uint8_t around = n->stack[n->depth - 1];
	return around == A_MAJOR_EPHE_MARK || around == B_MAJOR_EPHE_MARK ? 0 : IN(around);
}

/* Track whether a leader's phase serves a minor collection alone. */
static void leader_begin(struct nesting *n, uint32_t id, uint64_t around)
{
	if (id == B_STW_LEADER && around != 0 && !(around & NOT_AROUND_BARE_MINOR)) {
		n->leader = (uint8_t)(n->depth + 1);
		n->leader_minor = false;
	} else if (n->leader != 0 && n->leader == n->depth) {
		if (id == B_MINOR)
			n->leader_minor = true;
		else if (!(IN(id) & IN_BARE_MINOR))
			n->leader = 0;
	}
}

/* Return what the begin of a phase in a place shows. */
static unsigned exclude(uint32_t id, uint64_t around)
{
	unsigned excluded = 0;

	if (places_a[id] == NOWHERE || (around != 0 && places_a[id] != 0 && !(places_a[id] & around)))
		excluded |= NESTING_NOT_A;
	if (around != 0 && places_b[id] != 0 && !(places_b[id] & around))
		excluded |= NESTING_NOT_B;
	if (around == IN(B_48) || (id == B_48 && around != 0 && !(around & AROUND_EPHE_CLEAN)))
		excluded |= NESTING_EMPTY_MINOR;
	else if (id == B_48 && around != 0 && around != IN_START)
		excluded |= NESTING_EPHE_CLEAN;
	return excluded;
}

/* Process the begin of a phase.  Returns what it shows. */
static __attribute__((noinline)) unsigned nesting_begin(struct nesting *n, uint32_t id)
{
	if (n->abandoned)
		return 0;
	if (id >= NUMBERS || n->depth == NESTING_DEPTH) {
		n->abandoned = true;
		return 0;
	}
	uint64_t around = place(n);
	if (n->depth == 0 && around == 0)
		n->inside |= IN(id);
	leader_begin(n, id, around);
	n->stack[n->depth++] = (uint8_t)id;
	return exclude(id, around);
}

/* Process the end of a phase whose begin was not seen. */
static unsigned end_unknown(struct nesting *n, uint32_t id)
{
	unsigned excluded = 0;

	if (id >= NUMBERS) {
		n->abandoned = true;
		return 0;
	}
	/* What began directly inside it has its place known now.  If phases are still open, they may lack
	 * an end, and whether they were inside it is unknown. */
	for (uint32_t inside = 0; n->depth == 0 && inside < NUMBERS; inside++)
		if (n->inside & IN(inside))
			excluded |= exclude(inside, IN(id));
	*n = (struct nesting){.inside = IN(id)};
	return excluded;
}

/* Process the end of a phase.  Returns what it shows. */
static __attribute__((noinline)) unsigned nesting_end(struct nesting *n, uint32_t id)
{
	unsigned depth = n->depth, excluded = 0;

	if (n->abandoned)
		return 0;
	while (depth > 0 && n->stack[depth - 1] != id)
		depth--;
	if (depth == 0)
		return end_unknown(n, id);
	if (n->leader == depth && depth == n->depth && n->leader_minor)
		excluded = NESTING_BARE_MINOR;
	n->depth = (uint8_t)(depth - 1);
	if (n->leader > n->depth)
		n->leader = 0;
	return excluded;
}

/* Nesting is no longer followed after this many phases without a new fact. */
#define FOLLOWED_MAX 4096

/* Whether nesting can add nothing to the facts. */
static bool nesting_settled(uint32_t facts)
{
	return (facts & (FACT_CUT | FACT_FAMILY_A)) != 0 ||
	       ((facts & FACT_FAMILY_B) != 0 && (facts & (FACT_EMPTY_MINOR | FACT_OXCAML_MINOR |
							     FACT_CLEAN_AFTER | FACT_BARE_MINOR)) != 0);
}

/* Whether nesting is not followed at present. */
static bool nesting_left(uint32_t facts, const struct evidence_ring *ring)
{
	return nesting_settled(facts) || (ring->followed >= FOLLOWED_MAX && facts == ring->facts);
}

/* Follow nesting again.  The place is unknown if records were not followed until now. */
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
		ring->nesting = (struct nesting){
		    .program = id != RTEV_LIFECYCLE_RING_START, .starting = id == RTEV_LIFECYCLE_RING_START};
	else if (type >= RECORD_USER_UNIT && ring->nesting.depth == 0)
		ring->nesting.program = true;
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
	(BITS(0, 62) & ~(BIT(B_MINOR) | BIT(B_MINOR_MEMPROF_CLEAN) | BITS(A_COMPACT_FIRST, A_COMPACT_LAST) | \
			   BIT(B_48) | BIT(B_49)))
#define IDLE_END (BITS(0, 62) & ~(BIT(A_MINOR) | BIT(B_MINOR) | BIT(B_48)))
#define IDLE_COUNTER BITS(0, C_HEAP_WORDS - 1)

#define IDLE_USERS                                                                                           \
	[USUAL_USER_UNIT] = UINT64_MAX, [USUAL_USER_INT] = UINT64_MAX, [USUAL_SPAN_BEGIN] = UINT64_MAX,      \
	[USUAL_SPAN_END] = UINT64_MAX

static const struct evidence_idle *idle_records(uint32_t facts, const struct evidence_ring *ring)
{
	static const struct evidence_idle settled = {
	    {[USUAL_BEGIN] = IDLE_BEGIN, [USUAL_END] = IDLE_END, [USUAL_COUNTER] = IDLE_COUNTER, IDLE_USERS}};
	static const struct evidence_idle in_phase = {{[USUAL_COUNTER] = IDLE_COUNTER, IDLE_USERS}};
	static const struct evidence_idle outside = {{[USUAL_COUNTER] = IDLE_COUNTER}};

	/* The next event after a lifecycle event may tell the family. */
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
