/*
 * header.c - the first lines of the screen: which target, in which state, how much it collects, what was lost.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/figures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/line.h"
#include "ui/measure.h"
#include "ui/views/sites_state.h"
#include "ui/state.h"
#include "canvas/text.h"
#include "ui/ring_traffic.h"

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

/* Lost words, and the share of the traffic that they were; of an earlier time the traffic is not known. */
static void lost_text(const struct subject *s, const struct figures *f, char *buf, size_t size)
{
	struct traffic traffic;

	snprintf(buf, size, "%s", f->lost_words == UINT64_MAX ? "-" : "0");
	if (f->lost_words == 0 || f->lost_words == UINT64_MAX)
		return;
	traffic_read(s, &traffic);
	snprintf(buf, size, f->past ? "%s words" : "%s words (%s)", format_count(f->lost_words).s,
	    format_share(f->lost_words, f->lost_words + traffic.all).s);
}

/* How long the target had run. */
static uint64_t uptime(const struct subject *s, const struct figures *f)
{
	uint64_t before = (s->now - f->at) / 1000000000;

	return s->uptime_s > before ? s->uptime_s - before : 0;
}

/* What the first line says, as text. */
struct target_texts {
	char pid[32], ocaml[80], domains[32], events[40], lost[64], fill[24], word[STATE_TEXT + 8], up[24];
	char recording[96], ignored[24], clock[SUBJECT_CLOCK];
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
static void target_texts(const struct ui *ui, const struct subject *s, const struct model_totals *t,
    const struct figures *f, int cols, const struct canvas *canvas, struct target_texts *out)
{
	char glyph[4];

	memset(out, 0, sizeof(*out));
	state_of(ui, s, cols >= WIDE_FROM, &out->state);
	if (s->pid != 0)
		snprintf(out->pid, sizeof(out->pid), "%lld", (long long)s->pid);
	snprintf(out->ocaml, sizeof(out->ocaml), "%s (%s)", s->ocaml != NULL ? s->ocaml : "version unknown",
	    s->ocaml != NULL ? s->ocaml_from : "no evidence yet");
	if (s->has_uptime)
		snprintf(out->up, sizeof(out->up), "%s", format_age(uptime(s, f)).s);
	snprintf(out->domains, sizeof(out->domains), "-");
	if (f->domains != UINT64_MAX)
		snprintf(out->domains, sizeof(out->domains), "%llu", (unsigned long long)f->domains);
	/* Of a ring file it is how many there are. */
	bool count = s->state == SUBJECT_REPLAY && s->replay == NULL;
	snprintf(out->events, sizeof(out->events), "%s",
	    !count     ? format_rate(f->events).s
	    : !f->past ? format_count(t->events).s
		       : format_unknown().s);
	lost_text(s, f, out->lost, sizeof(out->lost));
	snprintf(out->ignored, sizeof(out->ignored), "%s",
	    f->past ? format_unknown().s : format_count(t->ignored).s);
	snprintf(out->fill, sizeof(out->fill), "%s", format_percent(f->past ? NAN : ring_fill(s)).s);
	if (!f->past || !subject_clock(s, f->at, 0, out->clock))
		snprintf(out->clock, sizeof(out->clock), "%s", f->past || s->clock == NULL ? "" : s->clock);
	recording_text(ui, s, canvas, out->recording, sizeof(out->recording));
	size_t bytes = text_encode(theme_glyph(canvas_level(canvas), out->state.glyph), glyph);
	snprintf(out->word, sizeof(out->word), "%.*s %s", (int)bytes, glyph, out->state.text);
}

/* Draw the first line: the target. */
static void draw_target(const struct ui *ui, const struct subject *s, const struct model_totals *t,
    const struct figures *f, struct canvas *canvas, struct rect line)
{
	struct target_texts texts;
	struct line_item items[13];
	int count = 0;

	bool lost = f->lost_words != 0 && f->lost_words != UINT64_MAX;
	target_texts(ui, s, t, f, line.cols, canvas, &texts);
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
	items[count] = line_labelled("lost", texts.lost, lost ? 1 : 3);
	items[count++].value_style = lost ? STYLE_LOST : STYLE_VALUE;
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
	items[count] = line_labelled(NULL, texts.clock, s->replay != NULL ? 2 : 9);
	items[count].value_style = STYLE_MUTED;
	items[count++].right = true;
	line_draw(canvas, line.row, line.col, line.cols, 2, items, count);
}

/* Draw the second line: the collector. */
static void draw_collector(const struct figures *f, struct canvas *canvas, struct rect line)
{
	const struct hist *h = f->pauses;
	bool any = h != NULL && h->count != 0;
	/* After a loss there may have been worse. */
	bool bound = f->lost_words != 0;
	struct formatted texts[10];
	static const struct {
		const char *label;
		int rank;
	} labels[] = {{"GC", 0}, {"minor", 3}, {"major", 5}, {"pause p50", 4}, {"p99", 1}, {"p99.9", 7},
	    {"max", 2}, {"alloc", 4}, {"promoted", 6}, {"heap", 5}};
	struct line_item items[10];

	texts[0] = format_percent(f->gc_share);
	texts[1] = format_rate(f->minors);
	texts[2] = format_rate(f->cycles);
	texts[3] = any ? format_duration(hist_percentile(h, 50, 100)) : format_unknown();
	texts[4] = any ? format_duration(hist_percentile(h, 99, 100)) : format_unknown();
	texts[5] = any ? format_duration(hist_percentile(h, 999, 1000)) : format_unknown();
	texts[6] = any ? format_duration(h->max) : format_unknown();
	for (int i = 3; i < 7 && bound; i++)
		texts[i] = format_at_least(texts[i]);
	texts[7] = format_byte_rate(f->allocated);
	texts[8] = f->allocated > 0 ? format_percent(f->promoted / f->allocated) : format_unknown();
	texts[9] = measure_words(f->heap);
	for (int i = 0; i < 10; i++)
		items[i] = line_labelled(labels[i].label, texts[i].s, labels[i].rank);
	line_draw(canvas, line.row, line.col, line.cols, 2, items, 10);
}

void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct model_totals t;
	struct figures figures;

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
	figures_read(ui, subject, &figures);
	draw_target(ui, subject, &t, &figures, canvas, rect_cut_top(&area, 1));
	if (area.rows > 0)
		draw_collector(&figures, canvas, rect_cut_top(&area, 1));
}
