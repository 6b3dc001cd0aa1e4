/*
 * minor_heap_small.c - the minor heap fills so often that short-lived values are promoted, or that the stops
 * themselves cost too much; and minor_survivors: minor collections copy much that no larger minor heap is
 * known to save.
 *
 * `s` of OCAMLRUNPARAM is the size of each domain's minor heap in words, 256k by default in 5.0 to 5.5;
 * Gc.set changes it for the calling domain only (stdlib/gc.mli; runtime/domain.c, domain_create).  The size
 * in use is that which memory tells, or else the largest minor_allocated of a domain that led a collection.
 *
 * A larger minor heap saves two things: collections, each of which scans roots however little there is to
 * copy (time at barriers is a cost of domains that come late); and the promotion of values that would have
 * died a little later.  It saves no copying of values that live long: a compiler that keeps most of what it
 * promotes became 5 to 10 % slower with four times s, at 30 % promoted.  Collections that begin before the
 * minor heap is full show how much of what is promoted is just young (evidence_young).  Without these no
 * copying is assumed to be saved.
 *
 * If most is promoted, values live longer than the minor heap lasts, and collections do not show how much
 * longer.  Two signs show that they die soon after.  The first is a small major heap: its live words at the
 * end of a cycle, including the cycle's garbage, are more than a collection can find alive, however large the
 * minor heap.  (This limits promotion from the stack.  A dead old value keeps young ones alive until it is
 * swept, so a queue is promoted forever, cell by cell: no gain is predicted if the remembered set is the
 * source.)  The second sign is collections that find little alive: the work is done in parts of which nothing
 * remains, and the rarity of these collections shows how much a part allocates.
 *
 * If nothing is promoted and s is the default, the cost of minor collections is the normal cost of
 * allocation.  Several domains pay for the stops, too; but on a machine whose other work takes their
 * processors, the time of a stop is not a property of the program: then the finding is not serious.
 *
 * What minor_survivors tells beyond that is how much of what reaches the major heap is kept, by its live words
 * after cycles.  If most is kept, the size of the minor heap does not matter.  If most dies later, it is not
 * known how much later, and so whether a larger minor heap would find it dead.  A program that loads data for
 * some seconds copies as much: that is not worth a finding.
 */
#include "advice/findings/findings.h"

#define MINORS_PER_S 20.0
#define COST_SHARE 0.10
#define LEAST_GAIN 0.05
#define SERIOUS_GAIN 0.10
#define FULL_SHARE 0.5
#define PROMOTED_MOST 0.8
#define PROMOTED_LEAST 0.01
#define COUNTED_PROMOTED 0.2 /* by counters only: share promoted; ratio of promoted to live words */
#define COUNTED_TIMES 10.0
#define MEAN_MOST_NS 10e6 /* maximum mean duration of a collection with the larger minor heap */
#define WORDS_MOST (4u << 20)
#define OUTLIVE_MOST (8u << 20)
#define OUTLIVE_FULL 0.25 /* in place of FULL_SHARE: cycles, if there are many, end minor heaps, too */
#define CYCLES_LEAST 3
#define LEAN_LEAST 20
#define OWN_LEAST 0.9	  /* share of what is promoted */
#define OF_MEMORY 8	  /* all minor heaps may take 1 / OF_MEMORY of the memory */
#define STACK_PART 0.8	  /* share of the time spent on copying */
#define GAIN_OF_SAVED 0.8 /* share of saved collections that counts: the others scan more */
#define COPYING_LEAST_S 8 /* a start that loads data copies for less */
#define SURVIVING_LEAST 0.05
#define MOST 0.5 /* of the minor collections' time; of what reaches the major heap */

/* Return the minor heap size, in words, of the domain that led most collections. */
static uint64_t words_in_use(const struct evidence *e)
{
	uint64_t most = 0, bytes = 0;

	for (unsigned i = 0; i < e->domain_count; i++) {
		if (e->domains[i].sum.leads < most || e->domains[i].full_bytes == 0)
			continue;
		most = e->domains[i].sum.leads;
		bytes = e->domains[i].full_bytes;
	}
	/* A full minor heap has less room left than a block needs. */
	return (bytes / 8 + 1023) / 1024 * 1024;
}

/* Say so if the window is of two sizes of the minor heap. */
static bool resized(const struct evidence *e, struct advice_finding *out)
{
	if (!evidence_resized(e))
		return false;
	finding_say(out, "the size of the minor heap was changed");
	return true;
}

