/*
 * test_target_locks.c - which lock threads wait for, in a made-up process of each release: the kernel's words in a tree of
 * files, the runtime's in made-up memory.
 */
#include "target/locks.h"
#include "target/status.h"

#include <sys/syscall.h>

#include "support/made_runtime.h"
#include "support/test_target_tree.h"

enum { PID = 700, MASTERS = 0x11000, MUTEXES = 0x18000, CHANNELS = 0x19000, CONDITION = 0x1a000 };
#define STATIC UINT64_C(0x7e0000000100)

static struct made_runtime made;
static struct tree tree;

static unsigned thread_element(void)
{
	return made.release->pointer ? 144 : 136;
}

/* Write the mutex of a number: held by a thread, and waited for. */
static uint64_t put_mutex(unsigned number, int32_t owner, int32_t kind)
{
	const unsigned at = MUTEXES + number * 48;

	made_int(&made, at, 2);
	made_int(&made, at + 4, 0);
	made_int(&made, at + 8, owner);
	made_int(&made, at + 12, 1);
	made_int(&made, at + 16, kind);
	return MADE_BASE + at;
}

/* Have a thread be in a system call. */
static void put_call(int tid, const char *text)
{
	char dir[400], name[64];

	tree_dir(&tree, PID, dir);
	tree_mkdir(dir, "task");
	snprintf(name, sizeof name, "task/%d", tid);
	tree_mkdir(dir, name);
	snprintf(name, sizeof name, "task/%d/syscall", tid);
	tree_write(dir, name, text, strlen(text));
}

/* Have a thread wait for a word; `operation` as in the system call. */
static void put_wait(int tid, uint64_t word, unsigned operation)
{
	char text[200];

	snprintf(text, sizeof text, "%d 0x%llx 0x%x 0x2 0x0 0x0 0x0 0x7ffd0000 0x7f0000001000\n", SYS_futex,
	    (unsigned long long)word, operation);
	put_call(tid, text);
}

/* Make a process of a release, with two threads that do nothing. */
static struct locks *begin(unsigned release, struct runtime **runtime)
{
	static const char data[] = "7e0000000000-7e0000001000 rw-p 00001000 08:01 77 /bin/none\n";
	const char *why = "";
	char dir[400];

	made_runtime(&made, release);
	if (made.release->pointer)
		*made_word(&made, 8 * RUNTIME_THREAD_TABLE) = MADE_BASE + MASTERS;
	else
		made.symbols.variable[RUNTIME_THREAD_TABLE] = MADE_BASE + MASTERS;
	tree_create(&tree);
	tree_process(&tree, PID, "/bin/none");
	tree_write(tree_dir(&tree, PID, dir), "maps", data, strlen(data));
	put_call(PID, "running\n");
	put_call(701, "running\n");
	*runtime = made_open(&made, made.release->version, &why);
	CHECK(*runtime != NULL);
	struct locks *locks = locks_create(*runtime, tree.root, PID, &why);
	CHECK(locks != NULL);
	return locks;
}

static void end(struct locks *locks, struct runtime *runtime)
{
	locks_destroy(locks);
	runtime_destroy(runtime);
}

static const struct lock_thread *thread_of(const struct locks_look *look, int32_t tid)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->threads[i].tid == tid)
			return &look->threads[i];
	TEST_FAIL("no thread %d", tid);
}

TEST(test_call)
{
	struct status_place call;

	CHECK(status_parse_place("running\n", &call) && call.running);
	CHECK(status_parse_place("202 0x7f01 0x189 0x2 0x0 0x0 0x0 0x1 0x2\n", &call) && !call.running);
	CHECK_INT(call.number, 202);
	CHECK_INT(call.arguments[0], 0x7f01);
	CHECK_INT(call.arguments[1], 0x189);
	CHECK_INT(call.sp, 1);
	CHECK(status_parse_place("-1 0x7ffd 0x1000\n", &call) && call.number == -1);
	CHECK(!status_parse_place("", &call) && !status_parse_place("x", &call) &&
	      !status_parse_place("202 0x1", &call) && !status_parse_place("99999999999 0x0 0x0 0x0", &call));
}

