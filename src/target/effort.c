/* effort.c - see effort.h. */
#include "target/effort.h"

#include <signal.h>

#include "core/clock.h"

#define CODE_NS UINT64_C(2750000000)
#define STARVED_NS UINT64_C(8000000000) /* more for a thread that got less of a processor than this: */
#define STARVED_CPU_NS (CODE_NS / 4)
#define CODE_WORK (UINT64_C(1) << 29)
#define RENEWED_WORK (UINT64_C(4) << 20)

struct effort effort_for_look(void)
{
	return (struct effort){.work = UINT64_C(128) << 20, .memory = UINT64_C(64) << 20};
}

/* Let the time of an effort begin now. */
static void begin(struct effort *effort)
{
	effort->end = monotonic_now() + CODE_NS;
	effort->cpu_end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + STARVED_CPU_NS;
}

struct effort effort_for_code(void)
{
	struct effort effort = {.work = CODE_WORK, .memory = UINT64_C(64) << 20};

	begin(&effort);
	return effort;
}

void effort_renew(struct effort *effort)
{
	effort->work += effort->work < CODE_WORK ? RENEWED_WORK : 0;
	begin(effort);
}

/* Whether time is up: later for a thread that waited for a processor, as on a machine that starves its target as well. */
static bool is_late(const struct effort *effort)
{
	const uint64_t now = effort->end != 0 ? monotonic_now() : 0;

	return effort->end != 0 && now >= effort->end &&
	       (now - effort->end >= STARVED_NS || clock_ns(CLOCK_THREAD_CPUTIME_ID) >= effort->cpu_end);
}

/* Whether a signal is pending that will end us.  Loops block these signals while they work. */
static bool is_to_end(void)
{
	sigset_t waiting;

	return sigpending(&waiting) == 0 &&
	       (sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGINT) ||
		   sigismember(&waiting, SIGHUP));
}

/* Check whether time is up or a signal ends the effort. */
static void ask(struct effort *effort)
{
	effort->unasked = 0;
	if (is_to_end())
		effort->over = "it was stopped";
	else if (is_late(effort))
		effort->over = EFFORT_LATE;
}

bool effort_spend(struct effort *effort, uint64_t work)
{
	if (effort->over == NULL && work > effort->work)
		effort->over = "there is too much to read";
	if (effort->over != NULL)
		return false;
	effort->work -= work;
	effort->unasked += work;
	if (effort->unasked >= EFFORT_ASKED)
		ask(effort);
	return effort->over == NULL;
}

bool effort_keep(struct effort *effort, uint64_t bytes)
{
	if (bytes > effort->memory) {
		effort->full = true;
		return false;
	}
	effort->memory -= bytes;
	return true;
}

void effort_return(struct effort *effort, uint64_t bytes)
{
	effort->memory += bytes;
}