/* Return the largest size for which there is memory in all domains, or `most` if that is less. */
static uint64_t words_with_room(const struct evidence *e, uint64_t most)
{
	uint64_t memory;

	if (!evidence_memory(e, &memory))
		return most;
	memory = memory / OF_MEMORY / 8 / (e->active > 0 ? e->active : 1);
	return memory < most ? memory : most;
}

/* Return the size to try: the largest one whose collections stay short even if all of their work grows with
 * it; 0: none. */
static uint64_t words_to_try(const struct evidence *e, uint64_t words, double mean_ns)
{
	const uint64_t most = words_with_room(e, WORDS_MOST);
	uint64_t best = 0;

	for (unsigned k = 2; k <= 128 && words * k <= most; k *= 2)
		if (mean_ns * k <= MEAN_MOST_NS && (k <= 8 || words * k <= 4 * MINOR_HEAP_WORDS))
			best = words * k;
	return best;
}

/* Return the average bytes alive in the major heap at the end of a cycle; 0: not known.  A domain's
 * collections find less alive, however large its minor heap. */
static double alive_in_heap(const struct evidence *e)
{
	double live = 0;
	size_t cycles = 0;

	for (size_t i = 0; i < e->cycle_count; i++)
		if (e->cycles[i].ts >= e->from) {
			live += (double)(e->cycles[i].live + e->cycles[i].large) * 8;
			cycles++;
		}
	return cycles >= CYCLES_LEAST ? live / (double)cycles / (e->active > 0 ? e->active : 1) : 0;
}

/* Return the average bytes that a collection finds alive if the values of a part of the work die with it; 0:
 * not known. A collection promotes less than half if a part ended within the latter half of the allocation.
 * If domains share what is to be promoted, whoever allocated it, a domain's own share is unknown. */
static double alive_in_part(const struct evidence *e, double promoted)
{
	double of_part = (double)e->sum.sized_a * 1024 / 2;
	bool shared = (double)e->sum.sized_p * 64 < OWN_LEAST * promoted * (double)e->sum.sized_a * 1024;

	return e->sum.sized_lean >= LEAN_LEAST && !shared ? of_part / (double)e->sum.sized_lean / 2 : 0;
}

/* Return the size in words at which collections that find `alive` bytes promote at most 1 / part of what they
 * promote now; 0: none, or `words` is not known. */
static uint64_t words_to_outlive(
    const struct evidence *e, uint64_t words, double promoted, double alive, unsigned part)
{
	const uint64_t most = words_with_room(e, OUTLIVE_MOST);
	uint64_t wanted = words * 2;

	if (words == 0)
		return 0;
	while (wanted <= most && alive * part > promoted * (double)wanted * 8)
		wanted *= 2;
	return alive > 0 && wanted <= most ? wanted : 0;
}

/* A size at which most of what is promoted would have died before. */
struct outliving {
	uint64_t words; /* 0: none */
	double alive;	/* bytes that a collection then finds alive */
	bool sure;	/* `alive` is an upper bound, not an estimate */
};

static struct outliving outliving(const struct evidence *e, uint64_t words, double promoted)
{
	double stack = (double)e->sum.phase_self[RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE];
	struct outliving o = {.alive = alive_in_heap(e),
	    .sure = stack > 0 && stack >= STACK_PART * (double)tally_copying(&e->sum)};

	if (o.sure || promoted >= PROMOTED_MOST)
		o.words = words_to_outlive(e, words, promoted, o.alive, 4);
	if (o.words != 0 || promoted < PROMOTED_MOST)
		return o;
	struct outliving by_part = {.alive = alive_in_part(e, promoted)};
	by_part.words = words_to_outlive(e, words, promoted, by_part.alive, 4);
	if (by_part.words != 0)
		return by_part;
	o.sure = false;
	o.words = words_to_outlive(e, words, promoted, o.alive, 2);
	return o;
}

/* Return the share of what is promoted that is just young, and would no longer be promoted; 0: not known. */
static double only_young(const struct evidence *e, uint64_t words)
{
	double young, per_byte;

	return evidence_young(e, &young, &per_byte) ? young / (young + per_byte * 8 * (double)words) : 0;
}

/* Return the share of the busy time that a minor heap of `wanted` words saves if it avoids a share of the
 * copying. */