/* Each kind of word, on each release. */
TEST(test_kinds)
{
	for (unsigned release = 0; release < MADE_RELEASES; release++) {
		struct runtime *runtime;
		struct locks_look look;
		struct locks *locks = begin(release, &runtime);
		const struct made_release *r = &made_releases[release];
		const uint64_t master = MADE_BASE + MASTERS + 2 * thread_element();

		made_int(&made, made_element(&made, 2) + r->lock + 8, 701); /* domain 2 is run by 701 */
		made_int(&made, (unsigned)(master - MADE_BASE) + 56, 1);
		put_wait(702, master + 108, 0x189);
		put_wait(703, put_mutex(0, 701, 2), 0x80);
		put_wait(704, MADE_BASE + CHANNELS + 40, 0x80);
		*made_word(&made, 8 * RUNTIME_CHANNELS) = MADE_BASE + CHANNELS;
		made_int(&made, CHANNELS, 5);
		made_int(&made, CHANNELS + 40, 2);
		made_int(&made, CHANNELS + 48, 701);
		made_int(&made, CHANNELS + 52, 1);
		made_int(&made, CHANNELS + 56, 2);
		put_wait(705, MADE_BASE + CONDITION + 36, 0x189);
		put_wait(706, MADE_BASE + made_element(&made, 2) + r->lock, 0x80);
		put_wait(707, put_mutex(1, 0x7fff, 9), 0x80); /* no words of a mutex */
		/* Static variables of the program: a mutex, and a condition as of Lwt's pool of threads. */
		put_wait(709, STATIC, 0x80);
		put_wait(710, STATIC + 0x44, 0x189);
		put_call(708, "230 0x0 0x0 0x7ff 0x0 0x0 0x0 0x1 0x2\n");
		CHECK_INT(locks_look(locks, 1000, &look), 0);
		CHECK_INT(look.count, 11);
		CHECK_INT(thread_of(&look, 701)->doing, LOCK_RUNS);
		CHECK_INT(thread_of(&look, 702)->lock.kind, LOCK_MASTER);
		CHECK_INT(thread_of(&look, 702)->lock.domain, 2);
		CHECK_INT(thread_of(&look, 702)->owner, 701);
		CHECK_INT(thread_of(&look, 702)->owner_at, MADE_BASE + made_element(&made, 2) + r->lock + 8);
		CHECK(!thread_of(&look, 702)->unclaimed);
		CHECK_INT(thread_of(&look, 703)->lock.kind, LOCK_MUTEX);
		CHECK_INT(thread_of(&look, 703)->owner, 701);
		CHECK_INT(thread_of(&look, 703)->owner_at, thread_of(&look, 703)->lock.address + 8);
		CHECK_INT(thread_of(&look, 704)->lock.kind, LOCK_CHANNEL);
		CHECK_INT(thread_of(&look, 704)->lock.fd, 5);
		CHECK_INT(thread_of(&look, 705)->lock.kind, LOCK_CONDITION);
		CHECK_INT(thread_of(&look, 705)->lock.address, MADE_BASE + CONDITION + 32);
		CHECK_INT(thread_of(&look, 706)->lock.kind, LOCK_RUNTIME);
		CHECK_INT(thread_of(&look, 706)->owner, 701);
		CHECK_INT(thread_of(&look, 707)->doing, LOCK_IN_CALL);
		CHECK_INT(thread_of(&look, 707)->lock.kind, LOCK_NONE);
		CHECK_INT(thread_of(&look, 708)->call, 230);
		CHECK_INT(thread_of(&look, 709)->lock.kind, LOCK_RUNTIME);
		CHECK_INT(thread_of(&look, 710)->lock.kind, LOCK_CONDITION);
		CHECK_INT(thread_of(&look, 710)->lock.address, STATIC + 0x40);
		CHECK_INT(look.cycles, 0);
		end(locks, runtime);
	}
}

