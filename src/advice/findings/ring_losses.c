/*
 * ring_losses.c - events were overwritten before they were read.
 *
 * Remedy: `e` of OCAMLRUNPARAM is the power of two of a ring's size in words; with 128 domains OCaml accepts
 * up to 20 (runtime_events.c; OCaml manual, "Runtime tracing with runtime events").  A ring of its present
 * size plus the largest loss would have been large enough.
 *
 * That holds if the reader was in time.  On an overloaded machine the reader itself waits for a processor: if
 * it waited, within a second, for at least half the time that a ring holds at the highest rate, the machine
 * is the cause, not the ring's size.  A ring that holds less than HOLDS_LEAST_NS is too small for any reader.
 */
#include "advice/rule.h"
#include "figures/figures.h"

#define SERIOUS_SHARE 0.1
#define HOLDS_LEAST_NS 50e6
#define RING_WORDS 65536.0
#define WAITED_PART 0.5

/* Return the least time for which a ring holds what is written to it. */
static double holds_ns(const struct evidence *e)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < e->domain_count; i++)
		most = e->domains[i].most_words > most ? e->domains[i].most_words : most;
	return most > 0 ? (e->ring_words != 0 ? (double)e->ring_words : RING_WORDS) * 1e9 / (double)most : 0;
}

/* Return the row in which the reader waited longest for a processor, and for how long; NULL when it is not
 * known. */
static const struct system_row *reader_waited(const struct evidence *e, uint64_t *most)
{
	const struct system_row *longest = NULL;
	uint64_t wait;

	*most = 0;
	for (size_t i = e->system.there ? system_past_count(e->system.past) : 0; i-- > 0;) {
		const struct system_row *row = system_past_row(e->system.past, i);
		/* The reader does not change with the program: a row that reaches into the window counts. */
		if (row->to <= e->from)
			break;
		if (!system_row_get(row, SYSTEM_READER_WAIT, &wait) || wait <= *most)
			continue;
		*most = wait;
		longest = row;
	}
	return longest;
}

/* If the reader was late for lack of a processor, blame the machine. */
static bool starved(struct advice_finding *out, const struct evidence *e)
{
	uint64_t waited;
	const struct system_row *row = reader_waited(e, &waited);

	if (row == NULL || holds_ns(e) < HOLDS_LEAST_NS || (double)waited < WAITED_PART * holds_ns(e))
		return false;
	out->severity = ADVICE_HINT;
	figure(out, "reader_waited", (double)waited / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "ring_holds", holds_ns(e) / 1e9, ADVICE_UNIT_SECONDS);
	advise(out,
	    "The machine is overloaded: rtevtop, which reads the rings, waited for a processor for %s of "
	    "%s.  The program's settings are not the reason.  Run rtevtop with priority: sudo nice -n -10 "
	    "rtevtop.",
	    format_duration(waited).s, format_duration(row->to - row->from).s);
	return true;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	if (e->sum.lost_words == 0)
		return VERDICT_NO;
	const struct traffic traffic = traffic_read(e->model, e->ring_words);
	double most_share = traffic.all != 0 ? (double)traffic.words / (double)traffic.all : 0;
	out->severity = e->lost_share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	out->bytes = (double)e->sum.lost_words * 8;
	figure(out, "lost_words", (double)e->sum.lost_words, ADVICE_UNIT_WORDS);
	figure(out, "lost_share", e->lost_share, ADVICE_UNIT_SHARE);
	figure(out, "most_frequent_share", most_share, ADVICE_UNIT_SHARE);
	finding_say(out, "%s of the events were overwritten" SAY_MORE(" before they were read"),
	    format_percent(e->lost_share).s);
	if (starved(out, e))
		return VERDICT_YES;
	if (traffic.exponent > 0 && traffic.exponent <= TRAFFIC_EXPONENT_MAX) {
		snprintf(out->setting, sizeof(out->setting), "e=%u", traffic.exponent);
		advise(out,
		    "Start the program with OCAMLRUNPARAM=%s: rings of that size would have held them.  "
		    "The largest part of the events, %s, is %s.",
		    out->setting, format_percent(most_share).s, traffic.name);
	} else
		advise(out, "%s  The largest part of the events, %s, is %s: write fewer of these.",
		    traffic.exponent == 0 ? "Start the program with a larger e of OCAMLRUNPARAM."
					  : "No ring that OCaml makes would have held them.",
		    format_percent(most_share).s, traffic.name);
	return VERDICT_YES;
}

const struct rule rule_ring_losses = {.name = "ring_losses",
    .question = "Were events lost?",
    .early = "no events yet",
    .unmet = "no events were lost",
    .judge = judge};
