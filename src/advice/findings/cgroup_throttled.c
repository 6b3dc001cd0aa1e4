/*
 * cgroup_throttled.c - the control group of the process exhausts its quota and is throttled until the next
 * period.
 *
 * Based on nr_periods, nr_throttled and throttled_usec of cpu.stat (cgroup-v2.rst, sched-bwc.rst).  A period
 * is 100 ms by default, and a stop of the world waits that long for a throttled domain.  The throttled time
 * is summed over processors and so is an upper bound.  A program with as many busy domains as its quota has
 * cores is throttled occasionally without harm.
 */
#include "advice/rule.h"

#define SERIOUS_SHARE 0.05

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t periods, throttled, ns, wait, quota = SYSTEM_NO_LIMIT;

	if (!evidence_grown(e, SYSTEM_PERIODS, &periods) ||
	    !evidence_grown(e, SYSTEM_THROTTLED_PERIODS, &throttled) ||
	    !evidence_grown(e, SYSTEM_THROTTLED, &ns) || throttled > periods)
		return VERDICT_NO; /* no group with a quota, or invalid counters */
	bool known = evidence_gauge(e, SYSTEM_QUOTA, &quota) && quota > 0;
	if (known && quota == SYSTEM_NO_LIMIT)
		return VERDICT_NO;
	double share;
	if (!evidence_throttled(e, &share))
		return VERDICT_EARLY;
	if (share < bound(THROTTLED_SHARE, held))
		return VERDICT_NO;
	unsigned fit = known ? (unsigned)(quota / 1000) : 0;
	out->confidence = ADVICE_ESTIMATED;
	/* Other processes of the group stood still as well.  Its own part is in the wait of its threads, where that is known. */
	cost_waiting(out, e, evidence_grown(e, SYSTEM_WAIT, &wait) && wait > 0 && wait < ns ? wait : ns);
	out->severity =
	    out->share >= SERIOUS_SHARE && (!known || e->active > fit) ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "periods_throttled", share, ADVICE_UNIT_SHARE);
	figure(out, "periods", (double)periods, ADVICE_UNIT_COUNT);
	figure(out, "throttled", (double)ns / 1e9, ADVICE_UNIT_SECONDS);
	if (known)
		figure(out, "quota", (double)quota / 1000, ADVICE_UNIT_CORES);
	figure(out, "busy_domains", e->active, ADVICE_UNIT_COUNT);
	finding_say(out,
	    SAY_MORE("Its control group is ") "throttled in %s of its periods" SAY_MOST(
		": all its threads then stand still until the next period"),
	    format_percent(share).s);
	if (known && e->active <= fit)
		advise(out,
		    "Raise the quota: it is %u core%s for %u busy domain%s, but other threads or processes "
		    "of the group use them, too.",
		    fit, fit == 1 ? "" : "s", e->active, e->active == 1 ? "" : "s");
	else if (known && e->active == 1)
		advise(out, "Raise the quota: one domain can use a whole core.");
	else if (known && fit == 0)
		advise(out,
		    "Raise the quota: it is less than a core, for %u busy domains.  "
		    "Domain.recommended_domain_count does not know the quota.",
		    e->active);
	else if (known)
		advise(out,
		    "Use %u domain%s, as many as the quota has whole cores, or raise the quota.  "
		    "Domain.recommended_domain_count does not know the quota.",
		    fit, fit == 1 ? "" : "s");
	else
		advise(out, "Use fewer domains, or raise the quota.");
	return VERDICT_YES;
}

const struct rule rule_cgroup_throttled = {.name = "cgroup_throttled",
    .question = "Does its control group throttle it?",
    .needs = NEEDS_SYSTEM | BY_COUNTERS,
    .early = "fewer than 20 periods were sampled",
    .unmet = "no quota, or throttled in less than 5% of its periods",
    .judge = judge};
