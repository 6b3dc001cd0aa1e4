/*
 * system_threads.c - sample the threads of a process.
 *
 * The table follows the directory "task".  It is listed again if the number of threads has changed, if a
 * known thread has ended, and from time to time.  The sums increase by the growth of each thread since its
 * last reading; a thread in the first listing starts at its present value.
 */

#include "core/sum.h"
#include "target/processes.h"
#include "target/sampler_private.h"
#include "target/status.h"

enum {
	LIST_AGAIN = 10, /* samples after which threads are listed again in any case */
	BUSY_MOST =
	    SYSTEM_THREADS_AT_ONCE / 2, /* busy threads that are read besides those whose turn it is */
	FILE_TEXT = 16384
};

enum { STAT, SCHEDSTAT, STATUS, FILES };
static const char *const names[FILES] = {"stat", "schedstat", "status"};

/* indices of the sums */
enum { RUN, WAIT, VOLUNTARY, FORCED, SUMS };
static const enum system_value_id sum_ids[SUMS] = {
    [RUN] = SYSTEM_RUN, [WAIT] = SYSTEM_WAIT, [VOLUNTARY] = SYSTEM_VOLUNTARY, [FORCED] = SYSTEM_FORCED};

struct thread {
	struct kept_file files[FILES];
	bool listed;	/* seen in this listing */
	bool read;	/* was read at least once */
	bool busy;	/* it ran or waited for a processor when it was last read */
	bool old;	/* older than the sampling: its first values are not added to the sums */
	bool has[SUMS]; /* `last` is known */
	uint64_t last[SUMS];
	struct system_thread seen;
};

struct system_threads {
	bool began;
	bool crowded; /* there were more threads than the table holds: new entries may be old threads */
	bool again;   /* list them at the next sample */
	unsigned samples;
	uint64_t count; /* threads at the last listing */
	unsigned turn;	/* index at which the next sample continues */
	unsigned used;
	struct thread table[SYSTEM_THREADS];
	uint64_t sums[SUMS];
	enum system_known known[SUMS];
	enum system_known listing;
	char text[FILE_TEXT];
};

struct system_threads *system_threads_create(void)
{
	struct system_threads *threads = calloc(1, sizeof *threads);

	if (threads != NULL)
		threads->again = true;
	return threads;
}

static void thread_close(struct thread *thread)
{
	for (unsigned f = 0; f < FILES; f++)
		kept_close(&thread->files[f]);
}

void system_threads_destroy(struct system_threads *threads)
{
	if (threads == NULL)
		return;
	for (unsigned i = 0; i < threads->used; i++)
		thread_close(&threads->table[i]);
	free(threads);
}

/* Record a thread of the listing; the table stays sorted. */
static void note_thread(struct system_threads *threads, int32_t tid)
{
	unsigned at = threads->used;

	while (at > 0 && threads->table[at - 1].seen.tid > tid)
		at--;
	if (at > 0 && threads->table[at - 1].seen.tid == tid) {
		threads->table[at - 1].listed = true;
		return;
	}
	if (threads->used == SYSTEM_THREADS) {
		threads->crowded = true;
		return;
	}
	struct thread *thread = &threads->table[at];
	memmove(thread + 1, thread, (threads->used - at) * sizeof *thread);
	threads->used++;
	memset(thread, 0, sizeof *thread);
	for (unsigned f = 0; f < FILES; f++)
		thread->files[f] = KEPT_FILE_NONE;
	thread->listed = true;
	thread->old = !threads->began || threads->crowded;
	thread->seen.tid = tid;
}

/* Remove threads that the listing lacks. */
static void drop_ended(struct system_threads *threads)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < threads->used; i++) {
		struct thread *thread = &threads->table[i];

		if (!thread->listed) {
			thread_close(thread);
			continue;
		}
		thread->listed = false;
		if (kept != i)
			threads->table[kept] = *thread;
		kept++;
	}
	threads->used = kept;
}

static enum system_known list(struct system_threads *threads, const struct proc *proc)
{
	int32_t *tids;
	size_t count;
	int error = process_threads(proc, &tids, &count);

	if (error != 0)
		return kept_reason(error);
	for (size_t i = 0; i < count; i++)
		note_thread(threads, tids[i]);
	free(tids);
	drop_ended(threads);
	return SYSTEM_KNOWN;
}

/* Read a file of a thread. */
static enum system_known read_file(
    struct system_threads *threads, struct thread *thread, int task, unsigned file, bool keep, size_t *len)
{
	char path[64];
	enum system_known known;

	snprintf(path, sizeof path, "task/%ld/%s", (long)thread->seen.tid, names[file]);
	known = kept_read(&thread->files[file], task, path, threads->text, sizeof threads->text, len);
	if (!keep)
		kept_close(&thread->files[file]);
	return known;
}

/* Read the three files of a thread.  Returns false if it has ended. */
static bool read_thread(
    struct system_threads *threads, struct thread *thread, int dir, bool keep, uint64_t now)
{
	struct system_thread *seen = &thread->seen;
	struct status_stat stat = {.pid = 0};
	uint64_t times[3] = {0}, voluntary = 0, forced = 0;
	size_t len;

