/*
 * idle_domains.c - domains that do nothing delay the collections of the others.
 *
 * Every domain takes part in every minor collection.  For a blocked domain its backup thread does, which must
 * wake up first (runtime/domain.c).  With one busy domain, two idle ones increased the time for some work
 * from 20 to 47 ms in 5.3, and from 21 to 177 ms in 5.1; ocaml/ocaml#13358.  On a busy machine that thread
 * also waits for a processor.  Without idle domains a single busy one saves that time, too, so it is part of
 * the cost; but it makes no finding serious.  Threads of several domains wait simultaneously: the average of
 * their waits counts.
 *
 * Many idle domains crowd the cores: two busy domains with twelve idle ones on two cores did a twentieth of
 * the work that they did alone.  The threads of the process then ran and waited for a processor for longer
 * than the busy ones can have. The cost is the time that busy domains waited for idle ones, and their part of
 * what all threads waited for a processor.
 */
#include "advice/findings/findings.h"

#define LAST_SHARE 0.3 /* share of the stops in which an idle domain must come last */
#define COST_SHARE 0.01
#define SERIOUS_SHARE 0.1

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	if (e->sum.stops < ENOUGH_STOPS)
		return VERDICT_EARLY;
	double crowd = evidence_idle_crowd(e);
	if (e->idle == 0 ||
	    (crowd <= 0 && (double)e->sum.idle_last < bound(LAST_SHARE, held) * (double)e->sum.stops))
		return VERDICT_NO;
	uint64_t wait = 0;
	evidence_grown(e, SYSTEM_WAIT, &wait);
	double kernel = (double)wait / (e->idle + e->active);
	/* Waits from when the last busy domain came.  Several domains wait for a processor simultaneously. */
	double waited = (double)e->sum.idle_wait_ns;
	if (crowd > 0)
		waited += kernel * e->active;
	else if (e->active > 1)
		waited = fmin(waited, evidence_barriers(e));
	cost_time(out, e, waited);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	double last = (double)e->sum.idle_last / (double)e->sum.stops;
	if (crowd > 0) {
		/* Busy domains wait for a processor because of the idle ones, or partly so. */
		out->confidence = ADVICE_ESTIMATED;
		out->proven = true;
		kernel = 0;
	}
	out->severity = evidence_share(e, waited - kernel) >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "idle_domains", e->idle, ADVICE_UNIT_COUNT);
	figure(out, "busy_domains", e->active, ADVICE_UNIT_COUNT);
	figure(out, "stops", (double)e->sum.stops, ADVICE_UNIT_COUNT);
	figure(out, "idle_came_last", last, ADVICE_UNIT_SHARE);
	figure(out, "waited_for_idle", waited / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "threads_waited_for_a_core", (double)wait / 1e9, ADVICE_UNIT_SECONDS);
	if (crowd > 0)
		figure(out, "cores_wanted_by_idle", crowd / (double)e->system.ns, ADVICE_UNIT_CORES);
	if (crowd > 0)
		finding_say(out,
		    "%u idle domain%s take%s part in each minor collection" SAY_MORE(
			": their threads want %.1f cores")
			SAY_MOST(", and the %u busy one%s wait%s for a core, too"),
		    e->idle, e->idle == 1 ? "" : "s", e->idle == 1 ? "s" : "", crowd / (double)e->system.ns,
		    e->active, e->active == 1 ? "" : "s", e->active == 1 ? "s" : "");
	else
		finding_say(out,
		    "%u idle domain%s take%s part in each minor collection" SAY_MORE(
			", and %s last in %s of the stops"),
		    e->idle, e->idle == 1 ? "" : "s", e->idle == 1 ? "s" : "",
		    e->idle == 1 ? "comes" : "come", format_percent(last).s);
	advise(out, "End the domains that have nothing to do, or give them work: the main domain can work, "
		    "too, instead of waiting in Domain.join.  A larger minor heap (s of OCAMLRUNPARAM) makes "
		    "the stops less frequent.");
	return VERDICT_YES;
}

const struct rule rule_idle_domains = {.name = "idle_domains",
    .question = "Do idle domains hold up the busy ones?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 100 stops with a barrier",
    .unmet = "idle domains come last in less than 30% of the stops and crowd no cores, or cost less than 1%",
    .causes = FINDING(starved) | FINDING(explicit_gc) | FINDING(cgroup_throttled) | FINDING(too_few_cores),
    .judge = judge};
