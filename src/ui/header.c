/*
 * header.c - the band at the top of the screen: which target, how it does, and six gauges, in fields that do not move.
 *
 *      line 1     name and pid, OCaml's version, state, for how long it has run, domains, since when the totals count and the
 *                 longest pause in them, the time; what is recorded or sampled stands in place of the last but one
 *      verdict    a glyph and a word by severity, a sentence, and the key of the view that shows more
 *      gauges     GC, pause, heap; then CPU, alloc, lost: a figure of the last seconds, its history, a word or two
 *
 * What is not known is "-" in its place.  A narrower screen has fewer fields, and gauges without words, then without
 * history.  Once the target has ended, figures are of all that was observed.
 */
#include <ctype.h>

#include "advice/headline.h"
#include "canvas/text.h"
#include "figures/figures.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/state.h"
#include "ui/views/sites_state.h"
#include "ui/widgets/plot.h"
#include "watch/trend.h"

#define HEADER_TEXT 160
#define WORDS_FROM 120	/* screen width from which on gauges have words */
#define SINCE_FROM 112	/* screen width from which on the begin of the totals is shown */
#define LONG_FROM 160	/* screen width from which on name and state are shown in full */
#define OCAML_FROM 78	/* screen width from which on OCaml's version is shown */
#define HISTORY_FROM 60 /* screen width from which on gauges have histories */
#define KEY_COLS 4	/* width of a verdict's key, "[a]", and a blank */
#define WORD_COLS 24	/* maximum width of a verdict's word */
#define HISTORY_COLS 24 /* maximum width of a history beside words */
#define HISTORY_MOST 48 /* seconds of a history */
#define GAUGE_COLS 14	/* width of a gauge's name and figure */

/* Input of the functions that draw fields. */
struct header_facts {
	struct ui *ui;
	const struct subject *subject;
	const struct model_totals *totals;
	const struct figures *figures;
	const struct figures_window *window; /* figures of the gauges, in `figures` */
	struct canvas *canvas;
	bool over; /* the target has ended, or is a file */
};

/* ---- line 1 ---- */

/* Draw a label and a value in a field.  Returns the column after it. */
static int put_field(
    const struct header_facts *f, int row, int col, const char *label, const char *value, enum style style)
{
	if (label != NULL)
		col = canvas_put(f->canvas, row, col, STYLE_LABEL, label) + 1;
	return canvas_put(f->canvas, row, col, style, value);
}

/* Draw the name and the pid; the name is shortened so that the pid fits. */
static int put_name(const struct header_facts *f, struct rect place)
{
	const struct subject *s = f->subject;
	char pid[24] = "";

	if (s->pid != 0)
		snprintf(pid, sizeof(pid), "%lld", (long long)s->pid);
	const char *name = s->name != NULL ? s->name : s->pid != 0 ? "pid" : "rtevtop";
	int width = canvas_text_width(f->canvas, name), room = place.cols - 1 - (int)strlen(pid);
	width = width < room ? width : room;
	if (width > 0)
		canvas_put_name(f->canvas, rect_make(place.row, place.col, 1, width), STYLE_TITLE, name);
	return canvas_put(f->canvas, place.row, place.col + (width > 0 ? width + 1 : 0), STYLE_VALUE, pid);
}

/* Format the time at which the totals began to count. */
static void since_text(const struct header_facts *f, char *buf, size_t size)
{
	if (!subject_since(f->subject, f->figures->since_ts, buf, size))
		strlcpy(buf, "start", size);
}

/* Return what is being recorded: a recording, and files of long pauses; without figures while frozen. */
static struct line_item recording_item(const struct header_facts *f)
{
	const struct subject *s = f->subject;
	char glyph[4], saved[40] = "", recording[80] = "", pauses[80] = "";
	const int bytes = (int)text_encode(theme_glyph(canvas_level(f->canvas), GLYPH_RECORD), glyph);

