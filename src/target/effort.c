/* effort.c - see effort.h. */
#include "target/effort.h"

#include <signal.h>

#include "core/clock.h"

#define CODE_NS UINT64_C(2750000000)
#define CODE_WORK (UINT64_C(1) << 29)
#define RENEWED_WORK (UINT64_C(4) << 20)

struct effort effort_for_look(void)
{
	return (struct effort){.work = UINT64_C(128) << 20, .memory = UINT64_C(64) << 20};
}

struct effort effort_for_code(void)
{
	return (struct effort){
	    .work = CODE_WORK, .memory = UINT64_C(64) << 20, .end = monotonic_now() + CODE_NS};
}

void effort_renew(struct effort *effort)
{
	effort->work += effort->work < CODE_WORK ? RENEWED_WORK : 0;
	effort->end = monotonic_now() + CODE_NS;
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
	else if (effort->end != 0 && monotonic_now() >= effort->end)
		effort->over = "reading that takes too long";
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
