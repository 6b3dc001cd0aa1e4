/*
 * producer_life.c - create, start, pause, stop and fork a producer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/sized.h"
#include "ring/producer_state.h"

void producer_lock(struct rtev_producer *producer)
{
	pthread_mutex_lock(&producer->lock);
}

void producer_unlock(struct rtev_producer *producer)
{
	pthread_mutex_unlock(&producer->lock);
}

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

/* Fill in the tables of a release. */
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
	if (producer->dir != NULL)
		return RTEV_OK;
	switch (errno) {
	case ENOMEM:
		return RTEV_E_NOMEM;
	case EACCES:
		return RTEV_E_ACCESS;
	case ENAMETOOLONG:
		return RTEV_E_PATH;
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
		return RTEV_E_NOENT;
	default:
		return RTEV_E_IO;
	}
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
	struct ring_file *file;

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
