/*
 * direct_major.c - blocks of more than 256 words are allocated in the major heap directly, and drive its
 * collector.
 *
 * runtime/caml/config.h, Max_young_wosize.  request_major_alloc_shr is counted when a fifth of the minor
 * heap's size has been allocated that way (5.0: all of it), and again with each such block until a slice
 * begins; 5.1 and 5.2 include what minor collections promote (runtime/memory.c, alloc_shr;
 * runtime/minor_gc.c, alloc_shared).  5.3 reports the words allocated in the major heap, including promoted
 * ones.  For earlier releases they are derived from the requests.
 */
#include "advice/findings/findings.h"

#define REQUESTS_PER_S 10.0
#define DIRECT_SHARE 0.3
#define COST_SHARE 0.10
#define SERIOUS_SHARE 0.15

/* Estimate the words allocated directly from the requests, of which at most one for each slice counts. */
static double words_by_requests(const struct evidence *e, double requests, double promoted)
{
	double slices = (double)e->sum.phase_count[RTEV_PHASE_MAJOR_SLICE];
	uint64_t words;

	evidence_setting(e, OCAML_S, MINOR_HEAP_WORDS, &words);
	if (requests > slices)
		requests = slices;
	if (e->release == RTEV_RELEASE_5_0)
		return requests * (double)words;
	double all = requests * (double)words / 5;
	return all > promoted ? all - promoted : 0;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	double requests = (double)e->sum.counter_count[RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR];
	double words = (double)(int64_t)e->sum.counter_sum[RTEV_COUNTER_MAJOR_ALLOCATED_WORDS];
	double promoted = (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_PROMOTED] / 8;
	bool told = e->sum.counter_count[RTEV_COUNTER_MAJOR_ALLOCATED_WORDS] > 0 && words > 0;

	if (!evidence_enough(e) || e->window_s <= 0)
		return VERDICT_EARLY;
	double directly = words > promoted ? words - promoted : 0;
	if (!told)
		directly = words_by_requests(e, requests, promoted);
	double direct = directly > 0 ? directly / (directly + promoted) : 0;
	if (requests < bound(REQUESTS_PER_S, held) * e->window_s || direct < bound(DIRECT_SHARE, held))
		return VERDICT_NO;
	cost_time(out, e, evidence_paced(e) * direct);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	out->confidence = ADVICE_ESTIMATED;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "requests_per_s", requests / e->window_s, ADVICE_UNIT_RATE);
	figure(out, "allocated_directly", directly * 8 / e->window_s, ADVICE_UNIT_BYTE_RATE);
	figure(out, "of_major_allocation", direct, ADVICE_UNIT_SHARE);
	figure(out, "major_collector", evidence_share(e, evidence_major(e)), ADVICE_UNIT_SHARE);
	finding_say(out,
	    "Large blocks" SAY_MORE(
		", allocated straight in the major heap,") " speed up its collector %.0f times a second",
	    requests / e->window_s);
	advise(out, "Reuse large buffers, arrays and strings instead of making new ones; blocks of up to 256 "
		    "words begin in the minor heap.  rtevtop memtrace shows where blocks are allocated, from "
		    "a trace that the library memtrace writes.");
	return VERDICT_YES;
}

const struct rule rule_direct_major = {.name = "direct_major",
    .question = "Do large blocks drive the major collector?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "large blocks ask for fewer than 10 slices a second, are less than 30% of the words, or cost "
	     "below 10%",
    .causes = FINDING(starved) | FINDING(explicit_gc) | FINDING(custom_memory),
    .judge = judge};
