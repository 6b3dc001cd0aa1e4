/*
 * run.c - the main of the test programs, and the list of what they run.
 */
#include "support/test.h"

static struct test_case *first, **last = &first;

void test_add(struct test_case *test)
{
	*last = test;
	last = &test->next;
}

void test_run(void)
{
	for (const struct test_case *test = first; test != NULL; test = test->next) {
		test->run();
		printf("ok %s\n", test->name);
		fflush(stdout);
	}
}

/* A program that has to prepare something has a main of its own. */
__attribute__((weak)) int main(void)
{
	test_run();
	return 0;
}
