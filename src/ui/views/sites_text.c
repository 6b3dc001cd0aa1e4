/*
 * sites_text.c - format estimates, and draw the summary of a trace and the header where there is no target.
 */
#include "canvas/text.h"
#include "ui/views/sites_state.h"
#include "print/number.h"

/* Columns of an error, "±8%" or "±100%". */
#define ERROR_COLS 5

/* Append an error to a value.  Its first character takes two bytes. */
static struct sites_text with_error(struct formatted value, const char *error)
{
	struct sites_text out;
	int cols = (int)strlen(error) - 1;

	snprintf(out.s, sizeof(out.s), "%s %*s%.20s", value.s, cols < ERROR_COLS ? ERROR_COLS - cols : 0, "",
	    error);
	return out;
}

/* Format a value without an error, in the columns of values with one. */
static struct sites_text alone(struct formatted value)
{
	struct sites_text out;

	snprintf(out.s, sizeof(out.s), "%s %*s", value.s, ERROR_COLS, "");
	return out;
}

/* Convert to a number that fits 64 bits. */
static uint64_t whole(double value)
{
	return value >= 1.8e19 ? UINT64_MAX : value > 0 ? (uint64_t)(value + 0.5) : 0;
}

struct formatted sites_words_alone(const struct sites_state *state, double words)
{
	const struct formatted size = state->words
					  ? format_words(whole(fabs(words)))
					  : format_bytes(whole(fabs(words) * state->totals.word_bytes));
	return format_said("%s%.20s", words < 0 ? "-" : "", size.s);
}

struct sites_text sites_text_words(const struct sites_state *state, struct sites_estimate words)
{
	if (!words.known)
		return alone(format_unknown());
	struct formatted value = sites_words_alone(state, words.value);
	if (words.value == 0 && words.error == 0)
		return alone(value);
	return with_error(value, format_error(words.error / fabs(words.value)).s);
}

struct sites_text sites_text_share(struct sites_estimate share)
{
	char error[16];
	double points = share.error * 100;

	if (!share.known)
		return alone(format_unknown());
	snprintf(
	    error, sizeof(error), "±%.*f", points < 9.95 ? 1 : 0, points > 0 && points < 0.1 ? 0.1 : points);
	return with_error(format_percent(share.value), error);
}

struct sites_text sites_text_time(struct sites_estimate seconds)
{
	if (!seconds.known)
		return alone(format_unknown());
	struct formatted value = format_duration(whole(seconds.value * 1e9));
	if (isnan(seconds.error) || seconds.value == 0)
		return alone(value);
	return with_error(value, format_error(seconds.error / seconds.value).s);
}

struct formatted sites_time(int64_t microseconds)
{
	return format_duration(microseconds > 0 ? (uint64_t)microseconds * 1000 : 0);
}

/* Remove the padding from a text. */
struct sites_text sites_text_tight(struct sites_text text)
{
	struct sites_text out;
	size_t at = 0;

	for (size_t i = 0; text.s[i] != '\0'; i++)
		if (text.s[i] != ' ' || (at > 0 && out.s[at - 1] != ' '))
			out.s[at++] = text.s[i];
	while (at > 0 && out.s[at - 1] == ' ')
		at--;
	out.s[at] = '\0';
	return out;
}

/* Return an item with an estimate of the totals, which is unknown before the first event. */
static struct line_item estimate_item(
    const struct subject *s, const char *label, struct sites_text text, int rank)
{
	return s->trace->events != 0 ? line_said(label, rank, "%s", sites_text_tight(text).s)
				     : line_figure(label, format_unknown(), rank);
}

/* Draw the totals of what passes the filter. */
void sites_summary_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect line)
{
	const struct state_word word = sites_state_word(ui, subject);
	const struct sites_state *state = sites_own(ui);
	const struct sites_counts *c = &state->counts;
	const bool any = subject->trace != NULL && subject->trace->events != 0;

	if (subject->trace == NULL || subject->trace->sites == NULL)
		return;
	sites_state_rows(ui, subject);
	const double rate = state->totals.rate;
	const struct sites_text live = sites_text_words(state, sites_words(c->live, rate)),
				allocated = sites_text_words(state, sites_words(c->samples, rate)),
				growth = sites_text_words(state, sites_growth(c, rate));
	const struct line_item items[] = {estimate_item(subject, "live", live, 0),
	    estimate_item(subject, "allocated", allocated, 0),
	    estimate_item(subject, "promoted", sites_text_share(sites_share(c->promoted, c->minor)), 2),
	    estimate_item(subject, "lifetime", sites_text_time(sites_lifetime(c)), 4),
	    line_if(state->totals.marked, estimate_item(subject, "growth", growth, 1)),
	    line_figure("sites", format_if(any, format_count(state->row_count)), 3),
	    line_figure("samples", format_if(any, format_count(c->samples)), 5),
	    line_if(rate > 0, line_figure("each", sites_words_alone(state, rate > 0 ? 1 / rate : 0), 6)),
	    /* With a ring the header shows the state. */
	    line_if(subject->watch != NULL, line_right(line_value(word.text, word.style, 2)))};

	line_draw(canvas, line, 2, items, sizeof(items) / sizeof(items[0]));
}

