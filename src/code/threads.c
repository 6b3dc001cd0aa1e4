/* threads.c - see threads.h. */
#include "code/threads.h"

#include <sys/syscall.h>
#include <time.h>

#include "code/private.h"
#include "code/sampler.h"
#include "core/clock.h"
#include "core/order.h"
#include "target/processes.h"
#include "target/status.h"
#include "target/system_parse.h"

#define SHOW_NS UINT64_C(1500000000) /* threads not reached by then are not looked at */

enum {
	WOKEN = 5,	  /* pauses for a thread that may have just been woken */
	LOOKS = 3,	  /* attempts for a thread that moves on while it is looked at */
	SAMPLES_HZ = 499, /* sampling rate of running threads */
	WALKS =
	    64, /* most samples of a thread that are walked: a stack that lies takes milliseconds each time */
	TICK_AT = 128 /* tick_thread_id in struct caml_thread_table */
};

/* Read which system call a thread is in. */
static enum code_seen read_place(struct code *code, int32_t tid, struct status_place *place)
{
	int error = status_read_place(&code->proc, tid, place);

	if (error == ENOENT || error == ESRCH)
		return CODE_SEEN_GONE;
	errno = error;
	if (error == 0 && place->running)
		return CODE_SEEN_RUNNING;
	return place->sp != 0 && place->ip != 0 ? CODE_SEEN_ASLEEP : CODE_SEEN_REFUSED;
}

/* Look at a thread and read its place. */
static enum code_seen look(struct code *code, int32_t tid, struct code_stack *out, struct status_place *place)
{
	struct status_place after;
	struct code_sample sample;
	enum code_seen seen;

	for (unsigned i = 0; i < LOOKS; i++) {
		pages_forget(&code->pages);
		out->count = 0;
		out->end = CODE_UNSEEN;
		out->domain = -1;
		out->stack_id = 0;
		out->waits_on = 0;
		seen = read_place(code, tid, place);
		if (seen != CODE_SEEN_ASLEEP)
			return seen;
		sample = (struct code_sample){.tid = tid, .sp = place->sp, .ip = place->ip};
		code_walk(code, &sample, out);
		out->waits_on = place->number == SYS_futex ? place->arguments[0] : 0;
		if (read_place(code, tid, &after) == CODE_SEEN_ASLEEP &&
		    memcmp(place, &after, sizeof(after)) == 0)
			return CODE_SEEN_ASLEEP;
	}
	out->count = 0;
	out->end = CODE_MOVED;
	return CODE_SEEN_RUNNING;
}

/* What the kernel counts of a thread: how long it ran, in ns, and how often it was put on a processor. */
enum { RAN_NS = 0, RUNS = 2 };

/* Return what was counted of a thread; 0: not known. */
static uint64_t counted(struct code *code, int32_t tid, int which)
{
	char name[64], text[128];
	uint64_t times[3];
	size_t len;

	snprintf(name, sizeof(name), "task/%d/schedstat", tid);
	if (proc_read(&code->proc, name, text, sizeof(text), &len) != 0 ||
	    !system_parse_schedstat(text, len, times))
		return 0;
	return times[which];
}

enum code_seen code_look(struct code *code, int32_t tid, uint64_t *runs, struct code_stack *out)
{
	const uint64_t before = *runs, now = counted(code, tid, RUNS);
	struct status_place place;

	if (now != 0 && now == before)
		return CODE_SEEN_STILL;
	enum code_seen seen = look(code, tid, out, &place);
	*runs = seen == CODE_SEEN_ASLEEP ? now : 0;
	return seen;
}

/* ---- kinds ---- */

const char *code_thread_kind_name(enum code_thread_kind kind)
{
	static const char *const names[] = {"ocaml", "backup", "tick", "c"};

	return names[kind];
}

/* Whether the pthread_t at an address belongs to the thread whose stack is [sp, end): it is the address of
 * that thread's control block. */
static bool owns_stack(struct code *code, uint64_t at, uint64_t sp, uint64_t end)
{
	uint64_t thread;

	return pages_word(&code->pages, at, &thread) && thread >= sp && thread <= end;
}

