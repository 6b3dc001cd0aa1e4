/*
 * heap_growth.c - the live heap grows steadily from cycle to cycle: a leak, or an unbounded cache.
 *
 * A line is fitted to the live words at the ends of major cycles.  It is believed in three cases:
 *   over minutes   All cycles since the begin lie on it, at least LONG_CYCLES over LONG_NS or longer.
 *   half a minute  Each of three cycles or more, over MID_NS or longer, has left more than the one before, MID_BYTES
 *                  and a fifth in all, and so says the size of the heap where memory tells it.
 *   over seconds   The cycles of the last SHORT_WINDOW_NS lie on it closely: its slope is SHORT_CERTAIN times
 *                  its standard error, which with 4 degrees of freedom chance brings about once in a thousand
 *                  times; the heap has doubled, and still grows.  A program that loads its data looks the
 *                  same, so the finding says that, is never serious, and is gone soon after the growth has
 *                  stopped; and so does a heap that fills up to what o allows, but its growth slows down.
 * Cycles become rarer as the heap grows: the next one is expected after 1 + o/100 times the live words at
 * most.
 *
 * A program that ends within a minute of its start is not judged: a formatter of code grew by 108 MB a second, and was done.
 *
 * Memprof, and with it memtrace, is not available in 5.0 to 5.2 (CHANGES of 5.3).
 */
#include "advice/rule.h"
#include "figures/figures.h"

#define LONG_CYCLES 8
#define LONG_NS 300000000000u
#define GROWTH 0.2
#define FIT 0.9 /* r squared */
#define FIT_HELD 0.8
#define SHORT_CYCLES 6
#define SHORT_NS 5000000000u
#define SHORT_WINDOW_NS 60000000000u
#define SHORT_FIT 0.98
#define SHORT_FIT_HELD 0.9
#define SHORT_CERTAIN 10.0
#define SHORT_GROWTH 1.0
#define SHORT_LATER 0.9 /* of the slope: least slope of the last cycles */
#define SHORT_BYTES (32.0 * 1024 * 1024)
#define SHORT_SILENT 1.25 /* no cycle for this many times the expected time: growth may have stopped */
#define SHORT_SILENT_HELD 3.0
#define MID_CYCLES 3
#define MID_NS 30000000000u
#define MID_BYTES (16.0 * 1024 * 1024)
#define SOON_S 86400
#define BRIEF_NS 60000000000u

/* A line fitted to the live words: its slope in words per second, the slope's standard error, and the quality
 * of the fit. */
struct line {
	double slope, error, fit, first, last;
	size_t count;
	uint64_t ns; /* from the first to the last cycle */
};

/* Fit a line to the cycles from a number on. */
static struct line line_fit(const struct evidence *e, size_t from)
{
	double n = (double)(e->cycle_count - from), st = 0, sv = 0, stt = 0, svv = 0, stv = 0;
	struct line line = {.count = e->cycle_count - from};

	if (line.count < 3)
		return line;
	line.ns = e->cycles[e->cycle_count - 1].ts - e->cycles[from].ts;
	for (size_t i = from; i < e->cycle_count; i++) {
		double t = (double)(e->cycles[i].ts - e->cycles[from].ts) / 1e9;
		double v = (double)(e->cycles[i].live + e->cycles[i].large);
		st += t;
		sv += v;
		stt += t * t;
		svv += v * v;
		stv += t * v;
	}
	double tt = stt - st * st / n, vv = svv - sv * sv / n, tv = stv - st * sv / n;
	if (tt <= 0 || vv <= 0)
		return line;
	line.slope = tv / tt;
	line.fit = tv * tv / (tt * vv);
	double rest = vv - line.slope * tv;
	line.error = rest > 0 ? sqrt(rest / (n - 2) / tt) : 0;
	line.first = (sv - line.slope * st) / n;
	line.last = line.first + line.slope * (double)line.ns / 1e9;
	return line;
}

/* Return whether a line over minutes shows growth. */
static bool grows_long(const struct line *line, bool held)
{
	return line->count >= LONG_CYCLES && line->ns >= LONG_NS && line->slope > 0 && line->first > 0 &&
	       line->fit >= (held ? FIT_HELD : FIT) && line->last >= (1 + bound(GROWTH, held)) * line->first;
}

/* Return the first cycle of the last seconds. */
static size_t short_from(const struct evidence *e)
{
	size_t i = e->cycle_count;

	while (i > 0 && (e->cycles[i - 1].ts > e->to || e->to - e->cycles[i - 1].ts <= SHORT_WINDOW_NS))
		i--;
	return i;
}

/* Return whether the last cycles of a line grow much less than the line does. */
static bool slows_down(const struct evidence *e, const struct line *line)
{
	const struct evidence_cycle *last = &e->cycles[e->cycle_count - 1], *from = last - 2;
	double grown = (double)(last->live + last->large) - (double)(from->live + from->large);

	return grown < SHORT_LATER * line->slope * (double)(last->ts - from->ts) / 1e9;
}

/* Return the time since the last cycle, divided by the expected time if the heap keeps growing: as many times
 * the last interval as that was of the one before. */
