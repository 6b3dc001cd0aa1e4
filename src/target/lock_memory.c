/* lock_memory.c - see lock_memory.h. */
#include "target/lock_memory.h"

#include <linux/futex.h>

#include "target/maps.h"

/* Offsets in an element of thread_table, in 5.0 to 5.5. */
enum {
	MASTER_BUSY_AT = 56, /* one byte since 5.4 */
	MASTER_WAITERS_AT = 64,
	MASTER_TICK_AT = 128, /* pthread_t of the tick thread, which makes threads take turns */
	MASTER_BYTES_MAX = 144,
	MUTEX_BYTES = 40,
	MUTEX_KIND = 2, /* an error-checking mutex, as all of OCaml's are */
	OWNER_AT = 8
};

/* struct channel, in 5.0 to 5.5. */
enum { CHANNEL_FD_AT = 0, CHANNEL_MUTEX_AT = 40, CHANNEL_NEXT_AT = 80, CHANNEL_BYTES = 88 };

enum {
	LIBC_PAGES = 2048,
	STOP_BYTES = 128, /* of stw_request, which contains its barriers */
	ARENA_ALIGN = 64 << 20,
	ARENA_LOCK_AT = 0x30
};
static bool see_map(void *ctx, const struct map *map)
{
	struct lock_memory *m = ctx;
	struct range *last = m->range_count > 0 ? &m->ranges[m->range_count - 1] : NULL;
	const char *name = strrchr(map->path, '/');

	m->musl |= name != NULL && strncmp(name, "/ld-musl-", 9) == 0;
	if (name != NULL && strcmp(name, "/libc.so.6") == 0) {
		m->libc_start = m->glibc ? m->libc_start : map->start;
		m->libc_end = map->end;
		m->glibc = true;
	}
	if (map->inode == 0) {
		/* The part of a writable segment that is not in the file follows it as an anonymous
		 * mapping. */
		if (map->path[0] == '\0' && last != NULL && last->end == map->start && map->perms[1] == 'w')
			last->end = map->end;
		return true;
	}
	const bool program = strcmp(map->path, m->program) == 0;
	if (last != NULL && last->end == map->start && last->program == program) {
		last->end = map->end;
		return true;
	}
	if (m->range_count == LOCK_RANGES)
		return false;
	m->ranges[m->range_count++] =
	    (struct range){.start = map->start, .end = map->end, .program = program};
	return true;
}

/* Return the range that contains an address; NULL: none. */
static const struct range *range_of(const struct lock_memory *m, uint64_t address)
{
	for (size_t i = 0; i < m->range_count; i++)
		if (address >= m->ranges[i].start && address < m->ranges[i].end)
			return &m->ranges[i];
	return NULL;
}

int lock_memory_open(struct lock_memory *m, struct runtime *runtime, struct proc *proc)
{
	struct effort effort = effort_for_look();

	m->runtime = runtime;
	m->layout = runtime_layout(runtime);
	m->reader = runtime_memory_unchecked(runtime);
	if (proc_program(proc, m->program) != 0)
		m->program[0] = '\0';
	return maps_walk(proc, &effort, see_map, m);
}

void lock_memory_begin(struct lock_memory *m)
{
	m->channels_read = m->tables_read = false;
}

bool lock_words_held(const struct lock_words *words)
{
	return words->kind == MUTEX_KIND && words->count == 0 && words->users == 1 &&
	       (words->lock == 1 || words->lock == 2) && words->owner > 0;
}

static bool read_at(const struct lock_memory *m, uint64_t address, void *to, size_t size)
{
	return memory_bytes(&m->reader, address, to, size) == 0;
}

/* Find the slot of a table that contains an address, and the offset in it.  Returns false if no slot does. */
static bool slot_of(uint64_t table, uint16_t size, uint64_t address, int *slot, uint64_t *offset)
{
	if (table == 0 || address < table || address - table >= (uint64_t)size * RUNTIME_STATIC_DOMAINS)
		return false;
	*slot = (int)((address - table) / size);
	*offset = (address - table) % size;
	return true;
}

/* Return the thread that holds a domain's lock, numbered as in the process; 0: none.  *at is the address of
 * the word that names it. */
static int32_t domain_owner(const struct lock_memory *m, int slot, uint64_t *at)
{
	const struct runtime_layout *layout = m->layout;
	int32_t owner = 0;

	if (m->domains == 0)
		return 0;
	*at = m->domains + (uint64_t)slot * layout->element + layout->lock_at + OWNER_AT;
	return read_at(m, *at, &owner, sizeof(owner)) && owner > 0 ? owner : 0;
}

