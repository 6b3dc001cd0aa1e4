/*
 * test_lock_past.c - sums of looks at locks against a plain recount of random looks, and the numbers of locks.
 */
#include "samples/lock_past.h"

#include <sys/syscall.h>

#include "support/test.h"

enum { THREADS = 6, LOCKS = 5, LOOKS = 300, MANY = 1000 };
#define BASE UINT64_C(0x7f0000001000)

static struct lock_thread threads[THREADS];

static void put_waiter(int i, enum lock_kind kind, uint64_t address, int owner)
{
	threads[i] = (struct lock_thread){.tid = 100 + i,
	    .doing = LOCK_WAITS,
	    .lock = {.kind = kind, .address = address, .domain = kind == LOCK_MASTER ? 0 : -1},
	    .owner_at = address + 8,
	    .next = owner,
	    .owner = owner >= 0 ? 100 + owner : 0,
	    .dead = owner < 0};
}

static void put_other(int i, enum lock_doing doing)
{
	threads[i] = (struct lock_thread){.tid = 100 + i,
	    .doing = doing,
	    .call = SYS_read,
	    .lock.domain = -1,
	    .next = -1,
	    .tick = doing == LOCK_IN_CALL && i == 0};
}

static void add(struct lock_past *past, uint64_t ts)
{
	(void)lock_past_add(past, &(struct locks_look){.ts = ts, .threads = threads, .count = THREADS}, NULL);
}

#define PAUSE UINT64_C(1000000000) /* of a longer one no more is known */

/* Looks are 1 us apart, but for a pause of a minute. */
static uint64_t stamp(uint64_t look)
{
	return look * 1000 + (look > 100 ? 60 * PAUSE : 0);
}

