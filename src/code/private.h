/* private.h - shared by the files of this room. */
#pragma once

#include "code/code.h"
#include "code/frametable.h"
#include "target/runtime.h"

/* A domain or a thread that may be executing OCaml code.  A domain has the runtime's state; a thread that
 * gave its domain up to another one has a record of its own. */
struct context {
	uint64_t state;	  /* state of the domain */
	uint64_t record;  /* record of the thread; 0: its values are in the state */
	int slot;	  /* slot of the domain */
	int32_t tid;	  /* thread that runs it, in the target's pid namespace; 0: none, or not known */
	uint64_t element; /* address of the domain in the runtime's table */
};

enum { CONTEXTS_MAX = 8192, HINTS = 256 };

/* Results of the latest walk of a thread: its domain, and the pages used. */
struct hint {
	int32_t tid;
	uint64_t state;	    /* 0: not known */
	uint64_t stack_end; /* 0: not known */
	struct pages_ahead ahead;
};

/* Whether a call can have led to a function. */
struct proof {
	uint64_t end, to; /* end of the call, start of the function; 0: unused */
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
	struct effort effort;	/* for symbols and table */
	uint64_t saved_bp;	/* bytes that a frame pointer takes below the return address */
	struct pages pages;	/* for walks */
	struct pages constants; /* for memory that does not change */
	struct runtime_sample sample;
	struct context *contexts; /* CONTEXTS_MAX: domains, then records */
	size_t domain_count, context_count;
	bool records_read;		/* the records were read since the last refresh */
	bool unknown_code;		/* an address was met that is in no mapping */
	unsigned maps_rest, maps_pause; /* refreshes until the next read of mappings, and after it */
	struct hint hints[HINTS];
	struct proof proofs[PROOFS]; /* the latest results */
	struct lines_cache *lines;
};

/* ---- contexts ---- */

/* Words of a context about its thread. */
struct thread_words {
	uint64_t current_stack, c_stack, local_roots;
};
bool context_words(struct code *code, const struct context *context, struct thread_words *out);

/* Add the places of these words, three at most, to a read.  Returns their number. */
size_t context_places(const struct code *code, const struct context *context, struct thread_words *to,
    struct variables_place *places);

/* Return the hint for a thread; it is empty if another thread has used the entry since. */
struct hint *hint_of(struct code *code, int32_t tid);

/* Remember the state of a domain that was met, and complete its context.  Returns its slot; -1: not known. */
int context_learn(struct code *code, struct context *context);

/* Read the domains again.  Returns 0 or an errno value. */
int contexts_refresh(struct code *code);

/* Return the upper end of the thread's stack that contains sp: its control block, if there is one.  0: sp is
 * in no stack. */
uint64_t context_stack_end(struct code *code, int32_t tid, uint64_t sp);

/* Return the context whose innermost link to OCaml code is on the stack that contains sp, nearest to it;
 * NULL: none.  *known: the thread was found in one before. */
const struct context *context_of_stack(
    struct code *code, int32_t tid, uint64_t sp, struct thread_words *words, bool *known);

/* ---- calls ---- */

/* Whether the call that returns to `end` provably led to the function that contains `into`. */
bool call_leads(struct code *code, uint64_t end, uint64_t into);

/* ---- names of addresses ---- */

struct lines_cache *lines_cache_create(void); /* NULL when out of memory */
void lines_cache_destroy(struct lines_cache *cache);

/* Forget the functions of all addresses; results that were returned stay valid. */
void lines_cache_forget(struct lines_cache *cache);

/* ---- suspended fibers ---- */

/* Walk the stack of a suspended fiber from where it was left, and the stacks of the fibers that wait with
 * it. */
void code_walk_suspended(struct code *code, uint64_t stack, struct code_stack *out);

/* ---- unwinding C ---- */

struct registers {
	uint64_t ip, sp, value[EH_REGISTERS];
	bool known[EH_REGISTERS];
	bool leaf; /* ip is being executed; else it is a return address */
};

/* Go to the caller.  Returns false if it is not known or not below `limit`; *last: there is no caller. */
bool unwind(struct code *code, struct registers *regs, uint64_t limit, bool *last);
