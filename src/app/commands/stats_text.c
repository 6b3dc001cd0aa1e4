/*
 * stats_text.c - the text report: what ran, how much of it the collector took and why, and the findings.
 *
 * The report is TABLE_COLUMNS wide.  Values that add up are summed over the domains.  Levels are shown as
 * last, least and most, because their sum over time has no meaning.  Domains are printed side by side, in
 * blocks as wide as the report.
 */
#include "app/commands/stats_report.h"
#include "core/sum.h"
#include "figures/figures.h"
#include "target/ocaml_settings.h"
#include "watch/blame.h"

#define LABEL 19 /* columns before the domains */
enum { ABREAST = (TABLE_COLUMNS - LABEL) / 10 };
#define WORST_INSIDE 3
#define BLAME_INDENT 6
#define WORST_PHASE 16
#define WORST_LEFT (29 + WORST_PHASE) /* columns before what happened inside the pause */

struct formatted text_percentile(const struct hist *times, unsigned num, unsigned den)
{
	return format_figure(UNIT_NS, hist_figure(times, num, den));
}

/* ---- the process ---- */

/* Print the growth of a counter of nanoseconds, in seconds. */
static void text_seconds(
    struct out *out, const struct system_past *past, const char *label, enum system_value_id id)
{
	uint64_t value;

	const bool known = system_past_total(past, id, &value);
	out_format(out, "   %s %s", label, known ? format_duration(value).s : "-");
}

/* Print the line about the process. */
static void text_process(struct out *out, const struct stats_subject *subject)
{
	const struct system_past *past = subject->system;
	uint64_t user, system, cores, throttled, resident, limit, time;

	if (stats_cpu(subject, &user, &system, &time))
		out_format(out, "cpu %.2f", ((double)user + (double)system) / (double)time);
	else
		out_text(out, "cpu -");
	if (system_past_total(past, SYSTEM_CORES, &cores))
		out_format(out, " of %.4g core%s", (double)cores / 1000, cores == 1000 ? "" : "s");
	text_seconds(out, past, "waited for one", SYSTEM_WAIT);
	if (system_past_total(past, SYSTEM_THROTTLED, &throttled) && throttled > 0)
		out_format(out, "   throttled %s", format_duration(throttled).s);
	bool known = system_past_total(past, SYSTEM_RESIDENT, &resident);
	out_format(out, "   resident %s", known ? format_bytes(resident).s : "-");
	if (system_past_total(past, SYSTEM_MEMORY_LIMIT, &limit) && limit != SYSTEM_NO_LIMIT)
		out_format(out, " of %s", format_bytes(limit).s);
	out_char(out, '\n');
}

/* Print a line for the process, if a sample was taken or its end has told what it used, and one for the settings of its runtime. */
static void text_system(struct out *out, const struct stats_subject *subject)
{
	const struct system_past *past = subject->system;
	const struct ocaml_settings *settings = past != NULL ? system_past_settings(past) : NULL;

	if (past != NULL && (system_past_latest(past) != NULL || subject->command != NULL))
		text_process(out, subject);
	if (settings == NULL)
		return;
	out_text(out, "settings");
	for (unsigned i = 0; i < OCAML_SETTING_COUNT; i++) {
		const struct ocaml_setting *setting = &settings->of[i];
		/* A tweak that only memory tells was set by nobody. */
		const bool set = setting->from != OCAML_UNKNOWN && setting->from != OCAML_FROM_MEMORY;
		if (!stats_has_setting(i) || (i > OCAML_E && !set))
			continue;
		if (setting->from == OCAML_UNKNOWN)
			out_format(out, "   %s -", runparam_names[i].name);
		else
			out_format(out, "   %s=%s (%s)", runparam_names[i].name,
			    format_setting(setting->value).s, ocaml_origin_name(setting->from));
	}
	out_char(out, '\n');
}

/* ---- domains ---- */

/* Get the domains that were seen, after skipping the `first` ones.  Returns the number filled in. */
static unsigned domains_from(const struct model *m, unsigned first, const struct model_domain *out[ABREAST])
{
	unsigned seen = 0, found = 0;

	for (unsigned i = 0; i < model_domains(m) && found < ABREAST; i++) {
		const struct model_domain *d = model_domain(m, i);
		if (d != NULL && d->seen && seen++ >= first)
			out[found++] = d;
	}
	return found;
}

/* Return the sum of a counter of amounts, at least 0; NAN if no event told it. */
static double amount(bool told, int64_t sum)
{
	if (!told)
		return NAN;
	return sum > 0 ? (double)sum : 0;
}

