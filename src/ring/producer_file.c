/*
 * producer_file.c - create, publish and remove ring files.
 */
#include "ring/producer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.h"
#include "core/same_file.h"
#include "ring/atomics.h"

#define FORMAT_VERSION 1

/* Number of temporary names to try. */
#define NAME_TRIES 16

/* Create a file under an unused temporary name in the final directory. */
static int open_temporary(struct ring_file *file, const char *dir)
{
	size_t room = strlen(dir) + 64;

	file->temporary = malloc(room);
	if (file->temporary == NULL) {
		errno = ENOMEM;
		return -1;
	}
	for (int i = 0; i < NAME_TRIES; i++) {
		uint32_t number;
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
			number = (uint32_t)i;
		snprintf(
		    file->temporary, room, "%s/.%ld.events.%08x", dir, (long)file->pid, (unsigned)number);
		int fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Fill in the metadata header of a new file, which is all zeros. */
static void fill_header(struct ring_file *file)
{
	const struct ring_shape *shape = &file->shape;
	struct ring_metadata metadata = {
	    .version = FORMAT_VERSION,
	    .max_domains = shape->domains,
	    .ring_header_bytes = sizeof(struct ring_header),
	    .ring_bytes = shape->ring_words * sizeof(uint64_t),
	    .ring_words = shape->ring_words,
	    .headers_offset = sizeof(struct ring_metadata),
	    .data_offset = sizeof(struct ring_metadata) + shape->domains * sizeof(struct ring_header),
	    .names_offset = file->names_offset,
	};
	memcpy(file->base, &metadata, sizeof(metadata));
}

/* Compute the sizes of a file.  Returns false if it can't be mapped. */
static bool measure(struct ring_file *file)
{
	const struct ring_shape *shape = &file->shape;
	/* At most 2^12 domains of 2^33 bytes: no overflow in 64 bits. */
	uint64_t size = sizeof(struct ring_metadata) + shape->domains * sizeof(struct ring_header) +
			shape->domains * shape->ring_words * sizeof(uint64_t);

	if (shape->has_names) {
		file->names_offset = size;
		size += NAMES_BYTES;
	}
	file->size = (size_t)size;
	return size <= PTRDIFF_MAX;
}

/* Set the size of an open file and map it.  The descriptor stays open. */
static int map_file(struct ring_file *file, int fd)
{
	struct stat st;

	/* The umask applied to the mode given to open. */
	if (fchmod(fd, 0600) != 0 || fstat(fd, &st) != 0 || ftruncate(fd, (off_t)file->size) != 0)
		return status_of_errno(errno);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	void *base = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return RTEV_E_MAP;
	file->base = base;
	fill_header(file);
	return RTEV_OK;
}

int ring_file_create(struct ring_file **out, const char *dir, const struct ring_shape *shape)
{
	size_t room = strlen(dir) + 64;
	struct ring_file *file = calloc(1, sizeof(*file) + room);

	if (file == NULL)
		return RTEV_E_NOMEM;
	file->shape = *shape;
	file->pid = getpid();
	snprintf(file->path, room, "%s/%ld.events", dir, (long)file->pid);
	int status = RTEV_E_INVALID;
	if (!measure(file))
		goto fail;
	int fd = open_temporary(file, dir);
	if (fd < 0) {
		status = status_of_errno(errno);
		free(file->temporary);
		file->temporary = NULL;
		goto fail;
	}
	status = map_file(file, fd);
	close(fd);
	if (status != RTEV_OK)
		goto fail;
	*out = file;
	return RTEV_OK;
fail:
	ring_file_destroy(file);
	return status;
}

int ring_file_publish(struct ring_file *file)
{
	if (rename(file->temporary, file->path) != 0)
		return status_of_errno(errno);
	free(file->temporary);
	file->temporary = NULL;
	return RTEV_OK;
}

void ring_file_unlink(const struct ring_file *file)
{
	const struct stat ours = {.st_dev = file->device, .st_ino = file->inode};

	/* A process of another pid namespace may have the same number, and a ring file of that name. */
	same_file_remove(AT_FDCWD, file->path, &ours, 0);
}

void ring_file_destroy(struct ring_file *file)
{
	bool ours = getpid() == file->pid;

	if (file->temporary != NULL && ours)
		unlink(file->temporary);
	if (file->base != NULL && (ours || !file->unshared))
		munmap(file->base, file->size);
	free(file->temporary);
	free(file);
}

void ring_file_set_name(struct ring_file *file, unsigned id, const char *name, size_t len)
{
	uint64_t words[RTEV_USER_NAME_SIZE / sizeof(uint64_t)] = {0};
	uint64_t *to =
	    (uint64_t *)(void *)(file->base + file->names_offset + (size_t)id * RTEV_USER_NAME_SIZE);

	memcpy(words, name, len);
	for (size_t i = sizeof(words) / sizeof(words[0]); i-- > 0;)
		shared_store_word(&to[i], words[i]);
}

struct ring_header *ring_file_header(const struct ring_file *file, uint32_t domain)
{
	return (struct ring_header *)(void *)(file->base + sizeof(struct ring_metadata)) + domain;
}

uint64_t *ring_file_words(const struct ring_file *file, uint32_t domain)
{
	size_t offset = sizeof(struct ring_metadata) + file->shape.domains * sizeof(struct ring_header);

	return (uint64_t *)(void *)(file->base + offset) + domain * file->shape.ring_words;
}
