/* state.c - format the state of the target, and what its domains are doing. */
#include "ui/state.h"

#include <signal.h>

#include "canvas/text.h"
#include "core/event.h"
#include "ui/recent.h"

/* Silence after which a target is called quiet. */
#define QUIET_NS 1000000000u

/* CPU time, as a share of the silence, from which a pause of events is suspected. */
#define BUSY_SHARE 0.2

/* CPU time, as a share of a sample, below which a thread that was asleep at the sample's end slept. */
#define SLEEPS_CPU 0.05

/* A past pause is mentioned if it was at least this long, and for this long. */
#define TOLD_LEAST_NS 1000000000u
#define TOLD_NS 5000000000u

struct state_word state_said(enum style style, enum glyph glyph, const char *format, ...)
{
	struct state_word out = {.style = style, .glyph = glyph};
	va_list args;

	va_start(args, format);
	vsnprintf(out.text, sizeof(out.text), format, args);
	va_end(args);
	return out;
}

/* Format a pause: its begin and how it is known. */
static struct state_word paused_word(
    const struct subject *s, const struct model_target_pause *pause, bool wide)
{
	const struct formatted age = format_duration(s->now > pause->from ? s->now - pause->from : 0);
	char clock[SUBJECT_CLOCK];
	const char *rule = pause->rule == MODEL_RULE_EVENT ? "its event ring_pause" : "read from the process";

	if (!wide)
		return state_said(STYLE_PAUSED, GLYPH_PAUSE, "PAUSED %s", age.s);
	if (subject_clock(s, pause->from, 0, clock))
		return state_said(STYLE_PAUSED, GLYPH_PAUSE, "PAUSED %s since %s (%s)", age.s, clock, rule);
	return state_said(STYLE_PAUSED, GLYPH_PAUSE, "PAUSED %s (%s)", age.s, rule);
}

/* Format the silence and its probable cause. */
static struct state_word quiet_word(const struct subject *s, uint64_t quiet, bool wide)
{
	const struct formatted age = format_duration(quiet);
	bool busy = s->has_cpu && (double)s->quiet_cpu_ns > BUSY_SHARE * (double)quiet;

	const char *why = s->tracing == SUBJECT_TRACING_ON ? " (not paused: read from the process)"
			  : busy			   ? " while using CPU: no allocation, or paused"
			  : s->has_cpu			   ? " (idle)"
							   : "";

	return state_said(STYLE_MUTED, GLYPH_HOLLOW, "QUIET %s%s", age.s, wide ? why : "");
}

struct line_item state_item(const struct state_word *state, enum glyph_level level)
{
	char glyph[4];
	const int bytes = (int)text_encode(theme_glyph(level, state->glyph), glyph);

	return line_styled(line_said(NULL, 0, "%.*s %s", bytes, glyph, state->text), state->style);
}

/* Return how long no event has arrived from a running target; 0: events arrive. */
static uint64_t silence_of(const struct subject *s)
{
	const struct model_totals t = model_totals(watch_model(s->watch));

	uint64_t silence = t.seen && s->now > t.last_ts ? s->now - t.last_ts : 0;
	return s->state == SUBJECT_LIVE && silence >= QUIET_NS ? silence : 0;
}

/* Return the last pause of the target's events; NULL: there was none. */
static const struct model_target_pause *last_pause(const struct subject *s)
{
	size_t count = 0;
	const struct model_target_pause *pauses =
	    s->watch != NULL ? model_target_pauses(watch_model(s->watch), &count) : NULL;

	return count > 0 ? &pauses[count - 1] : NULL;
}

/* Format the state of a running target. */
static struct state_word state_live(const struct subject *s, bool wide)
{
	const struct model_target_pause *last = last_pause(s);
	/* A domain in a pause is working, and writes an event at its end. */
	const uint64_t silence = silence_of(s), quiet = model_in_pause(watch_model(s->watch)) ? 0 : silence;

	if (s->off)
		return state_said(STYLE_PAUSED, GLYPH_HOLLOW, "%s", "NO EVENTS");
	if (last != NULL && last->to == UINT64_MAX)
		return paused_word(s, last, wide);
	if (s->stopped && silence > 0)
		return state_said(STYLE_WARN, GLYPH_PAUSE,
		    wide ? "STOPPED %s by a signal or a debugger: open spans go on" : "STOPPED %s",
		    format_duration(silence).s);
	if (quiet > 0)
		return quiet_word(s, quiet, wide);
	if (wide && last != NULL && last->to - last->from >= TOLD_LEAST_NS && s->now < last->to + TOLD_NS)
		return state_said(STYLE_GOOD, GLYPH_BULLET, "LIVE, was paused %s%s",
		    last->rule == MODEL_RULE_GAP ? "at most " : "", format_duration(last->to - last->from).s);
	return state_said(STYLE_GOOD, GLYPH_BULLET, "LIVE");
}

