/* headline_read.c - the facts for the rules of the headline: the target's state, figures, loops and stops. */
#include "advice/headline.h"

#include "advice/lock_rows.h"
#include "core/utf8.h"
#include "figures/figures.h"
#include "model/waiting.h"
#include "print/number.h"
#include "watch/blame.h"
#include "samples/system_past.h"

#define RECENT_NS 5000000000u	  /* period for the processor time */
#define SAMPLE_NS 100000000u	  /* a sample may be this much late */
#define BUSY_CPU 0.2		  /* cores in use above which silence may mean that events are paused */
#define TOLD_LEAST_NS 1000000000u /* shortest pause of events that is mentioned */
#define TOLD_NS 5000000000u	  /* how long it is mentioned afterwards */
#define NOTE_TEXT 64
#define LATE_TEXT 256
#define HELD_TEXT 700
#define OFF_TEXT 256

/* Return the cores that the process used in a period; NAN: not known.  *ns: how long it ran. */
static double cpu_between(const struct headline_target *t, uint64_t from, double *ns)
{
	uint64_t user, system, time;

	if (t->past == NULL || !system_past_sum(t->past, SYSTEM_CPU_USER, from, t->now, &user, &time) ||
	    !system_past_sum(t->past, SYSTEM_CPU_SYSTEM, from, t->now, &system, &time))
		return NAN;
	*ns = (double)user + (double)system;
	return *ns / (double)time;
}

static double cpu_lately(const struct headline_target *t)
{
	double ns;

	return cpu_between(t, t->now > RECENT_NS ? t->now - RECENT_NS : 0, &ns);
}

/* Return which share of the time that it wanted to run the target did run, in the period of the figures; NAN: not known. */
static double ran_of(const struct headline_target *t)
{
	const uint64_t window =
			   t->advice != NULL && t->over == NULL ? advice_seen(t->advice)->window_ns : t->now,
		       from = t->now - (window < t->now ? window : t->now);
	uint64_t wait, time;
	double ran;

	if (isnan(cpu_between(t, from, &ran)) ||
	    !system_past_sum(t->past, SYSTEM_WAIT, from, t->now, &wait, &time))
		return NAN;
	return figure_share(ran, ran + (double)wait);
}

/* Return the cores that it has used since its last event; NAN: not known. */
static double cpu_in_silence(const struct headline_target *t, uint64_t last_ts)
{
	double ns;

	/* A sample covers the second before it, which must not begin before the last event. */
	return cpu_between(t, last_ts + HEADLINE_SILENT_NS + SAMPLE_NS, &ns);
}

/* Fill in the state; `note` holds the text of out->note. */
static void read_state(const struct headline_target *t, struct headline_facts *out, char note[NOTE_TEXT])
{
	const struct model_totals totals = model_totals(t->model);
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(t->model, &count),
					*last = count > 0 ? &pauses[count - 1] : NULL;
	bool paused =
	    last != NULL && last->to == UINT64_MAX && !t->off && t->now >= last->from + TOLD_LEAST_NS;

	out->over = t->over;
	out->not_paused = t->not_paused;
	const bool silent =
	    t->live && t->over == NULL && totals.seen && t->now > totals.last_ts + HEADLINE_SILENT_NS;
	/* A domain in a pause is working and will write an event at its end, unless it waits for a missing
	 * domain. */
	out->silent = silent && (out->held != NULL || !model_in_pause(t->model));
	out->cpu = out->silent ? cpu_in_silence(t, totals.last_ts) : cpu_lately(t);
	out->state = t->waits_for != NULL ? t->waits_for : t->broken;
	out->state_level = t->waits_for != NULL ? LEVEL_NONE : LEVEL_ATTENTION;
	if (out->state != NULL || t->over != NULL)
		return;
	if (paused)
		out->state = last->rule == MODEL_RULE_EVENT
				 ? "it has paused its events (its event ring_pause)"
				 : "it has paused its events (read from the process)";
	else if (t->stopped && silent)
		out->state = "stopped by a signal or a debugger: open spans go on";
	else if (out->silent && !t->off && !t->not_paused && out->cpu >= BUSY_CPU) {
		out->state_level = LEVEL_NONE;
		out->state =
		    "no events come while it uses the processor: it does not allocate, or paused them";
	}
	if (out->state != NULL || last == NULL || last->to == UINT64_MAX ||
	    last->to - last->from < TOLD_LEAST_NS || t->now >= last->to + TOLD_NS)
		return;
	snprintf(note, NOTE_TEXT, "it had paused its events for %s%s",
	    last->rule == MODEL_RULE_GAP ? "at most " : "", format_duration(last->to - last->from).s);
	out->note = note;
}