	if (s->recording != NULL && f->ui->frozen)
		snprintf(recording, sizeof(recording), "%.*s REC", bytes, glyph);
	else if (s->recording != NULL)
		snprintf(recording, sizeof(recording), "%.*s REC %s %s", bytes, glyph,
		    format_age(s->recording_ns / 1000000000).s, format_bytes(s->recording_bytes).s);
	if (!f->ui->frozen)
		snprintf(saved, sizeof(saved), " %s saved", format_count(s->pause_files).s);
	if (s->pause_ns != 0)
		snprintf(pauses, sizeof(pauses), "%s%.*s >%s%s", recording[0] != '\0' ? "  " : "", bytes,
		    glyph, format_duration(s->pause_ns).s, saved);
	return line_if(recording[0] != '\0' || pauses[0] != '\0',
	    line_styled(line_said(NULL, 0, "%s%s", recording, pauses), STYLE_RECORDING));
}

/* Return the cost of sampling the code while it is on: processor time of our own and of the target. */
static struct line_item code_item(const struct header_facts *f)
{
	const struct subject_code *code = f->subject->code;

	if (code == NULL || !code->on)
		return (struct line_item){0};
	const struct formatted own = format_percent(code->own), target = format_percent(code->target);
	return code->waits_only ? line_said("code", 1, "off CPU only %s", own.s)
				: line_said("code", 1, "%uHz %s + %s", code->hz, own.s, target.s);
}

/* Draw news about the observation itself.  Returns false if there is none.  A wide screen shows instead when
 * the totals began and their longest pause. */
static bool put_notes(const struct header_facts *f, struct rect place, bool wide)
{
	const struct model_totals *t = f->totals;
	const struct hist *pauses = f->figures->since.pauses;
	char begin[32];

	since_text(f, begin, sizeof(begin));
	const struct line_item items[] = {recording_item(f), code_item(f),
	    line_if(t->ignored != 0,
		line_styled(line_figure("ignored", format_count(t->ignored), 2), STYLE_LOST)),
	    line_if(t->restarts != 0, line_styled(line_said("programs", 3, "%llu since %.24s",
						      (unsigned long long)t->restarts + 1, begin),
					  STYLE_WARN))};
	bool any = false;

	for (int i = 0; i < 4; i++)
		any |= items[i].value != NULL || items[i].text[0] != '\0';
	const struct line_item since[] = {line_labelled("since", begin, 0),
	    line_figure("worst pause",
		distribution_percentile(
		    pauses != NULL ? pauses : &(struct hist){0}, 1, 1, f->figures->since.lost_words != 0),
		1)};
	if (any)
		line_draw(f->canvas, place, 2, items, 4);
	else if (wide)
		line_draw(f->canvas, place, 1, since, 2);
	return any;
}

/* Draw the time shown at the right of a line.  Returns the column before it. */
static int put_clock(const struct header_facts *f, struct rect line)
{
	const struct subject *s = f->subject;
	char clock[SUBJECT_CLOCK] = "", text[64];

	if (!f->figures->past)
		strlcpy(clock, s->clock != NULL ? s->clock : "", sizeof(clock));
	else
		subject_clock(s, f->figures->at, 0, clock);
	const char *date =
	    s->replay != NULL && s->replay->date != NULL && line.cols >= SINCE_FROM ? s->replay->date : "";
	snprintf(text, sizeof(text), "%.32s%s%s", date, date[0] != '\0' ? " " : "", clock);
	const int end = line.col + line.cols - canvas_text_width(f->canvas, text);
	canvas_put(f->canvas, line.row, end, STYLE_MUTED, text);
	return end - 1;
}

