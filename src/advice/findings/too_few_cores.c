/*
 * too_few_cores.c - more domains are busy than there are cores for them, or others use the cores: in each
 * stop all domains wait for one that has no processor.
 *
 * Measured: stops took 1.6 to 2.3 s in total with six domains on four cores, 0.03 to 0.07 s with two;
 * ocaml/ocaml#11818 (25 domains on 24 cores: 13.6 times as long).  Domain.recommended_domain_count follows
 * the affinity, not a quota (runtime/domain.c).
 *
 * The program is to blame only if it has more busy domains than cores and also uses most of what the cores
 * give.  If other processes do, which the processors' own figures show, the finding says so.  If nobody does,
 * the domains can't be as busy as their events say, or wait a little at each wake-up.  And threads that are
 * not those of its busy domains may crowd the cores: if they are of idle domains, idle_domains tells it.
 *
 * Where a quota sets how many cores there are, and the group is throttled, cgroup_throttled tells it.
 */
#include "advice/rule.h"

#define WAIT_SHARE 0.10 /* share of the time that its threads ran */
#define COST_SHARE 0.01
#define SERIOUS_SHARE 0.10

/* Return whether its cores are those of a quota that it exhausts. */
static bool by_quota(const struct evidence *e, uint64_t cores)
{
	uint64_t quota;
	double share;

	return evidence_gauge(e, SYSTEM_QUOTA, &quota) && quota <= cores && evidence_throttled(e, &share) &&
	       share >= THROTTLED_SHARE;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t wait, cores, load;
	double run = evidence_ran(e), others;

	if (!evidence_grown(e, SYSTEM_WAIT, &wait) || !evidence_gauge(e, SYSTEM_CORES, &cores))
		return VERDICT_NO;
	if (!evidence_enough(e))
		return VERDICT_EARLY;
	if (run <= 0 || e->active < 2 || (double)wait < bound(WAIT_SHARE, held) * run)
		return VERDICT_NO;
	if (by_quota(e, cores))
		return VERDICT_NO;
	enum evidence_cores whose = evidence_cores(e);
	bool many = e->active * 1000 > cores, own = whose == CORES_OWN;
	if (whose == CORES_FREE)
		return VERDICT_NO;
	if (!many && (own || evidence_idle_crowd(e) > 0)) {
		say(out, "the cores are wanted by threads of its own, not all of them of busy domains");
		return VERDICT_NO;
	}
	double waits = 100 * (double)wait / ((double)wait + run);
	/* In a stop all other domains can wait for a thread that waits; for what else they wait is no want of
	 * cores.  The threads of idle domains wait as the busy ones' do, but nobody else for them. */
	double busy = (double)wait * e->active / (e->active + e->idle);
	double stops = (double)wait * (e->active + e->idle - 1);
	if (stops > (double)e->sum.stop_wait_ns)
		stops = (double)e->sum.stop_wait_ns;
	/* Without events it is not known what is stopped: domains are as busy as their threads. */
	cost_time(out, e, busy > stops ? busy : stops);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	out->confidence = ADVICE_ESTIMATED;
	out->severity = own && out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "busy_domains", e->active, ADVICE_UNIT_COUNT);
	figure(out, "cores", (double)cores / 1000, ADVICE_UNIT_CORES);
	figure(out, "waited_for_a_core", (double)wait / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "ran", run / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "cores_used", run / (double)e->system.ns, ADVICE_UNIT_CORES);
	if (evidence_others(e, &others))
		figure(out, "others_used", others / (double)e->system.ns, ADVICE_UNIT_CORES);
	figure(out, "waited_in_stops", (double)e->sum.stop_wait_ns / 1e9, ADVICE_UNIT_SECONDS);
	if (evidence_gauge(e, SYSTEM_LOAD, &load))
		figure(out, "load_of_the_machine", (double)load / 1000, ADVICE_UNIT_CORES);
	const char *plural = cores == 1000 ? "" : "s";
	double have = (double)cores / 1000;
	if (own)
		say(out,
		    "%u busy domains for %.3g core%s: %.0f %% of the time that they could run they wait for "
		    "one, and each stop "
		    "for them",
		    e->active, have, plural, waits);
	else if (many)
		say(out,
		    "%u busy domains for %.3g core%s, which other processes use, too: they wait %.0f %% of "
		    "the time that they could run",
		    e->active, have, plural, waits);
	else
		say(out,
		    "Other processes use the cores: its threads, with %u busy domains and %.3g core%s, wait "
		    "%.0f %% of the time that they could run",
		    e->active, have, plural, waits);
	if (many)
		advise(out,
		    "Use %llu domain%s: Domain.recommended_domain_count says how many the affinity allows, "
		    "not the quota.",
		    (unsigned long long)(cores >= 1000 ? cores / 1000 : 1), cores >= 2000 ? "s" : "");
	else
		advise(out, "%s  Give it cores of its own, or use fewer domains while others need them.",
		    e->idle > 0 ? "Idle domains that end would leave the busy ones more of what is left."
				: "This is not the program's doing.");
	return VERDICT_YES;
}

const struct rule rule_too_few_cores = {.name = "too_few_cores",
    .question = "Are there cores for its domains?",
    .needs = NEEDS_SYSTEM | NEEDS_EVENTS | BY_COUNTERS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "fewer than two busy domains, waits for a core below 10 % of the run time or 1 % in all, or "
	     "cores to spare",
    .causes = " cgroup_throttled ",
    .judge = judge};
