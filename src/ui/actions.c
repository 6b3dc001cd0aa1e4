/*
 * actions.c - lookups in the list of actions.
 */
#include "ui/actions.h"

#include <stddef.h>

static const struct action_info infos[ACTION_COUNT] = {
#define INFO(name, handler, key1, key2, key3, views, rank, short_name, help)                                 \
	{{key1, key2, key3}, views, rank, short_name, help},
    UI_ACTIONS(INFO)
#undef INFO
};

const struct action_info *action_info(enum ui_action action)
{
	return (unsigned)action < ACTION_COUNT ? &infos[action] : NULL;
}

const char *view_title(enum ui_view view)
{
	static const char *const titles[VIEW_COUNT] = {
#define TITLE(name, ops, title) title,
	    UI_VIEWS(TITLE)
#undef TITLE
	};
	return (unsigned)view < VIEW_COUNT ? titles[view] : "";
}

bool action_available(const struct action_set *set, enum ui_action action, enum ui_view view)
{
	return (unsigned)action < ACTION_COUNT && (unsigned)view < VIEW_COUNT &&
	       set->handlers[action] != NULL && (infos[action].views >> view & 1) != 0;
}

enum ui_action action_of_key(const struct action_set *set, ui_key key, enum ui_view view)
{
	if (key == UI_KEY_NONE)
		return ACTION_NONE;
	for (int i = 0; i < ACTION_COUNT; i++)
		for (int j = 0; j < 3; j++)
			if (infos[i].keys[j] == key && action_available(set, (enum ui_action)i, view))
				return (enum ui_action)i;
	return ACTION_NONE;
}

unsigned action_press(const struct action_set *set, ui_key key, enum ui_view view, void *ctx)
{
	enum ui_action action = action_of_key(set, key, view);
	return action == ACTION_NONE ? UI_NOTHING : set->handlers[action](ctx, action);
}
