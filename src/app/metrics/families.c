/*
 * families.c - the table of metric families, and how the samples of each are printed.
 *
 * All samples of a family are printed together.  A value that is not known is not printed.
 */
#include <time.h>

#include "app/metrics/samples.h"
#include "app/user_keys.h"
#include "figures/figures.h"

#define WORD_BYTES 8

static const double bounds[METRICS_BUCKETS] = METRICS_BOUNDS;

static const char *const family_names[METRICS_FAMILY_COUNT] = {METRICS_FAMILIES(LIST_TEXT)};

/* The values that add up over the domains. */
enum sum { SUM_ALLOCATED, SUM_PROMOTED, SUM_EVENTS, SUM_LOST, SUM_DROPPED, SUM_LOOP_BUSY };

static double sum_of(enum sum sum, const struct model_domain *d, const struct metrics_domain *told)
{
	switch (sum) {
	case SUM_ALLOCATED:
		return (double)told->allocated;
	case SUM_PROMOTED:
		return (double)told->promoted;
	case SUM_EVENTS:
		return (double)d->events;
	case SUM_LOST:
		return WORD_BYTES * (double)told->lost_words;
	case SUM_DROPPED:
		return (double)d->dropped;
	default:
		return (double)told->loop_busy_ns / 1e9;
	}
}

/* Print one of these values, for the process or for each domain. */
static void by_domain(const struct printer *p)
{
	static const struct metrics_domain none;
	const struct model *model = p->member->observation->model;
	double sum = 0;

	MODEL_FOREACH (d, model) {
		if (!d->seen && d->lost_words == 0)
			continue;
		const struct metrics_domain *told =
		    d->domain < p->m->domain_count ? &p->m->domains[d->domain] : &none;
		sum += sum_of((enum sum)p->what, d, told);
		if (!p->options->by_domain)
			continue;
		char number[16];
		snprintf(number, sizeof(number), "%u", d->domain);
		sample_begin(p, "");
		sample_text(p, "domain", number);
		sample_end(p, sum_of((enum sum)p->what, d, told));
	}
	if (!p->options->by_domain)
		sample_alone(p, sum);
}

/* Print a setting of the runtime as a label, "" when it is not known. */
static void setting(const struct printer *p, const char *label, enum ocaml_setting_id id)
{
	const struct ocaml_settings *s = system_past_settings(p->member->observation->past);
	char text[32] = "";

	if (s != NULL && s->of[id].from != OCAML_UNKNOWN)
		snprintf(text, sizeof(text), "%" PRIu64, s->of[id].value);
	sample_text(p, label, text);
}

static void runtime_info(const struct printer *p)
{
	sample_begin(p, "");
	sample_text(p, "version", p->member->ocaml != NULL ? p->member->ocaml : "");
	sample_text(p, "from", p->member->ocaml_from != NULL ? p->member->ocaml_from : "");
	setting(p, "s", OCAML_S);
	setting(p, "o", OCAML_O);
	setting(p, "d", OCAML_D);
	setting(p, "e", OCAML_E);
	sample_end(p, 1);
}

static void start_time(const struct printer *p)
{
	double began;

	if (!process_began(p->member->start_ticks, &began))
		return;
	sample_begin(p, "");
	out_format(p->out, "} %.2f\n", began);
}

static void observed(const struct printer *p)
{
	sample_begin(p, "");
	sample_end_ns(p, p->m->observed_ns);
}

static void gc_seconds(const struct printer *p)
{
	for (int f = 0; f < METRICS_FAMILY_COUNT; f++) {
		uint64_t sum = 0;
		for (unsigned i = 0; i < p->m->domain_count; i++) {
			const struct model_domain *d = model_domain(p->member->observation->model, i);
			sum += p->m->domains[i].families[f];
			if (!p->options->by_domain || d == NULL || !d->seen)
				continue;
			char number[16];
			snprintf(number, sizeof(number), "%u", i);
			sample_begin(p, "");
			sample_text(p, "family", family_names[f]);
			sample_text(p, "domain", number);
			sample_end_ns(p, p->m->domains[i].families[f]);
		}
		if (p->options->by_domain)
			continue;
		sample_begin(p, "");
		sample_text(p, "family", family_names[f]);
		sample_end_ns(p, sum);
	}
}