static double silent_for(const struct evidence *e)
{
	const struct evidence_cycle *last = &e->cycles[e->cycle_count - 1];
	double ns = (double)(last->ts - last[-1].ts), before = (double)(last[-1].ts - last[-2].ts);

	return e->to > last->ts
		   ? (double)(e->to - last->ts) / (ns > before && before > 0 ? ns * ns / before : ns)
		   : 0;
}

/* Return whether all cycles from a number on, to which the line was fitted, have left more than the one
 * before. */
static bool grows_midway(const struct evidence *e, const struct line *line, size_t from, bool held)
{
	const double grown = line->slope * (double)line->ns / 1e9, size = figure_heap_growth(e->model);

	if (line->count < MID_CYCLES || line->ns < MID_NS || grown * 8 < bound(MID_BYTES, held) ||
	    grown < bound(GROWTH, held) * (line->last - grown) || size <= 0)
		return false;
	for (size_t i = from + 1; i < e->cycle_count; i++)
		if (e->cycles[i].live + e->cycles[i].large <= e->cycles[i - 1].live + e->cycles[i - 1].large)
			return false;
	return !slows_down(e, line) && silent_for(e) <= (held ? SHORT_SILENT_HELD : SHORT_SILENT);
}

/* Return whether a line over seconds shows growth that continues. */
static bool grows_short(const struct evidence *e, const struct line *line, bool held)
{
	if (line->count < SHORT_CYCLES || line->ns < SHORT_NS || line->slope <= 0)
		return false;
	double grown = line->slope * (double)line->ns / 1e9;
	if (slows_down(e, line))
		return false;
	return line->fit >= (held ? SHORT_FIT_HELD : SHORT_FIT) &&
	       line->slope >= bound(SHORT_CERTAIN, held) * line->error &&
	       grown * 8 >= bound(SHORT_BYTES, held) &&
	       grown >= bound(SHORT_GROWTH, held) * (line->last - grown) &&
	       silent_for(e) <= (held ? SHORT_SILENT_HELD : SHORT_SILENT);
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	struct line line = line_fit(e, 0);
	const struct model_totals t = model_totals(e->model);
	uint64_t memory, resident;

	if ((t.stopped || e->ended) && e->to - t.first_ts < BRIEF_NS)
		return VERDICT_EARLY;
	bool slow = grows_long(&line, held);
	out->lasting = slow;
	if (!slow) {
		bool enough = line.count >= LONG_CYCLES && line.ns >= LONG_NS;
		size_t from = short_from(e);
		line = line_fit(e, from);
		out->lasting = grows_midway(e, &line, from, held);
		if (!out->lasting && !grows_short(e, &line, held))
			return enough ? VERDICT_NO : VERDICT_EARLY;
	}
	out->grows = true;
	double rate = line.slope * 8;
	bool memprof = e->release != RTEV_RELEASE_5_0 && e->release != RTEV_RELEASE_5_1 &&
		       e->release != RTEV_RELEASE_5_2;
	out->confidence = slow ? ADVICE_MEASURED : ADVICE_ESTIMATED;
	out->bytes = (line.last - (line.first > 0 ? line.first : 0)) * 8;
	figure(out, "growth", rate, ADVICE_UNIT_BYTE_RATE);
	figure(out, "error", line.error * 8, ADVICE_UNIT_BYTE_RATE);
	figure(out, "fit_r2", line.fit, ADVICE_UNIT_SHARE);
	figure(out, "cycles", (double)line.count, ADVICE_UNIT_COUNT);
	figure(out, "over", (double)line.ns / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "live", line.last * 8, ADVICE_UNIT_BYTES);
	if (evidence_memory(e, &memory) && evidence_gauge(e, SYSTEM_RESIDENT, &resident) &&
	    memory > resident) {
		double left = (double)(memory - resident) / rate;
		figure(out, "until_memory_is_used_up", left, ADVICE_UNIT_SECONDS);
		out->severity = slow && left < SOON_S ? ADVICE_SERIOUS : ADVICE_HINT;
	}
	finding_say(out, "heap grows: %s live, +%s/min for %s" SAY_MORE(", %s"),
	    format_figure(UNIT_BYTES, line.last * 8).s, format_figure(UNIT_BYTES, rate * 60).s,
	    format_age(line.ns / 1000000000).s,
	    slow ? "evenly, as by a leak or an unbounded cache"
		 : "as by a leak, an unbounded cache, or data that it still loads");
	advise(out, "%s: %s", slow ? "To find the cause" : "If it goes on",
	    memprof
		? "run it with the library memtrace, and see in rtevtop memtrace FILE.ctf what stays alive."
		: "build it with OCaml 4.14 or 5.3, as memtrace does not run on 5.0 to 5.2, and see in "
		  "rtevtop memtrace FILE.ctf what stays alive.");
	return VERDICT_YES;
}

const struct rule rule_heap_growth = {.name = "heap_growth",
    .question = "Does the live heap grow without bound?",
    .needs = NEEDS_GAUGES | BY_COUNTERS,
    .early = "fewer than 8 major cycles, or less than 5 minutes",
    .unmet = "the heap at the end of cycles does not grow steadily",
    .judge = judge};
