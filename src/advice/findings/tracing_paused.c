/*
 * tracing_paused.c - the target has paused its events most of the time, so only a small part is observed.
 *
 * Runtime_events.pause and resume (OCaml manual, "Runtime tracing with runtime events").
 */
#include "advice/rule.h"

#define PAUSED_SHARE 0.5

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct model_totals t = model_totals(e->model);

	if (e->to - e->from < UINT64_C(1000000000))
		return VERDICT_EARLY;
	if (t.events == 0) {
		finding_say(out, "it records no events");
		return VERDICT_NO;
	}
	if (e->paused_share < bound(PAUSED_SHARE, held))
		return VERDICT_NO;
	figure(out, "paused", e->paused_share, ADVICE_UNIT_SHARE);
	figure(out, "seen", e->window_s, ADVICE_UNIT_SECONDS);
	finding_say(out,
	    "The program paused its events for %s of the time" SAY_MORE(": all figures are of the rest"),
	    format_percent(e->paused_share).s);
	advise(out, "Have the program call Runtime_events.resume, or pause for shorter times.");
	return VERDICT_YES;
}

const struct rule rule_tracing_paused = {.name = "tracing_paused",
    .question = "Is tracing paused most of the time?",
    .needs = BY_COUNTERS,
    .early = "less than 1 s was observed",
    .unmet = "events were paused for less than half of the window",
    .judge = judge};
