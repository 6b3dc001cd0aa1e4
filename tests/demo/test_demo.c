/*
 * test_demo.c - the demo as a process: where its ring is, what a reader sees of it live, how it ends.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "demo/demo.h"
#include "core/event.h"
#include "rtev/producer.h"
#include "support/test.h"

static char dir[64];

/* What a reader saw. */
struct seen {
	uint64_t events, lost, corrupt, minors, users, customs, pauses, resumes, spawns, fork_child;
	uint64_t last_ts[DEMO_DOMAINS_MAX];
	unsigned domains;
};

/* A demo that runs. */
struct running {
	pid_t pid;
	char path[4096];
	struct rtev_cursor *cursor;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void nap(unsigned ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
	nanosleep(&ts, NULL);
}

/* Count the files in a directory. */
static int files(const char *path)
{
	DIR *d = opendir(path);
	int count = -2;

	CHECK(d != NULL);
	while (readdir(d) != NULL)
		count++;
	closedir(d);
	return count;
}

/* Start a demo and read the line it prints. */
static struct running start(struct options options)
{
	struct running r = {0};
	int pipes[2];
	char line[4200] = "";
	long pid;

	CHECK_INT(pipe(pipes), 0);
	fflush(NULL);
	r.pid = fork();
	CHECK(r.pid >= 0);
	if (r.pid == 0) {
		/* A test that fails must not leave it behind. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(pipes[1], STDOUT_FILENO);
		close(pipes[0]);
		close(pipes[1]);
		exit(command_demo.run(&options));
	}
	close(pipes[1]);
	for (size_t used = 0; used < sizeof(line) - 1 && strchr(line, '\n') == NULL;) {
		ssize_t got = read(pipes[0], line + used, sizeof(line) - 1 - used);
		CHECK(got > 0);
		used += (size_t)got;
	}
	close(pipes[0]);
	CHECK_INT(sscanf(line, "%ld %4095s\n", &pid, r.path), 2);
	CHECK_INT(pid, r.pid);
	/* The ring can be read by then. */
	const struct rtev_cursor_options how = {.size = sizeof(how), .release = RTEV_RELEASE_5_3};
	CHECK_INT(rtev_cursor_open_path(&r.cursor, r.path, &how), RTEV_OK);
	return r;
}

/* End a demo by a signal and return its wait status. */
static int finish(struct running *r, int signal)
{
	int status;

	if (signal != 0)
		CHECK_INT(kill(r->pid, signal), 0);
	CHECK_INT(waitpid(r->pid, &status, 0), r->pid);
	CHECK_INT(rtev_cursor_close(r->cursor), RTEV_OK);
	return status;
}

/* Note what every event has. */
static void see(struct seen *s, unsigned domain, uint64_t ts)
{
	s->events++;
	CHECK(domain < DEMO_DOMAINS_MAX);
	CHECK(ts >= s->last_ts[domain]);
	CHECK(ts <= now_ns());
	s->last_ts[domain] = ts;
	if (domain >= s->domains)
		s->domains = domain + 1;
}

/* Check a user event. */
static void see_user(struct seen *s, const struct rtev_event *e)
{
	CHECK(e->user->name_len > 0);
	s->users++;
	if (e->kind == EVENT_INT) {
		CHECK_STR(e->user->name, "queue.depth");
		CHECK(e->value >= 0 && e->value <= 250);
	}
	if (e->kind == EVENT_CUSTOM) {
		CHECK(e->len > 4 && memcmp(e->data, "GET ", 4) == 0);
		s->customs++;
	}
}

/* Check an event and count it. */
static enum rtev_next on_event(void *ctx, const struct rtev_event *e)
{
	struct seen *s = ctx;

	if (event_stamped(e->kind))
		see(s, e->domain, e->ts);
	if (e->user != NULL)
		see_user(s, e);
	switch (e->kind) {
	case EVENT_END:
		s->minors += e->id == RTEV_PHASE_MINOR;
		/* fallthrough */
	case EVENT_BEGIN:
		CHECK(e->id < RTEV_PHASE_COUNT);
		break;
	case EVENT_COUNTER:
		CHECK(e->id < RTEV_COUNTER_COUNT && e->value >= 0);
		break;
	case EVENT_LIFECYCLE:
		s->pauses += e->id == RTEV_LIFECYCLE_RING_PAUSE;
		s->resumes += e->id == RTEV_LIFECYCLE_RING_RESUME;
		s->spawns += e->id == RTEV_LIFECYCLE_DOMAIN_SPAWN;
		if (e->id == RTEV_LIFECYCLE_FORK_PARENT)
			s->fork_child = (uint64_t)e->value;
		break;
	case EVENT_LOST:
		s->lost += (uint64_t)e->value;
		break;
	case EVENT_CORRUPT:
		TEST_FAIL("%" PRId64 " corrupt words on ring %u", e->value, e->domain);
	default:
		break;
	}
	return RTEV_CONTINUE;
}

/* Watch a demo for a while; the release that its stream shows goes to *scan. */
static struct seen *watch(struct running *r, unsigned ms, struct rtev_scan *scan)
{
	static struct seen seen;
	struct event_sink sink = {.take = on_event, .ctx = &seen};
	uint64_t until = now_ns() + (uint64_t)ms * 1000000;

