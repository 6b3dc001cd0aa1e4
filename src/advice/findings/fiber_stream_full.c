/*
 * fiber_stream_full.c - fibers wait for room in a bounded stream: those that take from it do not keep up.
 *
 * Fibers that wait for an element are not a finding: a server without work looks like that.
 */
#include "advice/rule.h"

#define LONGEST_NS 1e9

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct fiber_full *f = &e->fibers->full;
	char path[WHERE];

	if (f->count == 0 || (double)f->longest_ns < bound(LONGEST_NS, held))
		return VERDICT_NO;
	if (evidence_starved(e, (double)f->longest_ns)) {
		finding_say(out, "fibers wait to add to a stream, but threads wait for a processor");
		return VERDICT_NO;
	}
	figure(out, "fibers", (double)f->count, ADVICE_UNIT_COUNT);
	figure(out, "longest_wait", (double)f->longest_ns / 1e9, ADVICE_UNIT_SECONDS);
	finding_say(out,
	    "A stream is full: %" PRIu64 " fibers of %s wait to add" SAY_MORE(" to it") ", for up to %s",
	    f->count, where(f->path, path), format_duration(f->longest_ns).s);
	advise(out, "Have more fibers take from it, or do less work for each element: view f shows what "
		    "they do.  A larger capacity only delays this.");
	return VERDICT_YES;
}

const struct rule rule_fiber_stream_full = {.name = "fiber_stream_full",
    .question = "Do producers wait for room in a stream?",
    .needs = NEEDS_EVENTS | NEEDS_FIBERS | NEEDS_RUNNING,
    .latency = true,
    .early = "",
    .unmet = "no fiber waits for a second to add to a stream",
    .judge = judge};
