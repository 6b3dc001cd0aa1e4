/*
 * headline.c - the rules of the headline.
 */
#include "advice/headline.h"

#include "print/number.h"

#define IDLE_GC 0.01  /* share of the time in GC below which a program may be idle */
#define IDLE_CPU 0.05 /* cores in use below which it is, and above which it computes in silence */

/* Return the findings, and their number. */
static const struct advice_finding *findings_of(const struct headline_facts *f, size_t *count)
{
	*count = 0;
	return f->advice != NULL ? advice_findings(f->advice, count) : NULL;
}

/* Write the figures: "GC 0.4 %, longest pause 1.2 ms in 40 s". */
static void put_figures(const struct headline_facts *f, const char *before, struct headline *out)
{
	const struct formatted gc = format_spaced(format_percent(f->of[LIMIT_GC]));
	const unsigned long long seconds = f->window_ns / 1000000000;
	struct formatted age = format_age(seconds);

	if (seconds < 100)
		snprintf(age.s, sizeof(age.s), "%llu s", seconds);
	if (isnan(f->of[LIMIT_GC]))
		snprintf(out->text, sizeof(out->text), "%sno figures", before);
	else
		snprintf(out->text, sizeof(out->text), "%sGC %s, %s%s in %s", before, gc.s,
		    f->longest != NULL ? "longest pause " : "no pause", f->longest != NULL ? f->longest : "",
		    age.s);
}

/* Write the text of a finding; the name of a user event in it is foreign and sanitised as it is drawn. */
static bool put_finding(const struct advice_finding *finding, struct headline *out)
{
	out->findings = true;
	strlcpy(out->text, finding->text, sizeof(out->text));
	return true;
}

static bool tell_state(const struct headline_facts *f, struct headline *out)
{
	out->level = f->state_level;
	return f->state != NULL && strlcpy(out->text, f->state, sizeof(out->text)) > 0;
}

static bool tell_past(const struct headline_facts *f, struct headline *out)
{
	char before[64];

	snprintf(before, sizeof(before), "at %.40s: ", f->past != NULL ? f->past : "");
	put_figures(f, before, out);
	return f->past != NULL;
}

static bool tell_serious(const struct headline_facts *f, struct headline *out)
{
	size_t count;
	const struct advice_finding *findings = findings_of(f, &count);

	out->level = LEVEL_BAD;
	for (size_t i = 0; i < count; i++)
		if (findings[i].severity == ADVICE_SERIOUS)
			return put_finding(&findings[i], out);
	return false;
}

static bool tell_unexplained(const struct headline_facts *f, struct headline *out)
{
	bool unexplained = false;
	const char *summary = f->advice != NULL ? advice_summary(f->advice, &unexplained) : "";

	out->level = LEVEL_ATTENTION;
	out->findings = true;
	strlcpy(out->text, summary, sizeof(out->text));
	return unexplained;
}

static bool tell_late(const struct headline_facts *f, struct headline *out)
{
	out->level = LEVEL_ATTENTION;
	return f->late != NULL && strlcpy(out->text, f->late, sizeof(out->text)) > 0;
}

/* Where much is lost, what is said of the rest is not reliable. */
static bool tell_lost(const struct headline_facts *f, struct headline *out)
{
	out->level = limit_level(LIMIT_LOST, f->of[LIMIT_LOST]);
	snprintf(out->text, sizeof(out->text), "%s of the traffic was lost: figures are of the rest",
	    format_spaced(format_percent(f->of[LIMIT_LOST])).s);
	return out->level == LEVEL_BAD;
}

static bool tell_over(const struct headline_facts *f, struct headline *out)
{
	put_figures(f, "", out);
	return f->over != NULL;
}

static bool tell_off(const struct headline_facts *f, struct headline *out)
{
	return f->off != NULL && strlcpy(out->text, f->off, sizeof(out->text)) > 0;
}

static bool tell_looking(const struct headline_facts *f, struct headline *out)
{
	bool unexplained;
	const char *summary = f->advice != NULL ? advice_summary(f->advice, &unexplained) : "";

	strlcpy(out->text, summary[0] != '\0' ? summary : "looking: gathering evidence", sizeof(out->text));
	return f->advice != NULL && advice_looking(f->advice);
}

