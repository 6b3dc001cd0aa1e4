/*
 * heap_growth.c - the live heap grows steadily from cycle to cycle: a leak, or an unbounded cache.
 *
 * A line is fitted to the live words at the ends of major cycles.  Memprof, and with it memtrace, is not
 * available in 5.0 to 5.2 (CHANGES of 5.3).
 */
#include <math.h>

#include "advice/rule.h"

#define CYCLES 8
#define LEAST_NS 300000000000u
#define GROWTH 0.2
#define FIT 0.9 /* r squared */
#define FIT_HELD 0.8

/* A line fitted to the live words: its slope in words per second, and the quality of the fit. */
struct line {
	double slope, error, fit, first, last;
};

static struct line fit(const struct evidence *e)
{
	double n = (double)e->cycle_count, st = 0, sv = 0, stt = 0, svv = 0, stv = 0;
	struct line line = {0};

	for (size_t i = 0; i < e->cycle_count; i++) {
		double t = (double)(e->cycles[i].ts - e->cycles[0].ts) / 1e9;
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
	line.error = n > 2 ? sqrt((vv - line.slope * tv) / (n - 2) / tt) : 0;
	line.first = (sv - line.slope * st) / n;
	line.last =
	    line.first + line.slope * (double)(e->cycles[e->cycle_count - 1].ts - e->cycles[0].ts) / 1e9;
	return line;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t memory, resident;

	if (e->cycle_count < CYCLES || e->cycles[e->cycle_count - 1].ts - e->cycles[0].ts < LEAST_NS)
		return VERDICT_EARLY;
	struct line line = fit(e);
	if (line.slope <= 0 || line.fit < (held ? FIT_HELD : FIT) || line.first <= 0 ||
	    line.last < (1 + bound(GROWTH, held)) * line.first)
		return VERDICT_NO;
	double rate = line.slope * 8;
	bool memprof = e->release != RTEV_RELEASE_5_0 && e->release != RTEV_RELEASE_5_1 &&
		       e->release != RTEV_RELEASE_5_2;
	out->bytes = (line.last - line.first) * 8;
	figure(out, "growth", rate, ADVICE_UNIT_BYTE_RATE);
	figure(out, "error", line.error * 8, ADVICE_UNIT_BYTE_RATE);
	figure(out, "fit_r2", line.fit, ADVICE_UNIT_SHARE);
	figure(out, "live", line.last * 8, ADVICE_UNIT_BYTES);
	if (evidence_memory(e, &memory) && evidence_gauge(e, SYSTEM_RESIDENT, &resident) &&
	    memory > resident) {
		double left = (double)(memory - resident) / rate;
		figure(out, "until_memory_is_used_up", left, ADVICE_UNIT_SECONDS);
		out->severity = left < 86400 ? ADVICE_SERIOUS : ADVICE_HINT;
	}
	say(out, "What lives in the heap grows by %.3g MB a minute, evenly: a leak, or a cache without bound",
	    rate * 60 / 1e6);
	advise(out, "%s",
	    memprof
		? "See what stays alive: run it with memtrace, and look at FILE.ctf with rtevtop memtrace."
		: "See what stays alive: memtrace does not run on 5.0 to 5.2, so try with 4.14 or 5.3.");
	return VERDICT_YES;
}

const struct rule rule_heap_growth = {.name = "heap_growth",
    .question = "Does the live heap grow without bound?",
    .needs = NEEDS_GAUGES,
    .early = "fewer than 8 major cycles in 5 minutes",
    .judge = judge};
