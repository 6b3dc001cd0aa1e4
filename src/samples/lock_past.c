/*
 * lock_past.c - a ring of the latest looks, which are summed for a window when it is read.  Kept for longer: sums of all looks, what the
 * threads of a master lock do, and which domains waited.
 */
#include "samples/lock_past.h"

#include <sys/syscall.h>

#include "core/array.h"
#include "core/order.h"

#define SERVER_NS UINT64_C(60000000000) /* how long a thread that is not seen again is remembered */
#define APART_NS UINT64_C(1000000000)	/* looks further apart than this do not tell what was between them */
/* A thread that waited at TURNS times as many looks as the lock has waiters on average, and was never seen to have it, needs it
 * for moments only. */
#define TURNS 8
enum {
	LATELY = 20,   /* looks */
	SERVERS = 256, /* threads that are remembered */
	COMPUTES =
	    10 /* A thread computes that had or wanted the lock at so many looks, and waited for nothing else. */
};

/* A lock at a look. */
struct lock_seen {
	uint8_t number;
	struct lock_id lock;
	uint64_t owner_at;
	unsigned waiters;
	uint64_t turns;	      /* as struct lock_thread */
	int32_t owner;	      /* 0: not known */
	enum lock_doing does; /* the owner, with: */
	struct lock_id owner_waits;
	int call;
};

struct look {
	uint64_t ts;
	unsigned count, threads; /* of these, that are at work or wait for a lock that somebody has */
	unsigned mutex, master;	 /* that wait */
	struct lock_seen locks[LOCK_ROWS];
};

/* A bit for each domain: whether it waited for a lock of the program at a look, and whether the look tells that. */
struct domain_waits {
	uint64_t ts;
	uint64_t known[LOCK_DOMAINS / LOCK_WORD_BITS], waits[LOCK_DOMAINS / LOCK_WORD_BITS];
};

/* A thread that was seen in a blocking system call, at a master lock, or with one that others waited for. */
struct server {
	int32_t tid;
	uint64_t ts, master; /* when it was seen last, and the lock */
	unsigned waits, calls;
	unsigned has; /* it was seen to have the lock while others waited */
};

struct lock_past {
	struct look looks[LOCK_PAST_LOOKS];	    /* a ring */
	struct domain_waits waits[LOCK_WAIT_LOOKS]; /* a longer one */
	struct lock_sums sums;
	uint64_t waited; /* number of looks up to the last one at which a thread waited; 0: none did */
	/* Locks by their number, from 1 on: the lock of number n is numbers[n - 1]; since when it has that number, and
	 * when it was seen last. */
	struct {
		struct lock_id lock;
		uint64_t since, ts;
	} numbers[UINT8_MAX];
	struct lock_stuck circle, dead, unclaimed;
	char libc[LOCK_LIBC];
	struct server servers[SERVERS]; /* by tid */
	struct lock_named named[LOCK_NAMED];
};

struct lock_past *lock_past_create(void)
{
	return calloc(1, sizeof(struct lock_past));
}

struct lock_past *lock_past_copy(const struct lock_past *from)
{
	bool ok = true;

	return copy_bytes(from, sizeof(*from), &ok);
}

void lock_past_destroy(struct lock_past *past)
{
	free(past);
}

