/*
 * guard.c - the SIGBUS handler for mapped ring files.
 *
 * Only the polling thread writes the table.  It stores `size` last, so that the handler never sees half an
 * entry.
 */
#include "session/guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WATCHED_MAX = 4096 };

static struct {
	volatile uintptr_t start;
	volatile size_t size;
	atomic_int truncated; /* set by the thread that met the loss, read by the session's thread */
} watched[WATCHED_MAX];

static struct sigaction previous;
static uintptr_t page;

/* Map zero pages over the part of the mapping that the file has lost. */
static void on_bus(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;

	for (int i = 0; i < WATCHED_MAX; i++) {
		uintptr_t start = watched[i].start;
		if (at < start || at - start >= watched[i].size)
			continue;
		uintptr_t from = at - at % page;
		void *got = mmap((void *)from, watched[i].size - (from - start), PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
		if (got == MAP_FAILED)
			break;
		watched[i].truncated = 1;
		return;
	}
	/* Not our fault: call the previous handler, or restore the default and return into the same fault. */
	if (previous.sa_flags & SA_SIGINFO)
		previous.sa_sigaction(signal, info, context);
	else
		sigaction(SIGBUS, &previous, NULL);
}

void guard_install(void)
{
	struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER};

	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &previous);
}

void guard_remove(void)
{
	sigaction(SIGBUS, &previous, NULL);
}

/* Add a mapping; if the table is full, replace the oldest. */
static void guard_watch(const void *address, size_t size)
{
	static unsigned next;
	int slot = -1;

	if (size == 0)
		return;
	for (int i = 0; i < WATCHED_MAX && slot < 0; i++)
		if (watched[i].size == 0)
			slot = i;
	if (slot < 0)
		slot = (int)(next++ % WATCHED_MAX);
	watched[slot].size = 0;
	watched[slot].truncated = 0;
	watched[slot].start = (uintptr_t)address;
	watched[slot].size = size;
}

static void guard_forget(const void *address)
{
	for (int i = 0; i < WATCHED_MAX; i++)
		if (watched[i].start == (uintptr_t)address)
			watched[i].size = 0;
}

void guard_cursor(void *ctx, const struct rtev_cursor *cursor, bool watch)
{
	const void *address;
	size_t size;

	rtev_cursor_mapping(cursor, &address, &size);
	if (watch)
		guard_watch(address, size);
	else
		guard_forget(address);
}

bool guard_truncated(const void *address)
{
	for (int i = 0; i < WATCHED_MAX; i++)
		if (watched[i].size != 0 && watched[i].start == (uintptr_t)address)
			return watched[i].truncated != 0;
	return false;
}
