/*
 * made_stacks.h - the memory and the code of a process, made up: a fiber in a callback in the first stack of a domain,
 * and C that the fiber called.
 *
 *   c_work < Made.inner < Made.outer < [fiber] < Made.inner < [callback] c_work < Made.outer
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/private.h"

enum {
	MADE_BASE = 0x10000,
	MADE_BYTES = 0x10000, /* all the memory there is */
	/* Places in it, as offsets. */
	MADE_STATE = 0,
	MADE_FIRST = 0x1000, /* struct stack_info of the first stack; its handler */
	MADE_FIRST_END = 0x1800,
	MADE_FIBER = 0x2000,
	MADE_FIBER_END = 0x2800,
	MADE_C = 0x8000, /* the stack of C */
	MADE_C_END = 0x9000,
	MADE_OUTER_LINK = 0x8db0,
	MADE_INNER_LINK = 0x8d00,
	MADE_TABLES = 0xa000, /* caml_frametable */
	MADE_TABLE = 0xa100,
	MADE_THREADS = 0xb000, /* of each domain, by a pointer */
	/* Code: addresses. */
	MADE_CODE = 0x500000,
	MADE_CODE_END = 0x510000,
	MADE_OUTER = 0x500100, /* functions of OCaml, whose frames have 32 bytes */
	MADE_INNER = 0x500200,
	MADE_OCAML_END = 0x501000,
	MADE_C_CALL = 0x502000, /* the runtime's functions between */
	MADE_START = 0x502100,
	MADE_RUNSTACK = 0x502200,
	MADE_SYSTEM_END = 0x503000,
	MADE_C_WORK = 0x504000, /* a function of C, whose frame has 32 bytes */
	MADE_FRAME = 32,
	MADE_NAMES = 96,
	MADE_CODE_BYTES = 0x500 /* of code that can be read */
};

struct made_stacks {
	struct code *code;
	struct code_sample sample; /* in the function of C */
	uint64_t memory[MADE_BYTES / 8];
	unsigned char code_bytes[MADE_CODE_BYTES];
};

static inline uint64_t *made_at(struct made_stacks *m, unsigned offset)
{
	return &m->memory[offset / 8];
}

static inline int made_read(void *ctx, const struct variables_place *places, size_t count)
{
	const struct made_stacks *m = ctx;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = places[i].address - MADE_BASE, in_code = places[i].address - MADE_CODE;

		if (in_code < MADE_CODE_BYTES) {
			/* The rest of a page is empty. */
			memset(places[i].to, 0, places[i].size);
			memcpy(places[i].to, m->code_bytes + in_code,
			    places[i].size < MADE_CODE_BYTES - in_code ? places[i].size
								       : MADE_CODE_BYTES - in_code);
			continue;
		}
		if (at > MADE_BYTES || places[i].size > MADE_BYTES - at)
			return EFAULT;
		memcpy(places[i].to, (const char *)m->memory + at, places[i].size);
	}
	return 0;
}

/* Put a frame of OCaml at an offset: it returns to `caller`.  Returns the offset of its caller's. */
static inline unsigned made_frame(struct made_stacks *m, unsigned at, uint64_t caller)
{
	*made_at(m, at + MADE_FRAME - 8) = caller;
	return at + MADE_FRAME;
}

static inline void made_stack(
    struct made_stacks *m, unsigned stack, unsigned end, uint64_t parent, unsigned sp)
{
	*made_at(m, stack) = MADE_BASE + sp;
	*made_at(m, stack + 16) = MADE_BASE + end;
	*made_at(m, stack + 48) = stack;
	*made_at(m, end + 24) = parent;
}

/* Put an instruction of seven or five bytes that ends at `end`, and leads to an address. */
static inline void made_instruction(
    struct made_stacks *m, uint64_t end, const char *code, unsigned size, uint64_t to)
{
	const int32_t distance = (int32_t)(to - end);
	unsigned char *at = m->code_bytes + (end - MADE_CODE);

	memcpy(at - sizeof(distance) - size, code, size);
	memcpy(at - sizeof(distance), &distance, sizeof(distance));
}

