/*
 * stats_json.c - print a model as one JSON object.
 *
 * Seconds are printed from whole nanoseconds and are exact.  Shares are ratios, printed with nine digits.
 */
#include "app/commands/stats_report.h"

#include "app/commands/json_members.h"
#include "app/commands/stats_findings.h"
#include "app/commands/stats_system.h"
#include "app/user_keys.h"

/* The percentiles of pauses: member name, label, and rank as a fraction. */
static const struct {
	const char *member;
	const char *label;
	unsigned num, den;
} percentiles[] = {
    {"p50_s", "p50", 50, 100},
    {"p90_s", "p90", 90, 100},
    {"p99_s", "p99", 99, 100},
    {"p99_9_s", "p99.9", 999, 1000},
};
enum { PERCENTILES = sizeof(percentiles) / sizeof(percentiles[0]) };

/* Print a time of a distribution; null when the distribution is empty. */
static void json_time_of(struct out *out, bool *first, const char *name, const struct hist *h, uint64_t ns)
{
	if (h->count != 0)
		out_member_seconds(out, first, name, ns);
	else
		out_member_text(out, first, name, NULL);
}

/* Print the object of phases; those that never occurred are left out. */
static void json_phases(struct out *out, const struct model_phase *phases, size_t count)
{
	bool first = true;
	char name[RTEV_NAME_SIZE];

	out_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (phases[i].count == 0)
			continue;
		out_member(out, &first, rtev_phase_name(phases[i].phase, name));
		bool inner = true;
		out_char(out, '{');
		out_member_unsigned(out, &inner, "count", phases[i].count);
		out_member_seconds(out, &inner, "total_s", phases[i].total);
		out_member_seconds(out, &inner, "self_s", phases[i].self);
		out_member_seconds(out, &inner, "max_s", phases[i].max);
		out_char(out, '}');
	}
	out_char(out, '}');
}

/* Print the object of a domain's counters. */
static void json_counters(struct out *out, const struct model_domain *d)
{
	bool first = true;
	char name[RTEV_NAME_SIZE];

	out_char(out, '{');
	for (size_t i = 0; i < d->counter_count; i++) {
		const struct model_counter *c = &d->counters[i];
		if (c->count == 0)
			continue;
		out_member(out, &first, rtev_counter_name(c->counter, name));
		bool inner = true;
		out_char(out, '{');
		out_member_unsigned(out, &inner, "count", c->count);
		if (rtev_counter_kind(c->counter) == RTEV_KIND_GAUGE)
			out_member_text(out, &inner, "sum", NULL);
		else
			out_member_signed(out, &inner, "sum", c->sum);
		out_member_signed(out, &inner, "last", c->last);
		out_member_signed(out, &inner, "min", c->min);
		out_member_signed(out, &inner, "max", c->max);
		out_char(out, '}');
	}
	out_char(out, '}');
}

/* Print the non-empty bins of a distribution: the greatest value and the count of each. */
static void json_histogram(struct out *out, bool *first, const struct hist *h)
{
	struct hist_bucket bucket;
	unsigned position = 0;
	bool any = false;

	out_member(out, first, "histogram");
	out_char(out, '[');
	while (hist_next(h, &position, &bucket)) {
		out_text(out, any ? ",[" : "[");
		any = true;
		out_seconds(out, bucket.high);
		out_char(out, ',');
		out_unsigned(out, bucket.count);
		out_char(out, ']');
	}
	out_char(out, ']');
}

/* Print the object of a domain's user events. */
static void json_users(struct out *out, const struct model *m, const struct user_keys *keys, unsigned domain)
{
	bool first = true;

	out_char(out, '{');
	for (size_t slot = 0; slot < model_user_slots(m) && out->error == 0; slot++) {
		size_t len;
		const struct model_user *u = model_user(m, domain, slot);
		const struct model_user_slot *what = model_user_slot(m, slot);
		if (u == NULL || (u->count == 0 && u->open == 0))
			continue;
		if (!first)
			out_char(out, ',');
		first = false;
		const char *key = user_keys_get(keys, slot, &len);
		out_json_string(out, key, len);
		bool inner = true;
		out_text(out, ":{");
		out_member_text(out, &inner, "kind", user_kind_names[what->kind]);
		out_member_unsigned(out, &inner, "count", u->count);
		if (what->kind == MODEL_USER_SPAN) {
			out_member_seconds(out, &inner, "total_s", u->spans.sum);
			json_time_of(out, &inner, "p50_s", &u->spans, hist_percentile(&u->spans, 50, 100));
			json_time_of(out, &inner, "p99_s", &u->spans, hist_percentile(&u->spans, 99, 100));
			json_time_of(out, &inner, "max_s", &u->spans, u->spans.max);
			out_member_unsigned(out, &inner, "open", u->open);
			json_histogram(out, &inner, &u->spans);
		} else if (what->kind == MODEL_USER_INT) {
			out_member_signed(out, &inner, "last", u->last);
			out_member_signed(out, &inner, "min", u->min);
			out_member_signed(out, &inner, "max", u->max);
		}
		out_char(out, '}');
	}
	out_char(out, '}');
}

