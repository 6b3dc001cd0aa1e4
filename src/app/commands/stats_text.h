/*
 * stats_text.h - parts of the text report.
 */
#ifndef APP_COMMANDS_STATS_TEXT_H
#define APP_COMMANDS_STATS_TEXT_H

#include "app/commands/stats_report.h"
#include "print/number.h"

/* Format a time of a distribution; "-" when the distribution is empty. */
struct formatted text_time_of(const struct hist *times, uint64_t ns);

/* Print every phase and counter of each domain. */
void text_full(struct out *out, const struct model *m);

/* Print the tree of phases with their shares of the collector's time; `all`: small ones, too. */
void text_tree(struct out *out, struct paths *paths, bool all);

/* Print user events, summed over all domains; `all`: not only the most frequent ones.  False when memory ran
 * out for some. */
bool text_users(struct out *out, const struct model *m, bool all);

/* Print the findings and the names of the rules left out; `begin` is the stamp that times are counted from. */
void text_findings(struct out *out, const struct advice *advice, uint64_t begin);

#endif
