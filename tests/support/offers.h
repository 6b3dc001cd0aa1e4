/*
 * offers.h - what the app of a test's ui carries out.
 */
#pragma once

#include <stdbool.h>

#include "ui/actions.h"

enum story_app {
	STORY_APP_LIVE, /* all but what is of a replay */
	STORY_APP_ALL,
	STORY_APP_NO_RECORD,
	STORY_APP_COUNT
};

/* Whether an app carries an action out. */
static inline bool story_offers_one(enum story_app app, enum ui_action action)
{
	return app == STORY_APP_ALL ||
	       (app == STORY_APP_LIVE ? !action_is_replay(action) : action != ACTION_RECORD);
}

/* All of them, as struct ui_options wants them. */
static inline const bool *story_offers(enum story_app app)
{
	static bool offers[STORY_APP_COUNT][ACTION_COUNT];

	for (int a = 0; a < ACTION_COUNT; a++)
		offers[app][a] = story_offers_one(app, (enum ui_action)a);
	return offers[app];
}
