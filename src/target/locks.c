/*
 * locks.c - see locks.h.
 */
#include "target/locks.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/maps.h"
#include "target/processes.h"
#include "target/status.h"

#define LIST_NS 1000000000u /* between two listings of the threads, if none is missing */
#define OFTEN_NS 500000000u /* between two looks: the files of threads stay open until the next one */

/* Places in an element of thread_table, in 5.0 to 5.5. */
enum {
	MASTER_BUSY_AT = 56, /* a byte from 5.4 on */
	MASTER_WAITERS_AT = 64,
	MASTER_TICK_AT = 128, /* pthread_t of who has threads take turns */
	MASTER_BYTES_MAX = 144,
	MUTEX_BYTES = 40,
	MUTEX_KIND = 2, /* error checking, as all of OCaml's */
	OWNER_AT = 8
};

/* struct channel, in 5.0 to 5.5. */
enum {
	CHANNEL_FD_AT = 0,
	CHANNEL_MUTEX_AT = 40,
	CHANNEL_NEXT_AT = 80,
	CHANNEL_BYTES = 88,
	CHANNELS_MAX = 256
};

enum {
	FILES = 64,   /* that stay open, at most */
	MUTEXES = 64, /* that were seen with an owner, of which it is known */
	LIBC_PAGES = 2048,
	RANGES_MAX = 2048,
	STOP_BYTES = 128, /* of stw_request: its barriers */
	TICK_STACK = 1 << 16,
	ARENA_ALIGN = 64 << 20,
	ARENA_LOCK_AT = 0x30
};

/* Memory of files, and what follows it without one: variables of the program and of libraries. */
struct range {
	uint64_t start, end;
	bool program;
};

struct locks {
	struct proc proc;
	struct runtime *runtime;
	const struct runtime_layout *layout;
	struct memory_reader memory;
	struct range ranges[RANGES_MAX];
	size_t range_count;
	char program[PROC_PATH_SIZE];
	bool musl, glibc;
	uint64_t libc_start, libc_end; /* where the file of glibc is mapped */
	bool libc_read;
	char libc[LOCK_LIBC];
	int32_t pid_inside;		 /* the pid of the process in its own namespace */
	uint64_t domains, masters;	 /* the tables, at this look; 0: not known */
	bool channels_read, tables_read; /* at this look */
	struct {
		uint64_t mutex;
		int fd;
	} channels[CHANNELS_MAX];
	size_t channel_count;
	/* By tid: what the kernel says of a thread.  Opening it is four tenths of the cost of a look. */
	struct {
		int32_t tid; /* 0: none is open */
		int fd;
	} files[FILES];
	uint64_t looked_ts;
	bool often;
	uint64_t mutexes[MUTEXES];	/* by address */
	struct lock_thread *now, *last; /* LOCKS_THREADS_MAX each */
	size_t count, last_count;
	int32_t *tids; /* of the latest listing */
	size_t listed;
	uint64_t listed_ts; /* 0: it lacks a thread */
	/* pthread_t, which is where the control block is, of threads that have those of a domain take turns. */
	uint64_t ticks[LOCK_DOMAINS];
	unsigned tick_count;
	uint64_t
	    shared[LOCK_DOMAINS / LOCK_WORD_BITS]; /* domains that have one; of which it is not known, too */
	int32_t *inside; /* of each of `now`: its tid in the namespace of the process */
	int32_t *owner;	 /* who has what it waits for, numbered in that namespace; 0: nobody, or not known */
	unsigned *walk;	 /* of find_cycles: the walk that came to it first; 0: none */
};

const char *lock_kind_name(enum lock_kind kind)
{
	static const char *const names[] = {LOCK_KINDS(LIST_TEXT)};

	return names[kind];
}

/* ---- where variables are ---- */

