/*
 * test.h - the checks that the C tests are made of.
 *
 * A test program is a file of functions that begin with TEST, which the main of support/run.c runs; a program that
 * needs more has a main of its own.  A failed check prints where and what and ends the program with status 1, so
 * that ctest shows the first fault.  Status 77 is one that ctest reports as
 * skipped; tests/tools.sh is about the same for scripts.
 */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_FAIL(...)                                                                                       \
	do {                                                                                                 \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                              \
		fprintf(stderr, __VA_ARGS__);                                                                \
		fputc('\n', stderr);                                                                         \
		exit(1);                                                                                     \
	} while (0)

#define CHECK(condition)                                                                                     \
	do {                                                                                                 \
		if (!(condition))                                                                            \
			TEST_FAIL("check failed: %s", #condition);                                           \
	} while (0)

/* Integers that fit int64_t. */
#define CHECK_INT(actual, expected)                                                                          \
	do {                                                                                                 \
		int64_t test_a = (int64_t)(actual), test_e = (int64_t)(expected);                            \
		if (test_a != test_e)                                                                        \
			TEST_FAIL("%s is %" PRId64 ", expected %" PRId64, #actual, test_a, test_e);          \
	} while (0)

#define CHECK_STR(actual, expected)                                                                          \
	do {                                                                                                 \
		const char *test_a = (actual), *test_e = (expected);                                         \
		if (test_a == NULL || strcmp(test_a, test_e) != 0)                                           \
			TEST_FAIL(                                                                           \
			    "%s is \"%s\", expected \"%s\"", #actual, test_a ? test_a : "(null)", test_e);   \
	} while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                                              \
	do {                                                                                                 \
		double test_a = (double)(actual), test_e = (double)(expected);                               \
		double test_d = test_a > test_e ? test_a - test_e : test_e - test_a;                         \
		if (!(test_d <= (double)(tolerance)))                                                        \
			TEST_FAIL("%s is %.9g, expected %.9g", #actual, test_a, test_e);                     \
	} while (0)

/* A test: TEST(name) { .. }.  test_run runs those of a program in their order in the file. */
struct test_case {
	const char *name;
	void (*run)(void);
	struct test_case *next;
};

void test_add(struct test_case *test);
void test_run(void);

#define TEST(test)                                                                                           \
	static void test(void);                                                                              \
	__attribute__((constructor)) static void test##_add(void)                                            \
	{                                                                                                    \
		static struct test_case self = {.name = #test, .run = test};                                 \
		test_add(&self);                                                                             \
	}                                                                                                    \
	static void test(void)

/* End the program, skipped, because the kernel has no such facility. */
#define SKIP(...)                                                                                            \
	do {                                                                                                 \
		printf("skipped: ");                                                                         \
		printf(__VA_ARGS__);                                                                         \
		putchar('\n');                                                                               \
		exit(77);                                                                                    \
	} while (0)

/* End it because something is missing that can be installed: skipped, but with CI=true a failure. */
#define LACKS(...)                                                                                           \
	do {                                                                                                 \
		const char *test_ci = getenv("CI");                                                          \
		if (test_ci != NULL && strcmp(test_ci, "true") == 0)                                         \
			TEST_FAIL(__VA_ARGS__);                                                              \
		SKIP(__VA_ARGS__);                                                                           \
	} while (0)

/* The bytes of a file and a NUL, to be freed; NULL if it can't be opened. */
static inline void *bytes_of_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;

	*size = 0;
	for (size_t got = 1; file != NULL && got > 0; *size += got) {
		bytes = realloc(bytes, 2 * *size + 65537);
		CHECK(bytes != NULL);
		got = fread(bytes + *size, 1, *size + 65536, file);
		bytes[*size + got] = '\0';
	}
	if (file != NULL)
		fclose(file);
	return bytes;
}

/* The next number of a simple generator, below 1 << 24. */
static inline uint32_t test_next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}