static bool tell_note(const struct headline_facts *f, struct headline *out)
{
	return f->note != NULL && strlcpy(out->text, f->note, sizeof(out->text)) > 0;
}

static bool tell_silent(const struct headline_facts *f, struct headline *out)
{
	if (f->silent_ns > 0 && f->held != NULL) {
		out->level = LEVEL_BAD;
		return strlcpy(out->text, f->held, sizeof(out->text)) > 0;
	}
	snprintf(out->text, sizeof(out->text), "%s: no event for %s%s",
	    f->cpu >= IDLE_CPU ? "runs without the collector" : "idle",
	    format_spaced(format_duration(f->silent_ns)).s,
	    f->not_paused ? " (not paused: read from the process)" : "");
	return f->silent_ns > 0;
}

static bool is_idle(const struct headline_facts *f)
{
	return f->cpu < IDLE_CPU && f->of[LIMIT_GC] < IDLE_GC;
}

static bool tell_costly(const struct headline_facts *f, struct headline *out)
{
	size_t count;
	const struct advice_finding *findings = findings_of(f, &count);

	out->level = LEVEL_ATTENTION;
	return count > 0 && findings[0].share >= HEADLINE_COSTLY && !is_idle(f) &&
	       put_finding(&findings[0], out);
}

/* A figure beyond its limit that no finding tells of. */
static bool tell_limit(const struct headline_facts *f, struct headline *out)
{
	static const char *const words[LIMIT_COUNT] = {[LIMIT_GC] = "much collection: ",
	    [LIMIT_PAUSE] = "long pauses: ",
	    [LIMIT_LOST] = " of the traffic was lost; ",
	    [LIMIT_THROTTLED] = " of the scheduler's periods throttled; ",
	    [LIMIT_SWAP] = " of its memory swapped out; "};
	char before[64] = "";

	out->level = LEVEL_GOOD;
	for (int i = 0; i < LIMIT_COUNT; i++) {
		enum limit_level level = limit_level((enum limit)i, f->of[i]);
		if (level <= out->level || level < LEVEL_ATTENTION)
			continue;
		out->level = level;
		/* The first two are told by the figures. */
		snprintf(before, sizeof(before), "%s%s",
		    i > LIMIT_PAUSE ? format_spaced(format_percent(f->of[i])).s : "", words[i]);
	}
	put_figures(f, before, out);
	return out->level >= LEVEL_ATTENTION;
}

static bool tell_idle(const struct headline_facts *f, struct headline *out)
{
	char before[64];

	snprintf(before, sizeof(before), "idle: %s of a core, ", format_spaced(format_percent(f->cpu)).s);
	put_figures(f, before, out);
	return is_idle(f);
}

/* Nothing serious: healthy, unless there is no judgement or findings of little cost. */
static bool tell_healthy(const struct headline_facts *f, struct headline *out)
{
	size_t count;

	findings_of(f, &count);
	bool healthy = f->advice != NULL && count == 0 && !isnan(f->of[LIMIT_GC]);
	out->level = healthy ? LEVEL_GOOD : LEVEL_NONE;
	put_figures(f, healthy ? "healthy: " : "", out);
	return true;
}

/* The rules, the most severe first. */
static bool (*const rules[])(const struct headline_facts *, struct headline *) = {tell_state, tell_past,
    tell_serious, tell_late, tell_unexplained, tell_lost, tell_over, tell_off, tell_looking, tell_note,
    tell_silent, tell_costly, tell_limit, tell_idle, tell_healthy};

void headline_of(const struct headline_facts *facts, struct headline *out)
{
	struct headline told;
	size_t count;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		told = (struct headline){.level = LEVEL_NONE};
		if (rules[i](facts, &told))
			break;
	}
	bool over = facts->over != NULL && facts->state == NULL && facts->past == NULL;
	*out = told;
	snprintf(out->text, sizeof(out->text), "%.40s%s%.270s", over ? facts->over : "", over ? ": " : "",
	    told.text);
	/* Where other figures come first, that there are findings of little cost is still told. */
	findings_of(facts, &count);
	if (out->findings || count == 0 || facts->state != NULL || facts->past != NULL)
		return;
	size_t used = strlen(out->text);
	snprintf(out->text + used, sizeof(out->text) - used, "; %zu finding%s", count, count == 1 ? "" : "s");
	out->findings = true;
}