static bool see_map(void *ctx, const struct map *map)
{
	struct locks *locks = ctx;
	struct range *last = locks->range_count > 0 ? &locks->ranges[locks->range_count - 1] : NULL;
	const char *name = strrchr(map->path, '/');

	locks->musl |= name != NULL && strncmp(name, "/ld-musl-", 9) == 0;
	if (name != NULL && strcmp(name, "/libc.so.6") == 0) {
		locks->libc_start = locks->glibc ? locks->libc_start : map->start;
		locks->libc_end = map->end;
		locks->glibc = true;
	}
	if (map->inode == 0) {
		/* What a file has beyond its bytes. */
		if (map->path[0] == '\0' && last != NULL && last->end == map->start && map->perms[1] == 'w')
			last->end = map->end;
		return true;
	}
	const bool program = strcmp(map->path, locks->program) == 0;
	if (last != NULL && last->end == map->start && last->program == program) {
		last->end = map->end;
		return true;
	}
	if (locks->range_count == RANGES_MAX)
		return false;
	locks->ranges[locks->range_count++] =
	    (struct range){.start = map->start, .end = map->end, .program = program};
	return true;
}

/* Return the range that has an address; NULL: none. */
static const struct range *range_of(const struct locks *locks, uint64_t address)
{
	for (size_t i = 0; i < locks->range_count; i++)
		if (address >= locks->ranges[i].start && address < locks->ranges[i].end)
			return &locks->ranges[i];
	return NULL;
}

struct locks *locks_create(struct runtime *runtime, const char *proc_root, pid_t pid, const char **why)
{
	struct locks *locks = calloc(1, sizeof(*locks));
	struct effort effort = effort_for_look();
	struct status_ids ids;
	int error = ENOMEM;

	if (locks == NULL)
		goto fail;
	locks->proc.dir = -1;
	locks->runtime = runtime;
	locks->layout = runtime_layout(runtime);
	locks->memory = runtime_memory_unchecked(runtime);
	locks->now = calloc(LOCKS_THREADS_MAX, sizeof(*locks->now));
	locks->last = calloc(LOCKS_THREADS_MAX, sizeof(*locks->last));
	locks->inside = calloc(LOCKS_THREADS_MAX, sizeof(*locks->inside));
	locks->owner = calloc(LOCKS_THREADS_MAX, sizeof(*locks->owner));
	locks->walk = calloc(LOCKS_THREADS_MAX, sizeof(*locks->walk));
	if (locks->now == NULL || locks->last == NULL || locks->inside == NULL || locks->owner == NULL ||
	    locks->walk == NULL)
		goto fail;
	error = proc_open(&locks->proc, proc_root, pid);
	if (error != 0)
		goto fail;
	if (proc_program(&locks->proc, locks->program) != 0)
		locks->program[0] = '\0';
	status_read_ids(&locks->proc, &ids);
	locks->pid_inside = ids.ns_pid;
	error = maps_walk(&locks->proc, &effort, see_map, locks);
	if (error != 0)
		goto fail;
	if (!locks->musl)
		return locks;
	*why = LOCKS_MUSL;
	locks_destroy(locks);
	return NULL;
fail:
	*why = variables_why(error);
	locks_destroy(locks);
	return NULL;
}

static void close_file(struct locks *locks, size_t i)
{
	if (locks->files[i].tid != 0)
		close(locks->files[i].fd);
	locks->files[i].tid = 0;
}

void locks_destroy(struct locks *locks)
{
	if (locks == NULL)
		return;
	for (size_t i = 0; i < FILES; i++)
		close_file(locks, i);
	proc_close(&locks->proc);
	free(locks->now);
	free(locks->last);
	free(locks->inside);
	free(locks->owner);
	free(locks->walk);
	free(locks->tids);
	free(locks);
}

/* ---- one thread ---- */

bool lock_words_held(const struct lock_words *words)
{
	return words->kind == MUTEX_KIND && words->count == 0 && words->users == 1 &&
	       (words->lock == 1 || words->lock == 2) && words->owner > 0;
}

