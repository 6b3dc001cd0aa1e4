/*
 * starved.c - other processes have the processors: the program's threads wait for one, and everything takes
 * longer.
 *
 * One domain is enough.  A compiler at nice 15 beside two busy loops on two cores ran 9 % of the time that it
 * wanted to: its minor collections took 300 ms instead of 30, and no setting of the runtime changes that.  So
 * this explains whatever takes time (`causes` of the other rules), unless it costs more than twice the wait, or
 * ADVICE_COSTLY beyond all of it.  The latter proves nothing of a program that ran for less than half of the
 * time it wanted to.  Findings about sizes, or about a thread that ran, are judged independently.
 *
 * A process at rest waits a little at each wake-up on a busy machine: that is not starvation unless it used
 * ADVICE_LEAST_CORE of a core, or wanted to run half of the time.
 */
#include "advice/findings/findings.h"

#define WAIT_SHARE 0.10 /* share of the time that its threads ran */
#define COST_SHARE 0.01
#define RAN_HALF 0.5 /* share of the time that it wanted to run: serious if it ran less */
#define WANTED_CORE 0.5

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const double run = evidence_ran(e), core = (double)e->system.ns;
	uint64_t wait, cores;
	double others;

	if (!evidence_waited(e, &wait) || !evidence_gauge(e, SYSTEM_CORES, &cores))
		return VERDICT_NO;
	if (!evidence_enough(e))
		return VERDICT_EARLY;
	const double wanted = run + (double)wait;
	if (run <= 0 || (double)wait < bound(WAIT_SHARE, held) * run ||
	    (run < bound(ADVICE_LEAST_CORE, held) * core && wanted < bound(WANTED_CORE, held) * core))
		return VERDICT_NO;
	if (evidence_cores(e) != CORES_OTHERS || evidence_idle_crowd(e) > 0 || evidence_by_quota(e, cores))
		return VERDICT_NO;
	cost_waiting(out, e, wait);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	(void)evidence_others(e, &others);
	out->confidence = ADVICE_ESTIMATED;
	out->severity = run < RAN_HALF * wanted ? ADVICE_SERIOUS : ADVICE_HINT;
	/* Other findings are about the little time that it ran. */
	out->foremost = out->severity == ADVICE_SERIOUS;
	figure_cores(out, e, wait, cores);
	const bool most = others * 2000 >= (double)cores * core;
	finding_say(out,
	    "starved: it ran %s of the time it wanted to" SAY_MORE("; other processes %s the %.3g core%s%s"),
	    format_percent(run / wanted).s, most ? "have" : "use", (double)cores / 1000,
	    cores == 1000 ? "" : "s", most ? "" : ", too");
	advise(out,
	    "Other processes are the cause, and they make its pauses longer.  Run fewer processes beside it, "
	    "or give it a lower nice value, cores of its own (taskset, a cpuset), or a larger share of its "
	    "control group.%s",
	    e->idle > 0 ? "  End its idle domains, too: the busy ones then get more of the rest."
	    : e->active * 1000 > cores
		? "  Until then use no more domains than it gets cores (Domain.recommended_domain_count does "
		  "not know of other processes)."
		: "");
	return VERDICT_YES;
}

const struct rule rule_starved = {.name = "starved",
    .question = "Do other processes take the processors that it wants?",
    .needs = NEEDS_SYSTEM | NEEDS_EVENTS | BY_COUNTERS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "waits for a core below 10% of the run time or 1% in all, or other processes leave cores free",
    .causes = FINDING(cgroup_throttled),
    .judge = judge};
