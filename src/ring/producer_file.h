/*
 * producer_file.h - create, map, publish and remove the ring file of a producer.
 *
 * A file is complete before it gets its name, so a reader that finds DIR/PID.events finds a complete header.
 * The file stays mapped while it has holders: the producer while it is started, and each domain that writes
 * to it.
 */
#ifndef RING_PRODUCER_FILE_H
#define RING_PRODUCER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/layout.h"

/* Parameters of a file. */
struct ring_shape {
	uint32_t domains;
	uint64_t ring_words;
	bool has_names;
};

struct ring_file {
	struct ring_file *next; /* in the list of all files that one producer has mapped */
	unsigned holders;
	unsigned char *base;
	size_t size;
	struct ring_shape shape;
	uint64_t names_offset; /* 0: no names */
	pid_t pid;	       /* of the process that created the file */
	bool unshared;	       /* forked children do not inherit the mapping */
	dev_t device;	       /* device and inode identify the file when its name is removed */
	ino_t inode;
	int fd;
	char *temporary; /* temporary path; NULL once published */
	char path[];	 /* absolute */
};

/* Create a file in `dir` under a temporary name, mapped, with its header filled in and all rings empty.
 * Statuses of rtev_producer_start. */
int ring_file_create(struct ring_file **out, const char *dir, const struct ring_shape *shape);

/* Rename the file to its final name. */
int ring_file_publish(struct ring_file *file);

/* Unlink the final name, if it still refers to this file. */
void ring_file_unlink(const struct ring_file *file);

/* Unmap (unless a forked child did not inherit the mapping) and free.  Also unlinks a file that was never
 * published. */
void ring_file_destroy(struct ring_file *file);

/* Have the file system allocate a ring, so that writing to it can't raise SIGBUS.  RTEV_E_SPACE, RTEV_E_IO. */
int ring_file_allocate(const struct ring_file *file, uint32_t domain);

/* Store a name of at most RTEV_USER_NAME_SIZE - 1 bytes in the table.  The file must have the table. */
void ring_file_set_name(struct ring_file *file, unsigned id, const char *name, size_t len);

/* The header and the words of one ring. */
struct ring_header *ring_file_header(const struct ring_file *file, uint32_t domain);
uint64_t *ring_file_words(const struct ring_file *file, uint32_t domain);

#endif
