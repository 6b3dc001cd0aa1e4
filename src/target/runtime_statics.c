/*
 * runtime_statics.c - static variables of the runtime in a program without .symtab, from the code that uses
 * them.
 *
 * Programs of distributions are stripped: .dynsym only names exported variables and functions of the runtime.
 * A function that does little but use one variable contains its address in a load, an add or a lea relative
 * to rip. Instructions are not decoded; the bytes are searched for these patterns.  So every result is a
 * guess, which the caller must confirm with the process.
 */
#include "target/runtime.h"

enum {
	CODE_BYTES = 200, /* searched in a function; the first use comes early */
	INSTRUCTION = 7,  /* REX.W, opcode, ModRM, four bytes of displacement */
	LOAD = 0x8b,
	LEA = 0x8d,
	ADD = 0x03,
	LEA_RSI = LEA | 0x35 << 8 /* loads the second argument of a call, according to its ModRM */
};

/* Which instruction of which function shows a variable: the first with this opcode that refers to writable
 * data without a symbol.  A library refers to its exports through its address table, which is not a
 * variable. */
static const struct {
	enum runtime_variable variable;
	const char *function;
	uint16_t opcode;
} rules[] = {
    {RUNTIME_ALL_DOMAINS, "caml_interrupt_all_signal_safe", LOAD},
    {RUNTIME_ALL_DOMAINS, "caml_init_domain_self", LEA}, /* an array before 5.3 */
    {RUNTIME_POOL_FREELIST, "caml_accum_orphan_heap_stats", LEA},
    {RUNTIME_ORPHANED_ALLOC_STATS, "caml_accum_orphan_alloc_stats", LOAD},
    {RUNTIME_ORPHANED_ALLOC_STATS, "caml_accum_orphan_alloc_stats",
	LEA_RSI}, /* in a library, the addition is a call */
    {RUNTIME_CURRENT_FRAME_DESCRS, "caml_get_frame_descrs", LEA},
    {RUNTIME_THREAD_TABLE, "caml_thread_self", ADD},
    {RUNTIME_THREAD_TABLE, "caml_thread_self", LEA}, /* an array before 5.3, too */
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* Return the address that the instruction at `at` of `code`, loaded at `address`, loads from, adds or forms,
 * if it has this opcode; 0: it does not. */
static uint64_t reference(const uint8_t *code, size_t at, uint64_t address, uint16_t opcode)
{
	const uint8_t *b = code + at;
	int32_t distance;

	if ((b[0] != 0x48 && b[0] != 0x4c) || b[1] != (opcode & 0xff) || (b[2] & 0xc7) != 5 ||
	    (opcode >> 8 != 0 && b[2] != opcode >> 8))
		return 0;
	memcpy(&distance, b + 3, sizeof distance);
	return address + at + INSTRUCTION + (uint64_t)(int64_t)distance;
}

void runtime_statics_find(struct elf *elf, uint64_t address[RUNTIME_VARIABLE_COUNT])
{
#ifdef __x86_64__
	struct elf_lookup functions[RULES];

	for (unsigned i = 0; i < RULES; i++)
		functions[i] = (struct elf_lookup){.name = rules[i].function};
	(void)elf_lookup(elf, functions, RULES);
	for (unsigned i = 0; i < RULES; i++) {
		const uint64_t start = functions[i].address, size = functions[i].size;
		const size_t n = size > 0 && size < CODE_BYTES ? (size_t)size : CODE_BYTES;
		uint64_t *out = &address[rules[i].variable];
		uint8_t code[CODE_BYTES];

		if (*out != 0 || functions[i].count != 1 || functions[i].object ||
		    !elf_read(elf, start, code, n))
			continue;
		for (size_t at = 0; at + INSTRUCTION <= n && *out == 0; at++) {
			uint64_t to = reference(code, at, start, rules[i].opcode);

			if (to % sizeof(uint64_t) == 0 && to != address[RUNTIME_PARAMS] &&
			    elf_is_writable(elf, to, sizeof(uint64_t)) && !elf_is_relocated(elf, to))
				*out = to;
		}
	}
#endif
}
