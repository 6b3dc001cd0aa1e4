/*
 * families.c - the table of metric families, and how the samples of each are printed.
 *
 * All samples of a family are printed together.  A value that is not known is not printed.
 */
#include <time.h>

#include "app/metrics/samples.h"
#include "app/user_keys.h"
#include "figures/figures.h"
#include "ui/widgets/user_text.h"

#define WORD_BYTES 8

static const double bounds[METRICS_BUCKETS] = METRICS_BOUNDS;

static const char *const family_names[METRICS_FAMILY_COUNT] = {METRICS_FAMILIES(LIST_TEXT)};

/* Print a sample with one further label, if its value is known. */
static void labelled(const struct printer *p, const char *label, const char *text, double value)
{
	if (isnan(value))
		return;
	sample_begin(p, "");
	sample_text(p, label, text);
	sample_end(p, value);
}

/* The values that add up over the domains. */
enum sum { SUM_ALLOCATED, SUM_PROMOTED, SUM_EVENTS, SUM_LOST, SUM_DROPPED, SUM_LOOP_BUSY };

static double sum_of(enum sum sum, const struct model_domain *d, const struct metrics_domain *told)
{
	const double sums[] = {[SUM_ALLOCATED] = (double)told->allocated,
	    [SUM_PROMOTED] = (double)told->promoted,
	    [SUM_EVENTS] = (double)d->events,
	    [SUM_LOST] = WORD_BYTES * (double)told->lost_words,
	    [SUM_DROPPED] = (double)d->dropped,
	    [SUM_LOOP_BUSY] = (double)told->loop_busy_ns / 1e9};

	return sums[sum];
}

/* Print one of these values, for the process or for each domain. */
static void by_domain(const struct printer *p, enum sum which)
{
	static const struct metrics_domain none;
	const struct model *model = p->member->observation->model;
	double sum = 0;

	MODEL_FOREACH (d, model) {
		if (!d->seen && d->lost_words == 0)
			continue;
		const struct metrics_domain *told =
		    d->domain < p->m->domain_count ? &p->m->domains[d->domain] : &none;
		const double value = sum_of(which, d, told);
		sum += value;
		if (p->options->by_domain)
			labelled(p, "domain", format_said("%u", d->domain).s, value);
	}
	if (!p->options->by_domain)
		sample_alone(p, sum);
}