/* Draw line 1.  A state that is wider than its field replaces the fields after it. */
static void draw_target(const struct header_facts *f, struct rect line)
{
	const struct subject *s = f->subject;
	/* By the width of the screen: that of the name, that of the version, and that of the state. */
	static const struct {
		int from, name, ocaml, state;
	} widths[] = {
	    {LONG_FROM, 40, 15, 28}, {SINCE_FROM, 25, 15, 17}, {OCAML_FROM, 22, 14, 11}, {0, 22, 0, 11}};
	const bool wide = line.cols >= SINCE_FROM, ocaml = line.cols >= OCAML_FROM;
	int w = 0;

	while (line.cols < widths[w].from)
		w++;
	const int half = line.cols / 2 - 1, name_cols = half < widths[w].name ? half : widths[w].name;
	const int named = 1 + put_name(f, rect_make(line.row, 1, 1, name_cols - 1)),
		  field = 1 + name_cols + widths[w].ocaml, state = named > field ? named : field,
		  up = state + widths[w].state, domains = up + 11, notes = domains + 11;
	const uint64_t before = (s->now - f->figures->at) / 1000000000;
	const bool runs = s->state == SUBJECT_LIVE && !f->ui->frozen;
	const struct state_word word = state_of(f->ui, s, wide && !runs);
	const struct line_item item = state_item(&word, canvas_level(f->canvas));
	char text[HEADER_TEXT];
	if (ocaml)
		put_field(f, line.row, 1 + name_cols, "OCaml",
		    s->ocaml != NULL ? s->ocaml : format_unknown().s, STYLE_VALUE);
	const int at = 1 + canvas_put(f->canvas, line.row, state, word.style, item.text);
	/* On narrow screens what is recorded replaces facts that are known anyway. */
	const bool recorded = !ocaml && (s->recording != NULL || s->pause_ns != 0);
	const int end = at + 9 <= line.cols && !recorded ? put_clock(f, line) : line.cols;
	const int place = wide	     ? notes + (f->figures->domains > 99 ? 2 : 0)
			  : recorded ? at
				     : up,
		  from = at > place ? at + 1 : place;
	if (put_notes(f, rect_make(line.row, from, 1, end - from), wide) && !wide)
		return;
	const uint64_t age = s->uptime_s > before ? s->uptime_s - before : 0;
	if (at <= up && up + 9 < end)
		put_field(f, line.row, up, "up", s->has_uptime ? format_age(age).s : format_unknown().s,
		    STYLE_VALUE);
	if (at <= domains && domains + 11 < end) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)f->figures->domains);
		put_field(f, line.row, domains, "domains",
		    f->figures->domains == UINT64_MAX ? format_unknown().s : text, STYLE_VALUE);
		ui_spot(
		    f->ui, (struct spot){
			       .kind = SPOT_KEY, .area = rect_make(line.row, domains, 1, 10), .value = '2'});
	}
}

/* ---- verdict ---- */

/* Return the headline of the earlier time that is shown. */
static struct headline headline_of_past(const struct header_facts *f)
{
	const struct figures_window *w = &f->figures->now;
	const bool any = w->pauses != NULL && w->pauses->max != 0;
	const struct formatted longest =
	    distribution_percentile(any ? w->pauses : &(struct hist){0}, 1, 1, w->lost_words != 0);
	struct headline out;
	char clock[SUBJECT_CLOCK];

	headline_of(
	    &(struct headline_facts){
		.past = subject_clock(f->subject, f->figures->at, 0, clock) ? clock : "this moment",
		.longest = any ? longest.s : NULL,
		.off = subject_eventless(f->subject) ? "no events" : NULL,
		.of = {[LIMIT_GC] = w->gc,
		    [LIMIT_PAUSE] = w->pauses != NULL ? (double)w->pauses->max : (double)NAN}},
	    &out);
	return out;
}

/* Put the word of a verdict in capitals: the part of its sentence before a colon, or the name of its finding,
 * or "".  The rest of the sentence is in one of its lengths; the first time or state before the colon stays in
 * the sentence. */