/* ---- the header ---- */

/* Time without a write after which a file is called quiet; a program writes about every 32 KiB. */
#define QUIET_NS 10000000000u
#define ENDED_NS 1000000000u

/* Format the state of a file that has been read completely: by the end of its process if known, else by
 * its age. */
static struct state_word at_end(const struct ui *ui, const struct subject *s)
{
	const struct subject_trace *t = s->trace;

	if (t->removed)
		return state_said(STYLE_WARN, GLYPH_ENDED, "DELETED");
	if (s->watch != NULL && s->state == SUBJECT_EXITED)
		return state_of_target(s, false);
	/* A file that is still being written has a live process. */
	if (t->ended && (!t->has_age || t->age_ns >= ENDED_NS))
		return state_said(STYLE_BAD, GLYPH_ENDED, "EXITED");
	if (t->has_age && t->age_ns < QUIET_NS)
		return state_said(STYLE_GOOD, GLYPH_BULLET, "LIVE");
	return state_said(
	    STYLE_MUTED, GLYPH_HOLLOW, "QUIET %s", t->has_age ? format_age(t->age_ns / 1000000000).s : "");
}

struct state_word sites_state_word(const struct ui *ui, const struct subject *s)
{
	const struct subject_trace *t = s->trace;

	if (ui->frozen && ui->view == VIEW_SITES)
		return state_said(STYLE_FROZEN, GLYPH_FREEZE, "FROZEN");
	if (t->fault != NULL)
		return state_said(STYLE_BAD, GLYPH_ENDED, "MALFORMED");
	if (!t->exists)
		return state_said(STYLE_MUTED, GLYPH_HOLLOW, "WAITING for the file");
	if (t->sites == NULL)
		return state_said(STYLE_MUTED, GLYPH_HOLLOW, "WAITING for its first packet");
	if (t->reading)
		return state_said(STYLE_MUTED, GLYPH_POINTER, "READING %s%s", t->again ? "again " : "",
		    format_share(t->position, t->size).s);
	return at_end(ui, s);
}

/* Return the last part of a path. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Draw the first line: the file. */
static void draw_file(const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect line)
{
	const struct subject_trace *t = s->trace;
	const struct rtev_memtrace_info *info = t->info;
	const struct state_word state = sites_state_word(ui, s);

	const bool told = info != NULL;
	const char *name = line.cols >= HEADER_NAME_FROM ? "rtevtop" : NULL;
	const struct line_item what = told ? line_said(name, 0, "%lld", (long long)info->pid)
					   : line_labelled(name, base_of(t->path), 0);
	const struct line_item items[] = {line_styles(what, STYLE_MUTED, STYLE_TITLE),
	    line_value(told ? base_of(info->executable_name) : "", STYLE_TITLE, 1),
	    state_item(&state, canvas_level(canvas)),
	    line_if(told, line_figure("trace", sites_time(sites_own(ui)->totals.last_time), 2)),
	    line_if(told, line_said("memtrace", 6, "v%u", told ? info->version : 0)),
	    line_figure("events", format_count(t->events), 4), line_figure("file", format_bytes(t->size), 3),
	    line_if(told, line_labelled("host", told ? info->host_name : "", 7)),
	    line_right(line_value(s->clock, STYLE_MUTED, 8))};

	line_draw(canvas, line, 2, items, sizeof(items) / sizeof(items[0]));
}

void sites_header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	if (subject->trace->sites != NULL)
		sites_state_begin(ui, subject);
	draw_file(ui, subject, canvas, rect_cut_top(&area, 1));
	if (area.rows > 0)
		sites_summary_draw(ui, subject, canvas, rect_cut_top(&area, 1));
}
