/* statics.c - see statics.h. */
#include "target/statics.h"

enum {
	CODE_BYTES = 200, /* searched in a function; the first use comes early */
	INSTRUCTION = 8,  /* at most: REX.W, opcode of one or two bytes, ModRM, four bytes of displacement */
};

/* Return the address that the instruction at `at` of `code`, loaded at `address`, refers to, if it has this
 * opcode; 0: it does not. */
static uint64_t reference(const uint8_t *code, size_t at, uint64_t address, enum statics_opcode opcode)
{
	const uint8_t *b = code + at, escape = (uint8_t)(opcode >> 16), modrm = (uint8_t)(opcode >> 8);
	int32_t distance;

	if ((*b != 0x48 && *b != 0x4c) || (escape != 0 && *++b != escape) || *++b != (opcode & 0xff) ||
	    (*++b & 0xc7) != 5 || (modrm != 0 && *b != modrm))
		return 0;
	memcpy(&distance, ++b, sizeof distance);
	b += sizeof distance;
	return address + (uint64_t)(b - code) + (uint64_t)(int64_t)distance;
}

void statics_find(
    struct elf *elf, const struct statics_use *uses, unsigned count, uint64_t except, uint64_t *address)
{
	memset(address, 0, count * sizeof *address);
#ifdef __x86_64__
	struct elf_lookup functions[STATICS_USES_MAX];

	for (unsigned i = 0; i < count; i++)
		functions[i] = (struct elf_lookup){.name = uses[i].function};
	(void)elf_lookup(elf, functions, count);
	for (unsigned i = 0; i < count; i++) {
		const uint64_t start = functions[i].address, size = functions[i].size;
		const size_t n = size > 0 && size < CODE_BYTES ? (size_t)size : CODE_BYTES;
		uint8_t code[CODE_BYTES];

		if (functions[i].count != 1 || functions[i].object || !elf_read(elf, start, code, n))
			continue;
		for (size_t at = 0; at + INSTRUCTION <= n && address[i] == 0; at++) {
			uint64_t to = reference(code, at, start, uses[i].opcode);

			/* A library refers to its exports through its address table, which is relocated. */
			if (to % sizeof(uint64_t) == 0 && to != except &&
			    elf_is_writable(elf, to, sizeof(uint64_t)) && !elf_is_relocated(elf, to))
				address[i] = to;
		}
	}
#endif
}