/* Fill in the figures.  Returns the longest pause, in words; empty: there was none. */
static struct formatted read_figures(const struct headline_target *t, struct headline_facts *out)
{
	for (int i = 0; i < LIMIT_COUNT; i++)
		out->of[i] = NAN;
	if (t->advice == NULL)
		return (struct formatted){.s = ""};
	const struct advice_seen *seen = advice_seen(t->advice);
	const struct formatted text = format_duration(seen->longest);
	out->of[LIMIT_GC] = seen->gc;
	out->of[LIMIT_PAUSE] = (double)seen->longest;
	out->of[LIMIT_LOST] = seen->lost;
	out->of[LIMIT_THROTTLED] = seen->throttled;
	out->of[LIMIT_SWAP] = seen->swap;
	return seen->longest == 0 ? (struct formatted){.s = ""}
	       : seen->lost > 0	  ? format_after_loss(text, 1, 1)
				  : text;
}

/* Say what may have made a loop late besides the work of a fiber; "": nothing known.  Returns true if no fiber
 * is to be blamed.  The processor time is ignored if the program collects for longer than it runs, since its
 * events are made up. */
static bool late_excuse(
    const struct headline_target *t, const struct fiber_late *late, unsigned domain, char out[LOCK_ROW_TEXT])
{
	const uint64_t from = late->end - late->duration;
	uint64_t most = 0;
	enum system_excuse excuse =
	    t->past == NULL ? SYSTEM_NO_EXCUSE : system_past_excuse(t->past, from, late->end, &most);
	const bool stopped = excuse == SYSTEM_STOPPED || (late->open && t->stopped);

	out[0] = '\0';
	if (t->advice != NULL && advice_seen(t->advice)->gc > cpu_lately(t))
		return false;
	if (stopped)
		strlcpy(out, "the process was stopped", LOCK_ROW_TEXT);
	else if (lock_waited_words(t->locks, domain, from, late->duration, out))
		return false;
	else if (excuse == SYSTEM_WAITED)
		snprintf(out, LOCK_ROW_TEXT, "at most %s of it without a processor", format_duration(most).s);
	else if (excuse == SYSTEM_DID_NOT_RUN)
		snprintf(out, LOCK_ROW_TEXT, "the process ran for %s at most", format_duration(most).s);
	return stopped;
}

/* Say which loop was late, and which run of a fiber caused it, unless the process did not run; NULL: none was
 * late. */