/* Read where a thread is.  0, or an errno value; EAGAIN: it makes no sense. */
static int read_place(struct locks *locks, int32_t tid, struct status_place *out)
{
	const size_t i = (uint32_t)tid % FILES;
	char name[64], text[256];

	if (locks->files[i].tid != tid) {
		close_file(locks, i);
		snprintf(name, sizeof(name), "task/%d/syscall", tid);
		locks->files[i].fd = proc_descriptor(&locks->proc, name);
		if (locks->files[i].fd < 0)
			return errno;
		locks->files[i].tid = tid;
	}
	const ssize_t len = pread(locks->files[i].fd, text, sizeof(text) - 1, 0);
	const int error = errno;
	if (len <= 0 || !locks->often)
		close_file(locks, i);
	text[len > 0 ? len : 0] = '\0';
	return len < 0 ? error : status_parse_place(text, out) ? 0 : EAGAIN;
}

static bool read_at(const struct locks *locks, uint64_t address, void *to, size_t size)
{
	return memory_bytes(&locks->memory, address, to, size) == 0;
}

/* The slot of a table that has an address, and the offset in it.  False if it is in no slot. */
static bool slot_of(uint64_t table, uint16_t size, uint64_t address, int *slot, uint64_t *offset)
{
	if (table == 0 || address < table || address - table >= (uint64_t)size * RUNTIME_STATIC_DOMAINS)
		return false;
	*slot = (int)((address - table) / size);
	*offset = (address - table) % size;
	return true;
}

/* The thread that runs a domain, by its lock, as the process numbers it; 0: none.  *at: of the word that says it. */
static int32_t domain_owner(const struct locks *locks, int slot, uint64_t *at)
{
	const struct runtime_layout *layout = locks->layout;
	int32_t owner = 0;

	if (locks->domains == 0)
		return 0;
	*at = locks->domains + (uint64_t)slot * layout->element + layout->lock_at + OWNER_AT;
	return read_at(locks, *at, &owner, sizeof(owner)) && owner > 0 ? owner : 0;
}

/* Read the mutexes of open channels, once a look. */
static void read_channels(struct locks *locks)
{
	uint64_t first = runtime_variable(locks->runtime, RUNTIME_CHANNELS), at = 0;

	locks->channels_read = true;
	locks->channel_count = 0;
	if (first == 0 || !read_at(locks, first, &at, sizeof(at)))
		return;
	while (at != 0 && at % 8 == 0 && locks->channel_count < CHANNELS_MAX) {
		unsigned char channel[CHANNEL_BYTES];

		if (!read_at(locks, at, channel, sizeof(channel)))
			return;
		locks->channels[locks->channel_count].mutex = at + CHANNEL_MUTEX_AT;
		memcpy(&locks->channels[locks->channel_count].fd, channel + CHANNEL_FD_AT, sizeof(int));
		locks->channel_count++;
		memcpy(&at, channel + CHANNEL_NEXT_AT, sizeof(at));
	}
}

/* Say whether the mutex of a wait is that of a channel. */
static void see_channel(struct locks *locks, struct lock_thread *thread)
{
	if (!locks->channels_read)
		read_channels(locks);
	for (size_t i = 0; i < locks->channel_count; i++) {
		if (locks->channels[i].mutex != thread->lock.address)
			continue;
		thread->lock.kind = LOCK_CHANNEL;
		thread->lock.fd = locks->channels[i].fd;
		return;
	}
}

/* A wait in an element of thread_table: for the master lock, whose owner has the domain's. */
static void see_master(const struct locks *locks, struct lock_thread *thread, uint64_t offset, int32_t *owner)
{
	unsigned char words[LOCK_MASTER_FREE_AT + sizeof(thread->turns) - MASTER_BUSY_AT];

	thread->lock.kind = LOCK_RUNTIME;
	if (offset < LOCK_MASTER_FREE_AT || offset >= LOCK_MASTER_FREE_END)
		return;
	thread->lock.kind = LOCK_MASTER;
	thread->lock.address = locks->masters + (uint64_t)thread->lock.domain * locks->layout->thread_element;
	if (!read_at(locks, thread->lock.address + MASTER_BUSY_AT, words, sizeof(words)))
		return;
	const bool busy = words[0] != 0;
	/* The first word of a condition of glibc counts those that have begun to wait in it, twice. */
	memcpy(&thread->turns, words + (LOCK_MASTER_FREE_AT - MASTER_BUSY_AT), sizeof(thread->turns));
	thread->turns /= 2;
	*owner = domain_owner(locks, thread->lock.domain, &thread->owner_at);
	thread->unclaimed = !busy && *owner == 0;
	if (!busy)
		*owner = 0;
}

