/*
 * lock_stuck.c - threads that wait for a lock and can't continue: deadlock, dead_owner, lost_wakeup.
 *
 * Each must be seen at every look for a second: a look between a release and the next lock can show a false
 * cycle or a false owner that has gone.  In 24,000 looks at programs that contend for locks, each read twice,
 * no cycle was seen; a wake-up that seems lost was seen once in 1,000 looks, and never at two in a row.
 */
#include "advice/rule.h"
#include "advice/lock_rows.h"

#define STUCK_NS 1000000000u
#define FRESH_NS 3000000000u /* maximum age of the last look */

/* Judge whether threads have been stuck for long enough, according to a recent look. */
static enum verdict judge_stuck(
    const struct evidence *e, const struct lock_stuck *stuck, struct advice_finding *out)
{
	if (e->to > e->locks->ts && e->to - e->locks->ts > FRESH_NS) {
		finding_say(
		    out, "the last look at its locks is %s old", format_duration(e->to - e->locks->ts).s);
		return VERDICT_EARLY;
	}
	if (stuck->since == 0)
		return VERDICT_NO;
	return e->locks->ts - stuck->since >= STUCK_NS ? VERDICT_YES : VERDICT_EARLY;
}

/* Fill in the members that all three findings share. */
static void fill(const struct evidence *e, const struct lock_stuck *stuck, struct advice_finding *out)
{
	out->severity = ADVICE_SERIOUS;
	out->confidence = ADVICE_MEASURED;
	out->foremost = true;
	figure(out, "threads", stuck->count, ADVICE_UNIT_COUNT);
	figure(out, "seen_for", (double)(e->locks->ts - stuck->since) / 1e9, ADVICE_UNIT_SECONDS);
}

/* Whether a thread of a circle waits for the end of the next one. */
static bool joins(const struct lock_stuck *c, unsigned i)
{
	return i < LOCK_CIRCLE && c->kinds[i] == LOCK_JOIN;
}

/* Say in which function a thread of the circle is: it waits there, or has what the one before it waits for. */
static void stands(const struct lock_window *w, unsigned i, char out[LOCK_NAME + 4])
{
	const struct lock_stuck *c = &w->circle;
	const unsigned before = (i > 0 ? i : c->count) - 1;
	const char *in = i < LOCK_CIRCLE ? lock_named_of(w->named, c->addresses[i])->waits : "";

	if (in[0] == '\0' && before < LOCK_CIRCLE)
		in = lock_named_of(w->named, c->addresses[before])->has;
	snprintf(
	    out, LOCK_NAME + 4, in[0] != '\0' ? " in %s" : "%s", sentence_name(in, strlen(in), LOCK_NAME).s);
}

static enum verdict judge_deadlock(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct lock_stuck *c = &e->locks->circle;
	const enum verdict verdict = judge_stuck(e, c, out);
	char at[2][LOCK_NAME + 4];
	unsigned joined = 0;

	(void)held;
	if (verdict != VERDICT_YES)
		return verdict;
	fill(e, c, out);
	for (unsigned i = 0; i < c->count; i++)
		joined += joins(c, i);
	for (unsigned i = 0; i < 2; i++)
		stands(e->locks, i, at[i]);
	if (c->count == 1)
		finding_say(out, "deadlock: thread %d waits%s for its own end", c->tids[0], at[0]);
	else if (c->count == 2)
		finding_say(out,
		    "deadlock: thread %d waits" SAY_MORE("%s") " for %s thread %d%s" SAY_MOST(
			", which waits%s for %s"),
		    c->tids[0], at[0], joins(c, 0) ? "the end of" : "a lock that", c->tids[1],
		    joins(c, 0) ? "" : " holds", at[1],
		    joins(c, 1)	  ? "the end of the first"
		    : joins(c, 0) ? "a lock that the first holds"
				  : "one that the first holds");
	else
		finding_say(out,
		    "deadlock: %u threads wait in a circle" SAY_MOST(", each for %s") ": %d" SAY_MORE(
			"%s") ", %d" SAY_MORE("%s") ", %d%s",
		    c->count,
		    joined > 0 ? "a lock that the next one holds, or for its end"
			       : "a lock that the next one holds",
		    c->tids[0], at[0], c->tids[1], at[1], c->tids[2], c->count > 3 ? "..." : "");
	advise(out, "It never ends by itself.  %s  rtevtop stacks PID shows where each thread waits.",
	    joined == c->count ? "If A waits for the end of B, B must not wait for A."
	    : joined > 0       ? "Before you wait for the end of a thread, release the locks that it takes."
			       : "Take the locks in the same order everywhere, or hold one at a time.");
	return VERDICT_YES;
}