/* Return whether events or memory tell what a domain allocates. */
static bool known_of(const struct model_domain *d)
{
	return d->counters[RTEV_COUNTER_MINOR_ALLOCATED].count != 0 || d->looked_at;
}

/* What a row of the table of domains shows. */
enum shows { STATE, OBSERVED, GC, WAITED, CLASS, PAUSES, P99, LONGEST, ALLOCATED, PROMOTED };

static const struct row {
	const char *label;
	enum shows shows;
	enum rtev_phase_class class; /* with CLASS */
} rows[] = {
    {.label = "", .shows = STATE},
    {.label = "observed", .shows = OBSERVED},
    {.label = "GC", .shows = GC},
    {.label = "  of it waiting", .shows = WAITED},
    {"  minor", CLASS, RTEV_CLASS_MINOR},
    {"  major", CLASS, RTEV_CLASS_MAJOR},
    {"  mark", CLASS, RTEV_CLASS_MARK},
    {"  sweep", CLASS, RTEV_CLASS_SWEEP},
    {"  stop-the-world", CLASS, RTEV_CLASS_STW},
    {"  compaction", CLASS, RTEV_CLASS_COMPACTION},
    {"  explicit", CLASS, RTEV_CLASS_EXPLICIT},
    {"waiting, no GC", CLASS, RTEV_CLASS_IDLE},
    {.label = "pauses", .shows = PAUSES},
    {.label = "  p99", .shows = P99},
    {.label = "  longest", .shows = LONGEST},
    {.label = "allocated", .shows = ALLOCATED},
    {.label = "promoted", .shows = PROMOTED},
};

/* Return the cell of a domain in a row.  *zero is set when the value alone does not justify printing the row. */
static struct formatted row_cell(const struct model_domain *d, const struct row *row, bool *zero)
{
	double share;

	*zero = false;
	/* Memory tells the amount allocated, but no durations. */
	if (d->looked_at && d->events == 0 && (row->shows == OBSERVED || row->shows == PAUSES))
		return format_unknown();
	switch (row->shows) {
	case STATE:
		return format_said("D%u%s", d->domain, d->state == MODEL_DOMAIN_TERMINATED ? " ended" : "");
	case OBSERVED:
		return format_duration(d->observed_ns);
	case GC:
		return plain_share(figure_gc(d).gc);
	case WAITED:
		share = figure_gc(d).wait;
		*zero = !(share > 0);
		return plain_share(share);
	case PAUSES:
		return plain_count(d->pauses.count);
	case P99:
		return text_percentile(&d->pauses, 99, 100);
	case LONGEST:
		return text_percentile(&d->pauses, 1, 1);
	case ALLOCATED:
		return format_figure(UNIT_BYTES, amount(known_of(d), figure_counts(d).allocated));
	case PROMOTED:
		/* Without a share, because a domain also promotes for others. */
		return format_figure(UNIT_BYTES, amount(known_of(d), figure_counts(d).promoted));
	default:
		share = figure_class_share(d, row->class);
		*zero = !(share > 0);
		return plain_share(share);
	}
}

/* Print a row for some domains; rows without any value are left out. */
static void text_row(
    struct out *out, const struct model_domain *const *domains, unsigned count, const struct row *row)
{
	bool all_zero = true, zero;

	for (unsigned i = 0; i < count; i++) {
		row_cell(domains[i], row, &zero);
		all_zero &= zero;
	}
	if (all_zero)
		return;
	out_format(out, "%-*s", LABEL, row->label);
	for (unsigned i = 0; i < count; i++)
		table_cell(out, 10, row_cell(domains[i], row, &zero).s);
	out_char(out, '\n');
}

static void text_domains(struct out *out, const struct model *m)
{
	const struct model_domain *domains[ABREAST];
	unsigned first = 0, count;

	while ((count = domains_from(m, first, domains)) > 0 && out->error == 0) {
		out_char(out, '\n');
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			text_row(out, domains, count, &rows[i]);
		first += count;
	}
}

/* ---- collections ---- */

/* Print a cause of collections with its count and mean rate, unless there was none. */
static void text_cause(struct out *out, const char *name, uint64_t count, double rate)
{
	if (count != 0)
		out_format(out, "  %-40s %9s %11s\n", name, plain_count(count).s, format_rate(rate).s);
}

