/*
 * bytecode.c - find the program file that a bytecode interpreter runs.
 */
#include "target/bytecode.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/identity.h"
#include "target/image.h"
#include "target/source.h"

/* bytes of a command line that are read; the program comes before its own arguments */
enum { CMDLINE_SIZE = 16384 };

/* The interpreter's first argument that is not one of its options. */
static struct word first_argument(const char *cmdline, size_t len)
{
	struct word word;

	for (size_t i = 1; (word = words_get(cmdline, len, i)).text != NULL; i++) {
		if (word.len == 0 || word.text[0] != '-')
			break;
		/* -I takes its value as a separate word. */
		if (word.len == 2 && word.text[1] == 'I')
			i++;
	}
	return word;
}

struct word bytecode_guess(const char *cmdline, size_t len, unsigned index)
{
	if (index == 0)
		return words_get(cmdline, len, 0);
	if (index == 1)
		return first_argument(cmdline, len);
	return (struct word){.text = NULL};
}

/* Open a file by a name as the process and its user would. */
static int open_as_process(const struct proc *proc, const struct identity *user, const char *name, int *fd)
{
	bool absolute = name[0] == '/';
	int from, error;

	*fd = -1;
	if (absolute && !proc_foreign_mounts(proc) && !proc_foreign_root(proc))
		return identity_open(user, AT_FDCWD, name, false, NULL, fd);
	error = proc_open_dir(proc, absolute ? "root" : "cwd", &from);
	if (error != 0)
		return error;
	error = identity_open(user, from, name, absolute, NULL, fd);
	close(from);
	return error;
}

unsigned bytecode_trailer(const struct proc *proc)
{
	char cmdline[CMDLINE_SIZE], name[PROC_PATH_SIZE];
	struct identity user;
	size_t len;
	struct word word;

	if (proc_read(proc, "cmdline", cmdline, sizeof cmdline, &len) != 0)
		return 0;
	identity_read(&user, proc);
	for (unsigned i = 0; (word = bytecode_guess(cmdline, len, i)).text != NULL; i++) {
		struct source source;
		unsigned number = 0;
		int fd;

		if (word.len == 0 || word_copy(word, name, sizeof name) > sizeof name ||
		    open_as_process(proc, &user, name, &fd) != 0)
			continue;
		if (source_from_fd(&source, fd, 64))
			number = image_trailer(&source);
		close(fd);
		if (number != 0)
			return number;
	}
	return 0;
}
