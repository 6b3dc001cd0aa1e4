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

/* Judge what a file has of the symbols looked for: `whole` when all of its tables could be read.  False, and
 * why, when it will not do; symbols with count 0 are then left out. */
typedef bool variables_accept(
    const struct elf *elf, struct elf_lookup *lookups, size_t count, bool whole, const char **reason);

/* 0, or an errno value. */
int variables_open(struct variables *variables, const char *proc_root, pid_t pid);
void variables_close(struct variables *variables);

/* Find symbols; the addresses become those in memory.  False with a reason, a clause in static storage. */
bool variables_find(struct variables *variables, struct elf_lookup *lookups, size_t count,
    variables_accept *accept, const char **reason);

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
