/*
 * list.h - where one stands in a list that may be longer than its place on the screen.
 *
 * `selected` is 0..count-1 (0 for an empty list); `first` is the first line shown, chosen so that the
 * selected line is in sight and no room is wasted at the end.  list_update restores both after the list or
 * the screen has changed size.
 */
#ifndef UI_WIDGETS_LIST_H
#define UI_WIDGETS_LIST_H

#include <stdbool.h>

struct list {
	int count; /* lines there are */
	int page;  /* lines that fit, at least 1 after list_update */
	int first, selected;
};

enum list_move { LIST_UP, LIST_DOWN, LIST_PAGE_UP, LIST_PAGE_DOWN, LIST_HOME, LIST_END };

/* Take over new sizes and keep the selection where it was as far as it exists. */
void list_update(struct list *list, int count, int page);

/* Move the selection; true if it moved. */
bool list_go(struct list *list, enum list_move move);

/* Select a line, the nearest one if it does not exist. */
void list_select(struct list *list, int line);

#endif
