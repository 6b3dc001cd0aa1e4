/*
 * header_items.c - the items of the header, one function each, and their table.
 */
#include "advice/headline.h"
#include "ui/header.h"
#include "ui/measure.h"
#include "ui/state.h"
#include "print/number.h"
#include "ui/widgets/plot.h"
#include "canvas/text.h"

/* Least width that shows the state in full. */
#define WIDE_FROM 96
#define STATE_COLS                                                                                           \
	14 /* of the state of a target that runs, "PAUSED 12.3s": what stands behind it does not move */

/* Return whether what is shown is the target's end: there is nothing that is now. */
static bool is_over(const struct header_facts *f)
{
	return subject_over(f->subject) && !f->figures->past;
}

/* Return what the window of the last seconds is called. */
static const char *now_word(const struct header_facts *f)
{
	return is_over(f) ? "last 5s" : "now";
}

/* Set the text of an item. */
static bool say(struct header_text *out, const char *text)
{
	strlcpy(out->full, text != NULL ? text : "", sizeof(out->full));
	return out->full[0] != '\0';
}

static bool pid_text(const struct header_facts *f, struct header_text *out)
{
	if (f->cols < HEADER_NAME_FROM)
		out->label = NULL;
	if (f->subject->pid != 0)
		snprintf(out->full, sizeof(out->full), "%lld", (long long)f->subject->pid);
	return true;
}

static bool name_text(const struct header_facts *f, struct header_text *out)
{
	return say(out, f->subject->name);
}

static bool ocaml_text(const struct header_facts *f, struct header_text *out)
{
	const struct subject *s = f->subject;

	if (s->ocaml != NULL)
		strlcpy(out->brief, s->ocaml, sizeof(out->brief));
	snprintf(out->full, sizeof(out->full), "%s (%s)", s->ocaml != NULL ? s->ocaml : "version unknown",
	    s->ocaml != NULL ? s->ocaml_from : "no evidence yet");
	return true;
}

/* How long the target had run at the time shown. */
static bool uptime_text(const struct header_facts *f, struct header_text *out)
{
	uint64_t before = (f->subject->now - f->figures->at) / 1000000000, up = f->subject->uptime_s;

	return f->subject->has_uptime && say(out, format_age(up > before ? up - before : 0).s);
}

static bool state_text(const struct header_facts *f, struct header_text *out)
{
	/* What a target that runs says at length is in the headline. */
	bool runs = f->subject->state == SUBJECT_LIVE && !f->ui->frozen;
	const struct state_word state =
	    state_of(f->ui, f->subject, f->cols >= WIDE_FROM && !(runs && f->headline));
	const struct line_item word = state_item(&state, f->level);
	strlcpy(out->full, word.text, sizeof(out->full));
	strlcpy(out->brief, word.text, sizeof(out->brief));
	for (size_t used = strlen(out->full); runs && text_width(f->level, out->full) < STATE_COLS; used++)
		strlcpy(out->full + used, " ", sizeof(out->full) - used);
	out->style = state.style;
	return true;
}

/* Format what is being recorded: a recording, and files of long pauses.  While frozen, without figures. */
static bool recording_text(const struct header_facts *f, struct header_text *out)
{
	const struct subject *s = f->subject;
	char glyph[4], saved[40] = "", recording[80] = "", pauses[80] = "";
	size_t bytes = text_encode(theme_glyph(f->level, GLYPH_RECORD), glyph);

	if (s->recording != NULL && f->ui->frozen)
		snprintf(recording, sizeof(recording), "%.*s REC", (int)bytes, glyph);
	else if (s->recording != NULL)
		snprintf(recording, sizeof(recording), "%.*s REC %s %s", (int)bytes, glyph,
		    format_age(s->recording_ns / 1000000000).s, format_bytes(s->recording_bytes).s);
	if (!f->ui->frozen)
		snprintf(saved, sizeof(saved), " %s saved", format_count(s->pause_files).s);
	if (s->pause_ns != 0)
		snprintf(pauses, sizeof(pauses), "%s%.*s >%s%s", recording[0] != '\0' ? "  " : "", (int)bytes,
		    glyph, format_duration(s->pause_ns).s, saved);
	snprintf(out->full, sizeof(out->full), "%s%s", recording, pauses);
	return out->full[0] != '\0';
}

