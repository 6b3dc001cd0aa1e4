/* lock_rows.c - see lock_rows.h. */
#include "advice/lock_rows.h"

#include <sys/syscall.h>

#include "core/sum.h"
#include "core/utf8.h"
#include "print/number.h"

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

void lock_table_code(struct lock_table *table, const struct profile *profile, unsigned hz)
{
	const struct lock_window *w = &table->window;

	memset(table->code, 0, sizeof(table->code));
	for (unsigned i = 0; i < w->count; i++)
		table->code[i] =
		    (struct profile_lock){.number = w->rows[i].number, .since = w->rows[i].since};
	if (profile != NULL)
		profile_locks(profile, hz, table->code, w->count);
}

void lock_row_name(const struct lock_row *row, char out[LOCK_ROW_TEXT])
{
	if (row->lock.kind == LOCK_CHANNEL)
		snprintf(out, LOCK_ROW_TEXT, "channel fd %d", row->lock.fd);
	else if (row->lock.kind == LOCK_MASTER)
		snprintf(out, LOCK_ROW_TEXT, "master lock D%d", row->lock.domain);
	else
		snprintf(out, LOCK_ROW_TEXT, "mutex 0x%" PRIx64, row->lock.address);
}

/* Append a word with its share to a list. */
static void append(char out[LOCK_ROW_TEXT], const char *word, uint64_t part, uint64_t all)
{
	const size_t len = strlen(out);

	snprintf(out + len, LOCK_ROW_TEXT - len, "%s%.*s %s", len > 0 ? ", " : "",
	    utf8_fit(word, strlen(word), 48), word, format_share(part, all).s);
}

void lock_row_owner(const struct lock_row *row, char out[LOCK_ROW_TEXT])
{
	const char *const words[LOCK_DOINGS] = {[LOCK_RUNS] = "runs",
	    [LOCK_IN_CALL] = lock_call_words(row->call),
	    [LOCK_WAITS] = "waits itself",
	    [LOCK_UNSEEN] = "not known",
	    [LOCK_GONE] = "is gone"};
	struct lock_row left = *row;

	out[0] = '\0';
	for (;;) {
		size_t most = 0;

		for (size_t i = 1; i < LOCK_DOINGS; i++)
			most = left.did[i] > left.did[most] ? i : most;
		if (left.did[most] == 0)
			return;
		append(out, words[most], left.did[most], row->looks);
		left.did[most] = 0;
	}
}

bool lock_waited_words(
    const struct lock_past *past, unsigned domain, uint64_t from, uint64_t ns, char out[LOCK_ROW_TEXT])
{
	struct lock_waited lock;

	out[0] = '\0';
	if (!lock_past_waited(past, domain, from, sum_saturating(from, ns), &lock) || lock.waits == 0)
		return false;
	snprintf(out, LOCK_ROW_TEXT, "waits for a lock about %s", format_duration(lock.ns).s);
	return true;
}

void lock_row_functions(
    const struct profile *profile, const struct profile_side *side, char out[LOCK_ROW_TEXT])
{
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(side->top) / sizeof(side->top[0]) && side->top[i].weight != 0; i++)
		append(out, profile_function_of(profile, side->top[i].function)->name, side->top[i].weight,
		    side->weight);
}