static void verdict_split(
    const struct headline *h, const char *length, char word[WORD_COLS + 1], char rest[HEADLINE_TEXT])
{
	static const char *const before[] = {"whole file: ", "file: ", "ended: "};
	size_t skip = 0, kept = 0;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (strncmp(h->text + skip, before[i], strlen(before[i])) == 0) {
			skip += strlen(before[i]);
			kept = kept == 0 ? skip : kept;
		}
	const char *text = h->text + skip;
	const size_t colon = strcspn(text, ":0123456789(");
	const bool worded = colon <= WORD_COLS && strncmp(text + colon, ": ", 2) == 0;
	snprintf(word, WORD_COLS + 1, "%.*s", worded ? (int)colon : WORD_COLS,
	    worded	      ? text
	    : h->name != NULL ? h->name
			      : "");
	for (char *c = word; *c != '\0'; c++)
		*c = *c == '_' ? ' ' : (char)toupper((unsigned char)*c);
	const size_t shared = skip + (worded ? colon + 2 : 0);
	snprintf(rest, HEADLINE_TEXT, "%.*s%s", (int)kept, length,
	    length + (strncmp(length, h->text, shared) == 0 ? shared : skip));
}

/* Draw the verdict. */
static void draw_verdict(const struct header_facts *f, struct rect line)
{
	static const struct {
		enum style style;
		enum glyph glyph;
	} looks[] = {{STYLE_MUTED, GLYPH_DOT}, {STYLE_GOOD, GLYPH_WELL}, {STYLE_WARN, GLYPH_ATTENTION},
	    {STYLE_BAD, GLYPH_WRONG}};
	struct headline shown = f->figures->past ? headline_of_past(f) : f->subject->headline;
	const int verdict = headline_verdict(&shown) + 1;
	struct canvas *canvas = f->canvas;
	char word[WORD_COLS + 1], sentence[HEADLINE_TEXT], more[32] = "";
	int col = line.col + 1;

	verdict_split(&shown, shown.text, word, sentence);
	canvas_glyph(canvas, line.row, col, looks[verdict].style, looks[verdict].glyph);
	col = canvas_put(canvas, line.row, col + 2, looks[verdict].style, word) + (word[0] != '\0' ? 2 : 0);
	struct rect room = rect_make(line.row, col, 1, line.col + line.cols - 1 - col);
	/* The key that begins to sample the code ends that, too. */
	if (shown.key == 'C' && f->subject->code != NULL && f->subject->code->on)
		shown.key = 'c';
	else if (shown.key == 'C' && f->subject->code_refused != NULL)
		shown.key = 0;
	const struct action_info *shows =
	    action_info(action_of_key(&f->ui->actions, (ui_key)shown.key, f->ui->view));
	/* Use the longest form that fits beside the key; with a long name none may fit. */
	room.cols -= shows != NULL ? KEY_COLS : 0;
	for (int i = 0; canvas_text_width(canvas, sentence) > room.cols && i < 2; i++)
		if (shown.said.shorter[i][0] != '\0')
			verdict_split(&shown, shown.said.shorter[i], word, sentence);
	canvas_put_fit(canvas, room, ALIGN_LEFT, STYLE_TEXT, sentence);
	if (shows == NULL)
		return;
	/* The name of the view stands in what room is left. */
	snprintf(more, sizeof(more), "[%c] %s", shown.key, shows->short_name);
	const int name_cols = canvas_text_width(canvas, more) - KEY_COLS + 1;
	if (canvas_text_width(canvas, sentence) + name_cols <= room.cols)
		room.cols -= name_cols;
	else
		more[KEY_COLS - 1] = '\0';
	col = room.col + room.cols + 1;
	const int end = canvas_put(canvas, line.row, col, STYLE_KEY, more);
	canvas_restyle(canvas, rect_make(line.row, col + 3, 1, line.col + line.cols - col - 3), STYLE_LABEL);
	/* A click on the sentence shows a view, but begins nothing. */
	ui_spot(f->ui, (struct spot){.kind = SPOT_KEY,
			   .area = shown.key == 'C' ? rect_make(line.row, col, 1, end - col) : line,
			   .value = shown.key});
}

