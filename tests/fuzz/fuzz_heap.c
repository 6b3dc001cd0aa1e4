/*
 * fuzz_heap.c - any words in the memory of an OCaml runtime, whose lists are followed; and any text as what the kernel
 * says of mappings and of what is resident.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/made_heap.h"
#include "target/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[] = "/tmp/rtevtop-fuzz-XXXXXX";

static void clean_up(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/1/status", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/1/maps", root);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(root);
}

/* Write a file of the made-up process. */
static void put(const char *name, const void *text, size_t size)
{
	static bool begun;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/1", root);
	if (!begun && (mkdtemp(root) == NULL || snprintf(path, sizeof(path), "%s/1", root) < 0 ||
			  mkdir(path, 0700) != 0 || atexit(clean_up) != 0))
		abort();
	begun = true;
	snprintf(path, sizeof(path), "%s/1/%s", root, name);
	file = fopen(path, "w");
	if (file == NULL || fwrite(text, 1, size, file) != size || fclose(file) != 0)
		abort();
}

/* Words to change, three bytes for where and eight for what, up to one for the first word; then a text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_heap made;
	struct memory_heap heap = {0};
	struct system_memory memory;

	made_heap_begin(&made);
	if (made.runtime == NULL)
		return 0;
	while (size >= 11) {
		uint64_t at = (uint64_t)(data[0] | data[1] << 8 | data[2] << 16) % MADE_SIZE;
		memcpy(made_word(&made, MADE_BASE + at / 8 * 8), data + 3, 8);
		data += 11;
		size -= 11;
		if (at == 0)
			break;
	}
	struct effort effort = effort_for_look();
	(void)memory_heap_walk(made.runtime, 1, &effort, &heap);
	for (size_t i = 1; i < heap.count; i++)
		if (heap.ranges[i - 1].end > heap.ranges[i].start)
			abort();
	free(heap.ranges);
	put("maps", data, size);
	put("status", data, size);
	if (memory_read(root, 1, made.runtime, "", 1, &memory) == 0 && memory.why[0] == '\0')
		for (unsigned i = 0; i < MEMORY_PARTS; i++)
			if (memory.reserved[i] == MEMORY_UNKNOWN)
				abort();
	runtime_destroy(made.runtime);
	return 0;
}
