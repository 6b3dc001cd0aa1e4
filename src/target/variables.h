/*
 * variables.h - variables of the runtime in the target's memory, found by their symbols.  They are read,
 * never written.
 *
 * A symbol is looked up in the program file, else in the shared runtime library; its address and where the
 * file was loaded give the place in memory.  Reading needs ptrace-level permission.
 */
#ifndef TARGET_VARIABLES_H
#define TARGET_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/elf.h"
#include "target/proc.h"

#define VARIABLES_AT_ONCE 8 /* most places that one call reads */

struct variables {
	struct proc proc;
	int mem;      /* of /proc/PID/mem once it was needed, or -1 */
	bool use_mem; /* the system call was refused */
};

/* 0, or an errno value. */
int variables_open(struct variables *variables, const char *proc_root, pid_t pid);
void variables_close(struct variables *variables);

/*
 * Find variables of a word each, but for the one with the index `text`; the addresses become those in memory.  One
 * that is not as expected is left out, its count 0; with `all` none may be.  False with a reason, a clause in
 * static storage.
 */
#define VARIABLES_NO_TEXT SIZE_MAX
bool variables_find(struct variables *variables, struct elf_lookup *lookups, size_t count, size_t text,
    bool all, const char **reason);

/* A place in memory, and where its bytes go. */
struct variables_place {
	uint64_t address;
	size_t size;
	void *to;
};

/* Read VARIABLES_AT_ONCE places at most: all of them or none.  0, or an errno value. */
int variables_read(struct variables *variables, const struct variables_place *places, size_t count);

/* Why that failed, as a clause; "" for 0.  Static storage. */
const char *variables_why(int error);

#endif