/* Format a place in a recording: "0:12.3", "1:02:03.4". */
static struct formatted replay_place(uint64_t nanoseconds)
{
	uint64_t tenths = nanoseconds / 100000000, seconds = tenths / 10;

	if (seconds >= 3600)
		return format_said("%u:%02u:%02u.%u", (unsigned)(seconds / 3600),
		    (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60), (unsigned)(tenths % 10));
	return format_said(
	    "%u:%02u.%u", (unsigned)(seconds / 60), (unsigned)(seconds % 60), (unsigned)(tenths % 10));
}

/* Format the position and state of a replay. */
static struct state_word state_replay(const struct subject *s, bool wide)
{
	const struct subject_replay *r = s->replay;
	const struct model_target_pause *last = last_pause(s);
	const struct formatted place = replay_place(s->now > r->start ? s->now - r->start : 0);
	const struct formatted length = replay_place(r->end - r->start);
	char speed[8], text[96] = "";

	if (r->reading) {
		return state_said(
		    STYLE_REPLAY, GLYPH_HOLLOW, "REPLAY reading the file, %s", format_percent(r->share).s);
	}
	snprintf(speed, sizeof(speed), r->speed < 0 ? "1/%ux" : "%ux", 1u << (unsigned)abs(r->speed) % 32);
	const char *doing = r->seeking ? "seeking" : r->at_end ? "at end" : r->playing ? NULL : "stopped";
	if (doing != NULL)
		snprintf(text, sizeof(text), " %s", doing);
	if (wide && last != NULL && last->to == UINT64_MAX)
		strlcat(text, ", target PAUSED", sizeof(text));
	if (wide && r->counts_from > r->start) {
		strlcat(text, ", counts from ", sizeof(text));
		strlcat(text, replay_place(r->counts_from - r->start).s, sizeof(text));
	}
	if (r->damaged)
		strlcat(text, wide ? ", file damaged" : " DAMAGED", sizeof(text));
	else if (r->cut)
		strlcat(text, wide ? ", file cut short" : " CUT", sizeof(text));
	return state_said(STYLE_REPLAY, r->playing ? GLYPH_POINTER : GLYPH_PAUSE, "REPLAY %s%s%s %s%s",
	    place.s, wide ? " of " : "/", length.s, speed, text);
}

/* Whether a signal is one that a program causes itself by crashing. */
static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
	       number == SIGABRT || number == SIGTRAP || number == SIGSYS;
}

/* Format how the target ended. */
static struct state_word state_exited(const struct subject *s, bool wide)
{
	const struct model_totals t = model_totals(watch_model(s->watch));

	/* Shells report a signal as 128 plus its number. */
	const char *name = sigabbrev_np(s->exit_status - 128);

	if (s->exit_status < 0)
		/* A runtime that ends by itself writes a ring_stop. */
		return state_said(STYLE_BAD, GLYPH_ENDED,
		    wide && t.seen && !t.stopped ? "EXITED, %s" : "EXITED",
		    is_crash(s->signal) ? "crashed" : "killed");
	if (name == NULL)
		return state_said(STYLE_BAD, GLYPH_ENDED, "EXITED with %d", s->exit_status);
	/* A shell passes on its child's status in this form, too, so only the number is certain. */
	return state_said(STYLE_BAD, GLYPH_ENDED, "EXITED with %d (SIG%s)", s->exit_status, name);
}

struct state_word state_of_target(const struct subject *s, bool wide)
{
	switch (s->state) {
	case SUBJECT_WAITING:
		return state_said(STYLE_MUTED, GLYPH_HOLLOW, "WAITING for its ring");
	case SUBJECT_EXITED:
		return state_exited(s, wide);
	case SUBJECT_TRUNCATED:
		return state_said(STYLE_LOST, GLYPH_LOSS, "RING TRUNCATED");
	case SUBJECT_REPLAY:
		if (s->replay != NULL)
			return state_replay(s, wide);
		return state_said(STYLE_REPLAY, GLYPH_POINTER, "REPLAY");
	case SUBJECT_LIVE:
		break;
	}
	return state_live(s, wide);
}

struct state_word state_of(const struct ui *ui, const struct subject *s, bool wide)
{
	char clock[SUBJECT_CLOCK], back[48] = "";

