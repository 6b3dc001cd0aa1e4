/*
 * domain_churn.c - domains are spawned and joined continually.
 *
 * A domain that ends leads a stop of the world, in which all domains collect their minor heaps
 * (runtime/domain.c, domain_terminate).  OCaml's manual, "Parallel programming", calls domains heavy-weight
 * and says to spawn as many as there are cores; Domainslib keeps them in a pool.
 *
 * The cost is the time of the stops that domains lead as they end (their share of all stops, by the time of
 * the leaders), and the kernel's work for a spawn: a thread, its memory, its backup thread.  A spawn took 0.2
 * to 0.6 ms in 5.0 to 5.3; the processor time in the kernel according to the samples is the upper bound.
 * Without samples that part is left out.  Time in Domain.join is no cost.
 */
#include "advice/findings/findings.h"

#define SPAWN_NS 400000.0
#define COST_SHARE 0.01
#define SERIOUS_SHARE 0.1

/* Return the time that all domains spent in stops for the end of a domain, derived from the leaders' share of
 * the time. */
static double ending_ns(const struct evidence *e)
{
	double led = (double)e->sum.phase_total[RTEV_PHASE_STW_LEADER];

	return led > 0 ? evidence_minor(e) * (double)e->sum.ending_ns / led : 0;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t kernel;

	if (e->window_s < 1)
		return VERDICT_EARLY;
	double rate = evidence_spawn_rate(e);
	if (rate < bound(SPAWN_RATE, held))
		return VERDICT_NO;
	double stops = ending_ns(e), spawning = 0;
	bool sampled = evidence_grown(e, SYSTEM_CPU_SYSTEM, &kernel);
	if (sampled)
		spawning = (double)e->sum.spawns * SPAWN_NS;
	if (sampled && spawning > (double)kernel)
		spawning = (double)kernel;
	cost_time(out, e, stops + spawning);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	out->confidence = ADVICE_ESTIMATED;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "spawns", (double)e->sum.spawns, ADVICE_UNIT_COUNT);
	figure(out, "spawns_per_s", rate, ADVICE_UNIT_RATE);
	figure(out, "stops_at_their_end", (double)e->sum.endings, ADVICE_UNIT_COUNT);
	figure(out, "time_in_these_stops", stops / 1e9, ADVICE_UNIT_SECONDS);
	if (sampled)
		figure(out, "kernel_at_most", spawning / 1e9, ADVICE_UNIT_SECONDS);
	finding_say(out,
	    "%.0f domains are spawned each second" SAY_MORE(", and each stops all others as it ends"), rate);
	advise(out, "Spawn the domains once, keep them in a pool (Domainslib.Task.setup_pool), and hand it "
		    "the tasks.");
	return VERDICT_YES;
}

const struct rule rule_domain_churn = {.name = "domain_churn",
    .question = "Are domains spawned too often?",
    .needs = NEEDS_EVENTS,
    .early = "less than 1 s was observed",
    .unmet = "fewer than 10 domains a second, or less than 1% of the busy time for them",
    .causes = FINDING(starved),
    .judge = judge};