static double gain_of(const struct evidence *e, uint64_t words, uint64_t wanted, double avoided)
{
	double minor = (double)e->sum.phase_total[RTEV_PHASE_MINOR], copying = (double)tally_copying(&e->sum);
	double of_copying = minor > 0 && copying < minor ? copying / minor : minor > 0;
	double saved = GAIN_OF_SAVED * (1 - (double)words / (double)wanted);
	double collecting = evidence_class(e, RTEV_CLASS_MINOR);
	double fixed = collecting * (1 - of_copying);
	/* Values that are not promoted need no marking and sweeping either. */
	double copied = (collecting * of_copying + evidence_major(e)) * avoided;

	return saved * evidence_share(e, fixed + copied);
}

/* The minor collections of the window. */
struct minors {
	double rate, mean_ns;
	double share;		/* share of the busy time */
	double full, promoted;	/* shares: full ones of collections, promoted of allocated */
	double young;		/* share of what was promoted that is just young */
	uint64_t words, wanted; /* sizes of a minor heap: present, and to try */
	struct outliving o;
	double outlived; /* promoted share that dies in a minor heap of o.words; 0: not to be tried */
};

static struct minors minors_of(const struct evidence *e)
{
	double leads = (double)(e->sum.leads > 0 ? e->sum.leads : 1);
	double allocated = (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_ALLOCATED];
	uint64_t collections = e->sum.phase_count[RTEV_PHASE_MINOR];
	struct minors m = {.rate = (double)e->sum.leads / e->window_s,
	    .share = evidence_share(e, evidence_class(e, RTEV_CLASS_MINOR)),
	    .full = (double)e->sum.full_leads / leads,
	    .promoted =
		allocated > 0 ? (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_PROMOTED] / allocated : 1,
	    .mean_ns =
		(double)e->sum.phase_total[RTEV_PHASE_MINOR] / (double)(collections > 0 ? collections : 1),
	    .words = words_in_use(e)};

	/* This happens at the edge of a window, or with invalid events. */
	if (m.promoted > 1)
		m.promoted = 1;
	m.young = only_young(e, m.words);
	m.o = outliving(e, m.words, m.promoted);
	return m;
}

/* Choose the size to try, and return the share of the busy time that it saves. */
static double choose(const struct evidence *e, struct minors *m)
{
	double gain = 0;

	m->wanted = m->promoted < PROMOTED_MOST ? words_to_try(e, m->words, m->mean_ns) : 0;
	if (m->wanted != 0)
		gain = gain_of(e, m->words, m->wanted, m->young);
	if (m->o.words == 0)
		return gain;
	double outlived = 1 - m->o.alive / (m->promoted * (double)m->o.words * 8);
	double more = gain_of(e, m->words, m->o.words, outlived);
	if (more <= gain)
		return gain;
	m->wanted = m->o.words;
	m->outlived = outlived;
	return more;
}

/* Write how much a minor heap promotes that dies soon. */
static void say_promoted(const struct minors *m, const char *dies, struct advice_finding *out)
{
	finding_say(out,
	    SAY_MOST("A ") "minor heap of %s words promotes %s" SAY_MORE(
		" of what is allocated, which %s soon after"),
	    format_setting(m->words).s, format_percent(m->promoted).s, dies);
}

/* Fill in the sentence, the figures and the remedy. */
static void tell(const struct minors *m, struct advice_finding *out)
{
	figure(out, "minor_collections_per_s", m->rate, ADVICE_UNIT_RATE);
	figure(out, "mean_collection", m->mean_ns / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "heap_was_full", m->full, ADVICE_UNIT_SHARE);
	figure(out, "promoted", m->promoted, ADVICE_UNIT_SHARE);
	if (m->outlived > 0)
		figure(out, "alive_at_once", m->o.alive, ADVICE_UNIT_BYTES);
	else if (m->young > 0)
		figure(out, "of_that_only_young", m->young, ADVICE_UNIT_SHARE);
	figure(out, "minor_heap", (double)m->words, ADVICE_UNIT_WORDS);
	figure(out, "minor", m->share, ADVICE_UNIT_SHARE);
	if (m->outlived > 0)
		say_promoted(m, m->o.sure ? "dies" : "seems to die", out);
	else
		finding_say(out,
		    "Minor collections take %s of the busy time" SAY_MORE(": %.0f a second")
			SAY_MOST(", because a minor heap of %s words fills that fast"),
		    format_percent(m->share).s, m->rate, format_setting(m->words).s);
	setting_words(out, 's', m->wanted);
	advise(out,
	    "%s OCAMLRUNPARAM=%s, which holds for all domains (Gc.set changes the calling one only); each "
	    "then takes %s more.",
	    m->outlived > 0 && !m->o.sure ? "A larger minor heap may help: try" : "Set", out->setting,
	    format_bytes((m->wanted - m->words) * 8).s);
}

