/*
 * profiler.c - see profiler.h.
 *
 * The sampler's readers walk samples as they are taken and queue them as addresses.  The thread here names
 * the addresses, looks at waiting threads, and keeps walker and sampler up to date.  Named samples go into a
 * second queue, which profiler_take empties.  A queue is a block of memory: who takes it leaves an empty one
 * in exchange.  Lines of code in a queue stay valid as long as the walker lives.
 */
#include "code/profiler.h"

#include <pthread.h>

#include "code/threads.h"
#include "core/clock.h"
#include "core/thread.h"
#include "target/runtime.h"

#define QUEUE_SIZE ((size_t)1 << 20)
#define FRAMES_MAX 4096 /* frames of a stack, including inlined functions; outer ones beyond are cut off */
#define KNOWN_LINES 4096

/* Average time between two looks at waiting threads, and the number of threads in one look. */
#define LOOK_NS 100000000u
#define LOOKS 32

/* Time after which domains and frame tables are read again if no sample needs that earlier. */
#define REFRESH_NS 100000000u

/* Number of threads whose last look is remembered, by a hash of the tid, and for how long: the tid may then
 * belong to another thread. */
#define REMEMBERED 256
#define REMEMBERED_NS 10000000000u

#define PROFILER_LOCKS 8 /* locks that are looked for in samples */

/* A named call in a queue. */
struct queued_frame {
	const struct code_line *line;
	bool c;
};

/* A sample in a queue.  Its frames follow: each a struct code_frame, or, once named, a struct queued_frame.
 * `again`: there are none, since the stack is that of the last look at the thread. */
struct queued {
	uint64_t ts;
	int32_t tid, domain;
	uint32_t marks, count;
	bool again;
	uint8_t waits, has;
};

struct queue {
	unsigned char *bytes;
	size_t used;
};

struct profiler {
	struct runtime *runtime;
	struct memory_reader memory;
	struct code *code;
	struct code_sampler *sampler;
	uint64_t now;			/* time of this turn */
	uint64_t refreshed_ts, look_ts; /* time of the last refresh and of the next look */
	uint32_t chance;
	size_t look; /* index of the next thread to look at */
	struct {
		int32_t tid;
		int32_t inside; /* tid in its own pid namespace */
		uint64_t runs, ts;
		uint64_t word; /* address of the futex on which it sleeps; 0: none */
	} asleep[REMEMBERED];
	struct queued_frame frames[FRAMES_MAX];
	struct queue naming;

	/* Protected by the sampler's lock, which every user of the walker holds. */
	struct code_stack stack;
	struct lock_place places[PROFILER_LOCKS];
	size_t place_count;
	struct queue walked;
	uint64_t dropped;  /* samples that found the queue full */
	bool stale, ended; /* some code or domain is unknown to the walker; the process has ended */

	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* protects the members up to the next comment */
	pthread_cond_t wake;
	bool quit;
	struct queue filled;
	struct profiler_state state;

	/* Used only by the caller of profiler_take. */
	struct queue empty;
	uint64_t taking_ns;
	struct profile_frame taken[FRAMES_MAX];
	struct {
		const struct code_line *line;
		uint32_t function;
	} known[KNOWN_LINES];
	struct profile_sample
	    looked[REMEMBERED]; /* like `asleep`, for samples that were put into the named queue */
};

/* ---- the thread ---- */

/* Append a sample to a queue.  Returns false if it is full. */
static bool put(struct queue *q, const struct queued *head, const void *frames, size_t size)
{
	if (QUEUE_SIZE - q->used < sizeof(*head) + size)
		return false;
	memcpy(q->bytes + q->used, head, sizeof(*head));
	if (size > 0)
		memcpy(q->bytes + q->used + sizeof(*head), frames, size);
	q->used += sizeof(*head) + size;
	return true;
}

/* Return the number of the lock that contains the word on which a thread sleeps; 0: none.  The lock is
 * held. */
static uint8_t waited_for(const struct profiler *p, uint64_t word)
{
	for (size_t i = 0; i < p->place_count; i++)
		if (word >= p->places[i].at && word < p->places[i].end)
			return p->places[i].number;
	return 0;
}

static size_t place_of(int32_t tid)
{
	return (uint32_t)tid % REMEMBERED;
}

/* Return the number of a lock that a thread holds, which can't change while the thread does not run; 0:
 * none. */
static uint8_t held_by(const struct profiler *p, int32_t tid)
{
	const size_t at = place_of(tid);
	int32_t owner;

	for (size_t i = 0; i < p->place_count && p->asleep[at].tid == tid && p->asleep[at].inside != 0; i++)
		if (p->places[i].owner_at != 0 &&
		    memory_bytes(&p->memory, p->places[i].owner_at, &owner, sizeof(owner)) == 0 &&
		    owner == p->asleep[at].inside)
			return p->places[i].number;
	return 0;
}

