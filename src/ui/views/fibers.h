/*
 * fibers.h - the parts of view f: its table (fibers.c), a fiber, the tree of contexts, the timeline of loops.
 */
#pragma once

#include "fibers/fibers.h"
#include "ui/views/tabular.h"

/* Return the word for a kind of context: "switch". */
const char *fibers_context_word(enum fiber_kind kind);

/* Return a cell: a text, if it is known; a path; the activity of a fiber (the operation in which it waits,
 * "runs", "ready"); and the object for which it waits, with `one` that particular object. */
struct tabular_cell fibers_cell_text(struct fiber_text text);
struct tabular_cell fibers_cell_path(struct fiber_path path);
struct tabular_cell fibers_cell_doing(const struct fiber_row *row);
struct tabular_cell fibers_cell_object(const struct fiber_row *row, bool one);

/* Draw the line of a domain's loop.  Returns false if there is none.  In a pane the line shows the running
 * fiber instead of the domain, and is also drawn for fibers without a loop. */
bool fibers_draw_loop(
    const struct subject *subject, unsigned domain, struct canvas *canvas, struct rect line, bool pane);

/* Draw the listed fibers, without a cursor. */
void fibers_draw_rows(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);

/* Draw the fiber that is open. */
void fibers_draw_one(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);

/* Draw the tree and the timeline, and handle their actions. */
void fibers_tree_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);
unsigned fibers_tree_act(struct ui *ui, const struct subject *subject, enum ui_action action);
void fibers_time_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);
unsigned fibers_time_act(struct ui *ui, const struct subject *subject, enum ui_action action);
