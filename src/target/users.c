/*
 * users.c - names of users.
 *
 * The lookup of the C library loads further libraries and allocates memory, and ends the program if memory is
 * short.  So /etc/passwd is read first, without either.
 */
#include "target/proc.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/shortage.h"

#define LINES_MAX (1 << 20) /* bytes read of the file, at most */

/* Parse "NAME:PASSWORD:UID:...".  Returns whether it is the line of the user. */
static bool line_names(char *line, uid_t uid, char name[PROC_USER_SIZE])
{
	const char *fields = line, *user = strsep(&line, ":"), *password = strsep(&line, ":");
	const char *number = strsep(&line, ":"), *problem;

	if (password == NULL || number == NULL || line == NULL || fields[0] == '\0')
		return false;
	long long value = strtonum(number, 0, UINT32_MAX, &problem);
	if (problem != NULL || value != (long long)uid)
		return false;
	strlcpy(name, user, PROC_USER_SIZE);
	return true;
}

/* Look up a user in /etc/passwd. */
static bool file_names(uid_t uid, char name[PROC_USER_SIZE])
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	char block[4096];
	size_t used = 0;
	ssize_t got;
	bool found = false;

	for (size_t all = 0; fd >= 0 && !found && all < LINES_MAX; all += (size_t)got) {
		char *line = block, *end;
		got = read(fd, block + used, sizeof(block) - 1 - used);
		if (got <= 0)
			break;
		used += (size_t)got;
		block[used] = '\0';
		while (!found && (end = strchr(line, '\n')) != NULL) {
			*end = '\0';
			found = line_names(line, uid, name);
			line = end + 1;
		}
		used -= (size_t)(line - block);
		memmove(block, line, used);
		/* a line longer than the buffer is invalid */
		if (used == sizeof(block) - 1)
			break;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* Ask the C library, which knows users that other databases hold.  A static program doesn't: glibc would load
 * modules of the version that it was built with. */
static bool library_names(uid_t uid, char name[PROC_USER_SIZE])
{
#ifdef RTEV_STATIC
	(void)uid, (void)name;
	return false;
#else
	char buf[4096];
	struct passwd entry, *found = NULL;

	if (!shortage_names() || getpwuid_r(uid, &entry, buf, sizeof(buf), &found) != 0 || found == NULL)
		return false;
	strlcpy(name, found->pw_name, PROC_USER_SIZE);
	return true;
#endif
}

void proc_user(uid_t uid, char name[PROC_USER_SIZE])
{
	if (!file_names(uid, name) && !library_names(uid, name))
		snprintf(name, PROC_USER_SIZE, "%lu", (unsigned long)uid);
}
