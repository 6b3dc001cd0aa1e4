/*
 * eh_frame.h - the section .eh_frame: where a function's caller and its saved registers are, at each
 * instruction.
 *
 * The rules that compilers emit for x86-64 are understood, for the registers that a walk needs; a rule that
 * is an expression counts as unknown.  The bytes are untrusted: reads stay within the section, and the rules
 * of one address take a bounded number of steps.
 */
#pragma once

#include "target/effort.h"

struct eh_frame;

/* Index a section of `size` bytes that is mapped at `address`, and take ownership of the bytes.  Returns NULL
 * when out of memory, if there is no function in it, or beyond the effort. */
struct eh_frame *eh_frame_create(uint8_t *bytes, size_t size, uint64_t address, struct effort *effort);
void eh_frame_destroy(struct eh_frame *eh);

/* The followed registers: those that C preserves and a walk needs. */
enum eh_register { EH_BX, EH_BP, EH_R13, EH_R14, EH_REGISTERS };

/* Where the caller's value of a register is. */
enum eh_how { EH_SAME, EH_SAVED, EH_LOST };
struct eh_rule {
	enum eh_how how;
	int32_t offset; /* EH_SAVED: offset of the saved value from the end of the frame */
};

/* The frame at an address: its end (the CFA) is a register plus an offset.  The return address is 8 bytes
 * below the end. */
struct eh_rules {
	enum { EH_UNKNOWN, EH_FROM_SP, EH_FROM_REGISTER } base;
	enum eh_register base_register;
	int32_t offset;
	bool last; /* the frame has no caller */
	struct eh_rule saved[EH_REGISTERS];
};

/* Find the rules of an address.  Returns false if no function of the section contains it, or its rules are
 * not understood. */
bool eh_frame_rules(const struct eh_frame *eh, uint64_t address, struct eh_rules *out);

/* Find the start of the function that contains an address.  Returns false if no function of the section
 * does. */
bool eh_frame_function(const struct eh_frame *eh, uint64_t address, uint64_t *start);
