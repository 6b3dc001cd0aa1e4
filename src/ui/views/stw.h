/*
 * stw.h - where the user is in view 6: in its table, or in its list of stops.
 */
#pragma once

#include "ui/view.h"

struct stops_place {
	bool longest; /* the longest, else the latest */
	bool on;      /* the cursor is in the list, else in the table */
	bool shown;   /* the list was drawn */
	bool alone;   /* there was no table: a single domain */
	struct view_place place;
};

VIEW_OWN(stops, stops_place, STW)