/* Print the key of a slot as a label. */
static void event_label(const struct printer *p, const struct user_keys *keys, size_t slot)
{
	size_t len;
	const char *key = user_keys_get(keys, slot, &len);

	sample_label(p, "event", key, len);
}

/* Print a histogram: the numbers of durations up to each bound, and of all.  `keys`: it is of a user event's
 * spans. */
static void histogram(const struct printer *p, const struct user_keys *keys, size_t slot,
    const uint64_t up_to[METRICS_BUCKETS + 1], uint64_t sum_ns)
{
	for (int b = 0; b <= METRICS_BUCKETS + 2; b++) {
		char le[32] = "+Inf";
		sample_begin(p, b <= METRICS_BUCKETS	   ? "_bucket"
				: b == METRICS_BUCKETS + 1 ? "_sum"
							   : "_count");
		if (keys != NULL)
			event_label(p, keys, slot);
		if (b < METRICS_BUCKETS)
			snprintf(le, sizeof(le), "%g", bounds[b]);
		if (b <= METRICS_BUCKETS)
			sample_text(p, "le", le);
		if (b == METRICS_BUCKETS + 1)
			sample_end_ns(p, sum_ns);
		else
			sample_end(p, (double)up_to[b < METRICS_BUCKETS ? b : METRICS_BUCKETS]);
	}
}

static void hist_samples(
    const struct printer *p, const struct user_keys *keys, size_t slot, const struct hist *h)
{
	uint64_t up_to[METRICS_BUCKETS + 1] = {[METRICS_BUCKETS] = h->count};

	for (int b = 0; b < METRICS_BUCKETS; b++)
		up_to[b] = figure_up_to(h, bounds[b] * 1e9);
	histogram(p, keys, slot, up_to, h->sum);
}

static void pauses(const struct printer *p)
{
	uint64_t up_to[METRICS_BUCKETS + 1], count = 0;

	for (int b = 0; b <= METRICS_BUCKETS; b++)
		up_to[b] = count += p->m->buckets[b];
	histogram(p, NULL, 0, up_to, p->m->pause_ns);
}

/* Get the totals of the fibers of the target's scheduler.  False: there is no scheduler. */
static bool fibers_of(const struct printer *p, struct fiber_totals *out)
{
	const char *name;
	const struct fibers *f = schedulers_first(p->member->observation->schedulers, &name);

	if (f != NULL)
		*out = fibers_totals(f);
	return f != NULL && !fibers_failed(f);
}

static void fibers_alive(const struct printer *p)
{
	struct fiber_totals t;

	if (!fibers_of(p, &t) || !t.alive_known)
		return;
	sample_begin(p, "");
	sample_text(p, "state", "blocked");
	sample_end(p, (double)t.blocked);
	sample_begin(p, "");
	sample_text(p, "state", "ready");
	sample_end(p, (double)(t.alive - t.blocked));
}

static void loop_busy(const struct printer *p)
{
	struct fiber_totals t;

	if (fibers_of(p, &t) && (t.tells & FIBERS_TELL_TURNS) != 0)
		by_domain(p);
}

static void loop_turns(const struct printer *p)
{
	const struct model *model = p->member->observation->model;
	struct fiber_totals t;
	const char *name;

	if (!fibers_of(p, &t) || (t.tells & FIBERS_TELL_TURNS) == 0)
		return;
	const struct fibers *f = schedulers_first(p->member->observation->schedulers, &name);
	struct hist all = {0};
	bool counted = false;
	for (unsigned i = 0; i < model_domains(model); i++) {
		struct fiber_loop loop;
		if (!figure_loop(f, model, i, &loop))
			continue;
		counted |= loop.counted;
		p->m->short_of |= !hist_merge(&all, loop.lengths);
	}
	if (counted)
		hist_samples(p, NULL, 0, &all);
	hist_fini(&all);
}

