/*
 * names.c - look up the tables of events.h: names, classes, units, and the numbers of each release.
 */
#include <ctype.h>

#include "core/std.h"
#include "rtev/events.h"

/* Number of release columns in each of the two tables. */
enum { COLUMNS = 5 };

/* The column of each table that a release uses; -1: none. */
static const struct {
	const char *name;
	int phases, counters;
} releases[RTEV_RELEASE_COUNT] = {
    [RTEV_RELEASE_UNKNOWN] = {"unknown", -1, 3},
    [RTEV_RELEASE_5_0] = {"5.0", 0, 0},
    [RTEV_RELEASE_5_1] = {"5.1", 0, 1},
    [RTEV_RELEASE_5_2] = {"5.2", 1, 1},
    [RTEV_RELEASE_5_3] = {"5.3", 2, 2},
    [RTEV_RELEASE_5_4] = {"5.4", 3, 2},
    [RTEV_RELEASE_5_5] = {"5.5", 3, 3},
    [RTEV_RELEASE_OXCAML] = {"OxCaml", 4, 4},
};

static const struct {
	const char *name;
	enum rtev_phase_class class;
	int16_t ids[COLUMNS];
} phases[RTEV_PHASE_COUNT] = {
#define ROW(name, text, class, brief, c51, c52, c53, c55, cox)                                               \
	{text, RTEV_CLASS_##class, {c51, c52, c53, c55, cox}},
    RTEV_PHASES(ROW)
#undef ROW
};

static const struct {
	const char *name;
	enum rtev_counter_unit unit;
	enum rtev_counter_kind kind;
	int16_t ids[COLUMNS];
} counters[RTEV_COUNTER_COUNT] = {
#define ROW(name, text, unit, kind, c50, c52, c53, c55, cox)                                                 \
	{text, RTEV_UNIT_##unit, RTEV_KIND_##kind, {c50, c52, c53, c55, cox}},
    RTEV_COUNTERS(ROW)
#undef ROW
};

static const char *const lifecycles[RTEV_LIFECYCLE_COUNT] = {
#define ROW(name, text) text,
    RTEV_LIFECYCLES(ROW)
#undef ROW
};

/* Phase numbers below this are the same in every release. */
#define STABLE_PHASES 9

/* Write "what_N" for a value that the tables lack. */
static const char *opaque_name(char buf[RTEV_NAME_SIZE], const char *what, unsigned value)
{
	snprintf(buf, RTEV_NAME_SIZE, "%s_%u", what, value >= RTEV_OPAQUE ? value - RTEV_OPAQUE : value);
	return buf;
}

const char *rtev_phase_name(rtev_phase phase, char buf[RTEV_NAME_SIZE])
{
	return phase < RTEV_PHASE_COUNT ? phases[phase].name : opaque_name(buf, "phase", phase);
}

const char *rtev_counter_name(rtev_counter counter, char buf[RTEV_NAME_SIZE])
{
	return counter < RTEV_COUNTER_COUNT ? counters[counter].name : opaque_name(buf, "counter", counter);
}

const char *rtev_lifecycle_name(rtev_lifecycle event, char buf[RTEV_NAME_SIZE])
{
	return event < RTEV_LIFECYCLE_COUNT ? lifecycles[event] : opaque_name(buf, "lifecycle", event);
}

enum rtev_phase_class rtev_phase_class(rtev_phase phase)
{
	return phase < RTEV_PHASE_COUNT ? phases[phase].class : RTEV_CLASS_UNKNOWN;
}

enum rtev_counter_unit rtev_counter_unit(rtev_counter counter)
{
	return counter < RTEV_COUNTER_COUNT ? counters[counter].unit : RTEV_UNIT_NONE;
}

enum rtev_counter_kind rtev_counter_kind(rtev_counter counter)
{
	return counter < RTEV_COUNTER_COUNT ? counters[counter].kind : RTEV_KIND_NONE;
}

static bool release_valid(enum rtev_release release)
{
	return (unsigned)release < RTEV_RELEASE_COUNT;
}

rtev_phase rtev_phase_from_id(enum rtev_release release, unsigned id)
{
	int column = release_valid(release) ? releases[release].phases : -1;
	id &= RTEV_ID_LIMIT - 1u;
	if (column < 0 && id < STABLE_PHASES)
		column = 0;
	if (column >= 0)
		for (unsigned i = 0; i < RTEV_PHASE_COUNT; i++)
			if (phases[i].ids[column] == (int)id)
				return (rtev_phase)i;
	return (rtev_phase)(RTEV_OPAQUE + id);
}

rtev_counter rtev_counter_from_id(enum rtev_release release, unsigned id)
{
	id &= RTEV_ID_LIMIT - 1u;
	if (release_valid(release))
		for (unsigned i = 0; i < RTEV_COUNTER_COUNT; i++)
			if (counters[i].ids[releases[release].counters] == (int)id)
				return (rtev_counter)i;
	return (rtev_counter)(RTEV_OPAQUE + id);
}

int rtev_phase_to_id(enum rtev_release release, rtev_phase phase)
{
	if (phase >= RTEV_OPAQUE)
		return phase < RTEV_OPAQUE + RTEV_ID_LIMIT ? (int)(phase - RTEV_OPAQUE) : -1;
	if (phase >= RTEV_PHASE_COUNT || !release_valid(release))
		return -1;
	int column = releases[release].phases;
	if (column < 0)
		return phases[phase].ids[0] < STABLE_PHASES ? phases[phase].ids[0] : -1;
	return phases[phase].ids[column];
}

int rtev_counter_to_id(enum rtev_release release, rtev_counter counter)
{
	if (counter >= RTEV_OPAQUE)
		return counter < RTEV_OPAQUE + RTEV_ID_LIMIT ? (int)(counter - RTEV_OPAQUE) : -1;
	if (counter >= RTEV_COUNTER_COUNT || !release_valid(release))
		return -1;
	return counters[counter].ids[releases[release].counters];
}

const char *rtev_release_name(enum rtev_release release)
{
	return releases[release_valid(release) ? release : RTEV_RELEASE_UNKNOWN].name;
}

enum rtev_release rtev_release_from_version(const char *version)
{
	if (strncmp(version, "5.", 2) != 0 || !isdigit((unsigned char)version[2]))
		return RTEV_RELEASE_UNKNOWN;
	if (strstr(version, "+ox") != NULL)
		return RTEV_RELEASE_OXCAML;
	char *end;
	unsigned long minor = strtoul(version + 2, &end, 10);
	if (*end != '\0' && *end != '.' && *end != '+' && *end != '~')
		return RTEV_RELEASE_UNKNOWN;
	return minor >= 5 ? RTEV_RELEASE_5_5 : (enum rtev_release)(RTEV_RELEASE_5_0 + (int)minor);
}

unsigned rtev_alloc_bucket(uint64_t words)
{
	if (words < 10)
		return (unsigned)words;
	return words < 100 ? 9 + (unsigned)words / 10 : RTEV_ALLOC_BUCKETS - 1;
}

void rtev_alloc_bucket_range(unsigned bucket, uint64_t *first, uint64_t *last)
{
	if (bucket < 10) {
		*first = *last = bucket;
	} else if (bucket < RTEV_ALLOC_BUCKETS - 1) {
		*first = (uint64_t)(bucket - 9) * 10;
		*last = *first + 9;
	} else {
		*first = 100;
		*last = UINT64_MAX;
	}
}