static const char *late_text(const struct headline_target *t, char text[LATE_TEXT])
{
	char buf[FIBER_PATH_SIZE], excuse[LOCK_ROW_TEXT];
	struct fiber_late late;
	struct fiber_run run;

	if (t->fibers == NULL || !figure_late(t->fibers, t->model, &late, &run))
		return NULL;
	size_t at = (size_t)snprintf(
	    text, LATE_TEXT, "loop D%u late %s", run.domain, format_duration(late.duration).s);
	if (late_excuse(t, &late, run.domain, excuse) || 2 * run.duration < late.duration) {
		snprintf(text + at, LATE_TEXT - at, "%s%s", excuse[0] != '\0' ? ": " : ", by no single fiber",
		    excuse);
		return text;
	}
	const char *path = fiber_path_text(run.path, buf, sizeof(buf));
	path = strcmp(path, "?") != 0 ? path : "path not known";
	const struct sentence_name of = sentence_name(path, strlen(path), 63);
	/* What the program calls it says more than a number, and stays from one to the next. */
	if (run.span.text != NULL)
		at +=
		    (size_t)snprintf(text + at, LATE_TEXT - at, ": span %s" SAY_MORE(" (%s, fiber %" PRIu64),
			sentence_name(run.span.text, run.span.len, 64).s, of.s, run.fiber);
	else
		at += (size_t)snprintf(
		    text + at, LATE_TEXT - at, ": fiber %" PRIu64 SAY_MORE(" (%s"), run.fiber, of.s);
	if (2 * run.gc_ns > run.duration)
		at += (size_t)snprintf(text + at, LATE_TEXT - at, SAY_MORE(", %s of it GC"),
		    format_percent(figure_share((double)run.gc_ns, (double)run.duration)).s);
	snprintf(text + at, LATE_TEXT - at, SAY_MORE(")%s%s"), excuse[0] != '\0' ? ", " : "", excuse);
	return text;
}

/* Say which domain waits in a stop of the world that one domain holds up, and which code that one executes;
 * NULL: there is no such stop. */
static const char *held_text(const struct headline_target *t, char text[HELD_TEXT])
{
	const struct model *m = t->model;
	const struct model_open_span *wait = NULL;
	struct blame blame = {.to = t->now};
	unsigned missing = 0, waiting = 0;
	char name[RTEV_NAME_SIZE], code[BLAME_TEXT];

	MODEL_FOREACH (d, m) {
		if (d->state == MODEL_DOMAIN_TERMINATED)
			continue;
		if (model_open_pause(d) == NULL) {
			blame.late = d->domain;
			missing++;
		} else if (model_phase_waits(d->stack[d->depth - 1].phase)) {
			waiting = d->domain;
			wait = &d->stack[d->depth - 1];
		}
	}
	if (wait == NULL || missing != 1 || t->now < wait->begin)
		return NULL;
	blame.from = wait->begin;
	if (!blame_code(&blame, t->code, code, sizeof(code)))
		snprintf(code, sizeof(code), "D%u is missing; see rtevtop stacks %lld", blame.late,
		    (long long)t->pid);
	/* Split the text before the number of samples. */
	const size_t where = strcspn(code, "(,");
	snprintf(text, HELD_TEXT, "D%u has waited %s in %s" SAY_MORE(": %s") SAY_MOST("%s"), waiting,
	    format_duration(t->now - wait->begin).s, rtev_phase_name(wait->phase, name),
	    sentence_name(code, where, BLAME_TEXT).s,
	    sentence_name(code + where, strlen(code) - where, BLAME_TEXT).s);
	return text;
}

/* Say what is known of a target that records no events, and how to get more; NULL: it records events. */
static const char *off_text(const struct headline_target *t, char text[OFF_TEXT])
{
	if (!t->off)
		return NULL;
	if (t->off_why == NULL)
		return "no events: counters only; pauses: OCAML_RUNTIME_EVENTS_START=1" SAY_MORE(
		    "; or Runtime_events.start ()");
	snprintf(text, OFF_TEXT, "no events, no counters: %s" SAY_MORE("%s%s"), t->off_why,
	    t->off_cure != NULL ? "; " : "", t->off_cure != NULL ? t->off_cure : "");
	return text;
}

void headline_read(const struct headline_target *t, struct headline *out)
{
	struct headline_facts facts = {.advice = t->advice};
	char note[NOTE_TEXT], late[LATE_TEXT], held[HELD_TEXT], off[OFF_TEXT];

	facts.held = held_text(t, held);
	read_state(t, &facts, note);
	const struct formatted longest = read_figures(t, &facts);
	facts.ran = ran_of(t);
	facts.longest = longest.s[0] != '\0' ? longest.s : NULL;
	facts.late = late_text(t, late);
	facts.off = off_text(t, off);
	facts.counts = t->live && t->over == NULL && t->off_why == NULL;
	headline_of(&facts, out);
}