static void cpu(const struct printer *p)
{
	static const struct {
		enum system_value_id id;
		const char *mode;
	} modes[] = {{SYSTEM_CPU_USER, "user"}, {SYSTEM_CPU_SYSTEM, "system"}};

	for (int i = 0; i < 2; i++) {
		uint64_t grown;
		if (!system_past_total(p->member->observation->past, modes[i].id, &grown))
			continue;
		sample_begin(p, "");
		sample_text(p, "mode", modes[i].mode);
		sample_end_ns(p, grown);
	}
}

static void throttled(const struct printer *p)
{
	uint64_t grown;

	if (!system_past_total(p->member->observation->past, SYSTEM_THROTTLED, &grown))
		return;
	sample_begin(p, "");
	sample_end_ns(p, grown);
}

/* Print the subject of a finding as a label, "" for the process. */
static void finding_subject(const struct printer *p, const struct advice_finding *f)
{
	char name[RTEV_NAME_SIZE] = "";
	const char *text = name;

	if (f->subject == ADVICE_OF_DOMAIN)
		snprintf(name, sizeof(name), "domain %u", f->domain);
	else if (f->subject == ADVICE_OF_PHASE)
		text = rtev_phase_name(f->phase, name);
	else if (f->subject == ADVICE_OF_USER)
		text = f->user;
	sample_text(p, "subject", text);
}

static void findings(const struct printer *p)
{
	size_t count;
	const struct advice_finding *list = advice_findings(p->member->observation->advice, &count);

	for (size_t i = 0; i < count; i++) {
		sample_begin(p, "");
		sample_text(p, "finding", list[i].name);
		sample_text(p, "severity", advice_severity_name(list[i].severity));
		finding_subject(p, &list[i]);
		sample_end(p, 1);
	}
}

/* Print how the target does, by the headline's verdict; the sentence itself is no label, because it changes. */
static void verdict(const struct printer *p)
{
	int verdict = headline_verdict(observation_headline(p->member->observation, p->member->figures.to));

	sample_alone(p, verdict < 0 ? (double)NAN : verdict);
}

static void lock_waiters(const struct printer *p)
{
	const double waiters[] = {p->m->mutex_waiters, p->m->master_waiters};
	static const char *const kinds[] = {"mutex", "master"};

	for (int i = 0; i < 2 && !isnan(waiters[i]); i++) {
		sample_begin(p, "");
		sample_text(p, "kind", kinds[i]);
		sample_end(p, waiters[i]);
	}
}

/* Print whether the finding of a deadlock stands. */
static void deadlock(const struct printer *p)
{
	const struct observation *o = p->member->observation;
	size_t count;
	const struct advice_finding *list = advice_findings(o->advice, &count);
	bool stands = false;

	for (size_t i = 0; i < count; i++)
		stands |= strcmp(list[i].name, "deadlock") == 0;
	sample_alone(p, observation_locks_why(o) == NULL ? stands : (double)NAN);
}

static void finding_costs(const struct printer *p)
{
	size_t count;
	const struct advice_finding *list = advice_findings(p->member->observation->advice, &count);

	for (size_t i = 0; i < count; i++) {
		if (isnan(list[i].share))
			continue;
		sample_begin(p, "");
		sample_text(p, "finding", list[i].name);
		finding_subject(p, &list[i]);
		sample_end(p, list[i].share);
	}
}

/* Return how many slots are printed, in order of appearance. */
static size_t slots_told(const struct printer *p)
{
	size_t count = model_user_slots(p->member->observation->model);

	return count < METRICS_USERS_MAX ? count : METRICS_USERS_MAX;
}

