/* fiber_cancelled.c - a context was cancelled, but a fiber in it keeps running, so that it does not end. */
#include "advice/rule.h"

#define SINCE_NS 10e9

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct fiber_stuck *s = &e->fibers->stuck;
	char path[WHERE];

	if (s->fibers == 0 || (double)s->since_ns < SINCE_NS)
		return VERDICT_NO;
	figure(out, "fibers", (double)s->fibers, ADVICE_UNIT_COUNT);
	figure(out, "cancelled_for", (double)s->since_ns / 1e9, ADVICE_UNIT_SECONDS);
	finding_say(out,
	    "Context %" PRIu64 " was cancelled %s ago and goes on" SAY_MORE(": fiber %" PRIu64 " (%s) %s%s")
		SAY_MOST("%s"),
	    s->context, format_age(s->since_ns / 1000000000).s, s->fiber, where(s->path, path),
	    s->op.len > 0 ? "waits in " : "has not ended",
	    s->op.len > 0 ? sentence_name(s->op.text, s->op.len, 32).s : "",
	    s->shielded ? ", protected from it" : "");
	advise(out, "Give protected code a time limit, and have code that catches all exceptions raise "
		    "Cancelled again.  View f shows that fiber.");
	return VERDICT_YES;
}

const struct rule rule_fiber_cancelled = {.name = "fiber_cancelled",
    .question = "Does a cancelled context go on?",
    .needs = NEEDS_EVENTS | NEEDS_FIBERS | NEEDS_RUNNING,
    .early = "",
    .unmet = "no context has outlived its cancellation by 10 s",
    .judge = judge};
