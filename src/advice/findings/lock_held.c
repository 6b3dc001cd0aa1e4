/*
 * lock_held.c - threads wait for a lock most of the time: lock_held, master_lock.
 *
 * Looks are samples of time.  In healthy programs at most 1 % of the looks show a thread that waits for a
 * mutex, 2.2 % if a mutex is held 5 % of the time.  The average number of waiters divided by the number of
 * threads is the share of the threads' time that the lock takes: four domains, each of which held one lock
 * for 40 % of its cycle, lost 39 % of their work and had 1.5 waiters on average.
 *
 * Threads of a server that take turns at accept have nothing to do while one of them, which holds the lock,
 * waits for clients.
 *
 * Threads of one domain take turns on its master lock.  With two threads that compute, every look shows a
 * waiter, and nothing is wrong: only a thread that serves others and waits for the lock is late.  Such a
 * thread was seen in a blocking system call or, if these are too short for a look, never holding the lock.
 *
 * OCaml code that computes releases the lock every 50 ms.  A thread that keeps it three times as long
 * executes C that does not release the runtime lock, collects, or has no processor itself.
 */
#include "advice/findings/findings.h"

#include <sys/syscall.h>

#include "advice/lock_rows.h"

#define LOOKS_LEAST 20
#define LOOKS_NS 2000000000u
#define MUCH 0.75   /* share of the looks */
#define MEAN 1.0    /* average number of waiters */
#define SOME 0.25   /* share of the looks that is worth a hint */
#define SERVER 0.25 /* share of a serving thread's looks at which it waits for the master lock */
#define MOSTLY 0.5  /* share of the looks with a waiter */
#define CROWDED 0.5 /* waiting for a processor, as a part of that for the lock */
#define KEPT 2	    /* how often the lock was kept for LOCK_KEPT_NS */

/* Whether the holder of a lock did something at most looks. */
static bool mostly(const struct lock_row *row, enum lock_doing doing)
{
	return row->did[doing] > MOSTLY * row->looks;
}

/* Describe what the holder did at most looks. */
#define DOES (LOCK_WORDS + 16)
static const char *owner_does(const struct lock_row *row, char out[DOES])
{
	char other[LOCK_WORDS];

	if (mostly(row, LOCK_WAITS))
		snprintf(out, DOES, "waits for %s", lock_words(&row->owner_waits, other));
	else
		strlcpy(out,
		    mostly(row, LOCK_IN_CALL) ? lock_call_words(row->call)
		    : mostly(row, LOCK_RUNS)  ? "runs"
		    : mostly(row, LOCK_GONE)  ? "is gone"
					      : "does various things",
		    DOES);
	return out;
}

/* Whether the holder of a lock waits for clients, and the others for their turn to do so. */
static bool is_turn_to_accept(const struct lock_row *row)
{
	return mostly(row, LOCK_IN_CALL) && (row->call == SYS_accept || row->call == SYS_accept4);
}

/* Return the lock of a kind that most threads wait for; NULL: none. */
static const struct lock_row *worst(const struct lock_window *w, bool master)
{
	for (unsigned i = 0; i < w->count; i++)
		if ((w->rows[i].lock.kind == LOCK_MASTER) == master && !is_turn_to_accept(&w->rows[i]))
			return &w->rows[i];
	return NULL;
}

static bool has_looks(const struct lock_window *w)
{
	return w->looks >= LOOKS_LEAST && w->ns >= LOOKS_NS;
}

static void figures(struct advice_finding *out, const struct lock_window *w, const struct lock_row *row)
{
	figure(out, "looks", w->looks, ADVICE_UNIT_COUNT);
	figure(out, "looks_with_a_waiter", lock_share(w, row), ADVICE_UNIT_SHARE);
	figure(out, "waiters", lock_mean(w, row), ADVICE_UNIT_MEAN);
	figure(out, "threads", w->threads, ADVICE_UNIT_MEAN);
	figure(out, "of_the_threads_time", lock_takes(w, row), ADVICE_UNIT_SHARE);
}

