/*
 * descriptors.c - raise the soft limit on open descriptors, and restore it.
 */
#include "session/descriptors.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void descriptors_raise(void)
{
	struct rlimit limit;

	if (raised || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return;
	before = limit;
	limit.rlim_cur = limit.rlim_max;
	raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

void descriptors_restore(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
