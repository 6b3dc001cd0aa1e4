/*
 * evidence.h - what a stream of records proves about the release that wrote it, from raw numbers alone.
 *
 * Family A numbers phases as 5.0 to 5.2 do, family B as 5.3 and later and OxCaml.  Every minor collection
 * ends with counter 4, counter 5 and then the end of the minor phase, whose number tells the family.  Within
 * family B the order of the phases around the end of a minor collection tells more; a record and the one
 * before it are enough to see most of that:
 *
 *     5.3          begin 11 .. end 12, begin 14, end 14, counter 4, counter 5, end 11, begin 15 ..
 *     5.4, 5.5     begin 48 .. begin 11 .. end 11, [begin 49, end 49,] begin 14 .. end 14, begin 15 .. end 48
 *     OxCaml       begin 11 .. end 11, [begin 48, end 48,] begin 14 .. end 15, begin 49, end 49, begin 38 ..
 *
 * Trunk between 5.3 and 5.4 has the phase 48 of 5.4 and the rest of 5.3, so that a domain which leads no collection looks like one
 * of 5.3.
 *
 * Streams too short for that show by what their phases are inside of which family they are not of (nesting.h), and
 * before 5.3 no runtime has another number of domains than 128, or 16 on 32 bits.  Both yield to the evidence above.
 *
 * Source: runtime/minor_gc.c and runtime/caml/runtime_events.h of each release, and of OxCaml.
 */
#ifndef RING_EVIDENCE_H
#define RING_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/layout.h"
#include "ring/nesting.h"
#include "rtev/events.h"

/* Facts, as bits; they add up over all rings of a file.  Of two that exclude each other the later one stands:
 * a pause of the target can join records that never were neighbours. */
enum {
	FACT_FAMILY_A = 1 << 0,
	FACT_FAMILY_B = 1 << 1,
	FACT_COMPACTION_A = 1 << 2, /* phases 40 to 43, which in family A only 5.2 has */
	FACT_CLEAN_INSIDE = 1 << 3, /* phase 14 before the minor phase ends: before 5.4 */
	FACT_CLEAN_AFTER = 1 << 4,  /* phase 14 after it: 5.4 or later, or OxCaml */
	FACT_EMPTY_MINOR = 1 << 5,  /* phase 48 around a minor collection, or 49 before 14: 5.4 or later */
	FACT_OXCAML_MINOR = 1 << 6, /* phase 48 inside or right after a minor collection, or 49 after 15 */
	FACT_UPSTREAM_COUNTER = 1 << 7, /* 24 or 25, or 18 right after 17 */
	FACT_OXCAML_COUNTER = 1 << 8,	/* 18 not right after 17 */
	FACT_COUNTERS_5_3 = 1 << 9,	/* a counter of 17 or more: 5.3 or later, or OxCaml */
	FACT_COUNTERS_5_5 = 1 << 10,	/* counter 26 or 27 */
	FACT_NO_COUNTERS_5_5 = 1 << 11, /* a minor of family B that lacks them */
	FACT_LAYOUT_5_0 = 1 << 12,	/* the file is laid out as only 5.0 does */
	FACT_LAYOUT_5_3 = 1 << 13,	/* it has as many domains as only 5.3 and later can have */
	FACT_NOT_A = 1 << 14,		/* by nesting */
	FACT_NOT_B = 1 << 15,		/* likewise */
	FACT_BARE_MINOR = 1 << 16,	/* likewise: in family B, before 5.4 */
	FACT_CUT = 1 << 17		/* something is missing somewhere: nesting proves nothing */
};

/* What the last records of one ring were.  All zero at the start and after a gap. */
struct evidence_ring {
	uint16_t last_id;
	uint8_t last_type;   /* RECORD_PADDING: not known */
	bool in_minor;	     /* phase 11 has begun */
	bool open_48;	     /* phase 48 has begun ... */
	bool open_48_inside; /* ... and phase 11 began before it */
	bool whole_48;	     /* phase 48 began and ended inside this minor */
	bool whole_minor;    /* a minor began and ended inside phase 48 */
	struct nesting nesting;
};

/* What the header of a file with so many domains proves, whose layout is that of 5.0 or not. */
uint32_t evidence_of_layout(uint64_t domains, bool layout_5_0);

/*
 * Which of the records that come next tell nothing: for the type and length of a header (header_top, of records up to three words)
 * the phases or counters as bits, the last bit for all from 63 on.  For any other record evidence_record is to be called; of those
 * that tell nothing evidence_skipped need only know the last.
 */
struct evidence_idle {
	uint64_t numbers[HEADER_TOPS];
};

/* Look at one record: its type (enum record_type) and number.  Returns what is idle on this ring now. */
const struct evidence_idle *evidence_record(
    uint32_t *facts, struct evidence_ring *ring, uint32_t type, uint32_t id);

/* Return what is idle on a ring. */
const struct evidence_idle *evidence_idle(uint32_t facts, const struct evidence_ring *ring);

/* Whether a record of at most three words tells nothing. */
static inline bool evidence_idle_has(const struct evidence_idle *idle, uint64_t header)
{
	uint32_t id = header_id(header);

	return (idle->numbers[header_top(header)] >> (id < 63 ? id : 63) & 1) != 0;
}

/* Take in that the last record was of a type and number, after one or more for which evidence_record was not called. */
static inline void evidence_skipped(struct evidence_ring *ring, uint32_t type, uint32_t id)
{
	ring->last_type = (uint8_t)type;
	ring->last_id = (uint16_t)id;
}

/* Draw the conclusion: the release whose table fits, and the text of what is proved (NULL for nothing,
 * static).  *from_layout: by the file's layout alone. */
enum rtev_release evidence_conclude(uint32_t facts, const char **version, bool *from_layout);

/* Whether more evidence can't lead to a table that knows more of the stream. */
bool evidence_settled(uint32_t facts);

#endif
