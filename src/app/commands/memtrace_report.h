/*
 * memtrace_report.h - the reports of rtevtop memtrace as text and JSON.
 */
#ifndef APP_COMMANDS_MEMTRACE_REPORT_H
#define APP_COMMANDS_MEMTRACE_REPORT_H

#include "print/out.h"
#include "sites/sites.h"
#include "sites/hot.h"

/* Print the sites with most samples in the form of memtrace's report of hot spots, each with a last line of
 * further figures.  Returns a status. */
int memtrace_print_top(struct out *out, const struct rtev_memtrace_info *info, const struct sites *sites,
    struct sites_hot *hot, size_t most);

/* Print each call path with its samples.  Returns a status. */
int memtrace_print_folded(struct out *out, const struct sites *sites);

/* Print an object for the trace and one for each site.  Returns a status. */
int memtrace_print_json(struct out *out, const struct rtev_memtrace_info *info, const struct sites *sites);

#endif
