/* headline.c - the rules of the headline, and how long a headline is shown. */
#include "advice/headline.h"

#include <ctype.h>

#include "core/utf8.h"
#include "print/number.h"

#define IDLE_GC 0.01  /* share of the time in GC below which a program may be idle */
#define SERVED 0.9    /* a program that ran less of the time it wanted to had longer pauses for it */
#define IDLE_CPU 0.05 /* cores in use below which it is idle, and above which it computes without events */

/* Return the findings and their number. */
static const struct advice_finding *findings_of(const struct headline_facts *f, size_t *count)
{
	*count = 0;
	return f->advice != NULL ? advice_findings(f->advice, count) : NULL;
}

/* Write the figures: "GC 0.4%, longest pause 1.20ms".  Where GC is not known, that none ended is no sign that there was
 * no pause. */
static void put_figures(const struct headline_facts *f, const char *before, struct headline *out)
{
	const char *longest = f->longest != NULL ? f->longest : "",
		   *pause = f->longest != NULL		? "longest pause "
			    : isnan(f->of[LIMIT_PAUSE]) ? "pauses not known"
							: "no pause";

	if (!isnan(f->of[LIMIT_GC]))
		sentence_print(&out->said, "%sGC %s" SAY_MORE(", %s%s"), before,
		    format_percent(f->of[LIMIT_GC]).s, pause, longest);
	else if (f->longest != NULL)
		sentence_print(&out->said, "%s%s%s" SAY_MORE(", GC not known"), before, pause, longest);
	else
		sentence_print(&out->said, "%sGC and pauses not known", before);
	out->key = '5';
}

/* Write the sentence of a finding.  The name of a user event in it is untrusted, and sanitised when it is
 * drawn. */
static bool put_finding(const struct advice_finding *finding, struct headline *out)
{
	out->name = finding->name;
	out->key = 'a';
	out->said = finding->said;
	return true;
}

/* Write the sentence of a rule's finding, if there is one. */
static bool put_found(const struct headline_facts *f, const char *name, struct headline *out)
{
	const struct advice_finding *finding = advice_found(f->advice, name);

	return finding != NULL && put_finding(finding, out);
}

/* Write a text, if there is one. */
static bool put(const char *text, const char *name, char key, struct headline *out)
{
	out->name = name;
	out->key = key;
	sentence_print(&out->said, "%s", text != NULL ? text : "");
	return out->text[0] != '\0';
}

/* Return whether a finding says that memory grows. */
static bool grows(const struct headline_facts *f)
{
	size_t count;
	const struct advice_finding *findings = findings_of(f, &count);

	for (size_t i = 0; i < count; i++)
		if (findings[i].grows)
			return true;
	return false;
}

static bool tell_state(const struct headline_facts *f, struct headline *out)
{
	out->level = f->state_level;
	out->state = true;
	return put(f->state, NULL, f->state_level != LEVEL_NONE ? '8' : 0, out);
}

static bool tell_past(const struct headline_facts *f, struct headline *out)
{
	char before[64];

	snprintf(before, sizeof(before), "at %.40s: ", f->past != NULL ? f->past : "");
	if (f->off != NULL && isnan(f->of[LIMIT_GC]))
		sentence_print(&out->said, "%sno events", before);
	else
		put_figures(f, before, out);
	out->state = true;
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
	put(summary, "much GC", '3', out);
	for (int i = 0; i < 2; i++)
		snprintf(out->said.shorter[i], sizeof(out->said.shorter[i]), "%.*s",
		    (int)strcspn(summary, ","), summary);
	return unexplained;
}

static bool tell_late(const struct headline_facts *f, struct headline *out)
{
	out->level = LEVEL_ATTENTION;
	/* The finding about all late runs says more than the last run. */
	return f->late != NULL &&
	       (put_found(f, "fiber_no_switch", out) || put(f->late, "late loop", 'f', out));
}

/* If many events were lost, other findings are unreliable, whatever the reason for the loss. */
static bool tell_lost(const struct headline_facts *f, struct headline *out)
{
	out->level = limit_level(LIMIT_LOST, f->of[LIMIT_LOST]);
	return out->level == LEVEL_BAD && put_found(f, "ring_losses", out);
}