/* Both stacks of OCaml, and what C has between. */
static inline void made_memory(struct made_stacks *m)
{
	const uint64_t outer = MADE_OUTER + 16, inner = MADE_INNER + 16;
	unsigned at;

	/* The fiber: left at 0x2700 by a call of C, with the return address of that call there. */
	*made_at(m, 0x2700) = inner;
	at = made_frame(m, 0x2708, outer);
	(void)made_frame(m, at, MADE_RUNSTACK + 16); /* its base is at 0x2748: */
	made_stack(m, MADE_FIBER, 0x2748 + 32, MADE_BASE + MADE_FIRST, 0x2700);
	/* The first stack: left at 0x1600 by the effect handler, in a callback whose base is at 0x1628. */
	*made_at(m, 0x1600) = inner;
	(void)made_frame(m, 0x1608, MADE_START + 16);
	*made_at(m, 0x1628 + 16) = MADE_BASE + MADE_INNER_LINK;
	*made_at(m, 0x1628 + 32) = outer;
	(void)made_frame(m, 0x1628 + 40, MADE_START + 16); /* base at 0x1670 */
	*made_at(m, 0x1670 + 16) = MADE_BASE + MADE_OUTER_LINK;
	made_stack(m, MADE_FIRST, 0x1670 + 32, 0, 0x1600);
	/* C: links, the frame of the callback's caller, and that of what is executed. */
	*made_at(m, MADE_OUTER_LINK + 8) = MADE_BASE + 0x1628 + 32;
	*made_at(m, MADE_OUTER_LINK) = MADE_BASE + MADE_FIRST;
	*made_at(m, MADE_INNER_LINK) = MADE_BASE + MADE_FIBER;
	*made_at(m, MADE_INNER_LINK + 8) = MADE_BASE + 0x2700;
	*made_at(m, MADE_INNER_LINK + 16) = MADE_BASE + MADE_OUTER_LINK;
	*made_at(m, MADE_INNER_LINK + 72) = MADE_C_WORK + 16;
	for (at = MADE_INNER_LINK + 80; at < MADE_OUTER_LINK; at += MADE_FRAME)
		*made_at(m, at + MADE_FRAME - 8) = MADE_C_WORK + 16;
	*made_at(m, MADE_OUTER_LINK - 8) = MADE_C_CALL + 16;
	*made_at(m, MADE_INNER_LINK - 8) = MADE_C_CALL + 16;
	/* Code: outer calls inner, inner calls the function of C. */
	made_instruction(m, MADE_OUTER + 16, "\xe8", 1, MADE_INNER);
	made_instruction(m, MADE_INNER + 11, "\x48\x8d\x05", 3, MADE_C_WORK);
	made_instruction(m, MADE_INNER + 16, "\xe8", 1, MADE_C_CALL);
}

static inline void made_row(struct made_stacks *m, unsigned *at, uint64_t address, uint16_t data)
{
	*made_at(m, *at) = address;
	*made_at(m, *at + 8) = data;
	*at += 16;
}

/* The rules of the function of C: its frame has 32 bytes. */
static inline struct eh_frame *made_unwind(void)
{
	static const uint8_t rules[] = {20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x00, 0x0c,
	    7, 8, 0x90, 1, 0, 0, /* then a function: its address and size follow */
	    28, 0, 0, 0, 28, 0, 0, 0, 0, 0x40, 0x50, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x0e, 32, 0, 0,
	    0, 0, 0};
	uint8_t *bytes = malloc(sizeof(rules));

	if (bytes == NULL)
		abort();
	memcpy(bytes, rules, sizeof(rules));
	return eh_frame_create(
	    bytes, sizeof(rules), 0, &(struct effort){.work = UINT64_C(1) << 20, .memory = 1 << 20});
}

