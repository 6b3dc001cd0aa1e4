/*
 * fiber_stream_empty.c - fibers wait for an element of a stream, and nothing is left that could add one.
 *
 * In a server without work, fibers wait for elements, too, but one fiber waits for the system.  Here none
 * does: each waits for another one.  A domain without a loop of fibers could add an element, as could a
 * system thread; so the process must have no more threads than its domains need, one and a backup thread
 * each.
 */
#include "advice/rule.h"

#define SINCE_NS 10e9

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct fiber_empty *s = &e->fibers->empty;
	uint64_t threads;
	char path[WHERE];

	if (s->takers == 0 || (double)s->since_ns < SINCE_NS ||
	    !evidence_gauge(e, SYSTEM_THREAD_COUNT, &threads) || threads > 2 * (uint64_t)s->loops)
		return VERDICT_NO;
	out->severity = ADVICE_SERIOUS;
	figure(out, "takers", (double)s->takers, ADVICE_UNIT_COUNT);
	figure(out, "fibers", (double)s->fibers, ADVICE_UNIT_COUNT);
	figure(out, "since", (double)s->since_ns / 1e9, ADVICE_UNIT_SECONDS);
	finding_say(out,
	    "%" PRIu64 " fiber%s of %s wait%s to take from a stream" SAY_MORE(
		", and no fiber is left to add to it") SAY_MOST(": all %" PRIu64 " wait for each other"),
	    s->takers, s->takers == 1 ? "" : "s", where(s->path, path), s->takers == 1 ? "s" : "", s->fibers);
	advise(out,
	    "The fiber that should add to it has ended, or waits itself: have it add an end marker or cancel "
	    "the switch of those that take, also when it fails.  View f shows what each fiber waits for.");
	return VERDICT_YES;
}

const struct rule rule_fiber_stream_empty = {.name = "fiber_stream_empty",
    .question = "Do fibers wait for elements that no fiber can add?",
    .needs = NEEDS_EVENTS | NEEDS_FIBERS | NEEDS_RUNNING | NEEDS_SYSTEM,
    .latency = true,
    .early = "",
    .unmet = "no 10 s in which all fibers waited for each other, some of them for an element of a stream",
    .judge = judge};