TEST(as_a_recount)
{
	struct lock_past *past = lock_past_create();
	unsigned looks[LOCKS] = {0}, waited[LOCKS] = {0}, ran[LOCKS] = {0}, called[LOCKS] = {0},
		 gone[LOCKS] = {0};
	uint64_t waits[LOCKS] = {0}, stood[LOCKS] = {0}, stands, known = 0, longest[LOCKS] = {0},
		 from[LOCKS] = {0}, at_work = 0;
	int last[LOCKS], last_look[LOCKS] = {0}, last_of = 0;
	struct lock_window w;

	srand(5);
	for (int n = 1; n <= LOOKS; n++) {
		int owner[LOCKS], of[LOCKS] = {0};

		for (int i = 0; i < THREADS; i++) {
			const int r = rand() % 10;

			put_other(i, r % 2 == 0 ? LOCK_RUNS : LOCK_IN_CALL);
			if (r == 9) {
				put_waiter(i, LOCK_CONDITION, BASE, -1);
				threads[i].dead = false;
			}
		}
		/* The first threads have locks, each at times that of another one; the last ones wait. */
		for (int k = 0; k < LOCKS; k++)
			owner[k] = rand() % 4 == 0 ? -1 : (n / 20 + k) % 3;
		for (int i = 3; i < THREADS; i++) {
			const int k = rand() % (LOCKS + 1);

			if (k == LOCKS)
				continue;
			put_waiter(
			    i, k == 0 ? LOCK_MASTER : LOCK_MUTEX, BASE + (uint64_t)k * 0x100, owner[k]);
			of[k]++;
		}
		/* Half-way to the look before and to the next one; a pause is between the first hundred and the second. */
		stands =
		    (n > 1 ? n == 101 ? PAUSE / 2 : 500 : 0) + (n < LOOKS ? n == 100 ? PAUSE / 2 : 500 : 0);
		known += stands;
		for (int i = 0; i < THREADS; i++)
			at_work += stands * (threads[i].lock.kind != LOCK_CONDITION && !threads[i].tick);
		for (int k = 0; k < LOCKS; k++) {
			if (of[k] == 0)
				continue;
			looks[k]++;
			stood[k] += stands;
			waits[k] += stands * (unsigned)of[k];
			gone[k] += owner[k] < 0;
			ran[k] += owner[k] >= 0 && threads[owner[k]].doing == LOCK_RUNS;
			called[k] += owner[k] >= 0 && threads[owner[k]].doing == LOCK_IN_CALL;
			waited[k] += owner[k] >= 0 && threads[owner[k]].doing == LOCK_WAITS;
			/* Nobody begins to wait for the master lock: it was given up where more or fewer wait. */
			if (owner[k] < 0 || last_look[k] != n - 1 || last[k] != owner[k] ||
			    (k == 0 && last_of != of[0]))
				from[k] = (uint64_t)n;
			last_of = k == 0 ? of[0] : last_of;
			const uint64_t lasts = stamp((uint64_t)n) - stamp(from[k]);
			if (owner[k] >= 0 && lasts > longest[k])
				longest[k] = lasts;
			last[k] = owner[k];
			last_look[k] = n;
		}
		add(past, stamp((uint64_t)n));
	}
	lock_past_read(past, 0, &w);
	CHECK_INT(w.looks, LOOKS);
	CHECK_NEAR(w.threads, (double)at_work / (double)known, 1e-9);
	CHECK_INT(w.count, LOCKS);
	for (unsigned i = 0; i < w.count; i++) {
		const struct lock_row *row = &w.rows[i];
		const size_t k = (size_t)((row->lock.address - BASE) / 0x100);

		CHECK_INT(row->looks, looks[k]);
		CHECK_INT(row->ns, stood[k]);
		CHECK_INT(row->waited_ns, waits[k]);
		CHECK_NEAR(lock_share(&w, row), (double)stood[k] / (double)known, 1e-9);
		CHECK_NEAR(lock_mean(&w, row), (double)waits[k] / (double)known, 1e-9);
		CHECK_INT(row->did[LOCK_RUNS], ran[k]);
		CHECK_INT(row->did[LOCK_IN_CALL], called[k]);
		CHECK_INT(row->did[LOCK_GONE], gone[k]);
		CHECK_INT(row->did[LOCK_WAITS], waited[k]);
		CHECK_INT(row->longest, longest[k]);
		CHECK_NEAR(lock_takes(&w, row), (double)waits[k] / (double)at_work, 1e-9);
		CHECK(i == 0 || w.rows[i - 1].waited_ns >= row->waited_ns);
		CHECK(row->number != 0 && row->since <= 20000);
	}
	const struct lock_sums sums = lock_past_sums(past);
	CHECK_INT(sums.looks, LOOKS);
	CHECK_INT(sums.ns, known);
	CHECK_INT(sums.master, waits[0]);
	CHECK_INT(sums.mutex, waits[1] + waits[2] + waits[3] + waits[4]);
	lock_past_destroy(past);
}

/* Looks that are rarer while nobody waits tell the share of time in which a thread waits as equally distant ones would. */
TEST(rarer_looks)
{
	enum { OFTEN = 100000000, RARELY = 500000000, WINDOWS = 8 };
	const double share = 0.3, bound = 0.04;
	struct lock_past *past = lock_past_create();
	double sum = 0;
	uint64_t ts = PAUSE;

	srand(6);
	for (int i = 0; i < THREADS; i++)
		put_other(i, LOCK_RUNS);
	for (int n = 0; n < WINDOWS * LOCK_PAST_LOOKS; n++) {
		struct lock_window w;

		if (rand() < share * RAND_MAX)
			put_waiter(1, LOCK_MUTEX, BASE, 2);
		else
			put_other(1, LOCK_RUNS);
		const struct locks_look look = {.ts = ts, .threads = threads, .count = THREADS};
		ts += lock_past_add(past, &look, NULL) ? OFTEN : RARELY;
		if ((n + 1) % LOCK_PAST_LOOKS != 0)
			continue;
		lock_past_read(past, 0, &w);
		sum += lock_share(&w, &w.rows[0]);
	}
	CHECK(sum / WINDOWS > share - bound && sum / WINDOWS < share + bound);
	lock_past_destroy(past);
}