static bool is_idle(const struct headline_facts *f)
{
	return f->over == NULL && f->cpu < IDLE_CPU && f->of[LIMIT_GC] < IDLE_GC;
}

/* Return the first finding that is not serious, but costs much, or memory for long; NULL: there is none. */
static const struct advice_finding *costly(const struct headline_facts *f)
{
	size_t count;
	const struct advice_finding *findings = findings_of(f, &count);

	for (size_t i = 0; i < count; i++)
		if (findings[i].lasting || (findings[i].share >= ADVICE_COSTLY && !is_idle(f)))
			return &findings[i];
	return NULL;
}

static bool tell_costly(const struct headline_facts *f, struct headline *out)
{
	const struct advice_finding *finding = costly(f);

	out->level = LEVEL_ATTENTION;
	/* A figure far beyond its limit is worse than a heap that grows. */
	for (int i = 0; finding != NULL && finding->lasting && i < LIMIT_COUNT; i++)
		if (limit_level((enum limit)i, f->of[i]) == LEVEL_BAD)
			return false;
	return finding != NULL && put_finding(finding, out);
}

static bool tell_off(const struct headline_facts *f, struct headline *out)
{
	out->state = true;
	return put(f->off, NULL, f->counts ? 'C' : 0, out) && costly(f) == NULL;
}

static bool tell_looking(const struct headline_facts *f, struct headline *out)
{
	/* What a rule has had its evidence for is told at once. */
	return put("looking: 10s of evidence are needed", NULL, 'a', out) && f->advice != NULL &&
	       advice_looking(f->advice) && f->over == NULL && costly(f) == NULL;
}

static bool tell_note(const struct headline_facts *f, struct headline *out)
{
	return put(f->note, NULL, '8', out);
}

/* Why it is silent, if that is known. */
static bool tell_held(const struct headline_facts *f, struct headline *out)
{
	out->level = LEVEL_BAD;
	return f->silent && put(f->held, "stop held up", '6', out);
}

static bool tell_silent(const struct headline_facts *f, struct headline *out)
{
	out->well = f->cpu < IDLE_CPU;
	sentence_print(&out->said, "%sno events come" SAY_MORE("%s"),
	    f->cpu >= IDLE_CPU	? "runs without the collector: "
	    : f->cpu < IDLE_CPU ? "idle: "
				: "",
	    f->not_paused ? " (not paused: read from the process)" : "");
	out->key = '2';
	return f->silent && !is_idle(f);
}

/* Return the level of a figure, no more than attention where the collector would be blamed for what a
 * processor may have lacked: it would have taken its share of the time that the program ran. */
static enum limit_level level_of(const struct headline_facts *f, int limit, bool *unserved)
{
	const enum limit_level level = limit_level((enum limit)limit, f->of[limit]);

	*unserved = limit <= LIMIT_PAUSE && f->ran < SERVED &&
		    limit_level((enum limit)limit, f->ran * f->of[limit]) < level;
	return *unserved && level > LEVEL_ATTENTION ? LEVEL_ATTENTION : level;
}

