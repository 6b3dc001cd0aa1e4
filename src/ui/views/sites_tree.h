/*
 * sites_tree.h - the tree of calls: where its user is in it, and what its bars measure.
 *
 * Bars go by their index in the bars of the sites' state; -1 stands for the frame zoomed into.
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

/* The selected bar.  What is no longer there is left for the frame that led to it. */
int sites_tree_selected(struct sites_state *state);

/* The bar outside of a bar. */
int sites_tree_outside(const struct sites_bars *bars, int bar);

/* The name of a function; "" for none. */
const char *sites_tree_name(const struct subject *subject, uint32_t function, char buf[SITES_NAME_SIZE]);

/* Draw it into an area, and take an action. */
void sites_tree_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);
unsigned sites_tree_act(struct ui *ui, const struct subject *subject, enum ui_action action);

/* Show the tree from the callers of one site. */
void sites_tree_open(struct ui *ui, uint32_t site);

#endif
