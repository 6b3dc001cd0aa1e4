/*
 * space_overhead_high.c - much of the heap is garbage that waits for the collector, memory is short, and the
 * collector does little.
 *
 * With space_overhead o, garbage may reach o/100 times the reachable words before a cycle has completed
 * (stdlib/gc.mli), 1.2 times at the default of 120.  The gauges of the heap do not distinguish garbage from
 * live words: at the end of a cycle both count as live.  One cycle later the garbage is known
 * (evidence_garbage).  Values that died after they were marked, about as much again, are found in the cycle
 * after that.
 */
#include "advice/findings/findings.h"

#define CYCLES 3
#define RESIDENT_LEAST 0.7 /* share of the memory that the process may use */
#define HEAP_LEAST 0.5	   /* share of the resident memory that is major heap */
#define GARBAGE_LEAST 0.5  /* share of the heap */
#define MAJOR_MOST 0.05
#define TO_TRY 80
#define LEAST 40

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t memory, resident, o;

	if (!evidence_enough(e) || e->cycle_count <= CYCLES)
		return VERDICT_EARLY;
	if (!evidence_memory(e, &memory) || !evidence_gauge(e, SYSTEM_RESIDENT, &resident))
		return VERDICT_NO;
	bool known = evidence_setting(e, OCAML_O, SPACE_OVERHEAD, &o);
	double share = evidence_share(e, evidence_major(e));
	const struct evidence_cycle *last = &e->cycles[e->cycle_count - 1];
	double heap = (double)(last->pool + last->large) * 8, garbage = 2 * evidence_garbage(e, CYCLES) * 8;
	if ((double)resident < bound(RESIDENT_LEAST, held) * (double)memory || share > MAJOR_MOST ||
	    o <= LEAST || heap < bound(HEAP_LEAST, held) * (double)resident ||
	    garbage < bound(GARBAGE_LEAST, held) * heap)
		return VERDICT_NO;
	uint64_t wanted = o > TO_TRY ? TO_TRY : LEAST;
	out->bytes = garbage * (1 - (double)wanted / (double)o);
	out->confidence = ADVICE_ESTIMATED;
	out->severity = ADVICE_SERIOUS;
	figure(out, "heap", heap, ADVICE_UNIT_BYTES);
	figure(out, "garbage", garbage, ADVICE_UNIT_BYTES);
	figure(out, "resident", (double)resident, ADVICE_UNIT_BYTES);
	figure(out, "memory", (double)memory, ADVICE_UNIT_BYTES);
	figure(out, known ? "space_overhead" : "space_overhead_assumed", (double)o, ADVICE_UNIT_COUNT);
	figure(out, "major_collector", share, ADVICE_UNIT_SHARE);
	finding_say(out,
	    SAY_MORE("%s of the memory is used, and ") "about %s of the heap is garbage" SAY_MOST(
		" that waits for the collector"),
	    format_share(resident, memory).s, format_percent(garbage / heap).s);
	setting_words(out, 'o', wanted);
	advise(out,
	    "Set OCAMLRUNPARAM=%s: the heap stays smaller, and the major collector takes more than the %s of "
	    "the busy time that it takes now.",
	    out->setting, format_percent(share).s);
	return VERDICT_YES;
}

const struct rule rule_space_overhead_high = {.name = "space_overhead_high",
    .question = "Does the major collector do too little?",
    .needs = NEEDS_EVENTS | NEEDS_SYSTEM | NEEDS_GAUGES,
    .early = "fewer than 4 major cycles, or fewer than 100 minor collections and less than 10 s",
    .unmet =
	"under 70% of the memory is used, under half of the heap is garbage, o is low, or GC takes over 5%",
    .never_with = FINDING(minor_heap_small) | FINDING(space_overhead_low),
    .judge = judge};
