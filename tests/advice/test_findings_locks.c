/*
 * test_findings_locks.c - what looks at locks lead to: circles, owners that have gone, locks that are held most of the time,
 * and threads that serve behind others of their domain.
 */
#include "advice/world.h"

#include <sys/syscall.h>

enum { THREADS = 4 };

/* A process whose locks are looked at ten times a second, and which does hardly anything else. */
struct scene {
	struct world *w;
	struct lock_past *past;
	struct lock_thread threads[THREADS];
	unsigned cycles;
	const char *libc;
};

static struct scene scene_begin(void)
{
	struct scene s = {.w = world_begin(1, 0, false), .past = lock_past_create()};

	CHECK(s.past != NULL);
	advice_locks(s.w->advice, s.past, NULL);
	for (int i = 0; i < THREADS; i++)
		s.threads[i] = (struct lock_thread){.tid = 100 + i,
		    .doing = LOCK_IN_CALL,
		    .call = SYS_clock_nanosleep,
		    .lock.domain = -1,
		    .next = -1};
	return s;
}

/* Have a thread wait for what another one has, or nobody. */
static void wait_for(struct scene *s, int thread, enum lock_kind kind, int owner)
{
	struct lock_thread *t = &s->threads[thread];

	t->doing = LOCK_WAITS;
	t->lock.kind = kind;
	t->lock.address = 0x1000;
	t->lock.domain = kind == LOCK_MASTER ? 0 : -1;
	t->next = owner;
	t->owner = owner >= 0 ? s->threads[owner].tid : 0;
	t->since = s->w->now;
}

static void go_on(struct scene *s, int i)
{
	s->threads[i].doing = LOCK_IN_CALL;
	s->threads[i].lock.kind = LOCK_NONE;
	s->threads[i].next = -1;
}

static void look(struct scene *s)
{
	struct locks_look look = {
	    .ts = s->w->now, .threads = s->threads, .count = THREADS, .cycles = s->cycles};

	if (s->libc != NULL)
		strcpy(look.libc, s->libc);
	(void)lock_past_add(s->past, &look, NULL);
	world_pass(s->w, 100 * WORLD_MS);
}

static void looks(struct scene *s, unsigned count)
{
	while (count-- > 0)
		look(s);
}

static void scene_end(struct scene *s)
{
	advice_locks(s->w->advice, NULL, NULL);
	lock_past_destroy(s->past);
}

/* Return why a rule has no finding. */
static const char *why_not(const struct scene *s, const char *name)
{
	size_t count;
	const struct advice_left_out *left = advice_left_out(s->w->advice, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(left[i].name, name) == 0)
			return left[i].why;
	return "";
}

/* Without looks nothing is said to be right. */
TEST(test_not_looked)
{
	struct world *w = world_begin(1, 0, false);
	struct scene s = {.w = w};

	world_pass(w, 12 * WORLD_SECOND);
	CHECK_STR(why_not(&s, "deadlock"), "its locks were not looked at");
	advice_locks(w->advice, NULL, "a file does not record them");
	world_pass(w, 12 * WORLD_SECOND);
	CHECK_STR(why_not(&s, "lock_held"), "its locks were not looked at: a file does not record them");
}

/* A circle is told once it has stood for a second, at once and before all else; and goes when it does. */
TEST(test_deadlock)
{
	struct scene s = scene_begin();

	looks(&s, 20);
	CHECK(finding(s.w, "deadlock") == NULL);
	wait_for(&s, 0, LOCK_MUTEX, 1);
	wait_for(&s, 1, LOCK_CHANNEL, 0);
	s.threads[0].cycle = s.threads[1].cycle = s.cycles = 1;
	looks(&s, 5);
	CHECK(finding(s.w, "deadlock") == NULL);
	looks(&s, 20);
	const struct advice_finding *f = first(s.w, "deadlock");
	CHECK_INT(f->severity, ADVICE_SERIOUS);
	CHECK(strstr(f->text, "100") != NULL && strstr(f->text, "101") != NULL);
	CHECK(finding(s.w, "lock_held") == NULL); /* it follows from that */
	/* An old look does not say that it stands, nor that there is none. */
	for (int i = 0; i < 15; i++)
		world_pass(s.w, WORLD_SECOND);
	CHECK(finding(s.w, "deadlock") == NULL);
	CHECK(strstr(why_not(&s, "deadlock"), "the last look at its locks is ") != NULL);
	scene_end(&s);
}

