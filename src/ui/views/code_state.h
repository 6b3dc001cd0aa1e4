/*
 * code_state.h - view c: the user's choices, and figures computed from the profile.
 *
 * Figures are computed anew when the profile has settled samples, or the choices have changed.
 */
#pragma once

#include "calls/profile.h"
#include "ui/view.h"
#include "ui/widgets/call_tree.h"

/* What figures are of. */
struct code_basis {
	const struct profile *profile;
	uint64_t generation;
	int domain;
};

struct code_state {
	/* chosen */
	bool tree;		    /* not the table */
	int domain;		    /* or PROFILE_ALL */
	enum profile_weight weight; /* of the tree */
	struct call_tree calls;

	/* worked out */
	struct code_basis rows_of, bars_of;
	enum profile_weight bars_weight;
	struct profile_row *rows;
	size_t row_count;
	struct profile_totals totals;
	bool lacking; /* memory ran out */
};

/* NULL when memory ran out. */
struct code_state *code_state_create(void);
void code_state_destroy(struct code_state *state);