/* Two threads wait for each other: that is told at the second look, with a third that only waits for one of them. */
TEST(test_circle)
{
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(3, &runtime);

	put_wait(PID, put_mutex(0, 701, 2), 0x80);
	put_wait(701, put_mutex(1, PID, 2), 0x80);
	put_wait(702, put_mutex(0, 701, 2), 0x80);
	CHECK_INT(locks_look(locks, 1000, &look), 0);
	CHECK_INT(look.cycles, 0);
	CHECK_INT(locks_look(locks, 2000, &look), 0);
	CHECK_INT(look.cycles, 1);
	CHECK_INT(thread_of(&look, PID)->cycle, 1);
	CHECK_INT(thread_of(&look, 701)->cycle, 1);
	CHECK_INT(thread_of(&look, 702)->cycle, 0);
	CHECK_INT(thread_of(&look, 702)->since, 1000);
	/* Another lock is another wait. */
	put_wait(701, put_mutex(2, PID, 2), 0x80);
	CHECK_INT(locks_look(locks, 3000, &look), 0);
	CHECK_INT(look.cycles, 0);
	CHECK_INT(thread_of(&look, 701)->since, 3000);
	end(locks, runtime);
}

/* Count down to a moment within a look, and give the lock to who waits for it then. */
static unsigned reads_left;
static void give_up(struct made_runtime *m, size_t place)
{
	(void)place;
	if (reads_left > 0 && --reads_left == 0)
		made_int(m, MUTEXES + 8, 702);
}

/* A lock that changes hands while it is looked at is not told, whenever that is. */
TEST(test_torn)
{
	for (unsigned moment = 1; moment < 8; moment++) {
		struct runtime *runtime;
		struct locks_look look;
		struct locks *locks = begin(4, &runtime);

		put_wait(702, put_mutex(0, 701, 2), 0x80);
		reads_left = moment;
		made.before = give_up;
		CHECK_INT(locks_look(locks, 1000, &look), 0);
		const struct lock_thread *thread = thread_of(&look, 702);
		CHECK(thread->lock.kind == LOCK_NONE || thread->owner == 701);
		CHECK_INT(look.cycles, 0);
		made.before = NULL;
		end(locks, runtime);
	}
}

/* A mutex that was just given up is one for those that still sleep for it, if it was seen with an owner; without its words it
 * is none. */
TEST(test_given_up)
{
	for (int other = 0; other < 5; other++) {
		struct runtime *runtime;
		struct locks_look look;
		struct locks *locks = begin(4, &runtime);

		put_wait(702, put_mutex(0, 701, 2), 0x80);
		put_wait(703, put_mutex(1, 0, 2), 0x80);
		CHECK_INT(locks_look(locks, 1000, &look), 0);
		CHECK_INT(thread_of(&look, 703)->lock.kind, LOCK_NONE);
		made_int(&made, MUTEXES, other == 1 ? 3 : 0);
		made_int(&made, MUTEXES + 4, other == 2);
		made_int(&made, MUTEXES + 8, 0);
		made_int(&made, MUTEXES + 12, other == 3);
		made_int(&made, MUTEXES + 16, other == 4 ? 7 : 2);
		CHECK_INT(locks_look(locks, 2000, &look), 0);
		CHECK_INT(thread_of(&look, 702)->lock.kind, other == 0 ? LOCK_MUTEX : LOCK_NONE);
		CHECK(thread_of(&look, 702)->owner == 0 && !thread_of(&look, 702)->dead);
		end(locks, runtime);
	}
}