/* A circle that goes over the end of a thread says so, and has another remedy. */
TEST(test_deadlock_by_join)
{
	static const struct {
		enum lock_kind kinds[3];
		int threads;
		const char *text;
	} cases[] = {
	    {{LOCK_MUTEX, LOCK_JOIN}, 2,
		"deadlock: thread 100 waits for a lock that thread 101 holds, which waits for the end "
		"of the first"},
	    {{LOCK_JOIN, LOCK_MUTEX}, 2,
		"deadlock: thread 100 waits for the end of thread 101, which waits for a lock that the first "
		"holds"},
	    {{LOCK_JOIN, LOCK_JOIN}, 2,
		"deadlock: thread 100 waits for the end of thread 101, which waits for the end of the first"},
	    {{LOCK_JOIN}, 1, "deadlock: thread 100 waits for its own end"},
	    {{LOCK_MUTEX, LOCK_JOIN, LOCK_JOIN}, 3,
		"deadlock: 3 threads wait in a circle, each for a lock that the next one holds, or for its "
		"end: 100, 101, 102"}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct scene s = scene_begin();

		s.cycles = 1;
		for (int i = 0; i < cases[c].threads; i++) {
			wait_for(&s, i, cases[c].kinds[i], (i + 1) % cases[c].threads);
			s.threads[i].cycle = 1;
		}
		looks(&s, 25);
		const struct advice_finding *f = first(s.w, "deadlock");
		CHECK_STR(f->text, cases[c].text);
		CHECK(strstr(f->remedy, c == 2 || c == 3 ? "must not wait for"
							 : "release the locks that it takes") != NULL);
		scene_end(&s);
	}
}

/* What stands still for ever does so whoever has the processors: it is told before that others have them. */
TEST(test_deadlock_of_a_starved_one)
{
	struct scene s = scene_begin();

	be_sampled(s.w);
	s.w->values[SYSTEM_CPU_USER] = s.w->values[SYSTEM_RUN] = 80 * WORLD_MS;
	s.w->values[SYSTEM_WAIT] = 850 * WORLD_MS;
	s.w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	looks(&s, 120);
	CHECK(first(s.w, "starved") != NULL);
	wait_for(&s, 0, LOCK_MUTEX, 1);
	wait_for(&s, 1, LOCK_MUTEX, 0);
	s.threads[0].cycle = s.threads[1].cycle = s.cycles = 1;
	looks(&s, 25);
	CHECK(first(s.w, "deadlock") != NULL && finding(s.w, "starved") != NULL);
	scene_end(&s);
}

/* The looks ended, as those of a process that may not be read any more: what was seen last is not told for ever. */
TEST(test_old)
{
	struct scene s = scene_begin();

	wait_for(&s, 0, LOCK_MUTEX, 1);
	wait_for(&s, 1, LOCK_MUTEX, 0);
	s.threads[0].cycle = s.threads[1].cycle = s.cycles = 1;
	looks(&s, 25);
	CHECK(finding(s.w, "deadlock") != NULL);
	for (int i = 0; i < 8; i++)
		world_pass(s.w, WORLD_SECOND);
	CHECK(finding(s.w, "deadlock") == NULL);
	scene_end(&s);
}

TEST(test_dead_owner)
{
	struct scene s = scene_begin();

	wait_for(&s, 2, LOCK_MUTEX, -1);
	s.threads[2].dead = true;
	looks(&s, 25);
	CHECK_INT(first(s.w, "dead_owner")->severity, ADVICE_SERIOUS);
	scene_end(&s);

	/* Of waits that end soon it is not said that they never do; what is seen of the lock is. */
	s = scene_begin();
	for (int i = 0; i < 40; i++) {
		wait_for(&s, 2, LOCK_MUTEX, -1);
		s.threads[2].dead = true;
		look(&s);
	}
	CHECK(finding(s.w, "dead_owner") == NULL);
	CHECK(strstr(first(s.w, "lock_held")->text, "its holder is gone") != NULL);
	scene_end(&s);
}