/* Read the mutexes of open channels, once a look. */
static void read_channels(struct lock_memory *m)
{
	uint64_t first = runtime_variable(m->runtime, RUNTIME_CHANNELS), at = 0;

	m->channels_read = true;
	m->channel_count = 0;
	if (first == 0 || !read_at(m, first, &at, sizeof(at)))
		return;
	while (at != 0 && at % 8 == 0 && m->channel_count < LOCK_CHANNELS) {
		unsigned char channel[CHANNEL_BYTES];

		if (!read_at(m, at, channel, sizeof(channel)))
			return;
		m->channels[m->channel_count].mutex = at + CHANNEL_MUTEX_AT;
		memcpy(&m->channels[m->channel_count].fd, channel + CHANNEL_FD_AT, sizeof(int));
		m->channel_count++;
		memcpy(&at, channel + CHANNEL_NEXT_AT, sizeof(at));
	}
}

/* Determine whether a thread waits for the mutex of a channel. */
static void see_channel(struct lock_memory *m, struct lock_thread *thread)
{
	if (!m->channels_read)
		read_channels(m);
	for (size_t i = 0; i < m->channel_count; i++) {
		if (m->channels[i].mutex != thread->lock.address)
			continue;
		thread->lock.kind = LOCK_CHANNEL;
		thread->lock.fd = m->channels[i].fd;
		return;
	}
}

/* Interpret a wait in an element of thread_table: it is for the master lock, whose owner is the one that
 * holds the domain's lock. */
static void see_master(
    const struct lock_memory *m, struct lock_thread *thread, uint64_t offset, int32_t *owner)
{
	unsigned char words[LOCK_MASTER_FREE_AT + sizeof(thread->turns) - MASTER_BUSY_AT];

	thread->lock.kind = LOCK_RUNTIME;
	if (offset < LOCK_MASTER_FREE_AT || offset >= LOCK_MASTER_FREE_END)
		return;
	thread->lock.kind = LOCK_MASTER;
	thread->lock.address = m->masters + (uint64_t)thread->lock.domain * m->layout->thread_element;
	if (!read_at(m, thread->lock.address + MASTER_BUSY_AT, words, sizeof(words)))
		return;
	const bool busy = words[0] != 0;
	/* The first word of a glibc condition counts the waits that have begun, in steps of two. */
	memcpy(&thread->turns, words + (LOCK_MASTER_FREE_AT - MASTER_BUSY_AT), sizeof(thread->turns));
	thread->turns /= 2;
	*owner = domain_owner(m, thread->lock.domain, &thread->owner_at);
	thread->unclaimed = !busy && *owner == 0;
	if (!busy)
		*owner = 0;
}

/* Interpret a wait on a word in the memory of a file: a lock of the runtime, of C code, or of a C library. */
static void see_variable(const struct lock_memory *m, struct lock_thread *thread, const struct range *range)
{
	const uint64_t stop = runtime_variable(m->runtime, RUNTIME_STW_REQUEST);

	if (stop != 0 && thread->lock.address >= stop && thread->lock.address < stop + STOP_BYTES)
		thread->lock.kind = LOCK_BARRIER;
	else
		thread->lock.kind = range->program ? LOCK_RUNTIME : LOCK_LIBC;
}

/* Interpret a wait on a word of allocated memory, with the futex operation of a mutex. */
static void see_words(struct lock_memory *m, struct lock_thread *thread, uint64_t value, int32_t *owner)
{
	struct lock_words words;

	/* In musl, which may be linked into the program, a thread waits on the second word of a mutex, which
	 * contains a thread and this bit.  With glibc the word belongs to something else. */
	m->musl |= !m->glibc && thread->lock.address % 8 == 4 && (value & 0x80000000u) != 0;
	if (thread->lock.address % ARENA_ALIGN == ARENA_LOCK_AT) {
		thread->lock.kind = LOCK_LIBC;
	} else if (read_at(m, thread->lock.address, &words, sizeof(words))) {
		const bool held = lock_words_held(&words);
		uint64_t *known = &m->mutexes[thread->lock.address / MUTEX_BYTES % LOCK_MUTEXES];
		/* A mutex that was just released has no owner until a thread that waits for it runs. */
		const bool free = *known == thread->lock.address && words.kind == MUTEX_KIND &&
				  words.count == 0 && words.users == 0 && words.owner == 0 &&
				  words.lock >= 0 && words.lock <= 2;

		*known = held ? thread->lock.address : *known;
		if (held || free) {
			thread->lock.kind = LOCK_MUTEX;
			thread->owner_at = thread->lock.address + OWNER_AT;
			see_channel(m, thread);
			*owner = words.owner;
		} else if (words.kind == 0 && words.users == 1 && words.owner > 0) {
			thread->lock.kind = LOCK_LIBC;
			*owner = words.owner;
		}
	}
}

