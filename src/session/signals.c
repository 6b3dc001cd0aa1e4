/*
 * signals.c - handlers that count, and a wait that lets them in.
 */
#include "session/signals.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t stops, alarms;
static volatile sig_atomic_t term_to; /* who gets SIGTERM, 0: nobody */
static volatile sig_atomic_t passed;  /* how often that one got it */
static sigset_t outside;	      /* the mask while waiting */
static bool waited;		      /* since signals_stops_now was last called */

static const int listened[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM};
enum { LISTENED = sizeof(listened) / sizeof(listened[0]) };

/* Count a wish to end, or an alarm; a child's end only wakes the wait. */
static void on_signal(int signal)
{
	if (signal == SIGALRM)
		alarms++;
	if (signal == SIGALRM || signal == SIGCHLD)
		return;
	if (signal == SIGTERM && term_to != 0) {
		int error = errno;
		kill((pid_t)term_to, SIGTERM);
		errno = error;
		if (passed++ == 0)
			return;
	}
	stops++;
}

void signals_install(void)
{
	struct sigaction action = {.sa_handler = on_signal}, old;
	sigset_t blocked;

	sigemptyset(&blocked);
	for (int i = 0; i < LISTENED; i++) {
		/* What nohup or a shell's background job told us to ignore stays ignored. */
		sigaction(listened[i], NULL, &old);
		if (old.sa_handler == SIG_IGN && listened[i] != SIGCHLD && listened[i] != SIGALRM)
			continue;
		sigaction(listened[i], &action, NULL);
		sigaddset(&blocked, listened[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	/* A file that may not grow is to fail like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &blocked, &outside);
	for (int i = 0; i < LISTENED; i++)
		sigdelset(&outside, listened[i]);
}

void signals_pass_term(pid_t pid)
{
	term_to = (sig_atomic_t)pid;
	passed = 0;
}

/* Let in the signals that have come. */
static void let_in(void)
{
	ppoll(NULL, 0, &(struct timespec){0}, &outside);
}

/* Wait for a descriptor, a signal or the time. */
int signals_wait(struct pollfd *fds, nfds_t count, uint64_t timeout_ns)
{
	struct timespec ts = {
	    .tv_sec = (time_t)(timeout_ns / 1000000000u), .tv_nsec = (long)(timeout_ns % 1000000000u)};

	int ready = ppoll(fds, count, timeout_ns == UINT64_MAX ? NULL : &ts, &outside);
	/* While a descriptor is ready signals are not let in, and one of a COMMAND that prints and prints always is. */
	if (ready > 0)
		let_in();
	waited = true;
	return ready;
}

/* Wait until a descriptor takes a write, or until we are asked to end. */
bool signals_wait_write(void *allowed, int fd)
{
	const unsigned *limit = allowed;
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};

	while (signals_wait(&pfd, 1, UINT64_MAX) <= 0 && signals_stops() <= *limit)
		;
	return signals_stops() <= *limit;
}

/* Return how often we were asked to end. */
unsigned signals_stops(void)
{
	return (unsigned)stops;
}

unsigned signals_alarms(void)
{
	return (unsigned)alarms;
}

/* Return how often we were asked to end until now, or until the wait before. */
unsigned signals_stops_now(void)
{
	if (!waited)
		let_in();
	waited = false;
	return signals_stops();
}

/* Have wishes to end end the process. */
void signals_let_end(void)
{
	for (int i = 0; i < LISTENED; i++) {
		struct sigaction old;
		sigaction(listened[i], NULL, &old);
		if (old.sa_handler == on_signal)
			signal(listened[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &outside, NULL);
}

/* Give all signals back their default meaning. */
void signals_restore(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signals_let_end();
}
