/*
 * signals.c - counting signal handlers, and a wait during which signals are delivered.
 */
#include "launch/signals.h"

#include <signal.h>
#include <time.h>

#define ALARM_COUNTERS 4096u

static volatile sig_atomic_t stops;
static volatile sig_atomic_t alarms[ALARM_COUNTERS]; /* SIGALRM received, by pid of the target */
static volatile sig_atomic_t term_to;		     /* who gets SIGTERM; 0: nobody */
static volatile sig_atomic_t passed;		     /* how often SIGTERM was passed on */
static sigset_t outside;			     /* the signal mask during a wait */
static bool waited;				     /* since the last signals_stops_now */

static const int listened[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM};
enum { LISTENED = sizeof(listened) / sizeof(listened[0]) };

/* Count requests to stop, and alarms.  SIGCHLD only ends the wait. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	if (signal == SIGALRM && info->si_code == SI_TIMER)
		alarms[(unsigned)info->si_value.sival_int % ALARM_COUNTERS]++;
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
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, old;
	sigset_t blocked;

	sigemptyset(&blocked);
	for (int i = 0; i < LISTENED; i++) {
		/* Signals that nohup or a shell made us ignore stay ignored. */
		sigaction(listened[i], NULL, &old);
		if (old.sa_handler == SIG_IGN && listened[i] != SIGCHLD && listened[i] != SIGALRM)
			continue;
		sigaction(listened[i], &action, NULL);
		sigaddset(&blocked, listened[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	/* Writing beyond a file size limit must fail with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	pthread_sigmask(SIG_BLOCK, &blocked, &outside);
	for (int i = 0; i < LISTENED; i++)
		sigdelset(&outside, listened[i]);
}

void signals_pass_term(pid_t pid)
{
	term_to = (sig_atomic_t)pid;
	/* A SIGTERM that went to a process that has ended since still counts. */
	if (pid != 0)
		passed = 0;
}

bool signals_passed_term(void)
{
	return passed != 0;
}

static void let_in(void)
{
	ppoll(NULL, 0, &(struct timespec){0}, &outside);
}

int signals_wait(struct pollfd *fds, nfds_t count, uint64_t timeout_ns)
{
	struct timespec ts = {
	    .tv_sec = (time_t)(timeout_ns / 1000000000u), .tv_nsec = (long)(timeout_ns % 1000000000u)};

	int ready = ppoll(fds, count, timeout_ns == UINT64_MAX ? NULL : &ts, &outside);
	/* ppoll delivers no signal while a descriptor is ready, which it always is with a COMMAND that never
	 * stops printing. */
	if (ready > 0)
		let_in();
	waited = true;
	return ready;
}

bool signals_wait_write(void *allowed, int fd)
{
	const unsigned *limit = allowed;
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};

	int ready;

	/* After a signal, write what the descriptor takes at once, so that the last line or report is whole. */
	do
		ready = signals_wait(&pfd, 1, signals_stops() > *limit ? 0 : UINT64_MAX);
	while (ready <= 0 && signals_stops() <= *limit);
	return ready > 0;
}

unsigned signals_stops(void)
{
	return (unsigned)stops;
}

unsigned signals_alarms(pid_t pid)
{
	return (unsigned)alarms[(unsigned)pid % ALARM_COUNTERS];
}

unsigned signals_stops_now(void)
{
	if (!waited)
		let_in();
	waited = false;
	return signals_stops();
}

void signals_let_end(void)
{
	for (int i = 0; i < LISTENED; i++) {
		struct sigaction old;
		sigaction(listened[i], NULL, &old);
		if (old.sa_sigaction == on_signal)
			signal(listened[i], SIG_DFL);
	}
	pthread_sigmask(SIG_SETMASK, &outside, NULL);
}

void signals_restore(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signals_let_end();
}