#define NAMED (LOCK_NAME + 24)

/* Write a function behind "in", in the shorter lengths without its file; nothing if it is not known. */
static void in_words(const char *function, char out[NAMED])
{
	const size_t name = strcspn(function, " ");
	char clean[LOCK_NAME];

	strlcpy(clean, sentence_name(function, strlen(function), LOCK_NAME).s, sizeof(clean));
	if (function[0] == '\0')
		out[0] = '\0';
	else
		snprintf(out, NAMED, " in %.*s" SAY_MOST("%s"), (int)name, clean, clean + name);
}

static enum verdict judge_held(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct lock_window *w = e->locks;
	const struct lock_row *row = worst(w, false);
	char lock[LOCK_WORDS], does[DOES], by[NAMED], in[NAMED];
	uint64_t wait;

	if (!has_looks(w))
		return VERDICT_EARLY;
	if (row == NULL || lock_share(w, row) < bound(SOME, held))
		return VERDICT_NO;
	const bool much = lock_share(w, row) >= MUCH || lock_mean(w, row) >= MEAN;
	/* A thread that is woken for a lock but gets no processor finds the lock taken again, and sleeps
	 * again. */
	if (!much && evidence_grown(e, SYSTEM_WAIT, &wait) &&
	    (double)wait >= CROWDED * lock_mean(w, row) * (double)e->system.ns) {
		finding_say(out, "threads wait for a lock, but for a processor, too");
		return VERDICT_NO;
	}
	const bool in_call = mostly(row, LOCK_IN_CALL);

	out->confidence = ADVICE_MEASURED;
	out->severity = much ? ADVICE_SERIOUS : ADVICE_HINT;
	out->foremost = much;
	/* A holder that sleeps waits neither for a processor nor for the collector. */
	out->proven = in_call;
	figures(out, w, row);
	const struct lock_named *named = lock_named_of(w->named, row->lock.address);
	snprintf(by, sizeof(by), " (0x%" PRIx64 ")", row->lock.address);
	if (named->waits[0] != '\0')
		in_words(named->waits, by);
	in_words(named->has, in);
	finding_say(out,
	    "Threads wait %s of the time for %s%s" SAY_MOST(", %.1f of %.0f on average")
		SAY_MORE("; its holder %s%s"),
	    format_percent(lock_share(w, row)).s, lock_words(&row->lock, lock), by, lock_mean(w, row),
	    w->threads, owner_does(row, does), in);
	advise(out, "rtevtop stacks PID shows which thread holds it, and where.  %s",
	    row->lock.kind == LOCK_CHANNEL ? "Threads that print take turns: collect the text and write it "
					     "in one go, or give each thread its own channel."
	    : mostly(row, LOCK_WAITS) &&
		    (row->owner_waits.kind == LOCK_CONDITION || row->owner_waits.kind == LOCK_JOIN)
		? "Its holder waits for a signal, a message, or the end of a thread or domain: if what it "
		  "waits for needs the lock, it never comes.  Release the lock before the wait."
	    : in_call ? "Do input, output and sleeping before you take the lock or after you release it."
		      : "Do less while it is held, or give each part of what it guards a lock of its own.");
	return VERDICT_YES;
}

/* Whether a master lock was kept by code that does not release it, not by a thread that waits for a
 * processor. */
static bool is_kept(const struct evidence *e, const struct lock_row *row)
{
	uint64_t wait;

	return row->kept >= KEPT && evidence_grown(e, SYSTEM_WAIT, &wait) && 2 * wait < row->kept_ns;
}