/* More locks than there are numbers: each that is waited for has one, and none has that of another lock. */
TEST(numbers)
{
	struct lock_past *past = lock_past_create();
	struct lock_place places[LOCK_ROWS];
	struct lock_window w;

	for (int i = 0; i < THREADS; i++)
		put_other(i, LOCK_RUNS);
	for (unsigned n = 1; n <= MANY; n++) {
		/* One that is waited for all the time, and one that is new. */
		put_waiter(1, LOCK_MASTER, BASE, 0);
		put_waiter(2, LOCK_MUTEX, BASE + UINT64_C(0x100) * n, 0);
		add(past, n);
		CHECK_INT(lock_past_places(past, places), 2);
		CHECK_INT(places[0].at, BASE + LOCK_MASTER_FREE_AT);
		CHECK_INT(places[0].end, BASE + LOCK_MASTER_FREE_END);
		CHECK_INT(places[0].owner_at, BASE + 8);
		CHECK_INT(places[1].at, BASE + UINT64_C(0x100) * n);
		CHECK_INT(places[1].end, places[1].at + 1);
		CHECK(places[0].number == 1 && places[1].number > 1);
		lock_past_read(past, n, &w);
		CHECK_INT(w.count, 2);
		for (unsigned i = 0; i < 2; i++)
			CHECK_INT(w.rows[i].since, w.rows[i].lock.kind == LOCK_MASTER ? 1 : n);
	}
	/* Of locks whose number another one has now, no sample is known. */
	lock_past_read(past, MANY - 400, &w);
	for (unsigned i = 0; i < w.count; i++)
		if (w.rows[i].lock.kind == LOCK_MUTEX &&
		    w.rows[i].lock.address < BASE + UINT64_C(0x100) * (MANY - 254))
			CHECK(w.rows[i].number == 0);
	lock_past_break(past);
	lock_past_read(past, 0, &w);
	CHECK(w.looks == 0 && lock_past_sums(past).looks == 0);
	lock_past_destroy(past);
}

/* How long a domain waited is told of stretches with two looks or more all through them, of a domain that has one thread. */
TEST(domains)
{
	struct lock_past *past = lock_past_create();
	static struct system_sample sample = {.thread_count = THREADS};
	struct lock_waited told;

	/* Threads 100 to 105 run domains 1 to 126; that of domain 26 shares it with others; 105 runs none, and so does 999. */
	for (unsigned i = 0; i < THREADS; i++)
		sample.threads[i] = (struct system_thread){
		    .tid = i == 4 ? 999 : 100 + (int)i, .runs = i == 5 ? 0 : 2 + 25 * i};
	for (unsigned n = 1; n <= 100; n++) {
		struct locks_look look = {
		    .ts = n * 100, .threads = threads, .count = THREADS, .shared = {1 << 26}};

		for (int i = 0; i < THREADS; i++)
			put_other(i, LOCK_RUNS);
		if (n > 10 && n <= 20)
			put_waiter(0, LOCK_MUTEX, BASE, 5);
		put_waiter(1, LOCK_MUTEX, BASE, 5);
		put_waiter(3, n % 2 == 0 ? LOCK_MUTEX : LOCK_CONDITION, BASE, 5);
		if (n == 50)
			threads[0].doing = LOCK_UNSEEN;
		/* A second without a look. */
		look.ts += n > 60 ? UINT64_C(1000000000) : 0;
		(void)lock_past_add(past, &look, n == 55 ? NULL : &sample);
	}
	CHECK(lock_past_waited(past, 1, 500, 3000, &told));
	CHECK(told.looks == 25 && told.waits == 10 && told.ns == 1000);
	CHECK(lock_past_waited(past, 1, 1140, 1560, &told));
	CHECK(told.looks == 4 && told.waits == 4 && told.ns == 420);
	CHECK(lock_past_waited(past, 1, 2500, 3000, &told));
	CHECK(told.looks == 5 && told.waits == 0 && told.ns == 0);
	CHECK(lock_past_waited(past, 76, 1000, 3000, &told));
	CHECK(told.looks == 20 && told.waits == 10 && told.ns == 950);
	/* One look, none, one that did not see it, one of which it is not known who runs what, before the first, over the gap,
	 * of a thread that is not there or shares its domain, and of no domain at all. */
	CHECK(!lock_past_waited(past, 1, 1140, 1260, &told));
	CHECK(!lock_past_waited(past, 1, 1140, 1160, &told));
	CHECK(!lock_past_waited(past, 1, 4800, 5200, &told));
	CHECK(!lock_past_waited(past, 1, 5300, 5700, &told));
	CHECK(!lock_past_waited(past, 1, 5800, UINT64_C(1000006500), &told));
	CHECK(!lock_past_waited(past, 26, 1000, 3000, &told));
	CHECK(!lock_past_waited(past, 101, 1000, 3000, &told));
	CHECK(!lock_past_waited(past, 0, 1000, 3000, &told));
	CHECK(!lock_past_waited(past, UINT32_MAX, 1000, 3000, &told));
	CHECK(!lock_past_waited(NULL, 1, 1000, 3000, &told));
	struct lock_past *copy = lock_past_copy(past);
	lock_past_break(past);
	CHECK(!lock_past_waited(past, 1, 500, 3000, &told));
	CHECK(lock_past_waited(copy, 1, 500, 3000, &told) && told.ns == 1000);
	lock_past_destroy(copy);
	lock_past_destroy(past);
}

