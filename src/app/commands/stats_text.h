/*
 * stats_text.h - the parts of the text report.
 */
#ifndef APP_COMMANDS_STATS_TEXT_H
#define APP_COMMANDS_STATS_TEXT_H

#include "app/commands/stats_report.h"

/* Every phase and counter of each domain. */
void text_full(struct out *out, const struct model *m);

/* The phases as a tree by their share of the collector's time; `all`: also the small ones. */
void text_tree(struct out *out, struct paths *paths, bool all);

/* User events over all domains; `all`: more than the most frequent ones. */
void text_users(struct out *out, const struct model *m, bool all);

#endif
