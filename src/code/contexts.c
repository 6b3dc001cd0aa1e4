/* contexts.c - which domain a thread executes OCaml code for. */
#include "code/private.h"

#include "target/runtime_threads.h"

#define STACK_MOST (UINT64_C(16) << 20) /* most bytes between sp and the control block */

/* struct caml_thread_struct of systhreads, equal in 5.0 to 5.5. */
enum {
	THREAD_NEXT = 8 / 8, /* word indices; the next one is of an int */
	THREAD_DOMAIN = 24 / 8,
	THREAD_WORDS,
	THREAD_CURRENT_STACK = 32,
	THREAD_C_STACK = 40,
	THREAD_LOCAL_ROOTS = 48,
	THREADS_MAX = 4096 /* maximum for a domain */
};

static bool read_word(struct code *code, uint64_t address, uint64_t *out)
{
	const struct memory_reader memory = runtime_memory(code->runtime);

	return address % sizeof(*out) == 0 && memory_bytes(&memory, address, out, sizeof(*out)) == 0;
}

size_t context_places(const struct code *code, const struct context *context, struct thread_words *to,
    struct variables_place *places)
{
	const uint16_t *field = code->layout->field;
	const uint64_t at = context->record != 0 ? context->record : context->state;
	const uint64_t offsets[2][3] = {
	    {field[RUNTIME_CURRENT_STACK], field[RUNTIME_C_STACK], field[RUNTIME_LOCAL_ROOTS]},
	    {THREAD_CURRENT_STACK, THREAD_C_STACK, THREAD_LOCAL_ROOTS}};
	uint64_t *const words[3] = {&to->current_stack, &to->c_stack, &to->local_roots};

	for (unsigned i = 0; i < 3; i++)
		places[i] = (struct variables_place){.address = at + offsets[context->record != 0][i],
		    .size = sizeof(uint64_t),
		    .to = words[i]};
	return 3;
}

bool context_words(struct code *code, const struct context *context, struct thread_words *out)
{
	struct variables_place places[3];

	(void)context_places(code, context, out, places);
	for (unsigned i = 0; i < 3; i++)
		if (!pages_word(&code->pages, places[i].address, places[i].to))
			return false;
	return true;
}

struct hint *hint_of(struct code *code, int32_t tid)
{
	struct hint *hint = &code->hints[(uint32_t)tid % HINTS];

	if (hint->tid != tid)
		*hint = (struct hint){.tid = tid};
	return hint;
}

static struct context *context_of_state(const struct code *code, uint64_t state)
{
	for (size_t i = 0; i < code->domain_count; i++)
		if (code->contexts[i].state == state)
			return &code->contexts[i];
	return NULL;
}

int context_learn(struct code *code, struct context *context)
{
	const struct context *known = context_of_state(code, context->state);
	uint64_t id;

	if (known != NULL) {
		*context = *known;
		return known->slot;
	}
	if (!pages_word(&code->pages, context->state + code->layout->field[RUNTIME_ID], &id))
		return -1;
	id &= UINT32_MAX; /* an int */
	context->slot = id < RUNTIME_DOMAINS_MAX ? (int)id : -1;
	/* Records follow the domains, and are read again when they are needed. */
	if (code->domain_count < CONTEXTS_MAX) {
		code->contexts[code->domain_count++] = *context;
		code->context_count = code->domain_count;
		code->records_read = false;
	}
	return context->slot;
}

int contexts_refresh(struct code *code)
{
	code->records_read = false;
	code->context_count = code->domain_count;
	int error = runtime_sample(code->runtime, 1, &code->sample);
	/* Without a table of domains, those that walks have met stay known. */
	if (error != 0 || runtime_variable(code->runtime, RUNTIME_ALL_DOMAINS) == 0)
		return error == EAGAIN ? 0 : error;
	code->domain_count = code->sample.domain_count;
	for (size_t i = 0; i < code->domain_count; i++) {
		const struct runtime_domain *domain = &code->sample.domains[i];

		code->contexts[i] = (struct context){.state = domain->state,
		    .slot = (int)domain->slot,
		    .tid = domain->tid,
		    .element = domain->element};
	}
	code->context_count = code->domain_count;
	return 0;
}