/* ---- gauges ---- */

/* A gauge: its name, the view with more about it, its figure, and words behind its history. */
struct gauge {
	const char *name;
	char key;
	enum trend_figure history;
	double top; /* top of the history's scale; NAN: the highest value */
	struct formatted figure;
	enum style style;
	const char *labels[2];
	struct formatted words[2];
};

/* Return a word about the heap: its age if it is old, memory swapped out, or else its growth per minute. */
static struct formatted heap_word(const struct figures *n, enum style *style)
{
	const struct formatted ago = format_ago(n->heap_age, MODEL_LEVEL_OLD_NS),
			       growth = format_growth(n->growth);
	struct formatted out = {.s = ""};

	*style = STYLE_VALUE;
	if (ago.s[0] != '\0') {
		snprintf(out.s, sizeof(out.s), "%s", ago.s + strspn(ago.s, " "));
	} else if (n->swap > 0) {
		out = format_said("swap %.16s", format_bytes(n->swap_bytes).s);
		*style = recent_style(limit_level(LIMIT_SWAP, n->swap));
	} else if (!isnan(n->growth)) {
		return growth.s[0] != '\0' ? growth : (struct formatted){.s = "steady"};
	}
	return out;
}

/* Return the fill of the fullest ring; NAN: not known. */
static double ring_fill(const struct header_facts *f)
{
	const struct subject *s = f->subject;
	uint64_t most = 0;

	for (unsigned i = 0; i < s->unread_count; i++)
		most = s->unread[i] > most ? s->unread[i] : most;
	return f->figures->past || s->ring_words == 0 || s->state != SUBJECT_LIVE
		   ? (double)NAN
		   : (double)most / (double)s->ring_words;
}

/* Return the style of losses: bad if words are being lost now, else by their share of the traffic. */
static enum style lost_style(const struct header_facts *f)
{
	const double lost = (double)f->figures->since.lost_words;
	const struct traffic traffic = traffic_read(watch_model(f->subject->watch), f->subject->ring_words);

	if (f->figures->since.lost_words == UINT64_MAX)
		return STYLE_VALUE;
	if (f->figures->now.lost_words != 0 && f->figures->now.lost_words != UINT64_MAX && !f->over)
		return STYLE_LOST;
	return recent_style(limit_level(LIMIT_LOST, figure_share(lost, lost + (double)traffic.all)));
}

/* Return a share without its sign. */
static struct formatted bare(struct formatted share)
{
	share.s[strcspn(share.s, "%")] = '\0';
	return share;
}

