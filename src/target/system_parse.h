/*
 * system_parse.h - the texts that the sampler reads.  The parsers take any bytes; where a text is not what it should be they return
 * false, and what they were to fill in is then not to be used.
 */
#ifndef TARGET_SYSTEM_PARSE_H
#define TARGET_SYSTEM_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/numbers.h"
#include "target/system.h"

#define SYSTEM_CPUS 8192 /* the most processors that Linux knows */

/* Set a value from a file that was read (known), and that made sense (parsed); else say why it is not known. */
static inline void system_set(struct system_value *to, bool parsed, enum system_known known, uint64_t value)
{
	if (known == SYSTEM_KNOWN && !parsed)
		known = SYSTEM_OTHER_KERNEL;
	*to = (struct system_value){known == SYSTEM_KNOWN ? value : 0, known};
}

/* A set of processors. */
struct system_cpus {
	uint64_t bits[SYSTEM_CPUS / 64];
};

/* "0-3,8": a list of processors. */
bool system_parse_cpus(const char *text, size_t len, struct system_cpus *out);

/* How many processors are in a set, and in `within` too (NULL: all are). */
unsigned system_cpus_count(const struct system_cpus *cpus, const struct system_cpus *within);

/* A value of a file of lines "NAME VALUE" or "NAME: VALUE". */
bool system_parse_keyed(const char *text, size_t len, const char *name, uint64_t *out);

/* What stands behind "NAME:" in such a file. */
bool system_parse_field(const char *text, size_t len, const char *name, struct piece *out);

/* A number that stands alone, or "max" (control groups of the second version) or "-1" (of the first): UINT64_MAX. */
bool system_parse_limit(const char *text, size_t len, uint64_t *out);

/* cpu.max: quota (UINT64_MAX: none) and period, both in microseconds. */
bool system_parse_cpu_max(const char *text, size_t len, uint64_t *quota, uint64_t *period);

/* Thousandths of a core that a quota allows; UINT64_MAX: without a limit. */
uint64_t system_quota_cores(uint64_t quota, uint64_t period);

/* schedstat: time on a processor and time waiting for one, in ns, and how often it got one. */
bool system_parse_schedstat(const char *text, size_t len, uint64_t out[3]);

/* A file of /proc/pressure, or of a control group: the total of its line "some" or "full", in microseconds. */
bool system_parse_pressure(const char *text, size_t len, const char *line, uint64_t *out);

/* /proc/loadavg: the first number, in thousandths. */
bool system_parse_load(const char *text, size_t len, uint64_t *out);

/* /proc/PID/cgroup: the path of the group for a controller of the first version, or of the second version (NULL). */
bool system_parse_group(const char *text, size_t len, const char *controller, struct piece *path);

/* A line of /proc/PID/mountinfo. */
struct system_mount {
	struct piece root;  /* what of the file system is mounted */
	struct piece point; /* where; both with blanks and the like as \ooo */
	struct piece type;
	struct piece options; /* of the file system: the controllers of a hierarchy of the first version */
};
bool system_parse_mount(struct piece line, struct system_mount *out);

/* Whether a word is one of a list with commas. */
bool system_listed(struct piece list, const char *word);

#endif
