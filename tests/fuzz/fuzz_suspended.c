/*
 * fuzz_suspended.c - the search for suspended fibers in a heap that was made up and then changed: each eleven bytes are a
 * place, and a word for it.  Before that there are two pools with a continuation each, of which one holds a fiber.
 */
#include "code/fibers.h"
#include "code/private.h"
#include "support/made_runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Places, as byte offsets. */
enum { POOL = 0xc000, OTHER_POOL = 0x14000, STACK = 0x1c000, TABLES = 0xa400, TABLE = 0xa500, BLOCK = 32 };
enum { CODE = 0x500000, WORDS_OF_BLOCK = 3 };

static void put_row(struct made_runtime *m, unsigned at, uint64_t address, uint16_t frame)
{
	*made_word(m, at) = address;
	*made_word(m, at + 8) = frame;
}

static void put_pool(struct made_runtime *m, unsigned at, uint64_t next, uint64_t stack)
{
	*made_word(m, at) = next;
	*made_word(m, at + 24) = WORDS_OF_BLOCK - 1;
	*made_word(m, at + BLOCK) = 2 << 10 | 245;
	*made_word(m, at + BLOCK + 8) = stack + 1;
}

/* A fiber with one frame, held by a pool of the first domain. */
static void make(struct made_runtime *m)
{
	made_runtime(m, 3);
	*made_word(m, 8 * RUNTIME_GLOBAL_HEAP_STATE + 16) = 0x200; /* the colour of dead blocks */
	*made_word(m, made_heap(0) + 8 * (WORDS_OF_BLOCK - 1)) = MADE_BASE + POOL;
	put_pool(m, POOL, MADE_BASE + OTHER_POOL, MADE_BASE + STACK);
	put_pool(m, OTHER_POOL, 0, 0);
	*made_word(m, STACK) = MADE_BASE + STACK + 128;
	*made_word(m, STACK + 16) = MADE_BASE + STACK + 184;
	*made_word(m, STACK + 128) = CODE;
	*made_word(m, STACK + 144) = CODE + 16;
	m->symbols.variable[RUNTIME_FRAMETABLE] = MADE_BASE + TABLES;
	m->symbols.variable[RUNTIME_CURRENT_FRAME_DESCRS] = MADE_BASE + TABLES + 16;
	m->symbols.variable[RUNTIME_THREAD_TABLE] = 0;
	*made_word(m, TABLES) = MADE_BASE + TABLE;
	*made_word(m, TABLE) = 2;
	put_row(m, TABLE + 8, CODE, 16);
	put_row(m, TABLE + 24, CODE + 16, 0xffff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_runtime m;
	struct code *code = calloc(1, sizeof(*code));
	struct code_fibers found;
	const char *why;
	uint64_t sum = 0;

	/* Nothing was changed. */
	const size_t whole = size < 11 ? size : SIZE_MAX;

	make(&m);
	for (; size >= 11; data += 11, size -= 11) {
		uint32_t at = (uint32_t)(data[0] | data[1] << 8 | data[2] << 16);
		memcpy(made_word(&m, at % sizeof(m.memory) & ~7U), data + 3, 8);
	}
	code->runtime = made_open(&m, "5.3.0", &why);
	code->proc.dir = -1;
	code->lines = lines_cache_create();
	code->contexts = calloc(CONTEXTS_MAX, sizeof(*code->contexts));
	if (code->runtime == NULL || code->lines == NULL || code->contexts == NULL)
		abort();
	code->layout = runtime_layout(code->runtime);
	code->pages.memory = code->constants.memory = runtime_memory_unchecked(code->runtime);
	code->effort = (struct effort){.work = 1 << 22, .memory = 1 << 22};
	(void)code_fibers_find(code, &found);
	for (size_t i = 0; i < found.group_count; i++) {
		if (found.groups[i].frame_count == 0 || found.groups[i].frame_count > CODE_FRAMES_MAX)
			abort();
		sum += found.groups[i].count;
	}
	if (sum != found.count || (size == whole && found.count != 1))
		abort();
	code_fibers_fini(&found);
	runtime_destroy(code->runtime);
	code->runtime = NULL;
	code_destroy(code);
	return 0;
}