/* Return the kind of a thread that was walked, and its domain (-1: none, or not known). */
static enum code_thread_kind kind_of(struct code *code, int32_t tid, const struct code_stack *stack,
    const struct status_place *place, int *domain)
{
	const struct runtime_layout *layout = code->layout;
	const uint64_t futex = place->number == SYS_futex ? place->arguments[0] : 0;
	uint64_t threads = runtime_variable(code->runtime, RUNTIME_THREAD_TABLE);

	*domain = stack->domain;
	for (unsigned i = 0; i < stack->count; i++)
		if (stack->frames[i].kind == CODE_OCAML)
			return CODE_THREAD_OCAML;
	if (stack->domain >= 0)
		return CODE_THREAD_OCAML;
	const uint64_t end = context_stack_end(code, tid, place->sp);
	if (end == 0)
		return CODE_THREAD_C;
	pages_begin(&code->pages, NULL, 0);
	if (threads != 0 && layout->tables_are_pointers && !pages_word(&code->pages, threads, &threads))
		threads = 0;
	for (size_t i = 0; i < code->domain_count; i++) {
		const struct context *c = &code->contexts[i];

		*domain = c->slot;
		/* Only a backup thread executes no OCaml code and waits for a futex of the domain. */
		if (c->element != 0 &&
		    (futex - c->element < layout->element ||
			(layout->backup_at != 0 &&
			    owns_stack(code, c->element + layout->backup_at, place->sp, end))))
			return CODE_THREAD_BACKUP;
		if (threads != 0 &&
		    owns_stack(
			code, threads + (uint64_t)c->slot * layout->thread_element + TICK_AT, place->sp, end))
			return CODE_THREAD_TICK;
	}
	*domain = -1;
	return CODE_THREAD_C;
}

int32_t code_tid_inside(const struct code *code, int32_t tid)
{
	struct status_ids ids;

	return status_read_thread(&code->proc, tid, &ids) == 0 ? ids.ns_pid : 0;
}

enum code_thread_kind code_kind_by_lock(const struct code *code, int32_t tid, int *domain)
{
	const int32_t inside = code_tid_inside(code, tid);

	*domain = -1;
	for (size_t i = 0; i < code->domain_count && inside != 0 && *domain < 0; i++)
		if (code->contexts[i].tid == inside)
			*domain = code->contexts[i].slot;
	return *domain >= 0 ? CODE_THREAD_OCAML : CODE_THREAD_C;
}

/* ---- all threads ---- */

/* The first sample of each thread. */
struct samples {
	struct code *code;
	int32_t *tids; /* of all threads, ascending */
	struct sampled {
		bool running; /* waiting for a sample */
		unsigned walks;
		struct code_stack *stack; /* NULL: not sampled */
		uint64_t sp, ran_ns;	  /* ran_ns: before it was to be sampled; 0: not known */
	} * of;				  /* one for each thread */
	size_t count, left;
	bool tried; /* the threads that are still running were to be sampled for all of the time */
};

static void see_sample(void *ctx, const struct perf_sample *sample)
{
	struct samples *s = ctx;
	const struct code_sample *at = &sample->at;
	const int32_t *found = bsearch(&at->tid, s->tids, s->count, sizeof(*s->tids), order_by_int);
	struct sampled *of = found != NULL ? &s->of[found - s->tids] : NULL;

	/* A later sample replaces a stack that could not be walked. */
	if (of == NULL || !at->whole || of->walks == WALKS)
		return;
	if (of->stack == NULL && (of->stack = malloc(sizeof(*of->stack))) == NULL)
		return;
	code_sampler_walk(s->code, sample, of->stack);
	of->sp = at->sp;
	of->walks = of->stack->end == CODE_WHOLE ? WALKS : of->walks + 1;
	s->left -= of->running && of->walks == WALKS;
	of->running &= of->walks < WALKS;
}

/* Sample the running threads until the stack of each was walked or `patience` ns have passed. */
static void sample_running(struct samples *s, uint64_t patience, struct code_refusal *refusal)
{
	const struct code_sampler_options options = {
	    .proc_root = s->code->proc.root, .pid = s->code->proc.pid, .hz = SAMPLES_HZ};
	const struct timespec pause = {.tv_nsec = 2000000};
	uint64_t now = monotonic_now(), end = now + patience;
	struct code_sampler *sampler = code_sampler_create(&options, refusal);
	size_t left = s->left;

	if (refusal->error == 0)
		(void)code_sampler_start(sampler, see_sample, s);
	for (; refusal->error == 0 && left > 0 && now < end; now = monotonic_now()) {
		nanosleep(&pause, NULL);
		code_sampler_read(sampler, now, see_sample, s);
		code_sampler_lock(sampler);
		left = s->left;
		code_sampler_unlock(sampler);
	}
	code_sampler_destroy(sampler);
	s->tried = refusal->error == 0;
}

