/*
 * evidence.h - determine which release wrote a stream of records, from the raw numbers.
 *
 * Family A numbers phases as 5.0 to 5.2 do, family B as 5.3 and later and OxCaml.  Every minor collection
 * ends with counter 4, counter 5 and then the end of the minor phase, whose number tells the family.  Within
 * family B, the order of the phases around the end of a minor collection narrows the release down.  Most of
 * that is visible from a record and its predecessor:
 *
 *     5.3          begin 11 .. end 12, begin 14, end 14, counter 4, counter 5, end 11, begin 15 ..
 *     5.4, 5.5     begin 48 .. begin 11 .. end 11, [begin 49, end 49,] begin 14 .. end 14, begin 15 .. end 48
 *     OxCaml       begin 11 .. end 11, [begin 48, end 48,] begin 14 .. end 15, begin 49, end 49, begin 38 ..
 *
 * OCaml trunk between 5.3 and 5.4 has phase 48 as 5.4 does, and the other phases as 5.3 does.  A domain of it
 * that leads no collection looks like one of 5.3.
 *
 * In shorter streams, the nesting of phases can exclude a family (struct nesting).  It costs much to follow, so it
 * is left once it has told nothing new for thousands of phases, and taken up again at the next new fact, and
 * from time to time.  Also, runtimes before 5.3 have exactly 128 domains, or 16 on 32-bit systems.  The evidence
 * above takes precedence over both.
 *
 * Source: runtime/minor_gc.c and runtime/caml/runtime_events.h of each release, and of OxCaml.
 */
#pragma once

#include "ring/layout.h"
#include "rtev/events.h"

/*
 * Nesting excludes releases by the place where a phase begins.
 *
 * Families A (5.0 to 5.2) and B (5.3 and later, OxCaml) number most phases differently.  A runtime begins
 * many phases in fixed places only: minor_remembered_set begins inside minor and nowhere else.  If a number
 * stands for a phase that a family never begins in the given place, the stream is not of that family.
 *
 * The place of a begin is the innermost phase open at that time.  If the ring's first records come from
 * inside open phases, the place is unknown until a lifecycle or user event shows that the program itself was
 * running, until a phase begins, or until the unknown phase ends.
 *
 * A pause of the target hides ends, and most rings do not record the pause.  A copy of a ring that was being
 * written to may lack ends too.  A caller that detects either must discard the conclusions from nesting.
 *
 * Source: the calls of CAML_EV_BEGIN in the runtimes of 5.0, 5.1, 5.2, 5.3, 5.4 and OxCaml; the tables are
 * the union of these.
 */
#define NESTING_DEPTH 24 /* runtimes nest about ten deep */

/* The open phases of one ring.  All zero: nothing is known. */
struct nesting {
	uint8_t stack[NESTING_DEPTH]; /* numbers of the open phases, outermost first */
	uint8_t depth;
	uint64_t inside; /* phases that began directly inside an unknown one, as bits */
	bool program;	 /* around the open phases is the program itself, or a phase in which it runs */
	bool
	    starting; /* around them is the program, or the stop-the-world section in which the ring was started */
	bool abandoned; /* the nesting could not be followed any further */
	/* in family B, depth of a leader's phase that may serve a minor collection alone; 0: none is tracked */
	uint8_t leader;
	bool leader_minor; /* a minor phase began inside the leader's phase */
};

/* What a begin or an end shows, as bits. */
enum {
	NESTING_NOT_A = 1 << 0,
	NESTING_NOT_B = 1 << 1,
	NESTING_BARE_MINOR = 1 << 2,  /* in family B: a minor collection without phase 48 around it */
	NESTING_EMPTY_MINOR = 1 << 3, /* in family B: phase 48 where OxCaml does not begin it */
	NESTING_EPHE_CLEAN = 1 << 4   /* in family B: phase 48 where 5.4 does not begin it */
};

/* Facts, as bits, collected over all rings of a file.  If two facts exclude each other, the later one
 * stands: a pause of the target can make records adjacent that were not written in sequence. */
