/*
 * producer.c - create, publish and remove ring files; create, start, pause, stop and fork a producer.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files.h"
#include "core/sized.h"
#include "ring/producer_state.h"

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

/* Have the file system allocate a part of the file.  A file system that can't leaves it as it is; so does a C
 * library that does not write to the file instead. */
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
	/* A ring that was written to is already allocated. */
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

/* Unmap (unless a forked child did not inherit the mapping) and free.  Also unlinks a file that was never
 * published. */
static void ring_file_destroy(struct ring_file *file)
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

/* Create a file in `dir` under a temporary name, mapped, with its header filled in and all rings empty. */
static int ring_file_create(struct ring_file **out, const char *dir, const struct ring_shape *shape)
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

/* Rename the file to its final name. */
static int ring_file_publish(struct ring_file *file)
{
	if (rename(file->temporary, file->path) != 0)
		return status_of_errno(errno);
	free(file->temporary);
	file->temporary = NULL;
	return RTEV_OK;
}

/* Unlink the final name, if it still refers to this file. */
static void ring_file_unlink(const struct ring_file *file)
{
	const struct stat ours = {.st_dev = file->device, .st_ino = file->inode};

	/* A process of another pid namespace may have the same pid, and a ring file of that name. */
	same_file_remove(AT_FDCWD, file->path, &ours, 0);
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

/* ---- the producer ---- */

struct ring_file *producer_file(const struct rtev_producer *producer)
{
	struct ring_file *file = producer->file;

	return file != NULL && file->pid == getpid() ? file : NULL;
}

void producer_release_file(struct rtev_producer *producer, struct ring_file *file)
{
	if (--file->holders > 0)
		return;
	for (struct ring_file **at = &producer->files; *at != NULL; at = &(*at)->next)
		if (*at == file) {
			*at = file->next;
			break;
		}
	ring_file_destroy(file);
}

/* Apply the environment variables to options.  Returns whether to start at once. */
static bool environment_read(struct rtev_producer_options *options)
{
	const char *dir = secure_getenv(RTEV_ENV_DIR);

	if (dir != NULL)
		options->dir = dir;
	if (secure_getenv(RTEV_ENV_PRESERVE) != NULL)
		options->preserve = true;
	return secure_getenv(RTEV_ENV_START) != NULL;
}

/* Set the defaults of options.  Returns false if they are out of range. */
static bool options_complete(struct rtev_producer_options *o)
{
	if (o->exponent == 0)
		o->exponent = RTEV_RING_EXPONENT_DEFAULT;
	if (o->domains == 0)
		o->domains = RTEV_DOMAINS_DEFAULT;
	if (o->release == RTEV_RELEASE_UNKNOWN)
		o->release = o->layout == RTEV_LAYOUT_5_0 ? RTEV_RELEASE_5_0 : RTEV_RELEASE_5_3;
	if (o->layout == RTEV_LAYOUT_OF_RELEASE)
		o->layout = o->release == RTEV_RELEASE_5_0 ? RTEV_LAYOUT_5_0 : RTEV_LAYOUT_5_1;
	return o->exponent >= RTEV_RING_EXPONENT_MIN && o->exponent <= RTEV_RING_EXPONENT_MAX &&
	       o->domains <= RTEV_DOMAINS_MAX && (unsigned)o->layout <= RTEV_LAYOUT_5_1 &&
	       (unsigned)o->release < RTEV_RELEASE_COUNT;
}

static void tables_fill(struct producer_tables *tables, enum rtev_release release)
{
	for (unsigned i = 0; i < RTEV_PHASE_COUNT; i++) {
		int id = rtev_phase_to_id(release, (rtev_phase)i);
		tables->begin[i] = id >= 0 ? header_make(2, RECORD_BEGIN, (uint32_t)id) : 0;
	}
	for (unsigned i = 0; i < RTEV_COUNTER_COUNT; i++) {
		int id = rtev_counter_to_id(release, (rtev_counter)i);
		tables->counter[i] = id >= 0 ? header_make(3, RECORD_COUNTER, (uint32_t)id) : 0;
	}
	for (unsigned i = 0; i < ALLOC_TABLE_SIZE; i++)
		tables->bucket[i] = (uint8_t)rtev_alloc_bucket(i);
}

/* Allocate the domains.  If the system supports it, fork zeroes them in the child. */
static int domains_allocate(struct rtev_producer *producer)
{
	long page = sysconf(_SC_PAGESIZE);
	size_t mask = page > 0 ? (size_t)page - 1 : 4095;
	size_t size = (producer->shape.domains * sizeof(struct rtev_domain) + mask) & ~mask;
	void *domains = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (domains == MAP_FAILED)
		return RTEV_E_NOMEM;
	producer->domains = domains;
	producer->domains_bytes = size;
#ifdef MADV_WIPEONFORK
	producer->wiped_on_fork = madvise(domains, size, MADV_WIPEONFORK) == 0;
#endif
	return RTEV_OK;
}

/* Resolve the directory to an absolute path. */
static int dir_resolve(struct rtev_producer *producer, const char *dir)
{
	producer->dir = realpath(dir != NULL && dir[0] != '\0' ? dir : ".", NULL);
	return producer->dir != NULL ? RTEV_OK : status_of_errno(errno);
}

int rtev_producer_create(struct rtev_producer **out, const struct rtev_producer_options *given)
{
	struct rtev_producer_options options = {.size = sizeof(options)};

	*out = NULL;
	if (!sized_take(&options, sizeof(options), given))
		return RTEV_E_INVALID;
	bool start = options.environment && environment_read(&options);
	if (!options_complete(&options))
		return RTEV_E_INVALID;

	struct rtev_producer *producer = calloc(1, sizeof(*producer));
	if (producer == NULL)
		return RTEV_E_NOMEM;
	pthread_mutex_init(&producer->lock, NULL);
	producer->shape = (struct ring_shape){.domains = options.domains,
	    .ring_words = UINT64_C(1) << options.exponent,
	    .has_names = options.layout != RTEV_LAYOUT_5_0};
	producer->release = options.release;
	producer->preserve = options.preserve;
	tables_fill(&producer->tables, options.release);
	int status = dir_resolve(producer, options.dir);
	if (status == RTEV_OK)
		status = domains_allocate(producer);
	if (status == RTEV_OK) {
		domain_attach_main(producer);
		if (start)
			status = rtev_producer_start(producer, rtev_producer_main(producer));
	}
	if (status != RTEV_OK) {
		rtev_producer_destroy(producer);
		return status;
	}
	*out = producer;
	return RTEV_OK;
}

/* Unmap all files. */
static void files_destroy(struct rtev_producer *producer)
{
	for (struct ring_file *file = producer->files, *next; file != NULL; file = next) {
		next = file->next;
		ring_file_destroy(file);
	}
	producer->files = producer->file = NULL;
}

void rtev_producer_destroy(struct rtev_producer *producer)
{
	if (producer == NULL)
		return;
	if (producer_file(producer) != NULL)
		rtev_producer_stop(producer, rtev_producer_main(producer));
	files_destroy(producer);
	if (producer->domains != NULL)
		munmap(producer->domains, producer->domains_bytes);
	for (uint32_t i = 0; i < producer->user_count; i++)
		free(producer->users[i]);
	free(producer->users);
	free(producer->user_hash);
	free(producer->dir);
	pthread_mutex_destroy(&producer->lock);
	free(producer);
}

struct rtev_domain *rtev_producer_main(struct rtev_producer *producer)
{
	return &producer->domains[0];
}

/* Write the registered names to a new file.  The caller holds the lock. */
static void names_write(struct rtev_producer *producer, struct ring_file *file)
{
	for (uint32_t i = 0; i < producer->user_count; i++)
		ring_file_set_name(file, i, producer->users[i]->name, producer->users[i]->name_len);
}

/* Create a file, record RING_START in it, and publish it.  The caller holds the lock. */
static int start_locked(struct rtev_producer *producer, struct rtev_domain *self)
{
	struct ring_file *file = NULL;

	/* In a forked child that has not called rtev_producer_forked, the domains may be wiped. */
	if (!producer->domains[0].attached)
		return RTEV_E_INVALID;
	if (producer->file != NULL)
		return producer_file(producer) != NULL ? RTEV_OK : RTEV_E_INVALID;
	int status = ring_file_create(&file, producer->dir, &producer->shape);
	if (status != RTEV_OK)
		return status;
#ifdef MADV_DONTFORK
	/* If the domains are wiped, a child can't record by mistake and does not need the mapping. */
	if (producer->wiped_on_fork)
		file->unshared = madvise(file->base, file->size, MADV_DONTFORK) == 0;
#endif
	file->next = producer->files;
	file->holders = 1;
	producer->files = producer->file = file;
	producer->paused = false;
	names_write(producer, file);
	status = domain_settle_locked(self);
	if (status == RTEV_OK) {
		domain_record_lifecycle(self, RTEV_LIFECYCLE_RING_START, getpid());
		status = ring_file_publish(file);
	}
	if (status != RTEV_OK) {
		producer->file = NULL;
		producer_release_file(producer, file);
		domain_settle_locked(self);
		return status;
	}
	domains_notify(producer, self);
	return RTEV_OK;
}

int rtev_producer_start(struct rtev_producer *producer, struct rtev_domain *self)
{
	producer_lock(producer);
	int status = start_locked(producer, self);
	producer_unlock(producer);
	return status;
}

int rtev_producer_stop(struct rtev_producer *producer, struct rtev_domain *self)
{
	producer_lock(producer);
	struct ring_file *file = producer_file(producer);
	if (file != NULL) {
		if (domain_settle_locked(self) == RTEV_OK)
			domain_record_lifecycle(self, RTEV_LIFECYCLE_RING_STOP, 0);
		if (!producer->preserve)
			ring_file_unlink(file);
		producer->file = NULL;
		producer->paused = false;
		producer_release_file(producer, file);
		domain_settle_locked(self);
		domains_notify(producer, self);
	}
	producer_unlock(producer);
	return RTEV_OK;
}

int rtev_producer_pause(struct rtev_producer *producer, struct rtev_domain *self)
{
	producer_lock(producer);
	if (producer_file(producer) != NULL && !producer->paused) {
		if (domain_settle_locked(self) == RTEV_OK)
			domain_record_lifecycle(self, RTEV_LIFECYCLE_RING_PAUSE, 0);
		producer->paused = true;
		domain_settle_locked(self);
		domains_notify(producer, self);
	}
	producer_unlock(producer);
	return RTEV_OK;
}

int rtev_producer_resume(struct rtev_producer *producer, struct rtev_domain *self)
{
	producer_lock(producer);
	if (producer_file(producer) != NULL && producer->paused) {
		producer->paused = false;
		/* RING_RESUME comes first: readers drop phases that began before it and did not end. */
		if (domain_settle_locked(self) == RTEV_OK)
			domain_record_lifecycle(self, RTEV_LIFECYCLE_RING_RESUME, 0);
		domains_notify(producer, self);
	}
	producer_unlock(producer);
	return RTEV_OK;
}

int rtev_producer_forked(struct rtev_producer *producer)
{
	bool started = producer->file != NULL;
	int status = RTEV_OK;

	/* Another thread of the parent may have held the lock; it does not exist in the child. */
	pthread_mutex_init(&producer->lock, NULL);
	files_destroy(producer);
	producer->paused = false;
	memset(producer->domains, 0, producer->shape.domains * sizeof(struct rtev_domain));
	domain_attach_main(producer);
	struct rtev_domain *self = rtev_producer_main(producer);
	if (started)
		status = rtev_producer_start(producer, self);
	if (started && status == RTEV_OK)
		domain_record_lifecycle(self, RTEV_LIFECYCLE_FORK_CHILD, 0);
	return status;
}

int rtev_producer_path(struct rtev_producer *producer, char *buf, size_t size)
{
	int status = RTEV_E_NO_CURRENT_RING;

	producer_lock(producer);
	if (producer_file(producer) != NULL) {
		size_t room = strlen(producer->file->path) + 1;
		status = room <= size ? RTEV_OK : RTEV_E_PATH;
		if (status == RTEV_OK)
			memcpy(buf, producer->file->path, room);
	}
	producer_unlock(producer);
	return status;
}

int rtev_cursor_open_producer(
    struct rtev_cursor **out, struct rtev_producer *producer, const struct rtev_cursor_options *options)
{
	struct rtev_cursor_options own = {.size = sizeof(own), .release = producer->release};
	int status = RTEV_E_NO_CURRENT_RING;

	*out = NULL;
	producer_lock(producer);
	if (producer_file(producer) != NULL)
		status = rtev_cursor_open_path(out, producer->file->path, options != NULL ? options : &own);
	producer_unlock(producer);
	return status;
}
