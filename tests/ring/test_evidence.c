/*
 * test_evidence.c - what records prove about the release that wrote them.
 */
#include "ring/evidence.h"
#include "ring/layout.h"
#include "support/test.h"

/* One record: b begin, e end, c counter, u user event, l lifecycle event, p padding. */
struct record {
	char kind;
	unsigned id;
};

/* The facts that one stream of one ring tells. */
static uint32_t facts_of(const struct record *records, size_t count)
{
	uint32_t facts = 0;
	struct evidence_ring ring = {0};

	for (size_t i = 0; i < count; i++) {
		enum record_type type = RECORD_USER_UNIT;
		switch (records[i].kind) {
		case 'b':
			type = RECORD_BEGIN;
			break;
		case 'e':
			type = RECORD_END;
			break;
		case 'c':
			type = RECORD_COUNTER;
			break;
		case 'l':
			type = RECORD_LIFECYCLE;
			break;
		case 'p':
			type = RECORD_PADDING;
			break;
		default:
			break;
		}
		evidence_record(&facts, &ring, type, records[i].id);
	}
	return facts;
}

/* What one stream of one ring is to prove. */
static void expect_of(const struct record *records, size_t count, uint32_t layout_facts,
    enum rtev_release release, const char *version, bool from_layout)
{
	uint32_t facts = facts_of(records, count) | layout_facts;
	const char *text = "unset";
	bool layout;

	CHECK_STR(rtev_release_name(evidence_conclude(facts, &text, &layout)), rtev_release_name(release));
	if (version == NULL)
		CHECK(text == NULL);
	else
		CHECK_STR(text, version);
	CHECK_INT(layout, from_layout);
}

#define EXPECT(release, version, ...)                                                                        \
	do {                                                                                                 \
		static const struct record records[] = {__VA_ARGS__};                                        \
		expect_of(records, sizeof(records) / sizeof(records[0]), 0, release, version, false);        \
	} while (0)

/* How a minor collection ends in family A, and in family B before and since 5.5. */
#define ENDS_A                                                                                               \
	{'c', 4}, {'c', 5},                                                                                  \
	{                                                                                                    \
		'e', 10                                                                                      \
	}
#define ENDS_B                                                                                               \
	{'c', 4}, {'c', 5},                                                                                  \
	{                                                                                                    \
		'e', 11                                                                                      \
	}
#define ENDS_5_5                                                                                             \
	{'c', 4}, {'c', 27}, {'c', 5}, {'c', 26},                                                            \
	{                                                                                                    \
		'e', 11                                                                                      \
	}

/* How memprof's samples are cleaned inside of the minor phase. */
#define CLEANS_B                                                                                             \
	{'b', 12}, {'e', 12}, {'b', 14},                                                                     \
	{                                                                                                    \
		'e', 14                                                                                      \
	}

/* Nothing proves nothing; the layout of 5.0 is evidence by itself. */
TEST(nothing)
{
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 0}, {'e', 0});
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 11}, {'e', 11}, {'b', 10}, {'e', 10}, {'c', 16});
	expect_of(NULL, 0, FACT_LAYOUT_5_0, RTEV_RELEASE_5_0, "5.0", true);
}

/* 5.0 to 5.2. */
TEST(family_a)
{
	static const struct record minor[] = {{'b', 10}, ENDS_A};
	expect_of(minor, 4, FACT_LAYOUT_5_0, RTEV_RELEASE_5_0, "5.0", false);
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'b', 10}, ENDS_A);
	/* The begin may have been overwritten. */
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", ENDS_A);
	for (unsigned id = 40; id <= 43; id++) {
		const struct record compaction[] = {ENDS_A, {'b', id}};
		expect_of(compaction, 4, 0, RTEV_RELEASE_5_2, "5.2", false);
	}
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", ENDS_A, {'b', 39}, {'b', 44});
}

/* 5.3 tells memprof's cleaning inside of the minor phase. */
TEST(release_5_3)
{
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'b', 35}, {'b', 11}, {'b', 12}, {'e', 12}, {'b', 14}, {'e', 14},
	    ENDS_B, {'b', 15}, {'e', 15}, {'e', 35});
	/* The phases 40 to 43 are others here. */
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'b', 40}, {'e', 12}, {'b', 14}, ENDS_B);
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'e', 12}, {'b', 14}, ENDS_B, {'c', 17}, {'c', 18}, {'c', 24},
	    {'c', 25});
}