/* What sampling the code takes, while it is on: of a processor here, and of the target. */
static bool code_text(const struct header_facts *f, struct header_text *out)
{
	const struct subject_code *code = f->subject->code;

	if (code == NULL || !code->on)
		return false;
	const struct formatted own = format_percent(code->own), target = format_percent(code->target);
	if (code->blind[0] != '\0') {
		snprintf(out->brief, sizeof(out->brief), "off CPU %s", own.s);
		snprintf(out->full, sizeof(out->full), "off CPU only %s", own.s);
		return true;
	}
	snprintf(out->brief, sizeof(out->brief), "%s + %s", own.s, target.s);
	snprintf(out->full, sizeof(out->full), "%uHz %s + %s", code->hz, own.s, target.s);
	return true;
}

static bool domains_text(const struct header_facts *f, struct header_text *out)
{
	if (f->figures->domains == UINT64_MAX)
		return say(out, format_unknown().s);
	snprintf(out->full, sizeof(out->full), "%llu", (unsigned long long)f->figures->domains);
	return true;
}

/* Cores that the process uses, and how many it can use. */
static bool cpu_text(const struct header_facts *f, struct header_text *out)
{
	const struct figures *figures = f->figures;

	if (is_over(f) || system_past_latest(watch_system(f->subject->watch)) == NULL)
		return false;
	if (isnan(figures->cpu))
		say(out, format_unknown().s);
	else
		snprintf(out->full, sizeof(out->full), figures->cpu < 9.995 ? "%.2f" : "%.1f", figures->cpu);
	if (!isnan(figures->cores)) {
		size_t used = strlen(out->full);
		snprintf(out->full + used, sizeof(out->full) - used, "/%.4g", figures->cores);
	}
	return true;
}

static bool events_text(const struct header_facts *f, struct header_text *out)
{
	if (is_over(f))
		return false;
	/* A ring file has no rate: show the count. */
	if (f->subject->state != SUBJECT_REPLAY || f->subject->replay != NULL)
		return say(out, format_rate(f->figures->now.events).s);
	return say(out, f->figures->past ? format_unknown().s : format_count(f->totals->events).s);
}

static bool ignored_text(const struct header_facts *f, struct header_text *out)
{
	return f->totals->ignored != 0 &&
	       say(out, f->figures->past ? format_unknown().s : format_count(f->totals->ignored).s);
}

/* The time at which the totals began to count. */
static void since_text(const struct header_facts *f, char *buf, size_t size)
{
	if (!subject_since(f->subject, f->figures->since_ts, buf, size))
		strlcpy(buf, "start", size);
}

/* The programs that the figures since the attach, or `R`, are of, if several ran in the process one after
 * another. */
static bool programs_text(const struct header_facts *f, struct header_text *out)
{
	char begin[32];

	if (f->totals->restarts == 0)
		return false;
	since_text(f, begin, sizeof(begin));
	snprintf(out->brief, sizeof(out->brief), "%llu", (unsigned long long)f->totals->restarts + 1);
	snprintf(out->full, sizeof(out->full), "%.24s since %s", out->brief, begin);
	return true;
}

/* The fill of the fullest ring. */
static bool ring_text(const struct header_facts *f, struct header_text *out)
{
	const struct subject *s = f->subject;
	uint64_t most = 0;

	if (s->state != SUBJECT_LIVE)
		return false;
	for (unsigned i = 0; i < s->unread_count; i++)
		if (s->unread[i] > most)
			most = s->unread[i];
	return say(out,
	    format_percent(
		f->figures->past || s->ring_words == 0 ? (double)NAN : (double)most / (double)s->ring_words)
		.s);
}

static bool date_text(const struct header_facts *f, struct header_text *out)
{
	return f->subject->replay != NULL && say(out, f->subject->replay->date);
}

