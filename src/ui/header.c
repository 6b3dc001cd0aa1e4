/*
 * header.c - the first lines of the screen: which target, in which state, how much it collects, what was lost.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/format.h"
#include "ui/line.h"
#include "ui/measure.h"
#include "ui/sites_state.h"
#include "ui/state.h"
#include "ui/text.h"
#include "ui/traffic.h"

/* From so many columns on the state is said in full. */
#define WIDE_FROM 96

/* The fill of the fullest ring. */
static double ring_fill(const struct subject *s)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < s->unread_count; i++)
		if (s->unread[i] > most)
			most = s->unread[i];
	return s->ring_words != 0 ? (double)most / (double)s->ring_words : NAN;
}

/* Lost words, and the share of the traffic that they were. */
static void lost_text(const struct subject *s, const struct model_totals *t, char *buf, size_t size)
{
	struct traffic traffic;

	snprintf(buf, size, "0");
	if (t->lost_words == 0)
		return;
	traffic_read(s, &traffic);
	snprintf(buf, size, "%s words (%s)", format_count(t->lost_words).s,
	    format_share(t->lost_words, t->lost_words + traffic.all).s);
}

/* Domains that run or, once none does any more, that ran. */
static unsigned domain_count(const struct subject *s, const struct model_totals *t)
{
	unsigned seen = 0;

	if (s->state == SUBJECT_LIVE || s->state == SUBJECT_WAITING)
		return t->running;
	for (unsigned i = 0; i < t->domains; i++) {
		const struct model_domain *d = model_domain(watch_model(s->watch), i);
		seen += d != NULL && d->seen;
	}
	return seen;
}

/* What the first line says, as text. */
struct target_texts {
	char pid[32], ocaml[80], domains[32], events[40], lost[64], fill[24], word[STATE_TEXT + 8], up[24];
	char recording[96], ignored[24];
	struct state_word state;
};

/* What is being written to files: a recording, and pauses by themselves.  While the screen is frozen that they are is told, but not
 * how far. */
static void recording_text(
    const struct ui *ui, const struct subject *s, const struct canvas *canvas, char *buf, size_t size)
{
	char glyph[4], saved[40] = "";

	size_t bytes = text_encode(theme_glyph(canvas_level(canvas), GLYPH_RECORD), glyph);
	if (s->recording != NULL && ui->frozen)
		snprintf(buf, size, "%.*s REC", (int)bytes, glyph);
	else if (s->recording != NULL)
		snprintf(buf, size, "%.*s REC %s %s", (int)bytes, glyph,
		    format_age(s->recording_ns / 1000000000).s, format_bytes(s->recording_bytes).s);
	if (s->pause_ns == 0)
		return;
	if (!ui->frozen)
		snprintf(saved, sizeof(saved), " %s saved", format_count(s->pause_files).s);
	size_t used = strlen(buf);
	snprintf(buf + used, size - used, "%s%.*s >%s%s", used > 0 ? "  " : "", (int)bytes, glyph,
	    format_duration(s->pause_ns).s, saved);
}

/* Put the first line into words. */
static void target_texts(const struct ui *ui, const struct subject *s, const struct model_totals *t, int cols,
    const struct canvas *canvas, struct target_texts *out)
{
	char glyph[4];

	memset(out, 0, sizeof(*out));
	state_of(ui, s, cols >= WIDE_FROM, &out->state);
	if (s->pid != 0)
		snprintf(out->pid, sizeof(out->pid), "%lld", (long long)s->pid);
	snprintf(out->ocaml, sizeof(out->ocaml), "%s (%s)", s->ocaml != NULL ? s->ocaml : "version unknown",
	    s->ocaml != NULL ? s->ocaml_from : "no evidence yet");
	if (s->has_uptime)
		snprintf(out->up, sizeof(out->up), "%s", format_age(s->uptime_s).s);
	snprintf(out->domains, sizeof(out->domains), "%u", domain_count(s, t));
	snprintf(out->events, sizeof(out->events), "%s",
	    s->state == SUBJECT_REPLAY && s->replay == NULL
		? format_count(t->events).s
		: format_rate(measure_rate(ui, s, WATCH_ALL, WATCH_EVENTS, MEASURE_RATE_NS)).s);
	lost_text(s, t, out->lost, sizeof(out->lost));
	snprintf(out->ignored, sizeof(out->ignored), "%s", format_count(t->ignored).s);
	snprintf(out->fill, sizeof(out->fill), "%s", format_percent(ring_fill(s)).s);
	recording_text(ui, s, canvas, out->recording, sizeof(out->recording));
	size_t bytes = text_encode(theme_glyph(canvas_level(canvas), out->state.glyph), glyph);
	snprintf(out->word, sizeof(out->word), "%.*s %s", (int)bytes, glyph, out->state.text);
}

/* Draw the first line: the target. */
static void draw_target(const struct ui *ui, const struct subject *s, const struct model_totals *t,
    struct canvas *canvas, struct rect line)
{
	struct target_texts texts;
	struct line_item items[13];
	int count = 0;

