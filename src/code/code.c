/* code.c - see code.h. */
#include "code/code.h"

#include "code/private.h"
#include "core/clock.h"

/* How long a program may take to begin. */
#define BEGIN_NS UINT64_C(2000000000)

/* Maximum number of refreshes between two reads of the mappings while an address is in none of them. */
#define MAPS_PAUSE_MAX 1024

const char *code_end_text(enum code_end end)
{
	static const char *const texts[] = {CODE_ENDS(LIST_TEXT)};
	return texts[end];
}

uint64_t code_stack_hash(const struct code_stack *stack)
{
	uint64_t hash = stack->count;

	for (unsigned i = 0; i < stack->count; i++)
		hash = (hash ^ stack->frames[i].pc) * UINT64_C(0x9E3779B97F4A7C15);
	return hash;
}

bool code_stack_has(const struct code_stack *stack, const struct code_frame *frames, unsigned count)
{
	if (count != stack->count)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (frames[i].pc != stack->frames[i].pc)
			return false;
	return true;
}

/* Read the mappings again if a walk met an address that is in none of them; less and less often if that does
 * not help. */
static int refresh_maps(struct code *code)
{
	bool changed = false;

	if (code->maps_rest > 0)
		code->maps_rest--;
	if (!code->unknown_code || code->maps_rest > 0)
		return 0;
	code->unknown_code = false;
	int error = symbols_refresh(&code->symbols, &code->proc, &code->effort, &changed);
	if (changed) {
		lines_cache_forget(code->lines);
		memset(code->proofs, 0, sizeof(code->proofs));
	}
	code->maps_pause = changed ? 1 : code->maps_pause * 2;
	if (code->maps_pause > MAPS_PAUSE_MAX)
		code->maps_pause = MAPS_PAUSE_MAX;
	code->maps_rest = code->maps_pause;
	return error;
}

static int refresh_table(struct code *code)
{
	const struct memory_reader memory = runtime_memory(code->runtime);
	const uint64_t v50 = runtime_variable(code->runtime, RUNTIME_CURRENT_FRAMETABLE);
	const struct frametable_place place = {.array = runtime_variable(code->runtime, RUNTIME_FRAMETABLE),
	    .descrs = v50 != 0 ? v50 : runtime_variable(code->runtime, RUNTIME_CURRENT_FRAME_DESCRS),
	    .list = runtime_variable(code->runtime, RUNTIME_FRAMETABLES)};
	const uint64_t known = code->table.known;
	int error = frametable_refresh(&code->table, &memory, &place, &code->effort);

	if (code->table.known != known) {
		lines_cache_forget(code->lines);
		code->unknown_code = true;
		code->maps_rest = 0;
	}
	/* Tables that are being changed are read again at the next refresh. */
	return code->table.count > 0 && error != ESRCH ? 0 : error;
}

int code_refresh(struct code *code)
{
	pages_forget(&code->pages);
	effort_renew(&code->effort);
	/* Only the table shows whether there is anything else. */
	int error = refresh_table(code);
	if (error == 0)
		error = contexts_refresh(code);
	return error == 0 ? refresh_maps(code) : error;
}

bool code_turn(struct code *code)
{
	pages_forget(&code->pages);
	return proc_lives(&code->proc);
}

/* Determine whether the runtime keeps frame pointers: its functions between OCaml and C save the caller's
 * first.  Returns why it then can't be walked, "" if it can. */
static const char *learn_frame_pointers(struct code *code)
{
	static const unsigned char saving[] = {0x55, 0x48, 0x89, 0xe5}; /* push %rbp; mov %rsp, %rbp */
	const struct memory_reader memory = runtime_memory(code->runtime);
	const uint64_t call = symbols_system_function(&code->symbols, "caml_c_call");
	unsigned char first[sizeof(saving)] = {0};
	const int error = call != 0 ? memory_bytes(&memory, call, first, sizeof(first)) : 0;

	if (error != 0 || memcmp(first, saving, sizeof(saving)) != 0)
		return variables_why(error);
	code->saved_bp = sizeof(uint64_t);
	return code->layout->frame_pointers_known
		   ? ""
		   : "its OCaml keeps frame pointers, which is known of 5.3 alone";
}

/* Refresh for the first time.  Directly after an exec there is nothing to read until the dynamic linker is
 * done, for which it needs a processor. */
static int refresh_first(struct code *code)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	const uint64_t end = monotonic_now() + BEGIN_NS;
	int error;

	while ((error = code_refresh(code)) == EAGAIN && monotonic_now() < end &&
	       effort_spend(&code->effort, EFFORT_ASKED))
		nanosleep(&pause, NULL);
	return error;
}

struct code *code_create(struct runtime *runtime, const char *proc_root, pid_t pid, const char **why)
{
	struct code *code = calloc(1, sizeof(*code));

	*why = "there is no memory left";
	if (code == NULL)
		return NULL;
	code->proc.dir = -1;
	code->runtime = runtime;
	code->layout = runtime_layout(runtime);
	code->pages.memory = code->constants.memory = runtime_memory_unchecked(runtime);
	code->unknown_code = true;
	code->maps_pause = 1;
	code->effort = effort_for_code();
	code->contexts = calloc(CONTEXTS_MAX, sizeof(*code->contexts));
	code->lines = lines_cache_create();
	if (code->contexts == NULL || code->lines == NULL)
		goto fail;
	*why = "it has no frame tables, as bytecode has none";
	if (runtime_variable(runtime, RUNTIME_FRAMETABLE) == 0)
		goto fail;
	int error = proc_open(&code->proc, proc_root, pid);
	if (error == 0)
		error = refresh_first(code);
	/* Without all symbols, OCaml code can't be distinguished from C. */
	*why = code->effort.over != NULL ? code->effort.over
	       : error == ESRCH		 ? "it has ended"
	       : error == EAGAIN	 ? "its OCaml has not begun"
	       : error == E2BIG		 ? "its frame tables take more than 64 MiB"
	       : error != 0		 ? variables_why(error)
					 : learn_frame_pointers(code);
	if (**why == '\0')
		return code;
fail:
	code_destroy(code);
	return NULL;
}

const char *code_left_out(const struct code *code)
{
	if (code->effort.over != NULL)
		return "some of its symbols are left out: they take too much to read";
	return code->effort.full ? "some of its symbols are left out: they take more than 64 MiB" : NULL;
}

void code_destroy(struct code *code)
{
	if (code == NULL)
		return;
	symbols_fini(&code->symbols);
	frametable_fini(&code->table);
	lines_cache_destroy(code->lines);
	proc_close(&code->proc);
	free(code->contexts);
	free(code);
}
