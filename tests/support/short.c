/*
 * short.c - loaded before the C library (LD_PRELOAD), it has a program run short of something.
 *
 *     SHORT_MALLOC=N   no memory from the Nth allocation on
 *     SHORT_ONCE=N     no memory for the Nth allocation alone, whereupon the file that SHORT_TOLD names is made
 *     SHORT_WHILE=PATH no memory while there is such a file
 *     SHORT_THREADS=1  no thread and no process is ever started
 *     SHORT_PTRACE=1   no other process's memory may be read
 *     SHORT_NAPS=S     naps of 20 ms take S seconds
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* What glibc's own functions are called besides. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

/* A number of the environment; 0: none. */
static long number(const char *name)
{
	const char *text = getenv(name);

	return text != NULL ? atol(text) : 0;
}

/* Whether there is no memory. */
static bool no_memory(void)
{
	static atomic_long allocations;
	static const char *path;
	static long first = -1, once;

	if (first < 0) {
		once = number("SHORT_ONCE");
		path = getenv("SHORT_WHILE");
		first = number("SHORT_MALLOC");
	}
	long count = atomic_fetch_add(&allocations, 1) + 1;
	bool now = path != NULL && access(path, F_OK) == 0;
	if (count != once && (first == 0 || count < first) && !now)
		return false;
	if (count == once)
		close(open(getenv("SHORT_TOLD"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
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
	static int (*own)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (number("SHORT_THREADS") != 0)
		return EAGAIN;
	if (own == NULL)
		*(void **)&own = dlsym(RTLD_NEXT, "pthread_create");
	return own(thread, attributes, start, argument);
}

pid_t fork(void)
{
	static pid_t (*own)(void);

	if (number("SHORT_THREADS") != 0) {
		errno = EAGAIN;
		return -1;
	}
	if (own == NULL)
		*(void **)&own = dlsym(RTLD_NEXT, "fork");
	return own();
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	struct timespec nap = *time;

	if (nap.tv_sec == 0 && nap.tv_nsec == 20000000)
		nap.tv_sec = number("SHORT_NAPS");
	const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, left);
	if (error != 0)
		errno = error;
	return error != 0 ? -1 : 0;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_count, const struct iovec *from,
    unsigned long from_count, unsigned long flags)
{
	static ssize_t (*own)(
	    pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, unsigned long);

	if (number("SHORT_PTRACE") != 0) {
		errno = EPERM;
		return -1;
	}
	if (own == NULL)
		*(void **)&own = dlsym(RTLD_NEXT, "process_vm_readv");
	return own(pid, to, to_count, from, from_count, flags);
}

int openat(int dir, const char *path, int flags, ...)
{
	static int (*own)(int, const char *, int, ...);
	mode_t mode = 0;
	va_list rest;

	if (number("SHORT_PTRACE") != 0 && strcmp(path, "mem") == 0) {
		errno = EACCES;
		return -1;
	}
	if (own == NULL)
		*(void **)&own = dlsym(RTLD_NEXT, "openat");
	va_start(rest, flags);
	if ((flags & (O_CREAT | O_TMPFILE)) != 0)
		mode = va_arg(rest, mode_t);
	va_end(rest);
	return own(dir, path, flags, mode);
}
