/*
 * short.c - loaded before the C library (LD_PRELOAD), it has a program run short of something.
 *
 *     SHORT_MALLOC=N   no memory from the Nth allocation on
 *
 * No thread and no process is ever started.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* What glibc's own functions are called besides. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

/* Whether there is no memory any more. */
static bool no_memory(void)
{
	static long allocations, first = -1;
	const char *text;

	if (first < 0)
		first = (text = getenv("SHORT_MALLOC")) != NULL ? atol(text) : 0;
	if (first == 0 || ++allocations < first)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return no_memory() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return no_memory() ? NULL : __libc_realloc(old, size);
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *argument), void *argument)
{
	(void)thread, (void)attributes, (void)start, (void)argument;
	return EAGAIN;
}

pid_t fork(void)
{
	errno = EAGAIN;
	return -1;
}
