/*
 * output.h - the file that `record -o` or `metrics -o` writes.
 *
 * A regular file is written under a temporary name in the same folder, with mode 0600, and renamed once it is
 * complete (a recording: once it can be opened).  Until then, and after a failure, the old file stays.  The
 * old file must be empty or begin like one of ours, unless the user forces it.  Links are followed as in
 * folder.h.
 *
 * A *stream* can't be created anew: a FIFO, /dev/null, or an inherited descriptor: "-" for standard output,
 * /dev/stdout, /dev/fd/N, /proc/self/fd/N.  A FIFO of another user in a sticky folder is refused, because
 * anybody may have planted it.
 */
#pragma once

#include <sys/stat.h>

#include "files/folder.h"

struct output {
	int fd; /* to write to; set to -1 by whoever takes it over */
	bool stream;
	struct folder folder;
	char temporary[NAME_MAX + 1];
	struct stat made; /* of the new file */
	bool replaces;	  /* there is an old file */
	struct stat old;  /* of the old file */
	bool published;	  /* the file has its name; always true for a stream */
};

enum output_status {
	OUTPUT_OK,
	OUTPUT_NOT_REGULAR, /* device or socket */
	OUTPUT_TERMINAL,    /* an inherited descriptor of a terminal */
	OUTPUT_NO_READER,   /* a FIFO without a reader */
	OUTPUT_FOREIGN,	    /* the old file was not written by rtevtop */
	OUTPUT_FAILED	    /* errno is set; see folder_strerror */
};

/* How a file begins. */
struct output_begin {
	const char *bytes;
	size_t len;
};

/* How recordings begin; len 0 ends the list. */
extern const struct output_begin output_recordings[];

/* Create the file or open the stream.  An old file is replaced if it begins as one of the list's entries; with
 * NULL, whatever it is.  Never blocks and opens no device but /dev/null.  On failure nothing is left behind. */
enum output_status output_open(struct output *output, const char *path, const struct output_begin *ours);

/* Whether another path refers to the old file. */
bool output_replaces(const struct output *output, const char *path);

/* Give the file its name.  Returns 0 or an errno.  May be called once, from any thread. */
int output_publish(struct output *output);

/* Close what is still open, and remove a file that has not been given its name. */
void output_close(struct output *output);
