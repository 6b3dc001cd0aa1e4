/*
 * stats_json.c - print a report as one JSON object.
 *
 * Seconds are printed from whole nanoseconds and are exact.  Shares are ratios, printed with nine digits.
 */
#include "app/commands/stats_report.h"
#include "app/report_keys.h"
#include "app/user_keys.h"
#include "figures/figures.h"
#include "print/json.h"
#include "target/ocaml_settings.h"
#include "ui/widgets/user_text.h"

/* ---- the model ---- */

/* Print the phases by name; those that never occurred are left out. */
static void phases(struct json *j, const struct model_phase *list, size_t count)
{
	char name[RTEV_NAME_SIZE];

	json_begin_object(j, KEY_PHASES);
	for (size_t i = 0; i < count; i++) {
		if (list[i].count == 0)
			continue;
		json_begin_object(j, rtev_phase_name(list[i].phase, name));
		json_put_unsigned(j, KEY_COUNT, list[i].count);
		json_put_seconds(j, KEY_TOTAL, list[i].total);
		json_put_seconds(j, KEY_SELF, list[i].self);
		json_put_seconds(j, KEY_MAX_TIME, list[i].max);
		json_end(j);
	}
	json_end(j);
}

static void counters(struct json *j, const struct model_domain *d)
{
	char name[RTEV_NAME_SIZE];

	json_begin_object(j, KEY_COUNTERS);
	for (size_t i = 0; i < d->counter_count; i++) {
		const struct model_counter *c = &d->counters[i];
		if (c->count == 0)
			continue;
		json_begin_object(j, rtev_counter_name(c->counter, name));
		json_put_unsigned(j, KEY_COUNT, c->count);
		if (rtev_counter_kind(c->counter) == RTEV_KIND_GAUGE)
			json_put_null(j, KEY_SUM);
		else
			json_put_signed(j, KEY_SUM, c->sum);
		json_put_signed(j, "last", c->last);
		json_put_signed(j, "min", c->min);
		json_put_signed(j, KEY_MAX, c->max);
		json_end(j);
	}
	json_end(j);
}

/* Print the non-empty bins of a distribution: the greatest value and the count of each. */
static void histogram(struct json *j, const struct hist *h)
{
	struct hist_bucket bucket;
	unsigned position = 0;

	json_begin_array(j, KEY_HISTOGRAM);
	while (hist_next(h, &position, &bucket)) {
		json_begin_array(j, NULL);
		json_put_seconds(j, NULL, bucket.high);
		json_put_unsigned(j, NULL, bucket.count);
		json_end(j);
	}
	json_end(j);
}

/* Print the user events of a domain. */
static void users(struct json *j, const struct model *m, const struct user_keys *keys, unsigned domain)
{
	json_begin_object(j, KEY_USER);
	for (size_t slot = 0; slot < model_user_slots(m) && j->out->error == 0; slot++) {
		size_t len;
		const struct model_user *u = model_user(m, domain, slot);
		const struct model_user_slot *what = model_user_slot(m, slot);
		if (u == NULL || (u->count == 0 && u->open == 0))
			continue;
		const char *key = user_keys_get(keys, slot, &len);
		json_key(j, key, len);
		json_begin_object(j, NULL);
		json_put_text(j, "kind", user_text_kind(what->kind));
		json_put_unsigned(j, KEY_COUNT, u->count);
		if (what->kind == MODEL_USER_SPAN) {
			json_put_seconds(j, KEY_TOTAL, u->spans.sum);
			json_put_time(j, KEY_P50, hist_figure(&u->spans, 50, 100));
			json_put_time(j, KEY_P99, hist_figure(&u->spans, 99, 100));
			json_put_time(j, KEY_MAX_TIME, hist_figure(&u->spans, 1, 1));
			json_put_unsigned(j, "open", u->open);
			histogram(j, &u->spans);
		} else if (what->kind == MODEL_USER_INT) {
			json_put_signed(j, "last", u->last);
			json_put_signed(j, "min", u->min);
			json_put_signed(j, KEY_MAX, u->max);
		}
		json_end(j);
	}
	json_end(j);
}