static void user_count(
    const struct printer *p, const struct user_keys *keys, size_t slot, const struct model_user *u)
{
	sample_begin(p, "");
	event_label(p, keys, slot);
	sample_text(p, "kind", user_kind_names[model_user_slot(p->member->observation->model, slot)->kind]);
	sample_end(p, (double)u->count);
}

static void user_last(
    const struct printer *p, const struct user_keys *keys, size_t slot, const struct model_user *u)
{
	if (model_user_slot(p->member->observation->model, slot)->kind != MODEL_USER_INT || u->count == 0)
		return;
	sample_begin(p, "");
	event_label(p, keys, slot);
	sample_end(p, (double)u->last);
}

static void user_span(
    const struct printer *p, const struct user_keys *keys, size_t slot, const struct model_user *u)
{
	if (model_user_slot(p->member->observation->model, slot)->kind != MODEL_USER_SPAN)
		return;
	hist_samples(p, keys, slot, &u->spans);
}

/* What is printed of user events. */
enum users { USER_COUNTS, USER_VALUES, USER_SPANS };

/* Print a family of enum users for each slot of user events, summed over all domains. */
static void each_user(const struct printer *p)
{
	static void (*const prints[])(const struct printer *p, const struct user_keys *keys, size_t slot,
	    const struct model_user *u) = {
	    [USER_COUNTS] = user_count, [USER_VALUES] = user_last, [USER_SPANS] = user_span};
	const struct model *model = p->member->observation->model;
	struct user_keys *keys = p->options->user_events ? user_keys_create(model, true) : NULL;

	p->m->short_of |= keys == NULL && p->options->user_events;
	for (size_t slot = 0; keys != NULL && slot < slots_told(p); slot++) {
		struct model_user user;
		if (!model_user_total(model, slot, &user)) {
			p->m->short_of = true;
			continue;
		}
		if (!schedulers_know(model_user_slot(model, slot), &user))
			prints[p->what](p, keys, slot, &user);
		hist_fini(&user.spans);
	}
	user_keys_destroy(keys);
}

/* The single numbers of a process. */
enum number {
	EVENTS_PAUSED,
	EVENTS_OFF,
	MINORS,
	MAJORS,
	FIBERS_CREATED,
	FIBER_ERRORS,
	FIBERS_CANCELLED,
	LOOP_LATE,
	USERS_IGNORED
};

static double number_of(const struct printer *p)
{
	const struct fleet_member *m = p->member;
	const struct model *model = m->observation->model;
	struct fiber_totals t;

	switch ((enum number)p->what) {
	case EVENTS_PAUSED:
		return m->state == FLEET_PAUSED;
	case EVENTS_OFF:
		return m->observation->off;
	case MINORS:
		return (double)figure_collections(model, RTEV_PHASE_MINOR);
	case MAJORS:
		return (double)figure_collections(model, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS);
	case FIBERS_CREATED:
		return fibers_of(p, &t) && (t.tells & FIBERS_TELL_FIBERS) != 0 ? (double)t.created
									       : (double)NAN;
	case FIBER_ERRORS:
	case FIBERS_CANCELLED:
		return !fibers_of(p, &t) || (t.tells & FIBERS_TELL_CONTEXTS) == 0
			   ? (double)NAN
			   : (double)(p->what == FIBER_ERRORS ? t.errors : t.cancelled);
	case LOOP_LATE:
		return fibers_of(p, &t) && (t.tells & FIBERS_TELL_FIBERS) != 0 ? (double)t.late_ns / 1e9
									       : (double)NAN;
	case USERS_IGNORED:
		return (double)(model_user_slots(model) - slots_told(p));
	}
	return NAN;
}

static void number(const struct printer *p)
{
	sample_alone(p, number_of(p));
}

#define FIGURE(member) offsetof(struct window_figures, member)

/* Print a figure that reports and the overview have as well. */
static void figure(const struct printer *p)
{
	double value;

	memcpy(&value, (const char *)window_figures_told(&p->member->figures) + p->what, sizeof(value));
	sample_alone(p, p->what == FIGURE(heap_age) ? value / 1e9 : value);
}