/* Return why a thread that runs was not sampled. */
static enum code_end why_unsampled(struct samples *s, size_t i)
{
	const struct sampled *of = &s->of[i];

	return s->tried && of->running && of->ran_ns != 0 &&
		       counted(s->code, s->tids[i], RAN_NS) == of->ran_ns
		   ? CODE_STARVED
		   : CODE_UNSAMPLED;
}

/* Find the running threads. */
static void find_running(struct samples *s)
{
	struct status_place place;

	for (size_t i = 0; i < s->count; i++) {
		s->of[i].running = read_place(s->code, s->tids[i], &place) == CODE_SEEN_RUNNING;
		s->left += s->of[i].running;
		s->of[i].ran_ns = s->of[i].running ? counted(s->code, s->tids[i], RAN_NS) : 0;
	}
}

static void read_name(const struct code *code, struct code_thread *thread)
{
	char path[64];
	size_t len;

	snprintf(path, sizeof(path), "task/%d/comm", thread->tid);
	if (proc_read(&code->proc, path, thread->name, sizeof(thread->name), &len) != 0)
		len = 0;
	thread->name[len] = '\0';
	thread->name[strcspn(thread->name, "\n")] = '\0';
}

/* Report each thread as it is now, or as it was when it was sampled. */
static void show(struct samples *s, struct code_stack *stack, code_thread_visit *visit, void *ctx)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	const uint64_t end = monotonic_now() + SHOW_NS;

	for (size_t i = 0; i < s->count; i++) {
		struct code_thread thread = {.tid = s->tids[i], .domain = -1};
		const struct code_stack *shown = stack;
		struct status_place place = {.sp = 0};

		thread.seen = CODE_SEEN_REFUSED;
		stack->count = 0;
		stack->end = CODE_UNSEEN;
		/* A thread that could not be sampled may have just been woken. */
		for (unsigned k = 0; k <= WOKEN && monotonic_now() < end; k++) {
			if (k > 0)
				nanosleep(&pause, NULL);
			thread.seen = look(s->code, s->tids[i], stack, &place);
			if (thread.seen != CODE_SEEN_RUNNING || s->of[i].stack != NULL)
				break;
		}
		if (thread.seen == CODE_SEEN_GONE)
			continue;
		if (thread.seen == CODE_SEEN_RUNNING && s->of[i].stack != NULL) {
			thread.sampled = true;
			shown = s->of[i].stack;
			place.sp = s->of[i].sp;
		} else if (thread.seen == CODE_SEEN_RUNNING && stack->end == CODE_UNSEEN) {
			stack->end = why_unsampled(s, i);
		}
		thread.kind = place.sp == 0 ? code_kind_by_lock(s->code, thread.tid, &thread.domain)
					    : kind_of(s->code, thread.tid, shown, &place, &thread.domain);
		read_name(s->code, &thread);
		visit(ctx, &thread, shown);
	}
}

int code_threads(
    struct code *code, uint64_t patience, code_thread_visit *visit, void *ctx, struct code_refusal *refusal)
{
	struct code_stack *stack = calloc(1, sizeof(*stack));
	struct samples s = {.code = code};
	int error = process_threads(&code->proc, &s.tids, &s.count);

	*refusal = (struct code_refusal){.error = 0};
	s.of = calloc(s.count, sizeof(*s.of));
	if (error == 0 && (stack == NULL || s.of == NULL))
		error = ENOMEM;
	if (error == 0) {
		find_running(&s);
		if (s.left > 0 && patience > 0)
			sample_running(&s, patience, refusal);
		show(&s, stack, visit, ctx);
	}
	for (size_t i = 0; s.of != NULL && i < s.count; i++)
		free(s.of[i].stack);
	free(s.of);
	free(s.tids);
	free(stack);
	return error;
}