/* Print members as null. */
static void nulls(struct json *j, const char *const *names)
{
	for (; *names != NULL; names++)
		json_put_null(j, *names);
}

/* Print the domains that were seen.  Members that need events are null without events. */
static void domains(struct json *j, const struct model *m, const struct user_keys *keys, bool eventless)
{
	json_begin_array(j, KEY_DOMAINS);
	for (unsigned i = 0; i < model_domains(m) && j->out->error == 0; i++) {
		const struct model_domain *d = model_domain(m, i);
		if (d == NULL || !d->seen)
			continue;
		json_begin_object(j, NULL);
		json_put_unsigned(j, "domain", d->domain);
		if (eventless) {
			nulls(j, (const char *const[]){
				     KEY_GC, "gc_share", KEY_PHASES, KEY_COUNTERS, KEY_USER, "wait_s", NULL});
			json_end(j);
			continue;
		}
		json_put_seconds(j, KEY_GC, d->gc_ns);
		json_put_number(j, "gc_share", figure_gc(d).gc);
		phases(j, d->phases, d->phase_count);
		counters(j, d);
		users(j, m, keys, d->domain);
		json_put_seconds(j, "wait_s", model_waited(d, d->wait_ns));
		json_end(j);
	}
	json_end(j);
}

static void pauses(struct json *j, const struct model *m)
{
	const struct hist *h = model_pauses(m);

	json_begin_object(j, KEY_PAUSES);
	json_put_unsigned(j, KEY_COUNT, h->count);
	json_put_time(j, "mean_s", h->count != 0 ? (double)(h->sum / h->count) : (double)NAN);
	json_put_time(j, KEY_P50, hist_figure(h, 50, 100));
	json_put_time(j, "p90_s", hist_figure(h, 90, 100));
	json_put_time(j, KEY_P99, hist_figure(h, 99, 100));
	json_put_time(j, "p99_9_s", hist_figure(h, 999, 1000));
	json_put_time(j, KEY_MAX_TIME, hist_figure(h, 1, 1));
	histogram(j, h);
	json_end(j);
}

static void worst_pauses(struct json *j, const struct model *m, const struct system_past *past)
{
	size_t count;
	const struct model_worst *worst = model_worst(m, &count);
	char name[RTEV_NAME_SIZE];
	uint64_t most;

	json_begin_array(j, "worst");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(j, NULL);
		json_put_unsigned(j, "ts", worst[i].ts);
		json_put_unsigned(j, "domain", worst[i].domain);
		json_put_text(j, "phase", rtev_phase_name(worst[i].phase, name));
		json_put_seconds(j, KEY_DURATION, worst[i].duration);
		phases(j, worst[i].inside, worst[i].inside_count);
		const bool known = past != NULL && system_past_waited(past, worst[i].ts,
						       worst[i].ts + worst[i].duration, &most);
		json_put_time(j, "no_processor_most_s", known ? (double)most : (double)NAN);
		json_end(j);
	}
	json_end(j);
}

/* ---- the process ---- */

/* Print what the kernel reports of the process: the growth of counters during the observation; null for
 * unknown values. */
