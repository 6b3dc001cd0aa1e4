/*
 * late_domain.c - stops of the world wait for one domain that arrives late.
 *
 * Late is what others waited for: LATE_LEAST_NS or more, be it usual or not, and what that cost.  With three domains,
 * one of which computes 20 to 50 ms in C between allocations, the others spend seven of eight seconds at barriers.
 *
 * A domain arrives when it reaches a safepoint: an allocation, the end of a loop iteration, or some tail
 * calls (asmcomp/polling.ml).  There is no safepoint in a recursion without tail call that does not allocate
 * (ocaml/ocaml#11580), in a C call until it returns or releases the runtime lock, in blit and fill of bytes,
 * nor in Marshal.  Another cause is that the kernel gives the domain no processor.  A sample covers a second
 * and does not show when in it a thread waited.  But the domain and the leader of a stop can't have waited
 * longer than twice as long as the thread that waited longest, or where it is known which thread is the domain's,
 * as that one and the one that waited longest: if that is at least half of what the domain was late, the kernel
 * may be the cause; if it is at most a quarter, it is not.  If the domain's own thread waited no longer than that,
 * but the leader may have, or if no thread ran for the rest of that time, the other domains show it: a leader that
 * waits makes all of them late as often.
 *
 * What the backup threads of idle domains do is left to idle_domains, and so is a domain that is late because they crowd
 * the cores.
 */
#include "advice/findings/findings.h"

#define STOPS 3
#define COST_SHARE 0.01
#define SERIOUS_SHARE 0.10
#define UNSEEN_S 3.0 /* least window in which a process that is sampled has two samples */
#define MAY_BE                                                                                               \
	1 / 2 /* share of the lateness: if threads may have waited that long, the kernel may be the cause */
#define IS_NOT 1 / 4   /* share of the lateness: if they waited no longer, it is not */
#define RAN 0.8	       /* share of the rest for which one thread must have run */
#define OFTEN_STOPS 20 /* least late stops of this domain, and stops joined by the others, to compare them */
#define OFTEN 4	       /* least ratio to the rate of the others' late stops */

/* The domain for which the others waited longest, and the others. */
struct lateness {
	unsigned domain;
	struct domain_tally sum, others;
	uint64_t longest, least; /* lateness in its late stops that are kept, */
	uint64_t kept;		 /* and their number */
	uint64_t longest_begin;	 /* stamp of the stop at which it was latest */
};

static struct lateness worst_domain(const struct evidence *e)
{
	struct lateness worst = {.least = UINT64_MAX};

	for (unsigned i = 0; i < e->domain_count; i++)
		if (e->domains[i].sum.late_wait_ns > worst.sum.late_wait_ns) {
			worst.domain = i;
			worst.sum = e->domains[i].sum;
		}
	for (unsigned i = 0; i < e->domain_count; i++) {
		const struct domain_tally *other = &e->domains[i].sum;
		if (i == worst.domain || e->domains[i].idle)
			continue;
		worst.others.joined += other->joined;
		worst.others.late_stops += other->late_stops;
	}
	for (size_t i = 0; i < e->late_count; i++) {
		uint64_t late = e->lates[i].lateness;
		if (e->lates[i].domain != worst.domain || !evidence_is_late(e, &e->lates[i]))
			continue;
		if (late > worst.longest) {
			worst.longest = late;
			worst.longest_begin = e->lates[i].begin;
		}
		worst.least = late < worst.least ? late : worst.least;
		worst.kept++;
	}
	return worst;
}

/* Why a domain was late, as far as is known. */
enum cause {
	CAUSE_UNSEEN, /* there are no samples */
	CAUSE_UNKNOWN,
	CAUSE_KERNEL,
	CAUSE_OTHERS, /* the kernel does not run it, and other processes run */
	CAUSE_ALONE,  /* the other domains arrive in time */
	CAUSE_PROGRAM
};