/* The wall clock of the time shown. */
static bool clock_text(const struct header_facts *f, struct header_text *out)
{
	char clock[SUBJECT_CLOCK];

	/* The clock of a recording is shown nowhere else. */
	out->urgent = f->subject->replay != NULL;
	if (!f->figures->past)
		return say(out, f->subject->clock);
	return subject_clock(f->subject, f->figures->at, 0, clock) && say(out, clock);
}

/* Where there is no headline, that there are serious findings, else costly ones, else that the collector takes much
 * that none explains.  Always of now, even if the rest is of an earlier time. */
static bool findings_text(const struct header_facts *f, struct header_text *out)
{
	const struct advice *advice = f->subject->advice;
	size_t count = 0;
	bool unexplained = false;

	if (advice == NULL || f->headline)
		return false;
	const struct advice_finding *findings = advice_findings(advice, &count);
	advice_summary(advice, &unexplained);
	bool serious = advice_serious(advice) > 0, costly = count > 0 && findings[0].share >= HEADLINE_COSTLY;
	if (!serious)
		out->style = STYLE_WARN;
	strlcpy(out->brief, "(a)", sizeof(out->brief));
	return (serious || costly || unexplained) && say(out, serious  ? "serious (a)"
							      : costly ? "advice (a)"
								       : "much GC (a)");
}

/* Return whether a window is `now`. */
static bool is_now(const struct header_facts *f)
{
	return f->window == &f->figures->now;
}

static bool window_text(const struct header_facts *f, struct header_text *out)
{
	if (f->form == HEADER_BESIDE)
		return false; /* labels are in the item of the collector's share */
	out->label = !is_now(f) ? "since" : is_over(f) ? "last" : "now";
	out->urgent = f->form == HEADER_BELOW || is_over(f);
	if (is_now(f))
		return say(out,
		    f->form == HEADER_BELOW || is_over(f) ? format_age(FIGURES_NOW_NS / 1000000000).s : "");
	since_text(f, out->full, sizeof(out->full));
	return true;
}

/* The share of the collector, with its parts where there is room for them: "69% = 31 work + 38 waiting". */
static bool gc_text(const struct header_facts *f, struct header_text *out)
{
	const struct formatted share = format_percent(f->window->gc);

	out->style = measure_style(limit_level(LIMIT_GC, f->window->gc));
	if (f->form != HEADER_BELOW)
		return say(out, share.s);
	strlcpy(out->brief, share.s, sizeof(out->brief));
	return say(out, format_gc(f->window->gc, f->window->wait).s);
}

/* "69% = 31 work + 38 waiting now 72% = 33 + 39 since 02:41", in brief "69% now 72% since 02:41". */
static void gc_beside(const struct header_facts *f, const struct header_text *now,
    const struct header_text *since, struct header_text *out)
{
	const struct format_split all = format_gc(f->figures->since.gc, f->figures->since.wait);
	char begin[32];

	since_text(f, begin, sizeof(begin));
	snprintf(out->brief, sizeof(out->brief), "%.24s %s %.24s since %s", now->full, now_word(f),
	    since->full, begin);
	snprintf(out->full, sizeof(out->full), "%s %s %s since %s",
	    format_gc(f->figures->now.gc, f->figures->now.wait).s, now_word(f), all.brief, begin);
}

/* Format a percentile of the pauses. */
static struct formatted pause_percentile(const struct header_facts *f, unsigned num, unsigned den)
{
	static const struct hist none;
	const struct figures_window *w = f->window;

	return distribution_percentile(w->pauses != NULL ? w->pauses : &none, num, den, w->lost_words != 0);
}

static bool max_text(const struct header_facts *f, struct header_text *out)
{
	const struct hist *h = f->window->pauses;

	out->style = measure_style(
	    limit_level(LIMIT_PAUSE, h != NULL && h->count != 0 ? (double)h->max : (double)NAN));
	return say(out, pause_percentile(f, 1, 1).s);
}

/* Lost words; in `since` also their share of the traffic, which is unknown for other times.  What is lost now is bad,
 * whatever its share. */
