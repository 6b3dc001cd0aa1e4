/*
 * list.h - selection and scroll position of a list.
 *
 * `selected` is 0..count-1 (0 for an empty list).  `first` is the first line shown, such that the selected
 * line is visible and no space is left after the end. list_update restores both after the list or the
 * screen changed size.
 */
#ifndef UI_WIDGETS_LIST_H
#define UI_WIDGETS_LIST_H

#include <stdbool.h>

struct list {
	int count; /* number of lines */
	int page;  /* visible lines, at least 1 after list_update */
	int first, selected;
};

enum list_move { LIST_UP, LIST_DOWN, LIST_PAGE_UP, LIST_PAGE_DOWN, LIST_HOME, LIST_END };

/* Set new sizes; keep the selection, clamped. */
void list_update(struct list *list, int count, int page);

/* Move the selection; true if it moved. */
bool list_go(struct list *list, enum list_move move);

/* Select a line, clamped. */
void list_select(struct list *list, int line);

#endif