/* Note the threads of a domain, except the active one, whose record is outdated. */
static void read_records(struct code *code, const struct context *domain, uint64_t entry)
{
	const struct memory_reader memory = runtime_memory(code->runtime);
	uint64_t active, thread, words[THREAD_WORDS];

	if (!read_word(code, entry, &active) || active == 0)
		return;
	thread = active;
	for (unsigned i = 0; i < THREADS_MAX && code->context_count < CONTEXTS_MAX; i++) {
		/* This check also proves a table that was found by code. */
		if (thread % sizeof(uint64_t) != 0 ||
		    memory_bytes(&memory, thread, words, sizeof(words)) != 0 ||
		    (int32_t)words[THREAD_DOMAIN] != domain->slot)
			return;
		thread = words[THREAD_NEXT];
		if (thread == active || thread == 0)
			return;
		code->contexts[code->context_count] = *domain;
		code->contexts[code->context_count++].record = thread;
	}
}

/* Read the records of all threads, once after a refresh: few walks need them. */
static void need_records(struct code *code)
{
	uint64_t table = runtime_variable(code->runtime, RUNTIME_THREAD_TABLE);

	if (code->records_read)
		return;
	code->records_read = true;
	if (table == 0 || (code->layout->tables_are_pointers && !read_word(code, table, &table)) ||
	    table == 0)
		return;
	for (size_t i = 0; i < code->domain_count; i++)
		read_records(code, &code->contexts[i],
		    table + (uint64_t)code->contexts[i].slot * code->layout->thread_element);
}

/* Return the context among [from, to) whose link is in [sp, end), nearest to sp. */
static const struct context *nearest(
    struct code *code, size_t from, size_t to, uint64_t sp, uint64_t end, struct thread_words *words)
{
	const struct context *best = NULL;
	struct thread_words found;

	for (size_t i = from; i < to; i++) {
		if (!context_words(code, &code->contexts[i], &found) || found.c_stack < sp ||
		    found.c_stack >= end || (best != NULL && found.c_stack >= words->c_stack))
			continue;
		best = &code->contexts[i];
		*words = found;
	}
	return best;
}

uint64_t context_stack_end(struct code *code, int32_t tid, uint64_t sp)
{
	const struct code_range *mapping = symbols_other(&code->symbols, sp);
	struct hint *hint = hint_of(code, tid);

	if (mapping == NULL) {
		code->unknown_code = true;
		return 0;
	}
	/* The kernel maps the first thread's stack separately; one mapping may contain several other
	 * stacks. */
	if (tid == code->proc.pid)
		return mapping->end;
	if (sp >= hint->stack_end || hint->stack_end - sp > 2 * STACK_MOST)
		(void)thread_control_block(&code->pages.memory, sp,
		    mapping->end - sp < STACK_MOST ? mapping->end : sp + STACK_MOST, &hint->stack_end);
	return hint->stack_end < mapping->end ? hint->stack_end : mapping->end;
}

const struct context *context_of_stack(
    struct code *code, int32_t tid, uint64_t sp, struct thread_words *words, bool *known)
{
	const uint64_t end = context_stack_end(code, tid, sp);
	struct hint *hint = hint_of(code, tid);

	*known = false;
	if (end == 0)
		return NULL;
	const struct context *found = hint->state != 0 ? context_of_state(code, hint->state) : NULL;
	*known = found != NULL;
	if (found != NULL && context_words(code, found, words) && words->c_stack >= sp &&
	    words->c_stack < end)
		return found;
	/* Records are tried last: the record of a thread that runs its domain again is outdated. */
	found = nearest(code, 0, code->domain_count, sp, end, words);
	if (found != NULL) {
		hint->state = found->state;
		return found;
	}
	need_records(code);
	return nearest(code, code->domain_count, code->context_count, sp, end, words);
}
