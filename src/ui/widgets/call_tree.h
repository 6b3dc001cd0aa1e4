/*
 * call_tree.h - bars of calls (calls/bars.h) that the user can move through: an icicle that grows down, or a
 * flame graph.
 *
 * A bar is an index into the bars; -1 is the zoomed frame.  Row 0 holds the outermost callers or, inverted,
 * the functions that have the weight.  A bar's width is its share of the total.  Frames on the way to the
 * zoomed frame come before it, over the full width.
 *
 * A *place* is a path of functions from row 0.  `zoom` is the frame from which the tree is drawn, empty for
 * the whole tree; `cursor` continues from there to the selected frame.
 */
#pragma once

#include "calls/bars.h"
#include "ui/actions.h"
#include "ui/widgets/icicle.h"

enum { CALL_DEPTH_MAX = 256, CALL_BARS_MAX = 4000 };

struct call_place {
	uint32_t functions[CALL_DEPTH_MAX];
	size_t depth;
};

struct call_tree {
	/* chosen */
	bool flame; /* row 0 at the bottom */
	bool invert;
	struct call_place zoom, cursor;
	size_t opened_depth;	     /* zoom when it was opened for a function, where going back ends */
	int scroll;		     /* rows scrolled out at the top */
	struct icicle_memory memory; /* positions of the bars, for steadiness */
	int rows;		     /* in the last drawing */

	/* computed by the view: the input of the bars */
	struct calls_bars bars;
	struct call_place bars_zoom;
	bool bars_invert;
};

/* The origin of a frame. */
enum call_family { CALL_PROGRAM, CALL_LIBRARY, CALL_UNKNOWN };

#define CALL_NAME_SIZE 32
struct call_names {
	const void *ctx;
	/* Return the name of a function, which may be written into `buf`. */
	const char *(*name)(const void *ctx, uint32_t function, char buf[CALL_NAME_SIZE]);
	/* Return the name of a function in storage that outlives the drawing; "": it has none. */
	const char *(*label)(const void *ctx, uint32_t function);
	enum call_family (*family)(const void *ctx, uint32_t function);
};

/* Return the family of an OCaml name. */
enum call_family call_family_of_name(const char *name);

/* Whether the bars match the present zoom and direction; the options to compute them; record that they were
 * computed. */
bool call_tree_current(const struct call_tree *tree);
struct calls_bars_options call_tree_shape(const struct call_tree *tree);
void call_tree_computed(struct call_tree *tree);

/* Return the selected bar, or its nearest existing parent. */
int call_tree_selected(struct call_tree *tree);

/* Return the parent of a bar. */
int call_tree_outside(const struct calls_bars *bars, int bar);

/* Carry out the actions of the tree itself: move, zoom in, invert, search for a text.  *missed: no name
 * contains it. */
unsigned call_tree_act(struct call_tree *tree, const struct call_names *names, const char *search,
    enum ui_action action, bool *missed);

/* Whether an action does something in a view with a tree of calls beside a table, by which of them is shown. */
bool call_tree_offers(bool tree, enum ui_action action);

/* Go back: zoom out, then drop search and filter (NULL: the tree has none).  False: the tree was as it was opened, and is
 * reset. */
bool call_tree_back(struct call_tree *tree, char *search, char *filter);

/* Reset zoom and selection; or zoom to the callers of one function. */
void call_tree_reset(struct call_tree *tree);
void call_tree_open(struct call_tree *tree, uint32_t function);

/* The words around a tree: what a width is of, the innermost functions, those of CALL_UNKNOWN, and what is said, before the
 * name of the weight, if there is no bar. */
struct call_page {
	const char *width, *innermost, *unknown, *nothing, *weight;
};

/* Return the function of a bar, or of the zoomed frame; CALLS_NONE: the tree's root. */
uint32_t call_tree_function(const struct call_tree *tree, int bar);

/* Draw a title and the tree; frames with the searched text ("": none) are highlighted.  Returns CALL_DETAILS rows below
 * it for what is told of the selected frame; empty: there is no room, or nothing to tell of. */
#define CALL_DETAILS 2
struct rect call_tree_draw(struct call_tree *tree, const struct call_names *names,
    const struct call_page *page, const char *search, struct canvas *canvas, struct rect area);