/* Which glibc it is is read of the library once a wake-up seems lost. */
TEST(test_libc)
{
	static const char map[] =
	    "2c000-30000 r--p 00000000 08:01 77                 /lib/x86_64-linux-gnu/libc.so.6\n";
	static const struct {
		const char *says, *release;
	} cases[] = {{"stable release version 2.36.\n", "2.36"},
	    {"development release version 2.41.90.\n", "2.41.90"}, {"stable release version .\n", ""},
	    {"stable release version 1234567890.1234567\n", ""}, {"stable rel", ""}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct runtime *runtime;
		struct locks_look look;
		struct locks *locks = begin(5, &runtime);
		const char *why;
		char dir[400];

		locks_destroy(locks);
		tree_write(tree_dir(&tree, PID, dir), "maps", map, sizeof map - 1);
		/* Over the end of a page. */
		memcpy((char *)made.memory + 0x1e000 - 20 + 4 * i, cases[i].says, strlen(cases[i].says));
		locks = locks_create(runtime, tree.root, PID, &why);
		CHECK(locks != NULL);
		CHECK_INT(locks_look(locks, 1000, &look), 0);
		CHECK_STR(look.libc, "");
		put_wait(703, MADE_BASE + MASTERS + 104, 0x189);
		made_int(&made, made_element(&made, 0) + made.release->lock + 8, 0);
		*made_word(&made, MASTERS + 64) = 1;
		CHECK_INT(locks_look(locks, UINT64_C(2000000000), &look), 0);
		CHECK_STR(look.libc, cases[i].release);
		end(locks, runtime);
	}
}

/* A lock whose owner is no thread, and a master lock that nobody takes. */
TEST(test_gone)
{
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(5, &runtime);
	const unsigned master = MASTERS;

	put_wait(702, put_mutex(0, 999, 2), 0x80);
	put_wait(703, MADE_BASE + master + 104, 0x189);
	made_int(&made, made_element(&made, 0) + made.release->lock + 8, 0);
	*made_word(&made, master + 64) = 1;
	CHECK_INT(locks_look(locks, 1000, &look), 0);
	CHECK(thread_of(&look, 702)->dead && thread_of(&look, 702)->owner == 0);
	CHECK(thread_of(&look, 703)->unclaimed && !thread_of(&look, 703)->dead);
	/* Two wait, and one of them was woken. */
	*made_word(&made, master + 64) = 2;
	CHECK_INT(locks_look(locks, 2000, &look), 0);
	CHECK(!thread_of(&look, 703)->unclaimed);
	end(locks, runtime);
}

/* In another pid namespace locks name other numbers. */
TEST(test_namespace)
{
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(3, &runtime);
	char dir[400];

	locks_destroy(locks);
	tree_status(&tree, PID, PID, (unsigned)getuid(), "700\t1");
	tree_dir(&tree, PID, dir);
	tree_write(dir, "task/700/status", "NSpid:\t700\t1\n", 13);
	tree_write(dir, "task/701/status", "NSpid:\t701\t2\n", 13);
	const char *why;
	locks = locks_create(runtime, tree.root, PID, &why);
	put_wait(PID, put_mutex(0, 2, 2), 0x80);
	CHECK_INT(locks_look(locks, 1000, &look), 0);
	CHECK_INT(thread_of(&look, PID)->owner, 701);
	end(locks, runtime);
}

/* The locks of another C library are refused, and one whose threads are gone has ended. */
TEST(test_refused)
{
	static const char map[] =
	    "7f0000000000-7f0000001000 r-xp 00000000 08:01 77                 /lib/ld-musl-x86_64.so.1\n";
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(3, &runtime);
	const char *why = "";
	char dir[400];

	tree_dir(&tree, PID, dir);
	tree_write(dir, "maps", map, sizeof map - 1);
	CHECK(locks_create(runtime, tree.root, PID, &why) == NULL);
	CHECK(strstr(why, "musl") != NULL);
	CHECK_INT(locks_look(locks, 1, &look), 0);
	end(locks, runtime);
}

