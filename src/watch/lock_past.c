/*
 * lock_past.c - see lock_past.h.
 */
#include "watch/lock_past.h"

#include <sys/syscall.h>

#define SERVER_NS UINT64_C(60000000000) /* for which it is remembered what a thread was seen to do */
enum { SERVERS = 256 };

/* A lock at a look. */
struct lock_seen {
	enum lock_kind kind;
	uint64_t address;
	int domain, fd;
	unsigned waiters;
	int32_t owner; /* 0: not known */
	enum lock_doing owner_does;
	int call;
};

struct look {
	uint64_t ts;
	unsigned count, threads;
	struct lock_seen locks[LOCK_ROWS];
};

/* A thread that was seen in a blocking system call, or at a master lock. */
struct server {
	int32_t tid;
	uint64_t ts, master; /* when it was seen last, and the lock */
	unsigned waits, calls;
};

struct lock_past {
	struct look looks[LOCK_PAST_LOOKS]; /* a ring */
	uint64_t added;
	struct lock_stuck circle, dead, unclaimed;
	struct server servers[SERVERS]; /* by tid */
};

struct lock_past *lock_past_create(void)
{
	return calloc(1, sizeof(struct lock_past));
}

void lock_past_destroy(struct lock_past *past)
{
	free(past);
}

void lock_past_break(struct lock_past *past)
{
	memset(past, 0, sizeof(*past));
}

