/*
 * ring_stuck.c - the program hangs as it writes an event that its ring is too small for.
 *
 * Up to OCaml 5.4 the writer of an event makes room by dropping the oldest ones until the new one fits; an
 * event longer than half of the ring never fits, and the writer loops forever (runtime/runtime_events.c,
 * write_to_ring; ocaml/ocaml#15043).  A custom event has at most 1 KB, so this concerns only the smallest
 * rings, e=8.
 *
 * The sign is that no event comes while one thread runs all the time.  A program that computes without
 * collecting looks like that, so the finding is serious only if the thread's stack or the ring proves it:
 * such a writer drops events beyond the latest one, so that the ring's head passes its tail, which no other
 * writer causes.
 */
#include "advice/rule.h"
#include "figures/figures.h"

#define EVENT_MOST 131 /* words: a custom event of 1024 bytes with type, stamp and header */
#define SILENT_NS 5000000000u
#define OVERRUN_NS 1000000000u /* least silence if the ring proves it */
#define RAN 0.9		       /* share of that time in which one thread ran, or waited to run */
#define ENOUGH_E 16

/* Return for how long one thread ran, or waited for a processor, since a stamp, according to the samples;
 * *covered: how much of that time they cover. */
static uint64_t ran_since(const struct evidence *e, uint64_t since, uint64_t *covered)
{
	uint64_t ran = 0;

	*covered = 0;
	for (size_t i = system_past_count(e->system.past); i-- > 0;) {
		const struct system_row *row = system_past_row(e->system.past, i);
		if (row->from < since)
			break;
		ran += row->ran_most.run + (row->ran_most.tid != 0 ? row->ran_most.wait : 0);
		*covered += row->to - row->from;
	}
	return ran;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct model_totals t = model_totals(e->model);
	uint64_t covered, ring;
	char code[RULE_CODE] = "";

	if (!evidence_setting(e, OCAML_E, 0, &ring))
		ring = e->ring_words;
	else
		ring = ring < 64 ? UINT64_C(1) << ring : 0;
	if (ring == 0 || ring >= 2 * EVENT_MOST || e->release == RTEV_RELEASE_5_0 ||
	    e->release >= RTEV_RELEASE_5_5)
		return VERDICT_NO;
	const uint64_t since = t.seen && t.last_ts > e->from ? t.last_ts : e->from;
	const uint64_t ran = ran_since(e, since, &covered);
	/* No events come while they are paused, either. */
	const uint64_t silent = t.seen ? figure_seen(e->model, since, e->to) : e->to - since;
	const uint64_t least = e->overrun ? OVERRUN_NS : SILENT_NS;
	if (t.over || model_silent(e->model) || silent < least || (double)covered < (double)least / 2 ||
	    (double)ran < bound(RAN, held) * (double)covered)
		return VERDICT_NO;
	/* The thread may have sent nothing that shows its domain. */
	const int domains = e->domain_count > 0 ? (int)e->domain_count : 1;
	for (int i = -1; i < domains && strstr(code, "write_to_ring") == NULL; i++)
		profile_between_text(e->code, i, since, e->to, code, sizeof(code));
	const bool there = strstr(code, "write_to_ring") != NULL, sure = there || e->overrun;
	out->confidence = sure ? ADVICE_MEASURED : ADVICE_ESTIMATED;
	out->severity = sure ? ADVICE_SERIOUS : ADVICE_HINT;
	out->foremost = sure;
	figure(out, "ring", (double)ring, ADVICE_UNIT_WORDS);
	figure(out, "longest_event", EVENT_MOST, ADVICE_UNIT_WORDS);
	figure(out, "no_event_for", (double)silent / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "one_thread_ran_or_waited", (double)ran / (double)covered, ADVICE_UNIT_SHARE);
	finding_say(out,
	    SAY_MOST("No event comes while a thread runs: ") "it %s writing an event of more than %" PRIu64
							     " words" SAY_MORE(", half of its ring"),
	    sure ? "hangs" : "may hang", ring / 2);
	snprintf(out->setting, sizeof(out->setting), "e=%d", ENOUGH_E);
	advise(out,
	    "Set OCAMLRUNPARAM=%s: up to OCaml 5.4, writing a custom event longer than half of the ring "
	    "never ends.%s%s",
	    out->setting, there ? "  It is " : "", there ? code : "");
	return VERDICT_YES;
}

const struct rule rule_ring_stuck = {.name = "ring_stuck",
    .question = "Does it hang while it writes an event?",
    .needs = NEEDS_SYSTEM | NEEDS_RUNNING | BY_COUNTERS,
    .early = "",
    .unmet = "the ring is large enough for any event, events come, or no thread runs all the time",
    .judge = judge};
