/*
 * variables.h - variables of the runtime in the target's memory, found by their symbols.  They are read,
 * never written.
 *
 * A symbol is looked up in the program file, else in the shared runtime library; its address in memory
 * follows from where the file was loaded.  Reading needs ptrace-level permission.
 */
#pragma once

#include <sys/types.h>

#include "target/elf.h"
#include "target/proc.h"

enum { VARIABLES_PAGES = 64 };

struct variables {
	struct proc proc;
	int mem, pages;	      /* descriptors of /proc/PID/mem and pagemap while they are open, or -1 */
	bool keeps_mem;	      /* the descriptors stay open */
	bool silent;	      /* a page did not arrive, or pages took too long: nothing more is read */
	uint64_t waited;      /* ns of the allowance for waits for pages that were used, at `settled` */
	uint64_t settled;     /* when the last wait began */
	struct effort effort; /* effort for finding symbols */
	/* Pages that were present at a time, indexed by a hash of their number. */
	struct variables_page {
		uint64_t page, ts;
	} there[VARIABLES_PAGES];
};

/* Returns 0 or an errno value. */
int variables_open(struct variables *variables, const char *proc_root, pid_t pid);
void variables_close(struct variables *variables);

/*
 * Find variables of one word each (that of index `text` may have another size), and replace the addresses by
 * those in memory.  A variable that is not as expected gets the count 0, or with `all` fails the call.
 * Returns false with a reason, a clause in static storage.
 */
#define VARIABLES_NO_TEXT SIZE_MAX
bool variables_find(struct variables *variables, struct elf_lookup *lookups, size_t count, size_t text,
    bool all, const char **reason);

/*
 * Call `visit` for the program file and the shared runtime library, if there is one, until a visit returns
 * true.  `bias` must be added to addresses in the file, modulo 2^64.  A visit that returns false sets
 * *reason, as variables_find does.  Returns whether one returned true.
 */
typedef bool variables_visit(void *ctx, struct elf *elf, uint64_t bias, const char **reason);
bool variables_objects(struct variables *variables, variables_visit *visit, void *ctx, const char **reason);

/* Show the library that a bytecode program has its systhreads in, if it has loaded one. */
void variables_threads(struct variables *variables, variables_visit *visit, void *ctx);

/* A place in memory, and the destination of its bytes. */
struct variables_place {
	uint64_t address;
	size_t size;
	void *to;
};

/* Read places in their order.  Returns 0 or an errno value: ESRCH if the process has ended; EFAULT if it has
 * no such memory, or would have to be waited for; ETIMEDOUT if its memory does not answer or takes seconds,
 * from then on at each call. */
int variables_read(struct variables *variables, const struct variables_place *places, size_t count);

/* A reader of memory: of a process, or made up. */
struct memory_reader {
	int (*read)(void *ctx, const struct variables_place *places, size_t count); /* as variables_read */
	void *ctx;
};
struct memory_reader variables_memory(struct variables *variables);

/* Read one place. */
static inline int memory_bytes(const struct memory_reader *memory, uint64_t address, void *to, size_t size)
{
	return memory->read(memory->ctx, &(struct variables_place){address, size, to}, 1);
}

/* Return a reader for many reads: the file stays open from now on. */
struct memory_reader variables_memory_unchecked(struct variables *variables);

/* Return why the memory of a process of the same user may not be read, as a clause, and a remedy.  Most
 * systems forbid it by Yama, whose setting is in `proc_root` (NULL: /proc).  Static storage. */
const char *variables_refusal(const char *proc_root, const char **remedy);

/* Return why variables_read failed with this error, as a clause; "" for 0.  Static storage. */
const char *variables_why(int error);
