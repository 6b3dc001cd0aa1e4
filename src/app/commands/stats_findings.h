/*
 * stats_findings.h - print the findings of a report.
 */
#ifndef APP_COMMANDS_STATS_FINDINGS_H
#define APP_COMMANDS_STATS_FINDINGS_H

#include "advice/advice.h"
#include "print/out.h"

/* Print the members "findings" and "findings_left_out"; `begin` is the stamp that "since_s" counts from.
 * Nothing is printed without advice. */
void json_findings(struct out *out, bool *first, const struct advice *advice, uint64_t begin);

/* Print the member "findings_summary", null when the findings tell all there is. */
void json_findings_summary(struct out *out, bool *first, const struct advice *advice);

/* Print the findings and the names of the rules left out; `begin` as above. */
void text_findings(struct out *out, const struct advice *advice, uint64_t begin);

#endif