/* Print the collections of a kind that all domains take part in, even if there were none. */
static void text_shared(
    struct out *out, const struct model *m, const char *name, rtev_phase phase, bool known)
{
	out_format(out, "  %-40s %9s %11s\n", name,
	    known ? plain_count(figure_collections(m, phase)).s : format_unknown().s,
	    format_rate(known ? figure_mean(m, FIGURE_SPANS, phase, 0).most : (double)NAN).s);
}

static void text_collections(struct out *out, const struct model *m, bool known)
{
	struct model_counter counter;
	struct model_phase phase;
	char name[RTEV_NAME_SIZE];

	MODEL_FOREACH (d, m)
		known |= known_of(d);
	out_text(out, "\ncollections\n");
	text_shared(out, m, "minor collections", RTEV_PHASE_MINOR, known);
	text_shared(out, m, "major cycles", RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS, known);
	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		if (rtev_counter_kind((rtev_counter)c) != RTEV_KIND_MARKER)
			continue;
		model_counter_total(m, (rtev_counter)c, &counter);
		text_cause(out, rtev_counter_name((rtev_counter)c, name), counter.count,
		    figure_mean(m, FIGURE_VALUES, c, 0).sum);
	}
	for (unsigned p = 0; p < RTEV_PHASE_COUNT; p++) {
		if (rtev_phase_class((rtev_phase)p) != RTEV_CLASS_EXPLICIT)
			continue;
		model_phase_total(m, (rtev_phase)p, &phase);
		text_cause(out, rtev_phase_name((rtev_phase)p, name), phase.count,
		    figure_mean(m, FIGURE_SPANS, p, 0).sum);
	}
}

/* ---- pauses ---- */

/* Print which phases took most of a pause, the pause's own among them. */
static void text_inside(struct out *out, const struct model_worst *w, int room)
{
	struct model_phase parts[MODEL_INSIDE_MAX + 1];
	const size_t count = model_pause_parts(w->phase, w->self, w->inside, w->inside_count, parts);
	char name[RTEV_NAME_SIZE];
	int used = 0;

	for (size_t n = 0; n < WORST_INSIDE && n < count; n++) {
		const struct model_phase *most = &parts[n];
		if (most->self * 20 < w->duration)
			break;
		char text[96];
		int length = snprintf(text, sizeof(text), "%s%s %s", used > 0 ? ", " : "",
		    rtev_phase_name(most->phase, name), format_duration(most->self).s);
		if (used + length > room)
			break;
		out_foreign(out, text, (size_t)length);
		used += length;
	}
}

/* Print which domain a pause waited for, and the user span around it, if known. */
static void text_blame(struct out *out, const struct model *m, const struct stats_subject *subject,
    const struct model_worst *worst)
{
	const struct stw *stw = subject->stw;
	char sentence[BLAME_TEXT], code[BLAME_TEXT];
	struct blame blame;
	uint64_t most;

	if (blame_unserved(subject->system, worst->ts, worst->ts + worst->duration, &most))
		out_format(out, "%*sat most %s of it without a processor\n", BLAME_INDENT, "",
		    format_duration(most).s);
	bool blamed = blame_pause(stw, worst->domain, worst->ts, worst->ts + worst->duration, &blame);
	if (!blame_text(blamed ? &blame : NULL, blame_hit(m, worst->user), m, sentence, sizeof(sentence)))
		return;
	out_format(out, "%*s", BLAME_INDENT, "");
	table_wrap(out, sentence, BLAME_INDENT, BLAME_INDENT);
	if (blamed && blame_code(&blame, subject->code, code, sizeof(code))) {
		out_format(out, "%*s", BLAME_INDENT, "");
		table_wrap(out, code, BLAME_INDENT, BLAME_INDENT);
	}
}

/* Print the pauses: percentiles, and the longest ones with their parts. */
static void text_pauses(
    struct out *out, const struct model *m, const struct stats_subject *subject, uint64_t begin)
{
	static const struct {
		const char *label;
		unsigned num, den;
	} percentiles[] = {
	    {"p50", 50, 100}, {"p90", 90, 100}, {"p99", 99, 100}, {"p99.9", 999, 1000}, {"max", 1, 1}};
	const struct hist *pauses = model_pauses(m);
	size_t count;
	const struct model_worst *worst = model_worst(m, &count);
	char name[RTEV_NAME_SIZE];