static enum verdict judge_dead_owner(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct lock_stuck *d = &e->locks->dead;
	const enum verdict verdict = judge_stuck(e, d, out);
	char lock[LOCK_WORDS];

	(void)held;
	if (verdict != VERDICT_YES)
		return verdict;
	fill(e, d, out);
	const char *in = lock_named_of(e->locks->named, d->lock.address)->waits;
	finding_say(out, "%u thread%s wait%s for %s whose holder is gone" SAY_MOST("%s%s"), d->count,
	    d->count == 1 ? "" : "s", d->count == 1 ? "s" : "", lock_words(&d->lock, lock),
	    in[0] == '\0'   ? ""
	    : d->count == 1 ? "; it waits in "
			    : "; they wait in ",
	    sentence_name(in, strlen(in), LOCK_NAME).s);
	advise(out,
	    "A thread ended while it held the lock, or the process was forked while another thread held "
	    "it.  Use Mutex.protect, which releases the lock on every way out, and fork before you start "
	    "threads.");
	return VERDICT_YES;
}

/* Whether a release of glibc, "2.36", is older than the one that fixes bug 25847. */
static bool is_before_mend(const char *libc)
{
	enum { MAJOR = 2, MINOR = 41 };
	char *end;
	const unsigned long major = strtoul(libc, &end, 10),
			    minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

	return major < MAJOR || (major == MAJOR && minor < MINOR);
}

static enum verdict judge_lost_wakeup(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct lock_stuck *u = &e->locks->unclaimed;
	const enum verdict verdict = judge_stuck(e, u, out);

	(void)held;
	if (verdict != VERDICT_YES)
		return verdict;
	fill(e, u, out);
	finding_say(out,
	    "lost wake-up: %u thread%s of domain %d wait%s for its master lock" SAY_MORE(
		", which no thread holds"),
	    u->count, u->count == 1 ? "" : "s", u->lock.domain, u->count == 1 ? "s" : "");
	const char *libc = e->locks->libc,
		   *goes_on = "The domain stands still until another thread takes the lock.";
	if (libc[0] == '\0')
		advise(out,
		    "The wake-up of a waiting thread was lost, as by bug 25847 of glibc, which 2.41 fixes.  "
		    "%s",
		    goes_on);
	else if (is_before_mend(libc))
		advise(out,
		    "The wake-up of a waiting thread was lost: its glibc %s has bug 25847, which 2.41 fixes. "
		    " Run it with 2.41 or later.  %s",
		    libc, goes_on);
	else
		advise(out,
		    "The wake-up of a waiting thread was lost, but not by bug 25847 of glibc: its glibc is "
		    "%s, and 2.41 fixes that.  %s",
		    libc, goes_on);
	return VERDICT_YES;
}

const struct rule rule_deadlock = {.name = "deadlock",
    .question = "Do threads wait for each other?",
    .needs = NEEDS_LOOKS,
    .latency = true,
    .early = "a circle of waiting threads was seen for less than 1 s",
    .unmet = "no threads wait for each other's locks in a circle",
    .judge = judge_deadlock};

const struct rule rule_dead_owner = {.name = "dead_owner",
    .question = "Is a lock held by a thread that is gone?",
    .needs = NEEDS_LOOKS,
    .latency = true,
    .early = "a lock whose holder is gone was seen for less than 1 s",
    .unmet = "each lock that threads wait for has a holder",
    .judge = judge_dead_owner};

const struct rule rule_lost_wakeup = {.name = "lost_wakeup",
    .question = "Do threads sleep though their master lock is free?",
    .needs = NEEDS_LOOKS,
    .latency = true,
    .early = "a master lock that nobody takes was seen for less than 1 s",
    .unmet = "no master lock is free while all that want it sleep",
    .judge = judge_lost_wakeup};
