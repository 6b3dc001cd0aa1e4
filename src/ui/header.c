/*
 * header.c - the first lines of the screen: which target, in which state, how much it collects, what was
 * lost.
 */
#include "ui/header.h"

#include <ctype.h>

#include "advice/headline.h"
#include "canvas/text.h"
#include "figures/figures.h"
#include "model/waiting.h"
#include "print/number.h"
#include "ui/measure.h"
#include "watch/blame.h"
#include "watch/traffic.h"
#include "ui/views/sites_state.h"

/* The texts of a line: one for each row of the table on that line, empty if it has nothing to show. */
struct words {
	struct header_text texts[LINE_ITEMS_MAX];
	struct line_item items[LINE_ITEMS_MAX];
	int count;
};

/* Put an item into words. */
static void item_text(
    const struct header_facts *facts, const struct header_item *item, struct header_text *out)
{
	out->label = item->label;
	out->full[0] = out->brief[0] = '\0';
	out->style = item->style;
	out->urgent = false;
	if (!header_item_text(facts, item, out)) {
		out->label = NULL;
		out->full[0] = out->brief[0] = '\0';
	}
}

/* Put both windows of an item into one text; one 0 stands for two. */
static void item_beside(
    const struct header_facts *facts, const struct header_item *item, struct header_text *out)
{
	struct header_facts other = *facts;
	struct header_text now, since;

	other.window = &facts->figures->since;
	item_text(facts, item, &now);
	item_text(&other, item, &since);
	item_text(facts, item, out);
	out->urgent |= since.urgent;
	if (item->beside != NULL)
		item->beside(facts, &now, &since, out);
	else if (now.full[0] != '\0' && (strcmp(now.full, "0") != 0 || strcmp(since.full, "0") != 0))
		snprintf(out->full, sizeof(out->full), "%.70s|%.70s", now.full, since.full);
}

/* Return whether an item stands on a line; HEADER_SINCE has the items of HEADER_NOW. */
static bool stands_on(const struct header_item *item, enum header_line line, enum header_form form)
{
	if (form == HEADER_ONE)
		return item->line == HEADER_TARGET || item->one_rank != 0;
	return item->line == (line == HEADER_SINCE ? HEADER_NOW : line);
}

/* Put a line into words. */
static void line_words(const struct header_facts *facts, enum header_line line, struct words *out)
{
	out->count = 0;
	for (size_t i = 0; i < header_item_count && out->count < LINE_ITEMS_MAX; i++) {
		const struct header_item *item = &header_items[i];
		struct header_text *text = &out->texts[out->count];
		if (!stands_on(item, line, facts->form))
			continue;
		if (facts->form == HEADER_BESIDE && item->windows)
			item_beside(facts, item, text);
		else
			item_text(facts, item, text);
		int rank = text->urgent ? item->urgent_rank : item->rank;
		if (facts->form == HEADER_ONE && item->line != line && !text->urgent)
			rank = item->one_rank;
		out->items[out->count++] = (struct line_item){.label = text->label,
		    .value = text->full,
		    .brief = text->brief,
		    .label_style = item->label_style,
		    .value_style = text->style,
		    .rank = rank,
		    .brief_rank = item->brief_rank,
		    .right = item->right};
	}
}

/* Return the width of a text beside a label. */
static int label_width(const struct canvas *canvas, const char *label, const char *text)
{
	int width = text[0] != '\0' ? canvas_text_width(canvas, text) : 0;

	if (label == NULL)
		return width;
	return width + canvas_text_width(canvas, label) + (width > 0);
}

/* Pad a text to a width beside its label. */
static void pad(const struct canvas *canvas, const char *label, char *text, int cols)
{
	size_t used = strlen(text);

	for (int width = label_width(canvas, label, text); width < cols && used + 1 < HEADER_TEXT; width++)
		text[used++] = ' ';
	text[used] = '\0';
}

/* Make two texts as wide as each other. */
static void align(
    const struct canvas *canvas, const char *label, char *text, const char *other_label, char *other)
{
	int width = label_width(canvas, label, text), other_width = label_width(canvas, other_label, other);

	pad(canvas, label, text, other_width);
	pad(canvas, other_label, other, width);
}