static enum verdict judge_master(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct lock_window *w = e->locks;
	const struct lock_row *row = worst(w, true);
	char does[DOES], in[NAMED], has[NAMED + DOES + 16] = "", keeps[160] = "", turns[96];

	if (!has_looks(w))
		return VERDICT_EARLY;
	/* If threads yield all the time, most looks find the lock free. */
	if (row == NULL || lock_share(w, row) < bound(MUCH, held) || row->server_waits == 0 ||
	    mostly(row, LOCK_UNSEEN) ||
	    row->server_waits < bound(SERVER, held) * (row->server_waits + row->server_calls))
		return VERDICT_NO;
	out->confidence = ADVICE_MEASURED;
	out->severity = ADVICE_SERIOUS;
	out->foremost = true;
	out->subject = ADVICE_OF_DOMAIN;
	out->domain = (unsigned)row->lock.domain;
	/* Threads that wait for nothing else would delay the serving thread even on idle processors. */
	out->proven = row->computing > 0;
	figures(out, w, row);
	figure(out, "computing_threads", row->computing, ADVICE_UNIT_COUNT);
	in_words(lock_named_of(w->named, row->lock.address)->has, in);
	const bool kept = is_kept(e, row);
	if (kept || in[0] != '\0')
		snprintf(has, sizeof(has), "; its holder %s%s", owner_does(row, does), in);
	/* A collection does not release the lock, either. */
	const bool collects = e->counters || e->longest >= LOCK_KEPT_NS;
	if (kept)
		snprintf(keeps, sizeof(keeps),
		    ", and keeps it for up to %s, in C that does not release the runtime lock%s",
		    format_duration(row->longest).s, collects ? " or in a collection" : "");
	finding_say(out,
	    "Threads wait %s of the time for the master lock" SAY_MORE(" of domain %d")
		SAY_MOST(", %.1f on average") SAY_MORE("; one of them %s") SAY_MOST("%s") SAY_MOST("%s"),
	    format_percent(lock_share(w, row)).s, row->lock.domain, lock_mean(w, row),
	    row->server_calls > 0 ? "serves requests" : "needs it only briefly", has, keeps);
	if (kept) {
		figure(out, "kept_for", (double)row->longest / 1e9, ADVICE_UNIT_SECONDS);
		advise(out,
		    "One thread of a domain runs at a time, and C code keeps the others waiting until it "
		    "returns: release the runtime lock in that C code (caml_enter_blocking_section), pass it "
		    "smaller pieces, or call it in a domain of its own.  rtevtop stats --code names it.");
		return VERDICT_YES;
	}
	if (row->computing > 0)
		snprintf(turns, sizeof(turns), "%u thread%s, so one that serves requests waits %u x 50 ms",
		    row->computing, row->computing == 1 ? " computes" : "s compute", row->computing);
	else
		strlcpy(turns, "N such threads make one that serves requests wait N x 50 ms", sizeof(turns));
	advise(out,
	    "One thread of a domain runs OCaml code at a time, and one that computes gives the lock up every "
	    "50 ms; %s.  Compute in other domains, in shorter pieces with Thread.yield between them, or in C "
	    "that releases the runtime lock; C that keeps it lets no other thread run.",
	    turns);
	return VERDICT_YES;
}

const struct rule rule_lock_held = {.name = "lock_held",
    .question = "Do threads wait for a lock?",
    .needs = NEEDS_LOOKS,
    .latency = true,
    .early = "fewer than 20 looks at its locks",
    .unmet =
	"no lock had a waiting thread in a quarter of the looks (threads that take turns at accept aside)",
    .causes = FINDING(starved) | FINDING(deadlock) | FINDING(dead_owner),
    .judge = judge_held};

const struct rule rule_master_lock = {.name = "master_lock",
    .question = "Do threads that serve requests wait for the master lock?",
    .needs = NEEDS_LOOKS,
    .latency = true,
    .early = "fewer than 20 looks at its locks",
    .unmet = "threads wait for a master lock in less than 75% of the looks, or none that serves others does",
    .causes = FINDING(starved) | FINDING(lost_wakeup),
    .judge = judge_master};
