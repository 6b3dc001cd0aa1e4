/*
 * sampler.c - see sampler.h.
 *
 * Each thread has its own event and ring: an event that children inherit can't have a ring for all
 * processors.  The event's clock is a software clock of the thread's processor time: it needs no hardware
 * counter, which virtual machines often lack, and its period is exact.
 */
#include "code/sampler_private.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code/private.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/order.h"
#include "target/processes.h"
#include "target/shortage.h"

#define RING_PAGES 8	 /* data pages of a thread's ring, beside the page with the positions */
#define THREADS_MAX 1024 /* maximum number of threads sampled at once */
#define FILES_BESIDES 48 /* descriptors reserved for everything else */
#define FILES_USUAL 256
#define LIST_NS 1000000000u /* between two listings of the threads */
#define CHOOSE_NS                                                                                            \
	5000000000u /* between two listings that must find the busiest, with a file for each thread */

/* Bytes of the stack in a sample. */
#define STACK_SIZE 4096
#define STACK_SIZE_FAST 1024
#define FAST_HZ 200
#define SAMPLE_SIZE(stack) ((stack) + 160u)

#define PAUSE_NS_MAX 40000000u /* longest pause: stacks read late have changed */

/* If a thread does not continue after its sample, the time from sample to reading depends on the machine
 * only: taking the sample, and switching to another thread.  A longer time means that the thread has
 * continued. */
#define FLOOR_NS_MAX 80000u
#define RANS_FIRST 8 /* samples until the limit is first learnt */

/* ---- a thread ---- */

static void thread_close(struct code_sampler *s, struct thread *t)
{
	if (t->fd < 0)
		return;
	munmap(t->map, s->page + s->ring);
	close(t->fd);
	t->fd = -1;
	t->home_count = 0;
	s->open--;
}