/* Fill in the gauges in the order of their places. */
static void read_gauges(const struct header_facts *f, struct gauge out[6])
{
	const struct figures *n = f->figures;
	const struct figures_window *w = f->window;
	const struct hist *pauses = w->pauses != NULL ? w->pauses : &(struct hist){0};
	const bool lossy = w->lost_words != 0, off = f->subject->off;
	const struct format_split gc = format_gc(w->gc, w->wait);
	const uint64_t lost = n->since.lost_words;
	struct formatted cpu = format_unknown(), unknown = cpu;
	enum style heap_style;

	if (!isnan(n->cpu) && !f->over)
		snprintf(cpu.s, sizeof(cpu.s), n->cpu < 9.995 ? "%.2f" : "%.1f", n->cpu);
	if (!isnan(n->cores) && !f->over)
		snprintf(cpu.s + strlen(cpu.s), sizeof(cpu.s) - strlen(cpu.s), "/%.4g", n->cores);
	const struct formatted heap = heap_word(n, &heap_style);
	const bool throttled = n->throttled > 0 && !f->over;
	const struct gauge gauges[6] = {
	    {"GC", '3', TREND_GC, 1, format_percent(w->gc), recent_style(limit_level(LIMIT_GC, w->gc)),
		{off		   ? "minors"
		    : isnan(w->gc) ? ""
				   : "work",
		    isnan(w->gc) ? "" : "wait"},
		{off ? format_rate(w->minors) : bare(gc.work), bare(gc.waiting)}},
	    {"pause", '5', TREND_MAX, NAN, distribution_percentile(pauses, 1, 1, lossy),
		recent_style(
		    limit_level(LIMIT_PAUSE, pauses->count != 0 ? (double)pauses->max : (double)NAN)),
		{"p99"}, {distribution_percentile(pauses, 99, 100, lossy)}},
	    {"heap", '7', TREND_HEAP, NAN, format_figure(UNIT_WORDS, n->heap), heap_style, {""}, {heap}},
	    {"CPU", '2', TREND_CPU, isnan(n->cores) ? (double)NAN : n->cores, cpu,
		throttled ? recent_style(limit_level(LIMIT_THROTTLED, n->throttled)) : STYLE_VALUE,
		{throttled ? "throttled" : "queued"},
		{throttled    ? format_percent(n->throttled)
		    : f->over ? unknown
			      : format_percent(n->queued)}},
	    {"alloc", '7', TREND_ALLOCATED, NAN, format_byte_rate(w->allocated), STYLE_VALUE, {"promoted"},
		{format_percent(figure_share(w->promoted, w->allocated))}},
	    {"lost", '8', TREND_LOST, NAN,
		lost == UINT64_MAX || off ? unknown
		: lost == 0		  ? (struct formatted){.s = "0"}
					  : format_words(lost),
		lost_style(f), {"ring"}, {format_percent(ring_fill(f))}},
	};
	memcpy(out, gauges, sizeof(gauges));
}

/* One value per second for the gauges' histories, the newest last. */
struct histories {
	double values[TREND_FIGURE_COUNT][HISTORY_MOST];
	int count;
};

static void read_histories(
    const struct header_facts *f, const struct gauge gauges[6], int count, struct histories *out)
{
	const uint64_t second = 1000000000, end = f->figures->at / second * second;
	struct trend_span span;

	out->count = count;
	for (int i = 0; i < count; i++) {
		const uint64_t back = (uint64_t)(count - i) * second;
		const bool seen = end > back && trend_read_tier(watch_trend(f->subject->watch), TREND_SECONDS,
						    end - back, end - back + second, &span);
		for (int g = 0; g < 6; g++)
			out->values[gauges[g].history][i] =
			    seen ? span.figures[gauges[g].history].value : (double)NAN;
	}
}

/* Draw a gauge into a cell with a history of `history_cols` columns; 0: none. */
static void draw_gauge(const struct header_facts *f, const struct gauge *g, struct rect cell,
    int history_cols, bool worded, const struct histories *h)
{
	struct canvas *canvas = f->canvas;
	const int name = canvas_text_width(canvas, g->name) + 1;
	struct rect words = cell, figure = rect_cut_left(&words, GAUGE_COLS);

	ui_spot(f->ui, (struct spot){.kind = SPOT_KEY, .area = cell, .value = g->key});
	canvas_put(canvas, cell.row, cell.col, STYLE_LABEL, g->name);
	canvas_put_fit(canvas, rect_make(cell.row, cell.col + name, 1, figure.cols - name), ALIGN_RIGHT,
	    g->style, g->figure.s);
	rect_cut_left(&words, 1);
	const struct rect history = rect_cut_left(&words, history_cols);
	if (history.cols > 0)
		plot_spark(canvas, history.row, history.col, history.cols, h->values[g->history], h->count, 0,
		    g->top, STYLE_SPARK);
	const struct line_item items[] = {line_figure(g->labels[0], g->words[0], 1),
	    line_if(g->labels[1] != NULL, line_figure(g->labels[1], g->words[1], 2))};
	if (worded)
		line_draw(canvas, rect_margins(words, 1, 0), 1, items, 2);
}