static bool lost_text(const struct header_facts *f, struct header_text *out)
{
	uint64_t lost = f->window->lost_words, before = f->figures->since.lost_words;
	bool known = lost != UINT64_MAX && before != UINT64_MAX, below = f->form == HEADER_BELOW;
	char begin[32];

	out->urgent = (lost != 0 && lost != UINT64_MAX) || (before != 0 && before != UINT64_MAX);
	if (known)
		out->style = measure_style(
		    is_now(f) && lost != 0
			? LEVEL_BAD
			: limit_level(LIMIT_LOST, is_now(f) && below ? 0 : header_lost_share(f)));
	if (lost == UINT64_MAX)
		return say(out, format_unknown().s);
	say(out, lost == 0 ? "0" : format_words(lost).s);
	if (is_now(f) && f->form != HEADER_BESIDE && !below && out->urgent && before != UINT64_MAX) {
		/* A loss puts marks before the pauses' figures. */
		strlcpy(out->brief, out->full, sizeof(out->brief));
		since_text(f, begin, sizeof(begin));
		snprintf(out->full, sizeof(out->full), "%.24s %s %s since %s", out->brief, now_word(f),
		    format_words(before).s, begin);
	} else if (!is_now(f) && lost != 0 && !f->figures->past) {
		strlcpy(out->brief, out->full, sizeof(out->brief));
		snprintf(out->full, sizeof(out->full), "%.24s (%s)", out->brief,
		    format_percent(header_lost_share(f)).s);
	}
	return true;
}

/* The share of the allocated bytes that was promoted. */
static bool promoted_text(const struct header_facts *f, struct header_text *out)
{
	const struct figures_window *w = f->window;

	return say(out, format_percent(figure_share(w->promoted, w->allocated)).s);
}

/* What the kernel does to the process, where it does. */
static bool throttled_text(const struct header_facts *f, struct header_text *out)
{
	out->style = measure_style(limit_level(LIMIT_THROTTLED, f->figures->throttled));
	return f->figures->throttled > 0 && !is_over(f) && say(out, format_percent(f->figures->throttled).s);
}

static bool swap_text(const struct header_facts *f, struct header_text *out)
{
	out->style = measure_style(limit_level(LIMIT_SWAP, f->figures->swap));
	return f->figures->swap > 0 && !is_over(f) && say(out, format_bytes(f->figures->swap_bytes).s);
}

static bool heap_text(const struct header_facts *f, struct header_text *out)
{
	const struct formatted heap = format_figure(UNIT_WORDS, f->figures->heap),
			       growth = format_growth(f->figures->growth, 8 * f->figures->heap),
			       ago = format_ago(f->figures->heap_age, MODEL_LEVEL_OLD_NS);

	snprintf(out->brief, sizeof(out->brief), "%s%s", heap.s, ago.s);
	snprintf(out->full, sizeof(out->full), "%s%s%s%s", heap.s, ago.s, growth.s[0] != '\0' ? ", " : "",
	    growth.s);
	return true;
}

bool header_item_text(const struct header_facts *f, const struct header_item *item, struct header_text *out)
{
	if (item->text != NULL)
		return item->text(f, out);
	if (item->den != 0)
		return say(out, pause_percentile(f, item->num, item->den).s);
	return say(
	    out, item->format(*(const double *)(const void *)((const char *)f->window + item->member)).s);
}

#define PLAIN .label_style = STYLE_LABEL, .style = STYLE_VALUE
#define TITLE .label_style = STYLE_MUTED, .style = STYLE_TITLE
#define MUTED .label_style = STYLE_LABEL, .style = STYLE_MUTED
#define LOSS .label_style = STYLE_LABEL, .style = STYLE_LOST
#define REC .label_style = STYLE_LABEL, .style = STYLE_RECORDING

