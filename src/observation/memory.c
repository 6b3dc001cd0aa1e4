/*
 * memory.c - see process.h.
 */

#include <pthread.h>

#include "core/clock.h"
#include "core/thread.h"
#include "observation/process.h"
#include "target/memory.h"

/* A reading may take a hundredth of the time. */
#define TIMES 100

struct memory_reading {
	pthread_t thread;
	bool begun;	   /* the thread runs, or has ended: what follows is its own */
	uint64_t ts, took; /* when the last one began, and how long it took */
	struct program program;
	struct version version;
	struct runtime *runtime; /* of the program that the process runs; NULL: not found yet, or `why` not */
	const char *why;
	struct system_memory found;
	int error;
};

struct memory_reading *memory_reading_create(void)
{
	return calloc(1, sizeof(struct memory_reading));
}

void memory_reading_destroy(struct memory_reading *m)
{
	if (m == NULL)
		return;
	if (m->begun)
		thread_end(m->thread);
	runtime_destroy(m->runtime);
	free(m);
}

/* The thread: read the memory of the process, part by part. */
static void *read_memory(void *ctx)
{
	struct memory_reading *m = ctx;

	if (m->runtime == NULL)
		m->runtime = runtime_create(NULL, m->program.pid, &m->version, &m->why);
	m->error = memory_read(NULL, m->program.pid, m->runtime, m->why, m->ts, &m->found);
	m->took = monotonic_now() - m->ts;
	return NULL;
}

/* Take what the thread has found, if it has ended. */
static bool take(struct memory_reading *m, bool wait, struct system_memory *out)
{
	if (!m->begun || (wait ? pthread_join(m->thread, NULL) : pthread_tryjoin_np(m->thread, NULL)) != 0)
		return false;
	m->begun = false;
	*out = m->found;
	return m->error == 0;
}

bool memory_reading_turn(
    struct memory_reading *m, const struct session *s, uint64_t now, bool wait, struct system_memory *out)
{
	bool taken = take(m, wait, out);

	if (s->state != SESSION_LIVE || s->alive == NULL || m->begun)
		return taken;
	uint64_t every = m->took * TIMES > MEMORY_EVERY_NS ? m->took * TIMES : MEMORY_EVERY_NS;
	if (!wait && m->ts != 0 && now - m->ts < every)
		return taken;
	if (program_follow(&m->program, s)) {
		runtime_destroy(m->runtime);
		m->runtime = NULL;
	}
	m->version = s->version;
	m->ts = now;
	m->begun = thread_start(&m->thread, read_memory, m) == 0;
	return wait ? take(m, true, out) : taken;
}