/* Return how long a domain was late in the time of a row. */
static uint64_t late_in(const struct evidence *e, const struct system_row *row, unsigned domain)
{
	uint64_t late = 0;

	for (size_t k = 0; k < e->late_count; k++) {
		const struct evidence_late *l = &e->lates[k];
		if (l->domain == domain && evidence_is_late(e, l) && l->begin + l->lateness > row->from &&
		    l->begin <= row->to)
			late += l->lateness;
	}
	return late;
}

/* Add the longest possible wait in the time of a row: of the late domain's thread, and of it and the leader's
 * thread together.  Returns false if it is not known. */
static bool waited_in(const struct system_row *row, unsigned domain, uint64_t *own, uint64_t *both)
{
	uint64_t all, throttled = 0, run, most, mine;

	if (!system_row_get(row, SYSTEM_WAIT, &all))
		return false;
	most = row->waited_most.tid != 0 && !row->in_turns ? row->waited_most.wait : all;
	mine = most;
	(void)system_row_domain(row, domain, &run, &mine);
	(void)system_row_get(row, SYSTEM_THROTTLED, &throttled);
	*own += mine + throttled;
	*both += (mine + most < all ? mine + most : all) + throttled;
	return true;
}

/* Return whether a domain is late much more often than the others are. */
static bool late_alone(const struct lateness *l)
{
	return l->sum.late_stops >= OFTEN_STOPS && l->others.joined >= OFTEN_STOPS &&
	       (double)l->sum.late_stops * (double)l->others.joined >=
		   OFTEN * (double)(l->others.late_stops + 1) * (double)l->sum.joined;
}

static enum cause cause_of(const struct evidence *e, const struct lateness *l)
{
	uint64_t late = 0, own = 0, waited = 0, ran = 0, faults;

	if (!e->system.there)
		return CAUSE_UNSEEN;
	/* If only rows are known, the events of the process may be made up. */
	if (!evidence_grown(e, SYSTEM_WAIT, &waited))
		return CAUSE_UNKNOWN;
	waited = 0;
	for (size_t i = 0; i < system_past_count(e->system.past); i++) {
		const struct system_row *row = system_past_row(e->system.past, i);
		uint64_t here = late_in(e, row, l->domain), run = row->ran_most.run, wait;
		if (here == 0)
			continue;
		if (!waited_in(row, l->domain, &own, &waited))
			return CAUSE_UNKNOWN;
		(void)system_row_domain(row, l->domain, &run, &wait);
		ran += run;
		late += here;
	}
	if (late == 0)
		return CAUSE_UNKNOWN;
	if (waited <= late * IS_NOT && (double)ran >= RAN * (double)(late - waited))
		return CAUSE_PROGRAM;
	bool faulted = evidence_grown(e, SYSTEM_MAJOR_FAULTS, &faults) && faults >= l->sum.late_stops / 2;
	if (own <= late * IS_NOT && !faulted && late_alone(l))
		return CAUSE_ALONE;
	if (waited < late * MAY_BE)
		return CAUSE_UNKNOWN;
	switch (evidence_cores(e)) {
	case CORES_OTHERS:
		return CAUSE_OTHERS;
	case CORES_OWN:
		return CAUSE_KERNEL;
	default:
		return CAUSE_UNKNOWN;
	}
}

#define NO_SAFEPOINT                                                                                         \
	"In C, release the runtime lock around long work (caml_enter_blocking_section), or make shorter "    \
	"calls.  In OCaml, turn a recursion that does not allocate into a loop, or allocate in each call."

#define SAMPLE_IT "  Samples of its code (key C) show where."