/* A wait on a word of a file's memory: of the runtime or of a C library. */
static void see_variable(const struct locks *locks, struct lock_thread *thread, const struct range *range)
{
	const uint64_t stop = runtime_variable(locks->runtime, RUNTIME_STW_REQUEST);

	if (stop != 0 && thread->lock.address >= stop && thread->lock.address < stop + STOP_BYTES)
		thread->lock.kind = LOCK_BARRIER;
	else
		thread->lock.kind = range->program ? LOCK_RUNTIME : LOCK_LIBC;
}

/* A wait on a word of allocated memory, with the operation of a mutex. */
static void see_words(struct locks *locks, struct lock_thread *thread, uint64_t value, int32_t *owner)
{
	struct lock_words words;

	/* musl, which may be part of the program: a mutex is waited for by its second word, which has a thread and this bit.
	 * Beside glibc it is a word of somebody else. */
	locks->musl |= !locks->glibc && thread->lock.address % 8 == 4 && (value & 0x80000000u) != 0;
	if (thread->lock.address % ARENA_ALIGN == ARENA_LOCK_AT) {
		thread->lock.kind = LOCK_LIBC;
	} else if (read_at(locks, thread->lock.address, &words, sizeof(words))) {
		const bool held = lock_words_held(&words);
		uint64_t *known = &locks->mutexes[thread->lock.address / MUTEX_BYTES % MUTEXES];
		/* One that was just given up has no owner until a thread that sleeps for it gets a processor. */
		const bool free = *known == thread->lock.address && words.kind == MUTEX_KIND &&
				  words.count == 0 && words.users == 0 && words.owner == 0 &&
				  words.lock >= 0 && words.lock <= 2;

		*known = held ? thread->lock.address : *known;
		if (held || free) {
			thread->lock.kind = LOCK_MUTEX;
			thread->owner_at = thread->lock.address + OWNER_AT;
			see_channel(locks, thread);
			*owner = words.owner;
		} else if (words.kind == 0 && words.users == 1 && words.owner > 0) {
			thread->lock.kind = LOCK_LIBC;
			*owner = words.owner;
		}
	}
}

/* Read where the tables are, once a look, as pointers may change: nobody needs to know while nobody waits. */
static void read_tables(struct locks *locks)
{
	if (locks->tables_read)
		return;
	locks->tables_read = true;
	locks->domains = runtime_variable(locks->runtime, RUNTIME_ALL_DOMAINS);
	locks->masters = runtime_variable(locks->runtime, RUNTIME_THREAD_TABLE);
	if (!locks->layout->tables_are_pointers)
		return;
	if (locks->domains != 0 && !read_at(locks, locks->domains, &locks->domains, sizeof(locks->domains)))
		locks->domains = 0;
	if (locks->masters != 0 && !read_at(locks, locks->masters, &locks->masters, sizeof(locks->masters)))
		locks->masters = 0;
}

/* See which lock a thread waits for that sleeps in a futex; *owner: who has it, as the process numbers threads. */
static void see_futex(
    struct locks *locks, struct lock_thread *thread, const struct status_place *place, int32_t *owner)
{
	const struct runtime_layout *layout = locks->layout;
	const struct range *range;
	uint64_t offset;

	read_tables(locks);
	if (slot_of(locks->masters, layout->thread_element, thread->lock.address, &thread->lock.domain,
		&offset)) {
		see_master(locks, thread, offset, owner);
	} else if (slot_of(locks->domains, layout->element, thread->lock.address, &thread->lock.domain,
		       &offset)) {
		thread->lock.kind = LOCK_RUNTIME;
		if (offset >= layout->lock_at && offset < layout->lock_at + (uint64_t)MUTEX_BYTES)
			*owner = domain_owner(locks, thread->lock.domain, &thread->owner_at);
	} else if ((range = range_of(locks, thread->lock.address)) != NULL) {
		see_variable(locks, thread, range);
	} else if ((place->arguments[1] & (uint32_t)FUTEX_CMD_MASK) == FUTEX_WAIT) {
		see_words(locks, thread, place->arguments[2], owner);
	} else {
		thread->lock.kind = LOCK_CONDITION;
		thread->lock.address &= ~UINT64_C(7);
	}
}

