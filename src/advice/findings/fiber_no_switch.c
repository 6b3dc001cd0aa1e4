/*
 * fiber_no_switch.c - fibers of one path and span run for so long without switching that their event loop is
 * late.
 *
 * Runs are also long if their thread gets no processor, which the sentence mentions as far as it is possible;
 * if the process was stopped, if memory was swapped in, or if the collector worked: then the fiber is not to
 * blame.  A call that blocks the thread looks like work; only the processor time shows the difference.  Looks
 * at locks recognise a fiber that waits for a lock of threads: it blocks its whole loop, whoever has the
 * processors.
 */
#include "advice/findings/findings.h"

#define LEAST_S 5
#define RUNS 3
#define RUNS_HELD 2
#define OF_LATE 0.5 /* share of the late time that one place must account for */
#define OF_GC 0.5   /* share of the runs in GC from which on the collector is to blame */
#define WAITED 0.5  /* share of the runs without a processor from which on the machine is to blame */
#define LOCKED 0.5  /* share of the longest run in which it waited for a lock */
#define RAN 0.5	    /* least share of the runs in which the process had a processor, if it worked */
#define SERIOUS_NS 250e6

/* Fill in figures, sentence and remedy.  `wait`: the longest wait for a processor in the longest run, 0: none; `locked`: it
 * waited for a lock of threads; `works`: else it computed. */
static void tell(const struct evidence *e, bool locked, bool works, uint64_t wait, struct advice_finding *out)
{
	/* Only the remedy says whether it works or blocks: the processor time that tells comes and goes. */
	static const char *const does[2][2] = {{"block their loop", "blocks its loop"},
	    {"wait for a lock of threads", "waits for a lock of threads"}};
	const struct fiber_place *p = &e->fibers->place;
	char path[WHERE], code[RULE_CODE], without[64] = "";

	figure(out, "late_runs", (double)p->runs, ADVICE_UNIT_COUNT);
	figure(out, "of_late_time", (double)p->ns / (double)e->fibers->late_ns, ADVICE_UNIT_SHARE);
	figure(out, "longest_run", (double)p->longest.duration / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "collector", (double)p->gc_ns / (double)p->ns, ADVICE_UNIT_SHARE);
	const struct fiber_text span = p->longest.span;
	if (wait > 0)
		snprintf(without, sizeof(without), ", at most %s of it without a processor",
		    format_duration(wait).s);
	const bool named = span.len > 0;
	finding_say(out,
	    "Late loops: %s%s" SAY_MORE(" of %s") " %s for up to %s" SAY_MORE("%s")
		SAY_MOST(", and the loop's other fibers wait"),
	    named ? "span " : "fibers", named ? sentence_name(span.text, span.len, 40).s : "",
	    where(p->longest.path, path), does[locked][named], format_duration(p->longest.duration).s,
	    without);
	code_between(e, p->longest.domain, p->longest.ts, p->longest.ts + p->longest.duration, code);
	advise(out, "%s%s%s%s", code[0] != '\0' ? "The longest run was " : "", code,
	    code[0] != '\0' ? ".  " : "",
	    locked  ? "Mutex.lock blocks the whole loop, not the fiber alone: use the scheduler's own lock, "
		      "or hold this one for moments only.  rtevtop stacks PID shows its holder."
	    : works ? "Yield inside that work (Fiber.yield), or give it to a domain of its own (an "
		      "executor pool).  View f lists the runs."
		    : "Give the call that blocks to a system thread, or use the scheduler's own.  A process "
		      "that a signal stops for less than a second looks the same.  View f lists the runs.");
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct fiber_place *p = &e->fibers->place;
	double own = (double)(p->ns - p->gc_ns);
	struct lock_waited lock;
	uint64_t wait;
	char path[WHERE];

	if (e->window_s < LEAST_S)
		return VERDICT_EARLY;
	if (p->runs < (held ? RUNS_HELD : RUNS) ||
	    (double)p->ns < bound(OF_LATE, held) * (double)e->fibers->late_ns ||
	    (double)p->gc_ns >= OF_GC * (double)p->ns)
		return VERDICT_NO;
	const bool locked = lock_past_waited(e->looks, p->longest.domain, p->longest.ts,
				p->longest.ts + p->longest.duration, &lock) &&
			    (double)lock.ns >= LOCKED * (double)p->longest.duration;
	const bool crowded =
	    !locked && (evidence_cores(e) == CORES_OTHERS ||
			   (evidence_grown(e, SYSTEM_WAIT, &wait) && (double)wait >= WAITED * (double)p->ns));
	/* If a fiber is late in most of its runs, that its thread lost the processor then is no
	 * coincidence. */
	if (crowded && 2 * p->runs < p->all) {
		finding_say(out, "loops are late, last of fibers of %s, but threads wait for a processor",
		    where(p->longest.path, path));
		return VERDICT_NO;
	}
	if (!crowded || e->system.past == NULL ||
	    system_past_excuse(e->system.past, p->longest.ts, p->longest.ts + p->longest.duration, &wait) !=
		SYSTEM_WAITED)
		wait = 0;
	out->proven = crowded || locked;
	const bool works = !locked && (crowded || evidence_ran(e) <= 0 || evidence_ran(e) >= RAN * own);
	out->subject = ADVICE_OF_DOMAIN;
	out->domain = p->longest.domain;
	if (!crowded)
		cost_time(out, e, own);
	out->severity = !crowded && (double)p->longest.duration >= SERIOUS_NS ? ADVICE_SERIOUS : ADVICE_HINT;
	tell(e, locked, works, wait, out);
	return VERDICT_YES;
}

const struct rule rule_fiber_no_switch = {.name = "fiber_no_switch",
    .question = "Does a fiber block its event loop?",
    .needs = NEEDS_EVENTS | NEEDS_FIBERS | NEEDS_RUNNING,
    .latency = true,
    .early = "less than 5 s was observed",
    .unmet = "no place has three runs of 50 ms that are half of the late time and not mostly GC",
    .causes = FINDING(swapping) | FINDING(cgroup_throttled) | FINDING(starved) | FINDING(too_few_cores),
    .judge = judge};
