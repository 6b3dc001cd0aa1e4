/*
 * bytecode.c - find the program file that a bytecode interpreter runs.
 */
#include "target/bytecode.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/image.h"
#include "target/source.h"

/* The start of a command line is enough; the program comes before its own arguments. */
enum { CMDLINE_SIZE = 16384 };

/* The interpreter's first argument that is no option of its own. */
static struct word first_argument(const char *cmdline, size_t len)
{
	struct word word;

	for (size_t i = 1; (word = words_get(cmdline, len, i)).text != NULL; i++) {
		if (word.len == 0 || word.text[0] != '-')
			break;
		/* The one option whose value is a word of its own. */
		if (word.len == 2 && word.text[1] == 'I')
			i++;
	}
	return word;
}

/* The word of a command line that may name the program. */
struct word bytecode_guess(const char *cmdline, size_t len, unsigned index)
{
	if (index == 0)
		return words_get(cmdline, len, 0);
	if (index == 1)
		return first_argument(cmdline, len);
	return (struct word){.text = NULL};
}

/* Open a file by a name as the process would. */
static int open_as_process(const struct proc *proc, const char *name, int *fd)
{
	char path[PROC_PATH_SIZE];

	if (name[0] != '/') {
		int n = snprintf(path, sizeof path, "cwd/%s", name);

		*fd = -1;
		return n < 0 || (size_t)n >= sizeof path
			   ? -1
			   : proc_open_regular(proc->dir, path, false, NULL, fd);
	}
	if (proc_foreign_mounts(proc) || proc_foreign_root(proc))
		return proc_open_in_root(proc, name, NULL, fd);
	return proc_open_regular(AT_FDCWD, name, false, NULL, fd);
}

/* The number in the trailer of the process's program. */
unsigned bytecode_trailer(const struct proc *proc)
{
	char cmdline[CMDLINE_SIZE], name[PROC_PATH_SIZE];
	size_t len;
	struct word word;

	if (proc_read(proc, "cmdline", cmdline, sizeof cmdline, &len) != 0)
		return 0;
	for (unsigned i = 0; (word = bytecode_guess(cmdline, len, i)).text != NULL; i++) {
		struct source source;
		unsigned number = 0;
		int fd;

		if (word.len == 0 || word_copy(word, name, sizeof name) > sizeof name ||
		    open_as_process(proc, name, &fd) != 0)
			continue;
		if (source_from_fd(&source, fd, 64))
			number = image_trailer(&source);
		close(fd);
		if (number != 0)
			return number;
	}
	return 0;
}
