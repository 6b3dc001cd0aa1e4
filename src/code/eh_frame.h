/*
 * eh_frame.h - the section .eh_frame: where a function's caller and what it saved are, at each of its instructions.
 *
 * Read are the rules that compilers emit for x86-64 on the registers that a walk needs; where a rule is an expression,
 * the answer is that it is not known.  The bytes are foreign: each is read within the section, and the rules of one
 * address in a bounded number of steps.
 */
#pragma once

#include "target/effort.h"

struct eh_frame;

/* Index a section of `size` bytes that is mapped at `address`; the bytes become its own, to be freed.  NULL when out of
 * memory, if no function is in it, or if it takes more than the effort has. */
struct eh_frame *eh_frame_create(uint8_t *bytes, size_t size, uint64_t address, struct effort *effort);
void eh_frame_destroy(struct eh_frame *eh);

/* Registers that are followed: all that C preserves and a walk needs. */
enum eh_register { EH_BX, EH_BP, EH_R13, EH_R14, EH_REGISTERS };

/* What a frame has done with its caller's value of a register. */
enum eh_how { EH_SAME, EH_SAVED, EH_LOST };
struct eh_rule {
	enum eh_how how;
	int32_t offset; /* saved there, from the end of the frame */
};

/* The frame at an address: its end (the CFA) is a register plus an offset.  The return address is at -8 from there. */
struct eh_rules {
	enum { EH_UNKNOWN, EH_FROM_SP, EH_FROM_REGISTER } base;
	enum eh_register base_register;
	int32_t offset;
	bool last; /* it has no caller */
	struct eh_rule saved[EH_REGISTERS];
};

/* Find the rules of an address.  False if no function of the section has it, or its rules are not understood. */
bool eh_frame_rules(const struct eh_frame *eh, uint64_t address, struct eh_rules *out);

/* Find where the function begins that has an address.  False if no function of the section has it. */
bool eh_frame_function(const struct eh_frame *eh, uint64_t address, uint64_t *start);
