/*
 * bytecode.h - the program file that a bytecode interpreter runs.
 *
 * The interpreter is started as `ocamlrun [options] program`, by a #! line (which comes to the same), or by a
 * small launcher that leaves the program's name in the place of its own.  The file ends with a trailer whose
 * number tells the release.
 */
#ifndef TARGET_BYTECODE_H
#define TARGET_BYTECODE_H

#include <stddef.h>

#include "target/proc.h"
#include "target/nul_words.h"

/* The word of a command line that may name the program, the index-th guess; text NULL when there are no more.
 */
struct word bytecode_guess(const char *cmdline, size_t len, unsigned index);

/* The number in the trailer of the process's program, or 0 when it can't be found. */
unsigned bytecode_trailer(const struct proc *proc);

#endif