/* A figure beyond its limit that no finding tells of. */
static bool tell_limit(const struct headline_facts *f, struct headline *out)
{
	static const struct {
		const char *words, *name;
		char key;
	} limits[LIMIT_COUNT] = {[LIMIT_GC] = {"much collection: ", "much GC", '3'},
	    [LIMIT_PAUSE] = {"long pauses: ", "long pauses", '5'},
	    [LIMIT_LOST] = {" of the event traffic was lost", "losses", '8'},
	    [LIMIT_THROTTLED] = {" of the scheduler's periods were throttled", "throttled", '2'},
	    [LIMIT_SWAP] = {" of its memory is swapped out", "swapping", '7'}};
	char figures[SENTENCE_TEXT];
	bool unserved = false, without;
	int worst = LIMIT_COUNT;
	size_t count;
	const struct advice_finding *findings = findings_of(f, &count);

	/* Of a program that was over before its start was, nothing is judged. */
	if (f->over != NULL && f->advice != NULL && advice_seen(f->advice)->start)
		return false;
	out->level = LEVEL_GOOD;
	for (int i = 0; i < LIMIT_COUNT; i++) {
		enum limit_level level = level_of(f, i, &without);
		if (level <= out->level || level < LEVEL_ATTENTION)
			continue;
		out->level = level;
		worst = i;
		unserved = without;
	}
	if (worst == LIMIT_COUNT)
		return false;
	/* A program that waits much for a processor does so in its pauses, too. */
	if (worst <= LIMIT_PAUSE && count > 0 && findings[0].share >= ADVICE_COSTLY &&
	    strcmp(findings[0].name, "starved") == 0)
		return put_finding(&findings[0], out);
	if (unserved) {
		snprintf(figures, sizeof(figures),
		    "it ran %s of the time it wanted to: ", format_percent(f->ran).s);
		put_figures(f, figures, out);
		out->name = "no processor";
		out->key = '2';
		return true;
	}
	/* The figures already contain the first two. */
	put_figures(f, worst > LIMIT_PAUSE ? "" : limits[worst].words, out);
	if (worst > LIMIT_PAUSE)
		sentence_print(&out->said, "%s%s" SAY_MORE("; %.100s"), format_percent(f->of[worst]).s,
		    limits[worst].words, strcpy(figures, out->text));
	out->name = limits[worst].name;
	out->key = limits[worst].key;
	return true;
}

static bool tell_idle(const struct headline_facts *f, struct headline *out)
{
	char before[64];

	snprintf(before, sizeof(before), "idle: %s of a core, ", format_percent(f->cpu).s);
	put_figures(f, before, out);
	out->well = f->advice != NULL;
	return is_idle(f);
}

/* The target paused its events for most of the time. */
static bool tell_paused(const struct headline_facts *f, struct headline *out)
{
	out->well = !isnan(f->of[LIMIT_GC]);
	return put_found(f, "tracing_paused", out);
}

/* A finding of small cost, if it is worth mentioning. */
static bool tell_small(const struct headline_facts *f, struct headline *out)
{
	size_t count;
	const struct advice_finding *findings = findings_of(f, &count);

	out->well = true;
	for (size_t i = 0; i < count; i++)
		if (isnan(findings[i].seconds) ||
		    findings[i].seconds * 1e9 >= HEADLINE_CORES * (double)findings[i].window_ns)
			return put_finding(&findings[i], out);
	return false;
}

/* The target has ended, and nothing wrong was seen. */
static bool tell_over(const struct headline_facts *f, struct headline *out)
{
	put_figures(f, "", out);
	if (f->over != NULL && strcmp(f->over, "file") == 0)
		strlcat(out->text, "; locks are not recorded", sizeof(out->text));
	out->well = f->advice != NULL && !advice_looking(f->advice) && !isnan(f->of[LIMIT_GC]);
	return f->over != NULL;
}

/* Nothing is wrong: "healthy" if that was judged. */
static bool tell_healthy(const struct headline_facts *f, struct headline *out)
{
	out->well = f->advice != NULL && !isnan(f->of[LIMIT_GC]);
	out->level = out->well ? LEVEL_GOOD : LEVEL_NONE;
	put_figures(f, out->well ? "healthy: " : "", out);
	return true;
}

/* The rules, in the order of severity. */
static bool (*const rules[])(const struct headline_facts *, struct headline *) = {tell_state, tell_past,
    tell_serious, tell_lost, tell_late, tell_unexplained, tell_off, tell_looking, tell_note, tell_held,
    tell_costly, tell_limit, tell_paused, tell_idle, tell_small, tell_silent, tell_over, tell_healthy};

void headline_of(const struct headline_facts *facts, struct headline *out)
{
	struct headline told;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		told = (struct headline){.level = LEVEL_NONE, .rule = (unsigned)i};
		if (rules[i](facts, &told))
			break;
	}
	bool over = facts->over != NULL && facts->state == NULL && facts->past == NULL;
	*out = told;
	out->well &= !grows(facts);
	out->state |= over;
	if (over)
		headline_of_what(out, facts->over);
}