/* Print a setting of the runtime as a label, "" when it is not known. */
static void setting(const struct printer *p, const char *label, enum ocaml_setting_id id)
{
	const struct ocaml_settings *s = system_past_settings(p->member->observation->past);
	const bool known = s != NULL && s->of[id].from != OCAML_UNKNOWN;

	sample_text(p, label, known ? format_said("%" PRIu64, s->of[id].value).s : "");
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

static void alone_ns(const struct printer *p, uint64_t ns)
{
	sample_begin(p, "");
	sample_end_ns(p, ns);
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
			sample_begin(p, "");
			sample_text(p, "family", family_names[f]);
			sample_text(p, "domain", format_said("%u", i).s);
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

/* Return the fibers of the target's scheduler, with their totals, if it tells something; else NULL. */
static const struct fibers *fibers_of(const struct printer *p, unsigned what, struct fiber_totals *out)
{
	const char *name;
	const struct fibers *f = schedulers_first(p->member->observation->schedulers, &name);

	if (f == NULL || fibers_failed(f))
		return NULL;
	*out = fibers_totals(f);
	return (out->tells & what) == what ? f : NULL;
}

static void fibers_alive(const struct printer *p)
{
	struct fiber_totals t;

	if (fibers_of(p, 0, &t) == NULL || !t.alive_known)
		return;
	labelled(p, "state", "blocked", (double)t.blocked);
	labelled(p, "state", "ready", (double)(t.alive - t.blocked));
}

static void loop_turns(const struct printer *p)
{
	const struct model *model = p->member->observation->model;
	struct fiber_totals t;
	const struct fibers *f = fibers_of(p, FIBERS_TELL_TURNS, &t);
	struct hist all = {0};
	bool counted = false;

	for (unsigned i = 0; f != NULL && i < model_domains(model); i++) {
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
	sample_text(p, "kind", user_text_kind(model_user_slot(p->member->observation->model, slot)->kind));
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

/* Print the samples of each slot of user events, summed over all domains. */
static void each_user(
    const struct printer *p, void (*print)(const struct printer *p, const struct user_keys *keys, size_t slot,
				 const struct model_user *u))
{
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
			print(p, keys, slot, &user);
		hist_fini(&user.spans);
	}
	user_keys_destroy(keys);
}

/*
 * The families in printing order: X(name, type, when they are printed, help, how).  `p`, `m`, `o` and `f` are the
 * printer, the member, its observation, and the figures that reports and the overview have as well.
 */
#define FAMILIES(X)                                                                                          \
	X(runtime_info, gauge, ALWAYS, "Version of the OCaml runtime, how it is known, and its settings.",   \
	    runtime_info(p))                                                                                 \
	X(events_paused, gauge, ALWAYS, "Whether the process has paused its runtime events.",                \
	    sample_alone(p, m->state == FLEET_PAUSED))                                                       \
	X(events_off, gauge, ALWAYS,                                                                         \
	    "Whether it records no events: figures come from the counters in its memory.",                   \
	    sample_alone(p, o->off))                                                                         \
	X(start_time_seconds, gauge, ALWAYS, "When the process began, in Unix time.", start_time(p))         \
	X(observed_seconds_total, counter, WITH_EVENTS,                                                      \
	    "Time for which domains were observed, all domains together.", alone_ns(p, p->m->observed_ns))   \
	X(domains, gauge, ALWAYS, "Domains that run.", sample_alone(p, f->running))                          \
	X(gc_seconds_total, counter, WITH_EVENTS,                                                            \
	    "Time in pauses of the collector by what it was spent on, all domains together.", gc_seconds(p)) \
	X(gc_minor_collections_total, counter, ALWAYS, "Minor collections.",                                 \
	    sample_alone(p, (double)figure_collections(o->model, RTEV_PHASE_MINOR)))                         \
	X(gc_major_cycles_total, counter, ALWAYS, "Major cycles.",                                           \
	    sample_alone(p, (double)figure_collections(o->model, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS)))        \
	X(gc_pause_seconds, histogram, WITH_EVENTS, "Pauses of the collector, of each domain.", pauses(p))   \
	X(minor_allocated_bytes_total, counter, ALWAYS,                                                      \
	    "Bytes allocated in minor heaps, counted at minor collections.", by_domain(p, SUM_ALLOCATED))    \
	X(promoted_bytes_total, counter, ALWAYS, "Bytes promoted to the major heap.",                        \
	    by_domain(p, SUM_PROMOTED))                                                                      \
	X(heap_bytes, gauge, ALWAYS, "Size of the major heap.", sample_alone(p, f->all.heap_bytes))          \
	X(heap_growth_bytes_per_minute, gauge, ALWAYS, "Growth of the major heap per minute.",               \
	    sample_alone(p, f->heap_growth))                                                                 \
	X(heap_age_seconds, gauge, ALWAYS, "Age of ocaml_heap_bytes.", sample_alone(p, f->heap_age / 1e9))   \
	X(resident_memory_bytes, gauge, ALWAYS, "Resident memory of the process.",                           \
	    sample_alone(p, f->resident_bytes))                                                              \
	X(cpu_seconds_total, counter, ALWAYS, "Processor time of the process.", cpu(p))                      \
	X(cpu_throttled_seconds_total, counter, ALWAYS, "Time in which its control groups were throttled.",  \
	    if (system_past_total(o->past, SYSTEM_THROTTLED, &ns)) alone_ns(p, ns))                          \
	X(events_total, counter, WITH_EVENTS, "Runtime events read.", by_domain(p, SUM_EVENTS))              \
	X(ring_lost_bytes_total, counter, WITH_EVENTS,                                                       \
	    "Bytes of events that were overwritten before they were read.", by_domain(p, SUM_LOST))          \
	X(spans_dropped_total, counter, WITH_EVENTS, "Spans whose begin or end is missing.",                 \
	    by_domain(p, SUM_DROPPED))                                                                       \
	X(finding, gauge, ALWAYS, "A finding that is present: see rtevtop, view a.", findings(p))            \
	X(verdict, gauge, ALWAYS, "0 healthy, 1 worth attention, 2 bad: the sentence of rtevtop's header.",  \
	    verdict(p))                                                                                      \
	X(finding_cost_ratio, gauge, ALWAYS, "What a finding costs, as a share of the busy time.",           \
	    finding_costs(p))                                                                                \
	X(fibers, gauge, ALWAYS, "Fibers that are alive: blocked, or ready to run.", fibers_alive(p))        \
	X(fibers_created_total, counter, ALWAYS, "Fibers created.",                                          \
	    sample_alone(p, fibers_of(p, FIBERS_TELL_FIBERS, &t) ? (double)t.created : (double)NAN))         \
	X(fiber_errors_total, counter, ALWAYS, "Contexts of fibers that failed.",                            \
	    sample_alone(p, fibers_of(p, FIBERS_TELL_CONTEXTS, &t) ? (double)t.errors : (double)NAN))        \
	X(loop_turn_seconds, histogram, ALWAYS, "Turns of event loops: how late an event could be noticed.", \
	    loop_turns(p))                                                                                   \
	X(loop_busy_seconds_total, counter, ALWAYS, "Time in which event loops did not wait for events.",    \
	    if (fibers_of(p, FIBERS_TELL_TURNS, &t) != NULL) by_domain(p, SUM_LOOP_BUSY))                    \
	X(fibers_cancelled_total, counter, ALWAYS,                                                           \
	    "Contexts of fibers that were cancelled and did not fail.",                                      \
	    sample_alone(p, fibers_of(p, FIBERS_TELL_CONTEXTS, &t) ? (double)t.cancelled : (double)NAN))     \
	X(loop_late_seconds_total, counter, ALWAYS,                                                          \
	    "Time in runs of fibers, and turns of many, that took 50 ms or more.",                           \
	    sample_alone(p, fibers_of(p, FIBERS_TELL_FIBERS, &t) ? (double)t.late_ns / 1e9 : (double)NAN))   \
	X(lock_waiters, gauge, ALWAYS,                                                                       \
	    "Threads that wait for a lock, average since the last output; absent where locks are not "       \
	    "known.",                                                                                        \
	    labelled(p, "kind", "mutex", p->m->mutex_waiters);                                               \
	    labelled(p, "kind", "master", p->m->master_waiters))                                             \
	X(deadlock, gauge, ALWAYS,                                                                           \
	    "Whether threads wait for each other's locks for ever; absent where locks are not known.",       \
	    deadlock(p))                                                                                     \
	X(user_events_total, counter, WITH_USERS, "Events of the program; of spans, their ends.",            \
	    each_user(p, user_count))                                                                        \
	X(user_value, gauge, WITH_USERS, "Latest value of an event of the program.",                         \
	    each_user(p, user_last))                                                                         \
	X(user_span_seconds, histogram, WITH_USERS, "Spans of the program.", each_user(p, user_span))        \
	X(user_names_ignored, gauge, WITH_USERS, "Names of events that are left out.",                       \
	    sample_alone(p, (double)(model_user_slots(o->model) - slots_told(p))))

#define FAMILY_ENUM(name, ...) FAMILY_##name,
enum family { FAMILIES(FAMILY_ENUM) FAMILY_COUNT };

static const struct {
	const char *name, *type, *help;
	enum {
		ALWAYS,
		WITH_EVENTS,
		WITH_USERS
	} when; /* not before the process has had an event; only with --user-events */
} families[FAMILY_COUNT] = {
#define FAMILY_ROW(name, type, when, help, ...) {"ocaml_" #name, #type, help, when},
    FAMILIES(FAMILY_ROW)};

static void family_print(const struct printer *p, enum family family)
{
	const struct fleet_member *m = p->member;
	const struct observation *o = m->observation;
	const struct window_figures *f = window_figures_told(&m->figures);
	struct fiber_totals t;
	uint64_t ns;

	switch (family) {
#define FAMILY_PRINT(name, type, when, help, ...)                                                            \
	case FAMILY_##name:                                                                                  \
		__VA_ARGS__;                                                                                 \
		break;
		FAMILIES(FAMILY_PRINT)
	case FAMILY_COUNT:
		break;
	}
}

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
	for (int f = 0; f < FAMILY_COUNT; f++) {
		struct printer p = {.out = out, .options = options, .name = families[f].name};
		if (families[f].when == WITH_USERS && !options->user_events)
			continue;
		head(out, families[f].name, families[f].type, families[f].help);
		for (size_t i = 0; i < fleet_count(fleet) && out->error == 0; i++) {
			p.member = fleet_member(fleet, i);
			p.m = p.member->face;
			if (p.m != NULL && p.m->printed &&
			    (families[f].when == ALWAYS || !observation_eventless(p.member->observation)))
				family_print(&p, (enum family)f);
		}
	}
	head(out, "rtevtop_build_info", "gauge", "Version of rtevtop.");
	out_format(out, "rtevtop_build_info{version=\"%s\"} 1\n", rtev_version());
	head(out, "rtevtop_targets", "gauge", "Processes that are observed.");
	out_format(out, "rtevtop_targets %zu\n", targets);
}
