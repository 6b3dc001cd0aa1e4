/*
 * private.h - what the files of this room share.
 */
#pragma once

#include "code/code.h"
#include "code/frametable.h"
#include "target/runtime.h"

/* Who may be executing OCaml code: a domain, with the state of the runtime, or a thread that gave its domain up to
 * another one, with a record of its own. */
struct context {
	uint64_t state;	  /* of the domain */
	uint64_t record;  /* of the thread; 0: the state is its own */
	int slot;	  /* of the domain */
	int32_t tid;	  /* that runs the domain, in the target's pid namespace; 0: none, or not known */
	uint64_t element; /* of the domain in the runtime's table */
};

enum { CONTEXTS_MAX = 8192, HINTS = 256 };

/* What the latest walk of a thread found: its domain, and pages that it used. */
struct hint {
	int32_t tid;
	uint64_t state;	    /* 0: not known */
	uint64_t stack_end; /* 0: not known */
	struct pages_ahead ahead;
};

/* Whether a call leads to a function. */
struct proof {
	uint64_t end, to; /* of the call, and of the function its begin; 0: free */
	bool holds;
};

enum { PROOFS = 1024 };

struct lines_cache;

struct code {
	struct runtime *runtime;
	const struct runtime_layout *layout;
	struct proc proc;
	struct symbols symbols;
	struct frametable table;
	struct effort effort; /* of these two */
	uint64_t saved_bp;  /* bytes between where a stack was left and the return address: a frame pointer */
	struct pages pages; /* of walks */
	struct pages constants; /* of what does not change */
	struct runtime_sample sample;
	struct context *contexts; /* CONTEXTS_MAX: domains, then records */
	size_t domain_count, context_count;
	bool records_read;		/* since the last refresh */
	bool unknown_code;		/* an address was met that no mapping has */
	unsigned maps_rest, maps_pause; /* refreshes until mappings may be read again, and after that */
	struct hint hints[HINTS];
	struct proof proofs[PROOFS]; /* the latest ones */
	struct lines_cache *lines;
};

/* ---- contexts ---- */

/* What a context says of its thread. */
struct thread_words {
	uint64_t current_stack, c_stack, local_roots;
};
bool context_words(struct code *code, const struct context *context, struct thread_words *out);

/* Where these are, to be read at once: at most three places.  Returns how many. */
size_t context_places(const struct code *code, const struct context *context, struct thread_words *to,
    struct variables_place *places);

/* What is known of a thread: nothing, if others have had the place since. */
struct hint *hint_of(struct code *code, int32_t tid);

/* Remember the state of a domain that was met, and complete its context.  Returns its slot; -1: not known. */
int context_learn(struct code *code, struct context *context);

/* Read again which domains there are.  0, or an errno value. */
int contexts_refresh(struct code *code);

/* Where the stack of a thread ends, upwards, which has sp: at its control block, if it has one there.  0: sp is in none. */
uint64_t context_stack_end(struct code *code, int32_t tid, uint64_t sp);

/* The context whose innermost link to OCaml code is on the stack that has sp, nearest to it; NULL: none.  *known: the
 * thread was found in one before. */
const struct context *context_of_stack(
    struct code *code, int32_t tid, uint64_t sp, struct thread_words *words, bool *known);

/* ---- calls ---- */

/* Whether the call that returns to an address is proved to have led to the function that `into` is in. */
bool call_leads(struct code *code, uint64_t end, uint64_t into);

/* ---- names of addresses ---- */

struct lines_cache *lines_cache_create(void); /* NULL when out of memory */
void lines_cache_destroy(struct lines_cache *cache);

/* Forget which functions addresses are of; what was given out stays valid. */
void lines_cache_forget(struct lines_cache *cache);

/* ---- suspended fibers ---- */

/* Walk the stack of a fiber that waits, where it was left, and on through those that wait with it. */
void code_walk_suspended(struct code *code, uint64_t stack, struct code_stack *out);

/* ---- unwinding C ---- */

struct registers {
	uint64_t ip, sp, value[EH_REGISTERS];
	bool known[EH_REGISTERS];
	bool leaf; /* ip is executed; else it is returned to */
};

/* Go to the caller.  False if that is not known, or is not below `limit`; *last: there is none. */
bool unwind(struct code *code, struct registers *regs, uint64_t limit, bool *last);