/* Draw one or two rows of gauges side by side, in cells of fixed places. */
static void draw_gauges(const struct header_facts *f, struct rect area)
{
	static const int widths[3] = {44, 39, 37}; /* of cells with words, including separators */
	const int side = area.cols > 3 * (GAUGE_COLS + 2) ? 3 : area.cols > 2 * (GAUGE_COLS + 2) ? 2 : 1;
	const bool worded = area.cols >= WORDS_FROM;
	const int spare = (area.cols - WORDS_FROM) / 3, even = (area.cols - 1) / side;
	int history = worded			  ? (spare < HISTORY_COLS - 8 ? 8 + spare : HISTORY_COLS)
		      : area.cols >= HISTORY_FROM ? even - GAUGE_COLS - 4
						  : 0;
	struct histories histories;
	struct gauge gauges[6];

	history = history < HISTORY_MOST ? history : HISTORY_MOST;
	read_gauges(f, gauges);
	int samples = history;
	if (history > 0)
		samples = plot_samples(f->canvas, &history, HISTORY_MOST);
	read_histories(f, gauges, samples, &histories);
	/* If there is one row, losses replace the heap. */
	if (area.rows == 1 && f->figures->since.lost_words != 0 && f->figures->since.lost_words != UINT64_MAX)
		gauges[2] = gauges[5];
	for (int row = 0; row < area.rows && row < 2; row++) {
		int col = area.col + 1;
		for (int i = 0; i < side; i++) {
			const int cols = worded ? widths[i] + spare : even;
			const bool last = i + 1 == side;
			draw_gauge(f, &gauges[3 * row + i],
			    rect_make(area.row + row, col, 1, last ? area.col + area.cols - col : cols - 2),
			    history, worded, &histories);
			if (!last)
				canvas_glyph(
				    f->canvas, area.row + row, col + cols - 2, STYLE_BORDER, GLYPH_VLINE);
			col += cols;
		}
	}
}

/* ---- header ---- */

/* Draw the lines of a screen without a target. */
static void draw_overview(
    const struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	const struct state_word state = ui->frozen ? state_of(ui, subject, true) : (struct state_word){0};
	const char *which = ui->named ? "targets of the command line" : "all OCaml processes";
	const struct line_item items[] = {
	    line_styles(line_labelled("rtevtop", which, 0), STYLE_MUTED, STYLE_TITLE),
	    line_if(ui->frozen, state_item(&state, canvas_level(canvas))),
	    line_right(line_value(subject->clock, STYLE_MUTED, 1))};

	line_draw(canvas, area, 2, items, 3);
	if (area.rows > 1 && subject->process_count != 0)
		view_overview_total(subject, canvas, rect_make(area.row + 1, area.col, 1, area.cols));
}

void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct figures figures;

	if (subject->watch == NULL && subject->trace != NULL && ui->view == VIEW_SITES) {
		sites_header_draw(ui, subject, canvas, area);
		return;
	}
	if (subject->watch == NULL || ui->view == VIEW_OVERVIEW) {
		draw_overview(ui, subject, canvas, area);
		return;
	}
	const struct model_totals totals = model_totals(watch_model(subject->watch));
	figures_read(ui, subject, &figures);
	const bool over = subject_over(subject) && !figures.past;
	const struct header_facts facts = {.ui = ui,
	    .subject = subject,
	    .totals = &totals,
	    .figures = &figures,
	    .window = over ? &figures.since : &figures.now,
	    .canvas = canvas,
	    .over = over};
	draw_target(&facts, rect_cut_top(&area, 1));
	if (area.rows > 0)
		draw_verdict(&facts, rect_cut_top(&area, 1));
	if (area.rows > 0)
		draw_gauges(&facts, area);
}
