/*
 * stats_cells.h - figures of the text report, in ASCII and narrow columns.
 */
#ifndef APP_COMMANDS_STATS_CELLS_H
#define APP_COMMANDS_STATS_CELLS_H

#include <stdint.h>

#include "model/hist.h"
#include "print/out.h"

#define STATS_COLUMNS 80

struct stats_cell {
	char s[24];
};

/* Format a time: "12.1ms"; "-" for a time of an empty distribution. */
struct stats_cell cell_time(uint64_t ns);
struct stats_cell cell_time_of(const struct hist *times, uint64_t ns);

/* Format a share: "7.1 %", "<0.1 %"; "-" for NAN. */
struct stats_cell cell_share(double share);

/* Format a count, "12.3M"; words of memory as bytes, "98.1MB", and a rate per second, "-" for NAN. */
struct stats_cell cell_count(uint64_t count);
struct stats_cell cell_bytes(double bytes);
struct stats_cell cell_rate(double per_second);

/* Print untrusted text, wrapped at STATS_COLUMNS.  All lines but the first are indented by `indent`; `used`
 * columns of the first line are already taken. */
void text_wrap(struct out *out, const char *text, int indent, int used);

#endif