/* Look at a thread; *owner as see_futex.  0, or an errno value. */
static int see_thread(struct locks *locks, struct lock_thread *thread, int32_t *owner)
{
	struct status_place place, after;
	struct lock_thread again;
	int32_t then = 0;

	*owner = 0;
	int error = read_place(locks, thread->tid, &place);
	if (error != 0)
		return error;
	if (place.running) {
		thread->doing = LOCK_RUNS;
		return 0;
	}
	thread->doing = LOCK_IN_CALL;
	thread->call = place.number;
	/* The control block of a thread lies at the top of its stack. */
	for (unsigned i = 0; i < locks->tick_count; i++)
		thread->tick |= place.number >= 0 && place.sp != 0 && locks->ticks[i] - place.sp < TICK_STACK;
	const uint64_t operation = place.arguments[1] & (uint32_t)FUTEX_CMD_MASK;
	if (place.number != SYS_futex || (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET))
		return 0;
	thread->lock.address = place.arguments[0];
	again = *thread;
	see_futex(locks, thread, &place, owner);
	if (thread->lock.kind != LOCK_NONE && *owner == 0 && !thread->unclaimed) {
		/* Nobody has it who could be wrong. */
		thread->doing = LOCK_WAITS;
		return 0;
	}
	see_futex(locks, &again, &place, &then);
	/* What changed meanwhile was no wait for what was seen. */
	if (thread->lock.kind != LOCK_NONE && thread->lock.kind == again.lock.kind && *owner == then &&
	    read_place(locks, thread->tid, &after) == 0 && memcmp(&place, &after, sizeof(after)) == 0) {
		thread->doing = LOCK_WAITS;
		return 0;
	}
	thread->lock.kind = LOCK_NONE;
	*owner = 0;
	return 0;
}

/* ---- all threads ---- */

/* The tid of the next thread of a look in the namespace of its process. */
static int32_t tid_inside(const struct locks *locks, int32_t tid)
{
	const size_t i = locks->count;
	struct status_ids ids;

	if (locks->pid_inside == 0 || locks->pid_inside == locks->proc.pid)
		return tid;
	if (i < locks->last_count && locks->last[i].tid == tid)
		return locks->inside[i];
	return status_read_thread(&locks->proc, tid, &ids) == 0 && ids.ns_pid > 0 ? ids.ns_pid : tid;
}

static int index_of(const struct locks *locks, int32_t inside)
{
	for (size_t i = 0; i < locks->count; i++)
		if (locks->inside[i] == inside)
			return (int)i;
	return -1;
}

/* The last look at a thread, if it waited so then, too; NULL: it did not. */
static const struct lock_thread *waited_before(const struct locks *locks, const struct lock_thread *thread)
{
	const struct lock_thread *then = lock_thread_of(locks->last, locks->last_count, thread->tid);

	return then != NULL && then->doing == LOCK_WAITS && lock_same(&then->lock, &thread->lock) &&
		       then->owner == thread->owner && then->dead == thread->dead &&
		       then->unclaimed == thread->unclaimed
		   ? then
		   : NULL;
}

/* Whether a wait can be part of a circle: the owner of a master lock gives it up before it sleeps. */
static bool is_link(const struct lock_thread *thread)
{
	return thread->doing == LOCK_WAITS && thread->next >= 0 &&
	       (thread->lock.kind == LOCK_MUTEX || thread->lock.kind == LOCK_CHANNEL ||
		   thread->lock.kind == LOCK_LIBC);
}

