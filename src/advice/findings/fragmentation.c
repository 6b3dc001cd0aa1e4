/*
 * fragmentation.c - the pools of the heap are mostly free: the live blocks are scattered over them.
 *
 * From 5.2 on Gc.compact returns empty pools; the runtime never calls it by itself.  Pools hold blocks of up
 * to 128 words (runtime/shared_heap.c; ocaml/ocaml#12193).  At o=120 free and dead words make up as much as
 * 120 of 220 parts by design.
 */
#include "advice/rule.h"

#define CYCLES 3
#define FREE_SHARE 0.6
#define FREE_BYTES (64.0 * 1024 * 1024)

/* Return the free words of the pools at the end of a cycle. */
static double free_words(const struct evidence_cycle *c)
{
	double used = (double)c->live + (double)c->fragments;

	return (double)c->pool > used ? (double)c->pool - used : 0;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	if (e->cycle_count < CYCLES)
		return VERDICT_EARLY;
	for (size_t i = e->cycle_count - CYCLES; i < e->cycle_count; i++)
		if (e->cycles[i].pool == 0 ||
		    free_words(&e->cycles[i]) < bound(FREE_SHARE, held) * (double)e->cycles[i].pool ||
		    free_words(&e->cycles[i]) * 8 < bound(FREE_BYTES, held))
			return VERDICT_NO;
	const struct evidence_cycle *last = &e->cycles[e->cycle_count - 1];
	bool compacts = e->release != RTEV_RELEASE_5_0 && e->release != RTEV_RELEASE_5_1;
	out->bytes = free_words(last) * 8;
	figure(out, "pools", (double)last->pool * 8, ADVICE_UNIT_BYTES);
	figure(out, "live", (double)last->live * 8, ADVICE_UNIT_BYTES);
	figure(out, "free", free_words(last) / (double)last->pool, ADVICE_UNIT_SHARE);
	finding_say(out, "%s of the heap's pools is free" SAY_MORE(": %s that the program holds unused"),
	    format_percent(free_words(last) / (double)last->pool).s, format_figure(UNIT_BYTES, out->bytes).s);
	advise(out, "%s",
	    compacts ? "Call Gc.compact at a quiet time, after the work that left the heap empty; it stops "
		       "all domains."
		     : "This release can't give that memory back: OCaml 5.2 and later do, when the program "
		       "calls Gc.compact.");
	return VERDICT_YES;
}

const struct rule rule_fragmentation = {.name = "fragmentation",
    .question = "Are the pools of the heap mostly empty?",
    .needs = NEEDS_EVENTS | NEEDS_GAUGES,
    .early = "fewer than 3 major cycles",
    .unmet = "less than 60% of the pools, or less than 64 MiB, is free in them",
    .judge = judge};
