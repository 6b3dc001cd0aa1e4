/*
 * list.c - selection and scrolling.
 */
#include "ui/widgets/list.h"

void list_update(struct list *list, int count, int page)
{
	list->count = count > 0 ? count : 0;
	list->page = page > 0 ? page : 1;
	list_select(list, list->selected);
}

void list_select(struct list *list, int line)
{
	int last = list->count > 0 ? list->count - 1 : 0;
	list->selected = line < 0 ? 0 : line > last ? last : line;
	int page = list->page > 0 ? list->page : 1;
	int last_first = list->count > page ? list->count - page : 0;
	if (list->first > list->selected)
		list->first = list->selected;
	if (list->first <= list->selected - page)
		list->first = list->selected - page + 1;
	if (list->first > last_first)
		list->first = last_first;
	if (list->first < 0)
		list->first = 0;
}

bool list_go(struct list *list, enum list_move move)
{
	int before = list->selected;
	int page = list->page > 0 ? list->page : 1;
	switch (move) {
	case LIST_UP:
		list_select(list, before - 1);
		break;
	case LIST_DOWN:
		list_select(list, before < list->count ? before + 1 : before);
		break;
	case LIST_PAGE_UP:
		list_select(list, before - page);
		break;
	case LIST_PAGE_DOWN:
		list_select(list, before > list->count - page ? list->count : before + page);
		break;
	case LIST_HOME:
		list_select(list, 0);
		break;
	case LIST_END:
		list_select(list, list->count);
		break;
	}
	return list->selected != before;
}
