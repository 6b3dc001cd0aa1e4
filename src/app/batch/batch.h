/*
 * batch.h - print the plain reports of rtevtop -b.
 */
#pragma once

#include "fleet/fleet.h"
#include "print/out.h"

/* When a report was made. */
struct batch_time {
	uint64_t number;  /* number of the report, from 1 */
	uint64_t wall_ns; /* CLOCK_REALTIME */
};

/* The names of the i-th column in the text and in JSON.  Returns false beyond the last. */
bool batch_column(size_t i, const char **text, const char **json);

/* Print the line of column names. */
void batch_print_head(struct out *out, bool by_domain);

/* Print a member, or with by_domain each of its domains, as text or as JSON. */
void batch_print(
    struct out *out, const struct batch_time *at, const struct fleet_member *m, bool by_domain, bool json);
