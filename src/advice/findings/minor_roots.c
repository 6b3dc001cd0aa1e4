/*
 * minor_roots.c - minor collections spend their time on finding live values, not on copying them.
 *
 * Each one scans the stacks of all fibers of its domain (runtime/minor_gc.c; a million frames took 5 ms every
 * time; ocaml/ocaml#10947), the remembered set, and the subjects of special_values.  The _promote phase,
 * which copies, is nested in each of these phases and so is not part of their self time.
 */
#include "advice/findings/findings.h"

#define OF_MINOR 0.5
#define COST_SHARE 0.05
#define SERIOUS_SHARE 0.15
#define MANY_THREADS 50 /* threads besides those of domains; the stacks of waiting ones are scanned, too */

static const struct {
	rtev_phase phase;
	const char *what, *remedy;
} roots[] = {
    {RTEV_PHASE_MINOR_REMEMBERED_SET, "young values that old values point to",
	"Store fewer young values in old ones: build a result and store it once, or mutate values that are "
	"young themselves."},
    {RTEV_PHASE_MINOR_LOCAL_ROOTS, "the stacks of the program",
	"Keep stacks shallow: tail calls or loops instead of deep recursion, and fewer fibers that wait deep "
	"inside.  A larger minor heap (s of OCAMLRUNPARAM) makes these scans less frequent."},
    {RTEV_PHASE_MINOR_GLOBAL_ROOTS, "global roots", "Register fewer generational global roots in C."},
};
enum { ROOTS = sizeof(roots) / sizeof(roots[0]) };

/* Return the number of threads besides one for each domain; 0: few, or not known. */
static uint64_t many_threads(const struct evidence *e)
{
	const uint64_t own = 2 * (uint64_t)model_totals(e->model).running;
	uint64_t threads;

	return evidence_gauge(e, SYSTEM_THREAD_COUNT, &threads) && threads >= own + MANY_THREADS ? threads
												 : 0;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	double minor = (double)e->sum.phase_total[RTEV_PHASE_MINOR];
	size_t most = 0;

	if (!evidence_enough(e))
		return VERDICT_EARLY;
	for (size_t i = 1; i < ROOTS; i++)
		if (e->sum.phase_self[roots[i].phase] > e->sum.phase_self[roots[most].phase])
			most = i;
	double own = (double)e->sum.phase_self[roots[most].phase];
	/* At the edge of a window, or after a loss, the collection that contained the phase may be
	 * missing. */
	double of_minor = minor <= 0 ? 0 : own < minor ? own / minor : 1;
	cost_time(out, e, own);
	if (of_minor < bound(OF_MINOR, held) || out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	out->subject = ADVICE_OF_PHASE;
	out->phase = roots[most].phase;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "of_minor_collections", of_minor, ADVICE_UNIT_SHARE);
	figure(out, "minor_collections", (double)e->sum.leads, ADVICE_UNIT_COUNT);
	figure(out, "each", e->sum.leads > 0 ? own / (double)e->sum.leads / 1e9 : (double)NAN,
	    ADVICE_UNIT_SECONDS);
	figure(out, "ref_table_grew",
	    (double)e->sum.counter_count[RTEV_COUNTER_REQUEST_MINOR_REALLOC_REF_TABLE], ADVICE_UNIT_COUNT);
	const uint64_t threads = roots[most].phase == RTEV_PHASE_MINOR_LOCAL_ROOTS ? many_threads(e) : 0;
	if (threads > 0) {
		figure(out, "threads", (double)threads, ADVICE_UNIT_COUNT);
		finding_say(out,
		    "Minor collections spend %s" SAY_MORE(" of their time") " on the stacks of %" PRIu64
									    " threads",
		    format_percent(of_minor).s, threads);
		advise(out, "Each minor collection scans the stacks of all threads, even of those that wait: "
			    "use fewer threads (a pool, or fibers).  A larger minor heap (s of "
			    "OCAMLRUNPARAM) makes these scans less frequent.");
		return VERDICT_YES;
	}
	finding_say(out, SAY_MORE("Minor collections spend ") "%s" SAY_MORE(" of their time") " on %s",
	    format_percent(of_minor).s, roots[most].what);
	advise(out, "%s", roots[most].remedy);
	return VERDICT_YES;
}

const struct rule rule_minor_roots = {.name = "minor_roots",
    .question = "Do minor collections spend their time on scanning?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "less than half of minor collections is scanning, or that costs less than 5%",
    .causes = FINDING(starved) | FINDING(explicit_gc) | FINDING(too_few_cores) | FINDING(cgroup_throttled),
    .judge = judge};