/* Judge by counters only, which contain no times: values that are promoted die soon if they are far more than
 * is ever alive in the major heap.  That is also the limit of what a larger minor heap finds alive.  The cost
 * is unknown. */
static enum verdict judge_counters(const struct evidence *e, bool held, struct advice_finding *out)
{
	struct minors m = {.rate = (double)e->sum.leads / e->window_s};
	const double allocated = (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_ALLOCATED],
		     promoted = (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_PROMOTED];

	MODEL_FOREACH (d, e->model)
		if (d->minor_heap > (double)m.words)
			m.words = (uint64_t)d->minor_heap;
	m.promoted = allocated > 0 ? fmin(promoted / allocated, 1) : 0;
	m.o.alive = alive_in_heap(e);
	m.wanted = words_to_outlive(e, m.words, m.promoted, m.o.alive, 4);
	if (m.rate < bound(MINORS_PER_S, held) || m.promoted < bound(COUNTED_PROMOTED, held) ||
	    m.wanted == 0 || promoted < bound(COUNTED_TIMES, held) * m.o.alive)
		return VERDICT_NO;
	out->confidence = ADVICE_ESTIMATED;
	figure(out, "minor_collections_per_s", m.rate, ADVICE_UNIT_RATE);
	figure(out, "promoted", m.promoted, ADVICE_UNIT_SHARE);
	figure(out, "alive_at_once", m.o.alive, ADVICE_UNIT_BYTES);
	figure(out, "minor_heap", (double)m.words, ADVICE_UNIT_WORDS);
	say_promoted(&m, "dies", out);
	setting_words(out, 's', m.wanted);
	advise(out,
	    "Try OCAMLRUNPARAM=%s, which holds for all domains; each then takes %s more.  What it costs now "
	    "is not known without events.",
	    out->setting, format_bytes((m.wanted - m.words) * 8).s);
	return VERDICT_YES;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	if (!evidence_enough(e) || e->window_s <= 0)
		return VERDICT_EARLY;
	if (e->counters)
		return judge_counters(e, held, out);
	if (resized(e, out))
		return VERDICT_NO;
	struct minors m = minors_of(e);
	if (m.rate < bound(MINORS_PER_S, held) || m.share < bound(COST_SHARE, held) ||
	    m.full < bound(m.o.words != 0 ? OUTLIVE_FULL : FULL_SHARE, held) ||
	    (m.promoted < PROMOTED_LEAST && m.words >= MINOR_HEAP_WORDS && e->active < 2))
		return VERDICT_NO;
	if (m.promoted >= PROMOTED_MOST && m.o.words == 0) {
		finding_say(out, "%s of what is allocated is promoted, and nothing shows that it dies soon",
		    format_percent(m.promoted).s);
		return VERDICT_NO;
	}
	out->gain = choose(e, &m);
	if (m.wanted == 0 || out->gain < bound(LEAST_GAIN, held))
		return VERDICT_NO;
	/* Values that are promoted and die cost the major collector, too. */
	cost_time(out, e,
	    evidence_class(e, RTEV_CLASS_MINOR) +
		(m.outlived > 0 ? m.outlived : m.young) * evidence_major(e));
	bool by_load = m.promoted < PROMOTED_LEAST && evidence_cores(e) == CORES_OTHERS;
	out->severity = out->gain >= SERIOUS_GAIN && !by_load ? ADVICE_SERIOUS : ADVICE_HINT;
	if (m.outlived > 0) {
		out->confidence = ADVICE_ESTIMATED;
		/* The judgement rests on sizes, which no earlier rule explains. */
		out->proven = m.o.sure;
		if (!m.o.sure) {
			out->severity = ADVICE_HINT;
			out->gain = NAN;
		}
	}
	tell(&m, out);
	return VERDICT_YES;
}

/* Return how much of what reached the major heap between the first and the last cycle of the window was still
 * alive then, with the garbage of the last cycle; NAN: not known. */
static double kept_of(const struct evidence *e)
{
	const struct evidence_cycle *cycles = e->cycles;
	size_t first = e->cycle_count, last = e->cycle_count - 1;

	while (first > 0 && cycles[first - 1].ts >= e->from)
		first--;
	if (e->cycle_count <= first + CYCLES_LEAST || cycles[last].live == 0 ||
	    cycles[last].allocated <= cycles[first].allocated)
		return NAN;
	const double reached = (double)(cycles[last].allocated - cycles[first].allocated);
	/* If most words were not promoted, large blocks were allocated, of which nothing else is known. */
	if ((double)e->sum.counter_sum[RTEV_COUNTER_MINOR_PROMOTED] / 8 < MOST * reached)
		return NAN;
	return fmax(1 - evidence_garbage(e, last - first) * (double)(last - first) / reached, 0);
}