/* Family B and no more. */
TEST(family_b)
{
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", ENDS_B);
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'b', 11}, ENDS_B);
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 17});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 17}, {'c', 18});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 25});
	/* 18 as the first that is seen has no neighbour. */
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 18});
	/* Padding is no neighbour. */
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 5}, {'p', 0}, {'e', 11});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 17}, {'p', 0}, {'c', 18});
}

/* 5.4: a phase around the minor collection, and memprof's cleaning behind it. */
TEST(release_5_4)
{
	EXPECT(RTEV_RELEASE_5_4, "5.4", {'b', 48}, {'b', 35}, {'b', 11}, ENDS_B, {'e', 35}, {'e', 48});
	EXPECT(RTEV_RELEASE_5_4, "5.4", {'b', 11}, {'b', 12}, {'e', 12}, ENDS_B, {'b', 14}, {'e', 14},
	    {'b', 15});
	EXPECT(RTEV_RELEASE_5_4, "5.4", ENDS_B, {'b', 32}, {'e', 32}, {'b', 14}, {'e', 14});
	EXPECT(RTEV_RELEASE_5_4, "5.4", {'b', 11}, ENDS_B, {'b', 49}, {'e', 49}, {'b', 14}, {'e', 14});
	/* Not yet closed, and with a second one that another domain led. */
	EXPECT(RTEV_RELEASE_5_4, "5.4", {'b', 48}, {'b', 11}, ENDS_B, {'b', 11}, ENDS_B, {'e', 48});
}

/* 5.5 has two counters more at the end of each minor collection. */
TEST(release_5_5)
{
	EXPECT(RTEV_RELEASE_5_5, "5.5", {'b', 48}, {'b', 11}, ENDS_5_5, {'b', 14}, {'e', 14}, {'e', 48});
	EXPECT(RTEV_RELEASE_5_5, "5.5", {'c', 26});
	EXPECT(RTEV_RELEASE_5_5, "5.5", {'c', 27});
	EXPECT(RTEV_RELEASE_5_5, "5.4-5.5", {'c', 17}, {'b', 48}, {'b', 11}, {'e', 11}, {'e', 48});
}

/* What trunk before 5.4 does not tell apart from 5.3 is a range; a collection that its leader does for its
 * own sake tells. */
TEST(before_5_4)
{
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'b', 34}, {'b', 33}, {'e', 33}, {'b', 11}, CLEANS_B, ENDS_B,
	    {'b', 15}, {'e', 15}, {'e', 34});
	EXPECT(RTEV_RELEASE_5_3, "5.3", {'b', 2}, {'b', 35}, {'b', 11}, CLEANS_B, ENDS_B, {'b', 15},
	    {'e', 15}, {'b', 38}, {'e', 38}, {'b', 29}, {'e', 29}, {'e', 35});
	EXPECT(RTEV_RELEASE_5_3, "5.3", {'u', 7}, {'b', 35}, {'b', 33}, {'e', 33}, {'b', 11}, CLEANS_B,
	    ENDS_B, {'b', 32}, {'e', 32}, {'e', 35});
	/* Trunk. */
	EXPECT(RTEV_RELEASE_5_4, "5.4", {'b', 2}, {'b', 48}, {'b', 35}, {'b', 11}, CLEANS_B, ENDS_B,
	    {'e', 35}, {'e', 48});
	/* It is not known what the leader's phase is inside of, the leader finishes a cycle, or sets the size
	 * of minor heaps. */
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'b', 35}, {'b', 11}, CLEANS_B, ENDS_B, {'e', 35});
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'b', 3}, {'b', 35}, {'b', 11}, CLEANS_B, ENDS_B, {'b', 28},
	    {'e', 28}, {'e', 35});
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'b', 0}, {'b', 35}, {'b', 11}, CLEANS_B, ENDS_B, {'e', 35});
	/* A pause may have hidden the phase around it. */
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'b', 2}, {'b', 35}, {'b', 11}, CLEANS_B, ENDS_B, {'e', 35},
	    {'l', RTEV_LIFECYCLE_RING_RESUME});
}

