/* lock.c - tables of words, by kind of lock and by number of system call. */
#include "print/lock.h"

#include <sys/syscall.h>

const char *lock_words(const struct lock_id *lock, char out[LOCK_WORDS])
{
	static const char *const words[] = {[LOCK_NONE] = "no lock",
	    [LOCK_MUTEX] = "a mutex",
	    [LOCK_CHANNEL] = "the lock of a channel",
	    [LOCK_MASTER] = "the master lock of its domain",
	    [LOCK_CONDITION] = "a condition",
	    [LOCK_JOIN] = "the end of a thread",
	    [LOCK_BARRIER] = "the other domains",
	    [LOCK_RUNTIME] = "a lock of the runtime",
	    [LOCK_LIBC] = "a lock of its C library"};

	if (lock->kind == LOCK_CHANNEL && lock->fd >= 0)
		snprintf(out, LOCK_WORDS, "%s (fd %d)", words[lock->kind], lock->fd);
	else if (lock->kind == LOCK_MASTER && lock->domain >= 0)
		snprintf(out, LOCK_WORDS, "the master lock of domain %d", lock->domain);
	else if (lock->kind == LOCK_RUNTIME && lock->domain < 0)
		strlcpy(out, "a lock of the runtime or of C code", LOCK_WORDS);
	else
		strlcpy(out, words[lock->kind], LOCK_WORDS);
	return out;
}

const char *lock_call_words(int call)
{
	switch (call) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return "sleeps";
	case SYS_accept:
	case SYS_accept4:
		return "waits for a client";
	case SYS_read:
	case SYS_pread64:
	case SYS_recvfrom:
	case SYS_recvmsg:
		return "reads";
	case SYS_write:
	case SYS_pwrite64:
	case SYS_sendto:
	case SYS_sendmsg:
		return "writes";
	case SYS_fsync:
	case SYS_fdatasync:
		return "writes a file to its disk";
	case SYS_wait4:
	case SYS_waitid:
		return "waits for a process";
	case SYS_flock:
	case SYS_fcntl:
		return "waits for a lock of a file";
#ifdef SYS_poll
	case SYS_poll:
	case SYS_select:
	case SYS_epoll_wait:
#endif
	case SYS_ppoll:
	case SYS_pselect6:
	case SYS_epoll_pwait:
	case SYS_io_uring_enter:
		return "waits for input or output";
	default:
		return "is in a system call";
	}
}
