/*
 * figures.c - figures of the totals, and of any stretch of time.
 */
#include "figures/figures.h"

#include "core/shown.h"
#include "model/span_time.h"

#define WORD_BYTES 8
#define GROWTH_LEAST_NS UINT64_C(10000000000)
#define GROWTH_MOST_NS UINT64_C(60000000000)
#define GROWTH_LEAST_BYTES 1048576.0 /* in that time: the room of a few pools is no growth */
#define GROWTH_LEAST 0.01 /* of the heap, in a minute: less may be where between two cycles the looks fell */
enum { GROWTH_PARTS = 5 };
#define GROWTH_DIP 0.125 /* of what it grew in all: a low may be as much below the one before it */

double figure_share(double part, double whole)
{
	return whole > 0 ? fmin(part / whole, 1) : (double)NAN;
}

double figure_rate(double sum, uint64_t seen_ns)
{
	return seen_ns > 0 ? sum / (double)seen_ns * 1e9 : (double)NAN;
}

uint64_t figure_seen(const struct model *m, uint64_t from, uint64_t to)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(m, &count);

	return from < to ? to - from - span_time_paused(pauses, count, from, to) : 0;
}

uint64_t figure_counted(const struct model *m, uint64_t from, uint64_t to)
{
	const uint64_t time = from < to ? to - from : 0,
		       seen = time > 0 ? figure_seen(m, from, to) + model_counted_time(m, from, to) : 0;

	/* Memory told of pauses that are no longer kept, too. */
	return seen < time ? seen : time;
}

struct model_counts figure_counts(const struct model_domain *d)
{
	const struct model_counter *counters = d->counters;

	return (struct model_counts){
	    .minors = d->phases[RTEV_PHASE_MINOR].count + d->counted.minors,
	    .majors = d->phases[RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS].count + d->counted.majors,
	    .allocated = sum_wrapping(counters[RTEV_COUNTER_MINOR_ALLOCATED].sum, d->counted.allocated),
	    .promoted = sum_wrapping(counters[RTEV_COUNTER_MINOR_PROMOTED].sum, d->counted.promoted),
	    .major_words =
		sum_wrapping(counters[RTEV_COUNTER_MAJOR_ALLOCATED_WORDS].sum, d->counted.major_words),
	};
}

uint64_t figure_observed(const struct model *m, const struct model_domain *d, uint64_t from, uint64_t to)
{
	uint64_t lost;

	if (d->state == MODEL_DOMAIN_TERMINATED && d->last_ts < to)
		to = d->last_ts;
	if (d->known_from > from)
		from = d->known_from;
	uint64_t seen = figure_seen(m, from, to);
	(void)model_lost_time(m, d->domain, from, to, &lost);
	return seen > lost ? seen - lost : 0;
}

/* ---- the collector ---- */

struct figure_gc figure_gc_of(double gc_ns, double wait_ns, double observed_ns)
{
	double gc = figure_share(gc_ns, observed_ns);

	return (struct figure_gc){.gc = gc, .wait = gc_ns > 0 ? gc * fmin(wait_ns / gc_ns, 1) : gc};
}

struct figure_gc figure_gc_all(const struct model *m)
{
	double observed = 0;
	const struct model_totals t = model_totals(m);

	MODEL_FOREACH (d, m)
		observed += (double)d->observed_ns;
	return figure_gc_of((double)t.gc_ns, (double)t.wait_ns, observed);
}

struct figure_gc figure_gc(const struct model_domain *d)
{
	return figure_gc_of((double)d->gc_ns, (double)model_waited(d, d->wait_ns), (double)d->observed_ns);
}

double figure_class_share(const struct model_domain *d, enum rtev_phase_class class)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->phase_count; i++)
		if (class == RTEV_CLASS_IDLE)
			sum += d->phases[i].outside;
		else if (rtev_phase_class(d->phases[i].phase) == class)
			sum += d->phases[i].self - d->phases[i].outside;
	return figure_share((double)sum, (double)d->observed_ns);
}

double figure_phase_share(const struct model_domain *d, const struct model_phase *p)
{
	uint64_t all = 0;

	for (size_t i = 0; i < d->phase_count; i++)
		all = sum_saturating(all, d->phases[i].self - d->phases[i].outside);
	if (p->outside != 0 && p->self == p->outside)
		return NAN;
	return figure_share((double)(p->self - p->outside), (double)all);
}