/* A C library that is part of the program shows itself once a thread waits for a mutex: by the second word, which has the owner. */
TEST(test_static_musl)
{
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(3, &runtime);

	CHECK_INT(locks_look(locks, 1, &look), 0);
	put_call(702, "202 0x7f0000018004 0x80 0xffffffff800002bd 0x0 0x0 0x0 0x1 0x2\n");
	CHECK_INT(locks_look(locks, UINT64_C(2000000000), &look), ENOSYS);
	CHECK_INT(look.count, 0);
	end(locks, runtime);
}

/* Beside glibc such a word is somebody else's. */
TEST(test_word_like_musl)
{
	static const char map[] = "7f0000000000-7f0000001000 r-xp 00000000 08:01 77                 "
				  "/lib/x86_64-linux-gnu/libc.so.6\n";
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(3, &runtime);
	const char *why;
	char dir[400];

	locks_destroy(locks);
	tree_dir(&tree, PID, dir);
	tree_write(dir, "maps", map, sizeof map - 1);
	locks = locks_create(runtime, tree.root, PID, &why);
	CHECK(locks != NULL);
	put_call(702, "202 0x7f0000018004 0x80 0xffffffff800002bd 0x0 0x0 0x0 0x1 0x2\n");
	CHECK_INT(locks_look(locks, 1, &look), 0);
	CHECK(look.count > 0);
	end(locks, runtime);
}

/* Who has the threads of a domain take turns is told apart: its stack ends at the control block that the runtime names. */
TEST(test_tick)
{
	for (unsigned release = 0; release < MADE_RELEASES; release++) {
		struct runtime *runtime;
		struct locks_look look;
		struct locks *locks = begin(release, &runtime);

		*made_word(&made, MASTERS + 2 * thread_element() + 128) = 0x7f0000801000;
		put_call(702, "270 0x0 0x0 0x0 0x0 0x0 0x0 0x7f0000800f00 0x2\n");
		put_call(703, "270 0x0 0x0 0x0 0x0 0x0 0x0 0x7f0000001000 0x2\n");
		CHECK_INT(locks_look(locks, 1, &look), 0);
		CHECK(thread_of(&look, 702)->tick);
		CHECK(!thread_of(&look, 703)->tick);
		end(locks, runtime);
	}
}

/* Threads are listed once a second; an owner that is not in the list has them listed again, and is no dead one. */
TEST(test_new_thread)
{
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(3, &runtime);

	CHECK_INT(locks_look(locks, 1000, &look), 0);
	put_call(702, "running\n");
	CHECK_INT(locks_look(locks, 2000, &look), 0);
	CHECK_INT(look.count, 2);
	put_wait(701, put_mutex(0, 702, 2), 0x80);
	CHECK_INT(locks_look(locks, 3000, &look), 0);
	CHECK(thread_of(&look, 701)->dead);
	CHECK_INT(locks_look(locks, 4000, &look), 0);
	CHECK(!thread_of(&look, 701)->dead);
	CHECK_INT(thread_of(&look, 701)->owner, 702);
	CHECK_INT(look.count, 3);
	end(locks, runtime);
}

/* ---- the end of a thread ---- */

enum {
	RECORD = 0x1b000,
	DESCRIPTOR = 0x1b108,
	CUSTOMS = 0x1b208,
	ENDED = 0x1b300,
	TWO = 0x1b410,
	BESIDE = 0x1b508
};

/* The stack of a thread, its control block above it, and where it was left for OCaml code. */
static uint64_t put_stack(unsigned number, int32_t tid)
{
	const unsigned top = 0x1d000 + number * 0x800;

	*made_word(&made, top) = *made_word(&made, top + 16) = MADE_BASE + top;
	made_int(&made, top + 0x2d0, tid);
	return MADE_BASE + top - 0x200;
}

/* A custom block that holds an address. */
static uint64_t put_custom(unsigned number, uint64_t address)
{
	const unsigned at = CUSTOMS + number * 32;

	*made_word(&made, at - 8) = 2 << 10 | 255;
	*made_word(&made, at + 8) = address;
	return MADE_BASE + at;
}

