/*
 * pprof.h - a profile in the format of pprof (profile.proto, protocol buffers), built in memory.
 *
 * The caller numbers the functions.  Samples of equal stacks may come several times; pprof adds them up.
 */
#pragma once

#include "core/std.h"

struct pprof;

/* The type and unit of a sample's value: {"cpu", "nanoseconds"}. */
struct pprof_type {
	const char *type, *unit;
};

struct pprof_options {
	const struct pprof_type *types; /* types of each sample's values; the last is also the period's */
	size_t type_count;
	int64_t period;
	int64_t time_ns, duration_ns; /* the begin is since 1970; 0: not known */
	const char *comment;	      /* NULL: none */
};

/* A call: the caller's number of its function, and the current line in it; 0: not known. */
struct pprof_frame {
	uint32_t function;
	uint32_t line;
};

/* NULL when memory ran out. */
struct pprof *pprof_create(const struct pprof_options *options);
void pprof_destroy(struct pprof *p);

/* Describe a function, before or after the samples that contain it.  `file` may be NULL. */
void pprof_function(struct pprof *p, uint32_t function, const char *name, const char *file);

/* Add a sample: its frames innermost first, a value for each type, and a label with a numeric value (key
 * NULL: no label). */
void pprof_sample(struct pprof *p, const struct pprof_frame *frames, size_t count, const int64_t *values,
    const char *key, int64_t label);

/* The bytes of the profile, and their number; NULL when memory ran out.  Valid until pprof_destroy. */
const uint8_t *pprof_bytes(const struct pprof *p, size_t *size);