/* The families in printing order: name, type, help, function, and its argument. */
static const struct {
	const char *name, *type, *help;
	void (*print)(const struct printer *p);
	enum {
		ALWAYS,
		WITH_EVENTS,
		WITH_USERS
	} when;	     /* not before the process has had an event; only with --user-events */
	size_t what; /* enum sum, enum number, enum users or FIGURE; 0: the function prints one thing */
} families[] = {
    {"ocaml_runtime_info", "gauge", "Version of the OCaml runtime, how it is known, and its settings.",
	runtime_info, ALWAYS, 0},
    {"ocaml_events_paused", "gauge", "Whether the process has paused its runtime events.", number, ALWAYS,
	EVENTS_PAUSED},
    {"ocaml_events_off", "gauge",
	"Whether it records no events: figures come from the counters in its memory.", number, ALWAYS,
	EVENTS_OFF},
    {"ocaml_start_time_seconds", "gauge", "When the process began, in Unix time.", start_time, ALWAYS, 0},
    {"ocaml_observed_seconds_total", "counter", "Time for which domains were observed, all domains together.",
	observed, WITH_EVENTS, 0},
    {"ocaml_domains", "gauge", "Domains that run.", figure, ALWAYS, FIGURE(running)},
    {"ocaml_gc_seconds_total", "counter",
	"Time in pauses of the collector by what it was spent on, all domains together.", gc_seconds,
	WITH_EVENTS, 0},
    {"ocaml_gc_minor_collections_total", "counter", "Minor collections.", number, ALWAYS, MINORS},
    {"ocaml_gc_major_cycles_total", "counter", "Major cycles.", number, ALWAYS, MAJORS},
    {"ocaml_gc_pause_seconds", "histogram", "Pauses of the collector, of each domain.", pauses, WITH_EVENTS,
	0},
    {"ocaml_minor_allocated_bytes_total", "counter",
	"Bytes allocated in minor heaps, counted at minor collections.", by_domain, ALWAYS, SUM_ALLOCATED},
    {"ocaml_promoted_bytes_total", "counter", "Bytes promoted to the major heap.", by_domain, ALWAYS,
	SUM_PROMOTED},
    {"ocaml_heap_bytes", "gauge", "Size of the major heap.", figure, ALWAYS, FIGURE(all.heap_bytes)},
    {"ocaml_heap_growth_bytes_per_minute", "gauge", "Growth of the major heap per minute.", figure, ALWAYS,
	FIGURE(heap_growth)},
    {"ocaml_heap_age_seconds", "gauge", "Age of ocaml_heap_bytes.", figure, ALWAYS, FIGURE(heap_age)},
    {"ocaml_resident_memory_bytes", "gauge", "Resident memory of the process.", figure, ALWAYS,
	FIGURE(resident_bytes)},
    {"ocaml_cpu_seconds_total", "counter", "Processor time of the process.", cpu, ALWAYS, 0},
    {"ocaml_cpu_throttled_seconds_total", "counter", "Time in which its control groups were throttled.",
	throttled, ALWAYS, 0},
    {"ocaml_events_total", "counter", "Runtime events read.", by_domain, WITH_EVENTS, SUM_EVENTS},
    {"ocaml_ring_lost_bytes_total", "counter", "Bytes of events that were overwritten before they were read.",
	by_domain, WITH_EVENTS, SUM_LOST},
    {"ocaml_spans_dropped_total", "counter", "Spans whose begin or end is missing.", by_domain, WITH_EVENTS,
	SUM_DROPPED},
    {"ocaml_finding", "gauge", "A finding that is present: see rtevtop, view a.", findings, ALWAYS, 0},
    {"ocaml_verdict", "gauge", "0 healthy, 1 worth attention, 2 bad: the sentence of rtevtop's header.",
	verdict, ALWAYS, 0},
    {"ocaml_finding_cost_ratio", "gauge", "What a finding costs, as a share of the busy time.", finding_costs,
	ALWAYS, 0},
    {"ocaml_fibers", "gauge", "Fibers that are alive: blocked, or ready to run.", fibers_alive, ALWAYS, 0},
    {"ocaml_fibers_created_total", "counter", "Fibers created.", number, ALWAYS, FIBERS_CREATED},
    {"ocaml_fiber_errors_total", "counter", "Contexts of fibers that failed.", number, ALWAYS, FIBER_ERRORS},
    {"ocaml_loop_turn_seconds", "histogram", "Turns of event loops: how late an event could be noticed.",
	loop_turns, ALWAYS, 0},
    {"ocaml_loop_busy_seconds_total", "counter", "Time in which event loops did not wait for events.",
	loop_busy, ALWAYS, SUM_LOOP_BUSY},
    {"ocaml_fibers_cancelled_total", "counter", "Contexts of fibers that were cancelled and did not fail.",
	number, ALWAYS, FIBERS_CANCELLED},
    {"ocaml_loop_late_seconds_total", "counter",
	"Time in runs of fibers, and turns of many, that took 50 ms or more.", number, ALWAYS, LOOP_LATE},
    {"ocaml_lock_waiters", "gauge",
	"Threads that wait for a lock, average since the last output; absent where locks are not known.",
	lock_waiters, ALWAYS, 0},
    {"ocaml_deadlock", "gauge",
	"Whether threads wait for each other's locks for ever; absent where locks are not known.", deadlock,
	ALWAYS, 0},
    {"ocaml_user_events_total", "counter", "Events of the program; of spans, their ends.", each_user,
	WITH_USERS, USER_COUNTS},
    {"ocaml_user_value", "gauge", "Latest value of an event of the program.", each_user, WITH_USERS,
	USER_VALUES},
    {"ocaml_user_span_seconds", "histogram", "Spans of the program.", each_user, WITH_USERS, USER_SPANS},
    {"ocaml_user_names_ignored", "gauge", "Names of events that are left out.", number, WITH_USERS,
	USERS_IGNORED},
};