void lock_past_break(struct lock_past *past)
{
	/* Most of it is memory that was never touched. */
	if (past->sums.looks > 0)
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

/* Return the record of a thread, cleared if another thread used it. */
static struct server *server_of(struct lock_past *past, int32_t tid, uint64_t ts)
{
	struct server *server = &past->servers[(uint32_t)tid % SERVERS];

	if (server->tid != tid || ts - server->ts > SERVER_NS)
		*server = (struct server){.tid = tid};
	server->ts = ts;
	return server;
}

/* Count that a thread serves others, or waits for a master lock. */
static void note_server(struct lock_past *past, const struct lock_thread *thread, uint64_t ts)
{
	const bool calls = thread->doing == LOCK_IN_CALL && is_serving(thread->call);
	const bool waits = thread->doing == LOCK_WAITS && thread->lock.kind == LOCK_MASTER;

	if (!calls && !waits)
		return;
	struct server *server = server_of(past, thread->tid, ts);
	server->calls += calls;
	server->waits += waits;
	if (waits)
		server->master = thread->lock.address;
}

/* Return the number of a lock.  A new lock takes the number of the lock that was seen least recently. */
static uint8_t number_of(struct lock_past *past, const struct lock_thread *thread, uint64_t ts)
{
	unsigned oldest = 0;

	for (unsigned i = 0; i < UINT8_MAX; i++) {
		if (lock_same(&past->numbers[i].lock, &thread->lock)) {
			past->numbers[i].ts = ts;
			return (uint8_t)(i + 1);
		}
		if (past->numbers[i].ts < past->numbers[oldest].ts)
			oldest = i;
	}
	past->numbers[oldest].lock = thread->lock;
	past->numbers[oldest].since = past->numbers[oldest].ts = ts;
	return (uint8_t)(oldest + 1);
}

/* Find or make the lock that a thread waits for.  NULL: there are too many. */
static struct lock_seen *seen_of(struct lock_past *past, struct look *look, const struct lock_thread *thread)
{
	for (unsigned i = 0; i < look->count; i++)
		if (lock_same(&look->locks[i].lock, &thread->lock))
			return &look->locks[i];
	if (look->count == LOCK_ROWS)
		return NULL;
	struct lock_seen *made = &look->locks[look->count++];
	*made = (struct lock_seen){.number = number_of(past, thread, look->ts),
	    .lock = thread->lock,
	    .owner_at = thread->owner_at,
	    .does = LOCK_UNSEEN,
	    .call = -1};
	return made;
}

/* Whether a thread does something, or would if it had a lock.  A thread that sleeps in a condition, or a thread of the runtime at
 * rest, has nothing to do. */
static bool is_at_work(const struct lock_thread *thread)
{
	const bool rests = thread->lock.kind == LOCK_CONDITION || thread->lock.kind == LOCK_JOIN ||
			   thread->lock.kind == LOCK_RUNTIME;

	return !thread->tick && (thread->doing != LOCK_WAITS || !rests);
}

static void count_wait(struct lock_past *past, struct look *into, const struct locks_look *look,
    const struct lock_thread *thread)
{
	struct lock_seen *seen = seen_of(past, into, thread);

	into->mutex += thread->lock.kind != LOCK_MASTER;
	into->master += thread->lock.kind == LOCK_MASTER;
	if (seen == NULL)
		return;
	seen->waiters++;
	seen->turns = thread->turns;
	seen->does = thread->dead ? LOCK_GONE : seen->does;
	if (thread->next < 0)
		return;
	const struct lock_thread *owner = &look->threads[thread->next];
	seen->owner = owner->tid;
	seen->does = owner->doing;
	seen->owner_waits = owner->lock;
	seen->call = owner->doing == LOCK_IN_CALL ? owner->call : -1;
}

/* Count a thread that is stuck since a moment among those that are. */
static void stick(struct lock_stuck *stuck, const struct lock_thread *thread, uint64_t since)
{
	if (stuck->since == 0)
		*stuck = (struct lock_stuck){.since = since, .lock = thread->lock};
	if (since > stuck->since)
		stuck->since = since;
	if (stuck->count < LOCK_CIRCLE) {
		stuck->tids[stuck->count] = thread->tid;
		stuck->addresses[stuck->count] = thread->lock.address;
		stuck->kinds[stuck->count] = thread->lock.kind;
	}
	stuck->count++;
}

/* Find the first circle of threads that wait for each other. */
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

/* Find the threads that wait for a lock whose owner is gone, and those that wait for a master lock that nobody takes. */
static void see_stuck(struct lock_past *past, const struct locks_look *look)
{
	see_circle(past, look);
	past->dead = (struct lock_stuck){0};
	past->unclaimed = (struct lock_stuck){0};
	for (size_t i = 0; i < look->count; i++) {
		const struct lock_thread *thread = &look->threads[i];

		if (lock_is_of_program(thread) && thread->dead && thread->lock.kind != LOCK_MASTER &&
		    (past->dead.since == 0 || past->dead.lock.address == thread->lock.address))
			stick(&past->dead, thread, thread->since);
		if (thread->doing == LOCK_WAITS && thread->unclaimed &&
		    (past->unclaimed.since == 0 || past->unclaimed.lock.address == thread->lock.address))
			stick(&past->unclaimed, thread, thread->since);
	}
}

/* Note which of the domains with a single thread wait. */
static void note_domains(
    struct domain_waits *into, const struct locks_look *look, const struct system_sample *sample)
{
	*into = (struct domain_waits){.ts = look->ts};
	for (unsigned i = 0; sample != NULL && i < sample->thread_count; i++) {
		const unsigned domain = sample->threads[i].runs - 1; /* beyond all: it runs none */

		if (domain >= LOCK_DOMAINS)
			continue;
		const unsigned word = domain / LOCK_WORD_BITS;
		const uint64_t bit = UINT64_C(1) << domain % LOCK_WORD_BITS;
		const struct lock_thread *thread =
		    lock_thread_of(look->threads, look->count, sample->threads[i].tid);
		if (thread == NULL || thread->doing == LOCK_UNSEEN || (look->shared[word] & bit) != 0)
			continue;
		into->known[word] |= bit;
		into->waits[word] |= lock_is_of_program(thread) ? bit : 0;
	}
}

/* Return half of the time from the look with this number to the next one, at most APART_NS / 2. */
static uint64_t half_after(const struct lock_past *past, uint64_t number)
{
	const uint64_t ns =
	    past->looks[(number + 1) % LOCK_PAST_LOOKS].ts - past->looks[number % LOCK_PAST_LOOKS].ts;

	return (ns < APART_NS ? ns : APART_NS) / 2;
}

/* Add to the sums the time between the look with this number and the next one, which is the latest. */
static void add_sums(struct lock_past *past, uint64_t number)
{
	const struct look *then = &past->looks[number % LOCK_PAST_LOOKS],
			  *now = &past->looks[(number + 1) % LOCK_PAST_LOOKS];
	const uint64_t half = half_after(past, number);

	past->sums.ns += 2 * half;
	past->sums.mutex += half * (then->mutex + now->mutex);
	past->sums.master += half * (then->master + now->master);
}

bool lock_past_add(struct lock_past *past, const struct locks_look *look, const struct system_sample *threads)
{
	note_domains(&past->waits[past->sums.looks % LOCK_WAIT_LOOKS], look, threads);
	struct look *into = &past->looks[past->sums.looks++ % LOCK_PAST_LOOKS];

	*into = (struct look){.ts = look->ts};
	for (size_t i = 0; i < look->count; i++) {
		note_server(past, &look->threads[i], look->ts);
		if (lock_is_of_program(&look->threads[i]))
			count_wait(past, into, look, &look->threads[i]);
		into->threads += is_at_work(&look->threads[i]);
	}
	for (unsigned k = 0; k < into->count; k++)
		if (into->locks[k].lock.kind == LOCK_MASTER && into->locks[k].owner != 0) {
			struct server *owner = server_of(past, into->locks[k].owner, look->ts);

			owner->has++;
			owner->master = into->locks[k].lock.address;
		}
	if (past->sums.looks > 1)
		add_sums(past, past->sums.looks - 2);
	see_stuck(past, look);
	memcpy(past->libc, look->libc, sizeof(past->libc));
	past->waited = into->count > 0 ? past->sums.looks : past->waited;
	return past->waited > 0 && past->sums.looks - past->waited < LATELY;
}

/* Looks one after the other that show one owner of a lock. */
struct run {
	struct lock_seen last;
	uint64_t from, look, ns; /* time of the first, number of the last, and how long it has been */
};

/* Whether an owner kept its lock from one look to the next.  For a master lock, as many threads must have begun to wait as there are
 * waiters more: otherwise a wait has ended, so the lock was given up. */
static bool is_kept(const struct lock_seen *then, const struct lock_seen *now)
{
	return now->owner != 0 && now->owner == then->owner &&
	       (now->lock.kind != LOCK_MASTER ||
		   now->turns - then->turns == (uint64_t)now->waiters - then->waiters);
}

/* Continue a run with the look of this number, or begin another run. */
static void run_on(
    struct run *run, struct lock_row *row, const struct lock_seen *seen, uint64_t number, uint64_t ts)
{
	if (run->look + 1 != number || !is_kept(&run->last, seen))
		*run = (struct run){.from = ts};
	const uint64_t was = run->ns;
	run->last = *seen;
	run->look = number;
	run->ns = ts - run->from;
	row->longest = run->ns > row->longest ? run->ns : row->longest;
	if (seen->lock.kind != LOCK_MASTER || run->ns < LOCK_KEPT_NS)
		return;
	row->kept += was < LOCK_KEPT_NS;
	row->kept_ns += was < LOCK_KEPT_NS ? run->ns : run->ns - was;
}

/* Add a lock that a look has seen to the rows, for the time that the look stands for. */
static void add_row(const struct lock_past *past, struct lock_window *out, struct run runs[LOCK_ROWS],
    uint64_t number, uint64_t ns, const struct lock_seen *seen)
{
	const bool known = lock_same(&past->numbers[seen->number - 1].lock, &seen->lock);
	unsigned i = 0;

	while (i < out->count && !lock_same(&out->rows[i].lock, &seen->lock))
		i++;
	if (i == LOCK_ROWS)
		return;
	if (i == out->count) {
		out->rows[out->count++] = (struct lock_row){.number = known ? seen->number : 0,
		    .since = known ? past->numbers[seen->number - 1].since : 0,
		    .lock = seen->lock,
		    .call = -1};
	}
	struct lock_row *row = &out->rows[i];
	row->looks++;
	row->ns += ns;
	row->waited_ns += ns * seen->waiters;
	run_on(&runs[i], row, seen, number, past->looks[number % LOCK_PAST_LOOKS].ts);
	if (seen->owner_waits.kind != LOCK_NONE)
		row->owner_waits = seen->owner_waits;
	if (seen->call >= 0)
		row->call = seen->call;
	row->did[seen->does]++;
}

/* Add a thread to the row of its lock: as the server, if it serves or needs the lock for moments only and waits most often; or as one
 * that computes. */
static void add_server(struct lock_window *out, const struct server *server, uint64_t from)
{
	for (unsigned i = 0; i < out->count; i++) {
		struct lock_row *row = &out->rows[i];
		const bool brief =
		    server->has == 0 && (uint64_t)server->waits * row->ns >= TURNS * row->waited_ns;

		if (row->lock.kind != LOCK_MASTER || row->lock.address != server->master || server->ts < from)
			continue;
		row->computing +=
		    server->has > 0 && server->calls == 0 && server->waits + server->has >= COMPUTES;
		if ((server->calls == 0 && !brief) || server->waits <= row->server_waits)
			continue;
		row->server_waits = server->waits;
		row->server_calls = server->calls;
	}
}

static int by_waits(const void *left, const void *right)
{
	const struct lock_row *a = left, *b = right;

	return (a->waited_ns < b->waited_ns) - (a->waited_ns > b->waited_ns);
}

void lock_past_read(const struct lock_past *past, uint64_t from, struct lock_window *out)
{
	const uint64_t end = past->sums.looks;
	uint64_t first = end < LOCK_PAST_LOOKS ? 0 : end - LOCK_PAST_LOOKS;
	struct run runs[LOCK_ROWS] = {{.from = 0}};
	double threads = 0;

	*out = (struct lock_window){.circle = past->circle,
	    .dead = past->dead,
	    .unclaimed = past->unclaimed,
	    .named = past->named,
	    .libc = past->libc};
	while (first < end && past->looks[first % LOCK_PAST_LOOKS].ts < from)
		first++;
	for (uint64_t i = first; i < end; i++) {
		const struct look *look = &past->looks[i % LOCK_PAST_LOOKS];
		uint64_t ns =
		    (i > first ? half_after(past, i - 1) : 0) + (i + 1 < end ? half_after(past, i) : 0);

		/* One that is alone stands for the moment. */
		ns += end - first == 1;
		out->looks++;
		out->ts = look->ts;
		out->ns = look->ts - past->looks[first % LOCK_PAST_LOOKS].ts;
		out->known += ns;
		threads += (double)ns * look->threads;
		for (unsigned k = 0; k < look->count; k++)
			add_row(past, out, runs, i, ns, &look->locks[k]);
	}
	out->threads = out->known > 0 ? threads / (double)out->known : 0;
	for (unsigned i = 0; i < SERVERS; i++)
		add_server(out, &past->servers[i], from);
	qsort(out->rows, out->count, sizeof(out->rows[0]), by_waits);
}

/* Return the number of the first kept look that is not before a time; one past the last look: there is none. */
static uint64_t first_from(const struct lock_past *past, uint64_t ts)
{
	const uint64_t to = past->sums.looks;
	struct order_search at = {.low = to < LOCK_WAIT_LOOKS ? 0 : to - LOCK_WAIT_LOOKS, .high = to};

	while (order_middle(&at))
		order_turn(&at, past->waits[at.middle % LOCK_WAIT_LOOKS].ts < ts);
	return at.low;
}

bool lock_past_waited(
    const struct lock_past *past, unsigned domain, uint64_t from, uint64_t to, struct lock_waited *out)
{
	uint64_t last = from; /* up to where looks have told */
	bool waited = false;

	*out = (struct lock_waited){.ns = 0};
	if (past == NULL || domain >= LOCK_DOMAINS)
		return false;
	for (uint64_t i = first_from(past, from); i < past->sums.looks; i++) {
		const struct domain_waits *look = &past->waits[i % LOCK_WAIT_LOOKS];
		const unsigned word = domain / LOCK_WORD_BITS, bit = domain % LOCK_WORD_BITS;

		if (look->ts >= to)
			break;
		if ((look->known[word] >> bit & 1) == 0 || look->ts - last > APART_NS)
			return false;
		const bool waits = (look->waits[word] >> bit & 1) != 0;
		/* The first look also stands for the time before it. */
		if (out->looks == 0)
			out->ns += waits ? look->ts - last : 0;
		else
			out->ns += (look->ts - last) / 2 * (waits + waited);
		out->looks++;
		out->waits += waits;
		waited = waits;
		last = look->ts;
	}
	out->ns += waited ? to - last : 0;
	return out->looks >= 2 && to - last <= APART_NS;
}

struct lock_sums lock_past_sums(const struct lock_past *past)
{
	return past->sums;
}

unsigned lock_past_places(const struct lock_past *past, struct lock_place out[LOCK_ROWS])
{
	const struct look *last = &past->looks[(past->sums.looks + LOCK_PAST_LOOKS - 1) % LOCK_PAST_LOOKS];

	for (unsigned i = 0; i < last->count; i++) {
		const struct lock_seen *seen = &last->locks[i];
		const bool master = seen->lock.kind == LOCK_MASTER;

		out[i] = (struct lock_place){.number = seen->number,
		    .at = seen->lock.address + (master ? LOCK_MASTER_FREE_AT : 0),
		    .end = seen->lock.address + (master ? LOCK_MASTER_FREE_END : 1),
		    .owner_at = seen->owner_at};
	}
	return last->count;
}

/* ---- names ---- */

const struct lock_named *lock_named_of(const struct lock_named *named, uint64_t address)
{
	static const struct lock_named none;

	for (unsigned i = 0; i < LOCK_NAMED; i++)
		if (named[i].address == address && named[i].ts != 0)
			return &named[i];
	return &none;
}

void lock_past_name(struct lock_past *past, uint64_t now, const struct lock_named *named)
{
	struct lock_named *to = past->named;

	/* The name takes the place of its lock, or that of the oldest name. */
	for (unsigned i = 0; i < LOCK_NAMED && to->address != named->address; i++)
		if (past->named[i].address == named->address || past->named[i].ts < to->ts)
			to = &past->named[i];
	if (to->address != named->address)
		*to = *named;
	if (named->waits[0] != '\0')
		memcpy(to->waits, named->waits, sizeof(to->waits));
	if (named->has[0] != '\0')
		memcpy(to->has, named->has, sizeof(to->has));
	to->ts = now;
}

bool lock_past_unnamed(const struct lock_past *past, uint64_t now)
{
	enum { OFTEN = 5 };
	const uint64_t kept = past->sums.looks < LATELY ? past->sums.looks : LATELY;
	const struct look *last = &past->looks[(past->sums.looks + LOCK_PAST_LOOKS - 1) % LOCK_PAST_LOOKS];
	const bool stuck = past->circle.since != 0 || past->dead.since != 0;

	for (unsigned k = 0; past->sums.looks > 0 && k < last->count; k++) {
		const uint64_t address = last->locks[k].lock.address,
			       ts = lock_named_of(past->named, address)->ts;
		unsigned seen = 0;

		for (uint64_t i = past->sums.looks - kept; i < past->sums.looks; i++) {
			const struct look *look = &past->looks[i % LOCK_PAST_LOOKS];

			for (unsigned j = 0; j < look->count; j++)
				seen += look->locks[j].lock.address == address;
		}
		if ((stuck || seen >= OFTEN) && (ts == 0 || now - ts > LOCK_NAMED_NS))
			return true;
	}
	return false;
}
