/* runtime_threads.c - see runtime_threads.h. */
#include "target/runtime_threads.h"

#include "target/processes.h"
#include "target/status.h"

enum {
	CHUNK = 4096,
	TCB_WITHIN = 65536, /* most bytes from where a domain left the stack to the thread's control block */
	TCB_BYTES = 24,	    /* its own address, another word, its own address again */
	TCB_LIST_AT =
	    0x2c0, /* two pointers: a circular list of all threads but the first, its head in the library */
	TCB_TID_AT = 0x2d0,
	TCB_BLOCK_AT = 0x690, /* the stack: its address, its size, and its guard bytes at the start */
	THREADS_MOST = 1 << 16,
	MAIN_WITHIN = 8 << 20 /* distance of the first thread's TCB from the start of its stack, at most */
};

/* What is known of a slot. */
struct known {
	uint64_t unique;  /* unique number of the domain */
	int32_t tid;	  /* thread that runs it, in its own namespace; 0: not known */
	int32_t here;	  /* that thread in our namespace; 0: not looked up */
	uint64_t top;	  /* top of its stack */
	unsigned differs; /* checks in a row in which the two rules differed */
	bool shown;	  /* it was in the last sample */
};

struct runtime_threads {
	struct proc proc;
	int32_t first;	/* first thread of the process, in its own namespace */
	uint64_t stack; /* start of the first thread's stack; 0: not known */
	struct known of[RUNTIME_DOMAINS_MAX];
};

struct runtime_threads *runtime_threads_create(const char *proc_root, pid_t pid)
{
	struct runtime_threads *t = calloc(1, sizeof *t);
	struct status_stat stat;
	struct status_ids ids;

	if (t == NULL)
		return NULL;
	if (proc_open(&t->proc, proc_root, pid) != 0)
		return t;
	if (status_read_stat(&t->proc, &stat) == 0)
		t->stack = stat.stack;
	if (status_read_ids(&t->proc, &ids) == 0)
		t->first = ids.ns_pid != 0 ? ids.ns_pid : pid;
	return t;
}

void runtime_threads_destroy(struct runtime_threads *t)
{
	if (t == NULL)
		return;
	proc_close(&t->proc);
	free(t);
}

bool thread_control_block(const struct memory_reader *memory, uint64_t from, uint64_t end, uint64_t *tcb)
{
	uint64_t words[CHUNK / sizeof(uint64_t) + TCB_BYTES / sizeof(uint64_t)];
	const size_t chunk = CHUNK / sizeof words[0], again = TCB_BYTES / sizeof words[0] - 1;
	const uint64_t first = from - from % CHUNK;

	end = end < UINT64_MAX - 2 * (uint64_t)CHUNK ? end : UINT64_MAX - 2 * (uint64_t)CHUNK;
	for (uint64_t at = first; at < end; at += CHUNK) {
		/* The last words of a chunk are examined together with the next one; zero is never an
		 * address. */
		if (at == first)
			memset(words, 0, sizeof words);
		else
			memmove(words, words + chunk, again * sizeof words[0]);
		*tcb = at;
		if (memory_bytes(memory, at, words + again, CHUNK) != 0)
			return false;
		for (size_t i = 0; i < chunk; i++) {
			*tcb = at + i * sizeof words[0] - again * sizeof words[0];
			if (*tcb >= from && words[i] == *tcb && words[i + 2] == *tcb)
				return true;
		}
	}
	*tcb = end;
	return false;
}

/* Return the control block of a sleeping thread; 0: none was found. */
static uint64_t some_tcb(const struct proc *proc, const struct memory_reader *memory)
{
	struct status_place place;
	int32_t *tids;
	size_t count;
	uint64_t tcb = 0;
	bool found = false;

	if (process_threads(proc, &tids, &count) != 0)
		return 0;
	for (size_t i = 0; i < count && !found; i++)
		found = tids[i] != proc->pid && status_read_place(proc, tids[i], &place) == 0 &&
			place.sp != 0 && place.sp < UINT64_MAX - TCB_WITHIN &&
			thread_control_block(memory, place.sp, place.sp + TCB_WITHIN, &tcb);
	free(tids);
	return found ? tcb : 0;
}

