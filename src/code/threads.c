/*
 * threads.c - see threads.h.
 */
#include "code/threads.h"

#include <time.h>

#include "code/private.h"
#include "code/sampler.h"
#include "core/clock.h"
#include "target/processes.h"
#include "target/status.h"
#include "target/system_parse.h"

#define SHOW_NS UINT64_C(1500000000) /* threads that are left then are not looked at */

enum {
	PLACE_SIZE = 256,
	WOKEN = 5,		 /* pauses for a thread that may just have been woken */
	LOOKS = 3,		 /* at a thread that moves on while it is looked at */
	BACKUP_BEFORE_LOCK = 16, /* backup_thread, before domain_lock in struct dom_internal */
	TICK_AT = 128		 /* tick_thread_id in struct caml_thread_table */
};

/* Where the kernel says a thread is: "running", or "NUMBER ARGUMENTS... SP PC", of no system call "-1 SP PC". */
static enum code_seen read_place(
    struct code *code, int32_t tid, char text[PLACE_SIZE], struct code_sample *out)
{
	char name[64];
	char *end;
	size_t len;

	snprintf(name, sizeof(name), "task/%d/syscall", tid);
	int error = proc_read(&code->proc, name, text, PLACE_SIZE, &len);
	if (error == ENOENT || error == ESRCH)
		return CODE_SEEN_GONE;
	errno = error;
	if (error != 0)
		return CODE_SEEN_REFUSED;
	if (strncmp(text, "running", 7) == 0)
		return CODE_SEEN_RUNNING;
	/* The last two words. */
	const char *at = strrchr(text, ' ');
	while (at != NULL && at > text && at[-1] != ' ')
		at--;
	if (at == NULL || at == text)
		return CODE_SEEN_REFUSED;
	*out = (struct code_sample){.tid = tid};
	out->sp = strtoull(at, &end, 16);
	out->ip = strtoull(end, NULL, 16);
	return out->sp != 0 && out->ip != 0 ? CODE_SEEN_ASLEEP : CODE_SEEN_REFUSED;
}

/* Look at a thread; *sp: where its stack was. */
static enum code_seen look(struct code *code, int32_t tid, struct code_stack *out, uint64_t *sp)
{
	char before[PLACE_SIZE], after[PLACE_SIZE];
	struct code_sample sample;
	enum code_seen seen;

	*sp = 0;
	for (unsigned i = 0; i < LOOKS; i++) {
		pages_forget(&code->pages);
		out->count = 0;
		out->end = CODE_UNSEEN;
		out->domain = -1;
		out->stack_id = 0;
		seen = read_place(code, tid, before, &sample);
		if (seen != CODE_SEEN_ASLEEP)
			return seen;
		code_walk(code, &sample, out);
		*sp = sample.sp;
		if (read_place(code, tid, after, &sample) == CODE_SEEN_ASLEEP && strcmp(before, after) == 0)
			return CODE_SEEN_ASLEEP;
	}
	out->count = 0;
	out->end = CODE_MOVED;
	return CODE_SEEN_RUNNING;
}

/* How often a thread was put on a processor; 0: not known. */
static uint64_t runs_of(struct code *code, int32_t tid)
{
	char name[64], text[128];
	uint64_t times[3];
	size_t len;

	snprintf(name, sizeof(name), "task/%d/schedstat", tid);
	if (proc_read(&code->proc, name, text, sizeof(text), &len) != 0 ||
	    !system_parse_schedstat(text, len, times))
		return 0;
	return times[2];
}

enum code_seen code_look(struct code *code, int32_t tid, uint64_t *runs, struct code_stack *out)
{
	const uint64_t before = *runs, now = runs_of(code, tid);
	uint64_t sp;

	if (now != 0 && now == before)
		return CODE_SEEN_STILL;
	enum code_seen seen = look(code, tid, out, &sp);
	*runs = seen == CODE_SEEN_ASLEEP ? now : 0;
	return seen;
}

/* ---- kinds ---- */

const char *code_thread_kind_name(enum code_thread_kind kind)
{
	static const char *const names[] = {"ocaml", "backup", "tick", "c"};

	return names[kind];
}

/* Whether a pthread_t that lies at an address is that of the thread with this stack: glibc has the two in one mapping. */
static bool owns_stack(struct code *code, uint64_t at, const struct code_range *stack)
{
	uint64_t thread;

	return pages_word(&code->pages, at, &thread) && thread >= stack->start && thread < stack->end;
}

/* The kind of a thread that was walked, and its domain: -1, there is none or it is not known.  `sp` is an address on its
 * stack. */
static enum code_thread_kind kind_of(
    struct code *code, const struct code_stack *stack, uint64_t sp, int *domain)
{
	const struct code_range *range = symbols_other(&code->symbols, sp);
	uint64_t threads = runtime_variable(code->runtime, RUNTIME_THREAD_TABLE);

	*domain = stack->domain;
	for (unsigned i = 0; i < stack->count; i++)
		if (stack->frames[i].kind == CODE_OCAML)
			return CODE_THREAD_OCAML;
	if (stack->domain >= 0)
		return CODE_THREAD_OCAML;
	if (range == NULL)
		return CODE_THREAD_C;
	pages_begin(&code->pages, NULL, 0);
	if (threads != 0 && code->layout->tables_are_pointers && !pages_word(&code->pages, threads, &threads))
		threads = 0;
	for (size_t i = 0; i < code->domain_count; i++) {
		const struct context *c = &code->contexts[i];

		*domain = c->slot;
		if (c->element != 0 &&
		    owns_stack(code, c->element + code->layout->lock_at - BACKUP_BEFORE_LOCK, range))
			return CODE_THREAD_BACKUP;
		if (threads != 0 &&
		    owns_stack(
			code, threads + (uint64_t)c->slot * code->layout->thread_element + TICK_AT, range))
			return CODE_THREAD_TICK;
	}
	*domain = -1;
	return CODE_THREAD_C;
}

