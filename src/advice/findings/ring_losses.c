/*
 * ring_losses.c - events were overwritten before they were read.
 *
 * Remedy: `e` of OCAMLRUNPARAM is the power of two of a ring's size in words; with 128 domains OCaml accepts
 * up to 20 (runtime_events.c; OCaml manual, "Runtime tracing with runtime events").  A ring of its present
 * size plus the largest loss would have been large enough.
 */
#include <stdio.h>

#include "advice/rule.h"
#include "watch/traffic.h"

#define SERIOUS_SHARE 0.1

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	struct traffic traffic;

	(void)held;
	if (e->sum.lost_words == 0)
		return VERDICT_NO;
	traffic_read(e->model, e->ring_words, &traffic);
	double most_share = traffic.all != 0 ? (double)traffic.words / (double)traffic.all : 0;
	out->severity = e->lost_share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	out->bytes = (double)e->sum.lost_words * 8;
	figure(out, "lost_words", (double)e->sum.lost_words, ADVICE_UNIT_WORDS);
	figure(out, "lost_share", e->lost_share, ADVICE_UNIT_SHARE);
	figure(out, "most_frequent_share", most_share, ADVICE_UNIT_SHARE);
	say(out, "%.2g %% of the events were overwritten before they were read", 100 * e->lost_share);
	if (traffic.exponent > 0 && traffic.exponent <= TRAFFIC_EXPONENT_MAX) {
		snprintf(out->setting, sizeof(out->setting), "e=%u", traffic.exponent);
		advise(out, "A ring of 2^%u words would have held them.  Most of them are %s (%.0f %%).",
		    traffic.exponent, traffic.name, 100 * most_share);
	} else
		advise(out, "%sMost events are %s (%.0f %%): write fewer of them.",
		    traffic.exponent == 0 ? "Start the program with a larger e of OCAMLRUNPARAM.  "
					  : "No ring that OCaml makes would have held them.  ",
		    traffic.name, 100 * most_share);
	return VERDICT_YES;
}

const struct rule rule_ring_losses = {
    .name = "ring_losses", .question = "Were all events seen?", .early = "no events yet", .judge = judge};