/* Have a thread be a systhread of domain 0, and the only one. */
static void put_systhread(int32_t tid)
{
	*made_word(&made, MASTERS) = MADE_BASE + RECORD;
	*made_word(&made, RECORD) = MADE_BASE + DESCRIPTOR;
	*made_word(&made, RECORD + 8) = MADE_BASE + RECORD;
	*made_word(&made, RECORD + 40) = put_stack(0, tid);
	*made_word(&made, DESCRIPTOR - 8) = 3 << 10;
	*made_word(&made, DESCRIPTOR + 16) = put_custom(0, MADE_BASE + ENDED);
}

/* Have a thread be the first of a domain that has no other. */
static void put_domain(unsigned domain, unsigned number, int32_t tid)
{
	const bool closure = made.release - made_releases < 2;
	const uint64_t left = put_stack(number, tid), condition = put_custom(1, MADE_BASE + ENDED + 48),
		       mutex = put_custom(2, MADE_BASE + ENDED);

	*made_word(&made, made_state(domain) + (made.release == made_releases ? 56 : 64)) = left;
	*made_word(&made, (unsigned)(left - MADE_BASE) + 0x100) = MADE_BASE + TWO;
	*made_word(&made, TWO - 8) = 0x21;
	*made_word(&made, TWO) = closure ? MADE_BASE + BESIDE : 1;
	*made_word(&made, TWO + 8) = closure ? mutex : MADE_BASE + BESIDE;
	*made_word(&made, BESIDE - 8) = closure ? 5 << 10 | 247 : 3 << 10;
	*made_word(&made, BESIDE) = 1;
	*made_word(&made, BESIDE + 8) = mutex;
	*made_word(&made, BESIDE + 16) = closure ? mutex : condition;
	*made_word(&made, BESIDE + 24) = condition;
}

/* Who waits for the end of a thread that waits for what it has: a circle, by Thread.join and Domain.join, in both forms of glibc's
 * conditions. */
TEST(test_join)
{
	for (unsigned release = 0; release < MADE_RELEASES; release++)
		for (unsigned how = 0; how < 4; how++) {
			struct runtime *runtime;
			struct locks_look look;
			struct locks *locks = begin(release, &runtime);

			if (how % 2 == 0)
				put_systhread(701);
			else
				put_domain(2, 0, 701);
			put_wait(701, put_mutex(0, PID, 2), 0x80);
			put_wait(PID, MADE_BASE + ENDED + 48 + (how < 2 ? 32 : 44), 0x189);
			CHECK_INT(locks_look(locks, 1000, &look), 0);
			CHECK_INT(look.cycles, 0);
			CHECK_INT(locks_look(locks, 2000, &look), 0);
			CHECK_INT(thread_of(&look, PID)->lock.kind, LOCK_JOIN);
			CHECK_INT(thread_of(&look, PID)->owner, 701);
			CHECK_INT(thread_of(&look, PID)->since, 1000);
			CHECK_INT(look.cycles, 1);
			CHECK(thread_of(&look, PID)->cycle == 1 && thread_of(&look, 701)->cycle == 1);
			end(locks, runtime);
		}
}

/* A thread that waits for its own end is a circle alone. */
TEST(test_join_itself)
{
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(3, &runtime);

	put_systhread(701);
	put_wait(701, MADE_BASE + ENDED + 48 + 32, 0x189);
	for (uint64_t now = 1000; now < 3000; now += 1000)
		CHECK_INT(locks_look(locks, now, &look), 0);
	CHECK_INT(look.cycles, 1);
	CHECK(thread_of(&look, 701)->cycle == 1 && thread_of(&look, 701)->next >= 0);
	end(locks, runtime);
}

