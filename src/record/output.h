/*
 * output.h - the file that `record -o` writes.
 *
 * A regular file is made anew beside the one of its name, readable by us alone, and takes that name once what stands in it can be
 * opened: until then, and for good when it comes to nothing, what was there stays.  What is there must be empty or a recording of
 * rtevtop's own, unless the user forces it.  Links are followed as folder.h says.
 *
 * A *stream* is what can't be made anew: a FIFO, or a descriptor that we were started with: "-" for standard output, /dev/stdout,
 * /dev/fd/N, /proc/self/fd/N.  A FIFO of another user in a sticky folder is refused: anybody may have planted it.
 */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "record/folder.h"

struct output {
	int fd; /* to write to; whoever takes it sets it to -1 */
	bool stream;
	struct folder folder;
	char temporary[NAME_MAX + 1];
	struct stat made; /* the new file */
	bool replaces;	  /* there is a file of that name: */
	struct stat old;
	bool published; /* the file has its name, as a stream has */
};

enum output_status {
	OUTPUT_OK,
	OUTPUT_NOT_REGULAR, /* a device or socket */
	OUTPUT_TERMINAL,    /* a descriptor that is a terminal's */
	OUTPUT_NO_READER,   /* a FIFO that nobody reads, yet */
	OUTPUT_FOREIGN,	    /* there is a file that is no recording */
	OUTPUT_FAILED	    /* errno tells, in words of folder_strerror */
};

/* Make the new file, or open the stream.  Never blocks, and opens no device.  OUTPUT_OK, or nothing is left behind. */
enum output_status output_open(struct output *output, const char *path, bool force);

/* Whether the path of another file leads to the one that is to be replaced. */
bool output_replaces(const struct output *output, const char *path);

/* Give the file its name.  0 or an errno value.  May be called by another thread than the rest, once. */
int output_publish(struct output *output);

/* Close what is still open; a file that was not given its name is removed. */
void output_close(struct output *output);

#endif