/* Return how many spans of a phase there were, by events or memory. */
static uint64_t spans_counted(const struct model_domain *d, unsigned phase)
{
	return phase == RTEV_PHASE_MINOR		    ? figure_counts(d).minors
	       : phase == RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS ? figure_counts(d).majors
							    : d->phases[phase].count;
}

uint64_t figure_collections(const struct model *m, rtev_phase phase)
{
	uint64_t most = 0;

	MODEL_FOREACH (d, m) {
		const uint64_t count = spans_counted(d, phase);
		most = count > most ? count : most;
	}
	return most;
}

/* ---- domains ---- */

unsigned figure_domains(const struct model *m, bool over)
{
	unsigned seen = 0;
	const struct model_totals t = model_totals(m);

	if (!over && !t.over)
		return t.running;

	MODEL_FOREACH (d, m)
		seen += d->seen;
	return seen;
}

uint64_t figure_since(const struct model *m)
{
	uint64_t since = UINT64_MAX;
	const struct model_totals t = model_totals(m);

	MODEL_FOREACH (d, m)
		if (d->seen && d->known_from < since)
			since = d->known_from;
	/* A reset is later than any begin; an attach that is earlier lay within the history in the rings. */
	return t.was_reset && t.since_ts > since ? t.since_ts : since;
}

/* ---- means ---- */

/* Return whether memory counts it, too. */
static bool memory_counts(enum figure_count what, unsigned number)
{
	if (what == FIGURE_SPANS)
		return number == RTEV_PHASE_MINOR || number == RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS;
	return what == FIGURE_SUM &&
	       (number == RTEV_COUNTER_MINOR_ALLOCATED || number == RTEV_COUNTER_MINOR_PROMOTED);
}

/* Return what has been counted of a domain. */
static double counted(const struct model_domain *d, enum figure_count what, unsigned number)
{
	switch (what) {
	case FIGURE_SPANS:
		return (double)spans_counted(d, number);
	case FIGURE_VALUES:
		return (double)d->counters[number].count;
	case FIGURE_SUM:
		return fmax((double)(number == RTEV_COUNTER_MINOR_ALLOCATED  ? figure_counts(d).allocated
				     : number == RTEV_COUNTER_MINOR_PROMOTED ? figure_counts(d).promoted
									     : d->counters[number].sum),
		    0);
	default:
		return (double)d->events;
	}
}

struct figure_mean figure_mean(
    const struct model *m, enum figure_count what, unsigned number, uint64_t least_ns)
{
	struct figure_mean mean = {0, 0};
	double most = 0;
	const struct model_totals t = model_totals(m);

	/* A target that records no events, and whose memory does not tell, may do anything. */
	if (!t.seen && model_silent(m))
		return (struct figure_mean){(double)NAN, (double)NAN};
	uint64_t to = t.now > t.last_ts ? t.now : t.last_ts, since = figure_since(m);
	MODEL_FOREACH (d, m) {
		double count = counted(d, what, number);
		if (count == 0)
			continue;
		const uint64_t from = d->born || d->known_from < since ? since : d->known_from;
		uint64_t seen =
		    memory_counts(what, number) ? figure_counted(m, from, to) : figure_seen(m, from, to);
		double rate = seen >= least_ns ? figure_rate(count, seen) : (double)NAN;
		if (isnan(rate))
			return (struct figure_mean){(double)NAN, (double)NAN};
		mean.sum += rate;
		if (count > most) {
			most = count;
			mean.most = rate;
		}
	}
	return mean;
}

/* ---- distributions ---- */

uint64_t figure_up_to(const struct hist *h, double bound)
{
	struct hist_bucket bin;
	unsigned position = 0;
	uint64_t count = 0;

	while (hist_next(h, &position, &bin) && ((double)bin.low + (double)bin.high) / 2 <= bound)
		count += bin.count;
	return count;
}

