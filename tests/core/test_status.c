/*
 * test_status.c - the list of status codes: each part keeps to its hundred, none stands twice, each has a
 * sentence.
 */
#include <string.h>

#include "rtev/rtev.h"
#include "support/test.h"

static const struct {
	const char *name;
	int value;
	const char *message;
} statuses[] = {
#define ROW(name, value, message) {#name, value, message},
    RTEV_STATUSES(ROW)
#undef ROW
};

#define COUNT (sizeof(statuses) / sizeof(statuses[0]))

/* The part of the library that a name belongs to, as its hundred; -1: one of ring's two or common. */
static int hundred_of(const char *name)
{
	return strncmp(name, "E_FXT_", 6) == 0 ? 3 : strncmp(name, "E_MEMTRACE_", 11) == 0 ? 4 : -1;
}

/* Each code has a sentence of its own, and lies in the hundred of its part. */
TEST(list)
{
	for (size_t i = 0; i < COUNT; i++) {
		int hundred = -statuses[i].value / 100;
		CHECK(statuses[i].value <= 0 && hundred <= 4);
		if (hundred_of(statuses[i].name) >= 0 || hundred >= 3)
			CHECK_INT(hundred, hundred_of(statuses[i].name));
		CHECK_STR(rtev_strerror(statuses[i].value), statuses[i].message);
		for (size_t other = 0; other < i; other++) {
			CHECK(statuses[other].value > statuses[i].value);
			CHECK(strcmp(statuses[other].message, statuses[i].message) != 0);
		}
	}
}

/* What is no status is said to be none. */
TEST(unknown)
{
	CHECK_STR(rtev_strerror(1), "unknown status");
	CHECK_STR(rtev_strerror(-99), "unknown status");
	CHECK_STR(rtev_strerror(-1000), "unknown status");
}
