/* system_parse.h - parse texts of the kernel: numbers and lines in general, and the files that the sampler
 * reads.  The parsers accept any bytes.  They return false for an invalid text; their results must then not
 * be used. */
#pragma once

#include "samples/system.h"

/* ---- numbers and lines ---- */

/* Parse a number of base 10 or 16 and step behind it.  Returns false if there is none or it is too big. */
static inline bool take_digits(const char **at, const char *end, unsigned base, uint64_t *out)
{
	const char *p = *at;
	uint64_t value = 0;

	for (; p < end; p++) {
		char letter = (char)(*p | 0x20);
		unsigned digit = *p >= '0' && *p <= '9'		  ? (unsigned)(*p - '0')
				 : letter >= 'a' && letter <= 'f' ? (unsigned)(letter - 'a') + 10
								  : base;
		if (digit >= base)
			break;
		if (value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	if (p == *at)
		return false;
	*at = p;
	*out = value;
	return true;
}

/* Parse a decimal number and step behind it.  Returns false if there is none or it is too big. */
static inline bool take_number(const char **at, const char *end, uint64_t *out)
{
	return take_digits(at, end, 10, out);
}

/* Step over spaces and tabs. */
static inline void skip_blanks(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
}

/* Part of a text. */
struct piece {
	const char *at, *end;
};

/* Take the next line, without its newline.  Returns false at the end. */
static inline bool take_line(const char **at, const char *end, struct piece *line)
{
	const char *newline;

	if (*at >= end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	line->at = *at;
	line->end = newline == NULL ? end : newline;
	*at = newline == NULL ? end : newline + 1;
	return true;
}

/* Take the text before a character and step behind that, or take the rest if the character does not occur.
 * Returns false at the end. */
static inline bool take_until(struct piece *from, char stop, struct piece *out)
{
	const char *found;

	if (from->at >= from->end)
		return false;
	found = memchr(from->at, stop, (size_t)(from->end - from->at));
	out->at = from->at;
	out->end = found == NULL ? from->end : found;
	from->at = found == NULL ? from->end : found + 1;
	return true;
}

/* Whether a piece is a word. */
static inline bool piece_is(struct piece piece, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(piece.end - piece.at) == len && memcmp(piece.at, word, len) == 0;
}

/* Whether a piece begins with a word.  If so, the word is removed from it. */
static inline bool piece_skip(struct piece *piece, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(piece->end - piece->at) < len || memcmp(piece->at, word, len) != 0)
		return false;
	piece->at += len;
	return true;
}

/* ---- files ---- */

#define SYSTEM_CPUS 8192 /* the most that Linux supports */

/* Set a value if its file was read (known) and valid (parsed), else the reason. */
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

/* Parse a list of processors such as "0-3,8". */
bool system_parse_cpus(const char *text, size_t len, struct system_cpus *out);

/* Return the number of processors in a set that are also in `within` (NULL: all). */
unsigned system_cpus_count(const struct system_cpus *cpus, const struct system_cpus *within);

/* Convert kilobytes to bytes; UINT64_MAX if they are too many. */
static inline uint64_t system_kilobytes(uint64_t n)
{
	return n > UINT64_MAX / 1024 ? UINT64_MAX : n * 1024;
}

/* Find a value in a file of lines "NAME VALUE" or "NAME: VALUE". */
bool system_parse_keyed(const char *text, size_t len, const char *name, uint64_t *out);

/* Find the text after "NAME:" in a file of such lines. */
bool system_parse_field(const char *text, size_t len, const char *name, struct piece *out);

/* Parse a single number; "max" (cgroup v2) and "-1" (v1) are UINT64_MAX. */
bool system_parse_limit(const char *text, size_t len, uint64_t *out);

/* Parse the soft limit in a line of /proc/PID/limits; SYSTEM_NO_LIMIT: none. */
bool system_parse_rlimit(const char *text, size_t len, const char *name, uint64_t *out);

/* Parse cpu.max: quota (UINT64_MAX: none) and period in microseconds. */
bool system_parse_cpu_max(const char *text, size_t len, uint64_t *quota, uint64_t *period);

/* Return the quota in thousandths of a core; UINT64_MAX: no limit. */
uint64_t system_quota_cores(uint64_t quota, uint64_t period);

/* Parse schedstat: time on a processor and time waiting for one in ns, and the number of timeslices. */
bool system_parse_schedstat(const char *text, size_t len, uint64_t out[3]);

/* Parse a pressure file of the machine or of a group: the total of its line "some" or "full" in
 * microseconds. */
bool system_parse_pressure(const char *text, size_t len, const char *line, uint64_t *out);

/* Parse /proc/loadavg: its first number, in thousandths. */
bool system_parse_load(const char *text, size_t len, uint64_t *out);

/* Parse /proc/stat: the ticks in which the processors of a set were busy, or stolen by another virtual
 * machine.  Returns false if one of the `count` processors is missing. */
bool system_parse_ran(
    const char *text, size_t len, const struct system_cpus *cpus, unsigned count, uint64_t *out);

/* Parse /proc/PID/cgroup: the path of the group for a v1 controller, or in v2 (controller NULL). */
bool system_parse_group(const char *text, size_t len, const char *controller, struct piece *path);

/* Contents of a line of /proc/PID/mountinfo. */
struct system_mount {
	struct piece root;  /* the part of the file system that is mounted */
	struct piece point; /* the mount point; both escaped with \ooo */
	struct piece type;
	struct piece options; /* options of the file system: the controllers of a v1 hierarchy */
};
bool system_parse_mount(struct piece line, struct system_mount *out);

/* Whether a word is in a list separated by commas. */
bool system_listed(struct piece list, const char *word);