enum {
	FACT_FAMILY_A = 1 << 0,
	FACT_FAMILY_B = 1 << 1,
	FACT_COMPACTION_A = 1 << 2, /* phases 40 to 43, which in family A only 5.2 has */
	FACT_CLEAN_INSIDE = 1 << 3, /* phase 14 before the minor phase ends: release before 5.4 */
	FACT_CLEAN_AFTER = 1 << 4,  /* phase 14 after it: 5.4 or later, or OxCaml */
	FACT_EMPTY_MINOR = 1 << 5,  /* phase 48 around a minor collection, or 49 before 14: 5.4 or later */
	FACT_OXCAML_MINOR = 1 << 6, /* phase 48 inside or right after a minor collection, or 49 after 15 */
	FACT_UPSTREAM_COUNTER = 1 << 7, /* 24 or 25, or 18 right after 17 */
	FACT_OXCAML_COUNTER = 1 << 8,	/* 18 not right after 17 */
	FACT_COUNTERS_5_3 = 1 << 9,	/* a counter of 17 or more: 5.3 or later, or OxCaml */
	FACT_COUNTERS_5_5 = 1 << 10,	/* counter 26 or 27 */
	FACT_NO_COUNTERS_5_5 = 1 << 11, /* a minor collection of family B without them */
	FACT_LAYOUT_5_0 = 1 << 12,	/* the file has the layout that only 5.0 writes */
	FACT_LAYOUT_5_3 = 1 << 13,	/* its number of domains is possible only in 5.3 and later */
	FACT_NOT_A = 1 << 14,		/* by nesting (struct nesting): not family A */
	FACT_NOT_B = 1 << 15,		/* by nesting: not family B */
	FACT_BARE_MINOR = 1 << 16,	/* by nesting: in family B, before 5.4 */
	FACT_CUT = 1 << 17		/* records are missing somewhere, so nesting proves nothing */
};

/* State of one ring: its last records.  All zero at the start and after a gap. */
struct evidence_ring {
	uint16_t last_id;
	uint8_t last_type;   /* RECORD_PADDING: not known */
	bool in_minor;	     /* phase 11 has begun */
	bool open_48;	     /* phase 48 has begun ... */
	bool open_48_inside; /* ... and phase 11 began before it */
	bool whole_48;	     /* phase 48 began and ended inside this minor */
	bool whole_minor;    /* a minor began and ended inside phase 48 */
	uint8_t batches;     /* calls of evidence_begin since nesting was last taken up */
	uint16_t followed;   /* phases that nesting was followed for since then, without a new fact */
	uint32_t facts;	     /* the facts at that time */
	struct nesting nesting;
};

/* Return the facts that a file header proves: its number of domains, and whether it has the layout of 5.0. */
uint32_t evidence_of_layout(uint64_t domains, bool layout_5_0);

/*
 * Records that are idle, that is, prove nothing in the ring's present state.  Indexed by the type and length
 * of a header (header_top, for records of up to three words); each bit is a phase or counter number, the
 * last bit stands for all from 63 on.  The caller passes every other record to evidence_record; of a run of
 * idle records it passes only the last, to evidence_skipped.
 */
struct evidence_idle {
	uint64_t numbers[HEADER_TOPS];
};

/* Process one record: its type (enum record_type) and number.  Returns the idle records of the new state. */
const struct evidence_idle *evidence_record(
    uint32_t *facts, struct evidence_ring *ring, uint32_t type, uint32_t id);

/* Begin a batch of records of a ring.  Returns its idle records. */
const struct evidence_idle *evidence_begin(uint32_t facts, struct evidence_ring *ring);

/* Whether a record of at most three words is idle. */
static inline bool evidence_idle_has(const struct evidence_idle *idle, uint64_t header)
{
	uint32_t id = header_id(header);

	return (idle->numbers[header_top(header)] >> (id < 63 ? id : 63) & 1) != 0;
}

/* Set the last record to a type and number, after one or more records that evidence_record was not called for. */
static inline void evidence_skipped(struct evidence_ring *ring, uint32_t type, uint32_t id)
{
	ring->last_type = (uint8_t)type;
	ring->last_id = (uint16_t)id;
}

/* Return the release whose table fits.  *version is a text of what is proved, static, or NULL without
 * evidence.  *from_layout: only the file layout proves it. */
enum rtev_release evidence_conclude(uint32_t facts, const char **version, bool *from_layout);

/* Whether further evidence can't lead to a table that translates more of the stream. */
bool evidence_settled(uint32_t facts);

/* Whether further evidence, except for evidence_awaited, can't lead to another conclusion, unless
 * the facts are wrong. */
bool evidence_final(uint32_t facts);

/* Return the first of the phases whose begin would narrow the release down however late it comes: 40 to 43, a
 * compaction of 5.2, or 48 and 49, of trunk before 5.4.  0: none. */
uint32_t evidence_awaited(uint32_t facts);
