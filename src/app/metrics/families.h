/*
 * families.h - print metrics in Prometheus' text format 0.0.4, family by family.
 */
#pragma once

#include "app/metrics/metrics_member.h"
#include "print/out.h"

#define METRICS_USERS_MAX 100 /* printed names of user events per process */

/* A label that all samples of a target have. */
struct metrics_label {
	const char *name; /* valid by metrics_label_valid */
	size_t name_len;
	const char *value;
};

struct metrics_options {
	bool by_domain, user_events;
	const struct metrics_label *labels;
	size_t label_count;
};

/* Return whether a name is valid for a user-defined label and is not one of ours. */
bool metrics_label_valid(const char *name, size_t len);

/* Print all families for the members of the fleet that have a struct metrics_member.  The output begins with
 * METRICS_FIRST_LINE. */
#define METRICS_FIRST_LINE "# Written by rtevtop metrics: it replaces and removes this file.\n"
void metrics_print(struct out *out, const struct fleet *fleet, const struct metrics_options *options);
