/*
 * code_state.h - view c: the user's choices, and figures computed from the profile.
 *
 * Figures are recomputed after the profile has settled samples, or the choices have changed.
 */
#pragma once

#include "calls/profile.h"
#include "ui/view.h"
#include "ui/widgets/call_tree.h"

/* The input of computed figures. */
struct code_basis {
	const struct profile *profile;
	uint64_t generation;
	int domain;
};

struct code_state {
	/* chosen */
	bool tree;		/* show the tree, not the table */
	bool locks;		/* show the table of locks */
	struct view_place kept; /* position in the other one of the two tables, once that has been shown */
	bool been;
	int domain;		    /* or PROFILE_ALL */
	enum profile_weight weight; /* of the tree */
	struct call_tree calls;

	/* computed */
	struct code_basis rows_of, bars_of;
	enum profile_weight bars_weight;
	struct profile_row *rows;
	size_t row_count;
	struct profile_totals totals;
	struct lock_table lock_table; /* with functions, for a generation of the profile */
	uint64_t locks_of;
	bool lacking; /* memory ran out */
};

VIEW_OWN(code, code_state, CODE)

/* The table of locks, and the page that has it. */
extern const struct tabular code_locks;
void code_locks_draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body);
