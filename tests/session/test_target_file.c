/*
 * test_target_file.c - a TARGET that is a file: how it is classified, what is refused, and that the program
 * opens it once, whatever it is and whatever it is given to.
 */
#include "session/target_file.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "support/test.h"

static const unsigned char fxt[] = {0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00, 0x01, 0x02};
static const unsigned char memtrace[] = {0xc1, 0x1f, 0xfc, 0xc1, 0x00};

/* What was reported last. */
struct said {
	unsigned count;
	char text[512], remedy[512];
};

static void on_message(void *ctx, const char *remedy, const char *text)
{
	struct said *said = ctx;

	said->count++;
	strlcpy(said->text, text, sizeof(said->text));
	strlcpy(said->remedy, remedy != NULL ? remedy : "", sizeof(said->remedy));
}

/* Write a file that was changed `age` seconds ago. */
static void make(const char *path, const void *data, size_t size, time_t age)
{
	struct timespec times[2];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK_INT(write(fd, data, size), size);
	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= age;
	times[1] = times[0];
	CHECK_INT(futimens(fd, times), 0);
	close(fd);
}

/* A folder of our own becomes the working directory; `dir` gets its path. */
static void enter(char dir[64])
{
	strlcpy(dir, "/tmp/rtev-file-XXXXXX", 64);
	CHECK(mkdtemp(dir) != NULL);
	CHECK_INT(chdir(dir), 0);
}

static void leave(const char *dir)
{
	CHECK_INT(chdir("/"), 0);
	CHECK_INT(rmdir(dir), 0);
}

/* The kind of a file, whose whole magic decides. */
TEST(test_kinds)
{
	static const struct {
		const void *data;
		size_t size;
		time_t age;
		enum target_file_kind kind;
		const char *name; /* NULL: "file" */
	} cases[] = {
	    {fxt, sizeof(fxt), 0, TARGET_FILE_FXT, NULL},
	    {fxt, 8, 0, TARGET_FILE_FXT, NULL},
	    {fxt, 7, 0, TARGET_FILE_RING, NULL},
	    {fxt + 1, 8, 0, TARGET_FILE_RING, NULL},
	    {memtrace, sizeof(memtrace), 0, TARGET_FILE_MEMTRACE, NULL},
	    {memtrace, 4, 0, TARGET_FILE_MEMTRACE, NULL},
	    {memtrace, 3, 100, TARGET_FILE_RING, NULL},
	    {"", 0, 0, TARGET_FILE_RING, "7.events"},
	    {"", 0, 0, TARGET_FILE_EMPTY, NULL},
	    {"", 0, 100, TARGET_FILE_EMPTY, "7.events"},
	    {"x", 1, 100, TARGET_FILE_RING, NULL},
	};
	char dir[64], byte;

	enter(dir);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i].name != NULL ? cases[i].name : "file";
		struct target_file file;
		make(name, cases[i].data, cases[i].size, cases[i].age);
		target_file_open(&file, name);
		CHECK_INT(file.status, RTEV_OK);
		CHECK_INT(file.kind, cases[i].kind);
		/* What was looked at is still unread. */
		CHECK_INT(read(file.fd, &byte, 1), cases[i].size > 0);
		CHECK(fcntl(file.fd, F_GETFD) & FD_CLOEXEC);
		target_file_close(&file);
		CHECK_INT(file.fd, -1);
		CHECK_INT(unlink(name), 0);
	}
	leave(dir);
}

/* What can't be opened, or must not be. */
TEST(test_closed)
{
	struct target_file file;
	char dir[64];

	enter(dir);
	CHECK_INT(mkfifo("fifo", 0600), 0);
	CHECK_INT(symlink("nowhere", "dangling"), 0);
	CHECK_INT(symlink("loop", "loop"), 0);
	const struct {
		const char *path;
		int status;
	} cases[] = {
	    {"absent", RTEV_E_NOENT},
	    {"dangling", RTEV_E_NOENT},
	    {"fifo", RTEV_E_NOT_REGULAR},
	    {".", RTEV_E_NOT_REGULAR},
	    {"/dev/null", RTEV_E_NOT_REGULAR},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		target_file_open(&file, cases[i].path);
		CHECK_INT(file.status, cases[i].status);
		CHECK_INT(file.fd, -1);
		CHECK_INT(file.kind, TARGET_FILE_RING);
	}
	target_file_open(&file, "loop");
	CHECK(file.status != RTEV_OK && file.fd == -1);
	unlink("fifo");
	unlink("dangling");
	unlink("loop");
	leave(dir);
}