/* What looks like the end of a thread and is none, or is of two, or is of a thread that has ended. */
TEST(test_no_join)
{
	enum { OTHER_WORD, NO_CHUNK, A_PAIR, OF_TWO, ENDS, NO_CUSTOM, NO_THREAD, CASES };

	for (unsigned how = 0; how < CASES; how++) {
		struct runtime *runtime;
		struct locks_look look;
		struct locks *locks = begin(4, &runtime);
		const bool systhread = how == ENDS || how == NO_CUSTOM;

		if (systhread)
			put_systhread(701);
		else
			put_domain(2, 0, how == NO_THREAD ? 999 : 701);
		if (how == NO_CHUNK)
			*made_word(&made, TWO - 8) = 2 << 10;
		if (how == A_PAIR)
			*made_word(&made, TWO) = 3;
		if (how == OF_TWO)
			put_domain(0, 1, 702);
		if (how == ENDS)
			made_int(&made, ENDED + 40, 1);
		if (how == NO_CUSTOM)
			*made_word(&made, CUSTOMS - 8) = 2 << 10;
		put_wait(701, put_mutex(0, PID, 2), 0x80);
		put_wait(702, put_mutex(0, PID, 2), 0x80);
		put_wait(PID, MADE_BASE + ENDED + 48 + (how == OTHER_WORD ? 16 : 32), 0x189);
		for (uint64_t now = 1000; now < 4000; now += 1000)
			CHECK_INT(locks_look(locks, now, &look), 0);
		CHECK_INT(thread_of(&look, PID)->lock.kind, LOCK_CONDITION);
		CHECK_INT(thread_of(&look, PID)->owner, 0);
		CHECK_INT(look.cycles, 0);
		end(locks, runtime);
	}
}

/* What was read of a condition is not believed of a later wait at its address, where another one may be by now. */
TEST(test_join_before)
{
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(4, &runtime);

	put_systhread(701);
	for (uint64_t now = 1000; now < 6000; now += 1000) {
		if (now == 3000) {
			put_call(PID, "running\n");
			made_int(&made, ENDED + 40, 1);
		} else {
			put_wait(PID, MADE_BASE + ENDED + 48 + 32, 0x189);
		}
		CHECK_INT(locks_look(locks, now, &look), 0);
		if (now == 2000)
			CHECK_INT(thread_of(&look, PID)->lock.kind, LOCK_JOIN);
		if (now > 3000)
			CHECK_INT(thread_of(&look, PID)->lock.kind, LOCK_CONDITION);
	}
	end(locks, runtime);
}

/* Stacks full of zeros, of as many threads as would take all reads if each zero was one, hide no end. */
TEST(test_join_zeros)
{
	enum { THREADS = 40, RECORDS = 0x1e800, RECORD_SIZE = 64, DEEP = 0xc000 };
	struct runtime *runtime;
	struct locks_look look;
	struct locks *locks = begin(4, &runtime);

	put_systhread(701);
	*made_word(&made, DEEP) = *made_word(&made, DEEP + 16) = MADE_BASE + DEEP;
	made_int(&made, DEEP + 0x2d0, 702);
	for (unsigned i = 0; i < THREADS; i++) {
		const unsigned at = RECORDS + i * RECORD_SIZE;
		*made_word(&made, at + 8) =
		    MADE_BASE + (i + 1 < THREADS ? at + RECORD_SIZE : (unsigned)RECORD);
		*made_word(&made, at + 40) = MADE_BASE + DEEP - 0x2000;
	}
	*made_word(&made, RECORD + 8) = MADE_BASE + RECORDS;
	put_call(702, "running\n");
	for (uint64_t now = 1000; now < 3000; now += 1000) {
		put_wait(PID, MADE_BASE + ENDED + 48 + 32, 0x189);
		CHECK_INT(locks_look(locks, now, &look), 0);
	}
	CHECK_INT(thread_of(&look, PID)->lock.kind, LOCK_JOIN);
	end(locks, runtime);
}