/* Open the event of a thread.  Returns 0 or an errno value. */
static int thread_open(struct code_sampler *s, struct thread *t)
{
	int fd = (int)syscall(SYS_perf_event_open, &s->attr, t->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	void *map = mmap(NULL, s->page + s->ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		/* The limit on locked memory is exhausted. */
		int error = errno == EPERM ? ENOMEM : errno;
		close(fd);
		return error;
	}
	const int policy = sched_getscheduler(t->tid) & ~SCHED_RESET_ON_FORK;
	t->fd = fd;
	t->real_time = policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
	t->map = map;
	t->tail = 0;
	t->place = 0;
	t->step = (int64_t)s->attr.sample_period;
	s->open++;
	readers_give(s, t, 0);
	return 0;
}

/* Copy data of the ring from a position on, which may wrap around. */
static void ring_copy(struct code_sampler *s, const struct thread *t, uint64_t from, size_t size)
{
	const unsigned char *data = (const unsigned char *)t->map + s->page;
	size_t at = (size_t)(from % s->ring);
	size_t first = size < s->ring - at ? size : s->ring - at;

	memcpy(s->record, data + at, first);
	memcpy(s->record + first, data, size - first);
}

/* Read how long a thread has been on a processor so far. */
static bool count_now(int fd, uint64_t *count)
{
	return read(fd, count, sizeof(*count)) == sizeof(*count);
}

/* Learn the limit from how long a thread ran between a sample and its reading: the fastest quarter shows the
 * minimum. */
static void learn_limit(struct thread *t, uint64_t ran)
{
	uint64_t sorted[RANS];

	t->ran[t->rans++ % RANS] = ran < UINT32_MAX ? (uint32_t)ran : UINT32_MAX;
	if (t->rans > RANS_FIRST && t->rans % RANS_FIRST != 0)
		return;
	const unsigned count = t->rans < RANS ? t->rans : RANS;
	for (unsigned i = 0; i < count; i++)
		sorted[i] = t->ran[i];
	qsort(sorted, count, sizeof(sorted[0]), order_by_number);
	t->limit = sorted[count / 4] <= FLOOR_NS_MAX ? 2 * sorted[count / 4] : 0;
}

/* Have a sample visited.  `reader`: the reader that it woke. */
static void sample_see(struct code_sampler *s, struct thread *t, struct perf_sample *sample,
    const struct reader *reader, code_sample_visit *visit, void *ctx)
{
	const bool pinned = t->home_count > 0 && t->homes[0].reader->pinned;
	uint64_t now;

	/* The kernel reports tids of our namespace; the listing has those of /proc. */
	sample->at.tid = t->tid;
	sample->fd = t->fd;
	if (reader != NULL && reader->pinned && !reader->late && reader->cpu == sample->cpu &&
	    count_now(t->fd, &now) && now >= sample->count) {
		learn_limit(t, now - sample->count);
		sample->at.still = now - sample->count < t->limit;
		sample->count = now;
	}
	sample->at.missed = !sample->at.still && pinned && (t->limit > 0 || t->rans == 0);
	s->totals.late += !sample->at.still && !sample->at.missed;
	s->totals.samples++;
	s->totals.real_time += t->real_time;
	visit(ctx, sample);
	if (reader != NULL)
		readers_give(s, t, sample->cpu);
}

bool code_sampler_stands(const struct perf_sample *sample)
{
	uint64_t now;

	return sample->at.still && count_now(sample->fd, &now) && now == sample->count;
}

void code_sampler_walk(struct code *code, const struct perf_sample *sample, struct code_stack *out)
{
	struct code_sample at = sample->at;

	pages_forget(&code->pages);
	code_walk(code, &at, out);
	if (!at.still || code_sampler_stands(sample))
		return;
	/* The thread has continued on another processor. */
	at.still = false;
	at.missed = true;
	pages_forget(&code->pages);
	code_walk(code, &at, out);
}

/* Give the next sample of a thread another place in its period, so that no program is in step with them all; `read`: samples read
 * since the last time.  There stays one in each period: n of them prove that the thread ran for n - 2 periods. */
static void vary(struct code_sampler *s, struct thread *t, uint64_t read, bool still)
{
	const int64_t period = (int64_t)s->attr.sample_period, half = period / 2;
	int64_t place;

	t->place += (int64_t)read * (t->step - period);
	/* The new step begins now: of a thread that has gone on samples would be fewer. */
	if (!still)
		return;
	s->chance = s->chance * 1664525u + 1013904223u;
	place = t->place - half + (int64_t)((uint64_t)s->chance * (uint64_t)period >> 32);
	place = place < 0 ? -place : place > period ? 2 * period - place : place;
	/* If the reader comes late, the kernel repeats the step: it is never short. */
	const int64_t step = period + place - t->place;
	uint64_t next = (uint64_t)(step < half ? half : step > period + half ? period + half : step);
	if (ioctl(t->fd, PERF_EVENT_IOC_PERIOD, &next) == 0)
		t->step = (int64_t)next;
}

void thread_read(struct code_sampler *s, struct thread *t, const struct reader *reader,
    code_sample_visit *visit, void *ctx)
{
	const uint64_t had = s->totals.samples;
	/* Pairs with the kernel's release of the position behind its last record. */
	uint64_t head = __atomic_load_n(&t->map->data_head, __ATOMIC_ACQUIRE), lost;
	struct perf_sample sample = {.count = 0};

	if (head == t->tail)
		return;
	while (head != t->tail) {
		uint64_t held = head - t->tail;
		size_t size = 0;

		if (held >= PERF_HEADER_SIZE && held <= s->ring) {
			ring_copy(s, t, t->tail, PERF_HEADER_SIZE);
			size = perf_record_size(s->record, (size_t)held);
		}
		if (size == 0) {
			s->totals.malformed++;
			t->tail = head;
			break;
		}
		ring_copy(s, t, t->tail, size);
		t->tail += size;
		switch (perf_record_decode(s->record, size, &sample, &lost)) {
		case PERF_SAMPLED:
			/* If another sample follows this one, the thread has continued. */
			if (t->tail != head) {
				sample_see(s, t, &sample, NULL, visit, ctx);
			} else if (reader == NULL || !readers_leave(t, reader, sample.cpu)) {
				sample_see(s, t, &sample, reader, visit, ctx);
			} else {
				t->tail -= size;
				head = t->tail;
			}
			break;
		case PERF_LOST:
			s->totals.lost += lost;
			break;
		case PERF_MALFORMED:
			s->totals.malformed++;
			break;
		case PERF_OTHER:
			break;
		}
	}
	/* From here on the kernel may overwrite what was read. */
	__atomic_store_n(&t->map->data_tail, t->tail, __ATOMIC_RELEASE);
	if (reader != NULL && s->totals.samples > had)
		vary(s, t, s->totals.samples - had, sample.at.still);
}

/* Close a thread that has ended, after reading the rest of its ring. */
static void thread_end(struct code_sampler *s, struct thread *t, code_sample_visit *visit, void *ctx)
{
	if (t->fd < 0)
		return;
	thread_read(s, t, NULL, visit, ctx);
	thread_close(s, t);
}

/* ---- which threads ---- */

/* Replace the table by the threads of a listing; threads in both keep their rings. */
static void follow(struct code_sampler *s, int32_t *tids, size_t count, code_sample_visit *visit, void *ctx)
{
	struct thread *table = calloc(count, sizeof(*table));
	size_t old = 0;

	if (table == NULL) {
		free(tids);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		for (; old < s->count && s->threads[old].tid < tids[i]; old++)
			thread_end(s, &s->threads[old], visit, ctx);
		if (old < s->count && s->threads[old].tid == tids[i])
			table[i] = s->threads[old++];
		else
			table[i] = (struct thread){.tid = tids[i], .fd = -1};
	}
	for (; old < s->count; old++)
		thread_end(s, &s->threads[old], visit, ctx);
	free(s->threads);
	free(s->tids);
	s->threads = table;
	s->tids = tids;
	s->count = count;
}

static int by_growth(const void *a, const void *b)
{
	const struct thread *const *x = a, *const *y = b;

	return ((*x)->growth < (*y)->growth) - ((*x)->growth > (*y)->growth);
}

/* Return how many threads may have a descriptor: half of what the process may open, less what it opens for
 * other purposes. */
static unsigned files_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur / 2 > THREADS_MAX)
		return THREADS_MAX;
	if (files.rlim_cur <= FILES_BESIDES)
		return 1;
	rlim_t rest = files.rlim_cur - FILES_BESIDES;
	return (unsigned)(files.rlim_cur / 2 < rest ? files.rlim_cur / 2 : rest);
}