/* Whether a system call waits for what others send, or for a time. */
static bool is_serving(int call)
{
	static const int calls[] = {
	    SYS_ppoll,
	    SYS_epoll_pwait,
	    SYS_nanosleep,
	    SYS_clock_nanosleep,
	    SYS_pselect6,
	    SYS_read,
	    SYS_recvfrom,
	    SYS_recvmsg,
	    SYS_accept,
	    SYS_accept4,
	    SYS_io_uring_enter,
#ifdef SYS_poll
	    SYS_poll,
	    SYS_select,
	    SYS_epoll_wait,
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (call == calls[i])
			return true;
	return false;
}

/* Keep how often a thread serves others, and waits for a master lock. */
static void note_server(struct lock_past *past, const struct lock_thread *thread, uint64_t ts)
{
	const bool calls = thread->doing == LOCK_IN_CALL && is_serving(thread->call);
	const bool waits = thread->doing == LOCK_WAITS && thread->kind == LOCK_MASTER;
	struct server *server = &past->servers[(uint32_t)thread->tid % SERVERS];

	if (!calls && !waits)
		return;
	if (server->tid != thread->tid || ts - server->ts > SERVER_NS)
		*server = (struct server){.tid = thread->tid};
	server->ts = ts;
	server->calls += calls;
	server->waits += waits;
	if (waits)
		server->master = thread->address;
}

/* Find or make the lock that a thread waits for.  NULL: there are too many. */
static struct lock_seen *seen_of(struct look *look, const struct lock_thread *thread)
{
	for (unsigned i = 0; i < look->count; i++)
		if (look->locks[i].address == thread->address && look->locks[i].kind == thread->kind)
			return &look->locks[i];
	if (look->count == LOCK_ROWS)
		return NULL;
	struct lock_seen *made = &look->locks[look->count++];
	*made = (struct lock_seen){.kind = thread->kind,
	    .address = thread->address,
	    .domain = thread->domain,
	    .fd = thread->fd,
	    .owner_does = LOCK_UNSEEN,
	    .call = -1};
	return made;
}

/* Whether a lock is one that the program can do something about. */
static bool is_counted(const struct lock_thread *thread)
{
	return thread->doing == LOCK_WAITS &&
	       (thread->kind == LOCK_MUTEX || thread->kind == LOCK_CHANNEL || thread->kind == LOCK_MASTER);
}

static void count_wait(struct look *into, const struct locks_look *look, const struct lock_thread *thread)
{
	struct lock_seen *seen = seen_of(into, thread);

	if (seen == NULL)
		return;
	seen->waiters++;
	if (thread->next < 0)
		return;
	const struct lock_thread *owner = &look->threads[thread->next];
	seen->owner = owner->tid;
	seen->owner_does = owner->doing;
	seen->call = owner->doing == LOCK_IN_CALL ? owner->call : -1;
}

/* Begin what is stuck at a look, or go on with what was so before; *since of `was`. */
static void stick(struct lock_stuck *stuck, const struct lock_thread *thread, uint64_t since)
{
	if (stuck->since == 0)
		*stuck = (struct lock_stuck){.since = since,
		    .kind = thread->kind,
		    .address = thread->address,
		    .domain = thread->domain,
		    .fd = thread->fd};
	if (since > stuck->since)
		stuck->since = since;
	if (stuck->count < LOCK_CIRCLE)
		stuck->tids[stuck->count] = thread->tid;
	stuck->count++;
}

/* Find the first circle, from a thread of it on. */
static void see_circle(struct lock_past *past, const struct locks_look *look)
{
	size_t first = 0;

	past->circle = (struct lock_stuck){0};
	while (first < look->count && look->threads[first].cycle == 0)
		first++;
	size_t at = first;
	while (at < look->count && (at != first || past->circle.count == 0)) {
		stick(&past->circle, &look->threads[at], look->threads[at].since);
		at = (size_t)look->threads[at].next;
	}
}

/* Find who waits behind an owner that has gone, and who at a master lock that nobody takes. */
static void see_stuck(struct lock_past *past, const struct locks_look *look)
{
	const struct lock_stuck was = past->unclaimed;

	see_circle(past, look);
	past->dead = (struct lock_stuck){0};
	past->unclaimed = (struct lock_stuck){0};
	for (size_t i = 0; i < look->count; i++) {
		const struct lock_thread *thread = &look->threads[i];

		if (is_counted(thread) && thread->dead && thread->kind != LOCK_MASTER &&
		    (past->dead.since == 0 || past->dead.address == thread->address))
			stick(&past->dead, thread, thread->since);
		if (thread->doing == LOCK_WAITS && thread->unclaimed &&
		    (past->unclaimed.since == 0 || past->unclaimed.address == thread->address))
			stick(&past->unclaimed, thread, thread->since);
	}
	/* It was so at each look since then. */
	if (past->unclaimed.since != 0 && was.since != 0 && was.address == past->unclaimed.address)
		past->unclaimed.since = was.since;
	else if (past->unclaimed.since != 0)
		past->unclaimed.since = look->ts;
}

bool lock_past_add(struct lock_past *past, const struct locks_look *look)
{
	struct look *into = &past->looks[past->added++ % LOCK_PAST_LOOKS];

	*into = (struct look){.ts = look->ts, .threads = (unsigned)look->count};
	for (size_t i = 0; i < look->count; i++) {
		note_server(past, &look->threads[i], look->ts);
		if (is_counted(&look->threads[i]))
			count_wait(into, look, &look->threads[i]);
	}
	see_stuck(past, look);
	return into->count > 0;
}

/* Add a lock of a look to the rows. */
static void add_row(struct lock_window *out, const struct lock_seen *seen)
{
	unsigned i = 0;

	while (i < out->count && (out->rows[i].address != seen->address || out->rows[i].kind != seen->kind))
		i++;
	if (i == LOCK_ROWS)
		return;
	if (i == out->count) {
		out->rows[out->count++] = (struct lock_row){.kind = seen->kind,
		    .address = seen->address,
		    .domain = seen->domain,
		    .fd = seen->fd,
		    .call = -1};
	}
	struct lock_row *row = &out->rows[i];
	row->looks++;
	row->waits += seen->waiters;
	row->most = seen->waiters > row->most ? seen->waiters : row->most;
	if (seen->owner != 0)
		row->owner = seen->owner;
	if (seen->call >= 0)
		row->call = seen->call;
	row->owner_ran += seen->owner != 0 && seen->owner_does == LOCK_RUNS;
	row->owner_called += seen->owner != 0 && seen->owner_does == LOCK_IN_CALL;
	row->owner_waited += seen->owner != 0 && seen->owner_does == LOCK_WAITS;
	row->owner_unknown += seen->owner == 0 || seen->owner_does == LOCK_UNSEEN;
}

/* Find the thread that serves and waits most often, for the row of its master lock. */
static void add_server(struct lock_window *out, const struct server *server, uint64_t from)
{
	for (unsigned i = 0; i < out->count; i++) {
		struct lock_row *row = &out->rows[i];

		if (row->kind != LOCK_MASTER || row->address != server->master || server->ts < from ||
		    server->calls == 0 || server->waits <= row->server_waits)
			continue;
		row->server_waits = server->waits;
		row->server_calls = server->calls;
	}
}

static int by_waits(const void *left, const void *right)
{
	const struct lock_row *a = left, *b = right;

	return (a->waits < b->waits) - (a->waits > b->waits);
}

void lock_past_read(const struct lock_past *past, uint64_t from, struct lock_window *out)
{
	const uint64_t kept = past->added < LOCK_PAST_LOOKS ? past->added : LOCK_PAST_LOOKS;
	uint64_t first = 0;

	*out = (struct lock_window){.circle = past->circle, .dead = past->dead, .unclaimed = past->unclaimed};
	for (uint64_t i = past->added - kept; i < past->added; i++) {
		const struct look *look = &past->looks[i % LOCK_PAST_LOOKS];

		if (look->ts < from)
			continue;
		first = out->looks == 0 ? look->ts : first;
		out->looks++;
		out->ts = look->ts;
		out->ns = look->ts - first;
		out->threads = look->threads > out->threads ? look->threads : out->threads;
		for (unsigned k = 0; k < look->count; k++)
			add_row(out, &look->locks[k]);
	}
	for (unsigned i = 0; i < SERVERS; i++)
		add_server(out, &past->servers[i], from);
	qsort(out->rows, out->count, sizeof(out->rows[0]), by_waits);
}