	target_texts(ui, s, t, line.cols, canvas, &texts);
	items[count] = line_labelled(line.cols >= HEADER_NAME_FROM ? "rtevtop" : NULL, texts.pid, 0);
	items[count].label_style = STYLE_MUTED;
	items[count++].value_style = STYLE_TITLE;
	items[count] = line_labelled(NULL, s->name, 2);
	items[count++].value_style = STYLE_TITLE;
	items[count++] = line_labelled("OCaml", texts.ocaml, 5);
	if (s->has_uptime)
		items[count++] = line_labelled("up", texts.up, 8);
	items[count] = line_labelled(NULL, texts.word, 0);
	items[count++].value_style = texts.state.style;
	items[count] = line_labelled(NULL, texts.recording, 1);
	items[count].value_style = STYLE_RECORDING;
	count += texts.recording[0] != '\0';
	items[count++] = line_labelled("domains", texts.domains, 6);
	items[count++] = line_labelled("events", texts.events, 4);
	items[count] = line_labelled("lost", texts.lost, t->lost_words != 0 ? 1 : 3);
	items[count++].value_style = t->lost_words != 0 ? STYLE_LOST : STYLE_VALUE;
	if (t->ignored != 0) {
		items[count] = line_labelled("ignored", texts.ignored, 2);
		items[count++].value_style = STYLE_LOST;
	}
	if (s->state == SUBJECT_LIVE)
		items[count++] = line_labelled("ring", texts.fill, 7);
	if (s->replay != NULL) {
		items[count] = line_labelled(NULL, s->replay->date, 9);
		items[count].value_style = STYLE_MUTED;
		items[count++].right = true;
	}
	/* That of a recording can be read nowhere else. */
	items[count] = line_labelled(NULL, s->clock, s->replay != NULL ? 2 : 9);
	items[count].value_style = STYLE_MUTED;
	items[count++].right = true;
	line_draw(canvas, line.row, line.col, line.cols, 2, items, count);
}

/* The share of their observed time that all domains together spent in pauses. */
static double gc_share(const struct subject *s, const struct model_totals *t)
{
	uint64_t gc = 0, observed = 0;

	for (unsigned i = 0; i < t->domains; i++) {
		const struct model_domain *d = model_domain(watch_model(s->watch), i);
		if (d == NULL)
			continue;
		gc += d->gc_ns;
		observed += d->observed_ns;
	}
	return observed != 0 ? (double)gc / (double)observed : NAN;
}

/* Draw the second line: the collector. */
static void draw_collector(const struct ui *ui, const struct subject *s, const struct model_totals *t,
    struct canvas *canvas, struct rect line)
{
	const struct hist *h = model_pauses(watch_model(s->watch));
	double allocated = measure_rate(ui, s, WATCH_ALL, WATCH_ALLOCATED, MEASURE_RATE_NS);
	double promoted = measure_rate(ui, s, WATCH_ALL, WATCH_PROMOTED, MEASURE_RATE_NS);
	double heap = watch_level(s->watch, WATCH_HEAP);
	/* After a loss there may have been worse. */
	bool bound = t->lost_words != 0;
	struct formatted texts[10];
	static const struct {
		const char *label;
		int rank;
	} labels[] = {{"GC", 0}, {"minor", 3}, {"major", 5}, {"pause p50", 4}, {"p99", 1}, {"p99.9", 7},
	    {"max", 2}, {"alloc", 4}, {"promoted", 6}, {"heap", 5}};
	struct line_item items[10];

	texts[0] = format_percent(gc_share(s, t));
	texts[1] = format_rate(measure_rate(ui, s, WATCH_ALL, WATCH_MINORS, MEASURE_RATE_NS));
	texts[2] = format_rate(measure_rate(ui, s, WATCH_ALL, WATCH_CYCLES, 10 * (uint64_t)MEASURE_RATE_NS));
	texts[3] = h->count != 0 ? format_duration(hist_percentile(h, 50, 100)) : format_unknown();
	texts[4] = h->count != 0 ? format_duration(hist_percentile(h, 99, 100)) : format_unknown();
	texts[5] = h->count != 0 ? format_duration(hist_percentile(h, 999, 1000)) : format_unknown();
	texts[6] = h->count != 0 ? format_duration(h->max) : format_unknown();
	for (int i = 3; i < 7 && bound; i++)
		texts[i] = format_at_least(texts[i]);
	texts[7] = format_byte_rate(allocated);
	texts[8] = allocated > 0 ? format_percent(promoted / allocated) : format_unknown();
	texts[9] = measure_words(heap);
	for (int i = 0; i < 10; i++)
		items[i] = line_labelled(labels[i].label, texts[i].s, labels[i].rank);
	line_draw(canvas, line.row, line.col, line.cols, 2, items, 10);
}

/* Draw the header. */
void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct model_totals t;

	if (subject->watch == NULL && subject->trace != NULL && ui->view == VIEW_SITES) {
		sites_header_draw(ui, subject, canvas, area);
		return;
	}
	if (subject->watch == NULL) {
		const struct line_item items[] = {{.label = "rtevtop",
						      .value = "choose a process",
						      .label_style = STYLE_MUTED,
						      .value_style = STYLE_TITLE},
		    {.value = subject->clock, .value_style = STYLE_MUTED, .rank = 1, .right = true}};
		line_draw(canvas, area.row, area.col, area.cols, 2, items, 2);
		return;
	}
	model_totals(watch_model(subject->watch), &t);
	draw_target(ui, subject, &t, canvas, rect_cut_top(&area, 1));
	if (area.rows > 0)
		draw_collector(ui, subject, &t, canvas, rect_cut_top(&area, 1));
}
