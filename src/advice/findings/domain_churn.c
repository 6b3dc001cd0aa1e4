/*
 * domain_churn.c - domains are spawned and joined continually.
 *
 * Spawning a domain, and ending one, stops the world: a spawn took 0.2 to 0.6 ms on 5.0 to 5.3.  When a
 * domain ends, all domains also collect its minor heap (runtime/domain.c).  OCaml's manual, "Parallel
 * programming", calls domains heavy-weight and says to spawn as many as there are cores; Domainslib keeps
 * them in a pool.
 */
#include "advice/rule.h"

#define RATE 10.0 /* a second */
#define SPAWNS 30 /* fewer may belong to the start of a program */
#define SPAWN_NS 400000.0
#define MINORS_PER_SPAWN 2.0
#define SERIOUS_SHARE 0.1

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	if (e->window_s < 1)
		return VERDICT_EARLY;
	double rate = (double)e->sum.spawns / e->window_s;
	if (e->sum.spawns < SPAWNS || rate < bound(RATE, held))
		return VERDICT_NO;
	double minors =
	    MINORS_PER_SPAWN * (double)e->sum.spawns / (double)(e->sum.leads > 0 ? e->sum.leads : 1);
	cost_time(out, e, (double)e->sum.spawns * SPAWN_NS + (minors < 1 ? minors : 1) * evidence_minor(e));
	out->confidence = ADVICE_ESTIMATED;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "spawns", (double)e->sum.spawns, ADVICE_UNIT_COUNT);
	figure(out, "spawns_per_s", rate, ADVICE_UNIT_RATE);
	figure(out, "assumed_per_spawn", SPAWN_NS / 1e9, ADVICE_UNIT_SECONDS);
	say(out, "%.0f domains are spawned each second; each stops all others as it begins and as it ends",
	    rate);
	advise(
	    out, "Spawn the domains once and hand them tasks: a pool, such as Domainslib.Task.setup_pool.");
	return VERDICT_YES;
}

const struct rule rule_domain_churn = {.name = "domain_churn",
    .question = "Are domains spawned too often?",
    .needs = NEEDS_EVENTS,
    .early = "less than 1 s was observed",
    .judge = judge};
