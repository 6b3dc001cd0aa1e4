/*
 * nesting.c - exclude releases by the nesting of phases.
 */
#include "ring/nesting.h"

#include <string.h>

#include "rtev/events.h"

/* The number of each phase in family A (A_, of 5.2) and in family B (B_, of 5.3). */
enum {
#define ROW(name, text, class, c51, c52, c53, c55, cox) A_##name = (c52), B_##name = (c53),
	RTEV_PHASES(ROW)
#undef ROW
};

/* Numbers below this have a meaning in some release. */
#define NUMBERS 50

/* Places as bits: one for each phase number, and three more. */
#define IN(number) (UINT64_C(1) << (number))
#define IN_PROGRAM (UINT64_C(1) << 62)
#define IN_START (UINT64_C(1) << 63)
#define NOWHERE (UINT64_C(1) << 61)

/* Stop-the-world sections, of their leader and of other domains, and the places of their minor
 * collections. */
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
#define B_48 48
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

unsigned nesting_begin(struct nesting *n, uint32_t id)
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

unsigned nesting_end(struct nesting *n, uint32_t id)
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

void nesting_lifecycle(struct nesting *n, bool starts)
{
	*n = (struct nesting){.program = !starts, .starting = starts};
}

void nesting_user(struct nesting *n)
{
	if (n->depth == 0)
		n->program = true;
}