/* Pad the items of two lines to equal widths, so that they line up and the same ones are dropped. */
static void line_align(
    const struct canvas *canvas, const struct header_facts *facts, struct words *now, struct words *since)
{
	for (int i = 0, n = 0; n < now->count; i++) {
		if (!stands_on(&header_items[i], HEADER_NOW, facts->form))
			continue;
		struct header_text *a = &now->texts[n], *b = &since->texts[n];
		int rank =
		    now->items[n].rank < since->items[n].rank ? now->items[n].rank : since->items[n].rank;
		now->items[n].rank = since->items[n].rank = rank;
		if (!header_items[i].windows) {
			since->items[n].label = b->label = NULL;
			b->full[0] = b->brief[0] = '\0';
		}
		if (a->brief[0] != '\0' || b->brief[0] != '\0') {
			strlcpy(a->brief, a->brief[0] != '\0' ? a->brief : a->full, sizeof(a->brief));
			strlcpy(b->brief, b->brief[0] != '\0' ? b->brief : b->full, sizeof(b->brief));
			align(canvas, a->label, a->brief, b->label, b->brief);
		}
		align(canvas, a->label, a->full, b->label, b->full);
		n++;
	}
}

static void draw_words(struct canvas *canvas, struct rect line, const struct words *words)
{
	line_draw(canvas, line, HEADER_GAP, words->items, words->count);
}

/* Draw the lines of the figures. */
static void draw_figures(const struct header_facts *facts, struct canvas *canvas, struct rect area)
{
	struct header_facts other = *facts;
	struct words now, since;

	line_words(facts, HEADER_NOW, &now);
	if (facts->form == HEADER_BELOW) {
		other.window = &facts->figures->since;
		line_words(&other, HEADER_SINCE, &since);
		line_align(canvas, facts, &now, &since);
	}
	draw_words(canvas, rect_cut_top(&area, 1), &now);
	if (facts->form == HEADER_BELOW)
		draw_words(canvas, rect_cut_top(&area, 1), &since);
}

double header_lost_share(const struct header_facts *f)
{
	double lost = (double)f->figures->since.lost_words;

	if (lost == 0)
		return 0;
	const struct traffic traffic = traffic_read(watch_model(f->subject->watch), f->subject->ring_words);
	return figure_share(lost, lost + (double)traffic.all);
}

/* ---- headline ---- */

#define HEADLINE_NS                                                                                          \
	ADVICE_WINDOW_NS /* the figures of a headline are of the time that findings are judged on */

/* Fill in what the state says: `word` keeps its text. */
static void headline_state(const struct header_facts *f, struct state_word *word, struct headline_facts *out)
{
	const struct subject *s = f->subject;
	const bool paused = f->ui->pause_count > 0 && f->ui->pauses[f->ui->pause_count - 1].to == UINT64_MAX;
	const bool reading = s->replay != NULL && s->replay->reading;

	*word = state_of_target(f->ui, s, true);
	const bool alarm = !s->off && (word->style == STYLE_PAUSED || word->style == STYLE_WARN ||
					  word->style == STYLE_LOST);
	if (alarm || reading || s->state == SUBJECT_WAITING)
		out->state = word->text;
	else if (paused && s->replay != NULL)
		out->state = "the target had paused its events";
	else if (word->style == STYLE_GOOD && strncmp(word->text, "LIVE, ", 6) == 0)
		out->note = word->text + 6;
	out->state_level = alarm ? LEVEL_ATTENTION : LEVEL_NONE;
	out->silent_ns = state_quiet(s);
	out->not_paused = s->tracing == SUBJECT_TRACING_ON;
	if (subject_over(s))
		out->over = s->state == SUBJECT_REPLAY ? "file" : "ended";
}

/* Fill in the figures: of the time that findings are judged on, of all time once the target has ended, or of the
 * seconds before an earlier time.  Returns the longest pause, in words; empty: there was none. */
static struct formatted headline_figures(const struct header_facts *f, struct headline_facts *out)
{
	const struct figures *figures = f->figures;
	const struct subject *s = f->subject;
	const bool all = out->over != NULL && !figures->past;
	const struct figures_window *w = all ? &figures->since : &figures->now;
	uint64_t age = figures->at > figures->since_ts ? figures->at - figures->since_ts : 0, longest;

	out->window_ns = all ? age : figures->past ? FIGURES_NOW_NS : age < HEADLINE_NS ? age : HEADLINE_NS;
	longest = w->pauses != NULL ? w->pauses->max : 0;
	out->of[LIMIT_GC] = w->gc;
	if (!all && !figures->past) {
		out->of[LIMIT_GC] = measure_gc(f->ui, s, WATCH_ALL, out->window_ns).gc;
		longest = measure_longest(s, out->window_ns);
	}
	out->of[LIMIT_PAUSE] = (double)longest;
	out->of[LIMIT_THROTTLED] = figures->throttled;
	out->of[LIMIT_SWAP] = figures->swap;
	out->of[LIMIT_LOST] = !figures->past && w->lost_words != 0 ? header_lost_share(f) : 0;
	out->cpu = out->silent_ns > 0 && s->has_cpu ? (double)s->quiet_cpu_ns / (double)out->silent_ns
						    : figures->cpu;
	const struct formatted text = format_spaced(format_duration(longest));
	return longest == 0	    ? (struct formatted){""}
	       : w->lost_words != 0 ? format_after_loss(text, 1, 1)
				    : text;
}