static void process(struct json *j, const struct stats_subject *subject)
{
	const struct system_past *past = subject->system;
	uint64_t used[2], time;
	static const struct {
		const char *name;
		enum system_value_id id;
		enum { SECONDS, NUMBER, CORES } form;
	} members[] = {
	    {KEY_CPU_USER, SYSTEM_CPU_USER, SECONDS},
	    {KEY_CPU_SYSTEM, SYSTEM_CPU_SYSTEM, SECONDS},
	    {"run_delay_s", SYSTEM_WAIT, SECONDS},
	    {"switches_voluntary", SYSTEM_VOLUNTARY, NUMBER},
	    {"switches_forced", SYSTEM_FORCED, NUMBER},
	    {"faults_minor", SYSTEM_MINOR_FAULTS, NUMBER},
	    {"faults_major", SYSTEM_MAJOR_FAULTS, NUMBER},
	    {KEY_RESIDENT, SYSTEM_RESIDENT, NUMBER},
	    {"swap_bytes", SYSTEM_SWAP, NUMBER},
	    {"cores", SYSTEM_CORES, CORES},
	    {"throttled_s", SYSTEM_THROTTLED, SECONDS},
	    {"memory_limit_bytes", SYSTEM_MEMORY_LIMIT, NUMBER},
	};

	const struct system_memory *memory = past != NULL ? system_past_memory(past) : NULL;

	if (!json_known(j, KEY_SYSTEM,
		past != NULL && (system_past_latest(past) != NULL || subject->command != NULL)))
		return;
	json_begin_object(j, KEY_SYSTEM);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const char *name = members[i].name;
		uint64_t value;
		if (i < 2 && stats_cpu(subject, &used[0], &used[1], &time))
			json_put_seconds(j, name, used[i]);
		else if (!system_past_total(past, members[i].id, &value) || value == SYSTEM_NO_LIMIT)
			json_put_null(j, name);
		else if (members[i].form == SECONDS)
			json_put_seconds(j, name, value);
		else if (members[i].form == CORES)
			json_put_number(j, name, (double)value / 1000);
		else
			json_put_unsigned(j, name, value);
	}
	json_put_known(j, "mappings", memory != NULL ? memory->mappings : UINT64_MAX);
	json_put_known(j, "mappings_limit",
	    memory != NULL && memory->mappings_limit != 0 ? memory->mappings_limit : UINT64_MAX);
	json_end(j);
}

static void settings(struct json *j, const struct ocaml_settings *settings)
{
	if (!json_known(j, "settings", settings != NULL))
		return;
	json_begin_object(j, "settings");
	for (unsigned i = 0; i < OCAML_SETTING_COUNT; i++) {
		const struct ocaml_setting *setting = &settings->of[i];
		if (!stats_has_setting(i))
			continue;
		json_begin_object(j, runparam_names[i].name);
		json_put_if(j, "value", setting->from != OCAML_UNKNOWN, setting->value);
		json_put_text(j, "from", ocaml_origin_name(setting->from));
		json_end(j);
	}
	json_end(j);
}

/* ---- findings ---- */

static void subject_of(struct json *j, const struct advice_finding *f)
{
	char name[RTEV_NAME_SIZE];

	if (!json_known(j, "subject", f->subject != ADVICE_OF_PROCESS))
		return;
	json_begin_object(j, "subject");
	if (f->subject == ADVICE_OF_DOMAIN)
		json_put_unsigned(j, "domain", f->domain);
	else if (f->subject == ADVICE_OF_USER)
		json_put_text(j, KEY_USER, f->user);
	else
		json_put_text(j, "phase", rtev_phase_name(f->phase, name));
	json_end(j);
}

static void finding(struct json *j, const struct advice_finding *f, uint64_t begin)
{
	json_begin_object(j, NULL);
	json_put_text(j, "name", f->name);
	json_put_text(j, "severity", advice_severity_name(f->severity));
	subject_of(j, f);
	json_put_seconds(j, "since_s", f->since > begin ? f->since - begin : 0);
	json_put_seconds(j, "window_s", f->window_ns);
	json_put_text(j, "confidence", advice_confidence_name(f->confidence));
	json_begin_object(j, "cost");
	json_put_number(j, "share", f->share);
	json_put_number(j, "seconds", f->seconds);
	json_put_number(j, "bytes", f->bytes);
	json_end(j);
	json_put_number(j, "gain_share", f->gain);
	json_begin_array(j, "evidence");
	for (unsigned i = 0; i < f->figure_count; i++) {
		json_begin_object(j, NULL);
		json_put_text(j, "name", f->figures[i].name);
		json_put_number(j, "value", f->figures[i].value);
		json_put_text(j, "unit", advice_unit_name(f->figures[i].unit));
		json_end(j);
	}
	json_end(j);
	json_begin_object(j, "remedy");
	json_put_text(j, "setting", f->setting[0] != '\0' ? f->setting : NULL);
	json_put_text(j, "text", f->remedy);
	json_end(j);
	json_put_text(j, "text", f->text);
	json_end(j);
}