	memset(&seen, 0, sizeof(seen));
	while (now_ns() < until) {
		CHECK_INT(rtev_cursor_scan(r->cursor, NULL, NULL, scan), RTEV_OK);
		CHECK_INT(rtev_cursor_poll(r->cursor, &event_sink_calls, &sink, 0, NULL), RTEV_OK);
		nap(2);
	}
	return &seen;
}

/* Without variables: a directory of its own, gone at the end. */
static void test_own_directory(void)
{
	struct rtev_scan scan = {.size = sizeof(scan)};
	struct stat st;

	unsetenv(RTEV_ENV_DIR);
	setenv("TMPDIR", dir, 1);
	struct running r = start((struct options){.domains = 4, .rate = 20000, .seed = 1});
	CHECK_INT(strncmp(r.path, dir, strlen(dir)), 0);
	CHECK_INT(files(dir), 1);
	char own[4096];
	strcpy(own, r.path);
	*strrchr(own, '/') = '\0';
	CHECK_INT(stat(own, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0700);
	struct seen *s = watch(&r, 600, &scan);
	CHECK_STR(scan.version, "5.3");
	CHECK(s->minors > 0 && s->users > 100 && s->customs > 0 && s->spawns >= 3);
	CHECK_INT(s->domains, 4);
	CHECK_INT(s->lost, 0);
	int status = finish(&r, SIGTERM);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK_INT(files(dir), 0);
	unsetenv("TMPDIR");
}

/* It obeys OCaml's variables, ends by itself, and pauses. */
static void test_environment(void)
{
	struct rtev_scan scan = {.size = sizeof(scan)};

	setenv(RTEV_ENV_DIR, dir, 1);
	setenv(RTEV_ENV_START, "", 1);
	setenv(RTEV_ENV_PRESERVE, "", 1);
	struct running r = start((struct options){
	    .domains = 2, .rate = 20000, .seed = 2, .seconds_ns = UINT64_C(4600000000), .pause = true});
	char want[160];
	snprintf(want, sizeof(want), "%s/%ld.events", dir, (long)r.pid);
	CHECK_STR(r.path, want);
	struct seen *s = watch(&r, 5200, &scan);
	CHECK(s->pauses >= 1 && s->resumes >= 1);
	CHECK(s->fork_child > 1);
	int status = finish(&r, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* Its ring, and that of its child. */
	CHECK_INT(files(dir), 2);
	CHECK_INT(unlink(want), 0);
	snprintf(want, sizeof(want), "%s/%ld.events", dir, (long)s->fork_child);
	CHECK_INT(unlink(want), 0);
	unsetenv(RTEV_ENV_START);
	unsetenv(RTEV_ENV_PRESERVE);
}

/* The rate is what was asked for, also a high one. */
static void test_rate(void)
{
	struct rtev_scan scan = {.size = sizeof(scan)};

	struct running r = start((struct options){.domains = 2, .rate = 300000, .seed = 3});
	uint64_t begun = now_ns();
	struct seen *s = watch(&r, 2000, &scan);
	double words = 0, rate = (double)s->events / ((double)(now_ns() - begun) / 1e9);
	words = (double)s->lost / 2.2;
	printf("%.0f events/s, %.0f lost\n", rate, words);
	/* A machine that is busy otherwise may not get it all done. */
	CHECK_NEAR((rate + words) / 300000, 0.8, 0.3);
	CHECK(WIFEXITED(finish(&r, SIGINT)));
	CHECK_INT(files(dir), 0);
}

/* Where no file can be made, it says so. */
static void test_refused(void)
{
	struct options options = {.domains = 1, .rate = 100};
	int status;

	setenv(RTEV_ENV_DIR, "/nonexistent/dir", 1);
	fflush(NULL);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		close(STDERR_FILENO);
		exit(command_demo.run(&options));
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

int main(void)
{
	char made[] = "/tmp/rtev-demo-XXXXXX";

	CHECK(mkdtemp(made) != NULL);
	char *real = realpath(made, NULL);
	CHECK(real != NULL && strlen(real) < sizeof(dir));
	strcpy(dir, real);
	free(real);
	RUN(test_own_directory);
	RUN(test_environment);
	RUN(test_rate);
	RUN(test_refused);
	return rmdir(dir);
}