double figure_heap_growth(const struct model *m)
{
	size_t count;
	const struct model_level *sizes = model_sizes(m, &count);
	const struct model_level *end = sizes + count, *last = end - 1, *first = last;

	if (count < 2 || figure_end(m) > last->ts + MODEL_LEVEL_OLD_NS)
		return NAN;
	while (first > sizes && last->ts - first[-1].ts <= GROWTH_MOST_NS)
		first--;
	const uint64_t span = last->ts - first->ts;
	if (span < GROWTH_LEAST_NS)
		return NAN;
	/* Between cycles a heap goes up and down: its lows tell, if each lies where growth would have it. */
	const struct model_level *lows[GROWTH_PARTS] = {NULL}, *before = first;
	for (const struct model_level *at = first; at < end; at++) {
		const struct model_level **low = &lows[(at->ts - first->ts) * GROWTH_PARTS / (span + 1)];
		if (*low == NULL || at->words < (*low)->words)
			*low = at;
	}
	const struct model_level *early = lows[0], *late = lows[GROWTH_PARTS - 1];
	const double grown = late->words - early->words;
	for (unsigned i = 0; i < GROWTH_PARTS; i++) {
		if (lows[i] == NULL)
			continue;
		if (i > 0 &&
		    copysign(1, grown) * (lows[i]->words - before->words) < -GROWTH_DIP * fabs(grown))
			return NAN;
		before = lows[i];
	}
	/* A step of the heap, long ago, is not growth that goes on. */
	const struct model_level *half = lows[GROWTH_PARTS / 2];
	if (fabs(grown) * WORD_BYTES < GROWTH_LEAST_BYTES ||
	    (half != NULL && fabs(late->words - half->words) < GROWTH_DIP * fabs(grown)))
		return 0;
	const double minute = grown / (double)(late->ts - early->ts) * 60e9;
	return fabs(minute) >= GROWTH_LEAST * last->words ? minute * WORD_BYTES : (double)NAN;
}

double figure_fibers(const struct fibers *f)
{
	struct fiber_totals t = {0};

	if (f != NULL)
		t = fibers_totals(f);
	return t.alive_known ? (double)t.alive : (double)NAN;
}

uint64_t figure_end(const struct model *m)
{
	const struct model_totals t = model_totals(m);

	return t.now > t.last_ts ? t.now : t.last_ts;
}

/* The time up to which a domain's loop is observed: while the target pauses its events nothing is. */
static uint64_t loop_end(const struct model *m, unsigned domain)
{
	const struct model_domain *d = model_domain(m, domain);
	uint64_t end = figure_end(m);
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(m, &count);

	if (count > 0 && pauses[count - 1].to == UINT64_MAX && pauses[count - 1].from < end)
		end = pauses[count - 1].from;
	if (d != NULL && d->state == MODEL_DOMAIN_TERMINATED && d->last_ts < end)
		end = d->last_ts;
	return end;
}

bool figure_loop(const struct fibers *f, const struct model *m, unsigned domain, struct fiber_loop *out)
{
	return fibers_loop(f, domain, loop_end(m, domain), out);
}

void figure_columns(struct fibers *f, const struct model *m, unsigned domain, uint64_t t0, uint64_t width,
    unsigned count, struct fiber_column *out)
{
	fibers_columns(f, domain, loop_end(m, domain), t0, width, count, out);
}

size_t figure_longest_runs(
    struct fibers *f, const struct model *m, uint64_t from, uint64_t to, struct fiber_run *out, size_t max)
{
	size_t count = 0;

	for (unsigned i = 0; i < model_domains(m); i++)
		count = fibers_longest(f, i, from, to, loop_end(m, i), out, count, max);
	return count;
}

bool figure_late(struct fibers *f, const struct model *m, struct fiber_late *out, struct fiber_run *run)
{
	struct fiber_late late;
	struct fiber_run longest;
	bool found = false;

	for (unsigned i = 0; i < model_domains(m); i++) {
		if (!fibers_late(f, i, loop_end(m, i), &late, &longest) ||
		    (found && late.duration <= out->duration) || figure_end(m) - late.end > FIBERS_LATE_KEPT)
			continue;
		*out = late;
		*run = longest;
		run->domain = i;
		found = true;
	}
	return found;
}

enum limit_level limit_level(enum limit limit, double value)
{
	static const struct {
		double attention, bad;
	} limits[LIMIT_COUNT] = {FIGURE_LIMITS(LIST_ROW)};

	if (isnan(value))
		return LEVEL_NONE;
	if (value <= 0 || value < limits[limit].attention)
		return LEVEL_GOOD;
	return value < limits[limit].bad ? LEVEL_ATTENTION : LEVEL_BAD;
}