/* Draw a sentence and the key that tells more; one that is too long ends with a whole word. */
static void put_headline(
    struct canvas *canvas, struct rect line, enum style style, char *text, const char *more)
{
	const int room = line.cols - canvas_text_width(canvas, more);
	size_t at = strlen(text);
	bool cut = false;

	while (at > 0 && canvas_text_width(canvas, text) + cut > room) {
		do
			at--;
		while (at > 0 && (text[at] != ' ' || isdigit((unsigned char)text[at - 1]) ||
				     strchr(",:;", text[at - 1]) != NULL));
		text[at] = '\0';
		cut = true;
	}
	int col = canvas_put(canvas, line.row, line.col, style, text);
	if (cut)
		canvas_glyph(canvas, line.row, col++, style, GLYPH_ELLIPSIS);
	canvas_put(canvas, line.row, col, STYLE_KEY, more);
}

#define LATE_TEXT 256

/* Say what else than a fiber can have made a loop late; "": nothing that is known.  Of a program that collects for longer
 * than it runs, as one that makes its events up, the processor time tells nothing. */
static void late_excuse(const struct header_facts *f, const struct fiber_late *late, char *out, size_t size)
{
	const struct subject *s = f->subject;
	uint64_t most = 0;
	enum system_excuse excuse =
	    system_past_excuse(watch_system(s->watch), late->end - late->duration, late->end, &most);

	out[0] = '\0';
	if (f->figures->now.gc > f->figures->cpu)
		return;
	if (excuse == SYSTEM_STOPPED || (late->open && s->stopped))
		snprintf(out, size, "the process was stopped");
	else if (excuse == SYSTEM_WAITED)
		snprintf(out, size, "a thread waited up to %s for a CPU", format_duration(most).s);
	else if (excuse == SYSTEM_DID_NOT_RUN)
		snprintf(out, size, "the process ran for %s at most", format_duration(most).s);
}

/* Say which loop was late, and which fiber's run made it so, unless something else can have; NULL: none was. */
static const char *late_text(const struct header_facts *f, char text[LATE_TEXT])
{
	const struct subject *s = f->subject;
	char path[FIBER_PATH_SIZE], name[64], when[32] = "", excuse[64];
	struct fiber_late late;
	struct fiber_run run;

	if (s->fibers == NULL || !figure_late(s->fibers, watch_model(s->watch), &late, &run))
		return NULL;
	if (!late.open && s->now > late.end)
		snprintf(when, sizeof(when), ", %s ago", format_duration(s->now - late.end).s);
	size_t at = (size_t)snprintf(
	    text, LATE_TEXT, "loop D%u late %s", run.domain, format_duration(late.duration).s);
	late_excuse(f, &late, excuse, sizeof(excuse));
	if (2 * run.duration < late.duration || excuse[0] != '\0') {
		snprintf(text + at, LATE_TEXT - at, "%s%s%s",
		    excuse[0] != '\0' ? ": " : ", by no single fiber", excuse, when);
		return text;
	}
	snprintf(name, sizeof(name), "%s", fiber_path_text(run.path, path, sizeof(path)));
	at += (size_t)snprintf(text + at, LATE_TEXT - at, ": fiber %" PRIu64 " (%s", run.fiber, name);
	if (run.span.text != NULL)
		at += (size_t)snprintf(text + at, LATE_TEXT - at, ", span %.*s",
		    run.span.len < 64 ? (int)run.span.len : 64, run.span.text);
	if (2 * run.gc_ns > run.duration)
		at += (size_t)snprintf(text + at, LATE_TEXT - at, ", %s of it GC",
		    format_percent(figure_share((double)run.gc_ns, (double)run.duration)).s);
	snprintf(text + at, LATE_TEXT - at, ")%s", when);
	return text;
}

#define HELD_TEXT 700

/* Say of a stop of the world that waits for one domain who waits, and what code that one executes; NULL: there is none. */
static const char *held_text(const struct subject *s, char text[HELD_TEXT])
{
	const struct model *m = watch_model(s->watch);
	const struct model_open_span *wait = NULL;
	struct blame blame = {.to = s->now};
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
	if (wait == NULL || missing != 1 || s->now < wait->begin)
		return NULL;
	blame.from = wait->begin;
	if (s->code == NULL || !blame_code(&blame, s->code->profile, code, sizeof(code)))
		snprintf(
		    code, sizeof(code), "D%u is missing: rtevtop stacks %lld", blame.late, (long long)s->pid);
	snprintf(text, HELD_TEXT, "D%u has waited %s in %s: %s", waiting,
	    format_spaced(format_duration(s->now - wait->begin)).s, rtev_phase_name(wait->phase, name), code);
	return text;
}