static inline struct object *made_object(void)
{
	static const struct {
		uint64_t address;
		const char *name;
	} named[] = {{MADE_OUTER, "camlMade.outer_1"}, {MADE_INNER, "camlMade.inner_2"},
	    {MADE_C_CALL, "caml_c_call"}, {MADE_START, "caml_start_program"},
	    {MADE_RUNSTACK, "caml_runstack"}, {MADE_C_WORK, "c_work"}};
	enum { COUNT = sizeof(named) / sizeof(named[0]) };
	struct object *o = calloc(1, sizeof(*o));

	*o = (struct object){.start = MADE_CODE, .end = MADE_CODE_END, .label = "[made]"};
	o->symbols = calloc(COUNT, sizeof(*o->symbols));
	o->names = calloc(COUNT, MADE_NAMES);
	o->ocaml = calloc(1, sizeof(*o->ocaml));
	for (unsigned i = 0; i < COUNT; i++) {
		o->symbols[i] = (struct symbol){named[i].address, 0x100, i * MADE_NAMES};
		strcpy(o->names + (size_t)i * MADE_NAMES, named[i].name);
	}
	o->symbol_count = COUNT;
	o->ocaml[o->ocaml_count++] = (struct code_range){MADE_CODE, MADE_OCAML_END};
	o->system = (struct code_range){MADE_C_CALL, MADE_SYSTEM_END};
	o->unwind = made_unwind();
	return o;
}

/* Make all of it.  `more` (may be NULL) changes the memory before tables are read.  Its code is NULL if they are nonsense. */
static inline void made_stacks_init(
    struct made_stacks *m, void (*more)(struct made_stacks *m, const void *ctx), const void *ctx)
{
	const struct memory_reader memory = {made_read, m};
	const struct frametable_place place = {.array = MADE_BASE + MADE_TABLES};
	struct runtime_symbols symbols = {.table_size = 0};
	struct version version;
	const char *why;
	unsigned at = MADE_TABLE + 8;
	struct code *code = calloc(1, sizeof(*code));

	memset(m, 0, sizeof(*m));
	memset(symbols.field, 0xff, sizeof(symbols.field));
	symbols.variable[RUNTIME_THREAD_TABLE] = MADE_BASE + MADE_THREADS;
	version_from_text("5.3.0", VERSION_FROM_OPTION, &version);
	code->runtime = runtime_create_over(&memory, &symbols, &version, &why);
	if (code->runtime == NULL)
		abort();
	code->layout = runtime_layout(code->runtime);
	code->proc.dir = -1;
	code->pages.memory = code->constants.memory = memory;
	code->contexts = calloc(CONTEXTS_MAX, sizeof(*code->contexts));
	code->lines = lines_cache_create();
	code->contexts[code->domain_count++] = (struct context){.state = MADE_BASE + MADE_STATE, .slot = 3};
	code->context_count = 1;
	code->symbols.objects = calloc(1, sizeof(struct object *));
	code->symbols.objects[code->symbols.count++] = made_object();
	code->symbols.others = calloc(1, sizeof(struct code_range));
	code->symbols.others[code->symbols.other_count++] =
	    (struct code_range){MADE_BASE + MADE_C, MADE_BASE + MADE_C_END};
	made_memory(m);
	*made_at(m, MADE_STATE + code->layout->field[RUNTIME_CURRENT_STACK]) = MADE_BASE + MADE_FIBER;
	*made_at(m, MADE_STATE + code->layout->field[RUNTIME_C_STACK]) = MADE_BASE + MADE_INNER_LINK;
	*made_at(m, MADE_TABLES) = MADE_BASE + MADE_TABLE;
	*made_at(m, MADE_TABLE) = 4;
	made_row(m, &at, MADE_OUTER + 16, MADE_FRAME);
	made_row(m, &at, MADE_INNER + 16, MADE_FRAME);
	made_row(m, &at, MADE_START + 16, 0xffff);
	made_row(m, &at, MADE_RUNSTACK + 16, 0xffff);
	m->sample = (struct code_sample){.tid = 7,
	    .ip = MADE_C_WORK + 32,
	    .sp = MADE_BASE + MADE_INNER_LINK - MADE_FRAME,
	    .whole = true,
	    .stack = (const unsigned char *)made_at(m, MADE_INNER_LINK - MADE_FRAME),
	    .stack_size = 0x200,
	    .still = true};
	if (more != NULL)
		more(m, ctx);
	m->code = code;
	code->effort = effort_for_code();
	if (frametable_refresh(&code->table, &memory, &place, &code->effort) != 0)
		code->table.count = 0;
}

static inline void made_stacks_fini(struct made_stacks *m)
{
	struct runtime *runtime = m->code->runtime;

	code_destroy(m->code);
	runtime_destroy(runtime);
}
