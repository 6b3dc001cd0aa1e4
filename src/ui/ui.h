/*
 * ui.h - the user interface: the current view, keys, and drawing.
 *
 * A ui stores the user's choices (view, selection, order, filter, window, scales, freezing) and nothing of
 * the target: each call passes a struct subject.  Drawing is pure: equal ui and subject give equal pictures,
 * and drawing takes no samples.  Actions that only the app can carry out are queued for ui_asked.
 */
#pragma once

#include "ui/actions.h"
#include "canvas/canvas.h"
#include "canvas/keys.h"
#include "ui/subject.h"

struct ui_options {
	enum ui_view view;  /* VIEW_PANES; VIEW_OVERVIEW: processes; VIEW_SITES: a trace alone */
	uint64_t window_ns; /* window of the panes; 0: FLAME_WINDOW_DEFAULT */
	bool timeline;
	bool wall_scale;
	bool log_scale;
	enum theme_graph graph;
	const char *sort;   /* column of the domain or the site table; NULL: default */
	const char *filter; /* NULL: none */
	unsigned hidden;    /* VIEW_OVERVIEW: processes that only root can inspect */
	bool named;	    /* VIEW_OVERVIEW: it shows the targets of the command line, not all processes */
	/* Array of ACTION_COUNT: the app's actions that are supported.  ACTION_OPEN: the app can attach to
	 * ui_chosen.  NULL: none.  The caller keeps it. */
	const bool *offers;
};

struct ui;

/* Return whether a view's sortable table has a column of this name, ignoring case. */
bool ui_sort_known(enum ui_view view, const char *name);

/* Return the names of these columns by index from 0; NULL after the last. */
const char *ui_sort_name(enum ui_view view, int column);

/* NULL when memory ran out. */
struct ui *ui_create(const struct ui_options *options);
void ui_destroy(struct ui *ui);

/* Draw everything. */
void ui_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas);

/*
 * Process up to max_events events of each timeline of the last drawing, so that the next drawing has less to
 * do.  The subject of the next drawing has this `now` or a later one.  Pictures do not depend on this.
 */
void ui_follow(struct ui *ui, uint64_t now, uint64_t max_events);

/* Handle a key.  Returns enum ui_reaction bits. */
unsigned ui_press(struct ui *ui, const struct subject *subject, ui_key key);

/* Handle a mouse action on the last drawing.  Returns enum ui_reaction bits. */
unsigned ui_point(struct ui *ui, const struct subject *subject, struct ui_pointer at);

/* Return the text to copy for ACTION_COPY, from the last drawing.  The caller frees it; NULL when memory ran
 * out. */
char *ui_copied(const struct ui *ui, const struct canvas *canvas);

/* Return the next action for the app.  Call this after ui_press until it returns ACTION_NONE. */
enum ui_action ui_asked(struct ui *ui);

/* Return the pid chosen with ACTION_OPEN. */
int64_t ui_chosen(const struct ui *ui);

/* Return the text entered with ACTION_JUMP, until the next key. */
const char *ui_typed(const struct ui *ui);

/* Get the time window of the trace to read, in microseconds since its start; both 0: all. */
void ui_trace_window(struct ui *ui, int64_t *from, int64_t *to);

/* Return whether the screen is frozen: it then shows the moment of freezing, whatever the subject holds. */
bool ui_frozen(const struct ui *ui);

/* Switch to another view, e.g. after a process was chosen. */
void ui_show(struct ui *ui, enum ui_view view);

/* Return the view that is shown. */
enum ui_view ui_shows(const struct ui *ui);

/* The subject's watch has been replaced: drop what is frozen or cached of the old one. */
void ui_renew(struct ui *ui);

/* Get the cursor position in the input line.  Returns false if there is none. */
bool ui_cursor(const struct ui *ui, int *row, int *col);

/* Get the user's choices as options; texts are valid until the next key. */
void ui_settings(const struct ui *ui, struct ui_options *out);