/* Return whether a later member has the same pid: it was named twice, executed another program, or the pid
 * was reused.  Only the last member is printed, because a series may occur once in a file. */
static bool replaced(const struct fleet *fleet, size_t i)
{
	for (size_t k = i + 1; k < fleet_count(fleet); k++)
		if (fleet_member(fleet, k)->face != NULL &&
		    fleet_member(fleet, k)->pid == fleet_member(fleet, i)->pid)
			return true;
	return false;
}

/* Print the head of a family. */
static void head(struct out *out, const char *name, const char *type, const char *help)
{
	out_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_print(struct out *out, const struct fleet *fleet, const struct metrics_options *options)
{
	size_t targets = 0;

	for (size_t i = 0; i < fleet_count(fleet); i++) {
		struct metrics_member *m = fleet_member(fleet, i)->face;
		if (m != NULL)
			m->printed = !replaced(fleet, i);
		targets += m != NULL && m->printed;
	}
	out_text(out, METRICS_FIRST_LINE);
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		struct printer p = {
		    .out = out, .options = options, .name = families[f].name, .what = families[f].what};
		if (families[f].when == WITH_USERS && !options->user_events)
			continue;
		head(out, families[f].name, families[f].type, families[f].help);
		for (size_t i = 0; i < fleet_count(fleet) && out->error == 0; i++) {
			p.member = fleet_member(fleet, i);
			p.m = p.member->face;
			if (p.m != NULL && p.m->printed &&
			    (families[f].when == ALWAYS || !observation_eventless(p.member->observation)))
				families[f].print(&p);
		}
	}
	head(out, "rtevtop_build_info", "gauge", "Version of rtevtop.");
	out_format(out, "rtevtop_build_info{version=\"%s\"} 1\n", rtev_version());
	head(out, "rtevtop_targets", "gauge", "Processes that are observed.");
	out_format(out, "rtevtop_targets %zu\n", targets);
}
