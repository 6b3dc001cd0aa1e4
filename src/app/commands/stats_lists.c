/*
 * stats_lists.c - lists of the text report: the tree of phases, user events, findings, and all phases and
 * counters of each domain.
 */
#include "app/commands/stats_report.h"
#include "app/user_keys.h"
#include "core/order.h"
#include "core/shown.h"
#include "core/sum.h"
#include "figures/figures.h"
#include "ui/widgets/user_text.h"

#define USERS_SHOWN 20
#define NAME_COLUMNS 26

/* ---- phases ---- */

void text_tree(struct out *out, struct paths *paths, bool all)
{
	size_t count, hidden = 0;
	const struct path *list = paths_list(paths, &count);
	char name[RTEV_NAME_SIZE];

	if (count > 0)
		out_format(out, "\n%-40s %8s %9s %9s %9s\n", "phases of all domains", "of GC", "count",
		    "total", "self");
	for (size_t i = 0; i < count && out->error == 0; i++) {
		if (!all && list[i].small) {
			hidden++;
			continue;
		}
		int indent = 2 + 2 * (list[i].depth < 5 ? list[i].depth : 5);
		out_format(out, "%*s%-*s %8s %9s", indent, "", 40 - indent,
		    rtev_phase_name(list[i].phase, name), plain_share(list[i].of_gc).s,
		    plain_count(list[i].count).s);
		table_cell(out, 10, format_duration(list[i].total).s);
		table_cell(out, 10, format_duration(list[i].self).s);
		out_char(out, '\n');
	}
	if (hidden > 0)
		out_format(out, "  and %zu below %.1f%% of GC: --full\n", hidden, 100 * PATHS_SMALL);
}

/* ---- user events ---- */

struct user_count {
	size_t slot;
	uint64_t count;
};

/* Order by descending count, then by slot. */
static int by_count(const void *left, const void *right)
{
	const struct user_count *a = left, *b = right;

	return ORDER_BY(ORDER_FALLING(a, b, count), ORDER_RISING(a, b, slot));
}

/* Count the events of each slot.  Returns the number of slots with events; *out is NULL if memory ran out.  The
 * caller frees it. */
static size_t count_users(const struct model *m, struct user_count **out)
{
	size_t slots = model_user_slots(m), used = 0;
	struct user_count *counts = calloc(slots + 1, sizeof(counts[0]));

	*out = counts;
	if (counts == NULL)
		return 0;
	for (size_t i = 0; i < slots; i++)
		counts[i].slot = i;
	for (unsigned d = 0; d < model_domains(m); d++)
		for (size_t i = model_user_next(m, d, 0); i < slots; i = model_user_next(m, d, i + 1)) {
			const struct model_user *u = model_user(m, d, i);
			/* Events of a scheduler are reported as the work of its fibers. */
			if (!schedulers_know(model_user_slot(m, i), u))
				counts[i].count += u->count + u->open;
		}
	qsort(counts, slots, sizeof(counts[0]), by_count);
	while (used < slots && counts[used].count > 0)
		used++;
	return used;
}

/* Print a name in its column.  After a longer name the rest goes on the next line. */
static void text_name(struct out *out, const struct model_user_slot *slot)
{
	const int length = slot->name_len + 2 * (int)strlen(shown_quote(slot->name, slot->name_len));

	out_text(out, "  ");
	out_name(out, slot->name, slot->name_len);
	if (length > NAME_COLUMNS)
		out_format(out, "\n  %*s", NAME_COLUMNS, "");
	else
		out_format(out, "%*s", NAME_COLUMNS - length, "");
}

/* Print a slot, summed over all domains.  Returns false if memory ran out. */
static bool text_user(struct out *out, const struct model *m, size_t slot)
{
	const struct model_user_slot *what = model_user_slot(m, slot);
	struct model_user u;

	if (!model_user_total(m, slot, &u))
		return false;
	text_name(out, what);
	out_format(out, " %-6s %8s", user_text_kind(what->kind), plain_count(u.count).s);
	if (what->kind == MODEL_USER_SPAN) {
		table_cell(out, 9, text_percentile(&u.spans, 50, 100).s);
		table_cell(out, 9, text_percentile(&u.spans, 99, 100).s);
		table_cell(out, 9, text_percentile(&u.spans, 1, 1).s);
		table_cell(out, 7, plain_share(figure_share((double)u.gc_ns, (double)u.spans.sum)).s);
	} else if (what->kind == MODEL_USER_INT && u.count != 0)
		out_format(out, "  last %" PRId64 ", %" PRId64 " to %" PRId64, u.last, u.min, u.max);
	if (u.open != 0)
		out_format(out, " %s open", plain_count(u.open).s);
	out_char(out, '\n');
	hist_fini(&u.spans);
	return true;
}

