/*
 * sites_tree.h - the call tree: selection, and what its bars measure.
 *
 * A bar is an index into the bars of the sites' state; -1 is the zoomed frame.
 */
#ifndef UI_VIEWS_SITES_TREE_H
#define UI_VIEWS_SITES_TREE_H

#include "ui/views/sites_state.h"

/* What a bar's width means. */
struct sites_tree_weight {
	const char *name;
	bool needs_mark;
};

#define SITES_TREE_WEIGHTS (SITES_WEIGHT_GROWTH + 1)
extern const struct sites_tree_weight sites_tree_weights[SITES_TREE_WEIGHTS];

/* The selected bar; if it no longer exists, its nearest existing parent. */
int sites_tree_selected(struct sites_state *state);

/* The parent of a bar. */
int sites_tree_outside(const struct sites_bars *bars, int bar);

/* The name of a function; "" for none. */
const char *sites_tree_name(const struct subject *subject, uint32_t function, char buf[SITES_NAME_SIZE]);

/* Draw the tree; take an action. */
void sites_tree_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);
unsigned sites_tree_act(struct ui *ui, const struct subject *subject, enum ui_action action);

/* Show the tree from the callers of one site. */
void sites_tree_open(struct ui *ui, uint32_t site);

#endif