/* clang-format off */
const struct header_item header_items[] = {
    {"pid",       HEADER_TARGET,    .rank = 0, .label = "rtevtop", TITLE, .text = pid_text},
    {"name",      HEADER_TARGET,    .rank = 3, TITLE, .text = name_text},
    {"ocaml",     HEADER_TARGET,    .rank = 11, .brief_rank = 12, .label = "OCaml", PLAIN, .text = ocaml_text},
    {"state",     HEADER_TARGET,    .rank = 0, .brief_rank = 6, PLAIN, .text = state_text},
    {"up",        HEADER_TARGET,    .rank = 4, .label = "up", PLAIN, .text = uptime_text},
    {"recording", HEADER_TARGET,    .rank = 1, REC, .text = recording_text},
    {"findings",  HEADER_TARGET,    .key = 'a', .rank = 1, .brief_rank = 6, .label = "!", LOSS, .text = findings_text},
    {"code",      HEADER_TARGET,    .key = 'c', .rank = 1, .brief_rank = 6, .label = "code", PLAIN, .text = code_text},
    {"domains",   HEADER_TARGET,    .key = '2', .rank = 7, .label = "domains", PLAIN, .text = domains_text},
    {"cpu",       HEADER_TARGET,    .key = '2', .rank = 5, .label = "cpu", PLAIN, .text = cpu_text},
    {"events",    HEADER_TARGET,    .key = '8', .rank = 13, .label = "events", PLAIN, .text = events_text},
    {"ignored",   HEADER_TARGET,    .rank = 2, .label = "ignored", LOSS, .text = ignored_text},
    {"programs",  HEADER_TARGET,    .rank = 8, .brief_rank = 9, .label = "programs", .label_style = STYLE_LABEL, .style = STYLE_WARN, .text = programs_text},
    {"ring",      HEADER_TARGET,    .key = '8', .rank = 9, .label = "ring", PLAIN, .text = ring_text},
    {"date",      HEADER_TARGET,    .right = true, .rank = 10, MUTED, .text = date_text},
    {"clock",     HEADER_TARGET,    .right = true, .rank = 10, .urgent_rank = 2, MUTED, .text = clock_text},
    {"window",    HEADER_NOW,       .windows = true, .rank = 14, .style = STYLE_MUTED, .label_style = STYLE_MUTED, .text = window_text},
    {"gc",        HEADER_NOW,       .key = '3', .windows = true, .rank = 0, .brief_rank = 9, .one_rank = 2, .label = "GC", PLAIN, .text = gc_text, .beside = gc_beside},
    {"max",       HEADER_NOW,       .key = '5', .windows = true, .rank = 3, .label = "pause max", PLAIN, .text = max_text},
    {"p99.9",     HEADER_NOW,       .key = '5', .windows = true, .rank = 13, .label = "p99.9", PLAIN, .num = 999, .den = 1000},
    {"p99",       HEADER_NOW,       .key = '5', .windows = true, .rank = 8, .label = "p99", PLAIN, .num = 99, .den = 100},
    {"p50",       HEADER_NOW,       .key = '5', .windows = true, .rank = 10, .label = "p50", PLAIN, .num = 50, .den = 100},
    {"lost",      HEADER_NOW,       .key = '8', .windows = true, .rank = 7, .brief_rank = 8, .urgent_rank = 1, .one_rank = 2, .label = "lost", PLAIN, .text = lost_text},
    {"throttled", HEADER_NOW,       .key = '2', .rank = 2, .label = "throttled", PLAIN, .text = throttled_text},
    {"swap",      HEADER_NOW,       .key = '7', .rank = 2, .label = "swap", PLAIN, .text = swap_text},
    {"minor",     HEADER_NOW,       .key = '7', .windows = true, .rank = 11, .label = "minor", PLAIN, .format = format_rate, .member = offsetof(struct figures_window, minors)},
    {"major",     HEADER_NOW,       .key = '7', .windows = true, .rank = 12, .label = "major", PLAIN, .format = format_rate, .member = offsetof(struct figures_window, cycles)},
    {"alloc",     HEADER_NOW,       .key = '7', .windows = true, .rank = 4, .label = "alloc", PLAIN, .format = format_byte_rate, .member = offsetof(struct figures_window, allocated)},
    {"promoted",  HEADER_NOW,       .key = '7', .windows = true, .rank = 6, .label = "promoted", PLAIN, .text = promoted_text},
    {"heap",      HEADER_NOW,       .brief_rank = 7, .key = '7', .rank = 5, .label = "heap", PLAIN, .text = heap_text},
};
/* clang-format on */

const size_t header_item_count = sizeof(header_items) / sizeof(header_items[0]);
