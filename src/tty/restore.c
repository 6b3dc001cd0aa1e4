/*
 * restore.c - signal handlers that restore the terminal.
 *
 * A fatal signal is passed on to the handler that was installed before ours, so that a sanitizer can still
 * report it.  If there was none, the default action ends the process with the right status.
 */
#include "tty/restore.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifdef SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

/*
 * Most signals end a program by default, so this table lists the exceptions; all others are caught, including
 * real-time signals.  Signals 32 and 33 belong to the thread library and can't be caught.
 */
static const int harmless[] = {
    SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGKILL};
/* Caught even if the program already has a handler; our handler passes them on to it. */
static const int firm[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SIGNALS_MAX 65 /* 1 to 64 */

static struct {
	volatile sig_atomic_t enabled; /* restore_now has to restore the terminal */
	bool armed;
	pid_t owner;
	int in;
	struct sink_out out;
	struct termios modes;
	char bytes[RESTORE_BYTES_MAX];
	volatile sig_atomic_t len;
	int real_stderr, captured; /* -1: not captured */
	struct sigaction previous[SIGNALS_MAX], previous_stop, previous_continue, previous_resize;
	bool installed[SIGNALS_MAX];
	volatile sig_atomic_t stop_asked, continued, resized;
} state = {.real_stderr = -1, .captured = -1};

/* A separate stack, so that the handler can run when the normal stack has overflowed. */
static char handler_stack[64 * 1024];

/* Restore standard error and copy what was captured to the terminal. */
static void release_stderr(void)
{
	if (state.captured < 0)
		return;
	int captured = state.captured;
	state.captured = -1;
	dup2(state.real_stderr, STDERR_FILENO);
	char block[1024];
	off_t at = 0;
	ssize_t got;
	while ((got = pread(captured, block, sizeof(block), at)) > 0) {
		sink_write(state.out, block, (size_t)got, false);
		at += got;
	}
	close(captured);
	close(state.real_stderr);
}

void restore_flow(int fd)
{
	/* TCOON only restarts output that was stopped with TCOOFF. */
	tcflow(fd, TCOOFF);
	tcflow(fd, TCOON);
}

void restore_screen(void)
{
	sink_write(state.out, state.bytes, (size_t)state.len, true);
}

/* Restore modes and screen by system calls, once. */
static void restore_now(void)
{
	int saved_errno = errno;
	if (state.enabled && state.owner == getpid()) {
		state.enabled = 0;
		restore_flow(state.out.fd);
		restore_screen();
		tcsetattr(state.in, TCSANOW, &state.modes);
		release_stderr();
	}
	errno = saved_errno;
}

/* Whether a signal is a fault of this process, not sent by anyone.  Such a fault happens again when the
 * handler returns. */
static bool was_met(int signal_number, const siginfo_t *info)
{
	bool fault = signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGILL ||
		     signal_number == SIGFPE;

	/* si_code alone is not enough: it is above 0 also for signals from a terminal. */
	return fault && info != NULL && info->si_code > 0;
}

/* Reinstall the previous handler and pass the signal on to it. */
static void hand_on(int signal_number, siginfo_t *info, void *context)
{
	const struct sigaction *previous = &state.previous[signal_number];
	sigaction(signal_number, previous, NULL);
	if (previous->sa_flags & SA_SIGINFO) {
		previous->sa_sigaction(signal_number, info, context);
	} else if (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN) {
		previous->sa_handler(signal_number);
	} else if (!was_met(signal_number, info)) {
		/* The signal is delivered again when this handler returns. */
		raise(signal_number);
	}
	/* A fault happens again when this handler returns, now with the default action. */
}

static void on_fatal(int signal_number, siginfo_t *info, void *context)
{
	restore_now();
	hand_on(signal_number, info, context);
}

static void on_stop(int signal_number)
{
	state.stop_asked = 1;
}

static void on_continue(int signal_number)
{
	state.continued = 1;
}

/* Interrupts the poll; the caller asks for the size afterwards. */
static void on_resize(int signal_number)
{
	state.resized = 1;
}

/* Install a handler without SA_RESTART, so that it interrupts a poll, if the signal is at its default. */
static void catch_quietly(int signal_number, void (*handler)(int), struct sigaction *previous)
{
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	sigaction(signal_number, NULL, previous);
	if (!(previous->sa_flags & SA_SIGINFO) && previous->sa_handler == SIG_DFL)
		sigaction(signal_number, &action, NULL);
}

static bool is_one_of(int signal_number, const int *table, size_t count)
{
	while (count > 0)
		if (table[--count] == signal_number)
			return true;
	return false;
}

static void install(void)
{
	stack_t old_stack;
	if (sigaltstack(NULL, &old_stack) == 0 && (old_stack.ss_flags & SS_DISABLE)) {
		stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack), .ss_flags = 0};
		sigaltstack(&stack, NULL);
	}
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_fatal;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	for (int number = 1; number < SIGNALS_MAX; number++) {
		struct sigaction *previous = &state.previous[number];
		state.installed[number] = false;
		if (is_one_of(number, harmless, COUNT(harmless)) || sigaction(number, NULL, previous) != 0)
			continue;
		bool is_default = !(previous->sa_flags & SA_SIGINFO) && previous->sa_handler == SIG_DFL;
		state.installed[number] = (is_default || is_one_of(number, firm, COUNT(firm))) &&
					  sigaction(number, &action, NULL) == 0;
	}
	catch_quietly(SIGTSTP, on_stop, &state.previous_stop);
	catch_quietly(SIGCONT, on_continue, &state.previous_continue);
	catch_quietly(SIGWINCH, on_resize, &state.previous_resize);
}

