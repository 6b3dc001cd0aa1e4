/*
 * fibers.h - the parts of view f: its table (fibers.c), a fiber, the tree of contexts, the timeline of loops.
 */
#pragma once

#include "fibers/fibers.h"
#include "ui/views/tabular.h"

#define FIBERS_TURNED 64 /* contexts that the user opened or closed, at most */
#define FIBERS_RUNS 64	 /* longest runs that are listed */

/* The state of view f: the group and the fiber that are open, and lists, which are valid during a drawing or a key. */
struct fibers_place {
	enum { FIBERS_TABLE, FIBERS_TREE, FIBERS_TIMELINE, FIBERS_MODES } mode;
	enum { FIBERS_GROUPS, FIBERS_OF_GROUP, FIBERS_ONE } level;
	int64_t group;
	uint64_t fiber;
	struct view_place outer; /* where the user is in the groups */
	struct view_place
	    kept[FIBERS_MODES]; /* where the user is in other modes, once they have been shown */
	bool been[FIBERS_MODES];
	uint64_t turned[FIBERS_TURNED]; /* by their ids, the latest last */
	size_t turned_count;
	uint64_t span, back; /* of the timeline: its length (0: not chosen yet), and how long ago it ends */
	uint64_t frozen_at;  /* the freeze that `back` counts from */
	struct fiber_row *
	    rows; /* the fibers of the open group; or the open fiber, and those that it waits for or holds up */
	size_t row_count;
	struct fiber_crowd *crowds;
	struct fiber_place_group *groups; /* one for each; private to fibers.c */
	size_t group_count;
	size_t open;	 /* the group that is open, group_count when none of its fibers is left */
	uint64_t run_ns; /* of all runs */
	struct fiber_report report;
	struct fiber_branch *lines; /* of the tree */
	size_t line_count;
	struct fiber_run runs[FIBERS_RUNS];
	size_t runs_listed;
};

VIEW_OWN(fibers, fibers_place, FIBERS)

/* Return a cell: a text, if it is known; a path; the duration of a run; the activity of a fiber (the operation in which it waits,
 * "runs", "ready"); and the object for which it waits, with `one` that particular object. */
struct tabular_cell fibers_cell_text(struct fiber_text text);
struct tabular_cell fibers_cell_path(struct fiber_path path);
struct tabular_cell fibers_cell_run(uint64_t ns);
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
/* Draw the longest runs that are known, without a cursor, below a title. */
void fibers_time_longest(
    struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);

void fibers_time_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);
unsigned fibers_time_act(struct ui *ui, const struct subject *subject, enum ui_action action);