#define OFF_TEXT 256
#define OFF_BESIDE 16 /* columns that "; 2 findings - a" takes */

/* What is said of a target of counters alone, for lines of less and less room. */
static const char *const off_texts[] = {
    ("no events: counters only; for pauses start it with OCAML_RUNTIME_EVENTS_START=1, or "
     "Runtime_events.start ()"),
    "no events: counters only; for pauses start it with OCAML_RUNTIME_EVENTS_START=1",
    "no events: counters only; pauses: OCAML_RUNTIME_EVENTS_START=1", "no events: counters only"};

/* Say in so many columns of a target that records no events what is known of it, and how to have more; NULL: it
 * records. */
static const char *off_text(const struct subject *s, int cols, char text[OFF_TEXT])
{
	size_t i = 0;

	if (!s->off)
		return NULL;
	if (s->off_why == NULL) {
		while (i + 1 < sizeof(off_texts) / sizeof(off_texts[0]) &&
		       (int)strlen(off_texts[i]) + OFF_BESIDE > cols)
			i++;
		return off_texts[i];
	}
	snprintf(text, OFF_TEXT, "no events, no counters: %s%s%s", s->off_why,
	    s->off_cure != NULL ? "; " : "", s->off_cure != NULL ? s->off_cure : "");
	return text;
}

/* Draw the line that says how the target does. */
static void draw_headline(const struct header_facts *f, struct canvas *canvas, struct rect line)
{
	struct headline_facts facts = {.advice = f->subject->advice};
	struct state_word word;
	struct headline headline;
	char clock[SUBJECT_CLOCK], late[LATE_TEXT], held[HELD_TEXT], off[OFF_TEXT];

	headline_state(f, &word, &facts);
	if (f->figures->past)
		facts.past = subject_clock(f->subject, f->figures->at, 0, clock) ? clock : "this moment";
	const struct formatted longest = headline_figures(f, &facts);
	if (facts.past == NULL)
		facts.late = late_text(f, late);
	facts.held = held_text(f->subject, held);
	facts.off = off_text(f->subject, line.cols, off);
	facts.longest = longest.s[0] != '\0' ? longest.s : NULL;
	headline_of(&facts, &headline);
	enum style style = headline.level == LEVEL_NONE ? STYLE_TEXT : measure_style(headline.level);
	put_headline(canvas, line, style, headline.text, headline.findings ? " - a" : "");
}

/* Draw the lines of a screen without a target. */
static void draw_choose(
    const struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	const struct state_word state = ui->frozen ? state_of(ui, subject, true) : (struct state_word){0};
	const char *which = ui->named ? "targets of the command line" : "all OCaml processes";
	const struct line_item items[] = {
	    line_styles(line_labelled("rtevtop", which, 0), STYLE_MUTED, STYLE_TITLE),
	    line_if(ui->frozen, state_item(&state, canvas_level(canvas))),
	    line_right(line_value(subject->clock, STYLE_MUTED, 1))};

	line_draw(canvas, area, HEADER_GAP, items, 3);
	if (area.rows > 1 && subject->process_count != 0)
		view_choose_total(subject, canvas, rect_make(area.row + 1, area.col, 1, area.cols));
}

/* The form for a screen of this size. */
static enum header_form form_of(struct rect area)
{
	if (area.rows < 2)
		return HEADER_ONE;
	return area.rows > 3 ? HEADER_BELOW : area.cols >= HEADER_BESIDE_FROM ? HEADER_BESIDE : HEADER_ALONE;
}

void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct figures figures;
	struct words target;

	if (subject->watch == NULL && subject->trace != NULL && ui->view == VIEW_SITES) {
		sites_header_draw(ui, subject, canvas, area);
		return;
	}
	if (subject->watch == NULL || ui->view == VIEW_CHOOSE) {
		draw_choose(ui, subject, canvas, area);
		return;
	}
	const struct model_totals totals = model_totals(watch_model(subject->watch));
	figures_read(ui, subject, &figures);
	const enum header_form form = form_of(area);
	/* One line has no room to say of which seconds before the end its figures are. */
	const bool all = form == HEADER_ONE && subject_over(subject) && !figures.past;
	const struct header_facts facts = {.ui = ui,
	    .subject = subject,
	    .totals = &totals,
	    .figures = &figures,
	    .window = all ? &figures.since : &figures.now,
	    .form = form,
	    .headline = area.rows > 2,
	    .level = canvas_level(canvas),
	    .cols = area.cols};
	line_words(&facts, HEADER_TARGET, &target);
	draw_words(canvas, rect_cut_top(&area, 1), &target);
	if (facts.headline)
		draw_headline(&facts, canvas, rect_cut_top(&area, 1));
	if (area.rows > 0)
		draw_figures(&facts, canvas, area);
}
