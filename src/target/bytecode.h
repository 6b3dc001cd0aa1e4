/*
 * bytecode.h - the program file that a bytecode interpreter runs.
 *
 * The interpreter is started as `ocamlrun [options] program`, by a #! line with the same effect, or by a
 * small launcher that leaves the name of the program as argv[0].  The file ends with a trailer; its number
 * depends on the release.
 */
#ifndef TARGET_BYTECODE_H
#define TARGET_BYTECODE_H

#include <stddef.h>

#include "target/proc.h"
#include "target/nul_words.h"

/* The index-th word of a command line that may name the program. text is NULL if there are no more. */
struct word bytecode_guess(const char *cmdline, size_t len, unsigned index);

/* The trailer number of the process's program, 0 if it can't be found. */
unsigned bytecode_trailer(const struct proc *proc);

#endif
