/*
 * resident_above_heap.c - the process holds much more memory than its major and minor heaps.
 *
 * Pages of files are not counted: those of the program, of its libraries, of mapped files and of the ring.  Where the kernel does
 * not tell them apart (before 4.5, and in older recordings), all rings are counted as if they had been written in full.
 * The heap's size may be some seconds old, as the runtime tells it at the end of a slice.  It is compared with what was resident
 * at that time: a program that loads 50 MB into its heap afterwards would seem to hold them outside of it.
 * Empty pools stay mapped until Gc.compact (5.2 and later).
 */
#include "advice/findings/findings.h"

#define LEAST_BYTES (64.0 * 1024 * 1024)
#define OF_RESIDENT 0.5

/* Get a value of the process as it was at a stamp: the smaller one of the samples before and after.  Returns
 * false if it is not known. */
static bool then(const struct evidence *e, enum system_value_id id, uint64_t ts, uint64_t *value)
{
	const struct system_row *after = system_past_at(e->system.past, ts);
	const struct system_row *before = after != NULL ? system_past_at(e->system.past, after->from) : NULL;
	uint64_t sooner;

	/* The stamp is later than the last sample. */
	if (after == NULL || after->known == 0)
		return evidence_gauge(e, id, value);
	if (!system_row_get(after, id, value))
		return false;
	if (before != NULL && system_row_get(before, id, &sooner) && sooner < *value)
		*value = sooner;
	return true;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const uint64_t told = model_level(e->model, HEAP_SIZE).ts;
	uint64_t resident, anon, words;
	unsigned domains = 0;

	if (e->heap_words == 0 || told < e->from || !then(e, SYSTEM_RESIDENT, told, &resident))
		return VERDICT_EARLY;
	for (unsigned i = 0; i < e->domain_count; i++)
		domains += e->domains[i].observed_ns > 0;
	evidence_setting(e, OCAML_S, MINOR_HEAP_WORDS, &words);
	const bool known = then(e, SYSTEM_ANON, told, &anon) && anon <= resident;
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
	finding_say(out, "%s of " SAY_MORE("the ") "%s resident are outside the OCaml heap",
	    format_figure(UNIT_BYTES, above).s, format_bytes(resident).s);
	advise(out, "View 7 shows the parts.  Look for bigarrays, malloc in C libraries, and stacks; empty "
		    "pools of the heap stay mapped until Gc.compact of OCaml 5.2 and later.");
	return VERDICT_YES;
}

const struct rule rule_resident_above_heap = {.name = "resident_above_heap",
    .question = "Is much memory outside the heap?",
    .needs = NEEDS_SYSTEM | NEEDS_GAUGES | BY_COUNTERS,
    .early = "the size of the heap or of the process was not known within the window",
    .unmet = "less than 64 MiB, or less than half of the resident memory, is neither heap nor files",
    .causes = FINDING(fragmentation) | FINDING(free_pools),
    .judge = judge};
