/*
 * user_span_tail.c - the slowest spans of a user event are slow because of the collector.
 *
 * Spans are compared with pauses on their domain.  The overlap is an upper bound if fibers or threads share a
 * domain. If other processes have the processors, a pause lasts as long as its threads wait for one.
 */
#include "fibers/schedulers.h"
#include "advice/rule.h"
#include "core/shown.h"

#define SPANS 200
#define LEAST_S 5
#define TAIL_SHARE 0.5
#define MEDIAN_SHARE 0.2
#define LEAST_NS 1e6 /* shorter spans are ignored */
#define SERIOUS_NS 10e6

/* The spans of one slot. */
struct tail {
	uint64_t count, tail_count, gc_ns;
	double tail_gc,
	    median_gc;	/* the collector's share of the slowest hundredth, and of the faster half */
	double tail_ns; /* mean duration of the slowest hundredth */
	uint64_t tail_gc_ns;
};

static struct tail tail_of(const struct user_bin *bins)
{
	struct tail t = {0};
	uint64_t fast_ns = 0, fast_gc = 0, slow_ns = 0, slow_gc = 0, before = 0;

	for (unsigned i = 0; i < USER_BINS; i++) {
		t.count += bins[i].count;
		t.gc_ns += bins[i].gc_ns;
	}
	for (unsigned i = 0; i < USER_BINS; i++) {
		if (before < t.count / 2) {
			fast_ns += bins[i].ns;
			fast_gc += bins[i].gc_ns;
		}
		/* At most a hundredth of the spans are in this bin and later ones. */
		if (t.count - before <= t.count / 100) {
			slow_ns += bins[i].ns;
			slow_gc += bins[i].gc_ns;
			t.tail_count += bins[i].count;
		}
		before += bins[i].count;
	}
	t.tail_gc = slow_ns > 0 ? (double)slow_gc / (double)slow_ns : 0;
	t.median_gc = fast_ns > 0 ? (double)fast_gc / (double)fast_ns : 0;
	t.tail_gc_ns = slow_gc;
	t.tail_ns = t.tail_count > 0 ? (double)slow_ns / (double)t.tail_count : 0;
	return t;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	struct tail worst = {0};
	size_t slot = 0;
	bool enough = false;

	for (size_t i = 0; i < USERS_KEPT && i < model_user_slots(e->model); i++) {
		/* The time in which a scheduler has nothing to run delays no request. */
		if (e->users[i] == NULL || schedulers_know(model_user_slot(e->model, i), NULL))
			continue;
		struct tail t = tail_of(e->users[i]);
		enough |= t.count >= SPANS;
		if (t.count < SPANS || t.tail_count < 2 || t.tail_ns < bound(LEAST_NS, held) ||
		    t.tail_gc < bound(TAIL_SHARE, held) || t.median_gc >= MEDIAN_SHARE ||
		    t.gc_ns <= worst.gc_ns)
			continue;
		worst = t;
		slot = i;
	}
	if (!enough || e->window_s < LEAST_S)
		return VERDICT_EARLY;
	if (worst.count == 0)
		return VERDICT_NO;
	if (evidence_starved(e, (double)worst.tail_gc_ns)) {
		finding_say(out, "the slowest spans are collections, whose threads wait for a processor");
		return VERDICT_NO;
	}
	const struct model_user_slot *what = model_user_slot(e->model, slot);
	out->subject = ADVICE_OF_USER;
	snprintf(out->user, sizeof(out->user), "%.*s", (int)what->name_len, what->name);
	/* The spans since users_from are extrapolated to the whole window. */
	double since = e->to > e->users_from ? (double)(e->to - e->users_from) : 1;
	cost_time(out, e, (double)worst.gc_ns * (double)(e->to - e->from) / since);
	out->confidence = since < (double)(e->to - e->from) ? ADVICE_ESTIMATED : ADVICE_MEASURED;
	out->severity = worst.tail_ns >= SERIOUS_NS ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "spans", (double)worst.count, ADVICE_UNIT_COUNT);
	figure(out, "collector_beyond_p99", worst.tail_gc, ADVICE_UNIT_SHARE);
	figure(out, "collector_up_to_p50", worst.median_gc, ADVICE_UNIT_SHARE);
	figure(out, "mean_beyond_p99", worst.tail_ns / 1e9, ADVICE_UNIT_SECONDS);
	const char *quote = shown_quote(what->name, what->name_len);
	finding_say(out,
	    SAY_MORE("The ") "slowest 1%% of %s%s%s take %s" SAY_MORE(" on average") ", %s of it GC", quote,
	    sentence_name(what->name, what->name_len, SENTENCE_NAME).s, quote,
	    format_duration(whole_saturating(worst.tail_ns)).s, format_percent(worst.tail_gc).s);
	advise(out, "View 5 lists these pauses; other findings say where they come from.");
	return VERDICT_YES;
}

const struct rule rule_user_span_tail = {.name = "user_span_tail",
    .question = "Are the program's slowest spans slow because of the collector?",
    .needs = NEEDS_EVENTS | NEEDS_RUNNING,
    .latency = true,
    .early = "no user event with 200 spans, or less than 5 s was observed",
    .unmet = "the slowest spans of no user event are mostly GC",
    .judge = judge};