enum code_thread_kind code_kind_by_lock(const struct code *code, int32_t tid, int *domain)
{
	struct status_ids ids;

	*domain = -1;
	if (status_read_thread(&code->proc, tid, &ids) != 0)
		return CODE_THREAD_C;
	for (size_t i = 0; i < code->domain_count; i++) {
		if (code->contexts[i].tid == 0 || code->contexts[i].tid != ids.ns_pid)
			continue;
		*domain = code->contexts[i].slot;
		return CODE_THREAD_OCAML;
	}
	return CODE_THREAD_C;
}

/* ---- all threads ---- */

/* Samples of threads, each its first. */
struct samples {
	struct code *code;
	int32_t *tids;		    /* of all threads, ascending */
	bool *running;		    /* of each: a sample is waited for */
	struct code_stack **stacks; /* of each: NULL, not sampled */
	uint64_t *sp;
	size_t count, left;
};

static int by_tid(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static void see_sample(void *ctx, const struct perf_sample *sample)
{
	struct samples *s = ctx;
	const struct code_sample *at = &sample->at;
	const int32_t *found = bsearch(&at->tid, s->tids, s->count, sizeof(*s->tids), by_tid);
	const size_t i = found != NULL ? (size_t)(found - s->tids) : 0;

	/* A stack that could not be walked makes place for the next one. */
	if (found == NULL || !at->whole || (s->stacks[i] != NULL && s->stacks[i]->end == CODE_WHOLE))
		return;
	if (s->stacks[i] == NULL && (s->stacks[i] = malloc(sizeof(*s->stacks[i]))) == NULL)
		return;
	code_walk(s->code, at, s->stacks[i]);
	s->sp[i] = at->sp;
	if (s->running[i] && s->stacks[i]->end == CODE_WHOLE) {
		s->running[i] = false;
		s->left--;
	}
}

/* Sample the threads that run, until the stack of each was walked or `patience` ns have passed. */
static void sample_running(struct samples *s, uint64_t patience, struct code_refusal *refusal)
{
	const struct code_sampler_options options = {
	    .proc_root = s->code->proc.root, .pid = s->code->proc.pid, .hz = CODE_HZ_MAX};
	const struct timespec pause = {.tv_nsec = 2000000};
	uint64_t now = monotonic_now(), end = now + patience;
	struct code_sampler *sampler = code_sampler_create(&options, refusal);

	for (; refusal->error == 0 && s->left > 0 && now < end; now = monotonic_now()) {
		nanosleep(&pause, NULL);
		pages_forget(&s->code->pages);
		code_sampler_read(sampler, now, see_sample, s);
	}
	code_sampler_destroy(sampler);
}

/* Note which threads run. */
static void find_running(struct samples *s)
{
	struct code_sample sample;
	char text[PLACE_SIZE];

	for (size_t i = 0; i < s->count; i++) {
		s->running[i] = read_place(s->code, s->tids[i], text, &sample) == CODE_SEEN_RUNNING;
		s->left += s->running[i];
	}
}

/* Show each thread: as it is now, or as it was when it was sampled. */
static void show(struct samples *s, struct code_stack *stack, code_thread_visit *visit, void *ctx)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	const uint64_t end = monotonic_now() + SHOW_NS;

	for (size_t i = 0; i < s->count; i++) {
		struct code_thread thread = {.tid = s->tids[i], .domain = -1};
		const struct code_stack *shown = stack;
		uint64_t sp = 0;

		thread.seen = CODE_SEEN_REFUSED;
		if (monotonic_now() < end)
			thread.seen = look(s->code, s->tids[i], stack, &sp);
		else
			stack->count = 0;
		/* A thread that could not be sampled may just have been woken. */
		for (unsigned k = 0; k < WOKEN && thread.seen == CODE_SEEN_RUNNING && s->stacks[i] == NULL;
		     k++) {
			nanosleep(&pause, NULL);
			thread.seen = look(s->code, s->tids[i], stack, &sp);
		}
		if (thread.seen == CODE_SEEN_GONE)
			continue;
		if (thread.seen == CODE_SEEN_RUNNING && s->stacks[i] != NULL) {
			thread.sampled = true;
			shown = s->stacks[i];
			sp = s->sp[i];
		}
		thread.kind = sp == 0 ? code_kind_by_lock(s->code, thread.tid, &thread.domain)
				      : kind_of(s->code, shown, sp, &thread.domain);
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
	if (error == 0) {
		s.running = calloc(s.count, sizeof(*s.running));
		s.stacks = calloc(s.count, sizeof(struct code_stack *));
		s.sp = calloc(s.count, sizeof(*s.sp));
		error = stack != NULL && s.running != NULL && s.stacks != NULL && s.sp != NULL ? 0 : ENOMEM;
	}
	if (error == 0) {
		find_running(&s);
		if (s.left > 0)
			sample_running(&s, patience, refusal);
		show(&s, stack, visit, ctx);
	}
	for (size_t i = 0; s.stacks != NULL && i < s.count; i++)
		free(s.stacks[i]);
	free(s.stacks);
	free(s.running);
	free(s.sp);
	free(s.tids);
	free(stack);
	return error;
}
