/*
 * stats_cells.h - the figures of the text report, in ASCII and few columns.
 */
#ifndef APP_COMMANDS_STATS_CELLS_H
#define APP_COMMANDS_STATS_CELLS_H

#include <stdint.h>

#include "model/hist.h"
#include "record/out.h"

#define STATS_COLUMNS 80

struct stats_cell {
	char s[24];
};

/* "12.1ms"; "-" for a time of a distribution that holds none. */
struct stats_cell cell_time(uint64_t ns);
struct stats_cell cell_time_of(const struct hist *times, uint64_t ns);

/* "7.1 %", "<0.1 %"; "-" for no number. */
struct stats_cell cell_share(double share);

/* "12.3M"; in words of memory "98.1MB"; a second. */
struct stats_cell cell_count(uint64_t count);
struct stats_cell cell_bytes(double bytes);
struct stats_cell cell_rate(double per_second);

/* Print words, untrusted, in lines of STATS_COLUMNS, each but the first after `indent` blanks; `used` columns of the first are
 * taken. */
void text_wrap(struct out *out, const char *text, int indent, int used);

#endif
