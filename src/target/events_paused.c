/* events_paused.c - read whether the target has paused its events. */
#include "target/events_paused.h"

#include "target/statics.h"
#include "target/variables.h"

enum { ENABLED, PAUSED, VARIABLES };

/* In a stripped program, the functions that pause and resume events agree about the variables. */
static const struct statics_use uses[] = {{"caml_runtime_events_pause", STATICS_LOAD},
    {"caml_runtime_events_pause", STATICS_CMPXCHG}, {"caml_runtime_events_resume", STATICS_LOAD},
    {"caml_runtime_events_resume", STATICS_CMPXCHG}};
enum { USES = sizeof uses / sizeof uses[0] };

struct tracing {
	struct variables variables;
	bool found; /* the addresses are known */
	uint64_t addresses[VARIABLES];
	const char *reason;
};

static bool see_uses(void *ctx, struct elf *elf, uint64_t bias, const char **reason)
{
	uint64_t *addresses = ctx, shown[USES];

	(void)reason; /* variables_find has set it */
	statics_find(elf, uses, USES, 0, shown);
	for (unsigned i = 0; i < VARIABLES; i++) {
		if (shown[i] == 0 || shown[i] != shown[VARIABLES + i])
			return false;
		addresses[i] = shown[i] + bias;
	}
	return shown[ENABLED] != shown[PAUSED];
}

struct tracing *tracing_create(const char *proc_root, pid_t pid)
{
	struct tracing *tracing = calloc(1, sizeof *tracing);
	struct elf_lookup lookups[VARIABLES] = {
	    [ENABLED] = {.name = "runtime_events_enabled"}, [PAUSED] = {.name = "runtime_events_paused"}};

	if (tracing == NULL)
		return NULL;
	(void)variables_open(&tracing->variables, proc_root, pid);
	tracing->found = variables_find(
	    &tracing->variables, lookups, VARIABLES, VARIABLES_NO_TEXT, true, &tracing->reason);
	for (unsigned i = 0; i < VARIABLES; i++)
		tracing->addresses[i] = lookups[i].address;
	const char *reason = tracing->reason;
	if (!tracing->found)
		tracing->found =
		    variables_objects(&tracing->variables, see_uses, tracing->addresses, &reason);
	if (tracing->found)
		tracing->reason = "";
	return tracing;
}

void tracing_destroy(struct tracing *tracing)
{
	if (tracing == NULL)
		return;
	variables_close(&tracing->variables);
	free(tracing);
}

enum tracing_state tracing_read(struct tracing *tracing)
{
	uint64_t values[VARIABLES] = {0};
	struct variables_place places[VARIABLES];

	if (!tracing->found)
		return TRACING_UNKNOWN;
	for (unsigned i = 0; i < VARIABLES; i++)
		places[i] = (struct variables_place){tracing->addresses[i], sizeof values[i], &values[i]};
	tracing->reason = variables_why(variables_read(&tracing->variables, places, VARIABLES));
	if (tracing->reason[0] == '\0' && (values[ENABLED] > 1 || values[PAUSED] > 1))
		tracing->reason = "its memory does not hold what was expected";
	if (tracing->reason[0] != '\0')
		return TRACING_UNKNOWN;
	if (values[ENABLED] == 0)
		return TRACING_NOT_ENABLED;
	return values[PAUSED] != 0 ? TRACING_PAUSED : TRACING_RUNNING;
}

bool tracing_paused(const char *proc_root, pid_t pid)
{
	struct tracing *tracing = tracing_create(proc_root, pid);
	bool paused = tracing != NULL && tracing_read(tracing) == TRACING_PAUSED;

	tracing_destroy(tracing);
	return paused;
}

const char *tracing_reason(const struct tracing *tracing)
{
	return tracing->reason;
}