/* Too short for that, but with phases in a place where one family never begins them. */
TEST(nesting)
{
	/* When the ring has stopped, its leader stops the world. */
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'l', RTEV_LIFECYCLE_RING_START}, {'l', RTEV_LIFECYCLE_RING_STOP},
	    {'b', 35});
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'l', RTEV_LIFECYCLE_RING_STOP}, {'b', 32});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'l', RTEV_LIFECYCLE_RING_START}, {'b', 35});
	/* The ring was started in a section that its leader ends.  Neither proof needs nesting, which a pause
	 * makes worthless. */
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'l', RTEV_LIFECYCLE_RING_START}, {'e', 35});
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'l', RTEV_LIFECYCLE_RING_START}, {'e', 32});
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'l', RTEV_LIFECYCLE_DOMAIN_SPAWN}, {'e', 35});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'l', RTEV_LIFECYCLE_RING_RESUME},
	    {'l', RTEV_LIFECYCLE_RING_STOP}, {'b', 35});
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'l', RTEV_LIFECYCLE_RING_RESUME},
	    {'l', RTEV_LIFECYCLE_RING_STOP}, {'b', 32});
	/* A slice of the major collection sweeps. */
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'b', 6}, {'b', 24}, {'b', 7});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'b', 6}, {'b', 27}, {'b', 7});
	/* What began before the ring's first record is known by its end. */
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'b', 41}, {'e', 41}, {'e', 12});
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'b', 37}, {'e', 37}, {'e', 11});
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 41}, {'e', 12});
	/* The program was at work. */
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'u', 0}, {'b', 10});
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 10});
	/* Numbers that family A lacks, wherever they stand. */
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'b', 44});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'b', 48});
	/* 5.4 has 48 around a collection, OxCaml inside of it. */
	EXPECT(RTEV_RELEASE_5_5, "5.4-5.5", {'u', 0}, {'b', 48});
	EXPECT(RTEV_RELEASE_5_5, "5.4-5.5", {'b', 48}, {'b', 35});
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", {'b', 34}, {'b', 48});
	/* Both families begin these here. */
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'l', RTEV_LIFECYCLE_DOMAIN_SPAWN}, {'b', 16}, {'e', 16},
	    {'b', 19}, {'e', 19});
	/* In 5.0 and 5.1 the phase 17 has no end, and 20 stands for it in family B. */
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 17}, {'b', 7}, {'e', 7}, {'b', 20}, {'b', 7}, {'e', 7});
	/* Neither family does both: nothing is known, nor is it when something is missing. */
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 6}, {'b', 24}, {'b', 7}, {'e', 7}, {'b', 39}, {'b', 30});
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 6}, {'b', 24}, {'l', RTEV_LIFECYCLE_RING_RESUME});
	/* The end of a minor collection is better evidence. */
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'b', 6}, {'b', 24}, {'b', 7}, {'e', 7}, {'e', 24}, {'e', 6},
	    ENDS_B);
	/* Deeper than any runtime goes, nothing is followed any more. */
	struct evidence_ring ring = {0};
	uint32_t facts = 0;
	for (unsigned i = 0; i < 300; i++)
		evidence_record(&facts, &ring, RECORD_BEGIN, 34);
	CHECK(ring.nesting.abandoned && ring.nesting.depth == NESTING_DEPTH);
}

/* Before 5.3 there are 128 domains, on 32 bits 16. */
TEST(domains)
{
	static const struct record a[] = {{'b', 6}, {'b', 24}, {'b', 7}};

	CHECK_INT(evidence_of_layout(128, false), 0);
	CHECK_INT(evidence_of_layout(16, false), 0);
	CHECK_INT(evidence_of_layout(128, true), FACT_LAYOUT_5_0);
	CHECK_INT(evidence_of_layout(4, true), FACT_LAYOUT_5_3);
	CHECK_INT(evidence_of_layout(129, false), FACT_LAYOUT_5_3);
	expect_of(NULL, 0, FACT_LAYOUT_5_3, RTEV_RELEASE_5_5, "5.3-5.5", true);
	/* What nobody's runtime writes, but some other program may. */
	expect_of(a, 3, FACT_LAYOUT_5_3, RTEV_RELEASE_5_2, "5.1-5.2", false);
}

/* OxCaml by its phases: 49 in every minor collection, 48 inside or right behind one. */
TEST(oxcaml_by_phase)
{
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", {'b', 11}, ENDS_B, {'b', 14}, {'e', 14}, {'b', 15}, {'e', 15},
	    {'b', 49}, {'e', 49}, {'b', 38}, {'e', 38});
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", {'b', 11}, ENDS_B, {'b', 48}, {'e', 48}, {'b', 14}, {'e', 14});
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", {'b', 11}, {'b', 48}, {'e', 48}, ENDS_B);
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", ENDS_B, {'b', 11}, {'b', 12}, {'b', 48}, {'e', 48}, {'e', 12},
	    ENDS_B);
}

