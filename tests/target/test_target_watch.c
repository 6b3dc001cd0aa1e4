/*
 * test_target_watch.c - watching a process: is it there, has it paused its events, how much memory it has.
 *
 * The real targets here are children of this test.  It carries the two variables of an OCaml runtime, made in
 * assembly so that no sanitizer changes their size.
 */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "target/alive.h"
#include "target/processes.h"
#include "target/maps.h"
#include "target/status.h"
#include "target/events_paused.h"
#include "support/runtime_variables.h"
#include "support/test_target_tree.h"

static const char *self_path;

/* Start a child that reads commands from the pipe and answers each with a byte. */
struct child {
	pid_t pid;
	int to, from;
};

/* What the child does: e, d, p, r set the variables; x runs this program anew; q ends. */
static void serve(int in, int out)
{
	char command;

	while (read(in, &command, 1) == 1 && command != 'q') {
		if (command == 'e' || command == 'd')
			runtime_events_enabled = command == 'e';
		if (command == 'p' || command == 'r')
			runtime_events_paused = command == 'p';
		if (command == 'j')
			runtime_events_paused = 77;
		if (command == 'x') {
			char in_text[16], out_text[16];

			snprintf(in_text, sizeof in_text, "%d", in);
			snprintf(out_text, sizeof out_text, "%d", out);
			execl(self_path, "served anew", "serve", in_text, out_text, (char *)NULL);
		}
		if (write(out, &command, 1) != 1)
			break;
	}
	_exit(7);
}

/* Start a child. */
static struct child start(void)
{
	struct child child;
	int to[2], from[2];