/* Number the circles of threads that each waited so at the last look, too. */
static unsigned find_cycles(struct locks *locks, uint64_t now)
{
	struct lock_thread *threads = locks->now;
	unsigned cycles = 0;

	memset(locks->walk, 0, locks->count * sizeof(*locks->walk));
	for (size_t i = 0; i < locks->count; i++) {
		size_t at = i;

		while (locks->walk[at] == 0 && is_link(&threads[at]) && threads[at].since < now) {
			locks->walk[at] = (unsigned)i + 1;
			at = (size_t)threads[at].next;
		}
		if (locks->walk[at] != i + 1)
			continue;
		cycles++;
		for (; threads[at].cycle == 0; at = (size_t)threads[at].next)
			threads[at].cycle = cycles;
	}
	return cycles;
}

/* Find who has threads of domains take turns. */
static void find_ticks(struct locks *locks)
{
	const size_t size = locks->layout->thread_element;
	unsigned char table[LOCK_DOMAINS * MASTER_BYTES_MAX];
	size_t count = LOCK_DOMAINS;

	read_tables(locks);
	locks->tick_count = 0;
	memset(locks->shared, 0, sizeof(locks->shared));
	if (locks->masters == 0)
		return;
	/* There may be fewer domains. */
	if (size > MASTER_BYTES_MAX || size < MASTER_TICK_AT + 8)
		count = 0;
	while (count > 0 && !read_at(locks, locks->masters, table, count * size))
		count /= 2;
	for (size_t i = 0; i < LOCK_DOMAINS; i++) {
		uint64_t tick = 0;

		if (i < count)
			memcpy(&tick, table + i * size + MASTER_TICK_AT, sizeof(tick));
		if (tick != 0)
			locks->ticks[locks->tick_count++] = tick;
		if (tick != 0 || i >= count)
			locks->shared[i / LOCK_WORD_BITS] |= UINT64_C(1) << i % LOCK_WORD_BITS;
	}
}

/* List the threads, if that is due.  0, or an errno value. */
static int list_threads(struct locks *locks, uint64_t now)
{
	if (locks->listed_ts != 0 && now - locks->listed_ts < LIST_NS)
		return 0;
	free(locks->tids);
	locks->tids = NULL;
	locks->listed = 0;
	locks->listed_ts = now;
	find_ticks(locks);
	return process_threads(&locks->proc, &locks->tids, &locks->listed);
}

/* Look at each thread for itself.  0, or the errno value of the first that can't be seen if none can. */
static int see_threads(struct locks *locks)
{
	int refused = 0;

	locks->count = 0;
	for (size_t i = 0; i < locks->listed && locks->count < LOCKS_THREADS_MAX; i++) {
		struct lock_thread *thread = &locks->now[locks->count];

		*thread =
		    (struct lock_thread){.tid = locks->tids[i], .lock = {.domain = -1, .fd = -1}, .next = -1};
		int error = see_thread(locks, thread, &locks->owner[locks->count]);
		if (error == ESRCH || error == ENOENT)
			continue;
		if (error != 0) {
			thread->doing = LOCK_UNSEEN;
			refused = refused == 0 ? error : refused;
		}
		locks->inside[locks->count] = tid_inside(locks, thread->tid);
		locks->count++;
	}
	for (size_t i = 0; i < locks->count; i++)
		if (locks->now[i].doing != LOCK_UNSEEN)
			return 0;
	return refused;
}

/* Find who has what each thread waits for, and since when it waits. */
static void connect(struct locks *locks, uint64_t now)
{
	for (size_t i = 0; i < locks->count; i++) {
		struct lock_thread *thread = &locks->now[i];

		if (thread->doing != LOCK_WAITS)
			continue;
		if (locks->owner[i] != 0) {
			thread->next = index_of(locks, locks->owner[i]);
			thread->dead = thread->next < 0;
			locks->listed_ts = thread->dead ? 0 : locks->listed_ts;
			thread->owner = thread->next >= 0 ? locks->now[thread->next].tid : 0;
		}
		/* Who has what it waits for itself has just got it. */
		if (thread->next == (int)i) {
			thread->doing = LOCK_IN_CALL;
			thread->lock.kind = LOCK_NONE;
			thread->next = -1;
			thread->owner = 0;
			continue;
		}
		const struct lock_thread *then = waited_before(locks, thread);
		thread->since = then != NULL ? then->since : now;
	}
}