/* What is refused, and in which words. */
TEST(test_refused)
{
	static const struct {
		const char *path;
		enum target_file_kind kind;
		bool waits;
		const char *says; /* NULL: it is not refused */
	} cases[] = {
	    {"a.b", TARGET_FILE_RING, false, NULL},
	    {"a.b", TARGET_FILE_FXT, false, NULL},
	    {"7.events", TARGET_FILE_EMPTY, true, NULL},
	    {"a.b", TARGET_FILE_EMPTY, true, "could not open a.b: it is empty"},
	    {"a.b", TARGET_FILE_EMPTY, false, "could not open a.b: it is empty"},
	    {"a.b", TARGET_FILE_MEMTRACE, true, "could not open a.b: it is a memtrace file, no ring"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct said said = {0};
		const struct target_file file = {.path = cases[i].path, .fd = -1, .kind = cases[i].kind};
		bool refused = target_file_refuse(
		    &file, cases[i].waits, &(struct reporter){.message = on_message, .ctx = &said});
		CHECK_INT(refused, cases[i].says != NULL);
		CHECK_INT(said.count, refused);
		CHECK_STR(said.text, refused ? cases[i].says : "");
	}
}

static const char *suggest_stats(const char *path)
{
	return strcmp(path, "stast") == 0 ? "stats" : NULL;
}

/* The remedy for a file that is not there. */
TEST(test_explained)
{
	struct said said = {0};
	const struct reporter report = {.message = on_message, .ctx = &said};

	target_file_explain("stast", RTEV_E_NOENT, suggest_stats, &report);
	CHECK_STR(said.remedy, "`rtevtop stats TARGET` if you meant the subcommand.");
	target_file_explain("other", RTEV_E_NOENT, suggest_stats, &report);
	CHECK(strstr(said.remedy, "`rtevtop list` shows") != NULL);
	target_file_explain("other", RTEV_E_NOENT, NULL, &report);
	CHECK(strstr(said.remedy, "`rtevtop list` shows") != NULL);
	CHECK_INT(said.count, 3);
}

/* ---- the program ---- */

/* Run the program with its output thrown away; its exit status. */
static int run(char *const argv[])
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		execv(argv[0], argv);
		_exit(126);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* How often anybody opened the file that `notify` watches, since the last time. */
static unsigned opens(int notify)
{
	_Alignas(struct inotify_event) char events[4096];
	struct pollfd fd = {.fd = notify, .events = POLLIN};
	unsigned count = 0;

	while (poll(&fd, 1, 0) > 0) {
		ssize_t len = read(notify, events, sizeof(events));
		CHECK(len > 0);
		for (ssize_t at = 0; at < len; at += (ssize_t)sizeof(struct inotify_event)) {
			const struct inotify_event *event = (const void *)(events + at);
			CHECK_INT(event->len, 0);
			/* The kernel merges equal events in a row; a look at the first bytes, and closing,
			 * keep opens apart. */
			count += (event->mask & IN_OPEN) != 0;
		}
	}
	return count;
}

/* Copy a file: one that no process maps is opened by nobody who looks for the rings of processes. */
static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	char buffer[4096];
	ssize_t n;

	CHECK(in >= 0 && out >= 0);
	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		CHECK_INT(write(out, buffer, (size_t)n), n);
	close(in);
	close(out);
}

/* Give a file to each command: it is opened once.  The statuses are those of diff and stats, of log and
 * record, and of the live view. */
static void check_opens(char *program, char *path, int stats_status, int status, int view_status)
{
	char stats[] = "stats", log[] = "log", record[] = "record", out_option[] = "-o", out[] = "out.fxt";
	char force[] = "--force", diff[] = "diff", other[] = "report.json";
	char *const commands[][8] = {
	    {program, diff, path, other, NULL},
	    {program, stats, path, NULL},
	    {program, log, path, NULL},
	    {program, record, out_option, out, force, path, NULL},
	    {program, path, NULL},
	};
	int notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	CHECK(notify >= 0);
	CHECK(inotify_add_watch(notify, path, IN_OPEN | IN_ACCESS | IN_CLOSE) >= 0);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		CHECK_INT(run(commands[i]), i < 2 ? stats_status : i == 4 ? view_status : status);
		CHECK_INT(opens(notify), 1);
	}
	close(notify);
	unlink("out.fxt");
}

/* The program opens a TARGET once: a ring, a recording, what it refuses. */
TEST(test_opened_once)
{
	char *program = getenv("RTEVTOP"), dir[64], path[4096], recording[] = "recording.fxt";
	char ended[] = "ended.events", trace[] = "trace.ctf", odd[] = "odd", empty[] = "empty";
	char record[] = "record", out_option[] = "-o";
	struct rtev_producer *producer;

	if (program == NULL)
		return;
	enter(dir);
	const struct rtev_producer_options ring = {
	    .size = sizeof(ring), .dir = dir, .exponent = 12, .domains = 1};
	CHECK_INT(rtev_producer_create(&producer, &ring), RTEV_OK);
	struct rtev_domain *domain = rtev_producer_main(producer);
	CHECK_INT(rtev_producer_start(producer, domain), RTEV_OK);
	CHECK_INT(rtev_domain_begin(domain, RTEV_PHASE_MINOR), RTEV_OK);
	CHECK_INT(rtev_domain_end(domain, RTEV_PHASE_MINOR), RTEV_OK);
	CHECK_INT(rtev_producer_path(producer, path, sizeof(path)), RTEV_OK);
	copy(path, ended);
	char *const make_recording[] = {program, record, out_option, recording, ended, NULL};
	CHECK_INT(run(make_recording), 0);
	/* All that diff asks of a report. */
	static const char report[] = "{\"duration_s\":1,\"domains\":[{\"phases\":{},\"counters\":{},\"user\":"
				     "{}}],\"pauses\":{\"count\":0}}";
	make("report.json", report, sizeof(report) - 1, 0);
	make(trace, memtrace, sizeof(memtrace), 0);
	make(odd, "something else", 14, 0);
	make(empty, "", 0, 100);

	/* The live view ends where it finds no terminal. */
	check_opens(program, ended, 0, 0, 0);
	check_opens(program, recording, 0, 1, 1);
	check_opens(program, trace, 1, 1, 1);
	check_opens(program, odd, 1, 1, 1);
	check_opens(program, empty, 1, 1, 1);

	unlink("report.json");
	unlink(ended);
	unlink(recording);
	unlink(trace);
	unlink(odd);
	unlink(empty);
	rtev_producer_destroy(producer);
	leave(dir);
}