	CHECK(pipe(to) == 0 && pipe(from) == 0);
	child.pid = fork();
	CHECK(child.pid >= 0);
	if (child.pid == 0) {
		close(to[1]);
		close(from[0]);
		serve(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	child.to = to[1];
	child.from = from[0];
	return child;
}

/* Send a command and wait until it is done. */
static void tell(const struct child *child, char command)
{
	char answer;

	CHECK_INT(write(child->to, &command, 1), 1);
	CHECK_INT(read(child->from, &answer, 1), 1);
}

/* Let the child end; it stays uncollected until finish. */
static void quit(const struct child *child)
{
	char answer;

	CHECK_INT(write(child->to, "q", 1), 1);
	CHECK_INT(read(child->from, &answer, 1), 0);
}

/* Collect the child. */
static void finish(const struct child *child)
{
	int status;

	close(child->to);
	close(child->from);
	CHECK_INT(waitpid(child->pid, &status, 0), child->pid);
}

TEST(test_alive)
{
	struct child child = start();
	struct alive *alive, *second;
	struct pollfd item = {.events = POLLIN};
	struct alive_activity now;
	struct status_stat stat;
	struct proc proc;

	CHECK_INT(alive_create(&alive, NULL, child.pid, 0), 0);
	CHECK_INT(alive_check(alive), ALIVE_RUNNING);
	CHECK_INT(alive_pid(alive), child.pid);
	CHECK(strncmp(alive_names(alive)->name, "test_target_wat", 15) == 0);
	CHECK(alive_uptime(alive) < 60);
	CHECK(alive_activity(alive, &now) && now.cpu_ns < UINT64_C(60000000000) && !now.stopped);
	CHECK_INT(kill(child.pid, SIGSTOP), 0);
	CHECK_INT(waitpid(child.pid, &(int){0}, WUNTRACED), child.pid);
	CHECK(alive_activity(alive, &now) && now.stopped);
	CHECK_INT(kill(child.pid, SIGCONT), 0);
	CHECK_INT(waitpid(child.pid, &(int){0}, WCONTINUED), child.pid);
	CHECK(alive_activity(alive, &now) && !now.stopped);

	/* The same number with another start is another process. */
	CHECK_INT(proc_open(&proc, NULL, child.pid), 0);
	CHECK_INT(status_read_stat(&proc, &stat), 0);
	proc_close(&proc);
	CHECK(stat.start_ticks > 0);
	CHECK_INT(alive_create(&second, NULL, child.pid, stat.start_ticks), 0);
	alive_destroy(second);
	CHECK_INT(alive_create(&second, NULL, child.pid, stat.start_ticks - 1), ESRCH);
	CHECK(second == NULL);

	item.fd = alive_fd(alive);
	if (item.fd >= 0)
		CHECK_INT(poll(&item, 1, 0), 0);
	quit(&child);
	if (item.fd >= 0)
		CHECK_INT(poll(&item, 1, 10000), 1);
	/* Ended, though its parent has not collected it yet. */
	for (int i = 0; i < 1000 && alive_check(alive) != ALIVE_ENDED; i++)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	CHECK_INT(alive_check(alive), ALIVE_ENDED);
	CHECK(!alive_activity(alive, &now));
	CHECK_INT(alive_create(&second, NULL, child.pid, 0), ESRCH);
	finish(&child);
	CHECK_INT(alive_check(alive), ALIVE_ENDED);
	CHECK_INT(alive_create(&second, NULL, child.pid, 0), ESRCH);
	alive_destroy(alive);
	alive_destroy(NULL);
}

TEST(test_exec)
{
	struct child child = start();
	struct alive *alive;

	CHECK_INT(alive_create(&alive, NULL, child.pid, 0), 0);
	tell(&child, 'e');
	CHECK_INT(alive_check(alive), ALIVE_RUNNING);
	/* Answered by the new program; which is the same file, so that only its stack tells. */
	tell(&child, 'x');
	if (alive_check(alive) == ALIVE_EXECED) {
		CHECK(strncmp(alive_names(alive)->command, "served anew serve ", 18) == 0);
		CHECK_INT(alive_check(alive), ALIVE_RUNNING);
	}
	quit(&child);
	finish(&child);
	alive_destroy(alive);
}

/* Where there is no pidfd, and for what can't be had of a real process. */
TEST(test_alive_by_stat)
{
	struct alive *alive;
	struct tree tree;
	struct alive_activity now;

	tree_create(&tree);
	tree_write(tree.base, "one", "1", 1);
	tree_write(tree.base, "two", "2", 1);
	tree_process(&tree, 10, tree_path(&tree, "one"));
	tree_write(tree_path(&tree, "proc/10"), "cmdline", "prog\0--flag\0x\0", 14);
	CHECK_INT(alive_create(&alive, tree.root, 11, 0), ESRCH);
	CHECK_INT(alive_create(&alive, tree.root, 10, 5000), 0);
	CHECK_INT(alive_fd(alive), -1);
	CHECK_STR(alive_names(alive)->name, "prog");
	CHECK_STR(alive_names(alive)->command, "prog --flag x");
	CHECK(alive_activity(alive, &now));
	CHECK_INT(now.cpu_ns, 300 * (INT64_C(1000000000) / sysconf(_SC_CLK_TCK)));
	CHECK_INT(alive_check(alive), ALIVE_RUNNING);

	tree_link(&tree, 10, "exe", tree_path(&tree, "two"));
	tree_write(tree_path(&tree, "proc/10"), "cmdline", "other\0", 6);
	CHECK_INT(alive_check(alive), ALIVE_EXECED);
	CHECK_STR(alive_names(alive)->command, "other");
	CHECK_INT(alive_check(alive), ALIVE_RUNNING);
	tree_text(&tree, 10, "cmdline", ""); /* not there yet */
	tree_stat(&tree, 10, "again", 'R', 5000, 140737488000000u);
	CHECK_INT(alive_check(alive), ALIVE_EXECED);
	CHECK_STR(alive_names(alive)->name, "again");
	CHECK_STR(alive_names(alive)->command, "");
	tree_text(&tree, 10, "cmdline", "again");
	CHECK_INT(alive_check(alive), ALIVE_RUNNING);
	CHECK_STR(alive_names(alive)->command, "again");
	/* No exec: what may not be seen any more. */
	tree_stat(&tree, 10, "again", 'R', 5000, 1);
	CHECK_INT(alive_check(alive), ALIVE_RUNNING);
	tree_link(&tree, 10, "exe", "/nowhere/at/all");
	CHECK_INT(alive_check(alive), ALIVE_RUNNING);

	/* Another process under the number. */
	tree_stat(&tree, 10, "thief", 'R', 6000, 0);
	CHECK_INT(alive_check(alive), ALIVE_ENDED);
	tree_stat(&tree, 10, "again", 'R', 5000, 0);
	CHECK_INT(alive_check(alive), ALIVE_ENDED); /* and never comes back */
	alive_destroy(alive);
}

TEST(test_tracing)
{
	struct child child = start();
	struct tracing *tracing = tracing_create(NULL, child.pid);

	if (tracing_read(tracing) == TRACING_UNKNOWN &&
	    strstr(tracing_reason(tracing), "permitted") != NULL) {
		printf("not permitted to read a child's memory: this part not tried\n");
	} else {
		CHECK_INT(tracing_read(tracing), TRACING_NOT_ENABLED);
		CHECK_STR(tracing_reason(tracing), "");
		tell(&child, 'e');
		CHECK_INT(tracing_read(tracing), TRACING_RUNNING);
		tell(&child, 'p');
		CHECK_INT(tracing_read(tracing), TRACING_PAUSED);
		tell(&child, 'r');
		CHECK_INT(tracing_read(tracing), TRACING_RUNNING);
		tell(&child, 'j');
		CHECK_INT(tracing_read(tracing), TRACING_UNKNOWN);
		CHECK(tracing_reason(tracing)[0] != '\0');
		tell(&child, 'd');
		tell(&child, 'r');
		CHECK_INT(tracing_read(tracing), TRACING_NOT_ENABLED);
	}
	quit(&child);
	finish(&child);
	CHECK_INT(tracing_read(tracing), TRACING_UNKNOWN);
	tracing_destroy(tracing);
	tracing_destroy(NULL);

	tracing = tracing_create(NULL, child.pid);
	CHECK_INT(tracing_read(tracing), TRACING_UNKNOWN);
	CHECK(tracing_reason(tracing)[0] != '\0');
	tracing_destroy(tracing);
}

static struct image_maker maker;

/* Give process 10 of a tree this image as program, and an address space in which its data are loaded at
 * `bias` more than it says. */
static void put_program(
    const struct tree *tree, unsigned type, uint64_t bias, uint64_t enabled, uint64_t paused)
{
	uint64_t values[2] = {enabled, paused}, address;
	char maps[1400];
	int fd;

	image_begin(&maker);
	image_word(&maker, 0);
	image_symbol(&maker, "runtime_events_enabled", 0, 8, STT_OBJECT);
	image_symbol(&maker, "runtime_events_paused", 8, 8, STT_OBJECT);
	image_word(&maker, 0);
	image_finish(&maker, type, PF_R);
	tree_write(tree->base, "prog", maker.file, maker.file_size);
	tree_link(tree, 10, "exe", tree_path(tree, "prog"));
	snprintf(maps, sizeof maps,
	    "%" PRIx64 "-%" PRIx64 " r--p 00000000 08:01 77 %s\n%" PRIx64 "-%" PRIx64
	    " rw-p 00000000 08:01 77 %s\n",
	    IMAGE_BASE + bias, IMAGE_BASE + bias + 0x1000, tree_path(tree, "prog"),
	    IMAGE_BASE + bias + 0x1000, IMAGE_BASE + bias + 0x2000, tree_path(tree, "prog"));
	tree_text(tree, 10, "maps", maps);
	tree_text(tree, 10, "mem", "");
	fd = open(tree_path(tree, "proc/10/mem"), O_WRONLY);
	address = maker.data_offset + IMAGE_BASE + bias;
	CHECK_INT(pwrite(fd, values, sizeof values, (off_t)address), sizeof values);
	close(fd);
}

/* Read the state of process 10 of a tree by a fresh handle. */
static enum tracing_state tracing_once(const struct tree *tree, const char *reason)
{
	struct tracing *tracing = tracing_create(tree->root, 10);
	enum tracing_state state = tracing_read(tracing);

	if (strstr(tracing_reason(tracing), reason) == NULL)
		TEST_FAIL("reason is \"%s\", expected \"%s\"", tracing_reason(tracing), reason);
	tracing_destroy(tracing);
	return state;
}

/* Let the program of process 10 have one symbol as it should be, and the other, unless its size is 0, as
 * given. */
static void put_symbols(const struct tree *tree, uint64_t at, uint64_t size)
{
	image_begin(&maker);
	image_word(&maker, 0);
	image_symbol(&maker, "runtime_events_enabled", 0, 8, STT_OBJECT);
	if (size != 0)
		image_symbol(&maker, "runtime_events_paused", at, size, STT_OBJECT);
	image_word(&maker, 0);
	image_finish(&maker, ET_EXEC, PF_R);
	tree_write(tree->base, "prog", maker.file, maker.file_size);
}

/* By the file of the memory, at moved and at fixed addresses. */
TEST(test_tracing_by_file)
{
	struct tree tree;

	tree_create(&tree);
	tree_process(&tree, 10, "/nowhere");
	CHECK_INT(tracing_once(&tree, "program"), TRACING_UNKNOWN);
	put_program(&tree, ET_DYN, 0x10000000, 1, 0);
	CHECK_INT(tracing_once(&tree, ""), TRACING_RUNNING);
	put_program(&tree, ET_DYN, 0x20000000, 1, 1);
	CHECK_INT(tracing_once(&tree, ""), TRACING_PAUSED);
	put_program(&tree, ET_EXEC, 0, 0, 1);
	CHECK_INT(tracing_once(&tree, ""), TRACING_NOT_ENABLED);
	/* Flags that are none are of another runtime, whatever it has paused. */
	put_program(&tree, ET_EXEC, 0, 2, 0);
	CHECK_INT(tracing_once(&tree, "not hold what was expected"), TRACING_UNKNOWN);
	put_program(&tree, ET_EXEC, 0, 1, 2);
	CHECK_INT(tracing_once(&tree, "not hold what was expected"), TRACING_UNKNOWN);
	tree_text(&tree, 10, "mem", "");
	CHECK_INT(tracing_once(&tree, "can't be read"), TRACING_UNKNOWN);

	/* Loaded from another file than the program. */
	put_program(&tree, ET_DYN, 0x10000000, 1, 0);
	tree_text(&tree, 10, "maps", "1000-2000 r--p 00000000 08:01 77 /other\n");
	CHECK_INT(tracing_once(&tree, "not where it should be"), TRACING_UNKNOWN);

	/* One symbol of the two is something else, at an odd address, or missing. */
	put_symbols(&tree, 8, 4);
	CHECK_INT(tracing_once(&tree, "not the expected ones"), TRACING_UNKNOWN);
	put_symbols(&tree, 4, 8);
	CHECK_INT(tracing_once(&tree, "not the expected ones"), TRACING_UNKNOWN);
	put_symbols(&tree, 0, 0);
	CHECK_INT(tracing_once(&tree, "no symbols"), TRACING_UNKNOWN);
	image_begin(&maker);
	image_symbol(&maker, "main", 0, 8, STT_FUNC);
	image_finish(&maker, ET_EXEC, PF_R);
	tree_write(tree.base, "prog", maker.file, maker.file_size);
	CHECK_INT(tracing_once(&tree, "no symbols"), TRACING_UNKNOWN);
	image_begin(&maker);
	image_finish(&maker, ET_EXEC, PF_R);
	tree_write(tree.base, "prog", maker.file, maker.file_size);
	CHECK_INT(tracing_once(&tree, "no symbol table"), TRACING_UNKNOWN);
}

/* The pid here of a process that another knows by the one in its namespace. */
TEST(test_inner_pid)
{
	static const struct {
		int pid;
		const char *inner, *space;
	} processes[] = {{100, "100", "pid:[1]"}, {101, "101", "pid:[1]"}, {200, "200\t1", "pid:[2]"},
	    {201, "201\t7", "pid:[2]"}, {300, "300\t7", "pid:[3]"}};
	struct tree tree;

	tree_create(&tree);
	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++) {
		char dir[400];
		tree_process(&tree, processes[i].pid, "prog");
		tree_status(&tree, processes[i].pid, processes[i].pid, 0, processes[i].inner);
		tree_mkdir(tree_dir(&tree, processes[i].pid, dir), "ns");
		tree_link(&tree, processes[i].pid, "ns/pid", processes[i].space);
	}
	CHECK_INT(inner_pid(tree.root, 200, 7), 201);
	CHECK_INT(inner_pid(tree.root, 200, 1), 200);
	CHECK_INT(inner_pid(tree.root, 300, 7), 300);
	CHECK_INT(inner_pid(tree.root, 100, 101), 101);
	CHECK_INT(inner_pid(tree.root, 200, 2), 0); /* it has ended */
	CHECK_INT(inner_pid(tree.root, 999, 7), 0);
}

int main(int argc, char **argv)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	CHECK(n > 0);
	path[n] = '\0';
	self_path = path;
	if (argc == 4 && strcmp(argv[1], "serve") == 0) {
		CHECK(write(atoi(argv[3]), "x", 1) == 1);
		serve(atoi(argv[2]), atoi(argv[3]));
	}
	test_run();
	return 0;
}