/* OxCaml by its counters: what follows on what. */
TEST(oxcaml_by_counters)
{
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", {'b', 27}, {'c', 18}, {'c', 19}, {'c', 20}, {'c', 21});
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", ENDS_B, {'c', 16}, {'c', 18});
	/* Upstream's own counters outweigh one pair that was torn apart. */
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'e', 12}, {'b', 14}, ENDS_B, {'b', 27}, {'c', 18}, {'c', 24},
	    {'c', 25});
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", {'e', 12}, {'b', 14}, ENDS_B, {'b', 27}, {'c', 18}, {'b', 0},
	    {'c', 17}, {'c', 18});
}

/* A pause cuts a stream: the ends of what was open are missing, and neighbours are none. */
TEST(pauses)
{
	/* A minor collection that never ended, and then 5.4's phase around another. */
	EXPECT(RTEV_RELEASE_5_4, "5.4", {'b', 11}, {'b', 48}, {'b', 11}, ENDS_B, {'e', 48});
	/* OxCaml's phase that never ended, and then a minor collection with one that did. */
	EXPECT(RTEV_RELEASE_OXCAML, "OxCaml", {'b', 11}, {'b', 48}, {'b', 11}, {'b', 48}, {'e', 48}, ENDS_B);
	/* The resume stands on one ring only; there it is seen. */
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'c', 5}, {'l', RTEV_LIFECYCLE_RING_RESUME}, {'e', 11});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 17}, {'l', RTEV_LIFECYCLE_RING_RESUME}, {'c', 18});
	/* On the others a false neighbour is put right by the next true one. */
	EXPECT(RTEV_RELEASE_5_4, "5.3-5.4", ENDS_B, {'b', 14}, {'e', 12}, {'b', 14});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 5}, {'e', 10}, {'c', 5}, {'e', 11});
	EXPECT(RTEV_RELEASE_5_2, "5.1-5.2", {'c', 5}, {'e', 11}, {'c', 5}, {'e', 10});
}

/* User events with the same numbers prove nothing, and stand between neighbours. */
TEST(user_events)
{
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'u', 5}, {'e', 11}, {'u', 26}, {'u', 48});
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'c', 5}, {'u', 0}, {'e', 11});
}

/* Numbers beyond all tables do no harm. */
TEST(unknown_numbers)
{
	EXPECT(RTEV_RELEASE_UNKNOWN, NULL, {'b', 57}, {'e', 57}, {'b', 8191}, {'e', 8191});
	EXPECT(RTEV_RELEASE_5_5, "5.3-5.5", {'c', 8191}, {'e', 11});
}

#define SETTLED(...) evidence_settled(FACTS(__VA_ARGS__))
#define FACTS(...)                                                                                           \
	facts_of((const struct record[]){__VA_ARGS__},                                                       \
	    sizeof((const struct record[]){__VA_ARGS__}) / sizeof(struct record))

/* One minor collection settles which table fits, in every release; less does not, where another may fit
 * better. */
TEST(settled)
{
	CHECK(!evidence_settled(0));
	CHECK(SETTLED(ENDS_A));
	CHECK(SETTLED({'b', 11}, {'b', 12}, {'e', 12}, {'b', 14}, {'e', 14}, ENDS_B));
	CHECK(SETTLED({'b', 48}, {'b', 11}, ENDS_B, {'e', 48}));
	CHECK(SETTLED({'b', 48}, {'b', 11}, ENDS_5_5));
	CHECK(SETTLED({'b', 11}, ENDS_B, {'b', 14}, {'e', 14}, {'b', 15}, {'e', 15}, {'b', 49}));
	CHECK(!SETTLED({'b', 11}, {'e', 11}, {'b', 10}, {'e', 10}));
	CHECK(!SETTLED(ENDS_B));
	CHECK(!SETTLED({'c', 17}, {'c', 18}));
	/* 5.4, or OxCaml. */
	CHECK(!SETTLED(ENDS_B, {'b', 14}, {'e', 14}));
	CHECK(!SETTLED({'b', 27}, {'c', 18}));
}