/* Queue the stack that was just walked; the lock is held.  `has` is the result of held_by.  Returns false if
 * the queue is full. */
static bool put_stack(struct profiler *p, int32_t tid, uint64_t ts, unsigned marks, uint8_t has)
{
	const struct code_stack *s = &p->stack;
	struct queued head = {.ts = ts, .tid = tid, .marks = marks, .count = s->count};

	head.waits = (marks & PROFILE_OFF) != 0 ? waited_for(p, s->waits_on) : 0;
	head.has = has;
	head.domain = s->domain >= 0 ? s->domain : PROFILE_NO_DOMAIN;
	/* A thread that executes no OCaml code has no root to reach. */
	if (s->end != CODE_WHOLE && s->end != CODE_NO_OCAML)
		head.marks |= PROFILE_INCOMPLETE;
	return put(&p->walked, &head, s->frames, s->count * sizeof(s->frames[0]));
}

/* Name the frames of a sample; *count: the number of frames, including inlined functions. */
static void name_frames(struct profiler *p, const unsigned char *frames, uint32_t *count)
{
	struct code_frame frame;
	uint32_t named = 0;

	for (uint32_t i = 0; i < *count; i++) {
		memcpy(&frame, frames + i * sizeof(frame), sizeof(frame));
		code_sampler_lock(p->sampler);
		const struct code_lines *lines = code_lines(p->code, &frame);
		code_sampler_unlock(p->sampler);
		for (unsigned k = 0; k < lines->count && named < FRAMES_MAX; k++)
			p->frames[named++] =
			    (struct queued_frame){.line = &lines->line[k], .c = frame.kind == CODE_C};
	}
	*count = named;
}

/* Move the walked samples to the other queue, with names. */
static void name_all(struct profiler *p)
{
	struct queued head;

	code_sampler_lock(p->sampler);
	struct queue walked = p->walked;
	uint64_t dropped = p->dropped;
	p->walked = p->naming;
	p->dropped = 0;
	code_sampler_unlock(p->sampler);
	for (size_t at = 0; at < walked.used;) {
		memcpy(&head, walked.bytes + at, sizeof(head));
		at += sizeof(head);
		const unsigned char *frames = walked.bytes + at;
		at += head.count * sizeof(struct code_frame);
		name_frames(p, frames, &head.count);
		pthread_mutex_lock(&p->lock);
		dropped += !put(&p->filled, &head, p->frames, head.count * sizeof(p->frames[0]));
		pthread_mutex_unlock(&p->lock);
	}
	walked.used = 0;
	p->naming = walked;
	if (dropped == 0)
		return;
	/* Looks may have been dropped, so no later one may refer to them. */
	memset(p->asleep, 0, sizeof(p->asleep));
	pthread_mutex_lock(&p->lock);
	p->state.dropped += dropped;
	pthread_mutex_unlock(&p->lock);
}

/* Whether the profiler is being closed: a process that slows down walks may leave many samples. */
static bool quits(struct profiler *p)
{
	pthread_mutex_lock(&p->lock);
	bool quit = p->quit;
	pthread_mutex_unlock(&p->lock);
	return quit;
}

static void on_sample(void *ctx, const struct perf_sample *sample)
{
	struct profiler *p = ctx;

	if (p->ended || quits(p))
		return;
	code_sampler_walk(p->code, sample, &p->stack);
	/* The domain or the code may be new. */
	p->stale |= p->stack.end == CODE_NO_OCAML || p->stack.end == CODE_NO_FRAME;
	uint8_t has = held_by(p, sample->at.tid);
	/* The thread may have acquired the lock since the sample. */
	if (has != 0 && !code_sampler_stands(sample))
		has = 0;
	p->dropped += !put_stack(p, sample->at.tid, sample->ts, 0, has);
}

/* Look at a thread that may wait; the sampler's lock is held.  If the thread runs and is not sampled, only
 * that is recorded. */
static void look_at(struct profiler *p, int32_t tid, bool sampled)
{
	const size_t at = place_of(tid);
	bool put_there = true;

	if (p->asleep[at].tid != tid || p->now - p->asleep[at].ts > REMEMBERED_NS)
		p->asleep[at].runs = 0;
	if (p->asleep[at].tid != tid || p->asleep[at].inside == 0)
		p->asleep[at].inside = code_tid_inside(p->code, tid);
	p->asleep[at].tid = tid;
	p->asleep[at].ts = p->now;
	enum code_seen seen = code_look(p->code, tid, &p->asleep[at].runs, &p->stack);
	if (seen == CODE_SEEN_STILL) {
		const struct queued again = {.ts = monotonic_now(),
		    .tid = tid,
		    .again = true,
		    .waits = waited_for(p, p->asleep[at].word),
		    .has = held_by(p, tid)};
		put_there = put(&p->walked, &again, NULL, 0);
	} else if (seen == CODE_SEEN_ASLEEP) {
		p->asleep[at].word = p->stack.waits_on;
		put_there = put_stack(p, tid, monotonic_now(), PROFILE_OFF, held_by(p, tid));
	} else if (seen == CODE_SEEN_RUNNING && !sampled) {
		code_kind_by_lock(p->code, tid, &p->stack.domain);
		put_there = put_stack(p, tid, monotonic_now(), PROFILE_UNSEEN, 0);
	}
	if (seen == CODE_SEEN_REFUSED)
		code_sampler_failed(p->sampler, errno);
	p->dropped += !put_there;
}

