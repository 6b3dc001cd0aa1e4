/*
 * fuzz_walk.c - walks over memory that was made up and then changed: each ten bytes are a place, and a word for it.
 */
#include "support/made_stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct changes {
	const uint8_t *data;
	size_t size;
};

/* Change a word: to any value, or to an address near to what is there. */
static void change(struct made_stacks *m, const void *ctx)
{
	const struct changes *c = ctx;

	for (size_t at = 0; at + 10 <= c->size; at += 10) {
		uint16_t place;
		uint64_t value;

		memcpy(&place, c->data + at, sizeof(place));
		memcpy(&value, c->data + at + 2, sizeof(value));
		uint64_t *word = made_at(m, place & ~7U);
		*word = (place & 1) != 0 ? value : *word + (value % 512 - 256) * ((place & 2) != 0 ? 8 : 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_stacks made;
	static struct code_stack stack;
	const struct changes changes = {data, size};

	made_stacks_init(&made, change, &changes);
	made.sample.still = size % 2 == 0;
	for (unsigned i = 0; i < 4; i++) {
		if (i == 1)
			made.sample.whole = false;
		if (i == 2)
			made.sample = (struct code_sample){.ip = MADE_INNER + 20,
			    .sp = MADE_BASE + 0x2708,
			    .whole = true,
			    .r14 = MADE_BASE + MADE_STATE};
		if (i == 3)
			code_walk_suspended(made.code, MADE_BASE + MADE_FIBER, &stack);
		else
			code_walk(made.code, &made.sample, &stack);
		if (stack.count > CODE_FRAMES_MAX)
			abort();
		for (unsigned k = 0; k < stack.count; k++) {
			const struct code_lines *lines = code_lines(made.code, &stack.frames[k]);
			if (lines->count == 0 || lines->line[0].name == NULL)
				abort();
		}
	}
	made_stacks_fini(&made);
	return 0;
}