void thread_stacks(
    const struct proc *proc, const struct memory_reader *memory, thread_stack_visit *visit, void *ctx)
{
	const uint64_t first = some_tcb(proc, memory);
	uint64_t tcb = first, self, next, block[3]; /* address, size, guard */

	for (unsigned i = 0; i < THREADS_MOST && tcb != 0; i++) {
		const uint64_t page_end = (tcb | (CHUNK - 1)) + 1;

		/* This fails for the head of the list, and if the library is not glibc. */
		if (memory_bytes(memory, tcb, &self, sizeof self) == 0 && self == tcb &&
		    memory_bytes(memory, tcb + TCB_BLOCK_AT, block, sizeof block) == 0 && block[0] != 0 &&
		    block[0] < tcb && block[1] > tcb - block[0] && block[1] <= page_end - block[0] &&
		    block[2] < tcb - block[0] && !visit(ctx, block[0] + block[2], block[0] + block[1]))
			return;
		if (memory_bytes(memory, tcb + TCB_LIST_AT, &next, sizeof next) != 0 ||
		    next - TCB_LIST_AT == first)
			return;
		tcb = next - TCB_LIST_AT;
	}
}

int32_t runtime_threads_of_stack(
    const struct runtime_threads *t, const struct memory_reader *memory, uint64_t at, uint64_t *top)
{
	int32_t tid;

	*top = t->stack;
	if (at <= t->stack && t->stack - at < MAIN_WITHIN)
		return t->first;
	if (at == 0 || at > UINT64_MAX - TCB_WITHIN ||
	    !thread_control_block(memory, at, at + TCB_WITHIN, top))
		return 0;
	return memory_bytes(memory, *top + TCB_TID_AT, &tid, sizeof tid) == 0 && tid > 0 ? tid : 0;
}

/* Compare both rules for a domain.  Returns its thread; 0: not known. */
static int32_t check(
    struct runtime_threads *t, const struct memory_reader *memory, const struct runtime_domain *d)
{
	struct known *known = &t->of[d->slot];
	bool agrees = d->tid == 0 || d->tid == known->tid;
	uint64_t top;

	if (known->unique != d->unique)
		*known = (struct known){.unique = d->unique};
	known->shown = true;
	if (known->tid != 0 && agrees && d->c_stack <= known->top && known->top - d->c_stack < TCB_WITHIN) {
		known->differs = 0;
		return known->tid;
	}
	int32_t tid = runtime_threads_of_stack(t, memory, d->c_stack, &top);
	if (tid == 0)
		return known->tid != 0 && d->tid == known->tid ? known->tid : 0;
	if (d->tid == 0 || d->tid == tid) {
		if (known->tid != tid)
			known->here = 0;
		known->tid = tid;
		known->top = top;
		known->differs = 0;
	} else if (known->differs++ > 0) {
		known->tid = known->here = 0;
	}
	return known->tid;
}

void runtime_threads_check(
    struct runtime_threads *t, const struct memory_reader *memory, struct runtime_sample *sample)
{
	for (unsigned i = 0; i < RUNTIME_DOMAINS_MAX; i++)
		t->of[i].shown = false;
	for (unsigned i = 0; i < sample->domain_count; i++) {
		struct runtime_domain *d = &sample->domains[i];

		d->tid = d->slot < RUNTIME_DOMAINS_MAX ? check(t, memory, d) : 0;
	}
}

/* Whether a thread has this number in its own namespace. */
static bool is_thread(const struct runtime_threads *t, int32_t here, int32_t tid)
{
	struct status_ids ids;

	return status_read_thread(&t->proc, here, &ids) == 0 && (ids.ns_pid != 0 ? ids.ns_pid : here) == tid;
}

/* Find a thread in our namespace, where it usually has the same number. */
static int32_t find_here(const struct runtime_threads *t, int32_t tid, const struct system_sample *sample)
{
	if (is_thread(t, tid, tid))
		return tid;
	for (unsigned i = 0; i < sample->thread_count; i++)
		if (is_thread(t, sample->threads[i].tid, tid))
			return sample->threads[i].tid;
	return 0;
}

void runtime_threads_name(struct runtime_threads *t, struct system_sample *sample)
{
	for (unsigned i = 0; i < sample->thread_count; i++)
		sample->threads[i].runs = 0;
	for (unsigned slot = 0; slot < RUNTIME_DOMAINS_MAX; slot++) {
		struct known *known = &t->of[slot];

		if (!known->shown || known->tid == 0)
			continue;
		if (known->here == 0)
			known->here = find_here(t, known->tid, sample);
		for (unsigned i = 0; i < sample->thread_count; i++)
			if (sample->threads[i].tid == known->here)
				sample->threads[i].runs = slot + 1;
	}
}