void headline_of_what(struct headline *h, const char *what)
{
	const struct sentence said = h->said;

	snprintf(h->text, sizeof(h->text), "%.40s: %.*s", what, utf8_fit(said.text, strlen(said.text), 270),
	    said.text);
	for (int i = 0; i < 2; i++)
		if (said.shorter[i][0] != '\0')
			snprintf(h->said.shorter[i], SENTENCE_SHORTER, "%.10s: %.*s", what,
			    utf8_fit(said.shorter[i], strlen(said.shorter[i]), 180), said.shorter[i]);
}

int headline_verdict(const struct headline *h)
{
	return h->level >= LEVEL_ATTENTION ? (int)(h->level - LEVEL_GOOD) : h->well ? 0 : -1;
}

const char *headline_verdict_name(const struct headline *h)
{
	static const char *const names[] = {"healthy", "attention", "bad"};
	int verdict = headline_verdict(h);

	return verdict < 0 ? NULL : names[verdict];
}

/* ---- what is shown ---- */

/* A word of a sentence, and the blanks before it. */
struct word {
	size_t blanks, bytes, width;
	bool figure;
};

/* Return the first word of a text; it is empty at the end. */
static struct word word_at(const char *text)
{
	struct word w = {.blanks = strspn(text, " ")};

	for (const char *at = text + w.blanks; *at != '\0' && *at != ' '; at++) {
		w.bytes++;
		w.width += ((unsigned char)*at & 0xc0) != 0x80;
		w.figure |= isdigit((unsigned char)*at) != 0;
	}
	return w;
}

/* Write a sentence with its words in the columns of another one that differs from it only in numbers.
 * Returns false if it differs in more. */
static bool put_in_places(const char *of, const char *text, char *out, size_t size)
{
	size_t used = 0;

	for (bool first = true;; first = false) {
		const struct word there = word_at(of), here = word_at(text);
		of += there.blanks;
		text += here.blanks;
		if (there.bytes == 0 || here.bytes == 0)
			return there.bytes == here.bytes;
		if (!(there.figure && here.figure) &&
		    (there.bytes != here.bytes || memcmp(of, text, here.bytes) != 0))
			return false;
		size_t room = there.blanks + there.width,
		       blanks = room > here.blanks + here.width ? room - here.width : here.blanks;
		used += (size_t)snprintf(
		    out + used, size - used, "%*s%.*s", (int)blanks, "", (int)here.bytes, text);
		if (used >= size || (first && here.blanks > 0))
			return false;
		of += there.bytes;
		text += here.bytes;
	}
}

/* Do put_in_places for each length that both sentences have. */
static bool put_all_in_places(const struct sentence *of, const struct sentence *said, struct sentence *out)
{
	*out = *said;
	for (int i = 0; i < 2; i++)
		put_in_places(of->shorter[i], said->shorter[i], out->shorter[i], sizeof(out->shorter[i]));
	return put_in_places(of->text, said->text, out->text, sizeof(out->text));
}

const struct headline *headline_hold(
    struct headline_shown *shown, const struct headline *fresh, int64_t pid, uint64_t now)
{
	struct headline *h = &shown->headline;
	struct sentence places;
	bool other = shown->since == 0 || shown->pid != pid || now < shown->since;

	int worse = headline_verdict(fresh) - headline_verdict(h);
	const bool same = !other && fresh->key == h->key && fresh->level <= h->level &&
			  put_all_in_places(&h->said, &fresh->said, &places);
	const uint64_t held = same ? HEADLINE_FIGURES_NS : HEADLINE_HELD_NS;
	if (!other && !fresh->state && !h->state && now - shown->since < held && worse <= 0 &&
	    (worse < 0 || fresh->level < LEVEL_ATTENTION || fresh->rule >= h->rule))
		return h;
	*h = *fresh;
	if (same)
		h->said = places;
	shown->pid = pid;
	shown->since = now;
	return h;
}