/* Of master locks that nobody has, tell apart those whose waiters all sleep: the others were woken, and wait for a processor. */
static void see_unclaimed(struct locks *locks)
{
	for (size_t i = 0; i < locks->count; i++) {
		struct lock_thread *thread = &locks->now[i];
		uint64_t waiters = 0, sleepers = 0;

		if (thread->lock.kind != LOCK_MASTER || !thread->unclaimed)
			continue;
		for (size_t k = 0; k < locks->count; k++)
			sleepers += locks->now[k].lock.kind == LOCK_MASTER &&
				    locks->now[k].lock.address == thread->lock.address;
		thread->unclaimed =
		    read_at(locks, thread->lock.address + MASTER_WAITERS_AT, &waiters, sizeof(waiters)) &&
		    waiters == sleepers;
	}
}

/* Read which release of glibc the process has, from the sentence that the library says of itself. */
static void read_libc(struct locks *locks)
{
	enum { PAGE = 4096, KEEP = 64 };
	static const char before[] = " release version ";
	char bytes[KEEP + PAGE] = {0};

	locks->libc_read = true;
	for (uint64_t at = locks->libc_start, n = 0; at < locks->libc_end && n < LIBC_PAGES;
	     at += PAGE, n++) {
		memmove(bytes, bytes + PAGE, KEEP);
		if (!read_at(locks, at, bytes + KEEP, PAGE))
			memset(bytes + KEEP, 0, PAGE);
		const char *found = memmem(bytes, sizeof(bytes), before, sizeof(before) - 1);
		const char *digits = found != NULL ? found + sizeof(before) - 1 : NULL;
		/* At the end of the page the rest comes with the next one. */
		if (digits == NULL || (size_t)(bytes + sizeof(bytes) - digits) < LOCK_LIBC)
			continue;
		size_t len = strspn(digits, "0123456789.");
		len -= len > 0 && digits[len - 1] == '.';
		if (len > 0 && len < LOCK_LIBC)
			memcpy(locks->libc, digits, len);
		return;
	}
}

int locks_look(struct locks *locks, uint64_t now, struct locks_look *out)
{
	struct lock_thread *last = locks->now;

	*out = (struct locks_look){.ts = now};
	/* The files of a tree that tests make are replaced. */
	locks->often = locks->proc.real && now - locks->looked_ts < OFTEN_NS;
	locks->looked_ts = now;
	locks->now = locks->last;
	locks->last = last;
	locks->last_count = locks->count;
	locks->count = 0;
	locks->channels_read = locks->tables_read = false;
	int error = list_threads(locks, now);
	if (error != 0)
		return error;
	error = see_threads(locks);
	if (error == 0 && locks->musl)
		error = ENOSYS;
	if (error != 0)
		return error;
	see_unclaimed(locks);
	connect(locks, now);
	out->partial = locks->listed > LOCKS_THREADS_MAX;
	for (size_t i = 0; i < locks->count && !locks->libc_read; i++)
		if (locks->now[i].unclaimed)
			read_libc(locks);
	memcpy(out->libc, locks->libc, sizeof(out->libc));
	/* Threads that are not looked at can have locks. */
	for (size_t i = 0; out->partial && i < locks->count; i++)
		locks->now[i].dead = false;
	out->threads = locks->now;
	out->count = locks->count;
	memcpy(out->shared, locks->shared, sizeof(out->shared));
	out->cycles = find_cycles(locks, now);
	return 0;
}

const struct lock_thread *locks_wait(
    const struct locks_look *before, const struct locks_look *after, int32_t tid)
{
	const struct lock_thread *at = lock_thread_of(before->threads, before->count, tid),
				 *now = lock_thread_of(after->threads, after->count, tid);
	const bool waits = at != NULL && now != NULL && at->doing == LOCK_WAITS && now->doing == LOCK_WAITS;

	return waits && lock_same(&at->lock, &now->lock) ? now : NULL;
}
