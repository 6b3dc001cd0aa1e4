/* alive.c - watch a process: whether it runs, which program it runs, for how long. */
#include "target/alive.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Identifies a program within a process. */
struct program {
	dev_t dev;
	ino_t ino;
	uint64_t stack;
};

struct alive {
	struct proc proc;
	int pidfd;
	bool ended;
	uint64_t start_ticks;
	uint64_t uptime;
	struct program program;
	struct alive_names names;
};

/* Identify the current program.  Members that may not be read are 0. */
static struct program see_program(const struct alive *alive, const struct status_stat *stat)
{
	struct program program = {.stack = stat->stack};
	struct stat st;

	if (proc_stat(alive->proc.dir, "exe", &st) == 0) {
		program.dev = st.st_dev;
		program.ino = st.st_ino;
	}
	return program;
}

/* Whether two programs differ.  The kernel reports 1 as the stack if it may not be read. */
static bool differs(const struct program *a, const struct program *b)
{
	if (a->ino != 0 && b->ino != 0 && (a->ino != b->ino || a->dev != b->dev))
		return true;
	return a->stack > 1 && b->stack > 1 && a->stack != b->stack;
}

static void read_names(struct alive *alive, const struct status_stat *stat)
{
	char cmdline[ALIVE_COMMAND_SIZE];
	size_t len;

	status_program(&alive->proc, stat, alive->names.name);
	if (proc_read(&alive->proc, "cmdline", cmdline, sizeof cmdline, &len) != 0)
		len = 0;
	words_join(cmdline, len, alive->names.command, sizeof alive->names.command);
}

/* Read /proc/PID/stat of a process that exists. */
static int read_stat(const struct alive *alive, struct status_stat *stat)
{
	int error = status_read_stat(&alive->proc, stat);

	if (error == 0 && status_ended(stat))
		error = ESRCH;
	if (error == 0 && alive->start_ticks != 0 && stat->start_ticks != alive->start_ticks)
		error = ESRCH;
	return error;
}

int alive_create(struct alive **out, const char *proc_root, pid_t pid, uint64_t start_ticks)
{
	struct alive *alive = calloc(1, sizeof *alive);
	struct status_stat stat;

	*out = NULL;
	if (alive == NULL)
		return ENOMEM;
	alive->pidfd = -1;
	alive->start_ticks = start_ticks;
	int error = proc_open(&alive->proc, proc_root, pid);
	if (error == 0 && alive->proc.real)
		alive->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	/* The stat is read after the pidfd: if the process of the directory exists now, the pidfd refers to
	 * that process. */
	if (error == 0)
		error = read_stat(alive, &stat);
	if (error != 0) {
		alive_destroy(alive);
		return error;
	}
	alive->start_ticks = stat.start_ticks;
	alive->program = see_program(alive, &stat);
	read_names(alive, &stat);
	*out = alive;
	return 0;
}

void alive_destroy(struct alive *alive)
{
	if (alive == NULL)
		return;
	if (alive->pidfd >= 0)
		close(alive->pidfd);
	proc_close(&alive->proc);
	free(alive);
}

int alive_fd(const struct alive *alive)
{
	return alive->pidfd;
}

/* Whether the pidfd is readable: the process has ended. */
static bool pidfd_ended(const struct alive *alive)
{
	struct pollfd item = {.fd = alive->pidfd, .events = POLLIN};

	return alive->pidfd >= 0 && poll(&item, 1, 0) > 0 && (item.revents & (POLLIN | POLLHUP)) != 0;
}

uint64_t alive_uptime(struct alive *alive)
{
	uint64_t per_second = status_ticks_per_second();
	struct timespec now;

	if (!alive->ended && clock_gettime(CLOCK_BOOTTIME, &now) == 0 && now.tv_sec >= 0) {
		uint64_t ticks = (uint64_t)now.tv_sec * per_second +
				 (uint64_t)now.tv_nsec * per_second / UINT64_C(1000000000);

		alive->uptime = ticks > alive->start_ticks ? (ticks - alive->start_ticks) / per_second : 0;
	}
	return alive->uptime;
}

/* Record the end: the uptime stops. */
static enum alive_state end_now(struct alive *alive)
{
	alive_uptime(alive);
	alive->ended = true;
	return ALIVE_ENDED;
}

enum alive_state alive_check(struct alive *alive)
{
	struct status_stat stat;

	if (alive->ended || pidfd_ended(alive))
		return end_now(alive);
	int error = read_stat(alive, &stat);
	if (error == ESRCH)
		return end_now(alive);
	if (error != 0)
		return ALIVE_RUNNING;
	struct program program = see_program(alive, &stat);
	if (!differs(&alive->program, &program)) {
		/* During an exec there is no command line. */
		if (alive->names.command[0] == '\0')
			read_names(alive, &stat);
		return ALIVE_RUNNING;
	}
	alive->program = program;
	read_names(alive, &stat);
	return ALIVE_EXECED;
}

bool alive_activity(struct alive *alive, struct alive_activity *out)
{
	struct status_stat stat;

	if (alive->ended || read_stat(alive, &stat) != 0)
		return false;
	out->cpu_ns = status_ticks_ns(stat.cpu_ticks);
	out->stopped = status_stopped(&stat);
	return true;
}

const struct alive_names *alive_names(const struct alive *alive)
{
	return &alive->names;
}

pid_t alive_pid(const struct alive *alive)
{
	return alive->proc.pid;
}
