/*
 * glance.c - tell with few system calls that a process has nothing to do with OCaml.
 */
#include "target/glance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/maps.h"

enum glance glance_at(int proc, pid_t pid, const struct version_cache *cache)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "%d/exe", (int)pid);
	if (fstatat(proc, name, &st, 0) != 0) {
		/* Only a thread of the kernel, and a process that has ended, run no program. */
		if (errno == ENOENT || errno == ESRCH)
			return GLANCE_NOTHING;
		return errno == EACCES || errno == EPERM ? GLANCE_DENIED : GLANCE_UNKNOWN;
	}
	if (!version_cache_excludes(cache, &st))
		return GLANCE_UNKNOWN;
	snprintf(name, sizeof(name), "%d/maps", (int)pid);
	int fd = openat(proc, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return GLANCE_UNKNOWN;
	bool lack = maps_file_lacks_ocaml(fd);
	close(fd);
	return lack ? GLANCE_NOTHING : GLANCE_UNKNOWN;
}