/* Fill in what the survivors of minor collections are, and the remedy. */
static void tell_survivors(const struct evidence *e, struct minors *m, struct advice_finding *out)
{
	const double rate = (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_PROMOTED] / e->window_s,
		     kept = kept_of(e);
	const bool keeps = kept >= MOST;
	const char *lives = keeps ? ", and most of that is kept" : ", and most of that dies later";

	figure(out, "promoted", m->promoted, ADVICE_UNIT_SHARE);
	figure(out, "promotion", rate, ADVICE_UNIT_BYTE_RATE);
	figure(out, "minor_collections_per_s", m->rate, ADVICE_UNIT_RATE);
	figure(out, "mean_collection", m->mean_ns / 1e9, ADVICE_UNIT_SECONDS);
	if (m->words > 0)
		figure(out, "minor_heap", (double)m->words, ADVICE_UNIT_WORDS);
	if (!isnan(kept))
		figure(out, "kept_in_major_heap", kept, ADVICE_UNIT_SHARE);
	finding_say(out,
	    "Copying survivors takes %s of the busy time" SAY_MORE(": %s of what is allocated is promoted")
		SAY_MOST("%s"),
	    format_percent(out->share).s, format_percent(m->promoted).s, isnan(kept) ? "" : lives);
	m->wanted = keeps ? 0 : words_to_try(e, m->words, m->mean_ns);
	if (m->wanted != 0)
		setting_words(out, 's', m->wanted);
	if (keeps)
		advise(out,
		    "No size of the minor heap saves this, because the program keeps most of what it "
		    "promotes.  If the program is loading data, this ends by itself; otherwise find who "
		    "allocates what is kept "
		    "(memtrace), and keep less of it, or in fewer and larger blocks: arrays, strings, "
		    "Bytes.");
	else if (m->wanted != 0)
		advise(out,
		    "Try OCAMLRUNPARAM=%s, which holds for all domains; each then takes %s more.  That saves "
		    "copying what dies before a minor heap is full; how soon it dies is not known.  If the "
		    "promoted share stays, go back, and have fewer values live that long.",
		    out->setting, format_bytes((m->wanted - m->words) * 8).s);
	else
		advise(out, "Nothing shows that a larger minor heap would help.  Find who allocates what "
			    "survives (memtrace), and keep it for less time, or in fewer and larger blocks.");
}

static enum verdict judge_survivors(const struct evidence *e, bool held, struct advice_finding *out)
{
	const double copying = (double)tally_copying(&e->sum),
		     minor = (double)e->sum.phase_total[RTEV_PHASE_MINOR];

	if (e->window_s * 1e9 < (double)ENOUGH_NS)
		return VERDICT_EARLY;
	if (resized(e, out))
		return VERDICT_NO;
	struct minors m = minors_of(e);
	cost_time(out, e, copying);
	if (out->share < bound(COST_SHARE, held) || copying < bound(MOST, held) * minor ||
	    m.promoted < bound(SURVIVING_LEAST, held) || e->sum.copying_s < COPYING_LEAST_S)
		return VERDICT_NO;
	tell_survivors(e, &m, out);
	return VERDICT_YES;
}

#define CAUSES                                                                                               \
	(FINDING(starved) | FINDING(explicit_gc) | FINDING(cgroup_throttled) | FINDING(too_few_cores) |      \
	    FINDING(late_domain) | FINDING(idle_domains) | FINDING(domain_churn) | FINDING(special_values) | \
	    FINDING(minor_roots))

const struct rule rule_minor_heap_small = {.name = "minor_heap_small",
    .question = "Is the minor heap too small?",
    .needs = NEEDS_EVENTS | BY_COUNTERS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "fewer than 20 full minor heaps a second, a cost below 10%, or a larger one would save less "
	     "than 5%",
    .causes = CAUSES,
    .judge = judge};

const struct rule rule_minor_survivors = {.name = "minor_survivors",
    .question = "Do minor collections copy much that survives?",
    .needs = NEEDS_EVENTS,
    .early = "less than 10 s was observed",
    .unmet =
	"copying is less than half of minor collections, less than 10% of the time or 8 s, or less than 5% "
	"is promoted",
    .causes = CAUSES | FINDING(swapping) | FINDING(custom_memory) | FINDING(direct_major) |
	      FINDING(minor_heap_small),
    .judge = judge_survivors};
