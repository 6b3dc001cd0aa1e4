/*
 * samples.h - a sample of Prometheus' text format: a name with labels, then a value.
 */
#pragma once

#include "app/metrics/families.h"

/* The state of printing one target's part of a family. */
struct printer {
	struct out *out;
	const struct metrics_options *options;
	const char *name; /* name of the family */
	struct metrics_member *m;
	const struct fleet_member *member;
};

/* Begin a sample: print its name with a suffix, and the labels common to all samples. */
void sample_begin(const struct printer *p, const char *suffix);

/* Print a further label. */
void sample_label(const struct printer *p, const char *name, const char *value, size_t len);

/* Print a further label with a trusted text. */
void sample_text(const struct printer *p, const char *name, const char *value);

/* End a sample with its value; whole numbers are printed in full. */
void sample_end(const struct printer *p, double value);

/* End a sample with nanoseconds, printed exactly as seconds. */
void sample_end_ns(const struct printer *p, uint64_t ns);

/* Print a sample of the process, without further labels. */
void sample_alone(const struct printer *p, double value);