bool text_users(struct out *out, const struct model *m, bool all)
{
	struct user_count *counts;
	size_t used = count_users(m, &counts), shown = all || used <= USERS_SHOWN ? used : USERS_SHOWN;
	bool whole = counts != NULL;

	if (used > 0)
		out_format(out, "\n%-*s %-6s %8s %8s %8s %8s %6s\n", NAME_COLUMNS + 2, "user events", "kind",
		    "count", "p50", "p99", "max", "GC");
	for (size_t i = 0; i < shown && out->error == 0; i++)
		whole &= text_user(out, m, counts[i].slot);
	if (shown < used)
		out_format(out, "  and %zu rarer ones: --full\n", used - shown);
	free(counts);
	return whole;
}

/* ---- findings ---- */

static void labelled(struct out *out, const char *label, const char *text)
{
	out_format(out, "    %-9s", label);
	table_wrap(out, text, 13, 13);
}

static void text_finding(struct out *out, const struct advice_finding *f, uint64_t begin)
{
	char line[512], busy[96];

	advice_busy_text(f, busy, sizeof(busy));
	out_format(out, "  %s", f->severity == ADVICE_SERIOUS ? "! " : "- ");
	table_wrap(out, f->text, 4, 4);
	if (!isnan(f->share))
		snprintf(line, sizeof(line), "%s of %s%s", format_percent(f->share).s, busy,
		    f->confidence == ADVICE_ESTIMATED ? " (estimated)" : "");
	else if (!isnan(f->bytes))
		snprintf(line, sizeof(line), "%s%s", format_bytes(whole_saturating(f->bytes)).s,
		    f->confidence == ADVICE_ESTIMATED ? " (estimated)" : "");
	else
		snprintf(line, sizeof(line), "not known");
	labelled(out, "cost", line);
	if (!isnan(f->gain)) {
		snprintf(line, sizeof(line), "%s of the busy time, expected", format_percent(f->gain).s);
		labelled(out, "gain", line);
	}
	advice_evidence_text(f, line, sizeof(line));
	labelled(out, "evidence", line);
	snprintf(line, sizeof(line), "%s, from %s on; judged on %s", f->name,
	    format_duration(f->since > begin ? f->since - begin : 0).s, format_duration(f->window_ns).s);
	labelled(out, "found", line);
	labelled(out, "try", f->remedy);
}

void text_findings(struct out *out, const struct advice *advice, uint64_t begin)
{
	size_t count, left_count;
	const struct advice_finding *findings = advice_findings(advice, &count);
	bool unexplained;
	const char *summary = advice_summary(advice, &unexplained);

	advice_left_out(advice, &left_count);
	out_text(out, count > 0 ? "\nfindings\n" : "\nfindings: ");
	for (size_t i = 0; i < count; i++)
		text_finding(out, &findings[i], begin);
	if (summary[0] != '\0') {
		out_text(out, count > 0 ? "  " : "");
		table_wrap(out, summary, count > 0 ? 2 : 10, 4);
	}
	for (size_t i = 0; i < left_count; i++) {
		char line[1024];
		if (!advice_left_out_text(advice, i, line, sizeof(line)))
			continue;
		out_text(out, "  ");
		table_wrap(out, line, 2, 4);
	}
}

/* ---- every phase and counter ---- */

/* Print the counters of a domain: either those that add up, or the levels. */
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
			    out, "  %-30s %8s %12s %12s %12s\n", "level", "count", "last", "min", "max");
		else if (!head)
			out_format(out, "  %-34s %9s %16s %16s\n", "counter", "count", "sum", "last");
		head = true;
		if (levels)
			out_format(out, "  %-30s %8" PRIu64 " %12" PRId64 " %12" PRId64 " %12" PRId64 "\n",
			    rtev_counter_name(c->counter, name), c->count, c->last, c->min, c->max);
		else
			out_format(out, "  %-34s %9" PRIu64 " %16" PRId64 " %16" PRId64 "\n",
			    rtev_counter_name(c->counter, name), c->count, c->sum, c->last);
	}
}

void text_full(struct out *out, const struct model *m)
{
	char name[RTEV_NAME_SIZE];

	for (unsigned i = 0; i < model_domains(m) && out->error == 0; i++) {
		const struct model_domain *d = model_domain(m, i);
		bool head = false;
		if (d == NULL || !d->seen)
			continue;
		out_format(out, "\nDomain %u   GC %s\n", d->domain, plain_share(figure_gc(d).gc).s);
		for (size_t p = 0; p < d->phase_count; p++) {
			const struct model_phase *phase = &d->phases[p];
			if (phase->count == 0)
				continue;
			if (!head)
				out_format(out, "  %-36s %10s %9s %9s %9s\n", "phase", "count", "total",
				    "self", "max");
			head = true;
			out_format(
			    out, "  %-36s %10" PRIu64, rtev_phase_name(phase->phase, name), phase->count);
			table_cell(out, 10, format_duration(phase->total).s);
			table_cell(out, 10, format_duration(phase->self).s);
			table_cell(out, 10, format_duration(phase->max).s);
			out_char(out, '\n');
		}
		text_counters(out, d, false);
		text_counters(out, d, true);
	}
}