	out_format(out, "\npauses %s", plain_count(pauses->count).s);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		out_format(out, "   %s %s", percentiles[i].label,
		    text_percentile(pauses, percentiles[i].num, percentiles[i].den).s);
	out_char(out, '\n');
	if (count > 0)
		out_format(out, "  %8s %10s %-5s %-*s %s\n", "longest", "begins at", "on", WORST_PHASE,
		    "phase", "of it");
	for (size_t i = 0; i < count; i++) {
		uint64_t at = worst[i].ts > begin ? worst[i].ts - begin : 0;
		const char *phase = rtev_phase_name(worst[i].phase, name);
		int longer = (int)strlen(phase) - WORST_PHASE;
		table_cell(out, 10, format_duration(worst[i].duration).s);
		out_format(out, " %9.3fs %-5s %-*s ", (double)at / 1e9, format_said("D%u", worst[i].domain).s,
		    WORST_PHASE, phase);
		text_inside(out, &worst[i], TABLE_COLUMNS - WORST_LEFT - (longer > 0 ? longer : 0));
		out_char(out, '\n');
		if (subject->stw != NULL)
			text_blame(out, m, subject, &worst[i]);
	}
}

/* ---- memory ---- */

/* Print a level: the sum of the last values of the domains that still have their heap, and the least and the
 * most of any domain. */
static void text_level(struct out *out, const struct model *m, rtev_counter counter)
{
	char name[RTEV_NAME_SIZE];
	double last = NAN, least = 0, most = 0;
	bool words = rtev_counter_unit(counter) == RTEV_UNIT_WORDS, any = false;

	MODEL_FOREACH (d, m) {
		const struct model_counter *c = &d->counters[counter];
		if (c->count == 0)
			continue;
		if (model_heap_stands(m, d))
			last = isnan(last) ? (double)c->last : last + (double)c->last;
		least = !any || (double)c->min < least ? (double)c->min : least;
		most = !any || (double)c->max > most ? (double)c->max : most;
		any = true;
	}
	if (!any)
		return;
	const double values[] = {last, least, most};
	out_format(out, "  %-30s", rtev_counter_name(counter, name));
	for (int i = 0; i < 3; i++)
		out_format(out, " %11s",
		    words || isnan(values[i]) ? format_figure(UNIT_BYTES, values[i] * 8).s
					      : plain_count(whole_saturating(values[i])).s);
	out_char(out, '\n');
}

/* Print the heap, with its growth if known, and with its age if it is old. */
static void text_heap(struct out *out, const struct model *m)
{
	const struct model_level heap = model_level(m, HEAP_SIZE);
	const struct formatted growth = format_growth(figure_heap_growth(m));
	const uint64_t end = figure_end(m);

	if (isnan(heap.words))
		return;
	out_format(out, "  heap %s%s%s", format_figure(UNIT_BYTES, heap.words * 8).s,
	    growth.s[0] != '\0' ? ", " : "", growth.s);
	out_format(out, "%s\n", format_ago(end > heap.ts ? end - heap.ts : 0, MODEL_LEVEL_OLD_NS).s);
}

/* Print the allocation and the levels of the heap. */
static void text_memory(struct out *out, const struct model *m)
{
	struct model_counter major;
	int64_t allocated = 0, promoted = 0;
	bool head = false, told = false;

	MODEL_FOREACH (d, m) {
		told |= known_of(d);
		allocated = sum_wrapping(allocated, figure_counts(d).allocated);
		promoted = sum_wrapping(promoted, figure_counts(d).promoted);
	}
	model_counter_total(m, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS, &major);
	double bytes = amount(told, allocated), kept = amount(told, promoted);
	out_format(out, "\nmemory\n  allocated %s", format_figure(UNIT_BYTES, bytes).s);
	double rate = figure_mean(m, FIGURE_SUM, RTEV_COUNTER_MINOR_ALLOCATED, 0).sum;
	if (!isnan(rate) && !isnan(bytes))
		out_format(out, ", %s/s", format_figure(UNIT_BYTES, rate).s);
	/* If far more was promoted than allocated, some allocation was not told. */
	double part = kept < 1.1 * bytes ? figure_share(kept, bytes) : (double)NAN;
	out_format(out, "   promoted %s (%s)", format_figure(UNIT_BYTES, kept).s, plain_share(part).s);
	double straight = (double)major.sum * 8 - (double)promoted;
	if (major.count != 0 && straight > 0)
		out_format(out, "   straight in the major heap %s", format_figure(UNIT_BYTES, straight).s);
	out_char(out, '\n');
	text_heap(out, m);
	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		if (rtev_counter_kind((rtev_counter)c) != RTEV_KIND_GAUGE)
			continue;
		struct model_counter total;
		model_counter_total(m, (rtev_counter)c, &total);
		if (total.count != 0 && !head)
			out_format(out, "  %-30s %11s %11s %11s\n", "as events told", "last, all",
			    "least of 1", "most of 1");
		head |= total.count != 0;
		text_level(out, m, (rtev_counter)c);
	}
}

