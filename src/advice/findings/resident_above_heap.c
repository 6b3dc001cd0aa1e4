/*
 * resident_above_heap.c - the process holds much more memory than its major and minor heaps.
 *
 * Pages of files are no such memory: of the program, of its libraries (80 of 120 MB of a player of music), of what it
 * maps, of the ring.  Where they are not told apart (a kernel before 4.5, an older recording), all rings are counted as
 * if they had been written in full.
 * Empty pools stay mapped until Gc.compact (5.2 and later).
 */
#include "advice/rule.h"

#define LEAST_BYTES (64.0 * 1024 * 1024)
#define OF_RESIDENT 0.5
#define MINOR_WORDS (256u << 10)

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t resident, anon, words;
	unsigned domains = 0;

	if (e->heap_words == 0 || !evidence_gauge(e, SYSTEM_RESIDENT, &resident))
		return VERDICT_EARLY;
	for (unsigned i = 0; i < e->domain_count; i++)
		domains += e->domains[i].observed_ns > 0;
	evidence_setting(e, OCAML_S, MINOR_WORDS, &words);
	const bool known = evidence_gauge(e, SYSTEM_ANON, &anon) && anon <= resident;
	double files = known ? (double)(resident - anon) : 8 * (double)e->ring_words * domains;
	double heap = 8 * ((double)e->heap_words + (double)words * domains);
	double above = (double)resident - files - heap;
	if (above < bound(LEAST_BYTES, held) || above < bound(OF_RESIDENT, held) * (double)resident)
		return VERDICT_NO;
	out->bytes = above;
	out->confidence = ADVICE_ESTIMATED;
	figure(out, "resident", (double)resident, ADVICE_UNIT_BYTES);
	figure(out, "major_heap", 8 * (double)e->heap_words, ADVICE_UNIT_BYTES);
	figure(out, "minor_heaps", 8 * (double)words * domains, ADVICE_UNIT_BYTES);
	figure(out, known ? "of_files" : "rings_at_most", files, ADVICE_UNIT_BYTES);
	say(out, "%.*f of %.*f MB resident are not of the OCaml heap", decimals(above / 1e6), above / 1e6,
	    decimals((double)resident / 1e6), (double)resident / 1e6);
	advise(out, "Look for bigarrays, for malloc in C libraries and for stacks; pools that once were full "
		    "stay mapped until Gc.compact.");
	return VERDICT_YES;
}

const struct rule rule_resident_above_heap = {.name = "resident_above_heap",
    .question = "Does the process hold memory beside its heap?",
    .needs = NEEDS_SYSTEM | NEEDS_GAUGES | BY_COUNTERS,
    .early = "the size of the heap or of the process is not known yet",
    .unmet = "the process is at most 64 MiB, or half, larger than heap and rings",
    .causes = " fragmentation free_pools ",
    .judge = judge};