/* Two or four threads that have a lock for 50 ms each are seen to have it about as often, whenever the looks begin. */
TEST(by_chance)
{
	for (uint64_t begin = 1; begin < 100; begin += 7)
		for (unsigned count = 2; count <= 4; count += 2) {
			unsigned has[4] = {0};
			uint64_t now = begin * 1000000;
			const uint64_t from = now;

			for (int n = 0; n < 1000; n++) {
				has[now / 50000000 % count]++;
				now += lock_look_pause(now, 100000000);
			}
			CHECK(now - from > UINT64_C(95000000000) && now - from < UINT64_C(105000000000));
			for (unsigned i = 0; i < count; i++)
				CHECK(has[i] > 700 / count && has[i] < 1300 / count);
		}
}

/* A master lock is kept as long as one has it and nobody had a turn: who began to wait are as many as there are more that wait. */
TEST(kept)
{
	static const struct {
		int owner, waiters;
		uint64_t turns;
	} looks[] = {{0, 1, 7}, {0, 1, 7}, {0, 2, 8}, {0, 2, 8}, /* kept for 300 ms */
	    {0, 2, 9}, {0, 1, 9},				 /* one had a turn, and so another time */
	    {0, 2, 10}, {0, 3, 11},				 /* 200 ms */
	    {1, 3, 12}, {0, 3, 13}, {0, 3, 14}, {0, 3, 14}, {0, 3, 14}}; /* by turns, then 200 ms */
	struct lock_past *past = lock_past_create();
	struct lock_window w;

	for (size_t n = 0; n < sizeof(looks) / sizeof(looks[0]); n++) {
		for (int i = 0; i < THREADS; i++)
			put_other(i, LOCK_RUNS);
		for (int i = 0; i < looks[n].waiters; i++) {
			put_waiter(2 + i, LOCK_MASTER, BASE, looks[n].owner);
			threads[2 + i].turns = looks[n].turns;
		}
		add(past, (n + 1) * UINT64_C(100000000));
	}
	lock_past_read(past, 0, &w);
	CHECK_INT(w.rows[0].longest, 300000000);
	CHECK_INT(w.rows[0].kept, 3);
	CHECK_INT(w.rows[0].kept_ns, 700000000);
	lock_past_destroy(past);
}