/* ---- the report ---- */

/* Say that the process ran several programs while it was observed. */
static void text_programs(struct out *out, const struct model_totals *t, uint64_t until)
{
	if (t->restarts == 0)
		return;
	out_format(out,
	    "%" PRIu64 " programs ran in this process one after another: the figures cover all of them",
	    t->restarts + 1);
	if (t->restart_ts != 0 && t->restart_ts < until)
		out_format(out, "; the last ran for %s", format_duration(until - t->restart_ts).s);
	out_char(out, '\n');
}

/* Print the name of the program, and how much of it was observed. */
static void text_head(struct out *out, const struct model_totals *t, const struct stats_subject *subject)
{
	const char *ocaml = subject->ocaml != NULL ? subject->ocaml : "unknown";

	if (subject->pid != 0)
		out_format(out, "%" PRId64 " ", subject->pid);
	out_line(out, "%s   OCaml %s (%s)   observed %s", subject->name, ocaml, subject->ocaml_from,
	    format_duration(subject->duration_ns).s);
	out_format(out, "events %s   spans dropped %s   open %s", plain_count(t->events).s,
	    plain_count(t->dropped).s, plain_count(t->open).s);
	if (t->ignored != 0)
		out_format(out, "   ignored %s (too many different ones)", plain_count(t->ignored).s);
	out_char(out, '\n');
	text_programs(out, t, t->now > t->last_ts ? t->now : t->last_ts);
	const char *verdict = headline_verdict_name(subject->headline), *text = subject->headline->text;
	char sentence[HEADLINE_TEXT + 16];
	/* A small finding is no trouble, but "healthy: a leak" would contradict itself.  The sentence of a
	 * healthy target says so itself. */
	if (headline_verdict(subject->headline) == 0 && subject->headline->name != NULL)
		verdict = "note";
	snprintf(sentence, sizeof(sentence), "%s: %s", verdict != NULL ? verdict : "no verdict",
	    strncmp(text, "healthy: ", 9) == 0 ? text + 9 : text);
	table_wrap(out, sentence, 0, 2);
}

/* Print what was lost. */
static void text_losses(struct out *out, const struct model *m, const struct model_totals *t)
{
	out_format(out, "\nlost %s words while observed, %s before\n", plain_count(t->lost_words).s,
	    plain_count(t->history_lost_words).s);
	if (t->lost_words != 0)
		out_text(
		    out, "  counts, sums and maxima are lower bounds, percentiles are of what was seen\n");
	for (unsigned i = 0; i < t->domains && out->error == 0; i++) {
		const struct model_domain *d = model_domain(m, i);
		if (d != NULL && (d->lost_words != 0 || d->corrupt_words != 0))
			out_format(out, "  D%u: %s lost, %s at most at once; %s corrupt\n", d->domain,
			    plain_count(d->lost_words).s, plain_count(d->lost_most).s,
			    plain_count(d->corrupt_words).s);
	}
}

bool stats_print_text(struct out *out, const struct model *m, const struct stats_subject *subject)
{
	const struct model_totals t = model_totals(m);
	uint64_t most;

	text_head(out, &t, subject);
	text_system(out, subject);
	text_runtime(out, subject);
	text_domains(out, m);
	text_collections(out, m, !subject->eventless);
	if (!subject->eventless)
		text_pauses(
		    out, m, subject, t.since_ts != 0 && t.since_ts < t.first_ts ? t.since_ts : t.first_ts);
	if (subject->paths != NULL && !subject->eventless) {
		text_tree(out, subject->paths, subject->full);
		/* The time in phases is no more certain than that the domains ran during them. */
		if (stats_unserved(m, subject, &most) && most > 0 && most >= t.gc_ns / 2)
			out_format(out, "  at most %s of it without a processor\n", format_duration(most).s);
	}
	text_memory(out, m);
	bool whole = text_users(out, m, subject->full);
	whole &= text_fibers(out, subject, m);
	whole &= text_code(out, subject);
	text_locks(out, subject);
	if (subject->full)
		text_full(out, m);
	if (!subject->eventless)
		text_losses(out, m, &t);
	text_findings(out, subject->advice, t.since_ts != 0 ? t.since_ts : t.first_ts);
	return whole;
}