/* Look at waiting threads: at all of them, or in turn at as many as one look may. */
static void look(struct profiler *p, uint64_t now)
{
	size_t count, looks;
	const int32_t *tids = code_sampler_threads(p->sampler, &count);

	/* With equal intervals, a thread that waits periodically would always be met in the same places. */
	p->chance = p->chance * 1664525u + 1013904223u;
	p->look_ts = now + LOOK_NS / 2 + (uint64_t)p->chance * LOOK_NS / UINT32_MAX;
	looks = count < LOOKS ? count : LOOKS;
	for (size_t i = 0; i < looks && !quits(p); i++, p->look++) {
		code_sampler_lock(p->sampler);
		look_at(p, tids[p->look % count], code_sampler_has(p->sampler, p->look % count));
		code_sampler_unlock(p->sampler);
	}
}

/* Wait until a time; the lock is held. */
static void wait_until(struct profiler *p, uint64_t ts)
{
	const struct timespec until = {
	    .tv_sec = (time_t)(ts / 1000000000u), .tv_nsec = (long)(ts % 1000000000u)};

	while (!p->quit && pthread_cond_timedwait(&p->wake, &p->lock, &until) == 0)
		;
}

/* Update the walker: whether the process lives, its domains and its tables.  Returns what was left out of
 * them. */
static const char *refresh(struct profiler *p)
{
	code_sampler_lock(p->sampler);
	p->ended = !code_turn(p->code);
	if (p->stale || p->now - p->refreshed_ts >= REFRESH_NS) {
		p->refreshed_ts = p->now;
		p->stale = false;
		(void)code_refresh(p->code);
	}
	const char *left_out = code_left_out(p->code);
	code_sampler_unlock(p->sampler);
	return left_out;
}