/* Print the findings and the rules that were left out; `begin` is the stamp that "since_s" counts from. */
static void findings(struct json *j, const struct advice *advice, uint64_t begin)
{
	size_t count, left_count;
	const struct advice_finding *list = advice_findings(advice, &count);
	const struct advice_left_out *left = advice_left_out(advice, &left_count);

	json_begin_array(j, "findings");
	for (size_t i = 0; i < count; i++)
		finding(j, &list[i], begin);
	json_end(j);
	json_begin_array(j, "findings_left_out");
	for (size_t i = 0; i < left_count; i++) {
		json_begin_object(j, NULL);
		json_put_text(j, "name", left[i].name);
		json_put_text(j, "why", left[i].why);
		json_end(j);
	}
	json_end(j);
}

/* Print a level of the heap in words, with its age at the end of the observation, and its source. */
static void level(struct json *j, const struct model *m, const char *name, double words, enum heap_gauge of)
{
	const struct model_level told = model_level(m, of);
	const uint64_t end = figure_end(m);

	if (!json_known(j, name, !isnan(words)))
		return;
	json_begin_object(j, name);
	json_put_number(j, "bytes", 8 * words);
	json_put_seconds(j, "age_s", end > told.ts ? end - told.ts : 0);
	json_put_text(j, "from", told.looked ? "memory" : "events");
	json_end(j);
}

static void levels(struct json *j, const struct model *m)
{
	json_begin_object(j, "levels");
	level(j, m, "heap", model_level(m, HEAP_SIZE).words, HEAP_SIZE);
	level(j, m, "live", model_level(m, HEAP_LIVE).words + model_level(m, HEAP_LARGE).words, HEAP_LIVE);
	json_end(j);
}

/* ---- the report ---- */

bool stats_print_json(struct out *out, const struct model *m, const struct stats_subject *subject)
{
	struct json json = {.out = out}, *j = &json;
	struct user_keys *keys = user_keys_create(m, false);

	if (keys == NULL)
		return false;
	const struct model_totals t = model_totals(m);
	json_begin_object(j, NULL);
	json_put_if(j, "pid", subject->pid != 0, (uint64_t)subject->pid);
	json_put_text(j, "ocaml", subject->ocaml);
	json_put_text(j, "ocaml_from", subject->ocaml_from);
	json_put_seconds(j, KEY_DURATION, subject->duration_ns);
	json_put_unsigned(j, KEY_EVENTS, t.events);
	json_put_unsigned(j, KEY_LOST, t.lost_words);
	json_put_unsigned(j, "history_lost_words", t.history_lost_words);
	json_put_unsigned(j, "dropped", t.dropped);
	json_put_unsigned(j, "open", t.open);
	domains(j, m, keys, subject->eventless);
	if (subject->eventless) {
		nulls(j, (const char *const[]){KEY_PAUSES, "worst", NULL});
	} else {
		pauses(j, m);
		worst_pauses(j, m, subject->system);
	}
	json_put_unsigned(j, "ignored", t.ignored);
	process(j, subject);
	settings(j, subject->system != NULL ? system_past_settings(subject->system) : NULL);
	if (subject->advice != NULL)
		findings(j, subject->advice, t.since_ts != 0 ? t.since_ts : t.first_ts);
	json_put_unsigned(j, "restarts", t.restarts);
	if (subject->advice != NULL) {
		bool unexplained;
		const char *summary = advice_summary(subject->advice, &unexplained);
		json_put_text(j, "findings_summary", summary[0] != '\0' ? summary : NULL);
	}
	json_runtime(j, subject);
	bool whole = json_fibers(j, subject, m);
	whole &= json_code(j, subject);
	if (subject->headline != NULL) {
		json_put_text(j, "verdict", headline_verdict_name(subject->headline));
		json_put_text(j, "headline", subject->headline->text);
	}
	json_put_number(j, "heap_growth_bytes_per_min", figure_heap_growth(m));
	uint64_t most;
	json_put_time(
	    j, "gc_no_processor_most_s", stats_unserved(m, subject, &most) ? (double)most : (double)NAN);
	levels(j, m);
	json_locks(j, subject);
	json_end(j);
	user_keys_destroy(keys);
	return whole;
}
