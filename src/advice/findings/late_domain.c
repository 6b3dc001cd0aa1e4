/*
 * late_domain.c - stops of the world wait for one domain that arrives much later than usual.
 *
 * A domain arrives when it reaches a safepoint: an allocation, the end of a loop iteration, or some tail
 * calls (asmcomp/polling.ml).  There is no safepoint in a recursion without tail call that does not allocate
 * (ocaml/ocaml#11580), in a C call until it returns or releases the runtime lock, in blit and fill of bytes,
 * nor in Marshal.  Another cause is that the kernel gives the domain no processor.  A sample covers a second
 * and does not show when in it a thread waited: the kernel is reported as the cause if threads waited at
 * least half as long as domains were late, and excluded if they waited less than a tenth.
 */
#include "advice/rule.h"

#define USUAL 10 /* how many times the median lateness is unusual */
#define STOPS 3
#define COST_SHARE 0.01
#define SERIOUS_SHARE 0.10

/* What is known of the late stops of one domain. */
struct lateness {
	unsigned domain;
	unsigned stops;
	uint64_t wait, late, longest;
};

/* Return whether a late stop counts. */
static bool counts(const struct evidence *e, const struct evidence_late *l, uint64_t least)
{
	return l->begin >= e->from && l->begin <= e->to && l->lateness >= least;
}

/* Return the domain for which the others waited longest. */
static struct lateness worst_domain(const struct evidence *e, uint64_t least)
{
	struct lateness worst = {0};

	for (size_t i = 0; i < e->late_count; i++) {
		struct lateness l = {.domain = e->lates[i].domain};
		if (!counts(e, &e->lates[i], least) || (worst.stops > 0 && worst.domain == l.domain))
			continue;
		for (size_t k = 0; k < e->late_count; k++) {
			const struct evidence_late *late = &e->lates[k];
			if (late->domain != l.domain || !counts(e, late, least))
				continue;
			l.stops++;
			l.wait += late->wait;
			l.late += late->lateness;
			l.longest = late->lateness > l.longest ? late->lateness : l.longest;
		}
		if (l.wait > worst.wait)
			worst = l;
	}
	return worst;
}

/* Why a domain was late, as far as the samples show it. */
enum cause {
	CAUSE_UNSEEN, /* there are no samples */
	CAUSE_UNKNOWN,
	CAUSE_KERNEL,
	CAUSE_OTHERS, /* likewise, and other processes run there */
	CAUSE_PROGRAM
};

static enum cause cause_of(const struct evidence *e, const struct lateness *l, uint64_t least, int32_t *tid)
{
	uint64_t late = 0, waited = 0, ran = 0, value;
	const struct system_row *last = NULL;

	*tid = 0;
	if (!e->system.there)
		return CAUSE_UNSEEN;
	for (size_t i = 0; i < system_past_count(e->system.past); i++) {
		const struct system_row *row = system_past_row(e->system.past, i);
		uint64_t here = 0;
		for (size_t k = 0; k < e->late_count; k++)
			if (e->lates[k].domain == l->domain && counts(e, &e->lates[k], least) &&
			    e->lates[k].begin + e->lates[k].lateness > row->from &&
			    e->lates[k].begin <= row->to)
				here += e->lates[k].lateness;
		if (here == 0)
			continue;
		if (!system_row_get(row, SYSTEM_WAIT, &value))
			return CAUSE_UNKNOWN;
		waited += value;
		if (system_row_get(row, SYSTEM_THROTTLED, &value))
			waited += value;
		ran += row->ran_most.run;
		late += here;
		last = row;
	}
	if (late == 0)
		return CAUSE_UNKNOWN;
	/* With cores to spare threads wait a little at each wake-up: that tells nothing. */
	if (waited >= late / 2 && evidence_others_run(e))
		return evidence_loaded(e) ? CAUSE_OTHERS : CAUSE_UNKNOWN;
	if (waited >= late / 2)
		return CAUSE_KERNEL;
	if (waited >= late / 10 || ran < late / 10 * 8)
		return CAUSE_UNKNOWN;
	*tid = last->ran_most.tid;
	return CAUSE_PROGRAM;
}

/* Fill in the remedy. */
static void advise_by(struct advice_finding *out, enum cause cause, int32_t tid)
{
	switch (cause) {
	case CAUSE_KERNEL:
		advise(out, "Its threads waited for a processor meanwhile: use fewer domains than there are "
			    "cores, or more cores.");
		break;
	case CAUSE_OTHERS:
		advise(out,
		    "Its threads waited for a processor meanwhile, while it used less than the cores it "
		    "may use.  This is not the program's doing: give it cores of its own.");
		break;
	case CAUSE_PROGRAM:
		advise(out,
		    "It ran meanwhile, so it reached no safepoint.  In C: caml_enter_blocking_section around "
		    "what takes long, or "
		    "shorter calls.  In OCaml: a loop, or an allocation in each call, instead of a recursion "
		    "without one.  Where: "
		    "perf record -t %d",
		    tid);
		break;
	default:
		advise(out, "Why is not known: a C call or a recursion without safepoint (see perf record), "
			    "or no processor for its thread.");
		break;
	}
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	int32_t tid;

	if (e->sum.stops < STOPS || e->window_s < 1)
		return VERDICT_EARLY;
	uint64_t median = hist_percentile(e->lateness, 50, 100);
	uint64_t least = median > LATE_LEAST_NS / USUAL ? median * USUAL : LATE_LEAST_NS;
	struct lateness l = worst_domain(e, least);
	if (l.stops < STOPS)
		return VERDICT_NO;
	cost_time(out, e, (double)l.wait);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	enum cause cause = cause_of(e, &l, least, &tid);
	out->subject = ADVICE_OF_DOMAIN;
	out->domain = l.domain;
	/* A finding whose cause was looked for and not found may be the machine's. */
	bool serious = cause != CAUSE_OTHERS && cause != CAUSE_UNKNOWN && out->share >= SERIOUS_SHARE;
	out->severity = serious ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "late_stops", l.stops, ADVICE_UNIT_COUNT);
	figure(out, "of_stops", (double)e->sum.stops, ADVICE_UNIT_COUNT);
	figure(out, "mean_late", (double)l.late / l.stops / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "longest_late", (double)l.longest / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "usually_late", (double)median / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "others_waited", (double)l.wait / 1e9, ADVICE_UNIT_SECONDS);
	say(out, "Stops of the world wait for domain %u: %u times it came %.*f ms late or more, %s", l.domain,
	    l.stops, decimals((double)least / 1e6), (double)least / 1e6,
	    cause == CAUSE_KERNEL    ? "for want of a processor"
	    : cause == CAUSE_OTHERS  ? "while other processes had the processors"
	    : cause == CAUSE_PROGRAM ? "while it ran"
				     : "why is not known");
	advise_by(out, cause, tid);
	return VERDICT_YES;
}

const struct rule rule_late_domain = {.name = "late_domain",
    .question = "Does one domain hold up the others?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 3 stops with a barrier",
    .causes = " cgroup_throttled too_few_cores swapping ",
    .judge = judge};