/* Print a domain. */
static void json_domain(
    struct out *out, const struct model *m, const struct user_keys *keys, const struct model_domain *d)
{
	bool first = true;

	out_char(out, '{');
	out_member_unsigned(out, &first, "domain", d->domain);
	out_member_seconds(out, &first, "gc_s", d->gc_ns);
	out_member_number(out, &first, "gc_share", model_gc_share(d));
	out_member(out, &first, "phases");
	json_phases(out, d->phases, d->phase_count);
	out_member(out, &first, "counters");
	json_counters(out, d);
	out_member(out, &first, "user");
	json_users(out, m, keys, d->domain);
	out_member_seconds(out, &first, "wait_s", d->wait_ns);
	out_char(out, '}');
}

/* Print the pauses. */
static void json_pauses(struct out *out, const struct model *m)
{
	const struct hist *h = model_pauses(m);
	bool first = true;

	out_char(out, '{');
	out_member_unsigned(out, &first, "count", h->count);
	json_time_of(out, &first, "mean_s", h, h->count != 0 ? h->sum / h->count : 0);
	for (int i = 0; i < PERCENTILES; i++)
		json_time_of(out, &first, percentiles[i].member, h,
		    hist_percentile(h, percentiles[i].num, percentiles[i].den));
	json_time_of(out, &first, "max_s", h, h->max);
	json_histogram(out, &first, h);
	out_char(out, '}');
}

/* Print the worst pauses. */
static void json_worst(struct out *out, const struct model *m)
{
	size_t count;
	const struct model_worst *worst = model_worst(m, &count);
	char name[RTEV_NAME_SIZE];

	out_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		bool first = true;
		out_text(out, i > 0 ? ",{" : "{");
		out_member_unsigned(out, &first, "ts", worst[i].ts);
		out_member_unsigned(out, &first, "domain", worst[i].domain);
		out_member_text(out, &first, "phase", rtev_phase_name(worst[i].phase, name));
		out_member_seconds(out, &first, "duration_s", worst[i].duration);
		out_member(out, &first, "phases");
		json_phases(out, worst[i].inside, worst[i].inside_count);
		out_char(out, '}');
	}
	out_char(out, ']');
}

bool stats_print_json(struct out *out, const struct model *m, const struct stats_subject *subject)
{
	struct model_totals t;
	bool first = true, first_domain = true;
	struct user_keys *keys = user_keys_create(m, false);

	if (keys == NULL)
		return false;
	model_totals(m, &t);
	out_char(out, '{');
	out_member(out, &first, "pid");
	if (subject->pid != 0)
		out_signed(out, subject->pid);
	else
		out_text(out, "null");
	out_member_text(out, &first, "ocaml", subject->ocaml);
	out_member_text(out, &first, "ocaml_from", subject->ocaml_from);
	out_member_seconds(out, &first, "duration_s", subject->duration_ns);
	out_member_unsigned(out, &first, "events", t.events);
	out_member_unsigned(out, &first, "lost_words", t.lost_words);
	out_member_unsigned(out, &first, "history_lost_words", t.history_lost_words);
	out_member_unsigned(out, &first, "dropped", t.dropped);
	out_member_unsigned(out, &first, "open", t.open);
	out_member(out, &first, "domains");
	out_char(out, '[');
	for (unsigned i = 0; i < t.domains && out->error == 0; i++) {
		const struct model_domain *d = model_domain(m, i);
		if (d == NULL || !d->seen)
			continue;
		if (!first_domain)
			out_char(out, ',');
		first_domain = false;
		json_domain(out, m, keys, d);
	}
	out_char(out, ']');
	out_member(out, &first, "pauses");
	json_pauses(out, m);
	out_member(out, &first, "worst");
	json_worst(out, m);
	out_member_unsigned(out, &first, "ignored", t.ignored);
	json_system(out, &first, subject->system);
	json_findings(out, &first, subject->advice, t.since_ts != 0 ? t.since_ts : t.first_ts);
	out_member_unsigned(out, &first, "restarts", t.restarts);
	json_findings_summary(out, &first, subject->advice);
	out_text(out, "}\n");
	user_keys_destroy(keys);
	return true;
}
