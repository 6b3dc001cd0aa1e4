/*
 * special_values.c - the collector spends its time on values that the program has registered with it:
 * finalisers, ephemerons and weak pointers, Memprof's samples.
 *
 * Each minor collection visits those of young values, and each major cycle all of them, however little else
 * there is to mark (runtime/finalise.c, major_gc.c, memprof.c).  Values with a finaliser live until it has
 * run: with a larger o there are fewer cycles, each of which finds more of them.  A program with a finaliser
 * for each value took as long with o=200 as with o=120, where pacing alone predicts 18 % less.
 */
#include "advice/findings/findings.h"

#define OF_MINOR 0.5	   /* least share of the time of minor collections */
#define OF_COLLECTING 0.25 /* least share of the time of both collectors */
#define COST_SHARE 0.05
#define SERIOUS_SHARE 0.15

static const struct {
	const char *what, *remedy;
} specials[SPECIALS] = {
    [SPECIAL_FINALISERS] = {"finalisers",
	"Attach fewer finalisers (Gc.finalise, Gc.finalise_last): close resources explicitly, or with "
	"Fun.protect.  A larger o of OCAMLRUNPARAM only makes more of them wait."},
    [SPECIAL_EPHEMERONS] = {"ephemerons" SAY_MORE(" and weak pointers"),
	"Keep fewer of them: each major cycle goes through all.  Values that live long anyway can be in a "
	"plain table, from which the program removes them."},
    [SPECIAL_SAMPLES] = {"Memprof's samples",
	"Sample less often: pass a lower sampling_rate to Gc.Memprof.start."},
};

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	double collecting = evidence_class(e, RTEV_CLASS_MINOR) + evidence_major(e);
	double minor = (double)e->sum.phase_total[RTEV_PHASE_MINOR];
	struct special_time most = {.minor = 0};
	size_t which = 0;

	if (!evidence_enough(e))
		return VERDICT_EARLY;
	for (unsigned i = 0; i < SPECIALS; i++) {
		struct special_time t = evidence_special(e, i);
		if (t.minor + t.major <= most.minor + most.major)
			continue;
		most = t;
		which = i;
	}
	double own = most.minor + most.major;
	cost_time(out, e, own);
	if (own <= 0 || out->share < bound(COST_SHARE, held) ||
	    (own < bound(OF_COLLECTING, held) * collecting && most.minor < bound(OF_MINOR, held) * minor))
		return VERDICT_NO;
	/* At the edge of a window, or after a loss, the collection that contained the phase may be
	 * missing. */
	double of_all = own < collecting ? own / collecting : 1;
	double of_minor = minor <= 0 ? 0 : most.minor < minor ? most.minor / minor : 1;
	out->confidence = which == SPECIAL_FINALISERS ? ADVICE_ESTIMATED : ADVICE_MEASURED;
	out->subject = ADVICE_OF_PHASE;
	out->phase = most.phase;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "of_collections", of_all, ADVICE_UNIT_SHARE);
	figure(out, "of_minor_collections", of_minor, ADVICE_UNIT_SHARE);
	figure(out, "in_minor_collections", most.minor / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "in_major_cycles", most.major / 1e9, ADVICE_UNIT_SECONDS);
	finding_say(out, "The collector spends %s" SAY_MORE(" of its time") " on %s",
	    format_percent(of_all).s, specials[which].what);
	advise(out, "%s", specials[which].remedy);
	return VERDICT_YES;
}

const struct rule rule_special_values = {.name = "special_values",
    .question = "Do finalisers or ephemerons take the collector's time?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet =
	"finalisers, ephemerons and samples are less than a quarter of collections, or cost less than 5%",
    .causes = FINDING(starved) | FINDING(explicit_gc) | FINDING(too_few_cores) | FINDING(cgroup_throttled),
    .judge = judge};