void code_sampler_failed(struct code_sampler *s, int error)
{
	if (error == EMFILE || error == ENFILE)
		s->totals.files = error;
}

/* Choose the threads to sample: all, or those that used a processor most since the last choice. */
static void choose(struct code_sampler *s)
{
	struct thread **order = calloc(s->count, sizeof(struct thread *));
	char path[64], text[128];
	size_t len;

	s->crowded = s->count > s->limit;
	if (s->crowded && s->limit < THREADS_MAX && s->limit == files_limit())
		code_sampler_failed(s, EMFILE);
	for (size_t i = 0; i < s->count; i++) {
		struct thread *t = &s->threads[i];
		t->chosen = !s->crowded;
		if (order == NULL || !s->crowded)
			continue;
		snprintf(path, sizeof(path), "task/%ld/schedstat", (long)t->tid);
		uint64_t cpu_ns = proc_read(&s->proc, path, text, sizeof(text), &len) == 0
				      ? strtoull(text, NULL, 10)
				      : t->cpu_ns;
		t->growth = cpu_ns > t->cpu_ns ? cpu_ns - t->cpu_ns : 0;
		t->cpu_ns = cpu_ns;
		order[i] = t;
	}
	if (order != NULL && s->crowded) {
		qsort(order, s->count, sizeof(struct thread *), by_growth);
		for (size_t i = 0; i < s->limit; i++)
			order[i]->chosen = true;
	}
	free(order);
}

/* Open the rings of the chosen threads.  Returns 0, or an errno value if none has one. */
static int open_chosen(struct code_sampler *s)
{
	int error = 0;

	for (size_t i = 0; i < s->count; i++)
		if (!s->threads[i].chosen)
			thread_close(s, &s->threads[i]);
	for (size_t i = 0; i < s->count && s->open < s->limit; i++) {
		struct thread *t = &s->threads[i];
		int refused = t->chosen && t->fd < 0 ? thread_open(s, t) : 0;
		if (refused == 0 || refused == ESRCH) /* it has ended meanwhile */
			continue;
		error = refused;
		code_sampler_failed(s, error);
		if (!shortage_is(refused))
			break;
		if (s->open > 1) {
			/* Allow no more than are open now, less one for other purposes; then choose again. */
			s->limit = s->open - 1;
			s->listed_ts = 0;
		}
	}
	return s->open != 0 ? 0 : error;
}

/* ---- the sampler ---- */

