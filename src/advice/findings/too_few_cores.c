/*
 * too_few_cores.c - more domains are busy than there are cores for them: in each stop all domains wait for
 * one that has no processor.
 *
 * Measured: stops took 1.6 to 2.3 s in total with six domains on four cores, 0.03 to 0.07 s with two;
 * ocaml/ocaml#11818 (25 domains on 24 cores: 13.6 times as long).  Domain.recommended_domain_count follows
 * the affinity, not a quota (runtime/domain.c).
 *
 * The program is to blame only if it has more busy domains than cores and also uses most of the cores.  If
 * other processes use them, starved applies.  If no process does, the domains can't be as busy as their
 * events say, or wait a little at each wake-up.  Threads other than those of busy domains may crowd the
 * cores: for those of idle domains, idle_domains applies.
 *
 * If a quota limits the cores, and the group is throttled, cgroup_throttled applies.
 */
#include "advice/findings/findings.h"

#define WAIT_SHARE 0.10 /* share of the time that its threads ran */
#define COST_SHARE 0.01
#define SERIOUS_SHARE 0.10

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t wait, cores;
	double run = evidence_ran(e);

	if (!evidence_grown(e, SYSTEM_WAIT, &wait) || !evidence_gauge(e, SYSTEM_CORES, &cores))
		return VERDICT_NO;
	if (!evidence_enough(e))
		return VERDICT_EARLY;
	if (run <= 0 || e->active < 2 || (double)wait < bound(WAIT_SHARE, held) * run)
		return VERDICT_NO;
	if (evidence_by_quota(e, cores) || evidence_cores(e) != CORES_OWN)
		return VERDICT_NO;
	if (e->active * 1000 <= cores) {
		finding_say(
		    out, "threads of its own want the cores, but not all of them are of busy domains");
		return VERDICT_NO;
	}
	cost_waiting(out, e, wait);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	out->confidence = ADVICE_ESTIMATED;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure_cores(out, e, wait, cores);
	finding_say(out,
	    "%u busy domains share %.3g core%s: they wait" SAY_MORE(" for one") " %s of the time" SAY_MORE(
		" that they could run") SAY_MOST(", and stops of the world wait for them"),
	    e->active, (double)cores / 1000, cores == 1000 ? "" : "s",
	    format_percent((double)wait / ((double)wait + run)).s);
	advise(out,
	    "Use %llu domain%s.  Domain.recommended_domain_count knows the affinity of the process, not the "
	    "quota of its control group.",
	    (unsigned long long)(cores >= 1000 ? cores / 1000 : 1), cores >= 2000 ? "s" : "");
	return VERDICT_YES;
}

const struct rule rule_too_few_cores = {.name = "too_few_cores",
    .question = "Are there more busy domains than cores?",
    .needs = NEEDS_SYSTEM | NEEDS_EVENTS | BY_COUNTERS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "no more busy domains than cores, or waits for a core below 10% of the run time or 1% in all",
    .causes = FINDING(cgroup_throttled),
    .judge = judge};
