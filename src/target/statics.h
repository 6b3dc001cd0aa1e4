/*
 * statics.h - static variables in a program without .symtab, from the code that uses them.
 *
 * Programs of distributions are stripped: .dynsym only names exported variables and functions of the runtime.
 * A function that does little but use one variable contains its address in an instruction relative to rip.
 * Instructions are not decoded; the bytes are searched for these patterns.  So every result is a guess, which
 * the caller must confirm with the process.
 */
#pragma once

#include "target/elf.h"

/* Instructions with an operand of 8 bytes: the opcode, above it its ModRM where that matters, and above that
 * the first byte of an opcode of two. */
enum statics_opcode {
	STATICS_LOAD = 0x8b,
	STATICS_LEA = 0x8d,
	STATICS_ADD = 0x03,
	STATICS_LEA_RSI = STATICS_LEA | 0x35 << 8, /* loads the second argument of a call */
	STATICS_CMPXCHG = 0xb1 | 0x0f << 16
};

/* A use of a variable: the first instruction of its kind in an exported function that refers to writable data
 * without a symbol. */
struct statics_use {
	const char *function;
	enum statics_opcode opcode;
};

#define STATICS_USES_MAX 8

/* Find the addresses, as the file states them, that at most STATICS_USES_MAX uses refer to; 0: not known, as
 * always on processors other than x86-64.  `except` is no result. */
void statics_find(
    struct elf *elf, const struct statics_use *uses, unsigned count, uint64_t except, uint64_t *address);