static void refuse(struct code_refusal *refusal, const char *proc_root, int error)
{
	const long paranoid = proc_setting(proc_root, "kernel/perf_event_paranoid", LONG_MAX);

	*refusal = (struct code_refusal){.error = error};
	if (error == EACCES || error == EPERM) {
		const bool low = paranoid <= 2; /* what the remedy would set it to */
		char is[24];

		snprintf(is, sizeof(is), paranoid != LONG_MAX ? "is %ld" : "can't be read", paranoid);
		snprintf(refusal->why, sizeof(refusal->why),
		    "the kernel refuses perf events: /proc/sys/kernel/perf_event_paranoid %s%s", is,
		    low ? ", and the process is another user's or a container forbids them" : "");
		snprintf(refusal->remedy, sizeof(refusal->remedy),
		    "Give rtevtop the capability CAP_PERFMON (in a container: --cap-add PERFMON)%s",
		    low ? "." : ", or run as root: sysctl kernel.perf_event_paranoid=2");
		return;
	}
	const char *why = error == ENOSYS || error == ENOENT || error == ENODEV || error == EOPNOTSUPP
			      ? "this kernel has no perf events"
			      : shortage_why(error);
	snprintf(refusal->why, sizeof(refusal->why), "%s", why);
	snprintf(refusal->remedy, sizeof(refusal->remedy), "%s",
	    shortage_remedy(error, "rtevtop stacks reads stacks without perf events."));
}

void code_refusal_now(struct code_refusal *refusal, const struct code_sampler_totals *totals)
{
	if (refusal->error == 0 && !refusal->some && totals->threads != 0)
		refusal->why[0] = refusal->remedy[0] = '\0';
	if (totals->files == 0 || refusal->why[0] != '\0')
		return;
	unsigned need = 2 * (totals->threads + totals->left_out) + FILES_BESIDES;
	refusal->some = true;
	snprintf(refusal->why, sizeof(refusal->why), "%s", shortage_why(totals->files));
	if (totals->files != EMFILE)
		snprintf(refusal->remedy, sizeof(refusal->remedy), "%s", shortage_remedy(totals->files, ""));
	else
		snprintf(refusal->remedy, sizeof(refusal->remedy), "Raise the limit: ulimit -n %u.",
		    need > FILES_USUAL ? need : FILES_USUAL);
}

static void fill_in(struct code_sampler *s, unsigned hz)
{
	s->attr = (struct perf_event_attr){
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(s->attr),
	    .config = PERF_COUNT_SW_CPU_CLOCK,
	    .sample_period = 1000000000u / hz,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			   PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	    .exclude_kernel = 1,
	    .exclude_hv = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	    .sample_regs_user = PERF_REGISTERS,
	    .sample_stack_user = hz > FAST_HZ ? STACK_SIZE_FAST : STACK_SIZE,
	    .wakeup_events = 1,
	};
	s->quit = -1;
	pthread_mutex_init(&s->lock, NULL);
	s->totals.hz = hz;
	s->page = (size_t)sysconf(_SC_PAGESIZE);
	s->ring = RING_PAGES * s->page;
}

static void ignore(void *ctx, const struct perf_sample *sample)
{
}

/* Adapt the rings to the present threads.  Returns 0, or an errno value if no thread has a ring. */
static int update(struct code_sampler *s, uint64_t now, code_sample_visit *visit, void *ctx)
{
	int32_t *tids;
	size_t count;

	int error = process_threads(&s->proc, &tids, &count);
	if (error != 0) {
		code_sampler_failed(s, error);
		return error;
	}
	s->listed_ts = now;
	code_sampler_lock(s);
	follow(s, tids, count, visit, ctx);
	code_sampler_unlock(s);
	choose(s);
	code_sampler_lock(s);
	error = open_chosen(s);
	code_sampler_unlock(s);
	return error;
}

struct code_sampler *code_sampler_create(
    const struct code_sampler_options *options, struct code_refusal *refusal)
{
	struct code_sampler *s = calloc(1, sizeof(*s));
	long most = proc_setting(options->proc_root, "kernel/perf_event_max_sample_rate", -1);
	int error = ENOMEM;

	*refusal = (struct code_refusal){.error = 0};
	if (s != NULL) {
		s->limit = files_limit();
		if (options->threads != 0 && options->threads < s->limit)
			s->limit = options->threads;
		s->proc.dir = -1;
		fill_in(s, most > 0 && (unsigned long)most < options->hz ? (unsigned)most : options->hz);
		error = proc_open(&s->proc, options->proc_root, options->pid);
	}
	if (error == 0)
		error = update(s, monotonic_now(), ignore, NULL);
	/* If memory is too short for all, the next reading chooses the busiest. */
	if (error == 0)
		return s;
	refuse(refusal, options->proc_root, error);
	if (s != NULL && s->count > 0)
		return s;
	code_sampler_destroy(s);
	return NULL;
}

