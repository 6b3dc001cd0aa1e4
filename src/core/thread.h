/*
 * thread.h - a thread that leaves signals to the others.
 */
#pragma once

#include <pthread.h>
#include <signal.h>

/* Start a thread that blocks all signals except those that its own faults raise.  Returns 0 or an errno value. */
static inline int thread_start(pthread_t *thread, void *(*run)(void *), void *ctx)
{
	static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL};
	sigset_t all, before;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = pthread_create(thread, NULL, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Wait for a thread to end.  If it works in steps of an effort (target/effort.h), it gives up its current
 * work. */
static inline void thread_end(pthread_t thread)
{
	/* The thread blocks the signal, which stays pending for it. */
	pthread_kill(thread, SIGTERM);
	pthread_join(thread, NULL);
}
