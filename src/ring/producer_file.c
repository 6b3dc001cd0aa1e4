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
#include <sys/resource.h>
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

/* The offset of the words of a ring. */
static uint64_t words_offset(const struct ring_file *file, uint32_t domain)
{
	return sizeof(struct ring_metadata) + file->shape.domains * sizeof(struct ring_header) +
	       domain * file->shape.ring_words * sizeof(uint64_t);
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
	    .data_offset = words_offset(file, 0),
	    .names_offset = file->names_offset,
	};
	memcpy(file->base, &metadata, sizeof(metadata));
}

/* Compute the sizes of a file.  Returns false if it can't be mapped. */
static bool measure(struct ring_file *file)
{
	const struct ring_shape *shape = &file->shape;
	/* At most 2^12 domains of 2^33 bytes: no overflow in 64 bits. */
	uint64_t size = words_offset(file, shape->domains);

	if (shape->has_names) {
		file->names_offset = size;
		size += NAMES_BYTES;
	}
	file->size = (size_t)size;
	return size <= PTRDIFF_MAX;
}

/* Have the file system allocate a part of the file.  One that can't (and a C library that does not write to it
 * instead) leaves the part as it is. */
static int allocate(const struct ring_file *file, uint64_t offset, uint64_t bytes)
{
	int error;

	do
		error = bytes > 0 ? posix_fallocate(file->fd, (off_t)offset, (off_t)bytes) : 0;
	while (error == EINTR);
	return error == 0 || error == EOPNOTSUPP || error == EINVAL ? RTEV_OK : status_of_errno(error);
}

int ring_file_allocate(const struct ring_file *file, uint32_t domain)
{
	/* One that was written to has been allocated. */
	if (ring_load_tail(ring_file_header(file, domain)) != 0)
		return RTEV_OK;
	return allocate(file, words_offset(file, domain), file->shape.ring_words * sizeof(uint64_t));
}

/* Set the size of the open file, have all but the rings allocated, and map it. */
static int map_file(struct ring_file *file)
{
	struct stat st;
	struct rlimit limit;

	/* Beyond the limit, ftruncate would raise SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && file->size > limit.rlim_cur)
		return RTEV_E_SPACE;
	/* The umask applied to the mode given to open. */
	if (fchmod(file->fd, 0600) != 0 || fstat(file->fd, &st) != 0 ||
	    ftruncate(file->fd, (off_t)file->size) != 0)
		return status_of_errno(errno);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	int status = allocate(file, 0, words_offset(file, 0));
	if (status == RTEV_OK && file->names_offset != 0)
		status = allocate(file, file->names_offset, NAMES_BYTES);
	if (status != RTEV_OK)
		return status;
	void *base = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
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
	file->fd = -1;
	file->shape = *shape;
	file->pid = getpid();
	snprintf(file->path, room, "%s/%ld.events", dir, (long)file->pid);
	int status = RTEV_E_INVALID;
	if (!measure(file))
		goto fail;
	file->fd = open_temporary(file, dir);
	if (file->fd < 0) {
		status = status_of_errno(errno);
		free(file->temporary);
		file->temporary = NULL;
		goto fail;
	}
	status = map_file(file);
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
	if (file->fd >= 0)
		close(file->fd);
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
	return (uint64_t *)(void *)(file->base + words_offset(file, domain));
}