void code_sampler_destroy(struct code_sampler *s)
{
	if (s == NULL)
		return;
	readers_end(s);
	for (size_t i = 0; i < s->count; i++)
		thread_close(s, &s->threads[i]);
	pthread_mutex_destroy(&s->lock);
	proc_close(&s->proc);
	free(s->threads);
	free(s->tids);
	free(s);
}

/* Whether a thread's samples wait for no reader: it has none, or its ring fills up (a full ring wakes no
 * reader). */
static bool is_left(const struct code_sampler *s, const struct thread *t)
{
	return t->fd >= 0 &&
	       (t->home_count == 0 ||
		   __atomic_load_n(&t->map->data_head, __ATOMIC_ACQUIRE) - t->tail >= s->ring / 2);
}

void code_sampler_read(struct code_sampler *s, uint64_t now, code_sample_visit *visit, void *ctx)
{
	code_sampler_lock(s);
	for (size_t i = 0; i < s->count; i++)
		if (is_left(s, &s->threads[i]))
			thread_read(s, &s->threads[i], NULL, visit, ctx);
	code_sampler_unlock(s);
	if (s->listed_ts == 0 || now - s->listed_ts >= (s->crowded ? CHOOSE_NS : LIST_NS))
		update(s, now, visit, ctx);
}

uint64_t code_sampler_pause(const struct code_sampler *s)
{
	/* This is the time in which a thread that always runs fills half of its ring. */
	uint64_t pause = s->ring / 2 / SAMPLE_SIZE(s->attr.sample_stack_user) * 1000000000u / s->totals.hz;

	return pause < PAUSE_NS_MAX ? pause : PAUSE_NS_MAX;
}

void code_sampler_totals(struct code_sampler *s, struct code_sampler_totals *out)
{
	code_sampler_lock(s);
	*out = s->totals;
	out->threads = s->open;
	out->left_out = s->count > s->open ? (unsigned)(s->count - s->open) : 0;
	for (size_t i = 0; i < s->reader_count; i++)
		out->readers_ns += s->readers[i]->cpu_ns;
	code_sampler_unlock(s);
}

const int32_t *code_sampler_threads(const struct code_sampler *s, size_t *count)
{
	*count = s->count;
	return s->tids;
}

bool code_sampler_has(const struct code_sampler *s, size_t place)
{
	return s->threads[place].fd >= 0;
}

/* ---- what it costs the target ---- */

#define COST_HZ 10000  /* frequency for ourselves: twenty samples in 2 ms */
#define COST_ROUNDS 12 /* the fastest ones count, since others were disturbed */
#define COST_PAGES 128 /* room for all samples of a round */
#define COST_STEPS 1000000u

/* Return the processor time of a piece of work. */
static uint64_t work(void)
{
	uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (volatile unsigned step = 0; step < COST_STEPS;)
		step++;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

uint64_t code_sampler_cost(unsigned hz)
{
	struct code_sampler *s = calloc(1, sizeof(*s));
	uint64_t with = UINT64_MAX, without = UINT64_MAX, samples = 0;
	struct thread self = {.fd = -1};

	if (s == NULL)
		return 0;
	fill_in(s, hz);
	s->attr.sample_period = 1000000000u / COST_HZ;
	s->attr.wakeup_events = 0;
	s->ring = COST_PAGES * s->page;
	for (unsigned round = 0; thread_open(s, &self) == 0 && round < COST_ROUNDS; round++) {
		uint64_t had = s->totals.samples, took = work();
		thread_read(s, &self, NULL, ignore, NULL);
		thread_close(s, &self);
		if (took < with && s->totals.samples > had) {
			with = took;
			samples = s->totals.samples - had;
		}
		took = work();
		without = took < without ? took : without;
	}
	thread_close(s, &self);
	free(s);
	return samples != 0 && with > without ? (with - without) / samples : 0;
}