	enum system_known known = read_file(threads, thread, dir, STAT, keep, &len);
	if (known == SYSTEM_ENDED || known == SYSTEM_NO_FILE)
		return false;
	bool parsed = known == SYSTEM_KNOWN && status_parse_stat(threads->text, len, &stat);
	seen->state = parsed ? stat.state : '\0';
	memset(seen->comm, 0, sizeof seen->comm);
	strlcpy(seen->comm, stat.name, sizeof seen->comm);
	system_set(&seen->user, parsed, known, status_ticks_ns(stat.user_ticks));
	system_set(&seen->system, parsed, known, status_ticks_ns(stat.system_ticks));

	known = read_file(threads, thread, dir, SCHEDSTAT, keep, &len);
	known = known == SYSTEM_NO_FILE ? SYSTEM_OTHER_KERNEL : known;
	parsed = known == SYSTEM_KNOWN && system_parse_schedstat(threads->text, len, times);
	/* Kernels without these statistics print zeros. */
	if (times[0] == 0 && times[1] == 0 && times[2] == 0 && stat.cpu_ticks > 0)
		parsed = false;
	system_set(&seen->run, parsed, known, times[0]);
	system_set(&seen->wait, parsed, known, times[1]);

	known = read_file(threads, thread, dir, STATUS, keep, &len);
	parsed = known == SYSTEM_KNOWN &&
		 system_parse_keyed(threads->text, len, "voluntary_ctxt_switches", &voluntary) &&
		 system_parse_keyed(threads->text, len, "nonvoluntary_ctxt_switches", &forced);
	system_set(&seen->voluntary, parsed, known, voluntary);
	system_set(&seen->forced, parsed, known, forced);
	seen->ts = now;
	return true;
}

/* Add the growth of a thread since its last reading to the sums. */
static void sum_thread(struct system_threads *threads, struct thread *thread)
{
	const struct system_value *const values[SUMS] = {[RUN] = &thread->seen.run,
	    [WAIT] = &thread->seen.wait,
	    [VOLUNTARY] = &thread->seen.voluntary,
	    [FORCED] = &thread->seen.forced};

	thread->busy = thread->seen.state == 'R';
	for (unsigned i = 0; i < SUMS; i++) {
		uint64_t value = values[i]->value,
			 grown = value > thread->last[i] ? value - thread->last[i] : 0;

		if (values[i]->known != SYSTEM_KNOWN) {
			threads->known[i] = values[i]->known;
			continue;
		}
		threads->known[i] = SYSTEM_KNOWN;
		thread->last[i] = value;
		thread->busy |= i <= WAIT && thread->has[i] && grown > 0;
		/* Values are handled one by one: one file may become readable later than the others. */
		if (thread->has[i] || !thread->old)
			threads->sums[i] = sum_saturating(threads->sums[i], grown);
		thread->has[i] = true;
	}
	thread->read = true;
}

/* Read as many threads as one sample may read: those whose turn it is, and some that were busy. */
static void read_turn(struct system_threads *threads, const struct proc *proc, uint64_t now)
{
	bool all = threads->used <= SYSTEM_THREADS_AT_ONCE;
	unsigned count = all ? threads->used : SYSTEM_THREADS_AT_ONCE;

	if (all || threads->turn >= threads->used)
		threads->turn = 0;
	/* In turns, few of many threads run, and what these wait is no sum of old readings. */
	for (unsigned i = 0, busy = 0; i < threads->used; i++) {
		struct thread *thread = &threads->table[(threads->turn + i) % threads->used];

		if (i >= count && (!thread->busy || busy++ >= BUSY_MOST))
			continue;
		if (read_thread(threads, thread, proc->dir, all, now))
			sum_thread(threads, thread);
		else
			threads->again = true;
	}
	threads->turn = all ? 0 : (threads->turn + count) % threads->used;
}

void system_threads_sample(
    struct system_threads *threads, const struct proc *proc, uint64_t count, struct system_sample *out)
{
	if (threads->again || count != threads->count || ++threads->samples >= LIST_AGAIN) {
		threads->again = false;
		threads->samples = 0;
		threads->count = count;
		threads->listing = list(threads, proc);
		threads->began = threads->began || threads->listing == SYSTEM_KNOWN;
	}
	if (threads->listing == SYSTEM_KNOWN)
		read_turn(threads, proc, out->ts);
	out->threads_known = threads->listing;
	out->in_turns = threads->used > SYSTEM_THREADS_AT_ONCE;
	out->thread_count = 0;
	for (unsigned i = 0; i < threads->used && threads->listing == SYSTEM_KNOWN; i++)
		if (threads->table[i].read)
			out->threads[out->thread_count++] = threads->table[i].seen;
	for (unsigned i = 0; i < SUMS; i++) {
		enum system_known known =
		    threads->listing == SYSTEM_KNOWN ? threads->known[i] : threads->listing;

		system_set(&out->values[sum_ids[i]], true, known, threads->sums[i]);
	}
}

void system_threads_unknown(struct system_sample *out, enum system_known why)
{
	out->threads_known = why;
	out->in_turns = false;
	out->thread_count = 0;
	for (unsigned i = 0; i < SUMS; i++)
		system_set(&out->values[sum_ids[i]], false, why, 0);
}
