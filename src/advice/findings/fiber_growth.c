/*
 * fiber_growth.c - ever more fibers wait in one place, and none of them continues.
 *
 * Under a growing load fibers increase as well, but those of a minute ago have continued since.
 */
#include "advice/rule.h"

#define GROWN 20

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct fiber_growth *g = &e->fibers->growth;
	char path[WHERE], object[64];

	if (e->window_s * 1e9 < (double)(FIBERS_GROWTH_STEPS * FIBERS_GROWTH_STEP) - 1e9)
		return VERDICT_EARLY;
	if ((double)(g->now - g->before) < bound(GROWN, held))
		return VERDICT_NO;
	fiber_object_text(g->kind, false, 0, g->name, object, sizeof(object));
	figure(out, "fibers", (double)g->now, ADVICE_UNIT_COUNT);
	figure(out, "a_minute_ago", (double)g->before, ADVICE_UNIT_COUNT);
	finding_say(out,
	    SAY_MORE("More and more ") "fibers of %s " SAY_MORE("wait ") "in %s" SAY_MORE(
		"%s%s") ": %" PRIu32 " now, %" PRIu32 " a minute ago" SAY_MOST(", most of which still wait"),
	    where(g->path, path), g->op.len > 0 ? sentence_name(g->op.text, g->op.len, 32).s : "?",
	    g->kind != FIBER_KIND_NONE ? " for a " : "",
	    g->kind != FIBER_KIND_NONE ? sentence_name(object, strlen(object), sizeof(object)).s : "", g->now,
	    g->before);
	advise(out, "Find out what should wake them: perhaps nobody resolves a promise, or a connection has "
		    "no time limit.  View f shows what each waits for.");
	return VERDICT_YES;
}

const struct rule rule_fiber_growth = {.name = "fiber_growth",
    .question = "Do fibers accumulate?",
    .needs = NEEDS_EVENTS | NEEDS_FIBERS,
    .early = "less than a minute was observed",
    .unmet = "no group of fibers that wait in one place keeps growing",
    .judge = judge};
