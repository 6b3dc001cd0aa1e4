/* advice.c - judge the rules and keep their findings. */
#include "advice/advice.h"

#include "advice/evidence.h"
#include "advice/findings/findings.h"
#include "core/event.h"
#include "figures/figures.h"
#include "print/number.h"

#define LOST_TOO_MUCH 0.01 /* share of lost words above which rates and shares are unreliable */
#define EXPLAINED 2.0	   /* a finding explains a later one that costs up to this many times as much */

static const struct rule *const rules[] = {
#define FINDING_ROW(name) &rule_##name,
    FINDINGS(FINDING_ROW)
#undef FINDING_ROW
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

/* The state of one rule over time. */
struct standing {
	struct advice_finding finding; /* as last judged */
	bool held, shown;
	unsigned failed;     /* consecutive judgements in which the condition failed */
	uint64_t serious_ts; /* when it was serious last */
};

struct advice {
	struct collector *collector; /* NULL in a copy */
	const struct system_past *system;
	const struct schedulers *schedulers;
	const struct profile *code;    /* NULL: none */
	const struct lock_past *locks; /* NULL: none */
	const char *locks_why; /* why there are no looks at locks; NULL: not known, or there are looks */
	enum rtev_release release;
	uint64_t ring_words;
	bool overrun;	   /* the writer of a ring dropped more than it wrote */
	bool ended;	   /* advice_ended was called */
	unsigned programs; /* number of the program that the findings are about */
	uint64_t judged_at;
	bool whole; /* the window is all time since the beginning */
	bool final; /* no more events will come: a finding whose condition fails is dropped at once */
	struct standing standings[RULES];
	double unserved; /* most of the busy time in which its domains can have lacked a processor */
	struct advice_finding shown[RULES]; /* by descending share */
	size_t shown_count;
	struct advice_left_out left_out[RULES];
	size_t left_out_count;
	char summary[128];
	uint64_t early; /* set of rules that lack evidence which time will bring */
	bool unexplained, looking;
	struct advice_seen seen;
};

struct advice *advice_create(const struct advice_options *options, struct model *model, const struct stw *stw,
    const struct system_past *system, const struct schedulers *schedulers)
{
	struct advice *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->system = system;
	a->schedulers = schedulers;
	a->looking = true;
	a->whole = options->whole;
	a->seen = (struct advice_seen){.start = true, .gc = NAN, .lost = NAN, .throttled = NAN, .swap = NAN};
	a->collector = collector_create(options->whole, model, stw);
	if (a->collector != NULL)
		return a;
	free(a);
	return NULL;
}

void advice_destroy(struct advice *a)
{
	if (a == NULL)
		return;
	collector_destroy(a->collector);
	free(a);
}

struct advice *advice_copy(const struct advice *from)
{
	struct advice *a = malloc(sizeof(*a));

	if (a == NULL)
		return NULL;
	memcpy(a, from, sizeof(*a));
	a->collector = NULL;
	a->system = NULL;
	a->schedulers = NULL;
	a->locks = NULL;
	return a;
}

void advice_about(struct advice *a, enum rtev_release release, uint64_t ring_words, bool overrun)
{
	a->release = release;
	a->ring_words = ring_words;
	a->overrun = overrun;
}

void advice_ended(struct advice *a)
{
	a->ended = true;
}

/* Record why a rule is left out. */
__attribute__((format(printf, 3, 4))) static void leave_out(
    struct advice *a, const struct rule *rule, const char *format, ...)
{
	struct advice_left_out *left = &a->left_out[a->left_out_count++];
	va_list args;

	left->name = rule->name;
	left->unmet = left->explained = false;
	va_start(args, format);
	vsnprintf(left->why, sizeof(left->why), format, args);
	va_end(args);
}

/* Return seconds as whole nanoseconds. */
static uint64_t whole_ns(double seconds)
{
	return seconds * 1e9 < (double)INT64_MAX ? (uint64_t)(seconds * 1e9) : INT64_MAX;
}

/* Initialize a finding of a rule; its figures are not known yet. */
static struct advice_finding finding_of(const struct rule *rule, const struct evidence *e)
{
	return (struct advice_finding){.name = rule->name,
	    .question = rule->question,
	    .window_ns = whole_ns(e->window_s),
	    .share = NAN,
	    .seconds = NAN,
	    .bytes = NAN,
	    .gain = NAN};
}

/* Return whether two findings of a rule have equal subjects. */
static bool same_subject(const struct advice_finding *a, const struct advice_finding *b)
{
	return a->subject == b->subject && a->domain == b->domain && a->phase == b->phase &&
	       strcmp(a->user, b->user) == 0;
}

/* Record that the condition of a rule holds.  What was serious stays so for a while: near its bound it would change with
 * each judgement. */
static void standing_hold(struct standing *s, struct advice_finding *found, uint64_t now, bool final)
{
	const bool same = s->held && same_subject(&s->finding, found);

	found->since = same ? s->finding.since : now;
	found->lasting |= same && !final && s->finding.lasting;
	if (found->severity == ADVICE_SERIOUS) {
		s->serious_ts = now;
	} else if (same && !final && s->finding.severity == ADVICE_SERIOUS &&
		   now - s->serious_ts < ADVICE_MILDER_NS) {
		found->severity = ADVICE_SERIOUS;
		found->foremost = s->finding.foremost;
	}
	s->finding = *found;
	s->held = true;
	s->failed = 0;
}

/* Return which requirement of a rule the evidence does not meet, as a clause; NULL: all are met. */
static const char *lacks(const struct rule *rule, const struct evidence *e)
{
	if (e->to <= e->from)
		return "the start of a program is not judged";
	if ((rule->needs & NEEDS_LOOKS) != 0)
		return e->locks == NULL ? "its locks were not looked at" : NULL;
	if (e->counters && (rule->needs & BY_COUNTERS) == 0)
		return "no events come, and counters in memory do not tell";
	if ((rule->needs & NEEDS_EVENTS) != 0 && e->lost_share > LOST_TOO_MUCH)
		return "too many events were lost";
	if ((rule->needs & NEEDS_RUNNING) != 0 && e->system.stopped)
		return "a signal or a debugger stopped the process meanwhile";
	if ((rule->needs & NEEDS_SYSTEM) != 0 && !e->system.there)
		return "no samples of the system";
	if ((rule->needs & NEEDS_GAUGES) != 0 && e->release == RTEV_RELEASE_5_0 && !e->counters)
		return "OCaml 5.0 does not tell the size of its heap";
	return NULL;
}

/* Judge one rule. */
static void judge(struct advice *a, size_t i, const struct evidence *e)
{
	const struct rule *rule = rules[i];
	struct standing *s = &a->standings[i];
	struct advice_finding found = finding_of(rule, e);
	const char *missing = lacks(rule, e);
	bool none = (rule->needs & NEEDS_FIBERS) != 0 && e->fibers == NULL;
	const bool looks = (rule->needs & NEEDS_LOOKS) != 0 && missing != NULL && a->locks_why != NULL;
	enum verdict verdict = VERDICT_NO;

	/* A program without fibers lacks no evidence. */
	if (none)
		finding_say(&found, "no scheduler of fibers wrote events");
	else
		verdict = missing != NULL ? VERDICT_EARLY : rule->judge(e, s->held && !a->final, &found);

	if (verdict == VERDICT_YES && !rule->latency &&
	    found.seconds < bound(ADVICE_LEAST_CORE, s->held && !a->final) * e->window_s) {
		finding_say(&found, "it costs less than 0.5%% of a core");
		verdict = VERDICT_NO;
	}
	if (verdict == VERDICT_YES) {
		if (!rule->latency && found.seconds < ADVICE_SERIOUS_WALL * e->window_s)
			found.severity = ADVICE_HINT;
		if (e->counters && (rule->needs & (NEEDS_EVENTS | NEEDS_GAUGES)) != 0 &&
		    (rule->needs & NEEDS_SYSTEM) == 0)
			strlcat(found.text, "; by counters in its memory alone", sizeof(found.text));
		standing_hold(s, &found, e->to, a->final);
		return;
	}
	if (s->held && (++s->failed >= ADVICE_LEAVE || a->final))
		s->held = false;
	if (verdict == VERDICT_EARLY && missing == NULL)
		a->early |= UINT64_C(1) << i;
	if (!s->held && verdict == VERDICT_EARLY)
		leave_out(a, rule, "%s%s%s",
		    missing != NULL	    ? missing
		    : found.text[0] != '\0' ? found.text
					    : rule->early,
		    looks ? ": " : "", looks ? a->locks_why : "");
	if (!s->held && verdict == VERDICT_NO) {
		leave_out(a, rule, "%s", found.text[0] != '\0' ? found.text : rule->unmet);
		a->left_out[a->left_out_count - 1].unmet = true;
	}
}

/* Return whether a finding costs too much for an earlier one to explain it. */
static bool costs_more(const struct advice_finding *f, const struct advice_finding *earlier)
{
	return !isnan(earlier->share) && !isnan(f->share) && f->share > EXPLAINED * earlier->share;
}

/* Return whether the finding of rule i costs much even if all of the time without a processor is in it.  Where its cost is
 * a latency, many may wait for the one that has none. */
static bool apart_from_starved(const struct advice *a, size_t i)
{
	const struct standing *s = &a->standings[i];

	return !a->standings[FINDING_starved].finding.foremost && !rules[i]->latency &&
	       s->finding.share - a->unserved >= bound(ADVICE_COSTLY, s->shown);
}

/* Return the rule whose finding is shown instead of that of rule i: an earlier one that explains it, or a
 * later one that costs more and is never shown together with it.  NULL when there is none. */
static const struct rule *explained_by(const struct advice *a, size_t i)
{
	const struct advice_finding *f = &a->standings[i].finding;

	for (size_t k = 0; k < i; k++) {
		const struct standing *s = &a->standings[k];
		if (!s->held)
			continue;
		if ((rules[i]->never_with >> k & 1) != 0 && !costs_more(f, &s->finding))
			return rules[k];
		if (f->proven || (rules[i]->causes >> k & 1) == 0)
			continue;
		if (!costs_more(f, &s->finding) && !(k == FINDING_starved && apart_from_starved(a, i)))
			return rules[k];
	}
	for (size_t k = i + 1; k < RULES; k++)
		if (a->standings[k].held && (rules[k]->never_with >> i & 1) != 0 &&
		    costs_more(&a->standings[k].finding, f))
			return rules[k];
	return NULL;
}

/* Order findings: the foremost first, then those without another possible cause, then by descending share; of
 * those without a share the serious ones come first. */
static int by_share(const void *left, const void *right)
{
	const struct advice_finding *a = left, *b = right;

	if (a->foremost && b->foremost)
		return (int)b->proven - (int)a->proven;
	if (a->foremost || b->foremost)
		return (int)b->foremost - (int)a->foremost;
	if (isnan(a->share) || isnan(b->share)) {
		if (!isnan(a->share) || !isnan(b->share))
			return isnan(a->share) - isnan(b->share);
		return (int)b->severity - (int)a->severity;
	}
	return (a->share < b->share) - (a->share > b->share);
}

/* Show the finding of rule i.  Beside `starved` it tells how much of the busy time may be the lack of a processor. */
static void show_one(struct advice *a, size_t i, struct advice_finding *starved)
{
	struct advice_finding *to = &a->shown[a->shown_count++];

	*to = a->standings[i].finding;
	if (starved == NULL || to->proven || (rules[i]->causes & FINDING(starved)) == 0)
		return;
	figure(to, "without_a_processor_at_most", a->unserved, ADVICE_UNIT_SHARE);
	/* What it may explain a part of comes after it. */
	starved->foremost |= !costs_more(to, starved);
}

/* Return the most of the busy time in which the domains can have lacked a processor: as much as all threads waited,
 * since it may have been theirs alone. */
static double unserved_of(const struct advice *a, const struct evidence *e)
{
	const double told = a->standings[FINDING_starved].finding.share;
	uint64_t wait;

	if (!evidence_grown(e, SYSTEM_WAIT, &wait) || e->system.ns == 0)
		return told;
	return fmax(told, evidence_share(e, (double)wait * e->window_s * 1e9 / (double)e->system.ns));
}

/* Select the findings to show, and sort them. */
static void show(struct advice *a)
{
	struct advice_finding *starved = NULL;

	a->shown_count = 0;
	for (size_t i = 0; i < RULES; i++) {
		struct standing *s = &a->standings[i];
		const struct rule *cause = s->held ? explained_by(a, i) : NULL;
		s->shown = s->held && cause == NULL;
		if (cause != NULL) {
			leave_out(a, rules[i], "%s comes first: change that, then look again", cause->name);
			a->left_out[a->left_out_count - 1].explained = true;
		} else if (s->held) {
			show_one(a, i, starved);
			if (i == FINDING_starved)
				starved = &a->shown[a->shown_count - 1];
		}
	}
	mergesort(a->shown, a->shown_count, sizeof(a->shown[0]), by_share);
}

/* Return the phase with the largest self time of the collector, and its share of the collector's time. */
static rtev_phase largest_phase(const struct evidence *e, double *share)
{
	rtev_phase most = RTEV_PHASE_MINOR;
	uint64_t all = 0;

	for (rtev_phase phase = 0; phase < RTEV_PHASE_COUNT; phase++) {
		if (phase_class(phase) == RTEV_CLASS_IDLE || phase_class(phase) == RTEV_CLASS_EXPLICIT)
			continue;
		all = sum_saturating(all, e->sum.phase_self[phase]);
		if (e->sum.phase_self[phase] > e->sum.phase_self[most])
			most = phase;
	}
	*share = all > 0 ? (double)e->sum.phase_self[most] / (double)all : 0;
	return most;
}

/* Summarize what the findings leave open. */
static void summarize(struct advice *a, const struct evidence *e)
{
	const bool few_cycles = (a->early & FINDING(space_overhead_low)) != 0;
	double gc = evidence_minor(e) + evidence_major(e) + evidence_class(e, RTEV_CLASS_COMPACTION),
	       told = 0, of_all;
	double share = evidence_share(e, gc), enough = (double)ENOUGH_NS / 1e9;
	bool early = e->window_s < enough;
	char name[RTEV_NAME_SIZE];

	/* What an earlier finding explains is known, too. */
	for (size_t i = 0; i < RULES; i++)
		if (a->standings[i].held)
			told = fmax(told, a->standings[i].finding.share);
	a->unexplained = evidence_enough(e) && e->window_s >= 1 && share >= ADVICE_MUCH_GC &&
			 told < fmax(ADVICE_ACCOUNTS * share, ADVICE_COSTLY) &&
			 gc / 1e9 >= ADVICE_SERIOUS_WALL * e->window_s;
	a->looking = early;
	a->summary[0] = '\0';
	if (a->unexplained) {
		rtev_phase most = largest_phase(e, &of_all);
		snprintf(a->summary, sizeof(a->summary), "%s of the busy time in GC, %s %s; %s",
		    format_percent(share).s, of_all > 0.5 ? "most of it" : "the largest part",
		    rtev_phase_name(most, name),
		    e->lost_share > LOST_TOO_MUCH ? "too many events were lost to say why"
		    : few_cycles && evidence_major(e) > evidence_minor(e)
			? "too few major cycles ended to say why"
		    : early		  ? "10s of evidence are needed to say why"
		    : evidence_resized(e) ? "the program resized its minor heap meanwhile"
					  : "no finding explains it");
	} else if (a->shown_count == 0 && a->final && e->to <= e->from) {
		snprintf(a->summary, sizeof(a->summary), "too short to judge: %s are needed after its start",
		    format_age((uint64_t)enough).s);
	} else if (a->shown_count == 0 && early) {
		snprintf(a->summary, sizeof(a->summary),
		    a->final ? "nothing found in %s; %s are needed to tell" : "looking: %s of %s",
		    a->final ? format_duration(whole_saturating(e->window_s * 1e9)).s
			     : format_age((uint64_t)e->window_s).s,
		    format_age((uint64_t)enough).s);
	} else if (a->shown_count == 0) {
		snprintf(a->summary, sizeof(a->summary), "nothing found");
	}
}

/* Keep the figures of the window. */
static void see(struct advice *a, const struct evidence *e)
{
	uint64_t swap, resident;
	double observed = 0, throttled;

	for (unsigned i = 0; i < e->domain_count; i++)
		observed += (double)e->domains[i].observed_ns;
	a->seen = (struct advice_seen){.window_ns = whole_ns(e->window_s),
	    .start = e->to <= e->from,
	    .gc = e->counters ? (double)NAN : figure_share((double)e->pause_ns, observed),
	    .longest = e->longest,
	    .lost = e->lost_share,
	    .throttled = evidence_throttled(e, &throttled) ? throttled : (double)NAN,
	    .swap = NAN};
	/* A report, and everything about an ended target, shows all the time, including the start of the
	 * program, which is not judged. */
	if (a->whole || a->final) {
		a->seen.gc = figure_gc_all(e->model).gc;
		a->seen.longest = model_pauses(e->model)->max;
	}
	if (evidence_gauge(e, SYSTEM_SWAP, &swap) && evidence_gauge(e, SYSTEM_RESIDENT, &resident))
		a->seen.swap = figure_share((double)swap, (double)swap + (double)resident);
}

void advice_code(struct advice *a, const struct profile *code)
{
	a->code = code;
}

void advice_locks(struct advice *a, const struct lock_past *locks, const char *why)
{
	a->locks = locks;
	a->locks_why = why;
}

/* Judge all rules. */
static void judge_all(struct advice *a, uint64_t now)
{
	struct fiber_trouble trouble;
	struct lock_window locks;
	struct evidence e;

	a->judged_at = now;
	a->left_out_count = 0;
	a->early = 0;
	collector_read(a->collector, now, &e);
	e.release = a->release;
	e.ring_words = a->ring_words;
	e.overrun = a->overrun;
	e.ended = a->ended;
	e.code = a->code;
	if (a->locks != NULL)
		lock_past_read(a->locks, e.from, &locks);
	e.looks = a->locks;
	e.locks = a->locks != NULL && locks.looks > 0 ? &locks : NULL;
	evidence_add_system(&e, a->system);
	const char *scheduler;
	struct fibers *fibers = schedulers_first(a->schedulers, &scheduler);
	if (fibers != NULL && fibers_trouble(fibers, e.from, e.to, &trouble))
		e.fibers = &trouble;
	/* Findings about an earlier program are dropped. */
	if (e.programs != a->programs)
		memset(a->standings, 0, sizeof(a->standings));
	a->programs = e.programs;
	for (size_t i = 0; i < RULES; i++)
		judge(a, i, &e);
	a->unserved = unserved_of(a, &e);
	show(a);
	summarize(a, &e);
	see(a, &e);
}

void advice_advance(struct advice *a, uint64_t now)
{
	collector_stops(a->collector);
	if (now >= a->judged_at && now - a->judged_at < ADVICE_EVERY_NS)
		return;
	judge_all(a, now);
}

void advice_finish(struct advice *a, uint64_t now)
{
	struct evidence e;

	/* Idle domains must be determined before the stops are added: from a file, all stops come at once. */
	collector_read(a->collector, now, &e);
	collector_stops(a->collector);
	a->final = true;
	judge_all(a, now);
}

const struct advice_finding *advice_findings(const struct advice *a, size_t *count)
{
	*count = a->shown_count;
	return a->shown;
}

const struct advice_finding *advice_found(const struct advice *a, const char *name)
{
	for (size_t i = 0; a != NULL && i < a->shown_count; i++)
		if (strcmp(a->shown[i].name, name) == 0)
			return &a->shown[i];
	return NULL;
}

const struct advice_left_out *advice_left_out(const struct advice *a, size_t *count)
{
	*count = a->left_out_count;
	return a->left_out;
}

const struct advice_seen *advice_seen(const struct advice *a)
{
	return &a->seen;
}

const char *advice_summary(const struct advice *a, bool *unexplained)
{
	*unexplained = a->unexplained;
	return a->summary;
}

void advice_busy_text(const struct advice_finding *f, char *buf, size_t size)
{
	snprintf(buf, size, "the busy time");
	if (f->share > 0 && f->seconds > 0)
		snprintf(buf, size, "the busy time, %s of %s",
		    format_duration(whole_saturating(f->seconds * 1e9)).s,
		    format_duration(whole_saturating(f->seconds / f->share * 1e9)).s);
}

bool advice_left_out_text(const struct advice *a, size_t i, char *buf, size_t size)
{
	const struct advice_left_out *left = a->left_out;

	for (size_t k = 0; k < i; k++)
		if (strcmp(left[k].why, left[i].why) == 0)
			return false;
	if (left[i].unmet && !a->unexplained)
		return false;
	snprintf(buf, size, "%s (%s):",
	    left[i].unmet	? "not found"
	    : left[i].explained ? "found, not shown"
				: "not judged",
	    left[i].why);
	for (size_t k = i; k < a->left_out_count; k++)
		if (strcmp(left[k].why, left[i].why) == 0) {
			strlcat(buf, " ", size);
			strlcat(buf, left[k].name, size);
		}
	return true;
}

bool advice_looking(const struct advice *a)
{
	return a->looking;
}

const char *advice_unit_name(enum advice_unit unit)
{
	static const char *const names[] = {ADVICE_UNITS(LIST_TEXT)};

	return names[unit];
}

const char *advice_severity_name(enum advice_severity severity)
{
	return severity == ADVICE_SERIOUS ? "serious" : "advice";
}

const char *advice_confidence_name(enum advice_confidence confidence)
{
	return confidence == ADVICE_MEASURED ? "measured" : "estimated";
}
