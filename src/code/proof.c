/*
 * proof.c - whether a call can have led to a function, according to the program's instructions.
 *
 * If a stack is read later than its sample was taken, a return address proves that it belongs below the next
 * one if the call before it names that function, or one that jumps on to it.  An indirect call proves
 * nothing.
 */
#include "code/private.h"

enum {
	CALL_BYTES = 5, /* e8 and a displacement */
	LOOK_BACK = 40, /* bytes before the end of a call of caml_c_call in which its function is loaded */
	FUNCTION_BYTES = 2048, /* bytes of a function that are searched for jumps */
	JUMPS_DEEP = 3,
	FUNCTIONS = 32 /* functions that are searched for one call */
};

static uint64_t function_at(const struct code *code, uint64_t address, const char **name)
{
	const struct object *o = symbols_object(&code->symbols, address);
	const struct symbol *symbol = o != NULL ? object_symbol(o, address) : NULL;

	*name = symbol != NULL ? symbol_name(o, symbol) : "";
	return symbol != NULL ? symbol->address : 0;
}

/* Return the target of a 32-bit displacement in an instruction that ends behind it. */
static uint64_t led_to(const unsigned char *distance, uint64_t end)
{
	int32_t value;

	memcpy(&value, distance, sizeof(value));
	return end + (uint64_t)(int64_t)value;
}

static bool read_code(struct code *code, uint64_t at, void *to, size_t size)
{
	return pages_bytes(&code->constants, at, to, size);
}

/* Return the target of an entry of the linker's jump table (PLT); any other address is returned unchanged. */
static uint64_t through_table(struct code *code, uint64_t at)
{
	static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	unsigned char bytes[16];
	uint64_t target;
	size_t i = 0;

	if (!read_code(code, at, bytes, sizeof(bytes)))
		return at;
	if (memcmp(bytes, landing, sizeof(landing)) == 0)
		i = sizeof(landing);
	i += bytes[i] == 0xf2; /* bnd */
	if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
		return at;
	return read_code(code, led_to(bytes + i + 2, at + i + 6), &target, sizeof(target)) ? target : at;
}

/* Return the C function that was loaded for caml_c_call before the call that ends at `end`; 0: none. */
static uint64_t loaded_before(struct code *code, uint64_t end)
{
	unsigned char bytes[LOOK_BACK];
	uint64_t target;

	if (!read_code(code, end - LOOK_BACK, bytes, sizeof(bytes)))
		return 0;
	for (unsigned back = CALL_BYTES + 7; back <= LOOK_BACK; back++) {
		const unsigned char *at = bytes + LOOK_BACK - back;
		const uint64_t next = end - back + 7;

		if (at[0] != 0x48)
			continue;
		if (at[1] == 0x8d && at[2] == 0x05) /* lea DISTANCE(%rip), %rax */
			return led_to(at + 3, next);
		if (at[1] == 0x8b && at[2] == 0x05) /* mov DISTANCE(%rip), %rax */
			return read_code(code, led_to(at + 3, next), &target, sizeof(target)) ? target : 0;
		if (at[1] == 0xc7 && at[2] == 0xc0) /* mov $ADDRESS, %rax */
			return led_to(at + 3, 0);
	}
	return 0;
}

/* Whether a function jumps to another one, directly or through others. */
static bool jumps_to(struct code *code, uint64_t from, uint64_t to, unsigned deep, unsigned *left)
{
	unsigned char bytes[FUNCTION_BYTES];
	const struct object *o = symbols_object(&code->symbols, from);
	const struct symbol *symbol = o != NULL ? object_symbol(o, from) : NULL;
	const char *name;

	if (symbol == NULL || symbol->address != from || (*left)-- == 0)
		return false;
	const size_t size = symbol->size < sizeof(bytes) ? symbol->size : sizeof(bytes);
	if (!read_code(code, from, bytes, size))
		return false;
	for (size_t i = 0; i + CALL_BYTES + 1 <= size && *left > 0; i++) {
		const bool near = bytes[i] == 0xe9, when = bytes[i] == 0x0f && (bytes[i + 1] & 0xf0) == 0x80;
		if (!near && !when)
			continue;
		uint64_t target = led_to(bytes + i + 1 + when, from + i + CALL_BYTES + when);
		if (symbols_object(&code->symbols, target) == NULL)
			continue;
		target = through_table(code, target);
		if (target == to ||
		    (target != from && deep > 0 && function_at(code, target, &name) == target &&
			jumps_to(code, target, to, deep - 1, left)))
			return true;
	}
	return false;
}

static bool leads(struct code *code, uint64_t end, uint64_t to, const char *to_name)
{
	unsigned char call[CALL_BYTES];
	unsigned left = FUNCTIONS;
	const char *name;

	if (!read_code(code, end - CALL_BYTES, call, sizeof(call)) || call[0] != 0xe8)
		return false;
	uint64_t target = through_table(code, led_to(call + 1, end));
	(void)function_at(code, target, &name);
	if (strncmp(name, "caml_call_gc", 12) == 0 || strncmp(name, "caml_alloc", 10) == 0)
		/* The second jumps on to the first, whose call of this function is a tail call. */
		return strcmp(to_name, "caml_garbage_collection") == 0 ||
		       strcmp(to_name, "caml_alloc_small_dispatch") == 0;
	if (strncmp(name, "caml_c_call", 11) == 0)
		target = through_table(code, loaded_before(code, end));
	return target != 0 && (target == to || jumps_to(code, target, to, JUMPS_DEEP, &left));
}

bool call_leads(struct code *code, uint64_t end, uint64_t into)
{
	const char *name;
	const uint64_t to = function_at(code, into, &name);
	struct proof *known = &code->proofs[(end ^ to >> 4 ^ to << 7) % PROOFS];

	if (to == 0 || end < LOOK_BACK)
		return false;
	if (known->end != end || known->to != to)
		*known = (struct proof){.end = end, .to = to, .holds = leads(code, end, to, name)};
	return known->holds;
}