/* Fill in the remedy. */
static void advise_by(struct advice_finding *out, enum cause cause, const char *code)
{
	if (code[0] != '\0' && (cause == CAUSE_PROGRAM || cause == CAUSE_ALONE)) {
		advise(out, "Meanwhile it was %s, and reached no safepoint.  " NO_SAFEPOINT, code);
		return;
	}
	switch (cause) {
	case CAUSE_KERNEL:
		advise(out, "Its threads waited for a processor meanwhile: use fewer domains than there are "
			    "cores, or more cores.");
		break;
	case CAUSE_OTHERS:
		advise(out, "Its threads waited for a processor meanwhile, though the program used fewer "
			    "cores than it may.  Other processes are the cause: give it cores of its own.");
		break;
	case CAUSE_PROGRAM:
		advise(out, "It ran meanwhile, so it reached no safepoint.  " NO_SAFEPOINT SAMPLE_IT);
		break;
	case CAUSE_ALONE:
		advise(out,
		    "Its thread did not wait for a processor, and the other domains come in time, so it "
		    "probably reaches no safepoint.  " NO_SAFEPOINT SAMPLE_IT);
		break;
	default:
		advise(out, "The cause may be a C call, a recursion without safepoints, or a thread that got "
			    "no processor." SAMPLE_IT);
		break;
	}
}

static const char *cause_text(enum cause cause)
{
	switch (cause) {
	case CAUSE_KERNEL:
		return "because it had no processor";
	case CAUSE_OTHERS:
		return "while other processes had the processors";
	case CAUSE_PROGRAM:
		return "while it ran";
	case CAUSE_ALONE:
		return "far more often than the others";
	default:
		return "for an unknown reason";
	}
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	char code[RULE_CODE];

	if (e->sum.stops < STOPS || e->window_s < 1)
		return VERDICT_EARLY;
	struct lateness l = worst_domain(e);
	if (l.sum.late_stops < STOPS)
		return VERDICT_NO;
	cost_time(out, e, (double)l.sum.late_wait_ns);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	enum cause cause = cause_of(e, &l);
	if (cause != CAUSE_PROGRAM && cause != CAUSE_ALONE && evidence_idle_crowd(e) > 0) {
		finding_say(out, "threads of idle domains crowd the cores: see idle_domains");
		return VERDICT_NO;
	}
	out->subject = ADVICE_OF_DOMAIN;
	out->domain = l.domain;
	out->proven = cause == CAUSE_PROGRAM || cause == CAUSE_ALONE;
	/* If no cause was found, the machine may be the cause. */
	bool serious = cause == CAUSE_PROGRAM || cause == CAUSE_KERNEL ||
		       (cause == CAUSE_UNSEEN && e->window_s >= UNSEEN_S);
	out->severity = serious && out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	double stops = (double)l.sum.late_stops;
	figure(out, "late_stops", stops, ADVICE_UNIT_COUNT);
	figure(out, "of_stops", (double)e->sum.stops, ADVICE_UNIT_COUNT);
	figure(out, "mean_late", (double)l.sum.late_ns / stops / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "longest_late", (double)l.longest / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "usually_late", (double)hist_percentile(e->lateness, 50, 100) / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "others_waited", (double)l.sum.late_wait_ns / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "late_stops_of_others", (double)l.others.late_stops, ADVICE_UNIT_COUNT);
	const uint64_t least = l.kept < l.sum.late_stops ? LATE_LEAST_NS : l.least;
	finding_say(out,
	    "Domain %u came at least %s late to %.0f stops" SAY_MOST(" of the world") SAY_MORE(", %s"),
	    l.domain, format_duration(least).s, stops, cause_text(cause));
	advise_by(out, cause, code_between(e, l.domain, l.longest_begin, l.longest_begin + l.longest, code));
	return VERDICT_YES;
}

const struct rule rule_late_domain = {.name = "late_domain",
    .question = "Does one domain hold up the others?",
    .needs = NEEDS_EVENTS | NEEDS_RUNNING,
    .early = "fewer than 3 stops with a barrier",
    .unmet = "fewer than 3 stops with a late domain, or less than 1% of the busy time waited for it",
    .causes = FINDING(cgroup_throttled) | FINDING(starved) | FINDING(too_few_cores) | FINDING(swapping),
    .judge = judge};
