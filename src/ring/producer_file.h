/*
 * producer_file.h - a ring file as its producer holds it: made, mapped, published under its name, removed.
 *
 * A file is complete before it gets its name: readers that find DIR/PID.events find a whole header.  It stays
 * mapped as long as somebody holds it: the producer while it is started, and each domain that writes to it.
 */
#ifndef RING_PRODUCER_FILE_H
#define RING_PRODUCER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/layout.h"

/* What a file is to be like. */
struct ring_shape {
	uint32_t domains;
	uint64_t ring_words;
	bool has_names;
};

struct ring_file {
	struct ring_file *next; /* of those that one producer has mapped */
	unsigned holders;
	unsigned char *base;
	size_t size;
	struct ring_shape shape;
	uint64_t names_offset; /* 0: no names */
	pid_t pid;	       /* of the process that made it */
	bool unshared;	       /* a forked child does not have the mapping */
	dev_t device;	       /* with `inode`, what is ours to unlink */
	ino_t inode;
	char *temporary; /* path before it was published, NULL since */
	char path[];	 /* absolute */
};

/* Make a file in `dir` under a temporary name: mapped, its header filled, all rings empty.  Statuses of
 * rtev_producer_start. */
int ring_file_create(struct ring_file **out, const char *dir, const struct ring_shape *shape);

/* Give the file its name. */
int ring_file_publish(struct ring_file *file);

/* Take its name away, if it is still this file's. */
void ring_file_unlink(const struct ring_file *file);

/* Unmap (unless the mapping was not inherited) and free; a file that was never published is removed. */
void ring_file_destroy(struct ring_file *file);

/* Put a name of at most RTEV_USER_NAME_SIZE - 1 bytes into the table, which must be there. */
void ring_file_set_name(struct ring_file *file, unsigned id, const char *name, size_t len);

/* The parts of one ring. */
struct ring_header *ring_file_header(const struct ring_file *file, uint32_t domain);
uint64_t *ring_file_words(const struct ring_file *file, uint32_t domain);

#endif