	if (!ui->frozen) {
		struct state_word word = state_of_target(s, wide);
		if (s->state == SUBJECT_EXITED && subject_clock(s, subject_time(s), 0, clock)) {
			strlcat(word.text, " at ", sizeof(word.text));
			strlcat(word.text, clock, sizeof(word.text));
		}
		return word;
	}
	uint64_t shown = moment_shown(ui);
	if (shown < s->now)
		snprintf(back, sizeof(back), wide ? " (-%s)" : " -%s", format_duration(s->now - shown).s);
	if (s->replay != NULL && !s->replay->reading)
		return state_said(STYLE_FROZEN, GLYPH_FREEZE, "FROZEN %s%s",
		    replay_place(shown > s->replay->start ? shown - s->replay->start : 0).s, back);
	if (wide && subject_clock(s, shown, 0, clock))
		return state_said(STYLE_FROZEN, GLYPH_FREEZE, "FROZEN %s%s", clock, back);
	return state_said(STYLE_FROZEN, GLYPH_FREEZE, "FROZEN%s", back);
}

/* ---- domains ---- */

/* Return whether the target has paused its events.  One whose events never were on has not. */
static bool is_paused(const struct subject *subject)
{
	const struct model_target_pause *last = last_pause(subject);

	return !subject->off && last != NULL && last->to == UINT64_MAX;
}

/* Format how the process ended. */
const char *doing_ended(const struct subject *subject)
{
	return subject->signal == 0 ? "ended" : is_crash(subject->signal) ? "crashed" : "killed";
}

void doing_end_detail(const struct subject *subject, int64_t phase, char *out, size_t size)
{
	char how[64] = "without ring_stop", where[RTEV_NAME_SIZE + 16] = "in no phase", name[RTEV_NAME_SIZE];
	const char *signal = sigabbrev_np(subject->signal);

	if (subject->signal != 0 && signal != NULL)
		/* Writing to the ring kills the program when the file system is full. */
		snprintf(how, sizeof(how), "by SIG%s%s", signal,
		    subject->signal == SIGBUS ? " (no room on the disk of its ring?)" : "");
	else if (subject->signal != 0)
		snprintf(how, sizeof(how), "by signal %d", subject->signal);
	if (is_paused(subject))
		snprintf(where, sizeof(where), "while paused");
	else if (subject->off)
		snprintf(where, sizeof(where), "its events were off");
	else if (phase != MODEL_NO_PHASE)
		snprintf(where, sizeof(where), "in %s", rtev_phase_name((rtev_phase)phase, name));
	snprintf(out, size, "%s, %s", how, where);
}

/* Format what a domain was doing when the process ended. */
static void doing_at_end(const struct subject *subject, const struct model_domain *d, struct doing *out)
{
	bool stopped = model_stopped(watch_model(subject->watch));
	char name[RTEV_NAME_SIZE];

	out->style = stopped ? STYLE_MUTED : STYLE_BAD;
	snprintf(out->text, sizeof(out->text), "%s", stopped ? "ended" : doing_ended(subject));
	if (!stopped && is_paused(subject))
		snprintf(out->more, sizeof(out->more), "while paused");
	else if (!stopped && d->depth > 0)
		snprintf(out->more, sizeof(out->more), "in %s",
		    rtev_phase_name(d->stack[d->depth - 1].phase, name));
}

void domain_activity(const struct subject *subject, const struct model_domain *d, struct doing *out)
{
	struct system_use use = {.cpu = NAN};
	char name[RTEV_NAME_SIZE];

	*out = (struct doing){.text = "running", .style = STYLE_MUTED};
	if (d->state == MODEL_DOMAIN_TERMINATED) {
		snprintf(out->text, sizeof(out->text), "terminated");
	} else if (subject->state == SUBJECT_EXITED) {
		doing_at_end(subject, d, out);
	} else if (is_paused(subject)) {
		snprintf(out->text, sizeof(out->text), "paused");
		out->style = STYLE_PAUSED;
	} else if (d->depth > 0) {
		rtev_phase phase = d->stack[d->depth - 1].phase;
		snprintf(out->text, sizeof(out->text), "%s", rtev_phase_name(phase, name));
		out->brief = phase_brief(phase);
		out->style = theme_class(rtev_phase_class(phase))->ink;
	} else if (system_past_domain(watch_system(subject->watch), d->domain, &use) &&
		   use.cpu < SLEEPS_CPU && (use.state == 'S' || use.state == 'D')) {
		snprintf(out->text, sizeof(out->text), "sleeping");
	} else if (subject->off && use.state != 'R' && !(use.cpu >= SLEEPS_CPU)) {
		/* Only the domain's thread shows whether it runs. */
		snprintf(out->text, sizeof(out->text), "%s", format_unknown().s);
	}
}