/* Reinstall a previous handler if the current one is still ours. */
static void uninstall(int signal_number, const struct sigaction *previous, bool siginfo, void (*plain)(int))
{
	struct sigaction now;
	if (sigaction(signal_number, NULL, &now) != 0)
		return;
	bool has_info = (now.sa_flags & SA_SIGINFO) != 0;
	if (siginfo ? has_info && now.sa_sigaction == on_fatal : !has_info && now.sa_handler == plain)
		sigaction(signal_number, previous, NULL);
}

/* Redirect standard error to memory if it is our terminal. */
static void capture_stderr(void)
{
	if (!sink_same_terminal(state.out.fd, STDERR_FILENO))
		return;
	int captured = memfd_create("stderr", MFD_CLOEXEC);
	int real = captured < 0 ? -1 : dup(STDERR_FILENO);
	if (real < 0 || dup2(captured, STDERR_FILENO) < 0) {
		if (captured >= 0)
			close(captured);
		if (real >= 0)
			close(real);
		return;
	}
	state.real_stderr = real;
	state.captured = captured;
}

void restore_arm(int in, struct sink_out out, const struct termios *modes)
{
	state.owner = getpid();
	state.in = in;
	state.out = out;
	state.modes = *modes;
	state.len = 0;
	state.stop_asked = state.continued = state.resized = 0;
	capture_stderr();
	state.enabled = 1;
	state.armed = true;
#ifdef SANITIZED
	/* A sanitizer ends the program without a signal. */
	__sanitizer_set_death_callback(restore_now);
#endif
	install();
}

void restore_set_bytes(const char *bytes, size_t len)
{
	if (len > RESTORE_BYTES_MAX)
		len = RESTORE_BYTES_MAX;
	/* With `len` 0 a signal handler that interrupts the copy sends nothing, rather than half the bytes. */
	state.len = 0;
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(state.bytes, bytes, len);
	atomic_signal_fence(memory_order_seq_cst);
	state.len = (sig_atomic_t)len;
}

void restore_disarm(void)
{
	if (!state.armed)
		return;
	state.enabled = 0;
	state.armed = false;
	for (int number = 1; number < SIGNALS_MAX; number++)
		if (state.installed[number])
			uninstall(number, &state.previous[number], true, NULL);
	uninstall(SIGTSTP, &state.previous_stop, false, on_stop);
	uninstall(SIGCONT, &state.previous_continue, false, on_continue);
	uninstall(SIGWINCH, &state.previous_resize, false, on_resize);
	release_stderr();
}

bool restore_take_stop(void)
{
	bool asked = state.stop_asked != 0;
	state.stop_asked = 0;
	return asked;
}

bool restore_take_continue(void)
{
	bool continued = state.continued != 0;
	state.continued = 0;
	return continued;
}

bool restore_take_resize(void)
{
	bool resized = state.resized != 0;
	state.resized = 0;
	return resized;
}

void restore_stop(void)
{
	struct sigaction action, previous;
	sigset_t unblocked, old;
	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigemptyset(&action.sa_mask);
	sigemptyset(&unblocked);
	sigaddset(&unblocked, SIGTSTP);
	state.enabled = 0;
	sigaction(SIGTSTP, &action, &previous);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &unblocked, &old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaction(SIGTSTP, &previous, NULL);
	state.enabled = 1;
	state.stop_asked = state.continued = 0;
}