/* A master lock that nobody takes for one look is normal; for a second it is not. */
TEST(test_lost_wakeup)
{
	struct scene s = scene_begin();

	for (int i = 0; i < 40; i++) {
		wait_for(&s, 1, LOCK_MASTER, -1);
		s.threads[1].unclaimed = i % 2 == 0;
		look(&s);
	}
	CHECK(finding(s.w, "lost_wakeup") == NULL);
	s.threads[1].unclaimed = true;
	/* The release of its glibc tells whether that can be the one fault that is known. */
	static const struct {
		const char *libc, *remedy;
	} cases[] = {{"", "was lost, as by bug 25847 of glibc, which 2.41 fixes."},
	    {"2.36", "was lost: its glibc 2.36 has bug 25847, which 2.41 fixes.  Run it with 2.41 or later."},
	    {"2.40.9000", "was lost: its glibc 2.40.9000 has bug 25847"},
	    {"2.41", "was lost, but not by bug 25847 of glibc: its glibc is 2.41, and 2.41 fixes that."},
	    {"2.43", "but not by bug 25847"}, {"3.0", "but not by bug 25847"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s.libc = cases[i].libc;
		looks(&s, 25);
		CHECK(strstr(first(s.w, "lost_wakeup")->remedy, cases[i].remedy) != NULL);
	}
	scene_end(&s);
}

/* A lock is held for a share of the looks, by one that sleeps in a system call. */
static const struct advice_finding *held(struct scene *s, unsigned of_ten)
{
	for (unsigned i = 0; i < 200; i++) {
		go_on(s, 2);
		if (i % 10 < of_ten)
			wait_for(s, 2, LOCK_MUTEX, 3);
		look(s);
	}
	return finding(s->w, "lock_held");
}

TEST(test_lock_held)
{
	for (unsigned of_ten = 0; of_ten <= 10; of_ten++) {
		struct scene s = scene_begin();
		const struct advice_finding *f = held(&s, of_ten);

		if (of_ten < 3) {
			CHECK(f == NULL);
			CHECK(strstr(why_not(&s, "lock_held"), "quarter") != NULL);
		} else {
			CHECK(f != NULL);
			CHECK_INT(f->severity, of_ten >= 8 ? ADVICE_SERIOUS : ADVICE_HINT);
			CHECK(strstr(f->text, "sleeps") != NULL);
			CHECK_NEAR(f->figures[1].value, of_ten / 10.0, 0.01);
			CHECK_NEAR(f->figures[4].value, of_ten / 10.0 / THREADS, 0.01);
			/* A mean below one is not cut to none. */
			char text[512], want[64];
			advice_evidence_text(f, text, sizeof(text));
			snprintf(want, sizeof(want), ", waiters %.1f,", of_ten / 10.0);
			CHECK(strstr(text, want) != NULL);
		}
		scene_end(&s);
	}
}

/* Looks are closer to each other while threads wait: a wait of 2 s in each 10 s is a fifth of the time, of 4 s two. */
TEST(test_lock_held_in_stretches)
{
	for (unsigned seconds = 2; seconds <= 4; seconds += 2) {
		struct scene s = scene_begin();

		for (unsigned i = 0; i < 8; i++) {
			go_on(&s, 2);
			for (unsigned k = 0; k < (10 - seconds) * 2; k++) {
				look(&s);
				world_pass(s.w, 400 * WORLD_MS);
			}
			for (unsigned k = 0; k < seconds * 10; k++) {
				wait_for(&s, 2, LOCK_MUTEX, 3);
				look(&s);
			}
		}
		const struct advice_finding *f = finding(s.w, "lock_held");
		CHECK((f != NULL) == (seconds == 4));
		if (f != NULL)
			CHECK_NEAR(f->figures[1].value, 0.4, 0.05);
		scene_end(&s);
	}
}

/* Acceptors that take turns have nothing to do: that is not told, but another lock is. */
TEST(test_acceptors)
{
	for (int other = 0; other < 2; other++) {
		struct scene s = scene_begin();

		for (int i = 0; i < 2; i++)
			wait_for(&s, i, LOCK_MUTEX, 3);
		s.threads[3].call = SYS_accept4;
		if (other)
			wait_for(&s, 2, LOCK_MUTEX, 1);
		s.threads[2].lock.address = 0x2000;
		looks(&s, 200);
		const struct advice_finding *f = finding(s.w, "lock_held");
		CHECK((f != NULL) == other);
		if (f != NULL)
			CHECK(
			    strstr(f->text, "Threads wait 100% of the time for a mutex (0x2000)") == f->text);
		scene_end(&s);
	}
}

/* Who has a lock and waits for something else is said to wait for that. */
TEST(test_lock_held_by_a_waiter)
{
	static const struct {
		enum lock_kind kind;
		const char *text;
		bool frees;
	} cases[] = {{LOCK_CONDITION, "; its holder waits for a condition", true},
	    {LOCK_JOIN, "; its holder waits for the end of a thread", true},
	    {LOCK_MASTER, "; its holder waits for the master lock of domain 0", false},
	    {LOCK_LIBC, "; its holder waits for a lock of its C library", false}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct scene s = scene_begin();

		wait_for(&s, 2, LOCK_MUTEX, 3);
		wait_for(&s, 3, cases[c].kind, -1);
		s.threads[3].lock.address = 0x2000;
		looks(&s, 200);
		const struct advice_finding *f = finding(s.w, "lock_held");
		CHECK(f != NULL);
		if (f != NULL) {
			CHECK(strstr(f->text, cases[c].text) != NULL);
			CHECK((strstr(f->remedy, "Release the lock before the wait") != NULL) ==
			      cases[c].frees);
		}
		scene_end(&s);
	}
}

/* Where threads wait for a processor half as long as for a lock that is waited for at times, it is not told: who was woken for it
 * found it taken again.  A program that takes a lock with try_lock for a millisecond again and again had a waiter for 27 % to 35 % of
 * the time, and waited for a processor for 34 % to 46 % of it.  A lock that is waited for nearly always is told. */
TEST(test_lock_held_in_a_crowd)
{
	static const struct {
		unsigned of_ten, waits; /* of a hundred */
		bool told;
	} cases[] = {{4, 10, true}, {4, 50, false}, {3, 12, true}, {3, 24, false}, {7, 30, true},
	    {7, 40, false}, {9, 50, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene s = scene_begin();

		be_sampled(s.w);
		s.w->values[SYSTEM_WAIT] = WORLD_SECOND / 100 * cases[i].waits;
		CHECK_INT(held(&s, cases[i].of_ten) != NULL, cases[i].told);
		if (!cases[i].told)
			CHECK(strstr(why_not(&s, "lock_held"), "for a processor, too") != NULL);
		scene_end(&s);
	}
}

/* Few looks tell nothing. */
TEST(test_few)
{
	struct scene s = scene_begin();

	wait_for(&s, 2, LOCK_MUTEX, 3);
	looks(&s, 15);
	CHECK(finding(s.w, "lock_held") == NULL);
	CHECK_STR(why_not(&s, "lock_held"), "fewer than 20 looks at its locks");
	scene_end(&s);
}

/* Threads that compute take turns, and nothing is wrong.  One that serves, or needs the lock for less than a look's time, is late. */
TEST(test_master_lock)
{
	static const struct {
		bool serves, brief;
		const char *text;
	} cases[] = {{false, false, NULL},
	    {true, false,
		"Threads wait 100% of the time for the master lock of domain 0, 2.0 on average; one of them "
		"serves requests"},
	    {false, true,
		"Threads wait 100% of the time for the master lock of domain 0, 2.0 on average; one of them "
		"needs it only briefly"}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct scene s = scene_begin();

		s.threads[3].doing = LOCK_RUNS;
		for (int i = 0; i < 200; i++) {
			/* The third thread has its turn as the others have, or gives the lock up at once. */
			const int owner = cases[c].brief ? i % 2 : i % 3;
			const bool called = cases[c].serves && i % 20 == 0;

			for (int t = 0; t < 3; t++) {
				s.threads[t].doing = LOCK_RUNS;
				s.threads[t].lock.kind = LOCK_NONE;
				if (t != owner)
					wait_for(&s, t, LOCK_MASTER, owner);
			}
			if (called)
				go_on(&s, 2);
			look(&s);
		}
		const struct advice_finding *f = finding(s.w, "master_lock");
		CHECK((f != NULL) == (cases[c].text != NULL));
		if (f != NULL && cases[c].text != NULL) {
			CHECK_INT(f->domain, 0);
			CHECK_STR(f->text, cases[c].text);
			/* The two that have it in turns are seen at nothing else. */
			CHECK(f->proven);
			CHECK(strstr(f->remedy,
				  "2 threads compute, so one that serves requests waits 2 x 50 ms") != NULL);
		}
		scene_end(&s);
	}
}

/* One that keeps the master lock for longer than OCaml code does is told apart, unless its process waited for a processor as long,
 * or that is not known. */
TEST(test_master_lock_kept)
{
	enum { IN_C, SLEEPS, COLLECTS, GIVES_UP, WAITS_FOR_CPU, UNSAMPLED, CASES };

	for (int kind = 0; kind < CASES; kind++) {
		struct scene s = scene_begin();
		struct lock_named named = {.address = 0x1000, .has = "Log.flush log.ml:19"};

		be_sampled(s.w);
		s.w->sampled = kind != UNSAMPLED;
		s.w->values[SYSTEM_WAIT] = kind == WAITS_FOR_CPU ? WORLD_SECOND / 2 : 0;
		for (int i = 0; i < 200; i++) {
			wait_for(&s, 0, LOCK_MASTER, 1);
			s.threads[0].turns = kind == GIVES_UP ? (uint64_t)i : (uint64_t)i / 4;
			if (i % 20 == 0)
				go_on(&s, 0);
			s.threads[1].doing = kind == SLEEPS ? LOCK_IN_CALL : LOCK_RUNS;
			if (kind == COLLECTS && i == 150)
				begin(&s.w->feed, 0, s.w->now, RTEV_PHASE_EXPLICIT_GC_COMPACT);
			if (kind == COLLECTS && i == 152)
				end(&s.w->feed, 0, s.w->now, RTEV_PHASE_EXPLICIT_GC_COMPACT);
			look(&s);
		}
		const struct advice_finding *f = finding(s.w, "master_lock");
		CHECK(f != NULL);
		if (f == NULL)
			continue;
		CHECK((strstr(f->text, "; its holder runs, and keeps it for up to 300ms, in C that does not "
				       "release the runtime") != NULL) == (kind == IN_C || kind == COLLECTS));
		CHECK((strstr(f->text, "; its holder sleeps, and keeps it for up to 300ms, in C") != NULL) ==
		      (kind == SLEEPS));
		CHECK((strstr(f->text, " or in a collection") != NULL) == (kind == COLLECTS));
		/* A shorter sentence leaves out the holder with all that it does: what is left is of the one that waits. */
		lock_past_name(s.past, s.w->now, &named);
		looks(&s, 2);
		f = finding(s.w, "master_lock");
		CHECK(f != NULL && strstr(f->text, "Log.flush log.ml:19") != NULL);
		for (int i = 0; f != NULL && i < 2; i++)
			CHECK(
			    f->said.shorter[i][0] != '\0' && strstr(f->said.shorter[i], "keeps it") == NULL);
		CHECK((strstr(f->remedy, "x 50 ms") == NULL) == (kind <= COLLECTS));
		scene_end(&s);
	}
}

/* Threads that give the lock up all the time wait for it at most looks, and nobody has it: nobody is late. */
TEST(test_yields)
{
	struct scene s = scene_begin();

	for (int i = 0; i < 200; i++) {
		s.threads[1 - i % 2].doing = LOCK_RUNS;
		s.threads[1 - i % 2].lock.kind = LOCK_NONE;
		wait_for(&s, i % 2, LOCK_MASTER, -1);
		look(&s);
	}
	CHECK(finding(s.w, "master_lock") == NULL);
	scene_end(&s);
}

/* A lock is told by the functions of who waits for it and who has it, once they are known; that is asked for where threads wait often. */
TEST(test_names)
{
	struct scene s = scene_begin();
	struct lock_named named = {.address = 0x1000, .waits = "Bank.transfer bank.ml:31"};

	CHECK(!lock_past_unnamed(s.past, s.w->now));
	wait_for(&s, 0, LOCK_MUTEX, 2);
	looks(&s, 4);
	CHECK(!lock_past_unnamed(s.past, s.w->now));
	look(&s);
	CHECK(lock_past_unnamed(s.past, s.w->now));
	/* It may be of another lock. */
	named.address = 0x2000;
	lock_past_name(s.past, s.w->now, &named);
	CHECK(lock_past_unnamed(s.past, s.w->now));
	named.address = 0x1000;
	lock_past_name(s.past, s.w->now, &named);
	CHECK(!lock_past_unnamed(s.past, s.w->now));
	strcpy(named.has, "Log.flush log.ml:19");
	named.waits[0] = '\0';
	lock_past_name(s.past, s.w->now, &named);
	looks(&s, 200);
	const struct advice_finding *f = finding(s.w, "lock_held");
	CHECK(f != NULL);
	if (f != NULL)
		CHECK(strstr(f->text, " of the time for a mutex in Bank.transfer bank.ml:31, ") != NULL &&
		      strstr(f->text, "; its holder sleeps in Log.flush log.ml:19") != NULL);
	/* After a while they may be others. */
	CHECK(lock_past_unnamed(s.past, s.w->now));
	wait_for(&s, 2, LOCK_MUTEX, 0);
	s.threads[0].cycle = s.threads[2].cycle = s.cycles = 1;
	looks(&s, 20);
	f = finding(s.w, "deadlock");
	CHECK(f != NULL);
	if (f != NULL)
		CHECK(strstr(f->text, "thread 100 waits in Bank.transfer bank.ml:31 for a lock") != NULL);
	/* As many locks as are kept push the oldest out. */
	for (uint64_t i = 0; i < LOCK_NAMED; i++) {
		named.address = 0x3000 + i;
		lock_past_name(s.past, s.w->now + 1 + i, &named);
	}
	CHECK(lock_past_unnamed(s.past, s.w->now));
	scene_end(&s);
}
