/*
 * fiber_lock_held.c - a fiber holds a lock while it waits for something else, and others queue for the lock.
 *
 * One moment is enough to judge: the holder of the lock is known, and that it waits.
 */
#include "advice/rule.h"

#define QUEUE 2
#define LONGEST_NS 250e6 /* longest wait in the queue */
#define SERIOUS_NS 2e9

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct fiber_lock *l = &e->fibers->lock;
	char path[WHERE];

	if (l->queue < QUEUE || (double)l->longest_ns < bound(LONGEST_NS, held))
		return VERDICT_NO;
	out->severity = (double)l->longest_ns >= SERIOUS_NS ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "queue", (double)l->queue, ADVICE_UNIT_COUNT);
	figure(out, "longest_wait", (double)l->longest_ns / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "holder_waits", (double)l->held_ns / 1e9, ADVICE_UNIT_SECONDS);
	finding_say(out,
	    "%" PRIu64 " fibers queue for mutex %" PRIu64 SAY_MORE(
		"%s%s; fiber %" PRIu64 " (%s) holds it and waits in %s"),
	    l->queue, l->object, l->name.len > 0 ? " " : "", sentence_name(l->name.text, l->name.len, 36).s,
	    l->holder, where(l->path, path),
	    l->op.len > 0 ? sentence_name(l->op.text, l->op.len, 32).s : "?");
	advise(out, "Release the lock before the wait: copy what it guards, unlock, then wait.  View f shows "
		    "the queue.");
	return VERDICT_YES;
}

const struct rule rule_fiber_lock_held = {.name = "fiber_lock_held",
    .question = "Is a lock held across a wait while others queue for it?",
    .needs = NEEDS_EVENTS | NEEDS_FIBERS | NEEDS_RUNNING,
    .latency = true,
    .early = "",
    .unmet = "no lock whose holder waits has two fibers in its queue, one of them for 250 ms",
    .judge = judge};