void lock_memory_tables(struct lock_memory *m)
{
	if (m->tables_read)
		return;
	m->tables_read = true;
	m->domains = runtime_variable(m->runtime, RUNTIME_ALL_DOMAINS);
	m->masters = runtime_variable(m->runtime, RUNTIME_THREAD_TABLE);
	if (!m->layout->tables_are_pointers)
		return;
	if (m->domains != 0 && !read_at(m, m->domains, &m->domains, sizeof(m->domains)))
		m->domains = 0;
	if (m->masters != 0 && !read_at(m, m->masters, &m->masters, sizeof(m->masters)))
		m->masters = 0;
}

void lock_memory_see(
    struct lock_memory *m, struct lock_thread *thread, const struct status_place *place, int32_t *owner)
{
	const struct runtime_layout *layout = m->layout;
	const struct range *range;
	uint64_t offset;

	lock_memory_tables(m);
	if (slot_of(
		m->masters, layout->thread_element, thread->lock.address, &thread->lock.domain, &offset)) {
		see_master(m, thread, offset, owner);
	} else if (slot_of(
		       m->domains, layout->element, thread->lock.address, &thread->lock.domain, &offset)) {
		thread->lock.kind = LOCK_RUNTIME;
		if (offset >= layout->lock_at && offset < layout->lock_at + (uint64_t)MUTEX_BYTES)
			*owner = domain_owner(m, thread->lock.domain, &thread->owner_at);
	} else if ((place->arguments[1] & (uint32_t)FUTEX_CMD_MASK) != FUTEX_WAIT) {
		/* A condition of glibc has two words that are waited on: which one tells nothing. */
		thread->lock.kind = LOCK_CONDITION;
		thread->lock.address &= ~UINT64_C(7);
	} else if ((range = range_of(m, thread->lock.address)) != NULL) {
		see_variable(m, thread, range);
	} else {
		see_words(m, thread, place->arguments[2], owner);
	}
}

bool lock_memory_waiters(const struct lock_memory *m, uint64_t master, uint64_t *out)
{
	return read_at(m, master + MASTER_WAITERS_AT, out, sizeof(*out));
}

unsigned lock_memory_ticks(
    struct lock_memory *m, uint64_t ticks[LOCK_DOMAINS], uint64_t shared[LOCK_DOMAINS / LOCK_WORD_BITS])
{
	const size_t size = m->layout->thread_element;
	unsigned char table[LOCK_DOMAINS * MASTER_BYTES_MAX];
	size_t count = LOCK_DOMAINS;
	unsigned found = 0;

	lock_memory_tables(m);
	memset(shared, 0, LOCK_DOMAINS / LOCK_WORD_BITS * sizeof(*shared));
	if (m->masters == 0)
		return 0;
	/* With fewer domains the table is shorter: halve the read until it succeeds. */
	if (size > MASTER_BYTES_MAX || size < MASTER_TICK_AT + 8)
		count = 0;
	while (count > 0 && !read_at(m, m->masters, table, count * size))
		count /= 2;
	for (size_t i = 0; i < LOCK_DOMAINS; i++) {
		uint64_t tick = 0;

		if (i < count)
			memcpy(&tick, table + i * size + MASTER_TICK_AT, sizeof(tick));
		if (tick != 0)
			ticks[found++] = tick;
		if (tick != 0 || i >= count)
			shared[i / LOCK_WORD_BITS] |= UINT64_C(1) << i % LOCK_WORD_BITS;
	}
	return found;
}

const char *lock_memory_libc(struct lock_memory *m)
{
	enum { PAGE = 4096, KEEP = 64 };
	static const char before[] = " release version ";
	char bytes[KEEP + PAGE] = {0};

	for (uint64_t at = m->libc_start, n = 0; !m->libc_read && at < m->libc_end && n < LIBC_PAGES;
	     at += PAGE, n++) {
		memmove(bytes, bytes + PAGE, KEEP);
		if (!read_at(m, at, bytes + KEEP, PAGE))
			memset(bytes + KEEP, 0, PAGE);
		const char *found = memmem(bytes, sizeof(bytes), before, sizeof(before) - 1);
		const char *digits = found != NULL ? found + sizeof(before) - 1 : NULL;
		/* Digits that the end of the page may cut off are found again with the next page. */
		if (digits == NULL || (size_t)(bytes + sizeof(bytes) - digits) < LOCK_LIBC)
			continue;
		size_t len = strspn(digits, "0123456789.");
		len -= len > 0 && digits[len - 1] == '.';
		if (len > 0 && len < LOCK_LIBC)
			memcpy(m->libc, digits, len);
		break;
	}
	m->libc_read = true;
	return m->libc;
}
