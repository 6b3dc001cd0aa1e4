/*
 * ui.h - the screen as a whole: which view is shown, what keys do to it, and drawing it.
 *
 * A ui keeps what its user has chosen (view, selection, order, filter, window, scales, freezing) and nothing of the target:
 * that comes with each call in a struct subject.  Drawing is pure: the same ui and subject give the same picture, and nothing is
 * sampled by it.  What only the app can do is handed out by ui_asked.
 */
#ifndef UI_UI_H
#define UI_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/actions.h"
#include "canvas/canvas.h"
#include "canvas/keys.h"
#include "ui/subject.h"

struct ui_options {
	enum ui_view view;  /* VIEW_PANES; VIEW_CHOOSE: processes; VIEW_SITES: a trace alone */
	uint64_t window_ns; /* of the panes; 0: FLAME_WINDOW_DEFAULT */
	bool timeline;
	bool wall_scale;
	bool log_scale;
	const char *sort;   /* column of the domains, or of the sites of a trace alone; NULL: its default */
	const char *filter; /* NULL: none */
	unsigned hidden;    /* VIEW_CHOOSE: so many processes can be looked into by root alone */
	/* ACTION_COUNT of them: whether the app can carry an action out that is left to it; keys for others don't exist.  Of
	 * ACTION_OPEN: whether it can attach to ui_chosen.  NULL: none.  The caller keeps it. */
	const bool *offers;
};

struct ui;

/* Whether a column of the table that options sort in this view has this name, in upper or lower case. */
bool ui_sort_known(enum ui_view view, const char *name);

/* The names of these columns one by one from 0 on, NULL after the last. */
const char *ui_sort_name(enum ui_view view, int column);

/* NULL when memory ran out. */
struct ui *ui_create(const struct ui_options *options);
void ui_destroy(struct ui *ui);

/* Draw everything. */
void ui_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas);

/* Take a key; enum ui_reaction bits. */
unsigned ui_press(struct ui *ui, const struct subject *subject, ui_key key);

/* The next action that is left to the app; call it after ui_press until it says ACTION_NONE. */
enum ui_action ui_asked(struct ui *ui);

/* The pid chosen with ACTION_OPEN. */
int64_t ui_chosen(const struct ui *ui);

/* The text typed with ACTION_JUMP, until the next key. */
const char *ui_typed(const struct ui *ui);

/* The time window of the trace that is to be read, in microseconds since its start; both 0: all of it. */
void ui_trace_window(struct ui *ui, int64_t *from, int64_t *to);

/* Whether the screen is frozen: all of it is of the moment at which it was, whatever the subject says. */
bool ui_frozen(const struct ui *ui);

/* Show another view, as after the choice of a process. */
void ui_show(struct ui *ui, enum ui_view view);

/* The watch of the subject is another one from now on: what was frozen or drawn of the old one is not gone on with. */
void ui_renew(struct ui *ui);

/* Where the cursor stands in a line of input; false when there is none. */
bool ui_cursor(const struct ui *ui, int *row, int *col);

/* What the user has chosen, in the form it was created from; texts stay valid until the next key. */
void ui_settings(const struct ui *ui, struct ui_options *out);

#endif
