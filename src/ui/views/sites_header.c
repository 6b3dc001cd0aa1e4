/*
 * sites_header.c - the header of a memtrace file without a target, and the state of the file as text.
 */
#include <stdio.h>
#include <string.h>

#include "print/number.h"
#include "ui/widgets/line.h"
#include "ui/views/sites_state.h"
#include "ui/state.h"
#include "canvas/text.h"

/* Time without a write after which a file is called quiet; a program writes about every 32 KiB. */
#define QUIET_NS 10000000000u
#define ENDED_NS 1000000000u

/* Set a state. */
static struct state_word word(enum style style, enum glyph glyph, const char *text)
{
	struct state_word out = {.style = style, .glyph = glyph};

	strlcpy(out.text, text, sizeof(out.text));
	return out;
}

/* Format the state of a file that has been read completely: by the end of its process if known, else by
 * its age. */
static struct state_word at_end(const struct ui *ui, const struct subject *s)
{
	const struct subject_trace *t = s->trace;
	struct state_word target;
	char text[STATE_TEXT];

	if (t->removed)
		return word(STYLE_WARN, GLYPH_ENDED, "DELETED");
	if (s->watch != NULL && s->state == SUBJECT_EXITED) {
		state_of_target(ui, s, false, &target);
		return target;
	}
	/* A file that is still being written has a live process. */
	if (t->ended && (!t->has_age || t->age_ns >= ENDED_NS))
		return word(STYLE_BAD, GLYPH_ENDED, "EXITED");
	if (t->has_age && t->age_ns < QUIET_NS)
		return word(STYLE_GOOD, GLYPH_BULLET, "LIVE");
	snprintf(text, sizeof(text), "QUIET %s", t->has_age ? format_age(t->age_ns / 1000000000).s : "");
	return word(STYLE_MUTED, GLYPH_HOLLOW, text);
}

struct state_word sites_state_word(const struct ui *ui, const struct subject *s)
{
	const struct subject_trace *t = s->trace;
	char text[STATE_TEXT];

	if (ui->frozen && ui->view == VIEW_SITES)
		return word(STYLE_FROZEN, GLYPH_FREEZE, "FROZEN");
	if (t->fault != NULL)
		return word(STYLE_BAD, GLYPH_ENDED, "MALFORMED");
	if (!t->exists)
		return word(STYLE_MUTED, GLYPH_HOLLOW, "WAITING for the file");
	if (t->sites == NULL)
		return word(STYLE_MUTED, GLYPH_HOLLOW, "WAITING for its first packet");
	if (t->reading) {
		snprintf(text, sizeof(text), "READING %s%s", t->again ? "again " : "",
		    format_share(t->position, t->size).s);
		return word(STYLE_MUTED, GLYPH_POINTER, text);
	}
	return at_end(ui, s);
}

/* The last part of a path. */
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
	struct line_item items[10];
	char pid[32] = "", shown[STATE_TEXT + 8], version[8] = "", glyph[4];
	struct formatted last = format_unknown();
	int count = 0;

	if (info != NULL) {
		snprintf(pid, sizeof(pid), "%lld", (long long)info->pid);
		snprintf(version, sizeof(version), "v%u", info->version);
		last = sites_time(ui->sites->totals.last_time);
	}
	size_t bytes = text_encode(theme_glyph(canvas_level(canvas), state.glyph), glyph);
	snprintf(shown, sizeof(shown), "%.*s %s", (int)bytes, glyph, state.text);
	items[count] = line_labelled(
	    line.cols >= HEADER_NAME_FROM ? "rtevtop" : NULL, info != NULL ? pid : base_of(t->path), 0);
	items[count].label_style = STYLE_MUTED;
	items[count++].value_style = STYLE_TITLE;
	items[count] = line_labelled(NULL, info != NULL ? base_of(info->executable_name) : "", 1);
	items[count++].value_style = STYLE_TITLE;
	items[count] = line_labelled(NULL, shown, 0);
	items[count++].value_style = state.style;
	items[count++] = line_labelled(info != NULL ? "trace" : NULL, info != NULL ? last.s : NULL, 2);
	items[count++] = line_labelled(info != NULL ? "memtrace" : NULL, version, 6);
	const struct formatted size = format_bytes(t->size), events = format_count(t->events);
	items[count++] = line_labelled("events", events.s, 4);
	items[count++] = line_labelled("file", size.s, 3);
	items[count++] = line_labelled(info != NULL ? "host" : NULL, info != NULL ? info->host_name : "", 7);
	items[count] = line_labelled(NULL, s->clock, 8);
	items[count].value_style = STYLE_MUTED;
	items[count++].right = true;
	line_draw(canvas, line.row, line.col, line.cols, 2, items, count);
}

void sites_header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	if (subject->trace->sites != NULL)
		sites_state_begin(ui, subject);
	draw_file(ui, subject, canvas, rect_cut_top(&area, 1));
	if (area.rows > 0)
		sites_summary_draw(ui, subject, canvas, rect_cut_top(&area, 1));
}
