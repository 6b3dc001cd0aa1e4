/*
 * stats_text.c - print what a model holds as a report for people.
 */
#include "app/commands/stats_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/commands/stats_findings.h"
#include "app/commands/stats_system.h"
#include "app/user_keys.h"
#include "watch/blame.h"

/* The percentiles of pauses: label, and the rank as a fraction. */
static const struct {
	const char *label;
	unsigned num, den;
} percentiles[] = {
    {"p50", 50, 100},
    {"p90", 90, 100},
    {"p99", 99, 100},
    {"p99.9", 999, 1000},
};
enum { PERCENTILES = sizeof(percentiles) / sizeof(percentiles[0]) };

/* Print nanoseconds as a span of time a person reads, in eight columns. */
static void text_time(struct out *out, uint64_t ns)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1e9, "s "}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;

	while (i + 1 < sizeof(units) / sizeof(units[0]) && (double)ns < units[i].unit)
		i++;
	double value = (double)ns / units[i].unit;
	out_format(out, " %7.*f%s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[i].name);
}

/* Print one of the times that a distribution holds, where it holds any: none is no time of nought. */
static void text_time_of(struct out *out, const struct hist *times, uint64_t ns)
{
	if (times->count != 0)
		text_time(out, ns);
	else
		out_format(out, " %9s", "-");
}

/* Print the counters of a domain as text: those whose values add up, or the levels. */
static void text_counters(struct out *out, const struct model_domain *d, bool levels)
{
	char name[RTEV_NAME_SIZE];
	bool head = false;

	for (size_t i = 0; i < d->counter_count; i++) {
		const struct model_counter *c = &d->counters[i];
		enum rtev_counter_kind kind = rtev_counter_kind(c->counter);
		bool level =
		    kind == RTEV_KIND_GAUGE || kind == RTEV_KIND_CUMULATIVE || kind == RTEV_KIND_TARGET;
		if (c->count == 0 || level != levels)
			continue;
		if (!head && levels)
			out_format(
			    out, "  %-32s %9s %20s %20s %20s\n", "level", "count", "last", "min", "max");
		else if (!head)
			out_format(out, "  %-32s %9s %20s %20s\n", "counter", "count", "sum", "last");
		head = true;
		out_format(out, "  %-32s %9" PRIu64 " %20" PRId64 " %20" PRId64,
		    rtev_counter_name(c->counter, name), c->count, levels ? c->last : c->sum,
		    levels ? c->min : c->last);
		if (levels)
			out_format(out, " %20" PRId64, c->max);
		out_char(out, '\n');
	}
}

/* Print one domain as text. */
static void text_domain(struct out *out, const struct model *m, const struct model_domain *d)
{
	char name[RTEV_NAME_SIZE];

	double gc = 100 * model_gc_share(d), waiting = 100 * model_wait_share(d);
	out_format(out, "\nDomain %u   GC %.2f %% = %.2f work + %.2f waiting\n", d->domain, gc, gc - waiting,
	    waiting);
	bool head = false;
	for (size_t i = 0; i < d->phase_count; i++) {
		const struct model_phase *p = &d->phases[i];
		if (p->count == 0)
			continue;
		if (!head)
			out_format(
			    out, "  %-32s %9s %9s %9s %9s\n", "phase", "count", "total", "self", "max");
		head = true;
		out_format(out, "  %-32s %9" PRIu64, rtev_phase_name(p->phase, name), p->count);
		text_time(out, p->total);
		text_time(out, p->self);
		text_time(out, p->max);
		out_char(out, '\n');
	}
	text_counters(out, d, false);
	text_counters(out, d, true);
	head = false;
	for (size_t slot = 0; slot < model_user_slots(m) && out->error == 0; slot++) {
		const struct model_user *u = model_user(m, d->domain, slot);
		const struct model_user_slot *what = model_user_slot(m, slot);
		if (u == NULL || (u->count == 0 && u->open == 0))
			continue;
		if (!head)
			out_text(out, "  user events\n");
		head = true;
		out_text(out, "    ");
		out_foreign(out, what->name, what->name_len);
		out_format(out, "  %s  %" PRIu64, user_kind_names[what->kind], u->count);
		if (what->kind == MODEL_USER_SPAN) {
			out_text(out, "  p50");
			text_time_of(out, &u->spans, hist_percentile(&u->spans, 50, 100));
			out_text(out, "  p99");
			text_time_of(out, &u->spans, hist_percentile(&u->spans, 99, 100));
			out_text(out, "  max");
			text_time_of(out, &u->spans, u->spans.max);
			out_format(out, "  open %" PRIu64, u->open);
		} else if (what->kind == MODEL_USER_INT) {
			out_format(out, "  last %" PRId64 "  min %" PRId64 "  max %" PRId64, u->last, u->min,
			    u->max);
		}
		out_char(out, '\n');
	}
}

/* Print whom a pause waited for, and which of the program's spans it was in, if that is known. */
static void text_blame(
    struct out *out, const struct model *m, const struct stw *stw, const struct model_worst *worst)
{
	char sentence[BLAME_TEXT];
	struct blame blame;

	bool blamed = blame_pause(stw, worst->domain, worst->ts, worst->ts + worst->duration, &blame);
	if (blame_text(blamed ? &blame : NULL, blame_hit(m, worst->user), m, sentence, sizeof(sentence)))
		out_format(out, "             %s\n", sentence);
}

void stats_print_text(struct out *out, const struct model *m, const struct stats_subject *subject)
{
	struct model_totals t;
	const struct hist *pauses = model_pauses(m);
	size_t count;
	const struct model_worst *worst = model_worst(m, &count);
	char name[RTEV_NAME_SIZE];

	model_totals(m, &t);
	if (subject->pid != 0)
		out_format(out, "%" PRId64 " ", subject->pid);
	out_foreign(out, subject->name, strlen(subject->name));
	out_format(out, "   OCaml %s (%s)   observed", subject->ocaml != NULL ? subject->ocaml : "unknown",
	    subject->ocaml_from);
	text_time(out, subject->duration_ns);
	out_format(out,
	    "\nevents %" PRIu64 "   lost words %" PRIu64 " (before: %" PRIu64 ")   spans dropped %" PRIu64
	    "   open %" PRIu64,
	    t.events, t.lost_words, t.history_lost_words, t.dropped, t.open);
	if (t.ignored != 0)
		out_format(out, "   ignored %" PRIu64 " (too many to keep apart)", t.ignored);
	out_char(out, '\n');
	out_format(out, "pauses %" PRIu64, pauses->count);
	for (int i = 0; i < PERCENTILES; i++) {
		out_format(out, "   %s", percentiles[i].label);
		text_time_of(out, pauses, hist_percentile(pauses, percentiles[i].num, percentiles[i].den));
	}
	out_text(out, "   max");
	text_time_of(out, pauses, pauses->max);
	out_char(out, '\n');
	text_system(out, subject->system);
	for (size_t i = 0; i < count; i++) {
		if (i == 0)
			out_text(out, "worst pauses\n");
		text_time(out, worst[i].duration);
		out_format(out, "  D%u  %s  at %" PRIu64 "\n", worst[i].domain,
		    rtev_phase_name(worst[i].phase, name), worst[i].ts);
		text_blame(out, m, subject->stw, &worst[i]);
	}
	for (unsigned i = 0; i < t.domains && out->error == 0; i++) {
		const struct model_domain *d = model_domain(m, i);
		if (d != NULL && d->seen)
			text_domain(out, m, d);
	}
	text_findings(out, subject->advice);
}