/* ---- words written to the rings ---- */

/* Slots counted in one pass over all domains. */
#define SLOTS_AT_ONCE 4096

/* Words of a record: header, stamp, payload. */
enum { WORDS_PLAIN = 2, WORDS_VALUE = 3, WORDS_ALLOC = 2 + RTEV_ALLOC_BUCKETS };

/* Add the words of one source, whose name has at most `size` bytes. */
static void add(struct traffic *t, const char *name, size_t size, uint64_t words)
{
	t->all += words;
	if (words <= t->words)
		return;
	t->words = words;
	size = strnlen(name, size);
	const char *quote = shown_quote(name, size);
	snprintf(t->name, sizeof(t->name), "%s%.*s%s", quote, (int)size, name, quote);
}

/* Add the phases, counters and allocation records of all domains. */
static void add_runtime(const struct model *m, const struct model_totals *totals, struct traffic *t)
{
	char name[RTEV_NAME_SIZE];
	struct model_phase phase;
	struct model_counter counter;

	for (unsigned p = 0; p < RTEV_PHASE_COUNT; p++) {
		model_phase_total(m, (rtev_phase)p, &phase);
		add(t, rtev_phase_name((rtev_phase)p, name), sizeof(name),
		    (2 * phase.count + phase.open) * WORDS_PLAIN);
	}
	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		model_counter_total(m, (rtev_counter)c, &counter);
		add(t, rtev_counter_name((rtev_counter)c, name), sizeof(name), counter.count * WORDS_VALUE);
	}
	add(t, "alloc", sizeof(name), totals->alloc_events * WORDS_ALLOC);
}

/* Return the words that the user events of a domain in one slot took. */
static uint64_t user_words(enum model_user_kind kind, const struct model_user_volume *u)
{
	switch (kind) {
	case MODEL_USER_SPAN:
		return (2 * u->count + u->open) * WORDS_PLAIN;
	case MODEL_USER_INT:
		return u->count * WORDS_VALUE;
	case MODEL_USER_CUSTOM:
		/* All strings are assumed to be as long as the latest. */
		return u->count * (WORDS_PLAIN + (u->len + 8) / 8);
	default:
		return u->count * WORDS_PLAIN;
	}
}

/* Add the user events of the slots [first, end).  The outer loop is over domains, because most of them use
 * few slots. */
static void add_users(const struct model *m, size_t first, size_t end, struct traffic *t)
{
	uint64_t words[SLOTS_AT_ONCE] = {0};
	struct model_user_volume u;

	for (unsigned d = 0; d < model_domains(m); d++)
		for (size_t i = model_user_next(m, d, first); i < end; i = model_user_next(m, d, i + 1))
			if (model_user_volume(m, d, i, &u))
				words[i - first] += user_words(model_user_slot(m, i)->kind, &u);
	for (size_t i = first; i < end; i++) {
		const struct model_user_slot *slot = model_user_slot(m, i);
		add(t, slot->name, slot->name_len, words[i - first]);
	}
}

struct traffic traffic_read(const struct model *m, uint64_t ring_words)
{
	struct traffic out = {0};
	const struct model_totals totals = model_totals(m);
	add_runtime(m, &totals, &out);
	size_t slots = model_user_slots(m);
	for (size_t first = 0; first < slots; first += SLOTS_AT_ONCE)
		add_users(m, first, slots - first < SLOTS_AT_ONCE ? slots : first + SLOTS_AT_ONCE, &out);
	MODEL_FOREACH (d, m)
		if (d->lost_most > out.lost_most)
			out.lost_most = d->lost_most;
	if (out.lost_most == 0 || ring_words == 0)
		return out;
	uint64_t room = sum_saturating(ring_words, out.lost_most);
	while (out.exponent < 63 && UINT64_C(1) << out.exponent < room)
		out.exponent++;
	return out;
}

void traffic_remedy(const struct traffic *t, char *buf, size_t size)
{
	buf[0] = '\0';
	if (t->exponent > TRAFFIC_EXPONENT_MAX)
		snprintf(buf, size, "no ring that OCaml makes would have held them");
	else if (t->exponent > 0)
		snprintf(buf, size, "OCAMLRUNPARAM=e=%u would have held them", t->exponent);
}
