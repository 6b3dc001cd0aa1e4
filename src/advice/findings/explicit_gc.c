/*
 * explicit_gc.c - the program itself often requests collections.
 *
 * Gc.full_major runs three cycles, as does Gc.compact from 5.2 on; Gc.stat runs full_major, Gc.quick_stat
 * does not (runtime/gc_ctrl.c; stdlib/gc.mli).  Before 5.2 Gc.compact is Gc.major (5.0, 5.1:
 * runtime/gc_ctrl.c).  All domains take part, except in Gc.major_slice, which is a slice of the calling
 * domain.
 *
 * A single call is a finding only if it is long, and only while it is 1 % of the window: programs collect
 * once after loading, before a fork, or at their end.
 */
#include "advice/findings/findings.h"

#define CALLS 2
#define SHARE 0.01
#define SERIOUS_SHARE 0.1

/* The remedy for each kind of call, by its phase. */
static const struct {
	rtev_phase phase;
	const char *call, *remedy;
	bool needless; /* the result is available without a collection: the full cost can be saved */
} calls[] = {
    {RTEV_PHASE_EXPLICIT_GC_SET, "Gc.set",
	"Set the parameters once, at the start: a new minor heap size stops all domains.", true},
    {RTEV_PHASE_EXPLICIT_GC_STAT, "Gc.stat",
	"Call Gc.quick_stat instead: Gc.stat runs a full major collection to count live words.", true},
    {RTEV_PHASE_EXPLICIT_GC_MINOR, "Gc.minor", "Remove the call: a full minor heap is collected by itself.",
	false},
    {RTEV_PHASE_EXPLICIT_GC_MAJOR, "Gc.major",
	"Remove the call: the major collector keeps up by itself.  To use less memory, set a lower o, "
	"such as OCAMLRUNPARAM=o=80.",
	false},
    {RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, "Gc.full_major",
	"Remove the call: it runs three whole cycles in all domains.  To use less memory, set a lower o, "
	"such as OCAMLRUNPARAM=o=80.",
	false},
    {RTEV_PHASE_EXPLICIT_GC_COMPACT, "Gc.compact",
	"Call it once after the work that left the heap empty, not regularly.", false},
    {RTEV_PHASE_EXPLICIT_GC_MAJOR_SLICE, "Gc.major_slice",
	"Remove the call: allocation paces the collector by itself.", false},
};
enum { CALLS_KNOWN = sizeof(calls) / sizeof(calls[0]) };

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	double window = e->window_s * 1e9;
	size_t most = 0;
	uint64_t needless = 0;

	if (window <= 0 || (e->sum.explicits < CALLS && (e->sum.long_explicits == 0 || e->window_s < 1)))
		return e->window_s < 1 ? VERDICT_EARLY : VERDICT_NO;
	double of_time = (double)e->sum.explicit_ns / window;
	if (of_time < bound(SHARE, held) && e->sum.long_explicits < CALLS)
		return VERDICT_NO;
	for (size_t i = 0; i < CALLS_KNOWN; i++) {
		uint64_t total = e->sum.phase_total[calls[i].phase];
		if (total > e->sum.phase_total[calls[most].phase])
			most = i;
		needless += calls[i].needless ? total : 0;
	}
	unsigned domains = e->active > 0 ? e->active : 1;
	uint64_t alone = e->sum.phase_total[RTEV_PHASE_EXPLICIT_GC_MAJOR_SLICE];
	if (alone > e->sum.explicit_ns)
		alone = e->sum.explicit_ns;
	cost_time(out, e, (double)(e->sum.explicit_ns - alone) * domains + (double)alone);
	/* A program that does nothing else has no busy domain. */
	if (e->busy_ns <= 0)
		out->share = of_time < 1 ? of_time : 1;
	out->confidence = domains > 1 ? ADVICE_ESTIMATED : ADVICE_MEASURED;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	out->subject = ADVICE_OF_PHASE;
	out->phase = calls[most].phase;
	if (calls[most].needless)
		out->gain = needless < e->sum.explicit_ns
				? out->share * (double)needless / (double)e->sum.explicit_ns
				: out->share;
	figure(out, "calls", (double)e->sum.explicits, ADVICE_UNIT_COUNT);
	figure(out, "calls_of_10ms", (double)e->sum.long_explicits, ADVICE_UNIT_COUNT);
	figure(out, "time", (double)e->sum.explicit_ns / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "calls_per_s", (double)e->sum.explicits / e->window_s, ADVICE_UNIT_RATE);
	if (e->sum.explicits == 1)
		finding_say(out, SAY_MORE("The program asks for a collection: ") "one call of %s took %s",
		    calls[most].call, format_duration(e->sum.explicit_ns).s);
	else
		finding_say(out,
		    SAY_MORE("The program asks for collections: ") "%llu calls of Gc took %s" SAY_MORE(
			", the largest part in %s"),
		    (unsigned long long)e->sum.explicits, format_duration(e->sum.explicit_ns).s,
		    calls[most].call);
	bool compact = calls[most].phase == RTEV_PHASE_EXPLICIT_GC_COMPACT;
	bool before_5_2 = e->release == RTEV_RELEASE_5_0 || e->release == RTEV_RELEASE_5_1;
	advise(out, "%s%s",
	    e->sum.explicits == 1
		? "One call after loading, before a fork or at the end is fine.  For any other: "
		: "",
	    compact && before_5_2
		? "Remove the call: before OCaml 5.2 Gc.compact is Gc.major and compacts nothing."
		: calls[most].remedy);
	return VERDICT_YES;
}

const struct rule rule_explicit_gc = {.name = "explicit_gc",
    .question = "Does the program call the collector?",
    .needs = NEEDS_EVENTS,
    .early = "less than 1 s was observed",
    .unmet = "less than 1% of the time in calls of Gc, and no two calls of 10 ms or more",
    .causes = FINDING(starved),
    .judge = judge};