static void *profile(void *arg)
{
	struct profiler *p = arg;
	struct code_sampler_totals totals;

	(void)code_sampler_start(p->sampler, on_sample, p);
	pthread_mutex_lock(&p->lock);
	while (!p->quit) {
		pthread_mutex_unlock(&p->lock);
		uint64_t now = monotonic_now();
		p->now = now;
		const char *left_out = refresh(p);
		code_sampler_read(p->sampler, now, on_sample, p);
		if (!p->ended && now >= p->look_ts)
			look(p, now);
		name_all(p);
		code_sampler_totals(p->sampler, &totals);
		pthread_mutex_lock(&p->lock);
		p->state.sampler = totals;
		p->state.names = left_out;
		p->state.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		p->state.now = now;
		const uint64_t turn = now + code_sampler_pause(p->sampler);
		wait_until(p, p->ended || turn < p->look_ts ? turn : p->look_ts);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- creating ---- */

/* Open everything that is needed.  Returns false with a reason. */
static bool open_all(struct profiler *p, const struct profiler_options *options, struct code_refusal *refusal)
{
	const char *why = NULL;

	*refusal = (struct code_refusal){.error = ENOTSUP};
	p->runtime = runtime_create(options->proc_root, options->pid, options->version, &why);
	if (p->runtime != NULL) {
		p->memory = runtime_memory_unchecked(p->runtime);
		p->code = code_create(p->runtime, options->proc_root, options->pid, &why);
	}
	if (p->code == NULL) {
		struct runtime_layout layout;

		if (runtime_layout_of(options->version, &layout)) {
			snprintf(refusal->why, sizeof(refusal->why), "%s", why);
			refusal->error = strcmp(why, EFFORT_LATE) == 0 ? EAGAIN : ENOTSUP;
			return false;
		}
		snprintf(refusal->why, sizeof(refusal->why), "of OCaml %s, %s",
		    options->version->text[0] != '\0' ? options->version->text : "5", why);
		strlcpy(refusal->remedy, RUNTIME_RELEASES_KNOWN, sizeof(refusal->remedy));
		return false;
	}
	p->sampler = code_sampler_create(
	    &(struct code_sampler_options){
		.proc_root = options->proc_root, .pid = options->pid, .hz = options->hz},
	    refusal);
	if (p->sampler != NULL)
		refusal->error = 0;
	return p->sampler != NULL;
}

struct profiler *profiler_create(const struct profiler_options *options, struct code_refusal *refusal)
{
	struct profiler *p = calloc(1, sizeof(*p));
	pthread_condattr_t monotonic;

	if (p == NULL) {
		*refusal = (struct code_refusal){.error = ENOMEM, .why = "out of memory"};
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	struct queue *const queues[] = {&p->walked, &p->naming, &p->filled, &p->empty};
	bool room = true;
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++)
		room &= (queues[i]->bytes = malloc(QUEUE_SIZE)) != NULL;
	bool open = open_all(p, options, refusal);
	if (open) {
		code_sampler_totals(p->sampler, &p->state.sampler);
		p->state.names = code_left_out(p->code);
		p->state.started = p->state.now = monotonic_now();
		p->started = room && thread_start(&p->thread, profile, p) == 0;
		if (p->started) {
			/* The sampler already takes samples meanwhile. */
			const uint64_t cost = code_sampler_cost(options->hz);
			pthread_mutex_lock(&p->lock);
			p->state.target_ns = cost;
			pthread_mutex_unlock(&p->lock);
			return p;
		}
		*refusal = (struct code_refusal){.error = ENOMEM, .why = "out of memory"};
	}
	profiler_destroy(p);
	return NULL;
}

void profiler_destroy(struct profiler *p)
{
	if (p == NULL)
		return;
	if (p->started) {
		pthread_mutex_lock(&p->lock);
		p->quit = true;
		pthread_cond_signal(&p->wake);
		pthread_mutex_unlock(&p->lock);
		pthread_join(p->thread, NULL);
	}
	code_sampler_destroy(p->sampler);
	code_destroy(p->code);
	runtime_destroy(p->runtime);
	free(p->walked.bytes);
	free(p->naming.bytes);
	free(p->filled.bytes);
	free(p->empty.bytes);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void profiler_locks(struct profiler *p, const struct lock_place *places, size_t count)
{
	code_sampler_lock(p->sampler);
	p->place_count = count < PROFILER_LOCKS ? count : PROFILER_LOCKS;
	memcpy(p->places, places, p->place_count * sizeof(*places));
	code_sampler_unlock(p->sampler);
}

/* ---- taking ---- */

/* Return the function of a line in the profile.  A few lines are requested over and over. */
static uint32_t function_of(struct profiler *p, struct profile *into, const struct queued_frame *frame)
{
	size_t at = ((uintptr_t)frame->line >> 3) * 2654435761u % KNOWN_LINES;

	if (p->known[at].line != frame->line) {
		p->known[at].function =
		    profile_function(into, frame->line->name, frame->line->file, frame->line->line, frame->c);
		if (frame->line->library)
			profile_library(into, p->known[at].function);
		p->known[at].line = frame->line;
	}
	return p->known[at].function;
}

/* Add the samples of the queue that was taken. */
static void add_all(struct profiler *p, struct profile *into)
{
	struct queued_frame frame;
	struct queued head;

	for (size_t at = 0; at < p->empty.used;) {
		memcpy(&head, p->empty.bytes + at, sizeof(head));
		at += sizeof(head);
		for (uint32_t i = 0; i < head.count; i++, at += sizeof(frame)) {
			memcpy(&frame, p->empty.bytes + at, sizeof(frame));
			p->taken[i] = (struct profile_frame){
			    .function = function_of(p, into, &frame), .line = frame.line->line};
		}
		struct profile_sample sample = p->looked[place_of(head.tid)];
		if (!head.again)
			sample = (struct profile_sample){.tid = head.tid,
			    .domain = head.domain,
			    .stack = profile_stack(into, head.domain, p->taken, head.count, head.marks),
			    .marks = (uint8_t)head.marks};
		sample.ts = head.ts;
		sample.waits = head.waits;
		sample.has = head.has;
		profile_add(into, &sample);
		if (sample.marks & PROFILE_OFF)
			p->looked[place_of(head.tid)] = sample;
	}
	p->empty.used = 0;
}

void profiler_take(struct profiler *p, struct profile *into)
{
	pthread_mutex_lock(&p->lock);
	struct queue filled = p->filled;
	if (filled.used != 0) {
		p->filled = p->empty;
		p->empty = filled;
	}
	pthread_mutex_unlock(&p->lock);
	if (filled.used == 0)
		return;
	uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	add_all(p, into);
	p->taking_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

void profiler_state(struct profiler *p, struct profiler_state *out)
{
	pthread_mutex_lock(&p->lock);
	*out = p->state;
	pthread_mutex_unlock(&p->lock);
	out->cpu_ns += p->taking_ns;
	out->target_ns = out->target_ns * out->sampler.samples + out->sampler.readers_ns;
}
