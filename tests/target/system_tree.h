/*
 * system_tree.h - what the sampler reads, made up: a process with threads, mounts, control groups, a machine
 * of four processors.
 *
 * Files are written in place, as those of the kernel change, for the sampler keeps them open.
 */
#pragma once

#include <stdarg.h>

#include "support/test_target_tree.h"
#include "target/sampler.h"

enum { SYSTEM_PID = 77 };

/* Write a file below the base, and make the directories on the way. */
__attribute__((format(printf, 3, 4))) static inline void put(
    const struct tree *tree, const char *name, const char *format, ...)
{
	char path[1024], text[8192];
	va_list args;
	int fd;

	snprintf(path, sizeof path, "%s/%s", tree->base, name);
	for (char *slash = path + strlen(tree->base) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		CHECK(mkdir(path, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	CHECK(fd >= 0);
	CHECK_INT(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Write the files of a thread: ticks of user time, ns on a processor and waiting for one.  The first one runs, others sleep. */
static inline void put_thread(const struct tree *tree, int tid, uint64_t ticks, uint64_t run, uint64_t wait)
{
	char name[64];

	snprintf(name, sizeof name, "proc/77/task/%d/stat", tid);
	put(tree, name,
	    "%d (worker %d) %c 1 1 1 0 -1 0 5 0 2 0 %" PRIu64 " 3 0 0 20 0 1 0 5000 0 0 0 0 0 0\n", tid, tid,
	    tid == 77 ? 'R' : 'S', ticks);
	snprintf(name, sizeof name, "proc/77/task/%d/schedstat", tid);
	put(tree, name, "%" PRIu64 " %" PRIu64 " 9\n", run, wait);
	snprintf(name, sizeof name, "proc/77/task/%d/status", tid);
	put(tree, name, "Name:\tworker\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t%d\n", 10,
	    20);
}

/* Write the stat line of the process. */
static inline void put_process(const struct tree *tree, unsigned threads, uint64_t user, uint64_t system)
{
	put(tree, "proc/77/stat",
	    "77 (a (b) c) S 1 1 1 0 -1 0 1000 0 7 0 %" PRIu64 " %" PRIu64 " 0 0 20 0 %u 0 5000 0 0 0 0 0 0\n",
	    user, system, threads);
}

/* Make a process with one thread, in no group. */
static inline void system_tree_create(struct tree *tree)
{
	tree_create(tree);
	put_process(tree, 1, 250, 50);
	put(tree, "proc/77/status",
	    "Name:\ta\nVmRSS:\t    2048 kB\nVmSwap:\t      16 kB\nHugetlbPages:\t       4 kB\n"
	    "Cpus_allowed:\tff\nCpus_allowed_list:\t0-2,6\n");
	put_thread(tree, 77, 100, 1000, 500);
	put(tree, "proc/77/cgroup", "0::/\n");
	put(tree, "proc/self/mountinfo", "%s", "");
	put(tree, "proc/loadavg", "1.25 0.50 0.10 2/345 6789\n");
	put(tree, "proc/stat",
	    "cpu  9 9 9 9\ncpu0 3 0 0 8\ncpu1 0 0 5 8\ncpu2 0 0 0 8\ncpu3 7 0 0 8\nintr 5 5\n");
	put(tree, "proc/meminfo", "MemTotal:       8000000 kB\nMemFree: 5 kB\n");
	put(tree, "sys/devices/system/cpu/online", "0-3\n");
}

/* A sampler of the process, which stands until the next one is made. */
static inline struct sampler *system_sampler(const struct tree *tree)
{
	static struct sampler *sampler;

	sampler_destroy(sampler);
	sampler = sampler_create(
	    &(struct sampler_options){.proc_root = tree->root, .sys_root = tree->base, .pid = SYSTEM_PID});
	CHECK(sampler != NULL);
	return sampler;
}

#define CHECK_KNOWN(sample, id, expected)                                                                    \
	do {                                                                                                 \
		CHECK_INT((sample)->values[id].known, SYSTEM_KNOWN);                                         \
		CHECK_INT((sample)->values[id].value, expected);                                             \
	} while (0)

#define CHECK_UNKNOWN(sample, id, why)                                                                       \
	do {                                                                                                 \
		CHECK_INT((sample)->values[id].known, why);                                                  \
		CHECK_INT((sample)->values[id].value, 0);                                                    \
	} while (0)
