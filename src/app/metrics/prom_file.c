/*
 * prom_file.c - see prom_file.h.
 */
#include "app/metrics/prom_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/metrics/families.h"
#include "core/files.h"
#include "session/signals.h"

/* Create a version beside the file.  Never a stream: a FIFO is not replaced as a whole. */
static enum output_status version_open(struct prom_file *file)
{
	static const struct output_begin ours[] = {
	    {METRICS_FIRST_LINE, sizeof(METRICS_FIRST_LINE) - 1}, {NULL, 0}};
	enum output_status status = output_open(&file->output, file->path, ours);

	if (status != OUTPUT_OK || !file->output.stream)
		return status;
	output_close(&file->output);
	return OUTPUT_NOT_REGULAR;
}

int prom_file_open(struct prom_file *file, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	size_t len = strlen(name);

	*file = (struct prom_file){.path = path, .standard = strcmp(path, "-") == 0};
	if (file->standard)
		return EXIT_DONE;
	if (len <= 5 || strcmp(name + len - 5, ".prom") != 0)
		return fail_usage("-o %s: a collector reads files whose name ends in .prom", path);
	enum output_status status = version_open(file);
	if (status == OUTPUT_FAILED)
		return fail_file(path, errno);
	if (status == OUTPUT_OK) {
		output_close(&file->output);
		return EXIT_DONE;
	}
	fail_message("Give another name, or remove it.",
	    "%s: rtevtop metrics did not write this file, and leaves it alone", path);
	return EXIT_FAILED;
}

bool prom_file_begin(struct prom_file *file, struct out *out)
{
	static unsigned stops; /* none yet: one ends the wait for a reader */

	if (file->standard) {
		fail_output_begin(out, STDOUT_FILENO, &stops);
		return true;
	}
	enum output_status status = version_open(file);
	int error = status == OUTPUT_OK ? 0 : status == OUTPUT_FAILED ? errno : EEXIST;
	/* The collector runs as another user. */
	if (error == 0 && fchmod(file->output.fd, 0644) != 0) {
		error = errno;
		output_close(&file->output);
	}
	fail_output_begin(out, file->output.fd, NULL);
	errno = error;
	return error == 0;
}

int prom_file_end(struct prom_file *file, int error)
{
	struct output *output = &file->output;

	if (file->standard)
		return error;
	/* Some file systems report a lack of space only here. */
	if (close(output->fd) != 0 && error == 0)
		error = errno;
	output->fd = -1;
	if (error == 0)
		error = output_publish(output);
	if (error == 0)
		file->last = output->made;
	file->written |= error == 0;
	output_close(output);
	return error;
}

void prom_file_close(struct prom_file *file, bool keep)
{
	struct folder folder;

	if (!file->written || keep || folder_of(&folder, file->path) != 0)
		return;
	same_file_remove(folder.fd, folder.name, &file->last, 0);
	close(folder.fd);
}
